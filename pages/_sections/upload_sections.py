"""Sections of the page Upload: files and their roles, samples, earlier uploads, and open data."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.errors import choose_verb, format_count
from mtsig_core.languages import name_parts
from mtsig_core.readers.limits import upload_limits
from mtsig_core.readers.rating_formats import MQM_WEIGHTS
from mtsig_core.readers.task_contents import unread_sentences
from mtsig_core.readers.texts import PairFile
from mtsig_core.readers.uploads import (
    ROLES,
    Upload,
    add_documents,
    find_common_set,
    find_open_directions,
    find_reference_language,
    guess_name,
    guess_uploads,
    has_documents,
    read_uploads,
    set_directions,
    sort_runs,
    take_as_guessed,
    upload_name,
)
from mtsig_core.report.commands import command_line
from mtsig_core.report.tables import inventory_table
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.cautions import find_file_cautions
from pages._sections import published_values
from pages._sections.upload_archives import (
    ARCHIVE,
    FileLike,
    Unpacked,
    find_published,
    is_archive,
    join_archives,
    key_of,
    pack_task,
    unpack_all,
)
from pages._sections.upload_forms import (
    RoleField,
    TableAnswers,
    ask_columns,
    ask_directions,
    ask_role,
    pick_raters,
    pick_tokenizer,
    pick_weights,
)
from pages._server import sessions
from pages._server.internals import DeletedFile, UploadedFile
from pages._store.database import DAY, format_megabytes
from pages._store.kept_sets import Saved
from pages._ui import address, browser, frame, screen, testsets
from pages._ui.browser import copyable
from pages._ui.catalogue import ROOT
from pages._ui.views import View
from pages._work.memory import LOADED, make_once

# Keys of the session: how often the field for files began again, and why it did.
_FIELD = "uploaded.field"
_SAID = "uploaded.said"


def choose_files() -> Sequence[UploadedFile]:
    """Draw a field for several files; return those that the server has.

    If it has lost them, the list starts again.
    """
    state = st.session_state
    field = f"data.files{state.get(_FIELD, '')}"
    files = st.file_uploader(
        "Files", accept_multiple_files=True, key=field, label_visibility="collapsed"
    )
    messages = why_missing(state[field])
    if messages and not files:
        state[_FIELD] = state.get(_FIELD, 0) + 1
        state[_SAID] = messages
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
            f"{format_count(n_lost, 'chosen file')} {choose_verb(n_lost, 'is', 'are')} lost, because the server "
            "restarted or this page was closed for too long. Choose again. Opened test sets are still under Your "
            "uploads."
        )
        if len(reasons) < len(files):
            message += " Each file that is left has a role below."
        messages.append(message)
    return messages


# Samples, which show what a file looks like and what comes of it.

_SAMPLES = ROOT / "assets" / "samples"


@dataclass(frozen=True)
class _Sample:
    """A kind of data, with the files of its sample."""

    title: str
    description: str
    files: tuple[str, ...]


_TEXTS = _Sample(
    "Texts",
    "A reference and the outputs of your systems, one segment per line. "
    "If you can, add the document id of each line.",
    ("reference.txt", "baseline.txt", "improved.txt", "documents.txt"),
)
_SCORES = _Sample(
    "A table of scores",
    "Human scores of segments, or scores of a metric such as COMET, "
    "with the columns system, line and score.",
    ("human.csv",),
)
_TASK = _Sample(
    "A shared task",
    "A zip with references, system outputs and documents of every language pair, "
    "in the layout of WMT.",
    ("shared_task.zip",),
)


def show_samples() -> None:
    """Draw a card for each kind of data, with a sample to save or to open."""
    samples = (_TEXTS, _SCORES, _TASK)
    for place, sample in zip(st.columns(len(samples)), samples, strict=True):
        with place.container(border=True, height="stretch"):
            st.subheader(sample.title)
            st.write(sample.description)
            with st.container(horizontal=True, gap="xsmall"):
                _draw_sample_buttons(sample)


def _draw_sample_buttons(sample: _Sample) -> None:
    if st.button("Open sample", key=f"samples.open.{sample.files[0]}"):
        _open_sample(sample)
    if len(sample.files) == 1:
        _offer_download("Download", sample.files[0])
        return
    with st.popover("Download", key="samples.files"):
        for file in sample.files:
            _offer_download(file, file)


def _offer_download(label: str, file: str) -> None:
    content = (_SAMPLES / file).read_bytes()
    st.download_button(label, content, file, key=f"samples.{file}", on_click="ignore")


def _open_sample(sample: _Sample) -> None:
    """Open files of a sample as if they had been uploaded."""
    contents = [(file, (_SAMPLES / file).read_bytes()) for file in sample.files]
    name = f"Sample: {sample.title.lower()}"
    if sample is _TASK:
        ((file, content),) = contents
        task = testsets.look_into(content, file)
        source = TaskSource(file, scores=task.scores, run=task.runs, name=f"{name} (simulated)")
        link = testsets.keep_task(content, source, task, list(task.unread))
        frame.open_task(link, task.pairs[0])
    uploads = take_as_guessed(contents)
    testset = replace(read_uploads(uploads, name=name), simulated=True)
    _open(testsets.keep_upload(testset, _source_of(uploads, None)))


# What may be uploaded, and how a shared task is loaded.


def explain_formats() -> None:
    """Explain the kinds of files, the limits, and three ways to load a shared task."""
    limits = upload_limits()
    on_this_machine = (
        "Set MTSIG_DATA_ROOT to the folder that contains the task, and start the dashboard. Results then lists "
        "every task in this folder, and Test set lists their language pairs."
    )
    if not os.environ.get("MTSIG_DATA_ROOT"):
        on_this_machine += " It is not set now."
    with st.expander("File formats and shared tasks", key="upload.formats"):
        screen.plain(
            "Texts: UTF-8, one segment per line, also as .gz. Each line of the documents file is a "
            "document id, or a domain, a tab and a document id. A.run1.txt and A.run2.txt are "
            "outputs of two training runs of system A."
        )
        screen.plain(
            "Tables of scores: TSV, CSV, JSONL, Parquet or COMET's JSON, with one row per score or one column per "
            "system. mtsig joins scores to texts by line number, or by line id if the file has one. "
            f"You can open up to {limits.mb:,} MB of text at once."
        )
        screen.prose_table(
            ["A shared task", "how to load it"],
            [
                [
                    f"as a zip, up to {limits.zip_mb:,} MB unpacked",
                    "Drop the zip, together with ratings if you have them. Results and Review then show the task, "
                    "and Test set lists its language pairs. Name tables of segment scores after the language "
                    "pair: en-de.comet.tsv.",
                ],
                ["on the machine of this dashboard", on_this_machine],
                [
                    "all of it, or one language pair",
                    "Start the dashboard on it with one of the commands below.",
                ],
            ],
        )
        commands = [
            command_line("serve", Source(folder="wmt24")),
            command_line("serve", Source(folder="wmt24", langpair="en-de")),
        ]
        copyable("\n".join(commands), "data.serve", "Commands that start the dashboard on it")
        screen.plain(
            "WMT layout: references/en-de.refA.txt and system-outputs/en-de/NAME.txt. If you can, "
            "add documents/en-de.docs and sources/en-de.txt. WMT 2021-2023 file names also work, "
            "and so do automatic_scores/NAME.jsonl of WMT 2025 and XML such as "
            "newstest2021.en-de.all.xml."
        )


# Uploaded files: the role of each file, and the test set or task to open.

#: What files of a role are called in a list of what was recognized, one and several.
_COUNTED = {
    "reference": ("reference", "references"),
    "system": ("system", "systems"),
    "reference and outputs": (
        "file with reference and outputs",
        "files with reference and outputs",
    ),
    "training run": ("further training run", "further training runs"),
    "scores": ("score table", "score tables"),
    "parse": ("parse", "parses"),
    "exclude": ("excluded file", "excluded files"),
}
#: Roles of at most one file.
_SINGLE = {"documents": "document ids", "source": "source texts", "segment ids": "segment ids"}


def offer(files: Sequence[UploadedFile], view: View | MtsigError) -> None:
    """Offer to open the chosen files: a zip, documents for the open set, or a test set's files."""
    files = unpack_all(files)
    archives = [file for file in files if is_archive(file)]
    if len(archives) == len(files) == 1:
        _offer_zip(archives[0])
        return
    if archives:
        _offer_zip(join_archives(files))
        return
    guesses = LOADED.make(
        key_of("roles", files),
        lambda: guess_uploads([(file.name, file.getvalue()) for file in files]),
    )
    roles = [role for role, _ in guesses]
    published = find_published(files) if set(roles) == {"exclude"} else None
    if published is not None:
        screen.answer("Published scores of systems: shown, not tested")
        published_values.show(published)
        return
    if roles == ["documents"] and lacks_documents(view):
        _offer_documents(files[0], view.full_set)
        return
    packed = pack_task(files, roles)
    if packed is not None:
        _offer_zip(packed)
        return
    _offer_files(files, guesses)


def lacks_documents(view: View | MtsigError) -> bool:
    """Return whether an upload without document ids is open."""
    if isinstance(view, MtsigError) or view.full_set.documents is not None:
        return False
    link = address.asked("testset") or ""
    return link.startswith(testsets.KEPT) and "/" not in link


def ask_for_documents(view: View | MtsigError) -> None:
    """Ask for the documents of an open upload that has none."""
    if lacks_documents(view):
        screen.caution_box(
            f"{view.full_set.name} has no document ids, so segments are treated as independent. "
            "Upload a file such as documents.txt with the document id of each of the "
            f"{view.full_set.n_segments:,} segments, one per line."
        )


def _offer_documents(file: FileLike, testset: TestSet) -> None:
    """Offer to add document ids to the open test set."""
    screen.plain(f"{file.name} contains document ids.")
    if st.button("Add to the open test set", type="primary", key="data.add_documents"):
        saved = testsets.store().find(address.asked("testset").removeprefix(testsets.KEPT))
        with_documents = add_documents(testset, file.name, file.getvalue())
        source = replace(saved.source, docs=file.name)
        _open(testsets.keep_upload(with_documents, source))


def _open(link: str) -> None:
    """Open the summary of an upload that has been kept, and empty the field for files."""
    st.session_state[_FIELD] = st.session_state.get(_FIELD, 0) + 1
    address.go("summary", testset=link, **{address.SEEN: None})


# A shared task.

_TABLE_ROLES = [role for role in ROLES if role.startswith("scores") or role == "exclude"]


@dataclass(frozen=True)
class _PickedTables:
    """The tables of scores in a zip, as a user has named them."""

    scores: tuple[PairFile, ...] = ()  # (language pair, name, path)
    lower_is_better: tuple[str, ...] = ()  # names
    higher_is_better: tuple[str, ...] = ()
    excluded: tuple[tuple[str, str], ...] = ()  # (file, reason)


def _offer_zip(file: FileLike) -> None:
    """Offer a shared task, or a pair of it: its tables of scores, and the files not read."""
    content = file.getvalue()
    contents = LOADED.make(key_of("zip", [file]), lambda: testsets.look_into(content, file.name))
    subject = "These files are" if isinstance(file, Unpacked) else f"{file.name} is"
    screen.plain(f"{subject} a shared task: {', '.join(contents.pairs)}.")
    above = st.container()
    tables = _pick_tables(contents.scores, file.file_id)
    with above:
        tables, is_decided = _direct_tables(file, tables)
    unread = [*tables.excluded, *contents.unread]
    if unread:
        screen.caution_box(" ".join(unread_sentences(unread)))
    guess = guess_name(re.sub(ARCHIVE, "", file.name))
    with above:
        name_place, raters_place, task_place, pair_place, open_place = st.columns(
            [3, 2, 1.7, 2, 1.7], vertical_alignment="bottom"
        )
    name = name_place.text_input(
        "Name this task", guess, key=f"data.task_name.{guess}", max_chars=100
    )
    label = name_parts(contents.pairs).capitalize()
    langpair = pair_place.selectbox(label, contents.pairs, key="data.zip_pair")
    raters = None
    if contents.has_only_scores:
        raters = pick_raters(raters_place, file.file_id)
    weights: Sequence[str] = ()
    if contents.has_errors:
        with above:
            weights = pick_weights(MQM_WEIGHTS)
    source = TaskSource(
        testsets.zip_name(file.name),
        scores=tables.scores,
        run=contents.runs,
        name=name.strip() or guess,
        raters=raters,
        mqm_weights=tuple(weights),
        lower_is_better=tables.lower_is_better,
        higher_is_better=tables.higher_is_better,
    )
    is_disabled = not is_decided
    if task_place.button(
        "Open the task", type="primary", key="data.open_task", disabled=is_disabled
    ):
        link = testsets.keep_task(content, source, contents, unread)
        frame.open_task(link, contents.pairs[0])
    if open_place.button("Open this one", key="data.open_zip", disabled=is_disabled):
        link = testsets.keep_task(content, source, contents, unread, langpair)
        _open(f"{link}/{langpair}")


def _pick_tables(tables: Sequence[PairFile], file_id: str) -> _PickedTables:
    """Let the user choose and name the tables of scores in a zip."""
    if not tables:
        return _PickedTables()
    st.caption("Segment scores in it. Correct names and roles here.")
    scores = []
    excluded = []
    names: dict[str, list[str]] = {"lower": [], "higher": []}
    for k, (pair, guess, path) in enumerate(tables):
        file = path.partition("/")[2]
        key = f"data.{file_id}.table.{k}"
        field = RoleField(_TABLE_ROLES, _TABLE_ROLES[0], f"{key}.role", guess, f"{key}.name")
        role, name = ask_role(f"{file} ({pair})", field, is_first=k == 0)
        if role == "exclude":
            excluded.append((file, "you excluded it"))
            continue
        name = name.strip() or guess
        scores.append((pair, name, path))
        for direction in names:
            if direction in role:
                names[direction].append(name)
    return _PickedTables(
        tuple(scores),
        tuple(dict.fromkeys(names["lower"])),
        tuple(dict.fromkeys(names["higher"])),
        tuple(excluded),
    )


def _direct_tables(file: FileLike, tables: _PickedTables) -> tuple[_PickedTables, bool]:
    """Ask for the direction of scores where it is unknown; also return whether all are decided."""
    directed = {*tables.lower_is_better, *tables.higher_is_better}
    undirected = tuple(table for table in tables.scores if table[1] not in directed)
    ranges: Mapping[str, tuple[float, float]] = {}
    if undirected:
        ranges = LOADED.make(
            ("directions", file.file_id, undirected),
            lambda: testsets.find_open_directions(file.getvalue(), file.name, undirected),
        )
    answers, is_decided = ask_directions(ranges)
    lower = [name for name, direction in answers.items() if direction == "lower"]
    higher = [name for name, direction in answers.items() if direction == "higher"]
    directed_tables = replace(
        tables,
        lower_is_better=(*tables.lower_is_better, *lower),
        higher_is_better=(*tables.higher_is_better, *higher),
    )
    return directed_tables, is_decided


# Files of a test set.


def _offer_files(files: Sequence[FileLike], guesses: Sequence[tuple[str, str]]) -> None:
    """Draw guessed roles and names to correct, below the test set to open."""
    above = st.container()
    form = st.container()
    uploads = []
    tables = []
    for file, (guessed_role, guess) in zip(files, guesses, strict=True):
        key = f"data.{file.file_id}"
        field = RoleField(
            ROLES, guessed_role, f"{key}.role.{guessed_role}", guess, f"{key}.name.{guess}"
        )
        role, name = ask_role(f"{file.name} ({file.size:,} bytes)", field, is_first=not uploads)
        upload = Upload(file.name, file.getvalue(), role, name)
        uploads.append(upload)
        if role.startswith("scores"):
            tables.append((upload, file.file_id))
    texts_have_documents = LOADED.make(
        key_of("documents", files),
        lambda: any(has_documents(file.name, file.getvalue()) for file in files),
    )
    with form:
        systems = tuple(upload.name for upload in uploads if upload.role in ("system", "reference"))
        answers = ask_columns(tables, systems)
    roles = []
    for upload, (_, guess) in zip(uploads, guesses, strict=True):
        roles.append((upload.file, upload.role, guess))
    with above:
        _offer_testset(uploads, answers, texts_have_documents, upload_name(roles))


def _offer_testset(
    uploads: Sequence[Upload], tables: TableAnswers, texts_have_documents: bool, guess: str
) -> None:
    """Draw what was recognized, and the test set to open, with its name `guess`."""
    counts = Counter(upload.role.partition(",")[0] for upload in uploads)
    screen.answer(f"Recognized: {', '.join(_list_roles(counts))}")
    left, middle, right, last = st.columns([3, 1.7, 2.2, 1.7], vertical_alignment="bottom")
    name = left.text_input("Name this test set", guess, key=f"data.name.{guess}", max_chars=100)
    langpair = _pick_langpair(middle, uploads, tables.pairs)
    has_texts = "reference" in counts or "reference and outputs" in counts
    tokenizer = None
    is_decided = True
    if has_texts:
        tokenizer, is_decided = pick_tokenizer(right, langpair, find_reference_language(uploads))
    table_options: dict[str, object] = {}
    if tables.columns:
        table_options["columns"] = tables.columns
    if tables.has_raters:
        raters = pick_raters(left if has_texts else right, "set", has_texts)
        if raters is not None:
            table_options["raters"] = raters
    if tables.weights:
        with left:
            table_options["mqm_weights"] = pick_weights(tables.weights)
    if has_texts and "documents" not in counts and not texts_have_documents:
        screen.caution_box(
            "No document ids. mtsig would treat segments as independent, and intervals may be too narrow. Add a "
            "file such as documents.txt with the document id of each line."
        )
    ranges = _find_open_directions(uploads, tables, langpair)
    directions, has_all = ask_directions(ranges)
    uploads = set_directions(uploads, directions)
    is_disabled = not (is_decided and has_all)
    if last.button("Open these files", type="primary", key="data.open_files", disabled=is_disabled):
        try:
            source = replace(_source_of(uploads, langpair), **table_options)
            testset = read_uploads(
                uploads,
                langpair=langpair,
                name=name.strip() or guess,
                **source.table_options(),
            )
            link = testsets.keep_upload(replace(testset, tokenizer=tokenizer), source)
        except MtsigError as problem:  # next to what corrects it
            screen.error(problem)
            return
        _open(link)


def _list_roles(counts: Mapping[str, int]) -> list[str]:
    """How many files have each role."""
    texts = []
    for role, (singular, plural) in _COUNTED.items():
        if counts[role]:
            n = counts[role]
            texts.append(f"{n:,} {choose_verb(n, singular, plural)}")
    texts += [text for role, text in _SINGLE.items() if counts[role]]
    return texts


def _pick_langpair(place, uploads: Sequence[Upload], pairs: Sequence[str]) -> str | None:
    """Return the language pair; None without."""
    _, guess = find_common_set(upload.file for upload in uploads if upload.role != "exclude")
    if len(pairs) > 1:
        return place.selectbox(
            "Language pair",
            pairs,
            pairs.index(guess) if guess in pairs else 0,
            key=f"data.langpair.{' '.join(pairs)}",
        )
    langpair = place.text_input(
        "Language pair", guess, key=f"data.langpair.{guess}", placeholder="like en-de"
    )
    return langpair.strip() or None


def _find_open_directions(
    uploads: Sequence[Upload], tables: TableAnswers, langpair: str | None
) -> dict[str, tuple[float, float]]:
    """The ranges of scores for which neither name nor range tells which are better."""
    contents = tuple(
        (upload.file, upload.name, len(upload.content))
        for upload in uploads
        if upload.role == "scores"
    )
    columns = dict(column.split("=", 1) for column in tables.columns)
    key = ("directions", tables.file_ids, contents, tables.columns, langpair)
    return LOADED.make(key, lambda: find_open_directions(uploads, columns, langpair))


def _source_of(uploads: Sequence[Upload], langpair: str | None) -> Source:
    """Return the source that names the uploads on the command line."""
    by_role: dict[str, list[tuple[str, str]]] = {role: [] for role in ROLES}
    for upload in uploads:
        by_role[upload.role].append((upload.name, upload.file))
    runs = sort_runs(upload for upload in uploads if upload.role == "training run")
    single = {}
    for option, role in (("src", "source"), ("docs", "documents"), ("ids", "segment ids")):
        if by_role[role]:
            _, single[option] = by_role[role][0]
    both = [(None, file) for _, file in by_role["reference and outputs"]]
    return Source(
        (*by_role["reference"], *both),
        (*by_role["system"], *both),
        langpair=langpair,
        parse=tuple(by_role["parse"]),
        run=tuple((run.name, run.file) for run in runs),
        scores=tuple(
            (upload.name, upload.file) for upload in uploads if upload.role.startswith("scores")
        ),
        lower_is_better=tuple(name for name, _ in by_role["scores, lower is better"]),
        higher_is_better=tuple(name for name, _ in by_role["scores, higher is better"]),
        **single,
    )


# What was uploaded in this browser: to open, to rename, to delete.


def show_yours() -> None:
    """Draw a line for each upload."""
    browser.remember()
    uploads = testsets.store().list_owned(browser.find_owner())
    if not uploads:
        return
    limits = testsets.store().database.limits
    with st.expander(f"Your uploads ({len(uploads)})", key="upload.yours"):
        for saved in uploads:
            _show_upload(saved, limits.days)
        used = format_megabytes(sum(saved.size for saved in uploads))
        st.caption(
            f"You use {used} of {format_megabytes(limits.owner_bytes)}. Only this browser shows "
            "this list. Anyone with the link can open a test set."
        )


def _show_upload(saved: Saved, days: float) -> None:
    """Describe an upload, with buttons to open, rename and delete it."""
    about, open_place, rename_place, delete_place = st.columns(
        [6, 1.2, 1.4, 1.3], vertical_alignment="center"
    )
    with about:
        size = format_count(saved.n_segments, "segment")
        if saved.task is not None:
            size = f"shared task, {format_count(len(saved.pairs), name_parts(saved.pairs))}"
        n_systems = format_count(saved.n_systems, "system")
        n_bytes = format_megabytes(saved.size)
        screen.plain(f"{saved.name}: {size}, {n_systems}, {n_bytes}, {_until(saved, days)}")
    if open_place.button("Open", key=f"yours.open.{saved.link}"):
        link = f"{testsets.KEPT}{saved.link}"
        if saved.task is not None:
            frame.open_task(link, saved.pairs[0])
        _open(link)
    with rename_place.popover("Rename"):
        name = st.text_input("Name", saved.name, key=f"yours.name.{saved.link}", max_chars=100)
        if st.button("Rename it", key=f"yours.rename.{saved.link}") and name.strip():
            testsets.store().rename(saved.link, browser.find_owner(), name.strip())
            st.rerun()
    with delete_place.popover("Delete"):
        st.caption("Links to it stop working. This cannot be undone.")
        if st.button("Delete it", key=f"yours.delete.{saved.link}"):
            testsets.delete(saved)
            st.rerun()


def _until(saved: Saved, days: float) -> str:
    if not days:
        return "kept until you delete it"
    last_day = datetime.fromtimestamp(saved.used + days * DAY, UTC)
    return f"kept until {last_day:%Y-%m-%d}, longer if it is opened"


# What is open.


def show_what_was_read(testset: TestSet) -> None:
    """Draw each text and table of the open test set, with anything suspicious about it."""
    cautions = make_once(find_file_cautions, testset)
    counts = [
        format_count(testset.n_segments, "segment"),
        format_count(len(testset.systems), "system"),
    ]
    if cautions:
        counts.append(format_count(len(cautions), "caveat"))
    with st.expander(f"Currently open ({', '.join(counts)})", key="upload.read"):
        screen.plain(testset.name)  # in the label it would be taken as Markdown
        screen.cautions(cautions)
        screen.show_table(make_once(inventory_table, testset))
