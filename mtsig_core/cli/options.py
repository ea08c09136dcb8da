"""Groups of options that commands share."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Sequence
from typing import Any

from mtsig_core.cli.source_options import AddUp, names
from mtsig_core.inference.correction import CORRECTIONS
from mtsig_core.inference.intervals import INTERVALS
from mtsig_core.inference.rank_rules import RANK_RULES
from mtsig_core.inference.resampling import UNITS
from mtsig_core.inference.significance import TESTS
from mtsig_core.report.commands import defaults, option_name

__all__ = ["add_arguments", "add_choice_of_systems", "add_metric_options", "add_output_options",
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
    "rank_rule": dict(metavar="|".join(RANK_RULES), help="how ranks are made"),
    "repeats": dict(type=int, metavar="N", help="test sets drawn"),
    "power": dict(type=float, metavar="P", help="how often a difference is to be found"),
    "jobs": dict(type=int, metavar="N", help="threads, -1 for all cores; the result is the same"),
    "system": dict(metavar="NAME", help="the system to look at (default: the best)"),
    "beside": dict(metavar="NAME", help="the system beside it (default: the best of the others)"),
    "most": dict(type=int, metavar="N", help="segments to count at most"),
    "n": dict(type=int, metavar="N", help="scores in a sample, for the density of t"),
    "size": dict(type=int, metavar="N", help="segments in a sample"),
    "shuffle": dict(action="store_true", help="put the segments in a random order first"),
    "pool": dict(type=int, metavar="N", help="bootstrap samples in all (default: as many as take a few seconds)"),
    "a": dict(metavar="NAME", help="the first system (default: the best, by the first metric where it is one pair for "
                                   "all)"),
    "b": dict(metavar="NAME", help="the second (default: the best of the others)"),
    "n_pairs": dict(type=int, metavar="N", help="null pairs of each kind"),
    "n_segments": dict(type=int, metavar="N", help="segments of each test set drawn (default: 300, variants 2000, or "
                                                   "all; pair: a broad sample)"),
    "n_documents": dict(type=int, metavar="N", help="documents of each drawn by document (default: 110 for type1, 30 "
                                                    "for coverage, or all)"),
    "systems": dict(type=int, metavar="N", help="systems of the largest family"),
    "better": dict(type=int, metavar="N", help="of these, systems that are truly better than the others")}


def add_arguments(group: _ArgumentGroup, called: str | Callable[..., Any], **helps: str) -> None:
    """Options for the arguments of a command, or of a function of the core: those known here, with its defaults.

    Parameters
    ----------
    group : argument group of a parser
    called : str or callable
        As `defaults` takes it.
    helps : str
        What to say of some of them in place of the usual.
    """
    for name, usual in defaults(called).items():
        if name in _ABOUT:
            about = _ABOUT[name] | ({"help": helps[name]} if name in helps else {})
            said = "" if usual is None or usual is False else f" (default: {usual})"
            group.add_argument(f"--{option_name(name).replace('_', '-')}", default=usual,
                               **about | {"help": about["help"] + said})
        if name == "jobs":
            group.add_argument("--dask", metavar="ADDRESS", help="compute on the workers of a Dask cluster whose "
                               "scheduler is there, as tcp://HOST:PORT; the result is the same")


def given(args: Namespace, called: str | Callable[..., Any]) -> dict[str, Any]:
    """What the options say of the arguments of a command, or of a function of the core."""
    return {name: getattr(args, option_name(name)) for name in defaults(called) if name in _ABOUT}


def add_metric_options(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("metrics")
    group.add_argument("--metrics", type=names, action=AddUp, metavar="NAME,...",
                       help="default: human scores where a command compares systems; else bleu; without texts, the "
                            "names of all --scores")
    group.add_argument("--lowercase", action="store_true")


def add_choice_of_systems(sub: ArgumentParser) -> None:
    group = sub.add_argument_group("what to compare")
    group.add_argument("--only", type=names, action=AddUp, metavar="NAME,...", help="these systems alone")
    group.add_argument("--exclude", type=names, action=AddUp, metavar="NAME,...", help="all but these systems")
    group.add_argument("--domain", metavar="NAME", help="the segments of this domain alone")


def add_test_options(sub: ArgumentParser) -> None:
    add_arguments(sub.add_argument_group("test"), "compare", resamples="bootstrap samples of intervals",
                  jobs="threads, -1 for all cores; more pay off from some 10,000 segments; the result is the same")


def add_output_options(sub: ArgumentParser, formats: Sequence[str]) -> None:
    group = sub.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    group.add_argument("--out", metavar="FILE", type=lambda path: None if path == "-" else path,
                       help="write to a file instead of standard output (-)")
