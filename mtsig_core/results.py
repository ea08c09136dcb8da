"""Frozen results. Numbers only: no formatted strings, undefined is None.

What they show of themselves (tables, files, figures) is made in `mtsig_core.report` and `mtsig_core.figures`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from mtsig_core.errors import SettingError, nearest, unknown
from mtsig_core.result_settings import Caution, Exclusion, SamplingSettings, Settings, TestSetInfo

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TestSetInfo", "SamplingSettings", "Settings", "Caution", "Exclusion", "SystemResult", "PairResult",
           "ReferenceLeaders", "MetricResult", "Comparison", "by_metric"]

_Found = TypeVar("_Found")
_COLUMN_TYPES = {"str": "str", "float": "float64", "int": "Int64", "bool": "bool"}


@dataclass(frozen=True)
class SystemResult:
    """One system under one metric. Scores in points; ranks from 1, simultaneous over all systems."""

    system: str
    score: float
    ci_low: float | None
    ci_high: float | None
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class PairResult:
    """Two systems under one metric, on the segments that have scores for both.

    Attributes
    ----------
    a, b : str
        The better-scoring system first; with a baseline, b is the baseline.
    delta : float
        score(a) - score(b) in points on these segments, with its interval `ci_low`, `ci_high`. Without a common
        segment (`n` 0) the difference of the scores on the segments that each has.
    p_value, p_adjusted : float or None
        None for a test that gives no p, and for a pair that could not be tested.
    significant : bool
    better : {"a", "b", None}
        Which system is significantly better, if any.
    win, lose : float or None
        Koehn's test: shares of bootstrap samples on which a is better, or worse, than b.
    se : float or None
        Bootstrap standard error of delta, in points, for the unit of the test.
    se_ratio : float or None
        Standard error by document / by segment; None without document ids, or where nothing varies.
    mdd : float or None
        Minimum detectable difference in points, at 80% power.
    n : int or None
        Number of segments compared; None in results of versions that did not say.
    """

    a: str
    b: str
    delta: float
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None
    win: float | None
    lose: float | None
    se: float | None
    se_ratio: float | None
    mdd: float | None
    n: int | None = None


@dataclass(frozen=True)
class ReferenceLeaders:
    """Who is ahead by one of several references alone.

    Attributes
    ----------
    reference : str
    leaders : tuple of str
        The systems that no other is significantly better than, best first.
    n_segments : int
        Segments that the reference has, which this is about.
    """

    reference: str
    leaders: tuple[str, ...]
    n_segments: int


@dataclass(frozen=True, repr=False)
class MetricResult:
    """All systems, best first, and all pairs under one metric; with several references, the leaders by each.

    Attributes
    ----------
    tokenizer : str or None
        What finds its words, if anything; None also in results of versions that did not say.
    ci : str or None
        The kind of its intervals; None in results of versions that did not say.
    n_units : int or None
        The units that were resampled: of segment scores, only those that have any. Of stationary blocks, segments
        over mean length. None in results of versions that did not say.
    trials : int or None
        How often the test drew; None for tests without draws, and in results of versions that did not say.
    exact : bool
        Whether these trials are all swaps there are (but for none swapped, 2^n - 1 of n units), so that p is exact.
    """

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    by_reference: tuple[ReferenceLeaders, ...] = ()
    tokenizer: str | None = None
    ci: str | None = None
    n_units: int | None = None
    trials: int | None = None
    exact: bool = False

    def __repr__(self) -> str:
        return (f"<MetricResult {self.metric!r}: {len(self.systems)} systems, best {self.systems[0].system!r} "
                f"{self.systems[0].score:.2f}, {self._differing()}>")

    def _repr_html_(self) -> str:
        from mtsig_core.report.notebook import metric_table

        return metric_table(self)

    def _differing(self) -> str:
        return f"{sum(pair.significant for pair in self.pairs)} of {len(self.pairs)} pairs significant"

    def n_trials(self, settings: Settings) -> int | None:
        """How often the test drew, in results of versions that did not say too."""
        return settings.trials if self.trials is None else self.trials

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return 1 if self.higher_is_better else -1

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One of the two tables as a pandas DataFrame, ``"systems"`` or ``"pairs"``."""
        import pandas as pd  # late: half a second that the command line does not need

        if table not in _TABLES:
            raise unknown("table", table, _TABLES)
        row = _TABLES[table]
        types = {f.name: _COLUMN_TYPES[f.type.removesuffix(" | None")] for f in fields(row)}  # also where all are None
        return pd.DataFrame([asdict(r) for r in getattr(self, table)], columns=list(types)).astype(types)

    def tally(self) -> dict[str, tuple[int, int, int]]:
        """Significant wins, ties and significant losses of each system."""
        counts = {s.system: [0, 0, 0] for s in self.systems}
        for pair in self.pairs:
            for name, side in ((pair.a, "a"), (pair.b, "b")):
                counts[name][1 if pair.better is None else 0 if pair.better == side else 2] += 1
        return {name: (wins, ties, losses) for name, (wins, ties, losses) in counts.items()}


_TABLES = {"systems": SystemResult, "pairs": PairResult}


class _ByMetric(dict[str, _Found]):
    def __missing__(self, name: str) -> NoReturn:
        raise unknown("metric", name, self)


def by_metric(found: Mapping[str, _Found]) -> Mapping[str, _Found]:
    """What was found by each metric, read-only; a metric that is not there is answered with the nearest."""
    return MappingProxyType(_ByMetric(found))


@dataclass(frozen=True, repr=False)
class Comparison:
    """The answer of `mtsig_core.compare`; a notebook shows it as a table."""

    testset: TestSetInfo
    settings: Settings
    warnings: tuple[Caution, ...]
    metrics: Mapping[str, MetricResult]
    excluded: tuple[Exclusion, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", by_metric(self.metrics))

    def __reduce__(self) -> tuple[Any, ...]:  # a mapping proxy cannot be pickled
        return Comparison, (self.testset, self.settings, self.warnings, dict(self.metrics), self.excluded)

    def __repr__(self) -> str:
        found = ", ".join(f"{name!r} {result._differing()}" for name, result in self.metrics.items())
        return (f"<Comparison on {self.testset.name!r}: {len(self.testset.systems)} systems, "
                f"{self.testset.n_segments} segments; {found}>")

    def _repr_html_(self) -> str:
        from mtsig_core.report.notebook import comparison_table

        return comparison_table(self)

    def to_frame(self, table: str = "systems") -> pd.DataFrame:
        """One table over all metrics, with a column ``metric`` first."""
        import pandas as pd

        frames = [result.to_frame(table) for result in self.metrics.values()]
        return pd.concat(frames, keys=list(self.metrics), names=["metric"]).reset_index(0).reset_index(drop=True)

    def render(self, form: str = "text") -> str:
        """The whole of it as a file has it, byte for byte what ``compare --format`` writes.

        Parameters
        ----------
        form : {"text", "json", "csv", "matrix", "latex", "html"}
            ``"matrix"`` is all pairs as a grid in CSV, ``"html"`` a page with figures that needs nothing else.
        """
        from mtsig_core.report.forms import FORMS

        if form not in FORMS:
            raise unknown("form", form, FORMS)
        return FORMS[form](self)

    def figure(self, name: str = "forest", metric: str | None = None) -> Any:
        """One of its figures, as on the dashboard.

        Parameters
        ----------
        name : {"forest", "matrix"}
            Scores with intervals and rank intervals; or all pairs at once, which a comparison with a baseline, or of
            one system, does not have.
        metric : str, optional
            By default the first.

        Returns
        -------
        plotly.graph_objects.Figure
        """
        from mtsig_core.figures import of_comparison

        drawn = of_comparison(self, next(iter(self.metrics)) if metric is None else metric)
        if name not in drawn:
            raise SettingError(f"This comparison has no figure {name!r}.{nearest(name, drawn)} It has: "
                               f"{', '.join(drawn)}.")
        return drawn[name]()

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read back what `mtsig_core.report.export.comparison_json` wrote; keys that it does not know are ignored.

        Returns
        -------
        Comparison
            Equal to the one that was written, to the last digit.

        Raises
        ------
        InputError
            If the text is not the JSON of a comparison: with the place, what was expected there, and what came.

        Examples
        --------
        >>> Comparison.from_json('{"metrics": []}')
        Traceback (most recent call last):
        mtsig_core.errors.InputError: metrics is []. Expected an object with keys.
        """
        from mtsig_core.report.json_reading import read_comparison

        return read_comparison(text)
