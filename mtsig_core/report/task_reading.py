"""A comparison of a task read back from the JSON that `mtsig_core.report.task_export.task_json` wrote."""

from __future__ import annotations

from mtsig_core.data.task import SystemInfo
from mtsig_core.data.task_exclusions import TaskExclusion
from mtsig_core.inference.task_comparison import excluded_in
from mtsig_core.report.json_reading import as_object, at, metric_result, parsed, record, records, typed, with_runs
from mtsig_core.results import Caution, Comparison, Settings, SystemRuns, TestSetInfo
from mtsig_core.results.task import MacroPair, MacroResult, MacroSystem, TaskComparison, TaskInfo

__all__ = ["read_task_comparison"]

_WHOLE = "The comparison of a task"


def read_task_comparison(text: str) -> TaskComparison:
    """Equal to the one that was written, to the last digit.

    Raises
    ------
    InputError
        If the text is not the JSON of a comparison of a task: with the place, what was expected there, and what came.
    """
    data = as_object(parsed(text), _WHOLE)
    task = as_object(at("task", data, _WHOLE), "task")
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
    for k, one in enumerate(at("warnings", data, _WHOLE), 1):
        pair = typed("str", at("pair", as_object(one, f"warnings, entry {k}"), f"warnings, entry {k}"), "pair")
        warnings.setdefault(pair, []).append(record(Caution, one, f"warnings, entry {k}"))
    pairs = {}
    for pair, value in as_object(at("pairs", data, _WHOLE), "pairs").items():
        where, one = f"pairs: {pair}", as_object(value, f"pairs: {pair}")
        pairs[pair] = Comparison(
            record(TestSetInfo, at("testset", one, where), f"{where}: testset"),
            record(Settings, at("settings", one, where), f"{where}: settings"), tuple(warnings.get(pair, ())),
            {name: metric_result(name, result, f"{where}: metrics: {name}")
             for name, result in as_object(at("metrics", one, where), f"{where}: metrics").items()},
            excluded_in(pair, excluded))
    macro = {name: _macro(name, value, f"macro: {name}")
             for name, value in as_object(at("macro", data, _WHOLE), "macro").items()}
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
