"""Whether one session's heavy jobs leave the others their share: the same readers alone, and beside
such sessions.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import numpy as np

from benchmarks.reader import tab
from mtsig_core.source import Source

#: Those whose numbers are soon there; a reader has three of them in a round, and a job of each
#: kind.
PAGES = ("", "upload", "summary", "pairs", "pair", "bootstrap", "metrics", "segments", "methods")
TIMES = 2  # alone, beside, alone, beside: who else uses the machine comes and goes
ROUNDS = 2  # of each reader each time
JOBS = (
    "summary",
    "bootstrap",
)  # pages that compute for seconds, each time for a seed that nobody has asked for
_SIZES, _LARGE = ", ".join(map(str, range(20_000, 30_000, 250))), {"testset": Source(demo=0).title}
#: The heaviest that controls and limits allow, one after the other; who is asked whether to begin
#: says yes.
HEAVY = (
    ("trust", _LARGE | {"experiment": "False alarms", "pairs": "2000"}),
    ("size", _LARGE | {"repeats": "300", "sizes": _SIZES}),
)
_WARM = 10.0  # seconds that heavy sessions are at work before the others come
_LOOPS = 20_000_000


def fairness(
    address: str, asks: Sequence[dict[str, str]], readers: int, heavy: int, think: float
) -> dict:
    """Seconds of pages and jobs of some readers alone, then beside heavy sessions, and how many
    times as long.

    Alone and beside a reader opens the same pages of the same test set and asks for as many jobs of
    the same kinds.

    Parameters
    ----------
    address : str
        Of a dashboard whose pages have been opened.
    asks : sequence of dict
        What addresses ask for a test set; readers have them in turn.
    think : float
        Mean seconds between two pages of a reader, exponentially distributed.
    """
    loops, phases, working = [_plain_loop()], ({}, {}), []
    for k in range(2 * TIMES):
        seen = asyncio.run(_phase(address, asks, readers, heavy * (k % 2), think, k, working))
        for kind, visits in seen.items():
            phases[k % 2].setdefault(kind, []).extend(visits)
        time.sleep(_WARM)  # what was heavy is dropped
        loops.append(_plain_loop())
    rows = []
    for kind, *both in zip(phases[0], *(phase.values() for phase in phases), strict=True):
        pairs = [pair for pair in zip(*both, strict=True) if not any(visit.wrong for visit in pair)]
        seconds = np.array([[visit.seconds for visit in pair] for pair in pairs])
        p50, p95, worst = np.quantile(seconds, [0.5, 0.95, 1.0], axis=0).tolist()
        rows.append(
            {
                "what": kind,
                "n": len(pairs),
                "p50": p50,
                "p95": p95,
                "max": worst,
                "times": float(seconds[:, 1].sum() / seconds[:, 0].sum()),
                "seconds": seconds.tolist(),
            }
        )
    visits = [*working, *(visit for phase in phases for those in phase.values() for visit in those)]
    return {
        "alone_and_beside": rows,
        "heavy_jobs": [(visit.page, visit.seconds) for visit in working],
        "seconds_of_a_plain_loop": loops,
        "errors": sorted({f"{visit.page}: {visit.wrong}" for visit in visits if visit.wrong}),
    }


def show(told: dict) -> None:
    """Print the table."""
    print(
        f"{'seconds, alone | beside':<24} {'n':>4}"
        + "".join(f"{text:>16}" for text in ("half within", "95% within", "longest"))
        + f" {'times':>6}"
    )
    for row in told["alone_and_beside"]:
        print(
            f"{row['what']:<24} {row['n']:>4} "
            + " ".join(
                f"{alone:6.2f} | {beside:6.2f}"
                for alone, beside in (row["p50"], row["p95"], row["max"])
            )
            + f" {row['times']:6.2f}"
        )
    print(
        "heavy jobs that came to their end:",
        ", ".join(f"{page} {s:.0f} s" for page, s in told["heavy_jobs"]),
    )
    print(
        "a plain loop before, after each time:",
        ", ".join(f"{s:.2f} s" for s in told["seconds_of_a_plain_loop"]),
    )


def _plain_loop():
    """Seconds of the same loop each time: how fast this machine is just now, and whether others use
    it.
    """
    begun = time.perf_counter()
    for _ in range(_LOOPS):
        pass
    return time.perf_counter() - begun


async def _phase(address, asks, readers, heavy, think, k, working):
    """The visits of all readers, by what they are; what heavy sessions have done is added to
    `working`.
    """
    async with _beside(_work_hard(address, 1000 * k + n, working) for n in range(heavy)):
        await asyncio.sleep(_WARM if heavy else 0)
        done = await asyncio.gather(
            *(_read(address, asks[n % len(asks)], think, n, k) for n in range(readers))
        )
    return {kind: [visit for visits in done for visit in visits[kind]] for kind in ("pages", *JOBS)}


@asynccontextmanager
async def _beside(others):
    tasks = [asyncio.create_task(other) for other in others]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def _work_hard(address, seed, working):
    """Ask for one heavy job after the other, until it is ended."""
    while True:
        for page, asked in HEAVY:
            async with tab(address) as session:
                visit = await session.open(page, asked | {"seed": str(seed)})
                while session.asks:
                    visit = await session.open(page, asked, session.asks)
                working.append(visit)
        seed += 100


async def _read(address, asked, think, number, k):
    """What one reader has seen; alone and beside they open the same, with the same pauses."""
    draw, found = random.Random(100 * number + k // 2), {kind: [] for kind in ("pages", *JOBS)}

    async def visit(kind, session, page, asked):
        await asyncio.sleep(draw.expovariate(1 / think))
        seen = await session.open(page, asked)
        found[kind].append(replace(seen, wrong="asks before it begins") if session.asks else seen)

    for turn in range(ROUNDS):
        async with tab(address) as session:
            for page in draw.sample(PAGES, 3):
                await visit("pages", session, page, asked)
        for job in JOBS:
            async with tab(address) as session:
                await visit(
                    job, session, job, asked | {"seed": str(1000 * (k + 1) + 100 * turn + number)}
                )
    return found
