"""Overview: what this is, the answer in small, and the ways in."""

import streamlit as st

from mtsig_core.metrics import metric_title
from mtsig_core.report.sentences import pick_caveats, state_verdict
from mtsig_core.report.tables import CLUSTERS_NOTE, leaderboard_table
from pages._ui import address, frame, screen, testsets

SHOWN = 6

view = frame.open_page("Which differences are real?")
screen.plain("A test set of a few hundred segments gives every system a score; another test set would give another. "
             "mtsig says which differences between machine translation systems are larger than chance would make them, "
             "which may be chance, and why.")
result = view.result
screen.answer(f"By {metric_title(view.metric)}: {state_verdict(view.comparison, view.metric)}")
others = [metric_title(name) for name in view.testset.scores if name != view.metric]
if others:
    st.caption(f"The Leaderboard says whether other scores of this set name another top group: {', '.join(others)}.")
qualified = pick_caveats(view.comparison, result)
screen.cautions(caution for caution in view.comparison.warnings if caution in qualified
                or caution.kind.concern in ("files", "scores", "references", "family"))
table = leaderboard_table(result, view.comparison.settings).select("rank", "system", "score", "ci")
n = len(table.rows)
table = table.pick_rows(range(min(n, SHOWN)))
screen.show_table(table)
if table.ruled:
    st.caption(CLUSTERS_NOTE)
if n > SHOWN:
    st.caption(f"The first {SHOWN} of {n} systems; the Leaderboard has all.")

ways = {
    "Explore your own outputs": ("Upload references and outputs, see who is ahead, then go down to documents and "
                                 "sentences.", "upload", "Upload", {}),
    "Teach": ("Seven scenes for a room and a projector: guess first, then draw, swap and count before all eyes.",
              "lecture", "Lecture", {}),
    "Review a shared task": ("All language pairs at once, rank ranges, every pair tested and corrected.",
                             "task", "Task", {})}
for column, (title, (text, page, label, asks)) in zip(st.columns(3), ways.items(), strict=True):
    with column.container(border=True, height="stretch"):
        st.markdown(f"**{title}**")
        screen.plain(text)
        address.link(page, label, **asks)
        if page == "task":
            address.link("upload", "How to load one",
                         task="true")
            testsets.offer_demo(testsets.TASK, "One language pair of a simulated task:", view.source)
