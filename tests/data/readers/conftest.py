"""Files for the readers' tests."""

import gzip
from pathlib import Path

import pytest

REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "wmt24"


@pytest.fixture
def write(tmp_path):
    """Write a file below tmp_path and return its path: text or bytes, gzipped if the name ends in .gz."""
    def write(name, content, *, pack=None):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, (list, tuple)):
            content = "".join(f"{line}\n" for line in content)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(gzip.compress(data) if (name.endswith(".gz") if pack is None else pack) else data)
        return path
    return write


@pytest.fixture(scope="session")
def wmt24():
    """The folder of real WMT 2024 texts."""
    if not REAL.is_dir():
        pytest.skip("needs the WMT 2024 texts in ../shared/data/wmt24")
    return REAL
