"""Ratings of people that lie in the folder of a task with texts, as ``PAIR.NAME.tsv``."""

import os
import shutil

import pytest

from mtsig_core.report.tables import pair_runs_table, runs_table
from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE, Source, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._ui import testsets, views
from tests.builders.processes import free_port
from tests.builders.reviews import begin_review
from tests.builders.screens import all_copied, find_command, shows, words, write


@pytest.fixture
def rated(text_folder):
    """The folder with ratings of 40 of 60 lines."""
    lines = ["line\tsystem\tscore"]
    for k in range(1, 41):
        for name, level in (("good", 90), ("fair", 80), ("poor", 30)):
            lines.append(f"{k}\t{name}\t{level + k % 7}")
    write(text_folder / "en-de.esa.tsv", lines)
    return text_folder


@pytest.fixture
def open_rated(opened, rated):
    """Open a page on that folder, which the dashboard offers."""

    def start(page, **asked):
        usual = {"trials": "999"}
        if page == "results":
            usual["shared_task"] = rated.name
        if page == "summary":
            usual["testset"] = f"{rated.name}/en-de"
        return opened(page, root=rated.parent, **usual | asked)

    return start


def test_they_are_a_metric_of_the_page_task_and_of_its_pairs(
    rated, open_rated, print_json, monkeypatch
):
    monkeypatch.chdir(rated.parent)  # from where commands name the files
    page = open_rated("results", metric="esa", trust="true")
    assert "agrees most with esa" in words(page)
    assert str(rated.parent) not in all_copied(page)
    printed = print_json(find_command(page, "task"))["pairs"]["en-de"]
    source = TaskSource(str(rated), scores=(("en-de", "esa", str(rated / "en-de.esa.tsv")),))
    systems = [row["system"] for row in printed["metrics"]["esa"]["systems"]]
    assert systems == ["good", "fair", "poor"]
    assert printed["testset"]["digest"] == source.read().testsets["en-de"].digest
    assert print_json(find_command(page, "agreement"))["human"] == "esa"
    page = open_rated("summary", metric="esa")
    assert "good is significantly better than the other" in words(page)
    assert f"--scores esa={rated.name}/en-de.esa.tsv" in find_command(page, "")


SAID = "We assume that higher mine scores are better."


@pytest.mark.usefixtures("own_stores")
def test_a_direction_that_nobody_said_stands_on_the_pages(rated, open_rated):
    table = (rated / "en-de.esa.tsv").rename(rated / "en-de.mine.tsv")
    source = TaskSource(str(rated), scores=(("en-de", "mine", str(table)),))
    found = compare_task(KeptTask(source), "mine", trials=99)
    kept = begin_review(views.reviews(), rated.name, found, "mine")
    for page in (
        open_rated("results", metric="mine", trust="true"),
        open_rated("review", review=kept.edit_link),
    ):
        assert SAID in words(page)


@pytest.mark.long
@pytest.mark.usefixtures("own_stores")
def test_training_runs_lie_there_too(rated, open_rated):
    """As ``PAIR.NAME.run2.txt``: on the pages Task, Review and Leaderboard."""
    first, *more = next(rated.glob("system-outputs/**/*good*")).read_text().splitlines()
    write(rated / "en-de.good.run2.txt", [*more, first])
    source = TaskSource(str(rated), run=(("en-de", "good", str(rated / "en-de.good.run2.txt")),))
    found = compare_task(KeptTask(source), "bleu", trials=999)
    kept = begin_review(views.reviews(), rated.name, found, "bleu")
    runs = runs_table(found, "bleu")
    # Of the others, which have one, nothing is said.
    assert [row[:3] for row in runs.rows] == [("en-de", "good", 2)]
    for page in (
        open_rated("results", metric="bleu"),
        open_rated("review", review=kept.edit_link),
    ):
        assert shows(page, runs)
        assert shows(page, pair_runs_table(found, "bleu"))
        assert f"--run en-de:good={rated.name}/en-de.good.run2.txt" in all_copied(page)
    assert "SD between runs" in words(open_rated("summary", metric="bleu"))


def test_tables_and_runs_elsewhere_are_given_to_the_server(
    opened, rated, run, tmp_path, monkeypatch
):
    table = (rated / "en-de.esa.tsv").rename(tmp_path / "ratings.tsv")
    again = shutil.copy(rated / "system-outputs" / "en-de" / "fair.txt", tmp_path / "again.txt")
    withdrawn = write(tmp_path / "who.tsv", ["system\trole", "poor\twithdrawn"])
    options = {
        "--folder": rated,
        "--scores": f"en-de:people={table}",
        "--run": f"en-de:good={again}",
        "--pairs": "en-de",
        "--systems-table": withdrawn,
        "--port": free_port(),
    }
    started = []
    monkeypatch.setattr(os, "execve", lambda program, command, settings: started.append(settings))
    run("serve", "--no-browser", *(text for option in options.items() for text in option))
    [environment] = started
    source = Source.from_json(environment[SOURCE_VARIABLE])
    task = TaskSource.from_json(environment[TASK_VARIABLE])
    assert task.pairs == ("en-de",)
    assert task.scores == (("en-de", "people", str(table)),)
    page = opened("results", source, task=task, metric="chrf", trials="999", shared_task=rated.name)
    assert "people" in page.selectbox(key="metric").options
    assert list(page.dataframe[0].value["0"]) == ["good", "fair"]  # who is withdrawn is left out
    command = find_command(page, "task")
    for option in (
        "--pairs en-de",
        "--scores en-de:people=ratings.tsv",
        "--run en-de:good=again.txt",
        "--systems-table who.tsv",
    ):
        assert option in command
    assert str(tmp_path) not in words(page) + command
    testset = testsets.find(f"{rated.name}/en-de", testsets.available()).load()
    assert set(testset.systems) == {"good", "fair"}
    assert set(testset.runs) == {"good"}
    told = "Excluded: poor. who.tsv, the task's table of systems, marks them as withdrawn."
    assert told in map(str, testset.assumed)


def test_the_direction_of_one_language_pairs_scores_keeps_no_other_from_opening(opened, rated):
    for path in rated.rglob("*en-de*"):
        if path.is_file():
            shutil.copy(path, path.with_name(path.name.replace("en-de", "en-cs")))
    shutil.copytree(rated / "system-outputs" / "en-de", rated / "system-outputs" / "en-cs")
    scores = (("en-cs", "esa", str(rated / "en-cs.esa.tsv")),)
    task = TaskSource(str(rated), scores=scores, lower_is_better=("esa",))
    source = Source(folder=str(rated))
    for pair, directions in (("en-cs", {"esa": False}), ("en-de", {})):
        name = f"{rated.name}/{pair}"
        page = opened("summary", source, task=task, testset=name, trials="99")
        assert not page.error
        command = find_command(page, "")
        assert f"--langpair {pair}" in command
        assert ("--lower-is-better esa" in command) == (directions != {})
        found = testsets.find(name, testsets.available()).load().scores
        assert {name: scores.higher_is_better for name, scores in found.items()} == directions
