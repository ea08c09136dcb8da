"""Use a metric object of sacreBLEU unchanged: its statistics, its score and its signature."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from mtsig_core.errors import SettingError
from mtsig_core.progress import Progress
from mtsig_core.testset import TestSet


class OfSacrebleu:
    """A BLEU, CHRF or TER of sacreBLEU, with all its settings; the object itself is not changed.

    It is for what mtsig's own `bleu`, `chrf` and `ter` do not offer: another smoothing, order or
    beta, or a class derived from sacreBLEU's. A score takes 2 to 10 microseconds, hundreds of times
    as long as with mtsig's own metrics. The name has the settings of the signature that are not the
    default, so that several fit in one comparison.

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
        # of an earlier corpus_score: the signature would name them
        self._metric.n_bootstrap = None
        self._metric.seed = None
        default = _settings(kind())
        changed = []
        for key, value in _settings(self._metric).items():
            if value != default.get(key):
                changed.append(f"{key}:{value}")
        self.name = kind.__name__.lower()
        if changed:
            self.name += f"[{','.join(changed)}]"
        self.higher_is_better = kind is not TER
        (statistics,) = self._metric._extract_corpus_statistics([""], [[""]])
        self.stat_names = tuple(f"stat_{k}" for k in range(1, len(statistics) + 1))

    def __repr__(self) -> str:
        return f"<metric {self.name!r} of sacreBLEU>"

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """What sacreBLEU counts in each segment, shape (systems, segments, stats)."""
        metric = copy(self._metric)
        # A reference may be None, which sacreBLEU's type leaves out.
        references: Any = list(testset.references.values())
        metric._ref_cache = metric._cache_references(references)  # once for all systems
        n_systems = len(testset.systems)
        stats = np.empty((n_systems, testset.n_segments, len(self.stat_names)))
        for k, texts in enumerate(testset.systems.values()):
            stats[k] = metric._extract_corpus_statistics(texts, None)
            if progress is not None:
                progress("counting", (k + 1) / n_systems)
        return stats

    def score(self, sums: np.ndarray) -> np.ndarray:
        """SacreBLEU's scores of summed statistics: shape (..., stats) -> (...)."""
        sums = np.asarray(sums, dtype=np.float64)
        rows = sums.reshape(-1, sums.shape[-1]).tolist()
        scores = [self._metric._compute_score_from_stats(row).score for row in rows]
        return np.array(scores).reshape(sums.shape[:-1])

    def signature(self, testset: TestSet) -> str:
        """SacreBLEU's own."""
        n_references = testset.n_references or -1  # -1 is sacreBLEU's number where it varies
        return _signature(self._metric, n_references)

    def tokenizer(self, testset: TestSet) -> str | None:
        """What finds the words, as the signature has it."""
        return _settings(self._metric).get("tok")


def _signature(metric: BLEU | CHRF | TER, n_references: int) -> str:
    metric = copy(metric)
    metric.num_refs = n_references
    return str(metric.get_signature())


def _settings(metric: BLEU | CHRF | TER) -> dict[str, str]:
    """The parts of the signature."""
    return dict(setting.split(":", 1) for setting in _signature(metric, 1).split("|"))
