"""From what was drawn to results: intervals, corrections, decisions and ranks. Nothing here counts or draws."""

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
from mtsig_core.stats.draws import MetricDraws, ReferenceDraws, standard_deviations
from mtsig_core.stats.engine import ENOUGH, all_pairs
from mtsig_core.stats.few_units import can_reach, fewest_trials, rank_correction, swaps_units
from mtsig_core.stats.intervals import INTERVALS, Sample, finite_ends, finite_or_none, simultaneous
from mtsig_core.stats.power import (
    degrees_of_freedom,
    error_interval,
    minimum_detectable_difference,
    unbiased,
    units_freedom,
    welch_satterthwaite,
)
from mtsig_core.stats.ranks import (
    RANK_RULES,
    Ranks,
    count_disjoint_ranks,
    decision_matrix,
    find_clusters,
    find_inside_clusters,
    rank_intervals,
    ranks_by,
)
from mtsig_core.stats.settings import interval_kind
from mtsig_core.stats.significance import ADJUSTMENTS, SIDES, TESTS, decide_pairs


@dataclass(frozen=True, eq=False)
class Family:
    """The pairs that are decided together: all of them, or those with a baseline."""

    pairs: np.ndarray  # int, shape (pairs, 2): With a baseline, it comes second
    places: np.ndarray  # int, shape (pairs,): Where each is among all pairs
    some: np.ndarray  # bool, shape (pairs,): Whether it is tested: both have a segment in common
    tested: np.ndarray  # int, shape (tested,): Where each of these is among all pairs that are tested
    turned: np.ndarray  # int, shape (tested,): -1 where it was drawn the other way round, else 1

    def whole(self, values: np.ndarray, otherwise: np.ndarray | float = np.nan) -> np.ndarray:
        """A number for each pair, from those of the tested ones."""
        if self.some.all():
            return values
        full = np.where(self.some, np.nan, otherwise)
        full[self.some] = values
        return full


def select_family(draws: MetricDraws, baseline: str | None) -> Family:
    """All pairs, or those with the baseline."""
    pairs, m = draws.pairs, len(draws.names)
    if baseline is None:
        places, some = np.arange(len(pairs)), draws.n > 0
        return Family(pairs, places, some, np.arange(np.count_nonzero(some)), np.ones(np.count_nonzero(some), int))
    if baseline not in draws.names:
        raise SettingError(f"The baseline {baseline} has no score by {draws.metric}. Systems that have: "
                           f"{', '.join(draws.names)}.")
    b = draws.names.index(baseline)
    others = np.array([k for k in range(m) if k != b], dtype=int)
    number = np.zeros((m, m), dtype=int)
    number[pairs[:, 0], pairs[:, 1]] = number[pairs[:, 1], pairs[:, 0]] = np.arange(len(pairs))
    places = number[others, b]
    some = draws.n[places] > 0
    tested = (np.cumsum(draws.n > 0) - 1)[places[some]]
    return Family(np.column_stack([others, np.full(m - 1, b)]), places, some, tested,
                  np.where(others[some] < b, 1, -1))


@dataclass(frozen=True, eq=False)
class Differences:
    """Of the tested pairs of a family, each of shape (tested,): difference, interval, interval of all pairs together,
    standard error and its degrees of freedom."""

    delta: np.ndarray
    low: np.ndarray
    high: np.ndarray
    joint_low: np.ndarray
    joint_high: np.ndarray
    se: np.ndarray
    se_df: np.ndarray


def _differences(draws: MetricDraws, family: Family, settings: Settings) -> Differences:
    places, n = family.places[family.some], len(family.tested)

    def sample_pairs(rows: slice | np.ndarray) -> Sample:
        part, turned = draws.sample_differences(family.tested[rows]), family.turned[rows, None]
        return Sample(part.observed * turned[:, 0] + 0.0, part.drawn * turned, part.left_out * turned,  # no -0.0
                      None if part.segments is None else part.segments * turned)

    parts = [np.empty((5, 0))]
    for some in row_chunks(n, max(draws.systems.drawn.shape[1], draws.systems.left_out.shape[1])):
        part = sample_pairs(some)
        low, high = INTERVALS[settings.ci](part, settings.alpha)
        parts.append(np.array([part.observed, low, high, standard_deviations(part.drawn, 1),
                               degrees_of_freedom(part.left_out, part.drawn.shape[1])]))
    delta, low, high, se, freedom = np.concatenate(parts, axis=1)
    joint_low, joint_high = low, high
    if n > 1:  # none is within that of its pair alone, which may be of another kind
        drawn = Rows((n, draws.systems.drawn.shape[1]), lambda rows: draws.drawn_differences(family.tested[rows])
                     * family.turned[rows, None])
        ends = simultaneous(delta, drawn, draws.units[places], draws.effective[places], settings.alpha)
        joint_low, joint_high = np.where(low < ends[0], low, ends[0]), np.where(high > ends[1], high, ends[1])
    se = np.where(draws.units[places] > 1, se, np.nan)  # one unit is drawn again and again
    return Differences(delta, low, high, joint_low, joint_high, se, freedom)


@dataclass(frozen=True, eq=False)
class Decisions:
    """What a test decides on the pairs of a family, arrays of shape (pairs,), NaN or 0 for those that are not tested.
    """

    #: The shares are those of better, not of higher scores.
    p: np.ndarray | None
    adjusted: np.ndarray | None
    win: np.ndarray | None
    lose: np.ndarray | None
    #: As in `PairResult`, as 1, -1 and 0.
    decidable: np.ndarray
    better: np.ndarray
    favours: np.ndarray
    #: The decisions behind rank intervals, which need the family-wise error controlled whatever correction the pairs
    #: get; None where nothing could be decided so.
    for_ranks: np.ndarray | None


def _decisions(draws: MetricDraws, family: Family, settings: Settings, delta: np.ndarray) -> Decisions:
    tests, n_apart = draws.tests, draws.n_apart[family.places]

    def of_family(values: np.ndarray | None, turned: np.ndarray | int = 1) -> np.ndarray | None:
        return None if values is None else values[family.tested] * turned

    p, win, lose, side = of_family(tests.p), of_family(tests.win), of_family(tests.lose), of_family(
        tests.side, family.turned)
    if win is not None and lose is not None:
        ours = draws.sign * family.turned > 0
        win, lose = np.where(ours, win, lose), np.where(ours, lose, win)
    asked = settings.correction == "romano-wolf" or settings.baseline is None  # rank intervals are made from it
    stepped = _stepped(draws, settings) if asked and p is not None and len(p) else None
    adjusted = None if p is None else (
        stepped if settings.correction == "romano-wolf" else ADJUSTMENTS[settings.correction](p))
    for_ranks = stepped if stepped is not None or p is None else ADJUSTMENTS["holm"](p)
    p, adjusted, for_ranks, win, lose, side = (
        None if values is None else family.whole(values) for values in (p, adjusted, for_ranks, win, lose, side))

    improvement = draws.sign * delta
    toward = np.sign(improvement) if side is None else draws.sign * side
    decidable = can_reach(settings, n_apart)
    better = decide_pairs(improvement, settings.alpha, p=adjusted, win=win, lose=lose, side=toward)
    rankable = (settings.baseline is None and TESTS[settings.test].p_values is not None
                and can_reach(settings, n_apart, rank_correction(settings)).any())
    return Decisions(p, adjusted, win, lose, decidable, np.where(decidable, better, 0),
                     np.where(np.isfinite(toward) & (toward != np.sign(improvement)), toward, 0),
                     decide_pairs(improvement, settings.alpha, p=for_ranks, side=toward) if rankable else None)


def _stepped(draws: MetricDraws, settings: Settings) -> np.ndarray | None:
    """p by Romano-Wolf of the family; None where the test has none."""
    if not draws.tests.stepped or settings.baseline is None:
        return draws.tests.stepped[0] if draws.tests.stepped else None
    if draws.baseline is None:
        return draws.tests.stepped[1 + draws.names.index(settings.baseline)]
    if draws.baseline != settings.baseline:
        raise SettingError(f"So many pairs and trials were not kept, and Romano-Wolf needs them for another baseline. "
                           f"Draw again with the baseline {settings.baseline}, or choose the correction holm.",
                           {"correction": "holm"})
    return draws.tests.stepped[1]


def _detectable(family: Family, draws: MetricDraws, found: Differences, decidable: np.ndarray, settings: Settings
                ) -> list[np.ndarray]:
    """Minimum detectable differences, their intervals, and those of tests at alpha / m; NaN where p cannot be so small.
    """
    n_units, effective, n_apart = (of[family.places] for of in (draws.units, draws.effective, draws.n_apart))
    se, freedom = family.whole(found.se), family.whole(found.se_df)
    m, enough = max(1, int(np.count_nonzero(family.some))), replace(settings, trials=None)
    ends = error_interval(se, freedom, n_units, settings.alpha)
    error, swapped = unbiased(se, n_units), n_apart if swaps_units(settings) else None
    able: np.ndarray = decidable & (se > 0)
    return [np.where(able & np.asarray(can), minimum_detectable_difference(
        one, level, n_effective=effective, n_swapped=swapped), np.nan)
            for one, level, can in (
                *((one, settings.alpha, True) for one in (error, *ends)),
                (error, settings.alpha / m, can_reach(enough, n_apart, "bonferroni")))]


def decide_metric(draws: MetricDraws, settings: Settings, ci: str) -> MetricResult:
    """The result of one metric; `ci` is the kind of interval that was asked for, which may be ``auto``."""
    family = select_family(draws, settings.baseline)
    worth = np.concatenate([draws.worth, draws.effective[family.places]])
    settings = replace(settings, trials=draws.plan.trials, ci=interval_kind(
        ci, float(worth[worth > 0].min(initial=draws.n_effective))))
    differences = _differences(draws, family, settings)
    i, j = family.pairs.T
    delta = family.whole(differences.delta, draws.systems.observed[i] - draws.systems.observed[j])
    decisions = _decisions(draws, family, settings, delta)
    runs = tuple(spread_of_runs(name, scores, settings.alpha) for name, scores in draws.runs.items())
    pairs = _pair_results(draws, family, settings, delta, differences, decisions)
    result = MetricResult(
        draws.metric, _signature(draws, settings, int(np.count_nonzero(family.some))), draws.higher_is_better,
        _system_results(draws, settings, family.pairs, decisions.for_ranks), pairs,
        by_reference=_leaders_by_reference(draws, settings), tokenizer=draws.tokenizer, ci=settings.ci,
        n_units=draws.n_units, n_effective=draws.n_effective, trials=settings.trials, exact=draws.exact, runs=runs,
        pair_runs=pair_runs(pairs, runs))
    return result if settings.rank_rule == "simultaneous" else rank_by_rule(result, draws, settings)


def _system_results(draws: MetricDraws, settings: Settings, pairs: np.ndarray, decisions: np.ndarray | None
                    ) -> tuple[SystemResult, ...]:
    ends = np.array(INTERVALS[settings.ci](draws.systems, settings.alpha)).T
    ranks: list[tuple[int | None, int | None, int | None]] = [(None, None, None)] * len(draws.names)
    if decisions is not None:
        low, high = rank_intervals(decision_matrix(len(draws.names), pairs, decisions))
        clusters = find_clusters(np.arange(len(draws.names)), low, high)
        ranks = [(int(a), int(b), int(c)) for a, b, c in zip(low, high, clusters, strict=True)]
    rows = zip(draws.names, draws.systems.observed, ends, ranks, strict=True)
    return tuple(SystemResult(name, float(score), finite_or_none(low), finite_or_none(high), *own)
                 for name, score, (low, high), own in rows)


def _pair_results(draws: MetricDraws, family: Family, settings: Settings, delta: np.ndarray, found: Differences,
                  decisions: Decisions) -> tuple[PairResult, ...]:
    low, high, joint_low, joint_high, se, se_df = map(family.whole, (
        found.low, found.high, found.joint_low, found.joint_high, found.se, found.se_df))
    mdd, mdd_low, mdd_high, mdd_family = _detectable(family, draws, found, decisions.decidable, settings)
    ratio, swap_se = (None if values is None else family.whole(values[family.tested])
                      for values in (draws.se_ratio, draws.tests.swap_se))
    n, n_units, effective, n_apart = (values[family.places] for values in (
        draws.n, draws.units, draws.effective, draws.n_apart))
    return tuple(PairResult(
        draws.names[i], draws.names[j], float(delta[k]), _at(low, k), _at(high, k),
        p_value=_at(decisions.p, k), p_adjusted=_at(decisions.adjusted, k), significant=bool(decisions.better[k]),
        better=SIDES[int(decisions.better[k])], favours=SIDES[int(decisions.favours[k])], win=_at(decisions.win, k),
        lose=_at(decisions.lose, k), se=_at(se, k), se_ratio=_at(ratio, k), mdd=_at(mdd, k), n=int(n[k]),
        ci_joint_low=_at(joint_low, k), ci_joint_high=_at(joint_high, k), n_units=int(n_units[k]),
        n_effective=float(effective[k]), decidable=bool(decisions.decidable[k]), mdd_low=_at(mdd_low, k),
        mdd_high=_at(mdd_high, k), mdd_family=_at(mdd_family, k), se_df=_at(se_df, k),
        swap_se=_at(swap_se, k), n_apart=int(n_apart[k]) if n_apart[k] < min(ENOUGH, n_units[k]) else None)
        for k, (i, j) in enumerate(family.pairs))


def _signature(draws: MetricDraws, settings: Settings, n_pairs: int) -> str:
    """The metric's own signature, then what was resampled and how, and the family that was decided on together."""
    unit = settings.unit if settings.block_length is None else f"{settings.unit}[{settings.block_length:g}]"
    trials = [] if settings.trials is None else [f"trials:{settings.trials}{'[all]' if draws.exact else ''}"]
    family = [] if settings.baseline is None else [f"baseline:{quote(settings.baseline, safe=' ')}"]
    ranks = [] if settings.rank_rule == "simultaneous" else [f"ranks:{settings.rank_rule}"]
    return "|".join([
        draws.signature, f"test:{settings.test}", f"unit:{unit}", *trials, f"ci:{settings.ci}",
        f"resamples:{settings.resamples}", f"correction:{settings.correction}", f"pairs:{n_pairs}", *family, *ranks,
        f"alpha:{settings.alpha:g}", f"seed:{settings.seed}", f"mtsig:{settings.version}"])


#-----------------------------------------------------------------------------------------------------------------------
# Ranks by another rule than ours: pairs and their tests stay as they are.


def rank_by_rule(result: MetricResult, draws: MetricDraws, settings: Settings) -> MetricResult:
    """The result with the systems scored, listed, counted and ranked by `settings.rank_rule`, and what this hides; its
    pairs stay as they are."""
    rule, systems, order = RANK_RULES[settings.rank_rule], result.systems, np.arange(len(result.systems))
    if rule.by_domain:
        assert draws.over_domains is not None, "settings.check_rank_rule has seen to that"
        systems = _score_by(draws.over_domains, result, settings.alpha)
        order = np.argsort(-draws.sign * draws.over_domains.observed, kind="stable")
    means = tuple(result.systems[k].score for k in order) if rule.by_domain else None
    if settings.baseline is not None or len(systems) < 2:  # no ranks, but the score of the rule
        return replace(result, systems=tuple(systems[k] for k in order),
                       ruled=RuledRanks((), 0, None, (), 0, 0, (), (), means) if rule.by_domain else None)
    ends = np.array([(row.ci_low, row.ci_high) for row in systems], dtype=float).T
    order, ranks = ranks_by(rule.name, draws.systems.segments, ends[0], ends[1], result.sign, settings.alpha,
                            draws.domains)
    ranked = tuple(replace(systems[k], rank_low=int(ranks.low[k]), rank_high=int(ranks.high[k]),
                           cluster=int(ranks.cluster[k])) for k in order)
    return replace(result, systems=ranked, ruled=_ruled(result, order, ranks, rule.by_domain))


def _ruled(result: MetricResult, order: np.ndarray, ranks: Ranks, by_domain: bool) -> RuledRanks:
    """What ranks by a rule hide of a result that has our own."""
    systems = result.systems
    place = {row.system: k for k, row in enumerate(systems)}
    pairs = np.array([(place[pair.a], place[pair.b]) for pair in result.pairs], dtype=int).reshape(-1, 2)
    significant = np.array([pair.significant for pair in result.pairs], dtype=bool)
    inside = find_inside_clusters(ranks, pairs, significant)
    changed = None if systems[0].rank_low is None else sum(
        (row.rank_low, row.rank_high) != both for row, both in zip(systems, zip(ranks.low, ranks.high, strict=True),
                                                                   strict=True))
    return RuledRanks(
        tuple(ranks.cluster[order].tolist()), int(inside.sum()), changed,
        tuple(row.system for row in systems if row.rank_low == 1), count_disjoint_ranks(ranks, pairs, ~significant),
        count_disjoint_ranks(ranks, pairs, inside), tuple(ranks.wins[order].tolist()),
        tuple(ranks.losses[order].tolist()),
        tuple(systems[k].score for k in order) if by_domain else None)


def _score_by(sample: Sample, result: MetricResult, alpha: float) -> tuple[SystemResult, ...]:
    """The systems of a result with the scores of a sample, and their intervals.

    What Student's t is for a mean of segments, the jackknife's is for a mean of means.
    """
    low, high = INTERVALS["jackknife-t" if result.ci == "t" else result.ci](sample, alpha)
    ends = [finite_ends(*both) or (None, None) for both in zip(low, high, strict=True)]
    return tuple(replace(row, score=float(score), ci_low=one, ci_high=other)
                 for row, score, (one, other) in zip(result.systems, sample.observed, ends, strict=True))


#-----------------------------------------------------------------------------------------------------------------------
# Who is ahead by each reference alone, where several score a test set together and may not agree.


def _leaders_by_reference(draws: MetricDraws, settings: Settings) -> tuple[ReferenceLeaders, ...]:
    """Nothing against a baseline, for other rank rules, and where the trials could give no ranks."""
    n_systems = max((len(part.names) for part in draws.references), default=0)
    if settings.baseline is not None or settings.rank_rule != "simultaneous" or fewest_trials(
            settings, n_systems * (n_systems - 1) // 2) is not None:
        return ()
    return tuple(_leaders(part, draws.sign, settings) for part in draws.references)


def _leaders(part: ReferenceDraws, sign: int, settings: Settings) -> ReferenceLeaders:
    """The systems that no other is significantly better than, by the decisions that ranks are made from."""
    settings, correction = replace(settings, block_length=part.block_length), rank_correction(settings)
    if not can_reach(settings, np.full(len(part.delta), part.n_units), correction).any():
        return ReferenceLeaders(part.reference, part.names, part.n_segments, False, False)
    assert part.tests.p is not None, "each reference alone is tested only where there is a p"
    p = part.tests.stepped[0] if part.tests.stepped else ADJUSTMENTS["holm"](part.tests.p)
    side = None if part.tests.side is None else sign * part.tests.side
    decisions = decide_pairs(sign * part.delta, settings.alpha, p=p, side=side)
    low, high = rank_intervals(decision_matrix(len(part.names), all_pairs(len(part.names)), decisions))
    leaders = tuple(name for name, rank in zip(part.names, low, strict=True) if rank == 1)
    return ReferenceLeaders(part.reference, leaders, part.n_segments,
                            bool(can_reach(settings, part.n_apart, correction).any()), bool((high == 1).any()))


def _at(values: np.ndarray | None, k: int) -> float | None:
    return None if values is None else finite_or_none(values[k])


#-----------------------------------------------------------------------------------------------------------------------
# Training runs: how much scores differ between them, apart from how much they would between test sets.


def average_runs_across(results: Iterable[MetricResult], names: Iterable[str], alpha: float) -> tuple[SystemRuns, ...]:
    """The training runs of systems across language pairs: run k has the mean of its scores in all of them.

    Of systems with as many runs in every language pair, and several. The variance of these means is that of a mean
    score either way: where run k is one training for all language pairs, and where each was trained by itself.
    """
    in_pairs = [{row.system: row.scores for row in result.runs} for result in results]
    found = []
    for name in names:
        scores = [of.get(name, ()) for of in in_pairs]
        if len({len(own) for own in scores}) == 1 and len(scores[0]) > 1:
            found.append(spread_of_runs(name, np.mean(scores, axis=0).tolist(), alpha))
    return tuple(found)


def spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
    """The scores of the training runs of a system, and their standard deviation with its interval."""
    sd = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
    ends = (None, None) if sd is None else spread_interval(sd, len(scores), alpha)
    return SystemRuns(name, tuple(scores), sd, *ends)


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> tuple[float, float]:
    """Interval of level 1 - alpha for the standard deviation of normal runs: sd sqrt(f / chi-squared(f)), f = R - 1.

    Examples
    --------
    Of two runs next to nothing is known:

    >>> [round(end, 2) for end in spread_interval(1.0, 2)], [round(end, 2) for end in spread_interval(1.0, 5)]
    ([0.45, 31.91], [0.6, 2.87])
    """
    from scipy.special import gammaincinv

    freedom = n_runs - 1
    low, high = (sd * math.sqrt(freedom / (2 * gammaincinv(freedom / 2, level)))
                 for level in (1 - alpha / 2, alpha / 2))
    return low, high


def pair_runs(pairs: Iterable[PairResult], runs: Sequence[SystemRuns]) -> tuple[PairRuns, ...]:
    """The standard errors of each pair: over test sets, between runs, and of both.

    Runs of two systems are independent, so their variances add up; and so do those of test set and training. What
    differs from run to run on a segment is in both, divided by the number of runs: the sum errs on the large side.
    Of two or three runs the SD is hardly known, and a difference has to exceed more standard errors: t with degrees of
    freedom by Welch and Satterthwaite, those of R runs R - 1.
    """
    spread = {row.system: None if row.sd is None else (row.sd**2 / len(row.scores), len(row.scores) - 1.0)
              for row in runs}
    found = []
    for pair in pairs if runs else ():
        a, b = spread[pair.a], spread[pair.b]
        between = None if a is None or b is None else math.sqrt(a[0] + b[0])
        total = freedom = None
        if a and b and pair.se is not None:
            of_testset = unbiased(pair.se, pair.n_units), float(units_freedom(pair.n_effective))
            variances, degrees = np.array([(of_testset[0] ** 2, of_testset[1]), a, b]).T
            total, freedom = math.sqrt(variances.sum()), float(welch_satterthwaite(variances, degrees))
        found.append(PairRuns(pair.a, pair.b, pair.se, between, total, freedom))
    return tuple(found)


def smallest_stable_difference(row: PairRuns, alpha: float) -> float | None:
    """The difference that another test set and other runs would not turn, in points: t SE of both; None without it."""
    from scipy.special import stdtrit

    if row.se_total is None or row.df_total is None:
        return None
    return float(stdtrit(row.df_total, 1 - alpha / 2)) * row.se_total
