"""Tabs of the page Results: findings, AutoRank and integrity have the core's numbers, also of an
uploaded task.
"""

import pytest

from mtsig_core import Task
from mtsig_core.cli.main import main
from mtsig_core.experiments.rankings import autorank, make_findings
from mtsig_core.report.experiment_reports import autorank_table, findings_table
from mtsig_core.report.tables import starred_matrix
from mtsig_core.simulation.corpus import simulated_task
from pages._ui import testsets, views
from tests.builders.apps import followed, press
from tests.builders.screens import arguments, copied, frame_rows, words
from tests.builders.toys import task_files, zipped


@pytest.mark.long
def test_findings_are_those_of_the_core(opened, capsys):
    page = opened("results", metric="human", trials="999", tab="Findings", findings="qab-en")
    found = make_findings(simulated_task(), "human", trials=999)
    table = findings_table(found, "qab-en").for_readers()
    assert not page.exception
    rows = [frame_rows(frame)[1:] for frame in page.dataframe]
    assert [[*map(str, row)] for row in table.texts()] in [
        [[*map(str, row)] for row in shown] for shown in rows
    ]
    matrix = starred_matrix(found.pairs["qab-en"].comparison.metrics["human"])
    assert all(cell in words(page) for row in matrix.texts() for cell in row)
    assert "Shading separates clusters" in "".join(one.value for one in page.caption)
    command = next(line for line in copied(page) if line.startswith("mtsig findings"))
    assert main([*arguments(command), "--pairs", "qab-en", "--format", "csv"]) == 0
    assert "qab-en" in capsys.readouterr().out


@pytest.mark.long
def test_autorank_is_that_of_the_core(opened, capsys):
    page = opened(
        "results",
        metric="human",
        trials="999",
        tab="AutoRank",
        autorank="qac-en",
        autorank_rule="2024",
    )
    found = autorank(
        Task("simulated task", {"qac-en": simulated_task().testsets["qac-en"]}), rule="2024"
    )
    assert not page.exception and "one more than the number of systems" in "".join(
        one.value for one in page.caption
    )
    assert all(
        cell in words(page) for row in autorank_table(found.pairs["qac-en"]).texts() for cell in row
    )
    command = next(line for line in copied(page) if line.startswith("mtsig autorank"))
    assert "--pairs qac-en" in command and main(arguments(command)) == 0
    printed = capsys.readouterr().out
    assert "range in resamples" in printed and all(
        row.system in printed for row in found.pairs["qac-en"].systems
    )


def test_integrity_has_a_row_for_each_system(opened, capsys):
    page = opened("results", metric="human", trials="999", tab="Integrity")
    said = words(page)
    assert not page.exception and "nearest system" in said
    assert all(name in said for name in simulated_task().testsets["qaa-en"].systems)
    command = next(line for line in copied(page) if line.startswith("mtsig integrity"))
    assert main(arguments(command)) == 0 and "nearest system" in capsys.readouterr().out


@pytest.mark.long
def test_an_uploaded_task_and_its_review_have_them(opened, monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), views.reviews.clear()
    page = opened("upload").switch_page("pages/upload.py").run()
    page.file_uploader(key="data.files").set_value(
        [("My.zip", zipped(task_files()), "application/zip")]
    ).run()
    asked = followed(page, lambda: page.button(key="data.open_task").click().run(), monkeypatch)
    link = followed(page, lambda: press(page, "Start a review"), monkeypatch)["review"][0]
    tabs = {
        "Rank rules": "ranked as tied",
        "Findings": "Row against column",
        "AutoRank": "range in resamples",
        "Integrity": "nearest system",
    }
    for name, tab, where in (
        *(("results", tab, {"testset": asked["testset"][0], "trials": "999"}) for tab in tabs),
        *(("review", tab, {"review": link}) for tab in ("Findings", "AutoRank")),
    ):
        again = opened(name, tab=tab, **where)
        assert not again.exception and tabs[tab] in words(again) + "".join(
            one.value for one in again.caption
        )
    ranked = opened("review", review=link, tab="Rank rules")
    ranked.text_area(key="official.text").set_value(
        "language pair,system,rank\nen-cs,Alpha,9"
    ).run()
    assert not ranked.exception and "0 of 1 published ranks come out" in words(ranked)
    testsets.store.clear(), views.reviews.clear()
