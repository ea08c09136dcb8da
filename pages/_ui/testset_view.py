"""What is on screen of one test set: which part of it was chosen, and the comparison that it asks for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import streamlit as st

from mtsig_core import Comparison, MetricResult, SettingError, TestSet
from mtsig_core.metrics import depends_on_testset, resolve_metric
from mtsig_core.metrics.tokenizers import TOKENIZERS, tokenizer_name
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source
from mtsig_core.testset import name_as_system
from pages._ui import result_cache
from pages._ui.controls import choice, several, toggle, unlike
from pages._work.memory import remember

LEFT_OUT = "exclude"  # the key of the systems left out
REASON = "reason."  # and, before the name of each, of the reason
_SYSTEMS = ("a", "b", "system", "baseline", "also")  # the keys of controls that name systems


@dataclass(frozen=True)
class Part:
    """What is chosen of a test set."""

    testset: TestSet  # without the systems left out
    family: TestSet  # with them, on the same segments and references
    unranked: TestSet | None  # the references that neither score nor take part, as systems
    source: Source  # what says so on the command line


def pick_tokenizer(whole: TestSet) -> TestSet:
    """The test set split as chosen, auto being as it came."""
    if whole.has_texts:
        chosen = choice(f"Tokenizer (auto: {tokenizer_name(whole)})", ["auto", *TOKENIZERS], "tokenize", help=(
            "Finds the words for BLEU and other metrics of words, with the names of sacreBLEU. auto: what was given "
            "with the texts, else by the target language: zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean, "
            "13a for all others."))
        if chosen != "auto":
            return _with_tokenizer(whole, chosen)
    return whole


@remember(16)
def _with_tokenizer(whole: TestSet, tokenizer: str) -> TestSet:
    return replace(whole, tokenizer=tokenizer)


def pick_part(whole: TestSet, source: Source, metric: str, drawn: bool = True) -> Part:
    """Choose references, domain and systems; at first as the source says. Nothing is `drawn` where it has no effect.

    Human translations that score others, or whose texts are not here, take part where the metric is their ratings.
    """
    place = st if drawn else None
    with st.expander("Systems and segments", key="selection.box") if drawn else nullcontext():
        every = list(whole.references)
        chosen, join = every, False
        if len(every) > 1:
            chosen = several("Score with", every, "refs", list(source.refs) or every, place=place)
            if not chosen:
                raise SettingError("No reference to score with. Choose at least one under Systems and segments.")
        others = [name for name in every if name not in chosen]
        if len(every) > 1 or whole.rated_humans:
            able = bool(others) or metric in whole.scores and bool(_rated(whole, metric))
            join = toggle("References take part as systems", source.refs_as_systems, "humans", disabled=not able,
                          place=place, help=(
                "Those that do not score, and, where the metric is their ratings, all that were rated.")) and able
        joined = map(name_as_system, {**dict.fromkeys(others), **dict.fromkeys(whole.rated_humans)}) if join else ()
        left_out = several("Exclude systems", [*whole.systems, *joined], LEFT_OUT, [], place=place,
                            help="The ranks and the correction change with the family; the Leaderboard shows how.")
        domain = None
        if whole.domains is not None:
            anything = unlike("all", whole.domains)
            domain = choice("Domain", [anything, *dict.fromkeys(whole.domains)], "domain", place=place)
            domain = None if domain == anything else domain
    rated = metric if metric in whole.scores else None
    source = replace(source, tokenize=whole.tokenizer, refs=tuple(chosen) if others else (), refs_as_systems=join,
                     domain=domain, exclude=tuple(left_out))
    part = Part(*_parts(whole, tuple(chosen), join, domain, tuple(left_out), rated), source)
    if part.family.systems and not part.testset.systems:
        raise SettingError("Every system is excluded. Keep one under Systems and segments, two to compare.")
    return part


def _rated(whole, metric):
    """The human translations that are no systems and have ratings by a metric."""
    return [name for name in whole.rated_humans if name in whole.scores[metric].by_system]


def of_this_set_alone(key: str, texts: list[str], new: TestSet) -> bool:
    """Whether what the address says of a key holds for the test set that is left alone, not for the new one.

    Who is left out, and why, which domain is looked at, and what finds the words, is said of one set. Systems stay
    chosen where the new set has systems of that name.
    """
    if key in _SYSTEMS:
        names = {*new.systems, *map(name_as_system, (*new.references, *new.rated_humans))}
        return not names.issuperset(texts)
    return key in (LEFT_OUT, "domain", "tokenize", "official") or key.startswith(REASON)


@remember(16)
def _parts(whole, chosen, join, domain, left_out, rated):
    """The three test sets of a `Part`; `rated` is the metric where it is one of segment scores, else None."""
    others = [name for name in whole.references if name not in chosen]
    family = whole.scored_with(chosen, others_as_systems=join) if others or join else whole
    family = family.keep_scorable(rated or "")
    unranked = None if join else _unranked(whole, family, others, rated)
    if domain is not None:
        family, unranked = family.in_domain(domain), unranked and unranked.in_domain(domain)
    left_out = [name for name in left_out if name in family.systems]
    return family.without(left_out) if left_out else family, family, unranked


def _unranked(whole, family, others, rated):
    """The references that do not take part, as systems; where ratings are the metric, those that were rated."""
    texts = {name: whole.references[name] for name in others if None not in whole.references[name]}
    if rated is not None:
        texts = {name: (None,) * whole.n_segments for name in _rated(whole, rated)}
    if not texts:
        return None
    return replace(family, systems={name_as_system(name): values for name, values in texts.items()}, runs={},
                   parses={name_as_system(name): whole.parses[name] for name in texts if name in whole.parses},
                   scores={metric: scores.of({name: name_as_system(name) for name in texts})
                           for metric, scores in whole.scores.items()})


# What was chosen, and the comparison that it asks for.


@dataclass(frozen=True)
class View:
    """What is on screen: everything a page draws comes from here."""

    testset: TestSet  # without the systems and segments that the user left out
    whole: TestSet  # all that was read
    part: Part  # what was chosen of it
    metric: str
    settings: dict  # keyword arguments of `mtsig_core.compare`
    source: Source  # the same for the command line: where the test set comes from, and what was left out of it

    @property
    def title(self) -> str:
        """What is open."""
        return self.whole.name

    @property
    def comparison(self) -> Comparison:
        return self.compare()

    @property
    def result(self) -> MetricResult:
        return self.comparison.metrics[self.metric]

    @property
    def alpha(self) -> float:
        return self.settings["alpha"]

    @property
    def level(self) -> str:
        """The confidence of intervals, in percent."""
        return f"{100 * (1 - self.alpha):g}%"

    @property
    def recounted(self) -> bool:
        """Whether a part of the test set has other statistics by this metric than within the whole."""
        return depends_on_testset(resolve_metric(self.testset, self.metric))

    def named(self, *systems: str, metric: str = "") -> tuple[str, ...]:
        """What files of this view are called: the test set, the systems that they are about, the metric."""
        return self.testset.name, *(["pair"] if len(systems) == 2 else []), *systems, metric or self.metric

    def compare(self, metric: str | None = None, **changed) -> Comparison:
        """The systems compared by this metric or another, with some settings changed."""
        return result_cache.comparison(self.testset, metric or self.metric, **{**self.settings, **changed})

    def experiment(self, function: Callable, what: str, *, metric: str | None = None, testset: TestSet | None = None,
                   **asked):
        """The result of an experiment on this test set or another, as `result_cache.experiment`."""
        return result_cache.experiment(testset or self.testset, metric or self.metric, function, what, **asked)

    def command(self, name: str | None = None, *flags: str, **asked) -> str:
        """The command line that prints the numbers of this view, or of an experiment on it."""
        if name is None:
            return command_line("compare", self.source, metrics=self.metric, **self.settings)
        return command_line(name, self.source, *flags, **{"metrics": self.metric, **asked})
