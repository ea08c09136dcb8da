"""Commands that print what is on screen."""

from __future__ import annotations

import csv
import inspect
import io
import shlex
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from mtsig_core.errors import Remedy
from mtsig_core.source import Source, TaskSource, list_options
from mtsig_core.task import TaskExclusion, format_exclusion
from mtsig_core.testset import show_name

#: What each command calls, as "module:function" below the core: from these signatures come its
#: options, their defaults, and what a printed command may leave out.
CALLS = {
    "compare": ("stats.comparison:compare",),
    "task": ("stats.across:compare_task",),
    "pair": ("experiments.dispute:examine_dispute",),
    "findings": ("stats.across:compare_task", "experiments.rankings:make_findings"),
    "autorank": ("experiments.rankings:autorank",),
    "agreement": ("experiments.metric_agreement:agreement",),
    "domains": ("experiments.domains:by_domain",),
    "sample blocks": ("experiments.sampling:sampling",),
    "sample broad": ("experiments.sampling:sampling",),
    "sample spread": ("experiments.sampling:spreads",),
    "sweep size": ("experiments.sweeps:sweep_sizes", "stats.power:plan"),
    "sweep references": ("experiments.sweeps:sweep_references",),
    "sweep resamples": ("experiments.sweeps:stability",),
    "validate conclusions": ("experiments.sampling:conclusions",),
    "validate calibration": ("experiments.sampling:conclusions",),
    "validate coverage": ("experiments.sampling:coverage",),
    "validate type1": ("experiments.error_rates:type_one",),
    "validate families": ("experiments.error_rates:families",),
    "validate claims": ("experiments.error_rates:claims",),
    "validate variants": ("experiments.error_rates:variants",),
    "validate pair": ("experiments.sampling:pair_tests",),
    "validate units": ("experiments.error_rates:unit_changes",),
    "validate changed-pairs": ("experiments.error_rates:unit_changes",),
    "metrics precisions": ("experiments.inside_score:precisions",),
    "metrics lengths": ("experiments.inside_score:lengths",),
    "metrics averages": ("experiments.inside_score:averages",),
    "metrics students-t": (
        "experiments.inside_score:students_t",
        "experiments.inside_score:densities",
    ),
    "metrics signatures": ("experiments.inside_score:signatures",),
}
#: What options are called that have another name than their argument.
_OPTIONS = {
    "system": "system_name",
    "size": "sample_size",
    "most": "segments",
    "n_segments": "segments",
    "n_documents": "documents",
    "n_pairs": "pairs",
}


#: The fields of sources that are options, in the order of a printed command.
_FIELDS = (
    "folder",
    "name",
    "sacrebleu",
    "demo_segments",
    "demo_references",
    "xml",
    "ref",
    "system",
    "run",
    "parse",
    "src",
    "docs",
    "ids",
    "systems_table",
    "pairs",
    "track",
    "langpair",
    "refs",
    "scores",
    "raters",
    "mqm_weights",
    "columns",
    "lower_is_better",
    "higher_is_better",
    "tokenize",
    "domain",
    "exclude",
    "only",
    "demo",
    "demo_task",
    "refs_as_systems",
    "keep_canary",
    "keep_withdrawn",
)


def source_options(source: Source | TaskSource) -> list[str]:
    """The options that name a test set or a task, and what is taken of it."""
    options = list_options(type(source))
    values = {name: getattr(source, name, None) for name in _FIELDS}
    if isinstance(source, TaskSource):
        values["demo"] = source.folder is None
    else:
        values["demo_segments"] = source.demo or None
        values["demo"] = source.demo == 0
        if source.demo_references == 1:
            values["demo_references"] = None
    arguments: list[str] = []
    for name, value in values.items():
        if value in (None, False, ()):
            continue
        option = options.get(name)
        if name == "columns":  # which may have commas in their names as they are
            value = ",".join(value)
        elif option is not None and option.is_list:
            value = join_list(value)
        items = value if isinstance(value, tuple) else (value,)
        for item in items:
            if isinstance(item, TaskExclusion):
                item = format_exclusion(item)
            elif isinstance(item, tuple):
                *labels, path = item
                label = ":".join(filter(None, labels))
                path = source.show_path(path)
                item = f"{label}={path}" if label else path
            elif option is not None and option.is_path:
                item = source.show_path(item)
            arguments += _option(name, item)
    return arguments


def defaults(*called: str | Callable[..., Any]) -> dict[str, Any]:
    """What the arguments of some commands or functions are unless they are given.

    >>> defaults("validate units")["trials"], defaults(option_name)
    (9999, {})
    """
    functions = [
        function for one in called for function in ([one] if callable(one) else called_by(one))
    ]
    return {
        name: parameter.default
        for function in functions
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    }


def called_by(command: str) -> list[Callable[..., Any]]:
    """The functions of `CALLS`, imported late: a page needs few of them."""
    places = (place.split(":") for place in CALLS.get(command, ()))
    return [getattr(import_module(f"mtsig_core.{module}"), name) for module, name in places]


def join_list(names: Iterable[str]) -> str:
    """Names as the list of an option: as in CSV, a name with a comma or a quotation mark is in
    quotation marks.

    >>> join_list(["A", "B, or C"])
    'A,"B, or C"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def option_name(argument: str) -> str:
    """What an argument is called as an option, without the dashes.

    >>> option_name("n_segments"), option_name("block_length")
    ('segments', 'block_length')
    """
    return _OPTIONS.get(argument, argument)


def command_line(
    command: str,
    source: Source | TaskSource,
    *flags: str,
    metrics: str | Iterable[str] | None = None,
    **asked: object,
) -> str:
    """The command line that prints some numbers; `flags` are options without a value, `asked`
    arguments or options, of which one that is None or as by default is left out. The metric, or
    several, never are: their default depends on the test set.

    >>> command_line("validate pair", Source(demo=0), metrics="bleu", seed=0, n_segments=300, a="-x")
    'mtsig validate pair --demo --metrics bleu --segments 300 --a=-x'
    """
    usual = {
        option_name(name): value for name, value in defaults(command).items() if name != "metrics"
    }
    given = {option_name(name): value for name, value in asked.items()}
    if metrics:
        given = {"metrics": join_list([metrics] if isinstance(metrics, str) else metrics), **given}
    more = [
        part
        for key, value in given.items()
        if value is not None and value != usual.get(key)
        for part in _option(key, str(value))
    ]
    return show_name(
        shlex.join(["mtsig", *command.split(), *source_options(source), *flags, *more])
    )


def task_command(
    source: TaskSource, *, metrics: str | Iterable[str] | None = None, **asked: object
) -> str:
    """The command line that prints the numbers of a shared task; as `command_line`.

    >>> task_command(TaskSource("wmt25", track="constrained"), metrics="XCOMET-XL", seed=0)
    'mtsig task --folder wmt25 --track constrained --metrics XCOMET-XL'
    """
    return command_line("task", source, metrics=metrics, **asked)


def remedy_options(remedies: Iterable[Remedy]) -> str:
    """What mends something, as options of the command line; True makes a flag.

    >>> remedy_options([{"unit": "segment"}, {"exclude": "-x y"}, {"refs_as_systems": True}])
    "--unit segment, '--exclude=-x y', --refs-as-systems"
    """
    return ", ".join(
        shlex.join(part for name, value in remedy.items() for part in _option(name, value))
        for remedy in remedies
    )


def _option(name: str, value: str | int) -> list[str]:
    """An option and its value as arguments, also where the value would be taken for an option."""
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    return [f"{option}={value}"] if str(value).startswith("-") else [option, str(value)]
