"""The comparison that the dashboard opens with is the one that `compare` makes."""

import dataclasses
import json

import pytest

from mtsig_core import shipped
from mtsig_core.comparison import compare
from mtsig_core.export import comparison_json
from mtsig_core.simulation import load_demo


@pytest.fixture(scope="module")
def demo():
    return load_demo()


def rounded(value):
    """Numbers to ten digits: other processors may round the last ones otherwise."""
    if isinstance(value, dict):
        return {key: rounded(part) for key, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


def test_it_is_what_compare_gives(demo):
    made = json.loads(comparison_json(compare(demo, jobs=-1)))
    assert rounded(json.loads(shipped.SHIPPED.read_text(encoding="utf-8"))) == rounded(made)
    assert shipped.shipped_comparison(demo).metrics["bleu"].pairs


def test_it_is_for_the_whole_demonstration_alone(demo):
    assert shipped.shipped_comparison(load_demo(100)) is None
    assert shipped.shipped_comparison(demo.without(["Greek"])) is None
    assert shipped.shipped_comparison(dataclasses.replace(demo, simulated=False)) is None


def test_another_version_compares_anew(demo, monkeypatch):
    monkeypatch.setattr(shipped, "__version__", "0.0.0")
    assert shipped.shipped_comparison(demo) is None
