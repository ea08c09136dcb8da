"""Populations to draw test sets from: made-up ones that are always there, and the outputs of WMT
2024.
"""

from functools import cache

import numpy as np
import pytest

from mtsig_core import read_wmt
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats import engine
from mtsig_core.stats.resampling import Units
from tests.builders.populations import OTHERS, SPANISH, Population
from tests.builders.toys import bleu_counts

SIX_ALIKE = ("ONLINE-A", "IOL-Research", "ONLINE-W", "GPT-4", "Gemini-1.5-Pro", "ONLINE-G")


@cache
def _of_demo():
    corpus = load_demo()
    return corpus, Bleu().statistics(corpus)


@pytest.fixture(scope="session")
def demo():
    return _of_demo()[0]


@pytest.fixture(scope="session")
def counts():
    """Of the simulated corpus, shape (6, 30000, 10)."""
    return _of_demo()[1]


@pytest.fixture(scope="session", params=["made-up", pytest.param("wmt24", marks=pytest.mark.long)])
def population(request):
    """Where a test names them, also the simulated corpus, Spanish and another system first."""
    if request.param == "made-up":
        return Population(*bleu_counts(seed=1, qualities=[0] * 6, n_segments=1000))
    if request.param in OTHERS:
        corpus, counts = _of_demo()
        pair = SPANISH, OTHERS[request.param]
        return Population(
            counts[[*pair, *(k for k in range(6) if k not in pair)]], corpus.document_index
        )
    testset = (
        read_wmt(request.getfixturevalue("wmt24"), "en-de").scored_with(["refA"]).only(SIX_ALIKE)
    )
    return Population(Bleu().statistics(testset), testset.document_index)


@pytest.fixture(scope="session")
def data():
    """BLEU counts (systems, segments, 10) -> what the engine works on, a unit being a segment
    unless said.
    """

    def make(counts, units=None):
        n = counts.shape[1]
        return engine.UnitStatistics(Bleu(), counts, units or Units("segment", np.arange(n), n))

    return make
