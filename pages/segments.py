"""Segments: the texts behind a difference, side by side."""

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.inference.segments import (
    ORDERS,
    PLACES,
    added_by_segment,
    find_segments,
    in_order,
    scores_on,
    segment_table,
)
from mtsig_core.metrics import direction, metric_of
from mtsig_core.report import export
from mtsig_core.report.cells import written_like
from pages._ui import background, controls, frame, one_pair, results, screen, side_by_side
from pages._ui.ending import end_page

_SHOWN = 25
_FILTERS = {"document": None, "genre": None, "text": "", "where": PLACES[0]}

view = frame.open_page("Segments")
screen.cautions(c for c in view.comparison.warnings if c.code == "tokenizer-and-script")
testset, unit = view.testset, view.metric.upper()
a, b, (beside,) = one_pair.choose(view, 3)
if not testset.has_texts:
    screen.error("This test set has segment scores without texts: there is nothing to read. Open the texts with the "
                 "scores on the page Data.")
    end_page()
if testset.runs:
    st.caption("Texts are those of the first training run; scores and differences are means over the runs.")
metric = metric_of(testset, view.metric)


def first_page():
    st.session_state["page"] = 1


def clear():
    st.session_state.update(_FILTERS, page=1)


FILTER = {"pages_own": True, "on_change": first_page}  # a link from elsewhere finds all filters unset
order = controls.choice("Order", ORDERS, "order", place=beside, **FILTER)
columns = st.columns([3, 2, 3, 2])
domains = [] if testset.domains is None else list(dict.fromkeys(testset.domains))
domain = None
if len(domains) > 1:
    domain = controls.choice("Domain", domains, "genre", place=columns[1], optional=True, placeholder="all", **FILTER)
numbers = {} if testset.documents is None else one_pair.documents_of(testset, domain)
document = None
if numbers:
    document = controls.choice("Document", list(numbers), "document", place=columns[0], optional=True,
                               placeholder=f"all {len(numbers):,}", **FILTER)
text = controls.text(columns[2], "Text contains", "text", placeholder="any text, capitals or not", max_chars=500,
                     **FILTER)
places = [place for place in PLACES if place != "source" or testset.sources is not None]
where = controls.choice("Where", places, "where", place=columns[3], **FILTER)
found = find_segments(testset, a, b, document=numbers.get(document), domain=domain, text=text, where=where)
if not len(found):
    asked = [f"document {document}"] * (document is not None) + [f"domain {domain}"] * (domain is not None)
    asked += [f"{text!r} ({where})"] * bool(text)
    screen.answer("No segment matches")
    screen.plain(f"None of the {testset.n_segments:,} segments has all of: {', '.join(asked)}. Choose another, or "
                 "start again without them.")
    st.button("Clear the filters", on_click=clear)
    end_page()


def added_by_each(progress):
    return added_by_segment(testset, metric, a, b, results.statistics(testset, view.metric, progress))


added = background.result(("contributions", testset.digest, view.metric, a, b), added_by_each, "Counting the segments")
n = len(found)
which = f"All {n:,} segments" if n == testset.n_segments else f"{n:,} of {testset.n_segments:,} segments"
try:
    score_a, score_b = scores_on(testset, metric, a, b, results.statistics(testset, view.metric), found)
    delta = (score_a - score_b) * direction(metric)
    form = written_like((score_a, score_b))
    screen.answer(f"{which}: {a} {score_a:{form}}, {b} {score_b:{form}}, {delta:+{form}} {unit}")
except MtsigError as problem:  # segments that nobody rated can be read all the same
    screen.answer(f"{which}: {problem}")
st.caption("Corpus scores of these segments alone: descriptive, untested. By each: what it adds to the difference on "
           f"all {testset.n_segments:,}, above 0 in favour of A; these do not sum to the whole.")

left, right = st.columns(2, vertical_alignment="center")
with left:
    page = controls.page_of(-(-n // _SHOWN))
others = [name for name in testset.systems if name not in (a, b)]
also = controls.several("Also show", others, "also", [], place=right, placeholder="Also show the outputs of ...",
                        label_visibility="collapsed") if others else []
shown = in_order(testset, found, added, order)
side_by_side.legend()
part = shown[(page - 1) * _SHOWN:page * _SHOWN]
side_by_side.show(testset, [a, b, *also], part.tolist(), added[part].tolist(), unit)
st.html('<a href="#segments">Back to the top</a>')
with st.expander("Files, command"):
    st.download_button(
        f"{'This segment' if n == 1 else f'These {n:,} segments'} as CSV", mime="text/csv",
        file_name=export.file_name(*view.named(a, b), "segments", ending="csv"),
        data=lambda: export.to_csv(*segment_table(testset, a, b, shown, added)), key="segments.csv", on_click="ignore")
    st.caption("Prints the statistics of each segment, from which all numbers here are reckoned:")
    st.code(one_pair.segments_command(view, a, b), language=None, wrap_lines=True)
