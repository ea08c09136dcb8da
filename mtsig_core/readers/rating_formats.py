"""Read the formats of human evaluation of shared tasks as tables with one row per rating.

The tables have the columns system, line and score, and also rater, docid, domain and langpair if
the format has them. `score_tables` averages the raters. Ratings that a format marks as unusable are
left out, and counted in `InputTable.left_out`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.judgements import Annotation, AttentionCheck
from mtsig_core.languages import two_letters
from mtsig_core.readers.cells import is_blank, read_field, show_value, to_name, to_number, to_object
from mtsig_core.readers.columns import (
    NAMES,
    RAW,
    InputTable,
    NumberedRows,
    RowId,
    ScoresBySystem,
    find_column,
    join_columns,
    name_output,
    show_names,
)
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import spend
from mtsig_core.readers.mturk_tables import drop_number
from mtsig_core.readers.text_tables import name_reference
from mtsig_core.testset import show_name

_SLOT = NAMES["slot"][0]
_HEADER = ("system", "line", "score", "rater", "docid", "domain", "langpair", _SLOT, RAW)
#: The fields of a rating by their titles in `_HEADER`.
_Fields = dict[str, Any]


def _tabulate(name: str, ratings: Sequence[tuple[RowId, _Fields]], **more: Any) -> InputTable:
    """The table of numbered ratings, with the columns that one of them has."""
    used = set()
    for _, fields in ratings:
        used |= {title for title, value in fields.items() if value != ""}
    header = [title for title in _HEADER if title in used]
    rows: NumberedRows = [
        (row, [fields.get(title, "") for title in header]) for row, fields in ratings
    ]
    return InputTable(name, header, rows, **more)


# Appraise.

#: One row of Appraise: annotator, system, item, kind, languages, score, then the rest.
APPRAISE = r'[^,]+,[^,]+,\d+,"?(TGT|BAD|REF|CHK)"?,"?[a-z]{3}"?,"?[a-z]{3}"?,\d+(\.\d+)?,'
#: What follows the score in a row of Appraise, by the number of columns.
_AFTER_SCORE = {
    9: (),
    11: ("document", "is of a document"),
    12: ("document", "is of a document", "errors"),
}
_FLAGS = {"bad": "bad", "dup": "duplicate", "incomplete": "incomplete"}
#: How much less a degraded output needs than the same output as it was, on the scale of 0 to 100.
CLEARLY_LOWER = 10
_TIME = re.compile(r"[0-9]{9,11}(\.[0-9]+)?")
_ITEM = re.compile("[0-9]{1,15}")
_SCORE = re.compile(r"-?[0-9]{1,15}(\.[0-9]+)?")


class _Times(NamedTuple):
    """When a rater began and finished, in seconds since 1970."""

    begin: float
    end: float


class _AppraiseRow(NamedTuple):
    """The content of a row of Appraise."""

    number: int
    rater: str
    system: str
    item: int
    kind: str
    langpair: str
    score: float
    document: str
    flags: tuple[str, ...]  # behind the document: bad, dup, incomplete
    is_of_document: bool  # whether it rates a document as a whole
    times: _Times | None  # None where the row does not tell

    def list_fields(self) -> _Fields:
        """The fields of the rating, without line and score."""
        domain = ""
        match = re.match(r"test-[a-z]+-([a-z]+)_", self.document)
        if match is not None:
            domain = match[1]
        return {
            "system": self.system,
            "rater": self.rater,
            "docid": self.document,
            "domain": domain,
            "langpair": self.langpair,
        }


def read_appraise(text: str, name: str) -> InputTable:
    """The export of Appraise: ESA with 12 columns, DA+SQM with 9, or with 11 if of documents."""
    spend("values", text.count(",") + text.count("\n"), name)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: {error}. Check its quotes.") from None
    left_out: Counter[tuple[str, str]] = Counter()
    rows: list[_AppraiseRow] = []
    usable: list[_AppraiseRow] = []
    for number, cells in enumerate(lines, 1):
        if any(cells) and cells[0] != "username":
            row = _parse_appraise(cells, f"{name}, row {number}", number)
            rows.append(row)
            reason = _find_unusable(row)
            if reason is None:
                usable.append(row)
            else:
                left_out[row.langpair, reason] += 1
    is_esa = {len(cells) for cells in lines if cells} == {12}
    evidence: dict[str, Any] = {
        "checks": _list_checks(rows),
        "annotations": _find_annotations(usable),
    }
    if not is_esa:
        return _standardize(name, usable, left_out, evidence)
    ratings: list[tuple[RowId, _Fields]] = []
    for row in usable:
        fields = {**row.list_fields(), "line": row.item + 1, "score": row.score}
        ratings.append((row.number, fields))
    return _tabulate(name, ratings, left_out=left_out, **evidence)


def _parse_appraise(cells: Sequence[str], location: str, number: int) -> _AppraiseRow:
    """The cells of a row by what they hold."""
    if len(cells) not in _AFTER_SCORE:
        raise _refuse_row(cells, location)
    rater, file, item, kind, source, target, score, *more = cells
    if not _ITEM.fullmatch(item) or not _SCORE.fullmatch(score):
        raise _refuse_row(cells, location)
    fields = dict(zip(_AFTER_SCORE[len(cells)], more, strict=False))
    document, *flags = fields.get("document", "").split("#")
    times = None
    moments = [float(moment) for moment in more[-2:] if _TIME.fullmatch(moment)]
    if len(moments) == 2:
        times = _Times(*moments)
    return _AppraiseRow(
        number=number,
        rater=rater,
        system=_find_system(file),
        item=int(item),
        kind=kind,
        langpair=f"{two_letters(source)}-{two_letters(target)}",
        score=float(score),
        document=document,
        flags=tuple(flags),
        is_of_document=fields.get("is of a document", "").lower() in ("true", "1"),
        times=times,
    )


def _refuse_row(cells: Sequence[str], location: str) -> InputError:
    return InputError(
        f"{location} is {show_value(','.join(cells))}. Expected 9, 11 or 12 columns of Appraise: "
        "annotator, system, item, kind, source and target language, score, ..."
    )


def _list_checks(rows: Iterable[_AppraiseRow]) -> dict[str, list[AttentionCheck]]:
    """Whether raters gave degraded outputs clearly less than the same outputs as they were."""
    scores: dict[tuple[str, str, int, str], float] = {}
    degraded = []
    for row in rows:
        if row.kind == "TGT" and not row.flags and not row.is_of_document:
            scores[row.rater, row.system, row.item, row.langpair] = row.score
        elif row.kind == "BAD":
            degraded.append(row)
    checks: dict[str, list[AttentionCheck]] = {}
    for row in degraded:
        score = scores.get((row.rater, row.system, row.item, row.langpair))
        if score is not None:
            check = AttentionCheck(row.rater, score - row.score >= CLEARLY_LOWER)
            checks.setdefault(row.langpair, []).append(check)
    return checks


def _find_annotations(rows: Iterable[_AppraiseRow]) -> dict[RowId, Annotation]:
    """When the rater of each row rated the segments of its document, by the number of the row."""
    together: dict[tuple[str, str, str], dict[int, _Times]] = defaultdict(dict)
    for row in rows:
        if row.times is not None:
            together[row.rater, row.system, row.document][row.number] = row.times
    annotations: dict[RowId, Annotation] = {}
    for (rater, system, document), times_by_row in together.items():
        begins = [times.begin for times in times_by_row.values()]
        ends = [times.end for times in times_by_row.values()]
        # Side by side the times of segments overlap; one by one they may be hours apart.
        seconds = min(max(ends) - min(begins), sum(ends) - sum(begins))
        annotation = Annotation(
            f"{rater} {system} {document}", rater, min(begins), seconds, n_items=len(begins)
        )
        annotations |= dict.fromkeys(times_by_row, annotation)
    return annotations


def _find_unusable(row: _AppraiseRow) -> str | None:
    """Why a rating is left out; None where it is not."""
    if "-tutorial" in row.document:
        return "tutorial"
    if row.kind != "TGT":
        return "bad"
    if row.flags:
        return _FLAGS.get(row.flags[0], row.flags[0])
    if row.is_of_document:
        return "of whole documents"
    return None


def _find_system(file: str) -> str:
    """The system that an output file is named after.

    A of generaltest2022.en-liv.hyp.A.liv.txt, refA of generaltest2022.en-liv.ref.A.liv.txt.
    """
    match = re.fullmatch(r".*\.(hyp|ref)\.(.+)\.[a-z]{2,3}\.txt", file)
    if match is None:
        return file
    kind, system = match.groups()
    if kind == "ref":
        return name_reference(system)
    return system


def _standardize(
    name: str,
    rows: Sequence[_AppraiseRow],
    left_out: Counter[tuple[str, str]],
    evidence: Mapping[str, Any],
) -> InputTable:
    """Scores minus the mean of their rater in the language pair, over that rater's SD.

    Raters who gave all the same score have none, and are left out, as WMT22 ranked. The table `as_given`
    has them. Both tables have the `evidence`, checks and annotations.
    """
    scores_of: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        scores_of[row.rater, row.langpair].append(row.score)
    moments = {}
    for rater, scores in scores_of.items():
        if len(set(scores)) > 1:
            moments[rater] = float(np.mean(scores)), float(np.std(scores, ddof=1))
    counts_by_document = _count_by_document(rows)
    ratings: list[tuple[RowId, _Fields]] = []
    as_rated: list[tuple[RowId, _Fields]] = []
    for row in rows:
        fields = row.list_fields()
        fields["line"] = f"{row.document}:{row.item}" if counts_by_document else row.item
        as_rated.append((row.number, fields | {"score": row.score}))
        if (row.rater, row.langpair) not in moments:
            left_out[row.langpair, "by raters without spread"] += 1
            continue
        mean, sd = moments[row.rater, row.langpair]
        fields["score"] = (row.score - mean) / sd
        fields[RAW] = row.score
        ratings.append((row.number, fields))
    return _tabulate(
        name,
        ratings,
        left_out=left_out,
        is_standardized=True,
        counts_by_document=counts_by_document,
        as_given=_tabulate(name, as_rated, counts_by_document=counts_by_document, **evidence),
        **evidence,
    )


def _count_by_document(rows: Sequence[_AppraiseRow]) -> bool:
    """Whether each document numbers its items from the start, as a number is in two documents."""
    document_of: dict[tuple[str, int], str] = {}
    for row in rows:
        first = document_of.setdefault((row.langpair, row.item), row.document)
        if first != row.document:
            return True
    return False


# Google's MQM.

#: Weights of MQM errors by severity, category, or both, the most specific counts. Freitag et al.
#: 2021, Table 4.
MQM_WEIGHTS = MappingProxyType(
    {
        "major": 5.0,
        "minor": 1.0,
        "neutral": 0.0,
        "no-error": 0.0,
        "critical": 5.0,
        "non-translation": 25.0,
        "minor fluency/punctuation": 0.1,
    }
)
#: Weights under which MQM was published, as they differ from `MQM_WEIGHTS`, by name. WMT24 did not
#: count free renderings, nor what is wrong in the source.
MQM_PRESETS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "google": {},
        "wmt24": {"accuracy/creative reinterpretation": 0.0, "source issue": 0.0},
    }
)
#: The columns of MQM that number the segments of the whole set, the first that is there counts.
_MQM_LINES = ("seg_id", "globalsegid")
#: 'Hands on the wheel': an error that was planted to see whether raters find it.
_CONTROL = "hotw-test"
_FOUND = "found"  # the category of such an error that the rater marked
_SOURCE_ERROR = "source error"


def is_mqm(header: Collection[str]) -> bool:
    """Whether a table with these columns, in small letters, is Google's MQM."""
    titles = set(header)
    return titles >= {"system", "rater", "category", "severity"} and not titles.isdisjoint(
        _MQM_LINES
    )


def read_mqm(text: str, name: str) -> InputTable:
    """Google's MQM: a row for each error, without a score until `sum_errors` makes the ratings."""
    errors = read_delimited(text, name)
    places = {title.lower(): k for k, title in enumerate(errors.header)}
    for column in ("rater", "category", "severity"):
        if column not in places:
            raise InputError(
                f"{name} has no column {column!r}. It has: {show_names(errors.header)}. Expected MQM "
                "ratings as Google publishes them: system, seg_id, rater, category, severity."
            )
    categories = errors.list_words(places["category"])
    if errors.rows and all(text.lower().startswith(_SOURCE_ERROR) for text in categories):
        raise InputError(
            f"{name} lists errors of the source text only (category 'Source error'). They say nothing of "
            "the systems, so they cannot rank them. Give the file of the errors of translations, such as "
            "mqm_newstest2020_ende.tsv."
        )
    line = _find_mqm_line(places)
    rows: NumberedRows = []
    for number, cells in errors.rows:
        rows.append((number, [cells[places["system"]], cells[line], cells[places["rater"]], None]))
    return InputTable(
        name,
        ["system", "line", "rater", "score"],
        rows,
        weights=MQM_WEIGHTS,
        sum_errors=partial(_sum_errors, errors),
    )


def _find_mqm_line(places: Mapping[str, int]) -> int:
    return next(places[title] for title in _MQM_LINES if title in places)


def parse_weights(texts: Iterable[str]) -> dict[str, float]:
    """Weights of MQM errors that differ from the usual ones, one by one or by the name of a preset.

    >>> parse_weights(["major=10", "minor fluency/punctuation=0.5"])
    {'major': 10.0, 'minor fluency/punctuation': 0.5}
    >>> parse_weights(["wmt24", "source issue=1"])
    {'accuracy/creative reinterpretation': 0.0, 'source issue': 1.0}
    """
    weights: dict[str, float] = {}
    for text in filter(str.strip, texts):
        preset = MQM_PRESETS.get(text.strip().lower())
        if preset is not None:
            weights |= preset
            continue
        error, _, weight = text.rpartition("=")
        error = error.strip().lower()
        weight = weight.strip()
        if not error or not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", weight):
            raise SettingError(
                f"MQM weights: {show_name(text.strip())!r}. Expected a severity, a category or both, "
                "and a number, such as major=5 or minor fluency/punctuation=0.1, or a preset: "
                f"{', '.join(MQM_PRESETS)}."
            )
        weights[error] = float(weight)
    return weights


def _sum_errors(errors: InputTable, weights: Mapping[str, float]) -> InputTable:
    """A row for each rating, whose score is the sum of the weights of its errors."""
    weights = MQM_WEIGHTS | weights
    places = {title.lower(): k for k, title in enumerate(errors.header)}
    line_place = _find_mqm_line(places)
    ratings: dict[tuple[str, str, str], tuple[RowId, _Fields]] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    checks: list[AttentionCheck] = []
    for number, cells in errors.rows:
        severity = str(cells[places["severity"]]).strip().lower()
        category = str(cells[places["category"]]).strip().lower().rstrip("!")
        if severity == _CONTROL:
            left_out["", "planted as controls"] += 1
            checks.append(AttentionCheck(str(cells[places["rater"]]), category == _FOUND))
            continue
        weight = _find_weight(weights, severity, category)
        if weight is None:
            raise InputError(
                f"{errors.locate(number)}: the severity is {show_value(cells[places['severity']])}. Expected "
                "major, minor, critical, neutral or no-error, or a weight for it.",
                {"mqm_weights": f"{show_name(severity)}=1"},
            )
        system = str(cells[places["system"]])
        line = str(cells[line_place])
        rater = str(cells[places["rater"]])
        fields: _Fields = {"system": system, "line": line, "score": 0.0, "rater": rater}
        if "doc" in places:
            fields["docid"] = str(cells[places["doc"]])
        _, fields = ratings.setdefault((system, line, rater), (number, fields))
        fields["score"] += weight
    return _tabulate(
        errors.name,
        list(ratings.values()),
        left_out=left_out,
        higher_is_better=False,
        weights=weights,
        checks={"": checks},
    )


def _find_weight(weights: Mapping[str, float], severity: str, category: str) -> float | None:
    """The most specific weight of an error."""
    for key in (f"{severity} {category}", category, severity):
        if key in weights:
            return weights[key]
    return None


# Tables with spaces between their columns.


def read_spaced(text: str, name: str) -> InputTable:
    """Read a table of scores with spaces between its columns.

    WMT's tables of MTurk ratings have the columns SYS SID RAW.SCR Z.SCR N; their z scores are used.
    Google's tables of averages have the columns system mqm_avg_score seg_id.
    """
    lines = ["\t".join(line.split()) for line in text.split("\n")]
    table = read_delimited("\n".join(lines), name)
    titles = [title.lower() for title in table.header]
    if "z.scr" in titles:
        return _arrange_mturk(table, titles)
    _, score, *_ = titles
    table = table.select([titles.index(title) for title in ("system", "seg_id", score)])
    return replace(table, header=["system", "line", "score"])


def _arrange_mturk(table: InputTable, titles: Sequence[str]) -> InputTable:
    table = table.select([titles.index(title) for title in ("sys", "sid", "z.scr", "raw.scr")])
    rows: NumberedRows = []
    for row, (system, *cells) in table.rows:
        rows.append((row, [drop_number(str(system)), *cells]))
    header = ["system", "line", "score", RAW]
    return replace(table, header=header, rows=rows, is_standardized=True)


# WMT25's JSON.


def read_wmt25_ratings(text: str, name: str) -> InputTable:
    """WMT25's JSON, a segment in each line, with several scores for each system.

    Segments are named by their document, as `read_wmt25` calls it, and their place there.
    """
    ratings: list[tuple[RowId, _Fields]] = []
    n_before: Counter[str] = Counter()  # segments of each document so far
    expected = "an object with doc_id and scores, as WMT25 published them"
    for number, record in read_records(text, name, is_wmt25, expected):
        location = f"{name}, row {number}"
        item = read_field(location, record, "doc_id", to_name)
        langpair, domain, *_ = [*item.split("_#_"), ""]
        document, place = _split_item(item, n_before)
        of_item = {
            "line": f"{document}:{place}",
            "docid": document,
            "domain": domain,
            "langpair": langpair,
        }
        for system, slots in read_field(location, record, "scores", to_object).items():
            place_of_slots = f"{location}, scores, column {show_name(system)}"
            ratings += [
                (number, {"system": system, **of_item, **fields})
                for fields in _list_slots(slots, place_of_slots)
            ]
    return _tabulate(name, ratings, counts_by_document=True)


def _split_item(item: str, n_before: Counter[str]) -> tuple[str, int]:
    """The document of a segment, and its place there from 1.

    langs_#_domain_#_document_#_0 says it; ids without the last field count.
    """
    fields = item.split("_#_")
    if len(fields) > 3 and fields[3].isdecimal() and len(fields[3]) < 10:
        return "_#_".join(fields[:3]), int(fields[3]) + 1
    n_before[item] += 1
    return item, n_before[item]


def _list_slots(slots: object, location: str) -> list[_Fields]:
    """Slot, rater and score of each rating of a system.

    Ratings are {human1: score, annotator1: person, human2: ...}, or [{human: score, annotator:
    person}, ...]. A rater who is not known has the name of the slot.
    """
    ratings = []
    if isinstance(slots, dict):
        for slot, score in slots.items():
            number = re.fullmatch(r"human(\d*)", slot)
            if number is not None:
                rater = _name_person(slots, f"annotator{number[1]}", slot, location)
                ratings.append({_SLOT: slot, "rater": rater, "score": score})
    elif isinstance(slots, list):
        for k, rating in enumerate(slots, 1):
            if isinstance(rating, dict):
                rater = _name_person(rating, "annotator", f"human{k}", location)
                score = rating["human"] if "human" in rating else rating.get("score")
                ratings.append({_SLOT: f"human{k}", "rater": rater, "score": score})
    if not ratings and not is_blank(slots) and slots not in ([], {}):
        raise InputError(
            f"{location}: this is {show_value(slots)}. Expected ratings such as "
            '{"human1": 80, "annotator1": "p1"}.'
        )
    return ratings


def _name_person(rating: Mapping[str, object], key: str, slot: str, location: str) -> str:
    """Who gave a rating; the slot where nobody is named."""
    if is_blank(rating.get(key)):
        return slot
    person = read_field(location, rating, key, to_name)
    return slot if person == "unknown" else person


def is_wmt25(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of WMT25's human evaluation."""
    scores = record.get("scores")
    if "doc_id" not in record or not isinstance(scores, dict):
        return False
    if "human" in json.dumps(scores):
        return True
    # Segments that nobody has rated have no scores; they come between others.
    are_rated = all(isinstance(ratings, list | dict) for ratings in scores.values())
    return are_rated and "_#_" in str(record["doc_id"])


# Scores in lines, a block for each system: of mt-metrics-eval, comet-score and MetricX.

BLOCK_LINE = "SYSTEM<TAB>SCORE in each line"


def _join_blocks(name: str, blocks: Mapping[str, Sequence[float | None]]) -> InputTable:
    """The table of scores in blocks by system, which must be of one length."""
    n_lines = len(join_columns(name, blocks, "scores").rows)
    cells: list[Sequence[object]] = []
    for system, scores in blocks.items():
        for line, score in enumerate(scores, 1):
            cells.append((system, line, score))
    return InputTable(name, ["system", "line", "score"], list(enumerate(cells, 1)), n_lines)


def read_seg_scores(text: str, name: str) -> InputTable:
    """The table of scores in a file of mt-metrics-eval."""
    return _join_blocks(name, parse_blocks(text.removesuffix("\n").split("\n"), name))


def parse_blocks(lines: Sequence[str], name: str) -> ScoresBySystem:
    """The scores of each system, in the order of the segments."""
    blocks: ScoresBySystem = {}
    for number, line in enumerate(lines, 1):
        system, _, text = line.strip().replace("\t", " ").rpartition(" ")
        score = _parse_score(text)
        if not system.strip() or math.isinf(score):
            raise InputError(
                f"{name}, line {number} is {show_name(repr(line))[:60]}. Expected "
                "SYSTEM<TAB>SCORE, with None where a score is missing."
            )
        block = blocks.setdefault(system.strip(), [])
        block.append(None if math.isnan(score) else score)
    return blocks


def _parse_score(text: str) -> float:
    """Parse a score: NaN if it is missing, infinity if the text is not a number."""
    if text == "None":
        return math.nan
    if "_" in text:  # in 1_000 only Python sees a number
        return math.inf
    try:
        return float(text)
    except ValueError:
        return math.inf


_COMET_LINE = re.compile(r"(.*)\tSegment (\d{1,15})\tscore: (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")


def read_comet_log(text: str, name: str) -> InputTable:
    """The table of scores in what comet-score prints: FILE, segment from 0, score."""
    blocks: ScoresBySystem = {}
    for number, line in enumerate(text.split("\n"), 1):
        match = _COMET_LINE.fullmatch(line.rstrip())
        if match is None:
            continue
        file, segment, score = match.groups()
        system = name_output(file)
        block = blocks.setdefault(system, [])
        if int(segment) != len(block):
            raise InputError(
                f"{name}, line {number} is segment {segment} of {show_name(system)}. Expected segment "
                f"{len(block)}: each once, counted from 0. If two outputs have the same name, give each "
                "its own and score them again."
            )
        block.append(float(score))
    return _join_blocks(name, blocks)


def is_metricx(record: Mapping[str, Any]) -> bool:
    """Whether a record is one that MetricX writes: a text with the error that it predicts."""
    prediction = record.get("prediction")
    is_number = isinstance(prediction, int | float) and not isinstance(prediction, bool)
    return is_number and "hypothesis" in record and not {"source", "reference"}.isdisjoint(record)


def read_metricx(text: str, name: str) -> InputTable:
    """The table of scores in what MetricX writes: a segment in each line, in order.

    They are of the system that the file is named after, or of those in a key ``system`` (or the
    like).
    """
    own_name = re.sub(r"(?i)^metricx[^._]*[._]|[._-]metricx.*$", "", name_output(name))
    blocks: ScoresBySystem = {}
    is_error = True
    expected = "an object with source, hypothesis and prediction, a number, as MetricX writes it"
    for number, record in read_records(text, name, is_metricx, expected):
        keys = list(record)
        place = find_column(keys, "system")
        system = own_name if place is None else show_name(str(record[keys[place]]))
        score = read_field(f"{name}, row {number}", record, "prediction", to_number)
        blocks.setdefault(system, []).append(score)
        if score is not None and score < 0:
            is_error = False
    return replace(_join_blocks(name, blocks), higher_is_better=False if is_error else None)
