"""Tables of segment scores: human ratings, COMET and other metrics, with or without texts."""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from mtsig_core.errors import InputError, SettingError, closest
from mtsig_core.languages import is_langpair
from mtsig_core.readers.formats import IDS, SCORE_TABLE, refusal
from mtsig_core.readers.frames import Rows, Table, of_systems, score_rows
from mtsig_core.readers.limits import check_columns, check_values, spend, unpacked_size
from mtsig_core.readers.lines import FilePath, decode, parse_json, read_bytes, read_lines, shown
from mtsig_core.readers.tasks import ENDINGS, read_blocks
from mtsig_core.testset import SegmentScores, TestSet, direction_of, is_human, literal

#-----------------------------------------------------------------------------------------------------------------------
# Segment scores: TSV, CSV, JSONL, Parquet, what COMET writes, or a table in memory -> a list of ratings.


_SYSTEM = ("system", "system_name", "system_id", "sys")
_LINE = ("line", "line_number", "lineno", "segment", "segment_id", "seg", "seg_id", "sentence", "id", "index")
_SCORE = ("score", "scores", "rating", "value")
_DOCUMENT = ("docid", "doc_id", "doc", "document", "document_id")
_DOMAIN = ("domain", "domain_name")
_Place = dict[str, int | None]  # of the columns of a table, by what they hold
_PAIR = ("lp", "langs", "langpair", "langpairs", "lang_pair", "language_pair")
_MISSING = ("", '""', "na", "n/a", "nan", "none", "null")
_FORMS = ("Expected are the columns system, line, score (and docid, domain), a row for each score; or a column for "
          "each system and a row for each line.")


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

    Parameters
    ----------
    path : path-like, data frame, or mapping of str to sequence
        Which format a file has shows in its content; else columns by name.
    metric : str
        The name of the scores, under which their column may go too.
    is_system : callable
        Whether a column of that name may be a system.

    Raises
    ------
    InputError
        With the row, what was expected there, and what came.
    """
    if not isinstance(path, str | os.PathLike):
        return _table(*score_rows(path, metric), metric, is_system)
    name = shown(path)
    if name.endswith(ENDINGS):
        return _blocks(name, read_blocks(Path(os.fsdecode(path))))
    data, unpacked = read_bytes(path, SCORE_TABLE)
    if not data.strip():
        raise InputError(f"{name} is empty. {_FORMS}")
    if error := refusal(name, data, SCORE_TABLE):
        raise error
    if data.startswith(b"PAR1"):
        return _table(name, *_parquet(name, data), metric, is_system)
    text = decode(data, path, unpacked).lstrip("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        return _json(name, text, metric, is_system)
    return _table(name, *_delimited(name, text), metric, is_system)


def _blocks(name: str, found: Mapping[str, Sequence[float | None]]) -> ScoreFile:
    """A file as mt-metrics-eval has it: a block of rows for each system."""
    sizes = {system: len(scores) for system, scores in found.items()}
    if len(set(sizes.values())) != 1:
        told = ", ".join(f"{size} for {shown(system)}" for system, size in sizes.items())
        raise InputError(f"{name} has unequal numbers of scores: {told or 'none'}. Expected a row for each segment of "
                         "each system, with None where a score is missing.")
    return ScoreFile(name, [Rating(system, k, score, None, k) for system, scores in found.items()
                            for k, score in enumerate(scores, 1)], next(iter(sizes.values())))


# -- formats: each to a header and rows (number, values) ----------------------------------------------------------


def _delimited(name: str, text: str) -> tuple[list[str] | None, Rows]:
    first = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    first = re.sub('"[^"]*"', "", first)  # what is quoted parts no columns
    separator = next((sign for sign in "\t,;" if sign in first), "\t")
    spend("values", text.count(separator) + text.count("\n"), name)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True,
                        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL)
    header: list[str] | None = None
    rows: Rows = []
    gaps: Rows = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells) and len(cells) < 2:
                gaps += [(reader.line_num, [""])] * (header is not None and len(header) == 1)
                continue
            if header is None:
                header = [literal(cell.strip()) for cell in cells]
            elif len(cells) != len(header):
                raise InputError(f"{name}, row {reader.line_num} has {len(cells)} columns, the header has "
                                 f"{len(header)} ({_listed(header)}). Give every row the same columns.")
            else:  # an empty row of a single column is a score that is missing, unless it ends the file
                rows += [*gaps, (reader.line_num, cells)]
                gaps.clear()
    except csv.Error as error:
        raise InputError(f"{name}, row {reader.line_num} cannot be read: {error}. Check its quotes.") from None
    return header, rows


def _parquet(name: str, data: bytes) -> tuple[list[str], Rows]:
    from pyarrow import parquet

    try:
        check_columns(file := parquet.ParquetFile(io.BytesIO(data)), name)
        about = file.metadata
        chunks = [about.row_group(k).column(j) for k in range(about.num_row_groups) for j in range(about.num_columns)]
        spend("values", max(about.num_rows * about.num_columns, sum(chunk.num_values for chunk in chunks)), name)
        spend("mb", max(unpacked_size(data, about, name), sum(chunk.total_uncompressed_size for chunk in chunks)), name)
        # Texts that are written once and referred to by many rows are kept so, however long they are.
        table = parquet.ParquetFile(io.BytesIO(data), read_dictionary=about.schema.names).read()
        index = (table.schema.pandas_metadata or {}).get("index_columns", ())
        columns = {name: _plain(table.column(k)) for k, name in enumerate(table.column_names)
                   if name not in index or not name.startswith("__index_level_")}  # one without a name says nothing
    except (InputError, MemoryError):
        raise
    except Exception as error:  # whatever damage makes of its libraries
        reason = shown(str(error).splitlines()[0] if str(error) else type(error).__name__)[:200].rstrip(".")
        raise InputError(f"{name} is no sound Parquet file: {reason}. Write or copy it again.") from None
    return list(map(literal, columns)), list(enumerate(zip(*columns.values(), strict=True), 1))


def _plain(column: Any) -> list[Any]:
    """The values of a column; those of a dictionary are made once."""
    found: list[Any] = []
    for chunk in column.chunks:
        if hasattr(chunk, "dictionary"):  # of texts, which some programs write as bytes
            known = [value.decode() if isinstance(value, bytes) else value for value in chunk.dictionary.to_pylist()]
            found += [None if place is None else known[place] for place in chunk.indices.to_pylist()]
        else:
            found += chunk.to_pylist()
    return found


def _json(name: str, text: str, metric: str, is_system: Callable[[str], bool]) -> ScoreFile:
    try:
        whole = parse_json(text, name)
    except ValueError:
        whole = None
    if isinstance(whole, dict) and (lists := _lists(name, whole)) is not None:
        return _table(name, *lists, metric, is_system)
    records = _records(name, whole) if isinstance(whole, dict) else whole
    if records is None and isinstance(whole, dict) and whole and all(isinstance(v, list) for v in whole.values()):
        return _comet(name, whole, metric)
    if isinstance(records, list):
        entries = list(enumerate(records, 1))
    else:
        entries = [(k, _parsed(name, k, line)) for k, line in enumerate(text.split("\n"), 1) if line.strip()]
    for k, entry in entries:
        if not isinstance(entry, dict):
            raise InputError(f"{name}, row {k} is {_cut(entry)}. Expected an object such as "
                             '{"system": "A", "line": 1, "score": 0.8}.')
    header = list(dict.fromkeys(key for _, entry in entries for key in entry))
    check_values(len(header) * len(entries), name)
    place = _score_column(name, header, metric) if _column(header, _SYSTEM) is not None else None
    score = None if place is None else header[place]
    for k, entry in entries:
        if score is not None and score not in entry:
            raise InputError(f"{name}, row {k} has no {shown(score)!r}; it has {_listed(entry)}. Expected a number, or "
                             "null where a score is missing.")
    return _table(name, header, [(k, [entry.get(key) for key in header]) for k, entry in entries], metric, is_system)


def _records(name: str, whole: Mapping[str, Any]) -> list[Any] | None:
    """The only list, in an object of JSON, of objects that name a system; None without."""
    found = [key for key, values in whole.items() if isinstance(values, list) and values and all(
        isinstance(entry, dict) and _column(list(entry), _SYSTEM) is not None for entry in values)]
    if len(found) > 1:
        raise InputError(f"{name} has {len(found)} lists of scores: {_listed(found)}. Expected one. Put each in a file "
                         "of its own.")
    return list(whole[found[0]]) if found else None


def _lists(name: str, whole: Mapping[str, Any]) -> tuple[list[str], Rows] | None:
    """Header and rows of an object of JSON that has a list of values for each column, None for another."""
    for key, other in (("columns", "data"), ("schema", "data")):
        if isinstance(whole.get(key), list | dict) and isinstance(whole.get(other), list):
            raise InputError(f"{name} has {key!r} beside {other!r}, as pandas writes a table with orient 'split' or "
                             "'table'. Expected an object for each row. Write it with orient='records'.")
    if whole and all(isinstance(values, dict) for values in whole.values()) and len(
            {tuple(values) for values in whole.values()}) == 1 and len(whole) > 1:
        raise InputError(f"{name} has an object for each of {_listed(whole)}, as pandas writes a table by default. "
                         "Expected an object for each row. Write it with orient='records'.")
    if not whole or not all(isinstance(values, list) for values in whole.values()) or any(
            isinstance(value, dict | list) for values in whole.values() for value in values):
        return None
    sizes = {key: len(values) for key, values in whole.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{shown(key)} {size}" for key, size in sizes.items())
        raise InputError(f"{name} has lists of unequal length: {told}. Expected as many values in each.")
    return list(whole), list(enumerate(zip(*whole.values(), strict=True), 1))


def _parsed(name: str, row: int, line: str) -> Any:
    try:
        return parse_json(line, f"{name}, row {row}", counted=True)
    except ValueError:
        raise InputError(f"{name}, row {row} is {_cut(line)}, which is no JSON. Expected an object such as "
                         '{"system": "A", "line": 1, "score": 0.8}.') from None


def _comet(name: str, whole: Mapping[str, list[Any]], metric: str) -> ScoreFile:
    """What ``comet-score --to_json`` writes: {output file: [{src, mt, ref, COMET}, ...]}."""
    ratings = []
    sizes = {file: len(entries) for file, entries in whole.items()}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{size} for {shown(file)}" for file, size in sizes.items())
        raise InputError(f"{name} has unequal numbers of segments: {told}. Expected as many for each: score all "
                         "outputs of the same source again.")
    for file, entries in whole.items():
        system = os.path.basename(file.replace("\\", "/")).removesuffix(".gz").removesuffix(".txt")
        for k, entry in enumerate(entries, 1):
            where = f"{name}, segment {k} of {shown(file)}"
            keys = list(entry) if isinstance(entry, dict) else []
            place = _score_column(where, keys, metric, "comet")
            if place is None:
                raise InputError(f"{where} has no score: it has {_listed(keys) or _cut(entry)}. Expected what "
                                 "COMET writes as JSON, with COMET or score.")
            ratings.append(Rating(system, k, _number(entry[keys[place]], where), None, k))
    return ScoreFile(name, ratings, next(iter(sizes.values())))


# -- columns ----------------------------------------------------------------------------------------------------------


def _table(name: str, header: list[str] | None, rows: Rows, metric: str, is_system: Callable[[str], bool]) -> ScoreFile:
    if header is None or not rows:
        raise InputError(f"{name} has no row of scores. {_FORMS}")
    _check_header(name, header, rows)
    twice = sorted({column for column in header if header.count(column) > 1})
    if twice:
        raise InputError(f"{name} has the column {shown(twice[0])} twice. Rename or remove one of them.")
    header, rows = _of_one_pair(name, header, rows)
    place = {what: _column(header, known) for what, known in
             (("system", _SYSTEM), ("line", _LINE), ("docid", _DOCUMENT), ("domain", _DOMAIN))}
    place["score"] = _score_column(name, header, metric) if place["system"] is not None else \
        _column(header, (metric.lower(), *_SCORE))
    is_long = place["system"] is not None or (place["score"] is not None and not is_system(header[place["score"]]))
    if not is_long and place["score"] is not None:  # which may be the name of a system
        is_long = header[place["score"]].lower() in ("score", "scores")
    return _long(name, header, rows, place) if is_long else _wide(name, header, rows, place, is_system)


def _check_header(name: str, header: Sequence[str], rows: Rows) -> None:
    """Raise InputError where the first row has no names: numbers stand in it, and beside them texts as below."""
    if _column(header, (*_SYSTEM, *_LINE, *_SCORE, *_DOCUMENT)) is not None:
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
    raise InputError(f"{name} begins with {_listed(header)}, which is a row of scores. Expected the names of the "
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
    place = _column(header, _PAIR)
    found = [] if place is None else list(dict.fromkeys(str(cells[place]).strip() for _, cells in rows))
    if place is None or not all(map(is_langpair, found)):
        return header, rows
    if len(found) > 1:
        raise InputError(f"{name} has scores of {len(found)} language pairs (column {shown(header[place])}: "
                         f"{_listed(found)}). Expected those of one. Put the rows of each in a file of its own.")
    return [*header[:place], *header[place + 1:]], [
        (row, [*cells[:place], *cells[place + 1:]]) for row, cells in rows]


def _column(header: Sequence[str], known: Iterable[str]) -> int | None:
    lower = [column.lower() for column in header]
    return next((lower.index(key) for key in known if key in lower), None)


def _score_column(where: str, header: Sequence[str], metric: str, *others: str) -> int | None:
    """The column of the scores: that of their own name before all others, of which there may be one alone."""
    own = _column(header, (metric.lower(),))
    found = [k for k, column in enumerate(header) if column.lower() in (*_SCORE, *others)] if own is None else [own]
    if len(found) > 1:
        columns = " and ".join(shown(header[k]) for k in found)
        raise InputError(f"{where} has {columns}, and none is called {shown(metric)}. Take all but one out, or call "
                         f"the scores {columns.replace(' and ', ' or ')} themselves.")
    return found[0] if found else None


def _long(name: str, header: Sequence[str], rows: Rows, place: _Place) -> ScoreFile:
    def at(what: str) -> int:
        column = place[what]
        if column is None:
            raise InputError(f"{name} has no column {what!r}. It has: {_listed(header)}. {_FORMS}")
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
    for known, holds in ((_LINE, "number the lines"), (_DOCUMENT, "name documents"), (_DOMAIN, "name domains")):
        both = [column for column in header if column.lower() in known]
        if len(both) > 1:
            raise InputError(f"{name} has {_listed(both)}, each of which may {holds}. Take all but one out.")
    aside = {place["line"], place["docid"], place["domain"]}
    systems = [(k, column) for k, column in enumerate(header) if k not in aside]
    spend("systems", len(systems), name)
    if not systems or not any(is_system(column) for _, column in systems):
        raise InputError(f"{name} has neither a column 'system' nor one that is named after a system. "
                         f"It has: {_listed(header)}. {_FORMS}")
    if all(_is_measured(column, [cells[k] for _, cells in rows]) for k, column in systems):
        raise InputError(f"{name} begins with numbers, {_listed(dict(systems).values())}, where the names of the "
                         "systems are expected. Put a first row of names above them.")
    if "" in header:
        raise InputError(f"{name}: column {header.index('') + 1} has no name. Name it after its system, or take it "
                         "out: pandas writes its index so, and not with to_csv(index=False).")
    ratings: list[Rating] = []
    for count, (row, cells) in enumerate(rows, 1):
        where = f"{name}, row {row}"
        line = count if place["line"] is None else as_key(cells[place["line"]], f"{where}: line")
        document, domain = (_named(cells, place, what, where) for what in ("docid", "domain"))
        ratings += [Rating(column, line, _number(cells[k], f"{where}, column {shown(column)}"), document, row, domain)
                    for k, column in systems]
    return ScoreFile(name, ratings, len(rows) if place["line"] is None else None, (header, rows))


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
    column = place[what]
    return None if column is None else _text(cells[column], f"{where}: {what}")


def _text(value: object, where: str) -> str:
    if isinstance(value, bool | list | dict):
        raise InputError(f"{where} is {_cut(value)}. Expected a text or a number.")
    text = "" if value is None or value != value else literal(str(value).strip())
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
        raise InputError(f"{where}: the score is {_cut(value)}. Expected a number such as 0.83, or nothing where a "
                         "score is missing.")
    if math.isinf(number):
        raise InputError(f"{where}: the score is infinite ({_cut(value)}). Expected a finite number, or nothing where "
                         "a score is missing.")
    return number


def _cut(value: object) -> str:
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested a thousand deep, or of thousands of digits
        text = f"a {type(value).__name__} too large to show"
    return shown(text if len(text) <= 40 else f"{text[:40]}...")


def _listed(columns: Iterable[str]) -> str:
    columns = list(columns)
    return ", ".join(map(shown, columns[:12])) + (", ..." if len(columns) > 12 else "")


#-----------------------------------------------------------------------------------------------------------------------
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
    tables = [(name, of_systems(table, testset)) for name, table in _tables_by_name(tables)]
    _check_names(tables, lower_is_better, higher_is_better)
    known = {*testset.systems, *testset.references}
    position = {line: k for k, line in enumerate(testset.lines)}
    last = max(position)
    line_of = {} if ids is None else _read_ids(ids, testset)
    scores: dict[str, dict[str, list[float | None]]] = {}
    domain_of: dict[int, str] = {}
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
            columns = ", ".join(shown(rating.system) for rating in file.ratings[:12])
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
                told = (f"The rows differ in {shown(found[0])}: {shown(found[1][:40])} and {shown(found[2][:40])}. "
                        f"{remedy}")
                break
    return InputError(f"{file.path}, row {rating.row}: {shown(rating.system)} has a second score for line "
                      f"{shown(str(rating.line))}; the first is in {also}. {told}")


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
    ids, (n, last) = read_lines(path, IDS), (testset.n_segments, max(testset.lines))
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
        raise InputError(f"Line {shown(str(without))} has no {column} in any table, others have. Give one for every "
                         "line, or leave the column out.")
    return [found[line] for line in lines]


def _note(found: dict[Any, str], line: int | str, rating: Rating, file: ScoreFile, what: str) -> None:
    """Note which document or domain a row names for a line, if any; raise InputError where another row named another.
    """
    name: str | None = getattr(rating, what)
    if name is not None and found.setdefault(line, name) != name:
        raise InputError(f"{file.path}, row {rating.row}: line {rating.line} is of {what} {shown(name)}, and of "
                         f"{shown(found[line])} before. Expected one {what} for each line.")


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
    near = closest(name, islice(known, 10_000))
    return "" if near is None else f" Did you mean {shown(near)}?"
