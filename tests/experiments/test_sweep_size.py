"""Sweeps of the size of the test set."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.experiments import sweeps
from mtsig_core.experiments.frame import default_sizes, parse_sizes, rate
from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.metrics import make_metric
from mtsig_core.stats.power import plan, power_at, units_needed
from mtsig_core.stats.resampling import draw_subset
from tests.builders.cases import brief
from tests.builders.results import find_pair
from tests.builders.score_tables import rated_systems
from tests.builders.toys import (
    Given,
    bleu,
    bleu_counts,
    compare_given,
    mean,
    segment_scores,
    texts,
    toy,
)


def swept(statistics, rule=bleu, documents=None, higher=True, **settings):
    testset = toy(*statistics.shape[:2], documents)
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), rule, higher)
    return sweep_sizes(testset, metric, **settings)


@pytest.fixture(scope="module")
def counts():
    return bleu_counts(3, [0.12, 0.05, 0.0], 1200)


def test_subsets_of_means_by_hand():
    """Relative ends, shares and signs of one subset, reckoned anew from the segments that it
    has.
    """
    statistics = segment_scores(1, [60, 57], 80)
    found = swept(statistics, mean, sizes=[30], repeats=40, resamples=999, seed=5)
    parts = np.array([statistics[:, draw_subset(80, 30, 5, k), 0] for k in range(40)])
    a, b = found.systems
    assert (a.system, b.system, a.repeats, a.segments) == ("A", "B", 40, 30)
    means = parts.mean(axis=2)
    assert [a.score, b.score] == pytest.approx(means.mean(axis=0), abs=1e-4)
    ends = np.percentile(means[:, 0], [5, 95])
    assert [a.score_low, a.score_high] == pytest.approx(ends, abs=1e-4)
    widths = 2 * 1.96 * parts[:, 0].std(axis=1) / math.sqrt(30) / means[:, 0]
    assert a.width == pytest.approx(np.mean(widths), rel=0.04)
    decided = np.abs(stats.ttest_rel(parts[:, 0], parts[:, 1], axis=1).statistic) > 1.96
    (pair,) = found.pairs
    assert pair.significant.share == pytest.approx(np.mean(decided), abs=0.06)
    assert pair.delta == pytest.approx((means[:, 0] - means[:, 1]).mean(), abs=1e-4)


def test_width_falls_with_the_square_root_of_the_size(counts):
    found = swept(counts[0], sizes=[50, 100, 200, 400, 600], repeats=30)
    for line in found.slopes:
        assert line.slope == pytest.approx(-0.5, abs=0.05)
        assert line.per_doubling == pytest.approx(0.293, abs=0.03)
        rows = [row for row in found.systems if row.system == line.system]
        theirs = stats.linregress(np.log([r.size for r in rows]), np.log([r.width for r in rows]))
        assert [line.slope, line.se] == pytest.approx([theirs.slope, theirs.stderr])


@pytest.mark.parametrize("unit, n", brief(1, [("segment", 1200), ("document", 200)]))
def test_the_whole_set_is_drawn_once_with_the_intervals_of_compare(counts, unit, n):
    statistics, documents = counts
    asked = dict(documents=documents, unit=unit, resamples=2000)
    found = swept(statistics, sizes=[200, 1200], **asked)
    result = compare_given(statistics, ci="percentile", **asked)
    rows = {row.system: row for row in found.systems if row.size == n}
    for system in result.systems:
        row = rows[system.system]
        assert (row.repeats, row.segments) == (1, 1200)
        assert row.score == pytest.approx(system.score)
        width = (system.ci_high - system.ci_low) / system.score
        assert row.width == pytest.approx(width, rel=0.005)
        assert row.high - row.low == pytest.approx(row.width)
    for pair in result.pairs:
        error = (pair.delta, pair.se, pair.se_df, pair.n_units, pair.n_effective)
        assert found.errors[pair.a, pair.b] == pytest.approx(error)


@pytest.mark.statistics
def test_significance_comes_as_often_as_planned(counts):
    found = swept(counts[0], sizes=[100, 200, 400], repeats=300, resamples=256)
    for row in found.pairs:
        assert row.significant.share == pytest.approx(row.expected, abs=4 * math.sqrt(0.25 / 300))
        assert row.wrong.share < 0.03
    beyond = swept(counts[0], sizes=[2400], repeats=50, resamples=256).pairs
    assert (
        all(row.expected == pytest.approx(row.power, abs=0.01) for row in beyond)
        and beyond[0].repeats == 50
    )
    assert all(row.significant.share == pytest.approx(row.power, abs=0.3) for row in beyond)


def test_parts_of_the_set_vary_less_than_fresh_sets(counts):
    """Without replacement the variance of a part is (1 - size / n) times that of a fresh set: the
    whole has none.
    """
    found = swept(counts[0], sizes=[600, 1200], repeats=2, resamples=100)
    for row in found.pairs:
        delta, se, *_ = found.errors[row.a, row.b]
        se *= math.sqrt(1200 / row.size)
        if row.size == 1200:
            assert row.expected == (delta > 1.96 * se)
            assert 0 < row.power < 1
            continue
        spread = se * math.sqrt(1 - row.size / 1200)
        expected = stats.norm.sf(1.96 * se, delta, spread) + stats.norm.cdf(
            -1.96 * se, delta, spread
        )
        assert row.expected == pytest.approx(expected, abs=1e-3)


def test_many_units_are_drawn_in_groups_with_the_same_error(counts, monkeypatch):
    by_one = swept(counts[0], sizes=[600], repeats=20).systems
    monkeypatch.setattr(sweeps, "_GROUPS", 150)
    for one, grouped in zip(by_one, swept(counts[0], sizes=[600], repeats=20).systems, strict=True):
        assert grouped.score == one.score
        assert grouped.width == pytest.approx(one.width, rel=0.06)


@pytest.mark.statistics
def test_wrong_is_the_other_direction():
    statistics = segment_scores(2, [60, 59.5], 400)
    row = swept(statistics, mean, sizes=[10], repeats=400, resamples=256).pairs[0]
    draws = [statistics[:, draw_subset(400, 10, 0, k), 0] for k in range(400)]
    wrong = np.mean([stats.ttest_rel(b, a).statistic > 2.1 for a, b in draws])
    assert (
        row.wrong.share == pytest.approx(wrong, abs=0.05)
        and 0 < row.wrong.count < row.significant.count
    )


@given(jobs=st.sampled_from([1, 2]), sizes=st.permutations([20, 40, 70]))
def test_neither_threads_nor_other_sizes_change_a_row(jobs, sizes):
    statistics = bleu_counts(1, [0.1, 0], 80)[0]
    alone = swept(statistics, sizes=[40], repeats=3, resamples=50)
    among = swept(statistics, sizes=sizes, repeats=3, resamples=50, jobs=jobs)
    assert among.pairs[1] == alone.pairs[0] and among.systems[2:4] == alone.systems


def test_nist_is_counted_anew_on_every_subset():
    reference, (good, bad) = texts(4, [0.2, 0.5], 60)
    documents = [f"d{k // 3}" for k in range(60)]
    testset = TestSet("toy", {"bad": bad, "good": good}, {"ref": reference}, documents=documents)

    def score(segments):
        part, nist = testset.take(segments).only(["good"]), make_metric("nist")
        return float(nist.score(nist.statistics(part).sum(axis=1))[0])

    asked = dict(repeats=3, resamples=50, unit="segment")
    found = sweep_sizes(testset, "nist", sizes=[10, 40], **asked)
    assert found.recounted
    assert list(found.scores) == ["good", "bad"]
    scores = [score(draw_subset(60, 10, 0, k).tolist()) for k in range(3)]
    assert found.systems[0].score == pytest.approx(np.mean(scores), abs=1e-3)
    assert found.systems[0].score < found.systems[2].score
    by_document = sweep_sizes(testset, "nist", sizes=[5], repeats=1, resamples=50, unit="document")
    row = by_document.systems[0]
    segments = np.add.outer(3 * draw_subset(20, 5, 0, 0), range(3)).ravel().tolist()
    assert row.segments == 15
    assert row.score == pytest.approx(score(segments), abs=1e-3)


def test_scores_with_gaps_are_paired_on_common_segments():
    a, b = segment_scores(1, [60, 57], 80)[..., 0].tolist()
    a[:20] = [None] * 20
    testset = rated_systems({"A": a, "B": b})
    found = sweep_sizes(testset, "human", sizes=[80], resamples=500)
    assert found.pairs[0].delta == pytest.approx(np.mean(a[20:]) - np.mean(b[20:]), abs=1e-4)
    assert found.pairs[0].significant.share in (0, 1)
    small = sweep_sizes(testset, "human", sizes=[5], repeats=50, resamples=100)
    assert small.pairs[0].delta is not None


def test_identical_systems_are_never_significant():
    statistics = np.repeat(segment_scores(1, [60], 50), 2, axis=0)
    row = swept(statistics, mean, sizes=[10], repeats=10, resamples=100).pairs[0]
    assert (row.significant.share, row.wrong.share, row.expected, row.delta) == (0, None, 0, 0)


def test_plan_is_what_the_formula_says(counts):
    found = swept(counts[0], sizes=[100], repeats=2, resamples=100)
    for row in plan(found, 0.5, power=0.9):
        se = found.errors[row.a, row.b].se * math.sqrt(1200 / 1199)
        assert row.size.units == units_needed(0.5, se, 1200, power=0.9) == row.size.segments
        assert power_at(
            0.5, se * math.sqrt(1200 / row.size.units), n_effective=row.size.units
        ) == pytest.approx(0.9, abs=0.005)
        assert row.size_for_own.units == units_needed(row.delta, se, 1200, power=0.9)
    for wrong in (0.0, -1.0, math.nan):
        with pytest.raises(
            SettingError, match=f"difference is {wrong:g}. Expected a number of points above 0"
        ):
            plan(found, wrong)
    with pytest.raises(SettingError, match="power is 1"):
        plan(found, 1.0, power=1.0)
    row = plan(found, 1e-300)[0]  # more units than a float holds
    assert (row.size.units, row.size_family.units, row.size.segments, row.size.low) == (
        None,
    ) * 4 and row.size_for_own.units


@pytest.mark.parametrize("unit", ["segment", "document"])
@pytest.mark.parametrize("higher", [True, False])
def test_a_comparison_plans_as_a_sweep_does(counts, unit, higher):
    statistics, documents = counts[0][:, :240], counts[1][:240]
    testset = toy(3, 240, documents)
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), bleu, higher)
    swept = sweep_sizes(testset, metric, sizes=[1.0], resamples=99, unit=unit, alpha=0.1)
    found = compare(testset, ["bleu", metric], unit=unit, alpha=0.1, trials=99)
    assert plan(found, 0.5, metric="given") == plan(swept, 0.5)
    with pytest.raises(SettingError, match="Unknown metric 'givn'. Did you mean 'given'"):
        plan(found, 0.5, metric="givn")


def test_a_comparison_plans_only_what_it_could_test():
    scores = {"A": [1.0, 2.0, None, None], "B": [3.0, 1.0, 2.0, 4.0], "C": [None, None, 3.0, 1.0]}
    rated = rated_systems(scores)
    assert [{row.a, row.b} for row in plan(compare(rated, "human", trials=99), 1.0)] == [
        {"B", "C"},
        {"A", "B"},
    ]
    with pytest.raises(SettingError, match="two systems"):
        plan(compare(rated.only("B"), "human", trials=99), 1.0)


@pytest.mark.parametrize(
    "test, units, of_three",
    [("bootstrap", 6, 7), ("percentile", 6, 7), ("wilcoxon", 6, 7), ("ar", 6, 7), ("t", 2, 2)],
)
def test_no_size_is_below_that_with_which_a_p_can_be_so_small(test, units, of_three):
    """2 / 2^n is at most 0.05 from six units on, and at most a third of that from seven; t takes
    two.
    """
    rated = rated_systems(
        dict(zip("ABC", segment_scores(3, [60, 55, 50], 60)[..., 0], strict=True))
    )
    found = compare(rated, "human", test=test, unit="segment", trials=999, resamples=99)
    assert {
        (row.size.units, row.size.low, row.size_family.units) for row in plan(found, 1000.0)
    } == {(units, units, of_three)}


@pytest.mark.parametrize("unit", ["document", "segment", "block"])
def test_a_comparison_plans_from_what_both_systems_have(unit):
    """So that what is enough here is no more than what is here."""
    scores = np.random.default_rng(4).normal([[1.6], [0.8], [0.0]], 3, (3, 120))
    scores[0, :60] = np.nan
    documents = [k // 3 if k < 60 else k // 6 + 10 for k in range(120)]  # those of A are longer
    rated = rated_systems(dict(zip("ABC", scores, strict=True)), documents)
    length = 6 if unit == "block" else None
    quick = dict(block_length=length, trials=999, resamples=200)
    found = compare(rated, "human", unit=unit, **quick)
    result = found.metrics["human"]
    assert sorted(pair.n for pair in result.pairs) == [60, 60, 120]
    for row in plan(found, 1.0):
        pair = find_pair(result, row.a, row.b)
        here = pair.n_units if unit == "document" else pair.n
        se = row.se * math.sqrt(pair.n_units / (pair.n_units - 1))
        by_swaps = dict(n_effective=pair.n_effective, swaps=unit != "block")
        needed = max(6, units_needed(row.delta, se, here, **by_swaps))
        assert row.size_for_own.units == needed
        assert (row.mdd <= row.delta) == (needed <= here)
        assert row.size.segments == round(row.size.units * pair.n / here)


def test_segments_are_not_told_to_take_segments():
    with pytest.raises(
        SettingError, match="has 1 segment. A sweep of sizes needs at least 10; choose other sizes"
    ):
        default_sizes(1, "segment")
    with pytest.raises(
        SettingError, match="has 9 documents. .* choose the unit segment, other sizes or a"
    ):
        default_sizes(9, "document")


@pytest.mark.parametrize("n", [10, 25, 60, 100, 998, 30_000])
def test_default_sizes(n):
    sizes = default_sizes(n)
    assert sizes[-1] == n and sizes == sorted(set(sizes)) and sizes[0] >= 5 and len(sizes) <= 10


def test_shares_are_sizes():
    statistics = segment_scores(1, [60, 57], 80)
    by_share, by_size = (
        swept(statistics, mean, sizes=sizes, repeats=5, resamples=50)
        for sizes in ([0.25, 1.0, 20], [20, 80])
    )
    assert by_share == by_size and [row.size for row in by_share.pairs] == [20, 80]


@pytest.mark.parametrize("text", ["", "5,", "ten", "1.5", "%", "5 6", "10%%"])
def test_what_is_no_list_of_sizes(text):
    with pytest.raises(SettingError, match="not a list of sizes"):
        parse_sizes(text)


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(unit="block"), "Choose segment or document"),
        (dict(sizes=[]), "sizes is empty"),
        (dict(sizes=[2]), "size is 2"),
        (dict(repeats=0), "repeats is 0"),
        (dict(alpha=0.001, resamples=100), "alpha 0.001 is below"),
        (dict(sizes=[10.5]), "size is 10.5"),
        (dict(sizes=[0.0]), "share of the set"),
        (dict(sizes=[0.05]), "Too few units in 5% of .*: 2"),
        (dict(sizes=[True]), "size is True"),
        (dict(unit="document"), "document ids"),
        (dict(documents=[k // 10 for k in range(50)]), "has 5 documents"),
    ],
)
def test_what_cannot_be_done_is_said(settings, message):
    with pytest.raises(SettingError, match=message):
        swept(segment_scores(1, [60, 57], 50), mean, **settings)


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_size_is_told_as_soon_as_it_is_drawn_and_is_what_it_will_be(counts, jobs):
    parts, asked = {}, dict(sizes=[1200, 50, 10], repeats=3, resamples=50, jobs=jobs)
    told = []

    def record(stage, share):
        if stage != "counting":
            told.append((share, list(parts)))

    found = swept(
        counts[0], **asked, watch=lambda size, one: parts.update({size: one}), progress=record
    )
    assert found == swept(counts[0], **asked | {"jobs": 1}) and list(parts) == [0, 10, 50, 1200]
    assert all(one.errors == found.errors and one.scores == found.scores for one in parts.values())
    assert not parts[0].pairs and not parts[0].systems and parts[0].whole is None
    for rows in ("pairs", "systems"):
        assert sum((getattr(one, rows) for one in parts.values()), ()) == getattr(found, rows)
    for size in (10, 50, 1200):
        assert {row.size for row in parts[size].pairs} == set(parts[size].ends) == {size}
        assert np.array_equal(parts[size].ends[size], found.ends[size])
    assert np.array_equal(parts[1200].whole, found.whole)
    assert [len(before) - 1 for _, before in told] == [0, 0, 0, 1, 1, 1, 2]
    shares = [share for share, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1


def test_shares_of_pairs_have_their_monte_carlo_interval(counts):
    found = swept(counts[0], sizes=[50, 1200], repeats=30)
    for row in found.pairs:
        for share in (row.significant, row.wrong):
            if row.size == 50:
                assert share == rate(share.count, 30)
            else:  # the set itself is taken once
                assert share == replace(rate(share.count, 1), low=None, high=None)
    assert found.whole.shape == (3, 500)
    assert found.widths[50].shape == (30, 3)
    widths = [row.width for row in found.systems[:3]]
    assert widths == pytest.approx(found.widths[50].mean(axis=0).tolist())
