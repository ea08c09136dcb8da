"""How often a release passes that truly loses its margin: rule ``not-noninferior``."""

import numpy as np
import pytest

from mtsig_core import TestSet, compare, judge_release
from mtsig_core.simulation.corpus import load_demo
from tests.builders.score_tables import rated_systems

pytestmark = pytest.mark.statistics
N_RELEASES = 600


def count_passes(draw, margin, metric):
    n_passes = 0
    for number in range(N_RELEASES):
        rng = np.random.default_rng([17, number])
        result = compare(
            draw(rng), metric, baseline="old", trials=99, resamples=400, by_reference=False
        )
        n_passes += judge_release(result, "not-noninferior", {metric: margin}).passed
    return n_passes / N_RELEASES


@pytest.mark.parametrize("n_documents, skewed", [(12, False), (60, False), (60, True)])
def test_ratings_that_lose_the_margin(n_documents, skewed):
    """Documents of 1 to 12 segments, alike within; the release loses 2 points everywhere."""

    def draw(rng):
        sizes = rng.integers(1, 13, n_documents)
        documents = np.repeat(np.arange(n_documents), sizes)
        effect = rng.normal(0, 2, n_documents)[documents]
        noise = rng.normal(0, 5, len(documents))
        if skewed:
            noise = 5 * (rng.exponential(1, len(documents)) - 1)
        old = rng.normal(70, 10, len(documents))
        return rated_systems({"new": old - 2 + effect + noise, "old": old}, documents)

    assert 0.025 < count_passes(draw, 2.0, "human") < 0.085


def test_outputs_that_lose_the_margin():
    """BLEU of 300 segments drawn from many, on which the release loses exactly the margin."""
    corpus = load_demo(6000).only(["Danish", "Greek"])
    reference = corpus.references["ref"]
    outputs = {"new": corpus.systems["Greek"], "old": corpus.systems["Danish"]}
    (pair,) = compare(corpus, "bleu", trials=99, resamples=100).metrics["bleu"].pairs

    def draw(rng):
        segments = rng.integers(0, 6000, 300).tolist()
        drawn = {name: [texts[k] for k in segments] for name, texts in outputs.items()}
        return TestSet("drawn", drawn, {"ref": [reference[k] for k in segments]})

    assert pair.a == "Danish"
    assert 0.025 < count_passes(draw, pair.delta, "bleu") < 0.085
