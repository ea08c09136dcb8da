"""Samples as rows: what they conclude about a pair and how they spread as text, each sample as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

import numpy as np

from mtsig_core.experiments.papers import KOEHN_7_8
from mtsig_core.experiments.sample_results import SampledPair, SampledSystem, Sampling
from mtsig_core.experiments.spread_ratios import Spreads
from mtsig_core.report.cells import Table

__all__ = ["number", "pair_records", "spread_rows", "system_records", "tally_rows"]

_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}


def tally_rows(found: Mapping[str, Sampling], a: str, b: str, alpha: float, published: bool = False) -> Table:
    """Header and rows of the conclusions by kind of sample and test.

    Parameters
    ----------
    found : mapping of str to Sampling
        By the name of the kind.
    a, b : str
    alpha : float
    published : bool
        Whether to add the row of `Koehn (2004)` where there is one for the pair.
    """
    rows = []
    for kind, one in found.items():
        for test, name in _TESTS.items():
            tally = one.pair(a, b).tally(test, alpha)
            rows.append([kind, name, str(tally.right), str(tally.wrong), str(tally.none)])
    for better, worse, right, wrong in KOEHN_7_8.rows["bleu"] if published else ():
        if {better, worse} == {a, b}:
            rows.append([KOEHN_7_8.source, "paired bootstrap", str(right), str(wrong), str(100 - right - wrong)])
    return ["samples", "test, uncorrected", "right", "wrong", "no conclusion"], rows


def spread_rows(found: Spreads, system: str) -> Table:
    """Sizes down: spreads of one system and their ratio, then the median and the range of the ratios of all."""
    ratios, rows = found.ratios(), []
    for row in found.rows:
        if row.system == system:
            of_all = ratios.get(row.size)
            rows.append([f"{row.size:,}", str(row.samples), *(
                "-" if sd is None else f"{sd:.2f}" for sd in (row.blocks, row.broad)),
                "-" if row.ratio is None else f"{row.ratio:.2f} [{row.ratio_low:.2f}, {row.ratio_high:.2f}]",
                *(["-", "-"] if of_all is None else [f"{of_all[1]:.2f}", f"{of_all[0]:.2f} to {of_all[2]:.2f}"])])
    return (["segments", "samples", "SD of blocks", "SD of broad samples", "ratio",
             "median ratio of all systems", "lowest to highest"], rows)


def system_records(found: SampledSystem) -> list[dict[str, float | None]]:
    """One row for each sample; None where it has no score of the system.

    Examples
    --------
    >>> one = SampledSystem("A", 31.0, np.array([30.0]), np.array([28.5]), np.array([31.5]))
    >>> system_records(one)
    [{'sample': 1, 'score': 30.0, 'ci_low': 28.5, 'ci_high': 31.5}]
    """
    return _rows(score=found.scores, ci_low=found.low, ci_high=found.high)


def pair_records(found: SampledPair) -> list[dict[str, float | None]]:
    """One row for each sample; None where it cannot compare the two."""
    return _rows(delta=found.deltas, win=found.win, lose=found.lose, p_value=found.p_value)


def _rows(**columns: np.ndarray) -> list[dict[str, float | None]]:
    return [{"sample": k, **{key: number(value) for key, value in zip(columns, values, strict=True)}}
            for k, values in enumerate(zip(*columns.values(), strict=True), 1)]


def number(value: float) -> float | None:
    """A number as JSON and CSV take it: None where it is not finite."""
    return float(value) if isfinite(value) else None
