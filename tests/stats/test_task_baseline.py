"""A shared task compared with one of its systems, against the comparison of all pairs."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import InputError, SegmentScores, Task, TaskComparison, compare
from mtsig_core.cli.main import main
from mtsig_core.errors import SettingError
from mtsig_core.report.sentences import state_verdict
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.joint_decisions import decide_together
from mtsig_core.task import TaskExclusion
from tests.builders.rendered import task_json
from tests.builders.score_tables import rated_systems
from tests.builders.task_files import task_text

QUICK = {"trials": 999, "resamples": 200}


def rate(n, **means):
    """Ratings of systems with these means."""
    rng = np.random.default_rng(n)
    scores = {name: rng.normal(mean, 8, n).round(1) for name, mean in means.items()}
    return rated_systems(scores)


@pytest.fixture
def task():
    """Two parts have four systems; the third one lacks the system old."""
    return Task(
        "release",
        {
            "en-de": rate(80, new=72, old=70, other=66, slow=71),
            "en-cs": rate(60, slow=70, old=70, new=73, other=69),
            "en-ja": rate(40, new=72, other=71),
        },
    )


def orient(pairs, baseline):
    """Improvement over the baseline and p of each other system, of all pairs."""
    rows = {}
    for pair in pairs:
        if pair.b == baseline:
            rows[pair.a] = (pair.delta, pair.p_value)
        elif pair.a == baseline:
            rows[pair.b] = (-pair.delta, pair.p_value)
    return rows


def adjust_by_holm(p_values):
    """Holm's p by its definition: the least p counts as often as there are hypotheses, and so on."""
    adjusted = {}
    largest = 0.0
    for k, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        largest = max(largest, p * (len(p_values) - k))
        adjusted[name] = min(1.0, largest)
    return adjusted


def test_pairs_with_the_baseline_are_those_of_all_pairs_and_their_family_is_smaller(task):
    shared = Task("shared", {pair: task.testsets[pair] for pair in ("en-de", "en-cs")})
    every = compare_task(shared, correction="holm", **QUICK).macro["human"]
    found = compare_task(shared, correction="holm", baseline="old", **QUICK)
    macro = found.macro["human"]
    rows = orient(every.pairs, "old")
    for pair in macro.pairs:
        assert (pair.delta, pair.p_value) == pytest.approx(rows[pair.a])
    assert {pair.b for pair in macro.pairs} == {"old"}
    adjusted = adjust_by_holm({name: p for name, (_, p) in rows.items()})
    assert {pair.a: pair.p_adjusted for pair in macro.pairs} == pytest.approx(adjusted)
    assert not macro.is_ranked and found.pairs["en-de"].settings.baseline == "old"
    stepped = compare_task(shared, baseline="old", **QUICK)
    by_name = {pair.a: pair for pair in stepped.macro["human"].pairs}
    for name, (_, p) in rows.items():  # Romano and Wolf's is between p and Holm's
        assert p <= by_name[name].p_adjusted <= adjusted[name] + 0.02
    alone = compare(task.testsets["en-de"], "human", baseline="old", **QUICK)
    assert stepped.pairs["en-de"].metrics["human"].pairs == alone.metrics["human"].pairs


def rate_twice(testset):
    """The same test set with a second metric, whose scores have more noise."""
    noise = np.random.default_rng(5)
    scores = testset.scores["human"].by_system
    noisy = {
        name: (values + noise.normal(0, 9, len(values))).tolist() for name, values in scores.items()
    }
    return replace(testset, scores={**testset.scores, "noisy": SegmentScores(noisy)})


def test_all_parts_and_metrics_together_are_corrected_by_holm(task):
    both = Task("both", {pair: rate_twice(task.testsets[pair]) for pair in ("en-de", "en-cs")})
    found = compare_task(both, ["human", "noisy"], baseline="old", **QUICK)
    p_values = {}
    own = {}
    for part, comparison in found.pairs.items():
        for metric, result in comparison.metrics.items():
            for pair in result.pairs:
                p_values[part, metric, pair.a] = pair.p_value
                own[part, metric, pair.a] = pair
    adjusted = adjust_by_holm(p_values)
    decisions = decide_together(found)
    assert {(row.language_pair, row.metric, row.pair.a) for row in decisions} == set(p_values)
    for row in decisions:
        key = (row.language_pair, row.metric, row.pair.a)
        assert row.pair.p_adjusted == pytest.approx(max(adjusted[key], own[key].p_adjusted))
        is_significant = row.pair.p_adjusted <= 0.05
        assert row.pair.better == (own[key].better if is_significant else None)
    n_worse = sum(row.pair.better == "b" for row in decisions)
    text = task_text(found)
    assert "over 2 language pairs and 2 metrics (corrected for all 12 comparisons, Holm)" in text
    assert f"{n_worse} significantly worse" in text and ("Worse: nowhere" in text) == (not n_worse)
    record = json.loads(task_json(found))["together"]
    assert [one["pair"]["p_adjusted"] for one in record] == [
        row.pair.p_adjusted for row in decisions
    ]


def test_a_single_part_and_metric_keeps_its_own_correction(task):
    alone = compare(task.testsets["en-de"], "human", baseline="old", **QUICK)
    decisions = decide_together(alone)
    assert [row.pair for row in decisions] == list(alone.metrics["human"].pairs)
    few = compare_task(task, baseline="old", trials=99, resamples=99)
    fewest = len(decide_together(few)) * 20 - 1  # 1 / (trials + 1) times the comparisons is 0.05
    assert f"99 trials are too few to decide any. Use at least {fewest}," in task_text(few)


def test_a_part_without_the_baseline_is_left_out_and_named(task):
    found = compare_task(task, baseline="old", **QUICK)
    assert [*found.pairs] == ["en-de", "en-cs"]
    [caution] = [one for one in found.warnings if one.code == "baseline-missing"]
    assert caution.facts == {"pair": "en-ja", "baseline": "old"}
    without = Task("release", {pair: task.testsets[pair] for pair in found.pairs})
    same = compare_task(without, baseline="old", **QUICK)
    assert found.macro["human"].pairs == same.macro["human"].pairs
    assert state_verdict(found, "human").startswith(
        "Against old, by the mean over 2 language pairs: "
    )
    text = task_text(found)
    assert "mean difference" in text and "en-ja is not compared by" in text


def test_a_baseline_that_nobody_has_is_refused(task, capsys):
    with pytest.raises(
        SettingError, match="No system 'odl' to use as baseline. Did you mean 'old'"
    ):
        compare_task(task, baseline="odl", **QUICK)
    with pytest.raises(SettingError, match="No system 'old' to use as baseline"):
        compare_task(task, baseline="old", exclude=[TaskExclusion("old")], **QUICK)
    assert main(["findings", "--demo-task", "--baseline", "Elm-closed"]) == 2
    assert "Use task --baseline" in capsys.readouterr().err


@pytest.mark.parametrize("baseline", [None, "old"])
def test_a_result_is_read_back_from_its_json(task, baseline):
    excluded = (TaskExclusion("slow", "late", "en-cs"), TaskExclusion("other", "a bug"))
    result = compare_task(task, "human", baseline=baseline, exclude=excluded, **QUICK)
    text = result.render("json")
    assert TaskComparison.from_json(text) == result
    damaged = text.replace('"macro": {', '"macro": 1, "before": {')
    with pytest.raises(InputError, match="macro: Expected object with keys, got whole number"):
        TaskComparison.from_json(damaged)
    with pytest.raises(InputError, match="pairs"):
        TaskComparison.from_json(result.pairs["en-de"].render("json"))
