"""Names, tables, signatures and failures of the tokenizers, against sacreBLEU's."""

import itertools
import subprocess
import sys
import types
from urllib.error import URLError

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers import tokenizer_ja_mecab, tokenizer_ko_mecab, tokenizer_spm
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from mtsig_core.errors import SettingError
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.tokenizers import (
    ALONE,
    DASH,
    DIGIT,
    SPACE,
    STOP,
    TOKENIZERS,
    WORD,
    default_tokenizer,
    make_tokenizer,
)
from mtsig_core.testset import TestSet
from tests.builders.code import ROOT

TOY = TestSet("toy", {"A": ["a", "b"]}, {"r": ["a", "b"]})


@pytest.fixture
def fresh():
    """No tokenizer kept from before, none kept for later."""
    make_tokenizer.cache_clear()
    yield
    make_tokenizer.cache_clear()


# -- names and tables -----------------------------------------------------------------------------


def test_the_names_are_sacrebleus():
    assert tuple(BLEU.TOKENIZERS) == TOKENIZERS


@pytest.mark.parametrize("language", ["zh", "ja", "ko", "de", "", None])
def test_the_default_is_sacrebleus(language):
    assert default_tokenizer(language) == BLEU._TOKENIZER_MAP.get(language, BLEU.TOKENIZER_DEFAULT)


def classes_of(name):
    """Class of every code point there is, those beyond the table included."""
    table = make_tokenizer(name).classes
    return table[np.minimum(np.arange(sys.maxunicode + 1), table.size - 1)]


@pytest.mark.parametrize("name", ["13a", "zh", "char", "none"])
def test_space_is_what_python_splits_at(name):
    space = [chr(i).isspace() for i in range(sys.maxunicode + 1)]
    np.testing.assert_array_equal(classes_of(name) == SPACE, space)


def test_chinese_is_what_sacrebleu_takes_for_chinese():
    is_chinese = TokenizerZh._is_chinese_char.__wrapped__
    chinese = np.array([is_chinese(chr(i)) for i in range(0x30000)])
    assert not any(
        is_chinese(chr(i)) for i in range(0x30000, sys.maxunicode + 1, 97)
    )  # where nothing is for them
    chinese = np.append(chinese, np.zeros(sys.maxunicode + 1 - 0x30000, bool))
    western, ours = classes_of("13a"), classes_of("zh")
    np.testing.assert_array_equal(ours, np.where(chinese & (western != SPACE), ALONE, western))


def test_classes_of_13a_beyond_ascii_are_words_or_space():
    table = classes_of("13a")
    assert set(table[128:].tolist()) == {SPACE, WORD}
    ascii_classes = "".join(" !.-a   1"[c] for c in table[33:127])
    expected = "".join(
        "1"
        if c.isdigit()
        else "."
        if c in ".,"
        else "-"
        if c == "-"
        else "a"
        if c.isalpha() or c == "'"
        else "!"
        for c in map(chr, range(33, 127))
    )
    assert ascii_classes == expected
    assert (SPACE, ALONE, STOP, DASH, WORD, DIGIT) == (0, 1, 2, 3, 4, 8)


@pytest.mark.parametrize("longest", [5, pytest.param(6, marks=pytest.mark.long)])
def test_every_short_sequence_of_character_classes(longest):
    """All strings of up to so many characters, one character per class, each with and without its
    padding.
    """
    from mtsig_core.metrics.counting import join_texts

    for tokenize, alone in [("13a", "!"), ("zh", "中")]:
        segments = [
            "".join(s)
            for n in range(longest + 1)
            for s in itertools.product(f"a1.- {alone}", repeat=n)
        ]
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


# -- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong, near",
    [
        ("13", "13a"),
        ("13A", "13a"),
        ("mecab", "(ja|ko)-mecab"),
        ("flores", "flores(101|200)"),
        ("spbleu-1k", "spBLEU-1K"),
    ],
)
def test_an_unknown_tokenizer_names_the_nearest(wrong, near):
    with pytest.raises(
        SettingError,
        match=f"Unknown tokenizer '{wrong}'. Did you mean '{near}'.*Available: none, zh",
    ):
        Bleu(tokenize=wrong)
    with pytest.raises(SettingError, match="Unknown tokenizer"):
        make_tokenizer(wrong)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("tokenize, extra", [("ja-mecab", "ja"), ("ko-mecab", "ko")])
def test_a_missing_dictionary_says_what_to_install(monkeypatch, tokenize, extra):
    for module in (tokenizer_ja_mecab, tokenizer_ko_mecab):
        monkeypatch.setattr(module, "MeCab", None)
    for use in (Bleu(tokenize).statistics, Bleu(tokenize).signature):
        with pytest.raises(SettingError) as caught:
            use(TOY)
        assert str(caught.value) == (
            f"Tokenizer {tokenize!r} needs the extra {extra!r}, which is not installed. "
            f'Install it with: pip install "sacrebleu[{extra}]". Or choose another tokenizer: char needs none.'
        )


SENTENCEPIECE = ["spm", "flores200"]


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("tokenize", SENTENCEPIECE)
def test_missing_sentencepiece_says_what_to_install(monkeypatch, tokenize):
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(SettingError, match=f'{tokenize}.*pip install ".*sentencepiece'):
        Bleu(tokenize).statistics(TOY)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("failure", [SystemExit(1), URLError("no route to host")])
@pytest.mark.parametrize("tokenize", SENTENCEPIECE)
def test_a_model_that_cannot_be_downloaded_is_one_message(monkeypatch, tmp_path, tokenize, failure):
    def download(*_):
        raise failure

    fake = types.SimpleNamespace(SentencePieceProcessor=object)
    monkeypatch.setitem(sys.modules, "sentencepiece", fake)
    monkeypatch.setattr(tokenizer_spm, "SACREBLEU_DIR", str(tmp_path))
    monkeypatch.setattr(tokenizer_spm, "download_file", download)
    with pytest.raises(SettingError) as caught:
        Bleu(tokenize).statistics(TOY)
    message = str(caught.value)
    assert (
        f"Tokenizer {tokenize!r} could not be set up" in message
        and type(failure).__name__ in message
    )
    assert "once with a network connection" in message and "\n" not in message
    assert caught.value.remedies == ({"tokenize": "NAME"},)


# -- weight ---------------------------------------------------------------------------------------


def test_importing_and_scoring_load_nothing_heavy():
    """Without the package's own __init__, which imports everything for the interactive user."""
    program = f"""
import sys, types
package = types.ModuleType("mtsig_core")
package.__path__ = [{str(ROOT / "mtsig_core")!r}]
sys.modules["mtsig_core"] = package
import mtsig_core.metrics.bleu as bleu
from mtsig_core.testset import TestSet
metric = bleu.Bleu()
metric.score([[9, 9, 5, 4, 3, 2, 9, 8, 7, 6]] * 100)
metric.signature(TestSet("toy", {{"A": ["a"]}}, {{"r": ["a"]}}))
heavy = {{"numba", "sacrebleu", "pandas", "scipy"}} & set(sys.modules)
assert not heavy, heavy
metric.statistics(TestSet("toy", {{"A": ["a"]}}, {{"r": ["a"]}}))
assert "sacrebleu" not in sys.modules
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
