"""NIST against figures of mteval-v13a, a plain computation, and counts by hand."""

from math import log2

import numpy as np
import pytest
from hypothesis import given

from mtsig_core.metrics.nist import Nist
from tests.builders.corpora import corpora, toy
from tests.builders.plain_nist import plain

HYPOTHESIS = [
    "The cat sat on the mat, 0 degrees outside.",
    "It cost 0 euro and 0 cents; the U.S. paid 1,000.50 dollars.",
    "",
    "A dog barks &quot;loudly&quot; at the well-known 5-4 score.",
    "the end is near",
]
FIRST = [
    "The cat sat on a mat at 0 degrees outside.",
    "It cost 0 euro and 50 cents; the U.S. paid 1,000.50 dollars.",
    "Nothing here.",
    'The dog barks "loudly" at a well-known 5-4 score, 0 degrees below.',
    "The end is near, the end is here.",
]
SECOND = [
    "A cat was sitting on the mat, 0 degrees outside.",
    "The price was 0 euro and 0 cents, and the U.S. paid $1,000.50.",
    "There is nothing.",
    "A dog is barking loudly at the 5-4 result.",
    "The end is near.",
]


def score(testset, **settings):
    metric = Nist(**settings)
    return metric.score(metric.statistics(testset).sum(axis=1))


@pytest.mark.parametrize(
    "system, references, official",
    [
        (HYPOTHESIS, [FIRST], 4.0694),
        (HYPOTHESIS, [FIRST, SECOND], 5.8271),
        (SECOND, [FIRST], 3.3175),
    ],
)
def test_the_figures_of_mteval_v13a_with_case_kept(system, references, official):
    assert score(toy([system], references)) == pytest.approx(official, abs=5e-5)


@given(corpora())
def test_any_corpus(testset):
    np.testing.assert_allclose(
        score(testset, tokenize="none"), plain(testset), rtol=1e-9, atol=1e-12
    )


def test_the_token_0_is_no_context():
    stats = Nist().statistics(toy([["0 a", "1 a"]], [["0 a", "1 a"]]))
    assert stats[0, :, 1].tolist() == [log2(4 / 1), 0]  # a after 0: 1 of 4 words, not of one 0


def test_a_part_of_a_test_set_has_weights_of_its_own():
    testset = toy([["a b", "a c"]], [["a b", "a c"]])
    part = testset.take([0])
    assert Nist().statistics(testset)[0, 0, :2].tolist() == [1 + 2, 1]
    assert Nist().statistics(part)[0, 0, :2].tolist() == [1 + 1, 0]
    assert Nist().signature(testset) == "nrefs:1|case:mixed|tok:13a|n:5|weights:2-segments"


@pytest.mark.parametrize("segments", [[3, 1, 4, 1], list(range(12)), [7]])
def test_parts_are_counted_as_test_sets_of_their_own(segments):
    """Segments drawn twice, the word 0, empty texts and missing references."""
    from mtsig_core.testset import TestSet

    reference = [f"a 0 b {k % 3} c" for k in range(11)] + [""]
    other = [None if k % 4 == 1 else f"a 0 0 b {k}" for k in range(12)]
    testset = TestSet(
        "toy",
        {"A": [f"a 0 b {k % 2} c" for k in range(12)], "B": ["", *reference[1:]]},
        {"r1": reference, "r2": other},
    )
    for metric in (Nist(), Nist(lowercase=True)):
        counted = metric.parts(testset)(np.array(segments))
        assert np.array_equal(counted, metric.statistics(testset.take(segments)))
