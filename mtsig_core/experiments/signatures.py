"""The same output under other settings of BLEU: why a score goes with its signature (Post 2018)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.ngram_precisions import best_system, check_bleu
from mtsig_core.inference.one_score import Progress, stage
from mtsig_core.metrics import Metric
from mtsig_core.metrics.cache import cached_statistics

__all__ = ["SETTINGS", "SignedScore", "signatures"]

#: What is changed -> the settings of BLEU.
SETTINGS: dict[str, dict[str, Any]] = {
    "lower case": dict(lowercase=True), "tokenizer 13a": dict(tokenize="13a"), "tokenizer zh": dict(tokenize="zh"),
    "no tokenizer": dict(tokenize="none"), "every character a token": dict(tokenize="char")}


@dataclass(frozen=True)
class SignedScore:
    """BLEU in points under one choice of settings, and its signature."""

    setting: str
    bleu: float
    signature: str


def signatures(testset: TestSet, metric: str | Metric = "bleu", *, system: str | None = None,
               progress: Progress | None = None) -> tuple[SignedScore, ...]:
    """BLEU of one system as it is here, and with one setting changed at a time.

    Parameters
    ----------
    testset : TestSet
    metric : str or Metric
        BLEU.
    system : str, optional
        By default the one with the best BLEU.
    progress : callable, optional
        Called with (stage, share of it done); may raise `Cancelled`.

    Raises
    ------
    SettingError
        For another metric, a system that is not there, or a test set without texts.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["The cat sat on it."]}, {"ref": ["the cat sat on it."]})
    >>> [(row.setting, round(row.bleu, 1)) for row in signatures(ts)][:2]
    [('as here', 76.0), ('lower case', 100.0)]
    """
    bleu: Any = check_bleu(testset, metric)  # a dataclass of its settings, of which the protocol says nothing
    system = best_system(testset, bleu, progress) if system is None else system
    one = testset.only([system])
    found: list[SignedScore] = []
    for name, settings in {"as here": {}, **SETTINGS}.items():
        other: Metric = replace(bleu, **settings)
        points = other.score(cached_statistics(other, one, stage(progress, name)).sum(axis=1))
        signed = SignedScore(name, float(points[0]), other.signature(one))
        if signed.signature not in [row.signature for row in found]:  # it may be the setting of this test set
            found.append(signed)
    return tuple(found)
