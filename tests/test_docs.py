"""README and docs say nothing that the program does not do."""

import doctest
import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest

import mtsig_core
from mtsig_core.cli.main import _parser, main

CHECKOUT = Path(__file__).resolve().parents[1]
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAPERS = (CHECKOUT / "docs" / "papers.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^mtsig (.+)$", PAPERS, re.MULTILINE)
PYTHON = (CHECKOUT / "docs" / "python.md").read_text(encoding="utf-8")
WITH_EXAMPLES = [".".join(file.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__init__")
                 for file in sorted((CHECKOUT / "mtsig_core").rglob("*.py")) if "\n    >>> " in file.read_text("utf-8")]


def test_every_option_and_command_exists(capsys):
    known = set()
    parser = _parser()
    for command in ("compare", "score", "segments", "serve", "sample broad", "sweep size", "sweep references",
                    "validate type1", "metrics example"):
        try:
            parser.parse_args([*command.split(), "--help"])
        except SystemExit:
            known |= set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    used = set(re.findall(r"--[a-z][a-z-]*", README))
    assert used <= known | {"--help"}


def test_every_make_target_exists():
    makefile = (CHECKOUT / "Makefile").read_text()
    for target in set(re.findall(r"make ([a-z-]+)", README)) - {"are"}:
        assert f"\n{target}:" in makefile, target


def test_every_file_that_contributors_are_sent_to_exists():
    folders = ("metrics", "data", "inference", "experiments")
    places = ("", "mtsig_core", *(f"mtsig_core/{folder}" for folder in folders), "pages", "tests/metrics")
    for name in re.findall(r"`([\w/]+\.(?:py|txt|md))`", CONTRIBUTING):
        assert any((CHECKOUT / place / name).is_file() for place in places) or "NAME" in name, name


def test_every_picture_exists():
    for picture in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (CHECKOUT / picture).is_file()


def test_every_direct_dependency_has_a_range():
    for line in (CHECKOUT / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+,<\d+", line), line


def test_the_examples_in_python_run_one_after_the_other():
    blocks = re.findall(r"^```python\n(.*?)^```$", PYTHON, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10 and all(block.startswith(">>> ") for block in blocks)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", None, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module(module):
    tried = doctest.testmod(import_module(module))
    assert tried.attempted and not tried.failed


def test_python_shows_every_public_function():
    public = [name for name in mtsig_core.__all__ if name.islower() and not name.startswith("_")]
    assert [name for name in public if not re.search(rf"\b{name}\(", PYTHON)] == []
    assert "(docs/python.md)" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_papers_is_understood(command):
    assert callable(_parser().parse_args(shlex.split(command)).run)


def test_a_command_of_the_papers_runs(capsys):
    """One that needs no waiting, on the beginning of the corpus."""
    command = next(command for command in COMMANDS if "--test percentile" in command)
    assert main(shlex.split(command.replace("1592", "60"))) == 0
    assert "Row against column by NIST, BLEU, M-BLEU" in capsys.readouterr().out


def numbers(text):
    """Those of a list such as ``2, 4 to 6 and 8``."""
    return {k for first, last in re.findall(r"(\d+)(?: to (\d+))?", text)
            for k in range(int(first), int(last or first) + 1)}


def test_every_table_and_figure_of_the_papers_is_there():
    _, koehn, zhang_vogel, riezler_maxwell, note = re.split(r"^## ", PAPERS, flags=re.MULTILINE)
    for text, tables, figures in ((koehn, 4, 8), (zhang_vogel, 6, 8), (riezler_maxwell, 2, 2)):
        for kind, n in (("Table", tables), ("Figure", figures)):
            named = {k for found in re.findall(rf"{kind}s? ([\d, and to]+)", text) for k in numbers(found)}
            assert named == set(range(1, n + 1)), (text[:20], kind)
    assert "worked example" in note


def test_every_page_of_the_papers_exists():
    pages = {page.stem for page in (CHECKOUT / "pages").glob("*.py")} | {"metrics"}
    for named in re.findall(r"^Pages? (\w+)(?: and (\w+))?", PAPERS, re.MULTILINE):
        assert {name.lower() for name in named if name} <= pages
