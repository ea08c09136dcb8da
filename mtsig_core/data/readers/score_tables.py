"""Segment scores from tables, alone or joined to texts: human ratings, COMET and other neural metrics."""

from __future__ import annotations

import difflib
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from mtsig_core.data.readers.bounds import check_values, spend
from mtsig_core.data.readers.lines import FilePath, read_lines, shown
from mtsig_core.data.readers.memory import Table, of_systems
from mtsig_core.data.readers.score_files import Rating, ScoreFile, as_key, read_score_file
from mtsig_core.data.score_directions import direction_of
from mtsig_core.data.testset import SegmentScores, TestSet, is_human
from mtsig_core.errors import InputError, SettingError

__all__ = ["assumed_of", "join_scores", "read_scores"]

NamedTable = tuple[str, Table]
Tables = Sequence[NamedTable] | Mapping[str, Table]
_Entry = tuple[ScoreFile, Rating]


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
        `mtsig_core.data.readers.score_files.read_score_file`. Lines are those of the files of the test set, so
        `TestSet.lines`; scores of lines that it leaves out (a canary, another part) are left out. Scores of a
        reference, and of what is named like one (refA, HUMAN-B), count only where it acts as a system.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the lowest, or the highest, is best. Of others the highest is, unless the name is that
        of a known metric whose scores of this range are errors: then it is asked; see `direction_of`.
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
    tables = [(name, of_systems(table, testset)) for name, table in _named(tables)]
    _check_names(tables, lower_is_better, higher_is_better)
    known = {*testset.systems, *testset.references}
    position = {line: k for k, line in enumerate(testset.lines)}
    last = max(position)
    line_of = {} if ids is None else _read_ids(ids, testset)
    scores: dict[str, dict[str, list[float | None]]] = {}
    for name, ratings in _read(tables, known):
        check_values(len({rating.system for _, rating in ratings}) * testset.n_segments, f"The table {shown(name)}")
        _check_numbering(testset, [entry for entry in ratings if ids is None and entry[0].n_rows is None], last)
        by_system = scores[name] = defaultdict(lambda: [None] * testset.n_segments)
        for file, rating in ratings:
            where = f"{file.path}, row {rating.row}"
            if rating.system not in known and not is_human(rating.system):
                raise InputError(f"{where}: {shown(rating.system)!r} is no system of {testset.name}."
                                 f"{_nearest(rating.system, known)} It has: {', '.join(map(shown, testset.systems))}. "
                                 f"{_remedy(rating.system, [other.system for _, other in ratings], known)}")
            if ids is not None and file.n_rows is None:
                line = _line_with_id(line_of, ids, rating, where)
            else:
                line = _line_in(testset, file, rating, last, where)
            if line in position:
                by_system[rating.system][position[line]] = rating.score
    frozen, assumed = _frozen(scores, lower_is_better, higher_is_better)
    return replace(testset, scores={**testset.scores, **frozen}, assumed=(*testset.assumed, *assumed))


def read_scores(tables: Tables, lower_is_better: Collection[str] = (), *, name: str | None = None,
                higher_is_better: Collection[str] = ()) -> TestSet:
    """A test set of segment scores alone: systems, lines and documents are those of the tables.

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
    tables = _named(tables)
    _check_names(tables, lower_is_better, higher_is_better)
    groups = list(_read(tables, None))
    everything = [entry for _, ratings in groups for entry in ratings]
    lines = _lines(everything)
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
    return TestSet(name, no_texts, {}, lines=numbers, documents=_documents(everything, lines), scores=frozen,
                   assumed=assumed)


def _named(tables: Tables) -> list[NamedTable]:
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
            raise SettingError(f"{shown(name)!r} is no name for scores: a list of metrics could not name them. "
                               "Expected a word such as human.", {"scores": "human=FILE"})
    for which, said in (("lower", lower_is_better), ("higher", higher_is_better)):
        for name in said:
            if name not in names:
                raise SettingError(f"{which.title()} is better in {shown(name)}: there are no scores of that name. "
                                   f"There are: {', '.join(map(shown, sorted(names))) or 'none'}.",
                                   {f"{which}_is_better": "NAME"}, {"scores": "NAME=FILE"})
    if both := sorted({*lower_is_better} & {*higher_is_better}):
        raise SettingError(f"Lower and higher are both said to be better in {shown(both[0])}. Say one of them.")


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
                    other, before = seen[key]
                    also = f"row {before.row}" if other is file else f"{other.path}, row {before.row}"
                    raise InputError(f"{file.path}, row {rating.row}: {shown(rating.system)} has a second score for "
                                     f"line {shown(str(rating.line))}; the first is in {also}. Expected one for each: "
                                     "take the mean of several raters before.")
                seen[key] = file, rating
        if all(rating.score is None for _, rating in seen.values()):
            raise InputError(f"{files[0].path} has no score at all: every one of {len(seen)} is missing. See whether "
                             "it is the right file.")
        yield name, list(seen.values())


def _line_in(testset: TestSet, file: ScoreFile, rating: Rating, last: int, where: str) -> int:
    """The line of the text files that a rating is for."""
    line, n = rating.line, testset.n_segments
    if isinstance(line, str):
        raise InputError(f"{where}: the line is {shown(line)!r}. Expected a number, the line in the text files, "
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
    ids, (n, last) = read_lines(path), (testset.n_segments, max(testset.lines))
    if len(ids) not in (n, last):
        wanted = f"{last}" if n == last else f"{last}, or {n} without those left out"
        raise InputError(f"{shown(path)} has {len(ids)} lines, the texts have {wanted} (a canary at their end does not "
                         "count). Expected an id for each line.")
    line_of: dict[int | str, int] = {}
    for line, text in zip(range(1, last + 1) if len(ids) == last else testset.lines, ids, strict=True):
        key = as_key(text, f"{shown(path)}, line {line}: the id")
        if line_of.setdefault(key, line) != line:
            raise InputError(f"{shown(path)}, line {line}: the id {shown(text)!r} stands in line {line_of[key]} too. "
                             "Expected another one for each line.")
    return line_of


def _line_with_id(line_of: Mapping[int | str, int], path: FilePath, rating: Rating, where: str) -> int:
    if rating.line not in line_of:
        near = _nearest(str(rating.line), list(map(str, line_of)))
        raise InputError(f"{where}: no line has the id {shown(str(rating.line))!r}.{near} "
                         f"Expected one of those in {shown(path)}.")
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
        raise InputError(f"{file.path}, row {rating.row}: the line is {shown(str(rating.line))!r}, while "
                         f"{numbered.path} has numbers. Expected numbers throughout, or ids throughout.")
    zero = next(((file, rating) for file, rating in entries if rating.line == 0), None)
    if zero is not None:
        raise InputError(f"{zero[0].path}, row {zero[1].row}: there is no line 0. Lines are counted from 1: "
                         "add 1 to each.")
    lines = dict.fromkeys(rating.line for _, rating in entries)
    return sorted(lines) if named is None else list(lines)


def _documents(entries: Iterable[_Entry], lines: Iterable[int | str]) -> list[str] | None:
    """The document of each line, None without any."""
    found: dict[int | str, str] = {}
    for file, rating in entries:
        if rating.document is not None and found.setdefault(rating.line, rating.document) != rating.document:
            raise InputError(f"{file.path}, row {rating.row}: line {rating.line} is of document "
                             f"{shown(rating.document)}, and of {shown(found[rating.line])} before. Expected one "
                             "document for each line.")
    if not found:
        return None
    without = next((line for line in lines if line not in found), None)
    if without is not None:
        raise InputError(f"Line {shown(str(without))} has no docid in any table, others have. Give one for every line, "
                         "or leave the column out.")
    return [found[line] for line in lines]


def _frozen(scores: Mapping[str, Mapping[str, Sequence[float | None]]], lower_is_better: Collection[str],
            higher_is_better: Collection[str]) -> tuple[dict[str, SegmentScores], tuple[str, ...]]:
    """The scores with their directions, and a sentence for each that says what was assumed of it."""
    assumed = [assumed_of(name, (score for own in by_system.values() for score in own), lower_is_better,
                          higher_is_better) for name, by_system in scores.items()]
    return {name: SegmentScores(by_system, name not in lower_is_better) for name, by_system in scores.items()}, tuple(
        assumed)


def assumed_of(name: str, scores: Iterable[float | None], lower_is_better: Collection[str],
               higher_is_better: Collection[str]) -> str:
    """A sentence: which scores of a table are taken as better, and why.

    Raises
    ------
    SettingError
        If name and range say that lower may be better, and nobody says which.
    """
    if name in lower_is_better or name in higher_is_better:
        return f"{name}: {'lower' if name in lower_is_better else 'higher'} is better, as was said."
    known = direction_of(name, scores)
    if known is not None and not known.higher_is_better:
        raise SettingError(f"Is higher better, or lower? By its name and its range lower may be better in "
                           f"{shown(name)}, and nothing says so. Say which.",
                           {"lower_is_better": name}, {"higher_is_better": name})
    return f"{name}: higher is better, as nothing else was said." if known is None else f"{known.why}."


def _remedy(name: str, names: Iterable[str], known: Collection[str]) -> str:
    """What to do about a system that is not there, and about others in the same table."""
    known = {name, *known}
    others = [other for other in dict.fromkeys(names) if other not in known and not is_human(other)]
    if not others:
        return "Rename it in the table, add its output, or take its rows out."
    listed = ", ".join(map(shown, others[:20])) + ", ..." * (len(others) > 20)
    return f"Nor are these: {listed}. Rename them in the table, add their outputs, or take their rows out."


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(islice(known, 10_000)), 1)
    return f" Did you mean {shown(near[0])}?" if near else ""
