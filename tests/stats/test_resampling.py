"""Units and draws."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from mtsig_core import SettingError
from mtsig_core.stats import kernels, resampling
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, make_units
from tests.builders.cases import brief
from tests.builders.toys import draw_swaps, toy

SEEDS = st.integers(0, 2**64 - 1)


def units_of(kind, n, block_length=None):
    return Units(kind, np.arange(n), n, block_length)


@st.composite
def some_units(draw):
    n = draw(st.integers(1, 200))
    if draw(st.booleans()):
        return units_of("segment", n)
    return units_of("block", n, draw(st.floats(1, n)))


class TestUnits:
    def test_documents_are_numbered_as_they_appear(self):
        units = make_units(toy(1, 5, documents="babcb"), "document")
        assert units.n == units.pieces == 3
        assert units.index.tolist() == [0, 1, 0, 2, 0]

    @pytest.mark.parametrize("length, pieces", [(25, 4), (30, 3), (40, 2), (80, 1), (100, 1)])
    def test_effective_number_of_blocks(self, length, pieces):
        assert make_units(toy(1, 100), "block", length).pieces == pieces

    @pytest.mark.parametrize(
        "kind, length, message",
        [
            ("segments", None, "Unknown unit 'segments'. Expected auto, segment, document, block"),
            ("document", None, "toy has no document ids"),
            ("segment", 5, "A block length goes with unit 'block', not with 'segment'"),
            ("auto", 5, "not with 'segment'"),
            ("block", 0.5, "Block length 0.5 is not between 1 and the number of segments, 9"),
            ("block", 9.1, "Block length 9.1"),
            ("block", float("nan"), "Block length nan"),
            ("block", float("inf"), "Block length inf"),
        ],
    )
    def test_errors(self, kind, length, message):
        with pytest.raises(SettingError, match=message):
            make_units(toy(1, 9), kind, length)

    @given(st.data(), st.sampled_from([np.int32, np.uint16, np.float32, np.float64]))
    def test_sums_of_scattered_documents(self, data, dtype):
        documents = data.draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=12))
        units = make_units(toy(1, len(documents), documents), "document")
        statistics = data.draw(
            hnp.arrays(dtype, (2, len(documents), 3), elements=st.integers(0, 50_000))
        )
        by_hand = np.zeros((2, units.n, 3))
        for segment, document in enumerate(units.index):
            by_hand[:, document] += statistics[:, segment]
        np.testing.assert_array_equal(units.sum(statistics), by_hand)

    @given(st.integers(1, 300), st.floats(1, 60))
    def test_jackknife_blocks_are_consecutive_and_about_equal(self, n, length):
        groups = units_of("block", n, min(length, n)).jackknife_groups()
        sizes = np.bincount(groups)
        assert set(np.diff(groups)) <= {0, 1}
        assert sizes.min() >= 1 and sizes.max() - sizes.min() <= 1
        assert len(sizes) == units_of("block", n, min(length, n)).pieces


class TestDraws:
    @given(some_units(), SEEDS, st.integers(0, 50))
    def test_each_sample_has_as_many_units_as_the_set(self, units, seed, block):
        weights = bootstrap_weights(units, seed, block)
        assert weights.shape == (BLOCK, units.n)
        assert (weights.sum(axis=1) == units.n).all()

    @pytest.mark.parametrize("draw", [bootstrap_weights, draw_swaps])
    @pytest.mark.parametrize("kind, length", [("segment", None), ("block", 4)])
    def test_draws_depend_on_seed_and_block_alone(self, draw, kind, length):
        units = units_of(kind, 50, length)
        first = draw(units, 7, 3)
        np.testing.assert_array_equal(first, draw(units, 7, 3))
        assert not np.array_equal(first, draw(units, 8, 3))
        assert not np.array_equal(first, draw(units, 7, 4))

    @pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**63, 2**64 - 2])
    def test_neighbouring_seeds_differ_however_large(self, seed):
        units = units_of("segment", 50)
        assert not np.array_equal(draw_swaps(units, seed, 0), draw_swaps(units, seed + 1, 0))

    @pytest.mark.parametrize("n, rows", [(1, 256), (997, 256), (65_536, 4), (70_001, 3)])
    def test_units_are_drawn_as_numpy_draws_whole_numbers(self, n, rows):
        rng = np.random.Generator(np.random.Philox(key=np.array([5, 2], dtype=np.uint64)))
        dtype = np.uint16 if n <= 65_536 else np.uint32
        drawn = [row for _ in range(2) for row in rng.integers(0, n, (rows, n), dtype=dtype)][
            :BLOCK
        ]
        expected = np.array([np.bincount(row, minlength=n) for row in drawn])
        np.testing.assert_array_equal(
            bootstrap_weights(units_of("segment", n), 5, 2)[: len(drawn)], expected
        )

    @pytest.mark.parametrize(
        "kind, length", [("segment", None), ("block", 1), ("block", 4), ("block", 25)]
    )
    def test_coins_are_fair(self, kind, length):
        coins = np.concatenate(
            [draw_swaps(units_of(kind, 300, length), 4, block) for block in range(20)]
        )
        assert abs(coins.mean() - 0.5) < 4 * 0.5 / np.sqrt(coins.size / (2 * (length or 1)))

    def test_coins_are_independent(self):
        coins = (
            np.concatenate([draw_swaps(units_of("segment", 200), 5, block) for block in range(8)])
            - 0.5
        )
        bound = 5 / np.sqrt(len(coins))
        correlation = 4 * coins.T @ coins / len(coins)
        assert np.abs(correlation - np.eye(200)).max() < bound
        assert abs(np.mean(coins[1:] * coins[:-1])) * 4 < bound

    @pytest.mark.parametrize("length", [1, 12, 40])
    def test_coins_hang_together_as_far_as_blocks_of_geometric_length_reach(self, length):
        coins = (
            np.concatenate(
                [draw_swaps(units_of("block", 300, length), 8, block) for block in range(8)]
            )
            - 0.5
        )
        lags = np.array([1, 2, 5, 10, 20, 50, 100])
        correlation = [4 * np.mean(coins * np.roll(coins, lag, axis=1)) for lag in lags]
        np.testing.assert_allclose(
            correlation, (1 - 1 / length) ** lags, atol=5 * np.sqrt(length / coins.size)
        )

    @pytest.mark.parametrize(
        "n, kind", [(1, "segment"), (5, "document"), (8, "segment"), (13, "document")]
    )
    def test_few_units_are_swapped_in_every_way_but_one(self, n, kind):
        units = units_of(kind, n)
        assert units.all_swaps == 2**n - 1
        tried = np.concatenate(
            [draw_swaps(units, 3, block) for block in range(-(-(2**n) // BLOCK))]
        )[: units.all_swaps]
        assert {tuple(row) for row in tried.tolist()} == set(
            itertools.product([0, 1], repeat=n)
        ) - {(0,) * n}

    @pytest.mark.parametrize("kind, n, length", [("segment", 14, None), ("block", 6, 2)])
    def test_more_of_them_or_blocks_are_swapped_at_random(self, kind, n, length):
        units = units_of(kind, n, length)
        assert units.all_swaps is None
        assert not np.array_equal(draw_swaps(units, 3, 0), draw_swaps(units, 4, 0))


class TestKernels:
    @pytest.mark.parametrize("n", brief(2, [1, 997, 70_000]))
    def test_compiled_and_plain_draws_are_the_same(self, monkeypatch, n):
        drawn = []
        for worth in (True, False):
            monkeypatch.setattr(
                resampling, "worth_compiling", lambda nanoseconds, worth=worth: worth
            )
            drawn.append(bootstrap_weights(units_of("segment", n), 5, 2))
        np.testing.assert_array_equal(*drawn)
        assert (drawn[0].sum(axis=1) == n).all()

    @given(st.data(), st.integers(1, 12))
    def test_stationary_draws_walk_round_the_circle(self, data, n):
        begins = data.draw(hnp.arrays(bool, (3, n)))
        starts = data.draw(hnp.arrays(np.uint16, (3, n), elements=st.integers(0, n - 1)))
        by_hand = np.zeros((3, n), dtype=np.uint16)
        for row in range(3):
            drawn = []
            for t in range(n):
                drawn.append(
                    int(starts[row, t]) if t == 0 or begins[row, t] else (drawn[-1] + 1) % n
                )
            for segment in drawn:
                by_hand[row, segment] += 1
        counts = np.zeros_like(by_hand)
        kernels.count_stationary(begins, starts, counts)
        np.testing.assert_array_equal(counts, by_hand)

    @given(st.data(), st.integers(1, 12))
    def test_a_block_has_one_coin_and_the_last_goes_on_to_the_front(self, data, n):
        begins = data.draw(hnp.arrays(bool, (3, n)))
        coins = data.draw(hnp.arrays(np.uint8, (3, n), elements=st.integers(0, 1)))
        swapped = np.empty_like(coins)
        kernels.swap_stationary(begins, coins, swapped)
        for row in range(3):
            for t in range(n):
                back = [(t - k) % n for k in range(n)]
                beginning = next((s for s in back if begins[row, s]), 0)
                assert swapped[row, t] == coins[row, beginning]
