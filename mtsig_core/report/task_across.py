"""What a reader of the numbers across the language pairs of a task has to know beside them, in sentences."""

from __future__ import annotations

from mtsig_core.inference.across_metrics import FEW
from mtsig_core.results.task import TaskComparison

__all__ = ["across_gaps"]


def across_gaps(found: TaskComparison, metric: str) -> list[str]:
    """What there is not across the language pairs, and why: decisions and ranks where too little could be decided."""
    macro = found.macro.get(metric)
    n = len(macro.pairs) if macro is not None else 0
    if macro is None or not n:
        return []
    shut, said = sum(not pair.decidable for pair in macro.pairs), []
    if shut:
        which = "the only pair of systems" if n == 1 else \
            f"{f'all {n:,}' if shut == n else f'{shut:,} of {n:,}'} pairs of systems"
        nobody = ", and nobody is ranked" * all(row.rank_low is None for row in macro.systems)
        said.append(f"Across the language pairs {which} {FEW}{nobody}.")
    return said
