"""Corrections, against statsmodels and plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from statsmodels.stats.multitest import multipletests

from mtsig_core.stats.significance import ADJUSTMENTS, CORRECTIONS, approximate_randomization, romano_wolf

# as of 99 trials: never 0, many ties
P_VALUES = hnp.arrays(float, st.integers(1, 30), elements=st.integers(1, 100).map(lambda c: c / 100))


@pytest.mark.parametrize("ours, theirs", [
    ("bonferroni", "bonferroni"), ("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")])
@given(P_VALUES)
def test_same_as_statsmodels(ours, theirs, p):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gc.collect", lambda: 0)  # its Holm collects garbage each time
        expected = multipletests(p, method=theirs)[1]
    np.testing.assert_allclose(ADJUSTMENTS[ours](p), expected, rtol=1e-12)


@given(P_VALUES)
def test_none_returns_a_copy(p):
    adjusted = ADJUSTMENTS["none"](p)
    np.testing.assert_array_equal(adjusted, p)
    assert adjusted is not p


@pytest.mark.parametrize("name", ADJUSTMENTS)
@given(P_VALUES, st.randoms(use_true_random=False))
def test_order_does_not_matter(name, p, random):
    order = random.sample(range(len(p)), len(p))
    np.testing.assert_allclose(ADJUSTMENTS[name](p[order]), ADJUSTMENTS[name](p)[order], rtol=1e-12)


@pytest.mark.parametrize("name", ADJUSTMENTS)
def test_one_pair_needs_no_correction(name):
    assert ADJUSTMENTS[name](np.array([0.03])) == pytest.approx(0.03)


def test_names_on_the_command_line():
    assert CORRECTIONS == ("none", "bonferroni", "holm", "bh", "by", "romano-wolf")


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
        c = sum(max(abs(null[k][r]) / spread[k] for k in left) >= t[pair] * (1 - 1e-12) for r in range(n))
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
        mixed = rng.normal(size=(8, 3)) @ rng.normal(size=(3, 199)) + 0.3 * rng.normal(size=(8, 199))
        observed = rng.normal(0, 3, 8)
        np.testing.assert_allclose(romano_wolf(observed, mixed), step_down(observed, mixed), rtol=1e-12)

    @given(families(), st.randoms(use_true_random=False))
    def test_order_of_pairs_does_not_matter(self, family, random):
        observed, null = family
        order = random.sample(range(len(null)), len(null))
        np.testing.assert_allclose(romano_wolf(observed[order], null[order]), romano_wolf(observed, null)[order])

    @given(families())
    def test_exchanging_the_systems_of_a_pair_does_not_matter(self, family):
        observed, null = family
        observed, null, p = observed.copy(), null.copy(), romano_wolf(observed, null)
        observed[0], null[0] = -observed[0], -null[0]
        np.testing.assert_array_equal(romano_wolf(observed, null), p)

    @given(families())
    def test_at_least_the_p_of_the_pair_alone(self, family):
        observed, null = family
        adjusted = romano_wolf(observed, null)
        assert (adjusted >= approximate_randomization(observed, null) - 1e-12).all()
        assert (adjusted <= 1).all()

    def test_one_pair_keeps_its_p(self):
        null = np.random.default_rng(1).normal(size=(1, 999))
        observed = np.array([1.7])
        assert romano_wolf(observed, null) == approximate_randomization(observed, null)

    def test_beats_holm_where_pairs_go_together(self):
        rng = np.random.default_rng(2)
        null = rng.normal(size=(1, 9999)) + 0.1 * rng.normal(size=(20, 9999))
        observed = np.full(20, 2.6)
        holm = ADJUSTMENTS["holm"](approximate_randomization(observed, null))
        assert romano_wolf(observed, null).max() < 0.5 * holm.min()

    def test_what_was_found_first_is_out_of_the_way_of_the_rest(self):
        rng = np.random.default_rng(3)
        null = rng.normal(size=(2, 9999))
        p = romano_wolf(np.array([9.0, 2.1]), null)
        assert p[0] == 1 / 10_000
        assert p[1] == approximate_randomization(np.array([2.1]), null[1:])[0]  # not the 2 p of a single step

    def test_pairs_that_never_vary_get_1_and_change_nothing(self):
        rng = np.random.default_rng(4)
        null, observed = rng.normal(size=(3, 999)), np.array([3.0, 2.0, 1.0])
        p = romano_wolf(np.append(observed, 0.0), np.vstack([null, np.full((1, 999), 1e-13)]))
        np.testing.assert_array_equal(p, [*romano_wolf(observed, null), 1])

    def test_nothing_varies(self):
        assert romano_wolf(np.zeros(3), np.zeros((3, 99))).tolist() == [1, 1, 1]

    def test_rounding_breaks_no_tie(self):
        null = np.repeat([[1.0, -1.0]], 50, axis=1)
        assert romano_wolf(np.array([1.0]), null * (1 - 1e-13)) == 1

    def test_a_constant_difference_keeps_its_p_and_comes_first(self):
        """Its centred draws are all 0, rounding apart, so that none is as large as the difference."""
        null = np.random.default_rng(5).normal(size=(3, 199))
        others, constant = np.array([2.2, -1.0, 0.4]), np.array([[1e-17] * 199, [0.0] * 199])
        p = romano_wolf(np.concatenate([[0.3, -5.0], others]), np.vstack([constant, null]))
        assert p[:2].tolist() == approximate_randomization(np.array([0.3, -5.0]), constant).tolist() == [1 / 200] * 2
        np.testing.assert_array_equal(p[2:], romano_wolf(others, null))

    def test_a_constant_null_as_large_as_the_difference_shows_nothing(self):
        null = np.vstack([np.full(99, -2.0), np.random.default_rng(5).normal(size=99)])
        assert romano_wolf(np.array([2.0, 9.0]), null).tolist() == [1, 1 / 100]
