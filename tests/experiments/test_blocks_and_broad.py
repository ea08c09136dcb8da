"""Blocks and broad samples."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.frame import whole_p
from mtsig_core.experiments.sampling import SampledPair, SampledSystem, positions, sampling
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.metrics.nist import Nist
from mtsig_core.stats.contrast import contrast_pairs
from mtsig_core.stats.resampling import Units
from tests.builders.score_tables import rated_systems
from tests.builders.toys import Given, bleu, bleu_counts, segment_scores, texts, toy

FEW = dict(resamples=200, trials=99)


def given_to(counts, kind="blocks", rule=bleu, higher=True, **more):
    testset = toy(*counts.shape[:2])
    metric = Given(dict(zip(testset.systems, counts, strict=True)), rule, higher)
    return sampling(testset, metric, kind, **{**FEW, "size": 30, **more})


@pytest.fixture(scope="module")
def counts():
    return bleu_counts(4, [0.3, 0.0, 0.25], 250)[0]


# Positions.


@given(
    st.sampled_from(["blocks", "broad"]),
    st.integers(2, 40),
    st.integers(2, 9),
    st.integers(0, 39),
    st.none() | st.integers(0, 9),
)
def test_samples_share_no_segment(kind, size, n_samples, over, seed):
    n = size * n_samples + over % size
    found = positions(kind, n, size, seed)
    assert found.shape == (n_samples, size) and len(set(found.ravel().tolist())) == found.size
    assert found.max() < n and (
        seed is not None or sorted(found.ravel().tolist()) == list(range(found.size))
    )
    steps = np.diff(found, axis=1)
    assert seed is not None or (steps == (1 if kind == "blocks" else n_samples)).all()


# Scores and intervals.


def test_scores_are_those_of_sacrebleu_on_the_same_lines():
    reference, systems = texts(3, [0.2, 0.4], 70)
    testset = TestSet("toy", dict(zip("AB", systems, strict=True)), {"ref": reference})
    for kind, lines in (
        ("blocks", [slice(0, 30), slice(30, 60)]),
        ("broad", [slice(0, 60, 2), slice(1, 60, 2)]),
    ):
        found = sampling(testset, "bleu", kind, size=30, **FEW)
        for name, output in zip("AB", systems, strict=True):
            expected = [
                sacrebleu.corpus_bleu(output[part], [reference[part]]).score for part in lines
            ]
            np.testing.assert_allclose(found.system(name).scores, expected, atol=1e-9)
            whole = sacrebleu.corpus_bleu(
                output, [reference]
            ).score  # the ten lines in no sample are part of it
            assert found.system(name).full == pytest.approx(whole, abs=1e-9)


def test_intervals_are_quantiles_of_resampled_segments(counts):
    found = given_to(counts, "broad", size=125, resamples=4000).system("A")
    rng = np.random.default_rng(0)
    for sample in range(2):
        part = counts[0][sample::2]
        drawn = bleu(part[rng.integers(0, 125, (4000, 125))].sum(axis=1))
        ends = [found.low[sample], found.high[sample]]
        np.testing.assert_allclose(ends, np.quantile(drawn, [0.025, 0.975]), atol=0.4)
    assert (found.low < found.scores).all() and (found.scores < found.high).all()


def test_every_sample_has_draws_of_its_own():
    same = np.tile(bleu_counts(1, [0.0], 40)[0], (1, 6, 1))  # six times the same block
    found = given_to(same, size=40).system("A")
    assert np.ptp(found.scores) == 0 and len(set(found.low.tolist())) == 6


def test_hits_range_and_spread():
    system = SampledSystem(
        "A",
        30.0,
        np.array([28.0, 31.0, 34.0, np.nan]),
        np.array([26.0, 30.0, 32.0, np.nan]),
        np.array([29.9, 33.0, 36.0, np.nan]),
    )
    assert system.hits.tolist() == [False, True, False, False]
    assert system.range == (28.0, 34.0) and system.sd == pytest.approx(3.0)


# Conclusions.


def test_the_whole_set_is_tested_itself():
    """By t where segments are the units; by document where these are known, by t on their means."""
    scores = segment_scores(5, [60, 59.2, 40], 400)
    apart = np.array([[0, 1], [0, 2], [1, 2]])

    def p_of_all(units):
        return whole_p(contrast_pairs(SegmentMean("human", True), scores, units, apart), 1)

    expected = [stats.ttest_rel(scores[i, :, 0], scores[j, :, 0]).pvalue for i, j in apart]
    found = p_of_all(Units.segments(400))
    np.testing.assert_allclose(found, np.maximum(expected, 0.001), atol=0.04)
    assert found[0] > 0.05 and found[1] == found[2] == 0.001
    documents = np.arange(400) // 8
    scores[0, :, 0] += np.random.default_rng(3).normal(0, 12, 50)[
        documents
    ]  # what a document adds to one of them
    of_document = scores[..., 0].reshape(3, 50, 8).mean(axis=-1)
    expected = [stats.ttest_rel(of_document[i], of_document[j]).pvalue for i, j in apart]
    by_document = p_of_all(Units("document", documents, 50))
    by_segment = p_of_all(Units.segments(400))
    np.testing.assert_allclose(by_document, np.maximum(expected, 0.001), atol=0.05)
    assert by_segment[0] < by_document[0]
    scores[0, :200], scores[1, 200:] = 0, 0  # no segment in common
    assert np.isnan(p_of_all(Units.segments(400))).tolist() == [
        True,
        False,
        False,
    ]


def pair(full, **arrays):
    return SampledPair(
        "A", "B", True, full, **{key: np.array(value) for key, value in arrays.items()}
    )


def tally(pair, *asked):
    """Samples that are right, wrong, undecided."""
    return [one.count for one in pair.tally(*asked).values()]


def test_conclusions_are_counted_against_the_whole():
    one = pair(
        1.5,
        deltas=[2.0, -1.0, 0.5, np.nan],
        win=[0.96, 0.04, 0.7, np.nan],
        lose=[0.03, 0.95, 0.3, np.nan],
        p_value=[0.05, 0.06, 0.5, np.nan],
    )
    turned = one.flipped()
    assert one.concluded("koehn").tolist() == [1, -1, 0, 0]
    assert one.concluded("ar").tolist() == [1, 0, 0, 0]
    assert turned.concluded("koehn").tolist() == [-1, 1, 0, 0]
    assert tally(one, "koehn") == tally(turned, "koehn") == [1, 1, 2]
    assert tally(one, "ar") == [1, 0, 3]
    assert tally(one, "koehn", 0.3) == [2, 1, 1]
    assert turned.full == -1.5
    with pytest.raises(SettingError, match="koehn, ar"):
        one.tally("t")


def test_every_conclusion_about_a_tie_is_wrong():
    tie = pair(0.0, deltas=[2.0, 0.1], win=[1.0, 0.5], lose=[0.0, 0.4], p_value=[0.01, 0.9])
    assert tally(tie, "koehn") == tally(tie, "ar") == [0, 1, 1]


def test_the_paired_bootstrap_draws_both_alike(counts):
    found = given_to(counts, "broad", size=125, resamples=2000, trials=1999).pair("A", "B")
    rng = np.random.default_rng(1)
    for sample in range(2):
        a, b = counts[0][sample::2], counts[1][sample::2]
        rows = rng.integers(0, 125, (4000, 125))
        wins = np.mean(bleu(a[rows].sum(axis=1)) > bleu(b[rows].sum(axis=1)))
        assert found.win[sample] == pytest.approx(wins, abs=0.04)
        swapped = rng.random((4000, 125, 1)) < 0.5
        chance = bleu(np.where(swapped, b, a).sum(axis=1)) - bleu(
            np.where(swapped, a, b).sum(axis=1)
        )
        delta = bleu(a.sum(axis=0)) - bleu(b.sum(axis=0))
        assert found.p_value[sample] == pytest.approx(
            np.mean(np.abs(chance) >= abs(delta)), abs=0.04
        )
        assert found.deltas[sample] == pytest.approx(delta)


def test_the_better_system_comes_first_also_where_lower_is_better(counts):
    up, down = given_to(counts), given_to(counts, higher=False)
    assert [s.system for s in down.systems] == [s.system for s in up.systems][::-1]
    assert all(p.full >= 0 for p in up.pairs) and all(p.full <= 0 for p in down.pairs)
    assert [tally(p) for p in up.pairs] == [tally(p) for p in down.pairs][::-1]
    assert up.pair("A", "B").win.tolist() == down.pair("A", "B").lose.tolist()
    assert up.pair("A", "C").deltas.tolist() == (-up.pair("C", "A").deltas).tolist()


def test_identical_systems_lead_to_no_conclusion(counts):
    found = given_to(counts[[0, 0]])
    assert tally(found.pairs[0], "koehn") == tally(found.pairs[0], "ar") == [0, 0, 8]
    assert (found.pairs[0].p_value == 1).all() and given_to(counts[:1]).pairs == ()


def test_threads_and_the_other_systems_change_nothing(counts):
    def drawn(found):
        a, ab = found.system("A"), found.pair("A", "B")
        arrays = (a.scores, a.low, a.high, ab.deltas, ab.win, ab.lose, ab.p_value)
        return np.array(arrays).tolist()

    usual = drawn(given_to(counts))
    assert drawn(given_to(counts, jobs=3)) == usual
    assert drawn(given_to(counts[:2])) == usual
    assert drawn(given_to(counts, seed=1)) != usual


# Other metrics.


def test_segment_scores_with_gaps():
    a, b = segment_scores(2, [60, 55], 120)[..., 0]
    a[:40] = np.nan
    b[41::2] = np.nan
    found = sampling(rated_systems({"A": a, "B": b}), "human", "blocks", size=40, **FEW)
    first = found.system("A")
    assert np.isnan(first.scores[0])
    assert not first.hits[0]
    assert first.scores[1] == pytest.approx(np.mean(a[40:80]), abs=1e-5)
    pair = found.pair("A", "B")
    assert pair.deltas[1] == pytest.approx(np.nanmean((a - b)[40:80]), abs=1e-5)
    assert np.isnan([pair.deltas[0], pair.win[0], pair.p_value[0]]).all()
    assert pair.concluded("koehn")[0] == pair.concluded("ar")[0] == 0


def test_nist_weighs_each_sample_by_itself():
    reference, systems = texts(5, [0.3], 60)
    testset = TestSet("toy", {"A": systems[0]}, {"ref": reference})
    found = sampling(testset, "nist", "broad", size=30, **FEW).system("A")
    metric = Nist()
    for sample in range(2):
        part = TestSet("half", {"A": systems[0][sample::2]}, {"ref": reference[sample::2]})
        assert found.scores[sample] == pytest.approx(
            metric.score(metric.statistics(part).sum(axis=1))[0], abs=1e-4
        )


# Settings and the command line.


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(size=200), "need 400, and there are 250. Use samples of at most 125"),
        (dict(size=1), "at least 2"),
        (dict(kind="stripes"), "blocks, broad"),
        (dict(alpha=2), "alpha is 2"),
        (dict(resamples=1), "resamples is 1"),
        (dict(jobs=0), "jobs is 0"),
        (dict(seed=-1), "seed is -1"),
    ],
)
def test_what_cannot_be_done_is_said(counts, settings, said):
    with pytest.raises(SettingError, match=said):
        given_to(counts, **settings)


def test_a_sample_without_a_score_is_null(run_json, tmp_path):
    table = tmp_path / "human.tsv"
    lines = ["system\tline\tscore", *(f"A\t{k}\t{k % 7}" for k in range(1, 41))]
    lines += [f"B\t{k}\t{k % 5}" for k in range(21, 41)]
    table.write_text("\n".join(lines))
    asked = "sample blocks --sample-size 20 --trials 99 --scores"
    found = run_json(asked, f"human={table}")["metrics"]["human"]
    nothing = dict(sample=1, score=None, ci_low=None, ci_high=None)
    assert found["systems"]["B"][0] == nothing
    nothing = dict(sample=1, delta=None, win=None, lose=None, p_value=None)
    assert found["pairs"][0]["samples"][0] == nothing
    assert found["summary"]["B"]["sd"] is None
    assert found["summary"]["B"]["intervals"] == 1
