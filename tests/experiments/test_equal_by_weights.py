"""Documents weighted so that two systems are equal: against scipy, simulation and closed forms."""

import numpy as np
import pytest
from scipy import optimize, stats

from mtsig_core.experiments.error_rates import equal_weights, predicted_rejections
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores
from mtsig_core.stats.resampling import Units
from tests.builders.toys import bleu_counts

HUMAN = SegmentMean("human", True)


def means(differences, documents):
    """Scores of two systems that differ by so much in each segment."""
    b = np.random.default_rng(0).normal(50, 5, len(differences))
    return np.stack(
        [np.stack([scores, np.ones(len(b))], axis=-1) for scores in (b + differences, b)]
    ), documents


def hierarchical(seed, sd_document, mean, n=400, size=8):
    rng = np.random.default_rng(seed)
    documents = np.repeat(np.arange(n), size)
    return means(
        mean + sd_document * rng.normal(size=n)[documents] + rng.normal(size=n * size), documents
    )


def test_weights_are_the_nearest_that_make_equal():
    """Least relative entropy under the constraint, by scipy's optimizer."""
    differences = np.array([1.0, 2.0, -1.5, 0.5, 1.0, -0.5])
    both, documents = means(differences, np.arange(6))
    found = equal_weights(HUMAN, both, documents)
    theirs = optimize.minimize(
        lambda w: np.sum(w * np.log(6 * w)),
        np.full(6, 1 / 6),
        bounds=[(1e-9, 1)] * 6,
        constraints=[
            dict(type="eq", fun=lambda w: w.sum() - 1),
            dict(type="eq", fun=lambda w: w @ differences),
        ],
    )
    assert found.weights == pytest.approx(
        theirs.x, abs=1e-4
    ) and found.weights.sum() == pytest.approx(1)
    assert found.effective == pytest.approx(1 / np.sum(theirs.x**2), rel=1e-3)


def test_bleu_of_the_weighted_documents_is_equal():
    counts, documents = bleu_counts(seed=3, qualities=[0, 0.15], n_segments=600)
    _, documents = np.unique(documents, return_inverse=True)
    found = equal_weights(Bleu(), counts, documents)
    a, b = Bleu().score(np.einsum("n,snk->sk", found.weights[documents] * 1e6, counts))
    assert (
        a == pytest.approx(b, abs=1e-6)
        and abs(np.subtract(*Bleu().score(counts.sum(axis=1)))) > 0.1
    )


@pytest.mark.parametrize("sd_document", [0.0, 0.3, 0.6])
def test_the_ratio_is_that_of_the_intra_class_correlation(sd_document):
    """Design effect 1 + (m - 1) rho (Kish 1965), m segments to a document, rho from the model that
    made the scores.
    """
    both, documents = hierarchical(4, sd_document, 0.1)
    rho = sd_document**2 / (sd_document**2 + 1)
    assert equal_weights(HUMAN, both, documents).se_ratio == pytest.approx(
        np.sqrt(1 + 7 * rho), rel=0.08
    )


def test_the_ratio_for_bleu_is_that_of_bootstraps():
    counts, documents = bleu_counts(seed=3, qualities=[0, 0.01], n_segments=900)
    _, documents = np.unique(documents, return_inverse=True)
    found = equal_weights(Bleu(), counts, documents)
    spread = {}
    for unit, units in (
        ("document", Units("document", documents, documents.max() + 1)),
        ("segment", Units.segments(900)),
    ):
        scores = bootstrap_scores(UnitStatistics(Bleu(), counts, units), 4000, 1)
        spread[unit] = np.std(scores[0] - scores[1])
    assert found.effective > 0.95 * (documents.max() + 1)
    assert found.se_ratio == pytest.approx(spread["document"] / spread["segment"], rel=0.06)


@pytest.mark.parametrize(
    "differences",
    [
        np.ones(20),
        np.zeros(20),
        5 + np.random.default_rng(2).normal(size=20),
        np.append(np.full(19, 1.0), -2.0),
    ],
)
def test_what_no_weights_make_equal(differences):
    both, documents = means(differences, np.arange(20))
    assert equal_weights(HUMAN, both, documents) is None


def test_predicted_rejections_are_those_of_a_z_test():
    for ratio, alpha in ((1.23, 0.05), (1.5, 0.01), (0.8, 0.1)):
        critical = stats.norm.isf(alpha / 2)
        assert predicted_rejections(ratio, alpha) == pytest.approx(
            2 * stats.norm.sf(critical, scale=ratio)
        )
