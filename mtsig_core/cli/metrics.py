"""`metrics precisions|lengths|example|averages|students-t|signatures`: its options, and its numbers as JSON or CSV."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.cli.options import add_arguments, given
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import NotYetError, SettingError
from mtsig_core.experiments.mean_against_corpus import averages
from mtsig_core.experiments.ngram_precisions import check_bleu, precisions
from mtsig_core.experiments.output_lengths import lengths
from mtsig_core.experiments.signatures import signatures
from mtsig_core.experiments.students_t import densities, factor, koehns_factors, students_t
from mtsig_core.experiments.worked_example import NOTE_CLAIMS, note_example, worked_example
from mtsig_core.inference.one_score import Progress
from mtsig_core.inference.settings import check_jobs
from mtsig_core.metrics import Metric
from mtsig_core.report import export
from mtsig_core.report.metrics_tables import flat_lengths, flat_steps
from mtsig_core.results import TestSetInfo
from mtsig_core.version import __version__

__all__ = ["INSIDE", "add_inside_options", "inside"]

#: What JSON has, and the rows of CSV.
View = tuple[dict[str, Any], list[dict[str, Any]]]


def add_inside_options(parser: ArgumentParser, name: str) -> None:
    """The options of one view."""
    group = parser.add_argument_group("view")  # without options it is not shown
    add_arguments(group, f"metrics {name}")
    if name == "example":
        group.add_argument("--system-name", metavar="NAME", help="the system to look at (default: the first)")
        group.add_argument("--line", type=int, metavar="N", help="a line of the test set")


def inside(name: str, testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of one view in the format that the options name."""
    if testset.runs:
        raise NotYetError("What is inside a score is not there yet for training runs. Leave out --run to see the first "
                          "run of each system.")
    found = {metric.name: INSIDE[name][1](testset, metric, args, progress) for metric in metrics}
    if args.format == "csv":
        return export.records_csv([{"metric": metric, **row} for metric, (_, rows) in found.items() for row in rows])
    return export.to_json({"testset": asdict(TestSetInfo.of(testset)), "version": __version__,
                           "metrics": {metric: content for metric, (content, _) in found.items()}})


def _precisions(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    rows = [asdict(row) for row in precisions(testset, metric, progress=progress)]
    return {"signature": metric.signature(testset), "systems": rows}, rows


def _lengths(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    found = lengths(testset, metric, progress=progress, **given(args, lengths))
    return asdict(found), flat_lengths(found)


def _example(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    check_bleu(testset, metric)
    if args.line is None:
        if args.system_name is not None:
            raise SettingError(f"--system-name {args.system_name} without --line: the example of the reading note is "
                               "of no system. Give the line too (--line N), or leave the name out.")
        found = note_example(metric, testset.tokenizer)
        return {"of": "the example of the reading note, no line of the test set (--line N)", **asdict(found),
                "claims": [asdict(claim) for claim in NOTE_CLAIMS]}, flat_steps(found)
    found = worked_example(testset, args.system_name, args.line, metric)
    return asdict(found), flat_steps(found)


def _averages(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    found = asdict(averages(testset, metric, progress=progress, **given(args, averages)))
    return found, found["systems"]


def _students_t(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    check_jobs(args.jobs)
    found = asdict(students_t(testset, metric, progress=progress, **given(args, students_t)))
    x, t, normal = densities(**given(args, densities))
    return {**found, "table_2": [asdict(row) for row in koehns_factors()],
            "density": {"n": args.n, "factor": factor(args.n, args.alpha), "x": x.tolist(), "t": t.tolist(),
                        "normal": normal.tolist()}}, found["rows"]


def _signatures(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> View:
    rows = [asdict(row) for row in signatures(testset, metric, progress=progress, **given(args, signatures))]
    return {"scores": rows}, rows


#: name -> (what it is for, (test set, metric, options, progress) -> view)
INSIDE: dict[str, tuple[str, Callable[[TestSet, Metric, Namespace, Progress | None], View]]] = {
    "precisions": ("n-gram precisions, length ratio and brevity penalty of each system's BLEU", _precisions),
    "lengths": ("BLEU and GTM of two systems at other output lengths", _lengths),
    "example": ("BLEU of one line, step by step; without --line that of the reading note", _example),
    "averages": ("the mean of sentence scores against the corpus score", _averages),
    "students-t": ("Student's t against the bootstrap for a mean of segment scores", _students_t),
    "signatures": ("BLEU of one system under other settings", _signatures)}
