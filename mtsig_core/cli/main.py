"""The command line: ``mtsig``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

from mtsig_core.cli.inputs import drop_output, write
from mtsig_core.errors import MtsigError, SettingError, explain_unknown, suggest_name
from mtsig_core.readers.limits import explain_unreadable
from mtsig_core.report.commands import remedy_options
from mtsig_core.report.text import printable_lines
from mtsig_core.stats.parallel import on_cluster
from mtsig_core.testset import show_name
from mtsig_core.version import __version__

EXAMPLES = """mtsig COMMAND --help shows the options of a command.

examples:
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
  mtsig pair --folder wmt24 --langpair en-de --a GPT-4 --b ONLINE-B --format html --out pair.html
  mtsig task --folder wmt25 --metrics XCOMET-XL --track constrained
  mtsig serve --folder wmt24 --langpair en-de
"""


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage.

    Options are added when it parses, so that only what is used is imported.
    """

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
            near = (
                suggest_name(arg.partition("=")[0], self._option_string_actions)
                for arg in found[1]
                if arg.startswith("--")
            )
            self.error(
                f"unrecognized arguments: {' '.join(found[1])}", next(filter(None, near), "")
            )
        for action in self._actions:
            value = getattr(found[0], action.dest, None)
            if action.option_strings and "" in (value, *(value if isinstance(value, list) else ())):
                # as of a variable of the shell that is not set
                self.error(
                    f"argument {action.option_strings[-1]} is empty: leave it out, or give it a value"
                )
            if action.metavar == "NAME" and value is not None:  # as test sets have it
                shown = show_name(value) if isinstance(value, str) else list(map(show_name, value))
                setattr(found[0], action.dest, shown)
        return found

    def _print_message(self, message: str, file: Any = None) -> None:
        write(message, None)  # help and version, which have to be heard as results have

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = "/".join(action.option_strings) or "command"
            self.error(
                str(explain_unknown(what, value, map(str, action.choices))).removesuffix(".")
            )

    def error(self, message: str, hint: str = "") -> NoReturn:
        raise SettingError(f"{message[:1].upper()}{message[1:]}.{hint} See {self.prog} --help.")


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 for an error that the user can mend."""
    if sys.stderr is None:  # what is said must not go to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, TextIOWrapper
        ):  # a name that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        parser = _parser()
        if not (sys.argv[1:] if argv is None else argv):
            parser.print_help()
            return 0
        args, _ = parser.parse_known_args(argv)
        with on_cluster(getattr(args, "dask", None)):
            return args.command(args) or 0
    except MtsigError as error:
        options = remedy_options(error.remedies)
        said = f"{error} Options: {options}." if options else str(error)
        print(f"mtsig: {printable_lines(said)}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough
        drop_output()
        return 0
    except OSError as error:  # what no reader asked about: a folder above that is closed, a working folder that is gone
        print(f"mtsig: {printable_lines(explain_unreadable(error))}", file=sys.stderr)
        return 2
    except MemoryError as error:
        print(
            f"mtsig: not enough memory ({error}). Long lines, many systems, and many --trials or --resamples need "
            "most. Use less of what is large here, or a machine with more memory.",
            file=sys.stderr,
        )
        return 2


#: The module of each command, in which ``add_NAME`` adds its options and ``run_NAME`` runs it, and
#: what it is for.
COMMANDS = {
    "compare": (
        "testset_commands",
        "compare all systems: scores, intervals, tests of all pairs, ranks, caveats",
    ),
    "score": ("testset_commands", "show scores and signatures only"),
    "segments": ("testset_commands", "export the counts of each segment"),
    "pair": ("testset_commands", "examine two systems, with a one-page summary to print"),
    "agreement": ("task_commands", "show which metrics agree with human scores"),
    "autorank": (
        "task_commands",
        "order the systems of a task by several metrics at once, as WMT's AutoRank",
    ),
    "findings": (
        "task_commands",
        "print the findings table of each language pair, and who is better than whom",
    ),
    "integrity": (
        "testset_commands",
        "count lines equal to references, sources and other systems, and warn of files",
    ),
    "domains": (
        "testset_commands",
        "compare systems by domain, and find pairs that domains reverse",
    ),
    "task": (
        "task_commands",
        "compare the systems of a whole shared task, in and across its language pairs",
    ),
    "serve": ("serving", "start the dashboard"),
    "sweep": ("experiment_commands", "show how a result changes with one setting"),
    "sample": ("experiment_commands", "compare small test sets taken from a large one"),
    "validate": (
        "experiment_commands",
        "check the error rates of tests and the coverage of intervals",
    ),
    "metrics": ("experiment_commands", "look inside a score"),
}


def _parser() -> _Parser:
    parser = _Parser(
        prog="mtsig",
        description="Is one machine translation system really better than another?",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"mtsig {__version__}")
    top = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (module, about) in COMMANDS.items():
        top.add_parser(name, help=about, description=about).add_options = partial(
            _add_options, name, module
        )
    return parser


def _add_options(name: str, module: str, parser: _Parser) -> None:
    commands = import_module(f"mtsig_core.cli.{module}")
    parser.set_defaults(
        command=getattr(commands, f"run_{name}", None)
    )  # a group of commands sets its own
    getattr(commands, f"add_{name}")(parser)
