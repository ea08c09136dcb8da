"""Tables of segment scores: human ratings, COMET and other metrics, with or without texts."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, suggest_name
from mtsig_core.languages import is_langpair
from mtsig_core.readers.cells import (
    ABSENT,
    has_number,
    is_number,
    read_value,
    to_key,
    to_name,
    to_number,
)
from mtsig_core.readers.columns import (
    EXPECTED_COLUMNS,
    NAMES,
    InputTable,
    NamedColumns,
    check_unique,
    find_column,
    find_columns,
    read_delimited,
    read_frame_table,
    show_names,
)
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.formats import IDS, sniff
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import read_lines, read_table
from mtsig_core.readers.rater_effects import ADJUSTED, adjust_raters
from mtsig_core.readers.ratings import (
    Rating,
    ScoreFile,
    average_raters,
    count_ratings,
    explain_second,
    separate_raters,
)
from mtsig_core.readers.score_checks import check_scales, drop_failed, drop_summaries
from mtsig_core.readers.texts import read_outputs
from mtsig_core.readers.wide_tables import (
    SEPARATOR,
    clean_wide_table,
    find_asides,
    guess_documents,
    guess_lines,
    guess_systems,
    list_measures,
    list_numeric,
    take_systems,
)
from mtsig_core.score_names import (
    check_one_direction,
    find_direction,
    find_range,
    may_be_lower,
    pick_human_scores,
    told_direction,
)
from mtsig_core.testset import SegmentScores, TestSet, is_human, show_name

# From a table to ratings: the columns by what they hold, a rating for each score.

#: Of scores: a file, columns, or an array of shape (systems, segments).
ScoreTable: TypeAlias = "FilePath | NamedColumns | np.ndarray"


def _open_table(
    source: ScoreTable, metric: str, columns: Mapping[str, str], mqm_weights: Mapping[str, float]
) -> InputTable:
    """A table that has rows, its columns under their usual names."""
    if not isinstance(source, str | os.PathLike):
        table = read_frame_table(f"The table {metric}", source)
    else:
        table = read_table(source)
    if table.sum_errors is not None:
        table = table.sum_errors(mqm_weights)
    if not table.header or not table.rows:
        raise InputError(f"{table.name} has no row of scores. {EXPECTED_COLUMNS}")
    return _name_columns(table.count_truths(), columns)


#: Columns of names.
_NAMED = ("system", "docid", "domain", "rater", "slot")


def _read_ratings(
    table: InputTable, metric: str, known: Collection[str], langpair: str | None
) -> ScoreFile:
    """The ratings of a language pair in a table."""
    _refuse_pairwise(table, known)
    table, assumed = _clean_table(_take_langpair(table, langpair), metric, known)
    place = _find_places(table, metric, known)
    file = ScoreFile(
        table, table.n_lines or (None if "line" in place else len(table.rows)), assumed=assumed
    )
    names = {held: table.read(place[held], to_name) for held in _NAMED if held in place}
    nobody = [None] * len(table.rows)
    documents, domains, raters, slots = (
        names.get(held, nobody) for held in ("docid", "domain", "rater", "slot")
    )
    lines: Sequence[int | str] = range(1, len(table.rows) + 1)
    if "line" in place:
        lines = table.read(place["line"], to_key)
    scores = _read_scores_of_systems(table, place, names.get("system"))
    for k, (row, _) in enumerate(table.rows):
        for system, column in scores.items():
            name = names["system"][k] if system is None else system
            file.ratings.append(
                Rating(
                    name,
                    lines[k],
                    column[k],
                    documents[k],
                    domains[k],
                    raters[k],
                    row,
                    file,
                    slots[k],
                )
            )
    return file


def _read_scores_of_systems(
    table: InputTable, place: Mapping[str, int], systems: Sequence[str] | None
) -> dict[str | None, list[float | None]]:
    """The scores by system, where each has a column; else those of the only column, of no system by
    its name.
    """
    if systems is not None:
        spend("systems", len(set(systems)), table.name)
        _check_presence(table, place["score"])
        return {None: table.read(place["score"], to_number)}
    columns = [k for k in range(len(table.header)) if k not in place.values()]
    spend("systems", len(columns), table.name)
    return {table.header[k]: table.read(k, to_number) for k in columns}


def _check_presence(table: InputTable, column: int) -> None:
    """Refuse a record of JSON that has no score at all, which is a slip where null is meant."""
    for row, cells in table.rows:
        if cells[column] is ABSENT:
            named = [
                title for title, cell in zip(table.header, cells, strict=True) if cell is not ABSENT
            ]
            raise InputError(
                f"{table.where(row)} has no {show_name(table.header[column])!r}; it has "
                f"{show_names(named)}. Expected a number, or null where a score is missing."
            )


#: What a column may be said to hold.
HELD = ("system", "line", "score", "rater", "docid", "domain", "langpair")
#: What several columns may be said to hold: the scores of a system each.
SYSTEMS = "systems"


def _name_columns(table: InputTable, columns: Mapping[str, str]) -> InputTable:
    """The table with those columns under their usual names, and without others that could be taken
    for them.
    """
    if not columns:
        return table
    for held in columns:
        if held not in (*HELD, SYSTEMS):
            raise explain_unknown("kind of column", held, (*HELD, SYSTEMS))
    if SYSTEMS in columns:
        return _name_wide_columns(table, columns)
    if twice := [held for held, name in columns.items() if list(columns.values()).count(name) > 1]:
        raise SettingError(
            f"The column {show_name(columns[twice[0]])!r} is given as {' and as '.join(twice)}. Give a "
            "column of its own to each."
        )
    if (
        lacks := next((name for name in columns.values() if name not in table.header), None)
    ) is not None:
        raise InputError(
            f"{table.name} has no column {show_name(lacks)!r}.{suggest_name(lacks, table.header)} It has: "
            f"{show_names(table.header)}."
        )
    held_by = {name: held for held, name in columns.items()}
    usual = {name for held in HELD if held not in columns for name in NAMES[held]}
    kept = [k for k, name in enumerate(table.header) if name in held_by or name.lower() in usual]
    chosen = table.select(kept)
    return replace(chosen, header=[held_by.get(name, name) for name in chosen.header])


def _name_wide_columns(table: InputTable, columns: Mapping[str, str]) -> InputTable:
    """The table with only the columns of systems that are said, and those that hold something
    else.
    """
    for held in ("system", "score"):
        if held in columns:
            raise SettingError(
                f"The columns of systems are given, and a column of {held}s. Expected a column for each "
                f"system, or one of systems and one of scores. Give only one of {SYSTEMS} and {held}."
            )
    held_by = {name: held for held, name in columns.items() if held != SYSTEMS}
    usual = set().union(*(NAMES[held] for held in HELD if held not in ("system", "score")))
    beside = {*held_by, *(name for name in table.header if name.lower() in usual)}
    taken = take_systems(table, columns[SYSTEMS], beside)
    named = {name for name in taken.header if name not in beside}
    return replace(
        taken, header=[held_by.get(name, name) for name in taken.header], told_systems=named
    )


def list_langpairs(source: FilePath) -> list[str]:
    """The language pairs that a table of scores names, in its order; empty where it names none."""
    return _list_pairs(read_table(source))


def list_pairs_of_lines(source: FilePath) -> list[str] | None:
    """The language pairs that a table of scores of segments names; None of one that does not say
    which segment each score is of, as that of published scores of whole systems.
    """
    table = read_table(source)
    if table.n_lines is None and find_column(table.header, "line") is None:
        return None
    return _list_pairs(table)


def _list_pairs(table: InputTable) -> list[str]:
    place = find_column(table.header, "langpair")
    return [] if place is None else _list_values(table, place)


def _list_values(table: InputTable, place: int) -> list[str]:
    """The different values of a column, in their order."""
    return list(dict.fromkeys(map(str.strip, table.list_words(place))))


def _take_langpair(table: InputTable, langpair: str | None) -> InputTable:
    """The rows of a language pair, without the column that names it; all rows where the table has
    no such column.
    """
    place, pairs = find_column(table.header, "langpair"), _list_pairs(table)
    if place is None or not all(map(is_langpair, pairs)):
        return table
    if langpair is None and len(pairs) > 1:
        raise InputError(
            f"{table.name} has scores of {len(pairs)} language pairs (column "
            f"{show_name(table.header[place])}: {show_names(pairs)}). Expected one language pair. Choose "
            "it, or put its rows in a file of its own.",
            {"langpair": pairs[0]},
        )
    if langpair is not None and langpair not in pairs:
        raise InputError(
            f"{table.name} has no scores of {show_name(langpair)}. It has: {show_names(pairs)}.",
            {"langpair": pairs[0]},
        )
    return replace(
        table,
        header=[*table.header[:place], *table.header[place + 1 :]],
        rows=[
            (row, [*cells[:place], *cells[place + 1 :]])
            for row, cells in table.rows
            if langpair in (None, str(cells[place]).strip())
        ],
        left_out={key: n for key, n in table.left_out.items() if langpair in (None, key[0])},
    )


def _clean_table(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[InputTable, list[Assumption]]:
    """A table with a column for each system without other columns, and what was assumed; another as
    it is.
    """
    place, is_long = _find_usual(table, metric, known)
    if is_long or table.told_systems:
        return table, []
    beside = {k for held, k in place.items() if held != "score"}
    columns = [k for k in range(len(table.header)) if k not in beside]
    cleaned = clean_wide_table(table, columns, metric, known)
    beside_names = {table.header[k] for k in beside}
    others = [k for k, name in enumerate(cleaned.table.header) if name not in beside_names]
    has_text_without_name = any(
        not cleaned.table.header[k] and not list_numeric(cleaned.table, [k]) for k in others
    )
    if has_text_without_name or any(_is_text(cleaned.table, k) for k in others):
        return table, []  # it is asked what its columns hold
    return cleaned.table, list(cleaned.assumed)


_WINNER = re.compile(
    r"winner|preferred|preference|prefers?|choice|chosen|verdict|vote|better|label"
)
_ONE_OF_TWO = re.compile(
    r"(system|model|sys|output|translation|mt|response|hyp|hypothesis|candidate|answer)_?([ab12])"
)


def _refuse_pairwise(table: InputTable, known: Collection[str]) -> None:
    """Refuse a table that says which of two systems is better: there is no score of a system in it.

    `known` systems may be called as its columns are.
    """
    if any(name in known for name in table.header):
        return
    names = [re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") for name in table.header]
    sides: dict[str, set[str]] = {}
    for k, name in enumerate(names):
        match = _ONE_OF_TWO.fullmatch(name)
        if match is not None and not list_numeric(table, [k]):
            sides.setdefault(match[1], set()).add(match[2])
    kinds = [kind for kind, own in sides.items() if {"a", "b"} <= own or {"1", "2"} <= own]
    has_winner = any(_WINNER.fullmatch(name) for name in names)
    if kinds and (has_winner or {*kinds} & {"system", "model", "sys"}):
        raise InputError(
            f"{table.name} has pairwise judgements (columns {show_names(table.header)}). mtsig does not "
            "read these: it needs a score for each system and segment. Expected the columns system, line "
            "and score."
        )


def _find_usual(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[dict[str, int], bool]:
    """The columns of a table by what they hold by their names; and whether it has a row for each
    score, not a column for each system.
    """
    header = table.header
    place = find_columns(header, ("system", "line", "score", "docid", "domain", "rater", "slot"))
    if "line" in place and not _may_be_line(table, place):
        del place["line"]
    if "system" in place or metric.lower() in map(str.lower, header):
        place.pop("score", None)
        score = table.find_score(metric)
        if score is not None:
            place["score"] = score
    title = header[place["score"]] if "score" in place else None
    is_score = title is not None and bool(
        known and title not in known or title.lower() in ("score", "scores")
    )
    return place, "system" in place or is_score


#: Columns of these names count the rows of some programs, such as the tasks of Label Studio, not
#: segments.
_WEAK_LINES = ("id", "index")


def _may_be_line(table: InputTable, place: Mapping[str, int]) -> bool:
    """Whether the column of lines may be what it is called: an id that is another one in each row
    of several systems is that of a row.
    """
    if (
        "system" not in place
        or table.header[place["line"]].lower() not in _WEAK_LINES
        or table.n_lines is not None
    ):
        return True
    systems = set(table.list_words(place["system"]))
    ids = set(table.list_words(place["line"]))
    return len(systems) < 2 or len(ids) < len(table.rows) or len(table.rows) < 2 * len(systems)


def _ask_line(table: InputTable, system: int, weak: str) -> InputError:
    """About the line, where an id is that of the row."""
    line = guess_lines(table, system)
    column = "NAME" if line is None else table.header[line]
    return InputError(
        f"{table.name}: the column {show_name(weak)} has another value in each row, so it names rows and "
        f"not segments. Which column names the segment that several systems translated? It has: "
        f"{show_names(table.header)}.",
        {"columns": f"line={column}"},
    )


def _find_places(table: InputTable, metric: str, known: Collection[str]) -> dict[str, int]:
    """The columns of a table by what they hold; no system and no score where each column is of a
    system.
    """
    name, header = table.name, table.header
    place, is_long = _find_usual(table, metric, known)
    title = header[place["score"]] if "score" in place else None
    others = [
        k for k in range(len(header)) if k not in {place[held] for held in place if held != "score"}
    ]
    _check_titles(table, known, is_unknown=not place.keys() - {"domain"})
    if is_long and not table.told_systems:
        needed = ("system", "line", "score") if table.n_lines is None else ("system", "score")
        if place.keys() >= {"system", "line"} and "score" not in place:
            measures = list_measures(table, others)
            if len(measures) == 1:
                place["score"] = measures[0]
        missing = next((held for held in needed if held not in place), None)
        weak = find_column(header, "line")
        if missing == "line" and weak is not None:
            raise _ask_line(table, place["system"], header[weak])
        if missing is not None:
            if table.n_lines is None and set(range(len(header))) - {*place.values()}:
                raise _ask_which(table)
            raise InputError(
                f"{name} has no column {missing!r}. It has: {show_names(header)}. {EXPECTED_COLUMNS}"
            )
        return place
    for held, holds in (
        ("line", "number the lines"),
        ("docid", "name documents"),
        ("domain", "name domains"),
    ):
        both = [column for column in header if column.lower() in NAMES[held]]
        if len(both) > 1:
            raise InputError(
                f"{name} has {show_names(both)}, each of which may {holds}. Remove all but one."
            )
    _refuse_percents(table, others)
    if any(_is_text(table, k) for k in others):
        raise _ask_which(table)
    if known and not any(
        column in known for k, column in enumerate(header) if k in others or column == title
    ):
        raise InputError(
            f"{name} has neither a column 'system' nor one that is named after a system. "
            f"It has: {show_names(header)}. {EXPECTED_COLUMNS}"
        )
    if "" in header and _may_be_of_systems(table):
        raise _ask_which(table)
    if "" in header:
        raise InputError(
            f"{name}: column {header.index('') + 1} has no name. Name it after its system, or remove it: "
            "pandas writes its index so, and not with to_csv(index=False)."
        )
    return {held: k for held, k in place.items() if held != "score"}


def name_scores(content: bytes) -> str | None:
    """What the scores of a file, of which this is the beginning, are called by its format, or by
    the only column that can be scores, where that says what they are: COMET of a table with the
    columns model, sent_id, COMET.
    """
    fmt = sniff(cut_lines(content))
    if fmt is not None and fmt.scores:
        return fmt.scores
    try:
        table = read_delimited(cut_lines(content[:1000]).decode("utf-8-sig", "replace"), "")
    except InputError:  # which is said once the file is to be opened
        return None
    known = find_columns(table.header, ("system", "line", "score", "docid", "domain", "rater"))
    measures = list_measures(table, {*range(len(table.header))} - {*known.values()})
    is_long = {"system", "line"} <= known.keys() and "score" not in known
    name = table.header[measures[0]] if is_long and len(measures) == 1 else ""
    return name if name and "," not in name else None


def cut_lines(content: bytes) -> bytes:
    """A text up to the end of its last whole line."""
    return content if b"\0" in content[:1000] else content[: content.rfind(b"\n") + 1] or content


def _is_text(table: InputTable, column: int) -> bool:
    """Whether a column that would be of a system has no number at all, and is none of the texts by
    its name.
    """
    texts = {*NAMES["source"], *NAMES["reference"], *NAMES["output"]}
    may_be = len(table.rows) > 1 and table.header[column].lower() not in {"", *texts}
    return may_be and not any(map(is_number, table.list_cells(column)))


def _refuse_percents(table: InputTable, columns: Iterable[int]) -> None:
    """Refuse scores that are written as percents: nobody knows of 0.8 beside 80% which scale is
    meant.
    """
    for k in columns:
        for row, cells in table.rows:
            text = str(cells[k]).strip()
            if re.fullmatch(r"-?\d{1,15}([.,]\d{1,15})?\s*%", text):
                raise InputError(
                    f"{table.where(row)}, column {show_name(table.header[k])}: the score is {text!r}. "
                    "Expected a number such as 0.83. Remove the percent signs."
                )


def _ask_which(table: InputTable) -> InputError:
    names = show_names(name or "one without a name" for name in table.header)
    of_systems = ""
    if _may_be_of_systems(table):
        of_systems = (
            " If each row is a system, these are published scores, not scores of segments: give the file by "
            "--official, or to 'Compare with published scores'."
        )
    system = find_column(table.header, "system")
    line = None if system is None else guess_lines(table, system)
    system_name = "NAME" if system is None else table.header[system]
    line_name = "NAME" if line is None else table.header[line]
    remedies = [{"columns": f"system={system_name},line={line_name},score=NAME"}]
    systems = []
    if system is None:  # where a column names the systems, those of numbers are metrics
        systems = guess_systems(table, [k for k, name in enumerate(table.header) if name])
    if systems:
        named = SEPARATOR.join(table.header[k] for k in systems)
        documents = guess_documents(
            table, [k for k in range(len(table.header)) if k not in systems]
        )
        more = "" if documents is None else f",docid={table.header[documents]}"
        remedies.insert(0, {"columns": f"{SYSTEMS}={named}{more}"})
    return InputError(
        f"{table.name}: I found the columns {names}. Which is the system, the line, the score? Rename "
        f"them to system, line and score.{of_systems}",
        *remedies,
    )


def _may_be_of_systems(table: InputTable) -> bool:
    """Whether the first column of texts may name the systems, each once, and no other one the
    lines.
    """
    if find_column(table.header, "line") is not None:
        return False
    columns = (table.list_cells(k) for k in range(len(table.header)))
    texts = next((values for values in columns if not any(map(is_number, values))), [])
    return 1 < len(texts) == len(set(map(str, texts)))


@dataclass(frozen=True)
class ScoreColumns:
    """The columns of a table of scores, for whoever is to say what they hold."""

    names: tuple[str, ...]
    first_rows: tuple[tuple[str, ...], ...]
    guesses: Mapping[str, str]  # by what it seems to hold, the name of a column
    usual: frozenset[str]  # what columns hold by their names
    langpairs: Mapping[str, tuple[str, ...]]  # by the name of each column of language pairs, these
    weights: Mapping[str, float]  # of MQM's errors
    is_unclear: bool  # whether the names do not say which is the system, the line, the score
    numeric: tuple[str, ...] = ()  # columns that could be of a system each
    systems: tuple[
        str, ...
    ] = ()  # those that seem to be; empty where a row is of a system and a line
    asides: tuple[str, ...] = ()  # the others beside them, with what they hold


_N_SHOWN = 5  # rows that show what columns hold


def describe_columns(source: FilePath, metric: str, known: Collection[str] = ()) -> ScoreColumns:
    """The columns of a table of scores of the name `metric`, before they are read as scores;
    `known`: the systems of texts beside it.
    """
    table = read_table(source).count_truths()
    header = table.header
    values = {name: tuple(_list_values(table, k)) for k, name in enumerate(header) if name}
    langpairs = {
        name: pairs for name, pairs in values.items() if pairs and all(map(is_langpair, pairs))
    }
    place = find_columns(header, HELD)
    if "line" in place and not _may_be_line(table, place):
        del place["line"]
    usual, is_unclear = frozenset(place), False
    pair, *_ = langpairs.get(header[place["langpair"]] if "langpair" in place else "", (None,))
    try:
        _refuse_pairwise(table, known)
        _ = table.rows and _find_places(
            _clean_table(_take_langpair(table, pair), metric, known)[0], metric, known
        )
    except InputError as error:  # another one is told once the file is to be opened
        is_unclear = any("columns" in remedy for remedy in error.remedies)
    if is_unclear:
        if langpairs:
            place.setdefault("langpair", header.index(next(iter(langpairs))))
        _guess_places(
            table,
            metric,
            place,
            {name: len(own) for name, own in values.items() if name not in langpairs},
        )
    rows = tuple(tuple(str(cell) for cell in cells) for _, cells in table.rows[:_N_SHOWN])
    numeric, systems, asides = _describe_wide(table, metric, known)
    if systems and is_unclear:
        beside = [k for k, name in enumerate(header) if name not in systems]
        documents = guess_documents(table, beside)
        if documents is not None:
            place["docid"] = documents
    return ScoreColumns(
        tuple(header),
        rows,
        {held: header[k] for held, k in place.items()},
        usual,
        langpairs,
        table.weights,
        is_unclear,
        numeric,
        systems,
        asides,
    )


def _describe_wide(
    table: InputTable, metric: str, known: Collection[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Which columns could be of a system each, which seem to be, and what the others hold; nothing
    of a table with a row for each score.
    """
    place, is_long = _find_usual(table, metric, known)
    if is_long or not table.rows:
        return (), (), ()
    beside = {k for held, k in place.items() if held != "score"}
    columns = [k for k in range(len(table.header)) if k not in beside and table.header[k]]
    systems = guess_systems(table, columns, known)
    asides = find_asides(table, columns, known) if systems else {}
    numeric = tuple(table.header[k] for k in list_numeric(table, columns))
    held = tuple(f"{table.header[k]} ({why})" for k, why in asides.items())
    return numeric, tuple(table.header[k] for k in systems), held


def _guess_places(
    table: InputTable, metric: str, place: dict[str, int], sizes: Mapping[str, int]
) -> None:
    """Add to the known places those of other columns, given with the number of their values.

    Few texts are systems; whole numbers, or texts, that tell apart the rows of a system are lines.
    """
    n_values = {
        k: sizes[name]
        for k, name in enumerate(table.header)
        if name in sizes and k not in place.values()
    }
    numeric = list_numeric(table, n_values)
    if named := [k for k in numeric if table.header[k].lower() == metric.lower()]:
        place["score"] = named[0]
    texts = sorted(n_values.keys() - {*numeric}, key=lambda k: (n_values[k] < 2, n_values[k], k))
    if texts:
        place.setdefault("system", texts[0])
    beside = [place[held] for held in ("system", "langpair") if held in place]
    n_items = {
        k: len({tuple(str(cells[j]) for j in (k, *beside)) for _, cells in table.rows})
        for k in n_values
    }
    whole = [
        k for k in numeric if all(str(cells[k]).strip().isdecimal() for _, cells in table.rows)
    ]
    lines = sorted(
        [*texts, *(whole if "score" in place or len(numeric) > 1 else [])],
        key=lambda k: (-n_items[k], n_values[k], k),
    )
    for held, places in (("line", lines), ("score", list_measures(table, numeric))):
        if left := [k for k in places if k not in place.values()]:
            place.setdefault(held, left[0])


def _check_titles(table: InputTable, known: Collection[str], *, is_unknown: bool) -> None:
    """Refuse a first row of scores in place of names, and a name that comes twice.

    `is_unknown`: whether no title is known; `known` are the systems of the texts, none without.
    """
    header = table.header
    if is_unknown and any(has_number(title) and title not in known for title in header):
        raise InputError(
            f"{table.name} begins with {show_names(header)}, which is a row of scores. Expected the names "
            "of the columns first. Add a first row of names, such as system, line, score. (A file of "
            "mt-metrics-eval has no names. Give it under its own name, which ends in .seg.score.)"
        )
    check_unique(table.name, header)


# From ratings to the scores of a test set, alone or joined to texts.

NamedTable = tuple[str, ScoreTable]
Tables = Sequence[NamedTable] | Mapping[str, ScoreTable]


def join_scores(
    testset: TestSet,
    tables: Tables,
    lower_is_better: Collection[str] = (),
    *,
    ids: FilePath | None = None,
    higher_is_better: Collection[str] = (),
    langpair: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    raters: str = "mean",
    mqm_weights: Mapping[str, float] = MappingProxyType({}),
) -> TestSet:
    """A test set with segment scores from tables.

    Parameters
    ----------
    testset : TestSet
        With texts.
    tables : sequence of (str, table), or mapping of str to table
        Name of the scores, which becomes that of a metric, and table: a file, a data frame, columns
        by name, or an array of shape (systems, segments) in the order of the test set. Several of
        one name are put together. Lines are those of the files of the test set, so `TestSet.lines`;
        scores of lines that it leaves out (a canary, another part) are left out. Scores of a
        reference, and of what is named like one (refA, HUMAN-B), count only where it acts as a
        system. A column `domain` gives the domains of a test set that has none, where it names that
        of every segment.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the lowest, or the highest, is best. Of others the highest is,
        unless the name is that of a known metric whose scores of this range are errors: then it is
        asked.
    ids : path-like, optional
        File with the id of each segment, one per line as in the files of the test set. The tables
        then name lines by these.
    langpair : str, optional
        Of a table of several language pairs, the one to take; by default that of the test set.
    columns : mapping of str to str
        The columns of the tables that hold the system, the line, the score, the rater, ..., where
        their names do not say it: ``{"system": "name", "line": "no", "score": "quality"}``. Of a
        table with a column for each system, ``{"systems": "A|B"}`` names these columns, and
        ``{"systems": "all"}`` takes all that hold numbers.
    raters : {"mean", "adjusted"}
        Of a segment with several ratings the mean; with "adjusted" also scores that are adjusted
        for raters, as in `read_scores`.
    mqm_weights : mapping of str to float
        Of tables of MQM errors, weights that differ from Google's: of a severity, a category or
        both, such as ``{"major": 10, "minor fluency/punctuation": 0.5}``.

    Raises
    ------
    InputError
        If a table cannot be read or does not fit the test set: with file, row, what was expected
        and what came.
    SettingError
        If a name cannot be that of a metric, or it has to be said whether lower is better.

    Examples
    --------
    >>> texts = TestSet("toy", {"A": ["a b", "c d"], "B": ["a x", "c d"]}, {"ref": ["a b", "c d"]})
    >>> rated = join_scores(texts, {"comet": {"A": [0.9, 0.8], "B": [0.5, None]}})
    >>> rated.scores["comet"].by_system["B"]
    (0.5, None)
    """
    named = [(name, _name_rows(table, testset)) for name, table in _list_tables(tables)]
    if raters == "segments":
        raise SettingError(
            "Ratings can be segments of their own only without texts, whose segments they would be. "
            "Give the scores without texts, or take the mean.",
            {"raters": "mean"},
        )
    known = {*testset.systems, *testset.references}
    find_line = _make_line_finder(testset, ids)
    position: dict[int | str, int] = {line: k for k, line in enumerate(testset.lines)}
    scores: dict[str, dict[str, list[float | None]]] = {}
    domain_of: dict[int | str, str] = {}
    groups = _read_tables(
        named,
        known,
        lower_is_better,
        higher_is_better,
        langpair or testset.langpair,
        columns,
        raters,
        mqm_weights,
    )
    for name, group in groups.items():
        ratings = group.ratings
        if unknown := next(
            (one for one in ratings if one.system not in known and not is_human(one.system)), None
        ):
            raise _explain_system(unknown, testset, {rating.system for rating in ratings})
        if ids is None:
            _check_numbering(testset, ratings)
        placed = [rating._replace(line=find_line(rating)) for rating in ratings]
        scores[name] = _place_scores(placed, position, f"The table {show_name(name)}")
        domain_of |= _map_lines(placed, "domain", domain_of)
    domains = testset.domains
    if domains is None and all(line in domain_of for line in testset.lines):
        domains = [domain_of[line] for line in testset.lines]
    frozen, assumed = _freeze_scores(scores, groups, lower_is_better, higher_is_better)
    return replace(
        testset,
        scores={**testset.scores, **frozen},
        domains=domains,
        assumed=(*testset.assumed, *assumed),
    )


#: What several ratings of a segment are: their mean, each a segment of its own, or the mean and
#: adjusted scores.
RATERS = ("mean", "segments", "adjusted")


def read_scores(
    tables: Tables,
    lower_is_better: Collection[str] = (),
    *,
    name: str | None = None,
    higher_is_better: Collection[str] = (),
    langpair: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
    raters: str = "mean",
    mqm_weights: Mapping[str, float] = MappingProxyType({}),
) -> TestSet:
    """A test set of segment scores alone: systems, lines, documents and domains are those of the
    tables.

    Several tables are put together by system and line. Lines are in the order of their numbers, or,
    where they have ids that are no numbers, as they first come.

    Parameters
    ----------
    tables, lower_is_better, higher_is_better, langpair, columns, mqm_weights
        As in `join_scores`; arrays, which name no systems, are not read.
    name : str, optional
        By default that of the first file, or of the scores of the first table.
    raters : {"mean", "segments", "adjusted"}
        Of a segment with several ratings the mean, or each rating as a segment of its own, as WMT25
        ranked. Two systems are then compared on the ratings of the same rater. With "adjusted" the
        mean, and as scores of their own, such as ``human-adjusted``, those in which each rating is
        system + segment + rater, by least squares.

    Raises
    ------
    InputError, SettingError
        As in `join_scores`.

    Examples
    --------
    >>> read_scores({"human": {"A": [80, 70, 90], "B": [75, 70, 60], "docid": ["x", "x", "y"]}})
    <TestSet 'human': 2 systems, 3 segments>
    """
    named = _list_tables(tables)
    groups = _read_tables(
        named, (), lower_is_better, higher_is_better, langpair, columns, raters, mqm_weights
    )
    ratings = [rating for group in groups.values() for rating in group.ratings]
    lines = _list_lines(ratings)
    metric, first = named[0]
    if isinstance(first, str | os.PathLike):
        name = Path(os.fsdecode(first)).name.partition(".")[0] if name is None else name
    systems = dict.fromkeys(rating.system for rating in ratings)
    spend("systems", len(systems), "All tables together")
    check_values(len(systems) * len(lines) * len(groups), ratings[0].file.name)
    position = {line: k for k, line in enumerate(lines)}
    frozen, assumed = _freeze_scores(
        {
            metric: _place_scores(group.ratings, position, group.ratings[0].file.name)
            for metric, group in groups.items()
        },
        groups,
        lower_is_better,
        higher_is_better,
    )
    no_texts: dict[str, Sequence[Any]] = {system: [None] * len(lines) for system in systems}
    is_from_zero = 0 in lines
    numbers = [line + is_from_zero for line in lines if isinstance(line, int)] or range(
        1, len(lines) + 1
    )
    if is_from_zero:
        assumed += (Assumption("lines-from-zero", {"file": ratings[0].file.name}),)
    return TestSet(
        name or metric,
        no_texts,
        {},
        lines=numbers,
        documents=_list_groups(ratings, lines, "document"),
        domains=_list_groups(ratings, lines, "domain"),
        scores=frozen,
        assumed=assumed,
    )


def read_rated_outputs(
    systems: Sequence[tuple[str | None, FilePath]],
    tables: Tables,
    lower_is_better: Collection[str] = (),
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    langpair: str | None = None,
    name: str | None = None,
    keep_canary: bool = False,
    **of_tables: Any,
) -> TestSet:
    """A test set of outputs without a reference, with the scores of their segments, such as those
    of CometKiwi.

    Parameters
    ----------
    systems, sources, documents, langpair, name, keep_canary
        As in `mtsig_core.readers.texts.read_text`.
    tables, lower_is_better, of_tables
        As in `join_scores`, and its further arguments.
    """
    texts = read_outputs(
        systems,
        sources=sources,
        documents=documents,
        langpair=langpair,
        name=name,
        keep_canary=keep_canary,
    )
    return replace(join_scores(texts, tables, lower_is_better, **of_tables), references={})


def _name_rows(table: ScoreTable, testset: TestSet) -> ScoreTable:
    """A table of scores; an array of shape (systems, segments) with the names of the systems to its
    rows.
    """
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim != 2 or len(table) != len(testset.systems):
        raise InputError(
            f"The array of scores has the shape {table.shape}. Expected (systems, segments), here "
            f"({len(testset.systems)}, {testset.n_segments})."
        )
    return dict(zip(testset.systems, table, strict=True))


def _list_tables(tables: Tables) -> list[NamedTable]:
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
                f"{show_name(name)!r} is no name for scores: a list of metrics could not name them. "
                "Expected a word such as human.",
                {"scores": "human=FILE"},
            )
    return pairs


class RatingGroup(NamedTuple):
    """The scores of one name, from all its files: one for each system and line."""

    ratings: list[Rating]
    made_of: tuple[Assumption, ...]  # how many ratings, and what was done with them
    higher_is_better: bool | None  # where the format of a file says so
    adjusted_from: str | None = None  # the name of the scores that these are, adjusted for raters


def _read_tables(
    tables: Sequence[NamedTable],
    known: Collection[str],
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
    langpair: str | None,
    columns: Mapping[str, str],
    raters: str,
    mqm_weights: Mapping[str, float],
) -> dict[str, RatingGroup]:
    """The ratings of all files of each name, averaged over raters or what `raters` says, without
    two of the same.
    """
    if raters not in RATERS:
        raise explain_unknown("raters", raters, RATERS)
    names = dict.fromkeys(name for name, _ in tables)
    _check_directions(names, lower_is_better, higher_is_better)
    groups = {}
    for name in names:
        opened = [
            _open_table(source, name, columns, mqm_weights) for own, source in tables if own == name
        ]
        files = [
            _read_ratings(table, name, known, langpair) for table in _take_waves(opened, langpair)
        ]
        given, failed = _list_ratings(files, name)
        joined = _join_ratings(given, raters, files[0].name)
        directions = {file.table.higher_is_better for file in files} - {None}
        direction = directions.pop() if len(directions) == 1 else None
        made_of = _list_how_made(name, given, files[0].table, raters)
        of_columns = [one for file in files for one in file.assumed]
        if failed is not None:
            of_columns.append(failed)
        groups[name] = RatingGroup(joined, (*made_of, *of_columns), direction)
        if raters == "adjusted" and made_of:
            adjusted, how = adjust_raters(name, given)
            groups[name + ADJUSTED] = RatingGroup(adjusted, how, direction, name)
    if mqm_weights and not any(
        one.code == "mqm-weights" for group in groups.values() for one in group.made_of
    ):
        raise SettingError(
            f"{show_names(names)}: weights of MQM errors are given, and no table lists errors. Leave "
            "the weights out."
        )
    if raters == "adjusted" and len(groups) == len(names):
        raise InputError(
            f"{show_names(names)}: no table names the raters, for whom scores would be adjusted. Expected "
            "a column rater. Add it, or take the mean.",
            {"raters": "mean"},
        )
    return groups


def _check_directions(
    names: Collection[str], lower_is_better: Collection[str], higher_is_better: Collection[str]
) -> None:
    """Refuse a direction of scores that are not there, and two of the same scores."""
    for which, directed in (("lower", lower_is_better), ("higher", higher_is_better)):
        for name in directed:
            if name not in names:
                raise SettingError(
                    f"{which.title()} is better in {show_name(name)}: there are no scores of that name. "
                    f"There are: {', '.join(map(show_name, sorted(names))) or 'none'}.",
                    {f"{which}_is_better": "NAME"},
                    {"scores": "NAME=FILE"},
                )
    check_one_direction(lower_is_better, higher_is_better)


def _take_waves(tables: list[InputTable], langpair: str | None) -> list[InputTable]:
    """The tables of a language pair: a wave of ratings need not have all pairs.

    All of them where none has it.
    """
    if langpair is None:
        return tables
    taken = []
    for table in tables:
        pairs = _list_pairs(table)
        if not pairs or langpair in pairs:
            taken.append(table)
    return taken or tables


def _list_ratings(files: Sequence[ScoreFile], name: str) -> tuple[list[Rating], Assumption | None]:
    """The ratings of some files without what is no score of a segment, and what was assumed of
    failed judgements.
    """
    for file in files:
        drop_summaries(file, name)
    ratings, failed = drop_failed([rating for file in files for rating in file.ratings], name)
    if not any(file.table.told_systems for file in files):
        check_scales(ratings, name)
    return ratings, failed


def _join_ratings(given: Sequence[Rating], raters: str, file_name: str) -> list[Rating]:
    """A rating for each system and line, averaged over raters or what `raters` says; refuses two of
    the same.
    """
    joined = separate_raters(given) if raters == "segments" else average_raters(given)
    seen: dict[tuple[str, int | str], Rating] = {}
    for rating in joined:
        first = seen.setdefault((rating.system, rating.line), rating)
        if first is not rating:
            raise explain_second(first, rating)
    if all(rating.score is None for rating in seen.values()):
        raise InputError(
            f"{file_name} has no score at all: all {len(seen)} are missing. Check that it is the right "
            "file."
        )
    return list(seen.values())


def _list_how_made(
    name: str, given: Sequence[Rating], table: InputTable, raters: str
) -> list[Assumption]:
    """How many ratings the scores are made of, and what was done with them; `table` is the first of
    them.
    """
    made_of = []
    counts = count_ratings(name, given)
    if counts is not None:
        made_of.append(counts)
    if table.weights:
        made_of.append(
            Assumption("mqm-weights", {"metric": name, "weights": [*table.weights.items()]})
        )
    if table.is_standardized and table.find_score(name) == find_column(table.header, "score"):
        made_of.append(Assumption("ratings-standardized", {"metric": name}))
    if raters == "segments" and made_of:
        made_of.append(Assumption("ratings-as-segments", {"metric": name}))
    return made_of


def _place_scores(
    ratings: Sequence[Rating], position: Mapping[int | str, int], where: str
) -> dict[str, list[float | None]]:
    """The scores of each system by segment, of the lines that have a position."""
    systems = dict.fromkeys(rating.system for rating in ratings)
    check_values(len(systems) * len(position), where)
    scores: dict[str, list[float | None]] = {system: [None] * len(position) for system in systems}
    for rating in ratings:
        if rating.line in position:
            scores[rating.system][position[rating.line]] = rating.score
    return scores


def _map_lines(
    ratings: Iterable[Rating], what: str, before: Mapping[int | str, str] | None = None
) -> dict[int | str, str]:
    """The document or domain that rows name for their lines; refuses two of one line."""
    name_of = dict(before or {})
    for rating in ratings:
        name: str | None = getattr(rating, what)
        if name is not None and name_of.setdefault(rating.line, name) != name:
            raise InputError(
                f"{rating.where}: line {rating.line} is of {what} {show_name(name)}, and of "
                f"{show_name(name_of[rating.line])} before. Expected one {what} for each line."
            )
    return name_of


def _freeze_scores(
    scores: Mapping[str, Mapping[str, Sequence[float | None]]],
    groups: Mapping[str, RatingGroup],
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
) -> tuple[dict[str, SegmentScores], tuple[Assumption, ...]]:
    """The scores with their directions, what was assumed of each, and what they are means of."""
    lower_is_better = {
        *lower_is_better,
        *(
            name
            for name, group in groups.items()
            if group.higher_is_better is False and name not in higher_is_better
        ),
    }
    assumed = tuple(
        explain_direction(
            name,
            (score for own in by_system.values() for score in own),
            lower_is_better,
            higher_is_better,
        )
        for name, by_system in scores.items()
        if groups[name].adjusted_from is None
    )
    assumed += tuple(one for group in groups.values() for one in group.made_of)
    return {
        name: SegmentScores(by_system, (groups[name].adjusted_from or name) not in lower_is_better)
        for name, by_system in scores.items()
    }, assumed


def explain_direction(
    name: str,
    scores: Iterable[float | None],
    lower_is_better: Collection[str],
    higher_is_better: Collection[str],
) -> Assumption:
    """Which scores of a table are taken as better, and why."""
    if name in lower_is_better or name in higher_is_better:
        return told_direction(name, name not in lower_is_better)
    values = list(scores)
    known = find_direction(name, values)
    if known is None and not may_be_lower(name):
        return Assumption("direction-default", {"metric": name})
    if known is None or not known.higher_is_better:
        raise _ask_direction(name, values)
    return known.why


def find_unsettled(
    tables: Tables,
    *,
    langpair: str | None = None,
    columns: Mapping[str, str] = MappingProxyType({}),
) -> dict[str, tuple[float, float]]:
    """The names of scores of which neither the file, the name nor the range says that higher is
    better, each with the range of its scores. People's scores are taken as quality.
    """
    named = _list_tables(tables)
    names = {name for name, _ in named}
    groups = _read_tables(named, (), (), names, langpair, columns, "mean", {})
    unsettled = {}
    for name, group in groups.items():
        scores = [rating.score for rating in group.ratings]
        direction = find_direction(name, scores)
        is_of_people = bool(pick_human_scores([name])) and not may_be_lower(name)
        is_settled = is_of_people if direction is None else direction.higher_is_better
        if group.higher_is_better is None and not is_settled:
            unsettled[name] = find_range(scores)
    return unsettled


def _ask_direction(name: str, scores: Iterable[float | None]) -> SettingError:
    """About scores of which lower may be better."""
    low, high = find_range(scores)
    return SettingError(
        f"Is higher better, or lower? By its name lower may be better in {show_name(name)}, whose "
        f"scores range from {low:g} to {high:g}. Choose which.",
        {"lower_is_better": name},
        {"higher_is_better": name},
    )


# Scores joined to texts: which line of the text files a rating is for.


def _explain_system(rating: Rating, testset: TestSet, names: Iterable[str]) -> InputError:
    """The error for a system that the test set does not have, and for the others of its table."""
    known = {*testset.systems, *testset.references}
    others = sorted(
        name for name in names if name not in known and name != rating.system and not is_human(name)
    )
    more = f" Other names it does not have: {show_names(others)}." if others else ""
    return InputError(
        f"{rating.where}: {show_name(rating.system)!r} is not a system of {testset.name}."
        f"{suggest_name(rating.system, known)} Its systems: {', '.join(map(show_name, testset.systems))}."
        f"{more} Rename the systems in the table, add their output, or remove their rows."
    )


def _make_line_finder(testset: TestSet, ids: FilePath | None) -> Callable[[Rating], int]:
    """A function: the line of the text files that a rating is for, by its id where there is a file
    of `ids`.
    """
    n, last = testset.n_segments, max(testset.lines)
    line_of: Mapping[int | str, int] = (
        {k: k for k in range(1, last + 1)} if ids is None else _read_ids(ids, testset)
    )
    lines_of_document = _list_lines_of_documents(testset)
    expected = (
        f"1 to {last}, as the text files have, counted from 1; or give a file with the id of each line of the "
        "texts"
        if ids is None
        else f"one of those in {show_name(ids)}"
    )

    def find_line(rating: Rating) -> int:
        line, n_rows = rating.line, rating.file.n_rows
        if n_rows is not None and isinstance(line, int):
            if n_rows not in (n, last):
                raise InputError(
                    f"{rating.file.name} has {n_rows} rows of scores without line numbers, the texts have "
                    f"{_count_lines(testset)}. Expected a row for each line; or add a column 'line'."
                )
            return line if n_rows == last else testset.lines[line - 1]
        if line not in line_of and ids is None and rating.file.table.counts_by_document:
            return _find_in_document(rating, lines_of_document, testset.name)
        if line not in line_of:
            hint = "" if ids is None else suggest_name(str(line), islice(map(str, line_of), 10_000))
            raise InputError(
                f"{rating.where}: there is no line {show_name(str(line))}.{hint} Expected {expected}.",
                *([{"ids": "FILE"}] if ids is None and isinstance(line, str) else []),
            )
        return line_of[line]

    return find_line


def _list_lines_of_documents(testset: TestSet) -> dict[str, list[int]]:
    """The lines of each document, in order; empty without documents."""
    lines_of: dict[str, list[int]] = {}
    for line, document in zip(testset.lines, testset.documents or (), strict=False):
        lines_of.setdefault(document, []).append(line)
    return lines_of


def _find_in_document(
    rating: Rating, lines_of_document: Mapping[str, Sequence[int]], name: str
) -> int:
    """The line of a rating that is named by its document, and its place there, counted from 1."""
    own = lines_of_document.get(rating.document or "")
    item = int(str(rating.line).rpartition(":")[2])
    if own is None:
        raise InputError(
            f"{rating.where}: there is no document {show_name(str(rating.document))} in {name}. "
            "Expected the ids of documents as the ratings have them. Give a file of them.",
            {"docs": "FILE"},
        )
    if not 1 <= item <= len(own):
        raise InputError(
            f"{rating.where}: the document {show_name(str(rating.document))} has {len(own)} segments, and "
            f"this is item {item}. Expected items from 1 to {len(own)}. See whether the texts are those "
            "that were rated."
        )
    return own[item - 1]


def _count_lines(testset: TestSet) -> str:
    """How many lines the files of a test set may have."""
    n, last = testset.n_segments, max(testset.lines)
    return f"{last}" if n == last else f"{last}, or {n} without the excluded ones"


def _check_numbering(testset: TestSet, ratings: Sequence[Rating]) -> None:
    """Refuse lines that are numbered as if those that the test set leaves out were not in its
    files.
    """
    n, last = testset.n_segments, max(testset.lines)
    lines = {rating.line for rating in ratings if rating.file.n_rows is None}
    if n < last and lines == {*range(1, n + 1)}:
        raise InputError(
            f"{ratings[0].file.name} has scores of the lines 1 to {n}, and the text files have {last}, of "
            f"which line {min(lines - {*testset.lines})} is excluded. Expected the numbers of the lines "
            "in these files, or no numbers and a row for each line that is not excluded."
        )


def _read_ids(path: FilePath, testset: TestSet) -> dict[int | str, int]:
    """{id: line} of a file with an id per line."""
    ids, last = read_lines(path, IDS), max(testset.lines)
    if len(ids) not in (testset.n_segments, last):
        raise InputError(
            f"{show_name(path)} has {len(ids)} lines, the texts have {_count_lines(testset)} (a canary at "
            "their end does not count). Expected an id for each line."
        )
    line_of: dict[int | str, int] = {}
    for line, text in zip(
        range(1, last + 1) if len(ids) == last else testset.lines, ids, strict=True
    ):
        key = read_value(f"{show_name(path)}, line {line}, the id", text, to_key)
        if line_of.setdefault(key, line) != line:
            raise InputError(
                f"{show_name(path)}, line {line}: the id {show_name(text)!r} is in line "
                f"{line_of[key]} too. Expected another one for each line."
            )
    return line_of


# Scores alone: which lines there are, and the document and domain of each.


def _list_lines(ratings: Sequence[Rating]) -> list[int | str]:
    """All lines that have a rating, in order."""
    counted = {one.file.n_rows: one.file for one in ratings if one.file.n_rows is not None}
    if len(counted) > 1:
        (n, first), (m, second), *_ = counted.items()
        raise InputError(
            f"{second.name} has {m} rows, {first.name} has {n}, and no column 'line' says which is which. "
            "Expected as many in both; or add that column."
        )
    numbered = next((one for one in ratings if isinstance(one.line, int)), None)
    named = next((one for one in ratings if isinstance(one.line, str)), None)
    if numbered is not None and named is not None:
        raise InputError(
            f"{named.where}: the line is {show_name(str(named.line))!r}, while {numbered.file.name} has "
            "numbers. Expected numbers throughout, or ids throughout."
        )
    zeros = {one.file: one for one in ratings if one.line == 0}
    if zeros and zeros.keys() != {one.file for one in ratings}:
        raise InputError(
            f"{next(iter(zeros.values())).where}: the line is 0, and other tables have no line 0. Count "
            "the lines of each from 1: add 1 to these."
        )
    lines = dict.fromkeys(one.line for one in ratings)
    return sorted(lines) if named is None else list(lines)


def _list_groups(
    ratings: Iterable[Rating], lines: Iterable[int | str], what: str
) -> list[str] | None:
    """The document or the domain of each line, None without any."""
    if not (name_of := _map_lines(ratings, what)):
        return None
    if (without := next((line for line in lines if line not in name_of), None)) is not None:
        raise InputError(
            f"Line {show_name(str(without))} has no {'docid' if what == 'document' else what} in any "
            "table, others have. Give one for every line, or leave the column out."
        )
    return [name_of[line] for line in lines]
