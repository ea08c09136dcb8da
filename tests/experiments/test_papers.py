"""One pair by every test, systems made equal, and conclusions that the unit changes."""

from itertools import product

import numpy as np
import pytest
import sacrebleu
from scipy import stats

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.experiments.error_rates import type_one, unit_changes, variants
from mtsig_core.experiments.sampling import coverage, pair_tests
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.report.experiment_tables import unit_table
from tests.builders.cases import brief
from tests.builders.score_tables import rated_systems
from tests.builders.toys import Given, mean, segment_scores, texts, toy, with_statistics

HUMAN = SegmentMean("human", True)


@pytest.fixture(scope="module")
def three():
    reference, outputs = texts(5, [0.3, 0.33, 0.5], 120)
    return TestSet(
        "toy",
        dict(zip("ABC", outputs, strict=True)),
        {"ref": reference},
        documents=[f"d{k // 6}" for k in range(120)],
    )


def test_scores_and_p_are_those_of_others(three):
    found = pair_tests(three, "bleu", "C", "A", trials=199, seed=3)
    references = [list(three.references["ref"])]
    theirs = [sacrebleu.corpus_bleu(list(three.systems[name]), references).score for name in "CA"]
    assert (found.score_a, found.score_b) == pytest.approx(theirs)
    assert found.improvement == pytest.approx(theirs[0] - theirs[1])
    both, asked = three.only(["A", "C"]), dict(trials=199, seed=3, correction="none")
    for row in found.rows:
        result = compare(both, "bleu", test=row.test, unit=row.unit, **asked).metrics["bleu"]
        (pair,) = result.pairs
        assert (row.p_value, row.significant) == (pair.p_value, pair.significant)
    assert [row.unit for row in found.rows] == ["segment"] * 5 + ["document"] * 5


def test_a_smaller_sample_is_a_test_set_of_its_own(three):
    part = three.take(range(0, 120, 3))
    for metric in ("nist", "bleu"):
        found, alone = (
            pair_tests(one, metric, "A", "B", trials=99, n_segments=n)
            for one, n in ((three, 40), (part, None))
        )
        assert found == alone and found.n_segments == 40
    assert "weights:120" in pair_tests(three, "nist", trials=99).signature
    assert "weights:40" in pair_tests(three, "nist", trials=99, n_segments=40).signature


def test_tests_of_single_segments_have_no_row_by_document():
    values = segment_scores(4, [60, 64], 60)[..., 0].tolist()
    found = pair_tests(
        rated_systems(dict(zip("AB", values, strict=True)), np.arange(60) // 5), "human", trials=99
    )
    by_draws = ["ar", "bootstrap", "bootstrap-t", "percentile", "riezler-maxwell"]
    assert [row.test for row in found.rows if row.unit == "segment"] == [*by_draws, "t", "wilcoxon"]
    assert [row.test for row in found.rows if row.unit == "document"] == by_draws
    assert found.p_value("segment", "t") == pytest.approx(stats.ttest_rel(*values).pvalue, abs=1e-4)


@pytest.mark.parametrize("of_c", brief(1, [range(70), (range(0),), (range(60, 70),), (range(4),)]))
def test_what_a_third_system_lacks_does_not_matter(of_c):
    """A and B have the first 60 segments; C has other ones, or those of one document."""
    values = np.full((3, 70), np.nan)
    values[:2, :60] = segment_scores(6, [60, 60], 60)[..., 0]
    values[2, of_c] = 50
    by_system, documents = dict(zip("ABC", values, strict=True)), np.arange(70) // 5
    with_third = rated_systems(by_system, documents)
    two = with_third.only(["A", "B"])
    alone = pair_tests(two.take(range(60)), "human", "A", "B", trials=99)
    found = pair_tests(with_third, "human", "A", "B", trials=99)
    assert found.n_segments == 60
    assert [row.unit for row in found.rows] == [row.unit for row in alone.rows]
    assert found.p_value("segment", "t") == pytest.approx(alone.p_value("segment", "t"))
    for function, asked in (
        (type_one, dict(n_pairs=20, trials=99)),
        (coverage, dict(repeats=10, resamples=40)),
    ):
        of_two = function(two, "human", "A", "B", **asked)
        assert function(with_third, "human", "A", "B", **asked) == of_two
        assert of_two.n_documents is not None


@pytest.fixture(scope="module")
def equals():
    metric = with_statistics(HUMAN, segment_scores(8, [60, 62, 66], 400))
    return [
        row
        for seed in range(30)
        for row in variants(toy(3, 400), metric, trials=999, seed=seed).rows
    ]


def test_equal_systems_have_uniform_p_however_unlike_the_real_ones(equals):
    assert len(equals) == 150
    p = np.array([row.p_ar for row in equals]).reshape(30, 5)[
        :, 0
    ]  # one of each five: they share the first system
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_the_printed_shift_by_normal_theory(equals):
    """Bootstrap differences are about normal around the observed one; their sizes are then folded
    normal.
    """
    for row in equals:
        z = stats.norm.isf(row.p_ar / 2)
        expected = stats.foldnorm.sf(stats.foldnorm.mean(z) + z, z)
        assert row.p_as_printed == pytest.approx(expected, abs=0.05) and row.p_as_printed < 0.47
        assert row.p_bootstrap == pytest.approx(row.p_ar, abs=0.07)
    small = [row.p_ar / row.p_as_printed for row in equals if 0.02 < row.p_ar < 0.2]
    assert 1.7 < np.median(small) < 2.8  # in the paper 1.8 to 2.2


def test_unit_changes_by_enumeration():
    """Ten documents: all 2^10 swaps give the exact p by document; by segment the t test comes close
    enough.
    """
    scores = segment_scores(2, [60, 60, 60], 200)
    documents = np.repeat(np.arange(10), 20)
    scores[1, :, 0] -= np.where(documents < 6, 8, -4)  # B's luck is that of whole documents
    scores[2, :, 0] -= 9
    by_system = dict(zip("ABC", scores, strict=True))
    found = unit_changes(toy(3, 200, documents), Given(by_system, mean), trials=1999)
    signs = np.array(list(product([1, -1], repeat=10)))
    exact, by_t = {}, {}
    for names in ("AB", "AC", "BC"):
        d = (by_system[names[0]] - by_system[names[1]])[:, 0]
        sums = d.reshape(10, 20).sum(axis=1)
        exact[names] = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9)
        by_t[names] = stats.ttest_1samp(d, 0).pvalue
    for p in (*exact.values(), *by_t.values()):
        assert abs(p - 0.05) > 0.015  # none is too close to call
    segment, document = ({names for names in p if p[names] <= 0.05} for p in (by_t, exact))
    assert segment > document  # or nothing would be tested
    row = found.row("none")
    counted = (row.both, row.segment_only, row.document_only, row.neither)
    assert counted == (len(document), len(segment - document), 0, 3 - len(segment))
    uncorrected = {"".join(sorted(p.a + p.b)): p for p in found.pairs if p.correction == "none"}
    assert uncorrected.keys() == segment - document
    for names, pair in uncorrected.items():
        assert pair.p_document == pytest.approx(exact[names], abs=0.03)
        assert pair.p_segment == pytest.approx(by_t[names], abs=0.03)
        assert pair.se_ratio > 1.3
    bonferroni = found.row("bonferroni")
    assert bonferroni.both + bonferroni.segment_only == sum(3 * p <= 0.05 for p in by_t.values())
    assert found.n_pairs == 3
    assert found.se_ratio_low <= found.se_ratio_median <= found.se_ratio_high
    assert found.independent_share * found.se_ratio_median**2 == pytest.approx(1)


def test_where_a_correction_can_reject_nothing_it_says_so():
    values = segment_scores(6, [90, 75, 60, 45, 30, 15], 60)[..., 0]
    by_system = dict(zip("ABCDEF", values, strict=True))
    found = unit_changes(
        rated_systems(by_system, np.arange(60) // 2), "human", trials=199, resamples=50
    )  # 15 / 200 > .05
    assert {row.correction: row.trials_needed for row in found.rows} == {
        "none": None,
        "bonferroni": 299,
        "holm": 299,
        "bh": None,
        "by": None,
        "romano-wolf": None,
    }
    cells = {row[0]: row[1:3] for row in unit_table(found).texts()}
    assert cells["holm"] == ["none can be: use 299 trials or more", "-"] and cells["bh"] == [
        "15",
        "15",
    ]


def test_unit_changes_count_what_has_scores():
    """40 of 60 segments are rated, in 8 of 12 documents."""
    values = segment_scores(6, [60, 64], 60)[..., 0]
    by_system = {
        name: [*map(float, row[:40]), *[None] * 20] for name, row in zip("AB", values, strict=True)
    }
    found = unit_changes(
        rated_systems(by_system, np.arange(60) // 5), "human", trials=99, resamples=50
    )
    assert (found.n_segments, found.n_documents) == (40, 8)
    assert {row.documents_needed for row in found.rows} == {None}
    few = unit_changes(
        rated_systems(by_system, np.arange(60) // 10), "human", trials=99, resamples=50
    )  # 4 documents: 2 / 2^4
    assert {row.documents_needed for row in few.rows} == {6}
    assert {row[2] for row in unit_table(few).texts()} == {"none can be with fewer than 6"}
    with pytest.raises(SettingError, match="rated has one document with a score by human"):
        unit_changes(rated_systems(by_system, np.arange(60) // 40), "human")


@pytest.mark.parametrize(
    "testset, message",
    [
        (toy(2, 40), "toy has no document ids"),
        (toy(2, 40, [0] * 40), "toy has one document"),
        (toy(1, 40, range(40)), "1 system to compare"),
    ],
)
def test_units_that_cannot_be(testset, message):
    with pytest.raises(SettingError, match=message):
        unit_changes(testset, "bleu")
