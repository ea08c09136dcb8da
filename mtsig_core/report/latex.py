"""Comparisons as LaTeX tables that show every name literally, whatever is in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mtsig_core.metrics import metric_title
from mtsig_core.report.cautions import group_cautions
from mtsig_core.report.caveats import ranks_hold_jointly
from mtsig_core.report.cells import signed
from mtsig_core.report.latex_tables import (
    END,
    MOST_ON_A_PAGE,
    MOST_ROWS,
    PREAMBLE,
    fitting_table,
    longtable,
    name_cell,
    name_column,
    number_cell,
    paragraph,
    rank_cell,
    tabular,
)
from mtsig_core.report.phrases import level, row_against_column
from mtsig_core.report.records import matrix_records
from mtsig_core.report.runs_tables import run_rows
from mtsig_core.report.sentences import basis_sentences, caption_sentences
from mtsig_core.report.tables import (
    CLUSTERS_SAID,
    by_reference_rows,
    cluster_ends,
    format_p,
    leaderboard_rows,
    left_out,
    pair_rows,
    points,
)
from mtsig_core.report.terminal import printable
from mtsig_core.results import Comparison, MetricResult

__all__ = ["comparison_latex"]

_WIDEST_MATRIX = 15  # systems


def comparison_latex(comparison: Comparison) -> str:
    """Leaderboard, pairs and matrix of each metric as booktabs tables with short captions, and how it was tested.

    What has to be known beside the numbers stands below each table, how they came about in a paragraph for each metric.

    Returns
    -------
    str
        A file that compiles alone, and that a document may read with ``\\input``; comments at the top name the
        packages that it needs and repeat the warnings.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A_1": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> r"\\begin{tabular}" in comparison_latex(compare(ts, trials=999))
    True
    """
    gone = f"% Left out: {printable(left_out(comparison))}\n" if comparison.excluded else ""
    warnings = group_cautions(comparison.warnings, len(comparison.warnings), several=len(comparison.metrics) > 1)
    parts = [PREAMBLE + gone + "".join(f"% Warning: {printable(text)}\n" for texts in warnings for text in texts)]
    for result in comparison.metrics.values():
        parts.append(_leaderboard(comparison, result))
        if result.runs:
            parts.append(_runs(comparison, result))
        header, rows = by_reference_rows(result)
        if rows:
            said = [f"Leaders by {metric_title(result.metric)}, by all references together and by each alone: no other "
                    "system is significantly better than these."]
            cells = [list(map(name_cell, row)) for row in rows]
            parts.append(tabular("references", r"lp{.5\textwidth}l", header, cells, result.metric, said))
        if result.pairs:
            parts.append(_pairs(comparison, result))
            if any(pair.mdd is not None for pair in result.pairs):
                parts.append(_detectable(comparison, result))
        if 2 < len(result.systems) and comparison.settings.baseline is None:
            parts.append(_matrix(comparison, result) if len(result.systems) <= _WIDEST_MATRIX else
                         f"% A matrix of {len(result.systems)} systems is too wide for a page: the pairs above have "
                         "its numbers.\n")
        parts.append(paragraph(f"{metric_title(result.metric)}: methods", basis_sentences(comparison, result)))
    return "\n".join([*parts, END])


def _leaderboard(comparison: Comparison, result: MetricResult) -> str:
    header, rows = leaderboard_rows(result, comparison.settings)
    cells = [[rank_cell(rank), name_cell(name), *map(number_cell, rest)] for rank, name, *rest in rows]
    said = caption_sentences(comparison, result, "Scores")
    if result.systems[0].rank_low is not None and ranks_hold_jointly(comparison):
        said.insert(1, "Rank intervals hold jointly for all systems.")
    if ends := cluster_ends(result.systems):
        said.insert(1, CLUSTERS_SAID)
    column = name_column(row.system for row in result.systems)
    return fitting_table("systems", f"c{column}{'r' * (len(header) - 2)}", header, cells, result.metric, said,
                         ruled=ends)


def _pairs(comparison: Comparison, result: MetricResult) -> str:
    header, rows = pair_rows(result, comparison.settings, MOST_ROWS)
    marks = {"a": "$>$", "b": "$<$", None: "--"}
    last = header.index("better")
    cells = [[name_cell(row[0]), *map(number_cell, row[1:last]), marks[pair.better]]
             for row, pair in zip(rows, result.pairs[:MOST_ROWS], strict=True)]
    said = caption_sentences(comparison, result, "Differences")
    said.insert(1, "> means that the first system of a pair is better by the test, < that the second is, a dash that "
                   "the test does not decide, which does not make them equal.")
    short = len(rows) <= MOST_ON_A_PAGE
    table: Callable[..., str] = tabular if short else partial(longtable, n_rows=len(result.pairs))
    column = name_column((row[0] for row in rows), 44 if short else 18)
    return table("pairs", f"{column}{'r' * (last - 1)}c", [*header[:last], "decision"], cells, result.metric, said)


def _detectable(comparison: Comparison, result: MetricResult) -> str:
    """What could be seen of each pair; a table of its own, as that of the pairs is as wide as a page."""
    header, rows = pair_rows(result, comparison.settings, MOST_ROWS)
    shown = [k for k, title in enumerate(header) if title in ("SE", "min. difference", "for the family")]
    cells = [[name_cell(row[0]), *(number_cell(row[k]) for k in shown)] for row in rows]
    said = caption_sentences(comparison, result, "Minimum detectable differences")
    family = f"; for the family: at alpha/{len(result.tested)}, enough among all" if "for the family" in header else ""
    said.insert(1, f"Such a true difference is found with 80% power, uncorrected{family}. In brackets: "
                   f"{level(comparison.settings)} interval, as the standard error (SE) is an estimate.")
    short = len(rows) <= MOST_ON_A_PAGE
    table: Callable[..., str] = tabular if short else partial(longtable, n_rows=len(result.pairs))
    titles = ["pair", *(header[k] for k in shown)]
    column = name_column((row[0] for row in rows), 44 if short else 18)
    return table("detectable", column + "r" * len(shown), titles, cells, result.metric, said)


def _runs(comparison: Comparison, result: MetricResult) -> str:
    header, rows = run_rows(result, comparison.settings.alpha)
    said = [f"Scores of each training run by {metric_title(result.metric)}, with their standard deviation and its "
            "interval: what differs from one training to another, on this test set."]
    cells = [[name_cell(row[0]), *map(number_cell, row[1:4]), name_cell(row[4])] for row in rows]
    column, scores = name_column(row[0] for row in rows), name_column((row[4] for row in rows), 44)
    return tabular("runs", f"{column}rrr{scores}", header, cells, result.metric, said)


def _matrix(comparison: Comparison, result: MetricResult) -> str:
    n, form, (_, rows) = len(result.systems), points(result), matrix_records([result])
    significant = {frozenset((pair.a, pair.b)) for pair in result.pairs if pair.significant}
    names = [row.system for row in result.systems]
    shares = any(pair.win is not None for pair in result.pairs)

    def cell(i: int, j: int, value: float | None) -> str:
        if i == j:
            return ""
        if value is None:
            return "--"
        if i > j:
            return f"{value:.3f}" if shares else number_cell(format_p(value))
        text = number_cell(signed(value, form))
        return rf"\textbf{{{text}}}" if frozenset((names[i], names[j])) in significant else text

    cells = [[str(i + 1), name_cell(name), *(cell(i, j, value) for j, value in enumerate(values))]
             for i, (_, name, *values) in enumerate(rows)]
    said = caption_sentences(comparison, result, "All pairs")
    below = "the share of samples that the better one wins" if shares else "the adjusted p"
    said.insert(1, f"Above the diagonal the difference {row_against_column(result)}, positive where the row is better, "
                   f"bold where significant; below it {below}. Not significant does not mean equal.")
    return tabular("matrix", f"r{name_column(names)}{'r' * n}", ["", "", *map(str, range(1, n + 1))], cells,
                   result.metric, said, r"\scriptsize\setlength{\tabcolsep}{2pt}")


