"""Scores of segments without texts, in the layout of WMT25.

``automatic_scores/SYSTEM.jsonl`` has a line for each document, with the scores of its segments::

    {"language_pair": "en-de_DE", "domain": "news", "document_id": "n1",
     "metric_scores": {"CometKiwi-XL": [0.81, 0.79], "MetricX-24-Hybrid-XL": [-2.1, -3.4]}}

A segment that a system lacks has no score.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from mtsig_core.errors import InputError, explain_unknown
from mtsig_core.readers.cells import show_value
from mtsig_core.readers.files import check_regular, list_folder
from mtsig_core.readers.formats import strip_ending
from mtsig_core.readers.limits import check_values, parse_bounded_json, spend
from mtsig_core.readers.lines import read_bytes, read_lines
from mtsig_core.readers.score_tables import cut_lines
from mtsig_core.readers.task_names import folder_name
from mtsig_core.testset import SegmentScores, TestSet, as_scores, show_name

FOLDER_NAME = "automatic_scores"
ENDINGS = (".jsonl", ".jsonl.gz")
_EXAMPLE = (
    '{"language_pair": "en-de_DE", "domain": "news", "document_id": "n1", '
    '"metric_scores": {"CometKiwi-XL": [0.81, 0.79]}}'
)
_Scores = list[float | None]


def has_automatic_scores(content: bytes) -> bool:
    """Whether the first line of a file has scores of a document."""
    first_line, _, _ = cut_lines(content).partition(b"\n")
    return re.search(rb'"metric_scores"\s*:\s*\{', first_line) is not None


class _Document(NamedTuple):
    """A document of a language pair."""

    domain: str
    document_id: str


class _Length(NamedTuple):
    """The number of segments of a document, and the place where it was read first."""

    n_segments: int
    location: str


class _Line(NamedTuple):
    """The scores that one system has for a document."""

    langpair: str
    document: _Document
    scores: dict[str, list[Any]]  # by metric


@dataclass
class _PairScores:
    """The scores of one language pair, as they are read."""

    lengths: dict[_Document, _Length] = field(default_factory=dict)
    #: By metric, system and document.
    scores: dict[str, dict[str, dict[_Document, _Scores]]] = field(default_factory=dict)
    systems: dict[str, None] = field(default_factory=dict)

    def add(self, system: str, line: _Line, location: str) -> None:
        """Add the scores that a system has for one document."""
        self.systems.setdefault(system)
        document_id = show_name(line.document.document_id)
        for metric, scores in line.scores.items():
            length = self.lengths.setdefault(line.document, _Length(len(scores), location))
            if len(scores) != length.n_segments:
                raise InputError(
                    f"{location}: {show_name(metric)} has {len(scores)} scores for the document "
                    f"{document_id}, which has {length.n_segments} segments by {length.location}. "
                    "Expected one each."
                )
            by_document = self.scores.setdefault(metric, {}).setdefault(system, {})
            if line.document in by_document:
                raise InputError(
                    f"{location}: the document {document_id} appears twice. Expected a line for "
                    "each document of a language pair."
                )
            by_document[line.document] = list(as_scores(f"{location}: {show_name(metric)}", scores))

    def join(self, name: str, langpair: str) -> TestSet:
        """The documents one after the other."""
        documents: list[_Document] = []
        for document, length in self.lengths.items():
            documents.extend(repeat(document, length.n_segments))
        n = len(documents)
        if n == 0:
            raise InputError(
                f"{name} has no score. Check that the task has scores of that language pair."
            )
        spend("systems", len(self.systems), name)
        check_values(n * len(self.systems) * (1 + len(self.scores)), name)
        tables = {}
        for metric, by_system in self.scores.items():
            scores = {system: self._join_scores(lists) for system, lists in by_system.items()}
            tables[metric] = SegmentScores(scores)
        no_text: list[Any] = list(repeat(None, n))
        no_texts = dict.fromkeys(self.systems, no_text)
        return TestSet(
            name,
            no_texts,
            {},
            documents=[document.document_id for document in documents],
            domains=[document.domain for document in documents],
            langpair=langpair,
            scores=tables,
        )

    def _join_scores(self, by_document: dict[_Document, _Scores]) -> _Scores:
        scores: _Scores = []
        for document, length in self.lengths.items():
            scores += by_document.get(document) or repeat(None, length.n_segments)
        return scores


def read_automatic_scores(folder: Path, pairs: Collection[str] | None) -> dict[str, TestSet]:
    """Read the test sets of these language pairs; of all pairs, sorted, if None.

    The files do not give the direction of scores, so higher counts as better for all of them.
    """
    scores_by_pair: dict[str, _PairScores] = {}
    for path in _list_files(folder):
        system = strip_ending(show_name(path.name))
        for number, text in enumerate(read_lines(path, "an object of JSON in each line"), 1):
            if not text.strip() or _names_no_pair(text, pairs):
                continue
            location = f"{show_name(path)}, line {number}"
            line = _parse_line(text, location)
            if pairs is None or line.langpair in pairs:
                scores_by_pair.setdefault(line.langpair, _PairScores()).add(system, line, location)
    if pairs is None:
        pairs = sorted(scores_by_pair)
    for pair in pairs:
        if pair not in scores_by_pair:
            raise explain_unknown("language pair", pair, list_scored_pairs(folder))
    name = folder_name(folder)
    return {pair: scores_by_pair[pair].join(f"{name} {pair}", pair) for pair in pairs}


def _names_no_pair(text: str, pairs: Collection[str] | None) -> bool:
    """Whether a complete line names none of these language pairs: quicker than to parse it."""
    if pairs is None or not text.endswith("}") or "\\" in text:
        return False
    return not any(pair in text for pair in pairs)


def _parse_line(text: str, location: str) -> _Line:
    try:
        entry = parse_bounded_json(text, location)
    except ValueError:
        raise InputError(
            f"{location} is not JSON. Expected an object such as {_EXAMPLE}."
        ) from None
    if not isinstance(entry, dict):
        entry = {}
    names = [entry.get(key) for key in ("language_pair", "domain", "document_id")]
    scores: Any = entry.get("metric_scores")
    has_names = all(isinstance(name, str) and name.strip() for name in names)
    has_scores = isinstance(scores, dict) and all(isinstance(row, list) for row in scores.values())
    if not has_names or not has_scores:
        raise InputError(
            f"{location} is {show_value(text.strip())}. Expected an object such as {_EXAMPLE}."
        )
    langpair, domain, document_id = map(str, names)
    return _Line(langpair, _Document(domain, document_id), scores)


def _list_files(folder: Path) -> list[Path]:
    inside = folder / FOLDER_NAME
    files = [check_regular(inside / name) for name in list_folder(inside) if name.endswith(ENDINGS)]
    if not files:
        raise InputError(
            f"{show_name(inside)} has no file SYSTEM.jsonl. Expected one for each system."
        )
    return files


def list_scored_pairs(folder: Path) -> list[str]:
    """The language pairs that any line names, sorted; a quick list for a choice, not a check."""
    pairs = set()
    for path in _list_files(folder):
        data, _ = read_bytes(path)
        pairs |= {*re.findall(rb'"language_pair"\s*:\s*"([^"\\]+)"', data)}
    return sorted(pair.decode("utf-8", "replace") for pair in pairs)
