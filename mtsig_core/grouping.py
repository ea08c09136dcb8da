"""Values that share a key, in lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

_Value = TypeVar("_Value")
_Key = TypeVar("_Key")


def group_values(pairs: Iterable[tuple[_Value, _Key]]) -> dict[_Key, list[_Value]]:
    """List the values of each key, of pairs of a value and its key, in their order.

    >>> group_values([("A", 1), ("B", 2), ("C", 1)])
    {1: ['A', 'C'], 2: ['B']}
    """
    groups: dict[_Key, list[_Value]] = {}
    for value, key in pairs:
        groups.setdefault(key, []).append(value)
    return groups
