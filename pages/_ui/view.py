"""What is on screen of one test set: what was chosen, and the comparison that it asks for."""

from __future__ import annotations

from dataclasses import dataclass

from mtsig_core import Comparison, MetricResult, TestSet
from mtsig_core.metrics import depends_on_testset, metric_of
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source
from pages._ui import results, selection

__all__ = ["View"]


@dataclass(frozen=True)
class View:
    """What is on screen: everything a page draws comes from here.

    Attributes
    ----------
    testset : TestSet
        Without the systems and segments that the user left out.
    whole : TestSet
        All that was read.
    part : selection.Part
        What was chosen of it.
    metric : str
    settings : dict
        Keyword arguments of `mtsig_core.compare`.
    source : Source
        The same for the command line: where the test set comes from, and what was left out of it.
    """

    testset: TestSet
    whole: TestSet
    part: selection.Part
    metric: str
    settings: dict
    source: Source

    @property
    def title(self) -> str:
        """What is open."""
        return self.whole.name

    @property
    def comparison(self) -> Comparison:
        return results.comparison(self.testset, self.metric, **self.settings)

    @property
    def result(self) -> MetricResult:
        return self.comparison.metrics[self.metric]

    @property
    def recounted(self) -> bool:
        """Whether a part of the test set has other statistics by this metric than within the whole."""
        return depends_on_testset(metric_of(self.testset, self.metric))

    def named(self, *systems: str, metric: str = "") -> tuple[str, ...]:
        """What files of this view are called: the test set, the systems that they are about, the metric."""
        return self.testset.name, *(["pair"] if len(systems) == 2 else []), *systems, metric or self.metric

    def command(self) -> str:
        """The command line that prints the numbers of this view."""
        return command_line("compare", self.source, metrics=self.metric, **self.settings)
