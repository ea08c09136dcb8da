"""Settings of a process that is the command ``mtsig``; imported before everything else.

In another program nothing is set. Ctrl+C ends the command with one line: a KeyboardInterrupt would
show fifty lines of imports, and compiled code loses it or turns it into another error. The command
keeps most of the objects that it makes, so it seldom searches for garbage: the same comparison of
five metrics again takes 1.06 s of a core, and 1.11 s with a search after 10,000 new objects.
"""

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["STATUS", "ignore_interrupts"]

STATUS = 130  # of what Ctrl+C ended, as shells have it


def _end(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_IGN)
    if number == signal.SIGINT:
        with suppress(OSError):
            os.write(2, b"mtsig: interrupted\n")
    atexit._run_exitfuncs()  # which remove temporary folders, and end commands of --scorer
    os._exit(128 + number)


# While Python looks for what `python -m mtsig_core` means, that has no other name yet.
_IS_COMMAND = {"mtsig", "-m"}.intersection(map(os.path.basename, sys.argv[:1]))
if _IS_COMMAND:
    gc.set_threshold(100_000)  # objects between two searches
    for _number in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(_number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(_number, _end)


@contextmanager
def ignore_interrupts(*further: signal.Signals) -> Iterator[None]:
    """Start processes that ignore Ctrl+C, and further signals, until they unblock them."""
    blocked = {signal.SIGINT, *further}
    signal.pthread_sigmask(signal.SIG_BLOCK, blocked)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, blocked)
