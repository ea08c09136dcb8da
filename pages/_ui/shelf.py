"""What was read stays in memory as long as there is room, by its weight: nobody empties it, and what was not used for
longest makes room. What is kept for good is in the database."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from mtsig_core import TestSet
from pages._ui.jobs import Memory

__all__ = ["SHELF", "Shelf", "weight"]

_ROOM = 500 << 20  # bytes
_LEAST = 1 << 16


class Shelf:
    """Values by key, at most so many bytes of them; made once, however many sessions ask at the same time.

    Streamlit's own caches count entries, not bytes, and any browser may tell the server to clear them.
    """

    def __init__(self, room: int = _ROOM):
        self._kept, self._lock = Memory(sys.maxsize, room), threading.Lock()
        self._made: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], Any], weigh: Callable[[Any], int]):
        """The value of a key, made if it is not there; what `make` raises is not kept, nor None."""
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                return found
            turn = self._made.setdefault(key, threading.Lock())
        with turn:
            if (found := self._kept.get(key)) is not None:  # made while this one waited
                return found
            try:
                value = make()
                self._kept.keep(key, value, max(_LEAST, weigh(value)))
            finally:
                with self._lock:
                    self._made.pop(key, None)
            return value


def weight(testset: TestSet) -> int:
    """About how many bytes a test set takes in memory."""
    def size(columns: Iterable) -> int:
        return sum(sum(map(sys.getsizeof, values)) + 8 * len(values) for values in columns if values)

    return size([*testset.systems.values(), *testset.references.values(), *testset.parses.values(), testset.sources,
                 testset.documents, *(values for outputs in testset.runs.values() for values in outputs),
                 *(values for scores in testset.scores.values() for values in scores.by_system.values())])


SHELF = Shelf()
