"""Results by content: statistics are counted once per content and metric, comparisons made once per settings.

Work takes statistics from here in its own process, where there is no Streamlit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mtsig_core import Comparison, Metric, TestSet, compare
from mtsig_core.metrics import metric_of, metrics_of
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report.commands import defaults
from mtsig_core.stats.comparison import corrected_by, drawn_alike, serves_corrections
from pages._ui import session_limits
from pages._work.first_comparison import first_comparison, first_counts
from pages._work.memory import Memory

_MANY = 10_000  # segments from which on several cores pay off
_KEPT = 16  # statistics of test sets, the largest things that are remembered
_MEMORY = Memory(_KEPT)
_FIRST = Memory(_KEPT)


def comparison(testset: TestSet, metric: str, meanwhile: Callable[[], None] | None = None, **settings) -> Comparison:
    """`mtsig_core.compare` for one metric, remembered by the content of the test set and the settings.

    `meanwhile` draws what the page can show without it. With another correction than it was made with before nothing
    is drawn again.
    """
    from pages._ui import background  # which work does without

    key = _key(testset, metric, settings)
    if (found := _first(testset, metric, settings, key)) is not None:
        background.keep_place(key)
        return found
    drawn = None if background.kept(key) is not None else _drawn(testset, metric, settings)

    def work(progress):
        if drawn is not None:
            return corrected_by(drawn, testset, settings["correction"])
        return compare(testset, [_Counted(metric_of(testset, metric))], jobs=jobs(testset), progress=progress,
                       **settings)

    session_limits.check_draws(testset, max(settings.get("trials", 0), settings.get("resamples", 0)))
    return background.result(key, work, "Comparing the systems",
                             meanwhile and (lambda _: meanwhile()), {"before": True})


def statistics(testset: TestSet, metric: str, progress: Callable[[str, float], None] | None = None) -> np.ndarray:
    """The statistics of a metric, shape (systems, segments, stats), remembered by content; may be called in a thread.
    """
    report = None if progress is None else lambda share: progress("counting", share)
    return _Counted(metric_of(testset, metric)).statistics(testset, report)


def jobs(testset: TestSet) -> int:
    """How many threads pay off."""
    return -1 if testset.n_segments > _MANY else 1


def _key(testset, metric, settings):
    return "compare", testset.digest, testset.name, metric, tuple(sorted(settings.items()))


def _drawn(testset, metric, settings):
    """A comparison that is there and that differs in nothing but the correction, where it has all that this needs."""
    from pages._ui import background

    for asked in drawn_alike(settings):
        key = _key(testset, metric, asked)
        found = _first(testset, metric, asked, key) or background.kept(key)
        if found is not None and serves_corrections(found.settings):
            return found
    return None


def _first(testset, metric, settings, key):
    """What was compared beforehand, None where nothing was."""
    usual = defaults("compare")
    if not testset.simulated or metric != metrics_of(testset)[0] or any(
            usual[name] != value for name, value in settings.items()):
        return None
    if key not in _FIRST:
        _FIRST.keep(key, first_comparison(testset))
    return _FIRST.get(key)


class _Counted:
    """A metric whose statistics are remembered, in memory and on disk."""

    def __init__(self, metric: Metric):
        self._metric = metric

    def __getattr__(self, name):
        return getattr(self._metric, name)

    def statistics(self, testset: TestSet, progress: Callable[[float], None] | None = None) -> np.ndarray:
        key = (testset.digest, self._metric.name, self._metric.signature(testset))
        counted = _MEMORY.get(key)
        if counted is None:
            counted = first_counts(testset, self._metric)
            if counted is None:
                counted = cached_statistics(self._metric, testset, progress)
            counted.flags.writeable = False  # it is shared by all sessions
            _MEMORY.keep(key, counted)
        return counted
