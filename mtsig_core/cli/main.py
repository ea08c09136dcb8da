"""The command line: ``mtsig``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from typing import NoReturn, TypeAlias

from mtsig_core.cli import sweep, sweep_resamples
from mtsig_core.cli.agreement import add_agreement_options, run_agreement
from mtsig_core.cli.compare import run_compare, run_score, run_segments
from mtsig_core.cli.domains import add_domain_options, run_domains
from mtsig_core.cli.inputs import chosen_metrics, progress_line, read, told
from mtsig_core.cli.metrics import INSIDE, add_inside_options, inside
from mtsig_core.cli.options import add_choice_of_systems, add_metric_options, add_output_options, add_test_options
from mtsig_core.cli.output import write
from mtsig_core.cli.pair import add_pair_options, run_pair
from mtsig_core.cli.replicate import add_official_option
from mtsig_core.cli.sample import SAMPLES
from mtsig_core.cli.source_options import add_source_options, source_from
from mtsig_core.cli.task import add_task_options, run_task
from mtsig_core.cli.task_scores import add_pairs, refuse_of_one_pair, task_source
from mtsig_core.cli.validate import VALIDATIONS, add_validate_options, validate
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import MtsigError, SettingError
from mtsig_core.inference.one_score import Progress
from mtsig_core.inference.parallel import on_cluster
from mtsig_core.metrics import Metric
from mtsig_core.report import terminal
from mtsig_core.report.commands import remedy_options
from mtsig_core.version import __version__

#: What finds and writes the numbers of an experiment: (test set, metrics, options, progress) -> text.
Work = Callable[[TestSet, Sequence[Metric], argparse.Namespace, Progress | None], str]

EXAMPLES = """examples:
  mtsig compare --ref ref.txt --system a.txt --system b.txt --docs docs.txt --langpair en-de
  mtsig compare --folder wmt24 --langpair en-de --refs refA --format json --out result.json
  mtsig score --ref ref.txt --system Mine=outputs/v2.txt
  mtsig score --folder wmt24 --langpair en-de --refs refA --official paper.tsv
  mtsig compare --demo-segments 2000
  mtsig compare --scores human=ratings.tsv --test wilcoxon
  mtsig sweep resamples --demo --system-name Danish --format csv
  mtsig sample broad --demo --sample-size 300
  mtsig sample spread --folder wmt24 --langpair en-de --refs refA
  mtsig sweep size --demo --unit segment --difference 1
  mtsig validate type1 --demo --jobs -1
  mtsig validate units --folder wmt24 --langpair en-de --refs refA --metrics bleu,chrf
  mtsig metrics precisions --demo --format csv
  mtsig agreement --folder wmt24 --langpair en-zh --scores esa=esa.tsv --human esa
  mtsig domains --folder wmt24 --langpair en-de --metrics chrf
  mtsig pair --folder wmt24 --langpair en-de --a GPT-4 --b ONLINE-B --format html --out card.html
  mtsig task --folder wmt25 --metrics XCOMET-XL --track constrained
  mtsig serve --folder wmt24 --langpair en-de
"""


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        raise SettingError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


#: What commands are added to: the top, or below a group such as ``sweep``.
Commands: TypeAlias = "argparse._SubParsersAction[_Parser]"


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 for an error that the user can mend."""
    if sys.stderr is None:  # closed: what is said to nobody must not go to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        parser = _parser()
        args, unknown = parser.parse_known_args(argv)
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        with on_cluster(getattr(args, "dask", None)):
            status: int = args.run(args)
        return status
    except MtsigError as error:
        options = remedy_options(error.remedies)
        said = f"{error} Options: {options}." if options else str(error)
        print(f"mtsig: {terminal.printable_lines(said)}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        print(f"mtsig: not enough memory ({error}). Use fewer --trials or --resamples, or fewer systems.",
              file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mtsig: interrupted", file=sys.stderr)
        return 130


def _parser() -> _Parser:
    parser = _Parser(
        prog="mtsig", description="Is one machine translation system really better than another?",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"mtsig {__version__}")
    top = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str, among: Commands = top) -> _Parser:
        sub = among.add_parser(name, help=text, description=text)
        add_source_options(sub)
        sub.set_defaults(run=run)
        return sub

    sub = command("compare", run_compare, "scores, intervals, all pairs tested and corrected, ranks, warnings")
    add_metric_options(sub)
    add_choice_of_systems(sub)
    add_test_options(sub)
    add_output_options(sub, ("text", "json", "csv", "latex", "html", "matrix"))

    sub = command("score", run_score, "scores and signatures only")
    add_metric_options(sub)
    add_official_option(sub)
    add_choice_of_systems(sub)
    add_output_options(sub, ("text", "json", "csv"))

    sub = command("segments", run_segments, "sufficient statistics of each segment")
    add_metric_options(sub)
    add_choice_of_systems(sub)
    add_output_options(sub, ("csv", "parquet"))

    add_pair_options(command("pair", run_pair, "everything about two systems, as a card to print"))

    add_agreement_options(command("agreement", run_agreement, "which metric to trust: which decides as people do"))

    add_domain_options(command("domains", run_domains, "scores and tests by domain, and pairs that domains reverse"))

    text = "every language pair of a shared task, and the systems across them"
    sub = top.add_parser("task", help=text, description=text)
    add_task_options(sub)
    sub.set_defaults(run=run_task)

    sub = command("serve", _serve, "start the dashboard, on that test set")
    add_pairs(sub.add_argument)
    sub.add_argument("--port", type=int, default=8501)
    sub.add_argument("--address", help="where to listen (default: localhost, this machine alone)")
    sub.add_argument("--workers", type=int, default=1, metavar="N", help="processes, behind a proxy (needs Caddy)")
    sub.add_argument("--no-browser", action="store_true", help="do not open a browser")

    def experiment(name: str, work: Work, text: str, among: Commands,
                   add_options: Callable[[argparse.ArgumentParser], None]) -> _Parser:
        sub = command(name, _experiment(work), text, among)
        add_metric_options(sub)
        add_choice_of_systems(sub)
        add_options(sub)
        add_output_options(sub, ("json", "csv"))
        return sub

    sweeps = top.add_parser("sweep", help="how a result changes with one setting").add_subparsers(
        title="settings", required=True, metavar="size|references|resamples")
    experiment("size", sweep.sweep_size, "how scores, intervals and conclusions change with the test-set size",
               sweeps, sweep.add_size_options)
    experiment("references", sweep.sweep_references,
               "how scores and intervals change with the number of references", sweeps,
               sweep.add_references_options)
    experiment("resamples", sweep_resamples.sweep_resamples,
               "how an interval settles with the number of bootstrap samples", sweeps,
               sweep_resamples.add_resamples_options)

    samples = top.add_parser("sample", help="small test sets taken from a large one").add_subparsers(
        title="kinds", required=True, metavar="|".join(SAMPLES))
    for kind, (text, work, add_options) in SAMPLES.items():
        experiment(kind, work, text, samples, add_options).set_defaults(kind=kind)

    for group, text, title, choices, add_named, named_work in (
            ("validate", "do tests and intervals keep what they promise", "experiments", VALIDATIONS,
             add_validate_options, validate),
            ("metrics", "inside a score", "views", INSIDE, add_inside_options, inside)):
        below = top.add_parser(group, help=text).add_subparsers(title=title, required=True, metavar="|".join(choices))
        for name, (about, *_) in choices.items():
            experiment(name, partial(named_work, name), about, below, partial(add_named, name=name))
    return parser


def _experiment(work: Work) -> Callable[[argparse.Namespace], int]:
    """A command that prints what `work` finds."""
    def run(args: argparse.Namespace) -> int:
        testset = read(args)
        metrics = told(testset, chosen_metrics(args, testset))
        testset = testset.under(*(metric.name for metric in metrics))
        with progress_line() as progress:
            text = work(testset, metrics, args, progress)
        write(text, args.out)
        return 0

    return run


def _serve(args: argparse.Namespace) -> int:
    from mtsig_core.cli.serve import serve

    source, task = source_from(args, whole_task=True), None
    if args.folder is not None and args.langpair is None:
        refuse_of_one_pair(args)
        task = task_source(args)
    elif args.pairs:
        raise SettingError("--pairs goes with --folder DIR without --langpair, a whole task. Leave it out.")
    return serve(source, task, port=args.port, open_browser=not args.no_browser, address=args.address,
                 workers=args.workers)
