"""Few units: all swaps in place of random ones, against enumeration by loops; what so few of them can decide."""

import itertools
import json

import numpy as np
import pytest

from mtsig_core import Comparison, TestSet, compare, examine_pair, replicates
from mtsig_core.data.segment_scores import SegmentScores
from mtsig_core.report.export import comparison_json
from mtsig_core.report.sentences import paper_sentences
from mtsig_core.report.tables import summary
from tests.toys import bleu, bleu_counts, compare_given, mean, segment_scores

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
    """Romano and Wolf's exact adjusted p: of all swaps, those whose largest t among the pairs left reaches a pair's."""
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
        every = {(pair.a, pair.b): all_differences(by_unit, bleu, place[pair.a], place[pair.b])
                 for pair in result.pairs}
        adjusted = step_down(every)
        for pair in result.pairs:
            d = every[pair.a, pair.b]
            assert pair.p_value == np.mean(np.abs(d) >= np.abs(d[0]) - 1e-9)
            assert pair.p_adjusted == adjusted[pair.a, pair.b]

    def test_neither_trials_nor_seed_matter(self):
        statistics = segment_scores(0, [66, 62, 60], 8)
        ps = [[(pair.p_value, pair.p_adjusted) for pair in compare_given(
            statistics, mean, trials=trials, seed=seed, resamples=99).pairs] for trials, seed in ((10, 0), (2000, 7))]
        assert ps[0] == ps[1]

    def test_the_comparison_says_so(self):
        found = compare(TestSet("toy", {"A": ["a b c d e"] * 5, "B": ["a b c d"] * 5}, {"ref": ["a b c d e"] * 5}),
                        **QUICK)
        assert found.settings.trials == 31 and "all 32 swaps, exact" in summary(found)[1]
        assert "segments as units, all 32 swaps (p is exact) and" in paper_sentences(found, "bleu")
        assert Comparison.from_json(comparison_json(found)) == found
        data = json.loads(comparison_json(found))["metrics"]["bleu"]
        assert (data["trials"], data["exact"]) == (31, True)
        for key in ("trials", "exact"):  # results of versions that did not say
            del data[key]
        old = Comparison.from_json(json.dumps({**json.loads(comparison_json(found)), "metrics": {"bleu": data}}))
        assert not old.metrics["bleu"].exact and "31 trials" in summary(old)[1]

    @pytest.mark.parametrize("settings", [dict(test="bootstrap"), dict(unit="block", block_length=2.0)])
    def test_other_tests_and_blocks_draw(self, settings):
        result = compare_given(segment_scores(0, [66, 62], 8), mean, **QUICK, **settings)
        assert not result.exact and result.trials == 999 and "|trials:999|" in result.signature

    def test_no_doubt_by_monte_carlo_error(self):
        scores = {"A": (9.0, 8.0, 9.0, 7.0, 8.5, 6.0), "B": (5.0, 4.0, 6.0, 5.0, 3.0, 5.5)}
        testset = TestSet("toy", {"A": ["x"] * 6, "B": ["y"] * 6}, {"ref": ["z"] * 6},
                          scores={"human": SegmentScores(scores)})
        found = compare(testset, "human", alpha=2 / 64, **QUICK)
        assert found.metrics["human"].pairs[0].p_adjusted == 2 / 64
        assert not [caution for caution in found.warnings if caution.code == "near-alpha"]

    def test_a_pair_is_examined_by_the_same_swaps(self):
        testset = TestSet("toy", {"A": ["a b c d e", "a b c", "a b c d e f"], "B": ["a b c d", "a b c", "x b c d e f"]},
                          {"ref": ["a b c d e", "a b c", "a b c d e f"]})
        found = examine_pair(testset, "bleu", "A", "B", **QUICK)
        whole = compare(testset, **QUICK)
        assert found.exact and found.swapped.shape == (7,)
        assert found.outcomes[0].p_value == whole.metrics["bleu"].pairs[0].p_value == 0.5  # the second is the same
        assert replicates(whole, testset).tested.tolist() == [found.swapped.tolist()]


class TestMissingRatings:
    ROWS = {"A": [9, 8, 9, 7, 8, 9, 9, 8], "B": [5, 4, 6, 5, NAN, NAN, NAN, 5], "C": [1, 2, NAN, 1, 2, 1, 3, 2]}

    def compared(self, rows, **settings):
        n = len(rows["A"])
        scores = {name: tuple(None if np.isnan(x) else float(x) for x in row) for name, row in rows.items()}
        testset = TestSet("toy", {name: ["x"] * n for name in rows}, {"ref": ["x"] * n},
                          scores={"human": SegmentScores(scores)})
        return compare(testset, ["human", "bleu"], **{**QUICK, **settings})

    @pytest.mark.parametrize("n_unrated", [0, 30])
    def test_p_is_of_the_swaps_of_what_both_have(self, n_unrated):
        found = self.compared({name: row + [NAN] * n_unrated for name, row in self.ROWS.items()}, correction="none")
        human, other = found.metrics["human"], found.metrics["bleu"]
        assert human.exact and human.trials == 255 and other.exact == (n_unrated == 0)
        assert ("all 256 swaps, exact or 999 trials" in summary(found)[1]) == (n_unrated > 0)
        for pair in human.pairs:
            d = np.array(self.ROWS[pair.a], float) - np.array(self.ROWS[pair.b], float)
            d = d[np.isfinite(d)]
            sums = [np.dot(signs, d) for signs in itertools.product([1, -1], repeat=len(d))]
            assert pair.p_value == np.mean(np.abs(sums) >= abs(d.sum()) - 1e-9)
