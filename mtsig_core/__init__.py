"""mtsig: is one machine translation system really better than another?

>>> from mtsig_core import compare, read_wmt          # doctest: +SKIP
>>> result = compare(read_wmt("wmt24", "en-de"))      # doctest: +SKIP
>>> result.to_frame("pairs")                          # doctest: +SKIP
"""

from mtsig_core.data.readers import join_scores, language_pairs, read_scores, read_text, read_wmt
from mtsig_core.data.testset import SegmentScores, TestSet
from mtsig_core.errors import Cancelled, InputError, MtsigError, NotYetError, SettingError
from mtsig_core.inference.comparison import compare
from mtsig_core.metrics import METRICS, Metric, make_metric
from mtsig_core.results import (
    Caution,
    Comparison,
    Exclusion,
    MetricResult,
    PairResult,
    ReferenceLeaders,
    Settings,
    SystemResult,
)
from mtsig_core.version import __version__

__all__ = [
    "Cancelled", "Caution", "Comparison", "Exclusion", "InputError", "METRICS", "Metric", "MetricResult",
    "MtsigError", "NotYetError", "PairResult", "ReferenceLeaders", "SegmentScores", "SettingError", "Settings",
    "SystemResult", "TestSet", "__version__", "compare", "join_scores", "language_pairs", "make_metric", "read_scores",
    "read_text", "read_wmt"]
