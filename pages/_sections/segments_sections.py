"""Sections of the page Segments: the filters, the list, and one segment at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from mtsig_core import MtsigError, SettingError, TestSet
from mtsig_core.errors import format_count
from mtsig_core.metrics import Metric, direction, metric_title, resolve_metric
from mtsig_core.metrics.overlap import bleu_tokens
from mtsig_core.metrics.tokenizers import tokenizer_name
from mtsig_core.report import export, segment_cards
from mtsig_core.report.commands import command_line
from mtsig_core.report.table import number, written_like
from mtsig_core.stats import segments
from mtsig_core.stats.pair import find_extremes
from pages._sections import pair_sections
from pages._ui import address, charts, controls, result_cache, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

_EACH_WAY = 3  # segments on the page One pair


def show_most_in_favour(pair: pair_sections.Pair) -> None:
    """Draw the segments that add most to the difference, for each system, with a link to all."""
    testset = pair.view.testset
    contributions = pair.examination.sign * pair.examination.by_segment
    marks = controls.choice(
        "Mark", segment_cards.list_marks(testset), "marks", pages_own=True, width=280
    )
    legend(marks)
    for_a, for_b = find_extremes(contributions, _EACH_WAY)
    for name, positions in ((pair.a, for_a), (pair.b, for_b)):
        screen.plain(f"Most in favour of {name}")
        if not positions.size:
            st.caption("No segment favours this system.")
        heads = segment_cards.contributed(contributions[positions].tolist(), pair.metric)
        cards(testset, [pair.a, pair.b], positions.tolist(), heads, marks)
    address.link("segments", "All segments, to search and sort", a=pair.a, b=pair.b)


def cards(
    testset: TestSet,
    systems: Sequence[str],
    positions: Sequence[int],
    heads: Sequence[str],
    marks: str = segment_cards.MATCHES,
) -> None:
    """Draw the outputs for some segments side by side.

    Each segment has its head, the source and the references above.
    """
    tokens = make_tokenizer(testset)
    html = make_once(
        _make_cards, tokens, testset, tuple(systems), tuple(positions), tuple(heads), marks
    )
    st.html(html)


def _make_cards(tokens, testset, systems, positions, heads, marks):
    html = segment_cards.STYLE
    for k, head in zip(positions, heads, strict=True):
        html += segment_cards.card(testset, systems, k, head, marks=marks, tokens=tokens)
    return html


def legend(marks: str = segment_cards.MATCHES) -> None:
    """Draw the meaning of the tints."""
    st.html(segment_cards.STYLE + segment_cards.legend(marks))


def make_tokenizer(testset: TestSet) -> segment_cards.Tokenize | None:
    """Return the function that finds n-grams; None, with a message, if the tokenizer is missing."""
    try:
        return bleu_tokens(tokenizer_name(testset))
    except SettingError as problem:
        screen.error(problem)
        return None


# -------------------------------------------------------------------------------------------------
# One segment at a time, from a list.

#: Segments of a page of the list.
PAGE = 8
#: Systems of a page, where all outputs of a segment are shown.
SYSTEMS = 6
_KEY = "segment"  # in the address: the line of the current segment


def forget_segment() -> None:
    """Forget the current segment: the list has changed, and starts at its top."""
    address.keep(_KEY, None)
    st.session_state.pop(_KEY, None)


def choose_segment(testset: TestSet, first: int) -> int:
    """Return the position of the segment in the address, listed or not, else `first`."""

    def read(texts):
        text = texts[-1]
        if not text.isascii() or not text.isdigit() or int(text) not in testset.position_of:
            raise ValueError(text)
        return int(text)

    def write(line):
        return [str(line)]

    line = address.settle(_KEY, testset.lines[first], read, write, pages_own=True, always=True)
    return testset.position_of[line]


def show_steps(lines: Sequence[int], place: int | None) -> None:
    """Draw buttons to the previous and next segment and page, with their keys.

    `place` is the position of the current segment in the list, None if the list does not have it.
    """
    last = len(lines) - 1
    on_first_page = False
    on_last_page = False
    if place is not None:
        on_first_page = place < PAGE
        on_last_page = place // PAGE == last // PAGE
    _draw_step("Previous", "Up", lines, -1, place == 0)
    _draw_step("Next", "Down", lines, 1, place == last)
    _draw_step("Previous page", "PageUp", lines, -PAGE, on_first_page)
    _draw_step("Next page", "PageDown", lines, PAGE, on_last_page)


def _draw_step(
    label: str, shortcut: str, lines: Sequence[int], step: int, is_disabled: bool
) -> None:
    st.button(
        label,
        key=f"segments.step.{shortcut}",
        shortcut=shortcut,
        on_click=_take_step,
        args=(lines, step),
        disabled=is_disabled,
        wrap=False,
    )


def _take_step(lines, step):
    """Move from the session's segment, because keys are faster than pages."""
    line = st.session_state.get(_KEY)
    if line in lines:
        place = lines.index(line)
    elif step > 0:
        place = -1
    else:
        place = 0
    last = len(lines) - 1
    if abs(step) == 1:
        place = min(max(place + step, 0), last)
    else:
        page_start = max(place, 0) // PAGE * PAGE
        if 0 <= page_start + step <= last:
            place = page_start + step
    _open_line(lines[max(place, 0)])


def _open_line(line):
    st.session_state[_KEY] = line


def show_box(texts: str, marks: str | None, has_two_rows: bool = False) -> None:
    """Draw the texts in a box that scrolls, with the meaning of its marks below.

    `has_two_rows`: two rows of buttons are above it.
    """
    box_class = "mt-one mt-lower" if has_two_rows else "mt-one"
    marks_legend = "" if marks is None else segment_cards.legend(marks)
    st.html(
        f'{segment_cards.STYLE}<div class="{box_class}">'
        f'<div class="mt-scrolls" tabindex="0" role="region" aria-label="Segment">{texts}</div>'
        f"{marks_legend}</div>"
    )


def show_decided(better: str, n_deciding: int, n_segments: int) -> None:
    """Write how few segments decide which system scores higher, with a button that shows them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        screen.faint(
            f"Without the {format_count(n_deciding, 'segment')} (of {n_segments:,}) most in favour of {better}, "
            f"{better} loses its lead.",
            "content",
        )
        st.button(
            "Show them" if n_deciding > 1 else "Show it",
            key="segments.decide",
            type="tertiary",
            on_click=_list_deciding,
        )


def _list_deciding():
    st.session_state["only"] = DECIDE
    forget_segment()


def explain_not_listed(line: int, n_listed: int) -> None:
    """Write that the segment of the address is not in the list."""
    with st.container(horizontal=True, vertical_alignment="center"):
        screen.plain(f"Line {line} is not among the segments that match the filter ({n_listed}).")
        show_clear_button()


def show_clear_button() -> None:
    """Draw the button that clears all filters."""
    st.button("Clear the filters", on_click=_clear_filters, key="segments.clear")


# -------------------------------------------------------------------------------------------------
# The texts of segments, and files of them.

_READABLE = 500  # segments of a file to read


@dataclass(frozen=True)
class Reader:
    """Two systems whose segments are read."""

    view: View
    a: str
    b: str
    beside_pair: Sequence[str]  # further systems
    marks: str
    statistics: np.ndarray
    contributions: np.ndarray  # what each segment adds to the difference
    tokens: segment_cards.Tokenize | None

    @property
    def testset(self) -> TestSet:
        """The test set on screen."""
        return self.view.testset

    @property
    def metric(self) -> Metric:
        """The metric on screen."""
        return resolve_metric(self.testset, self.view.metric)

    @property
    def unit(self) -> str:
        """The title of the metric."""
        return metric_title(self.view.metric)

    @property
    def columns(self) -> list[str]:
        """The systems whose outputs are side by side."""
        return [self.a, self.b, *self.beside_pair]

    def describe(self, positions: np.ndarray) -> str:
        """Write how many segments these are, and the scores on them."""
        n = len(positions)
        n_segments = self.testset.n_segments
        subject = f"{n:,} of {n_segments:,} segments"
        if n_segments == 1:
            subject = "The only segment"
        elif n == n_segments:
            subject = f"All {n:,} segments"
        try:
            score_a, score_b, n_scored = segments.score_selection(
                self.testset, self.metric, self.a, self.b, self.statistics, positions
            )
        except MtsigError as problem:  # segments without scores can be read all the same
            return f"{subject}: {problem}"
        if n_scored < n:
            subject += f", {n_scored:,} scored for both"
        difference = (score_a - score_b) * direction(self.metric)
        form = written_like((score_a, score_b))
        return (
            f"{subject}: {self.a} {score_a:{form}}, {self.b} {score_b:{form}}, "
            f"{difference:+{form}} {self.unit}"
        )

    def write_heads(self, positions: Sequence[int]) -> list[str]:
        """Write what some segments add to the difference."""
        return segment_cards.contributed(self.contributions[positions].tolist(), self.unit)

    def show_list(self, positions: Sequence[int], place: int | None) -> None:
        """Draw the page of the list with the current segment; a click opens another segment.

        `place` is the position of the current segment in the list, None if it is not in the list.
        """
        start = (place or 0) // PAGE * PAGE
        on_page = positions[start : start + PAGE]
        with st.container(key="segments-list", gap=None):
            for n, (k, head) in enumerate(zip(on_page, self.write_heads(on_page), strict=True)):
                line = self.testset.lines[k]
                st.button(
                    f"{line} · {head}",
                    key=f"segments.row.{n}",
                    on_click=_open_line,
                    args=(line,),
                    wrap=False,
                    type="primary" if start + n == place else "tertiary",
                )

    def draw_pair(self, k: int, notes: Sequence[str]) -> str:
        """Draw the outputs for a segment, and its neighbours in the document."""
        html = segment_cards.card(
            self.testset,
            self.columns,
            k,
            self.write_heads([k])[0],
            marks=self.marks,
            tokens=self.tokens,
            notes=notes,
            outputs_first=True,
        )
        before, after = segments.find_neighbours(self.testset, k)
        for position, title in ((before, "before it in the document"), (after, "after it")):
            if position is not None:
                html += segment_cards.neighbour(self.testset, self.columns, position, title)
        return html

    def draw_all_systems(self, k: int, notes: Sequence[str], page: int) -> str:
        """Draw the outputs of all systems for a segment, one page of them, the best first."""
        scores = self._score_systems(k)
        form = written_like(score for _, score in scores if score is not None)
        start = (page - 1) * SYSTEMS
        on_page = scores[start : start + SYSTEMS]
        tokens = self.tokens if self.marks == segment_cards.MATCHES else None
        return segment_cards.system_list(
            self.testset,
            k,
            [(name, number(score, form)) for name, score in on_page],
            self.write_heads([k])[0],
            unit=self.unit,
            marks=self.marks,
            tokens=tokens,
            pair_names=(self.a, self.b),
            notes=[*notes, "best first, by the score of this segment"],
        )

    def _score_systems(self, k):
        return segments.system_scores(self.testset, self.metric, self.statistics, k)

    def show_files(self, positions: np.ndarray, k: int, note: str) -> None:
        """Offer the segments of the list as files, segment k with all systems, and the command."""
        n = len(positions)
        file_name = (*self.view.named(self.a, self.b), "segments")
        table_title = "This segment" if n == 1 else f"These {n:,} segments"
        readable_title = "The same"
        if n > _READABLE:
            readable_title = f"The first {_READABLE}"
            note += f" {readable_title} of them."
        line = self.testset.lines[k]
        with st.container(horizontal=True):
            charts.download(
                f"{table_title} as CSV",
                partial(self._write_table, positions),
                file_name,
                "csv",
                "segments.csv",
            )
            charts.download(
                f"{readable_title} to read (HTML)",
                partial(self._write_readable, positions[:_READABLE].tolist(), note),
                file_name,
                "html",
                "segments.html",
            )
            charts.download(
                f"Line {line}, all systems, as CSV",
                partial(self._write_systems, k),
                (*self.view.named(), f"line-{line}"),
                "csv",
                "segments.systems",
            )
        source = views.source_for(self.view, self.a, self.b)
        copyable(
            command_line("segments", source, metrics=self.view.metric),
            "segments.command",
            "Command that prints the statistics of each segment, from which all numbers here are computed",
        )

    def _write_table(self, positions):
        table = segments.segment_table(self.testset, self.a, self.b, positions, self.contributions)
        return export.for_spreadsheet(*table)

    def _write_systems(self, k):
        table = segments.system_table(self.testset, k, self._score_systems(k))
        return export.for_spreadsheet(*table)

    def _write_readable(self, positions, note):
        return segment_cards.segments_html(
            self.testset,
            self.columns,
            positions,
            self.write_heads(positions),
            title=f"{self.testset.name}: {self.a} and {self.b}",
            marks=self.marks,
            tokens=self.tokens,
            note=note,
        )


# -------------------------------------------------------------------------------------------------
# Which segments the list has, all in the address.

_ALL = "all segments"
DECIDE = "those that decide"
_NO_FILTERS = {
    "document": None,
    "genre": None,
    "text": "",
    "where": segments.PLACES[0],
    "how": segments.WAYS[0],
    "only": _ALL,
    "shortest": None,
    "longest": None,
}
_HOW = (
    "Case does not matter. Whole words need spaces between words. Regular expressions use Python's syntax and "
    "stop after two seconds."
)


@dataclass(frozen=True)
class Filters:
    """The filters of the list."""

    query: dict  # arguments of `segments.find_segments`
    document: str | None
    only_deciding: bool

    def find(self, testset: TestSet, a: str, b: str, deciding: np.ndarray) -> np.ndarray:
        """Return the positions of the segments."""
        query = self.query
        if self.only_deciding:
            query = {**query, "among": deciding}
        if query["how"] != segments.WAYS[2] or not query["text"]:
            return segments.find_segments(testset, a, b, **query)

        def work(nameless, _progress):
            return segments.find_segments(nameless, a, b, **query)

        return result_cache.shared_result(
            "segments found",
            testset,
            work,
            "Looking for the expression",
            a,
            b,
            self.only_deciding,
            tuple(deciding.tolist()),
            *self.query.items(),
        )

    def describe(self) -> str:
        """Describe all filters in words; empty without filters."""
        query = self.query
        phrases = []
        if self.document is not None:
            phrases.append(f"document {self.document}")
        if query["domain"] is not None:
            phrases.append(f"domain {query['domain']}")
        if query["text"]:
            phrases.append(f"{query['text']!r} ({query['where']}, {query['how']})")
        if query["shortest"] is not None:
            phrases.append(f"at least {query['shortest']:,} characters")
        if query["longest"] is not None:
            phrases.append(f"at most {query['longest']:,} characters")
        if self.only_deciding:
            phrases.append(DECIDE)
        return ", ".join(phrases)


def _clear_filters() -> None:
    st.session_state.update(_NO_FILTERS)
    forget_segment()


def pick_filters(testset: TestSet) -> Filters:
    """Draw the filters. A link from another page finds all of them cleared."""
    pick = partial(controls.choice, pages_own=True, on_change=forget_segment)
    only = pick("Which segments", [_ALL, DECIDE], "only")
    text = controls.text(
        st, "Text contains", "text", max_chars=500, pages_own=True, on_change=forget_segment
    )
    left, right = st.columns(2)
    places = list(segments.PLACES)
    if testset.sources is None:
        places.remove("source")
    place = pick("Where", places, "where", place=left)
    way = pick("How", segments.WAYS, "how", place=right, help=_HOW)
    domain = None
    domains = list(dict.fromkeys(testset.domains or ()))
    if len(domains) > 1:
        domain = pick("Domain", domains, "genre", optional=True, placeholder="all domains")
    document = None
    numbers = {}
    if testset.documents is not None:
        numbers = pair_sections.number_documents(testset, domain)
        all_documents = f"all {len(numbers):,} documents"
        document = pick(
            "Document", list(numbers), "document", optional=True, placeholder=all_documents
        )
    left, right = st.columns(2)
    query = {
        "document": numbers.get(document),
        "domain": domain,
        "text": text,
        "where": place,
        "how": way,
        "shortest": _pick_length(left, "Characters, at least", "shortest"),
        "longest": _pick_length(right, "at most", "longest"),
    }
    return Filters(query, document, only == DECIDE)


def _pick_length(place, label: str, key: str) -> int | None:
    length = controls.number(
        place,
        label,
        None,
        key,
        least=0.0,
        most=1e6,
        step=1.0,
        format="%.0f",
        help="Length of the longest reference",
        pages_own=True,
        on_change=forget_segment,
    )
    return None if length is None else int(length)
