"""Tasks that publish segment scores alone, in the layout of WMT25.

``automatic_scores/SYSTEM.jsonl`` has a line for each document, with the scores of its segments::

    {"language_pair": "en-de_DE", "domain": "news", "document_id": "n1",
     "metric_scores": {"CometKiwi-XL": [0.81, 0.79], "MetricX-24-Hybrid-XL": [-2.1, -3.4]}}

and ``systems_metadata.json`` beside that folder, which may be missing, says who is in the constrained track.
"""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtsig_core.data.checks import literal
from mtsig_core.data.readers.bounds import check_place, check_values, regular, spend
from mtsig_core.data.readers.json_text import parse_json
from mtsig_core.data.readers.lines import read_bytes, read_lines, shown
from mtsig_core.data.readers.names import folder_name
from mtsig_core.data.score_directions import settle_directions
from mtsig_core.data.segment_scores import SegmentScores
from mtsig_core.data.task import SystemInfo, Task
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError, unknown

__all__ = ["SCORES", "read_task_scores", "score_pairs"]

SCORES = "automatic_scores"
_METADATA = "systems_metadata.json"
_LINE = ('{"language_pair": "en-de_DE", "domain": "news", "document_id": "n1", '
         '"metric_scores": {"CometKiwi-XL": [0.81, 0.79]}}')
_EXACT = 1 << 53  # whole numbers up to it are floats as they are
_Key = tuple[str, str]  # domain and document id


@dataclass
class _Pair:
    """What is read of one language pair so far."""

    length: dict[_Key, int] = field(default_factory=dict)  # segments of each document, in order
    first: dict[_Key, str] = field(default_factory=dict)  # where each was seen first, for messages
    scores: dict[str, dict[str, dict[_Key, list[float | None]]]] = field(default_factory=dict)  # metric, system
    systems: dict[str, None] = field(default_factory=dict)


def read_task_scores(folder: Path, pairs: Collection[str] | None = None, *, lower_is_better: Collection[str] = (),
                     higher_is_better: Collection[str] = ()) -> Task:
    """A task from a folder in the layout of WMT25.

    Parameters
    ----------
    folder : Path
        That has ``automatic_scores/``.
    pairs : collection of str, optional
        Language pairs; all by default.
    lower_is_better, higher_is_better : collection of str
        What the user says of the direction of scores, of language pairs that are not chosen too; see
        `settle_directions`.

    Returns
    -------
    Task
        Test sets of scores alone, with documents and domains. A segment that a system lacks has no score.

    Raises
    ------
    InputError
        With file and line, what was expected there, and what came.
    SettingError
        If no direction of the scores of a language pair is settled, or there is no such pair.
    """
    found = _read(folder, pairs)
    for pair in pairs or ():
        if pair not in found:
            raise unknown("language pair", pair, score_pairs(folder))
    values = {metric: [score for pair in found.values() for by_document in pair.scores.get(metric, {}).values()
                       for scores in by_document.values() for score in scores]
              for metric in dict.fromkeys(metric for pair in found.values() for metric in pair.scores)}
    said = {*lower_is_better, *higher_is_better}
    all_pairs = found if pairs is None or said <= values.keys() else _read(folder, None)
    elsewhere = dict.fromkeys(metric for pair in all_pairs.values() for metric in pair.scores)
    directions, assumed = settle_directions(values, lower_is_better, higher_is_better, elsewhere,
                                            [pair.scores for pair in found.values()])
    name = folder_name(folder)
    order = sorted(found) if pairs is None else list(dict.fromkeys(pairs))
    testsets = {pair: _testset(f"{name} {pair}", pair, found[pair],
                               {metric: one.higher_is_better for metric, one in directions.items()}) for pair in order}
    told = _metadata(folder / _METADATA)
    present = {system for testset in testsets.values() for system in testset.systems}
    return Task(name, testsets, {system: info for system, info in told.items() if system in present},
                tuple(assumed))


def _read(folder: Path, pairs: Collection[str] | None) -> dict[str, _Pair]:
    """What the files have of these language pairs; of all by default."""
    found: dict[str, _Pair] = {}
    for path in _files(folder):
        system, name = literal(path.name).removesuffix(".gz").removesuffix(".jsonl"), shown(path)
        for number, line in enumerate(read_lines(path, "an object of JSON in each line"), 1):
            if line.strip() and not _of_another(line, pairs):
                _take(found, system, line, f"{name}, line {number}", pairs)
    return found


def score_pairs(folder: Path) -> list[str]:
    """The language pairs that any line names, sorted; quick, so a list for a choice, not a check of the files."""
    names = {name for path in _files(folder) for name in re.findall(rb'"language_pair"\s*:\s*"([^"\\]+)"',
                                                                    read_bytes(path)[0])}
    return sorted(name.decode("utf-8", "replace") for name in names)


def _files(folder: Path) -> list[Path]:
    inside = folder / SCORES
    check_place(inside)
    files = sorted(regular(path) for path in inside.iterdir() if path.name.endswith((".jsonl", ".jsonl.gz"))
                   and not path.name.startswith("."))
    if not files:
        raise InputError(f"{shown(inside)} has no file SYSTEM.jsonl. Expected one for each system.")
    return files


def _of_another(line: str, pairs: Collection[str] | None) -> bool:
    """Whether a line is whole and cannot be of these language pairs, whose names it does not have: quicker than to
    parse it."""
    return pairs is not None and line.endswith("}") and "\\" not in line and not any(pair in line for pair in pairs)


def _take(found: dict[str, _Pair], system: str, line: str, where: str, pairs: Collection[str] | None) -> None:
    """Put the scores of one document where they belong."""
    try:
        entry = parse_json(line, where)
    except ValueError:
        raise InputError(f"{where} is no JSON. Expected an object such as {_LINE}.") from None
    if not isinstance(entry, dict):
        raise InputError(f"{where} is no object. Expected one such as {_LINE}.")
    pair, domain, document = (_text(entry, key, where) for key in ("language_pair", "domain", "document_id"))
    if pairs is not None and pair not in pairs:
        return
    by_metric = entry.get("metric_scores")
    if not isinstance(by_metric, dict) or not all(isinstance(scores, list) for scores in by_metric.values()):
        raise InputError(f"{where} has no lists under 'metric_scores'. Expected an object such as {_LINE}.")
    one, key = found.setdefault(pair, _Pair()), (domain, document)
    one.systems.setdefault(system)
    for metric, scores in by_metric.items():
        one.first.setdefault(key, where)
        if one.length.setdefault(key, len(scores)) != len(scores):
            raise InputError(f"{where}: {shown(metric)} has {len(scores)} scores for the document {shown(document)}, "
                             f"which has {one.length[key]} segments by {one.first[key]}. Expected one for each.")
        of_system = one.scores.setdefault(metric, {}).setdefault(system, {})
        if key in of_system:
            raise InputError(f"{where}: the document {shown(document)} comes a second time. Expected a line for each "
                             "document of a language pair.")
        of_system[key] = _numbers(scores, where, metric)


def _testset(name: str, pair: str, found: _Pair, higher_is_better: Mapping[str, bool]) -> TestSet:
    keys = [key for key, length in found.length.items() for _ in range(length)]
    if not keys:
        raise InputError(f"{name} has no score. See whether the task has scores of that language pair.")
    spend("systems", len(found.systems), name)
    check_values(len(keys) * len(found.systems) * (1 + len(found.scores)), name)
    scores = {metric: SegmentScores({
        system: [score for key, length in found.length.items() for score in by_document.get(key, [None] * length)]
        for system, by_document in by_system.items()}, higher_is_better[metric])
        for metric, by_system in found.scores.items() if metric in higher_is_better}
    texts: dict[str, Any] = {system: [None] * len(keys) for system in found.systems}
    return TestSet(name, texts, {}, documents=[document for _, document in keys],
                   domains=[domain for domain, _ in keys], langpair=pair, scores=scores)


def _metadata(path: Path) -> dict[str, SystemInfo]:
    """{system: what the task says of it}, empty without the file."""
    if not os.path.lexists(path):
        return {}
    try:
        table = parse_json("\n".join(read_lines(regular(path), "an object of JSON")), shown(path))
    except ValueError as error:
        raise InputError(f"{shown(path)} is no JSON: {error}. Mend or remove it.") from None
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(f"{shown(path)} has no object for each system. Expected one such as "
                         '{"NAME": {"constrained": true}}.')
    for name, row in table.items():
        if not isinstance(row.get("constrained"), bool | None):
            raise InputError(f"{shown(path)}: 'constrained' of {shown(name)} is {shown(repr(row['constrained']))}. "
                             "Expected true or false.")
    return {name: SystemInfo.of(name, row.get("constrained")) for name, row in table.items()}


def _text(entry: Mapping[str, object], key: str, where: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where} has no {key!r}. Expected an object such as {_LINE}.")
    return value


def _numbers(scores: list[Any], where: str, metric: str) -> list[float | None]:
    """Finite numbers, None where there is none; nearly all lists of a task have nothing else, and are not looked at
    number by number."""
    kinds = set(map(type, scores))
    if kinds == {float} and all(map(math.isfinite, scores)):
        return scores
    if kinds == {int} and max(map(abs, scores)) <= _EXACT:
        return list(map(float, scores))
    return [_number(score, f"{where}: {shown(metric)}, segment {k}") for k, score in enumerate(scores, 1)]


def _number(value: object, where: str) -> float | None:
    if value is None or value != value:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise InputError(f"{where} is {shown(repr(value)[:40])}. Expected a finite number, or null where there is "
                         "none.")
    return float(value)
