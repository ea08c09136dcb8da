"""BLEU and GTM of one system at other output lengths (Koehn 2004, Figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.simulation.corpus import KOEHN_SYSTEMS, simulate
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.ngram_precisions import best_system, brevity_penalty, check_bleu, counts_of, share
from mtsig_core.experiments.worked_example import tokens_of
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.metrics import Metric, metric_of
from mtsig_core.metrics.overlap import align

__all__ = ["MOST_SEGMENTS", "PENALTIES", "SHARES", "LengthPoint", "Lengths", "lengths", "truncated"]

#: Segments that are counted, from all over the test set.
MOST_SEGMENTS = 2000
#: Word penalties in the simulator, 0 for the output as it is; below that words are added.
PENALTIES: tuple[float, ...] = (0.25, 0.2, 0.15, 0.1, 0.05, 0.0, -0.1, -0.2, -0.4)
#: Shares of its words that an output keeps, 1 for the output as it is.
SHARES: tuple[float, ...] = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)


@dataclass(frozen=True)
class LengthPoint:
    """The outputs at one length.

    Attributes
    ----------
    asked : float
        The word penalty, or the share of the words that is kept.
    length_ratio : float or None
        Words of the output per word of the reference.
    bleu, gtm : float
        In points.
    brevity_penalty : float
        From 0 to 1.
    precision : float
        BLEU without it, in points.
    """

    asked: float
    length_ratio: float | None
    bleu: float
    gtm: float
    brevity_penalty: float
    precision: float


@dataclass(frozen=True)
class Lengths:
    """What `lengths` finds.

    Attributes
    ----------
    system : str
    how : str
        ``"word penalty"`` or ``"truncation"``.
    n_segments : int
        How many were counted.
    bleu_signature, gtm_signature : str
    points : tuple of LengthPoint
        The shortest outputs first.
    """

    system: str
    how: str
    n_segments: int
    bleu_signature: str
    gtm_signature: str
    points: tuple[LengthPoint, ...]

    @property
    def actual(self) -> LengthPoint:
        """The output as it is."""
        return next(point for point in self.points if point.asked == (0 if self.how == "word penalty" else 1))


def lengths(testset: TestSet, metric: str | Metric = "bleu", *, system: str | None = None, most: int = MOST_SEGMENTS,
            progress: Progress | None = None) -> Lengths:
    """Score a system at other lengths of its output.

    A system of the simulated corpus translates anew with a word penalty. Any other output is truncated: each segment
    keeps a share of its words, from the beginning. Nothing can make it longer, as nobody knows what it would have said.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
        BLEU; its tokenizer is GTM's too.
    system : str, optional
        By default the one with the best BLEU.
    most : int
        Segments to count at most, evenly spread over the test set.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.

    Raises
    ------
    SettingError
        For another metric, a system that is not there, or a test set without texts.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e f g h i j"]}, {"ref": ["a b c d e f g h i j"]})
    >>> [(point.length_ratio, round(point.bleu), round(point.gtm)) for point in lengths(ts).points][2::2]
    [(0.8, 78, 89), (0.9, 89, 95), (1.0, 100, 100)]
    """
    metric = check_bleu(testset, metric)
    if most < 1:
        raise SettingError(f"segments is {most}. Expected at least 1 to count.")
    system = best_system(testset, metric, progress) if system is None else system
    n = min(most, testset.n_segments)
    part = testset.only([system]).at((np.arange(n) * testset.n_segments // n).tolist())
    report = stage(progress, "other lengths")
    how, grid = "word penalty", PENALTIES
    variants = _penalised(part, system, report)
    if variants is None:
        how, grid, tokens = "truncation", SHARES, tokens_of(metric, part)
        variants = [[truncated(text, tokens, kept) for text in part.systems[system]] for kept in grid]
    several = replace(part, systems={str(k): texts for k, texts in enumerate(variants)}, scores={}, parses={})
    gtm = metric_of(several, "gtm", tokenize=getattr(metric, "tokenize", None),
                    lowercase=getattr(metric, "lowercase", False))
    matches = gtm.score(gtm.statistics(several, stage(progress, "counting")).sum(axis=1))
    sums = metric.statistics(several).sum(axis=1)
    points = [_point(*row) for row in zip(grid, (counts_of(metric, row) for row in sums), metric.score(sums).tolist(),
                                          matches.tolist(), strict=True)]
    return Lengths(system, how, n, metric.signature(testset), gtm.signature(testset), tuple(points))


def truncated(text: str, tokens: Callable[[str], list[str]], kept: float) -> str:
    """The beginning of a text with a share of its tokens, at least one.

    Examples
    --------
    >>> truncated("one two three four", str.split, 0.5)
    'one two'
    """
    places = align(text, tokens(text))
    if not places:  # the tokens are not those of the text: by space then
        return " ".join(text.split()[:max(1, round(kept * len(text.split())))])
    return text[:places[max(1, round(kept * len(places))) - 1][1]]


def _penalised(part: TestSet, system: str, report: engine.Progress | None) -> list[Sequence[str]] | None:
    """The outputs of a system of the simulated corpus at each penalty; None where it is not of that corpus."""
    base = next((known for known in KOEHN_SYSTEMS if known.name == system), None)
    if base is None or not part.simulated:
        return None
    found = []
    for penalty in sorted(PENALTIES, key=abs):  # without penalty first: is it this corpus?
        anew = simulate(max(part.lines), systems=[replace(base, word_penalty=penalty)]).systems[system]
        found.append((penalty, tuple(anew[line - 1] for line in part.lines)))
        if penalty == 0 and found[0][1] != part.systems[system]:
            return None
        if report is not None:
            report(len(found) / len(PENALTIES))
    return [texts for _, texts in sorted(found, reverse=True)]


def _point(asked: float, counts: Mapping[str, int], bleu: float, gtm: float) -> LengthPoint:
    penalty = brevity_penalty(counts["sys_len"], counts["ref_len"])
    return LengthPoint(asked, share(counts["sys_len"], counts["ref_len"]), bleu, gtm, penalty,
                       bleu / penalty if penalty > 0 else 0.0)
