"""Phrases that sentences about results are made of: of a comparison, and of a whole shared task."""

from __future__ import annotations

from collections.abc import Sequence

from mtsig_core.metrics import metric_title
from mtsig_core.report.tables import how_often
from mtsig_core.report.terminal import printable
from mtsig_core.results import MetricResult, Settings, TestSetInfo

__all__ = ["ACROSS", "CORRECTION_NAMES", "TEST_NAMES", "computed_said", "intervals_name", "level",
           "listed", "metric_name", "row_against_column", "simulated_said", "trials_clause", "units_name"]

#: In place of a language pair, what holds across them.
ACROSS = "across all"
#: What a sentence calls a test that has another title elsewhere.
TEST_NAMES = {
    "bootstrap": "the bootstrap with a signed shift", "percentile": "the percentile interval of the difference",
    "koehn": "paired bootstrap", "riezler-maxwell": "the shift method as printed",
    "t": "Student's t on paired segment scores", "wilcoxon": "Wilcoxon's signed ranks of segment scores"}
CORRECTION_NAMES = {
    "bonferroni": "Bonferroni", "holm": "Holm (1979)", "bh": "Benjamini and Hochberg (1995)",
    "by": "Benjamini and Yekutieli (2001)", "romano-wolf": "Romano and Wolf (2005)"}


def metric_name(result: MetricResult) -> str:
    """The name of the metric, printable."""
    return printable(metric_title(result.metric))


def row_against_column(result: MetricResult) -> str:
    """How a difference is taken that is positive where the row is better."""
    return "row minus column" if result.higher_is_better else "column minus row"


def simulated_said(info: TestSetInfo) -> list[str]:
    """A sentence for a test set that is simulated; its name has the seed of its texts, which is not that of the
    draws."""
    by = ", from the seed in its name" if "(seed " in info.name else ""
    return [f"The test set is simulated: its texts are made up{by}."] if info.simulated else []


def computed_said(settings: Settings) -> str:
    """The version, and the seed of all that was drawn."""
    return f"Computed with mtsig {settings.version}; what is drawn at random comes from seed {settings.seed}."


def trials_clause(result: MetricResult, settings: Settings) -> str:
    """How often the test drew, after a comma; nothing for a test that draws nothing."""
    if settings.trials is None:
        return ""
    return f", {how_often(result, settings).replace(', exact', ' (p is exact)')}"


def units_name(settings: Settings) -> str:
    """What is drawn or swapped, in the plural."""
    return f"{settings.unit}s" if settings.block_length is None else \
        f"stationary blocks of {settings.block_length:g} segments on average (Politis and Romano 1994)"


def intervals_name(result: MetricResult, settings: Settings) -> str:
    """The kind of interval, and what it was made from."""
    ci = result.ci or settings.ci
    if ci == "jackknife-t":
        return f"jackknife t intervals over {units_name(settings)}"
    if ci == "t":
        return "Student's t intervals of segment means"
    kind = {"bca": "BCa"}.get(ci, ci)
    return f"{kind} bootstrap intervals from {settings.resamples} resamples of {units_name(settings)}"


def level(settings: Settings) -> str:
    """Of the intervals, such as 95%."""
    return f"{100 * (1 - settings.alpha):g}%"


def listed(items: Sequence[str], conjunction: str = "and", shown: bool = True) -> str:
    """Items as an English list; with `shown` made printable first."""
    items = [printable(item) if shown else item for item in items]
    if len(items) < 3:
        return f" {conjunction} ".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"
