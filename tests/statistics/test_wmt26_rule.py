"""How often WMT26's rule separates systems that are equal."""

import numpy as np
import pytest

from mtsig_core.stats.ranks import wmt26

DOCUMENTS, SYSTEMS, RATERS = 60, 6, 6


def rate_equal_systems(rng, both_rounds):
    """Scores of items: three systems of each document are rated at once, once or in two rounds.

    A document has one to six items. Systems are equal on average, and differ by document.
    """
    n_items = rng.integers(1, 7, DOCUMENTS)
    document = np.repeat(np.arange(DOCUMENTS), n_items)
    level = 75 + rng.normal(0, 6, DOCUMENTS)
    by_document = rng.normal(0, 4, (SYSTEMS, DOCUMENTS))
    strictness = rng.normal(0, 7, RATERS)
    total, n_ratings = np.zeros((2, SYSTEMS, len(document)))
    for turn in range(DOCUMENTS * (1 + both_rounds)):
        chosen = turn % DOCUMENTS
        items = np.flatnonzero(document == chosen)
        for system in rng.choice(SYSTEMS, 3, replace=False):
            mean = level[chosen] + by_document[system, chosen] + strictness[turn % RATERS]
            noise = rng.normal(0, 9, len(items))
            total[system, items] += np.clip(mean + noise, 0, 100)
            n_ratings[system, items] += 1
    with np.errstate(invalid="ignore"):
        return total / n_ratings


@pytest.mark.statistics
def test_wmt26_separates_some_pair_in_most_campaigns_with_equal_systems():
    rng = np.random.default_rng(26)
    separated = []
    for campaign in range(200):
        _, ranks = wmt26(rate_equal_systems(rng, both_rounds=campaign % 2), 0.05)
        separated.append(ranks.better.any())
    assert np.mean(separated) > 0.6
