"""Results made by hand."""

from mtsig_core.results import (
    Comparison,
    Settings,
    SystemResult,
    TestSetInfo,
)
from tests.builders.toys import metric_result, pair_result

SETTINGS = Settings(
    unit="document",
    block_length=None,
    alpha=0.05,
    resamples=200,
    seed=0,
    version="0",
    test="ar",
    trials=999,
    correction="romano-wolf",
    ci="percentile",
    baseline=None,
)


def pair(a, b, delta, better, p=0.001):
    return pair_result(
        a, b, delta, better, p, ci_low=delta - 1, ci_high=delta + 1, se=0.5, se_ratio=1.2, mdd=1.4
    )


def result(names=("A", "B", "C"), higher_is_better=True):
    a, b, c = names
    sign = 1 if higher_is_better else -1
    systems = (
        SystemResult(a, 50.0 - 20 * sign, 29, 31, 1, 2),
        SystemResult(b, 50.0 - 20.5 * sign, 28, 31, 1, 2),
        SystemResult(c, 50.0 - 30 * sign, None, None, 3, 3),
    )
    pairs = (
        pair(a, b, 0.5 * sign, None, 0.4),
        pair(a, c, 10.0 * sign, "a"),
        pair(b, c, 9.5 * sign, "a"),
    )
    return metric_result(systems, pairs, higher_is_better=higher_is_better, signature="tok:13a")


def comparison(metric=None, warnings=()):
    info = TestSetInfo("set", "d", 10, 5, ("ref",), ("A", "B", "C"), False)
    return Comparison(info, SETTINGS, tuple(warnings), {"bleu": metric or result()})


def find_pair(found, first, second):
    """The pair of these two systems, whichever comes first in it."""
    for candidate in found.pairs:
        if {candidate.a, candidate.b} == {first, second}:
            return candidate
    raise LookupError(f"no pair of {first} and {second}")


def list_codes(found):
    return [caution.code for caution in found.warnings]


def select_cautions(found, code):
    """The cautions of one code."""
    return [caution for caution in found.warnings if caution.code == code]
