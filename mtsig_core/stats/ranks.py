"""Ranks of systems, from decisions on pairs and by the rules that shared tasks published."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from mtsig_core.results import (
    MacroResult,
    MacroSystem,
    MetricResult,
    ReferenceLeaders,
    SystemResult,
    TaskComparison,
)
from mtsig_core.stats.segment_tests import (
    mann_whitney,
    mann_whitney_on_common,
    paired_t,
    signed_rank,
    signed_rank_of_higher,
    smaller_p_of_t_tests,
)

# -------------------------------------------------------------------------------------------------
# How ranks are made from pairs: our rule, and rules of shared tasks with what they ignore.


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of systems, and the clusters that lines are drawn between."""

    #: int, shape (systems,): Rank ranges, from 1.
    low: np.ndarray
    high: np.ndarray
    #: int, shape (systems,): Number of the cluster that each system is in, from 1. No rank range
    #: reaches from one cluster into the next.
    cluster: np.ndarray
    #: int, shape (systems,): Systems that the rule calls worse, and better. All others are ties.
    wins: np.ndarray
    losses: np.ndarray
    #: bool, shape (systems, systems): Whether the rule calls the system of the row better than the
    #: system of the column.
    better: np.ndarray
    #: shape (systems, systems): The p by which the rule decides on a pair, NaN where it tests
    #: nothing. None for a rule without a p of its own.
    p: np.ndarray | None = None
    #: shape (systems,): What the rule orders systems by, higher is better. None where that is the
    #: metric's score.
    means: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class RankInputs:
    """What a rule may rank systems by, in the order of the result: best first by the metric."""

    alpha: float
    sign: int  # -1 where lower is better
    #: shape (systems,): Scores and the bounds of their intervals, NaN for a system without.
    scores: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    n_units: int  # how many segments, documents or blocks were resampled
    #: shape (systems, segments): Scores of segments, NaN for a missing score.
    segments: np.ndarray | None
    domains: Sequence[str] | None  # of each segment
    pairs: np.ndarray  # int, shape (pairs, 2): Of systems, by their place
    #: shape (pairs,): 1 where the first system is significantly better, -1 where the second, 0
    #: where neither. By the correction that was asked for, which tables of pairs show.
    corrected: np.ndarray
    #: The same with the family-wise error controlled, whatever correction was asked for; None where
    #: nothing can be decided so.
    for_ranks: np.ndarray | None

    @classmethod
    def from_result(
        cls,
        result: MetricResult,
        alpha: float,
        segments: np.ndarray | None,
        domains: Sequence[str] | None,
        for_ranks: np.ndarray | None = None,
    ) -> RankInputs:
        """Take what a rule needs from a result."""
        bounds = [(row.score, row.ci_low, row.ci_high) for row in result.systems]
        scores, ci_low, ci_high = np.array(bounds, dtype=float).T
        pairs, decisions = number_decisions(result)
        return cls(
            alpha=alpha,
            sign=result.sign,
            scores=scores,
            ci_low=ci_low,
            ci_high=ci_high,
            n_units=result.n_units,
            segments=segments,
            domains=domains,
            pairs=pairs,
            corrected=decisions,
            for_ranks=for_ranks,
        )


#: A one-sided test of the segments of two systems: p, or None if there is nothing to test.
_SegmentTest = Callable[[np.ndarray, np.ndarray], float | None]


@dataclass(frozen=True, eq=False)
class _Wins:
    """Which systems beat which, by a one-sided test of each pair."""

    means: np.ndarray  # shape (systems,)
    order: np.ndarray  # int, shape (systems,): The systems, best mean first
    #: shape (systems, systems): p of the row's system over the column's, NaN where nothing is
    #: tested; and whether it is below alpha.
    p: np.ndarray
    beats: np.ndarray

    def count_by_place(self) -> np.ndarray:
        """Return how many systems each one beats, best mean first."""
        n_beaten = self.beats.sum(axis=1)
        by_place: np.ndarray = n_beaten[self.order]
        return by_place

    def rank(self, low: np.ndarray, high: np.ndarray, cluster: np.ndarray) -> Ranks:
        wins = self.beats.sum(axis=1)
        losses = self.beats.sum(axis=0)
        p = np.fmin(self.p, self.p.T)  # of a pair that is tested both ways, the smaller
        return Ranks(low, high, cluster, wins, losses, self.beats, p, self.means)

    def rank_by_cluster(self, cluster_ends: Sequence[int]) -> Ranks:
        """Rank each system by the places of its cluster; clusters end after the places `cluster_ends`."""
        n_systems = len(self.order)
        low, high = np.empty((2, n_systems), dtype=int)
        for start, stop in pairwise([0, *cluster_ends, n_systems]):
            members = self.order[start:stop]
            low[members] = start + 1
            high[members] = stop
        cluster = _number_clusters(self.order, cluster_ends)
        return self.rank(low, high, cluster)

    def end_where_all_beat_all(self) -> list[int]:
        """The places below which a line is drawn: all systems above beat all below."""
        beats = self.beats[np.ix_(self.order, self.order)]
        cluster_ends = []
        for place in range(1, len(self.order)):
            above_beats_below = beats[:place, place:]
            if above_beats_below.all():
                cluster_ends.append(place)
        return cluster_ends

    def walk_to_first_win(self) -> tuple[np.ndarray, np.ndarray]:
        """Rank ranges, from 1: from its place, a range goes up and down until the first win."""
        beats = self.beats[np.ix_(self.order, self.order)]
        n_systems = len(self.order)
        low = np.ones(n_systems, dtype=int)
        high = np.full(n_systems, n_systems)
        for place, system in enumerate(self.order):
            above = np.flatnonzero(beats[:place, place])
            if len(above):
                low[system] = above[-1] + 2
            below = np.flatnonzero(beats[place])
            if len(below):
                high[system] = below[0]
        return low, high


def _find_wins(
    scores: np.ndarray, test: _SegmentTest, alpha: float, *, tests_both_ways: bool = False
) -> _Wins:
    """Test each system against all with a lower mean, or against all."""
    with np.errstate(invalid="ignore"):
        means = np.nanmean(scores, axis=1)
    order = np.argsort(-means, kind="stable")
    n_systems = len(scores)
    p = np.full((n_systems, n_systems), np.nan)
    for place, system in enumerate(order):
        rivals = order
        if not tests_both_ways:
            rivals = order[place:]
        for rival in rivals:
            if rival == system:
                continue
            p_value = test(scores[system], scores[rival])
            if p_value is not None:
                p[system, rival] = p_value
    return _Wins(means, order, p, p < alpha)


def wmt21(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Clusters of WMT21 into English (`ad-*`).

    As `wmt22`, but a system may also beat one with a higher mean, and a cluster ends with a system
    that beats as many as there are left.
    """
    wins = _find_wins(scores, mann_whitney, alpha, tests_both_ways=True)
    cluster_ends = _end_where_wins_suffice(wins.count_by_place())
    return wins.order, wins.rank_by_cluster(cluster_ends)


def wmt22(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Clusters of WMT22 into English (`ad-*`), from standardized scores.

    Parameters are as in `wmt24`, without domains. A system beats one with a lower mean where p of
    the one-sided Mann-Whitney test of their segments is below alpha. A cluster ends where all
    systems above beat all below; ranks are the places of the cluster.
    """
    wins = _find_wins(scores, mann_whitney, alpha)
    return wins.order, wins.rank_by_cluster(wins.end_where_all_beat_all())


def wmt22_appraise(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT22 out of English, judged in Appraise, and of WMT23.

    WMT22 ranks standardized scores, WMT23 raw ones. As `wmt22`, but two systems are compared on the
    segments that both have. A rank range is 1 + losses to systems - wins. A line is drawn where the
    fewest that any system above beats are as many as there are left.
    """
    return _rank_as_appraise(_find_wins(scores, mann_whitney_on_common, alpha))


def wmt22_appraise_all(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """As `wmt22_appraise`, but each system has all its segments: an option of WMT22's script."""
    return _rank_as_appraise(_find_wins(scores, mann_whitney, alpha))


def _rank_as_appraise(wins: _Wins) -> tuple[np.ndarray, Ranks]:
    fewest_so_far = np.minimum.accumulate(wins.count_by_place())
    cluster_ends = _end_where_wins_suffice(fewest_so_far)
    cluster = _number_clusters(wins.order, cluster_ends)
    low = 1 + wins.beats.sum(axis=0)
    high = len(wins.order) - wins.beats.sum(axis=1)
    return wins.order, wins.rank(low, high, cluster)


def _end_where_wins_suffice(wins: np.ndarray) -> list[int]:
    """The places below which a line is drawn: their systems beat as many as are left.

    >>> _end_where_wins_suffice(np.array([3, 2, 1, 0])), _end_where_wins_suffice(np.array([2, 2, 0, 0]))
    ([1, 2, 3], [2])
    """
    n = len(wins)
    return [place for place in range(1, n) if wins[place - 1] == n - place]


def _number_clusters(order: np.ndarray, cluster_ends: Sequence[int]) -> np.ndarray:
    """The cluster of each system, from 1; clusters end after the places `cluster_ends` of the order."""
    places = np.arange(len(order))
    n_ended = np.searchsorted(cluster_ends, places, side="right")
    cluster = np.empty(len(order), dtype=int)
    cluster[order] = n_ended + 1
    return cluster


def wmt24(scores: np.ndarray, alpha: float, domains: Sequence[str]) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT24's general task.

    A system's mean is the mean over domains of its mean in each. For a pair, each domain gives the
    two-sided p of Wilcoxon's signed-rank test on its segments. Stouffer's method combines these
    p-values as if they were one-sided, z = sum(ndtri(1 - p)) / sqrt(domains). A rank range is 1 +
    losses to systems - wins, each at alpha.

    Parameters
    ----------
    scores : float array, shape (systems, segments)
        Higher is better; NaN for a missing score.
    alpha : float
    domains : sequence of str, shape (segments,)

    Returns
    -------
    order : int array, shape (systems,)
        Best first.
    ranks : Ranks
    """
    names = np.array(domains)
    groups = [np.flatnonzero(names == name) for name in dict.fromkeys(domains)]
    n = len(scores)
    means = np.array([_mean_of_means(row, groups) for row in scores])
    p = np.ones((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            p[i, j] = p[j, i] = _combine_domains(scores[i] - scores[j], groups)
    is_below = p < alpha
    better = is_below & (means[:, None] > means)
    worse = is_below & (means[:, None] <= means)
    np.fill_diagonal(worse, False)
    order = np.argsort(-means, kind="stable")
    p_by_place = p[np.ix_(order, order)]
    cluster_ends = _end_where_ties_end(p_by_place > alpha)
    cluster = _number_clusters(order, cluster_ends)
    np.fill_diagonal(p, np.nan)
    wins = better.sum(axis=1)
    losses = worse.sum(axis=1)
    return order, Ranks(1 + losses, n - wins, cluster, wins, losses, better, p, means)


def _combine_domains(differences: np.ndarray, groups: Sequence[np.ndarray]) -> float:
    """P of a pair over domains; 1 if no domain has a segment of both."""
    from scipy.special import ndtr, ndtri

    p_by_domain = []
    for group in groups:
        p_value = signed_rank(differences[group], "two-sided")
        if p_value is not None:
            p_by_domain.append(p_value)
    if not p_by_domain:
        return 1.0
    z_by_domain = ndtri(1 - np.array(p_by_domain))
    z = sum(z_by_domain) / np.sqrt(len(z_by_domain))
    # 1 - ndtr(z), without the 0 that rounding would make of a small p
    return float(ndtr(-z))


def _end_where_ties_end(is_tied: np.ndarray) -> list[int]:
    """The places below which a line is drawn, as no system above is tied with one below.

    `is_tied` has the shape (places, places); each system is tied with itself.
    """
    cluster_ends = []
    reach = 0
    for place, row in enumerate(is_tied):
        last_tied = int(np.flatnonzero(row)[-1])
        reach = max(reach, last_tied)
        if reach == place:
            cluster_ends.append(place + 1)
    return cluster_ends


def _mean_of_means(scores: np.ndarray, groups: Sequence[np.ndarray]) -> float:
    """The mean over groups of the mean in each; NaN if no group has a score."""
    means = []
    for group in groups:
        scores_of_group = scores[group]
        rated = scores_of_group[~np.isnan(scores_of_group)]
        if len(rated):
            means.append(rated.mean())
    if means:
        return float(np.mean(means))
    return np.nan


def wmt25(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT25's general task, and the order that they are about.

    Parameters are as in `wmt24`, without domains. A system beats one with a lower mean where p of
    the one-sided Wilcoxon signed-rank test is below alpha. From its place by the mean, its range
    goes up until the first system that beats it, and down until the first that it beats.

    The task's script took both ratings of a segment as two segments. A later version of the script
    compares each rating of one system with each of the other, at alpha / 2; one score per segment
    has nothing to pair so.
    """
    wins = _find_wins(scores, signed_rank_of_higher, alpha)
    low, high = wins.walk_to_first_win()
    cluster = find_clusters(wins.order, low, high)
    return wins.order, wins.rank(low, high, cluster)


def wmt26(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Clusters of WMT26's general task, by its script of August 2026.

    Parameters are as in `wmt24`, without domains. A system beats one with a lower mean where the
    two-sided p of the paired t test on their common segments, or that of the unpaired t test, is
    below alpha. A cluster ends where all systems above beat all below. That script prints no rank
    ranges; here they go to the first win, as those of its later version and of `wmt25`.
    """
    wins = _find_wins(scores, smaller_p_of_t_tests, alpha)
    low, high = wins.walk_to_first_win()
    cluster = _number_clusters(wins.order, wins.end_where_all_beat_all())
    return wins.order, wins.rank(low, high, cluster)


def pearmut(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Lines of the dashboard of Pearmut, the annotation tool of WMT26.

    Each system is compared with the next one only, by the two-sided paired t test on their common
    segments. A line is drawn below a system that beats the next; ranks are the places between
    lines.
    """
    all_wins = _find_wins(scores, paired_t, alpha)
    order = all_wins.order
    is_next = np.zeros(all_wins.p.shape, dtype=bool)
    is_next[order[:-1], order[1:]] = True
    p = np.where(is_next, all_wins.p, np.nan)
    wins = _Wins(all_wins.means, order, p, p < alpha)
    cluster_ends = 1 + np.flatnonzero(wins.beats[order[:-1], order[1:]])
    return order, wins.rank_by_cluster(cluster_ends.tolist())


def rank_simultaneously(n_systems: int, pairs: np.ndarray, decisions: np.ndarray) -> Ranks:
    """Simultaneous rank ranges of systems, best first, from decisions that hold jointly."""
    better = decision_matrix(n_systems, pairs, decisions)
    return _rank_by_matrix(better)


def _rank_by_matrix(better: np.ndarray) -> Ranks:
    """Ranks of systems, best first, from which system is better than which."""
    low, high = rank_intervals(better)
    order = np.arange(len(better))
    clusters = find_clusters(order, low, high)
    wins = better.sum(axis=1)
    losses = better.sum(axis=0)
    return Ranks(low, high, clusters, wins, losses, better)


def overlap(ci_low: np.ndarray, ci_high: np.ndarray, sign: int = 1) -> Ranks:
    """Ranks by overlap of intervals, best system first.

    A system is behind those whose whole interval is on the better side of its own. `sign` is -1
    where lower is better.
    """
    if sign < 0:
        ci_low, ci_high = -ci_high, -ci_low
    better = ci_low[:, None] > ci_high
    return _rank_by_matrix(better)


_Rank = Callable[[RankInputs], tuple[np.ndarray, Ranks]]


@dataclass(frozen=True)
class RankRule:
    """A way to rank systems, and what it ignores."""

    name: str
    title: str  # ends a sentence on ranks
    source: str
    rank: _Rank  # the order of the systems, best first, and their ranks
    #: The two gravest first; empty for the rule whose rank ranges hold jointly.
    ignores: tuple[str, ...] = ()
    #: Whether the task took each of several ratings of a segment as a segment of its own.
    each_rating: bool = False
    #: What its difference of two systems is a difference of, and by what it calls one better.
    compares: str = "scores"
    decides_by: str = "its own test"
    of_segments: bool = False  # whether it needs scores of single segments
    #: Whether it scores systems by the mean over domains of the mean in each, so that it needs
    #: domains.
    by_domain: bool = False
    #: Whether it orders systems across language pairs by the mean share of systems with a better
    #: score.
    by_mean_place: bool = False
    #: How often it calls equal systems different, as a sentence; empty where that is not simulated.
    false_alarms: str = ""


def _rank_by_intervals(inputs: RankInputs) -> tuple[np.ndarray, Ranks]:
    n_systems = len(inputs.scores)
    decisions = inputs.for_ranks
    if decisions is None:
        decisions = np.zeros(len(inputs.pairs))
    ranks = rank_simultaneously(n_systems, inputs.pairs, decisions)
    return np.arange(n_systems), ranks


def _rank_by_overlap(inputs: RankInputs) -> tuple[np.ndarray, Ranks]:
    ranks = overlap(inputs.ci_low, inputs.ci_high, inputs.sign)
    return np.arange(len(inputs.scores)), ranks


def _rank_as_wmt24(inputs: RankInputs) -> tuple[np.ndarray, Ranks]:
    assert inputs.segments is not None, "settings.check_rank_rule checks it"
    assert inputs.domains is not None, "settings.check_rank_rule checks it"
    higher_is_better = inputs.sign * inputs.segments
    return wmt24(higher_is_better, inputs.alpha, inputs.domains)


_UNCORRECTED = "no correction for the number of pairs"
_INDEPENDENT = "segments of one document taken as independent"
_MANN_WHITNEY = "a one-sided Mann-Whitney test of all segments"
_MANN_WHITNEY_ON_COMMON = "a one-sided Mann-Whitney test of the segments that both have"
_UNPAIRED = "systems count as rated on different segments (Mann-Whitney), although they share them"


def _rule_over_segments(
    name: str,
    title: str,
    source: str,
    rank: Callable[[np.ndarray, float], tuple[np.ndarray, Ranks]],
    ignores: str = _UNPAIRED,
    **traits: Any,
) -> RankRule:
    """A rule that looks only at the scores of segments, in which higher is better."""

    def rank_segments(inputs: RankInputs) -> tuple[np.ndarray, Ranks]:
        assert inputs.segments is not None, "settings.check_metric checks it"
        higher_is_better = inputs.sign * inputs.segments
        return rank(higher_is_better, inputs.alpha)

    return RankRule(
        name,
        title,
        source,
        rank_segments,
        (_UNCORRECTED, _INDEPENDENT, ignores),
        compares="means over all rated segments",
        of_segments=True,
        **traits,
    )


_SCRIPTS = "the task's own scripts"
_RULES = (
    RankRule(
        "simultaneous",
        "by simultaneous rank ranges",
        "Romano and Wolf 2005; Mogstad et al. 2024",
        _rank_by_intervals,
        decides_by="the test of the pairs, corrected for all",
    ),
    _rule_over_segments(
        "wmt21",
        "as WMT21 into English",
        f"Akhbardeh et al. 2021, {_SCRIPTS}",
        wmt21,
        decides_by=_MANN_WHITNEY,
    ),
    _rule_over_segments(
        "wmt22",
        "as WMT22 into English",
        f"Kocmi et al. 2022, {_SCRIPTS}",
        wmt22,
        decides_by=_MANN_WHITNEY,
    ),
    _rule_over_segments(
        "wmt22-appraise",
        "as WMT22 out of English",
        f"Kocmi et al. 2022, {_SCRIPTS}",
        wmt22_appraise,
        decides_by=_MANN_WHITNEY_ON_COMMON,
    ),
    _rule_over_segments(
        "wmt22-appraise-all",
        "as WMT22 over all segments",
        f"Kocmi et al. 2022, {_SCRIPTS}",
        wmt22_appraise_all,
        decides_by=_MANN_WHITNEY,
    ),
    _rule_over_segments(
        "wmt23",
        "as WMT23",
        f"Kocmi et al. 2023, {_SCRIPTS}",
        wmt22_appraise,
        decides_by=_MANN_WHITNEY_ON_COMMON,
    ),
    RankRule(
        "wmt24",
        "as WMT24",
        f"Kocmi et al. 2024, {_SCRIPTS}",
        _rank_as_wmt24,
        (
            _UNCORRECTED,
            _INDEPENDENT,
            "a win in one domain and a loss in another add up, because two-sided p are combined",
        ),
        compares="means over domains",
        decides_by="a two-sided Wilcoxon test in each domain, combined by Stouffer",
        of_segments=True,
        by_domain=True,
    ),
    _rule_over_segments(
        "wmt25",
        "as WMT25",
        f"Kocmi et al. 2025, {_SCRIPTS}",
        wmt25,
        "a rank range ends at the first significant difference, and systems beyond it do not count",
        decides_by="a one-sided Wilcoxon test",
        each_rating=True,
    ),
    _rule_over_segments(
        "wmt26",
        "as WMT26",
        "the task's script of August 2026",
        wmt26,
        "the smaller p of two tests counts, of a paired and an unpaired t test",
        decides_by="a paired or an unpaired t test",
        by_mean_place=True,
        false_alarms="Of equal systems, it separates some pair in most simulated campaigns.",
    ),
    _rule_over_segments(
        "pearmut",
        "as Pearmut",
        "the dashboard of Pearmut, 2026",
        pearmut,
        "each system is compared with the next one only",
        decides_by="a paired t test with the next system",
    ),
    RankRule(
        "overlap",
        "by overlap of intervals",
        "a common reading of error bars",
        _rank_by_overlap,
        (
            _UNCORRECTED,
            "intervals of two scores do not show the difference on the same segments",
        ),
        decides_by="intervals that do not overlap",
    ),
)
RANK_RULES = {rule.name: rule for rule in _RULES}


def fitting_rules(segment_means: bool, domains: bool = True) -> dict[str, RankRule]:
    """The rules for a metric that is a mean of segment scores or not, with domains or without.

    >>> "wmt25" in fitting_rules(False), "wmt25" in fitting_rules(True, domains=False)
    (False, True)
    """
    fitting = {}
    for name, rule in RANK_RULES.items():
        lacks_segments = rule.of_segments and not segment_means
        lacks_domains = rule.by_domain and not domains
        if not lacks_segments and not lacks_domains:
            fitting[name] = rule
    return fitting


def find_inside_clusters(ranks: Ranks, pairs: np.ndarray, significant: np.ndarray) -> np.ndarray:
    """Which significant pairs are inside one cluster, as if tied: bool, shape (pairs,)."""
    first, second = pairs.T
    is_same_cluster = ranks.cluster[first] == ranks.cluster[second]
    is_inside: np.ndarray = significant & is_same_cluster
    return is_inside


def count_disjoint_ranks(ranks: Ranks, pairs: np.ndarray, among: np.ndarray) -> int:
    """Count the pairs `among` (bool) with disjoint rank ranges, which call one system better."""
    first, second = pairs.T
    is_first_ahead = ranks.high[first] < ranks.low[second]
    is_second_ahead = ranks.high[second] < ranks.low[first]
    is_disjoint = is_first_ahead | is_second_ahead
    return int(np.count_nonzero(among & is_disjoint))


def find_clusters(order: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The number of each system's cluster, from 1, by its ranks and the order, best first.

    A line follows the k best systems if no rank range crosses it.

    >>> find_clusters(np.arange(3), np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    cluster_ends = []
    for place in range(1, len(order)):
        above = order[:place]
        below = order[place:]
        none_reaches_down = (high[above] <= place).all()
        none_reaches_up = (low[below] > place).all()
        if none_reaches_down and none_reaches_up:
            cluster_ends.append(place)
    return _number_clusters(order, cluster_ends)


# -------------------------------------------------------------------------------------------------
# From decisions on pairs to ranks of systems.


def decision_matrix(n_systems: int, pairs: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """Which system is significantly better than which, bool, shape (systems, systems).

    Decisions on pairs are 1 for the first system, -1 for the second, else 0.
    """
    better = np.zeros((n_systems, n_systems), dtype=bool)
    first, second = pairs.T
    is_first = decisions > 0
    is_second = decisions < 0
    better[first[is_first], second[is_first]] = True
    better[second[is_second], first[is_second]] = True
    return better


def rank_intervals(better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simultaneous rank ranges: from 1 + systems significantly better, to S - significantly worse.

    They hold jointly at the level at which the decisions control the family-wise error (Mogstad et
    al. 2024 in economics; WMT's rank ranges with a correction).

    >>> low, high = rank_intervals(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    >>> low.tolist(), high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    n_better = better.sum(axis=0)
    n_worse = better.sum(axis=1)
    return 1 + n_better, len(better) - n_worse


def intransitive_triples(better: np.ndarray) -> int:
    """Count triples (i, j, k) with i tied with j, and j with k, but i better than k."""
    tied = ~(better | better.T)
    is_tied = tied.astype(np.int64)
    through = is_tied @ is_tied
    return int((through * better).sum())


def number_decisions(result: MetricResult) -> tuple[np.ndarray, np.ndarray]:
    """Pairs by the places of their systems, shape (pairs, 2), and the decision on each.

    Decisions are as `decision_matrix` has them.
    """
    place = {row.system: number for number, row in enumerate(result.systems)}
    pairs = [(place[pair.a], place[pair.b]) for pair in result.pairs]
    number_of_side = {"a": 1, "b": -1, None: 0}
    decisions = [number_of_side[pair.better] for pair in result.pairs]
    numbers = np.array(pairs, dtype=int).reshape(-1, 2)
    return numbers, np.array(decisions, dtype=int)


def better_matrix(result: MetricResult) -> np.ndarray:
    """Which system is significantly better than which, in the order of the leaderboard."""
    return decision_matrix(len(result.systems), *number_decisions(result))


_Triple = tuple[int, int, int]


def triple_examples(better: np.ndarray, limit: int = 20) -> list[_Triple]:
    """The triples (i, j, k) that `intransitive_triples` counts.

    If they are more than `limit`, one for each better system.

    >>> triple_examples(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    [(0, 1, 2)]
    """
    tied = ~(better | better.T)
    np.fill_diagonal(tied, False)
    all_fit = intransitive_triples(better) <= limit
    triples: list[_Triple] = []
    for i, row in enumerate(better):
        triples_of_i: list[_Triple] = []
        for j in np.flatnonzero(tied[i]).tolist():
            worse = np.flatnonzero(row & tied[j]).tolist()
            triples_of_i += [(i, j, k) for k in worse]
        if not all_fit:
            triples_of_i = triples_of_i[:1]
        triples += triples_of_i
    return triples[:limit]


def find_top_group(result: MetricResult) -> tuple[str, ...] | None:
    """The top group: systems that no other is significantly better than.

    None where ranks are undefined or there is only one system.
    """
    if len(result.systems) < 2:
        return None
    best = result.systems[0]
    if best.rank_low is None:
        return None
    if best.rank_low == best.rank_high == 1:
        return (best.system,)
    return tuple(list_first(result.systems))


def list_first(systems: Iterable[SystemResult | MacroSystem]) -> list[str]:
    """List the systems whose rank range begins at 1."""
    return [row.system for row in systems if row.rank_low == 1]


def has_clear_winner(result: MetricResult | MacroResult) -> bool:
    """Whether a system is significantly better than each other one.

    To be the only one in the top group is less: each other is then worse than some system.
    """
    if len(result.systems) < 2:
        return False
    return any(row.rank_high == 1 for row in result.systems)


def find_other_leaders(result: MetricResult) -> tuple[ReferenceLeaders, ...]:
    """The references that each give another top group than all references together.

    A reference with too few segments to decide anything does not count. A reference that lacks
    segments separates fewer systems, so a larger top group does not contradict it.
    """
    top_group = find_top_group(result)
    if top_group is None:
        return ()
    most_segments = max((pair.n for pair in result.pairs), default=0)
    leaders_by_all = set(top_group)
    differing = []
    for row in result.by_reference:
        leaders = set(row.leaders)
        is_only_larger = row.n_segments < most_segments and leaders > leaders_by_all
        if row.decidable and leaders != leaders_by_all and not is_only_larger:
            differing.append(row)
    return tuple(differing)


def count_reversed_pairs(result: MetricResult) -> int:
    """Count the significant pairs whose ranks call the worse system the better one.

    Simultaneous rank ranges never do. Rules that use scores can where systems are rated on
    different segments.
    """
    low = {row.system: row.rank_low or 0 for row in result.systems}
    high = {row.system: row.rank_high or 0 for row in result.systems}
    n_reversed = 0
    for pair in result.pairs:
        if pair.better == "a":
            n_reversed += high[pair.b] < low[pair.a]
        elif pair.better == "b":
            n_reversed += high[pair.a] < low[pair.b]
    return n_reversed


def count_only_by_rule(result: MetricResult) -> int:
    """Count the pairs that the rule of the ranks calls different, and the test does not."""
    n_pairs = 0
    for pair in result.pairs:
        if pair.rule_better is not None and pair.better is None:
            n_pairs += 1
    return n_pairs


# -------------------------------------------------------------------------------------------------
# How ranks and top groups of a shared task change without some systems, or by another rule.


RankRange = tuple[int, int] | None


@dataclass(frozen=True)
class RankChange:
    """The rank range of a system before and after."""

    pair: str | None  # the language pair; None for the ranks across them
    system: str
    #: None without a rank.
    before: RankRange
    after: RankRange
    left_out: bool  # whether the system was compared there before, and is not any more

    @property
    def changed(self) -> bool:
        """Whether the rank range differs."""
        return self.before != self.after


@dataclass(frozen=True)
class CircleChange:
    """The top group before and after, best first; `pair` as in `RankChange`."""

    pair: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether systems joined or left the group."""
        return set(self.before) != set(self.after)


@dataclass(frozen=True)
class RanksBeforeAfter:
    """All systems of each language pair in their order before, then new ones; and top groups."""

    metric: str
    ranks: tuple[RankChange, ...]
    circles: tuple[CircleChange, ...]


def ranks_before_after(
    before: TaskComparison, after: TaskComparison, metric: str
) -> RanksBeforeAfter:
    """Compare two results of one task, by language pair; ranks across language pairs come last."""
    ranks_before = _list_ranks(before, metric)
    ranks_after = _list_ranks(after, metric)
    lang_pairs = list(dict.fromkeys([*ranks_before, *ranks_after]))
    if None in lang_pairs:
        lang_pairs.remove(None)
        lang_pairs.append(None)
    ranks = []
    circles = []
    for lang_pair in lang_pairs:
        old = ranks_before.get(lang_pair, {})
        new = ranks_after.get(lang_pair, {})
        for name in dict.fromkeys([*old, *new]):
            is_left_out = name in old and name not in new
            range_before = old.get(name)
            range_after = new.get(name)
            ranks.append(RankChange(lang_pair, name, range_before, range_after, is_left_out))
        top_before = _list_first(old)
        top_after = _list_first(new)
        circles.append(CircleChange(lang_pair, top_before, top_after))
    return RanksBeforeAfter(metric, tuple(ranks), tuple(circles))


def _list_ranks(task: TaskComparison, metric: str) -> dict[str | None, Mapping[str, RankRange]]:
    """The rank ranges by language pair, best first; those across language pairs under None."""
    ranks: dict[str | None, Mapping[str, RankRange]] = {}
    for lang_pair, comparison in task.pairs.items():
        if metric in comparison.metrics:
            systems = comparison.metrics[metric].systems
            ranks[lang_pair] = {row.system: _find_range(row) for row in systems}
    if metric in task.macro:
        across = task.macro[metric].systems
        ranks[None] = {row.system: _find_range(row) for row in across}
    return ranks


def _find_range(row: SystemResult | MacroSystem) -> RankRange:
    if row.rank_low is None or row.rank_high is None:
        return None
    return row.rank_low, row.rank_high


def _list_first(ranks: Mapping[str, RankRange]) -> tuple[str, ...]:
    leaders = []
    for name, rank_range in ranks.items():
        if rank_range is None:
            continue
        low, _ = rank_range
        if low == 1:
            leaders.append(name)
    return tuple(leaders)
