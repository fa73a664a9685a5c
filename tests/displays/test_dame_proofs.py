"""The steps of DAME's proofs that are identities, or inequalities over a range."""

from fractions import Fraction as F
from itertools import product
from math import ceil, comb, exp, isqrt, log, sqrt, tanh

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from userdp.local.unequal import dame_half_width, dame_rounds
from userdp.sizes import constant_size
from userdp_papers.theory.enclosures import iv
from userdp_papers.theory.rates.dame import CORRECTED, PRINTED, dame_phi

HALF = F(1, 2)


# --- Two worlds: Lemmas S1 and S2, Theorem 1 ---


def test_two_coins_differ_as_stated():
    """(S2), (S4) to (S9): the two sums over the atoms; 3 in (S9) is more than the 2 ln 3 at a half."""
    for delta in (F(1, 2), F(1, 3), F(1, 7)):
        up, down = (1 + delta) / 2, (1 - delta) / 2
        assert (abs(up - down) + abs(down - up)) / 2 == delta
        divergence = sum(float(p) * log(p / q) for p, q in ((up, down), (down, up)))
        assert divergence == pytest.approx(delta * log((1 + delta) / (1 - delta)), rel=1e-12)
        assert 2 * delta**2 < divergence <= 3 * delta**2


def test_distances_for_each_size_as_in_s18_and_s19():
    """Signs listed: m records have m times the divergence of one; small means attain Pinsker's half."""
    for m, delta in product((1, 2, 5), (0.001, 0.3)):
        up, down = (1 + delta) / 2, (1 - delta) / 2
        laws = [[p**k * q ** (m - k) for k in range(m + 1)] for p, q in ((up, down), (down, up))]
        times = [comb(m, k) for k in range(m + 1)]
        divergence = sum(c * p * log(p / q) for c, p, q in zip(times, *laws, strict=True))
        assert divergence == pytest.approx(m * delta * log((1 + delta) / (1 - delta)), rel=1e-9)
        distance = sum(c * abs(p - q) for c, p, q in zip(times, *laws, strict=True)) / 2
        assert distance <= sqrt(divergence / 2) * (1 + 1e-12)
        assert m > 1 or delta == 0.3 or distance == pytest.approx(sqrt(divergence / 2), rel=1e-6)


def test_le_cam_and_bretagnolle_huber_for_two_reports():
    """(S20), (S21): binary reports decide; each least quotient is below twice its constant.

    Both are for the best channel: another one has a risk below their right sides for no difference at all.
    """
    quotients, delta = [], F(1, 3)
    for i, j in product(range(21), range(1, 20)):
        p, q = F(i, 20), F(j, 20)
        overlap = min(p, q) + min(1 - p, 1 - q)  # 1 - TV
        posterior = [(a / (a + b), (a + b) / 2) for a, b in ((p, q), (1 - p, 1 - q)) if a + b]
        best = sum(mass * 4 * delta**2 * share * (1 - share) for share, mass in posterior)
        divergence = sum(float(a) * log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a)
        quotients.append((best / delta**2 / overlap, float(overlap) * exp(divergence)))
    assert min(risk for risk, _ in quotients) == 1 > HALF  # of the mean of both risks
    assert 1 / 2 < min(share for _, share in quotients) < 0.9
    counts, keep = np.arange(1001), 0.6  # randomised first records of 1,000 users, epsilon = ln 1.5
    estimates, risks = (2 * counts / 1000 - 1) / (2 * keep - 1), []
    for theta in (-1, 0, float(delta), 1):
        reports = binom.pmf(counts, 1000, (1 + (2 * keep - 1) * theta) / 2)
        risks.append(reports @ (estimates - theta) ** 2)
    assert max(risks) < delta**2 / 4  # of a half and of a quarter the smaller


def test_the_divergence_stands_under_the_root():
    """(S1): for one sign of mean 1/2 the root that ends too soon is below the distance."""
    delta = iv.mpf(1) / 2
    divergence = delta * iv.log((1 + delta) / (1 - delta))
    assert (iv.sqrt(iv.mpf(1) / 2) * divergence).b < delta.a
    assert delta.b < iv.sqrt(divergence / 2).a


def test_an_event_chooses_for_each_size():
    """(S10) to (S15): over all 64 events of two sizes, the supremum is the average distance."""
    shares, delta = {1: F(1, 4), 2: F(3, 4)}, F(4, 5)

    def mass(point, mean):
        value = F(1)
        for sign in point:
            value *= (1 + sign * mean) / 2
        return value

    points = [point for m in shares for point in product((-1, 1), repeat=m)]
    gaps = {p: mass(p, delta) - mass(p, -delta) for p in points}
    events = product((0, 1), repeat=len(points))
    largest = max(
        abs(sum(shares[len(p)] * gaps[p] for p, inside in zip(points, event, strict=True) if inside))
        for event in events
    )
    distance = {m: sum(abs(gap) for p, gap in gaps.items() if len(p) == m) / 2 for m in shares}
    assert largest == sum(share * distance[m] for m, share in shares.items())
    assert 2 * largest > 1  # the printed factor 2 leaves the scale of (S4) and (S18)


def test_constants_of_theorem_1_add_up():
    """(S28) is a quadratic form, decided by three points; (S31) collects 12, 3, 2 and two quarters."""
    for x, y in ((2, 0), (0, 3), (2, 3)):
        assert 2 * x**2 + 2 * y**2 - (x + y) ** 2 == (x - y) ** 2
    assert (12 * 3 * F(1, 4), 12 * 2, F(1, 4) * F(1, 4)) == (9, PRINTED.c2, F(1, 16))
    assert pytest.approx(exp(-9) / 16, rel=1e-14) == PRINTED.c1
    # sizes with P(m > a) = 2^-a at n epsilon^2 = 1/2: the denominator of (10) is 1, and no term the largest
    assert sum(sqrt(m) / 2**m for m in range(1, 60)) ** 2 / 2 < 1
    terms = [exp(-12 / 4**a) for a in range(20)]
    assert terms == sorted(set(terms))


# --- One user of the second half, every outcome listed: (9), (S34) to (S48), (S90) to (S115) ---

MASSES = {1: F(1, 2), 4: F(1, 3), 9: F(1, 6)}  # squares, so that every root is whole
TAU = F(1, 9)


def mean_root(cap):
    return sum(mass * isqrt(min(m, cap)) for m, mass in MASSES.items())


def outcomes(cap, theta, s, tau=TAU):
    """Size, mean, shrunk mean, projected mean and probability of one user, given the centre."""
    up, lower, upper = (1 + theta) / 2, max(s - 7 * tau, F(-1)), min(s + 7 * tau, F(1))
    for m, mass in MASSES.items():
        w = F(isqrt(min(m, cap)), isqrt(cap))
        for k in range(m + 1):
            x = F(2 * k, m) - 1
            shrunk = w * (x + (1 / w - 1) * s)
            kept = min(max(shrunk, lower), upper)
            yield m, x, shrunk, kept, mass * comb(m, k) * up**k * (1 - up) ** (m - k)


@pytest.mark.parametrize("cap", [1, 4, 9, 16])
def test_the_estimate_is_the_average_less_its_shrinkage(cap):
    """(9) and (S34) for any average and centre: linear in both, so that two values decide."""
    root, mean = isqrt(cap), mean_root(cap)
    taken = sum((root - isqrt(m)) * mass for m, mass in MASSES.items() if m <= cap)
    assert taken == root - mean
    for average, s in product((F(0), F(1)), repeat=2):
        weight = mean / F(root)
        assert (average * root - taken * s) / mean == (average - (1 - weight) * s) / weight


CASES = [*product((1, 4, 9), (F(-1), F(1, 3), F(9, 10)), (-8 * TAU, F(0), 8 * TAU))]
NARROW = (9, HALF, F(1, 3), F(1, 36))


@pytest.mark.parametrize(("cap", "theta", "s", "tau"), [*((*case, TAU) for case in CASES), NARROW])
def test_decomposition_of_the_bias_is_an_identity(cap, theta, s, tau):
    """(S36) to (S48), (S91) to (S93), (S110) to (S115), for near and for far bins."""
    root, mean, listed = isqrt(cap), mean_root(cap), [*outcomes(cap, theta, s, tau)]
    assert all(shrunk == isqrt(min(m, cap)) * x / root + (1 - F(isqrt(min(m, cap)), root)) * s
               for m, x, shrunk, _, _ in listed)  # fmt: skip
    for i, mass in MASSES.items():  # (S42)
        assert sum(p * x for m, x, _, _, p in listed if m == i) == theta * mass
    large = [(x, kept, p) for m, x, _, kept, p in listed if m >= cap]
    small = [(F(isqrt(m), root), x, kept, p) for m, x, _, kept, p in listed if m < cap]
    assert (
        sum(root * p * x for x, _, p in large) + sum(root * w * p * x for w, x, _, p in small) == theta * mean
    )  # (S38)
    bias = (root * sum(p * kept for *_, kept, p in listed) - (root - mean) * s) / mean - theta
    cut = F(root) / mean * sum(p * (kept - x) for x, kept, p in large)
    centred = [((kept - w * x - (1 - w) * s) * p, abs(x - theta) <= HALF) for w, x, kept, p in small]
    rest = F(root) / mean * sum(term for term, _ in centred)
    assert bias == cut + rest  # (S48), (S112)
    assert abs(bias) <= F(root) / mean * sum(p * abs(kept - x) for x, kept, p in large) + abs(rest)
    parts = [sum(term for term, good in centred if good == which) for which in (True, False)]
    assert abs(rest) <= F(root) / mean * (abs(parts[0]) + abs(parts[1]))
    assert (parts[0] * parts[1] < 0) == (tau < TAU)  # cut at both ends
    lower, upper = max(s - 7 * tau, F(-1)), min(s + 7 * tau, F(1))
    for w, x, kept, _ in small:  # (S115)
        far = w * x + (1 - w) * s
        assert abs(kept - w * x - (1 - w) * s) == max(far - upper, lower - far, 0) <= 2


@pytest.mark.parametrize(("cap", "theta", "s"), CASES)
def test_the_mean_of_the_estimate_given_the_bin_is_a_mean(cap, theta, s):
    """(S51), (S115): it is within [-1, 1], though the estimate is not; its squared bias is at most 4."""
    root, mean, listed = isqrt(cap), mean_root(cap), [*outcomes(cap, theta, s)]
    value = (root * sum(p * kept for *_, kept, p in listed) - (root - mean) * s) / mean
    points = []
    for m, x, _, kept, p in listed:  # the projection moves towards s and never beyond
        w = F(isqrt(min(m, cap)), root)
        points.append(((kept - (1 - w) * s) / w, p * w * root / mean))
        assert min(x, s) <= points[-1][0] <= max(x, s)
    assert sum(mass for _, mass in points) == 1
    assert value == sum(point * mass for point, mass in points) and abs(value) <= 1
    # all means at -1 and the last bin chosen: nearly all of the 4 at the cap 1, and of the 2 of (S115)
    tau, w = F(1, 1000), F(999, 1000)
    assert F(39, 10) < (max(1 - 8 * tau, F(-1)) + 1) ** 2 <= 4
    shrunk = -w + (1 - w) * (1 - tau)
    assert F(39, 20) < max(shrunk, 1 - 8 * tau) - shrunk == w * (2 - tau) - 7 * tau <= 2


@pytest.mark.parametrize(("cap", "theta", "s"), [(4, F(1, 3), F(0)), (9, F(-1, 2), 8 * TAU)])
def test_the_risk_given_the_bin_from_every_pair_of_users(cap, theta, s):
    """(S33), (S35), (S37), (S138), (S139): the listed pairs of reports, their noise a fair sign times 1/3."""
    root, mean, noise = isqrt(cap), mean_root(cap), F(1, 3)
    listed = [(kept + sign * noise, p / 2) for *_, kept, p in outcomes(cap, theta, s) for sign in (-1, 1)]

    def estimate(average):
        return (average * root - (root - mean) * s) / mean

    def moments(law):
        first = sum(value * p for value, p in law)
        return first, sum((value - first) ** 2 * p for value, p in law)

    assert estimate((mean * theta + (root - mean) * s) / root) == theta
    one, spread = moments(listed)
    pairs = [(estimate((x + y) / 2), p * q) for (x, p), (y, q) in product(listed, repeat=2)]
    expected, variance = moments(pairs)
    assert expected == estimate(one)  # (S35), (S37)
    assert sum((value - theta) ** 2 * p for value, p in pairs) == (expected - theta) ** 2 + variance  # (S33)
    assert variance == (F(root) / mean) ** 2 * spread / 2
    assert spread == moments([(kept, p) for *_, kept, p in outcomes(cap, theta, s)])[1] + noise**2  # (S139)
    unprojected = moments([(x, p) for _, x, *_, p in outcomes(cap, theta, s)])[1]
    assert spread != unprojected + noise**2  # (S138) as printed


@pytest.mark.parametrize(("cap", "theta", "s"), CASES)
def test_what_is_cut_of_a_large_user(cap, theta, s):
    """(S96) to (S98), (S122), (S123), (S125): user by user; a mean at 1 attains the bound of (S125)."""
    lower, upper = max(s - 7 * TAU, F(-1)), min(s + 7 * TAU, F(1))
    for m, x, shrunk, kept, _ in outcomes(cap, theta, s):
        w = F(isqrt(min(m, cap)), isqrt(cap))
        assert shrunk - s == w * (x - s)
        assert abs(shrunk - s) <= w * (abs(x - theta) + abs(theta - s))
        for a in (a for a in MASSES if a <= cap):  # (S123), with equality for users of that size
            v = F(isqrt(a), isqrt(cap))
            one, whole = abs(shrunk - s) * (m == a), abs(v * (x + (1 / v - 1) * s) - s)
            assert one <= whole and (m != a or one == whole)
        if m >= cap:
            assert shrunk == x and abs(kept - x) == max(x - upper, 0) + max(lower - x, 0)
    ends = [*product((-1, 1), repeat=2)]  # of both the mean and the window
    assert [max(x - upper, 0) for x, upper in ends] == [0, 0, 2, 0]
    assert [max(lower - x, 0) for x, lower in ends] == [0, 2, 0, 0]
    assert theta < s or abs(1 - s) == abs(1 - theta) + (theta - s)


@pytest.mark.parametrize(("size", "cap"), [(4, 4), (4, 9), (1, 9), (100, 100), (16, 100)])
def test_small_users_stay_within_six_half_widths_of_the_centre(size, cap):
    """(S121), (S126) to (S128): at the ends of both distances, with 2L = 1; all six are needed at the cap."""
    w, tau, radius = F(isqrt(size), isqrt(cap)), F(1, isqrt(cap)), F(1, isqrt(size))
    assert w * (radius + 5 * tau) == tau + 5 * w * tau <= 6 * tau
    assert (w * (radius + 5 * tau) == 6 * tau) == (size == cap)
    for s, side in product((F(-1), F(0), F(2, 3), F(1)), (-1, 1)):
        for far in (radius + 5 * tau, 1.01 * float(radius + 5 * tau)):
            x = min(max(s + side * far, -1), 1)
            shrunk = w * x + (1 - w) * s
            kept = min(max(shrunk, s - 6 * tau, F(-1)), s + 6 * tau, F(1))
            assert abs(shrunk - s) == pytest.approx(w * abs(x - s))
            assert (kept == shrunk) == (abs(shrunk - s) <= 6 * tau)
            assert far != radius + 5 * tau or kept == shrunk


@pytest.mark.parametrize(("cap", "theta"), [(4, F(1, 5)), (9, F(-1, 3))])
def test_what_the_chosen_bin_leaves_of_a_second_user(cap, theta):
    """(S32), (S50), (S101) to (S103), (S116), (S131): one voter and one later user, every pair."""
    root, mean = isqrt(cap), mean_root(cap)
    true, rows = (theta + 1) // (2 * TAU), []
    for m1, x1, _, _, p1 in outcomes(cap, theta, F(0)):
        j = min((x1 + 1) // (2 * TAU), 8) if m1 >= cap else F(0)
        s = -1 + (2 * j + 1) * TAU
        later = outcomes(cap, theta, s)
        rows += [(j, abs(j - true) <= 2, x1, s, m, x, kept, p1 * p) for m, x, _, kept, p in later]

    def chance(event):
        return sum(p for *row, p in rows if event(*row))

    assert chance(lambda *_: True) == 1
    squared, risk, parts = F(0), F(0), {True: F(0), False: F(0)}
    for j in {row[0] for row in rows}:
        of_j, share = [row for row in rows if row[0] == j], chance(lambda i, *_, j=j: i == j)
        average = sum(row[6] * row[7] for row in of_j) / share
        bias = (root * average - (root - mean) * of_j[0][3]) / mean - theta
        squared += share * bias**2
        spread = sum((row[6] - average) ** 2 * row[7] for row in of_j) / share
        risk += share * (bias**2 + (F(root) / mean) ** 2 * spread)
        parts[of_j[0][1]] += share * bias**2
        for i, mass in MASSES.items():
            far = sum(p for *_, m, x, _, p in of_j if m == i and abs(x - theta) > HALF)
            own = sum(p for m, x, _, _, p in outcomes(cap, theta, F(0)) if m == i and abs(x - theta) > HALF)
            assert far == share * own  # (S103), (S116)
            outside = [k for k in range(i + 1) if abs(F(2 * k, i) - 1 - theta) > HALF]
            given = sum(comb(i, k) * (1 + theta) ** k * (1 - theta) ** (i - k) for k in outside)
            assert own == given / F(2) ** i * mass  # (S117)
            assert sum(p for *_, m, _, _, p in of_j if m == i) == share * mass
    assert squared == parts[True] + parts[False] and min(parts.values()) > 0  # (S50)
    errors = [((root * kept - (root - mean) * s) / mean - theta, p) for *_, s, _, _, kept, p in rows]
    assert risk == sum(error**2 * p for error, p in errors)  # (S32)
    # a voter's own mean does depend on the bin
    voted = chance(lambda j, good, x1, *_: good and abs(x1 - theta) > HALF)
    assert voted != chance(lambda j, good, *_: good) * chance(lambda j, good, x1, *_: abs(x1 - theta) > HALF)
    # (S101): what is cut at the upper end, together with A and alone
    known = chance(lambda j, good, *_: good)
    for j in {row[0] for row in rows}:
        cut = sum(p for i, *_, m, x, kept, p in rows if i == j and m >= cap and kept < x)
        both = sum(p for i, good, *_, m, x, kept, p in rows if i == j and good and m >= cap and kept < x)
        assert both == (abs(j - true) <= 2) * cut
        assert cut == 0 or both != known * cut
        upper, share = min(2 * (j + 1) * TAU + 6 * TAU, F(2)) - 1, chance(lambda i, *_, j=j: i == j)
        beyond = {i: [k for k in range(i + 1) if F(2 * k, i) - 1 > upper] for i in MASSES}
        tails = {
            i: sum(comb(i, k) * (1 + theta) ** k * (1 - theta) ** (i - k) for k in ks) / F(2) ** i
            for i, ks in beyond.items()
        }  # (S100), (S103): size by size
        assert cut == share * sum(mass * tails[i] for i, mass in MASSES.items() if i >= cap)
    # (S102): what the indicator of A takes away is what comes off A
    moved = [(good, abs(isqrt(min(m, cap)) * (x - s)) * p) for _, good, _, s, m, x, _, p in rows]
    assert sum(v for good, v in moved if good) == sum(v for _, v in moved) - sum(v for g, v in moved if not g)
    assert 0 < sum(v for good, v in moved if good) < sum(v for _, v in moved)
    # (S131): size by size
    cut = {i: sum((kept - x) * p for *_, m, x, kept, p in rows if m == i) for i in MASSES}
    assert sum(cut.values()) == sum((kept - x) * p for *_, x, kept, p in rows) != 0


def test_the_true_bin_has_no_vote_at_most_as_often_as_by_size():
    """(S56): small users and stray means, disjoint and thus the whole of it; the width of (S71)."""
    cap, theta = 4, F(1, 5)
    listed = [(m, abs(x - theta) > TAU, p) for m, x, _, _, p in outcomes(cap, theta, F(0))]
    none = sum(p for m, far, p in listed if m < cap or far)
    small = sum(mass for m, mass in MASSES.items() if m < cap)
    strays = {i: sum(p for m, far, p in listed if m == i and far) / mass for i, mass in MASSES.items()}
    assert none == small + sum(mass * strays[i] for i, mass in MASSES.items() if i >= cap)
    assert 0 < small < none < 1
    for theta in (HALF, F(1, 10), F(3, 10)):  # the votes of Algorithm 1 themselves, for one bin and for three
        users, true = [*outcomes(cap, theta, F(0))], (theta + 1) // (2 * TAU)
        bins = [(m, min((x + 1) // (2 * TAU), 8), p) for m, x, *_, p in users]
        one, three = (sum(p for m, j, p in bins if m < cap or abs(j - true) > k) for k in (0, 1))
        right, double = (
            sum(p for m, x, *_, p in users if m >= cap and abs(x - theta) >= k * TAU) + small for k in (1, 2)
        )
        assert small < three <= double <= right < one
        far = [
            sum(p for m, j, p in bins if m >= cap and abs(j - k) <= 1) for k in range(9) if abs(k - true) > 2
        ]
        assert 0 < max(far) <= double - small  # (S59), (S60)


def test_a_private_report_has_the_order_of_58_and_s22():
    """The report that tells most of two points: its divergence over epsilon^2 TV^2 is a half, and not 12."""
    for epsilon in (0.01, 0.3, 1.0):
        keep = exp(epsilon) / (1 + exp(epsilon))
        for apart in (1.0, 0.1):  # total variation of the two data
            one, other = (1 / 2 + sign * apart * (keep - 1 / 2) for sign in (1, -1))
            divergence = one * log(one / other) + (1 - one) * log((1 - one) / (1 - other))
            assert 0.42 < divergence / (epsilon * apart) ** 2 <= 1 / 2
            contracted = 4 * (exp(epsilon) - 1) ** 2 * apart**2
            assert divergence <= contracted <= 12 * (epsilon * apart) ** 2
    for epsilon in (0.3, 1.0, 4.0, 20.0):  # (60): users who know their point, at every budget
        keep = 1 / (1 + exp(-epsilon))
        divergence = (2 * keep - 1) * log(keep / (1 - keep))
        assert divergence == pytest.approx(epsilon * tanh(epsilon / 2), rel=1e-6)
        assert divergence <= min(epsilon, epsilon**2)
    assert divergence > 0.9999 * epsilon


def test_users_at_the_cap_have_a_say():
    """Line 4 of Algorithm 1: those with the cap or more, and nobody else."""
    rounds = dame_rounds(np.zeros(6), np.array([3, 4, 5, 9, 1, 4]), 1.0, constant_size(9), 4, False)
    assert rounds.eligible.tolist() == [False, True, True]


def test_the_least_gap_goes_into_the_exponent_of_s71():
    """(S71): the gap is least where each chance is an eighth, and so is the exponent of (S70)."""
    for n, keep, share in product((2, 3), (F(2, 3), F(3, 4)), (HALF, F(1, 3))):
        for chance in (F(1, 8), F(1, 9), F(0)):
            gap = (2 * keep - 1) * share * (1 - 4 * chance)
            least = (keep - HALF) * share
            assert F(n, 4) * gap**2 >= F(n, 4) * (keep - HALF) ** 2 * share**2
            assert (gap == least) == (chance == F(1, 8))


def test_large_users_are_bounded_like_the_cap():
    """(S58) and (S100): sizes from the cap on, each with its own tail; equal where all have the cap."""
    cap, tau, theta = 4, F(1, 2), F(0)
    tails = {
        m: sum(F(comb(m, k), 2**m) for k in range(m + 1) if abs(F(2 * k, m) - 1 - theta) >= tau)
        for m in MASSES
    }
    listed = [(m, x, p) for m, x, _, _, p in outcomes(cap, theta, F(0))]
    event = sum(p for m, x, p in listed if m >= cap and abs(x - theta) >= tau)
    assert event == sum(mass * tails[m] for m, mass in MASSES.items() if m >= cap)

    def sides(masses):
        large = {m: mass for m, mass in masses.items() if m >= cap}
        own = sum(mass * 2 * exp(-m * tau**2 / 2) for m, mass in large.items())
        return own, 2 * exp(-cap * tau**2 / 2) * sum(large.values())

    own, like_the_cap = sides(MASSES)
    assert event <= own <= like_the_cap
    alone, equal = sides({1: F(1, 2), cap: F(1, 2)})
    assert alone == equal


def test_the_good_event_has_the_root_of_the_users_own_size():
    """(S118): with another size under the root a user of four records leaves its window too often."""
    level, bound = 1.2, 2 * exp(-1.2)

    def leaves(size):
        width = sqrt(2 * level / size)
        return sum(comb(4, k) / 16 for k in range(5) if abs(k / 2 - 1) > width)

    assert leaves(4) <= bound < leaves(16)


def test_a_shrunk_mean_is_nearer_to_the_centre_by_its_weight():
    """(S124), (S129), (S133): of degree one in weight, mean and centre, so that two values of each decide."""
    for w, x, s in product((HALF, F(1, 3)), (F(0), F(1)), (F(0), F(1))):
        assert w * (x + (1 / w - 1) * s) == w * x + (1 - w) * s == s + w * (x - s)


# --- The vote: Lemmas S5 and S6 ---


@pytest.mark.parametrize("tau", [F(1, k) for k in (1, 2, 3, 7, 16)] + [F(2, 7), F(3, 10), F(7, 50), F(5, 3)])
def test_reach_of_bins_at_most_two_away(tau):
    """(S49), (S55), (S59), (S89), (S104): linear in theta, so that the ends of its bin decide."""
    count = ceil(1 / tau)
    bins = [(-1 + 2 * j * tau, min(-1 + 2 * (j + 1) * tau, F(1))) for j in range(count)]
    for (j, (left, right)), (k, (lower, upper)) in product(enumerate(bins), repeat=2):
        s = (lower + upper) / 2
        if abs(j - k) <= 2:
            for theta in (left, right):
                assert abs(s - theta) <= 5 * tau
                assert min(upper + 6 * tau, F(1)) >= min(theta + 2 * tau, F(1))
                assert max(lower - 6 * tau, F(-1)) <= max(theta - 2 * tau, F(-1))
        assert k < j or upper + 6 * tau >= right + 6 * tau  # (S104) to the right of A
        assert k > j - 4 or upper + 6 * tau <= left  # and where it can fail
        if k >= j + 2:  # a mean there leaves bin j without a vote
            assert lower - right >= 2 * tau
    assert all(sum(abs(j - k) > 2 for k in range(count)) < 1 / tau for j in range(count))


def test_chances_of_two_bins_differ_as_stated():
    """(S62) to (S66): of degree one in each letter, so that two values of each decide."""
    for keep, vote, share, chance in product((F(2, 3), F(3, 4)), *[(F(0), F(1, 8))] * 3):
        gain = 2 * keep - 1
        flips, votes = ((1, keep), (0, 1 - keep)), ((1, vote), (0, 1 - vote))
        ones = sum(p * q for (v, p), (kept, q) in product(votes, flips) if v == kept)
        assert ones == keep * vote + (1 - keep) * (1 - vote) == gain * vote + 1 - keep
        assert 1 - (2 * share * chance + 1 - share) == share - 2 * share * chance
        near = gain * (share - 2 * share * chance) + 1 - keep
        far = 2 * gain * chance * share + 1 - keep
        assert near - far == gain * share * (1 - 4 * chance)


@pytest.mark.parametrize(("cap", "n", "epsilon"), [(1, 2, 0.1), (3, 2, 0.6), (10**5, 10**4, 22 / 35)])
def test_the_width_makes_each_chance_an_eighth_at_most(cap, n, epsilon):
    """(S67), (S94), (S119): four chances are a half of 1 / max(root, 1), not a quarter."""
    root = sqrt(cap * n) * epsilon
    chance = exp(-cap * dame_half_width(size_cap=cap, n=n, epsilon=epsilon) ** 2 / 2)
    assert 4 * chance == pytest.approx(0.5 / max(root, 1), rel=1e-9)
    assert 1 - 4 * chance >= 0.5 - 1e-12
    # with a deviation of 2 tau: the repair of (S67), and the ends of (S94)
    assert 4 * chance**4 == pytest.approx(2**-10 / max(root, 1) ** 4, rel=1e-8, abs=0)
    assert 4 * chance**4 <= 1 / 4 / max(root, 1)


def test_a_neighbour_may_win_where_the_true_bin_does_not():
    """(S69): all totals up to 2 of six bins; where the true one beats each far one, none of these wins."""
    good, beats = set(), set()
    for true, totals in product(range(6), product(range(3), repeat=6)):
        far = [total for j, total in enumerate(totals) if abs(j - true) > 2]
        good |= {(true, totals)} if abs(totals.index(max(totals)) - true) <= 2 else set()
        beats |= {(true, totals)} if all(totals[true] > total for total in far) else set()
    assert beats < good


def test_hoeffding_holds_for_differences_of_votes():
    """(S70): its exponent is n/4 times the squared gap, for the n/2 voters; their exact tail needs it."""
    for half, gap in product((1, 5, 12), (F(1, 10), HALF)):
        assert 2 * (half * gap) ** 2 / (half * 2**2) == F(2 * half, 4) * gap**2
    half, gap = 10**6, 0.02  # differences of 1 and -1: hardly less than the exponent
    behind = binom.logcdf(half / 2, half, (1 + gap) / 2)
    assert -1.03 * half * gap**2 / 2 < behind <= -half * gap**2 / 2


def test_f_is_576_at_zero_in_each_form():
    """(S74) to (S78): the forms differ by terms of second order; their values near 0 are exact."""
    for x in (F(1), F(2), F(3)):  # a quadratic polynomial
        assert HALF - (1 + x / 6) / 2 * (1 - x / 12) == -x / 24 + x**2 / 144
    x = F(1, 10**9)
    differences = [
        HALF - (1 + x / 6) / (2 + x / 6),
        HALF - (1 + x / 6) / 2 * (1 - x / 12),
        HALF - (HALF + x / 24),
    ]
    assert [abs(x**2 / d**2 - 576) < F(1, 10**5) for d in differences] == [True] * 3
    with mpmath.workdps(40):
        assert abs(4 * mpmath.mpf(1e-9) ** 2 / mpmath.tanh(mpmath.mpf(1e-9) / 12) ** 2 - 576) < 1e-9


def test_derivative_of_the_logarithm_of_f():
    """(S80) to (S83) are one rational function of e = exp(x/6), half of what the derivative has."""
    for e in (F(k) for k in range(2, 12)):  # more points than its degree
        slope = e / 6 / (1 + e) ** 2
        printed = 1 / (HALF - e / (1 + e)) * slope
        assert printed == 2 * (1 + e) / (1 - e) * slope == 2 / (1 - e) * (e / 6) / (1 + e)
        assert printed == e / 3 / (1 - e**2)
        assert 2 * printed == -1 / (3 * (e - 1 / e) / 2)  # -1 / (3 sinh(x/6))
    with mpmath.workdps(30):
        for x in (0.2, 0.7, 1.0):
            derivative = mpmath.diff(lambda t: mpmath.log(4 * t**2 / mpmath.tanh(t / 12) ** 2), x)
            assert mpmath.almosteq(derivative, 2 / mpmath.mpf(x) - 1 / (3 * mpmath.sinh(x / 6)), 1e-12)
        y = mpmath.taylor(lambda t: 3 * mpmath.sinh(t / 6) - t / 2, 0, 9)  # (S87)
        assert abs(y[1]) < 1e-20 and y[3] > 0 and min(y) > -1e-20


def test_printed_bounds_are_above_the_derivative():
    """(S84) to (S86), attained at an end; x g'(x) = 2 - 2y/sinh(y), y = x/6, is largest at x = 1."""
    for x in (1e-4, 0.3, 1.0):
        e, step = exp(x / 6), exp(1 / 6) / 3 / np.expm1(x / 3)
        assert e / 3 / (e**2 - 1) <= step * (1 + 1e-9) and step <= exp(1 / 6) / x * (1 + 1e-9)
        assert 2 / x - exp(1 / 6) / 3 / (x / 3) == pytest.approx((2 - exp(1 / 6)) / x)
        assert x < 1 or step == pytest.approx(e / 3 / (e**2 - 1))
        assert x > 1e-4 or step == pytest.approx(exp(1 / 6) / x, rel=1e-4)
    y = iv.mpf(1) / 6
    largest = 2 - 2 * y / ((iv.exp(y) - iv.exp(-y)) / 2)
    assert largest.b < (2 - iv.exp(y)).a


# --- What is cut, and what varies: Lemmas S7 and S11, the sum ---


def test_the_upper_end_is_high_enough_on_the_good_event():
    """(S104): 16 signs of mean 0 and bins of half-width 1/16, every bin."""
    tau, theta = F(1, 16), F(0)
    law, true = {F(k, 8) - 1: F(comb(16, k), 2**16) for k in range(17)}, 8
    above = {
        j: sum(p for x, p in law.items() if x > min(-1 + 2 * (j + 1) * tau + 6 * tau, F(1)))
        for j in range(16)
    }
    outside = sum(p for x, p in law.items() if x > theta + tau)
    for j, cut in above.items():
        assert abs(j - true) > 2 or cut <= outside  # what (S104) is for
    assert above[0] > outside  # (S104) off it


def test_a_standard_laplace_variable_has_variance_2():
    """(S137), (S140), (S141): the slack of the projected means does not pay for it up to a budget of 1."""
    assert mpmath.almosteq(mpmath.quad(lambda x: x**2 * mpmath.exp(-x), [0, mpmath.inf]), 2)
    assert sum(F(end - 9) ** 2 / 2 for end in (2, 16)) == F(14) ** 2 / 4
    for x in (1, 3):  # 1 / epsilon^2; both sides are linear in it, and the difference grows
        assert F(1, 4) + 2 * x > 1 + x
        assert 2 * x - (1 + x) == x - 1 >= 0


def test_constants_of_theorem_2_add_up():
    """(S135), (S143) to (S147) and the displays behind (S145)."""
    assert F(4, 8) + 2 * F(2, 8) == 1  # Lemmas S7 and S8, in chances of an eighth
    assert F(579) * 3 / 2 == F(PRINTED.c5)
    noise = 1568
    for root, cap, log_8, strength in product((F(2), F(3)), (F(5), F(16)), (F(7, 3), F(4)), (F(9), F(30))):
        tau = 2 * log_8 / cap  # squared, by (4)
        half = cap / root**2 * 2 * 2 * 14**2 * tau / strength  # (S143): n/2 reports, (S137) for each
        assert half == noise * log_8 / (root**2 * strength)  # (S144)
        assert cap / root**2 / (cap * strength) == 1 / (root**2 * strength)  # (S142)
        assert 4**2 / tau == 4**2 * cap / (2 * log_8)  # (S145), squared
    assert noise + 2 == PRINTED.c3  # (S146)
    assert (1 / iv.log(8)).b < 1
    for cap, strength, least in ((2, 1e4, 0.45), (10**4, 1.0, 0.45), (10**5, 1e200, 0.49)):  # behind (S145)
        x = 8 * cap * strength
        failing = exp(-strength * dame_phi(cap, n=4 * strength, epsilon=0.5) / 579)
        assert failing == pytest.approx((log(x) / x) ** 1.5, rel=1e-9, abs=0)
        assert failing <= log(x) ** 1.5 / (8 * cap**1.5 * strength)
        votes = 4 * sqrt(cap / (2 * log(8 * sqrt(cap * strength))))
        cost = votes * log(x) ** 1.5 / (8 * cap**1.5 * strength)
        assert least < cost / (log(x) / (cap * strength)) <= 0.5
    assert (noise + 196 * (iv.mpf(22) / 35) ** 2 + 1 / iv.log(8)).b < CORRECTED.c3
    assert constant_size(7).mean_root(1) == 1  # (S147)


def test_the_printed_bias_is_too_weak_for_the_next_line():
    """(S135), (S136), (S142): with E inside of the root the bias outgrows the term of (S144)."""
    cap, strength = 10**5, 10**5 * (22 / 35) ** 2
    mean = constant_size(cap).mean_root(cap)
    allowed = log(8 * sqrt(cap * strength)) / (strength * mean**2)
    assert 1 / (mean**2 * strength) <= allowed < 1 / (mean * strength)
    bias = sqrt(cap) / mean / sqrt(cap * strength)
    assert bias == pytest.approx(1 / (mean * sqrt(strength)), rel=1e-12)
    assert bias < 1 / sqrt(mean * strength) / 10


@pytest.mark.parametrize("shares", [{1: 0.5, 3: 0.3, 50: 0.2}, {2: 1.0}, {1: 0.1, 10**4: 0.9}])
@pytest.mark.parametrize("delta", [0.001, 0.05, 0.3, 0.5])
def test_the_chain_from_s22_to_s28_for_every_threshold(shares, delta):
    """Each line from the averaged distance to the two squares, for every threshold from 0 on (S30)."""
    divergence = delta * log((1 + delta) / (1 - delta))
    first = sum(p * min(1, sqrt(m / 2 * divergence)) for m, p in shares.items())
    second = sum(p * min(1, sqrt(m / 2 * 3 * delta**2)) for m, p in shares.items())
    assert first <= second
    for a in (0, *shares, 10**5):
        low = {m: p for m, p in shares.items() if m <= a}
        high, inside = 1 - sum(low.values()), sum(p * sqrt(m) for m, p in low.items())
        cut = sum(p * min(1, sqrt(m / 2 * 3 * delta**2)) for m, p in low.items())
        cut += sum(p * min(1, sqrt(m / 2 * 3 * delta**2)) for m, p in shares.items() if m > a)
        above = sum(p * min(1, sqrt(m / 2 * 3 * delta**2)) for m, p in low.items()) + high
        below = sqrt(3 / 2) * delta * inside + high
        squares = 2 * high**2 + 3 * delta**2 * inside**2
        assert cut == pytest.approx(second)
        assert second <= above * (1 + 1e-12)
        assert above <= below * (1 + 1e-12)
        assert squares - below**2 == pytest.approx((sqrt(3 / 2) * delta * inside - high) ** 2)


def test_the_constants_of_the_chain_are_needed():
    """2 for 3 fails at a half, where the divergence is largest; the short root fails at 2/5."""
    assert 2 * 0.25 < 0.5 * log(3) <= 3 * 0.25
    assert sqrt(1 / 2) * 3 * 0.4**2 < 0.4 <= sqrt(1 / 2 * 3 * 0.4**2)
    high, low = 0.3, 0.3  # both parts equal: the square of the sum is all of the bound
    assert (high + low) ** 2 == pytest.approx(2 * high**2 + 2 * low**2)
