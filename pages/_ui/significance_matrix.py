"""The matrix of all pairs on the page Significance, as each correction decides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from mtsig_core.figures.comparison_plots import matrix
from mtsig_core.report.tables import pair_records, pair_rows
from mtsig_core.report.words import caveats, controlled, keeps_its_level
from mtsig_core.results import MetricResult
from mtsig_core.stats.choices import decide_by, disagreeing, with_adjusted
from pages._ui import charts, controls, screen
from pages._ui.view import View

__all__ = ["show"]

_MOST = 60  # systems in the picture: a browser draws each cell, and takes minutes for 260
_STEPS = {"none": "raw p", "bh": "BH", "holm": "Holm", "romano-wolf": "Romano-Wolf", "bonferroni": "Bonferroni",
          "by": "BY"}


def show(view: View, adjusted: Mapping[str, np.ndarray]) -> tuple[str, str] | None:
    """Draw it, below a control that steps through the corrections; give the pair that was clicked.

    Parameters
    ----------
    adjusted : mapping of str to ndarray, shape (pairs,)
        The adjusted p by correction; empty for a test that gives no p.
    """
    result, settings = view.result, view.comparison.settings
    if adjusted:
        step = _step(adjusted, settings.correction)
        if step != settings.correction:
            result = with_adjusted(result, adjusted[step], settings.alpha)
            settings = replace(settings, correction=step)
            view = replace(view, settings={**view.settings, "correction": step})
        tested = [pair for pair in view.result.tested if pair.p_value is not None]
        _say(view, step, {name: decide_by(tested, result.sign, p, settings.alpha) for name, p in adjusted.items()})
    header, rows = pair_records(result)
    names, n = [system.system for system in result.systems], sum(pair.significant for pair in result.pairs)
    if len(names) > _MOST:
        screen.faint(f"The picture has the first {_MOST} of {len(names)} systems. Exclude systems to see others; the "
                     "files have all.")
    clicked = charts.show(
        partial(matrix, _first(result), settings, charts.dark(), tuple(caveats(view.comparison, result))),
        "significance.matrix", select=True, header=header, rows=rows,
        files=view.named(), command=view.command(), table=pair_rows(result, settings),
        alt=f"All pairs of {len(names)} systems, best first: {n} of {len(result.tested)} differ significantly; the "
            "table below has the same numbers.")
    if not clicked:
        return None
    row, column = clicked[0][:2]
    return names[min(row, column)], names[max(row, column)]


def _first(result: MetricResult) -> MetricResult:
    """As many systems as the picture has room for, and their pairs."""
    if len(result.systems) <= _MOST:
        return result
    kept = {system.system for system in result.systems[:_MOST]}
    return replace(result, systems=result.systems[:_MOST],
                   pairs=tuple(pair for pair in result.pairs if pair.a in kept and pair.b in kept))


def _step(adjusted: Mapping[str, np.ndarray], chosen: str) -> str:
    return controls.steps(
        "Cells as decided by", [name for name in _STEPS if name in adjusted], "decided", chosen,
        format_func=lambda name: _STEPS[name] + (" (chosen)" if name == chosen else ""),
        help="What is not significant under a correction loses its colour. The arrow keys step. For exploring: a "
             "correction is chosen at the side, before looking.")


def _say(view: View, step: str, decisions: Mapping[str, np.ndarray]) -> None:
    """How many cells are lit, how many went out against raw p, and what the correction controls."""
    lit, gone = np.count_nonzero(decisions[step]), len(disagreeing({"none": decisions["none"], step: decisions[step]}))
    went = "" if step == "none" else f", {gone} of those of raw p went out"
    n = len(decisions[step])
    are = "cell is" if n == 1 else "cells are"
    kept = f"Controlled is {controlled(view.comparison, step)}." if keeps_its_level(view.comparison) else \
        "The test rejects too often here, so that no correction controls the error."
    screen.plain(f"{_STEPS[step]}: {lit} of {n} {are} lit{went}. {kept}")
