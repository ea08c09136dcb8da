"""From draws to results: intervals, corrections, decisions and ranks.

Nothing here counts or draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.results import (
    MetricResult,
    PairResult,
    PairRuns,
    ReferenceLeaders,
    RuledRanks,
    Settings,
    SystemResult,
    SystemRuns,
)
from mtsig_core.stats.arrays import Rows, row_chunks
from mtsig_core.stats.draws import (
    STUDENTISED,
    MetricDraws,
    PairTests,
    ReferenceDraws,
    standard_deviations,
)
from mtsig_core.stats.engine import ENOUGH, all_pairs
from mtsig_core.stats.few_units import (
    can_reach,
    fewest_trials,
    rank_correction,
    swaps_units,
    unbiased,
    units_freedom,
    welch_satterthwaite,
)
from mtsig_core.stats.intervals import INTERVALS, Sample, finite_ends, finite_or_none, simultaneous
from mtsig_core.stats.power import (
    degrees_of_freedom,
    error_interval,
    minimum_detectable_difference,
)
from mtsig_core.stats.ranks import (
    RANK_RULES,
    RankInputs,
    Ranks,
    count_disjoint_ranks,
    decision_matrix,
    find_inside_clusters,
    number_decisions,
    rank_intervals,
    rank_simultaneously,
)
from mtsig_core.stats.settings import interval_kind
from mtsig_core.stats.significance import CORRECTIONS, SIDES, decide_pairs, holm


@dataclass(frozen=True, eq=False)
class Decisions:
    """The decisions of a test on the pairs that it tested.

    Arrays of shape (pairs,), None where the test has none.
    """

    p: np.ndarray | None
    adjusted: np.ndarray | None
    #: Shares of bootstrap samples on which the first system is better, and worse.
    win: np.ndarray | None
    lose: np.ndarray | None
    #: As in `PairResult`, as 1, -1 and 0.
    decidable: np.ndarray
    better: np.ndarray
    favours: np.ndarray
    #: The decisions behind ranks, which need the family-wise error controlled whatever correction
    #: the pairs get; None where nothing could be decided so.
    for_ranks: np.ndarray | None


def decide_tests(
    tests: PairTests, delta: np.ndarray, sign: int, n_apart: np.ndarray, settings: Settings
) -> Decisions:
    """Decide the pairs of one family, of a test set or across several.

    `delta` has their differences, and `sign` turns a difference into an improvement. `n_apart` are
    the units in which the systems of a pair differ.
    """
    improvement = sign * delta
    win = tests.win
    lose = tests.lose
    if sign < 0:
        win, lose = lose, win
    side = np.sign(improvement)
    if tests.side is not None:
        side = sign * tests.side
    adjusted = for_ranks = None
    if tests.p is not None:
        family_wise = tests.stepped[0] if tests.stepped else holm(tests.p)
        adjust = CORRECTIONS[settings.correction].adjust
        adjusted = family_wise  # by Romano-Wolf, which needs more than p
        if adjust is not None:
            adjusted = adjust(tests.p)
        is_rankable = can_reach(settings, n_apart, rank_correction(settings))
        if settings.baseline is None and is_rankable.any():
            for_ranks = decide_pairs(improvement, settings.alpha, p=family_wise, side=side)
    better = decide_pairs(improvement, settings.alpha, p=adjusted, win=win, lose=lose, side=side)
    is_decidable = can_reach(settings, n_apart)
    return Decisions(
        p=tests.p,
        adjusted=adjusted,
        win=win,
        lose=lose,
        decidable=is_decidable,
        better=np.where(is_decidable, better, 0),
        favours=np.where(side != np.sign(improvement), side, 0),
        for_ranks=for_ranks,
    )


def rank_systems(
    n_systems: int, pairs: np.ndarray, decisions: np.ndarray | None
) -> list[tuple[int | None, int | None, int | None]]:
    """The lowest rank, the highest rank and the cluster of each system, best first.

    None where nothing could be decided.
    """
    if decisions is None:
        return [(None, None, None) for _ in range(n_systems)]
    ranks = rank_simultaneously(n_systems, pairs, decisions)
    return list(zip(ranks.low.tolist(), ranks.high.tolist(), ranks.cluster.tolist(), strict=True))


# -------------------------------------------------------------------------------------------------
# One metric on one test set.


@dataclass(frozen=True, eq=False)
class Family:
    """The pairs that are decided together: all of them, or those with a baseline."""

    pairs: np.ndarray  # int, shape (pairs, 2): with a baseline, it comes second
    index_in_all: np.ndarray  # int, shape (pairs,): of each pair among all pairs
    is_tested: np.ndarray  # bool, shape (pairs,): whether its systems have a segment in common
    index_in_tested: np.ndarray  # int, shape (tested,): of each tested pair among all tested pairs
    orientation: np.ndarray  # int, shape (tested,): -1 where its systems were drawn in reverse
    stepped_family: int  # the index of this family in `PairTests.stepped`

    @property
    def tested_in_all(self) -> np.ndarray:
        """The index of each tested pair among all pairs, shape (tested,)."""
        return np.asarray(self.index_in_all[self.is_tested])

    def fill(self, values: np.ndarray | None, default: float) -> np.ndarray:
        """Values of the tested pairs as values of all pairs, with a default for the others."""
        filled = np.full(len(self.pairs), default)
        if values is not None:
            filled[self.is_tested] = values
        return filled


def explain_no_baseline(baseline: str, metric: str, names: Sequence[str]) -> SettingError:
    """The error for a baseline without a score; `names` are the systems that have one."""
    return SettingError(
        f"The baseline {baseline} has no score by {metric}. Systems that have: {', '.join(names)}."
    )


def select_family(draws: MetricDraws, baseline: str | None) -> Family:
    """Select all pairs, or those with the baseline."""
    has_common = draws.n > 0
    if baseline is None:
        n_tested = np.count_nonzero(has_common)
        return Family(
            pairs=draws.pairs,
            index_in_all=np.arange(len(draws.pairs)),
            is_tested=has_common,
            index_in_tested=np.arange(n_tested),
            orientation=np.ones(n_tested, dtype=int),
            stepped_family=0,
        )
    if baseline not in draws.names:
        raise explain_no_baseline(baseline, draws.metric, draws.names)
    base = draws.names.index(baseline)
    in_all = np.flatnonzero((draws.pairs == base).any(axis=1))
    is_first = draws.pairs[in_all, 0] == base
    opponent = np.where(is_first, draws.pairs[in_all, 1], draws.pairs[in_all, 0])
    is_tested = has_common[in_all]
    number_among_tested = np.cumsum(has_common) - 1
    return Family(
        pairs=np.column_stack([opponent, np.full_like(opponent, base)]),
        index_in_all=in_all,
        is_tested=is_tested,
        index_in_tested=number_among_tested[in_all[is_tested]],
        orientation=np.where(is_first[is_tested], -1, 1),
        stepped_family=1 + base,
    )


def decide_metric(draws: MetricDraws, settings: Settings, ci: str) -> MetricResult:
    """Decide one metric; `ci` is the kind of interval as the user chose it, perhaps ``auto``."""
    family = select_family(draws, settings.baseline)
    settings = replace(settings, trials=draws.plan.trials, ci=_choose_interval(draws, family, ci))
    estimates = _estimate_differences(draws, family, settings)
    tests = draws.tests.select(family.index_in_tested, family.orientation, family.stepped_family)
    n_apart = draws.n_apart[family.tested_in_all]
    decisions = decide_tests(tests, estimates["delta"], draws.sign, n_apart, settings)
    estimates |= _find_detectable(draws, family, estimates, decisions.decidable, settings)
    pairs = _pair_results(draws, family, estimates, decisions)
    runs = tuple(
        spread_of_runs(name, scores, settings.alpha) for name, scores in draws.runs.items()
    )
    result = MetricResult(
        draws.metric,
        _signature(draws, settings, len(family.index_in_tested)),
        draws.higher_is_better,
        _system_results(draws, family, decisions, settings),
        pairs,
        by_reference=_leaders_by_reference(draws, settings),
        tokenizer=draws.tokenizer,
        ci=settings.ci,
        n_units=draws.n_units,
        n_effective=draws.n_effective,
        trials=settings.trials,
        exact=draws.exact,
        runs=runs,
        pair_runs=pair_runs(pairs, runs),
    )
    if settings.rank_rule == "simultaneous":
        return result
    for_ranks = None
    if decisions.for_ranks is not None:
        for_ranks = family.fill(decisions.for_ranks, 0)
    return rank_by_rule(result, draws, settings, for_ranks)


def _choose_interval(draws: MetricDraws, family: Family, ci: str) -> str:
    """The kind of interval that suits the score or difference with the fewest units."""
    n_effective = np.concatenate([draws.worth, draws.effective[family.index_in_all]])
    fewest = n_effective[n_effective > 0].min(initial=draws.n_effective)
    return interval_kind(ci, float(fewest))


def _estimate_differences(
    draws: MetricDraws, family: Family, settings: Settings
) -> dict[str, np.ndarray]:
    """Estimate the differences of the tested pairs.

    Returns difference, interval, interval for all pairs together, standard error and its degrees
    of freedom, by the fields of `PairResult`.
    """
    n_tested = len(family.index_in_tested)
    delta, low, high, se, freedom = np.empty((5, n_tested))
    n_resamples = draws.systems.replicates.shape[1]
    n_left_out = draws.systems.left_out.shape[1]
    for rows in row_chunks(n_tested, max(n_resamples, n_left_out)):
        drawn_sample = draws.sample_differences(family.index_in_tested[rows])
        sample = _orient_sample(drawn_sample, family.orientation[rows])
        delta[rows] = sample.observed
        low[rows], high[rows] = INTERVALS[settings.ci](sample, settings.alpha)
        se[rows] = standard_deviations(sample.replicates, 1)
        freedom[rows] = degrees_of_freedom(sample.left_out, n_resamples)

    joint_low = low
    joint_high = high
    if n_tested > 1:
        joint_low, joint_high = _estimate_jointly(draws, family, delta, settings.alpha)
        # The interval of a pair may be of another kind and wider: that for all pairs contains it.
        joint_low = np.where(low < joint_low, low, joint_low)
        joint_high = np.where(high > joint_high, high, joint_high)
    has_several_units = draws.units[family.tested_in_all] > 1
    return {
        "delta": delta,
        "ci_low": low,
        "ci_high": high,
        "ci_joint_low": joint_low,
        "ci_joint_high": joint_high,
        "se": np.where(has_several_units, se, np.nan),  # every draw of a single unit is the same
        "se_df": freedom,
    }


def _estimate_jointly(
    draws: MetricDraws, family: Family, delta: np.ndarray, alpha: float
) -> tuple[np.ndarray, np.ndarray]:
    """The intervals for all tested pairs together, from replicates that are read in chunks."""

    def read_replicates(rows: slice | np.ndarray) -> np.ndarray:
        differences = draws.drawn_differences(family.index_in_tested[rows])
        return np.asarray(differences * family.orientation[rows, None])

    n_resamples = draws.systems.replicates.shape[1]
    replicates = Rows((len(delta), n_resamples), read_replicates)
    n_units = draws.units[family.tested_in_all]
    n_effective = draws.effective[family.tested_in_all]
    return simultaneous(delta, replicates, n_units, n_effective, alpha)


def _orient_sample(sample: Sample, orientation: np.ndarray) -> Sample:
    """Reverse the sign of differences where the orientation is -1."""
    factor = orientation[:, None]
    return Sample(
        sample.observed * orientation + 0.0,  # -0.0 becomes 0.0
        sample.replicates * factor,
        sample.left_out * factor,
        None if sample.segments is None else sample.segments * factor,
        sample.freedom,
    )


def _find_detectable(
    draws: MetricDraws,
    family: Family,
    estimates: dict[str, np.ndarray],
    is_decidable: np.ndarray,
    settings: Settings,
) -> dict[str, np.ndarray]:
    """Minimum detectable differences with their intervals, of one test and of the whole family.

    For the family, each test is at alpha / m. NaN where the test cannot give so small a p.
    """
    n_effective = draws.effective[family.tested_in_all]
    n_apart = draws.n_apart[family.tested_in_all]
    n_swapped = None
    if swaps_units(settings):
        n_swapped = n_apart

    def detect(standard_error: np.ndarray, alpha: float) -> np.ndarray:
        return minimum_detectable_difference(
            standard_error, alpha, n_effective=n_effective, n_swapped=n_swapped
        )

    alpha = settings.alpha
    se = estimates["se"]
    unbiased_se = unbiased(se, n_effective)
    se_low, se_high = error_interval(se, estimates["se_df"], n_effective, alpha)
    can_detect = is_decidable & (se > 0)
    with_any_trials = replace(settings, trials=None)
    can_detect_in_family = can_detect & can_reach(with_any_trials, n_apart, "bonferroni")
    alpha_of_family = alpha / max(1, len(se))
    return {
        "mdd": np.where(can_detect, detect(unbiased_se, alpha), np.nan),
        "mdd_low": np.where(can_detect, detect(se_low, alpha), np.nan),
        "mdd_high": np.where(can_detect, detect(se_high, alpha), np.nan),
        "mdd_family": np.where(can_detect_in_family, detect(unbiased_se, alpha_of_family), np.nan),
    }


def decide_studentised(draws: MetricDraws, settings: Settings) -> dict[tuple[str, str], str | None]:
    """The better system, ``a``, ``b`` or None, of each tested pair by the studentised bootstrap.

    It has the correction of the settings. Empty where `draw_metric` did not draw it.
    """
    if draws.studentised is None:
        return {}
    family = select_family(draws, settings.baseline)
    tests = draws.studentised.select(
        family.index_in_tested, family.orientation, family.stepped_family
    )
    delta = draws.sample_differences(family.index_in_tested).observed * family.orientation
    settings = replace(settings, test=STUDENTISED, trials=draws.plan.trials)
    n_apart = draws.n_apart[family.tested_in_all]
    better = decide_tests(tests, delta, draws.sign, n_apart, settings).better
    decided = {}
    for (first, second), side in zip(family.pairs[family.is_tested], better, strict=True):
        decided[draws.names[first], draws.names[second]] = SIDES[int(side)]
    return decided


def _system_results(
    draws: MetricDraws, family: Family, decisions: Decisions, settings: Settings
) -> tuple[SystemResult, ...]:
    low, high = INTERVALS[settings.ci](draws.systems, settings.alpha)
    tested = family.pairs[family.is_tested]
    ranks = rank_systems(len(draws.names), tested, decisions.for_ranks)
    systems = []
    for k, name in enumerate(draws.names):
        score = float(draws.systems.observed[k])
        interval = finite_or_none(low[k]), finite_or_none(high[k])
        systems.append(SystemResult(name, score, *interval, *ranks[k]))
    return tuple(systems)


def _pair_results(
    draws: MetricDraws, family: Family, estimates: dict[str, np.ndarray], decisions: Decisions
) -> tuple[PairResult, ...]:
    """All pairs of a family.

    A pair that is not tested has the difference of its systems' scores, each on its own segments.
    """
    se_ratio = draws.se_ratio
    swap_se = draws.tests.swap_se
    values_of_tested: dict[str, np.ndarray | None] = {
        **estimates,
        "p_value": decisions.p,
        "p_adjusted": decisions.adjusted,
        "win": decisions.win,
        "lose": decisions.lose,
        "se_ratio": None if se_ratio is None else se_ratio[family.index_in_tested],
        "swap_se": None if swap_se is None else swap_se[family.index_in_tested],
    }
    columns = {name: family.fill(values, np.nan) for name, values in values_of_tested.items()}
    first, second = family.pairs.T
    delta_of_scores = draws.systems.observed[first] - draws.systems.observed[second]
    columns["delta"] = np.where(family.is_tested, columns["delta"], delta_of_scores)
    better = family.fill(decisions.better, 0)
    favours = family.fill(decisions.favours, 0)
    is_decidable = family.fill(decisions.decidable, False)
    pairs = []
    for k, in_all in enumerate(family.index_in_all):
        n_units = int(draws.units[in_all])
        n_apart = int(draws.n_apart[in_all])
        limits_p = n_apart < min(ENOUGH, n_units)
        fields: dict[str, float | None] = {
            name: finite_or_none(values[k]) for name, values in columns.items()
        }
        pairs.append(
            PairResult(
                draws.names[first[k]],
                draws.names[second[k]],
                **fields,  # type: ignore[arg-type]
                significant=bool(better[k]),
                better=SIDES[int(better[k])],
                favours=SIDES[int(favours[k])],
                n=int(draws.n[in_all]),
                n_units=n_units,
                n_effective=float(draws.effective[in_all]),
                decidable=bool(is_decidable[k]),
                n_apart=n_apart if limits_p else None,
            )
        )
    return tuple(pairs)


def _signature(draws: MetricDraws, settings: Settings, n_pairs: int) -> str:
    """The signature of the metric, followed by the resampling and the decisions."""
    unit = settings.unit
    if settings.block_length is not None:
        unit = f"{unit}[{settings.block_length:g}]"
    fields = [draws.signature, f"test:{settings.test}", f"unit:{unit}"]
    if settings.trials is not None:
        all_swaps = ""
        if draws.exact:
            all_swaps = "[all]"
        fields.append(f"trials:{settings.trials}{all_swaps}")
    fields += [
        f"ci:{settings.ci}",
        f"resamples:{settings.resamples}",
        f"correction:{settings.correction}",
        f"pairs:{n_pairs}",
    ]
    if settings.baseline is not None:
        fields.append(f"baseline:{quote(settings.baseline, safe=' ')}")
    if settings.rank_rule != "simultaneous":
        fields.append(f"ranks:{settings.rank_rule}")
    fields += [f"alpha:{settings.alpha:g}", f"seed:{settings.seed}", f"mtsig:{settings.version}"]
    return "|".join(fields)


# -------------------------------------------------------------------------------------------------
# Ranks by another rule. Pairs keep their tests, and also get the difference, p and decision of the rule.


def rank_by_rule(
    result: MetricResult, draws: MetricDraws, settings: Settings, for_ranks: np.ndarray | None
) -> MetricResult:
    """Score, order and rank the systems by `settings.rank_rule`, and add what these ranks hide.

    The pairs keep their difference and test, and also get the difference and test of the rule.
    `for_ranks` is as in `RankInputs`.
    """
    rule = RANK_RULES[settings.rank_rule]
    systems = result.systems
    order = np.arange(len(systems))
    if rule.by_domain:
        assert draws.over_domains is not None, "settings.check_rank_rule has checked the domains"
        systems = _score_by(draws.over_domains, result, settings.alpha)
        order = np.argsort(-draws.sign * draws.over_domains.observed, kind="stable")
    has_ranks = settings.baseline is None and len(systems) > 1
    if not has_ranks:
        ruled = None
        if rule.by_domain:
            ruled = RuledRanks(means=_list_means(result, order), unruled=result.systems)
        return replace(result, systems=tuple(systems[k] for k in order), ruled=ruled)
    inputs = RankInputs.from_result(
        replace(result, systems=systems),
        settings.alpha,
        draws.systems.segments,
        draws.domains,
        for_ranks,
    )
    order, ranks = rule.rank(inputs)
    ranked = []
    for k in order:
        low = int(ranks.low[k])
        high = int(ranks.high[k])
        cluster = int(ranks.cluster[k])
        ranked.append(replace(systems[k], rank_low=low, rank_high=high, cluster=cluster))
    return replace(
        result,
        systems=tuple(ranked),
        pairs=_add_rule_decisions(result, systems, ranks),
        ruled=_describe_ruled(result, order, ranks, rule.by_domain),
    )


def _list_means(result: MetricResult, order: np.ndarray) -> tuple[float, ...]:
    """The scores of the systems over all segments, in the order of the rule."""
    return tuple(result.systems[k].score for k in order)


def _add_rule_decisions(
    result: MetricResult, systems: Sequence[SystemResult], ranks: Ranks
) -> tuple[PairResult, ...]:
    """Add the difference, p and better system of the rule to the pairs.

    `systems` are in the order of `ranks`, with the scores that the rule shows.
    """
    if ranks.means is None:
        scores = np.array([row.score for row in systems])
    else:
        scores = result.sign * ranks.means
    numbers, _ = number_decisions(result)
    pairs = []
    for pair, (first, second) in zip(result.pairs, numbers, strict=True):
        better = None
        if ranks.better[first, second]:
            better = "a"
        elif ranks.better[second, first]:
            better = "b"
        p = None
        if ranks.p is not None:
            p = finite_or_none(ranks.p[first, second])
        delta = finite_or_none(scores[first] - scores[second])
        pairs.append(replace(pair, rule_delta=delta, rule_p=p, rule_better=better))
    return tuple(pairs)


def _describe_ruled(
    result: MetricResult, order: np.ndarray, ranks: Ranks, by_domain: bool
) -> RuledRanks:
    """Describe what the ranks of a rule hide, by a result with simultaneous rank ranges."""
    systems = result.systems
    pairs, decisions = number_decisions(result)
    is_significant = decisions != 0
    is_inside = find_inside_clusters(ranks, pairs, is_significant)
    n_changed = None
    if systems[0].rank_low is not None:
        low = np.array([row.rank_low for row in systems])
        high = np.array([row.rank_high for row in systems])
        n_changed = int(((low != ranks.low) | (high != ranks.high)).sum())
    return RuledRanks(
        clusters=tuple(ranks.cluster[order].tolist()),
        significant_inside=int(is_inside.sum()),
        changed=n_changed,
        first_held=tuple(row.system for row in systems if row.rank_low == 1),
        apart_not_significant=count_disjoint_ranks(ranks, pairs, ~is_significant),
        inside_apart=count_disjoint_ranks(ranks, pairs, is_inside),
        wins=tuple(ranks.wins[order].tolist()),
        losses=tuple(ranks.losses[order].tolist()),
        means=_list_means(result, order) if by_domain else None,
        unruled=systems,
    )


def _score_by(sample: Sample, result: MetricResult, alpha: float) -> tuple[SystemResult, ...]:
    """The systems of a result with the scores of a sample, and their intervals.

    A mean of means has no interval by Student's t, so it gets a jackknife interval instead.
    """
    kind = result.ci
    if result.ci == "t":
        kind = "jackknife-t"
    low, high = INTERVALS[kind](sample, alpha)
    systems = []
    for k, row in enumerate(result.systems):
        ci_low, ci_high = finite_ends(low[k], high[k]) or (None, None)
        score = float(sample.observed[k])
        systems.append(replace(row, score=score, ci_low=ci_low, ci_high=ci_high))
    return tuple(systems)


# -------------------------------------------------------------------------------------------------
# The leaders by each reference. Where several references score a test set together, they may disagree.


def _leaders_by_reference(draws: MetricDraws, settings: Settings) -> tuple[ReferenceLeaders, ...]:
    """Find the leaders by each reference.

    The result is empty with a baseline, with another rank rule, or with too few trials for ranks.
    """
    if settings.baseline is not None or settings.rank_rule != "simultaneous":
        return ()
    n_pairs = max((len(reference.delta) for reference in draws.references), default=0)
    if fewest_trials(settings, n_pairs) is not None:
        return ()
    return tuple(_leaders(reference, draws.sign, settings) for reference in draws.references)


def _leaders(draws: ReferenceDraws, sign: int, settings: Settings) -> ReferenceLeaders:
    """The systems that no other is significantly better than, by the decisions behind ranks."""
    settings = replace(settings, block_length=draws.block_length)
    decisions = decide_tests(draws.tests, draws.delta, sign, draws.n_apart, settings).for_ranks
    if decisions is None:
        return ReferenceLeaders(draws.reference, draws.names, draws.n_segments, False, False)
    n_systems = len(draws.names)
    low, high = rank_intervals(decision_matrix(n_systems, all_pairs(n_systems), decisions))
    leaders = tuple(name for name, rank in zip(draws.names, low, strict=True) if rank == 1)
    is_ahead = bool((high == 1).any())
    return ReferenceLeaders(draws.reference, leaders, draws.n_segments, True, is_ahead)


# -------------------------------------------------------------------------------------------------
# Training runs: how much scores differ between runs, and how much between test sets.


def average_runs_across(
    results: Iterable[MetricResult], names: Iterable[str], alpha: float
) -> tuple[SystemRuns, ...]:
    """The training runs of systems across language pairs: run k has the mean of its scores.

    Only systems with the same number of runs, at least two, in every language pair are included.
    The variance of these means is right in both cases: if run k is one training for all language
    pairs, and if each language pair was trained separately.
    """
    results = list(results)
    averaged = []
    for name in names:
        scores = [row.scores for result in results for row in result.runs if row.system == name]
        n_runs = {len(scores_of_pair) for scores_of_pair in scores}
        has_as_many = len(scores) == len(results) and len(n_runs) == 1
        if has_as_many and max(n_runs) > 1:
            averaged.append(spread_of_runs(name, np.mean(scores, axis=0).tolist(), alpha))
    return tuple(averaged)


def spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
    """The scores of a system's training runs, and their standard deviation with its interval."""
    if len(scores) < 2:
        return SystemRuns(name, tuple(scores))
    sd = float(np.std(scores, ddof=1))
    return SystemRuns(name, tuple(scores), sd, *spread_interval(sd, len(scores), alpha))


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> tuple[float, float]:
    """Interval of level 1 - alpha for the standard deviation of normal runs.

    sd sqrt(f / chi-squared(f)), f = R - 1.

    >>> [round(bound, 2) for bound in spread_interval(1.0, 2)], [round(bound, 2) for bound in spread_interval(1.0, 5)]
    ([0.45, 31.91], [0.6, 2.87])
    """
    from scipy.special import gammaincinv

    freedom = n_runs - 1
    half_chi_squared = gammaincinv(freedom / 2, [1 - alpha / 2, alpha / 2])
    low, high = sd * np.sqrt(freedom / (2 * half_chi_squared))
    return float(low), float(high)


def pair_runs(pairs: Iterable[PairResult], runs: Sequence[SystemRuns]) -> tuple[PairRuns, ...]:
    """The standard errors of each pair: over test sets, between runs, and of both.

    The runs of two systems are independent, so their variances add up, and so do the variances of
    test set and training. A variation between runs that is specific to a segment counts in both,
    divided by the number of runs, so the sum is rather too large. Two or three runs give a rough
    SD, so a difference has to exceed more standard errors: t with degrees of freedom by Welch and
    Satterthwaite, R - 1 for R runs.
    """
    if not runs:
        return ()
    runs_of = {row.system: row for row in runs}
    return tuple(_pair_runs(pair, runs_of.get(pair.a), runs_of.get(pair.b)) for pair in pairs)


def _pair_runs(pair: PairResult, runs_a: SystemRuns | None, runs_b: SystemRuns | None) -> PairRuns:
    sd_a = None if runs_a is None else runs_a.sd
    sd_b = None if runs_b is None else runs_b.sd
    if runs_a is None or runs_b is None or sd_a is None or sd_b is None:
        return PairRuns(pair.a, pair.b, pair.se, None, None, None)
    n_a = len(runs_a.scores)
    n_b = len(runs_b.scores)
    variance_a = sd_a**2 / n_a
    variance_b = sd_b**2 / n_b
    se_runs = math.sqrt(variance_a + variance_b)
    if pair.se is None:
        return PairRuns(pair.a, pair.b, None, se_runs, None, None)
    variance_of_testset = unbiased(pair.se, pair.n_effective) ** 2
    variances = np.array([variance_of_testset, variance_a, variance_b])
    freedoms = np.array([units_freedom(pair.n_effective), n_a - 1, n_b - 1], dtype=float)
    se_total = math.sqrt(variances.sum())
    freedom = float(welch_satterthwaite(variances, freedoms))
    return PairRuns(pair.a, pair.b, pair.se, se_runs, se_total, freedom)


def smallest_stable_difference(row: PairRuns, alpha: float) -> float | None:
    """The smallest difference that another test set and other runs would not reverse, in points.

    It is t times the standard error of both; None without that error.
    """
    from scipy.special import stdtrit

    if row.se_total is None or row.df_total is None:
        return None
    return float(stdtrit(row.df_total, 1 - alpha / 2)) * row.se_total
