"""One segment on screen at a time, out of a list: which it is, the keys that step through the list, and its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from mtsig_core import TestSet
from mtsig_core.report import segment_cards
from pages._ui import address, screen

__all__ = ["PAGE", "SYSTEMS", "choose", "first", "not_listed", "show_box", "show_decided", "show_list",
           "show_steps"]

#: Segments of a page of the list.
PAGE = 8
#: Systems of a page, where all outputs of a segment are shown.
SYSTEMS = 6
_KEY = "segment"  # in the address: the line of the segment that is shown
# What is left of the window below the controls: the page stays one screen high, whatever the texts.
_STYLE = """<style>
.mt-one {height: calc(100vh - 27.5rem); min-height: 15rem; display: flex; flex-direction: column; gap: .25rem}
.mt-one.mt-lower {height: calc(100vh - 31rem); min-height: 12rem}
.mt-one .mt-scrolls {flex: 1; min-height: 0; overflow-y: auto; padding-right: .5rem}
.mt-one .mt-pair:first-child {border-top: none; margin-top: 0}
.st-key-segments-list button {min-height: 1.75rem; padding: 0 .4rem; justify-content: flex-start; width: 100%}
.st-key-segments-list button p {font-variant-numeric: tabular-nums; font-size: .85rem}
</style>"""


def first() -> None:
    """Forget which segment was shown: the list is another, and begins at its top."""
    address.keep(_KEY, None)
    st.session_state.pop(_KEY, None)


def choose(testset: TestSet, listed: Sequence[int]) -> int:
    """Position of the segment to show: that of the line in the address, also where it is not listed, else the first.

    Parameters
    ----------
    testset : TestSet
    listed : sequence of int
        Positions, from 0, in the order of the list.
    """
    place = {line: k for k, line in enumerate(testset.lines)}

    def read(texts):
        if not texts[-1].isascii() or not texts[-1].isdigit() or int(texts[-1]) not in place:
            raise ValueError(texts[-1])
        return int(texts[-1])

    line = address.settle(_KEY, testset.lines[listed[0]], read, lambda line: [str(line)], pages_own=True, always=True)
    return place[line]


def show_list(lines: Sequence[int], at: int | None, says: Callable[[int, int], Sequence[str]]) -> None:
    """The page of the list that has the segment shown; a click shows another.

    Parameters
    ----------
    lines : sequence of int
        The lines of all listed segments.
    at : int or None
        Which of them is shown; None where it is not listed.
    says : callable
        (first, last) -> what each segment of that part of the list says of itself.
    """
    st.html(_STYLE)
    begin = (at or 0) // PAGE * PAGE
    part = lines[begin:begin + PAGE]
    with st.container(key="segments-list", gap=None):
        for n, (line, said) in enumerate(zip(part, says(begin, begin + len(part)), strict=True)):
            st.button(f"{line} · {said}", key=f"segments.row.{n}", on_click=_show, args=(line,), wrap=False,
                      type="primary" if begin + n == at else "tertiary")


def show_steps(lines: Sequence[int], at: int | None) -> None:
    """Buttons to the segment and the page before and after, with their keys."""
    n, last_page = len(lines) - 1, (len(lines) - 1) // PAGE
    for label, shortcut, step, over in (
            ("Previous", "Up", -1, at == 0), ("Next", "Down", 1, at == n),
            ("Page back", "PageUp", -PAGE, at is not None and at < PAGE),
            ("Page on", "PageDown", PAGE, at is not None and at // PAGE == last_page)):
        st.button(label, key=f"segments.step.{shortcut}", shortcut=shortcut, on_click=_step, args=(lines, step),
                  disabled=over, wrap=False)


def show_box(inside: str, marks: str | None, lower: bool = False) -> None:
    """The texts, in a box that scrolls within itself; below it what is marked in them, if anything is. `lower`: there
    are two rows of buttons above it."""
    legend = "" if marks is None else segment_cards.legend(marks)
    texts = f'<div class="mt-scrolls" tabindex="0" role="region" aria-label="Segment">{inside}</div>'
    st.html(f'{segment_cards.STYLE}<div class="mt-one{" mt-lower" * lower}">{texts}{legend}</div>')


def show_decided(ahead: str, deciding: int, n: int) -> None:
    """Say how few segments the lead of a system hangs on."""
    what = "1 segment (of {}) that adds" if deciding == 1 else f"{deciding} segments (of {{}}) that add"
    screen.faint(f"Without the {what.format(n)} most to its lead, {ahead} would not be ahead. To read them: "
                 "'those that decide'.")


def not_listed(line: int, n: int, clear: Callable[[], None]) -> None:
    """Say that the segment of the address is none of those listed."""
    with st.container(horizontal=True, vertical_alignment="center"):
        screen.plain(f"Line {line}, which the link asks for, is not among the {n} segments listed.")
        st.button("Clear the filters", on_click=clear, key="segments.clear")


def _show(line):
    st.session_state[_KEY] = line


def _step(lines, step):
    """Go on from where the session is, which may be further than what was drawn last: keys are quicker than pages."""
    here = st.session_state.get(_KEY)
    at = lines.index(here) if here in lines else -1 if step > 0 else 0
    if abs(step) > 1:
        target = (max(at, 0) // PAGE + (1 if step > 0 else -1)) * PAGE
        at = target if 0 <= target < len(lines) else at
    else:
        at = min(max(at + step, 0), len(lines) - 1)
    _show(lines[max(at, 0)])
