"""Intervals of words by frequency and of segments by length hold for all rows of a table together."""

import numpy as np
import pytest

from mtsig_core import TestSet
from mtsig_core.experiments.breakdown import break_down
from mtsig_core.results import SamplingSettings
from mtsig_core.simulation.corpus import load_demo

pytestmark = [pytest.mark.statistics, pytest.mark.long]

SIZE, REPEATS = 400, 200


def test_all_rows_hold_the_truth_in_95_of_100_test_sets():
    """A coin for each segment says which system has which output, so that no row truly differs."""
    demo = load_demo()
    outputs = [demo.systems["Spanish"], demo.systems["Danish"]]
    rng = np.random.default_rng(1)
    n_held = {"words": 0, "lengths": 0}
    for _ in range(REPEATS):
        drawn = np.sort(rng.choice(demo.n_segments, SIZE, replace=False)).tolist()
        coins = rng.integers(2, size=SIZE).tolist()
        systems = {
            name: [outputs[coin ^ other][k] for k, coin in zip(drawn, coins, strict=True)]
            for other, name in enumerate("AB")
        }
        references = {"ref": [demo.references["ref"][k] for k in drawn]}
        settings = SamplingSettings("segment", None, 0.05, 500, 0, "")
        found = break_down(TestSet("null", systems, references), "bleu", "A", "B", settings)
        for table in n_held:
            intervals = [row.ci for row in getattr(found, table) if row.ci is not None]
            assert len(intervals) >= 6
            n_held[table] += all(low <= 0 <= high for low, high in intervals)
    held = {table: n / REPEATS for table, n in n_held.items()}
    assert all(0.91 <= share <= 0.985 for share in held.values()), held  # of one row each: 0.7
