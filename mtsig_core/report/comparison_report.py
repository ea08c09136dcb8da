"""A comparison as a report, and in every form that it is written in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.document import Block, Facts, Figure, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import comparison_csv, matrix_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import MOST_ROWS, report_latex
from mtsig_core.report.notebook import report_fragment
from mtsig_core.report.pictures import differences_svg, forest_svg, matrix_key, matrix_svg
from mtsig_core.report.result_json import comparison_json
from mtsig_core.report.sentences import (
    choose_form,
    describe_difference,
    list_exclusions,
    list_interval_kinds,
    name_simultaneous,
    paper_sentences,
    state_verdict,
    summarize_comparison,
    write_caption,
    write_level,
    write_methods,
)
from mtsig_core.report.tables import (
    CLUSTERS_NOTE,
    DETECTABLE,
    by_reference_table,
    cluster_ends,
    exclusions_table,
    leaderboard_table,
    numbered_matrix,
    pair_runs_table,
    pairs_table,
    relations_table,
    runs_table,
    signs_table,
    without_relation,
)
from mtsig_core.report.text import report_text
from mtsig_core.report.words import describe_direction, explain_far_firsts, list_assumptions
from mtsig_core.results import Comparison, MetricResult
from mtsig_core.stats.significance import is_split

_FEW_PAIRS = 30  # more have their differences in files, and in text a matrix
_WIDEST_MATRIX = 15  # systems, on paper


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """The whole of it as text, whose tables fit `width`."""
    return report_text(comparison_report(comparison), width)


def comparison_latex(comparison: Comparison) -> str:
    """Leaderboard, pairs and matrix of each metric as booktabs tables with short captions, and how it was tested.

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
    return report_latex(comparison_report(comparison, MOST_ROWS))


def comparison_html(comparison: Comparison) -> str:
    """A page in light or dark, as the reader's system prefers, that needs nothing else. Names are shown literally.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"<b>A</b>": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> "&lt;b&gt;A&lt;/b&gt; is ahead of all others" in comparison_html(compare(ts, trials=999))
    True
    """
    return report_html(comparison_report(comparison))


def comparison_fragment(comparison: Comparison) -> str:
    """What a notebook shows of it."""
    return report_fragment(comparison_report(comparison))


def comparison_report(comparison: Comparison, most_pairs: int | None = None) -> Report:
    """Who is ahead by each metric, with all tables and figures, warnings, and how it was tested.

    Of the pairs, the first `most_pairs` have rows.
    """
    info, results = comparison.testset, list(comparison.metrics.values())
    sections = [Section("", list(_introduce(comparison)))]
    for result in results:
        title = metric_title(result.metric)
        sections.append(Section(f"{title}: systems", list(_show_systems(comparison, result))))
        if result.pairs:
            sections.append(Section(f"{title}: pairs", list(_show_pairs(comparison, result, most_pairs)), "detail"))
        sections.append(Section("", list(_say_methods(comparison, result)), "detail"))
    if len(results) > 1:
        sections.append(Section("", list(_relate(results))))
    others = tuple(one for one in comparison.warnings if not one.kind.comes_first)
    if others:
        sections.append(Section("Keep in mind", (Warnings(cautions=others, several=len(results) > 1),), "caveats"))
    sections.append(Section("Settings", (_list_settings(comparison),), "detail"))
    return Report(f"Comparison of systems on {info.name}", sections,
                  "the texts of this test set are made up." if info.simulated else "")


def _introduce(comparison: Comparison) -> Iterator[Block]:
    """What was compared and how, what was left out and assumed, and warnings that question all numbers."""
    if doubts := tuple(one for one in comparison.warnings if one.kind.comes_first):
        yield Warnings(cautions=doubts, several=len(comparison.metrics) > 1)
    for part in summarize_comparison(comparison):
        yield Paragraph(text="; ".join(part), role="summary")
    if comparison.excluded:
        yield Paragraph(text=f"Left out: {list_exclusions(comparison)}", role="remark", only=("text", "latex"))
        yield TableBlock(table=exclusions_table(comparison), title="Left out", only=("html",))
    for text in list_assumptions(comparison.testset.assumed, comparison.metrics):
        yield Paragraph(text=text, role="text")


def _show_systems(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    settings, title = comparison.settings, metric_title(result.metric)
    first, anchor = result.systems[0], "the best score" if settings.baseline is None else "the baseline"
    yield Paragraph(text=state_verdict(result, settings) or
                    f"{first.system} scores {first.score:{choose_form(result)}}", role="verdict",
                    about=f"{title}, {describe_direction(result.higher_is_better, bool(result.pairs))}")
    for caution in comparison.warnings:
        if caution.kind.beside_verdict and caution.metric == result.metric:
            yield Paragraph(text=caution.finding, only=("text",))
    if (far := explain_far_firsts(result)) is not None:
        yield Paragraph(text=far)
    yield TableBlock(table=leaderboard_table(result, settings), title=f"{title}: systems",
                     **_caption(comparison, result, "Scores"),
                     notes=(CLUSTERS_NOTE,) * bool(cluster_ends(result.systems)))
    yield Figure(draw=partial(forest_svg, result, settings), caption=(
        f"Blue: {anchor}. Grey and filled: significantly different from it; hollow: not, which does not mean equal."
        if result.pairs else "The score with its interval: there is no other system to compare it with."))
    if together := name_simultaneous(result, settings):
        yield Figure(draw=partial(differences_svg, result, settings), caption=(
            f"Difference of each system to {anchor}. Thick: its single interval, for this pair alone. Thin, with ends: "
            f"{together}; these hold together. Filled: significantly different; hollow: not, which does not mean "
            "equal."))
    if result.runs:
        yield TableBlock(table=runs_table(result, settings.alpha), title=f"{title}: training runs", caption=(
            f"Scores of each training run by {title}, with their standard deviation and its interval: what differs "
            "from one training to another, on this test set."))
    if references := by_reference_table(result):
        yield TableBlock(table=references, title=f"{title}: leaders by reference", caption=(
            f"Leaders by {title}, by all references together and by each alone: no other system is significantly "
            "better than these."))


def _show_pairs(comparison: Comparison, result: MetricResult, most: int | None) -> Iterator[Block]:
    settings, title, n = comparison.settings, metric_title(result.metric), len(result.pairs)
    table, together = pairs_table(result, settings, most), name_simultaneous(result, settings)
    in_all = () if n <= _FEW_PAIRS or settings.baseline is not None else ("latex", "html", "notebook")
    if settings.baseline is None:
        yield Figure(draw=partial(matrix_svg, result, settings), caption=matrix_key(result, settings))
    single = f"A single interval is for its pair alone; a {together} holds for these together." if together else ""
    yield TableBlock(
        table=table.without(*DETECTABLE), title=f"{title}: pairs", fold=format_count(n, "pair"), n_rows=n, only=in_all,
        **_caption(comparison, result, "Differences"),
        notes=("Not significant (a dash under \"better\") does not mean equal.", *filter(None, [single])))
    if any(pair.mdd is not None for pair in result.pairs):
        family = f"; for the family: at alpha/{len(result.tested)}, enough among all" if together else ""
        yield TableBlock(
            table=table.select("pair", *DETECTABLE), title=f"{title}: detectable",
            fold="Minimum detectable differences", n_rows=n, only=in_all,
            **_caption(comparison, result, "Minimum detectable differences"),
            notes=(f"Such a true difference is found with 80% power, uncorrected{family}. In brackets: "
                   f"{write_level(settings)} interval, as the standard error (SE) is an estimate.",))
    if result.pair_runs:
        yield TableBlock(table=pair_runs_table(result), title=f"{title}: differences between runs", only=in_all,
                         **_caption(comparison, result, "Standard errors, with training runs,"))
    if in_all:
        yield Paragraph(only=("text",), text="Differences and p of all pairs: --format csv or json; --baseline NAME "
                        "for those with one.")
    if len(result.systems) > 2 and settings.baseline is None:
        yield from _show_matrix(comparison, result)


def _show_matrix(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    title, n = metric_title(result.metric), len(result.systems)
    yield Paragraph(text=_explain_signs(comparison, result), only=("text",))
    yield TableBlock(table=signs_table(result, comparison.settings), title=f"{title}: signs", only=("text",))
    if n > _WIDEST_MATRIX:
        yield Paragraph(text=f"A matrix of {n} systems is too wide for a page: the pairs below have its numbers.",
                        role="remark", only=("latex",))
        return
    below = "the share of samples that the better one wins" if any(pair.win is not None for pair in result.pairs) else \
        "the adjusted p"
    yield TableBlock(table=numbered_matrix(result), title=f"{title}: matrix", notes=(
        f"Above the diagonal the difference {describe_difference(result)}, positive where the row is better, bold "
        f"where significant; below it {below}. Not significant does not mean equal.",), only=("latex",),
        **_caption(comparison, result, "All pairs"))


def _caption(comparison: Comparison, result: MetricResult, what: str) -> dict[str, Any]:
    """The caption of a table, what puts all its numbers in doubt, and where to read what else they depend on."""
    doubts = [caution.finding for caution in comparison.warnings
              if caution.kind.comes_first and caution.metric in (None, result.metric)]
    return {"caption": write_caption(comparison, result, what),
            "caveats": (*doubts, f"Methods and caveats: see {metric_title(result.metric)}: methods.")}


def _explain_signs(comparison: Comparison, result: MetricResult) -> str:
    tested, apart = result.tested, len(result.pairs) - len(result.tested)
    others = "" if all(pair.decidable for pair in tested) else ", ? cannot be decided"
    others += ", ! test and scores disagree" * any(is_split(pair, comparison.settings.alpha) for pair in tested)
    untested = f"; - not tested, no line in common: {apart}" if apart else ""
    n = sum(pair.significant for pair in result.pairs)
    return (f"Row against column: > significantly better, < worse, . not significant{others} "
            f"({n} of {format_count(len(tested), 'pair')} significant{untested})")


def _say_methods(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    title = metric_title(result.metric)
    yield Paragraph(text=write_methods(comparison, result), role="methods", about=title, only=("latex",))
    yield Paragraph(text=paper_sentences(comparison, result.metric), role="methods", about=f"{title}: for a paper",
                    only=("html",))
    yield Paragraph(text=result.signature, role="signature", about=f"{title} signature:", only=("text", "html"))


def _relate(results: list[MetricResult]) -> Iterator[Block]:
    """All metrics in one matrix."""
    if not (table := relations_table(results)):
        return
    names = ", ".join(metric_title(result.metric) for result in results)
    yield Paragraph(text=f"Row against column by {names}, in this order: > significantly better, < worse, ~ neither",
                    only=("text",))
    gone = without_relation(results)
    yield TableBlock(table=table, title="Metrics together", only=("text",),
                     notes=(f"Not compared by all of these: {', '.join(gone)}",) if gone else ())


def _list_settings(comparison: Comparison) -> Facts:
    info, settings = comparison.testset, comparison.settings
    facts = [("test set", info.name), ("digest", info.digest), ("test", settings.test), ("unit", settings.unit),
             ("block length", settings.block_length), ("trials", settings.trials), ("alpha", settings.alpha),
             ("correction", settings.correction), ("intervals", list_interval_kinds(comparison)),
             ("resamples", settings.resamples), ("seed", settings.seed), ("baseline", settings.baseline),
             ("mtsig", settings.version)]
    return Facts(pairs=tuple((name, str(value)) for name, value in facts if value is not None), only=("html",))


FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": comparison_text, "json": comparison_json, "csv": comparison_csv, "latex": comparison_latex,
    "html": comparison_html, "matrix": matrix_csv}
