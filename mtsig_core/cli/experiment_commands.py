"""The commands `validate`, `sample`, `sweep` and `metrics`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from mtsig_core.cli.inputs import (
    choose_metrics,
    progress_line,
    read,
    warn_about_words,
    write_report,
)
from mtsig_core.cli.options import add_options, read_arguments
from mtsig_core.errors import NotYetError, SettingError
from mtsig_core.experiments import papers
from mtsig_core.experiments.frame import parse_sizes, record_rows
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
from mtsig_core.experiments.sampling import SampledPair, SampledSystem, sampling, spreads
from mtsig_core.experiments.sweeps import (
    SHARES,
    stability,
    sweep_references,
    sweep_sizes,
    with_references,
)
from mtsig_core.metrics import Metric, is_segment_mean, metric_title
from mtsig_core.progress import Progress
from mtsig_core.report.caution_words import info_record
from mtsig_core.report.commands import find_functions
from mtsig_core.report.document import Paragraph, Report, Section, TableBlock
from mtsig_core.report.experiment_tables import (
    detection_records,
    length_records,
    record_table,
    reference_records,
    sampled_pair_records,
    sampled_system_records,
    step_records,
    system_records,
)
from mtsig_core.report.text import warn
from mtsig_core.results import SamplingSettings, TestSetInfo
from mtsig_core.schema import Records
from mtsig_core.stats.intervals import finite_or_none
from mtsig_core.stats.noticed import find_noticed_points
from mtsig_core.stats.power import cannot_plan, plan
from mtsig_core.stats.settings import check_jobs
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

_FORMATS = ("json", "csv", "text", "markdown")


@dataclass(frozen=True)
class Request:
    """The input of a command, with one metric."""

    testset: TestSet
    metric: Metric
    args: Namespace
    progress: Progress | None

    def run(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Call a function of the core with the options that it takes."""
        arguments |= read_arguments(self.args, function)
        return function(self.testset, self.metric, progress=self.progress, **arguments)

    @property
    def signature(self) -> str:
        """The signature of the metric."""
        return self.metric.signature(self.testset)


@dataclass(frozen=True)
class CommandOutput:
    """The numbers of a command by one metric.

    `content` is for JSON, `tables` are for CSV, and for readers unless there are others `to_read`.
    What is the same for all metrics is in `head`. A CSV without rows has the `columns`.
    """

    content: dict[str, Any]
    tables: Mapping[str, Records]
    head: Mapping[str, Any] = field(default_factory=lambda: {"version": __version__})
    columns: Sequence[str] = ()
    to_read: Mapping[str, Records] = field(default_factory=dict)


@dataclass(frozen=True)
class Command:
    """A command: its help, the function that gives its numbers, and its options.

    `options` are the options that are not arguments of the function that it calls. `helps` replace
    the usual help of arguments.
    """

    about: str
    work: Callable[[Request], CommandOutput]
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    helps: Mapping[str, str] = field(default_factory=dict)


def _add_group(group: str, parser: ArgumentParser) -> None:
    """Add the commands of one group below its name, each with its options."""
    names = "|".join(EXPERIMENT_COMMANDS[group])
    commands = parser.add_subparsers(title="commands", required=True, metavar=names)
    for name, command in EXPERIMENT_COMMANDS[group].items():
        command_parser = commands.add_parser(name, help=command.about, description=command.about)
        add_options(command_parser, f"{group} {name}", _FORMATS, None, **command.helps)
        for option, settings in command.options.items():
            command_parser.add_argument(option, **settings)
        command_parser.set_defaults(command=run_command, group=group, name=name)


add_validate, add_sample, add_sweep, add_metrics = (
    partial(_add_group, group) for group in ("validate", "sample", "sweep", "metrics")
)


def run_command(args: Namespace) -> None:
    """Print the numbers of one command in the format that the options name."""
    testset = read(args)
    metrics = choose_metrics(args, testset)
    warn_about_words(testset, metrics)
    testset = testset.keep_scorable(*(metric.name for metric in metrics))
    check_jobs(getattr(args, "jobs", 1))
    if args.group == "metrics" and testset.runs:
        raise NotYetError(
            "Training runs cannot be shown inside a score yet. Remove --run to see the first run of each "
            "system."
        )
    if args.group != "validate" and not testset.systems:
        raise SettingError("No system to look at. Give at least one.", {"system": "FILE"})
    if (args.group, args.name) == ("sweep", "references"):
        testset = with_references(testset)
    command = EXPERIMENT_COMMANDS[args.group][args.name]
    results = {}
    with progress_line() as progress:
        for metric in metrics:
            results[metric.name] = command.work(Request(testset, metric, args, progress))
    first = next(iter(results.values()))
    subject = Paragraph(text=f"mtsig {args.group} {args.name} on {testset.name}")
    report = Report(
        command.about,
        [Section("", [subject]), *_list_sections(results)],
        make_record=partial(_record_results, testset, results),
        make_rows=partial(_list_rows, results),
        header=["metric", *first.columns],
    )
    write_report(args, report)


def _record_results(testset: TestSet, results: Mapping[str, CommandOutput]) -> dict[str, Any]:
    first = next(iter(results.values()))
    return {
        "testset": info_record(TestSetInfo.from_testset(testset)),
        **first.head,
        "metrics": {metric: numbers.content for metric, numbers in results.items()},
    }


def _list_sections(results: Mapping[str, CommandOutput]) -> list[Section]:
    """The tables of each metric for readers, with its signature."""
    sections = []
    for metric, numbers in results.items():
        for name, records in (numbers.to_read or numbers.tables).items():
            if records:
                notes = (numbers.content.get("signature", ""),)
                block = TableBlock(table=record_table(name, records), title=name, notes=notes)
                title = f"{metric_title(metric)}: {name}"
                sections.append(Section(title.removesuffix(": rows"), [block]))
    return sections


def _list_rows(results: Mapping[str, CommandOutput]) -> Records:
    rows = []
    for metric, numbers in results.items():
        for table, records in numbers.tables.items():
            labels = {"metric": metric}
            if len(numbers.tables) > 1:
                labels = {"table": table, "metric": metric}
            rows += [{**labels, **record} for record in records]
    return rows


def _record_settings(settings: SamplingSettings, **choices: Any) -> dict[str, Any]:
    """How samples were drawn, for the head of JSON."""
    names = ("unit", "block_length", "alpha", "resamples", "seed", "version")
    return {"settings": {name: getattr(settings, name) for name in names} | choices}


# `validate`: shares of repeats, each with its Monte Carlo interval, and what a paper has of them.


def _validate(
    request: Request,
    *,
    table: str = "rows",
    paper: papers.PublishedTable | None = None,
) -> CommandOutput:
    (function,) = find_functions(f"validate {request.args.name}")
    experiment = request.run(function)
    if (
        request.args.name == "pair"
    ):  # all metrics look at one pair, by default the best two of the first metric
        request.args.a, request.args.b = experiment.a, experiment.b
    content = {
        "signature": request.signature,
        **experiment.facts(),
        table: record_rows(getattr(experiment, table)),
    }
    published = None if paper is None else asdict(paper)
    head = {"version": __version__, "published": published}
    tables = {table: experiment.records(table)}
    return CommandOutput(content, tables, head, experiment.columns(table))


def _validation(
    about: str, table: str = "rows", paper: papers.PublishedTable | None = None
) -> Command:
    work = partial(_validate, table=table, paper=paper)
    return Command(about, work, helps={"trials": "draws of the tests"})


# `sample`: blocks, broad samples, and how much wider the first spread.


def _sample(request: Request) -> CommandOutput:
    experiment = request.run(sampling, kind=request.args.name)
    alpha = experiment.settings.alpha
    system_samples = {}
    summaries = {}
    pairs = []
    system_rows: Records = []
    pair_rows: Records = []
    pair_summaries: Records = []
    for system in experiment.systems:
        samples = sampled_system_records(system)
        system_samples[system.system] = samples
        summaries[system.system] = _summarize(system)
        for record, hit in zip(samples, system.hits, strict=True):
            system_rows.append({"system": system.system, **record, "hit": bool(hit)})
    for pair in experiment.pairs:
        names = {"a": pair.a, "b": pair.b}
        delta = finite_or_none(pair.full)
        whole_p = finite_or_none(pair.whole_p)
        samples = sampled_pair_records(pair)
        on_all_segments = {**names, "delta": delta, "whole_p": whole_p}
        by_permutations = _tally(pair, "ar", alpha)
        pairs.append(
            {
                **on_all_segments,
                "koehn": _tally(pair, "koehn", alpha),
                "ar": by_permutations,
                "samples": samples,
            }
        )
        pair_summaries.append(on_all_segments | by_permutations)
        for record in samples:
            pair_rows.append({**names, **record, "whole_delta": delta, "whole_p": whole_p})
    content = {
        "signature": experiment.signature,
        "higher_is_better": experiment.higher_is_better,
        "n_samples": experiment.n_samples,
        "systems": system_samples,
        "summary": summaries,
        "pairs": pairs,
    }
    head = _record_settings(
        experiment.settings,
        kind=experiment.kind,
        sample_size=experiment.size,
        shuffled=experiment.shuffled,
        trials=experiment.trials,
    )
    in_short = [{"system": system, **summary} for system, summary in summaries.items()]
    tables = {"systems": system_rows, "pairs": pair_rows}
    to_read = {"systems": in_short, "pairs": pair_summaries}
    return CommandOutput(content, tables, head, to_read=to_read)


def _summarize(system: SampledSystem) -> dict[str, float | int | None]:
    """Count the `intervals` that contain `score`, the score of the whole test set, as `hits`.

    The share of hits has a 95% interval.
    """
    lowest, highest = system.range
    hits = system.hit_rate
    return {
        "score": system.full,
        "lowest": finite_or_none(lowest),
        "highest": finite_or_none(highest),
        "sd": finite_or_none(system.sd),
        "hits": hits.count,
        "intervals": hits.n,
        "hits_low": hits.low,
        "hits_high": hits.high,
    }


def _tally(pair: SampledPair, test: str, alpha: float) -> dict[str, float | int | None]:
    """Count the samples that agree with the whole test set, contradict it, or find no difference.

    The shares have 95% intervals.
    """
    rates = pair.tally(test, alpha)
    record: dict[str, float | int | None] = {name: rate.count for name, rate in rates.items()}
    for name, rate in rates.items():
        record[f"{name}_low"], record[f"{name}_high"] = rate.low, rate.high
    return record


def _spread(request: Request) -> CommandOutput:
    experiment = request.run(spreads, sizes=request.args.sizes)
    rows = experiment.records()
    ratios = []
    for size, (lowest, median, highest) in experiment.ratios().items():
        ratios.append({"size": size, "lowest": lowest, "median": median, "highest": highest})
    settings = {
        "shuffled": experiment.shuffled,
        "alpha": experiment.alpha,
        "seed": experiment.seed,
        "version": __version__,
    }
    content = {"signature": request.signature, "rows": rows, "ratios": ratios}
    return CommandOutput(content, {"rows": rows}, {"settings": settings})


# `sweep`: sizes of the test set, numbers of references, of bootstrap samples.


def _sweep_size(request: Request) -> CommandOutput:
    args = request.args
    sweep = request.run(sweep_sizes, sizes=args.sizes)
    tables = {
        "systems": system_records(sweep, is_segment_mean(request.metric)),
        "pairs": sweep.records("pairs"),
        "slopes": sweep.records("slopes"),
        "plan": [],
    }
    noticed = find_noticed_points(request.metric.name, sweep.signature, sweep.scores.values())
    if args.difference is not None:
        planned = plan(sweep, args.difference, **read_arguments(args, plan))
        tables["plan"] = [row.to_record() for row in planned]
        tables["found"] = []
        for a, b in sweep.errors:
            tables["found"] += detection_records(sweep, a, b, args.difference)
    caution = cannot_plan(sweep)
    if caution is not None:
        warn([caution])
    content = {
        "signature": sweep.signature,
        "higher_is_better": sweep.higher_is_better,
        "n_units": sweep.n_units,
        "cannot_be_decided": caution and caution.text,
        "recounted": sweep.recounted,
        "scores": sweep.scores,
        "noticed_difference": noticed,
        "paper": papers.ZHANG_VOGEL_2.source,
        **tables,
    }
    choices = {name: getattr(args, name) for name in ("repeats", "difference", "power")}
    return CommandOutput(content, tables, _record_settings(sweep.settings, **choices))


def _sweep_references(request: Request) -> CommandOutput:
    args = request.args
    sweep = request.run(sweep_references, shares=args.shares)
    rows = reference_records(sweep)
    paper = f"{papers.ZHANG_VOGEL_3.source}; {papers.ZHANG_VOGEL_4.source}"
    content = {"n_units": sweep.n_units, "paper": paper, "rows": rows}
    head = _record_settings(sweep.settings, repeats=args.repeats, shares=list(args.shares))
    return CommandOutput(content, {"rows": rows}, head)


def _sweep_resamples(request: Request) -> CommandOutput:
    experiment = request.run(stability)
    content = {
        "signature": request.signature,
        "system": experiment.system,
        "score": experiment.score,
        "median": experiment.median,
        "sigma": experiment.sigma,
    }
    tables = {}
    for name in experiment.tables:
        content[name] = record_rows(getattr(experiment, name))
        records = experiment.records(name)
        tables[name] = [{"system": experiment.system, **record} for record in records]
    head = _record_settings(experiment.settings, pool=experiment.settings.resamples)
    return CommandOutput(content, tables, head)


def _parse_shares(text: str) -> list[float]:
    try:
        return [float(share) for share in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a list of numbers, such as 0.5,1") from None


# `metrics`: what is inside a score.


def _precisions(request: Request) -> CommandOutput:
    systems = [asdict(row) for row in request.run(precisions)]
    content = {"signature": request.signature, "systems": systems}
    return CommandOutput(content, {"systems": systems})


def _lengths(request: Request) -> CommandOutput:
    experiment = request.run(lengths)
    return CommandOutput(asdict(experiment), {"lengths": length_records(experiment)})


def _example(request: Request) -> CommandOutput:
    testset = request.testset
    metric = request.metric
    args = request.args
    check_bleu(testset, metric)
    if args.line is not None:
        example = worked_example(testset, args.system_name, args.line, metric)
        return CommandOutput(asdict(example), {"steps": step_records(example)})
    if args.system_name is not None:
        raise SettingError(
            f"--system-name {args.system_name} without --line: the example of the reading note is of no "
            "system. Give the line too (--line N), or remove the name."
        )
    note = note_example(metric, testset.tokenizer)
    content = {
        "of": "the example of the reading note, no line of the test set (--line N)",
        **asdict(note),
        "claims": [asdict(claim) for claim in NOTE_CLAIMS],
    }
    return CommandOutput(content, {"steps": step_records(note)})


def _averages(request: Request) -> CommandOutput:
    experiment = request.run(averages)
    return CommandOutput(asdict(experiment), {"systems": experiment.records("systems")})


def _students_t(request: Request) -> CommandOutput:
    args = request.args
    experiment = request.run(students_t)
    x, t, normal = densities(**read_arguments(args, densities))
    content = asdict(experiment)
    content["table_2"] = [asdict(row) for row in koehns_factors()]
    content["density"] = {
        "n": args.n,
        "factor": factor(args.n, args.alpha),
        "x": x.tolist(),
        "t": t.tolist(),
        "normal": normal.tolist(),
    }
    return CommandOutput(content, {"rows": experiment.records()})


def _signatures(request: Request) -> CommandOutput:
    scores = [asdict(row) for row in request.run(signatures)]
    return CommandOutput({"scores": scores}, {"scores": scores})


_OF_SAMPLES = {
    "resamples": "resamples of each sample",
    "trials": "permutations of approximate randomization",
}
_OF_SIZES = {
    "repeats": "random test sets of each size",
    "unit": "what test sets are drawn from: segment or document",
    "resamples": "resamples of each test set",
}

EXPERIMENT_COMMANDS: dict[str, dict[str, Command]] = {
    "validate": {
        "conclusions": _validation(
            "conclusions from small samples: right means as on the whole test set, which may itself be "
            "undecided",
            paper=papers.KOEHN_T3,
        ),
        "calibration": _validation(
            "how many conclusions at each level are right, that is as on the whole test set. "
            "Intervals resample samples, and ignore that samples of different sizes overlap",
            "levels",
            papers.KOEHN_T4,
        ),
        "coverage": _validation("how often intervals hold the score of the whole test set"),
        "type1": _validation("false-alarm rate of each test"),
        "families": _validation(
            "how often mtsig finds a difference among equal systems",
            paper=papers.RIEZLER_MAXWELL_4_4,
        ),
        "claims": _validation(
            "false and missed claims by correction, with some systems truly better"
        ),
        "variants": _validation(
            "p-values of six systems made equal, the first against the others",
            paper=papers.RIEZLER_MAXWELL_T2,
        ),
        "pair": _validation(
            "p-values of one pair by every test; name several --metrics",
            paper=papers.RIEZLER_MAXWELL_T1,
        ),
        "units": _validation("how many pairs are significant by segment, by document, by both"),
        "changed-pairs": _validation(
            "which pairs are significant by segment only, or by document only",
            "pairs",
        ),
    },
    "sample": {
        "blocks": Command(
            "blocks of consecutive segments, compared with the whole test set",
            _sample,
            helps=_OF_SAMPLES,
        ),
        "broad": Command(
            "segments spread over the whole set, compared with the whole test set",
            _sample,
            helps=_OF_SAMPLES,
        ),
        "spread": Command(
            "how much more scores vary in blocks than in broad samples, by system and size",
            _spread,
            {
                "--sizes": dict(
                    type=parse_sizes,
                    metavar="N,...",
                    help="segments in a sample, or shares of the set (default: 10 to "
                    "3000, as far as there are five samples)",
                )
            },
        ),
    },
    "sweep": {
        "size": Command(
            "how scores, intervals and conclusions change with the test-set size",
            _sweep_size,
            {
                "--sizes": dict(
                    type=parse_sizes,
                    metavar="N,...",
                    help="in units, or shares of the set such as "
                    "10%%,50%%,100%%; larger sizes are drawn with replacement (default: ten, from a "
                    "hundredth of the set)",
                ),
                "--difference": dict(
                    type=float,
                    metavar="D",
                    help="in points: print the size that each pair needs",
                ),
            },
            _OF_SIZES,
        ),
        "references": Command(
            "how scores and intervals change with the number of references",
            _sweep_references,
            {
                "--shares": dict(
                    type=_parse_shares,
                    metavar="S,...",
                    default=SHARES,
                    help="sizes, of the whole set (default: 0.5 to 1 by tenths)",
                )
            },
            _OF_SIZES,
        ),
        "resamples": Command(
            "how an interval settles with the number of resamples",
            _sweep_resamples,
            helps={"system": "the system with the interval (default: the best)"},
        ),
    },
    "metrics": {
        "precisions": Command(
            "n-gram precisions, length ratio and brevity penalty of each system's BLEU",
            _precisions,
        ),
        "lengths": Command("BLEU and GTM of two systems at other output lengths", _lengths),
        "example": Command(
            "BLEU of one segment, step by step (default: the example of the reading note)",
            _example,
            {
                "--system-name": dict(
                    metavar="NAME", help="the system to look at (default: the first)"
                ),
                "--line": dict(type=int, metavar="N", help="number of the segment"),
            },
        ),
        "averages": Command(
            "the mean of sentence scores, compared with the corpus score", _averages
        ),
        "students-t": Command(
            "Student's t and the bootstrap for a mean of segment scores", _students_t
        ),
        "signatures": Command("BLEU of one system under other settings", _signatures),
    },
}
