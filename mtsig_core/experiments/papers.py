"""Numbers as the papers print them, from `published.toml`.

``papers.KOEHN_T1`` is a `PublishedTable`; the file is read when a table is first used.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

#: Of Zhang and Vogel's test set: 878 in 100 documents.
SENTENCES_PER_DOCUMENT = 8.78


@dataclass(frozen=True)
class PublishedTable:
    """One table of a paper, with rows by metric (as in `METRICS`)."""

    source: str  # authors, year and number of the table
    about: str  # what it was measured on
    columns: tuple[Any, ...]  # names; in Koehn's Table 2 the sample sizes
    rows: Mapping[str, tuple[tuple[Any, ...], ...]]  # in the order of the columns

    def nearest(self, metric: str) -> str:
        """Return the metric itself if the table has it, else BLEU."""
        return metric if metric in self.rows else "bleu"


def __getattr__(name: str) -> PublishedTable:
    try:
        return _read_tables()[name]
    except KeyError:
        raise AttributeError(f"no published table {name!r}") from None


@cache
def _read_tables() -> dict[str, PublishedTable]:
    text = files("mtsig_core.experiments").joinpath("published.toml").read_text(encoding="utf-8")
    tables = {}
    for name, table in tomllib.loads(text).items():
        rows = {metric: _freeze(rows) for metric, rows in table["rows"].items()}
        columns = _freeze(table["columns"])
        tables[name] = PublishedTable(table["source"], table["about"], columns, rows)
    return tables


def _freeze(value: Any) -> Any:
    """Turn lists into tuples, and nan into None, which TOML does not have."""
    if isinstance(value, list):
        return tuple(_freeze(item) for item in value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def interval_at(
    metric: str, size: int, n_units: int, references: int | None = None
) -> tuple[float, float] | None:
    """Return the relative interval that Zhang and Vogel print for the same share of their test set.

    The bounds are fractions. They are from Table 2, or for a number of references from Tables 3 and
    4; None for other sizes and metrics.

    >>> interval_at("human", 20, 100), interval_at("bleu", 30, 100)
    ((-0.0337, 0.0342), None)
    >>> interval_at("nist", 60, 100, 1), interval_at("bleu", 100, 100, 4), interval_at("bleu", 60, 100, 1)
    ((-0.0264, 0.0266), (-0.0435, 0.0441), None)
    """
    if references is None:
        printed = _read_percentages("ZHANG_VOGEL_2", metric)
    else:
        printed = _read_references(metric, references)
    for percent, (low, high) in printed.items():
        if size == round(percent / 100 * n_units):
            return round(low / 100, 6), round(high / 100, 6)
    return None


def _read_percentages(table: str, metric: str) -> dict[float, tuple[Any, ...]]:
    rows = _read_tables()[table].rows.get(metric, ())
    return {percent: tuple(cells) for percent, *cells in rows}


def _read_references(metric: str, references: int) -> dict[float, Any]:
    intervals: dict[float, Any] = {}
    for n, _, *interval in _read_tables()["ZHANG_VOGEL_3"].rows.get(metric, ()):
        if n == references:
            intervals[100] = interval
    for percent, columns in _read_percentages("ZHANG_VOGEL_4", metric).items():
        if references <= len(columns):
            intervals[percent] = columns[references - 1]
    return intervals
