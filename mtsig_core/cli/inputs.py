"""What a command works on, and where it writes to."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mtsig_core.cli.options import source_from
from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, find_tokenizer, resolve_metric
from mtsig_core.report.caution_words import describe_gap, with_remedy
from mtsig_core.report.text import printable, warn
from mtsig_core.score_names import order_metrics, pick_human_scores
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.cautions import about_metrics
from mtsig_core.stats.parallel import Progress
from mtsig_core.testset import TestSet, find_gap

# -------------------------------------------------------------------------------------------------
# Where a command writes to: standard output, or a file that appears whole or not at all.


def check_out(args: Namespace, source: Source | TaskSource) -> None:
    """Fail before the work, not after it; and never write over what is read."""
    path: str | None = args.out
    if path is None:
        return
    others = [*source.list_joined_files()] if isinstance(source, TaskSource) else []
    official = getattr(args, "official", None)
    if official is not None:
        others.append(official)
    if os.path.exists(path) and any(
        os.path.exists(file) and os.path.samefile(path, file) for file in (*source.files(), *others)
    ):
        raise SettingError(f"--out {path} is one of the files to read. Choose another name.")
    if os.path.isdir(path) or path.endswith(("/", os.sep)):
        raise SettingError(f"--out {path} is a folder. Expected a file name.")
    if not os.path.isdir(folder := os.path.dirname(os.path.realpath(path))):
        raise SettingError(f"--out {path}: there is no folder {folder}. Create it first.")


def write(content: str, path: str | None) -> None:
    """To standard output, or to a file that appears whole or not at all."""
    if path is None:
        if sys.stdout is None:
            raise SettingError("Standard output is closed. Write to a file with --out FILE.")
        try:
            sys.stdout.write(content)
            sys.stdout.flush()
        except OSError as error:
            if isinstance(error, BrokenPipeError):
                raise
            drop_output()
            raise SettingError(f"Standard output cannot be written: {error.strerror}.") from error
        return
    write_file(content.encode("utf-8", "backslashreplace"), path)


def drop_output() -> None:
    """Let what standard output still holds go nowhere: Python writes it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_file(content: bytes, path: str) -> None:
    """To a file that appears whole or not at all."""
    target, temporary = os.path.realpath(path), None  # where a link leads, so that the link stays
    try:
        if (
            path.startswith(("/dev/", "/proc/"))
            or os.path.exists(path)
            and not os.path.isfile(path)
        ):
            with open(path, "ab") as stream:  # a device or a pipe
                stream.write(content)
            return
        with tempfile.NamedTemporaryFile(
            dir=os.path.dirname(target), prefix=".mtsig-", delete=False
        ) as file:
            temporary = file.name
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise SettingError(f"--out {path} cannot be written: {error.strerror}.") from error


# -------------------------------------------------------------------------------------------------
# What a command works on, and what is said of it before it starts.


def read(args: Namespace) -> TestSet:
    source = source_from(args)
    if source is not None:
        check_out(args, source)
    if source is None:
        raise SettingError(
            "No test set. Give --ref FILE and --system FILE, --folder DIR and --langpair xx-yy, or "
            "--demo."
        )
    testset = source.read_all()
    if (gap := find_gap(testset)) is not None and gap.why == "canary":
        print(
            f"mtsig: {describe_gap(gap)} by the documents file, is excluded. --keep-canary keeps it.",
            file=sys.stderr,
        )
    for one in testset.assumed:
        if one.kind.leaves_out:
            print(f"mtsig: {printable(with_remedy(one))}", file=sys.stderr)
    return source.select_part(testset)


def chosen_metrics(args: Namespace, testset: TestSet, decides: bool = False) -> list[Metric]:
    """The metrics that are asked for, by default BLEU, or all scores of a set without texts; human
    scores in place of BLEU, and before other scores, where the command `decides` between
    systems.
    """
    chosen = args.metrics
    if not chosen:
        chosen = ("bleu",) if testset.has_texts else tuple(testset.scores)
        if decides and (people := pick_human_scores(testset.scores)):
            chosen = tuple(people) if testset.has_texts else tuple(order_metrics(chosen))
            if testset.has_texts:
                print(
                    f"mtsig: by {printable(', '.join(people))}, the human scores. Other metrics: --metrics "
                    "NAME,...",
                    file=sys.stderr,
                )
    return [resolve_metric(testset, name, lowercase=args.lowercase) for name in chosen]


def warn_about_words(testset: TestSet, metrics: list[Metric]) -> None:
    """Warn of metrics that cut words poorly, where the result has no warnings."""
    warn(
        about_metrics(testset, {metric.name: find_tokenizer(metric, testset) for metric in metrics})
    )


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """What shows (stage, share of it done) in one line of the terminal, cleared at the end; None
    without a terminal.
    """

    def show(stage: str, share: float) -> None:
        sys.stderr.write(f"\r\x1b[K{stage} {share:4.0%}")
        sys.stderr.flush()

    yield show if sys.stderr.isatty() else None
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
