"""Integrity of submissions: what in the outputs and ratings of a test set is worth a look before it
is decided on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.metrics import Metric, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.cautions import about_files, find_missing_tokenizers, strip_texts
from mtsig_core.stats.engine import UnitStatistics, jackknife_scores
from mtsig_core.stats.resampling import make_units
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

DRIVES = (
    0.25  # share of a variance above which one document drives it, if chance seldom gives so much
)
CHANCE = 0.05  # how many test sets may have such a document by chance, at most
_LEAST_DOCUMENTS = 4
_SIMULATED = 19_999  # test sets; so that p can be small enough for hundreds of systems
SHORT_LINE = 20  # characters below which equal lines say little


@dataclass(frozen=True)
class Nearest:
    """The system whose output is most alike, by cross-BLEU: BLEU with one output as the reference
    of the other.
    """

    system: str
    cross_bleu: float
    share_equal: float  # of the lines with at least `SHORT_LINE` characters


@dataclass(frozen=True)
class DrivingDocument:
    """A document without which the interval of a score would be much narrower."""

    document: str
    share: float  # of the jackknife variance
    p_value: float  # how often the largest share is so large by chance, see `chance_of_share`


@dataclass(frozen=True)
class SystemIntegrity:
    """What was found of one system."""

    system: str
    equal_to_reference: dict[str, int]  # lines, by reference
    equal_to_source: int | None  # None without source texts
    nearest: Nearest | None  # None where there is no other output
    driving_document: DrivingDocument | None
    warnings: tuple[Caution, ...]  # lines in another order, another script, marks, equal lines


@dataclass(frozen=True)
class Integrity:
    """The systems of a test set; `n_lines` lines of the reference (or source) have at least
    `SHORT_LINE` characters.
    """

    testset: str
    metric: str  # whose intervals are looked at
    n_lines: int
    systems: tuple[SystemIntegrity, ...]
    median_cross_bleu: float | None = (
        None  # of all pairs of systems; None without texts, or the tokenizer of BLEU
    )
    warnings: tuple[Caution, ...] = ()  # of what could not be looked at


def examine_integrity(testset: TestSet, metric: str | Metric | None = None) -> Integrity:
    """Compare the outputs with references, source and each other, and find documents that drive
    intervals.

    No finding is an accusation: a short news headline has one translation, and two systems may
    share a model. Intervals are by document, of the metric, by default the first scores of the test
    set, else BLEU.

    >>> texts = {"A": ["a long line of text, the first", "b"], "B": ["a long line of text, the first", "c"]}
    >>> found = examine_integrity(TestSet("toy", texts, {"ref": ["a long line of text, the first", "d"]}))
    >>> [(one.system, one.equal_to_reference, one.nearest.share_equal) for one in found.systems]
    [('A', {'ref': 1}, 1.0), ('B', {'ref': 1}, 1.0)]
    >>> round(found.systems[0].nearest.cross_bleu, 1)
    97.1
    """
    name = next(iter(testset.scores), "bleu") if metric is None else metric
    chosen = resolve_metric(testset, name)
    outputs = {system: strip_texts(texts) for system, texts in testset.systems.items()}
    references = {reference: strip_texts(texts) for reference, texts in testset.references.items()}
    source = None if testset.sources is None else strip_texts(testset.sources)
    basis = next(iter(references.values()), source) or next(iter(outputs.values()), [])
    counted = [k for k, text in enumerate(basis) if len(text) >= SHORT_LINE]
    computed = [chosen.name, "bleu"] if testset.has_texts else [chosen.name]
    missing = find_missing_tokenizers(testset, computed, testset.name)
    driving = {} if chosen.name in missing else _find_driving(testset, chosen)
    warnings = about_files(testset)
    alike = _cross_bleu(testset, outputs) if counted and "bleu" not in missing else {}
    rows = []
    for system, lines in outputs.items():
        others = {
            other: alike[frozenset((system, other))]
            for other in outputs
            if other != system and alike
        }
        near = max(others, key=lambda other: others[other], default=None)
        nearest = None
        if near is not None:
            share_equal = _count_equal(lines, outputs[near], counted) / len(counted)
            nearest = Nearest(near, others[near], share_equal)
        rows.append(
            SystemIntegrity(
                system,
                {
                    reference: _count_equal(lines, texts, counted)
                    for reference, texts in references.items()
                },
                None if source is None else _count_equal(lines, source, counted),
                nearest,
                driving.get(system),
                tuple(caution for caution in warnings if caution.a == system),
            )
        )
    return Integrity(
        testset.name,
        chosen.name,
        len(counted),
        tuple(rows),
        float(np.median([*alike.values()])) if alike else None,
        (*missing.values(), *(caution for caution in warnings if caution.a is None)),
    )


def _cross_bleu(
    testset: TestSet, outputs: Mapping[str, Sequence[str]]
) -> dict[frozenset[str], float]:
    """BLEU of each pair of outputs, with the first as the reference."""
    names, found = list(outputs), dict[frozenset[str], float]()
    for k, name in enumerate(names[:-1], 1):
        others = TestSet(
            testset.name,
            {other: outputs[other] for other in names[k:]},
            {name: outputs[name]},
            langpair=testset.langpair,
            tokenizer=testset.tokenizer,
        )
        bleu = resolve_metric(others, "bleu")
        scores = bleu.score(bleu.statistics(others).sum(axis=1))
        found |= {
            frozenset((name, other)): float(one)
            for other, one in zip(others.systems, scores, strict=True)
        }
    return found


@dataclass(frozen=True)
class TaskIntegrity:
    """The language pairs of a task."""

    task: str
    missing: dict[str, tuple[str, ...]]  # by system the language pairs without its output
    pairs: dict[str, Integrity]


def examine_task(task: Task, metric: str | None = None) -> TaskIntegrity:
    """As `examine_integrity`, of each language pair that has the metric."""
    return TaskIntegrity(
        task.name,
        list_missing(task),
        {pair: examine_integrity(testset, metric) for pair, testset in task.testsets.items()},
    )


def list_missing(task: Task) -> dict[str, tuple[str, ...]]:
    """By system the language pairs of a task that have no output of it."""
    lacks = {
        system: tuple(
            pair for pair, testset in task.testsets.items() if system not in testset.systems
        )
        for system in task.systems
    }
    return {system: pairs for system, pairs in lacks.items() if pairs}


def _count_equal(first: Sequence[str], second: Sequence[str], counted: Sequence[int]) -> int:
    return sum(first[k] == second[k] and bool(first[k]) for k in counted)


def _find_driving(testset: TestSet, metric: Metric) -> dict[str, DrivingDocument]:
    """By system: the document that drives its interval, where there are documents.

    It has at least `DRIVES` of the jackknife variance, and a larger share than chance gives: the
    largest share is large with few documents, and with one that is longer than all others. So that
    the whole test set seldom shows one by chance, each system is judged at `CHANCE` over their
    number.
    """
    if testset.documents is None or len(Counter(testset.documents)) < _LEAST_DOCUMENTS:
        return {}
    names = list(dict.fromkeys(testset.documents))
    statistics, units = cached_statistics(metric, testset), make_units(testset, "document")
    data = UnitStatistics(metric, statistics, units)
    found = {}
    for k, (system, left_out) in enumerate(
        zip(testset.systems, jackknife_scores(data), strict=True)
    ):
        known = np.flatnonzero(~np.isnan(left_out))
        if len(known) < _LEAST_DOCUMENTS:
            continue
        shares = _share_variance(left_out[known])
        largest = float(shares.max())
        if largest < DRIVES:
            continue
        has_score = (
            statistics[k, :, -1] > 0
            if is_segment_mean(metric)
            else np.ones(testset.n_segments, dtype=bool)
        )
        sizes = np.bincount(units.index[has_score], minlength=units.n)[known]
        p = chance_of_share(largest, sizes)
        if p <= CHANCE / len(testset.systems):
            found[system] = DrivingDocument(names[known[shares.argmax()]], largest, p)
    return found


def _share_variance(left_out: np.ndarray) -> np.ndarray:
    """The share of the jackknife variance that is from each unit, (..., units) -> (..., units); 0
    where none varies.
    """
    squares = (left_out - left_out.mean(axis=-1, keepdims=True)) ** 2
    total = squares.sum(axis=-1, keepdims=True)
    shares: np.ndarray = np.divide(squares, total, out=np.zeros_like(squares), where=total > 0)
    return shares


def chance_of_share(share: float, sizes: np.ndarray) -> float:
    """How often the largest share of the jackknife variance is so large by chance: with normal
    document means of one variance, and documents of these sizes. By simulation with a fixed seed.

    >>> chance_of_share(0.5, np.full(5, 10)) > 0.5 > 0.01 > chance_of_share(0.5, np.full(20, 10))
    True
    """
    rng, weights = np.random.default_rng(0), sizes / sizes.sum()
    reached = 0
    for rows in row_chunks(_SIMULATED, len(sizes)):
        means = rng.normal(size=(rows.stop - rows.start, len(sizes)))
        adds = weights * means
        left_out = (adds.sum(axis=1, keepdims=True) - adds) / (1 - weights)
        reached += int(np.count_nonzero(_share_variance(left_out).max(axis=1) >= share))
    return (reached + 1) / (_SIMULATED + 1)
