"""Tasks with texts and segment scores, in the layout of mt-metrics-eval.

Beside the texts, which `read_wmt` reads, with a block of lines for each system, in the order of the segments, and
``None`` where a score is missing::

    human-scores/en-de.mqm.seg.score              SYSTEM<TAB>SCORE
    metric-scores/en-de/COMET-22-refA.seg.score   the same; of references refA, or of the source: -src

Scores of systems, documents and domains (``.sys.score``, ...) are not read. The README of mt-metrics-eval says nothing
of which scores are better, so that each name is settled as `direction_of` does.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from mtsig_core.data.readers.assemble import without_canary
from mtsig_core.data.readers.bounds import check_place, regular
from mtsig_core.data.readers.lines import read_lines, shown
from mtsig_core.data.readers.names import folder_name
from mtsig_core.data.readers.wmt import language_pairs, left_out, read_wmt
from mtsig_core.data.score_directions import settle_directions
from mtsig_core.data.segment_scores import SegmentScores
from mtsig_core.data.task import Task
from mtsig_core.data.testset import TestSet, is_human
from mtsig_core.errors import InputError, unknown

__all__ = ["ENDINGS", "HUMAN", "METRICS", "read_blocks", "read_metrics_task"]

HUMAN, METRICS = "human-scores", "metric-scores"
ENDINGS = (".seg.score", ".seg.score.gz")
_Scores = dict[str, dict[str, list[float | None]]]  # by name and system


def read_metrics_task(folder: Path, pairs: Collection[str] | None = None, *, lower_is_better: Collection[str] = (),
                      higher_is_better: Collection[str] = (), keep_canary: bool = False) -> Task:
    """A task from a folder in the layout of mt-metrics-eval: texts, and human and metric scores by name.

    Parameters
    ----------
    folder : Path
    pairs : collection of str, optional
        Language pairs; all by default.
    lower_is_better, higher_is_better : collection of str
        What the user says of the direction of scores, of language pairs that are not chosen too.
    keep_canary : bool
        As in `read_wmt`.

    Returns
    -------
    Task
        Scores whose direction neither the user nor name and range settle are left out; `Task.assumed` begins with
        which, and how to say it. A reference that was scored too is known by its scores alone.

    Raises
    ------
    InputError
        With file and line, what was expected there, and what came.
    SettingError
        If there is no such language pair, or no score of a name whose direction is said.
    """
    known = language_pairs(folder)
    for pair in pairs or ():
        if pair not in known:
            raise unknown("language pair", pair, known)
    texts = {pair: read_wmt(folder, pair, keep_canary=True) for pair in dict.fromkeys(pairs or known)}
    scores = {pair: _scores_of(folder, pair.rpartition(".")[2], testset) for pair, testset in texts.items()}
    names = dict.fromkeys(name for found in scores.values() for name in found)
    values = {name: [score for found in scores.values() for of_system in found.get(name, {}).values()
                     for score in of_system] for name in names}
    elsewhere = sorted({name for pair in known for _, name in _files(folder, pair.rpartition(".")[2])})
    directions, told = settle_directions(values, lower_is_better, higher_is_better, elsewhere)
    assumed = [*(left_out(folder) if pairs is None else ()), *chain(*(one.assumed for one in texts.values())), *told]
    testsets = {pair: replace(testset, scores={
        name: SegmentScores(by_system, directions[name].higher_is_better)
        for name, by_system in scores[pair].items() if name in directions}) for pair, testset in texts.items()}
    if not keep_canary:
        testsets = {pair: without_canary(testset) for pair, testset in testsets.items()}
    return Task(folder_name(folder), testsets, assumed=tuple(assumed))


def _scores_of(folder: Path, pair: str, testset: TestSet) -> _Scores:
    """All scores of one language pair."""
    found: _Scores = {}
    first: dict[str, Path] = {}
    for path, name in _files(folder, pair):
        if name in first:
            raise InputError(f"Two scores are called {shown(name)}: {shown(first[name])} and {shown(path)}. Rename or "
                             "remove one of them.")
        if "," in name or name != name.strip():
            raise InputError(f"{shown(path)}: {shown(name)!r} is no name for scores, as a list of metrics could not "
                             "name them. Rename the file.")
        first[name] = path
        if by_system := _read(path, testset):
            found[name] = by_system
    return found


def _files(folder: Path, pair: str) -> list[tuple[Path, str]]:
    """The files of segment scores, and what the scores are called."""
    found = []
    for inside, start in ((folder / HUMAN, f"{pair}."), (folder / METRICS / pair, "")):
        for path in sorted(Path(check_place(inside)).iterdir()) if inside.is_dir() else ():
            ending = next((ending for ending in ENDINGS if path.name.endswith(ending)), None)
            if ending is not None and path.name.startswith(start) and not path.name.startswith("."):
                found.append((path, path.name.removesuffix(ending)[len(start):]))
    return found


def _read(path: Path, testset: TestSet) -> dict[str, list[float | None]]:
    """The scores of each system that has any."""
    found = read_blocks(path)
    _check(path, found, testset)
    return {system: scores for system, scores in found.items() if any(score is not None for score in scores)}


def read_blocks(path: Path) -> dict[str, list[float | None]]:
    """The scores of each system, in the order of the segments.

    Raises
    ------
    InputError
        With file and line.
    """
    found: dict[str, list[float | None]] = {}
    for number, line in enumerate(read_lines(regular(path), "SYSTEM<TAB>SCORE in each line"), 1):
        system, _, score = line.strip().replace("\t", " ").rpartition(" ")
        try:
            value = None if score == "None" else math.inf if "_" in score else float(score)
        except ValueError:
            value = math.inf
        if not system.strip() or (value is not None and math.isinf(value)):
            raise InputError(f"{shown(path)}, line {number} is {shown(repr(line))[:60]}. Expected SYSTEM<TAB>SCORE, "
                             "with None where a score is missing.")
        found.setdefault(system.strip(), []).append(None if value != value else value)
    return found


def _check(path: Path, found: Mapping[str, list[float | None]], testset: TestSet) -> None:
    for system, scores in found.items():
        if system not in testset.systems and system not in testset.references and not is_human(system):
            raise InputError(f"{shown(path)}: {shown(system)!r} has scores and no output. Expected one of "
                             f"{', '.join(map(shown, testset.systems))}; rename it, or remove its lines.")
        if len(scores) != testset.n_segments:
            raise InputError(f"{shown(path)}: {shown(system)} has {len(scores)} scores, the texts have "
                             f"{testset.n_segments} segments. Expected a line for each, with None where a score is "
                             "missing.")
