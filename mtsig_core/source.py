"""Sources of test sets and shared tasks: their files, and the selection to read from them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import asdict, dataclass, field, fields, replace
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, MtsigError, SettingError, explain_unknown, format_count
from mtsig_core.readers import join_scores, read_scores, read_text
from mtsig_core.readers.document_tasks import drop_stand_in
from mtsig_core.readers.files import MAX_DEPTH, is_archive, open_file
from mtsig_core.readers.formats import SCORE_TABLE, SEGMENTS, SYSTEMS_TABLE
from mtsig_core.readers.limits import hide_places, limit_reading, list_replacements, show_path
from mtsig_core.readers.lines import read_bytes
from mtsig_core.readers.published_values import (
    PublishedValues,
    join_published,
    list_published_files,
)
from mtsig_core.readers.rating_formats import parse_weights
from mtsig_core.readers.sacrebleu_sets import read_sacrebleu, set_and_pair
from mtsig_core.readers.score_tables import list_langpairs
from mtsig_core.readers.systems_table import SYSTEMS_FILE, find_systems
from mtsig_core.readers.task_contents import explain_other_pairs, tables_beside
from mtsig_core.readers.task_names import drop_set, folder_name
from mtsig_core.readers.tasks import (
    check_sets,
    find_task,
    has_scores,
    name_set,
    pairs_of,
    read_pair,
    read_task,
)
from mtsig_core.readers.texts import PairFile, join_runs
from mtsig_core.readers.wmt_xml import read_wmt_xml
from mtsig_core.schema import from_plain, parse_json, to_plain
from mtsig_core.score_names import explain_direction, told_direction
from mtsig_core.task import Task, TaskExclusion, without
from mtsig_core.testset import TestSet, show_name

#: The environment variables that tell the dashboard which test set or whole task it was started on,
#: and each of several processes where all of them listen.
SOURCE_VARIABLE = "MTSIG_SERVED_SOURCE"
TASK_VARIABLE = "MTSIG_SERVED_TASK"
PORTS_VARIABLE = "MTSIG_WORKER_PORTS"
TICKET_VARIABLE = "MTSIG_ROOM_TICKET"
#: Fields of a task that are part of its digest only where they are set, so that a task without them
#: keeps the digest that it had before there were such fields.
_ADDED_FIELDS = ("name", "refs", "refs_as_systems", "set")

_Result = TypeVar("_Result")
_NamedFiles = tuple[tuple[str, str], ...]


class SourceOption(NamedTuple):
    """How the command line offers a field of a source; the option has the name of the field."""

    value: str  # what the help shows as its value; empty for a switch
    about: str
    is_repeated: bool = False  # whether it may be given several times

    @property
    def is_path(self) -> bool:
        """Whether its values are files, or end with one, as in ``NAME=FILE``."""
        return self.value.endswith(("FILE", "DIR"))

    @property
    def is_list(self) -> bool:
        """Whether it takes several values with commas between them."""
        return self.value.endswith(",...")


def _option(value: str, about: str, default: Any = None) -> Any:
    """A field that is an option; one with several values is repeated unless commas part them."""
    is_repeated = default == () and not value.endswith(",...")
    return field(default=default, metadata={"option": SourceOption(value, about, is_repeated)})


def list_options(source: type[Source | TaskSource]) -> dict[str, SourceOption]:
    """List the options of a source by field; fields that the class itself defines come first."""
    options = {}
    shared = {shared_field.name for shared_field in fields(_Files)}
    for source_field in sorted(fields(source), key=lambda listed: listed.name in shared):
        if "option" in source_field.metadata:
            options[source_field.name] = source_field.metadata["option"]
    return options


@dataclass(frozen=True, kw_only=True)
class _Files:
    """Base class of the sources of test sets and tasks: files, and the selection from them."""

    folder: str | None = _option(
        "DIR",
        "shared task: a folder, or a zip or tar archive of it, with references/, system-outputs/ "
        "and, optionally, documents/ and sources/",
    )
    only: tuple[str, ...] = _option("NAME,...", "compare only these systems", ())
    refs: tuple[str, ...] = _option("NAME,...", "references to score with (default: all)", ())
    refs_as_systems: bool = _option(
        "",
        "treat references that --refs does not name, and rated references, as systems",
        False,
    )
    lower_is_better: tuple[str, ...] = _option(
        "NAME", "scores in which lower is better; repeatable", ()
    )
    higher_is_better: tuple[str, ...] = _option(
        "NAME", "scores in which higher is better, where mtsig cannot tell; repeatable", ()
    )
    keep_canary: bool = _option("", "keep the lines that the documents file calls canary", False)
    keep_withdrawn: bool = _option(
        "", "keep the systems that the table of systems calls withdrawn", False
    )
    mqm_weights: tuple[str, ...] = _option(
        "wmt24|major=5,...",
        "weights of MQM's errors that differ from Google's: of a severity, a category or "
        "both, such as 'minor fluency/punctuation=0.1'; wmt24: free renderings and issues of the "
        "source weigh 0, as in WMT24",
        (),
    )
    raters: str | None = _option(
        "mean|segments|adjusted",
        "what several ratings of a segment are: their mean (default); segments: each a segment of its own, as "
        "WMT25 ranked; adjusted: the mean, and scores adjusted for how strict each rater is",
    )
    systems_table: str | None = _option(
        "FILE",
        "table of systems, with the tab-separated columns system, constrained, role, kind, name "
        "(default: systems.tsv in the folder)",
    )
    #: The folder that all files must lie in, links followed; messages name them from there on. None
    #: for anywhere.
    below: str | None = None
    #: A folder that files are named from on screen, as from `below`; files elsewhere are shown by
    #: their names. None names files as they were given.
    named_from: str | None = None

    def _list_paths(self) -> list[str]:
        """Its files and folders."""
        raise NotImplementedError

    def show_path(self, path: str) -> str:
        """The name of one of its files for the screen, from `below` or `named_from` on."""
        return show_path(path, self.below or self.named_from)

    def to_json(self) -> str:
        """Write the source as text for another process; paths may have any characters."""
        return json.dumps(to_plain(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the result of `to_json`."""
        return from_plain(cls, parse_json(text), "The source")

    def _pick_directions(self, is_picked: Callable[[str], bool]) -> dict[str, Any]:
        """The names of scores whose direction is given, as arguments of readers."""
        return {
            "lower_is_better": tuple(filter(is_picked, self.lower_is_better)),
            "higher_is_better": tuple(filter(is_picked, self.higher_is_better)),
        }

    @property
    def raters_of_folder(self) -> str:
        """Return how to use several ratings of a segment in the folder.

        If tables of scores join the folder, `raters` is about these tables only.
        """
        if getattr(self, "scores", ()) or self.raters is None:
            return "mean"
        return self.raters

    @property
    def weights_of_folder(self) -> Mapping[str, float]:
        """Return weights of MQM errors in the folder, as `raters_of_folder`."""
        return {} if getattr(self, "scores", ()) else parse_weights(self.mqm_weights)

    def table_options(self) -> dict[str, Any]:
        """How to read tables of scores: arguments of `read_scores` and `join_scores`."""
        return {"raters": self.raters or "mean", "mqm_weights": parse_weights(self.mqm_weights)}


def _limited(method: Callable[[Any], _Result]) -> Callable[[Any], _Result]:
    """A method that reads only the files that `below` allows, and names them as `show_path`."""

    @wraps(method)
    def read(self: _Files) -> _Result:
        replacements = list_replacements(self.named_from, *self._list_paths())
        with limit_reading(below=self.below), hide_places(replacements):
            return method(self)

    return read


@dataclass(frozen=True)
class Source(_Files):
    """Where a test set comes from, and what to take of it."""

    ref: tuple[tuple[str | None, str], ...] = _option(
        "[NAME=]FILE",
        "reference, one segment per line, or a file that holds several texts; repeatable",
        (),
    )
    system: tuple[tuple[str | None, str], ...] = _option(
        "[NAME=]FILE",
        "system output, one segment per line, or a file that holds several; repeatable. NAME "
        "defaults to the file name",
        (),
    )
    run: _NamedFiles = _option(
        "NAME=FILE",
        "output of another training run of the system NAME; repeatable, as often for each system. Of "
        "a whole task, with serve: PAIR:NAME=FILE",
        (),
    )
    parse: _NamedFiles = _option(
        "NAME=FILE",
        "dependency parse (CoNLL-U) of the output or reference NAME, for the metric dep-f; "
        "repeatable",
        (),
    )
    src: str | None = _option("FILE", "source text")
    docs: str | None = _option(
        "FILE", "documents: for each segment a line with docid or domain<TAB>docid"
    )
    langpair: str | None = _option("XX-YY", "language pair, such as en-de")
    tokenize: str | None = _option(
        "NAME", "tokenizer of sacreBLEU (default: by target language, else 13a)"
    )
    #: So many segments of the simulated corpus, 0 for all; None where the texts are from files.
    demo: int | None = _option("", "the simulated corpus: 30,000 segments, six systems")
    demo_references: int = _option("N", "number of its references, 1 to 9 (default: 1)", 1)
    demo_task: bool = _option(
        "",
        "a simulated shared task: 12 systems in two tracks, 1,000 segments, two references, human "
        "scores; with --langpair qaa-en, qab-en or qac-en: one pair of `task --demo-task`",
        False,
    )
    scores: _NamedFiles = _option(
        "NAME=FILE",
        "table of segment scores (TSV, CSV, JSON, xlsx, Parquet, COMET's JSON) or human evaluation "
        "as published (Appraise, MQM, MTurk). Texts are optional; repeatable, also with the "
        "same NAME. Of a whole task, with serve and agreement: PAIR:NAME=FILE",
        (),
    )
    columns: tuple[str, ...] = _option(
        "system=NAME,...",
        "columns of these tables, where their names do not say what they hold: system, "
        "line, score, rater, docid, domain or langpair. Of a table with a column for each "
        "system: 'systems=A|B', or systems=all",
        (),
    )
    ids: str | None = _option(
        "FILE",
        "id of each line of the texts, one per line, where tables of scores name lines by ids",
    )
    xml: tuple[str, ...] = _option(
        "FILE", "XML of WMT, 2021 on, with sources, references and outputs; repeatable", ()
    )
    sacrebleu: str | None = _option(
        "SET[/XX-YY]",
        "test set of sacreBLEU with its outputs, such as wmt21/systems/en-de; --system adds more",
    )
    exclude: tuple[str, ...] = _option("NAME,...", "exclude these systems", ())
    domain: str | None = _option("NAME", "use only the segments of this domain")

    def read(self) -> TestSet:
        """Read and check the files, and select the systems and segments to compare."""
        return self.select_part(self.read_all())

    def select_part(self, testset: TestSet) -> TestSet:
        """The systems and segments to compare, of all that were read."""
        selected = testset
        if self.only:
            selected = selected.only(self.only)
        if self.exclude:
            remaining = testset.without(self.exclude).systems
            selected = selected.only(name for name in selected.systems if name in remaining)
        if testset.systems and not selected.systems:
            reason = f"exclude removes {', '.join(self.exclude)}"
            if self.only:
                reason += f", and only {', '.join(self.only)} would take part"
            raise SettingError(
                f"No system of {testset.name} is left: {reason}. Keep one, or two to compare."
            )
        return selected if self.domain is None else selected.in_domain(self.domain)

    def include_all(self) -> Source:
        """The same with all references to score with, and the line that is a canary."""
        return replace(self, refs=(), refs_as_systems=False, keep_canary=True)

    @_limited
    def read_all(self) -> TestSet:
        """Read and check the files; all systems and segments."""
        if not self.has_texts and not self.system:
            return self._read_tables()
        testset = self._read_texts()
        if self.tokenize is not None:
            testset = replace(testset, tokenizer=self.tokenize)
        if self.scores:
            testset = join_scores(
                testset,
                self.scores,
                ids=self.ids,
                **self._pick_directions(self._is_of_tables),
                **self.table_options(),
            )
            testset = drop_stand_in(testset)
        if self.folder is not None and not self.keep_withdrawn:
            testset = self._drop_withdrawn(testset)  # after tables and runs, which may name them
        if self.refs or self.refs_as_systems:
            testset = testset.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        return testset

    def _read_tables(self) -> TestSet:
        """Scores of segments without texts."""
        return read_scores(
            self.scores,
            self.lower_is_better,
            higher_is_better=self.higher_is_better,
            langpair=self.langpair,
            **self.table_options(),
        )

    def _drop_withdrawn(self, testset: TestSet) -> TestSet:
        """The test set without the systems that the table of systems calls withdrawn."""
        withdrawn = find_systems(self.folder, self.systems_table).withdrawn
        names = [name for name in testset.systems if name in withdrawn]
        if not names:
            return testset
        table = SYSTEMS_FILE
        if self.systems_table is not None:
            table = show_name(Path(self.systems_table).name)
        note = Assumption("withdrawn", {"table": table, "names": names})
        return replace(testset.without(names), assumed=(note, *testset.assumed))

    def table_options(self) -> dict[str, Any]:
        """How to read tables of scores: arguments of `read_scores` and `join_scores`."""
        columns = {}
        for text in self.columns:
            content, _, name = text.partition("=")
            if not content or not name:
                raise SettingError(
                    f"columns: {show_name(text)!r}. Expected pairs such as system=model,line=segment."
                )
            columns[content.strip()] = name.strip()
        return {**super().table_options(), "columns": columns}

    def _is_of_tables(self, name: str) -> bool:
        """Whether scores of that name come from tables, not from the folder of a task."""
        return name in dict(self.scores) or self.folder is None or not has_scores(self.folder)

    def _read_texts(self) -> TestSet:
        if self.run and not self.ref:
            source = replace(self, run=(), keep_canary=True)
            return join_runs(source._read_texts(), self.run, self.keep_canary)
        if self.simulated:
            return self._simulate()
        if self.folder is not None:
            return self._read_pair(self.folder)
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
            without_reference=True,
        )

    def _simulate(self) -> TestSet:
        from mtsig_core.simulation.corpus import load_demo, shared_task, simulated_task

        if not self.demo_task:
            return load_demo(self.demo or None, self.demo_references)
        if self.langpair is None:
            return shared_task()
        return simulated_task([self.langpair]).testsets[self.langpair]

    def _read_pair(self, folder: str) -> TestSet:
        """One language pair of a shared task."""
        if self.langpair is None:
            pairs = ", ".join(pairs_of(folder))
            raise SettingError(
                f"{folder} is read for one language pair. It has: {pairs}.", {"langpair": "XX-YY"}
            )
        return read_pair(
            folder,
            self.langpair,
            parses=self.parse,
            keep_canary=self.keep_canary,
            raters=self.raters_of_folder,
            is_rated=bool(self.scores),
            mqm_weights=self.weights_of_folder,
            **self._pick_directions(lambda name: not self._is_of_tables(name)),
        )

    @property
    def has_texts(self) -> bool:
        """Whether the source has texts, and not only segment scores."""
        has_files = bool(self.ref or self.xml or self.sacrebleu)
        return has_files or self.folder is not None or self.simulated

    @property
    def simulated(self) -> bool:
        """Whether the data are simulated, so that no file of the user is read."""
        return self.demo is not None or self.demo_task

    def files(self) -> list[str]:
        """The files it is read from; of a folder, all that are in it."""
        paths = self._list_paths()
        if self.folder is not None:
            paths = [*map(str, Path(self.folder).rglob("*")), *paths]
        return [path for path in paths if os.path.isfile(path)]

    def _list_paths(self) -> list[str]:
        paths = (self.folder, self.src, self.docs, self.ids, self.systems_table, *self.xml)
        named_files = (*self.ref, *self.system, *self.run, *self.parse, *self.scores)
        return [path for path in paths if path is not None] + [path for _, path in named_files]

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        if self.demo_task:
            pair = f" {self.langpair}" if self.langpair else ""
            return f"simulated shared task{pair}"
        if self.demo is not None:
            title = "simulated corpus"
            if self.demo:
                title += f", {self.demo} segments"
            if self.demo_references > 1:
                title += f", {self.demo_references} references"
            return title
        if self.folder is not None:
            return f"{show_name(folder_name(self.folder))} {self.langpair}"
        if self.xml:
            return show_name(Path(self.xml[0]).name)
        if self.sacrebleu is not None:
            set_name, langpair = set_and_pair(self.sacrebleu, self.langpair)
            return set_name if langpair is None else f"{set_name} {langpair}"
        if not self.has_texts:
            _, first_file = self.scores[0]
            return f"scores {show_name(Path(first_file).name)}"
        _, first_file = self.ref[0]
        return f"{format_count(len(self.system), 'system')}, {show_name(Path(first_file).name)}"


@dataclass(frozen=True)
class TaskSource(_Files):
    """The source of a shared task, for `read_task`, and the selection to read from it.

    Each field is an option of the command ``task``. Without a folder it is the simulated task.
    """

    folder: str | None = _option(
        "DIR",
        "shared task: a folder, or a zip or tar archive of it, with texts (WMT's folders or XML, or "
        "mt-metrics-eval's folders) or with WMT25's automatic_scores/",
    )
    pairs: tuple[str, ...] = _option(
        "XX-YY,...", "only these language pairs of the task (default: all)", ()
    )
    track: str | None = None  # "constrained" or "unconstrained": only the systems of that track
    exclude: tuple[TaskExclusion, ...] = ()  # systems to exclude, in all language pairs or in one
    #: (language pair, name, file) of each table of segment scores, such as human ratings, to join
    #: to the texts.
    scores: tuple[PairFile, ...] = _option(
        "[PAIR:]NAME=FILE",
        "table of segment scores, such as human scores; repeatable. Without PAIR: all "
        "language pairs that the table names",
        (),
    )
    #: (language pair, system, file).
    run: tuple[PairFile, ...] = _option(
        "PAIR:NAME=FILE",
        "output of another training run of a system in one language pair; repeatable "
        "(docs/statistics.md)",
        (),
    )
    name: str | None = _option("NAME", "name of the task (default: the name of the folder)")
    set: _NamedFiles = _option(  # noqa: A003  the name of the option
        "NAME=DIR",
        "test set, in place of a folder with all of them: a folder with ref.txt and a text for each "
        "system, a shared task of one language pair, or a file of all texts; repeatable. NAME may "
        "end with the language pair: news.en-zh",
        (),
    )

    @property
    def simulated(self) -> bool:
        """Whether the task is simulated, so that no file of the user is read."""
        return self.folder is None and not self.set

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        if self.name:
            return show_name(self.name)
        if self.set:
            return ", ".join(show_name(name) for name in dict(self.set))
        return "simulated task" if self.folder is None else show_name(folder_name(self.folder))

    @_limited
    def check(self) -> None:
        """Find mistakes without reading all of the task.

        Reads the language pairs that are chosen, or that tables and runs are given for.
        """
        joined_pairs = dict.fromkeys(pair for pair, _, _ in (*self.scores, *self.run))
        pairs = self.pairs or tuple(joined_pairs)
        if pairs:
            replace(self, pairs=pairs).read()
        elif self.folder is not None:
            pairs_of(self.folder)
            find_systems(self.folder, self.systems_table)

    @_limited
    def read(self) -> Task:
        """Read and check the files, and select the systems to compare."""
        task = self._read_texts()
        for pair, name, _ in (*self.scores, *self.run):
            if pair not in task.testsets:
                raise self._make_pair_error(pair, name, task)
        task = self._apply_systems_table(self._join_files(task))
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
        if self.set:
            return self._read_sets()
        if self.folder is None:
            from mtsig_core.simulation.corpus import simulated_task

            return simulated_task(self.pairs or None)
        table_names = self._list_names()
        return read_task(
            self.folder,
            self.pairs or None,
            keep_canary=self.keep_canary or bool(self.run),
            raters=self.raters_of_folder,
            rated={pair for pair, _, _ in self.scores},
            mqm_weights=self.weights_of_folder,
            **self._pick_directions(lambda name: name not in table_names),
        )

    def _read_sets(self) -> Task:
        """The task of test sets that are each in a folder or file of their own."""
        testsets = {}
        for name in self.pairs or dict(self.set):
            source = replace(self.select_pair(name), scores=(), run=())
            testsets[name] = name_set(source.read_all(), name)
        check_sets(testsets)
        assumed = chain.from_iterable(testset.assumed for testset in testsets.values())
        return Task(self.title, testsets, assumed=tuple(dict.fromkeys(assumed)))

    def _find_set(self, name: str) -> Source:
        """Where a test set comes from."""
        paths = dict(self.set)
        if name not in paths:
            raise explain_unknown("test set", name, paths)
        path = paths[name]
        if os.path.isfile(path) and not is_archive(path):
            return Source(ref=((None, path),))
        pairs = pairs_of(path)
        langpair = pairs[0] if len(pairs) == 1 else drop_set(name)
        if langpair not in pairs:
            raise SettingError(
                f"{path} has several language pairs: {', '.join(pairs)}. End the name of the test set with "
                f"one: {name}.{pairs[0]}."
            )
        return Source(folder=path, langpair=langpair)

    def _join_files(self, task: Task) -> Task:
        """The task with its tables of scores and further training runs."""

        def join(pair: str, testset: TestSet) -> TestSet:
            tables = _select_files(pair, self.scores)
            if self.run:
                testset = join_runs(testset, _select_files(pair, self.run), self.keep_canary)
            if tables:
                directions = self._pick_directions(lambda name: name in dict(tables))
                testset = join_scores(testset, tables, **directions, **self.table_options())
            return drop_stand_in(testset)

        if self.run or self.scores:
            task = task.map_testsets(join)
        return replace(task, assumed=(*task.assumed, *self._explain_directions(task.testsets)))

    def _apply_systems_table(self, task: Task) -> Task:
        """The task with what the table of systems says, and without systems that are withdrawn."""
        table = find_systems(self.folder, self.systems_table)
        infos = dict(table.systems)
        if self.pairs:  # a system of the table may take part in other language pairs only
            infos = {name: info for name, info in infos.items() if name in task.systems}
        task = replace(
            task,
            systems={**task.systems, **infos},
            primary=table.primary,
            rank_rule=table.rank_rule,
        )
        withdrawn = [name for name in table.withdrawn if name in infos]
        return task if self.keep_withdrawn or not withdrawn else task.without(withdrawn)

    def _list_names(self, *pairs: str) -> Set[str]:
        """What the tables of scores are called, of all language pairs or of some."""
        return {name for pair, name, _ in self.scores if not pairs or pair in pairs}

    @_limited
    def name_pairs(self) -> TaskSource:
        """The same with a language pair for each table of scores.

        A table without one is taken for all language pairs of the task that it names.
        """
        if all(pair for pair, _, _ in self.scores):
            return self
        task_pairs = self.pairs or tuple(self.list_pairs())
        scores: list[PairFile] = []
        for pair, name, path in self.scores:
            if pair:
                table_pairs = [pair]
            else:
                table_pairs = [listed for listed in list_langpairs(path) if listed in task_pairs]
            if not table_pairs:
                raise SettingError(
                    f"{show_name(path)} names no language pair of the task. The task has: "
                    f"{', '.join(task_pairs)}. Say which it is of: {task_pairs[0]}:{name}=FILE.",
                    {"scores": f"{task_pairs[0]}:{name}=FILE"},
                )
            scores += [(table_pair, name, path) for table_pair in table_pairs]
        return replace(self, scores=tuple(scores))

    @_limited
    def join_tables_beside(self) -> tuple[TaskSource, list[str]]:
        """Add the tables of segment scores next to the texts; also return a sentence on each table.

        If the user names tables, only these are added. For a table that does not fit the texts, the
        sentence gives the reason.
        """
        source = self
        sentences: list[str] = []
        if self.folder is None or self.scores or not os.path.lexists(self.folder):
            return source, sentences
        try:
            replace(self, refs_as_systems=False).check()  # ratings of references may be in a table
            task_pairs = list(self.list_pairs())
            tables = tables_beside(find_task(self.folder), task_pairs, MAX_DEPTH)
        except (InputError, SettingError):  # the message comes when the texts are read
            return source, sentences
        tables_by_path: dict[str, list[PairFile]] = {}
        for pair, name, path in tables:
            if not self.pairs or pair in self.pairs:
                tables_by_path.setdefault(path, []).append((pair, name, path))
        for path, path_tables in tables_by_path.items():
            _, name, _ = path_tables[0]
            joined = replace(source, scores=(*source.scores, *path_tables))
            try:
                replace(joined, refs_as_systems=False).check()
            except MtsigError as error:
                sentences.append(
                    f"{self.show_path(path)} has scores ({name}) and is not used: {error}"
                )
                continue
            source = joined
            pairs = ", ".join(pair for pair, _, _ in path_tables)
            sentences.append(
                f"{name} of {pairs} is read from {self.show_path(path)}, next to the texts."
            )
            others = explain_other_pairs(Path(path), task_pairs)
            if others and not is_archive(self.folder):  # of which unread files are named
                sentences.append(f"Not read in part: {self.show_path(path)}: {others}.")
        return source, sentences

    @_limited
    def read_published(self) -> PublishedValues:
        """Scores of whole systems that were published, in the folder: by pair, system and column.

        Names are as the tables have them; `match_published` finds those of the task.
        """
        return {} if self.folder is None else join_published(list_published_files(self.folder))

    def list_pairs(self) -> Iterable[str]:
        """The language pairs of the task, chosen or not, without reading its texts."""
        from mtsig_core.simulation.corpus import PAIRS

        if self.set:
            return dict(self.set)
        return PAIRS if self.folder is None else pairs_of(self.folder)

    def _make_pair_error(self, pair: str, name: str, task: Task) -> SettingError:
        """The error for scores or a run of a language pair that is unknown, or not chosen."""
        pairs = self.list_pairs() if self.pairs else task.testsets
        if pair not in pairs:
            return explain_unknown("language pair", pair, pairs)
        return SettingError(
            f"{name} is given for {pair}, which is not among the language pairs that are chosen: "
            f"{', '.join(self.pairs)}. Choose {pair} too, or remove {name}.",
            {"pairs": ",".join((*self.pairs, pair))},
        )

    def _explain_directions(self, testsets: Mapping[str, TestSet]) -> list[Assumption]:
        """What was assumed of each name of tables, by the scores of all language pairs."""
        assumptions = []
        for name in dict.fromkeys(name for _, name, _ in self.scores):
            pairs = dict.fromkeys(pair for pair, metric, _ in self.scores if metric == name)
            tables = [testsets[pair].scores[name] for pair in pairs]
            if not any(table.higher_is_better for table in tables):
                # as the user said, or as the form of MQM does
                assumptions.append(told_direction(name, higher=False))
                continue
            values: list[float | None] = []
            for table in tables:
                for scores in table.by_system.values():
                    values += scores
            assumptions.append(
                explain_direction(name, values, self.lower_is_better, self.higher_is_better)
            )
        return assumptions

    @_limited
    def list_withdrawn(self) -> tuple[str, ...]:
        """The systems that are left out because the table calls them withdrawn."""
        if self.keep_withdrawn:
            return ()
        return find_systems(self.folder, self.systems_table).withdrawn

    def _list_roots(self) -> list[str]:
        return [path for path in (self.folder, *dict(self.set).values()) if path is not None]

    def files(self) -> list[Path]:
        """All files below its folders, in a fixed order; or the zips of them."""
        paths: list[Path] = []
        for root in self._list_roots():
            paths += sorted([Path(root), *Path(root).rglob("*")])
        return [path for path in paths if path.is_file()]

    def list_joined_files(self) -> list[Path]:
        """The files of its tables and runs, which may lie elsewhere."""
        paths = [Path(path) for _, _, path in (*self.scores, *self.run)]
        if self.systems_table is not None:
            paths.append(Path(self.systems_table))
        return paths

    def _list_paths(self) -> list[str]:
        return [*self._list_roots(), *map(str, self.list_joined_files())]

    def select_pair(self, pair: str) -> Source:
        """The test set of one language pair, with the tables and runs that are given for it."""
        names_elsewhere = self._list_names() - self._list_names(pair)
        source = Source(folder=self.folder, langpair=pair, demo_task=self.simulated)
        if self.set:
            source = self._find_set(pair)
        return replace(
            source,
            keep_canary=self.keep_canary,
            keep_withdrawn=self.keep_withdrawn,
            scores=_select_files(pair, self.scores),
            run=_select_files(pair, self.run),
            below=self.below,
            named_from=self.named_from,
            systems_table=self.systems_table,
            **self._pick_directions(lambda name: name not in names_elsewhere),
        )

    def to_record(self) -> dict[str, Any]:
        """The fields, with files as they are shown."""
        record = asdict(self)
        del record["below"], record["named_from"]
        for name in _ADDED_FIELDS:
            if not record[name]:
                del record[name]
        for name in ("folder", "systems_table"):
            if record[name] is not None:
                record[name] = self.show_path(record[name])
        for name in ("scores", "run"):
            files = getattr(self, name)
            record[name] = [(pair, label, self.show_path(path)) for pair, label, path in files]
        return record

    @_limited
    def digest(self) -> str:
        """Digest of the names and bytes of all files, and of the selection to read from them.

        This is faster than reading the task. The digest contains the names because the task that is
        read contains them too; so two tasks with the same content and other names differ.
        """
        h = hashlib.blake2b(self.title.encode("utf-8", "surrogatepass"), digest_size=16)
        roots = self._list_roots()
        for root in roots:  # the title need not contain the name of the folder or zip
            h.update(os.fsencode(Path(root).name) + b"\0")
        for path in self.files():
            with open_file(path) as file:
                content = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
            place = next(root for root in roots if path.is_relative_to(root))
            h.update(os.fsencode(path.relative_to(place)) + b"\0" + content.digest())
        joined_files = [(path, SCORE_TABLE) for _, _, path in self.scores]
        joined_files += [(path, SEGMENTS) for _, _, path in self.run]
        if self.systems_table is not None:
            joined_files.append((self.systems_table, SYSTEMS_TABLE))
        for file_path, expected in joined_files:
            data, _ = read_bytes(file_path, expected)
            h.update(data + b"\0")
        record = self.to_record()
        del record["folder"]
        record.pop("name", None)
        if self.set:
            record["set"] = [name for name, _ in self.set]
        h.update(json.dumps(record).encode())
        return h.hexdigest()


def _select_files(pair: str, files: Iterable[PairFile]) -> _NamedFiles:
    """Name and path of the files of one language pair."""
    return tuple((name, path) for file_pair, name, path in files if file_pair == pair)
