"""GTM against a plain search for the longest run, all matches of short texts, and counts by
hand.
"""

from collections import Counter
from math import sqrt

import pytest
from hypothesis import given

from mtsig_core.metrics.gtm import Gtm, Gtm2
from tests.builders.corpora import corpora, split, texts, toy


def runs_of_greedy(words, refs):
    """Lengths of the runs, the longest of those left first, by looking at all of them each time."""
    free = set(range(len(words)))
    left = {(r, j) for r, ref in enumerate(refs) for j in range(len(ref))}
    lengths = []
    while True:
        best = (0,)
        for i in sorted(free):
            for r, j in sorted(left):
                n = 0
                while i + n in free and (r, j + n) in left and words[i + n] == refs[r][j + n]:
                    n += 1
                if n > best[0]:
                    best = n, i, r, j
        if not best[0]:
            return lengths
        n, i, r, j = best
        free -= set(range(i, i + n))
        left -= {(r, j + k) for k in range(n)}
        lengths.append(n)


def largest(a, b, exponent):
    """The largest sum of length^exponent over the runs of any match: the match of a's words is a
    list of places.
    """
    best = 0

    def go(i, used, length, last, total):
        nonlocal best
        if i == len(a):
            best = max(best, total + length**exponent)
            return
        go(i + 1, used, 0, -2, total + length**exponent)
        for j, word in enumerate(b):
            if word == a[i] and j not in used:
                if j == last + 1:
                    go(i + 1, used | {j}, length + 1, j, total)
                else:
                    go(i + 1, used | {j}, 1, j, total + length**exponent)

    go(0, frozenset(), 0, -2, 0)
    return best


@given(corpora("abcd", longest=10))
def test_any_corpus(testset):
    one, two = Gtm(tokenize="none").statistics(testset), Gtm2(tokenize="none").statistics(testset)
    for s, i, words, refs in split(testset):
        mean = sum(map(len, refs)) / len(refs)
        shared = sum((Counter(words) & Counter(word for ref in refs for word in ref)).values())
        assert one[s, i].tolist() == [min(shared, mean), len(words), mean]
        size = sqrt(sum(n * n for n in runs_of_greedy(words, refs)))
        assert two[s, i].tolist() == pytest.approx([min(size, mean), len(words), mean])


@given(texts("abc", 7), texts("abc", 7))
def test_the_largest_match_of_all(output, reference):
    testset = toy([[output]], [[reference]])
    a, b = output.split(), reference.split()
    assert Gtm().statistics(testset)[0, 0, 0] == largest(a, b, 1)
    assert Gtm2().statistics(testset)[0, 0, 0] <= sqrt(largest(a, b, 2)) + 1e-12


def test_references_are_averaged_and_the_match_is_no_longer_than_that():
    testset = toy([["a b c d", "a b"]], [["a b", "a x y"], ["c d", None]])
    assert Gtm().statistics(testset)[0].tolist() == [[2, 4, 2], [1, 2, 3]]
    assert Gtm().signature(testset) == "nrefs:var|case:mixed|tok:13a|e:1"
    assert Gtm2().signature(testset) == "nrefs:var|case:mixed|tok:13a|e:2"
