"""Numbers as the papers print them, read late from `published.toml`: ``papers.KOEHN_T1`` is a `PublishedTable`."""

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
    """One table of a paper: authors, year and number, what it was measured on, and rows by metric (as in `METRICS`)."""

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
    return {name: PublishedTable(table["source"], table["about"], _freeze(table["columns"]),
                                 {metric: _freeze(rows) for metric, rows in table["rows"].items()})
            for name, table in tomllib.loads(text).items()}


def _freeze(value: Any) -> Any:
    """Lists as tuples, and None for nan, which TOML has in its place."""
    if isinstance(value, list):
        return tuple(map(_freeze, value))
    return None if isinstance(value, float) and math.isnan(value) else value


def by_size(metric: str, size: int, n_units: int) -> tuple[float, float] | None:
    """Table 2 of Zhang and Vogel at the same share of a test set, as fractions; None for other sizes and metrics.

    >>> by_size("human", 20, 100), by_size("bleu", 30, 100)
    ((-0.0337, 0.0342), None)
    """
    return next((_fractions(*ends) for percent, *ends in _read_tables()["ZHANG_VOGEL_2"].rows.get(metric, ())
                 if _is_share(percent, size, n_units)), None)


def by_references(metric: str, references: int, size: int, n_units: int) -> tuple[float, float] | None:
    """Table 4 of Zhang and Vogel, of all of a test set Table 3, as fractions; None for what they do not have.

    >>> by_references("nist", 1, 60, 100), by_references("bleu", 4, 100, 100), by_references("bleu", 1, 60, 100)
    ((-0.0264, 0.0266), (-0.0435, 0.0441), None)
    """
    tables = _read_tables()
    printed = {(100, count): ends for count, _, *ends in tables["ZHANG_VOGEL_3"].rows.get(metric, ())}
    printed |= {(percent, count): ends for percent, *row in tables["ZHANG_VOGEL_4"].rows.get(metric, ())
                for count, ends in enumerate(row, 1)}
    return next((_fractions(*ends) for (percent, count), ends in printed.items()
                 if count == references and _is_share(percent, size, n_units)), None)


def _is_share(percent: float, size: int, n_units: int) -> bool:
    return size == round(percent / 100 * n_units)


def _fractions(low: float, high: float) -> tuple[float, float]:
    return round(low / 100, 6), round(high / 100, 6)
