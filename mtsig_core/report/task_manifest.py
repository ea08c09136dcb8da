"""What the numbers of a shared task rest on, and the command that makes them again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mtsig_core.data.checks import literal
from mtsig_core.data.readers.bounds import bounded, open_file
from mtsig_core.data.task_source import TaskSource
from mtsig_core.report.export import to_json
from mtsig_core.report.task_export import task_csv, task_json
from mtsig_core.report.task_sentences import task_methods
from mtsig_core.results.task import TaskComparison
from mtsig_core.version import __version__, version_of

__all__ = ["task_manifest"]

_PACKAGES = ("numpy", "scipy", "sacrebleu", "numba")  # that numbers go through


def task_manifest(found: TaskComparison, source: TaskSource, command: str,
                  review: Mapping[str, Any] | None = None) -> str:
    """Files, test sets, versions, signatures, exclusions and commands of a shared task, as JSON.

    Parameters
    ----------
    found : TaskComparison
    source : TaskSource
        Where it came from; its files are digested as they are now.
    command : str
        The command line that prints its numbers.
    review : mapping, optional
        As `review_record` gives it; it is part of the results.

    Returns
    -------
    str
        Digests of files and results are SHA-256. ``results`` has, by format, the command and the digest of the bytes
        that it prints. There is no date in it: the same work gives the same manifest.
    """
    metrics = dict.fromkeys(name for comparison in found.pairs.values() for name in comparison.metrics)
    digests = {"json": task_json(found, review), "csv": task_csv(found, review)}
    results = {form: {"command": f"{command} --format {form}",
                      "sha256": hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()}
               for form, text in digests.items()}
    return to_json({
        "task": {"name": found.task.name, "digest": found.task.digest, "systems": {
            name: asdict(info) for name, info in found.task.systems.items()}},
        "command": results["json"]["command"],
        "results": results,
        "versions": {"mtsig": __version__, "python": platform.python_version(),
                     **{name: version_of(name) for name in _PACKAGES},
                     "platform": f"{platform.system()} {platform.machine()}"},
        "source": source.as_told(),
        "files": _files(source),
        "testsets": {pair: {"name": comparison.testset.name, "digest": comparison.testset.digest,
                            "segments": comparison.testset.n_segments, "simulated": comparison.testset.simulated}
                     for pair, comparison in found.pairs.items()},
        "settings": {pair: asdict(comparison.settings) for pair, comparison in found.pairs.items()},
        "signatures": {pair: {name: result.signature for name, result in comparison.metrics.items()}
                       for pair, comparison in found.pairs.items()},
        "assumed": list(found.task.assumed),
        "excluded": [asdict(exclusion) for exclusion in found.excluded],
        "may_be_first": {name: _may_be_first(found, name) for name in metrics},
        "methods": {name: task_methods(found, name) for name in metrics},
        **({} if review is None else {"review": review})})


def _files(source: TaskSource) -> dict[str, str]:
    """The SHA-256 of each file, by its path below the folder of the task; none of the simulated one."""
    digests = {}
    for path in source.files():
        assert source.folder is not None, "the simulated task has no files"
        with bounded(below=source.below), open_file(path) as file:
            name = literal(path.relative_to(source.folder).as_posix())
            digests[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


def _may_be_first(found: TaskComparison, metric: str) -> dict[str, Any]:
    """Who may be the first in each language pair, and across them."""
    macro = found.macro.get(metric)
    across = {} if macro is None else {"across": [row.system for row in macro.systems if row.rank_low == 1]}
    return {"pairs": {pair: [row.system for row in comparison.metrics[metric].systems if row.rank_low == 1]
                      for pair, comparison in found.pairs.items() if metric in comparison.metrics}, **across}
