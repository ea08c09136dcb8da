"""A comparison or a shared task as a report: which tables, sentences and figures each format shows, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.agreement import agreement_blocks
from mtsig_core.report.assumption_words import list_assumptions
from mtsig_core.report.caution_words import caution_texts, fit_remedies_to_task
from mtsig_core.report.document import Block, Facts, Figure, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import comparison_csv, comparison_json, matrix_csv
from mtsig_core.report.html import report_fragment, report_html
from mtsig_core.report.latex import MOST_ROWS, report_latex
from mtsig_core.report.pictures import differences_svg, forest_svg, matrix_key, matrix_svg, task_svg
from mtsig_core.report.review import (
    MEASURED_SAID,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    notes_table,
)
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    Found,
    describe_difference,
    describe_direction,
    describe_methods,
    describe_signatures,
    explain_far_firsts,
    explain_ranking,
    list_caveats,
    list_exclusions,
    list_interval_kinds,
    list_task_metrics,
    name_family,
    name_simultaneous,
    paper_sentences,
    select_parts,
    state_agreement,
    state_verdict,
    summarize_comparison,
    write_caption,
    write_level,
)
from mtsig_core.report.tables import (
    CLUSTERS_NOTE,
    DETECTABLE,
    by_reference_table,
    cluster_ends,
    dispute_counts_table,
    disputed_pairs_table,
    exclusions_table,
    leaderboard_table,
    name_in_print,
    numbered_matrix,
    pair_runs_table,
    pairs_table,
    rank_table,
    relations_table,
    runs_table,
    signs_table,
    split_columns,
    tops_table,
    without_relation,
)
from mtsig_core.report.text import report_text
from mtsig_core.results import Comparison, MetricResult, TaskComparison
from mtsig_core.stats.across import AGREEMENTS, find_disputes
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import is_split
from mtsig_core.store.reviews import Entry, replay

_TEXT, _HTML, _LATEX, _PAPERS = ("text",), ("html",), ("latex",), ("html", "latex")
_SCREENS, _READERS, _WITH_WARNINGS = ("html", "notebook"), ("text", "html", "notebook"), ("text", "html")
_FEW_PAIRS = 30  # more have their differences in files, and in text a matrix
_WIDEST_MATRIX = 15  # systems, on paper
_MOST_COLUMNS = 14  # of a table on a page
_MOST_IN_TEXT, _MOST_PRINTED = 20, 200  # pairs of systems on which metrics disagree
_MOST_PAIRS_OF_SYSTEMS = 3000  # on the page of a task, in all its tables together


def comparison_report(comparison: Comparison, most_pairs: int | None = None) -> Report:
    """By each metric the verdict, all tables and figures; how metrics agree, warnings, and how it was tested.

    Of the pairs, the first `most_pairs` have rows.
    """
    several, sections = len(comparison.metrics) > 1, [_introduce(comparison)]
    for metric, result in comparison.metrics.items():
        sections.append(Section(f"{metric_title(metric)}: systems", list(_show_systems(comparison, result))))
        if result.pairs:
            pairs = list(_show_pairs(comparison, result, most_pairs))
            sections.append(Section(f"{metric_title(metric)}: pairs", pairs, "detail"))
    sections += _relate_metrics(list(comparison.metrics.values())) if several else []
    if others := tuple(one for one in comparison.warnings if not one.kind.comes_first):
        sections.append(Section("Caveats", [Warnings(cautions=others, several=several)], "caveats"))
    sections += [_methods_section(comparison), Section("Settings", [_list_settings(comparison)], "detail")]
    return Report(f"Comparison of systems on {comparison.testset.name}", sections,
                  "The texts of this test set are simulated." if comparison.testset.simulated else "")


def task_report(found: TaskComparison, command: str, history: Sequence[Entry] = ()) -> Report:
    """By each metric the verdict, what has to be known, the ranks, pairs of systems across the language pairs; where
    metrics disagree, and which to trust; what a review (`history`) decided; how it was tested; each language pair.

    `command` is the command line that prints its numbers.
    """
    simulated = any(comparison.testset.simulated for comparison in found.pairs.values())
    agreement = [] if found.agreement is None else [
        Section("Which metric to trust", agreement_blocks(found.agreement))]
    return Report(f"Shared task: {found.task.name}", [
        _introduce(found, command), *(_metric_section(found, metric) for metric in list_task_metrics(found)),
        *_dispute_sections(found), *agreement, *_review_sections(found, history),
        *_warning_sections(found), _methods_section(found), *_pair_sections(found),
        *_command_sections(found, command, history)],
        "The texts and ratings of this task are simulated." * simulated)


#-----------------------------------------------------------------------------------------------------------------------
# What a test set and a task share: what was compared, the systems and pairs of a test set, how it was tested.


def _introduce(found: Found, command: str = "") -> Section:
    """Warnings that question all numbers, what was compared and how, who was excluded, what was assumed."""
    metrics = list_task_metrics(found)
    if isinstance(found, Comparison):
        doubts = tuple(one for one in found.warnings if one.kind.comes_first)
        blocks: list[Block] = [Warnings(cautions=doubts, several=len(metrics) > 1)] if doubts else []
        blocks += [Paragraph(text="; ".join(part), role="summary") for part in summarize_comparison(found)]
        excluded, assumed, name = exclusions_table(found), found.testset.assumed, ""
    else:
        settings, name = next(iter(found.pairs.values())).settings, found.task.name
        cautions = dict.fromkeys(f"Warning: {pair}: {text}" for pair, one in found.pairs.items()
                                 for text in caution_texts(one))
        blocks = [Paragraph(text=f"{name}: {format_count(len(found.task.pairs), 'language pair')}"
                                 f", {format_count(len(found.task.systems), 'system')}; test {settings.test}, "
                                 f"{settings.correction}, alpha {settings.alpha:g}, seed {settings.seed}",
                            role="summary", only=_TEXT),
                  *(Paragraph(text=text, role="remark", only=_LATEX)
                    for text in (f"Made by: {command} --format latex", *cautions))]
        excluded, assumed = left_out_table(found.excluded), found.task.assumed
    if excluded:
        blocks += [Paragraph(text=" ".join(list_exclusions(found)), role="remark", only=("text", "latex")),
                   TableBlock(table=excluded, title="Excluded", only=_HTML)]
    for remedies, only in ((bool(name), _TEXT), (False, _SCREENS)):
        blocks += [Paragraph(text=text, only=only) for text in list_assumptions(assumed, metrics, remedies)]
    return Section("", blocks)


def _show_systems(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    settings, title = comparison.settings, metric_title(result.metric)
    anchor = "the best score" if settings.baseline is None else "the baseline"
    yield Paragraph(text=state_verdict(comparison, result.metric), role="verdict",
                    about=f"{title}, {describe_direction(result.higher_is_better, bool(result.pairs))}")
    for caution in comparison.warnings:
        if caution.kind.beside_verdict and caution.metric == result.metric:
            yield Paragraph(text=caution.finding, only=_TEXT)
    for sentence in explain_far_firsts(comparison, result.metric):
        yield Paragraph(text=sentence)
    yield TableBlock(table=leaderboard_table(result, settings), title=f"{title}: systems",
                     **_caption(comparison, result, "Scores"),
                     notes=(CLUSTERS_NOTE,) * bool(cluster_ends(result.systems)))
    yield Figure(draw=partial(forest_svg, result, settings), caption=(
        f"Blue: {anchor}. Filled: significantly different from it; hollow: not, which does not mean equal."
        if result.pairs else "The score with its interval: there is no other system to compare it with."))
    if together := name_simultaneous(result, settings):
        yield Figure(draw=partial(differences_svg, result, settings), caption=(
            f"Difference of each system to {anchor}. Thick: {write_level(settings)} CI for this pair only. Thin, with "
            f"ends: {together}. Filled: significantly different; hollow: not, which does not mean equal."))
    if runs := runs_table(comparison, result.metric):
        yield TableBlock(table=runs, title=f"{title}: training runs", caption=(
            f"Scores of each training run by {title}, and the standard deviation between runs with its interval."))
    if references := by_reference_table(result):
        yield TableBlock(table=references, title=f"{title}: top group by reference", caption=(
            f"Top group by {title}, with all references and with each: no other system is significantly better."))


def _show_pairs(comparison: Comparison, result: MetricResult, most: int | None) -> Iterator[Block]:
    settings, title, n = comparison.settings, metric_title(result.metric), len(result.pairs)
    table, together = pairs_table(result, settings, most), name_simultaneous(result, settings)
    level = write_level(settings)
    only = () if n <= _FEW_PAIRS or settings.baseline is not None else ("latex", "html", "notebook")
    if settings.baseline is None:
        yield Figure(draw=partial(matrix_svg, result, settings), caption=matrix_key(result, settings))
    notes = ["Not significant (a dash under \"better\") does not mean equal."]
    notes += [f"A {level} CI is for one pair only. The {level} CIs for all pairs hold for "
              f"{name_family(result, settings)} together."] if together else []
    yield TableBlock(table=table.without(*DETECTABLE), title=f"{title}: pairs", fold=format_count(n, "pair"), n_rows=n,
                     only=only, notes=tuple(notes), **_caption(comparison, result, "Differences"))
    if any(pair.mdd is not None for pair in result.pairs):
        family = f" For the family: at alpha/{len(result.tested)}, which is enough among all pairs." if together else ""
        yield TableBlock(
            table=table.select("pair", *DETECTABLE), title=f"{title}: detectable",
            fold="Smallest detectable differences", n_rows=n, only=only,
            **_caption(comparison, result, "Smallest detectable differences"),
            notes=(f"A test finds a true difference of this size with 80% power, uncorrected.{family} In brackets: "
                   f"{level} CI, because the standard error (SE) is an estimate.",))
    if result.pair_runs:
        yield TableBlock(table=pair_runs_table(comparison, result.metric), only=only,
                         title=f"{title}: differences between runs",
                         **_caption(comparison, result, "Standard errors, with training runs,"))
    if only:
        yield Paragraph(only=_TEXT, text="Differences and p of all pairs: --format csv or json; --baseline NAME for "
                                         "those with one.")
    if len(result.systems) > 2 and settings.baseline is None:
        yield from _show_matrix(comparison, result)


def _show_matrix(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    """All pairs as signs in text, and as numbers on paper."""
    title, n, tested = metric_title(result.metric), len(result.systems), result.tested
    untested, undecided = len(result.pairs) - len(tested), not all(pair.decidable for pair in tested)
    split = any(is_split(pair, comparison.settings.alpha) for pair in tested)
    yield Paragraph(only=_TEXT, text=(
        "Row against column: > significantly better, < worse, . not significant"
        + ", ? cannot be decided" * undecided + ", ! test and scores disagree" * split
        + f" ({sum(pair.significant for pair in result.pairs)} of {format_count(len(tested), 'pair')} significant"
        + f"; - not tested, no line in common: {untested}" * bool(untested) + ")"))
    yield TableBlock(table=signs_table(result, comparison.settings), title=f"{title}: signs", only=_TEXT)
    if n > _WIDEST_MATRIX:
        yield Paragraph(text=f"A matrix of {n} systems is too wide for a page: the pairs below have its numbers.",
                        role="remark", only=_LATEX)
        return
    below = "the share of resamples that the better system wins" if any(pair.win is not None for pair in result.pairs) \
        else "the adjusted p"
    yield TableBlock(table=numbered_matrix(result), title=f"{title}: matrix", only=_LATEX, notes=(
        f"Above the diagonal: the difference {describe_difference(result)}, positive where the row is better, bold "
        f"where significant. Below: {below}. Not significant does not mean equal.",),
        **_caption(comparison, result, "All pairs"))


def _caption(comparison: Comparison, result: MetricResult, what: str) -> dict[str, Any]:
    """The caption of a table, what puts all its numbers in doubt, and where to read what else they depend on."""
    doubts = [caution.finding for caution in comparison.warnings
              if caution.kind.comes_first and caution.metric in (None, result.metric)]
    return {"caption": write_caption(comparison, result.metric, what),
            "caveats": (*doubts, f"Methods and caveats: see {metric_title(result.metric)}: methods.")}


def _methods_section(found: Found) -> Section:
    """How it was tested by each metric: with what was found on a page, without it on paper."""
    blocks: list[Block] = []
    for metric in list_task_metrics(found):
        title = metric_title(metric)
        blocks += [Paragraph(text=f"{describe_methods(found, metric)} {describe_signatures(found, metric)}",
                             role="methods", about=title, only=_LATEX),
                   Paragraph(text=paper_sentences(found, metric), role="methods", about=f"{title}: for a paper",
                             only=_HTML)]
        if isinstance(found, Comparison):
            blocks.append(Paragraph(text=found.metrics[metric].signature, role="signature",
                                    about=f"{title} signature:", only=_WITH_WARNINGS))
    return Section("How it was tested", blocks, "detail" if isinstance(found, Comparison) else "main")


def _relate_metrics(results: list[MetricResult]) -> Iterator[Section]:
    """All metrics of a test set in one matrix."""
    if table := relations_table(results):
        names, gone = ", ".join(metric_title(result.metric) for result in results), without_relation(results)
        yield Section("", [
            Paragraph(text=f"Row against column by {names}, in this order: > significantly better, < worse, ~ neither",
                      only=_TEXT),
            TableBlock(table=table, title="Metrics together", only=_TEXT,
                       notes=(f"Not compared by all of these: {', '.join(gone)}",) * bool(gone))])


def _list_settings(comparison: Comparison) -> Facts:
    info, settings = comparison.testset, comparison.settings
    test, correction = (SETTINGS[key].name_value(getattr(settings, key)) for key in ("test", "correction"))
    facts = {"test set": info.name, "digest": info.digest, "test": test, "unit": settings.unit,
             "block length": settings.block_length, "trials": settings.trials, "alpha": settings.alpha,
             "correction": correction, "intervals": list_interval_kinds(comparison),
             "resamples": settings.resamples, "seed": settings.seed, "baseline": settings.baseline,
             "mtsig": settings.version}
    return Facts(pairs=tuple((name, str(value)) for name, value in facts.items() if value is not None), only=_HTML)


#-----------------------------------------------------------------------------------------------------------------------
# What only a task has: ranks by language pair, metrics that disagree, which to trust, a review.


def _metric_section(found: TaskComparison, metric: str) -> Section:
    """The verdict and its caveats, the ranks, the top group of each language pair, and mean differences across them."""
    title, caveats = metric_title(metric), list_caveats(found, metric)
    _, result = next(iter(select_parts(found, metric).values()))
    return Section(f"{title}: top group", [
        Paragraph(text=f"{state_verdict(found, metric)}.", role="verdict",
                  about=f"{title}, {describe_direction(result.higher_is_better, differences=False)}"),
        *(Paragraph(text=text, role=role, only=only) for role, only in (("warning", _SCREENS), ("text", _TEXT))
          for text in caveats),
        *(Paragraph(text=text, role="note", only=_READERS) for text in explain_far_firsts(found, metric)),
        *_rank_blocks(found, metric), *_across_blocks(found, metric)])


def _rank_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    pairs, title, key = list(select_parts(found, metric)), metric_title(metric), f"{metric}-ranking"
    ranks = replace(rank_table(found, metric), key=key)
    grey = ["Grey: not in the constrained track."] * bool(ranks.grey)
    yield TableBlock(table=ranks, title=title, notes=tuple(explain_ranking(found, metric, "*")), only=_TEXT)
    yield Figure(draw=partial(task_svg, found, metric))
    short = ranks if len(ranks.columns) <= _MOST_COLUMNS else ranks.without(*pairs)  # which the figure has
    yield TableBlock(table=short, title=title, only=_SCREENS,
                     notes=(" ".join([*explain_ranking(found, metric, "Blue:"), *grey]),))
    printed = replace(rank_table(found, metric, name_in_print), key=key)
    first, *further = split_columns(printed, pairs)
    yield TableBlock(table=first, title=f"{title}: ranking", caption=write_caption(found, metric, "Ranks"), only=_LATEX,
                     notes=tuple([*explain_ranking(found, metric, "Bold:"), *grey]),
                     caveats=tuple([*list_caveats(found, metric), *list_exclusions(found)]))
    for part in further:
        yield TableBlock(table=part, title=f"{title}: ranking, continued", only=_LATEX, caption=(
            f"Ranking by {title}, continued. The note below its first part says how to read it."))
    if len(pairs) > 1:
        yield TableBlock(table=tops_table(found, metric), title="Top group by language pair", only=_READERS)
    if runs := runs_table(found, metric):
        yield TableBlock(table=runs, title="Training runs", only=_READERS)


def _across_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro, title = found.macro.get(metric), metric_title(metric)
    if macro is None:
        yield Paragraph(text=f"{title}: one language pair. mtsig compare --format latex has its pairs of systems.",
                        role="remark", only=_LATEX)
    elif macro.pairs:
        settings = next(iter(found.pairs.values())).settings
        for name, only in ((str, _SCREENS), (partial(name_in_print, found.task), _LATEX)):
            table = pairs_table(macro, settings, name=name)
            yield TableBlock(
                table=replace(table, key=f"{metric}-{table.key}"), title=f"{title}: head-to-head", only=only,
                caption=write_caption(found, metric, "Mean differences over the language pairs"),
                notes=("Positive where the first system is better. No significant difference (a dash) does not mean "
                       "equal.",), caveats=(f"Methods and caveats: see {title}: methods.",),
                fold=f"Across the language pairs: {format_count(len(macro.pairs), 'pair')} of systems")


def _dispute_sections(found: TaskComparison) -> Iterator[Section]:
    """How often metrics disagree in each language pair, then the pairs of systems on which they do; nothing of a single
    metric."""
    if not (disputed := find_disputes(found)):
        return
    pairs, agreement = disputed_pairs_table(disputed), f"{state_agreement(disputed)}."
    opposite = [k for k, kind in enumerate(pairs.values("together")) if kind == AGREEMENTS[0]]
    n, about = len(pairs.rows), "Pairs of systems on which metrics disagree, contradictions first."
    cut = (f"The first {_MOST_PRINTED} of {n:,} are shown; CSV and JSON have all.",) * (n > _MOST_PRINTED)
    blocks: list[Block] = [
        Paragraph(text=agreement),
        TableBlock(table=dispute_counts_table(disputed), title="Where metrics disagree",
                   caption="Where metrics disagree.", notes=(DISPUTES_NOTE,), caveats=(agreement,))]
    if opposite:
        more = f", the first {_MOST_IN_TEXT} of {len(opposite)}" * (len(opposite) > _MOST_IN_TEXT)
        blocks += [Paragraph(text=f"Opposite decisions{more}:", only=_TEXT), TableBlock(
            table=pairs.pick_rows(opposite[:_MOST_IN_TEXT]), title=about, notes=(DISPUTED_PAIRS_NOTE,), only=_TEXT)]
    if pairs:
        blocks.append(TableBlock(
            table=pairs.pick_rows(range(min(n, _MOST_PRINTED))), title="Disputed pairs", caption=about, only=_PAPERS,
            notes=(DISPUTED_PAIRS_NOTE, *cut), fold=f"{format_count(n, 'pair')} of systems on which metrics disagree"))
    yield Section("Where metrics disagree", blocks)


def _review_sections(found: TaskComparison, history: Sequence[Entry]) -> Iterator[Section]:
    """What was decided, what the numbers say against that, and the notes."""
    if not history:
        return
    review = replay(history)
    cautions = tuple(decision_cautions(review, found))
    yield Section("Decided", [
        *[TableBlock(table=decisions_table(review), title="Decisions", caption="Decisions.",
                     caveats=tuple(caution.text for caution in cautions))] * bool(review.decisions),
        *[Warnings(cautions=cautions, only=_WITH_WARNINGS)] * bool(cautions)])
    if review.notes:
        yield Section("Notes on disputed pairs of systems", [TableBlock(
            table=notes_table(review.notes, found), title="Notes", caption="Notes on disputed pairs of systems.",
            notes=(MEASURED_SAID,))])


def _warning_sections(found: TaskComparison) -> Iterator[Section]:
    """For text, those about the task, those about the design, once for all language pairs that have the same, then
    those of each."""
    cautions = {pair: fit_remedies_to_task(comparison.warnings) for pair, comparison in found.pairs.items()}
    first, *others = cautions.values()
    shared = [caution for caution in first if others and caution.metric is None and caution.a is None
              and all(caution in own for own in others)]
    groups = {"": (*found.warnings, *shared)} | {
        pair: tuple(caution for caution in own if caution not in shared) for pair, own in cautions.items()}
    for pair, own in groups.items():
        if own:
            several = bool(pair) and len(found.pairs[pair].metrics) > 1
            yield Section(pair, [Warnings(cautions=own, several=several, only=_TEXT)])


def _pair_sections(found: TaskComparison) -> Iterator[Section]:
    """For a page, each language pair with its systems, pairs of systems and warnings."""
    n_pairs = sum(len(result.pairs) for one in found.pairs.values() for result in one.metrics.values())
    for k, (pair, comparison) in enumerate(found.pairs.items(), 1):
        blocks: list[Block] = [Paragraph(text="; ".join(part), role="summary")
                               for part in summarize_comparison(comparison)]
        for result in comparison.metrics.values():
            blocks += _show_systems(comparison, result)
            if result.pairs and n_pairs <= _MOST_PAIRS_OF_SYSTEMS:
                blocks += _show_pairs(comparison, result, None)
            blocks.append(Paragraph(text=result.signature, about="Signature:", role="signature"))
        blocks.append(Warnings(cautions=tuple(comparison.warnings), several=len(comparison.metrics) > 1))
        yield Section(pair, [replace(_set_verdict_low(block), only=_HTML) for block in blocks if block.is_for("html")],
                      "detail", f"pair-{k}")
    if n_pairs > _MOST_PAIRS_OF_SYSTEMS:
        yield Section("", [Paragraph(text="The pairs of systems within each language pair are too many for a page: the "
                                          "CSV has them.", role="note", only=_HTML)], "detail")


def _set_verdict_low(block: Block) -> Block:
    """A verdict as a text, because only those of the task are on top of its page."""
    if isinstance(block, Paragraph) and block.role == "verdict":
        return replace(block, role="text", text=f"{block.about}: {block.text}.")
    return block


def _command_sections(found: TaskComparison, command: str, history: Sequence[Entry]) -> Iterator[Section]:
    if history:
        yield Section("History of the review", [
            Paragraph(text=f"{k}. {step}", only=_HTML) for k, step in enumerate(history_sentences(history), 1)],
            "detail")
    version = next(iter(found.pairs.values())).settings.version
    commands = {"this page": "html", "all numbers": "json", "as a table": "csv", "manifest": "manifest"}
    facts = {name: f"{command} --format {form}" for name, form in commands.items()} | {"task digest": found.task.digest}
    yield Section("Commands", [
        Paragraph(text=f"With mtsig {version} and the same files, these commands print the numbers of this page again, "
                       "byte for byte.", role="note", only=_HTML),
        Facts(pairs=tuple(facts.items()), code=frozenset(facts), only=_HTML)], "detail")


#-----------------------------------------------------------------------------------------------------------------------
# The forms of a comparison.


def comparison_text(comparison: Comparison, width: int | None = None) -> str:
    """The whole of it as text, which fits `width`."""
    return report_text(comparison_report(comparison), width)


def comparison_latex(comparison: Comparison) -> str:
    """Leaderboard, pairs and matrix of each metric as booktabs tables with short captions, and how it was tested.

    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A_1": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> r"\\begin{tabular}" in comparison_latex(compare(ts, trials=999))
    True
    """
    return report_latex(comparison_report(comparison, MOST_ROWS))


def comparison_html(comparison: Comparison) -> str:
    """A page in light or dark, as the reader's system prefers, that needs nothing else. Names are shown literally."""
    return report_html(comparison_report(comparison))


def comparison_fragment(comparison: Comparison) -> str:
    """What a notebook shows of it."""
    return report_fragment(comparison_report(comparison))


def task_fragment(found: TaskComparison) -> str:
    """What a notebook shows of a task."""
    return report_fragment(task_report(found, ""))


FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": comparison_text, "json": comparison_json, "csv": comparison_csv, "latex": comparison_latex,
    "html": comparison_html, "matrix": matrix_csv}
