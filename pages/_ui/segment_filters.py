"""Which segments the page Segments lists: by text, length, document and domain, all in the address."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from mtsig_core import TestSet
from mtsig_core.stats import segments
from pages._ui import background, controls, one_pair, segment_reader

__all__ = ["DECIDE", "Filters", "clear", "pick"]

_EACH, DECIDE = "all segments", "those that decide"
_FILTERS = {"document": None, "genre": None, "text": "", "where": segments.PLACES[0], "how": segments.WAYS[0],
            "only": _EACH, "shortest": None, "longest": None}
_HOW = ("Capitals do not matter. Whole words: letters and digits may not go on at either end, so not for scripts "
        "without spaces. Regular expression: that of Python; it has two seconds.")


@dataclass(frozen=True)
class Filters:
    """What is asked for: arguments of `segments.find_segments`, the name of the document, and whether it is only the
    segments that decide."""

    asked: dict
    document: str | None
    only: str

    def find(self, testset: TestSet, a: str, b: str, decide: np.ndarray) -> np.ndarray:
        """Positions of the segments."""
        asked, among = self.asked, decide if self.only == DECIDE else None

        def work(progress=None):
            return segments.find_segments(testset, a, b, among=among, **asked)

        if self.asked["how"] != segments.WAYS[2] or not self.asked["text"]:
            return work()
        key = ("segments found", testset.digest, a, b, self.only, tuple(decide.tolist()), *self.asked.items())
        return background.result(key, work, "Looking for the expression")

    def said(self) -> str:
        """All of it, in words."""
        asked = self.asked
        told = [f"document {self.document}"] * (self.document is not None)
        told += [f"domain {asked['domain']}"] * (asked["domain"] is not None)
        if asked["text"]:
            told.append(f"{asked['text']!r} ({asked['where']}, {asked['how']})")
        told += [f"{word} {asked[key]:,} characters" for key, word in (("shortest", "at least"), ("longest", "at most"))
                 if asked[key] is not None]
        return ", ".join(told + [self.only] * (self.only != _EACH))


def clear() -> None:
    """Ask for nothing."""
    st.session_state.update(_FILTERS)
    segment_reader.first()


def pick(testset: TestSet) -> Filters:
    """Draw the filters. A link from elsewhere finds all of them unset."""
    more = {"pages_own": True, "on_change": segment_reader.first}
    bare = more | {"label_visibility": "collapsed"}
    domains = [] if testset.domains is None else list(dict.fromkeys(testset.domains))
    columns = st.columns([4, 2.9, 3.2, *[2.8] * (len(domains) > 1), *[3.6] * (testset.documents is not None), 2.5])
    text = controls.text(columns[0], "Text contains", "text", placeholder="Text contains", max_chars=500, **bare)
    places = [place for place in segments.PLACES if place != "source" or testset.sources is not None]
    where = controls.choice("Where", places, "where", place=columns[1], **bare)
    only = controls.choice("Which segments", [_EACH, DECIDE], "only", place=columns[2], **bare)
    domain = None
    if len(domains) > 1:
        domain = controls.choice("Domain", domains, "genre", place=columns[3], optional=True,
                                 placeholder="all domains", **bare)
    numbers = {} if testset.documents is None else one_pair.documents_of(testset, domain)
    document = None
    if numbers:
        document = controls.choice("Document", list(numbers), "document", place=columns[-2], optional=True,
                                   placeholder=f"all {len(numbers):,} documents", **bare)
    with columns[-1].popover("More", width="stretch"):
        how = controls.choice("The text is looked for", segments.WAYS, "how", help=_HOW, **more)
        st.caption("Length of the longest reference, in characters")
        shortest, longest = (
            controls.number(place, label, None, key, least=0.0, most=1e6, step=1.0, format="%.0f", **more)
            for place, label, key in zip(st.columns(2), ("At least", "At most"), ("shortest", "longest"), strict=True))
    return Filters(dict(document=numbers.get(document), domain=domain, text=text, where=where, how=how,
                        shortest=_whole(shortest), longest=_whole(longest)), document, only)


def _whole(length: float | None) -> int | None:
    return None if length is None else int(length)
