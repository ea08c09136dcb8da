"""Scores of single segments, as a part of a test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from mtsig_core.data.checks import as_names, as_scores

__all__ = ["SegmentScores"]


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """Scores that people or a model gave to single segments; immutable.

    Parameters
    ----------
    by_system : mapping of str to sequence of (float or None)
        By system, one number per segment of the test set, on the scale it was given; ``None`` where there is none.
    higher_is_better : bool

    Raises
    ------
    InputError
        If one is no finite number.
    """

    by_system: Mapping[str, Sequence[float | None]]
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        scores = as_names("Scores", self.by_system)
        frozen = {name: as_scores(f"Scores of {name}", values) for name, values in scores.items()}
        object.__setattr__(self, "by_system", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[Any, ...]:
        return SegmentScores, (dict(self.by_system), self.higher_is_better)

    def at(self, indices: Sequence[int]) -> SegmentScores:
        """The scores of the segments at these positions."""
        return replace(self, by_system={k: [v[i] for i in indices] for k, v in self.by_system.items()})

    def of(self, names: Mapping[str, str]) -> SegmentScores:
        """The scores of these systems alone, {name: what it is called from now on}."""
        return replace(self, by_system={new: self.by_system[k] for k, new in names.items() if k in self.by_system})
