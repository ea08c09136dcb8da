"""The command line: ``mtsig``."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from typing import Any, NoReturn

from mtsig_core.cli.inputs import chosen_metrics, progress_line, read, standard_error, warn_about_words, write
from mtsig_core.cli.late import load_when_used
from mtsig_core.cli.options import (
    add_choice_of_systems,
    add_metric_options,
    add_output_options,
    add_source_options,
    add_test_options,
    source_from,
)
from mtsig_core.errors import MtsigError, SettingError, explain_unknown, suggest_name
from mtsig_core.metrics import Metric
from mtsig_core.readers.limits import explain_unreadable
from mtsig_core.report.commands import remedy_options
from mtsig_core.report.text import printable_lines
from mtsig_core.stats.parallel import Progress, on_cluster
from mtsig_core.testset import TestSet, show_name
from mtsig_core.version import __version__

#: What scipy asks for with all of numpy's names: a tenth of a command's time.
UNUSED = "numpy.f2py", "numpy.testing"
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
    """Errors in one line, without the usage. Options are added once it is asked: so it imports what is called alone."""

    add_options: Callable[[_Parser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.add_options is not None:
            add_options, self.add_options = self.add_options, None
            add_options(self)
        for arg in args or ():  # which argparse would take for an empty list
            if re.fullmatch("--[a-z-]+=--", arg):
                self.error(f"argument {arg.removesuffix('=--')}: -- is no value of it")
        found = super().parse_known_args(args, namespace)
        if found[1]:
            near = (suggest_name(arg.partition("=")[0], self._option_string_actions) for arg in found[1]
                    if arg.startswith("--"))
            self.error(f"unrecognized arguments: {' '.join(found[1])}", next(filter(None, near), ""))
        for action in self._actions:
            value = getattr(found[0], action.dest, None)
            if action.option_strings and "" in (value, *(value if isinstance(value, list) else ())):
                # as of a variable of the shell that is not set
                self.error(f"argument {action.option_strings[-1]} is empty: leave it out, or give it a value")
            if action.metavar == "NAME" and value is not None:  # as test sets have it
                setattr(found[0], action.dest, show_name(value) if isinstance(value,
                                                                              str) else list(map(show_name, value)))
        return found

    def _print_message(self, message: str, file: Any = None) -> None:
        write(message, None)  # help and version, which have to be heard as results have

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "/".join(action.option_strings) or "command"
            self.error(str(explain_unknown(what, value, map(str, action.choices))).removesuffix("."))

    def error(self, message: str, hint: str = "") -> NoReturn:
        raise SettingError(f"{message[:1].upper()}{message[1:]}.{hint} See {self.prog} --help.")


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 for an error that the user can mend."""
    if argv is None:
        gc.freeze()  # this process is for the command alone: what it has loaded stays, and need not be looked through
    if argv is None or sys.stderr is None:
        sys.stderr = standard_error()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a name that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        parser = _parser()
        if not (sys.argv[1:] if argv is None else argv):
            parser.print_help()
            return 0
        args, _ = parser.parse_known_args(argv)
        if argv is None and args.run is not _serve:  # which has threads
            load_when_used(*UNUSED)
        with on_cluster(getattr(args, "dask", None)):
            status: int = args.run(args)
        return status
    except MtsigError as error:
        options = remedy_options(error.remedies)
        said = f"{error} Options: {options}." if options else str(error)
        print(f"mtsig: {printable_lines(said)}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # what no reader asked about: a folder above that is closed, a working folder that is gone
        print(f"mtsig: {printable_lines(explain_unreadable(error))}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(f"mtsig: not enough memory ({error}). Use fewer --trials or --resamples, or fewer systems.",
              file=sys.stderr)
        return 2
    finally:
        if argv is None:
            gc.freeze()  # it ends: what is left need not be looked through either


def _parser() -> _Parser:
    parser = _Parser(
        prog="mtsig", description="Is one machine translation system really better than another?",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"mtsig {__version__}")
    top = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (add_options, text) in COMMANDS.items():
        top.add_parser(name, help=text, description=text).add_options = add_options
    return parser


def _command(sub: _Parser, run: Callable[[argparse.Namespace], int]) -> _Parser:
    add_source_options(sub)
    sub.set_defaults(run=run)
    return sub


def _compare(sub: _Parser) -> None:
    from mtsig_core.cli.compare_commands import run_compare

    add_metric_options(_command(sub, run_compare))
    add_choice_of_systems(sub)
    add_test_options(sub)
    add_output_options(sub, ("text", "json", "csv", "latex", "html", "matrix"))


def _score(sub: _Parser) -> None:
    from mtsig_core.cli.compare_commands import add_official_option, run_score

    add_metric_options(_command(sub, run_score))
    add_official_option(sub)
    add_choice_of_systems(sub)
    add_output_options(sub, ("text", "json", "csv"))


def _segments(sub: _Parser) -> None:
    from mtsig_core.cli.compare_commands import run_segments

    add_metric_options(_command(sub, run_segments))
    add_choice_of_systems(sub)
    add_output_options(sub, ("csv", "parquet"))


def _pair(sub: _Parser) -> None:
    from mtsig_core.cli.compare_commands import add_pair_options, run_pair

    add_pair_options(_command(sub, run_pair))


def _agreement(sub: _Parser) -> None:
    from mtsig_core.cli.task_commands import add_agreement_options, run_agreement

    add_agreement_options(_command(sub, run_agreement))


def _domains(sub: _Parser) -> None:
    from mtsig_core.cli.compare_commands import add_domain_options, run_domains

    add_domain_options(_command(sub, run_domains))


def _task(sub: _Parser) -> None:
    from mtsig_core.cli.task_commands import add_task_options, run_task

    add_task_options(sub)
    sub.set_defaults(run=run_task)


def _dashboard(sub: _Parser) -> None:
    from mtsig_core.cli.options import add_pairs

    add_pairs(_command(sub, _serve).add_argument)
    sub.add_argument("--port", type=int, default=8501)
    sub.add_argument("--address", help="where to listen (default: localhost, this machine alone)")
    sub.add_argument("--workers", type=int, default=1, metavar="N", help="processes, behind a proxy (needs Caddy)")
    sub.add_argument("--no-browser", action="store_true", help="do not open a browser")


def _experiments(group: str, title: str) -> Callable[[_Parser], None]:
    """What adds the commands of one group of experiments below its name."""
    def add(parser: _Parser) -> None:
        from mtsig_core.cli import experiment_commands

        commands = experiment_commands.COMMANDS[group][1]
        below = parser.add_subparsers(title=title, required=True, metavar="|".join(commands))
        for name, command in commands.items():
            sub = _command(below.add_parser(name, help=command.about, description=command.about),
                           _printed(partial(experiment_commands.run_command, group, name)))
            sub.set_defaults(name=name)
            add_metric_options(sub)
            add_choice_of_systems(sub)
            experiment_commands.add_options(sub, group, name)
            add_output_options(sub, ("json", "csv"))

    return add


#: What adds the options of each command, and what it is for.
COMMANDS: dict[str, tuple[Callable[[_Parser], None], str]] = {
    "compare": (_compare, "scores, intervals, all pairs tested and corrected, ranks, warnings"),
    "score": (_score, "scores and signatures only"),
    "segments": (_segments, "sufficient statistics of each segment"),
    "pair": (_pair, "everything about two systems, as a card to print"),
    "agreement": (_agreement, "which metric to trust: which decides as people do"),
    "domains": (_domains, "scores and tests by domain, and pairs that domains reverse"),
    "task": (_task, "every language pair of a shared task, and the systems across them"),
    "serve": (_dashboard, "start the dashboard, on that test set"),
    "sweep": (_experiments("sweep", "settings"), "how a result changes with one setting"),
    "sample": (_experiments("sample", "kinds"), "small test sets taken from a large one"),
    "validate": (_experiments("validate", "experiments"), "do tests and intervals keep what they promise"),
    "metrics": (_experiments("metrics", "views"), "inside a score")}


def _printed(work: Work) -> Callable[[argparse.Namespace], int]:
    """A command that prints what `work` finds."""
    def run(args: argparse.Namespace) -> int:
        testset = read(args)
        metrics = chosen_metrics(args, testset)
        warn_about_words(testset, metrics)
        testset = testset.keep_scorable(*(metric.name for metric in metrics))
        with progress_line() as progress:
            text = work(testset, metrics, args, progress)
        write(text, args.out)
        return 0

    return run


def _serve(args: argparse.Namespace) -> int:
    from mtsig_core.cli.options import refuse_of_one_pair, task_source
    from mtsig_core.cli.serving import serve

    source, task = source_from(args, whole_task=True), None
    if args.folder is not None and args.langpair is None:
        refuse_of_one_pair(args, refs=args.refs, refs_as_systems=args.refs_as_systems)
        task = task_source(args)
    elif args.pairs:
        raise SettingError("--pairs goes with --folder DIR without --langpair, a whole task. Leave it out.")
    return serve(source, task, port=args.port, open_browser=not args.no_browser, address=args.address,
                 workers=args.workers)
