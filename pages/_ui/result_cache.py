"""Results by content.

Statistics are counted once for each content and metric, and resampled once for each sampling
setting. Work takes statistics from here in its own process, without Streamlit.

Sessions share what is found, so work is given test sets without names (`pages._work.names`), and
each session puts its own in.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

import numpy as np

from mtsig_core import Comparison, Metric, TestSet, compare
from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.stats.engine import fits_in_memory
from pages._ui import session_limits
from pages._work.first_comparison import FirstDraws, drawn_beforehand, first_result
from pages._work.memory import Memory
from pages._work.names import digest_of_all, errors_with_names, with_names, without_names

_MANY = 10_000  # segments from which on several cores pay off
_KEPT = 16  # statistics of test sets, the largest things that are remembered
_MEMORY = Memory(_KEPT)
_DECIDED = Memory(64)
_DECISIONS = ("alpha", "correction", "ci", "baseline", "rank_rule")


def comparison(testset: TestSet, metric: str, **settings) -> Comparison:
    """Compare by one metric with `mtsig_core.compare`, and remember the draws.

    With the draws in memory, the decision is made at once.
    """
    with errors_with_names(testset):
        return with_names(nameless_comparison(testset, metric, **settings), testset)


def nameless_comparison(testset: TestSet, metric: str, **settings) -> Comparison:
    """Return the same without names, as other work may be given it."""
    testset = without_names(testset)
    session_limits.check_draws(
        testset, max(settings.get("trials", 0), settings.get("resamples", 0))
    )
    drawn, asked, m = drawing(settings), deciding(settings), len(testset.systems)
    if not fits_in_memory(
        m * (m - 1) // 2, settings.get("trials")
    ):  # then each baseline has draws of its own
        drawn["baseline"] = settings.get("baseline")
    key = "compare", digest_of_all(testset), metric, tuple(sorted(drawn.items()))

    def compare_with(cache, **more):
        return compare(
            testset, [_Counted(resolve_metric(testset, metric))], **settings, cache=cache, **more
        )

    if drawn_beforehand(testset, metric, drawn):
        from pages._ui import background  # which work does without

        background.keep_place(key)
        return _DECIDED.make((key, asked), lambda: compare_with(FirstDraws(testset)))

    def work(progress):
        cache = {}
        return asked, compare_with(cache, jobs=jobs(testset), progress=progress), cache

    return decided_from(key, work, asked, compare_with, "Comparing the systems")


def drawing(settings: dict) -> dict:
    """Return the settings on which the draws of a comparison depend."""
    return {name: value for name, value in settings.items() if name not in _DECISIONS}


def deciding(settings: dict) -> tuple:
    """Return the settings on which the draws of a comparison do not depend."""
    return tuple((name, value) for name, value in sorted(settings.items()) if name in _DECISIONS)


def decided_from(
    key: tuple, work: Callable, asked: tuple, decide: Callable, what: str, meanwhile=None
):
    """Return what `decide` makes of draws that are remembered by a key."""
    from pages._ui import background  # which work does without

    there, found, cache = background.result(key, work, what, meanwhile)
    return found if there == asked else _DECIDED.make((key, asked), lambda: decide(cache))


def shared_result(
    kind: str,
    testset: TestSet,
    work: Callable,
    what: str,
    *asked,
    meanwhile: Callable[[dict], None] | None = None,
):
    """Return the value of work(testset without names, progress), remembered by its kind, all that
    the test set holds and what is `asked`; with the names of this test set put in. `what` and
    `meanwhile` are as in `background.result`.
    """
    from pages._ui import background  # which work does without

    nameless = without_names(testset)

    def draw_parts(parts):
        meanwhile({name: with_names(part, testset) for name, part in parts.items()})

    with errors_with_names(testset):
        found = background.result(
            (kind, digest_of_all(nameless), *asked),
            lambda progress: work(nameless, progress),
            what,
            None if meanwhile is None else draw_parts,
        )
    return with_names(found, testset)


def experiment(
    testset: TestSet,
    metric: str,
    function: Callable,
    what: str,
    *,
    limit: Callable[[], None] | None = None,
    meanwhile: Callable[[dict], None] | None = None,
    **asked,
):
    """Return the result of function(testset, metric, ...) of the core, remembered by content and
    arguments.

    The page ends with the reason where there is none. The function is given statistics, progress,
    threads and `watch` where it takes them. `what` and `meanwhile` are as in `background.result`:
    parts are what the function passes to `watch`, by the tuple of numbers before it. `limit` checks
    the limits of the server in another way.
    """
    from pages._ui import background, screen  # which work does without

    testset = testset.keep_scorable(metric)
    taken = set(inspect.signature(function).parameters)

    def work(nameless, progress):
        offered = {
            "progress": progress,
            "jobs": jobs(nameless),
            "watch": lambda *part: progress.part(part[:-1], part[-1]),
        }
        if "statistics" in taken:
            offered["statistics"] = statistics(nameless, metric, progress)
        return function(
            nameless,
            metric=metric,
            **{name: offered[name] for name in offered.keys() & taken},
            **asked,
        )

    with screen.or_end_page():
        if limit is None:
            session_limits.check_experiment(testset, function, asked)
        else:
            limit()
        arguments = metric, *sorted(asked.items())
        first = first_result(testset, metric, function, asked)
        if first is not None:
            background.keep_place((function.__name__, testset.digest, *arguments))
            return first
        return shared_result(
            function.__name__, testset, work, what, *arguments, meanwhile=meanwhile
        )


def statistics(
    testset: TestSet, metric: str, progress: Callable[[str, float], None] | None = None
) -> np.ndarray:
    """Return the statistics of a metric, shape (systems, segments, stats), remembered by content;
    also for threads.
    """
    report = None if progress is None else lambda share: progress("counting", share)
    return _Counted(resolve_metric(testset, metric)).statistics(testset, report)


def jobs(testset: TestSet) -> int:
    """Return how many threads make work faster."""
    return -1 if testset.n_segments > _MANY else 1


class _Counted:
    """A metric whose statistics are remembered, in memory and on disk."""

    def __init__(self, metric: Metric):
        self._metric = metric

    def __getattr__(self, name):
        return getattr(self._metric, name)

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        key = (testset.digest, self._metric.name, self._metric.signature(testset))
        counted = _MEMORY.get(key)
        if counted is None:
            counted = cached_statistics(self._metric, testset, progress)
            counted.flags.writeable = False  # it is shared by all sessions
            _MEMORY.keep(key, counted)
        return counted
