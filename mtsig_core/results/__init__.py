"""Frozen results. Numbers only: no formatted strings, undefined is None.

What they show of themselves (tables, files, figures) is made in `mtsig_core.report` and `mtsig_core.figures`.
"""

from mtsig_core.results.comparison import Comparison
from mtsig_core.results.metric_results import (
    UNLIKE,
    MetricResult,
    PairResult,
    ReferenceLeaders,
    RuledRanks,
    SystemResult,
    by_metric,
    swap_ratio,
)
from mtsig_core.results.runs import PairRuns, SystemRuns
from mtsig_core.results.settings import Caution, Exclusion, SamplingSettings, Settings, TestSetInfo

__all__ = ["TestSetInfo", "SamplingSettings", "Settings", "Caution", "Exclusion", "SystemResult", "PairResult",
           "ReferenceLeaders", "RuledRanks", "MetricResult", "SystemRuns", "PairRuns", "Comparison",
           "UNLIKE", "by_metric", "swap_ratio"]
