"""The settings that all pages share; every one is in the address of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from mtsig_core import METRICS, SettingError, TestSet
from mtsig_core.correction import CORRECTIONS
from mtsig_core.intervals import INTERVALS
from mtsig_core.resampling import UNITS
from mtsig_core.significance import TESTS
from mtsig_core.sources import option_with

__all__ = ["LEFT_OUT", "Part", "pick_baseline", "pick_metric", "pick_part", "pick_settings", "pick_testset", "unusable"]

_TRIALS = [999, 1999, 4999, 9999, 49999]
_ALPHAS = [0.10, 0.05, 0.01, 0.005, 0.001]
LEFT_OUT = "exclude"  # the key of the systems left out
_UNUSABLE = "controls.unusable"


@dataclass(frozen=True)
class Part:
    """What is chosen of a test set.

    Attributes
    ----------
    testset : TestSet
        Without the systems left out.
    family : TestSet
        With them, on the same segments and references.
    unranked : TestSet or None
        The references that neither score nor take part, as systems.
    options : list of str
        What says so on the command line.
    """

    testset: TestSet
    family: TestSet
    unranked: TestSet | None
    options: list[str]


def pick_testset(names: list[str]) -> str:
    return _choice("Test set", names, "testset")


def pick_metric() -> str:
    return _choice("Metric", list(METRICS), "metric")


def pick_settings() -> dict:
    """Draw the controls of the test, return the keyword arguments of `mtsig_core.compare`."""
    test = _choice("Test", list(TESTS), "test", help="; ".join(f"{t.name}: {t.title}" for t in TESTS.values()))
    allowed = [c for c in CORRECTIONS if TESTS[test].romano_wolf or c != "romano-wolf"]
    if TESTS[test].p_values is None:
        allowed = ["none"]
    correction = _choice("Correction", ["auto", *allowed], "correction", help="For the number of pairs tested.")
    with st.expander("More settings"):
        return dict(
            test=test, correction=correction,
            unit=_choice("Unit", ["auto", *UNITS], "unit", help="What is drawn or swapped. auto: the document where "
                                                                 "document ids are known, else the segment."),
            ci=_choice("Interval", ["auto", *INTERVALS], "ci"),
            alpha=_choice("Level (alpha)", _ALPHAS, "alpha", default=0.05),
            trials=_choice("Trials", _TRIALS, "trials", default=9999, help="Draws of the test."),
            seed=int(st.number_input("Seed", min_value=0, max_value=2**31, value=0, step=1, key="seed",
                                     bind="query-params", persist_state="session")))


def pick_part(whole: TestSet, refs: tuple[str, ...], humans: bool) -> Part:
    """Choose references, domain and systems; `refs` score at first (empty: all), with `humans` the others take part."""
    options, unranked = [], None
    with st.expander("Systems and segments"):
        family, every = whole, list(whole.references)
        if len(every) > 1:
            chosen = _several("Score with", every, "refs", list(refs) or every)
            others = [name for name in every if name not in chosen]
            join = st.toggle("Other references take part as systems", humans, key="humans", bind="query-params",
                             persist_state="session", disabled=not others)
            if not chosen:
                raise SettingError("No reference to score with. Choose at least one under Systems and segments.")
            if others:
                family = whole.scored_with(chosen, others_as_systems=join)
                options += [*option_with("--refs", ",".join(chosen)), *(["--refs-as-systems"] if join else [])]
                complete = [name for name in others if None not in whole.references[name]]
                if complete and not join:
                    unranked = replace(family, systems={f"HUMAN-{name}": whole.references[name] for name in complete})
        left_out = _several("Leave out systems", list(family.systems), LEFT_OUT, [],
                            help="The ranks and the correction change with the family; the Leaderboard shows how.")
        if whole.domains is not None:
            every = _unlike("all", whole.domains)
            domain = _choice("Domain", [every, *dict.fromkeys(whole.domains)], "domain")
            if domain != every:
                family, unranked = family.in_domain(domain), unranked and unranked.in_domain(domain)
                options += option_with("--domain", domain)
    testset = family
    if left_out:
        testset = family.without(left_out)
        options += option_with("--exclude", ",".join(left_out))
    return Part(testset, family, unranked, options)


def pick_baseline(names: list[str]) -> str | None:
    """Compare every system with one, or (None) with every other."""
    every = _unlike("every other system", names)
    chosen = _choice("Compare each system with", [every, *names], "baseline", width=320)
    return None if chosen == every else chosen


def _unlike(word, names):
    """The word, made unlike all names."""
    return word if word not in names else _unlike(f"{word} of these", names)


def unusable(page: str) -> list[str]:
    """What the link asked for and no control has; said on the page where it was found, until another is opened."""
    found = st.session_state.get(_UNUSABLE, {})
    for text, where in list(found.items()):
        if where in (None, page):
            found[text] = page
        else:
            del found[text]
    return list(found)


def _several(label, options, key, default, help=None):
    _check_link(key, options, several=True)
    return st.multiselect(label, options, default, key=key, help=help, bind="query-params", persist_state="session")


def _choice(label, options, key, default=None, help=None, width="stretch"):
    _check_link(key, options)
    # No format_func: what it returns, not the option, would stand in the address.
    return st.selectbox(label, options, index=0 if default is None else options.index(default), key=key, help=help,
                        width=width, bind="query-params", persist_state="session")


def _check_link(key, options, several=False):
    """Remember what the link asks of a control that it does not have: Streamlit takes the default without a word."""
    known = set(map(str, options))
    asked = st.query_params.get_all(key) if several else st.query_params.get_all(key)[-1:]
    wrong = [value for value in asked if value not in known]
    if wrong and key != "testset":  # which has its own message
        text = f"The link asks for {key}={', '.join(wrong)}, which is not to be had here; the default stands instead."
        st.session_state.setdefault(_UNUSABLE, {})[text] = None
