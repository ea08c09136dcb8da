"""Whether people would notice a difference, in words: `stats.noticed` has the numbers."""

from __future__ import annotations

from mtsig_core.report.sentences import name_unit
from mtsig_core.results import MetricResult, PairResult
from mtsig_core.stats.noticed import NOTICED, find_noticed_difference

NOTICED_SOURCE = "Kocmi et al. 2024"
#: What the curves were made of, and that no test uses them.
NOTICED_LIMITS = (
    "This comes from news texts in languages with many resources, and from systems of 2018 to 2023. People "
    "agree less often about unrelated systems. The test does not use this number."
)


def write_share(share: float) -> str:
    """The share of pairs in which people agree; a curve can be a little below chance.

    >>> write_share(0.618), write_share(0.47)
    ('62%', 'about half')
    """
    if share <= 0.5:
        return "about half"
    return f"{share:.0%}"


def tile_people(pair: PairResult) -> tuple[str, str, str] | None:
    """Return the label, the number and the note of a tile; None without a curve."""
    if pair.people_agree is None:
        return None
    number = write_share(pair.people_agree)
    return "Would people notice?", number, "of such pairs: people agree (published data)"


def explain_people_column(result: MetricResult) -> str:
    """Explain the column of the share of people who agree; empty without a curve."""
    if all(pair.people_agree is None for pair in result.pairs):
        return ""
    return (
        "People agree: how often people prefer the better-scoring system at a difference of this "
        f"size, by published data ({NOTICED_SOURCE}). {NOTICED_LIMITS}"
    )


def explain_noticed_difference(result: MetricResult) -> str:
    """Write which difference people notice 8 times in 10; empty without a curve."""
    difference = find_noticed_difference(result)
    if difference is None:
        return ""
    return (
        f"People notice a difference of {difference:.2g} {name_unit(result.metric)} "
        f"{10 * NOTICED:g} times in 10, by published data ({NOTICED_SOURCE})."
    )
