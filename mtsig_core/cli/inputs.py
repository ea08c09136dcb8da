"""What a command works on, and where it writes to."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from mtsig_core.cli.options import source_from
from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, find_tokenizer, resolve_metric
from mtsig_core.report.assumption_words import describe_gap, with_remedy
from mtsig_core.report.text import printable, warn
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.cautions import about_metrics
from mtsig_core.stats.parallel import Progress
from mtsig_core.testset import TestSet, find_gap, order_metrics, pick_human_scores

#-----------------------------------------------------------------------------------------------------------------------
# Where a command writes to: standard output, or a file that appears whole or not at all.


def check_out(args: Namespace, source: Source | TaskSource) -> None:
    """Fail before the work, not after it; and never write over what is read."""
    path: str | None = args.out
    if path is None:
        return
    others = [*source.list_joined_files()] if isinstance(source, TaskSource) else []
    others += [file for name in ("review", "official") if (file := getattr(args, name, None)) is not None]
    if os.path.exists(path) and any(os.path.exists(file) and os.path.samefile(path, file)
                                    for file in (*source.files(), *others)):
        raise SettingError(f"--out {path} is one of the files to read. Choose another name.")
    try:
        place, is_folder = Path(path).resolve(), Path(path).is_dir() or path.endswith(("/", os.sep))
        if place.is_symlink():  # until Python 3.12, resolve raises an error of links that lead to each other
            raise RuntimeError
    except (OSError, RuntimeError) as error:  # a name that is too long, links that lead to each other
        why = getattr(error, "strerror", None) or "its links lead nowhere"
        raise SettingError(f"--out {path} cannot be written: {why}. Choose another name.") from error
    if is_folder:
        raise SettingError(f"--out {path} is a folder. Expected a file name.")
    if not place.parent.is_dir():
        raise SettingError(f"--out {path}: there is no folder {place.parent}. Create it first.")


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
            raise SettingError(f"Standard output cannot be written: {error.strerror}.") from error
        return
    write_file(content.encode("utf-8", "backslashreplace"), path)


def write_file(content: bytes, path: str) -> None:
    """To a file that appears whole or not at all."""
    target, temporary = Path(path), None
    try:
        if (descriptor := _open_already(path)) is not None:
            sys.stdout.flush() if sys.stdout is not None else None
            with open(os.dup(descriptor), "wb") as stream:
                stream.write(content)
            return
        if target.exists() and not target.is_file():  # a device or a pipe, which may have no other name: /dev/stdout
            target.write_bytes(content)
            return
        target = target.resolve()  # where a link leads, so that the link stays
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".mtsig-", delete=False) as file:
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


def _open_already(path: str) -> int | None:
    """Which of the open files a name stands for, as ``/dev/stdout`` does and what a shell puts for ``>(...)``: where it
    is a log that grows, it must neither be replaced nor written over."""
    if found := re.fullmatch(r"/dev/(stdout|stderr|fd/([0-9]+))|/proc/self/fd/([0-9]+)", path):
        return {"stdout": 1, "stderr": 2}.get(found[1] or "") or int(found[2] or found[3])
    return None


class _Heard(FileIO):
    """Standard error: neither a full disk nor a reader who left ends the work or changes its exit status."""

    def write(self, said: Any, /) -> int:
        try:
            return super().write(said) or len(said)
        except OSError:
            return len(said)


def standard_error() -> TextIO:
    """Standard error, in lines; where it is closed, to nobody: what is said must not go to standard output."""
    if sys.stderr is None:
        return open(os.devnull, "w", encoding="utf-8")
    return TextIOWrapper(BufferedWriter(_Heard(2, "w", closefd=False)), sys.stderr.encoding, "backslashreplace",
                         line_buffering=True)


#-----------------------------------------------------------------------------------------------------------------------
# What a command works on, and what is said of it before it starts.


def read(args: Namespace) -> TestSet:
    source = source_from(args)
    if source is not None:
        check_out(args, source)
    if source is None:
        raise SettingError("No test set. Give --ref FILE and --system FILE, --folder DIR and --langpair xx-yy, or "
                           "--demo.")
    testset = source.read_all()
    if (gap := find_gap(testset)) is not None and gap.why == "canary":
        print(f"mtsig: {describe_gap(gap)} by the documents file, is excluded. --keep-canary keeps it.",
              file=sys.stderr)
    for one in testset.assumed:
        if one.kind.leaves_out:
            print(f"mtsig: {printable(with_remedy(one))}", file=sys.stderr)
    return source.select_part(testset)


def chosen_metrics(args: Namespace, testset: TestSet, decides: bool = False) -> list[Metric]:
    """The metrics that are asked for, by default BLEU, or all scores of a set without texts; human scores in place of
    BLEU, and before other scores, where the command `decides` between systems."""
    chosen = args.metrics
    if not chosen:
        chosen = ("bleu",) if testset.has_texts else tuple(testset.scores)
        if decides and (people := pick_human_scores(testset.scores)):
            chosen = tuple(people) if testset.has_texts else tuple(order_metrics(chosen))
            if testset.has_texts:
                print(f"mtsig: by {printable(', '.join(people))}, the human scores. Other metrics: --metrics "
                      "NAME,...", file=sys.stderr)
    return [resolve_metric(testset, name, lowercase=args.lowercase) for name in chosen]


def warn_about_words(testset: TestSet, metrics: list[Metric]) -> None:
    """Warn of metrics that cut words poorly, where the result has no warnings."""
    warn(about_metrics(testset, {metric.name: find_tokenizer(metric, testset) for metric in metrics}))


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """What shows (stage, share of it done) in one line of the terminal, cleared at the end; None without a terminal."""
    def show(stage: str, share: float) -> None:
        sys.stderr.write(f"\r\x1b[K{stage} {share:4.0%}")
        sys.stderr.flush()

    yield show if sys.stderr.isatty() else None
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
