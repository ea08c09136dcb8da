"""Data: what is loaded, what is suspicious in it, and how to bring one's own."""

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.errors import format_count
from mtsig_core.report.tables import inventory_table
from mtsig_core.stats.cautions import find_suspicions
from pages._ui import address, frame, screen, upload_sections
from pages._ui.catalogue import PAGES
from pages._work.memory import make_once

view = frame.take_view()
st.title(PAGES["upload"].title)
if isinstance(view, MtsigError):
    screen.error(view)
else:
    testset = view.whole
    screen.answer(f"{testset.name}: {format_count(testset.n_segments, 'segment')}, "
                  f"{format_count(len(testset.systems), 'system')}"
                  + (", simulated" if testset.simulated and "simulated" not in testset.name else ""))

st.subheader("Upload your data")
upload_sections.show_how_to_upload()
upload_sections.tell_what_may_come()
files = upload_sections.choose_files("data.files")
try:
    archives = [file for file in files if file.name.lower().endswith(".zip")]
    if len(archives) == len(files) == 1:
        upload_sections.offer_zip(archives[0])
    elif archives:
        screen.error("A zip archive holds a whole shared task. Upload only the zip, or the files in it.")
    elif files:
        upload_sections.offer_files(files)
except MtsigError as problem:
    screen.error(problem)
if "data.opened" in st.session_state:
    about = "Task and Review are about its task" if "/" in (address.asked("testset") or "") else \
        "Task and Review are not about it, as they show whole shared tasks"
    screen.plain(f"Opened: {st.session_state.pop('data.opened')}. It is the test set of all pages now. {about}.")
    address.link("summary", "To its leaderboard")

try:
    upload_sections.show_yours()
except MtsigError as problem:
    screen.error(problem)

if not isinstance(view, MtsigError):
    if files:
        screen.plain(f"The rest of this page describes {testset.name}, which is open now.")
    if cautions := make_once(find_suspicions, testset):
        st.subheader("Worth a look")
        screen.cautions(cautions)
    st.subheader("What was read")
    screen.show_table(make_once(inventory_table, testset))
