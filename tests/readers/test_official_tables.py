"""Workbooks of published scores."""

import io

import pytest
from openpyxl import Workbook

from mtsig_core import InputError, read_scores
from mtsig_core.readers.official_tables import read_official, read_official_task
from tests.builders.code import DATA

PUBLISHED = DATA / "human"


def workbook(sheets):
    book, out = Workbook(), io.BytesIO()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(out)
    return out.getvalue()


#: As a frame of pandas is written: the index has no name.
ROWS = [
    [None, "metricx", "type", "AutoRank"],
    ["A", 1.25, "open-source", 1],
    ["B", 2.5, "closed", 2],
]


def test_a_sheet_for_each_language_pair_is_a_table_for_each(tmp_path):
    path = tmp_path / "AutoRank.xlsx"
    path.write_bytes(workbook({"en-de": ROWS, "en-cs": [*ROWS[:2], ["C", 3.5, "closed", 3]]}))
    tables = read_official_task(path)
    assert {pair: dict(table.columns) for pair, table in tables.items()} == {
        "en-de": {"metricx": {"A": "1.25", "B": "2.5"}, "AutoRank": {"A": "1", "B": "2"}},
        "en-cs": {"metricx": {"A": "1.25", "C": "3.5"}, "AutoRank": {"A": "1", "C": "3"}},
    }
    assert read_official(path, "en-cs").systems == ("A", "C")
    with pytest.raises(InputError, match="If each row is a system, these are published scores"):
        read_scores({"x": path}, langpair="en-de")


def test_sheets_of_other_names_are_refused(tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(workbook({"en-de": ROWS, "notes": ROWS}))
    with pytest.raises(
        InputError, match="has 2 sheets with values .*or one for each language pair"
    ):
        read_official_task(path)


def test_one_sheet_is_a_table(tmp_path):
    path = tmp_path / "x.xlsx"
    path.write_bytes(
        workbook({"Sheet": [["system", "BLEU", "track"], ["A", 27.8, "open"], ["B", None, "open"]]})
    )
    assert dict(read_official(path).columns) == {"BLEU": {"A": "27.8"}}


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the tables in ../shared/data/human")
def test_autorank_of_wmt24_has_eleven_language_pairs():
    tables = read_official_task(PUBLISHED / "wmt24/AutoRank.xlsx")
    assert len(tables) == 11 and len(tables["en-de"].systems) == 26
    assert float(tables["en-hi"].columns["AutoRank"]["Claude-3.5"]) == pytest.approx(
        1.198697, abs=1e-6
    )
