"""Everything that a comparison counts and draws, for all pairs, before anything is decided."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.metrics import Metric, find_tokenizer, mean_over_domains
from mtsig_core.progress import Progress, prefix_stages, report_stage
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import (
    Rows,
    apply_by_rows,
    pair_differences,
    rounding_error,
    row_chunks,
)
from mtsig_core.stats.contrast import Contrast, contrast_pairs
from mtsig_core.stats.engine import Columns, Measured, UnitStatistics, measure, segment_scores
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

#: The test that runs in addition to another one where a system is skewed.
STUDENTISED = "bootstrap-t"
_LEAST_TRIALS = 999  # of the studentised bootstrap, where the test has fewer or none


@dataclass(frozen=True, eq=False)
class SystemDraws:
    """The statistics of systems, by unit too, and their bootstrap scores.

    `scores` has a column for each draw, shape (systems, draws). The sample, from which intervals
    are made, has the first of them; a test may need more.
    """

    statistics: np.ndarray | Columns
    data: UnitStatistics
    scores: np.ndarray
    sample: Sample


@dataclass(frozen=True, eq=False)
class ContrastDraws:
    """Systems and the pairs of a contrast, as drawn."""

    systems: SystemDraws
    contrast: Contrast
    sides: SystemDraws  # what `contrast.rows` refers to: `systems` where no score is missing
    n_apart: np.ndarray  # shape (pairs,): units in which the systems of a pair differ


@dataclass(frozen=True, eq=False)
class PairTests:
    """The results of a test of pairs before any correction.

    Arrays of shape (pairs,), None where the test has none.
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

    def select(self, rows: np.ndarray, orientation: np.ndarray, family: int) -> PairTests:
        """Select the pairs of one of the families.

        The two systems of a pair are exchanged where `orientation` is -1.
        """
        if self.side is None:
            return self

        def select_rows(values: np.ndarray | None) -> np.ndarray | None:
            if values is None:
                return None
            selected: np.ndarray = values[rows]
            return selected

        win = select_rows(self.win)
        lose = select_rows(self.lose)
        if win is not None and lose is not None:
            is_reversed = orientation < 0
            win_as_drawn = win
            win = np.where(is_reversed, lose, win)
            lose = np.where(is_reversed, win_as_drawn, lose)
        p = select_rows(self.p)
        swap_se = select_rows(self.swap_se)
        side = self.side[rows] * orientation
        stepped = self.stepped[family : family + 1]
        return PairTests(p, win, lose, swap_se, side, stepped)


@dataclass(frozen=True, eq=False)
class ReferenceDraws:
    """Systems scored with one reference, best first, and the tests of all pairs of them."""

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
    worth: np.ndarray  # shape (systems,): how many units of equal size each score is based on
    pairs: np.ndarray  # int, shape (pairs, 2): all of them, by the rows of `names`
    #: shape (pairs,): Segments and units that both have, how many of equal size these are worth,
    #: and those in which the two differ.
    n: np.ndarray
    units: np.ndarray
    effective: np.ndarray
    n_apart: np.ndarray
    #: Where scores are missing, the differences of the tested pairs on the segments that both have.
    #: It has no segment scores, because `systems` has them.
    on_common: Sample | None
    #: shape (tested,), or None: standard error by document / by segment of the tested pairs.
    se_ratio: np.ndarray | None
    #: Of the tested pairs; the first family has all of them, the others those with one system each.
    tests: PairTests
    runs: Mapping[str, tuple[float, ...]]  # scores of training runs by system, empty without any
    domains: Sequence[str] | None  # of each segment, where there are segment scores
    over_domains: Sample | None  # the same systems scored by the mean over domains
    references: tuple[ReferenceDraws, ...]
    #: The systems whose differences to the others are skewed; and, where there are any and the test
    #: is another one, the studentised bootstrap of the tested pairs.
    skewed: tuple[SkewedSystem, ...] = ()
    studentised: PairTests | None = None

    @property
    def sign(self) -> int:
        """1 or -1, the factor that turns a difference of scores into an improvement."""
        if self.higher_is_better:
            return 1
        return -1

    def sample_differences(self, tested: np.ndarray) -> Sample:
        """The differences of some pairs, by their indices among the tested pairs."""
        pairs = self.pairs[self.n > 0][tested]
        systems = self.systems
        replicates = self.drawn_differences(tested)
        segments = None
        if systems.segments is not None:
            segments = pair_differences(systems.segments, pairs)
        if self.on_common is not None:
            differences = self.on_common
            assert differences.freedom is not None, "it was drawn for intervals"
            observed = differences.observed[tested]
            left_out = differences.left_out[tested]
            freedom = differences.freedom[tested]
            return Sample(observed, replicates, left_out, segments, freedom)
        assert systems.freedom is not None, "they were drawn for intervals"
        observed = pair_differences(systems.observed, pairs)
        left_out = pair_differences(systems.left_out, pairs)
        freedom = systems.freedom[pairs[:, 0]]  # without gaps all systems have the same units
        return Sample(observed, replicates, left_out, segments, freedom)

    def drawn_differences(self, tested: np.ndarray) -> np.ndarray:
        """The differences of these pairs on bootstrap samples, shape (tested, resamples)."""
        if self.on_common is not None:
            return np.asarray(self.on_common.replicates[tested])
        tested_pairs = self.pairs[self.n > 0]
        return pair_differences(self.systems.replicates, tested_pairs[tested])


# -------------------------------------------------------------------------------------------------
# Drawing one metric.


def draw_metric(
    testset: TestSet,
    metric: Metric,
    plan: Plan,
    by_reference: Mapping[str, TestSet],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    counted: dict[str, Measured] | None = None,
) -> MetricDraws:
    """Count and draw what a comparison by one metric needs.

    `by_reference` has the test sets to score with one reference each; `counted` is given what was
    counted, by metric.
    """
    progress = prefix_stages(progress, f"{metric.name}: ")
    if progress is not None:
        progress("counting", 0.0)
    scorable = testset.keep_scorable(metric.name)
    measured = measure(scorable, metric, progress=progress)
    if counted is not None:
        counted[metric.name] = measured
    # The statistics are most of the memory on large sets, so the first order is not kept.
    measured = measured.best_first()
    # Only segments that have scores make units, so that there may be few.
    units = measured.units(plan.unit, plan.block_length)
    is_exact = TESTS[plan.test].tries_all(units)
    if is_exact:
        plan = replace(plan, trials=units.all_swaps)

    pairs = engine.all_pairs(len(measured.names))
    pair_draws = draw_contrast(measured, pairs, units, plan, jobs, progress)
    contrast = pair_draws.contrast
    families = _list_families(contrast, len(measured.names))
    tests = PairTests()
    if len(contrast.rows):
        test_progress = report_stage(progress, "test")
        tests = test_contrast(pair_draws, plan, families, jobs, test_progress)
    skewed = _find_skewed(measured, pair_draws)
    studentised = None
    if skewed and plan.test != STUDENTISED:
        n_trials = max(plan.trials or 0, _LEAST_TRIALS)
        studentised_plan = replace(plan, test=STUDENTISED, trials=n_trials)
        test_progress = report_stage(progress, "studentised bootstrap")
        studentised = test_contrast(pair_draws, studentised_plan, families, jobs, test_progress)
    on_common = None
    if measured.has_gaps:
        on_common = _sample_differences(pair_draws)
    return MetricDraws(
        metric=metric.name,
        signature=metric.signature(measured.testset),
        higher_is_better=metric.higher_is_better,
        tokenizer=find_tokenizer(metric, measured.testset),
        plan=plan,
        exact=is_exact,
        n_units=units.pieces,
        n_effective=units.effective,
        names=tuple(measured.names),
        systems=pair_draws.systems.sample,
        worth=_measure_worth(measured, units),
        pairs=pairs,
        n=contrast.n_common,
        units=contrast.n_units,
        effective=contrast.n_effective,
        n_apart=pair_draws.n_apart,
        on_common=on_common,
        tests=tests,
        se_ratio=_se_ratios(measured, pair_draws, plan, jobs, progress),
        runs=_scores_of_runs(measured),
        domains=measured.testset.domains,
        over_domains=_draw_over_domains(measured, units, plan),
        references=_draw_references(by_reference, metric, plan, jobs, progress),
        skewed=skewed,
        studentised=studentised,
    )


def draw_systems(
    data: UnitStatistics,
    statistics: np.ndarray | Columns,
    plan: Plan,
    jobs: int,
    progress: Progress | None,
) -> SystemDraws:
    """Draw bootstrap scores, and scores with a unit left out, of all rows of the statistics.

    `data` has the `statistics` by unit.
    """
    test = TESTS[plan.test]
    n_resamples = plan.resamples
    if test.draws == "bootstrap":
        n_resamples = max(n_resamples, plan.trials or 0)
    scores = engine.bootstrap_scores(data, n_resamples, plan.seed, jobs=jobs, progress=progress)
    left_out = np.empty((data.shape[1], 0))
    if plan.resamples > 0 or test.draws == "studentised":
        left_out = engine.jackknife_scores(data)
    # A copy: a view would keep all the scores of the test in memory.
    replicates = np.ascontiguousarray(scores[:, : plan.resamples])
    scores_of_segments = segment_scores(data.metric, statistics)
    freedom = find_freedom(data, statistics)
    sample = Sample(data.scores, replicates, left_out, scores_of_segments, freedom)
    return SystemDraws(statistics, data, scores, sample)


def draw_contrast(
    measured: Measured,
    pairs: np.ndarray,
    units: Units,
    plan: Plan,
    jobs: int = 1,
    progress: Progress | None = None,
) -> ContrastDraws:
    """Draw all systems, and pairs of them on their common segments."""
    data = UnitStatistics(measured.metric, measured.stored, units)
    interval_progress = report_stage(progress, "intervals")
    systems = draw_systems(data, measured.stored, plan, jobs, interval_progress)
    contrast = contrast_pairs(measured.metric, measured.stored, units, pairs, data)
    sides = systems
    if contrast.data is not data:
        pair_progress = report_stage(progress, "pairs")
        sides = draw_systems(contrast.data, contrast.statistics, plan, jobs, pair_progress)
    is_swapped = TESTS[plan.test].draws == "swaps"
    n_apart = contrast.count_differing_units(is_swapped)
    return ContrastDraws(systems, contrast, sides, n_apart)


def _list_families(contrast: Contrast, n_systems: int) -> list[np.ndarray]:
    """All tested pairs, then those with each system: the families that Romano-Wolf corrects for."""
    tested = contrast.pairs[contrast.is_tested]
    families = [np.arange(len(tested))]
    for system in range(n_systems):
        has_system = (tested == system).any(axis=1)
        families.append(np.flatnonzero(has_system))
    return families


def _measure_worth(measured: Measured, units: Units) -> np.ndarray:
    """Count the units of equal size behind the score of each system, shape (systems,)."""
    systems = np.arange(len(measured.names))
    # The segments that a system has in common with itself are all that it has.
    pairs_with_itself = np.column_stack([systems, systems])
    _, n_effective = pair_units(measured.has_score, pairs_with_itself, units)
    return n_effective


def _find_skewed(measured: Measured, draws: ContrastDraws) -> tuple[SkewedSystem, ...]:
    """The systems of the tested pairs whose differences to the others are skewed."""
    if len(measured.names) < LEAST_SYSTEMS:
        return ()
    contrast = draws.contrast
    units = contrast.data.units
    left_out = contrast.difference(draws.sides.sample.left_out)
    tested = contrast.pairs[contrast.is_tested]
    sizes = measure_sizes(units)
    unit_names = list_unit_names(measured.testset, units)
    return find_skewed(left_out, tested, sizes, measured.names, unit_names, measured.sign)


def _sample_differences(draws: ContrastDraws) -> Sample:
    contrast = draws.contrast
    sample = draws.sides.sample
    assert sample.freedom is not None, "it was drawn for intervals"
    replicates = contrast.difference(sample.replicates)
    left_out = contrast.difference(sample.left_out)
    first_sides = contrast.rows[:, 0]
    freedom = sample.freedom[first_sides]  # both sides have the same units
    return Sample(contrast.deltas, replicates, left_out, freedom=freedom)


def _se_ratios(
    measured: Measured,
    draws: ContrastDraws,
    plan: Plan,
    jobs: int,
    progress: Progress | None,
) -> np.ndarray | None:
    """Standard error by document / by segment of each tested pair, NaN where nothing varies.

    None without documents.
    """
    if measured.testset.documents is None:
        return None
    contrast = draws.contrast
    errors = {}
    for kind in ("document", "segment"):
        scores = draws.sides.sample.replicates
        if kind != plan.unit:
            by_kind = UnitStatistics(measured.metric, contrast.statistics, measured.units(kind))
            kind_progress = report_stage(progress, f"standard errors by {kind}")
            scores = engine.bootstrap_scores(
                by_kind, plan.resamples, plan.seed, jobs=jobs, progress=kind_progress
            )
        errors[kind] = np.empty(len(contrast.rows))
        for chunk in row_chunks(len(contrast.rows), scores.shape[1]):
            differences = pair_differences(scores, contrast.rows[chunk])
            errors[kind][chunk] = standard_deviations(differences)
    n_documents, _ = contrast.count_units(measured.units("document"))
    has_ratio = errors["segment"] > 0
    # A single document or segment has no standard error.
    n_pieces = np.minimum(contrast.n_common, n_documents)
    has_ratio &= n_pieces[contrast.is_tested] > 1
    ratios = np.full(len(contrast.rows), np.nan)
    np.divide(errors["document"], errors["segment"], out=ratios, where=has_ratio)
    return ratios


def standard_deviations(values: np.ndarray, ddof: int = 0) -> np.ndarray:
    """Standard deviation of each row, 0 where it is a matter of rounding."""
    spread = values.std(axis=1, ddof=ddof)
    return np.where(spread > rounding_error(values), spread, 0.0)


def _scores_of_runs(measured: Measured) -> dict[str, tuple[float, ...]]:
    by_run = getattr(measured.metric, "by_run", None)
    if by_run is None:
        return {}
    runs = {}
    scores_by_system = by_run(measured.totals).tolist()
    for name, scores in zip(measured.names, scores_by_system, strict=True):
        more_runs = measured.testset.runs.get(name, ())
        n_runs = 1 + len(more_runs)
        runs[name] = tuple(scores[:n_runs])
    return runs


def has_domains(measured: Measured) -> bool:
    """Whether there is a mean over domains: of segment scores, where domains are known."""
    return measured.testset.domains is not None and measured.segment_scores is not None


def score_over_domains(measured: Measured) -> Measured:
    """Score the same systems and segments by the mean over domains of the mean in each."""
    return measure(measured.testset, mean_over_domains(measured.metric))


def _draw_over_domains(measured: Measured, units: Units, plan: Plan) -> Sample | None:
    if not has_domains(measured):
        return None
    over_domains = score_over_domains(measured)
    data = UnitStatistics(over_domains.metric, over_domains.stored, units)
    without_draws = replace(plan, test="ar")  # the scores of the intervals are enough
    draws = draw_systems(data, over_domains.stored, without_draws, 1, None)
    return draws.sample


def _draw_references(
    by_reference: Mapping[str, TestSet],
    metric: Metric,
    plan: Plan,
    jobs: int,
    progress: Progress | None,
) -> tuple[ReferenceDraws, ...]:
    references = []
    for k, (name, testset) in enumerate(by_reference.items(), 1):
        prefix = f"only reference {k} of {len(by_reference)}, "
        reference_progress = prefix_stages(progress, prefix)
        draws = _draw_reference(name, testset, metric, plan, jobs, reference_progress)
        references.append(draws)
    return tuple(references)


def _draw_reference(
    name: str,
    testset: TestSet,
    metric: Metric,
    plan: Plan,
    jobs: int,
    progress: Progress | None,
) -> ReferenceDraws:
    """All pairs of systems scored with one reference, without intervals and standard errors."""
    block_length = plan.block_length
    if block_length is not None:
        block_length = min(block_length, float(testset.n_segments))
    measured = measure(testset, metric, progress=progress).best_first()
    units = measured.units(plan.unit, block_length)
    plan = replace(plan, resamples=0)
    pairs = engine.all_pairs(len(measured.names))
    draws = draw_contrast(measured, pairs, units, plan, jobs, progress)
    family = np.arange(len(pairs))
    test_progress = report_stage(progress, "test")
    tests = test_contrast(draws, plan, [family], jobs, test_progress)
    names = tuple(measured.names)
    deltas = draws.contrast.deltas
    return ReferenceDraws(
        name, testset.n_segments, block_length, names, deltas, draws.n_apart, tests
    )


# -------------------------------------------------------------------------------------------------
# Parts of a test, such as language pairs or domains: each has draws of its own.


@dataclass(frozen=True, eq=False)
class PartDraws(ContrastDraws):
    """The pairs of systems in one part, and what their test looks at."""

    #: shape (tested, trials or all swaps): what the test of this part looks at.
    replicates: np.ndarray
    #: shape (tested, trials): what is joined with other parts. If the test of this part tries all
    #: swaps, it is as many random ones of them as other parts draw; else it is `replicates`.
    joint: np.ndarray


def derive_seed(seed: int, name: str) -> int:
    """Derive the seed of one part's draws from the seed of all and its name.

    Parts draw independently.

    >>> derive_seed(0, "en-de") != derive_seed(0, "en-cs")
    True
    """
    key = f"{seed}\0{name}".encode()
    digest = hashlib.blake2b(key, digest_size=8).digest()
    return int.from_bytes(digest, "big")


def draw_part(measured: Measured, pairs: np.ndarray, plan: Plan, jobs: int = 1) -> PartDraws:
    """Draw the pairs of one part, with the seed of the plan."""
    units = measured.units(plan.unit, plan.block_length)
    draws = draw_contrast(measured, pairs, units, plan, jobs)
    contrast = draws.contrast
    replicates = np.empty((0, plan.trials or 0))
    if len(contrast.rows):
        replicates = draw_replicates(contrast, draws.sides, plan, jobs, None)[:]
    joint = replicates
    if TESTS[plan.test].tries_all(units):
        # The replicates lack the swap that exchanges no unit, which gives the observed differences.
        all_swaps = np.column_stack([contrast.deltas, replicates])
        rng = np.random.default_rng(plan.seed)
        n_swaps = all_swaps.shape[1]
        drawn_swaps = rng.integers(n_swaps, size=plan.trials)
        joint = all_swaps[:, drawn_swaps]
    return PartDraws(draws.systems, contrast, draws.sides, draws.n_apart, replicates, joint)


# -------------------------------------------------------------------------------------------------
# The one place where pairs are tested.


def test_contrast(
    draws: ContrastDraws,
    plan: Plan,
    families: Sequence[np.ndarray],
    jobs: int,
    progress: Progress | None,
) -> PairTests:
    """Draw the replicates that the test of the plan needs, and test the pairs of a contrast."""
    test = TESTS[plan.test]
    contrast = draws.contrast
    sides = draws.sides
    errors = None
    if test.draws == "studentised":
        errors = jackknife_errors(sides.sample.left_out, contrast.rows)
    replicates = draw_replicates(contrast, sides, plan, jobs, progress)
    n_apart = draws.n_apart[contrast.is_tested]
    floor = p_floor(test, plan.unit, n_apart)
    is_exact = test.tries_all(contrast.data.units)
    return test_pairs(
        contrast.deltas, replicates, test, floor, families, is_exact=is_exact, errors=errors
    )


def draw_replicates(
    contrast: Contrast,
    sides: SystemDraws,
    plan: Plan,
    jobs: int,
    progress: Progress | None,
) -> np.ndarray | Rows:
    """Draw what the test compares the observed differences with, a row for each tested pair."""
    test = TESTS[plan.test]
    pairs = contrast.rows
    if test.of_segments:
        assert sides.sample.segments is not None, "the test is only for means of segment scores"
        return pair_differences(sides.sample.segments, pairs)
    assert plan.trials is not None, "only tests of segment scores have no trials"
    if test.draws == "swaps":
        return engine.swap_rows(
            contrast.data, pairs, plan.trials, plan.seed, jobs=jobs, progress=progress
        )
    if test.draws == "studentised":
        return draw_studentised(
            sides.sample.left_out,
            pairs,
            contrast.data.units,
            plan.trials,
            plan.seed,
            jobs=jobs,
            progress=progress,
        )
    scores = sides.scores[:, : plan.trials]
    shape = len(pairs), scores.shape[1]
    return Rows(shape, lambda rows: pair_differences(scores, pairs[rows]))


def jackknife_errors(left_out: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Jackknife standard errors of the differences of pairs, shape (pairs,).

    `left_out` has the scores with each unit left out, shape (systems, units).
    """
    errors = np.empty(len(pairs))
    for chunk in row_chunks(len(pairs), left_out.shape[1]):
        differences = pair_differences(left_out, pairs[chunk])
        errors[chunk] = jackknife_se(differences)
    return errors


def test_pairs(
    observed: np.ndarray,
    replicates: np.ndarray | Rows,
    test: SignificanceTest,
    floor: np.ndarray,
    families: Sequence[np.ndarray],
    *,
    is_exact: bool = False,
    errors: np.ndarray | None = None,
) -> PairTests:
    """Test all pairs at once, from replicates of shape (pairs, trials).

    `floor` is the smallest p that so few units can give, see `p_floor`. `families` has the pairs of
    each family that Romano-Wolf corrects for, if the test allows it. `is_exact` is as in
    `romano_wolf`. `errors` are the standard errors by which Romano-Wolf divides the pairs of a
    studentised test, instead of the standard deviations of their replicates.
    """
    if test.p_values is None:
        win, lose = win_rates(replicates)
        return PairTests(win=win, lose=lose, side=np.sign(win - lose))
    p_values = test.p_values
    has_steps = test.romano_wolf and len(families) > 0

    def test_rows(observed: np.ndarray, rows: np.ndarray) -> np.ndarray:
        squares = np.einsum("ij,ij->i", rows, rows)
        mean_squares = squares / rows.shape[1]
        p = p_values(observed, rows)
        side = test.side(observed, rows)
        columns = [p, side, np.sqrt(mean_squares)]
        if has_steps:
            null = _null_of(test, rows)
            columns.extend(measure_null(observed, null, is_exact))
        return np.array(columns)

    # Making the rows takes most of the time, so all that needs them is computed at once.
    p, side, root_mean_squares, *null_measures = apply_by_rows(test_rows, observed, replicates)
    stepped: tuple[np.ndarray, ...] = ()
    if has_steps:
        spread, size = null_measures
        if errors is not None:
            spread = errors
        stepped = step_down(observed, replicates, test, floor, families, measured=(spread, size))
    if not test.of_segments:  # a test of segment scores takes their number into account
        p = np.maximum(floor, p)
    se_of_swaps = None
    if test.draws == "swaps":
        se_of_swaps = root_mean_squares
    return PairTests(p, side=side, swap_se=se_of_swaps, stepped=stepped)


# pytest takes these for tests where a test imports them.
test_contrast.__test__ = False  # type: ignore[attr-defined]
test_pairs.__test__ = False  # type: ignore[attr-defined]


def step_down(
    observed: np.ndarray,
    replicates: np.ndarray | Rows,
    test: SignificanceTest,
    floor: np.ndarray,
    families: Sequence[np.ndarray],
    measured: tuple[np.ndarray, np.ndarray] | None = None,
) -> tuple[np.ndarray, ...]:
    """P by Romano-Wolf in each family of pairs.

    Parameters as in `test_pairs` and `romano_wolf_in`.
    """
    null = replicates
    if test.draws == "bootstrap":
        null = Rows(replicates.shape, lambda rows: _null_of(test, replicates[rows]))
    adjusted = romano_wolf_in(observed, null, families, measured=measured)
    return tuple(np.maximum(floor[family], p) for family, p in zip(families, adjusted, strict=True))


def _null_of(test: SignificanceTest, replicates: np.ndarray) -> np.ndarray:
    """Replicates under the null hypothesis: bootstrap differences are shifted to a mean of 0."""
    if test.draws != "bootstrap":
        return replicates
    means = replicates.mean(axis=1, keepdims=True)
    centred: np.ndarray = replicates - means
    return centred
