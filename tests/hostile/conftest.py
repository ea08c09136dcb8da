"""A thousand cases write a thousand folders: in memory, where there is such a place."""

import tempfile
from pathlib import Path

import pytest

IN_MEMORY = Path("/dev/shm")


@pytest.fixture(scope="package", autouse=True)
def in_memory():
    with pytest.MonkeyPatch.context() as patch:
        if IN_MEMORY.is_dir():
            patch.setattr(tempfile, "tempdir", str(IN_MEMORY))
        yield
