"""A comparison and scores as reports: their tables, sentences and figures in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import explain_unknown, format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import list_assumptions
from mtsig_core.report.document import (
    Assumptions,
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
)
from mtsig_core.report.export import (
    list_comparison_rows,
    record_comparison,
    report_csv,
    report_json,
)
from mtsig_core.report.html import report_html, table_html
from mtsig_core.report.latex import PROVIDED, block_latex, report_latex
from mtsig_core.report.markdown import block_markdown, report_markdown
from mtsig_core.report.noticed_words import explain_people_column
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.pictures import differences_svg, forest_svg, pair_svg
from mtsig_core.report.progress_report import progress_blocks
from mtsig_core.report.sentences import (
    AnyComparison,
    describe_difference,
    describe_direction,
    describe_methods,
    describe_rule_decisions,
    describe_signatures,
    describe_subject,
    explain_far_firsts,
    explain_own_tests,
    explain_unfit_rule,
    find_anchor,
    join_names,
    list_caution_texts,
    list_exclusions,
    list_interval_kinds,
    list_task_metrics,
    name_family,
    name_simultaneous,
    state_verdict,
    summarize_comparison,
    write_caption,
    write_level,
)
from mtsig_core.report.table import Table
from mtsig_core.report.tables import (
    DETECTABLE,
    by_reference_table,
    exclusions_table,
    leaderboard_table,
    numbered_matrix,
    pair_runs_table,
    pairs_table,
    paper_table,
    relations_table,
    runs_table,
    scores_table,
    signs_table,
    without_relation,
)
from mtsig_core.report.text import report_text
from mtsig_core.report.typst import report_typst
from mtsig_core.results import Comparison, MetricResult, Scores
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import is_split

_FEW_PAIRS = 30  # more have their differences in files, and in text a matrix


def comparison_report(comparison: Comparison) -> Report:
    """By each metric the verdict, tables and figures; how metrics agree, caveats, and methods."""
    has_several = len(comparison.metrics) > 1
    sections = [_introduce(comparison)]
    if has_several or len(comparison.testset.systems) == 2:
        sections.append(Section("For a paper", [set_paper_table(comparison)], "detail"))
    for metric, result in comparison.metrics.items():
        title = metric_title(metric)
        sections.append(Section(f"{title}: systems", list(show_systems(comparison, result))))
        if result.pairs:
            pairs = list(show_pairs(comparison, result))
            sections.append(Section(f"{title}: pairs", pairs, "detail"))
    if has_several:
        sections.append(Section("", relations_blocks(list(comparison.metrics.values()))))
    sections.append(Section("Progress of the annotation", list(progress_blocks(comparison))))
    cautions = tuple(caution for caution in comparison.warnings if not caution.kind.comes_first)
    if cautions:
        caveats = Warnings(cautions=cautions, several=has_several)
        sections.append(Section("Caveats", [caveats], "caveats"))
    sections.append(methods_section(comparison))
    sections.append(Section("Settings", [_list_settings(comparison)], "detail"))
    info = comparison.testset
    simulated = ""
    if info.simulated:
        simulated = "The texts of this test set are simulated."
    return Report(
        f"Comparison of systems on {info.name}",
        sections,
        simulated,
        make_record=partial(record_comparison, comparison),
        make_rows=partial(list_comparison_rows, comparison),
    )


# -------------------------------------------------------------------------------------------------
# What was compared, the systems and the pairs, and the methods; reports of tasks share some of it.


def _introduce(comparison: Comparison) -> Section:
    """Caveats that question all numbers, what was compared, exclusions and assumptions."""
    blocks: list[Block] = []
    doubts = tuple(caution for caution in comparison.warnings if caution.kind.comes_first)
    if doubts:
        blocks.append(Warnings(cautions=doubts, several=len(comparison.metrics) > 1))
    blocks += summarize(comparison)
    info = comparison.testset
    blocks += show_choices(comparison, exclusions_table(comparison), info.assumed)
    return Section("", blocks)


def summarize(comparison: Comparison) -> list[Block]:
    """What was compared, and how."""
    phrases = summarize_comparison(comparison)
    return [Paragraph(text="; ".join(group), role="summary") for group in phrases]


def show_choices(
    comparison: AnyComparison, excluded: Table, assumed: Sequence[Assumption]
) -> Iterator[Block]:
    """Which systems were excluded, and what was assumed."""
    if excluded:
        sentences = " ".join(list_exclusions(comparison))
        yield TableBlock(table=excluded, title="Excluded", in_short=sentences)
    yield Assumptions(assumed=tuple(assumed), metrics=tuple(list_task_metrics(comparison)))


def show_systems(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    """The verdict by a metric, and the systems in tables and figures."""
    settings = comparison.settings
    title = metric_title(result.metric)
    direction = describe_direction(result.higher_is_better, bool(result.pairs))
    yield Paragraph(
        text=state_verdict(comparison, result.metric),
        role="verdict",
        about=f"{title}, {direction}",
    )
    for caution in comparison.warnings:
        if caution.kind.beside_verdict and caution.metric == result.metric:
            yield Paragraph(text=caution.finding, role="hint")
    for sentence in explain_far_firsts(comparison, result.metric):
        yield Paragraph(text=sentence)
    unfit = explain_unfit_rule(result, settings)
    if unfit:
        yield Paragraph(text=unfit)
    leaderboard = leaderboard_table(result, settings)
    yield _set_table(comparison, result, leaderboard, "systems", "Scores")
    yield from _show_figures(comparison, result)
    yield from runs_blocks(comparison, result.metric)
    references = by_reference_table(result)
    if references:
        yield TableBlock(
            table=references,
            title=f"{title}: top group by reference",
            caption=(
                f"Top group by {title}, with all references and with each one: no other system is significantly better "
                "than these systems, corrected for all pairs."
            ),
        )


def runs_blocks(comparison: AnyComparison, metric: str) -> list[Block]:
    """The scores of each training run, where a system has several; a task has no caption."""
    runs = runs_table(comparison, metric)
    title = metric_title(metric)
    if not runs:
        return []
    caption = ""
    if isinstance(comparison, Comparison):
        caption = (
            f"Scores of each training run by {title}, and the standard deviation between runs with its "
            "interval."
        )
    return [TableBlock(table=runs, title=f"{title}: training runs", caption=caption)]


def _show_figures(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    """The scores, and the differences to the best score or the baseline."""
    settings = comparison.settings
    anchor = "the best score" if settings.baseline is None else "the baseline"
    caption = "The score with its interval. There is no other system to compare with."
    if result.pairs:
        caption = (
            f"Blue: {anchor}. Filled: significantly different from it. Hollow: not significantly different, which does "
            "not mean equal."
        )
    yield Figure(draw=partial(forest_svg, result, settings), caption=caption)
    if len(result.pairs) == 1 and result.metric == next(iter(comparison.metrics)):
        caption = (
            f"Difference by each metric with its {write_level(settings)} CI, each row on its own scale. "
            "Filled: significantly different; hollow: not, which does not mean equal."
        )
        yield Figure(draw=partial(pair_svg, comparison, result.metric), caption=caption)
    simultaneous = name_simultaneous(result, settings)
    if simultaneous:
        caption = (
            f"Difference of each system to {anchor}. Thick: {write_level(settings)} CI for this pair only. Thin, with "
            f"ends: {simultaneous}. Filled: significantly different. Hollow: not significantly different, which "
            "does not mean equal."
        )
        yield Figure(draw=partial(differences_svg, result, settings), caption=caption)


def show_pairs(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    """The pairs of systems by a metric."""
    settings = comparison.settings
    n_pairs = len(result.pairs)
    is_ranked = settings.baseline is None
    is_detail = n_pairs > _FEW_PAIRS and is_ranked
    level = write_level(settings)
    if n_pairs > 1 and is_ranked:
        yield _set_matrix(comparison, result)
    notes = []
    if not all(pair.significant for pair in result.pairs):
        notes.append('Not significant (a dash under "better") does not mean equal.')
    if result.has_rule_decisions:
        notes.append(explain_own_tests(result, settings))
    if name_simultaneous(result, settings):
        notes.append(
            f"A {level} CI is for one pair only. The {level} CIs for all pairs hold for "
            f"{name_family(result, settings)} together."
        )
    about_people = explain_people_column(result)
    if about_people:
        notes.append(about_people)
    table = pairs_table(result, settings)
    yield _set_table(
        comparison,
        result,
        table.without(*DETECTABLE),
        "pairs",
        "Differences",
        fold=format_count(n_pairs, "pair"),
        is_detail=is_detail,
        notes=tuple(notes),
    )
    if any(pair.mdd is not None for pair in result.pairs):
        detectable = table.select("pair", *DETECTABLE)
        yield _show_detectable(comparison, result, detectable, is_detail)
    if result.pair_runs:
        runs = pair_runs_table(comparison, result.metric)
        name = "differences between runs"
        subject = "Standard errors, with training runs,"
        yield _set_table(comparison, result, runs, name, subject, is_detail=is_detail)
    if is_detail:
        yield Paragraph(
            role="hint",
            text="For all pairs, use --format csv or json. For the pairs of one system, use --baseline NAME.",
        )
    if len(result.systems) > 2 and is_ranked:
        title = f"{metric_title(result.metric)}: signs"
        yield Paragraph(role="hint", text=_explain_signs(comparison, result))
        yield TableBlock(table=signs_table(result, settings), title=title)


def _show_detectable(
    comparison: Comparison, result: MetricResult, table: Table, is_detail: bool
) -> TableBlock:
    settings = comparison.settings
    family = ""
    if name_simultaneous(result, settings):
        family = (
            f" For all pairs: at alpha/{len(result.tested)} (Bonferroni), which is enough for Holm, and usually "
            "for Romano-Wolf."
        )
    note = (
        f"A test finds a true difference of this size with 80% power, uncorrected.{family} In brackets: "
        f"{write_level(settings)} CI, because the standard error (SE) is an estimate."
    )
    subject = "Smallest detectable differences"
    return _set_table(
        comparison,
        result,
        table,
        "detectable",
        subject,
        fold=subject,
        is_detail=is_detail,
        notes=(note,),
    )


def _explain_signs(comparison: Comparison, result: MetricResult) -> str:
    """Explain the signs of the matrix in text, and state how many pairs differ."""
    if result.has_rule_decisions:
        counts = describe_rule_decisions(result, comparison.settings)
        return f"Row against column: > better, < worse, . neither. {counts}"
    signs = ["> significantly better", "< worse", ". not significant"]
    if not all(pair.decidable for pair in result.tested):
        signs.append("? cannot be decided")
    if any(is_split(pair, comparison.settings.alpha) for pair in result.tested):
        signs.append("! test and scores disagree")
    n_significant = result.n_significant
    counts = f"{n_significant} of {format_count(len(result.tested), 'pair')} significant"
    n_untested = len(result.pairs) - len(result.tested)
    if n_untested:
        counts += f"; - not tested, no line in common: {n_untested}"
    return f"Row against column: {', '.join(signs)} ({counts})"


def _set_matrix(comparison: Comparison, result: MetricResult) -> TableBlock:
    below = "the adjusted p"
    if any(pair.win is not None for pair in result.pairs):
        below = "the share of resamples that the better system wins"
    notes = [
        f"Above the diagonal: the difference {describe_difference(result)}, positive where the row is better. "
        f"Below: {below}. Not significant does not mean equal."
    ]
    if result.has_rule_decisions:
        notes.append(explain_own_tests(result, comparison.settings))
    matrix = numbered_matrix(result)
    return _set_table(comparison, result, matrix, "matrix", "All pairs", notes=tuple(notes))


def _set_table(
    comparison: Comparison,
    result: MetricResult,
    table: Table,
    name: str,
    subject: str,
    **settings: Any,
) -> TableBlock:
    """A table of a metric, with the doubts about all of its numbers and where its methods are."""
    doubts = [caution for caution in comparison.warnings if caution.kind.comes_first]
    metrics = (None, result.metric)
    caveats = [caution.finding for caution in doubts if caution.metric in metrics]
    caveats.append(refer_to_methods(comparison, result.metric))
    return TableBlock(
        medium="screen" if len(comparison.testset.systems) == 2 else "",
        table=table,
        title=f"{metric_title(result.metric)}: {name}",
        caption=write_caption(comparison, result.metric, subject),
        caveats=tuple(caveats),
        **settings,
    )


def set_paper_table(comparison: Comparison) -> TableBlock:
    """The one table on all metrics that a paper needs."""
    settings = comparison.settings
    metrics = list(comparison.metrics)
    first = comparison.metrics[metrics[0]]
    _, _, subject = describe_subject(comparison, *metrics)[0].split(" ", 2)
    partner = find_anchor(first, settings)
    if len(first.pairs) > 1 and settings.baseline is None:
        partner = "the best system by each metric"
    note = f"Differences are from {partner}; positive is better. CI and p are of the difference."
    return TableBlock(
        medium="paper",
        table=paper_table(comparison),
        title="Comparison",
        caption=subject,
        notes=(note,),
        caveats=(refer_to_methods(comparison, metrics[0]),),
    )


def copy_paper_table(comparison: Comparison) -> dict[str, str]:
    """The table for a paper to copy, by the name of its format."""
    block = set_paper_table(comparison)
    block = replace(block, caveats=())
    return {
        "LaTeX": f"{PROVIDED}{block_latex(block, 'comparison')}",
        "Markdown": "\n\n".join(block_markdown(block)),
        "Word": str(table_html(block.table, has_borders=True)),
    }


def refer_to_methods(comparison: AnyComparison, metric: str) -> str:
    """Say where a file has the methods, and the caveats if there are any."""
    place = f"see {_name_methods(comparison, metric)}: methods."
    if list_caution_texts(comparison, metric):
        return f"Methods and caveats: {place}"
    return f"Methods: {place}"


def _name_methods(comparison: AnyComparison, metric: str) -> str:
    """Name the metrics of the paragraph that has the methods: a test set has one paragraph."""
    metrics = list(comparison.metrics) if isinstance(comparison, Comparison) else [metric]
    return join_names(list(map(metric_title, metrics)), escape=False)


def methods_section(comparison: AnyComparison) -> Section:
    """The methods: in print a test set has them with the results, and a task by metric."""
    metrics = list_task_metrics(comparison)
    paper = paper_sentences(comparison)
    blocks: list[Block] = [Paragraph(text=paper, role="paper", about="For a paper")]
    place = "main"
    methods_by_metric = {}
    if isinstance(comparison, Comparison):
        place = "detail"
        methods_by_metric[metrics[0]] = paper
        for metric, result in comparison.metrics.items():
            about = f"{metric_title(metric)} signature:"
            blocks.append(Paragraph(text=result.signature, role="signature", about=about))
    else:
        for metric in metrics:
            methods_by_metric[metric] = describe_methods(comparison, metric)
    for metric, methods in methods_by_metric.items():
        text = f"{methods} {describe_signatures(comparison, metric)}"
        about = _name_methods(comparison, metric)
        blocks.append(Paragraph(text=text, role="printed", about=about))
    return Section("How it was tested", blocks, place)


def relations_blocks(results: Sequence[MetricResult]) -> list[Block]:
    """The decisions of all metrics of a test set in one matrix, if they share systems."""
    table = relations_table(results)
    if not table:
        return []
    names = ", ".join(metric_title(result.metric) for result in results)
    missing = without_relation(results)
    notes = []
    if missing:
        notes.append(f"Not compared by all these metrics: {', '.join(missing)}")
    legend = (
        f"Row against column by {names}, in this order: > significantly better, < worse, ~ neither"
    )
    return [
        Paragraph(text=legend, role="hint"),
        TableBlock(table=table, title="Metrics together", notes=tuple(notes)),
    ]


def _list_settings(comparison: Comparison) -> Facts:
    info = comparison.testset
    settings = comparison.settings
    test = SETTINGS["test"].name_value(settings.test)
    correction = SETTINGS["correction"].name_value(settings.correction)
    intervals = list_interval_kinds(comparison)
    facts = {
        "test set": info.name,
        "digest": info.digest,
        "test": test,
        "unit": settings.unit,
        "block length": settings.block_length,
        "trials": settings.trials,
        "alpha": settings.alpha,
        "correction": correction,
        "intervals": intervals,
        "resamples": settings.resamples,
        "seed": settings.seed,
        "baseline": settings.baseline,
        "mtsig": settings.version,
    }
    pairs = [(name, str(value)) for name, value in facts.items() if value is not None]
    return Facts(pairs=tuple(pairs))


# -------------------------------------------------------------------------------------------------
# Scores.


def scores_report(scores: Scores) -> Report:
    """The systems by each metric, and its signature."""
    all_scores = scores_table(scores)
    names = all_scores.values("system")
    sections = []
    metrics = {}
    rows = []
    for key, result in scores.metrics.items():
        by_system = {row.system: row.score for row in result.systems}
        order = sorted(by_system, key=by_system.__getitem__, reverse=result.higher_is_better)
        table = all_scores.select("system", key)
        table = table.pick_rows([names.index(system) for system in order])
        sentences = []
        if not result.higher_is_better:
            sentences.append("Lower is better.")
        sentences += list_assumptions(scores.testset.assumed, [result.metric])
        sentences.append(result.signature)
        blocks: list[Block] = [TableBlock(table=table, title=metric_title(result.metric))]
        blocks += [Paragraph(text=sentence) for sentence in sentences]
        sections.append(Section("", blocks))
        signature = {"signature": result.signature}
        metrics[key] = {**signature, "scores": by_system}
        for system, score in by_system.items():
            rows.append({"metric": key, "system": system, "score": score, **signature})
    title = f"Scores on {scores.testset.name}"
    return Report(title, sections, make_record=lambda: {"metrics": metrics}, make_rows=lambda: rows)


# -------------------------------------------------------------------------------------------------
# Formats.


#: The renderer of each format.
RENDERERS: dict[str, Callable[[Report], str]] = {
    "text": report_text,
    "json": report_json,
    "csv": report_csv,
    "latex": report_latex,
    "html": report_html,
    "markdown": report_markdown,
    "typst": report_typst,
}


def render_report(report: Report, form: str, width: int | None = None) -> str:
    r"""A report in one of the formats of `RENDERERS`; as text its tables fit `width`.

    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A_1": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> r"\begin{tabular}" in render_report(comparison_report(compare(ts, trials=999)), "latex")
    True
    """
    if form not in RENDERERS:
        raise explain_unknown("form", form, RENDERERS)
    if form == "text":
        return report_text(report, width)
    return RENDERERS[form](report)
