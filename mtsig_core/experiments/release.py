"""Whether a release may replace its baseline, by a rule that a script can act on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError, explain_unknown, format_count, write_p
from mtsig_core.metrics import metric_title
from mtsig_core.results import Comparison, MetricResult, Settings, TaskComparison
from mtsig_core.stats.few_units import can_reach, unbiased
from mtsig_core.stats.joint_decisions import (
    JointDecision,
    decide_together,
    list_decisions,
    map_comparisons,
)
from mtsig_core.stats.pair import two_one_sided
from mtsig_core.stats.significance import TESTS, significant

_N_NAMED = 3  # in a message
#: By the name of a rule, what is said of comparisons that fail and of those that pass, and of p.
RELEASE_RULES = {
    "worse": ("significantly worse than", "not significantly worse than", "adjusted p"),
    "not-better": ("without a significant gain over", "with a significant gain over", "adjusted p"),
    "not-noninferior": (
        "not shown to lose less than the margin against",
        "shown to lose less than the margin against",
        "p at the margin",
    ),
}
_VERDICTS = {True: "Passes", False: "Fails", None: "Cannot be decided"}


@dataclass(frozen=True)
class ReleaseRow:
    """A system against the baseline, on a test set by a metric."""

    testset: str  # empty for the only one, and for the mean over several
    metric: str
    system: str
    improvement: float  # over the baseline in points, positive where the system is better
    #: What decides. ``worse``: adjusted for all rows; ``not-better``: adjusted for the systems;
    #: ``not-noninferior``: of the one-sided test at the margin.
    p_value: float
    fails: bool
    margin: float | None = None


@dataclass(frozen=True)
class ReleaseJudgement:
    """Whether the systems of a comparison may replace its baseline."""

    rule: str
    #: None where nothing fails, and the outputs are those of the baseline, the test has no p, or, by
    #: rule ``worse``, some units or trials are too few to fail.
    passed: bool | None
    reason: str  # the verdict and its reason, in one line
    p_name: str  # what the p of the rows is
    margins: Mapping[str, float]  # by metric, in points
    rows: tuple[ReleaseRow, ...]


def judge_release(
    result: Comparison | TaskComparison, rule: str, margins: Mapping[str, float] | None = None
) -> ReleaseJudgement:
    """Decide whether the systems of a comparison may replace its baseline.

    Parameters
    ----------
    result : Comparison or TaskComparison
        With a baseline.
    rule : {"worse", "not-better", "not-noninferior"}
        What fails a release. ``worse``: some system is significantly worse on some test set by
        some metric, corrected for all of them by Holm; with one test set and one metric, by the
        correction of the comparison. ``not-better``: some system is not significantly better by
        some metric; of several test sets, by the mean over them. ``not-noninferior``: some system
        is not shown to lose less than the margin on some test set by some metric, by the one-sided
        t test at the margin that `equivalence` has. The last two rules correct for no number of
        metrics and test sets, because every one of their tests has to be significant.
    margins : mapping of str to float, optional
        For ``not-noninferior``: by metric, the loss in points that does not matter.

    Raises
    ------
    SettingError
        Without a baseline or a margin, and where a system is not compared by each metric on each
        test set.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"new": ["a b c d"] * 40, "old": ["a b c d e"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> judge_release(compare(ts, baseline="old", trials=999), "worse").reason
    'Fails: 1 of 1 comparison significantly worse than old: new by BLEU (improvement -22.1, adjusted p = 0.001).'
    """
    margins = margins or {}
    comparisons = map_comparisons(result)
    metrics: dict[str, MetricResult] = {}
    for comparison in comparisons.values():
        metrics |= comparison.metrics
    check_margins(rule, margins, metrics)
    # Of few units all swaps are tried, which are fewer than the trials of the other test sets.
    settings = max((row.settings for row in comparisons.values()), key=lambda row: row.trials or 0)
    if settings.baseline is None:
        raise SettingError("A release needs a baseline.", {"baseline": "NAME"})
    contests = decide_together(result)
    if TESTS[settings.test].p_values is not None:
        _check_complete(result, comparisons, contests, metrics)
    correction = settings.correction
    phrase, passing_phrase, p_word = RELEASE_RULES[rule]
    p_name = p_word
    if rule == "not-better" and len(comparisons) > 1:
        contests = list_decisions("", getattr(result, "macro", {}))
    elif rule == "not-better":
        contests = list_decisions("", metrics)
    elif rule == "worse" and len(comparisons) * len(metrics) > 1:
        correction = "holm"
        p_name += " (Holm, all rows)"
    rows = []
    for contest in contests:
        sign = metrics[contest.metric].sign
        rows.append(_judge_contest(rule, contest, sign, margins, settings.alpha))
    failing = [row for row in rows if row.fails]
    count = format_count(len(rows), "comparison")
    shortage = _find_shortage(rule, contests, settings, correction)
    passed: bool | None = True
    reason = f"Passes: {len(rows)} of {count} {passing_phrase} {settings.baseline}."
    if failing:
        passed = False
        failures = "; ".join(_describe_row(row, p_word) for row in failing[:_N_NAMED])
        reason = f"Fails: {len(failing)} of {count} {phrase} {settings.baseline}: {failures}."
    elif shortage:
        passed = None
        reason = f"Cannot be decided: {shortage}."
    return ReleaseJudgement(rule, passed, reason, p_name, margins, tuple(rows))


def _check_complete(
    result: Comparison | TaskComparison,
    comparisons: Mapping[str, Comparison],
    contests: Iterable[JointDecision],
    metrics: Iterable[str],
) -> None:
    """Check that each system is compared with the baseline by each metric on each test set."""
    compared = {(row.language_pair, row.pair.a, row.metric) for row in contests}
    systems: dict[str, None] = {}
    missing = []
    for comparison in comparisons.values():
        baseline = comparison.settings.baseline
        systems |= dict.fromkeys(comparison.testset.systems)
    if isinstance(result, TaskComparison):  # a test set without the baseline is not compared
        names = [name for name in result.task.pairs if name not in comparisons]
        missing = [f"{baseline} on {name}" for name in names]
    for key in product(comparisons, systems, metrics):
        testset, system, metric = key
        if system != baseline and key not in compared:
            missing.append(_name_contest(system, testset, metric))
    for testset, comparison in comparisons.items():
        for caution in comparison.warnings:
            if caution.code == "rated-on-different-lines":  # what is missing may be what is worse
                scores = "scores of segments that other systems have"
                missing.append(_name_contest(scores, testset, str(caution.metric)))
    if missing:
        raise SettingError(
            f"Each system needs an output and each score on each test set. Missing ({len(missing)}): "
            f"{'; '.join(missing[:_N_NAMED])}. Add the files, or exclude the systems."
        )


def _find_shortage(
    rule: str, contests: Sequence[JointDecision], settings: Settings, correction: str
) -> str:
    """Say why a release that does not fail could not fail; an empty text if it could."""
    if not contests:
        return f"{settings.test} has no p for this. Choose another --test, such as ar"
    if rule == "not-better":
        return ""
    differing = {row.pair.a for row in contests if row.pair.delta or row.pair.se}
    for row in contests:
        if row.pair.a not in differing:
            return (
                f"outputs or scores of {row.pair.a} and {row.pair.b} are identical. Check the paths"
            )
    n_units = np.array([row.pair.n_units for row in contests])
    is_reachable = can_reach(settings, n_units, correction)
    if rule != "worse" or is_reachable.all():
        return ""
    row = contests[int(is_reachable.argmin())]
    return (
        f"{format_count(row.pair.n_units, settings.unit)} or so few trials are too few for "
        f"{format_count(len(contests), 'comparison')}, such as {_name_contest(row.pair.a, row.language_pair, row.metric)}. "
        "Use more segments or documents, more --trials, or fewer metrics or test sets"
    )


def _judge_contest(
    rule: str, contest: JointDecision, sign: int, margins: Mapping[str, float], alpha: float
) -> ReleaseRow:
    pair = contest.pair
    improvement = sign * pair.delta
    p: Any = pair.p_adjusted
    margin: float | None = None
    if rule == "worse":
        fails = pair.better == "b"
    elif rule == "not-better":
        fails = pair.better != "a"
    else:
        p = 1.0
        margin = margins[contest.metric]
        # A loss that never varies does not tell how large it is elsewhere.
        if pair.se or (pair.se == 0 and improvement >= 0):
            n = pair.n_effective
            p = two_one_sided(improvement, unbiased(pair.se, n), margin, n_effective=n).p_lower
        fails = not significant(p, alpha)
    return ReleaseRow(contest.language_pair, contest.metric, pair.a, improvement, p, fails, margin)


def _describe_row(row: ReleaseRow, p_word: str) -> str:
    margin = "" if row.margin is None else f"margin {row.margin:g}, "
    numbers = f"improvement {row.improvement:.3g}, {margin}{write_p(row.p_value, p_word)}"
    return f"{_name_contest(row.system, row.testset, row.metric)} ({numbers})"


def _name_contest(system: str, testset: str, metric: str) -> str:
    place = f" on {testset}" if testset else ""
    return f"{system}{place} by {metric_title(metric)}"


def check_margins(rule: str, margins: Mapping[str, float], metrics: Iterable[str]) -> None:
    """Check that a rule exists, and that it has a margin of each metric if it needs one."""
    if rule not in RELEASE_RULES:
        raise explain_unknown("rule", rule, RELEASE_RULES)
    needed = list(metrics) if rule == "not-noninferior" else []
    for metric in margins:
        if metric not in needed:
            raise explain_unknown("metric with a margin", metric, needed)
    for metric in needed:
        if metric not in margins:
            raise SettingError(
                f"{metric} needs a margin: the points that it may lose.",
                {"margin": f"{metric}=X"},
            )
