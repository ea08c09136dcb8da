"""`compare` as a whole."""

import dataclasses
import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import stats

from mtsig_core import Cancelled, SettingError, compare
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores
from mtsig_core.stats.intervals import fitting_intervals
from mtsig_core.stats.ranks import decision_matrix, rank_intervals
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import fitting_tests
from tests.builders.cases import brief
from tests.builders.results import find_pair
from tests.builders.toys import Given, bleu, bleu_counts, compare_given, mean, segment_scores, toy

QUICK = dict(trials=199, resamples=100)
COUNTS, DOCUMENTS = bleu_counts(seed=31, qualities=[0.1, 0.3, 0, 0.12], n_segments=150)
SCORES = segment_scores(seed=32, means=[60, 64, 62, 59], n_segments=150)

TESTS = fitting_tests(False)
TESTED = [dict(test=test) for test in TESTS]
CORRECTED = [dict(correction=correction) for correction in ("none", "bonferroni", "bh")]
UNITS = [dict(unit=unit) for unit in ("segment", "block")]
SETTINGS = [*TESTED, *CORRECTED, *UNITS, *[dict(ci=ci) for ci in fitting_intervals(False)]]
METRICS = [(COUNTS, bleu), (SCORES, mean)]


def of_pair(result, one, other):
    """The pair of two systems, and 1 if it has them in this order, else -1."""
    pair = find_pair(result, one, other)
    return pair, 1 if pair.a == one else -1


class TestWhatIsReported:
    @pytest.fixture(params=[0, 1], ids=["whole numbers", "real numbers"])
    def statistics(self, request):
        return METRICS[request.param]

    def test_systems_come_best_first(self, statistics):
        counts, rule = statistics
        result = compare_given(counts, rule, **QUICK)
        scores = rule(counts.sum(axis=1))
        assert [row.system for row in result.systems] == ["ABCD"[k] for k in np.argsort(-scores)]
        assert [row.score for row in result.systems] == pytest.approx(
            np.sort(scores)[::-1], abs=1e-5
        )

    def test_pairs_are_all_there_with_the_better_scoring_first(self, statistics):
        result = compare_given(*statistics, **QUICK)
        names = [row.system for row in result.systems]
        score = {row.system: row.score for row in result.systems}
        assert [(pair.a, pair.b) for pair in result.pairs] == list(itertools.combinations(names, 2))
        assert all(pair.delta == score[pair.a] - score[pair.b] >= 0 for pair in result.pairs)

    @pytest.mark.parametrize("test", TESTS)
    def test_decisions_are_the_adjusted_p_against_alpha(self, statistics, test):
        result = compare_given(*statistics, test=test, alpha=0.1, **QUICK)
        for pair in result.pairs:
            if test == "koehn":
                assert pair.p_value is None and pair.p_adjusted is None
                assert pair.significant == (max(pair.win, pair.lose) >= 0.9)
            else:
                assert pair.win is None and pair.lose is None
                assert pair.p_adjusted >= pair.p_value
                assert pair.significant == (pair.p_adjusted <= 0.1)
            assert pair.better == ("a" if pair.significant else None)

    @pytest.mark.parametrize(
        "asked", [*TESTED, *(dict(correction=c) for c in ("none", "bh", "bonferroni"))], ids=str
    )
    def test_rank_intervals_follow_from_joint_decisions_whatever_correction_the_pairs_get(
        self, statistics, asked
    ):
        enough = {**QUICK, "trials": 299}  # for ranks by holm
        result = compare_given(*statistics, **enough, **asked)
        if asked == dict(test="koehn"):
            assert {(row.rank_low, row.rank_high) for row in result.systems} == {(None, None)}
            return
        pairs = np.array(list(itertools.combinations(range(4), 2)))
        joint = compare_given(
            *statistics, **enough, test=asked.get("test", "ar")
        )  # romano-wolf or holm
        low, high = rank_intervals(
            decision_matrix(4, pairs, np.array([pair.significant for pair in joint.pairs]))
        )
        assert [row.rank_low for row in result.systems] == low.tolist()
        assert [row.rank_high for row in result.systems] == high.tolist()

    def test_standard_errors_by_document_and_by_segment(self, statistics):
        by_document = compare_given(*statistics, DOCUMENTS, unit="document", **QUICK)
        by_segment = compare_given(*statistics, DOCUMENTS, unit="segment", **QUICK)
        by_block = compare_given(*statistics, DOCUMENTS, unit="block", **QUICK)
        for pairs in zip(by_document.pairs, by_segment.pairs, by_block.pairs, strict=True):
            ratio = pairs[0].se / pairs[1].se
            assert [pair.se_ratio for pair in pairs] == pytest.approx([ratio] * 3)
            assert ratio != pytest.approx(1, abs=0.001)
        assert all(pair.se_ratio is None for pair in compare_given(*statistics, **QUICK).pairs)

    def test_standard_errors_are_those_of_the_resamples(self, statistics):
        counts, rule = statistics
        data = UnitStatistics(Given({}, rule), counts, Units("segment", np.arange(150), 150))
        drawn = dict(zip("ABCD", bootstrap_scores(data, 20, seed=0), strict=True))
        for pair in compare_given(counts, rule, trials=99, resamples=20).pairs:
            assert pair.se == pytest.approx(np.std(drawn[pair.a] - drawn[pair.b], ddof=1))

    def test_minimum_detectable_difference(self, statistics):
        for alpha in (0.05, 0.1):
            for pair in compare_given(*statistics, alpha=alpha, **QUICK).pairs:
                se, freedom = (
                    pair.se * np.sqrt(pair.n_units / (pair.n_units - 1)),
                    pair.n_effective - 1,
                )
                assert pair.mdd == pytest.approx(
                    se * (stats.t.isf(alpha / 2, freedom) + stats.t.isf(0.2, freedom))
                )

    def test_the_signature_names_every_setting(self):
        signature = compare_given(
            COUNTS,
            bleu,
            DOCUMENTS,
            unit="block",
            block_length=7,
            test="percentile",
            correction="by",
            ci="basic",
            alpha=0.1,
            seed=9,
            **QUICK,
        ).signature
        for part in (
            "test:percentile",
            "unit:block[7]",
            "trials:199",
            "ci:basic",
            "resamples:100",
            "correction:by",
            "alpha:0.1",
            "seed:9",
        ):
            assert f"|{part}" in signature

    def test_the_signature_names_the_family(self):
        n = len(COUNTS)
        every, one = (
            compare_given(COUNTS, baseline=baseline, **QUICK).signature for baseline in (None, "B")
        )
        assert f"|pairs:{n * (n - 1) // 2}|" in every and "baseline" not in every
        assert f"|pairs:{n - 1}|baseline:B|" in one


class TestInvariance:
    @pytest.mark.parametrize("asked", brief(5, SETTINGS), ids=str)
    @pytest.mark.parametrize("statistics, rule", METRICS, ids=["whole numbers", "real numbers"])
    def test_the_order_of_the_systems_does_not_matter(self, statistics, rule, asked):
        result = compare_given(statistics, rule, DOCUMENTS, **QUICK, **asked)
        order, names = [2, 0, 3, 1], dict(zip("ABCD", "CADB", strict=True))
        other = compare_given(statistics[order], rule, DOCUMENTS, **QUICK, **asked)
        renamed = tuple(dataclasses.replace(row, system=names[row.system]) for row in other.systems)
        assert renamed == result.systems
        assert (
            tuple(dataclasses.replace(p, a=names[p.a], b=names[p.b]) for p in other.pairs)
            == result.pairs
        )

    @pytest.mark.parametrize("asked", SETTINGS, ids=str)
    def test_other_systems_change_nothing_but_what_is_adjusted(self, asked):
        def alone(pair):
            return dataclasses.replace(
                pair,
                p_adjusted=None,
                significant=False,
                better=None,
                ci_joint_low=None,
                ci_joint_high=None,
                decidable=True,
                mdd=None,
                mdd_low=None,
                mdd_high=None,
                mdd_family=None,
            )

        many = compare_given(COUNTS, bleu, DOCUMENTS, **QUICK, **asked)
        two = compare_given(COUNTS[:2], bleu, DOCUMENTS, **QUICK, **asked)
        assert alone(of_pair(many, "A", "B")[0]) == alone(two.pairs[0])

    @pytest.mark.parametrize("asked", [*TESTED, dict(unit="block"), dict(ci="bca")], ids=str)
    def test_nor_do_workers(self, asked):
        def result(jobs):
            return compare_given(
                COUNTS, bleu, DOCUMENTS, jobs=jobs, trials=999, resamples=600, **asked
            )

        assert result(jobs=1) == result(jobs=2)

    def test_seeds(self):
        def p(**seed):
            return [pair.p_value for pair in compare_given(SCORES, mean, **QUICK, **seed).pairs]

        assert p() == p(seed=0) != p(seed=1)


class TestLowerIsBetter:
    """Errors are 100 less the scores: everything but the sign stays."""

    ERRORS = np.stack([100 - SCORES[..., 0], SCORES[..., 1]], axis=-1)

    @pytest.mark.parametrize("asked", [*TESTED, *CORRECTED], ids=str)
    def test_mirrors_higher_is_better(self, asked):
        up = compare_given(SCORES, mean, DOCUMENTS, **QUICK, **asked)
        down = compare_given(self.ERRORS, mean, DOCUMENTS, higher_is_better=False, **QUICK, **asked)
        assert [row.system for row in down.systems] == [row.system for row in up.systems]
        assert [(row.rank_low, row.rank_high) for row in down.systems] == [
            (row.rank_low, row.rank_high) for row in up.systems
        ]
        for d, u in zip(down.pairs, up.pairs, strict=True):
            assert d.delta == pytest.approx(-u.delta) and d.delta <= 0
            assert (d.a, d.b, d.better, d.significant, d.p_value, d.p_adjusted, d.win, d.lose) == (
                u.a,
                u.b,
                u.better,
                u.significant,
                u.p_value,
                u.p_adjusted,
                u.win,
                u.lose,
            )
            assert (d.ci_low, d.ci_high) == pytest.approx((-u.ci_high, -u.ci_low))


class TestIdenticalSystems:
    @pytest.mark.parametrize("test", TESTS)
    @pytest.mark.parametrize("statistics, rule", METRICS, ids=["whole numbers", "real numbers"])
    def test_p_is_1(self, test, statistics, rule):
        result = compare_given(statistics[[0, 1, 0]], rule, DOCUMENTS, test=test, **QUICK)
        pair, _ = of_pair(result, "A", "C")
        if test == "koehn":
            assert (pair.win, pair.lose) == (0, 0)
        else:
            assert (pair.p_value, pair.p_adjusted) == (1, 1)
        assert (pair.delta, pair.ci_low, pair.ci_high, pair.se, pair.mdd) == (0, 0, 0, 0, None)
        assert (pair.significant, pair.better, pair.se_ratio) == (False, None, None)


class TestBaseline:
    @pytest.mark.parametrize("baseline", "ABCD")
    def test_only_pairs_with_it(self, baseline):
        result = compare_given(COUNTS, baseline=baseline, **QUICK)
        others = [row.system for row in result.systems if row.system != baseline]
        assert [(pair.a, pair.b) for pair in result.pairs] == [(name, baseline) for name in others]
        assert {(row.rank_low, row.rank_high) for row in result.systems} == {(None, None)}

    @pytest.mark.parametrize("test", TESTS)
    def test_same_as_in_the_full_comparison(self, test):
        full = compare_given(COUNTS, test=test, correction="none", **QUICK)
        for pair in compare_given(
            COUNTS, test=test, correction="none", baseline="A", **QUICK
        ).pairs:
            same, sign = of_pair(full, pair.a, "A")
            assert (pair.delta, pair.p_value, pair.se) == (sign * same.delta, same.p_value, same.se)
            assert (pair.win, pair.lose) == (
                (same.win, same.lose) if sign == 1 else (same.lose, same.win)
            )
            assert pair.better == (
                same.better if sign == 1 else {"a": "b", "b": "a", None: None}[same.better]
            )


class TestMetrics:
    TESTSET = toy(2, 20)

    def test_by_name_and_as_objects(self):
        by_name = compare(self.TESTSET, ["bleu"], **QUICK)
        assert by_name == compare(self.TESTSET, [Bleu()], **QUICK) == compare(self.TESTSET, **QUICK)

    @pytest.mark.parametrize(
        "metrics, came",
        [
            ([], "none"),
            (["bleu", "bleu"], "bleu, bleu"),
            ([Bleu(), Bleu(lowercase=True)], "bleu, bleu"),
        ],
    )
    def test_each_once(self, metrics, came):
        with pytest.raises(
            SettingError, match=f"metrics are {came}. Expected at least one, each only once"
        ):
            compare(self.TESTSET, metrics, **QUICK)


class TestProgress:
    @pytest.mark.parametrize(
        "test, stages",
        [
            ("ar", ["counting", "intervals", "test", "standard errors by segment"]),
            ("bootstrap", ["counting", "intervals", "standard errors by segment"]),
        ],
    )
    def test_each_stage_goes_on_to_its_end(self, test, stages):
        seen = {}
        compare_given(
            COUNTS,
            bleu,
            DOCUMENTS,
            test=test,
            trials=999,
            resamples=999,
            progress=lambda stage, share: seen.setdefault(stage, []).append(share),
        )
        assert sorted(seen) == sorted(f"given: {stage}" for stage in stages)
        assert seen.pop("given: counting") == [0, 1]
        for shares in seen.values():
            assert len(shares) == 4 and shares[-1] == 1
            assert np.all(np.diff(shares) > 0)

    @pytest.mark.parametrize("jobs", [1, 2])
    @pytest.mark.filterwarnings("error")
    def test_cancelled_reaches_the_caller(self, jobs):
        def stop(stage, share):
            calls.append(share)
            if stage == "given: test" and share > 0.1:
                raise Cancelled("enough")

        calls = []
        with pytest.raises(Cancelled, match="enough"):
            compare_given(COUNTS, trials=9999, resamples=100, jobs=jobs, progress=stop)
        assert calls == [0, 1, 1, *(pytest.approx(k * 256 / 9999) for k in (1, 2, 3, 4))]


@pytest.mark.long
@pytest.mark.parametrize("test", ["ar", "percentile"])  # swaps, bootstrap samples
def test_memory_is_that_of_one_table_of_replicates(test):
    """780 pairs x 9,999 trials are 62 MB; a second copy would not let 100 systems be compared in 1
    GB.
    """
    counts, _ = bleu_counts(seed=40, qualities=np.zeros(40), n_segments=50)
    compare_given(counts[:2], test=test, **QUICK)
    tracemalloc.start()
    try:
        compare_given(counts, test=test, trials=9999, resamples=500)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * 780 * 9999 * 8
