"""What a command works on, and what is said of it before it starts."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager

from mtsig_core.cli.output import check_out
from mtsig_core.cli.source_options import source_from
from mtsig_core.data.score_directions import by_precedence, human_scores, with_remedy
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.cautions import about_metrics
from mtsig_core.inference.inventory import CANARY, left_out
from mtsig_core.inference.one_score import Progress
from mtsig_core.metrics import Metric, metric_of, tokenizer_of
from mtsig_core.metrics.counting_time import long_wait
from mtsig_core.report import terminal

__all__ = ["chosen_metrics", "progress_line", "read", "told"]


def read(args: Namespace) -> TestSet:
    source = source_from(args)
    if source is not None:
        check_out(args.out, source)
    if source is None:
        raise SettingError("No test set. Give --ref FILE and --system FILE, --folder DIR and --langpair xx-yy, or "
                           "--demo.")
    testset = source.read_all()
    if testset.has_texts and (lines := left_out(testset)) and lines[0].endswith(CANARY):
        print(f"mtsig: {lines[0]} by the documents file, is left out; --keep-canary keeps it.", file=sys.stderr)
    for said in testset.assumed:
        if said.startswith("Left out"):
            kept = " --keep-withdrawn keeps them." if said.endswith("is withdrawn.") else ""
            print(f"mtsig: {terminal.printable(with_remedy(said))}{kept}", file=sys.stderr)
    return source.part_of(testset)


def chosen_metrics(args: Namespace, testset: TestSet, decides: bool = False) -> list[Metric]:
    """The metrics that are asked for, by default BLEU, or all scores of a set without texts; human scores in place of
    BLEU, and before other scores, where the command `decides` between systems."""
    chosen = args.metrics
    if chosen is None:
        chosen = ("bleu",) if testset.has_texts else tuple(testset.scores)
        if decides and (people := human_scores(testset.scores)):
            chosen = tuple(people) if testset.has_texts else tuple(by_precedence(chosen))
            if testset.has_texts:
                print(f"mtsig: by {terminal.printable(', '.join(people))}, the human scores. Other metrics: --metrics "
                      "NAME,...", file=sys.stderr)
    return [metric_of(testset, name, lowercase=args.lowercase) for name in dict.fromkeys(chosen)]


def told(testset: TestSet, metrics: list[Metric], each_reference: bool = False, warn: bool = True) -> list[Metric]:
    """The metrics, once it is said how long they take, should that be long, and whether they cut words poorly."""
    if (text := long_wait(metrics, testset, each_reference)) is not None:
        print(f"mtsig: {terminal.printable(text)}", file=sys.stderr, flush=True)
    if warn:
        terminal.warn(about_metrics(testset, {metric.name: tokenizer_of(metric, testset) for metric in metrics}))
    return metrics


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """What shows (stage, share of it done) in one line of the terminal, cleared at the end; None without a terminal."""
    def show(stage: str, share: float) -> None:
        sys.stderr.write(f"\r\x1b[K{stage} {share:4.0%}")
        sys.stderr.flush()

    yield show if sys.stderr.isatty() else None
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
