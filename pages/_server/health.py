"""How the server is: sessions, jobs, memory, cache. For its own machine, or who has the token."""

from __future__ import annotations

import hmac
import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import Request, urlopen

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from mtsig_core.source import PORTS_VARIABLE
from mtsig_core.version import __version__
from pages._server import guard, internals

_BEGUN = time.monotonic()
_WAIT = 2.0  # seconds that another worker may take to answer
_count_jobs: Callable[[], dict[str, int]] = dict


def count_jobs_by(count: Callable[[], dict[str, int]]) -> None:
    """Who knows of the jobs says so when it is loaded; until then there are none."""
    global _count_jobs
    _count_jobs = count


async def answer(request) -> JSONResponse:
    """The page ``/_mtsig/health``: of all processes that serve the dashboard; with ``?own`` of the
    one that answers.
    """
    if not _allowed(request):
        return JSONResponse(
            {
                "error": "Asked from another machine, this page needs the token that MTSIG_HEALTH_TOKEN "
                "holds: Authorization: Bearer TOKEN."
            },
            403,
        )
    if "own" in request.query_params:
        return JSONResponse(await run_in_threadpool(_own))
    found = await run_in_threadpool(_all)
    return JSONResponse(
        found, 503 if any("error" in worker for worker in found["workers"]) else 200
    )


def _allowed(request) -> bool:
    """From this machine under its own name: a proxy beside the server passes the name on that it
    was asked by.
    """
    token, given = os.environ.get("MTSIG_HEALTH_TOKEN"), request.headers.get("authorization", "")
    if token and hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    return (
        request.client is not None
        and guard.local(request.client.host)
        and guard.local(guard.name_in(request.headers.get("host")))
    )


def _all() -> dict:
    return {
        "version": __version__,
        "cache": _cache(),
        "workers": [_asked(port) for port in _ports()] or [_own()],
    }


def _own() -> dict:
    return {
        "pid": os.getpid(),
        "seconds": round(time.monotonic() - _BEGUN),
        "sessions": internals.count_sessions(),
        "jobs": _count_jobs(),
        "memory_bytes": _memory(os.getpid()),
    }


def _ports() -> list[str]:
    return os.environ.get(PORTS_VARIABLE, "").split()


def _asked(port: str) -> dict:
    token = os.environ.get("MTSIG_HEALTH_TOKEN", "")
    question = Request(
        f"http://127.0.0.1:{port}/_mtsig/health?own", headers={"Authorization": f"Bearer {token}"}
    )
    try:
        with urlopen(question, timeout=_WAIT) as answer:
            return json.load(answer)
    except (OSError, ValueError) as error:
        return {"port": int(port), "error": type(error).__name__}


def _memory(pid: int) -> int:
    """Bytes in memory of a process and all that it started; of what several share, each has its
    part (PSS). 0 where the system does not say.
    """
    try:
        kilobytes = re.findall(
            r"^Pss: +(\d+) kB$", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M
        )
        begun = " ".join(
            file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")
        ).split()
    except OSError:  # it has ended, or this is no Linux
        return 0
    return 1024 * sum(map(int, kilobytes)) + sum(_memory(int(child)) for child in begun)


def _cache() -> dict[str, int]:
    """The size of the cache on disk."""
    from mtsig_core.metrics.cache import (
        cache_folder,
    )  # loads much that a server needs only with its first session

    folder, sizes = cache_folder(), []
    if folder is not None and folder.is_dir():
        for file in os.scandir(folder):
            try:
                sizes.append(file.stat().st_size)
            except FileNotFoundError:  # removed meanwhile
                pass
    return {"files": len(sizes), "bytes": sum(sizes)}
