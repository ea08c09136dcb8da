"""Choosing two systems, and opening One pair on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from mtsig_core.source import Source
from pages._ui import address, controls, screen
from pages._ui.screen import end_page
from pages._ui.views import View


def choose(view: View, columns: int | Sequence[float] = 2) -> tuple[str, str, list]:
    """Let two systems be chosen, by default the two best; the columns next to the menus are free for more.

    It ends the page where there are no two.
    """
    names = [system.system for system in view.result.systems]
    if len(names) < 2:
        screen.error("There is only one system, so there is no pair. Upload another output, or exclude fewer systems.")
        end_page()
    left, right, *beside = st.columns(columns)
    a = controls.choice("System A", names, "a", place=left)
    b = controls.choice("System B", names, "b", names[1], place=right)
    if a == b:
        screen.error(f"A and B are both {a}. Choose another system for one of them.")
        end_page()
    return a, b, beside


def open_pair(view: View, a: str, b: str | None = None) -> None:
    """Open One pair on a system and the baseline or the best system; if it is that system, on the best of the
    others."""
    names = [system.system for system in view.result.systems]
    if a not in names:
        screen.plain(f"{a} is not ranked. In the sidebar, let the other references take part as systems.")
        return
    leading = view.settings.get("baseline") or names[0]
    b = b or next((name for name in (leading, *names) if name != a), None)
    if b is not None:
        address.go("pair", **asked_of(names, a, b))


def asked_of(names: Sequence[str], a: str, b: str) -> dict[str, str | None]:
    """Return the query of One pair for two systems if the test set has only these, the best first.

    Those chosen there anyway stay out of it: to take them out again would be a step for Back.
    """
    usual = dict(zip("ab", names, strict=False))
    return {key: None if name == usual.get(key) else name for key, name in (("a", a), ("b", b))}


def source_for(view: View, *names: str) -> Source:
    """Return the view's source with only these systems, whatever the view excludes."""
    return replace(view.source, exclude=(), only=names)
