"""Segment scores joined to a test set, or as a test set of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, suggest_name
from mtsig_core.grouping import group_values
from mtsig_core.readers.campaign_sets import add_texts, join_judgements
from mtsig_core.readers.cells import read_value, to_key
from mtsig_core.readers.columns import ScoresBySystem, show_names
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.formats import IDS
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.ratings import LineId, Rating, ScoreFile
from mtsig_core.readers.score_tables import (
    RatingGroup,
    ScoreOptions,
    ScoreTable,
    Tables,
    list_tables,
    read_groups,
)
from mtsig_core.score_names import (
    explain_direction,
    find_direction,
    find_range,
    may_be_lower,
    pick_human_scores,
)
from mtsig_core.testset import SegmentScores, TestSet, is_human, show_name

_NOTHING: Mapping[str, Any] = MappingProxyType({})


def join_scores(  # noqa: PLR0913  options of users
    testset: TestSet,
    tables: Tables,
    lower_is_better: Collection[str] = (),
    *,
    ids: FilePath | None = None,
    higher_is_better: Collection[str] = (),
    langpair: str | None = None,
    columns: Mapping[str, str] = _NOTHING,
    raters: str = "mean",
    mqm_weights: Mapping[str, float] = _NOTHING,
) -> TestSet:
    """Join segment scores from tables to a test set.

    Parameters
    ----------
    testset : TestSet
        With texts.
    tables : sequence of (str, table), or mapping of str to table
        Name of the scores, which becomes the name of a metric, and table: a file, a data frame,
        columns by name, or an array of shape (systems, segments) in the order of the test set.
        Several tables of one name are put together. Line numbers count the lines of the files of
        the test set, as in `TestSet.lines`. Scores of lines that the test set leaves out (a canary,
        another part) are left out. Scores of a reference, or of a name like a reference's (refA,
        HUMAN-B), count only if it acts as a system. If a test set has no domains, a column `domain`
        gives them, provided that it has a domain for every segment.
    lower_is_better, higher_is_better : collection of str
        Names of scores of which the lowest, or the highest, is best. For other scores the highest
        is best. But if the name belongs to a known metric whose scores in this range are errors,
        the user has to decide.
    ids : path-like, optional
        File with the id of each segment, one per line as in the files of the test set. The tables
        then have these ids in place of line numbers.
    langpair : str, optional
        The language pair to read from a table of several. By default the language pair of the test
        set.
    columns : mapping of str to str
        The columns of the tables that hold the system, the line, the score, the rater, ..., if
        their names do not show it: ``{"system": "name", "line": "no", "score": "quality"}``. For a
        table with a column for each system, ``{"systems": "A|B"}`` names these columns, and
        ``{"systems": "all"}`` selects all columns of numbers.
    raters : {"mean", "adjusted"}
        "mean" averages the ratings of a segment; "adjusted" also adds scores that are adjusted for
        raters, as in `read_scores`.
    mqm_weights : mapping of str to float
        For tables of MQM errors, weights that differ from Google's weights: of a severity, a
        category or both, such as ``{"major": 10, "minor fluency/punctuation": 0.5}``.

    Raises
    ------
    InputError
        If a table cannot be read or does not fit the test set. The message has the file, the row,
        the expected and the actual value.
    SettingError
        If a name cannot be the name of a metric, or the user has to say whether lower is better.

    Examples
    --------
    >>> texts = TestSet("toy", {"A": ["a b", "c d"], "B": ["a x", "c d"]}, {"ref": ["a b", "c d"]})
    >>> rated = join_scores(texts, {"comet": {"A": [0.9, 0.8], "B": [0.5, None]}})
    >>> rated.scores["comet"].by_system["B"]
    (0.5, None)
    """
    tables = [(name, _name_rows(table, testset)) for name, table in list_tables(tables)]
    if raters == "segments":
        raise SettingError(
            "Ratings can be segments of their own only without texts, whose segments they would be. "
            "Give the scores without texts, or take the mean.",
            {"raters": "mean"},
        )
    langpair = langpair or testset.langpair
    options = ScoreOptions(
        lower_is_better, higher_is_better, langpair, columns, raters, mqm_weights
    )
    known = {*testset.systems, *testset.references}
    finder = _LineFinder(testset, ids)
    position: dict[LineId, int] = {line: k for k, line in enumerate(testset.lines)}
    scores: dict[str, ScoresBySystem] = {}
    domain_of: dict[LineId, str] = {}
    groups = read_groups(tables, options, known)
    for name, group in groups.items():
        ratings = group.ratings
        for rating in ratings:
            if rating.system not in known and not is_human(rating.system):
                raise _explain_system(rating, testset, {rating.system for rating in ratings})
        if ids is None:
            _check_numbering(testset, ratings)
        ratings = [rating._replace(line=finder.find(rating)) for rating in ratings]
        scores[name] = _place_scores(ratings, position, f"The table {show_name(name)}")
        _add_names(domain_of, ratings, "domain")
    domains = testset.domains
    if domains is None and all(line in domain_of for line in testset.lines):
        domains = [domain_of[line] for line in testset.lines]
    judgements = join_judgements(groups, finder.find) or testset.judgements
    frozen, assumed = freeze_scores(scores, groups, options)
    return replace(
        testset,
        scores={**testset.scores, **frozen},
        domains=domains,
        assumed=(*testset.assumed, *assumed),
        judgements=judgements,
    )


def read_scores(  # noqa: PLR0913  options of users
    tables: Tables,
    lower_is_better: Collection[str] = (),
    *,
    name: str | None = None,
    higher_is_better: Collection[str] = (),
    langpair: str | None = None,
    columns: Mapping[str, str] = _NOTHING,
    raters: str = "mean",
    mqm_weights: Mapping[str, float] = _NOTHING,
) -> TestSet:
    """Make a test set of only segment scores, with the systems, lines and documents of the tables.

    Several tables are joined by system and line. Lines are in the order of their numbers. Ids that
    are not numbers keep the order of their first occurrence.

    Parameters
    ----------
    tables, lower_is_better, higher_is_better, langpair, columns, mqm_weights
        As in `join_scores`, except that arrays are not read, because they do not name systems.
    name : str, optional
        By default the name of the first file, or of the scores of the first table.
    raters : {"mean", "segments", "adjusted"}
        "mean" averages the ratings of a segment. "segments" makes each rating a segment of its own,
        as in the ranking of WMT25; two systems are then compared on the ratings of the same rater.
        "adjusted" averages them, and adds separate scores, such as ``human-adjusted``, from a least
        squares fit in which each rating is system + segment + rater.

    Raises
    ------
    InputError, SettingError
        As in `join_scores`.

    Examples
    --------
    >>> read_scores({"human": {"A": [80, 70, 90], "B": [75, 70, 60], "docid": ["x", "x", "y"]}})
    <TestSet 'human': 2 systems, 3 segments>
    """
    tables = list_tables(tables)
    options = ScoreOptions(
        lower_is_better, higher_is_better, langpair, columns, raters, mqm_weights
    )
    groups = read_groups(tables, options)
    ratings: list[Rating] = []
    for group in groups.values():
        ratings += group.ratings
    lines = _list_lines(ratings)
    systems = dict.fromkeys(rating.system for rating in ratings)
    file_name = ratings[0].file.name
    spend("systems", len(systems), "All tables together")
    check_values(len(systems) * len(lines) * len(groups), file_name)
    position = {line: k for k, line in enumerate(lines)}
    scores = {
        metric: _place_scores(group.ratings, position, group.file_name)
        for metric, group in groups.items()
    }
    frozen, assumed = freeze_scores(scores, groups, options)
    numbers: Sequence[int] = [line for line in lines if isinstance(line, int)]
    if not numbers:
        numbers = range(1, len(lines) + 1)
    if 0 in lines:
        numbers = [line + 1 for line in numbers]
        assumed.append(Assumption("lines-from-zero", {"file": file_name}))
    metric, first_table = tables[0]
    if name is None and isinstance(first_table, str | os.PathLike):
        name = Path(os.fsdecode(first_table)).name.partition(".")[0]
    no_texts: dict[str, Sequence[Any]] = {system: (None,) * len(lines) for system in systems}
    number_of = dict(zip(lines, numbers, strict=True))
    testset = TestSet(
        name or metric,
        no_texts,
        {},
        lines=numbers,
        documents=_list_names(ratings, lines, "document"),
        domains=_list_names(ratings, lines, "domain"),
        scores=frozen,
        assumed=tuple(assumed),
        judgements=join_judgements(groups, lambda rating: number_of[rating.line]),
    )
    return add_texts(testset, groups, number_of, langpair)


def find_unsettled(
    tables: Tables,
    *,
    langpair: str | None = None,
    columns: Mapping[str, str] = _NOTHING,
) -> dict[str, tuple[float, float]]:
    """Find the names of scores whose direction is unknown, each with its range.

    The file, the name or the range can give the direction. For human scores higher is better.
    """
    tables = list_tables(tables)
    names = {name for name, _ in tables}
    options = ScoreOptions(higher_is_better=names, langpair=langpair, columns=columns)
    unsettled = {}
    for name, group in read_groups(tables, options).items():
        scores = [rating.score for rating in group.ratings]
        direction = find_direction(name, scores)
        if direction is None:
            is_settled = bool(pick_human_scores([name])) and not may_be_lower(name)
        else:
            is_settled = direction.higher_is_better
        if group.higher_is_better is None and not is_settled:
            unsettled[name] = find_range(scores)
    return unsettled


def _name_rows(table: ScoreTable, testset: TestSet) -> ScoreTable:
    """A table of scores; an array gets the names of the systems to its rows."""
    if not isinstance(table, np.ndarray):
        return table
    if table.ndim != 2 or len(table) != len(testset.systems):
        raise InputError(
            f"The array of scores has the shape {table.shape}. Expected (systems, segments), here "
            f"({len(testset.systems)}, {testset.n_segments})."
        )
    return dict(zip(testset.systems, table, strict=True))


def _place_scores(
    ratings: Sequence[Rating], position: Mapping[LineId, int], location: str
) -> ScoresBySystem:
    """The scores of each system by segment, of the lines that have a position."""
    systems = dict.fromkeys(rating.system for rating in ratings)
    check_values(len(systems) * len(position), location)
    scores: ScoresBySystem = {system: [None for _ in position] for system in systems}
    for rating in ratings:
        if rating.line in position:
            scores[rating.system][position[rating.line]] = rating.score
    return scores


def _add_names(name_of: dict[LineId, str], ratings: Iterable[Rating], kind: str) -> None:
    """Add the document or domain that ratings name for their lines; refuses two of one line."""
    for rating in ratings:
        name: str | None = getattr(rating, kind)
        if name is not None and name_of.setdefault(rating.line, name) != name:
            raise InputError(
                f"{rating.location}: line {rating.line} is of {kind} {show_name(name)}, and of "
                f"{show_name(name_of[rating.line])} before. Expected one {kind} for each line."
            )


def freeze_scores(
    scores: Mapping[str, ScoresBySystem],
    groups: Mapping[str, RatingGroup],
    options: ScoreOptions,
) -> tuple[dict[str, SegmentScores], list[Assumption]]:
    """Return the scores with their directions, and what was assumed of them."""
    lower = set(options.lower_is_better)
    higher = options.higher_is_better
    for name, group in groups.items():
        if group.higher_is_better is False and name not in higher:
            lower.add(name)
    frozen = {}
    assumed = []
    for name, by_system in scores.items():
        source_name = groups[name].adjusted_from
        if source_name is None:
            values: list[float | None] = []
            for system_scores in by_system.values():
                values += system_scores
            assumed.append(explain_direction(name, values, lower, higher))
        frozen[name] = SegmentScores(by_system, (source_name or name) not in lower)
    for group in groups.values():
        assumed += group.assumed
    return frozen, assumed


# Scores joined to texts: which line of the text files a rating is for.


def _explain_system(rating: Rating, testset: TestSet, names: Iterable[str]) -> InputError:
    """The error for a system that the test set does not have; it lists such names of the table."""
    known = {*testset.systems, *testset.references}
    unknown = {name for name in names if name not in known and not is_human(name)}
    unknown.discard(rating.system)
    more = ""
    if unknown:
        more = f" Other names it does not have: {show_names(sorted(unknown))}."
    return InputError(
        f"{rating.location}: {show_name(rating.system)!r} is not a system of {testset.name}."
        f"{suggest_name(rating.system, known)} Its systems: {', '.join(map(show_name, testset.systems))}."
        f"{more} Rename the systems in the table, add their output, or remove their rows."
    )


class _LineFinder:
    """Finds the line of the text files that a rating is for, by its id where there is a file of ids."""

    def __init__(self, testset: TestSet, ids: FilePath | None):
        self._testset, self._ids = testset, ids
        self._last = max(testset.lines)
        self._line_of: dict[LineId, int] = {k: k for k in range(1, self._last + 1)}
        if ids is not None:
            self._line_of = _read_ids(ids, testset)
        documents = testset.documents or ()
        self._lines_of_document = group_values(zip(testset.lines, documents, strict=False))

    def find(self, rating: Rating) -> int:
        """The line of a rating.

        Raises
        ------
        InputError
            If the texts have no such line.
        """
        line = rating.line
        n_rows = rating.file.n_rows
        if n_rows is not None and isinstance(line, int):
            return self._find_counted(rating.file.name, line, n_rows)
        if line in self._line_of:
            return self._line_of[line]
        if self._ids is not None:
            hint = suggest_name(line, islice(map(str, self._line_of), 10_000))
            raise InputError(
                f"{rating.location}: there is no line {show_name(str(line))}.{hint} Expected one of those in "
                f"{show_name(self._ids)}."
            )
        if rating.file.table.counts_by_document:
            return self._find_in_document(rating)
        remedies = [{"ids": "FILE"}] if isinstance(line, str) else []
        raise InputError(
            f"{rating.location}: there is no line {show_name(str(line))}. Expected 1 to {self._last}, as the "
            "text files have, counted from 1; or give a file with the id of each line of the texts.",
            *remedies,
        )

    def _find_counted(self, file: str, line: int, n_rows: int) -> int:
        """The line of a row of a table that does not number its rows."""
        if n_rows == self._last:
            return line
        if n_rows != self._testset.n_segments:
            raise InputError(
                f"{file} has {n_rows} rows of scores without line numbers, the texts have "
                f"{_count_lines(self._testset)}. Expected a row for each line; or add a column 'line'."
            )
        return self._testset.lines[line - 1]

    def _find_in_document(self, rating: Rating) -> int:
        """The line of a rating that names its document, and its place there, counted from 1."""
        document = str(rating.document)
        lines = self._lines_of_document.get(document)
        match = re.search(r"(:|_###_)(\d{1,9})$", str(rating.line))
        if match is None:
            raise InputError(
                f"{rating.location}: the item {show_name(str(rating.line))} does not end with its place in the "
                "document. Give a file with the id of each line of the texts.",
                {"ids": "FILE"},
            )
        item = int(match[2])
        if match[1] != ":":  # Pearmut counts from 0
            item += 1
        if lines is None:
            raise InputError(
                f"{rating.location}: there is no document {show_name(document)} in {self._testset.name}. "
                "Expected the ids of documents as the ratings have them. Give a file of them.",
                {"docs": "FILE"},
            )
        if not 1 <= item <= len(lines):
            raise InputError(
                f"{rating.location}: the document {show_name(document)} has {len(lines)} segments, and "
                f"this is item {item}. Expected items from 1 to {len(lines)}. Check that the texts are those "
                "that were rated."
            )
        return lines[item - 1]


def _count_lines(testset: TestSet) -> str:
    """How many lines the files of a test set may have."""
    n = testset.n_segments
    last = max(testset.lines)
    return f"{last}" if n == last else f"{last}, or {n} without the excluded ones"


def _check_numbering(testset: TestSet, ratings: Sequence[Rating]) -> None:
    """Refuse lines that are numbered as if the excluded ones were not in the files."""
    n = testset.n_segments
    last = max(testset.lines)
    lines = {rating.line for rating in ratings if rating.file.n_rows is None}
    if n < last and lines == {*range(1, n + 1)}:
        excluded = min(set(range(1, n + 1)) - {*testset.lines})
        raise InputError(
            f"{ratings[0].file.name} has scores of the lines 1 to {n}, and the text files have {last}, of "
            f"which line {excluded} is excluded. Expected the numbers of the lines "
            "in these files, or no numbers and a row for each line that is not excluded."
        )


def _read_ids(path: FilePath, testset: TestSet) -> dict[LineId, int]:
    """{id: line} of a file with an id per line."""
    ids = read_lines(path, IDS)
    last = max(testset.lines)
    if len(ids) not in (testset.n_segments, last):
        raise InputError(
            f"{show_name(path)} has {len(ids)} lines, the texts have {_count_lines(testset)} (a canary at "
            "their end does not count). Expected an id for each line."
        )
    lines = range(1, last + 1) if len(ids) == last else testset.lines
    line_of: dict[LineId, int] = {}
    for line, text in zip(lines, ids, strict=True):
        key = read_value(f"{show_name(path)}, line {line}, the id", text, to_key)
        if line_of.setdefault(key, line) != line:
            raise InputError(
                f"{show_name(path)}, line {line}: the id {show_name(text)!r} is in line "
                f"{line_of[key]} too. Expected a different one for each line."
            )
    return line_of


# Scores without texts: which lines there are, and the document and domain of each.


def _list_lines(ratings: Sequence[Rating]) -> list[LineId]:
    """All lines that have a rating, in order."""
    counted: dict[int, ScoreFile] = {}
    for rating in ratings:
        if rating.file.n_rows is not None:
            counted.setdefault(rating.file.n_rows, rating.file)
    if len(counted) > 1:
        (n, first), (m, second), *_ = counted.items()
        raise InputError(
            f"{second.name} has {m} rows, {first.name} has {n}, and no column 'line' says which is which. "
            "Expected the same number in both, or that column."
        )
    numbered = [rating for rating in ratings if isinstance(rating.line, int)]
    with_ids = [rating for rating in ratings if isinstance(rating.line, str)]
    if numbered and with_ids:
        raise InputError(
            f"{with_ids[0].location}: the line is {show_name(str(with_ids[0].line))!r}, while "
            f"{numbered[0].file.name} has numbers. Expected numbers throughout, or ids throughout."
        )
    zeros = {rating.file: rating for rating in ratings if rating.line == 0}
    if zeros and zeros.keys() != {rating.file for rating in ratings}:
        first_zero = next(iter(zeros.values()))
        raise InputError(
            f"{first_zero.location}: the line is 0, and other tables have no line 0. Count "
            "the lines of each from 1: add 1 to these."
        )
    lines = dict.fromkeys(rating.line for rating in ratings)
    return list(lines) if with_ids else sorted(lines)


def _list_names(ratings: Iterable[Rating], lines: Iterable[LineId], kind: str) -> list[str] | None:
    """The document or the domain of each line, None without any."""
    name_of: dict[LineId, str] = {}
    _add_names(name_of, ratings, kind)
    if not name_of:
        return None
    for line in lines:
        if line not in name_of:
            column = "docid" if kind == "document" else kind
            raise InputError(
                f"Line {show_name(str(line))} has no {column} in any "
                "table, others have. Give one for every line, or remove the column."
            )
    return [name_of[line] for line in lines]
