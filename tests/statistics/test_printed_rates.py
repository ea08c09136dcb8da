"""What is printed of the tests that reject too often: their rates of true nulls, with equal units
and without.
"""

import numpy as np
import pytest

from mtsig_core.stats.few_units import p_floor
from mtsig_core.stats.resampling import effective_number
from mtsig_core.stats.significance import TESTS, riezler_maxwell, win_rates
from tests.builders.cases import brief

REPEATS, DRAWS, AT_ONCE = 2000, 499, 200
ERROR = 3 * (0.15 * 0.85 / REPEATS) ** 0.5  # of a rate, three standard deviations


def rates(sizes, seed=0):
    """Shares of true nulls that Koehn's test concludes in, and that of Riezler and Maxwell rejects,
    at .05.

    A document of w segments adds to the difference what has mean 0 and a variance of w times 1 +
    .05 (w - 1). 200 test sets share their bootstrap samples: that takes a fraction of the time, and
    biases no rate.
    """
    rng, n = np.random.default_rng(seed), len(sizes)
    koehn = rejected = 0
    for _ in range(REPEATS // AT_ONCE):
        added = rng.normal(size=(AT_ONCE, n)) * np.sqrt(sizes * (1 + 0.05 * (sizes - 1)))
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(float)
        d = added @ drawn.T / (drawn @ sizes)
        koehn += np.sum(np.maximum(*win_rates(d)) >= 0.95)
        rejected += np.sum(riezler_maxwell(added.sum(axis=1) / sizes.sum(), d) <= 0.05)
    return koehn / REPEATS, rejected / REPEATS


def test_many_equal_units():
    koehn, rejected = rates(np.full(300, 6.0))
    assert abs(koehn - 0.10) < ERROR and abs(rejected - 0.11) < ERROR
    assert "about 10% false alarms" in TESTS["koehn"].caution
    assert "about 11% false alarms" in TESTS["riezler-maxwell"].caution


@pytest.mark.parametrize("n", brief(0, [(30,), (50,), (100,)]))
def test_others_with_few_and_unequal_documents(n):
    """Of one pair: randomization keeps its level; the bootstraps take few unequal documents for all
    there are, and reject more. Of families see test_few_units.
    """
    rng, rejected = np.random.default_rng(n), {"ar": 0, "bootstrap": 0, "percentile": 0}
    sizes = np.clip(rng.lognormal(1, 1.1, n).astype(int), 1, 76)
    for _ in range(REPEATS):
        added = rng.normal(size=n) * np.sqrt(sizes * (1 + 0.05 * (sizes - 1)))
        observed = np.array([added.sum() / sizes.sum()])
        swapped = rng.choice([-1.0, 1.0], (DRAWS, n)) @ added / sizes.sum()
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS)
        drawn = drawn @ added / (drawn @ sizes)
        for test in rejected:
            rejected[test] += (
                TESTS[test].p_values(observed, (swapped if test == "ar" else drawn)[None])[0]
                <= 0.05
            )
    rates = {test: count / REPEATS for test, count in rejected.items()}
    assert abs(rates["ar"] - 0.05) < ERROR and all(
        0.05 - ERROR < rate < 0.10 + ERROR for rate in rates.values()
    ), rates


@pytest.mark.parametrize("n", [3, 5, 6, 9, 10])
def test_bootstraps_of_few_equal_units(n):
    """Of five and fewer p is never small enough, though it would be far too often; of six to nine
    it often is.
    """
    rng, drawn_alone, raised = (
        np.random.default_rng(n),
        dict.fromkeys(("bootstrap", "percentile"), 0.0),
        {},
    )
    added = rng.normal(size=(REPEATS, n))
    drawn = added @ rng.multinomial(n, np.full(n, 1 / n), size=DRAWS).T / n
    one_side = np.mean((added > 0).all(axis=1) | (added < 0).all(axis=1))
    for test in drawn_alone:
        p, floor = (
            TESTS[test].p_values(added.mean(axis=1), drawn),
            p_floor(TESTS[test], "segment", n),
        )
        drawn_alone[test], raised[test] = np.mean(p <= 0.05), np.mean(np.maximum(p, floor) <= 0.05)
        assert raised[test] == (0 if n < 6 else drawn_alone[test])
        assert "With fewer than 10 units p is at least 2/2^n" in TESTS[test].with_few
    assert abs(one_side - 2 / 2**n) < ERROR and floor == (2 / 2**n if n < 10 else 0)
    low, high = (0.10, 0.13) if 6 <= n <= 9 else (0.14, 0.31) if n < 6 else (0.08, 0.12)
    assert all(low - ERROR < rate < high + ERROR for rate in drawn_alone.values()), drawn_alone


@pytest.mark.parametrize(
    "sizes",
    [
        np.full(6, 1.0),
        np.full(9, 1.0),
        np.full(20, 6.0),
        np.random.default_rng(1).lognormal(1.0, 1.1, 170),
        np.random.default_rng(2).lognormal(1, 1.1, 60),
    ],
    ids=lambda sizes: f"{len(sizes)} worth {effective_number(sizes):.0f}",
)
def test_few_or_unequal_ones(sizes):
    koehn, rejected = rates(sizes)
    assert 0.10 - ERROR < koehn < 0.18 + ERROR and 0.12 - ERROR < rejected < 0.19 + ERROR
    assert (
        "few or unequal units" in TESTS["koehn"].caution and "up to 18%" in TESTS["koehn"].caution
    )
    assert "up to 19% with few or unequal ones" in TESTS["riezler-maxwell"].caution
