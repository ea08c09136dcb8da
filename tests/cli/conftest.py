"""A small test set on disk, and ways to run the command line on it."""

import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from mtsig_core.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[2]
WORDS = "the a cat dog house river sees finds old small quiet bridge over under and then market street".split()


def sentences(n, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(4, 15))).capitalize() + "." for _ in range(n)]


def spoiled(texts, share, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(WORDS) if draw.random() < share else word for word in text.split()) for text in texts]


@pytest.fixture
def files(tmp_path):
    """Reference, three systems (the last much worse) and documents of 60 segments, as files."""
    ref = sentences(60, 1)
    texts = {"ref": ref, "good": spoiled(ref, 0.15, 2), "fair": spoiled(ref, 0.2, 3), "poor": spoiled(ref, 0.6, 4),
             "docs": [f"news\tdoc{k // 4}" for k in range(60)]}
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return tmp_path


@pytest.fixture
def options(files):
    """Source options for these files."""
    systems = [part for name in ("fair", "good", "poor") for part in ("--system", str(files / f"{name}.txt"))]
    return ["--ref", str(files / "ref.txt"), *systems, "--docs", str(files / "docs.txt")]


@pytest.fixture
def folder(files, tmp_path_factory):
    """The same as a shared-task folder en-de, with a second reference."""
    root = tmp_path_factory.mktemp("task")
    for part in ("references", "system-outputs/en-de", "documents"):
        (root / part).mkdir(parents=True)
    for name in ("good", "fair", "poor"):
        (root / f"system-outputs/en-de/{name}.txt").write_bytes((files / f"{name}.txt").read_bytes())
    (root / "references/en-de.refA.txt").write_bytes((files / "ref.txt").read_bytes())
    (root / "references/en-de.refB.txt").write_bytes((files / "good.txt").read_bytes())
    (root / "documents/en-de.docs").write_bytes((files / "docs.txt").read_bytes())
    return root


@pytest.fixture
def run(capsys):
    """Run the command line in this process: status, standard output, standard error."""
    def call(*args):
        status = main([str(arg) for arg in args])
        out = capsys.readouterr()
        return SimpleNamespace(status=status, out=out.out, err=out.err)

    return call


@pytest.fixture
def checkout():
    return CHECKOUT


@pytest.fixture
def process():
    """Run the command line as a process of its own."""
    def call(*args, **kwargs):
        return subprocess.run([sys.executable, "-m", "mtsig_core", *map(str, args)], cwd=CHECKOUT, timeout=120,
                              capture_output=True, **kwargs)

    return call
