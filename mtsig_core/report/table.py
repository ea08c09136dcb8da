"""`Table`: columns with a kind, and raw values. Each format has one renderer that takes any table.

A table knows no format: text, LaTeX, HTML, CSV, JSON, the notebook and the screen write the same
values by the kind of their column. To find a column, ask by its key; titles are for readers only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, NamedTuple

# Cells: text to be shown, which remembers the number it was made from.


class Cell(str):
    """The text of a number, for the terminal and the screen alike; a table that can be sorted goes
    by its `value`.

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


def write_p(p: float, name: str = "p") -> str:
    """A p-value in a sentence.

    >>> write_p(0.03125), write_p(1e-5, "adjusted p")
    ('p = 0.031', 'adjusted p < 0.001')
    """
    return f"{name} < 0.001" if p < 0.001 else f"{name} = {p:.3f}"


def rank_interval(low: int | None, high: int | None) -> Cell:
    """The best and the worst rank, once where they are the same, sorted by both; a dash without,
    which comes last.

    >>> rank_interval(1, 3), rank_interval(10, 10), rank_interval(None, None)
    ('1-3', '10', '-')
    """
    if low is None or high is None:
        return Cell("-", math.inf)
    return Cell(f"{low}", low) if low == high else Cell(f"{low}-{high}", low + high / 1000)


def signed(value: float, form: str, sign: str = "+") -> Cell:
    """A number with its sign, and no minus before a zero.

    >>> signed(-0.001, ".2f"), signed(0.25, ".2f"), signed(-0.25, ".2f", ""), signed(1502, ",.0f")
    ('+0.00', '+0.25', '-0.25', '+1,502')
    """
    text = f"{value:{sign}{form}}"
    return Cell(text if float(text.replace(",", "")) else f"{0.0:{sign}{form}}", value)


def written_like(scores: Iterable[float]) -> str:
    """The form of scores of this size and of their differences: two decimals where they are points
    of a hundred, four where shares of one, four digits, with the zeros at their end, where much
    smaller or larger.

    >>> written_like([61.3, 58.0]), written_like([0.8512, 0.85]), written_like([3e-6]), written_like([-5e9])
    ('.2f', '.4f', '#.4g', '.3e')
    """
    largest = max(map(abs, scores), default=0.0)
    if largest >= 1e6:
        return ".3e"
    return ".2f" if largest >= 2 or not largest else ".4f" if largest >= 0.02 else "#.4g"


def rounded(value: float | None, sign: str = "") -> str:
    """A number of which three digits tell enough, on whatever scale: a standard error, or a
    difference to plan for.

    >>> rounded(0.01234), rounded(123.4, "+"), rounded(-4321.0), rounded(1.5e-7), rounded(0.0), rounded(None)
    ('0.0123', '+123', '-4,321', '1.50e-07', '0.00', '-')
    """
    if value is None:
        return "-"
    text = f"{value:{sign}#.3g}".removesuffix(".")
    return Cell(f"{value:{sign},.0f}" if "e+0" in text and abs(value) < 1e6 else text, value)


class CellForm(NamedTuple):
    """How differences are written where a cell has room for few digits."""

    decimals: int = 2
    power: int = 0  # of ten, that they are divided by

    @property
    def unit(self) -> str:
        """The power of ten before a unit; nothing for 1.

        >>> CellForm(2, -6).unit
        '10⁻⁶ '
        """
        superscripts = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
        return f"10{str(self.power).translate(superscripts)} " if self.power else ""

    def scale(self, value: float) -> float:
        return value / 10.0**self.power


def choose_cell_form(scores: Iterable[float], differences: Iterable[float]) -> CellForm:
    """For differences of such scores.

    >>> choose_cell_form([0.85, 0.83], [0.02]), choose_cell_form([3e-6], [-4e-7])
    (CellForm(decimals=4, power=0), CellForm(decimals=2, power=-7))
    """
    form, largest = written_like(scores), max(map(abs, differences), default=0.0)
    if form not in (".2f", ".4f") and largest or largest >= 1000:
        return CellForm(power=math.floor(math.log10(largest)))
    return CellForm(4 if form == ".4f" else 2)


# Kinds of columns, and tables.

#: A cell without meaning in its row, such as the difference of the best system to itself: it is
#: left empty. A value that is undefined is None, and shown as a dash.
EMPTY = ""
MISSING = "-"
#: In the form of a column: each row has a form of its own, as where rows are of different metrics.
ROW_FORM = "*"


@dataclass(frozen=True)
class ColumnKind:
    """How values of one kind are written and sorted."""

    name: str
    write: Callable[[Any, str], str]
    sort: Callable[[Any], float] | None = None
    side: str = ">"  # set to the left (`<`), to the right (`>`) or in the middle (`^`)
    parts: tuple[str, ...] = (
        "",
    )  # columns of files: endings of the key for several numbers, or names of columns

    @property
    def is_number(self) -> bool:
        return self.sort is not None


def _write_interval(ends: tuple[float, float], form: str) -> str:
    sign, form = ("+", form[1:]) if form.startswith("+") else ("", form)
    return f"[{signed(ends[0], form, sign)}, {signed(ends[1], form, sign)}]"


def _sort_first(parts: Any) -> float:
    return float(parts[0])


def _sort_ranks(ends: tuple[int, int] | None) -> float:
    return rank_interval(*ends or (None, None)).value


def _write_rank_change(
    cell: tuple[tuple[int, int] | None, tuple[int, int] | str | None], form: str
) -> str:
    before, now = (
        MISSING if end is None else end if isinstance(end, str) else rank_interval(*end)
        for end in cell
    )
    return before if before == now else f"{before} \N{RIGHTWARDS ARROW} {now}"


def _write_estimate(cell: tuple[float, float | None, float | None], form: str) -> str:
    value, low, high = cell
    return (
        f"{value:{form}}"
        if low is None or high is None
        else f"{value:{form}} [{low:{form}}, {high:{form}}]"
    )


def join_ends(low: Any, high: Any, sign: int = 1) -> tuple[Any, Any] | None:
    """The two ends of an interval or of ranks as a cell; None where there is none.

    A difference that is turned round (`sign` -1) turns its ends.

    >>> join_ends(0.5, 2.0, -1), join_ends(None, None)
    ((-2.0, -0.5), None)
    """
    return None if low is None or high is None else (low, high) if sign > 0 else (-high, -low)


_KINDS = (
    ColumnKind("name", lambda value, _: str(value), side="<"),
    ColumnKind("pair", lambda names, _: f"{names[0]} - {names[1]}", side="<", parts=("a", "b")),
    ColumnKind("text", lambda value, _: str(value), side="<"),
    ColumnKind("sign", lambda value, _: str(value), side="^"),
    ColumnKind("score", lambda value, form: signed(value, form or ".2f", ""), float),
    ColumnKind("difference", lambda value, form: signed(value, form or ".2f"), float),
    ColumnKind(
        "decided",
        lambda cell, form: signed(cell[0], form) + " ●" * cell[1],
        _sort_first,
        parts=("", "_significant"),
    ),
    ColumnKind("interval", _write_interval, _sort_first, parts=("_low", "_high")),
    ColumnKind(
        "rank", lambda ends, _: rank_interval(*ends), _sort_ranks, side="<", parts=("_low", "_high")
    ),
    ColumnKind("rank change", _write_rank_change, lambda cell: _sort_ranks(cell[0])),
    ColumnKind("p", lambda value, _: format_p(value), float),
    ColumnKind(
        "decided p",
        lambda cell, _: "● " * cell[1] + format_p(cell[0]),
        _sort_first,
        parts=("", "_significant"),
    ),
    ColumnKind("share", lambda value, form: number(value, form or ".3f"), float),
    ColumnKind("count", lambda value, _: f"{value:,d}", float),
    ColumnKind("amount", lambda value, sign: rounded(value, sign), float),
    ColumnKind("estimate", _write_estimate, _sort_first, parts=("", "_low", "_high")),
    ColumnKind(
        "written", lambda value, _: str(value), lambda value: getattr(value, "value", math.nan)
    ),
    ColumnKind(
        "relative",
        lambda ends, _: f"[{ends[0]:+.2%}, {ends[1]:+.2%}]",
        _sort_first,
        parts=("_low", "_high"),
    ),
)
KINDS: Mapping[str, ColumnKind] = {kind.name: kind for kind in _KINDS}


@dataclass(frozen=True)
class Column:
    """One column: to find it, ask for its key."""

    key: str
    title: str
    kind: str = "text"  # one of `KINDS`
    form: str = ""  # of its numbers, such as ".2f"; an interval of differences has a "+" before it
    help: str = ""  # a sentence for where there is room to explain the title
    where: str = (
        ""  # "readers" or "files" where only these have it, as files have the two names of a pair
    )

    def write(self, value: Any, row_form: str = "", kind: str = "") -> str:
        """The text of one of its values; a text is shown as it is, among numbers too."""
        if value is None:
            return MISSING
        if isinstance(value, str):
            return value
        return KINDS[kind or self.kind].write(value, self.form.replace(ROW_FORM, row_form))

    def sort_key(self, value: Any) -> float:
        """What a value is sorted by; NaN where there is none, so that it comes last."""
        sort = KINDS[self.kind].sort
        return math.nan if sort is None or value is None or isinstance(value, str) else sort(value)

    def parts(self, value: Any) -> dict[str, Any]:
        """The value as files have it, by the names of their columns."""
        parts = KINDS[self.kind].parts
        names = [part if part.isalpha() else self.key + part for part in parts]
        if len(parts) == 1:
            return {names[0]: None if value == EMPTY else value}
        return dict(
            zip(
                names,
                [None] * len(parts) if value is None or isinstance(value, str) else value,
                strict=True,
            )
        )


@dataclass(frozen=True)
class Table:
    """Columns and rows of raw values, and what stands out.

    >>> table = Table("toy", (Column("system", "system", "name"), Column("ci", "95% CI", "interval", ".1f")),
    ...               (("A", (1.0, 2.0)), ("B", None)))
    >>> table.texts()
    [['A', '[1.0, 2.0]'], ['B', '-']]
    >>> table.select("ci").records()
    [{'ci_low': 1.0, 'ci_high': 2.0}, {'ci_low': None, 'ci_high': None}]
    """

    key: str  # in labels and files
    columns: tuple[Column, ...]
    rows: tuple[
        tuple[Any, ...], ...
    ]  # a value for each column; None where it is undefined, `EMPTY` where meaningless
    marks: Collection[tuple[int, str]] = field(
        default=frozenset()
    )  # cells that stand out, by row and key
    ruled: Collection[int] = field(default=frozenset())  # rows with a line below them
    grey: Collection[int] = field(default=frozenset())  # rows that are set back
    row_forms: tuple[str, ...] = ()  # of each row, for columns whose form is `ROW_FORM`
    other_kinds: Mapping[tuple[int, str], str] = field(
        default_factory=dict
    )  # of cells, by row and key

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def keys(self) -> list[str]:
        return [column.key for column in self.columns]

    @property
    def titles(self) -> list[str]:
        return [column.title for column in self.columns]

    def has(self, key: str) -> bool:
        return key in self.keys

    def values(self, key: str) -> list[Any]:
        """The values of one column."""
        place = self.keys.index(key)
        return [row[place] for row in self.rows]

    def texts(self) -> list[list[str]]:
        """All cells as they are read."""
        return [
            [
                column.write(value, form, self.other_kinds.get((k, column.key), ""))
                for column, value in zip(self.columns, row, strict=True)
            ]
            for k, (row, form) in enumerate(zip_longest(self.rows, self.row_forms, fillvalue=""))
        ]

    def for_readers(self) -> Table:
        """The same without the columns that only files have."""
        return self.without(*(column.key for column in self.columns if column.where == "files"))

    def records(self) -> list[dict[str, Any]]:
        """A mapping for each row, for files: raw values, two ends in columns of their own."""
        columns = [
            (k, column) for k, column in enumerate(self.columns) if column.where != "readers"
        ]
        return [
            {name: one for k, column in columns for name, one in column.parts(row[k]).items()}
            for row in self.rows
        ]

    def select(self, *keys: str) -> Table:
        """The same with these columns only, in this order; those that it does not have are passed
        over.
        """
        places = [self.keys.index(key) for key in keys if key in self.keys]
        return replace(
            self,
            columns=tuple(self.columns[k] for k in places),
            rows=tuple(tuple(row[k] for k in places) for row in self.rows),
            marks={mark for mark in self.marks if mark[1] in keys},
            other_kinds={cell: kind for cell, kind in self.other_kinds.items() if cell[1] in keys},
        )

    def without(self, *keys: str) -> Table:
        """The same without these columns."""
        return self.select(*(key for key in self.keys if key not in keys))

    def show_only(self, *keys: str) -> Table:
        """The same with these columns only, all for readers."""
        table = self.select(*keys)
        return replace(table, columns=tuple(replace(column, where="") for column in table.columns))

    def pick_rows(self, places: Iterable[int]) -> Table:
        """The same with these rows only, in this order."""
        places = list(places)
        new = {old: k for k, old in enumerate(places)}
        return replace(
            self,
            rows=tuple(self.rows[k] for k in places),
            marks={(new[row], key) for row, key in self.marks if row in new},
            ruled={new[row] for row in self.ruled if row in new},
            grey={new[row] for row in self.grey if row in new},
            row_forms=tuple(self.row_forms[k] for k in places) if self.row_forms else (),
            other_kinds={
                (new[row], key): kind for (row, key), kind in self.other_kinds.items() if row in new
            },
        )

    def add_rows(self, records: Iterable[Mapping[str, Any]]) -> Table:
        """The same with more rows, values by key; what they do not name is left empty."""
        return replace(
            self,
            rows=(
                *self.rows,
                *(tuple(record.get(key, EMPTY) for key in self.keys) for record in records),
            ),
        )

    def with_columns(
        self, columns: Sequence[Column], values: Iterable[Sequence[Any]], after: str | None = None
    ) -> Table:
        """The same with more columns, a sequence of their values for each row; at the end, or
        `after` another.
        """
        place = len(self.columns) if after is None else self.keys.index(after) + 1
        return replace(
            self,
            columns=(*self.columns[:place], *columns, *self.columns[place:]),
            rows=tuple(
                (*row[:place], *more, *row[place:])
                for row, more in zip(self.rows, values, strict=True)
            ),
        )

    def rename(self, **titles: str) -> Table:
        """The same with other titles, by key."""
        return replace(
            self,
            columns=tuple(
                replace(column, title=titles.get(column.key, column.title))
                for column in self.columns
            ),
        )


def join_tables(key: str, first: Column, tables: Mapping[str, Table]) -> Table:
    """Tables with the same columns one below the other, with a first column that says which is
    which.

    >>> one = Table("toy", (Column("n", "n", "count"),), ((1,), (2,)))
    >>> join_tables("both", Column("pair", "language pair", "name"), {"en-de": one, "en-cs": one}).texts()[2]
    ['en-cs', '1']
    """
    columns = next(iter(tables.values())).columns if tables else ()
    return Table(
        key,
        (first, *columns),
        tuple((name, *row) for name, table in tables.items() for row in table.rows),
    )
