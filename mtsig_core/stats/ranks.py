"""Ranks of systems: from decisions on pairs, and by the rules of shared tasks as they were
published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mtsig_core.results import (
    MacroResult,
    MacroSystem,
    MetricResult,
    ReferenceLeaders,
    SystemResult,
    TaskComparison,
)
from mtsig_core.stats.significance import exact_signed_rank

# -------------------------------------------------------------------------------------------------
# How ranks are made from pairs: ours, and those of shared tasks as they were published, with what these ignore.


_EXACT, _EXACT_WITH_TIES = (
    50,
    13,
)  # segments up to which scipy's p is exact, and where some differences are alike


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of systems, each array of shape (systems,), and the groups that lines are drawn
    between.
    """

    #: From 1.
    low: np.ndarray
    high: np.ndarray
    #: Number of the group that each system is in, from 1: a line is drawn where no rank interval
    #: reaches over it.
    cluster: np.ndarray
    #: Systems that the rule calls worse, and better. All others are ties.
    wins: np.ndarray
    losses: np.ndarray
    #: shape (systems, systems): Whether the rule calls the system of the row better than the system
    #: of the column.
    better: np.ndarray
    #: shape (systems, systems): The p by which the rule decides on a pair, NaN where it tests
    #: nothing. None for a rule without a p of its own.
    p: np.ndarray | None = None
    #: shape (systems,): What the rule orders systems by, higher is better. None where that is the
    #: metric's score.
    means: np.ndarray | None = None


@dataclass(frozen=True, eq=False)
class RankInputs:
    """What a rule may rank systems by.

    They come in the order of the result: best first by the metric.
    """

    alpha: float
    sign: int  # -1 where lower is better
    #: shape (systems,): Scores and the ends of their intervals, NaN where there is none.
    scores: np.ndarray
    ci_low: np.ndarray
    ci_high: np.ndarray
    n_units: int  # how many segments, documents or blocks were resampled
    segments: (
        np.ndarray | None
    )  # shape (systems, segments): Scores of segments, NaN where there is none
    domains: Sequence[str] | None  # of each segment
    pairs: np.ndarray  # int, shape (pairs, 2): Of systems, by their place
    #: shape (pairs,): 1 where the first system is significantly better, -1 where the second, 0
    #: where neither.
    corrected: np.ndarray  # by the correction that was asked for: what tables of pairs show
    #: With the family-wise error controlled whatever correction was asked for; None where nothing
    #: can be decided so.
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
        scores, low, high = np.array(
            [(row.score, row.ci_low, row.ci_high) for row in result.systems], dtype=float
        ).T
        return cls(
            alpha,
            result.sign,
            scores,
            low,
            high,
            result.n_units,
            segments,
            domains,
            *number_decisions(result),
            for_ranks,
        )


@dataclass(frozen=True, eq=False)
class _Wins:
    """Which systems beat which, by a one-sided test of each pair."""

    means: np.ndarray  # shape (systems,)
    order: np.ndarray  # int, shape (systems,): The systems, best mean first
    #: shape (systems, systems), by the places in `order`: p of the row's system over the column's,
    #: NaN where nothing is tested; and whether it is below alpha.
    p: np.ndarray
    beats: np.ndarray

    def by_system(self, of_places: np.ndarray) -> np.ndarray:
        """An array of shape (places, places) by the numbers of the systems."""
        of_systems = np.empty_like(of_places)
        of_systems[np.ix_(self.order, self.order)] = of_places
        return of_systems

    def p_of_pairs(self) -> np.ndarray:
        """P of each pair, whichever of its systems comes first: shape (systems, systems), by the
        systems' numbers.
        """
        return self.by_system(np.fmin(self.p, self.p.T))


def _find_wins(
    scores: np.ndarray,
    test: Callable[[np.ndarray, np.ndarray], float | None],
    alpha: float,
    whatever_the_mean: bool = False,
) -> _Wins:
    """Test each system against all with a lower mean, or against all; `test` gives the one-sided p
    of two rows.
    """
    with np.errstate(invalid="ignore"):
        means = np.nanmean(scores, axis=1)
    order = np.argsort(-means, kind="stable")
    n = len(scores)
    p = np.full((n, n), np.nan)
    for first in range(n):
        for second in range(n):
            if first == second or (first > second and not whatever_the_mean):
                continue
            found = test(scores[order[first]], scores[order[second]])
            if found is not None:
                p[first, second] = found
    return _Wins(means, order, p, p < alpha)


def wmt21(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Clusters of WMT21 into English (`ad-*`): as `wmt22`, but a system may also beat one with a
    higher mean, and a cluster ends with a system that beats as many as there are left.
    """
    found = _find_wins(scores, _mann_whitney, alpha, whatever_the_mean=True)
    return found.order, _rank_by_cluster(found, _end_where_wins_suffice(found.beats.sum(axis=1)))


def wmt22(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Clusters of WMT22 into English (`ad-*`), from standardized scores; parameters as `wmt24`,
    without domains.

    A system beats one with a lower mean where p of the one-sided Mann-Whitney test of their
    segments is below alpha. A cluster ends where all systems above beat all below; ranks are the
    places of the cluster.
    """
    found = _find_wins(scores, _mann_whitney, alpha)
    n = len(scores)
    ends = [k for k in range(1, n) if found.beats[:k, k:].all()]
    return found.order, _rank_by_cluster(found, ends)


def wmt22_appraise(scores: np.ndarray, alpha: float) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT22 out of English, judged in Appraise, from standardized scores; and of
    WMT23, from raw ones.

    As `wmt22`, but two systems are compared on the segments that both have; a rank range is 1 +
    losses to systems - wins, and a line is drawn below a system that beats as many as there are
    left.
    """

    def test(first: np.ndarray, second: np.ndarray) -> float | None:
        both = ~(np.isnan(first) | np.isnan(second))
        return _mann_whitney(first[both], second[both]) if both.any() else None

    found = _find_wins(scores, test, alpha)
    n = len(scores)
    wins_by_place, losses_by_place = found.beats.sum(axis=1), found.beats.sum(axis=0)
    ends = _end_where_wins_suffice(wins_by_place)
    low, high, cluster, wins, losses = np.empty((5, n), dtype=int)
    wins[found.order], losses[found.order] = wins_by_place, losses_by_place
    cluster[found.order] = np.searchsorted(ends, np.arange(n), side="right") + 1
    low, high = 1 + losses, n - wins
    return found.order, Ranks(
        low,
        high,
        cluster,
        wins,
        losses,
        found.by_system(found.beats),
        found.p_of_pairs(),
        found.means,
    )


def _mann_whitney(first: np.ndarray, second: np.ndarray) -> float:
    """P of the one-sided Mann-Whitney test that the first has the higher scores; each without its
    missing ones.
    """
    from scipy.stats import mannwhitneyu

    rated = (row[~np.isnan(row)] for row in (first, second))
    return float(mannwhitneyu(*rated, alternative="greater").pvalue)


def _end_where_wins_suffice(wins: np.ndarray) -> list[int]:
    """After how many systems a line is drawn: where the last one beats as many as are left.

    `wins` are by place.

    >>> _end_where_wins_suffice(np.array([3, 2, 1, 0])), _end_where_wins_suffice(np.array([2, 2, 0, 0]))
    ([1, 2, 3], [2])
    """
    n = len(wins)
    return [k for k in range(1, n) if wins[k - 1] == n - k]


def _rank_by_cluster(found: _Wins, ends: Sequence[int]) -> Ranks:
    """Ranks that are the places of the cluster; `ends` are the places after which a cluster
    ends.
    """
    order, beats, n = found.order, found.beats, len(found.order)
    of_place = np.searchsorted(ends, np.arange(n), side="right")
    low, high, cluster, wins, losses = np.empty((5, n), dtype=int)
    low[order], high[order] = np.array([0, *ends])[of_place] + 1, np.array([*ends, n])[of_place]
    cluster[order], wins[order], losses[order] = of_place + 1, beats.sum(axis=1), beats.sum(axis=0)
    return Ranks(
        low, high, cluster, wins, losses, found.by_system(beats), found.p_of_pairs(), found.means
    )


def wmt24(scores: np.ndarray, alpha: float, domains: Sequence[str]) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT24's general task, from scores of shape (systems, segments), higher better,
    NaN where there is none; and the order of the systems, best first.

    A system's mean is the mean over domains of its mean in each. Of a pair, each domain gives the
    two-sided p of Wilcoxon's signed-rank test on its segments; these are combined by Stouffer's
    method as if they were one-sided, z = sum(ndtri(1 - p)) / sqrt(domains). A rank range is 1 +
    losses to systems - wins, each at alpha.
    """
    from scipy.special import ndtr, ndtri

    groups = [
        np.array([k for k, domain in enumerate(domains) if domain == name])
        for name in dict.fromkeys(domains)
    ]
    with np.errstate(invalid="ignore"):
        means = np.array([_mean_of_means(row, groups) for row in scores])
    n = len(scores)
    p = np.ones((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            of_domains = [
                found
                for group in groups
                if (found := signed_rank(scores[i, group] - scores[j, group], "two-sided"))
                is not None
            ]
            if of_domains:
                z = sum(ndtri(1 - np.array(of_domains))) / np.sqrt(len(of_domains))
                p[i, j] = p[j, i] = ndtr(
                    -z
                )  # 1 - ndtr(z), without the 0 that rounding would make of a small one
    better = (p < alpha) & (means[:, None] > means)
    worse = (p < alpha) & (means[:, None] <= means)
    np.fill_diagonal(worse, False)
    order = np.argsort(-means, kind="stable")
    wins, losses = better.sum(axis=1), worse.sum(axis=1)
    cluster, place = np.empty(n, dtype=int), {int(system): k for k, system in enumerate(order)}
    tied = [[place[j] for j in range(n) if j != i and p[i, j] > alpha] for i in range(n)]
    number, reach = 1, -1
    for k, system in enumerate(order):
        reach = max([reach, *(other for other in tied[int(system)] if other > k)])
        cluster[system] = number
        if reach <= k:
            number, reach = number + 1, -1
    np.fill_diagonal(p, np.nan)
    return order, Ranks(1 + losses, n - wins, cluster, wins, losses, better, p, means)


def wmt25(
    scores: np.ndarray, alpha: float, domains: Sequence[str] | None = None
) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT25's general task, and the order they are about; parameters as `wmt24`,
    domains do not matter.

    A system beats one with a lower mean where p of the one-sided Wilcoxon signed-rank test is below
    alpha. From its place by the mean, its range goes up until the first system that beats it, and
    down until the first that it beats.

    So the task's script had it with both ratings of a segment as two segments. A later version of
    the script compares each rating of one system with each of the other, at alpha / 2; one score
    per segment has nothing to pair so.
    """
    found = _find_wins(scores, lambda first, second: signed_rank(first - second, "greater"), alpha)
    order, beats, n = found.order, found.beats, len(scores)
    low, high, wins, losses = np.empty((4, n), dtype=int)
    wins[order], losses[order] = beats.sum(axis=1), beats.sum(axis=0)
    for k in range(n):
        above, below = np.flatnonzero(beats[:k, k]), np.flatnonzero(beats[k])
        low[order[k]] = above[-1] + 2 if len(above) else 1
        high[order[k]] = below[0] if len(below) else n
    clusters = find_clusters(order, low, high)
    return order, Ranks(
        low, high, clusters, wins, losses, found.by_system(beats), found.p_of_pairs(), found.means
    )


def rank_simultaneously(n_systems: int, pairs: np.ndarray, decisions: np.ndarray) -> Ranks:
    """Simultaneous rank intervals of systems, best first, from decisions on pairs that hold
    jointly.
    """
    better = decision_matrix(n_systems, pairs, decisions)
    low, high = rank_intervals(better)
    clusters = find_clusters(np.arange(n_systems), low, high)
    return Ranks(low, high, clusters, better.sum(axis=1), better.sum(axis=0), better)


def overlap(ci_low: np.ndarray, ci_high: np.ndarray, sign: int = 1) -> Ranks:
    """Ranks by overlap of intervals, best system first: a system is behind those whose interval
    lies wholly on the better side of its own. `sign` is -1 where lower is better.
    """
    if sign < 0:
        ci_low, ci_high = -ci_high, -ci_low
    better = ci_low[:, None] > ci_high
    wins, losses = better.sum(axis=1), better.sum(axis=0)
    low, high = 1 + losses, len(wins) - wins
    return Ranks(low, high, find_clusters(np.arange(len(low)), low, high), wins, losses, better)


@dataclass(frozen=True)
class RankRule:
    """How systems are ranked, and what that leaves out of account."""

    name: str
    title: str  # ends a sentence on ranks
    source: str
    rank: Callable[
        [RankInputs], tuple[np.ndarray, Ranks]
    ]  # the order of the systems, best first, and their ranks
    ignores: tuple[
        str, ...
    ] = ()  # the two gravest first; empty for the rule whose rank intervals hold jointly
    each_rating: bool = (
        False  # whether the task took each of several ratings of a segment as a segment of its own
    )
    #: What its difference of two systems is a difference of.
    compares: str = "scores"
    of_segments: bool = False  # whether it needs scores of single segments
    #: Whether it scores systems by the mean over domains of the mean in each, so that it needs
    #: domains.
    by_domain: bool = False


def _rank_by_intervals(given: RankInputs) -> tuple[np.ndarray, Ranks]:
    decisions = np.zeros(len(given.pairs)) if given.for_ranks is None else given.for_ranks
    return np.arange(len(given.scores)), rank_simultaneously(
        len(given.scores), given.pairs, decisions
    )


def _by_segments(
    rank: Callable[[np.ndarray, float], tuple[np.ndarray, Ranks]],
) -> Callable[[RankInputs], tuple[np.ndarray, Ranks]]:
    """A rule that looks at the scores of segments only; higher is better in what it gets."""

    def rank_segments(given: RankInputs) -> tuple[np.ndarray, Ranks]:
        assert given.segments is not None, "settings.check_metric has seen to that"
        return rank(given.sign * given.segments, given.alpha)

    return rank_segments


def _rank_as_wmt24(given: RankInputs) -> tuple[np.ndarray, Ranks]:
    assert given.segments is not None and given.domains is not None, (
        "settings.check_rank_rule has seen to that"
    )
    return wmt24(given.sign * given.segments, given.alpha, given.domains)


def _rank_by_overlap(given: RankInputs) -> tuple[np.ndarray, Ranks]:
    return np.arange(len(given.scores)), overlap(given.ci_low, given.ci_high, given.sign)


_SHARED = "no correction for the number of pairs", "segments of one document taken as independent"
_UNPAIRED = (
    *_SHARED,
    "systems count as rated on different segments (Mann-Whitney), although they share them",
)
_OVER_SEGMENTS = "means over all rated segments"
RANK_RULES = {
    rule.name: rule
    for rule in (
        RankRule(
            "simultaneous",
            "by simultaneous rank ranges",
            "Romano and Wolf 2005; Mogstad et al. 2024",
            _rank_by_intervals,
        ),
        RankRule(
            "wmt21",
            "as WMT21 into English",
            "Akhbardeh et al. 2021, the task's own scripts",
            _by_segments(wmt21),
            _UNPAIRED,
            compares=_OVER_SEGMENTS,
            of_segments=True,
        ),
        RankRule(
            "wmt22",
            "as WMT22 into English",
            "Kocmi et al. 2022, the task's own scripts",
            _by_segments(wmt22),
            _UNPAIRED,
            compares=_OVER_SEGMENTS,
            of_segments=True,
        ),
        RankRule(
            "wmt22-appraise",
            "as WMT22 out of English",
            "Kocmi et al. 2022, the task's own scripts",
            _by_segments(wmt22_appraise),
            _UNPAIRED,
            compares=_OVER_SEGMENTS,
            of_segments=True,
        ),
        RankRule(
            "wmt23",
            "as WMT23",
            "Kocmi et al. 2023, the task's own scripts",
            _by_segments(wmt22_appraise),
            _UNPAIRED,
            compares=_OVER_SEGMENTS,
            of_segments=True,
        ),
        RankRule(
            "wmt24",
            "as WMT24",
            "Kocmi et al. 2024, the task's own scripts",
            _rank_as_wmt24,
            (
                *_SHARED,
                "a win in one domain and a loss in another add up, because two-sided p are combined",
            ),
            compares="means over domains",
            of_segments=True,
            by_domain=True,
        ),
        RankRule(
            "wmt25",
            "as WMT25",
            "Kocmi et al. 2025, the task's own scripts",
            _by_segments(wmt25),
            (
                *_SHARED,
                "a rank range ends at the first significant difference, and systems beyond it do not count",
            ),
            compares=_OVER_SEGMENTS,
            of_segments=True,
            each_rating=True,
        ),
        RankRule(
            "overlap",
            "by overlap of intervals",
            "a common reading of error bars",
            _rank_by_overlap,
            (_SHARED[0], "intervals of two scores do not show the difference on the same segments"),
        ),
    )
}


def fitting_rules(segment_means: bool, domains: bool = True) -> dict[str, RankRule]:
    """The rules for a metric that is a mean of segment scores, or is not, of segments with domains
    or without.

    >>> "wmt25" in fitting_rules(False), "wmt25" in fitting_rules(True, domains=False)
    (False, True)
    """
    return {
        name: rule
        for name, rule in RANK_RULES.items()
        if (segment_means or not rule.of_segments) and (domains or not rule.by_domain)
    }


def find_inside_clusters(ranks: Ranks, pairs: np.ndarray, significant: np.ndarray) -> np.ndarray:
    """Which significant pairs lie inside one cluster, as if their systems were tied: bool, shape
    (pairs,).
    """
    first, second = pairs.T
    within: np.ndarray = significant & (ranks.cluster[first] == ranks.cluster[second])
    return within


def count_disjoint_ranks(ranks: Ranks, pairs: np.ndarray, among: np.ndarray) -> int:
    """How many of some pairs (`among`, bool) have rank ranges that lie apart, which calls one of
    the two systems better.
    """
    first, second = pairs.T
    disjoint = (ranks.high[first] < ranks.low[second]) | (ranks.high[second] < ranks.low[first])
    return int(np.count_nonzero(among & disjoint))


def find_clusters(order: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The number of each system's cluster, from 1, by its ranks and the order, best first: a line
    is drawn after the k best where none of them may be below it, and none of the others above.

    >>> find_clusters(np.arange(3), np.array([1, 2, 2]), np.array([1, 3, 3])).tolist()
    [1, 2, 2]
    """
    cluster, number = np.empty(len(order), dtype=int), 1
    for k, system in enumerate(order, 1):
        cluster[system] = number
        if (high[order[:k]] <= k).all() and (low[order[k:]] > k).all():
            number += 1
    return cluster


def signed_rank(differences: np.ndarray, alternative: str) -> float | None:
    """P of Wilcoxon's signed-rank test as `scipy.stats.wilcoxon` has it, which tries few with ties
    sign by sign.

    Segments where one of the two has no score (NaN) are left out. 1 where nothing differs; None
    without any segment.
    """
    differences = differences[~np.isnan(differences)]
    if not differences.any():
        return 1.0 if len(differences) else None
    differing = differences[differences != 0]
    with_ties = len(np.unique(np.abs(differing))) < len(differences)  # or with zeros
    if len(differences) <= (_EXACT_WITH_TIES if with_ties else _EXACT):
        return exact_signed_rank(differing, alternative)
    from scipy.special import ndtr

    order = np.abs(differing).argsort()
    sizes, n = np.abs(differing)[order], float(len(order))
    ends = np.append(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1.0, n)
    ties = np.diff(ends, prepend=0)
    ranks = np.repeat(ends - (ties - 1) / 2, ties.astype(int))
    variance = (n * (n + 1) * (2 * n + 1) - (ties**3 - ties).sum() / 2) / 24
    z = (ranks[differing[order] > 0].sum() - n * (n + 1) / 4) / np.sqrt(variance)
    return float(ndtr(-z) if alternative == "greater" else 2 * ndtr(-abs(z)))


def _mean_of_means(row: np.ndarray, groups: Sequence[np.ndarray]) -> float:
    parts = [row[group][~np.isnan(row[group])] for group in groups]
    return (
        float(np.mean([part.mean() for part in parts if len(part)]))
        if any(map(len, parts))
        else np.nan
    )


# -------------------------------------------------------------------------------------------------
# From decisions on pairs to ranks of systems.


def decision_matrix(n_systems: int, pairs: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """Who is significantly better than whom, shape (systems, systems), from decisions on pairs: 1 for the first system,
    -1 for the second, else 0.
    """
    better = np.zeros((n_systems, n_systems), dtype=bool)
    first, second = pairs[:, 0], pairs[:, 1]
    better[first[decisions > 0], second[decisions > 0]] = True
    better[second[decisions < 0], first[decisions < 0]] = True
    return better


def rank_intervals(better: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Simultaneous rank intervals: 1 + number of systems significantly better, to S - number
    significantly worse.

    They hold jointly at the level at which the decisions control the family-wise error (Mogstad et
    al. 2024 in economics; WMT's rank ranges with a correction).

    >>> low, high = rank_intervals(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    >>> low.tolist(), high.tolist()
    ([1, 2, 2], [1, 3, 3])
    """
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def intransitive_triples(better: np.ndarray) -> int:
    """Number of triples (i, j, k) with i not separable from j, nor j from k, but i better than
    k.
    """
    tied = ~(better | better.T)
    through = tied.astype(np.int64) @ tied.astype(np.int64)
    return int((through * better).sum())


def number_decisions(result: MetricResult) -> tuple[np.ndarray, np.ndarray]:
    """The pairs by the places of their systems, shape (pairs, 2), and the decision on each as
    `decision_matrix` has it.
    """
    place = {row.system: k for k, row in enumerate(result.systems)}
    return (
        np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(
            -1, 2
        ),
        np.array([{"a": 1, "b": -1, None: 0}[pair.better] for pair in result.pairs], dtype=int),
    )


def better_matrix(result: MetricResult) -> np.ndarray:
    """Who is significantly better than whom, shape (systems, systems), in the order of the
    leaderboard.
    """
    return decision_matrix(len(result.systems), *number_decisions(result))


def triple_examples(better: np.ndarray, limit: int = 20) -> list[tuple[int, int, int]]:
    """The triples (i, j, k) that `intransitive_triples` counts: i is better than k, but neither is
    separable from j. Where they are more than `limit`, one for each better system.

    >>> triple_examples(np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    [(0, 1, 2)]
    """
    tied = ~(better | better.T)
    np.fill_diagonal(tied, False)
    all_fit = intransitive_triples(better) <= limit
    found: list[tuple[int, int, int]] = []
    for i, row in enumerate(better):
        own = (
            (i, int(j), int(k))
            for j in np.flatnonzero(tied[i])
            for k in np.flatnonzero(row & tied[j])
        )
        found += own if all_fit else islice(own, 1)
    return found[:limit]


def find_top_group(result: MetricResult) -> tuple[str, ...] | None:
    """The systems that no other is significantly better than: the top group.

    None where ranks are undefined or there is only one system.
    """
    if len(result.systems) < 2 or result.systems[0].rank_low is None:
        return None
    if result.systems[0].rank_low == result.systems[0].rank_high == 1:
        return (result.systems[0].system,)
    return tuple(row.system for row in result.systems if row.rank_low == 1)


def has_clear_winner(result: MetricResult | MacroResult) -> bool:
    """Whether a system is significantly better than each other one.

    To be alone in the top group is less: each other is then worse than somebody.
    """
    return len(result.systems) > 1 and any(row.rank_high == 1 for row in result.systems)


def find_other_leaders(result: MetricResult) -> tuple[ReferenceLeaders, ...]:
    """The references by which alone other systems are ahead than by all of them together.

    One with too few segments to decide anything is no answer. One that lacks segments separates
    fewer systems: that it lets more be first is then no other answer.
    """
    together = find_top_group(result)
    n = max((pair.n for pair in result.pairs), default=0)
    return (
        ()
        if together is None
        else tuple(
            row
            for row in result.by_reference
            if row.decidable
            and set(row.leaders) != set(together)
            and not (row.n_segments < n and set(together) < set(row.leaders))
        )
    )


def count_reversed_pairs(result: MetricResult) -> int:
    """How many significant pairs have ranks that call the worse system the better one.

    Ours never do. Rules that go by score can where systems are rated on different segments.
    """
    rank = {row.system: (row.rank_low or 0, row.rank_high or 0) for row in result.systems}
    sides = [
        (pair.a, pair.b) if pair.better == "a" else (pair.b, pair.a)
        for pair in result.pairs
        if pair.better
    ]
    return sum(rank[worse][1] < rank[better][0] for better, worse in sides)


# -------------------------------------------------------------------------------------------------
# What leaving out systems, or another rule for ranks, changes in a shared task: ranks and winners' circles.


RankRange = tuple[int, int] | None


@dataclass(frozen=True)
class RankChange:
    """The rank interval of a system before and after."""

    pair: str | None  # the language pair; None for the ranks across them
    system: str
    #: Its ends; None without a rank.
    before: RankRange
    after: RankRange
    left_out: bool  # whether the system was compared there before, and is not any more

    @property
    def changed(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True)
class CircleChange:
    """The top group before and after, best first; `pair` as in `RankChange`."""

    pair: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return set(self.before) != set(self.after)


@dataclass(frozen=True)
class RanksBeforeAfter:
    """All systems of each language pair, as they stood before, then those that came; and the
    winners' circles.
    """

    metric: str
    ranks: tuple[RankChange, ...]
    circles: tuple[CircleChange, ...]


def ranks_before_after(
    before: TaskComparison, after: TaskComparison, metric: str
) -> RanksBeforeAfter:
    """Two comparisons of one task side by side, in the order of the language pairs, those across
    them last.
    """
    old, new = _standings(before, metric), _standings(after, metric)
    ranks: list[RankChange] = []
    circles: list[CircleChange] = []
    for pair in sorted(
        old.keys() | new.keys(), key=lambda pair: (pair is None, [*old, *new].index(pair))
    ):
        one, other = old.get(pair, {}), new.get(pair, {})
        ranks += [
            RankChange(
                pair, name, one.get(name), other.get(name), name in one and name not in other
            )
            for name in dict.fromkeys([*one, *other])
        ]
        circles.append(CircleChange(pair, _first(one), _first(other)))
    return RanksBeforeAfter(metric, tuple(ranks), tuple(circles))


def _standings(found: TaskComparison, metric: str) -> dict[str | None, Mapping[str, RankRange]]:
    """By language pair the rank interval of each system, best first; across them under None."""
    standings: dict[str | None, Mapping[str, RankRange]] = {
        pair: {row.system: _ranks(row) for row in comparison.metrics[metric].systems}
        for pair, comparison in found.pairs.items()
        if metric in comparison.metrics
    }
    if metric in found.macro:
        standings[None] = {row.system: _ranks(row) for row in found.macro[metric].systems}
    return standings


def _ranks(row: SystemResult | MacroSystem) -> RankRange:
    return None if row.rank_low is None or row.rank_high is None else (row.rank_low, row.rank_high)


def _first(ranks: Mapping[str, RankRange]) -> tuple[str, ...]:
    return tuple(name for name, own in ranks.items() if own is not None and own[0] == 1)
