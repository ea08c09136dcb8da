"""Where a shared task comes from, and what is taken of it."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mtsig_core.data.readers.lines import read_bytes
from mtsig_core.data.readers.systems_table import SYSTEMS, read_systems
from mtsig_core.data.readers.tasks import read_task
from mtsig_core.data.source import Source
from mtsig_core.data.task import SystemInfo, Task
from mtsig_core.data.task_exclusions import TaskExclusion, without

__all__ = ["TaskSource"]


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

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        return "simulated task" if self.folder is None else Path(self.folder).resolve().name

    def read(self) -> Task:
        """Read and check the files, and take what is asked of them."""
        if self.folder is None:
            from mtsig_core.data.simulation.shared_task import simulated_task

            task = simulated_task(self.pairs or None)
        else:
            task = read_task(self.folder, self.pairs or None, lower_is_better=self.lower_is_better,
                             higher_is_better=self.higher_is_better, keep_canary=self.keep_canary)
        if table := self._table():
            known = {name: info for name, info in table.items() if not self.pairs or name in task.systems}
            task = replace(task, systems={**task.systems, **known})
            task = task.without(name for name in self.withdrawn() if name in known)
        if self.track is not None:
            task = task.of_track(self.track)
        if self.only:
            task = task.only(self.only)
        return without(task, self.exclude)

    def withdrawn(self) -> tuple[str, ...]:
        """The systems that are left out because the table calls them withdrawn."""
        table = {} if self.keep_withdrawn else self._table()
        return tuple(name for name, info in table.items() if info.role == "withdrawn")

    def _table(self) -> dict[str, SystemInfo]:
        path = self._table_path()
        return {} if path is None else read_systems(path)

    def _table_path(self) -> Path | None:
        if self.systems_table is not None:
            return Path(self.systems_table)
        beside = None if self.folder is None else Path(self.folder) / SYSTEMS
        return beside if beside is not None and beside.is_file() else None

    def files(self) -> list[Path]:
        """All files below the folder, in a fixed order; or the zip of it."""
        inside = () if self.folder is None else (Path(self.folder), *Path(self.folder).rglob("*"))
        return sorted(path for path in inside if path.is_file())

    def of_pair(self, pair: str) -> Source:
        """The test set of one language pair alone, with the systems that are chosen here."""
        return Source(folder=self.folder, langpair=pair, demo_task=self.folder is None, keep_canary=self.keep_canary,
                      lower_is_better=self.lower_is_better, higher_is_better=self.higher_is_better,
                      keep_withdrawn=self.keep_withdrawn)

    def digest(self) -> str:
        """Digest of name and bytes of all files, and of what is taken of them; quicker than to read them."""
        h = hashlib.blake2b(self.title.encode("utf-8", "surrogatepass"), digest_size=16)
        for path in self.files():
            assert self.folder is not None, "the simulated task has no files"
            with open(path, "rb") as file:
                content = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).digest()
            h.update(os.fsencode(path.relative_to(self.folder)) + b"\0" + content)
        if self.systems_table is not None:
            h.update(read_bytes(self.systems_table)[0] + b"\0")
        h.update(json.dumps({key: value for key, value in asdict(self).items() if key != "folder"}).encode())
        return h.hexdigest()
