"""The bootstrap of scores as rows of text, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig_core.experiments.papers import ZHANG_VOGEL_1, ZHANG_VOGEL_5, ZHANG_VOGEL_6
from mtsig_core.experiments.sweep_resamples import Stability, bound_sd
from mtsig_core.inference.one_score import ScoreBootstrap
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, rounded, written_like

__all__ = ["bracketed", "percent", "interval_rows", "relative_rows", "published_rows", "growing_rows",
           "repeated_rows"]


def bracketed(ends: tuple[float, float] | None, form: str = ".2f") -> str:
    """An interval in points; a dash where it is undefined."""
    return "-" if ends is None else f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def percent(ends: tuple[float, float] | None) -> str:
    """A relative interval, given as fractions; a dash where it is undefined."""
    return "-" if ends is None else Cell(f"[{100 * ends[0]:+.2f}%, {100 * ends[1]:+.2f}%]", ends[0])


def interval_rows(found: ScoreBootstrap, chosen: str, level: str, segment: ScoreBootstrap | None = None,
                  document: ScoreBootstrap | None = None) -> Table:
    """Every kind of interval of one score; where both units are given, also by segment and by document."""
    header = [f"{level} interval", "low", "high", "width", "relative"]
    header += [] if segment is None else ["by segment", "by document", "ratio of widths"]
    rows, form = [], written_like([found.score])
    for kind, ends in found.intervals.items():
        cells = ["-"] * 3 if ends is None else [f"{value:{form}}" for value in (*ends, ends[1] - ends[0])]
        rows.append([f"{kind}{' (chosen)' if kind == chosen else ''}", *cells, percent(found.relative(kind))])
        if segment is not None and document is not None:
            both = segment.intervals[kind], document.intervals[kind]
            rows[-1] += [*(bracketed(ends, form) for ends in both), _ratio(*both)]
    return header, rows


def relative_rows(systems: Sequence[ScoreBootstrap], kind: str, metric: str, level: str) -> Table:
    """All systems with their relative intervals."""
    form = written_like(s.score for s in systems)
    return (["system", metric_title(metric), "median", f"relative {level} interval"],
            [[s.system, number(s.score, form), number(s.median, form), percent(s.relative(kind))] for s in systems])


def published_rows(metric: str) -> Table:
    """Table 1 of Zhang and Vogel (2004) for a metric of theirs."""
    return (["their system", f"median {metric_title(metric)}", "relative 95% interval"],
            [[system, f"{median:.3f}", _printed(*ends)] for system, median, *ends in ZHANG_VOGEL_1.rows[metric]])


def growing_rows(found: Stability, metric: str, level: str) -> Table:
    """One interval for each number of samples, beside Table 5 of Zhang and Vogel (2004)."""
    theirs = {size: [f"{median:.3f}", _printed(*ends)] for size, median, *ends in ZHANG_VOGEL_5.rows[metric]}
    form = written_like(row.median for row in found.growing)
    return (["B", "median", f"{level} interval", "relative", "their median", "their interval"],
            [[f"{row.resamples:,}", f"{row.median:{form}}", bracketed((row.low, row.high), form), percent(row.relative),
              *theirs.get(row.resamples, ["", ""])] for row in found.growing])


def repeated_rows(found: Stability, metric: str) -> Table:
    """The spread of repeated intervals, beside Table 6 of Zhang and Vogel (2004)."""
    theirs = {size: [f"{100 * sd:.2f}%", _printed(*ends)] for size, sd, *ends in ZHANG_VOGEL_6.rows[metric]}
    header = ["B", "runs", "SD of low", "SD of high", f"{bound_sd(found.settings.alpha):.2f} σ/√B", "relative SD",
              "mean interval", "their SD", "their mean interval"]
    return header, [
        [f"{row.resamples:,}", f"{row.runs:,}", *map(rounded, (row.sd_low, row.sd_high, row.theory)),
         "-" if row.relative_sd is None else f"{100 * row.relative_sd:.3f}%", percent(row.relative),
         *theirs.get(row.resamples, ["", ""])] for row in found.repeats]


def _ratio(segment: tuple[float, float] | None, document: tuple[float, float] | None) -> str:
    if segment is not None and document is not None and segment[1] > segment[0]:
        return f"{(document[1] - document[0]) / (segment[1] - segment[0]):.2f}"
    return "-"


def _printed(low: float, high: float) -> str:
    """A relative interval that a paper prints in percent."""
    return percent((low / 100, high / 100))
