"""Integrity of ratings: raters who stand out, outputs on which people disagree, and who decided alone."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.judgements import AttentionCheck, Judgements
from mtsig_core.stats.significance import significant
from mtsig_core.testset import TestSet

#: Level of the intervals.
CONFIDENCE = 0.95
#: The chance of any mark, of all raters and tests together, where nobody stands out.
MARKED_BY_CHANCE = 0.05
#: Who is stricter or milder than the median rater by more than this times the SD of all ratings is
#: marked.
STRICT = 0.5
#: Whose scores vary more than this times as much as usual, or less than its inverse, is marked.
SPREAD_RATIO = 2.0
#: Who orders systems as the others do less often than the median rater, by this share, is marked.
ORDER = 0.1
#: Who gives one score in this share of the ratings is marked, if the median rater does so less
#: often by `FREQUENT_MORE`, and there are as many ratings as `FEWEST`.
FREQUENT = 0.8
FREQUENT_MORE = 0.2
FEWEST = 20
FEWEST_DOCUMENTS = 5  # with fewer, an interval marks nobody
MOST_LISTED = 50  # outputs, and documents
_FEWEST_SHARED = 2  # documents that others rated too, to be compared with them
_TESTS = 5  # of each rater: strictness, spread, order, drift, checks
_ROUNDS = 100  # of the fit


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, which is for documents that are drawn again."""

    value: float
    se: float
    n_documents: int
    low: float
    high: float

    @classmethod
    def make(cls, value: float, se: float, n_documents: int, level: float = CONFIDENCE) -> Estimate:
        """Add Student's interval with documents - 1."""
        from scipy.special import stdtrit

        margin = se * float(stdtrit(n_documents - 1, (1 + level) / 2))
        return cls(value, se, n_documents, value - margin, value + margin)


@dataclass(frozen=True)
class RaterIntegrity:
    """What the ratings of a person show."""

    rater: str
    n_ratings: int
    n_items: int  # lines
    n_documents: int
    mean: float
    sd: float
    #: How many points less they give than the others on average; of scores that count errors, how
    #: many more.
    strictness: Estimate | None
    #: What is compared: "outputs" that others rated too, or else "systems" and domains.
    basis: str
    #: The SD, divided by the standard deviation of all raters around their means.
    spread: Estimate | None
    order: Estimate | None  # how often two systems of an item are in the order of the others
    correlation: float | None  # with the scores of the others
    frequent_score: float
    frequent_share: float
    n_checks: int
    n_passed: int
    seconds_per_item: float | None  # the median of their annotations
    drift: Estimate | None  # how much stricter they are in the second half of their documents
    checks_p: float = 1.0  # of so few passed checks, if all raters were alike
    #: "stricter", "milder", "wide", "narrow", "order", "drift", "constant", "checks".
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class DisputedOutput:
    """An output to which raters gave different scores."""

    line: int
    system: str
    difference: float  # of the highest and the lowest score
    scores: tuple[tuple[str, float], ...]  # by rater, the lowest first
    source: str | None
    output: str | None


@dataclass(frozen=True)
class SoleDocument:
    """A document that only one person rated."""

    document: str
    rater: str
    n_ratings: int


@dataclass(frozen=True)
class RatingIntegrity:
    """The ratings behind scores of a test set."""

    testset: str
    metric: str
    n_ratings: int
    n_outputs: int
    n_shared: int  # outputs with two ratings or more
    n_documents: int
    n_sole: int  # documents that only one person rated
    sd: float  # of all ratings
    raters: tuple[RaterIntegrity, ...]  # those with the most marks first
    disputed: tuple[DisputedOutput, ...]  # the largest differences first
    sole_documents: tuple[SoleDocument, ...]  # those with the most ratings first


def examine_ratings(testset: TestSet) -> RatingIntegrity:
    """Look for raters who stand out, outputs on which people disagree, and who decided alone.

    No finding is an accusation: a rater may be right, and the others wrong. Raters are compared
    with the others on the outputs that both rated, by least squares: score = output + rater. Who
    shares fewer than two documents is compared by score = system + domain + rater.

    Raises
    ------
    SettingError
        If the test set does not say who gave its ratings.
    """
    judgements = testset.judgements
    if judgements is None or not judgements.are_of(testset.lines):
        raise SettingError(
            f"{testset.name} does not say who gave its ratings. Give ratings with a column rater, or a "
            "file of an annotation tool."
        )
    scores = testset.scores.get(judgements.metric)
    sign = -1 if scores is not None and not scores.higher_is_better else 1
    names = list(dict.fromkeys(row.rater for row in judgements.rows))
    ratings = _tabulate(testset, judgements, names)
    ratings["score"] *= sign
    sd = float(ratings["score"].std())
    raters = _examine_raters(ratings, names, judgements, sign)
    raters = [replace(row, marks=_find_marks(row, raters, sd)) for row in raters]
    raters.sort(key=lambda row: len(row.marks), reverse=True)
    sole_documents = _list_sole_documents(testset, ratings, names)
    n_shared = int(np.count_nonzero(np.bincount(ratings["output"]) > 1))
    return RatingIntegrity(
        testset.name,
        judgements.metric,
        n_ratings=len(ratings),
        n_outputs=_count_values(ratings, "output"),
        n_shared=n_shared,
        n_documents=_count_values(ratings, "document"),
        n_sole=len(sole_documents),
        sd=sd,
        raters=tuple(raters),
        disputed=tuple(_list_disputed(testset, judgements)),
        sole_documents=tuple(sole_documents[:MOST_LISTED]),
    )


_KEYS = ("rater", "system", "position", "output", "document", "domain")


def _tabulate(testset: TestSet, judgements: Judgements, names: Sequence[str]) -> np.ndarray:
    """A row for each rating, with a column for its score and for each key, in the order of work."""
    begin_of = {annotation.id: annotation.begin or 0.0 for annotation in judgements.annotations}
    rater_of = {name: number for number, name in enumerate(names)}
    system_of: dict[str, int] = {}
    documents = np.arange(testset.n_segments)
    if testset.documents is not None:
        documents = testset.document_index
    domains = np.zeros(testset.n_segments, dtype=int)
    if testset.domains is not None:
        _, domains = np.unique(testset.domains, return_inverse=True)
    rows = []
    for row in sorted(judgements.rows, key=lambda row: begin_of.get(row.annotation, 0.0)):
        position = testset.position_of.get(row.line)
        if position is not None:
            system = system_of.setdefault(row.system, len(system_of))
            output = system * testset.n_segments + position
            keys = (rater_of[row.rater], system, position, output)
            rows.append((row.score, *keys, documents[position], domains[position]))
    return np.array(rows, dtype=[("score", float), *((key, int) for key in _KEYS)])


# What the others would have given.


def _expect_by_outputs(ratings: np.ndarray) -> np.ndarray:
    """The mean of the other ratings of each output, less how strict these raters are.

    NaN where there are none.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    counts = np.bincount(ratings["output"])[ratings["output"]]
    is_shared = counts > 1
    expected = np.full(len(ratings), np.nan)
    if is_shared.any():
        shared = ratings[is_shared]
        output = shared["output"]
        rater = shared["rater"]
        _, effects = _fit_effects(shared["score"], output, rater)
        adjusted = shared["score"] - effects[rater]
        others = np.bincount(output, adjusted)[output] - adjusted
        links = csr_array((np.ones(len(shared)), (rater, output)))
        _, group = connected_components(links @ links.T)
        level = _average_others(effects, group)
        expected[is_shared] = others / (counts[is_shared] - 1) + level[rater]
    return expected


def _expect_by_systems(ratings: np.ndarray) -> np.ndarray:
    """What the others would have given to the system in the domain."""
    system, domain, rater = (ratings[key] for key in ("system", "domain", "rater"))
    of_system, of_domain, effects = _fit_effects(ratings["score"], system, domain, rater)
    level = _average_others(effects, np.zeros(len(effects), dtype=int))
    return np.asarray(of_system[system] + of_domain[domain] + level[rater])


def _fit_effects(score: np.ndarray, *factors: np.ndarray) -> list[np.ndarray]:
    """Effects of factors whose sums are the scores, by least squares: each in turn, again and again."""
    counts = [np.maximum(np.bincount(factor), 1) for factor in factors]
    effects = [np.zeros(len(n)) for n in counts]
    residual = score.copy()
    for _ in range(_ROUNDS):
        for factor, n, effect in zip(factors, counts, effects, strict=True):
            change = np.bincount(factor, residual) / n
            effect += change
            residual -= change[factor]
    return effects


def _average_others(effects: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Of each rater the mean effect of the others in the group; NaN where there are none."""
    n_others = np.bincount(group)[group] - 1
    sums = np.bincount(group, effects)[group] - effects
    others = np.full(len(sums), np.nan)
    np.divide(sums, n_others, out=others, where=n_others > 0)
    return others


# What the ratings of a rater show.


def _estimate_mean(values: np.ndarray, document: np.ndarray) -> Estimate | None:
    """A mean whose standard error is by document; None with fewer than two documents."""
    _, place, sizes = np.unique(document, return_inverse=True, return_counts=True)
    n = len(sizes)
    if n < 2:
        return None
    mean = float(values.mean())
    errors = np.bincount(place, values) - mean * sizes
    se = math.sqrt(n / (n - 1) * float(errors @ errors)) / len(values)
    return Estimate.make(mean, se, n)


def _estimate_spread(ratings: np.ndarray, usual_variance: float) -> Estimate | None:
    """The SD divided by the usual one."""
    squares = (ratings["score"] - ratings["score"].mean()) ** 2
    variance = _estimate_mean(squares, ratings["document"])
    if variance is None or not usual_variance:
        return None
    ratio = math.sqrt(variance.value / usual_variance)
    se = 0.0
    if variance.value:
        se = ratio * variance.se / (2 * variance.value)
    return Estimate.make(ratio, se, variance.n_documents)


def _estimate_order(ratings: np.ndarray, expected: np.ndarray) -> Estimate | None:
    """How often two systems of a segment are in the order of the others, without ties."""
    in_order = np.argsort(ratings["position"], kind="stable")
    ratings = ratings[in_order]
    expected = expected[in_order]
    agrees = []
    documents = []
    for distance in range(1, len(np.unique(ratings["system"]))):
        earlier = ratings[:-distance]
        later = ratings[distance:]
        change = expected[distance:] - expected[:-distance]
        product = (later["score"] - earlier["score"]) * change
        is_pair = (later["position"] == earlier["position"]) & (product != 0)
        agrees.append(product[is_pair] > 0)
        documents.append(later["document"][is_pair])
    n = sum(map(len, agrees))
    if n < FEWEST:
        return None
    estimate = _estimate_mean(np.concatenate(agrees).astype(float), np.concatenate(documents))
    if estimate is None:
        return None
    # Where all documents agree, the next one still may not.
    share = (estimate.value * n + 1) / (n + 2)
    least_se = math.sqrt(share * (1 - share) / n)
    estimate = Estimate.make(estimate.value, max(estimate.se, least_se), estimate.n_documents)
    return replace(estimate, low=max(estimate.low, 0.0), high=min(estimate.high, 1.0))


def _estimate_drift(strictness: np.ndarray, document: np.ndarray) -> Estimate | None:
    """How much stricter the second half of the documents is than the first."""
    documents = list(dict.fromkeys(document.tolist()))
    is_late = np.isin(document, documents[len(documents) // 2 :])
    early = _estimate_mean(strictness[~is_late], document[~is_late])
    late = _estimate_mean(strictness[is_late], document[is_late])
    if early is None or late is None:
        return None
    n = min(early.n_documents, late.n_documents)
    return Estimate.make(late.value - early.value, math.hypot(early.se, late.se), n)


def _examine_raters(
    ratings: np.ndarray, names: Sequence[str], judgements: Judgements, sign: int
) -> list[RaterIntegrity]:
    by_outputs = _expect_by_outputs(ratings)
    by_systems = _expect_by_systems(ratings)
    counts = np.bincount(ratings["rater"])
    means = np.bincount(ratings["rater"], ratings["score"]) / np.maximum(counts, 1)
    usual_variance = float(((ratings["score"] - means[ratings["rater"]]) ** 2).mean())
    raters = []
    for number in np.flatnonzero(counts).tolist():
        name = names[number]
        is_of_rater = ratings["rater"] == number
        of_rater = ratings[is_of_rater]
        basis = "outputs"
        expected = by_outputs[is_of_rater]
        shared = of_rater[~np.isnan(expected)]
        if _count_values(shared, "document") < _FEWEST_SHARED:
            basis = "systems"
            expected = by_systems[is_of_rater]
        passed = [check.is_passed for check in judgements.checks if check.rater == name]
        row = RaterIntegrity(
            name,
            basis=basis,
            **_describe_scores(of_rater, sign),
            spread=_estimate_spread(of_rater, usual_variance),
            **_compare_scores(of_rater, expected),
            n_checks=len(passed),
            n_passed=sum(passed),
            seconds_per_item=_time_items(judgements, name),
            checks_p=_test_checks(passed, judgements.checks),
        )
        raters.append(row)
    return raters


def _count_values(ratings: np.ndarray, key: str) -> int:
    return len(np.unique(ratings[key]))


def _describe_scores(ratings: np.ndarray, sign: int) -> dict[str, Any]:
    """The fields of `RaterIntegrity` that need no other rater."""
    values, counts = np.unique(ratings["score"], return_counts=True)
    frequent = counts.argmax()
    return {
        "n_ratings": len(ratings),
        "n_items": _count_values(ratings, "position"),
        "n_documents": _count_values(ratings, "document"),
        "mean": sign * float(ratings["score"].mean()),
        "sd": float(ratings["score"].std()),
        "frequent_score": sign * float(values[frequent]) + 0.0,  # no minus before a zero
        "frequent_share": float(counts[frequent] / len(ratings)),
    }


def _compare_scores(ratings: np.ndarray, expected: np.ndarray) -> dict[str, Any]:
    """The fields of `RaterIntegrity` that compare scores with those that others would give."""
    is_known = ~np.isnan(expected)
    ratings = ratings[is_known]
    expected = expected[is_known]
    strictness = expected - ratings["score"]
    return {
        "strictness": _estimate_mean(strictness, ratings["document"]),
        "order": _estimate_order(ratings, expected),
        "correlation": _correlate(ratings["score"], expected),
        "drift": _estimate_drift(strictness, ratings["document"]),
    }


def _correlate(score: np.ndarray, expected: np.ndarray) -> float | None:
    """Pearson's correlation; None where one of both does not vary."""
    if len(score) < FEWEST or not np.ptp(score) or not np.ptp(expected):
        return None
    return float(np.corrcoef(score, expected)[0, 1])


def _time_items(judgements: Judgements, rater: str) -> float | None:
    """The median seconds for an item over the annotations of a rater; None without times."""
    seconds = [
        annotation.seconds / annotation.n_items
        for annotation in judgements.annotations
        if annotation.rater == rater and annotation.seconds is not None
    ]
    if not seconds:
        return None
    return median(seconds)


def _test_checks(passed: Sequence[bool], checks: Sequence[AttentionCheck]) -> float:
    """The chance that so few of the passed checks are of this rater: Fisher's exact test."""
    from scipy.stats import hypergeom

    if not passed:
        return 1.0
    n_passed = sum(check.is_passed for check in checks)
    return float(hypergeom.cdf(sum(passed), len(checks), n_passed, len(passed)))


# Who stands out.


class _Bounds(NamedTuple):
    """How far an estimate may lie from the usual, and the marks of a rater who is beyond."""

    estimate: Estimate | None
    least: float
    most: float
    mark_below: str
    mark_above: str


def _find_marks(
    row: RaterIntegrity, raters: Sequence[RaterIntegrity], sd: float
) -> tuple[str, ...]:
    """The marks of a rater: what lies beyond a bound with its whole interval for all raters."""
    alpha = MARKED_BY_CHANCE / (_TESTS * len(raters))
    like = [other for other in raters if other.basis == row.basis]
    strictness = _take_median(other.strictness for other in like)
    margin = STRICT * sd
    least_order = _take_median(other.order for other in like) - ORDER
    all_bounds = (
        _Bounds(row.strictness, strictness - margin, strictness + margin, "milder", "stricter"),
        _Bounds(row.spread, 1 / SPREAD_RATIO, SPREAD_RATIO, "narrow", "wide"),
        _Bounds(row.order, least_order, math.inf, "order", ""),
        _Bounds(row.drift, 0.0, 0.0, "drift", "drift"),
    )
    marks = []
    for bounds in all_bounds:
        estimate = bounds.estimate
        if estimate is None or estimate.n_documents < FEWEST_DOCUMENTS:
            continue
        wide = Estimate.make(estimate.value, estimate.se, estimate.n_documents, 1 - alpha)
        if wide.high < bounds.least:
            marks.append(bounds.mark_below)
        if wide.low > bounds.most:
            marks.append(bounds.mark_above)
    usual_frequent = median(other.frequent_share for other in raters)
    is_frequent = row.frequent_share >= max(FREQUENT, usual_frequent + FREQUENT_MORE)
    if is_frequent and row.n_ratings >= FEWEST:
        marks.append("constant")
    if significant(row.checks_p, alpha):
        marks.append("checks")
    return tuple(marks)


def _take_median(estimates: Iterable[Estimate | None]) -> float:
    """The median of the values that there are; 0 without any, where nobody is compared with it."""
    values = [estimate.value for estimate in estimates if estimate is not None]
    if not values:
        return 0.0
    return median(values)


# Outputs and documents.


def _list_disputed(testset: TestSet, judgements: Judgements) -> list[DisputedOutput]:
    """The outputs whose highest and lowest scores differ most."""
    disputed = []
    for (system, line), rows in judgements.rows_of_outputs.items():
        scores = sorted(((row.rater, row.score) for row in rows), key=itemgetter(1))
        (_, lowest), (_, highest) = scores[0], scores[-1]
        if highest > lowest and line in testset.position_of:
            row = DisputedOutput(line, system, highest - lowest, tuple(scores), None, None)
            disputed.append(row)
    disputed.sort(key=lambda row: row.difference, reverse=True)
    return [_add_texts(row, testset) for row in disputed[:MOST_LISTED]]


def _add_texts(row: DisputedOutput, testset: TestSet) -> DisputedOutput:
    position = testset.position_of[row.line]
    source = output = None
    if testset.sources is not None:
        source = testset.sources[position]
    if row.system in testset.systems:
        output = testset.systems[row.system][position]
    return replace(row, source=source, output=output)


def _list_sole_documents(
    testset: TestSet, ratings: np.ndarray, names: Sequence[str]
) -> list[SoleDocument]:
    """The documents that one person rated, those with the most ratings first."""
    titles = testset.documents or [f"line {line}" for line in testset.lines]
    position_of = dict(zip(ratings["document"].tolist(), ratings["position"].tolist(), strict=True))
    pairs, counts = np.unique(ratings[["document", "rater"]], return_counts=True)
    n_raters = Counter(pairs["document"].tolist())
    sole_documents = []
    for (document, rater), n_ratings in zip(pairs.tolist(), counts.tolist(), strict=True):
        if n_raters[document] == 1:
            row = SoleDocument(titles[position_of[document]], names[rater], n_ratings)
            sole_documents.append(row)
    return sorted(sole_documents, key=lambda row: row.n_ratings, reverse=True)
