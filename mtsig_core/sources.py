"""Where a test set comes from: the source options that the command line and `serve` share."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mtsig_core.errors import NotYetError, SettingError
from mtsig_core.metrics import check_tokenizer
from mtsig_core.readers import join_scores, language_pairs, read_scores, read_text, read_wmt
from mtsig_core.testset import TestSet

__all__ = ["Source", "add_source_options", "command_line", "option_with", "source_from"]


@dataclass(frozen=True)
class Source:
    """Where a test set comes from, and what to take of it.

    Attributes
    ----------
    ref, system : tuple of (str or None, str)
        (name, file) of references and outputs.
    folder : str or None
        A shared-task folder in WMT layout, in place of files; needs `langpair`.
    refs : tuple of str
        References to score with; empty for all.
    parse : tuple of (str, str)
        (name, file) of dependency parses of references and outputs.
    demo : int or None
        The first so many segments of the simulated corpus, in place of files; 0 for all of them.
    demo_references : int
        The references that it has.
    scores : tuple of (str, str)
        (name, file) of segment scores, which join the texts, or are all there is.
    lower_is_better : tuple of str
        Names of scores of which the lowest is best.
    ids : str or None
        File with the id of each line of the texts, by which the tables of scores name them.
    tokenize : str or None
        What to split the texts with; None: by the language pair.
    """

    ref: tuple = ()
    system: tuple = ()
    src: str | None = None
    docs: str | None = None
    folder: str | None = None
    langpair: str | None = None
    refs: tuple[str, ...] = ()
    refs_as_systems: bool = False
    keep_canary: bool = False
    demo: int | None = None
    parse: tuple = ()
    scores: tuple = ()
    lower_is_better: tuple[str, ...] = ()
    ids: str | None = None
    demo_references: int = 1
    tokenize: str | None = None

    def read(self) -> TestSet:
        """Read and check the files."""
        if not self.has_texts:
            return read_scores(self.scores, self.lower_is_better)
        testset = self._read_texts()
        if self.tokenize is not None:
            testset = replace(testset, tokenizer=self.tokenize)
        if self.scores:
            testset = join_scores(testset, self.scores, self.lower_is_better, ids=self.ids)
        if self.refs or self.refs_as_systems:
            testset = testset.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        return testset

    def _read_texts(self):
        if self.demo is not None:
            from mtsig_core.simulation import load_demo

            return load_demo(self.demo or None, self.demo_references)
        if self.folder is not None:
            return read_wmt(self.folder, self.langpair, parses=self.parse, keep_canary=self.keep_canary)
        return read_text(self.ref, self.system, sources=self.src, documents=self.docs,
                         parses=self.parse, langpair=self.langpair, keep_canary=self.keep_canary)

    @property
    def has_texts(self) -> bool:
        """Whether there are texts, not segment scores alone."""
        return bool(self.ref) or self.folder is not None or self.demo is not None

    def files(self) -> list[str]:
        """The files it is read from; of a folder, all that are in it."""
        inside = [] if self.folder is None else [str(path) for path in Path(self.folder).rglob("*")]
        single = [path for path in (self.src, self.docs, self.ids) if path is not None]
        named = [path for _, path in (*self.ref, *self.system, *self.parse, *self.scores)]
        return [path for path in (*inside, *named, *single) if os.path.isfile(path)]

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        if self.demo is not None:
            return "simulated corpus" + (f", {self.demo} segments" if self.demo else "") + (
                f", {self.demo_references} references" if self.demo_references > 1 else "")
        if self.folder is not None:
            return f"{Path(self.folder).name} {self.langpair}"
        if not self.has_texts:
            return f"scores {Path(self.scores[0][1]).name}"
        return f"{len(self.system)} {'system' if len(self.system) == 1 else 'systems'}, {Path(self.ref[0][1]).name}"

    def arguments(self) -> list[str]:
        """The options that name this source on the command line."""
        given = [("--folder", self.folder), ("--demo-segments", str(self.demo) if self.demo else None),
                 ("--demo-references", str(self.demo_references) if self.demo_references > 1 else None)]
        given += [("--ref", path if name is None else f"{name}={path}") for name, path in self.ref]
        given += [("--system", path if name is None else f"{name}={path}") for name, path in self.system]
        given += [("--parse", f"{name}={path}") for name, path in self.parse]
        given += [("--src", self.src), ("--docs", self.docs), ("--langpair", self.langpair)]
        given += [("--refs", ",".join(self.refs) or None)]
        given += [("--scores", f"{name}={path}") for name, path in self.scores]
        given += [("--lower-is-better", name) for name in self.lower_is_better]
        given += [("--ids", self.ids), ("--tokenize", self.tokenize)]
        flags = [("--demo", self.demo == 0), ("--refs-as-systems", self.refs_as_systems),
                 ("--keep-canary", self.keep_canary)]
        return [*(part for option, value in given if value is not None for part in option_with(option, value)),
                *(flag for flag, on in flags if on)]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Source:
        values = json.loads(text)
        values |= {key: tuple(map(tuple, values[key])) for key in ("ref", "system", "scores", "parse")}
        return cls(**values | {key: tuple(values[key]) for key in ("refs", "lower_is_better")})


def add_source_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("source (text files, a shared-task folder, or the simulated corpus)")
    add = group.add_argument
    add("--ref", action="append", default=[], metavar="[NAME=]FILE", help="reference, one segment per line; repeatable")
    add("--system", action="append", default=[], metavar="[NAME=]FILE",
        help="system output, one segment per line; repeatable. The name defaults to the file's stem")
    add("--parse", action="append", default=[], metavar="NAME=FILE",
        help="parse in CoNLL-U of the output or reference of that name, for dep-f; repeatable")
    add("--src", metavar="FILE", help="source text")
    add("--docs", metavar="FILE", help="documents: a line per segment, docid or domain<TAB>docid")
    add("--folder", metavar="DIR", help="folder in WMT layout: references/, system-outputs/, documents/, sources/")
    add("--langpair", metavar="XX-YY", help="language pair, such as en-de")
    add("--tokenize", metavar="NAME", help="a tokenizer of sacreBLEU (default: by target language, else 13a)")
    add("--refs", type=names, default=(), metavar="NAME,...", help="references to score with (default: all)")
    add("--refs-as-systems", action="store_true",
        help="let the references not chosen by --refs, and those with ratings, act as systems")
    add("--keep-canary", action="store_true", help="keep the lines that the documents file calls canary")
    add("--demo", action="store_true", help="the simulated corpus: 30,000 segments, six systems")
    add("--demo-segments", type=int, metavar="N", help="its first N segments")
    add("--demo-references", type=int, metavar="N", help="that it is scored with, 1 to 9 (default: 1)")
    add("--scores", action="append", default=[], metavar="NAME=FILE",
        help="segment scores (TSV, CSV, JSONL, Parquet, COMET's JSON), alone or with texts; repeatable")
    add("--lower-is-better", action="append", default=[], metavar="NAME", help="scores of which the lowest is best")
    add("--ids", metavar="FILE", help="ids of the lines of the texts, one per line, that the tables of scores refer to")
    for option in ("--xml", "--sacrebleu"):
        add(option, action="append", default=[], metavar="...", help="not yet")


def source_from(args: argparse.Namespace) -> Source | None:
    """The source that the options name, None without any; checked for contradictions, not read."""
    for option in ("xml", "sacrebleu"):
        if getattr(args, option):
            raise NotYetError(f"--{option.replace('_', '-')} is not there yet. "
                              "Use --ref and --system, --folder and --langpair, or --demo.")
    tables = {"scores": tuple(map(_named_scores, args.scores)), "lower_is_better": tuple(args.lower_is_better),
              "ids": args.ids, "tokenize": args.tokenize}
    if args.tokenize is not None:
        check_tokenizer(args.tokenize)
    if args.lower_is_better and not args.scores:
        raise SettingError("--lower-is-better goes with --scores NAME=FILE, and there is none.")
    if args.ids and not args.scores:
        raise SettingError("--ids goes with --scores NAME=FILE, and there is none.")
    parses = tuple(map(_named_parse, args.parse))
    files = {"--ref": args.ref, "--system": args.system, "--src": args.src, "--docs": args.docs}
    given = [option for option, value in files.items() if value]
    if args.demo or args.demo_segments is not None:
        for option, value in {**files, "--folder": args.folder, "--parse": parses}.items():
            if value:
                raise SettingError(f"--demo and {option} name two sources. Give one of them.")
        if args.demo_segments is not None and args.demo_segments < 1:
            raise SettingError(f"--demo-segments is {args.demo_segments}. Expected at least 1.")
        references = 1 if args.demo_references is None else args.demo_references
        return Source(demo=args.demo_segments or 0, demo_references=references, refs=tuple(args.refs),
                      refs_as_systems=args.refs_as_systems, **tables)
    if args.demo_references is not None:
        raise SettingError("--demo-references goes with --demo or --demo-segments, and neither is there.")
    if args.folder is not None:
        if given:
            raise SettingError(f"--folder and {given[0]} name two sources. Give one of them.")
        if args.langpair is None:
            pairs = language_pairs(args.folder)
            raise SettingError(f"--folder needs --langpair. {args.folder} has: {', '.join(pairs) or 'none'}.")
    elif not given:
        return _scores_alone(args, tables) if args.scores else None
    elif not args.ref:
        raise SettingError(f"{given[0]} needs a reference. Give at least one with --ref FILE.")
    return Source(tuple(map(_named, args.ref)), tuple(map(_named, args.system)), args.src, args.docs, args.folder,
                  args.langpair, args.refs, args.refs_as_systems, args.keep_canary, parse=parses, **tables)


def _scores_alone(args, tables):
    """Scores without texts; what is about texts is out of place then."""
    about_texts = {"--langpair": args.langpair, "--refs": args.refs, "--refs-as-systems": args.refs_as_systems,
                   "--keep-canary": args.keep_canary, "--ids": args.ids, "--tokenize": args.tokenize}
    for option, value in about_texts.items():
        if value:
            raise SettingError(f"{option} is about texts, and there are scores alone. Leave it out, or give the texts "
                               "too.")
    return Source(**tables)


def option_with(option: str, value: str) -> list[str]:
    """An option and its value as arguments, also where the value would be taken for an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def command_line(command: str, *given: str, usual: Mapping[str, object] | None = None, **asked: object) -> str:
    """The command line that prints some numbers.

    Parameters
    ----------
    command : str
        Such as ``"sweep size"``.
    given : str
        Arguments as they are: those of the source, and flags.
    usual : mapping, optional
        Defaults, by option.
    asked
        Options; one that is None or as usual is left out.

    Examples
    --------
    >>> command_line("sweep size", "--demo", usual={"seed": 0}, seed=0, alpha=None, system_name="-x")
    'python -m mtsig_core sweep size --demo --system-name=-x'
    """
    usual = usual or {}
    more = [part for key, value in asked.items() if value is not None and value != usual.get(key)
            for part in option_with(f"--{key.replace('_', '-')}", str(value))]
    return shlex.join(["python", "-m", "mtsig_core", *command.split(), *given, *more])


def names(text: str) -> tuple[str, ...]:
    """A comma-separated list."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _named_scores(text):
    name, path = _named(text)
    if name is None or not path:
        raise SettingError(f"--scores {text}: expected NAME=FILE, such as human=ratings.tsv.")
    return name, path


def _named_parse(text):
    name, path = _named(text)
    if name is None:
        raise SettingError(f"--parse {text} names no text. Expected NAME=FILE, with the name of a system or reference.")
    return name, path


def _named(text):
    """Split ``[NAME=]FILE``. Names and paths may contain ``=``: the first split that leaves a file is taken."""
    splits = [(None, text)] + [(text[:k], text[k + 1:]) for k, ch in enumerate(text) if ch == "="]
    for name, path in splits:
        if os.path.isfile(path):  # False, not an error, for a path too long to be one
            return name, path
    return splits[1] if len(splits) > 1 and "/" not in splits[1][0] else splits[0]
