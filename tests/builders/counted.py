"""How many inputs are tried: a thousand in each run, over twenty thousand in the long one, counted
as they are.
"""

from collections import Counter

from hypothesis import settings

__all__ = ["SEEN", "check_number", "many"]

#: Of each kind, times the examples of the profile.
TIMES = {"uploads": 5, "archives": 4, "links": 15, "commands": 8, "values": 2}
FEW = settings.default.max_examples
if FEW == 400:  # in the long run ten thousand files with values of other types
    TIMES["values"] = 27
#: Those that came to their end.
SEEN = Counter()

assert sum(TIMES.values()) * FEW >= {30: 1_000, 400: 23_000}.get(FEW, 0)


def many(kind):
    """The number of inputs of a kind."""
    return settings(max_examples=TIMES[kind] * FEW)


def check_number(*kinds):
    """Whether as many inputs were tried, of the kinds that were tried at all."""
    assert all(SEEN[kind] >= TIMES[kind] * FEW for kind in kinds if SEEN[kind]), SEEN
