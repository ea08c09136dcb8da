"""Parts of the page Upload: what may be uploaded, what was, and files that did not come."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.languages import SPACELESS, languages_of
from mtsig_core.metrics.tokenizers import TOKENIZERS, default_tokenizer, fitting_tokenizers, splits_words
from mtsig_core.readers.limits import upload_limits
from mtsig_core.readers.tasks import unread_sentences
from mtsig_core.readers.uploads import (
    ROLES,
    Upload,
    guess_name,
    guess_uploads,
    in_order,
    named_alike,
    read_uploads,
    reference_language,
    upload_name,
)
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source, TaskSource
from mtsig_core.store.database import DAY, megabytes
from mtsig_core.store.kept_sets import Saved
from pages._server import uploads
from pages._server.internals import DeletedFile, UploadedFile
from pages._ui import browser, controls, frame, screen, testsets
from pages._ui.browser import copyable
from pages._work.memory import LOADED

_FIELD, _SAID = "uploaded.field", "uploaded.said"


def choose_files(key: str) -> Sequence[UploadedFile]:
    """A field for several files; those that the server has. Where it has none of them, the list begins anew."""
    state = st.session_state
    field = f"{key}{state.get(_FIELD, '')}"
    files = st.file_uploader("Files", accept_multiple_files=True, key=field, label_visibility="collapsed")
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
    """Why some of these files are not here, each reason once; nothing where all are."""
    reasons = [uploads.reason(file.file_id) for file in files if isinstance(file, DeletedFile)]
    messages = list(dict.fromkeys(reason for reason in reasons if reason))
    if lost := reasons.count(None):
        messages.append(f"{format_count(lost, 'chosen file')} {'is' if lost == 1 else 'are'} not here any more: the "
                    "server was started again, or this page was away for long. Choose again. What was opened is kept, "
                    "under Yours." + (" A file that is here has a role below." if len(reasons) < len(files) else ""))
    return messages


# What may be uploaded, and how a shared task is loaded.


def show_how_to_upload() -> None:
    """Three ways, for who asks for them; a link may ask, too."""
    if not controls.toggle("How to load a shared task", False, "task", pages_own=True):
        return
    screen.prose_table(["a folder in WMT layout", "how it gets here"], [
        [f"zipped, up to {upload_limits().zip_mb:,} MB unpacked",
         "Upload only the zip, below. The pages Results and Review then work on it, and each of its language pairs "
         "is in the list Test set. Tables of segment scores in it are read where their names say which language pair "
         "they are of: en-de.esa.tsv, en-de.mqm.seg.score."],
        ["on the machine of this dashboard",
         "Start the dashboard with MTSIG_DATA_ROOT set to the folder above it. The page Results then lists every task "
         "below it, folders and zips, and the list Test set has each of their language pairs"
         + (", as it does now." if os.environ.get("MTSIG_DATA_ROOT") else "; now it is not set.")],
        ["alone, or one language pair of it", "Start the dashboard on it, by one of the commands below."]])
    copyable("\n".join(command_line("serve", Source(folder="wmt24", langpair=pair)) for pair in (None, "en-de")),
             "data.serve", "Commands that start the dashboard on it")
    screen.plain("WMT layout: references/en-de.refA.txt, system-outputs/en-de/NAME.txt, and, best, "
                 "documents/en-de.docs and sources/en-de.txt; names as of 2021 to 2023 are known, too. Only segment "
                 "scores: automatic_scores/NAME.jsonl, as WMT 2025 published them. Or XML: newstest2021.en-de.all.xml. "
                 "Choose the references that score in the sidebar, under Systems and segments.")


def tell_what_may_come() -> None:
    """The kinds of files, and how much of them."""
    screen.plain("Plain text, one segment per line (UTF-8, .gz too): at least one reference and one system, best with "
                 "a documents file (docid, or domain, tab, docid, for each line). Or a zip of a shared-task folder in "
                 "WMT layout. Segment scores of people or of a model (TSV, CSV, JSONL, Parquet: system, line, score, "
                 "or a column for each system; COMET's JSON) come without or with the texts, joined by line, or by id "
                 "where a file has the id of each line. A.run1.txt and A.run2.txt are outputs of two training runs of "
                 f"system A. Of text up to {upload_limits().mb:,} MB may be opened at once.")


# Files that were uploaded: what each is, and the test set or task to open.

_TABLE_ROLES = [role for role in ROLES if role.startswith("scores") or role == "leave out"]


def offer_zip(file: UploadedFile) -> None:
    """A shared task: its tables of scores with roles as guessed, and what is not read; then all of it, or a pair."""
    content = file.getvalue()
    contents = LOADED.make(("zip", file.file_id), lambda: testsets.look_into(content, file.name), lambda _: 0)  # once
    screen.plain(f"{file.name} is a shared task: {', '.join(contents.pairs)}.")
    above = st.container()
    scores, directions, unread = _pick_tables(contents.scores, file.file_id)
    unread += contents.unread
    if unread:
        screen.caution_box(" ".join(unread_sentences(unread)))
    proposed = guess_name(file.name.removesuffix(".zip"))
    with above:
        called, whole, several, one = st.columns([3, 1.7, 2, 1.7], vertical_alignment="bottom")
    title = called.text_input("Name of the task", proposed, key=f"data.task_name.{file.file_id}", max_chars=100)
    langpair = several.selectbox("Language pair", contents.pairs, key="data.zip_pair")
    source = TaskSource(testsets.zip_name(file.name), scores=scores, run=contents.runs, name=title.strip() or proposed,
                        **directions)
    if whole.button("Open the task", type="primary", key="data.open_task"):
        frame.open_task(testsets.keep_task(content, source, contents, unread), contents.pairs[0])
    if one.button("Open this pair", key="data.open_zip"):
        kept = testsets.keep_task(content, source, contents, unread, langpair)
        st.session_state["data.opened"] = f"{source.name} {langpair}"
        frame.open_testset(f"{kept}/{langpair}")


def _pick_tables(tables, file_id):
    """Which tables of scores in a zip are read, under which names; arguments on their directions; which are not read.
    """
    if not tables:
        return (), {}, []
    st.caption("Segment scores in it. Correct names and roles here.")
    scores, unread = [], []
    directions = {"lower_is_better": [], "higher_is_better": []}
    for k, (pair, guess, path) in enumerate(tables):
        file, key = path.partition("/")[2], f"data.{file_id}.table.{k}"
        role, name = _ask_role(f"{file} ({pair})", k == 0, (_TABLE_ROLES, 0, f"{key}.role"), (guess, f"{key}.name"))
        if role == "leave out":
            unread.append((file, "you chose to leave it out"))
            continue
        name = name.strip() or guess
        scores.append((pair, name, path))
        for direction, names in directions.items():
            names += [name] * (direction.split("_")[0] in role)
    return tuple(scores), {which: tuple(dict.fromkeys(names)) for which, names in directions.items()}, unread


def _ask_role(text, is_first, role, name):
    """A line about a file: what it is, its role as (roles, the usual one, key) and its name as (the usual one, key)."""
    left, middle, right = st.columns([3, 2, 3], vertical_alignment="center")
    with left:
        screen.plain(text)
    (roles, index, role_key), (proposed, name_key) = role, name
    labels = "visible" if is_first else "collapsed"
    return (middle.selectbox("Role", roles, index, key=role_key, label_visibility=labels),
            right.text_input("Name", proposed, key=name_key, max_chars=300, label_visibility=labels))


def offer_files(files: Sequence[UploadedFile]) -> None:
    """Roles and names as guessed, to be corrected; then the test set."""
    st.caption("What is each file? The roles are guessed from the names; correct them here.")
    uploads = []
    guesses = guess_uploads([(file.name, file.getvalue()[:1000]) for file in files])
    for file, (role, name) in zip(files, guesses, strict=True):
        key = f"data.{file.file_id}"
        uploads.append(Upload(file.name, file.getvalue(), *_ask_role(
            f"{file.name} ({file.size:,} bytes)", not uploads, (ROLES, ROLES.index(role), f"{key}.role.{role}"),
            (name, f"{key}.name.{name}"))))
    _, pair = named_alike(upload.file for upload in uploads if upload.role != "leave out")
    left, middle, right = st.columns([3, 2, 3])
    proposed = upload_name([(upload.file, upload.role, guess) for upload, (_, guess)
                            in zip(uploads, guesses, strict=True)])
    title = left.text_input("Name of the test set", proposed, key=f"data.name.{proposed}", max_chars=100)
    langpair = middle.text_input("Language pair", pair, key=f"data.langpair.{pair}", placeholder="like en-de").strip()
    cut = any(upload.role == "reference" for upload in uploads)  # scores alone have no words
    tokenizer, decided = _pick_tokenizer(right, langpair, reference_language(uploads)) if cut else (None, True)
    if st.button("Open these files", type="primary", key="data.open_files", disabled=not decided):
        testset = replace(read_uploads(uploads, langpair=langpair or None, name=title.strip() or proposed),
                          tokenizer=tokenizer)
        kept = testsets.keep_upload(testset, _source_of(uploads, langpair or None))
        st.session_state["data.opened"] = testset.name
        frame.open_testset(kept)


def _source_of(uploads, langpair):
    """What names the uploads on the command line."""
    by_role = {role: tuple((one.name, one.file) for one in uploads if one.role == role) for role in ROLES}
    runs = in_order(one for one in uploads if one.role == "training run")
    single = {key: by_role[role][0][1] for key, role in (("src", "source"), ("docs", "documents"),
                                                          ("ids", "segment ids")) if by_role[role]}
    directions = {f"{which}_is_better": tuple(name for name, _ in by_role[f"scores, {which} is better"])
                  for which in ("lower", "higher")}
    return Source(by_role["reference"], by_role["system"], langpair=langpair, parse=by_role["parse"],
                  run=tuple((one.name, one.file) for one in runs),
                  scores=tuple((one.name, one.file) for one in uploads if one.role.startswith("scores")),
                  **single, **directions)


def _pick_tokenizer(place, langpair, language):
    """The tokenizer (None: by the language pair), and whether that is decided.

    Where the references are in a language without spaces and the pair is not given, it is asked for.
    """
    auto = default_tokenizer(languages_of(langpair)[1])
    asked = language is not None and not langpair
    options = list(dict.fromkeys([*(fitting_tokenizers(language) if asked else ["auto"]), *TOKENIZERS]))
    chosen = place.selectbox("Tokenizer" if asked else f"Tokenizer (auto: {auto})", options, None if asked else 0,
                             key=f"data.tokenizer.{language if asked else ''}",
                             placeholder=f"such as {options[0]}", help="Finds the words; with sacreBLEU's names.")
    used = auto if chosen in (None, "auto") else chosen
    if not splits_words(used, language):
        best, other = fitting_tokenizers(language)
        known = best == default_tokenizer(language)
        give = f"Give the pair, such as en-{language}, or choose" if asked and known else "Choose"
        why = "no language pair is given" if asked else f"the tokenizer is {used}"
        screen.caution_box(f"The references look {SPACELESS[language]}, and {why}: {used} would not cut them into "
                           f"words. {give} a tokenizer: {best} or {other}.")
    return (None if chosen == "auto" else chosen), not asked or chosen is not None


# What was uploaded in this browser: to open, to rename, to delete.


def show_yours() -> None:
    """A line for each; nothing where there is none."""
    browser.remember()
    mine = testsets.store().of(browser.find_owner())
    if not mine:
        return
    limits = testsets.store().limits
    st.subheader("Yours")
    for saved in mine:
        about, opened, renamed, deleted = st.columns([6, 1.2, 1.4, 1.3], vertical_alignment="center")
        with about:
            size = format_count(saved.n_segments, "segment") if saved.task is None else \
                f"shared task, {format_count(len(saved.pairs), 'language pair')}"
            screen.plain(f"{saved.name}: {size}, {format_count(saved.n_systems, 'system')}, {megabytes(saved.size)}, "
                         f"{_until(saved, limits.days)}")
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
            st.caption("Every link to it ends here. This cannot be undone.")
            if st.button("Delete it", key=f"yours.delete.{saved.link}"):
                testsets.delete(saved)
                st.rerun()
    used = megabytes(sum(saved.size for saved in mine))
    st.caption(f"Kept on this server, {used} of {megabytes(limits.mine)}, and listed only in this browser. Whoever "
               "has the address of a page can open its test set: share it as you would the files.")


def _until(saved: Saved, days: float) -> str:
    if not days:
        return "kept until you delete it"
    return f"kept until {datetime.fromtimestamp(saved.used + days * DAY, UTC):%Y-%m-%d}, longer if it is opened"
