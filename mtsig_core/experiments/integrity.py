"""Integrity of submissions: outputs and ratings of a test set that are worth a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.caution import Caution
from mtsig_core.experiments.line_faults import LineFault, find_line_faults
from mtsig_core.experiments.rating_integrity import RatingIntegrity, examine_ratings
from mtsig_core.metrics import Metric, MetricLike, is_segment_mean, resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.cautions import find_missing_tokenizers
from mtsig_core.stats.engine import UnitStatistics, jackknife_scores
from mtsig_core.stats.file_cautions import about_files
from mtsig_core.stats.line_cautions import strip_texts
from mtsig_core.stats.resampling import make_units
from mtsig_core.task import Task
from mtsig_core.testset import TestSet

#: The lines of texts, by their names.
_Texts = Mapping[str, Sequence[str]]
#: Share of a variance above which one document drives it, if chance seldom gives so much.
DRIVES = 0.25
CHANCE = 0.05  # the largest share of test sets that may have such a document by chance
_LEAST_DOCUMENTS = 4
_SIMULATED = 19_999  # test sets; so that p can be small enough for hundreds of systems
#: Cautions that say less than the list of faulty lines.
_ABOUT_SINGLE_LINES = ("faulty-lines", "few-faulty-lines")
SHORT_LINE = 20  # characters below which equal lines say little


@dataclass(frozen=True)
class Nearest:
    """The system with the most similar output.

    Cross-BLEU is BLEU with one output as the reference of the other.
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
    """The findings about one system."""

    system: str
    equal_to_reference: dict[str, int]  # lines, by reference
    equal_to_source: int | None  # None without source texts
    nearest: Nearest | None  # None where there is no other output
    driving_document: DrivingDocument | None
    warnings: tuple[Caution, ...]  # lines in another order, another script, marks, equal lines
    line_faults: tuple[LineFault, ...] = ()


@dataclass(frozen=True)
class Integrity:
    """The systems of a test set."""

    testset: str
    metric: str  # of the intervals that a document may drive
    n_lines: int  # of the reference (or source), with at least `SHORT_LINE` characters
    systems: tuple[SystemIntegrity, ...]
    #: Of all pairs of systems; None without texts, or the tokenizer of BLEU.
    median_cross_bleu: float | None = None
    warnings: tuple[Caution, ...] = ()  # about what could not be checked
    ratings: RatingIntegrity | None = None  # None where the test set does not say who rated


def examine_integrity(testset: TestSet, metric: MetricLike | None = None) -> Integrity:
    """Compare outputs with references, source and each other, and find documents that drive intervals.

    No finding is an accusation: a short news headline has one translation, and two systems may
    share a model. Intervals are by document, of the metric, by default the first scores of the test
    set, else BLEU.

    >>> texts = {"A": ["a long line of text, the first", "b"], "B": ["a long line of text, the first", "c"]}
    >>> result = examine_integrity(TestSet("toy", texts, {"ref": ["a long line of text, the first", "d"]}))
    >>> [(row.system, row.equal_to_reference, row.nearest.share_equal) for row in result.systems]
    [('A', {'ref': 1}, 1.0), ('B', {'ref': 1}, 1.0)]
    >>> round(result.systems[0].nearest.cross_bleu, 1)
    97.1
    """
    name = next(iter(testset.scores), "bleu") if metric is None else metric
    metric = resolve_metric(testset, name)
    outputs = {system: strip_texts(texts) for system, texts in testset.systems.items()}
    references = {reference: strip_texts(texts) for reference, texts in testset.references.items()}
    source = None if testset.sources is None else strip_texts(testset.sources)
    long_lines = _find_long_lines(references, source, outputs)
    computed = [metric.name]
    if testset.has_texts:
        computed.append("bleu")
    missing = find_missing_tokenizers(testset, computed, testset.name)
    driving = {}
    if metric.name not in missing:
        driving = _find_driving(testset, metric)
    cross_bleu = {}
    if long_lines and "bleu" not in missing:
        cross_bleu = _cross_bleu(testset, outputs)
    cautions = about_files(testset)
    line_faults = find_line_faults(testset)
    rows = []
    for system, lines in outputs.items():
        equal_to_reference = {
            reference: _count_equal(lines, texts, long_lines)
            for reference, texts in references.items()
        }
        equal_to_source = None
        if source is not None:
            equal_to_source = _count_equal(lines, source, long_lines)
        system_cautions = [
            caution
            for caution in cautions
            if caution.a == system and caution.code not in _ABOUT_SINGLE_LINES
        ]
        row = SystemIntegrity(
            system,
            equal_to_reference,
            equal_to_source,
            _find_nearest(system, outputs, cross_bleu, long_lines),
            driving.get(system),
            tuple(system_cautions),
            tuple(fault for fault in line_faults if fault.system == system),
        )
        rows.append(row)
    general_cautions = [caution for caution in cautions if caution.a is None]
    median_cross_bleu = None
    if cross_bleu:
        median_cross_bleu = float(np.median(list(cross_bleu.values())))
    ratings = None
    judgements = testset.judgements
    if judgements is not None and judgements.are_of(testset.lines):
        ratings = examine_ratings(testset)
    return Integrity(
        testset.name,
        metric.name,
        len(long_lines),
        tuple(rows),
        median_cross_bleu,
        (*missing.values(), *general_cautions),
        ratings,
    )


def _find_long_lines(
    references: _Texts,
    source: Sequence[str] | None,
    outputs: _Texts,
) -> list[int]:
    """Find the lines with enough characters in the first reference, the source or an output."""
    if references:
        texts = next(iter(references.values()))
    elif source is not None:
        texts = source
    else:
        texts = next(iter(outputs.values()), [])
    return [k for k, text in enumerate(texts) if len(text) >= SHORT_LINE]


def _cross_bleu(testset: TestSet, outputs: _Texts) -> dict[frozenset[str], float]:
    """Score each pair of outputs by BLEU, with the first as the reference."""
    names = list(outputs)
    scores: dict[frozenset[str], float] = {}
    for k, name in enumerate(names[:-1], 1):
        later = TestSet(
            testset.name,
            {system: outputs[system] for system in names[k:]},
            {name: outputs[name]},
            langpair=testset.langpair,
            tokenizer=testset.tokenizer,
        )
        bleu = resolve_metric(later, "bleu")
        later_scores = bleu.score(bleu.statistics(later).sum(axis=1))
        for system, score in zip(later.systems, later_scores, strict=True):
            scores[frozenset((name, system))] = float(score)
    return scores


def _find_nearest(
    system: str,
    outputs: _Texts,
    cross_bleu: Mapping[frozenset[str], float],
    long_lines: Sequence[int],
) -> Nearest | None:
    nearest = None
    for name, lines in outputs.items():
        score = cross_bleu.get(frozenset((system, name)))
        if score is not None and (nearest is None or score > nearest.cross_bleu):
            share_equal = _count_equal(outputs[system], lines, long_lines) / len(long_lines)
            nearest = Nearest(name, score, share_equal)
    return nearest


@dataclass(frozen=True)
class TaskIntegrity:
    """The language pairs of a task."""

    task: str
    missing: dict[str, tuple[str, ...]]  # by system the language pairs without its output
    pairs: dict[str, Integrity]


def examine_task(task: Task, metric: str | None = None) -> TaskIntegrity:
    """Run `examine_integrity` on each language pair that has the metric."""
    return TaskIntegrity(
        task.name,
        list_missing(task),
        {lang_pair: examine_integrity(ts, metric) for lang_pair, ts in task.testsets.items()},
    )


def list_missing(task: Task) -> dict[str, tuple[str, ...]]:
    """List by system the language pairs of a task that have no output of it."""
    missing: dict[str, tuple[str, ...]] = {}
    for system in task.systems:
        lang_pairs = tuple(
            lang_pair for lang_pair, ts in task.testsets.items() if system not in ts.systems
        )
        if lang_pairs:
            missing[system] = lang_pairs
    return missing


def _count_equal(first: Sequence[str], second: Sequence[str], lines: Sequence[int]) -> int:
    return sum(first[k] == second[k] and bool(first[k]) for k in lines)


def _find_driving(testset: TestSet, metric: Metric) -> dict[str, DrivingDocument]:
    """Find the document that drives the interval of each system, where there are documents.

    It has at least `DRIVES` of the jackknife variance, and a larger share than chance gives: the
    largest share is large with few documents, and with one that is longer than all others. Each
    system is judged at `CHANCE` over their number, so that a test set seldom shows such a document
    by chance.
    """
    if testset.documents is None or len(set(testset.documents)) < _LEAST_DOCUMENTS:
        return {}
    names = list(dict.fromkeys(testset.documents))
    statistics = cached_statistics(metric, testset)
    units = make_units(testset, "document")
    left_out = jackknife_scores(UnitStatistics(metric, statistics, units))
    driving = {}
    for k, system in enumerate(testset.systems):
        scored_documents = np.flatnonzero(~np.isnan(left_out[k]))
        if len(scored_documents) < _LEAST_DOCUMENTS:
            continue
        shares = _share_variance(left_out[k, scored_documents])
        largest = float(shares.max())
        if largest < DRIVES:
            continue
        has_score = np.ones(testset.n_segments, dtype=bool)
        if is_segment_mean(metric):
            has_score = statistics[k, :, -1] > 0
        sizes = np.bincount(units.index[has_score], minlength=units.n)[scored_documents]
        p = chance_of_share(largest, sizes)
        if p <= CHANCE / len(testset.systems):
            document = names[scored_documents[shares.argmax()]]
            driving[system] = DrivingDocument(document, largest, p)
    return driving


def _share_variance(left_out: np.ndarray) -> np.ndarray:
    """Share the jackknife variance among the units, (..., units) -> (..., units).

    All shares are 0 where nothing varies.
    """
    squares = (left_out - left_out.mean(axis=-1, keepdims=True)) ** 2
    total = squares.sum(axis=-1, keepdims=True)
    shares: np.ndarray = np.divide(squares, total, out=np.zeros_like(squares), where=total > 0)
    return shares


def chance_of_share(share: float, sizes: np.ndarray) -> float:
    """Estimate how often the largest share of the jackknife variance is so large by chance.

    Document means are normal with the same variance, and documents have these sizes, of shape
    (documents,). The simulation has a fixed seed.

    >>> chance_of_share(0.5, np.full(5, 10)) > 0.5 > 0.01 > chance_of_share(0.5, np.full(20, 10))
    True
    """
    rng = np.random.default_rng(0)
    weights = sizes / sizes.sum()
    n_reached = 0
    for rows in row_chunks(_SIMULATED, len(sizes)):
        means = rng.normal(size=(rows.stop - rows.start, len(sizes)))
        weighted = weights * means
        left_out = (weighted.sum(axis=1, keepdims=True) - weighted) / (1 - weights)
        largest = _share_variance(left_out).max(axis=1)
        n_reached += int(np.count_nonzero(largest >= share))
    return (n_reached + 1) / (_SIMULATED + 1)
