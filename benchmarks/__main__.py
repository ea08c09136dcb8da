"""Measure mtsig and sacreBLEU side by side, print the table, save it as JSON.

Only ratios within one run mean anything. Everything runs on one thread, after a warm-up; only the
experiments of the papers, which have no peer, run on all cores.
"""

from __future__ import annotations

import os

for _variable in (
    "OPENBLAS_NUM_THREADS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
):
    os.environ[_variable] = "1"  # before numpy is imported

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path

import numpy as np

from benchmarks import against, data, growth, limits, load, peer, peers
from benchmarks.timing import best, shortest
from mtsig_core import make_metric
from mtsig_core.metrics import metric_title
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import row_chunks
from mtsig_core.stats.intervals import Sample, percentile
from mtsig_core.stats.resampling import Units
from mtsig_core.stats.significance import approximate_randomization, signed_shift

TER_EVERY = 20  # sacreBLEU takes half a minute and more per system for all segments
RESULTS = Path(__file__).parent / "results" / "latest.json"


def all_pairs_ar(metric, statistics, n_trials):
    """Scores, and p of all pairs by approximate randomization."""
    systems = engine.UnitStatistics(metric, statistics, segments(statistics))
    pairs = engine.all_pairs(len(statistics))
    delta = systems.scores[pairs[:, 0]] - systems.scores[pairs[:, 1]]
    return approximate_randomization(
        delta, engine.swap_differences(systems, pairs, n_trials, seed=1)
    )


def all_pairs_bootstrap(metric, statistics, n_resamples):
    """Scores and differences with their intervals, and p of all pairs."""
    systems = engine.UnitStatistics(metric, statistics, segments(statistics))
    pairs = engine.all_pairs(len(statistics))
    drawn = engine.bootstrap_scores(systems, n_resamples, seed=1)
    none = np.empty((0, 0))
    results = [percentile(Sample(systems.scores, drawn, none), 0.05)]
    for rows in row_chunks(len(pairs), n_resamples):  # as `compare` does
        i, j = pairs[rows].T
        delta, differences = systems.scores[i] - systems.scores[j], drawn[i] - drawn[j]
        results.append(
            (percentile(Sample(delta, differences, none), 0.05), signed_shift(delta, differences))
        )
    return results


def segments(statistics):
    n = statistics.shape[1]
    return Units("segment", np.arange(n), n)


def counting(testset, repeats):
    """Statistics of each segment; the counts of both must agree."""
    for name, goal, every, note in (
        ("bleu", 60, 1, ", 13a"),
        ("chrf", 80, 1, ""),
        ("chrf++", 60, 1, ""),
        ("ter", 400, TER_EVERY, f", each {TER_EVERY}th segment"),
    ):
        metric = make_metric(name, tokenize="13a" if name == "bleu" else None)
        part = testset.take(range(0, testset.n_segments, every))
        references, systems = list(part.references.values()), list(part.systems.values())
        count = peer.counter(name, references, systems)
        if not np.array_equal(count(), metric.statistics(part)):
            raise SystemExit(
                f"The counts of {name} differ from sacreBLEU's: nothing below would mean anything."
            )
        yield row(
            f"{metric_title(name)} statistics, {len(systems)} x {part.n_segments}{note}",
            goal,
            best(lambda metric=metric, part=part: metric.statistics(part), 3 * repeats),
            shortest(count, 1),
            "references cached",
        )


def testing(statistics, repeats):
    metric = make_metric("bleu")
    for what, name, ours, n_segments, n, scale, goal in (
        ("all-pairs AR", "ar", all_pairs_ar, 997, 10_000, 1, 3000),
        ("all-pairs AR", "ar", all_pairs_ar, 30_000, 10_000, 10, 8000),
        ("all-pairs bootstrap with intervals", "bs", all_pairs_bootstrap, 997, 1000, 1, 4000),
    ):
        wide = data.widen(statistics, 30, n_segments)
        mine = best(
            lambda ours=ours, wide=wide, n=n: ours(metric, wide, n),
            repeats * (5 if n == 1000 else 1),
        )
        loop = best(
            lambda name=name, wide=wide, m=n // scale: peer.test_pair(name, wide, m),
            2 if scale == 1 else 1,
        )
        scaled = f", {n // scale} samples x {scale}" if scale > 1 else ""
        yield row(
            f"{what}, 30 systems x {n_segments}, R = {n}",
            goal,
            mine,
            loop * scale * 435,
            f"its loop on one pair x 435{scaled}",
        )
    pair = data.widen(statistics, 2, 997)
    for what, name, ours, n, goal in (
        ("AR", "ar", all_pairs_ar, 10_000, 60),
        ("bootstrap", "bs", all_pairs_bootstrap, 1000, 30),
    ):
        yield row(
            f"one pair, {what}, R = {n}",
            goal,
            best(lambda ours=ours, n=n: ours(metric, pair, n), 5 * repeats),
            best(lambda name=name, n=n: peer.test_pair(name, pair, n), 2),
            "its loop",
        )


def processes(testset):
    """New processes: read the files, test, print."""
    with tempfile.TemporaryDirectory() as folder:
        reference, systems = data.write(testset, Path(folder))
        ours = [sys.executable, "-m", "mtsig_core", "compare", "--ref", reference]
        ours += [part for path in systems for part in ("--system", path)]
        theirs = [
            sys.executable,
            "-m",
            "sacrebleu",
            reference,
            "-i",
            *systems,
            "-m",
            "bleu",
            "--paired-ar",
        ]

        def run(command):  # nothing from the cache: sacreBLEU has none
            return lambda: subprocess.run(
                command, check=True, capture_output=True, env={**os.environ, "MTSIG_CACHE": ""}
            )

        n = len(systems)
        return row(
            f"new process: read {n} files, all {n * (n - 1) // 2} pairs, print",
            25,
            best(run(ours), 3),
            best(run(theirs), 1),
            f"its command line, {n - 1} pairs",
        )


def cached(testset):
    """New processes that compare under five metrics, with everything counted before, and with the
    same compared.
    """
    with tempfile.TemporaryDirectory() as folder:
        reference, systems = data.write(testset, Path(folder))
        command = [
            sys.executable,
            "-m",
            "mtsig_core",
            "compare",
            "--ref",
            reference,
            "--metrics",
            "bleu,chrf,ter,meteor,nist",
            "--trials",
            "999",
            *(f"--system={path}" for path in systems),
        ]

        def run(cache, *more):
            subprocess.run(
                [*command, *more],
                check=True,
                capture_output=True,
                env={**os.environ, "MTSIG_CACHE": cache},
            )

        kept, seeds = str(Path(folder) / "cache"), count(1)
        cold = shortest(lambda: run(""), 1)
        counted = best(lambda: run(kept, "--seed", str(next(seeds))), 3)
        return {
            "work": f"new process: {len(systems)} files, five metrics, counted before",
            "goal_seconds": 0.7,
            "seconds": counted,
            "cold_seconds": cold,
            "again_seconds": best(lambda: run(kept), 3),
        }


def experiments():
    """Whole experiments of the papers, on the simulated corpus, as commands on all cores."""
    demo = ["--metrics", "bleu", "--format", "json", "--jobs", "-1"]
    seven = ["--demo", "--demo-references", "2", "--refs", "ref1", "--refs-as-systems"]
    for work, goal, command in (
        (
            "Koehn's Table 3: 9 pairs, 460 samples, 1,000 resamples",
            20,
            ["validate", "conclusions", "--demo"],
        ),
        (
            "type-I error, 2,000 null pairs of each kind",
            30,
            ["validate", "type1", "--demo", "--pairs", "2000"],
        ),
        (
            "size sweep by segment: 10 sizes x 100 x 7 systems",
            10,
            ["sweep", "size", *seven, "--unit", "segment"],
        ),
    ):
        done = shortest(
            lambda command=command: subprocess.run(
                [sys.executable, "-m", "mtsig_core", *command, *demo],
                check=True,
                capture_output=True,
            ),
            1,
        )
        yield {"work": work, "goal_seconds": goal, "seconds": done}


def memory(n_systems, n_segments, n_trials, goal_mb):
    """Peak resident memory of a whole comparison in a process of its own."""
    code = (
        "from benchmarks.memory import compare_made_up, peak_mb; "
        f"compare_made_up({n_systems}, {n_segments}, {n_trials}); print(peak_mb())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return {
        "work": f"peak memory, {n_systems} x {n_segments} x {n_trials}",
        "goal_mb": goal_mb,
        "mb": float(done.stdout),
    }


def row(work, goal, ours, theirs, note):
    return {
        "work": work,
        "goal": goal,
        "seconds": ours,
        "peer_seconds": theirs,
        "ratio": theirs / ours,
        "peer": note,
    }


def show(entry):
    if "mb" in entry:
        print(
            f"{entry['work']:<58} {entry['mb']:8.0f} MB  (goal: at most {entry['goal_mb']} MB)",
            flush=True,
        )
    elif "cold_seconds" in entry:
        print(
            f"{entry['work']:<58} {entry['seconds']:9.4f} s  (goal: at most {entry['goal_seconds']} s; without cache "
            f"{entry['cold_seconds']:.2f} s, the same again {entry['again_seconds']:.2f} s)",
            flush=True,
        )
    elif "goal_seconds" in entry:
        print(
            f"{entry['work']:<58} {entry['seconds']:9.4f} s  (goal: at most {entry['goal_seconds']} s)",
            flush=True,
        )
    else:
        print(
            f"{entry['work']:<58} {entry['seconds']:9.4f} s  {entry['peer_seconds']:10.2f} s  "
            f"{entry['ratio']:8.1f} x  (goal {entry['goal']:>4} x; sacreBLEU: {entry['peer']})",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--folder", help="a shared-task folder in WMT layout (default: made-up texts)"
    )
    parser.add_argument("--langpair", default="en-de")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--growth",
        action="store_true",
        help="instead of the table: seconds and memory by systems, "
        "segments and resamples, and the figure of the docs",
    )
    parser.add_argument(
        "--limits",
        action="store_true",
        help="instead of the table: where the time goes, and how far "
        "each part is from the machine's matrix product, memory and random numbers",
    )
    parser.add_argument(
        "--screen",
        action="store_true",
        help="instead of the table: how long a reader in a real "
        "browser waits for pages, and for what another setting changes",
    )
    parser.add_argument(
        "--first-visit",
        action="store_true",
        help="instead of the table: what a browser that knows nothing "
        "loads over a slow line, and how long it takes",
    )
    parser.add_argument(
        "--peers",
        metavar="PYTHON",
        help="instead of the table: the command lines of peers, in an "
        "environment that has sacreBLEU and compare-mt",
    )
    parser.add_argument(
        "--against",
        metavar="COMMIT",
        help="instead of the table: new processes of the command line, in turn with those of "
        "an older commit",
    )
    parser.add_argument(
        "--phones",
        type=int,
        help="instead of the table: so many phones that vote in a lecture for a minute",
    )
    load.add_options(parser)
    args = parser.parse_args()
    if args.phones:
        from benchmarks import phones  # late: it needs a browser

        return phones.phones(args.phones, args.workers, 60)
    if args.load:
        return load.main(args)
    if args.growth:
        return growth.draw(growth.growth(args.repeats))
    if args.first_visit:
        from benchmarks import first_visit  # late: it needs a browser

        return first_visit.first_visit()
    testset = data.load(args.folder, args.langpair)
    if args.screen:
        from benchmarks import screen  # late: it needs a browser

        return screen.screen(testset)
    if args.against:
        return against.compare_commits(args.against, testset, args.repeats)
    if args.peers:
        return peers.peers(args.peers, testset)
    statistics = make_metric("bleu", tokenize="13a").statistics(testset)
    if args.limits:
        return limits.limits(statistics, args.repeats)
    print(
        f"{testset.name}: {len(testset.systems)} systems x {testset.n_segments} segments; mtsig, sacreBLEU, ratio"
    )
    table = []

    def add(entry):
        table.append(entry)
        show(entry)

    for entry in counting(testset, args.repeats):
        add(entry)
    for entry in testing(statistics, args.repeats):
        add(entry)
    add(processes(testset))
    add(cached(testset))
    for entry in experiments():
        add(entry)
    add(memory(100, 1000, 10_000, 400))
    add(memory(30, 300_000, 1000, 600))
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"testset": testset.name, "rows": table}, indent=2) + "\n")
    print(
        f"saved to {RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS}"
    )


if __name__ == "__main__":
    main()
