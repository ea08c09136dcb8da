"""Ratings on the tab Integrity of Results: the core's verdict, and a click that opens a segment."""

import shlex

import pytest

from mtsig_core.experiments.rating_integrity import examine_ratings
from mtsig_core.report.rating_reports import rating_sections
from mtsig_core.source import TaskSource
from pages._ui import screen
from tests.builders.apps import followed
from tests.builders.screens import offered, words

ESA = """\
ann,A,1,TGT,eng,ces,98,test-en-news_one,False,[],1.0,2.0
ben,A,1,TGT,eng,ces,14,test-en-news_one,False,[],1.0,2.0
ann,A,2,TGT,eng,ces,80,test-en-news_two,False,[],1.0,2.0
ben,A,2,TGT,eng,ces,75,test-en-news_two,False,[],1.0,2.0
ann,B,1,TGT,eng,ces,60,test-en-news_one,False,[],1.0,2.0
ben,B,1,TGT,eng,ces,62,test-en-news_one,False,[],1.0,2.0
ann,B,2,TGT,eng,ces,50,test-en-news_two,False,[],1.0,2.0
ben,B,2,TGT,eng,ces,55,test-en-news_two,False,[],1.0,2.0
"""
TEXTS = {"A": "one\ntwo\nthree\n", "B": "eins\nzwei\ndrei\n"}


@pytest.fixture
def task(tmp_path):
    """A task with texts and the ratings of two people."""
    folder = tmp_path / "rated"
    (folder / "sources").mkdir(parents=True)
    (folder / "references").mkdir()
    (folder / "system-outputs" / "en-cs").mkdir(parents=True)
    (folder / "sources" / "en-cs.txt").write_text("a\nb\nc\n")
    (folder / "references" / "en-cs.refA.txt").write_text("r\ns\nt\n")
    for system, text in TEXTS.items():
        (folder / "system-outputs" / "en-cs" / f"{system}.txt").write_text(text)
    ratings = tmp_path / "esa.csv"
    ratings.write_text(ESA)
    return TaskSource(str(folder), scores=(("en-cs", "ESA", str(ratings)),))


def test_a_disputed_output_opens_its_segment(opened, task, run, monkeypatch):
    [testset] = task.read().testsets.values()
    ratings = examine_ratings(testset)
    first = ratings.disputed[0]
    assert (first.system, first.line, first.output) == ("A", 2, "two")
    page = opened("results", task=task, tab="Integrity")
    assert not page.exception
    verdict = rating_sections(ratings)[0].blocks[0].text
    assert verdict == "None of 2 raters stands out."
    assert verdict in words(page)
    assert "14 by ben, 98 by ann" in words(page)
    command = offered(page)["Command that prints the ratings"]
    _, *arguments = shlex.split(command)
    assert verdict in run(*arguments).out
    show_table = screen.show_table

    def click_first(table, *args, **options):
        show_table(table, *args, **options)
        return 0 if options.get("open_rows") and table.key == "disputed_outputs" else None

    monkeypatch.setattr(screen, "show_table", click_first)
    query = followed(page, page.run, monkeypatch)
    assert (query["segment"], query["b"]) == (["2"], ["B"])
