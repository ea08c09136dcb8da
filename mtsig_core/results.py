"""Frozen results: only numbers, no formatted strings. An undefined number is None.

The presenter makes tables, files and figures of a result on request.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mtsig_core.annotation_progress import ProgressRow, measure_progress
from mtsig_core.caution import Assumption, Caution
from mtsig_core.errors import explain_unknown, format_count
from mtsig_core.extras import explain_missing_package
from mtsig_core.languages import name_parts
from mtsig_core.presenter import get_presenter
from mtsig_core.schema import to_plain
from mtsig_core.score_names import order_metrics
from mtsig_core.task import SystemInfo, Task, TaskExclusion
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# The test set of a result and how the result was made: settings, warnings and exclusions.


@dataclass(frozen=True)
class TestSetInfo:
    """The test set of a result; `assumed` as in `TestSet`."""

    __test__ = False

    name: str
    digest: str
    n_segments: int
    n_documents: int | None
    references: tuple[str, ...]
    systems: tuple[str, ...]
    simulated: bool
    assumed: tuple[Assumption, ...] = ()
    progress: tuple[ProgressRow, ...] = ()  # of its annotation, where that is known
    #: As in `TestSet`; empty in results that older versions wrote.
    reference_digest: str = ""

    @classmethod
    def from_testset(cls, testset: TestSet) -> TestSetInfo:
        """Describe a test set."""
        return cls(
            testset.name,
            testset.digest,
            testset.n_segments,
            testset.n_documents,
            tuple(testset.references),
            tuple(testset.systems),
            testset.simulated,
            testset.assumed,
            measure_progress(testset),
            testset.reference_digest,
        )


@dataclass(frozen=True)
class SamplingSettings:
    """The settings of draws without a test, as resolved; intervals have level 1 - `alpha`."""

    unit: str
    block_length: float | None
    alpha: float
    resamples: int
    seed: int
    version: str


@dataclass(frozen=True, kw_only=True)
class Settings(SamplingSettings):
    """Every choice that the numbers of a comparison depend on, as resolved (no ``auto`` is left).

    `ci` is the kind of interval for all segments; where few documents have ratings, it may be
    another, see `MetricResult.ci`. `rank_rule` is how ranks are made from the pairs, see
    `stats.ranks`. `look` says which of how many planned looks it is; `alpha` is the level of this
    look, see `stats.significance`.
    """

    test: str
    trials: int | None
    correction: str
    ci: str
    baseline: str | None
    rank_rule: str = "simultaneous"
    look: str = "1/1"


@dataclass(frozen=True)
class Exclusion:
    """A system that was left out of the comparison, and the reason, if one was given."""

    system: str
    reason: str = ""


# -------------------------------------------------------------------------------------------------
# Training runs of a system and of a pair, in addition to the results on the test set.


@dataclass(frozen=True)
class SystemRuns:
    """The training runs of one system under one metric, on the test set as it is."""

    system: str
    scores: tuple[float, ...]  # of each run, in points; the system's score is their mean
    #: Standard deviation between runs (ddof 1), in points; None of a single run.
    sd: float | None = None
    #: Its interval of level 1 - alpha, by chi-squared, for runs that are normal.
    sd_low: float | None = None
    sd_high: float | None = None


@dataclass(frozen=True)
class PairRuns:
    """How uncertain the difference of two systems is, in points, by source."""

    a: str
    b: str
    #: Bootstrap standard error over units of the test set, of these runs: the `se` of the pair.
    se_testset: float | None
    #: Between runs: sqrt(sd_a^2 / R_a + sd_b^2 / R_b); None where a system has a single run.
    se_runs: float | None
    #: Of both together, sqrt(n / (n - 1) se_testset^2 + se_runs^2) with units worth n of equal
    #: size: of a new test set and new runs.
    se_total: float | None
    #: Its degrees of freedom, by Welch and Satterthwaite; None where `se_runs` is.
    df_total: float | None = None


# -------------------------------------------------------------------------------------------------
# Results under one metric: systems, pairs, and the leaders by each reference.


if TYPE_CHECKING:
    import pandas as pd


def _load_pandas() -> Any:
    """Load pandas late: that takes half a second, and the command line does not need it."""
    with explain_missing_package("pandas", "to_frame()"):
        import pandas
    return pandas


#: Ratio of the bootstrap standard error to the standard error of swaps. At a ratio of 1.1, a
#: randomization test at 0.05 rejects 7.5% of true nulls.
UNLIKE = 1.1


def swap_ratio(
    delta: float, se: float | None, swap_se: float | None, n: float | None
) -> float | None:
    """Divide the bootstrap standard error by the standard error of swaps under the null.

    Swaps change the sign of the difference in n equal units, which adds delta^2 / n to their
    variance; this function subtracts it. It returns None where nothing is swapped. It also returns
    None beyond four standard errors: there the remainder is a small difference of large numbers,
    and no p is in doubt.
    """
    if not (se and swap_se and n) or abs(delta) > 4 * se:
        return None
    variance = swap_se**2 - delta**2 / n
    return se / math.sqrt(variance) if variance > 0 else None


_Result = TypeVar("_Result")
_COLUMN_TYPES = {"float": "float64", "int": "Int64", "bool": "bool"}


@dataclass(frozen=True)
class SystemResult:
    """One system under one metric."""

    system: str
    score: float  # in points; by a rule of ranks that has a score of its own, that score
    #: Interval of the score.
    ci_low: float | None
    ci_high: float | None
    #: From 1: simultaneous over all systems, or by the rule that was asked for.
    rank_low: int | None
    rank_high: int | None
    #: From 1: no rank range reaches from one cluster into the next. None without ranks.
    cluster: int | None = None


@dataclass(frozen=True)
class PairResult:
    """Two systems under one metric, on the segments that have scores for both."""

    #: The better-scoring system first; with a baseline, b is the baseline.
    a: str
    b: str
    #: score(a) - score(b) in points on these segments, with its interval `ci_low`, `ci_high`.
    #: Without a common segment (`n` 0) the difference of the scores on the segments that each has.
    delta: float
    ci_low: float | None
    ci_high: float | None
    #: None for a test that gives no p, and for a pair that could not be tested.
    p_value: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None  # {"a", "b", None}: Which system is significantly better, if any
    #: Koehn's test: shares of bootstrap samples on which a is better, or worse, than b.
    win: float | None
    lose: float | None
    se: float | None  # bootstrap standard error of delta, in points, for the unit of the test
    #: Standard error by document / by segment; None without document ids, or where nothing varies.
    se_ratio: float | None
    #: Minimum detectable difference in points: what one test at alpha finds with 80% power.
    mdd: float | None
    n: int  # number of segments compared
    #: Simultaneous interval of delta. The intervals of all pairs, or of all pairs with the
    #: baseline, hold together at level 1 - alpha. For a single pair it is the single interval.
    ci_joint_low: float | None
    ci_joint_high: float | None
    n_units: int  # units that both have segments in
    #: How many units of equal size these are worth (Kish 1965): (sum w)^2 / sum w^2, w the segments
    #: of each.
    n_effective: float
    #: Whether the smallest p that the test can give with so many units and trials is, after the
    #: correction, at most alpha. If not, no difference could make the pair significant, and `mdd`
    #: is None. The same applies where `se` is 0, because a difference that never varies does not
    #: tell how much other differences vary.
    decidable: bool
    #: Interval of `mdd`, of level 1 - alpha, as the standard error is an estimate.
    mdd_low: float | None
    mdd_high: float | None
    #: Minimum detectable difference of a test at alpha / m, m the pairs of the family: enough after
    #: Bonferroni, Holm and ``bh``, and most often after Romano-Wolf. None where p cannot be so
    #: small.
    mdd_family: float | None
    #: How well the standard error is known, in degrees of freedom; see `power.degrees_of_freedom`.
    se_df: float | None
    #: Test ``ar``: root mean square of the difference over its swaps, in points, which the test
    #: takes for the standard error. It is right for systems that are alike enough to be swapped; see
    #: `swap_ratio`.
    swap_se: float | None
    #: Units that tell the two apart, where these are fewer than 20 and not all: p is at least 2/2^n
    #: of them, as the others say nothing of which is better.
    n_apart: int | None
    #: {"a", "b", None}: The system that the statistic of the test (such as the sum of signed ranks)
    #: favours, if the difference does not favour the same system. Then `better` is None, even for a
    #: small p. None where both agree.
    favours: str | None
    #: By a rule of ranks other than simultaneous rank ranges: its own difference of the two systems
    #: in points, a - b (of means over domains, say), the p by which it decides (one-sided where the
    #: rule's test is), and the system that it calls better, {"a", "b", None}. All None by
    #: simultaneous rank ranges; p for a rule without one.
    rule_delta: float | None = None
    rule_p: float | None = None
    rule_better: str | None = None
    #: By published curves, how often people prefer the better-scoring system at a difference of
    #: this size, from 0 to 1; see `stats.noticed`. None where both score the same, and for a metric
    #: without a curve.
    people_agree: float | None = None

    @property
    def n_telling(self) -> int:
        """Units that tell the two apart; all that both have, where it is not known to be fewer."""
        return self.n_units if self.n_apart is None else self.n_apart

    @property
    def swap_ratio(self) -> float | None:
        """As the function `swap_ratio`."""
        return swap_ratio(self.delta, self.se, self.swap_se, self.n_effective)

    @property
    def unlike(self) -> bool:
        """Whether `swap_ratio` is clearly above 1, see `UNLIKE`."""
        return self.swap_ratio is not None and self.swap_ratio > UNLIKE


@dataclass(frozen=True)
class ReferenceLeaders:
    """The leaders by one of several references."""

    reference: str
    leaders: tuple[str, ...]  # the systems that no other is significantly better than, best first
    n_segments: int  # segments that the reference has, which this is about
    #: Whether they are enough to decide anything; if not, the leaders are all systems.
    decidable: bool = True
    #: Whether a single leader is significantly better than each other system, not only the last in
    #: the top group.
    ahead: bool = True


@dataclass(frozen=True)
class RuledRanks:
    """Ranks by another rule than ours, and what they hide."""

    #: Of each system, best first, the number of the group that the rule puts it in.
    clusters: tuple[int, ...] = ()
    #: Significant pairs whose systems are in one cluster, with no line between them.
    significant_inside: int = 0
    #: Number of systems whose simultaneous rank range is different; None without such ranges.
    changed: int | None = None
    #: The top group by simultaneous rank ranges; empty without such ranges.
    first_held: tuple[str, ...] = ()
    #: Pairs whose rank ranges lie apart, so that one is called better, though they are not
    #: significantly so.
    apart_not_significant: int = 0
    #: Significant pairs inside one cluster whose rank ranges lie apart all the same.
    inside_apart: int = 0
    #: Of each system, best first, how many others the rule calls worse, and better.
    wins: tuple[int, ...] = ()
    losses: tuple[int, ...] = ()
    #: Of each system, best first, the mean over segments, where the rule has a score of its own.
    #: Differences of pairs are differences of these means.
    means: tuple[float, ...] | None = None
    #: The systems as they are listed, scored and ranked without the rule; empty in results kept by
    #: older versions.
    unruled: tuple[SystemResult, ...] = ()


@dataclass(frozen=True, repr=False)
class MetricResult:
    """All systems, best first, and all pairs under one metric.

    With several references, also the leaders by each.
    """

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    by_reference: tuple[ReferenceLeaders, ...]
    tokenizer: str | None  # what finds its words, if anything
    ci: str  # the kind of its intervals
    #: The units that were resampled: of segment scores, only those that have any. Of stationary
    #: blocks, segments over mean length.
    n_units: int
    n_effective: float  # how many units of equal size these are worth; see `PairResult`
    trials: int | None  # how often the test drew; None for tests without draws
    #: Whether the trials are all possible swaps (2^n - 1 for n units, without the one that swaps
    #: no unit), so that p is exact.
    exact: bool
    #: What the ranks hide, where they are made by another rule than simultaneous rank ranges.
    ruled: RuledRanks | None = None
    #: Of all systems in their order, where the test set has training runs; else empty.
    runs: tuple[SystemRuns, ...] = ()
    pair_runs: tuple[PairRuns, ...] = ()  # of all pairs in their order, likewise

    def __repr__(self) -> str:
        return (
            f"<MetricResult {self.metric!r}: {format_count(len(self.systems), 'system')}, best "
            f"{self.systems[0].system!r} {self.systems[0].score:.2f}, {self._differing()}>"
        )

    def _repr_html_(self) -> str:
        return get_presenter().show(self)

    def _differing(self) -> str:
        return f"{self.n_significant} of {format_count(len(self.tested), 'pair')} significant"

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return 1 if self.higher_is_better else -1

    @property
    def names(self) -> list[str]:
        """The names of the systems, best first."""
        return [row.system for row in self.systems]

    @property
    def n_significant(self) -> int:
        """How many pairs are significantly different."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def best(self) -> set[str]:
        """The systems that have the best score."""
        return {row.system for row in self.systems if row.score == self.systems[0].score}

    @property
    def has_rule_decisions(self) -> bool:
        """Whether a rule other than simultaneous rank ranges ranks the systems and decides pairs."""
        return self.ruled is not None and bool(self.ruled.clusters)

    @property
    def was_given(self) -> bool:
        """Whether its scores of segments were read, as ratings are, not counted from texts."""
        return self.signature.startswith("scores:")

    @cached_property
    def tested(self) -> tuple[PairResult, ...]:
        """The pairs that have segments in common: the others have no test and no correction.

        A report of 26 systems asks for them three hundred times.
        """
        return tuple(pair for pair in self.pairs if pair.n != 0)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One of the two tables as a pandas DataFrame, ``"systems"`` or ``"pairs"``."""
        return _make_frame(self, _TABLES, table)

    def tally(self) -> dict[str, tuple[int, int, int]]:
        """Wins, ties and losses of each system.

        The significant ones of pairs that could be decided; or by another rule of ranks, if one
        ranks the systems.
        """
        wins: Counter[str] = Counter()
        ties: Counter[str] = Counter()
        losses: Counter[str] = Counter()
        if self.ruled is not None and self.ruled.wins:
            for k, row in enumerate(self.systems):
                wins[row.system] = self.ruled.wins[k]
                losses[row.system] = self.ruled.losses[k]
                ties[row.system] = len(self.systems) - 1 - wins[row.system] - losses[row.system]
        else:
            for pair in self.tested:
                if not pair.decidable:
                    continue
                if pair.better is None:
                    ties.update([pair.a, pair.b])
                    continue
                winner, loser = (pair.a, pair.b) if pair.better == "a" else (pair.b, pair.a)
                wins[winner] += 1
                losses[loser] += 1
        return {name: (wins[name], ties[name], losses[name]) for name in self.names}


_TABLES = {"systems": SystemResult, "pairs": PairResult}


def _make_frame(result: Any, tables: Mapping[str, Any], table: str) -> pd.DataFrame:
    """One of the tables of a result, whose rows are of the class in `tables`."""
    pd = _load_pandas()
    if table not in tables:
        raise explain_unknown("table", table, tables)
    type_of_texts = pd.Series([""]).dtype  # object before pandas 3
    column_types = {"str": type_of_texts, **_COLUMN_TYPES}
    types = {}  # by column, even if all its values are None
    for column in fields(tables[table]):
        types[column.name] = column_types[column.type.removesuffix(" | None")]
    return pd.DataFrame(to_plain(getattr(result, table)), columns=list(types)).astype(types)


class ByMetric(dict[str, _Result]):
    """Results by metric: read-only, and the error for an unknown metric suggests the nearest."""

    def __missing__(self, name: str) -> NoReturn:
        raise explain_unknown("metric", name, self)

    def __setitem__(self, name: str, result: _Result) -> NoReturn:
        raise TypeError("Results cannot be changed.")

    def __reduce__(self) -> tuple[Any, ...]:
        return ByMetric, (dict(self),)


def _stack_frames(results: Mapping[str, Any], column: str, table: str) -> pd.DataFrame:
    """Stack one table of several results, with their names in a first column."""
    frames = [result.to_frame(table) for result in results.values()]
    stacked = _load_pandas().concat(frames, keys=list(results), names=[column])
    return stacked.reset_index(0).reset_index(drop=True)


# -------------------------------------------------------------------------------------------------
# `Comparison`: the answer of `mtsig_core.compare`, as table, file and figure.


@dataclass(frozen=True, repr=False)
class Comparison:
    """The answer of `mtsig_core.compare`; a notebook shows it as a table."""

    testset: TestSetInfo
    settings: Settings
    warnings: tuple[Caution, ...]
    metrics: Mapping[str, MetricResult]
    excluded: tuple[Exclusion, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", ByMetric(self.metrics))

    def __repr__(self) -> str:
        results = ", ".join(
            f"{name!r} {result._differing()}" for name, result in self.metrics.items()
        )
        return (
            f"<Comparison on {self.testset.name!r}: {format_count(len(self.testset.systems), 'system')}, "
            f"{format_count(self.testset.n_segments, 'segment')}; {results}>"
        )

    def _repr_html_(self) -> str:
        return get_presenter().show(self)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One table over all metrics, with a column ``metric`` first."""
        return _stack_frames(self.metrics, "metric", table)

    def render(self, form: str = "text") -> str:
        """The whole of it as a file has it, byte for byte what ``compare --format`` writes.

        Parameters
        ----------
        form : {"text", "json", "csv", "latex", "html"}
            ``"html"`` is a page with figures that needs nothing else.
        """
        return get_presenter().render(self, form)

    def figure(self, name: str = "forest", metric: str | None = None) -> Any:
        """Draw a figure of the comparison, as on the dashboard.

        Parameters
        ----------
        name : {"forest", "differences", "matrix"}
            `forest`: scores with intervals and rank ranges. `differences`: differences from the
            best system, or from the baseline, with single and simultaneous intervals. `matrix`: all
            pairs at once. A comparison of one system has only the forest; a comparison with a
            baseline has no matrix.
        metric : str, optional
            The first metric by default.

        Returns
        -------
        plotly.graph_objects.Figure
        """
        return get_presenter().draw_figure(self, name, metric)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read what ``render("json")`` wrote; unknown keys are ignored.

        Returns
        -------
        Comparison
            Equal to the one that was written, to the last digit.

        Raises
        ------
        InputError
            If the text is not the JSON of a comparison; the message has the place, the expected and
            the actual value. Also if another version of mtsig wrote it whose results this version
            cannot read.

        Examples
        --------
        >>> Comparison.from_json('{"schema": 2, "metrics": []}')
        Traceback (most recent call last):
        mtsig_core.errors.InputError: metrics: Expected object with keys, got list.
        """
        comparison: Comparison = get_presenter().read_comparison(text)
        return comparison


# -------------------------------------------------------------------------------------------------
# `Scores`: the answer of `mtsig_core.score`.


@dataclass(frozen=True)
class SystemScore:
    """The score of one system under one metric, in points."""

    system: str
    score: float


@dataclass(frozen=True)
class MetricScores:
    """The scores of all systems under one metric, in the order of the test set."""

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemScore, ...]


@dataclass(frozen=True, repr=False)
class Scores:
    """The answer of `mtsig_core.score`; a notebook shows it as a table."""

    testset: TestSetInfo
    warnings: tuple[Caution, ...]
    metrics: Mapping[str, MetricScores]

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", ByMetric(self.metrics))

    def __repr__(self) -> str:
        systems = format_count(len(self.testset.systems), "system")
        return f"<Scores on {self.testset.name!r}: {systems} by {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        return get_presenter().show(self)

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame with the columns metric, system, score and signature."""
        pd = _load_pandas()

        return pd.DataFrame(
            [
                (name, row.system, row.score, scores.signature)
                for name, scores in self.metrics.items()
                for row in scores.systems
            ],
            columns=["metric", "system", "score", "signature"],
        )


# -------------------------------------------------------------------------------------------------
# Results of a shared task: a comparison for each language pair, and the systems across all of them.


@dataclass(frozen=True)
class TaskInfo:
    """The task of a result."""

    name: str
    digest: str
    pairs: tuple[str, ...]  # language pairs
    systems: Mapping[str, SystemInfo]
    assumed: tuple[Assumption, ...]
    scores: Mapping[str, tuple[str, ...]]  # by language pair, the names of its own segment scores
    #: The language pairs that have texts, which any metric of texts can score.
    with_texts: tuple[str, ...]
    primary: str | None = None  # the metric that the task's table names as the one that decides
    rank_rule: str | None = None  # the rank rule that it announces

    @classmethod
    def from_task(cls, task: Task) -> TaskInfo:
        """Describe a task."""
        return cls(
            task.name,
            task.digest,
            tuple(task.testsets),
            dict(task.systems),
            task.assumed,
            {pair: tuple(testset.scores) for pair, testset in task.testsets.items()},
            tuple(pair for pair, testset in task.testsets.items() if testset.has_texts),
            task.primary,
            task.rank_rule,
        )

    @property
    def own_scores(self) -> list[str]:
        """The names of its own segment scores.

        The one that decides comes first, see `order_metrics`; then those that the most language
        pairs have.
        """
        counts = Counter(name for names in self.scores.values() for name in names)
        return order_metrics((name for name, _ in counts.most_common()), self.primary)

    def pairs_with(self, metric: str) -> tuple[str, ...]:
        """The language pairs that can be scored by a metric of that name."""
        is_own = any(metric in names for names in self.scores.values())
        return tuple(
            pair
            for pair in self.pairs
            if metric in self.scores[pair] or not is_own and pair in self.with_texts
        )


@dataclass(frozen=True)
class MacroSystem:
    """One system over the language pairs of a task, under one metric.

    By a rule of ranks that has a score of its own, with that score.
    """

    system: str
    n_pairs: int  # language pairs in which it has a score
    #: Mean of its scores over all language pairs, in points; None for one that misses a pair. No
    #: interval where it has a single unit in one of them.
    score: float | None
    ci_low: float | None
    ci_high: float | None
    #: Among the systems that have all pairs, simultaneous over them; None for the others, and where
    #: no pair of systems could be decided by the correction of ranks.
    rank_low: int | None
    rank_high: int | None
    #: Number of decisions on pairs of systems within each language pair, added up. Pairs that
    #: cannot be decided do not count. With another rank rule, the decisions of that rule.
    wins: int
    ties: int
    losses: int
    #: From 1: no rank range reaches from one cluster into the next. None without ranks.
    cluster: int | None = None
    #: By a rule of ranks that orders systems by it across language pairs (WMT26): the mean over its
    #: language pairs of the share of systems there that have a better score.
    better_share: float | None = None


@dataclass(frozen=True)
class MacroPair:
    """Two systems that have all language pairs, by the mean of their differences.

    The better-scoring one comes first.
    """

    a: str
    b: str
    n_pairs: int
    delta: float
    #: None where they have a single unit in common in some language pair.
    ci_low: float | None
    ci_high: float | None
    p_value: float
    p_adjusted: float
    better: str | None
    #: Whether p could be small enough after the correction, with so many trials and units, however
    #: large the difference.
    decidable: bool = True
    #: Number of units in which the two systems differ: over all language pairs, or, for a
    #: bootstrap, in the language pair with the fewest such units.
    n_apart: int | None = None


@dataclass(frozen=True)
class MacroResult:
    """All systems of a task under one metric.

    Those with all pairs best first, then the others by their wins.
    """

    metric: str
    higher_is_better: bool
    language_pairs: tuple[str, ...]  # that have scores by this metric
    systems: tuple[MacroSystem, ...]
    pairs: tuple[MacroPair, ...]
    #: Of systems that have as many training runs in every language pair: run k has the mean of its
    #: scores over them.
    runs: tuple[SystemRuns, ...] = ()
    #: The kind of its intervals, ``percentile`` or ``jackknife-t``; None without intervals.
    ci: str | None = None

    @property
    def is_ranked(self) -> bool:
        """Whether any system has a rank across the language pairs."""
        return any(row.rank_low is not None for row in self.systems)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One of the two tables as a pandas DataFrame, ``"systems"`` or ``"pairs"``."""
        return _make_frame(self, {"systems": MacroSystem, "pairs": MacroPair}, table)


@dataclass(frozen=True, repr=False)
class TaskComparison:
    """The answer of `mtsig_core.compare_task`."""

    task: TaskInfo
    pairs: Mapping[str, Comparison]  # by language pair
    macro: Mapping[str, MacroResult]  # by metric; those that at least two language pairs have
    excluded: tuple[TaskExclusion, ...] = ()  # who was left out, where, and why
    #: Which metric to trust, where they were held against scores by people.
    agreement: TaskAgreement | None = None
    #: What was published of whole systems: by language pair, system and column, as it was printed.
    published: Mapping[str, Mapping[str, Mapping[str, str]]] = field(default_factory=dict)
    #: Cautions on the whole task; each comparison has the cautions on its language pair.
    warnings: tuple[Caution, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", dict(self.pairs))
        object.__setattr__(self, "macro", ByMetric(self.macro))

    @property
    def baseline(self) -> str | None:
        """The system that all others are compared with, if there is one."""
        for comparison in self.pairs.values():
            return comparison.settings.baseline
        return None

    def __repr__(self) -> str:
        return (
            f"<TaskComparison on {self.task.name!r}: "
            f"{format_count(len(self.pairs), name_parts(self.pairs))}, "
            f"{format_count(len(self.task.systems), 'system')}>"
        )

    def _repr_html_(self) -> str:
        return get_presenter().show(self)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One table over all parts, with their names in a first column ``language_pair``.

        Parameters
        ----------
        table : {"systems", "pairs", "macro_systems", "macro_pairs"}
            The first two as in `Comparison`, and the same across all parts, by metric.
        """
        if table.startswith("macro_"):
            return _stack_frames(self.macro, "metric", table.removeprefix("macro_"))
        return _stack_frames(self.pairs, "language_pair", table)

    def render(self, form: str = "text") -> str:
        """The whole of it as a file has it, as ``task --format`` writes; see `Comparison.render`."""
        return get_presenter().render(self, form)

    @classmethod
    def from_json(cls, text: str) -> TaskComparison:
        """Read what ``render("json")`` wrote, but for `agreement`; see `Comparison.from_json`."""
        comparison: TaskComparison = get_presenter().read_task_comparison(text)
        return comparison


# -------------------------------------------------------------------------------------------------
# How far metrics and people agree.


@dataclass(frozen=True)
class MetricAgreement:
    """How far one metric agrees with people."""

    metric: str
    signature: str
    higher_is_better: bool
    # pairs of systems that have a segment in common; soft pairwise accuracy is of all of them
    n_pairs: int
    # those that people score the same: they have no order, and pairwise accuracy leaves them out
    n_ties: int
    #: Share of pairs that the metric orders as people do, and its interval; None where people order
    #: no pair.
    pairwise_accuracy: float | None
    pairwise_accuracy_low: float | None
    pairwise_accuracy_high: float | None
    #: 1 - mean of abs(p_human - p_metric) over pairs, and its interval.
    soft_pairwise_accuracy: float
    soft_pairwise_accuracy_low: float
    soft_pairwise_accuracy_high: float


@dataclass(frozen=True)
class AgreementComparison:
    """Two metrics compared by PERM-BOTH (Deutsch, Dror and Roth 2021).

    The metric with the higher soft pairwise accuracy comes first. The result has the difference of
    the accuracies, and its p before and after the correction for all pairs of metrics.

    PERM-BOTH computes p of two systems by a normal approximation. So this difference may differ
    slightly from the difference of the accuracies in `MetricAgreement`.
    """

    a: str
    b: str
    delta: float
    p_value: float
    p_adjusted: float


@dataclass(frozen=True)
class Agreement:
    """Metrics compared with one human score, the most agreeing first."""

    human: str
    # the systems and segments that have the human score and all table scores asked for
    testset: TestSetInfo
    sampling: SamplingSettings
    trials: int  # swaps behind each p; all there are where the units are few
    correction: str  # over all pairs of metrics
    metrics: tuple[MetricAgreement, ...]
    comparisons: tuple[AgreementComparison, ...]
    #: That segments are taken as independent, and what metrics can tell of the texts.
    warnings: tuple[Caution, ...] = ()


@dataclass(frozen=True)
class TaskAgreement:
    """Metrics compared with one human score over a task, the most agreeing first."""

    human: str
    task: TaskInfo
    #: By language pair. `sampling` has the seed of the language pair, which depends on its name.
    pairs: Mapping[str, Agreement]
    without: tuple[str, ...]  # language pairs in which fewer than two systems have such a score
    alpha: float
    seed: int
    correction: str  # over all pairs of metrics
    #: Means over the language pairs; `n_pairs` and `n_ties` are sums.
    metrics: tuple[MetricAgreement, ...]
    #: By the mean difference, permuted within each language pair.
    comparisons: tuple[AgreementComparison, ...]

    @property
    def sampling(self) -> SamplingSettings:
        """The sampling settings of the language pairs, with the seed of the task."""
        return replace(next(iter(self.pairs.values())).sampling, seed=self.seed)


# -------------------------------------------------------------------------------------------------
# Systems by domain.


@dataclass(frozen=True)
class DomainScores:
    """One domain: its segments and documents with scores of any system, and these scores.

    Scores are in points, None where a system has no score. If a metric takes weights from the test
    set (NIST), the signature names the weights of the domain.
    """

    domain: str
    n_segments: int
    n_documents: int | None
    scores: dict[str, float | None]
    signature: str | None = None


@dataclass(frozen=True)
class DomainPair:
    """A pair of systems in one domain, on the segments that both have.

    `p_adjusted` is over all pairs in all domains, `better` is "a", "b" or None.
    """

    domain: str
    delta: float
    p_value: float
    p_adjusted: float
    better: str | None
    score_a: float
    score_b: float
    n_segments: int
    n_documents: int | None


@dataclass(frozen=True)
class StratifiedPair:
    """A pair of systems, the better on the whole set first."""

    a: str
    b: str
    delta: float  # score(a) - score(b) on the whole set, in points
    #: Student's t interval, samples drawn within domains; None where a domain has a single unit.
    ci_low: float | None
    ci_high: float | None
    #: Standard errors of samples drawn from the whole set, and within domains.
    se: float
    se_stratified: float
    #: Of the whole set; over all pairs.
    p_value: float
    p_adjusted: float
    better: str | None  # {"a", "b", None}
    domains: tuple[DomainPair, ...]  # those where both have scored segments
    #: Where the whole set decides, the domains in which the difference is reversed.
    opposed: tuple[str, ...]
    # whether two domains, or a domain and the whole set, decide significantly in opposite
    # directions
    reverses: bool


@dataclass(frozen=True)
class ByDomain:
    """Systems under one metric, best first on the whole set: scores by domain, and pairs."""

    metric: str
    signature: str
    higher_is_better: bool
    testset: TestSetInfo
    sampling: SamplingSettings
    test: str
    trials: int
    systems: tuple[str, ...]
    domains: tuple[DomainScores, ...]
    pairs: tuple[StratifiedPair, ...]
    warnings: tuple[Caution, ...] = ()
