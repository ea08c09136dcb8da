"""Word error rate against the table of edit distances, filled by its definition, and counts by hand."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given

from mtsig_core.metrics.wer import Wer
from tests.metrics.corpora import corpora, split, texts, toy


def distance(a, b):
    @cache
    def cost(i, j):
        if not i or not j:
            return i + j
        return min(cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return cost(len(a), len(b))


@given(corpora())
def test_any_corpus(testset):
    stats = Wer(tokenize="none").statistics(testset)
    for s, i, words, refs in split(testset):
        errors, length = min((distance(words, ref), -len(ref)) for ref in refs)
        assert stats[s, i].tolist() == [errors, -length]


@pytest.mark.parametrize("output, reference, errors", [
    ("a b c", "a b c", 0), ("a b c", "a c", 1), ("a c", "a b c", 1), ("a x c", "a b c", 1), ("b a", "a b", 2),
    ("", "a b", 2), ("a b", "", 2), ("b c d a", "a b c d", 2), ("a a a a", "a", 3)])
def test_by_hand(output, reference, errors):
    assert Wer().statistics(toy([[output]], [[reference]]))[0, 0].tolist() == [errors, len(reference.split())]


def test_rates():
    sums = np.array([[3, 12], [0, 5], [6, 4], [0, 0], [2, 0]])
    assert Wer().score(sums).tolist() == [25, 0, 150, 0, 100]


def test_of_several_references_the_nearest_counts_and_of_two_as_near_the_longer():
    testset = toy([["a b c", "a b c"]], [["a b", "x"], ["a b c d", "a b c x y"], ["a x y d", None]])
    assert Wer().statistics(testset)[0].tolist() == [[1, 4], [2, 5]]
    assert Wer().signature(testset) == "nrefs:var|case:mixed|tok:13a|ref:fewest-errors"


@given(texts(), texts())
def test_is_symmetric(one, two):
    def errors(a, b):
        return Wer().statistics(toy([[a]], [[b]]))[0, 0, 0]

    assert errors(one, two) == errors(two, one)
    assert errors(one + " d", two + " d") == errors("d " + one, "d " + two) == errors(one, two)


def test_long_segments():
    words = [f"w{k}" for k in np.random.default_rng(1).integers(0, 9, 3000)]
    kept = [word for k, word in enumerate(words) if k % 10]
    assert Wer().statistics(toy([[" ".join(kept)]], [[" ".join(words)]]))[0, 0].tolist() == [300, 3000]
