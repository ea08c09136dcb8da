"""What decides what may be claimed, for what is quoted without the list of warnings, as captions and papers are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mtsig_core.inference.few_units import what_lacks
from mtsig_core.results import Comparison, MetricResult

__all__ = ["assumptions", "caveats", "keeps_its_level", "ranks_hold_jointly"]

_IGNORED, _AS_PUBLISHED, _ASSUMES, _FEW = "documents-ignored", "-as-published", "-assumes", "few-units"


def assumptions(assumed: Iterable[str], metrics: Iterable[str]) -> list[str]:
    """Sentences: what was assumed of these metrics when a test set or a task was read, and what was left out then."""
    named = tuple(f"{metric}:" for metric in metrics)
    return [f"Assumed: {text}" if text.startswith(named) else text for text in assumed
            if text.startswith(("Left out", *named))]


def keeps_its_level(comparison: Comparison) -> bool:
    """Whether no warning says that the test rejects more true nulls than alpha; if not, no correction mends that."""
    return not any(caution.code == _IGNORED or caution.code.endswith(_AS_PUBLISHED) for caution in comparison.warnings)


def ranks_hold_jointly(comparison: Comparison) -> bool:
    """Whether rank intervals may be said to hold for all systems together."""
    return comparison.settings.rank_rule == "simultaneous" and keeps_its_level(comparison)


def caveats(comparison: Comparison, result: MetricResult) -> list[str]:
    """Sentences: what is wrong with the test or the unit, in the words of the warnings without their remedies, and
    what therefore need not hold."""
    said = [re.split(" (?:Use|Choose|Take) ", caution.text)[0] for caution in comparison.warnings
            if caution.code == _IGNORED or caution.code.endswith((_AS_PUBLISHED, _ASSUMES))
            or caution.code == _FEW and caution.metric in (None, result.metric)
            or caution.code == "rank-rule" and caution.metric == result.metric]
    if not result.tested or keeps_its_level(comparison) or what_lacks(comparison.settings, result):
        return said
    parts = ["decisions"]
    if any(caution.code == _IGNORED for caution in comparison.warnings):
        parts.append("intervals")
    if len(result.tested) > 1 and comparison.settings.correction != "none":
        parts.append("the correction")
    if result.systems[0].rank_low is not None and result.ruled is None:
        parts.append("rank intervals")
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return [*said, f"So {listed} need not hold at the level said."]
