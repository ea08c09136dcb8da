"""Cells of tables: text to be shown, which remembers the number it was made from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["Cell", "Table", "number", "signed", "written_like"]

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


def signed(value: float, form: str, sign: str = "+") -> Cell:
    """A number with its sign, and no minus before a zero.

    Examples
    --------
    >>> signed(-0.001, ".2f"), signed(0.25, ".2f"), signed(-0.25, ".2f", "")
    ('+0.00', '+0.25', '-0.25')
    """
    text = f"{value:{sign}{form}}"
    return Cell(text if float(text) else f"{0.0:{sign}{form}}", value)


def written_like(scores: Iterable[float]) -> str:
    """The form of scores of this size and of their differences: two decimals where they are points of a hundred, four
    where shares of one, four digits where much smaller or larger.

    Examples
    --------
    >>> written_like([61.3, 58.0]), written_like([0.8512, 0.85]), written_like([3e-6]), written_like([-5e9])
    ('.2f', '.4f', '.4g', '.4g')
    """
    largest = max(map(abs, scores), default=0.0)
    return ".2f" if 2 <= largest < 1e6 or not largest else ".4f" if 0.02 <= largest < 2 else ".4g"
