"""Read the input of a command, and write its output."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from mtsig_core._compiled import announce_compiling
from mtsig_core.cli.options import refuse_of_one_pair, source_from, task_source
from mtsig_core.cli.scorers import run_scorers
from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, find_tokenizer, resolve_metric
from mtsig_core.progress import Progress
from mtsig_core.report.caution_words import describe_gap, with_remedy
from mtsig_core.report.document import Report
from mtsig_core.report.holdings import find_gap
from mtsig_core.report.reports import render_report
from mtsig_core.report.text import print_note, terminal_width, warn
from mtsig_core.score_names import drop_as_given, order_metrics, pick_human_scores
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.cautions import about_metrics
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.stats.ranks import RANK_RULES, RankRule
from mtsig_core.testset import TestSet

# -------------------------------------------------------------------------------------------------
# Output: standard output, or a file that appears whole or not at all.


def check_out(args: Namespace, source: Source | TaskSource) -> None:
    """Fail before the computation, not after it, if --out cannot be written or is an input file."""
    path: str | None = args.out
    if path is None:
        return
    files: list[Any] = list(source.files())
    if isinstance(source, TaskSource):
        files += source.list_joined_files()
    files += getattr(args, "published", [])
    files += filter(None, [getattr(args, name, None) for name in ("official", "against")])
    if os.path.exists(path):
        for file in files:
            if os.path.exists(file) and os.path.samefile(path, file):
                raise SettingError(
                    f"--out {path} is one of the files to read. Choose another name."
                )
    if os.path.isdir(path) or path.endswith(("/", os.sep)):
        raise SettingError(f"--out {path} is a folder. Expected a file name.")
    folder = os.path.dirname(os.path.realpath(path))
    if not os.path.isdir(folder):
        raise SettingError(f"--out {path}: there is no folder {folder}. Create it first.")


def write(content: str, path: str | None) -> None:
    """Write to standard output, or to a file that appears whole or not at all."""
    if path is not None:
        write_file(content.encode("utf-8", "backslashreplace"), path)
        return
    if sys.stdout is None:
        raise SettingError("Standard output is closed. Write to a file with --out FILE.")
    try:
        sys.stdout.write(content)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise SettingError(f"Standard output cannot be written: {error.strerror}.") from error


def write_report(args: Namespace, report: Report) -> None:
    """Write a report in the format and to the file that the options name."""
    width = terminal_width() if args.out is None else None
    write(render_report(report, args.format, width), args.out)


def drop_output() -> None:
    """Discard the rest of standard output, because Python would write it again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(content: bytes, path: str) -> None:
    """Write to a file that appears whole or not at all."""
    is_device = os.path.exists(path) and not os.path.isfile(path)
    temporary: str | None = None
    try:
        if is_device or path.startswith(("/dev/", "/proc/")):
            with open(path, "ab") as stream:
                stream.write(content)
            return
        target = os.path.realpath(path)  # where a link leads, so that the link stays
        folder = os.path.dirname(target)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".mtsig-", delete=False) as file:
            temporary = file.name
            file.write(content)
        _open_as(target, temporary)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise SettingError(f"--out {path} cannot be written: {error.strerror}.") from error


def _open_as(target: str, path: str) -> None:
    """Let those read a new file who may read the one that it replaces; without one, by the umask."""
    if os.path.exists(target):
        state = os.stat(target)
        mode = state.st_mode & 0o777
        try:
            os.chown(path, state.st_uid, state.st_gid)
        except (OSError, AttributeError):  # not our group, or a system without groups
            mode &= 0o707
    else:
        umask = os.umask(0)
        os.umask(umask)
        mode = 0o666 & ~umask
    os.chmod(path, mode)


# -------------------------------------------------------------------------------------------------
# Input: the test set and the metrics, and notes on them before the command starts.


def read(args: Namespace) -> TestSet:
    """Read the test set that the options name, and print what was left out of it."""
    source = source_from(args)
    if source is None:
        raise SettingError(
            "No test set. Give --ref FILE and --system FILE, --folder DIR and --langpair xx-yy, or "
            "--demo."
        )
    check_out(args, source)
    testset = source.read_all()
    rule = find_rule_of_ratings(args)
    if rule is not None and counts_each_rating(rule, [testset]):
        args.raters = "segments"
        return read(args)
    selected = run_scorers(args, source.select_part(testset))
    gap = find_gap(testset)
    if gap is not None and gap.why == "canary":
        print_note(
            f"{describe_gap(gap)} by the documents file, is excluded. --keep-canary keeps it."
        )
    for assumption in selected.assumed:
        if assumption.kind.leaves_out:
            print_note(with_remedy(assumption))
    return selected


def find_rule_of_ratings(args: Namespace) -> RankRule | None:
    """The rank rule, if it takes each rating as a segment and nobody chose what ratings count as."""
    rule = RANK_RULES.get(getattr(args, "rank_rule", ""))
    if rule is None or not rule.each_rating or args.raters is not None:
        return None
    return rule


def counts_each_rating(rule: RankRule, testsets: Iterable[TestSet]) -> bool:
    """Whether the ratings are to be segments, because the rule takes them so; if so, say it.

    Texts have segments of their own. Without documents, the tests of pairs would take two ratings
    of a segment as independent. In both cases the mean counts, with a caution.
    """
    n_most = 1.0
    for testset in testsets:
        if testset.has_texts or testset.documents is None:
            return False
        for assumption in testset.assumed:
            if assumption.code == "ratings":
                n_most = max(n_most, assumption.facts["per_segment"])
    if n_most == 1:
        return False
    print_note(
        f"Ranked {rule.title}, each rating is a segment of its own. --raters mean takes the mean of "
        "each segment."
    )
    return True


def find_whole_task(args: Namespace, **fields_of_task: Any) -> TaskSource:
    """The task that the options of a test set name without a language pair."""
    source_from(args, whole_task=True)  # refuses options that name another source
    refuse_of_one_pair(args, "run")
    source = task_source(args, **fields_of_task)
    check_out(args, source)
    return source


def keep_task(args: Namespace, source: TaskSource) -> KeptTask:
    """The task that is read where something of it is not kept, with the scores of commands."""
    if not args.scorer:
        return KeptTask(source)
    task = replace(source, exclude=()).read()
    scored = task.map_testsets(lambda _, testset: run_scorers(args, testset))
    first, *_ = scored.testsets.values()
    added = [note for note in first.assumed if note.facts.get("metric") in dict(args.scorer)]
    return KeptTask(source, task=replace(scored, assumed=(*task.assumed, *added)))


def choose_metrics(args: Namespace, testset: TestSet, decides: bool = False) -> list[Metric]:
    """The metrics that are asked for, or the default ones.

    The default is BLEU, or all scores of a set without texts. If the command `decides` between
    systems, human scores replace BLEU and come before other scores.
    """
    names = args.metrics
    if not names:
        scores = drop_as_given(testset.scores) if decides else list(testset.scores)
        human_scores = pick_human_scores(scores) if decides else []
        if not testset.has_texts:
            names = order_metrics(scores) if human_scores else scores
        elif human_scores:
            names = human_scores
            print_note(
                f"by {', '.join(names)}, the human scores. Other metrics: --metrics NAME,..."
            )
        else:
            names = ("bleu",)
        names = list(dict.fromkeys((*names, *dict(args.scorer))))
    return resolve_named(args, testset, names)


def resolve_named(args: Namespace, testset: TestSet, names: Iterable[str]) -> list[Metric]:
    """The metrics of these names; those without a choice of case need not know of `--lowercase`."""
    settings = {"lowercase": True} if args.lowercase else {}
    return [resolve_metric(testset, name, **settings) for name in names]


def warn_about_words(testset: TestSet, metrics: list[Metric]) -> None:
    """Warn of metrics that cut words poorly, where the result has no warnings."""
    tokenizers = {metric.name: find_tokenizer(metric, testset) for metric in metrics}
    warn(about_metrics(testset, tokenizers))


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """Give a function that shows (stage, share of it done) in one line, cleared at the end.

    None without a terminal.
    """

    def show_line(text: str) -> None:
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()

    if not sys.stderr.isatty():
        yield None
        return
    with announce_compiling(show_line):
        yield lambda stage, share: show_line(f"{stage} {share:4.0%}")
    show_line("")
