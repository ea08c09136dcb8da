"""A metric object of sacreBLEU, as it is: its statistics, its score, its signature."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, ClassVar

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from mtsig_core.errors import SettingError
from mtsig_core.testset import TestSet


class OfSacrebleu:
    """A BLEU, CHRF or TER of sacreBLEU, with all the settings that it was made with; the object
    itself stays as it is.

    For what mtsig's own `bleu`, `chrf` and `ter` do not offer: another smoothing, order or beta, or
    a class derived from sacreBLEU's. A score takes 2 to 10 microseconds, hundreds of times as long
    as one of the own. The name has the settings of the signature that are not the usual ones, so
    that several fit in one comparison.

    Examples
    --------
    >>> from mtsig_core.stats.comparison import compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> list(compare(ts, [BLEU(tokenize="char"), CHRF()], trials=999).metrics)
    ['bleu[tok:char]', 'chrf']
    """

    is_adapted: ClassVar[bool] = True

    def __init__(self, metric: BLEU | CHRF | TER):
        kind = next((kind for kind in (BLEU, CHRF, TER) if isinstance(metric, kind)), None)
        if kind is None:
            raise SettingError(
                f"A metric is of the type {type(metric).__name__}. Of sacreBLEU's, expected BLEU, CHRF, "
                "TER, or a class derived from these."
            )
        self._metric = copy(metric)
        self._metric.n_bootstrap = self._metric.seed = (
            None  # of an earlier corpus_score: the signature would name them
        )
        chosen, usual = _settings(self._metric), _settings(kind())
        changed = ",".join(
            f"{key}:{value}" for key, value in chosen.items() if value != usual.get(key)
        )
        self.name = f"{kind.__name__.lower()}[{changed}]" if changed else kind.__name__.lower()
        self.higher_is_better = kind is not TER
        (one,) = self._metric._extract_corpus_statistics([""], [[""]])
        self.stat_names = tuple(f"stat_{k}" for k in range(1, len(one) + 1))

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """What sacreBLEU counts in each segment, shape (systems, segments, stats)."""
        metric, outputs = copy(self._metric), list(testset.systems.values())
        references: Any = list(
            testset.references.values()
        )  # None in them too, which sacreBLEU's type leaves out
        metric._ref_cache = metric._cache_references(references)  # once for all systems
        counted = np.empty((len(outputs), testset.n_segments, len(self.stat_names)))
        for k, texts in enumerate(outputs):
            counted[k] = metric._extract_corpus_statistics(texts, None)
            if progress is not None:
                progress((k + 1) / len(outputs))
        return counted

    def score(self, sums: np.ndarray) -> np.ndarray:
        """SacreBLEU's scores of summed statistics: shape (..., stats) -> (...)."""
        sums = np.asarray(sums, dtype=np.float64)
        rows = sums.reshape(-1, sums.shape[-1]).tolist()
        return np.array(
            [self._metric._compute_score_from_stats(row).score for row in rows]
        ).reshape(sums.shape[:-1])

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's own."""
        return _signature(
            self._metric, testset.n_references or -1
        )  # -1 is what it says where the number varies

    def tokenizer(self, testset: TestSet) -> str | None:
        """What finds the words, as the signature has it."""
        return _settings(self._metric).get("tok")


def _signature(metric: BLEU | CHRF | TER, n_references: int) -> str:
    metric = copy(metric)
    metric.num_refs = n_references
    return str(metric.get_signature())


def _settings(metric: BLEU | CHRF | TER) -> dict[str, str]:
    """The parts of the signature."""
    return dict(part.split(":", 1) for part in _signature(metric, 1).split("|"))
