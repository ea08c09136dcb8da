"""The command ``serve``: load the dashboard and start it on a test set."""

from __future__ import annotations

import importlib
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from mtsig_core.cli.options import (
    add_pairs,
    add_source_options,
    names_whole_task,
    refuse_of_one_pair,
    source_from,
    task_source,
)
from mtsig_core.errors import SettingError
from mtsig_core.extras import check_installed
from mtsig_core.readers.files import IN_MEMORY
from mtsig_core.source import Source

_PACKAGE = Path(__file__).resolve().parents[1]
#: What the dashboard needs beyond the core.
MODULES = (
    "streamlit",
    "plotly",
    "pandas",
    "pyarrow",
    "sqlalchemy",
    "jinja2",
    "openpyxl",
    "cloudpickle",
    "segno",
)


def add_serve(parser: ArgumentParser) -> None:
    """Add the options of ``serve``."""
    add_source_options(parser)
    add_pairs(parser)
    parser.add_argument(
        "--port", type=int, default=8501, metavar="N", help="port to listen on (default: 8501)"
    )
    parser.add_argument(
        "--address", help="address to listen on (default: localhost, this machine only)"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="number of processes; more than one needs the proxy Caddy (default: 1)",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def run_serve(args: Namespace) -> int:
    """Start the dashboard; return the status of its server."""
    if IN_MEMORY:
        raise SettingError(
            "serve reads its files again and again, and standard input only once. Name a file."
        )
    source = source_from(args, whole_task=True)
    task = None
    if names_whole_task(args):
        refuse_of_one_pair(args, "refs", "refs_as_systems")
        task = task_source(args)
        if source is None:
            source = task.select_pair(next(iter(task.list_pairs())))
    elif args.pairs:
        raise SettingError(
            "--pairs goes with --folder DIR without --langpair, a whole task. Remove it."
        )
    elif args.folder is not None and source == Source(folder=args.folder, langpair=args.langpair):
        # Results then shows this language pair, and no simulated task.
        task = task_source(args, pairs=(args.langpair,))
    status: int = load_dashboard().serve(
        source,
        task,
        port=args.port,
        open_browser=not args.no_browser,
        address=args.address,
        workers=args.workers,
    )
    return status


def load_dashboard() -> Any:
    """Load the module that starts the dashboard's server.

    A wheel has the dashboard inside the package; a checkout has it next to the package.
    """
    folder = _PACKAGE / "_dashboard"
    if not folder.is_dir():
        folder = _PACKAGE.parent
    app = folder / "asgi.py"
    if not app.is_file():
        raise SettingError(
            f"The dashboard is not there: expected {app}. Install mtsig again: pip install ."
        )
    check_installed("dashboard", "The dashboard", *MODULES)
    sys.path.insert(0, str(folder))
    return importlib.import_module("pages._server.launch")
