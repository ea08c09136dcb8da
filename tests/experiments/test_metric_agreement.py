"""How far metrics decide as people do."""

from dataclasses import replace
from itertools import product
from math import erfc

import numpy as np
import pytest
import sacrebleu

from mtsig_core import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.experiments.metric_agreement import (
    accuracy,
    agreement,
    permute_metrics,
    score_segments,
    soft_accuracy,
)
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.report.experiment_reports import agreement_record, agreement_verdict
from mtsig_core.results import AgreementComparison, MetricAgreement
from mtsig_core.source import Source
from mtsig_core.stats.cautions import about_agreement
from mtsig_core.stats.resampling import cell_bits, unpack_bits
from mtsig_core.testset import SegmentScores
from tests.builders.code import DATA
from tests.builders.score_tables import by_hand, enumerated, noisy, rated
from tests.builders.toys import texts

WMT24 = DATA / "wmt24"


@pytest.mark.parametrize("lower", [(), ("metric",)])
def test_all_swaps_of_few_segments(lower):
    people, metric = noisy(1, 8), noisy(2, 8)
    (one,) = agreement(
        rated({"people": people, "metric": metric}, lower), "people", resamples=50
    ).metrics
    hard, soft = by_hand(people, metric, -1 if lower else 1)
    assert one.pairwise_accuracy == pytest.approx(
        hard
    ) and one.soft_pairwise_accuracy == pytest.approx(soft, abs=1e-12)


def test_documents_are_swapped_whole():
    people, metric = noisy(1, 6), noisy(2, 6)
    documents = [str(k // 3) for k in range(18)]
    found = agreement(
        rated(
            {"people": np.repeat(people, 3, axis=1), "metric": np.repeat(metric, 3, axis=1)},
            documents=documents,
        ),
        "people",
        resamples=50,
    )
    assert found.sampling.unit == "document" and found.trials == 63
    assert found.metrics[0].soft_pairwise_accuracy == pytest.approx(
        by_hand(people, metric)[1], abs=1e-12
    )


def test_each_pair_is_compared_on_what_people_and_all_metrics_have_of_it():
    people, first, second = noisy(1, 9), noisy(2, 9), noisy(3, 9)
    people[0, :2], first[1, 3], second[2, 4] = np.nan, np.nan, np.nan
    tables = {"people": people, "first": first, "second": second}
    found = agreement(rated(tables), "people", resamples=50)
    apart = {"first": [], "second": []}
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = [table[[i, j]] for table in tables.values()]
        gone = np.isnan(both).any(axis=(0, 1))
        p = {
            name: enumerated(*np.where(gone, np.nan, table[[i, j]]))
            for name, table in tables.items()
        }
        for name, distances in apart.items():
            distances.append(abs(p["people"] - p[name]))
    for metric in found.metrics:
        expected = 1 - np.mean(apart[metric.metric])
        assert metric.soft_pairwise_accuracy == pytest.approx(expected, abs=1e-12)


def test_systems_of_the_same_scores_have_no_order():
    people, metric = noisy(1, 9), noisy(2, 9)
    people[1] = people[0]
    (one,) = agreement(rated({"people": people, "metric": metric}), "people", resamples=50).metrics
    hard, soft = by_hand(people, metric)
    assert (one.n_pairs, one.n_ties, one.pairwise_accuracy) == (3, 1, hard)
    assert one.soft_pairwise_accuracy == pytest.approx(soft, abs=1e-12)
    people[2] = people[0]
    (nothing,) = agreement(
        rated({"people": people, "metric": metric}), "people", resamples=50
    ).metrics
    assert nothing.pairwise_accuracy is None and nothing.pairwise_accuracy_low is None


def test_metrics_of_texts_are_corpus_scores_on_the_rated_segments():
    ref, (good, poor) = texts(2, (0.2, 0.5), 40)
    people = SegmentScores({"A": [5.0] * 30 + [None] * 10, "B": [3.0, 6.0] * 15 + [None] * 10})
    testset = TestSet("toy", {"A": good, "B": poor}, {"ref": ref}, scores={"people": people})
    whole = agreement(testset, "people", resamples=50)
    part = agreement(testset.take(range(30)), "people", resamples=50)
    assert whole.testset.n_segments == 30 and {one.metric for one in whole.metrics} == {
        "bleu",
        "chrf",
        "ter",
    }
    assert whole == part


def test_intervals_and_comparisons_are_of_the_same_samples():
    people = noisy(1, 240)
    near, far = people + noisy(2, 240), people[::-1] + noisy(3, 240)
    scores = {"people": people, "far": far, "near": near, "also near": near}
    found = agreement(rated(scores), "people", trials=499, resamples=400)
    for one in found.metrics:
        assert (
            one.soft_pairwise_accuracy_low
            <= one.soft_pairwise_accuracy
            <= one.soft_pairwise_accuracy_high
        )
    assert [(row.a, row.b, row.p_value < 0.05) for row in found.comparisons] == [
        ("near", "also near", False),
        ("near", "far", True),
        ("also near", "far", True),
    ]
    assert found.comparisons[0].p_value == 1 and found.correction == "holm"
    assert found.comparisons[1].p_adjusted == pytest.approx(3 * found.comparisons[1].p_value)
    alone = agreement(
        rated({k: scores[k] for k in ("people", "near")}), "people", trials=499, resamples=400
    )
    assert alone.comparisons == () and alone.metrics[0] == found.metrics[0]


def normal_distances(scores, rated, groups, people):
    """Mean distance of one-sided p from those of people, unit by unit; p by the normal distribution
    of all swaps.
    """
    apart = []
    for i in range(len(scores)):
        for j in range(i + 1, len(scores)):
            sums = {}
            for k, unit in enumerate(groups):
                if rated[i][k] and rated[j][k]:
                    sums[unit] = sums.get(unit, 0.0) + scores[i][k] - scores[j][k]
            if sums:
                spread = sum(x * x for x in sums.values()) ** 0.5
                apart.append(
                    abs(0.5 * erfc(sum(sums.values()) / spread / 2**0.5) - people[len(apart)])
                )
    return sum(apart) / len(apart)


@pytest.mark.parametrize("per, gaps", [(1, False), (3, False), (3, True)])
def test_metrics_trade_scores_as_in_a_loop(per, gaps):
    rng = np.random.default_rng(8)
    scores, seen = rng.normal(0, (1, 4), (4, 24, 2)).transpose(2, 0, 1), np.ones((4, 24), bool)
    seen[[0, 0, 2], [0, 5, 7]] = not gaps
    scores, groups, people = np.where(seen, scores, 0), np.arange(24) // per, rng.random(6)
    found = permute_metrics(scores, seen, groups, people, 20, 5)
    coins = [unpack_bits(bits, 24 // per) for bits in cell_bits(4, 24 // per, 20, 5)]
    z = [np.where(seen, (one - one[seen].mean()) / one[seen].std(), 0) for one in scores]
    for trial in range(20):
        first, second = (own.copy() for own in z)
        for i in range(4):
            for k in range(24):
                if coins[i][trial, groups[k]]:
                    first[i, k], second[i, k] = second[i, k], first[i, k]
        expected = normal_distances(second, seen, groups, people) - normal_distances(
            first, seen, groups, people
        )
        assert found[0, 1 + trial] == pytest.approx(expected, abs=1e-9)
    assert found[0, 0] == pytest.approx(
        normal_distances(z[1], seen, groups, people) - normal_distances(z[0], seen, groups, people),
        abs=1e-9,
    )


def test_p_of_two_metrics_comes_near_that_of_all_permutations():
    """Two systems, five segments: 1,024 ways to trade."""
    people, near, far = (noisy(k, 5, n_systems=2) for k in (1, 2, 3))
    tables = {"people": people, "near": near, "far": far[::-1]}
    found = agreement(rated(tables), "people", trials=9999, resamples=20)
    z_near, z_far = ((tables[name] - tables[name].mean()) / far.std() for name in ("near", "far"))
    z_near *= far.std() / near.std()
    p_people, seen = [enumerated(*people)], np.ones((2, 5), bool)
    every = []
    for coins in product((False, True), repeat=10):
        trade = np.reshape(coins, (2, 5))
        mixed = np.where(trade, z_far, z_near), np.where(trade, z_near, z_far)
        near_apart, far_apart = (normal_distances(own, seen, range(5), p_people) for own in mixed)
        every.append(far_apart - near_apart)
    (row,) = found.comparisons
    assert row.delta == pytest.approx(abs(every[0]))
    expected = np.mean(np.abs(every) >= abs(every[0]) - 1e-9)
    assert row.p_value == pytest.approx(expected, abs=0.02)  # four standard errors


def test_the_verdict_claims_no_more_than_the_test():
    """The metric with the highest accuracy is not called better than one that the test puts before
    it.
    """
    row = MetricAgreement("first", "", True, 3, 0, 1.0, 0.9, 1.0, 0.80, 0.7, 0.9)
    found = agreement(
        rated({"people": noisy(1, 9), "first": noisy(2, 9), "second": noisy(3, 9)}),
        "people",
        trials=99,
        resamples=2,
    )
    metrics = row, replace(row, metric="second", soft_pairwise_accuracy=0.79)
    turned = replace(
        found,
        metrics=metrics,
        comparisons=(AgreementComparison("second", "first", 0.1, 0.01, 0.01),),
    )
    assert agreement_verdict(turned).endswith("not significantly more than second")
    straight = replace(
        turned, comparisons=(AgreementComparison("first", "second", 0.1, 0.01, 0.01),)
    )
    assert agreement_verdict(straight).endswith("significantly more than all others")


def test_a_segment_counts_by_what_the_corpus_score_loses_without_it():
    ref, outputs = texts(2, (0.2, 0.5), 30)
    testset, whole = (
        TestSet("toy", dict(zip("AB", outputs, strict=True)), {"ref": ref}),
        np.ones((2, 30), bool),
    )
    scores = score_segments(Bleu(), Bleu().statistics(testset), whole)
    bleu = sacrebleu.metrics.BLEU()
    for row, output in zip(scores, outputs, strict=True):
        score = bleu.corpus_score(output, [ref]).score
        without = [
            bleu.corpus_score(output[:k] + output[k + 1 :], [ref[:k] + ref[k + 1 :]]).score
            for k in range(30)
        ]
        assert row.tolist() == pytest.approx([30 * score - 29 * other for other in without])
        assert row.mean() == pytest.approx(score, abs=2)


def test_intervals_stand_about_what_was_observed():
    """Samples of noisy scores agree less than the scores themselves: theirs would end below what
    was observed.
    """
    truth = np.arange(4)[:, None] * 0.25
    people, metric = (truth + noisy(seed, 40, n_systems=4) / 2 for seed in (1, 2))
    tables = {"people": people, "metric": metric}
    (found,) = agreement(rated(tables), "people", trials=499, resamples=400).metrics
    rng, drawn = np.random.default_rng(1), []
    for _ in range(400):
        sample = rng.integers(0, 40, 40)
        orders = []
        for table in (people, metric):
            means = table[:, sample].mean(axis=1)
            orders.append(np.greater.outer(means, means)[np.tril_indices(4, -1)])
        drawn.append(np.mean(orders[0] == orders[1]))
    ends = np.quantile(drawn, [0.025, 0.975]) - np.mean(drawn) + found.pairwise_accuracy
    low, high = np.clip(ends, 0, 1)
    assert found.pairwise_accuracy_low == pytest.approx(low, abs=0.06)
    assert found.pairwise_accuracy_high == pytest.approx(high, abs=0.06)


def test_accuracies_against_loops():
    rng = np.random.default_rng(5)
    people, metric = rng.integers(-1, 2, (2, 7, 5))
    p, q = rng.random((2, 7, 5))
    for column in range(5):
        told = [(x, y) for x, y in zip(people[:, column], metric[:, column], strict=True) if x]
        assert accuracy(people, metric)[column] == pytest.approx(
            sum(x == y for x, y in told) / len(told)
        )
        assert soft_accuracy(p, q)[column] == pytest.approx(
            1 - sum(abs(x - y) for x, y in zip(p[:, column], q[:, column], strict=True)) / 7
        )
    assert np.isnan(accuracy(np.zeros((3, 1)), np.ones((3, 1)))).all()


@pytest.mark.parametrize(
    "human, metrics, said",
    [
        ("peopel", None, "people"),
        ("people", ["people"], "at least one other metric"),
        ("people", [], "at least one other metric"),
        ("people", ["metric", "metric"], "only once"),
    ],
)
def test_what_cannot_be_compared_is_said(human, metrics, said):
    with pytest.raises(SettingError, match=said):
        agreement(rated({"people": noisy(1, 5), "metric": noisy(2, 5)}), human, metrics)


def test_two_systems_are_needed():
    people, metric = noisy(1, 5), noisy(2, 5)
    people[1:], testset = np.nan, rated({"metric": metric})
    scores = {**testset.scores, "people": rated({"people": people}).scores["people"]}
    with pytest.raises(SettingError, match="at least two"):
        agreement(replace(testset, scores=scores), "people")


@pytest.mark.long
@pytest.mark.skipif(not WMT24.is_dir(), reason="needs the outputs of WMT24")
def test_wmt24_against_esa_as_checked_apart():
    """Figures of a check by segment swaps that shares no code with this one, 66 pairs of
    systems.
    """
    source = Source(
        folder=str(WMT24),
        langpair="en-zh",
        refs=("refA",),
        scores=(("esa", f"{WMT24}/en-zh.esa.tsv"),),
    )
    found = agreement(source.read(), "esa", unit="segment", resamples=50)
    theirs = {"bleu": (0.667, 0.649), "chrf": (0.682, 0.665), "ter": (0.394, 0.429)}
    for one in found.metrics:
        hard, soft = theirs[one.metric]
        assert one.n_pairs == 66 and one.pairwise_accuracy == pytest.approx(hard, abs=5e-4)
        assert one.soft_pairwise_accuracy == pytest.approx(soft, abs=5e-3)


@pytest.mark.parametrize("documents, least", [(1, 1.0), (3, 0.25), (5, 0.0625)])
def test_two_metrics_are_not_told_apart_by_units_that_are_too_few(documents, least):
    people = noisy(4, 30) + np.arange(3)[:, None]
    tables = {"people": people, "same": people, "other": -people}
    found = agreement(
        rated(tables, documents=[f"d{k * documents // 30}" for k in range(30)]),
        "people",
        resamples=200,
    )
    assert found.comparisons[0].p_value >= least
    facts = next(
        caution.facts for caution in about_agreement(found) if caution.code == "few-units-in-parts"
    )
    assert facts["parts"] == {"toy": documents} and all(
        row["code"] for row in agreement_record(found)["warnings"]
    )
