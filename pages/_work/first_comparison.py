"""The first comparison of two demonstrations, by the metric that decides, and what BLEU counts of the large one, made
beforehand: the dashboard opens with them.

``python -m pages._work.first_comparison`` writes them anew, which is due after any change to the corpus or to a result;
a test compares them with what `compare` and the metric give.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import numpy as np

from mtsig_core.metrics import Metric, make_metric, metric_of, metrics_of
from mtsig_core.report.result_json import comparison_json
from mtsig_core.results import Comparison
from mtsig_core.source import Source
from mtsig_core.stats.comparison import compare
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILES = {_ASSETS / "task.comparison.json": Source(demo_task=True), _ASSETS / "demo.comparison.json": Source(demo=0)}

COUNTS = _ASSETS / "demo.bleu.xz"  # a line that says of what, then a byte for each segment, system and count


def first_comparison(testset: TestSet) -> Comparison | None:
    """What `compare` gives by the metric that decides, with its defaults; None unless this is a demonstration as this
    version compares it."""
    if not testset.simulated:
        return None
    found = (Comparison.from_json(file.read_text(encoding="utf-8")) for file in FILES)
    return next((one for one in found if _is_of(one, testset)), None)


def _is_of(found: Comparison, testset: TestSet) -> bool:
    return found.testset.digest == testset.digest and found.settings.version == __version__ and all(
        result.signature.startswith(metric_of(testset, name).signature(testset))
        for name, result in found.metrics.items())


def first_counts(testset: TestSet, metric: Metric) -> np.ndarray | None:
    """What BLEU counts of the large demonstration, shape (systems, segments, stats); None for anything else."""
    if not testset.simulated or metric.name != "bleu":
        return None
    with lzma.open(COUNTS) as file:
        if json.loads(file.readline()) != _counted(testset, metric):
            return None
        counts = np.frombuffer(file.read(), np.uint8).reshape(testset.n_segments, len(testset.systems), -1)
    return np.ascontiguousarray(counts.swapaxes(0, 1), np.int32)


def _counted(testset: TestSet, metric: Metric) -> list[str]:
    return [testset.digest, metric.signature(testset), __version__]


def compared(testset: TestSet) -> Comparison:
    """Systems by the metric that decides."""
    return compare(testset, metrics_of(testset)[0])


def write_comparisons() -> None:
    """Compare the demonstrations and write the results to `FILES`."""
    for file, source in FILES.items():
        file.write_text(comparison_json(compared(source.read())), encoding="utf-8")


def write_counts() -> None:
    """Count the large demonstration and write that to `COUNTS`."""
    testset, bleu = Source(demo=0).read(), make_metric("bleu")
    counts = bleu.statistics(testset).swapaxes(0, 1)
    assert counts.max() < 256
    with lzma.open(COUNTS, "wb") as file:
        file.write(json.dumps(_counted(testset, bleu)).encode() + b"\n" + counts.astype(np.uint8).tobytes())


if __name__ == "__main__":
    write_comparisons()
    write_counts()
