"""Files for the readers' tests."""

import gzip

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file below tmp_path and return its path: text or bytes, gzipped if the name ends in
    .gz.
    """

    def write(name, content, *, pack=None):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, (list, tuple)):
            content = "".join(f"{line}\n" for line in content)
        data = content if isinstance(content, bytes) else content.encode()
        path.write_bytes(
            gzip.compress(data) if (name.endswith(".gz") if pack is None else pack) else data
        )
        return path

    return write
