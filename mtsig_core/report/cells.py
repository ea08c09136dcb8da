"""Cells of tables: text to be shown, which remembers the number it was made from."""

from __future__ import annotations

from typing import Any

__all__ = ["Cell", "Table", "number"]

#: Header and rows.
Table = tuple[list[str], list[list[str]]]


class Cell(str):
    """The text of a number, for the terminal and the screen alike; a table that can be sorted goes by its `value`.

    Examples
    --------
    >>> p = Cell("1.0e-05", 0.00001)
    >>> p, p.value
    ('1.0e-05', 1e-05)
    """

    value: float

    def __new__(cls, text: str, value: float) -> Cell:
        cell = super().__new__(cls, text)
        cell.value = value
        return cell

    def __getnewargs__(self) -> tuple[Any, ...]:  # for copies: figures hold such text, too
        return str(self), self.value


def number(value: float | None, form: str = ".2f") -> str:
    """A number in some form; a dash where there is none.

    Examples
    --------
    >>> number(1.25, "+.1f"), number(None)
    ('+1.2', '-')
    """
    return "-" if value is None else Cell(f"{value:{form}}", value)
