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
    """Decide pairs that are one family, of a test set or across several.

    `sign` turns a difference into an improvement.
    """
    improvement = sign * delta
    win = tests.win
    lose = tests.lose
    if sign < 0:
        win, lose = lose, win
    side = np.sign(improvement)
    if tests.side is not None:
        side = sign * tests.side
    adjusted = adjusted_for_ranks = None
    if tests.p is not None:
        if tests.stepped:
            adjusted_for_ranks = tests.stepped[0]
        else:
            adjusted_for_ranks = holm(tests.p)
        adjust = CORRECTIONS[settings.correction].adjust
        adjusted = adjusted_for_ranks
        if adjust is not None:
            adjusted = adjust(tests.p)
    better = decide_pairs(improvement, settings.alpha, p=adjusted, win=win, lose=lose, side=side)
    for_ranks = None
    gives_ranks = tests.p is not None and settings.baseline is None
    if gives_ranks:
        correction = rank_correction(settings)
        is_rankable = can_reach(settings, n_apart, correction)
        if is_rankable.any():
            for_ranks = decide_pairs(improvement, settings.alpha, p=adjusted_for_ranks, side=side)
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
    """The simultaneous rank interval and the cluster of each system, best first.

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
    index_in_all: np.ndarray  # int, shape (pairs,): the number of each among all pairs
    is_tested: np.ndarray  # bool, shape (pairs,): whether both have a segment in common
    index_in_tested: np.ndarray  # int, shape (tested,): the number of each among all tested pairs
    orientation: np.ndarray  # int, shape (tested,): -1 where it was drawn the other way round
    stepped_family: int  # which of the families of `PairTests.stepped` it is

    @property
    def tested_in_all(self) -> np.ndarray:
        """The numbers of the tested pairs among all pairs, shape (tested,)."""
        return np.asarray(self.index_in_all[self.is_tested])

    def fill(self, values: np.ndarray | None, default: float) -> np.ndarray:
        """Values of the tested pairs as values of all pairs, with a default for the others."""
        filled = np.full(len(self.pairs), default)
        if values is not None:
            filled[self.is_tested] = values
        return filled


def explain_no_baseline(baseline: str, metric: str, names: Sequence[str]) -> SettingError:
    """The error for a baseline without a score; `names` are the systems that have one."""
    systems = ", ".join(names)
    return SettingError(
        f"The baseline {baseline} has no score by {metric}. Systems that have: {systems}."
    )


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
        raise explain_no_baseline(baseline, draws.metric, draws.names)
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
    """Decide one metric; `ci` is the kind of interval as the user chose it, perhaps ``auto``."""
    family = select_family(draws, settings.baseline)
    chosen_ci = _choose_interval(draws, family, ci)
    settings = replace(settings, trials=draws.plan.trials, ci=chosen_ci)
    columns = _estimate_differences(draws, family, settings)
    tests = draws.tests.select(family.index_in_tested, family.orientation, family.stepped_family)
    n_apart = draws.n_apart[family.tested_in_all]
    decisions = decide_tests(tests, columns["delta"], draws.sign, n_apart, settings)
    columns |= _find_detectable(draws, family, columns, decisions.decidable, settings)
    pairs = _pair_results(draws, family, columns, decisions)
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
    """The kind of interval for the score or difference that is based on the fewest units."""
    worth_of_pairs = draws.effective[family.index_in_all]
    worth = np.concatenate([draws.worth, worth_of_pairs])
    known_worth = worth[worth > 0]
    least = known_worth.min(initial=draws.n_effective)
    return interval_kind(ci, float(least))


def _estimate_differences(
    draws: MetricDraws, family: Family, settings: Settings
) -> dict[str, np.ndarray]:
    """Estimate the differences of the tested pairs, by the fields of `PairResult`.

    These are difference, interval, interval of all pairs together, standard error and its degrees
    of freedom.
    """
    n_tested = len(family.index_in_tested)
    delta, low, high, se, freedom = np.empty((5, n_tested))
    n_resamples = draws.systems.replicates.shape[1]
    n_left_out = draws.systems.left_out.shape[1]
    make_interval = INTERVALS[settings.ci]
    for rows in row_chunks(n_tested, max(n_resamples, n_left_out)):
        as_drawn = draws.sample_differences(family.index_in_tested[rows])
        sample = _orient_sample(as_drawn, family.orientation[rows])
        delta[rows] = sample.observed
        low[rows], high[rows] = make_interval(sample, settings.alpha)
        se[rows] = standard_deviations(sample.replicates, 1)
        freedom[rows] = degrees_of_freedom(sample.left_out, n_resamples)

    n_units = draws.units[family.tested_in_all]
    joint_low = low
    joint_high = high
    if n_tested > 1:

        def draw_differences(rows: slice | np.ndarray) -> np.ndarray:
            differences = draws.drawn_differences(family.index_in_tested[rows])
            by_row = family.orientation[rows, None]
            oriented: np.ndarray = differences * by_row
            return oriented

        n_effective = draws.effective[family.tested_in_all]
        replicates = Rows((n_tested, n_resamples), draw_differences)
        joint_low, joint_high = simultaneous(
            delta, replicates, n_units, n_effective, settings.alpha
        )
        # The interval of a single pair may be of another kind and wider: it is never left.
        joint_low = np.where(low < joint_low, low, joint_low)
        joint_high = np.where(high > joint_high, high, joint_high)
    has_spread = n_units > 1  # one unit is drawn again and again
    return {
        "delta": delta,
        "ci_low": low,
        "ci_high": high,
        "ci_joint_low": joint_low,
        "ci_joint_high": joint_high,
        "se": np.where(has_spread, se, np.nan),
        "se_df": freedom,
    }


def _orient_sample(sample: Sample, orientation: np.ndarray) -> Sample:
    """Turn differences round where the orientation is -1."""
    by_row = orientation[:, None]
    observed = sample.observed * orientation + 0.0  # -0.0 becomes 0.0
    replicates = sample.replicates * by_row
    left_out = sample.left_out * by_row
    segments = None
    if sample.segments is not None:
        segments = sample.segments * by_row
    return Sample(observed, replicates, left_out, segments, sample.freedom)


def _find_detectable(
    draws: MetricDraws,
    family: Family,
    columns: dict[str, np.ndarray],
    is_decidable: np.ndarray,
    settings: Settings,
) -> dict[str, np.ndarray]:
    """Minimum detectable differences, their intervals, and those of tests at alpha / m.

    NaN where p cannot be so small.
    """
    effective = draws.effective[family.tested_in_all]
    n_apart = draws.n_apart[family.tested_in_all]
    n_swapped = None
    if swaps_units(settings):
        n_swapped = n_apart
    se = columns["se"]
    alpha = settings.alpha
    can_detect = is_decidable & (se > 0)
    any_trials = replace(settings, trials=None)
    is_reachable = can_reach(any_trials, n_apart, "bonferroni")
    can_detect_in_family = can_detect & is_reachable
    low, high = error_interval(se, columns["se_df"], effective, alpha)

    def detect(error: np.ndarray, level: float, is_possible: np.ndarray) -> np.ndarray:
        difference = minimum_detectable_difference(
            error, level, n_effective=effective, n_swapped=n_swapped
        )
        return np.where(is_possible, difference, np.nan)

    error = unbiased(se, effective)
    alpha_in_family = alpha / max(1, len(se))
    return {
        "mdd": detect(error, alpha, can_detect),
        "mdd_low": detect(low, alpha, can_detect),
        "mdd_high": detect(high, alpha, can_detect),
        "mdd_family": detect(error, alpha_in_family, can_detect_in_family),
    }


def decide_studentised(draws: MetricDraws, settings: Settings) -> dict[tuple[str, str], str | None]:
    """Which system of each tested pair the studentised bootstrap calls better.

    With the same correction; empty where `draw_metric` did not draw it.
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
    draws: MetricDraws, family: Family, columns: dict[str, np.ndarray], decisions: Decisions
) -> tuple[PairResult, ...]:
    """All pairs of a family.

    A pair that is not tested has the difference of the systems' own scores.
    """
    se_ratio = draws.se_ratio
    if se_ratio is not None:
        se_ratio = se_ratio[family.index_in_tested]
    swap_se = draws.tests.swap_se
    if swap_se is not None:
        swap_se = swap_se[family.index_in_tested]
    of_tested: dict[str, np.ndarray | None] = {
        **columns,
        "p_value": decisions.p,
        "p_adjusted": decisions.adjusted,
        "win": decisions.win,
        "lose": decisions.lose,
        "se_ratio": se_ratio,
        "swap_se": swap_se,
    }
    numbers = {name: family.fill(values, np.nan) for name, values in of_tested.items()}
    first, second = family.pairs.T
    scores = draws.systems.observed
    own_delta = scores[first] - scores[second]
    numbers["delta"] = np.where(family.is_tested, numbers["delta"], own_delta)
    better = family.fill(decisions.better, 0)
    favours = family.fill(decisions.favours, 0)
    is_decidable = family.fill(decisions.decidable, False)
    pairs = []
    for k, in_all in enumerate(family.index_in_all):
        n_units = int(draws.units[in_all])
        n_apart = int(draws.n_apart[in_all])
        is_bounding = n_apart < min(ENOUGH, n_units)
        fields: dict[str, float | None] = {
            name: finite_or_none(values[k]) for name, values in numbers.items()
        }
        bounding = None
        if is_bounding:
            bounding = n_apart
        better_side = int(better[k])
        favoured_side = int(favours[k])
        pair = PairResult(
            draws.names[first[k]],
            draws.names[second[k]],
            **fields,  # type: ignore[arg-type]
            significant=better_side != 0,
            better=SIDES[better_side],
            favours=SIDES[favoured_side],
            n=int(draws.n[in_all]),
            n_units=n_units,
            n_effective=float(draws.effective[in_all]),
            decidable=bool(is_decidable[k]),
            n_apart=bounding,
        )
        pairs.append(pair)
    return tuple(pairs)


def _signature(draws: MetricDraws, settings: Settings, n_pairs: int) -> str:
    """The metric's own signature, then the resampling and the family of the decisions."""
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
# Ranks by another rule than ours: pairs keep our tests, and get the difference, p and decision of the rule beside.


def rank_by_rule(
    result: MetricResult, draws: MetricDraws, settings: Settings, for_ranks: np.ndarray | None
) -> MetricResult:
    """Score, order and rank the systems by `settings.rank_rule`, and add what this hides.

    The pairs keep our difference and test, and get those of the rule beside. `for_ranks` as in
    `RankInputs`.
    """
    rule = RANK_RULES[settings.rank_rule]
    systems = result.systems
    order = np.arange(len(systems))
    if rule.by_domain:
        assert draws.over_domains is not None, "settings.check_rank_rule has checked the domains"
        systems = _score_by(draws.over_domains, result, settings.alpha)
        improvement = draws.sign * draws.over_domains.observed
        order = np.argsort(-improvement, kind="stable")
    if settings.baseline is not None or len(systems) < 2:  # no ranks, but the score of the rule
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
    """The means over segments of the systems, in the order of the rule."""
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
    """What ranks by a rule hide of a result that has our own."""
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
    first_held = tuple(row.system for row in systems if row.rank_low == 1)
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

    A mean of means has no interval by Student's t, so the jackknife's takes its place.
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
# The leaders by each reference, where several score a test set together and may not agree.


def _leaders_by_reference(draws: MetricDraws, settings: Settings) -> tuple[ReferenceLeaders, ...]:
    """Nothing against a baseline, by other rank rules, and where the trials could give no ranks."""
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
# Training runs: how much scores differ between them, apart from how much they would between test sets.


def average_runs_across(
    results: Iterable[MetricResult], names: Iterable[str], alpha: float
) -> tuple[SystemRuns, ...]:
    """The training runs of systems across language pairs, run k with the mean of its scores.

    Only of systems with several runs, as many in every language pair. The variance of these means
    is that of a mean score either way: where run k is one training for all language pairs, and
    where each was trained by itself.
    """
    scores_by_pair = []
    for result in results:
        scores_by_pair.append({row.system: row.scores for row in result.runs})  # noqa: PERF401  a comprehension in another
    averaged = []
    for name in names:
        scores = [by_system.get(name, ()) for by_system in scores_by_pair]
        n_runs = {len(runs) for runs in scores}
        if len(n_runs) == 1 and n_runs.pop() > 1:
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


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> tuple[float, float]:
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

    Runs of two systems are independent, so their variances add up; and so do those of test set and
    training. What differs from run to run on a segment is in both, divided by the number of runs:
    the sum errs on the large side. Of two or three runs the SD is hardly known, and a difference
    has to exceed more standard errors: t with degrees of freedom by Welch and Satterthwaite, those
    of R runs R - 1.
    """
    if not runs:
        return ()
    n_runs = {row.system: len(row.scores) for row in runs}
    variance_of_mean = {
        row.system: row.sd**2 / len(row.scores) for row in runs if row.sd is not None
    }
    rows = []
    for pair in pairs:
        se_runs = se_total = freedom = None
        if pair.a in variance_of_mean and pair.b in variance_of_mean:
            variance_a = variance_of_mean[pair.a]
            variance_b = variance_of_mean[pair.b]
            se_runs = math.sqrt(variance_a + variance_b)
            if pair.se is not None:
                se_test_set = unbiased(pair.se, pair.n_effective)
                variances = np.array([se_test_set**2, variance_a, variance_b])
                freedom_of_units = units_freedom(pair.n_effective)
                freedom_a = n_runs[pair.a] - 1
                freedom_b = n_runs[pair.b] - 1
                degrees = np.array([freedom_of_units, freedom_a, freedom_b], dtype=float)
                se_total = math.sqrt(variances.sum())
                freedom = float(welch_satterthwaite(variances, degrees))
        rows.append(PairRuns(pair.a, pair.b, pair.se, se_runs, se_total, freedom))
    return tuple(rows)


def smallest_stable_difference(row: PairRuns, alpha: float) -> float | None:
    """The difference that another test set and other runs would not turn, in points: t SE of both.

    None without it.
    """
    from scipy.special import stdtrit

    if row.se_total is None or row.df_total is None:
        return None
    t = float(stdtrit(row.df_total, 1 - alpha / 2))
    return t * row.se_total
