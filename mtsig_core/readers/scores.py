"""Tables of segment scores: human ratings, COMET and other metrics, with or without texts."""

from __future__ import annotations

import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from mtsig_core.errors import InputError, SettingError, find_closest
from mtsig_core.languages import is_langpair
from mtsig_core.readers.columns import (
    FORMS,
    NAMES,
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
from mtsig_core.readers.frames import Table, name_rows
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import FilePath, decode, read_bytes, read_lines
from mtsig_core.readers.tasks import ENDINGS, read_blocks
from mtsig_core.testset import SegmentScores, TestSet, find_direction, is_human, show_name

# Segment scores: a file of any format, or a table in memory -> a list of ratings.

_Place = dict[str, int | None]  # of the columns of a table, by what they hold
_MISSING = ("", '""', "na", "n/a", "nan", "none", "null")


@dataclass(frozen=True, slots=True)
class Rating:
    """One score: of which system, of which line (a number from 1, or an id), and its row in the file."""

    system: str
    line: int | str
    score: float | None
    document: str | None
    row: int
    domain: str | None = None


@dataclass(frozen=True)
class ScoreFile:
    """What a file says. `n_rows` is the number of lines where they are only counted, not named; else None. `table` is
    the header and the rows that it was read from, for messages; None where it was no table."""

    path: str
    ratings: list[Rating]
    n_rows: int | None = None
    table: tuple[Sequence[str], Rows] | None = None


def read_score_file(path: Table, metric: str, is_system: Callable[[str], bool] = lambda name: True
                    ) -> ScoreFile:
    """Read a table of segment scores, plain or gzipped.

    `path`: which format a file has shows in its content; else columns by name; `metric`: the name of the scores, under
    which their column may go too; `is_system`: whether a column of that name may be a system.
    """
    if not isinstance(path, str | os.PathLike):
        name = f"The table {metric}"
        return _table(name, *read_frame_rows(name, path), metric, is_system)
    name = show_name(path)
    if name.endswith(ENDINGS):
        blocks = join_columns(read_blocks(Path(os.fsdecode(path))), f"{name} has unequal numbers of scores", "scores")
        return _read_systems(name, *blocks)
    data, unpacked = read_bytes(path, SCORE_TABLE)
    if not data.strip():
        raise InputError(f"{name} is empty. {FORMS}")
    if error := find_refusal(name, data, SCORE_TABLE):
        raise error
    if reader := find_reader(data, SCORE_TABLE):
        header, rows = reader(data, name)
        return _table(name, header, rows, metric, is_system)
    text = decode(data, path, unpacked).lstrip("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        header, rows, are_systems = read_json(name, text, metric)
        return _read_systems(name, header, rows) if are_systems else _table(name, header, rows, metric, is_system)
    return _table(name, *read_delimited(name, text), metric, is_system)


def _read_systems(name: str, header: list[str], rows: Rows) -> ScoreFile:
    """The ratings of a table whose columns are known to be systems."""
    if not rows:
        raise InputError(f"{name} has no row of scores. {FORMS}")
    return replace(_wide(name, header, rows, {}, lambda system: True), table=None)


def _table(name: str, header: list[str] | None, rows: Rows, metric: str, is_system: Callable[[str], bool]) -> ScoreFile:
    if header is None or not rows:
        raise InputError(f"{name} has no row of scores. {FORMS}")
    _check_header(name, header, rows)
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise InputError(f"{name} has the column {show_name(twice[0])} twice. Rename or remove one of them.")
    header, rows = _of_one_pair(name, header, rows)
    place = {held: find_column(header, held) for held in ("system", "line", "docid", "domain")}
    own = next((k for k, column in enumerate(header) if column.lower() == metric.lower()), None)
    place["score"] = find_score(name, header, metric) if place["system"] is not None else \
        find_column(header, "score") if own is None else own
    is_long = place["system"] is not None or (place["score"] is not None and not is_system(header[place["score"]]))
    if not is_long and place["score"] is not None:  # which may be the name of a system
        is_long = header[place["score"]].lower() in ("score", "scores")
    return _long(name, header, rows, place) if is_long else _wide(name, header, rows, place, is_system)


def _check_header(name: str, header: Sequence[str], rows: Rows) -> None:
    """Raise InputError where the first row has no names: numbers stand in it, and beside them texts as below."""
    if find_column(header, "system", "line", "score", "docid") is not None:
        return
    numbers = [k for k, column in enumerate(header) if column.lower() not in _MISSING and _is_number(column) and all(
        _is_number(cells[k]) for _, cells in rows)]
    texts = [k for k in range(len(header)) if not any(_is_number(cells[k]) for _, cells in rows)]
    if not numbers or not texts:
        return
    told = "Put a row of names above it, such as system, line, score."
    if len(header) == 2 and texts == [0]:
        told = ("mt-metrics-eval writes *.seg.score so, which are read from the folder of a task, in human-scores/. Or "
                "put the names system, line, score above it, with the number of its line in each row.")
    raise InputError(f"{name} begins with {list_names(header)}, which is a row of scores. Expected the names of the "
                     f"columns first. {told}")


def _is_number(value: object) -> bool:
    if isinstance(value, str) and value.strip().lower() in _MISSING:
        return True
    try:
        return math.isfinite(float(value))  # type: ignore[arg-type]
    except (ValueError, TypeError):
        return value is None


def _of_one_pair(name: str, header: list[str], rows: Rows) -> tuple[list[str], Rows]:
    """The table without its column of language pairs; raises InputError where it has several."""
    place = find_column(header, "langpair")
    found = [] if place is None else list(dict.fromkeys(str(cells[place]).strip() for _, cells in rows))
    if place is None or not all(map(is_langpair, found)):
        return header, rows
    if len(found) > 1:
        raise InputError(f"{name} has scores of {len(found)} language pairs (column {show_name(header[place])}: "
                         f"{list_names(found)}). Expected those of one. Put the rows of each in a file of its own.")
    return [*header[:place], *header[place + 1:]], [
        (row, [*cells[:place], *cells[place + 1:]]) for row, cells in rows]


def _long(name: str, header: Sequence[str], rows: Rows, place: _Place) -> ScoreFile:
    def at(what: str) -> int:
        column = place[what]
        if column is None:
            raise InputError(f"{name} has no column {what!r}. It has: {list_names(header)}. {FORMS}")
        return column

    system, line, score = at("system"), at("line"), at("score")
    spend("systems", len({str(cells[system]) for _, cells in rows}), name)
    ratings = []
    for row, cells in rows:
        where = f"{name}, row {row}"
        ratings.append(Rating(_text(cells[system], f"{where}: system"), as_key(cells[line], f"{where}: line"),
                              _number(cells[score], where), _named(cells, place, "docid", where), row,
                              _named(cells, place, "domain", where)))
    return ScoreFile(name, ratings, table=(header, rows))


def _wide(name: str, header: Sequence[str], rows: Rows, place: _Place, is_system: Callable[[str], bool]) -> ScoreFile:
    for held, holds in (("line", "number the lines"), ("docid", "name documents"), ("domain", "name domains")):
        both = [column for column in header if column.lower() in NAMES[held]]
        if len(both) > 1:
            raise InputError(f"{name} has {list_names(both)}, each of which may {holds}. Take all but one out.")
    aside = {place.get(held) for held in ("line", "docid", "domain")}
    systems = [(k, column) for k, column in enumerate(header) if k not in aside]
    spend("systems", len(systems), name)
    if not systems or not any(is_system(column) for _, column in systems):
        raise InputError(f"{name} has neither a column 'system' nor one that is named after a system. "
                         f"It has: {list_names(header)}. {FORMS}")
    if all(_is_measured(column, [cells[k] for _, cells in rows]) for k, column in systems):
        raise InputError(f"{name} begins with numbers, {list_names(dict(systems).values())}, where the names of the "
                         "systems are expected. Put a first row of names above them.")
    if "" in header:
        raise InputError(f"{name}: column {header.index('') + 1} has no name. Name it after its system, or take it "
                         "out: pandas writes its index so, and not with to_csv(index=False).")
    ratings: list[Rating] = []
    line_place = place.get("line")
    for count, (row, cells) in enumerate(rows, 1):
        where = f"{name}, row {row}"
        line = count if line_place is None else as_key(cells[line_place], f"{where}: line")
        document, domain = (_named(cells, place, what, where) for what in ("docid", "domain"))
        ratings += [Rating(column, line, _number(cells[k], f"{where}, column {show_name(column)}"), document, row,
                           domain)
                    for k, column in systems]
    return ScoreFile(name, ratings, len(rows) if line_place is None else None, (header, rows))


def _is_measured(text: str, below: Sequence[Any]) -> bool:
    """Whether it is a score and no name; a whole number is one where it is not beside those below it."""
    try:
        number = float(text)
        values = [float(value) for value in below if value not in (None, "")] if text.isdigit() else [number]
    except (ValueError, TypeError):
        return False
    return bool(values) and min(values) <= number <= max(values)


def _named(cells: Sequence[Any], place: _Place, what: str, where: str) -> str | None:
    """What a row says of its document or domain; None without such a column."""
    column = place.get(what)
    return None if column is None else _text(cells[column], f"{where}: {what}")


def _text(value: object, where: str) -> str:
    if isinstance(value, bool | list | dict):
        raise InputError(f"{where} is {show_value(value)}. Expected a text or a number.")
    text = "" if value is None or value != value else show_name(str(value).strip())
    if not text:
        raise InputError(f"{where} is empty. Fill it in, or remove the row.")
    return text


def as_key(value: object, where: str) -> int | str:
    """A line number, or an id as it stands; raises InputError where it is empty."""
    text = _text(value, where)
    number = text.removesuffix(".0")
    return int(number) if number.isascii() and number.isdigit() and len(number) < 16 else text


def _number(value: Any, where: str) -> float | None:
    """A score, None where there is none."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _MISSING):
        return None
    try:
        odd = isinstance(value, bool | list | dict) or isinstance(value, str) and "_" in value  # 1_000 is Python's
        number = math.nan if odd else float(value)
        if math.isnan(number) and not odd:
            return None
    except OverflowError:  # a whole number of hundreds of digits
        number = math.inf
    except (ValueError, TypeError):
        number = math.nan
    if math.isnan(number):
        raise InputError(f"{where}: the score is {show_value(value)}. Expected a number such as 0.83, or nothing "
                         "where a score is missing.")
    if math.isinf(number):
        raise InputError(f"{where}: the score is infinite ({show_value(value)}). Expected a finite number, or nothing "
                         "where a score is missing.")
    return number


# Segment scores from tables, alone or joined to texts: human ratings, COMET and other neural metrics.

NamedTable = tuple[str, Table]
Tables = Sequence[NamedTable] | Mapping[str, Table]
_Entry = tuple[ScoreFile, Rating]
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
        array of shape (systems, segments) in the order of the test set. Several of one name are put together. See
        `mtsig_core.readers.scores.read_score_file`. Lines are those of the files of the test set, so
        `TestSet.lines`; scores of lines that it leaves out (a canary, another part) are left out. Scores of a
        reference, and of what is named like one (refA, HUMAN-B), count only where it acts as a system. A column
        `domain` gives the domains of a test set that has none, where it names that of every segment.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the lowest, or the highest, is best. Of others the highest is, unless the name is that
        of a known metric whose scores of this range are errors: then it is asked; see `find_direction`.
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
    tables = [(name, name_rows(table, testset)) for name, table in _tables_by_name(tables)]
    _check_names(tables, lower_is_better, higher_is_better)
    known = {*testset.systems, *testset.references}
    position = {line: k for k, line in enumerate(testset.lines)}
    last = max(position)
    line_of = {} if ids is None else _read_ids(ids, testset)
    scores: dict[str, dict[str, list[float | None]]] = {}
    domain_of: dict[int, str] = {}
    for name, ratings in _read(tables, known):
        check_values(len({rating.system for _, rating in ratings}) * testset.n_segments, f"The table {show_name(name)}")
        _check_numbering(testset, [entry for entry in ratings if ids is None and entry[0].n_rows is None], last)
        by_system = scores[name] = defaultdict(lambda: [None] * testset.n_segments)
        for file, rating in ratings:
            where = f"{file.path}, row {rating.row}"
            if rating.system not in known and not is_human(rating.system):
                raise InputError(f"{where}: {show_name(rating.system)!r} is no system of {testset.name}."
                                 f"{_nearest(rating.system, known)} It has: "
                                 f"{', '.join(map(show_name, testset.systems))}. "
                                 f"{_remedy(rating.system, [other.system for _, other in ratings], known)}")
            if ids is not None and file.n_rows is None:
                line = _line_with_id(line_of, ids, rating, where)
            else:
                line = _line_in(testset, file, rating, last, where)
            if line in position:
                by_system[rating.system][position[line]] = rating.score
            _note(domain_of, line, rating, file, "domain")
    frozen, assumed = _frozen(scores, lower_is_better, higher_is_better)
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
        As in `join_scores`; an array does not say whose its scores are.
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
    tables = _tables_by_name(tables)
    _check_names(tables, lower_is_better, higher_is_better)
    groups = list(_read(tables, None))
    everything = [entry for _, ratings in groups for entry in ratings]
    lines = _lines(everything)
    if len(lines) == 1:
        _check_single(tables, everything)
    position = {line: k for k, line in enumerate(lines)}
    systems = list(dict.fromkeys(rating.system for _, rating in everything))
    spend("systems", len(systems), "All tables together")
    check_values(len(systems) * len(lines) * len(groups), next(iter(everything))[0].path if everything else "The table")
    scores: dict[str, dict[str, list[float | None]]] = {
        metric: defaultdict(lambda: [None] * len(lines)) for metric, _ in groups}
    for metric, ratings in groups:
        for _, rating in ratings:
            scores[metric][rating.system][position[rating.line]] = rating.score
    numbers = [line for line in lines if isinstance(line, int)] or range(1, len(lines) + 1)
    no_texts: dict[str, Sequence[Any]] = {system: [None] * len(lines) for system in systems}
    if name is None:
        metric, first = tables[0]
        name = Path(os.fsdecode(first)).name.partition(".")[0] if isinstance(first, str | os.PathLike) else metric
    frozen, assumed = _frozen(scores, lower_is_better, higher_is_better)
    return TestSet(name, no_texts, {}, lines=numbers, documents=_of_lines(everything, lines, "document"),
                   domains=_of_lines(everything, lines, "domain"), scores=frozen, assumed=assumed)


def _tables_by_name(tables: Tables) -> list[NamedTable]:
    """Pairs of a name and a table, of which a mapping has each name once."""
    pairs = list(tables.items() if isinstance(tables, Mapping) else tables)
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in pairs):
        raise SettingError("Tables of scores come with the name of their scores. Expected pairs such as "
                           '[("human", table)], or {"human": table}.')
    return pairs


def _check_names(tables: Iterable[NamedTable], lower_is_better: Collection[str], higher_is_better: Collection[str]
                 ) -> None:
    """Raise SettingError unless all names can be those of metrics."""
    names = {name for name, _ in tables}
    for name in names:
        if not name.strip() or "," in name or name != name.strip():
            raise SettingError(f"{show_name(name)!r} is no name for scores: a list of metrics could not name them. "
                               "Expected a word such as human.", {"scores": "human=FILE"})
    for which, said in (("lower", lower_is_better), ("higher", higher_is_better)):
        for name in said:
            if name not in names:
                raise SettingError(f"{which.title()} is better in {show_name(name)}: there are no scores of that name. "
                                   f"There are: {', '.join(map(show_name, sorted(names))) or 'none'}.",
                                   {f"{which}_is_better": "NAME"}, {"scores": "NAME=FILE"})
    if both := sorted({*lower_is_better} & {*higher_is_better}):
        raise SettingError(f"Lower and higher are both said to be better in {show_name(both[0])}. Say one of them.")


def _read(tables: Sequence[NamedTable], known: Collection[str] | None) -> Iterator[tuple[str, list[_Entry]]]:
    """The ratings of all files of each name, without two of the same."""
    def is_system(column: str) -> bool:
        return known is None or column in known

    for name in dict.fromkeys(name for name, _ in tables):
        files = [read_score_file(path, name, is_system) for own, path in tables if own == name]
        seen: dict[tuple[str, int | str], _Entry] = {}
        for file in files:
            for rating in file.ratings:
                key = rating.system, rating.line
                if key in seen:
                    raise _second_score(file, rating, *seen[key])
                seen[key] = file, rating
        if all(rating.score is None for _, rating in seen.values()):
            raise InputError(f"{files[0].path} has no score at all: every one of {len(seen)} is missing. See whether "
                             "it is the right file.")
        yield name, list(seen.values())


def _check_single(tables: Sequence[NamedTable], entries: Sequence[_Entry]) -> None:
    """Raise InputError where there is one line, and nothing but its columns say whose scores a file has there."""
    for file, rating in entries[:1]:
        if file.n_rows == 1 and file.table and rating.document is None and isinstance(tables[0][1], str | os.PathLike):
            columns = ", ".join(show_name(rating.system) for rating in file.ratings[:12])
            raise InputError(f"{file.path} has the columns {columns} and a single row of numbers. Nothing says whether "
                             "the columns are systems. Expected the columns system, line, score; or a column for each "
                             "system and a row for each line. If it is one segment, add a column 'line'.")


def _second_score(file: ScoreFile, rating: Rating, other: ScoreFile, before: Rating) -> InputError:
    """The error for two scores of one system and line, which says wherein their rows differ."""
    also = f"row {before.row}" if other is file else f"{other.path}, row {before.row}"
    told = "Expected one for each: take the mean of several raters before."
    if other is file and file.table is not None:
        header, rows = file.table
        first, second = (next(cells for row, cells in rows if row == one.row) for one in (before, rating))
        differing = [(column, str(one), str(two)) for column, one, two in zip(header, first, second, strict=True)
                     if one != two and column not in {rating.system for rating in file.ratings}]
        for words, remedy in _SECOND:
            if found := next((one for one in differing if re.search(words, one[0], re.IGNORECASE)), None):
                told = (f"The rows differ in {show_name(found[0])}: {show_name(found[1][:40])} and "
                        f"{show_name(found[2][:40])}. {remedy}")
                break
    return InputError(f"{file.path}, row {rating.row}: {show_name(rating.system)} has a second score for line "
                      f"{show_name(str(rating.line))}; the first is in {also}. {told}")


def _line_in(testset: TestSet, file: ScoreFile, rating: Rating, last: int, where: str) -> int:
    """The line of the text files that a rating is for."""
    line, n = rating.line, testset.n_segments
    if isinstance(line, str):
        raise InputError(f"{where}: the line is {show_name(line)!r}. Expected a number, the line in the text files, "
                         "counted from 1; or give a file with the id of each line of the texts.",
                         {"ids": "FILE"})
    if file.n_rows is not None:
        if file.n_rows not in (n, last):
            wanted = f"{last}" if n == last else f"{last}, or {n} without those left out"
            raise InputError(f"{file.path} has {file.n_rows} rows of scores without line numbers, the texts have "
                             f"{wanted}. Expected a row for each line; or add a column 'line'.")
        return line if file.n_rows == last else testset.lines[line - 1]
    if not 1 <= line <= last:
        hint = " Lines are counted from 1: add 1 to each." if line == 0 else " See whether it is for these texts."
        raise InputError(f"{where}: there is no line {line}. Expected 1 to {last}, as the text files have.{hint}")
    return line


def _check_numbering(testset: TestSet, entries: Sequence[_Entry], last: int) -> None:
    """Raise InputError where lines are numbered as if those that the test set leaves out were not in its files."""
    n, lines = testset.n_segments, {rating.line for _, rating in entries}
    if n < last and lines == {*range(1, n + 1)}:
        out = min(lines - {*testset.lines})
        raise InputError(f"{entries[0][0].path} has scores of the lines 1 to {n}, and the text files have {last}, of "
                         f"which line {out} is left out. Expected the numbers of the lines in these files; or no "
                         "numbers, where there is a row for each line that is not left out.")


def _read_ids(path: FilePath, testset: TestSet) -> dict[int | str, int]:
    """{id: line} of a file with an id per line."""
    ids, (n, last) = read_lines(path, IDS), (testset.n_segments, max(testset.lines))
    if len(ids) not in (n, last):
        wanted = f"{last}" if n == last else f"{last}, or {n} without those left out"
        raise InputError(f"{show_name(path)} has {len(ids)} lines, the texts have {wanted} (a canary at their end does "
                         "not count). Expected an id for each line.")
    line_of: dict[int | str, int] = {}
    for line, text in zip(range(1, last + 1) if len(ids) == last else testset.lines, ids, strict=True):
        key = as_key(text, f"{show_name(path)}, line {line}: the id")
        if line_of.setdefault(key, line) != line:
            raise InputError(f"{show_name(path)}, line {line}: the id {show_name(text)!r} stands in line "
                             f"{line_of[key]} too. Expected another one for each line.")
    return line_of


def _line_with_id(line_of: Mapping[int | str, int], path: FilePath, rating: Rating, where: str) -> int:
    if rating.line not in line_of:
        near = _nearest(str(rating.line), list(map(str, line_of)))
        raise InputError(f"{where}: no line has the id {show_name(str(rating.line))!r}.{near} "
                         f"Expected one of those in {show_name(path)}.")
    return line_of[rating.line]


def _lines(entries: Sequence[_Entry]) -> list[int | str]:
    """All lines that have a rating, in order."""
    counted = {file.n_rows: file for file, _ in entries if file.n_rows is not None}
    if len(counted) > 1:
        (n, first), (m, second), *_ = counted.items()
        raise InputError(f"{second.path} has {m} rows, {first.path} has {n}, and no column 'line' says which is which. "
                         "Expected as many in both; or add that column.")
    numbered = next((file for file, rating in entries if isinstance(rating.line, int)), None)
    named = next(((file, rating) for file, rating in entries if isinstance(rating.line, str)), None)
    if numbered is not None and named is not None:
        file, rating = named
        raise InputError(f"{file.path}, row {rating.row}: the line is {show_name(str(rating.line))!r}, while "
                         f"{numbered.path} has numbers. Expected numbers throughout, or ids throughout.")
    zero = next(((file, rating) for file, rating in entries if rating.line == 0), None)
    if zero is not None:
        raise InputError(f"{zero[0].path}, row {zero[1].row}: there is no line 0. Lines are counted from 1: "
                         "add 1 to each.")
    lines = dict.fromkeys(rating.line for _, rating in entries)
    return sorted(lines) if named is None else list(lines)


def _of_lines(entries: Iterable[_Entry], lines: Iterable[int | str], what: str) -> list[str] | None:
    """The document or the domain of each line, None without any."""
    found: dict[int | str, str] = {}
    for file, rating in entries:
        _note(found, rating.line, rating, file, what)
    if not found:
        return None
    without = next((line for line in lines if line not in found), None)
    if without is not None:
        column = {"document": "docid"}.get(what, what)
        raise InputError(f"Line {show_name(str(without))} has no {column} in any table, others have. Give one for "
                         "every line, or leave the column out.")
    return [found[line] for line in lines]


def _note(found: dict[Any, str], line: int | str, rating: Rating, file: ScoreFile, what: str) -> None:
    """Note which document or domain a row names for a line, if any; raise InputError where another row named another.
    """
    name: str | None = getattr(rating, what)
    if name is not None and found.setdefault(line, name) != name:
        raise InputError(f"{file.path}, row {rating.row}: line {rating.line} is of {what} {show_name(name)}, and of "
                         f"{show_name(found[line])} before. Expected one {what} for each line.")


def _frozen(scores: Mapping[str, Mapping[str, Sequence[float | None]]], lower_is_better: Collection[str],
            higher_is_better: Collection[str]) -> tuple[dict[str, SegmentScores], tuple[str, ...]]:
    """The scores with their directions, and a sentence for each that says what was assumed of it."""
    assumed = [assumed_of(name, (score for own in by_system.values() for score in own), lower_is_better,
                          higher_is_better) for name, by_system in scores.items()]
    return {name: SegmentScores(by_system, name not in lower_is_better) for name, by_system in scores.items()}, tuple(
        assumed)


def assumed_of(name: str, scores: Iterable[float | None], lower_is_better: Collection[str],
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


def _remedy(name: str, names: Iterable[str], known: Collection[str]) -> str:
    """What to do about a system that is not there, and about others in the same table."""
    known = {name, *known}
    others = [other for other in dict.fromkeys(names) if other not in known and not is_human(other)]
    if not others:
        return "Rename it in the table, add its output, or take its rows out."
    listed = ", ".join(map(show_name, others[:20])) + ", ..." * (len(others) > 20)
    return f"Nor are these: {listed}. Rename them in the table, add their outputs, or take their rows out."


def _nearest(name: str, known: Iterable[str]) -> str:
    near = find_closest(name, islice(known, 10_000))
    return "" if near is None else f" Did you mean {show_name(near)}?"
