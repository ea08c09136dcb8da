"""Caveats, each with the buttons that mend it where a page can."""

from __future__ import annotations

import re
from collections.abc import Iterable

import streamlit as st

from mtsig_core import METRICS, Caution
from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions
from mtsig_core.stats.settings import SETTINGS
from pages._ui import address, screen

_LITERAL = re.compile(r"[A-Za-z0-9. -]{1,40}")  # a name from a file that Markdown leaves as it is
_KEYS = {"metrics": "metric", "refs_as_systems": "humans"}  # of the address, where they are not those of the setting


def show(cautions: Iterable[Caution], place: str, *, several: bool = False, most: int | None = None) -> int:
    """Draw warnings, a box for each kind, with a button for each remedy; give how many are beyond `most`.

    `place` makes the keys of the buttons, where a page shows a warning twice.
    """
    kinds: dict[tuple[str, str | None], list[Caution]] = {}
    for caution in cautions:
        kinds.setdefault((caution.code, caution.metric), []).append(caution)
    for (code, metric), some in list(kinds.items())[:most]:
        texts = group_cautions(some, several=several)[0]
        remedies = {str(remedy): remedy for caution in some[:3] for remedy in caution.remedies}
        show_box("\n".join(texts), list(remedies.values()), f"{place}.{code}.{metric or ''}")
    return max(0, len(kinds) - (len(kinds) if most is None else most))


def show_box(text: str, remedies: list[Remedy], key: str) -> None:
    """A warning, and beside it a button for each remedy that a page has."""
    labels = [(label, remedy) for remedy in remedies if (label := _name(remedy)) is not None]
    if not labels:
        return screen.caution_box(text)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        screen.caution_box(text)
        for k, (label, remedy) in enumerate(labels):
            if "docs" in remedy:
                address.link("upload", label, icon=":material/upload:")
            else:
                st.button(label, key=f"mend.{key}.{k}", on_click=_mend, args=(remedy,))


def _name(remedy: Remedy) -> str | None:
    """The label of a button; None where no page can do it. Names of systems stay out of it."""
    names = [_name_setting(key, value) for key, value in remedy.items()]
    verb = "Add" if "docs" in remedy or "also" in remedy else "Use"
    return None if None in names else f"{verb} {' with '.join(filter(None, names))}"


def _name_setting(key: str, value: str | int) -> str | None:
    match key:
        case "docs":
            return "document ids"
        case "unit":
            return f"{value}s"
        case "trials":
            return None if (offered := screen.offer_trials(value)) is None else f"{offered:,} permutations"
        case "test" | "correction":
            return SETTINGS[key].name_value(value)
        case "metrics" | "also":
            return metric_title(value) if value in METRICS or _LITERAL.fullmatch(value) else None
        case "tokenize":
            return f"the tokenizer {value}" if str(value).isascii() else None
        case "rank_rule":
            return "simultaneous rank ranges" if value == "simultaneous" else None
        case "refs":
            return "the other references" if not str(value).isupper() else None
    return None


def _mend(remedy: Remedy) -> None:
    for key, value in remedy.items():
        if key == "also":  # beside the metric of the page
            address.keep("metrics", [str(value)])
        elif key == "refs":
            address.keep(key, str(value).split(","))
        else:
            address.keep(_KEYS.get(key, key), [str(screen.offer_trials(value) if key == "trials" else value)])
