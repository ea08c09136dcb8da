"""A small test set on disk, and ways to run the command line on it."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture
def options(files):
    """Source options for these files."""
    systems = [
        part
        for name in ("fair", "good", "poor")
        for part in ("--system", str(files / f"{name}.txt"))
    ]
    return ["--ref", str(files / "ref.txt"), *systems, "--docs", str(files / "docs.txt")]


@pytest.fixture
def folder(text_folder):
    return text_folder


@pytest.fixture
def checkout():
    return CHECKOUT


@pytest.fixture
def process():
    """Run the command line as a process of its own."""

    def call(*args, **kwargs):
        return subprocess.run(
            [sys.executable, "-m", "mtsig_core", *map(str, args)],
            cwd=CHECKOUT,
            timeout=120,
            capture_output=True,
            **kwargs,
        )

    return call
