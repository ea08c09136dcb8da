"""The limits of one session: each is an environment variable. The command line has none of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import comb, prod

from joblib import cpu_count

from mtsig_core import SettingError, TestSet
from mtsig_core.readers.limits import read_whole_number
from mtsig_core.report.commands import defaults
from mtsig_core.source import PORTS_VARIABLE

#: A pair of systems counts as so many draws at least: it takes memory, in each page that shows it,
#: whatever is drawn.
LEAST_DRAWS = 100_000
#: What is counted, and how much of it is allowed where the variable is not set.
LIMITS = {
    "MTSIG_MAX_DRAWS": ("systems x segments x resamples", 10**11),
    "MTSIG_MAX_PAIRS": (
        f"pairs of systems x permutations, {LEAST_DRAWS:,} of these at least",
        10**10,
    ),
    "MTSIG_MAX_SWEEP": ("systems x sizes x test sets of each size", 2 * 10**9),
}
#: The segments, at most, of the small test sets that an experiment draws one after the other.
DRAWN = {"type_one": 300, "coverage": 300, "families": 300, "claims": 300, "variants": 2000}


def places() -> int:
    """Return how many pieces of work of a lane may run at once: ``MTSIG_JOBS``, by default one for
    each core of each server process.
    """
    servers = len(os.environ.get(PORTS_VARIABLE, "").split()) or 1
    return read_whole_number("MTSIG_JOBS", max(1, cpu_count() // servers))


def check_draws(testset: TestSet, draws: int) -> None:
    """Check that the resamples or permutations of a test set are within the limit."""
    _check_draws(len(testset.systems) * testset.n_segments * draws)
    _check_pairs(len(testset.systems), draws)


def check_experiment(testset: TestSet, function: Callable, asked: Mapping, times: int = 1) -> None:
    """Check that the draws of all repeats of an experiment are within the limit."""
    asked = defaults(function) | dict(asked)
    systems = (
        2
        if "a" in asked
        else 1
        if "system" in asked
        else asked.get("systems", len(testset.systems))
    )
    segments = min(testset.n_segments, DRAWN.get(function.__name__, testset.n_segments))
    times *= prod(asked.get(k, 1) for k in ("n_pairs", "repeats"))
    _check_draws(times * systems * segments * _draws(asked))
    _check_pairs(systems, times * _draws(asked))


def check_task(
    sizes: Mapping[str, tuple[int, int]], pairs: Iterable[str], function: Callable, asked: Mapping
) -> None:
    """Check that the draws of all language pairs of a task are within the limit."""
    pairs, draws = list(pairs), _draws(defaults(function) | dict(asked))
    _check_draws(sum(prod(sizes[pair]) for pair in pairs) * draws, ", language pairs or metrics")
    _check_pairs([sizes[pair][0] for pair in pairs], draws)


def check_sweep(testset: TestSet, sizes: Sequence[int], repeats: int) -> None:
    """Check that so many test sets of each size may be drawn."""
    remedy = "Fewer or smaller test sets need less"
    _check("MTSIG_MAX_SWEEP", len(testset.systems) * sum(sizes) * repeats, remedy)
    _check_pairs(
        len(testset.systems), len(sizes) * repeats * _draws(defaults("sweep size")), remedy
    )


def _draws(asked):
    """Return the number of draws of one comparison."""
    return max(asked.get(name) or 0 for name in ("trials", "resamples", "pool"))


def _check_draws(asked, more=" or segments"):
    _check("MTSIG_MAX_DRAWS", asked, f"Fewer trials, systems{more} need less")


def _check_pairs(
    systems, draws, remedy="Fewer systems need less: exclude some, or use fewer trials"
):
    """Check the number of pairs of systems, or of several sets of systems."""
    pairs = sum(comb(n, 2) for n in ([systems] if isinstance(systems, int) else systems))
    _check("MTSIG_MAX_PAIRS", pairs * max(draws, LEAST_DRAWS), remedy)


def _check(variable, asked, remedy):
    what, usual = LIMITS[variable]
    if asked > (most := read_whole_number(variable, usual)):
        raise SettingError(
            f"This asks for {asked:,} {what}; this server allows {most:,} ({variable}). {remedy}; the "
            "command line has no such limit."
        )
