"""Data: what is loaded, what is suspicious in it, and how to bring one's own."""

from dataclasses import replace

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.inventory import inventory_rows, suspicions
from mtsig_core.readers.uploads import ROLES, Upload, guess_name, guess_role, read_uploads, read_zip, zip_language_pairs
from mtsig_core.sources import Source
from pages._ui import frame, testsets, words


def open_upload(testset, options):
    """Remember an uploaded set and show it."""
    st.session_state["data.opened"] = testset.name
    frame.open_testset(testsets.keep_upload(testset, options))


def offer_zip(file):
    content = file.getvalue()
    pairs = zip_language_pairs(content)
    langpair = st.selectbox("Language pair", pairs, key="data.zip_pair")
    if st.button("Open this pair", type="primary", key="data.open_zip"):
        open_upload(read_zip(content, langpair), ["--folder", guess_name(file.name.removesuffix(".zip")),
                                                  "--langpair", langpair])


def offer_files(files):
    """Roles and names as guessed, to be corrected; then the test set."""
    st.caption("What is each file? The roles are guessed from the names; correct them here.")
    uploads = []
    for k, file in enumerate(files):
        shown, role, name = st.columns([3, 2, 3], vertical_alignment="center")
        with shown:
            words.plain(f"{file.name} ({file.size:,} bytes)")
        key = f"data.{file.file_id}"
        guessed = ROLES.index(guess_role(file.name, file.getvalue()[:1000]))
        chosen = role.selectbox("Role", ROLES, guessed, key=f"{key}.role",
                                label_visibility="visible" if k == 0 else "collapsed")
        called = name.text_input("Name", guess_name(file.name), key=f"{key}.name", max_chars=300,
                                 label_visibility="visible" if k == 0 else "collapsed")
        uploads.append(Upload(file.name, file.getvalue(), chosen, called))
    left, right = st.columns(2)
    title = left.text_input("Name of the test set", "upload", key="data.name", max_chars=100)
    langpair = right.text_input("Language pair, such as en-de; decides the tokenizer, may stay empty",
                                key="data.langpair")
    if st.button("Open these files", type="primary", key="data.open_files"):
        testset = replace(read_uploads(uploads, langpair=langpair.strip() or None), name=title.strip() or "upload")
        by_role = {role: tuple((u.name, u.file) for u in uploads if u.role == role) for role in ROLES}
        source = Source(by_role["reference"], by_role["system"], langpair=langpair.strip() or None,
                        parse=by_role["parse"],
                        scores=tuple((u.name, u.file) for u in uploads if u.role.startswith("scores")),
                        lower_is_better=tuple(name for name, _ in by_role["scores, lower is better"]),
                        **{key: by_role[role][0][1] for key, role in (("src", "source"), ("docs", "documents"),
                                                                        ("ids", "segment ids")) if by_role[role]})
        open_upload(testset, source.arguments())


view = frame.take_view()
st.title("Data")
if isinstance(view, MtsigError):
    words.error(str(view))
else:
    testset = view.whole
    systems = "1 system" if len(testset.systems) == 1 else f"{len(testset.systems)} systems"
    words.answer(f"{testset.name}: {testset.n_segments:,} segments, {systems}"
                 + (", simulated" if testset.simulated else ""))

st.subheader("Bring your own")
words.plain("Plain text, one segment per line (UTF-8, .gz too): at least one reference and one system, best with a "
            "documents file (docid, or domain, tab, docid, for each line). Or a zip of a shared-task folder in WMT "
            "layout. Segment scores of people or of a model (TSV, CSV, JSONL, Parquet: system, line, score, or a "
            "column for each system; COMET's JSON) come alone or with the texts, joined by line, or by id where a file "
            "has the id of each line.")
files = st.file_uploader("Files", accept_multiple_files=True, key="data.files", label_visibility="collapsed")
try:
    archives = [file for file in files if file.name.lower().endswith(".zip")]
    if len(archives) == len(files) == 1:
        offer_zip(archives[0])
    elif archives:
        words.error("A zip archive comes alone: it holds a whole shared task. Upload it by itself, or the files in it.")
    elif files:
        offer_files(files)
except MtsigError as problem:
    words.error(str(problem))
if "data.opened" in st.session_state:
    words.plain(f"Opened: {st.session_state.pop('data.opened')}. It is the test set of all pages now.")
    st.page_link(frame.ROOT / "pages" / "leaderboard.py", label="To its leaderboard", icon=":material/arrow_forward:")

if not isinstance(view, MtsigError):
    found = suspicions(testset)
    if found:
        st.subheader("Worth a look")
        words.cautions(found)
    st.subheader("What was read")
    words.table(*inventory_rows(testset), names=[0, 1])
