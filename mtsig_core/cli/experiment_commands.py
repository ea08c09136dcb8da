"""`validate`, `sample`, `sweep` and `metrics`: their options, and their numbers as JSON or CSV."""

from __future__ import annotations

from argparse import Action, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import Any, get_args, get_type_hints

from mtsig_core.cli.options import add_arguments, given
from mtsig_core.errors import NotYetError, SettingError
from mtsig_core.experiments.inside_score import (
    NOTE_CLAIMS,
    averages,
    check_bleu,
    densities,
    factor,
    koehns_factors,
    lengths,
    note_example,
    precisions,
    signatures,
    students_t,
    worked_example,
)
from mtsig_core.experiments.papers import (
    KOEHN_T3,
    KOEHN_T4,
    RIEZLER_MAXWELL_4_4,
    RIEZLER_MAXWELL_T1,
    RIEZLER_MAXWELL_T2,
    ZHANG_VOGEL_2,
    ZHANG_VOGEL_3,
    ZHANG_VOGEL_4,
)
from mtsig_core.experiments.planning import PairPlan, cannot_plan, plan
from mtsig_core.experiments.population import parse_sizes
from mtsig_core.experiments.sampling import SampledPair, SampledSystem, Sampling, sampling, spreads
from mtsig_core.experiments.sweeps import SHARES, SizeSweep, Stability, flat, stability, sweep_sizes, with_references
from mtsig_core.experiments.sweeps import sweep_references as swept_references
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.report import export
from mtsig_core.report.commands import called_by
from mtsig_core.report.metrics_tables import flat_lengths, flat_steps
from mtsig_core.report.sampling_tables import number, pair_records, sampled_system_records
from mtsig_core.report.sweep_tables import found_records, reference_records, system_records
from mtsig_core.report.terminal import warn
from mtsig_core.report.validation_tables import flat_rows
from mtsig_core.results import Caution, TestSetInfo
from mtsig_core.stats.one_score import Progress
from mtsig_core.stats.settings import check_jobs
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

#-----------------------------------------------------------------------------------------------------------------------
# `validate conclusions|calibration|coverage|type1|...`: its options, and its numbers as JSON or CSV.


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


#-----------------------------------------------------------------------------------------------------------------------
# `sample blocks`, `broad` and `spread`: their options, and their numbers as JSON or CSV.


def _add_sample_options(parser: ArgumentParser) -> None:
    add_arguments(parser.add_argument_group("samples"), sampling, resamples="bootstrap samples of each sample",
                  trials="swaps of approximate randomization")


def _add_spread_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("samples")
    group.add_argument("--sizes", type=parse_sizes, metavar="N,...",
                       help="segments in a sample, or shares of the set (default: 10 to 3000, as far as there are five "
                            "samples)")
    add_arguments(group, spreads)


def _sample(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `mtsig_core.experiments.sampling.sampling` in the format that the options name."""
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one with --system FILE.")
    found = [sampling(testset, metric, args.kind, progress=progress, **given(args, sampling)) for metric in metrics]
    return _sample_json(testset, found) if args.format == "json" else _sample_csv(found)


def _spread(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `mtsig_core.experiments.sampling.spreads` in the format that the options name."""
    found = [spreads(testset, metric, sizes=args.sizes, progress=progress, **given(args, spreads))
             for metric in metrics]
    if args.format == "csv":
        return export.records_csv([{"metric": one.metric, **asdict(row)} for one in found for row in one.rows])
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)),
        "settings": {"shuffled": args.shuffle, "alpha": args.alpha, "seed": args.seed, "version": __version__},
        "metrics": {one.metric: {"signature": metric.signature(testset), "rows": [asdict(row) for row in one.rows],
                                 "ratios": [dict(zip(("size", "lowest", "median", "highest"), (size, *ratios),
                                                     strict=True)) for size, ratios in one.ratios().items()]}
                    for metric, one in zip(metrics, found, strict=True)}})


#: name -> (what it is for, (test set, metrics, options, progress) -> text, what adds its options)
SAMPLES = {
    "blocks": ("consecutive segments: scores, intervals and conclusions against the whole test set", _sample,
               _add_sample_options),
    "broad": ("every so many segments: scores, intervals and conclusions against the whole test set", _sample,
              _add_sample_options),
    "spread": ("how much wider blocks spread than broad samples, by system and size", _spread, _add_spread_options)}


def _sample_json(testset: TestSet, found: Sequence[Sampling]) -> str:
    first = found[0]
    drawn = first.settings
    settings = {"unit": drawn.unit, "trials": first.trials, "alpha": drawn.alpha, "resamples": drawn.resamples,
                "seed": drawn.seed, "version": drawn.version}
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)),
        "settings": {"kind": first.kind, "sample_size": first.size, "shuffled": first.shuffled, **settings},
        "metrics": {one.metric: {
            "signature": one.signature, "higher_is_better": one.higher_is_better, "n_samples": one.n_samples,
            "systems": {system.system: sampled_system_records(system) for system in one.systems},
            "summary": {system.system: _summary(system) for system in one.systems},
            "pairs": [{"a": pair.a, "b": pair.b, "delta": number(pair.full), "whole_p": number(pair.whole_p),
                       **{test: _tally(pair, test, one.settings.alpha) for test in ("koehn", "ar")},
                       "samples": pair_records(pair)} for pair in one.pairs]} for one in found}})


def _summary(system: SampledSystem) -> dict[str, float | int | None]:
    """`hits` of `intervals` contain `score`, that of the whole test set; their share has a 95% interval."""
    low, high = system.range
    hits_low, hits_high = map(number, system.hit_interval)
    return {"score": system.full, "lowest": number(low), "highest": number(high), "sd": number(system.sd),
            "hits": int(system.hits.sum()), "intervals": system.known, "hits_low": hits_low, "hits_high": hits_high}


def _tally(pair: SampledPair, test: str, alpha: float) -> dict[str, float | int | None]:
    """Samples that conclude as the whole test set (`right`), the opposite or nothing, and intervals of the shares."""
    ends = {f"{what}_{side}": number(end) for what, both in pair.intervals(test, alpha).items()
            for side, end in zip(("low", "high"), both, strict=True)}
    return {**asdict(pair.tally(test, alpha)), **ends}


def _sample_csv(found: Sequence[Sampling]) -> str:
    """One table: rows of systems, then of pairs, told apart by the column ``table``."""
    rows = []
    for one in found:
        for system in one.systems:
            rows += [{"table": "systems", "metric": one.metric, "system": system.system, **row, "hit": bool(hit)}
                     for row, hit in zip(sampled_system_records(system), system.hits, strict=True)]
        rows += [{"table": "pairs", "metric": one.metric, "a": pair.a, "b": pair.b, **row,
                  "whole_delta": number(pair.full), "whole_p": number(pair.whole_p)}
                 for pair in one.pairs for row in pair_records(pair)]
    return export.records_csv(rows)


#-----------------------------------------------------------------------------------------------------------------------
# `sweep size` and `sweep references`: their options, and their numbers as JSON or CSV.


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
    return _sweep_json(testset, found, args) if args.format == "json" else _sweep_csv(found)


def _sweep_json(testset: TestSet, found: dict[str, tuple[SizeSweep, Tables]], args: Namespace) -> str:
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


def _sweep_csv(found: dict[str, tuple[SizeSweep, Tables]]) -> str:
    """One table: rows of systems, pairs, slopes and plan, told apart by the column ``table``."""
    rows = [{"table": table, "metric": name, **row} for name, (_, tables) in found.items()
            for table, rows in tables.items() for row in rows]
    return export.records_csv(rows)


def _tables(swept: SizeSweep, planned: Sequence[PairPlan], people: bool) -> Tables:
    more: dict[str, Sequence[Any]] = {"pairs": swept.pairs, "slopes": swept.slopes, "plan": planned}
    return {"systems": system_records(swept, people), **{name: list(map(asdict, rows)) for name, rows in more.items()}}


def sweep_references(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `mtsig_core.experiments.sweeps`; the simulated corpus gets four references for it."""
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


#-----------------------------------------------------------------------------------------------------------------------
# `sweep resamples`: its options, and its numbers as JSON or CSV.


def add_resamples_options(parser: ArgumentParser) -> None:
    add_arguments(parser.add_argument_group("bootstrap"), stability,
                  system="the system whose interval is looked at (default: the best)")


def sweep_resamples(testset: TestSet, metrics: Sequence[Metric], args: Namespace, progress: Progress | None) -> str:
    """The numbers of `mtsig_core.experiments.sweeps.stability` in the format that the options name."""
    if not testset.systems:
        raise SettingError("No system to look at. Give at least one with --system FILE.")
    check_jobs(args.jobs)
    found = {}
    for metric in metrics:
        found[metric.name] = metric.signature(testset), stability(
            testset, metric, progress=progress, **given(args, stability))
    return _resamples_json(testset, found) if args.format == "json" else _resamples_csv(found)


def _resamples_json(testset: TestSet, found: dict[str, tuple[str, Stability]]) -> str:
    settings = asdict(next(iter(found.values()))[1].settings)
    kept = ("unit", "block_length", "alpha", "seed", "version")
    return export.to_json({
        "testset": asdict(TestSetInfo.of(testset)),
        "settings": {key: settings[key] for key in kept} | {"pool": settings["resamples"]},
        "metrics": {name: {
            "signature": signature, "system": one.system, "score": one.score, "median": one.median, "sigma": one.sigma,
            "growing": [asdict(row) | {"relative": row.relative} for row in one.growing],
            "repeats": [asdict(row) for row in one.repeats]} for name, (signature, one) in found.items()}})


def _resamples_csv(found: dict[str, tuple[str, Stability]]) -> str:
    """One table: rows of growing, then of repeated intervals, told apart by the column ``table``."""
    rows = [{"table": table, "metric": name, "system": one.system, **flat(row)} for name, (_, one) in found.items()
            for table in ("growing", "repeats") for row in getattr(one, table)]
    return export.records_csv(rows)


#-----------------------------------------------------------------------------------------------------------------------
# `metrics precisions|lengths|example|averages|students-t|signatures`: its options, and its numbers as JSON or CSV.


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
