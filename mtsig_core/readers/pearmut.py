"""Read the annotations of Pearmut, with which WMT26 was annotated.

Pearmut writes an entry for each document that an annotator submits: a line of JSON in
``data/annotations/CAMPAIGN.jsonl``, or in the list of its campaign in ``annotations.json``, which the
dashboard gives to download. Campaigns are called such as ``eng_Latn---ces_Latn v3``.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from mtsig_core.errors import InputError
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.cells import (
    UnclearValueError,
    describe_value,
    is_missing,
    read_field,
    read_value,
    to_key,
    to_name,
    to_number,
    to_object,
    to_text,
)
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
_OWN_KEYS = re.compile(r'"(user_id|item_id|error_spans|__RESET__)"')


def is_pearmut(text: str) -> bool:
    """Whether a file begins as Pearmut's annotations do."""
    begins_so = _IN_LINES.match(text) or _BY_CAMPAIGN.match(text)
    return begins_so is not None and _OWN_KEYS.search(text) is not None


def find_campaign_pair(campaign: str) -> str:
    """The language pair that a campaign is named after; empty of another name.

    >>> find_campaign_pair("eng_Latn---ces_Latn v3"), find_campaign_pair("pilot")
    ('eng_Latn-ces_Latn', '')
    """
    match = re.match(rf"({LANGUAGE})---({LANGUAGE})(?![A-Za-z])", campaign)
    return "" if match is None else f"{match[1]}-{match[2]}"


class _Entry(NamedTuple):
    """What an annotator submitted at once."""

    campaign: str
    row: str  # its place in the file
    location: str  # for messages
    content: Mapping[str, object]
    rater: str


def _list_entries(text: str, name: str) -> list[_Entry]:
    """The entries of all campaigns; the only campaign of entries in lines has the name of the file."""
    records: list[tuple[str, str, Mapping[str, object]]] = []
    if _IN_LINES.match(text):
        for number, entry in read_records(text, name, _is_entry, _EXPECTED):
            records.append((name_output(name), f"row {number}", entry))
    else:
        for campaign, entries in _parse_campaigns(text, name).items():
            title = f"campaign {show_name(campaign)}"
            for place, value in enumerate(entries, 1):
                row = f"{title}, entry {place}"
                records.append((campaign, row, read_value(f"{name}, {row}", value, to_object)))
    entries_read = []
    for campaign, row, record in records:
        location = f"{name}, {row}"
        if not _is_entry(record):
            raise InputError(f"{location} is {describe_value(record)}. Expected {_EXPECTED}.")
        rater = read_field(location, record, "user_id", to_name)
        entries_read.append(_Entry(campaign, row, location, record, rater))
    return entries_read


def _parse_campaigns(text: str, name: str) -> dict[str, Sequence[object]]:
    """The lists of entries by campaign."""
    try:
        content = parse_bounded_json(text, name)
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {error}. Download the annotations again.") from None
    unknown = [campaign for campaign in content if not find_campaign_pair(campaign)]
    if unknown and len(content) > 1:
        raise InputError(
            f"{name} has {len(content)} campaigns, and the name of {show_name(unknown[0])} says no "
            "language pair. Expected names such as eng_Latn---ces_Latn v1. Download each on its own."
        )
    return {campaign: read_field(name, content, campaign, _to_list) for campaign in content}


def _is_entry(record: Mapping[str, Any]) -> bool:
    return "annotation" in record and "user_id" in record


def _to_list(value: object) -> Sequence[object]:
    """A list; a missing value becomes an empty one."""
    if is_missing(value):
        return ()
    if not isinstance(value, list):
        raise UnclearValueError(f"this is {describe_value(value)}. Expected a list.")
    return value


# Items of an entry: what is rated, and what is beside the campaign.


class _Item(NamedTuple):
    """An item of an entry, with what its annotator answered."""

    location: str
    line: int | str  # its id
    content: Mapping[str, object]
    answers: Mapping[str, object]  # by system; none where it was skipped
    reason: str | None  # why it is no rating


def _list_items(entry: _Entry) -> list[_Item]:
    contents = read_field(entry.location, entry.content, "item", _to_list)
    answers = read_field(entry.location, entry.content, "annotation", _to_list)
    if len(answers) != len(contents):
        raise InputError(
            f"{entry.location} has {len(contents)} items and {len(answers)} annotations. Expected one "
            "for each item. Download the annotations again."
        )
    place = read_field(entry.location, entry.content, "item_i", to_name)
    items = []
    for number, (content, answer) in enumerate(zip(contents, answers, strict=True), 1):
        location = f"{entry.location}, item {number}"
        record = read_value(location, content, to_object)
        line = read_field(location, record, "item_id", to_key)
        of_systems = read_value(f"{location}, annotation", answer, to_object)
        reasons = (reason for reason, pattern in _ASIDE.items() if pattern.match(f"{place} {line}"))
        items.append(_Item(location, line, record, of_systems, next(reasons, None)))
    return items


@dataclass
class _Reader:
    """The annotations of a file, as far as they are read."""

    rows: NumberedRows = field(default_factory=list)
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    checks: dict[str, list[AttentionCheck]] = field(default_factory=dict)

    def add(self, entry: _Entry, *, is_void: bool) -> None:
        """Add an entry, or count what is in one that a reset has voided."""
        items = _list_items(entry)
        langpair = find_campaign_pair(entry.campaign)
        checks = self.checks.setdefault(langpair, [])
        if not is_void:
            checks += [
                AttentionCheck(entry.rater, passed) for passed in _list_results(entry, items)
            ]
        rated = [item for item in items if item.reason is None]
        begin, seconds = _measure_time(entry)
        name = f"{entry.campaign} {entry.row.rpartition(' ')[2]}"
        annotation = Annotation(name, entry.rater, begin, seconds, len(rated))
        for item in items:
            if item.reason is not None:
                self.left_out[langpair, item.reason] += len(item.answers)
            elif is_void:
                self.left_out[langpair, "reset"] += len(item.answers)
            else:
                self._add_ratings(entry.row, langpair, annotation, item)

    def _add_ratings(self, row: str, langpair: str, annotation: Annotation, item: _Item) -> None:
        document, _, _ = str(item.line).rpartition(_SEPARATOR)
        domain, _, name = document.partition(_SEPARATOR)
        source = read_field(item.location, item.content, "src", to_text)
        outputs = read_field(item.location, item.content, "tgt", to_object)
        for system in item.answers:
            location = f"{item.location}, annotation of {show_name(system)}"
            answer = read_value(location, item.answers[system], to_object)
            score = _find_score(location, answer)
            if score is None:
                self.left_out[langpair, "without a score"] += 1
                continue
            output = read_field(f"{item.location}, tgt", outputs, system, to_text)
            evidence = Evidence(annotation, source, output, _list_spans(location, answer))
            cells = [
                read_value(location, system, to_name),
                item.line,
                score,
                annotation.rater,
                document or str(item.line),
                annotation.id,
                langpair,
                domain if name else "",
                evidence,
            ]
            self.rows.append((row, cells))


def _find_score(location: str, answer: Mapping[str, object]) -> float | None:
    """The score in an answer, or the mean of its sliders; None where there is neither."""
    score = read_field(location, answer, "score", to_number)
    if score is not None:
        return score
    sliders = read_field(location, answer, "sliders", to_object)
    values = [read_field(f"{location}, sliders", sliders, name, to_number) for name in sliders]
    present = [value for value in values if value is not None]
    return statistics.fmean(present) if present else None


def _list_spans(location: str, answer: Mapping[str, object]) -> tuple[ErrorSpan, ...]:
    """The errors that were marked in an output."""
    spans = []
    for number, value in enumerate(read_field(location, answer, "error_spans", _to_list), 1):
        place = f"{location}, error span {number}"
        record = read_value(place, value, to_object)
        start = read_field(place, record, "start_i", to_number)
        last = read_field(place, record, "end_i", to_number)
        severity = read_field(place, record, "severity", to_text) or ""
        category = read_field(place, record, "category", to_text) or ""
        if start is not None and last is not None:
            spans.append(ErrorSpan(int(start), int(last) + 1, severity.lower(), category))
    return tuple(spans)


def _list_results(entry: _Entry, items: Sequence[_Item]) -> list[bool]:
    """Whether each check of an entry was passed, as Pearmut noted it, or by scores where it did not."""
    checks = [item for item in items if item.content.get("validation")]
    noted = read_field(entry.location, entry.content, "validations", _to_list)
    if len(noted) == len(checks):
        return list(map(bool, noted))
    return list(map(_is_passed, checks))


def _is_passed(item: _Item) -> bool:
    """Whether the scores of a check are in their ranges."""
    location = f"{item.location}, validation"
    rules = read_field(item.location, item.content, "validation", to_object)
    for system in rules.keys() & item.answers.keys():
        rule = read_field(location, rules, system, to_object)
        answer = read_field(location, item.answers, system, to_object)
        score = _find_score(location, answer)
        limits = read_field(location, rule, "score", _to_list)
        bounds = [read_value(location, limit, to_number) or 0 for limit in limits]
        if bounds and (score is None or not min(bounds) <= score <= max(bounds)):
            return False
    return True


def _measure_time(entry: _Entry) -> tuple[float | None, float | None]:
    """When an entry was begun, and the seconds of work: a pause counts a minute at most."""
    location = f"{entry.location}, actions"
    times = []
    for action in read_field(entry.location, entry.content, "actions", _to_list):
        record = read_value(location, action, to_object)
        times.append(read_field(location, record, "time", to_number))
    moments = [time for time in times if time is not None]
    if not moments:
        return None, None
    pauses = [min(later - earlier, _LONGEST_PAUSE) for earlier, later in pairwise(moments)]
    return min(moments), sum(pauses)


def read_pearmut(text: str, name: str) -> InputTable:
    """A row for each score, without what a reset has voided and what is beside the campaign."""
    entries = _list_entries(text, name)
    last_resets = {}
    for k, entry in enumerate(entries):
        if entry.content["annotation"] == _RESET:
            last_resets[entry.campaign, entry.rater] = k
    reader = _Reader()
    for k, entry in enumerate(entries):
        if entry.content["annotation"] != _RESET:
            reset = last_resets.get((entry.campaign, entry.rater), -1)
            reader.add(entry, is_void=k < reset)
    rows, left_out, checks = reader.rows, reader.left_out, reader.checks
    table = InputTable(
        name, _HEADER, rows, left_out=left_out, checks=checks, counts_by_document=True
    )
    # Domains and language pairs may lack.
    return table.select([k for k in range(len(_HEADER)) if "" not in table.list_cells(k)])
