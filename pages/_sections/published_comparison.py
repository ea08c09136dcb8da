"""Published scores next to ours, of a test set or a task.

The user pastes or uploads published scores. The server stores them, and the address has their link,
so that they survive a reload and another reader can see them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet
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
from pages._server.internals import UploadedFile
from pages._ui import address, background, browser, charts, frame, result_cache, screen, testsets
from pages._ui.browser import copyable
from pages._ui.views import TaskView, View
from pages._work.names import digest_of_all, without_names

_LONGEST = 200_000  # characters of a table
_LOOKING = "Looking for the settings of the table"
_OF_SET = "official"  # the key of the address for the table of a test set
_OF_TASK = "official_task"
# Keys of the session: the text in the box, the file next to it, and why a table was not kept.
_TEXT = "official.text"
_FILE = "official.file"
_SAID = "official.said"


@dataclass(frozen=True)
class _Box:
    """A box for a published table."""

    key: str  # of the link in the address
    subject: str  # what the table is about
    columns: str  # that come first in the table
    example: str
    find: Callable[[str], Any]  # looks for what fits the text of a table
    command: str

    def read(self) -> str:
        """Return the table of the link in the address, unless it has another subject."""
        return _read_kept(self.key, self.subject)

    def keep(self, text: str) -> None:
        """Keep a table, or forget it if the text is empty."""
        try:
            links = None
            if text.strip():
                owner = browser.find_owner(make=True)
                links = [testsets.tables().keep(text, self.subject, owner)]
            address.keep(self.key, links)
        except MtsigError as problem:
            st.session_state[_SAID] = str(problem)

    def keep_pasted(self) -> None:
        """Keep what is typed in the box."""
        self.keep(st.session_state[_TEXT])

    def keep_uploaded(self) -> None:
        """Keep the table of the file."""
        file = st.session_state[_FILE]
        messages = upload_sections.why_missing([file])
        if messages:
            st.session_state[_SAID] = messages[0]
        elif file is not None:
            try:
                text = _read_file(file)
            except MtsigError as problem:
                st.session_state[_SAID] = str(problem)
            else:
                self.keep(text)


def show(view: View) -> None:
    """Draw, on the page Summary, a box for a table, and below it the scores that match."""
    _show(
        _Box(
            key=_OF_SET,
            subject=st.session_state[frame.SET][0],
            columns="system and each metric, or system, metric, score",
            example="system, BLEU, chrF",
            find=partial(_find_in_set, view),
            command=command_line("score", view.source, metrics=view.metric, official="FILE"),
        )
    )


def report(view: View) -> None:
    """Draw what the box shows, without the box, if it has a table."""
    try:
        text = _read_kept(_OF_SET, st.session_state[frame.SET][0])
        if not text.strip():
            return
        st.subheader("Published scores")
        _show_tables(_find_in_set(view, text), all_rows=True)
    except MtsigError as problem:
        screen.error(problem)


def _find_in_set(view: View, text: str):
    """Return the settings that reproduce the scores of a table."""
    testset = view.testset
    metric_name = view.metric
    read_full_set = _full_set(view)
    langpair = testset.langpair or view.source.langpair

    def work(nameless, progress):
        table = parse_official_table(text, langpair=langpair)
        replication = replicate(nameless, table, read_full_set(), progress=progress)
        if not table.ranks:
            return replication
        metric = resolve_metric(nameless, metric_name)
        ranks = testset_by_rules(nameless, metric, progress)
        return with_published_ranks(replication, table, ranks)

    full_content = digest_of_all(without_names(view.full_set))
    key = (full_content, metric_name, langpair, _digest(text))
    return result_cache.shared_result("official", testset, work, _LOOKING, *key)


def show_of_task(view: TaskView, remembers: bool = False) -> None:
    """Draw the same for all language pairs of a task.

    `remembers`: whether the page remembers the browser already.
    """
    task = view.kept
    metric = view.metric
    settings = view.settings_without_rule

    def find(text: str):
        def work(progress):
            tables = parse_official_tables(text)
            replication = replicate_task(
                task.read_testsets, task.info.pairs, tables, progress=progress
            )
            if not any(table.ranks for table in tables.values()):
                return replication
            ranks = task_by_rules(task, metric, progress, **settings)
            return with_ranks_of_task(replication, tables, ranks)

        key = ("official_task", task.digest, metric, *sorted(settings.items()), _digest(text))
        return background.result(key, work, _LOOKING)

    box = _Box(
        key=_OF_TASK,
        subject=view.name,
        columns=("language pair, system and each metric, or language pair, system, metric, score"),
        example="language pair, system, BLEU, chrF",
        find=find,
        command=task_command(task.source, metrics=metric, official="FILE", **settings),
    )
    _show(box, remembers)


def _show(box: _Box, remembers: bool = False) -> None:
    """Draw a box, and what fits its table."""
    try:
        text = box.read()
    except MtsigError as problem:
        screen.error(problem)
        return
    with st.expander(
        "Compare with published scores or ranks", expanded=bool(text), key="official.box"
    ):
        _draw_fields(box, text)
        message = st.session_state.pop(_SAID, None)
        if message is not None:
            screen.error(message)
        if text.strip():
            if not remembers:
                browser.remember()
            try:
                _show_result(box.find(text), box.command)
            except MtsigError as problem:
                screen.error(problem)


def _draw_fields(box: _Box, text: str) -> None:
    """Draw the field for a table and the one for a file."""
    st.caption(
        f"Columns: {box.columns}, separated by tabs, semicolons or commas. If the table has ranks, "
        "mtsig detects the ranking rule. Anyone with the link to this page can see the table. To "
        "remove it, empty the box."
    )
    if _SAID not in st.session_state:  # else the typed text stays
        st.session_state[_TEXT] = text
    if not text and address.asked(box.key) is not None:
        st.caption("The table in the address belongs to something else, or has been deleted.")
    st.text_area(
        "Paste a table",
        key=_TEXT,
        max_chars=_LONGEST,
        height=120,
        placeholder=box.example,
        on_change=box.keep_pasted,
    )
    st.file_uploader(
        "or upload it",
        type=["tsv", "csv", "txt", "xlsx"],
        key=_FILE,
        on_change=box.keep_uploaded,
        max_upload_size=1,  # MB, of which it takes a part
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _show_tables(result, all_rows: bool = False) -> None:
    """Draw the result in sentences and tables; with `all_rows`, tables have all rows in sight."""
    for sentence in [*rank_sentences(result), *replication_sentences(result)]:
        screen.plain(sentence)
    if ranks_of(result):
        screen.show_table(published_ranks_table(result), "official.ranks", all_rows=all_rows)
    scores = replication_table(result)
    if scores:
        screen.show_table(scores, "official.table", all_rows=all_rows)


def _show_result(result, command: str) -> None:
    _show_tables(result)
    table = report_csv(replication_report(result))
    charts.download("As CSV", table, ("official",), "csv", "official.csv")
    copyable(command, "official.command", "Command that prints this table")


def _read_kept(key: str, subject: str) -> str:
    """Return the table of the link in the address, unless it has another subject."""
    link = address.asked(key)
    if not link:
        return ""
    return testsets.tables().find(link, subject) or ""


def _read_file(file: UploadedFile) -> str:
    """Return the table of an uploaded file as text."""
    if file.size > _LONGEST:
        raise InputError(
            f"{file.name} has {file.size:,} bytes. Expected a table of at most {_LONGEST:,}."
        )
    with limit_reading(upload_limits()), read_uploaded({file.name: file.getvalue()}):
        return read_published(file.name).removeprefix("\ufeff")


def _full_set(view: View) -> Callable[[], TestSet | None]:
    """Return what reads the source with all references, which are tried, too.

    If the files are here, the canary line comes with them.
    """
    source = view.source
    if source.refs_as_systems:
        return lambda: None
    folder = source.folder
    # An absolute path is no upload's name.
    if folder is not None and os.path.isabs(folder) and os.path.exists(folder):
        return lambda: source.include_all().read()
    testset = without_names(view.full_set.only(view.testset.systems))
    return lambda: testset
