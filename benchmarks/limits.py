"""Where the time of a comparison goes, and how far each part is from what the machine can do at
best.
"""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from benchmarks import data
from benchmarks.timing import best
from mtsig_core.metrics import make_metric
from mtsig_core.stats import engine
from mtsig_core.stats.intervals import Sample, percentile
from mtsig_core.stats.resampling import BLOCK, Units, bootstrap_weights, swap_bits
from mtsig_core.stats.significance import approximate_randomization, signed_shift

_IMPORTS = (
    ("the interpreter", "pass"),
    ("numpy", "import numpy"),
    ("numba", "import numba"),
    ("scipy.special", "import scipy.special"),
    ("the command line", "import mtsig_core.cli.main"),
)


def limits(statistics: np.ndarray, repeats: int) -> None:
    """Print both tables: stages of the two tests for 30 systems, and what a new process loads."""
    peak = machine(repeats)
    print(
        f"this machine, one thread: {peak['flops'] / 1e9:.0f} billion operations a second in a product of float32, "
        f"{peak['memory'] / 1e9:.1f} GB/s written to memory and {peak['cache'] / 1e9:.0f} in the cache, "
        f"{peak['words'] / 1e6:.0f} million random words of 64 bits"
    )
    for n_segments, n_draws in ((997, 1024), (30_000, 1024)):
        wide = data.widen(statistics, 30, n_segments)
        for name, stages in (("bootstrap", bootstrap), ("randomization", randomization)):
            found = stages(wide, n_draws, peak, repeats)
            total = sum(seconds for _, seconds, _ in found)
            print(f"\n{name}, 30 systems x {n_segments:,}, {n_draws:,} draws: {total * 1e3:.1f} ms")
            for what, seconds, least in found:
                print(
                    f"  {what:<34} {seconds * 1e3:8.2f} ms {seconds / total:5.0%}"
                    + (
                        f"   at the limit {least * 1e3:7.2f} ms, {seconds / least:4.1f} x"
                        if least
                        else ""
                    )
                )
    print("\na new process, seconds:")
    for what, code in _IMPORTS:
        print(
            f"  {what:<34} {best(lambda code=code: subprocess.run([sys.executable, '-c', code]), repeats):8.3f}"
        )


def machine(repeats: int) -> dict[str, float]:
    """What it does at best in a second: operations of a large product, bytes written, random
    words.
    """
    square = np.ones((2048, 2048), np.float32)
    large, small = np.ones(1 << 25), np.ones(1 << 11)
    written, near = np.empty_like(large), np.empty_like(small)

    def many():
        for _ in range(1000):
            np.copyto(near, small)

    random = np.random.Philox(1)

    def million():
        for _ in range(1 << 10):
            random.random_raw(1 << 10)  # in the cache

    return {
        "flops": 2 * 2048**3 / best(lambda: square @ square, repeats),
        "memory": large.nbytes / best(lambda: np.copyto(written, large), repeats),
        "cache": 1000 * small.nbytes / best(many, repeats),
        "words": (1 << 20) / best(million, repeats),
    }


def bootstrap(
    statistics: np.ndarray, n: int, peak: dict[str, float], repeats: int
) -> list[tuple[str, float, float | None]]:
    """(stage, seconds, seconds at the limit) of scores, intervals and p of all pairs."""
    units, metric = Units.segments(statistics.shape[1]), make_metric("bleu")
    systems, blocks = engine.UnitStatistics(metric, statistics, units), range(n // BLOCK)
    weights = [bootstrap_weights(units, 1, block) for block in blocks]
    sums = [systems.weighted_sums(one) for one in weights]
    drawn = np.concatenate([systems.score(one) for one in sums], axis=1)
    n_columns = len(
        systems.swapped_columns(swap_bits(units, 1, 0))
    )  # those that are not known from others
    i, j = engine.all_pairs(len(statistics)).T
    delta, apart, none = (
        systems.scores[i] - systems.scores[j],
        drawn[i] - drawn[j],
        np.empty((0, 0)),
    )
    bits = 16 if units.n <= 1 << 16 else 32
    return [
        (
            "statistics laid out",
            best(lambda: engine.UnitStatistics(metric, statistics, units), repeats),
            None,
        ),
        (
            "draws counted",
            best(lambda: [bootstrap_weights(units, 1, block) for block in blocks], repeats),
            n * units.n * bits / 64 / peak["words"],
        ),
        (
            "product with the statistics",
            best(lambda: [systems.weighted_sums(one) for one in weights], repeats),
            2 * n * units.n * n_columns / peak["flops"],
        ),
        (
            "scores",
            best(lambda: [systems.score(one) for one in sums], repeats),
            sum(one.nbytes for one in sums) / peak["cache"],
        ),
        (
            "differences of pairs",
            best(lambda: drawn[i] - drawn[j], repeats),
            8 * len(i) * n / peak["memory"],
        ),
        ("intervals", best(lambda: percentile(Sample(delta, apart, none), 0.05), repeats), None),
        ("p", best(lambda: signed_shift(delta, apart), repeats), 8 * len(i) * n / peak["memory"]),
    ]


def randomization(
    statistics: np.ndarray, n: int, peak: dict[str, float], repeats: int
) -> list[tuple[str, float, float | None]]:
    """The same of p of all pairs after swaps."""
    units, metric = Units.segments(statistics.shape[1]), make_metric("bleu")
    systems, blocks = engine.UnitStatistics(metric, statistics, units), range(n // BLOCK)
    pairs = engine.all_pairs(len(statistics))
    delta = systems.scores[pairs[:, 0]] - systems.scores[pairs[:, 1]]
    swaps = [swap_bits(units, 1, block) for block in blocks]
    differences, n_columns = (
        engine.swap_differences(systems, pairs, n, 1),
        len(systems.swapped_columns(swaps[0])),
    )
    coins = best(lambda: [swap_bits(units, 1, block) for block in blocks], repeats)
    sums = best(lambda: [systems.swapped_columns(one) for one in swaps], repeats)
    moved = [systems.expand(systems.swapped_columns(one)) for one in swaps]
    sides = [(systems.totals[:, :, None].astype(one.dtype) - one, one) for one in moved]
    return [
        (
            "statistics laid out",
            best(lambda: engine.UnitStatistics(metric, statistics, units), repeats),
            None,
        ),
        ("coins", coins, n * units.n / 64 / peak["words"]),
        ("sums of what is swapped, by product", sums, 2 * n * units.n * n_columns / peak["flops"]),
        (
            "scores of both sides of pairs",
            best(lambda: [metric.score.swapped(metric, *both, pairs) for both in sides], repeats),
            8 * len(pairs) * n / peak["memory"],
        ),
        (
            "p",
            best(lambda: approximate_randomization(delta, differences), repeats),
            8 * len(pairs) * n / peak["memory"],
        ),
    ]
