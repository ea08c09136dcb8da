"""Published scores next to ours, of a test set or a task: pasted or uploaded, and kept behind a
link in the address, so that a reload or another reader finds them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from mtsig_core import InputError, MtsigError
from mtsig_core.experiments.rankings import (
    task_by_rules,
    testset_by_rules,
    with_published_ranks,
    with_ranks_of_task,
)
from mtsig_core.metrics import resolve_metric
from mtsig_core.readers.files import read_uploaded
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.official_tables import (
    parse_official_table,
    parse_official_tables,
    read_published,
)
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.report.experiment_reports import (
    published_ranks_table,
    rank_sentences,
    ranks_of,
    replication_report,
    replication_sentences,
    replication_table,
)
from mtsig_core.report.export import report_csv
from mtsig_core.stats.published_scores import replicate, replicate_task
from pages._sections import upload_sections
from pages._ui import address, background, browser, charts, frame, result_cache, screen, testsets
from pages._ui.browser import copyable
from pages._ui.views import TaskView, View
from pages._work.names import digest_of_all, without_names

_LONGEST = 200_000  # characters of a table
_LOOKING = "Looking for the settings of the table"
_OF_SET = "official"  # the key of the address for the table of a test set
_TEXT, _FILE, _SAID = "official.text", "official.file", "official.said"


def show(view: View) -> None:
    """Draw, on the page Summary, a box for a table, and below it the scores that match, the others,
    and settings that explain them.
    """
    _show(
        _OF_SET,
        st.session_state[frame.SET][0],
        "system, BLEU, chrF",
        partial(_find_in_set, view),
        "",
        command_line("score", view.source, metrics=view.metric, official="FILE"),
    )


def report(view: View) -> None:
    """Draw what the box shows, without the box, if it has a table."""
    try:
        text = _kept(_OF_SET, st.session_state[frame.SET][0])
        if not text.strip():
            return
        st.subheader("Published scores")
        _show_tables(_find_in_set(view, text), whole=True)
    except MtsigError as problem:
        screen.error(problem)


def _find_in_set(view: View, text: str):
    """Return the settings under which our scores are those of a table."""
    testset, whole, name = view.testset, _whole(view), view.metric
    langpair = testset.langpair or view.source.langpair
    content_of_whole = digest_of_all(without_names(view.whole))

    def work(nameless, progress):
        table = parse_official_table(text, langpair=langpair)
        found = replicate(nameless, table, whole(), progress=progress)
        if not table.ranks:
            return found
        metric = resolve_metric(nameless, name)
        return with_published_ranks(found, table, testset_by_rules(nameless, metric, progress))

    return result_cache.shared_result(
        "official", testset, work, _LOOKING, content_of_whole, name, langpair, _digest(text)
    )


def show_of_task(view: TaskView, remembers: bool = False) -> None:
    """Draw the same for all language pairs of a task, on a page that `remembers` the browser
    already or not.
    """
    kept, pairs, metric = view.kept, view.kept.info.pairs, view.metric
    settings = view.settings_without_rule

    def find(text):
        def work(progress):
            tables = parse_official_tables(text)
            found = replicate_task(kept.read_testsets, pairs, tables, progress=progress)
            if not any(table.ranks for table in tables.values()):
                return found
            return with_ranks_of_task(
                found, tables, task_by_rules(kept, metric, progress, **settings)
            )

        key = "official_task", kept.digest, metric, *sorted(settings.items()), _digest(text)
        return background.result(key, work, _LOOKING)

    _show(
        "official_task",
        view.name,
        "language pair, system, BLEU, chrF",
        find,
        "language pair, ",
        task_command(view.kept.source, metrics=metric, official="FILE", **settings),
        remembers,
    )


def _show(
    key: str,
    about: str,
    example: str,
    find: Callable[[str], Any],
    first: str,
    command: str,
    remembers: bool = False,
) -> None:
    """Draw the box; `key` is the link's key in the address, `about` the subject of the table, and
    `find` looks for what fits its text.
    """
    try:
        text = _kept(key, about)
    except MtsigError as problem:
        return screen.error(problem)
    with st.expander(
        "Compare with published scores or ranks", expanded=bool(text), key="official.box"
    ):
        st.caption(
            f"Columns: {first}system and each metric, or {first}system, metric, score; tabs, semicolons or "
            "commas between. With rank_low and rank_high, or rank, and perhaps cluster, mtsig finds the rank "
            "rule. Whoever has the address of this page sees the table. To remove it, empty the box."
        )
        if _SAID not in st.session_state:  # else what was typed stays
            st.session_state[_TEXT] = text
        if not text and address.asked(key) is not None:
            st.caption("The table in the address belongs to something else, or has been deleted.")
        st.text_area(
            "Paste a table",
            key=_TEXT,
            max_chars=_LONGEST,
            height=120,
            placeholder=example,
            on_change=_pasted,
            args=(key, about),
        )
        st.file_uploader(
            "or upload it",
            type=["tsv", "csv", "txt", "xlsx"],
            key=_FILE,
            on_change=_uploaded,
            args=(key, about),
            max_upload_size=1,
        )  # MB, of which it takes a part
        if (message := st.session_state.pop(_SAID, None)) is not None:
            screen.error(message)
        if text.strip():
            if not remembers:
                browser.remember()
            try:
                _show_result(find(text), command)
            except MtsigError as problem:
                screen.error(problem)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _show_tables(result, whole: bool = False) -> None:
    """Draw what was found, in sentences and tables; a `whole` table has all its rows in sight."""
    for sentence in [*rank_sentences(result), *replication_sentences(result)]:
        screen.plain(sentence)
    if ranks_of(result):
        screen.show_table(published_ranks_table(result), "official.ranks", whole=whole)
    if scores := replication_table(result):
        screen.show_table(scores, "official.table", whole=whole)


def _show_result(result, command: str) -> None:
    _show_tables(result)
    charts.download(
        "As CSV", report_csv(replication_report(result)), ("official",), "csv", "official.csv"
    )
    copyable(command, "official.command", "Command that prints this table")


def _kept(key: str, about: str) -> str:
    """Return the table of the link in the address, unless it has another subject."""
    link = address.asked(key)
    return (link and testsets.tables().find(link, about)) or ""


def _pasted(key: str, about: str) -> None:
    _keep(key, about, st.session_state[_TEXT])


def _uploaded(key: str, about: str) -> None:
    file = st.session_state[_FILE]
    if message := upload_sections.why_missing([file]):
        st.session_state[_SAID] = message[0]
    elif file is not None:
        try:
            if file.size > _LONGEST:
                raise InputError(
                    f"{file.name} has {file.size:,} bytes. Expected a table of at most {_LONGEST:,}."
                )
            with limit_reading(upload_limits()), read_uploaded({file.name: file.getvalue()}):
                text = read_published(file.name).removeprefix("\ufeff")
        except MtsigError as problem:
            st.session_state[_SAID] = str(problem)
        else:
            _keep(key, about, text)


def _keep(key: str, about: str, text: str) -> None:
    try:
        kept = (
            [testsets.tables().keep(text, about, browser.find_owner(make=True))]
            if text.strip()
            else None
        )
        address.keep(key, kept)
    except MtsigError as problem:
        st.session_state[_SAID] = str(problem)


def _whole(view):
    """Return the source with all references and, if the files are here, the canary line, which are
    tried too.
    """
    source = view.source
    if source.refs_as_systems:
        return lambda: None
    if (
        source.folder is not None and os.path.isabs(source.folder) and os.path.exists(source.folder)
    ):  # no upload's name
        return lambda: source.include_all().read()
    whole = without_names(view.whole.only(view.testset.systems))
    return lambda: whole
