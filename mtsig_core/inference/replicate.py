"""`replicate`: do printed scores come out here, digit by digit, and where not, which setting would give them?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

from mtsig_core.data.readers.assemble import without_canary
from mtsig_core.data.readers.official_tables import OfficialTable
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import MtsigError
from mtsig_core.inference.measured import measure
from mtsig_core.metrics import METRICS, Metric, metric_of, tokenizer_of

__all__ = ["Replication", "ScoreBeside", "replicate"]

#: What is tried of tokenizers; those that need a model that may not be here are not.
_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
_SAME = {"chrf2": "chrf", "chrf2++": "chrf++", "sacrebleu": "bleu", "mbleu": "m-bleu"}
#: Ways to print a score other than rounded, in points.
_PRINTED: dict[str, Callable[[float], float]] = {
    "": lambda score: score, "as a share of 1, not of 100": lambda score: score / 100,
    "times 100": lambda score: score * 100, "with the other sign": lambda score: -score}


@dataclass(frozen=True)
class ScoreBeside:
    """A printed score beside ours.

    Attributes
    ----------
    system, metric : str
        As they are called here.
    called, column : str
        As the table calls them.
    printed : str
        Digit by digit.
    score : float
        Ours, in points.
    agrees : bool
        Whether ours, rounded to as many decimals, is the printed one.
    setting : str or None
        What would give the printed number, if anything that was tried does.
    signature : str or None
        Of the metric under that setting.
    """

    system: str
    called: str
    metric: str
    column: str
    printed: str
    score: float
    agrees: bool
    setting: str | None = None
    signature: str | None = None


@dataclass(frozen=True)
class Replication:
    """The answer of `replicate`.

    Attributes
    ----------
    rows : tuple of ScoreBeside
        By metric, as the table has them.
    only_here, only_there : tuple of str
        Systems of one of the two alone.
    not_compared : tuple of str
        Columns of the table that are no metric that this test set can be scored with.
    by_rule : mapping of str to str
        What the table calls systems and metrics -> what they are here, where the names are not the same letters.
    tried : int
        Settings tried for numbers that do not come out, for the metric with the most.
    """

    rows: tuple[ScoreBeside, ...]
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    not_compared: tuple[str, ...]
    by_rule: dict[str, str]
    tried: int


@dataclass(frozen=True)
class _Change:
    """One setting other than it is."""

    kind: str
    said: str
    metric: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    references: tuple[str, ...] = ()
    canary: bool = False


def replicate(testset: TestSet, table: OfficialTable, whole: TestSet | None = None, *, lowercase: bool = False,
              progress: Callable[[str, float], None] | None = None) -> Replication:
    """Printed scores beside those of a test set.

    A system or metric is the one of the same name; or else the one whose name is the same without case, spaces, dots,
    dashes and underscores, if there is just one. For numbers that do not come out each of these is tried alone, and
    then, if none gives all of them, any two together: tokenizer, references (each alone, and all jointly), case, what
    TER normalizes, chrF++ for chrF, the canary line kept; and the score printed as a share of 1 or with the other sign.
    The setting that gives the most numbers is taken first, and of several the one with the fewest changes.

    Parameters
    ----------
    testset : TestSet
    table : OfficialTable
    whole : TestSet, optional
        The same with all its references and the canary line, which are tried too.
    lowercase : bool
        Whether case is ignored, for metrics that can.
    progress : callable, optional
        Called with (stage, share of it done).

    Examples
    --------
    >>> from mtsig_core.data.readers.official_tables import official_table
    >>> ts = TestSet("toy", {"A": ["the cat sat down"] * 2}, {"ref": ["The cat sat down"] * 2})
    >>> [(row.agrees, row.setting) for row in replicate(ts, official_table("system,BLEU\\nA,100.0")).rows]
    [(False, 'lowercased')]
    """
    whole = testset if whole is None else whole
    systems, named = _matched(table.systems, testset.systems)
    metrics, also = _matched(table.columns, dict.fromkeys((*METRICS, *testset.scores)))
    rows: list[ScoreBeside] = []
    unknown, tried = [], 0
    for column, printed in table.columns.items():
        try:
            metric = metric_of(testset, metrics[column], **{"lowercase": True} if lowercase else {})
            ours, signature = _scores(testset, metric, list(testset.systems))
        except (KeyError, MtsigError):  # it is no metric here, or lacks what it needs, such as parses
            unknown.append(column)
            continue
        own = [ScoreBeside(systems[name], name, metrics[column], column, text, ours[systems[name]],
                           _is_printed(ours[systems[name]], text))
               for name, text in printed.items() if systems.get(name) in ours]
        crosses = [row for row in own if not row.agrees]
        if crosses:
            report = None if progress is None else partial(progress, f"{column}: trying settings")
            found, count = _explained(testset, whole, metric, crosses, lowercase, report)
            own, tried = [found.get(row.called, row) for row in own], max(tried, count)
        rows += own
    there = {row.called for row in rows}
    return Replication(
        tuple(rows), tuple(name for name in testset.systems if name not in systems.values()),
        tuple(name for name in table.systems if name not in systems), tuple(unknown),
        {name: here for name, here in {**also, **named}.items() if name in there or name in table.columns}, tried)


def _matched(names: Iterable[str], ours: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each name is here; and of these the ones that are not the same letters."""
    names, ours = list(names), list(ours)
    exact = {name: name for name in names if name in ours}
    by_key: dict[str, list[str]] = {}
    for name in ours:
        if name not in exact:
            by_key.setdefault(_key(name), []).append(name)
    rest = [name for name in names if name not in exact]
    keys = [_key(name) for name in rest]
    by_rule = {name: by_key[key][0] for name, key in zip(rest, keys, strict=True)
               if len(by_key.get(key, ())) == 1 and keys.count(key) == 1}
    return exact | by_rule, by_rule


def _key(name: str) -> str:
    plain = re.sub(r"[\s._-]+", "", name.casefold())
    return re.sub(r"[\s._-]+", "", _SAME.get(plain, plain))


def _scores(testset: TestSet, metric: Metric, systems: Sequence[str]) -> tuple[dict[str, float], str]:
    seen = measure(testset.only(systems).under(metric.name), metric)
    return dict(zip(seen.names, map(float, seen.scores), strict=True)), metric.signature(testset)


def _is_printed(score: float, printed: str) -> bool:
    """Whether a score rounded to as many decimals is the printed one; a half may have gone either way."""
    decimals = len(printed.partition(".")[2])
    return math.isfinite(score) and abs(score - float(printed)) <= 0.5 * 10.0 ** -decimals + 1e-9


def _explained(testset: TestSet, whole: TestSet, metric: Metric, crosses: Sequence[ScoreBeside], lowercase: bool,
               progress: Callable[[float], None] | None) -> tuple[dict[str, ScoreBeside], int]:
    """By the table's name of the system: the row with the setting that gives its number; and how many were tried."""
    singles = _changes(testset, whole, metric, lowercase)
    left = {row.called: row for row in crosses}
    found: dict[str, ScoreBeside] = {}
    hits: list[tuple[str, str, list[str]]] = []  # said, signature, whose numbers; fewest changes first
    pairs = [(a, b) for a, b in combinations(singles, 2) if a.kind != b.kind]
    stages: list[list[tuple[_Change, ...]]] = [[(), *((one,) for one in singles)], [*pairs]]
    for stage, several in enumerate(stages):
        for k, changes in enumerate(several):
            if progress is not None:
                progress((stage + k / len(several)) / 2)
            try:
                changed, now = _changed(testset, whole, metric, changes, lowercase)
                scores, signature = _scores(changed, now, [row.system for row in left.values()])
            except (MtsigError, TypeError):  # a tokenizer that is not installed, a setting that the metric lacks
                continue
            for way, printed_as in _PRINTED.items():
                if not way and not changes or way and len(changes) > 1:
                    continue
                said = " and ".join([*(change.said for change in changes), *([f"printed {way}"] if way else [])])
                hits.append((said, signature, [name for name, row in left.items() if row.system in scores and
                                               _is_printed(printed_as(scores[row.system]), row.printed)]))
        if any(len(names) == len(crosses) for *_, names in hits):
            break  # one setting gives all: it needs no second
    while left and hits:
        said, signature, names = max(hits, key=lambda hit: sum(name in left for name in hit[2]))
        if not (names := [name for name in names if name in left]):
            break
        found |= {name: replace(left.pop(name), setting=said, signature=signature) for name in names}
    return found, len(hits)


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
    return changes


def _changed(testset: TestSet, whole: TestSet, metric: Metric, changes: Sequence[_Change], lowercase: bool
             ) -> tuple[TestSet, Metric]:
    references = next((change.references for change in changes if change.references), tuple(testset.references))
    canary = any(change.canary for change in changes)
    if canary or set(references) != set(testset.references):
        kept = without_canary(testset).n_segments < testset.n_segments
        testset = replace(whole if canary or kept else without_canary(whole), tokenizer=testset.tokenizer)
        testset = testset.scored_with(references) if testset.references else testset
    name = next((change.metric for change in changes if change.metric), metric.name)
    options = dict(part for change in changes for part in change.options)
    return testset, metric_of(testset, name, **({"lowercase": True} if lowercase else {}) | options)
