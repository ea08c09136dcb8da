"""Everything that a comparison counts and draws, for all pairs; nothing that depends on how it is
decided.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.metrics import Metric, find_tokenizer, mean_over_domains
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import (
    Rows,
    apply_by_rows,
    pair_differences,
    rounding_error,
    row_chunks,
)
from mtsig_core.stats.engine import (
    Columns,
    Measured,
    count_common_segments,
    count_differing_units,
    measure,
    pair_statistics,
    segment_scores,
)
from mtsig_core.stats.few_units import find_freedom, p_floor, pair_units
from mtsig_core.stats.intervals import Sample, jackknife_se
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.settings import Plan
from mtsig_core.stats.significance import (
    TESTS,
    SignificanceTest,
    measure_null,
    romano_wolf_in,
    win_rates,
)
from mtsig_core.stats.skew import (
    LEAST_SYSTEMS,
    SkewedSystem,
    find_skewed,
    list_unit_names,
    measure_sizes,
)
from mtsig_core.stats.studentised import draw_studentised
from mtsig_core.testset import TestSet

#: The test that is asked beside another one where a system is skewed.
STUDENTISED = "bootstrap-t"
_LEAST_TRIALS = 999  # of the studentised bootstrap, where the test has fewer or none


@dataclass(frozen=True, eq=False)
class SystemDraws:
    """The statistics of systems, by unit too, and their bootstrap scores, shape (systems, draws):
    those of the sample, from which intervals are made, and more where the test needs more.
    """

    statistics: np.ndarray | Columns
    data: engine.UnitStatistics
    scores: np.ndarray
    sample: Sample


@dataclass(frozen=True, eq=False)
class PairTests:
    """What a test says of pairs before any correction; arrays of shape (pairs,), None where the
    test has none.
    """

    #: As in `PairResult`.
    p: np.ndarray | None = None
    win: np.ndarray | None = None
    lose: np.ndarray | None = None
    swap_se: np.ndarray | None = None
    #: The sign of the test's own statistic, positive where the first system has the higher scores
    #: by it.
    side: np.ndarray | None = None
    stepped: tuple[np.ndarray, ...] = ()  # p by Romano-Wolf, of each family that was asked for

    def only(self, rows: np.ndarray, turned: np.ndarray, family: int) -> PairTests:
        """Those of some pairs, which are one of the families, the two systems exchanged where
        `turned` is -1.
        """
        if self.side is None:
            return self
        p, win, lose, swap_se, side = (
            None if values is None else values[rows]
            for values in (self.p, self.win, self.lose, self.swap_se, self.side)
        )
        if win is not None and lose is not None:
            win, lose = np.where(turned > 0, win, lose), np.where(turned > 0, lose, win)
        return PairTests(p, win, lose, swap_se, side * turned, self.stepped[family : family + 1])


@dataclass(frozen=True, eq=False)
class ReferenceDraws:
    """Systems scored with one reference alone, best first, and the tests of all pairs of them."""

    reference: str
    n_segments: int
    block_length: float | None
    names: tuple[str, ...]
    #: shape (pairs,)
    delta: np.ndarray
    n_apart: np.ndarray
    tests: PairTests


@dataclass(frozen=True, eq=False)
class MetricDraws:
    """All systems under one metric, best first, and all pairs of them, as drawn.

    Another alpha, correction, interval, rank rule or baseline needs nothing else.
    """

    metric: str
    signature: str  # the metric's own
    higher_is_better: bool
    tokenizer: str | None
    plan: Plan  # with the trials of this metric, which are all swaps where few units have scores
    exact: bool
    #: The units that were drawn, and how many of equal size they are worth.
    n_units: int
    n_effective: float
    names: tuple[str, ...]
    systems: Sample
    worth: np.ndarray  # shape (systems,): How many units of equal size each score stands on
    pairs: np.ndarray  # int, shape (pairs, 2): All of them, by the rows of `names`
    #: shape (pairs,): Segments and units that both have, how many of equal size these are worth,
    #: and those that tell the two apart.
    n: np.ndarray
    units: np.ndarray
    effective: np.ndarray
    n_apart: np.ndarray
    #: Where scores are missing, the differences of the tested pairs on the segments that both have;
    #: without segment scores, which are those of `systems`.
    on_common: Sample | None
    se_ratio: np.ndarray | None  # shape (tested,), or None: Standard error by document / by segment
    # of the tested pairs; the first family has all of them, the others those with one system each
    tests: PairTests
    runs: Mapping[str, tuple[float, ...]]  # scores of training runs by system, empty without any
    domains: Sequence[str] | None  # of each segment, where there are segment scores
    over_domains: Sample | None  # the same systems scored by the mean over domains
    references: tuple[ReferenceDraws, ...]
    #: The systems whose differences to the others are skewed; and, where there are any and the test
    #: is another one, what the studentised bootstrap says of the tested pairs.
    skewed: tuple[SkewedSystem, ...] = ()
    studentised: PairTests | None = None

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return 1 if self.higher_is_better else -1

    def sample_differences(self, tested: np.ndarray) -> Sample:
        """The differences of some pairs, by their places among the tested ones."""
        pairs, systems, own = self.pairs[self.n > 0][tested], self.systems, self.on_common
        drawn = self.drawn_differences(tested)
        segments = None if systems.segments is None else pair_differences(systems.segments, pairs)
        if own is not None:
            assert own.freedom is not None, "it was drawn for intervals"
            return Sample(
                own.observed[tested], drawn, own.left_out[tested], segments, own.freedom[tested]
            )
        assert systems.freedom is not None, "they were drawn for intervals"
        return Sample(
            pair_differences(systems.observed, pairs),
            drawn,
            pair_differences(systems.left_out, pairs),
            segments,
            systems.freedom[pairs[:, 0]],
        )  # without gaps all systems have the same units

    def drawn_differences(self, tested: np.ndarray) -> np.ndarray:
        """Those on bootstrap samples alone, shape (tested, resamples)."""
        if self.on_common is not None:
            return np.asarray(self.on_common.drawn[tested])
        return pair_differences(self.systems.drawn, self.pairs[self.n > 0][tested])


# -------------------------------------------------------------------------------------------------
# Drawing one metric.


def draw_metric(
    testset: TestSet,
    metric: Metric,
    plan: Plan,
    alone: Mapping[str, TestSet],
    *,
    jobs: int = 1,
    stage: engine.Stages = lambda name: None,
    counted: dict[str, Measured] | None = None,
) -> MetricDraws:
    """Count and draw what a comparison by one metric needs.

    `alone` has the test sets to score with one reference each; `counted` is given what was counted,
    by metric.
    """
    if (report := stage("counting")) is not None:
        report(0.0)
    seen = measure(testset.keep_scorable(metric.name), metric, progress=report)
    if counted is not None:
        counted[metric.name] = seen
    seen = (
        seen.best_first()
    )  # in place of what came: on large sets the statistics are most of the memory
    units = seen.units(
        plan.unit, plan.block_length
    )  # by what has scores, which may be little of the whole
    exact = TESTS[plan.test].tries_all(units)
    plan = replace(plan, trials=units.all_swaps) if exact else plan
    systems = draw_systems(metric, seen.stored, units, plan, jobs, stage("intervals"))
    pairs = engine.all_pairs(len(seen.names))
    n, sides, rows = draw_sides(seen, systems, pairs, units, plan, jobs, stage("pairs"))
    some, (n_units, effective) = n > 0, pair_units(seen, pairs, units)
    n_apart = n_units.copy()
    n_apart[some] = count_differing_units(
        sides.data, rows, n_units[some], TESTS[plan.test].draws == "swaps"
    )
    families = [
        np.arange(len(rows)),
        *(np.flatnonzero((pairs[some] == k).any(axis=1)) for k in range(len(seen.names))),
    ]
    tests = (
        _test_rows(sides, rows, plan, n_apart[some], families, jobs, stage("test"))
        if len(rows)
        else PairTests()
    )
    itself = np.repeat(np.arange(len(seen.names)), 2).reshape(-1, 2)
    skewed = _find_skewed(seen, sides, rows, pairs[some], units)
    other = None
    if skewed and plan.test != STUDENTISED:
        other_plan = replace(plan, test=STUDENTISED, trials=max(plan.trials or 0, _LEAST_TRIALS))
        other = _test_rows(
            sides, rows, other_plan, n_apart[some], families, jobs, stage("studentised bootstrap")
        )
    references = tuple(
        _draw_reference(
            name, part, metric, plan, jobs, stage, f"only reference {k} of {len(alone)}"
        )
        for k, (name, part) in enumerate(alone.items(), 1)
    )
    return MetricDraws(
        metric.name,
        metric.signature(seen.testset),
        metric.higher_is_better,
        find_tokenizer(metric, seen.testset),
        plan,
        exact,
        units.pieces,
        units.effective,
        tuple(seen.names),
        systems.sample,
        worth=pair_units(seen, itself, units)[1],
        pairs=pairs,
        n=n,
        units=n_units,
        effective=effective,
        n_apart=n_apart,
        on_common=_differences_on_common(sides, rows) if seen.has_gaps else None,
        tests=tests,
        se_ratio=_se_ratios(seen, sides, rows, n, pairs, plan, jobs, stage),
        runs=_scores_of_runs(seen),
        domains=seen.testset.domains,
        over_domains=_draw_over_domains(seen, units, plan),
        references=references,
        skewed=skewed,
        studentised=other,
    )


def _find_skewed(
    seen: Measured, sides: SystemDraws, rows: np.ndarray, pairs: np.ndarray, units: Units
) -> tuple[SkewedSystem, ...]:
    """The systems of the tested pairs whose differences to the others are skewed."""
    if len(seen.names) < LEAST_SYSTEMS:
        return ()
    left_out = pair_differences(sides.sample.left_out, rows)
    return find_skewed(
        left_out,
        pairs,
        measure_sizes(units),
        seen.names,
        list_unit_names(seen.testset, units),
        seen.sign,
    )


def _test_rows(
    sides: SystemDraws,
    rows: np.ndarray,
    plan: Plan,
    n_apart: np.ndarray,
    families: list[np.ndarray],
    jobs: int,
    progress: engine.StageProgress | None,
) -> PairTests:
    """Draw the replicates of pairs of rows, and test the pairs by the test of the plan."""
    test = TESTS[plan.test]
    replicates = draw_replicates(sides, rows, plan, jobs, progress)
    return test_pairs(
        pair_differences(sides.data.scores, rows),
        replicates,
        test,
        p_floor(test, plan.unit, n_apart),
        families,
        whole=test.tries_all(sides.data.units),
        errors=errors_of_test(sides, rows, plan),
    )


def draw_systems(
    metric: Metric,
    statistics: np.ndarray | Columns,
    units: Units,
    plan: Plan,
    jobs: int,
    progress: engine.StageProgress | None,
) -> SystemDraws:
    """Bootstrap scores, and those with a unit left out, of all rows of statistics."""
    data = engine.UnitStatistics(metric, statistics, units)
    n_drawn = max(
        plan.resamples, (plan.trials or 0) if TESTS[plan.test].draws == "bootstrap" else 0
    )
    drawn = engine.bootstrap_scores(data, n_drawn, plan.seed, jobs=jobs, progress=progress)
    needs_left_out = plan.resamples > 0 or TESTS[plan.test].draws == "studentised"
    left_out = engine.jackknife_scores(data) if needs_left_out else np.empty((data.shape[1], 0))
    kept = np.ascontiguousarray(drawn[:, : plan.resamples])  # no view, which would keep all of them
    sample = Sample(
        data.scores,
        kept,
        left_out,
        segment_scores(metric, statistics),
        find_freedom(data, statistics),
    )
    return SystemDraws(statistics, data, drawn, sample)


def draw_sides(
    seen: Measured,
    systems: SystemDraws,
    pairs: np.ndarray,
    units: Units,
    plan: Plan,
    jobs: int,
    progress: engine.StageProgress | None,
) -> tuple[np.ndarray, SystemDraws, np.ndarray]:
    """How many segments each pair has in common; and of the pairs that have any, what is compared,
    and its rows.

    Where no score is missing these are the systems themselves, else both sides of each pair on
    their segments.
    """
    n = count_common_segments(seen.metric, systems.statistics, pairs)
    some = n > 0
    if not (seen.has_gaps and some.any()):
        return n, systems, pairs[some]
    assert not isinstance(systems.statistics, Columns), "only segment scores have gaps"
    statistics, rows = pair_statistics(systems.statistics, pairs[some])
    return n, draw_systems(seen.metric, statistics, units, plan, jobs, progress), rows


def _differences_on_common(sides: SystemDraws, rows: np.ndarray) -> Sample:
    observed, drawn, left_out = (
        pair_differences(values, rows)
        for values in (sides.sample.observed, sides.sample.drawn, sides.sample.left_out)
    )
    assert sides.sample.freedom is not None, "they were drawn for intervals"
    return Sample(
        observed, drawn, left_out, freedom=sides.sample.freedom[rows[:, 0]]
    )  # both sides have the same units


def _se_ratios(
    seen: Measured,
    sides: SystemDraws,
    rows: np.ndarray,
    n: np.ndarray,
    pairs: np.ndarray,
    plan: Plan,
    jobs: int,
    stage: engine.Stages,
) -> np.ndarray | None:
    """Standard error by document / by segment of each tested pair, NaN where nothing varies; None
    without documents.
    """
    if seen.testset.documents is None:
        return None
    errors = {}
    for kind in ("document", "segment"):
        scores = sides.sample.drawn
        if kind != plan.unit:
            other = engine.UnitStatistics(seen.metric, sides.statistics, seen.units(kind))
            scores = engine.bootstrap_scores(
                other,
                plan.resamples,
                plan.seed,
                jobs=jobs,
                progress=stage(f"standard errors by {kind}"),
            )
        errors[kind] = np.concatenate(
            [
                np.empty(0),
                *(
                    standard_deviations(pair_differences(scores, rows[some]))
                    for some in row_chunks(len(rows), scores.shape[1])
                ),
            ]
        )
    ratio = np.divide(
        errors["document"],
        errors["segment"],
        out=np.full(len(rows), np.nan),
        where=errors["segment"] > 0,
    )
    several = np.minimum(n, pair_units(seen, pairs, seen.units("document"))[0])[n > 0] > 1
    ratios: np.ndarray = np.where(several, ratio, np.nan)
    return ratios


def standard_deviations(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Standard deviation of each row, 0 where it is a matter of rounding."""
    spread = values.std(axis=1, ddof=ddof)
    return np.where(spread > rounding_error(values), spread, 0.0)


def _scores_of_runs(seen: Measured) -> dict[str, tuple[float, ...]]:
    by_run = getattr(seen.metric, "by_run", None)
    if by_run is None:
        return {}
    return {
        name: tuple(scores[: 1 + len(seen.testset.runs.get(name, ()))])
        for name, scores in zip(seen.names, by_run(seen.totals).tolist(), strict=True)
    }


def has_domains(seen: Measured) -> bool:
    """Whether there is a mean over domains: of segment scores, where domains are known."""
    return seen.testset.domains is not None and seen.segment_scores is not None


def score_over_domains(seen: Measured) -> Measured:
    """The same systems and segments, scored by the mean over domains of the mean in each."""
    return measure(seen.testset, mean_over_domains(seen.metric))


def _draw_over_domains(seen: Measured, units: Units, plan: Plan) -> Sample | None:
    if not has_domains(seen):
        return None
    mean = score_over_domains(seen)
    return draw_systems(mean.metric, mean.stored, units, replace(plan, test="ar"), 1, None).sample


def _draw_reference(
    name: str,
    part: TestSet,
    metric: Metric,
    plan: Plan,
    jobs: int,
    stage: engine.Stages,
    place: str,
) -> ReferenceDraws:
    """All pairs of systems scored with one reference alone, without intervals and standard
    errors.
    """
    length = plan.block_length and min(plan.block_length, float(part.n_segments))
    seen = measure(part, metric, progress=stage(f"counting, {place}")).best_first()
    units, plan, test = seen.units(plan.unit, length), replace(plan, resamples=0), TESTS[plan.test]
    progress = stage(f"test, {place}")
    systems, pairs = (
        draw_systems(metric, seen.stored, units, plan, jobs, progress),
        engine.all_pairs(len(seen.names)),
    )
    n_apart = count_differing_units(
        systems.data, pairs, np.full(len(pairs), units.pieces), test.draws == "swaps"
    )
    delta = pair_differences(systems.data.scores, pairs)
    tests = _test_rows(systems, pairs, plan, n_apart, [np.arange(len(pairs))], jobs, progress)
    return ReferenceDraws(name, part.n_segments, length, tuple(seen.names), delta, n_apart, tests)


# -------------------------------------------------------------------------------------------------
# Parts of a comparison, such as language pairs or domains: each is drawn by itself.


@dataclass(frozen=True, eq=False)
class PartDraws:
    """The pairs of systems in one part."""

    #: All systems; and both sides of each pair on the segments that both have, the same where none
    #: is missing.
    systems: SystemDraws
    sides: SystemDraws
    rows: (
        np.ndarray
    )  # int, shape (tested, 2): Of `sides`, for the pairs that have a segment in common
    units: Units
    some: np.ndarray  # bool, shape (pairs,): Which these are
    #: shape (tested,): Units that tell the two apart; and the difference.
    n_apart: np.ndarray
    delta: np.ndarray
    replicates: (
        np.ndarray
    )  # shape (tested, trials or all swaps): What the test of this part looks at
    #: shape (tested, trials): The same, of all swaps as many as are drawn in other parts: to be put
    #: together with theirs.
    joint: np.ndarray


def derive_seed(seed: int, part: str) -> int:
    """The seed of one part's draws, from that of all and its name: parts draw independently.

    >>> derive_seed(0, "en-de") != derive_seed(0, "en-cs")
    True
    """
    return int.from_bytes(
        hashlib.blake2b(f"{seed}\0{part}".encode(), digest_size=8).digest(), "big"
    )


def draw_part(part: Measured, pairs: np.ndarray, plan: Plan, jobs: int = 1) -> PartDraws:
    """Draw the pairs of one part, with the seed of the plan."""
    units, test = part.units(plan.unit, plan.block_length), TESTS[plan.test]
    systems = draw_systems(part.metric, part.stored, units, plan, jobs, None)
    n, sides, rows = draw_sides(part, systems, pairs, units, plan, jobs, None)
    delta = pair_differences(sides.sample.observed, rows)
    joint = replicates = np.empty((0, plan.trials or 0))
    if len(rows):
        joint = replicates = draw_replicates(sides, rows, plan, jobs, None)[:]
    if test.tries_all(units):  # none swapped is among all swaps
        joint = np.column_stack([delta, replicates])
        joint = joint[
            :, np.random.default_rng(plan.seed).integers(joint.shape[1], size=plan.trials)
        ]
    n_common = pair_units(part, pairs, units)[0][n > 0]
    return PartDraws(
        systems,
        sides,
        rows,
        units,
        n > 0,
        count_differing_units(sides.data, rows, n_common, test.draws == "swaps"),
        delta,
        replicates,
        joint,
    )


# -------------------------------------------------------------------------------------------------
# The one place where pairs are tested.


def draw_replicates(
    sides: SystemDraws,
    pairs: np.ndarray,
    plan: Plan,
    jobs: int,
    progress: engine.StageProgress | None,
) -> np.ndarray | Rows:
    """What the test looks at beside the observed differences, a row for each pair."""
    test = TESTS[plan.test]
    if test.draws == "swaps":
        assert plan.trials is not None, "only tests of segment scores have no trials"
        return engine.swap_rows(
            sides.data, pairs, plan.trials, plan.seed, jobs=jobs, progress=progress
        )
    if test.draws == "studentised":
        assert plan.trials is not None, "only tests of segment scores have no trials"
        return draw_studentised(
            sides.sample.left_out,
            pairs,
            sides.data.units,
            plan.trials,
            plan.seed,
            jobs=jobs,
            progress=progress,
        )
    source = sides.sample.segments if test.of_segments else sides.scores[:, : plan.trials]
    assert source is not None, "only metrics that are means of segment scores have such a test"
    differences = Rows(
        (len(pairs), source.shape[1]), lambda rows: pair_differences(source, pairs[rows])
    )
    return differences[:] if test.of_segments else differences


def errors_of_test(sides: SystemDraws, pairs: np.ndarray, plan: Plan) -> np.ndarray | None:
    """The standard error that a studentised test divides the difference of each pair by; None for
    other tests.
    """
    if TESTS[plan.test].draws != "studentised":
        return None
    left_out = sides.sample.left_out
    return np.concatenate(
        [
            jackknife_se(pair_differences(left_out, pairs[some]))
            for some in row_chunks(len(pairs), left_out.shape[1])
        ]
    )


def test_pairs(
    observed: np.ndarray,
    replicates: np.ndarray | Rows,
    test: SignificanceTest,
    floor: np.ndarray,
    families: list[np.ndarray],
    *,
    whole: bool = False,
    errors: np.ndarray | None = None,
) -> PairTests:
    """Test all pairs at once, from replicates of shape (pairs, trials).

    `floor` is the least p that so few units can show, see `p_floor`; `families` the pairs of each
    family that Romano- Wolf corrects for, where the test allows it; `whole` as in `romano_wolf`.
    `errors` are what Romano-Wolf divides the pairs by, in place of the standard deviations of their
    replicates, see `errors_of_test`.
    """
    if test.p_values is None:
        win, lose = win_rates(replicates)
        return PairTests(win=win, lose=lose, side=np.sign(win - lose))
    has_steps, is_drawn, p_values = (
        test.romano_wolf and bool(families),
        test.draws == "bootstrap",
        test.p_values,
    )

    def look(d0: np.ndarray, rows: np.ndarray) -> np.ndarray:
        mean_squares = np.einsum("ij,ij->i", rows, rows) / rows.shape[1]
        null = (
            measure_null(d0, _centre(rows) if is_drawn else rows, whole=whole) if has_steps else ()
        )
        return np.array([p_values(d0, rows), test.side(d0, rows), np.sqrt(mean_squares), *null])

    p, side, swap_se, *measured = apply_by_rows(
        look, observed, replicates
    )  # rows are the dear part: one look at each
    if errors is not None and measured:
        measured = [errors, measured[1]]
    stepped = (
        step_down(observed, replicates, test, floor, families, whole=whole, measured=measured)
        if has_steps
        else ()
    )
    return PairTests(
        np.maximum(floor, p),
        side=side,
        swap_se=swap_se if test.draws == "swaps" else None,
        stepped=stepped,
    )


test_pairs.__test__ = False  # type: ignore[attr-defined]  # pytest takes it for a test where a test imports it


def step_down(
    observed: np.ndarray,
    replicates: np.ndarray | Rows,
    test: SignificanceTest,
    floor: np.ndarray,
    families: list[np.ndarray],
    *,
    whole: bool = False,
    measured: Sequence[np.ndarray] | None = None,
) -> tuple[np.ndarray, ...]:
    """P by Romano-Wolf in each family of pairs; parameters as in `test_pairs` and
    `romano_wolf_in`.
    """
    null = (
        Rows(replicates.shape, lambda rows: _centre(replicates[rows]))
        if test.draws == "bootstrap"
        else replicates
    )
    return tuple(
        np.maximum(floor[family], p)
        for family, p in zip(
            families,
            romano_wolf_in(observed, null, families, whole=whole, measured=measured),
            strict=True,
        )
    )


def _centre(drawn: np.ndarray) -> np.ndarray:
    """Bootstrap differences with the shift that makes them a null."""
    centred: np.ndarray = drawn - drawn.mean(axis=1, keepdims=True)
    return centred
