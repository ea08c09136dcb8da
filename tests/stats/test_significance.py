"""The tests, against enumeration, plain loops, scipy and sacreBLEU."""

import itertools

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sacrebleu import significance as theirs
from scipy import stats
from statsmodels.stats.multitest import multipletests

from mtsig_core import TestSet
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.stats import engine
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores, swap_differences
from mtsig_core.stats.resampling import BLOCK, Units
from mtsig_core.stats.significance import (
    CORRECTIONS,
    TESTS,
    approximate_randomization,
    decide_pairs,
    fitting_tests,
    romano_wolf,
    significant,
    student_t,
    wilcoxon,
    win_rates,
)
from tests.builders.toys import Given, bleu, bleu_counts, mean, segment_scores, texts

WITH_P = [test for test in fitting_tests(False).values() if test.p_values is not None]


def by_hand(name, d0, d):
    """P of one pair, with plain loops over its definition."""
    d = [float(x) for x in d]
    n, average = len(d), sum(d) / len(d)
    average_size = sum(abs(x) for x in d) / len(d)
    if name == "percentile":
        tail = min(sum(x <= 1e-9 for x in d), sum(x >= -1e-9 for x in d))
        return min(1, 2 * (tail + 1) / (n + 1))
    extremeness = {
        "ar": lambda x: abs(x),
        "bootstrap-t": lambda x: abs(x),
        "bootstrap": lambda x: abs(x - average),
        "riezler-maxwell": lambda x: abs(x) - average_size,
    }[name]
    return (sum(extremeness(x) >= abs(d0) - 1e-9 for x in d) + 1) / (n + 1)


def replicates_of(n_pairs):
    # whole halves: ties with the observed difference and with 0 are frequent
    return hnp.arrays(float, (n_pairs, 19), elements=st.integers(-6, 6).map(lambda x: x / 2))


@pytest.mark.parametrize("test", WITH_P, ids=lambda test: test.name)
class TestEveryP:
    @given(st.data())
    def test_as_defined(self, test, data):
        """Each pair on its own; which of the two systems comes first makes no difference."""
        observed, replicates = data.draw(replicates_of(2))[:, 0], data.draw(replicates_of(2))
        p = test.p_values(observed, replicates)
        assert p == pytest.approx(
            [by_hand(test.name, *pair) for pair in zip(observed, replicates, strict=True)]
        )
        np.testing.assert_array_equal(test.p_values(-observed, -replicates), p)

    def test_never_0(self, test):
        far = np.full((1, 999), 1e-12 if test.name in ("ar", "bootstrap-t") else 7.0)
        assert test.p_values(np.array([7.0]), far)[0] == pytest.approx(test.steps / 1000)

    def test_identical_systems_get_1(self, test):
        assert test.p_values(np.zeros(1), np.zeros((1, 99))) == 1

    def test_rounding_breaks_no_tie(self, test):
        def p(shift):
            wobble = np.where(np.arange(100) % 2, 1e-12, -1e-12) + shift
            return test.p_values(
                np.array([1.0]), np.repeat([[0.0, 1.0, -1.0, 2.0]], 25, axis=1) + wobble
            )

        assert p(0.0) == p(1e-11) == p(-1e-11)

    @given(st.floats(0.001, 0.999))
    def test_trials_for_a_level_are_the_fewest(self, test, level):
        trials = test.trials_for(level)
        assert test.p_floor_of_trials(trials) <= level * (1 + 1e-9)
        assert trials == 0 or test.p_floor_of_trials(trials - 1) > level * (1 - 1e-9)


class TestWinRates:
    @given(replicates_of(2))
    def test_ties_count_for_neither(self, drawn):
        win, lose = win_rates(drawn)
        np.testing.assert_allclose(win, [sum(x > 0 for x in d) / 19 for d in drawn])
        np.testing.assert_allclose(lose, [sum(x < 0 for x in d) / 19 for d in drawn])

    @pytest.mark.parametrize("scale", [1e-90, 1e-6, 1, 1e90])
    def test_what_rounding_leaves_is_no_win(self, scale):
        assert win_rates(scale * np.array([[1e-12, -1e-12, 1, -2, -2, 0]])) == (1 / 6, 1 / 3)


def segments(n):
    return Units("segment", np.arange(n), n)


def exact_p(statistics, rule):
    """The p of approximate randomization over all swaps of two systems."""
    n = statistics.shape[1]
    observed, extreme = rule(statistics[0].sum(axis=0)) - rule(statistics[1].sum(axis=0)), 0
    for coins in itertools.product([False, True], repeat=n):
        traded = np.array(coins)[:, None]
        first, second = np.where(traded, statistics[::-1], statistics).sum(axis=1)
        extreme += abs(rule(first) - rule(second)) >= abs(observed) - 1e-9
    return extreme / 2**n


class TestApproximateRandomization:
    @pytest.mark.parametrize(
        "statistics, rule",
        [
            *[(bleu_counts(seed, [0.6 * seed / 3, 0], 10)[0], bleu) for seed in range(4)],
            *[(segment_scores(seed, [60 + 3 * seed, 60], 10), mean) for seed in range(3)],
        ],
    )
    def test_all_1024_swaps(self, statistics, rule):
        data = UnitStatistics(Given({}, rule), statistics, segments(10))
        swapped = swap_differences(data, np.array([[0, 1]]), 99, seed=1)
        p = approximate_randomization(data.scores[:1] - data.scores[1:], swapped)[0]
        assert p == exact_p(statistics, rule)


class TestAgainstSacreBleu:
    """Both are fed the same draws: sacreBLEU's own."""

    SEED, N, TRIALS = 12345, 120, 2 * BLOCK
    REFERENCE, (BASELINE, SYSTEM) = texts(seed=3, errors=[0.35, 0.33], n_segments=N)

    @pytest.fixture
    def data(self):
        testset = TestSet(
            "toy", {"system": self.SYSTEM, "baseline": self.BASELINE}, {"ref": self.REFERENCE}
        )
        return UnitStatistics(Bleu(), Bleu().statistics(testset), segments(self.N))

    @pytest.fixture
    def metric(self, monkeypatch):
        """SacreBLEU's BLEU; it would score sums in single precision."""
        metric = sacrebleu.BLEU()
        score = metric._compute_score_from_stats
        monkeypatch.setattr(
            metric, "_compute_score_from_stats", lambda sums: score([float(x) for x in sums])
        )
        return metric

    @pytest.fixture
    def drawn(self):
        """How often sacreBLEU draws each segment."""
        indices = np.random.default_rng(self.SEED).choice(
            self.N, size=(self.TRIALS, self.N), replace=True
        )
        return np.array([np.bincount(row, minlength=self.N) for row in indices], dtype=np.uint16)

    def run(self, test, metric, monkeypatch):
        """Run a test of sacreBLEU: its replicates, its difference and the number of replicates
        beyond it.
        """
        seen, p_value = [], theirs._compute_p_value
        monkeypatch.setattr(
            theirs, "_compute_p_value", lambda *values: seen.extend(values) or p_value(*values)
        )
        counts = metric._extract_corpus_statistics(self.BASELINE, [self.REFERENCE])
        baseline = counts, theirs.Result(metric._aggregate_and_compute(counts).score)
        _, results = test(
            {"BLEU": baseline},
            "system",
            self.SYSTEM,
            [self.REFERENCE],
            {"BLEU": metric},
            self.TRIALS,
            seed=self.SEED,
        )
        return *seen, round(results["BLEU"].p_value * (self.TRIALS + 1)) - 1

    def test_scores_of_its_samples(self, data, metric, drawn, monkeypatch):
        monkeypatch.setenv("SACREBLEU_SEED", str(self.SEED))
        counts = metric._extract_corpus_statistics(self.SYSTEM, [self.REFERENCE])
        _, samples = theirs._bootstrap_resample(counts, metric, self.TRIALS)
        ours = data.score(data.weighted_sums(drawn))[0]
        np.testing.assert_allclose(ours, [sample.score for sample in samples], rtol=0, atol=1e-9)

    def test_approximate_randomization(self, data, metric, monkeypatch):
        coins = (
            np.random.default_rng(self.SEED)
            .integers(2, size=(self.TRIALS, self.N), dtype=bool)
            .astype(np.uint8)
        )
        bits = np.packbits(np.pad(coins, ((0, 0), (0, -self.N % 64))), axis=1)
        monkeypatch.setattr(
            engine,
            "swap_bits",
            lambda units, seed, block: bits[block * BLOCK : (block + 1) * BLOCK],
        )
        swapped = swap_differences(data, np.array([[0, 1]]), self.TRIALS, seed=0)[0]

        replicates, difference, beyond = self.run(theirs._paired_ar_test, metric, monkeypatch)
        np.testing.assert_allclose(np.abs(swapped), replicates, rtol=0, atol=1e-9)
        assert data.scores[0] - data.scores[1] == pytest.approx(difference, abs=1e-9)
        assert np.sum(np.abs(swapped) > difference + 1e-9) == beyond > 0

    def test_literal_riezler_maxwell(self, data, metric, drawn, monkeypatch):
        monkeypatch.setattr(
            engine,
            "bootstrap_weights",
            lambda units, seed, block: drawn[block * BLOCK : (block + 1) * BLOCK],
        )
        scores = bootstrap_scores(data, self.TRIALS, seed=0)
        differences = scores[:1] - scores[1:]
        p = TESTS["riezler-maxwell"].p_values(data.scores[:1] - data.scores[1:], differences)[0]

        replicates, _, beyond = self.run(theirs._paired_bs_test, metric, monkeypatch)
        sizes = np.abs(differences[0])
        np.testing.assert_allclose(sizes - sizes.mean(), replicates, rtol=0, atol=1e-9)
        assert round(p * (self.TRIALS + 1)) - 1 == beyond > 0


class TestWithoutDraws:
    """Student's t and Wilcoxon's, on the differences of segment scores."""

    @pytest.mark.parametrize("n, method", [(49, "exact"), (50, "exact"), (51, "asymptotic")])
    def test_ranks_are_exact_for_up_to_50_differences(self, n, method):
        d = np.random.default_rng(n).normal(0.3, 1, n)
        assert wilcoxon(np.zeros(1), np.append(d, [0, np.nan])[None])[0] == pytest.approx(
            stats.wilcoxon(d, method=method).pvalue, rel=1e-9
        )

    def test_two_segments_are_enough_for_t(self):
        assert student_t(np.zeros(1), np.array([[3.0, np.nan, 1.0]]))[0] == pytest.approx(
            stats.ttest_1samp([3.0, 1.0], 0).pvalue
        )


@pytest.mark.parametrize(
    "p, expected",
    [
        (0.05, True),
        (0.05 + 1e-12, True),
        (0.05 - 1e-6, True),
        (0.05 + 1e-6, False),
        (0.0, True),
        (np.nan, False),
    ],
)
def test_significant_is_at_most_alpha_rounding_apart(p, expected):
    assert significant(p, 0.05) == expected
    np.testing.assert_array_equal(significant(np.array([p, 0.9]), 0.05), [expected, False])


class TestDecide:
    IMPROVEMENT = np.array([2.0, -2.0, 0.0, 2.0, -2.0, 2.0])

    def test_the_sign_counts_where_p_is_at_most_alpha(self):
        p = np.array([0.05, 0.01, 0.01, 0.06, 0.06, np.nan])
        assert decide_pairs(self.IMPROVEMENT, 0.05, p=p).tolist() == [1, -1, 0, 0, 0, 0]

    def test_the_larger_share_counts_where_it_is_at_least_1_less_alpha(self):
        win, lose = np.array(
            [[0.95, 0.05], [0.05, 0.95], [0.0, 0.0], [0.0, 0.95], [0.05, 0.94], [0.94, 0.05]]
        ).T
        assert decide_pairs(self.IMPROVEMENT, 0.05, win=win, lose=lose).tolist() == [
            1,
            -1,
            0,
            0,
            0,
            0,
        ]

    def test_rounding_does_not_decide(self):
        assert 41 / 50 < 1 - 9 / 50  # in floating point
        assert decide_pairs(
            np.ones(1), 9 / 50, win=np.array([41 / 50]), lose=np.zeros(1)
        ).tolist() == [1]

    def test_equal_shares_decide_nothing_however_large_alpha(self):
        assert decide_pairs(
            np.ones(1), 0.6, win=np.array([0.5]), lose=np.array([0.5])
        ).tolist() == [0]


def test_tests_of_segment_scores_are_for_their_means_alone():
    assert list(fitting_tests(True)) == [
        "ar",
        "bootstrap",
        "bootstrap-t",
        "percentile",
        "koehn",
        "riezler-maxwell",
        "t",
        "wilcoxon",
    ]
    assert list(fitting_tests(False)) == list(fitting_tests(True))[:6]


@pytest.mark.parametrize(
    "d", [[1, 1, 1, 1], [1, -1, 2, 2, 3, -3, 3, 5], [0.5, -0.2, 0.9, 0.4], [2, 2, -1, 0, 0, 3]]
)
def test_signed_ranks_with_ties_are_exact_by_enumeration(d):
    """Four equal differences of one sign have p = 2/16; the normal approximation says .0455."""
    kept = np.array([x for x in d if x])
    ranks = stats.rankdata(np.abs(kept))
    sums = [np.dot(ranks, signs) for signs in itertools.product([1, -1], repeat=len(kept))]
    observed = np.dot(ranks, np.sign(kept))
    (p,) = wilcoxon(np.zeros(1), np.array([d], float))
    assert p == pytest.approx(np.mean(np.abs(sums) >= abs(observed) - 1e-9))


# Corrections, against statsmodels and plain loops.


# as of 99 trials: never 0, many ties
P_VALUES = hnp.arrays(
    float, st.integers(1, 30), elements=st.integers(1, 100).map(lambda c: c / 100)
)


@pytest.mark.parametrize(
    "ours, theirs",
    [("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")],
)
@given(P_VALUES)
def test_same_as_statsmodels(ours, theirs, p):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)  # its Holm collects garbage each time
        expected = multipletests(p, method=theirs)[1]
    np.testing.assert_allclose(CORRECTIONS[ours].adjust(p), expected, rtol=1e-12)


def step_down(observed, null):
    """Romano and Wolf's adjusted p, one pair and one replicate at a time."""
    n_pairs, n = len(null), len(null[0])
    spread = [np.std(row) for row in null]
    varies = [k for k in range(n_pairs) if spread[k] > 1e-9]
    t = {k: abs(observed[k]) / spread[k] for k in varies}
    largest_first = sorted(varies, key=lambda k: -t[k])
    p, so_far = [1.0] * n_pairs, 0.0
    for step, pair in enumerate(largest_first):
        left = largest_first[step:]
        c = sum(
            max(abs(null[k][r]) / spread[k] for k in left) >= t[pair] * (1 - 1e-12)
            for r in range(n)
        )
        so_far = max(so_far, (c + 1) / (n + 1))
        p[pair] = so_far
    return p


@st.composite
def families(draw):
    """Observed differences and a joint null, with ties and with pairs that never vary."""
    n_pairs = draw(st.integers(1, 6))
    numbers = st.integers(-8, 8).map(float)
    null = draw(hnp.arrays(float, (n_pairs, 19), elements=numbers))
    same = draw(hnp.arrays(bool, n_pairs, elements=st.sampled_from([False, False, False, True])))
    null[same] = 0.0
    observed = draw(hnp.arrays(float, n_pairs, elements=numbers))
    observed[same] = 0.0
    return observed, null


class TestRomanoWolf:
    @given(families())
    def test_as_defined(self, family):
        np.testing.assert_allclose(romano_wolf(*family), step_down(*family), rtol=1e-12)

    @given(st.integers(0, 2**32))
    def test_as_defined_on_numbers_without_ties(self, seed):
        rng = np.random.default_rng(seed)
        mixed = rng.normal(size=(8, 3)) @ rng.normal(size=(3, 199)) + 0.3 * rng.normal(
            size=(8, 199)
        )
        observed = rng.normal(0, 3, 8)
        np.testing.assert_allclose(
            romano_wolf(observed, mixed), step_down(observed, mixed), rtol=1e-12
        )

    def test_what_was_found_first_is_out_of_the_way_of_the_rest(self):
        rng = np.random.default_rng(3)
        null = rng.normal(size=(2, 9999))
        p = romano_wolf(np.array([9.0, 2.1]), null)
        assert p[0] == 1 / 10_000
        assert (
            p[1] == approximate_randomization(np.array([2.1]), null[1:])[0]
        )  # not the 2 p of a single step

    def test_rounding_breaks_no_tie(self):
        null = np.repeat([[1.0, -1.0]], 50, axis=1)
        assert romano_wolf(np.array([1.0]), null * (1 - 1e-13)) == 1

    def test_a_constant_difference_keeps_its_p_and_comes_first(self):
        """Its centred draws are all 0, rounding apart, so that none is as large as the
        difference.
        """
        null = np.random.default_rng(5).normal(size=(3, 199))
        others, constant = np.array([2.2, -1.0, 0.4]), np.array([[1e-17] * 199, [0.0] * 199])
        p = romano_wolf(np.concatenate([[0.3, -5.0], others]), np.vstack([constant, null]))
        assert (
            p[:2].tolist()
            == approximate_randomization(np.array([0.3, -5.0]), constant).tolist()
            == [1 / 200] * 2
        )
        np.testing.assert_array_equal(p[2:], romano_wolf(others, null))

    def test_a_constant_null_as_large_as_the_difference_shows_nothing(self):
        null = np.vstack([np.full(99, -2.0), np.random.default_rng(5).normal(size=99)])
        assert romano_wolf(np.array([2.0, 9.0]), null).tolist() == [1, 1 / 100]
