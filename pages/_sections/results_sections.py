"""Sections of the pages Results and Review: ranks, cautions, runs, metrics, files."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import METRICS, Comparison, MtsigError
from mtsig_core.errors import format_count
from mtsig_core.experiments.metric_agreement import AS_COMPARED, kept_agreement
from mtsig_core.metrics import metric_titles
from mtsig_core.readers.files import is_archive
from mtsig_core.readers.task_contents import unread_sentences
from mtsig_core.report import export
from mtsig_core.report.caution_words import fit_remedies_to_task, group_cautions, list_assumptions
from mtsig_core.report.commands import command_line, join_list, task_command
from mtsig_core.report.document import Section, TableBlock
from mtsig_core.report.sentences import (
    DISPUTED_PAIRS_NOTE,
    DISPUTES_NOTE,
    describe_methods,
    explain_far_firsts,
    explain_ranking,
    list_exclusions,
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
from mtsig_core.report.task_reports import disputed_records, task_report
from mtsig_core.report.tiles import list_task_tiles
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
    caution_boxes,
    charts,
    controls,
    screen,
    views,
)
from pages._ui.browser import command_box
from pages._ui.screen import end_page, locate_remedies
from pages._ui.views import TaskView, compare_by
from pages._work.memory import make_once


def open_page(view: TaskView | MtsigError) -> TaskView:
    """Start the page of a task; end it with a message if the task cannot be read."""
    if isinstance(view, MtsigError):
        screen.error(view)
        end_page()
    return view


def grow_ranks(info: TaskInfo, metric: str, pairs: dict[str, Comparison]) -> None:
    """Draw the ranks of the language pairs computed so far."""
    if not pairs:
        return
    st.caption(f"{len(pairs)} of {len(info.pairs_with(metric))} language pairs so far.")
    table = rank_table(TaskComparison(info, pairs, {}), metric)
    n_rows = min(len(table.rows), screen.MOST_PLAIN)  # more rows would have a control
    screen.show_table(table.pick_rows(range(n_rows)), all_rows=True)


def show_verdict(comparison: TaskComparison, metric: str) -> DeltaGenerator:
    """Draw the answer, and return its place."""
    place = st.empty()
    show_answer(comparison, metric, place)
    return place


def show_answer(comparison: TaskComparison, metric: str, place: DeltaGenerator) -> None:
    """Draw the answer by all metrics of a comparison."""
    with place.container():
        screen.answer(state_task_answer(comparison, metric))
        screen.tiles(*list_task_tiles(comparison, metric))


def show_first_cautions(
    comparison: TaskComparison,
    metric: str,
    mend: caution_boxes.Mend | None = caution_boxes.mend_in_address,
    most: int = 1,
) -> None:
    """Draw the first limits of the answer, and leave the ranks in sight."""
    n_more = caution_boxes.show_of_task(comparison, metric, "first", mend, most)
    if n_more:
        screen.faint(f"{format_count(n_more, 'more caveat')} under Caveats and method.")


def show_choice(view: TaskView, comparison: TaskComparison) -> int:
    """Warn where several metrics could decide; return the number of boxes.

    If another metric than the human scores is chosen, name the humans' top group.
    """
    info = view.kept.info
    n_boxes = 0
    if view.metric in info.own_scores[:1]:
        remedies = [{"metrics": name} for name in info.own_scores[1:2]]
        for caution in about_choice(info, view.metric):
            caution_boxes.show_box(caution.finding, remedies, "choice")
            n_boxes += 1
    human_scores = _list_human_scores(view)
    if view.metric in human_scores:
        return n_boxes
    compared = []
    waiting = []
    for name in human_scores:
        known = view.known(name)
        if known is None:
            waiting.append(name)
        else:
            compared.append(known)
    sentence = name_other_tops(comparison, view.metric, *compared)
    if sentence is not None:
        screen.caution_box(sentence)
        n_boxes += 1
    if waiting:
        names = [f"{name} ({name_pairs(info.pairs_with(name))})" for name in waiting]
        caution_boxes.show_box(
            f"These systems also have human scores: {'; '.join(names)}. Their ranks may be different.",
            [{"metrics": name} for name in waiting],
            "people",
        )
        n_boxes += 1
    return n_boxes


def _list_human_scores(view: TaskView) -> list[str]:
    """The human scores of language pairs that the chosen metric has, too."""
    info = view.kept.info
    pairs = set(info.pairs_with(view.metric))
    return [
        name
        for name in pick_human_scores(info.own_scores)
        if pairs.intersection(info.pairs_with(name))
    ]


def show_ranks(comparison: TaskComparison, metric: str, key: str, click: str = "") -> str | None:
    """Draw the ranks in all language pairs, and how to read them; `click` adds what a click does.

    Return the language pair of the clicked rank.
    """
    table = rank_table(comparison, metric)
    ranked = []
    if "rank" in table.keys:
        ranked = [k for k, rank in enumerate(table.values("rank")) if rank is not None]
    unranked = ""
    if 0 < len(ranked) < len(table.rows):
        unranked = " A dash under overall rank: not in all language pairs, so not ranked."
        if len(table.ruled) % 2:  # the shading would go on below the last rank
            table = replace(table, ruled={*table.ruled, ranked[-1]})
    clicked = screen.show_table(table, key, open_cells=True)
    sentences = explain_ranking(comparison, metric)
    legend = " ".join(table.legend.explain(table, "Coloured", "Shading")) or sentences[0]
    caption = f"{legend}{unranked} Click a cell to open the language pair{click}."
    st.caption(screen.name_parts_in(caption), help=screen.name_parts_in(" ".join(sentences)))
    if clicked is None:
        return None
    row, column = clicked
    if column not in comparison.pairs or table.values(column)[row] is None:
        return None
    return column


def show_cautions(
    view: TaskView,
    comparison: TaskComparison,
    mend: caution_boxes.Mend | None = caution_boxes.mend_in_address,
) -> None:
    """Draw all caveats of the answer, of files, systems and language pairs; then the method."""
    caution_boxes.show_of_task(comparison, view.metric, "all", mend)
    for sentence in explain_far_firsts(comparison, view.metric):
        screen.plain(sentence)
    if view.offer.unread:
        screen.caution_box(" ".join(unread_sentences(view.offer.unread)))
    assumptions = list_assumptions(comparison.task.assumed, [view.metric], remedies=True)
    for sentence in [*assumptions, *list_exclusions(comparison)]:
        screen.caution_box(sentence)
    rows = _list_pair_cautions(comparison)
    if rows:
        columns = (Column("language_pair", "language pair", "name"), Column("text", "caveat"))
        screen.show_table(Table("warnings", columns, tuple(rows)), prose=True)
    else:
        screen.plain("No language pair has a caveat of its own.")
    st.subheader("Method")
    screen.plain(make_once(describe_methods, comparison, view.metric))


def _list_pair_cautions(comparison: TaskComparison) -> list[tuple[str, str]]:
    """The caveats of each language pair, grouped by kind."""
    rows = []
    for lang_pair, result in comparison.pairs.items():
        cautions = fit_remedies_to_task(result.warnings)
        several = len(result.metrics) > 1
        groups = group_cautions(cautions, several=several, say=locate_remedies)
        rows += [(lang_pair, " ".join(texts)) for texts in groups]
    return rows


def has_runs(comparison: TaskComparison, metric: str) -> bool:
    """Return whether systems have several training runs."""
    return bool(runs_table(comparison, metric))


def show_runs(comparison: TaskComparison, metric: str) -> None:
    """Draw the training runs of each language pair, and across pairs with equally many."""
    screen.show_table(runs_table(comparison, metric), "task.runs")
    st.caption(
        "Systems with several training runs. A score is the mean over the runs. Ranks, intervals and p are for "
        "these runs. The SD between runs shows how much another training would change.",
        help=(
            "Across language pairs, the score of run k is the mean of its scores. Only systems with the same "
            "number of runs in every language pair have one."
        ),
    )
    with st.expander(
        "Standard errors of the differences: of the test set, between runs, of both",
        key="task.runs.box",
    ):
        screen.show_table(pair_runs_table(comparison, metric), "task.pair_runs")


_PAUSE = 5.0  # seconds between two looks at the files of a running annotation


def follow_files(source: TaskSource) -> None:
    """Draw the page again when a file of the server changes, as those of a running annotation do."""
    if source.folder is None or is_archive(source.folder):
        return
    states = _list_states(source)

    @st.fragment(run_every=_PAUSE)
    def look():
        if _list_states(source) != states:
            st.rerun()

    look()


def _list_states(source: TaskSource) -> list[tuple[int, int]]:
    """Size and time of each file of a task."""
    states = []
    for path in [*source.files(), *source.list_joined_files()]:
        with suppress(FileNotFoundError):
            state = path.stat()
            states.append((state.st_size, state.st_mtime_ns))
    return states


def show_progress(sections: Sequence[Section]) -> None:
    """Draw how far the annotation of all language pairs is, or of the one that is chosen."""
    by_title = {section.title: section for section in sections}
    title = next(iter(by_title))
    if len(by_title) > 1:
        title = controls.choice("Progress of", list(by_title), "progress", pages_own=True)
    for block in by_title[title].blocks:
        if isinstance(block, TableBlock):
            screen.plain(block.title)
            screen.show_table(block.table)
            st.caption(" ".join(block.notes))


def show_across(comparison: TaskComparison, metric: str) -> None:
    """Draw pairs of systems across the language pairs, if there are several."""
    macro = comparison.macro.get(metric)
    if macro is None or not macro.pairs:
        return
    settings = next(iter(comparison.pairs.values())).settings
    title = screen.name_parts_in("Pairs of systems across the language pairs")
    with st.expander(title, key="task.macro.box"):
        screen.show_table(pairs_table(macro, settings), "task.macro")
        st.caption(
            "Positive where the first system is better. A dash means no significant difference, not equal "
            "systems. Means use all segments of a system, differences only the segments that both have, so their "
            "orders may differ."
        )


# Files, and the command that prints them.


@dataclass(frozen=True)
class TaskFiles:
    """What the files of a task or review are made of."""

    comparison: TaskComparison
    picture: str  # the picture of the ranks
    metric: str
    command: str  # that prints the files
    subject: str  # task or review
    history: Sequence[Entry] = ()  # of a review


def show_files(files: TaskFiles) -> None:
    """Draw a button for each file and for the picture."""
    subject = files.subject
    name = (files.comparison.task.name, files.metric, subject)
    with st.container(horizontal=True):
        make_report = partial(task_report, files.comparison, files.command, files.history)
        charts.download_report(make_report, name, subject)
        charts.download("Picture (SVG)", files.picture, name, "svg", f"{subject}.svg")
        browser.png_button(
            files.picture,
            export.file_name(*name, ending="png"),
            f"{subject}.png",
        )
    command_box(
        files.command, f"{subject}.command", f"this {subject}, and in other formats these files"
    )


# Pairs of systems on which several metrics do not agree.

_MOST_SHOWN = 500  # rows; the file has all


def has_several_metrics(view: TaskView) -> bool:
    """Return whether the task has further metrics to compare with the metric of the page."""
    return bool(_list_further_metrics(view))


def _list_further_metrics(view: TaskView) -> list[str]:
    info = view.kept.info
    metrics = dict.fromkeys([*info.own_scores, *(METRICS if info.with_texts else ())])
    return [name for name in metrics if name != view.metric]


def show_disputes(view: TaskView) -> TaskComparison | None:
    """Draw counts by language pair, then the pairs of systems; a row opens its pair.

    Return the comparison by all metrics chosen, for the files; None where it has other ranks than
    the page.
    """
    others = _list_further_metrics(view)
    st.subheader("Do the metrics agree?")
    chosen_metrics = controls.several(
        "Compare the metric in the sidebar with",
        others,
        "against",
        [],
        placeholder="further metrics",
        format_func=metric_titles(others).get,
    )
    if not chosen_metrics:
        st.caption("Choose more metrics to see on how many pairs they disagree.")
        return None
    metrics = [view.metric, *chosen_metrics]
    settings = view.settings_without_rule  # decisions have no ranks
    try:
        comparison = compare_by(view.kept, metrics, settings, "Comparing by all these metrics")
    except MtsigError as problem:
        screen.error(problem)
        return None
    disputes = find_disputes(comparison)
    if disputes:
        _draw_disputes(view, comparison, disputes, metrics)
    else:
        screen.plain("In no language pair do two of these metrics score the same two systems.")
    if view.settings.get("rank_rule", "simultaneous") == "simultaneous":
        return comparison
    return None


def _draw_disputes(
    view: TaskView, comparison: TaskComparison, disputes: Sequence, metrics: Sequence[str]
) -> None:
    """Draw where metrics disagree; a row opens its pair."""
    screen.answer(state_agreement(disputes))
    sentence = name_other_tops(comparison, view.metric)
    if sentence is not None:
        screen.caution_box(sentence)
    screen.show_table(dispute_counts_table(disputes), "task.disputes.counts")
    st.caption(DISPUTES_NOTE)
    table = disputed_pairs_table(disputes)
    if table:
        n_rows = len(table.rows)
        n_shown = min(n_rows, _MOST_SHOWN)
        clicked = screen.show_table(
            table.pick_rows(range(n_shown)), "task.disputes", open_rows=True
        )
        caption = f"{DISPUTED_PAIRS_NOTE} Tick a row to open the pair."
        if n_shown < n_rows:
            caption += f" The first {n_shown:,} of {n_rows:,} rows. The file has all."
        st.caption(caption)
        charts.csv_button(
            (view.kept.info.name, "-".join(metrics)),
            "task.disputes",
            disputed_records(disputes),
            "Pairs on which metrics disagree as CSV",
        )
        if clicked is not None:
            _open_disputed_pair(view, comparison, table, clicked)
    command_box(
        task_command(view.kept.source, metrics=metrics, **view.settings_without_rule),
        "task.disputes.command",
        "the task by these metrics",
    )


def _open_disputed_pair(view: TaskView, comparison: TaskComparison, table: Table, row: int) -> None:
    """Open the pair of systems of a row."""
    lang_pair = table.values("language_pair")[row]
    if lang_pair not in comparison.pairs:
        return
    result = comparison.pairs[lang_pair].metrics.get(view.metric)
    names = [] if result is None else result.names
    query = views.query_of_pair(names, table.values("a")[row], table.values("b")[row])
    digest = comparison.pairs[lang_pair].testset.digest
    address.go("pair", **query, **view.address_of(lang_pair, digest))


# Where people have scored: which metric decides as they do, over the language pairs.


def show_agreement(view: TaskView) -> TaskAgreement | None:
    """Draw metrics against human scores in each language pair and in the mean.

    They are below a toggle in the address. Return the mean for the files.
    """
    info = view.kept.info
    names = dict.fromkeys(name for scores in info.scores.values() for name in scores)
    human_scores = pick_human_scores(names)
    has_one_kind = len(names) == 1 and not info.with_texts
    if not human_scores or has_one_kind:
        return None
    st.subheader("Which metric to trust?")
    if not controls.toggle(
        "Compare the metrics with human scores, in all language pairs",
        False,
        "trust",
        pages_own=True,
    ):
        return None
    human = controls.choice("Human scores", human_scores, "human", width=320)
    task = view.kept
    settings = {name: view.settings[name] for name in AS_COMPARED if name in view.settings}
    key = ("task agreement", task.digest, human, *sorted(settings.items()))
    try:
        result = background.result(
            key,
            lambda progress: kept_agreement(task, human, jobs=-1, progress=progress, **settings),
            "Comparing metrics with human scores",
        )
    except MtsigError as problem:
        screen.error(problem)
        return None
    command = _write_agreement_command(task.source, info, human, settings)
    metrics_sections.show_agreement_with(result, "task", (info.name, human), command)
    return result


def _write_agreement_command(source: TaskSource, info: TaskInfo, human: str, settings: dict) -> str:
    """Return the command line that prints these numbers."""
    only = source.only
    if not only and source.track is not None:
        only = tuple(info.systems)
    without_scores = Source(
        folder=source.folder,
        demo_task=source.simulated,
        keep_canary=source.keep_canary,
        only=only,
        exclude=tuple(exclusion.system for exclusion in source.exclude),
        lower_is_better=source.lower_is_better,
        higher_is_better=source.higher_is_better,
        below=source.below,
        named_from=source.named_from,
        refs=source.refs,
        refs_as_systems=source.refs_as_systems,
    )
    flags = []
    flags += [f"--set={name}={source.show_path(path)}" for name, path in source.set]
    if source.simulated:
        flags.append("--all-pairs")
    if source.pairs:
        flags.append(f"--pairs={join_list(source.pairs)}")
    for lang_pair, name, path in source.scores:
        flags.append(f"--scores={lang_pair}:{name}={source.show_path(path)}")
    return command_line("agreement", without_scores, *flags, human=human, **settings)
