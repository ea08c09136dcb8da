"""Which setting gives the numbers of a printed table? Each column is scored under other settings, and a setting is
chosen by how many numbers of the whole table it gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

from mtsig_core.data.readers.assemble import without_canary
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import MtsigError
from mtsig_core.inference.measured import measure
from mtsig_core.metrics import Metric, mean_over_domains, metric_of, tokenizer_of

__all__ = ["Column", "Found", "explained", "scored_by"]

#: What is tried of tokenizers; those that need a model that may not be here are not.
_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
#: Ways to print a score other than rounded, in points.
_PRINTED: dict[str, Callable[[float], float]] = {
    "": lambda score: score, "as a share of 1, not of 100": lambda score: score / 100,
    "times 100": lambda score: score * 100, "with the other sign": lambda score: -score}
_LOOKED_AT = 12  # settings that are tried on all columns, of those that give most numbers of their own


@dataclass(frozen=True)
class _Change:
    """One setting other than it is; `said` alone depends on what it is."""

    kind: str
    said: str = field(compare=False)
    metric: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    references: tuple[str, ...] = ()
    canary: bool = False


_Setting = tuple[tuple[_Change, ...], str]  # changes, and a key of `_PRINTED`


@dataclass(frozen=True)
class Found:
    """The setting that gives a number: in words, by the metric's signature, and how many of the table it gives."""

    said: str
    signature: str
    gives: int


class Column:
    """A column of a printed table, scored under one setting after another.

    Parameters
    ----------
    testset, whole : TestSet
        As it is, and with all references and the canary line, which are tried too.
    metric : Metric
    systems, printed : mapping of str to str
        What the table calls a system -> what it is here, and what the table has of it; those that have both stay.

    Attributes
    ----------
    scores : mapping of str to float
        By system, as it is.
    agree, crosses : frozenset of str
        The systems, as the table calls them, whose numbers come out as it is, and the others.
    """

    def __init__(self, testset: TestSet, whole: TestSet, metric: Metric, systems: Mapping[str, str],
                 printed: Mapping[str, str], lowercase: bool):
        self._testset, self._whole, self._metric, self._lowercase = testset, whole, metric, lowercase
        self.scores, signature = _scores(testset, metric, list(testset.systems))
        self.systems = {name: here for name, here in systems.items() if here in self.scores}
        self.printed = {name: text for name, text in printed.items() if name in self.systems}
        self._changes = _changes(testset, whole, metric, lowercase)
        self._scored: dict[tuple[_Change, ...], tuple[dict[str, float], str] | None] = {(): (self.scores, signature)}
        self.agree = self.given(((), ""))
        self.crosses = frozenset(self.printed) - self.agree

    def here(self, setting: _Setting) -> _Setting:
        """What of a setting changes anything in this column."""
        return tuple(change for change in self._changes if change in setting[0]), setting[1]

    def given(self, setting: _Setting, compute: bool = True) -> frozenset[str]:
        """The systems whose number a setting gives; none of a setting that cannot be had, or was not scored yet."""
        changes, way = self.here(setting)
        if compute and changes not in self._scored:
            self._scored[changes] = self._score(changes)
        if (scored := self._scored.get(changes)) is None:
            return frozenset()
        return frozenset(name for name, text in self.printed.items()
                         if _is_printed(_PRINTED[way](scored[0][self.systems[name]]), text))

    def said(self, setting: _Setting) -> tuple[str, str]:
        """A setting in words, and the signature of the metric under it."""
        changes, way = self.here(setting)
        scored = self._scored[changes]
        assert scored is not None, "it gives numbers"
        return " and ".join([*(change.said for change in changes), *([f"printed {way}"] if way else [])]), scored[1]

    def settings(self) -> Iterator[tuple[_Setting, float]]:
        """Each change alone, and each way to print; if no such setting gives all crosses, also two changes together.
        With the share of them that is done."""
        singles: list[_Setting] = [((), way) for way in _PRINTED if way]
        singles += [((change,), way) for change in self._changes for way in _PRINTED]
        twos: list[_Setting] = [((a, b), "") for a, b in combinations(self._changes, 2) if a.kind != b.kind]
        yield from ((setting, n / len(singles) / 2) for n, setting in enumerate(singles))
        if not any(self.crosses <= self.given(setting) for setting in singles):
            yield from ((setting, 0.5 + n / len(twos) / 2) for n, setting in enumerate(twos))

    @property
    def tried(self) -> int:
        """How many settings were scored other than it is, each way to print apart."""
        own = [changes for changes, scored in self._scored.items() if scored is not None]
        return sum(len(_PRINTED) if len(changes) < 2 else 1 for changes in own) - 1

    def _score(self, changes: Sequence[_Change]) -> tuple[dict[str, float], str] | None:
        try:
            changed, now = _changed(self._testset, self._whole, self._metric, changes, self._lowercase)
            return _scores(changed, now, list(dict.fromkeys(self.systems.values())))
        except (MtsigError, TypeError):  # a tokenizer that is not installed, a setting that the metric lacks
            return None


def explained(columns: Sequence[Column], progress: Callable[[float], None] | None = None
              ) -> dict[tuple[int, str], Found]:
    """What gives the numbers that do not come out, by (place of the column, system as the table calls it).

    The setting that gives most of them, over all columns, is taken first; of several the one that gives most numbers
    of the table, those that come out as it is included; and of these the one with the fewest changes.
    """
    left = {(k, name) for k, column in enumerate(columns) for name in column.crosses}
    with_crosses = [column for column in columns if column.crosses]
    settings: dict[_Setting, None] = {}
    for k, column in enumerate(with_crosses):
        for setting, share in column.settings():
            if progress is not None:
                progress((k + share) / len(with_crosses))
            column.given(setting)
            settings[setting] = None

    def gives(setting: _Setting, compute: bool) -> set[tuple[int, str]]:
        return {(k, name) for k, column in enumerate(columns) for name in column.given(setting, compute)}

    def worth(setting: _Setting, given: set[tuple[int, str]]) -> tuple[int, int, int]:
        return len(given & left), len(given), -len(setting[0]) - bool(setting[1])

    found: dict[tuple[int, str], Found] = {}
    known = {setting: gives(setting, False) for setting in settings}
    while left and known:
        best = sorted(known, key=lambda setting: worth(setting, known[setting]), reverse=True)[:_LOOKED_AT]
        known |= {setting: gives(setting, True) for setting in best}
        setting = max(best, key=lambda setting: worth(setting, known[setting]))
        if not (now := known[setting] & left):
            break
        found |= {(k, name): Found(*columns[k].said(setting), len(known[setting])) for k, name in now}
        left -= now
    return found


def _scores(testset: TestSet, metric: Metric, systems: Sequence[str]) -> tuple[dict[str, float], str]:
    seen = measure(testset.only(systems).under(metric.name), metric)
    return dict(zip(seen.names, map(float, seen.scores), strict=True)), metric.signature(testset)


def _is_printed(score: float, printed: str) -> bool:
    """Whether a score rounded to as many decimals is the printed one; a half may have gone either way."""
    decimals = len(printed.partition(".")[2])
    return math.isfinite(score) and abs(score - float(printed)) <= 0.5 * 10.0 ** -decimals + 1e-9


def _changes(testset: TestSet, whole: TestSet, metric: Metric, lowercase: bool) -> list[_Change]:
    """All single settings other than they are."""
    if metric.name in testset.scores:
        changes = []
    else:
        tokenizer = tokenizer_of(metric, testset)
        changes = [] if tokenizer is None else [
            _Change("tokenizer", f"tokenizer {name} in place of {tokenizer}", options=(("tokenize", name),))
            for name in _TOKENIZERS if name != tokenizer]
        case = "case kept" if lowercase else "lowercased"
        changes.append(_Change("case", case, options=(("lowercase", not lowercase),)))
        if metric.name == "ter":
            changes += [_Change("case", "case kept", options=(("case_sensitive", True),))] * (not lowercase)
            changes += [_Change(option, said, options=((option, True),)) for option, said in (
                ("normalized", "texts normalized"), ("no_punct", "punctuation left out"),
                ("asian_support", "Chinese and Japanese characters split"))]
        other = {"chrf": "chrf++", "chrf++": "chrf"}.get(metric.name)
        changes += [_Change("metric", f"{other} in place of {metric.name}", metric=other)] * (other is not None)
        names = list(whole.references)
        choices = [(name,) for name in names] + [tuple(names)] * (len(names) > 1)
        changes += [_Change("references", f"reference {one[0]} alone" if len(one) == 1 else
                            f"all {len(one)} references jointly", references=one)
                    for one in choices if set(one) != set(testset.references)]
    if without_canary(whole).n_segments < whole.n_segments and without_canary(testset).n_segments == testset.n_segments:
        changes.append(_Change("canary", "the canary line kept", canary=True))
    if len(set(testset.domains or ())) > 1:
        changes.append(_Change("domains", "the mean over domains"))
    return changes


def _changed(testset: TestSet, whole: TestSet, metric: Metric, changes: Sequence[_Change], lowercase: bool
             ) -> tuple[TestSet, Metric]:
    references = next((change.references for change in changes if change.references), tuple(testset.references))
    canary = any(change.canary for change in changes)
    if canary or set(references) != set(testset.references):
        testset = scored_by(testset, whole, references, canary)
    name = next((change.metric for change in changes if change.metric), metric.name)
    options = dict(part for change in changes for part in change.options)
    metric = metric_of(testset, name, **({"lowercase": True} if lowercase else {}) | options)
    return testset, mean_over_domains(metric) if any(change.kind == "domains" for change in changes) else metric


def scored_by(testset: TestSet, whole: TestSet, references: Sequence[str], canary: bool = False) -> TestSet:
    """A test set scored with other references of the whole set; with the canary line where it had it, or is asked to.
    """
    kept = without_canary(testset).n_segments < testset.n_segments
    testset = replace(whole if canary or kept else without_canary(whole), tokenizer=testset.tokenizer)
    return testset.scored_with(references) if testset.references else testset
