"""Show caveats, each with a button for every remedy that the page offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import streamlit as st

from mtsig_core import METRICS, Caution
from mtsig_core.errors import Remedy
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import (
    fit_remedies_to_task,
    group_by_kind,
    group_cautions,
    list_remedies,
)
from mtsig_core.report.sentences import explain_cautions
from mtsig_core.results import TaskComparison
from mtsig_core.stats.settings import SETTINGS
from pages._ui import address, screen

_LITERAL = re.compile(r"[A-Za-z0-9. -]{1,40}")  # a name from a file that Markdown leaves as it is
Mend = Callable[[Remedy], None]
#: Keys of the address that differ from the name of the setting.
_KEYS = {"metrics": "metric", "refs_as_systems": "humans"}


def mend_in_address(remedy: Remedy) -> None:
    """Apply a remedy to this page and the others."""
    for key, value in remedy.items():
        if key == "also":  # in addition to the metric of the page
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
    """Draw caveats, a box for each kind, with a button for each remedy.

    `place` makes the keys of the buttons, where a page shows a caution twice. Return how many kinds are
    left: those beyond `most`, and those that only `elsewhere` has.
    """
    groups = list(group_by_kind(cautions).items())
    if most is not None:
        groups.sort(key=_is_minor)
    for (code, metric), group in groups[:most]:
        texts = group_cautions(group, several=several)[0]
        show_box("\n".join(texts), list_remedies(group[:3]), f"{place}.{code}.{metric or ''}")
    kinds = {kind for kind, _ in groups}
    return len(kinds | group_by_kind(elsewhere).keys()) - len(groups[:most])


def _is_minor(item: tuple[tuple[str, str | None], list[Caution]]) -> bool:
    """Whether a kind of caveat leaves the scores as they are, which others question."""
    _, cautions = item
    return not cautions[0].kind.comes_first


def show_of_task(
    comparison: TaskComparison,
    metric: str,
    place: str,
    mend: Mend | None = mend_in_address,
    most: int | None = None,
) -> int:
    """Draw the caveats of a shared task as `show` does, with the remedies that a task has."""
    explained = explain_cautions(comparison, metric)
    for number, (text, cautions) in enumerate(explained[:most]):
        remedies = list_remedies(fit_remedies_to_task(cautions))
        show_box(text, remedies, f"{place}.{number}", mend)
    if most is None:
        return 0
    return max(0, len(explained) - most)


def show_box(
    text: str, remedies: Iterable[Remedy], key: str, mend: Mend | None = mend_in_address
) -> None:
    """Draw a caveat with a button for each remedy that a page offers.

    `mend` applies a remedy; without it there are no buttons.
    """
    buttons = []
    for remedy in map(_fit_to_page, remedies):
        label = _label_button(remedy)
        if label is not None:
            buttons.append((label, remedy))
    if not buttons or mend is None:
        screen.caution_box(text)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        screen.caution_box(text)
        for number, (label, remedy) in enumerate(buttons):
            if "docs" in remedy:
                address.link("upload", label, icon=":material/upload:")
            else:
                st.button(label, key=f"mend.{key}.{number}", on_click=mend, args=(remedy,))


def _fit_to_page(remedy: Remedy) -> Remedy:
    """Replace a number of permutations by the next that pages offer."""
    if "trials" in remedy:
        return {**remedy, "trials": screen.offer_trials(remedy["trials"])}
    return remedy


def _label_button(remedy: Remedy) -> str | None:
    """Return the label of a button, or None if no page offers the remedy.

    It has no names of systems.
    """
    labels = []
    for key, value in remedy.items():
        label = _label_setting(key, value)
        if label is None:
            return None
        labels.append(label)
    verb = "Add" if "docs" in remedy or "also" in remedy else "Use"
    return f"{verb} {' with '.join(labels)}"


def _label_setting(key: str, value: str | int) -> str | None:  # noqa: PLR0911  a row for each setting
    match key:
        case "docs":
            return "document ids"
        case "unit":
            return f"{value}s"
        case "trials" if value:
            return f"{value:,} permutations"
        case "test" | "correction":
            return SETTINGS[key].name_value(value)
        case "metrics" | "also" if value in METRICS or _LITERAL.fullmatch(str(value)):
            return metric_title(str(value))
        case "tokenize" if str(value).isascii():
            return f"the tokenizer {value}"
        case "rank_rule" if value == "simultaneous":
            return "simultaneous rank ranges"
        case "refs" if not str(value).isupper():
            return "the other references"
        case _:
            return None
