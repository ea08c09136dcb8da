"""Metrics that run elsewhere: ``--scorer`` runs a command for each system and reads its scores.

Only the command line imports this module, so that no page, link or upload can name a command.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import weakref
from argparse import Namespace
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mtsig_core.errors import InputError, SettingError
from mtsig_core.metrics import METRICS
from mtsig_core.metrics.cache import FROM_ELSEWHERE, remember
from mtsig_core.readers.cells import is_number
from mtsig_core.readers.columns import find_column
from mtsig_core.readers.document_tasks import STAND_IN, drop_stand_in
from mtsig_core.readers.limits import hide_places
from mtsig_core.readers.lines import read_table
from mtsig_core.readers.score_tables import RatingGroup, ScoreOptions
from mtsig_core.readers.scores import freeze_scores, read_scores
from mtsig_core.report.text import print_note
from mtsig_core.testset import TestSet

#: Commands of metrics, as their own documentation has them.
SCORERS = {
    "comet": "comet-score -s {source} -t {output} -r {reference} --to_json {scores}",
    "cometkiwi": "comet-score -s {source} -t {output} --model Unbabel/wmt22-cometkiwi-da --to_json {scores}",
    "bleurt": "python -m bleurt.score_files -candidate_file={output} -reference_file={reference} "
    "-bleurt_checkpoint=BLEURT-20 -scores_file={scores}",
}
_PLACEHOLDER = re.compile("{(output|source|reference|langpair|scores)}")
#: What gives a test set what a placeholder stands for.
_REMEDIES = {
    "output": {"system": "FILE"},
    "source": {"src": "FILE"},
    "reference": {"refs": "NAME"},
    "langpair": {"langpair": "XX-YY"},
}
_FOREVER = 1e9  # seconds; a wait without an end would hold a lock that ending the command needs
_PATIENCE = 1  # seconds that a command has to end by itself
_SHOWN = 5  # lines that a command printed last, in the message if it fails


def parse_scorer(text: str) -> tuple[str, str]:
    """Read ``NAME=COMMAND``, or the name of a preset, as a name and a command."""
    name, _, command = text.partition("=")
    command = command or SCORERS.get(text, "")
    try:
        words = shlex.split(command)
    except ValueError:  # an open quote
        words = []
    if "{output}" not in " ".join(words) or not re.fullmatch(r"\w([\w.:+()/ -]*[\w)+])?", name):
        raise SettingError(
            f"--scorer {text}: expected {', '.join(SCORERS)}, or NAME='COMMAND' with {{output}} for the file "
            "to score, and with closed quotes. docs/data.md has all placeholders."
        )
    return name, command


def fill_placeholders(name: str, command: str, testset: TestSet) -> dict[str, str]:
    """Return what stands for the placeholders of a command; for a file its content.

    The output is that of no system yet.

    Raises
    ------
    SettingError
        If the test set lacks something that the command needs.
    """
    if name in {*METRICS, *testset.scores}:
        raise SettingError(f"--scorer {name}: there is a metric of that name. Choose another one.")
    values = {"scores": ""}
    if testset.has_outputs:
        values["output"] = ""
    references = testset.references.keys() - {STAND_IN}
    if len(references) == 1:
        values["reference"] = _join_lines(testset.references[references.pop()])
    if testset.sources:
        values["source"] = _join_lines(testset.sources)
    if testset.langpair:
        values["langpair"] = testset.langpair
    for placeholder in _PLACEHOLDER.findall(command):
        if placeholder not in values:
            raise SettingError(
                f"--scorer {name} needs one {{{placeholder}}}, and {testset.name} has none or several.",
                _REMEDIES[placeholder],
            )
    return values


def run_scorers(args: Namespace, testset: TestSet) -> TestSet:
    """Add the scores of the commands that the options name to a test set."""
    options = ScoreOptions(args.lower_is_better, args.higher_is_better)
    for name, command in args.scorer:
        fill_placeholders(name, command, testset)  # names what is missing before anything runs
    for name, command in args.scorer:
        testset = _score_systems(name, command, testset, options)
    return drop_stand_in(testset)


def _score_systems(name: str, command: str, testset: TestSet, options: ScoreOptions) -> TestSet:
    """Run a scorer for each system whose scores are not kept, and add its scores to a test set."""
    values = fill_placeholders(name, command, testset)
    programs = filter(os.path.isfile, shlex.split(command))
    times = [os.path.getmtime(file) for file in programs]
    scores = {}
    is_higher = True
    for number, (system, output) in enumerate(testset.systems.items(), 1):
        if None in output:  # it has only scores
            continue
        values["output"] = _join_lines(output)
        key = [values[placeholder] for placeholder in _PLACEHOLDER.findall(command)]
        place = f"{name}, {testset.name}, system {number} of {len(testset.systems)} ({system})"
        run = partial(_run, place, command, values, testset.n_segments)
        scores[system], is_higher = remember(list, run, FROM_ELSEWHERE, command, times, key)
    group = RatingGroup([], [], is_higher)
    frozen, assumed = freeze_scores({name: scores}, {name: group}, options)
    joined = {**testset.scores, **frozen}
    return replace(testset, scores=joined, assumed=(*testset.assumed, *assumed))


def _join_lines(texts: Iterable[Any]) -> str:
    """The content of a file with a segment in each line.

    Programs disagree on which characters end a line, so a space replaces them inside a segment.
    """
    return "".join(f"{' '.join(text.splitlines())}\n" for text in texts)


def _run(place: str, command: str, values: dict[str, str], n_segments: int) -> list[Any]:
    """Run a command in a temporary folder.

    Returns
    -------
    list of (list of (float or None), bool)
        The scores, and whether higher ones are better; False only if their format says so.
    """
    print_note(f"scoring with {place}")
    with TemporaryDirectory(prefix="mtsig-") as folder:
        filled = {name: f"{folder}/{name}" for name in (*values, "log")}
        for name, text in values.items():
            Path(filled[name]).write_text(text, "utf-8", "replace", "\n")
        filled["langpair"] = values.get("langpair", "")
        words = [
            _PLACEHOLDER.sub(lambda match: filled[match[1]], word) for word in shlex.split(command)
        ]
        printed = filled["log" if "{scores}" in command else "scores"]
        with open(printed, "ab") as out, open(filled["log"], "ab+") as log:
            status = _execute(words, out, log)
            log.seek(0)
            text = b"".join(deque(log, _SHOWN)).decode("utf-8", "replace")
        if status != 0:
            # bars of progress return to the beginning of their line
            last_lines = "\n".join(text.splitlines()[-_SHOWN:])
            raise SettingError(
                f"{place}: the command ended with exit status {status}. Its last lines:\n"
                f"{last_lines or '(It printed nothing.)'}"
            )
        with hide_places({filled["scores"]: f"{place}: {{scores}}"}):
            return _read_scores(filled["scores"], n_segments)


def _execute(words: list[str], out: Any, log: Any) -> int:
    """Run a command to its end and return its status; it ends with this process, too."""
    try:
        process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True
        )
    except OSError as error:
        log.write(
            f"{words[0]}: {error.strerror}. Name a program of another environment by its path.".encode()
        )
        return 127  # as shells have it
    end = weakref.finalize(process, _end, process)  # which Ctrl+C calls
    try:
        return process.wait(_FOREVER)
    finally:
        end()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it has started, first by a request."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(OSError, subprocess.TimeoutExpired):
            os.killpg(process.pid, number)
            process.wait(_PATIENCE)


def _read_scores(path: str, n_segments: int) -> list[Any]:
    """The scores of one output in any format of scores, also a number in each line."""
    table = read_table(path)
    if len(table.header) == 1:
        rows = table.rows
        if is_number(table.header[0]):  # a score, not a title
            rows = [(1, table.header), *rows]
        table = replace(table, header=["score"], rows=rows)
    columns = {}
    if find_column(table.header, "system") is None:
        columns["systems"] = "score"
    testset = read_scores({"score": table}, columns=columns)
    scores = testset.scores["score"]
    if len(testset.systems) != 1 or testset.n_segments != n_segments:
        raise InputError(
            f"{path} has {testset.n_segments} scores. Expected one for each of {n_segments} segments."
        )
    return [*scores.by_system.values(), scores.higher_is_better]
