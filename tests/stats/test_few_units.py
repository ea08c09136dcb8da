"""Few units: all swaps in place of random ones, against enumeration by loops; what so few of them
can decide.
"""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

from mtsig_core import Comparison, TestSet, compare, examine_pair, plan
from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.sweeps import sweep_sizes
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.report.caution_words import explain_no_decision
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.sentences import (
    describe_control,
    describe_undecided,
    keeps_its_level,
    state_verdict,
    summarize_comparison,
)
from mtsig_core.report.tables import by_reference_table
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.arrays import apply_to_known
from mtsig_core.stats.cautions import about_intervals
from mtsig_core.stats.draws import score_over_domains
from mtsig_core.stats.engine import (
    ENOUGH,
    UnitStatistics,
    all_pairs,
    count_differing_units,
    measure,
)
from mtsig_core.stats.few_units import find_freedom, least_of_blocks
from mtsig_core.stats.pair import equivalence
from mtsig_core.stats.power import cannot_plan, degrees_of_freedom
from mtsig_core.stats.ranks import find_other_leaders, find_top_group, has_clear_winner
from mtsig_core.stats.resampling import Units, effective_number
from mtsig_core.stats.significance import fitting_tests, romano_wolf
from mtsig_core.task import Task
from tests.builders.rendered import comparison_json
from tests.builders.results import find_pair, list_codes, select_cautions
from tests.builders.score_tables import rated_systems
from tests.builders.toys import bleu, bleu_counts, compare_given, texts

NAN = float("nan")
QUICK = dict(trials=999, resamples=200)


def all_differences(by_unit, rule, a, b):
    """Differences of two systems after each of the 2^n swaps of units, none swapped first."""
    found = []
    for coins in itertools.product([False, True], repeat=by_unit.shape[1]):
        traded = np.array(coins)[:, None]
        first = np.where(traded, by_unit[b], by_unit[a]).sum(axis=0)
        second = np.where(traded, by_unit[a], by_unit[b]).sum(axis=0)
        found.append(rule(first) - rule(second))
    return np.array(found)


def step_down(differences):
    """Romano and Wolf's exact adjusted p: of all swaps, those whose largest t among the pairs left
    reaches a pair's.
    """
    t = {pair: np.abs(d) / np.std(d) for pair, d in differences.items()}
    p, so_far, left = {}, 0.0, sorted(t, key=lambda pair: -t[pair][0])
    while left:
        largest = np.max([t[pair] for pair in left], axis=0)
        so_far = max(so_far, float(np.mean(largest >= t[left[0]][0] - 1e-9)))
        p[left.pop(0)] = so_far
    return p


class TestExact:
    @pytest.mark.parametrize("n", [5, 9])
    @pytest.mark.parametrize("seed", range(3))
    def test_p_and_adjusted_p_are_shares_of_all_swaps(self, n, seed):
        statistics, _ = bleu_counts(seed, [0.3, 0.1, 0.0], 3 * n)
        documents = np.arange(3 * n) // 3
        result = compare_given(statistics, documents=documents, **QUICK)
        assert result.exact and result.trials == 2**n - 1
        assert f"|unit:document|trials:{2**n - 1}[all]|" in result.signature
        by_unit = np.add.reduceat(statistics, np.arange(0, 3 * n, 3), axis=1)
        place = {name: ord(name) - ord("A") for name in "ABC"}
        every = {
            (pair.a, pair.b): all_differences(by_unit, bleu, place[pair.a], place[pair.b])
            for pair in result.pairs
        }
        adjusted = step_down(every)
        for pair in result.pairs:
            d = every[pair.a, pair.b]
            assert pair.p_value == np.mean(np.abs(d) >= np.abs(d[0]) - 1e-9)
            assert pair.p_adjusted == adjusted[pair.a, pair.b]

    def test_pairs_are_studentised_by_all_swaps(self):
        """Without the observed difference the standard deviation, and so the order, depends on what
        was observed.
        """
        rng, signs = np.random.default_rng(0), np.array(list(itertools.product([1, -1], repeat=5)))
        differed = 0
        for _ in range(200):
            every = rng.standard_t(2, (4, 5)) @ signs.T  # of four pairs, none swapped first
            adjusted = step_down(dict(enumerate(every)))
            expected = [adjusted[k] for k in range(4)]
            assert romano_wolf(every[:, 0], every[:, 1:], is_exact=True).tolist() == expected
            differed += romano_wolf(every[:, 0], every[:, 1:]).tolist() != expected
        assert differed

    def test_no_doubt_by_monte_carlo_error(self):
        scores = {"A": (9.0, 8.0, 9.0, 7.0, 8.5, 6.0), "B": (5.0, 4.0, 6.0, 5.0, 3.0, 5.5)}
        found = compare(rated_systems(scores), "human", alpha=2 / 64, **QUICK)
        assert found.metrics["human"].pairs[0].p_adjusted == 2 / 64
        assert "near-alpha" not in list_codes(found)


class TestTexts:
    """The oracle knows neither statistics nor sums: outputs are swapped, and sacreBLEU scores all
    of them anew.
    """

    def swapped(self, theirs, both, references, documents):
        """The differences of scores after each swap of documents, none swapped first."""
        found = []
        for coins in itertools.product([0, 1], repeat=max(documents) + 1):
            a = [both[coins[d]][k] for k, d in enumerate(documents)]
            b = [both[1 - coins[d]][k] for k, d in enumerate(documents)]
            scores = [theirs.corpus_score(output, references).score for output in (a, b)]
            found.append(scores[0] - scores[1])
        return np.array(found)

    @pytest.mark.parametrize(
        "documents", [(0, 1, 2, 3, 4, 5), (0, 0, 0, 1, 2, 2, 3, 3)], ids=["segments", "documents"]
    )
    @pytest.mark.parametrize("metric, theirs", [("bleu", BLEU), ("chrf", CHRF), ("ter", TER)])
    def test_p_is_the_share_of_all_swaps_of_texts(self, metric, theirs, documents):
        n = len(documents)
        reference, (other, first, second) = texts(n, [0.3, 0.2, 0.35], n)
        testset = TestSet(
            "toy",
            {"A": first, "B": second, "C": first},
            {"r": reference, "s": other},
            documents=[f"d{k}" for k in documents],
        )
        result = compare(testset, metric, correction="none", **QUICK).metrics[metric]
        every = self.swapped(theirs(), (first, second), [reference, other], documents)
        expected = np.mean(np.abs(every) >= abs(every[0]) - 1e-9)
        assert find_pair(result, "A", "B").p_value == expected
        assert find_pair(result, "B", "C").p_value == expected
        assert find_pair(result, "A", "C").p_value == 1


class TestMissingRatings:
    ROWS = {
        "A": [9, 8, 9, 7, 8, 9, 9, 8],
        "B": [5, 4, 6, 5, NAN, NAN, NAN, 5],
        "C": [1, 2, NAN, 1, 2, 1, 3, 2],
    }

    def compared(self, rows, **settings):
        texts = ["x"] * len(rows["A"])
        testset = replace(
            rated_systems(rows),
            systems=dict.fromkeys(rows, texts),
            references={"ref": texts},
        )
        return compare(testset, ["human", "bleu"], **{**QUICK, **settings})

    @pytest.mark.parametrize("n_unrated", [0, 30])
    def test_p_is_of_the_swaps_of_what_both_have(self, n_unrated):
        found = self.compared(
            {name: row + [NAN] * n_unrated for name, row in self.ROWS.items()}, correction="none"
        )
        human, other = found.metrics["human"], found.metrics["bleu"]
        assert human.exact and human.trials == 255 and other.exact == (n_unrated == 0)
        assert (
            "all 256 permutations (exact) or 999 permutations" in summarize_comparison(found)[1]
        ) == (n_unrated > 0)
        for pair in human.pairs:
            d = np.array(self.ROWS[pair.a], float) - np.array(self.ROWS[pair.b], float)
            d = d[np.isfinite(d)]
            sums = [np.dot(signs, d) for signs in itertools.product([1, -1], repeat=len(d))]
            assert pair.p_value == np.mean(np.abs(sums) >= abs(d.sum()) - 1e-9)

    def test_a_pair_with_too_few_in_common_is_told_from_the_rest(self):
        found = self.compared(self.ROWS)
        human = found.metrics["human"]
        assert {(pair.a, pair.b, pair.n_units) for pair in human.pairs} == {
            ("A", "B", 5),
            ("A", "C", 7),
            ("B", "C", 4),
        }
        for pair in human.pairs:
            assert pair.decidable == (pair.mdd is not None) == (pair.n_units > 5)
        few = select_cautions(found, "too-few-common-units")
        assert {(caution.a, caution.b) for caution in few} == {("A", "B"), ("B", "C")}
        assert human.systems[0].rank_low == 1  # A against C can be decided


def of_documents(sizes, qualities=(3.0, 0.0, 0.0)):
    """Systems far apart or equal, on documents of these sizes, of which each tells them apart."""
    documents = np.repeat(np.arange(len(sizes)), sizes)
    rng, wrong = np.random.default_rng(0), {"A": "a b c y z", "B": "a b x y z", "C": "a x b y z"}
    begins = np.diff(documents, prepend=-1) > 0
    outputs = {
        name: [
            "a b c d e"
            if rng.random() < 0.2 + 0.2 * quality and (name == "A" or not first)
            else wrong[name]
            for first in begins
        ]
        for name, quality in zip("ABC", qualities, strict=True)
    }
    return TestSet(
        "toy",
        outputs,
        {"ref": ["a b c d e"] * len(documents)},
        sources=[f"source {k}" for k in range(len(documents))],
        documents=[str(d) for d in documents],
    )


class TestTooFew:
    """The least p is 2 / 2^n: of five documents .0625, of six .03125."""

    @pytest.mark.parametrize(
        "n, settings, can",
        [
            (5, {}, False),
            (6, {}, True),
            (5, dict(alpha=0.0625), True),
            (6, dict(correction="holm"), False),
            (7, dict(correction="holm"), True),
            (6, dict(correction="by"), False),
            (6, dict(correction="bh"), True),
            (5, dict(test="bootstrap"), False),
            (6, dict(test="bootstrap"), True),
            (5, dict(test="koehn"), False),
            (6, dict(test="percentile"), False),
            (10, dict(test="percentile", correction="bonferroni"), True),
            (5, dict(baseline="C"), False),
            (6, dict(correction="none"), True),
        ],
    )
    def test_what_can_be_decided(self, n, settings, can):
        found = compare(of_documents([4] * n, (4.0, 2.0, 0.0)), **QUICK, **settings)
        result = found.metrics["bleu"]
        assert all(pair.decidable == can and (pair.mdd is not None) == can for pair in result.pairs)
        assert can or not any(pair.significant for pair in result.pairs)
        codes = list_codes(found)
        assert ("too-few-units" in codes) == (not can)
        assert can or "not-equal" not in codes

    def test_the_remedies_work(self):
        few = compare(of_documents([4] * 6, (4.0, 0.0, 0.0)), correction="holm", **QUICK)
        (lacking,) = select_cautions(few, "too-few-units")
        assert lacking.facts["needed"] == 7
        assert lacking.remedies == ({"correction": "romano-wolf"}, {"unit": "segment"})
        assert has_clear_winner(few.metrics["bleu"]) and find_top_group(few.metrics["bleu"]) == (
            "A",
        )  # by Romano-Wolf
        assert state_verdict(few, "bleu") in paper_sentences(few, "bleu")
        for testset, settings in (
            (of_documents([4] * 7), dict(correction="holm")),
            (of_documents([4] * 6), {}),
            (of_documents([4] * 6), dict(correction="holm", unit="segment")),
        ):
            assert compare(testset, **QUICK, **settings).metrics["bleu"].pairs[0].decidable

    @pytest.mark.parametrize("test", ["bootstrap", "percentile", "koehn", "riezler-maxwell"])
    @pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 9, 10])
    def test_a_bootstrap_of_few_is_no_surer_than_they_can_be(self, test, n):
        """All units favour A, so that every draw does: of two equal systems so often, 2 of 2^n
        times.
        """
        testset = of_documents([4] * n, (4.0, 0.0, 0.0))
        result = compare(testset, test=test, correction="none", **QUICK).metrics["bleu"]
        pair = find_pair(result, "A", "B")
        alone = examine_pair(testset, "bleu", "A", "B", **QUICK)
        (outcome,) = (outcome for outcome in alone.outcomes if outcome.test == test)
        assert (pair.p_value, bool(pair.better)) == (outcome.p_value, bool(outcome.better))
        assert pair.decidable == pair.significant == bool(pair.better) == (n > 5)
        assert n > 5 or (pair.mdd, alone.mdd) == (None, None)
        least = max(2 / 2**n if n < 10 else 0, (2 if test == "percentile" else 1) / 1000)
        if test == "percentile":
            assert pair.p_value == min(1, least)
        elif test != "koehn":
            assert pair.p_value >= min(1, least)

    @pytest.mark.parametrize("correction", ["romano-wolf", "holm"])
    def test_nor_after_a_correction_nor_within_a_domain(self, correction):
        few = of_documents([4] * 5, (4.0, 2.0, 0.0))
        found = compare(few, test="bootstrap", correction=correction, **QUICK).metrics["bleu"]
        least = {"romano-wolf": 2 / 32, "holm": 3 * 2 / 32}[correction]
        assert all(pair.p_adjusted >= least for pair in found.pairs)
        assert all(row.rank_low is None for row in found.systems)
        two = replace(
            of_documents([4] * 10, (4.0, 2.0, 0.0)), domains=["news"] * 20 + ["speech"] * 20
        )
        found = by_domain(two, "bleu", test="bootstrap", trials=999)
        pairs = found.pairs
        assert all(
            pair.better is None and pair.p_value >= 2 / 32 for pair in pairs
        )  # no surer than of five
        assert {"test-needs-units", "whole-undecided", "too-few-units-in-parts"} <= set(
            list_codes(found)
        )
        assert any(
            pair.better for pair in by_domain(two, "bleu", trials=999).pairs
        )  # swaps of all ten
        assert all(
            min(one.p_value, one.p_adjusted) >= 2 / 32 and one.better is None
            for pair in pairs
            for one in pair.domains
        )

    @pytest.mark.parametrize(
        "test, n, sure",
        [
            ("bootstrap", 6, False),
            ("bootstrap", 59, False),
            ("bootstrap", 60, True),
            ("ar", 6, True),
        ],
    )
    def test_the_decision_of_a_bootstrap_of_few_is_not_what_to_go_by(self, test, n, sure):
        rows = {"A": [7.0, 12.0, 18.0, 9.0, 11.0] * 12, "B": [1.0, -1.0, 0.0, 0.5, 2.0] * 12}
        testset = rated_systems({name: row[:n] for name, row in rows.items()})
        found = compare(testset, "human", test=test, **QUICK)
        (pair,) = found.metrics["human"].pairs
        assert pair.significant
        odd = replace(found.metrics["human"], pairs=(replace(pair, ci_low=-1.0),))
        (caution,) = about_intervals(found.settings, odd)
        trust = caution.facts["trust"]
        assert not trust["unlike"]
        assert trust["needed"] == (None if sure else 60)

    @pytest.mark.parametrize("n, can", [(5, False), (6, True)])
    def test_signed_ranks_have_the_least_p_of_swaps(self, n, can):
        scores = {"A": 9.0 - np.arange(n) / 10, "B": 2.0 + np.arange(n) / 5}
        result = compare(rated_systems(scores), "human", test="wilcoxon", **QUICK).metrics["human"]
        (pair,) = result.pairs
        assert pair.decidable == pair.significant == can
        assert pair.p_value == 2 / 2**n

    def test_a_plan_promises_nothing_that_cannot_be_decided(self):
        few = compare(of_documents([4] * 5, (4.0, 2.0, 0.0)), **QUICK)
        assert all(
            row.mdd is None
            and not row.decidable
            and row.size.units >= 6
            and row.size_family.units >= 7
            for row in plan(few, 10.0)
        )
        assert cannot_plan(few).facts == {"unit": "document", "n": 5, "needed": 6}
        swept = sweep_sizes(
            of_documents([4] * 5, (4.0, 2.0, 0.0)), "bleu", sizes=[5], repeats=2, resamples=99
        )
        assert all(row.mdd is None for row in plan(swept, 10.0)) and cannot_plan(
            swept
        ) == cannot_plan(few)
        more = compare(of_documents([4] * 6, (4.0, 2.0, 0.0)), **QUICK)
        assert cannot_plan(more) is None and all(
            row.mdd > 0 and row.mdd_family is None for row in plan(more, 10.0)
        )

    @pytest.mark.parametrize(
        "test, warned", [("bootstrap", True), ("percentile", True), ("ar", False)]
    )
    def test_tests_that_reject_too_often_with_few_units_say_so(self, test, warned):
        found = compare(of_documents([40, *[2] * 59]), test=test, **QUICK)
        said = select_cautions(found, "test-needs-units")
        assert bool(said) == warned == (not keeps_its_level(found))
        for caution in said:
            assert (caution.facts, caution.remedies) == ({"test": test}, ({"test": "ar"},))
        assert describe_control(found, "holm").startswith(
            "nothing" if warned else "any false claim"
        )

    def test_references_with_too_few_segments_say_nothing(self):
        texts = {"A": [*["a b c d e"] * 7, "a b c d x"], "B": ["a b x y z"] * 8}
        references = {"r1": ["a b c d e"] * 8, "r2": ["a b x y e"] * 5 + [None] * 3}
        found = compare(TestSet("toy", texts, references), **QUICK).metrics["bleu"]
        assert [(row.reference, row.decidable) for row in found.by_reference] == [
            ("r1", True),
            ("r2", False),
        ]
        assert (
            not find_other_leaders(found)
            and by_reference_table(found).values("leaders")[2] == "cannot be decided"
        )


def rated_documents(sizes, seed, without=None, domains=None):
    """Three systems with one score for all segments of a document, and these scores; `without`
    names a document that a system has no scores of.
    """
    rng, index = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    means = {name: rng.normal(70, 5, len(sizes)) for name in "ABC"}
    scores = {name: own[index] for name, own in means.items()}
    for name, document in (without or {}).items():
        scores[name][index == document] = NAN
    of_segments = None if domains is None else [domains[k] for k in index]
    return rated_systems(scores, [f"d{k}" for k in index], domains=of_segments), means


class TestEffectiveNumber:
    """Kish (1965): the variance of a mean of independent units with weights w is sigma^2 sum w^2 /
    (sum w)^2.
    """

    @pytest.mark.parametrize("sizes", [[4] * 8, [30, 2, 2, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])
    def test_a_mean_of_documents_varies_as_that_of_so_many_equal_ones(self, sizes):
        values = np.random.default_rng(1).normal(size=(200_000, len(sizes)))
        variance = np.var(values @ sizes / sum(sizes))
        assert effective_number(np.array(sizes)) == pytest.approx(1 / variance, rel=0.02)

    def test_a_comparison_reports_it(self):
        found = compare(of_documents([30, *[2] * 13]), **QUICK)
        result = found.metrics["bleu"]
        expected = 56**2 / (30**2 + 13 * 4)
        assert result.n_units == 14 and result.n_effective == pytest.approx(expected)
        assert all(
            pair.n_effective == pytest.approx(expected) and pair.n_units == 14
            for pair in result.pairs
        )
        assert (
            "14 documents (unequal sizes; worth about 3 equal ones)"
            in summarize_comparison(found)[0]
        )
        assert Comparison.from_json(comparison_json(found)) == found

    def test_everything_that_is_estimated_goes_by_it(self):
        """Fourteen documents that are worth seven, by hand: interval, detectable difference, sizes,
        equivalence.
        """
        sizes = np.array([40, 20, 13, 10, 8, 7, 6, 5, 4, 4, 4, 3, 3, 3])
        testset, means = rated_documents(sizes, seed=4)
        testset = testset.only(["A", "B"])
        worth = sizes.sum() ** 2 / (sizes**2).sum()
        found = compare(testset, "human", **QUICK)
        (pair,) = found.metrics["human"].pairs
        d = (means["A"] - means["B"]) * (1 if pair.a == "A" else -1)
        left_out = np.array(
            [np.average(np.delete(d, k), weights=np.delete(sizes, k)) for k in range(14)]
        )
        half = stats.t.ppf(0.975, worth - 1) * np.sqrt(
            13 / 14 * ((left_out - left_out.mean()) ** 2).sum()
        )
        assert (pair.ci_low, pair.ci_high) == pytest.approx((pair.delta - half, pair.delta + half))
        error = pair.se * np.sqrt(worth / (worth - 1))
        reach = stats.t.ppf(0.975, worth - 1) + stats.t.ppf(0.8, worth - 1)
        assert pair.mdd == pytest.approx(reach * error, rel=0.05)  # p of 14 units takes steps
        (one,) = plan(found, 1.0)
        assert one.mdd == pytest.approx(pair.mdd)
        examined = examine_pair(testset, "human", "A", "B", **QUICK)
        assert examined.mdd == pytest.approx(pair.mdd)
        assert examined.intervals["jackknife-t"] == pytest.approx(
            np.average(means["A"] - means["B"], weights=sizes) + np.array([-half, half])
        )
        p_upper = stats.t.cdf((examined.delta - 8) / error, worth - 1)
        assert equivalence(examined, 8.0).p_upper == pytest.approx(p_upper, rel=1e-6)

    def test_intervals_of_systems_with_gaps_go_by_their_own_documents(self):
        sizes = np.array([30, 12, 6, 5, 4, 3])
        testset, means = rated_documents(
            sizes, seed=5, without={"C": 0}
        )  # the longest document has no score of C
        result = compare(testset, "human", **QUICK).metrics["human"]
        for system in result.systems:
            known = slice(1, None) if system.system == "C" else slice(None)
            own, weights = means[system.system][known], sizes[known]
            worth = weights.sum() ** 2 / (weights**2).sum()
            left_out = np.array(
                [
                    np.average(np.delete(own, k), weights=np.delete(weights, k))
                    for k in range(len(own))
                ]
            )
            half = stats.t.ppf(0.975, worth - 1) * np.sqrt(len(own) - 1) * left_out.std()
            assert system.ci_high - system.score == pytest.approx(half)

    def test_a_mean_over_domains_has_the_freedom_of_welch(self):
        """Three documents of the one domain count as much as twelve of the other."""
        sizes = np.array([4] * 15)
        testset, _ = rated_documents(sizes, seed=6, domains=["news"] * 3 + ["speech"] * 12)
        means = score_over_domains(measure(testset, "human"))
        found = find_freedom(means.sum_by(means.units("document")), means.stored)
        assert found == pytest.approx(
            np.full(3, (1 / 3 + 1 / 12) ** 2 / (1 / 9 / 2 + 1 / 144 / 11))
        )

    @pytest.mark.parametrize(
        "sizes, ci, few",
        [
            ([2] * 400, "percentile", False),
            ([200, *[2] * 120], "jackknife-t", True),
            ([2] * 399, "jackknife-t", False),
            ([12, 8, *[2] * 60], "jackknife-t", False),
        ],
    )
    def test_interval_and_warning_go_by_it(self, sizes, ci, few):
        found = compare(of_documents(sizes), **QUICK)
        assert found.metrics["bleu"].ci == found.settings.ci == ci
        worth = [caution.facts["worth"] for caution in select_cautions(found, "few-units")]
        assert list(map(round, worth)) == [5] * few

    def test_of_pairs_with_gaps_it_is_of_what_both_have(self):
        """C has all of the first three documents, and one segment of each other."""
        documents = np.repeat(np.arange(40), 5)
        scores = dict(zip("ABC", np.random.default_rng(4).normal(70, 5, (3, 200)), strict=True))
        scores["C"][(documents > 2) & (np.arange(200) % 5 > 0)] = NAN
        found = compare(rated_systems(scores, documents), "human", **QUICK)
        result = found.metrics["human"]
        assert find_pair(result, "A", "B").n_effective == 40
        assert find_pair(result, "A", "C").n_effective == pytest.approx(52**2 / (3 * 25 + 37))
        few = {frozenset((c.a, c.b)) for c in select_cautions(found, "few-common-lines")}
        assert few == {frozenset("AC"), frozenset("BC")}


@pytest.mark.parametrize("documents, sent", [(5, False), (20, True)])
def test_nobody_is_sent_to_documents_that_can_decide_nothing(documents, sent):
    found = compare(of_documents([4] * documents, (4.0, 2.0, 0.0)), unit="segment", **QUICK)
    (ignored,) = select_cautions(found, "documents-ignored")
    assert ignored.facts["enough"] == sent == bool(ignored.remedies)
    assert ignored.facts["n_documents"] == documents


# Swaps of stationary blocks: how small p can be, against a count of what is swapped and by how
# often it comes.


def alike(n, length):
    """The chance that all segments are swapped or none, over all ways that blocks can begin and
    coins can fall.
    """
    total = 0.0
    for begins in itertools.product([0, 1], repeat=n):
        k = sum(begins)
        total += (1 / length) ** k * (1 - 1 / length) ** (n - k) * (2 * 0.5**k if k else 1)
    return total


@pytest.mark.parametrize(("n", "length"), [(8, 2.0), (9, 3.0), (10, 4.0), (6, 1.0)])
def test_the_least_p_is_the_chance_that_all_blocks_are_swapped_or_none(n, length):
    assert least_of_blocks(np.array(n / length - 0.5), length) == pytest.approx(
        alike(n, length), rel=1e-12
    )


@pytest.mark.parametrize(("blocks", "decidable"), [(5, False), (12, True)])
def test_a_pair_of_few_blocks_cannot_be_decided_however_large_the_difference(blocks, decidable):
    n = 120
    right = [f"a b c d e {k}" for k in range(n)]
    wrong = ["x y z", "a b c d e 1", "a b c d e 2"] * (n // 3)
    testset = TestSet("set", {"right": right, "wrong": wrong}, {"ref": right})
    found = compare(testset, unit="block", block_length=n / blocks)
    (pair,) = found.metrics["bleu"].pairs
    assert pair.decidable == pair.significant == (pair.mdd is not None) == decidable


# Ratings of few of the lines: what is said of a system or a pair depends on these lines alone.


A, B = [57.0, 64.0, 71.0], [51.0, 52.0, 53.0]


def ratings(a, b, documents=None):
    n = max(len(a), len(b))
    return rated_systems(
        {name: [*own, *[None] * (n - len(own))] for name, own in (("A", a), ("B", b))}, documents
    )


def more(n):
    """B rated on n lines, the first three as before."""
    return [*B, *np.random.default_rng(1).normal(52, 4, n - 3).tolist()]


def compared(testset, **settings):
    return compare(
        testset, ["human"], **dict(unit="segment", trials=999, resamples=200) | settings
    ).metrics["human"]


@pytest.mark.parametrize("n", [3, 80, 150])
def test_lines_that_one_lacks_change_neither_its_interval_nor_that_of_the_difference(n):
    result = compared(ratings(A, more(n)))
    assert result.ci == "jackknife-t"
    (pair,) = result.pairs
    (first,) = (row for row in result.systems if row.system == "A")
    for values, row in ((A, first), (np.subtract(A, B), pair)):
        ends = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
        np.testing.assert_allclose((row.ci_low, row.ci_high), ends, rtol=1e-9)
    assert (pair.n, pair.n_units) == (3, 3)
    assert pair.p_value >= pair.p_adjusted - 1e-12 >= 0.25 - 1e-12


def test_one_unit_has_no_standard_error():
    testset = ratings(A, B, ["d"] * 3)
    (pair,) = compared(testset, unit="document").pairs
    assert {pair.se, pair.se_ratio, pair.ci_low, pair.mdd} == {None}
    assert pair.p_value == 1
    (pair,) = compared(testset).pairs
    assert pair.se > 0
    assert pair.se_ratio is None
    quick = dict(unit="document", trials=99, resamples=50)
    found = examine_pair(testset, "human", "A", "B", **quick)
    assert found.se["segment"] > 0
    assert (found.se["document"], found.mdd) == (None, None)
    (row,) = plan(compare(testset, ["human"], **quick), 2.0)
    assert {row.se, row.size.units, row.size_for_own.units} == {None}
    assert not row.decidable


def test_rows_of_what_is_known():
    rows = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0], [np.nan] * 3])
    np.testing.assert_array_equal(
        apply_to_known(lambda some: some.sum(axis=1), rows), [4.0, 15.0, np.nan]
    )
    gaps = np.random.default_rng(2).normal(size=(2, 30))
    gaps[0, ::3] = np.nan
    alone = degrees_of_freedom(gaps[:1, ~np.isnan(gaps[0])], 500), degrees_of_freedom(gaps[1:], 500)
    np.testing.assert_allclose(degrees_of_freedom(gaps, 500), np.concatenate(alone))


# Two systems that differ in a handful of units: the others say nothing, however often they are
# drawn.


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_counts_are_those_of_a_loop(unit):
    counts, documents = bleu_counts(seed=2, qualities=[0.0, 0.1, 0.3], n_segments=700)
    counts = counts[[0, 0, 0, 0, 1, 2]]
    rng = np.random.default_rng(1)
    for system, n in ((1, 3), (2, 19), (3, 40)):  # copies of the first but for some segments
        at = rng.choice(700, n, replace=False)
        counts[system, at] = counts[4, at] + [1, 0, *[0] * 8]
    units = (
        Units.segments(700)
        if unit == "segment"
        else Units(unit, documents, int(documents.max()) + 1)
    )
    sums, pairs = units.sum(counts), all_pairs(6)
    slow = np.array([(sums[i] != sums[j]).any(axis=1).sum() for i, j in pairs])
    found = count_differing_units(
        UnitStatistics(Bleu(), counts, units), pairs, np.full(len(pairs), units.n)
    )
    few = (slow > 0) & (slow < ENOUGH)
    assert few.sum() > 1 and (found[few] == slow[few]).all() and (found[~few] == units.n).all()


def four_of_a_hundred(ahead=4, n=100):
    rows = np.tile(np.arange(n) % 2, (2, 1)).astype(float)
    rows[:, :ahead] = [[1], [0]]
    return rated_systems(dict(zip("XY", rows, strict=True)))


@pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile", "koehn", "riezler-maxwell"])
@pytest.mark.parametrize("ahead", [4, 7])
def test_no_test_is_surer_than_the_segments_that_differ(test, ahead):
    """Of two equal systems all of n favour the same 2 / 2^n times, however many others are drawn
    beside them.
    """
    testset = four_of_a_hundred(ahead)
    found = compare(
        testset, ["human"], test=test, unit="segment", trials=999, resamples=500, correction="none"
    )
    (pair,) = found.metrics["human"].pairs
    assert (pair.n_units, pair.n_apart, pair.decidable) == (100, ahead, ahead == 7)
    assert pair.p_value is None or pair.p_value >= 2 / 2**ahead
    assert pair.better == (None if ahead == 4 else "a")
    told = [caution.facts for caution in select_cautions(found, "few-differences")]
    raised = pair.p_value is not None and pair.p_value <= 2 / 2**ahead
    assert len(told) == (raised or not pair.decidable)
    assert all((one["n"], one["n_all"], one["least"]) == (ahead, 100, 2 / 2**ahead) for one in told)
    assert "near-alpha" not in list_codes(found) or pair.decidable
    if ahead == 4:
        assert (
            explain_no_decision(found.settings, found.metrics["human"])
            == "Cannot be decided: systems differ in too few segments by human scores"
        )
        assert (
            describe_undecided(pair, found.settings)
            == "cannot be decided with so few trials or units"
        )
    alone = examine_pair(testset, "human", "X", "Y", unit="segment", trials=999, resamples=500)
    of_draws = [one for one in alone.outcomes if not fitting_tests(True)[one.test].of_segments]
    assert all(one.p_value is None or one.p_value >= 2 / 2**ahead for one in of_draws)
    assert (alone.mdd is None) == (pair.mdd is None) == (ahead == 4)


def test_documents_that_tie_but_for_rounding_do_not_tell():
    ahead, tied = [1.0, 0.0, 0.5, 0.0], [0.1 + 0.2, 0.0, 0.3, 0.0]
    both = np.array([ahead] * 4 + [tied] * 16)
    rows = {"X": both[:, :2].ravel(), "Y": both[:, 2:].ravel()}
    testset = rated_systems(rows, np.arange(40) // 2)
    found = compare(testset, ["human"], test="percentile", trials=999, resamples=100)
    (pair,) = found.metrics["human"].pairs
    assert pair.n_apart == 4
    assert pair.p_value >= 0.125


@pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile", "koehn"])
def test_blocks_are_told_apart_by_their_segments(test):
    """Scattered ones: the samples of blocks have them too often together, or not at all."""
    rows = np.tile(np.arange(300) % 2, (2, 1)).astype(float)
    rows[:, [20, 90, 150, 210, 280]] = [[1], [0]]
    testset = rated_systems(dict(zip("XY", rows, strict=True)))
    asked = dict(unit="block", block_length=5, trials=999, resamples=200)
    found = compare(testset, ["human"], test=test, **asked)
    (pair,) = found.metrics["human"].pairs
    assert pair.better is None
    assert pair.p_value is None or pair.p_value > 0.05
    told = [
        (caution.facts["n"], caution.facts["n_all"])
        for caution in select_cautions(found, "few-differences")
    ]
    assert test == "ar" or told == [(5, 300)]
    outcomes = examine_pair(testset, "human", "X", "Y", **asked).outcomes
    assert not any(outcome.better for outcome in outcomes if outcome.test == test)


def test_tasks_and_domains_know_it_too():
    testset = four_of_a_hundred(5)
    halves = replace(testset, domains=["a"] * 50 + ["b"] * 50)
    found = by_domain(halves, "human", test="bootstrap", trials=999, resamples=100)
    assert found.pairs[0].p_value == 2 / 2**5 and found.pairs[0].better is None
    few = {pair: four_of_a_hundred(n) for pair, n in (("en-de", 3), ("en-fr", 2))}
    task = compare_task(
        Task("toy", few), "human", test="bootstrap", unit="segment", trials=999, resamples=100
    )
    assert (
        task.macro["human"].pairs[0].p_value == 2 / 2**2
        and task.macro["human"].pairs[0].better is None
    )
    swept = sweep_sizes(
        testset, "human", unit="segment", sizes=[100, 30], repeats=20, resamples=100
    )
    assert {row.significant.share for row in swept.pairs} == {0.0}
