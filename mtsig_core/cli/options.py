"""Groups of options that commands share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Sequence
from typing import Any

from mtsig_core.cli.source_options import names
from mtsig_core.inference.comparison import compare
from mtsig_core.inference.correction import CORRECTIONS
from mtsig_core.inference.intervals import INTERVALS
from mtsig_core.inference.resampling import UNITS
from mtsig_core.inference.significance import TESTS
from mtsig_core.report.commands import defaults

__all__ = ["TESTED", "add_arguments", "add_choice_of_systems", "add_metric_options", "add_output_options",
           "add_test_options", "given"]

#: What the command line says of arguments of the core that have the same meaning everywhere.
_ABOUT: dict[str, dict[str, Any]] = {
    "test": dict(metavar="|".join(TESTS), help="the test"),
    "unit": dict(metavar="|".join(("auto", *UNITS)), help="what is drawn or swapped"),
    "block_length": dict(type=float, metavar="B", help="mean length of stationary blocks, in segments"),
    "trials": dict(type=int, metavar="R", help="draws of the test"),
    "alpha": dict(type=float, metavar="A", help="level; intervals have 1 - alpha"),
    "correction": dict(metavar="|".join(CORRECTIONS), help="for many pairs; auto: as the test allows"),
    "ci": dict(metavar="|".join(("auto", *INTERVALS)), help="kind of interval"),
    "resamples": dict(type=int, metavar="B", help="bootstrap samples"),
    "seed": dict(type=int, metavar="N", help="of all that is drawn"),
    "baseline": dict(metavar="NAME", help="only pairs with this system"),
    "repeats": dict(type=int, metavar="R", help="random test sets of each size"),
    "power": dict(type=float, metavar="P", help="how often a difference is to be found"),
    "jobs": dict(type=int, metavar="N", help="threads, -1 for all cores; the result is the same")}
#: The arguments of `compare` that are options.
TESTED = ("test", "unit", "block_length", "trials", "alpha", "correction", "ci", "resamples", "seed", "baseline",
          "jobs")


def add_arguments(group: _ArgumentGroup, function: Callable[..., Any], *arguments: str, **helps: str) -> None:
    """Options for arguments of a function of the core: of the same names, and with its defaults.

    Parameters
    ----------
    group : argument group of a parser
    function : callable
    arguments : str
        Known here.
    helps : str
        What to say of some of them in place of the usual.
    """
    usual = defaults(function)
    for name in arguments:
        about = _ABOUT[name] | ({"help": helps[name]} if name in helps else {})
        said = "" if usual[name] is None else f" (default: {usual[name]})"
        group.add_argument(f"--{name.replace('_', '-')}", default=usual[name], **about | {"help": about["help"] + said})


def given(args: Namespace, *arguments: str) -> dict[str, Any]:
    """What the options say of arguments."""
    return {name: getattr(args, name) for name in arguments}


def add_metric_options(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("metrics")
    group.add_argument("--metrics", type=names, metavar="NAME,...",
                       help="default: bleu; without texts, the names of all --scores")
    group.add_argument("--lowercase", action="store_true")


def add_choice_of_systems(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("what to compare")
    group.add_argument("--only", type=names, metavar="NAME,...", help="these systems alone")
    group.add_argument("--exclude", type=names, metavar="NAME,...", help="all but these systems")
    group.add_argument("--domain", metavar="D", help="the segments of this domain alone")


def add_test_options(sub: ArgumentParser) -> None:
    add_arguments(sub.add_argument_group("test"), compare, *TESTED, resamples="bootstrap samples of intervals",
                  jobs="threads, -1 for all cores; more pay off from some 10,000 segments; the result is the same")


def add_output_options(sub: ArgumentParser, formats: Sequence[str]) -> None:
    group = sub.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    group.add_argument("--out", metavar="FILE", help="write to a file instead of standard output")
