"""Sections of the page Segments: the filters, the list, and one segment at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from mtsig_core import MtsigError, SettingError, TestSet
from mtsig_core.metrics import direction, metric_title, resolve_metric
from mtsig_core.metrics.overlap import bleu_tokens
from mtsig_core.metrics.tokenizers import tokenizer_name
from mtsig_core.report import export, segment_cards
from mtsig_core.report.commands import command_line
from mtsig_core.report.table import number, written_like
from mtsig_core.stats import segments
from mtsig_core.stats.pair import PairExamination, find_extremes
from pages._sections import pair_sections
from pages._ui import address, charts, controls, result_cache, screen, views
from pages._ui.browser import copyable
from pages._ui.views import View
from pages._work.memory import make_once

_EACH_WAY = 3  # segments on the page One pair


def show_most_in_favour(view: View, found: PairExamination, a: str, b: str) -> None:
    """Draw the segments that add most to the difference, each way, with a link to all of them."""
    if not view.testset.has_texts:
        st.caption(
            "This test set has segment scores without texts. Upload the texts with the scores to read them."
        )
        return address.link("upload", "Upload texts", icon=":material/upload:")
    added, unit = found.sign * found.by_segment, metric_title(found.metric)
    marks = controls.choice("Mark", segment_cards.MARKS, "marks", pages_own=True, width=280)
    legend(marks)
    for name, part in zip((a, b), find_extremes(added, _EACH_WAY), strict=True):
        screen.plain(f"Most in favour of {name}")
        if not part.size:
            st.caption("No segment favours this system.")
        cards(
            view.testset,
            [a, b],
            part.tolist(),
            segment_cards.contributed(added[part].tolist(), unit),
            marks,
        )
    address.link("segments", "All segments, to search and sort", a=a, b=b)


def cards(
    testset: TestSet,
    systems: Sequence[str],
    segments: Sequence[int],
    heads: Sequence[str],
    marks: str = segment_cards.MARKS[0],
) -> None:
    """Return the outputs of some segments side by side, with a head, the source and the references
    above.
    """
    st.html(
        make_once(
            _cards,
            tokens_or_none(testset),
            testset,
            tuple(systems),
            tuple(segments),
            tuple(heads),
            marks,
        )
    )


def _cards(tokens, testset, systems, segments, heads, marks):
    return segment_cards.STYLE + "".join(
        segment_cards.card(testset, systems, k, head, marks=marks, tokens=tokens)
        for k, head in zip(segments, heads, strict=True)
    )


def legend(marks: str = segment_cards.MARKS[0]) -> None:
    """Return the meaning of the tints."""
    st.html(segment_cards.STYLE + segment_cards.legend(marks))


def tokens_or_none(testset: TestSet) -> segment_cards.Tokenize | None:
    """Return the function that finds n-grams; None, with a message, if the metric has none."""
    try:
        return bleu_tokens(tokenizer_name(testset))
    except SettingError as problem:
        screen.error(problem)
        return None


# One segment at a time, out of a list.

#: Segments of a page of the list.
PAGE = 8
#: Systems of a page, where all outputs of a segment are shown.
SYSTEMS = 6
_KEY = "segment"  # in the address: the line of the segment that is shown


def first_listed() -> None:
    """Forget the current segment: the list has changed, and starts at its top."""
    address.keep(_KEY, None)
    st.session_state.pop(_KEY, None)


def choose_segment(testset: TestSet, listed: Sequence[int]) -> int:
    """Return the position of the segment in the address, also if it is not listed, else of the
    first.
    """
    place = {line: k for k, line in enumerate(testset.lines)}

    def read(texts):
        if not texts[-1].isascii() or not texts[-1].isdigit() or int(texts[-1]) not in place:
            raise ValueError(texts[-1])
        return int(texts[-1])

    line = address.settle(
        _KEY, testset.lines[listed[0]], read, lambda line: [str(line)], pages_own=True, always=True
    )
    return place[line]


def show_list(
    lines: Sequence[int], at: int | None, says: Callable[[int, int], Sequence[str]]
) -> None:
    """Draw the page of the list with the current segment; a click opens another.

    `at` is its place in the list, None where it is not listed; says(first, last) is what the
    segments of a part of the list say of themselves.
    """
    begin = (at or 0) // PAGE * PAGE
    part = lines[begin : begin + PAGE]
    with st.container(key="segments-list", gap=None):
        for n, (line, said) in enumerate(zip(part, says(begin, begin + len(part)), strict=True)):
            st.button(
                f"{line} · {said}",
                key=f"segments.row.{n}",
                on_click=_show,
                args=(line,),
                wrap=False,
                type="primary" if begin + n == at else "tertiary",
            )


def show_steps(lines: Sequence[int], at: int | None) -> None:
    """Draw buttons to the previous and next segment and page, with their keys."""
    n, last_page = len(lines) - 1, (len(lines) - 1) // PAGE
    for label, shortcut, step, over in (
        ("Previous", "Up", -1, at == 0),
        ("Next", "Down", 1, at == n),
        ("Page back", "PageUp", -PAGE, at is not None and at < PAGE),
        ("Page on", "PageDown", PAGE, at is not None and at // PAGE == last_page),
    ):
        st.button(
            label,
            key=f"segments.step.{shortcut}",
            shortcut=shortcut,
            on_click=_step,
            args=(lines, step),
            disabled=over,
            wrap=False,
        )


def show_box(inside: str, marks: str | None, lower: bool = False) -> None:
    """Draw the texts in a box that scrolls, with the meaning of its marks below.

    `lower`: two rows of buttons are above it.
    """
    legend = "" if marks is None else segment_cards.legend(marks)
    texts = (
        f'<div class="mt-scrolls" tabindex="0" role="region" aria-label="Segment">{inside}</div>'
    )
    st.html(f'{segment_cards.STYLE}<div class="mt-one{" mt-lower" * lower}">{texts}{legend}</div>')


def show_decided(better: str, deciding: int, n: int) -> None:
    """Write how few segments decide which system scores higher, with a button that shows them."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        screen.faint(
            f"Without {deciding:,} of the {n:,} segments, {better} would not score higher.",
            "content",
        )
        st.button(
            "Show them" if deciding > 1 else "Show it",
            key="segments.decide",
            type="tertiary",
            on_click=_show_deciding,
        )


def _show_deciding():
    st.session_state["only"] = DECIDE
    first_listed()


def not_listed(line: int, n: int, clear: Callable[[], None]) -> None:
    """Write that the segment of the address is not in the list."""
    with st.container(horizontal=True, vertical_alignment="center"):
        screen.plain(f"Line {line} is not among the {n} segments that match the filter.")
        st.button("Clear the filters", on_click=clear, key="segments.clear")


def _show(line):
    st.session_state[_KEY] = line


def _step(lines, step):
    """Move from the session's segment, because keys are faster than pages."""
    here = st.session_state.get(_KEY)
    at = lines.index(here) if here in lines else -1 if step > 0 else 0
    if abs(step) > 1:
        target = (max(at, 0) // PAGE + (1 if step > 0 else -1)) * PAGE
        at = target if 0 <= target < len(lines) else at
    else:
        at = min(max(at + step, 0), len(lines) - 1)
    _show(lines[max(at, 0)])


# The texts of segments, and files of them.

_READABLE = 500  # segments of a file to read


@dataclass(frozen=True)
class Reader:
    """Two systems whose segments are read."""

    view: View
    a: str
    b: str
    also: Sequence[str]  # systems beside them
    marks: str
    statistics: np.ndarray
    added: np.ndarray  # what each segment adds to the difference
    tokens: segment_cards.Tokenize | None

    @property
    def unit(self) -> str:
        return metric_title(self.view.metric)

    def describe(self, positions: np.ndarray) -> str:
        """Write how many segments these are, and the scores on them."""
        testset, n = self.view.testset, len(positions)
        text = (
            "The only segment"
            if testset.n_segments == 1
            else f"All {n:,} segments"
            if n == testset.n_segments
            else f"{n:,} of {testset.n_segments:,} segments"
        )
        metric = resolve_metric(testset, self.view.metric)
        try:
            score_a, score_b, scored = segments.score_selection(
                testset, metric, self.a, self.b, self.statistics, positions
            )
        except MtsigError as problem:  # segments that nobody rated can be read all the same
            return f"{text}: {problem}"
        delta, form = (score_a - score_b) * direction(metric), written_like((score_a, score_b))
        text += f", {scored:,} with scores of both" * (scored < n)
        return f"{text}: {self.a} {score_a:{form}}, {self.b} {score_b:{form}}, {delta:+{form}} {self.unit}"

    def draw_pair(self, k: int, notes: Sequence[str]) -> str:
        """Draw the outputs for a segment, and its neighbours in the document."""
        testset, pair = self.view.testset, [self.a, self.b]
        return segment_cards.card(
            testset,
            [*pair, *self.also],
            k,
            self._head(k),
            marks=self.marks,
            tokens=self.tokens,
            notes=notes,
            outputs_first=True,
        ) + "".join(
            segment_cards.neighbour(testset, pair, each, what)
            for what, each in zip(
                ("before it in the document", "after it"),
                segments.find_neighbours(testset, k),
                strict=True,
            )
            if each is not None
        )

    def draw_all_systems(self, k: int, notes: Sequence[str], page: int) -> str:
        """Draw the outputs of all systems for a segment, one page of them, the best first."""
        testset, scores = self.view.testset, self._scores(k)
        form = written_like(score for _, score in scores if score is not None)
        return segment_cards.system_list(
            testset,
            k,
            [
                (name, number(score, form))
                for name, score in scores[(page - 1) * SYSTEMS : page * SYSTEMS]
            ],
            self._head(k),
            unit=self.unit,
            tokens=self.tokens if self.marks == segment_cards.MARKS[0] else None,
            chosen=(self.a, self.b),
            notes=[*notes, "best first, by the score of this segment"],
        )

    def _head(self, k):
        return segment_cards.contributed([self.added[k]], self.unit)[0]

    def _scores(self, k):
        testset = self.view.testset
        return segments.system_scores(
            testset, resolve_metric(testset, self.view.metric), self.statistics, k
        )

    def show_files(self, shown: np.ndarray, k: int, note: str) -> None:
        """Offer the segments of the list as files, segment k with all systems, and the command."""
        testset, n, called = self.view.testset, len(shown), self.view.named(self.a, self.b)
        line, some = testset.lines[k], shown[:_READABLE].tolist()
        first = f" The first {_READABLE} of them." if n > _READABLE else ""
        files = {
            "csv": (
                f"{'This segment' if n == 1 else f'These {n:,} segments'} as CSV",
                (*called, "segments"),
                lambda: export.for_spreadsheet(
                    *segments.segment_table(testset, self.a, self.b, shown, self.added)
                ),
            ),
            "html": (
                f"{f'The first {_READABLE}' if n > _READABLE else 'The same'} to read (HTML)",
                (*called, "segments"),
                lambda: segment_cards.segments_html(
                    testset,
                    [self.a, self.b, *self.also],
                    some,
                    segment_cards.contributed(self.added[some].tolist(), self.unit),
                    title=f"{testset.name}: {self.a} and {self.b}",
                    marks=self.marks,
                    tokens=self.tokens,
                    note=f"{note}{first}",
                ),
            ),
            "systems": (
                f"Line {line}, all systems, as CSV",
                (*self.view.named(), f"line-{line}"),
                lambda: export.for_spreadsheet(*segments.system_table(testset, k, self._scores(k))),
            ),
        }
        with st.expander("Files, command", key="segments.box"):
            with st.container(horizontal=True):
                for key, (title, name, write) in files.items():
                    charts.download(
                        title, write, name, "html" if key == "html" else "csv", f"segments.{key}"
                    )
            source = views.source_for(self.view, self.a, self.b)
            copyable(
                command_line("segments", source, metrics=self.view.metric),
                "segments.command",
                "Command that prints the statistics of each segment, from which all numbers here are computed",
            )


# Which segments the list has, all in the address.

_EACH, DECIDE = "all segments", "those that decide"
_FILTERS = {
    "document": None,
    "genre": None,
    "text": "",
    "where": segments.PLACES[0],
    "how": segments.WAYS[0],
    "only": _EACH,
    "shortest": None,
    "longest": None,
}
_HOW = (
    "Case does not matter. Whole words need spaces between words. Regular expressions follow Python's "
    "syntax, and stop after two seconds."
)


@dataclass(frozen=True)
class Filters:
    """The filters: arguments of `segments.find_segments`, the name of the document, and whether to
    list only the segments that decide.
    """

    asked: dict
    document: str | None
    only: str

    def find(self, testset: TestSet, a: str, b: str, decide: np.ndarray) -> np.ndarray:
        """Return the positions of the segments."""
        asked, among = self.asked, decide if self.only == DECIDE else None

        def work(looked_at, _progress):
            return segments.find_segments(looked_at, a, b, among=among, **asked)

        if self.asked["how"] != segments.WAYS[2] or not self.asked["text"]:
            return work(testset, None)
        return result_cache.shared_result(
            "segments found",
            testset,
            work,
            "Looking for the expression",
            a,
            b,
            self.only,
            tuple(decide.tolist()),
            *self.asked.items(),
        )

    def describe(self) -> str:
        """Describe all filters in words."""
        asked = self.asked
        parts = [f"document {self.document}"] * (self.document is not None)
        parts += [f"domain {asked['domain']}"] * (asked["domain"] is not None)
        if asked["text"]:
            parts.append(f"{asked['text']!r} ({asked['where']}, {asked['how']})")
        parts += [
            f"{word} {asked[key]:,} characters"
            for key, word in (("shortest", "at least"), ("longest", "at most"))
            if asked[key] is not None
        ]
        return ", ".join(parts + [self.only] * (self.only != _EACH))


def clear_filters() -> None:
    """Clear all filters."""
    st.session_state.update(_FILTERS)
    first_listed()


def pick_filters(testset: TestSet) -> Filters:
    """Draw the filters. A link from another page finds all of them cleared."""
    more = {"pages_own": True, "on_change": first_listed}
    domains = [] if testset.domains is None else list(dict.fromkeys(testset.domains))
    only = controls.choice("Which segments", [_EACH, DECIDE], "only", **more)
    text = controls.text(st, "Text contains", "text", max_chars=500, **more)
    left, right = st.columns(2)
    places = [
        place for place in segments.PLACES if place != "source" or testset.sources is not None
    ]
    where = controls.choice("Where", places, "where", place=left, **more)
    how = controls.choice("How", segments.WAYS, "how", place=right, help=_HOW, **more)
    domain = (
        controls.choice(
            "Domain", domains, "genre", optional=True, placeholder="all domains", **more
        )
        if len(domains) > 1
        else None
    )
    numbers = {} if testset.documents is None else pair_sections.documents_of(testset, domain)
    document = (
        controls.choice(
            "Document",
            list(numbers),
            "document",
            optional=True,
            placeholder=f"all {len(numbers):,} documents",
            **more,
        )
        if numbers
        else None
    )
    shortest, longest = (
        controls.number(
            place,
            label,
            None,
            key,
            least=0.0,
            most=1e6,
            step=1.0,
            format="%.0f",
            help="Of the longest reference",
            **more,
        )
        for place, label, key in zip(
            st.columns(2), ("Characters, at least", "at most"), ("shortest", "longest"), strict=True
        )
    )
    return Filters(
        dict(
            document=numbers.get(document),
            domain=domain,
            text=text,
            where=where,
            how=how,
            shortest=_whole(shortest),
            longest=_whole(longest),
        ),
        document,
        only,
    )


def _whole(length: float | None) -> int | None:
    return None if length is None else int(length)
