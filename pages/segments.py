"""Segments: the texts behind a difference, one segment at a time."""

import math

import streamlit as st

from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report.segment_cards import DIFFERENCES, list_marks
from mtsig_core.stats import segments
from pages._sections import segments_sections
from pages._ui import browser, controls, frame, screen, views
from pages._ui.screen import end_page, or_end_page


def _weigh_segments(testset, metric, a, b, progress):
    metric = resolve_metric(testset, metric)
    statistics = cached_statistics(metric, testset, progress)
    contributions = segments.measure_contributions(testset, metric, a, b, statistics)
    deciding = segments.deciding_segments(testset, metric, a, b, statistics, contributions)
    return contributions, deciding


view = frame.open_page()
screen.cautions(caution for caution in view.comparison.warnings if caution.kind.concern == "scores")
testset = view.testset
a, b, columns = views.choose_pair(view, [3, 3, 3.6, 5, 3])
if not testset.has_outputs:
    screen.error(
        "This test set has segment scores but no texts to read. Open the texts together with the scores on the "
        "page Upload."
    )
    end_page()
if testset.runs:
    st.caption(
        "Texts come from the first training run; scores and differences are means over the runs."
    )
order_column, marks_column, systems_column = columns
order = controls.choice(
    "Order",
    segments.ORDERS,
    "order",
    place=order_column,
    pages_own=True,
    on_change=segments_sections.forget_segment,
)
marks = controls.choice("Mark", list_marks(testset), "marks", place=marks_column, pages_own=True)
beside_pair = []
other_systems = [name for name in testset.systems if name not in (a, b)]
if other_systems:
    beside_pair = controls.several(
        "Also show", other_systems, "also", [], place=systems_column, placeholder="outputs of ..."
    )

head = st.container(gap=None)
left, right = st.columns([1, 4])
with left.popover("Filter", icon=":material/filter_list:", width="stretch", key="segments.filter"):
    filters = segments_sections.pick_filters(testset)
contributions, deciding = view.experiment(_weigh_segments, "Counting the segments", a=a, b=b)
with or_end_page():
    matching = filters.find(testset, a, b, deciding)
if not len(matching):
    with head:
        screen.answer("No segment matches")
        screen.plain(
            f"None of the {testset.n_segments:,} segments matches all of: {filters.describe()}."
        )
        segments_sections.show_clear_button()
    right.html('<div class="mt-one"></div>')  # the open filters keep their room
    end_page()
reader = segments_sections.Reader(
    view,
    a,
    b,
    beside_pair,
    marks,
    cached_statistics(resolve_metric(testset, view.metric), testset),
    contributions,
    segments_sections.make_tokenizer(testset),
)
headline = reader.describe(matching)
files_place = browser.export_box("segments")
with head:
    screen.answer(headline)
    if filters.describe():
        screen.faint(f"Filter: {filters.describe()}")
    elif len(deciding):
        better = a if contributions[deciding[0]] > 0 else b
        segments_sections.show_decided(better, len(deciding), testset.n_segments)

positions = segments.sort_segments(testset, matching, contributions, order)
listed = positions.tolist()
k = segments_sections.choose_segment(testset, listed[0])
lines = [testset.lines[position] for position in listed]
place = None
notes = []
if k in listed:
    place = listed.index(k)
    notes = [f"{place + 1:,} of {len(listed):,}"]
with left:
    reader.show_list(listed, place)
with right:
    n_systems = len(testset.systems)
    has_all_systems = False
    n_pages = 1
    page = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        segments_sections.show_steps(lines, place)
        if n_systems > 2:
            has_all_systems = controls.toggle("All systems", False, "all", pages_own=True)
        if has_all_systems:
            n_pages = math.ceil(n_systems / segments_sections.SYSTEMS)
        if n_pages > 1:
            page = controls.page_of(n_pages)
    if place is None:
        segments_sections.explain_not_listed(testset.lines[k], len(listed))
    legend_marks = marks
    if not has_all_systems:
        texts = reader.draw_pair(k, notes)
    else:
        texts = reader.draw_all_systems(k, notes, page)
        if marks == DIFFERENCES:
            legend_marks = None
    segments_sections.show_box(texts, legend_marks, n_pages > 1)
st.caption(
    "Scores for these segments only; no test. The list shows what each segment adds to the "
    "difference on the whole test set: above 0 in favour of A.",
    help="Segment contributions do not add up to the difference. The link of this page opens this segment again.",
)
with files_place:
    reader.show_files(positions, k, f"{headline}. Order: {order}.")
