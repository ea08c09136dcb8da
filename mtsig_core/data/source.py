"""Where a test set comes from."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mtsig_core.data.checks import literal
from mtsig_core.data.readers import join_scores, read_scores, read_text
from mtsig_core.data.readers.archives import files_at
from mtsig_core.data.readers.bounds import bounded, from_below, places, without_places
from mtsig_core.data.readers.further_runs import join_runs
from mtsig_core.data.readers.names import folder_name
from mtsig_core.data.readers.sacrebleu_sets import read_sacrebleu, set_and_pair
from mtsig_core.data.readers.systems_table import without_withdrawn
from mtsig_core.data.readers.tasks import has_scores, pairs_of, read_pair
from mtsig_core.data.readers.wmt_xml import read_wmt_xml
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import SettingError, counted

__all__ = ["PORTS_VARIABLE", "SHARED_VARIABLE", "SOURCE_VARIABLE", "Source"]

#: The environment variables that tell the dashboard which test set it was started on, and each of several processes
#: where all of them listen and in which folder they share results.
SOURCE_VARIABLE, PORTS_VARIABLE, SHARED_VARIABLE = "MTSIG_SERVED_SOURCE", "MTSIG_WORKER_PORTS", "MTSIG_SHARED"


@dataclass(frozen=True)
class Source:
    """Where a test set comes from, and what to take of it.

    Attributes
    ----------
    ref, system : tuple of (str or None, str)
        (name, file) of references and outputs.
    folder : str or None
        A shared-task folder in WMT layout, in place of files; needs `langpair`.
    xml : tuple of str
        XML files of a shared task, in place of files.
    sacrebleu : str or None
        A test set that sacreBLEU knows, in place of references; `system` joins the outputs that it has.
    refs : tuple of str
        References to score with; empty for all.
    parse : tuple of (str, str)
        (name, file) of dependency parses of references and outputs.
    demo : int or None
        The first so many segments of the simulated corpus, in place of files; 0 for all of them.
    demo_references : int
        The references that it has.
    demo_task : bool
        The simulated shared task, in place of files.
    scores : tuple of (str, str)
        (name, file) of segment scores, which join the texts, or are all there is.
    lower_is_better, higher_is_better : tuple of str
        Names of scores of which the lowest, or the highest, is best.
    ids : str or None
        File with the id of each line of the texts, by which the tables of scores name them.
    tokenize : str or None
        What to split the texts with; None: by the language pair.
    only, exclude : tuple of str
        Systems to compare, empty for all; and systems to leave out.
    domain : str or None
        The segments of this domain alone.
    run : tuple of (str, str)
        (system, file) of the outputs of further training runs.
    keep_withdrawn : bool
        Whether to keep the systems that the table of a task's systems, in its folder, calls withdrawn.
    systems_table : str or None
        That table, where it is another than ``systems.tsv`` in the folder.
    below : str or None
        The folder that all files must lie in, links followed; they are named from there on. None for anywhere.
    named_from : str or None
        A folder that files are named from on screen, as below `below`; what lies elsewhere by its name alone. None
        names files as they were given.
    """

    ref: tuple[tuple[str | None, str], ...] = ()
    system: tuple[tuple[str | None, str], ...] = ()
    src: str | None = None
    docs: str | None = None
    folder: str | None = None
    langpair: str | None = None
    refs: tuple[str, ...] = ()
    refs_as_systems: bool = False
    keep_canary: bool = False
    demo: int | None = None
    parse: tuple[tuple[str, str], ...] = ()
    scores: tuple[tuple[str, str], ...] = ()
    lower_is_better: tuple[str, ...] = ()
    ids: str | None = None
    demo_references: int = 1
    tokenize: str | None = None
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    domain: str | None = None
    demo_task: bool = False
    higher_is_better: tuple[str, ...] = ()
    xml: tuple[str, ...] = ()
    sacrebleu: str | None = None
    run: tuple[tuple[str, str], ...] = ()
    keep_withdrawn: bool = False
    below: str | None = None
    named_from: str | None = None
    systems_table: str | None = None

    def read(self) -> TestSet:
        """Read and check the files, and take what is asked of them."""
        return self.part_of(self.read_all())

    def part_of(self, testset: TestSet) -> TestSet:
        """The systems and segments to compare, of all that were read."""
        whole, kept = testset, ", ".join(self.only)
        if self.only:
            testset = testset.only(self.only)
        if self.exclude:
            left = whole.without(self.exclude).systems
            testset = testset.only(name for name in testset.systems if name in left)
        if whole.systems and not testset.systems:
            raise SettingError(f"No system of {testset.name} is left: exclude leaves out {', '.join(self.exclude)}"
                               f"{f', and only {kept} would take part' * bool(self.only)}. Leave one in, two to "
                               "compare.")
        return testset if self.domain is None else testset.in_domain(self.domain)

    def everything(self) -> Source:
        """The same with all references to score with, and the line that is a canary."""
        return replace(self, refs=(), refs_as_systems=False, keep_canary=True)

    def read_all(self) -> TestSet:
        """Read and check the files; all systems and segments."""
        with bounded(below=self.below), without_places(self._places()):
            return self._read_all()

    def _read_all(self) -> TestSet:
        if not self.has_texts:
            with files_at(self.scores) as tables:
                return read_scores(tables, self.lower_is_better, higher_is_better=self.higher_is_better)
        testset = self._read_texts()
        if self.tokenize is not None:
            testset = replace(testset, tokenizer=self.tokenize)
        if self.scores:
            with files_at(self.scores) as tables:
                testset = join_scores(testset, tables, self._said(self.lower_is_better, True), ids=self.ids,
                                      higher_is_better=self._said(self.higher_is_better, True))
        if self.folder is not None and not self.keep_withdrawn:  # tables and runs may name them
            testset = without_withdrawn(testset, self.folder, self.systems_table)
        if self.refs or self.refs_as_systems:
            testset = testset.scored_with(self.refs or None, others_as_systems=self.refs_as_systems)
        return testset

    def _read_texts(self) -> TestSet:
        if self.run and not self.ref:
            with files_at(self.run) as runs:
                return join_runs(replace(self, run=(), keep_canary=True)._read_texts(), runs, self.keep_canary)
        if self.demo_task:
            from mtsig_core.data.simulation.shared_task import shared_task, simulated_task

            return shared_task() if self.langpair is None else simulated_task([self.langpair]).testsets[self.langpair]
        if self.demo is not None:
            from mtsig_core.data.simulation.corpus import load_demo

            return load_demo(self.demo or None, self.demo_references)
        if self.folder is not None:
            if self.langpair is None:
                pairs = pairs_of(self.folder)
                raise SettingError(f"{self.folder} is read for one language pair. It has: {', '.join(pairs)}.",
                                   {"langpair": "XX-YY"})
            return read_pair(self.folder, self.langpair, parses=self.parse, keep_canary=self.keep_canary,
                             lower_is_better=self._said(self.lower_is_better, False),
                             higher_is_better=self._said(self.higher_is_better, False))
        if self.xml:
            return read_wmt_xml(self.xml, self.langpair, keep_canary=self.keep_canary)
        if self.sacrebleu is not None:
            return read_sacrebleu(self.sacrebleu, self.langpair, self.system, keep_canary=self.keep_canary)
        return read_text(self.ref, self.system, sources=self.src, documents=self.docs,
                         parses=self.parse, runs=self.run, langpair=self.langpair, keep_canary=self.keep_canary)

    def _said(self, names: tuple[str, ...], of_tables: bool) -> tuple[str, ...]:
        """Those names of scores that come from tables, or else from the folder of a task, if it has any."""
        tables = {name for name, _ in self.scores}
        of_folder = self.folder is not None and has_scores(self.folder)
        return tuple(name for name in names if (name in tables or not of_folder) is of_tables)

    @property
    def has_texts(self) -> bool:
        """Whether there are texts, not segment scores alone."""
        return bool(self.ref or self.xml or self.sacrebleu) or self.folder is not None or self.simulated

    @property
    def simulated(self) -> bool:
        """Whether it is made up, so that nothing is read from the user's files."""
        return self.demo is not None or self.demo_task

    def files(self) -> list[str]:
        """The files it is read from; of a folder, all that are in it."""
        inside = [] if self.folder is None else [self.folder, *map(str, Path(self.folder).rglob("*"))]
        single = [path for path in (self.src, self.docs, self.ids, self.systems_table) if path is not None]
        named = [path for _, path in (*self.ref, *self.system, *self.run, *self.parse, *self.scores)]
        return [path for path in (*inside, *self.xml, *named, *single) if os.path.isfile(path)]

    @property
    def title(self) -> str:
        """A short name, before anything is read."""
        if self.demo_task:
            return "simulated shared task" + (f" {self.langpair}" if self.langpair else "")
        if self.demo is not None:
            return "simulated corpus" + (f", {self.demo} segments" if self.demo else "") + (
                f", {self.demo_references} references" if self.demo_references > 1 else "")
        if self.folder is not None:
            return f"{literal(folder_name(self.folder))} {self.langpair}"
        if self.xml:
            return literal(Path(self.xml[0]).name)
        if self.sacrebleu is not None:
            return " ".join(filter(None, set_and_pair(self.sacrebleu, self.langpair)))
        if not self.has_texts:
            return f"scores {literal(Path(self.scores[0][1]).name)}"
        return f"{counted(len(self.system), 'system')}, {literal(Path(self.ref[0][1]).name)}"

    def shown_folder(self) -> str | None:
        """The folder from `below` on, as any screen can take it."""
        return None if self.folder is None else self.shown(self.folder)

    def shown(self, path: str) -> str:
        """A file of it, as any screen can take it."""
        return from_below(path, self.below or self.named_from)

    def _places(self) -> dict[str, str]:
        """What messages say of its files."""
        named = (path for _, path in (*self.ref, *self.system, *self.run, *self.parse, *self.scores))
        paths = (self.folder, self.src, self.docs, self.ids, self.systems_table, *self.xml, *named)
        return places(self.named_from, *(path for path in paths if path is not None))

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Source:
        values = json.loads(text)
        values |= {key: tuple(map(tuple, values.get(key, ()))) for key in ("ref", "system", "scores", "parse", "run")}
        lists = ("refs", "lower_is_better", "higher_is_better", "only", "exclude", "xml")
        return cls(**values | {key: tuple(values.get(key, ())) for key in lists})
