"""The first comparison of two demonstrations, made beforehand so that the dashboard opens with them.

``python -m pages._ui.first_comparison`` writes it anew, which is due after any change to the corpus or to a result;
a test compares it with what `compare` gives.
"""

from __future__ import annotations

from pathlib import Path

from mtsig_core.data.source import Source
from mtsig_core.data.testset import TestSet
from mtsig_core.inference.comparison import compare
from mtsig_core.metrics import make_metric
from mtsig_core.report.export import comparison_json
from mtsig_core.results import Comparison
from mtsig_core.version import __version__

__all__ = ["FILES", "first_comparison", "write_comparisons"]

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILES = {_ASSETS / "task.comparison.json": Source(demo_task=True), _ASSETS / "demo.comparison.json": Source(demo=0)}


def first_comparison(testset: TestSet) -> Comparison | None:
    """What `compare` gives with its defaults; None unless this is a demonstration as this version compares it."""
    if not testset.simulated:
        return None
    found = (Comparison.from_json(file.read_text(encoding="utf-8")) for file in FILES)
    return next((one for one in found if _is_of(one, testset)), None)


def _is_of(found: Comparison, testset: TestSet) -> bool:
    return found.testset.digest == testset.digest and found.settings.version == __version__ and all(
        result.signature.startswith(make_metric(name).signature(testset)) for name, result in found.metrics.items())


def write_comparisons() -> None:
    """Compare the demonstrations and write the results to `FILES`."""
    for file, source in FILES.items():
        file.write_text(comparison_json(compare(source.read())), encoding="utf-8")


if __name__ == "__main__":
    write_comparisons()
