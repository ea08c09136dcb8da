"""Results as aligned text for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import written_like
from mtsig_core.report.tables import (
    CLUSTERS_SAID,
    by_reference_rows,
    cluster_ends,
    leaderboard_rows,
    left_out,
    pair_rows,
    pair_run_rows,
    relation_rows,
    run_rows,
    summary,
    verdict,
    without_relation,
)
from mtsig_core.report.text import options_said, printable, text_width
from mtsig_core.report.words import assumptions, direction, far_firsts, group_cautions
from mtsig_core.results import Comparison, MetricResult, Settings
from mtsig_core.stats.score import Scores
from mtsig_core.stats.significance import is_split

_FEW_PAIRS = 30  # more are shown as a matrix alone


def comparison_text(comparison: Comparison) -> str:
    """Settings; for each metric the systems, the pairs and the matrix of decisions; all metrics together; warnings."""
    lines = [printable("; ".join(part)) for part in summary(comparison)]
    lines += [f"Left out: {printable(left_out(comparison))}"] if comparison.excluded else []
    lines += map(printable, assumptions(comparison.testset.assumed, comparison.metrics))
    lines += _warnings(comparison, first=True)
    for result in comparison.metrics.values():
        lines += ["", *_metric_lines(result, comparison)]
    lines += [*_relation_lines(list(comparison.metrics.values())), *_warnings(comparison, first=False)]
    return "\n".join(lines).rstrip() + "\n"


def _warnings(comparison: Comparison, first: bool) -> list[str]:
    """Those that question all numbers, which stand before them; or the others."""
    chosen = [one for one in comparison.warnings if one.kind.comes_first == first]
    return [line for texts in group_cautions(chosen, several=len(comparison.metrics) > 1, say=options_said)
            for line in ("", *(f"Warning: {printable(text)}" for text in texts))]


def scores_text(scores: Scores) -> str:
    """The systems by each metric, and its signature."""
    lines = []
    for found in scores.metrics.values():
        form = written_like(row.score for row in found.systems)
        rows = [[row.system, f"{row.score:{form}}"] for row in found.systems]
        lines += [*table_lines(["system", metric_title(found.metric)], rows, "<>"), ""]
        lines += [] if found.higher_is_better else ["Lower is better."]
        lines += [*map(printable, assumptions(scores.testset.assumed, [found.metric])), printable(found.signature), ""]
    return "\n".join(lines).rstrip() + "\n"


def _metric_lines(result: MetricResult, comparison: Comparison) -> list[str]:
    settings = comparison.settings
    title = f"{printable(metric_title(result.metric))} ({direction(result.higher_is_better, bool(result.pairs))})"
    if (said := verdict(result, settings)) is not None:
        title += f". {printable(said)}"
    header, rows = leaderboard_rows(result, settings)
    far = far_firsts(result)
    beside = [caution.finding for caution in comparison.warnings
              if caution.kind.beside_verdict and caution.metric == result.metric]
    lines = [title, *map(printable, beside), *([] if far is None else [printable(far)]),
             *table_lines(header, rows, "<<" + ">" * (len(header) - 2), ends := cluster_ends(result.systems)),
             *[CLUSTERS_SAID] * bool(ends)]
    if result.runs:
        header, rows = run_rows(result, settings.alpha)
        lines += ["", *table_lines(header, rows, "<>>><")]
    header, rows = by_reference_rows(result)
    if rows:
        lines += ["", *table_lines(header, rows, "<<<")]
    if result.pairs and (len(result.pairs) <= _FEW_PAIRS or settings.baseline is not None):
        header, rows = pair_rows(result, settings)
        lines += ["", *table_lines(header, rows, "<" + ">" * (len(header) - 1))]
        if result.pair_runs:
            lines += ["", *table_lines(*pair_run_rows(result), "<>>>")]
    elif result.pairs:
        lines += ["", "Differences and p of all pairs: --format csv or json; --baseline NAME for those with one."]
    if len(result.systems) > 2 and settings.baseline is None:
        lines += ["", *_matrix_lines(result, settings)]
    return [*lines, "", printable(result.signature)]


def _matrix_lines(result: MetricResult, settings: Settings) -> list[str]:
    """Row against column: > significantly better, < significantly worse, . not significant, ? cannot be decided, ! test
    and scores disagree, - not tested."""
    order = {row.system: k for k, row in enumerate(result.systems)}
    cells = [["."] * len(order) for _ in order]
    for k in range(len(order)):
        cells[k][k] = " "
    for pair in result.pairs:
        i, j = order[pair.a], order[pair.b]
        if pair.n == 0:
            cells[i][j] = cells[j][i] = "-"
        elif not pair.decidable:
            cells[i][j] = cells[j][i] = "?"
        elif is_split(pair, settings.alpha):
            cells[i][j] = cells[j][i] = "!"
        elif pair.better is not None:
            cells[i][j], cells[j][i] = (">", "<") if pair.better == "a" else ("<", ">")
    width = len(str(len(order)))
    names = [f"{k + 1:>{width}} {printable(name)}" for name, k in order.items()]
    label = max(map(text_width, names))
    significant = sum(pair.significant for pair in result.pairs)
    apart = len(result.pairs) - len(result.tested)
    untested = f"; - not tested, no line in common: {apart}" if apart else ""
    open_ones = "" if all(pair.decidable for pair in result.tested) else ", ? cannot be decided"
    open_ones += ", ! test and scores disagree" * any(is_split(pair, settings.alpha) for pair in result.tested)
    lines = [f"Row against column: > significantly better, < worse, . not significant{open_ones} ({significant} of "
             f"{counted(len(result.tested), 'pair')} significant{untested})",
             " " * label + "".join(f" {k + 1:>{width}}" for k in order.values())]
    return lines + [_pad(name, label, "<") + "".join(f" {cell:>{width}}" for cell in row)
                    for name, row in zip(names, cells, strict=True)]


def _relation_lines(results: Sequence[MetricResult]) -> list[str]:
    """All metrics in one matrix, where there are several."""
    if len(results) < 2:
        return []
    header, rows = relation_rows(results)
    if not rows:
        return []
    names = ", ".join(metric_title(result.metric) for result in results)
    left_out = without_relation(results)
    note = [f"Not compared by all of these: {printable(', '.join(left_out))}"] if left_out else []
    return ["", f"Row against column by {printable(names)}, in this order: > significantly better, < worse, ~ neither",
            *table_lines(header, rows, "><" + "^" * len(rows)), *note]


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]], aligned: str,
                ruled: Collection[int] = ()) -> list[str]:
    """A table, a sign of `aligned` for each column: <, > or ^; with a line below the `ruled` rows."""
    header, *rows = (list(map(printable, row)) for row in [header, *rows])
    widths = [max(map(text_width, column)) for column in zip(header, *rows, strict=True)]
    lines = []
    for k, row in enumerate([header, *rows], -1):
        cells = (_pad(cell, width, side) for cell, width, side in zip(row, widths, aligned, strict=True))
        lines.append("  ".join(cells).rstrip())
        if k in ruled:
            lines.append("-" * (sum(widths) + 2 * (len(widths) - 1)))
    return lines


def _pad(text: str, width: int, side: str) -> str:
    space = width - text_width(text)
    return text + " " * space if side == "<" else " " * space + text if side == ">" else \
        " " * (space // 2) + text + " " * (space - space // 2)
