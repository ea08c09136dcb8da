"""`task --review FILE`: who is left out, by which metric and settings, and what was decided, as a review has it."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Sequence

from mtsig_core.cli.options import given
from mtsig_core.data.review import Entry, replay
from mtsig_core.errors import SettingError
from mtsig_core.report.commands import defaults, option_name
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.report.review_reading import read_review
from mtsig_core.report.review_report import content_sentence, decision_cautions
from mtsig_core.report.terminal import printable
from mtsig_core.results.task import TaskComparison

__all__ = ["take_review", "warn_of_review"]


def take_review(args: Namespace) -> tuple[Entry, ...]:
    """The history of ``--review FILE``, empty without; track, metric and settings of the review are put into `args`.

    Raises
    ------
    SettingError
        For an option that says something else than the review.
    """
    if args.review is None:
        return ()
    history, usual = read_review(args.review), defaults("task")
    review = replay(history)
    says = {name: review.settings.get(name, usual[name]) for name in given(args, "task") if name != "jobs"}
    other = [name for name in ("pairs", "track", "only", "exclude", "metrics", "primary", "human", "refs",
                               "refs_as_systems")
             if getattr(args, name)]
    other += [option_name(name) for name, value in says.items()
              if getattr(args, option_name(name)) not in (usual[name], value)]
    if other:
        option = f"--{other[0].replace('_', '-')}"
        raise SettingError(f"{option} and --review FILE both say what to compare, and how. Leave {option} out, "
                           "or change it on the page Review.")
    args.track, args.metrics = review.track, [review.metric]
    args.refs, args.refs_as_systems = review.refs, review.refs_as_systems
    for name, value in says.items():
        setattr(args, option_name(name), value)
    return history


def warn_of_review(history: Sequence[Entry], whole: KeptTask, found: TaskComparison, *, decisions: bool) -> None:
    """Print to standard error where the task is not as it was reviewed, and decisions that the numbers do not bear out.

    `whole` is the task with nobody left out by the review; `decisions` says whether these are to be printed, as they
    are not where what is written to the screen has them.
    """
    review = replay(history)
    said = decision_cautions(review, found) if decisions else []
    if whole.info.digest != review.digest:
        digests = {pair: testset.digest for pair, testset in whole.task.testsets.items()}
        if (changed := content_sentence(review, whole.info, digests)) is not None:
            said.append(f"{changed} Files that the review took in beside the task's own (--scores, --run, "
                        "--systems-table) belong to its content: the page Review has the whole command.")
    print(*(f"Warning: {printable(one)}\n" for one in said), sep="", end="", file=sys.stderr)
