"""METEOR against all alignments of short sentences, and counts by hand."""

import os
import shutil
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given

from mtsig_core import InputError
from mtsig_core.metrics import meteor as meteor_module
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.metrics.meteor import Meteor, find_wordnet
from tests.builders.corpora import corpora, split, texts, toy

STEM = {"runs": "run", "running": "run", "cats": "cat", "rushes": "rush", "rushing": "rush"}
WORDS = ["run", "runs", "running", "cat", "cats", "a"]
#: Made up: words and the synsets that they belong to. Of jog, run, hurry, rush each is a synonym of
#: the next alone.
SYNSETS = {
    "noun": {"cat": [1], "moggy": [1], "rushes": [5], "reed": [5]},
    "verb": {"run": [1, 2], "jog": [1], "hurry": [2, 3], "rush": [3]},
    "adj": {"fast": [7], "quick": [7]},
    "adv": {"fast": [8]},
}
EXCEPTIONS = {"ran": "run", "running": "run", "rushing": "rush"}
MEANT = "run runs running jog hurry rush rushes rushing reed x".split()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """It, in WordNet's format."""
    folder = tmp_path_factory.mktemp("dict")
    for part, words in SYNSETS.items():
        lines = [
            f"{word} {part[0]} {len(synsets)} 1 @ {len(synsets)} 0 {' '.join(f'{n:08}' for n in synsets)}  "
            for word, synsets in sorted(words.items())
        ]
        (folder / f"index.{part}").write_text("\n".join(["  1 a licence", *lines, ""]))
        (folder / f"data.{part}").write_text("  1 a licence\n  2 WordNet 9.7 Copyright\n")
    (folder / "verb.exc").write_text(
        "".join(f"{word} {base}\n" for word, base in EXCEPTIONS.items())
    )
    return folder


@pytest.fixture
def wordnet(folder, monkeypatch):
    """It is installed."""
    monkeypatch.setenv("WNSEARCHDIR", str(folder))
    return folder


def synonyms(x, y):
    """By hand, for the words of `MEANT`: whether they are of one synset."""

    def meant(word):
        return {
            (part, n)
            for part, words in SYNSETS.items()
            for form in {word, STEM.get(word, word)}
            for n in words.get(form, ())
        }

    return bool(meant(x) & meant(y))


def alike(x, y):
    """Whether two words have one stem."""
    return STEM.get(x, x) == STEM.get(y, y)


def alignments(a, b, match=alike):
    """All ways to match words, as {word of a: word of b}."""
    kinds = [[None, *(j for j in range(len(b)) if match(a[i], b[j]))] for i in range(len(a))]
    for choice in product(*kinds):
        taken = [j for j in choice if j is not None]
        if len(set(taken)) == len(taken):
            yield {i: j for i, j in enumerate(choice) if j is not None}


def matches_and_chunks(a, b):
    """The most exact matches, then the most by stems, then the fewest chunks."""
    best = max(
        (
            sum(a[i] == b[j] for i, j in found.items()),
            len(found),
            -sum(found.get(i - 1, -2) != j - 1 for i, j in found.items()),
        )
        for found in alignments(a, b)
    )
    return best[1], -best[2]


def matches_and_chunks_of_synonyms(a, b):
    """The most exact matches, then the most by stems, then the most at all, then the fewest
    chunks.
    """
    best = max(
        (
            sum(a[i] == b[j] for i, j in found.items()),
            sum(alike(a[i], b[j]) for i, j in found.items()),
            len(found),
            -sum(found.get(i - 1, -2) != j - 1 for i, j in found.items()),
        )
        for found in alignments(a, b, lambda x, y: alike(x, y) or synonyms(x, y))
    )
    return best[2], -best[3]


def points(matches, chunks, sys_len, ref_len):
    if not matches:
        return 0
    p, r = matches / sys_len, matches / ref_len
    return 100 * 10 * p * r / (r + 9 * p) * (1 - 0.5 * (chunks / matches) ** 3)


@given(texts(WORDS, 5), texts(WORDS, 6))
def test_the_fewest_chunks_of_all_alignments(output, reference):
    stats = Meteor().statistics(toy([[output]], [[reference]]))[0, 0]
    a, b = output.split(), reference.split()
    assert stats.tolist() == [*matches_and_chunks(a, b), len(a), len(b)]


@given(texts(MEANT, 5), texts(MEANT, 6))
@example("run x rush", "hurry x jog")
@example("run rush", "hurry jog")
@example("rush x rushes", "x rushes reed")
@example("rush rushes", "reed reed")
@example("rushes x rush", "rushing x reed")
@example("run runs", "running jog jog")
def test_the_most_synonyms_in_the_fewest_chunks(folder, output, reference):
    with patch.dict(os.environ, WNSEARCHDIR=str(folder)):
        stats = Meteor().statistics(toy([[output]], [[reference]]))[0, 0]
    a, b = output.split(), reference.split()
    assert stats.tolist() == [*matches_and_chunks_of_synonyms(a, b), len(a), len(b)]


def test_synonyms_by_hand(wordnet):
    def matches(output, reference, langpair="de-en", **options):
        return Meteor(**options).statistics(toy([[output]], [[reference]], langpair=langpair))[
            0, 0, 0
        ]

    assert (
        matches("he ran", "he jogs")
        == matches("the quickest", "the faster")
        == matches("a b", "b a")
        == 2
    )
    assert matches("jog", "hurry") == matches("cat", "fast") == 0
    assert matches("rush run", "jog hurry") == matches("cats rushes", "moggy reed") == 2
    assert (
        matches("he ran", "he jogs", synonyms=False) == matches("he ran", "he jogs", "de-fr") == 1
    )
    signature = Meteor().signature(toy([["a"]], [["a"]], langpair="de-en"))
    assert signature.endswith("|syn:wordnet9.7")
    assert "|syn:no" in Meteor(synonyms=False).signature(toy([["a"]], [["a"]]))
    assert "|syn:no" in Meteor().signature(toy([["a"]], [["a"]], langpair="en-de"))


def test_a_damaged_wordnet_is_named(wordnet, tmp_path, monkeypatch):
    copied = shutil.copytree(wordnet, tmp_path / "dict")
    monkeypatch.setenv("WNSEARCHDIR", str(copied))
    (copied / "index.verb").write_text("  1 a licence\nrun v x\n")
    with pytest.raises(
        InputError, match=r"index\.verb, line 2: 'run v x' is no entry of WordNet\."
    ):
        Meteor().statistics(toy([["a"]], [["a"]]))
    (copied / "data.noun").write_text("")
    meteor_module._open_wordnet.cache_clear()
    assert find_wordnet() is None


def test_another_wordnet_counts_anew(wordnet, tmp_path, monkeypatch):
    """The same version, another word."""
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))
    copied = shutil.copytree(wordnet, tmp_path / "dict")
    (copied / "index.verb").write_text("")
    one = toy([["jog"]], [["run"]])
    found = [cached_statistics(Meteor(), one)[0, 0, 0]]
    monkeypatch.setenv("WNSEARCHDIR", str(copied))
    assert [*found, cached_statistics(Meteor(), one)[0, 0, 0]] == [1, 0]


def test_where_wordnet_is_looked_for(wordnet, tmp_path, monkeypatch):
    assert find_wordnet().version == "9.7"
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    assert find_wordnet() is None
    (tmp_path / "dict").symlink_to(wordnet)
    monkeypatch.setenv("WNHOME", str(tmp_path))
    assert find_wordnet().version == "9.7"
    (tmp_path / "dict").unlink()
    assert find_wordnet() is None


@given(corpora(WORDS, 4))
def test_the_reference_with_the_best_score_counts(testset):
    stats = Meteor().statistics(testset)
    for s, i, words, refs in split(testset):
        best = max(points(*matches_and_chunks(words, ref), len(words), len(ref)) for ref in refs)
        assert points(*stats[s, i].tolist()) == pytest.approx(best)
        assert stats[s, i, 2] == len(words) and stats[s, i, 3] in {len(ref) for ref in refs}


@pytest.mark.parametrize(
    "output, reference, matches, chunks",
    [
        # The example of Banerjee and Lavie (2005), section 2.2: "the president" and "spoke to the
        # audience".
        ("the president spoke to the audience", "the president then spoke to the audience", 6, 2),
        ("the cat", "the dog and the cat", 2, 1),
        ("c b a", "a b c", 3, 3),
        ("a b c", "a b c", 3, 1),
        ("a", "b", 0, 0),
        ("Running cats", "the cat runs", 2, 2),
        ("running running x run", "run run x runs", 4, 3),
        ("cat cats", "cats cat", 2, 2),
        ("cats cats cat", "cat cats a", 2, 2),
        ("", "a", 0, 0),
        ("a b x a b", "a b a b", 4, 2),
        ("x a b a b", "a b a b", 4, 1),
    ],
)
def test_by_hand(output, reference, matches, chunks):
    assert Meteor().statistics(toy([[output]], [[reference]]))[0, 0, :2].tolist() == [
        matches,
        chunks,
    ]


def test_stemmers_by_language():
    def matches(output, reference, langpair):
        return Meteor().statistics(toy([[output]], [[reference]], langpair=langpair))[0, 0, 0]

    assert matches("relational", "relate", "de-en") == matches("relational", "relate", None) == 1
    assert matches("relational", "relate", "en-de") == 0
    assert (
        matches("Häuser", "Hauses", "en-de")
        == matches("Häuser", "Hauses", "eng_Latn-deu_Latn")
        == 1
    )
    assert (
        matches("relational", "relate", "zho-eng") == 1
        and matches("relational", "relate", "eng-zho") == 0
    )
    assert matches("cats", "cat", "en-ja_JP") == 0
    one = ["a"]
    assert "|alpha:.9|beta:3|gamma:.5|stem:porter-snowball" in Meteor().signature(toy([one], [one]))
    assert (
        Meteor(tokenize="13a")
        .signature(toy([one], [one], langpair="en-ja"))
        .endswith("|stem:no|syn:no")
    )
    assert "case:lc" in Meteor().signature(toy([one], [one]))


def test_a_long_segment_of_repeated_words_comes_to_an_end():
    rng = np.random.default_rng(2)
    output, reference = (" ".join(rng.choice([*"abcdefgh"], 300)) for _ in range(2))
    matches, chunks, sys_len, ref_len = (
        Meteor().statistics(toy([[output]], [[reference]]))[0, 0].tolist()
    )
    assert 240 < matches <= 300 == sys_len == ref_len and matches / 6 < chunks < matches / 1.5
    same = Meteor().statistics(toy([[output]], [[output]]))[0, 0].tolist()
    assert same == [300, 1, 300, 300] and meteor_module.STEPS > 1000
