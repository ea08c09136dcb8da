"""mtsig tells whether one machine translation system is really better than another.

>>> from mtsig_core import TestSet, compare
>>> systems = {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}
>>> compare(TestSet("toy", systems, {"ref": ["a b c d e"] * 40}), trials=999)
<Comparison on 'toy': 2 systems, 40 segments; 'bleu' 1 of 1 pair significant>

A notebook shows it as a table. docs/python.md describes the other functions.
"""

import mtsig_core._command  # noqa: F401 - first, as importing the rest takes a while
import mtsig_core.facade  # noqa: F401 - so that cautions have words, and results tables and figures
from mtsig_core.caution import Caution
from mtsig_core.errors import Cancelled, InputError, MtsigError, NotYetError, SettingError
from mtsig_core.experiments.release import ReleaseJudgement, judge_release
from mtsig_core.metrics import METRICS, Metric, MetricLike, make_metric, segment_metric
from mtsig_core.readers import (
    join_scores,
    language_pairs,
    read_frame,
    read_scores,
    read_text,
    read_wmt,
)
from mtsig_core.readers.tasks import read_task
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.results import (
    Comparison,
    Exclusion,
    MetricResult,
    MetricScores,
    PairResult,
    ReferenceLeaders,
    Scores,
    Settings,
    SystemResult,
    SystemScore,
    TaskComparison,
    TestSetInfo,
)
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.comparison import (
    Draws,
    ScoreBootstrap,
    bootstrap_systems,
    compare,
    decide,
    draw,
    score,
)
from mtsig_core.stats.pair import Equivalence, Outcome, PairExamination, equivalence, examine_pair
from mtsig_core.stats.power import (
    PairPlan,
    minimum_detectable_difference,
    plan,
    power_at,
    units_needed,
)
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores, TestSet
from mtsig_core.version import __version__

__all__ = [
    "Cancelled",
    "Caution",
    "Comparison",
    "Draws",
    "Equivalence",
    "Exclusion",
    "InputError",
    "METRICS",
    "Metric",
    "MetricLike",
    "MetricResult",
    "MetricScores",
    "MtsigError",
    "NotYetError",
    "Outcome",
    "PairExamination",
    "PairPlan",
    "PairResult",
    "ReferenceLeaders",
    "ReleaseJudgement",
    "ScoreBootstrap",
    "Scores",
    "SegmentScores",
    "SettingError",
    "Settings",
    "SystemInfo",
    "SystemResult",
    "SystemScore",
    "Task",
    "TaskComparison",
    "TestSet",
    "TestSetInfo",
    "__version__",
    "bootstrap_systems",
    "compare",
    "compare_task",
    "decide",
    "draw",
    "equivalence",
    "examine_pair",
    "join_scores",
    "judge_release",
    "language_pairs",
    "make_metric",
    "minimum_detectable_difference",
    "paper_sentences",
    "plan",
    "power_at",
    "read_frame",
    "read_scores",
    "read_task",
    "read_text",
    "read_wmt",
    "score",
    "segment_metric",
    "units_needed",
]
