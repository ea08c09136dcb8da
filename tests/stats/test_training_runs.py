"""Training runs: stratified approximate randomization, and the spread between runs apart from that
of the test set.
"""

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu
from scipy.stats import chi2

from mtsig_core import Comparison, InputError, SettingError, TestSet, compare, draw, score
from mtsig_core.metrics import part_counter, resolve_metric
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.results import SystemRuns
from mtsig_core.stats.decisions import pair_runs, smallest_stable_difference, spread_interval
from mtsig_core.testset import SegmentScores
from pages._store.kept_sets import pack, unpack
from tests.builders.results import list_codes, select_cautions
from tests.builders.toys import pair_result, texts

QUICK = dict(trials=199, resamples=100)
REFERENCE, OUTPUTS = texts(5, [0.3, 0.33, 0.4, 0.36, 0.5], 12)
A, A2, B, B2, C = OUTPUTS
DOCUMENTS = [f"d{k // 2}" for k in range(12)]
SET = TestSet(
    "tuned", {"A": A, "B": B}, {"ref": REFERENCE}, documents=DOCUMENTS, runs={"A": [A2], "B": [B2]}
)


def points(output):
    return sacrebleu.corpus_bleu(output, [REFERENCE]).score


def only_pair(testset, **asked):
    result = compare(testset, **QUICK, **asked).metrics["bleu"]
    return result.pairs[0], result


def test_p_is_that_of_all_swaps_of_whole_documents_for_all_runs_at_once():
    pair, result = only_pair(SET)
    assert result.exact and result.trials == 2**6 - 1

    def difference(swapped):
        rows = [k // 2 in swapped for k in range(12)]
        sides = [
            [b if s else a for a, b, s in zip(x, y, rows, strict=True)]
            for x, y in ((A, B), (A2, B2), (B, A), (B2, A2))
        ]
        return np.mean([points(side) for side in sides[:2]]) - np.mean(
            [points(side) for side in sides[2:]]
        )

    every = [difference(some) for n in range(7) for some in itertools.combinations(range(6), n)]
    assert abs(pair.delta) == pytest.approx(abs(every[0]))
    assert pair.p_value == np.mean(np.abs(every) >= abs(every[0]) - 1e-9)


def test_the_same_runs_twice_decide_as_once():
    """Coins for each run apart, as MultEval tosses them, would take copies of an output for further
    evidence.
    """
    once, found = only_pair(replace(SET, runs={}))
    twice, again = only_pair(replace(SET, runs={"A": [A], "B": [B]}))
    assert replace(twice, se_ratio=once.se_ratio) == once
    assert again.systems == found.systems
    assert [row.sd for row in again.runs] == [0, 0] and found.runs == ()


def test_a_run_that_copies_another_is_told():
    for runs, copied in (
        ({"A": [A2], "B": [B2]}, []),
        ({"A": [A, A2], "B": [B2, B2]}, ["A", "B"]),
        ({"A": [A2], "B": [B]}, ["B"]),
    ):
        found = compare(replace(SET, runs=runs), **QUICK)
        assert [
            caution.a for caution in found.warnings if caution.code == "identical-runs"
        ] == copied


def test_what_people_scored_is_one_output_of_a_system_whatever_its_runs():
    people = SegmentScores(
        {"A": [float(k) for k in range(12)], "B": [float(k % 5) for k in range(12)]}, True
    )
    rated, found = replace(SET, scores={"human": people}), {}
    for testset in (rated, replace(rated, runs={})):
        found[bool(testset.runs)] = compare(testset, ["human", "bleu"], **QUICK)
    assert found[True].metrics["human"] == found[False].metrics["human"]
    assert found[True].metrics["bleu"].runs and not found[True].metrics["human"].runs
    assert "runs-not-rated" in list_codes(found[True])


def test_scores_are_means_and_the_spread_is_that_of_the_runs():
    _, result = only_pair(SET, alpha=0.1)
    for name, outputs in (("A", [A, A2]), ("B", [B, B2])):
        scores = [points(output) for output in outputs]
        (row,) = (row for row in result.runs if row.system == name)
        assert row.scores == pytest.approx(scores)
        assert row.sd == pytest.approx(np.std(scores, ddof=1))
        assert (row.sd_low, row.sd_high) == pytest.approx(
            [row.sd / np.sqrt(chi2.ppf(level, 1)) for level in (0.95, 0.05)]
        )
        assert next(row.score for row in result.systems if row.system == name) == pytest.approx(
            np.mean(scores)
        )
    (pair,) = result.pair_runs
    spread = {row.system: row.sd for row in result.runs}
    assert pair.se_runs == pytest.approx(np.sqrt(spread["A"] ** 2 / 2 + spread["B"] ** 2 / 2))
    n = result.pairs[0].n_effective
    variances = np.array(
        [pair.se_testset**2 * n / (n - 1), *(spread[name] ** 2 / 2 for name in "AB")]
    )
    freedom = np.array([result.pairs[0].n_effective - 1, 1, 1])
    assert pair.se_total == pytest.approx(np.sqrt(variances.sum()))
    assert pair.df_total == pytest.approx(variances.sum() ** 2 / sum(variances**2 / freedom))
    assert pair.se_testset == result.pairs[0].se


def test_bootstrap_samples_are_the_same_for_all_runs():
    together = draw(SET, **QUICK)
    apart = TestSet(
        "apart", {"A": A, "A2": A2, "B": B, "B2": B2}, {"ref": REFERENCE}, documents=DOCUMENTS
    )
    single = draw(apart, **QUICK)
    single_scores = dict(zip(single.by_metric["bleu"].names, single.scores("bleu"), strict=True))
    names = together.by_metric["bleu"].names
    for name, scores in zip(names, together.scores("bleu"), strict=True):
        expected = (single_scores[name] + single_scores[f"{name}2"]) / 2
        np.testing.assert_allclose(scores, expected)


def test_a_system_with_one_run_beside_others_with_several():
    both = replace(SET, runs={"A": [A2]})
    pair, result = only_pair(both)
    rows = {row.system: row for row in result.runs}
    assert rows["B"].scores == pytest.approx([points(B)]) and rows["B"].sd is None
    assert rows["A"].sd > 0 and result.pair_runs[0].se_total is None
    assert abs(pair.delta) == pytest.approx(abs((points(A) + points(A2)) / 2 - points(B)))
    facts = {caution.code: caution.facts for caution in compare(both, **QUICK).warnings}
    assert facts["single-run"] == {"names": ("B",)} and "training-runs" in facts


def test_significant_for_these_runs_alone_is_said():
    """Two runs far apart on both sides: the test of the test set decides, a new training may turn
    it.
    """
    ref, (good, bad, fair, poor) = texts(7, [0.1, 0.5, 0.3, 0.6], 150)
    ts = TestSet("far", {"A": good, "B": fair}, {"ref": ref}, runs={"A": [bad], "B": [poor]})
    result = compare(ts, **QUICK)
    assert result.metrics["bleu"].pairs[0].significant
    (warning,) = select_cautions(result, "runs-may-turn")
    assert (warning.a, warning.b) == ("A", "B") and warning.facts["errors"] < warning.facts[
        "needed"
    ]


def test_interval_of_a_spread_covers_it():
    """Closed form against draws: 95% of intervals from four normal runs hold the true SD of 1; the
    band is 5 SD.
    """
    rows = np.random.default_rng(1).normal(size=(4000, 4)).std(axis=1, ddof=1)
    low, high = np.array([spread_interval(sd, 4) for sd in rows]).T
    assert np.mean((low <= 1) & (high >= 1)) == pytest.approx(
        0.95, abs=5 * np.sqrt(0.95 * 0.05 / 4000)
    )


def test_standard_error_of_both_is_that_of_new_test_sets_and_new_runs():
    """Units and runs drawn anew each time, by a mean of segment scores: the sum of variances is
    true to 15%.
    """
    rng = np.random.default_rng(2)
    units, runs, worlds = 60, 3, 400
    segment = rng.normal(0, 1, (worlds, units, 1))
    scores = (
        segment + rng.normal(0, 0.15, (worlds, 1, runs)) + rng.normal(0, 0.3, (worlds, units, runs))
    )
    mean = scores.mean(axis=1)
    over_test_sets = scores.mean(axis=2).var(axis=1, ddof=1) / units
    between = mean.var(axis=1, ddof=1) / runs
    true = mean.mean(axis=1).var(ddof=1)
    assert np.mean(over_test_sets + between) == pytest.approx(true, rel=0.25)
    assert np.mean(over_test_sets) < 0.75 * true  # alone it would be far too small


class TestFiles:
    def test_json_is_read_back_and_has_no_runs_without(self):
        found = compare(SET, **QUICK)
        assert Comparison.from_json(found.render("json")) == found
        assert '"runs"' not in compare(replace(SET, runs={}), **QUICK).render("json")


class TestTestSet:
    @pytest.mark.parametrize(
        "runs, said",
        [
            ({"Z": [A]}, "run of 'Z', which is no system"),
            ({"A": [A[:5]]}, "run 2 of A has 5 segments"),
            ({"A": [A2], "B": [B2, C]}, "unequal numbers of training runs: A 2, B 3"),
            ({"A": "text"}, "runs of A"),
            ({"A": [[1] * 12]}, "run 2 of A"),
        ],
    )
    def test_broken(self, runs, said):
        with pytest.raises(InputError, match=said):
            replace(SET, runs=runs)

    def test_runs_go_with_their_systems_and_segments(self):
        assert dict(SET.only(["A"]).runs) == {"A": (tuple(A2),)}
        assert SET.take([3, 1]).runs["B"] == ((B2[3], B2[1]),)
        assert SET.digest != replace(SET, runs={}).digest != replace(SET, runs={"A": [A2]}).digest
        for copy in (pickle.loads(pickle.dumps(SET)), unpack(pack(SET), "tuned")):
            assert copy.digest == SET.digest and copy.runs == SET.runs
        assert b"runs" not in pack(replace(SET, runs={}))

    def test_a_hostile_name_is_no_other_run(self):
        named = replace(SET, systems={"A": A, "2 A": B}, runs={"A": [A2], "2 A": [B2]})
        assert score(named).metrics["bleu"].systems[0].score == pytest.approx(
            (points(A) + points(A2)) / 2
        )

    def test_a_metric_that_needs_the_test_set_counts_parts_anew(self):
        """Whatever the metric does to count parts faster: it would do it for the first runs
        alone.
        """

        class Weighed(Bleu):
            depends_on_testset = True

            def statistics(self, testset, progress=None):
                return super().statistics(testset) * testset.n_segments

            def parts(self, testset):
                raise AssertionError

        metric, part = resolve_metric(SET, Weighed()), [0, 1, 2]
        counted = part_counter(metric, SET, metric.statistics(SET))(np.array(part))
        first, second = (
            Bleu().statistics(TestSet("", {"A": a, "B": b}, {"ref": REFERENCE}).take(part)) * 3
            for a, b in ((A, B), (A2, B2))
        )
        np.testing.assert_array_equal(counted, np.concatenate([first, second], axis=2))

    def test_parses_are_not_of_runs(self):
        with pytest.raises(SettingError, match="training runs have none"):
            compare(SET, "dep-f")


@pytest.mark.parametrize("sds, t", [((1.0, 1.0), 4.303), ((1.0, 0.0), 12.706)])
def test_what_two_runs_leave_open_depends_on_both_spreads(sds, t):
    """docs/statistics.md: of two runs each, t is 4.3 if both systems vary alike, and up to 12.7 if
    one varies more.
    """
    pair = pair_result("A", "B", 1.0, se=1e-9, n_units=200, n_effective=200.0)
    runs = [
        SystemRuns(name, (30.0, 30.0), sd, None, None) for name, sd in zip("AB", sds, strict=True)
    ]
    (row,) = pair_runs([pair], runs)
    assert smallest_stable_difference(row, 0.05) / row.se_total == pytest.approx(t, rel=0.005)
