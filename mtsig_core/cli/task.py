"""`task`: a whole shared task."""

from __future__ import annotations

import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mtsig_core.cli.inputs import progress_line
from mtsig_core.cli.options import add_arguments, add_output_options, given
from mtsig_core.cli.output import check_out, write
from mtsig_core.cli.replicate import add_official_option, run_replicate_task
from mtsig_core.cli.source_options import AddUp, add_folder_options, add_reference_options, names
from mtsig_core.cli.task_review import take_review, warn_of_review
from mtsig_core.cli.task_scores import add_pairs, add_task_scores, task_source
from mtsig_core.data.readers.archives import is_zip
from mtsig_core.data.readers.tasks import contents_of, pairs_of, tables_beside, unread_sentences
from mtsig_core.data.review import replay
from mtsig_core.data.source import Source
from mtsig_core.data.task_exclusions import read_exclusions
from mtsig_core.data.task_source import TaskSource
from mtsig_core.errors import SettingError
from mtsig_core.inference.task_comparison import task_metrics
from mtsig_core.report.commands import task_command
from mtsig_core.report.kept_agreement import AS_COMPARED, kept_agreement
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.report.review_reading import review_command
from mtsig_core.report.task_documents import TASK_DOCUMENTS, task_document
from mtsig_core.report.terminal import printable

__all__ = ["add_task_options", "run_task"]


def add_task_options(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("source")
    add = group.add_argument
    add("--demo-task", "--demo", dest="demo", action="store_true",
        help="a simulated task: three language pairs, 12 systems in two tracks")
    add("--folder", metavar="DIR",
        help="a shared task, or a zip of it: texts in WMT layout or WMT's XML, of all language pairs, "
             "mt-metrics-eval's folders, or WMT25's automatic_scores/")
    add("--name", metavar="NAME", help="what to call the task (default: as its folder)")
    add_pairs(add)
    add("--track", choices=("constrained", "unconstrained"), help="the systems of one track alone")
    add("--only", type=names, action=AddUp, metavar="NAME,...", help="these systems alone")
    add("--exclude", action="append", default=[], metavar="[PAIR:]NAME,...[=REASON]",
        help="all but these systems, in all language pairs or in one, and why; may be given several times")
    add_reference_options(add)
    add("--review", metavar="FILE",
        help="the JSON of the page Review: track, metric, settings and exclusions; with its decisions and notes")
    add_task_scores(add)
    add_folder_options(add)
    group = sub.add_argument_group("metrics")
    group.add_argument("--metrics", type=names, action=AddUp, metavar="NAME,...",
                       help="default: all scores; bleu without any")
    group.add_argument("--primary", metavar="NAME", help="the metric that comes first")
    group.add_argument("--human", metavar="NAME",
                       help="scores that people gave: all metrics are held against them, as by the command agreement")
    add_arguments(sub.add_argument_group("test"), "task", resamples="bootstrap samples of intervals")
    add_official_option(sub, of_task=True)
    add_output_options(sub, TASK_DOCUMENTS)


def _tell_unread(source: TaskSource) -> None:
    """Say on standard error which files beside the texts of a task are not read."""
    if source.folder is None:
        return
    taken = {path for *_, path in (*source.scores, *source.run)}
    if is_zip(source.folder):
        contents = contents_of(source.folder)
        beside: Sequence[tuple[str, str, str]] = contents.scores
        said = unread_sentences(contents.unread)
    else:
        beside, said = tables_beside(source.folder, pairs_of(source.folder)), []
    said += [f"{path} has segment scores and is not read. {shlex.join(['--scores', f'{pair}:{name}={path}'])} reads it."
             for pair, name, path in beside if path not in taken and pair in (source.pairs or (pair,))]
    print(*(f"mtsig: {printable(one)}\n" for one in said), sep="", end="", file=sys.stderr)


def run_task(args: Namespace) -> int:
    history = take_review(args)
    source = task_source(args, name=args.name, track=args.track, only=args.only or (), refs=tuple(args.refs),
                         refs_as_systems=args.refs_as_systems)
    if args.demo == (args.folder is not None):
        raise SettingError("A task comes from --folder DIR or is the simulated one, --demo-task. Give one of them.")
    read = tuple((name, path) for _, name, path in (*source.scores, *source.run))
    check_out(args.out, Source(folder=args.folder, src=args.review, run=read))  # all that is read
    if args.folder is not None and not Path(args.folder).exists():
        source.read()  # which says what is wrong
    _tell_unread(source)
    whole = KeptTask(source)
    kept = whole.leaving_out(replay(history).exclusions if history else
                             read_exclusions(args.exclude, whole.info.systems, whole.info.pairs))
    if args.official is not None:
        return run_replicate_task(args, kept)
    metrics = None if args.metrics is None else list(dict.fromkeys(args.metrics))
    if args.primary is not None:
        metrics = list(dict.fromkeys([args.primary, *task_metrics(kept.info, metrics)]))
    settings = given(args, "task")
    with progress_line() as progress:
        found = kept.compare(metrics, progress=progress, **settings)
        if args.human is not None:
            asked = {name: settings[name] for name in (*AS_COMPARED, "jobs")}
            found = replace(found, agreement=kept_agreement(kept, args.human, progress=progress, **asked))
    if history:
        warn_of_review(history, whole, found, decisions=args.format != "text" or args.out is not None)
        command = review_command(kept.source, found.task.name, replay(history))
    else:
        command = task_command(kept.source, metrics=",".join(metrics or ()) or None, human=args.human,
                               **settings | {"jobs": None})
    write(task_document(args.format, found, kept.source, command, history), args.out)
    return 0
