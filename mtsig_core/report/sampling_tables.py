"""Samples as rows: what they conclude about a pair and how they spread as text, each sample as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite

import numpy as np

from mtsig_core.experiments.papers import KOEHN_7_8
from mtsig_core.experiments.population import swaps_said
from mtsig_core.experiments.sampling import SampledPair, SampledSystem, Sampling, Spreads
from mtsig_core.report.cells import Cell, Table, format_p, rounded
from mtsig_core.stats.significance import significant

_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}


def tally_rows(found: Mapping[str, Sampling], a: str, b: str, alpha: float, published: bool = False) -> Table:
    """Header and rows of the conclusions by kind of sample and test, each count with the 95% interval of its share."""
    rows = []
    for kind, one in found.items():
        for test, name in _TESTS.items():
            pair = one.pair(a, b)
            tally, ends = pair.tally(test, alpha), pair.intervals(test, alpha)
            rows.append([kind, name, *(Cell("{} [{:.0f}%, {:.0f}%]".format(count, *(100 * end for end in ends[what])),
                                            count) for what, count in asdict(tally).items())])
    for better, worse, right, wrong in KOEHN_7_8.rows["bleu"] if published else ():
        if {better, worse} == {a, b}:
            rows.append([KOEHN_7_8.source, "paired bootstrap", str(right), str(wrong), str(100 - right - wrong)])
    return ["samples", "test, uncorrected", "as the whole set", "opposite", "no conclusion"], rows


def whole_said(p: float, alpha: float, n_units: int) -> str:
    """Whether the whole test set of so many units, which conclusions are held against, decides a pair itself.

    Examples
    --------
    >>> whole_said(0.001, 0.05, 300), whole_said(0.125, 0.05, 6)
    ('decided, p 0.0010 from 999 swaps', 'itself undecided, p 0.1250 from all 64 swaps')
    """
    return f"{'decided' if significant(p, alpha) else 'itself undecided'}, p {format_p(p)} from {swaps_said(n_units)}"


def spread_rows(found: Spreads, system: str) -> Table:
    """Sizes down: spreads of one system and their ratio, then the median and the range of the ratios of all."""
    ratios, rows = found.ratios(), []
    for row in found.rows:
        if row.system == system:
            of_all = ratios.get(row.size)
            rows.append([f"{row.size:,}", str(row.samples), *(
                rounded(sd) for sd in (row.blocks, row.broad)),
                "-" if row.ratio is None else f"{row.ratio:.2f} [{row.ratio_low:.2f}, {row.ratio_high:.2f}]",
                *(["-", "-"] if of_all is None else [f"{of_all[1]:.2f}", f"{of_all[0]:.2f} to {of_all[2]:.2f}"])])
    return (["segments", "samples", "SD of blocks", "SD of broad samples", "ratio",
             "median ratio of all systems", "lowest to highest"], rows)


def sampled_system_records(found: SampledSystem) -> list[dict[str, float | None]]:
    """One row for each sample; None where it has no score of the system.

    Examples
    --------
    >>> one = SampledSystem("A", 31.0, np.array([30.0]), np.array([28.5]), np.array([31.5]))
    >>> sampled_system_records(one)
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
