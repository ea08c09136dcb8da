"""`replicate`: do published scores come out here, and if not, which setting gives them?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.metrics import METRICS, Metric, find_tokenizer, mean_over_domains, resolve_metric
from mtsig_core.readers.official_tables import OfficialTable
from mtsig_core.readers.texts import drop_canary
from mtsig_core.stats.measured import measure
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Which setting gives the numbers of a printed table? Each column is scored under other settings, and a setting is
# chosen by how many numbers of the whole table it gives.


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


def find_settings(columns: Sequence[Column], progress: Callable[[float], None] | None = None
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
    seen = measure(testset.only(systems).keep_scorable(metric.name), metric)
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
        tokenizer = find_tokenizer(metric, testset)
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
    if drop_canary(whole).n_segments < whole.n_segments and drop_canary(testset).n_segments == testset.n_segments:
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
    metric = resolve_metric(testset, name, **({"lowercase": True} if lowercase else {}) | options)
    return testset, mean_over_domains(metric) if any(change.kind == "domains" for change in changes) else metric


def scored_by(testset: TestSet, whole: TestSet, references: Sequence[str], canary: bool = False) -> TestSet:
    """A test set scored with other references of the whole set; with the canary line where it had it, or is asked to.
    """
    kept = drop_canary(testset).n_segments < testset.n_segments
    testset = replace(whole if canary or kept else drop_canary(whole), tokenizer=testset.tokenizer)
    return testset.scored_with(references) if testset.references else testset


#-----------------------------------------------------------------------------------------------------------------------
# `replicate`: do printed scores come out here, digit by digit, and where not, which setting would give them?


_SAME = {"chrf2": "chrf", "chrf2++": "chrf++", "sacrebleu": "bleu", "mbleu": "m-bleu"}


@dataclass(frozen=True)
class ScoreBeside:
    """A printed score beside ours."""

    #: `system`, `metric`: As they are called here.
    system: str
    #: `called`, `column`: As the table calls them.
    called: str
    metric: str
    column: str
    printed: str  # digit by digit
    score: float  # ours, in points
    agrees: bool  # whether ours, rounded to as many decimals, is the printed one
    setting: str | None = None  # what would give the printed number, if anything that was tried does
    signature: str | None = None  # of the metric under that setting
    #: How many numbers of the whole table come out with that setting, those that come out as it is included.
    gives: int | None = None


@dataclass(frozen=True)
class Replication:
    """The answer of `replicate`."""

    rows: tuple[ScoreBeside, ...]  # by metric, as the table has them
    #: Systems of one of the two alone.
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    not_compared: tuple[str, ...]  # columns of the table that are no metric that this test set can be scored with
    #: What the table calls systems and metrics -> what they are here, where the names are not the same letters.
    by_rule: dict[str, str]
    #: What the table calls metrics -> metric and references, where the end of the name says which references score.
    by_suffix: dict[str, str]
    tried: int  # settings tried for numbers that do not come out, for the metric with the most
    n_numbers: int  # how many numbers the whole table has that are compared; of a task those of all language pairs


@dataclass(frozen=True)
class TaskReplication:
    """The answer of `replicate_task`."""

    pairs: Mapping[str, Replication]  # by language pair
    #: Language pairs of one of the two alone.
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    #: What the table calls language pairs -> what they are here, where the names are not the same letters.
    by_rule: Mapping[str, str]


#: A test set; and the same with all its references and the canary line, which are tried too.
Part = tuple[TestSet, TestSet]


def replicate(testset: TestSet, table: OfficialTable, whole: TestSet | None = None, *, lowercase: bool = False,
              progress: Callable[[str, float], None] | None = None) -> Replication:
    """Printed scores beside those of a test set.

    A system or metric is the one of the same name; or else the one whose name is the same without case, spaces, dots,
    dashes and underscores, if there is just one. A metric may end in what scores it, as WMT writes it: bleu-all is BLEU
    with all references jointly, chrf-refA and chrf-A are chrF with refA. For numbers that do not come out each of these
    is tried alone, and then, if none gives all of a column, any two together: tokenizer, references (each alone, and
    all jointly), case, what TER normalizes, chrF++ for chrF, the canary line kept, the mean over domains; and the score
    printed as a share of 1 or with the other sign. The setting that gives the most of them, over all columns, is taken
    first; of several the one that gives the most numbers of the table, and of these the one with the fewest changes.

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
    >>> from mtsig_core.readers.official_tables import parse_official_table
    >>> ts = TestSet("toy", {"A": ["the cat sat down"] * 2}, {"ref": ["The cat sat down"] * 2})
    >>> [(row.agrees, row.setting) for row in replicate(ts, parse_official_table("system,BLEU\\nA,100.0")).rows]
    [(False, 'lowercased')]
    """
    found = _replicate({"": (testset, testset if whole is None else whole)}, {"": table}, lowercase, progress)
    if not found[""].rows:
        raise _nothing_in_common(table, "system", table.systems, testset.systems)
    return found[""]


def replicate_task(read: Callable[[str], Part], pairs: Iterable[str], tables: Mapping[str, OfficialTable], *,
                   progress: Callable[[str, float], None] | None = None) -> TaskReplication:
    """Printed scores of a whole shared task beside those of its test sets; a setting is chosen by the whole table.

    `read` gives the test set of a language pair, and that with all references and the canary line. `tables` are by
    language pair as the table calls it: that of the same name, by the rule of `replicate`.
    """
    pairs = list(pairs)
    here, by_rule = _matched(tables, pairs)
    parts = {here[name]: read(here[name]) for name in tables if name in here}
    found = _replicate(parts, {here[name]: tables[name] for name in tables if name in here}, False, progress)
    if not any(of.rows for of in found.values()):
        table = next(iter(tables.values()))
        raise _nothing_in_common(table, "language pair", tables, pairs) if not found else \
            _nothing_in_common(table, "system", dict.fromkeys(name for one in tables.values() for name in one.systems),
                               dict.fromkeys(name for testset, _ in parts.values() for name in testset.systems))
    return TaskReplication(found, tuple(pair for pair in pairs if pair not in found),
                           tuple(name for name in tables if name not in here), by_rule)


def _replicate(parts: Mapping[str, Part], tables: Mapping[str, OfficialTable], lowercase: bool,
               progress: Callable[[str, float], None] | None) -> dict[str, Replication]:
    """By language pair."""
    columns: list[Column] = []
    named: list[tuple[str, str, str]] = []  # of each column: language pair, metric, what the table calls it
    known: dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]] = {}
    for k, (pair, (testset, whole)) in enumerate(parts.items()):
        if progress is not None:
            progress(f"{pair}: scoring".removeprefix(": "), k / len(parts))
        systems, by_rule = _matched(tables[pair].systems, testset.systems)
        metrics, also = _matched(tables[pair].columns, dict.fromkeys((*METRICS, *testset.scores)))
        suffixed = _suffixed([called for called in tables[pair].columns if called not in metrics], testset, whole)
        metrics |= {called: name for called, (name, _) in suffixed.items()}
        known[pair] = systems, {**also, **by_rule}, {
            called: f"{name} with {' and '.join(references)}" if references else name
            for called, (name, references) in suffixed.items()}
        for called, printed in tables[pair].columns.items():
            try:
                references = suffixed[called][1] if called in suffixed else ()
                others = references and set(references) != {*testset.references}
                scored = scored_by(testset, whole.only(testset.systems.keys() & whole.systems.keys()), references) \
                    if others else testset
                metric = resolve_metric(scored, metrics[called], **{"lowercase": True} if lowercase else {})
                columns.append(Column(scored, whole, metric, systems, printed, lowercase))
            except (KeyError, MtsigError):  # it is no metric here, or lacks what it needs, such as parses
                continue
            named.append((pair, metrics[called], called))
    found = find_settings(columns, None if progress is None else partial(progress, "trying settings"))
    done = {}
    for pair, (testset, _) in parts.items():
        own = [(k, metric, called) for k, (of, metric, called) in enumerate(named) if of == pair]
        rows = tuple(_row(columns[k], metric, called, name, found.get((k, name)))
                     for k, metric, called in own for name in columns[k].printed)
        (systems, by_rule, by_suffix), table = known[pair], tables[pair]
        compared, there = [called for *_, called in own], {row.called for row in rows}
        done[pair] = Replication(
            rows, tuple(name for name in testset.systems if name not in systems.values()),
            tuple(name for name in table.systems if name not in systems),
            tuple(called for called in table.columns if called not in compared),
            {name: here for name, here in by_rule.items() if name in there or name in table.columns},
            {name: here for name, here in by_suffix.items() if name in compared},
            max((columns[k].tried for k, *_ in own if columns[k].crosses), default=0),
            sum(len(column.printed) for column in columns))
    return done


def _nothing_in_common(table: OfficialTable, what: str, there: Iterable[str], here: Iterable[str]) -> InputError:
    """Of a table that has no score by a system and a metric that are here."""
    def few(names: Iterable[str]) -> str:
        names = list(names)
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") or "none"

    return InputError(f"{table.name} has no score that can be set beside those here. Expected a column {what} with "
                      f"names that are scored here ({few(here)}), and columns named as metrics, such as BLEU. It has "
                      f"the {what}s {few(there)} and the metrics {few(table.columns)}.")


def _row(column: Column, metric: str, called: str, name: str, found: Found | None) -> ScoreBeside:
    system = column.systems[name]
    return ScoreBeside(system, name, metric, called, column.printed[name], column.scores[system], name in column.agree,
                       *((found.said, found.signature, found.gives) if found is not None else ()))


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


def _suffixed(names: Iterable[str], testset: TestSet, whole: TestSet) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Names of metrics that end in what scores them, such as bleu-all, chrf-refA and COMET-A: the metric here, and the
    references, none for scores that were given."""
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in names:
        base, _, suffix = name.rpartition("-")
        ours = _matched([base], dict.fromkeys((*METRICS, *testset.scores)))[0].get(base)
        by_suffix = [one for one in whole.references if _key(one) in (_key(suffix), f"ref{_key(suffix)}")]
        references = tuple(whole.references) if suffix.lower() == "all" else tuple(by_suffix[:1])
        if ours is None:
            continue
        if ours in testset.scores and (references or re.fullmatch("all|(ref)?[a-z]", _key(suffix))):
            found[name] = ours, ()
        elif ours in METRICS and references:
            found[name] = ours, references
    return found


def _key(name: str) -> str:
    plain = re.sub(r"[\s._-]+", "", name.casefold())
    return re.sub(r"[\s._-]+", "", _SAME.get(plain, plain))
