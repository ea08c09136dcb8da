"""An official table beside the scores of the Leaderboard."""

import io

import pytest

from mtsig_core import compare
from mtsig_core.cli.main import main
from tests.builders.screens import NAMES, arguments, copied, words


def test_a_pasted_table_is_held_against_our_scores(opened, source, tmp_path, capsys):
    page = opened("summary", source)
    scores = {
        row.system: row.score
        for row in compare(source.read(), trials=99, resamples=50).metrics["bleu"].systems
    }
    table = "\n".join(
        ["system;BLEU", f"{NAMES[0]};{scores[NAMES[0]]:.2f}", f"{NAMES[1]};99.99", "<b>C;1"]
    )
    page.text_area(key="official.text").set_value(table).run()
    said = words(page)
    assert "1 of 2 published scores come out here" in said
    assert "Only in the table: &lt;b&gt;C" in said
    assert "<b>C" not in said
    assert ">✓<" in said
    assert ">✗<" in said
    again = opened("summary", source, **page.query_params)  # as after a reload, or by the link
    assert "1 of 2 published scores come out here" in words(again)
    assert again.text_area(key="official.text").value == table
    again.text_area(key="official.text").set_value("").run()
    assert "official" not in again.query_params
    assert "come out here, at" not in words(again)
    command = next(line for line in copied(page) if "--official" in line)
    (tmp_path / "FILE").write_text(table)
    assert (
        main(arguments(command.replace("--official FILE", f"--official {tmp_path / 'FILE'}"))) == 0
    )
    assert "1 of 2 published scores come out here" in capsys.readouterr().out


def test_a_workbook_is_uploaded(opened, source):
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in (["system", "BLEU", "track"], [NAMES[0], 99.99, "open"]):
        book.active.append(row)
    book.save(out)
    page = opened("summary", source)
    page.file_uploader(key="official.file").upload(
        "table.xlsx", out.getvalue(), "application/vnd.ms-excel"
    ).run()
    assert "0 of 1 published scores come out here" in words(page)


def test_a_broken_table_is_said(opened, source):
    page = opened("summary", source)
    page.text_area(key="official.text").set_value("system,BLEU\nA,x").run()
    assert "line 2: BLEU is" in words(page)


@pytest.mark.long
def test_a_table_of_a_task_is_held_against_all_its_pairs(
    opened, folder, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(folder.parent)  # from where commands name the files
    asked = dict(shared_task="task", metric="XCOMET", trials="999")
    page = opened("results", root=folder.parent, **asked)
    table = "language pair,system,XCOMET\nen-de_DE,Alpha,99\nen-ja_JP,Beta,9\nen-cs,Alpha,3"
    page.text_area(key="official.text").set_value(table).run()
    assert "en-ja_JP, XCOMET: 0 of 1 published scores" in words(page)
    again = opened("results", root=folder.parent, **page.query_params)
    assert "Language pairs only in the table: en-cs" in words(again)
    assert "belongs to something else" in "".join(
        one.value
        for one in opened(
            "results",
            official_task=page.query_params["official_task"],
            metric="human",
            trials="999",
        ).caption
    )
    command = next(line for line in copied(page) if "--official" in line)
    (tmp_path / "FILE").write_text(table)
    options = [*arguments(command.replace("--official FILE", f"--official {tmp_path / 'FILE'}"))]
    assert main(options) == 0
    assert "en-ja_JP, XCOMET: 0 of 1 published scores" in capsys.readouterr().out
    assert main([*options, "--format", "latex"]) == 2


def test_a_pasted_ranking_says_which_rule_gives_it(folder, open_task):
    page = open_task()
    page.text_area(key="official.text").set_value(
        "language pair,system,rank\nen-de_DE,Alpha,9\nen-ja_JP,Beta,9"
    ).run()
    assert "0 of 1 published ranks come out with ranks" in words(page)
