"""A worker that waits for the next piece of work with its memory used; nothing here imports Streamlit.

Memory that a process uses for the first time takes longer than the work of a usual comparison.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from contextlib import suppress

from mtsig_core import TestSet

__all__ = ["Spare", "toy_compared"]

_USED = 28 << 20  # bytes that it has used: the differences of 26 systems after 9,999 swaps take 26 MB


class Spare:
    """One process that waits, where there is one.

    Parameters
    ----------
    fork : callable
        (act) -> number of a new process that acts, and ends.
    work : callable
        (message, fds) -> None, what it does with the message and the files that it is handed.
    """

    def __init__(self, fork: Callable[[Callable], int], work: Callable):
        self._fork, self._work, self._line = fork, work, None

    def __bool__(self) -> bool:
        """Whether one waits, or did before it was killed."""
        return self._line is not None

    def begin(self) -> int:
        """Have one wait; its number."""
        self._line, theirs = socket.socketpair()
        with theirs:
            return self._fork(lambda: self._wait(theirs))

    def take(self, message: bytes, fds: list[int]) -> bool:
        """Whether one was ready and has the work; none waits afterwards."""
        line, self._line = self._line, None
        if line is None:
            return False
        with line, suppress(OSError):  # it may have been killed
            return bool(select.select([line], [], [], 0)[0] and line.recv(1) and socket.send_fds(line, [message], fds))
        return False

    def dismiss(self) -> None:
        """Have it end without work."""
        self._line.close()
        self._line = None

    def _wait(self, line):
        """Use memory and what was loaded as work does, and wait for work; where none can come any more, end."""
        import numpy as np  # late: the nursery begins without

        self.dismiss()  # its own copy of the other end, which would keep this one open for ever
        toy_compared()
        np.ones(_USED // 8)
        line.send(b"r")
        message, fds, *_ = socket.recv_fds(line, 1, 2)
        if message:
            self._work(message, fds)


def toy_compared() -> None:
    """Do what work does, on next to nothing: all that is compiled is there then."""
    from mtsig_core import compare, examine_pair

    texts = [" ".join("abcdefghij"[k % 7:k % 7 + 4]) for k in range(30)]
    toy = TestSet("toy", {"A": texts, "B": texts[1:] + texts[:1]}, {"ref": texts})
    compare(toy, trials=99, resamples=99)
    examine_pair(toy, "bleu", "A", "B", trials=99)
