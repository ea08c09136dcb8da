"""The core works without the packages of the extras, and says which one to install where it does not."""

import os
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata

import pandas as pd
import pyarrow as pa
import pytest

from hatch_build import read_parts
from mtsig_core import extras
from mtsig_core.cli import serving
from tests.builders.code import ROOT

#: Everything that an extra brings.
OPTIONAL = (*serving.MODULES, "distributed", "MeCab", "mecab_ko", "sentencepiece")
EXTRAS = read_parts(ROOT / "requirements.txt")
del EXTRAS[""]
EXTRAS |= tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["metadata"][
    "hooks"
]["custom"]["extras"]
#: As pip writes them into the package that it installs.
LINES = [
    f"{requirement}; extra == '{extra}'"
    for extra, requirements in EXTRAS.items()
    for requirement in requirements
]
WITHOUT = f"""
import sys
from importlib import metadata
sys.modules |= dict.fromkeys({OPTIONAL})
metadata.requires = lambda name: {LINES}
from mtsig_core import MtsigError, TestSet, compare, read_frame
from mtsig_core.cli.main import main

texts = [f"one line of text number {{k}}" for k in range(20)]
result = compare(TestSet("toy", {{"A": texts, "B": texts[::-1]}}, {{"ref": texts}}), trials=99, resamples=50)
print(len(result.metrics["bleu"].pairs), result._repr_html_())
for form in ("text", "json", "csv", "markdown", "latex", "typst", "html"):
    try:
        print(form, len(result.render(form)) > 100)
    except MtsigError as error:
        print(form, error)

class Arrow:
    def __arrow_c_stream__(self):
        raise AssertionError

for work in (lambda: result.figure("forest"), lambda: read_frame(Arrow(), name="frame"), result.to_frame):
    try:
        work()
    except MtsigError as error:
        print(error)
for words in (
    "serve",
    "compare --demo-segments 60 --format html",
    "segments --demo-segments 60 --format parquet --out segments.parquet",
    "compare --scores human=scores.xlsx",
    "compare --scores human=scores.parquet",
    "compare --demo-segments 60 --dask tcp://localhost:1",
    "score --demo-segments 60 --tokenize ja-mecab",
    "score --demo-segments 60 --tokenize ko-mecab",
    "score --demo-segments 60 --tokenize spm",
    "score --ref text.txt --system packed.zst",
    "task --folder packed.zst",
    "task --folder published.xlsx",
    "task --folder task",
):
    print(main(words.split()))
"""


def test_range_and_command(monkeypatch):
    """As pip has written them into the installed package; a checkout has nothing of the kind."""
    lines = ["numpy<3", "openpyxl<4,>=3.1.5; extra == 'excel'", 'pytest<10; extra == "test"']
    monkeypatch.setattr(metadata, "requires", lambda name: lines)
    assert extras.name_packages("excel") == '"openpyxl<4,>=3.1.5"'
    assert extras.name_packages("test") == '"pytest<10"'
    lines += [f"{name}>=1; extra == 'two'" for name in ("plain", "with-extra[x]")]
    assert extras.write_missing("two", "It") == (
        "It needs the extra 'two', which is not installed. "
        'Install it with: pip install "plain>=1" "with-extra[x]>=1"'
    )
    lines.clear()
    assert extras.name_packages("excel") == '".[excel]"'


@pytest.fixture(scope="module")
def without(tmp_path_factory):
    """What is printed by a process that has none of these packages."""
    folder = tmp_path_factory.mktemp("without")
    scores = pd.DataFrame({"system": ["A", "B"], "line": [1, 1], "score": [1, 2]})
    scores.to_excel(folder / "scores.xlsx", index=False)
    scores.to_parquet(folder / "scores.parquet")
    (folder / "text.txt").write_text("one\n")
    (folder / "packed.zst").write_bytes(pa.compress(b"one\n", codec="zstd", asbytes=True))
    published = pd.DataFrame({"lp": ["en-de"], "system": ["A"], "BLEU": [27.8]})
    published.to_excel(folder / "published.xlsx", index=False)
    for path, text in (
        ("references/en-de.refA.txt", "one\n"),
        ("system-outputs/en-de/A.txt", "two\n"),
    ):
        (folder / "task" / path).parent.mkdir(parents=True)
        (folder / "task" / path).write_text(text)
    shutil.copy(folder / "published.xlsx", folder / "task")
    there = {path.name for path in folder.iterdir()}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == there
    return done


def names_packages(line, extra):
    """Whether a message has the command that installs the packages of an extra."""
    packages = " ".join(f'"{requirement}"' for requirement in EXTRAS[extra])
    return " not installed. " in line and f"pip install {packages}" in line


def test_python_works_without_the_extras(without):
    shown, *lines = without.stdout.splitlines()
    assert shown.startswith("1 <pre>&lt;Comparison on") and "jinja2" in shown
    rendered = lines[:7]
    assert rendered[:6] == [
        f"{form} True" for form in ("text", "json", "csv", "markdown", "latex", "typst")
    ]
    for line, extra in zip(
        [*rendered[6:], *lines[7:10]], ("html", "figures", "parquet", "pandas"), strict=True
    ):
        assert names_packages(line, extra)


def test_commands_say_what_to_install(without):
    """Each in one line, with status 2, and before it has read or written anything."""
    needed = (
        "dashboard",
        "html",
        "parquet",
        "excel",
        "parquet",
        "dask",
        "ja",
        "ko",
        "sentencepiece",
        "parquet",
        "parquet",
        "excel",
    )
    lines = [line for line in without.stderr.splitlines() if line.startswith("mtsig: ")]
    *refused, beside = lines
    statuses = [line for line in without.stdout.splitlines()[11:] if line in ("0", "2")]
    assert statuses == ["2"] * len(refused) + ["0"]
    assert "Traceback" not in without.stderr
    for line, extra in zip(refused, needed, strict=True):
        assert names_packages(line, extra), line
    assert names_packages(beside, "excel") and "published.xlsx" in beside
