"""A comparison and a shared task as reports: which tables, sentences and figures each format shows, in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.agreement import (
    agreement_assumed,
    agreement_by_pair_table,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
)
from mtsig_core.report.assumption_words import list_assumptions
from mtsig_core.report.caution_words import caution_texts, fit_remedies_to_task
from mtsig_core.report.document import Block, Facts, Figure, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import comparison_csv, comparison_json, matrix_csv
from mtsig_core.report.html import report_html
from mtsig_core.report.latex import MOST_PAIRS, MOST_ROWS, report_latex
from mtsig_core.report.notebook import report_fragment
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
    name_simultaneous,
    order_systems,
    paper_sentences,
    select_parts,
    state_agreement,
    state_verdict,
    summarize_comparison,
    write_caption,
    write_level,
)
from mtsig_core.report.table import Table
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
    task_runs_table,
    tops_table,
    without_relation,
)
from mtsig_core.report.text import report_text
from mtsig_core.results import Comparison, MetricResult, TaskComparison
from mtsig_core.stats.across import AGREEMENTS, find_disputes
from mtsig_core.stats.cautions import about_agreement
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import is_split
from mtsig_core.store.reviews import Entry, replay

#-----------------------------------------------------------------------------------------------------------------------
# A comparison, and every form that it is written in.


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
    >>> "&lt;b&gt;A&lt;/b&gt; is significantly better than the other system" in comparison_html(compare(ts, trials=999))
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
        sections.append(Section("Caveats", (Warnings(cautions=others, several=len(results) > 1),), "caveats"))
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
        yield Paragraph(text=" ".join(list_exclusions(comparison)), role="remark", only=("text", "latex"))
        yield TableBlock(table=exclusions_table(comparison), title="Excluded", only=("html",))
    for text in list_assumptions(comparison.testset.assumed, comparison.metrics):
        yield Paragraph(text=text, role="text")


def _show_systems(comparison: Comparison, result: MetricResult) -> Iterator[Block]:
    settings, title = comparison.settings, metric_title(result.metric)
    anchor = "the best score" if settings.baseline is None else "the baseline"
    yield Paragraph(text=state_verdict(comparison, result.metric), role="verdict",
                    about=f"{title}, {describe_direction(result.higher_is_better, bool(result.pairs))}")
    for caution in comparison.warnings:
        if caution.kind.beside_verdict and caution.metric == result.metric:
            yield Paragraph(text=caution.finding, only=("text",))
    for sentence in explain_far_firsts(comparison, result.metric):
        yield Paragraph(text=sentence)
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
        yield TableBlock(table=references, title=f"{title}: top group by reference", caption=(
            f"Top group by {title}, with all references and with each: no other system is significantly better."))


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
    yield Paragraph(text=f"{describe_methods(comparison, result.metric)} "
                    f"{describe_signatures(comparison, result.metric)}", role="methods", about=title, only=("latex",))
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
    test, correction = (SETTINGS[key].name_value(getattr(settings, key)) for key in ("test", "correction"))
    facts = [("test set", info.name), ("digest", info.digest), ("test", test), ("unit", settings.unit),
             ("block length", settings.block_length), ("trials", settings.trials), ("alpha", settings.alpha),
             ("correction", correction), ("intervals", list_interval_kinds(comparison)),
             ("resamples", settings.resamples), ("seed", settings.seed), ("baseline", settings.baseline),
             ("mtsig", settings.version)]
    return Facts(pairs=tuple((name, str(value)) for name, value in facts if value is not None), only=("html",))


FORMS: dict[str, Callable[[Comparison], str]] = {
    "text": comparison_text, "json": comparison_json, "csv": comparison_csv, "latex": comparison_latex,
    "html": comparison_html, "matrix": matrix_csv}


#-----------------------------------------------------------------------------------------------------------------------
# A shared task.


_TEXT, _HTML, _LATEX, _PAPERS = ("text",), ("html",), ("latex",), ("html", "latex")
_SCREENS, _READERS = ("html", "notebook"), ("text", "html", "notebook")
_MOST_COLUMNS = 14  # of a table on a page
_MOST_IN_TEXT, _MOST_PRINTED = 20, 200  # pairs of systems on which metrics disagree
_MOST_PAIRS_OF_SYSTEMS = 3000  # on a page, in all its tables together


def task_report(found: TaskComparison, command: str, history: Sequence[Entry] = ()) -> Report:
    """By each metric the verdict, what has to be known, the ranks, pairs of systems across the language pairs; where
    metrics disagree, and which to trust; what a review decided; how it was tested; each language pair.

    Parameters
    ----------
    found : TaskComparison
    command : str
        The command line that prints its numbers.
    history : sequence of Entry
        Of a review.
    """
    metrics = list_task_metrics(found)
    simulated = any(comparison.testset.simulated for comparison in found.pairs.values())
    return Report(f"Shared task: {found.task.name}", [
        _head_section(found, command), *(_metric_section(found, metric) for metric in metrics),
        *_dispute_sections(found), *_agreement_sections(found), *_review_sections(found, history),
        *_warning_sections(found), *_left_out_sections(found), _methods_section(found, metrics),
        *_pair_sections(found), *_command_sections(found, command, history)],
        "The texts and ratings of this task are made up." * simulated)


def task_fragment(found: TaskComparison) -> str:
    """What a notebook shows of it."""
    return report_fragment(task_report(found, ""))


def _head_section(found: TaskComparison, command: str) -> Section:
    """What was compared, what was assumed and who was left out."""
    settings, metrics = next(iter(found.pairs.values())).settings, list_task_metrics(found)
    cautions = dict.fromkeys(f"Warning: {pair}: {text}" for pair, comparison in found.pairs.items()
                             for text in caution_texts(comparison))
    return Section("", [
        Paragraph(text=f"{found.task.name}: {format_count(len(found.task.pairs), 'language pair')}"
                       f", {format_count(len(found.task.systems), 'system')}; test {settings.test}, "
                       f"{settings.correction}, alpha {settings.alpha:g}, seed {settings.seed}",
                  role="summary", only=_TEXT),
        Paragraph(text=f"Made by: {command} --format latex", role="remark", only=_LATEX),
        *(Paragraph(text=text, role="remark", only=_LATEX) for text in cautions),
        *(Paragraph(text=text, only=_TEXT) for text in list_assumptions(found.task.assumed, metrics, remedies=True)),
        *(Paragraph(text=text, only=_TEXT) for text in list_exclusions(found))])


def _metric_section(found: TaskComparison, metric: str) -> Section:
    title, caveats = metric_title(metric), list_caveats(found, metric)
    higher = next(iter(select_parts(found, metric).values()))[1].higher_is_better
    return Section(f"{title}: top group", [
        Paragraph(text=f"{state_verdict(found, metric)}.", role="verdict",
                  about=f"{title}, {describe_direction(higher, differences=False)}"),
        *(Paragraph(text=text, role=role, only=only) for role, only in (("warning", _SCREENS), ("text", _TEXT))
          for text in caveats),
        *(Paragraph(text=text, role="note", only=_READERS) for text in explain_far_firsts(found, metric)),
        *_rank_blocks(found, metric), *_across_blocks(found, metric)])


def _rank_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    """The ranks, the top group of each language pair, and training runs."""
    ranks, pairs = rank_table(found, metric), list(select_parts(found, metric))
    title, key = metric_title(metric), f"{metric}-ranking"
    ranks = replace(ranks, key=key)
    grey = ["Grey: not in the constrained track."] * bool(ranks.grey)
    yield TableBlock(table=ranks, title=title, notes=tuple(explain_ranking(found, metric, "*")), only=_TEXT)
    yield Figure(draw=partial(task_svg, found, metric))
    short = ranks if len(ranks.columns) <= _MOST_COLUMNS else ranks.without(*pairs)  # which the figure has
    yield TableBlock(table=short, title=title, only=_SCREENS,
                     notes=(" ".join([*explain_ranking(found, metric, "Blue:"), *grey]),))
    printed = replace(rank_table(found, metric, name_in_print), key=key)
    for part, columns in enumerate(_in_parts(printed, pairs)):
        about = f"{title}: ranking"
        yield TableBlock(table=columns, title=about, caption=_caption_task(found, metric, "Ranks"), only=_LATEX,
                         notes=tuple([*explain_ranking(found, metric, "Bold:"), *grey]),
                         caveats=tuple([*list_caveats(found, metric), *list_exclusions(found)])
                         ) if not part else TableBlock(
            table=columns, title=f"{about}, continued", only=_LATEX, caption=f"Ranking by {title}, continued. The note "
            "below its first part says how to read it.")
    if len(pairs) > 1:
        yield TableBlock(table=tops_table(found, metric), title="Top group by language pair", only=_READERS)
    if runs := task_runs_table(found, metric):
        yield TableBlock(table=runs, title="Training runs", only=_READERS)


def _caption_task(found: TaskComparison, metric: str, what: str) -> str:
    parts = select_parts(found, metric)
    simulated = ", a simulated task" * any(one.testset.simulated for one, _ in parts.values())
    higher = next(iter(parts.values()))[1].higher_is_better
    return (f"{what} of {format_count(len(order_systems(found, metric)), 'system')} of {found.task.name}{simulated} in "
            f"{format_count(len(parts), 'language pair')} by {metric_title(metric)} "
            f"({describe_direction(higher, differences=False)}).")


def _in_parts(table: Table, pairs: Sequence[str]) -> list[Table]:
    """The table in several, each with some of the columns of language pairs; the first has the columns before them, the
    last those behind."""
    keys, n = table.keys, len(pairs)
    before, behind = keys[1:keys.index(pairs[0])], keys[keys.index(pairs[-1]) + 1:]
    return [table.select(keys[0], *(before if not k else ()), *pairs[k:k + MOST_PAIRS],
                         *(behind if k + MOST_PAIRS >= n else ())) for k in range(0, n, MOST_PAIRS)]


def _across_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro, title = found.macro.get(metric), metric_title(metric)
    if macro is None or not macro.pairs:
        if macro is None:
            yield Paragraph(text=f"{title}: one language pair. mtsig compare --format latex has its pairs of systems.",
                            role="remark", only=_LATEX)
        return
    settings = next(iter(found.pairs.values())).settings
    for name, only in ((str, _SCREENS), (partial(name_in_print, found.task), _LATEX)):
        table = pairs_table(macro, settings, name=name)
        yield TableBlock(
            table=replace(table, key=f"{metric}-{table.key}"), title=f"{title}: head-to-head", only=only,
            caption=_caption_task(found, metric, "Mean differences over the language pairs"),
            notes=("Positive where the first system is better. No significant difference (a dash) does not mean "
                   "equal.",),
            caveats=(f"Methods and caveats: see {title}: methods.",),
            fold=f"Across the language pairs: {format_count(len(macro.pairs), 'pair')} of systems")


def _dispute_sections(found: TaskComparison) -> Iterator[Section]:
    """How often metrics disagree in each language pair, then the pairs of systems on which they do; nothing of a single
    metric."""
    if not (disputed := find_disputes(found)):
        return
    pairs, kinds = disputed_pairs_table(disputed), disputed_pairs_table(disputed).values("together")
    opposite = [k for k, kind in enumerate(kinds) if kind == AGREEMENTS[0]]
    n, about = len(kinds), "Pairs of systems on which metrics disagree, contradictions first."
    cut = (f"The first {_MOST_PRINTED} of {n:,} are shown; CSV and JSON have all.",) * (n > _MOST_PRINTED)
    blocks: list[Block] = [
        Paragraph(text=f"{state_agreement(disputed)}."),
        TableBlock(table=dispute_counts_table(disputed), title="Where metrics disagree",
                   caption="Where metrics disagree.", notes=(DISPUTES_NOTE,),
                   caveats=(f"{state_agreement(disputed)}.",))]
    if opposite:
        more = f", the first {_MOST_IN_TEXT} of {len(opposite)}" * (len(opposite) > _MOST_IN_TEXT)
        blocks += [Paragraph(text=f"Opposite decisions{more}:", only=_TEXT), TableBlock(
            table=pairs.pick_rows(opposite[:_MOST_IN_TEXT]), title=about, notes=(DISPUTED_PAIRS_NOTE,), only=_TEXT)]
    if pairs:
        blocks.append(TableBlock(
            table=pairs.pick_rows(range(min(n, _MOST_PRINTED))), title="Disputed pairs", caption=about, only=_PAPERS,
            notes=(DISPUTED_PAIRS_NOTE, *cut), fold=f"{format_count(n, 'pair')} of systems on which metrics disagree"))
    yield Section("Where metrics disagree", blocks)


def _agreement_sections(found: TaskComparison) -> Iterator[Section]:
    """How far each metric agrees with people, in the mean and in each language pair, and pairs of metrics."""
    if (held := found.agreement) is None:
        return
    soft = f"Soft pairwise accuracy with {held.human}"
    by_pair, compared = agreement_by_pair_table(held), compared_metrics_table(held)
    blocks: list[Block] = [
        Paragraph(text=f"{agreement_verdict(held)}."),
        Warnings(cautions=tuple(about_agreement(held)), only=("text", "html")),
        TableBlock(table=agreement_table(held), title="Which metric to trust", caption="Which metric to trust.",
                   caveats=(f"{agreement_verdict(held)}.", agreement_note(held)))]
    blocks += [TableBlock(table=part, title=soft, caption=f"{soft}: the mean over the language pairs, and in each.",
                          only=only) for parts, only in (([by_pair], ("text", "html")),
                                                         (_in_parts(by_pair, list(held.pairs)), _LATEX))
               for part in parts]
    if compared:
        blocks.append(TableBlock(
            table=compared, title="Pairs of metrics", fold=f"{format_count(len(compared.rows), 'pair')} of metrics",
            caption=f"Pairs of metrics by soft pairwise accuracy with {held.human}: the difference of the one that "
                    "agrees more and the other."))
    blocks += [Paragraph(text=agreement_note(held), role="note"),
               *(Paragraph(text=text, only=_TEXT) for text in agreement_assumed(held, remedies=True))]
    yield Section("Which metric to trust", blocks)


def _review_sections(found: TaskComparison, history: Sequence[Entry]) -> Iterator[Section]:
    """What was decided, what the numbers say against that, and the notes."""
    if not history:
        return
    review = replay(history)
    cautions = tuple(decision_cautions(review, found))
    yield Section("Decided", [
        *[TableBlock(table=decisions_table(review), title="Decisions", caption="Decisions.",
                     caveats=tuple(caution.text for caution in cautions))] * bool(review.decisions),
        *[Warnings(cautions=cautions, only=("text", "html"))] * bool(cautions)])
    if review.notes:
        yield Section("Notes on disputed pairs of systems", [TableBlock(
            table=notes_table(review.notes, found), title="Notes", caption="Notes on disputed pairs of systems.",
            notes=(MEASURED_SAID,))])


def _warning_sections(found: TaskComparison) -> Iterator[Section]:
    """For text, those about the task, those about the design, once for all language pairs that have the same, then
    those of each."""
    cautions = {pair: fit_remedies_to_task(comparison.warnings) for pair, comparison in found.pairs.items()}
    designs = [[caution for caution in own if caution.metric is None and caution.a is None]
               for own in cautions.values()]
    shared = [caution for caution in designs[0] if len(designs) > 1 and all(caution in one for one in designs)]
    groups = {"": (*found.warnings, *shared)} | {
        pair: tuple(caution for caution in own if caution not in shared) for pair, own in cautions.items()}
    for pair, own in groups.items():
        if own:
            several = bool(pair) and len(found.pairs[pair].metrics) > 1
            yield Section(pair, [Warnings(cautions=own, several=several, only=_TEXT)])


def _left_out_sections(found: TaskComparison) -> Iterator[Section]:
    for text in list_assumptions(found.task.assumed, list_task_metrics(found)):
        yield Section("", [Paragraph(text=text, role="warning", only=_HTML)])
    if found.excluded:
        yield Section("Excluded", [TableBlock(table=left_out_table(found.excluded), title="Excluded", only=_HTML)])


def _methods_section(found: TaskComparison, metrics: Sequence[str]) -> Section:
    return Section("How it was tested", [
        *(Paragraph(text=paper_sentences(found, metric), role="methods", about=metric_title(metric), only=_HTML)
          for metric in metrics),
        *(Paragraph(text=f"{describe_methods(found, metric)} {describe_signatures(found, metric)}", role="methods",
                    about=metric_title(metric), only=_LATEX) for metric in metrics)])


def _pair_sections(found: TaskComparison) -> Iterator[Section]:
    """For a page, each language pair with its systems, pairs of systems and warnings."""
    n_pairs = sum(len(result.pairs) for one in found.pairs.values() for result in one.metrics.values())
    for k, (pair, comparison) in enumerate(found.pairs.items(), 1):
        several = len(comparison.metrics) > 1
        yield Section(pair, [
            *(Paragraph(text="; ".join(part), role="summary", only=_HTML) for part in summarize_comparison(comparison)),
            *_pick_for_page(block for result in comparison.metrics.values() for block in (
                *_show_systems(comparison, result),
                *(_show_pairs(comparison, result, None) if n_pairs <= _MOST_PAIRS_OF_SYSTEMS and result.pairs else ()),
                Paragraph(text=result.signature, about="Signature:", role="signature"))),
            Warnings(cautions=tuple(comparison.warnings), several=several, only=_HTML)], "detail", f"pair-{k}")
    if n_pairs > _MOST_PAIRS_OF_SYSTEMS:
        yield Section("", [Paragraph(text="The pairs of systems within each language pair are too many for a page: the "
                                          "CSV has them.", role="note", only=_HTML)], "detail")


def _pick_for_page(blocks: Iterable[Block]) -> Iterator[Block]:
    """Those that a page has, for the page only; a verdict is a text there, as those of the task stand on top."""
    for block in blocks:
        if block.is_for("html"):
            if isinstance(block, Paragraph) and block.role == "verdict":
                block = replace(block, role="text", text=f"{block.about}: {block.text}.")
            yield replace(block, only=_HTML)


def _command_sections(found: TaskComparison, command: str, history: Sequence[Entry]) -> Iterator[Section]:
    if history:
        yield Section("History of the review", [
            Paragraph(text=f"{k}. {step}", only=_HTML) for k, step in enumerate(history_sentences(history), 1)],
            "detail")
    version = next(iter(found.pairs.values())).settings.version
    commands = {"this page": "html", "all numbers": "json", "as a table": "csv", "manifest": "manifest"}
    facts = [(name, f"{command} --format {form}") for name, form in commands.items()]
    facts.append(("task digest", found.task.digest))
    yield Section("Commands", [
        Paragraph(text="These print the numbers of this page again, byte for byte, with mtsig "
                       f"{version} on the same files.", role="note", only=_HTML),
        Facts(pairs=tuple(facts), code=frozenset(dict(facts)), only=_HTML)], "detail")
