"""Swaps of stationary blocks: how small p can be, against a count of what is swapped and by how often it comes."""

import itertools

import numpy as np
import pytest

from mtsig_core import TestSet, compare
from mtsig_core.stats.few_units import least_of_blocks, units_needed
from mtsig_core.stats.resampling import Units, swaps


def alike(n, length):
    """The chance that all segments are swapped or none, over all ways that blocks can begin and coins can fall."""
    total = 0.0
    for begins in itertools.product([0, 1], repeat=n):
        k = sum(begins)
        total += (1 / length) ** k * (1 - 1 / length) ** (n - k) * (2 * 0.5**k if k else 1)
    return total


@pytest.mark.parametrize(("n", "length"), [(8, 2.0), (9, 3.0), (10, 4.0), (6, 1.0)])
def test_the_least_p_is_the_chance_that_all_blocks_are_swapped_or_none(n, length):
    assert least_of_blocks(np.array(n / length - 0.5), length) == pytest.approx(alike(n, length), rel=1e-12)


def test_that_is_how_often_it_comes():
    drawn = np.concatenate([swaps(Units("block", np.arange(120), 120, 25.0), 3, block) for block in range(40)])
    share = (drawn == drawn[:, :1]).all(axis=1).mean()
    expected = float(least_of_blocks(np.array(120 / 25 - 0.5), 25.0))
    assert share == pytest.approx(expected, abs=5 * (expected * (1 - expected) / len(drawn)) ** 0.5)


@pytest.mark.parametrize(("blocks", "decidable"), [(5, False), (12, True)])
def test_a_pair_of_few_blocks_cannot_be_decided_however_large_the_difference(blocks, decidable):
    n, length = 120, 120 / blocks
    right, wrong = [f"a b c d e {k}" for k in range(n)], ["x y z", *(f"a b c d e {k}" for k in range(1, 3))] * (n // 3)
    pair = compare(TestSet("set", {"right": right, "wrong": wrong}, {"ref": right}), unit="block",
                   block_length=length).metrics["bleu"].pairs[0]
    assert (pair.decidable, pair.significant, pair.mdd is None) == (decidable, decidable, not decidable)


def test_as_many_blocks_are_asked_for_as_can_decide():
    from mtsig_core.stats.settings import resolve

    texts = ["a b c"] * 100
    settings, _ = resolve(TestSet("set", {"A": texts, "B": texts}, {"ref": texts}), test="ar", unit="block",
                          block_length=25.0, trials=9999, alpha=0.05, correction="romano-wolf", ci="percentile",
                          resamples=100, seed=0, baseline=None, rank_rule="simultaneous")
    n = units_needed(settings, 1)
    assert least_of_blocks(np.array(n), 25.0) <= 0.05 < least_of_blocks(np.array(n - 1), 25.0)
