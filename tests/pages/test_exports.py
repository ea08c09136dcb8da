"""Files of every page: numbers are numbers, names say what is in them, and they say what the screen
says.
"""

import csv
import io
import re

import pytest
import streamlit as st

from mtsig_core import Comparison
from tests.builders.cases import brief
from tests.builders.screens import NAMES, offered, small_source, words

PAGES = {
    "summary": {"metrics": ["chrf", "ter"]},
    "pairs": {},
    "pair": {},
    "bootstrap": {},
    "sampling": {"segments": "10"},
    "size": {},
    "segments": {},
    "trust": {"experiment": "Units"},
    "papers": {"item": "riezler-table1"},
    "inside": {"inside": "Student's t"},
}
REASON = {f"reason.{NAMES[1]}": "sent late"}
# What text must not look like where a number is meant: with brackets, a comma, percent, a glyph, or
# a dash.
FORMATTED = re.compile(r"'?[\[(●○±]?\s*[-+−]?\d[\d.,e-]*\s*[%\])●○]*(,\s*[-+−]?\d.*)?|[-–—]")


@pytest.fixture
def source(tmp_path):
    return small_source(tmp_path / "wmt99")


@pytest.fixture
def files(monkeypatch):
    """{name: content} of all files that a page offers."""
    found = {}

    def offered(label, data, file_name, *args, **kwargs):
        content = data() if callable(data) else data
        assert found.setdefault(file_name, content) == content  # a page may run again within itself

    monkeypatch.setattr(st, "download_button", offered)
    return found


def number(cell):
    try:
        return float(cell) is not None
    except ValueError:
        return False


@pytest.mark.parametrize("page, asked", brief(4, PAGES.items()))
def test_numbers_are_numbers_and_files_say_what_they_are_of(opened, source, files, page, asked):
    opened(page, source, **asked)
    assert files
    for name, content in files.items():
        assert re.fullmatch(
            r"wmt99-([A-Za-z0-9.-]+-)?(bleu|ter)[a-z0-9.-]*\.(csv|json|tex|typ|md|html|svg)", name
        )
        if not name.endswith(".csv"):
            continue
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        header, *rows = csv.reader(io.StringIO(text))
        assert rows
        assert len(set(header)) == len(header)
        for column, cells in zip(header, zip(*rows, strict=True), strict=True):
            numbers = [number(cell) for cell in cells if cell]
            assert [
                cell for cell in cells if FORMATTED.fullmatch(cell) and not number(cell)
            ] == [], (name, column)
            assert all(numbers) or not any(numbers), (name, column)


def test_files_carry_further_metrics_and_reasons(opened, source, files):
    opened("summary", source, metrics=["ter", "chrf"], exclude=[NAMES[1]], **REASON)
    comparison = "wmt99-bleu-ter-chrf-comparison"
    assert set(files) == {
        "wmt99-bleu.svg",
        "wmt99-bleu-forest.csv",
        "wmt99-bleu-differences.csv",
        "wmt99-bleu-ter-chrf-pairs.csv",
        *(f"{comparison}.{ending}" for ending in ("csv", "json", "tex", "typ", "md", "html")),
    }
    result = Comparison.from_json(files[f"{comparison}.json"])
    assert list(result.metrics) == ["bleu", "ter", "chrf"]
    [exclusion] = result.excluded
    assert (exclusion.system, exclusion.reason) == (NAMES[1], "sent late")
    rows = list(csv.DictReader(io.StringIO(files[f"{comparison}.csv"])))
    decided = {row["metric"] for row in rows if row["table"] == "pairs" and row["p_adjusted"]}
    assert decided == set(result.metrics)
    for ending in ("tex", "typ", "md", "html"):
        for word in ("BLEU", "TER", "chrF", "sent late", "3 metrics"):
            assert word in files[f"{comparison}.{ending}"]
    assert files[f"{comparison}.html"].count("<svg") == 4  # the pair by all metrics, too


def test_of_one_system_there_are_no_pairs_to_save(opened, source, files):
    page = opened("summary", source, exclude=NAMES[1:])
    assert files
    assert "The system by BLEU; " in words(page)
    assert "Systems and pairs" not in words(page)


def test_sentences_and_table_are_offered_to_copy(opened, source):
    page = opened("summary", source)
    texts = offered(page)
    assert "Signatures: BLEU|nrefs:1|" in texts["For a paper, with its caveats"]
    assert r"\begin{tabular}" in texts["Table: LaTeX"]
    assert re.match(r"\| system +\| BLEU ↑ \|", texts["Table: Markdown"])
    assert '<table border="1"' in texts["Table: Word"]
