"""Tests of the segment scores of two systems, as the scripts of shared tasks ranked by them.

Missing scores are NaN. Each test gives p, or None where there is nothing to test.
"""

from __future__ import annotations

import numpy as np

from mtsig_core.stats.significance import exact_signed_rank, student_t

#: Scores of a system up to which scipy's p of Mann-Whitney's test may be exact.
_EXACT_MANN_WHITNEY = 8


def mann_whitney(first: np.ndarray, second: np.ndarray) -> float:
    """P of the one-sided Mann-Whitney test that the first has higher scores, without missing ones.

    As `scipy.stats.mannwhitneyu` has it, in a tenth of the time.
    """
    from scipy.stats import mannwhitneyu

    first = first[~np.isnan(first)]
    second = second[~np.isnan(second)]
    if min(len(first), len(second)) <= _EXACT_MANN_WHITNEY:
        return float(mannwhitneyu(first, second, alternative="greater").pvalue)
    return _approximate_mann_whitney(first, second)


def _approximate_mann_whitney(first: np.ndarray, second: np.ndarray) -> float:
    """P by the normal approximation, with the variance corrected for ties."""
    from scipy.special import ndtr

    sorted_second = np.sort(second)
    n_lower = np.searchsorted(sorted_second, first, side="left")
    n_not_higher = np.searchsorted(sorted_second, first, side="right")
    n_won = (n_lower + n_not_higher).sum() / 2  # of all pairs of segments; a tie is half a win
    n_compared = len(first) * len(second)
    n = len(first) + len(second)
    _, tie_lengths = np.unique(np.concatenate([first, second]), return_counts=True)
    tie_lengths = tie_lengths.astype(float)
    ties = (tie_lengths**3 - tie_lengths).sum() / (n * (n - 1))
    variance = n_compared * (n + 1 - ties) / 12
    if variance == 0:
        return 1.0
    excess = n_won - n_compared / 2 - 0.5  # wins are whole numbers: half of one is not counted
    return float(ndtr(-excess / np.sqrt(variance)))


def mann_whitney_on_common(first: np.ndarray, second: np.ndarray) -> float | None:
    """P of the same test on the segments that both have."""
    is_missing = np.isnan(first) | np.isnan(second)
    is_common = ~is_missing
    if not is_common.any():
        return None
    return mann_whitney(first[is_common], second[is_common])


def paired_t(first: np.ndarray, second: np.ndarray) -> float:
    """P of the two-sided paired t test on the segments that both have."""
    differences = (first - second)[None, :]
    (p_value,) = student_t(np.empty(0), differences)
    return float(p_value)


def smaller_p_of_t_tests(first: np.ndarray, second: np.ndarray) -> float:
    """The smaller two-sided p of the paired and the unpaired t test; 1 with fewer than two scores."""
    from scipy.stats import ttest_ind_from_stats

    described: list[float] = []
    for scores in (first, second):
        rated = scores[~np.isnan(scores)]
        if len(rated) < 2:
            return 1.0
        described += [rated.mean(), rated.std(ddof=1), len(rated)]
    unpaired_p = ttest_ind_from_stats(*described).pvalue
    return float(np.fmin(paired_t(first, second), unpaired_p))


#: Segments up to which scipy's p is exact, and up to which it is where some differences are alike.
_EXACT = 50
_EXACT_WITH_TIES = 13


def signed_rank(differences: np.ndarray, alternative: str) -> float | None:
    """P of Wilcoxon's signed-rank test, as `scipy.stats.wilcoxon` has it.

    Segments where one of the two has no score (NaN) are left out. 1 where nothing differs; None
    without any segment. With few segments, all signs are tried.
    """
    differences = differences[~np.isnan(differences)]
    if len(differences) == 0:
        return None
    differing = differences[differences != 0]
    if len(differing) == 0:
        return 1.0
    distinct_sizes = np.unique(np.abs(differing))
    has_ties = len(distinct_sizes) < len(differences)  # or zeros
    most_exact = _EXACT
    if has_ties:
        most_exact = _EXACT_WITH_TIES
    if len(differences) <= most_exact:
        return exact_signed_rank(differing, alternative)
    return _approximate_signed_rank(differing, alternative)


def _approximate_signed_rank(differing: np.ndarray, alternative: str) -> float:
    """P by the normal approximation, with the variance corrected for ties."""
    from scipy.special import ndtr

    order = np.abs(differing).argsort()
    sizes = np.abs(differing)[order]
    n = float(len(order))
    is_next_larger = sizes[1:] != sizes[:-1]
    ends_of_ties = np.append(np.flatnonzero(is_next_larger) + 1.0, n)
    tie_lengths = np.diff(ends_of_ties, prepend=0)
    mean_ranks = ends_of_ties - (tie_lengths - 1) / 2
    ranks = np.repeat(mean_ranks, tie_lengths.astype(int))
    is_positive = differing[order] > 0
    rank_sum = ranks[is_positive].sum()
    expected_sum = n * (n + 1) / 4
    tie_correction = (tie_lengths**3 - tie_lengths).sum() / 2
    without_ties = n * (n + 1) * (2 * n + 1)
    variance = (without_ties - tie_correction) / 24
    z = (rank_sum - expected_sum) / np.sqrt(variance)
    if alternative == "greater":
        return float(ndtr(-z))
    return float(2 * ndtr(-abs(z)))


def signed_rank_of_higher(first: np.ndarray, second: np.ndarray) -> float | None:
    """P of Wilcoxon's one-sided signed-rank test that the first has higher scores."""
    return signed_rank(first - second, "greater")
