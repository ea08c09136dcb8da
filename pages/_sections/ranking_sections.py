"""Sections of the pages Results and Review that rank in other ways: rank rules, findings, AutoRank;
and integrity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import streamlit as st

from mtsig_core import MtsigError, Task
from mtsig_core.experiments.integrity import examine_integrity, list_missing
from mtsig_core.experiments.rankings import RULES, autorank, make_findings
from mtsig_core.report.commands import command_line
from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.experiment_reports import (
    autorank_blocks,
    autorank_report,
    findings_blocks,
    findings_report,
    integrity_blocks,
    integrity_report,
    missing_blocks,
    rules_blocks,
    rules_report,
)
from mtsig_core.report.html import is_on_page
from mtsig_core.report.reports import render_report
from mtsig_core.source import TaskSource
from mtsig_core.stats.kept_tasks import KeptDraws
from pages._ui import background, charts, controls, screen
from pages._ui.browser import command_box
from pages._ui.views import TaskView

_LONG = 200  # letters of a verdict that is set as a paragraph
_ENDINGS = {"csv": "CSV", "json": "JSON", "latex": "LaTeX", "html": "HTML"}


def show_rules(view: TaskView) -> None:
    """Draw the ranks by each rule that fits, side by side, and how the rules fit the tests of
    pairs.
    """
    by_rule, settings = view.by_rule(), view.settings_without_rule
    _draw(rules_blocks(by_rule, view.metric), "task.rules")
    _show_files(
        "task.rules",
        view,
        partial(rules_report, {view.metric: by_rule}),
        command_line("task", view.kept.source, metrics=view.metric, rank_rule="all", **settings),
    )


def show_findings(view: TaskView) -> None:
    """Draw the findings table of a language pair, with the head-to-head matrix; the files have all
    language pairs.
    """
    kept, metric, settings = view.kept, view.metric, view.settings
    with st.container(horizontal=True):
        pair = _pick_pair(view, "findings", kept.info.pairs_with(metric))
        further = [name for name in kept.info.own_scores if name != metric]
        metrics = [
            metric,
            *controls.several(
                "Further metrics", further, "beside", [], width=480, place=st if further else None
            ),
        ]

    def work(progress):
        return make_findings(
            kept.task, metrics, progress=progress, cache=KeptDraws(), jobs=-1, **settings
        )

    found = background.result(
        ("findings", kept.digest, *metrics, *sorted(settings.items())),
        work,
        "Making the findings tables",
    )
    _draw(findings_blocks(found, pair), "task.findings")
    source = _as_named(view)
    command = (
        "" if source is None else command_line("findings", source, metrics=metrics, **settings)
    )
    _show_files("task.findings", view, partial(findings_report, found), command)


def show_autorank(view: TaskView) -> None:
    """Draw one order of the systems of a language pair from several metrics."""
    kept = view.kept
    with st.container(horizontal=True):
        pair = _pick_pair(view, "autorank", kept.info.pairs)
        rule = controls.choice(
            "Rule of AutoRank",
            list(RULES),
            "autorank_rule",
            pages_own=True,
            width=160,
            format_func=lambda year: f"as WMT{year[2:]}",
        )

    def work(progress):
        return autorank(
            Task(kept.task.name, {pair: kept.testset(pair)}), rule=rule, jobs=-1, progress=progress
        )

    found = background.result(
        ("autorank", kept.digest, pair, rule), work, "Ranking by several metrics"
    )
    _draw(autorank_blocks(found, pair), "task.autorank")
    _show_files(
        "task.autorank",
        view,
        partial(autorank_report, found),
        command_line("autorank", replace(_as_named(view, pair), pairs=(pair,)), rule=rule),
        has_html=False,
    )


def show_integrity(view: TaskView) -> None:
    """Draw what in the outputs and ratings of a language pair is worth a look."""
    kept = view.kept
    pair = _pick_pair(view, "integrity", kept.info.pairs)
    metric = view.metric if pair in kept.info.pairs_with(view.metric) else None

    def work(_):
        return examine_integrity(kept.testset(pair), metric)

    found = background.result(
        ("integrity", kept.digest, pair, metric), work, "Looking through the outputs"
    )
    _draw(
        [*integrity_blocks(found), *missing_blocks(list_missing(kept.task), len(kept.info.pairs))],
        "task.integrity",
    )
    source = kept.source.select_pair(pair)
    has_command = (
        not source.demo_task or pair == kept.info.pairs[0]
    )  # the demo of one language pair is the first
    _show_files(
        "task.integrity",
        view,
        partial(integrity_report, found),
        command_line("integrity", source, metrics=found.metric) if has_command else "",
        has_html=False,
    )


#: What draws each tab. They take time, so only the open one is drawn.
TABS = {
    "Rank rules": show_rules,
    "Findings": show_findings,
    "AutoRank": show_autorank,
    "Integrity": show_integrity,
}


def show_tab(name: str, view: TaskView) -> None:
    """Draw a tab, or why it cannot be drawn; the rest of the page stays."""
    try:
        TABS[name](view)
    except MtsigError as problem:
        screen.error(problem)


def _pick_pair(view: TaskView, key: str, pairs: Iterable[str]) -> str:
    """Let a language pair be chosen; those of the page's metric come first."""
    own = {*view.kept.info.pairs_with(view.metric)}
    return controls.choice(
        "Language pair",
        sorted(pairs, key=lambda pair: pair not in own),
        key,
        pages_own=True,
        width=320,
    )


def _draw(blocks: Iterable[Block], key: str) -> None:
    """Draw the blocks of a report that a page has."""
    for k, block in enumerate(filter(is_on_page, blocks)):
        if isinstance(block, Paragraph):
            is_answer = block.role == "verdict" and len(block.text) < _LONG
            draw = screen.answer if is_answer else screen.plain
            draw(block.text)
        elif isinstance(block, Warnings):
            screen.cautions(block.cautions)
        elif isinstance(block, TableBlock):
            screen.show_table(block.table, f"{key}.{k}")
            legend = block.table.legend.explain(block.table, "Coloured", "Shading")
            st.caption(" ".join([*block.notes, *legend]))


def _show_files(
    key: str,
    view: TaskView,
    make_report: Callable[[], Report],
    command: str,
    has_html: bool = True,
) -> None:
    with st.container(horizontal=True):
        for form, title in _ENDINGS.items():
            if form == "html" and not has_html:
                continue
            charts.download(
                title,
                partial(_render, make_report, form),
                (view.kept.info.name, key.partition(".")[2]),
                {"latex": "tex"}.get(form, form),
                f"{key}.{form}",
            )
    if command:
        command_box(command, f"{key}.command", "these numbers")


def _render(make_report: Callable[[], Report], form: str) -> str:
    return render_report(make_report(), form)


def _as_named(view: TaskView, pair: str | None = None) -> TaskSource | None:
    """Return the source with its systems (of one language pair) named one by one, where some are
    left out; None where some are left out of single language pairs.
    """
    source = view.kept.source
    if pair is None and any(one.pair is not None for one in source.exclude):
        return None
    systems = view.kept.info.systems if pair is None else view.kept.testset(pair).systems
    only = tuple(systems) if source.track is not None or source.exclude else source.only
    return replace(source, track=None, exclude=(), only=only)
