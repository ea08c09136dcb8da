"""Sections of Results and Review: ranks by different rules, findings, AutoRank, and integrity."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import streamlit as st

from mtsig_core import MtsigError, Task
from mtsig_core.experiments.integrity import examine_integrity, list_missing
from mtsig_core.experiments.rankings import RULES, autorank, make_findings
from mtsig_core.experiments.rating_integrity import RatingIntegrity
from mtsig_core.report.commands import command_line
from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.experiment_reports import (
    autorank_blocks,
    autorank_report,
    findings_blocks,
    findings_report,
    is_usual,
    rules_blocks,
    rules_report,
)
from mtsig_core.report.html import is_on_page
from mtsig_core.report.integrity_reports import integrity_blocks, integrity_report, missing_blocks
from mtsig_core.report.published_tables import list_columns
from mtsig_core.report.rating_reports import rating_sections, ratings_report
from mtsig_core.source import TaskSource
from mtsig_core.stats.kept_tasks import KeptDraws
from pages._sections import published_values
from pages._ui import address, background, charts, controls, screen
from pages._ui.browser import command_box
from pages._ui.views import TaskView

_LONG = 200  # letters of a verdict that is set as a paragraph


def show_rules(view: TaskView) -> None:
    """Draw the ranks by each rule that fits, and how the rules fit the tests of pairs."""
    by_rule = view.by_rule()
    _draw(rules_blocks(by_rule, view.metric), "task.rules")
    command = command_line(
        "task",
        view.kept.source,
        metrics=view.metric,
        rank_rule="all",
        **view.settings_without_rule,
    )
    make_report = partial(rules_report, {view.metric: by_rule})
    _show_files("task.rules", view, make_report, command)


def show_findings(view: TaskView) -> None:
    """Draw the findings table of a language pair as it is printed, with the head-to-head matrix.

    The files have all language pairs.
    """
    kept_task = view.kept
    settings = view.settings
    with st.container(horizontal=True):
        lang_pair = _pick_lang_pair(view, "findings", kept_task.info.pairs_with(view.metric))
        published = published_values.find_of_task(view)
        titles = list_columns(published.get(lang_pair, {}))
        options = dict.fromkeys([*kept_task.info.own_scores, *titles])
        further = [name for name in options if name != view.metric and not is_usual(name)]
        place = st if further else None
        chosen_metrics = controls.several(
            "Further metrics", further, "beside", [], width=480, place=place
        )
    metrics = [view.metric, *chosen_metrics]

    def work(progress):
        return make_findings(
            kept_task,
            metrics,
            published=published,
            progress=progress,
            cache=KeptDraws(),
            jobs=-1,
            **settings,
        )

    key = ("findings", kept_task.digest, *metrics, *sorted(settings.items()))
    findings = background.result(key, work, "Making the findings tables")
    _draw(findings_blocks(findings, lang_pair), "task.findings", as_printed=True)
    command = command_line("findings", kept_task.source, metrics=metrics, **settings)
    _show_files("task.findings", view, partial(findings_report, findings), command)


def show_autorank(view: TaskView) -> None:
    """Draw one order of the systems of a language pair from several metrics."""
    kept_task = view.kept
    with st.container(horizontal=True):
        lang_pair = _pick_lang_pair(view, "autorank", kept_task.info.pairs)
        rule = controls.choice(
            "Rule of AutoRank",
            list(RULES),
            "autorank_rule",
            pages_own=True,
            width=160,
            format_func=lambda name: f"as WMT{name[2:]}",
        )

    def work(progress):
        testsets = {lang_pair: kept_task.testset(lang_pair)}
        return autorank(Task(kept_task.task.name, testsets), rule=rule, jobs=-1, progress=progress)

    key = ("autorank", kept_task.digest, lang_pair, rule)
    ranking = background.result(key, work, "Ranking by several metrics")
    _draw(autorank_blocks(ranking, lang_pair), "task.autorank")
    source = _name_systems(kept_task.source, kept_task.testset(lang_pair).systems)
    command = command_line("autorank", replace(source, pairs=(lang_pair,)), rule=rule)
    make_report = partial(autorank_report, ranking)
    _show_files("task.autorank", view, make_report, command, has_html=False)


def show_integrity(view: TaskView) -> None:
    """Draw what in the outputs and ratings of a language pair is worth a look."""
    kept_task = view.kept
    info = kept_task.info
    lang_pair = _pick_lang_pair(view, "integrity", info.pairs)
    metric = view.metric if lang_pair in info.pairs_with(view.metric) else None

    def work(_):
        return examine_integrity(kept_task.testset(lang_pair), metric)

    key = ("integrity", kept_task.digest, lang_pair, metric)
    integrity = background.result(key, work, "Looking through the outputs")
    missing = missing_blocks(list_missing(kept_task.task), len(info.pairs))
    _draw([*integrity_blocks(integrity), *missing], "task.integrity")
    command = ""
    source = kept_task.source.select_pair(lang_pair)
    # The command reads the demo of a single language pair as the first of the demo task.
    if not source.demo_task or lang_pair == info.pairs[0]:
        command = command_line("integrity", source, metrics=integrity.metric)
    make_report = partial(integrity_report, integrity)
    _show_files("task.integrity", view, make_report, command)
    if integrity.ratings is not None:
        _show_ratings(view, lang_pair, integrity.ratings, source)


def _show_ratings(
    view: TaskView, lang_pair: str, ratings: RatingIntegrity, source: TaskSource
) -> None:
    """Draw what in the ratings is worth a look; a disputed output opens its segment."""
    opened = ""
    if any(row.output is not None for row in ratings.disputed):
        opened = "disputed_outputs"
    clicked = None
    for k, section in enumerate(rating_sections(ratings)):
        st.subheader(section.title)
        row = _draw(section.blocks, f"task.ratings.{k}", opened)
        if row is not None:
            clicked = row
    command = command_line("integrity", source, "--ratings")
    make_report = partial(ratings_report, ratings)
    _show_files("task.ratings", view, make_report, command, prints="the ratings")
    if clicked is not None:
        row = ratings.disputed[clicked]
        query = view.address_of(lang_pair, view.kept.testset(lang_pair).digest)
        systems = list(view.kept.testset(lang_pair).systems)
        others = [system for system in systems if system != row.system]
        if others and row.system in systems:
            address.go("segments", a=row.system, b=others[0], segment=str(row.line), **query)


_RANKINGS = {
    "By each rank rule": show_rules,
    "Findings table": show_findings,
    "AutoRank": show_autorank,
}


def show_rankings(view: TaskView) -> None:
    """Let the user choose another ranking than that of the page, and draw it."""
    ranking = controls.steps(
        "Ranking", list(_RANKINGS), "ranking", next(iter(_RANKINGS)), label_visibility="collapsed"
    )
    _RANKINGS[ranking](view)


RANKINGS = "Other rankings"
#: What draws each tab. They take time, so only the open one is drawn.
TABS = {RANKINGS: show_rankings, "Integrity": show_integrity}


def show_tab(name: str, view: TaskView) -> None:
    """Draw a tab, or why it cannot be drawn; the other parts of the page stay."""
    try:
        TABS[name](view)
    except MtsigError as problem:
        screen.error(problem)


def _pick_lang_pair(view: TaskView, key: str, lang_pairs: Iterable[str]) -> str:
    """Let the user choose a language pair; the pairs with the page's metric come first."""
    with_metric = set(view.kept.info.pairs_with(view.metric))
    options = sorted(lang_pairs, key=lambda lang_pair: lang_pair not in with_metric)
    label = screen.name_parts_in("Language pair")
    return controls.choice(label, options, key, pages_own=True, width=320)


def _draw(
    blocks: Iterable[Block], key: str, opened: str = "", as_printed: bool = False
) -> int | None:
    """Draw the blocks of a report that a page has; return the clicked row of the `opened` table.

    Tables may be drawn as they are printed.
    """
    clicked = None
    for k, block in enumerate(filter(is_on_page, blocks)):
        if isinstance(block, Paragraph):
            if block.role == "verdict" and len(block.text) < _LONG:
                screen.answer(block.text)
            else:
                screen.plain(block.text)
        elif isinstance(block, Warnings):
            screen.cautions(block.cautions)
        elif isinstance(block, TableBlock):
            opens = block.table.key == opened
            row = screen.show_table(block.table, f"{key}.{k}", open_rows=opens, all_rows=as_printed)
            if opens:
                st.caption("Tick a row to read the segment.")
                clicked = row
            legend = block.table.legend.explain(block.table, "Coloured", "Shading")
            if as_printed:
                legend = block.table.legend.explain(
                    block.table, "Bold", grey="Grey", dark="Dark grey"
                )
            st.caption(" ".join([*block.notes, *legend]))
    return clicked


def _show_files(
    key: str,
    view: TaskView,
    make_report: Callable[[], Report],
    command: str,
    has_html: bool = True,
    prints: str = "these numbers",
) -> None:
    name = (view.kept.info.name, key.removeprefix("task."))
    with st.container(horizontal=True):
        charts.download_report(make_report, name, key, has_html)
    if command:
        command_box(command, f"{key}.command", prints)


def _name_systems(source: TaskSource, systems: Iterable[str]) -> TaskSource:
    """Return the source with its systems named one by one, where some are excluded."""
    if source.track is None and not source.exclude:
        return source
    return replace(source, track=None, exclude=(), only=tuple(systems))
