"""The numbers, lengths and places in the drawings that open chapters are those that the package computes."""

import re
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import binom, laplace, norm, poisson
from test_diagrams import SVG, words_of

from userdp.central import (
    TruncatedMean,
    clipped_poisson_mean,
    noise_mass,
    norms,
    objective_range,
    optimal_weights,
    poisson_rate,
    private_variance,
    release_noise,
    sensitivity,
    surrogate_curve,
    window,
)
from userdp.local import Ballot, Bins, chosen_bins, dame_half_width, mixture_half_width, rotation, shrink
from userdp.planning import choose_plan, risk_bound
from userdp.privacy import BinaryResponse, LaplaceReport, PiecewiseReport, TwoPointReport, UnaryEncoding
from userdp.sizes import constant_size, two_point_sizes
from userdp_book.site import diagrams
from userdp_papers.data import batting, player_teams, words_by_part
from userdp_papers.populations import BetaMeans, BetaUsers, SignMixture, WrappedGammas, evaluate
from userdp_papers.theory.exact import (
    debiased_risk,
    expected_error,
    exponential_law,
    localised_risk,
    mean_law,
    miss_probability,
    objective,
    plain_risk,
    shifted_sign_means,
    two_approximate_bound,
    window_half_width,
)
from userdp_papers.theory.rates import dame_lower, dame_noise_risk, dame_size_cap, dame_upper
from userdp_papers.theory.sampled import risks_given_means

EIGHT = np.array([[30, 10], [9, 12], [14, 2], [8, 3], [0, 6], [2, 3], [1, 1], [0, 0]])
BLUE, ORANGE = "#2f7fc4", "#cf6420"


def parts_of(name, tag, colour=None):
    parts = ElementTree.parse(diagrams.DRAWINGS / f"{name}.svg").iter(f"{SVG}{tag}")
    return [part for part in parts if colour in (None, part.get("fill"), part.get("stroke"))]


def paths_of(name, colour, width):
    """The ends of the lines of one colour and width, as x, y, x, y."""
    drawn = [path for path in parts_of(name, "path", colour) if path.get("stroke-width") == width]
    return [[*map(float, re.findall(r"[\d.]+", path.get("d")))] for path in drawn]


def heights_of(name, colour, opacity):
    """The heights of the boxes of one colour and opacity, from the left."""
    boxes = [box for box in parts_of(name, "rect", colour) if box.get("fill-opacity") == opacity]
    return np.array([float(box.get("height")) for box in sorted(boxes, key=lambda box: float(box.get("x")))])


def at(name, kind, attribute):
    return np.array([float(shape.get(attribute)) for shape in parts_of(name, kind)])


def test_the_sure_user_and_the_unsure_report_are_right_as_often_as_drawn():
    keep = BinaryResponse(1.0).keep
    user = binom.sf([0, 5, 50], [1, 11, 101], 0.65)  # the majority of signs of mean 0.3
    report = user * keep + (1 - user) * (1 - keep)
    said = [words for words in words_of("sure-user-unsure-report") if words[-1] == "%"]
    exact = [*np.stack([user, report], axis=1).ravel(), keep]
    numbers = [float(words[:-1]) for words in said if words not in ("50%", "100%")]
    assert numbers == [round(100 * p, 1 if p > 0.99 else 0) for p in exact]
    heights = [float(bar.get("height")) for bar in parts_of("sure-user-unsure-report", "rect")][:6]
    assert np.allclose(heights, 292 * (np.array(exact[:6]) - 0.5), atol=0.01)  # 146 units for a half


def test_two_reports_are_both_wrong_as_often_as_the_square_says():
    keep, name = BinaryResponse(1.0).keep, "both-reports-wrong"
    shares = [keep**2, keep * (1 - keep), keep * (1 - keep), (1 - keep) ** 2]
    sides = [[float(part.get(side)) for side in ("width", "height")] for part in parts_of(name, "rect")]
    assert np.allclose(np.prod(sides, axis=1) / 174**2, shares, atol=1e-3)
    said = [words for words in words_of(name) if words[-1] == "%"]
    assert said == [f"{100 * share:.0f}%" for share in shares]
    assert {f"right in {100 * keep:.0f}%.", f"wrong in {100 * shares[-1]:.0f}%."} < {*words_of(name)}


def test_of_more_answers_a_wrong_one_wins_as_often_as_said():
    name, rng = "more-answers-wrong-winner", np.random.default_rng(3)
    votes = [
        UnaryEncoding(count, 1, 1.0).privatise(np.full((20, 1), right), rng).sum(axis=0)
        for count, right in ((4, 2), (40, 25))
    ]
    heights = [float(bar.get("height")) for bar in parts_of(name, "rect")]
    assert np.allclose(heights, 4.4 * np.concatenate(votes))
    assert votes[0].argmax() == 2 and votes[1].argmax() != 25
    for count in (4, 40):
        miss = miss_probability(20, count, epsilon=1.0)
        assert f"wrong winner or tie: {100 * miss:.0f}%" in words_of(name)


def test_the_users_needed_grow_like_the_logarithm_of_the_means():
    name, means = "means-to-tell-apart", [4, 4**2, 4**3, 3 * 4]
    assert [int(words[:-6]) for words in words_of(name) if re.fullmatch(r"\d+ means", words)] == means
    bars = [float(bar.get("width")) for bar in parts_of(name, "rect", "#8a929a")]
    assert np.allclose(bars, 26 * np.log(means) / np.log(4), atol=0.01)


def test_the_waves_are_those_of_a_density_of_smoothness_one():
    paths = [part for part in parts_of("waves-of-a-density", "path") if part.get("stroke-width") == "2"][1:]
    heights = [np.array(re.findall(r" ([\d.]+)", part.get("d")), float) for part in paths]
    waves = np.array([np.ptp(height) for height in heights]) / 2 / 70 / 0.62  # 70 units for a density of 1
    weights = 2 * np.arange(1, 5)  # of the repaired class
    assert np.sum((weights * waves) ** 2 / 2) <= 1 and waves.sum() < 1  # of radius 1, and positive


def test_the_total_noise_of_one_coordinate_each_is_the_square():
    users, d, name = 8, 4, "one-coordinate-each"
    single = LaplaceReport(-1, 1, 1.0).scale ** 2 / users
    every = d * LaplaceReport(-1, 1, 1.0 / d).scale ** 2 / users / single
    split = d * LaplaceReport(-1, 1, 1.0).scale ** 2 / (users / d) / single
    assert {f"total noise: 4³ = {every:.0f}", f"total noise: 4² = {split:.0f}"} < {*words_of(name)}
    lengths = [float(bar.get("width")) for bar in parts_of(name, "rect") if bar.get("height") == "12"]
    assert np.isclose(lengths[0] / lengths[1], every / split)


def test_the_rotation_makes_the_coordinates_that_are_drawn():
    flat, plane = (np.abs(rotation(d, np.random.default_rng(1))[:, 0]) for d in (16, 2))
    said = words_of("turn-spreads-length")
    assert np.allclose(flat, 1 / 4) and "all 16 are 1/4 or −1/4" in said
    assert said.count(f"{plane[0]:.2f}") == said.count(f"{plane[1]:.2f}") == 2
    bars = [float(bar.get("height")) for bar in parts_of("turn-spreads-length", "rect")]
    assert np.allclose(bars[3:], bars[1] * flat) and len(bars) == 19


def test_the_rare_leaks_are_as_probable_as_said():
    nobody, somebody = 0.999**100, 1 - 0.95**100
    said = {f"nobody leaks: {100 * nobody:.0f}%", f"somebody leaks: {100 * somebody:.0f}%"}
    assert said < {*words_of("rare-leak")}
    assert len(parts_of("rare-leak", "circle", "#cf6420")) == 100 / 20


def test_the_sums_of_signs_give_one_to_the_nonzero_coordinates_and_zero_to_the_others():
    signs = np.array([1 if one.get("fill") else -1 for one in parts_of("signed-sums", "circle")]).reshape(
        8, 7
    )
    sent = signs[:, [1, 4]].sum(axis=1)
    said = [words.replace("−", "-") for words in words_of("signed-sums")]
    assert [*map(str, sent)] == [words for words in said if words.lstrip("-").isdigit()]
    assert np.array_equal(sent @ signs / 8, [0, 1, 0, 0, 1, 0, 0])


def test_the_waves_are_those_of_the_wrapped_laplace_density_and_miss_its_peak():
    law, points = WrappedGammas(shape=1, scale=0.1, centre=0.35), np.linspace(0, 1, 121)
    curves = [evaluate(law.coefficients(terms), points) for terms in (2001, 5)]
    paths = [one.get("d") for one in parts_of("wave-each", "path")]
    for curve in curves:
        places = np.transpose([252 + 140 * points, 190 - 28 * curve])
        drawn = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in places)
        pairs = [re.findall(r"-?[\d.]+", path) for path in (drawn, *paths)]
        assert any(
            len(other) == len(pairs[0]) and np.allclose(np.float64(other), np.float64(pairs[0]), atol=0.01)
            for other in pairs[1:]
        )
    assert curves[0].max() > 1.5 * curves[1].max()


def test_times_the_signs_of_its_group_one_group_adds_up_and_the_other_cancels():
    bars = parts_of("hidden-by-signs", "rect")[-10:]
    heights = {"#2f7fc4": [], "#cf6420": []}
    for bar in bars:
        height, up = float(bar.get("height")), float(bar.get("y")) < 222
        heights[bar.get("fill")].append(height if up else -height)
    blue, orange = heights.values()
    assert len(blue) == 6 and min(blue) > 0 and len(orange) == 4 and abs(sum(orange)) < 1e-9


def test_nine_records_average_to_a_third_of_the_noise():
    bars = [one for one in parts_of("same-noise", "path") if one.get("stroke-width") == "5"]
    ends = np.array([np.float64(re.findall(r"[\d.]+", one.get("d")))[::2] for one in bars])
    wide, report, average, one_report = np.split(ends, [9, 10, 11])
    assert np.allclose(np.diff(wide), 120, atol=0.02) and np.allclose(wide.mean(), average.mean())
    assert all(
        np.allclose(np.diff(part), 120 / np.sqrt(9), atol=0.02) for part in (report, average, one_report)
    )


def test_eight_coins_have_an_eighth_of_a_report_each():
    heights = [float(bar.get("height")) for bar in parts_of("shared-report", "rect")]
    assert heights == [heights[0], *8 * [heights[0] / 8]]


def test_the_error_of_hidden_coins_is_the_square_of_their_number():
    said = words_of("coins-squared")
    assert {f"error {d * d}" for d in (1, 2, 4)} | {"1 coin", "2 coins", "4 coins"} < {*said}
    assert len(parts_of("coins-squared", "rect")) == 1 + 4 + 16


def test_heads_of_fair_coins_are_too_many_and_of_rare_ones_are_not():
    coins = np.reshape([bool(one.get("fill")) for one in parts_of("rare-heads", "circle")], (2, 24))
    said = words_of("rare-heads")
    assert [*coins.sum(axis=1)] == [12, 3] and {"12 heads: too many", "3 heads: allowed"} < {*said}
    assert binom.sf(6, 24, 1 / 8) < 0.05 < 0.95 < binom.sf(6, 24, 1 / 2)


def test_one_run_in_so_many_fails_and_makes_most_of_the_risk():
    n, m, rng = 500, 10**4, np.random.default_rng(3)
    shifts = 0.6 * (np.arange(1000) + rng.random(1000)) / 1000 - 0.3
    means = (1 + BetaMeans(1.0, m).draw((1000, n), rng)) / 2 + shifts[:, None]
    width = 0.5 * np.sqrt(np.log(n * m) / m)
    users = means[:, : n // 2], means[:, n // 2 :], shifts + 0.5
    risk, missed = risks_given_means(*users, widths=[width], epsilons=[1.0])[0, :, 0, ::2].mean(axis=0)
    plain = 144 * width**2 / n + 1 / (6 * n * m)
    assert words_of("one-failure")[0].startswith("2,324 runs") and 1 / missed == pytest.approx(2324, rel=0.15)
    others, failed = (float(bar.get("width")) for bar in parts_of("one-failure", "rect"))
    assert risk / plain - 1 == pytest.approx(failed / others, rel=0.15)


def test_the_first_four_over_the_line_are_four_signals_or_one():
    bars = parts_of("first-by-index", "rect")
    kept = [[bar.get("stroke") for bar in row if bar.get("fill")] for row in (bars[:16], bars[16:])]
    blue, orange = "#2f7fc4", "#cf6420"
    assert kept == [[blue] * 4, [orange] * 3 + [blue]]
    assert {"4 of 4 found", "1 of 4 found"} < {*words_of("first-by-index")}
    heights = [[float(bar.get("height")) for bar in row] for row in (bars[:16], bars[16:])]
    assert heights[0] == heights[1][::-1] and sum(height > 30 for height in heights[0]) == 7


def test_with_more_bins_an_empty_one_is_among_the_chosen():
    population = SignMixture(thetas=(-0.75, -0.25, 0.25, 0.75), weights=(0.25,) * 4)
    bars, colours = parts_of("more-bins", "rect"), []
    for size, count, seed in ((100, 12, 0), (2000, 45, 0)):
        rng = np.random.default_rng(seed)
        ballot = Ballot(Bins(mixture_half_width(n=1000, size=size, epsilon=2.0, constant=0.25)), 0, 2.0)
        votes = ballot.count(population.draw_means(size, 1000, rng)[:333], rng)
        row, bars = bars[:count], bars[count:]
        assert ballot.bins.count == count and f"{size:,} records: {count} bins" in words_of("more-bins")
        drawn = [float(bar.get("height")) for bar in row]
        assert np.allclose(drawn, votes * 60 / 126, rtol=0, atol=0.01)
        chosen = ballot.bins.centre(chosen_bins(votes, 4))
        assert sum(bar.get("fill") != "#8a929a" for bar in row) == 4
        far = np.abs(chosen[:, None] - population.thetas).min(axis=1) > 5 * ballot.bins.half_width
        colours.append(sum(bar.get("fill") == "#cf6420" for bar in row))
        assert far.sum() == colours[-1]
    assert colours == [0, 1]


def test_the_smallest_of_many_averages_is_below_the_risk():
    dots = [(float(one.get("cy")), one.get("fill")) for one in parts_of("lucky-minimum", "circle")]
    (line,) = (
        float(one.get("d").split()[1].split("L")[0])
        for one in parts_of("lucky-minimum", "path")
        if one.get("stroke-dasharray")
    )
    assert len(dots) == 60 and max(dots)[1] == "#cf6420" and max(dots)[0] > line + 30
    assert abs(np.mean([height for height, _ in dots]) - line) < 5


def test_the_intervals_of_dame_and_of_our_rounds_are_as_long_as_drawn():
    n, epsilon, sizes = 10**4, 22 / 35, two_point_sizes(10**5, 10**6, 4 / 9)
    plan = choose_plan(n=n, epsilon=epsilon, size_law=sizes)
    dame = 14 * dame_half_width(size_cap=10**5, n=n, epsilon=epsilon)
    lengths = [dame, *(2 * one.scale(10**5) for one in plan.rounds)]
    assert [f"{length:.2g}" for length in lengths] == ["0.22", "0.045", "0.018"]
    assert {"0.22", "0.045", "0.018"} < {*words_of("shrinking-intervals")}
    assert 11.5 < lengths[0] / lengths[-1] < 12.5
    noise = dame_noise_risk(sizes, n=n, epsilon=epsilon, size_cap=10**5)
    assert risk_bound(plan, size_law=sizes, epsilon=epsilon).risk < noise / 100
    drawn = at("shrinking-intervals", "rect", "width")
    np.testing.assert_allclose(drawn / drawn[0], np.array(lengths) / lengths[0], rtol=0.01)


def test_the_risks_at_three_widths_are_exact():
    law, said = shifted_sign_means(0.123, 1000), words_of("risk-by-width")
    votes = ((0.02, "1 vote in 9 fails"), (0.06, "1 in 12,000"), (0.2, "1 in 800,000"))
    for place, (width, fails) in enumerate(votes):
        risk, missed = localised_risk(law, n=100, epsilon=2.0, half_width=width)
        assert f"risk {risk:.2g}" in said and fails in said
        assert float(fails.split()[-2 if "vote" in fails else -1].replace(",", "")) == pytest.approx(
            1 / missed, rel=0.05
        )
        noise = 2 * (6 * width / 2.0) ** 2 / 50
        assert (risk > 100 * noise) if width == 0.02 else (risk < 1.05 * noise)
        bar = heights_of("risk-by-width", "#8a929a", "0.35")[place]
        failed = heights_of("risk-by-width", ORANGE, "0.35")[0] if place == 0 else 0
        assert (bar + failed) / risk == pytest.approx(2222, rel=0.04)


def test_the_cap_of_the_five_users_is_the_theorems_at_a_budget_of_1():
    sizes, said = np.array([1, 2, 2, 5, 90]), words_of("totals-cut")
    cap = np.sort(sizes)[-2]  # the 2/eps-th largest
    assert cap == 5 and {*map(str, sizes)} <= {*said} and "cap 5" in said
    assert f"with the cap it hides {cap}, {sizes.max() / cap:.0f} times less" in said
    assert f"{np.maximum(sizes - cap, 0).sum()} taken to be in the middle" in said
    expected = [*np.minimum(sizes, cap), sizes.max() - cap]
    assert np.allclose(at("totals-cut", "rect", "width") / 4, expected)


def test_the_three_reports_of_a_number_are_drawn_as_they_fall():
    window = [part.get("d") for part in parts_of("three-reports", "path") if part.get("d").endswith("Z")][1]
    corners = [[*map(float, pair.split())] for pair in re.findall(r"[\d.]+ [\d.]+", window)]
    places = [(x - 200) / 62 for x, _ in corners]
    drawn = PiecewiseReport(-1.0, 1.0, 3.0).privatise(np.full(20_000, 0.4), np.random.default_rng(1))
    assert min(drawn) == pytest.approx(places[0], abs=0.02) and max(drawn) == pytest.approx(
        places[-1], abs=0.02
    )
    inside = np.mean((places[2] < drawn) & (drawn < places[4]))
    heights = [202 - y for _, y in corners]
    assert inside == pytest.approx((places[4] - places[2]) * heights[3] / 30, abs=0.02)
    two = TwoPointReport(-1.0, 1.0, 3.0)
    bars = [
        [float(bar.get(key)) for key in ("x", "width", "height")] for bar in parts_of("three-reports", "rect")
    ]
    assert [(x + width / 2 - 200) / 62 for x, width, _ in bars] == pytest.approx(
        [-two.magnitude, two.magnitude], abs=0.01
    )
    assert bars[1][2] / (bars[0][2] + bars[1][2]) == pytest.approx((1 + 0.4 / two.magnitude) / 2, abs=0.01)
    worst = {
        budget: [
            kind(-1.0, 1.0, budget).variance(x)
            for kind, x in ((TwoPointReport, 0.0), (LaplaceReport, 1.0), (PiecewiseReport, 1.0))
        ]
        for budget in (0.1, 0.5, 2.0, 8.0)
    }
    best = [int(np.argmin(three)) for three in worst.values()]
    assert best == [0, 0, 2, 2] and words_of("three-reports")[3:8:2] == [
        "small budgets",
        "no budget",
        "large budgets",
    ]


def test_two_of_the_five_users_say_yes_at_the_right_threshold():
    said = words_of("right-threshold")
    means = [float(words) for words in said if words.startswith("0.")]
    (threshold,) = [float(words.split()[1]) for words in said if words.startswith("threshold 0")]
    assert sorted(means) == [0.28, 0.29, 0.30, 0.31, 0.32]
    line, enlarged = at("right-threshold", "circle", "cx").reshape(2, 5)
    (cut,) = (x for x, *_ in paths_of("right-threshold", BLUE, "1.5"))
    assert np.allclose((line - 30) / 1000, sorted(means)) and np.allclose(
        np.interp(threshold, sorted(means), enlarged), cut
    )
    assert [words for words in said if words in ("yes", "no")] == [
        "yes" if mean > threshold else "no" for mean in means
    ]


def test_the_window_with_most_means_and_its_interval():
    five = np.array([0.28, 0.30, 0.31, 0.33, 0.90])
    counts = [np.sum(abs(five - centre) <= 0.1) for centre in (-0.5, 0.3, 0.9)]
    assert words_of("window-first")[1:4] == [*map(str, counts)]
    widths = [float(box.get("width")) for box in parts_of("window-first", "rect")]
    assert widths == [36, 36, 36, 72] and 5 * widths[-1] == 360  # the domain is 360 long


def test_the_floors_of_five_users_are_exact():
    said, odds = words_of("two-floors"), 3
    local = binom.sf(2, 5, 1 / (1 + odds))
    central = Fraction(1, odds**2) / (1 + odds)  # n = 5: e^{-2 eps} / (1 + e^eps)
    assert f"wrong: 1 in {1 / local:.0f}" in said and f"wrong: 1 in {1 / central}" in said
    bars = np.array([float(bar.get("height")) for bar in parts_of("two-floors", "rect")][5:]) / 110
    assert bars == pytest.approx([1 / 36, 1 / 12, 1 / 4, 3 / 4, 11 / 12, 35 / 36], abs=1e-3)
    lies = said.index("local: each may lie")
    assert said[lies + 2 : lies + 11 : 2].count("no") == 3 and "majority: no" in said


def test_only_a_prior_of_coins_has_too_many_nonzero_entries():
    rows = {}
    for box in parts_of("coins-or-sets", "rect"):
        rows.setdefault(float(box.get("y")), []).append(box.get("fill") is not None)
    assert [sum(row) for row in rows.values()] == [2, 5, 1, 3, 4]
    assert all(len(row) == 24 for row in rows.values())
    assert not np.any(np.array(rows[136.0]) & ~np.array(rows[160.0]))
    assert binom.sf(4, 24, 4 / 48) > 0.01  # more than 4 heads, each with probability s / (2 d)


def test_every_open_question_has_its_square(root):
    table = (root / "book/open-questions.md").read_text("utf8")
    kinds = ("holds", "holds-after-correction", "context")
    counts = [table.count("{.verdict .verdict-" + kind + "}") for kind in kinds]
    said = words_of("open-and-answered")
    names = "answered", "in part", "open"
    assert [f"{count} {words}" for count, words in zip(counts, names, strict=True)] == said[-3:]
    assert len(parts_of("open-and-answered", "rect")) == sum(counts) + 3
    asked, paper = {}, None
    for cell, kind in re.findall(r"^\| ?([^|]*?) ?\|.*?\{\.verdict \.verdict-([\w-]+)\}", table, re.M):
        paper = re.split(", | after ", cell)[0] or paper
        asked.setdefault(paper, [0, 0, 0])[kinds.index(kind)] += 1
    rows = {}
    for box in parts_of("open-and-answered", "rect"):
        colours = (box.get("fill"), box.get("stroke"))
        kind = {(BLUE, BLUE): 0, (None, BLUE): 1, (None, "#8a929a"): 2}[colours]
        rows.setdefault(float(box.get("y")), [0, 0, 0])[kind] += 1
    assert [*rows.values()] == [*asked.values(), [1, 1, 1]]


def test_a_replaced_user_moves_the_counts_as_far_as_is_drawn():
    assert sensitivity(1, "replace", 2) * 4 == 4 + 4 and sensitivity(1, "add-remove", 2) * 4 == 4
    assert {"the counts move by 4", "the counts move by 4 + 4"} < {*words_of("removed-or-replaced")}
    straight = f"or {6 * sensitivity(2, 'replace', 2):.1f} (Gaussian noise)."
    assert 6 * sensitivity(1, "replace", 2) == 12 and straight in words_of("twice-the-way")


def test_the_bound_of_the_eight_users_of_liu_is_the_fourth_largest_size():
    sizes = np.sort(EIGHT.sum(axis=1))[::-1]
    said = words_of("fourth-largest")
    assert two_approximate_bound(EIGHT, epsilon=0.5, printed=True) == sizes[3] == 11 and "bound 11:" in said
    assert [*map(str, sizes)] == said[: sizes.size]
    kept, cut = np.minimum(sizes, 11), sizes[:3] - 11
    whole = heights_of("fourth-largest", BLUE, "0.3")
    assert np.allclose(whole, 3.6 * kept[kept > 0]) and np.allclose(
        heights_of("fourth-largest", ORANGE, "0.08"), 3.6 * cut
    )


def test_what_a_user_loses_falls_by_one_record_for_each_unit_of_the_bound():
    lines = [part.get("d") for part in parts_of("same-slope", "path") if part.get("stroke-width") == "3"]
    ends = [[*map(float, re.findall(r"[\d.]+", line))][:4] for line in lines]
    start, y = at("same-slope", "circle", "cx")[0], 170
    for (left, top, right, foot), size in zip(ends, (16, 8, 4), strict=True):
        assert foot == y and np.allclose([(y - top) / 8.4, (right - left) / 16], size)
        assert str(size) in words_of("same-slope") and left == start


def test_the_exponential_mechanism_loses_to_the_public_limit_what_is_drawn():
    said, areas = words_of("public-limit"), []
    for limit, colour, foot in ((40, BLUE, 156), (120, ORANGE, 216)):
        curve = surrogate_curve(EIGHT, epsilon=1.6, largest=limit)
        values = curve.values(np.linspace(0, limit, 20_001))
        law = np.exp(-4 / limit * (values - values.min()))
        worse = law @ values / law.sum() - values.min()
        assert curve.minimiser() == 16 and f"limit {limit}: {worse:.0f} records worse" in said
        (area,) = (part.get("d") for part in parts_of("public-limit", "path") if part.get("fill") == colour)
        x, y = np.reshape(np.float64(re.findall(r"[\d.]+", area)), (-1, 2))[1:-1].T
        bounds, high = (x - 10) / 3.1, (foot - y) / (foot - y).max()
        assert np.allclose(bounds[[0, -1]], (0, limit), atol=0.02)
        expected = np.exp(-4 / limit * (curve.values(bounds) - values.min()))
        assert np.allclose(high, expected / expected.max(), atol=0.01)
        areas.append(np.trapezoid(foot - y, x))
    assert areas[0] == pytest.approx(areas[1], rel=0.02)


def test_one_of_the_forty_rare_items_is_above_the_threshold():
    noise = release_noise(1, epsilon=1.0, delta=0.05, neighbours="add-remove", printed=True, distinct=40)
    counts = np.random.default_rng(47).laplace(size=40) + (np.arange(40) == 17)
    assert (counts > noise.threshold).sum() == 1 and 0 < counts[17] < noise.threshold and noise.delta > 0.5
    drawn = paths_of("rare-items", "#cf6420", "5")
    assert [round((y - top) / 11.5, 2) for _, y, _, top in drawn] == [round(counts.max(), 2)]


def test_small_counts_are_lost_and_large_ones_have_the_error_of_the_noise():
    counts = np.array([1, 4, 8, 14, 22, 36.0])
    noise = release_noise(3, epsilon=2.0, delta=0.001, neighbours="add-remove")
    error = expected_error(counts, counts, scale=noise.scale, threshold=noise.threshold)
    assert np.allclose(heights_of("lost-or-noisy", "#cf6420", "0.75") / 4.2, error, atol=0.01)
    below = np.minimum(counts, noise.threshold)
    assert np.allclose(heights_of("lost-or-noisy", "#2f7fc4", "0") / 4.2, below, atol=0.01)
    assert (error <= 1.005 * below).all()  # the blue frames bound the error, "within half a per cent"
    assert f"threshold {noise.threshold:.1f}" in words_of("lost-or-noisy") and noise.scale == 1.5
    assert [f"{count:.0f}" for count in counts] == words_of("lost-or-noisy")[:6]
    assert error[-1] == pytest.approx(1.5, abs=0.01)


def test_half_of_the_sensitivity_makes_the_choice_of_liu_sharper():
    held = np.repeat([1, 3, 6, 10, 20, 40], [60, 40, 30, 20, 8, 2])[:, None]
    bounds = np.array([1, 2, 4, 8, 16, 32])
    values, width = objective(held, bounds, epsilon=2.0, delta=1e-4), objective_range(bounds)
    for colour, opacity, part in (("#cf6420", "0.4", 1), ("#2f7fc4", "0.5", 1 / 2)):
        law = exponential_law(-values, sensitivity=width * part, epsilon=0.5)
        assert np.allclose(heights_of("low-curve-likely", colour, opacity) / 130, law, atol=1e-3)


def test_counts_of_mean_2_have_the_clipped_mean_that_is_drawn():
    mean = np.minimum(np.arange(60), 2) @ poisson(2).pmf(np.arange(60))
    assert np.isclose(mean, clipped_poisson_mean(2.0, 2))
    assert f"Clipped at 2, their mean is {mean:.2f};" in words_of("undo-the-clip")
    heights = at("undo-the-clip", "rect", "height").reshape(2, 7)  # of the counts as they are, and clipped
    assert np.allclose(heights / 150, poisson(2).pmf(np.arange(7)), atol=1e-4)
    tips = [part.get("d") for part in parts_of("undo-the-clip", "path") if part.get("d").endswith("Z")][:2]
    places = [(float(re.match(r"M([\d.]+)", tip)[1]) - 24) / 46 for tip in tips]
    assert places == pytest.approx([2, mean], abs=0.01)


def test_the_bars_of_both_estimates_have_their_exact_errors():
    known, rng = dict(bound=2, epsilon=0.5), np.random.default_rng(1)
    for place, users in enumerate((30, 1000)):
        risks = (
            plain_risk([1.0], users=[users], **known),
            debiased_risk([1.0], users=[users], largest_rate=2.0, **known),
        )
        for colour, risk in zip(("#cf6420", "#2f7fc4"), risks, strict=True):
            left, _, right, _ = paths_of("bias-or-spread", colour, "5")[place]
            dot = at("bias-or-spread", "circle", "cx")[2 * place + (colour == BLUE)]
            low, centre, high = (0.6 + (x - 100) * 0.8 / 290 for x in (left, dot, right))
            squared = ((high - low) / 2) ** 2 + ((low + high) / 2 - 1) ** 2  # variance and squared bias
            assert np.isclose(squared, risk, rtol=0.01) and np.isclose(centre, (low + high) / 2, atol=1e-3)
            counts = np.minimum(rng.poisson(1.0, (20_000, users)), 2).mean(axis=1)
            noisy = counts + rng.laplace(scale=2 / 0.5 / users, size=counts.size)
            found = noisy if colour == ORANGE else poisson_rate(noisy, 2, largest_rate=2.0)
            assert centre == pytest.approx(found.mean(), abs=5 * found.std() / np.sqrt(found.size))


def test_the_four_bounds_have_the_errors_of_table_1(root):
    row = re.search(r'\["non-i.i.d.", 100, (.*?)\]', (root / "book/liu/experiments.md").read_text("utf8"))
    best, private, median, quantile = (100 * float(x) for x in row[1].split(","))
    said = words_of("four-bounds")
    assert [f"{median:.0f}%", f"{quantile:.0f}%", f"{private:.1f}%", f"{best + 1e-9:.1f}%"] == said[2::2]
    long = at("four-bounds", "rect", "width").reshape(4, 2)
    assert np.allclose(100 * long[:, 1] / long[:, 0], [median, quantile, private, best], atol=0.06)


def test_the_bars_of_record_or_person_are_the_two_parts_of_the_variance():
    sizes = np.array([1, 3, 10, 30, 100, 1000])
    assert [f"{size:,}" for size in sizes] == [
        word for word in words_of("record-or-person") if word[0].isdigit()
    ]
    between, whole = 0.15**2, BetaUsers(0.3, 0.15**2).variance(sizes)
    (floor,) = {float(bar.get("height")) for bar in parts_of("record-or-person", "rect", BLUE)}
    tops = [float(bar.get("height")) for bar in parts_of("record-or-person", "rect", ORANGE)]
    expected = (whole - between) / between * floor
    assert np.allclose(tops, expected[: len(tops)], atol=0.02) and (expected[len(tops) :] < 1.5).all()


def test_the_lost_vote_is_lost_and_the_fifty_votes_win():
    values = np.random.default_rng(7).normal(0.5, 0.05, 400)
    chosen, scales = {}, np.arange(-27, 0)
    noise = np.random.default_rng([7, 1]).laplace(scale=2, size=27)
    dots = [float(one.get("cy")) for one in parts_of("lost-vote", "circle") if one.get("r") == "2.2"]
    bars = parts_of("lost-vote", "rect")
    for users, foot in ((14, 68), (400, 206)):
        groups = (np.diff(values[: users // 8 * 8].reshape(-1, 2)) ** 2 / 2).reshape(-1, 4).mean(axis=1)
        votes = np.sum((groups > 2.0 ** scales[:, None]) & (groups <= 2.0 ** (scales[:, None] + 1)), axis=1)
        assert votes.sum() == users // 8
        heights = [float(bar.get("height")) for bar in bars if (float(bar.get("y")) < 100) == (foot == 68)]
        assert np.allclose(heights, 3.9 * votes[votes > 0], atol=0.01)
        own = np.array(dots[:27] if foot == 68 else dots[27:])
        assert np.allclose((foot - own) / 3.9, votes + noise, atol=0.01)
        release = private_variance(values[:users], epsilon=1.0, rng=np.random.default_rng([7, 1])).value
        chosen[users] = 0.0025 <= release <= 8 * 0.0025
    assert chosen == {14: False, 400: True}
    said = words_of("lost-vote")
    assert said[0].startswith("14 users: one vote") and f"400 users: {votes.sum()} votes" in said


def test_the_three_cohorts_are_those_of_the_run():
    said = words_of("three-cohorts")
    assert {"100", "820", "80", "1,000 users, by number of records"} < {*said}
    wide = [float(bar.get("width")) for bar in parts_of("three-cohorts", "rect")]
    assert np.allclose(np.divide(wide[:3], sum(wide[:3])), [0.1, 0.82, 0.08])


def test_the_user_who_moves_changes_each_cohort_and_there_are_six_budgets():
    bars = [bar for bar in parts_of("one-user-all-cohorts", "rect")]
    heights = [float(bar.get("height")) for bar in bars if bar.get("width") == "13"]
    before, after = heights[:14], heights[14:]
    assert before == sorted(before) and after == sorted(after) and after[:-1] == before[1:]
    assert words_of("one-user-all-cohorts").count("ε") == 6 and "enough: 6ε" in words_of(
        "one-user-all-cohorts"
    )


def test_the_two_proposals_are_to_scale():
    """In the unit of the page, in which the printed proposal has the narrowest window and ours the widest."""
    n, epsilon, alpha = 10**4, 1.0, 0.03
    upsilon = np.log(1e6) * (1 + np.log(20)) / epsilon
    factor = 8 * (np.sqrt(upsilon + 1) * np.log(n) + np.log(n) / 2 / np.sqrt(upsilon + 1))
    proposals = []
    for spread in (0.0, 0.0025):
        half = alpha + window(np.arange(1, 101), n, mean=0.3 + 0.8 * alpha, variance=spread, beta=0.025)
        weights = TruncatedMean(0.3 + 0.8 * alpha, spread, half).size_weights
        proposals.append(factor * weights[-1] * (half[-1] - alpha) / np.max(weights * half))
    assert f"here {min(proposals):.0f}" in " ".join(words_of("distance-to-bad"))
    (printed,), (ours,) = (parts_of("distance-to-bad", "rect", colour) for colour in (ORANGE, BLUE))
    ratio = float(printed.get("width")) / float(ours.get("width"))
    assert np.isclose(ratio, min(proposals) / 8, rtol=0.01)


def test_the_outputs_that_overlap_are_as_likely_as_said():
    said = " ".join(words_of("outputs-overlap"))
    for scale in (0.2, 1.0):
        at = np.linspace(-3, 4, 701)
        assert f"{np.max(laplace.pdf(at, 0, scale) / laplace.pdf(at, 1, scale)):.3g} times" in said
    assert f"at least {1 / (4 * np.sinh(0.5) ** 2):.2f} at a budget of 1" in said


def test_the_window_of_the_drawing_is_exact():
    values, law = mean_law(BetaUsers(0.3, 0.05**2), 100)
    half = window_half_width(np.abs(values - 0.3), law, -np.expm1(np.log1p(-0.05) / 1000))
    (window,) = parts_of("window-and-tails", "rect", BLUE)
    left, wide = float(window.get("x")), float(window.get("width"))
    ends = (left - 20) / 360, (left + wide - 20) / 360
    assert np.allclose(ends, (0.3 - half, 0.3 + half)) and np.allclose(ends, (0.02, 0.58))


def test_weights_help_where_the_drawing_says():
    levels = (np.arange(2000) + 0.5) / 2000
    lognormal = np.maximum(np.rint(20 * np.exp(norm.ppf(levels))), 1)
    gains = {}
    for name, sizes in {"equal": np.full(2000, 20.0), "unequal": lognormal}.items():
        for deviation in (0.0, 0.15):
            users = BetaUsers(0.3, deviation**2)
            variances, n = np.tile(users.variance(sizes), 50), 50 * sizes.size
            half = window(sizes, n, mean=0.3, variance=deviation**2, beta=0.05)
            widths = np.tile(np.minimum(0.3 + half, 1) - np.maximum(0.3 - half, 0), 50)
            ideal = optimal_weights(variances, widths, epsilon=1.0).variance
            plain = variances.sum() / n**2 + 2 / n**2
            gains[name, deviation] = plain / ideal
    assert gains["unequal", 0.0] > 2 and 1 < gains["unequal", 0.15] < 1.25
    assert max(gains["equal", 0.0], gains["equal", 0.15]) < 1.01
    assert [word for word in words_of("when-weights-help") if word.startswith("weights")] == [
        "weights lose a little",
        "weights gain much",
        "weights lose a little",
        "weights gain or lose little",
    ]


def test_a_report_says_as_little_as_the_bars_say():
    """The total variation of a report is that of the records times tanh(epsilon / 2) at most."""
    keep = BinaryResponse(22 / 35).keep
    assert f"{100 * keep:.0f}%" in words_of("guess-from-a-report")
    sizes = np.array([1, 100, 10**4])
    known = binom.sf(sizes // 2, sizes, 0.55) + 0.5 * (sizes % 2 == 0) * binom.pmf(sizes // 2, sizes, 0.55)
    told = keep * known + (1 - keep) * (1 - known)
    drawn = 0.5 + at("guess-from-a-report", "rect", "width")[:6] / 500
    np.testing.assert_allclose(drawn, np.stack([known, told]).T.ravel(), atol=2e-4)
    assert told[-1] == pytest.approx(keep, abs=1e-6)


def test_the_vote_of_few_users_fails_and_that_of_many_does_not():
    """Thirteen bins; all means lie in the ninth, and an entry has a sixth of the budget."""
    keep, rng = BinaryResponse(22 / 35 / 6).keep, np.random.default_rng(1)
    near = np.abs(np.arange(13) - 8)
    for users, least, most in (200, 0.1, 0.3), (3200, 0.0, 1e-3):
        totals = rng.binomial(users, np.where(near <= 1, keep, 1 - keep), (20_000, 13))
        assert least <= np.mean(near[totals.argmax(axis=1)] > 2) <= most
    assert {words.split()[0] for words in words_of("vote-fails") if "vote" in words} == {"200", "3,200"}


def test_the_average_report_is_shifted_by_what_the_server_undoes():
    law = two_point_sizes(25, 400, 0.4)
    said = words_of("shift-undone")
    assert f"÷ {law.mean_root(400) / 20:g}" in said and shrink(1.0, 25, centre=0.0, size_cap=400) == 0.25
    assert {"× ¼", "(60% of users)", "(40% of users)"} < {*said}


def test_the_sides_of_the_squares_add_up():
    said = [words for words in words_of("sum-of-sides") if "=" in words]
    for words, records in zip(said, ([25] * 4, [81, 9, 9, 1]), strict=True):
        sides = np.sqrt(records)
        assert sum(records) == 100
        assert words == " + ".join(f"{side:g}" for side in sides) + f" = {sides.sum():g}"
    assert at("sum-of-sides", "circle", "r").size == 200


def test_the_printed_bound_crosses_the_floor_for_two_users():
    known = {"n": 2, "epsilon": 22 / 35}
    few, many = constant_size(10**15), constant_size(9 * 10**18)
    assert dame_upper(few, form="printed", **known) > dame_lower(few, **known)
    assert dame_upper(many, form="printed", **known) < dame_lower(many, **known)
    assert dame_upper(many, **known) == 1
    lines = [part.get("d") for part in parts_of("bound-below-the-floor", "path") if not part.get("fill")][:3]
    decades = np.arange(19)
    laws = [constant_size(10 ** int(decade)) for decade in decades]
    bounds = (
        [dame_lower(law, **known) for law in laws],
        [dame_upper(law, form="printed", **known) for law in laws],
        [dame_upper(law, **known) for law in laws],
    )
    for line, bound in zip(lines, bounds, strict=True):  # a decade is 14 units of records, 6.52 of risk
        x, y = np.reshape(np.float64(re.findall(r"[\d.]+", line)), (-1, 2)).T
        drawn = (40 - np.interp(28 + 14 * decades, x, y)) / 6.52
        np.testing.assert_allclose(drawn, np.log10(bound), atol=0.1)


def test_the_released_code_shrinks_by_the_average_weight():
    law = two_point_sizes(10**5, 10**8, 7 / 9)
    cap = dame_size_cap(law, n=10**5, epsilon=22 / 35)
    weight = law.mean_root(cap) / np.sqrt(cap)
    said = {f"{theta * weight:.2g}" for theta in (0.3, 0.7)}
    assert said == {"0.24", "0.55"} and said < {*words_of("wrong-away-from-zero")}
    truth, code = at("wrong-away-from-zero", "circle", "cx").reshape(3, 2).T
    np.testing.assert_allclose(code - code[0], weight * (truth - truth[0]), atol=0.1)
    np.testing.assert_allclose((truth - truth[0]) / (truth[-1] - truth[0]), [0, 3 / 7, 1], atol=1e-3)


def test_the_false_reports_are_subtracted():
    keep, yes, users = Fraction(3, 4), 16, 24
    reported = keep * yes + (1 - keep) * (users - yes)
    assert (reported - (1 - keep) * users) / (2 * keep - 1) == yes
    said = words_of("lies-subtracted")
    assert f"The server computes ({reported} − ¼ × {users}) × 2 = {yes}." in said
    filled = [disc for disc in parts_of("lies-subtracted", "circle") if disc.get("fill")]
    assert [sum(disc.get("cy") == y for disc in filled) for y in ("34", "96")] == [yes, reported]


def test_the_groups_of_batters_have_the_means_of_the_table():
    table = batting()
    order = np.argsort(table.sizes, kind="stable")
    groups = np.array_split(order, 8)
    said, means = words_of("size-tells-the-mean"), np.array([table.rates[group].mean() for group in groups])
    np.testing.assert_allclose(at("size-tells-the-mean", "rect", "height") / 500, means, atol=2e-4)
    for group, mean in zip(groups[::7], means[::7], strict=True):
        assert f"{100 * mean:.0f}%" in said and f"{np.median(table.sizes[group]):,.0f}" in said
    users, records = table.rates.mean(), np.average(table.rates, weights=table.sizes)
    balances = [words for words in words_of("two-balances") if "balance" in words]
    assert balances == [f"balance at {100 * mean:.0f}% hits" for mean in (users, records)]
    held = [table.sizes[group].sum() for group in np.array_split(order, 5)]
    areas = at("two-balances", "circle", "r")[-4:] ** 2
    np.testing.assert_allclose(areas / areas[-1], np.array(held[1:]) / held[-1], rtol=0.1)
    fifths = np.array_split(order, 5)
    alone = [table.rates[group].mean() for group in fifths]
    pooled = [np.average(table.rates[group], weights=table.sizes[group]) for group in fifths]
    props = [
        float(re.match(r"M([\d.]+)", path.get("d"))[1])
        for path in parts_of("two-balances", "path")
        if path.get("d").endswith("Z")
    ]
    places, truth = [*at("two-balances", "circle", "cx"), *props], [*alone, *pooled, users, records]
    slope, start = np.polyfit(truth, places, 1)
    np.testing.assert_allclose(places, start + slope * np.array(truth), atol=0.5)  # one scale for all
    (line,) = [
        float(re.match(r"M\S+ ([\d.]+)", path.get("d"))[1])
        for path in parts_of("size-tells-the-mean", "path")
        if path.get("stroke-dasharray")
    ]
    assert (166 - line) / 500 == pytest.approx(users, abs=2e-4)


def test_the_average_of_half_of_the_users_is_elsewhere():
    x, filled = at("half-of-the-users", "circle", "cx"), 6
    assert x.size == 12 + filled
    gap = next(
        path.get("d") for path in parts_of("half-of-the-users", "path") if path.get("stroke-width") == "5"
    )
    users = [
        float(disc.get("cx")) for disc in parts_of("half-of-the-users", "circle") if disc.get("cy") == "36"
    ]
    half = [
        float(disc.get("cx")) for disc in parts_of("half-of-the-users", "circle") if disc.get("cy") == "114"
    ]
    ends = [float(point.split()[0]) for point in gap[1:].split("L")]
    np.testing.assert_allclose(ends, [np.mean(users), np.mean(half)], atol=0.1)


def test_the_bounds_on_the_two_tables_are_those_of_the_rules():
    said = words_of("one-rule-two-tables")
    for table, items, users in (words_by_part(), 100, 1426), (player_teams(), 149, 20_985):
        counts = table.top(items).counts
        known = {"epsilon": 1.0, "delta": 1 / (2 * users)}
        sizes = np.sort(norms(counts, 2))[::-1]
        quantile = sizes[int(np.ceil(noise_mass(items, **known))) - 1]
        assert counts.shape[0] == users
        left, shown = (2, "397 of 1,426 parts") if users == 1426 else (216, "700 of 20,985 players")
        (curve,) = (
            path.get("d")
            for path in parts_of("one-rule-two-tables", "path", "#8a929a")
            if path.get("d").startswith(f"M{left} 30L")
        )
        x, y = np.reshape(np.float64(re.findall(r"[\d.]+", curve)), (-1, 2)).T
        ranks, star = (x - left) / 182 * (int(shown.split()[0]) - 1), two_approximate_bound(counts, **known)
        held = np.minimum(np.interp(ranks, np.arange(users), sizes), 140 / 60 * star)  # cut at the top
        assert shown in said and np.allclose((170 - y) / 60 * star, held, rtol=0.05)
        assert f"good bound: {two_approximate_bound(counts, **known):,.0f}" in said
        assert f"quantile: {quantile:,.0f}" in said


def test_the_clocks_show_the_hour_the_minute_and_both():
    turns = {}
    for colour, width in ((BLUE, "3.5"), (ORANGE, "2.5")):
        ((x, y, end, height),) = paths_of("hour-and-minute", colour, width)
        turns[colour] = np.degrees(np.arctan2(end - x, y - height)) % 360
    assert turns[ORANGE] == pytest.approx(6 * 20, abs=0.1)
    assert turns[BLUE] == pytest.approx(30 * (10 + 20 / 60), abs=0.1)


def test_one_coin_for_all_bits_names_the_user():
    bits = np.reshape(
        [float(box.get("fill-opacity")) > 0 for box in parts_of("one-coin-for-all-bits", "rect")], (6, 4)
    )
    assert [*bits[:2].sum(axis=1), *bits[3:5].sum(axis=1)] == [1, 1, 1, 1]  # a vote for one bin each
    ann, bob, report = bits[3:]
    assert (report == ~ann).all() and (report != bob).any() and (report != ~bob).any()
    assert (bits[0] == ann).all() and (bits[1] == bob).all()


def test_one_of_twenty_intervals_misses_and_three_of_the_shorter():
    """Laplace noise: a half-width of ln 20 scales has the level 95%, and one of 2 scales is a third less."""
    errors = np.random.default_rng(22).laplace(size=20)
    assert [(np.abs(errors) > half).sum() for half in (np.log(20), 2)] == [1, 3]
    assert 2 / np.log(20) == pytest.approx(2 / 3, abs=2e-3)
    drawn = (112 - at("nineteen-of-twenty", "circle", "cy")) / 10.5
    np.testing.assert_allclose(drawn, np.tile(errors, 2), atol=0.01)
    assert {"1 of 20 misses", "3 of 20 miss"} < {*words_of("nineteen-of-twenty")}


def test_the_scores_of_one_sign_each_are_those_of_the_signs():
    filled = [disc.get("fill") is not None for disc in parts_of("one-sign-each", "circle")]
    signs = np.where(np.reshape(filled, (8, 5)), 1, -1)
    x = at("one-sign-each", "circle", "cx")[:5]
    boxes = [one for one in parts_of("one-sign-each", "rect") if one.get("height") == "14"]
    chosen = [int(np.argmin(abs(x - float(box.get("x")) - 8))) for box in boxes]
    sent = signs[np.arange(8), chosen]
    said = [words for words in words_of("one-sign-each") if words in ("1", "−1")]
    assert said == ["1" if sign > 0 else "−1" for sign in sent]
    assert (signs.T @ sent / 8).tolist() == [0, 0.5, 0, 0.5, 0] and words_of("one-sign-each").count("½") == 2
