"""BLEU statistics against sacreBLEU's, segment by segment."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from mtsig_core.errors import InputError
from mtsig_core.metrics import counting
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.tokenizers import make_tokenizer
from mtsig_core.testset import TestSet
from tests.metrics.corpora import hard, rotated, toy

WMT24 = Path(__file__).resolve().parents[3] / "shared" / "data" / "wmt24"

HARD = [
    "", " ", "\t\n ", ".", ",", "-", "a", "the the the the the", "Der Hund, der bellt, beißt nicht.",
    "1,000.5", "1.", ".5", ",5,", "a.5", "a..5", "a...5", "5..a", "5...5", "....", "...5", "5.", "5. ", "x,.5", "1.,2",
    "5-3", "-5", "5-", "5--3", "a-5-b", "5 -3", "5.-3", "5-.3", "٣-٤ ٣.٤",
    "&quot;ja&quot; &amp;lt; &lt;b&gt; &amp;amp; & &nbsp;", "<skipped>", "a<skipped>b. <skip>", "5<skipped>.5",
    "AT&T <3", "a-\nb", "a -\n", "5-\n3", "a\nb.\nc", "\n5.", "a\r\nb\x0bc\x0cd\x1ce\x1fd\x85e",
    "a\tb\u00a0c\u2028d\u2029e\u3000f\u202fg\u200bh\ufeffi", "5.\u00a05\u00a0.5", "\u3000.5\u3000", "5.\u2028",
    "{a}|~[b]\\^_`c!\"#$%'()*+/d:;<=>?@", "e\u0301a\u0308.5 \u0301.", "👍🏽👨\u200d👩\u200d👧.5 5👍-5-👍",
    "\U00020000\U0002f800.5中\U0002a6d6", "价格是1,000.5元。ＡＢＣ５．５", "中.5", "5.中", "5中-5", "第5-3章", "，.5",
    "你好，世界！Hello, world.", "…—‘’“”·•†2.5℃", "日本語の文章です。", "한국어 문장입니다.",
    "İSTANBUL ΣΑΣ ẞ ǅ", "\ud800.5\udfff a\udc00", "a\0b\0.5", "\uffff\U0010ffff.5",
]
# Pieces in which the rules about punctuation, digits and space meet often.
PIECES = [*"ab15.,-!& \t\n中。", "..", "&quot;", "&amp;", "&lt;", "<skipped>", "-\n", "\u00a0", "\u2028", "\u3000",
          "\u0301", "\uff11", "\U00020001", "the", "Ab"]


def statistics_of_sacrebleu(testset, **settings):
    bleu = BLEU(**settings)
    refs = list(testset.references.values())
    return np.array([bleu._extract_corpus_statistics(hyps, refs) for hyps in testset.systems.values()])


def is_surrogate_free(text):
    return not any("\ud800" <= c <= "\udfff" for c in text)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "zh", "none", "char", "intl"])
def test_hard_cases(tokenize, lowercase):
    ours = Bleu(tokenize, lowercase).statistics(hard(HARD))
    assert ours.dtype == np.int32
    np.testing.assert_array_equal(ours, statistics_of_sacrebleu(hard(HARD), tokenize=tokenize, lowercase=lowercase))


@pytest.mark.parametrize("tokenize, package", [("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko")])
def test_hard_cases_with_a_dictionary(tokenize, package):
    pytest.importorskip(package)
    testset = hard(list(filter(is_surrogate_free, HARD)))
    np.testing.assert_array_equal(
        Bleu(tokenize).statistics(testset), statistics_of_sacrebleu(testset, tokenize=tokenize))


def test_a_dictionary_that_fails_on_a_segment_is_an_input_error():
    pytest.importorskip("MeCab")
    with pytest.raises(InputError, match=r"'ja-mecab' cannot split a segment of 3 characters that begins 'a\\ud800b'"):
        Bleu("ja-mecab").statistics(toy([["a\ud800b"]], [["a"]]))


texts = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@st.composite
def corpora(draw):
    n_segments, n_refs, n_systems = (draw(st.integers(1, 3)) for _ in range(3))
    segments = st.lists(texts, min_size=n_segments, max_size=n_segments)
    later_refs = st.lists(texts | st.none(), min_size=n_segments, max_size=n_segments)
    refs = [draw(segments), *(draw(later_refs) for _ in range(n_refs - 1))]
    systems = [draw(segments) for _ in range(n_systems)]
    # A system that shares long stretches with a reference, or nothing would match.
    systems.append([ref[:len(ref) * 3 // 4] + system for ref, system in zip(refs[0], systems[0], strict=True)])
    return toy(systems, refs)


@pytest.mark.parametrize("tokenize", ["13a", "zh"])
@given(testset=corpora(), lowercase=st.booleans())
def test_any_text(tokenize, testset, lowercase):
    np.testing.assert_array_equal(
        Bleu(tokenize, lowercase).statistics(testset),
        statistics_of_sacrebleu(testset, tokenize=tokenize, lowercase=lowercase))


@given(testset=st.lists(st.text(max_size=40), min_size=2, max_size=4).map(lambda t: toy([t], [rotated(t, 1), t])))
def test_any_unicode(testset):
    np.testing.assert_array_equal(
        Bleu("13a").statistics(testset), statistics_of_sacrebleu(testset, tokenize="13a"))


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=14).map(" ".join), min_size=4, max_size=6))
def test_repeated_words_are_clipped_by_the_reference_that_has_most(texts):
    testset = toy([[texts[0]], [texts[1]]], [[text] for text in texts[2:]])
    np.testing.assert_array_equal(
        Bleu("none").statistics(testset), statistics_of_sacrebleu(testset, tokenize="none"))


def read(path):
    return path.read_bytes().decode("utf-8").removesuffix("\n").split("\n")


@pytest.mark.skipif(not WMT24.is_dir(), reason=f"needs the WMT24 outputs in {WMT24}")
@pytest.mark.parametrize("langpair", ["en-de", "en-zh"])
@pytest.mark.parametrize("every", [20, pytest.param(1, marks=pytest.mark.slow)])
def test_segments_of_wmt24(langpair, every):
    testset = TestSet(
        "wmt24", langpair=langpair,
        systems={path.stem: read(path) for path in sorted(WMT24.glob(f"system-outputs/{langpair}/*.txt"))},
        references={path.stem: read(path) for path in sorted(WMT24.glob(f"references/{langpair}.*.txt"))})
    assert len(testset.systems) > 20
    testset = testset.take(range(0, testset.n_segments, every))
    theirs = statistics_of_sacrebleu(testset, trg_lang=testset.target_language)
    np.testing.assert_array_equal(Bleu().statistics(testset), theirs)
    theirs = BLEU(trg_lang=testset.target_language)
    scores = Bleu().score(Bleu().statistics(testset).sum(axis=1))
    for score, (name, hyps) in zip(scores[:3], testset.systems.items(), strict=False):
        assert score == pytest.approx(
            theirs.corpus_score(hyps, list(testset.references.values())).score, abs=1e-9), name


# -- references ----------------------------------------------------------------------------------------------


def test_missing_references_are_left_out_of_their_segment():
    testset = toy([["a b c d e", "a b", "", "a b c"]], [["a b c", None, "x", None], [None, "a b c", None, "a b c d"]])
    ours = Bleu().statistics(testset)
    np.testing.assert_array_equal(ours, statistics_of_sacrebleu(testset))
    assert ours[0, :, 1].tolist() == [3, 3, 1, 4]


@pytest.mark.parametrize("n, lengths, closest", [
    (5, [4, 6], 4), (5, [6, 4], 4), (5, [9, 6, 2], 6), (3, [0, 6], 0), (0, [2, 1], 1), (4, [5, 3, 4], 4),
    (1, [None, 9], 9), (0, [None, 3, None], 3)])
def test_reference_length_is_the_closest_and_the_shorter_of_two(n, lengths, closest):
    testset = toy([["a " * n]], [[length if length is None else "a " * length] for length in lengths])
    assert Bleu().statistics(testset)[0, 0, 1] == closest
    np.testing.assert_array_equal(Bleu().statistics(testset), statistics_of_sacrebleu(testset))


def test_the_tokenizer_follows_the_target_language():
    text = ["价格是1,000.5元。"]
    for langpair, tokenize in [("en-zh", "zh"), ("en-de", "13a"), (None, "13a")]:
        testset = toy([text], [text], langpair=langpair)
        np.testing.assert_array_equal(Bleu().statistics(testset), Bleu(tokenize).statistics(testset))
    chinese = toy([text], [text], langpair="en-zh")
    assert Bleu().statistics(chinese)[0, 0, 0] != Bleu("13a").statistics(chinese)[0, 0, 0]


# -- exactness and size --------------------------------------------------------------------------------------


COLLIDING = "\u890f\u99f0\u8ca3\u4e00", "\u77d1\u5409\u6f01\U0006728d"  # as `colliding_tokens` found them


def hashed(word):
    """The 64-bit hash of a word, in whole numbers of Python."""
    from mtsig_core.metrics.kernels.tokens import SEED, SPREAD

    state = int(SEED)
    for character in word:
        state = (state ^ ord(character)) * int(SPREAD) % 2**64
    return state


def colliding_tokens():
    """Two different words of four characters with the same 64-bit hash, found by chance among many."""
    from mtsig_core.metrics.kernels.tokens import SEED, SPREAD

    starts = np.random.default_rng(0).integers(0x4E00, 0x9FFF, (3, 2**23))
    states = np.full(starts.shape[1], SEED)
    for characters in starts:
        states = (states ^ characters) * SPREAD
    order = np.argsort(states)
    # States that differ in the lowest 20 bits alone are made equal by the choice of the last character.
    near = np.flatnonzero(states[order][1:] >> 20 == states[order][:-1] >> 20)
    for one, two in zip(order[near], order[near + 1], strict=True):
        last, other = 0x4E00, 0x4E00 ^ int(states[one] ^ states[two])
        if other != last and (0x4E00 <= other < 0x9FFF or 0x10000 <= other <= 0x10FFFF):
            return ["".join(map(chr, [*starts[:, k], c])) for k, c in [(one, last), (two, other)]]
    raise AssertionError("no two words with the same hash among these; try another seed")


def test_tokens_with_the_same_hash_are_told_apart():
    one, two = COLLIDING if len({hashed(word) for word in COLLIDING}) == 1 else colliding_tokens()
    assert one != two
    testset = toy([[f"{two} x {one}"], [f"{one} {one}"]], [[f"{one} x"]])
    np.testing.assert_array_equal(Bleu("13a").statistics(testset), statistics_of_sacrebleu(testset, tokenize="13a"))


def test_systems_that_say_the_same_or_nearly():
    says = ["the cat sat.", "the cat sad.", "the cat sat.", "the cat sat", "", "the cat sad.", ""]
    testset = toy([[text, text[::-1]] for text in says], [["the cat sat.", "tas tac"]])
    np.testing.assert_array_equal(Bleu("13a").statistics(testset), statistics_of_sacrebleu(testset, tokenize="13a"))


def test_an_ngram_that_goes_on_in_several_ways():
    testset = toy([["a b a c a d a"], ["a d a c a"], ["a a b"]], [["a b a c a d a e"]])
    np.testing.assert_array_equal(Bleu("13a").statistics(testset), statistics_of_sacrebleu(testset, tokenize="13a"))


@pytest.mark.parametrize("tokenize", ["13a", pytest.param("zh", marks=pytest.mark.slow)])
def test_long_segments(tokenize):
    rng = np.random.default_rng(1)
    words = [["5.", "a,b", "中", "-", "c", "3-4", "word"][k] for k in rng.integers(0, 7, 45_000)]
    long = " ".join(words)
    assert len(long) > 100_000
    testset = toy([[long, "a", long], ["", long, "5." * 50_000]], [[" ".join(words[::-1]), long, "x" * 100_000]])
    np.testing.assert_array_equal(
        Bleu(tokenize).statistics(testset), statistics_of_sacrebleu(testset, tokenize=tokenize))


@given(st.lists(st.integers(0, 30), min_size=1), st.integers(1, 40))
def test_blocks_are_bounded_and_complete(lengths, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_BLOCK", size)
        blocks = list(counting.blocks([["a" * n for n in lengths], [None] * len(lengths)]))
    assert [i for first, last in blocks for i in range(first, last)] == list(range(len(lengths)))
    assert all(sum(lengths[first + 1:last]) <= size for first, last in blocks)


# -- what every metric keeps ---------------------------------------------------------------------------------


@pytest.mark.parametrize("longest", [5, pytest.param(6, marks=pytest.mark.slow)])
def test_every_short_sequence_of_character_classes(longest):
    """All strings of up to so many characters, one character per class, each with and without its padding."""
    from mtsig_core.metrics.counting import join_texts

    for tokenize, alone in [("13a", "!"), ("zh", "中")]:
        segments = ["".join(s) for n in range(longest + 1) for s in itertools.product(f"a1.- {alone}", repeat=n)]
        ours = tokens_of(make_tokenizer(tokenize), *join_texts([segments]))
        theirs = BLEU(tokenize=tokenize).tokenizer
        for segment, tokens in zip(segments, ours, strict=True):
            assert tokens == theirs(segment.rstrip()).split(), repr(segment)


def tokens_of(tokenizer, codes, begins, lengths):
    from mtsig_core.metrics.kernels.tokens import split

    rows = np.empty((lengths.max(), 3), np.int64)
    text = codes.tobytes().decode("utf-32")
    for begin, length in zip(begins[0], lengths[0], strict=True):
        n = split(codes, begin, begin + length, tokenizer.classes, tokenizer.edge, rows, 0)
        yield [text[a:b] for a, b, _ in rows[:n].tolist()]
