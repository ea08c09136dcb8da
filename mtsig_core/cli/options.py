"""Groups of options that commands share."""

from __future__ import annotations

from mtsig_core.cli.source_options import names
from mtsig_core.inference.correction import CORRECTIONS
from mtsig_core.inference.intervals import INTERVALS
from mtsig_core.inference.resampling import UNITS
from mtsig_core.inference.significance import TESTS

__all__ = ["add_choice_of_systems", "add_metric_options", "add_output_options", "add_test_options"]


def add_metric_options(sub):
    group = sub.add_argument_group("metrics")
    group.add_argument("--metrics", type=names, metavar="NAME,...",
                       help="default: bleu; without texts, the names of all --scores")
    group.add_argument("--lowercase", action="store_true")


def add_choice_of_systems(sub):
    group = sub.add_argument_group("what to compare")
    group.add_argument("--only", type=names, metavar="NAME,...", help="these systems alone")
    group.add_argument("--exclude", type=names, metavar="NAME,...", help="all but these systems")
    group.add_argument("--domain", metavar="D", help="the segments of this domain alone")


def add_test_options(sub):
    group = sub.add_argument_group("test")
    add = group.add_argument
    add("--test", default="ar", metavar="|".join(TESTS), help="default: ar")
    add("--unit", default="auto", metavar="|".join(("auto", *UNITS)), help="what is drawn or swapped")
    add("--block-length", type=float, metavar="B", help="mean length of stationary blocks, in segments")
    add("--trials", type=int, default=9999, metavar="R", help="draws of the test (default: 9999)")
    add("--alpha", type=float, default=0.05, metavar="A", help="level (default: 0.05)")
    add("--correction", default="auto", metavar="|".join(CORRECTIONS), help="default: as the test allows")
    add("--ci", default="auto", metavar="|".join(("auto", *INTERVALS)), help="kind of interval")
    add("--resamples", type=int, default=2000, metavar="B", help="bootstrap samples of intervals (default: 2000)")
    add("--seed", type=int, default=0, metavar="N", help="default: 0")
    add("--baseline", metavar="NAME", help="only pairs with this system")
    add("--jobs", type=int, default=1, metavar="N",
        help="threads, -1 for all cores (default: 1; more pay off from some 10,000 segments); the result is the same")


def add_output_options(sub, formats):
    group = sub.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    group.add_argument("--out", metavar="FILE", help="write to a file instead of standard output")
