"""A comparison as a report: which tables, sentences and figures each format shows, in which
order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    comparison_csv,
    comparison_json,
    report_csv,
    report_json,
)
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import MOST_ROWS, report_latex
from mtsig_core.report.pictures import differences_svg, forest_svg
from mtsig_core.report.sentences import (
    AnyComparison,
    describe_difference,
    describe_direction,
    describe_methods,
    describe_rule_decisions,
    describe_signatures,
    explain_far_firsts,
    explain_own_tests,
    list_caveats,
    list_exclusions,
    list_interval_kinds,
    list_task_metrics,
    name_family,
    name_simultaneous,
    paper_sentences,
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
    relations_table,
    runs_table,
    scores_table,
    signs_table,
    without_relation,
)
from mtsig_core.report.text import report_text
from mtsig_core.results import Comparison, MetricResult, Scores
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import is_split

_FEW_PAIRS = 30  # more have their differences in files, and in text a matrix


def comparison_report(comparison: Comparison, most_pairs: int | None = None) -> Report:
    """By each metric the verdict, all tables and figures; how metrics agree, warnings, and how it
    was tested.

    Of the pairs, the first `most_pairs` have rows.
    """
    several, sections = len(comparison.metrics) > 1, [_introduce(comparison)]
    for metric, result in comparison.metrics.items():
        sections.append(
            Section(f"{metric_title(metric)}: systems", list(show_systems(comparison, result)))
        )
        if result.pairs:
            pairs = list(show_pairs(comparison, result, most_pairs))
            sections.append(Section(f"{metric_title(metric)}: pairs", pairs, "detail"))
    sections += _relate_metrics(list(comparison.metrics.values())) if several else []
    if others := tuple(one for one in comparison.warnings if not one.kind.comes_first):
        sections.append(Section("Caveats", [Warnings(cautions=others, several=several)], "caveats"))
    sections += [
        methods_section(comparison),
        Section("Settings", [_list_settings(comparison)], "detail"),
    ]
    return Report(
        f"Comparison of systems on {comparison.testset.name}",
        sections,
        "The texts of this test set are simulated." if comparison.testset.simulated else "",
    )


# -------------------------------------------------------------------------------------------------
# What was compared, the systems and the pairs, how it was tested; `task_reports` has some of it of a task, too.


def _introduce(comparison: Comparison) -> Section:
    """Warnings that question all numbers, what was compared and how, who was excluded, what was
    assumed.
    """
    doubts = tuple(one for one in comparison.warnings if one.kind.comes_first)
    blocks: list[Block] = (
        [Warnings(cautions=doubts, several=len(comparison.metrics) > 1)] if doubts else []
    )
    blocks += [
        Paragraph(text="; ".join(part), role="summary") for part in summarize_comparison(comparison)
    ]
    return Section(
        "",
        [
            *blocks,
            *list_what_was_given(
                comparison, exclusions_table(comparison), comparison.testset.assumed
            ),
        ],
    )


def list_what_was_given(
    found: AnyComparison, excluded: Table, assumed: Sequence[Assumption]
) -> Iterator[Block]:
    """Which systems were excluded, and what was assumed."""
    if excluded:
        sentences = " ".join(list_exclusions(found))
        yield TableBlock(table=excluded, title="Excluded", in_short=sentences)
    yield Assumptions(assumed=tuple(assumed), metrics=tuple(list_task_metrics(found)))


def show_systems(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    settings, title = comparison.settings, metric_title(result.metric)
    anchor = "the best score" if settings.baseline is None else "the baseline"
    yield Paragraph(
        text=state_verdict(comparison, result.metric),
        role="verdict",
        about=f"{title}, {describe_direction(result.higher_is_better, bool(result.pairs))}",
    )
    for caution in comparison.warnings:
        if caution.kind.beside_verdict and caution.metric == result.metric:
            yield Paragraph(text=caution.finding, role="hint")
    for sentence in explain_far_firsts(comparison, result.metric):
        yield Paragraph(text=sentence)
    yield TableBlock(
        table=leaderboard_table(result, settings),
        title=f"{title}: systems",
        **_caption(comparison, result, "Scores"),
    )
    yield Figure(
        draw=partial(forest_svg, result, settings),
        caption=(
            f"Blue: {anchor}. Filled: significantly different from it; hollow: not, which does not mean equal."
            if result.pairs
            else "The score with its interval: there is no other system to compare it with."
        ),
    )
    if together := name_simultaneous(result, settings):
        yield Figure(
            draw=partial(differences_svg, result, settings),
            caption=(
                f"Difference of each system to {anchor}. Thick: {write_level(settings)} CI for this pair only. Thin, with "
                f"ends: {together}. Filled: significantly different; hollow: not, which does not mean equal."
            ),
        )
    if runs := runs_table(comparison, result.metric):
        yield TableBlock(
            table=runs,
            title=f"{title}: training runs",
            caption=(
                f"Scores of each training run by {title}, and the standard deviation between runs with its interval."
            ),
        )
    if references := by_reference_table(result):
        yield TableBlock(
            table=references,
            title=f"{title}: top group by reference",
            caption=(
                f"Top group by {title}, with all references and with each: no other system is significantly better, "
                "corrected for all pairs."
            ),
        )


def show_pairs(comparison: Comparison, result: MetricResult, most: int | None) -> Iterator[Block]:
    settings, title, n = comparison.settings, metric_title(result.metric), len(result.pairs)
    table, together = pairs_table(result, settings, most), name_simultaneous(result, settings)
    level = write_level(settings)
    is_detail = n > _FEW_PAIRS and settings.baseline is None
    if n > 1 and settings.baseline is None:
        yield _set_matrix(comparison, result)
    notes = ['Not significant (a dash under "better") does not mean equal.']
    if result.has_rule_decisions:
        notes.append(explain_own_tests(result, settings))
    notes += (
        [
            f"A {level} CI is for one pair only. The {level} CIs for all pairs hold for "
            f"{name_family(result, settings)} together."
        ]
        if together
        else []
    )
    yield TableBlock(
        table=table.without(*DETECTABLE),
        title=f"{title}: pairs",
        fold=format_count(n, "pair"),
        n_rows=n,
        is_detail=is_detail,
        notes=tuple(notes),
        **_caption(comparison, result, "Differences"),
    )
    if any(pair.mdd is not None for pair in result.pairs):
        family = ""
        if together:
            family = (
                f" For the family: at alpha/{len(result.tested)} (Bonferroni), which is enough for Holm, and "
                "usually for Romano-Wolf."
            )
        yield TableBlock(
            table=table.select("pair", *DETECTABLE),
            title=f"{title}: detectable",
            fold="Smallest detectable differences",
            n_rows=n,
            is_detail=is_detail,
            **_caption(comparison, result, "Smallest detectable differences"),
            notes=(
                f"A test finds a true difference of this size with 80% power, uncorrected.{family} In brackets: "
                f"{level} CI, because the standard error (SE) is an estimate.",
            ),
        )
    if result.pair_runs:
        yield TableBlock(
            table=pair_runs_table(comparison, result.metric),
            is_detail=is_detail,
            title=f"{title}: differences between runs",
            **_caption(comparison, result, "Standard errors, with training runs,"),
        )
    if is_detail:
        yield Paragraph(
            role="hint",
            text="Differences and p of all pairs: --format csv or json; --baseline NAME for "
            "those with one.",
        )
    if len(result.systems) > 2 and settings.baseline is None:
        yield Paragraph(role="hint", text=_explain_signs(comparison, result))
        yield TableBlock(table=signs_table(result, settings), title=f"{title}: signs")


def _explain_signs(comparison: Comparison, result: MetricResult) -> str:
    """What the signs of the matrix in text mean, and how many pairs differ."""
    if result.has_rule_decisions:
        counts = describe_rule_decisions(result, comparison.settings)
        return f"Row against column: > better, < worse, . neither. {counts}"
    signs = ["> significantly better", "< worse", ". not significant"]
    if not all(pair.decidable for pair in result.tested):
        signs.append("? cannot be decided")
    if any(is_split(pair, comparison.settings.alpha) for pair in result.tested):
        signs.append("! test and scores disagree")
    n_significant = sum(pair.significant for pair in result.pairs)
    counts = f"{n_significant} of {format_count(len(result.tested), 'pair')} significant"
    untested = len(result.pairs) - len(result.tested)
    if untested:
        counts += f"; - not tested, no line in common: {untested}"
    return f"Row against column: {', '.join(signs)} ({counts})"


def _set_matrix(comparison: Comparison, result: MetricResult) -> TableBlock:
    below = (
        "the share of resamples that the better system wins"
        if any(pair.win is not None for pair in result.pairs)
        else "the adjusted p"
    )
    notes = [
        f"Above the diagonal: the difference {describe_difference(result)}, positive where the row is better. "
        f"Below: {below}. Not significant does not mean equal."
    ]
    if result.has_rule_decisions:
        notes.append(explain_own_tests(result, comparison.settings))
    return TableBlock(
        table=numbered_matrix(result),
        title=f"{metric_title(result.metric)}: matrix",
        notes=tuple(notes),
        **_caption(comparison, result, "All pairs"),
    )


def _caption(comparison: Comparison, result: MetricResult, what: str) -> dict[str, Any]:
    """The caption of a table, what puts all its numbers in doubt, and where to read what else they
    depend on.
    """
    doubts = [
        caution.finding
        for caution in comparison.warnings
        if caution.kind.comes_first and caution.metric in (None, result.metric)
    ]
    return {
        "caption": write_caption(comparison, result.metric, what),
        "caveats": (*doubts, refer_to_methods(comparison, result.metric)),
    }


def refer_to_methods(found: AnyComparison, metric: str) -> str:
    """Say where a file has the methods, and the caveats if there are any."""
    what = "Methods and caveats" if list_caveats(found, metric) else "Methods"
    return f"{what}: see {metric_title(metric)}: methods."


def methods_section(found: AnyComparison) -> Section:
    """How it was tested by each metric: with what was found on a page, without it on paper."""
    blocks: list[Block] = []
    for metric in list_task_metrics(found):
        title = metric_title(metric)
        blocks += [
            Paragraph(
                text=f"{describe_methods(found, metric)} {describe_signatures(found, metric)}",
                role="printed",
                about=title,
            ),
            Paragraph(
                text=paper_sentences(found, metric),
                role="paper",
                about=f"{title}: for a paper",
            ),
        ]
        if isinstance(found, Comparison):
            blocks.append(
                Paragraph(
                    text=found.metrics[metric].signature,
                    role="signature",
                    about=f"{title} signature:",
                )
            )
    return Section(
        "How it was tested", blocks, "detail" if isinstance(found, Comparison) else "main"
    )


def _relate_metrics(results: list[MetricResult]) -> Iterator[Section]:
    """All metrics of a test set in one matrix."""
    if table := relations_table(results):
        names, gone = (
            ", ".join(metric_title(result.metric) for result in results),
            without_relation(results),
        )
        yield Section(
            "",
            [
                Paragraph(
                    text=f"Row against column by {names}, in this order: > significantly better, < worse, ~ neither",
                    role="hint",
                ),
                TableBlock(
                    table=table,
                    title="Metrics together",
                    notes=(f"Not compared by all of these: {', '.join(gone)}",) * bool(gone),
                ),
            ],
        )


def _list_settings(comparison: Comparison) -> Facts:
    info, settings = comparison.testset, comparison.settings
    test, correction = (
        SETTINGS[key].name_value(getattr(settings, key)) for key in ("test", "correction")
    )
    facts = {
        "test set": info.name,
        "digest": info.digest,
        "test": test,
        "unit": settings.unit,
        "block length": settings.block_length,
        "trials": settings.trials,
        "alpha": settings.alpha,
        "correction": correction,
        "intervals": list_interval_kinds(comparison),
        "resamples": settings.resamples,
        "seed": settings.seed,
        "baseline": settings.baseline,
        "mtsig": settings.version,
    }
    return Facts(
        pairs=tuple((name, str(value)) for name, value in facts.items() if value is not None)
    )


# -------------------------------------------------------------------------------------------------
# Scores.


def scores_report(scores: Scores) -> Report:
    """The systems by each metric, and its signature."""
    table = scores_table(scores)
    names = table.values("system")
    sections, metrics, rows = [], {}, []
    for key, result in scores.metrics.items():
        by_score = sorted(
            result.systems, key=lambda row: row.score, reverse=result.higher_is_better
        )
        own_table = table.select("system", key)
        own_table = own_table.pick_rows([names.index(row.system) for row in by_score])
        sentences = [] if result.higher_is_better else ["Lower is better."]
        sentences += list_assumptions(scores.testset.assumed, [result.metric])
        sentences.append(result.signature)
        blocks: list[Block] = [TableBlock(table=own_table, title=metric_title(result.metric))]
        blocks += [Paragraph(text=sentence) for sentence in sentences]
        sections.append(Section("", blocks))
        by_system = {row.system: row.score for row in result.systems}
        metrics[key] = {"signature": result.signature, "scores": by_system}
        for system, score in by_system.items():
            rows.append(
                {"metric": key, "system": system, "score": score, "signature": result.signature}
            )
    title = f"Scores on {scores.testset.name}"
    return Report(title, sections, record={"metrics": metrics}, rows=rows)


# -------------------------------------------------------------------------------------------------
# The forms of a comparison.


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """The whole of it as text, which fits `width`."""
    return report_text(comparison_report(comparison), width)


def comparison_latex(comparison: Comparison) -> str:
    """Leaderboard, pairs and matrix of each metric as booktabs tables with short captions, and how
    it was tested.

    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A_1": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> r"\\begin{tabular}" in comparison_latex(compare(ts, trials=999))
    True
    """
    return report_latex(comparison_report(comparison, MOST_ROWS))


def comparison_html(comparison: Comparison) -> str:
    """A page in light or dark, as the reader's system prefers, that needs nothing else.

    Names are shown literally.
    """
    return report_html(comparison_report(comparison))


FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": comparison_text,
    "json": comparison_json,
    "csv": comparison_csv,
    "latex": comparison_latex,
    "html": comparison_html,
}


# -------------------------------------------------------------------------------------------------
# What results show of themselves: a table in a notebook, files and figures. Results import this when asked.


#: The renderer of each format.
RENDERERS: dict[str, Callable[[Report], str]] = {
    "text": report_text,
    "json": report_json,
    "csv": report_csv,
    "latex": report_latex,
    "html": report_html,
}


def render_report(report: Report, form: str, width: int | None = None) -> str:
    """A report in one of the formats of `RENDERERS`; as text its tables fit `width`."""
    if form == "text":
        return report_text(report, width)
    return RENDERERS[form](report)


def render(comparison: Comparison, form: str) -> str:
    """A comparison as a file has it, in one of `FORMS`."""
    if form not in FORMS:
        raise explain_unknown("form", form, FORMS)
    return FORMS[form](comparison)
