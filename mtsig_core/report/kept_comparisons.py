"""Comparisons that are kept on disk: the same one again, to be printed in another format, is not computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mtsig_core.data.testset import TestSet
from mtsig_core.inference.comparison import compare
from mtsig_core.inference.decided_anew import corrected_by, drawn_alike, serves_corrections
from mtsig_core.metrics import Metric, metrics_for
from mtsig_core.metrics.cache import is_kept, keep_text, kept_text, metric_key
from mtsig_core.report.export import comparison_json
from mtsig_core.report.json_reading import read_comparison
from mtsig_core.results import Comparison

__all__ = ["kept_comparison"]


def kept_comparison(testset: TestSet, metrics: Sequence[Metric], *, jobs: int = 1,
                    progress: Callable[[str, float], None] | None = None, **settings: Any) -> Comparison:
    """As `compare`, by what is kept where the same was compared before, or with another correction alone."""
    key = _key(testset, metrics, settings)
    text = None if key is None else kept_text(*key)
    if text is not None:
        return read_comparison(text)
    drawn = None if key is None else _drawn(testset, metrics, settings)
    if drawn is not None:
        found = corrected_by(drawn, testset, settings["correction"])
    else:
        found = compare(testset, metrics, jobs=jobs, progress=progress, **settings)
    if key is not None:
        keep_text(comparison_json(found, indent=None), *key)
    return found


def _drawn(testset: TestSet, metrics: Sequence[Metric], settings: dict[str, Any]) -> Comparison | None:
    """What is kept of the same draws under another correction, by metrics that a name alone says."""
    for asked in drawn_alike(settings):
        key = _key(testset, metrics, asked)
        text = None if key is None else kept_text(*key)
        if text is None:
            continue
        found = read_comparison(text)
        named = metrics_for(testset, list(found.metrics))
        if serves_corrections(found.settings) and key == _key(testset, named, asked):
            return found
    return None


def _key(testset: TestSet, metrics: Sequence[Metric], settings: dict[str, Any]) -> list[object] | None:
    """All that a comparison depends on, which no number of threads or machines does; None where none is kept."""
    if not is_kept():
        return None
    asked = [metric_key(metric, testset) for metric in metrics]
    if None in asked:
        return None
    about = testset.name, testset.simulated, testset.assumed, list(testset.lines)
    return ["comparison", testset.digest, *about, asked, sorted(settings.items())]
