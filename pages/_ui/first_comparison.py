"""The first comparison of the demonstration, made beforehand so that the dashboard opens with it.

``python -m pages._ui.first_comparison`` writes it anew, which is due after any change to the corpus or to a result;
a test compares it with what `compare` gives.
"""

from __future__ import annotations

from pathlib import Path

from mtsig_core.data.simulation.corpus import load_demo
from mtsig_core.data.testset import TestSet
from mtsig_core.inference.comparison import compare
from mtsig_core.metrics import make_metric
from mtsig_core.report.export import comparison_json
from mtsig_core.results import Comparison
from mtsig_core.version import __version__

__all__ = ["FILE", "first_comparison", "write_comparison"]

FILE = Path(__file__).resolve().parents[2] / "assets" / "demo.comparison.json"


def first_comparison(testset: TestSet) -> Comparison | None:
    """What `compare` gives with its defaults; None unless this is the demonstration as this version compares it."""
    if not testset.simulated:
        return None
    found = Comparison.from_json(FILE.read_text(encoding="utf-8"))
    same = found.testset.digest == testset.digest and found.settings.version == __version__ and all(
        result.signature.startswith(make_metric(name).signature(testset)) for name, result in found.metrics.items())
    return found if same else None


def write_comparison() -> None:
    """Compare the demonstration and write the result to `FILE`."""
    FILE.write_text(comparison_json(compare(load_demo())), encoding="utf-8")


if __name__ == "__main__":
    write_comparison()
