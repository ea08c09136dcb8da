"""A shared task as LaTeX: the ranking, the systems against each other, the metrics, and the methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mtsig_core.metrics import metric_title
from mtsig_core.report.agreement import (
    agreement_rows,
    by_language_pair,
    comparison_rows,
    task_agreement_note,
    task_agreement_verdict,
)
from mtsig_core.report.cells import Table
from mtsig_core.report.latex import (
    END,
    GREY,
    MOST_PAIRS,
    PREAMBLE,
    escape,
    fitting_table,
    name_cell,
    name_column,
    number_cell,
    paragraph,
    rank_cell,
)
from mtsig_core.report.review import MEASURED_SAID, measured_parts, recorded_note_rows
from mtsig_core.report.tables import CLUSTERS_SAID
from mtsig_core.report.task_tables import (
    DISPUTES_NOTE,
    MISSING_SAID,
    above_ranks,
    across_columns,
    across_gaps,
    across_sentences,
    caveat_sentences,
    decision_notes,
    disputes_alone,
    disputes_verdict,
    have_metric,
    kinds_rows,
    left_out_sentences,
    level_across,
    macro_pair_rows,
    marked_said,
    order_of,
    picture_ends,
    picture_rows,
    shown_disputes,
    signature_sentences,
    subject_sentences,
    task_methods,
    who_decides_rows,
)
from mtsig_core.report.text import printable
from mtsig_core.report.words import caution_texts
from mtsig_core.results import TaskComparison, TaskInfo
from mtsig_core.stats.across import disputed_in

#-----------------------------------------------------------------------------------------------------------------------
# Several metrics of a shared task as LaTeX: where they disagree, and which to trust where people have scored.


_ALL = "metrics"  # what captions and labels say in place of a metric


def dispute_tables(found: TaskComparison) -> Iterator[str]:
    """How often metrics disagree in each language pair, then the pairs of systems that only some of them decide, or
    that they decide in opposite ways; nothing of a single metric."""
    if not (disputed := disputed_in(found)):
        return
    yield _table("disagreement", kinds_rows(disputed), 1,
                 ["Where metrics disagree.", f"{disputes_verdict(disputed)}.", DISPUTES_NOTE, disputes_alone(disputed)])
    shown, said = shown_disputes(disputed)
    header, rows = who_decides_rows(shown)
    if rows:
        yield _table("disputed-pairs", (header, rows), len(header),
                     ["Pairs of systems on which metrics disagree, contradictions first: by which metrics the first is "
                      "significantly better, by which the second, and which decide neither way.", said.strip()])


def agreement_tables(found: TaskComparison) -> Iterator[str]:
    """How far each metric agrees with people, in the mean and in each language pair, and pairs of metrics."""
    if (held := found.agreement) is None:
        return
    yield _table("trust", agreement_rows(held), 1,
                 ["Which metric to trust.", f"{task_agreement_verdict(held)}.", task_agreement_note(held)])
    header, rows = by_language_pair(held)
    for start in range(2, len(header), MOST_PAIRS):
        columns = [0, 1, *range(start, min(start + MOST_PAIRS, len(header)))]
        part = [header[k] for k in columns], [[row[k] for k in columns] for row in rows]
        yield _table(f"trust-by-pair-{start}", part, 1,
                     [f"Soft pairwise accuracy with {held.human}: the mean over the language pairs, and in each."])
    if held.comparisons:
        yield _table("trust-compared", comparison_rows(held), 2,
                     [f"Pairs of metrics by soft pairwise accuracy with {held.human}: the difference of the one that "
                      "agrees more and the other."])


def _table(what: str, table: Table, names: int, said: Sequence[str]) -> str:
    """A table of which the first columns, as many as `names`, are texts; the caption is said first."""
    header, rows = table
    columns = [name_column((row[k] for row in rows), 16) for k in range(names)] + ["r"] * (len(header) - names)
    cells = [[*map(name_cell, row[:names]), *(cell if cell in ("yes", "no") else number_cell(cell)
                                              for cell in row[names:])] for row in rows]
    return fitting_table(what, "".join(columns), header, cells, _ALL, said)


#-----------------------------------------------------------------------------------------------------------------------
# A shared task as LaTeX: the ranking, the systems against each other across the language pairs, and the methods.




def task_latex(found: TaskComparison, command: str, review: Mapping[str, Any] | None = None) -> str:
    """By each metric a table of ranks, one of mean differences across the language pairs, and a methods paragraph; of
    several metrics where they disagree, and which to trust where they were held against people.

    Parameters
    ----------
    found : TaskComparison
    command : str
        The command line that prints its numbers, for a comment.
    review : mapping, optional
        As `review_record` gives it of what was found: what was decided, and the notes, follow the methods.

    Returns
    -------
    str
        A file that compiles alone, and that a document may read with ``\\input``. Names are shown literally.
    """
    warnings = dict.fromkeys(f"% Warning: {printable(pair)}: {printable(text)}\n"
                             for pair, comparison in found.pairs.items() for text in caution_texts(comparison))
    parts = [PREAMBLE + f"% Made by: {printable(command)} --format latex\n" + "".join(warnings)]
    for metric in dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics):
        parts += [*_ranking(found, metric), _head_to_head(found, metric),
                  paragraph(f"{metric_title(metric)}: methods",
                            [task_methods(found, metric), *signature_sentences(found, metric)])]
    return "\n".join([*parts, *dispute_tables(found), *agreement_tables(found), *_reviewed(found, review), END])


def _reviewed(found: TaskComparison, review: Mapping[str, Any] | None) -> list[str]:
    """The decisions of a review with what the numbers say against them, and its notes with what was measured, a
    paragraph each."""
    if review is None:
        return []
    task, (header, noted) = found.task, recorded_note_rows(review, found)
    decided = [f"{escape(one['pair'])}: {', '.join(name_cell(_name(task, name)) for name in one['first'])}"
               + (f" ({escape(one['why'])})" if one["why"] else "") for one in review["decisions"]]
    notes = []
    for row in noted:
        pair, metric, a, b, text = row[:5]
        measured = [f"{escape(title)} {name_cell(_name(task, cell)) if cell in (a, b) else number_cell(cell)}"
                    if title else escape(cell) for title, cell in measured_parts(header, row)]
        notes.append(f"{escape(pair)}, {escape(metric)}, {name_cell(_name(task, a))} and {name_cell(_name(task, b))}: "
                     f"{escape(text)} (measured: {', '.join(measured)})")
    said = {"Decisions": ("; ".join(decided), review["decision_warnings"]),
            "Notes on disputed pairs of systems": ("; ".join(notes), [MEASURED_SAID])}
    return [rf"{{\sloppy\paragraph{{{title}.}} {text}. {' '.join(map(escape, more))}\par}}" + "\n"
            for title, (text, more) in said.items() if text]


def other_track(task: TaskInfo, name: str) -> bool:
    """Whether a system is one that the table of the systems does not put into the constrained track, where it puts
    any there."""
    infos = task.systems
    return any(info.constrained for info in infos.values()) and not (name in infos and infos[name].constrained)


def _name(task: TaskInfo, name: str) -> str:
    """What to call a system in print."""
    info = task.systems.get(name)
    return (info.display_name if info is not None else None) or name


def _beside(task: TaskInfo, name: str) -> str:
    said = task.systems[name].beside if name in task.systems else []
    return f" ({', '.join(said)})" if said else ""


def _ranking(found: TaskComparison, metric: str) -> list[str]:
    """Rank intervals of the systems in each language pair; of many language pairs several tables."""
    header, rows, marks = picture_rows(found, metric)
    have = have_metric(found, metric)
    n, names = len(have), order_of(found, metric)

    def cell(row: int, column: int) -> str:
        text = rank_cell(rows[row][column]) if column <= n or column == n + 2 else number_cell(rows[row][column])
        text = escape(rows[row][column]) if column == n + 1 else text  # in how many pairs
        return rf"\textbf{{{text}}}" if (row, column) in marks else text

    grey = [GREY * other_track(found.task, name) for name in names]
    called = [_name(found.task, name) + _beside(found.task, name) for name in names]
    starts, column = range(1, n + 1, MOST_PAIRS), name_column(called)
    tables = []
    for k, start in enumerate(starts):
        columns = [*range(start, min(start + MOST_PAIRS, n + 1)),
                   *(range(n + 1, len(header)) if k == len(starts) - 1 else ())]
        cells = [[grey[row] + name_cell(name), *(cell(row, column) for column in columns)]
                 for row, name in enumerate(called)]
        arrow = "↑" if next(iter(have.values()))[1].higher_is_better else "↓"
        titles = [f"system, by {metric_title(metric)} {arrow}", *(header[column] for column in columns)]
        said = _ranking_said(found, metric, any(grey)) if k == 0 else [
            f"Ranking by {metric_title(metric)}, continued. The note below its first part says how to read it."]
        tables.append(fitting_table("ranking" if k == 0 else f"ranking-{k + 1}", column + "r" * len(columns), titles,
                                    cells, metric, said, picture_ends(found, metric)))
    return tables


def _ranking_said(found: TaskComparison, metric: str, grey: bool) -> list[str]:
    """The caption, then what has to be known beside the ranks."""
    marked = marked_said(found, "Bold:", metric)
    said = [*subject_sentences(found, metric, "Ranks of", "by", named=False), f"{marked}." * bool(marked),
            f"A dash: {MISSING_SAID}. Under pairs: of how many language pairs a system has scores.",
            across_columns(found, metric), CLUSTERS_SAID * bool(picture_ends(found, metric))]
    said += above_ranks(found, metric, warned=False)
    if grey:
        said.append("On grey: systems that the task's table of systems does not put into the constrained track.")
    said += [*caveat_sentences(have_metric(found, metric)), *level_across(found, metric), *left_out_sentences(found)]
    return list(dict.fromkeys(filter(None, said)))  # why nothing was averaged is said above the ranks already


def _head_to_head(found: TaskComparison, metric: str) -> str:
    """Mean differences across the language pairs, of the systems that have all of them."""
    macro = found.macro.get(metric)
    if macro is None or not macro.pairs:
        return "".join(f"% {printable(metric)}: {said}\n" for said in across_sentences(found, metric)) or \
            f"% {printable(metric)}: one language pair. mtsig compare --format latex has its pairs of systems.\n"
    header, rows = macro_pair_rows(macro, next(iter(have_metric(found, metric).values()))[0].settings.alpha)
    signs = {"a": "$>$", "b": "$<$", None: "--"}
    names = [(_name(found.task, pair.a), _name(found.task, pair.b)) for pair in macro.pairs]
    cells = [[name_cell(a), name_cell(b), *map(number_cell, row[2:-1]), signs[pair.better]]
             for (a, b), row, pair in zip(names, rows, macro.pairs, strict=True)]
    taken = "first minus second" if macro.higher_is_better else \
        "second minus first, positive where the first scores better, as lower is better"
    said = [*subject_sentences(found, metric, "Mean differences over the language pairs of", "by", named=False),
            f"A difference is {taken}. > means that the first is better by the test, < that the "
            "second is, a dash that the test does not decide, which does not make them equal.",
            *decision_notes(found, metric), *across_gaps(found, metric),
            *caveat_sentences(have_metric(found, metric)), *level_across(found, metric), *left_out_sentences(found)]
    column = name_column((name for pair in names for name in pair), 16)
    return fitting_table("head-to-head", f"{column}{column}{'r' * (len(header) - 3)}c",
                  ["first", "second", *header[2:-1], "decision"], cells, metric, said)
