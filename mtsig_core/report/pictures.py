"""The figures of reports as SVG within the page: no script, names as text, colours that follow the page."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import p_word
from mtsig_core.report.cells import format_p, in_small_cells, rank_interval, signed, tens
from mtsig_core.report.html import LEVELS, template
from mtsig_core.report.palette import colour_limit, level, width, wrapped
from mtsig_core.report.sentences import describe_difference, name_score_axis, pick_significant
from mtsig_core.report.table import MISSING
from mtsig_core.report.tables import cluster_ends, differences_table, matrix_values
from mtsig_core.report.task import (
    describe_caveats,
    explain_marks,
    rank_table,
    select_metric,
)
from mtsig_core.report.text import printable
from mtsig_core.results import MetricResult, Settings, TaskComparison
from mtsig_core.stats.significance import significant

_WIDE = 1040  # of a figure, in pixels; the page shrinks it to what there is
_DIGIT = 0.65  # of the font size, in the widest of the usual fonts
_LINE = 17  # from one line of a name to the next


def forest_svg(result: MetricResult, settings: Settings) -> str:
    """Scores with their intervals and, where there are any, rank intervals: a row a system, best on top."""
    shapes: Any = template("shapes.svg").module  # its macros
    systems, (anchor, filled) = result.systems, pick_significant(result, settings)
    best = {anchor} if settings.baseline is not None else result.best
    filled |= best
    ranked = len(systems) > 1 and systems[0].rank_low is not None
    names = [wrapped(printable(s.system), 32) for s in systems]
    left = 16 + 14 * _DIGIT * max(width(line) for lines in names for line in lines)
    middle = left + (_WIDE - left) * (0.62 if ranked else 0.98)
    ends = [end for s in systems for end in (s.score, s.ci_low, s.ci_high) if end is not None]
    ticks = ticks_within(min(ends), max(ends))
    across = _scale(min(*ends, *ticks), max(*ends, *ticks), left + 14, middle - 14)
    last = max(2, len(systems), *(s.rank_high or 1 for s in systems))
    rank_at = _scale(1, last, middle + 24, _WIDE - 70)
    heights = [max(26, 9 + _LINE * len(lines)) for lines in names]
    bottom = 30 + sum(heights)
    drawn = [shapes.text(left, 18, f"{metric_title(result.metric)} {name_score_axis(result, settings)}", "head")]
    for tick in ticks:
        drawn += [shapes.line(across(tick), 28, across(tick), bottom, "tick"),
                  shapes.text(across(tick), bottom + 18, f"{tick:g}", "mid")]
    if ranked:
        drawn.append(shapes.text(middle + 14, 18, "Rank interval", "head"))
        for tick in sorted({1, *range(5, last - 2, 5), last if len(systems) > 1 else 1}):
            drawn += [shapes.line(rank_at(tick), 28, rank_at(tick), bottom, "tick"),
                      shapes.text(rank_at(tick), bottom + 18, str(tick), "mid")]
    top, clusters = 30, cluster_ends(systems)
    for k, (s, lines, height) in enumerate(zip(systems, names, heights, strict=True)):
        y, first = top + height / 2, " first" if s.system in best else ""
        drawn.append(shapes.lines(left - 8, y, lines, _LINE))
        if s.ci_low is not None and s.ci_high is not None:
            drawn.append(shapes.line(across(s.ci_low), y, across(s.ci_high), y, "bar"))
            drawn += [shapes.line(across(end), y - 4, across(end), y + 4, "bar") for end in (s.ci_low, s.ci_high)]
        drawn.append(shapes.dot(across(s.score), y, f"{first}{' filled' * (s.system in filled)}"))
        if ranked and s.rank_low is not None and s.rank_high is not None:
            start, end = rank_at(s.rank_low) - 6, rank_at(s.rank_high) + 6
            told = rank_interval(s.rank_low, s.rank_high).replace("-", "–")
            drawn += [shapes.rect(start, y - 6, end - start, 12, f"rank{first}"), shapes.text(end + 5, y + 5, told)]
        top += height
        drawn += [shapes.line(0, top, _WIDE, top, "cluster")] * (k in clusters)
    figure: str = shapes.svg(
        _WIDE, bottom + 28, f"Scores with intervals{' and rank intervals' * ranked}, best first", drawn)
    return figure


def differences_svg(result: MetricResult, settings: Settings) -> str:
    """The improvement of each system over the best, or over the baseline: a thick bar is its single interval, a thin
    line with ends the simultaneous one."""
    shapes: Any = template("shapes.svg").module  # its macros
    (anchor, filled), table = pick_significant(result, settings), differences_table(result, settings)
    key = table.keys[1]
    joint_ends = table.values(f"{key}_ci_joint") if table.has(f"{key}_ci_joint") else [None] * len(table.rows)
    rows = [(name, delta, single, joint) for name, delta, single, joint in zip(
        table.values("system"), table.values(key), table.values(f"{key}_ci"), joint_ends, strict=True)]
    names = [wrapped(printable(name), 32) for name, *_ in rows]
    left = 16 + 14 * _DIGIT * max(width(line) for lines in names for line in lines)
    ends = [0.0, *(end for _, delta, single, joint in rows for end in (delta, *(single or ()), *(joint or ())))]
    ticks = ticks_within(min(ends), max(ends))
    across = _scale(min(*ends, *ticks), max(*ends, *ticks), left + 14, _WIDE - 28)
    heights = [max(26, 9 + _LINE * len(lines)) for lines in names]
    top, bottom = 30, 30 + sum(heights)
    drawn = [shapes.text(left, 18, f"{metric_title(result.metric)} improvement over {printable(anchor)}", "head")]
    for tick in ticks:
        drawn += [shapes.line(across(tick), 28, across(tick), bottom, "tick"),
                  shapes.text(across(tick), bottom + 18, f"{tick:g}", "mid")]
    drawn.append(shapes.line(across(0), 28, across(0), bottom, "zero"))
    for (name, delta, single, joint), lines, height in zip(rows, names, heights, strict=True):
        y = top + height / 2
        drawn.append(shapes.lines(left - 8, y, lines, _LINE))
        if joint is not None:
            drawn.append(shapes.line(across(joint[0]), y, across(joint[1]), y, "together"))
            drawn += [shapes.line(across(end), y - 6, across(end), y + 6, "together") for end in joint]
        if single is not None:
            drawn.append(shapes.line(across(single[0]), y, across(single[1]), y, "single"))
        drawn.append(shapes.dot(across(delta), y, f" first{' filled' * (name in filled)}"))
        top += height
    figure: str = shapes.svg(_WIDE, bottom + 28, f"Differences to {printable(anchor)} with their intervals", drawn)
    return figure


def matrix_svg(result: MetricResult, settings: Settings) -> str:
    """All pairs: above the diagonal the improvement of row over column, below it adjusted p or the share of wins."""
    shapes: Any = template("shapes.svg").module  # its macros
    n, pairs = len(result.systems), {frozenset((pair.a, pair.b)): pair for pair in result.pairs}
    names = [printable(s.system) for s in result.systems]
    upright = max(map(width, names)) <= 22  # else the columns have numbers, and the rows say whose they are
    rows = [wrapped(name if upright else f"{k}  {name}", 30) for k, name in enumerate(names, 1)]
    left = 12 + 14 * _DIGIT * max(width(line) for lines in rows for line in lines)
    top = 12 + (14 * _DIGIT * max(map(width, names)) if upright else 18)
    side = max(30, min(62, (_WIDE - left) / n))
    heights = [max(36, 6 + _LINE * len(lines)) for lines in rows]
    starts = [top + sum(heights[:k]) for k in range(n)]
    values, (limit, _) = matrix_values(result, [s.system for s in result.systems]), _limit(result)
    decimals, power = _written(result)
    short = side < 44
    told = [[_told(values[i][j], i < j, short, decimals, power) if i != j else "" for j in range(n)] for i in range(n)]
    size = min(13, (side - 4) / _DIGIT / max(width(text) for row in told for text in row))
    drawn = []
    for k, (name, lines) in enumerate(zip(names, rows, strict=True)):
        x, y = left + side * (k + 0.5), starts[k] + heights[k] / 2
        drawn.append(shapes.lines(left - 8, y, lines, _LINE))
        drawn.append(shapes.upright(x + 5, top - 8, name) if upright else shapes.text(x, top - 8, str(k + 1), "mid"))
    for i in range(n):
        for j in range(n):
            x, y, middle = left + side * j, starts[i], starts[i] + heights[i] / 2
            pair = pairs.get(frozenset((result.systems[i].system, result.systems[j].system)))
            if pair is None:
                drawn.append(shapes.rect(x, y, side - 1, heights[i] - 1, "self"))
                continue
            value = values[i][j]
            kind = "below" if i > j or not pair.significant or value is None else _kind(value, limit)
            raw = pair.p_value is not None and pair.favours is None and significant(pair.p_value, settings.alpha)
            glyph = "●" if pair.significant else "○" if raw else ""
            style = (kind if pair.significant else "") if i < j else "" if pair.significant else "bold"
            up = 5 if i < j and glyph else -4
            drawn += [shapes.rect(x, y, side - 1, heights[i] - 1, kind),
                      shapes.text(x + side / 2, middle - up, told[i][j], f"mid {style}", size)]
            if i < j and glyph:
                drawn.append(shapes.text(x + side / 2, middle + 12, glyph, f"mid {style}"))
    figure: str = shapes.svg(
        left + side * n + 4, starts[-1] + heights[-1] + 6, f"All pairs of {n} systems, best first", drawn)
    return figure


def matrix_key(result: MetricResult, settings: Settings) -> str:
    """What the glyphs and numbers of the matrix are."""
    shares = any(pair.win is not None for pair in result.pairs)
    raw = "" if shares or settings.correction == "none" else ", ○ only without correction"
    below = "share of samples that the better one wins" if shares else p_word(settings.correction)
    limit, clipped = _limit(result)
    power = _written(result)[1]
    full = f"{limit / 10.0 ** power:.3g}"
    ends = f" Colours are full from {full} on: larger differences look alike." if clipped else ""
    return (f"Above the diagonal: {describe_difference(result)} in {tens(power)}{metric_title(result.metric)}, blue "
            f"where the row is better; in colour and ● where significant{raw}.{ends} "
            f"Below: {below}, bold where not significant, which does not mean equal.")


def _limit(result: MetricResult) -> tuple[float, bool]:
    return colour_limit(pair.delta for pair in result.pairs)


def _written(result: MetricResult) -> tuple[int, int]:
    return in_small_cells([s.score for s in result.systems], [pair.delta for pair in result.pairs])


def _told(value: float | None, above: bool, short: bool, decimals: int, power: int) -> str:
    if value is None:
        return "-"
    if above:
        return signed(value / 10.0 ** power, f".{decimals - short}f").replace("-", "−")
    if not short:
        return format_p(value)
    text = format_p(value) if value < 1e-3 else f"{value:.2f}" if value >= 0.095 else f"{value:.3f}"
    return text.lstrip("0")  # a small cell


def _kind(value: float, limit: float) -> str:
    share = level(value, limit)
    return f"{'up' if share >= 0 else 'down'}{round(LEVELS * abs(share))}"


def ticks_within(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within a range; its ends where there are none."""
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span / most))
    step = next(m * power for m in (1, 2, 5, 10, 20) if span / (m * power) <= most)
    found = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [float(f"{tick:.10g}") for tick in found] or [low]


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    return lambda value: start + (end - start) * (0.5 if high == low else (value - low) / (high - low))


# A shared task: systems by language pairs, with the top group of each.


_ROW, _WIDE_DIGIT = 24, 9.1
#: What the picture needs on its own, out of the report: its colours, on white.
_STYLE = ("<style>text {font-family: system-ui, sans-serif; fill: #1B2330; white-space: pre} .end {text-anchor: end} "
          ".mid {text-anchor: middle} .bold {font-weight: 700} .cell {fill: #ECEFF3} .cell.first {fill: #0072B2} "
          "text.first {fill: #FFFFFF; font-weight: 700} .cluster {stroke: #1B2330}</style>")


def task_svg(found: TaskComparison, metric: str, below: str = "") -> str:
    """A row a system, a column a language pair and, where there is one, the rank over all: rank intervals, those that
    reach the first rank filled. A dash: no score there, or no rank. What is to stand `below` is broken into lines."""
    shapes: Any = template("shapes.svg").module  # its macros
    shown = rank_table(found, metric).without("n_pairs", "score", "wins", "ties", "losses")
    names = [wrapped(printable(name), 30) for name in shown.values("system")]
    ranks = shown.without("system")
    titles, rows = list(map(printable, ranks.titles)), ranks.texts()
    upright = sum(12 + _WIDE_DIGIT * width(title) for title in titles) > 760
    wide = [max(52.0, _WIDE_DIGIT * max(width(row[k]) for row in rows) + 10,
                0 if upright else _WIDE_DIGIT * width(title) + 12) for k, title in enumerate(titles)]
    left = 16 + _WIDE_DIGIT * max(width(line) for lines in names for line in lines)
    top = 8 + (_WIDE_DIGIT * max(map(width, titles)) if upright else 20)
    starts = [left + sum(wide[:k]) for k in range(len(wide))]
    drawn = [shapes.upright(x + w / 2 + 5, top - 6, title) if upright else shapes.text(x + w / 2, top - 6, title, "mid")
             for x, w, title in zip(starts, wide, titles, strict=True)]
    for number, (row, lines) in enumerate(zip(rows, names, strict=True)):
        high = max(_ROW, 7 + _LINE * len(lines))
        drawn.append(shapes.lines(left - 8, top + high / 2, lines, _LINE))
        for x, w, key, text in zip(starts, wide, ranks.keys, row, strict=True):
            first = " first" * ((number, key) in ranks.marks)
            if text != MISSING:
                drawn.append(shapes.rect(x + 1, top + 1, w - 2, high - 2, f"cell{first}"))
            drawn.append(shapes.text(x + w / 2, top + high / 2 + 5, text.replace("-", "\u2013"), f"mid{first}"))
        top += high
        drawn += [shapes.line(0, top, starts[-1] + wide[-1], top, "cluster")] * (number in ranks.ruled)
    full = starts[-1] + wide[-1] + 8
    for line in wrapped(below, max(30, int((full - 16) / _WIDE_DIGIT))) if below else ():
        full, top = max(full, 16 + _WIDE_DIGIT * width(line)), top + _LINE
        drawn.append(shapes.text(8, top, line))
    alt = (f"{metric_title(metric)}: rank intervals of {format_count(len(rows), 'system')} in "
           f"{format_count(len(select_metric(found, metric)), 'language pair')}")
    figure: str = shapes.svg(full, top + 8, alt, drawn)
    return figure


def task_picture(found: TaskComparison, metric: str) -> str:
    """The same as a file of its own, which says what it shows."""
    key = " ".join([f"Ranks by {metric_title(metric)}.", *explain_marks(found, metric, "Blue:"),
                    *describe_caveats(found, metric)])
    drawn = str(task_svg(found, metric, printable(key)))
    return drawn.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", ">" + _STYLE, 1) + "\n"
