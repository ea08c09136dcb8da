"""The figures of reports as SVG within the page: no script, names as text, colours that follow the
page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, NamedTuple, cast

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.html import template
from mtsig_core.report.palette import width, wrapped
from mtsig_core.report.sentences import (
    explain_ranks,
    list_caveats,
    name_score_axis,
    name_simultaneous,
    pick_significant,
    select_lang_pairs,
    state_answer,
    view_anchor_pairs,
    write_difference_axis,
    write_level,
)
from mtsig_core.report.table import MISSING, rank_interval
from mtsig_core.report.tables import cluster_ends, rank_table
from mtsig_core.report.text import printable
from mtsig_core.results import Comparison, MetricResult, Settings, TaskComparison

_WIDE = 1040  # of a figure, in pixels; the page shrinks it to what there is
_DIGIT = 0.65  # of the font size, in the widest of the usual fonts
_LINE = 17  # from one line of a name to the next
_TOP = 30  # of the first row
_TICKS = 6  # of an axis, at most


class DifferenceRow(NamedTuple):
    """A difference with its intervals, filled where it is significant; `end` stands behind it."""

    name: str
    delta: float
    single: tuple[float, float] | None
    joint: tuple[float, float] | None
    filled: bool
    end: str = ""


class _Rows:
    """Rows one below the other with names on the left, which are broken into lines where they are
    long.
    """

    def __init__(
        self,
        names: Iterable[str],
        top: float = _TOP,
        least: float = 26,
        space: float = 9,
        widest: int = 32,
        digit: float = 14 * _DIGIT,
    ):
        self.shapes = cast(Any, template("shapes.svg").module)  # its macros
        self.lines: list[list[str]] = [wrapped(printable(name), widest) for name in names]
        self.left = 16 + digit * max(width(line) for lines in self.lines for line in lines)
        self.heights = [max(least, space + _LINE * len(lines)) for lines in self.lines]
        self.starts = list(accumulate(self.heights, initial=top))
        self.bottom = self.starts.pop()
        self.middles = [
            start + height / 2 for start, height in zip(self.starts, self.heights, strict=True)
        ]
        self.drawn: list[str] = [
            self.shapes.lines(self.left - 8, y, lines, _LINE)
            for y, lines in zip(self.middles, self.lines, strict=True)
        ]

    def add_ticks(self, ticks: Mapping[float, str], scale: Callable[[float], float]) -> None:
        for tick, text in ticks.items():
            self.drawn += [
                self.shapes.line(scale(tick), 28, scale(tick), self.bottom, "tick"),
                self.shapes.text(scale(tick), self.bottom + 18, text, "mid"),
            ]

    def add_interval(self, low: float, high: float, y: float, kind: str, half: float = 0) -> None:
        """A bar, with ends where these have a size."""
        self.drawn.append(self.shapes.line(low, y, high, y, kind))
        self.drawn += [
            self.shapes.line(x, y - half, x, y + half, kind) for x in (low, high) if half
        ]

    def to_svg(self, alt: str, wide: float = _WIDE, below: float = 28) -> str:
        return str(self.shapes.svg(wide, self.bottom + below, alt, self.drawn))


def forest_svg(result: MetricResult, settings: Settings) -> str:
    """Scores with their intervals and, where there are any, rank ranges: a row a system, best on
    top.
    """
    systems, (anchor, filled) = result.systems, pick_significant(result, settings)
    best = {anchor} if settings.baseline is not None else result.best
    ranked = len(systems) > 1 and systems[0].rank_low is not None
    rows = _Rows(s.system for s in systems)
    shapes, middle = rows.shapes, rows.left + (_WIDE - rows.left) * (0.62 if ranked else 0.98)
    ends = [end for s in systems for end in (s.score, s.ci_low, s.ci_high) if end is not None]
    ticks = ticks_within(min(ends), max(ends))
    across = _scale(min(*ends, *ticks), max(*ends, *ticks), rows.left + 14, middle - 14)
    rows.drawn.append(
        shapes.text(
            rows.left,
            18,
            f"{metric_title(result.metric)} {name_score_axis(result, settings)}",
            "head",
        )
    )
    rows.add_ticks({tick: f"{tick:g}" for tick in ticks}, across)
    last = max(2, len(systems), *(s.rank_high or 1 for s in systems))
    rank_at = _scale(1, last, middle + 24, _WIDE - 70)
    if ranked:
        rows.drawn.append(shapes.text(middle + 14, 18, "Rank range", "head"))
        rows.add_ticks(
            {tick: str(tick) for tick in sorted({1, *range(5, last - 2, 5), last})}, rank_at
        )
    for s, y in zip(systems, rows.middles, strict=True):
        first = " first" * (s.system in best)
        if s.ci_low is not None and s.ci_high is not None:
            rows.add_interval(across(s.ci_low), across(s.ci_high), y, "bar", 4)
        rows.drawn.append(
            shapes.dot(across(s.score), y, f"{first}{' filled' * (s.system in filled | best)}")
        )
        if ranked and s.rank_low is not None and s.rank_high is not None:
            start, end = rank_at(s.rank_low) - 6, rank_at(s.rank_high) + 6
            rows.drawn += [
                shapes.rect(start, y - 6, end - start, 12, f"rank{first}"),
                shapes.text(
                    end + 5, y + 5, rank_interval(s.rank_low, s.rank_high).replace("-", "–")
                ),
            ]
    for end in (rows.starts[k] + rows.heights[k] for k in cluster_ends(systems)):
        rows.drawn.append(shapes.line(0, end, _WIDE, end, "cluster"))
    return rows.to_svg(f"Scores with intervals{' and rank ranges' * ranked}, best first")


def differences_svg(result: MetricResult, settings: Settings) -> str:
    """The improvement of each system over the best, or over the baseline."""
    (anchor, filled), seen = pick_significant(result, settings), view_anchor_pairs(result, settings)
    joint = name_simultaneous(result, settings) is not None
    rows = [
        DifferenceRow(
            row.system,
            own.difference,
            own.ci,
            own.ci_joint if joint else None,
            row.system in filled,
        )
        for row in result.systems
        if (own := seen.get(row.system)) is not None
    ]
    return draw_differences(
        rows,
        write_difference_axis(result, metric_title(result.metric), printable(anchor)),
        f"Differences to {printable(anchor)} with their intervals",
    )


def differences_picture(comparison: Comparison, metric: str) -> str:
    """Draw the same as a file of its own: the verdict above it, and below it how to read it and its
    caveats.
    """
    result, settings = comparison.metrics[metric], comparison.settings
    shapes, together = cast(Any, template("shapes.svg").module), name_simultaneous(result, settings)
    key = [
        f"Thick: {write_level(settings)} CI for this pair only.",
        *[f"Thin, with ends: {together}."] * (together is not None),
        "Filled: significantly different; hollow: no significant difference, which does not mean equal.",
    ]
    above, below = (
        wrapped(printable(text), int(_WIDE / _WIDE_DIGIT))
        for text in (
            state_answer(comparison, metric),
            " ".join([*key, *list_caveats(comparison, metric)]),
        )
    )
    drawn = differences_svg(result, settings)
    top, high = 12 + _LINE * len(above), int(drawn.partition('height="')[2].partition('"')[0])
    texts = [
        *(shapes.text(8, _LINE * k, line, "bold") for k, line in enumerate(above, 1)),
        *(shapes.text(8, top + high + _LINE * k, line) for k, line in enumerate(below, 1)),
    ]
    around = str(shapes.svg(_WIDE, top + high + _LINE * len(below) + 12, above[0], texts))
    return _as_file(
        around.replace("</svg>", drawn.replace("<svg ", f'<svg y="{top}" ', 1) + "</svg>")
    )


def draw_differences(
    differences: Sequence[DifferenceRow], head: str, alt: str, own_scales: bool = False
) -> str:
    """A thick bar is a single interval, a thin line with ends a simultaneous one; all on one scale,
    or (own_scales) each row on a scale of its own, with 0 in the middle of all of them.
    """
    rows = _Rows(row.name for row in differences)
    shapes, ends = (
        rows.shapes,
        [[0.0, row.delta, *(row.single or ()), *(row.joint or ())] for row in differences],
    )
    rows.drawn.append(shapes.text(rows.left, 18, head, "head"))
    if own_scales:
        reaches = [max(map(abs, own)) or 1.0 for own in ends]
        scales = [_scale(-reach, reach, rows.left + 14, _WIDE - 150) for reach in reaches]
    else:
        every = [end for own in ends for end in own]
        ticks = ticks_within(min(every), max(every))
        scales = [
            _scale(min(*every, *ticks), max(*every, *ticks), rows.left + 14, _WIDE - 28)
        ] * len(differences)
        rows.add_ticks({tick: f"{tick:g}" for tick in ticks}, scales[0])
    rows.drawn.append(shapes.line(scales[0](0), 28, scales[0](0), rows.bottom, "zero"))
    for row, y, at in zip(differences, rows.middles, scales, strict=True):
        if row.joint is not None:
            rows.add_interval(at(row.joint[0]), at(row.joint[1]), y, "together", 6)
        if row.single is not None:
            rows.add_interval(at(row.single[0]), at(row.single[1]), y, "single")
        rows.drawn.append(shapes.dot(at(row.delta), y, f" first{' filled' * row.filled}"))
        rows.drawn += [shapes.text(_WIDE - 136, y + 5, row.end)] * bool(row.end)
    return rows.to_svg(alt, below=8 if own_scales else 28)


def ticks_within(low: float, high: float) -> list[float]:
    """Round numbers within a range; its ends where there are none."""
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span / _TICKS))
    step = next(m * power for m in (1, 2, 5, 10, 20) if span / (m * power) <= _TICKS)
    found = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [float(f"{tick:.10g}") for tick in found] or [low]


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: (
        start + (end - start) * (0.5 if high == low else (value - low) / (high - low))
    )


# A shared task: systems by language pairs, with the top group of each.


_ROW, _WIDE_DIGIT = 24, 9.1
#: What the picture needs on its own, out of the report: its colours, on white.
_STYLE = (
    "<style>text {font-family: system-ui, sans-serif; fill: #1B2330; white-space: pre} .end {text-anchor: end} "
    ".mid {text-anchor: middle} .bold {font-weight: 700} .cell {fill: #ECEFF3} .cell.first {fill: #0072B2} "
    "text.first {fill: #FFFFFF; font-weight: 700} .cluster {stroke: #1B2330} .head {font-weight: 600} "
    ".tick {stroke: #C9D0DA} .zero {stroke: #7A8594; stroke-width: 2; stroke-dasharray: 6 4} "
    ".single {stroke: #7A8594; stroke-width: 6} .together {stroke: #7A8594; stroke-width: 1.5} "
    ".dot {fill: #FFFFFF; stroke: #0072B2; stroke-width: 2} .dot.filled {fill: #0072B2}</style>"
)


def task_svg(found: TaskComparison, metric: str, below: str = "") -> str:
    """A row a system, a column a language pair and, where there is one, the rank over all: rank
    ranges, those that reach the first rank filled. A dash: no score there, or no rank. What is to
    stand `below` is broken into lines.
    """
    shown = rank_table(found, metric).without("n_pairs", "score", "wins", "ties", "losses")
    ranks = shown.without("system")
    titles, texts = list(map(printable, ranks.titles)), ranks.texts()
    upright = sum(12 + _WIDE_DIGIT * width(title) for title in titles) > 760
    wide = [
        max(
            52.0,
            _WIDE_DIGIT * max(width(row[k]) for row in texts) + 10,
            0 if upright else _WIDE_DIGIT * width(title) + 12,
        )
        for k, title in enumerate(titles)
    ]
    top = 8 + (_WIDE_DIGIT * max(map(width, titles)) if upright else 20)
    rows = _Rows(shown.values("system"), top, _ROW, 7, 30, _WIDE_DIGIT)
    *starts, end = accumulate(wide, initial=rows.left)
    shapes, full = rows.shapes, end + 8
    rows.drawn += [
        shapes.upright(x + w / 2 + 5, top - 6, title)
        if upright
        else shapes.text(x + w / 2, top - 6, title, "mid")
        for x, w, title in zip(starts, wide, titles, strict=True)
    ]
    for k, (y, high, row) in enumerate(zip(rows.starts, rows.heights, texts, strict=True)):
        for x, w, key, text in zip(starts, wide, ranks.keys, row, strict=True):
            first = " first" * ((k, key) in ranks.marks)
            if text != MISSING:
                rows.drawn.append(shapes.rect(x + 1, y + 1, w - 2, high - 2, f"cell{first}"))
            rows.drawn.append(
                shapes.text(x + w / 2, y + high / 2 + 5, text.replace("-", "\u2013"), f"mid{first}")
            )
        rows.drawn += [shapes.line(0, y + high, end, y + high, "cluster")] * (k in ranks.ruled)
    for line in wrapped(below, max(30, int((full - 16) / _WIDE_DIGIT))) if below else ():
        full, rows.bottom = max(full, 16 + _WIDE_DIGIT * width(line)), rows.bottom + _LINE
        rows.drawn.append(shapes.text(8, rows.bottom, line))
    return rows.to_svg(
        f"{metric_title(metric)}: rank ranges of {format_count(len(texts), 'system')} in "
        f"{format_count(len(select_lang_pairs(found, metric)), 'language pair')}",
        full,
        8,
    )


def task_picture(found: TaskComparison, metric: str) -> str:
    """The same as a file of its own, which says what it shows."""
    ranks = rank_table(found, metric)
    key = " ".join(
        [
            f"Ranks by {name_metric(metric)}.",
            *explain_ranks(found, metric),
            *ranks.legend.explain(ranks, marked="Blue"),
            *list_caveats(found, metric),
        ]
    )
    return _as_file(task_svg(found, metric, printable(key)))


def _as_file(drawn: str) -> str:
    return (
        drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
            ">", ">" + _STYLE, 1
        )
        + "\n"
    )
