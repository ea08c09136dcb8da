"""A full room: sessions that open pages of the dashboard at once, some of them in real browsers."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from benchmarks import data, fairness
from benchmarks.reader import PAGES, Visit, read, visit_all
from mtsig_core.source import Source

RESULTS = Path(__file__).parent / "results"


def load(
    sessions: int,
    minutes: float,
    think: float,
    browsers: int,
    heavy: int,
    workers: int,
    settle: float,
) -> dict:
    """Start a dashboard, fill the room, and say how long each page took, what went wrong, and the
    memory.

    Beside sessions that ask for heavy jobs `fairness` is measured instead.

    Parameters
    ----------
    sessions, browsers, heavy : int
        Readers that speak the protocol; readers in real browsers; sessions that ask for one heavy
        job after the other.
    minutes, settle : float
        How long they read, and how long after they left memory is measured once more.
    think : float
        Mean seconds between a page's end and the next, exponentially distributed.
    workers : int
        Processes of the server.
    """
    with tempfile.TemporaryDirectory() as folder:
        big = data.write_task(data.made_up(), Path(folder) / "big")
        asks = [{"testset": Source(demo_task=True).title}, {"testset": big}]
        address, server = start(workers, folder)
        try:
            first, *others = [
                asyncio.run(visit_all(address, asks, cookie, fairness.PAGES if heavy else PAGES))
                for cookie in _cookies(address, workers)
            ]
            if heavy:
                return {
                    "sessions": sessions,
                    "heavy": heavy,
                    "workers": workers,
                    "think": think,
                    **fairness.fairness(address, asks, sessions, heavy, think),
                }
            before, spent = memory(server.pid), seconds_of_cores(server.pid)
            visits, drawn, peak = asyncio.run(
                _fill(address, asks, sessions, minutes, think, browsers, server.pid)
            )
            spent = (seconds_of_cores(server.pid) - spent) / max(1, len(visits) + len(drawn))
            time.sleep(60 * settle)
            after = memory(server.pid)
        finally:
            ended = stop(server)
    others = [visit for those in others for visit in those]
    return {
        "sessions": sessions,
        "browsers": browsers,
        "workers": workers,
        "minutes": minutes,
        "think": think,
        "first_visits": summary(first),
        "first_visits_of_another_process": summary(others),
        "cached_pages": summary(visit for visit in visits if not visit.computed),
        "computed_pages": summary(visit for visit in visits if visit.computed),
        "drawn_by_browsers": summary(drawn),
        "errors": sorted(
            {f"{v.page}: {v.wrong}" for v in [*first, *others, *visits, *drawn] if v.wrong}
        )[:20],
        "seconds_of_cores_each_page": spent,
        "seconds_to_end": ended,
        "memory_mb": {"before": before, "peak": peak, f"{settle:g} min after": after},
    }


def _cookies(address: str, workers: int) -> list[str]:
    """What keeps a reader to each of the server's processes; nothing where there is one."""
    found: dict[str, None] = {} if workers > 1 else {"": None}
    until = time.monotonic() + 60
    while len(found) < workers and time.monotonic() < until:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=20) as answer:
            found[answer.headers.get("Set-Cookie", "").partition(";")[0]] = None
    return list(found)


def summary(visits: Iterable[Visit]) -> list[dict]:
    """Number, errors, and quantiles of the seconds, of all visits and by page."""
    pages: dict[str, list[Visit]] = {"all": list(visits)}
    for visit in pages["all"]:
        pages.setdefault(visit.page, []).append(visit)
    rows = []
    for page, those in pages.items():
        seconds = [visit.seconds for visit in those if not visit.wrong]
        first = [visit.first for visit in those if not visit.wrong]
        if seconds:
            p50, p95, worst = np.quantile(seconds, [0.5, 0.95, 1.0])
            rows.append(
                {
                    "page": page,
                    "n": len(those),
                    "errors": len(those) - len(seconds),
                    "p50": float(p50),
                    "p95": float(p95),
                    "max": float(worst),
                    "first_p95": float(np.quantile(first, 0.95)),
                }
            )
        elif those:
            rows.append({"page": page, "n": len(those), "errors": len(those)})
    return rows


def memory(pid: int) -> float:
    """Megabytes of a process and all that it has started; pages that they share are counted once
    for each sharer's part (PSS).
    """
    total = 0
    for process in _family(pid):
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def seconds_of_cores(pid: int) -> float:
    """Seconds of processors that a process has used, and all that it has started and that are
    there.
    """
    total = 0.0
    for process in _family(pid):
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def _family(pid: int) -> list[int]:
    try:
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []
    return [pid, *(member for child in children for member in _family(child))]


async def _fill(address, asks, sessions, minutes, think, browsers, pid):
    until = time.monotonic() + 60 * minutes
    readers = [read(address, asks, until=until, think=think, seed=seed) for seed in range(sessions)]
    watching = asyncio.create_task(_peak(pid, until))
    drawn, *done = await asyncio.gather(_browse(address, asks, until, think, browsers), *readers)
    return [visit for visits in done for visit in visits], drawn, await watching


async def _peak(pid, until):
    peak = 0.0
    while time.monotonic() < until:
        peak = max(
            peak, await asyncio.to_thread(memory, pid)
        )  # to look takes time, which no page should seem to take
        await asyncio.sleep(2)
    return peak


async def _browse(address, asks, until, think, browsers):
    """Readers in real browsers, in a process of their own: Playwright's is too slow to share one
    with the others. They get what the others leave of the cores: in a room each has a machine of
    its own.
    """
    if not browsers:
        return []
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "benchmarks.browsers",
        address,
        json.dumps(asks),
        str(until),
        str(think),
        str(browsers),
        stdout=subprocess.PIPE,
        preexec_fn=lambda: os.nice(19),
    )
    out, _ = await process.communicate()
    return [Visit(**visit) for visit in json.loads(out)]


def start(
    workers: int,
    root: str,
    settings: Mapping[str, str] = MappingProxyType({}),
    port: int = 0,
    served: Sequence[str] = ("mtsig_core", "serve", "--no-browser", "--port"),
) -> tuple[str, subprocess.Popen[bytes]]:
    """A dashboard with the shared tasks below a folder, and with settings of the environment; its
    address too.

    At any port that is free where none is given. `served`: the module that serves, and its options.
    """
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    command = [sys.executable, "-m", *served, str(port)]
    command += ["--workers", str(workers)] if workers > 1 else []
    server = subprocess.Popen(
        command, env={**os.environ, "MTSIG_DATA_ROOT": root, **settings}, stdout=subprocess.DEVNULL
    )
    address = f"http://localhost:{port}"
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
            return address, server
        except OSError:
            if server.poll() is not None:
                raise SystemExit(f"The server ended with status {server.returncode}.") from None
            time.sleep(0.2)
    raise SystemExit("The server did not start.")


def stop(server: subprocess.Popen[bytes]) -> float:
    """End the server as an administrator does; seconds until it and all that it started are
    gone.
    """
    family, begun = _family(server.pid), time.monotonic()
    server.send_signal(signal.SIGTERM)
    server.wait()
    while any(Path(f"/proc/{pid}").exists() for pid in family) and time.monotonic() < begun + 60:
        time.sleep(0.05)
    return time.monotonic() - begun


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "a full room",
        "instead of the table: sessions that open pages of the demonstration and of 26 systems at once, "
        "such as --load 40 --browsers 10 --workers 2. Told of each page: half and 95% of its views within how many "
        "seconds, those whose numbers were there apart from those that had to compute, and memory before, at most and "
        "after. Each page is opened once before, in each process of the server.",
    )
    group.add_argument(
        "--load", type=int, metavar="SESSIONS", help="readers that speak Streamlit's protocol"
    )
    group.add_argument(
        "--browsers", type=int, default=0, help="readers in real browsers beside them"
    )
    group.add_argument(
        "--heavy",
        type=int,
        default=0,
        help="instead of all that: how long pages and new "
        "comparisons take of readers alone, and beside so many sessions that ask for one heavy job "
        "after the other, such as --load 6 --heavy 1 --think 3",
    )
    group.add_argument("--workers", type=int, default=1, help="processes of the server")
    group.add_argument("--minutes", type=float, default=10, help="how long they read (10)")
    group.add_argument(
        "--think", type=float, default=10, help="mean seconds between two pages of a reader (10)"
    )
    group.add_argument(
        "--settle",
        type=float,
        default=10,
        help="minutes after all have left, when memory is measured once more (10)",
    )


def main(args: argparse.Namespace) -> None:
    """Fill the room, print the tables, save them as JSON."""
    told = load(
        args.load, args.minutes, args.think, args.browsers, args.heavy, args.workers, args.settle
    )
    (fairness.show if args.heavy else _show)(told)
    print(*(f"ERROR {error}" for error in told["errors"]), sep="\n")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / ("heavy.json" if args.heavy else "load.json")).write_text(
        json.dumps(told, indent=2) + "\n"
    )


def _show(told):
    for title in (
        "first_visits",
        "first_visits_of_another_process",
        "cached_pages",
        "computed_pages",
        "drawn_by_browsers",
    ):
        if told[title]:
            print(f"\n{title.replace('_', ' ')}")
        for row in told[title]:
            print(
                f"{row['page']:<50} {row['n']:>6} {row['errors']:>4} errors "
                + " ".join(
                    f"{key} {row[key]:7.2f} s"
                    for key in ("p50", "p95", "max", "first_p95")
                    if key in row
                )
            )
    print("\nmemory:", ", ".join(f"{when} {mb:.0f} MB" for when, mb in told["memory_mb"].items()))
    print(f"{told['seconds_of_cores_each_page']:.3f} s of the server's cores for each page")
    print(f"ended {told['seconds_to_end']:.1f} s after SIGTERM")
