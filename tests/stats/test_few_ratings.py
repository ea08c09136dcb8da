"""Ratings of few of the lines: what is said of a system or a pair depends on these lines alone."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core import TestSet, compare
from mtsig_core.experiments.planning import plan
from mtsig_core.stats.arrays import of_known
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.power import degrees_of_freedom
from mtsig_core.testset import SegmentScores

A, B = [57.0, 64.0, 71.0], [51.0, 52.0, 53.0]


def ratings(a, b, documents=None):
    n = max(len(a), len(b))
    scores = {"A": [*a, *[None] * (n - len(a))], "B": [*b, *[None] * (n - len(b))]}
    return TestSet("toy", {name: [None] * n for name in scores}, {}, scores={"human": SegmentScores(scores)},
                   documents=documents)


def more(n):
    """B rated on n lines, the first three as before."""
    return [*B, *np.random.default_rng(1).normal(52, 4, n - 3).tolist()]


def compared(testset, **settings):
    return compare(testset, ["human"], **dict(unit="segment", trials=999, resamples=200) | settings).metrics["human"]


@pytest.mark.parametrize("n", [3, 80, 150])
def test_lines_that_one_lacks_change_neither_its_interval_nor_that_of_the_difference(n):
    result = compared(ratings(A, more(n)))
    assert result.ci == "jackknife-t"
    pair, = result.pairs
    for values, low, high in ((A, *ends_of(result, "A")), (np.subtract(A, B), pair.ci_low, pair.ci_high)):
        ends = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        np.testing.assert_allclose((low, high), ends, rtol=1e-9)
    assert (pair.n, pair.n_units) == (3, 3) and pair.p_value >= pair.p_adjusted - 1e-12 >= 0.25 - 1e-12


def ends_of(result, system):
    row, = (row for row in result.systems if row.system == system)
    return row.ci_low, row.ci_high


def test_documents_without_ratings_are_none():
    rng = np.random.default_rng(4)
    a, b = rng.normal(70, 8, 25).tolist(), rng.normal(68, 8, 300).tolist()
    documents = [str(k // 5) for k in range(300)]
    result = compared(ratings(a, b, documents), unit="document", ci="jackknife-t")
    means = np.subtract(a, b[:25]).reshape(5, 5).mean(axis=1)
    pair, = result.pairs
    np.testing.assert_allclose((pair.ci_low, pair.ci_high),
                               stats.t.interval(0.95, 4, means.mean(), stats.sem(means)), rtol=1e-9)
    np.testing.assert_allclose(ends_of(result, "A"), stats.t.interval(
        0.95, 4, np.mean(a), stats.sem(np.reshape(a, (5, 5)).mean(axis=1))), rtol=1e-9)


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca", "jackknife-t", "t"])
def test_bca_and_others_with_gaps_are_those_of_the_lines_that_are_rated(ci):
    rng = np.random.default_rng(5)
    whole = rng.normal(70, 9, 60).tolist()
    alone, among = compared(ratings(whole, whole), ci=ci), compared(ratings(whole, [*whole, *whole]), ci=ci)
    if ci in ("jackknife-t", "t"):
        np.testing.assert_allclose(ends_of(among, "A"), ends_of(alone, "A"), rtol=1e-9)
    else:  # other draws
        np.testing.assert_allclose(ends_of(among, "A"), ends_of(alone, "A"), atol=1.5)


def test_one_unit_has_no_standard_error():
    one = ratings(A, B, ["d"] * 3)
    pair, = compared(one, unit="document").pairs
    assert (pair.se, pair.se_ratio, pair.ci_low, pair.p_value, pair.mdd) == (None, None, None, 1.0, None)
    pair, = compared(one).pairs
    assert pair.se > 0 and pair.se_ratio is None
    found = examine_pair(one, "human", "A", "B", unit="document", trials=99, resamples=50)
    assert found.se["document"] is None and found.se["segment"] > 0 and found.mdd is None
    row, = plan(compare(one, ["human"], unit="document", trials=99, resamples=50), 2.0)
    assert (row.se, row.units, row.units_for_own, row.decidable) == (None, None, None, False)


def test_an_examined_pair_has_no_p_below_what_its_units_can_give():
    for seed in range(5):
        found = examine_pair(ratings(A, more(80)), "human", "A", "B", unit="segment", trials=199, resamples=50,
                             seed=seed)
        assert found.outcomes[0].test == "ar" and found.outcomes[0].p_value >= 0.25


def test_rows_of_what_is_known():
    rows = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0], [np.nan] * 3])
    np.testing.assert_array_equal(of_known(lambda some: some.sum(axis=1), rows), [4.0, 15.0, np.nan])
    gaps = np.random.default_rng(2).normal(size=(2, 30))
    gaps[0, ::3] = np.nan
    alone = degrees_of_freedom(gaps[:1, ~np.isnan(gaps[0])], 500), degrees_of_freedom(gaps[1:], 500)
    np.testing.assert_allclose(degrees_of_freedom(gaps, 500), np.concatenate(alone))


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e9])
def test_a_difference_that_is_the_same_everywhere_has_no_error_whatever_its_size(scale):
    rng = np.random.default_rng(1)
    scores = scale * rng.normal(3, 1, 60)
    testset = TestSet("set", {name: [None] * 60 for name in "AB"}, {}, scores={"q": SegmentScores(
        {"A": tuple((scores + 0.4 * scale).tolist()), "B": tuple(scores.tolist())})})
    pair, = compare(testset, "q", trials=99, resamples=200).metrics["q"].pairs
    assert (pair.se, pair.mdd) == (0, None) and pair.delta == pytest.approx(0.4 * scale)


def test_differences_are_recommended_only_where_two_systems_share_a_line():
    def advice(first, second):
        found = compare(ratings([*A, *first], [*B, *second]), ["human"], unit="segment", trials=99, resamples=50)
        told, = (caution.text for caution in found.warnings if caution.code == "rated-on-different-lines")
        return told

    assert "Go by the differences" in advice([50.0, None], [None, 60.0])
    apart = TestSet("toy", {"A": [None] * 4, "B": [None] * 4}, {}, scores={"human": SegmentScores(
        {"A": [50.0, 60.0, None, None], "B": [None, None, 55.0, 65.0]})})
    told = {caution.code: caution.text for caution in compare(apart, ["human"], unit="segment", trials=99).warnings}
    assert "Go by" not in told["rated-on-different-lines"] and "cannot be compared" in told["no-common-line"]
