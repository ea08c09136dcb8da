"""Conclusions, coverage and families against counts made by hand, and what is refused."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.error_rates import claims, families, if_independent, type_one
from mtsig_core.experiments.frame import clustered_rate, rate
from mtsig_core.experiments.sampling import _count_levels, conclusions, coverage
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.report.experiment_tables import (
    calibration_table,
    conclusion_table,
    conclusions_at_table,
)
from tests.builders.cases import brief
from tests.builders.toys import (
    Given,
    bleu_counts,
    mean,
    segment_scores,
    texts,
    toy,
    with_statistics,
)

HUMAN = SegmentMean("human", True)


def means(n_segments=600, gap=1.0, documents=None):
    """Two systems rated 0 to 100, a test set and a metric."""
    scores = segment_scores(2, [60, 60 - gap], n_segments)
    return toy(2, n_segments, documents), with_statistics(HUMAN, scores), scores


def test_conclusions_of_a_mean_are_those_of_its_normal_approximation():
    """The share of wins is about the normal probability of a positive mean difference in each broad
    sample.
    """
    testset, metric, scores = means(gap=2)
    found = conclusions(testset, metric, sizes=(100,), resamples=4000)
    (row,) = found.rows
    difference = scores[0, :, 0] - scores[1, :, 0]
    wins = []
    for k in range(6):
        d = difference[k::6]
        wins.append(stats.norm.cdf(d.mean() / (d.std() / 10)))
    assert row.right.count == sum(w >= 0.95 for w in wins) and row.wrong.count == sum(
        w <= 0.05 for w in wins
    )
    assert min(abs(w - 0.95) for w in wins) > 0.004  # none is too close to call
    assert row.right.n == 6 and row.delta == pytest.approx(difference.mean())


@pytest.mark.parametrize(
    "experiment, asked",
    brief(
        2,
        [
            (type_one, {"trials": 39}),
            (families, {"systems": 3, "trials": 39}),
            (coverage, {"resamples": 50}),
            (claims, {"systems": 3, "better": 1, "trials": 39}),
        ],
    ),
)
def test_the_first_repeats_are_a_smaller_experiment(experiment, asked):
    counts, documents = bleu_counts(seed=3, qualities=[0, 0.2], n_segments=120)

    def found(n, **more):
        return experiment(
            toy(2, 120, documents),
            with_statistics(Bleu(), counts),
            seed=5,
            **asked,
            **more,
            **{"n_pairs" if experiment is type_one else "repeats": n},
        )

    told = {}
    whole = found(60, jobs=2, watch=lambda done, n, one: told.update({(done, n): one}))
    assert list(told) == [(24, 60), (48, 60)] and whole == found(60)
    for (done, _), one in told.items():
        assert one == found(done)


def test_the_first_samples_are_of_all_sizes_and_among_those_of_the_end():
    told, (testset, metric, _) = [], means()
    asked = {"sizes": (20, 60), "resamples": 50}
    whole = conclusions(testset, metric, **asked, watch=lambda *found: told.append(found))
    ((done, n, one),) = told
    assert (done, n, whole.samples) == (24, 40, (30, 10)) and one.samples == (18, 6)
    for size, k in zip(one.sizes, one.samples, strict=True):
        assert (one.verdicts[size] == whole.verdicts[size][:k]).all()
        (row,) = (row for row in one.rows if row.size == size)
        assert (row.right.count, row.right.n) == ((whole.verdicts[size][:k] == 1).sum(), k)
    alone = conclusions(
        testset, metric, **asked | {"sizes": (20,)}
    )  # the draws of a sample go by its number
    assert (alone.verdicts[20] == whole.verdicts[20]).all()


def test_samples_are_broad():
    """A is better in the first two thirds and worse in the last: so say all blocks, but no broad
    sample.
    """
    scores = segment_scores(2, [60, 60], 600)
    scores[0, :400, 0] += 12
    scores[0, 400:, 0] -= 12
    (row,) = conclusions(
        toy(2, 600), with_statistics(HUMAN, scores), sizes=(200,), resamples=200
    ).rows
    assert (row.right.count, row.wrong.count, row.right.n) == (3, 0, 3)


def test_lower_is_better_turns_the_pair_round():
    rows = segment_scores(2, [60, 50], 400)
    (better,) = conclusions(
        toy(2, 400),
        Given({"A": rows[0], "B": rows[1]}, mean, higher_is_better=False),
        resamples=50,
        sizes=(100,),
    ).rows
    assert (better.a, better.b) == ("B", "A") and better.right.share == 1 and better.delta > 0


def test_levels_by_hand():
    share = np.array([[1.0, 0.999, 0.99, 0.95, 0.9499], [0.9, 0.5, 0.49, 0.6, 0.6]])
    agrees = np.array([[1, 1, -1, 1, -1], [1, -1, 1, 1, 0]])
    found = {
        level.low: (level.right.count, level.right.n) for level in _count_levels(share, agrees)
    }
    assert found == {
        100: (1, 1),
        99: (1, 2),
        98: (0, 0),
        95: (1, 1),
        90: (1, 2),
        80: (0, 0),
        70: (0, 0),
        60: (1, 1),
        50: (0, 1),
    }


@pytest.mark.statistics
def test_coverage_of_a_mean_is_that_of_theory():
    """Student's t covers at its level; the percentile interval of n values is too narrow by about t
    and n - 1.
    """
    testset, metric, _ = means()
    found = coverage(testset, metric, repeats=300, n_segments=20, resamples=300)
    student = found.row("segment", "segment", "t", "difference").covered
    assert student.low < 0.95 < student.high
    z = stats.norm.ppf(0.975) * np.sqrt(19 / 20)
    narrow = found.row("segment", "segment", "percentile", "difference").covered
    assert narrow.low - 0.01 < 1 - 2 * stats.t.sf(z, 19) < narrow.high + 0.01


@pytest.mark.statistics
def test_documents_drawn_whole_need_intervals_by_document():
    scores = segment_scores(2, [60, 60], 600)
    documents = np.arange(600) // 10
    scores[..., 0] += np.random.default_rng(0).normal(0, 8, (2, 60))[:, documents]
    found = coverage(
        toy(2, 600, documents),
        with_statistics(HUMAN, scores),
        repeats=150,
        resamples=200,
    )
    by = {
        unit: found.row("document", unit, "jackknife-t", "difference").covered
        for unit in ("document", "segment")
    }
    assert by["document"].low < 0.95 < by["document"].high and by["segment"].high < 0.85


def test_families_by_formula_and_by_bonferroni():
    assert [if_independent(0.05, k) for k in (1, 105)] == pytest.approx([0.05, 0.99542], abs=1e-5)
    testset, metric, _ = means(gap=5)
    found = families(testset, metric, systems=6, repeats=200, n_segments=60, trials=499)
    first, *_, last = found.of_all_pairs
    assert [row.comparisons for row in found.of_all_pairs] == [1, 3, 6, 15]
    with_first = found.rows[len(found.of_all_pairs) :]
    assert [(row.systems, row.comparisons) for row in with_first] == [(3, 2), (4, 3), (6, 5)]
    assert first.wrong["none"].share < with_first[-1].wrong["none"].share < last.wrong["none"].share
    assert with_first[-1].wrong["romano-wolf"].low < 0.05
    assert first.wrong["none"].low < 0.05 < first.wrong["none"].high
    assert len({w.count for w in first.wrong.values()}) == 1  # nothing to correct
    assert 0.2 < last.wrong["none"].share < last.if_independent
    assert (
        last.wrong["bonferroni"].count
        <= last.wrong["holm"].count
        <= last.wrong["romano-wolf"].count
    )
    assert last.wrong["romano-wolf"].low < 0.05


@pytest.mark.parametrize(
    "function, n, more, message",
    [
        (conclusions, 150, {}, "Too few segments for two samples of 100: 150"),
        (conclusions, 400, {"sizes": (300,)}, "of 300"),
        (conclusions, 400, {"resamples": 1}, "resamples is 1"),
        (conclusions, 400, {"alpha": 0}, "alpha is 0"),
        (coverage, 8, {}, "from: 8. Expected at least 10"),
        (coverage, 100, {"n_documents": 3}, "no document ids"),
        (families, 8, {}, "from: 8. Expected at least 10"),
        (families, 100, {"systems": 1}, "systems is 1"),
        (families, 100, {"trials": 9}, "With 9 trials"),
    ],
)
def test_what_cannot_be(function, n, more, message):
    testset, metric, _ = means(n)
    with pytest.raises(SettingError, match=message):
        function(testset, metric, **more)


def test_equal_systems_have_no_right_conclusion():
    testset, _, scores = means(400)
    with pytest.raises(SettingError, match="the same score"):
        conclusions(testset, with_statistics(HUMAN, scores[[0, 0]]))


class TestClusteredRate:
    @pytest.mark.parametrize("seed", range(3))
    def test_against_a_cluster_robust_variance_and_wilson(self, seed):
        rng = np.random.default_rng(seed)
        cluster = rng.integers(0, 25, 160)
        yes = rng.random(160) < rng.beta(1, 2, 25)[cluster]
        found, n_clusters = clustered_rate(yes, cluster), len(np.unique(cluster))
        variance = (
            OLS(yes.astype(float), np.ones(160))
            .fit(cov_type="cluster", cov_kwds={"groups": cluster})
            .bse[0]
            ** 2
        )
        worth = min(160, found.share * (1 - found.share) / variance)
        level = 2 * stats.norm.sf(stats.t.ppf(0.975, n_clusters - 1))
        low, high = proportion_confint(found.share * worth, worth, level, "wilson")
        assert (found.count, found.n) == (yes.sum(), 160) and (
            found.low,
            found.high,
        ) == pytest.approx((low, high))

    def test_holds_the_share_of_comparisons_that_share_samples(self):
        """Nine comparisons on each of 40 samples, alike on a sample: .7 of them are right."""
        rng, held, naive, n = np.random.default_rng(5), 0, 0, 400
        sample = np.repeat(np.arange(40), 9)
        for _ in range(n):
            yes = rng.random(360) < rng.beta(0.7, 0.3, 40)[sample]
            found, own = clustered_rate(yes, sample), rate(int(yes.sum()), 360)
            held, naive = (
                held + (found.low <= 0.7 <= found.high),
                naive + (own.low <= 0.7 <= own.high),
            )
        assert 0.92 <= held / n <= 0.98 and naive / n < 0.7

    def test_edges(self):
        assert clustered_rate(np.zeros(0, bool), np.zeros(0, int)) == rate(0, 0)
        alone = clustered_rate(np.ones(9, bool), np.zeros(9, int))
        assert (alone.share, alone.high) == (1, 1) and alone.low < 0.25  # as one comparison
        alike = clustered_rate(np.ones(90, bool), np.repeat(np.arange(10), 9))
        assert rate(90, 90).low > alike.low > 0.6


def test_conclusions_go_by_samples_and_say_what_the_whole_set_decides():
    counts, _ = bleu_counts(seed=3, qualities=[0.01, 0, 0.3], n_segments=620)
    found = conclusions(toy(3, 620), with_statistics(Bleu(), counts), resamples=200)
    close = next(row for row in found.rows if {row.a, row.b} == {"A", "B"})
    assert close.whole_p > 0.05 and found.undecided == ((close.a, close.b),)
    assert all(row.whole_p == 0.001 for row in found.rows if "C" in (row.a, row.b))
    verdicts = found.verdicts[100]
    assert verdicts.shape == (6, 3)
    for k, row in enumerate(row for row in found.rows if row.size == 100):
        assert (row.right.count, row.wrong.count) == (
            (verdicts[:, k] == 1).sum(),
            (verdicts[:, k] == -1).sum(),
        )
    k = next(k for k, row in enumerate(found.rows) if row is close) // len(found.sizes)
    verdicts_of_close = np.concatenate([table[:, k] for table in found.verdicts.values()])
    n_right, n_wrong = (int((verdicts_of_close == side).sum()) for side in (1, -1))
    assert found.of_closest_pair() == (close.a, close.b, rate(n_right, n_right + n_wrong))
    concluded, right = found.totals(100)
    assert concluded == clustered_rate((verdicts != 0).ravel(), np.repeat(np.arange(6), 3))
    assert (right.count, right.n) == ((verdicts == 1).sum(), (verdicts != 0).sum())
    table = conclusions_at_table(found, 100)
    assert table.values("whole_p") == [row.whole_p for row in found.rows if row.size == 100]
    for one in (table, conclusion_table(found, True), calibration_table(found, False)):
        assert not {"right", "wrong"} & set(one.titles)


def test_a_pair_that_nobody_named_differs_somewhere():
    reference, (good, fair) = texts(3, [0.3, 0.5], 40)
    testset = TestSet("toy", {"A": good, "copy": good, "B": fair}, {"ref": reference})
    found = coverage(testset, "bleu", repeats=5, resamples=50)
    assert found.b == "B" and found.a in ("A", "copy")
    assert {
        coverage(testset, "bleu", b=name, repeats=5, resamples=50).a for name in ("A", "copy")
    } == {"B"}
    same = testset.without(["B"])
    found = coverage(same, "bleu", repeats=5, resamples=50)  # there is no other
    assert {found.a, found.b} == {"A", "copy"}
