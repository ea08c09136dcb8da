"""Sections of the pages Results and Review: ranks, cautions, training runs, other metrics, human
scores, files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import METRICS, Comparison, MtsigError
from mtsig_core.errors import format_count
from mtsig_core.experiments.metric_agreement import AS_COMPARED, kept_agreement
from mtsig_core.metrics import metric_titles
from mtsig_core.readers.task_contents import unread_sentences
from mtsig_core.report import export
from mtsig_core.report.caution_words import fit_remedies_to_task, group_cautions, list_assumptions
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    count_tracks,
    describe_methods,
    explain_far_firsts,
    explain_ranking,
    list_exclusions,
    list_task_settings,
    name_other_tops,
    name_pairs,
    state_agreement,
    state_task_answer,
)
from mtsig_core.report.table import Column, Table
from mtsig_core.report.tables import (
    dispute_counts_table,
    disputed_pairs_table,
    pair_runs_table,
    pairs_table,
    rank_table,
    runs_table,
)
from mtsig_core.report.task_reports import disputed_records, task_document
from mtsig_core.results import TaskAgreement, TaskComparison, TaskInfo
from mtsig_core.reviews import Entry
from mtsig_core.score_names import pick_human_scores
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import find_disputes
from mtsig_core.stats.cautions import about_choice
from pages._sections import metrics_sections
from pages._ui import (
    address,
    background,
    browser,
    caveats,
    charts,
    controls,
    screen,
    views,
)
from pages._ui.browser import command_box
from pages._ui.screen import end_page, in_side_bar
from pages._ui.views import TaskView, compare_by
from pages._work.memory import make_once


def open_page(view: TaskView | MtsigError, title: str) -> TaskView:
    """Start the page of a task with its title and data; end it with a message if the task cannot be
    read.
    """
    st.title(title)
    if isinstance(view, MtsigError):
        screen.error(view)
        end_page()
    info = view.kept.info
    screen.status(
        [
            info.name,
            format_count(len(info.pairs), "language pair"),
            format_count(len(info.systems), "system"),
            *count_tracks(info, info.systems),
        ]
    )
    return view


def grow_ranks(info: TaskInfo, metric: str, pairs: dict[str, Comparison]) -> None:
    """Draw the ranks of the language pairs computed so far."""
    if pairs:
        st.caption(f"{len(pairs)} of {len(info.pairs_with(metric))} language pairs so far.")
        table = rank_table(TaskComparison(info, pairs, {}), metric)
        screen.show_table(
            table.pick_rows(range(len(table.rows))[: screen.MOST_PLAIN]), whole=True
        )  # without a control


def show_verdict(comparison: TaskComparison, metric: str) -> DeltaGenerator:
    """Draw how the language pairs were tested, and the answer; return the place of the answer."""
    screen.status(list_task_settings(comparison))
    place = st.empty()
    show_answer(comparison, metric, place)
    return place


def show_answer(comparison: TaskComparison, metric: str, place: DeltaGenerator) -> None:
    """Draw the answer by all metrics of a comparison."""
    with place:
        screen.answer(f"{state_task_answer(comparison, metric)}.")


def show_first_caveats(
    comparison: TaskComparison,
    metric: str,
    mend: caveats.Mend | None = caveats.mend_in_address,
    most: int = 1,
) -> None:
    """Draw the first limits of the answer, and leave the ranks in sight."""
    if more := caveats.show_of_task(comparison, metric, "first", mend, most):
        screen.faint(f"{format_count(more, 'more caveat')} under Caveats and method.")


def show_choice(view: TaskView, comparison: TaskComparison) -> int:
    """Say that nothing says which metric decides if several could.

    If another metric than the human scores is chosen, name the humans' top group; return the number
    of boxes.
    """
    info, mine = view.kept.info, {*view.kept.info.pairs_with(view.metric)}
    asked = [*about_choice(info, view.metric)] if view.metric in info.own_scores[:1] else []
    for caution in asked:
        caveats.show_box(
            caution.finding, [{"metrics": name} for name in info.own_scores[1:2]], "choice"
        )
    people = [
        name for name in pick_human_scores(info.own_scores) if mine & {*info.pairs_with(name)}
    ]
    if view.metric in people:
        return len(asked)
    known = {name: view.known(name) for name in people}
    if (
        sentence := name_other_tops(comparison, view.metric, *filter(None, known.values()))
    ) is not None:
        screen.caution_box(sentence)
    if waiting := [name for name, one in known.items() if one is None]:
        by = "; ".join(f"{name} ({name_pairs(info.pairs_with(name))})" for name in waiting)
        caveats.show_box(
            f"People scored these systems too: {by}. Ranks by human scores may differ.",
            [{"metrics": name} for name in waiting],
            "people",
        )
    return len(asked) + (sentence is not None) + bool(waiting)


def show_ranks(comparison: TaskComparison, metric: str, key: str, click: str = "") -> str | None:
    """Draw the ranks in all language pairs, with how to read them and what a `click` does; return
    the language pair of the clicked rank.
    """
    table = rank_table(comparison, metric)
    ranked = (
        [k for k, ranks in enumerate(table.values("rank")) if ranks is not None]
        if "rank" in table.keys
        else []
    )
    unranked = ""
    if 0 < len(ranked) < len(table.rows):
        unranked = " A dash under rank across: not in all language pairs, so not ranked."
        table = replace(
            table, ruled={*table.ruled, *ranked[-1:] * (len(table.ruled) % 2)}
        )  # which ends the shading
    clicked = screen.show_table(table, key, open_cells=True)
    sentences = explain_ranking(comparison, metric)
    legend = " ".join(table.legend.explain(table, "Coloured", "Shading")) or sentences[0]
    st.caption(
        f"{legend}{unranked} Click a cell to open the language pair{click}.",
        help=" ".join(sentences),
    )
    if (
        clicked is None
        or clicked[1] not in comparison.pairs
        or table.values(clicked[1])[clicked[0]] is None
    ):
        return None
    return clicked[1]


def show_caveats(
    view: TaskView, comparison: TaskComparison, mend: caveats.Mend | None = caveats.mend_in_address
) -> None:
    """Draw all caveats of the answer, of files and systems, and of each language pair, grouped by
    kind; then the method.
    """
    caveats.show_of_task(comparison, view.metric, "all", mend)
    for sentence in explain_far_firsts(comparison, view.metric):
        screen.plain(sentence)
    if view.offer.unread:
        screen.caution_box(" ".join(unread_sentences(view.offer.unread)))
    for sentence in [
        *list_assumptions(comparison.task.assumed, [view.metric], remedies=True),
        *list_exclusions(comparison),
    ]:
        screen.caution_box(sentence)
    columns = Column("language_pair", "language pair", "name"), Column("text", "caveat")
    rows = tuple(
        (pair, " ".join(texts))
        for pair, one in comparison.pairs.items()
        for texts in group_cautions(
            fit_remedies_to_task(one.warnings), several=len(one.metrics) > 1, say=in_side_bar
        )
    )
    if rows:
        screen.show_table(Table("warnings", columns, rows), prose=True)
    else:
        screen.plain("No language pair has a caveat of its own.")
    st.subheader("Method")
    screen.plain(make_once(describe_methods, comparison, view.metric))


def has_runs(comparison: TaskComparison, metric: str) -> bool:
    return bool(runs_table(comparison, metric))


def show_runs(comparison: TaskComparison, metric: str) -> None:
    """Draw the training runs of each language pair, and across the pairs with equally many."""
    runs = runs_table(comparison, metric)
    screen.show_table(runs, "task.runs")
    st.caption(
        "Systems with several training runs. A score is the mean over the runs; ranks, intervals and p hold for "
        "these runs. The SD between runs shows what another training would change.",
        help="Across language pairs, run k of a system has the mean of its scores. Only systems with as many "
        "runs in every language pair have one.",
    )
    with st.expander(
        "Standard errors of the differences: of the test set, between runs, of both",
        key="task.runs.box",
    ):
        screen.show_table(pair_runs_table(comparison, metric), "task.pair_runs")


def show_across(comparison: TaskComparison, metric: str) -> None:
    """Draw pairs of systems across the language pairs, if there are several."""
    macro = comparison.macro.get(metric)
    if macro is None or not macro.pairs:
        return
    with st.expander("Pairs of systems across the language pairs", key="task.macro.box"):
        screen.show_table(
            pairs_table(macro, next(iter(comparison.pairs.values())).settings), "task.macro"
        )
        st.caption(
            "Positive where the first system is better. A dash means no significant difference; it does not "
            "mean that the systems are equal. Mean scores are over all segments of a system, differences over "
            "the segments that both have, so their order may differ."
        )


# Files, and the command that prints them.

_FORMS = (
    ("CSV", "csv", "csv"),
    ("JSON", "json", "json"),
    ("LaTeX", "latex", "tex"),
    ("Report (HTML)", "html", "html"),
)


def show_files(
    comparison: TaskComparison,
    drawn: str,
    metric: str,
    source: TaskSource,
    command: str,
    what: str,
    history: Sequence[Entry] = (),
) -> None:
    """Draw a button for each file and for the picture `drawn`; their names say whether they are of
    a task or a review.
    """
    named = comparison.task.name, metric, what
    with st.container(horizontal=True):
        for title, form, ending in _FORMS:
            charts.download(
                title,
                partial(task_document, form, comparison, command, history),
                named,
                ending,
                f"{what}.{form}",
            )
        charts.download("Picture (SVG)", drawn, named, "svg", f"{what}.svg")
        browser.png_button(
            "Picture (PNG)", drawn, export.file_name(*named, ending="png"), f"{what}.png"
        )
    command_box(command, f"{what}.command", f"this {what}, and in other formats these files")


# Pairs of systems on which several metrics do not agree.

_SHOWN = 500  # rows; the file has all


def show_disputes(view) -> TaskComparison | None:
    """Draw counts by language pair, then the pairs of systems; a row opens its pair.

    Returns the comparison by all metrics chosen, for the files; None where it has other ranks than
    the page.
    """
    info = view.kept.info
    others = [
        name
        for name in dict.fromkeys([*info.own_scores, *(METRICS if info.with_texts else ())])
        if name != view.metric
    ]
    if not others:
        return screen.plain(
            "This task has scores of only one kind, so there are no metrics to compare."
        )
    st.subheader("Do the metrics agree?")
    chosen = controls.several(
        "Compare the metric in the sidebar with",
        others,
        "against",
        [],
        placeholder="further metrics",
        format_func=metric_titles(others).get,
    )
    if not chosen:
        st.caption(
            "Choose more metrics to count the pairs of systems that are significant by only some of them, or "
            "in opposite directions."
        )
        return None
    metrics = [view.metric, *chosen]
    settings = view.settings_without_rule  # decisions have no ranks
    try:
        compared = compare_by(view.kept, metrics, settings, "Comparing by all these metrics")
    except MtsigError as problem:
        screen.error(problem)
        return None
    disputes = find_disputes(compared)
    mine = compared if view.settings.get("rank_rule", "simultaneous") == "simultaneous" else None
    if not disputes:
        screen.plain("No language pair has two systems that two of these metrics can compare.")
        return mine
    screen.answer(state_agreement(disputes))
    if (sentence := name_other_tops(compared, view.metric)) is not None:
        screen.caution_box(sentence)
    screen.show_table(dispute_counts_table(disputes), "task.disputes.counts")
    st.caption(DISPUTES_NOTE)
    if pairs := disputed_pairs_table(disputes):
        n = len(pairs.rows)
        clicked = screen.show_table(
            pairs.pick_rows(range(min(n, _SHOWN))), "task.disputes", open_rows=True
        )
        cut = f" The first {_SHOWN:,} of {n:,} rows; the file has all." if n > _SHOWN else ""
        st.caption(f"{DISPUTED_PAIRS_NOTE} Tick a row to open the pair.{cut}")
        charts.csv_button(
            (info.name, "-".join(metrics)),
            "task.disputes",
            disputed_records(disputes),
            "Pairs on which metrics disagree as CSV",
        )
        if (
            clicked is not None
            and (pair := pairs.values("language_pair")[clicked]) in compared.pairs
        ):
            there = compared.pairs[pair].metrics.get(view.metric)
            names = [] if there is None else [row.system for row in there.systems]
            a, b = pairs.values("a")[clicked], pairs.values("b")[clicked]
            address.go(
                "pair", **views.query_of_pair(names, a, b), **view.address_of(pair, compared)
            )
    command_box(
        task_command(view.kept.source, metrics=metrics, **settings),
        "task.disputes.command",
        "the task by these metrics",
    )
    return mine


# Where people have scored: which metric decides as they do, over the language pairs.


def show_agreement(view) -> TaskAgreement | None:
    """Draw, below a toggle in the address, metrics against human scores in each language pair and
    in the mean; return the mean for the files.
    """
    info = view.kept.info
    own = dict.fromkeys(name for names in info.scores.values() for name in names)
    people = pick_human_scores(own)
    if not people or len(own) == 1 and not info.with_texts:
        return None
    st.subheader("Which metric to trust?")
    if not controls.toggle(
        "Compare the metrics with human scores, in all language pairs",
        False,
        "trust",
        pages_own=True,
    ):
        return None
    human = controls.choice("Human scores", people, "human", width=320)
    kept, asked = (
        view.kept,
        {name: view.settings[name] for name in AS_COMPARED if name in view.settings},
    )
    key = ("task agreement", view.kept.digest, human, *sorted(asked.items()))
    try:
        result = background.result(
            key,
            lambda progress: kept_agreement(kept, human, jobs=-1, progress=progress, **asked),
            "Comparing metrics with people",
        )
    except MtsigError as problem:
        screen.error(problem)
        return None
    metrics_sections.show_agreement_with(
        result, "task", (info.name, human), _command(view, human, asked)
    )
    return result


def _command(view, human: str, asked: dict) -> str:
    """Return the command line that prints these numbers."""
    source = view.kept.source
    only = source.only or (tuple(view.kept.info.systems) if source.track is not None else ())
    bare = Source(
        folder=source.folder,
        demo_task=source.folder is None,
        keep_canary=source.keep_canary,
        only=only,
        exclude=tuple(one.system for one in source.exclude),
        lower_is_better=source.lower_is_better,
        higher_is_better=source.higher_is_better,
        below=source.below,
        named_from=source.named_from,
        refs=source.refs,
        refs_as_systems=source.refs_as_systems,
    )
    flags = ["--all-pairs"] * (source.folder is None) + [
        f"--pairs={','.join(source.pairs)}"
    ] * bool(source.pairs)
    flags += [
        f"--scores={pair}:{name}={source.show_path(path)}" for pair, name, path in source.scores
    ]
    return command_line("agreement", bare, *flags, human=human, **asked)
