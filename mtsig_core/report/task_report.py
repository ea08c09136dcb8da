"""A shared task as a report: which tables, sentences and figures each format shows, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

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
from mtsig_core.report.document import Block, Facts, Figure, Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.latex import MOST_PAIRS
from mtsig_core.report.notebook import report_fragment
from mtsig_core.report.pictures import forest_svg, task_svg
from mtsig_core.report.review import (
    MEASURED_SAID,
    decision_cautions,
    decisions_table,
    history_sentences,
    left_out_table,
    notes_table,
)
from mtsig_core.report.sentences import summarize_comparison
from mtsig_core.report.table import Table
from mtsig_core.report.tables import leaderboard_table, pairs_table
from mtsig_core.report.task import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    above_ranks,
    compare_decisions_with_intervals,
    describe_caveats,
    describe_exclusions,
    describe_gaps_across,
    describe_rule,
    describe_signatures,
    describe_subject,
    dispute_counts_table,
    disputed_pairs_table,
    disputes_verdict,
    explain_no_mean,
    explain_ranking,
    list_metrics,
    macro_pairs_table,
    name_in_print,
    rank_table,
    runs_table,
    select_metric,
    task_methods,
    task_verdict,
    tops_table,
)
from mtsig_core.report.words import (
    caution_texts,
    describe_direction,
    explain_far_firsts_in_task,
    fit_remedies_to_task,
    list_assumptions,
)
from mtsig_core.results import Comparison, MetricResult, TaskComparison
from mtsig_core.stats.across import KINDS, find_disputes
from mtsig_core.stats.cautions import about_agreement
from mtsig_core.store.reviews import Entry, replay
from mtsig_core.testset import add_remedy

_TEXT, _HTML, _LATEX, _PAPERS = ("text",), ("html",), ("latex",), ("html", "latex")
_SCREENS, _READERS = ("html", "notebook"), ("text", "html", "notebook")
_FEWEST, _BEST = 3, 5  # systems of a figure, at least; without ranks
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
    metrics = list_metrics(found)
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
    settings, metrics = next(iter(found.pairs.values())).settings, list_metrics(found)
    cautions = dict.fromkeys(f"Warning: {pair}: {text}" for pair, comparison in found.pairs.items()
                             for text in caution_texts(comparison))
    return Section("", [
        Paragraph(text=f"{found.task.name}: {format_count(len(found.task.pairs), 'language pair')}"
                       f", {format_count(len(found.task.systems), 'system')}; test {settings.test}, "
                       f"{settings.correction}, alpha {settings.alpha:g}, seed {settings.seed}",
                  role="summary", only=_TEXT),
        Paragraph(text=f"Made by: {command} --format latex", role="remark", only=_LATEX),
        *(Paragraph(text=text, role="remark", only=_LATEX) for text in cautions),
        *(Paragraph(text=add_remedy(text), only=_TEXT) for text in list_assumptions(found.task.assumed, metrics)),
        *(Paragraph(text=text, only=_TEXT) for text in describe_exclusions(found))])


def _metric_section(found: TaskComparison, metric: str) -> Section:
    title = metric_title(metric)
    higher = next(iter(select_metric(found, metric).values()))[1].higher_is_better
    rule = describe_rule(found, metric)
    return Section(f"{title}: top group", [
        Paragraph(text=f"{title} ({describe_direction(higher, differences=False)})", only=_TEXT),
        Paragraph(text=f"{task_verdict(found, metric)}.", role="verdict"),
        *(Paragraph(text=text, role=role, only=only) for role, only in (("warning", _SCREENS), ("text", _TEXT))
          for text in above_ranks(found, metric)),
        *([] if rule is None else [Paragraph(text=rule, only=_READERS)]),
        *(Paragraph(text=text, role="note", only=_READERS) for text in explain_far_firsts_in_task(found, metric)),
        *_rank_blocks(found, metric), *_across_blocks(found, metric)])


def _rank_blocks(found: TaskComparison, metric: str) -> Iterator[Block]:
    """The ranks, who stands first in each language pair, and training runs."""
    ranks, pairs = rank_table(found, metric), list(select_metric(found, metric))
    title, key = metric_title(metric), f"{metric}-ranking"
    ranks = replace(ranks, key=key)
    yield TableBlock(table=ranks, title=title, notes=tuple(explain_ranking(found, metric, "*")), only=_TEXT)
    yield Figure(draw=partial(task_svg, found, metric))
    short = ranks if len(ranks.columns) <= _MOST_COLUMNS else ranks.without(*pairs)  # which the figure has
    yield TableBlock(table=short, title=title, notes=(" ".join(_rank_notes(found, metric, "Blue:")),), only=_SCREENS)
    printed = replace(rank_table(found, metric, name_in_print), key=key)
    subject, *more = describe_subject(found, metric, "Ranks of", "by", named=False)
    for part, columns in enumerate(_in_parts(printed, pairs)):
        about = f"{title}: ranking"
        yield TableBlock(table=columns, title=about, caption=subject, only=_LATEX, caveats=tuple(
            dict.fromkeys([*more, *_rank_notes(found, metric, "Bold:"), *_table_caveats(found, metric)]))
            ) if not part else TableBlock(
                table=columns, title=f"{about}, continued", only=_LATEX, caption=f"Ranking by {title}, continued. The "
                "note below its first part says how to read it.")
    if len(pairs) > 1:
        yield TableBlock(table=tops_table(found, metric), title="Top group by language pair", only=_READERS)
    if runs := runs_table(found, metric):
        yield TableBlock(table=runs, title="Training runs", only=_READERS)


def _rank_notes(found: TaskComparison, metric: str, mark: str) -> tuple[str, ...]:
    """How to read the ranks, on paper or a page, which have grey rows."""
    return (*explain_ranking(found, metric, mark), *[
        "On grey: systems that the task's table of systems does not put into the constrained track."]
        * bool(rank_table(found, metric).grey))


def _table_caveats(found: TaskComparison, metric: str) -> list[str]:
    """What has to be known where a table stands without warnings."""
    return [*above_ranks(found, metric), *describe_caveats(found, metric), *describe_exclusions(found)]


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
        lacking = explain_no_mean(found, metric) or \
            "one language pair. mtsig compare --format latex has its pairs of systems."
        yield Paragraph(text=f"{title}: {lacking}", role="remark", only=_LATEX)
        return
    difference = "a minus b" if macro.higher_is_better else \
        "b minus a, positive where a scores better, as lower is better"
    notes = (f"A difference is {difference}. No significant difference does not mean equal.",
             *compare_decisions_with_intervals(found, metric))
    subject, *more = describe_subject(found, metric, "Mean differences over the language pairs of", "by", named=False)
    fold = f"Across the language pairs: {format_count(len(macro.pairs), 'pair')} of systems"
    for table, only in ((macro_pairs_table(found, metric), _SCREENS),
                        (macro_pairs_table(found, metric, name_in_print), _LATEX)):
        yield TableBlock(table=replace(table, key=f"{metric}-{table.key}"), title=f"{title}: head-to-head",
                         caption=subject, notes=notes, fold=fold, only=only, caveats=tuple(dict.fromkeys(
                             [*more, *describe_gaps_across(found, metric), *_table_caveats(found, metric)])))


def _dispute_sections(found: TaskComparison) -> Iterator[Section]:
    """How often metrics disagree in each language pair, then the pairs of systems on which they do; nothing of a single
    metric."""
    if not (disputed := find_disputes(found)):
        return
    pairs, kinds = disputed_pairs_table(disputed), disputed_pairs_table(disputed).values("together")
    opposite = [k for k, kind in enumerate(kinds) if kind == KINDS[0]]
    n, about = len(kinds), "Pairs of systems on which metrics disagree, contradictions first."
    cut = (f"The first {_MOST_PRINTED} of {n:,} are shown; CSV and JSON have all.",) * (n > _MOST_PRINTED)
    blocks: list[Block] = [
        Paragraph(text=f"{disputes_verdict(disputed)}."),
        TableBlock(table=dispute_counts_table(disputed), title="Where metrics disagree",
                   caption="Where metrics disagree.", notes=(DISPUTES_NOTE,),
                   caveats=(f"{disputes_verdict(disputed)}.",))]
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
               *(Paragraph(text=add_remedy(text), only=_TEXT) for text in agreement_assumed(held))]
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
    for text in list_assumptions(found.task.assumed, list_metrics(found)):
        yield Section("", [Paragraph(text=text, role="warning", only=_HTML)])
    if found.excluded:
        yield Section("Left out", [TableBlock(table=left_out_table(found.excluded), title="Left out", only=_HTML)])


def _methods_section(found: TaskComparison, metrics: Sequence[str]) -> Section:
    return Section("How it was tested", [
        *(Paragraph(text=task_methods(found, metric), role="methods", about=metric_title(metric), only=_HTML)
          for metric in metrics),
        *(Paragraph(text=" ".join([task_methods(found, metric), *describe_signatures(found, metric)]), role="methods",
                    about=metric_title(metric), only=_LATEX) for metric in metrics)])


def _pair_sections(found: TaskComparison) -> Iterator[Section]:
    """For a page, each language pair with its systems, pairs of systems and warnings."""
    n_pairs = sum(len(result.pairs) for one in found.pairs.values() for result in one.metrics.values())
    for k, (pair, comparison) in enumerate(found.pairs.items(), 1):
        several = len(comparison.metrics) > 1
        yield Section(pair, [
            *(Paragraph(text="; ".join(part), role="summary", only=_HTML) for part in summarize_comparison(comparison)),
            *(block for result in comparison.metrics.values() for block in _result_blocks(
                comparison, result, n_pairs <= _MOST_PAIRS_OF_SYSTEMS)),
            Warnings(cautions=tuple(comparison.warnings), several=several, only=_HTML)], "detail", f"pair-{k}")
    if n_pairs > _MOST_PAIRS_OF_SYSTEMS:
        yield Section("", [Paragraph(text="The pairs of systems within each language pair are too many for a page: the "
                                          "CSV has them.", role="note", only=_HTML)], "detail")


def _result_blocks(comparison: Comparison, result: MetricResult, with_pairs: bool) -> Iterator[Block]:
    settings, title = comparison.settings, metric_title(result.metric)
    yield Paragraph(text=f"{title}: systems ({describe_direction(result.higher_is_better)})", only=_HTML)
    best = _take_winners(result)
    if len(best.systems) > 1:
        n, among = len(best.systems), ", among them the whole top group" * (best.systems[0].rank_low is not None)
        cut = f"The best {n} of {len(result.systems)} systems{among}. " * (n < len(result.systems))
        yield Figure(draw=partial(forest_svg, best, settings), caption=f"{cut}Blue: the best score. Filled: "
                     "significantly different from it; hollow: not, which does not mean equal.")
    yield TableBlock(table=leaderboard_table(result, settings), title=title, only=_HTML)
    if with_pairs and result.pairs:
        yield TableBlock(table=pairs_table(result, settings), title=title, only=_HTML,
                         fold=f"{format_count(len(result.pairs), 'pair')} of systems")
    yield Paragraph(text=result.signature, about="Signature:", role="signature", only=_HTML)


def _take_winners(result: MetricResult) -> MetricResult:
    """The same for the systems of the top group, and at least the best three; without ranks for the best five."""
    first = [k for k, row in enumerate(result.systems) if row.rank_low == 1]
    n = max([_FEWEST, *(k + 1 for k in first)]) if result.systems[0].rank_low is not None else _BEST
    return replace(result, systems=result.systems[:n])


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
