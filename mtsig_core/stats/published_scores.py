"""`replicate`: do published scores come out here, and if not, which setting gives them?"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.metrics import METRICS, Metric, find_tokenizer, mean_over_domains, resolve_metric
from mtsig_core.readers.official_tables import OfficialTable, PublishedRank
from mtsig_core.readers.texts import drop_canary
from mtsig_core.results import MetricResult
from mtsig_core.stats.engine import measure
from mtsig_core.testset import TestSet, name_as_system

# -------------------------------------------------------------------------------------------------
# Which setting gives the numbers of a printed table? Each column is scored under other settings, and a setting is
# chosen by how many numbers of the whole table it gives.


#: What is tried of tokenizers; those that need a model that may not be here are not.
_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
#: Ways to print a score other than rounded, in points.
_PRINTED: dict[str, Callable[[float], float]] = {
    "as a share of 1, not of 100": lambda score: score / 100,
    "times 100": lambda score: score * 100,
    "with the other sign": lambda score: -score,
}
_LOOKED_AT = 12  # settings that are tried on all columns, of those that give as many numbers


@dataclass(frozen=True)
class _Change:
    """One setting other than it is; only `said` depends on what it is."""

    said: str = field(compare=False)
    metric: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    references: tuple[str, ...] = ()
    canary: bool = False
    domains: bool = False
    printed: str = ""


_WAYS = [_Change(f"printed {way}", printed=way) for way in _PRINTED]


class PublishedColumn:
    """A column of a printed table, scored under one setting after another.

    `testset` is as it is, and `whole` has all references and the canary line, which are tried too.
    `systems` and `printed` say what the table calls a system here, and what it has of it; systems
    that have both stay.
    """

    def __init__(
        self,
        testset: TestSet,
        whole: TestSet,
        metric: Metric,
        systems: Mapping[str, str],
        printed: Mapping[str, str],
        lowercase: bool,
    ):
        self._testset, self._whole, self._metric, self._lowercase = (
            testset,
            whole,
            metric,
            lowercase,
        )
        self.scores, signature = _scores(testset, metric, list(testset.systems))
        self.systems = {name: here for name, here in systems.items() if here in self.scores}
        self.printed = {name: text for name, text in printed.items() if name in self.systems}
        self.changes = {
            change: change.said for change in (*_WAYS, *_changes(testset, whole, metric, lowercase))
        }
        self._scored: dict[_Change | None, tuple[dict[str, float], str] | None] = {
            None: (self.scores, signature)
        }
        self.agree = self.given(None)
        self.crosses = frozenset(self.printed) - self.agree

    def given(self, change: _Change | None) -> frozenset[str]:
        """The systems whose number a setting gives; none of a setting that cannot be had."""
        if change not in self.changes:
            change = None  # it changes nothing here
        if (scored := self._score(change)) is None:
            return frozenset()
        rescale = _PRINTED[change.printed] if change is not None and change.printed else float
        return frozenset(
            name
            for name, text in self.printed.items()
            if _is_printed(rescale(scored[0][self.systems[name]]), text)
        )

    def describe(self, change: _Change) -> tuple[str, str]:
        """A setting in words, and the signature of the metric under it."""
        scored = self._score(change)
        assert scored is not None, "it gives numbers"
        return self.changes[change], scored[1]

    @property
    def tried(self) -> int:
        """How many settings were scored other than it is."""
        return (
            len(_WAYS) + sum(scored is not None for scored in self._scored.values()) - 1
            if self.crosses
            else 0
        )

    def _score(self, change: _Change | None) -> tuple[dict[str, float], str] | None:
        if change is not None and change.printed:
            change = None
        if change not in self._scored:
            assert change is not None, "as it is, it was scored first"
            try:
                changed, now = _changed(
                    self._testset, self._whole, self._metric, change, self._lowercase
                )
                self._scored[change] = _scores(
                    changed, now, list(dict.fromkeys(self.systems.values()))
                )
            except (
                MtsigError,
                TypeError,
            ):  # a tokenizer that is not installed, a setting that the metric lacks
                self._scored[change] = None
        return self._scored[change]


def find_settings(
    columns: Sequence[PublishedColumn], progress: Callable[[float], None] | None = None
) -> dict[tuple[int, str], tuple[str, str, int]]:
    """What gives the numbers that do not come out, by (place of the column, system as the table
    calls it): the setting, the metric's signature under it, and how many numbers of the table it
    gives.

    The setting that gives most of them, over all columns, is taken first; of several the one that
    gives most numbers of the table, those that come out as it is included.
    """
    left = {(k, name) for k, column in enumerate(columns) for name in column.crosses}
    odd = [k for k, column in enumerate(columns) if column.crosses]

    def gives(change: _Change, among: Iterable[int]) -> set[tuple[int, str]]:
        return {(k, name) for k in among for name in columns[k].given(change)}

    known: dict[_Change, set[tuple[int, str]]] = {}
    changes = list(dict.fromkeys(change for k in odd for change in columns[k].changes))
    for n, change in enumerate(changes):
        if progress is not None:
            progress(n / len(changes))
        known[change] = gives(change, odd)
    found: dict[tuple[int, str], tuple[str, str, int]] = {}
    while left and (most := max((len(given & left) for given in known.values()), default=0)):
        tied = [change for change, given in known.items() if len(given & left) == most][:_LOOKED_AT]
        whole = {change: gives(change, range(len(columns))) for change in tied}
        change = max(tied, key=lambda change: len(whole[change]))
        found |= {
            (k, name): (*columns[k].describe(change), len(whole[change]))
            for k, name in whole[change] & left
        }
        left -= whole[change]
    return found


def _scores(
    testset: TestSet, metric: Metric, systems: Sequence[str]
) -> tuple[dict[str, float], str]:
    seen = measure(testset.only(systems).keep_scorable(metric.name), metric)
    return dict(zip(seen.names, map(float, seen.scores), strict=True)), metric.signature(testset)


def _is_printed(score: float, printed: str) -> bool:
    """Whether a score rounded to as many decimals is the printed one; a half may have gone either
    way.
    """
    decimals = len(printed.partition(".")[2])
    return math.isfinite(score) and abs(score - float(printed)) <= 0.5 * 10.0**-decimals + 1e-9


def _changes(testset: TestSet, whole: TestSet, metric: Metric, lowercase: bool) -> list[_Change]:
    """All single settings other than they are."""
    changes: list[_Change] = []
    if metric.name not in testset.scores:
        tokenizer = find_tokenizer(metric, testset)
        changes += [
            _Change(f"tokenizer {name} in place of {tokenizer}", options=(("tokenize", name),))
            for name in _TOKENIZERS
            if tokenizer is not None and name != tokenizer
        ]
        changes.append(
            _Change(
                "case kept" if lowercase else "lowercased", options=(("lowercase", not lowercase),)
            )
        )
        if metric.name == "ter":
            changes += [_Change("case kept", options=(("case_sensitive", True),))] * (not lowercase)
            changes += [
                _Change(said, options=((option, True),))
                for option, said in (
                    ("normalized", "texts normalized"),
                    ("no_punct", "punctuation removed"),
                    ("asian_support", "Chinese and Japanese characters split"),
                )
            ]
        if other := {"chrf": "chrf++", "chrf++": "chrf"}.get(metric.name):
            changes.append(_Change(f"{other} in place of {metric.name}", metric=other))
        names = tuple(whole.references)
        changes += [
            _Change(
                f"only reference {one[0]}"
                if len(one) == 1
                else f"all {len(one)} references jointly",
                references=one,
            )
            for one in dict.fromkeys([*((name,) for name in names), names])
            if set(one) != set(testset.references)
        ]
    if (
        drop_canary(whole).n_segments < whole.n_segments
        and drop_canary(testset).n_segments == testset.n_segments
    ):
        changes.append(_Change("the canary line kept", canary=True))
    if len(set(testset.domains or ())) > 1:
        changes.append(_Change("the mean over domains", domains=True))
    return changes


def _changed(
    testset: TestSet, whole: TestSet, metric: Metric, change: _Change, lowercase: bool
) -> tuple[TestSet, Metric]:
    if change.canary or change.references:
        testset = scored_by(
            testset, whole, change.references or tuple(testset.references), change.canary
        )
    options = ({"lowercase": True} if lowercase else {}) | dict(change.options)
    metric = resolve_metric(testset, change.metric or metric.name, **options)
    return testset, mean_over_domains(metric) if change.domains else metric


def scored_by(
    testset: TestSet, whole: TestSet, references: Sequence[str], canary: bool = False
) -> TestSet:
    """A test set scored with other references of the whole set; with the canary line where it had
    it, or is asked to.
    """
    kept = drop_canary(testset).n_segments < testset.n_segments
    testset = replace(whole if canary or kept else drop_canary(whole), tokenizer=testset.tokenizer)
    return testset.scored_with(references) if testset.references else testset


# -------------------------------------------------------------------------------------------------
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
    setting: str | None = (
        None  # what would give the printed number, if anything that was tried does
    )
    signature: str | None = None  # of the metric under that setting
    #: How many numbers of the whole table come out with that setting, those that come out as it is
    #: included.
    gives: int | None = None


@dataclass(frozen=True)
class RankBeside:
    """A published rank beside those by each rule."""

    system: str
    called: str  # by the table
    published: PublishedRank
    ours: Mapping[
        str, PublishedRank
    ]  # by rule, see `name_way`; without those that give this system no rank

    def agrees(self, rule: str) -> bool:
        """Whether the rule gives the published rank, and the cluster where one is published."""
        ours = self.ours.get(rule)
        if ours is None:
            return False
        return (
            ours.low == self.published.low
            and self.published.high in (None, ours.high)
            and self.published.cluster in (None, ours.cluster)
        )


@dataclass(frozen=True)
class RankReplication:
    """Which rank rule gives a published ranking, and for which systems it does not."""

    metric: str
    rows: tuple[RankBeside, ...]
    #: By rule, see `name_way`, how many published ranks it gives; the rule that gives most first.
    counts: Mapping[str, int]
    not_compared: tuple[str, ...]  # systems of the table that are not ranked here

    @property
    def rule(self) -> str:
        """The rule that gives most."""
        return next(iter(self.counts))

    @property
    def comes_out(self) -> bool:
        """Whether that rule gives the whole published ranking."""
        return self.counts[self.rule] == len(self.rows) and not self.not_compared


@dataclass(frozen=True)
class Replication:
    """The answer of `replicate`."""

    rows: tuple[ScoreBeside, ...]  # by metric, as the table has them
    #: Systems of one of the two alone.
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    not_compared: tuple[
        str, ...
    ]  # columns of the table that are no metric that this test set can be scored with
    #: What the table calls systems and metrics -> what they are here, where the names are not the
    #: same letters.
    by_rule: dict[str, str]
    #: What the table calls metrics -> metric and references, where the end of the name says which
    #: references score.
    by_suffix: dict[str, str]
    tried: int  # settings tried for numbers that do not come out, for the metric with the most
    # how many numbers the whole table has that are compared; of a task those of all language pairs
    n_numbers: int
    ranks: RankReplication | None = None  # where the table has ranks


@dataclass(frozen=True)
class TaskReplication:
    """The answer of `replicate_task`."""

    pairs: Mapping[str, Replication]  # by language pair
    #: Language pairs of one of the two alone.
    only_here: tuple[str, ...]
    only_there: tuple[str, ...]
    #: What the table calls language pairs -> what they are here, where the names are not the same
    #: letters.
    by_rule: Mapping[str, str]


#: A test set; and the same with all its references and the canary line, which are tried too.
Part = tuple[TestSet, TestSet]


def replicate(
    testset: TestSet,
    table: OfficialTable,
    whole: TestSet | None = None,
    *,
    lowercase: bool = False,
    progress: Callable[[str, float], None] | None = None,
) -> Replication:
    """Printed scores beside those of a test set; `whole` is the same with all its references and
    the canary line.

    A system or metric is the one of the same name; or else the one whose name is the same without
    case, spaces, dots, dashes and underscores, if there is just one. A metric may end in what
    scores it, as WMT writes it: bleu-all is BLEU with all references jointly, chrf-refA and chrf-A
    are chrF with refA. For numbers that do not come out each of these is tried: tokenizer,
    references (each alone, and all jointly), case, what TER normalizes, chrF++ for chrF, the canary
    line kept, the mean over domains; and the score printed as a share of 1 or with the other sign.
    The setting that gives the most of them, over all columns, is taken first; of several the one
    that gives the most numbers of the table.

    >>> from mtsig_core.readers.official_tables import parse_official_table
    >>> ts = TestSet("toy", {"A": ["the cat sat down"] * 2}, {"ref": ["The cat sat down"] * 2})
    >>> [(row.agrees, row.setting) for row in replicate(ts, parse_official_table("system,BLEU\\nA,100.0")).rows]
    [(False, 'lowercased')]
    """
    found = _replicate(
        {"": (testset, testset if whole is None else whole)}, {"": table}, lowercase, progress
    )
    if not found[""].rows and not table.ranks:
        raise _nothing_in_common(table, "system", table.systems, testset.systems)
    return found[""]


def replicate_task(
    read: Callable[[str], Part],
    pairs: Iterable[str],
    tables: Mapping[str, OfficialTable],
    *,
    progress: Callable[[str, float], None] | None = None,
) -> TaskReplication:
    """Printed scores of a whole shared task beside those of its test sets; a setting is chosen by
    the whole table.

    `read` gives the test set of a language pair, and that with all references and the canary line.
    `tables` are by language pair as the table calls it: that of the same name, by the rule of
    `replicate`.
    """
    pairs = list(pairs)
    here, by_rule = match_names(tables, pairs)
    parts = {here[name]: read(here[name]) for name in tables if name in here}
    found = _replicate(
        parts, {here[name]: tables[name] for name in tables if name in here}, False, progress
    )
    if not any(of.rows for of in found.values()) and not any(
        tables[name].ranks for name in tables if name in here
    ):
        table = next(iter(tables.values()))
        raise (
            _nothing_in_common(table, "language pair", tables, pairs)
            if not found
            else _nothing_in_common(
                table,
                "system",
                dict.fromkeys(name for one in tables.values() for name in one.systems),
                dict.fromkeys(name for testset, _ in parts.values() for name in testset.systems),
            )
        )
    return TaskReplication(
        found,
        tuple(pair for pair in pairs if pair not in found),
        tuple(name for name in tables if name not in here),
        by_rule,
    )


def name_way(rule: str, options: str) -> str:
    """What a rule is called where the files are read with further options of the command line.

    >>> name_way("wmt25", "--raters segments"), split_way("wmt25 --raters segments"), split_way("wmt25")
    ('wmt25 --raters segments', ('wmt25', '--raters segments'), ('wmt25', ''))
    """
    return f"{rule} {options}" if options else rule


def split_way(way: str) -> tuple[str, str]:
    """The rule, and the options, of `name_way`."""
    rule, _, options = way.partition(" ")
    return rule, options


def replicate_ranks(by_rule: Mapping[str, MetricResult], table: OfficialTable) -> RankReplication:
    """The published ranks of a table beside those by each rule, see `name_way`.

    A reference may be called as itself, or as the system that it acts as.

    >>> from mtsig_core.readers.official_tables import parse_official_table
    >>> from mtsig_core.stats.comparison import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> result = compare(ts, trials=999).metrics["bleu"]
    >>> replicate_ranks({"simultaneous": result}, parse_official_table("system,rank\\nA,1\\nB,2")).counts
    {'simultaneous': 2}
    """
    first, here = next(iter(by_rule.values())), dict[str, dict[str, PublishedRank]]()
    for rule, result in by_rule.items():
        for row in result.systems:
            if row.rank_low is not None:
                here.setdefault(row.system, {})[rule] = PublishedRank(
                    row.rank_low, row.rank_high, row.cluster
                )
    systems, _ = match_systems(table.ranks, here)
    rows = tuple(
        RankBeside(systems[name], name, rank, here[systems[name]])
        for name, rank in table.ranks.items()
        if name in systems
    )
    if not rows:
        raise InputError(
            f"{table.name} ranks no system that is ranked here. Expected names such as "
            f"{', '.join([*here][:5]) or 'none, as no system has a rank'}. It has "
            f"{', '.join([*table.ranks][:5])}."
        )
    counts = {rule: sum(row.agrees(rule) for row in rows) for rule in by_rule}
    return RankReplication(
        first.metric,
        rows,
        dict(sorted(counts.items(), key=lambda one: -one[1])),
        tuple(name for name in table.ranks if name not in systems),
    )


@dataclass(frozen=True)
class _Names:
    """What a table calls systems and metrics -> what they are here; and how what is not the same
    letters was matched.
    """

    systems: dict[str, str]
    metrics: dict[str, str]
    references: dict[str, tuple[str, ...]]
    by_rule: dict[str, str]
    by_suffix: dict[str, str]

    @classmethod
    def match(cls, table: OfficialTable, testset: TestSet, whole: TestSet) -> _Names:
        systems, by_rule = match_systems(table.systems, testset.systems)
        metrics, also = match_names(table.columns, dict.fromkeys((*METRICS, *testset.scores)))
        suffixed = _suffixed(
            [called for called in table.columns if called not in metrics], testset, whole
        )
        return cls(
            systems,
            metrics | {called: name for called, (name, _) in suffixed.items()},
            {called: references for called, (_, references) in suffixed.items()},
            also | by_rule,
            {
                called: f"{name} with {' and '.join(references)}" if references else name
                for called, (name, references) in suffixed.items()
            },
        )

    def column(
        self, called: str, table: OfficialTable, testset: TestSet, whole: TestSet, lowercase: bool
    ) -> PublishedColumn | None:
        """A column of the table; None for one that is no metric here, or lacks what it needs, such
        as parses.
        """
        references = self.references.get(called, ())
        try:
            if references and set(references) != {*testset.references}:
                testset = scored_by(
                    testset, whole.only(testset.systems.keys() & whole.systems.keys()), references
                )
            metric = resolve_metric(
                testset, self.metrics[called], **{"lowercase": True} if lowercase else {}
            )
            return PublishedColumn(
                testset, whole, metric, self.systems, table.columns[called], lowercase
            )
        except (KeyError, MtsigError):
            return None


def _replicate(
    parts: Mapping[str, Part],
    tables: Mapping[str, OfficialTable],
    lowercase: bool,
    progress: Callable[[str, float], None] | None,
) -> dict[str, Replication]:
    """By language pair."""
    names: dict[str, _Names] = {}
    columns: dict[
        tuple[str, str], PublishedColumn
    ] = {}  # by language pair and what the table calls it
    for k, (pair, (testset, whole)) in enumerate(parts.items()):
        if progress is not None:
            progress(f"{pair}: scoring".removeprefix(": "), k / len(parts))
        names[pair] = _Names.match(tables[pair], testset, whole)
        columns |= {
            (pair, called): column
            for called in tables[pair].columns
            if (column := names[pair].column(called, tables[pair], testset, whole, lowercase))
            is not None
        }
    settings = find_settings(
        list(columns.values()), None if progress is None else partial(progress, "trying settings")
    )
    done = {}
    for pair, (testset, _) in parts.items():
        known, table = names[pair], tables[pair]
        rows, tried, compared = [], 0, []
        for k, ((of, called), column) in enumerate(columns.items()):
            if of == pair:
                compared.append(called)
                tried = max(tried, column.tried)
                rows += [
                    ScoreBeside(
                        column.systems[name],
                        name,
                        known.metrics[called],
                        called,
                        text,
                        column.scores[column.systems[name]],
                        name in column.agree,
                        *settings.get((k, name), ()),
                    )
                    for name, text in column.printed.items()
                ]
        there = {row.called for row in rows}
        done[pair] = Replication(
            tuple(rows),
            tuple(name for name in testset.systems if name not in known.systems.values()),
            tuple(name for name in table.systems if name not in known.systems),
            tuple(called for called in table.columns if called not in compared),
            {
                name: here
                for name, here in known.by_rule.items()
                if name in there or name in table.columns
            },
            {name: here for name, here in known.by_suffix.items() if name in compared},
            tried,
            sum(len(column.printed) for column in columns.values()),
        )
    return done


def _nothing_in_common(
    table: OfficialTable, what: str, there: Iterable[str], here: Iterable[str]
) -> InputError:
    """Of a table that has no score by a system and a metric that are here."""

    def few(names: Iterable[str]) -> str:
        names = list(names)
        return (
            ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
            or "none"
        )

    return InputError(
        f"{table.name} has no score to compare with. Expected a column {what} with "
        f"names that are scored here ({few(here)}), and columns named as metrics, such as BLEU. It has "
        f"the {what}s {few(there)} and the metrics {few(table.columns)}."
    )


def match_names(names: Iterable[str], ours: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each name is here; and of these the ones that are not the same letters."""
    names, ours = list(names), list(ours)
    exact = {name: name for name in names if name in ours}
    by_key: dict[str, list[str]] = {}
    for name in ours:
        if name not in exact:
            by_key.setdefault(_key(name), []).append(name)
    rest = [name for name in names if name not in exact]
    keys = [_key(name) for name in rest]
    by_rule = {
        name: by_key[key][0]
        for name, key in zip(rest, keys, strict=True)
        if len(by_key.get(key, ())) == 1 and keys.count(key) == 1
    }
    return exact | by_rule, by_rule


def match_systems(
    names: Iterable[str], ours: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """As `match_names`; a reference may also be called as itself where it acts as a system here."""
    names, ours = list(names), list(ours)
    found, by_rule = match_names(names, ours)
    for name in names:
        if name not in found and name_as_system(name) in ours:
            found[name] = by_rule[name] = name_as_system(name)
    return found, by_rule


def _suffixed(
    names: Iterable[str], testset: TestSet, whole: TestSet
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Names of metrics that end in what scores them, such as bleu-all, chrf-refA and COMET-A: the
    metric here, and the references, none for scores that were given.
    """
    found: dict[str, tuple[str, tuple[str, ...]]] = {}
    for name in names:
        base, _, suffix = name.rpartition("-")
        ours = match_names([base], dict.fromkeys((*METRICS, *testset.scores)))[0].get(base)
        by_suffix = [
            one for one in whole.references if _key(one) in (_key(suffix), f"ref{_key(suffix)}")
        ]
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
