"""Segments: the texts behind a difference, one segment at a time."""

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.metrics import direction, metric_of, metric_title
from mtsig_core.report import export
from mtsig_core.report.cells import number, written_like
from mtsig_core.report.segment_cards import MARKS, card, contributed, neighbour, segments_html, system_list
from mtsig_core.stats import segments
from pages._ui import controls, frame, one_pair, results, screen, segment_sections
from pages._ui.browser import copyable
from pages._ui.screen import end_page, or_end_page

_READABLE = 500  # segments of a file to read

view = frame.open_page("Segments")
screen.cautions(caution for caution in view.comparison.warnings if caution.kind.concern == "scores")
testset, unit = view.testset, metric_title(view.metric)
a, b, beside = one_pair.choose(view, [3, 3, 3.6, 5, 3])
if not testset.has_texts:
    screen.error("This test set has segment scores without texts: there is nothing to read. Open the texts with the "
                 "scores on the page Data.")
    end_page()
if testset.runs:
    st.caption("Texts are those of the first training run; scores and differences are means over the runs.")
metric = metric_of(testset, view.metric)


def contributions(testset, metric, a, b, statistics):
    metric = metric_of(testset, metric)
    added = segments.added_by_segment(testset, metric, a, b, statistics)
    return added, segments.deciding_segments(testset, metric, a, b, statistics, added)


order = controls.choice("Order", segments.ORDERS, "order", place=beside[0], pages_own=True,
                        on_change=segment_sections.first_listed)
marks = controls.choice("Mark", MARKS, "marks", place=beside[1], pages_own=True)
others = [name for name in testset.systems if name not in (a, b)]
also = [] if not others else controls.several("Also show", others, "also", [], place=beside[2],
                                              placeholder="outputs of ...")
filters = segment_sections.pick_filters(testset)
added, decide = results.experiment(view, contributions, "Counting the segments", a=a, b=b)
with or_end_page():
    found = filters.find(testset, a, b, decide)
if not len(found):
    screen.answer("No segment matches")
    screen.plain(f"None of the {testset.n_segments:,} segments has all of: {filters.said()}. Choose another, or "
                 "start again without them.")
    st.button("Clear the filters", on_click=segment_sections.clear_filters, key="segments.clear")
    end_page()
counted, n = results.statistics(testset, view.metric), len(found)
said = "The only segment" if testset.n_segments == 1 else \
    f"All {n:,} segments" if n == testset.n_segments else f"{n:,} of {testset.n_segments:,} segments"
try:
    score_a, score_b = segments.scores_on(testset, metric, a, b, counted, found)
    delta = (score_a - score_b) * direction(metric)
    form = written_like((score_a, score_b))
    said += f": {a} {score_a:{form}}, {b} {score_b:{form}}, {delta:+{form}} {unit}"
except MtsigError as problem:  # segments that nobody rated can be read all the same
    said += f": {problem}"
with st.container(gap=None):
    screen.answer(said)
    if len(decide):
        segment_sections.show_decided(a if added[decide[0]] > 0 else b, len(decide), testset.n_segments)

shown = segments.in_order(testset, found, added, order)
listed = shown.tolist()
k = segment_sections.choose_segment(testset, listed)
at, lines = listed.index(k) if k in listed else None, [testset.lines[position] for position in listed]
left, right = st.columns([1, 4])
with left:
    segment_sections.show_list(lines, at, lambda first, last: contributed(added[listed[first:last]].tolist(), unit))
with right:
    with st.container(horizontal=True, vertical_alignment="center"):
        segment_sections.show_steps(lines, at)
        everyone = len(testset.systems) > 2 and controls.toggle("All systems", False, "all", pages_own=True)
        pages = -(-len(testset.systems) // segment_sections.SYSTEMS) if everyone else 1
        page = controls.page_of(pages) if pages > 1 else 1
    if at is None:
        segment_sections.not_listed(testset.lines[k], n, segment_sections.clear_filters)
    tokens = segment_sections.tokens_or_none(testset)
    head, notes = contributed([added[k]], unit)[0], [] if at is None else [f"{at + 1:,} of {n:,}"]
    if everyone:
        scores = segments.system_scores(testset, metric, counted, k)
        form = written_like(score for _, score in scores if score is not None)
        part = scores[(page - 1) * segment_sections.SYSTEMS:page * segment_sections.SYSTEMS]
        notes.append("best first, by the score of this segment alone")
        inside = system_list(testset, k, [(name, number(score, form)) for name, score in part], head, unit=unit,
                             tokens=tokens if marks == MARKS[0] else None, chosen=(a, b), notes=notes)
    else:
        inside = card(testset, [a, b, *also], k, head, marks=marks, tokens=tokens, notes=notes, outputs_first=True)
        inside += "".join(neighbour(testset, [a, b], each, what) for what, each in zip(
            ("before it in the document", "after it"), segments.in_document(testset, k), strict=True)
            if each is not None)
    segment_sections.show_box(inside, None if everyone and marks == MARKS[1] else marks, pages > 1)
st.caption("Scores on top: of these segments alone, descriptive, untested. By each: what it adds to the difference on "
           "the whole test set, above 0 in favour of A; these do not sum to it. The address of this page opens this "
           "segment again.")
called = view.named(a, b)
with st.expander("Files, command", key="segments.box"):
    with st.container(horizontal=True):
        st.download_button(
            f"{'This segment' if n == 1 else f'These {n:,} segments'} as CSV", mime="text/csv", on_click="ignore",
            file_name=export.file_name(*called, "segments", ending="csv"), key="segments.csv",
            data=lambda: export.for_spreadsheet(*segments.segment_table(testset, a, b, shown, added)))
        st.download_button(
            f"{f'The first {_READABLE}' if n > _READABLE else 'The same'} to read (HTML)", mime="text/html",
            file_name=export.file_name(*called, "segments", ending="html"), key="segments.html", on_click="ignore",
            data=lambda: segments_html(
                testset, [a, b, *also], listed[:_READABLE], contributed(added[listed[:_READABLE]].tolist(), unit),
                title=f"{testset.name}: {a} and {b}", marks=marks, tokens=tokens,
                note=f"{said}. Order: {order}." + (f" The first {_READABLE} of them." if n > _READABLE else "")))
        st.download_button(
            f"Line {testset.lines[k]}, all systems, as CSV", mime="text/csv", on_click="ignore",
            file_name=export.file_name(*view.named(), f"line-{testset.lines[k]}", ending="csv"), key="segments.systems",
            data=lambda: export.for_spreadsheet(*segments.system_table(
                testset, k, segments.system_scores(testset, metric, counted, k))))
    copyable(one_pair.segments_command(view, a, b), "segments.command",
             "Command that prints the statistics of each segment, from which all numbers here are reckoned")
