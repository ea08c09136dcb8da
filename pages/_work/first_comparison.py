"""What pages open with on the demonstrations, made beforehand: the draws of the first comparison,
and the experiments that take longest, as their pages ask for them at first.

``python -m pages._work.first_comparison`` writes all of it again, which is due after any change to
the corpus, to `MetricDraws` or to an experiment; tests compare it with what the core gives.
"""

from __future__ import annotations

import inspect
import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from mtsig_core.metrics import Metric, list_metrics, make_metric, resolve_metric
from mtsig_core.report.commands import defaults
from mtsig_core.schema import decode, encode
from mtsig_core.source import Source
from mtsig_core.stats.comparison import draw
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__
from pages._work.memory import Memory

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILES = {
    _ASSETS / "task.draws.xz": Source(demo_task=True),
    _ASSETS / "demo.draws.xz": Source(demo=0),
}

_VALUES = Memory(16)


class FirstDraws(dict):
    """What was drawn of a demonstration by the metric that decides, whatever the key: see
    `drawn_beforehand`.
    """

    def __init__(self, testset: TestSet):
        self._draws = _first(testset)

    def __contains__(self, key) -> bool:
        return True

    def __missing__(self, key) -> MetricDraws:
        return self._draws


def drawn_beforehand(testset: TestSet, metric: str, settings: dict) -> bool:
    """Whether these are demonstration, metric and settings that were drawn beforehand, by this
    version.
    """
    usual = defaults("compare") | {
        "unit": ("auto", "document")
    }  # both mean documents, where a test set has these
    return (
        testset.simulated
        and metric == list_metrics(testset)[0]
        and all(
            value in usual[name] if name == "unit" else usual[name] == value
            for name, value in settings.items()
        )
        and _first(testset) is not None
    )


def _first(testset: TestSet) -> MetricDraws | None:
    made_of = _describe(testset, resolve_metric(testset, list_metrics(testset)[0]))
    return next(filter(None, (_read(file, made_of, MetricDraws) for file in FILES)), None)


def _read(file: Path, made_of: str, kind: type) -> Any:
    """The value of that kind in a file; None where it is made of something else."""
    line = f"{made_of}\n".encode()
    if line != _first_line(file):
        return None
    return _VALUES.make(
        (file, made_of), lambda: decode(kind, lzma.decompress(file.read_bytes())[len(line) :])
    )


def first_result(
    testset: TestSet, metric: str, function: Callable, asked: Mapping[str, Any]
) -> Any:
    """What an experiment gives of the large demonstration with the arguments of its page at first;
    None for any others.
    """
    if not testset.simulated or not (file := _result_file(function)).exists():
        return None
    made_of = _describe(testset, resolve_metric(testset, metric), asked)
    return _read(file, made_of, get_type_hints(inspect.unwrap(function))["return"])


def _result_file(function: Callable) -> Path:
    return _ASSETS / f"demo.{function.__name__}.xz"


def _describe(testset: TestSet, metric: Metric, asked: Mapping[str, Any] | None = None) -> str:
    """What something is made of, in a line: test set, metric, this version, and the arguments of an
    experiment.
    """
    made_of = [testset.digest, metric.signature(testset), __version__]
    return json.dumps(made_of if asked is None else [*made_of, dict(asked)], sort_keys=True)


@cache
def _first_line(file: Path) -> bytes:
    with lzma.open(file) as opened:
        return opened.readline()


def drawn(testset: TestSet) -> MetricDraws:
    """Systems by the metric that decides."""
    (draws,) = draw(testset, list_metrics(testset)[0]).by_metric.values()
    return draws


def write_draws() -> None:
    """Draw the demonstrations and write what was drawn to `FILES`."""
    for file, source in FILES.items():
        draws = drawn(testset := source.read())
        _write(file, _describe(testset, resolve_metric(testset, draws.metric)), encode(draws))


def first_experiments(testset: TestSet) -> dict[Callable, dict[str, Any]]:
    """The experiments that take longest, and what their pages ask of them at first."""
    from mtsig_core.experiments import error_rates, sampling, sweeps

    usual = {name: defaults("compare")[name] for name in ("alpha", "seed")}
    pair = usual | dict(zip("ab", _first(testset).names, strict=False))
    return {
        sampling.sample_both_kinds: usual | {"size": 300, "shuffle": False},
        sweeps.sweep_sizes: usual | {"sizes": None, "repeats": 100, "unit": "auto"},
        error_rates.type_one: pair | {"n_pairs": 200},
        sampling.coverage: pair | {"repeats": 200},
        error_rates.families: usual,
        error_rates.claims: usual,
        sampling.conclusions: usual,
    }


def write_results() -> None:
    """Run the experiments on the large demonstration and write what they give."""
    testset, bleu = Source(demo=0).read(), make_metric("bleu")
    for function, asked in first_experiments(testset).items():
        result = function(testset, bleu, jobs=-1, **asked)
        if hasattr(result, "widths"):  # what only a sweep of references looks at
            result = replace(result, widths={}, whole=None)
        _write(_result_file(function), _describe(testset, bleu, asked), encode(result))


def _write(file: Path, made_of: str, content: bytes) -> None:
    with lzma.open(file, "wb", preset=9) as opened:
        opened.write(f"{made_of}\n".encode() + content)


if __name__ == "__main__":
    write_draws()
    write_results()
