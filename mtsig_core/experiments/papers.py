"""Numbers as the papers print them, read late from `published.toml`: ``papers.KOEHN_T1`` is a
`PublishedTable`.
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
    """One table of a paper: authors, year and number, what it was measured on, and rows by metric
    (as in `METRICS`).
    """

    source: str
    about: str
    columns: tuple[Any, ...]  # names; in Koehn's Table 2 the sample sizes
    rows: Mapping[str, tuple[tuple[Any, ...], ...]]  # in the order of the columns

    def nearest(self, metric: str) -> str:
        """The metric itself where the table has it, else BLEU."""
        return metric if metric in self.rows else "bleu"


def __getattr__(name: str) -> PublishedTable:
    try:
        return _read_tables()[name]
    except KeyError:
        raise AttributeError(f"no published table {name!r}") from None


@cache
def _read_tables() -> dict[str, PublishedTable]:
    text = files("mtsig_core.experiments").joinpath("published.toml").read_text(encoding="utf-8")
    return {
        name: PublishedTable(
            table["source"],
            table["about"],
            _freeze(table["columns"]),
            {metric: _freeze(rows) for metric, rows in table["rows"].items()},
        )
        for name, table in tomllib.loads(text).items()
    }


def _freeze(value: Any) -> Any:
    """Lists as tuples, and None for nan, which TOML has in its place."""
    if isinstance(value, list):
        return tuple(map(_freeze, value))
    return None if isinstance(value, float) and math.isnan(value) else value


def interval_at(
    metric: str, size: int, n_units: int, references: int | None = None
) -> tuple[float, float] | None:
    """The relative interval, as fractions, that Zhang and Vogel print for the same share of their
    test set: in Table 2, or with so many references in Tables 3 and 4; None for other sizes and
    metrics.

    >>> interval_at("human", 20, 100), interval_at("bleu", 30, 100)
    ((-0.0337, 0.0342), None)
    >>> interval_at("nist", 60, 100, 1), interval_at("bleu", 100, 100, 4), interval_at("bleu", 60, 100, 1)
    ((-0.0264, 0.0266), (-0.0435, 0.0441), None)
    """
    two, three, four = (_read_tables()[f"ZHANG_VOGEL_{k}"].rows.get(metric, ()) for k in (2, 3, 4))
    if references is None:
        printed = {percent: ends for percent, *ends in two}
    else:
        whole = [(100, ends) for count, _, *ends in three if count == references]
        printed = dict(whole) | {
            percent: row[references - 1] for percent, *row in four if references <= len(row)
        }
    return next(
        (
            (round(low / 100, 6), round(high / 100, 6))
            for percent, (low, high) in printed.items()
            if size == round(percent / 100 * n_units)
        ),
        None,
    )
