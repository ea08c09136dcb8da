"""A comparison as a report, in every form that it is written in."""

from __future__ import annotations

from collections.abc import Callable

from mtsig_core.report.export import comparison_csv, matrix_csv
from mtsig_core.report.html import LEVELS, table, template
from mtsig_core.report.latex import comparison_latex as comparison_latex
from mtsig_core.report.palette import ink, mixed
from mtsig_core.report.pictures import differences_svg, forest_svg, matrix_key, matrix_svg
from mtsig_core.report.result_json import comparison_json
from mtsig_core.report.sentences import paper_sentences
from mtsig_core.report.tables import (
    CLUSTERS_SAID,
    by_reference_rows,
    cluster_ends,
    interval_kinds,
    leaderboard_rows,
    pair_rows,
    pair_run_rows,
    points,
    run_rows,
    simultaneous_word,
    summary,
    verdict,
)
from mtsig_core.report.terminal import comparison_text as comparison_text
from mtsig_core.report.words import assumptions, group_cautions, wrong_files
from mtsig_core.results import Comparison, MetricResult


def comparison_html(comparison: Comparison) -> str:
    """The answer first, then leaderboards with figures, what was left out, warnings, matrices and pairs, sentences
    for a paper, settings and signature.

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers. Names are shown literally.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"<b>A</b>": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> "&lt;b&gt;A&lt;/b&gt; is ahead of all others" in comparison_html(compare(ts, trials=999))
    True
    """
    info, settings = comparison.testset, comparison.settings

    def answer(result: MetricResult) -> str:
        first = result.systems[0]
        return verdict(result, settings) or f"{first.system} scores {first.score:{points(result)}}"

    known = [("test set", info.name), ("digest", info.digest), ("test", settings.test), ("unit", settings.unit),
             ("block length", settings.block_length), ("trials", settings.trials), ("alpha", settings.alpha),
             ("correction", settings.correction), ("intervals", interval_kinds(comparison)),
             ("resamples", settings.resamples), ("seed", settings.seed), ("baseline", settings.baseline),
             ("mtsig", settings.version)]
    return template("comparison.html").render(
        comparison=comparison, info=info, settings=settings, results=list(comparison.metrics.values()), known=known,
        assumed=assumptions(info.assumed, comparison.metrics),
        left_out=[(one.system, one.reason) for one in comparison.excluded], summary=summary(comparison),
        doubts=group_cautions(wrong_files(comparison.warnings)), answer=answer, cautions=group_cautions(
            [one for one in comparison.warnings if not one.kind.doubts_files], several=len(comparison.metrics) > 1),
        leaderboard_rows=leaderboard_rows, by_reference_rows=by_reference_rows, pair_rows=pair_rows,
        run_rows=run_rows, pair_run_rows=pair_run_rows,
        paper_sentences=paper_sentences, forest_svg=forest_svg, differences_svg=differences_svg,
        matrix_svg=matrix_svg, matrix_key=matrix_key, levels=LEVELS, mixed=mixed, ink=ink,
        simultaneous_word=simultaneous_word, table=table, cluster_ends=cluster_ends, clusters_said=CLUSTERS_SAID)


FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": comparison_text, "json": comparison_json, "csv": comparison_csv, "latex": comparison_latex,
    "html": comparison_html, "matrix": matrix_csv}
