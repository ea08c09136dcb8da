"""What is made of results for each run of a page, such as tables and sentences: made once for all who see the same."""

from __future__ import annotations

from collections.abc import Callable

from mtsig_core import TestSet
from pages._ui.jobs import Memory

__all__ = ["made_once"]

_MADE = Memory(64)
_PLAIN = (str, int, float, bool, type(None))


def made_once(make: Callable, *of):
    """``make(*of)``, remembered; nobody may change it, nor what it is made of.

    Test sets are known again by their content, results as the very objects that they are: these stay as long as what
    was made of them.
    """
    key = (make, *map(_known, of))
    if (found := _MADE.get(key)) is None:
        found = make(*of), [one for one in of if not isinstance(one, TestSet)]
        _MADE.keep(key, found)
    return found[0]


def _known(one):
    if isinstance(one, tuple):
        return tuple(map(_known, one))
    if isinstance(one, TestSet):
        return one.digest, one.name, one.simulated, one.assumed, one.lines
    return (type(one), one) if isinstance(one, _PLAIN) else id(one)
