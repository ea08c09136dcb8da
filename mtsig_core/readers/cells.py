"""Read a value of a file as a text, a name or a number.

Only this module looks at the types of values.

JSON, workbooks, Parquet and data frames have values of any type where a text or a number is
expected. Each value is read here, once, if it has one clear reading: the number 12 as the text 12,
the text 0.5 as a number. Without a clear reading, as for true, a date or a list in place of a text,
`UnclearValueError` has the value, the expected type and the fix. `read_column` and `read_field` add
the file, the row and the column.

A value has the type `object` until it is read here, so that mypy reports code that uses it
unread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from numbers import Integral, Real
from typing import TypeVar

from mtsig_core.errors import InputError
from mtsig_core.testset import show_name

_Read = TypeVar("_Read")
_LONGEST = 40  # characters of a value in a message
_MISSING_NUMBERS = ("", '""', "na", "n/a", "nan", "none", "null", "#n/a", "<na>")
_TRUTHS = {"true": 1.0, "false": 0.0}  # such as whether a judge found a segment right
#: The types that pandas uses for a missing value, and for a missing time.
_MISSING_TYPES = ("NAType", "NaTType")
_LONGEST_WHOLE = 15  # digits of a whole number that every program writes in full
_EMPTY = "this is empty. Expected a text or a number. Fill it in, or remove the row or the column."


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()  # marks a key that a JSON record does not have; null becomes None


class UnclearValueError(Exception):
    """A value has no clear reading. The message continues after the place of the value."""


class CellError(InputError):
    """A value in a file does not have the type that its column needs."""


def read_column(
    locate: Callable[[int | str], str],
    column: str,
    rows: Sequence[tuple[int | str, Sequence[object]]],
    place: int,
    read: Callable[[object], _Read],
) -> list[_Read]:
    """The values of a column, read as texts, names or numbers.

    Parameters
    ----------
    locate : callable
        Turns the number of a row into words for a message, such as "t.jsonl, row 2".
    column : str
        Its name, for messages.
    rows : sequence
        Numbered rows of cells.
    place : int
        The position of the column among the cells.
    read : callable
        `to_text`, `to_name`, `to_number` or the like.

    Raises
    ------
    CellError
        With file, row, column, and the expected and the actual value.
    """
    values = []
    for row, cells in rows:
        try:
            values.append(read(cells[place]))
        except UnclearValueError as unclear:
            raise CellError(f"{locate(row)}, column {show_name(column)}: {unclear}") from None
    return values


def read_value(location: str, value: object, read: Callable[[object], _Read]) -> _Read:
    """Read a single value as a text, a name or a number; `location` is for messages."""
    try:
        return read(value)
    except UnclearValueError as unclear:
        raise CellError(f"{location}: {unclear}") from None


def read_field(
    location: str, record: Mapping[str, object], key: str, read: Callable[[object], _Read]
) -> _Read:
    """Read a value of a record as a text, a name or a number; a missing key counts as `ABSENT`."""
    return read_value(f"{location}, column {show_name(key)}", record.get(key, ABSENT), read)


# -- the ways to read a value ---------------------------------------------------------------------


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, null, or a missing value of pandas."""
    if value is None or value is ABSENT:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    return type(value).__name__ in _MISSING_TYPES


def is_blank(value: object) -> bool:
    """Whether a value is missing, or a text that has only spaces."""
    return is_missing(value) or isinstance(value, str) and not value.strip()


def to_text(value: object) -> str | None:
    """Read a value as a text; None for a missing value.

    >>> to_text("a b"), to_text(12), to_text(12.0), to_text(0.5), to_text(None)
    ('a b', '12', '12', '0.5', None)
    >>> to_text(True)
    Traceback (most recent call last):
    mtsig_core.readers.cells.UnclearValueError: this is true. Expected a text. Write it in quotes, or format the cell \
as text.
    """
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    number = _write_number(value)
    if number is None:
        raise UnclearValueError(
            f"this is {describe_value(value)}. Expected a text. {_advise(value)}"
        )
    return number


def to_name(value: object) -> str:
    """A name or an id: a text that is not empty, or a number.

    >>> to_name(" A "), to_name(7), to_name(7.0)
    ('A', '7', '7')
    """
    if is_blank(value):
        raise UnclearValueError(_EMPTY)
    text = value
    if not isinstance(text, str):
        text = _write_number(value)
    if text is None:
        raise UnclearValueError(
            f"this is {describe_value(value)}. Expected a text or a number. {_advise(value)}"
        )
    name = show_name(text.strip())
    if not name:
        raise UnclearValueError(_EMPTY)
    return name


def to_key(value: object) -> int | str:
    """The number of a line, or its id as it is.

    >>> to_key("3"), to_key(3.0), to_key("3.0"), to_key("d1:3")
    (3, 3, 3, 'd1:3')
    """
    text = to_name(value)
    number = text.removesuffix(".0")
    is_whole = number.isascii() and number.isdigit() and len(number) <= _LONGEST_WHOLE
    return int(number) if is_whole else text


def to_number(value: object) -> float | None:
    """Read a value as a score; None for a missing score.

    >>> to_number(" 0.5 "), to_number(1), to_number("n/a"), to_number(None)
    (0.5, 1.0, None, None)
    """
    if type(value) is float and math.isfinite(value):  # nearly all
        return value
    if _is_no_number(value):
        return None
    number = _parse_number(value)
    if number is None:
        raise UnclearValueError(
            f"the score is {describe_value(value)}. Expected a number such as 0.83, or nothing where a "
            "score is missing."
        )
    if math.isinf(number):
        raise UnclearValueError(
            f"the score is infinite ({describe_value(value)}). Expected a finite number, or nothing "
            "where a score is missing."
        )
    return None if math.isnan(number) else number


def to_object(value: object) -> Mapping[str, object]:
    """Read a value as a JSON object; a missing value becomes an empty object.

    >>> to_object({"A": 1}), to_object(None)
    ({'A': 1}, {})
    """
    if is_missing(value):
        return {}
    if not isinstance(value, Mapping):
        raise UnclearValueError(
            f'this is {describe_value(value)}. Expected an object, such as {{"refA": ...}}.'
        )
    return value


def is_number(value: object) -> bool:
    """Whether a value is a score, or a place without one."""
    try:
        to_number(value)
    except UnclearValueError:
        return False
    return True


def has_number(value: object) -> bool:
    """Whether a value is a score, not only a place without one."""
    return is_number(value) and to_number(value) is not None


def count_truths(values: Sequence[object]) -> list[object] | None:
    """The values of a column of judgements with 1 for true and 0 for false, or None.

    >>> count_truths([True, False, None]), count_truths(["TRUE", "false", "n/a"]), count_truths([True, 0.5])
    ([1.0, 0.0, None], [1.0, 0.0, 'n/a'], None)
    """
    counted: list[object] = []
    has_truth = False
    for value in values:
        truth = _find_truth(value)
        if truth is None and not _is_no_number(value):
            return None
        has_truth = has_truth or truth is not None
        counted.append(value if truth is None else truth)
    return counted if has_truth else None


def _is_truth(value: object) -> bool:
    """Whether a value is true or false, of Python or of numpy, whose type is bool_ or bool."""
    return type(value).__name__ in ("bool", "bool_")


def _find_truth(value: object) -> float | None:
    """Return 1 for true and 0 for false, also for their texts; None for any other value."""
    if _is_truth(value):
        return float(bool(value))
    if isinstance(value, str):
        return _TRUTHS.get(value.strip().lower())
    return None


def _is_no_number(value: object) -> bool:
    """Whether a value says that a score is missing."""
    return is_missing(value) or isinstance(value, str) and value.strip().lower() in _MISSING_NUMBERS


def _parse_number(value: object) -> float | None:
    """Parse a number or its text; None for other values, and for Python's form 1_000."""
    is_number = isinstance(value, Real | Decimal) and not isinstance(value, bool)
    may_be_text_of_one = isinstance(value, str) and "_" not in value
    if not is_number and not may_be_text_of_one:
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf
    except ValueError:
        return None


def _write_number(value: object) -> str | None:
    """Write a number as a text, if its form is unambiguous; None for any other value."""
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        return None
    if isinstance(value, Integral):
        is_short = abs(int(value)) < 10**_LONGEST_WHOLE
        return str(int(value)) if is_short else None
    text = repr(float(value))  # the shortest that is this number
    if "e" in text or "n" in text:  # 1e+16, inf
        return None
    return text.removesuffix(".0")


# -- words ----------------------------------------------------------------------------------------


def describe_value(value: object) -> str:
    """Describe the type of a value for a message; a long value is cut.

    >>> describe_value(True), describe_value(date(2024, 1, 2)), describe_value([1, 2]), describe_value("x")
    ('true', 'a date (2024-01-02)', 'a list ([1, 2])', "'x'")
    """
    if _is_truth(value):
        return str(bool(value)).lower()
    if isinstance(value, datetime | date | time | timedelta):
        kind = "a time" if isinstance(value, time | timedelta) else "a date"
        return f"{kind} ({str(value).removesuffix(' 00:00:00')})"
    if isinstance(value, Mapping):
        return f"an object ({show_value(value)})"
    if isinstance(value, list | tuple):
        return f"a list ({show_value(value)})"
    return show_value(value)


def show_value(value: object) -> str:
    """A value in a message as Python writes it, cut where it is long."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested a thousand deep, or of thousands of digits
        text = f"a {type(value).__name__} too large to show"
    return show_name(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def _advise(value: object) -> str:
    """How to write a value so that it can be read as a text."""
    if isinstance(value, Mapping | list | tuple):
        return "Write one text in its place."
    return "Write it in quotes, or format the cell as text."
