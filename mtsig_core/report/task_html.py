"""A shared task as one HTML file that needs nothing else: no script, no font, no picture, no network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mtsig_core.inference.across_metrics import disputed_in
from mtsig_core.report import task_agreement_report, task_disputes
from mtsig_core.report.agreement_report import agreement_rows, comparison_rows
from mtsig_core.report.cautions import group_cautions
from mtsig_core.report.caveats import assumptions, direction
from mtsig_core.report.far_firsts import far_firsts_in
from mtsig_core.report.html_figures import LEVELS, forest_svg, template
from mtsig_core.report.html_tables import literal, table
from mtsig_core.report.palette import ink, mixed
from mtsig_core.report.review_report import MEASURED_SAID, recorded_note_rows
from mtsig_core.report.tables import CLUSTERS_SAID, cluster_ends, leaderboard_rows, pair_rows, summary
from mtsig_core.report.task_across import across_columns, decision_notes
from mtsig_core.report.task_figure import task_svg, winners
from mtsig_core.report.task_latex import other_track
from mtsig_core.report.task_ranks import first_rows, marked_said, rule_said
from mtsig_core.report.task_sentences import task_methods
from mtsig_core.report.task_tables import (
    MISSING_SAID,
    above_ranks,
    macro_pair_rows,
    order_of,
    picture_ends,
    picture_rows,
    task_verdict,
)
from mtsig_core.results import Comparison
from mtsig_core.results.task import TaskComparison

__all__ = ["task_html"]

_MOST_COLUMNS = 14  # of a table that is to be printed
_MOST_PAIRS = 3000  # of systems, in all tables together


def task_html(found: TaskComparison, command: str, review: Mapping[str, Any] | None = None) -> str:
    """The answer and the picture first, then what was assumed and left out, how it was tested, the systems across the
    language pairs, each language pair with its warnings, and the commands.

    Parameters
    ----------
    found : TaskComparison
    command : str
        The command line that prints its numbers.
    review : mapping, optional
        As `review_record` gives it of what was found: what was decided, the notes, and the steps that led there.

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers, light in print. Names are shown literally.
    """
    comparisons = list(found.pairs.values())
    metrics = list(dict.fromkeys(name for comparison in comparisons for name in comparison.metrics))
    n_pairs = sum(len(result.pairs) for comparison in comparisons for result in comparison.metrics.values())

    def grey(metric: str) -> list[int]:
        return [k for k, name in enumerate(order_of(found, metric)) if other_track(found.task, name)]

    def cautions(comparison: Comparison) -> list[list[str]]:
        return group_cautions(comparison.warnings, several=len(comparison.metrics) > 1)

    first = comparisons[0]
    return template("task.html").render(
        found=found, task=found.task, metrics=metrics, verdict=task_verdict, picture=picture_rows, grey=grey,
        missing=MISSING_SAID, picture_ends=picture_ends, cluster_ends=cluster_ends, clusters_said=CLUSTERS_SAID,
        anchors={pair: f"pair-{k}" for k, pair in enumerate(found.pairs, 1)}, methods=task_methods, table=table,
        simulated=any(comparison.testset.simulated for comparison in comparisons), macro_rows=macro_pair_rows,
        direction=direction, decision_notes=decision_notes, across_columns=across_columns,
        rule_said=rule_said, first_rows=first_rows, marked_said=marked_said, far_firsts=far_firsts_in,
        above_ranks=above_ranks, alpha=first.settings.alpha, version=first.settings.version, summary=summary,
        cautions=cautions, leaderboard_rows=leaderboard_rows, pair_rows=pair_rows, with_pairs=n_pairs <= _MOST_PAIRS,
        disputed=disputed_in(found), disputes=task_disputes, held=task_agreement_report, agreement_rows=agreement_rows,
        comparison_rows=comparison_rows, task_svg=task_svg, short=_short,
        forest_svg=forest_svg, winners=winners, levels=LEVELS, mixed=mixed, ink=ink,
        left_out=[(one.system, one.pair or "all", one.reason) for one in found.excluded],
        review=review, literal=literal, decided=_decided(review), measured=MEASURED_SAID,
        noted=([], []) if review is None else recorded_note_rows(review, found),
        assumed=assumptions(found.task.assumed, metrics),
        commands={"this page": f"{command} --format html", "all numbers": f"{command} --format json",
                  "as a table": f"{command} --format csv", "manifest": f"{command} --format manifest"})


def _decided(review: Mapping[str, Any] | None) -> list[list[str]]:
    return [] if review is None else [[one["pair"], ", ".join(one["first"]), one["why"]] for one in review["decisions"]]


def _short(header: list[str], rows: list[list[str]], marks: set[tuple[int, int]]
           ) -> tuple[list[str], list[list[str]], set[tuple[int, int]]]:
    """The table of the picture; of very many language pairs without their ranks, which the figure has."""
    if len(header) <= _MOST_COLUMNS:
        return header, rows, marks
    kept = [0, *range(len(header) - 1 - header[::-1].index("pairs"), len(header))]
    return ([header[k] for k in kept], [[row[k] for k in kept] for row in rows],
            {(row, kept.index(k)) for row, k in marks if k in kept})
