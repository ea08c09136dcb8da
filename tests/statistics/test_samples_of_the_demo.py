"""Blocks and broad samples of the simulated corpus, in the bands that stand for Koehn's (2004) figures."""

import numpy as np
import pytest

from mtsig_core.experiments.sampling import sampling
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.simulation.corpus import load_demo

pytestmark = pytest.mark.statistics


@pytest.fixture(scope="module")
def found():
    demo = load_demo()
    statistics, few = Bleu().statistics(demo), {"resamples": 200, "trials": 39}
    return {name: sampling(demo, Bleu(), kind, statistics=statistics, **more) for name, kind, more in (
        ("broad", "broad", {}), ("blocks", "blocks", few), ("shuffled", "blocks", {"shuffle": True, **few}))}


def coverage(one):
    return np.mean([system.hits for system in one.systems])


def test_ranges_and_spreads(found):
    blocks, broad, shuffled = (found[key].system("Spanish") for key in ("blocks", "broad", "shuffled"))
    np.testing.assert_allclose([blocks.range, broad.range], [(21, 37), (27, 31)], atol=1)  # Figures 2 and 3
    assert blocks.sd > 4 * broad.sd and 0.8 < shuffled.sd / broad.sd < 1.25


def test_coverage(found):
    assert 0.93 <= coverage(found["broad"]) <= 0.99 and 0.15 <= coverage(found["blocks"]) <= 0.60
    assert 0.93 <= coverage(found["shuffled"]) <= 0.99


@pytest.mark.parametrize("a, b, right, wrong", [("Spanish", "Danish", 65, 0), ("Portuguese", "Danish", 12, 1)])
def test_conclusions(found, a, b, right, wrong):  # Figures 7 and 8
    pair = found["broad"].pair(a, b)
    by_koehn, by_ar = pair.tally("koehn"), pair.tally("ar")
    assert abs(by_koehn.right - right) <= 16 and abs(by_koehn.wrong - wrong) <= 3
    assert by_ar.right <= by_koehn.right and by_ar.wrong <= by_koehn.wrong  # two-sided, so it concludes less often
