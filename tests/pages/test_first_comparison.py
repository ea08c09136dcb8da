"""The comparisons that the dashboard opens with are those that `compare` makes."""

import dataclasses
import json

import numpy as np
import pytest

from mtsig_core.metrics import make_metric
from mtsig_core.report.result_json import comparison_json
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.comparison import compare
from pages._work import first_comparison


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


@pytest.mark.parametrize("file", first_comparison.FILES, ids=lambda file: file.name)
def test_it_is_what_compare_gives(file):
    testset = first_comparison.FILES[file].read()
    metric = "human" if testset.scores else "bleu"
    made = json.loads(comparison_json(compare(testset, metric, jobs=-1)))
    assert rounded(json.loads(file.read_text(encoding="utf-8"))) == rounded(made)
    found = first_comparison.first_comparison(testset).metrics[metric]
    assert len(found.pairs) == len(testset.systems) * (len(testset.systems) - 1) / 2
    assert [row.leaders for row in found.by_reference] == [row["leaders"] and tuple(row["leaders"])
                                                           for row in made["metrics"][metric].get("by_reference", [])]


def test_the_counts_are_those_of_the_metric(demo):
    bleu = make_metric("bleu")
    found, counted = first_comparison.first_counts(demo, bleu), bleu.statistics(demo)
    assert np.array_equal(found, counted) and found.dtype == counted.dtype and found.flags.c_contiguous
    for other in (demo.without(["Greek"]), dataclasses.replace(demo, simulated=False)):
        assert first_comparison.first_counts(other, bleu) is None
    for metric in (make_metric("bleu", tokenize="char"), make_metric("chrf")):
        assert first_comparison.first_counts(demo, metric) is None


def test_it_is_for_the_whole_demonstration_alone(demo):
    assert first_comparison.first_comparison(load_demo(100)) is None
    assert first_comparison.first_comparison(demo.without(["Greek"])) is None
    assert first_comparison.first_comparison(dataclasses.replace(demo, simulated=False)) is None


def test_another_version_compares_anew(demo, monkeypatch):
    monkeypatch.setattr(first_comparison, "__version__", "0.0.0")
    assert first_comparison.first_comparison(demo) is None
    assert first_comparison.first_counts(demo, make_metric("bleu")) is None
