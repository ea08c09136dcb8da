"""Sweeps of the test-set size as rows of text, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from mtsig_core.bootstrap_tables import percent
from mtsig_core.experiments.planning import PairPlan
from mtsig_core.experiments.references import ReferenceSweep
from mtsig_core.experiments.sizes import PairSize, SystemSize
from mtsig_core.published import ZHANG_VOGEL_2

__all__ = ["needed", "pair_rows", "plan_rows", "reference_rows", "width_rows"]

Table = tuple[list[str], list[list[str]]]


def needed(units: int | None, segments: int | None, name: str) -> str:
    """A size in words; of documents, the segments too.

    Examples
    --------
    >>> needed(120, 1800, "documents"), needed(1800, 1800, "segments"), needed(None, None, "segments")
    ('about 120 documents (1,800 segments)', 'about 1,800 segments', 'no test set of any size')
    """
    if units is None:
        return "no test set of any size"
    return f"about {units:,} {name}" + ("" if name == "segments" else f" ({segments:,} segments)")


def pair_rows(rows: Sequence[PairSize]) -> Table:
    """What was found on test sets of each size, beside what theory expects."""
    header = ["size", "segments", "test sets", "difference", "significant", "expected of parts of this set",
              "planned for fresh sets", "wrong direction"]
    return header, [[f"{row.size:,}", f"{row.segments:,.0f}", str(row.repeats),
                     "-" if row.delta is None else f"{row.delta:+.2f}", f"{row.significant:.0%}", f"{row.expected:.0%}",
                     f"{row.power:.0%}", "-" if row.wrong is None else f"{row.wrong:.1%}"] for row in rows]


def plan_rows(planned: Sequence[PairPlan], difference: float, metric: str, units: str) -> Table:
    """The size that each pair needs."""
    header = ["pair", "difference", "SE", "found here", f"{units} for {difference:g} {metric}", "segments",
              f"{units} for its own", "segments"]
    return header, [[f"{row.a} - {row.b}", f"{row.delta:+.2f}", f"{row.se:.3f}", f"from {row.mdd:.2f}",
                     *map(_whole, (row.units, row.segments, row.units_for_own, row.segments_for_own))]
                    for row in planned]


def width_rows(rows: Sequence[SystemSize], metric: str) -> Table:
    """Mean relative intervals of one system, beside Table 2 of Zhang and Vogel (2004)."""
    paper = [[str(size), percent((low / 100, high / 100))] for size, low, high in ZHANG_VOGEL_2.rows[metric]]
    whole = max(row.size for row in rows)
    ours = [[f"{row.size:,}", f"{row.size / whole:.1%}", "-" if row.score is None else f"{row.score:.2f}",
             percent(None if row.low is None else (row.low, row.high))] for row in rows]
    header = ["size", "of the set", "mean score", "relative interval", "their documents, of 100", "their interval"]
    return header, [(one or [""] * 4) + (other or [""] * 2) for one, other in zip_longest(ours, paper)]


def reference_rows(found: ReferenceSweep, system: str) -> Table:
    """One system by number of references and size."""
    header = ["references", "size", "mean score", "relative interval", "as good as one reference with"]
    return header, [[str(row.references), f"{row.size:,}", "-" if row.score is None else f"{row.score:.2f}",
                     percent(None if row.low is None else (row.low, row.high)),
                     "-" if row.equivalent is None else f"{row.equivalent:.0%} of the data"]
                    for row in found.rows if row.system == system]


def _whole(number):
    return "-" if number is None else f"{number:,}"
