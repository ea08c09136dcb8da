"""How often each test finds a difference where there is none."""

import pytest

from mtsig_core.experiments.error_rates import type_one
from mtsig_core.metrics.bleu import Bleu
from tests.builders.populations import populations
from tests.builders.toys import toy, with_statistics

pytestmark = pytest.mark.statistics


@pytest.fixture(
    scope="module", params=[(500, 199), pytest.param((2000, 499), marks=pytest.mark.long)], ids=str
)
def null_pairs(population, request):
    """Null pairs of 300 segments, and as many of 110 documents, of two systems.

    Pairs, not trials, make the chance error of a rate. With 199 trials p takes .05 exactly, as with
    499, so that the level is the same and the study takes half the time.
    """
    n_pairs, trials = request.param
    counts = population.counts[:2]
    testset = toy(*counts.shape[:2], population.documents)
    metric = with_statistics(Bleu(), counts)
    return type_one(testset, metric, n_pairs=n_pairs, trials=trials, seed=2024)


def chance(null_pairs):
    """What a rate of fewer pairs may lie outside of the bands, which are for 2,000: its standard
    error.
    """
    return 0.01 if null_pairs.n_pairs < 1000 else 0


@populations("corpus", marks=pytest.mark.long)
@pytest.mark.parametrize(
    "test, low, high",
    [
        ("ar", 0.035, 0.065),
        ("percentile", 0.035, 0.070),
        ("bootstrap", 0.035, 0.070),
        ("koehn", 0.08, 0.125),
        ("riezler-maxwell", 0.085, 0.135),
    ],
)
def test_rejections_of_true_nulls(null_pairs, test, low, high):
    assert null_pairs.n_segments == 300
    assert (
        low - chance(null_pairs)
        <= null_pairs.row("segment", "segment", test).rejected.share
        <= (high + chance(null_pairs))
    )


def test_documents_as_units_hold_the_level(null_pairs):
    assert null_pairs.n_documents == 110
    assert (
        0.03
        <= null_pairs.row("document", "document", "ar").rejected.share
        <= 0.065 + chance(null_pairs)
    )


def test_segments_as_units_do_not_where_documents_matter(null_pairs):
    assert null_pairs.row("document", "segment", "ar").rejected.share > 0.08


@pytest.mark.long
@pytest.mark.parametrize("population", ["corpus, nearest"], indirect=True)
def test_documents_as_units_hold_the_level_on_the_simulated_corpus_and_segments_do_not(null_pairs):
    assert (
        0.03
        <= null_pairs.row("document", "document", "ar").rejected.share
        <= 0.065 + chance(null_pairs)
    )
    assert null_pairs.row("document", "segment", "ar").rejected.share > 0.08
