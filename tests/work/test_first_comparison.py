"""What the dashboard opens with is what the core gives."""

import dataclasses

import numpy as np
import pytest

from mtsig_core.experiments.error_rates import claims, families, type_one
from mtsig_core.experiments.sampling import conclusions, coverage, sample_both_kinds
from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.comparison import compare
from pages._work import first_comparison
from tests.builders.cases import brief


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
def test_what_is_decided_from_it_is_what_compare_gives(file):
    testset, drawn = first_comparison.FILES[file].read(), {}
    metric = "human" if testset.scores else "bleu"
    for settings in ({}, {"alpha": 0.2, "correction": "holm"}):
        made, found = (
            dataclasses.asdict(
                compare(testset, metric, jobs=-1, **settings, cache=cache).metrics[metric]
            )
            for cache in (drawn, first_comparison.FirstDraws(testset))
        )
        assert rounded(found) == rounded(made)
        assert len(found["pairs"]) == len(testset.systems) * (len(testset.systems) - 1) / 2


def test_it_is_for_the_whole_demonstration_alone(demo):
    assert first_comparison.drawn_beforehand(demo, "bleu", {"trials": 9999, "seed": 0})
    for other in (
        load_demo(100),
        demo.without(["Greek"]),
        dataclasses.replace(demo, simulated=False),
    ):
        assert not first_comparison.drawn_beforehand(other, "bleu", {})
    assert not first_comparison.drawn_beforehand(demo, "chrf", {})
    assert not first_comparison.drawn_beforehand(demo, "bleu", {"seed": 1})
    assert first_comparison.drawn_beforehand(
        demo, "bleu", {"unit": "document"}
    )  # as auto has it here
    assert not first_comparison.drawn_beforehand(demo, "bleu", {"unit": "segment"})


def test_another_version_draws_again(demo, monkeypatch):
    asked = first_arguments(demo, families)
    monkeypatch.setattr(first_comparison, "__version__", "0.0.0")
    assert not first_comparison.drawn_beforehand(demo, "bleu", {})
    assert first_comparison.first_result(demo, "bleu", families, asked) is None


def first_arguments(demo, function):
    return first_comparison.first_experiments(demo)[function]


def kept_result(demo, function, **changed):
    return first_comparison.first_result(
        demo, "bleu", function, first_arguments(demo, function) | changed
    )


def run(demo, function, **changed):
    """The experiment, with other arguments than the first ones where it is to take a moment."""
    return function(demo, "bleu", **first_arguments(demo, function) | changed)


@pytest.mark.parametrize(
    "function, few",
    brief(
        2,
        [
            (type_one, {"n_pairs": 1}),
            (conclusions, {"resamples": 20}),
            (coverage, {"repeats": 1}),
            (families, {"repeats": 1}),
            (claims, {"repeats": 2}),
        ],
    ),
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_kept_experiment_draws_from_is_as_it_is_now(demo, function, few):
    kept, found = (
        rounded(one.facts()) for one in (kept_result(demo, function), run(demo, function, **few))
    )
    assert kept.keys() == found.keys()
    assert {name for name in kept if kept[name] != found[name]} == few.keys()


def test_a_size_of_the_kept_sweep_is_as_it_is_now(demo):
    kept, found = kept_result(demo, sweep_sizes), run(demo, sweep_sizes, sizes=(20,))
    for table in ("systems", "pairs"):
        assert rounded(found.records(table)) == rounded(
            [row for row in kept.records(table) if row["size"] == 20]
        )
    assert np.allclose(found.ends[20], kept.ends[20])


def test_kept_samples_have_the_scores_of_the_core(demo):
    kept, found = (
        kept_result(demo, sample_both_kinds),
        run(demo, sample_both_kinds, resamples=39, trials=39),
    )
    for kind, one in found.items():
        assert [system.system for system in kept[kind].systems] == [
            system.system for system in one.systems
        ]
        assert np.allclose(
            [system.scores for system in kept[kind].systems],
            [system.scores for system in one.systems],
        )
        assert np.allclose(
            [pair.whole_p for pair in kept[kind].pairs], [pair.whole_p for pair in one.pairs]
        )


@pytest.mark.long
@pytest.mark.parametrize(
    "function", [sweep_sizes, type_one, coverage, families, claims, conclusions]
)
def test_a_kept_experiment_is_what_the_core_gives(demo, function):
    kept, found = kept_result(demo, function), run(demo, function)
    assert all(
        rounded(kept.records(table)) == rounded(found.records(table)) for table in found.tables
    )


def test_experiments_are_kept_for_the_first_arguments_of_the_whole_demonstration_alone(demo):
    assert kept_result(demo, type_one) is not None
    for changed in ({"n_pairs": 500}, {"seed": 1}, {"alpha": 0.1}, {"a": "Greek"}):
        assert kept_result(demo, type_one, **changed) is None
    asked = first_arguments(demo, type_one)
    for other in (
        load_demo(100),
        demo.without(["Greek"]),
        dataclasses.replace(demo, simulated=False),
    ):
        assert first_comparison.first_result(other, "bleu", type_one, asked) is None
    assert first_comparison.first_result(demo, "chrf", type_one, asked) is None
