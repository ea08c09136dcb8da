"""Where a test set or a shared task comes from, and what is taken of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Self, TypeVar

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, MtsigError, SettingError, explain_unknown, format_count
from mtsig_core.readers import join_scores, read_scores, read_text
from mtsig_core.readers.files import MAX_DEPTH, open_file
from mtsig_core.readers.formats import SCORE_TABLE, SEGMENTS, SYSTEMS_TABLE
from mtsig_core.readers.limits import hide_places, limit_reading, list_replacements, show_path
from mtsig_core.readers.lines import read_bytes
from mtsig_core.readers.ratings import parse_weights
from mtsig_core.readers.score_tables import list_langpairs
from mtsig_core.readers.scores import read_rated_outputs
from mtsig_core.readers.tasks import (
    SYSTEMS_FILE,
    find_systems,
    find_task,
    has_scores,
    pairs_of,
    read_pair,
    read_task,
    tables_beside,
)
from mtsig_core.readers.texts import join_runs, read_sacrebleu, set_and_pair
from mtsig_core.readers.wmt import folder_name, read_wmt_xml
from mtsig_core.schema import from_plain, parse_json, to_plain
from mtsig_core.score_names import explain_direction, told_direction
from mtsig_core.task import Task, TaskExclusion, without
from mtsig_core.testset import TestSet, show_name

#: The environment variables that tell the dashboard which test set or whole task it was started on,
#: and each of several processes where all of them listen.
SOURCE_VARIABLE, TASK_VARIABLE = "MTSIG_SERVED_SOURCE", "MTSIG_SERVED_TASK"
PORTS_VARIABLE = "MTSIG_WORKER_PORTS"
#: Fields that a task need not have been opened with: they are told, and change what is kept of it,
#: where they are set.
_LATER = ("name", "refs", "refs_as_systems")

_Result = TypeVar("_Result")
_NamedFiles = Sequence[tuple[str, str]]


@dataclass(frozen=True, kw_only=True)
class _Files:
    """What a test set and a task have in common: files, as they may be read and are named, and what
    is taken of them.
    """

    folder: str | None = None  # of a shared task, or a zip of it
    only: tuple[str, ...] = ()  # systems to compare; empty for all
    refs: tuple[str, ...] = ()  # references to score with, of those that there are; empty for all
    refs_as_systems: bool = False  # whether the others, and those with ratings, act as systems
    lower_is_better: tuple[
        str, ...
    ] = ()  # names of scores of which the lowest, or the highest, is best
    higher_is_better: tuple[str, ...] = ()
    keep_canary: bool = False
    #: Whether to keep the systems that the table of a task's systems calls withdrawn.
    keep_withdrawn: bool = False
    mqm_weights: tuple[str, ...] = ()  # of errors, such as ``major=5``, where they are not Google's
    raters: str | None = (
        None  # what several ratings of a segment are, as in `read_scores`; None for their mean
    )
    systems_table: str | None = (
        None  # that table, where it is another than ``systems.tsv`` in the folder
    )
    #: The folder that all files must lie in, links followed; they are named from there on. None for
    #: anywhere.
    below: str | None = None
    #: A folder that files are named from on screen, as below `below`; what lies elsewhere by its
    #: name alone. None names files as they were given.
    named_from: str | None = None

    def _list_paths(self) -> list[str]:
        """Its files and folders."""
        raise NotImplementedError

    def show_path(self, path: str) -> str:
        """A file of it, from `below` on, as any screen can take it."""
        return show_path(path, self.below or self.named_from)

    def show_folder(self) -> str | None:
        """The folder in the same way."""
        return None if self.folder is None else self.show_path(self.folder)

    def to_json(self) -> str:
        """As text for another process, whatever characters its paths have."""
        return json.dumps(to_plain(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` gave."""
        return from_plain(cls, parse_json(text), "The source")

    def _pick_directions(
        self, is_picked: Callable[[str], bool]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Those names of scores of which the lowest, and the highest, is best."""
        return tuple(filter(is_picked, self.lower_is_better)), tuple(
            filter(is_picked, self.higher_is_better)
        )

    def _join_scores(
        self,
        testset: TestSet,
        tables: _NamedFiles,
        is_of_tables: Callable[[str], bool],
        ids: str | None = None,
    ) -> TestSet:
        lower, higher = self._pick_directions(is_of_tables)
        return (
            join_scores(
                testset, tables, lower, ids=ids, higher_is_better=higher, **self.table_options()
            )
            if tables
            else testset
        )

    @property
    def raters_of_folder(self) -> str:
        """What the raters of a folder are taken as; where tables join it, `raters` is about
        these.
        """
        return "mean" if getattr(self, "scores", ()) else self.raters or "mean"

    def table_options(self) -> dict[str, Any]:
        """How to read tables of scores: arguments of `read_scores` and `join_scores`."""
        return {"raters": self.raters or "mean", "mqm_weights": parse_weights(self.mqm_weights)}


def _limited(method: Callable[[Any], _Result]) -> Callable[[Any], _Result]:
    """A method of `_Files` that reads files as they may be read, and whose messages name them as
    they may.
    """

    @wraps(method)
    def read(self: _Files) -> _Result:
        with (
            limit_reading(below=self.below),
            hide_places(list_replacements(self.named_from, *self._list_paths())),
        ):
            return method(self)

    return read


@dataclass(frozen=True)
class Source(_Files):
    """Where a test set comes from, and what to take of it."""

    ref: tuple[tuple[str | None, str], ...] = ()  # (name, file) of references and outputs
    system: tuple[tuple[str | None, str], ...] = ()
    src: str | None = None
    docs: str | None = None
    langpair: str | None = None  # which a folder needs
    demo: int | None = (
        # the first so many segments of the simulated corpus, in place of files; 0 for all of them
        None
    )
    demo_references: int = 1  # the references that it has
    demo_task: bool = False  # the simulated shared task, in place of files
    xml: tuple[str, ...] = ()  # XML files of a shared task, in place of files
    #: A test set that sacreBLEU knows, in place of references; `system` joins the outputs that it
    #: has.
    sacrebleu: str | None = None
    parse: tuple[
        tuple[str, str], ...
    ] = ()  # (name, file) of dependency parses of references and outputs
    run: tuple[tuple[str, str], ...] = ()  # (system, file) of the outputs of further training runs
    #: (name, file) of segment scores, which join the texts, or are all there is.
    scores: tuple[tuple[str, str], ...] = ()
    ids: str | None = (
        None  # file with the id of each line of the texts, by which the tables of scores name them
    )
    #: What columns of these tables hold, such as ``system=model``, where their names do not say it.
    columns: tuple[str, ...] = ()
    tokenize: str | None = None  # what to split the texts with; None: by the language pair
    exclude: tuple[str, ...] = ()
    domain: str | None = None  # the segments of this domain alone

    def read(self) -> TestSet:
        """Read and check the files, and take what is asked of them."""
        return self.select_part(self.read_all())

    def select_part(self, testset: TestSet) -> TestSet:
        """The systems and segments to compare, of all that were read."""
        whole, names = testset, ", ".join(self.only)
        if self.only:
            testset = testset.only(self.only)
        if self.exclude:
            remaining = whole.without(self.exclude).systems
            testset = testset.only(name for name in testset.systems if name in remaining)
        if whole.systems and not testset.systems:
            raise SettingError(
                f"No system of {testset.name} is left: exclude removes {', '.join(self.exclude)}"
                f"{f', and only {names} would take part' * bool(self.only)}. Keep one, or two to "
                "compare."
            )
        return testset if self.domain is None else testset.in_domain(self.domain)

    def include_all(self) -> Source:
        """The same with all references to score with, and the line that is a canary."""
        return replace(self, refs=(), refs_as_systems=False, keep_canary=True)

    @_limited
    def read_all(self) -> TestSet:
        """Read and check the files; all systems and segments."""
        if not self.has_texts and self.system:
            return read_rated_outputs(
                self.system,
                self.scores,
                self.lower_is_better,
                higher_is_better=self.higher_is_better,
                sources=self.src,
                documents=self.docs,
                langpair=self.langpair,
                keep_canary=self.keep_canary,
                ids=self.ids,
                **self.table_options(),
            )
        if not self.has_texts:
            return read_scores(
                self.scores,
                self.lower_is_better,
                higher_is_better=self.higher_is_better,
                langpair=self.langpair,
                **self.table_options(),
            )
        testset = self._read_texts()
        if self.tokenize is not None:
            testset = replace(testset, tokenizer=self.tokenize)
        testset = self._join_scores(testset, self.scores, self._is_of_tables, self.ids)
        if self.folder is not None and not self.keep_withdrawn:  # tables and runs may name them
            withdrawn = find_systems(self.folder, self.systems_table).withdrawn
            if names := [name for name in testset.systems if name in withdrawn]:
                table = (
                    SYSTEMS_FILE
                    if self.systems_table is None
                    else show_name(Path(self.systems_table).name)
                )
                note = Assumption("withdrawn", {"table": table, "names": names})
                testset = replace(testset.without(names), assumed=(note, *testset.assumed))
        if self.refs or self.refs_as_systems:
            testset = testset.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        return testset

    def table_options(self) -> dict[str, Any]:
        """How to read tables of scores: arguments of `read_scores` and `join_scores`."""
        if wrong := next((one for one in self.columns if not all(one.partition("="))), None):
            raise SettingError(
                f"columns: {show_name(wrong)!r}. Expected pairs such as system=model,line=segment."
            )
        columns = {
            held.strip(): name.strip()
            for held, _, name in (one.partition("=") for one in self.columns)
        }
        return {**super().table_options(), "columns": columns}

    def _is_of_tables(self, name: str) -> bool:
        """Whether scores of that name come from tables, not from the folder of a task that has
        scores.
        """
        return name in dict(self.scores) or self.folder is None or not has_scores(self.folder)

    def _read_texts(self) -> TestSet:
        if self.run and not self.ref:
            return join_runs(
                replace(self, run=(), keep_canary=True)._read_texts(), self.run, self.keep_canary
            )
        if self.demo_task:
            from mtsig_core.simulation.corpus import shared_task, simulated_task

            return (
                shared_task()
                if self.langpair is None
                else simulated_task([self.langpair]).testsets[self.langpair]
            )
        if self.demo is not None:
            from mtsig_core.simulation.corpus import load_demo

            return load_demo(self.demo or None, self.demo_references)
        if self.folder is not None:
            if self.langpair is None:
                pairs = pairs_of(self.folder)
                raise SettingError(
                    f"{self.folder} is read for one language pair. It has: {', '.join(pairs)}.",
                    {"langpair": "XX-YY"},
                )
            lower, higher = self._pick_directions(lambda name: not self._is_of_tables(name))
            return read_pair(
                self.folder,
                self.langpair,
                parses=self.parse,
                keep_canary=self.keep_canary,
                lower_is_better=lower,
                higher_is_better=higher,
                raters=self.raters_of_folder,
            )
        if self.xml:
            return read_wmt_xml(self.xml, self.langpair, keep_canary=self.keep_canary)
        if self.sacrebleu is not None:
            return read_sacrebleu(
                self.sacrebleu, self.langpair, self.system, keep_canary=self.keep_canary
            )
        return read_text(
            self.ref,
            self.system,
            sources=self.src,
            documents=self.docs,
            parses=self.parse,
            runs=self.run,
            langpair=self.langpair,
            keep_canary=self.keep_canary,
        )

    @property
    def has_texts(self) -> bool:
        """Whether there are texts, not segment scores alone."""
        return (
            bool(self.ref or self.xml or self.sacrebleu)
            or self.folder is not None
            or self.simulated
        )

    @property
    def simulated(self) -> bool:
        """Whether it is made up, so that nothing is read from the user's files."""
        return self.demo is not None or self.demo_task

    def files(self) -> list[str]:
        """The files it is read from; of a folder, all that are in it."""
        members = [] if self.folder is None else map(str, Path(self.folder).rglob("*"))
        return [path for path in (*members, *self._list_paths()) if os.path.isfile(path)]

    def _list_paths(self) -> list[str]:
        named_files = (
            path for _, path in (*self.ref, *self.system, *self.run, *self.parse, *self.scores)
        )
        paths = (
            self.folder,
            self.src,
            self.docs,
            self.ids,
            self.systems_table,
            *self.xml,
            *named_files,
        )
        return [path for path in paths if path is not None]

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        if self.demo_task:
            return "simulated shared task" + (f" {self.langpair}" if self.langpair else "")
        if self.demo is not None:
            return (
                "simulated corpus"
                + (f", {self.demo} segments" if self.demo else "")
                + (f", {self.demo_references} references" if self.demo_references > 1 else "")
            )
        if self.folder is not None:
            return f"{show_name(folder_name(self.folder))} {self.langpair}"
        if self.xml:
            return show_name(Path(self.xml[0]).name)
        if self.sacrebleu is not None:
            return " ".join(filter(None, set_and_pair(self.sacrebleu, self.langpair)))
        if not self.has_texts:
            return f"scores {show_name(Path(self.scores[0][1]).name)}"
        return f"{format_count(len(self.system), 'system')}, {show_name(Path(self.ref[0][1]).name)}"


@dataclass(frozen=True)
class TaskSource(_Files):
    """Where a shared task comes from, as `read_task` reads it, and what to take of it; the fields
    are those of the command ``task``. No folder stands for the simulated task.
    """

    folder: str | None = None
    pairs: tuple[str, ...] = ()  # language pairs; all if empty
    track: str | None = None  # "constrained" or "unconstrained": only the systems of that track
    exclude: tuple[TaskExclusion, ...] = ()  # systems to leave out, in all language pairs or in one
    #: (language pair, name, file) of tables of segment scores, such as those of people, which join
    #: its texts.
    scores: tuple[tuple[str, str, str], ...] = ()
    run: tuple[
        tuple[str, str, str], ...
    ] = ()  # (language pair, system, file) of the outputs of further training runs
    name: str | None = None  # what to call the task; None for the name of its folder

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        return show_name(
            self.name or ("simulated task" if self.folder is None else folder_name(self.folder))
        )

    @_limited
    def check(self) -> None:
        """Read the language pairs that are chosen, or that tables and runs are given for: their
        mistakes show without all of the task being read.
        """
        if pairs := self.pairs or tuple(
            dict.fromkeys(pair for pair, _, _ in (*self.scores, *self.run))
        ):
            replace(self, pairs=pairs).read()
        elif self.folder is not None:
            pairs_of(self.folder), find_systems(self.folder, self.systems_table)

    @_limited
    def read(self) -> Task:
        """Read and check the files, and take what is asked of them."""
        task = self._read_texts()
        for pair, name, _ in (*self.scores, *self.run):
            if pair not in task.testsets:
                raise self._make_pair_error(pair, name, task)
        if self.run:
            task = task.map_testsets(
                lambda pair, testset: join_runs(
                    testset, _select_files(pair, self.run), self.keep_canary
                )
            )
        if self.scores:
            task = task.map_testsets(
                lambda pair, testset: self._join_scores(
                    testset,
                    tables := _select_files(pair, self.scores),
                    lambda name: name in dict(tables),
                )
            )
            task = replace(task, assumed=(*task.assumed, *self._explain_directions(task.testsets)))
        table = find_systems(self.folder, self.systems_table)
        infos = {
            name: info
            for name, info in table.systems.items()
            if not self.pairs or name in task.systems
        }
        task = replace(
            task,
            systems={**task.systems, **infos},
            primary=table.primary,
            rank_rule=table.rank_rule,
        )
        if not self.keep_withdrawn and (
            names := [name for name in table.withdrawn if name in infos]
        ):
            task = task.without(names)
        if self.refs or self.refs_as_systems:
            task = task.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        if self.name is not None:
            task = task.rename(self.name)
        if self.track is not None:
            task = task.of_track(self.track)
        if self.only:
            task = task.only(self.only)
        return without(task, self.exclude)

    def _read_texts(self) -> Task:
        if self.folder is None:
            from mtsig_core.simulation.corpus import simulated_task

            return simulated_task(self.pairs or None)
        lower, higher = self._pick_directions(lambda name: name not in self._list_names())
        return read_task(
            self.folder,
            self.pairs or None,
            lower_is_better=lower,
            higher_is_better=higher,
            keep_canary=self.keep_canary or bool(self.run),
            raters=self.raters_of_folder,
        )

    def _list_names(self, *pairs: str) -> set[str]:
        """What the tables of scores are called, of all language pairs or of some."""
        return {name for pair, name, _ in self.scores if not pairs or pair in pairs}

    @_limited
    def name_pairs(self) -> TaskSource:
        """The same with each table of scores that is given without a language pair named for all
        those it has.
        """
        if all(pair for pair, _, _ in self.scores):
            return self
        known = self.pairs or tuple(self._all_pairs())
        named: list[tuple[str, str, str]] = []
        for given, name, path in self.scores:
            pairs = [given] if given else [pair for pair in list_langpairs(path) if pair in known]
            if not pairs:
                raise SettingError(
                    f"{show_name(path)} names no language pair of the task. The task has: "
                    f"{', '.join(known)}. Say which it is of: {known[0]}:{name}=FILE.",
                    {"scores": f"{known[0]}:{name}=FILE"},
                )
            named += [(pair, name, path) for pair in pairs]
        return replace(self, scores=tuple(named))

    @_limited
    def join_tables_beside(self) -> tuple[TaskSource, list[str]]:
        """The same with the tables of segment scores that lie beside the texts, and a sentence on
        each of them: where one does not fit the texts, why. Where tables are named, only these are
        taken.
        """
        source, sentences = self, list[str]()
        if self.folder is None or self.scores or not os.path.lexists(self.folder):
            return source, sentences
        try:
            self.check()
            beside = tables_beside(find_task(self.folder), list(self._all_pairs()), MAX_DEPTH)
        except (InputError, SettingError):  # which is told when the texts are read
            return source, sentences
        by_file: dict[str, list[tuple[str, str, str]]] = {}
        for pair, name, path in beside:
            if not self.pairs or pair in self.pairs:
                by_file.setdefault(path, []).append((pair, name, path))
        for path, tables in by_file.items():
            more = replace(source, scores=(*source.scores, *tables))
            try:
                more.check()
            except MtsigError as error:
                sentences.append(
                    f"{self.show_path(path)} has scores ({tables[0][1]}) and is not used: {error}"
                )
                continue
            source = more
            pairs = ", ".join(pair for pair, *_ in tables)
            sentences.append(
                f"{tables[0][1]} of {pairs} is read from {self.show_path(path)}, beside the texts."
            )
        return source, sentences

    def _all_pairs(self) -> Iterable[str]:
        """The language pairs of the task, chosen or not, without reading its texts."""
        from mtsig_core.simulation.corpus import PAIRS

        return PAIRS if self.folder is None else pairs_of(self.folder)

    def _make_pair_error(self, pair: str, name: str, task: Task) -> SettingError:
        """The error for scores or a run of a language pair that the task does not have, or that is
        not chosen.
        """
        pairs = self._all_pairs() if self.pairs else task.testsets
        if pair not in pairs:
            return explain_unknown("language pair", pair, pairs)
        return SettingError(
            f"{name} is given for {pair}, which is not among the language pairs that are chosen: "
            f"{', '.join(self.pairs)}. Choose {pair} too, or leave {name} out.",
            {"pairs": ",".join((*self.pairs, pair))},
        )

    def _explain_directions(self, testsets: Mapping[str, TestSet]) -> list[Assumption]:
        """What was assumed of each name of tables, by the scores of all language pairs."""
        explained = []
        for name in dict.fromkeys(name for _, name, _ in self.scores):
            pairs = dict.fromkeys(pair for pair, metric, _ in self.scores if metric == name)
            of_pairs = [testsets[pair].scores[name] for pair in pairs]
            if not any(
                scores.higher_is_better for scores in of_pairs
            ):  # as the user said, or as the form of MQM does
                explained.append(told_direction(name, higher=False))
                continue
            values = (
                score for scores in of_pairs for own in scores.by_system.values() for score in own
            )
            explained.append(
                explain_direction(name, values, self.lower_is_better, self.higher_is_better)
            )
        return explained

    @_limited
    def list_withdrawn(self) -> tuple[str, ...]:
        """The systems that are left out because the table calls them withdrawn."""
        return (
            () if self.keep_withdrawn else find_systems(self.folder, self.systems_table).withdrawn
        )

    def files(self) -> list[Path]:
        """All files below the folder, in a fixed order; or the zip of it."""
        members = () if self.folder is None else (Path(self.folder), *Path(self.folder).rglob("*"))
        return sorted(path for path in members if path.is_file())

    def list_joined_files(self) -> list[Path]:
        """The files of its tables and runs, which may lie elsewhere."""
        named_files = (path for _, _, path in (*self.scores, *self.run))
        return [Path(path) for path in (*named_files, self.systems_table) if path is not None]

    def _list_paths(self) -> list[str]:
        return [self.folder or "", *map(str, self.list_joined_files())]

    def select_pair(self, pair: str) -> Source:
        """The test set of one language pair alone, with the systems that are chosen here, and what
        is said of the direction of scores but for those that only other language pairs have tables
        of.
        """
        elsewhere = self._list_names() - self._list_names(pair)
        lower, higher = self._pick_directions(lambda name: name not in elsewhere)
        return Source(
            folder=self.folder,
            langpair=pair,
            demo_task=self.folder is None,
            keep_canary=self.keep_canary,
            lower_is_better=lower,
            higher_is_better=higher,
            keep_withdrawn=self.keep_withdrawn,
            scores=_select_files(pair, self.scores),
            run=_select_files(pair, self.run),
            below=self.below,
            named_from=self.named_from,
            systems_table=self.systems_table,
        )

    def to_record(self) -> dict[str, Any]:
        """The fields, with files as they are shown."""
        record = {
            key: value
            for key, value in asdict(self).items()
            if key not in ("below", "named_from") and (key not in _LATER or value)
        }
        table = self.systems_table and self.show_path(self.systems_table)
        return record | {
            "folder": self.show_folder(),
            "systems_table": table,
            **{
                key: [(pair, name, self.show_path(path)) for pair, name, path in files]
                for key, files in (("scores", self.scores), ("run", self.run))
            },
        }

    @_limited
    def digest(self) -> str:
        """Digest of name and bytes of all files, and of what is taken of them; quicker than to read
        them.

        What is read of the task holds these names: it is never taken for another's with the same
        content.
        """
        h = hashlib.blake2b(self.title.encode("utf-8", "surrogatepass"), digest_size=16)
        if (
            self.folder is not None
        ):  # a task that has a name of its own is told by that of its zip, too
            h.update(os.fsencode(Path(self.folder).name) + b"\0")
        for path in self.files():
            assert self.folder is not None, "the simulated task has no files"
            with open_file(path) as opened:
                digest = hashlib.file_digest(
                    opened, lambda: hashlib.blake2b(digest_size=16)
                ).digest()
            h.update(os.fsencode(path.relative_to(self.folder)) + b"\0" + digest)
        joined = [
            *((file[2], SCORE_TABLE) for file in self.scores),
            *((file[2], SEGMENTS) for file in self.run),
        ]
        joined += [] if self.systems_table is None else [(self.systems_table, SYSTEMS_TABLE)]
        for file, content in joined:
            h.update(read_bytes(file, content)[0] + b"\0")
        record = {
            key: value for key, value in self.to_record().items() if key not in ("folder", "name")
        }
        h.update(json.dumps(record).encode())
        return h.hexdigest()


def _select_files(pair: str, files: Iterable[tuple[str, str, str]]) -> tuple[tuple[str, str], ...]:
    """Those of one language pair."""
    return tuple((name, path) for own_pair, name, path in files if own_pair == pair)
