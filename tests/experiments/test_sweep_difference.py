"""What a sweep says of a difference asked about, against sweeps of data that have it."""

from dataclasses import replace

import pytest

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.frame import rate
from mtsig_core.experiments.sweeps import Detection, count_detections, plan_detections, sweep_sizes
from mtsig_core.report.experiment_tables import detection_table
from mtsig_core.stats.few_units import unbiased
from mtsig_core.stats.power import PairError, units_needed
from tests.builders.toys import Given, mean, segment_scores, toy


def swept(statistics, rule=mean, repeats=60, **settings):
    testset = toy(*statistics.shape[:2])
    metric = Given(dict(zip(testset.systems, statistics, strict=True)), rule)
    return sweep_sizes(
        testset,
        metric,
        sizes=[10, 30, 100],
        repeats=repeats,
        seed=2,
        **settings,
    )


@pytest.mark.parametrize(
    "alpha, resamples", [pytest.param(0.05, 500, marks=pytest.mark.long), (0.1, 199), (0.05, 39)]
)
def test_a_mean_moved_by_hand_is_found_as_often(alpha, resamples):
    """Where the score is a mean, to add a constant to one system's scores is to move every subset
    and sample by it.
    """
    scores = segment_scores(4, [61, 60, 58], 120)
    found = swept(scores, alpha=alpha, resamples=resamples, repeats=20)
    pairs = list(found.errors)
    for a, b in pairs:
        for shift in (0.0, 1.5, -0.4):
            own = found.errors[a, b][0]
            if own + shift <= 0:
                continue
            moved = scores.copy()
            moved["ABC".index(a), :, 0] += shift
            theirs = [
                row
                for row in swept(moved, alpha=alpha, resamples=resamples, repeats=20).pairs
                if {row.a, row.b} == {a, b}
            ]
            rows = count_detections(found, a, b, own + shift)
            assert [row.significant.share for row in rows] == [
                row.significant.share for row in theirs
            ]
            assert [row.wrong.share for row in rows] == [row.wrong.share for row in theirs]
            assert [(row.expected, row.planned) for row in rows] == [
                pytest.approx((row.expected, row.power)) for row in theirs
            ]


def test_what_is_planned_is_known_before_any_test_set_is_drawn():
    told = []
    found = swept(
        segment_scores(4, [61, 60, 58], 120), repeats=5, watch=lambda size, one: told.append(one)
    )
    for a, b in found.errors:
        rows = count_detections(found, a, b, 1.0)
        assert plan_detections(told[0], a, b, 1.0, [10, 30, 100]) == tuple(
            replace(row, segments=None, significant=rate(0, 0), wrong=rate(0, 0)) for row in rows
        )
        assert sum((count_detections(one, a, b, 1.0) for one in told), ()) == rows


def test_the_curve_meets_the_power_at_the_size_it_needs():
    found = swept(segment_scores(4, [60.5, 60], 120))
    ((own, se, *_),) = found.errors.values()
    for difference in (own, 1.7, 3.0):
        size = units_needed(difference, se, found.n_units)
        below, above = (
            [row for row in count_detections(found, "A", "B", difference) if keep(row.size)]
            for keep in (lambda n, size=size: n < size, lambda n, size=size: n >= size)
        )
        assert all(row.planned < 0.8 for row in below) and all(
            row.planned >= 0.8 - 1e-9 for row in above
        )


@pytest.mark.parametrize(
    "a, difference, message",
    [("A", 0.0, "difference is 0"), ("A", float("nan"), "is nan"), ("X", 1.0, "no pair X - B")],
)
def test_what_cannot_be(a, difference, message):
    with pytest.raises(SettingError, match=message):
        count_detections(swept(segment_scores(1, [60, 59], 120)), a, "B", difference)


def test_detections_on_thousands_of_segments_have_their_table():
    row = Detection(1200, 1770.4, rate(1, 1), rate(0, 1), 0.5, 0.8)
    assert detection_table([row]).texts() == [["1,200", "1,770", "1", "100%", "50%", "80%", "0%"]]


@pytest.mark.parametrize("n_units, worth", [(15, 15.0), (15, 7.0), (200, 200.0)])
def test_the_planned_curve_meets_the_power_at_the_size_needed(n_units, worth):
    """Also with few units, and where they are of unequal size: the curve and the size are of one
    plan.
    """
    testset = TestSet(
        "toy", {"A": ["a b c d e"] * 20, "B": ["a b x d e"] * 20}, {"ref": ["a b c d e"] * 20}
    )
    drawn = sweep_sizes(testset, "bleu", unit="segment", sizes=[10], repeats=2, resamples=50)
    error = PairError(1.2, 1.0, 12.0, n_units, worth)
    sweep = replace(drawn, n_units=n_units, errors={("A", "B"): error})
    needed = units_needed(1.5, unbiased(1.0, worth), n_units, n_effective=worth)
    (planned,) = plan_detections(sweep, "A", "B", 1.5, [needed])
    assert planned.planned == pytest.approx(0.8, abs=0.015)
