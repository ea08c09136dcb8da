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
from mtsig_core.cli.options import find_files, name_format
from mtsig_core.errors import MtsigError, SettingError, explain_unknown, suggest_name
from mtsig_core.extras import check_installed
from mtsig_core.readers.files import IN_MEMORY
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
    """A parser whose errors are one line, without the usage.

    Options are added when it parses, so that only the modules of one command are imported.
    """

    add_options: Callable[[_Parser], None] | None = None

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse empty values and unknown options."""
        if self.add_options is not None:
            add_options, self.add_options = self.add_options, None
            add_options(self)
        for argument in args or ():
            if re.fullmatch("--[a-z-]+=--", argument):  # argparse makes an empty list of it
                option = argument.removesuffix("=--")
                self.error(f"argument {option}: -- is no value of it")
        namespace, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse_unknown(unknown)
        for action in self._actions:
            self._check_names(action, namespace)
        return namespace, unknown

    def _refuse_unknown(self, arguments: list[str]) -> NoReturn:
        argument = arguments[0].split("=")[0]
        hint = suggest_name(argument, self._option_string_actions)
        if os.path.exists(argument):
            hint = " Name an option before each file, or put the pattern in quotation marks."
        self.error(f"unrecognized arguments: {' '.join(arguments)}", hint)

    def _check_names(self, action: argparse.Action, namespace: Any) -> None:
        """Refuse an empty value, and write names as test sets have them."""
        value = getattr(namespace, action.dest, None)
        if action.dest == "format" and value is None:
            namespace.format = name_format(namespace.out, action.choices)
        values: list[Any] = value if isinstance(value, list) else [value]
        if action.option_strings and "" in values:  # as of a variable of the shell that is not set
            option = action.option_strings[-1]
            self.error(f"argument {option} is empty. Remove it, or give it a value")
        if value and str(action.metavar).endswith("FILE"):
            setattr(namespace, action.dest, find_files(value))
        if action.metavar == "NAME" and value is not None:
            names: Any = [show_name(name) for name in values]
            if not isinstance(value, list):
                (names,) = names
            setattr(namespace, action.dest, names)

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ARG002  argparse's
        """Print help and version to standard output, with the same errors as results."""
        write(message, None)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            name = "/".join(action.option_strings) or "command"
            error = explain_unknown(name, value, map(str, action.choices))
            self.error(str(error).removesuffix("."))

    def error(self, message: str, hint: str = "") -> NoReturn:
        """Raise the message as an error of the user's, with the help of this command."""
        raise SettingError(f"{message[:1].upper()}{message[1:]}.{hint} See {self.prog} --help.")


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Returns
    -------
    int
        The exit status: 0, or 2 for an error that the user can correct.
    """
    if sys.stderr is None:  # messages must not go to standard output
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a name that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    if argv is None:
        argv = sys.argv[1:]
    try:
        return _run(argv)
    except MtsigError as error:
        options = remedy_options(error.remedies)
        message = f"{error} Options: {options}." if options else str(error)
    except BrokenPipeError:  # the reader of a pipe has seen enough
        drop_output()
        return 0
    except OSError as error:
        # no reader asked about it: a folder above that is closed, a working folder that is gone
        message = explain_unreadable(error)
    except MemoryError as error:
        message = (
            f"not enough memory ({error}). Long lines, many systems, and many --trials or --resamples "
            "need most. Use less of what is large here, or a machine with more memory."
        )
    print(f"mtsig: {printable_lines(message)}", file=sys.stderr)
    return 2


#: What some formats need; the extra that brings it has the name of the format.
_MODULES_OF_FORMATS = {"html": "jinja2", "parquet": "pyarrow"}


def _run(argv: list[str]) -> int:
    parser = _parser()
    if not argv:
        parser.print_help()
        return 0
    IN_MEMORY.clear()
    args, _ = parser.parse_known_args(argv)
    form = getattr(args, "format", None)
    if form in _MODULES_OF_FORMATS:  # before work that may take minutes
        check_installed(form, f"The format {form}", _MODULES_OF_FORMATS[form])
    with on_cluster(getattr(args, "dask", None)):
        return args.command(args) or 0


#: By the module, commands with their help. ``add_NAME`` adds the options of a command and
#: ``run_NAME`` runs it.
COMMANDS = {
    "testset_commands": {
        "compare": "compare all systems: scores, intervals, tests of all pairs, ranks, caveats",
        "score": "show scores and signatures only",
        "segments": "export the statistics of each segment",
        "pair": "examine two systems, with a one-page summary to print",
        "integrity": "count lines equal to references, sources and other systems, and warn of files",
        "domains": "compare systems by domain, and find pairs that are reversed in a domain",
    },
    "task_commands": {
        "task": "compare the systems of a shared task within and across language pairs",
        "findings": "print the findings table of each language pair, and which system is better "
        "than which",
        "autorank": "rank the systems of a task by several metrics at once, like WMT's AutoRank",
        "agreement": "show which metrics agree with human scores",
    },
    "experiment_commands": {
        "sweep": "show how a result changes with one setting",
        "sample": "compare small test sets taken from a large one",
        "validate": "check the error rates of tests and the coverage of intervals",
        "metrics": "look inside a score",
    },
    "serving": {"serve": "start the dashboard"},
    "compiling": {"compile": "compile all code before the first use, as while an image is built"},
    "completion": {"completion": "print a script that completes commands and options in a shell"},
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
    for module, commands in COMMANDS.items():
        for name, about in commands.items():
            command = top.add_parser(name, help=about, description=about)
            command.add_options = partial(_add_options, name, module)
    return parser


def _add_options(name: str, module: str, parser: _Parser) -> None:
    commands = import_module(f"mtsig_core.cli.{module}")
    # None for a group of commands, each of which sets its own
    parser.set_defaults(command=getattr(commands, f"run_{name}", None))
    getattr(commands, f"add_{name}")(parser)
