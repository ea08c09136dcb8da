"""What the health page adds up."""

import subprocess
import sys

import pytest

from tests.builders.processes import CHECKOUT

SHARED = """
import os
from pages._server.health import _memory

held = b"1" * (200 << 20)
before = _memory(os.getpid())
reader, writer = os.pipe()
if not os.fork():
    os.close(writer)
    os.read(reader, 1)  # until the other has ended
    os._exit(0)
print(before, _memory(os.getpid()))
"""


@pytest.mark.long
def test_memory_that_processes_share_counts_once():
    done = subprocess.run(
        [sys.executable, "-c", SHARED], cwd=CHECKOUT, capture_output=True, text=True, timeout=60
    )
    before, shared = map(int, done.stdout.split())
    assert min(before, shared) > 200 << 20
    assert shared < before + (150 << 20)  # libraries are shared with others, too
