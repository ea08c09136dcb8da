"""Values of functions kept in memory; all sessions share a value, which is made only once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Any

from mtsig_core import TestSet
from mtsig_core.metrics.cache import Memory

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
