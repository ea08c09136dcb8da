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
from mtsig_core.readers.files import STANDARD_INPUT
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
#: Names of options that differ from the name of their argument.
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
    "set",
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
    """Return the options that name a test set or a task and select what is read of it."""
    options = list_options(type(source))
    values = {name: getattr(source, name, None) for name in _FIELDS}
    if isinstance(source, TaskSource):
        values["demo"] = source.simulated
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
        if name == "columns":  # names of columns may have commas, and are not quoted
            value = ",".join(value)
        elif option is not None and option.is_list:
            value = join_list(value)
        items = (value,)
        if isinstance(value, tuple):
            items = value
        for item in items:
            is_path = option is not None and option.is_path
            arguments += _write_option(name, _write_item(source, item, is_path))
    return arguments


def _write_item(source: Source | TaskSource, item: Any, is_path: bool) -> Any:
    if isinstance(item, TaskExclusion):
        return format_exclusion(item)
    if isinstance(item, tuple):
        *labels, file = item
        label = ":".join(filter(None, labels))
        path = source.show_path(file)
        if not label:
            return path
        return f"{label}={path}"
    if is_path:
        return source.show_path(item)
    return item


def defaults(*targets: str | Callable[..., Any]) -> dict[str, Any]:
    """The defaults of the arguments of commands or functions.

    >>> defaults("validate units")["trials"], defaults(option_name)
    (9999, {})
    """
    values = {}
    for target in targets:
        if isinstance(target, str):
            functions = find_functions(target)
        else:
            functions = [target]
        for function in functions:
            for name, parameter in inspect.signature(function).parameters.items():
                if parameter.default is not parameter.empty:
                    values[name] = parameter.default
    return values


def find_functions(command: str) -> list[Callable[..., Any]]:
    """The functions of `CALLS`, imported late: a page needs few of them."""
    functions = []
    for place in CALLS.get(command, ()):
        module, name = place.split(":")
        functions.append(getattr(import_module(f"mtsig_core.{module}"), name))
    return functions


def join_list(names: Iterable[str]) -> str:
    """Names as the list of an option.

    As in CSV, a name with a comma or a quotation mark is in quotation marks.

    >>> join_list(["A", "B, or C"])
    'A,"B, or C"'
    """
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def option_name(argument: str) -> str:
    """The name of an argument as an option, without the dashes.

    >>> option_name("n_segments"), option_name("block_length")
    ('segments', 'block_length')
    """
    return _OPTIONS.get(argument, argument)


def option_flag(name: str) -> str:
    """The name of an option as it is typed.

    >>> option_flag("block_length")
    '--block-length'
    """
    return f"--{name.replace('_', '-')}"


def command_line(
    command: str,
    source: Source | TaskSource,
    *flags: str,
    metrics: str | Iterable[str] | None = None,
    **arguments: object,
) -> str:
    """The command line that prints some numbers.

    Parameters
    ----------
    *flags : str
        Options without a value.
    metrics : str or list of str, optional
        They are always printed, because their default depends on the test set.
    **arguments : object
        Arguments or options. None and defaults are left out.

    >>> command_line("validate pair", Source(demo=0), metrics="bleu", seed=0, n_segments=300, a="-x")
    'mtsig validate pair --demo --metrics bleu --segments 300 --a=-x'
    """
    words = ["mtsig", *command.split(), *source_options(source), *flags]
    if metrics:
        if isinstance(metrics, str):
            metrics = [metrics]
        words += _write_option("metrics", join_list(metrics))
    usual = {option_name(name): value for name, value in defaults(command).items()}
    for argument, value in arguments.items():
        name = option_name(argument)
        if value is not None and value != usual.get(name):
            words += _write_option(name, str(value))
    return show_name(shlex.join(words).replace(STANDARD_INPUT, "-"))


def task_command(
    source: TaskSource, *, metrics: str | Iterable[str] | None = None, **arguments: object
) -> str:
    """The command line that prints the numbers of a shared task; as `command_line`.

    >>> task_command(TaskSource("wmt25", track="constrained"), metrics="XCOMET-XL", seed=0)
    'mtsig task --folder wmt25 --track constrained --metrics XCOMET-XL'
    """
    return command_line("task", source, metrics=metrics, **arguments)


def remedy_options(remedies: Iterable[Remedy]) -> str:
    """Remedies as options of the command line; True makes a flag.

    >>> remedy_options([{"unit": "segment"}, {"exclude": "-x y"}, {"refs_as_systems": True}])
    "--unit segment, '--exclude=-x y', --refs-as-systems"
    """
    texts = []
    for remedy in remedies:
        words = []
        for name, value in remedy.items():
            words += _write_option(name, value)
        texts.append(shlex.join(words))
    return ", ".join(texts)


def _write_option(name: str, value: str | int) -> list[str]:
    """An option and its value as arguments, also where the value looks like an option."""
    option = option_flag(name)
    if value is True:
        return [option]
    if str(value).startswith("-"):
        return [f"{option}={value}"]
    return [option, str(value)]
