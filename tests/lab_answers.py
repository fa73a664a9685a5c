"""What students hand in: typical mistakes with the points they cost, and right answers of another kind.

``MISTAKES[lab]`` is a list of (replaced cells, points lost by check); ``OTHERS[lab]`` replaces
cells by correct code that draws its random numbers in another order or computes in another way.
"""

MISTAKES = {}
OTHERS = {}

MISTAKES["randomised-response"] = [
    # one coin for the whole school: every single report has the right law
    (
        {
            "privatise": """
def privatise(bits, epsilon, rng):
    lie = rng.random() >= keep_probability(epsilon)
    return np.where(lie, 1 - np.asarray(bits), bits)
"""
        },
        {"check-privatise": 3},
    ),
    # the budget is thought to be shared by the reports
    (
        {
            "transcript": """
def transcript_channel(epsilon, k):
    p = keep_probability(epsilon / k)
    one = np.array([[p, 1 - p], [1 - p, p]])
    channel = np.ones((2, 1))
    for _ in range(k):
        channel = (channel[:, :, None] * one[:, None, :]).reshape(2, -1)
    return channel
"""
        },
        {"check-transcript": 3},
    ),
]

OTHERS["randomised-response"] = {
    "privatise": """
def privatise(bits, epsilon, rng):
    keep = np.exp(epsilon) / (1 + np.exp(epsilon))
    coins = rng.binomial(1, keep, size=len(bits))[::-1]
    return np.array([bit if coin else 1 - bit for bit, coin in zip(bits, coins)])
""",
    "surveys": """
def surveys(ones, n, epsilon, repetitions, rng):
    keep = keep_probability(epsilon)
    true_ones = rng.binomial(ones, keep, size=repetitions)
    false_ones = rng.binomial(n - ones, 1 - keep, size=repetitions)
    return unbias(true_ones + false_ones, n, epsilon)
""",
}

MISTAKES["localise-refine"] = [
    # the whole budget for one entry, where two entries differ
    (
        {
            "keep": """
def keep(epsilon):
    return np.exp(epsilon) / (1 + np.exp(epsilon))
"""
        },
        {"check-keep": 2},
    ),
    # every home votes and reports: the budget is spent twice
    (
        {
            "localised": """
def localised(means, k, epsilon, rng):
    total = votes(bin_of(means, k), k, epsilon, rng)
    low, high = interval(total, k)
    return reports(means, low, high, epsilon, rng).mean()
"""
        },
        {"check-localised": 3},
    ),
]

OTHERS["localise-refine"] = {
    "votes": """
def votes(index, k, epsilon, rng):
    held = np.bincount(index, minlength=k)
    p = keep(epsilon)
    others = rng.binomial(len(index) - held, 1 - p)
    return rng.binomial(held, p) + others
""",
    "reports": """
def reports(means, low, high, epsilon, rng):
    noise = rng.exponential(size=(2, len(means))) * (high - low) / epsilon
    return np.minimum(np.maximum(means, low), high) + noise[0] - noise[1]
""",
}

MISTAKES["contribution-bounds"] = [
    # the sensitivity of a user who comes or goes, where one is replaced
    (
        {
            "sensitivity": """
def move(row, other, bound):
    pair = clip(np.array([row, other], dtype=float), bound)
    return np.abs(pair[0] - pair[1]).sum()


def sensitivity(bound):
    return bound
""",
            "release": """
def release(loans, bound, epsilon, rng):
    scale = bound / epsilon
    return clip(loans, bound).sum(axis=0) + rng.laplace(scale=scale, size=loans.shape[1])
""",
        },
        {"check-sensitivity": 3, "check-release": 3},
    ),
    # choice and release each spend the whole budget
    (
        {
            "publish": """
def publish(loans, candidates, largest, epsilon, rng):
    law = choice_law(loans, candidates, largest, epsilon, epsilon)
    bound = rng.choice(candidates, p=law)
    return release(loans, bound, epsilon, rng), bound
"""
        },
        {"check-publish": 2},
    ),
]

OTHERS["contribution-bounds"] = {
    "release": """
def release(loans, bound, epsilon, rng):
    noise = rng.exponential(2 * bound / epsilon, size=(loans.shape[1], 2))
    return (noise[:, 0] - noise[:, 1]) + sum(clip(loans, bound))
""",
    "publish": """
def publish(loans, candidates, largest, epsilon, rng):
    uniform = rng.random()
    law = choice_law(loans, candidates, largest, epsilon * 9 / 10, epsilon / 10)
    bound = candidates[int(np.searchsorted(np.cumsum(law)[:-1], uniform, side="right"))]
    return release(loans, bound, epsilon * 9 / 10, rng), bound
""",
}

MISTAKES["central-weights"] = [
    # the variance of a Laplace variable counted as the square of its scale
    (
        {
            "error": """
def error(weights, variances, lengths, epsilon):
    return np.sum(weights**2 * variances) + (np.max(weights * lengths) / epsilon) ** 2
"""
        },
        {"check-error": 2},
    ),
    # from the middle of the window to one end, where a driver goes from end to end
    (
        {
            "sensitivity": """
def sensitivity(weights, low, high):
    return np.max(weights * (high - low) / 2)
"""
        },
        {"check-sensitivity": 2},
    ),
    # noise for windows, but nobody is moved into one
    (
        {
            "release": """
def release(means, weights, low, high, epsilon, rng):
    return weights @ means + rng.laplace(scale=sensitivity(weights, low, high) / epsilon)
"""
        },
        {"check-release": 3},
    ),
]

OTHERS["central-weights"] = {
    "variance": """
def variance(sizes, theta, spread):
    return spread + (theta * (1 - theta) - spread) / sizes
""",
    "release": """
def release(means, weights, low, high, epsilon, rng):
    noise = rng.exponential(sensitivity(weights, low, high) / epsilon, size=2)
    inside = np.minimum(np.maximum(means, low), high)
    return sum(weights * inside) + noise[1] - noise[0]
""",
    "best-cap": """
def best_cap(variances, lengths, epsilon):
    order = np.argsort(-lengths / variances)
    v, d = variances[order], lengths[order]
    caps = np.cumsum(1 / d) / (2 / epsilon**2 + np.cumsum(v / d**2))
    following = np.append((d / v)[1:], 0)
    return caps[np.argmax(caps >= following)]
""",
}

MISTAKES["unequal-sizes"] = [
    # noise for half of the interval
    (
        {
            "reports": """
def reports(shrunk, centre, half, epsilon, rng):
    inside = np.clip(shrunk, centre - half, centre + half)
    return inside + rng.laplace(scale=half / epsilon, size=inside.shape)
"""
        },
        {"check-reports": 2},
    ),
    # the shrinkage is undone with the passengers' own sizes, which nobody else may know
    (
        {
            "estimate": """
def estimate(means, sizes, values, shares, cap, centre, half, epsilon, rng):
    sent = reports(shrink(means, sizes, cap, centre), centre, half, epsilon, rng)
    weight = np.mean(np.sqrt(np.minimum(sizes, cap) / cap))
    return (np.mean(sent) - (1 - weight) * centre) / weight
"""
        },
        {"check-estimate": 2},
    ),
]

OTHERS["unequal-sizes"] = {
    "passengers": """
def passengers(n, values, shares, theta, rng):
    edges = np.cumsum(shares)[:-1]
    sizes = np.array(values)[np.searchsorted(edges, rng.random(n), side="right")][::-1]
    late = rng.binomial(sizes, (1 - theta) / 2)
    return sizes, 1 - 2 * late / sizes
""",
    "reports": """
def reports(shrunk, centre, half, epsilon, rng):
    noise = rng.exponential(2 * half / epsilon, size=(2, len(shrunk)))
    return centre + np.minimum(np.maximum(shrunk - centre, -half), half) + noise[0] - noise[1]
""",
    "worst-loss": """
def worst_loss(values, cap, centre, half, scale_of):
    losses = [0.0]
    ends = []
    for m in values:
        for mean in (-1.0, 1.0):
            spot = shrink(np.array([mean]), np.array([m]), cap, centre)[0]
            ends.append((min(max(spot, centre - half), centre + half), scale_of(m)))
    for x, a in ends:
        for y, b in ends:
            losses.append(abs(x - y) / a if abs(a - b) < 1e-12 else np.inf)
    return max(losses)
""",
    "estimate": """
def estimate(means, sizes, values, shares, cap, centre, half, epsilon, rng):
    order = rng.permutation(len(means))
    shrunk = shrink(means[order], sizes[order], cap, centre)
    total = sum(reports(part, centre, half, epsilon, rng).sum() for part in np.array_split(shrunk, 3))
    return debias(total / len(means), values, shares, cap, centre)
""",
}

MISTAKES["sparse-means"] = [
    # an index of -1 is the last symptom
    (
        {
            "bits": """
def bits(chosen, signs, epsilon, rng):
    own = signs[np.arange(len(chosen)), chosen]
    kept = rng.random(len(chosen)) < 1 / (1 + np.exp(-epsilon))
    return np.where(kept, own, -own)
"""
        },
        {"check-bits": 2},
    ),
    # every patient reports on every symptom kept, each time with the whole budget
    (
        {
            "refine": """
def two_point(x, epsilon, rng):
    reach = (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)
    up = rng.random(len(x)) < 1 / 2 + x / (2 * reach)
    return np.where(up, reach, -reach)


def refine(means, epsilon, rng):
    return np.array([two_point(column, epsilon, rng).mean() for column in means.T])
"""
        },
        {"check-refine": 2},
    ),
]

OTHERS["sparse-means"] = {
    "choose": """
def choose(means, threshold, rng):
    passing = (means >= threshold) | (means <= -threshold)
    often = passing.sum(axis=1)
    wanted = 1 + np.floor(rng.random(len(means))[::-1] * often)
    hits = passing & (np.cumsum(passing, axis=1) == wanted[:, None])
    return np.where(often > 0, hits.argmax(axis=1), -1)
""",
    "bits": """
def bits(chosen, signs, epsilon, rng):
    p = np.exp(epsilon) / (1 + np.exp(epsilon))
    kept = 2 * rng.binomial(1, p, size=len(chosen)) - 1
    fair = rng.choice([-1, 1], size=len(chosen))
    mine = np.take_along_axis(signs, np.maximum(chosen, 0)[:, None], axis=1)[:, 0]
    return kept * np.where(np.array(chosen) < 0, fair, mine)
""",
    "scores": """
def scores(sent, signs, epsilon):
    return np.mean(signs * np.asarray(sent)[:, None], axis=0) / np.tanh(epsilon / 2)
""",
    "refine": """
def two_point(x, epsilon, rng):
    reach = 1 / np.tanh(epsilon / 2)
    return reach * (1 - 2 * rng.binomial(1, (1 - np.asarray(x) / reach) / 2))


def refine(means, epsilon, rng):
    k = means.shape[1]
    return np.array([two_point(means[j::k, j], epsilon, rng).mean() for j in range(k)[::-1]])[::-1]
""",
    "miss": """
def miss_probability(n, d, share, epsilon):
    p = 1 / (1 + np.exp(-epsilon))
    agree = share * p + (1 - share) / 2
    moved, empty = binomial_law(n, agree), binomial_law(n, 0.5)
    return sum(moved[z] * (1 - empty[:z].sum() ** (d - 1)) for z in range(n + 1))
""",
}

MISTAKES["break-it"] = [
    # the ratio of what was counted, without any confidence
    (
        {
            "witnessed": """
def witnessed(hits, other_hits, runs, alpha):
    return np.log(max(hits, 1) / max(other_hits, 1))
"""
        },
        {"check-witnessed": 3},
    ),
    # the noise hides one record of the reader, not all of them
    (
        {
            "mended": """
def mended(ratings, epsilon, rng, runs):
    records = np.clip(np.concatenate(ratings), 0, 1)
    return np.mean(records) + rng.laplace(scale=1 / (len(ratings) * epsilon), size=runs)
"""
        },
        {"check-mended": 2},
    ),
    # numbers inside of the bins are thought to be the worst, so the promise is thought to hold
    (
        {
            "leak-shelf": """
def leak_shelf():
    return 0.1, 0.9, lambda sent: sent[:, 0] & ~sent[:, 3]


def loss_shelf(k, epsilon):
    return epsilon if k > 1 else 0
"""
        },
        {"check-shelf": 3},
    ),
]

OTHERS["break-it"] = {
    "witnessed": """
def witnessed(hits, other_hits, runs, alpha):
    from scipy.stats import binomtest

    interval = {"confidence_level": 1 - alpha, "method": "exact"}
    low = binomtest(hits, runs, alternative="greater").proportion_ci(**interval).low
    high = binomtest(other_hits, runs, alternative="less").proportion_ci(**interval).high
    with np.errstate(divide="ignore"):
        return np.log(low) - np.log(high)
""",
    "leak-twice": """
def leak_twice():
    return 0, 1, lambda sent: sent.sum(axis=1) == 0


def loss_twice(epsilon):
    p = 1 / (1 + np.exp(-epsilon))
    return np.log(p**2 / (1 - p) ** 2)
""",
    "leak-hours": """
def leak_hours():
    return [0.2, 0.2, 0.2], [0.2, 0.9, 0.2], lambda sent: np.isclose(sent, 0.2, rtol=0, atol=1e-9)


def loss_hours(epsilon):
    return float("inf")
""",
    "leak-titles": """
def leak_titles():
    return [2, 1, 1], [1, 1, 1], lambda sent: sent[:, 2] > 0


def chance_titles(threshold, epsilon):
    from scipy.stats import laplace

    return laplace.sf(threshold, loc=1, scale=2 / epsilon)
""",
    "mended": """
def mended(ratings, epsilon, rng, runs):
    total = sum(min(max(one, 0), 1) for own in ratings for one in own)
    sizes = np.array([len(own) for own in ratings])
    noise = rng.exponential(sizes.max() / epsilon, size=(2, runs))
    return (total + noise[0] - noise[1]) / sizes.sum()
""",
}

MISTAKES["plan-it"] = [
    # the mean is clipped, not the records
    (
        {
            "users-of": """
def users_of(who, values, low, high):
    labels, user = np.unique(who, return_inverse=True)
    sizes = np.bincount(user)
    means = np.bincount(user, weights=np.nan_to_num(values, nan=low)) / sizes
    return np.clip(means, low, high), sizes
"""
        },
        {"check-users-of": 3},
    ),
    # sizes are thought to tell nothing
    (
        {
            "ask": """
def ask(means, sizes, n, epsilon, trust):
    law = empirical_sizes(sizes, public=True)
    return plan(n=n, sizes=law, epsilon=epsilon, trust=trust, spread=np.std(means), private_sizes=True)
"""
        },
        {"check-ask": 3},
    ),
    # the average of five runs, each with the whole budget
    (
        {
            "publish": """
def publish(option, means, sizes, epsilon, rng):
    order = rng.permutation(len(means))
    answers = [option.run(means[order], sizes[order], rng=rng) for _ in range(5)]
    if answers[0].guarantee.epsilon > epsilon:
        raise ValueError("too much")
    return np.mean([answer.value for answer in answers]), epsilon
"""
        },
        {"check-publish": 2},
    ),
]

OTHERS["plan-it"] = {
    "users-of": """
def users_of(who, values, low, high):
    records = {}
    for label, value in zip(who, values):
        records.setdefault(label, []).append(low if np.isnan(value) else min(max(value, low), high))
    users = sorted(records)
    return np.array([np.mean(records[u]) for u in users]), np.array([len(records[u]) for u in users])
""",
    "choose": """
def choose(ranking):
    for option in sorted(ranking, key=lambda option: option.error):
        if not (option.unused or option.warning):
            return option if 2 * option.error <= ranking.guess else None
""",
    "rehearse": """
def rehearse(option, means, sizes, n, runs, rng):
    total = 0.0
    for _ in range(runs):
        drawn = rng.choice(np.arange(len(means))[::-1], size=n)
        total += (option.run(means[drawn], sizes[drawn], rng=rng).value - means.mean()) ** 2 / runs
    return total**0.5
""",
    "publish": """
def publish(option, means, sizes, epsilon, rng):
    both = rng.permutation(np.column_stack([means, sizes]))
    answer = option.run(both[:, 0], both[:, 1].astype(int), rng=rng)
    if not answer.guarantee.epsilon <= epsilon:
        raise ValueError("too much")
    return answer.value, answer.guarantee.epsilon
""",
}

MISTAKES["warm-up"] = [
    # columns for rows
    (
        {"row-means": "def row_means(table):\n    return np.asarray(table).mean(axis=0)"},
        {"check-row-means": 2},
    ),
    # missing values stay missing
    (
        {"clipped": "def clipped(values, low, high):\n    return np.clip(values, low, high)"},
        {"check-clipped": 3},
    ),
    # the best method is thought to be the last
    (
        {
            "errors": "def errors(n, sizes, epsilon):\n"
            "    return np.array([plan(n=n, sizes=m, epsilon=epsilon, spread=0.0)[-1].error for m in sizes])"
        },
        {"check-errors": 3},
    ),
]

OTHERS["warm-up"] = {
    "row-means": "def row_means(table):\n    return np.array([sum(row) / len(row) for row in table])",
    "clipped": """
def clipped(values, low, high):
    found = np.array(values, dtype=float)
    found[~(found > low)] = low
    found[found > high] = high
    return found
""",
    "one-hot": "def one_hot(categories, k):\n    return np.eye(k)[categories]",
    "respond": """
def respond(bits, p, rng):
    return np.array(bits) ^ rng.binomial(1, 1 - p, size=len(bits))[::-1]
""",
}
