"""BLEU and GTM of two systems at other output lengths (Koehn 2004, Figure 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtsig_core.data.simulation.corpus import KOEHN_SYSTEMS, outputs
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.ngram_precisions import brevity_penalty, check_bleu, precisions, share
from mtsig_core.experiments.worked_example import tokens_of
from mtsig_core.inference import engine
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.metrics import Metric, metric_of
from mtsig_core.metrics.overlap import align

__all__ = ["MOST_SEGMENTS", "PENALTIES", "SHARES", "LengthPoint", "Lengths", "lengths", "truncated"]

#: Segments that are counted, from all over the test set.
MOST_SEGMENTS = 2000
#: Word penalties in the simulator, 0 for the output as it is; below that the system says more. They give length ratios
#: from .85 to 1.2, the range of Koehn's figure.
PENALTIES: tuple[float, ...] = (0.165, 0.12, 0.08, 0.04, 0.0, -0.05, -0.1, -0.17, -0.25, -0.35)
#: Shares of its words that an output keeps, 1 for the output as it is.
SHARES: tuple[float, ...] = (0.8, 0.85, 0.9, 0.95, 1.0)


@dataclass(frozen=True)
class LengthPoint:
    """The outputs at one length.

    Attributes
    ----------
    asked : float
        The word penalty, or the share of the words that is kept.
    length_ratio : float or None
        Words of the output per word of the reference.
    bleu, gtm, gtm_2 : float
        In points; GTM with exponent 1 and with exponent 2.
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
    gtm_2: float


@dataclass(frozen=True)
class Lengths:
    """What `lengths` finds.

    Attributes
    ----------
    system : str
    beside : str or None
        The other system; None where there is no other.
    how : str
        ``"word penalty"`` or ``"truncation"``.
    n_segments : int
        How many were counted.
    bleu_signature, gtm_signature, gtm_2_signature : str
    points, beside_points : tuple of LengthPoint
        Of the system and of the other one, the shortest outputs first.
    """

    system: str
    beside: str | None
    how: str
    n_segments: int
    bleu_signature: str
    gtm_signature: str
    gtm_2_signature: str
    points: tuple[LengthPoint, ...]
    beside_points: tuple[LengthPoint, ...]

    @property
    def actual(self) -> LengthPoint:
        """The output of the system as it is."""
        return next(point for point in self.points if point.asked == (0 if self.how == "word penalty" else 1))

    @property
    def curves(self) -> tuple[tuple[str, tuple[LengthPoint, ...]], ...]:
        """Each system with its points."""
        one = ((self.system, self.points),)
        return one if self.beside is None else (*one, (self.beside, self.beside_points))

    def nearest(self, ratio: float) -> LengthPoint:
        """The system's output whose length ratio is nearest."""
        return min(self.points, key=lambda point: abs((point.length_ratio or 0) - ratio))


def lengths(testset: TestSet, metric: str | Metric = "bleu", *, system: str | None = None, beside: str | None = None,
            most: int = MOST_SEGMENTS, progress: Progress | None = None) -> Lengths:
    """Score two systems at other lengths of their output.

    Systems of the simulated corpus translate anew with a word penalty. Any other output is truncated: each segment
    keeps a share of its words, from the beginning. Nothing can make it longer, as nobody knows what it would have said.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
        BLEU; its tokenizer is GTM's too.
    system, beside : str, optional
        By default the one with the best BLEU, and the best of the others.
    most : int
        Segments to count at most, evenly spread over the test set.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.

    Raises
    ------
    SettingError
        For another metric, a system that is not there or twice the same, or a test set without texts.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e f g h i j"]}, {"ref": ["a b c d e f g h i j"]})
    >>> [(point.length_ratio, round(point.bleu), round(point.gtm)) for point in lengths(ts).points][::2]
    [(0.8, 78, 89), (0.9, 89, 95), (1.0, 100, 100)]
    """
    metric = check_bleu(testset, metric)
    if most < 1:
        raise SettingError(f"segments is {most}. Expected at least 1 to count.")
    best = [row.system for row in precisions(testset, metric, progress=progress)] if None in (system, beside) else []
    system = next((name for name in best if name != beside), beside) if system is None else system
    beside = next((name for name in best if name != system), None) if beside is None else beside
    if system is None or system == beside:
        raise SettingError(f"{system} beside {system}. Expected two systems.")
    names = [system] if beside is None else [system, beside]
    n = min(most, testset.n_segments)
    part = testset.only(names).at((np.arange(n) * testset.n_segments // n).tolist())
    how, grid = "word penalty", PENALTIES
    found = _penalised(part, names, stage(progress, "other lengths"))
    if found is None:
        how, grid, tokens = "truncation", SHARES, tokens_of(metric, part)
        found = [[truncated(text, tokens, kept) for text in part.systems[name]] for name in names for kept in grid]
    several = replace(part, systems={str(k): texts for k, texts in enumerate(found)}, scores={}, parses={})
    settings = {name: getattr(metric, name, None) for name in ("tokenize", "lowercase")}
    gtms = [metric_of(several, name, **settings) for name in ("gtm", "gtm-2")]
    points = _points(several, metric, gtms, grid * len(names), progress)
    gtm, gtm_2 = (one.signature(testset) for one in gtms)
    return Lengths(system, beside, how, n, metric.signature(testset), gtm, gtm_2, points[:len(grid)],
                   points[len(grid):])


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


def _penalised(part: TestSet, names: Sequence[str], report: engine.Progress | None) -> list[Sequence[str]] | None:
    """The outputs of systems of the simulated corpus, one after the other, each at all penalties; None where one is
    not of that corpus."""
    known = {system.name: system for system in KOEHN_SYSTEMS}
    if not part.simulated or not known.keys() >= set(names):
        return None
    anew = outputs(max(part.lines), [replace(known[name], word_penalty=k) for name in names for k in PENALTIES])
    found: list[Sequence[str]] = []
    for texts in anew:
        found.append(tuple(texts[line - 1] for line in part.lines))
        name, k = names[(len(found) - 1) // len(PENALTIES)], (len(found) - 1) % len(PENALTIES)
        if PENALTIES[k] == 0 and found[-1] != part.systems[name]:
            return None
        if report is not None:
            report(len(found) / (len(names) * len(PENALTIES)))
    return found


def _points(several: TestSet, bleu: Metric, gtms: Sequence[Metric], asked: Sequence[float], progress: Progress | None
            ) -> tuple[LengthPoint, ...]:
    """A point for each output of a test set."""
    sums = bleu.statistics(several).sum(axis=1)
    scores = [bleu.score(sums).tolist()]
    for gtm in gtms:
        scores.append(gtm.score(gtm.statistics(several, stage(progress, "counting")).sum(axis=1)).tolist())
    found = []
    for of, (sys_len, ref_len), points, match, match_2 in zip(asked, sums[:, :2].tolist(), *scores, strict=True):
        penalty = brevity_penalty(sys_len, ref_len)
        found.append(LengthPoint(of, share(sys_len, ref_len), points, match, penalty,
                                 points / penalty if penalty > 0 else 0.0, match_2))
    return tuple(found)
