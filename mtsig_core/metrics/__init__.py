"""The metrics: their common protocol, and the list of all metrics.

Tests, intervals and figures use a metric only through this protocol: statistics per segment that
can be summed, and a score of the sums. A corpus score is never a mean of sentence scores.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pkgutil import resolve_name
from typing import Any

import numpy as np

from mtsig_core.errors import MissingTokenizerError, MtsigError, SettingError, explain_unknown
from mtsig_core.metrics.functions import segment_metric as segment_metric
from mtsig_core.metrics.means import DomainMean, SegmentMean, average_runs
from mtsig_core.metrics.means import divide_sums as divide_sums
from mtsig_core.metrics.protocol import CountSegments as CountSegments
from mtsig_core.metrics.protocol import Metric as Metric
from mtsig_core.metrics.protocol import MetricLike as MetricLike
from mtsig_core.metrics.protocol import MetricsLike as MetricsLike
from mtsig_core.metrics.registry import METRICS as METRICS
from mtsig_core.metrics.registry import OWN_METRICS as OWN_METRICS
from mtsig_core.metrics.tokenizers import (
    TOKENIZERS,
    fitting_tokenizers,
    make_tokenizer,
    splits_words,
)
from mtsig_core.metrics.tokenizers import check_tokenizer as check_tokenizer
from mtsig_core.metrics.tokenizers import package_of as package_of
from mtsig_core.score_names import check_settled, order_metrics
from mtsig_core.testset import TestSet

_OF_SACREBLEU = "mtsig_core.metrics.sacrebleu_objects:OfSacrebleu"
_AT_END = 1e-7  # points: what rounding leaves of 100

#: Those whose usual spelling is not their name in capitals.
_SPELLED = {"chrf": "chrF", "chrf++": "chrF++"}


def make_metric(name: str, **settings: Any) -> Metric:
    """The metric of that name, with its settings.

    Raises
    ------
    SettingError
        If there is no such metric (the message names the nearest), it has no such setting, or the
        package that brings it does not work.
    """
    if name not in METRICS:
        raise explain_unknown("metric", name, METRICS, {"scores": f"{name}=FILE"})
    place = METRICS[name]
    try:
        make = resolve_name(place)
        if "output" in inspect.signature(make).parameters:  # a function that scores segments
            make = partial(segment_metric, make, name=name)
        metric: Metric = make(**settings)
    except MtsigError:
        raise
    except (Exception, SystemExit) as error:  # the code of a package may raise anything
        raise SettingError(
            f"Metric {name} cannot be made from {place}, which failed with {error!r}. If it is a function that "
            "scores segments, call its parameters output, reference, references or source."
        ) from error
    if not isinstance(metric, Metric) or metric.name != name:
        raise SettingError(f"{place} made {metric!r}. Expected a metric with the name {name!r}.")
    return metric


def metric_title(name: str) -> str:
    """The name of a metric on screen and in reports.

    Scores of a test set keep the name that their files give them, and metrics of packages theirs.
    """
    kind, bracket, settings = name.partition("[")
    if kind not in OWN_METRICS:
        return name
    return _SPELLED.get(kind, kind.upper()) + bracket + settings


def metric_titles(names: Iterable[str]) -> dict[str, str]:
    """The title of each metric in a menu; its name where two titles are alike."""
    titles = {name: metric_title(name) for name in names}
    n_with_title = Counter(titles.values())
    return {name: title if n_with_title[title] == 1 else name for name, title in titles.items()}


def adapt_metric(candidate: object) -> Metric:
    """A metric as it is, or an adapter for a metric object of sacreBLEU or a function.

    Raises
    ------
    SettingError
        If it is none of these.
    """
    kind = f"of the type {type(candidate).__name__}"
    if isinstance(candidate, type):
        kind = f"the class {candidate.__name__}"
    elif isinstance(candidate, Metric):
        return candidate
    elif any(cls.__module__.startswith("sacrebleu.") for cls in type(candidate).__mro__):
        adapted: Metric = resolve_name(_OF_SACREBLEU)(candidate)
        return adapted
    elif callable(candidate):
        return segment_metric(candidate)
    raise SettingError(
        f"A metric is {kind}. Expected a name such as 'bleu', a metric from make_metric, an object "
        "of sacrebleu, or a function of (output, reference). Scores of segments are a part of the test "
        "set: join_scores puts them there."
    )


def list_metrics(testset: TestSet) -> list[str]:
    """The names of the metrics that a test set can be scored with, see `order_metrics`."""
    computed = []
    if testset.has_texts:
        has_parses = bool(testset.parses) and not testset.runs
        for name in METRICS:
            needs_parses = name in OWN_METRICS and hasattr(
                resolve_name(OWN_METRICS[name]), "needs_parses"
            )
            if has_parses or not needs_parses:
                computed.append(name)
    return order_metrics(testset.scores, computed=computed)


def resolve_metric(testset: TestSet, metric: MetricLike, **settings: Any) -> Metric:
    """The metric for this test set, by its name or as it is.

    A name is one of `METRICS`, or of the test set's own segment scores. An object is adapted by
    `adapt_metric`.

    Raises
    ------
    SettingError
        If there is no such metric, or it needs what the test set does not have.
    """
    if isinstance(metric, str):
        resolved = _find_metric(testset, metric, **settings)
    else:
        resolved = adapt_metric(metric)
    if is_segment_mean(resolved) and not is_adapted(resolved):
        return resolved  # it has one score, whatever the run
    if not testset.has_texts:
        raise SettingError(
            f"Metric {resolved.name!r} needs texts, and {testset.name} has only segment scores: "
            f"{', '.join(testset.scores)}. Choose one of these, or give texts too."
        )
    return average_runs(resolved, testset)


def _find_metric(testset: TestSet, name: str, **settings: Any) -> Metric:
    """The metric of that name, of a test set's own scores or of `METRICS`."""
    if name in testset.scores:
        check_score_name(name, testset.name)
        return SegmentMean(name, testset.scores[name].higher_is_better)
    check_settled(name, testset.assumed)
    if testset.scores and name not in METRICS:
        raise explain_unknown("metric", name, list_metrics(testset))
    return make_metric(name, **settings)


def check_score_name(name: str, holder: str) -> None:
    """Refuse segment scores that are called like a metric of mtsig."""
    if name in OWN_METRICS:
        raise SettingError(
            f"{holder} has segment scores that are called {name}, as a metric of mtsig is. "
            f"Give them another name, such as my-{name}.",
            {"scores": f"my-{name}=FILE"},
        )


def resolve_metrics(testset: TestSet, metrics: MetricsLike) -> list[Metric]:
    """One metric or several for this test set, as `resolve_metric` finds each."""
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    resolved = [resolve_metric(testset, metric) for metric in metrics]
    check_each_once([metric.name for metric in resolved])
    return resolved


def check_each_once(names: Collection[str]) -> None:
    """Refuse no metric, and two of one name."""
    if not names or len(set(names)) < len(names):
        raise SettingError(
            f"metrics are {', '.join(names) or 'none'}. Expected at least one, each only once."
        )


def direction(metric: Metric) -> int:
    """1 where higher scores are better, else -1: the sign of an improvement."""
    return 1 if metric.higher_is_better else -1


def is_segment_mean(metric: Metric) -> bool:
    """Whether a metric is a mean of segment scores, as Student's t and Wilcoxon's test need."""
    return getattr(metric, "is_segment_mean", False)


def explain_end(metric: Metric, score: float) -> str | None:
    """Why a score is the lowest or the highest that a metric can give; None where it is neither."""
    explanations: Mapping[float, str] = getattr(metric, "ends", {})
    for end, explanation in explanations.items():
        if abs(score - end) <= _AT_END:
            return explanation
    return None


def is_adapted(metric: Metric) -> bool:
    """Whether a metric is an adapter for another package's metric."""
    return getattr(metric, "is_adapted", False)


def mean_over_domains(metric: Metric) -> Metric:
    """A metric whose score is the mean over domains of the score in each."""
    return DomainMean(metric)


def has_score_in_domains(metric: Metric, statistics: np.ndarray) -> np.ndarray | None:
    """Whether segments have a score in each domain that the metric is a mean over.

    Returns
    -------
    bool, shape (systems, segments, domains), from the segments' statistics; None for any metric
    that is no mean over domains.
    """
    if isinstance(metric, DomainMean):
        return metric.has_score(statistics)
    return None


def find_tokenizer(metric: Metric, testset: TestSet) -> str | None:
    """The name of the tokenizer that finds the words of a metric, None for a metric without."""
    if not hasattr(metric, "tokenizer"):
        return None
    name: str | None = metric.tokenizer(testset)
    return name


def lacks_tokenizer(metric: Metric, testset: TestSet) -> bool:
    """Whether a metric cannot find words in a test set because its tokenizer is not installed."""
    name = find_tokenizer(metric, testset)
    if name not in TOKENIZERS:
        return False
    try:
        make_tokenizer(name)
    except MissingTokenizerError:
        return True
    return False


def list_better_tokenizers(tokenizer: str | None, language: str | None) -> tuple[str, ...]:
    """The tokenizers that fit a language (zh, ja, ko, th) better, the best first.

    None where this tokenizer cuts the language into words.
    """
    if tokenizer is None or language is None or splits_words(tokenizer, language):
        return ()
    return fitting_tokenizers(language)


def depends_on_testset(metric: Metric) -> bool:
    """Whether a part of a test set must be counted again.

    NIST is such a metric: its weights come from all references.
    """
    return getattr(metric, "depends_on_testset", False)


def part_counter(metric: Metric, testset: TestSet, statistics: np.ndarray) -> CountSegments:
    """A function that counts some segments (an array of int) as a test set of their own.

    Where the metric does not depend on the test set, it takes them from `statistics`, which are of
    all segments.
    """
    if not depends_on_testset(metric):
        return lambda segments: statistics[:, segments]
    if hasattr(metric, "parts"):
        counter: CountSegments = metric.parts(testset)
        return counter
    return lambda segments: metric.statistics(testset.take(segments.tolist()))
