"""The commands of a whole shared task: `task`, `agreement`, `autorank`, `findings`."""

from __future__ import annotations

import shlex
from argparse import SUPPRESS, ArgumentParser, Namespace, _ArgumentGroup
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any

from mtsig_core.caution import Caution
from mtsig_core.cli.inputs import (
    check_out,
    counts_each_rating,
    find_rule_of_ratings,
    find_whole_task,
    keep_task,
    progress_line,
    read,
    resolve_named,
    write_report,
)
from mtsig_core.cli.options import (
    add_arguments,
    add_metric_options,
    add_options,
    add_output_options,
    add_pairs,
    add_release_options,
    add_task_source,
    names_whole_task,
    read_arguments,
    scorer_words,
    task_source,
)
from mtsig_core.cli.testset_commands import (
    ALL_FORMATS,
    ALL_RULES,
    DATA_FORMATS,
    RANK_RULE_HELP,
    add_official,
    check_rule,
    check_same_segments,
    has_all_rules,
    read_stored,
    run_replicate_task,
    write_all_rules,
    write_judged,
)
from mtsig_core.errors import InputError, SettingError
from mtsig_core.experiments.metric_agreement import (
    AS_COMPARED,
    agreement,
    default_metrics,
    kept_agreement,
)
from mtsig_core.experiments.rankings import autorank, make_findings, task_by_rules
from mtsig_core.readers.files import is_archive, is_folder
from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.official_tables import read_official_task
from mtsig_core.readers.published_values import PublishedFile, PublishedValues, join_published
from mtsig_core.readers.task_contents import contents_of, tables_beside, unread_sentences
from mtsig_core.readers.tasks import has_segments, list_task_tables, pairs_of
from mtsig_core.report.commands import command_line, defaults, option_flag, option_name
from mtsig_core.report.experiment_reports import (
    agreement_report,
    autorank_report,
    findings_report,
)
from mtsig_core.report.published_tables import published_report
from mtsig_core.report.release_reports import add_changes
from mtsig_core.report.task_reports import task_report
from mtsig_core.report.text import print_note, warn
from mtsig_core.results import TaskComparison
from mtsig_core.reviews import read_review
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import compare_task, task_metrics
from mtsig_core.stats.cautions import about_ratings
from mtsig_core.stats.kept_tasks import KeptDraws, KeptTask
from mtsig_core.stats.published_scores import match_published
from mtsig_core.stats.settings import check_jobs
from mtsig_core.stats.significance import ONLY_LOOK
from mtsig_core.task import Task, TaskExclusion, format_exclusion, read_exclusions
from mtsig_core.testset import show_name

# -------------------------------------------------------------------------------------------------
# `task`: a whole shared task.


def _add_task(parser: ArgumentParser) -> _ArgumentGroup:
    """Add the options that name a task; return their group."""
    group = parser.add_argument_group("task")
    group.add_argument(
        "--demo-task",
        "--demo",
        dest="demo",
        action="store_true",
        help="a simulated task: three language pairs, 12 systems in two tracks",
    )
    add_task_source(group)
    group.add_argument(
        "folder",
        metavar="PATH",
        nargs="?",
        default=SUPPRESS,
        help="the same as --folder PATH; a file of ratings that names its language pairs is a task too",
    )
    return group


def _add_systems(group: _ArgumentGroup) -> None:
    """Add the options that choose the systems of a task."""
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


def _add_review(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--review",
        metavar="FILE",
        help="a review, as the page Review exports it (JSON): its exclusions, track, references, metric and settings",
    )


def _follow_review(args: Namespace, command: str) -> None:
    """Set the options that a review has settled; another value of one of them is an error."""
    if args.review is None:
        return
    if "://" in args.review:
        raise SettingError(
            "--review takes a file. Open the link, save the JSON under Export, and name that file."
        )
    lines = read_lines(args.review, "a review, as the page Review exports it (JSON)")
    review = read_review("\n".join(lines), show_name(args.review))
    usual = defaults(command)
    for argument, value in {**review.settings, "track": review.track}.items():
        if isinstance(value, list):
            value = tuple(value)
        name = option_name(argument)
        if getattr(args, name) not in (value, usual.get(argument), None, ()):
            raise SettingError(
                f"{option_flag(name)} is set by the review of --review. Give only one of them."
            )
        setattr(args, name, value)
    if not args.metrics:
        args.metrics = (review.metric,)
    exclusions = [*map(format_exclusion, review.exclusions), *args.exclude]
    args.exclude = list(dict.fromkeys(exclusions))


def add_task(parser: ArgumentParser) -> None:
    """Add the options of ``task``."""
    group = _add_task(parser)
    _add_systems(group)
    _add_review(group)
    group.add_argument(
        "--watch",
        action="store_true",
        help="print again whenever a file of the task changes, until Ctrl+C",
    )
    group = add_metric_options(parser, "all scores; bleu without any", lowercase=False)
    group.add_argument("--primary", metavar="NAME", help="the metric to show first")
    group.add_argument(
        "--human",
        metavar="NAME",
        help="human scores, with which all metrics are compared as by the command agreement",
    )
    add_arguments(
        parser.add_argument_group("test"),
        "task",
        resamples="number of resamples for intervals",
        rank_rule=RANK_RULE_HELP,
    )
    add_official(parser, of_task=True)
    add_release_options(parser)
    add_output_options(parser, ALL_FORMATS)


def _read_one_task(args: Namespace) -> TaskSource:
    """Read the task that the options name; an error if they name no task, or two."""
    if [args.demo, args.folder is not None, bool(args.set)].count(True) != 1:
        message = (
            "A task comes from --folder DIR, from --set NAME=DIR for each test set, or is the simulated one, "
            "--demo-task. Give one of them."
        )
        if args.scores and not args.demo:
            message += " Tables of scores without texts can be the folder: --folder DIR with only these in it."
        raise SettingError(message)
    source = task_source(args)
    check_out(args, source)
    rule = find_rule_of_ratings(args)
    if rule is not None:
        testsets = source.read().testsets.values()
        if counts_each_rating(rule, testsets):
            args.raters = "segments"
            return task_source(args)
    return source


def _check_views(args: Namespace) -> None:
    """Refuse options about results that another option replaces."""
    replaced: dict[str, tuple[str, ...]] = {}
    if args.official is not None:
        replaced["--official FILE"] = ("human", "primary", "baseline", "fail_if")
    if args.rank_rule == ALL_RULES:
        replaced[f"--rank-rule {ALL_RULES}"] = ("human",)
    if args.watch:
        replaced["--watch"] = ("fail_if",)
    for option, names in replaced.items():
        for name in names:
            if getattr(args, name) is not None:
                raise SettingError(
                    f"{option_flag(name)} has no effect with {option}. Give only one of them."
                )


def _print_unread(args: Namespace, source: TaskSource) -> None:
    """Print on standard error which files next to the texts of a task are not read."""
    if source.folder is None or not is_folder(source.folder):
        return
    folder = Path(source.folder)
    unread = contents_of(source.folder).unread
    if not is_archive(folder) and not list_task_tables(folder):  # other files may be there
        unread = tuple(file for file in unread if file[0].endswith(".xlsx"))
    sentences = unread_sentences(unread)
    if args.scores:  # without, all tables next to the texts are tried
        read_paths = {path for *_, path in source.scores}
        for pair, name, path in tables_beside(source.folder, pairs_of(source.folder)):
            is_chosen = not source.pairs or pair in source.pairs
            if is_chosen and path not in read_paths:
                option = shlex.join(["--scores", f"{pair}:{name}={path}"])
                sentences.append(f"{path} has segment scores and is not read. {option} reads it.")
    for sentence in sentences:
        print_note(sentence)


_PAUSE = (
    2.0  # seconds between two readings of the states of files: people hardly notice a later print
)


def run_task(args: Namespace) -> int | None:
    """Compare the systems of a task, with --watch again whenever a file changes."""
    states = _list_states(args)
    status = _compare_systems(args)
    while args.watch:
        sleep(_PAUSE)
        new_states = _list_states(args)
        if new_states == states:
            continue
        states = new_states
        print_note(f"the files have changed, {datetime.now():%H:%M:%S}")
        if args.look != ONLY_LOOK:
            print_note(
                f"Look {args.look} has decided once. Below, take only the progress; the next look has its own number."
            )
        try:
            _compare_systems(args)
        except InputError as error:  # the next change may correct it
            print_note(str(error))
    return status


def _list_states(args: Namespace) -> list[tuple[Path, int, int]]:
    """Path, size and time of each file of a task that is watched."""
    if not args.watch:
        return []
    source = _read_one_task(args)
    states = []
    for path in [*source.files(), *source.list_joined_files()]:
        with suppress(FileNotFoundError):
            state = path.stat()
            states.append((path, state.st_size, state.st_mtime_ns))
    return states


def _compare_systems(args: Namespace) -> int | None:
    """Compare the systems of a task once, and return the exit status if it is not 0."""
    _follow_review(args, "task")
    _check_views(args)
    source = _read_one_task(args)
    if args.folder is not None and not Path(args.folder).exists():
        source.read()  # for its error
    published = source.read_published()
    if published and args.folder and not args.fail_if and not has_segments(args.folder):
        write_report(args, published_report(source.title, published))
        return None
    _print_unread(args, source)
    task = _keep_task(args, source)
    if args.official is not None:
        run_replicate_task(args, task)
        return None
    metrics = list(args.metrics) or None
    if args.primary is not None:
        metrics = list(dict.fromkeys([args.primary, *task_metrics(task.info, metrics)]))
    settings = read_arguments(args, "task")
    if has_all_rules(args):
        del settings["rank_rule"]
        rank = partial(task_by_rules, task, **settings)
        names = task_metrics(task.info, metrics)
        write_all_rules(args, {name: partial(rank, metric=name) for name in names})
        return None
    check_rule(args, task_metrics(task.info, metrics))
    stored = None
    if args.against is not None:
        stored = read_stored(TaskComparison, args.against)
    result = _compare_task(args, task, metrics, settings)
    systems = {pair: comparison.testset.systems for pair, comparison in result.pairs.items()}
    result = replace(result, published=match_published(published, systems))
    settings["jobs"] = None
    command = command_line(
        "task",
        task.source,
        *scorer_words(args),
        metrics=metrics,
        human=args.human,
        **settings,
    )
    report = task_report(result, command)
    if stored is not None:
        for pair in result.pairs.keys() & stored.pairs.keys():
            digest = result.pairs[pair].testset.reference_digest
            check_same_segments(args.against, stored.pairs[pair].testset, digest)
        report = add_changes(report, stored, result)
    return write_judged(args, report, result)


def _keep_task(args: Namespace, source: TaskSource) -> KeptTask:
    """The task without the systems that --exclude names."""
    task = keep_task(args, source)
    return task.leaving_out(read_exclusions(args.exclude, task.info.systems, task.info.pairs))


def _compare_task(
    args: Namespace, task: KeptTask, metrics: list[str] | None, settings: dict[str, Any]
) -> TaskComparison:
    """The comparison, with --human also how far metrics agree with people."""
    with progress_line() as progress:
        result = compare_task(task, metrics, progress=progress, cache=KeptDraws(), **settings)
        if args.human is None:
            return result
        shared = {name: settings[name] for name in (*AS_COMPARED, "jobs")}
        human_agreement = kept_agreement(task, args.human, progress=progress, **shared)
    return replace(result, agreement=human_agreement)


# -------------------------------------------------------------------------------------------------
# `agreement`: how far metrics decide as people do.


def add_agreement(parser: ArgumentParser) -> None:
    """Add the options of ``agreement``."""
    add_options(
        parser,
        "agreement",
        DATA_FORMATS,
        _add_human_and_pairs,
        trials="permutations for each p-value of two systems, or of two metrics",
    )


def _add_human_and_pairs(parser: ArgumentParser) -> None:
    group = add_metric_options(parser, "all other --scores and, with texts, bleu, chrf and ter")
    group.add_argument(
        "--human",
        required=True,
        metavar="NAME",
        help="the human scores: a name of --scores, or of scores in the folder",
    )
    group = parser.add_argument_group(
        "whole task",
        "Each language pair and their mean, with --folder and no --langpair, "
        "or with --demo-task and --all-pairs.",
    )
    group.add_argument(
        "--all-pairs", action="store_true", help="use all language pairs of the task"
    )
    add_pairs(group)


def run_agreement(args: Namespace) -> None:
    """Compare metrics with human scores, on a test set or over a task."""
    check_jobs(args.jobs)
    settings = read_arguments(args, "agreement")
    if args.all_pairs or args.pairs or names_whole_task(args):
        if not (args.folder or args.set or args.demo_task):
            raise SettingError(
                "Several language pairs come from --folder DIR, --set NAME=DIR or --demo-task. Give one of them."
            )
        exclusions = tuple(map(TaskExclusion, args.exclude))
        task = keep_task(args, find_whole_task(args, exclude=exclusions))
        names = args.metrics or None
        with progress_line() as progress:
            over_task = kept_agreement(task, args.human, names, progress=progress, **settings)
        write_report(args, agreement_report(over_task))
        return
    testset = read(args)
    names = args.metrics or default_metrics(testset, args.human)
    metrics = resolve_named(args, testset, names)
    cautions: list[Caution] = []
    for metric in metrics:
        cautions += about_ratings(testset, metric.name)
    warn(cautions)
    with progress_line() as progress:
        result = agreement(testset, args.human, metrics, progress=progress, **settings)
    write_report(args, agreement_report(result))


# -------------------------------------------------------------------------------------------------
# `autorank`: one order of the systems from several metrics.


def add_autorank(parser: ArgumentParser) -> None:
    """Add the options of ``autorank``."""
    _add_task(parser)
    add_metric_options(
        parser, "those that the task used, else all its scores but human ones", lowercase=False
    )
    add_arguments(
        parser.add_argument_group("ranking"),
        "autorank",
        resamples="number of resamples for the range in resamples",
    )
    add_output_options(parser, (*DATA_FORMATS, "latex"))


def run_autorank(args: Namespace) -> None:
    """Order the systems of a task by several metrics at once."""
    check_jobs(args.jobs)
    task = keep_task(args, _read_one_task(args)).task
    settings = read_arguments(args, "autorank")
    with progress_line() as progress:
        result = autorank(task, args.metrics or None, progress=progress, **settings)
    write_report(args, autorank_report(result))


# -------------------------------------------------------------------------------------------------
# `findings`: the tables of a paper.


def add_findings(parser: ArgumentParser) -> None:
    """Add the options of ``findings``."""
    group = _add_task(parser)
    _add_systems(group)
    _add_review(group)
    group = add_metric_options(
        parser,
        "human scores where there are any, else the first score). The first ranks; each "
        "other one is a column, also of published scores",
        lowercase=False,
    )
    group.add_argument(
        "--published",
        metavar="FILE",
        action="append",
        default=[],
        help="table of published scores, in place of those in the folder: language pair, system and columns. "
        "AutoRank and ranks are shown, others if --metrics names them; repeatable",
    )
    add_arguments(
        parser.add_argument_group("test"),
        "findings",
        resamples="number of resamples for intervals",
        rule="the year of WMT whose rule of AutoRank is used",
        baseline=SUPPRESS,
    )
    add_output_options(parser, ALL_FORMATS)


def run_findings(args: Namespace) -> None:
    """Print the findings table of each language pair, and head-to-head decisions."""
    check_jobs(args.jobs)
    if args.baseline is not None:
        raise SettingError(
            "findings ranks the systems, and with --baseline there are no ranks. Use task --baseline."
        )
    _follow_review(args, "findings")
    source = _read_one_task(args)
    _print_unread(args, source)
    task = _keep_task(args, source)
    arguments = read_arguments(args, "findings")
    arguments["published"] = _read_published(args, source, task.task)
    metrics = args.metrics or None
    with progress_line() as progress:
        result = make_findings(task, metrics, progress=progress, cache=KeptDraws(), **arguments)
    write_report(args, findings_report(result))


def _read_published(args: Namespace, source: TaskSource, task: Task) -> PublishedValues:
    """The published scores that the options name, or those in the folder of the task."""
    if not args.published:
        return source.read_published()
    systems = {lang_pair: testset.systems for lang_pair, testset in task.testsets.items()}
    files = []
    for path in args.published:
        file = PublishedFile(Path(path), read_official_task(path))
        if not match_published(join_published([file]), systems):
            raise SettingError(
                f"--published {path} has no system of the task in a language pair of the task. It has "
                f"{', '.join(file.tables)}; the task has {', '.join(systems)}. Name language pairs and "
                "systems alike."
            )
        files.append(file)
    return join_published(files)
