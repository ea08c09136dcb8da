"""What one session may ask of the server: each limit is an environment variable. The command line has none of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from joblib import cpu_count

from mtsig_core import SettingError, TestSet

__all__ = ["LIMITS", "check_draws", "check_sweep", "places"]

#: What is counted, and how much of it is allowed where the variable is not set.
LIMITS = {"MTSIG_MAX_DRAWS": ("systems x segments x draws", 10 ** 11),
          "MTSIG_MAX_SWEEP": ("systems x sizes x test sets of each size", 2 * 10 ** 9)}


def places() -> int:
    """How many pieces of work of a lane may go on at once: ``MTSIG_JOBS``, by default as many as there are cores for
    each server process."""
    servers = len(os.environ.get("MTSIG_WORKER_PORTS", "").split()) or 1
    return max(1, _whole("MTSIG_JOBS", cpu_count() // servers))


def check_draws(testset: TestSet, draws: int, systems: int | None = None) -> None:
    """Whether so many bootstrap samples or shuffles of a test set, or of some of its systems, are within the limit.

    Raises
    ------
    SettingError
    """
    _check("MTSIG_MAX_DRAWS", (systems or len(testset.systems)) * testset.n_segments * draws,
           "Fewer trials, systems or segments need less")


def check_sweep(testset: TestSet, sizes: Sequence[int], repeats: int) -> None:
    """Whether so many test sets of each size may be drawn.

    Raises
    ------
    SettingError
    """
    _check("MTSIG_MAX_SWEEP", len(testset.systems) * sum(sizes) * repeats, "Fewer or smaller test sets need less")


def _check(variable, asked, remedy):
    what, usual = LIMITS[variable]
    if asked > (most := _whole(variable, usual)):
        raise SettingError(f"This asks for {asked:,} {what}; this server allows {most:,} ({variable}). {remedy}; the "
                           "command line has no such limit.")


def _whole(variable, usual):
    text = os.environ.get(variable, "")
    if text and not text.isdecimal():
        print(f"mtsig: {variable} is {text!r}. Expected a whole number; {usual} is used.", file=sys.stderr)
    return int(text) if text.isdecimal() else usual
