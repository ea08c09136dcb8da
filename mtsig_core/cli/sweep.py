"""`sweep size` and `sweep references`: their options, and their numbers as JSON or CSV."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.cli.options import add_arguments, given
from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.papers import ZHANG_VOGEL_2, ZHANG_VOGEL_3, ZHANG_VOGEL_4
from mtsig_core.experiments.planning import PairPlan, cannot_plan, plan
from mtsig_core.experiments.size_choice import parse_sizes
from mtsig_core.experiments.sweep_references import SHARES, with_references
from mtsig_core.experiments.sweep_references import sweep_references as swept_references
from mtsig_core.experiments.sweep_results import SizeSweep
from mtsig_core.experiments.sweep_size import sweep_sizes
from mtsig_core.inference.one_score import Progress
from mtsig_core.inference.settings import check_jobs
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.report import export
from mtsig_core.report.sweep_tables import found_records, reference_records, system_records
from mtsig_core.report.terminal import warn
from mtsig_core.results import Caution, TestSetInfo

__all__ = ["add_references_options", "add_size_options", "sweep_references", "sweep_size"]

Tables = dict[str, list[dict[str, Any]]]

_KEPT = ("unit", "alpha", "resamples", "seed", "version")


def add_size_options(parser: ArgumentParser) -> None:
    add = _add_options(parser, sweep_sizes)
    add("--sizes", type=parse_sizes, metavar="N,...",
        help="in units, or shares of the set such as 10%%,50%%,100%%; beyond the set they are drawn with replacement "
             "(default: ten from a hundredth of the set on)")
    group = parser.add_argument_group("planning")
    group.add_argument("--difference", type=float, metavar="D",
                       help="in points: the size that each pair needs to find it")
    add_arguments(group, plan)


def add_references_options(parser: ArgumentParser) -> None:
    _add_options(parser, swept_references)("--shares", type=_shares, metavar="S,...", default=SHARES,
                             help="sizes, of the whole set (default: 0.5 to 1 by tenths)")


def _add_options(parser: ArgumentParser, function: Callable[..., Any]) -> Callable[..., Action]:
    group = parser.add_argument_group("test sets")
    add_arguments(group, function, repeats="random test sets of each size",
                  unit="segment or document, which a test set is drawn from",
                  resamples="bootstrap samples of each test set")
    return group.add_argument


def sweep_size(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `sweep_sizes`, and of `plan` and `found_at` where a difference is given, in the format that the
    options name."""
    check_jobs(args.jobs)
    found = {}
    for metric in metrics:
        swept = sweep_sizes(testset, metric, sizes=args.sizes, progress=progress, **given(args, sweep_sizes))
        planned = () if args.difference is None else plan(swept, args.difference, **given(args, plan))
        tables = _tables(swept, planned, is_segment_mean(metric))
        if args.difference is not None:
            tables["found"] = [row for a, b in swept.errors for row in found_records(swept, a, b, args.difference)]
        if (cannot := cannot_plan(swept)) is not None:
            warn([Caution("too-few-units", cannot, metric.name)])
        found[metric.name] = swept, tables
    return _json(testset, found, args) if args.format == "json" else _csv(found)


def _json(testset: TestSet, found: dict[str, tuple[SizeSweep, Tables]], args: Namespace) -> str:
    settings = asdict(next(iter(found.values()))[0].settings)
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)),
        "settings": {key: settings[key] for key in _KEPT} | {
            "repeats": args.repeats, "difference": args.difference, "power": args.power},
        "metrics": {name: {
            "signature": swept.signature, "higher_is_better": swept.higher_is_better, "n_units": swept.n_units,
            "cannot_be_decided": cannot_plan(swept),
            "recounted": swept.recounted, "scores": swept.scores, "paper": ZHANG_VOGEL_2.source, **tables}
            for name, (swept, tables) in found.items()}})


def _csv(found: dict[str, tuple[SizeSweep, Tables]]) -> str:
    """One table: rows of systems, pairs, slopes and plan, told apart by the column ``table``."""
    rows = [{"table": table, "metric": name, **row} for name, (_, tables) in found.items()
            for table, rows in tables.items() for row in rows]
    return export.records_csv(rows)


def _tables(swept: SizeSweep, planned: Sequence[PairPlan], people: bool) -> Tables:
    more: dict[str, Sequence[Any]] = {"pairs": swept.pairs, "slopes": swept.slopes, "plan": planned}
    return {"systems": system_records(swept, people), **{name: list(map(asdict, rows)) for name, rows in more.items()}}


def sweep_references(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `mtsig_core.experiments.sweep_references`; the simulated corpus gets four references for it."""
    check_jobs(args.jobs)
    testset = with_references(testset)
    found = [swept_references(testset, metric, shares=args.shares, progress=progress, **given(args, swept_references))
             for metric in metrics]
    rows = [{"metric": one.metric, **row} for one in found for row in reference_records(one)]
    if args.format == "csv":
        return export.records_csv(rows)
    settings = asdict(found[0].settings)
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)),
        "settings": {key: settings[key] for key in _KEPT} | {"repeats": args.repeats, "shares": list(args.shares)},
        "metrics": {one.metric: {"n_units": one.n_units, "paper": f"{ZHANG_VOGEL_3.source}; {ZHANG_VOGEL_4.source}",
                                 "rows": reference_records(one)} for one in found}})


def _shares(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no list of numbers, such as 0.5,1") from None
