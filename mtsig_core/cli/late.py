"""Parts of packages that are loaded where they are used."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec

__all__ = ["load_when_used"]


def load_when_used(*names: str) -> None:
    """Let parts of a package be there without being loaded, until something is asked of them or they are imported.

    For what a library that we load asks for and does not use. It is done as Python's documentation has it; not where
    several threads may be the first to use a part: Python before 3.12.3 may show one of them half of it.
    """
    for name in names:
        spec = None if name in sys.modules else find_spec(name)
        if spec is None or spec.loader is None:
            continue
        spec.loader = loader = LazyLoader(spec.loader)
        sys.modules[name] = module = module_from_spec(spec)
        loader.exec_module(module)
        package, _, part = name.rpartition(".")
        setattr(sys.modules[package], part, module)
