"""Two populations to draw test sets from: a made-up one that is always there, and the outputs of WMT 2024."""

from typing import NamedTuple

import numpy as np
import pytest

from mtsig_core import read_wmt
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.stats import engine
from mtsig_core.stats.resampling import Units
from tests.toys import bleu_counts

SIX_ALIKE = ("ONLINE-A", "IOL-Research", "ONLINE-W", "GPT-4", "Gemini-1.5-Pro", "ONLINE-G")


class Population(NamedTuple):
    """BLEU counts of six systems about as good as each other, (6, segments, 10), and the document of each segment."""

    counts: np.ndarray
    documents: np.ndarray


@pytest.fixture(scope="session", params=["made-up", pytest.param("wmt24", marks=pytest.mark.slow)])
def population(request):
    if request.param == "made-up":
        return Population(*bleu_counts(seed=1, qualities=[0] * 6, n_segments=1000))
    testset = read_wmt(request.getfixturevalue("wmt24"), "en-de").scored_with(["refA"]).only(SIX_ALIKE)
    return Population(Bleu().statistics(testset), testset.document_index)


@pytest.fixture(scope="session")
def data():
    """BLEU counts (systems, segments, 10) -> what the engine works on, a unit being a segment unless said."""
    def make(counts, units=None):
        n = counts.shape[1]
        return engine.UnitStatistics(Bleu(), counts, units or Units("segment", np.arange(n), n))
    return make
