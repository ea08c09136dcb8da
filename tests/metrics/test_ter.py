"""TER against sacreBLEU: edits and lengths of each segment, scores."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from mtsig_core import read_wmt
from mtsig_core.metrics import counting
from mtsig_core.metrics.kernels.edits import count as count_edits
from mtsig_core.metrics.ter import Ter
from tests.metrics.corpora import corpora, texts, toy

HARD = [
    "", " ", "\t\n ", "a", "A", ".", "a.", "a .", "(Hi) hi, HI!", "Der Hund, der bellt, beißt nicht.", "1,000.5 5-3 -5",
    "&quot;ja&quot; &amp;lt; &lt;b&gt;", "a-\nb \n-c", "the dog's 's cat's",
    "a\u00a0b\u2028c\u2029d\u3000e\u202ff\u200bg",
    "a\r\nb\x0bc\x0cd\x1ce\x1fd\x85e", "e\u0301a\u0308 \u0301.", "👍🏽 👨\u200d👩\u200d👧.", "\U00020000 中\U0002a6d6",
    "价格是1,000.5元。", "「日本語」の文章です。カタカナ", "한국어 문장입니다.", "İSTANBUL ΣΑΣ ẞ ǅ",
    "\ud800.5\udfff a\udc00", "a\0b\0.5", "\uffff\U0010ffff.", "？！（ａ）．，",
]
SETTINGS = [dict(), dict(case_sensitive=True), dict(normalized=True), dict(no_punct=True),
            dict(normalized=True, asian_support=True), dict(no_punct=True, asian_support=True),
            dict(normalized=True, no_punct=True, asian_support=True, case_sensitive=True), dict(asian_support=True)]


def statistics_of_sacrebleu(testset, **settings):
    theirs, refs = TER(**settings), list(testset.references.values())
    return np.array([theirs._extract_corpus_statistics(hyps, refs) for hyps in testset.systems.values()])


def assert_identical(testset, **settings):
    np.testing.assert_array_equal(Ter(**settings).statistics(testset), statistics_of_sacrebleu(testset, **settings))


def edits(output, reference):
    return Ter().statistics(toy([[output]], [[reference]]))[0, 0].tolist()


# -- counted by hand -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("output, reference, expected", [
    ("a b c", "a b c", 0), ("A b", "a B", 0), ("", "", 0), ("", "a b", 2), ("a b c", "", 3), ("a b", "c d", 2),
    ("a c", "a b c", 1), ("a x b", "a b", 1), ("a x c", "a b c", 1),
    ("b c d a", "a b c d", 1),  # one shift
    ("b c a x d", "a b c d", 2),  # one shift, one word left out
    ("d e f a b c", "a b c d e f", 1),  # a stretch of three
    ("c d b a", "a b c d", 2),  # two shifts
    ("b a d c", "a b c d", 2),  # two shifts of neighbours
])
def test_counted_by_hand(output, reference, expected):
    assert edits(output, reference) == [expected, len(reference.split())]


def test_a_stretch_is_shifted_whole_up_to_ten_words():
    def moved(n):
        words = [f"w{i}" for i in range(n)]
        return " ".join([*words, *"abcdefghijklmno"]), " ".join([*"abcdefghijklmno", *words])

    assert edits(*moved(10))[0] == 1
    assert edits(*moved(11))[0] == 2
    assert_identical(toy([[moved(11)[0], moved(14)[0]]], [[moved(11)[1], moved(14)[1]]]))


def test_the_fewest_edits_over_the_mean_length():
    testset = toy([["a b c", "a", "a"]], [["a b c d e", "x y", "b"], ["a b", None, "c d"], ["b c d", None, None]])
    ours = Ter().statistics(testset)
    assert ours.dtype == np.float64
    assert ours[0].tolist() == [[1, 10 / 3], [2, 2], [1, 1.5]]
    assert_identical(testset)


def test_one_reference_for_each_segment_gives_whole_numbers():
    assert Ter().statistics(toy([["a b", "c"]], [["a", None], [None, "d"]])).dtype == np.int32


# -- any texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_hard_cases(options):
    mixed = [f"{a} {b}" for a, b in zip(HARD, [*HARD[1:], HARD[0]], strict=True)]
    assert_identical(toy([HARD, mixed, mixed[::-1]], [mixed, [*HARD[3:], *HARD[:3]]]), **options)


@given(testset=corpora("abc", 12))
def test_repeated_words_and_missing_references(testset):
    assert_identical(testset)


@given(testset=corpora("abcdefgh", 14, most=2))
def test_words_that_seldom_repeat(testset):
    assert_identical(testset)


@given(st.lists(st.text(max_size=30), min_size=2, max_size=4), st.sampled_from(SETTINGS))
def test_any_unicode(lines, options):
    assert_identical(toy([lines], [[*lines[1:], lines[0]]]), **options)


@given(output=texts("abcd", 12), order=st.randoms())
def test_never_more_than_the_edit_distance_and_symmetric_in_names_of_words(output, order):
    words = output.split()
    order.shuffle(words)
    reference = " ".join(words)
    renamed = str.maketrans("abcd", "zyxw")
    assert edits(output, reference) == edits(output.translate(renamed), reference.translate(renamed))
    assert edits(output, reference)[0] <= sum(a != b for a, b in zip(output.split(), words, strict=True))


def salad(rng, longest):
    """A reference of few or many different words, and an output made from it by moves, errors and omissions."""
    words = [f"w{i}" for i in range(rng.choice([2, 3, 5, 12, 60]))]
    reference = rng.choices(words, k=rng.randrange(longest))
    output = list(reference)
    for _ in range(rng.randrange(4)):
        start, length = rng.randrange(len(output) + 1), rng.randrange(1, 6)
        stretch = output[start:start + length]
        del output[start:start + length]
        to = rng.randrange(len(output) + 1)
        output[to:to] = stretch
    output = [word if rng.random() < .85 else rng.choice(words) for word in output if rng.random() < .93]
    return " ".join(output), " ".join(reference)


def test_many_word_salads():
    rng = random.Random(5)
    outputs, references = zip(*(salad(rng, 12) for _ in range(1500)), strict=True)
    assert_identical(toy([outputs], [references]))


def test_longer_word_salads():
    rng = random.Random(6)
    outputs, references = zip(*(salad(rng, 45) for _ in range(30)), strict=True)
    assert_identical(toy([outputs], [references]))


# -- limits of the search ------------------------------------------------------------------------------------


def numbered(first, last):
    return " ".join(f"w{i}" for i in range(first, last))


@pytest.mark.parametrize("n_output, n_reference", [(1, 130), (2, 130), (130, 1), (3, 60), (60, 3), (30, 90), (90, 30)])
def test_lengths_that_leave_the_diagonal(n_output, n_reference):
    rng = random.Random(n_output)
    words = [f"w{i}" for i in range(20)]
    pairs = [(rng.choices(words, k=n_output), rng.choices(words, k=n_reference))]
    pairs.append((pairs[0][1][-n_output:], pairs[0][1]))
    outputs, references = zip(*((" ".join(a), " ".join(b)) for a, b in pairs), strict=True)
    assert_identical(toy([outputs], [references]))


def test_words_at_the_edges_of_the_beam():
    same_length = [(numbered(k, k + 60), numbered(0, 60)) for k in (24, 25)]
    one_match = [(f"{numbered(k, k + 1)} x", numbered(0, 130)) for k in (5, 6, 7, 8, 121, 122, 123, 124)]
    pairs = [*same_length, *((b, a) for a, b in same_length), *one_match]
    outputs, references = zip(*pairs, strict=True)
    testset = toy([outputs], [references])
    assert_identical(testset)
    assert Ter().statistics(testset)[0, -8:, 0].tolist().count(130) > 0  # out of sight


@pytest.mark.parametrize("distance", [24, 27, 49, 50, 51, 60])
def test_matches_far_from_the_diagonal(distance):
    """Words beyond the beam are not aligned, and those more than 50 positions away are not shifted."""
    output = f"x y {numbered(0, distance)} {numbered(100, 110)}"
    reference = f"{numbered(0, distance)} x y {numbered(100, 110)}"
    inserted = f"{numbered(200, 200 + distance)} {numbered(0, 40)}"
    assert_identical(toy([[output, inserted]], [[reference, numbered(0, 40)]]))


def test_the_search_gives_up_after_a_thousand_tries():
    outputs = ["a b " * 14, "a a b " * 9, "b a a c " * 8]
    references = ["b a " * 14 + "c", "b a a " * 9, "a b c a " * 8]
    assert_identical(toy([outputs], [references]))


def test_real_outputs(wmt24):
    """Every 40th segment, the longest left to the slow test."""
    testset = read_wmt(wmt24, "en-de")
    first = next(iter(testset.references))
    short = [i for i in range(3, testset.n_segments, 40) if len(testset.references[first][i]) < 250]
    part = testset.only(list(testset.systems)[::6]).take(short)
    assert len(short) > 10
    assert_identical(part.scored_with([first]))
    assert_identical(part.only(list(part.systems)[:1]))


@pytest.mark.slow
def test_every_segment_of_real_outputs(wmt24):
    testset = read_wmt(wmt24, "en-de")
    assert_identical(testset.scored_with([next(iter(testset.references))]).only(list(testset.systems)[:3]))


# -- scores --------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 3) | st.integers(0, 10**6)), min_size=1, max_size=5))
def test_scores_are_sacrebleus(sums):
    theirs = [TER()._compute_score_from_stats(list(s)).score for s in sums]
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        assert Ter().score(np.array(sums, dtype)).tolist() == theirs
    assert Ter().score(np.array(sums[0])) == theirs[0] and np.shape(Ter().score(np.array(sums[0]))) == ()
    stats_outermost = np.asfortranarray(np.array([sums, sums]))
    assert Ter().score(stats_outermost).tolist() == [theirs, theirs]


@pytest.mark.filterwarnings("error")
def test_zeros_raise_no_warning_and_nothing_gives_nothing():
    assert Ter().score(np.zeros((3, 2))).tolist() == [0, 0, 0]
    assert Ter().score(np.zeros((3, 0, 2))).shape == (3, 0)


# -- what every metric keeps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 50])
def test_blocks_do_not_show(monkeypatch, size):
    testset = toy([HARD, HARD[::-1]], [[*HARD[1:], "a"]])
    whole = Ter().statistics(testset)
    monkeypatch.setattr(counting, "_BLOCK", size)
    np.testing.assert_array_equal(Ter().statistics(testset), whole)
    assert len(count_edits.signatures) == 1  # as many blocks as there are: compiled once


@pytest.mark.parametrize("options", SETTINGS, ids=str)
def test_signature_is_sacrebleus(options):
    for refs in ([["a", "b"]], [["a", "b"], ["c", None]]):
        theirs = TER(**options)
        theirs.corpus_score(["a", "b"], refs)
        assert Ter(**options).signature(toy([["a", "b"]], refs)) == theirs.get_signature().format()
