"""Commands that print what is on screen."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from mtsig_core.data.source import Source

__all__ = ["command_line", "option_with", "source_options"]


def source_options(source: Source) -> list[str]:
    """The options that name a source."""
    given = [("--folder", source.folder), ("--demo-segments", str(source.demo) if source.demo else None),
             ("--demo-references", str(source.demo_references) if source.demo_references > 1 else None)]
    given += [("--ref", path if name is None else f"{name}={path}") for name, path in source.ref]
    given += [("--system", path if name is None else f"{name}={path}") for name, path in source.system]
    given += [("--parse", f"{name}={path}") for name, path in source.parse]
    given += [("--src", source.src), ("--docs", source.docs), ("--langpair", source.langpair)]
    given += [("--refs", ",".join(source.refs) or None)]
    given += [("--scores", f"{name}={path}") for name, path in source.scores]
    given += [("--lower-is-better", name) for name in source.lower_is_better]
    given += [("--ids", source.ids), ("--tokenize", source.tokenize)]
    flags = [("--demo", source.demo == 0), ("--refs-as-systems", source.refs_as_systems),
             ("--keep-canary", source.keep_canary)]
    return [*(part for option, value in given if value is not None for part in option_with(option, value)),
            *(flag for flag, on in flags if on)]


def option_with(option: str, value: str) -> list[str]:
    """An option and its value as arguments, also where the value would be taken for an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def command_line(command: str, *given: str, usual: Mapping[str, object] | None = None, **asked: object) -> str:
    """The command line that prints some numbers.

    Parameters
    ----------
    command : str
        Such as ``"sweep size"``.
    given : str
        Arguments as they are: those of the source, and flags.
    usual : mapping, optional
        Defaults, by option.
    asked
        Options; one that is None or as usual is left out.

    Examples
    --------
    >>> command_line("sweep size", "--demo", usual={"seed": 0}, seed=0, alpha=None, system_name="-x")
    'mtsig sweep size --demo --system-name=-x'
    """
    usual = usual or {}
    more = [part for key, value in asked.items() if value is not None and value != usual.get(key)
            for part in option_with(f"--{key.replace('_', '-')}", str(value))]
    return shlex.join(["mtsig", *command.split(), *given, *more])
