"""`domains`: systems by domain."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import chosen_metrics, progress_line, read, told
from mtsig_core.cli.options import add_arguments, add_choice_of_systems, add_metric_options, add_output_options, given
from mtsig_core.cli.output import write
from mtsig_core.experiments.domains import by_domain
from mtsig_core.inference.settings import check_jobs
from mtsig_core.report.domains_report import DOMAIN_FORMS

__all__ = ["add_domain_options", "run_domains"]


def add_domain_options(sub: ArgumentParser) -> None:
    add_metric_options(sub)
    add_choice_of_systems(sub)
    add_arguments(sub.add_argument_group("test"), "domains", test="ar or bootstrap, drawn within domains")
    add_output_options(sub, tuple(DOMAIN_FORMS))


def run_domains(args: Namespace) -> int:
    check_jobs(args.jobs)
    testset = read(args)
    metrics = told(testset, chosen_metrics(args, testset, decides=True))
    with progress_line() as progress:
        found = [by_domain(testset, metric, progress=progress, **given(args, "domains")) for metric in metrics]
    write(DOMAIN_FORMS[args.format](found), args.out)
    return 0
