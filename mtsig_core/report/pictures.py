"""The figures of reports as SVG within the page.

They have no script, names as text, and colours that follow the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

from mtsig_core.errors import format_count
from mtsig_core.languages import name_parts
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import name_metric
from mtsig_core.report.document import use_noun
from mtsig_core.report.html import template
from mtsig_core.report.palette import width, wrapped
from mtsig_core.report.sentences import (
    explain_ranks,
    find_anchor,
    list_caution_texts,
    list_metric_rows,
    name_score_axis,
    name_sides,
    name_simultaneous,
    pick_significant,
    select_lang_pairs,
    state_answer,
    view_anchor_pairs,
    write_difference_axis,
    write_level,
)
from mtsig_core.report.table import MISSING, Table, rank_interval
from mtsig_core.report.tables import cluster_ends, rank_table
from mtsig_core.report.text import printable
from mtsig_core.results import Comparison, MetricResult, Settings, SystemResult, TaskComparison
from mtsig_core.stats.intervals import Bounds

_WIDE = 1040  # of a figure, in pixels; the page shrinks it to what there is
_DIGIT = 14 * 0.65  # pixels of a digit in the widest of the usual fonts
_LINE = 17  # from one line of a name to the next
_TOP = 30  # of the first row
_TICKS = 6  # of an axis, at most
_MARGIN = 14  # between an axis and the ends of its room
_EN_DASH = "\N{EN DASH}"

#: From a value to its place.
Scale = Callable[[float], float]


# -------------------------------------------------------------------------------------------------
# Rows of names, axes and shapes.


class RowStyle(NamedTuple):
    """The layout of a drawing's rows, in pixels."""

    least: float = 26  # the height of a row with one line
    space: float = 9  # above and below the lines of a name
    widest: int = 32  # digits of a line


_LARGE_ROWS = RowStyle()
_SMALL_ROWS = RowStyle(least=24, space=7, widest=30)


def load_shapes() -> Any:
    """The macros that write shapes."""
    return template("shapes.svg").module


class _Drawing:
    """Rows one below the other with names on the left, broken into lines where they are long."""

    def __init__(self, names: Iterable[str], top: float = _TOP, style: RowStyle = _LARGE_ROWS):
        self.shapes = load_shapes()
        lines = [wrapped(printable(name), style.widest) for name in names]
        self.top = top
        self.left = 16 + _DIGIT * max(map(width, chain(*lines)))
        self.heights = [max(style.least, style.space + _LINE * len(name)) for name in lines]
        *self.starts, self.bottom = accumulate(self.heights, initial=top)
        self.ends = [
            start + height for start, height in zip(self.starts, self.heights, strict=True)
        ]
        self.middles = [
            (start + end) / 2 for start, end in zip(self.starts, self.ends, strict=True)
        ]
        self.drawn: list[str] = [
            self.shapes.lines(self.left - 8, y, name, _LINE)
            for y, name in zip(self.middles, lines, strict=True)
        ]

    def add_line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        self.drawn.append(self.shapes.line(x1, y1, x2, y2, css))

    def add_text(self, x: float, y: float, text: str, css: str = "") -> None:
        self.drawn.append(self.shapes.text(x, y, text, css))

    def add_dot(self, x: float, y: float, css: str) -> None:
        self.drawn.append(self.shapes.dot(x, y, css))

    def add_rect(self, x: float, y: float, wide: float, high: float, css: str) -> None:
        self.drawn.append(self.shapes.rect(x, y, wide, high, css))

    def add_head(self, x: float, text: str) -> None:
        self.add_text(x, self.top - 12, text, "head")

    def add_ticks(self, ticks: Mapping[float, str], scale: Scale) -> None:
        for tick, text in ticks.items():
            x = scale(tick)
            self.add_line(x, self.top - 2, x, self.bottom, "tick")
            self.add_text(x, self.bottom + 18, text, "mid")

    def add_interval(self, low: float, high: float, y: float, css: str, half: float = 0) -> None:
        """A bar, with ends of this half height; none where it is 0."""
        self.add_line(low, y, high, y, css)
        if half:
            for x in (low, high):
                self.add_line(x, y - half, x, y + half, css)

    def to_svg(self, alt: str, wide: float = _WIDE, below: float = 28) -> str:
        """The drawing for a page, whose style it follows."""
        return str(self.shapes.svg(wide, self.bottom + below, alt, self.drawn))

    def to_file(self, alt: str, wide: float = _WIDE, below: float = 28) -> str:
        """The drawing as a file of its own."""
        return template("picture.svg").render(
            wide=f"{wide:.0f}", high=f"{self.bottom + below:.0f}", alt=alt, drawn=self.drawn
        )


def ticks_within(low: float, high: float) -> list[float]:
    """List round numbers within a range, or its low end where it has no round number."""
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span / _TICKS))
    step = next(m * power for m in (1, 2, 5, 10, 20) if span / (m * power) <= _TICKS)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    # Without the noise of floating point.
    ticks = [float(f"{k * step:.10g}") for k in range(first, last + 1)]
    return ticks or [low]


def _make_scale(low: float, high: float, start: float, end: float) -> Scale:
    """A scale from values to pixels; a range of one value is in the middle."""
    if high == low:
        return lambda _: (start + end) / 2
    return lambda value: start + (end - start) * (value - low) / (high - low)


def _add_axis(drawing: _Drawing, values: Sequence[float], start: float, end: float) -> Scale:
    """Draw an axis that has room for the values and round numbers."""
    ticks = ticks_within(min(values), max(values))
    scale = _make_scale(min(*values, *ticks), max(*values, *ticks), start, end)
    drawing.add_ticks({tick: f"{tick:g}" for tick in ticks}, scale)
    return scale


def _name_classes(first: bool, filled: bool) -> str:
    """Return the further classes of a dot."""
    classes = ""
    if first:
        classes += " first"
    if filled:
        classes += " filled"
    return classes


# -------------------------------------------------------------------------------------------------
# Scores of systems.


def forest_svg(result: MetricResult, settings: Settings) -> str:
    """Scores with their intervals and, where there are any, rank ranges.

    There is a row for each system, the best on top.
    """
    systems = result.systems
    anchor, significant = pick_significant(result, settings)
    best: Collection[str] = {anchor}
    if settings.baseline is None:
        best = result.best
    has_ranks = len(systems) > 1 and systems[0].rank_low is not None
    drawing = _Drawing(row.system for row in systems)
    share_of_scores = 0.98
    if has_ranks:
        share_of_scores = 0.62
    scores_end = drawing.left + (_WIDE - drawing.left) * share_of_scores
    title = f"{metric_title(result.metric)} {name_score_axis(result, settings)}"
    drawing.add_head(drawing.left, title)
    _draw_scores(drawing, systems, scores_end, best, significant)
    alt = "Scores with intervals, best first"
    if has_ranks:
        alt = "Scores with intervals and rank ranges, best first"
        drawing.add_head(scores_end + _MARGIN, "Rank range")
        _draw_ranks(drawing, systems, scores_end + 24, best)
    for k in cluster_ends(systems):
        drawing.add_line(0, drawing.ends[k], _WIDE, drawing.ends[k], "cluster")
    return drawing.to_svg(alt)


def _draw_scores(
    drawing: _Drawing,
    systems: Sequence[SystemResult],
    end: float,
    best: Collection[str],
    significant: Collection[str],
) -> None:
    values: list[float] = []
    for row in systems:
        bounds = (row.score, row.ci_low, row.ci_high)
        values += [value for value in bounds if value is not None]
    scale = _add_axis(drawing, values, drawing.left + _MARGIN, end - _MARGIN)
    for row, y in zip(systems, drawing.middles, strict=True):
        if row.ci_low is not None and row.ci_high is not None:
            drawing.add_interval(scale(row.ci_low), scale(row.ci_high), y, "bar", 4)
        is_best = row.system in best
        css = _name_classes(is_best, is_best or row.system in significant)
        drawing.add_dot(scale(row.score), y, css)


def _draw_ranks(
    drawing: _Drawing, systems: Sequence[SystemResult], start: float, best: Collection[str]
) -> None:
    last = max(2, len(systems), *(row.rank_high or 1 for row in systems))
    scale = _make_scale(1, last, start, _WIDE - 70)
    ticks = sorted({1, *range(5, last - 2, 5), last})
    drawing.add_ticks({tick: str(tick) for tick in ticks}, scale)
    for row, y in zip(systems, drawing.middles, strict=True):
        if row.rank_low is None or row.rank_high is None:
            continue
        left = scale(row.rank_low) - 6
        right = scale(row.rank_high) + 6
        css = "rank first" if row.system in best else "rank"
        drawing.add_rect(left, y - 6, right - left, 12, css)
        ranks = rank_interval(row.rank_low, row.rank_high).replace("-", _EN_DASH)
        drawing.add_text(right + 5, y + 5, ranks)


# -------------------------------------------------------------------------------------------------
# Differences.


class DifferenceRow(NamedTuple):
    """A difference with its intervals, filled where it is significant."""

    name: str
    delta: float
    single: Bounds | None
    joint: Bounds | None
    filled: bool
    end: str = ""  # behind the row

    def values(self) -> list[float]:
        """The values that an axis needs room for."""
        return [0.0, self.delta, *(self.single or ()), *(self.joint or ())]


def differences_svg(result: MetricResult, settings: Settings) -> str:
    """The improvement of each system over the best, or over the baseline."""
    anchor = printable(find_anchor(result, settings))
    drawing = _draw_anchor_pairs(result, settings, _TOP)
    return drawing.to_svg(f"Differences to {anchor} with their intervals")


def _draw_anchor_pairs(result: MetricResult, settings: Settings, top: float) -> _Drawing:
    _, significant = pick_significant(result, settings)
    anchor = find_anchor(result, settings)
    views = view_anchor_pairs(result, settings)
    is_joint = name_simultaneous(result, settings) is not None
    rows = []
    for row in result.systems:
        view = views.get(row.system)
        if view is not None:
            joint = None
            if is_joint:
                joint = view.ci_joint
            is_filled = row.system in significant
            rows.append(DifferenceRow(row.system, view.difference, view.ci, joint, is_filled))
    head = write_difference_axis(result, metric_title(result.metric), printable(anchor))
    drawing = _Drawing((row.name for row in rows), top)
    drawing.add_head(drawing.left, head)
    values = list(chain(*(row.values() for row in rows)))
    scale = _add_axis(drawing, values, drawing.left + _MARGIN, _WIDE - 28)
    scales = [scale for _ in rows]
    _draw_difference_rows(drawing, rows, scales)
    return drawing


def draw_differences(differences: Sequence[DifferenceRow], head: str) -> str:
    """Draw differences, each row on its own scale, with 0 in the middle of every row.

    A thick bar is a single interval, a thin line with ends a simultaneous one.
    """
    drawing = _draw_own_scales(differences, head, _TOP)
    return drawing.to_svg("The difference by each metric with its intervals", below=8)


def pair_svg(comparison: Comparison, metric: str) -> str:
    """The difference of the only two systems by each metric."""
    drawing = _draw_pair(comparison, metric, _TOP)
    return drawing.to_svg("The difference by each metric with its interval", below=8)


def _draw_pair(comparison: Comparison, metric: str, top: float) -> _Drawing:
    rows = []
    for row in list_metric_rows(comparison, metric):
        pair = row.pair
        is_decided = pair.decision in ("better", "worse")
        name = f"{row.title}: {row.difference}"
        rows.append(DifferenceRow(name, pair.difference, pair.ci, None, is_decided, row.p))
    system, partner = name_sides(comparison.metrics[metric], comparison.settings)
    head = f"Right of the line {printable(system)} is better, left of it {printable(partner)}"
    return _draw_own_scales(rows, head, top)


def _draw_own_scales(differences: Sequence[DifferenceRow], head: str, top: float) -> _Drawing:
    drawing = _Drawing((row.name for row in differences), top)
    drawing.add_head(drawing.left, head)
    scales = []
    for row in differences:
        reach = max(map(abs, row.values())) or 1.0
        scales.append(_make_scale(-reach, reach, drawing.left + _MARGIN, _WIDE - 150))
    _draw_difference_rows(drawing, differences, scales)
    return drawing


def _draw_difference_rows(
    drawing: _Drawing, rows: Sequence[DifferenceRow], scales: Sequence[Scale]
) -> None:
    zero = scales[0](0)
    drawing.add_line(zero, drawing.top - 2, zero, drawing.bottom, "zero")
    for row, y, scale in zip(rows, drawing.middles, scales, strict=True):
        if row.joint is not None:
            low, high = row.joint
            drawing.add_interval(scale(low), scale(high), y, "together", 6)
        if row.single is not None:
            low, high = row.single
            drawing.add_interval(scale(low), scale(high), y, "single")
        drawing.add_dot(scale(row.delta), y, _name_classes(True, row.filled))
        if row.end:
            drawing.add_text(_WIDE - 136, y + 5, row.end)


def differences_picture(comparison: Comparison, metric: str) -> str:
    """The differences as a file of its own.

    The verdict is above them, and below is how to read them, and their caveats.
    """
    result = comparison.metrics[metric]
    settings = comparison.settings
    is_single = len(result.pairs) == 1
    key = [f"Thick: {write_level(settings)} CI for this pair only."]
    if is_single:
        key = [f"Bar: {write_level(settings)} CI. Each row has its own scale."]
    joint = name_simultaneous(result, settings)
    if joint is not None:
        key.append(f"Thin, with ends: {joint}.")
    key.append(
        "Filled: significantly different. Hollow: no significant difference, which does not mean equal."
    )
    above = _wrap_text(state_answer(comparison, metric), _WIDE)
    below = _wrap_text(" ".join([*key, *list_caution_texts(comparison, metric)]), _WIDE)
    top = _TOP + 12 + _LINE * len(above)
    if is_single:
        drawing = _draw_pair(comparison, metric, top)
    else:
        drawing = _draw_anchor_pairs(result, settings, top)
    for k, line in enumerate(above, 1):
        drawing.add_text(8, _LINE * k, line, "bold")
    drawing.bottom += 28
    _add_lines_below(drawing, below)
    return drawing.to_file(above[0], below=12)


def _wrap_text(text: str, wide: float) -> list[str]:
    return wrapped(printable(text), int(wide / _DIGIT))


def _add_lines_below(drawing: _Drawing, lines: Sequence[str]) -> None:
    for line in lines:
        drawing.bottom += _LINE
        drawing.add_text(8, drawing.bottom, line)


# -------------------------------------------------------------------------------------------------
# A shared task: systems by language pairs, with the top group of each.


_NARROWEST_CELL = 52.0
_WIDEST_HEAD = 760  # of titles side by side; wider ones are set upright


def task_svg(comparison: TaskComparison, metric: str) -> str:
    """A row for each system, a column for each language pair and one across them.

    The cells are rank ranges; those that reach the first rank are filled. A dash: no score there,
    or no rank.
    """
    drawing, wide = _draw_task(comparison, metric)
    return drawing.to_svg(_describe_task(comparison, metric), wide, 8)


def task_picture(comparison: TaskComparison, metric: str) -> str:
    """Draw the ranks of a task as a separate file, with an explanation below."""
    ranks = rank_table(comparison, metric)
    key = [
        f"Ranks by {name_metric(metric)}.",
        *explain_ranks(comparison, metric),
        *ranks.legend.explain(ranks, marked="Blue"),
        *list_caution_texts(comparison, metric),
    ]
    drawing, wide = _draw_task(comparison, metric)
    text = use_noun(" ".join(key), name_parts(comparison.pairs))
    lines = wrapped(printable(text), max(30, int((wide - 16) / _DIGIT)))
    _add_lines_below(drawing, lines)
    wide = max(wide, *(16 + _DIGIT * width(line) for line in lines))
    return drawing.to_file(_describe_task(comparison, metric), wide, 8)


def _describe_task(comparison: TaskComparison, metric: str) -> str:
    n_systems = format_count(len(rank_table(comparison, metric).rows), "system")
    names = select_lang_pairs(comparison, metric)
    n_pairs = format_count(len(names), name_parts(names))
    return f"{metric_title(metric)}: rank ranges of {n_systems} in {n_pairs}"


def _draw_task(comparison: TaskComparison, metric: str) -> tuple[_Drawing, float]:
    """The drawing and how wide it is."""
    table = rank_table(comparison, metric)
    ranks = table.without("system", "n_pairs", "score", "wins", "ties", "losses")
    titles = list(map(printable, ranks.titles))
    texts = ranks.texts()
    is_upright = sum(12 + _DIGIT * width(title) for title in titles) > _WIDEST_HEAD
    top = 28.0
    if is_upright:
        top = 8 + _DIGIT * max(map(width, titles))
    drawing = _Drawing(table.values("system"), top, _SMALL_ROWS)
    widths = []
    for k, title in enumerate(titles):
        cells = _DIGIT * max(width(row[k]) for row in texts) + 10
        head = 0.0
        if not is_upright:
            head = _DIGIT * width(title) + 12
        widths.append(max(_NARROWEST_CELL, cells, head))
    columns = list(pairwise(accumulate(widths, initial=drawing.left)))
    for (left, right), title in zip(columns, titles, strict=True):
        middle = (left + right) / 2
        if is_upright:
            drawing.drawn.append(drawing.shapes.upright(middle + 5, top - 6, title))
        else:
            drawing.add_text(middle, top - 6, title, "mid")
    _draw_rank_cells(drawing, ranks, columns)
    _, end = columns[-1]
    for k in ranks.ruled:
        drawing.add_line(0, drawing.ends[k], end, drawing.ends[k], "cluster")
    return drawing, end + 8


def _draw_rank_cells(
    drawing: _Drawing, ranks: Table, columns: Sequence[tuple[float, float]]
) -> None:
    rows = zip(drawing.starts, drawing.ends, ranks.texts(), strict=True)
    for k, (top, bottom, texts) in enumerate(rows):
        for (left, right), key, text in zip(columns, ranks.keys, texts, strict=True):
            first = ""
            if (k, key) in ranks.marks:
                first = " first"
            if text != MISSING:
                drawing.add_rect(
                    left + 1, top + 1, right - left - 2, bottom - top - 2, f"cell{first}"
                )
            x = (left + right) / 2
            y = (top + bottom) / 2 + 5
            drawing.add_text(x, y, text.replace("-", _EN_DASH), f"mid{first}")
