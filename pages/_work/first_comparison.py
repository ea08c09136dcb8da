"""What the first comparison of two demonstrations draws, by the metric that decides, and what BLEU counts of the large
one, made beforehand: the dashboard opens with them.

``python -m pages._work.first_comparison`` writes them anew, which is due after any change to the corpus or to a result;
a test compares them with what `draw` and the metric give.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from mtsig_core.metrics import Metric, list_metrics, make_metric, resolve_metric
from mtsig_core.report.commands import defaults
from mtsig_core.schema import decode, encode
from mtsig_core.source import Source
from mtsig_core.stats.comparison import draw
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILES = {_ASSETS / "task.draws.xz": Source(demo_task=True), _ASSETS / "demo.draws.xz": Source(demo=0)}

COUNTS = _ASSETS / "demo.bleu.xz"  # a line that says of what, then a byte for each segment, system and count


@dataclass(frozen=True)
class _File:
    """What was drawn of a test set with the usual settings."""

    digest: str
    version: str
    draws: MetricDraws


class FirstDraws(dict):
    """What was drawn of a demonstration by the metric that decides, whatever the key: see `drawn_beforehand`."""

    def __init__(self, testset: TestSet):
        self._draws = _first(testset)

    def __contains__(self, key) -> bool:
        return True

    def __missing__(self, key) -> MetricDraws:
        return self._draws


def drawn_beforehand(testset: TestSet, metric: str, settings: dict) -> bool:
    """Whether these are demonstration, metric and settings that were drawn beforehand, by this version."""
    usual = defaults("compare")
    return (testset.simulated and metric == list_metrics(testset)[0]
            and all(usual[name] == value for name, value in settings.items()) and _first(testset) is not None)


def _first(testset: TestSet) -> MetricDraws | None:
    return next((one.draws for one in map(_read, FILES) if one.digest == testset.digest
                 and one.version == __version__
                 and one.draws.signature == resolve_metric(testset, one.draws.metric).signature(testset)), None)


@cache
def _read(file: Path) -> _File:
    return decode(_File, lzma.decompress(file.read_bytes()))


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


def drawn(testset: TestSet) -> MetricDraws:
    """Systems by the metric that decides."""
    draws, = draw(testset, list_metrics(testset)[0]).by_metric.values()
    return draws


def write_draws() -> None:
    """Draw the demonstrations and write what was drawn to `FILES`."""
    for file, source in FILES.items():
        testset = source.read()
        file.write_bytes(lzma.compress(encode(_File(testset.digest, __version__, drawn(testset)))))


def write_counts() -> None:
    """Count the large demonstration and write that to `COUNTS`."""
    testset, bleu = Source(demo=0).read(), make_metric("bleu")
    counts = bleu.statistics(testset).swapaxes(0, 1)
    assert counts.max() < 256
    with lzma.open(COUNTS, "wb") as file:
        file.write(json.dumps(_counted(testset, bleu)).encode() + b"\n" + counts.astype(np.uint8).tobytes())


if __name__ == "__main__":
    write_draws()
    write_counts()
