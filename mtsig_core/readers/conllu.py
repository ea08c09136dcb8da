"""Dependency parses in CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from mtsig_core.errors import InputError
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_lines
from mtsig_core.testset import show_name

COLUMNS = 10
_SEGMENT = re.compile(r"#\s*segment\s*=\s*(.*)")
_PARAGRAPH = re.compile(r"#\s*newpar\b")
_SHORT = 3  # letters of words that stand in any text
_NO_WORD = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")  # a token of several words, a word that is not written
_Fail = Callable[..., NoReturn]


def read_conllu(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parse of each segment of a text, from a CoNLL-U file, plain or gzipped.

    ``# segment = N`` names the line of the text that the sentences from there on belong to. Without any, each
    ``# newpar`` begins a segment if there are as many as segments, else each sentence is one. Where there are only as
    many as the text has lines that are not blank, the blank ones have no parse. A parse is a line for each word, with
    ``form``, ``lemma``, ``head`` and ``deprel`` between tabs, and an empty line between sentences.
    """
    parses = _read_parses(path, texts)
    words = [(word.partition("\t")[0].casefold(), text.casefold()) for parse, text in zip(parses, texts, strict=True)
             for word in parse.split("\n") if word]
    words = [(form, text) for form, text in words if len(form) > _SHORT] or words
    n_present = sum(form in text for form, text in words)  # not all: of "zum" a parse has "zu" and "dem"
    if n_present < len(words) / 2:
        raise InputError(f"{show_name(path)}: only {n_present:,} of {len(words):,} words stand in the segment that "
                         "they are the parse of. Expected the parse of this text, segment by segment in its order.")
    return parses


def _read_parses(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parses as `read_conllu` has them."""
    sentences = list(_split_sentences(path, read_lines(path, "a parse in CoNLL-U"), len(texts)))
    if any(sentence.segment for sentence in sentences):
        return _join_by_number(sentences, len(texts), path)
    filled = [k for k, text in enumerate(texts) if text.strip()]
    by_sentence = [sentence.parse for sentence in sentences]
    for candidates in (_join_by_paragraph(sentences), by_sentence):
        if len(candidates) == len(texts):
            return candidates
        if len(candidates) == len(filled):
            parses = dict(zip(filled, candidates, strict=True))
            return [parses.get(k, "") for k in range(len(texts))]
    paragraphs = len(_join_by_paragraph(sentences))
    raise InputError(
        f"{show_name(path)} has {len(by_sentence)} sentences{f' in {paragraphs} paragraphs' if paragraphs else ''}, "
        f"the text has {len(texts)} segments{f' ({len(filled)} not blank)' if len(filled) < len(texts) else ''}. "
        "Expected one sentence for each, or '# newpar' or '# segment = N' before the first sentence of each.")


@dataclass
class _Sentence:
    """The comments and words up to an empty line."""

    line: int  # its first
    segment: int = 0  # the number it is given, 0 for none
    paragraphs: int = 0  # how many begin with it
    words: list[str] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)  # (line, head)

    @property
    def parse(self) -> str:
        return "\n".join(self.words)


def _split_sentences(path: FilePath, lines: Sequence[str], n_segments: int) -> Iterator[_Sentence]:
    """The sentences of a file, checked."""
    def fail(fault: str, line: int | None = None) -> NoReturn:
        raise InputError(f"{show_name(path)}, line {line or number}: {fault}.")

    sentence, last = None, 0
    for number, line in enumerate([*lines, ""], 1):
        if not line.strip():
            if sentence is not None:
                _check_heads(sentence, fail)
                yield sentence
            sentence = None
            continue
        sentence = sentence or _Sentence(number)
        if not line.startswith("#"):
            _take_word(sentence, number, line.split("\t"), fail)
            continue
        if sentence.words:
            fail("a comment stands within a sentence. Put an empty line after the last word before it")
        sentence.paragraphs += bool(_PARAGRAPH.match(line))
        if match := _SEGMENT.fullmatch(line.strip()):
            if not re.fullmatch("[0-9]{1,9}", match[1]) or not last < int(match[1]) <= n_segments:
                fail(f"segment = {show_name(match[1])}, and the text has {n_segments} segments. Expected one of them, "
                     f"each once and in order{f', after {last}' if last else ''}")
            sentence.segment = last = int(match[1])


def _take_word(sentence: _Sentence, number: int, columns: Sequence[str], fail: _Fail) -> None:
    if len(columns) != COLUMNS:
        spaces = len(columns) == 1 and " " in columns[0]
        hint = "Tabs stand between columns, not spaces" if spaces else "See whether the line is cut off or torn apart"
        fail(f"{len(columns)} {'column' if len(columns) == 1 else 'columns'}, CoNLL-U has {COLUMNS}. {hint}")
    index, form, lemma, _, _, _, head, relation, _, _ = columns
    if _NO_WORD.fullmatch(index):
        return
    expected = len(sentence.words) + 1
    if index != str(expected):
        hint = "An empty line is missing before it" if index == "1" else "They are numbered from 1 in each sentence"
        fail(f"word {show_name(index)} comes where word {expected} is expected. {hint}")
    if not re.fullmatch("[0-9]{1,9}", head):
        fail(f"the head (column 7) is {show_name(head)!r}, not a number. Parse the text, or mend the line")
    if int(head) == expected:
        fail(f"word {expected} is its own head (column 7). Expected another word, or 0 for the root")
    sentence.words.append("\t".join((form, form if lemma == "_" else lemma, head, relation)))
    sentence.heads.append((number, int(head)))


def _check_heads(sentence: _Sentence, fail: _Fail) -> None:
    n = len(sentence.words)
    for line, head in sentence.heads:
        if head > n:
            fail(f"the head (column 7) is {head}, and the sentence has {n} {'word' if n == 1 else 'words'}. Expected "
                 "one of them, or 0 for the root", line)


def _join_by_number(sentences: Sequence[_Sentence], n_segments: int, path: FilePath) -> list[str]:
    """The parse of each segment, where segments are named."""
    groups: list[list[str]] = [[] for _ in range(n_segments)]
    current = 0
    for sentence in sentences:
        current = sentence.segment or current
        if not current:
            raise InputError(f"{show_name(path)}, line {sentence.line}: this sentence comes before the first "
                             "'# segment = N'. Name the segment it belongs to.")
        groups[current - 1].append(sentence.parse)
    return ["\n\n".join(filter(None, parses)) for parses in groups]


def _join_by_paragraph(sentences: Sequence[_Sentence]) -> list[str]:
    """The parse of each paragraph, where they are marked; none where a sentence comes before the first."""
    groups: list[list[str]] = []
    for sentence in sentences:
        groups += [[] for _ in range(sentence.paragraphs)]
        if not groups:
            return []
        groups[-1].append(sentence.parse)
    return ["\n\n".join(filter(None, parses)) for parses in groups]
