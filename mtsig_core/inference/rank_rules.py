"""How ranks are made from pairs: ours, and those of shared tasks as they were published, with what these ignore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["RANK_RULES", "Ranks", "RankRule", "apart", "fitting_rules", "inside_clusters", "inside_said", "overlap",
           "ranks_by", "signed_rank", "wmt24", "wmt25"]


_EXACT = 50  # segments up to which scipy looks at the exact distribution


@dataclass(frozen=True, eq=False)
class Ranks:
    """Ranks of systems, each array of shape (systems,), and the groups that lines are drawn between.

    Attributes
    ----------
    low, high : ndarray of int
        From 1.
    cluster : ndarray of int
        Number of the group that each system is in, from 1: a line is drawn where no rank interval reaches over it.
    """

    low: np.ndarray
    high: np.ndarray
    cluster: np.ndarray


@dataclass(frozen=True)
class RankRule:
    """What a rule is, and what it leaves out of account.

    Attributes
    ----------
    title : str
        Ends a sentence on ranks.
    ignores : tuple of str
        Empty for the rule whose rank intervals hold jointly.
    of_segments : bool
        Whether it needs scores of single segments.
    """

    name: str
    title: str
    source: str
    ignores: tuple[str, ...] = ()
    of_segments: bool = False


_SHARED = ("segments of one document are taken as independent",
           "no correction for the number of pairs of systems that are compared")
RANK_RULES = {rule.name: rule for rule in (
    RankRule("simultaneous", "by simultaneous intervals", "Romano and Wolf 2005; Mogstad et al. 2024"),
    RankRule("wmt24", "as WMT24", "Kocmi et al. 2024, the task's own scripts", (
        *_SHARED, "two-sided p of domains are combined, so that a win in one and a loss in another add up"), True),
    RankRule("wmt25", "as WMT25", "Kocmi et al. 2025, the task's own scripts", (
        *_SHARED, "a rank ends at the first system that differs: those beyond it are not looked at"), True),
    RankRule("overlap", "by overlap of intervals", "a common reading of error bars", (
        "intervals of single scores do not show the difference of two systems on the same segments",
        "no correction for the number of pairs of systems that are compared")))}


def fitting_rules(segment_means: bool) -> dict[str, RankRule]:
    """The rules for a metric that is a mean of segment scores, or is not.

    >>> list(fitting_rules(False))
    ['simultaneous', 'overlap']
    """
    return {name: rule for name, rule in RANK_RULES.items() if segment_means or not rule.of_segments}


def wmt24(scores: np.ndarray, alpha: float, domains: Sequence[str] | None = None) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT24's general task, and the order they are about.

    A system's mean is the mean over domains of its mean in each. Of a pair, each domain gives the two-sided p of
    Wilcoxon's signed-rank test on its segments; these are combined by Stouffer's method as if they were one-sided,
    z = sum(ndtri(1 - p)) / sqrt(domains). A rank range is 1 + losses to systems - wins, each at alpha.

    Parameters
    ----------
    scores : ndarray, shape (systems, segments)
        Higher is better; NaN where there is none.
    alpha : float
    domains : sequence of str, optional
        Of each segment; one for all by default.

    Returns
    -------
    order : ndarray of int, shape (systems,)
        Best first.
    Ranks
        Of the systems as they stand in `scores`.
    """
    from scipy.special import ndtr, ndtri

    groups = _groups(domains, scores.shape[1])
    with np.errstate(invalid="ignore"):
        means = np.array([_mean_of_means(row, groups) for row in scores])
    n = len(scores)
    p = np.ones((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            of_domains = [found for group in groups
                          if (found := signed_rank(scores[i, group] - scores[j, group], "two-sided")) is not None]
            if of_domains:
                z = sum(ndtri(1 - np.array(of_domains))) / np.sqrt(len(of_domains))
                p[i, j] = p[j, i] = 1 - ndtr(z)
    better = (p < alpha) & (means[:, None] > means)
    worse = (p < alpha) & (means[:, None] <= means)
    np.fill_diagonal(worse, False)
    order = np.argsort(-means, kind="stable")
    low, high = 1 + worse.sum(axis=1), n - better.sum(axis=1)
    cluster, place = np.empty(n, dtype=int), {int(system): k for k, system in enumerate(order)}
    tied = [[place[j] for j in range(n) if j != i and p[i, j] > alpha] for i in range(n)]
    number, reach = 1, -1
    for k, system in enumerate(order):
        reach = max([reach, *(other for other in tied[int(system)] if other > k)])
        cluster[system] = number
        if reach <= k:
            number, reach = number + 1, -1
    return order, Ranks(low, high, cluster)


def wmt25(scores: np.ndarray, alpha: float, domains: Sequence[str] | None = None) -> tuple[np.ndarray, Ranks]:
    """Rank ranges of WMT25's general task, and the order they are about; parameters as `wmt24`, without domains.

    From a system's place by its mean, its range goes up and down until the first system from which it differs by a
    one-sided Wilcoxon signed-rank test at alpha / 2.
    """
    with np.errstate(invalid="ignore"):
        means = np.nanmean(scores, axis=1)
    order, n = np.argsort(-means, kind="stable"), len(scores)

    def beats(first: int, second: int) -> bool:
        p = signed_rank(scores[order[first]] - scores[order[second]], "greater")
        return p is not None and p < alpha / 2

    low, high = np.empty(n, dtype=int), np.empty(n, dtype=int)
    for k in range(n):
        above = next((other for other in range(k - 1, -1, -1) if beats(other, k)), -1)
        below = next((other for other in range(k + 1, n) if beats(k, other)), n)
        low[order[k]], high[order[k]] = above + 2, below
    return order, Ranks(low, high, _clusters(order, low, high))


def overlap(ci_low: np.ndarray, ci_high: np.ndarray, sign: int = 1) -> Ranks:
    """Ranks by overlap: a system is behind those whose interval lies wholly on the better side of its own.

    Parameters
    ----------
    ci_low, ci_high : ndarray, shape (systems,)
        In the order of the systems, best first.
    sign : {1, -1}
        -1 where lower is better.
    """
    if sign < 0:
        ci_low, ci_high = -ci_high, -ci_low
    ahead = ci_low[:, None] > ci_high
    low, high = 1 + ahead.sum(axis=0), len(ci_low) - ahead.sum(axis=1)
    return Ranks(low, high, _clusters(np.arange(len(low)), low, high))


#: Those that are made of segment scores.
OF_SEGMENTS: dict[str, Callable[..., tuple[np.ndarray, Ranks]]] = {"wmt24": wmt24, "wmt25": wmt25}


def ranks_by(rule: str, scores: np.ndarray | None, ci_low: np.ndarray, ci_high: np.ndarray, sign: int, alpha: float,
             domains: Sequence[str] | None) -> Ranks:
    """Ranks by another rule than ours.

    Parameters
    ----------
    rule : {"wmt24", "wmt25", "overlap"}
    scores : ndarray, shape (systems, segments), or None
        Best system first, NaN where there is none; needed by the first two.
    ci_low, ci_high : ndarray, shape (systems,)
    sign : {1, -1}
        -1 where lower is better.
    domains : sequence of str or None
        Of each segment.
    """
    if rule == "overlap":
        return overlap(ci_low, ci_high, sign)
    assert scores is not None, "settings.check_metric has seen to that"
    return OF_SEGMENTS[rule](sign * scores, alpha, domains)[1]


def inside_clusters(ranks: Ranks, pairs: np.ndarray, significant: np.ndarray) -> np.ndarray:
    """Which significant pairs lie inside one cluster, as if their systems were tied: bool, shape (pairs,).

    Parameters
    ----------
    pairs : ndarray of int, shape (pairs, 2)
    significant : ndarray of bool, shape (pairs,)
    """
    first, second = pairs.T
    within: np.ndarray = significant & (ranks.cluster[first] == ranks.cluster[second])
    return within


def inside_said(inside: int, inside_apart: int | None) -> str:
    """What follows a number of significant pairs inside one cluster, some with rank ranges that lie apart.

    >>> inside_said(3, 2)
    'lie inside one cluster, with no line between the two, as if tied, though the rank ranges of 2 of them lie apart'
    """
    if not inside:
        return "lie inside one cluster"
    but = "" if not inside_apart else ", though their rank ranges lie apart" if inside == inside_apart else \
        f", though the rank ranges of {inside_apart} of them lie apart"
    return f"{'lies' if inside == 1 else 'lie'} inside one cluster, with no line between the two, as if tied{but}"


def apart(ranks: Ranks, pairs: np.ndarray, among: np.ndarray) -> int:
    """How many of some pairs have rank ranges that lie apart, which calls one of the two systems better.

    Parameters
    ----------
    pairs : ndarray of int, shape (pairs, 2)
    among : ndarray of bool, shape (pairs,)
    """
    first, second = pairs.T
    disjoint = (ranks.high[first] < ranks.low[second]) | (ranks.high[second] < ranks.low[first])
    return int(np.count_nonzero(among & disjoint))


def _clusters(order: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """A line after the k best where none of them may be below it, and none of the others above."""
    cluster, number = np.empty(len(order), dtype=int), 1
    for k, system in enumerate(order, 1):
        cluster[system] = number
        if (high[order[:k]] <= k).all() and (low[order[k:]] > k).all():
            number += 1
    return cluster


def signed_rank(differences: np.ndarray, alternative: str) -> float | None:
    """p of Wilcoxon's signed-rank test as `scipy.stats.wilcoxon` has it, of many segments ten times as quick.

    Parameters
    ----------
    differences : ndarray, shape (segments,)
        NaN where one of the two has no score.
    alternative : {"two-sided", "greater"}

    Returns
    -------
    float or None
        1 where nothing differs; None without a segment that both have.
    """
    differences = differences[~np.isnan(differences)]
    if not differences.any():
        return 1.0 if len(differences) else None
    if len(differences) <= _EXACT:
        from scipy.stats import wilcoxon

        return float(wilcoxon(differences, alternative=alternative).pvalue)
    from scipy.special import ndtr

    sizes = np.abs(differences)
    order = sizes.argsort()[np.count_nonzero(sizes == 0):]  # what does not differ is left out
    sizes, n = sizes[order], float(len(order))
    ends = np.append(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1.0, n)
    ties = np.diff(ends, prepend=0)
    ranks = np.repeat(ends - (ties - 1) / 2, ties.astype(int))
    variance = (n * (n + 1) * (2 * n + 1) - (ties ** 3 - ties).sum() / 2) / 24
    z = (ranks[differences[order] > 0].sum() - n * (n + 1) / 4) / np.sqrt(variance)
    return float(ndtr(-z) if alternative == "greater" else 2 * ndtr(-abs(z)))


def _groups(domains: Sequence[str] | None, n: int) -> list[np.ndarray]:
    if domains is None:
        return [np.arange(n)]
    known = dict.fromkeys(domains)
    return [np.array([k for k, domain in enumerate(domains) if domain == name]) for name in known]


def _mean_of_means(row: np.ndarray, groups: Sequence[np.ndarray]) -> float:
    parts = [row[group][~np.isnan(row[group])] for group in groups]
    return float(np.mean([part.mean() for part in parts if len(part)])) if any(map(len, parts)) else np.nan
