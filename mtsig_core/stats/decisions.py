"""From what was drawn to results: intervals, corrections, decisions and ranks.

Nothing here counts or draws.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
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
    """What a test decides on pairs that it tested; arrays of shape (pairs,), None where the test
    has none.
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
    """Decide pairs that are one family, of a test set or across several; `sign` turns a difference
    into an improvement.
    """
    improvement, p = sign * delta, tests.p
    win, lose = (tests.win, tests.lose) if sign > 0 else (tests.lose, tests.win)
    side = np.sign(improvement) if tests.side is None else sign * tests.side
    adjusted = for_ranks = None
    if p is not None:
        stepped = tests.stepped[0] if tests.stepped else None
        adjust = CORRECTIONS[settings.correction].adjust
        adjusted = stepped if adjust is None else adjust(p)
        for_ranks = holm(p) if stepped is None else stepped
    decidable = can_reach(settings, n_apart)
    better = decide_pairs(improvement, settings.alpha, p=adjusted, win=win, lose=lose, side=side)
    rankable = (
        p is not None
        and settings.baseline is None
        and can_reach(settings, n_apart, rank_correction(settings)).any()
    )
    return Decisions(
        p,
        adjusted,
        win,
        lose,
        decidable,
        np.where(decidable, better, 0),
        np.where(side != np.sign(improvement), side, 0),
        decide_pairs(improvement, settings.alpha, p=for_ranks, side=side) if rankable else None,
    )


def rank_systems(
    n_systems: int, pairs: np.ndarray, decisions: np.ndarray | None
) -> list[tuple[int | None, int | None, int | None]]:
    """The simultaneous rank interval and the cluster of each system, best first; None where nothing
    could be decided.
    """
    if decisions is None:
        return [(None, None, None)] * n_systems
    ranks = rank_simultaneously(n_systems, pairs, decisions)
    return [
        (int(a), int(b), int(c))
        for a, b, c in zip(ranks.low, ranks.high, ranks.cluster, strict=True)
    ]


# -------------------------------------------------------------------------------------------------
# One metric on one test set.


@dataclass(frozen=True, eq=False)
class Family:
    """The pairs that are decided together: all of them, or those with a baseline."""

    pairs: np.ndarray  # int, shape (pairs, 2): With a baseline, it comes second
    places: np.ndarray  # int, shape (pairs,): Where each is among all pairs
    some: np.ndarray  # bool, shape (pairs,): Whether it is tested: both have a segment in common
    tested: (
        np.ndarray
    )  # int, shape (tested,): Where each of these is among all pairs that are tested
    turned: np.ndarray  # int, shape (tested,): -1 where it was drawn the other way round, else 1
    number: int  # which of the families of `PairTests.stepped` it is


def explain_no_baseline(baseline: str, metric: str, names: Sequence[str]) -> SettingError:
    """The error for a baseline without a score; `names` are the systems that have one."""
    return SettingError(
        f"The baseline {baseline} has no score by {metric}. Systems that have: {', '.join(names)}."
    )


def select_family(draws: MetricDraws, baseline: str | None) -> Family:
    """All pairs, or those with the baseline."""
    pairs, every = draws.pairs, draws.n > 0
    if baseline is None:
        return Family(
            pairs,
            np.arange(len(pairs)),
            every,
            np.arange(every.sum()),
            np.ones(every.sum(), int),
            0,
        )
    if baseline not in draws.names:
        raise explain_no_baseline(baseline, draws.metric, draws.names)
    b = draws.names.index(baseline)
    places = np.flatnonzero((pairs == b).any(axis=1))  # in the order of the other systems
    others, some = pairs[places].sum(axis=1) - b, every[places]
    return Family(
        np.column_stack([others, np.full(len(others), b)]),
        places,
        some,
        (np.cumsum(every) - 1)[places[some]],
        np.where(others[some] < b, 1, -1),
        1 + b,
    )


def _estimate_differences(
    draws: MetricDraws, family: Family, settings: Settings
) -> dict[str, np.ndarray]:
    """Difference, interval, interval of all pairs together, standard error and its degrees of
    freedom of the tested pairs, by the fields of `PairResult`.
    """
    places, n = family.places[family.some], len(family.tested)

    def sample_pairs(rows: slice | np.ndarray) -> Sample:
        part, turned = draws.sample_differences(family.tested[rows]), family.turned[rows, None]
        return Sample(
            part.observed * turned[:, 0] + 0.0,
            part.drawn * turned,
            part.left_out * turned,  # no -0.0
            None if part.segments is None else part.segments * turned,
            part.freedom,
        )

    parts = [np.empty((5, 0))]
    for some in row_chunks(n, max(draws.systems.drawn.shape[1], draws.systems.left_out.shape[1])):
        part = sample_pairs(some)
        parts.append(
            np.array(
                [
                    part.observed,
                    *INTERVALS[settings.ci](part, settings.alpha),
                    standard_deviations(part.drawn, 1),
                    degrees_of_freedom(part.left_out, part.drawn.shape[1]),
                ]
            )
        )
    delta, low, high, se, freedom = np.concatenate(parts, axis=1)
    joint_low, joint_high = low, high
    if n > 1:  # none is within that of its pair alone, which may be of another kind
        drawn = Rows(
            (n, draws.systems.drawn.shape[1]),
            lambda rows: draws.drawn_differences(family.tested[rows]) * family.turned[rows, None],
        )
        ends = simultaneous(
            delta, drawn, draws.units[places], draws.effective[places], settings.alpha
        )
        joint_low, joint_high = (
            np.where(low < ends[0], low, ends[0]),
            np.where(high > ends[1], high, ends[1]),
        )
    return {
        "delta": delta,
        "ci_low": low,
        "ci_high": high,
        "ci_joint_low": joint_low,
        "ci_joint_high": joint_high,
        "se": np.where(draws.units[places] > 1, se, np.nan),  # one unit is drawn again and again
        "se_df": freedom,
    }


def _detectable(
    draws: MetricDraws,
    places: np.ndarray,
    se: np.ndarray,
    freedom: np.ndarray,
    decidable: np.ndarray,
    settings: Settings,
) -> dict[str, np.ndarray]:
    """Minimum detectable differences, their intervals, and those of tests at alpha / m; NaN where p
    cannot be so small.
    """
    effective, n_apart = draws.effective[places], draws.n_apart[places]
    n_swapped = n_apart if swaps_units(settings) else None
    able = decidable & (se > 0)
    of_family = able & can_reach(replace(settings, trials=None), n_apart, "bonferroni")
    alpha, alpha_of_family = settings.alpha, settings.alpha / max(1, len(places))
    low, high = error_interval(se, freedom, effective, settings.alpha)
    rows = (
        ("mdd", unbiased(se, effective), alpha, able),
        ("mdd_low", low, alpha, able),
        ("mdd_high", high, alpha, able),
        ("mdd_family", unbiased(se, effective), alpha_of_family, of_family),
    )
    found = {}
    for name, error, level, can in rows:
        difference = minimum_detectable_difference(
            error, level, n_effective=effective, n_swapped=n_swapped
        )
        found[name] = np.where(can, difference, np.nan)
    return found


def decide_metric(draws: MetricDraws, settings: Settings, ci: str) -> MetricResult:
    """The result of one metric; `ci` is the kind of interval that was asked for, which may be
    ``auto``.
    """
    family = select_family(draws, settings.baseline)
    worth = np.concatenate([draws.worth, draws.effective[family.places]])
    settings = replace(
        settings,
        trials=draws.plan.trials,
        ci=interval_kind(ci, float(worth[worth > 0].min(initial=draws.n_effective))),
    )
    columns, places = _estimate_differences(draws, family, settings), family.places[family.some]
    decisions = decide_tests(
        draws.tests.select(family.tested, family.turned, family.number),
        columns["delta"],
        draws.sign,
        draws.n_apart[places],
        settings,
    )
    columns |= _detectable(
        draws, places, columns["se"], columns["se_df"], decisions.decidable, settings
    )
    pairs = _pair_results(draws, family, columns, decisions)
    ends = np.array(INTERVALS[settings.ci](draws.systems, settings.alpha)).T
    rows = zip(
        draws.names,
        draws.systems.observed,
        ends,
        rank_systems(len(draws.names), family.pairs[family.some], decisions.for_ranks),
        strict=True,
    )
    systems = tuple(
        SystemResult(name, float(score), finite_or_none(low), finite_or_none(high), *ranks)
        for name, score, (low, high), ranks in rows
    )
    runs = tuple(
        spread_of_runs(name, scores, settings.alpha) for name, scores in draws.runs.items()
    )
    result = MetricResult(
        draws.metric,
        _signature(draws, settings, len(places)),
        draws.higher_is_better,
        systems,
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
    for_ranks = None if decisions.for_ranks is None else np.zeros(len(family.pairs), dtype=int)
    if for_ranks is not None:
        for_ranks[family.some] = decisions.for_ranks
    return rank_by_rule(result, draws, settings, for_ranks)


def decide_studentised(draws: MetricDraws, settings: Settings) -> dict[tuple[str, str], str | None]:
    """Which system of each tested pair the studentised bootstrap calls better, where `draw_metric`
    looked at it, with the same correction; empty where it did not.
    """
    if draws.studentised is None:
        return {}
    family = select_family(draws, settings.baseline)
    tests, n_apart = (
        draws.studentised.select(family.tested, family.turned, family.number),
        draws.n_apart[family.places],
    )
    improvement = draws.sign * draws.sample_differences(family.tested).observed * family.turned
    other = replace(settings, test=STUDENTISED, trials=draws.plan.trials)
    decided = decide_tests(
        tests, draws.sign * improvement, draws.sign, n_apart[family.some], other
    ).better
    named = [(draws.names[i], draws.names[j]) for i, j in family.pairs[family.some]]
    return {pair: SIDES[int(side)] for pair, side in zip(named, decided, strict=True)}


def _pair_results(
    draws: MetricDraws, family: Family, columns: dict[str, np.ndarray], decisions: Decisions
) -> tuple[PairResult, ...]:
    """All pairs of a family; of those that are not tested the difference of the systems' own
    scores.
    """
    numbers: dict[str, np.ndarray | None] = {
        **columns,
        "p_value": decisions.p,
        "p_adjusted": decisions.adjusted,
        "win": decisions.win,
        "lose": decisions.lose,
        "se_ratio": None if draws.se_ratio is None else draws.se_ratio[family.tested],
        "swap_se": None if draws.tests.swap_se is None else draws.tests.swap_se[family.tested],
    }
    found, number = [], np.cumsum(family.some) - 1
    for k, ((i, j), place) in enumerate(zip(family.pairs, family.places, strict=True)):
        here = int(number[k]) if family.some[k] else None
        of_pair: dict[str, Any] = {
            name: None if here is None or values is None else finite_or_none(values[here])
            for name, values in numbers.items()
        }
        of_pair["delta"] = float(
            draws.systems.observed[i] - draws.systems.observed[j]
            if here is None
            else columns["delta"][here]
        )
        better, favours = (
            (0, 0) if here is None else (int(decisions.better[here]), int(decisions.favours[here]))
        )
        n_units, n_apart = int(draws.units[place]), int(draws.n_apart[place])
        found.append(
            PairResult(
                draws.names[i],
                draws.names[j],
                **of_pair,
                significant=bool(better),
                better=SIDES[better],
                favours=SIDES[favours],
                n=int(draws.n[place]),
                n_units=n_units,
                n_effective=float(draws.effective[place]),
                decidable=here is not None and bool(decisions.decidable[here]),
                n_apart=n_apart if n_apart < min(ENOUGH, n_units) else None,
            )
        )
    return tuple(found)


def _signature(draws: MetricDraws, settings: Settings, n_pairs: int) -> str:
    """The metric's own signature, then what was resampled and how, and the family that was decided
    on together.
    """
    unit = (
        settings.unit
        if settings.block_length is None
        else f"{settings.unit}[{settings.block_length:g}]"
    )
    trials = (
        []
        if settings.trials is None
        else [f"trials:{settings.trials}{'[all]' if draws.exact else ''}"]
    )
    family = [] if settings.baseline is None else [f"baseline:{quote(settings.baseline, safe=' ')}"]
    ranks = [] if settings.rank_rule == "simultaneous" else [f"ranks:{settings.rank_rule}"]
    return "|".join(
        [
            draws.signature,
            f"test:{settings.test}",
            f"unit:{unit}",
            *trials,
            f"ci:{settings.ci}",
            f"resamples:{settings.resamples}",
            f"correction:{settings.correction}",
            f"pairs:{n_pairs}",
            *family,
            *ranks,
            f"alpha:{settings.alpha:g}",
            f"seed:{settings.seed}",
            f"mtsig:{settings.version}",
        ]
    )


# -------------------------------------------------------------------------------------------------
# Ranks by another rule than ours: pairs keep our tests, and get the difference, p and decision of the rule beside.


def rank_by_rule(
    result: MetricResult, draws: MetricDraws, settings: Settings, for_ranks: np.ndarray | None
) -> MetricResult:
    """The result with the systems scored, listed, counted and ranked by `settings.rank_rule`, and
    what this hides.

    Its pairs keep our difference and test, and get those of the rule beside. `for_ranks` as in
    `RankInputs`.
    """
    rule, systems, order = (
        RANK_RULES[settings.rank_rule],
        result.systems,
        np.arange(len(result.systems)),
    )
    if rule.by_domain:
        assert draws.over_domains is not None, "settings.check_rank_rule has seen to that"
        systems = _score_by(draws.over_domains, result, settings.alpha)
        order = np.argsort(-draws.sign * draws.over_domains.observed, kind="stable")
    means = tuple(result.systems[k].score for k in order) if rule.by_domain else None
    if settings.baseline is not None or len(systems) < 2:  # no ranks, but the score of the rule
        return replace(
            result,
            systems=tuple(systems[k] for k in order),
            ruled=RuledRanks((), 0, None, (), 0, 0, (), (), means, result.systems)
            if rule.by_domain
            else None,
        )
    order, ranks = rule.rank(
        RankInputs.from_result(
            replace(result, systems=systems),
            settings.alpha,
            draws.systems.segments,
            draws.domains,
            for_ranks,
        )
    )
    ranked = tuple(
        replace(
            systems[k],
            rank_low=int(ranks.low[k]),
            rank_high=int(ranks.high[k]),
            cluster=int(ranks.cluster[k]),
        )
        for k in order
    )
    pairs = _add_rule_decisions(result, systems, ranks)
    return replace(
        result, systems=ranked, pairs=pairs, ruled=_ruled(result, order, ranks, rule.by_domain)
    )


def _add_rule_decisions(
    result: MetricResult, systems: Sequence[SystemResult], ranks: Ranks
) -> tuple[PairResult, ...]:
    """The pairs with what the rule of the ranks says of each: its difference, its p and the better
    system. `systems` are in the order of `ranks`, with the scores that the rule shows.
    """
    if ranks.means is None:
        scores = np.array([row.score for row in systems])
    else:
        scores = result.sign * ranks.means
    places, _ = number_decisions(result)
    pairs = []
    for pair, (first, second) in zip(result.pairs, places, strict=True):
        better = None
        if ranks.better[first, second]:
            better = "a"
        elif ranks.better[second, first]:
            better = "b"
        p = None if ranks.p is None else finite_or_none(ranks.p[first, second])
        pairs.append(
            replace(
                pair,
                rule_delta=finite_or_none(scores[first] - scores[second]),
                rule_p=p,
                rule_better=better,
            )
        )
    return tuple(pairs)


def _ruled(result: MetricResult, order: np.ndarray, ranks: Ranks, by_domain: bool) -> RuledRanks:
    """What ranks by a rule hide of a result that has our own."""
    systems = result.systems
    pairs, decisions = number_decisions(result)
    significant = decisions != 0
    inside = find_inside_clusters(ranks, pairs, significant)
    changed = (
        None
        if systems[0].rank_low is None
        else sum(
            (row.rank_low, row.rank_high) != both
            for row, both in zip(systems, zip(ranks.low, ranks.high, strict=True), strict=True)
        )
    )
    return RuledRanks(
        tuple(ranks.cluster[order].tolist()),
        int(inside.sum()),
        changed,
        tuple(row.system for row in systems if row.rank_low == 1),
        count_disjoint_ranks(ranks, pairs, ~significant),
        count_disjoint_ranks(ranks, pairs, inside),
        tuple(ranks.wins[order].tolist()),
        tuple(ranks.losses[order].tolist()),
        tuple(systems[k].score for k in order) if by_domain else None,
        unruled=systems,
    )


def _score_by(sample: Sample, result: MetricResult, alpha: float) -> tuple[SystemResult, ...]:
    """The systems of a result with the scores of a sample, and their intervals.

    What Student's t is for a mean of segments, the jackknife's is for a mean of means.
    """
    low, high = INTERVALS["jackknife-t" if result.ci == "t" else result.ci](sample, alpha)
    ends = [finite_ends(*both) or (None, None) for both in zip(low, high, strict=True)]
    return tuple(
        replace(row, score=float(score), ci_low=one, ci_high=other)
        for row, score, (one, other) in zip(result.systems, sample.observed, ends, strict=True)
    )


# -------------------------------------------------------------------------------------------------
# Who is ahead by each reference alone, where several score a test set together and may not agree.


def _leaders_by_reference(draws: MetricDraws, settings: Settings) -> tuple[ReferenceLeaders, ...]:
    """Nothing against a baseline, for other rank rules, and where the trials could give no
    ranks.
    """
    n_systems = max((len(part.names) for part in draws.references), default=0)
    if (
        settings.baseline is not None
        or settings.rank_rule != "simultaneous"
        or fewest_trials(settings, n_systems * (n_systems - 1) // 2) is not None
    ):
        return ()
    return tuple(_leaders(part, draws.sign, settings) for part in draws.references)


def _leaders(part: ReferenceDraws, sign: int, settings: Settings) -> ReferenceLeaders:
    """The systems that no other is significantly better than, by the decisions that ranks are made
    from.
    """
    settings = replace(settings, block_length=part.block_length)
    decisions = decide_tests(part.tests, part.delta, sign, part.n_apart, settings).for_ranks
    if decisions is None:
        return ReferenceLeaders(part.reference, part.names, part.n_segments, False, False)
    low, high = rank_intervals(
        decision_matrix(len(part.names), all_pairs(len(part.names)), decisions)
    )
    leaders = tuple(name for name, rank in zip(part.names, low, strict=True) if rank == 1)
    return ReferenceLeaders(part.reference, leaders, part.n_segments, True, bool((high == 1).any()))


# -------------------------------------------------------------------------------------------------
# Training runs: how much scores differ between them, apart from how much they would between test sets.


def average_runs_across(
    results: Iterable[MetricResult], names: Iterable[str], alpha: float
) -> tuple[SystemRuns, ...]:
    """The training runs of systems across language pairs: run k has the mean of its scores in all
    of them.

    Of systems with as many runs in every language pair, and several. The variance of these means is
    that of a mean score either way: where run k is one training for all language pairs, and where
    each was trained by itself.
    """
    in_pairs = [{row.system: row.scores for row in result.runs} for result in results]
    found = []
    for name in names:
        scores = [of.get(name, ()) for of in in_pairs]
        if len({len(own) for own in scores}) == 1 and len(scores[0]) > 1:
            found.append(spread_of_runs(name, np.mean(scores, axis=0).tolist(), alpha))
    return tuple(found)


def spread_of_runs(name: str, scores: Sequence[float], alpha: float) -> SystemRuns:
    """The scores of the training runs of a system, and their standard deviation with its
    interval.
    """
    sd = float(np.std(scores, ddof=1)) if len(scores) > 1 else None
    ends = (None, None) if sd is None else spread_interval(sd, len(scores), alpha)
    return SystemRuns(name, tuple(scores), sd, *ends)


def spread_interval(sd: float, n_runs: int, alpha: float = 0.05) -> tuple[float, float]:
    """Interval of level 1 - alpha for the standard deviation of normal runs: sd sqrt(f /
    chi-squared(f)), f = R - 1.

    >>> [round(end, 2) for end in spread_interval(1.0, 2)], [round(end, 2) for end in spread_interval(1.0, 5)]
    ([0.45, 31.91], [0.6, 2.87])
    """
    from scipy.special import gammaincinv

    freedom = n_runs - 1
    low, high = (
        sd * math.sqrt(freedom / (2 * gammaincinv(freedom / 2, level)))
        for level in (1 - alpha / 2, alpha / 2)
    )
    return low, high


def pair_runs(pairs: Iterable[PairResult], runs: Sequence[SystemRuns]) -> tuple[PairRuns, ...]:
    """The standard errors of each pair: over test sets, between runs, and of both.

    Runs of two systems are independent, so their variances add up; and so do those of test set and
    training. What differs from run to run on a segment is in both, divided by the number of runs:
    the sum errs on the large side. Of two or three runs the SD is hardly known, and a difference
    has to exceed more standard errors: t with degrees of freedom by Welch and Satterthwaite, those
    of R runs R - 1.
    """
    spread = {
        row.system: None if row.sd is None else (row.sd**2 / len(row.scores), len(row.scores) - 1.0)
        for row in runs
    }
    found = []
    for pair in pairs if runs else ():
        a, b = spread[pair.a], spread[pair.b]
        between = None if a is None or b is None else math.sqrt(a[0] + b[0])
        total = freedom = None
        if a and b and pair.se is not None:
            of_testset = unbiased(pair.se, pair.n_effective), float(units_freedom(pair.n_effective))
            variances, degrees = np.array([(of_testset[0] ** 2, of_testset[1]), a, b]).T
            total, freedom = (
                math.sqrt(variances.sum()),
                float(welch_satterthwaite(variances, degrees)),
            )
        found.append(PairRuns(pair.a, pair.b, pair.se, between, total, freedom))
    return tuple(found)


def smallest_stable_difference(row: PairRuns, alpha: float) -> float | None:
    """The difference that another test set and other runs would not turn, in points: t SE of both;
    None without it.
    """
    from scipy.special import stdtrit

    if row.se_total is None or row.df_total is None:
        return None
    return float(stdtrit(row.df_total, 1 - alpha / 2)) * row.se_total
