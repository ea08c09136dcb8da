"""Tabs of Results: findings, AutoRank and integrity have the core's numbers, also of an upload."""

import pytest

from mtsig_core import Task
from mtsig_core.experiments.rankings import autorank, make_findings
from mtsig_core.report.experiment_reports import autorank_table, findings_table
from mtsig_core.report.tables import starred_matrix
from mtsig_core.simulation.corpus import simulated_task
from tests.builders.apps import followed, press
from tests.builders.screens import captions, find_command, shows, words
from tests.builders.toys import task_files, zipped


@pytest.fixture
def open_tab(opened):
    """A tab of Results by human scores, which must not fail."""

    def start(tab, **controls):
        page = opened("results", metric="human", trials="999", tab=tab, **controls)
        return page

    return start


def list_cells(table):
    return [cell for row in table.texts() for cell in row]


@pytest.mark.long
def test_findings_are_those_of_the_core(open_tab):
    page = open_tab("Other rankings", ranking="Findings table", findings="qab-en")
    findings = make_findings(simulated_task(), "human", trials=999)
    assert shows(page, findings_table(findings, "qab-en"))
    matrix = starred_matrix(findings.pairs["qab-en"].comparison.metrics["human"])
    for cell in list_cells(matrix):
        assert cell in words(page)
    assert "A line separates clusters" in captions(page)


@pytest.mark.long
def test_autorank_is_that_of_the_core(open_tab):
    page = open_tab("Other rankings", ranking="AutoRank", autorank="qac-en", autorank_rule="2024")
    task = Task("simulated task", {"qac-en": simulated_task().testsets["qac-en"]})
    ranking = autorank(task, rule="2024").pairs["qac-en"]
    assert "one more than the number of systems" in captions(page)
    for cell in list_cells(autorank_table(ranking)):
        assert cell in words(page)
    assert "--pairs qac-en" in find_command(page, "autorank")


@pytest.mark.long
def test_integrity_has_a_row_for_each_system(open_tab):
    page = open_tab("Integrity")
    for text in ("nearest system", *simulated_task().testsets["qaa-en"].systems):
        assert text in words(page)


@pytest.mark.long
@pytest.mark.usefixtures("own_stores")
def test_an_uploaded_task_and_its_review_have_them(opened, monkeypatch):
    page = opened("upload").switch_page("pages/upload.py").run()
    archive = ("My.zip", zipped(task_files()), "application/zip")
    page.file_uploader(key="data.files").set_value([archive]).run()
    query = followed(page, lambda: page.button(key="data.open_task").click().run(), monkeypatch)
    on_results = {"testset": query["testset"][0], "trials": "999"}
    query = followed(page, lambda: press(page, "Start a review"), monkeypatch)
    on_review = {"review": query["review"][0]}
    page = opened("results", tab="Integrity", **on_results)
    assert "nearest system" in words(page)
    for page_name, controls, ranking, text in (
        ("results", on_results, "By each rank rule", "ranked as tied"),
        ("results", on_results, "Findings table", "Row against column"),
        ("results", on_results, "AutoRank", "range in resamples"),
        ("review", on_review, "Findings table", "Row against column"),
        ("review", on_review, "AutoRank", "range in resamples"),
    ):
        page = opened(page_name, tab="Other rankings", ranking=ranking, **controls)
        assert text in words(page) + captions(page)
    page = opened("review", tab="Other rankings", **on_review)
    published = "language pair,system,rank\nen-cs,Alpha,9"
    page.text_area(key="official.text").set_value(published).run()
    assert "mtsig reproduces 0 of 1 published ranks" in words(page)
