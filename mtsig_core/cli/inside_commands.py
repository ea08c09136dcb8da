"""Commands that look into a test set: `integrity`, `segments`, `pair`, `domains`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import check_out, chosen_metrics, progress_line, read, warn_about_words, write, write_file
from mtsig_core.cli.options import add_options, given, refuse_of_one_pair, source_from, task_source
from mtsig_core.errors import SettingError
from mtsig_core.experiments.dispute import examine_dispute, list_dispute_metrics
from mtsig_core.experiments.domains import by_domain
from mtsig_core.experiments.integrity import examine_integrity, examine_task
from mtsig_core.metrics import resolve_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.report import export
from mtsig_core.report.commands import command_line
from mtsig_core.report.dispute_card import card_html, card_json, card_text
from mtsig_core.report.experiment_reports import DOMAIN_FORMS, INTEGRITY_FORMS
from mtsig_core.stats.settings import check_jobs

#-----------------------------------------------------------------------------------------------------------------------
# `integrity` and `segments`.


def add_integrity(sub: ArgumentParser) -> None:
    add_options(sub, "integrity", tuple(INTEGRITY_FORMS))
    sub.set_defaults(command=run_integrity)


def run_integrity(args: Namespace) -> None:
    if args.metrics is not None and len(args.metrics) > 1:
        raise SettingError(f"integrity looks at the intervals of one metric, not of {len(args.metrics)}. Name one with "
                           "--metrics NAME.")
    if args.folder is not None and args.langpair is None:
        source_from(args, whole_task=True)  # which refuses what names another source
        refuse_of_one_pair(args, "run")
        source = task_source(args)
        check_out(args, source)
        write(INTEGRITY_FORMS[args.format](examine_task(source.read(), *args.metrics or ())), args.out)
        return
    testset = read(args)
    [metric] = chosen_metrics(args, testset) if args.metrics else [None]
    write(INTEGRITY_FORMS[args.format](examine_integrity(testset, metric)), args.out)


def add_segments(sub: ArgumentParser) -> None:
    add_options(sub, "segments", ("csv", "parquet"))
    sub.set_defaults(command=run_segments)


def run_segments(args: Namespace) -> None:
    if args.format == "parquet" and args.out is None:
        raise SettingError("--format parquet is binary. Give a file with --out FILE.")
    testset = read(args)
    metrics = chosen_metrics(args, testset)
    if len(metrics) != 1:
        raise SettingError(f"segments writes one metric at a time, not {len(metrics)}. Name one with --metrics NAME.")
    if not testset.systems:
        raise SettingError("No system to write statistics of. Give at least one with --system FILE.")
    warn_about_words(testset := testset.keep_scorable(metrics[0].name), metrics)
    header, rows = export.segment_rows(testset, metrics[0], cached_statistics(metrics[0], testset))
    if args.format == "parquet":
        import pandas as pd

        write_file(pd.DataFrame(rows, columns=header).to_parquet(index=False), args.out)
    else:
        write(export.to_csv(header, rows), args.out)


#-----------------------------------------------------------------------------------------------------------------------
# `pair`: everything about two systems, as a card to print.


def add_pair(sub: ArgumentParser) -> None:
    add_options(sub, "pair", ("text", "json", "html"), resamples="number of resamples for intervals",
                a="the first system (default: the best by the first metric)")
    sub.set_defaults(command=run_pair)


def run_pair(args: Namespace) -> None:
    testset = read(args)
    metrics = [resolve_metric(testset, name, lowercase=args.lowercase)
               for name in args.metrics or list_dispute_metrics(testset)]
    settings = given(args, "pair")
    with progress_line() as progress:
        found = examine_dispute(testset, metrics, progress=progress, **settings)
    if args.format == "html":
        source = source_from(args)
        assert source is not None, "it was read"
        flags = [f"--metrics={','.join(one.name for one in metrics)}", *["--lowercase"] * args.lowercase]
        named = {"a": found.a, "b": found.b, "jobs": None}
        text = card_html(found, command_line("pair", source, *flags, **settings | named))
    else:
        text = {"text": card_text, "json": card_json}[args.format](found)
    write(text, args.out)


#-----------------------------------------------------------------------------------------------------------------------
# `domains`: systems by domain.


def add_domains(sub: ArgumentParser) -> None:
    add_options(sub, "domains", tuple(DOMAIN_FORMS), test="ar or bootstrap, within domains")
    sub.set_defaults(command=run_domains)


def run_domains(args: Namespace) -> None:
    check_jobs(args.jobs)
    testset = read(args)
    metrics = chosen_metrics(args, testset, decides=True)
    warn_about_words(testset, metrics)
    with progress_line() as progress:
        found = [by_domain(testset, metric, progress=progress, **given(args, "domains")) for metric in metrics]
    write(DOMAIN_FORMS[args.format](found), args.out)
