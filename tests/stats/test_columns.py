"""Statistics of which no column is stored twice, against the statistics."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import TestSet, compare, make_metric
from mtsig_core.stats.engine import Columns, UnitStatistics, all_pairs, bootstrap_scores, swap_differences
from mtsig_core.stats.measured import measure
from mtsig_core.stats.resampling import Units
from tests.stats.test_engine import COUNTS, first_statistic, whole_statistics
from tests.toys import Given, bleu


def documents(n):
    return Units("document", np.arange(n) % min(n, 3), min(n, 3))


@given(whole_statistics(), st.data())
def test_all_is_given_back(statistics, data):
    statistics = statistics.astype(np.int32 if statistics.max() < 2**31 and data.draw(st.booleans()) else np.int64)
    columns = Columns.of(statistics)
    assert columns.shape == statistics.shape and columns.statistics().dtype == statistics.dtype
    np.testing.assert_array_equal(columns.statistics(), statistics)
    np.testing.assert_array_equal(columns.totals().T, statistics.sum(axis=1))
    order = np.array(data.draw(st.permutations(range(len(statistics)))))
    some = order[:data.draw(st.integers(1, len(order)))]
    for systems in (order, some):
        np.testing.assert_array_equal(columns.only(systems).statistics(), statistics[systems])
    units = documents(statistics.shape[1])
    np.testing.assert_array_equal(columns.by(units).statistics(), units.sum(statistics))
    np.testing.assert_array_equal(columns.only(some).by(units).statistics(), units.sum(statistics[some]))


@pytest.mark.parametrize("largest", [1, 2000, 30_000, 2**24, 2**31 - 1])
@pytest.mark.parametrize("units", [Units.segments(60), documents(60)], ids=["segments", "documents"])
def test_draws_and_swaps_are_those_of_the_statistics(units, largest):
    statistics = (COUNTS * (largest // COUNTS.max() or 1)).astype(np.int64)
    whole, columns = (UnitStatistics(Given({}, first_statistic), given, units)
                      for given in (statistics, Columns.of(statistics)))
    assert bootstrap_scores(whole, 300, 1).tobytes() == bootstrap_scores(columns, 300, 1).tobytes()
    pairs = all_pairs(len(statistics))
    assert swap_differences(whole, pairs, 300, 1).tobytes() == swap_differences(columns, pairs, 300, 1).tobytes()


def test_a_system_left_out_takes_its_columns_along():
    columns = Columns.of(COUNTS)
    assert columns.only(np.array([0])).n_distinct < columns.n_distinct
    assert columns.only(np.arange(len(COUNTS))[::-1]).values is columns.values


def test_counts_are_kept_so_and_scores_as_they_are():
    texts = ["a b c d e", "a b c d x"] * 20
    toy = TestSet("toy", {"A": texts, "B": texts[::-1]}, {"ref": texts}, documents=[f"d{k // 2}" for k in range(40)])
    seen = measure(toy, "bleu")
    assert isinstance(seen.stored, Columns) and not isinstance(measure(toy, "nist").stored, Columns)
    counts = make_metric("bleu").statistics(toy)
    np.testing.assert_array_equal(seen.statistics, counts)
    assert seen.scores.tolist() == bleu(counts.sum(axis=1)).tolist()
    assert compare(toy, trials=99, resamples=50).metrics["bleu"].systems[0].score == seen.best_first().scores[0]
