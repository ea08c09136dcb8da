"""The command line: ``python -m mtsig_core``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from mtsig_core import export, html_report, latex, text_report
from mtsig_core.by_reference import references_alone
from mtsig_core.cache import cached_statistics
from mtsig_core.cli import resamples, sweep
from mtsig_core.cli.metrics import INSIDE, add_inside_options, inside
from mtsig_core.cli.output import check_out, write
from mtsig_core.cli.sample import SAMPLES
from mtsig_core.cli.validate import VALIDATIONS, add_validate_options, validate
from mtsig_core.comparison import compare
from mtsig_core.correction import CORRECTIONS
from mtsig_core.diagnostics import about_metrics, about_texts
from mtsig_core.errors import MtsigError, SettingError
from mtsig_core.estimates import long_wait
from mtsig_core.intervals import INTERVALS
from mtsig_core.inventory import left_out
from mtsig_core.metrics import Metric, metric_of, tokenizer_of
from mtsig_core.rated import rated_part
from mtsig_core.resampling import UNITS
from mtsig_core.results import Exclusion
from mtsig_core.significance import TESTS
from mtsig_core.sources import add_source_options, names, source_from
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

EXAMPLES = """examples:
  python -m mtsig_core compare --ref ref.txt --system a.txt --system b.txt --docs docs.txt --langpair en-de
  python -m mtsig_core compare --folder wmt24 --langpair en-de --refs refA --format json --out result.json
  python -m mtsig_core score --ref ref.txt --system Mine=outputs/v2.txt
  python -m mtsig_core compare --demo-segments 2000
  python -m mtsig_core compare --scores human=ratings.tsv --test wilcoxon
  python -m mtsig_core sweep resamples --demo --system-name Danish --format csv
  python -m mtsig_core sample broad --demo --sample-size 300
  python -m mtsig_core sample spread --folder wmt24 --langpair en-de --refs refA
  python -m mtsig_core sweep size --demo --unit segment --difference 1
  python -m mtsig_core validate type1 --demo --jobs -1
  python -m mtsig_core validate units --folder wmt24 --langpair en-de --refs refA --metrics bleu,chrf
  python -m mtsig_core metrics precisions --demo --format csv
  python -m mtsig_core serve --folder wmt24 --langpair en-de
"""


class _Parser(argparse.ArgumentParser):
    """Errors in one line, without the usage."""

    def error(self, message):
        raise SettingError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.")


def main(argv: list[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 for an error that the user can mend."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show must not end the run
    try:
        parser = _parser()
        args, unknown = parser.parse_known_args(argv)
        if unknown:
            parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        return args.run(args)
    except MtsigError as error:
        options = f" Options: {error.options}." if error.options else ""
        print(f"mtsig: {text_report.printable_lines(f'{error}{options}')}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError as error:
        print(f"mtsig: not enough memory ({error}). Use fewer --trials or --resamples, or fewer systems.",
              file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("mtsig: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m mtsig_core", description="Is one machine translation system really better than another?",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"mtsig {__version__}")
    top = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name, run, text, among=top):
        sub = among.add_parser(name, help=text, description=text)
        add_source_options(sub)
        sub.set_defaults(run=run)
        return sub

    sub = command("compare", _compare, "scores, intervals, all pairs tested and corrected, ranks, warnings")
    _add_metric_options(sub)
    _add_choice_of_systems(sub)
    _add_test_options(sub)
    _add_output_options(sub, ("text", "json", "csv", "latex", "html", "matrix"))

    sub = command("score", _score, "scores and signatures only")
    _add_metric_options(sub)
    _add_choice_of_systems(sub)
    _add_output_options(sub, ("text", "json", "csv"))

    sub = command("segments", _segments, "sufficient statistics of each segment")
    _add_metric_options(sub)
    _add_choice_of_systems(sub)
    _add_output_options(sub, ("csv", "parquet"))

    sub = command("serve", _serve, "start the dashboard, on that test set")
    sub.add_argument("--port", type=int, default=8501)
    sub.add_argument("--no-browser", action="store_true", help="do not open a browser")

    def experiment(name, work, text, among, add_options):
        sub = command(name, _experiment(work), text, among)
        _add_metric_options(sub)
        _add_choice_of_systems(sub)
        add_options(sub)
        _add_output_options(sub, ("json", "csv"))
        return sub

    sweeps = top.add_parser("sweep", help="how a result changes with one setting").add_subparsers(
        title="settings", required=True, metavar="size|references|resamples")
    experiment("size", sweep.sweep_size, "how scores, intervals and conclusions change with the test-set size",
               sweeps, sweep.add_size_options)
    experiment("references", sweep.sweep_references,
               "how scores and intervals change with the number of references", sweeps,
               sweep.add_references_options)
    experiment("resamples", resamples.sweep_resamples, "how an interval settles with the number of bootstrap samples",
               sweeps, resamples.add_resamples_options)

    samples = top.add_parser("sample", help="small test sets taken from a large one").add_subparsers(
        title="kinds", required=True, metavar="|".join(SAMPLES))
    for kind, (text, work, add_options) in SAMPLES.items():
        experiment(kind, work, text, samples, add_options).set_defaults(kind=kind)

    for group, text, title, choices, add_options, work in (
            ("validate", "do tests and intervals keep what they promise", "experiments", VALIDATIONS,
             add_validate_options, validate),
            ("metrics", "inside a score", "views", INSIDE, add_inside_options, inside)):
        below = top.add_parser(group, help=text).add_subparsers(title=title, required=True, metavar="|".join(choices))
        for name, (about, *_) in choices.items():
            experiment(name, partial(work, name), about, below, partial(add_options, name=name))
    return parser


def _add_metric_options(sub):
    group = sub.add_argument_group("metrics")
    group.add_argument("--metrics", type=names, metavar="NAME,...",
                       help="default: bleu; without texts, the names of all --scores")
    group.add_argument("--lowercase", action="store_true")


def _add_choice_of_systems(sub):
    group = sub.add_argument_group("what to compare")
    group.add_argument("--only", type=names, metavar="NAME,...", help="these systems alone")
    group.add_argument("--exclude", type=names, metavar="NAME,...", help="all but these systems")
    group.add_argument("--domain", metavar="D", help="the segments of this domain alone")


def _add_test_options(sub):
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


def _add_output_options(sub, formats):
    group = sub.add_argument_group("output")
    group.add_argument("--format", choices=formats, default=formats[0], help=f"default: {formats[0]}")
    group.add_argument("--out", metavar="FILE", help="write to a file instead of standard output")


def _compare(args) -> int:
    testset = _read(args)
    each = args.test in TESTS and bool(references_alone(testset, args.test, args.baseline))
    metrics = _told(testset, _metrics(args, testset), each, warn=False)  # the result has the warnings
    result = compare(
        testset, metrics, test=args.test, unit=args.unit, block_length=args.block_length, trials=args.trials,
        alpha=args.alpha, correction=args.correction, ci=args.ci, resamples=args.resamples, seed=args.seed,
        baseline=args.baseline, jobs=args.jobs, progress=_progress if sys.stderr.isatty() else None)
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    result = replace(result, excluded=tuple(map(Exclusion, dict.fromkeys(args.exclude or ()))))
    render = {"text": text_report.comparison_text, "json": export.comparison_json, "csv": export.comparison_csv,
              "latex": latex.comparison_latex, "html": html_report.comparison_html, "matrix": export.matrix_csv}
    write(render[args.format](result), args.out)
    return 0


def _score(args) -> int:
    testset = _read(args)
    if not testset.systems:
        raise SettingError("No system to score. Give at least one with --system FILE.")
    scores = {}
    for metric in _told(testset, _metrics(args, testset)):
        part = testset.under(metric.name)
        part, statistics = rated_part(part, metric, cached_statistics(metric, part))
        points = metric.score(statistics.sum(axis=1)).tolist()
        scores[metric.name] = (metric.signature(testset), dict(zip(part.systems, points, strict=True)))
    text_report.warn(about_texts(testset))
    render = {"text": text_report.scores_text, "json": export.scores_json, "csv": export.scores_csv}
    write(render[args.format](scores), args.out)
    return 0


def _segments(args) -> int:
    if args.format == "parquet" and args.out is None:
        raise SettingError("--format parquet is binary. Give a file with --out FILE.")
    testset = _read(args)
    metrics = _metrics(args, testset)
    if len(metrics) != 1:
        raise SettingError(f"segments writes one metric at a time, not {len(metrics)}. Name one with --metrics NAME.")
    if not testset.systems:
        raise SettingError("No system to write statistics of. Give at least one with --system FILE.")
    _told(testset := testset.under(metrics[0].name), metrics)
    header, rows = export.segment_rows(testset, metrics[0], cached_statistics(metrics[0], testset))
    if args.format == "parquet":
        import pandas as pd

        write(pd.DataFrame(rows, columns=header).to_parquet(index=False), args.out)
    else:
        write(export.to_csv(header, rows), args.out)
    return 0


def _experiment(work) -> Callable[[argparse.Namespace], int]:
    """A command that prints what `work` (test set, metrics, options, progress) finds."""
    def run(args):
        testset = _read(args)
        metrics = _told(testset, _metrics(args, testset))
        testset = testset.under(*(metric.name for metric in metrics))
        text = work(testset, metrics, args, _progress if sys.stderr.isatty() else None)
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")
        write(text, args.out)
        return 0

    return run


def _serve(args) -> int:
    from mtsig_core.serving import serve

    return serve(source_from(args), port=args.port, open_browser=not args.no_browser)


def _read(args) -> TestSet:
    source = source_from(args)
    if source is not None:
        check_out(args.out, source)
    if source is None:
        raise SettingError("No test set. Give --ref FILE and --system FILE, --folder DIR and --langpair xx-yy, or "
                           "--demo.")
    testset = source.read()
    if testset.has_texts and (lines := left_out(testset)):
        print(f"mtsig: {lines[0]} by the documents file, is left out; --keep-canary keeps it.", file=sys.stderr)
    if args.only:
        testset = testset.only(args.only)
    if args.exclude:
        testset = testset.without(args.exclude)
    return testset if args.domain is None else testset.in_domain(args.domain)


def _metrics(args, testset: TestSet) -> list[Metric]:
    chosen = args.metrics
    if chosen is None:
        chosen = ("bleu",) if testset.has_texts else tuple(testset.scores)
    if not chosen:
        raise SettingError("--metrics is empty. Expected at least one, such as bleu.")
    return [metric_of(testset, name, lowercase=args.lowercase) for name in dict.fromkeys(chosen)]


def _told(testset: TestSet, metrics: list[Metric], each_reference: bool = False, warn: bool = True) -> list[Metric]:
    """The metrics, once it is said how long they take, should that be long, and whether they cut words poorly."""
    if (text := long_wait(metrics, testset, each_reference)) is not None:
        print(f"mtsig: {text_report.printable(text)}", file=sys.stderr, flush=True)
    if warn:
        text_report.warn(about_metrics(testset, {metric.name: tokenizer_of(metric, testset) for metric in metrics}))
    return metrics


def _progress(stage: str, share: float) -> None:
    sys.stderr.write(f"\r\x1b[K{stage} {share:4.0%}")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
