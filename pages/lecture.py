"""Lecture: scenes that teach resampling to a room, one screen each, by keyboard alone."""

import streamlit as st

from pages._ui import frame, lecture

view = frame.take_view()
st.html("<style>header, [data-testid=stSidebar] {display: none} [data-stale] {opacity: 1 !important}</style>")
lecture.show(view)
