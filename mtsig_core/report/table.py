"""`Table`: columns with a kind, and raw values. Each format has one renderer that takes any table.

A table knows no format: text, LaTeX, HTML, CSV, JSON, the notebook and the screen write the same
values by the kind of their column. To find a column, ask by its key; titles are for readers only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, NamedTuple

# -------------------------------------------------------------------------------------------------
# Numbers as text.


#: A value, and the bounds of its interval, if it has one.
BoundedValue = tuple[float, float | None, float | None]


class Cell(str):
    """The text of a value that is not written as the form of its column says.

    Tables are sorted by the `value`, and files have it.

    >>> p = Cell("1.0e-05", 0.00001)
    >>> p, p.value
    ('1.0e-05', 1e-05)
    """

    value: Any

    def __new__(cls, text: str, value: Any) -> Cell:
        """Make a text that remembers the value."""
        cell = super().__new__(cls, text)
        cell.value = value
        return cell

    def __getnewargs__(self) -> tuple[Any, ...]:  # for copies: figures hold such text, too
        return str(self), self.value


def number(value: float | None, form: str = ".2f") -> str:
    """Format a number; a dash for None.

    >>> number(1.25, "+.1f"), number(None)
    ('+1.2', '-')
    """
    if value is None:
        return "-"
    return Cell(f"{value:{form}}", value)


def format_p(p: float | None) -> str:
    """Format a p-value, never as 0; a dash for None.

    >>> format_p(0.03125), format_p(1e-5), format_p(None)
    ('0.0312', '1.0e-05', '-')
    """
    form = ".4f"
    if p is not None and p < 0.0001:
        form = ".1e"
    return number(p, form)


def rank_interval(low: int | None, high: int | None) -> Cell:
    """The best and the worst rank, once where they are the same, sorted by both.

    Without ranks a dash, which comes last.

    >>> rank_interval(1, 3), rank_interval(10, 10), rank_interval(None, None)
    ('1-3', '10', '-')
    """
    if low is None or high is None:
        return Cell("-", math.inf)
    if low == high:
        return Cell(f"{low}", low)
    return Cell(f"{low}-{high}", low + high / 1000)


def signed(value: float, form: str, sign: str = "+") -> Cell:
    """A number with its sign, and no minus before a zero.

    >>> signed(-0.001, ".2f"), signed(0.25, ".2f"), signed(-0.25, ".2f", ""), signed(1502, ",.0f")
    ('+0.00', '+0.25', '-0.25', '+1,502')
    """
    text = f"{value:{sign}{form}}"
    is_zero = float(text.replace(",", "")) == 0
    if is_zero:
        text = f"{0.0:{sign}{form}}"
    return Cell(text, value)


def written_like(scores: Iterable[float]) -> str:
    """The form of scores of this size and of their differences.

    Two decimals where they are points of a hundred, four where they are shares of one, four digits,
    with the zeros at their end, where they are much smaller or larger.

    >>> written_like([61.3, 58.0]), written_like([0.8512, 0.85]), written_like([3e-6]), written_like([-5e9])
    ('.2f', '.4f', '#.4g', '.3e')
    """
    largest = max(map(abs, scores), default=0.0)
    if largest >= 1e6:
        return ".3e"
    if largest >= 2 or not largest:
        return ".2f"
    if largest >= 0.02:
        return ".4f"
    return "#.4g"


def rounded(value: float | None, sign: str = "") -> str:
    """A number of which three digits tell enough, on whatever scale.

    Such are a standard error, or a difference to plan for.

    >>> rounded(0.01234), rounded(123.4, "+"), rounded(-4321.0), rounded(1.5e-7), rounded(0.0), rounded(None)
    ('0.0123', '+123', '-4,321', '1.50e-07', '0.00', '-')
    """
    if value is None:
        return "-"
    text = f"{value:{sign}#.3g}".removesuffix(".")
    if "e+0" in text and abs(value) < 1e6:
        text = f"{value:{sign},.0f}"
    return Cell(text, value)


class CellForm(NamedTuple):
    """The format of differences where a cell has room for few digits."""

    decimals: int = 2
    power: int = 0  # of ten, that they are divided by

    @property
    def unit(self) -> str:
        """The power of ten before a unit; nothing for 1.

        >>> CellForm(2, -6).unit
        '10⁻⁶ '
        """
        if not self.power:
            return ""
        superscripts = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
        return f"10{str(self.power).translate(superscripts)} "

    def scale(self, value: float) -> float:
        """The value, divided by the power of ten."""
        return value / 10.0**self.power


def choose_cell_form(scores: Iterable[float], differences: Iterable[float]) -> CellForm:
    """For differences of such scores.

    >>> choose_cell_form([0.85, 0.83], [0.02]), choose_cell_form([3e-6], [-4e-7])
    (CellForm(decimals=4, power=0), CellForm(decimals=2, power=-7))
    """
    form = written_like(scores)
    largest = max(map(abs, differences), default=0.0)
    has_few_digits = form not in (".2f", ".4f") and largest > 0
    if has_few_digits or largest >= 1000:
        return CellForm(power=math.floor(math.log10(largest)))
    if form == ".4f":
        return CellForm(4)
    return CellForm(2)


def join_ends(low: Any, high: Any, sign: int = 1) -> tuple[Any, Any] | None:
    """Join the bounds of an interval or of ranks in a cell; None without bounds.

    A `sign` of -1 turns the difference round, and with it the bounds.

    >>> join_ends(0.5, 2.0, -1), join_ends(None, None)
    ((-2.0, -0.5), None)
    """
    if low is None or high is None:
        return None
    if sign < 0:
        return -high, -low
    return low, high


# -------------------------------------------------------------------------------------------------
# Kinds of columns.


#: A cell without meaning in its row, such as the difference of the best system to itself: it is
#: left empty. An undefined value, None, is shown as a dash.
EMPTY = ""
MISSING = "-"


@dataclass(frozen=True)
class ColumnKind:
    """The format and sorting of values of one kind."""

    name: str
    write: Callable[[Any, str], str]
    sort: Callable[[Any], float] | None = None
    side: str = ">"  # set to the left (`<`), to the right (`>`) or in the middle (`^`)
    #: Columns of files: endings of the key for several numbers, or names of columns.
    file_columns: tuple[str, ...] = ("",)

    @property
    def is_number(self) -> bool:
        """Whether its values can be sorted."""
        return self.sort is not None


def _write_text(value: object, _: str) -> str:
    return str(value)


def _write_pair(names: tuple[str, str], _: str) -> str:
    return f"{names[0]} - {names[1]}"


def _write_score(value: float, form: str) -> str:
    return signed(value, form or ".2f", "")


def _write_difference(value: float, form: str) -> str:
    return signed(value, form or ".2f")


def _write_decided(cell: tuple[float, bool], form: str) -> str:
    difference, is_significant = cell
    text = signed(difference, form)
    if is_significant:
        return f"{text} ●"
    return text


def _write_decided_p(cell: tuple[float, bool], _: str) -> str:
    p, is_significant = cell
    text = format_p(p)
    if is_significant:
        return f"● {text}"
    return text


def _write_interval(interval: tuple[float, float], form: str) -> str:
    sign = ""
    if form.startswith("+"):
        sign = "+"
        form = form.removeprefix("+")
    low, high = (signed(value, form, sign) for value in interval)
    return f"[{low}, {high}]"


def _write_relative_interval(interval: tuple[float, float], _: str) -> str:
    low, high = interval
    return f"[{low:+.2%}, {high:+.2%}]"


def _write_estimate(cell: BoundedValue, form: str) -> str:
    value, low, high = cell
    if low is None or high is None:
        return f"{value:{form}}"
    return f"{value:{form}} [{low:{form}}, {high:{form}}]"


def _write_ranks(ranks: tuple[int, int], _: str) -> str:
    return rank_interval(*ranks)


def _write_rank_change(
    cell: tuple[tuple[int, int] | None, tuple[int, int] | str | None], _: str
) -> str:
    before, now = map(_write_ranks_or_text, cell)
    if before == now:
        return before
    return f"{before} \N{RIGHTWARDS ARROW} {now}"


def _write_ranks_or_text(ranks: tuple[int, int] | str | None) -> str:
    if ranks is None:
        return MISSING
    if isinstance(ranks, str):
        return ranks
    return rank_interval(*ranks)


def _write_share(value: float, form: str) -> str:
    return number(value, form or ".3f")


def _write_count(value: int, _: str) -> str:
    return f"{value:,d}"


def _sort_first(values: Sequence[Any]) -> float:
    return float(values[0])


def _sort_ranks(ranks: tuple[int, int] | None) -> float:
    if ranks is None:
        return math.inf
    return float(rank_interval(*ranks).value)


def _sort_rank_change(cell: Sequence[Any]) -> float:
    return _sort_ranks(cell[0])


_LOW_AND_HIGH = ("_low", "_high")
_WITH_DECISION = ("", "_significant")
_KINDS = (
    ColumnKind("name", _write_text, side="<"),
    ColumnKind("pair", _write_pair, side="<", file_columns=("a", "b")),
    ColumnKind("text", _write_text, side="<"),
    ColumnKind("sign", _write_text, side="^"),  # of a matrix in text
    ColumnKind("starred", _write_text, side="^"),  # a difference with marks, of a matrix in print
    ColumnKind("matrix", _write_difference, float),  # of a matrix in numbers
    ColumnKind("score", _write_score, float),
    ColumnKind("difference", _write_difference, float),
    ColumnKind("decided", _write_decided, _sort_first, file_columns=_WITH_DECISION),
    ColumnKind("interval", _write_interval, _sort_first, file_columns=_LOW_AND_HIGH),
    ColumnKind("rank", _write_ranks, _sort_ranks, side="<", file_columns=_LOW_AND_HIGH),
    ColumnKind("rank change", _write_rank_change, _sort_rank_change),
    ColumnKind("p", lambda value, _: format_p(value), float),
    ColumnKind("decided p", _write_decided_p, _sort_first, file_columns=_WITH_DECISION),
    ColumnKind("share", _write_share, float),
    ColumnKind("count", _write_count, float),
    ColumnKind("amount", rounded, float),
    ColumnKind("estimate", _write_estimate, _sort_first, file_columns=("", *_LOW_AND_HIGH)),
    ColumnKind("written", _write_text, float),
    ColumnKind("relative", _write_relative_interval, _sort_first, file_columns=_LOW_AND_HIGH),
)
KINDS: Mapping[str, ColumnKind] = {kind.name: kind for kind in _KINDS}


@dataclass(frozen=True)
class Column:
    """One column: to find it, ask for its key."""

    key: str
    title: str
    kind: str = "text"  # one of `KINDS`
    form: str = ""  # of its numbers, such as ".2f"; an interval of differences has a "+" before it
    #: "readers" or "files" where only these have it, as files have the two names of a pair.
    where: str = ""
    is_series: bool = False  # such as one of a column for each language pair: paper has few of them

    def write(self, value: Any) -> str:
        """The text of one of its values; a text is shown as it is, among numbers too."""
        if value is None:
            return MISSING
        if isinstance(value, str):
            return value
        return KINDS[self.kind].write(value, self.form)

    def write_cell(self, value: Any) -> Any:
        """The value as a cell that keeps the form of this column in a table with other forms."""
        if value is None or isinstance(value, str) or not KINDS[self.kind].is_number:
            return value
        return Cell(self.write(value), value)

    def sort_key(self, value: Any) -> float:
        """Return what a value is sorted by; NaN for no value, so that it comes last."""
        sort = KINDS[self.kind].sort
        if isinstance(value, Cell):
            value = value.value
        if sort is None or value is None or isinstance(value, str):
            return math.nan
        return sort(value)

    def file_cells(self, value: Any) -> dict[str, Any]:
        """The value as files have it, by the names of their columns."""
        if isinstance(value, Cell):
            value = value.value
        names = []
        for name in KINDS[self.kind].file_columns:
            if not name.isalpha():  # an ending
                name = self.key + name
            names.append(name)
        if len(names) == 1:
            if value == EMPTY:
                value = None
            return {names[0]: value}
        if value is None or isinstance(value, str):
            return dict.fromkeys(names)
        return dict(zip(names, value, strict=True))


def share_cell(n: int, n_all: int) -> Cell | None:
    """A share in whole numbers, such as 3 of 4, by which it is sorted; None of none."""
    if not n_all:
        return None
    return Cell(f"{n} of {n_all}", n / n_all)


def in_print(kind: str, text: str) -> str:
    """The text of a cell with a true minus sign, and an en dash in a range or for no value.

    >>> in_print("interval", "[-0.5, +2.0]"), in_print("rank", "1-3"), in_print("name", "GPT-4")
    ('[−0.5, +2.0]', '1–3', 'GPT-4')
    """
    if text == MISSING:
        return "\N{EN DASH}"
    if kind in ("name", "pair", "text", "sign"):
        return text
    if kind in ("rank", "rank change"):
        return re.sub(r"(?<=\d)-(?=\d)", "\N{EN DASH}", text)
    return re.sub(r"(?<!e)-(?=[\d.])", "\N{MINUS SIGN}", text)


def write_cell(value: Any, kind: str, form: str) -> Any:
    """A value as a cell with a form of its own.

    >>> write_cell((0.5, 2.0), "interval", "+.1f"), write_cell(None, "score", ".1f")
    ('[+0.5, +2.0]', None)
    """
    return Column("", "", kind, form).write_cell(value)


# -------------------------------------------------------------------------------------------------
# Tables.


@dataclass(frozen=True)
class Legend:
    """What the marks of a table mean. How it marks is up to each format."""

    marked: str = ""  # of cells that stand out, such as "significant"
    ruled: str = ""  # what the lines below some rows separate, such as "clusters"
    grey: str = ""  # of rows that are set back
    dark: str = ""  # of names that are set back further

    def explain(
        self,
        table: Table,
        marked: str,
        ruled: str = "A line",
        grey: str = "",
        dark: str = "",
    ) -> list[str]:
        """The legend in sentences, by the names that a format has for its marks.

        It has no name for what it does not show.
        """
        sentences = []
        if self.marked and table.marks and marked:
            sentences.append(f"{marked}: {self.marked}.")
        if self.ruled and table.ruled:
            sentences.append(f"{ruled} separates {self.ruled}.")
        if self.grey and table.grey and grey:
            sentences.append(f"{grey}: {self.grey}.")
        if self.dark and table.dark and dark:
            sentences.append(f"{dark}: {self.dark}.")
        return sentences

    def name_shaded(self, table: Table) -> list[str]:
        """The names of the rows that are set back, for a format without shading."""
        sentences = []
        for about, rows in ((self.grey, table.grey), (self.dark, table.dark)):
            if about and rows:
                names = table.values(table.name_key())
                shaded = ", ".join(names[row] for row in sorted(rows))
                sentences.append(f"{about.capitalize()}: {shaded}.")
        return sentences


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
    #: A value for each column: None where it is undefined, `EMPTY` where meaningless.
    rows: tuple[tuple[Any, ...], ...]
    marks: Collection[tuple[int, str]] = frozenset()  # cells that stand out, by row and key
    ruled: Collection[int] = frozenset()  # rows with a line below them
    grey: Collection[int] = frozenset()  # rows that are set back
    dark: Collection[int] = frozenset()  # rows whose name is set back further
    legend: Legend = Legend()

    def __bool__(self) -> bool:
        return bool(self.rows)

    @property
    def keys(self) -> list[str]:
        """The keys of the columns, in their order."""
        return [column.key for column in self.columns]

    @property
    def titles(self) -> list[str]:
        """The titles of the columns, in their order."""
        return [column.title for column in self.columns]

    def has(self, key: str) -> bool:
        """Whether it has the column."""
        return key in self.keys

    def has_kind(self, kind: str) -> bool:
        """Whether it has a column of the kind."""
        return any(column.kind == kind for column in self.columns)

    def name_key(self) -> str:
        """The key of the first column of names for readers; nothing without one."""
        for column in self.columns:
            if column.kind == "name" and column.where != "files":
                return column.key
        return ""

    def values(self, key: str) -> list[Any]:
        """The values of one column."""
        index = self.keys.index(key)
        return [row[index] for row in self.rows]

    def texts(self) -> list[list[str]]:
        """All cells as they are read."""
        texts = []
        for row in self.rows:
            cells = zip(self.columns, row, strict=True)
            texts.append([column.write(value) for column, value in cells])
        return texts

    def for_readers(self) -> Table:
        """The same without the columns that only files have."""
        return self.without(*(column.key for column in self.columns if column.where == "files"))

    def records(self) -> list[dict[str, Any]]:
        """A mapping for each row, for files: raw values, two bounds in columns of their own."""
        records = []
        for row in self.rows:
            record: dict[str, Any] = {}
            for column, value in zip(self.columns, row, strict=True):
                if column.where != "readers":
                    record |= column.file_cells(value)
            records.append(record)
        return records

    def select(self, *keys: str) -> Table:
        """The same with these columns only, in this order; keys that it lacks are passed over."""
        indices = [self.keys.index(key) for key in keys if key in self.keys]
        columns = tuple(self.columns[k] for k in indices)
        rows = []
        for row in self.rows:
            cells = [row[k] for k in indices]
            rows.append(tuple(cells))
        marks = {(row, key) for row, key in self.marks if key in keys}
        return replace(self, columns=columns, rows=tuple(rows), marks=marks)

    def without(self, *keys: str) -> Table:
        """The same without these columns."""
        return self.select(*(key for key in self.keys if key not in keys))

    def show_only(self, *keys: str) -> Table:
        """The same with these columns only, all for readers."""
        table = self.select(*keys)
        return replace(table, columns=tuple(replace(column, where="") for column in table.columns))

    def pick_rows(self, indices: Iterable[int]) -> Table:
        """The same with these rows only, in this order."""
        indices = list(indices)
        new_index = {old: new for new, old in enumerate(indices)}
        rows = tuple(self.rows[k] for k in indices)
        marks = {(new_index[row], key) for row, key in self.marks if row in new_index}
        ruled = {new_index[row] for row in self.ruled if row in new_index}
        grey = {new_index[row] for row in self.grey if row in new_index}
        dark = {new_index[row] for row in self.dark if row in new_index}
        return replace(self, rows=rows, marks=marks, ruled=ruled, grey=grey, dark=dark)

    def add_rows(self, records: Iterable[Mapping[str, Any]]) -> Table:
        """The same with more rows, values by key; what they do not name is left empty."""
        rows = list(self.rows)
        for record in records:
            cells = [record.get(key, EMPTY) for key in self.keys]
            rows.append(tuple(cells))
        return replace(self, rows=tuple(rows))

    def with_columns(
        self, columns: Sequence[Column], values: Iterable[Sequence[Any]], after: str | None = None
    ) -> Table:
        """The same with more columns at the end, or `after` another.

        `values` has a sequence for each row.
        """
        start = len(self.columns)
        if after is not None:
            start = self.keys.index(after) + 1
        all_columns = (*self.columns[:start], *columns, *self.columns[start:])
        rows = []
        for row, new_values in zip(self.rows, values, strict=True):
            rows.append((*row[:start], *new_values, *row[start:]))
        return replace(self, columns=all_columns, rows=tuple(rows))


def join_tables(key: str, first: Column, tables: Mapping[str, Table]) -> Table:
    """Tables with the same columns one below the other; the `first` column has the table's name.

    Numbers keep the form that they have in their own table.

    >>> toy = Table("toy", (Column("n", "n", "count"),), ((1,), (2,)))
    >>> join_tables("both", Column("pair", "language pair", "name"), {"en-de": toy, "en-cs": toy}).texts()[2]
    ['en-cs', '1']
    """
    columns: tuple[Column, ...] = ()
    legend = Legend()
    rows: list[tuple[Any, ...]] = []
    marks: set[tuple[int, str]] = set()
    ruled: set[int] = set()
    grey: set[int] = set()
    dark: set[int] = set()
    for name, table in tables.items():
        start = len(rows)
        marks |= {(start + row, key) for row, key in table.marks}
        ruled |= {start + row for row in table.ruled}
        grey |= {start + row for row in table.grey}
        dark |= {start + row for row in table.dark}
        legend = table.legend
        has_other_forms = bool(columns) and columns != table.columns
        columns = columns or table.columns
        for row in table.rows:
            cells: Iterable[Any] = row
            if has_other_forms:
                cells = map(Column.write_cell, table.columns, row)
            rows.append((name, *cells))
    return Table(key, (first, *columns), tuple(rows), marks, ruled, grey, dark, legend)


Value = Callable[[Any], Any]


class TableBuilder:
    """A table that is made column by column: each has a function of the row."""

    def __init__(self, key: str, rows: Iterable[Any]):
        self.key = key
        self.rows = list(rows)
        self.columns: list[Column] = []
        self.values: list[list[Any]] = []

    def add(
        self, key: str, title: str, kind: str, value: Value | None = None, **settings: str
    ) -> None:
        """Add a column for readers and files, by default with the field of the rows by its key."""
        get_value = value or attrgetter(key)
        self.add_values(key, title, kind, [get_value(row) for row in self.rows], **settings)

    def add_values(
        self,
        key: str,
        title: str,
        kind: str,
        values: Sequence[Any],
        *,
        form: str = "",
        where: str = "",
    ) -> None:
        """Add a column with a value for each row."""
        self.columns.append(Column(key, title, kind, form, where))
        self.values.append(list(values))

    def add_for(
        self, has_readers: bool, key: str, title: str, kind: str, value: Value, form: str = ""
    ) -> None:
        """Add a column that files have, and readers only where they need it."""
        self.add(key, title, kind, value, form=form)
        if not has_readers:
            self.columns[-1] = replace(self.columns[-1], where="files")

    def build(self, ruled: Iterable[int] = (), legend: Legend = Legend()) -> Table:
        """The table, with a line below the rows that are `ruled`."""
        rows = zip(*self.values, strict=True)
        columns = tuple(self.columns)
        return Table(self.key, columns, tuple(rows), ruled=frozenset(ruled), legend=legend)
