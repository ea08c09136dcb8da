"""`agreement`: how far metrics decide as people do."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import progress_line, read, told
from mtsig_core.cli.options import add_arguments, add_choice_of_systems, add_output_options, given
from mtsig_core.cli.output import check_out, write
from mtsig_core.cli.source_options import AddUp, names, source_from
from mtsig_core.cli.task_scores import add_pairs, refuse_of_one_pair, task_source
from mtsig_core.data.source import Source
from mtsig_core.data.task_exclusions import TaskExclusion
from mtsig_core.errors import SettingError
from mtsig_core.experiments.metric_agreement import agreement, default_metrics
from mtsig_core.inference.cautions import about_ratings
from mtsig_core.inference.settings import check_jobs
from mtsig_core.metrics import metric_of
from mtsig_core.report.agreement_report import AGREEMENT_FORMS
from mtsig_core.report.kept_agreement import kept_agreement
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.report.task_agreement_report import TASK_AGREEMENT_FORMS
from mtsig_core.report.terminal import warn

__all__ = ["add_agreement_options", "run_agreement"]


def add_agreement_options(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("metrics")
    group.add_argument("--human", required=True, metavar="NAME",
                       help="the scores that people gave, one of --scores or of the folder")
    group.add_argument("--metrics", type=names, action=AddUp, metavar="NAME,...",
                       help="default: all other --scores and, with texts, bleu, chrf and ter")
    group.add_argument("--lowercase", action="store_true")
    group = sub.add_argument_group("a whole task", "each language pair and their mean: --folder without --langpair, or "
                                                   "--demo-task with --all-pairs")
    group.add_argument("--all-pairs", action="store_true", help="all language pairs of the task")
    add_pairs(group.add_argument)
    add_choice_of_systems(sub)
    add_arguments(sub.add_argument_group("test"), "agreement",
                  trials="swaps behind each p of two systems, permutations behind that of two metrics")
    add_output_options(sub, tuple(AGREEMENT_FORMS))


def run_agreement(args: Namespace) -> int:
    check_jobs(args.jobs)
    if args.all_pairs or args.pairs or args.folder is not None and args.langpair is None:
        return _run_task(args)
    testset = read(args)
    chosen = default_metrics(testset, args.human) if args.metrics is None else args.metrics
    metrics = [metric_of(testset, name, lowercase=args.lowercase) for name in chosen]
    told(testset, metrics, warn=False)  # the result has what is to be said of texts
    warn(caution for metric in metrics for caution in about_ratings(testset, metric.name))
    with progress_line() as progress:
        found = agreement(testset, args.human, metrics, progress=progress, **given(args, "agreement"))
    write(AGREEMENT_FORMS[args.format](found), args.out)
    return 0


def _run_task(args: Namespace) -> int:
    """All language pairs of a task."""
    if args.folder is None and not args.demo_task:
        raise SettingError("Several language pairs come from --folder DIR or --demo-task. Give one of them.")
    source_from(args, whole_task=True)  # which refuses what names another source
    refuse_of_one_pair(args, run=args.runs)
    source = task_source(args, only=args.only or (), exclude=tuple(map(TaskExclusion, args.exclude or ())),
                         refs=tuple(args.refs), refs_as_systems=args.refs_as_systems)
    check_out(args.out, Source(folder=args.folder))
    kept = KeptTask(source)
    with progress_line() as progress:
        found = kept_agreement(kept, args.human, args.metrics, progress=progress, **given(args, "agreement"))
    write(TASK_AGREEMENT_FORMS[args.format](found), args.out)
    return 0
