"""From draws to results: intervals, corrections, decisions and ranks.

Nothing here counts or draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import numpy as np

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
from mtsig_core.stats.intervals import (
    INTERVALS,
    BoundArrays,
    Bounds,
    Sample,
    finite_ends,
    finite_or_none,
    simultaneous,
)
from mtsig_core.stats.noticed import find_curve
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
    list_first,
    number_decisions,
    rank_intervals,
    rank_simultaneously,
)
from mtsig_core.stats.settings import explain_no_baseline, interval_kind
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
        if tests.stepped:
            family_wise = tests.stepped[0]
        else:
            family_wise = holm(tests.p)
        adjust = CORRECTIONS[settings.correction].adjust
        adjusted = family_wise  # by Romano-Wolf, which needs more than p
        if adjust is not None:
            adjusted = adjust(tests.p)
        correction_of_ranks = rank_correction(settings)
        is_rankable = can_reach(settings, n_apart, correction_of_ranks)
        if settings.baseline is None and is_rankable.any():
            for_ranks = decide_pairs(improvement, settings.alpha, p=family_wise, side=side)
    better = decide_pairs(improvement, settings.alpha, p=adjusted, win=win, lose=lose, side=side)
    is_decidable = can_reach(settings, n_apart)
    better_if_decidable = np.where(is_decidable, better, 0)
    is_split = side != np.sign(improvement)
    favours = np.where(is_split, side, 0)
    return Decisions(
        p=tests.p,
        adjusted=adjusted,
        win=win,
        lose=lose,
        decidable=is_decidable,
        better=better_if_decidable,
        favours=favours,
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
    low = ranks.low.tolist()
    high = ranks.high.tolist()
    cluster = ranks.cluster.tolist()
    return list(zip(low, high, cluster, strict=True))


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


def select_family(draws: MetricDraws, baseline: str | None) -> Family:
    """Select all pairs, or those with the baseline."""
    has_common = draws.n > 0
    if baseline is None:
        n_pairs = len(draws.pairs)
        n_tested = np.count_nonzero(has_common)
        as_drawn = np.ones(n_tested, dtype=int)
        return Family(
            pairs=draws.pairs,
            index_in_all=np.arange(n_pairs),
            is_tested=has_common,
            index_in_tested=np.arange(n_tested),
            orientation=as_drawn,
            stepped_family=0,
        )
    if baseline not in draws.names:
        raise explain_no_baseline(baseline, draws.names, draws.metric)
    base = draws.names.index(baseline)
    has_base = (draws.pairs == base).any(axis=1)
    in_all = np.flatnonzero(has_base)
    first, second = draws.pairs[in_all].T
    is_first = first == base
    opponent = np.where(is_first, second, first)
    base_column = np.full_like(opponent, base)
    is_tested = has_common[in_all]
    number_among_tested = np.cumsum(has_common) - 1
    tested_in_all = in_all[is_tested]
    orientation = np.where(is_first[is_tested], -1, 1)
    return Family(
        pairs=np.column_stack([opponent, base_column]),
        index_in_all=in_all,
        is_tested=is_tested,
        index_in_tested=number_among_tested[tested_in_all],
        orientation=orientation,
        stepped_family=1 + base,
    )


def decide_metric(draws: MetricDraws, settings: Settings, ci: str) -> MetricResult:
    """Decide one metric; `ci` is the kind of interval as the user chose it, perhaps ``auto``.

    A rank rule for scores of segments does not rank by a metric without: its ranks are simultaneous.
    """
    if RANK_RULES[settings.rank_rule].of_segments and draws.systems.segments is None:
        settings = replace(settings, rank_rule="simultaneous")
    family = select_family(draws, settings.baseline)
    chosen_ci = _choose_interval(draws, family, ci)
    settings = replace(settings, trials=draws.plan.trials, ci=chosen_ci)
    estimates = _estimate_differences(draws, family, settings)
    tests = draws.tests.select(family.index_in_tested, family.orientation, family.stepped_family)
    n_apart = draws.n_apart[family.tested_in_all]
    decisions = decide_tests(tests, estimates["delta"], draws.sign, n_apart, settings)
    estimates |= _find_detectable(draws, family, estimates, decisions.decidable, settings)
    pairs = _pair_results(draws, family, estimates, decisions)
    runs = tuple(
        spread_of_runs(name, scores, settings.alpha) for name, scores in draws.runs.items()
    )
    n_tested = len(family.index_in_tested)
    signature = _signature(draws, settings, n_tested)
    systems = _system_results(draws, family, decisions, settings)
    by_reference = _leaders_by_reference(draws, settings)
    result = MetricResult(
        draws.metric,
        signature,
        draws.higher_is_better,
        systems,
        pairs,
        by_reference=by_reference,
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
    n_effective_of_pairs = draws.effective[family.index_in_all]
    n_effective = np.concatenate([draws.worth, n_effective_of_pairs])
    is_scored = n_effective > 0
    fewest = n_effective[is_scored].min(initial=draws.n_effective)
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
    make_interval = INTERVALS[settings.ci]
    for rows in row_chunks(n_tested, max(n_resamples, n_left_out)):
        drawn_sample = draws.sample_differences(family.index_in_tested[rows])
        sample = _orient_sample(drawn_sample, family.orientation[rows])
        delta[rows] = sample.observed
        low[rows], high[rows] = make_interval(sample, settings.alpha)
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
) -> BoundArrays:
    """The intervals for all tested pairs together, from replicates that are read in chunks."""

    def read_replicates(rows: slice | np.ndarray) -> np.ndarray:
        differences = draws.drawn_differences(family.index_in_tested[rows])
        factor = family.orientation[rows, None]
        return np.asarray(differences * factor)

    n_resamples = draws.systems.replicates.shape[1]
    replicates = Rows((len(delta), n_resamples), read_replicates)
    n_units = draws.units[family.tested_in_all]
    n_effective = draws.effective[family.tested_in_all]
    return simultaneous(delta, replicates, n_units, n_effective, alpha)


def _orient_sample(sample: Sample, orientation: np.ndarray) -> Sample:
    """Reverse the sign of differences where the orientation is -1."""
    factor = orientation[:, None]
    observed = sample.observed * orientation + 0.0  # -0.0 becomes 0.0
    replicates = sample.replicates * factor
    left_out = sample.left_out * factor
    segments = None
    if sample.segments is not None:
        segments = sample.segments * factor
    return Sample(observed, replicates, left_out, segments, sample.freedom)


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
    is_reachable = can_reach(with_any_trials, n_apart, "bonferroni")
    alpha_of_family = alpha / max(1, len(se))
    can_detect_in_family = can_detect & is_reachable
    mdd = np.where(can_detect, detect(unbiased_se, alpha), np.nan)
    mdd_low = np.where(can_detect, detect(se_low, alpha), np.nan)
    mdd_high = np.where(can_detect, detect(se_high, alpha), np.nan)
    mdd_family = np.where(can_detect_in_family, detect(unbiased_se, alpha_of_family), np.nan)
    return {"mdd": mdd, "mdd_low": mdd_low, "mdd_high": mdd_high, "mdd_family": mdd_family}


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
    sample = draws.sample_differences(family.index_in_tested)
    delta = sample.observed * family.orientation
    settings = replace(settings, test=STUDENTISED, trials=draws.plan.trials)
    n_apart = draws.n_apart[family.tested_in_all]
    decisions = decide_tests(tests, delta, draws.sign, n_apart, settings)
    tested = family.pairs[family.is_tested]
    better_by_pair = {}
    for (first, second), side in zip(tested, decisions.better, strict=True):
        a = draws.names[first]
        b = draws.names[second]
        better_by_pair[a, b] = SIDES[int(side)]
    return better_by_pair


def _system_results(
    draws: MetricDraws, family: Family, decisions: Decisions, settings: Settings
) -> tuple[SystemResult, ...]:
    low, high = INTERVALS[settings.ci](draws.systems, settings.alpha)
    tested = family.pairs[family.is_tested]
    ranks = rank_systems(len(draws.names), tested, decisions.for_ranks)
    systems = []
    for k, name in enumerate(draws.names):
        score = float(draws.systems.observed[k])
        ci_low = finite_or_none(low[k])
        ci_high = finite_or_none(high[k])
        systems.append(SystemResult(name, score, ci_low, ci_high, *ranks[k]))
    return tuple(systems)


def _pair_results(
    draws: MetricDraws, family: Family, estimates: dict[str, np.ndarray], decisions: Decisions
) -> tuple[PairResult, ...]:
    """All pairs of a family.

    A pair that is not tested has the difference of its systems' scores, each on its own segments.
    """
    se_ratio = draws.se_ratio
    if se_ratio is not None:
        se_ratio = se_ratio[family.index_in_tested]
    swap_se = draws.tests.swap_se
    if swap_se is not None:
        swap_se = swap_se[family.index_in_tested]
    values_of_tested: dict[str, np.ndarray | None] = {
        **estimates,
        "p_value": decisions.p,
        "p_adjusted": decisions.adjusted,
        "win": decisions.win,
        "lose": decisions.lose,
        "se_ratio": se_ratio,
        "swap_se": swap_se,
    }
    columns = {name: family.fill(values, np.nan) for name, values in values_of_tested.items()}
    first, second = family.pairs.T
    scores = draws.systems.observed
    delta_of_scores = scores[first] - scores[second]
    columns["delta"] = np.where(family.is_tested, columns["delta"], delta_of_scores)
    columns["people_agree"] = _find_people_who_agree(draws, columns["delta"])
    better = family.fill(decisions.better, 0)
    favours = family.fill(decisions.favours, 0)
    is_decidable = family.fill(decisions.decidable, False)
    pairs = []
    for k, in_all in enumerate(family.index_in_all):
        n_units = int(draws.units[in_all])
        n_apart = int(draws.n_apart[in_all])
        limit_of_p = None
        if n_apart < min(ENOUGH, n_units):
            limit_of_p = n_apart
        better_side = int(better[k])
        favoured_side = int(favours[k])
        fields: dict[str, float | None] = {
            name: finite_or_none(values[k]) for name, values in columns.items()
        }
        n_effective = float(draws.effective[in_all])
        pair = PairResult(
            draws.names[first[k]],
            draws.names[second[k]],
            **fields,  # type: ignore[arg-type]
            significant=better_side != 0,
            better=SIDES[better_side],
            favours=SIDES[favoured_side],
            n=int(draws.n[in_all]),
            n_units=n_units,
            n_effective=n_effective,
            decidable=bool(is_decidable[k]),
            n_apart=limit_of_p,
        )
        pairs.append(pair)
    return tuple(pairs)


def _find_people_who_agree(draws: MetricDraws, delta: np.ndarray) -> np.ndarray:
    """How often people agree with differences, as in `PairResult`; NaN where nothing tells."""
    curve = find_curve(draws.metric, draws.signature, draws.systems.observed.tolist())
    if curve is None:
        return np.full_like(delta, np.nan)
    shares = [curve.share_who_notice(difference) for difference in delta.tolist()]
    return np.where(delta == 0, np.nan, shares)


def _signature(draws: MetricDraws, settings: Settings, n_pairs: int) -> str:
    """The signature of the metric, followed by the resampling and the decisions."""
    unit = settings.unit
    if settings.block_length is not None:
        unit = f"{unit}[{settings.block_length:g}]"
    fields = [draws.signature]
    fields.append(f"test:{settings.test}")
    fields.append(f"unit:{unit}")
    if settings.trials is not None:
        all_swaps = ""
        if draws.exact:
            all_swaps = "[all]"
        fields.append(f"trials:{settings.trials}{all_swaps}")
    fields.append(f"ci:{settings.ci}")
    fields.append(f"resamples:{settings.resamples}")
    fields.append(f"correction:{settings.correction}")
    fields.append(f"pairs:{n_pairs}")
    if settings.baseline is not None:
        baseline = quote(settings.baseline, safe=" ")
        fields.append(f"baseline:{baseline}")
    if settings.rank_rule != "simultaneous":
        fields.append(f"ranks:{settings.rank_rule}")
    fields.append(f"alpha:{settings.alpha:g}")
    fields.append(f"seed:{settings.seed}")
    fields.append(f"mtsig:{settings.version}")
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
        improvement = draws.sign * draws.over_domains.observed
        order = np.argsort(-improvement, kind="stable")
    has_ranks = settings.baseline is None and len(systems) > 1
    if not has_ranks:
        ruled = None
        if rule.by_domain:
            means = _list_means(result, order)
            ruled = RuledRanks(means=means, unruled=result.systems)
        ordered = tuple(systems[k] for k in order)
        return replace(result, systems=ordered, ruled=ruled)
    scored = replace(result, systems=systems)
    inputs = RankInputs.from_result(
        scored, settings.alpha, draws.systems.segments, draws.domains, for_ranks
    )
    order, ranks = rule.rank(inputs)
    ranked = []
    for k in order:
        low = int(ranks.low[k])
        high = int(ranks.high[k])
        cluster = int(ranks.cluster[k])
        ranked.append(replace(systems[k], rank_low=low, rank_high=high, cluster=cluster))
    pairs = _add_rule_decisions(result, systems, ranks)
    ruled = _describe_ruled(result, order, ranks, rule.by_domain)
    return replace(result, systems=tuple(ranked), pairs=pairs, ruled=ruled)


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
        is_changed = (low != ranks.low) | (high != ranks.high)
        n_changed = int(is_changed.sum())
    means = None
    if by_domain:
        means = _list_means(result, order)
    clusters = ranks.cluster[order].tolist()
    wins = ranks.wins[order].tolist()
    losses = ranks.losses[order].tolist()
    first_held = tuple(list_first(systems))
    n_apart_not_significant = count_disjoint_ranks(ranks, pairs, ~is_significant)
    n_inside_apart = count_disjoint_ranks(ranks, pairs, is_inside)
    return RuledRanks(
        clusters=tuple(clusters),
        significant_inside=int(is_inside.sum()),
        changed=n_changed,
        first_held=first_held,
        apart_not_significant=n_apart_not_significant,
        inside_apart=n_inside_apart,
        wins=tuple(wins),
        losses=tuple(losses),
        means=means,
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
    decisions = decide_tests(draws.tests, draws.delta, sign, draws.n_apart, settings)
    if decisions.for_ranks is None:
        return ReferenceLeaders(draws.reference, draws.names, draws.n_segments, False, False)
    n_systems = len(draws.names)
    pairs = all_pairs(n_systems)
    matrix = decision_matrix(n_systems, pairs, decisions.for_ranks)
    low, high = rank_intervals(matrix)
    leaders = [draws.names[k] for k in np.flatnonzero(low == 1)]
    is_ahead = bool((high == 1).any())
    return ReferenceLeaders(draws.reference, tuple(leaders), draws.n_segments, True, is_ahead)


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
            means = np.mean(scores, axis=0).tolist()
            averaged.append(spread_of_runs(name, means, alpha))
    return tuple(averaged)


def spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
    """The scores of a system's training runs, and their standard deviation with its interval."""
    if len(scores) < 2:
        return SystemRuns(name, tuple(scores))
    sd = float(np.std(scores, ddof=1))
    low, high = spread_interval(sd, len(scores), alpha)
    return SystemRuns(name, tuple(scores), sd, low, high)


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> Bounds:
    """Interval of level 1 - alpha for the standard deviation of normal runs.

    sd sqrt(f / chi-squared(f)), f = R - 1.

    >>> [round(bound, 2) for bound in spread_interval(1.0, 2)], [round(bound, 2) for bound in spread_interval(1.0, 5)]
    ([0.45, 31.91], [0.6, 2.87])
    """
    from scipy.special import gammaincinv

    freedom = n_runs - 1
    levels = [1 - alpha / 2, alpha / 2]
    half_chi_squared = gammaincinv(freedom / 2, levels)
    ratio = freedom / (2 * half_chi_squared)
    low, high = sd * np.sqrt(ratio)
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
    freedom_of_testset = units_freedom(pair.n_effective)
    freedoms = np.array([freedom_of_testset, n_a - 1, n_b - 1], dtype=float)
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
    t = float(stdtrit(row.df_total, 1 - alpha / 2))
    return t * row.se_total
