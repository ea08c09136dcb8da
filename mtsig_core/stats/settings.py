"""From what the user asked for to settings with no gap and no contradiction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from mtsig_core.errors import InputError, Remedy, SettingError, explain_unknown, suggest_name
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.results import SamplingSettings, Settings
from mtsig_core.stats.intervals import INTERVALS, fitting_intervals
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from mtsig_core.stats.resampling import UNITS, Units, make_units
from mtsig_core.stats.significance import CORRECTIONS, TESTS, SignificanceTest, fitting_tests
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

#: Of equal size. With fewer, jackknife-t holds the truth more often than percentile where scores
#: are skewed or units unequal, and no less often elsewhere; docs/statistics.md has the rates.
_FEW_UNITS_FOR_PERCENTILE = 400
_MOST_DRAWS = 10_000_000
_MOST_JOBS = 1000
_LEAST_ALPHA = 1e-15  # what is nearer to 1 is 1 in a float


@dataclass(frozen=True)
class Setting:
    """A setting of `compare`: the command line, its help, pages, links and printed commands have it
    from here.

    It is called as the argument everywhere, and has the default of the argument. `offered` makes it
    a control of the pages: the values to choose from, which may depend on whether the metric is a
    mean of segment scores and on the settings before it; an empty sequence lets any number be
    typed.
    """

    title: str
    help: str
    values: Iterable[str] = ()  # the names that it may have; without names it is a number
    kind: type = str
    letter: str = ""  # what stands for its value on the command line
    least: int = 1
    most: int = _MOST_DRAWS
    offered: Sequence[object] | Callable[[bool, Mapping[str, Any]], Iterable[object]] | None = None
    names: Mapping[object, str] = field(default_factory=dict)  # what menus call its values

    def name_value(self, value: object) -> str:
        """What menus call a value.

        >>> SETTINGS["test"].name_value("ar"), SETTINGS["trials"].name_value(9999)
        ('Randomization test', '9,999')
        """
        named = f"{value:,}" if isinstance(value, int) else str(value)
        return self.names.get(value, "Automatic" if value == "auto" else named)

    def check(self, value: object) -> None:
        """Raise SettingError for a name that is none of these, or a number out of range."""
        if self.values:
            _choose(self.title.lower(), str(value), self.values)
        else:
            check_whole(self.title.lower(), value, self.least, self.most)

    def list_offers(self, segment_means: bool, chosen: Mapping[str, Any]) -> list[object]:
        """The values that a page offers, once other settings are chosen; none for a number that is
        typed.
        """
        return list(
            self.offered(segment_means, chosen) if callable(self.offered) else self.offered or ()
        )


_INTERVAL_NAMES: Mapping[object, str] = {
    "percentile": "Percentile",
    "basic": "Basic",
    "bca": "BCa",
    "jackknife-t": "Jackknife t",
    "t": "Student's t",
}


def _list_corrections(_: bool, chosen: Mapping[str, Any]) -> list[str]:
    test = TESTS[chosen["test"]]
    fitting = [one for one in CORRECTIONS if test.romano_wolf or one != "romano-wolf"]
    return ["auto", *(["none"] if test.p_values is None else fitting)]


#: The settings of `compare`, in the order of the pages. One more is an argument of `compare`, a row
#: here, and its use.
SETTINGS = {
    "test": Setting(
        "Test",
        "; ".join(f"{test.name}: {test.title}" for test in TESTS.values()),
        TESTS,
        offered=lambda means, _: fitting_tests(means),
        names={
            **{name: test.title.capitalize() for name, test in TESTS.items()},
            "ar": "Randomization test",
        },
    ),
    "correction": Setting(
        "Correction",
        "for the number of pairs tested; auto: as the test allows",
        ("auto", *CORRECTIONS),
        offered=_list_corrections,
        names={**{name: one.title for name, one in CORRECTIONS.items()}, "none": "No correction"},
    ),
    "unit": Setting(
        "Unit",
        "what is drawn or swapped; auto: documents where their ids are known, else segments",
        ("auto", *UNITS),
        offered=("auto", *UNITS),
        names={name: name.capitalize() for name in UNITS},
    ),
    "block_length": Setting(
        "Block length", "mean length of stationary blocks, in segments", kind=float, letter="B"
    ),
    "ci": Setting(
        "Interval",
        "kind of confidence interval; auto: jackknife t with fewer than 400 units of equal "
        "size, else percentile",
        ("auto", *INTERVALS),
        offered=lambda means, _: ["auto", *fitting_intervals(means)],
        names=_INTERVAL_NAMES,
    ),
    "alpha": Setting(
        "Level (alpha)",
        "level of the test; intervals have 1 - alpha",
        kind=float,
        letter="A",
        offered=(0.10, 0.05, 0.01, 0.005, 0.001),
    ),
    "trials": Setting(
        "Trials",
        "permutations or resamples of the test",
        kind=int,
        letter="R",
        offered=(999, 1999, 4999, 9999, 49999),
    ),
    "resamples": Setting("Resamples", "number of resamples", kind=int, letter="B", least=2),
    "seed": Setting(
        "Seed",
        "seed of all random numbers",
        kind=int,
        letter="N",
        least=0,
        most=(1 << 64) - 1,
        offered=(),
    ),
    "baseline": Setting("Baseline", "only pairs with this system", letter="NAME"),
    "rank_rule": Setting(
        "Rank rule",
        "how ranks are made",
        RANK_RULES,
        names={name: rule.title.removeprefix("by ") for name, rule in RANK_RULES.items()},
    ),
}


@dataclass(frozen=True)
class Preset:
    """Settings that are chosen together; what it does not set has its default."""

    title: str
    explanation: str  # in one sentence
    settings: Mapping[str, object] = field(default_factory=dict)

    def explain_misfit(self, segment_means: bool, domains: bool) -> str:
        """Why it cannot be used with means of segment scores or without, with domains or without;
        empty where it can.
        """
        rule = RANK_RULES.get(str(self.settings.get("rank_rule")))
        needs = (
            []
            if rule is None
            else [
                *["segment scores (human ratings, COMET)"]
                * (rule.of_segments and not segment_means),
                *["the domain of each segment"] * (rule.by_domain and not domains),
            ]
        )
        return f"{self.title} needs {' and '.join(needs)}." if needs else ""


_SEGMENT_BY_SEGMENT = {"unit": "segment", "correction": "none", "ci": "percentile"}
PRESETS = {
    "recommended": Preset(
        "Recommended", "Tests by document where documents are known, and corrects for all pairs."
    ),
    "sacrebleu": Preset(
        "Like sacreBLEU",
        "Randomizes segments and does not correct for the number of pairs.",
        {"test": "ar", "trials": 9999, **_SEGMENT_BY_SEGMENT},
    ),
    "koehn2004": Preset(
        "As in Koehn 2004",
        "Counts the resamples that a system wins.",
        {"test": "koehn", "trials": 999, **_SEGMENT_BY_SEGMENT},
    ),
    "wmt24": Preset(
        "As WMT24",
        "Ranks by the mean over domains, with Wilcoxon's test of segment scores.",
        {"test": "wilcoxon", "rank_rule": "wmt24", **_SEGMENT_BY_SEGMENT},
    ),
    "wmt25": Preset(
        "As WMT25",
        "Ranks as the scripts of WMT25 do, with Wilcoxon's test of segment scores.",
        {"test": "wilcoxon", "rank_rule": "wmt25", **_SEGMENT_BY_SEGMENT},
    ),
    "quick": Preset(
        "Quick, for teaching",
        "Uses 999 permutations, which take a tenth of the time.",
        {"trials": 999},
    ),
}


@dataclass(frozen=True)
class Plan:
    """What is drawn: every setting of a comparison that the draws depend on, as resolved."""

    test: str
    unit: str
    block_length: float | None
    trials: int | None
    resamples: int
    seed: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Plan:
        return cls(*(getattr(settings, one.name) for one in fields(cls)))


def resolve_plan(
    testset: TestSet,
    *,
    test: str,
    unit: str,
    block_length: float | None,
    trials: int,
    resamples: int,
    seed: int,
) -> tuple[Plan, Units]:
    """Check what is to be drawn and replace every ``auto``; as `resolve`, whatever is decided
    later.
    """
    SETTINGS["test"].check(test)
    chosen = TESTS[test]
    sampling, units = resolve_sampling(
        testset, unit=unit, block_length=block_length, alpha=0.05, resamples=resamples, seed=seed
    )
    check_trials(trials, None, test)
    _by_segment(units.kind, unit, "Test", test, chosen.of_segments, "ar")
    tried = (
        None if chosen.of_segments else units.all_swaps if chosen.tries_all(units) else int(trials)
    )
    return Plan(
        test, sampling.unit, sampling.block_length, tried, sampling.resamples, sampling.seed
    ), units


def resolve(
    testset: TestSet,
    *,
    test: str,
    unit: str,
    block_length: float | None,
    trials: int,
    alpha: float,
    correction: str,
    ci: str,
    resamples: int,
    seed: int,
    baseline: str | None,
    rank_rule: str = "simultaneous",
) -> tuple[Settings, Units]:
    """Check the settings of a comparison and replace every ``auto``."""
    plan, units = resolve_plan(
        testset,
        test=test,
        unit=unit,
        block_length=block_length,
        trials=trials,
        resamples=resamples,
        seed=seed,
    )
    chosen = TESTS[test]
    check_level(alpha)
    if not chosen.tries_all(units):
        check_trials(trials, alpha, test)
    if baseline is not None and baseline not in testset.systems:
        raise SettingError(
            f"No system {baseline!r} to use as baseline.{suggest_name(baseline, testset.systems)} "
            f"Systems: {', '.join(testset.systems)}."
        )
    check_rank_rule(rank_rule, testset)
    SETTINGS["ci"].check(ci)
    ci = interval_kind(ci, units.effective)
    _by_segment(units.kind, unit, "Interval", ci, ci == "t", "percentile")
    return Settings(
        **asdict(plan),
        alpha=float(alpha),
        correction=_correction(chosen, correction),
        ci=ci,
        baseline=baseline,
        version=__version__,
        rank_rule=rank_rule,
    ), units


def resolve_for(
    testset: TestSet, metrics: Iterable[Metric], **asked: Any
) -> tuple[Settings, Units]:
    """`resolve`, after a check that the settings fit these metrics."""
    for metric in metrics:
        check_metric(metric, asked["test"], asked["ci"], asked["rank_rule"])
    return resolve(testset, **asked)


def _correction(test: SignificanceTest, correction: str) -> str:
    SETTINGS["correction"].check(correction)
    if correction == "auto":
        correction = test.default_correction
    if test.p_values is None and correction != "none":
        raise SettingError(
            f"Test {test.name!r} gives no p to correct. Choose the correction none, or another test.",
            {"correction": "none"},
        )
    if correction == "romano-wolf" and not test.romano_wolf:
        able = ", ".join(name for name, one in TESTS.items() if one.romano_wolf)
        raise SettingError(
            f"Romano-Wolf is not defined for test {test.name!r}, only for {able}. Choose another "
            "correction, such as holm.",
            {"correction": "holm"},
        )
    return correction


def resolve_sampling(
    testset: TestSet,
    *,
    unit: str,
    block_length: float | None,
    alpha: float,
    resamples: int,
    seed: int,
) -> tuple[SamplingSettings, Units]:
    """The same for what is drawn without a test."""
    if not testset.systems:
        raise InputError(
            f"No system in {testset.name}. Give at least one output, two to compare.",
            {"system": "FILE"},
        )
    SETTINGS["resamples"].check(resamples)
    SETTINGS["seed"].check(seed)
    check_level(alpha)
    SETTINGS["unit"].check(unit)
    units = make_units(testset, unit, block_length)
    return SamplingSettings(
        units.kind, units.block_length, float(alpha), int(resamples), int(seed), __version__
    ), units


def interval_kind(ci: str, effective: float) -> str:
    """The kind of interval for so many units of equal size; ``auto`` is percentile, with fewer than
    400 jackknife-t.

    Of equal size, as of very unequal units the bootstrap sees the large ones alone.
    """
    if ci != "auto":
        return ci
    return "percentile" if effective >= _FEW_UNITS_FOR_PERCENTILE else "jackknife-t"


def check_trials(trials: int, alpha: float | None, test: str) -> None:
    """Raise SettingError for a number of trials that cannot be, or with which the test could find
    nothing at alpha.
    """
    chosen = TESTS[test]
    SETTINGS["trials"].check(trials)
    if chosen.p_values is not None and alpha is not None and alpha < chosen.smallest_p(trials):
        needed = chosen.trials_for(alpha)
        raise SettingError(
            f"alpha {alpha:g} is below the smallest p that {trials} trials can give, {chosen.smallest_p(trials):.3g}: "
            f"nothing could be significant. Use at least {needed} trials, or a larger alpha."
        )


def check_level(alpha: float) -> None:
    """Raise SettingError for a level that is none, or so near 0 or 1 that no draws could tell."""
    if not (isinstance(alpha, Real) and _LEAST_ALPHA < alpha < 1 - _LEAST_ALPHA):
        shown = f"{alpha:g}" if isinstance(alpha, Real) else repr(alpha)
        raise SettingError(
            f"alpha is {shown}. Expected a number between 0 and 1, more than {_LEAST_ALPHA:g} from "
            "either, such as 0.05."
        )


def check_rank_rule(rule: str, testset: TestSet) -> None:
    """Raise SettingError for a rule that is not known, and for one that needs domains where there
    are none.
    """
    SETTINGS["rank_rule"].check(rule)
    if RANK_RULES[rule].by_domain and testset.domains is None:
        documents: tuple[Remedy, ...] = ({"docs": "FILE"},) if testset.has_texts else ()
        raise SettingError(
            f"Ranks {RANK_RULES[rule].title} need domains, and {testset.name} has none: a system's score is the mean "
            "over domains, and Wilcoxon's test is run within each. Give the domain of every segment, in a column "
            f"'domain' of the table of scores{', or in a documents file of lines domain<TAB>docid' * bool(documents)}. "
            "Or choose another rule.",
            *documents,
            {"rank_rule": "simultaneous"},
        )


def check_jobs(jobs: int) -> None:
    """Raise SettingError for a number of threads that cannot be."""
    if jobs < 1 and jobs != -1:
        raise SettingError(f"jobs is {jobs}. Expected at least 1, or -1 for all cores.")
    if jobs > _MOST_JOBS:
        raise SettingError(
            f"jobs is {jobs}. Expected at most {_MOST_JOBS}: more threads than cores gain nothing."
        )


def check_metric(metric: Metric, test: str, ci: str, rank_rule: str = "simultaneous") -> None:
    """Raise SettingError if the test, the interval or the rule for ranks is for means of segment
    scores, and the metric is none.
    """
    if is_segment_mean(metric):
        return
    if rank_rule in RANK_RULES and RANK_RULES[rank_rule].of_segments:
        raise SettingError(
            f"Ranks {RANK_RULES[rank_rule].title} are made of segment scores (human ratings, COMET), "
            f"and {metric.name} is a score of the whole corpus. Use "
            f"{' or '.join(fitting_rules(False))}, or a metric that is a table of scores.",
            {"rank_rule": "simultaneous"},
        )
    for what, value, known, fitting in (
        ("Test", test, TESTS, fitting_tests(False)),
        ("Interval", ci, INTERVALS, fitting_intervals(False)),
    ):
        if value in known and value not in fitting:
            raise SettingError(
                f"{what} {value!r} is only for means of segment scores (human ratings, COMET), and {metric.name} is "
                f"a score of the whole corpus. Use {', '.join(fitting)}, or a metric that is a table of scores.",
                {"scores": "NAME=FILE", "metrics": "NAME"},
            )


def _by_segment(kind: str, asked: str, what: str, value: str, needed: bool, other: str) -> None:
    if needed and kind != "segment":
        why = " (auto, as document ids are known)" if asked == "auto" else ""
        argument = {"Test": "test", "Interval": "ci"}[what]
        raise SettingError(
            f"{what} {value!r} works on single segments, and the unit is {kind}{why}. Choose the unit "
            f"segment, which treats segments as independent, or the {what.lower()} {other}, which uses "
            f"the {kind}s.",
            {"unit": "segment"},
            {argument: other},
        )


def _choose(what: str, value: str, among: Iterable[str]) -> None:
    among = list(among)
    if value not in among:
        raise explain_unknown(what, value, among)


def check_whole(what: str, value: Any, least: int, most: int) -> int:
    """A whole number within its range, or a `SettingError`."""
    if (
        isinstance(value, bool)
        or not isinstance(value, Integral)
        or not least <= int(value) <= most
    ):
        raise SettingError(
            f"{what} is {value}. Expected a whole number from {least:,} to {most:,}."
        )
    return int(value)
