"""Cache of results by content.

Statistics are counted once for each content and metric (`mtsig_core.metrics.cache`), and resampled
once for each sampling setting.

Sessions share results. So jobs get test sets without names (`pages._work.names`), and each session
adds its own names.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from mtsig_core import Comparison, TestSet, compare
from mtsig_core.metrics.cache import Memory
from mtsig_core.stats.engine import fits_in_memory
from pages._work.first_comparison import FirstDraws, drawn_beforehand, first_result
from pages._work.names import digest_of_all, errors_with_names, with_names, without_names

_MANY = 10_000  # segments from which on several cores pay off
_DECIDED = Memory(64)
_DECISIONS = ("alpha", "correction", "ci", "baseline", "rank_rule", "look")


def comparison(testset: TestSet, metric: str, **settings) -> Comparison:
    """Compare by one metric with `mtsig_core.compare`, and remember the draws.

    With the draws in memory, the decision is made at once.
    """
    with errors_with_names(testset):
        return with_names(nameless_comparison(testset, metric, **settings), testset)


def nameless_comparison(testset: TestSet, metric: str, **settings) -> Comparison:
    """Return the same comparison without names, for use in other jobs."""
    testset = without_names(testset)
    drawing_settings = drawing(settings)
    deciding_settings = deciding(settings)
    n_systems = len(testset.systems)
    n_pairs = n_systems * (n_systems - 1) // 2
    if not fits_in_memory(n_pairs, settings.get("trials")):
        # Each baseline then has draws of its own.
        drawing_settings["baseline"] = settings.get("baseline")
    key = ("compare", digest_of_all(testset), metric, tuple(sorted(drawing_settings.items())))

    def compare_with(cache, **more):
        return compare(testset, [metric], **settings, cache=cache, **more)

    if drawn_beforehand(testset, metric, drawing_settings):
        from pages._ui import background  # work does without it

        background.keep_place(key)
        return _DECIDED.make((key, deciding_settings), lambda: compare_with(FirstDraws(testset)))

    def work(progress):
        cache = {}
        result = compare_with(cache, jobs=jobs(testset), progress=progress)
        return deciding_settings, result, cache

    return decided_from(key, work, deciding_settings, compare_with, "Comparing the systems")


def drawing(settings: dict) -> dict:
    """Return the settings on which the draws of a comparison depend."""
    return {name: value for name, value in settings.items() if name not in _DECISIONS}


def deciding(settings: dict) -> tuple:
    """Return the settings on which the draws of a comparison do not depend."""
    return tuple((name, value) for name, value in sorted(settings.items()) if name in _DECISIONS)


def decided_from(
    key: tuple,
    work: Callable,
    deciding_settings: tuple,
    decide: Callable,
    description: str,
    meanwhile: Callable[[dict], None] | None = None,
):
    """Return what `decide` makes of draws that are remembered by a key."""
    from pages._ui import background  # work does without it

    first_settings, first, cache = background.result(key, work, description, meanwhile)
    if first_settings == deciding_settings:
        return first
    return _DECIDED.make((key, deciding_settings), lambda: decide(cache))


def shared_result(
    kind: str,
    testset: TestSet,
    work: Callable,
    description: str,
    *arguments,
    meanwhile: Callable[[dict], None] | None = None,
):
    """Return work(testset without names, progress), with the names of this test set added.

    The result is remembered by its kind, the whole test set and the `arguments`. `description` and
    `meanwhile` are as in `background.result`.
    """
    from pages._ui import background  # work does without it

    nameless = without_names(testset)
    draw_parts = None
    if meanwhile is not None:

        def draw_parts(partial_results):
            meanwhile(
                {name: with_names(result, testset) for name, result in partial_results.items()}
            )

    key = (kind, digest_of_all(nameless), *arguments)
    with errors_with_names(testset):
        result = background.result(
            key, lambda progress: work(nameless, progress), description, draw_parts
        )
    return with_names(result, testset)


def experiment(
    testset: TestSet,
    metric: str,
    function: Callable,
    description: str,
    *,
    meanwhile: Callable[[dict], None] | None = None,
    **arguments,
):
    """Return function(testset, metric, ...) of the core, remembered by content and arguments.

    Without a result, the page ends with the reason. The function gets progress, threads and `watch`
    if it has these parameters. `description` and `meanwhile` are as in `background.result`; the
    function passes partial results to `watch`, each after a tuple of numbers that is its key.
    """
    from pages._ui import background, screen  # work does without them

    testset = testset.keep_scorable(metric)
    parameters = set(inspect.signature(function).parameters)

    def work(nameless, progress):
        offers = {
            "progress": progress,
            "jobs": jobs(nameless),
            "watch": lambda *key_and_value: progress.part(key_and_value[:-1], key_and_value[-1]),
        }
        used = {name: value for name, value in offers.items() if name in parameters}
        return function(nameless, metric=metric, **used, **arguments)

    with screen.or_end_page():
        key = (metric, *sorted(arguments.items()))
        first = first_result(testset, metric, function, arguments)
        if first is not None:
            background.keep_place((function.__name__, testset.digest, *key))
            return first
        return shared_result(
            function.__name__, testset, work, description, *key, meanwhile=meanwhile
        )


def jobs(testset: TestSet) -> int:
    """Return how many threads make work faster."""
    return -1 if testset.n_segments > _MANY else 1
