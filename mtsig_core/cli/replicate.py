"""`score --official FILE`: printed scores beside those that come out here."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import progress_line
from mtsig_core.cli.output import write
from mtsig_core.cli.source_options import source_from
from mtsig_core.data.readers.official_tables import read_official
from mtsig_core.data.testset import TestSet
from mtsig_core.inference.replicate import replicate
from mtsig_core.report.replication_report import REPLICATION_FORMS

__all__ = ["add_official_option", "run_replicate"]


def add_official_option(sub: ArgumentParser) -> None:
    sub.add_argument_group("a printed table").add_argument(
        "--official", metavar="FILE",
        help="scores printed elsewhere, to be set beside ours: system and a column for each metric, or system, metric, "
             "score; its metrics are taken, and settings that would give a number that does not come out are tried")


def run_replicate(args: Namespace, testset: TestSet) -> int:
    table = read_official(args.official)
    source = source_from(args)
    assert source is not None, "read already"
    whole = None if source.refs_as_systems else source.everything().read()
    with progress_line() as progress:
        found = replicate(testset, table, whole, lowercase=args.lowercase, progress=progress)
    write(REPLICATION_FORMS[args.format](found), args.out)
    return 0
