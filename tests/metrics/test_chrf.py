"""chrF and chrF++ against sacreBLEU: statistics of each segment, scores to the last bit."""


import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

from mtsig_core import read_wmt
from mtsig_core.metrics import chrf as chrf_module
from mtsig_core.metrics.chrf import Chrf, ChrfPlusPlus
from tests.metrics.corpora import hard, rotated, toy

BOTH = pytest.mark.parametrize("metric", [Chrf, ChrfPlusPlus])

HARD = [
    "", " ", "\t\n ", "a", ".", "..", "...", "(hi)", "(hi", "hi)", "a.", ".a", "().", "'s", "aaaaaaaaaaaa",
    "a b a b a b", "the the the the the", "Der Hund, der bellt, beißt nicht.", "1,000.5", "abcdef", "abcde", "abcdefg",
    "a\u00a0b\u2028c\u2029d\u3000e\u202ff\u200bg\ufeffh", "a\r\nb\x0bc\x0cd\x1ce\x1fd\x85e", "\u3000.5\u3000",
    "e\u0301a\u0308 \u0301.",
    "👍🏽 👨\u200d👩\u200d👧.", "\U00020000\U0002f800 中\U0002a6d6", "价格是1,000.5元。", "。中。",
    "日本語の文章です。", "한국어 문장입니다.", "İSTANBUL ΣΑΣ ẞ ǅ",
    "\ud800.5\udfff a\udc00", "a\0b\0.5", "\uffff\U0010ffff.",
    "@#$%^ &*()_ +-=", "`~ {|} [\\]", "“hi” ‘a’ «b»",
]
PIECES = [*"aab  .,('\t\n中。", "\u00a0", "\u0301", "\u3000", "\U0001f44d", "\ud83d", "\udc4d", "the ", "The ", " a."]


def statistics_of_sacrebleu(metric, testset):
    theirs = CHRF(word_order=metric.word_order, lowercase=metric.lowercase)
    refs = list(testset.references.values())
    return np.array([theirs._extract_corpus_statistics(hyps, refs) for hyps in testset.systems.values()])


def assert_identical(metric, testset):
    ours = metric.statistics(testset)
    assert ours.dtype == np.int32
    np.testing.assert_array_equal(ours, statistics_of_sacrebleu(metric, testset))


# -- statistics ----------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("lowercase", [False, True])
def test_hard_cases(metric, lowercase):
    assert_identical(metric(lowercase=lowercase), hard(HARD))
    one_reference = hard(HARD)
    assert_identical(metric(lowercase=lowercase), one_reference.scored_with(["r0"]))


@BOTH
def test_many_systems(metric):
    """A system's way through the references is remembered for the next; there is no room for the ways of all these."""
    rng = np.random.default_rng(0)
    texts = ["".join(rng.choice([*"abc d.", *map(chr, range(0x4E00, 0x4E00 + 60 * k))], 40)) for k in range(62)]
    assert_identical(metric(), toy([[text] for text in texts[2:]], [texts[:1], [texts[1][:9]]]))


def test_counted_by_hand():
    # a, b, a, b against a, b, c: two characters match, for a and b are in the reference once; of the bigrams
    # ab, ba, ab the first; of the trigrams none. The reference has no four characters, so the system's do not count.
    stats = Chrf().statistics(toy([["ab ab"]], [["a b c"]]))[0, 0]
    assert stats.tolist() == [4, 3, 2, 3, 2, 1, 2, 1, 0] + [0] * 9
    # Words "Hi", ".", "(", "a" against "Hi", ".", "(a", ")": two words and one bigram match.
    stats = ChrfPlusPlus().statistics(toy([["Hi. (a"]], [["Hi. (a)"]]))[0, 0]
    assert stats[18:].tolist() == [4, 4, 2, 3, 3, 1]


def test_score_by_hand():
    # Precisions 2/4, 1/3, 0/2, recalls 2/3, 1/2, 0/1, each over three orders.
    precision, recall = (2 / 4 + 1 / 3) / 3, (2 / 3 + 1 / 2) / 3
    expected = 100 * 5 * precision * recall / (4 * precision + recall)
    assert Chrf().score([4, 3, 2, 3, 2, 1, 2, 1, 0] + [0] * 9) == pytest.approx(expected, rel=1e-14)


texts = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)


@st.composite
def corpora(draw):
    n_segments, n_refs = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    segments = st.lists(texts, min_size=n_segments, max_size=n_segments)
    later_refs = st.lists(texts | st.none(), min_size=n_segments, max_size=n_segments)
    refs = [draw(segments), *(draw(later_refs) for _ in range(n_refs - 1))]
    if draw(st.booleans()):
        refs.reverse()
        refs = [[texts if texts is not None else "" for texts in refs[0]], *refs[1:]]
    systems = [draw(segments)]
    # A system that shares long stretches with a reference, or nothing long would match.
    systems.append([ref[:len(ref) * 3 // 4] + system for ref, system in zip(refs[0], systems[0], strict=True)])
    return toy(systems, refs)


@BOTH
@given(testset=corpora(), lowercase=st.booleans())
def test_any_text(metric, testset, lowercase):
    assert_identical(metric(lowercase=lowercase), testset)


@BOTH
@given(testset=st.lists(st.text(max_size=30), min_size=2, max_size=4).map(lambda t: toy([t], [rotated(t, 1), t])))
def test_any_unicode(metric, testset):
    assert_identical(metric(), testset)


@BOTH
@given(st.lists(st.text("ab.( ", max_size=14), min_size=5, max_size=5))
def test_the_best_reference_is_chosen_as_sacrebleu_chooses(metric, texts):
    assert_identical(metric(), toy([[texts[0]], [texts[1]]], [[text] for text in texts[2:]]))


@BOTH
def test_a_reference_as_good_as_the_first_is_not_taken(metric):
    # Both references score 0, and differ in length.
    testset = toy([["a"]], [["bc"], ["bcd"]])
    assert metric().statistics(testset)[0, 0, 1] == 2
    assert_identical(metric(), testset)


@BOTH
def test_missing_references_are_left_out_of_their_segment(metric):
    testset = toy([["a b c d e", "a b", "", "x"]], [["a b c", None, "x", None], [None, "a b c", None, "c d"]])
    assert_identical(metric(), testset)
    assert metric().statistics(testset)[0, :, 1].tolist() == [3, 3, 1, 2]


@BOTH
def test_long_segments(metric):
    rng = np.random.default_rng(1)
    long = " ".join(np.array(["5.", "a,b", "中", "-", "(c", "3-4", "word"])[rng.integers(0, 7, 9_000)])
    varied = "".join(map(chr, rng.integers(0x4E00, 0x9FFF, 9_000)))
    testset = toy([[long, varied, "a", long], ["", long, varied[3:], "5." * 9_000]],
                  [[long[::-1], varied[::-1] + varied, long, "x" * 9_000]])
    assert_identical(metric(), testset)


@BOTH
@pytest.mark.parametrize("langpair, every", [("en-de", 60), ("en-zh", 40)])
def test_real_outputs(wmt24, metric, langpair, every):
    whole = read_wmt(wmt24, langpair)
    testset = whole.take(range(0, whole.n_segments, every))
    assert len(testset.systems) > 20
    assert_identical(metric(), testset)
    refs = list(testset.references.values())
    scores = metric().score(metric().statistics(testset).sum(axis=1))
    for score, hyps in list(zip(scores, testset.systems.values(), strict=True))[:2]:
        assert score == CHRF(word_order=metric.word_order).corpus_score(hyps, refs).score


# -- scores --------------------------------------------------------------------------------------------------


def score_of_sacrebleu(metric, sums):
    return CHRF(word_order=metric.word_order)._compute_f_score([int(x) for x in sums])


@st.composite
def any_sums(draw):
    sums = []
    for _ in range(8):
        n_system, n_ref = (draw(st.integers(0, 3) | st.integers(0, 10**7)) for _ in range(2))
        n_system = n_system if n_ref else 0
        sums += [n_system, n_ref, draw(st.just(0) | st.integers(0, min(n_system, n_ref)))]
    return sums


@given(sums=any_sums())
@example([0] * 24)
@example([0, 5, 0] * 8)
@example([5, 5, 0] * 8)
@example([5, 5, 5] * 8)
def test_any_counts(sums):
    for metric in (Chrf, ChrfPlusPlus):
        part = sums[:len(metric.stat_names)]
        assert metric().score(np.array(part)) == score_of_sacrebleu(metric, part)


def corpus_sums(metric, n, seed=0):
    """Shape (stats, n), a few of them with zeros in all places."""
    rng = np.random.default_rng(seed)
    ref = rng.integers(20_000, 30_000, (len(metric.stat_names) // 3, n))
    system = rng.integers(20_000, 30_000, ref.shape)
    sums = np.stack([system, ref, (np.minimum(system, ref) * rng.random(ref.shape)).astype(int)], 1)
    odd = rng.choice(n, n // 20, replace=False)
    kept = rng.random((len(sums), 2, odd.size)) > .2
    sums[:, 1, odd] *= kept[:, 0]
    sums[:, 0, odd] *= kept.all(axis=1)
    sums[:, 2, odd] *= kept.all(axis=1)
    return sums.reshape(-1, n).astype(float)


@BOTH
def test_compiled_and_plain_scores_are_sacrebleus(monkeypatch, metric):
    sums = corpus_sums(metric, 2001).T
    theirs = [score_of_sacrebleu(metric, row) for row in sums]
    for worth in (True, False):
        monkeypatch.setattr(chrf_module, "worth_compiling", lambda nanoseconds, worth=worth: worth)
        np.testing.assert_array_equal(metric().score(sums), theirs)


@BOTH
@pytest.mark.parametrize("n", [840, 16_800, 100])
def test_layout_and_type_do_not_matter(metric, n):
    sums = corpus_sums(metric, n)
    shape = (2, 5, n // 10)
    stats_first = np.moveaxis(sums.reshape(-1, *shape), 0, -1)
    whole = metric().score(sums.T)
    assert whole.dtype == np.float64 and whole.shape == (n,)
    stats_last = np.ascontiguousarray(stats_first)
    for view in (stats_first, stats_last, np.repeat(stats_last, 2, axis=1)[:, ::2], np.asfortranarray(stats_last)):
        for dtype in (np.float64, np.float32, np.int64, np.int32):
            given_sums = view.astype(dtype)
            given_sums.setflags(write=False)
            scores = metric().score(given_sums)
            assert scores.shape == shape and scores.dtype == np.float64
            np.testing.assert_array_equal(scores.ravel(), whole)
    for start in (0, 1, 7):
        np.testing.assert_array_equal(metric().score(sums[:, start:].T), whole[start:])


@BOTH
def test_one_vector_gives_one_number_and_none_gives_none(metric):
    n = len(metric.stat_names)
    assert np.shape(metric().score([9, 9, 9] * (n // 3))) == () and metric().score([9, 9, 9] * (n // 3)) == 100
    assert metric().score(np.zeros((3, 0, n))).shape == (3, 0)


@BOTH
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [10, 20_000])
def test_zeros_raise_no_warning(metric, n):
    assert metric().score(np.zeros((n, len(metric.stat_names)))).tolist() == [0.0] * n


# -- what every metric keeps ---------------------------------------------------------------------------------


@BOTH
def test_signature_is_sacrebleus(metric):
    for refs in ([["a", "b"]], [["a", "b"], ["c", "d"]], [["a", "b"], ["c", None]]):
        for lowercase in (False, True):
            testset = toy([["a", "b"]], refs)
            theirs = CHRF(word_order=metric.word_order, lowercase=lowercase)
            theirs.corpus_score(["a", "b"], refs)
            assert metric(lowercase=lowercase).signature(testset) == theirs.get_signature().format()
