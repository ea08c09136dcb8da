"""Which metric to trust over a shared task: agreement with people in each language pair, and the mean over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mtsig_core.data.score_directions import check_settled
from mtsig_core.data.task import Task
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError, nearest
from mtsig_core.experiments.metric_agreement import (
    CORRECTION,
    Held,
    HeldMetrics,
    accuracies,
    agreement_of,
    compare_metrics,
    default_metrics,
    hold,
)
from mtsig_core.inference.across_pairs import seed_of
from mtsig_core.results.agreement import TaskAgreement
from mtsig_core.results.task import TaskInfo

__all__ = ["task_agreement"]


def task_agreement(task: Task, human: str, metrics: Sequence[str] | None = None, *, unit: str = "auto",
                   block_length: float | None = None, trials: int = 1999, alpha: float = 0.05, resamples: int = 2000,
                   seed: int = 0, jobs: int = 1,
                   progress: Callable[[str, float], None] | None = None) -> TaskAgreement:
    """How far do metrics decide as people do in each language pair, and in the mean over language pairs?

    Parameters
    ----------
    task : Task
    human : str
        The segment scores that people gave; language pairs in which fewer than two systems have them are left out, and
        named.
    metrics : sequence of str, optional
        By default those that all these language pairs have, of the usual ones of `agreement`.
    unit, block_length, trials, alpha, resamples, seed, jobs
        As in `agreement`; each language pair has draws of its own, keyed by its name.
    progress : callable, optional
        Called with (stage, share of it done).

    Returns
    -------
    TaskAgreement

    Raises
    ------
    SettingError
        Where no language pair has the human score, and what `agreement` raises for one of them.

    Notes
    -----
    Language pairs count the same. Intervals are of means of samples drawn within each language pair. Two metrics are
    compared by the mean difference of soft pairwise accuracy: they trade scores within each language pair, and the
    differences are averaged, as in the mean differences of `compare_task`; p of language pairs are not combined.
    Systems and language pairs are not drawn: with others the order may be another.

    Examples
    --------
    >>> from mtsig_core.data.segment_scores import SegmentScores
    >>> from mtsig_core.data.testset import TestSet
    >>> scores = {name: [first + k % 3 for k in range(20)] for name, first in (("A", 3.0), ("B", 2.0), ("C", 1.0))}
    >>> pair = TestSet("toy", {name: [None] * 20 for name in scores}, {}, scores={
    ...     "people": SegmentScores(scores), "mine": SegmentScores(scores)})
    >>> found = task_agreement(Task("toy", {"en-de": pair, "en-cs": pair}), "people", resamples=50)
    >>> [(one.metric, one.n_pairs, one.pairwise_accuracy) for one in found.metrics], list(found.pairs)
    ([('mine', 6, 1.0)], ['en-de', 'en-cs'])
    """
    have = {pair: testset for pair, testset in task.testsets.items() if _rated(testset, human) > 1}
    if not have:
        check_settled(human, task.assumed)
        known = list(dict.fromkeys(name for testset in task.testsets.values() for name in testset.scores))
        raise SettingError(f"No language pair of {task.name} has segment scores {human!r} of two systems."
                           f"{nearest(human, known)} There are: {', '.join(known) or 'none'}.", {"human": "NAME"})
    if metrics is None:
        offered = [default_metrics(testset, human) for testset in have.values()]
        metrics = [name for name in offered[0] if all(name in own for own in offered[1:])]
        if not metrics:
            raise SettingError(f"No metric is in all language pairs of {task.name} that have {human}: "
                               f"{', '.join(have)}. Choose fewer language pairs.", {"pairs": "XX-YY,..."})
    held = {}
    for k, (pair, testset) in enumerate(have.items()):
        def report(stage: str, share: float, k: int = k, pair: str = pair) -> None:
            if progress is not None:
                progress(f"{pair}, {stage}", (k + share) / len(have))

        held[pair] = hold(testset, human, metrics, unit=unit, block_length=block_length, trials=trials, alpha=alpha,
                          resamples=resamples, seed=seed_of(seed, pair), jobs=jobs, progress=report)
    first = next(iter(held.values()))
    means = [_mean([own.rows[k] for own in held.values()]) for k in range(len(first.metrics))]
    order = sorted(range(len(means)), key=lambda k: -means[k].soft)
    rows = tuple(accuracies(first.metrics[k], _signatures(list(held.values()), k), means[k], alpha) for k in order)
    return TaskAgreement(
        human, TaskInfo.of(task), {pair: agreement_of(human, own) for pair, own in held.items()},
        tuple(pair for pair in task.testsets if pair not in have), alpha, seed, CORRECTION, rows,
        compare_metrics(means, list(held.values()), order))


def _rated(testset: TestSet, human: str) -> int:
    """How many systems have any such score."""
    if human not in testset.scores:
        return 0
    scores = testset.scores[human].by_system
    return sum(any(score is not None for score in scores.get(name, ())) for name in testset.systems)


def _mean(rows: Sequence[Held]) -> Held:
    """One metric over language pairs, observed and sample by sample. A language pair in which people order no pair of
    systems has no part in pairwise accuracy, nor in a sample in which they order none."""
    hard, drawn = np.array([row.hard for row in rows]), np.array([row.hard_drawn for row in rows])
    ordered = np.isfinite(hard)
    soft = float(np.mean([row.soft for row in rows]))
    return Held(sum(row.n_pairs for row in rows), sum(row.n_ties for row in rows),
                float(hard[ordered].mean()) if ordered.any() else float("nan"),
                drawn[ordered].mean(axis=0) if ordered.any() else drawn[0],
                soft, np.mean([row.soft_drawn for row in rows], axis=0))


def _signatures(held: Sequence[HeldMetrics], k: int) -> str:
    """Those of all language pairs, each once: tokenizers may differ."""
    return " ".join(dict.fromkeys(own.metrics[k].signature(own.testset) for own in held))
