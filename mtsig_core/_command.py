"""What is set where this process is the command ``mtsig``, and left alone in another program;
imported before all else.

Ctrl+C ends it with one line: a KeyboardInterrupt would show fifty lines of what is being imported,
and compiled code that it comes up in loses it, or makes another error of it. And what it makes it
mostly keeps, so that to look for garbage as often as Python does would be a twelfth of its time.
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


def _end(*_: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.write(2, b"mtsig: interrupted\n")
    atexit._run_exitfuncs()  # which remove temporary folders
    os._exit(STATUS)


# While Python looks for what `python -m mtsig_core` means, that has no other name yet.
_IS_COMMAND = {"mtsig", "-m"}.intersection(map(os.path.basename, sys.argv[:1]))
if _IS_COMMAND:
    gc.set_threshold(10_000)  # objects between two looks
if _IS_COMMAND and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end)


@contextmanager
def ignore_interrupts(*others: signal.Signals) -> Iterator[None]:
    """A process that is started meanwhile has no Ctrl+C, nor these `others`, until it asks for
    them.
    """
    held = {signal.SIGINT, *others}
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
