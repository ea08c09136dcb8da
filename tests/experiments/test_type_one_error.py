"""Type-I error of every test: what is drawn, what is counted, and what is refused."""

import numpy as np
import pytest
from scipy import stats

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.experiments.error_rates import conclusions_on, type_one
from mtsig_core.experiments.frame import PairSet, rate
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import win_rates
from tests.builders.toys import (
    Given,
    bleu_counts,
    mean,
    segment_scores,
    texts,
    toy,
    with_statistics,
)


@pytest.fixture(scope="module")
def counted():
    counts, documents = bleu_counts(seed=3, qualities=[0, 0.2, 0.4], n_segments=240)
    return toy(3, 240, documents), counts


def holds(found, test):
    """Whether the interval of the rejections takes in the level."""
    rejected = found.row("segment", "segment", test).rejected
    return rejected.low < found.alpha < rejected.high


def test_wilson_is_scipys():
    for count, n in [(0, 20), (3, 50), (100, 2000), (50, 50)]:
        theirs = stats.binomtest(count, n).proportion_ci(method="wilson")
        assert (rate(count, n).low, rate(count, n).high) == pytest.approx(
            (theirs.low, theirs.high), abs=1e-12
        )
    assert rate(0, 0).share is None


@pytest.mark.parametrize("errors", [(0.30, 0.42), (0.30, 0.34), (0.30, 0.305)])
def test_conclusions_are_those_of_compare(errors):
    reference, (a, b) = texts(1, errors, 80)
    testset = TestSet("toy", {"A": a, "B": b}, {"ref": reference})
    units = Units("segment", np.arange(80), 80)
    found = conclusions_on(
        Bleu(), PairSet("segment", Bleu().statistics(testset), units, 7), 199, 0.05
    )
    for test, concluded in found.items():
        (pair,) = (
            compare(testset, "bleu", test=test, trials=199, seed=7, correction="none")
            .metrics["bleu"]
            .pairs
        )
        assert pair.significant == concluded, test
    assert all(found.values()) == (errors[1] > 0.4) and any(found.values()) == (errors[1] > 0.31)


def test_koehns_share_of_wins_may_be_exactly_1_less_alpha():
    """40 samples of which k are won: at alpha = (40 - k) / 40 it concludes, a sample earlier it
    does not.
    """
    both = segment_scores(5, [60, 62], 20)
    units = Units("segment", np.arange(20), 20)
    data = UnitStatistics(Given({}, mean), both, units)
    (won,) = np.maximum(*win_rates(np.subtract(*bootstrap_scores(data, 40, 3))[None]))
    assert 0.6 < won < 1
    for alpha, concluded in ((1 - won, True), (1 - won - 1 / 40, False)):
        assert (
            conclusions_on(Given({}, mean), PairSet("segment", both, units, 3), 40, alpha)["koehn"]
            == concluded
        )


@pytest.mark.statistics
def test_swapped_systems_are_equal_however_unlike_they_were(counted):
    testset, counts = counted
    found = type_one(testset, with_statistics(Bleu(), counts), "A", "C", n_pairs=300, trials=199)
    assert holds(found, "ar")
    assert found.row("segment", "segment", "koehn").rejected.share > 0.05
    found = type_one(testset, with_statistics(Bleu(), counts), "C", "B", n_pairs=5, trials=99)
    assert [r.unit for r in found.rows[::5]] == [
        "segment",
        "document",
        "segment",
    ] and found.n_documents == 40


@pytest.mark.statistics
def test_a_difference_of_the_systems_is_no_part_of_what_documents_have_in_common():
    """Segments here are independent, so a test by segment keeps its level.

    Swaps of whole documents would add the squared difference to the variance of a document: 1 + 40
    x .12^2 instead of 1, and 12% rejected.
    """
    rng = np.random.default_rng(2)
    scores = rng.normal(50, 5, 8000)
    both = np.stack(
        [
            np.stack([values, np.ones(8000)], axis=-1)
            for values in (scores + 0.12 + rng.normal(0, 1, 8000), scores)
        ]
    )
    found = type_one(
        toy(2, 8000, [str(k // 40) for k in range(8000)]),
        with_statistics(SegmentMean("human", True), both),
        n_pairs=200,
        n_segments=20,
        n_documents=25,
        trials=99,
    )
    rejected = found.row("document", "segment", "ar").rejected
    assert rejected.low < found.predicted < rejected.high < 0.1 and found.se_ratio == pytest.approx(
        1, abs=0.1
    )
    assert found.effective_documents > 100


def test_without_documents_that_favour_the_worse_there_is_no_null_by_document():
    rng = np.random.default_rng(1)
    both = np.stack(
        [np.stack([base + rng.normal(0, 1, 80), np.ones(80)], axis=-1) for base in (60, 50)]
    )
    found = type_one(
        toy(2, 80, [str(k // 4) for k in range(80)]),
        with_statistics(SegmentMean("human", True), both),
        n_pairs=5,
        trials=99,
    )
    assert {row.null for row in found.rows} == {"segment"}
    assert (found.n_documents, found.effective_documents, found.se_ratio, found.predicted) == (
        None,
    ) * 4


def test_means_of_segment_scores_with_gaps():
    scores = segment_scores(1, [60, 62], 120)
    scores[0, :20] = 0
    found = type_one(
        toy(2, 120), with_statistics(SegmentMean("human", True), scores), n_pairs=200, trials=99
    )
    assert [row.test for row in found.rows][-2:] == ["t", "wilcoxon"] and found.n_segments == 100
    assert holds(found, "t")


@pytest.mark.parametrize(
    "more, message",
    [
        ({"a": "Z"}, "No system 'Z'"),
        ({"a": "A", "b": "A"}, "both A"),
        ({"trials": 19}, "at least 39 trials"),
        ({"n_pairs": 0}, "pairs is 0"),
        ({"alpha": 1.5}, "alpha is 1.5"),
        ({"n_segments": 1}, "segments is 1"),
        ({"n_documents": 1}, "documents is 1"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_what_cannot_be(counted, more, message):
    testset, counts = counted
    with pytest.raises(SettingError, match=message):
        type_one(testset, with_statistics(Bleu(), counts), progress=never, **more)


def test_of_two_that_score_the_same_nothing_is_asked(counted):
    testset, counts = counted
    counts = counts[[0, 0, *range(2, len(counts))]]
    with pytest.raises(
        SettingError, match="A and B score the same on every segment: no test can reject"
    ):
        type_one(testset, with_statistics(Bleu(), counts), "A", "B", n_pairs=5)


def test_few_documents_have_no_p_that_they_cannot_show():
    """As in a comparison: drawn without the floor, the bootstraps reject a quarter of true nulls of
    four documents.
    """
    both = np.stack([segment_scores(k, [60 + 20 * k], 40)[0] for k in (0, 1)])
    units = Units("document", np.arange(40) // 10, 4)
    assert not any(
        conclusions_on(
            SegmentMean("human", True), PairSet("segment", both, units, 0), 199, 0.05
        ).values()
    )
    same = both[[0, 0]].copy()
    same[1, :5, 0] -= 30  # five segments of forty
    found = conclusions_on(
        SegmentMean("human", True), PairSet("segment", same, Units.segments(40), 0), 199, 0.05
    )
    assert not any(done for name, done in found.items() if name not in ("t", "wilcoxon"))


def never(stage, share):
    """What cannot be is said before the work."""
    assert not stage.startswith("null")


def test_too_little():
    counts, _ = bleu_counts(seed=3, qualities=[0, 0.2], n_segments=30)
    bleu = with_statistics(Bleu(), counts)
    with pytest.raises(SettingError, match="1 system to compare"):
        type_one(toy(1, 30), bleu)
    with pytest.raises(SettingError, match="from: 5. Expected at least 10"):
        type_one(toy(2, 5), bleu)
    with pytest.raises(SettingError, match="no document ids"):
        type_one(toy(2, 30), bleu, n_pairs=1, n_documents=5)
