"""Packages that bring metrics, as installed ones: a module, and metadata with entry points."""

import sys

from mtsig_core.metrics.registry import find_packaged


def install(folder, monkeypatch, *, package="plugin", code="", entry_points):
    """Install a package in a folder that is on the path until the test ends.

    `entry_points` is the content of its file of entry points.
    """
    (folder / f"{package}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_bytes(
        entry_points if isinstance(entry_points, bytes) else entry_points.encode()
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setitem(sys.modules, package, None)  # so that it is not there after the test
    del sys.modules[package]
    find_packaged.cache_clear()
