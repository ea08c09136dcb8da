"""Results that pages show first on the demonstration data, computed in advance.

They are the resamples of the first comparison, and the slowest experiments with the default
settings of their pages. ``python -m pages._work.first_comparison`` writes them all again. Run it
after any change to the corpus, to `MetricDraws` or to an experiment. Tests compare the stored
results with new results of the core.
"""

from __future__ import annotations

import inspect
import json
import lzma
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_type_hints

from mtsig_core.metrics import Metric, list_metrics, make_metric, resolve_metric
from mtsig_core.metrics.cache import Memory
from mtsig_core.report.commands import defaults
from mtsig_core.schema import decode, encode
from mtsig_core.source import Source
from mtsig_core.stats.comparison import draw
from mtsig_core.stats.draws import MetricDraws
from mtsig_core.testset import TestSet
from mtsig_core.version import __version__

_ASSETS = Path(__file__).resolve().parents[2] / "assets"
FILES = {
    _ASSETS / "task.draws.xz": Source(demo_task=True),
    _ASSETS / "demo.draws.xz": Source(demo=0),
}
_VALUES = Memory(16)


class FirstDraws(dict):
    """The draws of a demonstration by the metric that decides, whatever the key.

    See `drawn_beforehand`.
    """

    def __init__(self, testset: TestSet):
        self._draws = _read_draws(testset)

    def __contains__(self, key) -> bool:
        return True

    def __missing__(self, key) -> MetricDraws:
        return self._draws


def drawn_beforehand(testset: TestSet, metric: str, settings: dict) -> bool:
    """Return whether this version has stored draws of this demonstration with these settings."""
    if not testset.simulated or metric != list_metrics(testset)[0]:
        return False
    default = defaults("compare")
    for name, value in settings.items():
        # Both units mean documents where a test set has these.
        is_same_unit = name == "unit" and value in ("auto", "document")
        if value != default[name] and not is_same_unit:
            return False
    return _read_draws(testset) is not None


def _read_draws(testset: TestSet) -> MetricDraws | None:
    origin = _describe(testset, resolve_metric(testset, list_metrics(testset)[0]))
    for file in FILES:
        draws = _read(file, origin, MetricDraws)
        if draws is not None:
            return draws
    return None


def _read(file: Path, origin: str, kind: type) -> Any:
    """Return the value of this kind in a file; None if it has another origin."""
    line = f"{origin}\n".encode()
    if line != _first_line(file):
        return None

    def read_value():
        return decode(kind, lzma.decompress(file.read_bytes())[len(line) :])

    return _VALUES.make((file, origin), read_value)


def first_result(
    testset: TestSet, metric: str, function: Callable, arguments: Mapping[str, Any]
) -> Any:
    """Return the result of an experiment on the large demonstration as its page opens.

    None for any other arguments.
    """
    file = _result_file(function)
    if not testset.simulated or not file.exists():
        return None
    origin = _describe(testset, resolve_metric(testset, metric), arguments)
    function = inspect.unwrap(function)
    # Only this type: others name packages that not everybody has.
    returned = SimpleNamespace(__annotations__={"return": function.__annotations__["return"]})
    return _read(file, origin, get_type_hints(returned, function.__globals__)["return"])


def _result_file(function: Callable) -> Path:
    return _ASSETS / f"demo.{function.__name__}.xz"


def _describe(testset: TestSet, metric: Metric, arguments: Mapping[str, Any] | None = None) -> str:
    """Write the origin of a value in one line.

    The origin is the test set, the metric, this version, and the arguments of an experiment.
    """
    origin: list[Any] = [testset.digest, metric.signature(testset), __version__]
    if arguments is not None:
        origin.append(dict(arguments))
    return json.dumps(origin, sort_keys=True)


@cache
def _first_line(file: Path) -> bytes:
    with lzma.open(file) as opened:
        return opened.readline()


def draw_first(testset: TestSet) -> MetricDraws:
    """Draw the systems of a demonstration by the metric that decides."""
    (draws,) = draw(testset, list_metrics(testset)[0]).by_metric.values()
    return draws


def write_draws() -> None:
    """Draw the demonstrations and write the draws to `FILES`."""
    for file, source in FILES.items():
        testset = source.read()
        draws = draw_first(testset)
        _write(file, _describe(testset, resolve_metric(testset, draws.metric)), encode(draws))


def first_experiments(testset: TestSet) -> dict[Callable, dict[str, Any]]:
    """Return the experiments that take longest, with the arguments of their pages at first."""
    from mtsig_core.experiments import error_rates, sampling, sweeps

    options = defaults("compare")
    usual = {"alpha": options["alpha"], "seed": options["seed"]}
    a, b, *_ = _read_draws(testset).names
    return {
        sampling.sample_both_kinds: usual | {"size": 300, "shuffle": False},
        sweeps.sweep_sizes: usual | {"sizes": None, "repeats": 100, "unit": "auto"},
        error_rates.type_one: usual | {"a": a, "b": b, "n_pairs": 200},
        sampling.coverage: usual | {"a": a, "b": b, "repeats": 200},
        error_rates.families: usual,
        error_rates.claims: usual,
        sampling.conclusions: usual,
    }


def write_results() -> None:
    """Run the experiments on the large demonstration and write their results."""
    testset = Source(demo=0).read()
    bleu = make_metric("bleu")
    for function, arguments in first_experiments(testset).items():
        result = function(testset, bleu, jobs=-1, **arguments)
        if hasattr(result, "widths"):  # only a sweep of references looks at these
            result = replace(result, widths={}, whole=None)
        _write(_result_file(function), _describe(testset, bleu, arguments), encode(result))


def _write(file: Path, origin: str, content: bytes) -> None:
    with lzma.open(file, "wb", preset=9) as opened:
        opened.write(f"{origin}\n".encode() + content)


if __name__ == "__main__":
    write_draws()
    write_results()
