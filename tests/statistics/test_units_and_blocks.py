"""On a real test set: blocks differ more than segments from all over, and the document takes
conclusions back.
"""

import pytest

from mtsig_core import read_wmt
from mtsig_core.experiments.error_rates import unit_changes
from mtsig_core.experiments.sampling import spreads

pytestmark = pytest.mark.statistics


@pytest.fixture(scope="module")
def testset(wmt24):
    return read_wmt(wmt24, "en-de").scored_with(["refA"])


BOTH = pytest.mark.parametrize("metric", ["bleu", pytest.param("chrf", marks=pytest.mark.long)])


@BOTH
def test_blocks_spread_wider_the_longer_they_are(testset, metric):
    median = {size: ratios[1] for size, ratios in spreads(testset, metric).ratios().items()}
    assert list(median) == [10, 20, 30, 50, 100]
    assert 1.3 < median[10] < median[100] and all(
        ratio > 1.5 for size, ratio in median.items() if size > 10
    )
    shuffled = [
        spreads(testset, metric, sizes=(20,), shuffle=True, seed=seed).ratios()[20][1]
        for seed in range(10)
    ]
    assert 0.9 < sum(shuffled) / 10 < 1.1


@BOTH
def test_documents_take_conclusions_back(testset, metric):
    found = unit_changes(testset, metric)
    assert found.n_pairs == 325 and 1.11 < found.se_ratio_median < 1.44  # seen on WMT22-24
    for correction in ("none", "holm", "romano-wolf"):
        row = found.row(correction)
        assert row.document_only == 0 < row.segment_only < 30
