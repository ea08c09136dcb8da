"""Whether a release may replace its baseline, by a rule that a script can act on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError, explain_unknown, format_count
from mtsig_core.metrics import metric_title
from mtsig_core.results import Comparison, TaskComparison
from mtsig_core.stats.few_units import can_reach, unbiased
from mtsig_core.stats.joint_decisions import JointDecision, decide_together, list_decisions
from mtsig_core.stats.pair import two_one_sided
from mtsig_core.stats.significance import significant

#: What fails a release, by the name of its rule.
RELEASE_RULES = {
    "worse": "significantly worse than",
    "not-better": "without a significant gain over",
    "not-noninferior": "not shown to lose less than the margin against",
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


@dataclass(frozen=True)
class ReleaseJudgement:
    """Whether the systems of a comparison may replace its baseline."""

    rule: str
    #: None where nothing fails by rule ``worse``, and some units or trials are too few to fail.
    passed: bool | None
    reason: str  # the verdict and its reason, in one line
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
    'Fails: 1 of 1 comparison significantly worse than old: new by BLEU (improvement -22.1, p = 0.001).'
    """
    margins = margins or {}
    comparisons = [result] if isinstance(result, Comparison) else list(result.pairs.values())
    # Of few units all swaps are tried, which are fewer than the trials of the other test sets.
    settings = max((row.settings for row in comparisons), key=lambda row: row.trials or 0)
    metrics = comparisons[0].metrics
    check_margins(rule, margins, metrics)
    contests = _list_contests(result, comparisons, rule)
    rows = []
    for contest in contests:
        sign = metrics[contest.metric].sign
        rows.append(_judge_contest(rule, contest, sign, margins, settings.alpha))
    failing = [row for row in rows if row.fails]
    passed: bool | None = not failing
    count = format_count(len(rows), "comparison")
    reason = f"{len(failing)} of {count} {RELEASE_RULES[rule]} {settings.baseline}"
    if failing:
        reason += ": " + "; ".join(map(_describe_row, failing[:3]))
    elif rule == "worse":
        n_units = np.array([contest.pair.n_units for contest in contests])
        correction = "holm" if len(comparisons) * len(metrics) > 1 else settings.correction
        if not can_reach(settings, n_units, correction).all():
            passed = None
            reason = (
                "With so few units or trials, some comparisons can never be significant. Use more segments or "
                "documents, more --trials, or fewer metrics or test sets"
            )
    return ReleaseJudgement(rule, passed, f"{_VERDICTS[passed]}: {reason}.", margins, tuple(rows))


def _list_contests(
    result: Comparison | TaskComparison, comparisons: Sequence[Comparison], rule: str
) -> list[JointDecision]:
    """The pairs that decide; SettingError where one is missing, or has no p."""
    settings = comparisons[0].settings
    contests = decide_together(result)
    compared = {(row.language_pair, row.pair.a, row.metric) for row in contests}
    metrics = {row.metric for row in contests}
    systems = set(chain(*(comparison.testset.systems for comparison in comparisons)))
    by_testset: Mapping[str, Comparison] = getattr(result, "pairs", {"": result})
    testsets = by_testset if isinstance(result, Comparison) else result.task.pairs
    missing = set()
    for key in product(testsets, systems - {settings.baseline}, metrics):
        testset, system, metric = key
        if key not in compared:
            # A test set without the baseline is not compared.
            name = system if testset in by_testset else settings.baseline
            missing.add(f"{testset} {name} ({metric_title(metric)})")
    for testset, comparison in by_testset.items():
        for caution in comparison.warnings:
            if caution.code == "rated-on-different-lines":  # what is missing may be what is worse
                scores = "scores of segments that other systems have"
                missing.add(f"{testset} {scores} ({metric_title(str(caution.metric))})")
    if rule == "not-better":
        contests = list_decisions("", getattr(result, "macro", None) or comparisons[0].metrics)
    if not contests and not missing:
        missing.add(f"{settings.test} has no p")
    if missing:
        raise SettingError(
            "A release is decided on by comparing each system with the baseline, by each metric on each test set. "
            f"Missing: {'; '.join(sorted(missing)[:3])}. Name a baseline, add each output and score, choose a test "
            "with p, or exclude systems that are not on all test sets."
        )
    return contests


def _judge_contest(
    rule: str, contest: JointDecision, sign: int, margins: Mapping[str, float], alpha: float
) -> ReleaseRow:
    pair = contest.pair
    improvement = sign * pair.delta
    p: Any = pair.p_adjusted
    if rule == "worse":
        fails = pair.better == "b"
    elif rule == "not-better":
        fails = pair.better != "a"
    else:
        p = 1.0
        # A loss that never varies does not tell how large it is elsewhere.
        if pair.se or (pair.se == 0 and improvement >= 0):
            n = pair.n_effective
            margin = margins[contest.metric]
            p = two_one_sided(improvement, unbiased(pair.se, n), margin, n_effective=n).p_lower
        fails = not significant(p, alpha)
    return ReleaseRow(contest.language_pair, contest.metric, pair.a, improvement, p, fails)


def _describe_row(row: ReleaseRow) -> str:
    place = f" on {row.testset}" if row.testset else ""
    numbers = f"improvement {row.improvement:.3g}, p = {row.p_value:.2g}"
    return f"{row.system}{place} by {metric_title(row.metric)} ({numbers})"


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
