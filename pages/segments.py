"""Segments: the texts behind a difference, one segment at a time."""

import streamlit as st

from mtsig_core.metrics import resolve_metric
from mtsig_core.report.segment_cards import MARKS, contributed
from mtsig_core.stats import segments
from pages._sections import segments_sections
from pages._ui import controls, frame, result_cache, screen, views
from pages._ui.screen import end_page, or_end_page

view = frame.open_page()
screen.cautions(caution for caution in view.comparison.warnings if caution.kind.concern == "scores")
testset = view.testset
a, b, beside = views.choose_pair(view, [3, 3, 3.6, 5, 3])
if not testset.has_texts:
    screen.error(
        "This test set has segment scores without texts: there is nothing to read. Open the texts with the "
        "scores on the page Upload."
    )
    end_page()
if testset.runs:
    st.caption(
        "Texts come from the first training run; scores and differences are means over the runs."
    )


def contributions(testset, metric, a, b, statistics):
    metric = resolve_metric(testset, metric)
    added = segments.measure_contributions(testset, metric, a, b, statistics)
    return added, segments.deciding_segments(testset, metric, a, b, statistics, added)


order = controls.choice(
    "Order",
    segments.ORDERS,
    "order",
    place=beside[0],
    pages_own=True,
    on_change=segments_sections.first_listed,
)
marks = controls.choice("Mark", MARKS, "marks", place=beside[1], pages_own=True)
others = [name for name in testset.systems if name not in (a, b)]
also = (
    []
    if not others
    else controls.several(
        "Also show", others, "also", [], place=beside[2], placeholder="outputs of ..."
    )
)
head, (left, right) = st.container(gap=None), st.columns([1, 4])
with left.popover("Filter", icon=":material/filter_list:", width="stretch", key="segments.filter"):
    filters = segments_sections.pick_filters(testset)
added, decide = view.experiment(contributions, "Counting the segments", a=a, b=b)
with or_end_page():
    positions = filters.find(testset, a, b, decide)
if not len(positions):
    with head:
        screen.answer("No segment matches")
        screen.plain(
            f"None of the {testset.n_segments:,} segments has all of: {filters.describe()}."
        )
        st.button(
            "Clear the filters", on_click=segments_sections.clear_filters, key="segments.clear"
        )
    right.html('<div class="mt-one"></div>')  # the open filters keep their room
    end_page()
reader = segments_sections.Reader(
    view,
    a,
    b,
    also,
    marks,
    result_cache.statistics(testset, view.metric),
    added,
    segments_sections.tokens_or_none(testset),
)
headline = reader.describe(positions)
with head:
    screen.answer(headline)
    if filters.describe():
        screen.faint(f"Filter: {filters.describe()}")
    elif len(decide):
        segments_sections.show_decided(
            a if added[decide[0]] > 0 else b, len(decide), testset.n_segments
        )

n, shown = len(positions), segments.sort_segments(testset, positions, added, order)
listed = shown.tolist()
k = segments_sections.choose_segment(testset, listed)
at, lines = (
    listed.index(k) if k in listed else None,
    [testset.lines[position] for position in listed],
)
with left:
    segments_sections.show_list(
        lines, at, lambda first, last: contributed(added[listed[first:last]].tolist(), reader.unit)
    )
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        segments_sections.show_steps(lines, at)
        everyone = len(testset.systems) > 2 and controls.toggle(
            "All systems", False, "all", pages_own=True
        )
        pages = -(-len(testset.systems) // segments_sections.SYSTEMS) if everyone else 1
        page = controls.page_of(pages) if pages > 1 else 1
    if at is None:
        segments_sections.not_listed(testset.lines[k], n, segments_sections.clear_filters)
    notes = [] if at is None else [f"{at + 1:,} of {n:,}"]
    text = reader.draw_all_systems(k, notes, page) if everyone else reader.draw_pair(k, notes)
    segments_sections.show_box(text, None if everyone and marks == MARKS[1] else marks, pages > 1)
st.caption(
    "The scores above are of these segments only, and not tested. The list shows what each segment adds to the "
    "difference on the whole test set: above 0 in favour of A.",
    help="What segments add does not sum to the difference. The address of this page opens this segment again.",
)
reader.show_files(shown, k, f"{headline}. Order: {order}.")
