"""The paired tests and the corrections for many comparisons, with their sources.

Page Methods has the formulas.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, overload

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.results import PairResult
from mtsig_core.stats.arrays import (
    TOLERANCE,
    Rows,
    apply_by_rows,
    count_extreme,
    iterate_rows,
    rounding_error,
)
from mtsig_core.stats.resampling import Units

# -------------------------------------------------------------------------------------------------
# The paired tests: replicate differences -> p-values, and a registry that describes each of them.
#
# Every test takes the observed differences and their replicates, for all pairs at once. Where a
# source defines its test badly, the test is here as published, with a caution; see
# `SignificanceTest.caution`.


#: p is never 0, even if it is too small for a number.
SMALLEST_P = float(np.finfo(float).tiny)
_EXACT_RANKS = 50
_DIGITS = 9
#: Units of which a bootstrap can be too sure, so that its p is bounded.
FEW_TO_DRAW = 10


def approximate_randomization(observed: np.ndarray, swapped: np.ndarray | Rows) -> np.ndarray:
    """Two-sided approximate randomization, from d_0 and from d_r after random swaps.

    Riezler and Maxwell (2005, Fig. 1). p = (c + 1) / (R + 1), c = #{abs(d_r) >= abs(d_0)}; ``>=``,
    so that identical outputs get p = 1. Shapes (pairs,) and (pairs, R) -> (pairs,).
    """
    return _p_values(lambda d0, d: count_extreme(d0, d, np.zeros(len(d))), observed, swapped)


def signed_shift(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:
    """Bootstrap test by the shift method: the bootstrap differences, centred, are the null.

    Noreen (1989). p = (c + 1) / (B + 1), c = #{abs(d_b - mean(d_b)) >= abs(d_0)}. Shapes as in
    `approximate_randomization`.
    """
    return _p_values(lambda d0, d: count_extreme(d0, d, d.mean(axis=1)), observed, replicates)


def studentised_bootstrap(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:
    """Two-sided bootstrap test of a studentised difference (Davison and Hinkley 1997, 4.4).

    p = (c + 1) / (B + 1), c = #{abs(t_b) >= abs(t_0)}, where t_0 is the difference over its
    standard error. t_b is the difference on a resample less the observed one, over the standard
    error of this resample. `replicates` has t_b times the standard error of t_0, in points, which is
    compared with the difference as `approximate_randomization` does. Shapes as there.
    """
    return approximate_randomization(observed, replicates)


def percentile_test(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """Two-sided p of the percentile interval (after Zhang and Vogel 2004, section 3.2).

    p = min(1, 2 (min(#{d_b <= 0}, #{d_b >= 0}) + 1) / (B + 1)). Shapes as in
    `approximate_randomization`.
    """

    def count_smaller_tail(d: np.ndarray) -> np.ndarray:
        tie = rounding_error(d)[:, None]
        n_below = (d <= tie).sum(axis=1)
        n_above = (d >= -tie).sum(axis=1)
        return np.asarray(np.minimum(n_below, n_above))

    n_smaller = apply_by_rows(count_smaller_tail, replicates)
    n_replicates = replicates.shape[1]
    p_one_sided = (n_smaller + 1) / (n_replicates + 1)
    return np.asarray(np.minimum(1, 2 * p_one_sided))


def riezler_maxwell(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:
    """The shift method as printed in a paper, and as sacreBLEU's ``--paired-bs`` has it.

    Riezler and Maxwell (2005, Fig. 2). p = (c + 1) / (B + 1), c = #{abs(d_b) - mean(abs(d_b)) >=
    abs(d_0)}. The absolute value inside the shift makes it one-sided: at .05 it rejects about 11%
    of true nulls with many units of equal size, up to 19% with few or unequal ones. sacreBLEU
    counts with a strict ``>``.
    """

    def count(d0: np.ndarray, d: np.ndarray) -> np.ndarray:
        size = np.abs(d)
        observed_size = np.abs(d0)
        excess = size - size.mean(axis=1, keepdims=True)
        ties = np.maximum(rounding_error(excess), TOLERANCE * observed_size)
        threshold = observed_size - ties
        is_extreme = excess >= threshold[:, None]
        return np.asarray(is_extreme.sum(axis=1))

    return _p_values(count, observed, replicates)


def win_rates(replicates: np.ndarray | Rows) -> tuple[np.ndarray, np.ndarray]:
    """Shares of bootstrap samples with a positive and a negative difference.

    Koehn (2004, section 6). Samples with equal scores count for neither. Returns (win, lose), each
    of shape (pairs,).
    """

    def share_wins(d: np.ndarray) -> np.ndarray:
        tie = rounding_error(d)[:, None]
        return np.asarray((d > tie).mean(axis=1))

    win = apply_by_rows(share_wins, replicates)
    lose = apply_by_rows(lambda d: share_wins(-d), replicates)
    return win, lose


def student_t(observed: np.ndarray, differences: np.ndarray) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """Two-sided paired t test on the differences of segment scores.

    Student (1908); Koehn (2004, section 4). t = mean(d) / (sd(d) / sqrt(n)) on n - 1 degrees of
    freedom, from differences of shape (pairs, segments), NaN where one has no score. p is 1 without
    a difference, and with fewer than two segments.
    """
    from scipy.special import stdtr

    is_known = np.isfinite(differences)
    n = is_known.sum(axis=1)
    divisor = np.maximum(n, 1)
    freedom = np.maximum(n - 1, 1)
    d = np.where(is_known, differences, 0.0)
    mean = d.sum(axis=1) / divisor
    deviations = np.where(is_known, d - mean[:, None], 0.0)
    variance = (deviations**2).sum(axis=1) / freedom
    error = np.sqrt(variance / divisor)
    size = np.abs(mean)
    t = np.where(size > 0, np.inf, 0.0)
    np.divide(size, error, out=t, where=error > 0)
    p_one_sided = stdtr(freedom, -t)
    p = np.maximum(2 * p_one_sided, SMALLEST_P)
    return np.where(n < 2, 1.0, p)


def wilcoxon(observed: np.ndarray, differences: np.ndarray) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """Two-sided signed rank test on the differences of segment scores (Wilcoxon 1945).

    Segments without a difference are left out, equal sizes share their mean rank. Exact for up to
    50 differences, else the normal approximation with the variance corrected for ties. Parameters
    and result as in `student_t`.
    """
    return np.array([_signed_rank_p(_round_differences(row)) for row in differences])


def _signed_rank_p(d: np.ndarray) -> float:
    if not len(d):
        return 1.0
    if len(d) <= _EXACT_RANKS:
        return exact_signed_rank(d)
    from scipy.stats import wilcoxon as signed_rank

    result = signed_rank(d, method="asymptotic")
    return max(float(result.pvalue), SMALLEST_P)


def _round_differences(row: np.ndarray) -> np.ndarray:
    """Round the differences that get a rank, and leave out differences of 0.

    Rounding makes 0.8 - 0.7 and 0.4 - 0.3 tie.
    """
    is_known = np.isfinite(row)
    is_different = row != 0
    d: np.ndarray = row[is_known & is_different]
    if not len(d):
        return d
    largest = np.abs(d).max()
    magnitude = math.floor(math.log10(largest))
    scale = 10.0 ** (_DIGITS - magnitude)
    d = np.round(d * scale)
    return np.asarray(d[d != 0])


def exact_signed_rank(d: np.ndarray, alternative: str = "two-sided") -> float:
    """Share of all 2^n signs with a sum of signed ranks at least as far from 0, or as high.

    Of n differences, none 0. Twice a mean rank is a whole number, so that the sums are counted one
    rank after the other.
    """
    from scipy.stats import rankdata

    mean_ranks = rankdata(np.abs(d))
    ranks = np.rint(2 * mean_ranks).astype(int)
    total = int(ranks.sum())
    shares = np.zeros(total + 1)  # of the signs that give each sum of the positive ranks
    shares[0] = 1.0
    for rank in ranks:
        shares_with_rank = shares[: total + 1 - rank]
        shares[rank:] = (shares[rank:] + shares_with_rank) / 2
        shares[:rank] /= 2
    observed = int(ranks[d > 0].sum())
    if alternative == "greater":
        return float(shares[observed:].sum())
    # The signed sum is the sum of the positive ranks less the sum of the negative ranks.
    signed_sums = 2 * np.arange(total + 1) - total
    observed_sum = 2 * observed - total
    is_as_far = np.abs(signed_sums) >= abs(observed_sum)
    return float(shares[is_as_far].sum())


def _side_of_difference(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """The sign of the observed difference: 1 where it favours the first system, shape (pairs,)."""
    return np.asarray(np.sign(observed))


def _side_of_draws(observed: np.ndarray, replicates: np.ndarray | Rows) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """1 where the first system wins more bootstrap samples, -1 where the second does."""
    win, lose = win_rates(replicates)
    return np.asarray(np.sign(win - lose))


def _side_of_mean(observed: np.ndarray, differences: np.ndarray) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """The sign of the sum of the differences of segment scores."""
    sums = np.nansum(differences, axis=1)
    return np.asarray(np.sign(sums))


def _side_of_ranks(observed: np.ndarray, differences: np.ndarray) -> np.ndarray:  # noqa: ARG001  all tests have the same parameters
    """The sign of the sum of the signed ranks."""
    from scipy.stats import rankdata

    sums = []
    for row in differences:
        d = _round_differences(row)
        ranks = rankdata(np.abs(d))
        signed_ranks = np.sign(d) * ranks
        sums.append(signed_ranks.sum())
    return np.sign(sums)


def _least_swapped(n: np.ndarray) -> np.ndarray:
    """The least p of swaps of n units, 2 / 2^n.

    To swap all units gives the same size of difference as to swap none.
    """
    return np.asarray(np.ldexp(2.0, -n))


def _least_drawn(n: np.ndarray) -> np.ndarray:
    """Return the least p of a bootstrap of n units: below ten units, the least p of swaps.

    This is how often all n units favour the same one of two equal systems. All draws favour it
    then, and p would be as small as their number allows: with 3 units, in a quarter of all true
    nulls. From ten units on, where the least p is .002, only the draws decide.
    """
    return np.where(n < FEW_TO_DRAW, _least_swapped(n), 0.0)


def _least_signed_rank(n: np.ndarray) -> np.ndarray:
    """The least p of signed ranks, all with one sign.

    With more than 50, it is the normal approximation for equal ranks.
    """
    from scipy.special import ndtr

    exact = _least_swapped(np.minimum(n, _EXACT_RANKS))
    normal = 2 * ndtr(-np.sqrt(n))
    is_exact = n <= _EXACT_RANKS
    return np.where(is_exact, exact, np.minimum(exact, normal))


@overload
def significant(p: float, alpha: float) -> bool: ...
@overload
def significant(p: np.ndarray, alpha: float) -> np.ndarray: ...
def significant(p: np.ndarray | float, alpha: float) -> np.ndarray | bool:
    """Whether p is at most alpha, except for rounding; NaN, of an untested pair, is not.

    >>> significant(0.03 + 0.02, 0.05), significant(float("nan"), 0.05)
    (True, False)
    """
    return p <= alpha + TOLERANCE


#: How a result writes a decision.
SIDES = {1: "a", -1: "b", 0: None}


def decide_pairs(
    improvement: np.ndarray,
    alpha: float,
    *,
    p: np.ndarray | None = None,
    win: np.ndarray | None = None,
    lose: np.ndarray | None = None,
    side: np.ndarray | None = None,
) -> np.ndarray:
    """Decide pairs, in this one place: 1 for the first system, -1 for the second, 0 for neither.

    A pair goes to the side of the test's own statistic (`side`, see `SignificanceTest.side`; by
    default the sign of the improvement, or of ``win - lose``), and only where the improvement is on
    that side too: where they disagree, neither system is better, however small p is. Instead of p,
    `win` and `lose` may be the shares of bootstrap samples on which the first is better, and worse
    (Koehn 2004, section 6): the larger has to be at least 1 - alpha. Without either, neither is
    better. All are of shape (pairs,).

    >>> decide_pairs(np.array([2.0, -1.0]), 0.05, p=np.array([0.01, 0.01]), side=np.array([-1, -1])).tolist()
    [0, -1]
    >>> decide_pairs(np.array([2.0, 1.0]), 0.05, win=np.array([0.95, 0.94]), lose=np.array([0.04, 0.05])).tolist()
    [1, 0]
    """
    is_different = _is_different(alpha, p, win, lose)
    if is_different is None:
        return np.zeros(len(improvement), dtype=int)
    better = np.sign(improvement)
    if side is None:
        side = better
        if win is not None and lose is not None:
            side = np.sign(win - lose)
    agrees = np.sign(side) == better
    return np.where(is_different & agrees, better, 0).astype(int)


def is_split(pair: PairResult, alpha: float) -> bool:
    """Whether a pair is undecided only as the test's statistic and the difference disagree."""
    if pair.favours is None or not pair.decidable:
        return False
    p, win, lose = (
        None if value is None else np.array([value])
        for value in (pair.p_adjusted, pair.win, pair.lose)
    )
    is_different = _is_different(alpha, p, win, lose)
    return is_different is not None and bool(is_different[0])


def _is_different(
    alpha: float, p: np.ndarray | None, win: np.ndarray | None, lose: np.ndarray | None
) -> np.ndarray | None:
    """Whether each pair differs by p, or by the shares of wins; None without either."""
    if p is not None:
        return significant(p, alpha)
    if win is None or lose is None:
        return None
    return np.asarray(np.maximum(win, lose) >= 1 - alpha - TOLERANCE)


def _p_values(
    count: Callable[[np.ndarray, np.ndarray], np.ndarray],
    observed: np.ndarray,
    replicates: np.ndarray | Rows,
) -> np.ndarray:
    """(c + 1) / (R + 1), with c replicates at least as extreme as the observed difference."""
    n_extreme = apply_by_rows(count, observed, replicates)
    n_replicates = replicates.shape[1]
    p: np.ndarray = (n_extreme + 1) / (n_replicates + 1)
    return p


@dataclass(frozen=True)
class SignificanceTest:
    """A test, for the program and for the reader."""

    name: str
    title: str
    source: str
    #: {"swaps", "bootstrap", "studentised", "none"}: the kind of its replicates; "studentised" are
    #: bootstrap differences, each divided by its own standard error, see `stats.studentised`.
    #: Without draws these are differences of segment scores, whatever the unit: such a test is only
    #: for means of them and has no trials.
    draws: str
    #: (observed, replicates) -> p; None for Koehn's, which concludes from win rates and has no p.
    p_values: Callable[[np.ndarray, Any], np.ndarray] | None
    default_correction: str
    is_two_sided: bool = True
    steps: int = 1  # the smallest p is steps / (trials + 1)
    #: Whether its replicates (of a bootstrap, after centring) are a joint null that Romano-Wolf can
    #: use.
    romano_wolf: bool = False
    #: Its fault as published, or for translations, and the test to use instead.
    caution: str | None = None
    instead: str = ""
    #: Number of units -> the smallest p whatever the outputs.
    least: Callable[[np.ndarray], np.ndarray] | None = None
    #: Its fault with few or unequal units, and the test to use instead.
    with_few: str | None = None
    with_few_instead: str = ""
    #: (observed, replicates) -> the sign of the statistic of its p, or of its win rates: 1 where
    #: that favours the first system, -1 the second. By default the sign of the observed difference.
    side: Callable[[np.ndarray, Any], np.ndarray] = _side_of_difference
    statistic: str = "the differences"  # this statistic in words that a plural verb follows

    @property
    def of_segments(self) -> bool:
        """Whether it works on segment scores themselves, without draws."""
        return self.draws == "none"

    @property
    def is_bootstrap(self) -> bool:
        """Whether it draws units with replacement."""
        return self.draws in ("bootstrap", "studentised")

    @property
    def as_published(self) -> bool:
        """Whether its source defines it badly; see `caution`."""
        return self.caution is not None and not self.of_segments

    def tries_all(self, units: Units) -> bool:
        """Whether its p is exact with these units: from all swaps, not from some of them."""
        return self.draws == "swaps" and units.all_swaps is not None

    def p_floor_of_trials(self, trials: int | None) -> float:
        """The smallest p that so many trials can give, 0 where there are no trials."""
        if self.of_segments or trials is None:
            return 0.0
        return self.steps / (trials + 1)

    def trials_for(self, p: float) -> int:
        """The fewest trials with which p can be as small as this."""
        steps_per_p = self.steps / p * (1 - 1e-12)  # less than what rounding may add
        return math.ceil(steps_per_p) - 1


_MOST_DRAWS = "most resamples"
_WITH_FEW = (
    "With few units it makes false claims too often over all pairs, whatever the correction. Of equal "
    "systems, Romano-Wolf calls some better in 20 to 43% of test sets instead of 5%, with 6 systems and 7 "
    "to 12 units. It does so in 15 to 27% with 10 to 15 systems and 20 units, or 30 or 60 documents of "
    "unequal size. Holm does so in 10 to 20% from 12 units on. With fewer than 10 units p is at least 2/2^n, "
    "the chance that all n favour the same of two equal systems."
)
_RATHER = (
    "Use the randomization test: it makes a false claim in 3 to 8% of such test sets, and more often only where "
    "a few units set one system apart."
)
TESTS = {
    test.name: test
    for test in (
        SignificanceTest(
            "ar",
            "approximate randomization",
            "Riezler and Maxwell 2005, Fig. 1",
            "swaps",
            approximate_randomization,
            "romano-wolf",
            romano_wolf=True,
            least=_least_swapped,
        ),
        SignificanceTest(
            "bootstrap",
            "bootstrap, signed shift",
            "Noreen 1989",
            "bootstrap",
            signed_shift,
            "romano-wolf",
            romano_wolf=True,
            least=_least_drawn,
            with_few=_WITH_FEW,
            with_few_instead=_RATHER,
        ),
        SignificanceTest(
            "bootstrap-t",
            "studentised bootstrap",
            "Davison and Hinkley 1997, 4.4",
            "studentised",
            studentised_bootstrap,
            "romano-wolf",
            romano_wolf=True,
            least=_least_drawn,
        ),
        SignificanceTest(
            "percentile",
            "percentile interval of the difference",
            "Zhang and Vogel 2004, 3.2",
            "bootstrap",
            percentile_test,
            "holm",
            steps=2,
            least=_least_drawn,
            with_few=_WITH_FEW,
            with_few_instead=_RATHER,
            side=_side_of_draws,
            statistic=_MOST_DRAWS,
        ),
        SignificanceTest(
            "koehn",
            "paired bootstrap, share of wins",
            "Koehn 2004, 6",
            "bootstrap",
            None,
            "none",
            is_two_sided=False,
            least=_least_drawn,
            side=_side_of_draws,
            statistic=_MOST_DRAWS,
            caution="The data choose the better direction. So with many units of equal size, at alpha = 0.05 it gives "
            "about 10% false alarms, 5% per direction. With few or unequal units, as documents are, it gives up to "
            "18%.",
            instead="Use the randomization test for a two-sided test.",
        ),
        SignificanceTest(
            "riezler-maxwell",
            "shift method as printed",
            "Riezler and Maxwell 2005, Fig. 2",
            "bootstrap",
            riezler_maxwell,
            "holm",
            is_two_sided=False,
            least=_least_drawn,
            caution="The absolute value inside the shift makes it one-sided. At alpha = 0.05 it gives about 11% false "
            "alarms with many units of equal size, and up to 19% with few or unequal ones.",
            instead="Use the randomization test, and this one only to reproduce the paper or sacreBLEU.",
        ),
        SignificanceTest(
            "t",
            "Student's t on paired segment scores",
            "Student 1908; Koehn 2004, 4",
            "none",
            student_t,
            "holm",
            side=_side_of_mean,
            statistic="the differences of segments",
            caution="It takes segments as independent, although segments of one document are alike.",
            instead="Use the randomization test by document where document ids are known.",
        ),
        SignificanceTest(
            "wilcoxon",
            "Wilcoxon's signed ranks of segment scores",
            "Wilcoxon 1945",
            "none",
            wilcoxon,
            "holm",
            caution="It tests whether the differences are symmetric about 0, not their mean, and takes segments as "
            "independent.",
            instead="Use the randomization test for the difference that is shown.",
            least=_least_signed_rank,
            side=_side_of_ranks,
            statistic="the signed ranks",
        ),
    )
}


def fitting_tests(segment_means: bool) -> dict[str, SignificanceTest]:
    """The tests that a metric may be tested with; all of them for a mean of segment scores."""
    return {name: test for name, test in TESTS.items() if segment_means or not test.of_segments}


# -------------------------------------------------------------------------------------------------
# Corrections for many comparisons: raw p-values -> adjusted p-values, to be compared with alpha.


def uncorrected(p: np.ndarray) -> np.ndarray:
    """No correction."""
    return p.copy()


def bonferroni(p: np.ndarray) -> np.ndarray:
    """Bonferroni: m p. Controls the family-wise error rate under any dependence."""
    return np.asarray(np.minimum(1, p * p.size))


def holm(p: np.ndarray) -> np.ndarray:
    """Holm (1979), step-down Bonferroni.

    Controls the family-wise error rate under any dependence.
    """
    order = np.argsort(p, kind="stable")
    n_left = np.arange(p.size, 0, -1)
    stepped = np.maximum.accumulate(p[order] * n_left)
    return _unsort(np.minimum(1, stepped), order)


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Benjamini and Hochberg (1995).

    Controls the false discovery rate under positive dependence.
    """
    return _step_up(p, 1.0)


def benjamini_yekutieli(p: np.ndarray) -> np.ndarray:
    """Benjamini and Yekutieli (2001). Controls the false discovery rate under any dependence."""
    ranks = np.arange(1, p.size + 1)
    return _step_up(p, np.sum(1 / ranks))


@dataclass(frozen=True)
class Correction:
    """A correction for the number of pairs."""

    name: str
    title: str  # in sentences and on pages
    source: str  # its paper, where there is one
    controls: str  # the error that it keeps at the level
    #: Raw p-values, shape (m,), to adjusted ones; None for Romano-Wolf, which needs the null of all
    #: pairs.
    adjust: Callable[[np.ndarray], np.ndarray] | None
    family_wise: bool = False  # whether it controls the probability of any false decision


CORRECTIONS = {
    correction.name: correction
    for correction in (
        Correction("none", "no correction", "", "the error of each single pair", uncorrected),
        Correction(
            "bonferroni",
            "Bonferroni",
            "",
            "any false claim, under any dependence",
            bonferroni,
            family_wise=True,
        ),
        Correction(
            "holm",
            "Holm",
            "Holm 1979",
            "any false claim, under any dependence",
            holm,
            family_wise=True,
        ),
        Correction(
            "bh",
            "Benjamini-Hochberg",
            "Benjamini and Hochberg 1995",
            "the expected share of false claims, under positive dependence",
            benjamini_hochberg,
        ),
        Correction(
            "by",
            "Benjamini-Yekutieli",
            "Benjamini and Yekutieli 2001",
            "the expected share of false claims, under any dependence",
            benjamini_yekutieli,
        ),
        Correction(
            "romano-wolf",
            "Romano-Wolf",
            "Romano and Wolf 2005",
            "any false claim, with the correlation of the pairs",
            None,
            family_wise=True,
        ),
    )
}

#: Why the correction that usually finds most may find less.
FEWER_THAN_HOLM = (
    "Romano-Wolf usually finds what Holm finds and more, but not here. It compares each difference with the most "
    "extreme of all pairs, in standard deviations. With few or unequal units some of these reach further than others. "
    "Both control the same error: choose one before you look."
)


def romano_wolf(
    observed: np.ndarray,
    null: np.ndarray | Rows,
    *,
    is_exact: bool = False,
) -> np.ndarray:
    """Step-down max-T of Romano and Wolf: family-wise error from the joint null of all pairs.

    Each pair is studentised by the standard deviation of its null. A pair whose null does not vary
    takes no part in the maximum: without a difference (identical outputs) it gets p = 1; a
    difference that is the same in every draw is infinitely many standard deviations, so that it
    comes first in the step-down and keeps its p from before the correction.

    `null` has the differences under the null hypothesis, shape (pairs, replicates), the same draws
    for all pairs; one that is less by 1e-9 of a pair's largest counts as equal. Where
    null and observed differences together are all that can occur (`is_exact`), the standard
    deviation is over all of them, so that p is exact.
    """
    all_pairs = np.arange(len(observed))
    (adjusted,) = romano_wolf_in(observed, null, [all_pairs], is_exact=is_exact)
    return adjusted


def measure_null(observed: np.ndarray, null: np.ndarray, is_exact: bool = False) -> np.ndarray:
    """Measure the standard deviation of each row and its largest size, shape (2, pairs)."""
    differences = null
    if is_exact:
        differences = np.column_stack([observed, null])
    largest_null = np.abs(null).max(axis=1, initial=0.0)
    spread = differences.std(axis=1)
    largest = np.maximum(np.abs(observed), largest_null)
    return np.array([spread, largest])


def romano_wolf_in(
    observed: np.ndarray,
    null: np.ndarray | Rows,
    families: Sequence[np.ndarray],
    *,
    is_exact: bool = False,
    measured: tuple[np.ndarray, np.ndarray] | None = None,
) -> list[np.ndarray]:
    """`romano_wolf` in several families of pairs from one null.

    `families` has the numbers of the pairs of each, and the result their p. `measured` has the
    result of `measure_null` for all rows, where it is known.
    """
    n_families = len(families)
    n_pairs = len(observed)
    n = null.shape[1]
    if measured is None:
        measure = partial(measure_null, is_exact=is_exact)
        spread, size = apply_by_rows(measure, observed, null)
    else:
        spread, size = measured
    ties = 1e-9 * size
    varies = spread > ties
    p_alone = np.ones(n_pairs)  # of pairs that take no part in the maximum
    constant = np.flatnonzero(~varies & (observed != 0))
    if len(constant):
        p_alone[constant] = approximate_randomization(observed[constant], null[constant])
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = np.abs(observed) / spread
    distance = np.where(varies, distance, -np.inf)
    # The pairs that vary, those that are the least far first.
    order = np.argsort(distance, kind="stable")
    order = order[varies[order]]

    is_member = np.zeros((n_families, n_pairs), dtype=bool)
    for number, family in enumerate(families):
        is_member[number, family] = True
    adjusted = np.tile(p_alone, (n_families, 1))
    # The rows take most of the time, so one walk over all pairs serves all families. Of each, this
    # is the largest distance of the pairs so far, which the step-down has not passed.
    largest = np.zeros((n_families, n))
    for pair, row in zip(order, iterate_rows(null, order), strict=True):
        null_distances = np.abs(row) / spread[pair]
        threshold = (abs(observed[pair]) - ties[pair]) / spread[pair]
        for k in np.flatnonzero(is_member[:, pair]):
            np.maximum(largest[k], null_distances, out=largest[k])
            n_extreme = np.count_nonzero(largest[k] >= threshold)
            adjusted[k, pair] = (n_extreme + 1) / (n + 1)
    by_family = []
    for number, family in enumerate(families):
        p = adjusted[number]
        steps = order[is_member[number, order]]
        steps_down = steps[::-1]  # the farthest first
        p[steps_down] = np.maximum.accumulate(p[steps_down])
        by_family.append(p[family])
    return by_family


def _step_up(p: np.ndarray, factor: float) -> np.ndarray:
    order = np.argsort(p, kind="stable")
    ranks = np.arange(1, p.size + 1)
    scaled = p[order] * (factor * p.size) / ranks
    largest_first = scaled[::-1]
    stepped = np.minimum.accumulate(largest_first)[::-1]
    return _unsort(np.minimum(1, stepped), order)


def _unsort(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    unsorted = np.empty_like(values)
    unsorted[order] = values
    return unsorted


def apply_corrections(
    p: np.ndarray, romano_wolf: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """The same raw p-values, shape (pairs,), under each correction.

    `romano_wolf`, which cannot be computed from them, comes last.

    >>> {name: adjusted.round(3).tolist() for name, adjusted in apply_corrections(np.array([0.01, 0.03])).items()}
    {'none': [0.01, 0.03], 'bonferroni': [0.02, 0.06], 'holm': [0.02, 0.03], 'bh': [0.02, 0.03], 'by': [0.03, 0.045]}
    """
    adjusted = {}
    for name, correction in CORRECTIONS.items():
        if correction.adjust is not None:
            adjusted[name] = correction.adjust(p)
    if romano_wolf is not None:
        adjusted["romano-wolf"] = romano_wolf
    return adjusted


def decide_adjusted(
    tested: Sequence[PairResult], sign: int, adjusted: np.ndarray, alpha: float
) -> np.ndarray:
    """Decide pairs that were tested by adjusted p, shape (pairs,), as `decide_pairs` does.

    `sign` turns a difference into an improvement.
    """
    improvement = np.array([sign * pair.delta for pair in tested])
    number_of_side = {"a": 1, "b": -1, None: 0}
    favoured = np.array([number_of_side[pair.favours] for pair in tested])
    side = np.where(favoured == 0, np.sign(improvement), favoured)
    return decide_pairs(improvement, alpha, p=adjusted, side=side)


def find_disagreements(decisions: Mapping[str, np.ndarray]) -> np.ndarray:
    """Numbers of the pairs on which the choices (corrections, tests) do not all agree.

    From decisions of shape (pairs,).

    >>> find_disagreements({"none": np.array([1, 1, 0]), "holm": np.array([1, 0, 0])}).tolist()
    [1]
    """
    if not decisions:
        return np.zeros(0, dtype=int)
    stacked = np.array(list(decisions.values()))
    is_other = stacked != stacked[0]
    return np.flatnonzero(is_other.any(axis=0))


# -------------------------------------------------------------------------------------------------
# Several looks at results that are still coming in, such as ratings: the level of each look.
#
# Who tests at alpha after each batch of ratings claims too much, because each look is another chance
# to err. A plan fixed beforehand divides alpha among the looks, so that all together err at most as
# often (Bonferroni), however far apart they are, however many pairs there are, and whoever chose what
# was rated. docs/statistics.md has the rates.

#: All looks before the last have together one of so many parts of alpha.
PARTS = 5
MOST_LOOKS = 100
#: What is tested once, at alpha.
ONLY_LOOK = "1/1"


class Look(NamedTuple):
    """One of the looks of a plan."""

    number: int  # from 1
    n_planned: int

    @property
    def is_last(self) -> bool:
        """Whether the plan has no further look."""
        return self.number == self.n_planned


def parse_look(text: str) -> Look:
    """Read a look, such as the second of five.

    Raises
    ------
    SettingError
        If it is none, or not within its plan.

    >>> parse_look("2/5")
    Look(number=2, n_planned=5)
    """
    match = re.fullmatch(r"([0-9]{1,3})/([0-9]{1,3})", str(text).strip())
    if match is not None:
        look = Look(int(match[1]), int(match[2]))
        if 1 <= look.number <= look.n_planned <= MOST_LOOKS:
            return look
    raise SettingError(
        f"The look is {str(text)!r}. Expected its number and how many were planned, at most {MOST_LOOKS}, such as "
        "2/5 for the second of five."
    )


def level_at_look(alpha: float, look: Look) -> float:
    """Return the level at which a look decides.

    The levels of all looks of a plan add up to alpha: most of it is for the last look, which nearly
    always decides most.

    >>> [round(level_at_look(0.05, Look(number, 5)), 4) for number in (1, 2, 5)]
    [0.0025, 0.0025, 0.04]
    """
    n_early = look.n_planned - 1
    if n_early == 0:
        return alpha
    if look.is_last:
        return alpha * (PARTS - 1) / PARTS
    return alpha / (PARTS * n_early)
