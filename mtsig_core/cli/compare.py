"""`compare`, `score` and `segments`."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

from mtsig_core.cli.inputs import chosen_metrics, progress_line, read, told
from mtsig_core.cli.options import given
from mtsig_core.cli.output import write, write_file
from mtsig_core.errors import SettingError
from mtsig_core.inference.by_reference import references_alone
from mtsig_core.inference.scores import score
from mtsig_core.inference.significance import TESTS
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report import export, terminal
from mtsig_core.report.kept_comparisons import kept_comparison
from mtsig_core.results import Exclusion

__all__ = ["run_compare", "run_score", "run_segments"]


def run_compare(args: Namespace) -> int:
    if args.baseline in (args.exclude or ()):
        raise SettingError(f"--exclude leaves out {args.baseline}, which --baseline compares with. Give one of the "
                           "two, or another baseline.")
    testset = read(args)
    each = args.test in TESTS and bool(references_alone(testset, args.test, args.baseline))
    chosen = chosen_metrics(args, testset, decides=True)
    metrics = told(testset, chosen, each, warn=False)  # the result has the warnings
    with progress_line() as progress:
        result = kept_comparison(testset, metrics, **given(args, "compare"), progress=progress)
    result = replace(result, excluded=tuple(map(Exclusion, dict.fromkeys(args.exclude or ()))))
    write(result.render(args.format), args.out)
    return 0


def run_score(args: Namespace) -> int:
    testset = read(args)
    if args.official is not None:
        from mtsig_core.cli.replicate import run_replicate

        return run_replicate(args, testset)
    found = score(testset, told(testset, chosen_metrics(args, testset), warn=False))  # the result has the warnings
    terminal.warn(found.warnings)
    render = {"text": terminal.scores_text, "json": export.scores_json, "csv": export.scores_csv}
    write(render[args.format](found), args.out)
    return 0


def run_segments(args: Namespace) -> int:
    if args.format == "parquet" and args.out is None:
        raise SettingError("--format parquet is binary. Give a file with --out FILE.")
    testset = read(args)
    metrics = chosen_metrics(args, testset)
    if len(metrics) != 1:
        raise SettingError(f"segments writes one metric at a time, not {len(metrics)}. Name one with --metrics NAME.")
    if not testset.systems:
        raise SettingError("No system to write statistics of. Give at least one with --system FILE.")
    told(testset := testset.under(metrics[0].name), metrics)
    header, rows = export.segment_rows(testset, metrics[0], cached_statistics(metrics[0], testset))
    if args.format == "parquet":
        import pandas as pd

        write_file(pd.DataFrame(rows, columns=header).to_parquet(index=False), args.out)
    else:
        write(export.to_csv(header, rows), args.out)
    return 0
