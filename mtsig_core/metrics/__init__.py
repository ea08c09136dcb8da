"""The metrics: what every one of them offers, and the list of them.

The tests, intervals and figures know a metric only by this protocol: per-segment statistics that
can be summed, and a score of the sums. A corpus score is never a mean of sentence scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

from mtsig_core.errors import MissingTokenizerError, SettingError, explain_unknown
from mtsig_core.metrics.means import DomainMean, SegmentMean, average_runs
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


class Metric(Protocol):
    """A corpus metric computed from summed per-segment statistics.

    Attributes
    ----------
    name : str
        Lower-case name, as on the command line.
    higher_is_better : bool
    stat_names : tuple of str
        Names of the statistics, in the order of the last axis.
    is_segment_mean : bool, optional
        Whether the statistics are (score, 1) or, where a segment has no score, (0, 0), and the
        score is their mean; or, of `mean_over_domains`, more, of which the last says whether the
        segment has a score.
    depends_on_testset : bool, optional
        Whether the statistics of a segment depend on the other segments, so that a part of a test
        set has others. It may then have a method ``parts``, which counts parts faster: see
        `part_counter`.
    needs_parses : bool, optional
        Whether it needs dependency parses of outputs and references.
    tokenizer : callable, optional
        TestSet -> the name of the tokenizer that finds its words, for a metric of words: see
        `find_tokenizer`.
    ends : mapping of float to str, optional
        The scores at which its range ends, 0 first, and why a system has that score: its replicates
        all have it too, so that two systems there cannot be told apart.
    is_adapted : bool, optional
        Whether another package counts: nothing tells when its code has changed, so no counts are
        kept on disk.
    """

    @property
    def name(self) -> str: ...

    @property
    def higher_is_better(self) -> bool: ...

    @property
    def stat_names(self) -> tuple[str, ...]: ...

    def statistics(
        self, testset: TestSet, progress: Callable[[float], None] | None = None
    ) -> np.ndarray:
        """Per-segment statistics, shape (systems, segments, stats), systems in the order of the
        test set.

        Where the work takes longer than a moment, `progress` is called with the share of it that is
        done; it may raise `Cancelled` to stop it.
        """

    def score(self, sums: np.ndarray) -> np.ndarray:
        """Scores in points of summed statistics: shape (..., stats) -> (...), float64.

        The sums are exact but may come as any type of number, float32 too: reckon in float64.

        The method may have an attribute ``swapped``, a faster way to the same bits for pairs whose
        units are swapped: a function of the metric, the sums that each system keeps and those that
        it gives away, both of shape (stats, systems, replicates), and pairs (i, j). It returns the
        score of kept[i] + moved[j] less that of kept[j] + moved[i], shape (pairs, replicates); NaN
        where it cannot tell. A subclass with another score has none.
        """

    def signature(self, testset: TestSet) -> str:
        """One line that names every setting a score depends on."""


_AT_END = 1e-7  # points: what rounding leaves of 100

#: name -> "module:class", imported on first use so that the command line starts fast.
METRICS = {
    "bleu": "mtsig_core.metrics.bleu:Bleu",
    "chrf": "mtsig_core.metrics.chrf:Chrf",
    "chrf++": "mtsig_core.metrics.chrf:ChrfPlusPlus",
    "ter": "mtsig_core.metrics.ter:Ter",
    "nist": "mtsig_core.metrics.nist:Nist",
    "m-bleu": "mtsig_core.metrics.bleu:MBleu",
    "wer": "mtsig_core.metrics.wer:Wer",
    "per": "mtsig_core.metrics.wer:Per",
    "meteor": "mtsig_core.metrics.meteor:Meteor",
    "gtm": "mtsig_core.metrics.gtm:Gtm",
    "gtm-2": "mtsig_core.metrics.gtm:Gtm2",
    "dep-f": "mtsig_core.metrics.dep_f:DepF",
}
#: Those whose usual spelling is not their name in capitals.
_SPELLED = {"chrf": "chrF", "chrf++": "chrF++"}


def make_metric(name: str, **settings: Any) -> Metric:
    """The metric of that name, with its settings.

    Raises
    ------
    SettingError
        If there is no such metric; the message names the nearest.
    """
    if name not in METRICS:
        raise explain_unknown("metric", name, METRICS)
    return _class(METRICS[name])(**settings)


def metric_title(name: str) -> str:
    """How a metric is called on screen and in reports; a test set's own scores are called what
    their files call them.
    """
    own, bracket, settings = name.partition("[")
    return _SPELLED.get(own, own.upper()) + bracket + settings if own in METRICS else name


def metric_titles(names: Iterable[str]) -> dict[str, str]:
    """What each of several metrics is called where one is chosen: its title, or its name where
    titles are alike.
    """
    titles = {name: metric_title(name) for name in names}
    often = Counter(titles.values())
    return {name: title if often[title] == 1 else name for name, title in titles.items()}


def _class(place: str) -> Callable[..., Metric]:
    module, _, name = place.partition(":")
    found: Callable[..., Metric] = getattr(import_module(module), name)
    return found


def adapt_metric(given: object) -> Metric:
    """A metric as it is, or what stands for one of sacreBLEU."""
    if not isinstance(given, type):
        if all(hasattr(given, name) for name in ("name", "statistics", "score", "signature")):
            return cast(Metric, given)  # what has these is one
        if any(cls.__module__.startswith("sacrebleu.") for cls in type(given).__mro__):
            return _class("mtsig_core.metrics.sacrebleu_objects:OfSacrebleu")(given)
    what = (
        f"the class {given.__name__}"
        if isinstance(given, type)
        else f"of the type {type(given).__name__}"
    )
    raise SettingError(
        f"A metric is {what}. Expected a name such as 'bleu', a metric from make_metric, an object of "
        "sacrebleu. Scores of segments are a part of the test set: join_scores puts them there."
    )


def list_metrics(testset: TestSet) -> list[str]:
    """The names of the metrics that a test set can be scored with, see `order_metrics`."""
    parsed = bool(testset.parses) and not testset.runs
    known = (
        [
            name
            for name in METRICS
            if parsed or not getattr(_class(METRICS[name]), "needs_parses", False)
        ]
        if testset.has_texts
        else []
    )
    return order_metrics(testset.scores, computed=known)


def resolve_metric(testset: TestSet, metric: str | Metric, **settings: Any) -> Metric:
    """The metric of that name for this test set: one of `METRICS`, or the mean of its own segment
    scores; or what a metric that is given stands for, see `adapt_metric`.
    """
    if isinstance(metric, str) and metric in testset.scores:
        if metric in METRICS:
            raise SettingError(
                f"{testset.name} has segment scores that are called {metric}, as a metric of mtsig is. "
                f"Give them another name, such as my-{metric}.",
                {"scores": f"my-{metric}=FILE"},
            )
        return SegmentMean(metric, testset.scores[metric].higher_is_better)
    if isinstance(metric, str):
        check_settled(metric, testset.assumed)
        if testset.scores and metric not in METRICS:
            raise explain_unknown("metric", metric, list_metrics(testset))
    made = make_metric(metric, **settings) if isinstance(metric, str) else adapt_metric(metric)
    if not testset.has_texts and not is_segment_mean(made):
        raise SettingError(
            f"Metric {made.name!r} needs texts, and {testset.name} has only segment scores: "
            f"{', '.join(testset.scores)}. Choose one of these, or give texts too."
        )
    return (
        made if is_segment_mean(made) else average_runs(made, testset)
    )  # it has one score, whatever the run


def resolve_metrics(
    testset: TestSet, metrics: str | Metric | Iterable[str | Metric]
) -> list[Metric]:
    """One metric or several for this test set, as `resolve_metric` finds each."""
    several = (
        metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    )
    found = [resolve_metric(testset, metric) for metric in several]
    names = [metric.name for metric in found]
    if not names or len(set(names)) < len(names):
        raise SettingError(
            f"metrics are {', '.join(names) or 'none'}. Expected at least one, each only once."
        )
    return found


def direction(metric: Metric) -> int:
    """1 where higher is better, else -1: what turns a difference of scores into an improvement."""
    return 1 if metric.higher_is_better else -1


def is_segment_mean(metric: Metric) -> bool:
    """Whether a metric is a mean of segment scores, which Student's t and Wilcoxon's test are
    for.
    """
    return getattr(metric, "is_segment_mean", False)


def explain_end(metric: Metric, score: float) -> str | None:
    """Why a score is the lowest or the highest that a metric can give; None where it is neither."""
    ends: Mapping[float, str] = getattr(metric, "ends", {})
    return next((why for end, why in ends.items() if abs(score - end) <= _AT_END), None)


def is_adapted(metric: Metric) -> bool:
    """Whether a metric stands for one of another package."""
    return getattr(metric, "is_adapted", False)


def mean_over_domains(metric: Metric) -> Metric:
    """A metric whose score is the mean over domains of the score in each."""
    return DomainMean(metric)


def has_score_in_domains(metric: Metric, statistics: np.ndarray) -> np.ndarray | None:
    """Whether segments have a score in each domain that the metric is a mean over, from their
    statistics: bool, shape (systems, segments, domains); None for any other metric.
    """
    return metric.has_score(statistics) if isinstance(metric, DomainMean) else None


def find_tokenizer(metric: Metric, testset: TestSet) -> str | None:
    """The name of the tokenizer that finds the words of a metric, None for a metric without."""
    return metric.tokenizer(testset) if hasattr(metric, "tokenizer") else None


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
    """The tokenizers that fit a language (zh, ja, ko, th) better, the best first; none where this
    one cuts it.
    """
    fits = tokenizer is None or language is None or splits_words(tokenizer, language)
    return () if fits or language is None else fitting_tokenizers(language)


def depends_on_testset(metric: Metric) -> bool:
    """Whether a part of a test set must be counted anew, as for NIST, whose weights come from all
    references.
    """
    return getattr(metric, "depends_on_testset", False)


def part_counter(
    metric: Metric, testset: TestSet, statistics: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """What gives the statistics of some segments (an array of int) as a test set of their own, from
    those of all segments where the metric does not depend on the test set.
    """
    if not depends_on_testset(metric):
        return lambda segments: statistics[:, segments]
    if hasattr(metric, "parts"):
        counter: Callable[[np.ndarray], np.ndarray] = metric.parts(testset)
        return counter
    return lambda segments: metric.statistics(testset.take(segments.tolist()))
