"""The commands on one test set, and what commands of tasks share with them: published scores, and
all rank rules.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from mtsig_core.cli.inputs import (
    check_out,
    choose_metrics,
    progress_line,
    read,
    warn_about_words,
    write,
    write_file,
)
from mtsig_core.cli.options import (
    add_options,
    read_arguments,
    refuse_of_one_pair,
    source_from,
    task_source,
)
from mtsig_core.errors import MtsigError, SettingError, explain_unknown
from mtsig_core.experiments.dispute import examine_dispute, list_dispute_metrics
from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.integrity import examine_integrity, examine_task
from mtsig_core.experiments.rankings import (
    task_by_rules,
    testset_by_rules,
    with_published_ranks,
    with_ranks_of_task,
)
from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.readers.official_tables import read_official, read_official_task
from mtsig_core.report import export
from mtsig_core.report.commands import command_line, option_name
from mtsig_core.report.experiment_reports import (
    DOMAIN_FORMS,
    INTEGRITY_FORMS,
    REPLICATION_FORMS,
    RULES_FORMS,
)
from mtsig_core.report.html import report_html
from mtsig_core.report.pair_summary import summary_json, summary_report
from mtsig_core.report.reports import comparison_text
from mtsig_core.report.text import report_text, terminal_width, warn
from mtsig_core.results import Comparison, Exclusion, TaskComparison
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import task_metrics
from mtsig_core.stats.comparison import compare, score
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.parallel import Progress
from mtsig_core.stats.published_scores import name_way, replicate, replicate_task
from mtsig_core.stats.settings import SETTINGS, check_jobs
from mtsig_core.testset import TestSet

_AnySource = TypeVar("_AnySource", Source, TaskSource)

# -------------------------------------------------------------------------------------------------
# `score --official FILE`, `task --official FILE`: published scores and those that come out here.


def add_official(sub: ArgumentParser, of_task: bool = False) -> None:
    columns = f"{'language pair, ' * of_task}system"
    sub.add_argument_group("published scores").add_argument(
        "--official",
        metavar="FILE",
        help=f"table of published scores to compare with: {columns} and a column for each metric, or {columns}, "
        "metric, score. mtsig scores by its metrics, and tries settings that would give what does not come out. "
        "Of a ranking (columns rank_low and rank_high, or rank, and perhaps cluster) it names the rank rule that "
        "gives it, by the first of --metrics",
    )


def run_replicate(args: Namespace, testset: TestSet) -> None:
    table = read_official(args.official, testset.langpair or args.langpair)
    source = source_from(args)
    assert source is not None, "read already"
    whole = None if source.refs_as_systems else source.include_all().read()
    with progress_line() as progress:
        found = replicate(testset, table, whole, lowercase=args.lowercase, progress=progress)
        if table.ranks:
            metric = choose_metrics(args, testset, decides=True)[0]
            by_rule = testset_by_rules(testset, metric, progress)
            found = with_published_ranks(found, table, by_rule)
            if found.ranks is not None and not found.ranks.comes_out:
                readings = _list_readings(
                    source, table.ranks, testset.systems, metric.name in testset.scores
                )
                _rank_otherwise(
                    by_rule, readings, partial(_rank_set, metric=metric.name, progress=progress)
                )
                found = with_published_ranks(found, table, by_rule)
    write(REPLICATION_FORMS[args.format](found), args.out)


def run_replicate_task(args: Namespace, kept: KeptTask) -> None:
    check_form(args.format, REPLICATION_FORMS, "--official")
    tables = read_official_task(args.official)
    with progress_line() as progress:
        found = replicate_task(kept.read_testsets, kept.info.pairs, tables, progress=progress)
        ranked = [name for table in tables.values() for name in table.ranks]
        if ranked:
            metric = task_metrics(kept.info, list(args.metrics) or None)[0]
            settings = read_arguments(args, "task")
            del settings["rank_rule"]
            by_rule = task_by_rules(kept, metric, progress, **settings)
            found = with_ranks_of_task(found, tables, by_rule)
            if not all(one.ranks is None or one.ranks.comes_out for one in found.pairs.values()):
                readings = _list_readings(
                    kept.source, ranked, kept.info.systems, metric in kept.info.own_scores
                )
                _rank_otherwise(
                    by_rule,
                    readings,
                    partial(_rank_task, metric=metric, progress=progress, settings=settings),
                )
                found = with_ranks_of_task(found, tables, by_rule)
    write(REPLICATION_FORMS[args.format](found), args.out)


def _rank_set(source: Source, metric: str, progress: Progress | None) -> dict[str, Comparison]:
    """The ranks of a test set by all rules, read from a source."""
    testset = source.read()
    return testset_by_rules(testset, resolve_metric(testset, metric), progress)


def _rank_task(
    source: TaskSource, metric: str, progress: Progress | None, settings: Mapping[str, Any]
) -> dict[str, TaskComparison]:
    """The ranks of a task by all rules, read from a source."""
    return task_by_rules(KeptTask(source), metric, progress, **settings)


def _list_readings(
    source: _AnySource, ranked: Iterable[str], systems: Iterable[str], is_rated: bool
) -> list[tuple[str, _AnySource]]:
    """Other ways to read the files, with the options that do so: each rating as a segment of its
    own, if the metric is in the files (`is_rated`); and references as systems, where a published
    ranking has a system that is not here.
    """
    changes: list[dict[str, Any]] = [{}]
    if is_rated and source.raters is None:
        changes.append({"raters": "segments"})
    if not source.refs_as_systems and not {*ranked} <= {*systems}:
        changes += [{**change, "refs_as_systems": True} for change in changes]
    return [(_write_options(change), replace(source, **change)) for change in changes if change]


def _write_options(change: Mapping[str, Any]) -> str:
    """Fields of a source as options of the command line."""
    options = []
    for field, value in change.items():
        option = f"--{option_name(field).replace('_', '-')}"
        options.append(option if value is True else f"{option} {value}")
    return " ".join(options)


def _rank_otherwise(
    by_rule: dict[str, Any],
    readings: Iterable[tuple[str, _AnySource]],
    rank: Callable[[Any], Mapping[str, Any]],
) -> None:
    """Add the ranks that all rules give when the files are read in other ways."""
    for options, source in readings:
        try:
            ranked = rank(source)
        except (
            MtsigError
        ):  # the files cannot be read so: one rating a segment, say, or no reference to spare
            continue
        for rule, one in ranked.items():
            by_rule[name_way(rule, options)] = one


def check_form(form: str, forms: Iterable[str], option: str) -> None:
    """Refuse a format that a command has, but not with this option."""
    if form not in forms:
        raise SettingError(f"--format {form} is not for {option}. Expected {', '.join(forms)}.")


# -------------------------------------------------------------------------------------------------
# `compare --rank-rule all`, `task --rank-rule all`: the rules side by side.


ALL_RULES = "all"
RANK_RULE_HELP = f"{SETTINGS['rank_rule'].help}; {ALL_RULES}: by every rule that fits, side by side"


def write_all_rules(args: Namespace, runs: Mapping[str, Callable[..., Any]]) -> None:
    """Write the ranks by all rules; `runs` has, by metric, what ranks by it."""
    with progress_line() as progress:
        found = {metric: run(progress=progress) for metric, run in runs.items()}
    write(RULES_FORMS[args.format](found), args.out)


def take_all_rules(args: Namespace) -> bool:
    """Whether all rules are asked for, in a way that gives ranks and a table."""
    if args.rank_rule != ALL_RULES:
        if args.rank_rule not in (rules := SETTINGS["rank_rule"].values):
            raise explain_unknown("rank rule", args.rank_rule, (*rules, ALL_RULES))
        return False
    if getattr(args, "baseline", None) is not None:
        raise SettingError(
            f"--rank-rule {ALL_RULES} ranks the systems, and with --baseline there are no ranks. Give "
            "one of them."
        )
    check_form(args.format, RULES_FORMS, f"--rank-rule {ALL_RULES}")
    return True


# -------------------------------------------------------------------------------------------------
# `compare` and `score`.


def add_compare(sub: ArgumentParser) -> None:
    add_options(
        sub,
        "compare",
        ("text", "json", "csv", "latex", "html"),
        resamples="number of resamples for intervals",
        rank_rule=RANK_RULE_HELP,
        jobs="threads, -1 for all cores; more pay off from about 10,000 segments; results do not depend on it",
    )


def run_compare(args: Namespace) -> None:
    if args.baseline in args.exclude:
        raise SettingError(
            f"--exclude removes {args.baseline}, which --baseline compares with. Give only one of "
            "the two, or another baseline."
        )
    testset = read(args)
    metrics = choose_metrics(args, testset, decides=True)
    settings = read_arguments(args, "compare")
    if take_all_rules(args):
        del settings["rank_rule"]
        write_all_rules(
            args,
            {
                metric.name: partial(testset_by_rules, testset, metric, **settings)
                for metric in metrics
            },
        )
        return
    with progress_line() as progress:
        result = compare(testset, metrics, **settings, progress=progress, cache=KeptDraws())
    result = replace(result, excluded=tuple(map(Exclusion, args.exclude)))
    fits = args.format == "text" and args.out is None
    write(
        comparison_text(result, terminal_width()) if fits else result.render(args.format), args.out
    )


def add_score(sub: ArgumentParser) -> None:
    add_options(sub, "score", ("text", "json", "csv"), add_official)


def run_score(args: Namespace) -> None:
    testset = read(args)
    if args.official is not None:
        run_replicate(args, testset)
        return
    found = score(testset, choose_metrics(args, testset))
    warn(found.warnings)
    render = {"text": export.scores_text, "json": export.scores_json, "csv": export.scores_csv}
    write(render[args.format](found), args.out)


# -------------------------------------------------------------------------------------------------
# `integrity` and `segments`.


def add_integrity(sub: ArgumentParser) -> None:
    add_options(sub, "integrity", tuple(INTEGRITY_FORMS))


def run_integrity(args: Namespace) -> None:
    if args.metrics is not None and len(args.metrics) > 1:
        raise SettingError(
            f"integrity looks at the intervals of one metric, not of {len(args.metrics)}. Name one with "
            "--metrics NAME."
        )
    if args.folder is not None and args.langpair is None:
        source_from(args, whole_task=True)  # which refuses what names another source
        refuse_of_one_pair(args, "run")
        source = task_source(args)
        check_out(args, source)
        write(
            INTEGRITY_FORMS[args.format](examine_task(source.read(), *args.metrics or ())), args.out
        )
        return
    testset = read(args)
    [metric] = choose_metrics(args, testset) if args.metrics else [None]
    write(INTEGRITY_FORMS[args.format](examine_integrity(testset, metric)), args.out)


def add_segments(sub: ArgumentParser) -> None:
    add_options(sub, "segments", ("csv", "parquet"))


def run_segments(args: Namespace) -> None:
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
    warn_about_words(testset := testset.keep_scorable(metrics[0].name), metrics)
    header, rows = export.segment_rows(testset, metrics[0], cached_statistics(metrics[0], testset))
    if args.format == "parquet":
        import pandas as pd

        write_file(pd.DataFrame(rows, columns=header).to_parquet(index=False), args.out)
    else:
        write(export.to_csv(header, rows), args.out)


# -------------------------------------------------------------------------------------------------
# `pair`: a summary of two systems, on one page.


def add_pair(sub: ArgumentParser) -> None:
    add_options(
        sub,
        "pair",
        ("text", "json", "html"),
        resamples="number of resamples for intervals",
        a="the first system (default: the best by the first metric)",
    )


def run_pair(args: Namespace) -> None:
    testset = read(args)
    metrics = [
        resolve_metric(testset, name, lowercase=args.lowercase)
        for name in args.metrics or list_dispute_metrics(testset)
    ]
    settings = read_arguments(args, "pair")
    with progress_line() as progress:
        found = examine_dispute(testset, metrics, progress=progress, **settings)
    if args.format == "html":
        source = source_from(args)
        assert source is not None, "it was read"
        flags = ["--lowercase"] * args.lowercase
        chosen = [one.name for one in metrics]
        named = {"a": found.a, "b": found.b, "jobs": None}
        command = command_line("pair", source, *flags, metrics=chosen, **settings | named)
        text = report_html(summary_report(found, command))
    else:
        text = (
            summary_json(found)
            if args.format == "json"
            else report_text(summary_report(found), terminal_width())
        )
    write(text, args.out)


# -------------------------------------------------------------------------------------------------
# `domains`: systems by domain.


def add_domains(sub: ArgumentParser) -> None:
    add_options(sub, "domains", tuple(DOMAIN_FORMS), test="ar or bootstrap, within domains")


def run_domains(args: Namespace) -> None:
    check_jobs(args.jobs)
    testset = read(args)
    metrics = choose_metrics(args, testset, decides=True)
    warn_about_words(testset, metrics)
    with progress_line() as progress:
        found = [
            by_domain(testset, metric, progress=progress, **read_arguments(args, "domains"))
            for metric in metrics
        ]
    write(DOMAIN_FORMS[args.format](found), args.out)
