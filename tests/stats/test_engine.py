"""Sums under draws, and the scores of all systems and pairs that they give."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from threadpoolctl import threadpool_info

from mtsig_core import Cancelled, TestSet, compare, make_metric
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import Rows
from mtsig_core.stats.engine import (
    Columns,
    UnitStatistics,
    all_pairs,
    bootstrap_scores,
    jackknife_scores,
    measure,
    swap_differences,
    swap_rows,
)
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, unpack_bits
from tests.builders.toys import Given, bleu, bleu_counts, draw_swaps, mean, segment_scores

COUNTS, _ = bleu_counts(seed=11, qualities=[0.1, 0, 0, -0.2], n_segments=60)
SCORES = segment_scores(seed=12, means=[60, 62, 50], n_segments=60)


def segments(n):
    return Units("segment", np.arange(n), n)


def data_of(statistics, rule=bleu, units=None):
    return UnitStatistics(Given({}, rule), statistics, units or segments(statistics.shape[1]))


def first_statistic(sums):
    return sums[..., 0].astype(float)


def sums_of(statistics, weights):
    """What the engine makes of them.

    In double precision: single would be compared as if whole numbers were single.
    """
    return data_of(statistics, first_statistic).weighted_sums(weights).astype(np.float64)


def exact_sums(statistics, weights):
    """(systems, units, stats) and (rows, units) -> (stats, systems, rows) in whole numbers of any
    size.
    """
    return np.einsum(
        "suk,ru->ksr", np.vectorize(int, otypes=[object])(statistics), weights.astype(object)
    )


@st.composite
def whole_statistics(draw):
    """Statistics that repeat as those of real metrics do: equal columns, columns a step apart,
    constant ones.
    """
    n_systems, n, n_stats = (
        draw(st.integers(1, 4)),
        draw(st.integers(1, 12)),
        draw(st.integers(1, 5)),
    )
    dtype = draw(
        st.sampled_from(
            [bool, *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
        )
    )
    largest = (
        1 if dtype is bool else draw(st.sampled_from([3, 100, min(np.iinfo(dtype).max, 2**44)]))
    )
    statistics = draw(
        hnp.arrays(np.int64, (n_systems, n, n_stats), elements=st.integers(0, int(largest)))
    )
    for k in range(1, n_stats):
        for system in range(n_systems):
            how = draw(
                st.sampled_from(
                    ["free", "as before", "a step from before", "as the first system", "constant"]
                )
            )
            before = statistics[system, :, k - 1]
            if how == "as before":
                statistics[system, :, k] = before
            elif how == "a step from before":
                statistics[system, :, k] = np.maximum(before, 1) - 1
            elif how == "as the first system":
                statistics[system, :, k] = statistics[0, :, k]
            elif how == "constant":
                statistics[system, :, k] = 1
    return statistics.astype(dtype)


@st.composite
def some_weights(draw, n):
    """Up to n draws of n units, in each of a few rows."""
    rows = draw(st.lists(st.lists(st.integers(0, n - 1), max_size=n), min_size=1, max_size=4))
    return np.array(
        [np.bincount(np.array(row, dtype=int), minlength=n) for row in rows], dtype=np.uint16
    )


class TestSums:
    @given(st.data(), whole_statistics(), st.integers(1, 5))
    def test_whole_numbers_are_summed_exactly_however_they_are_cut_up(self, data, statistics, rows):
        weights = data.draw(some_weights(statistics.shape[1]))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "_UNITS_AT_ONCE", rows)
            sums = sums_of(statistics, weights)
        assert (sums == exact_sums(statistics, weights)).all()

    @given(st.data(), st.integers(1, 5))
    def test_real_numbers_are_rounded_once_and_then_summed_exactly(self, data, rows):
        dtype = data.draw(st.sampled_from([np.float32, np.float64]))
        scale = data.draw(
            st.sampled_from([1.0] if dtype is np.float32 else [1e-99, 1e-6, 1.0, 1e99])
        )
        statistics = dtype(scale) * data.draw(
            hnp.arrays(dtype, (2, 7, 2), elements=st.floats(-100, 100, width=32))
        )
        weights = data.draw(some_weights(7))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "_UNITS_AT_ONCE", rows)
            sums = sums_of(statistics, weights)
            rounded = sums_of(statistics, np.eye(7, dtype=np.uint16)).transpose(1, 2, 0)
        exact = np.einsum(
            "suk,ru->ksr", np.vectorize(Fraction, otypes=[object])(rounded), weights.astype(object)
        )
        assert (sums == exact).all()
        assert (np.abs(rounded - statistics) <= 2**-40 * np.abs(statistics).max(axis=(0, 1))).all()

    @pytest.mark.parametrize(
        "largest, times",
        [
            (2**23 - 1, 1),
            (2**23 + 1, 3),
            (2**24 - 1, 1),
            (2**24, 1),
            (2**24 + 1, 1),
            (2**31 - 1, 7),
            (2**40 + 1, 999),
        ],
    )
    def test_exact_on_both_sides_of_what_single_precision_can_hold(self, largest, times):
        statistics = np.ones((2, times + 1, 3), dtype=np.int64)
        statistics[0, 0], statistics[1, -1] = [largest, 1, largest], [1, 2, largest]
        weights = np.zeros((3, times + 1), dtype=np.uint16)
        weights[0, 0], weights[1, -1], weights[2] = times, times, 1
        sums = sums_of(statistics, weights)
        assert (sums == exact_sums(statistics, weights)).all()

    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize("above", [-4, -1, 0, 3, 7])
    def test_single_precision_ends_where_a_sum_can_reach_2_to_the_24(self, above, sign):
        statistics = np.full((2, 4, 1), 2**22, dtype=np.int64)
        statistics[0, 0] += above  # an odd sum above the limit has no float32
        data = data_of(sign * statistics, first_statistic)
        swapped = swap_differences(data, all_pairs(2), 64, seed=0)
        assert set(np.unique(swapped)) == {-above, above}
        assert data.weighted_sums(np.ones((1, 4), np.uint16))[0, 0] == sign * (2**24 + above)

    @pytest.mark.parametrize("step", [2**24 - 1, 2**24 + 1, 2**24 + 3])
    def test_equal_steps_between_counts_of_either_sign_are_exact(self, step):
        start = np.array([[0, 1, 2], [1, 3, 2]]) - 2**23
        statistics = np.stack([start, start + step], axis=-1)
        one_of_each = np.eye(3, dtype=np.uint16)
        assert (sums_of(statistics, one_of_each) == statistics.transpose(2, 0, 1)).all()

    @pytest.mark.parametrize("document_length", [1, 5])
    def test_about_half_of_the_columns_of_bleu_are_kept(self, document_length):
        units = Units("document", np.arange(60) // document_length, 60 // document_length)
        data = data_of(COUNTS, units=units)
        assert data._distinct <= 0.6 * data.totals.size

    @given(whole_statistics(), st.integers(1, 70), st.integers(0, 2**64 - 1))
    def test_swapped_units_are_summed_like_weighted_ones(self, statistics, times, seed):
        statistics = np.tile(statistics, (1, times, 1))
        data = data_of(statistics, first_statistic)
        words = np.random.default_rng(seed).integers(
            0, 2**64, (3, -(-data.units.n // 64)), np.uint64
        )
        words[0] = 2**64 - 1
        swapped = unpack_bits(words, data.units.n)
        assert (
            swapped[0].all()
            and (data.expand(data.swapped_columns(words)) == data.weighted_sums(swapped)).all()
        )
        assert (
            data.expand(data.swapped_columns(words)).astype(np.float64)
            == exact_sums(statistics, swapped)
        ).all()

    @pytest.mark.parametrize("largest", [2000, 2047, 2048, 4095, 4096])
    def test_no_swapped_sum_runs_over_into_the_next(self, largest):
        statistics = np.full((3, 3000, 2), largest, dtype=np.int32)
        statistics[1], statistics[2, ::2] = 1, 0
        every = np.full((1, 47), 2**64 - 1, np.uint64)
        data = data_of(statistics, first_statistic)
        assert (data._columns.dtype == np.uint16) == (largest <= 2047)
        assert (
            data.expand(data.swapped_columns(every)) == statistics.sum(axis=1).T[..., None]
        ).all()


class TestBootstrap:
    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    def test_each_replicate_is_the_score_of_the_segments_drawn(self, statistics, rule):
        scores = bootstrap_scores(data_of(statistics, rule), BLOCK, seed=5)
        for replicate, counts in list(enumerate(bootstrap_weights(segments(60), 5, 0)))[::50]:
            drawn = np.repeat(np.arange(60), counts)
            np.testing.assert_allclose(
                scores[:, replicate],
                rule(statistics[:, drawn].sum(axis=1)),
                atol=1e-6 if rule is mean else 1e-9,
            )

    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    @pytest.mark.parametrize(
        "units",
        [
            segments(60),
            Units("document", np.arange(60) // 7, 9),
            Units("block", np.arange(60), 60, 5.0),
        ],
        ids=lambda units: units.kind,
    )
    def test_a_replicate_depends_on_nothing_but_the_seed(self, statistics, rule, units):
        scores = bootstrap_scores(data_of(statistics, rule, units), 600, seed=3)
        same = {
            "fewer replicates": (
                bootstrap_scores(data_of(statistics, rule, units), 300, 3),
                scores[:, :300],
            ),
            "two workers": (
                bootstrap_scores(data_of(statistics, rule, units), 600, 3, jobs=2),
                scores,
            ),
            "other systems": (
                bootstrap_scores(data_of(statistics[1:2], rule, units), 600, 3),
                scores[1:2],
            ),
            "another order": (
                bootstrap_scores(data_of(statistics[::-1], rule, units), 600, 3),
                scores[::-1],
            ),
        }
        for what, (these, those) in same.items():
            assert these.tobytes() == np.ascontiguousarray(those).tobytes(), what
        assert not np.array_equal(
            scores, bootstrap_scores(data_of(statistics, rule, units), 600, seed=4)
        )


class TestSwaps:
    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    def test_each_replicate_is_the_difference_after_the_swaps(self, statistics, rule):
        pairs = all_pairs(len(statistics))
        differences = swap_differences(data_of(statistics, rule), pairs, BLOCK, seed=5)
        for replicate, coins in list(enumerate(draw_swaps(segments(60), 5, 0)))[::50]:
            traded = coins.astype(bool)[:, None]
            for k, (i, j) in enumerate(pairs):
                first = np.where(traded, statistics[j], statistics[i]).sum(axis=0)
                second = np.where(traded, statistics[i], statistics[j]).sum(axis=0)
                assert differences[k, replicate] == pytest.approx(
                    rule(first) - rule(second), abs=1e-6
                )

    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    @pytest.mark.parametrize(
        "units",
        [
            segments(60),
            Units("document", np.arange(60) // 4, 15),
            Units("block", np.arange(60), 60, 5.0),
        ],
        ids=lambda units: units.kind,
    )
    def test_a_replicate_depends_on_nothing_but_the_seed(self, statistics, rule, units):
        def differences(which, pairs, n=600, seed=3, jobs=1):
            return swap_differences(
                data_of(statistics[which], rule, units), np.array(pairs), n, seed, jobs=jobs
            )

        pairs = all_pairs(3)
        all_of_them = differences([0, 1, 2], pairs)
        same = {
            "fewer replicates": (differences([0, 1, 2], pairs, n=300), all_of_them[:, :300]),
            "two workers": (differences([0, 1, 2], pairs, jobs=2), all_of_them),
            "other systems": (differences([0, 2], [(0, 1)]), all_of_them[1:2]),
            "other pairs": (differences([0, 1, 2], [(1, 2), (0, 2)]), all_of_them[[2, 1]]),
            "the pair turned round": (
                differences([0, 1, 2], [(1, 0), (2, 0), (2, 1)]),
                -all_of_them,
            ),
            "another order": (differences([2, 0, 1], [(1, 2), (1, 0), (2, 0)]), all_of_them),
        }
        for what, (these, those) in same.items():
            assert these.tobytes() == np.ascontiguousarray(those).tobytes(), what

    @pytest.mark.parametrize("rare", [False, True])
    def test_pairs_of_bleu_are_scored_at_once_to_the_same_bits(self, rare):
        """Where no four-gram matches, and the score is smoothed, too."""
        counts = COUNTS.copy()
        if rare:
            counts[1, 2:, 5] = counts[2, :, 5] = 0
        data = UnitStatistics(Bleu(), counts, segments(60))
        differences = swap_differences(data, all_pairs(4), 300, seed=2)
        assert (
            differences.tobytes()
            == swap_differences(data_of(counts), all_pairs(4), 300, seed=2).tobytes()
        )
        assert np.isfinite(differences).all() and differences.any()

    def test_a_subclass_with_another_score_is_scored_by_that(self):
        class Words(Bleu):
            def score(self, sums):
                return np.asarray(sums)[..., 0].astype(float)

        swapped = swap_differences(
            UnitStatistics(Words(), COUNTS, segments(60)), all_pairs(4), 300, seed=2
        )
        np.testing.assert_array_equal(
            swapped, swap_differences(data_of(COUNTS, first_statistic), all_pairs(4), 300, 2)
        )

    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    def test_what_is_too_much_to_be_kept_is_made_again_to_the_same_bits(
        self, monkeypatch, statistics, rule
    ):
        data, pairs = (
            data_of(statistics, rule),
            np.concatenate([all_pairs(len(statistics)), [[2, 0]]]),
        )
        kept = swap_rows(data, pairs, 600, seed=3)
        assert isinstance(kept, np.ndarray)
        monkeypatch.setattr(engine, "_MOST_KEPT", 100)
        made = swap_rows(data, pairs, 600, seed=3, jobs=2)
        assert isinstance(made, Rows) and made.shape == kept.shape
        for rows in (slice(None), slice(1, 3), np.array([3, 0, 3])):
            assert made[rows].tobytes() == kept[rows].tobytes()

    def test_progress_goes_on_while_they_are_made_again(self, monkeypatch):
        """Where it stood still, nobody was asked before 260 systems took minutes."""
        monkeypatch.setattr(engine, "_MOST_KEPT", 100)
        data, pairs, shares = data_of(SCORES, mean), all_pairs(len(SCORES)), []
        made = swap_rows(
            data, pairs, 600, seed=3, progress=lambda stage, share: shares.append(share)
        )
        drawn = len(shares)
        for row in range(len(pairs)):
            made[row : row + 1]
        assert shares == sorted(shares) and shares[drawn - 1] == pytest.approx(0.1)
        assert shares[-1] == pytest.approx(0.1 + 0.9 / 2) and len(shares) == drawn + len(pairs)


class TestJackknife:
    @pytest.mark.parametrize("statistics, rule", [(COUNTS, bleu), (SCORES, mean)])
    @pytest.mark.parametrize(
        "units", [segments(60), Units("document", np.arange(60) % 7, 7)], ids=lambda u: u.kind
    )
    def test_each_unit_is_left_out_once(self, statistics, rule, units, monkeypatch):
        monkeypatch.setattr(engine, "_UNITS_AT_ONCE", 8)
        left_out = jackknife_scores(data_of(statistics, rule, units))
        by_hand = [rule(statistics[:, units.index != unit].sum(axis=1)) for unit in range(units.n)]
        np.testing.assert_allclose(left_out, np.transpose(by_hand), atol=1e-6)

    def test_blocks_are_left_out_as_a_whole(self):
        left_out = jackknife_scores(data_of(COUNTS, units=Units("block", np.arange(60), 60, 20.0)))
        by_hand = [
            bleu(np.delete(COUNTS, np.s_[at : at + 20], axis=1).sum(axis=1)) for at in (0, 20, 40)
        ]
        np.testing.assert_allclose(left_out, np.transpose(by_hand), atol=1e-9)


def draw_all(data, jobs, progress):
    bootstrap_scores(data, 10 * BLOCK, 0, jobs=jobs, progress=progress)


def swap_all(data, jobs, progress):
    swap_differences(data, all_pairs(3), 10 * BLOCK, 0, jobs=jobs, progress=progress)


@pytest.mark.parametrize("work", [draw_all, swap_all])
@pytest.mark.parametrize("jobs", [1, 2])
class TestProgress:
    def test_shares_grow_and_end_at_1(self, work, jobs):
        shares = []
        work(data_of(COUNTS), jobs, lambda stage, share: shares.append(share))
        assert shares == pytest.approx(np.arange(1, 11) / 10)

    @pytest.mark.filterwarnings(
        "ignore::pytest.PytestUnraisableExceptionWarning", "ignore:.* tasks"
    )
    def test_cancelling_stops_between_blocks(self, work, jobs):
        def stop(stage, share):
            shares.append(share)
            if share > 0.25:
                raise Cancelled("enough")

        shares, threads = [], [pool["num_threads"] for pool in threadpool_info()]
        with pytest.raises(Cancelled, match="enough"):
            work(data_of(COUNTS), jobs, stop)
        assert shares == pytest.approx([0.1, 0.2, 0.3])
        assert [pool["num_threads"] for pool in threadpool_info()] == threads


# Statistics of which no column is stored twice, against the statistics.


def documents(n):
    return Units("document", np.arange(n) % min(n, 3), min(n, 3))


@given(whole_statistics(), st.data())
def test_all_is_given_back(statistics, data):
    statistics = statistics.astype(
        np.int32 if statistics.max() < 2**31 and data.draw(st.booleans()) else np.int64
    )
    columns = Columns.from_statistics(statistics)
    assert columns.shape == statistics.shape and columns.statistics().dtype == statistics.dtype
    np.testing.assert_array_equal(columns.statistics(), statistics)
    np.testing.assert_array_equal(columns.totals().T, statistics.sum(axis=1))
    order = np.array(data.draw(st.permutations(range(len(statistics)))))
    some = order[: data.draw(st.integers(1, len(order)))]
    for systems in (order, some):
        np.testing.assert_array_equal(columns.only(systems).statistics(), statistics[systems])
    units = documents(statistics.shape[1])
    np.testing.assert_array_equal(columns.sum_by(units).statistics(), units.sum(statistics))
    np.testing.assert_array_equal(
        columns.only(some).sum_by(units).statistics(), units.sum(statistics[some])
    )


@pytest.mark.parametrize("largest", [1, 2000, 30_000, 2**24, 2**31 - 1])
@pytest.mark.parametrize(
    "units", [Units.segments(60), documents(60)], ids=["segments", "documents"]
)
def test_draws_and_swaps_are_those_of_the_statistics(units, largest):
    statistics = (COUNTS * (largest // COUNTS.max() or 1)).astype(np.int64)
    whole, columns = (
        UnitStatistics(Given({}, first_statistic), given, units)
        for given in (statistics, Columns.from_statistics(statistics))
    )
    assert bootstrap_scores(whole, 300, 1).tobytes() == bootstrap_scores(columns, 300, 1).tobytes()
    pairs = all_pairs(len(statistics))
    assert (
        swap_differences(whole, pairs, 300, 1).tobytes()
        == swap_differences(columns, pairs, 300, 1).tobytes()
    )


def test_counts_are_kept_so_and_scores_as_they_are():
    texts = ["a b c d e", "a b c d x"] * 20
    toy = TestSet(
        "toy",
        {"A": texts, "B": texts[::-1]},
        {"ref": texts},
        documents=[f"d{k // 2}" for k in range(40)],
    )
    seen = measure(toy, "bleu")
    assert isinstance(seen.stored, Columns) and not isinstance(measure(toy, "nist").stored, Columns)
    counts = make_metric("bleu").statistics(toy)
    np.testing.assert_array_equal(seen.statistics, counts)
    assert seen.scores.tolist() == bleu(counts.sum(axis=1)).tolist()
    assert (
        compare(toy, trials=99, resamples=50).metrics["bleu"].systems[0].score
        == seen.best_first().scores[0]
    )
