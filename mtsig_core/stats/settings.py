"""Settings: from the choices of a user to settings without a gap or a contradiction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from numbers import Integral, Real
from typing import Any

from mtsig_core.errors import (
    InputError,
    MissingBaselineError,
    Remedy,
    SettingError,
    choose_verb,
    explain_unknown,
    suggest_name,
)
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.results import SamplingSettings, Settings
from mtsig_core.stats.intervals import INTERVALS, fitting_intervals
from mtsig_core.stats.ranks import RANK_RULES, fitting_rules
from mtsig_core.stats.resampling import UNITS, Units, make_units
from mtsig_core.stats.significance import (
    CORRECTIONS,
    ONLY_LOOK,
    TESTS,
    SignificanceTest,
    fitting_tests,
    level_at_look,
    parse_look,
)
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

#: Units of equal size. With fewer, jackknife-t contains the true value more often than percentile
#: where scores are skewed or units unequal, and no less often elsewhere; docs/statistics.md has the
#: rates.
_FEW_UNITS_FOR_PERCENTILE = 400
_MOST_DRAWS = 10_000_000
_MOST_JOBS = 1000
_LEAST_ALPHA = 1e-15  # what is nearer to 1 is 1 in a float


@dataclass(frozen=True)
class Setting:
    """A setting of `compare`, for the command line, its help, pages, links and printed commands.

    It has the name and the default of the argument everywhere. `offered` makes it a control of the
    pages: the values to choose from, which may depend on whether the metric is a mean of segment
    scores and on the settings before it. With an empty sequence a reader types a number.
    """

    title: str
    help: str
    values: Collection[str] = ()  # the names that it may have; without names it is a number
    kind: type = str
    letter: str = ""  # stands for its value on the command line
    least: int = 1
    most: int = _MOST_DRAWS
    offered: Sequence[object] | Callable[[bool, Mapping[str, Any]], Iterable[object]] | None = None
    names: Mapping[object, str] = field(default_factory=dict)  # what menus call its values

    def name_value(self, value: object) -> str:
        """Return the name of a value in menus.

        >>> SETTINGS["test"].name_value("ar"), SETTINGS["trials"].name_value(9999)
        ('Randomization test', '9,999')
        """
        if value in self.names:
            return self.names[value]
        if value == "auto":
            return "Automatic"
        if isinstance(value, int):
            return f"{value:,}"
        return str(value)

    def check(self, value: object) -> None:
        """Raise SettingError for an unknown name, or a number out of range."""
        name = self.title.lower()
        if not self.values:
            check_whole(name, value, self.least, self.most)
        elif str(value) not in self.values:
            raise explain_unknown(name, str(value), self.values)

    def list_offers(self, segment_means: bool, settings: Mapping[str, Any]) -> list[object]:
        """The values that a page offers, given the settings before; none for a typed number."""
        if callable(self.offered):
            return list(self.offered(segment_means, settings))
        return list(self.offered or ())


_INTERVAL_NAMES: Mapping[object, str] = {
    "percentile": "Percentile",
    "basic": "Basic",
    "bca": "BCa",
    "jackknife-t": "Jackknife t",
    "t": "Student's t",
}


def _list_corrections(_: bool, settings: Mapping[str, Any]) -> list[str]:
    test = TESTS[settings["test"]]
    if test.p_values is None:
        return ["auto", "none"]
    fitting = [name for name in CORRECTIONS if test.romano_wolf or name != "romano-wolf"]
    return ["auto", *fitting]


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
        "for the number of pairs tested; auto: the best for this test",
        ("auto", *CORRECTIONS),
        offered=_list_corrections,
        names={
            **{name: correction.title for name, correction in CORRECTIONS.items()},
            "none": "No correction",
        },
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
    "look": Setting(
        "Look",
        "which of the planned looks at a running evaluation this is, such as 2/5; alpha is for all of them",
        letter="K/N",
        names={ONLY_LOOK: "A single look"},
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
        """Why it does not fit a metric, or a test set with or without domains; empty if it fits."""
        rule = RANK_RULES.get(str(self.settings.get("rank_rule")))
        if rule is None:
            return ""
        needs = []
        if rule.of_segments and not segment_means:
            needs.append("segment scores (human ratings, COMET)")
        if rule.by_domain and not domains:
            needs.append("the domain of each segment")
        if needs:
            return f"'{self.title}' needs {' and '.join(needs)}."
        return ""


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
    "wmt26": Preset(
        "As WMT26",
        "Ranks as the script of WMT26 does, with Student's t test of segment scores.",
        {"test": "t", "rank_rule": "wmt26", **_SEGMENT_BY_SEGMENT},
    ),
    "quick": Preset(
        "Quick, for teaching",
        "Uses 999 permutations, which take a tenth of the time.",
        {"trials": 999},
    ),
}


@dataclass(frozen=True)
class Plan:
    """The settings of a comparison that its draws depend on, as resolved.

    Comparisons by another alpha, correction, interval, baseline or rank rule have other `Settings`
    and the same plan. Draws are kept by their plan, so these comparisons share them.
    """

    test: str
    unit: str
    block_length: float | None
    trials: int | None
    resamples: int
    seed: int

    @classmethod
    def from_settings(cls, settings: Settings) -> Plan:
        """Take what is drawn from the settings of a comparison."""
        return cls(*(getattr(settings, field.name) for field in fields(cls)))


# -------------------------------------------------------------------------------------------------
# Settings as the user chose them -> settings without any ``auto``; each choice is checked once.


#: The choices that draws depend on, besides the test and the unit.
_OF_DRAWS = ("block_length", "trials", "resamples", "seed")


def resolve(
    testset: TestSet,
    metrics: Iterable[Metric] = (),
    *,
    test: str,
    unit: str,
    ci: str,
    **choices: Any,
) -> tuple[Settings, Units]:
    """Check the settings of a comparison by these metrics and replace every ``auto``.

    `choices` are the other arguments of `resolve_plan` and `resolve_decisions`.
    """
    for metric in metrics:
        check_metric(metric, test, ci)
    of_draws = {name: choices.pop(name) for name in _OF_DRAWS}
    plan, units = resolve_plan(testset, test=test, unit=unit, **of_draws)
    settings = resolve_decisions(testset, plan, units, unit=unit, ci=ci, **choices)
    return settings, units


def resolve_plan(  # noqa: PLR0913  each choice of a user is a parameter
    testset: TestSet,
    *,
    test: str,
    unit: str,
    block_length: float | None,
    trials: int,
    resamples: int,
    seed: int,
) -> tuple[Plan, Units]:
    """Check the settings of draws and replace every ``auto``; later decisions do not matter."""
    SETTINGS["test"].check(test)
    units = _resolve_units(testset, unit, block_length, resamples, seed)
    check_trials(trials, None, test)
    n_trials: int | None = int(trials)
    if TESTS[test].of_segments:
        _check_by_segment(units, unit, "test", test, "ar")
        n_trials = None
    elif TESTS[test].tries_all(units):
        n_trials = units.all_swaps
    plan = Plan(test, units.kind, units.block_length, n_trials, int(resamples), int(seed))
    return plan, units


def resolve_decisions(  # noqa: PLR0913  each choice of a user is a parameter
    testset: TestSet,
    plan: Plan,
    units: Units,
    *,
    unit: str,
    alpha: float,
    correction: str,
    ci: str,
    baseline: str | None,
    rank_rule: str = "simultaneous",
    look: str = ONLY_LOOK,
) -> Settings:
    """Check how draws are to be decided and replace every ``auto``.

    `units` are those drawn, `unit` is their kind as the user chose it.
    """
    test = TESTS[plan.test]
    check_level(alpha)
    alpha = level_at_look(alpha, parse_look(look))
    if plan.trials is not None and not test.tries_all(units):
        check_trials(plan.trials, alpha, plan.test)
    if baseline is not None and baseline not in testset.systems:
        raise explain_no_baseline(baseline, testset.systems)
    check_rank_rule(rank_rule, testset)
    SETTINGS["ci"].check(ci)
    ci = interval_kind(ci, units.effective)
    if ci == "t":
        _check_by_segment(units, unit, "interval", ci, "percentile")
    return Settings(
        **asdict(plan),
        alpha=float(alpha),
        correction=_resolve_correction(test, correction),
        ci=ci,
        baseline=baseline,
        version=__version__,
        rank_rule=rank_rule,
        look=look,
    )


def explain_no_baseline(
    baseline: str, names: Iterable[str], metric: str = ""
) -> MissingBaselineError:
    """Make the error for a baseline that is no system, or that has no score by a metric."""
    names = list(names)
    start = f"No system {baseline!r} to use as baseline.{suggest_name(baseline, names)} Systems"
    if metric:
        start = f"The baseline {baseline} has no score by {metric}. Systems that have"
    return MissingBaselineError(f"{start}: {', '.join(names)}.")


def resolve_sampling(
    testset: TestSet,
    *,
    unit: str,
    block_length: float | None,
    alpha: float,
    resamples: int,
    seed: int,
) -> tuple[SamplingSettings, Units]:
    """Check the settings of draws without a test and replace every ``auto``."""
    check_level(alpha)
    units = _resolve_units(testset, unit, block_length, resamples, seed)
    sampling = SamplingSettings(
        units.kind, units.block_length, float(alpha), int(resamples), int(seed), __version__
    )
    return sampling, units


def _resolve_units(
    testset: TestSet, unit: str, block_length: float | None, resamples: int, seed: int
) -> Units:
    """Check what every draw needs, and make the units."""
    if not testset.systems:
        raise InputError(
            f"No system in {testset.name}. Give at least one output, two to compare.",
            {"system": "FILE"},
        )
    SETTINGS["resamples"].check(resamples)
    SETTINGS["seed"].check(seed)
    SETTINGS["unit"].check(unit)
    return make_units(testset, unit, block_length)


def _resolve_correction(test: SignificanceTest, correction: str) -> str:
    SETTINGS["correction"].check(correction)
    if correction == "auto":
        correction = test.default_correction
    if test.p_values is None and correction != "none":
        raise SettingError(
            f"Test {test.name!r} gives no p to correct. Choose the correction none, or another test.",
            {"correction": "none"},
        )
    if correction == "romano-wolf" and not test.romano_wolf:
        fitting = ", ".join(name for name, known in TESTS.items() if known.romano_wolf)
        raise SettingError(
            f"Romano-Wolf is not defined for test {test.name!r}, only for {fitting}. Choose another "
            "correction, such as holm.",
            {"correction": "holm"},
        )
    return correction


def interval_kind(ci: str, n_effective: float) -> str:
    """The kind of interval for so many units of equal size.

    ``auto`` is percentile, with fewer than 400 jackknife-t. Units of equal size count, because the
    bootstrap of very unequal units depends on the large ones.
    """
    if ci != "auto":
        return ci
    if n_effective >= _FEW_UNITS_FOR_PERCENTILE:
        return "percentile"
    return "jackknife-t"


# -------------------------------------------------------------------------------------------------
# Checks: each raises `SettingError` for what cannot be.


def check_trials(trials: int, alpha: float | None, test: str) -> None:
    """Check a number of trials: with too few the test could find nothing at alpha."""
    SETTINGS["trials"].check(trials)
    if TESTS[test].p_values is None or alpha is None:
        return
    floor = TESTS[test].p_floor_of_trials(trials)
    if alpha < floor:
        raise SettingError(
            f"alpha {alpha:g} is below the smallest p that {trials} trials can give, {floor:.3g}: "
            f"nothing could be significant. Use at least {TESTS[test].trials_for(alpha)} trials, or a "
            "larger alpha."
        )


def check_level(alpha: float) -> None:
    """Check a level: it is not so near 0 or 1 that no draws could tell."""
    if isinstance(alpha, Real) and _LEAST_ALPHA < alpha < 1 - _LEAST_ALPHA:
        return
    value = f"{alpha:g}" if isinstance(alpha, Real) else repr(alpha)
    raise SettingError(
        f"alpha is {value}. Expected a number between 0 and 1, more than {_LEAST_ALPHA:g} from "
        "either, such as 0.05."
    )


def check_rank_rule(name: str, testset: TestSet) -> None:
    """Check a rule for ranks: one by domains needs the domains of the test set."""
    SETTINGS["rank_rule"].check(name)
    rule = RANK_RULES[name]
    if not rule.by_domain or testset.domains is not None:
        return
    remedies: list[Remedy] = []
    documents_file = ""
    if testset.has_texts:
        documents_file = ", or in a documents file of lines domain<TAB>docid"
        remedies.append({"docs": "FILE"})
    remedies.append({"rank_rule": "simultaneous"})
    raise SettingError(
        f"Ranks {rule.title} need domains, and {testset.name} has none: a system's score is the mean "
        "over domains, and Wilcoxon's test is run within each. Give the domain of every segment, in a "
        f"column 'domain' of the table of scores{documents_file}. Or choose another rule.",
        *remedies,
    )


def check_jobs(jobs: int) -> None:
    """Check a number of threads."""
    if jobs < 1 and jobs != -1:
        raise SettingError(f"jobs is {jobs}. Expected at least 1, or -1 for all cores.")
    if jobs > _MOST_JOBS:
        raise SettingError(
            f"jobs is {jobs}. Expected at most {_MOST_JOBS}: more threads than cores gain nothing."
        )


def check_rule_fits(rank_rule: str, metrics: Iterable[Metric]) -> None:
    """Check that a rule for ranks fits one of the metrics at least: some need segment scores."""
    unfit: dict[str, None] = {}  # in the order in which they were named
    for metric in metrics:
        if is_segment_mean(metric):
            return
        unfit[metric.name] = None
    if unfit and rank_rule in RANK_RULES and RANK_RULES[rank_rule].of_segments:
        rule = RANK_RULES[rank_rule]
        names = ", ".join(unfit)
        verb = choose_verb(len(unfit), "is a score", "are scores")
        raise SettingError(
            f"Ranks {rule.title} are made of segment scores (human ratings, COMET), and "
            f"{names} {verb} of the whole corpus. Use "
            f"{' or '.join(fitting_rules(False))}, or a metric that is a table of scores.",
            {"rank_rule": "simultaneous"},
        )


def check_metric(metric: Metric, test: str, ci: str) -> None:
    """Check that test and interval fit the metric: some need segment scores."""
    if is_segment_mean(metric):
        return
    fitting: Iterable[str]
    if test in TESTS and TESTS[test].of_segments:
        kind = "Test"
        value = test
        fitting = fitting_tests(False)
    elif ci == "t":
        kind = "Interval"
        value = ci
        fitting = fitting_intervals(False)
    else:
        return
    raise SettingError(
        f"{kind} {value!r} is only for means of segment scores (human ratings, COMET), and "
        f"{metric.name} is a score of the whole corpus. Use {', '.join(fitting)}, or a metric that is "
        "a table of scores.",
        {"scores": "NAME=FILE", "metrics": "NAME"},
    )


def _check_by_segment(
    units: Units, chosen_unit: str, setting: str, value: str, instead: str
) -> None:
    """Check that segments are drawn, for a test or an interval that works on single segments."""
    unit = units.kind
    if unit == "segment":
        return
    reason = ""
    if chosen_unit == "auto":
        reason = " (auto, as document ids are known)"
    argument = {"test": "test", "interval": "ci"}[setting]
    raise SettingError(
        f"{setting.capitalize()} {value!r} works on single segments, and the unit is {unit}{reason}. "
        "Choose the unit segment, which treats segments as independent, or the "
        f"{setting} {instead}, which uses the {unit}s.",
        {"unit": "segment"},
        {argument: instead},
    )


def check_whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number within its range, or a `SettingError`."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not least <= int(value) <= most:
        raise SettingError(
            f"{name} is {value}. Expected a whole number from {least:,} to {most:,}."
        )
    return int(value)
