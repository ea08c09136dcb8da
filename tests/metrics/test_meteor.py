"""METEOR against all alignments of short sentences, and counts by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtsig_core.metrics import meteor as meteor_module
from mtsig_core.metrics.meteor import Meteor
from tests.metrics.corpora import corpora, split, texts, toy

STEM = {"runs": "run", "running": "run", "cats": "cat"}
WORDS = ["run", "runs", "running", "cat", "cats", "a"]


def alignments(a, b):
    """All ways to match words as they are, or else by stems, as {word of a: word of b}."""
    kinds = [[None, *(j for j in range(len(b)) if STEM.get(a[i], a[i]) == STEM.get(b[j], b[j]))] for i in range(len(a))]
    for choice in product(*kinds):
        taken = [j for j in choice if j is not None]
        if len(set(taken)) == len(taken):
            yield {i: j for i, j in enumerate(choice) if j is not None}


def matches_and_chunks(a, b):
    """The most exact matches, then the most by stems, then the fewest chunks."""
    best = max((sum(a[i] == b[j] for i, j in found.items()), len(found),
                -sum(found.get(i - 1, -2) != j - 1 for i, j in found.items())) for found in alignments(a, b))
    return best[1], -best[2]


def points(matches, chunks, sys_len, ref_len):
    if not matches:
        return 0
    p, r = matches / sys_len, matches / ref_len
    return 100 * 10 * p * r / (r + 9 * p) * (1 - .5 * (chunks / matches) ** 3)


@given(texts(WORDS, 5), texts(WORDS, 6))
@settings(max_examples=200, deadline=None)
def test_the_fewest_chunks_of_all_alignments(output, reference):
    stats = Meteor().statistics(toy([[output]], [[reference]]))[0, 0]
    a, b = output.split(), reference.split()
    assert stats.tolist() == [*matches_and_chunks(a, b), len(a), len(b)]


@given(texts("abc", 7), texts("abc", 8))
@settings(max_examples=100, deadline=None)
def test_repeated_words(output, reference):
    a, b = output.split(), reference.split()
    assert tuple(Meteor().statistics(toy([[output]], [[reference]]))[0, 0, :2]) == matches_and_chunks(a, b)


@given(corpora(WORDS, 4))
@settings(max_examples=100, deadline=None)
def test_the_reference_with_the_best_score_counts(testset):
    stats = Meteor().statistics(testset)
    for s, i, words, refs in split(testset):
        best = max(points(*matches_and_chunks(words, ref), len(words), len(ref)) for ref in refs)
        assert points(*stats[s, i].tolist()) == pytest.approx(best)
        assert stats[s, i, 2] == len(words) and stats[s, i, 3] in {len(ref) for ref in refs}


@pytest.mark.parametrize("output, reference, matches, chunks", [
    # The example of Banerjee and Lavie (2005), section 2.2: "the president" and "spoke to the audience".
    ("the president spoke to the audience", "the president then spoke to the audience", 6, 2),
    ("the cat", "the dog and the cat", 2, 1), ("c b a", "a b c", 3, 3), ("a b c", "a b c", 3, 1), ("a", "b", 0, 0),
    ("Running cats", "the cat runs", 2, 2),
    ("running running x run", "run run x runs", 4, 3), ("cat cats", "cats cat", 2, 2),
    ("cats cats cat", "cat cats a", 2, 2),
    ("", "a", 0, 0), ("a b x a b", "a b a b", 4, 2), ("x a b a b", "a b a b", 4, 1)])
def test_by_hand(output, reference, matches, chunks):
    assert Meteor().statistics(toy([[output]], [[reference]]))[0, 0, :2].tolist() == [matches, chunks]


@given(st.lists(st.integers(1, 60), min_size=4, max_size=4).map(sorted))
def test_the_formula(numbers):
    chunks, matches, sys_len, ref_len = numbers
    assert Meteor().score(np.array([matches, chunks, sys_len, ref_len])) == pytest.approx(
        points(matches, chunks, sys_len, ref_len))
    assert Meteor().score(np.array([0, 0, sys_len, ref_len])) == 0


def test_stemmers_by_language():
    def matches(output, reference, langpair):
        return Meteor().statistics(toy([[output]], [[reference]], langpair=langpair))[0, 0, 0]

    assert matches("relational", "relate", "de-en") == matches("relational", "relate", None) == 1
    assert matches("relational", "relate", "en-de") == 0
    assert matches("Häuser", "Hauses", "en-de") == 1
    assert matches("cats", "cat", "en-ja_JP") == 0
    one = ["a"]
    assert "|syn:no|alpha:.9|beta:3|gamma:.5|stem:porter-snowball" in Meteor().signature(toy([one], [one]))
    assert Meteor(tokenize="13a").signature(toy([one], [one], langpair="en-ja")).endswith("|stem:no")
    assert "case:lc" in Meteor().signature(toy([one], [one]))


def test_a_long_segment_of_repeated_words_comes_to_an_end():
    rng = np.random.default_rng(2)
    output, reference = (" ".join(rng.choice([*"abcdefgh"], 300)) for _ in range(2))
    matches, chunks, sys_len, ref_len = Meteor().statistics(toy([[output]], [[reference]]))[0, 0].tolist()
    assert 240 < matches <= 300 == sys_len == ref_len and matches / 6 < chunks < matches / 1.5
    same = Meteor().statistics(toy([[output]], [[output]]))[0, 0].tolist()
    assert same == [300, 1, 300, 300] and meteor_module._STEPS > 1000
