"""Comparisons, of test sets and of tasks, read back from their JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, NoReturn, TypeVar, cast

from mtsig_core.errors import InputError
from mtsig_core.results import (
    AgreementComparison,
    Caution,
    Comparison,
    Exclusion,
    MacroPair,
    MacroResult,
    MacroSystem,
    MetricAgreement,
    MetricResult,
    PairResult,
    PairRuns,
    ReferenceLeaders,
    RuledRanks,
    SamplingSettings,
    Settings,
    SystemResult,
    SystemRuns,
    TaskComparison,
    TaskInfo,
    TestSetInfo,
)
from mtsig_core.stats.across import excluded_in
from mtsig_core.task import SystemInfo, TaskExclusion

#-----------------------------------------------------------------------------------------------------------------------
# A comparison read back from the JSON that `mtsig_core.report.export.comparison_json` wrote.


_WHOLE = "The comparison"
_JSON_TYPES = {"str": "a text", "float": "a number", "int": "a whole number", "bool": "true or false",
               "tuple[str, ...]": "a list of texts", "tuple[int, ...]": "a list of whole numbers",
               "tuple[float, ...]": "a list of numbers", "Mapping[str, str]": "an object with texts",
               "Mapping[str, Any]": "an object",
               "tuple[Remedy, ...]": "a list of objects, each with texts or whole numbers"}
_Record = TypeVar("_Record", bound=TestSetInfo | Settings | Caution | Exclusion | SystemResult | PairResult
                  | ReferenceLeaders | RuledRanks | SystemRuns | PairRuns | SystemInfo | MacroSystem | MacroPair
                  | TaskExclusion | SamplingSettings | MetricAgreement | AgreementComparison)


def read_comparison(text: str) -> Comparison:
    """See `Comparison.from_json`."""
    data = as_object(parsed(text), _WHOLE)
    metrics = {name: metric_result(name, value, f"metrics: {name}")
               for name, value in as_object(at("metrics", data, _WHOLE), "metrics").items()}
    if not metrics:
        raise InputError(f"{_WHOLE} has no metric. Expected at least one under 'metrics'.")
    return Comparison(record(TestSetInfo, at("testset", data, _WHOLE), "testset"),
                      record(Settings, at("settings", data, _WHOLE), "settings"),
                      records(Caution, at("warnings", data, _WHOLE), "warnings"), metrics,
                      records(Exclusion, data.get("excluded", []), "excluded"))


def parsed(text: str) -> object:
    """The JSON of a text, without NaN and infinity."""
    def refused(constant: str) -> NoReturn:
        raise InputError(f"It holds {constant}, which is not JSON. Expected null where undefined.")

    try:
        return json.loads(text, parse_constant=refused)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"This is not JSON{where}. Expected what mtsig writes.") from error


def metric_result(name: str, data: object, where: str) -> MetricResult:
    """What was found by one metric."""
    data = as_object(data, where)
    signature = typed("str", at("signature", data, where), f"{where}: signature")
    higher_is_better = typed("bool", at("higher_is_better", data, where), f"{where}: higher_is_better")
    systems = records(SystemResult, at("systems", data, where), f"{where}: systems")
    pairs = records(PairResult, at("pairs", data, where), f"{where}: pairs")
    known = {row.system for row in systems}
    if not known or len(known) < len(systems):
        raise InputError(f"{where}: {len(systems)} systems with {len(known)} names. Expected each system once.")
    for row in pairs:
        if row.a == row.b or not {row.a, row.b} <= known:
            raise InputError(f"{where}: a pair of {row.a!r} and {row.b!r}. Expected two of its systems.")
        for what, side in (("better", row.better), ("favours", row.favours)):
            if side not in ("a", "b", None):
                raise InputError(f'{where}: {what} is {side!r} in the pair {row.a} - {row.b}. '
                                 'Expected "a", "b" or null.')
    by_reference = records(ReferenceLeaders, data.get("by_reference", []), f"{where}: by_reference")
    for one in by_reference:  # results of versions that did not look have none
        if not one.leaders or not known.issuperset(one.leaders):
            raise InputError(f"{where}: by {one.reference} the leaders are {_shown(one.leaders)}. Expected some of its "
                             "systems.")
    tokenizer = typed("str | None", data.get("tokenizer"), f"{where}: tokenizer")
    ci = typed("str | None", data.get("ci"), f"{where}: ci")
    n_units = typed("int | None", data.get("n_units"), f"{where}: n_units")
    n_effective = typed("float | None", data.get("n_effective"), f"{where}: n_effective")
    trials = typed("int | None", data.get("trials"), f"{where}: trials")
    exact = typed("bool", data.get("exact", False), f"{where}: exact")
    ruled = None if data.get("ruled") is None else record(RuledRanks, data["ruled"], f"{where}: ruled")
    of_systems = with_runs(data["systems"], ("system",), f"{where}: systems")
    of_pairs = with_runs(data["pairs"], ("a", "b"), f"{where}: pairs")
    return MetricResult(name, signature, higher_is_better, systems, pairs, by_reference, tokenizer, ci, n_units,
                        n_effective, trials, exact, ruled, records(SystemRuns, of_systems, f"{where}: runs"),
                        records(PairRuns, of_pairs, f"{where}: runs of pairs"))


def with_runs(rows: list[dict[str, Any]], names: tuple[str, ...], where: str) -> list[dict[str, Any]]:
    """What rows say of training runs, with the names of the row; some or none of them."""
    return [{name: row[name] for name in names} | as_object(row["runs"], f"{where}, entry {k}: runs")
            for k, row in enumerate(rows, 1) if "runs" in row]


def records(kind: type[_Record], values: object, where: str) -> tuple[_Record, ...]:
    """A list of records."""
    if not isinstance(values, list):
        raise InputError(f"{where} is {_shown(values)}. Expected a list.")
    return tuple(record(kind, value, f"{where}, entry {k}") for k, value in enumerate(values, 1))


def record(kind: type[_Record], data: object, where: str) -> _Record:
    """A dataclass from an object with its fields; those with a default may be missing."""
    data = as_object(data, where)
    values: dict[str, Any] = {}
    for name, annotation, python, needed in _form(cast(Any, kind)):
        if name in data or needed:
            value = data[name] if name in data else at(name, data, where)
            # A task has a million of them: those of the very type, and finite, are taken as they are.
            if type(value) is not python or type(value) is float and not math.isfinite(value):
                value = typed(annotation, value, f"{where}: {name}")
            values[name] = value
    return kind(**values)


@cache
def _form(kind: Any) -> list[tuple[str, str, type | None, bool]]:
    """Of each field name, annotation, the type of values that may stay as they are, and whether it must be there."""
    plain = {"str": str, "float": float, "int": int, "bool": bool}
    return [(f.name, str(f.type), plain.get(str(f.type).removesuffix(" | None")), f.default is MISSING)
            for f in fields(kind)]


def as_object(value: object, where: str) -> dict[str, Any]:
    """What must be an object."""
    if not isinstance(value, dict):
        raise InputError(f"{where} is {_shown(value)}. Expected an object with keys.")
    return value


def at(key: str, data: Mapping[str, Any], where: str) -> Any:
    """What must be there under a key."""
    if key not in data:
        raise InputError(f"{where} has no {key!r}. Expected what mtsig writes.")
    return data[key]


def typed(kind: str, value: Any, where: str) -> Any:
    """The value as it is, if it is of the type that a field is annotated with."""
    plain = kind.removesuffix(" | None")
    if value is None and plain != kind:
        return None
    fits = _FITS[plain](value)
    if not fits:
        or_null = " or null" if plain != kind else ""
        raise InputError(f"{where} is {_shown(value)}. Expected {_JSON_TYPES[plain]}{or_null}.")
    return tuple(value) if isinstance(value, list) else value


_FITS: dict[str, Callable[[Any], bool]] = {
    "str": lambda value: isinstance(value, str), "bool": lambda value: isinstance(value, bool),
    "float": lambda value: _is_number(value), "int": lambda value: type(value) is int,
    "tuple[str, ...]": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "tuple[int, ...]": lambda value: isinstance(value, list) and all(type(item) is int for item in value),
    "tuple[float, ...]": lambda value: isinstance(value, list) and bool(value) and all(map(_is_number, value)),
    "Mapping[str, str]": lambda value: isinstance(value, dict) and all(isinstance(one, str) for one in value.values()),
    "Mapping[str, Any]": lambda value: isinstance(value, dict),
    "tuple[Remedy, ...]": lambda value: isinstance(value, list) and all(
        isinstance(item, dict) and all(isinstance(one, str | int) for one in item.values()) for item in value)}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf


def _shown(value: object, longest: int = 40) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]}..."


#-----------------------------------------------------------------------------------------------------------------------
# A comparison of a task read back from the JSON that `mtsig_core.report.task_export.task_json` wrote.


_WHOLE_TASK = "The comparison of a task"


def read_task_comparison(text: str) -> TaskComparison:
    """Equal to the one that was written, to the last digit.

    Raises
    ------
    InputError
        If the text is not the JSON of a comparison of a task: with the place, what was expected there, and what came.
    """
    data = as_object(parsed(text), _WHOLE_TASK)
    task = as_object(at("task", data, _WHOLE_TASK), "task")
    info = TaskInfo(
        typed("str", at("name", task, "task"), "task: name"), typed("str", at("digest", task, "task"), "task: digest"),
        typed("tuple[str, ...]", at("pairs", task, "task"), "task: pairs"),
        {name: record(SystemInfo, value, f"task: systems: {name}")
         for name, value in as_object(at("systems", task, "task"), "task: systems").items()},
        typed("tuple[str, ...]", at("assumed", task, "task"), "task: assumed"),
        {pair: typed("tuple[str, ...]", names, f"task: scores: {pair}")
         for pair, names in as_object(at("scores", task, "task"), "task: scores").items()},
        typed("tuple[str, ...]", at("with_texts", task, "task"), "task: with_texts"),
        typed("str | None", task.get("primary"), "task: primary"))
    excluded = records(TaskExclusion, data.get("excluded", []), "excluded")
    warnings: dict[str, list[Caution]] = {}
    for k, one in enumerate(at("warnings", data, _WHOLE_TASK), 1):
        pair = typed("str", at("pair", as_object(one, f"warnings, entry {k}"), f"warnings, entry {k}"), "pair")
        warnings.setdefault(pair, []).append(record(Caution, one, f"warnings, entry {k}"))
    pairs = {}
    for pair, value in as_object(at("pairs", data, _WHOLE_TASK), "pairs").items():
        where, one = f"pairs: {pair}", as_object(value, f"pairs: {pair}")
        pairs[pair] = Comparison(
            record(TestSetInfo, at("testset", one, where), f"{where}: testset"),
            record(Settings, at("settings", one, where), f"{where}: settings"), tuple(warnings.get(pair, ())),
            {name: metric_result(name, result, f"{where}: metrics: {name}")
             for name, result in as_object(at("metrics", one, where), f"{where}: metrics").items()},
            excluded_in(pair, excluded))
    macro = {name: _macro(name, value, f"macro: {name}")
             for name, value in as_object(at("macro", data, _WHOLE_TASK), "macro").items()}
    return TaskComparison(info, pairs, macro, excluded, warnings=tuple(warnings.get("", ())))


def _macro(name: str, value: object, where: str) -> MacroResult:
    data = as_object(value, where)
    return MacroResult(name, typed("bool", at("higher_is_better", data, where), f"{where}: higher_is_better"),
                       typed("tuple[str, ...]", at("language_pairs", data, where), f"{where}: language_pairs"),
                       records(MacroSystem, at("systems", data, where), f"{where}: systems"),
                       records(MacroPair, at("pairs", data, where), f"{where}: pairs"),
                       records(SystemRuns, with_runs(data["systems"], ("system",), f"{where}: systems"),
                               f"{where}: runs"),
                       None if data.get("ci") is None else typed("str", data["ci"], f"{where}: ci"))
