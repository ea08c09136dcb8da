"""Which metric to trust over a task: means by hand, and language pairs drawn apart."""

import numpy as np
import pytest

from mtsig_core.errors import SettingError
from mtsig_core.experiments.metric_agreement import agreement, task_agreement
from mtsig_core.score_names import settle_directions
from mtsig_core.stats.draws import derive_seed
from mtsig_core.task import Task
from tests.builders.score_tables import by_hand, noisy, rated

ASKED = dict(trials=199, resamples=200, seed=3)


def pair(seed, more=0.0):
    """A metric that follows people, with noise, and one that hardly does."""
    people = noisy(seed, 8)
    return {
        "people": people,
        "good": people + noisy(seed + 1, 8, 0.3) / 4,
        "bad": noisy(seed + 2, 8) + more,
    }


@pytest.fixture(scope="module")
def tables():
    return {"en-de": pair(1), "en-cs": pair(11), "en-he": pair(21)}


@pytest.fixture(scope="module")
def found(tables):
    return task_agreement(
        Task("toy", {name: rated(own) for name, own in tables.items()}), "people", **ASKED
    )


def test_means_by_hand_with_all_swaps(tables, found):
    for one in found.metrics:
        hard, soft = np.mean(
            [by_hand(own["people"], own[one.metric]) for own in tables.values()], axis=0
        )
        assert (one.pairwise_accuracy, one.soft_pairwise_accuracy) == (
            pytest.approx(hard),
            pytest.approx(soft),
        )
        assert (
            one.soft_pairwise_accuracy_low <= soft <= one.soft_pairwise_accuracy_high
            and one.n_pairs == 9
        )


def test_each_language_pair_is_what_it_is_alone_with_its_own_seed(tables, found):
    for name, own in tables.items():
        assert found.pairs[name] == agreement(
            rated(own), "people", **ASKED | {"seed": derive_seed(3, name)}
        )


def test_language_pairs_are_drawn_apart():
    """Thrice the same pair: the mean is that of one, and its interval narrower by about the root of
    three. Were the draws the same, it would not be narrower at all.
    """
    rng = np.random.default_rng(4)
    people = np.arange(3)[:, None] * 0.3 + rng.normal(0, 1, (3, 60))
    testset = rated({"people": people, "mine": people + rng.normal(0, 1, people.shape)})
    one = task_agreement(Task("toy", {"en-de": testset}), "people", **ASKED).metrics[0]
    three = task_agreement(
        Task("toy", {name: testset for name in ("en-de", "en-cs", "en-he")}), "people", **ASKED
    ).metrics[0]
    wide, narrow = (
        row.soft_pairwise_accuracy_high - row.soft_pairwise_accuracy_low for row in (one, three)
    )
    assert three.soft_pairwise_accuracy == pytest.approx(one.soft_pairwise_accuracy, abs=0.05)
    assert narrow < 0.8 * wide


def test_p_of_two_metrics_is_of_the_mean_difference(tables, found):
    """Two language pairs that each favour another metric by the same say nothing together; p of
    each alone may be small.
    """
    rng = np.random.default_rng(9)
    people, other = np.arange(3)[:, None] + rng.normal(0, 0.3, (2, 3, 30))
    turned = {"people": people, "x": people + rng.normal(0, 0.2, people.shape), "y": -other}
    task = Task(
        "toy",
        {"en-de": rated(turned), "en-cs": rated(turned | {"x": turned["y"], "y": turned["x"]})},
    )
    both = task_agreement(task, "people", **ASKED)
    assert all(own.comparisons[0].p_value < 0.05 for own in both.pairs.values())
    assert both.comparisons[0].p_value > 0.5 and abs(both.comparisons[0].delta) < 0.02
    own = [part.comparisons[0] for part in found.pairs.values()]
    mean = np.mean([one.delta if one.a == "good" else -one.delta for one in own])
    together = found.comparisons[0]
    assert found.metrics[0].metric == together.a == "good" and together.delta == pytest.approx(mean)


def test_language_pairs_without_ratings_are_left_out_and_named(tables):
    lacking = rated({"good": tables["en-cs"]["good"], "bad": tables["en-cs"]["bad"]})
    single = rated({"people": noisy(5, 8)[:1], "good": noisy(6, 8)[:1], "bad": noisy(7, 8)[:1]})
    task = Task("toy", {"en-de": rated(tables["en-de"]), "en-cs": lacking, "en-he": single})
    found = task_agreement(task, "people", **ASKED)
    assert list(found.pairs) == ["en-de"] and found.without == ("en-cs", "en-he")
    with pytest.raises(
        SettingError, match="No language pair of toy has segment scores 'peopel'.*people"
    ):
        task_agreement(task, "peopel", **ASKED)
    mixed = Task(
        "toy",
        {
            "en-de": rated(tables["en-de"]),
            "en-cs": rated({"people": noisy(1, 8), "other": noisy(2, 8)}),
        },
    )
    with pytest.raises(SettingError, match="No metric is in all language pairs"):
        task_agreement(mixed, "people", **ASKED)


def test_ratings_whose_direction_is_open_are_asked_about(tables):
    told = tuple(settle_directions({"mine": [1, 7]})[1])
    pair = rated({name: tables["en-cs"][name] for name in ("good", "bad")}, assumed=told)
    task = Task("toy", {"en-cs": pair}, {}, told)
    for asked in (lambda: agreement(pair, "mine"), lambda: task_agreement(task, "mine")):
        with pytest.raises(SettingError, match=r"Is higher better, or lower.* 'mine' \(1 to 7\)"):
            asked()
