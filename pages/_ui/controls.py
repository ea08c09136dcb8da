"""The settings that all pages share, and the kinds of control; the address holds each choice."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import nullcontext

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import METRICS, TestSet
from mtsig_core.metrics import list_metrics, metric_titles
from mtsig_core.report.commands import defaults
from mtsig_core.stats.ranks import fitting_rules
from mtsig_core.stats.settings import PRESETS, SETTINGS
from mtsig_core.stats.significance import TESTS
from pages._ui import address
from pages._ui.catalogue import Page


def has_effect(page: Page, *keys: str) -> bool:
    """Return whether a page shows one of these settings.

    A setting that is not drawn keeps its value for other pages.
    """
    control, by_choice = page.further
    shown = {*page.settings, *(by_choice.get(address.peek(control), ()) if control else ())}
    return not shown.isdisjoint(keys)


def pick_opened(
    label: str, key: str, labels: Mapping[str, str], usual: str, always: bool = False
) -> str | None:
    """Let the subject of a page be chosen by its label, and return its name in the address; None if
    the address names a missing one. A page never opens another subject without a choice. `always`:
    as in `address.settle`.
    """
    wish = address.asked(key)
    chosen = address.settle(
        key,
        usual,
        lambda texts: texts[-1] if texts[-1] in labels else None,
        lambda name: [wish] if name is None else [name],
        always=always,
    )
    return st.selectbox(
        label,
        list(labels),
        key=key,
        format_func=labels.get,
        **({"index": None, "placeholder": "not here; choose another"} if chosen is None else {}),
    )


def pick_metric(testset: TestSet | None, page: Page) -> str:
    """Let one of the test set's metrics be chosen; None if the test set cannot be read."""
    names = METRICS if testset is None else list_metrics(testset)
    return metric(names, place=st if has_effect(page, "metric") else None)


def metric(names: Iterable[str], place=st) -> str:
    """Draw the choice of the metric in the sidebar."""
    return choice(
        "Metric", list(names), "metric", place=place, format_func=metric_titles(names).get
    )


def pick_settings(page: Page, segment_means: bool = False, testset: TestSet | None = None) -> dict:
    """Describe the test in one line, and draw the controls that have an effect on the page under
    Change; return the keyword arguments of `mtsig_core.compare`.

    Some tests and intervals are for means of segment scores alone.
    """
    shown = [name for name, setting in SETTINGS.items() if setting.offered is not None]
    boxed, ranked = has_effect(page, *shown), "rank_rule" in page.settings
    line = st.empty()
    with (
        st.popover("Change", icon=":material/tune:", key="settings.box") if boxed else nullcontext()
    ):
        presets = st.container()
        if boxed:
            st.caption(
                "Choose before you look at the result. If you try several settings and report one, you test "
                "more than once."
            )
        chosen = _draw_settings(page, shown, segment_means)
        rule = _pick_rank_rule(segment_means) if ranked else {}
        if {"test", "correction"} <= {*page.settings}:
            with presets:
                _offer_presets(
                    segment_means,
                    testset is None or testset.domains is not None,
                    [*shown, *["rank_rule"] * ranked],
                    chosen | rule,
                )
    if boxed:
        line.caption(", ".join(_describe(page, chosen, testset)))
    return chosen | rule


def _draw_settings(page: Page, shown: Sequence[str], segment_means: bool) -> dict:
    """Draw a control for each setting that has an effect on the page; return the values of all."""
    usual, chosen = defaults("compare"), {}
    for name in shown:
        setting = SETTINGS[name]
        place = st if has_effect(page, name) else None
        more = dict(
            help=None if name == "test" else setting.help[:1].upper() + setting.help[1:]
        )  # a list of codes
        offers = setting.list_offers(segment_means, chosen)
        chosen[name] = (
            choice(
                setting.title,
                offers,
                name,
                default=usual[name],
                place=place,
                format_func=setting.name_value,
                **more,
            )
            if offers
            else number(
                place,
                setting.title,
                usual[name],
                name,
                least=setting.least,
                most=min(setting.most, 2**31),
                step=1,
                **more,
            )
        )
    return chosen


def _describe(page: Page, chosen: Mapping, testset: TestSet | None) -> list[str]:
    """Describe the settings that have an effect on the page, in names."""
    unit = chosen["unit"]
    if unit == "auto" and testset is not None:
        unit = "segment" if testset.documents is None else "document"
    correction = (
        TESTS[chosen["test"]].default_correction
        if chosen["correction"] == "auto"
        else chosen["correction"]
    )
    texts = {
        "test": SETTINGS["test"].name_value(chosen["test"]),
        "unit": f"by {unit}",
        "correction": SETTINGS["correction"].name_value(correction),
        "alpha": f"{100 * (1 - chosen['alpha']):g}% CI",
        "seed": f"seed {chosen['seed']}",
    }
    if testset is not None and len(testset.systems) == 2:
        texts["correction"] = "no correction for one pair"
    told = {
        key: text
        for key, text in texts.items()
        if has_effect(page, key) and text not in ("by auto", "seed 0")
    }
    if {"test", "unit"} <= told.keys():
        told["test"] = f"{told['test']} {told.pop('unit')}"
    return list(told.values()) or ["Default settings"]


_PRESET = "settings.preset"
CUSTOM = "custom"


def _offer_presets(
    segment_means: bool, domains: bool, keys: Sequence[str], chosen: Mapping
) -> None:
    """Let settings be chosen together.

    The menu shows the preset that all settings agree with, else Custom.
    """
    usual = defaults("compare")
    misfits = {
        name: preset.explain_misfit(segment_means, domains) for name, preset in PRESETS.items()
    }
    fitting = [name for name, misfit in misfits.items() if not misfit]
    current = usual | chosen
    st.session_state[_PRESET] = next(
        (
            name
            for name in fitting
            if all(current[key] == PRESETS[name].settings.get(key, usual[key]) for key in keys)
        ),
        CUSTOM,
    )

    def use():
        if (name := st.session_state[_PRESET]) != CUSTOM:
            for key in (*keys, "rank_rule"):
                value = PRESETS[name].settings.get(key)
                address.keep(key, None if value in (None, usual[key]) else [str(value)])

    st.selectbox(
        "Preset",
        [*fitting, CUSTOM],
        key=_PRESET,
        on_change=use,
        format_func=name_preset,
        help="  \n".join(f"{PRESETS[name].title}: {PRESETS[name].explanation}" for name in fitting),
    )
    if refused := [misfit for misfit in misfits.values() if misfit]:
        st.caption(" ".join(refused))


def name_preset(name: str) -> str:
    return PRESETS[name].title if name in PRESETS else "Custom"


def pick_baseline(names: list[str], place=st) -> str | None:
    """Let the user compare every system with one, or (None) with the best."""
    best = unlike("the best system", names)
    chosen = choice(
        "Compare with",
        [best, *names],
        "baseline",
        place=place,
        width=310,
        label_visibility="collapsed",
        format_func="Compare with {}".format,
    )
    return None if chosen == best else chosen


def unlike(word: str, names: Container[str]) -> str:
    """Return the label of no choice, changed until it differs from all names."""
    return word if word not in names else unlike(f"{word} of these", names)


def choice(
    label: str,
    options: Sequence,
    key: str,
    default=None,
    *,
    place=st,
    free: bool = False,
    optional: bool = False,
    pages_own: bool = False,
    **more,
):
    """Draw a choice of one value."""
    by_text = {str(option): option for option in options}

    def read(texts):
        if texts[-1] not in by_text and not free:
            raise ValueError(texts[-1])
        return by_text.get(texts[-1], texts[-1])

    usual = None if optional else options[0] if default is None else default
    more |= {"index": None} if optional else {}
    value = address.settle(key, usual, read, lambda value: [str(value)], pages_own=pages_own)
    return (
        value
        if place is None
        else place.selectbox(label, options, key=key, accept_new_options=free, **more)
    )


def steps(label: str, options: Sequence[str], key: str, default: str, **more) -> str:
    """Draw a choice of one of a few values side by side, for the arrow keys; other pages forget
    it.
    """
    address.settle(
        key,
        default,
        _said_as_text(lambda texts: options[options.index(texts[-1])]),
        lambda value: [value],
        pages_own=True,
    )
    return st.radio(label, options, key=key, horizontal=True, **more)


def tabs(
    titles: Sequence[str] | Mapping[str, str], key: str = "tab"
) -> tuple[str, dict[str, DeltaGenerator]]:
    """Draw tabs; return the name of the open one, as the address has it, and the place of each by
    its name.

    `titles` are the names, or the title of each by its name. Pages draw the open tab only, where
    another costs time.
    """
    shown = titles if isinstance(titles, Mapping) else {title: title for title in titles}
    names = {title: name for name, title in shown.items()}
    title = address.settle(
        key,
        next(iter(names)),
        _said_as_text(lambda texts: shown[texts[-1]]),
        lambda title: [names[title]],
        pages_own=True,
    )
    return names[title], dict(
        zip(shown, st.tabs(list(names), key=key, on_change="rerun"), strict=True)
    )


def several(
    label: str, options: Sequence[str], key: str, default: Sequence[str], *, place=st, **more
) -> list[str]:
    """Draw a choice of several values; of those in the address, only the available ones count."""

    def read(texts):
        known, unknown = (
            [text for text in texts if text and (text in options) is here] for here in (True, False)
        )
        if unknown:
            raise address.Partly(", ".join(unknown), known or list(default))
        return known

    chosen = address.settle(key, list(default), read, lambda values: list(values) or [""])
    return chosen if place is None else place.multiselect(label, options, key=key, **more)


def number(place, label: str, usual, key: str, *, least, most, pages_own: bool = False, **more):
    """Draw a field for a number, whole if the default is whole; if the default is None, the field
    may be empty.
    """

    def read(texts):
        value = (float if usual is None else type(usual))(texts[-1])
        if not least <= value <= most:
            raise ValueError(texts[-1])
        return value

    chosen = address.settle(
        key, usual, _said_as_text(read), lambda value: [repr(value)], pages_own=pages_own
    )
    more |= {"value": None} if usual is None else {}
    return (
        chosen
        if place is None
        else place.number_input(label, min_value=least, max_value=most, key=key, **more)
    )


def slider(
    place, label: str, usual: float, key: str, *, least: float, most: float, **more
) -> float:
    """Draw a slider for a number above 0; a value in the address widens its range."""

    def read(texts):
        value = float(texts[-1])
        if not 0 < value < float("inf"):
            raise ValueError(texts[-1])
        return value

    value = address.settle(key, usual, _said_as_text(read), lambda value: [repr(value)])
    return place.slider(label, min(least, value), max(most, value), key=key, **more)


def line(place, lines: Sequence[int]) -> int:
    """Draw a field for a line of the test set."""
    return number(place, "Line", lines[0], "line", least=lines[0], most=lines[-1], step=1)


def toggle(label: str, usual: bool, key: str, *, place=st, pages_own: bool = False, **more) -> bool:
    def read(texts):
        return {"true": True, "false": False}[texts[-1].lower()]

    on = address.settle(
        key, usual, _said_as_text(read), lambda value: [str(value).lower()], pages_own=pages_own
    )
    return on if place is None else place.toggle(label, key=key, **more)


def text(place, label: str, key: str, *, pages_own: bool = False, **more) -> str:
    """Draw a field for a line of text, empty by default."""
    address.settle(
        key,
        "",
        lambda texts: texts[-1][: more.get("max_chars")],
        lambda value: [value],
        pages_own=pages_own,
    )
    return place.text_input(label, key=key, **more)


def page_of(n: int) -> int:
    """Let one of the n pages of a long list be chosen; return its number, from 1."""
    address.settle(
        "page",
        1,
        _said_as_text(lambda texts: range(n + 1)[max(1, int(texts[-1]))]),
        lambda value: [str(value)],
        pages_own=True,
    )
    return st.pagination(n, key="page")


def _said_as_text(read: Callable) -> Callable:
    """A reader of which every mistake names what the address says."""

    def careful(texts):
        try:
            return read(texts)
        except (ValueError, LookupError, OverflowError):
            raise ValueError(texts[-1]) from None

    return careful


def _pick_rank_rule(segment_means: bool) -> dict[str, str]:
    """Let the rank rule be chosen."""
    usual, setting = defaults("compare")["rank_rule"], SETTINGS["rank_rule"]
    rule = choice(
        setting.title,
        list(fitting_rules(segment_means)),
        "rank_rule",
        format_func=setting.name_value,
        help=(
            "How ranks follow from the tests of pairs. Simultaneous rank ranges hold for all systems together. Use the "
            "others to compare with published ranks: Methods says what they ignore. The rules of WMT tasks need a metric "
            "of segment scores, and the rule of WMT24 also the domain of each segment."
        ),
    )
    return {} if rule == usual else {"rank_rule": rule}
