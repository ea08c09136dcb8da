"""Dependency parses in CoNLL-U."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mtsig_core.errors import InputError, format_count
from mtsig_core.readers.cells import show_value
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.lines import read_lines
from mtsig_core.testset import show_name

_N_COLUMNS = 10
_SHORT = 3  # letters of words that occur in any text
#: A token of several words, or a word that is not written.
_NO_WORD = re.compile(r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+")
_WHOLE_NUMBER = re.compile("[0-9]{1,9}")
_SEGMENT_COMMENT = re.compile(r"#\s*segment\s*=\s*(.*)")
_PARAGRAPH_COMMENT = re.compile(r"#\s*newpar\b")


def read_conllu(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parse of each segment of a text, from a CoNLL-U file, plain or gzipped.

    ``# segment = N`` names the line of the text to which the following sentences belong. Without
    such comments, each ``# newpar`` begins a segment, if their number is the number of segments.
    Otherwise each sentence is a segment; blank lines need no sentence.

    Returns
    -------
    list of str
        A line for each word, with form, lemma, head and deprel between tabs, and an empty line
        between sentences.
    """
    parses = _read_parses(path, texts)
    words = []
    for parse, text in zip(parses, texts, strict=True):
        for word in parse.split("\n"):
            if word:
                form, _, _ = word.partition("\t")
                words.append((form.casefold(), text.casefold()))
    long_words = [(form, text) for form, text in words if len(form) > _SHORT]
    checked = long_words or words
    # Not all of them are: of "zum" a parse has "zu" and "dem".
    n_present = sum(form in text for form, text in checked)
    if n_present < len(checked) / 2:
        raise InputError(
            f"{show_name(path)}: the segments have only {n_present:,} of the words of their parses, of "
            f"{len(checked):,}. Expected the parse of this text, segment by segment in its order."
        )
    return parses


def _read_parses(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parses as `read_conllu` has them."""
    name = show_name(path)
    lines = read_lines(path, "a parse in CoNLL-U")
    sentences = list(_split_sentences(name, lines, len(texts)))
    if any(sentence.segment for sentence in sentences):
        return _join_by_number(name, sentences, len(texts))
    by_sentence = ["\n".join(sentence.words) for sentence in sentences]
    by_paragraph = _join_by_paragraph(sentences)
    filled = [row for row, text in enumerate(texts) if text.strip()]
    for parses in (by_paragraph, by_sentence):
        if len(parses) == len(texts):
            return parses
        if len(parses) == len(filled):
            parse_by_row = dict(zip(filled, parses, strict=True))
            return [parse_by_row.get(row, "") for row in range(len(texts))]
    sentence_count = f"{len(by_sentence)} sentences"
    if by_paragraph:
        sentence_count += f" in {len(by_paragraph)} paragraphs"
    segment_count = f"{len(texts)} segments"
    if len(filled) < len(texts):
        segment_count += f" ({len(filled)} not blank)"
    raise InputError(
        f"{name} has {sentence_count}, the text has {segment_count}. Expected one sentence for each, or "
        "'# newpar' or '# segment = N' before the first sentence of each."
    )


@dataclass
class _Sentence:
    """The comments and words up to an empty line."""

    line: int  # its first
    segment: int = 0  # the number it is given, 0 for none
    n_paragraphs: int = 0  # how many begin with it
    words: list[str] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)  # (line, head)


def _join_by_number(name: str, sentences: Sequence[_Sentence], n_segments: int) -> list[str]:
    """Join the parse of each segment from sentences that give the number of their segment."""
    if not sentences[0].segment:
        raise InputError(
            f"{name}, line {sentences[0].line}: this sentence comes before the first '# segment = N'. "
            "Name the segment it belongs to."
        )
    groups: list[list[_Sentence]] = [[] for _ in range(n_segments)]
    segment = 0
    for sentence in sentences:
        segment = sentence.segment or segment
        groups[segment - 1].append(sentence)
    return [_join_sentences(group) for group in groups]


def _join_by_paragraph(sentences: Sequence[_Sentence]) -> list[str]:
    """The parse of each paragraph; none where a sentence comes before the first paragraph."""
    groups: list[list[_Sentence]] = []
    for sentence in sentences:
        groups += [[] for _ in range(sentence.n_paragraphs)]
        if not groups:
            return []
        groups[-1].append(sentence)
    return [_join_sentences(group) for group in groups]


def _join_sentences(sentences: Sequence[_Sentence]) -> str:
    return "\n\n".join("\n".join(sentence.words) for sentence in sentences if sentence.words)


def _split_sentences(name: str, lines: Sequence[str], n_segments: int) -> Iterator[_Sentence]:
    """The sentences of a file, checked."""
    sentence = None
    last_segment = 0
    for number, line in enumerate([*lines, ""], 1):
        location = f"{name}, line {number}"
        if not line.strip():
            if sentence is not None:
                _check_heads(name, sentence)
                yield sentence
            sentence = None
            continue
        if sentence is None:
            sentence = _Sentence(number)
        if not line.startswith("#"):
            _add_word(sentence, number, line.split("\t"), location)
            continue
        if sentence.words:
            raise InputError(
                f"{location}: a comment is inside a sentence. Put an empty line after the last word before "
                "it."
            )
        if _PARAGRAPH_COMMENT.match(line):
            sentence.n_paragraphs += 1
        comment = _SEGMENT_COMMENT.fullmatch(line.strip())
        if comment is not None:
            last_segment = _parse_segment(location, comment[1], last_segment, n_segments)
            sentence.segment = last_segment


def _check_heads(name: str, sentence: _Sentence) -> None:
    n_words = len(sentence.words)
    for line, head in sentence.heads:
        if head > n_words:
            raise InputError(
                f"{name}, line {line}: the head (column 7) is {head}, and the sentence has "
                f"{format_count(n_words, 'word')}. Expected one of them, or 0 for the root."
            )


def _parse_segment(location: str, text: str, last_segment: int, n_segments: int) -> int:
    """The number of a segment, which must come after the last one."""
    if _WHOLE_NUMBER.fullmatch(text) and last_segment < int(text) <= n_segments:
        return int(text)
    after = f", after {last_segment}" if last_segment else ""
    raise InputError(
        f"{location}: segment = {show_name(text)}, and the text has {n_segments} segments. "
        f"Expected one of them, each once and in order{after}."
    )


def _add_word(sentence: _Sentence, number: int, columns: Sequence[str], location: str) -> None:
    expected = len(sentence.words) + 1
    if len(columns) == _N_COLUMNS:
        index, form, lemma, _, _, _, head, relation, _, _ = columns
        if _NO_WORD.fullmatch(index):
            return
        has_head = _WHOLE_NUMBER.fullmatch(head) and int(head) != expected
        if index == str(expected) and has_head:
            lemma = form if lemma == "_" else lemma
            sentence.words.append(f"{form}\t{lemma}\t{head}\t{relation}")
            sentence.heads.append((number, int(head)))
            return
    raise InputError(
        f"{location} is {show_value(' '.join(columns))}. Expected word {expected} of the sentence: "
        f"{_N_COLUMNS} columns with tabs between them, the first the number of the word, the seventh "
        "the number of its head, another word, or 0 for the root. An empty line ends each sentence."
    )
