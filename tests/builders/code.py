"""The code of the project, read."""

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Real test sets, beside the checkout where there are any.
DATA = ROOT.parent / "shared" / "data"


CORE = sorted((ROOT / "mtsig_core").rglob("*.py"))


PAGES = sorted((ROOT / "pages").rglob("*.py"))


def name_of(file):
    """The dotted name of a module below the root."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(file):
    # Python before 3.11.8 loses count where the collector runs other code in the middle of it
    gc.disable()
    try:
        return ast.parse(file.read_text(encoding="utf-8"))
    finally:
        gc.enable()


@cache
def nodes(file):
    """All that stands in a module, from above and from outside to inside."""
    return (*ast.walk(tree(file)),)


def offenders(files, wrong):
    """The modules with something wrong, and what: one test for all files, for there are
    hundreds.
    """
    return {name_of(file): found for file in files if (found := wrong(file))}
