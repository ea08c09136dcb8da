"""`validate`, `sample`, `sweep` and `metrics`: a registry of their commands, and their numbers as
JSON or CSV.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from mtsig_core.cli.inputs import choose_metrics, progress_line, read, warn_about_words, write
from mtsig_core.cli.options import (
    add_arguments,
    add_choice_of_systems,
    add_metric_options,
    add_output_options,
    add_source_options,
    read_arguments,
)
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
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.report import export
from mtsig_core.report.caution_words import info_record
from mtsig_core.report.commands import find_functions
from mtsig_core.report.experiment_tables import (
    detection_records,
    length_records,
    reference_records,
    sampled_pair_records,
    sampled_system_records,
    step_records,
    system_records,
)
from mtsig_core.report.text import warn
from mtsig_core.results import SamplingSettings, TestSetInfo
from mtsig_core.schema import to_json
from mtsig_core.stats.intervals import finite_or_none
from mtsig_core.stats.parallel import Progress
from mtsig_core.stats.power import cannot_plan, plan
from mtsig_core.stats.settings import check_jobs
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

Records = list[dict[str, Any]]


@dataclass(frozen=True)
class Result:
    """What a command finds by one metric."""

    content: dict[str, Any]  # for JSON
    tables: Mapping[str, Records]  # for CSV; of several, the first column says which each row is of
    head: Mapping[str, Any] = field(
        default_factory=lambda: {"version": __version__}
    )  # what JSON has once for all
    columns: Sequence[str] = ()  # of CSV without any row


@dataclass(frozen=True)
class Command:
    """What a command is for, what finds its numbers, and its options beside the arguments of what
    it calls.
    """

    about: str
    work: Callable[[TestSet, Metric, Namespace, Progress | None], Result]
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    helps: Mapping[str, str] = field(
        default_factory=dict
    )  # what to say of arguments in place of the usual


def _add_group(group: str, parser: ArgumentParser) -> None:
    """The commands of one group below its name, each with its options."""
    title, what, commands = EXPERIMENT_COMMANDS[group]
    below = parser.add_subparsers(title=title, required=True, metavar="|".join(commands))
    for name, command in commands.items():
        sub = below.add_parser(name, help=command.about, description=command.about)
        add_source_options(sub)
        add_metric_options(sub)
        add_choice_of_systems(sub)
        options = sub.add_argument_group(what)
        for option, settings in command.options.items():
            options.add_argument(option, **settings)
        add_arguments(options, f"{group} {name}", **command.helps)
        add_output_options(sub, ("json", "csv"))
        sub.set_defaults(command=run_command, group=group, name=name)


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
    work = EXPERIMENT_COMMANDS[args.group][2][args.name].work
    with progress_line() as progress:
        results = {metric.name: work(testset, metric, args, progress) for metric in metrics}
    first = next(iter(results.values()))
    if args.format == "csv":
        rows = [
            ({"table": table} if len(result.tables) > 1 else {}) | {"metric": metric, **row}
            for metric, result in results.items()
            for table, rows in result.tables.items()
            for row in rows
        ]
        text = export.records_csv(rows, () if rows else ["metric", *first.columns])
    else:
        text = to_json(
            {
                "testset": info_record(TestSetInfo.from_testset(testset)),
                **first.head,
                "metrics": {metric: result.content for metric, result in results.items()},
            }
        )
    write(text, args.out)


def _settings(settings: SamplingSettings, **more: Any) -> dict[str, Any]:
    """What JSON says once of how samples were drawn."""
    kept = ("unit", "block_length", "alpha", "resamples", "seed", "version")
    return {"settings": {key: getattr(settings, key) for key in kept} | more}


# `validate`: shares of repeats, each with its Monte Carlo interval, beside what a paper has of
# them.


def _validate(
    testset: TestSet,
    metric: Metric,
    args: Namespace,
    progress: Progress | None,
    *,
    name: str,
    table: str = "rows",
    paper: papers.PublishedTable | None = None,
) -> Result:
    (function,) = find_functions(f"validate {name}")
    one = function(testset, metric, progress=progress, **read_arguments(args, function))
    if name == "pair":  # one pair for all metrics: where none is named, that of the first
        args.a, args.b = one.a, one.b
    content = {
        "signature": metric.signature(testset),
        **one.facts(),
        table: record_rows(getattr(one, table)),
    }
    return Result(
        content,
        {table: one.records(table)},
        {"version": __version__, "published": None if paper is None else asdict(paper)},
        one.columns(table),
    )


def _validation(
    name: str, about: str, table: str = "rows", paper: papers.PublishedTable | None = None
) -> Command:
    return Command(
        about,
        partial(_validate, name=name, table=table, paper=paper),
        helps={"trials": "draws of the tests"},
    )


# `sample`: blocks, broad samples, and how much wider the first spread.


def _sample(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> Result:
    one = sampling(testset, metric, args.name, progress=progress, **read_arguments(args, sampling))
    content = {
        "signature": one.signature,
        "higher_is_better": one.higher_is_better,
        "n_samples": one.n_samples,
        "systems": {system.system: sampled_system_records(system) for system in one.systems},
        "summary": {system.system: _summary(system) for system in one.systems},
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "delta": finite_or_none(pair.full),
                "whole_p": finite_or_none(pair.whole_p),
                **{test: _tally(pair, test, one.settings.alpha) for test in ("koehn", "ar")},
                "samples": sampled_pair_records(pair),
            }
            for pair in one.pairs
        ],
    }
    systems = [
        {"system": system.system, **row, "hit": bool(hit)}
        for system in one.systems
        for row, hit in zip(sampled_system_records(system), system.hits, strict=True)
    ]
    pairs = [
        {
            "a": pair.a,
            "b": pair.b,
            **row,
            "whole_delta": finite_or_none(pair.full),
            "whole_p": finite_or_none(pair.whole_p),
        }
        for pair in one.pairs
        for row in sampled_pair_records(pair)
    ]
    return Result(
        content,
        {"systems": systems, "pairs": pairs},
        _settings(
            one.settings,
            kind=one.kind,
            sample_size=one.size,
            shuffled=one.shuffled,
            trials=one.trials,
        ),
    )


def _summary(system: SampledSystem) -> dict[str, float | int | None]:
    """`hits` of `intervals` contain `score`, that of the whole test set; their share has a 95%
    interval.
    """
    (low, high, sd), hits = map(finite_or_none, (*system.range, system.sd)), system.hit_rate
    return {
        "score": system.full,
        "lowest": low,
        "highest": high,
        "sd": sd,
        "hits": hits.count,
        "intervals": hits.n,
        "hits_low": hits.low,
        "hits_high": hits.high,
    }


def _tally(pair: SampledPair, test: str, alpha: float) -> dict[str, float | int | None]:
    """Samples that conclude as the whole test set (`right`), the opposite or nothing, and intervals
    of the shares.
    """
    tally = pair.tally(test, alpha)
    return {what: one.count for what, one in tally.items()} | {
        f"{what}_{end}": getattr(one, end) for what, one in tally.items() for end in ("low", "high")
    }


def _spread(testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None) -> Result:
    one = spreads(
        testset, metric, sizes=args.sizes, progress=progress, **read_arguments(args, spreads)
    )
    ratios = [
        dict(zip(("size", "lowest", "median", "highest"), (size, *ratios), strict=True))
        for size, ratios in one.ratios().items()
    ]
    return Result(
        {"signature": metric.signature(testset), "rows": one.records(), "ratios": ratios},
        {"rows": one.records()},
        {
            "settings": {
                "shuffled": one.shuffled,
                "alpha": one.alpha,
                "seed": one.seed,
                "version": __version__,
            }
        },
    )


# `sweep`: sizes of the test set, numbers of references, of bootstrap samples.


def _sweep_size(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    swept = sweep_sizes(
        testset, metric, sizes=args.sizes, progress=progress, **read_arguments(args, sweep_sizes)
    )
    planned = (
        ()
        if args.difference is None
        else plan(swept, args.difference, **read_arguments(args, plan))
    )
    tables = {
        "systems": system_records(swept, is_segment_mean(metric)),
        "pairs": swept.records("pairs"),
        "slopes": swept.records("slopes"),
        "plan": list(map(asdict, planned)),
    }
    if args.difference is not None:
        tables["found"] = [
            row for a, b in swept.errors for row in detection_records(swept, a, b, args.difference)
        ]
    if (cannot := cannot_plan(swept)) is not None:
        warn([cannot])
    content = {
        "signature": swept.signature,
        "higher_is_better": swept.higher_is_better,
        "n_units": swept.n_units,
        "cannot_be_decided": cannot and cannot.text,
        "recounted": swept.recounted,
        "scores": swept.scores,
        "paper": papers.ZHANG_VOGEL_2.source,
        **tables,
    }
    return Result(
        content,
        tables,
        _settings(
            swept.settings, repeats=args.repeats, difference=args.difference, power=args.power
        ),
    )


def _sweep_references(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    one = sweep_references(
        testset,
        metric,
        shares=args.shares,
        progress=progress,
        **read_arguments(args, sweep_references),
    )
    rows = reference_records(one)
    paper = f"{papers.ZHANG_VOGEL_3.source}; {papers.ZHANG_VOGEL_4.source}"
    return Result(
        {"n_units": one.n_units, "paper": paper, "rows": rows},
        {"rows": rows},
        _settings(one.settings, repeats=args.repeats, shares=list(args.shares)),
    )


def _sweep_resamples(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    one = stability(testset, metric, progress=progress, **read_arguments(args, stability))
    content = {
        "signature": metric.signature(testset),
        "system": one.system,
        "score": one.score,
        "median": one.median,
        "sigma": one.sigma,
        **{name: record_rows(getattr(one, name)) for name in one.tables},
    }
    tables = {
        name: [{"system": one.system, **row} for row in one.records(name)] for name in one.tables
    }
    return Result(content, tables, _settings(one.settings, pool=one.settings.resamples))


def _shares(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no list of numbers, such as 0.5,1") from None


# `metrics`: what is inside a score.


def _precisions(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    rows = list(map(asdict, precisions(testset, metric, progress=progress)))
    return Result({"signature": metric.signature(testset), "systems": rows}, {"systems": rows})


def _lengths(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    one = lengths(testset, metric, progress=progress, **read_arguments(args, lengths))
    return Result(asdict(one), {"lengths": length_records(one)})


def _example(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    check_bleu(testset, metric)
    if args.line is not None:
        one = worked_example(testset, args.system_name, args.line, metric)
        return Result(asdict(one), {"steps": step_records(one)})
    if args.system_name is not None:
        raise SettingError(
            f"--system-name {args.system_name} without --line: the example of the reading note is of no "
            "system. Give the line too (--line N), or leave the name out."
        )
    note = note_example(metric, testset.tokenizer)
    return Result(
        {
            "of": "the example of the reading note, no line of the test set (--line N)",
            **asdict(note),
            "claims": list(map(asdict, NOTE_CLAIMS)),
        },
        {"steps": step_records(note)},
    )


def _averages(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    one = averages(testset, metric, progress=progress, **read_arguments(args, averages))
    return Result(asdict(one), {"systems": one.records("systems")})


def _students_t(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    one = students_t(testset, metric, progress=progress, **read_arguments(args, students_t))
    x, t, normal = (values.tolist() for values in densities(**read_arguments(args, densities)))
    density = {"n": args.n, "factor": factor(args.n, args.alpha), "x": x, "t": t, "normal": normal}
    return Result(
        {**asdict(one), "table_2": list(map(asdict, koehns_factors())), "density": density},
        {"rows": one.records()},
    )


def _signatures(
    testset: TestSet, metric: Metric, args: Namespace, progress: Progress | None
) -> Result:
    rows = list(
        map(
            asdict,
            signatures(testset, metric, progress=progress, **read_arguments(args, signatures)),
        )
    )
    return Result({"scores": rows}, {"scores": rows})


_OF_SAMPLES = {
    "resamples": "resamples of each sample",
    "trials": "permutations of approximate randomization",
}
_OF_SIZES = {
    "repeats": "random test sets of each size",
    "unit": "what test sets are drawn from: segment or document",
    "resamples": "resamples of each test set",
}

#: Group of commands -> (what its commands are, what their options are about, the commands by name).
EXPERIMENT_COMMANDS: dict[str, tuple[str, str, dict[str, Command]]] = {
    "validate": (
        "experiments",
        "experiment",
        {
            "conclusions": _validation(
                "conclusions",
                "conclusions from small samples: right means as on the whole test set, which may itself be "
                "undecided",
                paper=papers.KOEHN_T3,
            ),
            "calibration": _validation(
                "calibration",
                "how many conclusions at each level are right, that is as on the whole test set. "
                "Intervals resample samples, and ignore that samples of different sizes overlap",
                "levels",
                papers.KOEHN_T4,
            ),
            "coverage": _validation(
                "coverage", "how often intervals hold the score of the whole test set"
            ),
            "type1": _validation("type1", "false-alarm rate of each test"),
            "families": _validation(
                "families",
                "how often mtsig finds a difference among equal systems",
                paper=papers.RIEZLER_MAXWELL_4_4,
            ),
            "claims": _validation(
                "claims", "false and missed claims by correction, with some systems truly better"
            ),
            "variants": _validation(
                "variants",
                "p-values of six systems made equal, the first against the others",
                paper=papers.RIEZLER_MAXWELL_T2,
            ),
            "pair": _validation(
                "pair",
                "p-values of one pair by every test; name several --metrics",
                paper=papers.RIEZLER_MAXWELL_T1,
            ),
            "units": _validation(
                "units", "how many pairs are significant by segment, by document, by both"
            ),
            "changed-pairs": _validation(
                "changed-pairs",
                "which pairs are significant by segment only, or by document only",
                "pairs",
            ),
        },
    ),
    "sample": (
        "kinds",
        "samples",
        {
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
    ),
    "sweep": (
        "settings",
        "test sets",
        {
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
                        type=_shares,
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
    ),
    "metrics": (
        "views",
        "view",
        {
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
    ),
}
