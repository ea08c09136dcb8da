"""Tables in JSON: objects in an array or in lines, lists by column, or as pandas and COMET write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mtsig_core.errors import InputError
from mtsig_core.readers.cells import ABSENT, read_value, show_value, to_name
from mtsig_core.readers.columns import (
    NAMES,
    InputTable,
    ListedColumns,
    NumberedRows,
    RowId,
    check_equal_lengths,
    check_unique,
    find_columns,
    join_columns,
    name_output,
    show_names,
)
from mtsig_core.readers.delimited import read_delimited
from mtsig_core.readers.limits import check_values, parse_bounded_json, spend
from mtsig_core.testset import show_name

_RECORD = 'an object such as {"system": "A", "line": 1, "score": 0.8}'
_Entries = Sequence[tuple[RowId, Any]]
_Records = list[tuple[RowId, dict[str, Any]]]


def read_text_table(text: str, name: str) -> InputTable:
    """The table in a text: JSON, which begins with a bracket, or delimited."""
    if text.lstrip()[:1] in ("{", "["):
        return read_json(text, name)
    return read_delimited(text, name)


def read_json(text: str, name: str) -> InputTable:
    """The table in JSON: objects in an array, in lines, or in the only list of an object.

    Or lists by column; or as pandas writes a table, in any orient with names of columns; or what
    COMET writes.
    """
    content = _parse(text, name)
    if isinstance(content, dict) and content:
        table = _read_object(name, content)
        if table is not None:
            return table
    return _join_records(name, _number_records(text, name, content))


def read_records(
    text: str, name: str, fits: Callable[[dict[str, Any]], bool], expected: str
) -> _Records:
    """The numbered objects of a text of JSON, in an array or in lines.

    Parameters
    ----------
    text, name : str
    fits : callable
        Whether an object is one of these records.
    expected : str
        What messages call such a record.

    Raises
    ------
    InputError
        If something else is among them.
    """
    records = _number_records(text, name, _parse(text, name), expected)
    for row, record in records:
        if not fits(record):
            raise _explain_record(name, row, record, expected)
    return records


def _parse(text: str, name: str) -> Any:
    """Parse a text as JSON; None if it is not JSON, such as a text with an object in each line."""
    try:
        return parse_bounded_json(text, name)
    except ValueError:
        return None


def _number_records(text: str, name: str, content: Any, expected: str = _RECORD) -> _Records:
    """The numbered objects of a text; `content` is the text parsed, where it can be."""
    if isinstance(content, list):
        return _check_records(name, list(enumerate(content, 1)), expected)
    entries = []
    for row, line in enumerate(text.split("\n"), 1):
        if line.strip():
            entries.append((row, _parse_row(name, row, line)))
    return _check_records(name, entries, expected)


def _parse_row(name: str, row: int, line: str) -> Any:
    try:
        return parse_bounded_json(line, f"{name}, row {row}", is_counted=True)
    except ValueError:
        raise InputError(
            f"{name}, row {row} is {show_value(line)}, which is not JSON. Expected {_RECORD}."
        ) from None


def _check_records(name: str, entries: _Entries, expected: str = _RECORD) -> _Records:
    """Refuse what is no object."""
    for row, entry in entries:
        if not isinstance(entry, dict):
            raise _explain_record(name, row, entry, expected)
    return list(entries)


def _explain_record(name: str, row: RowId, entry: object, expected: str) -> InputError:
    location = InputTable(name, [], []).locate(row)
    return InputError(f"{location} is {show_value(entry)}. Expected {expected}.")


def _join_records(name: str, records: _Records, **more: Any) -> InputTable:
    """The table of numbered objects."""
    titles: dict[str, None] = {}
    for _, record in records:
        titles |= dict.fromkeys(record)
    spend("columns", len(titles), name)
    check_values(len(titles) * len(records), name)
    rows: NumberedRows = [
        (row, [record.get(title, ABSENT) for title in titles]) for row, record in records
    ]
    return InputTable(name, list(titles), rows, **more)


def _read_object(name: str, content: Mapping[str, Any]) -> InputTable | None:
    """The table in an object; None of an object that is a row."""
    table = _read_orient(name, content)
    if table is not None:
        return table
    are_lists = all(isinstance(values, list) for values in content.values())
    if are_lists and not any(map(_is_nested, content.values())):
        return join_columns(name, content, "values")
    titles = [title for title, values in content.items() if _lists_scores(values)]
    if len(titles) > 1:
        raise InputError(
            f"{name} has {len(titles)} lists of scores: {show_names(titles)}. Expected one. Put each in "
            "a file of its own."
        )
    if titles:
        records = _check_records(name, list(enumerate(content[titles[0]], 1)))
        return _join_records(name, records)
    return _read_comet(name, content) if are_lists else None


def _is_nested(values: Sequence[object]) -> bool:
    return any(isinstance(value, dict | list) for value in values)


def _lists_scores(values: object) -> bool:
    """Whether a value is a list of objects that name their systems."""
    if not isinstance(values, list) or not values:
        return False
    return all(
        isinstance(value, dict) and find_columns(list(value), ["system"]) for value in values
    )


# As pandas writes a table.


def _read_orient(name: str, content: Mapping[str, Any]) -> InputTable | None:
    """A table as pandas writes it with orient 'table', 'split', 'columns' or 'index'."""
    data = content.get("data")
    header = content.get("columns")
    if isinstance(data, list) and isinstance(content.get("schema"), dict):
        records = _check_records(name, list(enumerate(data, 1)))
        index = [record.pop("index", None) for _, record in records]
        has_index = None not in index
        table = _join_records(name, records)
        return _add_index(name, table.list_columns(), index if has_index else None)
    if isinstance(data, list) and isinstance(header, list):
        columns = _read_split(name, header, data)
        return _add_index(name, columns, content.get("index"))
    if all(isinstance(value, dict) for value in content.values()):
        return _read_objects(name, content)
    return None


def _read_split(name: str, header: Sequence[object], data: list[Any]) -> ListedColumns:
    """The columns of a table of lists, with a list of their names."""
    titles = [
        read_value(f"{name}, name of column {place}", title, to_name)
        for place, title in enumerate(header, 1)
    ]
    check_unique(name, titles)
    for number, row in enumerate(data, 1):
        if not isinstance(row, list) or len(row) != len(titles):
            raise InputError(
                f"{name}, row {number} of 'data' is {show_value(row)}. Expected a list of "
                f"{len(titles)}, one for each of 'columns' ({show_names(titles)})."
            )
    return InputTable(name, titles, list(enumerate(data, 1))).list_columns()


def _read_objects(name: str, content: Mapping[str, Mapping[str, Any]]) -> InputTable | None:
    """The table in an object of objects, each a column or each a row, with the same keys."""
    keys = list(content)
    inner_keys = list(next(iter(content.values())))
    if any(list(values) != inner_keys for values in content.values()):
        return None
    are_keys_numbers = _are_numbers(keys)
    are_inner_numbers = _are_numbers(inner_keys)
    if are_inner_numbers and not are_keys_numbers:
        columns = {key: list(values.values()) for key, values in content.items()}
        return _add_index(name, columns, inner_keys)
    if are_keys_numbers or find_columns(inner_keys, NAMES):
        rows = content.values()
        columns = {key: [values[key] for values in rows] for key in inner_keys}
        return _add_index(name, columns, keys)
    raise InputError(
        f"{name} is an object of objects: {show_names(keys)}, and in each {show_names(inner_keys)}. Which "
        "are the columns? Expected an object for each row, as pandas writes with orient='records'."
    )


def _are_numbers(keys: Sequence[str]) -> bool:
    return all(map(str.isdigit, keys))


def _add_index(name: str, columns: ListedColumns, index: object) -> InputTable:
    """A table with the index of its rows as a column, unless it only counts them."""
    if index is not None and not isinstance(index, list):
        raise InputError(
            f"{name}: 'index' is {show_value(index)}. Expected a list, with a name or number for each "
            "row. Write it again with orient='records'."
        )
    if index is not None and "index" not in columns:
        is_count = list(map(str, index)) == list(map(str, range(len(index))))
        if not is_count:
            columns = {"index": index, **columns}
    return join_columns(name, columns, "values")


# As COMET writes scores.


def _read_comet(name: str, content: Mapping[str, list[Any]]) -> InputTable:
    """A row for each score in what ``comet-score --to_json`` writes.

    That is {output file: [{src, mt, ref, COMET}, ...]}.
    """
    entries_of: ListedColumns = {}
    entries = []
    for file, file_entries in content.items():
        system = name_output(file)
        if system in entries_of:
            raise InputError(
                f"{name} has two outputs of {show_name(system)}. Give each system an output file of its own "
                "name."
            )
        entries_of[system] = file_entries
        for line, entry in enumerate(file_entries, 1):
            if isinstance(entry, dict):
                entry = {**entry, "system": system, "line": line}
            entries.append((f"segment {line} of {show_name(file)}", entry))
    check_equal_lengths(name, entries_of, "segments")
    n_lines = len(next(iter(content.values())))
    records = _check_records(name, entries)
    return _join_records(name, records, n_lines=n_lines, score_names=("comet",))
