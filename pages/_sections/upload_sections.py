"""Sections of the page Upload: the files and their roles, samples, earlier uploads, and the
contents read.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

import streamlit as st

from mtsig_core import InputError, MtsigError, TestSet
from mtsig_core.errors import choose_verb, format_count
from mtsig_core.languages import SPACELESS, languages_of
from mtsig_core.metrics.tokenizers import (
    TOKENIZERS,
    default_tokenizer,
    fitting_tokenizers,
    splits_words,
)
from mtsig_core.readers.limits import upload_limits
from mtsig_core.readers.task_contents import unread_sentences
from mtsig_core.readers.task_names import xml_names
from mtsig_core.readers.uploads import (
    ROLES,
    Upload,
    add_documents,
    are_documents,
    arrange_task,
    describe_table,
    find_common_set,
    find_open_directions,
    find_reference_language,
    guess_name,
    guess_uploads,
    has_documents,
    holds_files,
    pack_files,
    read_uploads,
    set_directions,
    sort_runs,
    upload_name,
)
from mtsig_core.readers.wide_tables import SEPARATOR
from mtsig_core.report.commands import command_line
from mtsig_core.report.table import Column, Table
from mtsig_core.report.tables import inventory_table
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.cautions import find_suspicions
from pages._server import sessions
from pages._server.internals import DeletedFile, UploadedFile
from pages._store.database import DAY, format_megabytes
from pages._store.kept_sets import Saved
from pages._ui import address, browser, frame, screen, testsets
from pages._ui.browser import copyable
from pages._ui.catalogue import ROOT
from pages._ui.views import View
from pages._work.memory import LOADED, make_once

_ARCHIVE = r"(?i)\.(zip|tar|tgz|tar\.\w+)$"  # the end of a name
_FIELD, _SAID, _OPENED = "uploaded.field", "uploaded.said", "uploaded.opened"


def choose_files(key: str) -> Sequence[UploadedFile]:
    """Draw a field for several files; return those that the server has.

    If it has lost them, the list starts again.
    """
    state = st.session_state
    field = f"{key}{state.get(_FIELD, '')}"
    files = st.file_uploader(
        "Files", accept_multiple_files=True, key=field, label_visibility="collapsed"
    )
    messages = why_missing(state[field])
    if messages and not files:
        state[_FIELD], state[_SAID] = state.get(_FIELD, 0) + 1, messages
        st.rerun()
    if files:
        state.pop(_SAID, None)
    for text in messages or state.get(_SAID, ()):
        screen.error(text)
    return files


def why_missing(files: Sequence[UploadedFile | DeletedFile | None]) -> list[str]:
    """Write why some of these files are missing, each reason once; empty if none is."""
    reasons = [
        sessions.find_reason(file.file_id) for file in files if isinstance(file, DeletedFile)
    ]
    messages = list(dict.fromkeys(reason for reason in reasons if reason))
    n_lost = reasons.count(None)
    if n_lost:
        message = (
            f"{format_count(n_lost, 'chosen file')} {choose_verb(n_lost, 'is', 'are')} not here any more: the "
            "server was started again, or this page was away for long. Choose again. What was opened is kept, "
            "under Your uploads."
        )
        if len(reasons) < len(files):
            message += " A file that is here has a role below."
        messages.append(message)
    return messages


# Samples, for who wants to see what a file looks like, or what comes of it.

_SAMPLES = ROOT / "assets" / "samples"
_CARDS = (  # title, what to upload, and the files of the sample
    (
        "Texts",
        "A reference and the outputs of your systems, one segment per line. Best with the document id of each "
        "line.",
        ("reference.txt", "baseline.txt", "improved.txt", "documents.txt"),
    ),
    (
        "A table of scores",
        "Human scores of segments, or scores of a metric such as COMET, with the columns system, "
        "line and score.",
        ("human.csv",),
    ),
    (
        "A shared task",
        "A zip with references, system outputs and documents of every language pair, in the layout of "
        "WMT.",
        ("shared_task.zip",),
    ),
)


def show_samples() -> None:
    """Draw a card for each kind of data, with a sample to save or to open."""
    for place, (title, what, files) in zip(st.columns(len(_CARDS)), _CARDS, strict=True):
        with place.container(border=True, height="stretch"):
            st.markdown(f"**{title}**")
            st.write(what)
            with st.container(horizontal=True, gap="xsmall"):
                if st.button("Open sample", key=f"samples.open.{files[0]}"):
                    _open_sample(title, files)
                if len(files) == 1:
                    _offer_download("Download", files[0])
                else:
                    with st.popover("Download", key="samples.files"):
                        for file in files:
                            _offer_download(file, file)


def _offer_download(label, file):
    st.download_button(
        label, (_SAMPLES / file).read_bytes(), file, key=f"samples.{file}", on_click="ignore"
    )


def _open_sample(title, files):
    """Open files of ours as if they had been uploaded."""
    contents, name = (
        [(file, (_SAMPLES / file).read_bytes()) for file in files],
        f"Sample: {title.lower()}",
    )
    if files[0].endswith(".zip"):
        ((file, content),) = contents
        found = testsets.look_into(content, file)
        source = TaskSource(file, scores=found.scores, run=found.runs, name=f"{name} (simulated)")
        frame.open_task(
            testsets.keep_task(content, source, found, list(found.unread)), found.pairs[0]
        )
    guesses = guess_uploads(contents)
    uploads = [Upload(*one, *guess) for one, guess in zip(contents, guesses, strict=True)]
    testset = replace(read_uploads(uploads, name=name), simulated=True)
    address.go(
        "summary",
        testset=testsets.keep_upload(testset, _source_of(uploads, None)),
        **{address.SEEN: None},
    )


# What may be uploaded, and how a shared task is loaded.


def explain_formats() -> None:
    """Explain the kinds of files, the limits, and three ways to load a shared task."""
    with st.expander("File formats and shared tasks", key="upload.formats"):
        screen.plain(
            "Texts: UTF-8, one segment per line, also as .gz. Each line of the documents file is a document "
            "id, or a domain, a tab and a document id. A.run1.txt and A.run2.txt are outputs of two training "
            "runs of system A."
        )
        screen.plain(
            "Tables of scores: TSV, CSV, JSONL, Parquet or COMET's JSON, with a row for each score or a "
            "column for each system. With texts, scores are joined by line number, or by id where a file "
            f"has the id of each line. You can open up to {upload_limits().mb:,} MB of text at once."
        )
        screen.prose_table(
            ["A shared task", "how to load it"],
            [
                [
                    f"as a zip, up to {upload_limits().zip_mb:,} MB unpacked",
                    "Drop the zip, together with ratings if you have them. Results and Review then show the task, and Test "
                    "set lists its language pairs. Name other tables of segment scores after their language pair: "
                    "en-de.comet.tsv.",
                ],
                [
                    "on the machine of this dashboard",
                    "Start the dashboard with MTSIG_DATA_ROOT set to the folder above it. Results then lists every task "
                    "below it, folders and zips, and Test set lists their language pairs."
                    + ("" if os.environ.get("MTSIG_DATA_ROOT") else " It is not set now."),
                ],
                [
                    "all of it, or one language pair",
                    "Start the dashboard on it with one of the commands below.",
                ],
            ],
        )
        copyable(
            "\n".join(
                command_line("serve", Source(folder="wmt24", langpair=pair))
                for pair in (None, "en-de")
            ),
            "data.serve",
            "Commands that start the dashboard on it",
        )
        screen.plain(
            "WMT layout: references/en-de.refA.txt, system-outputs/en-de/NAME.txt, and, best, "
            "documents/en-de.docs and sources/en-de.txt. Names as of 2021 to 2023 are known, too, as are "
            "automatic_scores/NAME.jsonl of WMT 2025 and XML such as newstest2021.en-de.all.xml."
        )


# Files that were uploaded: what each is, and the test set or task to open.

#: What files of a role are, in a list of what was recognized; of some roles there is one file at
#: most.
_COUNTED = {
    "reference": "reference",
    "system": "system",
    "reference and outputs": "file with reference and outputs",
    "training run": "further training run",
    "scores": "score table",
    "parse": "parse",
    "exclude": "excluded file",
}
_SINGLE = {"documents": "document ids", "source": "source texts", "segment ids": "segment ids"}


def offer(files: Sequence[UploadedFile], view: View | MtsigError) -> None:
    """Offer to open the chosen files: a zip, documents for the open set, or the files of a test
    set.
    """
    files = [one for file in files for one in _unpack(file)]
    archives = [file for file in files if _is_archive(file)]
    if len(archives) == len(files) == 1:
        return _offer_zip(archives[0])
    if archives:
        return _offer_zip(_join_archives(files))
    guesses = LOADED.make(
        ("roles", *(file.file_id for file in files)),
        lambda: guess_uploads([(file.name, file.getvalue()) for file in files]),
        lambda _: 0,
    )
    if [role for role, _ in guesses] == ["documents"] and lacks_documents(view):
        return _offer_documents(files[0], view.whole)
    packed = _pack_task(files, guesses)
    if packed:
        return _offer_zip(packed[0])
    _offer_files(files, guesses)


@dataclass(frozen=True)
class _Unpacked:
    """A file of an archive that was uploaded, as if it had been uploaded itself."""

    name: str
    content: bytes
    file_id: str

    @property
    def size(self) -> int:
        return len(self.content)

    def getvalue(self) -> bytes:
        return self.content


def _is_archive(file) -> bool:
    return file.name.lower().endswith(".zip") or LOADED.make(
        ("archive", file.file_id), lambda: holds_files(file.getvalue()), lambda _: 0
    )


def _unpack(file):
    """Return the files of an archive that is no shared task; else the file itself."""
    if not _is_archive(file):
        return [file]
    inside = LOADED.make(
        ("files", file.file_id),
        lambda: testsets.unpack_files(file.getvalue(), file.name),
        lambda _: 0,
    )
    return [
        _Unpacked(name, content, f"{file.file_id}.{k}") for k, (name, content) in enumerate(inside)
    ] or [file]


def _join_archives(files):
    """Return one zip of archives and the files that were dropped with them, such as a task and its
    ratings.
    """

    def join():
        placed = []
        for file in files:
            if _is_archive(file):
                placed += testsets.list_members(file.getvalue(), file.name)
            else:
                placed.append((testsets.zip_name(file.name), file.getvalue()))
        first = next(file for file in files if _is_archive(file))
        return _pack(re.sub(_ARCHIVE, "", testsets.zip_name(first.name)) + ".zip", placed, files)

    return LOADED.make(
        ("joined", *(file.file_id for file in files)), join, lambda joined: joined.size
    )


def _pack_task(files, guesses):
    """Return, in a tuple, a zip of files of several language pairs, which are a task: tables of
    scores that name them, or texts whose names say them. An empty tuple stands for other files.
    """

    def pack():
        placed = _place_in_task(files, [role for role, _ in guesses])
        if not placed:
            return ()
        has_only_scores = all(role == "scores" for role, _ in guesses)
        packed = _pack("ratings.zip" if has_only_scores else "task.zip", placed, files)
        with suppress(InputError):  # the message comes where the files are read
            if len(testsets.list_pairs(packed.content, packed.name)) > 1:
                return (packed,)
        return ()

    return LOADED.make(
        ("packed", *(file.file_id for file in files)),
        pack,
        lambda kept: sum(one.size for one in kept),
    )


def _place_in_task(files, roles):
    """Return the files by their places in the folder of a task; nothing if they cannot be one."""
    names = [testsets.zip_name(file.name) for file in files]
    if len(set(names)) < len(names):
        return []
    contents = list(zip(names, (file.getvalue() for file in files), strict=True))
    markup = xml_names(names)
    are_markup = len(markup) > 1 and sum(map(len, markup.values())) == len(names)
    if set(roles) == {"scores"} or are_markup or are_documents(contents, roles):
        return contents  # a task as they are, side by side
    return arrange_task(contents, roles)


def _pack(name, placed, files):
    """Return a zip of what is placed in it, in the place of the files that it was made of."""
    return _Unpacked(name, pack_files(placed), "+".join(file.file_id for file in files))


def tell_what_was_opened(view: View | MtsigError) -> None:
    """Name what the last press of Open has opened, with a link to its results."""
    if st.session_state.pop(_OPENED, False) and not isinstance(view, MtsigError):
        screen.answer(
            f"Opened {view.whole.name}: {format_count(view.whole.n_segments, 'segment')}, "
            f"{format_count(len(view.whole.systems), 'system')}"
        )
        with st.container(horizontal=True):
            address.link("summary", "See the summary")
            if "/" in (address.asked("testset") or ""):
                address.link("results", "See the results of the whole task")


def lacks_documents(view: View | MtsigError) -> bool:
    """Return whether an upload without document ids is open."""
    name = address.asked("testset") or ""
    return (
        not isinstance(view, MtsigError)
        and view.whole.documents is None
        and name.startswith(testsets.KEPT)
        and "/" not in name
    )


def ask_for_documents(view: View | MtsigError) -> None:
    if lacks_documents(view):
        screen.caution_box(
            f"{view.whole.name} has no document ids, so segments are treated as independent. Upload a "
            f"file such as documents.txt with the document id of each of the "
            f"{view.whole.n_segments:,} segments, one per line."
        )


def _offer_documents(file, testset):
    """Offer to add document ids to the open test set."""
    screen.plain(f"{file.name} holds document ids.")
    if st.button("Add to the open test set", type="primary", key="data.add_documents"):
        saved = testsets.store().find(address.asked("testset").removeprefix(testsets.KEPT))
        kept = testsets.keep_upload(
            add_documents(testset, file.name, file.getvalue()),
            replace(saved.source, docs=file.name),
        )
        _open(kept)


def _open(link):
    """Open an upload that has been kept, and empty the field for files."""
    st.session_state[_OPENED], st.session_state[_FIELD] = True, st.session_state.get(_FIELD, 0) + 1
    frame.open_testset(link)


_TABLE_ROLES = [role for role in ROLES if role.startswith("scores") or role == "exclude"]


def _offer_zip(file):
    """Offer a shared task: its tables of scores with guessed roles, and the files not read; then
    all of it, or a pair.
    """
    content = file.getvalue()
    contents = LOADED.make(
        ("zip", file.file_id), lambda: testsets.look_into(content, file.name), lambda _: 0
    )  # once
    what = "These files are" if isinstance(file, _Unpacked) else f"{file.name} is"
    screen.plain(f"{what} a shared task: {', '.join(contents.pairs)}.")
    above = st.container()
    scores, directions, unread = _pick_tables(contents.scores, file.file_id)
    undirected = tuple(
        one for one in scores if not any(one[1] in names for names in directions.values())
    )
    ranges = {}
    if undirected:
        ranges = LOADED.make(
            ("directions", file.file_id, undirected),
            lambda: testsets.find_open_directions(content, file.name, undirected),
            lambda _: 0,
        )
    with above:
        answers, is_decided = _draw_directions(ranges)
    for name, which in answers.items():
        directions[f"{which}_is_better"] += (name,)
    unread += contents.unread
    if unread:
        screen.caution_box(" ".join(unread_sentences(unread)))
    proposed = guess_name(re.sub(_ARCHIVE, "", file.name))
    with above:
        called, rated, whole, several, one = st.columns(
            [3, 2, 1.7, 2, 1.7], vertical_alignment="bottom"
        )
    title = called.text_input(
        "Name of the task", proposed, key=f"data.task_name.{file.file_id}", max_chars=100
    )
    langpair = several.selectbox("Language pair", contents.pairs, key="data.zip_pair")
    raters = _pick_raters(rated, file.file_id) if contents.has_only_scores else None
    source = TaskSource(
        testsets.zip_name(file.name),
        scores=scores,
        run=contents.runs,
        name=title.strip() or proposed,
        raters=raters,
        **directions,
    )
    if whole.button("Open the task", type="primary", key="data.open_task", disabled=not is_decided):
        frame.open_task(testsets.keep_task(content, source, contents, unread), contents.pairs[0])
    if one.button("Open this pair", key="data.open_zip", disabled=not is_decided):
        kept = testsets.keep_task(content, source, contents, unread, langpair)
        _open(f"{kept}/{langpair}")


def _pick_tables(tables, file_id):
    """Let the tables of scores in a zip be chosen and named; return them, arguments on their
    directions, and the others.
    """
    if not tables:
        return (), {}, []
    st.caption("Segment scores in it. Correct names and roles here.")
    scores, unread = [], []
    directions = {"lower_is_better": [], "higher_is_better": []}
    for k, (pair, guess, path) in enumerate(tables):
        file, key = path.partition("/")[2], f"data.{file_id}.table.{k}"
        role, name = _ask_role(
            f"{file} ({pair})", k == 0, (_TABLE_ROLES, 0, f"{key}.role"), (guess, f"{key}.name")
        )
        if role == "exclude":
            unread.append((file, "you chose to leave it out"))
            continue
        name = name.strip() or guess
        scores.append((pair, name, path))
        for direction, names in directions.items():
            names += [name] * (direction.split("_")[0] in role)
    return (
        tuple(scores),
        {which: tuple(dict.fromkeys(names)) for which, names in directions.items()},
        unread,
    )


def _ask_role(text, is_first, role, name):
    """Draw a line about a file: its kind, its role as (roles, default, key) and its name as
    (default, key).
    """
    left, middle, right = st.columns([3, 2, 3], vertical_alignment="center")
    with left:
        screen.plain(text)
    (roles, index, role_key), (proposed, name_key) = role, name
    labels = "visible" if is_first else "collapsed"
    return (
        middle.selectbox("Role", roles, index, key=role_key, label_visibility=labels),
        right.text_input("Name", proposed, key=name_key, max_chars=300, label_visibility=labels),
    )


def _offer_files(files, guesses):
    """Draw guessed roles and names to correct, below the test set to open."""
    above, form, uploads, tables = st.container(), st.container(), [], []
    for file, (role, name) in zip(files, guesses, strict=True):
        key = f"data.{file.file_id}"
        uploads.append(
            Upload(
                file.name,
                file.getvalue(),
                *_ask_role(
                    f"{file.name} ({file.size:,} bytes)",
                    not uploads,
                    (ROLES, ROLES.index(role), f"{key}.role.{role}"),
                    (name, f"{key}.name.{name}"),
                ),
            )
        )
        if uploads[-1].role.startswith("scores"):
            tables.append((uploads[-1], file.file_id))
    documented = LOADED.make(
        ("documents", *(file.file_id for file in files)),
        lambda: any(has_documents(file.name, file.getvalue()) for file in files),
        lambda _: 0,
    )
    with form:
        systems = tuple(upload.name for upload in uploads if upload.role in ("system", "reference"))
        asked = _ask_columns(tables, systems)
    with above:
        _offer_testset(
            uploads,
            asked,
            documented,
            upload_name(
                [
                    (upload.file, upload.role, guess)
                    for upload, (_, guess) in zip(uploads, guesses, strict=True)
                ]
            ),
        )


def _format_role(role, count):
    """How many files have a role; of a noun with words after it, the noun takes the plural."""
    noun, joined, rest = _COUNTED[role].partition(" with ")
    return format_count(count, noun) + joined + rest


def _offer_testset(uploads, asked, documented, proposed):
    """Draw what was recognized, and the name of the test set to open.

    `asked`: as `_ask_columns` returns it; `documented`: whether texts come with their documents.
    """
    _, pair = find_common_set(upload.file for upload in uploads if upload.role != "exclude")
    counts = Counter(upload.role.partition(",")[0] for upload in uploads)
    counted = [_format_role(role, counts[role]) for role in _COUNTED if counts[role]]
    screen.answer(
        "Recognized: " + ", ".join(counted + [_SINGLE[role] for role in _SINGLE if counts[role]])
    )
    left, middle, right, last = st.columns([3, 1.7, 2.2, 1.7], vertical_alignment="bottom")
    title = left.text_input(
        "Name of the test set", proposed, key=f"data.name.{proposed}", max_chars=100
    )
    if len(asked.pairs) > 1:
        langpair = middle.selectbox(
            "Language pair",
            asked.pairs,
            asked.pairs.index(pair) if pair in asked.pairs else 0,
            key=f"data.langpair.{' '.join(asked.pairs)}",
        )
    else:
        langpair = middle.text_input(
            "Language pair", pair, key=f"data.langpair.{pair}", placeholder="like en-de"
        ).strip()
    has_texts = bool({"reference", "reference and outputs"} & counts.keys())
    tokenizer, is_decided = (
        _pick_tokenizer(right, langpair, find_reference_language(uploads))
        if has_texts
        else (None, True)
    )
    of_tables = {"columns": asked.columns} if asked.columns else {}
    if asked.has_raters and (
        raters := _pick_raters(left if has_texts else right, "set", has_texts)
    ):
        of_tables["raters"] = raters
    if asked.weights:
        usual = ", ".join(f"{error}={weight:g}" for error, weight in asked.weights.items())
        given = left.text_input("Weights of MQM errors", usual, key="data.weights", max_chars=1000)
        of_tables["mqm_weights"] = given.split(",") if given != usual else []
    if has_texts and "documents" not in counts and not documented:
        screen.caution_box(
            "No document ids: segments would be treated as independent, and intervals may be too "
            "narrow. Add a file such as documents.txt with the document id of each line."
        )
    directions, has_all = _ask_directions(uploads, asked, langpair or None)
    uploads = set_directions(uploads, directions)
    is_decided = is_decided and has_all
    if last.button(
        "Open these files", type="primary", key="data.open_files", disabled=not is_decided
    ):
        try:
            source = replace(_source_of(uploads, langpair or None), **of_tables)
            testset = replace(
                read_uploads(
                    uploads,
                    langpair=langpair or None,
                    name=title.strip() or proposed,
                    **source.table_options(),
                ),
                tokenizer=tokenizer,
            )
            kept = testsets.keep_upload(testset, source)
        except MtsigError as problem:  # beside what corrects it
            return screen.error(problem)
        _open(kept)


#: What columns of a table of scores are asked for, with the titles of the fields.
_ASKED = {
    "system": "System",
    "line": "Segment (line)",
    "score": "Score",
    "rater": "Rater",
    "langpair": "Column of language pairs",
}


def _ask_directions(uploads, asked, langpair):
    """Ask whether higher or lower is better in scores whose name does not say it; return the
    answers by name, and whether all were given.
    """
    tables = tuple(
        (upload.file, upload.name, len(upload.content))
        for upload in uploads
        if upload.role == "scores"
    )
    columns = dict(one.split("=", 1) for one in asked.columns)
    key = ("directions", asked.file_ids, tables, asked.columns, langpair)
    ranges = LOADED.make(key, lambda: find_open_directions(uploads, columns, langpair), lambda _: 0)
    return _draw_directions(ranges)


def _draw_directions(ranges):
    """Draw a question for each name of scores with its range: is higher or lower better?

    Return the answers by name, and whether all were given.
    """
    if not ranges:
        return {}, True
    directions = {}
    with st.container(border=True, key="upload.directions"):
        for name, (low, high) in ranges.items():
            question, answer = st.columns([3, 2], vertical_alignment="center")
            with question:
                screen.plain(
                    f"{name}: are higher or lower scores better? They range from {low:g} to {high:g}."
                )
            chosen = answer.segmented_control(
                "Better",
                ["higher", "lower"],
                key=f"data.direction.{name}",
                label_visibility="collapsed",
            )
            if chosen:
                directions[name] = chosen
    return directions, len(directions) == len(ranges)


#: What several ratings of a segment may be, by the value of ``--raters``.
_RATERS = {"mean": "Mean", "adjusted": "Mean and adjusted", "segments": "Segments (WMT25)"}


def _pick_raters(place, key, has_texts=False):
    """Return what several ratings of a segment are; None for their mean."""
    values = [value for value in _RATERS if value != "segments" or not has_texts]
    chosen = place.selectbox(
        "Several raters",
        values,
        key=f"data.{key}.raters",
        format_func=_RATERS.get,
        help=(
            "Adjusted: a second score, by least squares: rating = system + segment + rater. Strict raters of a system then "
            "count against it no more. A test shows whether raters favour systems."
        ),
    )
    return None if chosen == "mean" else chosen


class _Tables(NamedTuple):
    """What tables of scores hold."""

    columns: tuple[str, ...]  # as the option --columns takes them
    pairs: list[str]  # their language pairs
    has_raters: bool
    weights: Mapping[str, float]  # of MQM errors
    file_ids: tuple[str, ...]


def _ask_columns(tables, systems):
    """Ask what the columns of the first unclear table hold.

    `systems`: the names of the texts beside it.
    """
    found = []
    for upload, file_id in tables:
        columns = LOADED.make(
            ("columns", file_id, upload.name, systems),
            lambda upload=upload: describe_table(upload, systems),
            lambda _: 0,
        )
        if columns is not None:
            found.append((upload.file, file_id, columns))
    columns = {}
    for file, file_id, table in found:
        if table.is_unclear or table.asides:
            columns = _draw_columns(file, file_id, table)
            break
    pairs = []
    for *_, one in found:
        usual = one.guesses["langpair"] if "langpair" in one.usual else None
        pairs += one.langpairs.get(columns.get("langpair", usual), ())
    has_raters = "rater" in columns or any("rater" in one.usual for *_, one in found)
    weights = next((one.weights for *_, one in found if one.weights), {})
    named = tuple(f"{held}={name}" for held, name in columns.items())
    return _Tables(
        named,
        list(dict.fromkeys(pairs)),
        has_raters,
        weights,
        tuple(file_id for _, file_id in tables),
    )


_LAYOUTS = {"rows": "a row for each score", "columns": "a column for each system"}


def _draw_columns(file, file_id, table):
    """Ask what the columns of a table hold, above its first rows; return what was chosen."""
    with st.container(border=True, key="upload.columns"):
        layout = "columns" if table.systems else "rows"
        if table.is_unclear and len(table.numeric) > 1:
            screen.plain(f"How are the scores in {file} laid out?")
            layout = (
                st.segmented_control(
                    "Layout",
                    list(_LAYOUTS),
                    default=layout,
                    format_func=_LAYOUTS.get,
                    key=f"data.{file_id}.layout",
                    label_visibility="collapsed",
                )
                or layout
            )
        draw = _draw_wide if layout == "columns" else _draw_long
        chosen = draw(file, file_id, table)
        screen.show_table(
            Table(
                "columns",
                tuple(Column(str(k), name) for k, name in enumerate(table.names)),
                table.first_rows,
            )
        )
    return chosen


def _draw_wide(file, file_id, table):
    """Draw the fields for a table with a column for each system."""
    if table.asides:
        named = ", ".join(table.asides)
        screen.plain(f"These columns of {file} are not read as systems: {named}.")
    left, middle, right = st.columns([3, 1.5, 1.5], vertical_alignment="bottom")
    systems = left.multiselect(
        "Systems", table.numeric, table.systems, key=f"data.{file_id}.systems"
    )
    chosen = {}
    if table.is_unclear or tuple(systems) != table.systems:
        chosen["systems"] = SEPARATOR.join(systems)
    for place, held, title in ((middle, "docid", "Document"), (right, "line", "Segment (line)")):
        options = ["", *(name for name in table.names if name and name not in systems)]
        usual = table.guesses.get(held, "") if held in table.usual or held == "docid" else ""
        name = place.selectbox(
            title,
            options,
            options.index(usual) if usual in options else 0,
            key=f"data.{file_id}.wide.{held}",
            format_func=lambda name: name or "none",
        )
        if name and not (held in table.usual and name == usual):
            chosen[held] = name
    return chosen


def _draw_long(file, file_id, table):
    """Draw a field for each thing that the columns of a table with a row for each score may
    hold.
    """
    chosen = {}
    screen.plain(f"Which columns of {file} hold the system, the segment and the score?")
    for place, (held, title) in zip(st.columns(len(_ASKED)), _ASKED.items(), strict=True):
        guess, is_needed = table.guesses.get(held, ""), held in ("system", "line", "score")
        options = (
            list(table.langpairs) if held == "langpair" else [name for name in table.names if name]
        )
        if not is_needed and held not in table.usual:  # a usual name says what a column holds
            options.insert(0, "")
        name = place.selectbox(
            title,
            options,
            options.index(guess) if guess in options else None,
            key=f"data.{file_id}.column.{held}",
            placeholder="choose",
            format_func=lambda name: name or "none",
        )
        if name and (is_needed or held not in table.usual or name != guess):
            chosen[held] = name
    return chosen


def _source_of(uploads, langpair):
    """Return the source that names the uploads on the command line."""
    by_role = {
        role: tuple((one.name, one.file) for one in uploads if one.role == role) for role in ROLES
    }
    runs = sort_runs(one for one in uploads if one.role == "training run")
    single = {
        key: by_role[role][0][1]
        for key, role in (("src", "source"), ("docs", "documents"), ("ids", "segment ids"))
        if by_role[role]
    }
    directions = {
        f"{which}_is_better": tuple(name for name, _ in by_role[f"scores, {which} is better"])
        for which in ("lower", "higher")
    }
    both = tuple((None, file) for _, file in by_role["reference and outputs"])
    return Source(
        (*by_role["reference"], *both),
        (*by_role["system"], *both),
        langpair=langpair,
        parse=by_role["parse"],
        run=tuple((one.name, one.file) for one in runs),
        scores=tuple((one.name, one.file) for one in uploads if one.role.startswith("scores")),
        **single,
        **directions,
    )


def _pick_tokenizer(place, langpair, language):
    """Return the tokenizer (None: by the language pair), and whether that is decided.

    Where the references are in a language without spaces and the pair is not given, it is asked
    for.
    """
    auto = default_tokenizer(languages_of(langpair)[1])
    asked = language is not None and not langpair
    options = list(
        dict.fromkeys([*(fitting_tokenizers(language) if asked else ["auto"]), *TOKENIZERS])
    )
    chosen = place.selectbox(
        "Tokenizer" if asked else f"Tokenizer (auto: {auto})",
        options,
        None if asked else 0,
        key=f"data.tokenizer.{language if asked else ''}",
        placeholder=f"such as {options[0]}",
        help="Finds the words; with sacreBLEU's names.",
    )
    used = auto if chosen in (None, "auto") else chosen
    if not splits_words(used, language):
        best, other = fitting_tokenizers(language)
        known = best == default_tokenizer(language)
        give = f"Give the pair, such as en-{language}, or choose" if asked and known else "Choose"
        why = "no language pair is given" if asked else f"the tokenizer is {used}"
        screen.caution_box(
            f"The references look {SPACELESS[language]}, and {why}: {used} would not cut them into "
            f"words. {give} a tokenizer: {best} or {other}."
        )
    return (None if chosen == "auto" else chosen), not asked or chosen is not None


# What was uploaded in this browser: to open, to rename, to delete.


def show_yours() -> None:
    """Draw a line for each upload."""
    browser.remember()
    mine = testsets.store().list_owned(browser.find_owner())
    if not mine:
        return
    limits = testsets.store().database.limits
    with st.expander(f"Your uploads ({len(mine)})", key="upload.yours"):
        for saved in mine:
            _show_upload(saved, limits.days)
        used = format_megabytes(sum(saved.size for saved in mine))
        st.caption(
            f"This server keeps {used} of {format_megabytes(limits.owner_bytes)} for this browser, and "
            "lists them only here. Whoever has the address of a page can open its test set."
        )


def _show_upload(saved: Saved, days: float) -> None:
    """Describe an upload, with buttons to open, rename and delete it."""
    about, opened, renamed, deleted = st.columns([6, 1.2, 1.4, 1.3], vertical_alignment="center")
    with about:
        size = (
            format_count(saved.n_segments, "segment")
            if saved.task is None
            else f"shared task, {format_count(len(saved.pairs), 'language pair')}"
        )
        screen.plain(
            f"{saved.name}: {size}, {format_count(saved.n_systems, 'system')}, {format_megabytes(saved.size)}, "
            f"{_until(saved, days)}"
        )
    if opened.button("Open", key=f"yours.open.{saved.link}"):
        if saved.task is not None:
            frame.open_task(f"{testsets.KEPT}{saved.link}", saved.pairs[0])
        frame.open_testset(f"{testsets.KEPT}{saved.link}")
    with renamed.popover("Rename"):
        name = st.text_input("Name", saved.name, key=f"yours.name.{saved.link}", max_chars=100)
        if st.button("Rename it", key=f"yours.rename.{saved.link}") and name.strip():
            testsets.store().rename(saved.link, browser.find_owner(), name.strip())
            st.rerun()
    with deleted.popover("Delete"):
        st.caption("Links to it stop working. This cannot be undone.")
        if st.button("Delete it", key=f"yours.delete.{saved.link}"):
            testsets.delete(saved)
            st.rerun()


def _until(saved: Saved, days: float) -> str:
    if not days:
        return "kept until you delete it"
    return f"kept until {datetime.fromtimestamp(saved.used + days * DAY, UTC):%Y-%m-%d}, longer if it is opened"


# What is open.


def show_what_was_read(testset: TestSet) -> None:
    """Draw each text and table of the open test set, with its empty and repeated lines, and
    anything suspicious.
    """
    cautions = make_once(find_suspicions, testset)
    check = f", {format_count(len(cautions), 'caveat')}" if cautions else ""
    with st.expander(
        f"Open now ({format_count(testset.n_segments, 'segment')}, "
        f"{format_count(len(testset.systems), 'system')}{check})",
        key="upload.read",
    ):
        screen.plain(testset.name)  # in the label it would be taken as Markdown
        screen.cautions(cautions)
        screen.show_table(make_once(inventory_table, testset))
