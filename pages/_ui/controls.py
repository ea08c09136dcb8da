"""The settings that all pages share, and their controls; the address contains each choice."""

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
from mtsig_core.stats.significance import ONLY_LOOK, TESTS
from pages._ui import address
from pages._ui.catalogue import Page

#: The settings that pages offer under Change.
OFFERED = tuple(name for name, setting in SETTINGS.items() if setting.offered is not None)


def has_effect(page: Page, *keys: str) -> bool:
    """Return whether a page shows one of these settings.

    A setting that is not drawn keeps its value for other pages.
    """
    visible = set(page.settings)
    control, by_choice = page.further
    if control:
        visible.update(by_choice.get(address.peek(control), ()))
    return not visible.isdisjoint(keys)


def pick_opened(
    label: str, key: str, labels: Mapping[str, str], usual: str, always: bool = False
) -> str | None:
    """Let the user choose the data of a page by label; return their name in the address.

    None if the address names a missing one: a page never opens another subject without a choice.
    `always`: as in `address.settle`.
    """
    name_in_address = address.asked(key)

    def read(texts):
        name = texts[-1]
        return name if name in labels else None

    def write(name):
        return [name_in_address if name is None else name]

    name = address.settle(key, usual, read, write, always=always)
    options = {}
    if name is None:
        options = {"index": None, "placeholder": "not here; choose another"}
    return st.selectbox(label, list(labels), key=key, format_func=labels.get, **options)


_CHOOSE_FIRST = (
    "Choose unit, test and metric before you look at the result. If you try several and report "
    "one, you test more than once."
)


def pick_metric(testset: TestSet | None, page: Page) -> str:
    """Let the user choose a metric of the test set, or any metric if the set cannot be read."""
    names = METRICS
    if testset is not None:
        names = list_metrics(testset)
    place = st if has_effect(page, "metric") else None
    return metric(names, place)


def metric(names: Iterable[str], place=st) -> str:
    """Draw the choice of the metric in the sidebar."""
    names = list(names)
    titles = metric_titles(names)
    return choice(
        "Metric", names, "metric", place=place, format_func=titles.get, help=_CHOOSE_FIRST
    )


def pick_settings(
    page: Page,
    change: DeltaGenerator | None,
    segment_means: bool = False,
    testset: TestSet | None = None,
) -> dict:
    """Draw the settings that have an effect on the page under Change, which not every page has.

    Some tests and intervals are only for means of segment scores (`segment_means`).

    Returns
    -------
    dict
        The keyword arguments of `mtsig_core.compare`.
    """
    has_ranks = "rank_rule" in page.settings
    is_compared = "test" in page.settings and "correction" in page.settings
    names = list(OFFERED)
    with change or nullcontext():
        presets = st.container()
        if change is not None:
            st.caption(_CHOOSE_FIRST)
        settings = _draw_settings(page, names, segment_means)
        if is_compared:
            look = _pick_look()
            if look != ONLY_LOOK:
                settings["look"] = look
        if has_ranks:
            names.append("rank_rule")
            rule = _pick_rank_rule(segment_means)
            if rule != defaults("compare")["rank_rule"]:
                settings["rank_rule"] = rule
        if is_compared:
            has_domains = testset is None or testset.domains is not None
            with presets:
                _offer_presets(segment_means, has_domains, names, settings)
    return settings


def _draw_settings(page: Page, names: Sequence[str], segment_means: bool) -> dict:
    """Draw a control for each setting that has an effect on the page; return the values of all."""
    usual = defaults("compare")
    settings = {}
    for name in names:
        setting = SETTINGS[name]
        place = st if has_effect(page, name) else None
        help_text = None  # of the tests it is a list of codes
        if name != "test":
            help_text = setting.help[:1].upper() + setting.help[1:]
        offers = setting.list_offers(segment_means, settings)
        if offers:
            settings[name] = choice(
                setting.title,
                offers,
                name,
                default=usual[name],
                place=place,
                format_func=setting.name_value,
                help=help_text,
            )
        else:
            settings[name] = number(
                place,
                setting.title,
                usual[name],
                name,
                least=setting.least,
                most=min(setting.most, 2**31),
                step=1,
                help=help_text,
            )
    return settings


def describe_settings(page: Page, settings: Mapping, testset: TestSet | None) -> list[str]:
    """Write the settings that have an effect on the page in short phrases.

    A number of permutations or resamples, and a seed, are left out where they are the default.
    """
    usual = defaults("compare")
    unit = settings["unit"]
    if unit == "auto" and testset is not None:
        unit = "segment" if testset.documents is None else "document"
    texts = {"test": SETTINGS["test"].name_value(settings["test"])}
    if unit != "auto":
        texts["unit"] = f"unit: {unit}"
    if settings["trials"] != usual["trials"]:
        draws = "resamples" if TESTS[settings["test"]].is_bootstrap else "permutations"
        texts["trials"] = f"{settings['trials']:,} {draws}"
    texts["correction"] = _describe_correction(settings, testset)
    texts["alpha"] = f"{100 * (1 - settings['alpha']):g}% CI"
    if settings["seed"] != usual["seed"]:
        texts["seed"] = f"seed {settings['seed']}"
    if "look" in settings:
        texts["alpha"] = f"look {settings['look']}"
    texts = {name: text for name, text in texts.items() if has_effect(page, name)}
    if "test" in texts and "unit" in texts:
        texts["test"] += f" by {unit}"
        texts.pop("unit")
    return list(texts.values())


def _describe_correction(settings: Mapping, testset: TestSet | None) -> str:
    if testset is not None and len(testset.systems) == 2:
        return "no correction for one pair"
    correction = settings["correction"]
    if correction == "auto":
        correction = TESTS[settings["test"]].default_correction
    return SETTINGS["correction"].name_value(correction)


_PRESET = "settings.preset"
_MOST_OFFERED_LOOKS = 5  # of a plan; others can be typed
CUSTOM = "custom"


def _offer_presets(
    segment_means: bool, has_domains: bool, names: Sequence[str], settings: Mapping
) -> None:
    """Let the user choose a preset of settings.

    The menu shows the preset that agrees with all settings, else Custom.
    """
    fitting = []
    misfits = []
    for preset_name, preset in PRESETS.items():
        misfit = preset.explain_misfit(segment_means, has_domains)
        if misfit:
            misfits.append(misfit)
        else:
            fitting.append(preset_name)
    st.session_state[_PRESET] = _find_preset(fitting, names, settings)
    explanations = [f"{PRESETS[name].title}: {PRESETS[name].explanation}" for name in fitting]
    st.selectbox(
        "Preset",
        [*fitting, CUSTOM],
        key=_PRESET,
        on_change=_use_preset,
        args=(names,),
        format_func=name_preset,
        help="  \n".join(explanations),
    )
    if misfits:
        st.caption(" ".join(misfits))


def _find_preset(preset_names: Iterable[str], names: Sequence[str], settings: Mapping) -> str:
    """Return the preset that all settings agree with, else Custom."""
    usual = defaults("compare")
    current = usual | settings
    for preset_name in preset_names:
        preset = usual | PRESETS[preset_name].settings
        if all(current[name] == preset[name] for name in names):
            return preset_name
    return CUSTOM


def _use_preset(names: Sequence[str]) -> None:
    preset_name = st.session_state[_PRESET]
    if preset_name == CUSTOM:
        return
    usual = defaults("compare")
    for name in (*names, "rank_rule"):
        value = PRESETS[preset_name].settings.get(name, usual[name])
        address.keep(name, None if value == usual[name] else [str(value)])


def name_preset(name: str) -> str:
    """Return the title of a preset, or of none."""
    if name in PRESETS:
        return PRESETS[name].title
    return "Custom"


def pick_baseline(names: list[str], place=st) -> str | None:
    """Let the user compare every system with one, or (None) with the best."""
    best = unlike("the best system", names)
    baseline = choice(
        "Compare with",
        [best, *names],
        "baseline",
        place=place,
    )
    return None if baseline == best else baseline


def unlike(word: str, names: Container[str]) -> str:
    """Return the label of no choice, changed until it differs from all names."""
    while word in names:
        word = f"{word} of these"
    return word


# -- kinds of control -----------------------------------------------------------------------------


def choice(  # noqa: PLR0913  each kind of choice is an option
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
    """Draw a choice of one value; without a place, return it only.

    If it is `free`, the user can type other values than the options. If it is `optional`, the user
    can choose no value.
    """
    by_text = {str(option): option for option in options}

    def read(texts):
        text = texts[-1]
        if text not in by_text and not free:
            raise ValueError(text)
        return by_text.get(text, text)

    usual = default
    if optional:
        usual = None
        more["index"] = None
    elif default is None:
        usual = options[0]
    value = address.settle(key, usual, read, lambda value: [str(value)], pages_own=pages_own)
    if place is None:
        return value
    return place.selectbox(label, options, key=key, accept_new_options=free, **more)


def steps(label: str, options: Sequence[str], key: str, default: str, **more) -> str:
    """Draw a choice of one of a few values side by side, for the arrow keys.

    Other pages forget it.
    """

    def read(text):
        return options[options.index(text)]

    address.settle(key, default, _read_last(read), _write_text, pages_own=True)
    return st.radio(label, options, key=key, horizontal=True, **more)


def tabs(
    titles: Sequence[str] | Mapping[str, str], key: str = "tab", usual: str | None = None
) -> tuple[str, dict[str, DeltaGenerator]]:
    """Draw tabs; return the name of the open one, and the place of each by its name.

    `titles` are the names in the address, or a mapping from these names to titles. `usual` is the
    name of the tab that is open at first, by default the first. If a tab costs time, pages draw
    only the open tab.
    """
    if not isinstance(titles, Mapping):
        titles = {title: title for title in titles}
    names = {title: name for name, title in titles.items()}
    title = address.settle(
        key,
        titles[usual] if usual in titles else next(iter(names)),
        _read_last(lambda name: titles[name]),
        lambda title: [names[title]],
        pages_own=True,
    )
    places = st.tabs(list(names), key=key, on_change="rerun")
    return names[title], dict(zip(titles, places, strict=True))


def several(
    label: str, options: Sequence[str], key: str, default: Sequence[str], *, place=st, **more
) -> list[str]:
    """Draw a choice of several values; unavailable values in the address do not count."""

    def read(texts):
        known = [text for text in texts if text in options]
        unknown = [text for text in texts if text and text not in options]
        if unknown:
            raise address.Partly(", ".join(unknown), known or list(default))
        return known

    values = address.settle(key, list(default), read, lambda values: list(values) or [""])
    if place is None:
        return values
    return place.multiselect(label, options, key=key, **more)


def number(place, label: str, usual, key: str, *, least, most, pages_own: bool = False, **more):
    """Draw a field for a number; without a place, return it only.

    If the default is a whole number, the field accepts whole numbers. If the default is missing,
    the field may be empty.
    """
    kind = type(usual)
    if usual is None:
        kind = float
        more["value"] = None

    def read(text):
        value = kind(text)
        if not least <= value <= most:
            raise ValueError(text)
        return value

    value = address.settle(key, usual, _read_last(read), _write_number, pages_own=pages_own)
    if place is None:
        return value
    return place.number_input(label, min_value=least, max_value=most, key=key, **more)


def slider(
    place, label: str, usual: float, key: str, *, least: float, most: float, **more
) -> float:
    """Draw a slider for a number above 0; a value in the address widens its range."""

    def read(text):
        value = float(text)
        if not 0 < value < float("inf"):
            raise ValueError(text)
        return value

    value = address.settle(key, usual, _read_last(read), _write_number)
    return place.slider(label, min(least, value), max(most, value), key=key, **more)


def line(place, lines: Sequence[int]) -> int:
    """Draw a field for a line of the test set."""
    return number(place, "Line", lines[0], "line", least=lines[0], most=lines[-1], step=1)


def toggle(label: str, usual: bool, key: str, *, place=st, pages_own: bool = False, **more) -> bool:
    """Draw a switch; without a place, return its value only."""

    def read(text):
        return {"true": True, "false": False}[text.lower()]

    def write(is_on):
        return [str(is_on).lower()]

    is_on = address.settle(key, usual, _read_last(read), write, pages_own=pages_own)
    if place is None:
        return is_on
    return place.toggle(label, key=key, **more)


def text(place, label: str, key: str, *, pages_own: bool = False, **more) -> str:
    """Draw a field for a line of text, empty by default."""
    longest = more.get("max_chars")
    address.settle(key, "", lambda texts: texts[-1][:longest], _write_text, pages_own=pages_own)
    return place.text_input(label, key=key, **more)


def page_of(n: int) -> int:
    """Let the user choose one of the n pages of a long list; return its number, from 1."""

    def read(text):
        number = max(1, int(text))
        if number > n:
            raise ValueError(text)
        return number

    address.settle("page", 1, _read_last(read), _write_number, pages_own=True)
    return st.pagination(n, key="page")


def _write_text(value: str) -> list[str]:
    return [value]


def _write_number(value: float) -> list[str]:
    return [repr(value)]


def _read_last(read: Callable[[str], object]) -> Callable[[list[str]], object]:
    """Read the last text of the address; each mistake names that text."""

    def read_last(texts):
        try:
            return read(texts[-1])
        except (ValueError, LookupError, OverflowError):
            raise ValueError(texts[-1]) from None

    return read_last


def _pick_look() -> str:
    """Let the user choose which look at a running evaluation this is."""
    setting = SETTINGS["look"]
    looks = [ONLY_LOOK]
    for n_planned in range(2, _MOST_OFFERED_LOOKS + 1):
        looks += [f"{number}/{n_planned}" for number in range(1, n_planned + 1)]
    return choice(
        setting.title,
        looks,
        "look",
        free=True,
        format_func=setting.name_value,
        help=(
            "Where ratings are still coming in, fix beforehand how many times you will look, and say which look this "
            "is: 2/5 is the second of five. Each look then decides at a level of its own, so that all together err "
            "as seldom as one. Other plans can be typed."
        ),
    )


def _pick_rank_rule(segment_means: bool) -> str:
    """Let the user choose the rank rule."""
    setting = SETTINGS["rank_rule"]
    return choice(
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
