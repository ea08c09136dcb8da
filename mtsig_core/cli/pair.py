"""`pair`: everything about two systems, as a card to print."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mtsig_core.cli.inputs import progress_line, read, told
from mtsig_core.cli.options import add_arguments, add_choice_of_systems, add_metric_options, add_output_options, given
from mtsig_core.cli.output import write
from mtsig_core.cli.source_options import source_from
from mtsig_core.experiments.dispute import default_metrics, examine_dispute
from mtsig_core.metrics import metric_of
from mtsig_core.report.commands import command_line
from mtsig_core.report.dispute_card import card_json, card_text
from mtsig_core.report.dispute_html import card_html

__all__ = ["add_pair_options", "run_pair"]


def add_pair_options(sub: ArgumentParser) -> None:
    add_metric_options(sub)
    add_choice_of_systems(sub)
    add_arguments(sub.add_argument_group("test"), "pair", resamples="bootstrap samples of intervals",
                  a="the first system (default: the best by the first metric)")
    add_output_options(sub, ("text", "json", "html"))


def run_pair(args: Namespace) -> int:
    testset = read(args)
    chosen = default_metrics(testset) if args.metrics is None else args.metrics
    metrics = told(testset, [metric_of(testset, name, lowercase=args.lowercase) for name in dict.fromkeys(chosen)],
                   warn=False)  # the card has the warnings
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
    return 0
