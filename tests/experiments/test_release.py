"""The rules by which a release may replace its baseline."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from mtsig_core import SettingError, Task, compare, compare_task, judge_release
from mtsig_core.results import Comparison, SystemResult, TestSetInfo
from mtsig_core.testset import SegmentScores
from tests.builders.results import SETTINGS
from tests.builders.score_tables import rated_systems
from tests.builders.toys import metric_result, pair_result

QUICK = {"unit": "segment", "baseline": "old", "trials": 99, "resamples": 200}


def by_hand(**rows):
    """One release against its baseline, by metric: (difference, p, better, more)."""
    metrics = {}
    systems = [SystemResult(name, 30.0, None, None, None, None) for name in ("new", "old")]
    for metric, (delta, p, better, more) in rows.items():
        pair = pair_result("new", "old", delta, better, p, **more)
        metrics[metric] = metric_result(systems, [pair], metric, metric != "ter")
    info = TestSetInfo("set", "d", 200, None, ("ref",), ("new", "old"), False)
    return Comparison(info, replace(SETTINGS, baseline="old"), (), metrics)


def rate_release(loss, n=40, higher_is_better=True):
    rng = np.random.default_rng(5)
    old = rng.normal(70, 10, n)
    testset = rated_systems({"new": old - loss + rng.normal(0, 3, n), "old": old})
    (metric,) = testset.scores
    scores = SegmentScores(testset.scores[metric].by_system, higher_is_better)
    return replace(testset, scores={"human": scores})


class TestNotNoninferior:
    @pytest.mark.parametrize("higher_is_better", [True, False])
    @pytest.mark.parametrize("loss", [0.2, -0.4, 1.4])
    def test_is_a_paired_t_test_at_the_margin(self, loss, higher_is_better):
        """Against scipy's, up to the Monte Carlo error of the standard error."""
        sign = 1 if higher_is_better else -1
        testset = rate_release(sign * loss, higher_is_better=higher_is_better)
        scores = testset.scores["human"].by_system
        gains = sign * (np.array(scores["new"]) - np.array(scores["old"]))
        expected = stats.ttest_1samp(gains, -1.0, alternative="greater").pvalue
        result = compare(testset, "human", **QUICK | {"resamples": 20_000})
        judgement = judge_release(result, "not-noninferior", {"human": 1.0})
        (row,) = judgement.rows
        assert row.p_value == pytest.approx(expected, rel=0.15)
        assert row.improvement == pytest.approx(gains.mean())
        assert judgement.passed is (not row.fails) is bool(expected <= 0.05)

    def test_a_loss_that_never_varies_shows_nothing(self):
        for delta, se, passes in (
            (0.0, 0.0, None),
            (-0.1, 0.0, False),
            (0.1, 0.0, True),
            (2, None, False),
        ):
            result = by_hand(bleu=(delta, 0.5, None, {"se": se}))
            assert judge_release(result, "not-noninferior", {"bleu": 0.5}).passed is passes

    def test_every_metric_has_to_pass(self):
        sure = {"se": 0.1}
        result = by_hand(bleu=(-0.1, 0.5, None, sure), ter=(0.9, 0.01, "b", sure))
        judgement = judge_release(result, "not-noninferior", {"bleu": 0.5, "ter": 0.5})
        assert [row.fails for row in judgement.rows] == [False, True]
        failing = "new by TER (improvement -0.9, margin 0.5, p at the margin = "
        assert judgement.reason.startswith("Fails: 1 of 2") and failing in judgement.reason
        assert judge_release(result, "not-noninferior", {"bleu": 0.5, "ter": 1.5}).passed

    @pytest.mark.parametrize(
        "margins, words",
        [
            ({}, "bleu needs a margin"),
            ({"bleu": 1, "blue": 1}, "Did you mean 'bleu'"),
            ({"bleu": 0}, "Expected points above 0"),
            ({"bleu": float("inf")}, "Expected points above 0"),
            ({"bleu": float("nan")}, "Expected points above 0"),
        ],
    )
    def test_each_metric_has_a_margin(self, margins, words):
        with pytest.raises(SettingError, match=words):
            judge_release(by_hand(bleu=(0, 0.5, None, {"se": 1.0})), "not-noninferior", margins)


class TestWorse:
    def test_all_metrics_are_corrected_together(self):
        """0.03 decides by itself, and not as one of two, where Holm doubles it."""
        worse = (-1.0, 0.03, "b", {})
        assert judge_release(by_hand(bleu=worse), "worse").passed is False
        judgement = judge_release(by_hand(bleu=worse, chrf=(0.1, 0.9, None, {})), "worse")
        assert judgement.passed and [row.p_value for row in judgement.rows] == [0.06, 0.9]
        assert judge_release(by_hand(bleu=worse, chrf=worse), "worse").passed is True
        both = by_hand(bleu=(-1.0, 0.01, "b", {}), ter=(1.0, 0.01, "b", {}))
        judgement = judge_release(both, "worse")
        assert judgement.passed is False and [row.improvement for row in judgement.rows] == [-1, -1]

    def test_a_better_release_passes(self):
        assert judge_release(by_hand(bleu=(1.0, 0.001, "a", {})), "worse").passed

    def test_what_could_not_fail_does_not_pass(self):
        """The least p of five documents is 2/32; that of two equal outputs needs no document."""
        few = (-1.0, 0.0625, None, {"n_units": 5})
        judgement = judge_release(by_hand(bleu=few), "worse")
        assert judgement.passed is None and "5 documents or so few trials" in judgement.reason
        six = (-1.0, 0.0313, "b", {"n_units": 6})
        assert judge_release(by_hand(bleu=six), "worse").passed is False
        several = by_hand(bleu=(0.5, 0.5, None, {"n_units": 6}), chrf=(0.5, 0.5, None, {}))
        assert judge_release(several, "worse").passed is True  # 2/64 is the larger of the two

    def test_outputs_of_the_baseline_do_not_pass(self):
        alike = (0.0, 1.0, None, {"se": 0.0})
        judgement = judge_release(by_hand(bleu=alike, chrf=alike), "worse")
        assert judgement.passed is None and "new and old are identical" in judgement.reason
        by_one = by_hand(bleu=alike, chrf=(0.1, 0.9, None, {}))
        assert judge_release(by_one, "worse").passed is True

    def test_a_set_of_seven_documents_does_not_limit_the_others(self):
        """All its 127 swaps give no p of 0.05 / 8; the other sets have more, and 2/128 comes last."""
        rng = np.random.default_rng(4)
        sets = {}
        for number in range(8):
            n_documents = 40 if number else 7
            old = rng.normal(70, 8, n_documents)
            scores = {"new": old + rng.normal(0, 3, n_documents), "old": old}
            sets[f"set {number}"] = rated_systems(scores, range(n_documents))
        settings = QUICK | {"unit": "document", "trials": 999}
        for names in (list(sets), list(sets)[::-1]):
            task = Task("release", {name: sets[name] for name in names})
            result = compare_task(task, "human", **settings)
            assert result.pairs["set 0"].settings.trials == 127
            assert judge_release(result, "worse").passed is True


class TestNotBetter:
    def test_each_metric_has_to_be_better_without_a_correction(self):
        better = (1.0, 0.03, "a", {})
        result = by_hand(bleu=better, chrf=better)
        assert judge_release(result, "not-better").passed
        assert judge_release(result, "worse").rows[0].p_value == 0.06
        for other in ((1.0, 0.06, None, {}), (-1.0, 0.001, "b", {})):
            assert judge_release(by_hand(bleu=better, chrf=other), "not-better").passed is False

    def test_several_test_sets_count_by_their_mean(self):
        rng = np.random.default_rng(3)
        old = rng.normal(70, 8, (2, 60))
        gains = np.array([[0.0], [6.0]]) + rng.normal(0, 3, (2, 60))
        sets = {}
        for number in range(2):
            scores = {"new": old[number] + gains[number], "old": old[number]}
            sets[f"set {number}"] = rated_systems(scores)
        result = compare_task(Task("release", sets), **QUICK | {"trials": 999})
        judgement = judge_release(result, "not-better")
        (row,) = judgement.rows
        assert judgement.passed and row.improvement == pytest.approx(gains.mean())
        apart = [part.metrics[row.metric].pairs[0].better for part in result.pairs.values()]
        assert apart == [None, "a"]
        by_set = judge_release(result, "worse")
        assert [row.testset for row in by_set.rows] == ["set 0", "set 1"] and by_set.passed


class TestIncomplete:
    def test_a_release_is_in_every_test_set_and_has_every_score(self):
        both = rate_release(0.1)
        for system, other in (("new", "old"), ("old", "new")):
            task = Task("release", {"one": both, "two": both.only([other])})
            result = compare_task(task, "human", **QUICK)
            for rule in ("worse", "not-better"):
                with pytest.raises(SettingError, match=rf"Missing \(1\): {system} on two"):
                    judge_release(result, rule)

    def test_without_baseline_p_or_rule(self):
        without = compare(rate_release(0.1), "human", **QUICK | {"baseline": None})
        with pytest.raises(SettingError, match="needs a baseline"):
            judge_release(without, "worse")
        koehn = by_hand(bleu=(1.0, None, "a", {"win": 0.99}))
        koehn = replace(koehn, settings=replace(koehn.settings, test="koehn"))
        for rule in ("worse", "not-better"):
            judgement = judge_release(koehn, rule)
            assert judgement.passed is None and "koehn has no p" in judgement.reason
        with pytest.raises(SettingError, match="Did you mean 'worse'"):
            judge_release(by_hand(bleu=(1.0, 0.5, None, {})), "wors")
