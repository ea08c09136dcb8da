"""What counts as at least as extreme."""

import numpy as np

from mtsig_core.stats.arrays import count_extreme


def by_hand(observed, replicates, middle):
    """One number after the other."""
    counts = []
    for d0, row, centre in zip(observed, replicates, middle, strict=True):
        known = [abs(d - centre) for d in row if not np.isnan(d - centre)]
        tie = 1e-9 * max([abs(d0), *known])
        counts.append(sum(far >= abs(d0) - tie for far in known))
    return counts


class TestCountExtreme:
    def test_one_after_the_other(self):
        rng = np.random.default_rng(3)
        replicates = np.round(rng.normal(0.5, 2, (40, 333)), 1)
        observed = np.round(rng.normal(0, 3, 40), 1)
        for middle in (np.zeros(40), replicates.mean(axis=1)):
            assert count_extreme(observed, replicates, middle).tolist() == by_hand(
                observed, replicates, middle
            )

    def test_rounding_breaks_no_tie(self):
        assert count_extreme(
            np.array([0.3]), np.array([[0.1 + 0.2, -0.3, 0.3 - 1e-13, 0.29]]), np.zeros(1)
        ) == [3]
        for farthest in (1.0, -1.0):
            assert count_extreme(np.array([1e-14]), np.array([[0.0, farthest]]), np.zeros(1)) == [2]

    def test_what_is_not_known_is_no_replicate(self):
        replicates = np.array([[np.nan, 2.0, -2.0, 1.0], [np.nan] * 4])
        assert count_extreme(np.array([2.0, 0.0]), replicates, np.zeros(2)).tolist() == [2, 0]

    def test_no_replicates(self):
        assert count_extreme(np.array([1.0]), np.empty((1, 0)), np.zeros(1)).tolist() == [0]

    def test_where_nothing_differs_all_are_as_far(self):
        """So that p of identical outputs is 1."""
        assert count_extreme(np.zeros(1), np.zeros((1, 7)), np.zeros(1)).tolist() == [7]
