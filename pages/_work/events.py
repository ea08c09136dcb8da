"""The event log of the server: one line of JSON per event, with time, kind and duration.

It contains no texts, names or addresses of users.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

from mtsig_core.report.palette import shortened
from mtsig_core.report.text import printable

_INTERVAL = 60.0  # seconds in which a traceback from one place is written once
_LONGEST = 500  # letters of a message


def tell(event: str, **facts: str | float) -> None:
    """Write a line to the file that ``MTSIG_LOG`` names (``-``: standard error), if it names one.

    A line is written at once, at the end of the file, because several processes may share the file.
    If the disk is full, the dashboard works without the log.
    """
    name = os.environ.get("MTSIG_LOG")
    if not name:
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
    """Log an event when it is over: its seconds, and the kind of exception that ended it."""
    start = time.monotonic()
    try:
        yield
    except BaseException as error:
        facts["ended"] = type(error).__name__
        raise
    finally:
        tell(event, **facts, seconds=round(time.monotonic() - start, 3))


class Terse(logging.Filter):
    """Shorten Streamlit's messages on standard error, because any visitor can cause them.

    A traceback from one place is written once a minute. A message may quote a request, so it is
    written in one line.
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[object, ...], float] = {}  # by the kind of error and its place

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written."""
        if not record.exc_info:
            record.msg = shortened(printable(record.getMessage()), _LONGEST)
            record.args = ()
            return True
        kind, _, trace = record.exc_info
        places = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(trace)]
        key = (kind, *places[-1:])
        now = time.monotonic()
        if now - self._last.get(key, -_INTERVAL) < _INTERVAL:
            return False
        self._last[key] = now
        return True


def be_terse() -> None:
    """Shorten what all loaded parts of Streamlit write."""
    terse = Terse()
    for name in list(logging.root.manager.loggerDict):
        if name.startswith("streamlit"):
            logging.getLogger(name).addFilter(terse)


def failed(error: Exception) -> None:
    """Log that a page ended in an error: only the kind, because the text may quote an upload."""
    tell("error", kind=type(error).__name__)
