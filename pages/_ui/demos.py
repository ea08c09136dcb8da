"""The simulated test sets: what the list calls them, which page opens on which, and the way from a page to one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import streamlit as st

from mtsig_core.simulation.shared_task import PAIRS
from mtsig_core.source import Source
from pages._ui import address, screen

__all__ = ["DEMOS", "FORMER", "KOEHN", "LARGE", "TASK", "ZHANG_VOGEL", "label", "of_task", "offer", "usual"]

TASK, LARGE = Source(demo_task=True), Source(demo=0)
KOEHN, ZHANG_VOGEL = Source(demo=300), Source(demo=1592, demo_references=4)  # of the size of their test sets
#: By what the list calls them; the first one leaves something open.
DEMOS = {"simulated shared task": TASK, "simulated, 30,000 segments": LARGE,
         "simulated, 300 segments": KOEHN, "simulated, 1,592 segments, 4 references": ZHANG_VOGEL}
#: No longer in the list; links to it stay good.
FORMER = Source(demo=1000)
_DRAWING = ("sampling", "sweeps", "validation")  # pages that draw test sets from a large one


def label(source: Source) -> str:
    """What the list calls a source."""
    return next((name for name, demo in DEMOS.items() if demo == source), source.title)


def of_task(name: str) -> Source | None:
    """One language pair of the simulated task, by its name in the address; it is not in the list."""
    return next((source for source in (replace(TASK, langpair=pair) for pair in PAIRS) if source.title == name), None)


def usual(names: Iterable[str], page: str, served: bool) -> str:
    """The name of the set that a page opens on where none was chosen.

    Parameters
    ----------
    names : iterable of str
        Of all that is offered, what belongs to the user before the simulated sets.
    page : str
    served : bool
        Whether the dashboard was started on a test set: then it is that one.
    """
    first = next(iter(names))
    return LARGE.title if first == TASK.title and page in _DRAWING and not served else first


def offer(demo: Source, why: str, source: Source) -> None:
    """A sentence that says why, and below it the way to a simulated set; nothing where `source` is that set."""
    if (demo.demo, demo.demo_references, demo.demo_task) != (source.demo, source.demo_references, source.demo_task):
        screen.plain(why)
        st.button(label(demo), key=f"demo.{demo.title}", type="tertiary", icon=":material/arrow_forward:",
                  on_click=address.keep, args=("testset", [demo.title]))
