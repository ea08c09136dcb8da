"""The text for a paper: one paragraph on all metrics of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig_core.metrics import metric_title
from mtsig_core.report.noticed_words import NOTICED_SOURCE, write_share
from mtsig_core.report.sentences import (
    AnyComparison,
    describe_methods,
    join_names,
    list_task_metrics,
    state_results,
)
from mtsig_core.results import Comparison


def paper_sentences(comparison: AnyComparison, *metrics: str) -> str:
    """Write result, data, method, caveats and software: one paragraph of plain text.

    Parameters
    ----------
    comparison : Comparison or TaskComparison
    *metrics : str
        Some of its metrics; by default all.

    Returns
    -------
    str
        Sentences without markup. Differences are signed so that a positive one is an improvement.
        Characters in names that a line of text cannot hold are shown as escapes.

    Raises
    ------
    SettingError
        If the comparison has no such metric.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> paragraph = paper_sentences(compare(ts, trials=999), "bleu")
    >>> paragraph.partition(", 95% CI")[0]
    'A is significantly better than B: A 100.00, B 77.88, difference +22.12 BLEU'
    >>> "We compared 2 systems on toy (40 segments; reference ref) by BLEU (higher is better)." in paragraph
    True
    """
    metrics = metrics or tuple(list_task_metrics(comparison))
    sentences = state_results(comparison, *metrics)
    if isinstance(comparison, Comparison):
        sentences += _say_whether_people_notice(comparison, metrics)
    return " ".join([*sentences, describe_methods(comparison, *metrics)])


def _say_whether_people_notice(comparison: Comparison, metrics: Sequence[str]) -> list[str]:
    """Write how often people agree with the difference of the only pair, by each metric."""
    shares = []
    for metric in metrics:
        pairs = comparison.metrics[metric].pairs
        if len(pairs) == 1 and pairs[0].people_agree is not None:
            shares.append(f"{write_share(pairs[0].people_agree)} ({metric_title(metric)})")
    if not shares:
        return []
    return [
        f"At a difference of this size, people prefer the better-scoring system in {join_names(shares)} "
        f"of pairs of systems, by published data on news ({NOTICED_SOURCE})."
    ]
