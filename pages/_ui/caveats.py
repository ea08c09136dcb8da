"""Caveats, each with a button for every remedy that a page offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import streamlit as st

from mtsig_core import METRICS, Caution
from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import fit_remedies_to_task, group_cautions
from mtsig_core.report.sentences import explain_caveats
from mtsig_core.results import TaskComparison
from mtsig_core.stats.settings import SETTINGS
from pages._ui import address, screen

_LITERAL = re.compile(r"[A-Za-z0-9. -]{1,40}")  # a name from a file that Markdown leaves as it is
Mend = Callable[[Remedy], None]
_KEYS = {
    "metrics": "metric",
    "refs_as_systems": "humans",
}  # of the address, where they are not those of the setting


def mend_in_address(remedy: Remedy) -> None:
    """Apply a remedy to this page and the others."""
    for key, value in remedy.items():
        if key == "also":  # beside the metric of the page
            address.keep("metrics", [str(value)])
        elif key == "refs":
            address.keep(key, str(value).split(","))
        else:
            address.keep(_KEYS.get(key, key), [str(value)])


def show(
    cautions: Iterable[Caution],
    place: str,
    *,
    several: bool = False,
    most: int | None = None,
    elsewhere: Iterable[Caution] = (),
) -> int:
    """Draw caveats, a box for each kind, with a button for each remedy; return how many kinds are
    left: beyond `most`, or only `elsewhere` on the page.

    `place` makes the keys of the buttons, where a page shows a warning twice.
    """
    kinds = _group_kinds(cautions)
    gravest_first = (
        sorted(kinds.items(), key=_is_minor) if most is not None else list(kinds.items())
    )
    drawn = gravest_first[:most]
    for (code, metric), some in drawn:
        texts = group_cautions(some, several=several)[0]
        remedies = {str(remedy): remedy for caution in some[:3] for remedy in caution.remedies}
        show_box("\n".join(texts), list(remedies.values()), f"{place}.{code}.{metric or ''}")
    return len({*kinds, *_group_kinds(elsewhere)}) - len(drawn)


def _is_minor(kind: tuple[tuple[str, str | None], list[Caution]]) -> bool:
    """Whether a kind of caveat leaves the scores as they are, which others question."""
    _, cautions = kind
    return not cautions[0].kind.comes_first


def _group_kinds(cautions: Iterable[Caution]) -> dict[tuple[str, str | None], list[Caution]]:
    kinds: dict[tuple[str, str | None], list[Caution]] = {}
    for caution in cautions:
        kinds.setdefault((caution.code, caution.metric), []).append(caution)
    return kinds


def show_of_task(
    comparison: TaskComparison,
    metric: str,
    place: str,
    mend: Mend | None = mend_in_address,
    most: int | None = None,
) -> int:
    """Draw the caveats of a shared task as `show` does, with the remedies that a task has."""
    explained = explain_caveats(comparison, metric)
    for k, (text, cautions) in enumerate(explained[:most]):
        remedies = {
            str(one): one for caution in fit_remedies_to_task(cautions) for one in caution.remedies
        }
        show_box(text, remedies.values(), f"{place}.{k}", mend)
    return 0 if most is None else max(0, len(explained) - most)


def show_box(
    text: str, remedies: Iterable[Remedy], key: str, mend: Mend | None = mend_in_address
) -> None:
    """Draw a caveat with a button for each remedy that a page offers.

    `mend` applies a remedy; without it there are no buttons.
    """
    offered = [
        {
            name: screen.offer_trials(value) if name == "trials" else value
            for name, value in remedy.items()
        }
        for remedy in remedies
    ]
    labels = [(label, remedy) for remedy in offered if (label := _name(remedy)) is not None]
    if not labels or mend is None:
        return screen.caution_box(text)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        screen.caution_box(text)
        for k, (label, remedy) in enumerate(labels):
            if "docs" in remedy:
                address.link("upload", label, icon=":material/upload:")
            else:
                st.button(label, key=f"mend.{key}.{k}", on_click=mend, args=(remedy,))


def _name(remedy: Remedy) -> str | None:
    """Return the label of a button, or None if no page offers the remedy.

    It has no names of systems.
    """
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
            return f"{value:,} permutations" if value else None
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
