"""How many steps a review has: browsers ask, and draw their page again when somebody took one."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from mtsig_core.errors import StoreError


def _count_none(_link: str) -> int:
    """Count nothing, until the pages are loaded."""
    return 0


_count_steps: Callable[[str], int] = _count_none


def count_steps_by(count: Callable[[str], int]) -> None:
    """Set the function that counts the steps of the review with a link, 0 without a review."""
    global _count_steps
    _count_steps = count


async def answer(request) -> JSONResponse:
    """Answer ``/_mtsig/review/LINK`` to whoever has the link to read it, or to edit it."""
    try:
        n_steps = await run_in_threadpool(_count_steps, request.path_params["link"])
    except StoreError:  # the browser asks again, and the page says what is wrong
        return JSONResponse({}, 503)
    return JSONResponse({"steps": n_steps}, 200 if n_steps else 404)
