"""What part of a test set is compared: references, systems, domain. Chosen at the side, in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from mtsig_core import SettingError, TestSet
from mtsig_core.jobs import Memory
from mtsig_core.sources import option_with
from pages._ui.controls import choice, several, unlike

__all__ = ["LEFT_OUT", "Part", "pick_part"]

LEFT_OUT = "exclude"  # the key of the systems left out
_PARTS = Memory(16)


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


def pick_part(whole: TestSet, refs: tuple[str, ...], humans: bool) -> Part:
    """Choose references, domain and systems; `refs` score at first (empty: all), with `humans` the others take part."""
    options = []
    with st.expander("Systems and segments"):
        every = list(whole.references)
        chosen, join = every, False
        if len(every) > 1:
            chosen = several("Score with", every, "refs", list(refs) or every)
            all_chosen = len(chosen) == len(every)
            join = st.toggle("Other references take part as systems", humans, key="humans", bind="query-params",
                             persist_state="session", disabled=all_chosen) and not all_chosen
            if not chosen:
                raise SettingError("No reference to score with. Choose at least one under Systems and segments.")
            if not all_chosen:
                options += [*option_with("--refs", ",".join(chosen)), *(["--refs-as-systems"] if join else [])]
        systems = [*whole.systems, *(f"HUMAN-{name}" for name in every if join and name not in chosen)]
        left_out = several("Leave out systems", systems, LEFT_OUT, [],
                            help="The ranks and the correction change with the family; the Leaderboard shows how.")
        domain = None
        if whole.domains is not None:
            anything = unlike("all", whole.domains)
            domain = choice("Domain", [anything, *dict.fromkeys(whole.domains)], "domain")
            domain = None if domain == anything else domain
            options += [] if domain is None else option_with("--domain", domain)
    options += option_with("--exclude", ",".join(left_out)) if left_out else []
    return Part(*_parts(whole, tuple(chosen), join, domain, tuple(left_out)), options)


def _parts(whole, chosen, join, domain, left_out):
    """The three test sets of a `Part`, remembered: each knows its digest, which takes time to find."""
    key = (whole.digest, whole.name, chosen, join, domain, left_out)
    if (found := _PARTS.get(key)) is None:
        others = [name for name in whole.references if name not in chosen]
        family = whole.scored_with(chosen, others_as_systems=join) if others else whole
        complete = [name for name in others if None not in whole.references[name]]
        unranked = None
        if complete and not join:
            named = {name: f"HUMAN-{name}" for name in complete}
            unranked = replace(family, systems={human: whole.references[name] for name, human in named.items()},
                               scores={metric: scores.of(named) for metric, scores in whole.scores.items()})
        if domain is not None:
            family, unranked = family.in_domain(domain), unranked and unranked.in_domain(domain)
        found = (family.without(left_out) if left_out else family, family, unranked)
        _PARTS.keep(key, found)
    return found
