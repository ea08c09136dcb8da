"""A window of a real browser that is asked as little as can be: what tests drive browsers with has
all errors of a page told to it, which makes a page half as long again to load.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from benchmarks.browsers import chromium

_OFTEN, _LONGEST = 0.1, 120.0  # seconds between two looks at the page, and until they end
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--no-first-run",
    "--remote-debugging-port=0",
    "--window-size=1280,800",
)


class Window:
    """The one window of a browser, asked in its own language (DevTools)."""

    def __init__(self, line: ClientConnection):
        self._line, self._asked = line, 0

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers."""
        self._asked += 1
        self._line.send(json.dumps({"id": self._asked, "method": method, "params": parameters}))
        while (answer := json.loads(self._line.recv(_LONGEST))).get("id") != self._asked:
            pass
        if "error" in answer or "exceptionDetails" in answer["result"]:
            raise RuntimeError(f"{method}: {answer}")
        found: dict[str, Any] = answer["result"]
        return found

    def value(self, expression: str) -> Any:
        """The value of an expression in the page, as JSON has it."""
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)[
            "result"
        ].get("value")

    def wait(self, expression: str) -> Any:
        """The first value of an expression that is true."""
        return _first(lambda: self.value(expression), expression)


@contextmanager
def new_window() -> Iterator[Window]:
    """The window of a browser that has just started and knows nothing; it is closed at the end."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        program = chromium()
        if program is None:
            raise FileNotFoundError("no Chromium on this machine")
        browser = subprocess.Popen(
            [program, *_OPTIONS, f"--user-data-dir={folder}", "about:blank"],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            port = _port(Path(folder) / "DevToolsActivePort")
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json") as answer:
                (address,) = (
                    found["webSocketDebuggerUrl"]
                    for found in json.load(answer)
                    if found["type"] == "page"
                )
            with connect(address, max_size=None) as line:
                window = Window(line)
                window.ask("Emulation.setFocusEmulationEnabled", enabled=True)
                yield window
        finally:
            os.killpg(browser.pid, signal.SIGKILL)
            browser.wait()


def _port(file: Path) -> str:
    """The port that a browser which is just starting writes down."""
    return str(
        _first(
            lambda: file.is_file() and file.read_text().splitlines(),
            f"the browser writes {file.name}",
        )[0]
    )


def _first(look: Callable[[], Any], what: str) -> Any:
    """The first that is seen and true."""
    end = time.monotonic() + _LONGEST
    while not (found := look()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {_LONGEST:.0f} s: {what}")
        time.sleep(_OFTEN)
    return found
