"""Values kept in memory by key, as long as there is room, and made once for all sessions."""

from __future__ import annotations

import math
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from functools import wraps
from typing import Any

from mtsig_core import TestSet

#: What stands for a value that is not there; None is a value as any other.
MISSING = object()


class Memory:
    """The values last used, by key, shared by threads: at most `size` of them, and `most` in
    weight.

    Any browser may tell the server to clear Streamlit's own caches, and other processes have no
    Streamlit.
    """

    def __init__(self, size: int, most: float = math.inf):
        self._size, self._most, self._values, self._lock = (
            size,
            most,
            OrderedDict(),
            threading.Lock(),
        )
        self._weight = 0.0
        self._making: dict[Hashable, threading.RLock] = {}

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, default: Any = None):
        """The value of a key, or the default without one.

        Where None may be kept, give another default: `MISSING`.
        """
        with self._lock:
            if key not in self._values:
                return default
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, key: Hashable, value, weight: float = 0.0) -> None:
        """Keep a value, which alone may weigh more than all should."""
        with self._lock:
            self._weight += weight - self._values.pop(key, (None, 0.0))[1]
            self._values[key] = value, weight
            while len(self._values) > max(1, self._size if self._weight <= self._most else 1):
                self._weight -= self._values.popitem(last=False)[1][1]

    def make(
        self,
        key: Hashable,
        make: Callable[[], Any],
        weigh: Callable[[Any], float] = lambda value: 0.0,
    ):
        """The value of a key, made once however many ask at the same time; what `make` raises is
        not kept.
        """
        value = self.get(key, MISSING)
        if value is not MISSING:
            return value
        with self._lock:
            turn = self._making.setdefault(key, threading.RLock())
        with turn:
            value = self.get(key, MISSING)
            if value is MISSING:  # else it was made while this one waited
                try:
                    value = make()
                    self.keep(key, value, weigh(value))
                finally:
                    with self._lock:
                        self._making.pop(key, None)
        return value


_PLAIN = (str, int, float, bool, type(None))


def remember(size: int) -> Callable[[Callable], Callable]:
    """A decorator: so many values of a function are kept, by its arguments.

    Test sets are known again by their content; results and arrays as the very objects that they
    are, which stay as long as what was made of them. Nobody may change either.
    """

    def decorate(make: Callable) -> Callable:
        memory = Memory(size)

        @wraps(make)
        def remembered(*args, **more):
            given = *args, *more.values()
            key = *map(_known, given), *more
            return memory.make(
                key,
                lambda: (
                    make(*args, **more),
                    [one for one in given if not isinstance(one, TestSet)],
                ),
            )[0]

        return remembered

    return decorate


@remember(64)
def make_once(make: Callable, *args):
    """``make(*args)``, remembered: what is made of results for each run of a page, such as tables
    and sentences.
    """
    return make(*args)


def _known(one):
    if isinstance(one, tuple):
        return tuple(map(_known, one))
    if isinstance(one, TestSet):
        return one.digest, one.name, one.simulated, one.assumed, one.lines
    return (type(one), one) if isinstance(one, _PLAIN) else id(one)


def weight(testset: TestSet) -> int:
    """About how many bytes a test set takes in memory."""

    def size(columns: Iterable) -> int:
        return sum(
            sum(map(sys.getsizeof, values)) + 8 * len(values) for values in columns if values
        )

    return size(
        [
            *testset.systems.values(),
            *testset.references.values(),
            *testset.parses.values(),
            testset.sources,
            testset.documents,
            *(values for outputs in testset.runs.values() for values in outputs),
            *(values for scores in testset.scores.values() for values in scores.by_system.values()),
        ]
    )


LOADED = Memory(
    8000, 500 << 20
)  # what was read: test sets, and what folders and zips have in them; bytes
