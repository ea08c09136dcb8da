"""`Comparison`: the answer of `mtsig_core.compare`, which gives itself as table, file and figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mtsig_core.errors import SettingError, counted, nearest, unknown
from mtsig_core.results.metric_results import MetricResult, by_metric
from mtsig_core.results.settings import Caution, Exclusion, Settings, TestSetInfo

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison"]


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
        return (f"<Comparison on {self.testset.name!r}: {counted(len(self.testset.systems), 'system')}, "
                f"{counted(self.testset.n_segments, 'segment')}; {found}>")

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
        name : {"forest", "differences", "matrix"}
            Scores with intervals and rank intervals; differences to the best system, or to the baseline, with single
            and simultaneous intervals; or all pairs at once. A comparison of one system has the first alone, one with
            a baseline no matrix.
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
