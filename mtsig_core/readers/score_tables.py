"""Read files of segment scores, by people or by metrics, as ratings."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.readers.cells import ABSENT, to_key, to_name, to_number
from mtsig_core.readers.columns import (
    EVIDENCE,
    EXPECTED_COLUMNS,
    Evidence,
    InputTable,
    NamedColumns,
    ScoresBySystem,
    find_column,
    find_columns,
    read_frame_table,
    show_names,
)
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.files import FilePath, keep_until_changed
from mtsig_core.readers.formats import sniff
from mtsig_core.readers.limits import spend
from mtsig_core.readers.lines import read_table
from mtsig_core.readers.rater_effects import ADJUSTED, adjust_raters
from mtsig_core.readers.ratings import (
    LineId,
    Rating,
    ScoreFile,
    average_raters,
    count_ratings,
    explain_second,
    keep_last_ratings,
    separate_raters,
)
from mtsig_core.readers.score_checks import check_scales, drop_failed, drop_summaries
from mtsig_core.readers.score_columns import find_layout, list_pairs, name_columns
from mtsig_core.readers.wide_tables import list_measures
from mtsig_core.score_names import check_one_direction
from mtsig_core.testset import show_name

#: Of scores: a file, columns, or an array of shape (systems, segments).
ScoreTable: TypeAlias = "FilePath | NamedColumns | InputTable | np.ndarray"
NamedTable = tuple[str, ScoreTable]
Tables = Sequence[NamedTable] | Mapping[str, ScoreTable]

#: What several ratings of a segment are: their mean, each a segment of its own, or the mean and
#: adjusted scores.
RATERS = ("mean", "segments", "adjusted")


@dataclass(frozen=True)
class ScoreOptions:
    """How tables of scores are read; `scores.join_scores` explains each option."""

    lower_is_better: Collection[str] = ()
    higher_is_better: Collection[str] = ()
    langpair: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    raters: str = "mean"
    mqm_weights: Mapping[str, float] = field(default_factory=dict)


class RatingGroup(NamedTuple):
    """The scores of one name, from all its files: one for each system and line."""

    ratings: list[Rating]
    assumed: list[Assumption]  # how many ratings, and what was done with them
    higher_is_better: bool | None  # None if the format of the files does not define it
    adjusted_from: str | None = None  # the name of the scores that these are, adjusted for raters
    #: Each rating whose rater is named, with the score that they gave.
    judged: Sequence[Rating] = ()
    is_campaign: bool = False  # whether an annotation tool wrote the files

    @property
    def file_name(self) -> str:
        """What messages call the first file."""
        return self.ratings[0].file.name


# What a file is, before its scores are read.


@keep_until_changed
def list_langpairs(source: FilePath) -> list[str]:
    """The language pairs that a table of scores names, in its order; empty where it names none."""
    return list_pairs(read_table(source))


def list_pairs_of_lines(source: FilePath) -> list[str] | None:
    """List the language pairs that a table of segment scores names.

    None for a table without segments, such as a table of published scores of whole systems.
    """
    table = read_table(source)
    if table.n_lines is None and find_column(table.header, "line") is None:
        return None
    return list_pairs(table)


def name_scores(content: bytes) -> str | None:
    """Find the name of the scores in a file from the beginning of its content; None if unknown.

    The name comes from the format, or from the only column that can be scores: it is COMET for a
    table with the columns model, sent_id, COMET.
    """
    fmt = sniff(cut_lines(content))
    if fmt is not None and fmt.scores:
        return fmt.scores
    text = cut_lines(content[:1000]).decode("utf-8-sig", "replace")
    try:
        table = read_delimited(text, "")
    except InputError:  # the fault is reported when the file is read
        return None
    places = find_columns(table.header, ("system", "line", "score", "docid", "domain", "rater"))
    if not {"system", "line"} <= places.keys() or "score" in places:
        return None
    assigned = places.values()
    measures = list_measures(table, [k for k in range(len(table.header)) if k not in assigned])
    if len(measures) != 1:
        return None
    name = table.header[measures[0]]
    return name if name and "," not in name else None


def cut_lines(content: bytes) -> bytes:
    """A text up to the end of its last whole line."""
    if b"\0" in content[:1000]:  # no text
        return content
    return content[: content.rfind(b"\n") + 1] or content


# From tables to the ratings of each name.


def list_tables(tables: Tables) -> list[NamedTable]:
    """Pairs of a name, which a list of metrics could have, and a table."""
    pairs = list(tables.items() if isinstance(tables, Mapping) else tables)
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise SettingError(
            "Tables of scores come with the name of their scores. Expected pairs such as "
            '[("human", table)], or {"human": table}.'
        )
    for name, _ in pairs:
        if not name.strip() or "," in name or name != name.strip():
            raise SettingError(
                f"{show_name(name)!r} is not a name for scores, because a list of metrics could not contain it. "
                "Expected a word such as human.",
                {"scores": "human=FILE"},
            )
    return pairs


def read_groups(
    tables: Sequence[NamedTable], options: ScoreOptions, known: Collection[str] = ()
) -> dict[str, RatingGroup]:
    """The ratings of all files of each name, joined as the option `raters` says.

    Parameters
    ----------
    tables : sequence of (str, table)
    options : ScoreOptions
    known : collection of str
        The systems and references of the texts; empty without texts.

    Raises
    ------
    InputError, SettingError
        As in `scores.join_scores`.
    """
    if options.raters not in RATERS:
        raise explain_unknown("raters", options.raters, RATERS)
    names = dict.fromkeys(name for name, _ in tables)
    _check_directions(names, options)
    groups: dict[str, RatingGroup] = {}
    codes = set()
    for name in names:
        sources = [source for table_name, source in tables if table_name == name]
        groups |= _read_group(name, sources, options, known)
        codes |= {assumption.code for assumption in groups[name].assumed}
    if options.mqm_weights and "mqm-weights" not in codes:
        raise SettingError(
            f"{show_names(names)}: weights of MQM errors are given, and no table lists errors. Leave "
            "the weights out."
        )
    if options.raters == "adjusted" and len(groups) == len(names):
        raise InputError(
            f"{show_names(names)}: no table names the raters, for whom scores would be adjusted. Expected "
            "a column rater. Add it, or take the mean.",
            {"raters": "mean"},
        )
    return groups


def _check_directions(names: Collection[str], options: ScoreOptions) -> None:
    """Refuse a direction of scores that are not there, and two of the same scores."""
    lower = options.lower_is_better
    higher = options.higher_is_better
    for direction, directed in (("lower", lower), ("higher", higher)):
        for name in directed:
            if name not in names:
                there_are = ", ".join(map(show_name, sorted(names))) or "none"
                raise SettingError(
                    f"{direction.title()} is better in {show_name(name)}: there are no scores of that "
                    f"name. There are: {there_are}.",
                    {f"{direction}_is_better": "NAME"},
                    {"scores": "NAME=FILE"},
                )
    check_one_direction(lower, higher)


def _read_group(
    name: str, sources: Sequence[ScoreTable], options: ScoreOptions, known: Collection[str]
) -> dict[str, RatingGroup]:
    """The scores of one name; also those that are adjusted for raters, where they can be."""
    tables = [_open_table(source, name, options) for source in sources]
    tables = _take_waves(tables, options.langpair)
    files = [_read_ratings(table, name, known, options.langpair) for table in tables]
    for file in files:
        drop_summaries(file, name)
    ratings: list[Rating] = []
    for file in files:
        ratings += file.ratings
    ratings, failed = drop_failed(ratings, name)
    if not any(table.told_systems for table in tables):
        check_scales(ratings, name)
    joined = _join_ratings(ratings, options.raters, files[0].name)
    directions = {file.table.higher_is_better for file in files} - {None}
    direction = directions.pop() if len(directions) == 1 else None
    of_ratings = _explain_ratings(name, ratings, files[0].table, options.raters)
    assumed = list(of_ratings)
    for file in files:
        assumed += file.assumed
    if failed is not None:
        assumed.append(failed)
    judged = _list_judged(ratings, joined, options)
    is_campaign = any(table.is_campaign for table in tables)
    groups = {name: RatingGroup(joined, assumed, direction, judged=judged, is_campaign=is_campaign)}
    if options.raters == "adjusted" and of_ratings:
        adjusted, assumed = adjust_raters(name, ratings)
        groups[name + ADJUSTED] = RatingGroup(adjusted, assumed, direction, name)
    return groups


def _open_table(source: ScoreTable, metric: str, options: ScoreOptions) -> InputTable:
    """A table that has rows, its columns under their usual names."""
    if isinstance(source, InputTable):
        table = source
    elif isinstance(source, str | os.PathLike):
        table = read_table(source)
    else:
        table = read_frame_table(f"The table {metric}", source)
    if table.sum_errors is not None:
        table = table.sum_errors(options.mqm_weights)
    if not table.header or not table.rows:
        raise InputError(f"{table.name} has no row of scores. {EXPECTED_COLUMNS}")
    return name_columns(table.count_truths(), options.columns)


def _take_waves(tables: list[InputTable], langpair: str | None) -> list[InputTable]:
    """The tables of a language pair, as a wave of ratings need not have all; all if none has it."""
    if langpair is None:
        return tables
    waves = []
    for table in tables:
        pairs = list_pairs(table)
        if not pairs or langpair in pairs:
            waves.append(table)
    return waves or tables


def _read_ratings(
    table: InputTable, metric: str, known: Collection[str], langpair: str | None
) -> ScoreFile:
    """The ratings of a language pair in a table."""
    table, places, assumed = find_layout(table, metric, known, langpair)
    n_rows = table.n_lines
    if n_rows is None and "line" not in places:
        n_rows = len(table.rows)
    file = ScoreFile(table, n_rows, assumed=assumed)

    def read_names(role: str) -> Sequence[str | None]:
        if role in places:
            return table.read(places[role], to_name)
        return [None for _ in table.rows]

    systems = read_names("system")
    documents = read_names("docid")
    domains = read_names("domain")
    raters = read_names("rater")
    slots = read_names("slot")
    evidence: Sequence[Any] = _list_annotations(table)
    if EVIDENCE in table.header and table.is_campaign:
        evidence = table.list_cells(table.header.index(EVIDENCE))
    lines: Sequence[LineId] = range(1, len(table.rows) + 1)
    if "line" in places:
        lines = table.read(places["line"], to_key)
    scores_by_system = _read_scores(table, places)
    for k, (row, _) in enumerate(table.rows):
        for system, scores in scores_by_system.items():
            rating = Rating(
                system=systems[k] or system,
                line=lines[k],
                score=scores[k],
                document=documents[k],
                domain=domains[k],
                rater=raters[k],
                row=row,
                file=file,
                slot=slots[k],
                evidence=evidence[k],
            )
            file.ratings.append(rating)
    return file


def _list_annotations(table: InputTable) -> list[Evidence | None]:
    """In which annotation each row was rated, where the table tells."""
    evidence: list[Evidence | None] = []
    for row, _ in table.rows:
        annotation = table.annotations.get(row)
        if annotation is None:
            evidence.append(None)
        else:
            evidence.append(Evidence(annotation, None, None, ()))
    return evidence


def _read_scores(table: InputTable, places: Mapping[str, int]) -> ScoresBySystem:
    """Read the scores by system from a column for each system, or from the column of scores."""
    if "system" in places:
        systems = set(table.list_values(places["system"]))
        spend("systems", len(systems), table.name)
        _check_presence(table, places["score"])
        return {"": table.read(places["score"], to_number)}
    columns = [k for k in range(len(table.header)) if k not in places.values()]
    spend("systems", len(columns), table.name)
    return {table.header[k]: table.read(k, to_number) for k in columns}


def _check_presence(table: InputTable, column: int) -> None:
    """Refuse a record of JSON without any score, which is a slip where null is meant."""
    for row, cells in table.rows:
        if cells[column] is ABSENT:
            cells_by_title = zip(table.header, cells, strict=True)
            present = [title for title, cell in cells_by_title if cell is not ABSENT]
            raise InputError(
                f"{table.locate(row)} has no {show_name(table.header[column])!r}; it has "
                f"{show_names(present)}. Expected a number, or null where a score is missing."
            )


def _join_ratings(ratings: Sequence[Rating], raters: str, file_name: str) -> list[Rating]:
    """A rating for each system and line, joined as `raters` says; refuses two of the same."""
    joined = separate_raters(ratings) if raters == "segments" else average_raters(ratings)
    first_of: dict[tuple[str, LineId], Rating] = {}
    for rating in joined:
        first = first_of.setdefault((rating.system, rating.line), rating)
        if first is not rating:
            raise explain_second(first, rating)
    if all(rating.score is None for rating in joined):
        raise InputError(
            f"{file_name} has no score at all; missing: {len(joined)}. Check that it is the right "
            "file."
        )
    return joined


def _list_judged(
    ratings: Sequence[Rating], joined: Sequence[Rating], options: ScoreOptions
) -> list[Rating]:
    """The ratings of named raters as they gave them, with the lines that the scores have."""
    judged = []
    for file in dict.fromkeys(rating.file for rating in ratings):
        if file.table.as_given is not None:
            judged += _read_ratings(file.table.as_given, "", (), options.langpair).ratings
    lines = {rating.line for rating in joined}
    judged = [rating for rating in judged if rating.line in lines]
    for rating in ratings:
        if rating.rater is not None and rating.file.table.as_given is None:
            judged.append(rating)
    if options.raters == "segments":
        return separate_raters(judged)
    return keep_last_ratings(judged)


def _explain_ratings(
    name: str, ratings: Sequence[Rating], table: InputTable, raters: str
) -> list[Assumption]:
    """How many ratings the scores are made of, and what was done with them.

    `table` is the first of them.
    """
    assumed = []
    counts = count_ratings(name, ratings)
    if counts is not None:
        assumed.append(counts)
    if table.weights:
        weights = list(table.weights.items())
        assumed.append(Assumption("mqm-weights", {"metric": name, "weights": weights}))
    if table.is_standardized and table.find_score(name) == find_column(table.header, "score"):
        assumed.append(Assumption("ratings-standardized", {"metric": name}))
    if raters == "segments" and assumed:
        assumed.append(Assumption("ratings-as-segments", {"metric": name}))
    return assumed
