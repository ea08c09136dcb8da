"""Means of segment scores: tests and intervals against scipy, gaps against sums made by hand."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from mtsig_core import InputError, SettingError, TestSet, compare
from mtsig_core.errors import format_count
from mtsig_core.metrics import list_metrics, resolve_metric
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.stats.intervals import fitting_intervals
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.resampling import BLOCK, bootstrap_weights, make_units
from mtsig_core.stats.significance import (
    CORRECTIONS,
    TESTS,
    decide_adjusted,
    fitting_tests,
    student_t,
    wilcoxon,
)
from mtsig_core.testset import SegmentScores
from tests.builders.rendered import (
    comparison_csv,
    comparison_html,
    comparison_json,
    comparison_latex,
    comparison_text,
)
from tests.builders.results import find_pair, list_codes, select_cautions
from tests.builders.toys import draw_swaps

NAN = float("nan")
QUICK = dict(trials=499, resamples=300)
N = 60
_STATSMODELS = {"bonferroni": "bonferroni", "holm": "holm", "bh": "fdr_bh", "by": "fdr_by"}


def rated(rows, documents=None, texts=False, higher=True):
    """A test set of human scores alone, or with texts; NaN is missing."""
    by_system = {name: [None if math.isnan(x) else x for x in row] for name, row in rows.items()}
    n = len(next(iter(by_system.values())))
    outputs = {name: [f"{name} says {k}" if texts else None for k in range(n)] for name in rows}
    references = {"ref": [f"A says {k}" for k in range(n)]} if texts else {}
    return TestSet(
        "toy",
        outputs,
        references,
        documents=documents,
        scores={"human": SegmentScores(by_system, higher)},
    )


def scores(seed=1, means=(74, 72, 70, 60), n=N, missing=0.0):
    rng = np.random.default_rng(seed)
    rows = np.rint(rng.normal(0, 9, n) + rng.normal(np.reshape(means, (-1, 1)), 6, (len(means), n)))
    rows[rng.random(rows.shape) < missing] = NAN
    return dict(zip("ABCD", rows, strict=False))


WHOLE, GAPS = scores(), scores(2, missing=0.25)
DOCUMENTS = [str(k // 4) for k in range(N)]


def human(testset, **settings):
    return compare(testset, ["human"], **{**QUICK, **settings}).metrics["human"]


class TestAgainstScipy:
    @pytest.mark.parametrize("rows", [WHOLE, GAPS], ids=["complete", "gaps"])
    def test_students_t_and_holm(self, rows):
        result = human(rated(rows), test="t", ci="t", unit="segment", alpha=0.1)
        raw = []
        for pair in result.pairs:
            d = rows[pair.a] - rows[pair.b]
            d = d[~np.isnan(d)]
            test = stats.ttest_1samp(d, 0)
            raw.append(test.pvalue)
            assert pair.p_value == pytest.approx(test.pvalue, rel=1e-9)
            assert (pair.ci_low, pair.ci_high) == pytest.approx(
                DescrStatsW(d).tconfint_mean(0.1), rel=1e-6
            )
            assert (pair.delta, pair.n) == (pytest.approx(d.mean(), rel=1e-9), len(d))
        adjusted = multipletests(raw, method="holm")[1]
        assert [pair.p_adjusted for pair in result.pairs] == pytest.approx(
            adjusted.tolist(), rel=1e-9
        )
        for system in result.systems:
            own = rows[system.system][~np.isnan(rows[system.system])]
            assert system.score == pytest.approx(own.mean(), rel=1e-9)
            assert (system.ci_low, system.ci_high) == pytest.approx(
                DescrStatsW(own).tconfint_mean(0.1), rel=1e-6
            )

    def test_wilcoxon_with_ties(self):
        for pair in human(rated(WHOLE), test="wilcoxon", unit="segment").pairs:
            d = WHOLE[pair.a] - WHOLE[pair.b]
            method = "exact" if np.count_nonzero(d) <= 50 else "asymptotic"
            expected = stats.wilcoxon(d, method=method)
            assert pair.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def lopsided(higher=True):
    """A beats B by about 1 on 188 of 200 segments and loses by 40 on 12: the mean favours B, the
    signed ranks A.
    """
    rng = np.random.default_rng(7)
    b = rng.integers(50, 60, 200).astype(float)
    a = b + np.where(np.arange(200) < 12, -40.0, rng.choice([0.8, 1.0, 1.2], 200))
    return rated({"A": a if higher else -a, "B": b if higher else -b}, higher=higher)


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_a_constant_difference_keeps_its_p_in_a_family(unit):
    """A is 0.3 better than B on every segment: no bootstrap sample says otherwise, in whatever
    family.
    """
    rng = np.random.default_rng(3)
    b, c = rng.normal(70, 9, 60), rng.normal(69, 9, 60)
    testset = rated({"A": b + 0.3, "B": b, "C": c}, documents=[str(k // 4) for k in range(60)])
    found = human(testset, test="bootstrap", correction="romano-wolf", unit=unit)
    pair = find_pair(found, "A", "B")
    assert (pair.p_value, pair.p_adjusted, pair.better) == (1 / 500, 1 / 500, "a")
    assert (pair.ci_joint_low, pair.ci_joint_high) == pytest.approx((0.3, 0.3)) and pair.mdd is None
    alone = human(
        testset.only(["A", "B"]), test="bootstrap", correction="romano-wolf", unit=unit
    ).pairs[0]
    assert (alone.p_value, alone.p_adjusted) == (1 / 500, 1 / 500)


class TestSides:
    @pytest.mark.parametrize("higher", [True, False])
    def test_no_system_is_better_where_ranks_and_mean_disagree(self, higher):
        testset = lopsided(higher)
        found = compare(testset, ["human"], test="wilcoxon", unit="segment", **QUICK)
        result = found.metrics["human"]
        (pair,) = result.pairs
        d = np.subtract(*testset.scores["human"].by_system.values())
        expected = stats.wilcoxon(d, method="asymptotic").pvalue
        assert pair.p_value == pytest.approx(expected, rel=1e-9)
        assert pair.p_value < 1e-15
        assert (pair.a, pair.favours, pair.better, pair.significant) == ("B", "b", None, False)
        assert [(row.rank_low, row.rank_high) for row in result.systems] == [(1, 2), (1, 2)]
        (caution,) = select_cautions(found, "split-decision")
        assert (caution.facts["pairs"], caution.facts["scores_equal"]) == ((("A", "B"),), False)
        assert not {"not-equal", "interval-and-decision"} & set(list_codes(found))
        said = paper_sentences(found, "human")
        assert "the signed ranks favour one system" in said
        assert "mtsig does not call either system better" in said
        assert "better than" not in said

    @pytest.mark.parametrize("seed", range(4))
    def test_wilcoxon_decides_for_the_side_of_its_rank_sum(self, seed):
        rng = np.random.default_rng(seed)
        rows = {
            name: rng.normal(0, 1, 80)
            + np.where(rng.random(80) < 0.06, rng.normal(-6 * k, 3, 80), 0.7 * k)
            for k, name in enumerate("ABCDE")
        }
        result, kinds = (
            human(rated(rows), test="wilcoxon", unit="segment", correction="none"),
            set(),
        )
        for pair in result.pairs:
            d = rows[pair.a] - rows[pair.b]
            ranks, p = (
                np.sign(d) @ stats.rankdata(np.abs(d)),
                stats.wilcoxon(d, method="asymptotic").pvalue,
            )
            expected = None if p > 0.05 or ranks * d.mean() <= 0 else "a" if ranks > 0 else "b"
            assert (pair.better, pair.favours is None) == (expected, ranks * d.mean() > 0)
            kinds.add((pair.favours is None, p <= 0.05))
        assert kinds >= {(True, True), (False, True)}

    def test_adjusted_p_decide_for_the_side_that_scores_better(self):
        (pair,) = human(lopsided(), test="t", unit="segment").pairs
        assert pair.better == "a"
        assert [decide_adjusted([pair], 1, np.array([p]), 0.05).tolist() for p in (0.05, 0.06)] == [
            [1],
            [0],
        ]

    def test_of_one_pair_every_test_says_which_way_it_points(self):
        found = examine_pair(
            lopsided(), "human", "A", "B", unit="segment", trials=199, resamples=200
        )
        sides = {one.test: (one.better, one.favours) for one in found.outcomes}
        assert sides["wilcoxon"] == (None, "a") and sides["t"] == sides["ar"] == ("b", None)

    def test_of_samples_the_side_is_that_of_most(self):
        drawn = np.array([[-1.0] * 97 + [200.0] * 3, [1.0] * 100])
        for test in ("percentile", "koehn"):
            assert TESTS[test].side(np.array([5.0, 1.0]), drawn).tolist() == [-1, 1]
        assert TESTS["bootstrap"].side(np.array([5.0, 1.0]), drawn).tolist() == [1, 1]


@pytest.mark.parametrize("test", [student_t, wilcoxon])
class TestBothTests:
    @pytest.mark.parametrize("row", [[0.0] * 5, [3.0, NAN, NAN], [NAN, NAN], [0.0, NAN, 0.0]])
    def test_nothing_to_see_gives_1(self, test, row):
        assert test(np.zeros(1), np.array([row])).tolist() == [1.0]

    def test_never_0(self, test):
        for row in ([2.0] * 40, np.linspace(1e6, 1e6 + 1, 5000)):
            assert 0 < test(np.zeros(1), np.array([row]))[0] < 1e-6

    @given(st.lists(st.integers(-9, 9), min_size=2, max_size=30), st.sampled_from([0.25, 3.0]))
    def test_neither_sides_nor_scale_nor_gaps_matter(self, test, values, scale):
        d = np.array([values], dtype=float)
        p = test(np.zeros(1), d)
        assert 0 < p[0] <= 1
        np.testing.assert_allclose(test(np.zeros(1), -d * scale), p, rtol=1e-9)
        np.testing.assert_allclose(test(np.zeros(1), np.insert(d, 1, NAN, axis=1)), p, rtol=1e-9)


def means_by_hand(rows, weights, a, b):
    """Means of the two on what both have, under weights."""
    both = ~np.isnan(rows[a]) & ~np.isnan(rows[b])
    return [(weights[both] * rows[name][both]).sum() / weights[both].sum() for name in (a, b)]


ODD = np.arange(N) % 2 == 1
#: A and C have no line in common; B has lines in common with both.
APART = {
    "A": np.where(ODD, WHOLE["A"], NAN),
    "B": WHOLE["B"],
    "C": np.where(ODD, NAN, WHOLE["C"]),
}


class TestGaps:
    """Every pair by itself, from the draws and the two rows."""

    def check(self, documents, unit):
        testset = rated(GAPS, documents)
        units = make_units(testset, unit)
        drawn = np.concatenate([bootstrap_weights(units, 0, block) for block in range(2)])[:499][
            :, units.index
        ]
        traded = np.concatenate([draw_swaps(units, 0, block) for block in range(2)])[:499][
            :, units.index
        ].astype(bool)
        by_ar, by_bootstrap = (
            human(testset, test=test, unit=unit, correction="none", ci="percentile")
            for test in ("ar", "bootstrap")
        )
        for one, other in zip(by_ar.pairs, by_bootstrap.pairs, strict=True):
            a, b = GAPS[one.a], GAPS[one.b]
            both = ~np.isnan(a) & ~np.isnan(b)
            d0 = a[both].mean() - b[both].mean()
            null = np.where(traded[:, both], (b - a)[both], (a - b)[both]).mean(axis=1)
            d = np.array(
                [np.subtract(*means_by_hand(GAPS, w.astype(float), one.a, one.b)) for w in drawn]
            )
            assert one.n == other.n == both.sum() < N
            assert one.delta == pytest.approx(d0) and one.se == pytest.approx(d[:300].std(ddof=1))
            assert (one.ci_low, one.ci_high) == pytest.approx(np.quantile(d[:300], [0.025, 0.975]))
            assert one.p_value == (np.sum(abs(null) >= abs(d0) - 1e-9) + 1) / 500
            assert other.p_value == (np.sum(abs(d - d.mean()) >= abs(d0) - 1e-9) + 1) / 500

    def test_by_segment(self):
        self.check(None, "segment")

    def test_by_document(self):
        self.check(DOCUMENTS, "document")

    def test_the_null_stays_joint(self):
        """Romano-Wolf by hand from the same swaps of all pairs."""
        testset = rated(GAPS)
        result = human(testset, trials=BLOCK, unit="segment")
        traded = draw_swaps(make_units(testset, "segment"), 0, 0).astype(bool)
        null, size = [], []
        for pair in result.pairs:
            d = GAPS[pair.a] - GAPS[pair.b]
            null.append(np.nanmean(np.where(traded, -d, d), axis=1))
            null[-1] /= null[-1].std()
            size.append(abs(pair.delta) / (np.nanmean(np.where(traded, -d, d), axis=1)).std())
        order, before = np.argsort(size)[::-1], 0
        for k, pair in enumerate(order):
            largest = np.abs(np.array(null)[order[k:]]).max(axis=0)
            before = max(before, (np.sum(largest >= size[pair] - 1e-9) + 1) / (BLOCK + 1))
            assert result.pairs[pair].p_adjusted == pytest.approx(before)

    def test_lines_nobody_rated_are_no_units(self):
        rows = {name: np.concatenate([row, np.full(40, NAN)]) for name, row in WHOLE.items()}
        assert human(rated(rows), ci="basic") == human(rated(WHOLE), ci="basic")

    def test_a_system_without_scores_is_left_out_and_said(self):
        found = compare(rated({**WHOLE, "E": np.full(N, NAN)}), ["human"], **QUICK)
        assert [row.system for row in found.metrics["human"].systems] == list("ABCD")
        (caution,) = select_cautions(found, "not-rated")
        assert caution.facts == {"names": ("E",), "n_systems": 5}
        with pytest.raises(SettingError, match="The baseline E has no score by human"):
            compare(rated({**WHOLE, "E": np.full(N, NAN)}), ["human"], baseline="E", **QUICK)

    @pytest.mark.parametrize("test", ["ar", "koehn", "percentile", "t", "wilcoxon"])
    def test_no_line_in_common(self, test):
        testset = rated(APART)
        found = compare(testset, ["human"], test=test, **QUICK)
        result = found.metrics["human"]
        pair = find_pair(result, "A", "C")
        assert (pair.n, pair.significant) == (0, False)
        unknown = (pair.p_value, pair.p_adjusted, pair.better, pair.ci_low, pair.se, pair.mdd)
        assert set(unknown) == {pair.win} == {None}
        means = {name: np.nanmean(row) for name, row in APART.items()}
        assert pair.delta == pytest.approx(means[pair.a] - means[pair.b])  # what there is
        assert {"no-common-line", "rated-on-different-lines"} <= set(list_codes(found))
        for other in result.tested:  # each from its own rows
            assert other.n == N // 2
            assert other.delta == pytest.approx(np.nanmean(APART[other.a] - APART[other.b]))
        for write in (comparison_text, comparison_html, comparison_latex, comparison_csv):
            assert "nan" not in write(found).lower()
        assert paper_sentences(found, "human")
        with pytest.raises(SettingError, match="A and C have no line in common"):
            examine_pair(testset, "human", "A", "C", **QUICK)

    @pytest.mark.parametrize(
        "settings", [dict(correction=name) for name in CORRECTIONS] + [dict(baseline="A")]
    )
    def test_a_pair_without_a_common_line_is_neither_tested_nor_counted(self, settings):
        """B has a line in common with A and with C, which have none: a family of two, of one
        against A.
        """
        found = compare(rated(APART), ["human"], **QUICK | settings)
        result, m = found.metrics["human"], 1 if "baseline" in settings else 2
        tested = [pair for pair in result.pairs if pair.n]
        assert list(result.tested) == tested
        assert len(tested) == m
        adjust = _STATSMODELS.get(settings.get("correction"))
        if adjust is not None:
            expected = multipletests([pair.p_value for pair in tested], method=adjust)[1]
            assert [pair.p_adjusted for pair in tested] == pytest.approx(expected.tolist())
        assert f"|pairs:{m}|" in result.signature
        assert f" of {format_count(m, 'pair')} significant" in repr(result)
        assert all(caution.facts["m"] == m for caution in select_cautions(found, "not-equal"))
        if m == 2:  # each tested pair from either side
            assert sum(map(sum, result.tally().values())) == 4

    @pytest.mark.parametrize("ci", ["percentile", "basic", "jackknife-t", "t"])
    def test_samples_without_any_score(self, ci):
        """A system with one score: a third of the samples have none, and no interval is NaN."""
        rows = {"A": WHOLE["A"], "B": np.where(np.arange(N) == 7, WHOLE["B"], NAN)}
        found = compare(rated(rows), ["human"], ci=ci, **QUICK)
        row = next(row for row in found.metrics["human"].systems if row.system == "B")
        assert (row.score, row.ci_low, row.ci_high) == (WHOLE["B"][7], None, None)
        (pair,) = found.metrics["human"].pairs
        assert (pair.n, pair.p_value) == (1, 1) and "nan" not in comparison_json(found).lower()
        assert "few-common-lines" in list_codes(found)


class TestOnlyForMeans:
    @pytest.mark.parametrize("asked", [dict(test="t"), dict(test="wilcoxon"), dict(ci="t")])
    def test_refused_for_bleu(self, asked):
        with pytest.raises(
            SettingError, match="is only for means of segment scores .*, and bleu is a score"
        ):
            compare(rated(WHOLE, texts=True), ["human", "bleu"], **QUICK, **asked)

    def test_bleu_needs_texts(self):
        with pytest.raises(
            SettingError, match="Metric 'bleu' needs texts, and toy has only segment scores: human"
        ):
            compare(rated(WHOLE), **QUICK)
        assert (
            list_metrics(rated(WHOLE)) == ["human"]
            and list_metrics(rated(WHOLE, texts=True))[0] == "human"
        )

    def test_a_name_that_is_taken(self):
        taken = dataclasses.replace(rated(WHOLE), scores={"bleu": SegmentScores({"A": [1.0] * N})})
        with pytest.raises(SettingError, match="called bleu, as a metric of mtsig is"):
            resolve_metric(taken, "bleu")


@pytest.mark.parametrize("rows", [WHOLE, GAPS], ids=["complete", "gaps"])
@pytest.mark.parametrize("documents", [None, DOCUMENTS], ids=["segments", "documents"])
def test_examine_pair_gives_what_compare_gives(rows, documents):
    more = {
        name: np.append(row, [NAN] * 4) for name, row in rows.items()
    }  # a document that nobody rated
    testset = rated(more, documents and [*documents, *["last"] * 4])
    found = examine_pair(testset, "human", "C", "A", trials=499, resamples=300)
    assert [o.test for o in found.outcomes] == list(fitting_tests(True))
    assert list(found.intervals) == list(fitting_intervals(True))
    for outcome in found.outcomes:
        unit = "segment" if TESTS[outcome.test].of_segments else "auto"
        pair = find_pair(human(testset, test=outcome.test, unit=unit), "A", "C")
        assert (outcome.p_value, found.n) == (pair.p_value, pair.n)
    for kind, ends in found.intervals.items():
        unit = "segment" if kind == "t" else "auto"
        pair = find_pair(human(testset, ci=kind, unit=unit), "A", "C")
        theirs = sorted(map(abs, (pair.ci_low, pair.ci_high)))
        assert sorted(map(abs, ends)) == pytest.approx(theirs, rel=1e-6)
    d = np.append(rows["C"] - rows["A"], [NAN] * 4)
    known = np.flatnonzero(~np.isnan(d))
    assert len(found.by_segment) == N + 4
    assert not np.delete(found.by_segment, known).any()
    without = np.nanmean(np.delete(d, known[3]))
    assert found.by_segment[known[3]] == pytest.approx(found.delta - without, rel=1e-9)


class TestScales:
    """The same scores in another unit are the same comparison."""

    @pytest.mark.parametrize("power", [-330, 320])
    @pytest.mark.parametrize("test", TESTS)
    @pytest.mark.parametrize("rows", [WHOLE, GAPS], ids=["whole", "gaps"])
    def test_any_unit(self, rows, test, power):
        settings = dict(test=test, unit="segment", ci="bca")
        once = human(rated(rows), **settings)
        again = human(rated({name: row * 2.0**power for name, row in rows.items()}), **settings)
        for one, other in zip(once.pairs, again.pairs, strict=True):
            for name in ("delta", "ci_low", "ci_high", "se", "mdd"):
                assert getattr(other, name) == pytest.approx(
                    2.0**power * getattr(one, name), rel=1e-9, abs=0
                )
            assert (other.p_value, other.p_adjusted, other.win, other.lose, other.better) == (
                one.p_value,
                one.p_adjusted,
                one.win,
                one.lose,
                one.better,
            )
        assert [s.rank_high for s in again.systems] == [s.rank_high for s in once.systems]

    @pytest.mark.parametrize("test", ["ar", "bootstrap", "t", "wilcoxon"])
    def test_what_rounding_leaves_is_no_difference(self, test):
        (pair,) = human(
            rated({"A": np.full(N, 0.1 + 0.2), "B": np.full(N, 0.3)}), test=test, unit="segment"
        ).pairs
        assert pair.p_value == 1

    @pytest.mark.parametrize("largest", [1e-101, 1e101, 1e300, 1e-300])
    def test_what_has_no_squares_is_refused(self, largest):
        with pytest.raises(InputError, match="Expected a size between 1e-100 and 1e[+]100"):
            human(rated({"A": np.full(N, largest), "B": np.zeros(N)}))


def test_metrics_that_name_different_top_groups_say_so():
    rows = scores(1, (80, 70, 60))
    turned = {name: -row for name, row in rows.items()}
    both = dataclasses.replace(
        rated(rows),
        scores={"human": rated(rows).scores["human"], "COMET": rated(turned).scores["human"]},
    )
    found = compare(both, ["human", "COMET"], **QUICK)
    (caution,) = select_cautions(found, "top-groups-differ")
    assert caution.facts["groups"] == (
        {"systems": ("A",), "metrics": ("human",)},
        {"systems": ("C",), "metrics": ("COMET",)},
    )
    assert caution.text in paper_sentences(found, "human")
    assert caution.text in comparison_text(found).partition("human (")[0]
    alike = dataclasses.replace(
        both, scores={"human": both.scores["human"], "COMET": both.scores["human"]}
    )
    assert not select_cautions(compare(alike, ["human", "COMET"], **QUICK), "top-groups-differ")
