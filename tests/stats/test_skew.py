"""Systems set apart by a few units: who is named, by which units, and what the other test says
there.
"""

import math

import numpy as np
import pytest

from mtsig_core import compare
from mtsig_core.stats.skew import chance_skewness, measure_skewness
from tests.builders.results import select_cautions
from tests.builders.score_tables import rated_systems

QUICK = {"trials": 499, "resamples": 200}
N = 60


def failing(seed=5, systems="ABCDE", units=(7, 21, 40), points=-25.0, lower_is_better=False):
    """Normal scores of equal systems; A fails in some units, and makes up for most of it in the
    others.
    """
    rng = np.random.default_rng(seed)
    scores = {name: rng.normal(70, 3, N) for name in systems}
    scores["A"] = scores["A"] + 3.0
    for unit in units:
        scores["A"][unit] += points
    return {name: (-row if lower_is_better else row) for name, row in scores.items()}


def rated(scores, documents=None, lower_is_better=False):
    return rated_systems(scores, documents, higher=not lower_is_better)


def cautioned(testset, **settings):
    comparison = compare(testset, ["human"], **{**QUICK, **settings})
    return next(iter(select_cautions(comparison, "skewed-system")), None)


class TestWho:
    def test_the_one_that_fails_in_some_units(self):
        caution = cautioned(rated(failing()))
        assert caution.facts["systems"] == ("A",) and caution.facts["is_worse"]
        assert set(caution.facts["named"]) == {"line 8", "line 22", "line 41"}

    def test_one_in_the_middle_of_the_others(self):
        scores = failing(systems="ABCDEF")
        for name, shift in zip("BCDEF", (4, 5, -3, -4, -5), strict=True):
            scores[name] = scores[name] + shift
        assert cautioned(rated(scores)).facts["systems"] == ("A",)

    def test_documents_have_names(self):
        scores = {name: np.repeat(row, 3) for name, row in failing().items()}
        documents = [f"talk {k // 3}" for k in range(3 * N)]
        caution = cautioned(rated(scores, documents))
        assert (
            set(caution.facts["named"]) == {"talk 7", "talk 21", "talk 40"}
            and caution.facts["n"] == N
        )

    def test_blocks_have_none(self):
        scores = {name: np.repeat(row, 3) for name, row in failing().items()}
        assert cautioned(rated(scores), unit="block", block_length=3.0).facts["named"] == ()

    def test_a_few_units_may_favour_it(self):
        assert not cautioned(rated(failing(points=25.0))).facts["is_worse"]

    @pytest.mark.parametrize("points, is_worse", [(-25.0, True), (25.0, False)])
    def test_where_lower_is_better(self, points, is_worse):
        testset = rated(failing(points=points, lower_is_better=True), lower_is_better=True)
        assert cautioned(testset).facts["is_worse"] is is_worse

    def test_two_that_fail_in_other_units(self):
        scores = failing(systems="ABCDEF")
        scores["B"][[3, 30, 50]] -= 25.0
        assert set(cautioned(rated(scores)).facts["systems"]) == {"A", "B"}

    def test_units_that_all_fail_in_set_nobody_apart(self):
        scores = {
            name: row - (25.0 if name != "A" else 0.0) * np.isin(np.arange(N), [7, 21, 40])
            for name, row in failing().items()
        }
        assert cautioned(rated(scores)) is None

    @pytest.mark.parametrize("seed", range(3))
    def test_normal_systems_are_not_named(self, seed):
        assert cautioned(rated(failing(seed, units=()))) is None

    def test_nobody_of_two(self):
        assert cautioned(rated(failing(systems="AB"))) is None

    def test_copies_of_one_system(self):
        scores = failing()
        assert cautioned(rated({"A": scores["B"], "B": scores["B"], "C": scores["B"]})) is None

    def test_gaps(self):
        scores = failing()
        for place, row in enumerate(scores.values()):
            row[(np.arange(N) + place) % 9 == 1] = np.nan
        assert cautioned(rated(scores)).facts["systems"] == ("A",)


class TestHowMuch:
    def test_share_of_the_spread_by_loops(self):
        scores = failing()
        caution = cautioned(rated(scores))
        apart = []
        for unit in range(N):
            apart.append(scores["A"][unit] - sum(scores[name][unit] for name in "BCDE") / 4)
        average = sum(apart) / N
        squares = [(x - average) ** 2 for x in apart]
        far = [square for square in squares if math.sqrt(square) >= 0.5 * math.sqrt(max(squares))]
        assert caution.facts["n_far"] == len(far) == 3
        assert caution.facts["share"] == pytest.approx(sum(far) / sum(squares), rel=1e-6)

    def test_skewness_by_loops(self):
        row = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]
        left_out = [(sum(row) - x) / 5 for x in row]
        average = sum(row) / 6
        third = sum((x - average) ** 3 for x in row) / 6
        second = sum((x - average) ** 2 for x in row) / 6
        assert measure_skewness(np.array([left_out]))[0] == pytest.approx(third / second**1.5)

    def test_what_chance_gives_normal_sums(self):
        """Of equal units sqrt(6 / n); of unequal ones as simulated."""
        rng = np.random.default_rng(0)
        sizes = np.array([1, 1, 2, 3, 5, 8, 13, 21] * 30)
        sums = rng.normal(size=(4000, len(sizes))) * np.sqrt(sizes)
        skewness = (sums**3).mean(axis=1) / (sums**2).mean(axis=1) ** 1.5
        about_0 = math.sqrt(
            15 / 6
        )  # the mean is known to be 0 here, which leaves 15 / n in place of 6 / n
        assert chance_skewness(sizes) * about_0 == pytest.approx(skewness.std(), rel=0.15)


class TestTheOtherTest:
    def differing(self, **settings):
        """Pairs that are significant by the default test and not by the studentised bootstrap, from
        two comparisons.
        """
        scores = failing(seed=11)
        for place, name in enumerate(scores):
            scores[name] = scores[name] + 0.45 * place
        testset = rated(scores)
        by_swaps, by_bootstrap = (
            compare(testset, ["human"], test=test, **{**QUICK, **settings}).metrics["human"].pairs
            for test in ("ar", "bootstrap-t")
        )
        lost = {
            (one.a, one.b)
            for one, other in zip(by_swaps, by_bootstrap, strict=True)
            if one.better is not None and other.better is None
        }
        return (
            lost,
            sum(one.better is not None for one in by_bootstrap),
            cautioned(testset, **settings),
        )

    @pytest.mark.parametrize(
        "settings", [{}, {"correction": "holm"}, {"correction": "none"}, {"baseline": "A"}]
    )
    def test_it_says_what_the_test_itself_would(self, settings):
        lost, n_found, caution = self.differing(**settings)
        assert set(caution.facts["lost"]) == lost and caution.facts["n_other"] == n_found

    def test_pairs_are_named(self):
        lost, _, caution = self.differing(correction="none")
        assert lost and all(f"{a} - {b}" in caution.text for a, b in lost)

    def test_beside_itself_it_says_nothing(self):
        caution = cautioned(rated(failing()), test="bootstrap-t")
        assert caution.facts["n_other"] is None and caution.remedies == ()

    def test_published_tests_have_a_caution_of_their_own(self):
        assert cautioned(rated(failing()), test="koehn") is None


def test_no_rank_range_is_said_to_hold_then():
    from mtsig_core import paper_sentences

    whole, usual = (
        paper_sentences(compare(rated(failing(units=units)), ["human"], **QUICK), "human")
        for units in ((7, 21, 40), ())
    )
    assert "hold jointly" not in whole and "hold together" not in whole and "set A apart" in whole
    assert "hold jointly" in usual and "hold together" in usual
