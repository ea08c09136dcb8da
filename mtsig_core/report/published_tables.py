"""Published scores of whole systems as tables, next to what mtsig computed or alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from mtsig_core.errors import format_count
from mtsig_core.report.document import Block, Paragraph, Report, Section, TableBlock
from mtsig_core.report.table import Cell, Table, TableBuilder
from mtsig_core.schema import Records

#: By system and column, the numbers and ranks as they were printed.
_PairValues: TypeAlias = Mapping[str, Mapping[str, str]]
_RANGE = re.compile(r"\d+-\d+")
_MOST_DECIMALS = 4
NOTE = (
    "Published: mtsig did not compute these numbers. They have no segment scores, so mtsig cannot test the "
    "differences."
)


def published_values_table(values: _PairValues) -> Table:
    """The systems of a language pair, with each published column as it was printed."""
    table = TableBuilder("published", list(values))
    table.add_values("system", "system", "name", list(values))
    for column in list_columns(values):
        cells = [write_published(of_system.get(column)) for of_system in values.values()]
        table.add_values(column, f"{column} (published)", "written", cells)
    return table.build()


def list_columns(values: _PairValues) -> list[str]:
    """The columns that any system of a language pair has."""
    columns: dict[str, None] = {}
    for of_system in values.values():
        columns |= dict.fromkeys(of_system)
    return list(columns)


def write_published(text: str | None) -> Cell:
    """A number or a rank as it was printed, sorted by its value; a dash where there is none.

    Workbooks have numbers with all their digits, of which four decimals are shown.
    """
    if text is None:
        return Cell("-", None)
    if _RANGE.fullmatch(text):
        return Cell(text, float(text.partition("-")[0]))
    value = float(text)
    decimals = text.partition(".")[2]
    if len(decimals) > _MOST_DECIMALS:
        text = f"{value:.{_MOST_DECIMALS}f}"
    return Cell(text, value)


def published_blocks(published: Mapping[str, _PairValues]) -> Iterator[Block]:
    """The table of each language pair, and what the numbers are."""
    yield Paragraph(text=NOTE, role="note")
    for pair, values in published.items():
        yield TableBlock(
            table=published_values_table(values),
            title=f"Published scores of {pair}",
            caption=f"Published scores of {pair}.",
            caveats=(NOTE,),
        )


def published_records(published: Mapping[str, _PairValues]) -> Records:
    """A record for each published number."""
    records: Records = []
    for pair, values in published.items():
        for system, columns in values.items():
            for column, text in columns.items():
                labels = {"language_pair": pair, "metric": column, "system": system}
                records.append({"table": "published", **labels, "published": text})
    return records


def published_report(name: str, published: Mapping[str, _PairValues]) -> Report:
    """Published scores without anything to compare them with."""
    systems: set[str] = set()
    for values in published.values():
        systems |= values.keys()
    pairs = format_count(len(published), "language pair")
    summary = (
        f"{name}: {pairs}, {format_count(len(systems), 'system')}; published scores of systems"
    )
    blocks = [Paragraph(text=summary, role="summary"), *published_blocks(published)]
    return Report(
        f"Published scores: {name}",
        [Section("", blocks)],
        make_record=lambda: {"name": name, "published": published},
        make_rows=lambda: published_records(published),
    )
