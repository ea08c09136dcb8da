"""Cache in memory of values by key; all sessions share a value, which is made only once."""

from __future__ import annotations

import math
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any

from mtsig_core import TestSet

#: The absence of a value; None is a value as any other.
MISSING = object()


class Memory:
    """The values used last, by key, shared by threads.

    Any browser may tell the server to clear Streamlit's own caches, and other processes have no
    Streamlit.

    Parameters
    ----------
    size : int
        How many values are kept.
    most : float
        What they may weigh in all; the value used last is kept whatever it weighs.
    """

    def __init__(self, size: int, most: float = math.inf):
        self._size = size
        self._most = most
        self._values: OrderedDict[Hashable, tuple[Any, float]] = OrderedDict()
        self._weight = 0.0
        self._lock = threading.Lock()
        self._making: dict[Hashable, threading.RLock] = {}

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        """Return whether the value of a key is there."""
        return key in self._values

    def get(self, key: Hashable, default: Any = None):
        """Return the value of a key, or the default without one.

        If None can be a value, use another default: `MISSING`.
        """
        with self._lock:
            if key not in self._values:
                return default
            self._values.move_to_end(key)
            value, _ = self._values[key]
            return value

    def keep(self, key: Hashable, value, weight: float = 0.0) -> None:
        """Keep a value, and forget those used longest ago if there is no room."""
        with self._lock:
            _, old_weight = self._values.pop(key, (None, 0.0))
            self._weight += weight - old_weight
            self._values[key] = value, weight
            while len(self._values) > 1 and self._is_full():
                _, (_, weight) = self._values.popitem(last=False)
                self._weight -= weight

    def _is_full(self) -> bool:
        return len(self._values) > self._size or self._weight > self._most

    def make(
        self,
        key: Hashable,
        make: Callable[[], Any],
        weigh: Callable[[Any], float] = lambda _: 0.0,
    ):
        """Return the value of a key, made once however many ask at the same time.

        If `make` raises, nothing is kept.
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
    """Decorate a function so that so many of its values are kept, by its arguments.

    The function compares test sets by content. It compares results and arrays by identity, and
    keeps them as long as the values made of them. No caller may change arguments or values.
    """

    def decorate(make: Callable) -> Callable:
        memory = Memory(size)

        @wraps(make)
        def remembered(*args, **more):
            arguments = (*args, *more.values())
            key = (*map(_make_key, arguments), *more)

            def make_and_hold():
                arguments_of_value = [
                    value for value in arguments if not isinstance(value, TestSet)
                ]
                return make(*args, **more), arguments_of_value

            value, _ = memory.make(key, make_and_hold)
            return value

        return remembered

    return decorate


@remember(64)
def make_once(make: Callable, *args):
    """Return ``make(*args)``, remembered.

    It is for values that each run of a page makes from results, such as tables and sentences.
    """
    return make(*args)


def _make_key(value: Any) -> Hashable:
    if isinstance(value, tuple):
        return tuple(_make_key(item) for item in value)
    if isinstance(value, TestSet):
        return value.digest, value.name, value.simulated, value.assumed, value.lines
    if isinstance(value, _PLAIN):
        return type(value), value
    return id(value)


def weigh_testset(testset: TestSet) -> int:
    """Return about how many bytes a test set takes in memory."""
    columns = [
        *testset.systems.values(),
        *testset.references.values(),
        *testset.parses.values(),
        testset.sources or (),
        testset.documents or (),
    ]
    for outputs in testset.runs.values():
        columns += outputs
    for scores in testset.scores.values():
        columns += scores.by_system.values()
    return sum(_weigh_column(column) for column in columns)


def _weigh_column(values: Sequence) -> int:
    return sum(map(sys.getsizeof, values)) + 8 * len(values)


#: What was read: test sets, and what is in folders and zips; bytes.
LOADED = Memory(8000, 500 << 20)
