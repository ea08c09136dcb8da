"""Packages that only some of mtsig needs, which pip installs as extras, and what to say without them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from mtsig_core.errors import MissingPackageError


@contextmanager
def explain_missing_package(extra: str, subject: str, advice: str = "") -> Iterator[None]:
    """Around an import: raise `MissingPackageError` if a package of an extra is not installed.

    The `subject` of the message needs it, and `advice` ends the message.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingPackageError(write_missing(extra, subject, advice)) from error


def check_installed(extra: str, subject: str, *modules: str) -> None:
    """Raise `MissingPackageError` unless the modules that an extra brings are installed."""
    for module in modules:
        if find_spec(module) is None:
            raise MissingPackageError(write_missing(extra, subject))


def write_missing(extra: str, subject: str, advice: str = "") -> str:
    """Write what needs the packages of an extra, and the command that installs them."""
    message = (
        f"{subject} needs the extra {extra!r}, which is not installed. Install it with: "
        f"pip install {name_packages(extra)}"
    )
    return f"{message}. {advice}" if advice else message


def name_packages(extra: str) -> str:
    """Write what pip takes to install an extra: its packages, in their ranges.

    It names the packages, because pip does not know where mtsig comes from. A checkout that is not
    installed has no list of them, but there pip takes mtsig itself.
    """
    requirements = _list_requirements(extra) or [f".[{extra}]"]
    return " ".join(f'"{requirement}"' for requirement in requirements)


def _list_requirements(extra: str) -> list[str]:
    """The packages of an extra, with their ranges, as mtsig was installed."""
    from importlib import metadata  # late: only a message needs it

    try:
        lines = metadata.requires("mtsig") or []
    except metadata.PackageNotFoundError:
        return []
    requirements = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        if re.search(rf"extra == ['\"]{extra}['\"]", marker):
            requirements.append(requirement.strip())
    return requirements
