"""Human evaluation as shared tasks publish it: from each form to a table with a row for each
rating.

The tables have the columns system, line, score, and rater, docid, domain, langpair where the form
has them. `scores` averages the raters. What a form marks as unusable is left out, and counted in
`InputTable.left_out`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError
from mtsig_core.languages import two_letters
from mtsig_core.readers.cells import is_blank, read_field, show_value, to_name, to_number, to_object
from mtsig_core.readers.columns import (
    NAMES,
    InputTable,
    NumberedRows,
    find_column,
    join_columns,
    show_names,
)
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import spend
from mtsig_core.readers.text_tables import name_reference
from mtsig_core.testset import show_name

#: The number of a line, from 1, or its id.
LineId: TypeAlias = int | str

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
_SLOT = NAMES["slot"][0]
# scores as they were given, beside standardized ones: scores of this name are taken from there
_RAW = "raw"
_HEADER = ["system", "line", "score", "rater", "docid", "domain", "langpair", _SLOT, _RAW]
_FLAGS = {"bad": "bad", "dup": "duplicate", "incomplete": "incomplete"}
#: The columns of MQM that number the segments of the whole set, the first that is there counts.
_MQM_LINES = ("seg_id", "globalsegid")
_CONTROLS = (
    "hotw-test",
)  # 'hands on the wheel': an error that was planted to see whether raters find it
_SOURCE_ERROR = "source error"
#: One row of Appraise: annotator, system, item, kind, languages, score, then the rest.
APPRAISE = r'[^,]+,[^,]+,\d+,"?(TGT|BAD|REF|CHK)"?,"?[a-z]{3}"?,"?[a-z]{3}"?,\d+(\.\d+)?,'
#: What follows the score in a row of Appraise, by the number of columns.
_AFTER_SCORE = {
    9: (),
    11: ("document", "is of a document"),
    12: ("document", "is of a document", "errors"),
}


class _AppraiseRow(NamedTuple):
    """What a row of Appraise says."""

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


def read_appraise(text: str, name: str) -> InputTable:
    """The export of Appraise: ESA with twelve columns; DA+SQM with nine, or with eleven where
    documents were rated.
    """
    spend("values", text.count(",") + text.count("\n"), name)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: {error}. Check its quotes.") from None
    given = [
        _parse_appraise(cells, f"{name}, row {number}", number)
        for number, cells in enumerate(lines, 1)
        if any(cells) and cells[0] != "username"
    ]
    widths = {len(cells) for cells in lines if cells}
    left_out: Counter[tuple[str, str]] = Counter()
    kept: list[_AppraiseRow] = []
    for row in given:
        reason = _find_unusable(row)
        if reason is None:
            kept.append(row)
        else:
            left_out[row.langpair, reason] += 1
    if widths == {12}:
        rows: NumberedRows = [
            (row.number, _list_cells(row, row.item + 1, row.score)[:-1] + [""]) for row in kept
        ]
        return _table(name, rows, left_out)
    return _standardize(name, kept, left_out)


_ITEM, _SCORE = re.compile("[0-9]{1,15}"), re.compile(r"-?[0-9]{1,15}(\.[0-9]+)?")


def _parse_appraise(cells: Sequence[str], where: str, number: int) -> _AppraiseRow:
    """The cells of a row by what they hold."""
    is_sound = (
        len(cells) in _AFTER_SCORE and _ITEM.fullmatch(cells[2]) and _SCORE.fullmatch(cells[6])
    )
    if not is_sound:
        raise InputError(
            f"{where} is {show_value(','.join(cells))}. Expected 9, 11 or 12 columns of Appraise: "
            "annotator, system, item, kind, source and target language, score, ..."
        )
    rater, system, item, kind, source, target, score, *more = cells
    beside = dict(zip(_AFTER_SCORE[len(cells)], more, strict=False))
    document, *flags = beside.get("document", "").split("#")
    langpair = f"{two_letters(source)}-{two_letters(target)}"
    return _AppraiseRow(
        number,
        rater,
        _system_of(system),
        int(item),
        kind,
        langpair,
        float(score),
        document,
        tuple(flags),
        beside.get("is of a document", "").lower() in ("true", "1"),
    )


def _find_unusable(row: _AppraiseRow) -> str | None:
    """Why a rating is left out; None where it is not."""
    if "-tutorial" in row.document:
        return "tutorial"
    if row.kind != "TGT":
        return "bad"
    if row.flags:
        return _FLAGS.get(row.flags[0], row.flags[0])
    return "of whole documents" if row.is_of_document else None


def _list_cells(row: _AppraiseRow, line: int | str, score: float) -> list[Any]:
    """A rating as a row of the table, under `_HEADER`."""
    domain = re.match(r"test-[a-z]+-([a-z]+)_", row.document)
    return [
        row.system,
        line,
        score,
        row.rater,
        row.document,
        domain[1] if domain else "",
        row.langpair,
        "",
        row.score,
    ]


def _system_of(file: str) -> str:
    """The system that an output file is named after: A of generaltest2022.en-liv.hyp.A.liv.txt,
    refA of generaltest2022.en-liv.ref.A.liv.txt.
    """
    match = re.fullmatch(r".*\.(hyp|ref)\.(.+)\.[a-z]{2,3}\.txt", file)
    if match is None:
        return file
    return match[2] if match[1] == "hyp" else name_reference(match[2])


def _standardize(
    name: str, given: Sequence[_AppraiseRow], left_out: Counter[tuple[str, str]]
) -> InputTable:
    """Scores minus the mean of their rater in the language pair, over the standard deviation of
    that rater. Raters who gave all the same score have none, and are left out, as WMT22 ranked.
    """
    of_rater: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in given:
        of_rater[row.rater, row.langpair].append(row.score)
    moments = {
        key: (float(np.mean(scores)), float(np.std(scores, ddof=1)))
        for key, scores in of_rater.items()
        if len(set(scores)) > 1
    }
    counts_by_document = _count_by_document(given)
    rows: NumberedRows = []
    for row in given:
        key = row.rater, row.langpair
        if key not in moments:
            left_out[row.langpair, "by raters without spread"] += 1
            continue
        mean, sd = moments[key]
        line = f"{row.document}:{row.item}" if counts_by_document else row.item
        rows.append((row.number, _list_cells(row, line, (row.score - mean) / sd)))
    return _table(name, rows, left_out, is_standardized=True, counts_by_document=counts_by_document)


def _count_by_document(given: Sequence[_AppraiseRow]) -> bool:
    """Whether each document numbers its items from the start again, as some number comes in two
    documents.
    """
    document_of: dict[tuple[str, int], str] = {}
    for row in given:
        first = document_of.setdefault((row.langpair, row.item), row.document)
        if first != row.document:
            return True
    return False


def _table(
    name: str,
    rows: NumberedRows,
    left_out: Mapping[tuple[str, str], int] = MappingProxyType({}),
    **more: Any,
) -> InputTable:
    """A table without the columns that are empty throughout."""
    used = [k for k in range(len(_HEADER)) if any(cells[k] != "" for _, cells in rows)]
    return InputTable(
        name,
        [_HEADER[k] for k in used],
        [(number, [cells[k] for k in used]) for number, cells in rows],
        left_out=left_out,
        **more,
    )


def is_mqm(header: Collection[str]) -> bool:
    """Whether a table with these columns, in small letters, is Google's MQM."""
    return {"system", "rater", "category", "severity"} <= {*header} and not {
        *_MQM_LINES
    }.isdisjoint(header)


def read_mqm(text: str, name: str) -> InputTable:
    """Google's MQM: a row for each error, without a score until `sum_errors` makes the ratings."""
    errors = read_delimited(text, name)
    lower = [column.lower() for column in errors.header]
    for column in ("rater", "category", "severity"):
        if column not in lower:
            raise InputError(
                f"{name} has no column {column!r}. It has: {show_names(errors.header)}. Expected MQM "
                "ratings as Google publishes them: system, seg_id, rater, category, severity."
            )
    categories = errors.list_words(lower.index("category"))
    is_of_source = [category.lower().startswith(_SOURCE_ERROR) for category in categories]
    if errors.rows and all(is_of_source):
        raise InputError(
            f"{name} lists errors of the source text only (category 'Source error'). They say nothing of "
            "the systems, so they cannot rank them. Give the file of the errors of translations, such as "
            "mqm_newstest2020_ende.tsv."
        )
    line = next(lower.index(column) for column in _MQM_LINES if column in lower)
    places = [lower.index("system"), line, lower.index("rater")]
    rows: NumberedRows = [
        (number, [*(cells[k] for k in places), None]) for number, cells in errors.rows
    ]
    return InputTable(
        name,
        ["system", "line", "rater", "score"],
        rows,
        weights=MQM_WEIGHTS,
        sum_errors=partial(_sum_errors, errors),
    )


def parse_weights(texts: Iterable[str]) -> dict[str, float]:
    """Weights of MQM errors that differ from the usual ones.

    >>> parse_weights(["major=10", "minor fluency/punctuation=0.5"])
    {'major': 10.0, 'minor fluency/punctuation': 0.5}
    """
    weights = {}
    for text in filter(str.strip, texts):
        error, _, weight = (part.strip().lower() for part in text.rpartition("="))
        if not error or not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", weight):
            raise SettingError(
                f"MQM weights: {show_name(text.strip())!r}. Expected a severity, a category or both, "
                "and a number, such as major=5 or minor fluency/punctuation=0.1."
            )
        weights[error] = float(weight)
    return weights


def _sum_errors(errors: InputTable, weights: Mapping[str, float]) -> InputTable:
    """A row for each rating, whose score is the sum of the weights of its errors: these, or the
    usual ones.
    """
    weights, name = MQM_WEIGHTS | weights, errors.name
    place = {column.lower(): k for k, column in enumerate(errors.header)}
    line_column = next(column for column in _MQM_LINES if column in place)
    sums: dict[tuple[str, str, str], list[Any]] = {}
    left_out: Counter[tuple[str, str]] = Counter()
    for number, cells in errors.rows:
        severity, category = (
            str(cells[place[column]]).strip().lower() for column in ("severity", "category")
        )
        category = category.rstrip("!")
        if severity in _CONTROLS:
            left_out["", "planted as controls"] += 1
            continue
        weight = next(
            (
                weights[key]
                for key in (f"{severity} {category}", category, severity)
                if key in weights
            ),
            None,
        )
        if weight is None:
            raise InputError(
                f"{name}, row {number}: the severity is {show_value(cells[place['severity']])}. Expected "
                "major, minor, critical, neutral or no-error, or a weight for it.",
                {"mqm_weights": f"{show_name(severity)}=1"},
            )
        system, line, rater = (
            str(cells[place[column]]) for column in ("system", line_column, "rater")
        )
        document = str(cells[place["doc"]]) if "doc" in place else ""
        row = sums.setdefault(
            (system, line, rater), [number, [system, line, 0.0, rater, document, "", "", "", ""]]
        )
        row[1][2] += weight
    return _table(
        name,
        [(number, cells) for number, cells in sums.values()],
        left_out,
        higher_is_better=False,
        weights=weights,
    )


def read_spaced(text: str, name: str) -> InputTable:
    """Tables of scores with spaces between their columns: of MTurk (SYS SID RAW.SCR Z.SCR N), whose
    z scores are taken, and of averages by Google (system mqm_avg_score seg_id).
    """
    header, *lines = (line.split() for line in text.split("\n"))
    names = [column.lower() for column in header]
    is_mturk = "z.scr" in names
    system, line, score = map(
        names.index, ("sys", "sid", "z.scr") if is_mturk else ("system", "seg_id", names[1])
    )
    rows: NumberedRows = []
    for number, cells in enumerate(lines, 2):
        if not cells:
            continue
        if len(cells) != len(names):
            raise InputError(
                f"{name}, row {number} has {len(cells)} columns, the header has {len(names)} "
                f"({', '.join(header)}). Give every row the same columns."
            )
        rows.append(
            (
                number,
                [
                    re.sub(r"\.\d+$", "", cells[system]) if is_mturk else cells[system],
                    cells[line],
                    cells[score],
                    "",
                    "",
                    "",
                    "",
                    "",
                    "",
                ],
            )
        )
    return _table(name, rows)


def read_wmt25_ratings(text: str, name: str) -> InputTable:
    """WMT25's JSON, a segment in each line, with several scores for each system.

    Segments are named by their document, as `read_wmt25` calls it, and their place there.
    """
    rows: NumberedRows = []
    n_before: Counter[str] = Counter()  # segments of each document so far
    for number, entry in read_records(text, name):
        where = f"{name}, row {number}"
        if not is_wmt25(entry):
            raise InputError(
                f"{where} is {show_value(entry)}. Expected an object with doc_id and scores, as WMT25 "
                "published them."
            )
        item = read_field(where, entry, "doc_id", to_name)
        langpair, domain, *_ = [*item.split("_#_"), ""]
        document, place = _split_item(item, n_before)
        for system, ratings in read_field(where, entry, "scores", to_object).items():
            own = f"{where}, scores, column {show_name(system)}"
            slots = _list_slots(ratings, own)
            if not slots and not (is_blank(ratings) or ratings in ([], {})):
                raise InputError(
                    f"{own}: this is {show_value(ratings)}. Expected ratings such as "
                    '{"human1": 80, "annotator1": "p1"}.'
                )
            for slot, rater, score in slots:
                cells = [
                    system,
                    f"{document}:{place}",
                    score,
                    rater,
                    document,
                    domain,
                    langpair,
                    slot,
                    "",
                ]
                rows.append((number, cells))
    return _table(name, rows, counts_by_document=True)


def _split_item(item: str, n_before: Counter[str]) -> tuple[str, int]:
    """The document of a segment, and its place there from 1: langs_#_domain_#_document_#_0 says it,
    an id without the last part counts.
    """
    parts = item.split("_#_")
    if len(parts) > 3 and parts[3].isdecimal() and len(parts[3]) < 10:
        return "_#_".join(parts[:3]), int(parts[3]) + 1
    n_before[item] += 1
    return item, n_before[item]


def _list_slots(ratings: object, where: str) -> list[tuple[str, str, object]]:
    """(slot, rater, score) of {human1: score, annotator1: person, human2: ...}, or of [{human:
    score, annotator: person}, ...]. A rater who is not known has the name of the slot.
    """
    found: list[tuple[str, str, object]] = []
    if isinstance(ratings, dict):
        for slot, score in ratings.items():
            number = re.fullmatch(r"human(\d*)", slot)
            if number is not None:
                found.append(
                    (slot, _name_person(ratings, f"annotator{number[1]}", slot, where), score)
                )
    elif isinstance(ratings, list):
        for k, one in enumerate(ratings, 1):
            if isinstance(one, dict):
                score = one["human"] if "human" in one else one.get("score")
                found.append(
                    (f"human{k}", _name_person(one, "annotator", f"human{k}", where), score)
                )
    return found


def _name_person(ratings: Mapping[str, object], key: str, slot: str, where: str) -> str:
    """Who gave a rating; the slot where nobody is named."""
    if is_blank(ratings.get(key)):
        return slot
    person = read_field(where, ratings, key, to_name)
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


# Segment scores in lines, a block for each system: of mt-metrics-eval, and as comet-score prints
# them.

BLOCK_LINE = "SYSTEM<TAB>SCORE in each line"


def read_seg_scores(text: str, name: str) -> InputTable:
    """The table of scores in a file of mt-metrics-eval."""
    return _join_blocks(name, parse_blocks(text.removesuffix("\n").split("\n"), name))


def parse_blocks(lines: Sequence[str], name: str) -> dict[str, list[float | None]]:
    """The scores of each system, in the order of the segments."""
    blocks: dict[str, list[float | None]] = {}
    for number, line in enumerate(lines, 1):
        system, _, score = line.strip().replace("\t", " ").rpartition(" ")
        try:
            value = None if score == "None" else math.inf if "_" in score else float(score)
        except ValueError:
            value = math.inf
        if not system.strip() or (value is not None and math.isinf(value)):
            raise InputError(
                f"{name}, line {number} is {show_name(repr(line))[:60]}. Expected "
                "SYSTEM<TAB>SCORE, with None where a score is missing."
            )
        blocks.setdefault(system.strip(), []).append(None if value != value else value)
    return blocks


def read_comet_log(text: str, name: str) -> InputTable:
    """The table of scores in what comet-score prints: FILE, segment from 0, score."""
    from mtsig_core.readers.formats import SEGMENTS, strip_ending  # late: it knows the readers here

    blocks: dict[str, list[float | None]] = {}
    form = re.compile(r"(.*)\tSegment (\d{1,15})\tscore: (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
    for number, line in enumerate(text.split("\n"), 1):
        if (found := form.fullmatch(line.rstrip())) is None:
            continue
        system = strip_ending(os.path.basename(found[1].replace("\\", "/")), SEGMENTS)
        if int(found[2]) != len(block := blocks.setdefault(system, [])):
            raise InputError(
                f"{name}, line {number} is segment {found[2]} of {show_name(system)}. Expected segment "
                f"{len(block)}: each once, counted from 0. If two outputs have the same name, give each "
                "its own and score them again."
            )
        block.append(float(found[3]))
    return _join_blocks(name, blocks)


def is_metricx(record: Mapping[str, Any]) -> bool:
    """Whether a record is one that MetricX writes: a text with the error that it predicts."""
    prediction = record.get("prediction")
    is_number = isinstance(prediction, int | float) and not isinstance(prediction, bool)
    return is_number and "hypothesis" in record and not {"source", "reference"}.isdisjoint(record)


def read_metricx(text: str, name: str) -> InputTable:
    """The table of scores in what MetricX writes: a segment in each line, in order, of the system
    that the file is named after, or of those in a key ``system`` (or the like).
    """
    from mtsig_core.readers.formats import strip_ending  # late: it knows the readers here

    file_name = strip_ending(os.path.basename(name.replace("\\", "/")))
    own_name = re.sub(r"(?i)^metricx[^._]*[._]|[._-]metricx.*$", "", file_name)
    blocks: dict[str, list[float | None]] = {}
    for number, record in read_records(text, name):
        if not is_metricx(record):
            raise InputError(
                f"{name}, row {number} is {show_value(record)}. Expected an object with source, "
                "hypothesis and prediction, a number, as MetricX writes it."
            )
        keys = list(record)
        place = find_column(keys, "system")
        system = own_name if place is None else show_name(str(record[keys[place]]))
        score = read_field(f"{name}, row {number}", record, "prediction", to_number)
        blocks.setdefault(system, []).append(score)
    scores = [score for own in blocks.values() for score in own if score is not None]
    is_error = all(score >= 0 for score in scores)
    return replace(_join_blocks(name, blocks), higher_is_better=False if is_error else None)


def _join_blocks(name: str, blocks: Mapping[str, Sequence[float | None]]) -> InputTable:
    """The table of scores in blocks by system, which must be of one length."""
    n_lines = len(join_columns(name, blocks, "scores").rows)
    rows = (
        (system, line, score)
        for system, scores in blocks.items()
        for line, score in enumerate(scores, 1)
    )
    return InputTable(name, ["system", "line", "score"], list(enumerate(rows, 1)), n_lines)


# Several ratings of a segment: their mean, each as a segment of its own, or adjusted for how strict
# each rater is.

#: Why ratings are left out, as results count them.
LEFT_OUT = ("bad", "duplicate", "incomplete", "tutorial")


class Rating(NamedTuple):
    """One score: of which system, of which line (a number from 1, or an id), and its row in the
    file.
    """

    system: str
    line: int | str
    score: float | None
    document: str | None
    domain: str | None
    rater: str | None
    row: int | str
    file: ScoreFile
    slot: str | None = None  # of several ratings of an item, which this is, whoever gave it

    @property
    def where(self) -> str:
        return self.file.table.where(self.row)


@dataclass(eq=False)
class ScoreFile:
    """The ratings of a table."""

    table: InputTable
    n_rows: int | None  # the number of lines where they are only counted, not named
    ratings: list[Rating] = field(default_factory=list)
    assumed: list[Assumption] = field(default_factory=list)  # of its columns

    @property
    def name(self) -> str:
        return self.table.name


def average_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """A rating for each system and line: the mean over raters, of each the last; as they are where
    no raters are named.
    """
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    of_item: dict[tuple[str, int | str], list[Rating]] = {}
    for rating in keep_last_ratings(ratings):
        of_item.setdefault((rating.system, rating.line), []).append(rating)
    languages = _list_languages(ratings)

    def item_of(rating: Rating) -> tuple[Any, ...]:
        return rating.document, rating.domain, languages.get((rating.file.name, rating.row))

    averaged = []
    for own in of_item.values():
        if other := next((one for one in own if item_of(one) != item_of(own[0])), None):
            raise explain_second(own[0], other)
        scores = [rating.score for rating in own if rating.score is not None]
        averaged.append(own[0]._replace(score=sum(scores) / len(scores) if scores else None))
    return averaged


def separate_raters(ratings: Sequence[Rating]) -> list[Rating]:
    """Each rating as a segment of its own, of each rater the last: line and rater name the segment,
    or line and slot where ratings have slots.
    """
    if all(rating.rater is None for rating in ratings):
        return list(ratings)
    return [
        rating._replace(line=f"{rating.line} {rating.slot or rating.rater or ''}")
        for rating in keep_last_ratings(ratings)
    ]


def keep_last_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """Of several ratings of an item by one rater the last; in two slots, both count."""
    return list(
        {
            (rating.system, rating.line, rating.rater, rating.slot): rating for rating in ratings
        }.values()
    )


def _list_languages(ratings: Sequence[Rating]) -> dict[tuple[str, int | str], tuple[Any, ...]]:
    """By file and row: what columns such as trgLang say."""
    found: dict[tuple[str, int | str], tuple[Any, ...]] = {}
    for file in dict.fromkeys(rating.file for rating in ratings):
        places = [k for k, column in enumerate(file.table.header) if "lang" in column.lower()]
        if places:
            found |= {
                (file.name, row): tuple(cells[k] for k in places) for row, cells in file.table.rows
            }
    return found


def count_ratings(metric: str, ratings: Sequence[Rating]) -> Assumption | None:
    """How many ratings and raters the scores are means of, how far raters agree, and what was left
    out; None where no raters are named.
    """
    files = dict.fromkeys(rating.file for rating in ratings)
    named = [rating for rating in ratings if rating.rater is not None and rating.score is not None]
    if not named:
        return None
    kept = keep_last_ratings(named)
    left_out = dict.fromkeys(LEFT_OUT, 0)
    for (_, why), n in (item for file in files for item in file.table.left_out.items()):
        left_out[why] = left_out.get(why, 0) + n
    left_out["duplicate"] += len(named) - len(kept)
    items = defaultdict(list)
    for rating in kept:
        items[rating.system, rating.line].append(rating.score or 0.0)
    return Assumption(
        "ratings",
        {
            "metric": metric,
            "langpair": "",
            "n_ratings": len(kept),
            "n_raters": len({rating.rater for rating in kept}),
            "per_segment": len(kept) / len(items),
            "agreement": measure_agreement(items.values()),
            "left_out": left_out,
        },
    )


_SQUARES_OVERFLOW = 1e100  # numbers whose squares, added up, may be too large for a float


def measure_agreement(items: Iterable[Sequence[float]]) -> float | None:
    """Krippendorff's alpha for interval data, of the items with two ratings or more: 1 - the
    variance within items, a mean over ratings, over the variance of all. None where it is
    undefined.

    >>> measure_agreement([[1, 1], [2, 4], [3, 3], [2]]), measure_agreement([[1, 1]])
    (0.5454545454545455, None)
    """
    several = [np.asarray(item, dtype=np.float64) for item in items if len(item) > 1]
    values = np.concatenate(several) if several else np.zeros(1)
    largest = np.abs(values).max()
    if largest > _SQUARES_OVERFLOW:  # their agreement is the same in another unit
        several = [item / largest for item in several]
        values = values / largest
    if not np.ptp(values):
        return None
    within = sum(len(item) * item.var(ddof=1) for item in several) / len(values)
    return float(1 - within / values.var(ddof=1))


def explain_second(first: Rating, second: Rating) -> InputError:
    """The error for two scores of one system and line, with the columns in which their rows
    differ.
    """
    table, place, differing = second.file.table, first.where, ""
    if first.file is second.file:
        place, rows = f"row {first.row}", dict(table.rows)
        systems = {rating.system for rating in second.file.ratings}
        pairs = zip(
            table.header, map(str, rows[first.row]), map(str, rows[second.row]), strict=True
        )
        listed = [
            f"{show_name(column)} ({show_name(one[:40])} and {show_name(two[:40])})"
            for column, one, two in pairs
            if one != two and column not in systems and find_column([column], "score") is None
        ]
        differing = f" The rows differ in {', '.join(listed)}." if listed else ""
    return InputError(
        f"{second.where}: {show_name(second.system)} has a second score for line "
        f"{show_name(str(second.line))}; the first is in {place}.{differing} Expected one for each. Give "
        "the scores of one language pair, number lines through the whole set, and average several "
        "raters."
    )
