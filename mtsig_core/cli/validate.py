"""`validate conclusions|calibration|coverage|type1|...`: its options, and its numbers as JSON or CSV."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from mtsig_core.cli.options import add_arguments, given
from mtsig_core.data.testset import TestSet
from mtsig_core.experiments.papers import (
    KOEHN_T3,
    KOEHN_T4,
    RIEZLER_MAXWELL_4_4,
    RIEZLER_MAXWELL_T1,
    RIEZLER_MAXWELL_T2,
)
from mtsig_core.inference.one_score import Progress
from mtsig_core.inference.settings import check_jobs
from mtsig_core.metrics import Metric
from mtsig_core.report import export
from mtsig_core.report.commands import called_by
from mtsig_core.report.validation_tables import flat_rows
from mtsig_core.results import TestSetInfo
from mtsig_core.version import __version__

__all__ = ["VALIDATIONS", "add_validate_options", "validate"]

#: name -> (what it is for, the field with its rows)
VALIDATIONS = {
    "conclusions": ("conclusions from small samples: right is as the whole test set, which may itself be undecided",
                    "rows"),
    "calibration": ("how many conclusions at each level are as the whole test set, which may itself be undecided; "
                    "intervals go by samples, and leave out that samples of different sizes overlap", "levels"),
    "coverage": ("how often intervals hold the score of the whole test set", "rows"),
    "type1": ("how often each test rejects true nulls", "rows"),
    "families": ("how often a family of equal systems has a wrong conclusion", "rows"),
    "claims": ("false and lost findings by correction, where some systems are made to be better", "rows"),
    "variants": ("p-values of six systems made equal, the first against the others", "rows"),
    "pair": ("p-values of one pair by every test; name several --metrics", "rows"),
    "units": ("how many pairs are significant by segment, by document, by both", "rows"),
    "changed-pairs": ("which pairs are significant by segment alone, or by document alone", "pairs")}
#: What a paper has of it.
_PUBLISHED = {"conclusions": KOEHN_T3, "calibration": KOEHN_T4, "families": RIEZLER_MAXWELL_4_4,
              "variants": RIEZLER_MAXWELL_T2, "pair": RIEZLER_MAXWELL_T1}


def add_validate_options(parser: ArgumentParser, name: str) -> None:
    """The options of one validation."""
    add_arguments(parser.add_argument_group("experiment"), f"validate {name}", trials="draws of the tests")


def validate(name: str, testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of one validation in the format that the options name."""
    check_jobs(args.jobs)
    function, (_, rows) = called_by(f"validate {name}")[0], VALIDATIONS[name]
    asked, found = given(args, function), {}
    for metric in metrics:
        one = function(testset, metric, progress=progress, **asked)
        found[metric.name] = metric.signature(testset), one
        if name == "pair":  # one pair: where none is named, that of the first metric
            asked |= {"a": one.a, "b": one.b}
    if args.format == "csv":
        table = [{"metric": metric, **row} for metric, (_, one) in found.items()
                 for row in flat_rows(getattr(one, rows))]
        return export.records_csv(table, () if table else [
            "metric", *(field.name for field in fields(_row_classes(one)[rows]))])
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)), "version": __version__,
        "published": asdict(_PUBLISHED[name]) if name in _PUBLISHED else None,
        "metrics": {metric: {"signature": signature, **_settings(one), rows: [asdict(r) for r in getattr(one, rows)]}
                    for metric, (signature, one) in found.items()}})


def _settings(found: Any) -> dict[str, Any]:
    """What a result says of itself beside its rows."""
    return {field.name: getattr(found, field.name) for field in fields(found)
            if field.repr and field.name not in ("metric", *_row_classes(found))}


def _row_classes(found: Any) -> dict[str, type]:
    """The fields of a result that hold rows, and the class of these: by declaration, as there may be no row."""
    hints = get_type_hints(type(found))
    return {name: kind for name, hint in hints.items() for kind in get_args(hint)[:1]
            if isinstance(kind, type) and is_dataclass(kind)}
