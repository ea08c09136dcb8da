"""Large tables without a browser: what Streamlit's data frame is given."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from pages._ui import screen
from tests.builders.screens import NAMES, frame_rows, words


def large():
    from mtsig_core.report.table import Cell, number
    from pages._ui import address, screen
    from tests.builders.screens import NAMES, table

    address.begin("summary")
    rows = [
        [
            (*NAMES, "=1+1")[k % 4] + " " * (k // 4),
            number(9 - k / 3),
            Cell(f"[{k - 9}, {k}]", k - 9),
            "" if k == 0 else number(10.0**-k, ".1e"),
        ]
        for k in range(24)
    ]
    titles = ["system", "score", "interval", "p"]
    screen.show_table(table(titles, [*rows, ["HUMAN", "-", "not ranked", "-"]]))
    screen.show_table(table(titles, [*rows, rows[0], rows[1]]))
    screen.show_table(table(["system"], [["small"]]))


@pytest.fixture
def page():
    return AppTest.from_function(large).run()


def test_sorts_numbers_as_numbers_and_shows_them_as_text(page):
    frame, _ = page.dataframe
    assert frame_rows(frame)[1] == [NAMES[0], "9.00", "[-9, 0]", "-"]
    values = frame.value
    assert values["1"].sort_values().index[0] == 23
    assert values["2"].min() == -9
    assert values["3"][23] == pytest.approx(1e-23)
    assert values["3"].isna()[[0, 24]].all()
    assert values["2"].idxmax() == 24  # words among numbers come last
    assert ">small</td>" in words(page)


def test_every_other_cluster_is_shaded_wherever_its_rows_are_sorted_to():
    def clusters():
        from pages._ui import screen
        from tests.builders.screens import table

        few = table(["system"], [[name] for name in "ABCDE"], ruled=frozenset({0, 2}))
        screen.show_table(few, "few", open_rows=True)

    (frame,) = AppTest.from_function(clusters).run().dataframe
    assert sorted(
        {
            row
            for style in re.findall("([^{}]*){[^}]*rgba", frame.proto.arrow_data.styler.styles)
            for row in re.findall(r"row(\d)_col0", style)
        }
    ) == ["1", "2"]


def test_names_are_text_and_nothing_else(page):
    frame, _ = page.dataframe
    assert frame.value["0"][:4].tolist() == [*NAMES, "=1+1"]
    assert json.loads(frame.proto.columns)["0"]["type_config"]["type"] == "text"


def test_filters(page):
    page.text_input[0].set_value("ALERT").run()
    assert len(page.dataframe[0].value) == 6
    assert "6 of 25 rows." in page.caption[0].value
    page.text_input[0].set_value("nowhere").run()
    assert len(page.dataframe[0].value) == 0
    assert not page.exception


def test_it_is_said_how_many_rows_are_out_of_sight(page):
    assert [caption.value.partition(" Click")[0] for caption in page.caption] == [
        "Scroll down for 4 more.",
        "Scroll down for 5 more.",
    ]
    page.text_input[0].set_value(NAMES[0]).run()
    assert "Scroll down" not in page.caption[0].value
    assert "Scroll down" in page.caption[1].value


def huge():
    from pages._ui import address, screen
    from tests.builders.screens import table

    address.begin("summary")
    screen.show_table(
        table(["system", *"abcdefg"], ([f"S{k}", *"1234567"] for k in range(10_000)), "long")
    )
    screen.show_table(
        table(["system", *map(str, range(150))], [["S", *map(str, range(150))]], "wide")
    )
    screen.prose_table(["system", "why"], [[f"P{k}", "withdrawn"] for k in range(501)])


@pytest.mark.long
def test_a_table_too_large_for_a_browser_says_what_it_leaves_out():
    """40,000 systems on Data ended in an exception of pandas, which styles 262,144 cells."""
    page = AppTest.from_function(huge, default_timeout=60).run()
    assert not page.exception
    long, wide = page.dataframe
    assert long.value.shape == (3750, 8)
    assert "the first 3,750 of 10,000 rows. Filter" in page.caption[0].value
    assert wide.value.shape == (1, 100)
    assert "the first 100 of 151 columns" in page.caption[1].value
    assert "P499<" in words(page)
    assert "P500<" not in words(page)
    assert "the first 500 of 501 rows" in words(page)
    page.text_input[0].set_value("s9999").run()
    assert frame_rows(page.dataframe[0])[1][0] == "S9999"
    assert "rows. Filter" not in page.caption[0].value


def test_is_made_once_for_all_who_see_the_same(page, monkeypatch):
    drawn, draw = [], screen._draw
    monkeypatch.setattr(
        screen,
        "_draw",
        lambda look, **more: drawn.append(look.n_rows) or draw(look, **more),
    )
    again = AppTest.from_function(large).run()
    assert not drawn
    assert [frame_rows(frame) for frame in again.dataframe] == [
        frame_rows(frame) for frame in page.dataframe
    ]
    again.text_input[0].set_value("human").run()
    assert drawn == [1]


def right_to_left():
    from pages._ui import screen
    from tests.builders.screens import table

    screen.show_table(
        table(["system", "score"], [["\u05e2\u05d1\u05e8 <b>", "1"], ["plain", "2"]]),
        "names",
        open_rows=True,
    )
    screen.answer("A and \u05e2\u05d1\u05e8 \u05d0\u05d1: +4.5e-07 and <i>")


def test_names_from_right_to_left_stay_in_their_cell_and_turn_no_number():
    page = AppTest.from_function(right_to_left).run()
    assert page.dataframe[0].value["0"].tolist() == ["\u200e\u05e2\u05d1\u05e8 <b>", "plain"]
    assert (
        "A and <bdi>\u05e2\u05d1\u05e8 \u05d0\u05d1</bdi>: +4.5e-07 and &lt;i&gt;"
        in page.get("html")[0].proto.body
    )


@pytest.mark.parametrize("large", [False, True])
def test_of_a_pair_each_name_is_cut_by_itself(large):
    """Cut as one text it lost the end of the first and the beginning of the second."""

    def pairs(large):
        from mtsig_core.report.table import Column, Table
        from pages._ui import address, screen

        names = [
            f"{letter}-institution-for-machine-translation-{n}"
            for n, letter in ((1, "a"), (2, "b"))
        ]
        address.begin("summary")
        screen.show_table(
            Table(
                "pairs",
                (Column("pair", "pair", "pair"),),
                ((tuple(names),),) * (30 if large else 1),
            )
        )

    page = AppTest.from_function(pairs, args=(large,)).run()
    shown = (
        page.dataframe[0].value["0"][0]
        if large
        else re.search('<td class="mt-name" title="(.*?)">(.*?)</td>', words(page))[2]
    )
    first, second = shown.split(" - ")
    assert first.startswith("a-")
    assert first.endswith("-1")
    assert second.startswith("b-")
    assert second.endswith("-2")
    assert len(shown) < 45
    assert large or "a-institution-for-machine-translation-1 - b-institution" in words(
        page
    )  # the tooltip
