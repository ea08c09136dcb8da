"""Functions that score segments, as metrics."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mtsig_core.errors import InputError, SettingError
from mtsig_core.metrics.means import SegmentMean
from mtsig_core.metrics.protocol import Metric
from mtsig_core.metrics.registry import METRIC_NAME, OWN_METRICS
from mtsig_core.progress import Progress
from mtsig_core.testset import SegmentScores, TestSet, check_score

_PARAMETERS = {"output", "reference", "references", "source"}


def segment_metric(
    function: Callable[..., Any], *, name: str | None = None, higher_is_better: bool = True
) -> Metric:
    """A function as a metric: the score of a system is the mean of what it returns for segments.

    Parameters
    ----------
    function : callable
        Its parameters without a default are ``output`` and, as it needs them, ``reference``,
        ``references`` (a list of all that the segment has) and ``source``. A function of
        ``reference`` is called with each of several references, and the best score counts. It
        returns a number, or None or NaN for a segment without a score.
    name : str, optional
        By default the name of the function.
    higher_is_better : bool

    Raises
    ------
    SettingError
        If the function takes something else, or its name cannot be the name of a metric.

    Examples
    --------
    >>> toy = TestSet("toy", {"A": ["a b", "c"]}, {"ref": ["a b", "d"]})
    >>> length = segment_metric(lambda output: len(output.split()), name="length")
    >>> length.statistics(toy).tolist(), length.signature(toy)
    ([[[2.0, 1.0], [1.0, 1.0]]], 'function:mtsig_core.metrics.functions.<lambda>(output)|code:unknown|nrefs:1')
    """
    if name is None:
        name = getattr(function, "__name__", "")
    if name in OWN_METRICS or not METRIC_NAME.fullmatch(name):
        raise SettingError(
            f"A function that is called {name!r} needs another name to be a metric, of letters and digits, which no "
            "metric of mtsig has: segment_metric(function, name='my-metric')."
        )
    parameters = [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
    ]
    if "output" not in parameters or not _PARAMETERS.issuperset(parameters):
        raise SettingError(
            f"The function {name} takes ({', '.join(parameters)}). Expected output, and reference, references or "
            "source if it needs them. For a function with other names, write "
            f"segment_metric(lambda output, reference: function(...), name={name!r})."
        )
    return _FunctionMean(name, higher_is_better, function, tuple(parameters))


@dataclass(frozen=True)
class _FunctionMean(SegmentMean):
    """The mean of what a function returns for segments."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]

    is_adapted: ClassVar[bool] = True

    def statistics(self, testset: TestSet, progress: Progress | None = None) -> np.ndarray:
        """(score, 1) where there is a score, else (0, 0): shape (systems, segments, 2)."""
        if "source" in self.parameters and testset.sources is None:
            raise SettingError(f"{self.name} needs sources, and {testset.name} has none.")
        scores: dict[str, list[float | None]] = {}
        for system in testset.systems:
            if progress is not None:
                progress("counting", len(scores) / len(testset.systems))
            scores[system] = [self._score(testset, system, k) for k in range(testset.n_segments)]
        return super().statistics(replace(testset, scores={self.name: SegmentScores(scores)}))

    def signature(self, testset: TestSet) -> str:
        """The function, whose code is not known, and its parameters."""
        name = getattr(self.function, "__qualname__", self.name)
        call = f"{self.function.__module__}.{name}({','.join(self.parameters)})"
        return f"function:{call}|code:unknown|nrefs:{testset.n_references or 'var'}"

    def _score(self, testset: TestSet, system: str, k: int) -> float | None:
        """The score of a segment, by the best of its references if the function takes one."""
        output = testset.systems[system][k]
        if output is None:
            return None
        references = [text[k] for text in testset.references.values() if text[k] is not None]
        texts: dict[str, Any] = {"output": output, "references": references}
        if testset.sources is not None:
            texts["source"] = testset.sources[k]
        if "reference" not in self.parameters:
            references = [None]
        location = f"{system} by the function {self.name}"
        scores = []
        for reference in references:
            texts["reference"] = reference
            try:
                score = self.function(**{name: texts[name] for name in self.parameters})
            except Exception as error:  # the code of a user may raise anything
                raise InputError(f"{location}: segment {k + 1} failed with {error!r}.") from error
            if isinstance(score, bool | np.bool_):
                score = float(score)
            score = check_score(location, k + 1, score)
            if score is not None:
                scores.append(score)
        best = max if self.higher_is_better else min
        return best(scores, default=None)
