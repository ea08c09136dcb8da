"""Two systems: everything that can be asked of their difference (`examine_pair`), and their
segments.
"""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, direction, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.results import SamplingSettings
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import make_read_only, rounding_error
from mtsig_core.stats.draws import draw_systems, test_pairs
from mtsig_core.stats.engine import (
    Measured,
    count_common_segments,
    count_differing_units,
    has_gaps,
    measure,
    pair_statistics,
)
from mtsig_core.stats.few_units import (
    find_freedom,
    least_of_units,
    p_floor,
    pair_units,
    unbiased,
    units_freedom,
)
from mtsig_core.stats.intervals import Sample, finite_ends, fitting_intervals
from mtsig_core.stats.parallel import Progress, report_stage
from mtsig_core.stats.power import minimum_detectable_difference
from mtsig_core.stats.resampling import Units, make_units
from mtsig_core.stats.settings import Plan, check_trials, resolve_sampling
from mtsig_core.stats.significance import (
    SIDES,
    SMALLEST_P,
    TESTS,
    SignificanceTest,
    decide_pairs,
    fitting_tests,
    significant,
)
from mtsig_core.stats.studentised import draw_studentised
from mtsig_core.testset import TestSet


@dataclass(frozen=True)
class Outcome:
    """What one test says of the pair, at alpha and without correction."""

    # A key of `mtsig_core.stats.significance.TESTS`, where its title, source and caution are
    test: str
    p_value: float | None  # None for Koehn's test
    #: Koehn's test alone: shares of bootstrap samples on which a is better, or worse, than b.
    win: float | None
    lose: float | None
    better: str | None  # {"a", "b", None}
    #: {"a", "b", None}: The system that the test's own statistic favours, where it would be decided
    #: for that and the difference does not favour it: then neither is better.
    favours: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class PairExamination:
    """Two systems under one metric; all differences are score(a) - score(b) in points.

    Arrays are read-only.
    """

    a: str
    b: str
    metric: str
    higher_is_better: bool
    settings: SamplingSettings  # as resolved
    #: On the segments that both have.
    score_a: float
    score_b: float
    delta: float
    drawn: np.ndarray  # shape (at least trials and resamples,): Differences on bootstrap samples
    #: shape (trials,): Differences after random swaps: the null of approximate randomization. Of up
    #: to 13 segments or documents all swaps, shape (2^n - 1,).
    swapped: np.ndarray
    #: In the order of `TESTS`; those for means of segment scores only for such a metric, and always
    #: by segment.
    outcomes: tuple[Outcome, ...]
    intervals: Mapping[str, tuple[float, float] | None]  # by kind; None where undefined
    #: Bootstrap standard error by unit: that of the test, segments, and documents where ids exist;
    #: None of one unit.
    se: Mapping[str, float | None]
    #: Units of the test that both have, and how many of equal size these are worth.
    n_units: int
    n_effective: float
    #: Minimum detectable difference at 80% power, alpha, and the unit of the test; None where swaps
    #: of so few units cannot give a p of alpha, and where the difference never varies.
    mdd: float | None
    by_document: np.ndarray | None  # shape (documents,), or None
    by_segment: (
        np.ndarray
    )  # shape (segments,): See `contributions`; of the whole test set, 0 for what was not compared
    n: int  # segments that both have
    #: Whether `swapped` has all swaps there are but for none, so that the p of approximate
    #: randomization is exact.
    exact: bool

    def __repr__(self) -> str:
        return f"<PairExamination {self.a!r} - {self.b!r}: {self.delta:+.4g} by {self.metric!r}, {self.n} segments>"

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement of a over b."""
        return 1 if self.higher_is_better else -1


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests against a margin; see `equivalence`."""

    margin: float
    p_lower: float
    p_upper: float
    equivalent: bool

    @property
    def p_value(self) -> float:
        return max(self.p_lower, self.p_upper)


def examine_pair(
    testset: TestSet,
    metric: str | Metric,
    a: str,
    b: str,
    *,
    unit: str = "auto",
    block_length: float | None = None,
    trials: int = 9999,
    alpha: float = 0.05,
    resamples: int = 2000,
    seed: int = 0,
    jobs: int = 1,
    statistics: np.ndarray | None = None,
    progress: Progress | None = None,
) -> PairExamination:
    """Ask every test, interval and unit about one pair.

    The draws are those of `compare` with the same settings, so each p is the one that `compare`
    gives this pair.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
    a, b : str
        Two different systems of the test set.
    unit, block_length, trials, alpha, resamples, seed, jobs
        As in `compare`.
    statistics : ndarray, shape (systems, segments, stats), optional
        ``metric.statistics(testset)``, where that is known already.
    progress : callable, optional
        As in `compare`.

    Raises
    ------
    SettingError
        For systems that are not there or not two, and for settings out of range.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> found = examine_pair(ts, "bleu", "A", "B", trials=999)
    >>> [(o.test, o.p_value) for o in found.outcomes][:2]
    [('ar', 0.001), ('bootstrap', 0.001)]
    """
    if a == b:
        raise SettingError(
            f"A pair is two systems, and {a!r} is given twice. Choose another for one of them."
        )
    testset.only((a, b))  # which says so where one is not there
    settings, _ = resolve_sampling(
        testset, unit=unit, block_length=block_length, alpha=alpha, resamples=resamples, seed=seed
    )
    check_trials(trials, alpha, "ar")  # the other tests draw as often
    metric = resolve_metric(testset, metric)
    if (
        statistics is None
    ):  # which segments of a mean take part depends on the scores of all systems
        testset = testset if is_segment_mean(metric) else testset.only((a, b))
        statistics = cached_statistics(metric, testset)
    seen = measure(testset, metric, statistics=statistics)
    whole = Measured(testset, metric, statistics)  # each segment of the set, whatever is compared
    (two, n), units = seen.pair(a, b), seen.units(settings.unit, settings.block_length)
    sides = draw_systems(
        engine.UnitStatistics(metric, two, units),
        two,
        Plan("bootstrap", units.kind, units.block_length, trials, resamples, seed),
        jobs,
        report_stage(progress, "resamples"),
    )
    here, drawn, both = sides.data, _difference(sides.scores), sides.sample
    segments = None if both.segments is None else _difference(both.segments)[None]
    sample = Sample(
        _difference(both.observed)[None],
        _difference(both.drawn)[None],
        _difference(both.left_out)[None],
        segments,
        find_freedom(here, two)[:1],
    )
    swapped = engine.swap_differences(
        here, engine.all_pairs(2), trials, seed, jobs=jobs, progress=report_stage(progress, "swaps")
    )[0]
    (common, worth), delta = _units_of_both(seen.only((a, b)), units), float(sample.observed[0])
    n_apart = {
        draws: count_differing_units(
            here, engine.all_pairs(2), np.array([common]), draws == "swaps"
        )
        for draws in ("swaps", "bootstrap", "studentised", "none")
    }
    replicates = {
        "swaps": swapped[None],
        "bootstrap": drawn[None, :trials],
        "none": sample.segments,
        "studentised": draw_studentised(
            both.left_out, engine.all_pairs(2), units, trials, seed, jobs=jobs
        ),
    }
    se = _standard_errors(seen, two, (a, b), units, sample, seed, jobs, progress)
    return PairExamination(
        a,
        b,
        metric.name,
        metric.higher_is_better,
        settings,
        float(here.scores[0]),
        float(here.scores[1]),
        delta,
        make_read_only(drawn),
        make_read_only(swapped),
        tuple(
            _outcome(
                test,
                delta,
                replicates[test.draws],
                alpha,
                seen.sign,
                float(p_floor(test, units.kind, n_apart[test.draws])[0]),
            )
            for test in fitting_tests(is_segment_mean(metric)).values()
        ),
        MappingProxyType(
            {
                kind: finite_ends(*(end[0] for end in rule(sample, alpha)))
                for kind, rule in fitting_intervals(is_segment_mean(metric)).items()
            }
        ),
        MappingProxyType(se),
        common,
        worth,
        _detectable(se[units.kind], worth, int(n_apart["swaps"][0]), units, alpha),
        None if testset.documents is None else _contributions_by(whole, "document", a, b),
        _contributions_by(whole, "segment", a, b),
        n,
        TESTS["ar"].tries_all(units),
    )


def _units_of_both(two: Measured, units: Units) -> tuple[int, float]:
    """The units that both of two systems have segments in, and how many of equal size these are
    worth.
    """
    common, worth = pair_units(two, np.array([[0, 1]]), units)
    return int(common[0]), float(worth[0])


def _standard_errors(
    seen: Measured,
    two: np.ndarray,
    names: tuple[str, str],
    units: Units,
    sample: Sample,
    seed: int,
    jobs: int,
    progress: Progress | None,
) -> dict[str, float | None]:
    """Of the difference, by the unit of the test, by segment, and by document where ids exist; None
    of one unit.
    """
    kinds = [units.kind, "segment", *(["document"] if seen.testset.documents is not None else [])]
    errors: dict[str, float | None] = {}
    for kind in dict.fromkeys(kinds):
        own = units if kind == units.kind else seen.units(kind)
        drawn = sample.drawn[0]
        if kind != units.kind:
            drawn = _difference(
                engine.bootstrap_scores(
                    engine.UnitStatistics(seen.metric, two, own),
                    len(drawn),
                    seed,
                    jobs=jobs,
                    progress=report_stage(progress, f"standard error by {kind}"),
                )
            )
        errors[kind] = (
            None if _units_of_both(seen.only(names), own)[0] < 2 else float(drawn.std(ddof=1))
        )
    return errors


def _detectable(
    se: float | None, n_effective: float, n_apart: int, units: Units, alpha: float
) -> float | None:
    """The minimum detectable difference; None where swaps of so few units cannot reach alpha."""
    least = least_of_units(TESTS["ar"], units.kind, np.array([n_apart]), units.block_length)[0]
    if not (se and significant(float(least), alpha)):
        return None
    return minimum_detectable_difference(
        unbiased(se, n_effective),
        alpha,
        n_effective=n_effective,
        n_swapped=n_apart if units.block_length is None else None,
    )


def _contributions_by(whole: Measured, kind: str, a: str, b: str) -> np.ndarray:
    return contributions(
        engine.UnitStatistics(whole.metric, whole.pair(a, b)[0], whole.units(kind))
    )


def contributions(data: engine.UnitStatistics) -> np.ndarray:
    """What each unit adds to the difference of the first two systems: it, less the difference
    without that unit.

    The jackknife's influence on a corpus score, which is no sum over units: the parts do not add up
    to the whole.

    Returns ndarray, shape (units,): In points, read-only.
    """
    without = _difference(engine.jackknife_scores(data))
    return make_read_only(
        np.where(np.isnan(without), 0.0, data.scores[0] - data.scores[1] - without)
    )


def find_extremes(values: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the n largest positive values, largest first, and of the n smallest negative
    ones.
    """
    order = np.argsort(-values, kind="stable")
    most, least = order[:n], order[::-1][:n]
    tie = rounding_error(values)
    return most[values[most] > tie], least[values[least] < -tie]


def equivalence(pair: PairExamination, margin: float) -> Equivalence:
    """Two one-sided tests that the improvement of a over b lies within +-margin, at the alpha of
    the pair.

    The standard error is that of the bootstrap by the unit of the test; see `two_one_sided`.

    Parameters
    ----------
    pair : PairExamination
    margin : float
        The largest difference that does not matter, in points, above 0.

    Raises
    ------
    SettingError
        For a margin that is not above 0, and a pair of a single unit, which has no standard error.
    """
    error = pair.se[pair.settings.unit]
    if error is None:
        raise SettingError(
            f"{pair.a} and {pair.b} have one {pair.settings.unit} in common, which tells nothing of how "
            "far their difference may vary. Expected at least two."
        )
    return two_one_sided(
        pair.sign * pair.delta,
        unbiased(error, pair.n_effective),
        margin,
        pair.settings.alpha,
        pair.n_effective,
    )


def two_one_sided(
    delta: float, se: float, margin: float, alpha: float = 0.05, n_effective: float = math.inf
) -> Equivalence:
    """Two one-sided t tests (TOST; Schuirmann 1987) that a difference lies within +-margin.

    p_lower = P(T >= (delta + margin) / SE), p_upper = P(T <= (delta - margin) / SE), T with the
    units less one as degrees of freedom; equivalent when the larger is at most alpha, that is, when
    the t interval of level 1 - 2 alpha lies within the margin.

    >>> round(two_one_sided(0.5, 0.25, 1.0).p_value, 4), two_one_sided(0.5, 0.25, 1.0, n_effective=5).equivalent
    (0.0228, False)
    """
    from scipy.special import ndtr, stdtr

    if not margin > 0:
        raise SettingError(f"margin is {margin:g}. Expected points above 0.")
    freedom = float(units_freedom(n_effective))

    def beyond(room: float) -> float:
        if se > 0:
            p = float(ndtr(-room / se) if math.isinf(freedom) else stdtr(freedom, -room / se))
        else:
            p = 0.0 if room > 0 else 1.0
        return max(p, SMALLEST_P)

    p_lower, p_upper = beyond(margin + delta), beyond(margin - delta)
    return Equivalence(float(margin), p_lower, p_upper, significant(max(p_lower, p_upper), alpha))


def density(values: np.ndarray, n_points: int = 241) -> tuple[np.ndarray, np.ndarray]:
    """A smooth density (Gaussian kernel, width after Silverman 1986, eq. 3.31) on an even grid.

    Returns x, y : ndarray, shape (n_points,) y integrates to 1; both are empty where the values do not vary.
    """
    spread = values.std()
    if spread <= rounding_error(values):
        return np.empty(0), np.empty(0)
    quartiles = np.quantile(values, [0.25, 0.75])
    width = 0.9 * min(spread, np.ptp(quartiles) / 1.34 or spread) * len(values) ** -0.2
    low, high = values.min() - 3 * width, values.max() + 3 * width
    counts, edges = np.histogram(
        values, 1000, (low, high)
    )  # smoothing counts is as good, and cheap for many values
    x = np.linspace(low, high, n_points)
    kernel = np.exp(-(((x[:, None] - (edges[:-1] + edges[1:]) / 2) / width) ** 2) / 2)
    return x, kernel @ counts / (len(values) * width * math.sqrt(2 * math.pi))


def symmetric_histogram(
    values: np.ndarray, reach: float, n_bins: int = 60
) -> tuple[np.ndarray, np.ndarray]:
    """Histogram symmetric about 0 that covers the values and +-reach: (edges, counts)."""
    reach = 1.08 * (max(reach, np.abs(values).max(initial=0.0)) or 1.0)
    counts, edges = np.histogram(values, n_bins, (-reach, reach))
    return edges, counts


def smooth_resamples(found: PairExamination, resamples: int) -> tuple[np.ndarray, np.ndarray]:
    """The density of the improvements of a over b on so many resamples: (points, density)."""
    return density(found.sign * found.drawn[:resamples])


def count_permutations(found: PairExamination) -> tuple[np.ndarray, np.ndarray]:
    """The histogram of the improvements of a over b after permutations, as wide as the observed
    one: (edges, counts).
    """
    return symmetric_histogram(found.sign * found.swapped, abs(found.delta))


def _outcome(
    test: SignificanceTest,
    delta: float,
    replicates: np.ndarray | None,
    alpha: float,
    sign: int,
    floor: float,
) -> Outcome:
    """What one test says; its p is at least `floor`, and nothing is decided where that is above
    alpha.
    """
    assert replicates is not None, "only tests that fit the metric are asked"
    improvement = np.array([sign * delta])
    tests = test_pairs(improvement, sign * replicates, test, np.array([floor]), [])
    p, win, lose, side = tests.p, tests.win, tests.lose, tests.side
    assert side is not None, "every test has a side"
    by_both, by_test = (
        int(decide_pairs(toward, alpha, p=p, win=win, lose=lose, side=side)[0])
        if significant(floor, alpha)
        else 0
        for toward in (improvement, side)
    )
    p_value, wins, losses = (None if value is None else float(value[0]) for value in (p, win, lose))
    return Outcome(test.name, p_value, wins, losses, SIDES[by_both], SIDES[by_test - by_both])


def _difference(scores: np.ndarray) -> np.ndarray:
    return np.asarray(scores[0] - scores[1])


# -------------------------------------------------------------------------------------------------
# Texts that match a regular expression, looked for in a process of its own.
#
# Python's `re` cannot be stopped: some patterns take years, or all memory, on a short text. The process can be ended.


#: That a search may take.
SECONDS = 2.0
_MEGABYTES = 1000
_SEARCH = f"""
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({_MEGABYTES << 20}, {_MEGABYTES << 20}))
    resource.setrlimit(resource.RLIMIT_CPU, ({int(SECONDS) + 1}, {int(SECONDS) + 1}))
except (ImportError, OSError, ValueError):
    pass  # not everywhere
import re, warnings
warnings.simplefilter("ignore")
asked = json.load(sys.stdin)
try:
    search = re.compile(asked["pattern"], re.IGNORECASE).search
except (re.error, OverflowError) as error:
    print(json.dumps({{"wrong": str(error)}}))
else:
    print(json.dumps({{"found": [k for k, texts in enumerate(zip(*asked["fields"]))
                               if any(text is not None and search(text) for text in texts)]}}))
"""


def match_pattern(fields: Sequence[Sequence[str | None]], pattern: str) -> np.ndarray:
    r"""In which segments a regular expression of Python's `re` matches one of the texts, capitals
    or not: bool, shape (segments,). SettingError for a pattern that cannot be read, or takes longer
    than `SECONDS` or too much memory.

    >>> match_pattern([["12 cats", "a dog", None], ["", "", "no 7"]], r"\d+$|^a\b").tolist()
    [False, True, True]
    """
    inside = np.zeros(len(fields[0]) if fields else 0, dtype=bool)
    if not fields:
        return inside
    asked = json.dumps({"pattern": pattern, "fields": [list(texts) for texts in fields]})
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _SEARCH],
            input=asked.encode(),
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise SettingError(_too_much(pattern)) from None
    if done.returncode:
        raise SettingError(_too_much(pattern))
    answer = json.loads(done.stdout)
    if "wrong" in answer:
        raise SettingError(
            f"The regular expression {pattern!r} cannot be read: {answer['wrong']}. A backslash before "
            "a sign such as ( or . looks for the sign itself."
        )
    inside[answer["found"]] = True
    return inside


def _too_much(pattern: str) -> str:
    return (
        f"The regular expression {pattern!r} takes more than {SECONDS:g} seconds, or too much memory, on these "
        "texts. Repeat no group that repeats itself, such as (a+)+, or look for a text as it is written."
    )


# -------------------------------------------------------------------------------------------------
# Segments of two systems: found by document, domain or text, put in order, and scored together.


#: What a list of segments may be ordered by.
ORDERS = ("most in favour of A", "most in favour of B", "largest either way", "line", "length")

#: Where a text may be looked for.
PLACES = ("anywhere", "source", "references", "output of A", "output of B")

#: How a text may be looked for.
WAYS = ("as written", "whole words", "regular expression")


def measure_contributions(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray
) -> np.ndarray:
    """What each segment adds to the improvement of a over b (see `pair.contributions`), in points,
    shape (segments,): above 0 where the segment speaks for a, also for metrics where lower is
    better.

    >>> from mtsig_core import make_metric
    >>> ts = TestSet("toy", {"A": ["a b c d", "e f g h"], "B": ["a b c d", "e f"]}, {"ref": ["a b c d", "e f g h"]})
    >>> bleu = make_metric("bleu")
    >>> [bool(value > 0) for value in measure_contributions(ts, bleu, "A", "B", bleu.statistics(ts))]
    [False, True]
    """
    both = _common_statistics(testset, metric, a, b, statistics)
    return make_read_only(
        direction(metric)
        * contributions(engine.UnitStatistics(metric, both, make_units(testset, "segment")))
    )


def find_segments(
    testset: TestSet,
    a: str,
    b: str,
    *,
    document: int | None = None,
    domain: str | None = None,
    text: str = "",
    where: str = "anywhere",
    how: str = "as written",
    among: np.ndarray | None = None,
    shortest: int | None = None,
    longest: int | None = None,
) -> np.ndarray:
    """Positions of the segments of a document, of a domain, of some length, or in which a text
    occurs, in the order of the test set; only those `among` some.

    >>> ts = TestSet("toy", {"A": ["a Cat", "a dog"], "B": ["cats", "a rat"]}, {"ref": ["a cat", "a dog"]})
    >>> find_segments(ts, "A", "B", text="CAT").tolist(), find_segments(ts, "A", "B", text="cats").tolist()
    ([0], [0])
    """
    if where not in PLACES:
        raise SettingError(f"where is {where!r}. Expected one of: {', '.join(PLACES)}.")
    _rows(testset, a, b)
    found = np.full(testset.n_segments, among is None)
    found[np.arange(0) if among is None else among] = True
    if document is not None:
        found &= testset.document_index == document
    if domain is not None:
        if testset.domains is None:
            raise SettingError(
                f"{testset.name} has no domains. A documents file with `domain<TAB>docid` gives them."
            )
        found &= np.fromiter((d == domain for d in testset.domains), bool, testset.n_segments)
    if shortest is not None or longest is not None:
        lengths = _lengths(testset)
        found &= (lengths >= (shortest or 0)) & (
            lengths <= (lengths.max() if longest is None else longest)
        )
    if text:
        found &= _inside(_texts(testset, a, b, where), text, how, testset.n_segments)
    return np.flatnonzero(found)


def _inside(fields: Sequence[Sequence[str | None]], text: str, how: str, n: int) -> np.ndarray:
    """In which segments a text occurs in one of the fields."""
    if how not in WAYS:
        raise SettingError(f"how is {how!r}. Expected one of: {', '.join(WAYS)}.")
    if how == WAYS[2]:
        return match_pattern(fields, text) if fields else np.zeros(n, dtype=bool)
    wanted, inside = text.casefold(), np.zeros(n, dtype=bool)
    word = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)") if how == WAYS[1] else None
    for field in fields:
        inside |= np.fromiter(
            (
                wanted in folded and (word is None or word.search(folded) is not None)
                for folded in _folded(field)
            ),
            bool,
            n,
        )
    return inside


def _lengths(testset: TestSet) -> np.ndarray:
    """Characters of the longest reference of each segment."""
    lengths = np.zeros(testset.n_segments, dtype=np.int64)
    for texts in testset.references.values():
        lengths = np.maximum(lengths, [len(text or "") for text in texts])
    return lengths


def sort_segments(
    testset: TestSet, positions: np.ndarray, added: np.ndarray, order: str
) -> np.ndarray:
    """The same positions in one of `ORDERS`, by what each segment adds or by the characters of the
    longest reference, longest first; ties in the order of the test set.

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["aaa", "b", "cc"]})
    >>> added = np.array([0.1, -0.3, 0.2])
    >>> [sort_segments(ts, np.arange(3), added, order).tolist() for order in ORDERS]
    [[2, 0, 1], [1, 0, 2], [1, 2, 0], [0, 1, 2], [0, 2, 1]]
    """
    if order not in ORDERS:
        raise SettingError(f"order is {order!r}. Expected one of: {', '.join(ORDERS)}.")
    if order == "line":
        return np.sort(positions)
    if order == "length":
        keys = -_lengths(testset)[positions]
    else:
        values = added[positions]
        keys = {
            "most in favour of A": -values,
            "most in favour of B": values,
            "largest either way": -np.abs(values),
        }[order]
    return positions[np.argsort(keys, kind="stable")]


def score_selection(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray, positions: np.ndarray
) -> tuple[float, float, int]:
    """Corpus scores of a and b on some segments alone, from their summed statistics; and how many
    have scores of both.

    It describes these segments. They were chosen by looking, so no test of the difference would be
    valid.
    """
    if not len(positions):
        raise SettingError("No segment to score. Expected at least one position.")
    both = _common_statistics(testset, metric, a, b, statistics)[:, positions]
    n = int(count_common_segments(metric, both, engine.all_pairs(2))[0])
    if not n:
        raise SettingError(
            f"None of these {len(positions)} segments has a score by {metric.name} for {a} and {b}."
        )
    first, second = metric.score(both.sum(axis=1))
    return float(first), float(second), n


def deciding_segments(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray, added: np.ndarray
) -> np.ndarray:
    """The segments without which the better of two systems would not be ahead, as positions, the
    first left out first.

    Those are left out one after the other that add most in its favour, until the corpus scores of
    the rest are equal or turned round. Each is weighed by what it adds when it alone is left out,
    so there may be a smaller such set (Broderick, Giordano and Meager 2020). It describes the
    difference; it is no test. None where scores are equal, or where the better stays ahead however
    many are left out.

    >>> from mtsig_core import make_metric
    >>> ref = ["a b c d e", "f g h i j", "k l m n o", "p q r s t"]
    >>> ts = TestSet("toy", {"A": ref, "B": ["a b c d e", "f g h i", "k l m n o", "p q r s t"]}, {"ref": ref})
    >>> bleu = make_metric("bleu")
    >>> counts = bleu.statistics(ts)
    >>> deciding_segments(ts, bleu, "A", "B", counts, measure_contributions(ts, bleu, "A", "B", counts)).tolist()
    [1]
    """
    both = _common_statistics(testset, metric, a, b, statistics).astype(np.float64)
    whole = both.sum(axis=1)
    first, second = metric.score(whole)
    ahead = np.sign(first - second) * direction(metric)
    if abs(first - second) <= rounding_error(np.array([first, second])):
        return np.arange(0)
    order = np.argsort(-ahead * added, kind="stable")
    rest = whole[:, None] - np.cumsum(both[:, order], axis=1)
    first, second = np.asarray(metric.score(rest[:, :-1]))  # of no segment there is no score
    turned = ahead * direction(metric) * (first - second) <= rounding_error(
        np.stack([first, second], axis=-1)
    )
    return order[: int(np.argmax(turned)) + 1] if turned.any() else np.arange(0)


def find_neighbours(testset: TestSet, k: int) -> tuple[int | None, int | None]:
    """The segments before and after one in its document; None at its ends, and where documents are
    not known.

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["a", "b", "c"]}, documents=["d", "e", "d"])
    >>> find_neighbours(ts, 0), find_neighbours(ts, 1)
    ((None, 2), (None, None))
    """
    if testset.documents is None:
        return None, None
    inside = np.flatnonzero(testset.document_index == testset.document_index[k]).tolist()
    at = inside.index(k)
    return (inside[at - 1] if at else None), (inside[at + 1] if at + 1 < len(inside) else None)


def system_scores(
    testset: TestSet, metric: Metric, statistics: np.ndarray, k: int
) -> list[tuple[str, float | None]]:
    """Each system with its score of one segment alone, best first; None, last, where it has none.

    That of a corpus metric is the score of a test set of this one segment: sentence BLEU has
    sacreBLEU's `exp` smoothing without effective order. Their mean is not the corpus score.
    """
    scores = np.asarray(metric.score(statistics[:, k]), dtype=np.float64)
    known = np.isfinite(scores)
    if has_gaps(metric, statistics):
        known &= statistics[:, k, -1] > 0
    names = list(testset.systems)
    order = np.argsort(np.where(known, -direction(metric) * scores, np.inf), kind="stable").tolist()
    return [(names[s], float(scores[s]) if known[s] else None) for s in order]


def system_table(
    testset: TestSet, k: int, scores: Iterable[tuple[str, float | None]]
) -> tuple[list[str], Iterable[list[Any]]]:
    """Header and rows of one segment: each system, its score and its output, as `system_scores` has
    them.
    """
    known = _there([("domain", testset.domains), ("docid", testset.documents)])
    where = [testset.lines[k], *(values[k] for values in known.values())]
    return ["line", *known, "system", "score", "output"], (
        [*where, name, score, testset.systems[name][k]] for name, score in scores
    )


def segment_table(
    testset: TestSet, a: str, b: str, positions: np.ndarray, added: np.ndarray
) -> tuple[list[str], Iterable[list[Any]]]:
    """Header and rows of some segments: where they stand, what each adds, and its texts."""
    known = _there([("domain", testset.domains), ("docid", testset.documents)])
    texts = _there(
        [
            ("source", testset.sources),
            *((f"reference {name}", values) for name, values in testset.references.items()),
            *((f"output {name}", testset.systems[name]) for name in (a, b)),
        ]
    )
    rows = (
        [
            testset.lines[k],
            *(values[k] for values in known.values()),
            float(added[k]),
            *(values[k] for values in texts.values()),
        ]
        for k in positions.tolist()
    )
    return ["line", *known, "contribution", *texts], rows


def _common_statistics(
    testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray
) -> np.ndarray:
    """Statistics of the two, on the segments that both have."""
    both = statistics[_rows(testset, a, b)]
    return pair_statistics(both, engine.all_pairs(2))[0] if has_gaps(metric, both) else both


def _folded(texts: Sequence[str | None]) -> list[str]:
    """The texts without regard to capitals: all in one go, as one call for each takes longer."""
    folded = "\n".join(text or "" for text in texts).casefold().split("\n")
    return folded if len(folded) == len(texts) else [(text or "").casefold() for text in texts]


def _there(
    columns: Iterable[tuple[str, Sequence[str | None] | None]],
) -> dict[str, Sequence[str | None]]:
    return {name: values for name, values in columns if values is not None}


def _rows(testset: TestSet, a: str, b: str) -> list[int]:
    """Where the two stand among the systems."""
    testset.only((a, b))  # which says so where one is not there
    names = list(testset.systems)
    return [names.index(name) for name in (a, b)]


def _texts(testset: TestSet, a: str, b: str, where: str) -> list[Sequence[str | None]]:
    places: dict[str, list[Sequence[str | None]]] = {
        "source": [] if testset.sources is None else [testset.sources],
        "references": list(testset.references.values()),
        "output of A": [testset.systems[a]],
        "output of B": [testset.systems[b]],
    }
    return sum(places.values(), []) if where == "anywhere" else places[where]
