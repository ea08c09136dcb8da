"""The options of the commands: test sets, tasks, and the groups that commands share."""

from __future__ import annotations

import argparse
import csv
import math
import os
import re
import sys
from argparse import ArgumentParser, Namespace, _ArgumentGroup
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from glob import glob
from typing import Any

from mtsig_core.cli.scorers import SCORERS, parse_scorer
from mtsig_core.errors import SettingError
from mtsig_core.experiments.release import RELEASE_RULES
from mtsig_core.metrics import check_tokenizer
from mtsig_core.readers.files import IN_MEMORY, STANDARD_INPUT
from mtsig_core.readers.limits import local_limit
from mtsig_core.readers.lines import read_text_table_file
from mtsig_core.readers.tasks import has_scores, pairs_of
from mtsig_core.readers.texts import PairFile, index_by_name
from mtsig_core.report.commands import defaults, option_flag, option_name
from mtsig_core.report.text import print_note
from mtsig_core.source import Source, SourceOption, TaskSource, list_options
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.testset import show_name

# -------------------------------------------------------------------------------------------------
# Options of test sets and tasks are the fields of `Source` and `TaskSource`, where their help is.

#: Options of a test set that are a group of their own.
_CHOICE = ("only", "exclude", "domain")


def _add_rows(
    group: ArgumentParser | _ArgumentGroup,
    rows: Mapping[str, SourceOption],
    n_values: int | str = "+",
) -> None:
    """Add options; each time that a repeated one is given it takes `n_values` values."""
    for name, option in rows.items():
        settings: dict[str, Any] = {"metavar": option.value}
        if not option.value:
            settings = {"action": "store_true"}
        elif option.is_repeated:
            settings |= {"action": "extend", "nargs": n_values, "default": []}
        elif option.is_list:
            parse_list = parse_columns if name == "columns" else parse_names
            settings |= {"type": parse_list, "action": AddUp, "default": ()}
        elif option.value == "N":
            # None where it is not given, so that other options can be checked against it
            settings["type"] = int
        group.add_argument(option_flag(name), help=option.about, **settings)


def parse_names(text: str) -> tuple[str, ...]:
    """Read a comma-separated list.

    An empty list is refused, because it can come from an unset shell variable; it does not mean
    all. As in CSV, a name with a comma is in quotation marks.

    >>> parse_names('A,"B, or C"')
    ('A', 'B, or C')
    """
    cells = next(csv.reader([text], skipinitialspace=True), [])
    names = tuple(show_name(cell.strip()) for cell in cells if cell.strip())
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r} names nothing")
    return names


def parse_columns(text: str) -> tuple[str, ...]:
    """Read a list of pairs such as system=NAME, whose names may have commas."""
    if "=" not in text:
        return parse_names(text)
    return tuple(show_name(pair) for pair in re.split(r",(?=\s*[a-z]+\s*=)", text))


class AddUp(argparse.Action):
    """Add up the names of an option that is given several times."""

    def __call__(
        self,
        parser: Any,  # noqa: ARG002  argparse passes it
        namespace: Any,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002  argparse passes it
    ) -> None:
        """Add the names to those that are there."""
        names = (*getattr(namespace, self.dest), *values)
        setattr(namespace, self.dest, tuple(dict.fromkeys(names)))


# -------------------------------------------------------------------------------------------------
# The test set or the task that the options name.


#: Options that name a test set, the strongest first, and the options that may join each.
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
_FILES = (*_JOINING, "run", "src", "docs", "parse", "demo_references")
_ABOUT_TEXTS = ("refs", "keep_canary", "ids", "tokenize")
#: Options about one language pair, of commands that take one or a whole task.
_OF_ONE_PAIR = ("langpair", "domain", "tokenize", "lowercase", "ids", "columns", "parse")
#: Options that need tables of scores.
_OF_SCORES = ("raters", "mqm_weights", "lower_is_better", "higher_is_better")
_OF_FOLDERS = ("systems_table", "keep_withdrawn")


def source_from(args: Namespace, whole_task: bool = False) -> Source | None:
    """The source that the options name, checked for contradictions and not read.

    Parameters
    ----------
    whole_task : bool
        Whether a folder may come without a language pair.

    Returns
    -------
    Source or None
        None where no option names a source.
    """
    _check_companions(args)
    given_names = [name for name in _FILES if _is_given(getattr(args, name))]
    kind = next((name for name in _JOINING if name in given_names), None)
    if kind is not None:
        _check_one_source(args, kind, given_names)
    elif given_names and given_names != ["parse"]:
        raise SettingError(
            f"{option_flag(given_names[0])} needs a reference. Give at least one with --ref FILE."
        )
    elif not args.scores:
        return None
    else:
        for name in _ABOUT_TEXTS:
            if getattr(args, name):
                raise SettingError(
                    f"{option_flag(name)} needs texts, but there are only scores. Remove it, or "
                    "give the texts too."
                )
    if kind == "folder" and args.langpair is None and not whole_task:
        pairs = ", ".join(pairs_of(args.folder)) or "none"
        raise SettingError(f"--folder needs --langpair. {args.folder} has: {pairs}.")
    _drop_other_files(args)
    values = _read_fields(args, Source)
    for name in ("ref", "system"):
        values[name] = tuple(_split_file(text) for text in getattr(args, name))
    for name in ("run", "parse", "scores"):
        values[name] = tuple(_split_named(name, text) for text in getattr(args, name))
    values["demo"] = 0 if args.demo else None
    if args.demo_segments:
        values["demo"] = args.demo_segments
    if args.demo_references is None:
        values["demo_references"] = 1
    return Source(**values)


def _drop_other_files(args: Namespace) -> None:
    """Take out of the systems what is another file of the test set: a pattern may match these too."""
    others = {os.path.realpath(_split_file(text)[1]) for text in args.ref}
    others |= {os.path.realpath(path) for path in (args.src, args.docs) if path is not None}
    kept = []
    for text in args.system:
        is_other = os.path.realpath(text) in others
        if len(args.system) > 1 and is_other and read_text_table_file(text) is None:
            note = "is another file of the test set, so it is not compared as a system."
            print_note(f"{text} {note}")
        else:
            kept.append(text)
    args.system = kept


def _check_one_source(args: Namespace, kind: str, given_names: Sequence[str]) -> None:
    """Refuse options that name a source next to the one of this kind."""
    if kind == "system" and not (args.scores or args.scorer):
        raise SettingError(
            "--system needs a reference, or scores of its segments. Give --ref FILE, or --scores "
            "NAME=FILE."
        )
    for name in given_names:
        if name != kind and name not in _JOINING[kind]:
            raise SettingError(
                f"{option_flag(kind)} and {option_flag(name)} name two sources. Give one of them."
            )


def _is_given(value: Any) -> bool:
    return value is not False and value not in (None, [], ())


def _check_companions(args: Namespace) -> None:
    """Refuse options that need another option which is missing."""
    options = vars(args)
    if options.get("tokenize") is not None:
        check_tokenizer(args.tokenize)
    n_segments = options.get("demo_segments")
    if n_segments is not None and n_segments < 1:
        raise SettingError(f"--demo-segments is {n_segments}. Expected at least 1.")
    has_tables = bool(args.scores or args.scorer)
    if args.folder and not has_tables and any(options.get(name) for name in _OF_SCORES):
        has_tables = has_scores(args.folder)
    is_demo = any(options.get(name) for name in ("demo", "demo_segments", "demo_task"))
    has_pairs = not is_demo or options.get("demo_task")
    needs = {
        **dict.fromkeys(_OF_SCORES, (has_tables, "--scores NAME=FILE")),
        **dict.fromkeys(("ids", "columns"), (args.scores, "--scores NAME=FILE")),
        **dict.fromkeys(_OF_FOLDERS, (args.folder, "--folder DIR, a shared task")),
        "keep_canary": (not is_demo, "texts from files"),
        "langpair": (has_pairs, "texts from files, or --demo-task"),
        "demo_references": (is_demo, "--demo or --demo-segments"),
        "fail_if": (options.get("baseline"), "--baseline NAME"),
        "margin": (options.get("fail_if") == "not-noninferior", "--fail-if not-noninferior"),
    }
    for name, (is_there, companion) in needs.items():
        if not is_there and _is_given(options.get(name)):
            raise SettingError(f"{option_flag(name)} needs {companion}.")


def task_source(args: Namespace, **fields_of_task: Any) -> TaskSource:
    """The task that the options name, with the ratings next to its texts; it is not read."""
    _check_companions(args)
    values = _read_fields(args, TaskSource)
    values["set"] = tuple(_split_named("set", text) for text in values.get("set", ()))
    index_by_name(values["set"], "test set", "Give each another name.")
    for name in ("scores", "run"):
        values[name] = tuple(
            _split_of_pair(name, text, dict(values["set"])) for text in getattr(args, name)
        )
    values["exclude"] = ()
    source = TaskSource(**(values | fields_of_task)).name_pairs()
    source, sentences = source.join_tables_beside()
    for sentence in sentences:
        print_note(sentence)
    return source


def refuse_of_one_pair(args: Namespace, *names: str) -> None:
    """Refuse, for a whole task, the named options and all options about one language pair."""
    for name in (*_OF_ONE_PAIR, *names):
        if getattr(args, name, None):
            raise SettingError(
                f"{option_flag(name)} is for one language pair, but you asked for all. Remove it, "
                "or choose one with --langpair."
            )


def names_whole_task(args: Namespace) -> bool:
    """Whether the options name a folder and none of its language pairs, or several test sets."""
    names_folder = args.folder is not None and args.langpair is None
    return names_folder or bool(getattr(args, "set", ()))


def _read_fields(args: Namespace, kind: type[Source | TaskSource]) -> dict[str, Any]:
    """The fields of a source that have an option of their name."""
    values = {}
    for field in fields(kind):
        if hasattr(args, field.name):
            value = getattr(args, field.name)
            values[field.name] = tuple(value) if isinstance(value, list) else value
    scorers = dict(args.scorer)
    for name in ("lower_is_better", "higher_is_better"):
        values[name] = tuple(label for label in values[name] if label not in scorers)
    return values


def scorer_words(args: Namespace) -> list[str]:
    """The options that name commands and the directions of their scores, as printed."""
    words = []
    for name, command in args.scorer:
        words += ["--scorer", f"{name}={command}"]
        for option in ("lower_is_better", "higher_is_better"):
            if name in getattr(args, option):
                words += [option_flag(option), name]
    return words


#: An example of an option for one language pair, and for a whole task.
_EXAMPLES = {
    "scores": ("human=ratings.tsv", "en-zh:esa=ratings.tsv"),
    "parse": ("GPT-4=parse.conllu", ""),
    "run": ("GPT-4=run2.txt", "en-zh:GPT-4=run2.txt"),
    "set": ("news=newstest/", ""),
}


def _split_named(option: str, text: str) -> tuple[str, str]:
    """Split ``NAME=FILE``."""
    name, path = _split_file(text)
    if not (name and path):
        example, _ = _EXAMPLES[option]
        raise SettingError(f"{option_flag(option)} {text}: expected NAME=FILE, such as {example}.")
    return name, path


def _split_of_pair(option: str, text: str, set_names: Collection[str]) -> PairFile:
    """Split ``PAIR:NAME=FILE``; tables of scores may name their language pairs themselves."""
    label, _, path = text.partition("=")
    pair, colon, name = label.partition(":")
    if not colon:
        pair = ""
        name = label
    for set_name in set_names:  # which may have colons and equals signs
        if text.startswith(f"{set_name}:"):
            pair = set_name
            name, _, path = text.removeprefix(f"{pair}:").partition("=")
    if not (name and path and (pair or option == "scores")):
        _, example = _EXAMPLES[option]
        raise SettingError(
            f"{option_flag(option)} {text}: expected PAIR:NAME=FILE, such as {example}: a task has "
            "several language pairs."
        )
    return pair, name, path


def _split_file(text: str) -> tuple[str | None, str]:
    """Split ``[NAME=]FILE``.

    Names and paths may contain ``=``: the first split that leaves a file is taken.
    """
    if os.path.isfile(text):  # False, not an error, for a path too long to be one
        return None, text
    splits = [(text[:k], text[k + 1 :]) for k, character in enumerate(text) if character == "="]
    for name, path in splits:
        if os.path.isfile(path):
            return show_name(name), path
    label, equals, path = text.partition("=")
    if equals and "/" not in label:
        return show_name(label), path
    return None, text


def find_files(value: Any) -> Any:
    """The value of an option for files, with the matches of patterns, sorted, and standard input."""
    texts = [value] if isinstance(value, str) else value
    files: list[str] = []
    for text in texts:
        _, path = _split_file(text)
        matches = [path]
        if path == "-":
            matches = [_read_standard_input()]
        elif texts is value and not os.path.lexists(path):
            matches = sorted(glob(path)) or matches
        files += [text.removesuffix(path) + match for match in matches]
    return files if texts is value else files[0]


def _read_standard_input() -> str:
    """Keep what standard input holds; a little beyond the limit, so that its reader refuses it."""
    problem = "is a terminal, or closed"
    if IN_MEMORY:
        problem = "can be read once, and is named twice"
    elif sys.stdin is not None and not sys.stdin.isatty():
        IN_MEMORY[STANDARD_INPUT] = sys.stdin.buffer.read((local_limit("mb") << 20) + 1)
        return STANDARD_INPUT
    raise SettingError(f"-: standard input {problem}. Name a file, or send one: mtsig ... < FILE.")


# -------------------------------------------------------------------------------------------------
# Groups of options that commands share.


#: Arguments of the core that are whole numbers, with their help.
_COUNTS = {
    "repeats": "number of test sets to draw",
    "jobs": "threads, -1 for all cores; results do not depend on it",
    "most": "stop after N segments",
    "n": "number of scores in a sample, for the density of t",
    "size": "number of segments in a sample",
    "pool": "number of resamples (default: as many as take a few seconds)",
    "n_pairs": "number of null pairs of each kind",
    "n_segments": "segments of each test set (default: 300, variants 2000, or all; pair: a broad sample)",
    "n_documents": "documents of each test set drawn by document (default: 110 for type1, 30 for coverage, or all)",
    "systems": "number of systems of the largest family",
    "better": "number of these that are truly better than the others",
}
#: Arguments of the core that are the name of a system.
_NAMES = {
    "system": "the system to look at (default: the best)",
    "beside": "the system to compare with it (default: the best of the others)",
    "a": "the first system (default: the best by the first metric)",
    "b": "the second system (default: the best of the others)",
}
#: Arguments of the core that have the same meaning everywhere, as options.
_ARGUMENTS: dict[str, dict[str, Any]] = {
    **{
        name: dict(
            type=setting.kind,
            metavar="|".join(setting.values) or setting.letter,
            help=setting.help,
        )
        for name, setting in SETTINGS.items()
    },
    **{name: dict(type=int, metavar="N", help=about) for name, about in _COUNTS.items()},
    **{name: dict(metavar="NAME", help=about) for name, about in _NAMES.items()},
    "power": dict(type=float, metavar="P", help="how often the test should find the difference"),
    "rule": dict(metavar="2025|2024", help="the year of WMT whose rule is used"),
    "shuffle": dict(action="store_true", help="put the segments in a random order first"),
    "breakdown": dict(
        action="store_true",
        help="also show where the two differ: by frequency of the word, length of the segment, n-gram",
    ),
}


def add_arguments(group: _ArgumentGroup, target: str | Callable[..., Any], **helps: str) -> None:
    """Add options for the arguments of a command, or of a function of the core.

    They have its defaults; `helps` replace the usual help of some.
    """
    for name, default in defaults(target).items():
        if name in _ARGUMENTS:
            settings = {**_ARGUMENTS[name], "default": default}
            settings["help"] = helps.get(name, settings["help"])
            if default is not None and default is not False:
                settings["help"] += f" (default: {default})"
            group.add_argument(option_flag(option_name(name)), **settings)
        if name == "jobs":
            group.add_argument(
                "--dask",
                metavar="ADDRESS",
                help="compute on a Dask cluster with this scheduler, such "
                "as tcp://HOST:PORT; results do not depend on it",
            )


def read_arguments(args: Namespace, target: str | Callable[..., Any]) -> dict[str, Any]:
    """The options as arguments of a command, or of a function of the core."""
    names = [name for name in defaults(target) if name in _ARGUMENTS]
    return {name: getattr(args, option_name(name)) for name in names}


def add_options(
    parser: ArgumentParser,
    command: str,
    formats: Sequence[str],
    add_own: Callable[[ArgumentParser], None] | None = None,
    **helps: str,
) -> None:
    """Add the options of a command on one test set.

    They are its source, metrics, the systems to compare, settings, and output. `add_own` adds those
    that only this command has before the settings; `helps` as in `add_arguments`.
    """
    add_source_options(parser)
    if command != "agreement":  # which has metrics of its own
        add_metric_options(parser)
    add_choice_of_systems(parser)
    if add_own is not None:
        add_own(parser)
    if defaults(command):
        add_arguments(parser.add_argument_group("test"), command, **helps)
    add_output_options(parser, formats)


def add_source_options(parser: ArgumentParser) -> None:
    """Add the options that name a test set; the scores of commands are a metric's."""
    parser.set_defaults(scorer=[])
    rows: dict[str, SourceOption] = {}
    for name, option in list_options(Source).items():
        if name not in _CHOICE:
            rows[name] = option
        if name == "demo":  # a part of the corpus has an option of its own, and the same field
            about = "the first N segments of the simulated corpus"
            rows["demo_segments"] = SourceOption("N", about)
    title = "test set (text files, a shared task, tables of scores, or a demo)"
    _add_rows(parser.add_argument_group(title), rows)


def add_choice_of_systems(parser: ArgumentParser) -> None:
    """Add the options that choose systems and segments."""
    options = list_options(Source)
    group = parser.add_argument_group("systems and segments")
    _add_rows(group, {name: options[name] for name in _CHOICE})


def add_task_source(group: _ArgumentGroup) -> None:
    """Add the options that name a task; one value each, because a PATH may follow."""
    _add_rows(group, list_options(TaskSource), 1)


def add_pairs(group: ArgumentParser | _ArgumentGroup) -> None:
    """Add the options that choose language pairs or name test sets."""
    options = list_options(TaskSource)
    _add_rows(group, {name: options[name] for name in ("pairs", "set")})


def add_metric_options(
    parser: ArgumentParser,
    default: str = "human scores where a command compares systems, else bleu; "
    "without texts, all --scores",
    lowercase: bool = True,
) -> _ArgumentGroup:
    """Add the options of metrics; `default` says which are used by default."""
    group = parser.add_argument_group("metrics")
    about = f"metrics to use (default: {default})"
    rows = {"metrics": SourceOption("NAME,...", about)}
    if lowercase:
        rows["lowercase"] = SourceOption("", "ignore case")
    _add_rows(group, rows)
    group.add_argument(
        "--scorer",
        metavar="NAME='COMMAND'",
        type=parse_scorer,
        action="append",
        default=[],
        help="a metric that runs elsewhere: a command that is run for each system, with {source}, {output}, "
        "{reference} and {scores} for files of it, and whose scores of segments are the metric NAME; or one of "
        f"{', '.join(SCORERS)}; repeatable (docs/data.md)",
    )
    return group


def add_release_options(parser: ArgumentParser) -> None:
    """Add what scripts ask for: changes since a stored result, and whether a release may replace its baseline."""
    group = parser.add_argument_group("decision for scripts")
    group.add_argument(
        "--against",
        metavar="FILE",
        help="a stored result (JSON) on the same references and segments: show what changed since",
    )
    group.add_argument(
        "--fail-if",
        choices=RELEASE_RULES,
        help="end with status 3 if a system fails against the baseline, else with 0. worse: it is significantly worse on "
        "some test set by some metric. not-better: it is not significantly better by each metric. not-noninferior: "
        "it is not shown to lose less than the margin",
    )
    group.add_argument(
        "--margin",
        metavar="METRIC=X",
        action="append",
        default=[],
        type=_parse_margin,
        help="the loss in points that does not matter, for --fail-if not-noninferior; one for each metric",
    )


def _parse_margin(text: str) -> tuple[str, float]:
    metric, _, points = text.rpartition("=")
    with suppress(ValueError):
        margin = float(points)
        if metric and 0 < margin < math.inf:
            return metric, margin
    raise argparse.ArgumentTypeError(
        f"{text!r} is no METRIC=X with points above 0, such as bleu=0.5"
    )


def add_output_options(parser: ArgumentParser, formats: Sequence[str]) -> None:
    """Add the format, by default the first, and the file of the result."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=formats,
        help=f"form of the result (default: by the ending of --out, else {formats[0]})",
    )
    group.add_argument(
        "--out",
        metavar="FILE",
        type=_parse_output,
        help="write to this file (default: -, standard output)",
    )


#: Formats by the endings of files, with some that no command writes.
_ENDINGS = {
    "txt": "text",
    "json": "json",
    "csv": "csv",
    "md": "markdown",
    "tex": "latex",
    "typ": "typst",
    "html": "html",
    "parquet": "parquet",
    "tsv": "tsv",
    "xlsx": "xlsx",
    "pdf": "pdf",
    "docx": "docx",
    "odt": "odt",
}


def name_format(path: str | None, formats: Any) -> str:
    """The format that the ending of an output names; without an ending the first.

    >>> name_format("a.TEX", ("text", "latex")), name_format("a.v2", ("text", "latex"))
    ('latex', 'text')
    """
    _, ending = os.path.splitext(path or "")
    form: str = _ENDINGS.get(ending.lower().strip("."), formats[0])
    if form not in formats:
        raise SettingError(
            f"--out {path}: this command writes no {ending} file. Change the ending, or choose a format "
            f"with --format: {', '.join(formats)}."
        )
    return form


def _parse_output(path: str) -> str | None:
    return None if path in ("-", "/dev/stdout") else path
