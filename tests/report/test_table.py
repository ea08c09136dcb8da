"""One table in all formats: by the kinds of its columns, and never by its titles."""

import csv
import io
import random

import pytest

from mtsig_core.report.document import TableBlock
from mtsig_core.report.export import records_csv
from mtsig_core.report.html import table_html
from mtsig_core.report.latex import block_latex
from mtsig_core.report.table import EMPTY, KINDS, Column, Table
from mtsig_core.report.text import table_text, text_width


@pytest.fixture
def table():
    """Every kind of column, and every kind of cell."""
    columns = (
        Column("system", "system", "name"),
        Column("rank", "rank", "rank"),
        Column("bleu", "BLEU ↑", "score", ".2f"),
        Column("ci", "95% CI", "interval", ".1f"),
        Column("diff", "vs best", "difference", ".2f"),
        Column("p", "p", "p"),
        Column("wins", "wins", "count"),
        Column("share", "win", "share"),
        Column("other", "chrF", "decided", ".1f"),
        Column("said", "decision"),
    )
    rows = (
        ("A_1", (1, 2), 30.0, (29.0, 31.0), EMPTY, EMPTY, 1200, 0.5, (1.0, True), "better"),
        ("B", None, -0.001, None, -1.5, 1e-5, None, None, (-1.0, False), None),
    )
    return Table("toy", columns, rows, marks={(0, "bleu")}, ruled={0}, grey={1})


def test_text_writes_each_kind(table):
    assert table.texts() == [
        ["A_1", "1-2", "30.00", "[29.0, 31.0]", "", "", "1,200", "0.500", "+1.0 ●", "better"],
        ["B", "-", "0.00", "-", "-1.50", "1.0e-05", "-", "-", "-1.0", "-"],
    ]


def test_files_have_raw_values_and_ends_in_columns_of_their_own(table):
    rows = list(csv.DictReader(io.StringIO(records_csv(table.records()))))
    assert (
        rows[1]["p"] == "1e-05" and rows[0]["p"] == rows[1]["ci_low"] == rows[1]["rank_high"] == ""
    )
    assert (rows[0]["rank_low"], rows[0]["ci_high"], rows[0]["other_significant"]) == (
        "1",
        "31.0",
        "True",
    )
    several = [{"table": one.key} | record for one in (table, table) for record in one.records()]
    assert list(csv.DictReader(io.StringIO(records_csv(several))))[3]["table"] == "toy"


def test_columns_are_taken_by_key_with_their_marks(table):
    part = table.select("bleu", "none", "system")
    assert (
        part.keys == ["bleu", "system"]
        and part.values("system") == ["A_1", "B"]
        and part.marks == {(0, "bleu")}
    )
    assert table.without("bleu").marks == set() and not table.without("bleu").has("bleu")


def test_rows_keep_what_stands_out(table):
    turned = table.pick_rows([1, 0])
    assert (turned.marks, turned.ruled, turned.grey) == ({(1, "bleu")}, {1}, {0})
    assert table.pick_rows([1]).marks == set()


def test_columns_are_added_after_another(table):
    more = table.with_columns([Column("sd", "SD", "score")], [[0.5], [None]], after="bleu")
    assert more.keys[2:5] == ["bleu", "sd", "ci"] and more.values("sd") == [0.5, None]


def test_sorting_goes_by_numbers_and_what_has_none_comes_last(table):
    rank = table.columns[1]
    assert rank.sort_key((1, 3)) < rank.sort_key((2, 2)) < rank.sort_key((10, 10))
    assert all(rank.sort_key(value) != rank.sort_key(value) for value in (None, EMPTY))
    assert {kind.name for kind in KINDS.values() if not kind.is_number} == {
        "name",
        "pair",
        "text",
        "sign",
        "starred",
    }


def test_latex_sets_names_literally_and_marks_in_bold(table):
    text = block_latex(
        TableBlock(table=table, title="BLEU: toy", caption="Scores.", notes=("More.",)), "bleu-toy"
    )
    assert r"A\_\allowbreak{}1" in text or r"A\_1" in text
    assert (
        r"\textbf{30.00}" in text
        and r"\rowcolor[gray]{.9}B" in text
        and text.count(r"\midrule") == 2
    )
    assert r"\caption[BLEU: toy]{Scores.}" in text and r"\mtsignote{More.}" in text


def test_html_sets_names_left_and_shows_them_literally(table):
    html = table_html(table.with_columns([Column("x", "<b>", "name")], [["<script>"], ["&"]]))
    assert (
        '<td class="name">A_1</td>' in html
        and "<script>" not in html
        and '<td class="mark">30.00</td>' in html
    )
    assert html.count("ruled") == 1 and html.count("grey") == 1


def test_text_fits_any_width_and_loses_no_cell():
    chance = random.Random(3)
    for _ in range(60):
        n = chance.randrange(1, 9)
        columns = [
            Column("n", "system", "name"),
            *(Column(f"c{k}", "word " * chance.randrange(1, 5), "score") for k in range(n)),
        ]
        rows = [
            ("s" * chance.randrange(1, 30), *(1000.0 + 17 * row + k for k in range(n)))
            for row in range(3)
        ]
        width = chance.randrange(40, 120)
        lines = table_text(Table("t", tuple(columns), tuple(rows)), width)
        assert max(map(text_width, lines)) <= width
        text = "\n".join(lines)
        assert all(f"{value:.2f}" in text for row in rows for value in row[1:])


def test_wide_characters_line_up_and_are_broken_to_fit():
    names = ["系统" * 20, "日本語システム", "B"]
    columns = (Column("system", "system", "name"), Column("n", "n", "count"))
    table = Table("t", columns, tuple((name, 10**k) for k, name in enumerate(names)))
    assert {text_width(line) for line in table_text(table)} == {80 + 2 + 3}
    narrow = table_text(table, 40)
    assert max(map(text_width, narrow)) <= 40
    assert sum(line.count("系") for line in narrow) == 20
