"""`compare`, `score` and `segments`."""

from __future__ import annotations

from dataclasses import replace

from mtsig_core.cli.inputs import chosen_metrics, progress_line, read, told
from mtsig_core.cli.output import write
from mtsig_core.errors import SettingError
from mtsig_core.inference.by_reference import references_alone
from mtsig_core.inference.cautions import about_texts
from mtsig_core.inference.comparison import compare
from mtsig_core.inference.measured import measure
from mtsig_core.inference.significance import TESTS
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report import export, html_report, latex, terminal
from mtsig_core.results import Exclusion

__all__ = ["run_compare", "run_score", "run_segments"]


def run_compare(args) -> int:
    testset = read(args)
    each = args.test in TESTS and bool(references_alone(testset, args.test, args.baseline))
    metrics = told(testset, chosen_metrics(args, testset), each, warn=False)  # the result has the warnings
    with progress_line() as progress:
        result = compare(
            testset, metrics, test=args.test, unit=args.unit, block_length=args.block_length, trials=args.trials,
            alpha=args.alpha, correction=args.correction, ci=args.ci, resamples=args.resamples, seed=args.seed,
            baseline=args.baseline, jobs=args.jobs, progress=progress)
    result = replace(result, excluded=tuple(map(Exclusion, dict.fromkeys(args.exclude or ()))))
    render = {"text": terminal.comparison_text, "json": export.comparison_json, "csv": export.comparison_csv,
              "latex": latex.comparison_latex, "html": html_report.comparison_html, "matrix": export.matrix_csv}
    write(render[args.format](result), args.out)
    return 0


def run_score(args) -> int:
    testset = read(args)
    if not testset.systems:
        raise SettingError("No system to score. Give at least one with --system FILE.")
    scores = {}
    for metric in told(testset, chosen_metrics(args, testset)):
        seen = measure(testset.under(metric.name), metric)
        scores[metric.name] = metric.signature(testset), dict(zip(seen.names, seen.scores.tolist(), strict=True))
    terminal.warn(about_texts(testset))
    render = {"text": terminal.scores_text, "json": export.scores_json, "csv": export.scores_csv}
    write(render[args.format](scores), args.out)
    return 0


def run_segments(args) -> int:
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

        write(pd.DataFrame(rows, columns=header).to_parquet(index=False), args.out)
    else:
        write(export.to_csv(header, rows), args.out)
    return 0
