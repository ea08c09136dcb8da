"""How work says how far it is."""

from __future__ import annotations

from collections.abc import Callable

#: Called with (stage, share of it done); may raise `Cancelled` to stop the work.
Progress = Callable[[str, float], None]


def report_stage(
    progress: Progress | None, name: str, step: int = 0, n_steps: int = 1
) -> Progress | None:
    """Report the stages of some work as one stage, or as a step of it that takes as long as each."""
    if progress is None:
        return None
    return lambda _stage, share: progress(name, (step + share) / n_steps)


def prefix_stages(
    progress: Progress | None, prefix: str, step: int = 0, n_steps: int = 1
) -> Progress | None:
    """Report the stages of some work, or of a step of it, with a prefix to their names."""
    if progress is None:
        return None
    return lambda stage, share: progress(prefix + stage, (step + share) / n_steps)
