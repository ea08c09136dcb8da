"""Cells of tables: text to be shown, which remembers the number it was made from."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


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


def format_p(p: float | None) -> str:
    """A p-value, never 0; a dash where there is none.

    >>> format_p(0.03125), format_p(1e-5), format_p(None)
    ('0.0312', '1.0e-05', '-')
    """
    return number(p, ".4f" if p is None or p >= 0.0001 else ".1e")


def rank_interval(low: int | None, high: int | None) -> Cell:
    """The best and the worst rank, once where they are the same, sorted by both; a dash without, which comes last.

    >>> rank_interval(1, 3), rank_interval(10, 10), rank_interval(None, None)
    ('1-3', '10', '-')
    """
    if low is None or high is None:
        return Cell("-", math.inf)
    return Cell(f"{low}", low) if low == high else Cell(f"{low}-{high}", low + high / 1000)


def signed(value: float, form: str, sign: str = "+") -> Cell:
    """A number with its sign, and no minus before a zero.

    Examples
    --------
    >>> signed(-0.001, ".2f"), signed(0.25, ".2f"), signed(-0.25, ".2f", ""), signed(1502, ",.0f")
    ('+0.00', '+0.25', '-0.25', '+1,502')
    """
    text = f"{value:{sign}{form}}"
    return Cell(text if float(text.replace(",", "")) else f"{0.0:{sign}{form}}", value)


def written_like(scores: Iterable[float]) -> str:
    """The form of scores of this size and of their differences: two decimals where they are points of a hundred, four
    where shares of one, four digits, with the zeros at their end, where much smaller or larger.

    Examples
    --------
    >>> written_like([61.3, 58.0]), written_like([0.8512, 0.85]), written_like([3e-6]), written_like([-5e9])
    ('.2f', '.4f', '#.4g', '.3e')
    """
    largest = max(map(abs, scores), default=0.0)
    if largest >= 1e6:
        return ".3e"
    return ".2f" if 2 <= largest or not largest else ".4f" if 0.02 <= largest else "#.4g"


def rounded(value: float | None, sign: str = "") -> str:
    """A number of which three digits tell enough, on whatever scale: a standard error, or a difference to plan for.

    Examples
    --------
    >>> rounded(0.01234), rounded(123.4, "+"), rounded(-4321.0), rounded(1.5e-7), rounded(0.0), rounded(None)
    ('0.0123', '+123', '-4,321', '1.50e-07', '0.00', '-')
    """
    if value is None:
        return "-"
    text = f"{value:{sign}#.3g}".removesuffix(".")
    return Cell(f"{value:{sign},.0f}" if "e+0" in text and abs(value) < 1e6 else text, value)


def in_small_cells(scores: Iterable[float], differences: Iterable[float]) -> tuple[int, int]:
    """How differences are written where a cell has room for few digits: the decimals, and the power of ten that they
    are divided by, which is said beside them.

    Examples
    --------
    >>> in_small_cells([28.9, 20.1], [8.8]), in_small_cells([0.85, 0.83], [0.02]), in_small_cells([3e-6], [-4e-7])
    ((2, 0), (4, 0), (2, -7))
    """
    form, largest = written_like(scores), max(map(abs, differences), default=0.0)
    if form not in (".2f", ".4f") and largest or largest >= 1000:
        return 2, math.floor(math.log10(largest))
    return 4 if form == ".4f" else 2, 0


def tens(power: int) -> str:
    """A power of ten before a unit; nothing for 1.

    >>> tens(-6), tens(0)
    ('10⁻⁶ ', '')
    """
    return f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))} " if power else ""
