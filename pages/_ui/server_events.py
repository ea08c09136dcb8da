"""What happens on the server, one line of JSON each: when, what, how long. No texts, names or addresses of users."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

__all__ = ["failed", "tell", "timed"]


def tell(event: str, **facts: str | float) -> None:
    """Write a line to the file that ``MTSIG_LOG`` names (``-``: standard error), if it names one.

    A line is written at once, at the end of the file: several processes may share one. A full disk stops nobody's work.
    """
    if not (name := os.environ.get("MTSIG_LOG")):
        return
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = json.dumps({"time": now, "event": event, "pid": os.getpid(), **facts}) + "\n"
    with suppress(OSError):
        if name == "-":
            sys.stderr.write(line)
        else:
            with open(name, "ab", buffering=0) as file:
                file.write(line.encode())


@contextmanager
def timed(event: str, **facts: str) -> Iterator[None]:
    """Tell of something when it is over: its seconds, and the kind of exception that ended it."""
    begun = time.monotonic()
    try:
        yield
    except BaseException as error:
        facts["ended"] = type(error).__name__
        raise
    finally:
        tell(event, **facts, seconds=round(time.monotonic() - begun, 3))


def failed(error: Exception) -> None:
    """Tell that a page ended in an error; of the error its kind alone, as its text may quote what was uploaded."""
    tell("error", kind=type(error).__name__)
