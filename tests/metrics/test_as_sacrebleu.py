"""BLEU, chrF, chrF++ and TER against sacreBLEU: statistics of each segment, scores, signatures."""

import random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

from mtsig_core import read_wmt
from mtsig_core.errors import InputError
from mtsig_core.metrics import counting, make_metric
from mtsig_core.metrics.kernels.edits import count_edits as count_edits
from tests.builders.cases import brief
from tests.builders.corpora import hard, toy

THEIRS = {
    "bleu": BLEU,
    "chrf": CHRF,
    "chrf++": lambda **settings: CHRF(word_order=2, **settings),
    "ter": TER,
}
HARD = [
    "",
    " ",
    "\t\n ",
    ".",
    "..",
    "...",
    ",",
    "-",
    "a",
    "A",
    "a.",
    ".a",
    "a .",
    "().",
    "(hi)",
    "(hi",
    "hi)",
    "'s",
    "the the the the the",
    "a b a b a b",
    "aaaaaaaaaaaa",
    "abcde",
    "abcdef",
    "abcdefg",
    "(Hi) hi, HI!",
    "Der Hund, der bellt, beißt nicht.",
    "the dog's 's cat's",
    "a-\nb \n-c",
    "@#$%^ &*()_ +-=",
    "`~ {|} [\\]",
    "1,000.5",
    "1.",
    ".5",
    ",5,",
    "a.5",
    "a..5",
    "a...5",
    "5..a",
    "5...5",
    "....",
    "...5",
    "5.",
    "5. ",
    "x,.5",
    "1.,2",
    "5-3",
    "-5",
    "5-",
    "5--3",
    "a-5-b",
    "5 -3",
    "5.-3",
    "5-.3",
    "٣-٤ ٣.٤",
    "&quot;ja&quot; &amp;lt; &lt;b&gt; &amp;amp; & &nbsp;",
    "<skipped>",
    "a<skipped>b. <skip>",
    "5<skipped>.5",
    "AT&T <3",
    "a-\nb",
    "a -\n",
    "5-\n3",
    "a\nb.\nc",
    "\n5.",
    "a\r\nb\x0bc\x0cd\x1ce\x1fd\x85e",
    "a\tb\u00a0c\u2028d\u2029e\u3000f\u202fg\u200bh\ufeffi",
    "5.\u00a05\u00a0.5",
    "\u3000.5\u3000",
    "5.\u2028",
    "{a}|~[b]\\^_`c!\"#$%'()*+/d:;<=>?@",
    "e\u0301a\u0308.5 \u0301.",
    "👍🏽👨\u200d👩\u200d👧.5 5👍-5-👍",
    "\U00020000\U0002f800.5中\U0002a6d6",
    "价格是1,000.5元。ＡＢＣ５．５",
    "中.5",
    "5.中",
    "5中-5",
    "第5-3章",
    "，.5",
    "。中。",
    "你好，世界！Hello, world.",
    "？！（ａ）．，",
    "…—‘’“”·•†2.5℃ «b»",
    "「日本語」の文章です。カタカナ",
    "한국어 문장입니다.",
    "İSTANBUL ΣΑΣ ẞ ǅ",
    "\ud800.5\udfff a\udc00",
    "a\0b\0.5",
    "\uffff\U0010ffff.5",
]
# Pieces in which the rules about punctuation, digits and space meet often.
PIECES = [
    *"ab15.,-!&('\t\n中。 ",
    "..",
    "&quot;",
    "&amp;",
    "&lt;",
    "<skipped>",
    "-\n",
    "\u00a0",
    "\u2028",
    "\u3000",
    "\u0301",
    "\uff11",
    "\U00020001",
    "\ud83d",
    "\udc4d",
    "the ",
    "The ",
    " a.",
]
CHOICES = [
    *(
        ("bleu", dict(tokenize=name, lowercase=lower))
        for name in ("13a", "zh", "none", "char", "intl")
        for lower in (False, True)
    ),
    *((name, dict(lowercase=lower)) for name in ("chrf", "chrf++") for lower in (False, True)),
    *(
        ("ter", settings)
        for settings in (
            dict(),
            dict(case_sensitive=True),
            dict(normalized=True),
            dict(no_punct=True),
            dict(normalized=True, asian_support=True),
            dict(no_punct=True, asian_support=True),
            dict(normalized=True, no_punct=True, asian_support=True, case_sensitive=True),
            dict(asian_support=True),
        )
    ),
]
EACH = pytest.mark.parametrize("name", THEIRS)


def statistics_of_sacrebleu(name, testset, **settings):
    theirs, refs = THEIRS[name](**settings), list(testset.references.values())
    return np.array(
        [theirs._extract_corpus_statistics(hyps, refs) for hyps in testset.systems.values()]
    )


def assert_identical(name, testset, **settings):
    np.testing.assert_array_equal(
        make_metric(name, **settings).statistics(testset),
        statistics_of_sacrebleu(name, testset, **settings),
    )


def statistics(name, output, *references, **settings):
    return (
        make_metric(name, **settings)
        .statistics(toy([[output]], [[ref] for ref in references]))[0, 0]
        .tolist()
    )


# -- statistics of any texts ----------------------------------------------------------------------


@pytest.mark.parametrize("name, settings", CHOICES, ids=str)
def test_hard_cases(name, settings):
    assert_identical(name, hard(HARD), **settings)
    assert_identical(name, hard(HARD).scored_with(["r0"]), **settings)
    assert (
        make_metric(name, **settings).statistics(hard(HARD).scored_with(["r0"])).dtype == np.int32
    )


@pytest.mark.parametrize("tokenize, package", [("ja-mecab", "MeCab"), ("ko-mecab", "mecab_ko")])
def test_hard_cases_with_a_dictionary(tokenize, package):
    pytest.importorskip(package)
    whole = [text for text in HARD if not any("\ud800" <= c <= "\udfff" for c in text)]
    assert_identical("bleu", hard(whole), tokenize=tokenize)


def test_a_dictionary_that_fails_on_a_segment_is_an_input_error():
    pytest.importorskip("MeCab")
    with pytest.raises(
        InputError,
        match=r"'ja-mecab' cannot split a segment of 3 characters that begins 'a\\ud800b'",
    ):
        statistics("bleu", "a\ud800b", "a", tokenize="ja-mecab")


@st.composite
def pieces(draw):
    n_segments, n_refs, n_systems = (draw(st.integers(1, 3)) for _ in range(3))
    text = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
    segments = st.lists(text, min_size=n_segments, max_size=n_segments)
    later_refs = st.lists(text | st.none(), min_size=n_segments, max_size=n_segments)
    refs = [draw(segments), *(draw(later_refs) for _ in range(n_refs - 1))]
    systems = [draw(segments) for _ in range(n_systems)]
    # A system that shares long stretches with a reference, or nothing would match.
    systems.append(
        [ref[: len(ref) * 3 // 4] + system for ref, system in zip(refs[0], systems[0], strict=True)]
    )
    return toy(systems, draw(st.sampled_from([refs, refs[::-1]])))


@pytest.mark.parametrize(
    "name, settings",
    [("bleu", dict(tokenize="13a")), ("bleu", dict(tokenize="zh")), ("chrf", {}), ("chrf++", {})],
    ids=str,
)
@given(testset=pieces(), lowercase=st.booleans())
def test_any_text(name, settings, testset, lowercase):
    assert_identical(name, testset, lowercase=lowercase, **settings)


@pytest.mark.long
@EACH
def test_long_segments(name):
    rng, n = np.random.default_rng(1), 60 if name == "ter" else 9_000
    words = np.array(["5.", "a,b", "中", "-", "(c", "3-4", "word"])[rng.integers(0, 7, n)]
    long, varied = " ".join(words), "".join(map(chr, rng.integers(0x4E00, 0x9FFF, n)))
    testset = toy(
        [[long, varied, "a", long], ["", long, varied[3:], "5." * n]],
        [[" ".join(words[::-1]), varied[::-1] + varied, long, "x" * n]],
    )
    assert_identical(name, testset)


@EACH
@pytest.mark.parametrize(
    "langpair, every",
    [("en-de", 60), ("en-zh", 40), pytest.param("en-de", 1, marks=pytest.mark.long)],
)
def test_real_outputs(wmt24, name, langpair, every):
    testset = read_wmt(wmt24, langpair)
    assert len(testset.systems) > 20
    testset = testset.take(range(3, testset.n_segments, every))
    if name == "ter":  # slow in sacreBLEU
        first = next(iter(testset.references))
        short = [i for i, text in enumerate(testset.references[first]) if len(text) < 250]
        testset = testset.only(list(testset.systems)[::12]).take(short)
    settings = {"trg_lang": testset.target_language} if name == "bleu" else {}
    ours, refs = make_metric(name).statistics(testset), list(testset.references.values())
    np.testing.assert_array_equal(ours, statistics_of_sacrebleu(name, testset, **settings))
    scores = make_metric(name).score(ours.sum(axis=1))
    for score, hyps in list(zip(scores, testset.systems.values(), strict=True))[:2]:
        assert score == pytest.approx(
            THEIRS[name](**settings).corpus_score(hyps, refs).score, abs=1e-9
        )


# -- BLEU and chrF by hand ------------------------------------------------------------------------


COLLIDING = (
    "\u890f\u99f0\u8ca3\u4e00",
    "\u77d1\u5409\u6f01\U0006728d",
)  # found by chance among 2**23 words


def test_tokens_with_the_same_hash_are_told_apart():
    from mtsig_core.metrics.kernels.tokens import HASH_SEED, SPREAD

    def hashed(word):
        state = int(HASH_SEED)
        for character in word:
            state = (state ^ ord(character)) * int(SPREAD) % 2**64
        return state

    one, two = COLLIDING
    assert hashed(one) == hashed(two), "find two words of the same hash again"
    for name in ("bleu", "chrf++"):
        assert_identical(name, toy([[f"{two} x {one}"], [f"{one} {one}"]], [[f"{one} x"]]))


# -- TER: shifts and the limits of the search -----------------------------------------------------


@pytest.mark.parametrize(
    "output, reference, expected",
    [
        ("a b c", "a b c", 0),
        ("A b", "a B", 0),
        ("", "", 0),
        ("", "a b", 2),
        ("a b c", "", 3),
        ("a b", "c d", 2),
        ("a c", "a b c", 1),
        ("a x b", "a b", 1),
        ("a x c", "a b c", 1),
        ("b c d a", "a b c d", 1),  # one shift
        ("b c a x d", "a b c d", 2),  # one shift, one word left out
        ("d e f a b c", "a b c d e f", 1),  # a stretch of three
        ("c d b a", "a b c d", 2),  # two shifts
        ("b a d c", "a b c d", 2),  # two shifts of neighbours
    ],
)
def test_ter_counted_by_hand(output, reference, expected):
    assert statistics("ter", output, reference) == [expected, len(reference.split())]


def salad(rng, longest):
    """An output and a reference of few or many different words, from which it is made by moves,
    errors, omissions.
    """
    words = [f"w{i}" for i in range(rng.choice([2, 3, 5, 12, 60]))]
    reference = rng.choices(words, k=rng.randrange(longest))
    output = list(reference)
    for _ in range(rng.randrange(4)):
        start, length = rng.randrange(len(output) + 1), rng.randrange(1, 6)
        stretch = output[start : start + length]
        del output[start : start + length]
        to = rng.randrange(len(output) + 1)
        output[to:to] = stretch
    output = [
        word if rng.random() < 0.85 else rng.choice(words) for word in output if rng.random() < 0.93
    ]
    return " ".join(output), " ".join(reference)


@pytest.mark.parametrize("longest, n", [(12, 1500), (45, 30)])
def test_word_salads(longest, n):
    rng = random.Random(5)
    outputs, references = zip(*(salad(rng, longest) for _ in range(n)), strict=True)
    assert_identical("ter", toy([outputs], [references]))


def numbered(first, last):
    return " ".join(f"w{i}" for i in range(first, last))


def far_apart():
    """Texts at each limit of the search: the length of a stretch, the beam, the distance of a
    shift, the tries.
    """
    for n in (10, 11, 14):
        yield (
            f"{numbered(0, n)} a b c d e f g h i j k l m n o",
            f"a b c d e f g h i j k l m n o {numbered(0, n)}",
        )
    for n_output, n_reference in (
        (1, 130),
        (2, 130),
        (130, 1),
        (3, 60),
        (60, 3),
        (30, 90),
        (90, 30),
    ):
        rng = random.Random(n_output)
        words = [f"w{i}" for i in range(20)]
        output, reference = (rng.choices(words, k=k) for k in (n_output, n_reference))
        yield " ".join(output), " ".join(reference)
        yield " ".join(reference[-n_output:]), " ".join(reference)
    for k in (24, 25):
        yield numbered(k, k + 60), numbered(0, 60)
        yield numbered(0, 60), numbered(k, k + 60)
    for k in (5, 6, 7, 8, 121, 122, 123, 124):
        yield f"{numbered(k, k + 1)} x", numbered(0, 130)
    for distance in (24, 27, 49, 50, 51, 60):
        yield (
            f"x y {numbered(0, distance)} {numbered(100, 110)}",
            f"{numbered(0, distance)} x y {numbered(100, 110)}",
        )
        yield f"{numbered(200, 200 + distance)} {numbered(0, 40)}", numbered(0, 40)
    yield from (
        ("a b " * 14, "b a " * 14 + "c"),
        ("a a b " * 9, "b a a " * 9),
        ("b a a c " * 8, "a b c a " * 8),
    )


@pytest.mark.long
def test_the_limits_of_the_search():
    outputs, references = zip(*far_apart(), strict=True)
    testset = toy([outputs], [references])
    assert_identical("ter", testset)
    edits = make_metric("ter").statistics(testset)[0, :, 0].tolist()
    assert (
        edits[:2] == [1, 2] and edits.count(130) > 1
    )  # eleven words take two shifts; a match that is out of sight


# -- scores ---------------------------------------------------------------------------------------


def score_of_sacrebleu(name, sums):
    theirs = THEIRS[name]()
    return (
        theirs._compute_f_score(sums)
        if isinstance(theirs, CHRF)
        else theirs._compute_score_from_stats(sums).score
    )


counts = st.integers(0, 4) | st.integers(0, 10**7)


@given(sums=st.lists(counts, min_size=10, max_size=10))
@example([0] * 10)
@example([0, 5, 0, 0, 0, 0, 0, 0, 0, 0])
@example([0, 5, 1, 1, 1, 1, 1, 1, 1, 1])
@example([0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
@example([1, 10**7, 1, 1, 1, 1, 1, 1, 1, 1])
@example([9, 9, 0, 5, 0, 3, 9, 8, 7, 6])
@example([9, 9, 5, 0, 0, 0, 9, 8, 7, 6])
@example([9, 9, 0, 0, 0, 0, 9, 8, 7, 6])
@example([3, 9, 3, 2, 1, 0, 3, 2, 1, 0])
@example([9, 9, 1, 1, 1, 1, 9, 0, 7, 6])
def test_any_counts_of_bleu(sums):
    # Counts that no corpus has may give scores far above 100, of which 1e-9 points is less than one
    # rounding.
    assert make_metric("bleu").score(np.array(sums)) == pytest.approx(
        score_of_sacrebleu("bleu", sums), rel=1e-12, abs=1e-9
    )


@st.composite
def sums_of_chrf(draw):
    sums = []
    for _ in range(8):
        n_system, n_ref = draw(counts), draw(counts)
        n_system = n_system if n_ref else 0
        sums += [n_system, n_ref, draw(st.just(0) | st.integers(0, min(n_system, n_ref)))]
    return sums


@given(sums=sums_of_chrf())
@example([0] * 24)
@example([0, 5, 0] * 8)
@example([5, 5, 0] * 8)
@example([5, 5, 5] * 8)
def test_any_counts_of_chrf(sums):
    for name, n in (("chrf", 18), ("chrf++", 24)):
        assert make_metric(name).score(np.array(sums[:n])) == score_of_sacrebleu(name, sums[:n])


@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 3) | st.integers(0, 10**6)),
        min_size=1,
        max_size=5,
    )
)
def test_any_counts_of_ter(sums):
    assert make_metric("ter").score(np.array(sums)).tolist() == [
        score_of_sacrebleu("ter", list(row)) for row in sums
    ]


def corpus_sums(name, n):
    """Shape (stats, n), a few of them with zeros in all places."""
    rng = np.random.default_rng(0)
    if name == "bleu":
        sys_len = rng.integers(20_000, 30_000, n)
        total = sys_len - np.array([[0], [1000], [2000], [3000]])
        correct = (
            total * np.array([[0.6], [0.35], [0.22], [0.15]]) * rng.uniform(0.7, 1.3, n)
        ).astype(int)
        sums = np.concatenate([[sys_len, rng.integers(20_000, 30_000, n)], correct, total])
    else:
        ref = rng.integers(20_000, 30_000, (len(make_metric(name).stat_names) // 3 or 1, n))
        system = rng.integers(20_000, 30_000, ref.shape)
        shared = (np.minimum(system, ref) * rng.random(ref.shape)).astype(int)
        sums = (
            np.concatenate([shared, ref])
            if name == "ter"
            else np.stack([system, ref, shared], 1).reshape(-1, n)
        )
    odd = rng.choice(n, n // 20, replace=False)
    kept = rng.random((len(sums), odd.size)) > 0.2
    if name.startswith("chrf"):  # what neither has, none shares
        kept = kept.reshape(-1, 3, odd.size)
        kept[:, 0] &= kept[:, 1]
        kept[:, 2] &= kept[:, 0]
        kept = kept.reshape(-1, odd.size)
    sums[:, odd] *= kept
    return sums.astype(float)


@pytest.mark.parametrize("name", ["bleu", "chrf", "chrf++"])
def test_compiled_and_plain_scores_are_the_same_to_the_last_bit(monkeypatch, name):
    sums, found = corpus_sums(name, 20_001).T, []
    for worth in (True, False):
        monkeypatch.setattr(counting, "worth_compiling", lambda nanoseconds, worth=worth: worth)
        found.append(make_metric(name).score(sums))
    np.testing.assert_array_equal(*found)
    assert found[0][:500].tolist() == pytest.approx(
        [score_of_sacrebleu(name, row) for row in sums[:500]], abs=1e-9
    )


@EACH
@pytest.mark.parametrize("n", brief(1, [1_000, 100, 16_800]))
def test_layout_type_and_neighbours_do_not_matter(name, n):
    sums, shape = corpus_sums(name, n), (2, 5, n // 10)
    stats_first, score = np.moveaxis(sums.reshape(-1, *shape), 0, -1), make_metric(name).score
    whole = score(sums.T)
    assert whole.dtype == np.float64 and whole.shape == (n,)
    stats_last = np.ascontiguousarray(stats_first)
    for view in (
        stats_first,
        stats_last,
        np.repeat(stats_last, 2, axis=1)[:, ::2],
        np.asfortranarray(stats_last),
    ):
        for dtype in (np.float64, np.float32, np.int64, np.int32):
            given_sums = view.astype(dtype)
            given_sums.setflags(write=False)
            scores = score(given_sums)
            assert scores.shape == shape and scores.dtype == np.float64
            np.testing.assert_array_equal(scores.ravel(), whole)
    for start, size in ((0, 1), (1, 2), (7, 13), (7, n)):
        np.testing.assert_array_equal(
            score(sums[:, start : start + size].T), whole[start : start + size]
        )


@EACH
@pytest.mark.filterwarnings("error")
def test_zeros_one_vector_and_none(name):
    metric = make_metric(name)
    n = len(metric.stat_names)
    for many in (10, 20_000):
        assert metric.score(np.zeros((many, n))).tolist() == [0.0] * many
    assert np.shape(metric.score([9] * n)) == ()
    assert metric.score([9] * n) == 100 and metric.score(np.zeros((3, 0, n))).shape == (3, 0)


@pytest.mark.parametrize(
    "name, settings",
    [*CHOICES, *(("bleu", dict(tokenize=tokenize)) for tokenize in ("ja-mecab", "ko-mecab"))],
    ids=str,
)
def test_signatures(name, settings):
    if "mecab" in settings.get("tokenize", ""):
        pytest.importorskip({"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}[settings["tokenize"]])
    for refs in (
        [["a", "b"]],
        [["a", "b"], ["c", "d"]],
        [["a", "b"], ["c", None]],
        [["a", None], [None, "b"]],
    ):
        theirs = THEIRS[name](**settings)
        theirs.corpus_score(["a", "b"], refs)
        assert make_metric(name, **settings).signature(toy([["a", "b"]], refs)) == str(
            theirs.get_signature()
        )
