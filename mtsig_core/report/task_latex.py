"""A shared task as LaTeX: the ranking, the systems against each other, the metrics, and the methods."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mtsig_core.metrics import metric_title
from mtsig_core.report.agreement import (
    agreement_by_pair_table,
    agreement_note,
    agreement_table,
    agreement_verdict,
    compared_metrics_table,
)
from mtsig_core.report.latex import (
    END,
    MOST_PAIRS,
    PREAMBLE,
    paragraph,
    table_latex,
)
from mtsig_core.report.review import MEASURED_SAID, decision_cautions, decisions_table, notes_table
from mtsig_core.report.table import Table
from mtsig_core.report.tables import CLUSTERS_SAID
from mtsig_core.report.task import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    MISSING_SAID,
    above_ranks,
    compare_decisions_with_intervals,
    describe_caveats,
    describe_caveats_across,
    describe_exclusions,
    describe_gaps_across,
    describe_signatures,
    describe_subject,
    describe_tests_across,
    dispute_counts_table,
    disputed_pairs_table,
    disputes_verdict,
    explain_across_columns,
    explain_marks,
    list_metrics,
    macro_pairs_table,
    rank_table,
    select_metric,
    task_methods,
)
from mtsig_core.report.text import printable
from mtsig_core.report.words import caution_texts
from mtsig_core.results import TaskComparison, TaskInfo
from mtsig_core.stats.across import disputed_in
from mtsig_core.store.reviews import Entry, replay

_ALL = "metrics"  # what captions and labels say in place of a metric
_PRINTED = 200  # pairs of systems on which metrics disagree


def _dispute_tables(found: TaskComparison) -> Iterator[str]:
    """How often metrics disagree in each language pair, then the pairs of systems on which they do; nothing of a single
    metric."""
    if not (disputed := disputed_in(found)):
        return
    yield table_latex(dispute_counts_table(disputed), _ALL,
                      ["Where metrics disagree.", f"{disputes_verdict(disputed)}.", DISPUTES_NOTE])
    if pairs := disputed_pairs_table(disputed):
        yield table_latex(pairs.pick_rows(range(min(len(pairs.rows), _PRINTED))), _ALL, [
            "Pairs of systems on which metrics disagree, contradictions first.", DISPUTED_PAIRS_NOTE,
            f"The first {_PRINTED} of {len(pairs.rows):,} are shown; CSV and JSON have all."
            * (len(pairs.rows) > _PRINTED)])


def _agreement_tables(found: TaskComparison) -> Iterator[str]:
    """How far each metric agrees with people, in the mean and in each language pair, and pairs of metrics."""
    if (held := found.agreement) is None:
        return
    yield table_latex(agreement_table(held), _ALL,
                      ["Which metric to trust.", f"{agreement_verdict(held)}.", agreement_note(held)])
    for part in _in_parts(agreement_by_pair_table(held), list(held.pairs)):
        yield table_latex(part, _ALL, [
            f"Soft pairwise accuracy with {held.human}: the mean over the language pairs, and in each."])
    if compared := compared_metrics_table(held):
        yield table_latex(compared, _ALL, [
            f"Pairs of metrics by soft pairwise accuracy with {held.human}: the difference of the one that agrees more "
            "and the other."])


def _in_parts(table: Table, pairs: list[str]) -> list[Table]:
    """The table in several, each with some of the columns of language pairs; the last has the columns behind them."""
    keys, n = table.keys, len(pairs)
    first, last = keys[:keys.index(pairs[0])], keys[keys.index(pairs[-1]) + 1:]
    parts = [replace(table.select(keys[0], *(first[1:] if not k else ()), *pairs[k:k + MOST_PAIRS],
                                  *(last if k + MOST_PAIRS >= n else ())),
                     key=table.key if not k else f"{table.key}-{k // MOST_PAIRS + 1}") for k in range(0, n, MOST_PAIRS)]
    return parts


def task_latex(found: TaskComparison, command: str, history: Sequence[Entry] = ()) -> str:
    """By each metric a table of ranks, one of mean differences across the language pairs, and a methods paragraph; of
    several metrics where they disagree, and which to trust where they were held against people.

    Parameters
    ----------
    found : TaskComparison
    command : str
        The command line that prints its numbers, for a comment.
    history : sequence of Entry
        Of a review: what was decided, and the notes, follow the methods.

    Returns
    -------
    str
        A file that compiles alone, and that a document may read with ``\\input``. Names are shown literally.
    """
    warnings = dict.fromkeys(f"% Warning: {printable(pair)}: {printable(text)}\n"
                             for pair, comparison in found.pairs.items() for text in caution_texts(comparison))
    parts = [PREAMBLE + f"% Made by: {printable(command)} --format latex\n" + "".join(warnings)]
    for metric in list_metrics(found):
        parts += [*_ranking(found, metric), _head_to_head(found, metric),
                  paragraph(f"{metric_title(metric)}: methods",
                            [task_methods(found, metric), *describe_signatures(found, metric)])]
    return "\n".join([*parts, *_dispute_tables(found), *_agreement_tables(found), *_reviewed(found, history), END])


def _reviewed(found: TaskComparison, history: Sequence[Entry]) -> list[str]:
    """The decisions of a review with what the numbers say against them, and its notes with what was measured."""
    if not history:
        return []
    review = replay(history)
    decided, noted = decisions_table(review), notes_table(review.notes, found)
    return [*[table_latex(decided, _ALL, ["Decisions.", *decision_cautions(review, found)])] * bool(decided),
            *[table_latex(noted, _ALL, ["Notes on disputed pairs of systems.", MEASURED_SAID])] * bool(noted)]


def _name(task: TaskInfo, name: str) -> str:
    """What to call a system in print."""
    info = task.systems.get(name)
    return (info.display_name if info is not None else None) or name


def _beside(task: TaskInfo, name: str) -> str:
    said = task.systems[name].beside if name in task.systems else []
    return f" ({', '.join(said)})" if said else ""


def _printed_name(task: TaskInfo, name: str) -> str:
    return _name(task, name) + _beside(task, name)


def _ranking(found: TaskComparison, metric: str) -> list[str]:
    """Rank intervals of the systems in each language pair; of many language pairs several tables."""
    have = select_metric(found, metric)
    table = rank_table(found, metric, _printed_name)
    parts = _in_parts(table, list(have))
    return [table_latex(part, metric, _ranking_said(found, metric, table) if not k else [
        f"Ranking by {metric_title(metric)}, continued. The note below its first part says how to read it."])
        for k, part in enumerate(parts)]


def _ranking_said(found: TaskComparison, metric: str, table: Table) -> list[str]:
    """The caption, then what has to be known beside the ranks."""
    marked = explain_marks(found, "Bold:", metric)
    said = [*describe_subject(found, metric, "Ranks of", "by", named=False), f"{marked}." * bool(marked),
            f"A dash: {MISSING_SAID}. Under pairs: of how many language pairs a system has scores.",
            explain_across_columns(found, metric), CLUSTERS_SAID * bool(table.ruled)]
    said += above_ranks(found, metric, warned=False)
    if table.grey:
        said.append("On grey: systems that the task's table of systems does not put into the constrained track.")
    said += [*describe_caveats(select_metric(found, metric)), *describe_caveats_across(found, metric),
             *describe_exclusions(found)]
    return list(dict.fromkeys(filter(None, said)))  # why nothing was averaged is said above the ranks already


def _head_to_head(found: TaskComparison, metric: str) -> str:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro = found.macro.get(metric)
    if macro is None or not macro.pairs:
        return "".join(f"% {printable(metric)}: {said}\n" for said in describe_tests_across(found, metric)) or \
            f"% {printable(metric)}: one language pair. mtsig compare --format latex has its pairs of systems.\n"
    taken = "a minus b" if macro.higher_is_better else "b minus a, positive where a scores better, as lower is better"
    said = [*describe_subject(found, metric, "Mean differences over the language pairs of", "by", named=False),
            f"A difference is {taken}. Not separated does not mean equal.",
            *compare_decisions_with_intervals(found, metric), *describe_gaps_across(found, metric),
            *describe_caveats(select_metric(found, metric)), *describe_caveats_across(found, metric),
            *describe_exclusions(found)]
    return table_latex(macro_pairs_table(found, metric, _name), metric, said, widest_name=16)
