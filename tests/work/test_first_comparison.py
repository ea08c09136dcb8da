"""The comparisons that the dashboard opens with are those that `compare` makes."""

import dataclasses

import numpy as np
import pytest

from mtsig_core.metrics import make_metric
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
    if isinstance(value, list | tuple):
        return [rounded(part) for part in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


@pytest.mark.parametrize("file", first_comparison.FILES, ids=lambda file: file.name)
@pytest.mark.parametrize("settings", [{}, {"alpha": 0.2, "correction": "holm"}], ids=str)
def test_what_is_decided_from_it_is_what_compare_gives(file, settings):
    testset = first_comparison.FILES[file].read()
    metric = "human" if testset.scores else "bleu"
    made, found = (dataclasses.asdict(compare(testset, metric, jobs=-1, **settings, cache=cache).metrics[metric])
                   for cache in (None, first_comparison.FirstDraws(testset)))
    assert rounded(found) == rounded(made)
    assert len(found["pairs"]) == len(testset.systems) * (len(testset.systems) - 1) / 2


def test_the_counts_are_those_of_the_metric(demo):
    bleu = make_metric("bleu")
    found, counted = first_comparison.first_counts(demo, bleu), bleu.statistics(demo)
    assert np.array_equal(found, counted) and found.dtype == counted.dtype and found.flags.c_contiguous
    for other in (demo.without(["Greek"]), dataclasses.replace(demo, simulated=False)):
        assert first_comparison.first_counts(other, bleu) is None
    for metric in (make_metric("bleu", tokenize="char"), make_metric("chrf")):
        assert first_comparison.first_counts(demo, metric) is None


def test_it_is_for_the_whole_demonstration_alone(demo):
    assert first_comparison.drawn_beforehand(demo, "bleu", {"trials": 9999, "seed": 0})
    for other in (load_demo(100), demo.without(["Greek"]), dataclasses.replace(demo, simulated=False)):
        assert not first_comparison.drawn_beforehand(other, "bleu", {})
    assert not first_comparison.drawn_beforehand(demo, "chrf", {})
    assert not first_comparison.drawn_beforehand(demo, "bleu", {"seed": 1})


def test_another_version_draws_again(demo, monkeypatch):
    monkeypatch.setattr(first_comparison, "__version__", "0.0.0")
    assert not first_comparison.drawn_beforehand(demo, "bleu", {})
    assert first_comparison.first_counts(demo, make_metric("bleu")) is None
