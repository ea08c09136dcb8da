"""`score`: scores and signatures, without a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mtsig_core.caution import Caution
from mtsig_core.errors import InputError
from mtsig_core.metrics import Metric, metrics_for, tokenizer_of
from mtsig_core.results import ByMetric, TestSetInfo
from mtsig_core.stats.cautions import about_metrics, about_texts
from mtsig_core.stats.measured import measure
from mtsig_core.stats.one_score import stage
from mtsig_core.testset import TestSet

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class SystemScore:
    """The score of one system under one metric, in points."""

    system: str
    score: float


@dataclass(frozen=True)
class MetricScores:
    """The scores of all systems under one metric, in the order of the test set."""

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemScore, ...]


@dataclass(frozen=True, repr=False)
class Scores:
    """The answer of `mtsig_core.score`; a notebook shows it as a table."""

    testset: TestSetInfo
    warnings: tuple[Caution, ...]
    metrics: Mapping[str, MetricScores]

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", ByMetric(self.metrics))

    def __repr__(self) -> str:
        return f"<Scores on {self.testset.name!r}: {len(self.testset.systems)} systems by {', '.join(self.metrics)}>"

    def _repr_html_(self) -> str:
        from mtsig_core.report.notebook import score_table

        return score_table(self)

    def to_frame(self) -> pd.DataFrame:
        """A pandas DataFrame with the columns metric, system, score and signature."""
        import pandas as pd

        return pd.DataFrame([(name, row.system, row.score, found.signature) for name, found in self.metrics.items()
                             for row in found.systems], columns=["metric", "system", "score", "signature"])


def score(testset: TestSet, metrics: str | Metric | Sequence[str | Metric] = ("bleu",), *,
          progress: Callable[[str, float], None] | None = None) -> Scores:
    """The scores of all systems, each with the signature that names every setting, and no intervals or tests.

    Parameters
    ----------
    testset : TestSet
    metrics, progress
        As in `compare`.

    Returns
    -------
    Scores

    Raises
    ------
    SettingError, InputError
        With a message fit for the user.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a b c d e"], "B": ["a b c d x"]}, {"ref": ["a b c d e"]})
    >>> found = score(ts, ["bleu", "ter"])
    >>> [(row.system, round(row.score, 2)) for row in found.metrics["ter"].systems]
    [('A', 0.0), ('B', 20.0)]
    >>> found.metrics["bleu"].signature.rpartition("|version:")[0]
    'nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp'
    """
    metrics = metrics_for(testset, metrics)
    if not testset.systems:
        raise InputError(f"No system in {testset.name}. Give at least one output to score.", {"system": "FILE"})
    found = {}
    for metric in metrics:
        seen = measure(testset.keep_scorable(metric.name), metric, progress=stage(progress, f"{metric.name}: counting"))
        rows = map(SystemScore, seen.names, seen.scores.tolist())
        found[metric.name] = MetricScores(metric.name, metric.signature(testset), metric.higher_is_better, tuple(rows))
    tokenizers = {metric.name: tokenizer_of(metric, testset) for metric in metrics}
    return Scores(TestSetInfo.of(testset), (*about_metrics(testset, tokenizers), *about_texts(testset)), found)
