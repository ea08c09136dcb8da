"""What is drawn, where `compare` does not show it, and who leads by it."""

import itertools

import numpy as np
import pytest

from mtsig_core.stats import decisions, draws
from mtsig_core.stats.engine import measure
from mtsig_core.stats.settings import Plan, resolve
from tests.builders.toys import Given, bleu, bleu_counts, compare_given, toy

COUNTS, DOCUMENTS = bleu_counts(seed=41, qualities=[1.0, 0.0, 1.03, -1.0, 0.97], n_segments=150)
ASKED = dict(
    test="ar",
    unit="auto",
    block_length=None,
    trials=199,
    alpha=0.05,
    correction="auto",
    ci="auto",
    resamples=50,
    seed=0,
    baseline=None,
)


def measured(higher_is_better=True, **asked):
    testset = toy(*COUNTS.shape[:2], DOCUMENTS)
    metric = Given(dict(zip(testset.systems, COUNTS, strict=True)), bleu, higher_is_better)
    return measure(testset, metric), resolve(testset, **{**ASKED, **asked})[0]


class TestSwapsOfUnlikeSystems:
    """Shares of right words.

    A says twice as many words as an unlike B, of which half as many depend on how hard a segment
    is: both are right as much more often where it is easy, and swaps do not see what that does to a
    share.
    """

    @staticmethod
    def statistics(n, unlike, seed=3):
        rng = np.random.default_rng(seed)
        words = rng.integers(10, 30, n)
        ease = rng.normal(0, 0.25, n)
        said = [words, words // 2 if unlike else words]
        right = [
            rng.binomial(own, np.clip(0.5 + (ease / 2 if unlike and k == 0 else ease), 0, 1))
            for k, own in enumerate(said)
        ]
        return np.stack([np.array(right), np.array(said)], axis=-1)

    @staticmethod
    def share(sums):
        return 100 * sums[..., 0] / np.maximum(sums[..., 1], 1)

    def test_it_is_the_root_mean_square_over_all_swaps(self):
        counts = self.statistics(9, True)
        (pair,) = compare_given(counts, self.share, trials=999, resamples=50).pairs
        swapped = [
            self.share(counts[np.where(coins, 1, 0), np.arange(9)].sum(axis=0))
            - self.share(counts[np.where(coins, 0, 1), np.arange(9)].sum(axis=0))
            for coins in itertools.product([False, True], repeat=9)
            if any(coins)
        ]
        assert pair.swap_se == pytest.approx(np.sqrt(np.mean(np.square(swapped))), rel=1e-6)
        assert (
            compare_given(counts, self.share, test="bootstrap", trials=999, resamples=50)
            .pairs[0]
            .swap_se
            is None
        )

    def test_of_alike_ones_samples_vary_as_swaps_do(self):
        (pair,) = compare_given(
            self.statistics(400, False), self.share, trials=999, unit="segment"
        ).pairs
        assert pair.se == pytest.approx(pair.swap_se, rel=0.06) and not pair.unlike

    def test_a_difference_that_swaps_make_too_sure_is_told(self):
        """Samples of a true null, tested with swaps of our own: far more than 5% are rejected."""
        from mtsig_core.stats.significance import approximate_randomization

        counts = self.statistics(400, True)
        (pair,) = compare_given(counts, self.share, trials=999, unit="segment").pairs
        assert pair.unlike
        rng, rejected, shift = np.random.default_rng(4), 0, self.share(counts.sum(axis=1))
        for _ in range(300):
            part = counts[:, rng.integers(0, 400, 400)].astype(float)
            part[1, :, 0] *= shift[0] / shift[1]  # the same share in truth
            swaps = rng.integers(0, 2, (199, 400))
            first = np.tensordot(1 - swaps, part[0], 1) + np.tensordot(swaps, part[1], 1)
            second = part.sum(axis=(0, 1)) - first
            observed = np.subtract(*self.share(part.sum(axis=1)))
            null = self.share(first) - self.share(second)
            rejected += approximate_randomization(np.array([observed]), null[None])[0] <= 0.05
        assert rejected / 300 > 0.08


class TestLeadersByAReference:
    """Of the reference draws of a metric, decided as the ranks of `compare` are."""

    @staticmethod
    def leaders(seen, settings, progress=None):
        part = draws._draw_reference(
            "ref", seen.testset, seen.metric, Plan.from_settings(settings), 1, progress
        )
        return decisions._leaders(part, seen.sign, settings)

    def test_the_last_that_may_be_the_first_need_not_be_ahead(self, monkeypatch):
        """The best is better than all but the second, which is worse than the third."""
        decided = {(0, 2): 1, (0, 3): 1, (0, 4): 1, (1, 2): -1}
        signs = np.array([decided.get(pair, 0) for pair in itertools.combinations(range(5), 2)])
        monkeypatch.setattr(decisions, "decide_pairs", lambda *_, **__: signs)
        seen, settings = measured(unit="segment")
        for ahead in (False, True):
            signs[0] = ahead
            found = self.leaders(seen, settings)
            assert (found.leaders, found.ahead, found.decidable) == (
                (seen.best_first().names[0],),
                ahead,
                True,
            )
