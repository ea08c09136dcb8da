"""The draws behind a comparison: what `compare` says follows from them, to the last digit."""

import numpy as np
import pytest

from mtsig_core import compare, decide, draw
from tests.builders.replicates import draw_again
from tests.builders.score_tables import rated_systems
from tests.builders.toys import Given, bleu, bleu_counts, toy

COUNTS, DOCUMENTS = bleu_counts(seed=8, qualities=[0.1, 0, 0.3], n_segments=120)
TOY = toy(3, 120, DOCUMENTS)
GIVEN = Given(dict(zip(TOY.systems, COUNTS, strict=True)), bleu)
FEW = {"trials": 299, "resamples": 200}


def check_draws(draws, metric, alpha=0.05):
    """Check the intervals and standard errors of a comparison against its draws."""
    result = decide(draws, ci="percentile", alpha=alpha).metrics[metric]
    scores, differences = draws.scores(metric), draws.differences(metric)
    for rows, values in ((result.systems, scores), (result.pairs, differences)):
        assert values.shape == (len(rows), FEW["resamples"])
        for row, replicates in zip(rows, values, strict=True):
            if row.ci_low is not None:
                interval = np.quantile(replicates, [alpha / 2, 1 - alpha / 2])
                assert (row.ci_low, row.ci_high) == pytest.approx(interval, rel=1e-12)
    for pair, replicates in zip(result.pairs, differences, strict=True):
        if np.isnan(replicates).any():
            assert pair.se is None
        else:
            assert pair.se == replicates.std(ddof=1)


@pytest.mark.parametrize(
    "settings", [{}, {"unit": "segment"}, {"unit": "block", "block_length": 4}, {"baseline": "B"}]
)
def test_swaps_give_p(settings):
    comparison = compare(TOY, [GIVEN], seed=5, **FEW, **settings)
    swapped = draw_again(comparison, TOY, GIVEN)
    assert swapped.shape == (len(comparison.metrics["given"].pairs), 299)
    for pair, replicates in zip(comparison.metrics["given"].pairs, swapped, strict=True):
        assert pair.p_value == ((np.abs(replicates) >= abs(pair.delta) - 1e-9).sum() + 1) / 300
    if "baseline" not in settings:
        check_draws(draw(TOY, [GIVEN], seed=5, **FEW, **settings), "given")


def test_bootstrapped_differences_give_p_and_wins():
    check_draws(draw(TOY, [GIVEN], test="bootstrap", **FEW), "given")
    comparison = compare(TOY, [GIVEN], test="bootstrap", **FEW)
    drawn_rows = draw_again(comparison, TOY, GIVEN)
    for pair, replicates in zip(comparison.metrics["given"].pairs, drawn_rows, strict=True):
        n_extreme = (np.abs(replicates - replicates.mean()) >= abs(pair.delta) - 1e-9).sum()
        assert pair.p_value == (n_extreme + 1) / 300
    comparison = compare(TOY, [GIVEN], test="koehn", **FEW)
    drawn_rows = draw_again(comparison, TOY, GIVEN)
    for pair, replicates in zip(comparison.metrics["given"].pairs, drawn_rows, strict=True):
        assert pair.win == pytest.approx((replicates > 0).mean()) and replicates.shape == (299,)


def test_scores_of_segments_and_what_they_lack():
    rng = np.random.default_rng(2)
    scores = rng.normal([[70], [68], [60], [50]], 9, (4, 50))
    scores[0, 45:] = scores[1, :20] = scores[2, 10:30] = scores[3, :45] = np.nan
    by_system = dict(zip("ABCD", scores, strict=True))
    testset = rated_systems(by_system)
    check_draws(draw(testset, "human", **FEW), "human")
    comparison = compare(testset, "human", **FEW)
    is_apart = [{pair.a, pair.b} == {"A", "D"} for pair in comparison.metrics["human"].pairs]
    swapped = draw_again(comparison, testset)
    assert np.isnan(swapped).all(axis=1).tolist() == is_apart and sum(is_apart) == 1
    two = testset.only("AB")
    (differences,) = draw_again(compare(two, "human", test="t", **FEW), two)
    a, b = by_system["A"], by_system["B"]
    np.testing.assert_allclose(np.abs(differences), np.abs(a - b))  # NaN where one has none
