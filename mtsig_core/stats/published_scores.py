"""`replicate`: reproduce published scores, or find the setting that gives them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.grouping import group_values
from mtsig_core.metrics import (
    OWN_METRICS,
    Metric,
    find_tokenizer,
    mean_over_domains,
    resolve_metric,
)
from mtsig_core.progress import Progress
from mtsig_core.readers.official_tables import OfficialTable, PublishedRank
from mtsig_core.readers.published_values import PublishedValues
from mtsig_core.readers.texts import drop_canary
from mtsig_core.results import MetricResult
from mtsig_core.stats.engine import measure
from mtsig_core.testset import TestSet, name_as_system

# -------------------------------------------------------------------------------------------------
# Settings that may give a published score.

#: Tokenizers that are tried; those that need a model that may not be here are not.
_TOKENIZERS = ("13a", "intl", "zh", "char", "none", "ja-mecab", "ko-mecab")
_TER_OPTIONS = {
    "normalized": "texts normalized",
    "no_punct": "punctuation removed",
    "asian_support": "Chinese and Japanese characters split",
}
_OTHER_CHRF = {"chrf": "chrf++", "chrf++": "chrf"}


class ScoredSet(NamedTuple):
    """A test set as it is scored, and the same test set with all that other settings need."""

    testset: TestSet
    full: TestSet  # with all references and the canary line

    def with_references(self, references: Sequence[str], keep_canary: bool = False) -> TestSet:
        """The test set with other references of the full one.

        It has the canary line if it had it before, or if `keep_canary`.
        """
        keep_canary = keep_canary or _has_canary(self.testset)
        texts = self.full
        if not keep_canary:
            texts = drop_canary(self.full)
        texts = replace(texts, tokenizer=self.testset.tokenizer)
        if texts.references:
            return texts.scored_with(references)
        return texts


def _has_canary(testset: TestSet) -> bool:
    return drop_canary(testset).n_segments < testset.n_segments


@dataclass(frozen=True)
class _Change:
    """One setting that differs from those in use.

    The words name what it replaces, so they do not count when changes are compared.
    """

    words: str = field(compare=False)
    metric: str | None = None
    option: tuple[str, Any] | None = None  # of the metric
    references: tuple[str, ...] = ()
    keep_canary: bool = False
    by_domain: bool = False
    factor: float = 1.0  # by which the score is multiplied where it is published


_RESCALED = (
    _Change("printed as a share of 1, not of 100", factor=0.01),
    _Change("printed times 100", factor=100.0),
    _Change("published with the opposite sign", factor=-1.0),
)


def _list_changes(scored: ScoredSet, metric: Metric, lowercase: bool) -> list[_Change]:
    """Each single setting that can be changed for a metric of this test set."""
    testset, full = scored
    changes = list(_RESCALED)
    if metric.name not in testset.scores:
        changes += _list_metric_changes(metric, find_tokenizer(metric, testset), lowercase)
        changes += _list_reference_changes(list(testset.references), list(full.references))
    if _has_canary(full) and not _has_canary(testset):
        changes.append(_Change("the canary line kept", keep_canary=True))
    if len(set(testset.domains or ())) > 1:
        changes.append(_Change("the mean over domains", by_domain=True))
    return changes


def _list_metric_changes(metric: Metric, tokenizer: str | None, lowercase: bool) -> list[_Change]:
    """Other tokenizers, case and options of a metric, and its variant."""
    changes = []
    if tokenizer is not None:
        for name in _TOKENIZERS:
            if name != tokenizer:
                words = f"tokenizer {name} in place of {tokenizer}"
                changes.append(_Change(words, option=("tokenize", name)))
    words = "lowercased"
    if lowercase:
        words = "case kept"
    changes.append(_Change(words, option=("lowercase", not lowercase)))
    if metric.name == "ter":
        if not lowercase:
            changes.append(_Change("case kept", option=("case_sensitive", True)))
        for option, words in _TER_OPTIONS.items():
            changes.append(_Change(words, option=(option, True)))
    variant = _OTHER_CHRF.get(metric.name)
    if variant is not None:
        changes.append(_Change(f"{variant} in place of {metric.name}", metric=variant))
    return changes


def _list_reference_changes(used: Sequence[str], available: Sequence[str]) -> list[_Change]:
    """List each single reference, and all references jointly."""
    changes = [
        _Change(f"only reference {name}", references=(name,))
        for name in available
        if [name] != used
    ]
    if len(available) > 1 and set(available) != set(used):
        words = f"all {len(available)} references jointly"
        changes.append(_Change(words, references=tuple(available)))
    return changes


# -------------------------------------------------------------------------------------------------
# A column of a published table under each of these settings.


class _Scores(NamedTuple):
    by_system: dict[str, float]
    signature: str


class _Column:
    """A column of a published table, scored under one setting after another.

    Parameters
    ----------
    scored : ScoredSet
    metric : Metric
    systems : mapping of str to str
        The systems of the table by their names there.
    published : mapping of str to str
        The published scores by the names of systems in the table.
    lowercase : bool
        Whether texts are lowercased for all scores.
    """

    def __init__(
        self,
        scored: ScoredSet,
        metric: Metric,
        systems: Mapping[str, str],
        published: Mapping[str, str],
        lowercase: bool,
    ):
        self._scored, self._metric = scored, metric
        self._options = _list_options(lowercase)
        self._scores_by_change: dict[_Change, _Scores | None] = {}
        self.unchanged = _score(scored.testset, metric, scored.testset.systems)
        scores = self.unchanged.by_system
        self.systems = {name: own_name for name, own_name in systems.items() if own_name in scores}
        self.published = {name: text for name, text in published.items() if name in self.systems}
        self.changes = {change: change.words for change in _list_changes(scored, metric, lowercase)}
        self.agreeing = self._compare(scores, 1.0)
        self.differing = self.published.keys() - self.agreeing

    def list_agreeing(self, change: _Change) -> set[str]:
        """The systems whose published score a change gives; one of other columns changes none."""
        if change not in self.changes:
            return self.agreeing
        scores = self.score_with(change)
        if scores is None:
            return set()
        return self._compare(scores.by_system, change.factor)

    def _compare(self, scores: Mapping[str, float], factor: float) -> set[str]:
        """The systems whose score comes out as it is published."""
        agreeing = set()
        for name, text in self.published.items():
            if _is_published(factor * scores[self.systems[name]], text):
                agreeing.add(name)
        return agreeing

    @property
    def n_tried(self) -> int:
        """Count the settings tried; 0 where all published scores come out."""
        if not self.differing:
            return 0
        return sum(self.score_with(change) is not None for change in self.changes)

    def score_with(self, change: _Change) -> _Scores | None:
        """The scores with a change; None where the metric or this machine does not have it."""
        if change in _RESCALED:
            return self.unchanged
        if change not in self._scores_by_change:
            try:
                testset, metric = self._apply(change)
                scores = _score(testset, metric, dict.fromkeys(self.systems.values()))
            except (MtsigError, TypeError):  # no such tokenizer here, or no such option
                scores = None
            self._scores_by_change[change] = scores
        return self._scores_by_change[change]

    def _apply(self, change: _Change) -> tuple[TestSet, Metric]:
        testset = self._scored.testset
        if change.keep_canary or change.references:
            references = change.references or tuple(testset.references)
            testset = self._scored.with_references(references, change.keep_canary)
        options = dict(self._options)
        if change.option is not None:
            name, value = change.option
            options[name] = value
        metric = resolve_metric(testset, change.metric or self._metric.name, **options)
        if change.by_domain:
            metric = mean_over_domains(metric)
        return testset, metric


def _list_options(lowercase: bool) -> dict[str, Any]:
    if lowercase:
        return {"lowercase": True}
    return {}


def _score(testset: TestSet, metric: Metric, systems: Iterable[str]) -> _Scores:
    measured = measure(testset.only(list(systems)).keep_scorable(metric.name), metric)
    scores = dict(zip(measured.names, map(float, measured.scores), strict=True))
    return _Scores(scores, metric.signature(testset))


def _is_published(score: float, published: str) -> bool:
    """Whether a score, rounded to as many decimals, is the published one.

    A half may have been rounded up or down.
    """
    decimals = len(published.partition(".")[2])
    difference = abs(score - float(published))
    return math.isfinite(score) and difference <= 0.5 * 10.0**-decimals + 1e-9


class _Setting(NamedTuple):
    """The setting that gives a published score, as the last fields of `ScoreBeside`."""

    words: str
    signature: str
    n_given: int  # numbers of the whole table that come out with it


class _Candidate(NamedTuple):
    change: _Change
    explained: list[tuple[_Column, str]]  # numbers that do not come out without it
    n_given: int


def _rank_candidate(candidate: _Candidate) -> tuple[int, int]:
    return len(candidate.explained), candidate.n_given


def _find_settings(
    columns: Sequence[_Column], progress: Progress | None = None
) -> dict[tuple[_Column, str], _Setting]:
    """The setting that gives each number that does not come out, where there is one.

    Of several, the one that gives most such numbers in all columns is taken, then the one that
    gives most numbers of the table.
    """
    differing = [column for column in columns if column.differing]
    changes: dict[_Change, None] = {}
    for column in differing:
        changes |= dict.fromkeys(column.changes)
    candidates = []
    for k, change in enumerate(changes):
        if progress is not None:
            progress("trying settings", k / len(changes))
        explained = []
        for column in differing:
            names = column.list_agreeing(change) & column.differing
            explained += [(column, name) for name in names]
        if explained:
            n_given = sum(len(column.list_agreeing(change)) for column in columns)
            candidates.append(_Candidate(change, explained, n_given))
    candidates.sort(key=_rank_candidate, reverse=True)
    settings: dict[tuple[_Column, str], _Setting] = {}
    for change, explained, n_given in candidates:
        for column, name in explained:
            scores = column.score_with(change)
            if scores is not None:
                setting = _Setting(column.changes[change], scores.signature, n_given)
                settings.setdefault((column, name), setting)
    return settings


# -------------------------------------------------------------------------------------------------
# What `replicate` answers.


@dataclass(frozen=True)
class ScoreBeside:
    """A published score next to ours."""

    #: `system`, `metric`: As they are called here.
    system: str
    #: `called`, `column`: As the table calls them.
    called: str
    metric: str
    column: str
    printed: str  # digit by digit
    score: float  # ours, in points
    agrees: bool  # whether ours, rounded to as many decimals, is the published one
    setting: str | None = None  # what would give the published number, if something does
    signature: str | None = None  # of the metric under that setting
    #: How many numbers of the whole table come out with that setting.
    gives: int | None = None


@dataclass(frozen=True)
class RankBeside:
    """A published rank next to the ranks by each rule."""

    system: str
    called: str  # by the table
    published: PublishedRank
    #: By rule, see `name_way`; without those that give this system no rank.
    ours: Mapping[str, PublishedRank]

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
    only_here: tuple[str, ...]  # systems
    only_there: tuple[str, ...]
    not_compared: tuple[str, ...]  # columns that this test set cannot be scored by
    #: Names of systems and metrics in the table -> their names here, where they differ in more
    #: than the letters.
    by_rule: dict[str, str]
    #: Names of metrics in the table -> metric and references, where the end of the name says which
    #: references score.
    by_suffix: dict[str, str]
    tried: int  # settings tried for numbers that do not come out, for the metric with the most
    #: Numbers of the whole table that are compared; for a task, numbers of all language pairs.
    n_numbers: int
    ranks: RankReplication | None = None  # where the table has ranks


@dataclass(frozen=True)
class TaskReplication:
    """The answer of `replicate_task`."""

    pairs: Mapping[str, Replication]  # by language pair
    only_here: tuple[str, ...]  # language pairs
    only_there: tuple[str, ...]
    #: Names of language pairs in the table -> their names here, where they differ.
    by_rule: Mapping[str, str]


def replicate(
    testset: TestSet,
    table: OfficialTable,
    full: TestSet | None = None,
    *,
    lowercase: bool = False,
    progress: Progress | None = None,
) -> Replication:
    r"""Compare published scores with the scores of a test set.

    A name in the table means the system or metric of the same name, or else the only one whose name
    is the same without case, spaces, dots, dashes and underscores. A metric may end in its
    references, as WMT writes it: bleu-all is BLEU with all references jointly, chrf-refA and chrf-A
    are chrF with refA. Where a number differs, mtsig tries other settings: tokenizer, references
    (each single one, and all jointly), case, TER's normalization, chrF++ for chrF, the canary line
    kept, the mean over domains; and the score printed as a share of 1 or with the opposite sign. It
    takes first the setting that reproduces the most of these numbers, over all columns, and among
    equal settings the one that reproduces the most numbers of the table.

    Parameters
    ----------
    testset : TestSet
    table : OfficialTable
    full : TestSet, optional
        The same with all its references and the canary line; by default `testset`.
    lowercase : bool
        Whether texts are lowercased for all scores.
    progress : callable, optional
        Is given the stage and the share that is done.

    Raises
    ------
    InputError
        If the table has no score by a system and a metric of the test set, and no rank.

    Examples
    --------
    >>> from mtsig_core.readers.official_tables import parse_official_table
    >>> ts = TestSet("toy", {"A": ["the cat sat down"] * 2}, {"ref": ["The cat sat down"] * 2})
    >>> table = parse_official_table("system,BLEU\nA,100.0")
    >>> [(row.agrees, row.setting) for row in replicate(ts, table).rows]
    [(False, 'lowercased')]
    """
    scored = ScoredSet(testset, testset if full is None else full)
    replication = _replicate({"": scored}, {"": table}, lowercase, progress)[""]
    if not replication.rows and not table.ranks:
        raise _explain_nothing_common(table, "system", table.systems, testset.systems)
    return replication


def replicate_task(
    read: Callable[[str], tuple[TestSet, TestSet]],
    pairs: Iterable[str],
    tables: Mapping[str, OfficialTable],
    *,
    progress: Progress | None = None,
) -> TaskReplication:
    """Compare published scores of a whole shared task with the scores of its test sets.

    The whole table decides which setting is chosen. Language pairs are matched as `replicate`
    matches systems.

    Parameters
    ----------
    read : callable
        Takes a language pair and returns its test set, and the same test set with all references
        and the canary line.
    pairs : iterable of str
        The language pairs of the task.
    tables : mapping of str to OfficialTable
        By the names of language pairs in the table.
    progress : callable, optional
        Is given the stage and the share that is done.

    Raises
    ------
    InputError
        If the table has nothing to compare.
    """
    pairs = list(pairs)
    matched, by_rule = match_names(tables, pairs)
    tables_here = {matched[name]: table for name, table in tables.items() if name in matched}
    if not tables_here:
        table = next(iter(tables.values()))
        raise _explain_nothing_common(table, "language pair", tables, pairs)
    scored = {pair: ScoredSet(*read(pair)) for pair in tables_here}
    replications = _replicate(scored, tables_here, False, progress)
    has_scores = any(replication.rows for replication in replications.values())
    if not has_scores and not any(table.ranks for table in tables_here.values()):
        pair, table = next(iter(tables_here.items()))
        systems = scored[pair].testset.systems
        raise _explain_nothing_common(table, "system", table.systems, systems)
    return TaskReplication(
        replications,
        tuple(pair for pair in pairs if pair not in replications),
        tuple(name for name in tables if name not in matched),
        by_rule,
    )


def name_way(rule: str, options: str) -> str:
    """What a rule is called where the files are read with further options of the command line.

    >>> name_way("wmt25", "--raters segments"), split_way("wmt25 --raters segments"), split_way("wmt25")
    ('wmt25 --raters segments', ('wmt25', '--raters segments'), ('wmt25', ''))
    """
    if options:
        return f"{rule} {options}"
    return rule


def split_way(way: str) -> tuple[str, str]:
    """The rule, and the options, of `name_way`."""
    rule, _, options = way.partition(" ")
    return rule, options


def replicate_ranks(by_rule: Mapping[str, MetricResult], table: OfficialTable) -> RankReplication:
    r"""Compare the published ranks of a table with those by each rule, see `name_way`.

    A reference may be called as itself, or as the system that it acts as.

    >>> from mtsig_core.readers.official_tables import parse_official_table
    >>> from mtsig_core.stats.comparison import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> result = compare(ts, trials=999).metrics["bleu"]
    >>> replicate_ranks({"simultaneous": result}, parse_official_table("system,rank\nA,1\nB,2")).counts
    {'simultaneous': 2}
    """
    ours: dict[str, dict[str, PublishedRank]] = {}
    for rule, result in by_rule.items():
        for row in result.systems:
            if row.rank_low is not None:
                rank = PublishedRank(row.rank_low, row.rank_high, row.cluster)
                ours.setdefault(row.system, {})[rule] = rank
    systems, _ = _match_systems(table.ranks, ours)
    rows = []
    for name, published in table.ranks.items():
        if name in systems:
            rows.append(RankBeside(systems[name], name, published, ours[systems[name]]))
    if not rows:
        expected = ", ".join(list(ours)[:5]) or "none, as no system has a rank"
        raise InputError(
            f"{table.name} ranks no system that is ranked here. Expected names such as {expected}. "
            f"It has {', '.join(list(table.ranks)[:5])}."
        )
    counts = {rule: sum(row.agrees(rule) for row in rows) for rule in by_rule}
    first = next(iter(by_rule.values()))
    return RankReplication(
        first.metric,
        tuple(rows),
        dict(sorted(counts.items(), key=lambda item: item[1], reverse=True)),
        tuple(name for name in table.ranks if name not in systems),
    )


def _replicate(
    scored: Mapping[str, ScoredSet],
    tables: Mapping[str, OfficialTable],
    lowercase: bool,
    progress: Progress | None,
) -> dict[str, Replication]:
    """By language pair, which is empty for a test set."""
    names: dict[str, _Names] = {}
    columns: dict[str, dict[str, _Column]] = {}
    all_columns: list[_Column] = []
    for k, (pair, scored_set) in enumerate(scored.items()):
        if progress is not None:
            stage = "scoring"
            if pair:
                stage = f"{pair}: scoring"
            progress(stage, k / len(scored))
        names[pair] = _Names.match(tables[pair], scored_set)
        columns[pair] = _score_columns(tables[pair], names[pair], scored_set, lowercase)
        all_columns += columns[pair].values()
    settings = _find_settings(all_columns, progress)
    n_numbers = sum(len(column.published) for column in all_columns)
    replications = {}
    for pair, table in tables.items():
        replications[pair] = _describe_pair(
            scored[pair].testset, table, names[pair], columns[pair], settings, n_numbers
        )
    return replications


def _describe_pair(
    testset: TestSet,
    table: OfficialTable,
    names: _Names,
    columns: Mapping[str, _Column],
    settings: Mapping[tuple[_Column, str], _Setting],
    n_numbers: int,
) -> Replication:
    """Compare the published scores of one table with ours."""
    rows = []
    for title, column in columns.items():
        for name, text in column.published.items():
            system = column.systems[name]
            score = column.unchanged.by_system[system]
            agrees = name in column.agreeing
            metric = names.metrics[title]
            setting = settings.get((column, name), ())
            rows.append(ScoreBeside(system, name, metric, title, text, score, agrees, *setting))
    compared = {row.called for row in rows}.union(table.columns)
    systems = set(names.systems.values())
    return Replication(
        rows=tuple(rows),
        only_here=tuple(name for name in testset.systems if name not in systems),
        only_there=tuple(name for name in table.systems if name not in names.systems),
        not_compared=tuple(title for title in table.columns if title not in columns),
        by_rule={name: names.by_rule[name] for name in names.by_rule if name in compared},
        by_suffix={name: names.by_suffix[name] for name in names.by_suffix if name in columns},
        tried=max((column.n_tried for column in columns.values()), default=0),
        n_numbers=n_numbers,
    )


def _score_columns(
    table: OfficialTable, names: _Names, scored: ScoredSet, lowercase: bool
) -> dict[str, _Column]:
    """Select the columns of a table whose metric exists here and has what it needs."""
    columns = {}
    options = _list_options(lowercase)
    for title, published in table.columns.items():
        if title not in names.metrics:
            continue
        testset, full = scored
        references = names.references.get(title, ())
        try:
            if references and set(references) != set(testset.references):
                same_systems = full.only(testset.systems.keys() & full.systems.keys())
                testset = ScoredSet(testset, same_systems).with_references(references)
            metric = resolve_metric(testset, names.metrics[title], **options)
            column_set = ScoredSet(testset, full)
            columns[title] = _Column(column_set, metric, names.systems, published, lowercase)
        except MtsigError:  # no parses, say
            continue
    return columns


def _explain_nothing_common(
    table: OfficialTable, kind: str, published_names: Iterable[str], own_names: Iterable[str]
) -> InputError:
    """The error for a table without a score by a system and a metric that are here."""
    return InputError(
        f"{table.name} has no score to compare with. Expected a column {kind} with names that are "
        f"scored here ({_list_few(own_names)}), and columns named as metrics, such as BLEU. It has the "
        f"{kind}s {_list_few(published_names)} and the metrics {_list_few(table.columns)}."
    )


def _list_few(names: Iterable[str]) -> str:
    names = list(names)
    if not names:
        return "none"
    text = ", ".join(names[:5])
    if len(names) > 5:
        return f"{text} and {len(names) - 5} more"
    return text


# -------------------------------------------------------------------------------------------------
# Names of a table, and the same names here.

_SAME = {
    "chrf2": "chrf",
    "chrf2++": "chrf++",
    "sacrebleu": "bleu",
    "mbleu": "m-bleu",
    "zscr": "da-z",
    "z": "da-z",
    "rawscr": "da-raw",
    "raw": "da-raw",
}


@dataclass(frozen=True)
class _Names:
    """Names in a table -> names here; and how those that are not the same letters were matched."""

    systems: dict[str, str]
    metrics: dict[str, str]
    references: dict[str, tuple[str, ...]]  # by metrics whose name ends in them
    by_rule: dict[str, str]
    by_suffix: dict[str, str]

    @classmethod
    def match(cls, table: OfficialTable, scored: ScoredSet) -> _Names:
        testset, full = scored
        available = list(dict.fromkeys((*OWN_METRICS, *testset.scores)))
        systems, systems_by_rule = _match_systems(table.systems, testset.systems)
        metrics, metrics_by_rule = match_names(table.columns, available)
        references: dict[str, tuple[str, ...]] = {}
        by_suffix: dict[str, str] = {}
        for title in table.columns:
            if title in metrics:
                continue
            suffixed = _match_suffixed(title, available, testset, list(full.references))
            if suffixed is None:
                continue
            metric, references[title] = suffixed
            metrics[title] = by_suffix[title] = metric
            if references[title]:
                by_suffix[title] = f"{metric} with {' and '.join(references[title])}"
        return cls(systems, metrics, references, metrics_by_rule | systems_by_rule, by_suffix)


def match_names(names: Iterable[str], ours: Iterable[str]) -> tuple[dict[str, str], dict[str, str]]:
    """What each name is here; and of these the ones that are not the same letters."""
    names = list(names)
    ours = list(ours)
    exact = {name: name for name in names if name in ours}
    unmatched = [name for name in names if name not in exact]
    keys = [_simplify(name) for name in unmatched]
    ours_by_key = group_values((name, _simplify(name)) for name in ours if name not in exact)
    by_rule = {}
    for name, key in zip(unmatched, keys, strict=True):
        candidates = ours_by_key.get(key, [])
        if len(candidates) == 1 and keys.count(key) == 1:
            by_rule[name] = candidates[0]
    return exact | by_rule, by_rule


def _match_systems(
    names: Iterable[str], ours: Iterable[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """As `match_names`; a reference may also be called as itself where it acts as a system here."""
    names = list(names)
    ours = list(ours)
    matched, by_rule = match_names(names, ours)
    for name in names:
        system = name_as_system(name)
        if name not in matched and system in ours:
            matched[name] = by_rule[name] = system
    return matched, by_rule


def _match_suffixed(
    title: str, metrics: Sequence[str], testset: TestSet, references: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """The metric, and the references, of a name that ends in what scores it.

    Such names are bleu-all, chrf-refA and COMET-A. Scores that are in the files have no references.
    """
    base, _, suffix = title.rpartition("-")
    matched, _ = match_names([base], metrics)
    if base not in matched:
        return None
    metric = matched[base]
    key = _simplify(suffix)
    scoring: tuple[str, ...] = ()
    if suffix.lower() == "all":
        scoring = tuple(references)
    else:
        for name in references:
            if _simplify(name) in (key, f"ref{key}"):
                scoring = (name,)
                break
    if metric in testset.scores:
        if scoring or re.fullmatch("all|(ref)?[a-z]", key):
            return metric, ()
        return None
    if scoring:
        return (metric, scoring)
    return None


def _simplify(name: str) -> str:
    """A name without case, spaces, dots, dashes and underscores."""
    plain = re.sub(r"[\s._-]+", "", name.casefold())
    return re.sub(r"[\s._-]+", "", _SAME.get(plain, plain))


# -------------------------------------------------------------------------------------------------
# Published values of a task, next to its own.


def match_published(
    values: PublishedValues, systems: Mapping[str, Collection[str]]
) -> PublishedValues:
    """The published values of a task by its own names of language pairs and systems.

    `systems`: those of each language pair of the task. Others are left out.

    >>> match_published({"en-de": {"gpt4": {"AutoRank": "1.0"}, "B": {"AutoRank": "2.0"}}}, {"en-de": ["GPT-4"]})
    {'en-de': {'GPT-4': {'AutoRank': '1.0'}}}
    """
    pairs, _ = match_names(values, systems)
    matched: PublishedValues = {}
    for published_pair, pair in pairs.items():
        for name, columns in values[published_pair].items():
            # Each by itself, as another file may call a system otherwise.
            names, _ = _match_systems([name], systems[pair])
            for system in names.values():
                of_system = matched.setdefault(pair, {}).setdefault(system, {})
                of_system |= columns
    return matched
