"""Commands that print what is on screen."""

from __future__ import annotations

import inspect
import shlex
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from mtsig_core.errors import Remedy
from mtsig_core.source import Source, TaskSource
from mtsig_core.task import format_exclusion
from mtsig_core.testset import show_name

#: What each command calls, as "module:function" below the core: from these signatures come its options, their defaults,
#: and what a printed command may leave out.
CALLS = {"compare": ("stats.comparison:compare",),
         "task": ("stats.across:compare_task",),
         "pair": ("experiments.dispute:examine_dispute",),
         "agreement": ("experiments.metric_agreement:agreement",),
         "domains": ("experiments.domains:by_domain",),
         "sample blocks": ("experiments.sampling:sampling",),
         "sample broad": ("experiments.sampling:sampling",),
         "sample spread": ("experiments.sampling:spreads",),
         "sweep size": ("experiments.sweeps:sweep_sizes", "experiments.planning:plan"),
         "sweep references": ("experiments.sweeps:sweep_references",),
         "sweep resamples": ("experiments.sweeps:stability",),
         "validate conclusions": ("experiments.validation:conclusions",),
         "validate calibration": ("experiments.validation:conclusions",),
         "validate coverage": ("experiments.validation:coverage",),
         "validate type1": ("experiments.error_rates:type_one",),
         "validate families": ("experiments.error_rates:families",),
         "validate claims": ("experiments.error_rates:claims",),
         "validate variants": ("experiments.error_rates:variants",),
         "validate pair": ("experiments.validation:pair_tests",),
         "validate units": ("experiments.error_rates:unit_changes",),
         "validate changed-pairs": ("experiments.error_rates:unit_changes",),
         "metrics precisions": ("experiments.inside_score:precisions",),
         "metrics lengths": ("experiments.inside_score:lengths",),
         "metrics averages": ("experiments.inside_score:averages",),
         "metrics students-t": ("experiments.inside_score:students_t", "experiments.inside_score:densities"),
         "metrics signatures": ("experiments.inside_score:signatures",)}
#: What options are called that have another name than their argument.
_OPTIONS = {"system": "system_name", "size": "sample_size", "most": "segments", "n_segments": "segments",
            "n_documents": "documents", "n_pairs": "pairs"}


def source_options(source: Source) -> list[str]:
    """The options that name a source, and what is taken of it."""
    given = [("--folder", source.show_folder()), ("--sacrebleu", source.sacrebleu),
             ("--demo-segments", str(source.demo) if source.demo else None),
             ("--demo-references", str(source.demo_references) if source.demo_references > 1 else None)]
    given += [("--xml", source.show_path(path)) for path in source.xml]
    given += [(option, source.show_path(path) if name is None else f"{name}={source.show_path(path)}")
              for option, files in (("--ref", source.ref), ("--system", source.system), ("--run", source.run),
                                    ("--parse", source.parse)) for name, path in files]
    given += [(option, path and source.show_path(path))
              for option, path in (("--src", source.src), ("--docs", source.docs), ("--ids", source.ids),
                                   ("--systems-table", source.systems_table))]
    given += [("--langpair", source.langpair)]
    given += [("--refs", ",".join(source.refs) or None)]
    given += [("--scores", f"{name}={source.show_path(path)}") for name, path in source.scores]
    given += [("--lower-is-better", name) for name in source.lower_is_better]
    given += [("--higher-is-better", name) for name in source.higher_is_better]
    given += [("--tokenize", source.tokenize), ("--domain", source.domain)]
    given += [("--exclude", ",".join(source.exclude) or None), ("--only", ",".join(source.only) or None)]
    flags = [("--demo", source.demo == 0), ("--demo-task", source.demo_task),
             ("--refs-as-systems", source.refs_as_systems), ("--keep-canary", source.keep_canary),
             ("--keep-withdrawn", source.keep_withdrawn)]
    return [*(part for option, value in given if value is not None for part in _with(option, value)),
            *(flag for flag, on in flags if on)]


def defaults(*called: str | Callable[..., Any]) -> dict[str, Any]:
    """What the arguments of some commands or functions are unless they are given.

    >>> defaults("validate units")["trials"], defaults(option_name)
    (9999, {})
    """
    functions = [function for one in called for function in ([one] if callable(one) else called_by(one))]
    return {name: parameter.default for function in functions
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.default is not parameter.empty}


def called_by(command: str) -> list[Callable[..., Any]]:
    """The functions of `CALLS`, imported late: a page needs few of them."""
    places = (place.split(":") for place in CALLS.get(command, ()))
    return [getattr(import_module(f"mtsig_core.{module}"), name) for module, name in places]


def option_name(argument: str) -> str:
    """What an argument is called as an option, without the dashes.

    >>> option_name("n_segments"), option_name("block_length")
    ('segments', 'block_length')
    """
    return _OPTIONS.get(argument, argument)


def command_line(command: str, source: Source, *flags: str, **asked: object) -> str:
    """The command line that prints some numbers.

    Parameters
    ----------
    command : str
        Such as ``"sweep size"``.
    source : Source
    flags : str
        Options without a value.
    asked
        Arguments, or options; one that is None or as by default is left out, and so is the metric BLEU.

    Examples
    --------
    >>> command_line("validate pair", Source(demo=0), metrics="bleu", seed=0, n_segments=300, a="-x")
    'mtsig validate pair --demo --segments 300 --a=-x'
    """
    usual = {option_name(name): value for name, value in defaults(command).items()} | {"metrics": "bleu"}
    given = {option_name(name): value for name, value in asked.items()}
    more = [part for key, value in given.items() if value is not None and value != usual.get(key)
            for part in _option(key, str(value))]
    return show_name(shlex.join(["mtsig", *command.split(), *source_options(source), *flags, *more]))


def task_command(source: TaskSource, **asked: object) -> str:
    """The command line that prints the numbers of a shared task; as `command_line`.

    >>> task_command(TaskSource("wmt25", track="constrained"), metrics="XCOMET-XL", seed=0)
    'mtsig task --folder wmt25 --track constrained --metrics XCOMET-XL'
    """
    usual = defaults("task")
    given = {"folder": source.show_folder(), "name": source.name, "pairs": ",".join(source.pairs) or None,
             "track": source.track,
             "only": ",".join(source.only) or None, "refs": ",".join(source.refs) or None,
             "systems_table": source.systems_table and source.show_path(source.systems_table)}
    said = [(option, name) for option, names in (("--lower-is-better", source.lower_is_better),
                                                 ("--higher-is-better", source.higher_is_better)) for name in names]
    said += [("--exclude", format_exclusion(one)) for one in source.exclude]
    said += [("--scores", f"{pair}:{name}={source.show_path(path)}") for pair, name, path in source.scores]
    said += [("--run", f"{pair}:{name}={source.show_path(path)}") for pair, name, path in source.run]
    chosen = {key: value for key, value in asked.items() if value != usual.get(key)}
    options = [part for key, value in (given | chosen).items() if value is not None
               for part in _with(f"--{key.replace('_', '-')}", str(value))]
    flags = ["--demo"] * (source.folder is None) + ["--keep-canary"] * source.keep_canary
    flags += ["--keep-withdrawn"] * source.keep_withdrawn + ["--refs-as-systems"] * source.refs_as_systems
    return show_name(shlex.join(["mtsig", "task", *flags, *options, *(part for one in said for part in _with(*one))]))


def remedy_options(remedies: Iterable[Remedy]) -> str:
    """What mends something, as options of the command line; True makes a flag.

    >>> remedy_options([{"unit": "segment"}, {"exclude": "-x y"}, {"refs_as_systems": True}])
    "--unit segment, '--exclude=-x y', --refs-as-systems"
    """
    return ", ".join(shlex.join(part for name, value in remedy.items() for part in _option(name, value))
                     for remedy in remedies)


def _option(name: str, value: str | int) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    return [option] if value is True else _with(option, str(value))


def _with(option: str, value: str) -> list[str]:
    """An option and its value as arguments, also where the value would be taken for an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]
