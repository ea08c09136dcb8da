"""Position-independent error rate against its second formula, and counts by hand."""

from collections import Counter

import pytest
from hypothesis import given

from mtsig_core.metrics.wer import Per, Wer
from tests.metrics.corpora import corpora, split, texts, toy


def errors(a, b):
    """Half of the difference of the lengths and of the counts of each word (Popovic and Ney 2007)."""
    counts, others = Counter(a), Counter(b)
    return (abs(len(a) - len(b)) + sum(abs(counts[word] - others[word]) for word in {*a, *b})) // 2


@given(corpora())
def test_any_corpus(testset):
    stats = Per(tokenize="none").statistics(testset)
    for s, i, words, refs in split(testset):
        fewest, length = min((errors(words, ref), -len(ref)) for ref in refs)
        assert stats[s, i].tolist() == [fewest, -length]


@pytest.mark.parametrize("output, reference, errors", [
    ("c b a", "a b c", 0), ("a b c", "a c", 1), ("a c", "a b c", 1), ("c x a", "a b c", 1), ("", "a b", 2),
    ("a b", "", 2), ("a a b", "a b b", 1), ("a a a a", "a", 3), ("x y", "a b c", 3)])
def test_by_hand(output, reference, errors):
    assert Per().statistics(toy([[output]], [[reference]]))[0, 0].tolist() == [errors, len(reference.split())]


def test_of_several_references_the_nearest_counts_and_of_two_as_near_the_longer():
    testset = toy([["c b a", "a b c"]], [["a b", "x"], ["a b c d", "y x c b a"], ["d x y a", None]])
    assert Per().statistics(testset)[0].tolist() == [[1, 4], [2, 5]]


@given(corpora("abcde"))
def test_never_more_errors_than_wer(testset):
    assert (Per().statistics(testset)[..., 0] <= Wer().statistics(testset)[..., 0]).all()


@given(texts(), texts())
def test_order_does_not_matter(output, reference):
    reverse = " ".join(output.split()[::-1])
    stats = Per().statistics(toy([[output], [reverse]], [[reference]]))
    assert stats[0].tolist() == stats[1].tolist()
