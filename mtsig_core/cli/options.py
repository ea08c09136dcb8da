"""The options of the commands: test sets, tasks, and the groups that commands share."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from mtsig_core.errors import SettingError
from mtsig_core.metrics import check_tokenizer
from mtsig_core.readers.tasks import has_scores, pairs_of
from mtsig_core.report.commands import defaults, option_name
from mtsig_core.report.text import printable
from mtsig_core.source import Source, SourceOption, TaskSource, list_options
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.testset import show_name

# -------------------------------------------------------------------------------------------------
# Options of test sets and tasks are the fields of `Source` and `TaskSource`, where their help is.

#: Options of a test set that are a group of their own.
_CHOICE = ("only", "exclude", "domain")


def _add_rows(group: ArgumentParser | _ArgumentGroup, rows: Mapping[str, SourceOption]) -> None:
    for name, option in rows.items():
        settings: dict[str, Any] = {"metavar": option.value}
        if not option.value:
            settings = {"action": "store_true"}
        elif option.is_repeated:
            settings |= {"action": "append", "default": []}
        elif option.is_list:
            parse_list = column_names if name == "columns" else names
            settings |= {"type": parse_list, "action": AddUp, "default": ()}
        elif option.value == "N":
            # None where it is not given, so that other options can be checked against it
            settings["type"] = int
        group.add_argument(_option(name), help=option.about, **settings)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list, which a variable of the shell may leave empty: that does not stand
    for all. As in CSV, a name with a comma is in quotation marks.

    >>> names('A,"B, or C"')
    ('A', 'B, or C')
    """
    cells = next(csv.reader([text], skipinitialspace=True), [])
    found = tuple(show_name(name.strip()) for name in cells if name.strip())
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return found


def column_names(text: str) -> tuple[str, ...]:
    """Such a list of pairs as system=NAME, whose names may have commas."""
    return (
        names(text)
        if "=" not in text
        else tuple(map(show_name, re.split(r",(?=\s*[a-z]+\s*=)", text)))
    )


class AddUp(argparse.Action):
    """Of a list that is given several times all names are taken, not only the last."""

    def __call__(
        self, parser: Any, namespace: Any, values: Any, option_string: str | None = None
    ) -> None:
        setattr(
            namespace, self.dest, tuple(dict.fromkeys((*getattr(namespace, self.dest), *values)))
        )


# -------------------------------------------------------------------------------------------------
# The test set or the task that the options name.


#: What names a test set, the first that is given, and the options that may join it.
_JOINING = {
    "demo_task": (),
    "demo": ("demo_segments", "demo_references"),
    "demo_segments": ("demo_references",),
    "folder": ("run", "parse"),
    "xml": ("run",),
    "sacrebleu": ("system", "run"),
    "ref": ("system", "run", "parse", "src", "docs"),
    "system": ("src", "docs"),
}
_FILES = (
    "folder",
    "ref",
    "system",
    "run",
    "src",
    "docs",
    "xml",
    "sacrebleu",
    "parse",
    "demo",
    "demo_segments",
    "demo_references",
)
_ABOUT_TEXTS = ("refs", "refs_as_systems", "keep_canary", "ids", "tokenize")
#: Options of commands that take one language pair or a whole task, which say nothing of a whole
#: task.
_OF_ONE_PAIR = ("langpair", "domain", "tokenize", "lowercase", "ids", "columns", "parse")


def source_from(args: Namespace, whole_task: bool = False) -> Source | None:
    """The source that the options name, None without any; checked for contradictions, not read.

    A folder without a language pair is a `whole_task`, where that may be.
    """
    _check_companions(args)
    given = [
        name
        for name in _FILES
        if getattr(args, name) not in (None, []) and getattr(args, name) is not False
    ]
    kind = next(
        (name for name in _JOINING if name in given or name == "demo_task" and args.demo_task), None
    )
    if kind == "system" and not args.scores:
        raise SettingError(
            "--system needs a reference, or scores of its segments. Give --ref FILE, or --scores "
            "NAME=FILE."
        )
    if kind is not None:
        for other in given:
            if other not in (kind, *_JOINING[kind]):
                raise SettingError(
                    f"{_option(kind)} and {_option(other)} name two sources. Give one of them."
                )
    elif given and given != ["parse"]:
        raise SettingError(
            f"{_option(given[0])} needs a reference. Give at least one with --ref FILE."
        )
    elif not args.scores:
        return None
    elif wrong := next((name for name in _ABOUT_TEXTS if getattr(args, name)), None):
        raise SettingError(
            f"{_option(wrong)} is about texts, and there are only scores. Leave it out, or give the "
            "texts too."
        )
    if kind == "folder" and args.langpair is None and not whole_task:
        pairs = pairs_of(args.folder)
        raise SettingError(
            f"--folder needs --langpair. {args.folder} has: {', '.join(pairs) or 'none'}."
        )
    values = _values(args, Source) | {
        "ref": tuple(map(_named, args.ref)),
        "system": tuple(map(_named, args.system)),
    }
    values |= {name: _split_named(name, getattr(args, name)) for name in ("run", "parse", "scores")}
    values |= {
        "demo": args.demo_segments or (0 if args.demo else None),
        "demo_references": 1 if args.demo_references is None else args.demo_references,
    }
    return Source(**values)


def _check_companions(args: Namespace) -> None:
    """Refuse options that mean nothing without another."""
    given = vars(args)
    if given.get("tokenize") is not None:
        check_tokenizer(args.tokenize)
    if (n := given.get("demo_segments")) is not None and n < 1:
        raise SettingError(f"--demo-segments is {n}. Expected at least 1.")
    about_tables = any(map(given.get, ("raters", "lower_is_better", "higher_is_better")))
    tables = (
        args.scores or about_tables and args.folder and has_scores(args.folder)
    )  # it looks into the folder
    demo = any(map(given.get, ("demo", "demo_segments", "demo_task")))
    for name, is_there, what in (
        ("raters", tables, "--scores NAME=FILE"),
        ("mqm_weights", args.scores, "--scores NAME=FILE"),
        ("lower_is_better", tables, "--scores NAME=FILE"),
        ("higher_is_better", tables, "--scores NAME=FILE"),
        ("systems_table", args.folder, "--folder DIR, a shared task"),
        ("ids", args.scores, "--scores NAME=FILE"),
        ("columns", args.scores, "--scores NAME=FILE"),
        ("keep_withdrawn", args.folder, "--folder DIR, a shared task"),
        ("keep_canary", not demo, "texts from files"),
        ("langpair", not demo or given.get("demo_task"), "texts from files, or --demo-task"),
        ("demo_references", demo, "--demo or --demo-segments"),
    ):
        if (value := given.get(name)) is not False and value not in (None, [], ()) and not is_there:
            raise SettingError(f"{_option(name)} needs {what}.")


def task_source(args: Namespace, **more: Any) -> TaskSource:
    """The task that the options name, not read, with the ratings that lie beside its texts; `more`
    are further fields of it.
    """
    _check_companions(args)
    files = {
        name: _split_named(name, getattr(args, name), of_task=True) for name in ("scores", "run")
    }
    source = TaskSource(**_values(args, TaskSource) | files | {"exclude": ()} | more).name_pairs()
    source, sentences = source.join_tables_beside()
    for sentence in sentences:
        print(f"mtsig: {printable(sentence)}", file=sys.stderr)
    return source


def refuse_of_one_pair(args: Namespace, *more: str) -> None:
    """Refuse the options that are for one language pair where a whole task is asked for; `more` are
    further ones.
    """
    for name in (*_OF_ONE_PAIR, *more):
        if getattr(args, name, None):
            raise SettingError(
                f"{_option(name)} is for one language pair, and all are asked for. Leave it out, or "
                "choose one with --langpair."
            )


def _values(args: Namespace, kind: type[Source | TaskSource]) -> dict[str, Any]:
    """What the options of a command say of the fields that are called as they are."""
    values = {
        field.name: getattr(args, field.name) for field in fields(kind) if hasattr(args, field.name)
    }
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }


#: An example of what an option expects of one language pair, and of a whole task.
_EXAMPLES = {
    "scores": ("human=ratings.tsv", "en-zh:esa=ratings.tsv"),
    "parse": ("GPT-4=parse.conllu", ""),
    "run": ("GPT-4=run2.txt", "en-zh:GPT-4=run2.txt"),
}


def _split_named(option: str, given: Iterable[str], of_task: bool = False) -> tuple[Any, ...]:
    """Name and file of each value of an option that needs both; of a task, the language pair before
    them.
    """
    found: list[tuple[str | None, ...]] = []
    for text in given:
        if of_task:
            what, _, path = text.partition("=")
            pair, _, name = what.partition(":") if ":" in what else ("", "", what)
            parts: tuple[str | None, ...] = (pair, name, path)
        else:
            parts = _named(text)
        is_named_inside = (
            of_task and option == "scores"
        )  # tables of scores may name their language pairs
        if not all(parts[1:] if is_named_inside else parts):
            form = "PAIR:NAME=FILE" if of_task else "NAME=FILE"
            raise SettingError(
                f"{_option(option)} {text}: expected {form}, such as {_EXAMPLES[option][of_task]}"
                f"{': a task has several language pairs' * of_task}."
            )
        found.append(parts)
    return tuple(found)


def _named(text: str) -> tuple[str | None, str]:
    """Split ``[NAME=]FILE``.

    Names and paths may contain ``=``: the first split that leaves a file is taken.
    """
    splits = [(text[:k], text[k + 1 :]) for k, ch in enumerate(text) if ch == "="]
    for name, path in ((None, text), *splits):
        if os.path.isfile(path):  # False, not an error, for a path too long to be one
            return name and show_name(name), path
    return (
        (show_name(splits[0][0]), splits[0][1])
        if splits and "/" not in splits[0][0]
        else (None, text)
    )


# -------------------------------------------------------------------------------------------------
# Groups of options that commands share.


#: What the command line says of arguments of the core that have the same meaning everywhere.
_ABOUT: dict[str, dict[str, Any]] = {
    **{
        name: dict(type=one.kind, metavar="|".join(one.values) or one.letter, help=one.help)
        for name, one in SETTINGS.items()
    },
    "repeats": dict(type=int, metavar="N", help="number of test sets to draw"),
    "power": dict(type=float, metavar="P", help="how often the test should find the difference"),
    "jobs": dict(
        type=int, metavar="N", help="threads, -1 for all cores; results do not depend on it"
    ),
    "rule": dict(metavar="2025|2024", help="the year of WMT whose rule is used"),
    "system": dict(metavar="NAME", help="the system to look at (default: the best)"),
    "beside": dict(
        metavar="NAME", help="the system to compare with it (default: the best of the others)"
    ),
    "most": dict(type=int, metavar="N", help="stop after N segments"),
    "n": dict(type=int, metavar="N", help="number of scores in a sample, for the density of t"),
    "size": dict(type=int, metavar="N", help="number of segments in a sample"),
    "shuffle": dict(action="store_true", help="put the segments in a random order first"),
    "pool": dict(
        type=int, metavar="N", help="number of resamples (default: as many as take a few seconds)"
    ),
    "a": dict(metavar="NAME", help="the first system (default: the best by the first metric)"),
    "b": dict(metavar="NAME", help="the second system (default: the best of the others)"),
    "n_pairs": dict(type=int, metavar="N", help="number of null pairs of each kind"),
    "n_segments": dict(
        type=int,
        metavar="N",
        help="segments of each test set (default: 300, variants 2000, or all; "
        "pair: a broad sample)",
    ),
    "n_documents": dict(
        type=int,
        metavar="N",
        help="documents of each test set drawn by document (default: 110 for "
        "type1, 30 for coverage, or all)",
    ),
    "systems": dict(type=int, metavar="N", help="number of systems of the largest family"),
    "better": dict(
        type=int, metavar="N", help="number of these that are truly better than the others"
    ),
}


def add_arguments(group: _ArgumentGroup, called: str | Callable[..., Any], **helps: str) -> None:
    """Options for the arguments of a command, or of a function of the core: those known here, with
    its defaults, and with `helps` in place of the usual help of some.
    """
    for name, usual in defaults(called).items():
        if name in _ABOUT:
            about = _ABOUT[name] | ({"help": helps[name]} if name in helps else {})
            said = "" if usual is None or usual is False else f" (default: {usual})"
            group.add_argument(
                f"--{option_name(name).replace('_', '-')}",
                default=usual,
                **about | {"help": about["help"] + said},
            )
        if name == "jobs":
            group.add_argument(
                "--dask",
                metavar="ADDRESS",
                help="compute on a Dask cluster with this scheduler, such "
                "as tcp://HOST:PORT; results do not depend on it",
            )


def given(args: Namespace, called: str | Callable[..., Any]) -> dict[str, Any]:
    """What the options say of the arguments of a command, or of a function of the core."""
    return {name: getattr(args, option_name(name)) for name in defaults(called) if name in _ABOUT}


def add_options(
    sub: ArgumentParser,
    command: str,
    formats: Sequence[str],
    extra: Callable[[ArgumentParser], None] | None = None,
    **helps: str,
) -> None:
    """The options of a command on one test set: its source, metrics, the systems to compare,
    settings, and output. `extra` adds those of its own before the settings; `helps` as in
    `add_arguments`.
    """
    add_source_options(sub)
    if command != "agreement":  # which has others
        add_metric_options(sub)
    add_choice_of_systems(sub)
    if extra is not None:
        extra(sub)
    if defaults(command):
        add_arguments(sub.add_argument_group("test"), command, **helps)
    add_output_options(sub, formats)


def add_source_options(sub: ArgumentParser) -> None:
    rows: dict[str, SourceOption] = {}
    for name, option in list_options(Source).items():
        if name not in _CHOICE:
            rows[name] = option
        if name == "demo":  # a part of the corpus has an option of its own, and the same field
            about = "the first N segments of the simulated corpus"
            rows["demo_segments"] = SourceOption("N", about)
    _add_rows(
        sub.add_argument_group("test set (text files, a shared task, tables of scores, or a demo)"),
        rows,
    )


def add_choice_of_systems(sub: ArgumentParser) -> None:
    options = list_options(Source)
    group = sub.add_argument_group("systems and segments")
    _add_rows(group, {name: options[name] for name in _CHOICE})


def add_task_source(group: _ArgumentGroup) -> None:
    _add_rows(group, list_options(TaskSource))


def add_pairs(group: ArgumentParser | _ArgumentGroup) -> None:
    _add_rows(group, {"pairs": list_options(TaskSource)["pairs"]})


def add_metric_options(
    sub: ArgumentParser,
    default: str = "human scores where a command compares systems, else bleu; "
    "without texts, all --scores",
    lowercase: bool = True,
) -> _ArgumentGroup:
    group = sub.add_argument_group("metrics")
    about = f"metrics to use (default: {default})"
    rows = {"metrics": SourceOption("NAME,...", about)}
    if lowercase:
        rows["lowercase"] = SourceOption("", "ignore case")
    _add_rows(group, rows)
    return group


def add_output_options(sub: ArgumentParser, formats: Sequence[str]) -> None:
    group = sub.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help=f"form of the result (default: {formats[0]})",
    )
    group.add_argument(
        "--out",
        metavar="FILE",
        type=lambda path: None if path in ("-", "/dev/stdout") else path,
        help="write to this file (default: -, standard output)",
    )
