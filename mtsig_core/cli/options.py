"""The options of the commands: test sets, tasks, and the groups that commands share."""

from __future__ import annotations

import argparse
import os
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mtsig_core.errors import SettingError
from mtsig_core.metrics import check_tokenizer
from mtsig_core.readers.tasks import has_scores, pairs_of
from mtsig_core.report.commands import defaults, option_name
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.testset import show_name

#-----------------------------------------------------------------------------------------------------------------------
# The options that name a test set.


def add_source_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("source (text files, a shared-task folder, or the simulated corpus)")
    add = group.add_argument
    add("--ref", action="append", default=[], metavar="[NAME=]FILE", help="reference, one segment per line; repeatable")
    add("--system", action="append", default=[], metavar="[NAME=]FILE",
        help="system output, one segment per line; repeatable. The name defaults to the file's stem")
    add("--run", action="append", default=[], dest="runs", metavar="NAME=FILE",
        help="output of a further training run of the system of that name; repeatable, as often for each system. "
             "Of a whole task, in serve: PAIR:NAME=FILE")
    add("--parse", action="append", default=[], metavar="NAME=FILE",
        help="parse in CoNLL-U of the output or reference of that name, for dep-f; repeatable")
    add("--src", metavar="FILE", help="source text")
    add("--docs", metavar="FILE", help="documents: a line per segment, docid or domain<TAB>docid")
    add("--folder", metavar="DIR", help="folder in WMT layout: references/, system-outputs/, documents/, sources/")
    add("--langpair", metavar="XX-YY", help="language pair, such as en-de")
    add("--tokenize", metavar="NAME", help="a tokenizer of sacreBLEU (default: by target language, else 13a)")
    add_reference_options(add)
    add_folder_options(add)
    add("--demo", action="store_true", help="the simulated corpus: 30,000 segments, six systems")
    add("--demo-segments", type=int, metavar="N", help="its first N segments")
    add("--demo-references", type=int, metavar="N", help="that it is scored with, 1 to 9 (default: 1)")
    add("--demo-task", action="store_true",
        help="a simulated shared task: 12 systems in two tracks, 1,000 segments, two references, human ratings")
    add("--scores", action="append", default=[], metavar="NAME=FILE",
        help="segment scores (TSV, CSV, JSONL, Parquet, COMET's JSON), alone or with texts; repeatable. Of a whole "
             "task, in serve and agreement: PAIR:NAME=FILE")
    add("--ids", metavar="FILE", help="ids of the lines of the texts, one per line, that the tables of scores refer to")
    add("--xml", action="append", default=[], metavar="FILE",
        help="XML of WMT, 2021 on, with sources, references and outputs; several are put together")
    add("--sacrebleu", metavar="SET[/XX-YY]",
        help="a test set that sacreBLEU knows, with the outputs that it has, such as wmt21/systems/en-de; --system "
             "gives more")


def add_reference_options(add: Callable[..., Any]) -> None:
    """Which references score, and what becomes of the others."""
    add("--refs", type=names, action=AddUp, default=(), metavar="NAME,...",
        help="references to score with (default: all)")
    add("--refs-as-systems", action="store_true",
        help="let the references not chosen by --refs, and those with ratings, act as systems")


def add_folder_options(add: Callable[..., Any]) -> None:
    """What is taken of a shared task's folder, of all of it or of one language pair."""
    add("--lower-is-better", action="append", default=[], metavar="NAME", help="scores of which the lowest is best")
    add("--higher-is-better", action="append", default=[], metavar="NAME",
        help="scores of which the highest is best, where name and range do not say so")
    add("--keep-canary", action="store_true", help="keep the lines that a documents file calls canary")
    add("--keep-withdrawn", action="store_true",
        help="keep the systems that a task's table of systems, systems.tsv in its folder, calls withdrawn")
    add("--systems-table", metavar="FILE",
        help="system, constrained, role, kind, name, with tabs between (default: systems.tsv in the folder)")


def source_from(args: argparse.Namespace, whole_task: bool = False) -> Source | None:
    """The source that the options name, None without any; checked for contradictions, not read.

    A folder without a language pair is a `whole_task`, where that may be.
    """
    _check_companions(args)
    tables: dict[str, Any] = {
        "scores": _split_named("--scores", args.scores), "lower_is_better": tuple(args.lower_is_better),
        "higher_is_better": tuple(args.higher_is_better), "ids": args.ids, "tokenize": args.tokenize}
    chosen = {key: getattr(args, key, None) for key in ("only", "exclude", "domain")}  # not of every command
    tables |= {key: value for key, value in chosen.items() if value}
    parses, runs = _split_named("--parse", args.parse), _split_named("--run", args.runs)
    files = {"--ref": args.ref, "--system": args.system, "--run": args.runs, "--src": args.src, "--docs": args.docs,
             "--xml": args.xml, "--sacrebleu": args.sacrebleu}
    if args.demo or args.demo_task or args.demo_segments is not None:
        _refuse_second_source("--demo-task" if args.demo_task else "--demo",
                              files | {"--folder": args.folder, "--parse": parses})
        return _demo_source(args, tables)
    if args.demo_references is not None:
        raise SettingError("--demo-references goes with --demo or --demo-segments, and neither is there.")
    given = [option for option, value in files.items() if value]
    if args.folder is not None:
        _refuse_second_source("--folder", {option: files[option] for option in given if option != "--run"})
        if args.langpair is None and not whole_task:
            pairs = pairs_of(args.folder)
            raise SettingError(f"--folder needs --langpair. {args.folder} has: {', '.join(pairs) or 'none'}.")
    elif not given:
        return _scores_alone(args, tables) if args.scores else None
    elif args.xml or args.sacrebleu:
        own, companions = ("--xml", ("--run",)) if args.xml else ("--sacrebleu", ("--system", "--run"))
        _refuse_second_source(own, {option: value for option, value in (files | {"--parse": parses}).items()
                                    if option not in (own, *companions)})
    elif not args.ref:
        raise SettingError(f"{given[0]} needs a reference. Give at least one with --ref FILE.")
    return Source(tuple(map(_named, args.ref)), tuple(map(_named, args.system)), args.src, args.docs, args.langpair,
                  folder=args.folder, refs=args.refs, refs_as_systems=args.refs_as_systems,
                  keep_canary=args.keep_canary, parse=parses, run=runs, xml=tuple(args.xml), sacrebleu=args.sacrebleu,
                  keep_withdrawn=args.keep_withdrawn, systems_table=args.systems_table, **tables)


def _check_companions(args: argparse.Namespace) -> None:
    """Refuse options that mean nothing without another."""
    if args.tokenize is not None:
        check_tokenizer(args.tokenize)
    for option in ("lower_is_better", "higher_is_better"):
        if getattr(args, option) and not args.scores and not (args.folder and has_scores(args.folder)):
            raise SettingError(f"--{option.replace('_', '-')} goes with --scores NAME=FILE, and there is none.")
    if args.systems_table and not args.folder:
        raise SettingError("--systems-table goes with --folder DIR, a shared task, and there is none.")
    if args.ids and not args.scores:
        raise SettingError("--ids goes with --scores NAME=FILE, and there is none.")


def _refuse_second_source(option: str, others: Mapping[str, Any]) -> None:
    for other, value in others.items():
        if value:
            raise SettingError(f"{option} and {other} name two sources. Give one of them.")


def _demo_source(args: argparse.Namespace, tables: Mapping[str, Any]) -> Source:
    """The simulated corpus, or the language pair of the simulated task."""
    if args.demo_segments is not None and args.demo_segments < 1:
        raise SettingError(f"--demo-segments is {args.demo_segments}. Expected at least 1.")
    references = dict(refs=tuple(args.refs), refs_as_systems=args.refs_as_systems)
    if not args.demo_task:
        return Source(demo=args.demo_segments or 0, **references, **tables,
                      demo_references=1 if args.demo_references is None else args.demo_references)
    for key in ("demo", "demo_segments", "demo_references"):
        if getattr(args, key):
            raise SettingError(f"--demo-task and --{key.replace('_', '-')} name two sources: the shared task "
                               "has 1,000 segments and two references. Give one of them.")
    return Source(demo_task=True, **references, **tables)


def _scores_alone(args: argparse.Namespace, tables: Mapping[str, Any]) -> Source:
    """Scores without texts; what is about texts is out of place then."""
    about_texts = {"--langpair": args.langpair, "--refs": args.refs, "--refs-as-systems": args.refs_as_systems,
                   "--keep-canary": args.keep_canary, "--ids": args.ids, "--tokenize": args.tokenize}
    for option, value in about_texts.items():
        if value:
            raise SettingError(f"{option} is about texts, and there are scores alone. Leave it out, or give the texts "
                               "too.")
    return Source(**tables)


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list, which a variable of the shell may leave empty: that does not stand for all."""
    if not (found := tuple(show_name(name.strip()) for name in text.split(",") if name.strip())):
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return found


class AddUp(argparse.Action):
    """Of a list that is given several times all names are taken: the last alone would let others in without a word."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        given = getattr(namespace, self.dest)
        before = () if given is None or given is self.default else given
        setattr(namespace, self.dest, tuple(dict.fromkeys((*before, *values))))


#: What an option that takes NAME=FILE expects.
_EXPECTED = {"--scores": "such as human=ratings.tsv", "--parse": "with the name of a system or reference",
             "--run": "with the name of a system"}


def _split_named(option: str, given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Name and file of each value of an option that needs both."""
    found = []
    for text in given:
        name, path = _named(text)
        if name is None or not path:
            raise SettingError(f"{option} {text}: expected NAME=FILE, {_EXPECTED[option]}.")
        found.append((name, path))
    return tuple(found)


def _named(text: str) -> tuple[str | None, str]:
    """Split ``[NAME=]FILE``. Names and paths may contain ``=``: the first split that leaves a file is taken."""
    splits = [(text[:k], text[k + 1:]) for k, ch in enumerate(text) if ch == "="]
    for name, path in ((None, text), *splits):
        if os.path.isfile(path):  # False, not an error, for a path too long to be one
            return name and show_name(name), path
    return (show_name(splits[0][0]), splits[0][1]) if splits and "/" not in splits[0][0] else (None, text)


#-----------------------------------------------------------------------------------------------------------------------
# Groups of options that commands share.


#: What the command line says of arguments of the core that have the same meaning everywhere.
_ABOUT: dict[str, dict[str, Any]] = {
    **{name: dict(type=one.kind, metavar="|".join(one.values) or one.letter, help=one.help)
       for name, one in SETTINGS.items()},
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


#-----------------------------------------------------------------------------------------------------------------------
# The options that name a whole shared task, for `task`, `serve` and `agreement`.


#: Options of commands that take one language pair or a whole task, which say nothing of a whole task.
_OF_ONE_PAIR = ("langpair", "domain", "tokenize", "lowercase", "ids", "parse")


def add_pairs(add: Callable[..., Any]) -> None:
    add("--pairs", type=names, action=AddUp, metavar="XX-YY,...",
        help="these language pairs of the task alone (default: all)")


def add_task_scores(add: Callable[..., Any]) -> None:
    add("--scores", action="append", default=[], metavar="PAIR:NAME=FILE",
        help="segment scores of one language pair, such as those of people, beside its texts; repeatable")
    add("--run", action="append", default=[], dest="runs", metavar="PAIR:NAME=FILE",
        help="output of a further training run of a system in one language pair; repeatable (docs/runs.md)")


def refuse_of_one_pair(args: Namespace, **more: object) -> None:
    """Refuse the options that are for one language pair where a whole task is asked for; `more` are further ones."""
    given = {key: getattr(args, key, None) for key in _OF_ONE_PAIR} | more  # not each command has all of them
    for key, value in given.items():
        if value:
            raise SettingError(f"--{key.replace('_', '-')} is for one language pair, and all are asked for. Leave it "
                               "out, or choose one with --langpair.")


def task_source(args: Namespace, **more: Any) -> TaskSource:
    """The task that the options name, not read; `more` are further fields of it."""
    return TaskSource(args.folder, args.pairs or (), lower_is_better=tuple(args.lower_is_better),
                      higher_is_better=tuple(args.higher_is_better), keep_canary=args.keep_canary,
                      systems_table=args.systems_table, keep_withdrawn=args.keep_withdrawn,
                      scores=_of_pairs("--scores", args.scores), run=_of_pairs("--run", args.runs), **more)


def _of_pairs(option: str, given: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """What the option says: language pair, name, file.

    >>> _of_pairs("--scores", ["en-zh:esa=ratings.tsv"])
    (('en-zh', 'esa', 'ratings.tsv'),)
    """
    found = []
    for text in given:
        what, sign, path = text.partition("=")
        pair, colon, name = what.partition(":")
        if not (sign and colon and pair and name and path):
            example = "en-zh:esa=ratings.tsv" if option == "--scores" else "en-zh:GPT-4=run2.txt"
            raise SettingError(f"{option} {text}: expected PAIR:NAME=FILE, such as {example}: a task has several "
                               "language pairs.")
        found.append((pair, name, path))
    return tuple(found)
