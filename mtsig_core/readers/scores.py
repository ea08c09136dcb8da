"""Tables of segment scores: human ratings, COMET and other metrics, with or without texts."""

from __future__ import annotations

import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from mtsig_core.errors import InputError, SettingError, find_closest
from mtsig_core.languages import is_langpair
from mtsig_core.readers.columns import (
    FORMS,
    NAMES,
    Columns,
    Rows,
    find_column,
    find_score,
    join_columns,
    list_names,
    read_delimited,
    read_frame_rows,
    read_json,
    show_value,
)
from mtsig_core.readers.formats import IDS, SCORE_TABLE, find_reader, find_refusal
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import FilePath, decode, read_bytes, read_lines
from mtsig_core.readers.tasks import ENDINGS, read_blocks
from mtsig_core.testset import SegmentScores, TestSet, find_direction, is_human, show_name

# Segment scores: a file of any format, or a table in memory -> a list of ratings.

#: Of scores: a file, columns, or an array of shape (systems, segments).
Table: TypeAlias = "FilePath | Columns | np.ndarray"
_MISSING = ("", '""', "na", "n/a", "nan", "none", "null")
_OF_LINE = {"line": "number the lines", "docid": "name documents", "domain": "name domains"}


@dataclass(frozen=True, slots=True)
class Rating:
    """One score: of which system, of which line (a number from 1, or an id), and its row in the file."""

    system: str
    line: int | str
    score: float | None
    document: str | None
    domain: str | None
    row: int
    file: ScoreFile

    @property
    def where(self) -> str:
        return f"{self.file.path}, row {self.row}"


@dataclass(eq=False)
class ScoreFile:
    """What a table says, and its header and rows for messages."""

    path: str
    header: Sequence[str]
    rows: Rows
    are_systems: bool  # whether the format says that the columns are systems, as COMET's JSON does
    n_rows: int | None = None  # the number of lines where they are only counted, not named
    ratings: list[Rating] = field(default_factory=list)


def read_score_file(path: Table, metric: str, is_system: Callable[[str], bool] = lambda name: True) -> ScoreFile:
    """Read a table of segment scores, plain or gzipped.

    `path`: a file, whose format shows in its content, or columns by name; `metric`: the name of the scores, which their
    column may have too; `is_system`: whether a column of that name may be a system.
    """
    name, header, rows, are_systems = _read_rows(path, metric)
    if header is None or not rows:
        raise InputError(f"{name} has no row of scores. {FORMS}")
    place: dict[str, int | None] = dict.fromkeys(("system", "line", "score", "docid", "domain"))
    if not are_systems:
        _check_header(name, header, rows)
        header, rows = _drop_langpair(name, header, rows)
        place = _find_places(name, header, metric, is_system)
    columns = [(column, k) for k, column in enumerate(header) if k not in place.values()]
    if place["score"] is None:
        _check_systems(name, header, rows, columns, is_system)
    system_place, line_place = place["system"], place["line"]
    spend("systems", len(columns if system_place is None else {str(cells[system_place]) for _, cells in rows}), name)
    file = ScoreFile(name, header, rows, are_systems, len(rows) if line_place is None else None)
    for count, (row, cells) in enumerate(rows, 1):
        where = f"{name}, row {row}"
        system, document, domain = (None if k is None else _read_text(cells[k], f"{where}: {held}")
                                    for held, k in place.items() if held in ("system", "docid", "domain"))
        line = count if line_place is None else as_key(cells[line_place], f"{where}: line")
        if system is not None and place["score"] is not None:
            scores = [(system, _read_number(cells[place["score"]], where))]
        else:
            scores = [(column, _read_number(cells[k], f"{where}, column {show_name(column)}")) for column, k in columns]
        file.ratings += [Rating(name, line, score, document, domain, row, file) for name, score in scores]
    return file


def _read_rows(path: Table, metric: str) -> tuple[str, list[str] | None, Rows, bool]:
    """The name of a table, its header and rows, and whether its columns are known to be systems."""
    if not isinstance(path, str | os.PathLike):
        name = f"The table {metric}"
        return name, *read_frame_rows(name, path), False
    name = show_name(path)
    if name.endswith(ENDINGS):
        blocks = read_blocks(Path(os.fsdecode(path)))
        return name, *join_columns(blocks, f"{name} has unequal numbers of scores", "scores"), True
    data, unpacked = read_bytes(path, SCORE_TABLE)
    if not data.strip():
        raise InputError(f"{name} is empty. {FORMS}")
    if error := find_refusal(name, data, SCORE_TABLE):
        raise error
    if reader := find_reader(data, SCORE_TABLE):
        return name, *reader(data, name), False
    text = decode(data, path, unpacked).lstrip("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        return name, *read_json(name, text, metric)
    return name, *read_delimited(name, text), False


def _check_header(name: str, header: Sequence[str], rows: Rows) -> None:
    """Refuse a first row of scores in place of names, and a name that comes twice."""
    if find_column(header, "system", "line", "score", "docid") is None:
        numbers = [k for k, column in enumerate(header) if column.lower() not in _MISSING and _is_number(column)
                   and all(_is_number(cells[k]) for _, cells in rows)]
        texts = [k for k in range(len(header)) if not any(_is_number(cells[k]) for _, cells in rows)]
        if numbers and texts:
            advice = "Put a row of names above it, such as system, line, score."
            if len(header) == 2 and texts == [0]:
                advice = ("mt-metrics-eval writes *.seg.score so, which are read from the folder of a task, in "
                          "human-scores/. Or put the names system, line, score above it, with the number of its line "
                          "in each row.")
            raise InputError(f"{name} begins with {list_names(header)}, which is a row of scores. Expected the names "
                             f"of the columns first. {advice}")
    if twice := sorted({column for column in header if header.count(column) > 1}):
        raise InputError(f"{name} has the column {show_name(twice[0])} twice. Rename or remove one of them.")


def _drop_langpair(name: str, header: list[str], rows: Rows) -> tuple[list[str], Rows]:
    """The table without its column of language pairs, of which it may have one."""
    place = find_column(header, "langpair")
    pairs = [] if place is None else list(dict.fromkeys(str(cells[place]).strip() for _, cells in rows))
    if place is None or not all(map(is_langpair, pairs)):
        return header, rows
    if len(pairs) > 1:
        raise InputError(f"{name} has scores of {len(pairs)} language pairs (column {show_name(header[place])}: "
                         f"{list_names(pairs)}). Expected those of one. Put the rows of each in a file of its own.")
    return [*header[:place], *header[place + 1:]], [
        (row, [*cells[:place], *cells[place + 1:]]) for row, cells in rows]


def _find_places(name: str, header: Sequence[str], metric: str, is_system: Callable[[str], bool]
                 ) -> dict[str, int | None]:
    """The columns of a table by what they hold; no system and no score where each column is of a system."""
    place = {held: find_column(header, held) for held in ("system", "line", "score", "docid", "domain")}
    own = next((k for k, column in enumerate(header) if column.lower() == metric.lower()), None)
    place["score"] = find_score(name, header, metric) if place["system"] is not None else \
        place["score"] if own is None else own
    title = None if place["score"] is None else header[place["score"]]
    if place["system"] is not None or (title is not None and (
            not is_system(title) or title.lower() in ("score", "scores"))):
        for held in ("system", "line", "score"):
            if place[held] is None:
                raise InputError(f"{name} has no column {held!r}. It has: {list_names(header)}. {FORMS}")
        return place
    for held, holds in _OF_LINE.items():
        both = [column for column in header if column.lower() in NAMES[held]]
        if len(both) > 1:
            raise InputError(f"{name} has {list_names(both)}, each of which may {holds}. Take all but one out.")
    return place | {"score": None}


def _check_systems(name: str, header: Sequence[str], rows: Rows, systems: Sequence[tuple[str, int]],
                   is_system: Callable[[str], bool]) -> None:
    """Refuse columns that are to be systems and have no names of systems."""
    if not any(is_system(column) for column, _ in systems):
        raise InputError(f"{name} has neither a column 'system' nor one that is named after a system. "
                         f"It has: {list_names(header)}. {FORMS}")
    if all(_is_score(column, [cells[k] for _, cells in rows]) for column, k in systems):
        raise InputError(f"{name} begins with numbers, {list_names(dict(systems))}, where the names of the systems are "
                         "expected. Put a first row of names above them.")
    if "" in header:
        raise InputError(f"{name}: column {header.index('') + 1} has no name. Name it after its system, or take it "
                         "out: pandas writes its index so, and not with to_csv(index=False).")


def _is_score(text: str, below: Sequence[Any]) -> bool:
    """Whether a title is a score and no name; a whole number is one where it lies within those below it."""
    try:
        number = float(text)
        values = [float(value) for value in below if value not in (None, "")] if text.isdigit() else [number]
    except (ValueError, TypeError):
        return False
    return bool(values) and min(values) <= number <= max(values)


def _is_number(value: object) -> bool:
    try:
        return _read_number(value, "") is not math.inf
    except InputError:
        return False


def _read_text(value: object, where: str) -> str:
    if isinstance(value, bool | list | dict):
        raise InputError(f"{where} is {show_value(value)}. Expected a text or a number.")
    text = "" if value is None or value != value else show_name(str(value).strip())
    if not text:
        raise InputError(f"{where} is empty. Fill it in, or remove the row.")
    return text


def as_key(value: object, where: str) -> int | str:
    """A line number, or an id as it stands."""
    text = _read_text(value, where)
    number = text.removesuffix(".0")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else text


def _read_number(value: Any, where: str) -> float | None:
    """A score, None where there is none."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    kind = "infinite ({})"
    try:
        if isinstance(value, bool | list | dict) or isinstance(value, str) and "_" in value:  # 1_000 is Python's
            raise ValueError
        number = float(value)
        if not math.isinf(number):
            return None if math.isnan(number) else number
    except OverflowError:  # a whole number of hundreds of digits
        pass
    except (ValueError, TypeError):
        kind = "{}"
    expected = "a finite number" if kind != "{}" else "a number such as 0.83"
    raise InputError(f"{where}: the score is {kind.format(show_value(value))}. Expected {expected}, or nothing where a "
                     "score is missing.")


# Segment scores from tables, alone or joined to texts: human ratings, COMET and other neural metrics.

NamedTable = tuple[str, Table]
Tables = Sequence[NamedTable] | Mapping[str, Table]
#: Columns in which two rows of one system and line may differ, the gravest first, and what to do then.
_SECOND = (("lang|^lp$", "Expected scores of one language pair: put the rows of each in a file of its own."),
           ("doc", "Lines are counted through the whole set, not within each document: number them so."),
           ("rater|annotator|user|judge|wave", "Expected one score for each: take the mean of several raters before."))


def join_scores(testset: TestSet, tables: Tables, lower_is_better: Collection[str] = (), *,
                ids: FilePath | None = None, higher_is_better: Collection[str] = ()) -> TestSet:
    """A test set with segment scores from tables.

    Parameters
    ----------
    testset : TestSet
        With texts.
    tables : sequence of (str, table), or mapping of str to table
        Name of the scores, which becomes that of a metric, and table: a file, a data frame, columns by name, or an
        array of shape (systems, segments) in the order of the test set. Several of one name are put together. Lines
        are those of the files of the test set, so `TestSet.lines`; scores of lines that it leaves out (a canary,
        another part) are left out. Scores of a reference, and of what is named like one (refA, HUMAN-B), count only
        where it acts as a system. A column `domain` gives the domains of a test set that has none, where it names that
        of every segment.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the lowest, or the highest, is best. Of others the highest is, unless the name is that
        of a known metric whose scores of this range are errors: then it is asked.
    ids : path-like, optional
        File with the id of each segment, one per line as in the files of the test set. The tables then name lines by
        these.

    Raises
    ------
    InputError
        If a table cannot be read or does not fit the test set: with file, row, what was expected and what came.
    SettingError
        If a name cannot be that of a metric, or it has to be said whether lower is better.

    Examples
    --------
    >>> texts = TestSet("toy", {"A": ["a b", "c d"], "B": ["a x", "c d"]}, {"ref": ["a b", "c d"]})
    >>> rated = join_scores(texts, {"comet": {"A": [0.9, 0.8], "B": [0.5, None]}})
    >>> rated.scores["comet"].by_system["B"]
    (0.5, None)
    """
    tables = [(name, _name_rows(table, testset)) for name, table in _list_tables(tables)]
    _check_names(tables, lower_is_better, higher_is_better)
    known = {*testset.systems, *testset.references}
    position = {line: k for k, line in enumerate(testset.lines)}
    line_of = None if ids is None else _read_ids(ids, testset)
    scores: dict[str, dict[str, list[float | None]]] = {}
    domain_of: dict[int | str, str] = {}
    for name, ratings in _read_tables(tables, known):
        systems = dict.fromkeys(rating.system for rating in ratings)
        check_values(len(systems) * testset.n_segments, f"The table {show_name(name)}")
        if unknown := next((one for one in ratings if one.system not in known and not is_human(one.system)), None):
            raise _explain_system(unknown, testset, systems)
        if line_of is None:
            _check_numbering(testset, [rating for rating in ratings if rating.file.n_rows is None])
        by_system = scores[name] = {system: [None] * testset.n_segments for system in systems}
        for rating in ratings:
            line = _find_line(testset, rating, line_of, ids)
            if line in position:
                by_system[rating.system][position[line]] = rating.score
            _note(domain_of, line, rating, "domain")
    frozen, assumed = _freeze_scores(scores, lower_is_better, higher_is_better)
    domains = testset.domains
    if domains is None and all(line in domain_of for line in testset.lines):
        domains = [domain_of[line] for line in testset.lines]
    return replace(testset, scores={**testset.scores, **frozen}, domains=domains, assumed=(*testset.assumed, *assumed))


def read_scores(tables: Tables, lower_is_better: Collection[str] = (), *, name: str | None = None,
                higher_is_better: Collection[str] = ()) -> TestSet:
    """A test set of segment scores alone: systems, lines, documents and domains are those of the tables.

    Several tables are put together by system and line. Lines are in the order of their numbers, or, where they have
    ids that are no numbers, as they first come.

    Parameters
    ----------
    tables, lower_is_better, higher_is_better
        As in `join_scores`; arrays, which name no systems, are not read.
    name : str, optional
        By default that of the first file, or of the scores of the first table.

    Raises
    ------
    InputError, SettingError
        As in `join_scores`.

    Examples
    --------
    >>> read_scores({"human": {"A": [80, 70, 90], "B": [75, 70, 60], "docid": ["x", "x", "y"]}})
    <TestSet 'human': 2 systems, 3 segments>
    """
    tables = _list_tables(tables)
    _check_names(tables, lower_is_better, higher_is_better)
    groups = dict(_read_tables(tables, None))
    ratings = [rating for group in groups.values() for rating in group]
    lines = _list_lines(ratings)
    if len(lines) == 1 and isinstance(tables[0][1], str | os.PathLike):
        _check_single(ratings[0])
    position = {line: k for k, line in enumerate(lines)}
    systems = list(dict.fromkeys(rating.system for rating in ratings))
    spend("systems", len(systems), "All tables together")
    check_values(len(systems) * len(lines) * len(groups), ratings[0].file.path if ratings else "The table")
    scores: dict[str, dict[str, list[float | None]]] = {
        metric: defaultdict(lambda: [None] * len(lines)) for metric in groups}
    for metric, group in groups.items():
        for rating in group:
            scores[metric][rating.system][position[rating.line]] = rating.score
    if name is None:
        metric, first = tables[0]
        name = Path(os.fsdecode(first)).name.partition(".")[0] if isinstance(first, str | os.PathLike) else metric
    frozen, assumed = _freeze_scores(scores, lower_is_better, higher_is_better)
    no_texts: dict[str, Sequence[Any]] = {system: [None] * len(lines) for system in systems}
    numbers = [line for line in lines if isinstance(line, int)] or range(1, len(lines) + 1)
    return TestSet(name, no_texts, {}, lines=numbers, documents=_list_groups(ratings, lines, "document"),
                   domains=_list_groups(ratings, lines, "domain"), scores=frozen, assumed=assumed)


def _name_rows(table: Table, testset: TestSet) -> Table:
    """A table of scores; an array of shape (systems, segments) with the names of the systems to its rows."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim != 2 or len(table) != len(testset.systems):
        raise InputError(f"The array of scores has the shape {table.shape}. Expected (systems, segments), here "
                         f"({len(testset.systems)}, {testset.n_segments}).")
    return dict(zip(testset.systems, table, strict=True))


def _list_tables(tables: Tables) -> list[NamedTable]:
    """Pairs of a name and a table, of which a mapping has each name once."""
    pairs = list(tables.items() if isinstance(tables, Mapping) else tables)
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise SettingError("Tables of scores come with the name of their scores. Expected pairs such as "
                           '[("human", table)], or {"human": table}.')
    return pairs


def _check_names(tables: Iterable[NamedTable], lower_is_better: Collection[str], higher_is_better: Collection[str]
                 ) -> None:
    """Refuse names that no metric can have, and directions of scores that are not there."""
    names = {name for name, _ in tables}
    for name in names:
        if not name.strip() or "," in name or name != name.strip():
            raise SettingError(f"{show_name(name)!r} is no name for scores: a list of metrics could not name them. "
                               "Expected a word such as human.", {"scores": "human=FILE"})
    for which, directed in (("lower", lower_is_better), ("higher", higher_is_better)):
        for name in directed:
            if name not in names:
                raise SettingError(f"{which.title()} is better in {show_name(name)}: there are no scores of that name. "
                                   f"There are: {', '.join(map(show_name, sorted(names))) or 'none'}.",
                                   {f"{which}_is_better": "NAME"}, {"scores": "NAME=FILE"})
    if both := sorted({*lower_is_better} & {*higher_is_better}):
        raise SettingError(f"Lower and higher are both said to be better in {show_name(both[0])}. Say one of them.")


def _read_tables(tables: Sequence[NamedTable], known: Collection[str] | None) -> Iterator[tuple[str, list[Rating]]]:
    """The ratings of all files of each name, without two of the same."""
    def is_system(column: str) -> bool:
        return known is None or column in known

    for name in dict.fromkeys(name for name, _ in tables):
        files = [read_score_file(path, name, is_system) for own, path in tables if own == name]
        seen: dict[tuple[str, int | str], Rating] = {}
        for rating in (rating for file in files for rating in file.ratings):
            if seen.setdefault((rating.system, rating.line), rating) is not rating:
                raise _explain_second(seen[rating.system, rating.line], rating)
        if all(rating.score is None for rating in seen.values()):
            raise InputError(f"{files[0].path} has no score at all: every one of {len(seen)} is missing. See whether "
                             "it is the right file.")
        yield name, list(seen.values())


def _check_single(rating: Rating) -> None:
    """Refuse a single row of numbers where nothing but its columns say whose scores they are."""
    file = rating.file
    if file.n_rows == 1 and not file.are_systems and rating.document is None:
        raise InputError(f"{file.path} has the columns {list_names(one.system for one in file.ratings)} and a single "
                         "row of numbers. Nothing says whether the columns are systems. Expected the columns system, "
                         "line, score; or a column for each system and a row for each line. If it is one segment, add "
                         "a column 'line'.")


def _explain_second(first: Rating, second: Rating) -> InputError:
    """The error for two scores of one system and line, which says wherein their rows differ."""
    file = second.file
    place, advice = first.where, "Expected one for each: take the mean of several raters before."
    if first.file is file:
        place, rows = f"row {first.row}", dict(file.rows)
        systems = {rating.system for rating in file.ratings}
        differing = [(column, str(one), str(two)) for column, one, two in zip(
            file.header, rows[first.row], rows[second.row], strict=True) if one != two and column not in systems]
        for pattern, remedy in reversed(_SECOND):
            for column, one, two in differing:
                if re.search(pattern, column, re.IGNORECASE):
                    advice = (f"The rows differ in {show_name(column)}: {show_name(one[:40])} and "
                              f"{show_name(two[:40])}. {remedy}")
    return InputError(f"{second.where}: {show_name(second.system)} has a second score for line "
                      f"{show_name(str(second.line))}; the first is in {place}. {advice}")


def _explain_system(rating: Rating, testset: TestSet, names: Iterable[str]) -> InputError:
    """The error for a system that the test set does not have, and for the others of its table."""
    known = {*testset.systems, *testset.references}
    others = [name for name in names if name not in known and name != rating.system and not is_human(name)]
    remedy = "Rename it in the table, add its output, or take its rows out."
    if others:
        remedy = (f"Nor are these: {list_names(others)}. Rename them in the table, add their outputs, or take their "
                  "rows out.")
    return InputError(f"{rating.where}: {show_name(rating.system)!r} is no system of {testset.name}."
                      f"{_suggest(rating.system, known)} It has: {', '.join(map(show_name, testset.systems))}. "
                      f"{remedy}")


def _find_line(testset: TestSet, rating: Rating, line_of: Mapping[int | str, int] | None, ids: FilePath | None) -> int:
    """The line of the text files that a rating is for."""
    line, file, n, last = rating.line, rating.file, testset.n_segments, max(testset.lines)
    if file.n_rows is not None and isinstance(line, int):
        if file.n_rows not in (n, last):
            raise InputError(f"{file.path} has {file.n_rows} rows of scores without line numbers, the texts have "
                             f"{_count_lines(testset)}. Expected a row for each line; or add a column 'line'.")
        return line if file.n_rows == last else testset.lines[line - 1]
    if line_of is not None and ids is not None:
        if line not in line_of:
            raise InputError(f"{rating.where}: no line has the id {show_name(str(line))!r}."
                             f"{_suggest(str(line), map(str, line_of))} Expected one of those in {show_name(ids)}.")
        return line_of[line]
    if isinstance(line, str):
        raise InputError(f"{rating.where}: the line is {show_name(line)!r}. Expected a number, the line in the text "
                         "files, counted from 1; or give a file with the id of each line of the texts.",
                         {"ids": "FILE"})
    if not 1 <= line <= last:
        hint = "Lines are counted from 1: add 1 to each." if line == 0 else "See whether it is for these texts."
        raise InputError(f"{rating.where}: there is no line {line}. Expected 1 to {last}, as the text files have. "
                         f"{hint}")
    return line


def _count_lines(testset: TestSet) -> str:
    """How many lines the files of a test set may have."""
    n, last = testset.n_segments, max(testset.lines)
    return f"{last}" if n == last else f"{last}, or {n} without those left out"


def _check_numbering(testset: TestSet, ratings: Sequence[Rating]) -> None:
    """Refuse lines that are numbered as if those that the test set leaves out were not in its files."""
    n, last, lines = testset.n_segments, max(testset.lines), {rating.line for rating in ratings}
    if n < last and lines == {*range(1, n + 1)}:
        out = min(lines - {*testset.lines})
        raise InputError(f"{ratings[0].file.path} has scores of the lines 1 to {n}, and the text files have {last}, of "
                         f"which line {out} is left out. Expected the numbers of the lines in these files; or no "
                         "numbers, where there is a row for each line that is not left out.")


def _read_ids(path: FilePath, testset: TestSet) -> dict[int | str, int]:
    """{id: line} of a file with an id per line."""
    ids, last = read_lines(path, IDS), max(testset.lines)
    if len(ids) not in (testset.n_segments, last):
        raise InputError(f"{show_name(path)} has {len(ids)} lines, the texts have {_count_lines(testset)} (a canary at "
                         "their end does not count). Expected an id for each line.")
    line_of: dict[int | str, int] = {}
    for line, text in zip(range(1, last + 1) if len(ids) == last else testset.lines, ids, strict=True):
        key = as_key(text, f"{show_name(path)}, line {line}: the id")
        if line_of.setdefault(key, line) != line:
            raise InputError(f"{show_name(path)}, line {line}: the id {show_name(text)!r} stands in line "
                             f"{line_of[key]} too. Expected another one for each line.")
    return line_of


def _list_lines(ratings: Sequence[Rating]) -> list[int | str]:
    """All lines that have a rating, in order."""
    counted = {one.file.n_rows: one.file for one in ratings if one.file.n_rows is not None}
    if len(counted) > 1:
        (n, first), (m, second), *_ = counted.items()
        raise InputError(f"{second.path} has {m} rows, {first.path} has {n}, and no column 'line' says which is which. "
                         "Expected as many in both; or add that column.")
    numbered = next((one for one in ratings if isinstance(one.line, int)), None)
    named = next((one for one in ratings if isinstance(one.line, str)), None)
    if numbered is not None and named is not None:
        raise InputError(f"{named.where}: the line is {show_name(str(named.line))!r}, while {numbered.file.path} has "
                         "numbers. Expected numbers throughout, or ids throughout.")
    if zero := next((one for one in ratings if one.line == 0), None):
        raise InputError(f"{zero.where}: there is no line 0. Lines are counted from 1: add 1 to each.")
    lines = dict.fromkeys(one.line for one in ratings)
    return sorted(lines) if named is None else list(lines)


def _list_groups(ratings: Iterable[Rating], lines: Iterable[int | str], what: str) -> list[str] | None:
    """The document or the domain of each line, None without any."""
    group_of: dict[int | str, str] = {}
    for rating in ratings:
        _note(group_of, rating.line, rating, what)
    if not group_of:
        return None
    if (without := next((line for line in lines if line not in group_of), None)) is not None:
        raise InputError(f"Line {show_name(str(without))} has no {'docid' if what == 'document' else what} in any "
                         "table, others have. Give one for every line, or leave the column out.")
    return [group_of[line] for line in lines]


def _note(group_of: dict[int | str, str], line: int | str, rating: Rating, what: str) -> None:
    """Note the document or domain that a row names for a line; refuse another than rows before named."""
    name: str | None = getattr(rating, what)
    if name is not None and group_of.setdefault(line, name) != name:
        raise InputError(f"{rating.where}: line {rating.line} is of {what} {show_name(name)}, and of "
                         f"{show_name(group_of[line])} before. Expected one {what} for each line.")


def _freeze_scores(scores: Mapping[str, Mapping[str, Sequence[float | None]]], lower_is_better: Collection[str],
                   higher_is_better: Collection[str]) -> tuple[dict[str, SegmentScores], tuple[str, ...]]:
    """The scores with their directions, and a sentence for each that says what was assumed of it."""
    assumed = tuple(explain_direction(name, (score for own in by_system.values() for score in own), lower_is_better,
                                      higher_is_better) for name, by_system in scores.items())
    return {name: SegmentScores(by_system, name not in lower_is_better) for name, by_system in scores.items()}, assumed


def explain_direction(name: str, scores: Iterable[float | None], lower_is_better: Collection[str],
                      higher_is_better: Collection[str]) -> str:
    """A sentence: which scores of a table are taken as better, and why."""
    if name in lower_is_better or name in higher_is_better:
        return f"{name}: {'lower' if name in lower_is_better else 'higher'} is better, as was said."
    known = find_direction(name, scores)
    if known is not None and not known.higher_is_better:
        raise SettingError(f"Is higher better, or lower? By its name and its range lower may be better in "
                           f"{show_name(name)}, and nothing says so. Say which.",
                           {"lower_is_better": name}, {"higher_is_better": name})
    return f"{name}: higher is better, as nothing else was said." if known is None else f"{known.why}."


def _suggest(name: str, known: Iterable[str]) -> str:
    near = find_closest(name, islice(known, 10_000))
    return "" if near is None else f" Did you mean {show_name(near)}?"
