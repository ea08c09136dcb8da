"""How long a pool takes, with a clock that only drawing moves."""

import numpy as np
import pytest

from mtsig_core import TestSet
from mtsig_core.experiments import pool_time
from mtsig_core.experiments.pool_time import seconds_per_sample

TOY = TestSet("toy",
              {"A": ["a b c d e"] * 30 + ["a b c d x"] * 30, "B": ["a b c d x"] * 60}, {"ref": ["a b c d e"] * 60})


@pytest.mark.parametrize("cost", [1e-6, 0.001, 2.0])
def test_each_sample_costs_what_it_costs_and_loading_does_not_count(monkeypatch, cost):
    now, drawn = [0.0], []

    def slow(data, n, seed, *, jobs):
        now[0] += n * cost + (100 if not drawn else 0)
        drawn.append((n, jobs, data.shape[1]))
        return np.zeros((1, n))

    monkeypatch.setattr(pool_time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(pool_time.engine, "bootstrap_scores", slow)
    assert seconds_per_sample(TOY, "bleu", "B", unit="segment", jobs=3) == pytest.approx(cost)
    assert all(jobs == 3 and systems == 1 for _, jobs, systems in drawn)
    assert drawn[-1][0] * cost >= 0.2 and (len(drawn) == 2 or drawn[-2][0] * cost < 0.2)  # and no more than it takes


def test_here_and_now():
    assert 0 < seconds_per_sample(TOY, "bleu", unit="segment")
