"""Dependency parses in CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from mtsig_core.errors import InputError, format_count
from mtsig_core.readers.columns import show_value
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_lines
from mtsig_core.testset import show_name

N_COLUMNS = 10
_SHORT = 3  # letters of words that occur in any text
_NO_WORD = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")  # a token of several words, a word that is not written
_WHOLE = re.compile("[0-9]{1,9}")


def read_conllu(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parse of each segment of a text, from a CoNLL-U file, plain or gzipped: a line for each word, with form,
    lemma, head and deprel between tabs, and an empty line between sentences.

    ``# segment = N`` names the line of the text that the sentences from there on belong to. Without any, each ``#
    newpar`` begins a segment if there are as many as segments, else each sentence is one; blank lines may have none.
    """
    parses = _read_parses(path, texts)
    words = [(word.partition("\t")[0].casefold(), text.casefold()) for parse, text in zip(parses, texts, strict=True)
             for word in parse.split("\n") if word]
    words = [(form, text) for form, text in words if len(form) > _SHORT] or words
    n_present = sum(form in text for form, text in words)  # not all: of "zum" a parse has "zu" and "dem"
    if n_present < len(words) / 2:
        raise InputError(f"{show_name(path)}: only {n_present:,} of {len(words):,} words are in the segment that their "
                         "parse is for. Expected the parse of this text, segment by segment in its order.")
    return parses


def _read_parses(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parses as `read_conllu` has them."""
    name = show_name(path)
    sentences = list(_split_sentences(name, read_lines(path, "a parse in CoNLL-U"), len(texts)))
    parses = ["\n".join(sentence.words) for sentence in sentences]
    if any(sentence.segment for sentence in sentences):
        if not sentences[0].segment:
            raise InputError(f"{name}, line {sentences[0].line}: this sentence comes before the first '# segment = N'. "
                             "Name the segment it belongs to.")
        numbers = list(accumulate((sentence.segment for sentence in sentences), max))
        numbered = _join(parses, (n - before for n, before in zip(numbers, [0, *numbers], strict=False)))
        return numbered + [""] * (len(texts) - len(numbered))
    paragraphs = _join(parses, (sentence.paragraphs for sentence in sentences))
    filled = [k for k, text in enumerate(texts) if text.strip()]
    for candidates in (paragraphs, parses):
        if len(candidates) in (len(texts), len(filled)):
            of_segment = dict(zip(filled if len(candidates) < len(texts) else range(len(texts)), candidates,
                                  strict=True))
            return [of_segment.get(k, "") for k in range(len(texts))]
    raise InputError(
        f"{name} has {len(parses)} sentences{f' in {len(paragraphs)} paragraphs' if paragraphs else ''}, the text has "
        f"{len(texts)} segments{f' ({len(filled)} not blank)' if len(filled) < len(texts) else ''}. Expected one "
        "sentence for each, or '# newpar' or '# segment = N' before the first sentence of each.")


def _join(parses: Sequence[str], n_begin: Iterable[int]) -> list[str]:
    """The parse of each segment, of which so many begin with each sentence; none where a sentence has no segment."""
    groups: list[list[str]] = []
    for parse, n in zip(parses, n_begin, strict=True):
        groups += [[] for _ in range(n)]
        if not groups:
            return []
        groups[-1].append(parse)
    return ["\n\n".join(filter(None, group)) for group in groups]


@dataclass
class _Sentence:
    """The comments and words up to an empty line."""

    line: int  # its first
    segment: int = 0  # the number it is given, 0 for none
    paragraphs: int = 0  # how many begin with it
    words: list[str] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)  # (line, head)


def _split_sentences(name: str, lines: Sequence[str], n_segments: int) -> Iterator[_Sentence]:
    """The sentences of a file, checked."""
    sentence, last = None, 0
    for number, line in enumerate([*lines, ""], 1):
        where = f"{name}, line {number}"
        if not line.strip():
            if sentence is not None:
                n = len(sentence.words)
                if wrong := next((one for one in sentence.heads if one[1] > n), None):
                    raise InputError(f"{name}, line {wrong[0]}: the head (column 7) is {wrong[1]}, and the sentence "
                                     f"has {format_count(n, 'word')}. Expected one of them, or 0 for the root.")
                yield sentence
            sentence = None
            continue
        sentence = sentence or _Sentence(number)
        if not line.startswith("#"):
            _add_word(sentence, number, line.split("\t"), where)
            continue
        if sentence.words:
            raise InputError(f"{where}: a comment is inside a sentence. Put an empty line after the last word before "
                             "it.")
        sentence.paragraphs += bool(re.match(r"#\s*newpar\b", line))
        if match := re.fullmatch(r"#\s*segment\s*=\s*(.*)", line.strip()):
            if not _WHOLE.fullmatch(match[1]) or not last < int(match[1]) <= n_segments:
                raise InputError(f"{where}: segment = {show_name(match[1])}, and the text has {n_segments} segments. "
                                 f"Expected one of them, each once and in order{f', after {last}' if last else ''}.")
            sentence.segment = last = int(match[1])


def _add_word(sentence: _Sentence, number: int, columns: Sequence[str], where: str) -> None:
    if len(columns) == N_COLUMNS and _NO_WORD.fullmatch(columns[0]):
        return
    expected = len(sentence.words) + 1
    index, form, lemma, _, _, _, head, relation, _, _ = columns if len(columns) == N_COLUMNS else [""] * N_COLUMNS
    if index != str(expected) or not _WHOLE.fullmatch(head) or int(head) == expected:
        raise InputError(f"{where} is {show_value(' '.join(columns))}. Expected word {expected} of the sentence: "
                         f"{N_COLUMNS} columns with tabs between them, the first the number of the word, the seventh "
                         "that of its head, another word, or 0 for the root. An empty line ends each sentence.")
    sentence.words.append("\t".join((form, form if lemma == "_" else lemma, head, relation)))
    sentence.heads.append((number, int(head)))
