"""Where a shared task comes from, and what is taken of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from mtsig_core.data.checks import literal
from mtsig_core.data.readers import join_scores
from mtsig_core.data.readers.archives import file_beside, files_at, out_of_zips
from mtsig_core.data.readers.bounds import bounded, from_below, open_file, places, without_places
from mtsig_core.data.readers.formats import SCORE_TABLE, SEGMENTS, SYSTEMS_TABLE
from mtsig_core.data.readers.further_runs import join_runs
from mtsig_core.data.readers.lines import read_bytes
from mtsig_core.data.readers.names import folder_name
from mtsig_core.data.readers.score_tables import assumed_of
from mtsig_core.data.readers.systems_table import SYSTEMS, read_primary, read_systems, systems_of
from mtsig_core.data.readers.tasks import pairs_of, read_task
from mtsig_core.data.source import Source
from mtsig_core.data.task import SystemInfo, Task
from mtsig_core.data.task_exclusions import TaskExclusion, without
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError, unknown

__all__ = ["TASK_VARIABLE", "TaskSource"]

#: The environment variable that tells the dashboard which whole task it was started on.
TASK_VARIABLE = "MTSIG_SERVED_TASK"
#: Fields that a task need not have been opened with: they are told, and change what is kept of it, where they are set.
_LATER = ("name", "refs", "refs_as_systems")


@dataclass(frozen=True)
class TaskSource:
    """A shared task in a folder or a zip of it, as `read_task` reads it; the fields are those of the command ``task``.

    Attributes
    ----------
    folder : str or None
        None is the simulated task.
    pairs : tuple of str
        Language pairs; all if empty.
    track : {"constrained", "unconstrained", None}
        The systems of one track alone.
    only : tuple of str
        Systems to take.
    exclude : tuple of TaskExclusion
        Systems to leave out, in all language pairs or in one.
    systems_table : str or None
        A table of the systems, as `read_systems` reads it; by default ``systems.tsv`` in the folder, if there is one.
        Those it calls withdrawn are left out, unless `keep_withdrawn`.
    lower_is_better, higher_is_better : tuple of str
        As in `Source`: of each name, in those language pairs that have such scores.
    scores : tuple of (str, str, str)
        (language pair, name, file) of tables of segment scores, such as those of people, which join its texts.
    below, named_from : str or None
        As in `Source`.
    run : tuple of (str, str, str)
        (language pair, system, file) of the outputs of further training runs.
    name : str or None
        What to call the task; None for the name of its folder.
    refs : tuple of str
        References to score with, in each language pair those that it has; empty for all.
    refs_as_systems : bool
        Whether the others act as systems, and those with ratings; see `Task.scored_with`.
    """

    folder: str | None
    pairs: tuple[str, ...] = ()
    track: str | None = None
    only: tuple[str, ...] = ()
    exclude: tuple[TaskExclusion, ...] = ()
    lower_is_better: tuple[str, ...] = ()
    higher_is_better: tuple[str, ...] = ()
    keep_canary: bool = False
    systems_table: str | None = None
    keep_withdrawn: bool = False
    scores: tuple[tuple[str, str, str], ...] = ()
    below: str | None = None
    run: tuple[tuple[str, str, str], ...] = ()
    named_from: str | None = None
    name: str | None = None
    refs: tuple[str, ...] = ()
    refs_as_systems: bool = False

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        return "simulated task" if self.folder is None else literal(self.name or folder_name(self.folder))

    def check(self) -> None:
        """Read the language pairs that are chosen, or that tables and runs are given for: their mistakes show without
        all of the task being read."""
        if pairs := self.pairs or tuple(dict.fromkeys(pair for pair, _, _ in (*self.scores, *self.run))):
            replace(self, pairs=pairs).read()
        elif self.folder is not None:
            with self._bounded():
                pairs_of(self.folder), self._table()

    def read(self) -> Task:
        """Read and check the files, and take what is asked of them."""
        with self._bounded():
            return self._read()

    def _read(self) -> Task:
        if self.folder is None:
            from mtsig_core.data.simulation.shared_task import simulated_task

            task = simulated_task(self.pairs or None)
        else:
            lower, higher = self._said({name for _, name, _ in self.scores}, False)
            task = read_task(self.folder, self.pairs or None, lower_is_better=lower, higher_is_better=higher,
                             keep_canary=self.keep_canary or bool(self.run))
        for pair, name, _ in (*self.scores, *self.run):
            if pair not in task.testsets:
                raise self._nowhere(pair, name, task)
        if self.run:
            task = replace(task, testsets={pair: self._with_runs(pair, one) for pair, one in task.testsets.items()})
        if self.scores:
            scored = {pair: self._scored(pair, one) for pair, one in task.testsets.items()}
            task = replace(task, testsets=scored, assumed=(*task.assumed, *self._assumed(scored)))
        if table := self._table():
            known = {name: info for name, info in table.items() if not self.pairs or name in task.systems}
            task = replace(task, systems={**task.systems, **known})
            task = task.without(name for name in self.withdrawn() if name in known)
        if self.refs or self.refs_as_systems:
            task = task.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        if self.name is not None:
            task = task.called(self.name)
        task = replace(task, primary=self._primary())
        if self.track is not None:
            task = task.of_track(self.track)
        if self.only:
            task = task.only(self.only)
        return without(task, self.exclude)

    def _nowhere(self, pair: str, name: str, task: Task) -> SettingError:
        """The error for scores or a run of a language pair that the task does not have, or that is not chosen."""
        from mtsig_core.data.simulation.shared_task import PAIRS

        known = task.testsets if not self.pairs else PAIRS if self.folder is None else pairs_of(self.folder)
        if pair not in known:
            return unknown("language pair", pair, known)
        return SettingError(f"{name} is given for {pair}, which is not among the language pairs that are chosen: "
                            f"{', '.join(self.pairs)}. Choose {pair} too, or leave {name} out.",
                            {"pairs": ",".join((*self.pairs, pair))})

    def _with_runs(self, pair: str, testset: TestSet) -> TestSet:
        with files_at(self._of(pair, self.run)) as runs:
            return join_runs(testset, runs, self.keep_canary)

    def _scored(self, pair: str, testset: TestSet) -> TestSet:
        """With its tables of scores."""
        if not (tables := self._of(pair, self.scores)):
            return testset
        lower, higher = self._said({name for name, _ in tables}, True)
        with files_at(tables) as files:
            return join_scores(testset, files, lower, higher_is_better=higher)

    def _assumed(self, testsets: dict[str, TestSet]) -> list[str]:
        """What was assumed of each name of tables, by the scores of all language pairs."""
        return [assumed_of(name, (score for pair, of, _ in self.scores if of == name
                                  for own in testsets[pair].scores[name].by_system.values() for score in own),
                           self.lower_is_better, self.higher_is_better)
                for name in dict.fromkeys(name for _, name, _ in self.scores)]

    def _said(self, names: set[str], among: bool) -> list[tuple[str, ...]]:
        """Of which scores the lowest, and the highest, is best: those `among` the names, or the others."""
        return [tuple(name for name in said if (name in names) is among)
                for said in (self.lower_is_better, self.higher_is_better)]

    @staticmethod
    def _of(pair: str, files: tuple[tuple[str, str, str], ...]) -> tuple[tuple[str, str], ...]:
        return tuple((name, path) for of, name, path in files if of == pair)

    def withdrawn(self) -> tuple[str, ...]:
        """The systems that are left out because the table calls them withdrawn."""
        with self._bounded():
            table = {} if self.keep_withdrawn else self._table()
        return tuple(name for name, info in table.items() if info.role == "withdrawn")

    def _primary(self) -> str | None:
        """The metric that the table of the systems names."""
        if self.systems_table is not None:
            return read_primary(self.systems_table)
        if self.folder is None:
            return None
        with file_beside(self.folder, SYSTEMS) as path:
            return None if path is None else read_primary(path)

    def _table(self) -> dict[str, SystemInfo]:
        if self.systems_table is not None:
            return read_systems(self.systems_table)
        return {} if self.folder is None else systems_of(self.folder)

    def files(self) -> list[Path]:
        """All files below the folder, in a fixed order; or the zip of it."""
        inside = () if self.folder is None else (Path(self.folder), *Path(self.folder).rglob("*"))
        return sorted(path for path in inside if path.is_file())

    def beside(self) -> list[Path]:
        """The files of its tables and runs, which may lie elsewhere."""
        named = (path for _, _, path in (*self.scores, *self.run))
        return [Path(path) for path in (*named, self.systems_table) if path is not None]

    def of_pair(self, pair: str) -> Source:
        """The test set of one language pair alone, with the systems that are chosen here, and what is said of the
        direction of scores but for those that only other language pairs have tables of."""
        tables = self._of(pair, self.scores)
        others = {name for _, name, _ in self.scores} - {name for name, _ in tables}
        lower, higher = self._said(others, False)
        return Source(folder=self.folder, langpair=pair, demo_task=self.folder is None, keep_canary=self.keep_canary,
                      lower_is_better=lower, higher_is_better=higher, keep_withdrawn=self.keep_withdrawn,
                      scores=tables, below=self.below, run=self._of(pair, self.run), named_from=self.named_from,
                      systems_table=self.systems_table)

    def shown_folder(self) -> str | None:
        """As that of `Source`."""
        return None if self.folder is None else self.shown(self.folder)

    def shown(self, path: str) -> str:
        """As that of `Source`."""
        return from_below(path, self.below or self.named_from)

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """Files as they may be read, and messages as they may name them."""
        with bounded(below=self.below), without_places(places(
                self.named_from, self.folder or "", *map(str, self.beside()))):
            yield

    def as_told(self) -> dict[str, Any]:
        """The fields, with files as they are shown."""
        told = {key: value for key, value in asdict(self).items()
                if key not in ("below", "named_from") and (key not in _LATER or value)}
        table = self.systems_table and self.shown(self.systems_table)
        return told | {"folder": self.shown_folder(), "systems_table": table, **{
            key: [(pair, name, self.shown(path)) for pair, name, path in files]
            for key, files in (("scores", self.scores), ("run", self.run))}}

    def digest(self) -> str:
        """Digest of name and bytes of all files, and of what is taken of them; quicker than to read them."""
        with self._bounded():
            return self._digest()

    def _digest(self) -> str:
        h = hashlib.blake2b(self.title.encode("utf-8", "surrogatepass"), digest_size=16)
        for path in self.files():
            assert self.folder is not None, "the simulated task has no files"
            with open_file(path) as file:
                content = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()
            h.update(os.fsencode(path.relative_to(self.folder)) + b"\0" + content)
        for files, expected in ((self.scores, SCORE_TABLE), (self.run, SEGMENTS)):
            for _, _, table in files:
                with out_of_zips([table]) as (file,):
                    h.update(read_bytes(file, expected)[0] + b"\0")
        if self.systems_table is not None:
            h.update(read_bytes(self.systems_table, SYSTEMS_TABLE)[0] + b"\0")
        taken = {key: value for key, value in self.as_told().items()
                 if key not in ("folder", "name") and (key not in _LATER or value)}
        h.update(json.dumps(taken).encode())
        return h.hexdigest()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> TaskSource:
        values = json.loads(text)
        files = {key: tuple(map(tuple, values[key])) for key in ("scores", "run")}
        lists = {key: tuple(values[key]) for key in ("pairs", "only", "lower_is_better", "higher_is_better", "refs")}
        return cls(**values | files | lists | {"exclude": tuple(TaskExclusion(**one) for one in values["exclude"])})
