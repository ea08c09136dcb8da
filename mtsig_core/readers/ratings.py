"""Human evaluation as shared tasks publish it: from each form to a table with a row for each rating.

The tables have the columns system, line, score, and rater, docid, domain, langpair where the form has them. `scores`
averages the raters. What a form marks as unusable is left out, and counted in `InputTable.left_out`.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.languages import two_letters
from mtsig_core.readers.columns import InputTable, NumberedRows, join_columns, read_delimited, read_records, show_value
from mtsig_core.readers.limits import spend
from mtsig_core.testset import show_name

#: Weights of MQM errors by severity, category, or both, the most specific counts. Freitag et al. 2021, Table 4.
MQM_WEIGHTS = MappingProxyType({"major": 5.0, "minor": 1.0, "neutral": 0.0, "no-error": 0.0, "critical": 5.0,
                                "non-translation": 25.0, "minor fluency/punctuation": 0.1})
_HEADER = ["system", "line", "score", "rater", "docid", "domain", "langpair"]
_FLAGS = {"bad": "bad", "dup": "duplicate", "incomplete": "incomplete"}
#: One row of Appraise: annotator, system, item, kind, languages, score, then the rest.
APPRAISE = r"[^,]+,[^,]+,\d+,(TGT|BAD|REF|CHK),[a-z]{3},[a-z]{3},\d+(\.\d+)?,"


def read_appraise(text: str, name: str) -> InputTable:
    """The export of Appraise: ESA with twelve columns; DA+SQM with nine, whose scores are standardized by annotator."""
    spend("values", text.count(",") + text.count("\n"), name)
    rows: NumberedRows = []
    left_out: Counter[tuple[str, str]] = Counter()
    with_documents = False
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"{name} cannot be read: {error}. Check its quotes.") from None
    for number, cells in enumerate(lines, 1):
        if not any(cells) or cells[0] == "username":
            continue
        if len(cells) not in (9, 12) or not cells[2].isdigit() or not re.fullmatch(r"-?\d+(\.\d+)?", cells[6]):
            raise InputError(f"{name}, row {number} is {show_value(','.join(cells))}. Expected 9 or 12 columns of "
                             "Appraise: annotator, system, item, kind, source and target language, score, ...")
        rater, system, item, kind, source, target, score, *more = cells
        document, *flags = more[0].split("#") if len(cells) == 12 else ("",)
        with_documents |= bool(document)
        langpair = f"{two_letters(source)}-{two_letters(target)}"
        if kind != "TGT" or "-tutorial" in document or flags:
            why = "tutorial" if "-tutorial" in document else "bad" if kind != "TGT" else _FLAGS.get(flags[0], flags[0])
            left_out[langpair, why] += 1
            continue
        domain = re.match(r"test-[a-z]+-([a-z]+)_", document)
        rows.append((number, [_system_of(system), int(item) + 1, float(score), rater, document,
                              domain[1] if domain else "", langpair]))
    if not with_documents:
        rows = _standardize(rows)
    return _table(name, rows, left_out)


def _system_of(file: str) -> str:
    """The system that an output file is named after: A of generaltest2022.en-liv.hyp.A.liv.txt."""
    match = re.fullmatch(r".*\.hyp\.(.+)\.[a-z]{2,3}\.txt", file)
    return match[1] if match else file


def _standardize(rows: NumberedRows) -> NumberedRows:
    """Scores minus the mean of their rater, over the standard deviation of that rater."""
    own = defaultdict(list)
    for _, cells in rows:
        own[cells[3]].append(cells[2])
    moments = {rater: (np.mean(scores), np.std(scores, ddof=1) if len(scores) > 1 else 0.0)
               for rater, scores in own.items()}
    return [(number, [*cells[:2], float((cells[2] - mean) / sd) if sd else 0.0, *cells[3:]])
            for number, cells in rows for mean, sd in [moments[cells[3]]]]


def _table(name: str, rows: NumberedRows, left_out: Mapping[tuple[str, str], int] = MappingProxyType({}), **more: Any
           ) -> InputTable:
    """A table without the columns that are empty throughout."""
    used = [k for k in range(len(_HEADER)) if any(cells[k] != "" for _, cells in rows)]
    return InputTable(name, [_HEADER[k] for k in used], [(number, [cells[k] for k in used]) for number, cells in rows],
                      left_out=left_out, **more)


def read_mqm(text: str, name: str) -> InputTable:
    """Google's MQM: a row for each error, without a score until `sum_errors` makes the ratings."""
    errors = read_delimited(text, name)
    lower = [column.lower() for column in errors.header]
    places = [lower.index(column) for column in ("system", "seg_id", "rater")]
    rows: NumberedRows = [(number, [*(cells[k] for k in places), None]) for number, cells in errors.rows]
    return InputTable(name, ["system", "line", "rater", "score"], rows, weights=MQM_WEIGHTS,
                      sum_errors=partial(_sum_errors, errors))


def parse_weights(texts: Iterable[str]) -> dict[str, float]:
    """Weights of MQM errors that differ from the usual ones.

    >>> parse_weights(["major=10", "minor fluency/punctuation=0.5"])
    {'major': 10.0, 'minor fluency/punctuation': 0.5}
    """
    weights = {}
    for text in filter(str.strip, texts):
        error, _, weight = (part.strip().lower() for part in text.rpartition("="))
        if not error or not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", weight):
            raise SettingError(f"MQM weights: {show_name(text.strip())!r}. Expected a severity, a category or both, "
                               "and a number, such as major=5 or minor fluency/punctuation=0.1.")
        weights[error] = float(weight)
    return weights


def _sum_errors(errors: InputTable, weights: Mapping[str, float]) -> InputTable:
    """A row for each rating, whose score is the sum of the weights of its errors: these, or the usual ones."""
    weights, name = MQM_WEIGHTS | weights, errors.name
    place = {column.lower(): k for k, column in enumerate(errors.header)}
    sums: dict[tuple[str, str, str], list[Any]] = {}
    for number, cells in errors.rows:
        severity, category = (str(cells[place[column]]).strip().lower() for column in ("severity", "category"))
        category = category.rstrip("!")
        weight = next((weights[key] for key in (f"{severity} {category}", category, severity) if key in weights), None)
        if weight is None:
            raise InputError(f"{name}, row {number}: the severity is {show_value(cells[place['severity']])}. Expected "
                             "major, minor, critical, neutral or no-error, or a weight for it.",
                             {"mqm_weights": f"{show_name(severity)}=1"})
        system, line, rater = (str(cells[place[column]]) for column in ("system", "seg_id", "rater"))
        document = str(cells[place["doc"]]) if "doc" in place else ""
        row = sums.setdefault((system, line, rater), [number, [system, line, 0.0, rater, document, "", ""]])
        row[1][2] += weight
    return _table(name, [(number, cells) for number, cells in sums.values()], higher_is_better=False,
                  weights=weights)


def read_spaced(text: str, name: str) -> InputTable:
    """Tables of scores with spaces between their columns: of MTurk (SYS SID RAW.SCR Z.SCR N), whose z scores are taken,
    and of averages by Google (system mqm_avg_score seg_id)."""
    header, *lines = (line.split() for line in text.split("\n"))
    names = [column.lower() for column in header]
    is_mturk = "z.scr" in names
    system, line, score = map(names.index, ("sys", "sid", "z.scr") if is_mturk else ("system", "seg_id", names[1]))
    rows: NumberedRows = []
    for number, cells in enumerate(lines, 2):
        if not cells:
            continue
        if len(cells) != len(names):
            raise InputError(f"{name}, row {number} has {len(cells)} columns, the header has {len(names)} "
                             f"({', '.join(header)}). Give every row the same columns.")
        rows.append((number, [re.sub(r"\.\d+$", "", cells[system]) if is_mturk else cells[system], cells[line],
                              cells[score], "", "", "", ""]))
    return _table(name, rows)


def read_wmt25_ratings(text: str, name: str) -> InputTable:
    """WMT25's JSON, a document or segment in each line, with the scores of two raters for each system."""
    rows: NumberedRows = []
    for number, entry in read_records(text, name):
        if not is_wmt25(entry):
            raise InputError(f"{name}, row {number} is {show_value(entry)}. Expected an object with doc_id and scores, "
                             "as WMT25 published them.")
        langpair, domain, document = ([*str(entry["doc_id"]).split("_#_"), "", ""])[:3]
        for system, ratings in entry["scores"].items():
            rows += [(number, [system, number, score, rater, document or entry["doc_id"], domain, langpair])
                     for rater, score in _scores_of(ratings)]
    return _table(name, rows)


def _scores_of(ratings: object) -> Iterable[tuple[str, Any]]:
    """(rater, score) of {human1: score, human2: score}, or of [{human: score}, ...]."""
    if isinstance(ratings, dict):
        return [(rater, score) for rater, score in ratings.items() if re.fullmatch(r"human\d*", rater)]
    if isinstance(ratings, Sequence):
        return [(f"human{k}", one["human"]) for k, one in enumerate(ratings, 1) if isinstance(one, dict)]
    return []


def is_wmt25(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of WMT25's human evaluation."""
    return "doc_id" in record and isinstance(record.get("scores"), dict) and "human" in json.dumps(record["scores"])


# Segment scores in lines, a block for each system: of mt-metrics-eval, and as comet-score prints them.

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
            raise InputError(f"{name}, line {number} is {show_name(repr(line))[:60]}. Expected "
                             "SYSTEM<TAB>SCORE, with None where a score is missing.")
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
            raise InputError(f"{name}, line {number} is segment {found[2]} of {show_name(system)}. Expected segment "
                             f"{len(block)}: each once, counted from 0. If two outputs have the same name, give each "
                             "its own and score them again.")
        block.append(float(found[3]))
    return _join_blocks(name, blocks)


def _join_blocks(name: str, blocks: Mapping[str, Sequence[float | None]]) -> InputTable:
    """The table of scores in blocks by system, which must be of one length."""
    n_lines = len(join_columns(name, blocks, "scores").rows)
    rows = ((system, line, score) for system, scores in blocks.items() for line, score in enumerate(scores, 1))
    return InputTable(name, ["system", "line", "score"], list(enumerate(rows, 1)), n_lines)
