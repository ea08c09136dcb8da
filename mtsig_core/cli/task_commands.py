"""The commands of a whole shared task: `task`, `agreement`, `autorank`, `findings`."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from dataclasses import replace
from functools import partial
from pathlib import Path

from mtsig_core.cli.inputs import check_out, progress_line, read, write
from mtsig_core.cli.options import (
    add_arguments,
    add_metric_options,
    add_options,
    add_output_options,
    add_pairs,
    add_task_source,
    read_arguments,
    refuse_of_one_pair,
    source_from,
    task_source,
)
from mtsig_core.cli.testset_commands import (
    ALL_RULES,
    RANK_RULE_HELP,
    add_official,
    run_replicate_task,
    take_all_rules,
    write_all_rules,
)
from mtsig_core.errors import SettingError
from mtsig_core.experiments.metric_agreement import (
    AS_COMPARED,
    agreement,
    default_metrics,
    kept_agreement,
)
from mtsig_core.experiments.rankings import autorank, make_findings, task_by_rules
from mtsig_core.metrics import resolve_metric
from mtsig_core.readers.files import is_archive
from mtsig_core.readers.task_contents import contents_of, tables_beside, unread_sentences
from mtsig_core.readers.tasks import pairs_of
from mtsig_core.report.commands import task_command
from mtsig_core.report.experiment_reports import AGREEMENT_FORMS, AUTORANK_FORMS, FINDINGS_FORMS
from mtsig_core.report.task_reports import TASK_DOCUMENTS, task_document
from mtsig_core.report.text import printable, warn
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import compare_task, task_metrics
from mtsig_core.stats.cautions import about_ratings
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.settings import check_jobs
from mtsig_core.task import TaskExclusion, read_exclusions

# -------------------------------------------------------------------------------------------------
# `task`: a whole shared task.


def _add_task(sub: ArgumentParser) -> _ArgumentGroup:
    """The options that name a task, and their group."""
    group = sub.add_argument_group("task")
    group.add_argument(
        "--demo-task",
        "--demo",
        dest="demo",
        action="store_true",
        help="a simulated task: three language pairs, 12 systems in two tracks",
    )
    add_task_source(group)
    return group


def add_task(sub: ArgumentParser) -> None:
    group = _add_task(sub)
    group.add_argument(
        "--track",
        choices=("constrained", "unconstrained"),
        help="compare only the systems of one track",
    )
    group.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="[PAIR:]NAME,...[=REASON]",
        help="exclude these systems, in all language pairs or in one, and say why; repeatable",
    )
    group = add_metric_options(sub, "all scores; bleu without any", lowercase=False)
    group.add_argument("--primary", metavar="NAME", help="the metric to show first")
    group.add_argument(
        "--human",
        metavar="NAME",
        help="human scores, with which all metrics are compared as by the command agreement",
    )
    add_arguments(
        sub.add_argument_group("test"),
        "task",
        resamples="number of resamples for intervals",
        rank_rule=RANK_RULE_HELP,
    )
    add_official(sub, of_task=True)
    add_output_options(sub, TASK_DOCUMENTS)


def _check_one_task(args: Namespace) -> None:
    if args.demo == (args.folder is not None):
        raise SettingError(
            "A task comes from --folder DIR or is the simulated one, --demo-task. Give one of them."
            + " Tables of scores without texts can be the folder: --folder DIR with only these in it."
            * (not args.demo and bool(args.scores))
        )


def _check_views(args: Namespace) -> None:
    """Refuse options about results that another option replaces."""
    for other, is_given, names in (
        ("--official FILE", args.official is not None, ("human", "primary")),
        (f"--rank-rule {ALL_RULES}", args.rank_rule == ALL_RULES, ("human",)),
    ):
        if is_given and (
            name := next((name for name in names if getattr(args, name) is not None), None)
        ):
            raise SettingError(f"--{name} has no effect with {other}. Leave one of them out.")


def _tell_unread(args: Namespace, source: TaskSource) -> None:
    """Say on standard error which files beside the texts of a task are not read."""
    if source.folder is None:
        return
    said: list[str] = []
    if is_archive(source.folder):
        said += unread_sentences(contents_of(source.folder).unread)
    if args.scores:  # else all tables beside the texts were tried
        taken = {path for *_, path in source.scores}
        for pair, name, path in tables_beside(source.folder, pairs_of(source.folder)):
            if path not in taken and pair in (source.pairs or (pair,)):
                option = shlex.join(["--scores", f"{pair}:{name}={path}"])
                said.append(f"{path} has segment scores and is not read. {option} reads it.")
    print(*(f"mtsig: {printable(one)}\n" for one in said), sep="", end="", file=sys.stderr)


def run_task(args: Namespace) -> None:
    _check_one_task(args)
    _check_views(args)
    source = task_source(args)
    check_out(args, source)
    if args.folder is not None and not Path(args.folder).exists():
        source.read()  # which says what is wrong
    _tell_unread(args, source)
    whole = KeptTask(source)
    kept = whole.leaving_out(read_exclusions(args.exclude, whole.info.systems, whole.info.pairs))
    if args.official is not None:
        run_replicate_task(args, kept)
        return
    metrics = list(args.metrics) or None
    if args.primary is not None:
        metrics = list(dict.fromkeys([args.primary, *task_metrics(kept.info, metrics)]))
    settings = read_arguments(args, "task")
    if take_all_rules(args):
        del settings["rank_rule"]
        write_all_rules(
            args,
            {
                metric: partial(task_by_rules, kept, metric, **settings)
                for metric in task_metrics(kept.info, metrics)
            },
        )
        return
    with progress_line() as progress:
        found = compare_task(kept, metrics, progress=progress, cache=KeptDraws(), **settings)
        if args.human is not None:
            asked = {name: settings[name] for name in (*AS_COMPARED, "jobs")}
            found = replace(
                found, agreement=kept_agreement(kept, args.human, progress=progress, **asked)
            )
    command = task_command(
        kept.source, metrics=metrics or None, human=args.human, **settings | {"jobs": None}
    )
    write(task_document(args.format, found, command), args.out)


# -------------------------------------------------------------------------------------------------
# `agreement`: how far metrics decide as people do.


def add_agreement(sub: ArgumentParser) -> None:
    add_options(
        sub,
        "agreement",
        tuple(AGREEMENT_FORMS),
        _add_of_agreement,
        trials="permutations for each p-value of two systems, or of two metrics",
    )


def _add_of_agreement(sub: ArgumentParser) -> None:
    group = add_metric_options(sub, "all other --scores and, with texts, bleu, chrf and ter")
    group.add_argument(
        "--human",
        required=True,
        metavar="NAME",
        help="the human scores: a name of --scores, or of scores in the folder",
    )
    group = sub.add_argument_group(
        "whole task",
        "Each language pair and their mean, with --folder and no --langpair, "
        "or with --demo-task and --all-pairs.",
    )
    group.add_argument(
        "--all-pairs", action="store_true", help="use all language pairs of the task"
    )
    add_pairs(group)


def run_agreement(args: Namespace) -> None:
    check_jobs(args.jobs)
    if args.all_pairs or args.pairs or args.folder is not None and args.langpair is None:
        _run_task(args)
        return
    testset = read(args)
    metrics = [
        resolve_metric(testset, name, lowercase=args.lowercase)
        for name in args.metrics or default_metrics(testset, args.human)
    ]
    warn(caution for metric in metrics for caution in about_ratings(testset, metric.name))
    with progress_line() as progress:
        found = agreement(
            testset, args.human, metrics, progress=progress, **read_arguments(args, "agreement")
        )
    write(AGREEMENT_FORMS[args.format](found), args.out)


def _run_task(args: Namespace) -> None:
    """All language pairs of a task."""
    if args.folder is None and not args.demo_task:
        raise SettingError(
            "Several language pairs come from --folder DIR or --demo-task. Give one of them."
        )
    source_from(args, whole_task=True)  # which refuses what names another source
    refuse_of_one_pair(args, "run")
    source = task_source(args, exclude=tuple(map(TaskExclusion, args.exclude)))
    check_out(args, source)
    kept = KeptTask(source)
    with progress_line() as progress:
        found = kept_agreement(
            kept,
            args.human,
            args.metrics or None,
            progress=progress,
            **read_arguments(args, "agreement"),
        )
    write(AGREEMENT_FORMS[args.format](found), args.out)


# -------------------------------------------------------------------------------------------------
# `autorank`: one order of the systems from several metrics.


def add_autorank(sub: ArgumentParser) -> None:
    _add_task(sub)
    add_metric_options(
        sub, "those that the task used, else all its scores but human ones", lowercase=False
    )
    add_arguments(
        sub.add_argument_group("ranking"),
        "autorank",
        resamples="number of resamples for the range in resamples",
    )
    add_output_options(sub, tuple(AUTORANK_FORMS))


def run_autorank(args: Namespace) -> None:
    check_jobs(args.jobs)
    _check_one_task(args)
    source = task_source(args)
    check_out(args, source)
    task = source.read()
    with progress_line() as progress:
        found = autorank(
            task, args.metrics or None, progress=progress, **read_arguments(args, "autorank")
        )
    write(AUTORANK_FORMS[args.format](found), args.out)


# -------------------------------------------------------------------------------------------------
# `findings`: the tables of a paper.


def add_findings(sub: ArgumentParser) -> None:
    _add_task(sub)
    add_metric_options(
        sub,
        "human scores where there are any, else the first score). The first ranks; each "
        "other one is a column",
        lowercase=False,
    )
    add_arguments(
        sub.add_argument_group("test"),
        "findings",
        resamples="number of resamples for intervals",
        rule="the year of WMT whose rule of AutoRank is used",
    )
    add_output_options(sub, tuple(FINDINGS_FORMS))


def run_findings(args: Namespace) -> None:
    check_jobs(args.jobs)
    _check_one_task(args)
    source = task_source(args)
    check_out(args, source)
    task = KeptTask(source).task
    with progress_line() as progress:
        found = make_findings(
            task,
            args.metrics or None,
            progress=progress,
            cache=KeptDraws(),
            **read_arguments(args, "findings"),
        )
    write(FINDINGS_FORMS[args.format](found), args.out)
