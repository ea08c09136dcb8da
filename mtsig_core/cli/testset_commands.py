"""The commands on one test set; commands of tasks share published scores and rank rules."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from mtsig_core.caution import Assumption
from mtsig_core.cli.inputs import (
    choose_metrics,
    drop_output,
    find_whole_task,
    keep_task,
    progress_line,
    read,
    resolve_named,
    warn_about_words,
    write,
    write_file,
    write_report,
)
from mtsig_core.cli.options import (
    add_options,
    add_release_options,
    names_whole_task,
    read_arguments,
    scorer_words,
    source_from,
)
from mtsig_core.errors import InputError, MtsigError, SettingError, explain_unknown
from mtsig_core.experiments.rankings import (
    task_by_rules,
    testset_by_rules,
    with_published_ranks,
    with_ranks_of_task,
)
from mtsig_core.experiments.release import check_margins, judge_release
from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.official_tables import read_official, read_official_task
from mtsig_core.report.commands import command_line, option_flag, option_name
from mtsig_core.report.document import Report
from mtsig_core.report.experiment_reports import (
    domains_report,
    ranks_of,
    replication_report,
    rules_report,
)
from mtsig_core.report.export import segment_rows, to_csv, to_parquet
from mtsig_core.report.release_reports import add_changes, add_judgement
from mtsig_core.report.reports import comparison_report, scores_report
from mtsig_core.report.text import print_note, warn
from mtsig_core.results import Comparison, Exclusion, TaskComparison, TestSetInfo
from mtsig_core.schema import Records
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import task_metrics
from mtsig_core.stats.comparison import compare, score
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.published_scores import (
    Replication,
    TaskReplication,
    name_way,
    replicate,
    replicate_task,
)
from mtsig_core.stats.settings import SETTINGS, check_jobs
from mtsig_core.testset import show_name

#: Formats of results that are text and numbers, and of those that are printed too.
DATA_FORMATS = ("text", "json", "csv", "markdown")
ALL_FORMATS = (*DATA_FORMATS, "latex", "typst", "html")


class _Reading(NamedTuple):
    """Another way to read the files, and the metric that ranks then."""

    source: Any
    metric: str


#: By the options of the command line that read the files so.
Readings = dict[str, _Reading]
_Result = TypeVar("_Result", Comparison, TaskComparison)
_Replicated = TypeVar("_Replicated", Replication, TaskReplication)

# -------------------------------------------------------------------------------------------------
# `score --official FILE`, `task --official FILE`: published scores and those that come out here.


def add_official(parser: ArgumentParser, of_task: bool = False) -> None:
    """Add the option that names a table of published scores."""
    columns = "language pair, system" if of_task else "system"
    parser.add_argument_group("published scores").add_argument(
        "--official",
        metavar="FILE",
        help=f"table of published scores to compare with: {columns} and a column for each metric, or {columns}, "
        "metric, score. mtsig scores by its metrics, and tries other settings for scores that it does not reproduce. "
        "Of a ranking (columns rank_low and rank_high, or rank, and perhaps cluster) it names the rank rule that "
        "gives it, by the first of --metrics",
    )


def run_replicate(args: Namespace) -> None:
    """Compare scores and ranks of a test set with published ones."""
    testset = read(args)
    table = read_official(args.official, testset.langpair or args.langpair)
    source = source_from(args)
    assert source is not None, "read already"
    complete = None if source.refs_as_systems else source.include_all().read()
    with progress_line() as progress:
        replication = replicate(
            testset, table, complete, lowercase=args.lowercase, progress=progress
        )
        if table.ranks:
            metric = choose_metrics(args, testset, decides=True)[0]

            def rank(reading: _Reading) -> dict[str, Comparison]:
                testset = reading.source.read()
                return testset_by_rules(testset, resolve_metric(testset, reading.metric), progress)

            is_rated = metric.name in testset.scores
            readings = _list_readings(source, table.ranks, testset.systems, metric.name, is_rated)
            if _is_standardized(testset.assumed, metric.name):
                scores = [("raw", file) for name, file in source.scores if name == metric.name]
                raw = replace(source, scores=tuple(scores))
                readings["--scores raw=FILE"] = _Reading(raw, "raw")
            replication = _find_rank_rule(
                partial(with_published_ranks, replication, table),
                testset_by_rules(testset, metric, progress),
                readings,
                rank,
            )
    write_report(args, replication_report(replication))


def run_replicate_task(args: Namespace, task: KeptTask) -> None:
    """Compare scores and ranks of a task with published ones."""
    if args.format not in DATA_FORMATS:
        formats = ", ".join(DATA_FORMATS)
        raise SettingError(f"--format {args.format} is not for --official. Expected {formats}.")
    tables = read_official_task(args.official)
    with progress_line() as progress:
        replication = replicate_task(task.read_testsets, task.info.pairs, tables, progress=progress)
        ranked: list[str] = []
        for table in tables.values():
            ranked += table.ranks
        if ranked:
            metric = task_metrics(task.info, list(args.metrics) or None)[0]
            settings = read_arguments(args, "task")
            del settings["rank_rule"]

            def rank(reading: _Reading) -> dict[str, TaskComparison]:
                return task_by_rules(KeptTask(reading.source), reading.metric, progress, **settings)

            is_rated = metric in task.info.own_scores
            readings = _list_readings(task.source, ranked, task.info.systems, metric, is_rated)
            raw = f"{metric.removesuffix('-z')}-raw"
            if _is_standardized(task.info.assumed, metric) and raw in task.info.own_scores:
                readings[f"--metrics {raw}"] = _Reading(task.source, raw)
            replication = _find_rank_rule(
                partial(with_ranks_of_task, replication, tables),
                task_by_rules(task, metric, progress, **settings),
                readings,
                rank,
            )
    write_report(args, replication_report(replication))


def _find_rank_rule(
    add_ranks: Callable[[Mapping[str, Any]], _Replicated],
    by_rule: dict[str, Any],
    readings: Readings,
    rank: Callable[[_Reading], Mapping[str, Any]],
) -> _Replicated:
    """Add the published ranks, and the rule that reproduces them.

    If no rule reproduces them, the files are also read in other ways.
    """
    replication = add_ranks(by_rule)
    if all(ranks.comes_out for ranks in ranks_of(replication).values()):
        return replication
    for options, reading in readings.items():
        try:
            ranked = rank(reading)
        except MtsigError:  # without a rating for each segment, or a reference to spare
            continue
        for rule, comparison in ranked.items():
            by_rule[name_way(rule, options)] = comparison
    return add_ranks(by_rule)


def _list_readings(
    source: Source | TaskSource,
    ranked: Iterable[str],
    systems: Iterable[str],
    metric: str,
    is_rated: bool,
) -> Readings:
    """Other ways to read the files, by the options that do so.

    Each rating is a segment of its own, if the metric is in the files (`is_rated`). References are
    systems, if a published ranking has a system that the files lack.
    """
    changes: Records = [{}]
    if is_rated and source.raters is None:
        changes.append({"raters": "segments"})
    if not source.refs_as_systems and not {*ranked} <= {*systems}:
        changes += [{**change, "refs_as_systems": True} for change in changes]
    readings: Readings = {}
    for change in changes[1:]:
        options = []
        for field, value in change.items():
            options.append(option_flag(option_name(field)))
            if value is not True:
                options.append(value)
        readings[" ".join(options)] = _Reading(replace(source, **change), metric)
    return readings


def _is_standardized(assumed: Iterable[Assumption], metric: str) -> bool:
    """Whether the scores of a metric are standardized, for each rater, when they are read."""
    standardized = [
        assumption.facts["metric"]
        for assumption in assumed
        if assumption.code == "ratings-standardized"
    ]
    return metric in standardized


# -------------------------------------------------------------------------------------------------
# `compare --rank-rule all`, `task --rank-rule all`: the rules side by side.


ALL_RULES = "all"
RANK_RULE_HELP = f"{SETTINGS['rank_rule'].help}; {ALL_RULES}: by every rule that fits, side by side"


def write_all_rules(args: Namespace, rank_by_metric: Mapping[str, Callable[..., Any]]) -> None:
    """Write the ranks by all rules of each metric."""
    results = {}
    with progress_line() as progress:
        for metric, rank in rank_by_metric.items():
            results[metric] = rank(progress=progress)
    write_report(args, rules_report(results))


def has_all_rules(args: Namespace) -> bool:
    """Whether all rules are asked for; an error for a wrong rule, or with an option that it has not."""
    rules = SETTINGS["rank_rule"].values
    if args.rank_rule != ALL_RULES:
        if args.rank_rule not in rules:
            raise explain_unknown("rank rule", args.rank_rule, (*rules, ALL_RULES))
        return False
    for name in ("baseline", "against"):
        if getattr(args, name, None) is not None:
            raise SettingError(
                f"--rank-rule {ALL_RULES} shows ranks side by side, without --{name}. Give one of them."
            )
    return True


# -------------------------------------------------------------------------------------------------
# `compare` and `score`.


def add_compare(parser: ArgumentParser) -> None:
    """Add the options of ``compare``."""
    add_options(
        parser,
        "compare",
        ALL_FORMATS,
        add_release_options,
        resamples="number of resamples for intervals",
        rank_rule=RANK_RULE_HELP,
        jobs="threads, -1 for all cores; more than one helps from about 10,000 segments on; results do not depend on it",
    )


def write_judged(args: Namespace, report: Report, result: Comparison | TaskComparison) -> int:
    """Write a report with the decision of --fail-if, and return the exit status."""
    if args.fail_if is None:
        write_report(args, report)
        return 0
    judgement = judge_release(result, args.fail_if, dict(args.margin))
    if not judgement.passed:
        print_note(judgement.reason)
    try:
        write_report(args, add_judgement(report, judgement))
    except BrokenPipeError:  # nobody reads the report, but the status counts
        drop_output()
    if judgement.passed:
        return 0
    return 2 if judgement.passed is None else 3


def check_rule(args: Namespace, metrics: Iterable[str]) -> None:
    """Check the margins of --fail-if before anything is computed."""
    if args.fail_if is not None:
        margins = dict(args.margin)
        check_margins(args.fail_if, margins, metrics)
        if len(margins) < len(args.margin):
            raise SettingError("--margin names a metric twice. Give one margin for each metric.")


def run_compare(args: Namespace) -> int:
    """Compare all systems."""
    if args.baseline in args.exclude:
        raise SettingError(
            f"--exclude removes {args.baseline}, which --baseline compares with. Give only one of "
            "the two, or another baseline."
        )
    testset = read(args)
    metrics = choose_metrics(args, testset, decides=True)
    check_rule(args, [metric.name for metric in metrics])
    settings = read_arguments(args, "compare")
    if has_all_rules(args):
        del settings["rank_rule"]
        rank = partial(testset_by_rules, testset, **settings)
        write_all_rules(args, {metric.name: partial(rank, metric=metric) for metric in metrics})
        return 0
    stored = None
    if args.against is not None:
        stored = read_stored(Comparison, args.against)
        check_same_segments(args.against, stored.testset, testset.reference_digest)
    with progress_line() as progress:
        result = compare(testset, metrics, **settings, progress=progress, cache=KeptDraws())
    result = replace(result, excluded=tuple(map(Exclusion, args.exclude)))
    report = comparison_report(result)
    if stored is not None:
        report = add_changes(report, stored, result)
    return write_judged(args, report, result)


def read_stored(kind: type[_Result], path: str) -> _Result:
    """Read the result that a file has."""
    lines = read_lines(path, "a stored result (JSON)")
    try:
        return kind.from_json("\n".join(lines))
    except InputError as error:
        raise InputError(f"{show_name(path)} is not a result of this command. {error}") from error


def check_same_segments(path: str, stored: TestSetInfo, digest: str) -> None:
    """Refuse a stored result of other references, sources or segments."""
    if stored.reference_digest == digest:
        return
    reason = "is not of these references, sources, documents and segments"
    if not stored.reference_digest:
        reason = "was written by an older version of mtsig, without the digest of its references"
    raise InputError(
        f"{show_name(path)}: {stored.name} {reason}. Compare with a result on the same files, or compare and store it again."
    )


def add_score(parser: ArgumentParser) -> None:
    """Add the options of ``score``."""
    add_options(parser, "score", DATA_FORMATS, add_official)


def run_score(args: Namespace) -> None:
    """Show scores and signatures."""
    if args.official is not None:
        run_replicate(args)
        return
    testset = read(args)
    scores = score(testset, choose_metrics(args, testset))
    warn(scores.warnings)
    write_report(args, scores_report(scores))


# -------------------------------------------------------------------------------------------------
# `integrity` and `segments`.


def add_integrity(parser: ArgumentParser) -> None:
    """Add the options of ``integrity``."""
    add_options(parser, "integrity", ALL_FORMATS, _add_ratings)


def _add_ratings(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--ratings",
        action="store_true",
        help="only the ratings, such as a page for the people who pay for them, or a CSV row for each rater",
    )


def run_integrity(args: Namespace) -> None:
    """Look for outputs that are alike, or equal to other texts."""
    # Here, in `run_pair` and in `run_domains`: `compare` would wait a twentieth longer for them.
    from mtsig_core.experiments.integrity import examine_integrity, examine_task
    from mtsig_core.experiments.rating_integrity import examine_ratings
    from mtsig_core.report.integrity_reports import integrity_report
    from mtsig_core.report.rating_reports import ratings_report

    if args.metrics is not None and len(args.metrics) > 1:
        raise SettingError(
            f"integrity looks at the intervals of one metric, not of {len(args.metrics)}. Name one with "
            "--metrics NAME."
        )
    if names_whole_task(args):
        task = keep_task(args, find_whole_task(args)).task
        if args.ratings:
            raise SettingError(
                "--ratings shows the ratings of one language pair. The folder has: "
                f"{', '.join(task.testsets)}. Choose one.",
                {"langpair": next(iter(task.testsets))},
            )
        write_report(args, integrity_report(examine_task(task, *args.metrics or ())))
        return
    testset = read(args)
    if args.ratings:
        write_report(args, ratings_report(examine_ratings(testset)))
        return
    metric = choose_metrics(args, testset)[0] if args.metrics else None
    write_report(args, integrity_report(examine_integrity(testset, metric)))


def add_segments(parser: ArgumentParser) -> None:
    """Add the options of ``segments``."""
    add_options(parser, "segments", ("csv", "parquet"))


def run_segments(args: Namespace) -> None:
    """Export the statistics of each segment."""
    if args.format == "parquet" and args.out is None:
        raise SettingError("--format parquet is binary. Give a file with --out FILE.")
    testset = read(args)
    metrics = choose_metrics(args, testset)
    if len(metrics) != 1:
        raise SettingError(
            f"segments writes one metric at a time, not {len(metrics)}. Name one with --metrics NAME."
        )
    if not testset.systems:
        raise SettingError(
            "No system to write statistics of. Give at least one with --system FILE."
        )
    metric = metrics[0]
    testset = testset.keep_scorable(metric.name)
    warn_about_words(testset, metrics)
    header, rows = segment_rows(testset, metric, cached_statistics(metric, testset))
    if args.format == "parquet":
        write_file(to_parquet(header, rows), args.out)
    else:
        write(to_csv(header, rows), args.out)


# -------------------------------------------------------------------------------------------------
# `pair`: a summary of two systems, on one page.


def add_pair(parser: ArgumentParser) -> None:
    """Add the options of ``pair``."""
    add_options(
        parser,
        "pair",
        ALL_FORMATS,
        resamples="number of resamples for intervals",
        a="the first system (default: the best by the first metric)",
    )


def run_pair(args: Namespace) -> None:
    """Examine two systems."""
    from mtsig_core.experiments.dispute import examine_dispute, list_dispute_metrics
    from mtsig_core.report.pair_summary import summary_report

    testset = read(args)
    names = args.metrics or list_dispute_metrics(testset)
    metrics = resolve_named(args, testset, names)
    settings = read_arguments(args, "pair")
    with progress_line() as progress:
        dispute = examine_dispute(testset, metrics, progress=progress, **settings)
    source = source_from(args)
    assert source is not None, "it was read"
    flags = scorer_words(args)
    if args.lowercase:
        flags.append("--lowercase")
    settings |= {"a": dispute.a, "b": dispute.b, "jobs": None}
    metric_names = [metric.name for metric in metrics]
    command = command_line("pair", source, *flags, metrics=metric_names, **settings)
    write_report(args, summary_report(dispute, command))


# -------------------------------------------------------------------------------------------------
# `domains`: systems by domain.


def add_domains(parser: ArgumentParser) -> None:
    """Add the options of ``domains``."""
    add_options(parser, "domains", DATA_FORMATS, test="ar or bootstrap, within domains")


def run_domains(args: Namespace) -> None:
    """Compare systems by domain."""
    from mtsig_core.experiments.domains import by_domain

    check_jobs(args.jobs)
    testset = read(args)
    metrics = choose_metrics(args, testset, decides=True)
    warn_about_words(testset, metrics)
    settings = read_arguments(args, "domains")
    with progress_line() as progress:
        results = [by_domain(testset, metric, progress=progress, **settings) for metric in metrics]
    write_report(args, domains_report(results))
