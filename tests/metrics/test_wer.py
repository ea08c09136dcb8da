"""Word error rates against the table of edit distances, counted bags of words, and counts by
hand.
"""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given

from mtsig_core.metrics.wer import Per, Wer
from tests.builders.corpora import corpora, split, toy

BOTH = pytest.mark.parametrize("metric", [Wer, Per])


def distance(a, b):
    @cache
    def cost(i, j):
        if not i or not j:
            return i + j
        return min(
            cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        )

    return cost(len(a), len(b))


def unshared(a, b):
    """Half of the difference of the lengths and of the counts of each word (Popovic and Ney
    2007).
    """
    counts, others = Counter(a), Counter(b)
    return (abs(len(a) - len(b)) + sum(abs(counts[word] - others[word]) for word in {*a, *b})) // 2


@pytest.mark.parametrize("metric, count", [(Wer, distance), (Per, unshared)])
@given(testset=corpora())
def test_any_corpus(metric, count, testset):
    stats = metric(tokenize="none").statistics(testset)
    for s, i, words, refs in split(testset):
        errors, length = min((count(words, ref), -len(ref)) for ref in refs)
        assert stats[s, i].tolist() == [errors, -length]


@BOTH
def test_of_several_references_the_nearest_counts_and_of_two_as_near_the_longer(metric):
    testset = toy([["a b c", "a b c"]], [["a b", "x"], ["a b c d", "a b c x y"], ["a x y d", None]])
    assert metric().statistics(testset)[0].tolist() == [[1, 4], [2, 5]]
    assert metric().signature(testset) == "nrefs:var|case:mixed|tok:13a|ref:fewest-errors"


def test_rates():
    sums = np.array([[3, 12], [0, 5], [6, 4], [0, 0], [2, 0]])
    assert Wer().score(sums).tolist() == [25, 0, 150, 0, 100]
