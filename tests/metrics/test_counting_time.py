"""Time left to wait, with a clock that only counting moves."""

import re
from dataclasses import dataclass, field

import numpy as np
import pytest

from mtsig_core import TestSet, make_metric
from mtsig_core.cli.main import main
from mtsig_core.metrics import counting_time
from mtsig_core.metrics.bleu import Bleu
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.metrics.counting_time import estimate_seconds, long_wait


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self):
        return self.now


@dataclass
class Slow:
    """A metric that takes, for each segment, as many seconds as its reference says."""

    clock: Clock
    name: str = "slow"
    loading: float = 5.0
    counted: list = field(default_factory=list)

    def statistics(self, testset, progress=None):
        (reference,) = testset.references.values()
        self.clock.now += self.loading + sum(map(float, reference))
        self.loading = 0
        self.counted.append(testset.n_segments)
        return np.zeros((len(testset.systems), testset.n_segments, 1))


@pytest.fixture
def clock(monkeypatch):
    moved = Clock()
    monkeypatch.setattr(counting_time, "perf_counter", moved)
    return moved


def with_costs(costs, n_systems=6):
    return TestSet("costs", {f"s{k}": ["a"] * len(costs) for k in range(n_systems)}, {"ref": [str(c) for c in costs]})


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 100, 12_345])
@pytest.mark.parametrize("cost", [1e-6, 0.001, 2.0])
def test_segments_that_cost_the_same(clock, n, cost):
    assert estimate_seconds(Slow(clock), with_costs([cost] * n)) == pytest.approx(n * cost)


def test_the_sample_is_spread(clock):
    costs = np.linspace(0.01, 0.05, 10_000)
    assert estimate_seconds(Slow(clock), with_costs(costs)) == pytest.approx(costs.sum(), rel=0.01)


def test_it_counts_little(clock):
    metric = Slow(clock)
    estimate_seconds(metric, with_costs([0.5] * 10_000))
    assert metric.counted == [1, 16]
    metric = Slow(clock)
    estimate_seconds(metric, with_costs([0.001] * 10_000))
    assert metric.counted == [1, 16, 64, 256]
    metric = Slow(clock)
    estimate_seconds(metric, with_costs([1e-9] * 10_000))
    assert metric.counted == [1, 16]


def test_it_is_said_from_ten_seconds_on(clock):
    assert long_wait([Slow(clock)], with_costs([0.0099] * 1000)) is None
    assert "about 11 s (slow 11 s)" in long_wait([Slow(clock)], with_costs([0.011] * 1000))
    two = long_wait([Slow(clock, "one"), Slow(clock, "two")], with_costs([0.006] * 1000))
    assert "6 x 1,000 segments takes about 12 s (one 6 s, two 6 s)" in two


@pytest.mark.parametrize("cost, text", [(0.1, "100 s"), (0.2, "3 min"), (10, "3 h")])
def test_long_times_are_said_in_large_units(clock, cost, text):
    assert f"about {text} (" in long_wait([Slow(clock)], with_costs([cost] * 1000))


def test_small_sets_are_not_even_sampled(clock):
    metric = Slow(clock)
    assert long_wait([metric], with_costs([1.0] * 800)) is None and metric.counted == []


def test_what_is_cached_costs_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path))
    monkeypatch.setattr(counting_time, "estimate_seconds", lambda metric, testset: 100)
    testset, bleu = with_costs([1] * 1000), make_metric("bleu")
    assert "bleu 100 s" in long_wait([bleu], testset)
    cached_statistics(bleu, testset)
    assert long_wait([bleu], testset) is None


@pytest.mark.parametrize("command", ["compare", "score", "segments"])
def test_the_command_line_says_it_before_it_starts(monkeypatch, capsys, command):
    order = []
    monkeypatch.setattr(counting_time, "estimate_seconds", lambda metric, testset: order.append("estimate") or 90)
    count = Bleu.statistics
    monkeypatch.setattr(Bleu, "statistics", lambda *args: order.append("count") or count(*args))
    monkeypatch.setattr(counting_time, "_QUICK", 100)
    few = ["--trials", "99", "--resamples", "99"] if command == "compare" else []
    assert main([command, "--demo-segments", "60", *few]) == 0
    err = capsys.readouterr().err
    assert re.search(r"^mtsig: Counting 6 x 60 segments takes about 90 s \(bleu 90 s\)", err, re.M)
    assert order[:2] == ["estimate", "count"]


def test_references_that_are_counted_alone_too_take_as_long_again(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(counting_time, "estimate_seconds", lambda metric, testset: 90)
    monkeypatch.setattr(counting_time, "_QUICK", 10)
    for name in ("a", "b", "r", "s"):
        (tmp_path / f"{name}.txt").write_text(f"this is what {name} says\n" * 20)
    options = [part for option, name in (("--system", "a"), ("--system", "b"), ("--ref", "r"), ("--ref", "s"))
               for part in (option, str(tmp_path / f"{name}.txt"))]
    for more, told in (([], "3 min"), (["--test", "koehn"], "90 s"), (["--baseline", "a"], "90 s")):
        assert main(["compare", *options, *more, "--trials", "99", "--resamples", "99"]) == 0
        assert f"(bleu {told})" in capsys.readouterr().err
