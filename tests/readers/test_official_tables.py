"""Workbooks of published scores."""

import io

import pytest
from openpyxl import Workbook

from mtsig_core import InputError, read_scores
from mtsig_core.readers.official_tables import (
    PublishedRank,
    parse_official_table,
    parse_official_tables,
    read_official,
    read_official_task,
)
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


CLUSTERS = """SRC TRG WINS TOTAL CLUSTER_START CLUSTER_END END_OF_CLUSTER SYSTEM
de en 2 3 1 1 True A.11
de en 0 3 2 3 False B.2
de en 0 3 2 3 True HUMAN-A
cs en 0 1 1 1 True B.0
"""


def test_clusters_of_mturk_are_ranks_of_language_pairs():
    tables = parse_official_tables(CLUSTERS)
    assert tables["de-en"].ranks == {
        "A": PublishedRank(1, 1, 1),
        "B": PublishedRank(2, 3, 2),
        "HUMAN-A": PublishedRank(2, 3, 2),
    }
    assert tables["cs-en"].ranks == {"B": PublishedRank(1, 1, 1)}


@pytest.mark.parametrize(
    "text",
    [
        "74 0.133 1370 1711 A.2 A\n75.3 -0.05 1385 1806 B.6 B\n",
        "RAW.SCR Z.SCR N SYS N.ALL \n74 0.133 1370 A.2 1711\n75.3 -0.05 1385 B.6 1806\n",
    ],
)
def test_scores_of_mturk_have_spaces_between_columns(text):
    table = parse_official_table(text)
    assert table.columns == {
        "RAW.SCR": {"A": "74", "B": "75.3"},
        "Z.SCR": {"A": "0.133", "B": "-0.05"},
    }


def test_words_in_spaces_are_no_table():
    with pytest.raises(InputError, match="has no columns in its first line, 'A.2 B.6'"):
        parse_official_table("A.2 B.6\nA.2 - 0.08*\n")


def test_the_systems_may_come_in_any_column():
    table = parse_official_table("BLEU,track,system\n27.8,open,A")
    assert (table.systems, table.columns) == (("A",), {"BLEU": {"A": "27.8"}})


def test_columns_of_words_are_no_scores():
    text = "lp\tsystem\tprinted_name\tparameters_b\tsupported\tXCOMET\nen-de\tA\tA 2\t<1\tyes\t.5\n"
    table = parse_official_tables(text)["en-de"]
    assert table.systems == ("A",) and table.columns == {"XCOMET": {"A": ".5"}}
    with pytest.raises(InputError, match="line 2: BLEU is 'good'. Expected a number"):
        parse_official_table("system,BLEU\nA,good")


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the tables in ../shared/data/human")
def test_autorank_of_wmt25_has_names_in_print():
    tables = read_official_task(PUBLISHED.parent / "wmt25/published/autorank.tsv")
    n_systems = {pair: len(table.systems) for pair, table in tables.items()}
    assert n_systems == {"en-ja_JP": 43, "cs-uk_UA": 42, "en-de_DE": 32}
    assert tables["en-ja_JP"].columns["autorank"]["Shy"] == "1.0"
