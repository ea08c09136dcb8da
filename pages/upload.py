"""Upload: the user's files, samples to start with, and the test set that is currently open."""

import streamlit as st

from mtsig_core import MtsigError
from pages._sections import upload_sections
from pages._ui import frame, screen

view = frame.take_view()
if isinstance(view, MtsigError):
    screen.error(view)
files = upload_sections.choose_files()
st.caption("Drop text files (one segment per line), a table of scores, or a WMT zip.")
try:
    if files:
        upload_sections.offer(files, view)
    else:
        upload_sections.ask_for_documents(view)
        upload_sections.show_samples()
    upload_sections.show_yours()
except MtsigError as problem:
    screen.error(problem)
# Next to files that wait, it would be taken as their content.
if not files and not isinstance(view, MtsigError):
    upload_sections.show_what_was_read(view.full_set)
upload_sections.explain_formats()
