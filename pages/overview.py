"""Overview: what this is, the answer in small, and the ways in."""

import streamlit as st

from mtsig_core.tables import leaderboard_rows, verdict
from pages._ui import frame, words

SHOWN = 8

view = frame.open_page("Which differences are real?")
words.plain("A test set of a few hundred segments gives every system a score; another test set would give another. "
            "mtsig says which differences between machine translation systems would stay, which may be chance, and "
            "why.")
result = view.result
said = verdict(result, view.comparison.settings)
if said is not None:
    words.answer(said)
header, rows = leaderboard_rows(result, view.comparison.settings)
words.table(header[:4], [row[:4] for row in rows[:SHOWN]], names=[1])
if len(rows) > SHOWN:
    st.caption(f"The first {SHOWN} of {len(rows)} systems; the Leaderboard has all.")

ways = {
    "Explore your own outputs": ("Upload references and outputs, see who is ahead, then go down to documents and "
                                 "sentences.", "data"),
    "Teach": ("Show a room what one difference rests on: the bootstrap, the swaps, the tests side by side.", "pair"),
    "Review a shared task": ("Rank intervals, every pair tested and corrected, and what to keep in mind.",
                             "leaderboard")}
for column, (title, (text, page)) in zip(st.columns(3), ways.items(), strict=True):
    with column.container(border=True, height="stretch"):
        st.markdown(f"**{title}**")
        words.plain(text)
        st.page_link(frame.ROOT / "pages" / f"{page}.py", label=page.capitalize(), icon=":material/arrow_forward:")
