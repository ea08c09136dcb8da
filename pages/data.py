"""Data: what is loaded, what is suspicious in it, and how to bring one's own."""

from dataclasses import replace

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.errors import counted
from mtsig_core.languages import SPACELESS, languages_of
from mtsig_core.metrics.tokenizers import TOKENIZERS, cuts, default_tokenizer, fitting_tokenizers
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
from mtsig_core.report.tables import inventory_table
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.inventory import suspicions
from pages._ui import address, data_sections, frame, screen, testsets
from pages._ui.data_sections import choose_files
from pages._work.memory import LOADED, make_once

TABLE_ROLES = [role for role in ROLES if role.startswith("scores") or role == "leave out"]


def open_upload(testset, source):
    """Remember an uploaded set and show it."""
    kept = testsets.keep_upload(testset, source)
    st.session_state["data.opened"] = testset.name
    frame.open_testset(kept)


def offer_zip(file):
    """A shared task: its tables of scores with roles as guessed, and what is not read; then all of it, or a pair."""
    content = file.getvalue()
    contents = LOADED.make(("zip", file.file_id), lambda: testsets.look_into(content, file.name), lambda _: 0)  # once
    screen.plain(f"{file.name} is a shared task: {', '.join(contents.pairs)}.")
    above = st.container()
    scores, said, unread = pick_tables(contents.scores, file.file_id)
    unread += contents.unread
    if unread:
        screen.caution_box(" ".join(unread_sentences(unread)))
    proposed = guess_name(file.name.removesuffix(".zip"))
    with above:
        called, whole, several, one = st.columns([3, 1.7, 2, 1.7], vertical_alignment="bottom")
    title = called.text_input("Name of the task", proposed, key=f"data.task_name.{file.file_id}", max_chars=100)
    langpair = several.selectbox("Language pair", contents.pairs, key="data.zip_pair")
    source = TaskSource(testsets.zip_name(file.name), scores=scores, run=contents.runs, name=title.strip() or proposed,
                        **said)
    if whole.button("Open the task", type="primary", key="data.open_task"):
        frame.open_task(testsets.keep_task(content, source, contents, unread), contents.pairs[0])
    if one.button("Open this pair", key="data.open_zip"):
        kept = testsets.keep_task(content, source, contents, unread, langpair)
        st.session_state["data.opened"] = f"{source.name} {langpair}"
        frame.open_testset(f"{kept}/{langpair}")


def pick_tables(tables, file_id):
    """Which tables of scores in a zip are read, under which names; what is said of their directions; and which not."""
    if not tables:
        return (), {}, []
    st.caption("Segment scores in it. Correct names and roles here.")
    scores, unread = [], []
    directions = {"lower": [], "higher": []}
    for k, (pair, guess, path) in enumerate(tables):
        shown, role, name = st.columns([3, 2, 3], vertical_alignment="center")
        with shown:
            screen.plain(f"{path.partition('/')[2]} ({pair})")
        visible = "visible" if k == 0 else "collapsed"
        chosen = role.selectbox("Role", TABLE_ROLES, key=f"data.{file_id}.table.{k}.role", label_visibility=visible)
        called = name.text_input("Name", guess, key=f"data.{file_id}.table.{k}.name", max_chars=100,
                                 label_visibility=visible).strip() or guess
        if chosen == "leave out":
            unread.append((path.partition("/")[2], "you chose to leave it out"))
            continue
        scores.append((pair, called, path))
        for which, names in directions.items():
            names += [called] * (which in chosen)
    return tuple(scores), {f"{which}_is_better": tuple(dict.fromkeys(names)) for which, names in directions.items()}, \
        unread


def pick_tokenizer(place, langpair, language):
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
    if not cuts(used, language):
        best, other = fitting_tokenizers(language)
        known = best == default_tokenizer(language)
        give = f"Give the pair, such as en-{language}, or choose" if asked and known else "Choose"
        why = "no language pair is given" if asked else f"the tokenizer is {used}"
        screen.caution_box(f"The references look {SPACELESS[language]}, and {why}: {used} would not cut them into "
                           f"words. {give} a tokenizer: {best} or {other}.")
    return (None if chosen == "auto" else chosen), not asked or chosen is not None


def offer_files(files):
    """Roles and names as guessed, to be corrected; then the test set."""
    st.caption("What is each file? The roles are guessed from the names; correct them here.")
    uploads = []
    guesses = guess_uploads([(file.name, file.getvalue()[:1000]) for file in files])
    for k, (file, (role_guess, name_guess)) in enumerate(zip(files, guesses, strict=True)):
        shown, role, name = st.columns([3, 2, 3], vertical_alignment="center")
        with shown:
            screen.plain(f"{file.name} ({file.size:,} bytes)")
        key = f"data.{file.file_id}"
        chosen = role.selectbox("Role", ROLES, ROLES.index(role_guess), key=f"{key}.role.{role_guess}",
                                label_visibility="visible" if k == 0 else "collapsed")
        called = name.text_input("Name", name_guess, key=f"{key}.name.{name_guess}", max_chars=300,
                                 label_visibility="visible" if k == 0 else "collapsed")
        uploads.append(Upload(file.name, file.getvalue(), chosen, called))
    _, pair = named_alike(upload.file for upload in uploads if upload.role != "leave out")
    left, middle, right = st.columns([3, 2, 3])
    proposed = upload_name([(upload.file, upload.role, guess) for upload, (_, guess)
                            in zip(uploads, guesses, strict=True)])
    title = left.text_input("Name of the test set", proposed, key=f"data.name.{proposed}", max_chars=100)
    langpair = middle.text_input("Language pair", pair, key=f"data.langpair.{pair}", placeholder="like en-de").strip()
    cut = any(upload.role == "reference" for upload in uploads)  # scores alone have no words
    tokenizer, decided = pick_tokenizer(right, langpair, reference_language(uploads)) if cut else (None, True)
    if st.button("Open these files", type="primary", key="data.open_files", disabled=not decided):
        testset = replace(read_uploads(uploads, langpair=langpair or None, name=title.strip() or proposed),
                          tokenizer=tokenizer)
        by_role = {role: tuple((u.name, u.file) for u in uploads if u.role == role) for role in ROLES}
        source = Source(by_role["reference"], by_role["system"], langpair=langpair or None,
                        parse=by_role["parse"], run=tuple((u.name, u.file) for u in in_order(
                            u for u in uploads if u.role == "training run")),
                        scores=tuple((u.name, u.file) for u in uploads if u.role.startswith("scores")),
                        **{f"{which}_is_better": tuple(name for name, _ in by_role[f"scores, {which} is better"])
                           for which in ("lower", "higher")},
                        **{key: by_role[role][0][1] for key, role in (("src", "source"), ("docs", "documents"),
                                                                        ("ids", "segment ids")) if by_role[role]})
        open_upload(testset, source)


view = frame.take_view()
st.title("Data")
if isinstance(view, MtsigError):
    screen.error(view)
else:
    testset = view.whole
    screen.answer(f"{testset.name}: {counted(testset.n_segments, 'segment')}, {counted(len(testset.systems), 'system')}"
                  + (", simulated" if testset.simulated and "simulated" not in testset.name else ""))

st.subheader("Bring your own")
data_sections.show_how_to_upload()
data_sections.tell_what_may_come()
files = choose_files("data.files")
try:
    archives = [file for file in files if file.name.lower().endswith(".zip")]
    if len(archives) == len(files) == 1:
        offer_zip(archives[0])
    elif archives:
        screen.error("A zip archive comes alone: it holds a whole shared task. Upload it by itself, or the files in "
                     "it.")
    elif files:
        offer_files(files)
except MtsigError as problem:
    screen.error(problem)
if "data.opened" in st.session_state:
    about = "Task and Review are about its task" if "/" in (address.asked("testset") or "") else \
        "Task and Review are not about it, as they show whole shared tasks"
    screen.plain(f"Opened: {st.session_state.pop('data.opened')}. It is the test set of all pages now. {about}.")
    address.link(frame.ROOT / "pages" / "leaderboard.py", "To its leaderboard", icon=":material/arrow_forward:")

try:
    data_sections.show_yours()
except MtsigError as problem:
    screen.error(problem)

if not isinstance(view, MtsigError):
    if files:
        screen.plain(f"What follows is of {testset.name}, which is open now.")
    if found := make_once(suspicions, testset):
        st.subheader("Worth a look")
        screen.cautions(found)
    st.subheader("What was read")
    screen.show_table(make_once(inventory_table, testset))
