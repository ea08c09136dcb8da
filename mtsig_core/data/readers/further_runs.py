"""Outputs of further training runs, beside a test set that comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from mtsig_core.data.readers.assemble import without_canary, wrong_counts
from mtsig_core.data.readers.large_texts import read_texts
from mtsig_core.data.readers.lines import FilePath
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError

__all__ = ["join_runs", "runs_beside"]


def join_runs(testset: TestSet, runs: Sequence[tuple[str, FilePath]], keep_canary: bool = False) -> TestSet:
    """A test set with the outputs of further training runs of its systems; see docs/runs.md.

    Parameters
    ----------
    testset : TestSet
        With all lines of its files, also one that is a canary.
    runs : sequence of (str, path-like)
        System, and a file with a line for each of its segments, in the order of the runs.
    keep_canary : bool
        Whether to keep the line that the documents call ``canary``.

    Raises
    ------
    InputError
        If a file cannot be read or has another number of lines, and as `TestSet` for runs of what is no system.
    """
    if not testset.has_texts:
        if not runs:
            return testset
        raise InputError(f"{testset.name} has scores of segments and no texts, so there is no output of which "
                         f"{runs[0][1]} could be a further training run. Leave the runs out.")
    outputs: dict[str, list[Sequence[str]]] = {}
    read = [(system, path, read_texts(path)) for system, path in runs]
    for system, _, lines in read:
        outputs.setdefault(system, []).append(lines)
    if any(len(lines) != testset.n_segments for *_, lines in read):
        name, reference = next(iter(testset.references.items()))
        raise InputError("\n".join(wrong_counts(f"{name} of {testset.name}", [text or "" for text in reference],
                                                [(path, lines, "the output") for _, path, lines in read])))
    testset = replace(testset, runs=outputs)
    return testset if keep_canary else without_canary(testset)


def runs_beside(folder: FilePath, pairs: Collection[str]) -> list[tuple[str, str, str]]:
    """(language pair, system, file) of the further training runs in the folder of a task, which are called
    ``PAIR.NAME.run2.txt``, ``PAIR.NAME.run3.txt``, ...; in the order of their numbers. No command takes them by itself.
    """
    named = [(re.fullmatch(r"([^.]+)\.(.+)\.run([2-9]|[1-9][0-9]+)\.txt", path.name, re.DOTALL), path)
             for path in Path(folder).glob("*.run*.txt") if path.is_file()]
    found = sorted((match[1], match[2], int(match[3]), str(path)) for match, path in named
                   if match and match[1] in pairs)
    return [(pair, system, path) for pair, system, _, path in found]
