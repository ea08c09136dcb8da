"""An official table beside the scores of the Leaderboard."""

import io

import pytest

from mtsig_core import compare
from tests.builders.screens import NAMES, arguments, captions, copied, words


def test_a_pasted_table_is_held_against_our_scores(opened, source, tmp_path, run):
    page = opened("summary", source)
    found = compare(source.read(), trials=99, resamples=50).metrics["bleu"]
    score = next(row.score for row in found.systems if row.system == NAMES[0])
    table = f"system;BLEU\n{NAMES[0]};{score:.2f}\n{NAMES[1]};99.99\n<b>C;1"
    page.text_area(key="official.text").set_value(table).run()
    come_out = "mtsig reproduces 1 of 2 published scores"
    for said in (come_out, "Only in the table: &lt;b&gt;C", ">✓<", ">✗<"):
        assert said in words(page)
    assert "<b>C" not in words(page)
    again = opened("summary", source, **page.query_params)  # as after a reload, or by the link
    assert come_out in words(again)
    assert again.text_area(key="official.text").value == table
    again.text_area(key="official.text").set_value("").run()
    assert "official" not in again.query_params
    assert "with all their decimals" not in words(again)
    assert come_out in run(*official_command(page, tmp_path / "FILE", table)).out


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
    assert "mtsig reproduces 0 of 1 published scores" in words(page)


def test_a_broken_table_is_said(opened, source):
    page = opened("summary", source)
    page.text_area(key="official.text").set_value("system,BLEU\nA,x").run()
    assert "line 2: BLEU is" in words(page)


def official_command(page, file, table):
    """What the command on the page gives to mtsig, for the table in this file."""
    file.write_text(table)
    command = next(line for line in copied(page) if "--official" in line)
    return arguments(command.replace("--official FILE", f"--official {file}"))


@pytest.mark.long
def test_a_table_of_a_task_is_held_against_all_its_pairs(
    opened, folder, run, tmp_path, monkeypatch, open_task
):
    monkeypatch.chdir(folder.parent)  # from where commands name the files
    page = open_task(shared_task="task")
    table = "language pair,system,XCOMET\nen-de_DE,Alpha,99\nen-ja_JP,Beta,9\nen-cs,Alpha,3"
    page.text_area(key="official.text").set_value(table).run()
    come_out = "en-ja_JP, XCOMET: 0 of 1 published scores"
    assert come_out in words(page)
    again = opened("results", root=folder.parent, **page.query_params)
    assert "Language pairs only in the table: en-cs" in words(again)
    link = page.query_params["official_task"]
    other = opened("results", official_task=link, metric="human", trials="999")
    assert "belongs to something else" in captions(other)
    options = official_command(page, tmp_path / "FILE", table)
    assert come_out in run(*options).out
    assert run(*options, "--format", "latex").status == 2


def test_a_pasted_ranking_says_which_rule_gives_it(folder, open_task):
    page = open_task()
    page.text_area(key="official.text").set_value(
        "language pair,system,rank\nen-de_DE,Alpha,9\nen-ja_JP,Beta,9"
    ).run()
    assert "mtsig reproduces 0 of 1 published ranks with ranks" in words(page)
