"""The draws behind a comparison: what `compare` says follows from them, to the last digit."""

import numpy as np
import pytest

from mtsig_core import SegmentScores, SettingError, TestSet, compare, make_metric
from mtsig_core.stats.comparison import replicates
from tests.builders.toys import Given, bleu, bleu_counts, toy

COUNTS, DOCUMENTS = bleu_counts(seed=8, qualities=[0.1, 0, 0.3], n_segments=120)
TOY = toy(3, 120, DOCUMENTS)
GIVEN = Given(dict(zip(TOY.systems, COUNTS, strict=True)), bleu)
FEW = {"trials": 299, "resamples": 200, "ci": "percentile"}


def agree(found, drawn, metric, alpha=0.05):
    """Check the intervals and standard errors of a comparison against its draws."""
    result = found.metrics[metric]
    assert drawn.systems == tuple(row.system for row in result.systems)
    assert drawn.pairs == tuple((pair.a, pair.b) for pair in result.pairs)
    for rows, values in ((result.systems, drawn.scores), (result.pairs, drawn.differences)):
        assert values.shape == (len(rows), found.settings.resamples)
        for row, own in zip(rows, values, strict=True):
            if row.ci_low is not None:
                ends = np.quantile(own, [alpha / 2, 1 - alpha / 2])
                assert (row.ci_low, row.ci_high) == pytest.approx(ends, rel=1e-12)
    for pair, own in zip(result.pairs, drawn.differences, strict=True):
        assert pair.se is None if np.isnan(own).any() else pair.se == own.std(ddof=1)


@pytest.mark.parametrize(
    "settings", [{}, {"unit": "segment"}, {"unit": "block", "block_length": 4}, {"baseline": "B"}]
)
def test_swaps_give_p(settings):
    found = compare(TOY, [GIVEN], seed=5, **FEW, **settings)
    drawn = replicates(found, TOY, GIVEN)
    agree(found, drawn, "given")
    assert drawn.tested.shape == (len(drawn.pairs), 299)
    for pair, swapped in zip(found.metrics["given"].pairs, drawn.tested, strict=True):
        assert pair.p_value == ((np.abs(swapped) >= abs(pair.delta) - 1e-9).sum() + 1) / 300


def test_bootstrapped_differences_give_p_and_wins():
    found = compare(TOY, [GIVEN], test="bootstrap", **FEW)
    drawn = replicates(found, TOY, GIVEN)
    agree(found, drawn, "given")
    for pair, own in zip(found.metrics["given"].pairs, drawn.tested, strict=True):
        assert (
            pair.p_value == ((np.abs(own - own.mean()) >= abs(pair.delta) - 1e-9).sum() + 1) / 300
        )
    found = compare(TOY, [GIVEN], test="koehn", **FEW)
    for pair, own in zip(
        found.metrics["given"].pairs, replicates(found, TOY, GIVEN).tested, strict=True
    ):
        assert pair.win == pytest.approx((own > 0).mean()) and own.shape == (299,)


def test_scores_of_segments_and_what_they_lack():
    rng = np.random.default_rng(2)
    scores = rng.normal([[70], [68], [60], [50]], 9, (4, 50))
    scores[1, :20], scores[2, 10:30], scores[3, :45], scores[0, 45:] = (
        np.nan,
        np.nan,
        np.nan,
        np.nan,
    )
    by_system = dict(zip("ABCD", scores, strict=True))
    testset = TestSet(
        "rated",
        {name: [None] * 50 for name in "ABCD"},
        {},
        scores={"human": SegmentScores(by_system)},
    )
    found = compare(testset, "human", **FEW)
    drawn = replicates(found, testset)
    agree(found, drawn, "human")
    apart = [{pair.a, pair.b} == {"A", "D"} for pair in found.metrics["human"].pairs]
    assert np.isnan(drawn.tested).all(axis=1).tolist() == apart and sum(apart) == 1
    student = replicates(compare(testset.only("AB"), "human", test="t", **FEW), testset.only("AB"))
    a, b = by_system["A"], by_system["B"]
    np.testing.assert_allclose(np.abs(student.tested[0]), np.abs(a - b))  # NaN where one has none


def test_another_test_set_or_metric_is_refused():
    found = compare(toy(2, 5), trials=99, resamples=50)
    with pytest.raises(SettingError, match="is of toy with other texts"):
        replicates(found, toy(2, 6))
    with pytest.raises(SettingError, match="Unknown metric 'ter'.*Available: bleu"):
        replicates(found, toy(2, 5), "ter")
    with pytest.raises(
        SettingError, match=r"The comparison has bleu as .*tok:13a.*, and this is .*tok:char"
    ):
        replicates(found, toy(2, 5), make_metric("bleu", tokenize="char"))
    with pytest.raises(SettingError, match="jobs is 0"):
        replicates(found, toy(2, 5), jobs=0)
