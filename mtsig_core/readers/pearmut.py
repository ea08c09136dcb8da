"""Read the annotations of Pearmut, with which WMT26 was annotated.

Pearmut writes an entry for each document that an annotator submits: a line of JSON in
``data/annotations/CAMPAIGN.jsonl``, or in the list of its campaign in ``annotations.json``, which the
dashboard gives to download. Campaigns are called such as ``eng_Latn---ces_Latn v3``.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from mtsig_core.errors import InputError
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.cells import describe_value
from mtsig_core.readers.columns import (
    EVIDENCE,
    NAMES,
    Evidence,
    InputTable,
    NumberedRows,
    name_output,
)
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import parse_bounded_json
from mtsig_core.schema import from_plain
from mtsig_core.testset import show_name

#: What the scores are called: error span annotation, perhaps with several systems side by side.
PEARMUT_SCORES = "ESA"
_ROLES = ("system", "line", "score", "rater", "docid", "slot", "langpair", "domain")
_HEADER = [*(NAMES[role][0] for role in _ROLES), EVIDENCE]
_RESET = "__RESET__"  # in place of an annotation: what its annotator did before does not count
_SEPARATOR = "_###_"  # in ids of items: DOMAIN_###_DOCUMENT_###_NUMBER
_LONGEST_PAUSE = 61  # seconds between two actions, as Pearmut counts the time of annotators
_EXPECTED = "an entry of Pearmut's annotations, with annotation, item, user_id and item_i"
#: Why an item is no rating, by a pattern of its place in the campaign and its id.
_ASIDE = {
    "of attention checks": re.compile(r".* attention_check_"),
    "tutorial": re.compile(r"welcome_|.*_#_tutorial_#_"),
    "of the farewell": re.compile(r"goodbye_"),
    "of items at random": re.compile(r"random_"),
}

_ENTRY = r'\{\s*"(?:annotation|actions|item|user_id|item_i|validations|comment)"\s*:'
_STRING = r'"(?:[^"\\]|\\.)*"'
#: Entries in lines, or in a list.
_IN_LINES = re.compile(rf"\s*\[?\s*{_ENTRY}")
#: Entries in a list for each campaign, of which the first may be empty.
_BY_CAMPAIGN = re.compile(
    rf"\s*\{{\s*(?:{_STRING}\s*:\s*\[\s*\]\s*,\s*)*{_STRING}\s*:\s*\[\s*{_ENTRY}"
)
_KEYS_OF_PEARMUT = re.compile(r'"(user_id|item_id|error_spans|__RESET__)"')


def is_pearmut(text: str) -> bool:
    """Whether a file begins as Pearmut's annotations do."""
    begins_so = _IN_LINES.match(text) or _BY_CAMPAIGN.match(text)
    return begins_so is not None and _KEYS_OF_PEARMUT.search(text) is not None


def find_campaign_pair(campaign: str) -> str:
    """The language pair that a campaign is named after; empty of another name.

    >>> find_campaign_pair("eng_Latn---ces_Latn v3"), find_campaign_pair("pilot")
    ('eng_Latn-ces_Latn', '')
    """
    match = re.match(rf"({LANGUAGE})---({LANGUAGE})(?![A-Za-z])", campaign)
    if match is None:
        return ""
    return f"{match[1]}-{match[2]}"


# What Pearmut writes, as far as it is read.


@dataclass
class _Span:
    start_i: int
    end_i: int  # its last character
    severity: str | None = None
    category: str | None = None


@dataclass
class _Answer:
    score: float | None = None
    sliders: dict[str, float | None] | None = None
    error_spans: list[_Span] | None = None

    def find_score(self) -> float | None:
        """The score, or the mean of the sliders; None where there is neither."""
        values = [self.score]
        if self.score is None and self.sliders is not None:
            values = list(self.sliders.values())
        present = [value for value in values if value is not None and math.isfinite(value)]
        if not present:
            return None
        return statistics.fmean(present)

    def list_spans(self) -> tuple[ErrorSpan, ...]:
        spans = []
        for span in self.error_spans or ():
            severity = (span.severity or "").lower()
            spans.append(ErrorSpan(span.start_i, span.end_i + 1, severity, span.category or ""))
        return tuple(spans)


@dataclass
class _Rule:
    score: list[float] | None = None  # its range


@dataclass
class _Item:
    item_id: str | int
    src: str | None = None
    tgt: dict[str, str | None] = field(default_factory=dict)
    validation: dict[str, _Rule] | None = None  # of an attention check

    def list_fields(self) -> dict[str, object]:
        """What its id says, by the role of the column."""
        item_id = str(self.item_id)
        document, _, _ = item_id.rpartition(_SEPARATOR)
        domain, separator, _ = document.partition(_SEPARATOR)
        if not separator:
            domain = ""
        return {"line": self.item_id, "docid": document or item_id, "domain": domain}


@dataclass
class _Action:
    time: float


@dataclass
class _Entry:
    """What an annotator submitted at once."""

    annotation: str | list[dict[str, _Answer] | None]
    user_id: str
    item_i: int | str = 0
    item: list[_Item] = field(default_factory=list)
    actions: list[_Action] = field(default_factory=list)
    validations: list[bool] | None = None

    def list_answers(self) -> Iterator[tuple[_Item, Mapping[str, _Answer]]]:
        """Each item with the answers by system, none where it was skipped; nothing of a reset."""
        if not isinstance(self.annotation, str):
            for item, answers in zip(self.item, self.annotation, strict=True):
                yield item, answers or {}

    def find_reason(self, item: _Item) -> str | None:
        """Why an item is no rating of a system; None where it is one."""
        place = f"{self.item_i} {item.item_id}"
        for reason, pattern in _ASIDE.items():
            if pattern.match(place):
                return reason
        return None

    def list_check_results(self) -> list[bool]:
        """Whether each check was passed, as Pearmut noted it, or by scores where it did not."""
        checks = [(item, answers) for item, answers in self.list_answers() if item.validation]
        if self.validations is not None and len(self.validations) == len(checks):
            return self.validations
        results = []
        for item, answers in checks:
            in_range = [
                _is_in_range(answers[system], rule)
                for system, rule in (item.validation or {}).items()
                if system in answers
            ]
            results.append(all(in_range))
        return results

    def make_annotation(self, annotation_id: str) -> Annotation:
        """The annotation without its answers; in its time, a pause counts a minute at most."""
        times = [action.time for action in self.actions]
        seconds = None
        if times:
            seconds = sum(min(end - begin, _LONGEST_PAUSE) for begin, end in pairwise(times))
        n_items = sum(self.find_reason(item) is None for item in self.item)
        return Annotation(annotation_id, self.user_id, min(times, default=None), seconds, n_items)


def _is_in_range(answer: _Answer, rule: _Rule) -> bool:
    if not rule.score:
        return True
    score = answer.find_score()
    return score is not None and min(rule.score) <= score <= max(rule.score)


@dataclass
class _Record:
    """An entry with its place."""

    campaign: str
    row: str  # in the file
    number: int  # in the campaign
    entry: _Entry
    is_void: bool = False  # whether its annotator began anew later

    @property
    def langpair(self) -> str:
        return find_campaign_pair(self.campaign)


def _list_records(text: str, name: str) -> list[_Record]:
    """The entries of all campaigns; the only campaign of entries in lines has the name of the file."""
    records = []
    if _IN_LINES.match(text):
        entries = read_records(text, name, _is_entry, _EXPECTED)
        for number, (row, content) in enumerate(entries, 1):
            entry = _read_entry(content, f"{name}, row {row}")
            records.append(_Record(name_output(name), f"row {row}", number, entry))
        return records
    for campaign, contents in _parse_campaigns(text, name).items():
        for number, content in enumerate(contents, 1):
            place = f"campaign {show_name(campaign)}, entry {number}"
            entry = _read_entry(content, f"{name}, {place}")
            records.append(_Record(campaign, place, number, entry))
    return records


def _read_entry(content: object, location: str) -> _Entry:
    if not _is_entry(content):
        raise InputError(f"{location} is {describe_value(content)}. Expected {_EXPECTED}.")
    entry = from_plain(_Entry, content, location)
    if not isinstance(entry.annotation, str) and len(entry.annotation) != len(entry.item):
        raise InputError(
            f"{location} has {len(entry.item)} items and {len(entry.annotation)} annotations. "
            "Expected one for each item. Download the annotations again."
        )
    return entry


def _drop_unfinished(text: str) -> tuple[str, int]:
    """Entries in lines without a last line that breaks off, and how many lines are dropped."""
    lines, _, last = text.rpartition("\n")
    if not lines.strip() or not last.strip() or _IN_LINES.match(text) is None:
        return text, 0
    try:
        json.loads(last)
    except ValueError:
        return lines, 1
    return text, 0


def _parse_campaigns(text: str, name: str) -> dict[str, list[Any]]:
    """The lists of entries by campaign."""
    try:
        content = parse_bounded_json(text, name)
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}. Download the annotations again.") from None
    campaigns = from_plain(dict[str, list[Any]], content, name)
    unknown = [campaign for campaign in campaigns if not find_campaign_pair(campaign)]
    if unknown and len(campaigns) > 1:
        raise InputError(
            f"{name} has {len(campaigns)} campaigns, and the name of {show_name(unknown[0])} says no "
            "language pair. Expected names such as eng_Latn---ces_Latn v1. Download each on its own."
        )
    return campaigns


def _is_entry(record: object) -> bool:
    return isinstance(record, dict) and {"annotation", "user_id"} <= record.keys()


def read_pearmut(text: str, name: str) -> InputTable:
    """A row for each score, without what a reset has voided and what is beside the campaign.

    Pearmut adds lines while annotators work, so the last line may be incomplete; it is counted.
    """
    text, n_unfinished = _drop_unfinished(text)
    records = _list_records(text, name)
    _void_before_resets(records)
    left_out: Counter[tuple[str, str]] = Counter()
    if n_unfinished:
        left_out[find_campaign_pair(name_output(name)), "line that is not finished"] = n_unfinished
    rows: NumberedRows = []
    for record in records:
        rows += _list_rows(record, left_out)
    table = InputTable(
        name,
        _HEADER,
        rows,
        left_out=left_out,
        checks=_list_checks(records),
        counts_by_document=True,
        is_campaign=True,
    )
    # Items may have no domain, and campaigns no language pair.
    return table.select([k for k in range(len(_HEADER)) if "" not in table.list_cells(k)])


def _void_before_resets(records: Sequence[_Record]) -> None:
    """Mark what an annotator did in a campaign before the last reset."""
    with_later_reset = set()
    for record in reversed(records):
        annotator = (record.campaign, record.entry.user_id)
        if record.entry.annotation == _RESET:
            with_later_reset.add(annotator)
        record.is_void = annotator in with_later_reset


def _list_checks(records: Sequence[_Record]) -> dict[str, list[AttentionCheck]]:
    """The attention checks of each language pair, which may have none."""
    checks: dict[str, list[AttentionCheck]] = {record.langpair: [] for record in records}
    for record in records:
        if not record.is_void:
            for is_passed in record.entry.list_check_results():
                check = AttentionCheck(record.entry.user_id, is_passed)
                checks[record.langpair].append(check)
    return checks


def _list_rows(record: _Record, left_out: Counter[tuple[str, str]]) -> NumberedRows:
    """A row for each score of an entry; answers that are none are counted in `left_out`."""
    rows: NumberedRows = []
    entry = record.entry
    annotation = entry.make_annotation(f"{record.campaign} {record.number}")
    for item, answers in entry.list_answers():
        reason = entry.find_reason(item)
        if reason is None and record.is_void:
            reason = "reset"
        if reason is not None:
            left_out[record.langpair, reason] += len(answers)
            continue
        fields = item.list_fields()
        fields |= {"rater": entry.user_id, "slot": annotation.id, "langpair": record.langpair}
        for system, answer in answers.items():
            score = answer.find_score()
            if score is None:
                left_out[record.langpair, "without a score"] += 1
                continue
            fields |= {"system": system, "score": score}
            spans = answer.list_spans()
            evidence = Evidence(annotation, item.src, item.tgt.get(system), spans)
            rows.append((record.row, [*(fields[role] for role in _ROLES), evidence]))
    return rows
