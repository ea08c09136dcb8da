"""`score --official FILE`, `task --official FILE`: printed scores beside those that come out here."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import progress_line
from mtsig_core.cli.output import write
from mtsig_core.cli.source_options import source_from
from mtsig_core.data.readers.official_tables import read_official, read_official_task
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError
from mtsig_core.inference.replicate import replicate, replicate_task
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.report.replication_report import REPLICATION_FORMS

__all__ = ["add_official_option", "run_replicate", "run_replicate_task"]


def add_official_option(sub: ArgumentParser, of_task: bool = False) -> None:
    sub.add_argument_group("a printed table").add_argument(
        "--official", metavar="FILE",
        help="scores printed elsewhere, to be set beside ours: "
             f"{'language pair, ' * of_task}system and a column for each metric, or {'language pair, ' * of_task}"
             "system, metric, score; its metrics are taken, and settings that would give a number that does not come "
             "out are tried")


def run_replicate(args: Namespace, testset: TestSet) -> int:
    table = read_official(args.official, testset.langpair)
    source = source_from(args)
    assert source is not None, "read already"
    whole = None if source.refs_as_systems else source.everything().read()
    with progress_line() as progress:
        found = replicate(testset, table, whole, lowercase=args.lowercase, progress=progress)
    write(REPLICATION_FORMS[args.format](found), args.out)
    return 0


def run_replicate_task(args: Namespace, kept: KeptTask) -> int:
    if args.format not in REPLICATION_FORMS:
        raise SettingError(f"--format {args.format} is not for --official. Expected text, json or csv.")
    tables = read_official_task(args.official)
    with progress_line() as progress:
        found = replicate_task(kept.beside, kept.info.pairs, tables, progress=progress)
    write(REPLICATION_FORMS[args.format](found), args.out)
    return 0
