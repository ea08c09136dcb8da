"""One pair: the same p as `compare`, jackknife by recomputation, equivalence by hand."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from mtsig_core import SettingError, TestSet
from mtsig_core.stats.pair import (
    contributions,
    density,
    equivalence,
    examine_pair,
    find_extremes,
    symmetric_histogram,
    two_one_sided,
)
from mtsig_core.stats.resampling import UNITS
from mtsig_core.stats.significance import fitting_tests
from tests.builders.cases import brief
from tests.builders.results import find_pair
from tests.builders.toys import Given, bleu, bleu_counts, compare_given, mean, toy

STATISTICS, DOCUMENTS = bleu_counts(5, [0.0, 0.05, 0.02], 120)


def examine(
    a="A",
    b="C",
    statistics=STATISTICS,
    rule=bleu,
    documents=DOCUMENTS,
    higher_is_better=True,
    **settings,
):
    testset = toy(*statistics.shape[:2], documents)
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), rule, higher_is_better)
    return examine_pair(testset, metric, a, b, **{"trials": 299, "resamples": 200, **settings})


@pytest.mark.parametrize(
    "unit, higher_is_better, a, b",
    brief(
        3,
        [
            ("segment", True, "A", "C"),
            ("document", False, "C", "A"),
            ("block", True, "C", "A"),
            *((unit, False, "A", "C") for unit in UNITS),
        ],
    ),
)
def test_each_test_gives_what_compare_gives(unit, higher_is_better, a, b):
    found = examine(a, b, unit=unit, seed=3, higher_is_better=higher_is_better)
    for outcome in found.outcomes:
        result = compare_given(
            STATISTICS,
            documents=DOCUMENTS,
            higher_is_better=higher_is_better,
            test=outcome.test,
            unit=unit,
            trials=299,
            resamples=200,
            seed=3,
            correction="none",
        )
        pair = find_pair(result, a, b)
        assert outcome.p_value == pair.p_value
        rates = (pair.win, pair.lose) if pair.a == a else (pair.lose, pair.win)
        assert (outcome.win, outcome.lose) == rates
        better = {"a": pair.a, "b": pair.b, None: None}[pair.better]
        assert {"a": a, "b": b, None: None}[outcome.better] == better
        assert found.se[unit] == pytest.approx(pair.se, rel=1e-12)
        assert found.mdd == pytest.approx(pair.mdd, rel=1e-12)
        assert found.se["document"] / found.se["segment"] == pytest.approx(pair.se_ratio, rel=1e-12)
    assert [o.test for o in found.outcomes] == list(fitting_tests(False))


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca", "jackknife-t"])
def test_intervals_are_those_of_compare(kind):
    found = examine("A", "B", unit="segment")
    result = compare_given(
        STATISTICS, documents=DOCUMENTS, unit="segment", ci=kind, trials=299, resamples=200
    )
    pair = find_pair(result, "A", "B")
    ends = (pair.ci_low, pair.ci_high) if pair.a == "A" else (-pair.ci_high, -pair.ci_low)
    assert found.intervals[kind] == pytest.approx(ends, abs=1e-9)


def test_contributions_are_what_leaving_out_takes_away():
    found = examine()
    one, other = STATISTICS[[0, 2]].astype(float)
    for k in (0, 7, 119):
        rest = np.arange(120) != k
        assert found.by_segment[k] == pytest.approx(
            found.delta - (bleu(one[rest].sum(0)) - bleu(other[rest].sum(0))), abs=1e-9
        )
    for d in (0, 19):
        rest = d != DOCUMENTS
        assert found.by_document[d] == pytest.approx(
            found.delta - (bleu(one[rest].sum(0)) - bleu(other[rest].sum(0))), abs=1e-9
        )


def test_statistics_may_be_given_and_arrays_cannot_be_changed():
    testset = TestSet(
        "t",
        {"A": ["a b c d e"] * 20, "B": ["a b c d"] * 20, "C": ["a x c d e"] * 20},
        {"ref": ["a b c d e"] * 20},
    )
    found = examine_pair(testset, "bleu", "C", "B", trials=99, resamples=50)
    for values in (found.drawn, found.swapped, found.by_segment):
        with pytest.raises(ValueError):
            values[0] = 1


def test_identical_outputs():
    found = examine("A", "B", statistics=STATISTICS[[0, 0]])
    assert [o.p_value for o in found.outcomes] == [1, 1, 1, 1, None, 1]
    assert all(o.better is None for o in found.outcomes)
    assert density(found.drawn)[0].size == 0
    assert [part.size for part in find_extremes(found.by_segment, 5)] == [0, 0]
    assert symmetric_histogram(found.swapped, 0)[1].sum() == 299


@pytest.mark.parametrize(
    "a, b, said", [("A", "A", "given twice"), ("A", "nobody", "No system 'nobody'")]
)
def test_two_systems_of_the_set(a, b, said):
    with pytest.raises(SettingError, match=said):
        examine(a, b)


@pytest.mark.parametrize("n", [3, 8, 400])
def test_equivalence_is_by_students_t(n):
    x = np.random.default_rng(n).normal(0.4, 1, n)
    se = x.std() / np.sqrt(n) * np.sqrt(n / (n - 1))
    margin = abs(x.mean()) + 2 * se
    found = two_one_sided(x.mean(), se, margin, n_effective=n)
    low = stats.ttest_1samp(x, -margin, alternative="greater").pvalue
    high = stats.ttest_1samp(x, margin, alternative="less").pvalue
    assert (found.p_lower, found.p_upper, found.p_value) == pytest.approx(
        (low, high, max(low, high))
    )
    assert found.p_value == pytest.approx(ttost_paired(x, np.zeros(n), -margin, margin)[0])
    turned = two_one_sided(-x.mean(), se, margin, n_effective=n)
    assert (turned.p_lower, turned.p_upper) == pytest.approx((high, low))
    alpha = float(found.p_value)
    assert two_one_sided(x.mean(), se, margin, alpha * 1.01, n).equivalent
    assert not two_one_sided(x.mean(), se, margin, alpha * 0.99, n).equivalent
    with pytest.raises(SettingError, match="margin is 0"):
        two_one_sided(0.4, se, 0)


def test_a_difference_that_never_varies_is_equivalent_where_it_is_smaller():
    assert [two_one_sided(0.5, 0.0, margin).equivalent for margin in (0.4, 0.5, 0.6)] == [
        False,
        False,
        True,
    ]
    assert 0 < two_one_sided(0.0, 0.0, 1.0).p_value < 1e-300


def test_units_of_a_pair_are_those_of_compare():
    found = examine("A", "B", unit="document")
    result = compare_given(
        STATISTICS, documents=DOCUMENTS, unit="document", trials=299, resamples=200
    )
    pair = find_pair(result, "A", "B")
    assert (found.n_units, found.n_effective) == (pair.n_units, pytest.approx(pair.n_effective))
    se = found.se["document"] * np.sqrt(pair.n_units / (pair.n_units - 1))
    assert equivalence(found, 3.0).p_lower == pytest.approx(
        stats.t.sf((found.delta + 3) / se, pair.n_effective - 1)
    )
    with pytest.raises(SettingError, match="have one document in common"):
        equivalence(examine("A", "B", documents=np.zeros(120, int), unit="document"), 3.0)


def test_extremes_are_sorted_and_signed():
    most, least = find_extremes(np.array([0.5, -2.0, 0.0, 3.0, -1.0]), 3)
    assert most.tolist() == [3, 0] and least.tolist() == [1, 4]


def test_density_is_close_to_scipys():
    from scipy.stats import gaussian_kde

    values = np.random.default_rng(0).normal(1, 2, 3000)
    x, y = density(values)
    assert np.sum((y[1:] + y[:-1]) / 2 * np.diff(x)) == pytest.approx(1, abs=0.01)
    assert np.abs(y - gaussian_kde(values)(x)).max() < 0.1 * y.max()


def test_histogram_is_symmetric_and_complete():
    edges, counts = symmetric_histogram(np.array([-0.5, 0.0, 0.4]), 2.0)
    assert counts.sum() == 3 and edges[0] == -edges[-1] and edges[-1] > 2


def test_contributions_of_a_unit_with_no_effect():
    from mtsig_core.stats import engine
    from mtsig_core.stats.resampling import make_units

    statistics = np.array([[[1.0, 1], [3, 1], [2, 1]], [[1, 1], [1, 1], [2, 1]]])
    testset = toy(2, 3)
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), mean)
    values = contributions(engine.UnitStatistics(metric, statistics, make_units(testset)))
    assert values == pytest.approx(
        [2 / 3 - 1, 2 / 3, 2 / 3 - 1]
    )  # means 2 and 4/3; without it 2.5, 1.5; 1.5, 1.5
