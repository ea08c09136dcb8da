"""Ratings of people that lie in the folder of a task with texts, as ``PAIR.NAME.tsv``."""

import os
import shutil

import pytest

from mtsig_core.report.tables import pair_runs_table, runs_table
from mtsig_core.reviews import Begin
from mtsig_core.source import SOURCE_VARIABLE, TASK_VARIABLE, Source, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._ui import testsets, views
from tests.builders.processes import free_port
from tests.builders.screens import all_copied, copied, find_command, words


@pytest.fixture
def rated(text_folder):
    """The folder with ratings of 40 of 60 lines."""
    lines = [
        f"{k}\t{name}\t{level + k % 7}"
        for k in range(1, 41)
        for name, level in (("good", 90), ("fair", 80), ("poor", 30))
    ]
    (text_folder / "en-de.esa.tsv").write_text("\n".join(["line\tsystem\tscore", *lines]))
    return text_folder


def test_they_are_a_metric_of_the_page_task_and_of_its_pairs(
    opened, rated, print_json, monkeypatch
):
    monkeypatch.chdir(rated.parent)  # from where commands name the files
    page = opened(
        "results",
        root=rated.parent,
        shared_task=rated.name,
        metric="esa",
        trials="999",
        trust="true",
    )
    assert "agrees most with esa" in words(page)
    assert str(rated.parent) not in all_copied(page)
    command = next(line for line in copied(page) if line.startswith("mtsig task") and "esa" in line)
    printed = print_json(command)
    source = TaskSource(str(rated), scores=(("en-de", "esa", str(rated / "en-de.esa.tsv")),))
    found = compare_task(KeptTask(source), "esa", trials=999)
    assert [row["system"] for row in printed["pairs"]["en-de"]["metrics"]["esa"]["systems"]] == [
        "good",
        "fair",
        "poor",
    ]
    assert printed["pairs"]["en-de"]["testset"]["digest"] == found.pairs["en-de"].testset.digest
    command = find_command(page, "agreement")
    assert print_json(command)["human"] == "esa"
    page = opened(
        "summary", root=rated.parent, testset=f"{rated.name}/en-de", metric="esa", trials="999"
    )
    assert "good is significantly better than the other" in words(page)
    command = find_command(page, "")
    assert f"--scores esa={rated.name}/en-de.esa.tsv" in command


SAID = "mine: higher is better, because its name does not say otherwise."


def test_a_direction_that_nobody_said_stands_on_the_pages(opened, rated, monkeypatch, tmp_path):
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), views.reviews.clear()
    table = (rated / "en-de.esa.tsv").rename(rated / "en-de.mine.tsv")
    task = KeptTask(TaskSource(str(rated), scores=(("en-de", "mine", str(table)),))).task
    digests = {pair: one.digest for pair, one in task.testsets.items()}
    kept = views.reviews().begin(
        Begin(rated.name, None, task.digest, digests, "mine", {"trials": 999}), "x"
    )
    for page in (
        opened(
            "results",
            root=rated.parent,
            shared_task=rated.name,
            metric="mine",
            trials="999",
            trust="true",
        ),
        opened("review", root=rated.parent, review=kept.edit_link),
    ):
        assert f"Assumed: {SAID}" in words(page)
    testsets.store.clear(), views.reviews.clear()


@pytest.mark.long
def test_training_runs_lie_there_too(opened, rated, monkeypatch, tmp_path):
    """As ``PAIR.NAME.run2.txt``: on the pages Task, Review and Leaderboard."""
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), views.reviews.clear()
    first = next(rated.glob("system-outputs/**/*good*")).read_text().splitlines()
    (rated / "en-de.good.run2.txt").write_text("\n".join([*first[1:], first[0]]) + "\n")
    source = TaskSource(str(rated), run=(("en-de", "good", str(rated / "en-de.good.run2.txt")),))
    found = compare_task(KeptTask(source), "bleu", trials=999)
    page = opened("results", root=rated.parent, shared_task=rated.name, metric="bleu", trials="999")
    digests = {pair: one.testset.digest for pair, one in found.pairs.items()}
    begin = Begin(rated.name, None, found.task.digest, digests, "bleu", {"trials": 999})
    kept = views.reviews().begin(begin, "x")
    review = opened("review", root=rated.parent, review=kept.edit_link)
    runs = runs_table(found, "bleu")
    assert [row[:3] for row in runs.rows] == [
        ("en-de", "good", 2)
    ]  # of the others, which have one, nothing is said
    for shown in (page, review):
        cells = [
            cell
            for table in (runs, pair_runs_table(found, "bleu"))
            for row in table.texts()
            for cell in row
        ]
        assert all(cell in words(shown) for cell in cells)
        assert f"--run en-de:good={rated.name}/en-de.good.run2.txt" in all_copied(shown)
    page = opened(
        "summary", root=rated.parent, testset=f"{rated.name}/en-de", metric="bleu", trials="999"
    )
    assert "SD between runs" in words(page)
    testsets.store.clear(), views.reviews.clear()


def test_tables_and_runs_elsewhere_are_given_to_the_server(
    opened, rated, run, tmp_path, monkeypatch
):
    table, again = tmp_path / "ratings.tsv", tmp_path / "again.txt"
    (rated / "en-de.esa.tsv").rename(table)
    again.write_text((rated / "system-outputs" / "en-de" / "fair.txt").read_text())
    withdrawn = tmp_path / "who.tsv"
    withdrawn.write_text("system\trole\npoor\twithdrawn\n")
    started = []
    monkeypatch.setattr(
        os, "execve", lambda program, command, environment: started.append(environment)
    )
    run(
        "serve",
        "--folder",
        rated,
        "--scores",
        f"en-de:people={table}",
        "--run",
        f"en-de:good={again}",
        "--pairs",
        "en-de",
        "--systems-table",
        withdrawn,
        "--port",
        free_port(),
        "--no-browser",
    )
    source, task = (
        Source.from_json(started[0][SOURCE_VARIABLE]),
        TaskSource.from_json(started[0][TASK_VARIABLE]),
    )
    assert (task.pairs, task.scores) == (("en-de",), (("en-de", "people", str(table)),))
    page = opened("results", source, task=task, metric="chrf", trials="999", shared_task=rated.name)
    assert "people" in page.selectbox(key="metric").options
    assert list(page.dataframe[0].value["0"]) == ["good", "fair"]  # who is withdrawn is left out
    command = find_command(page, "task")
    assert "--pairs en-de" in command
    assert "--scores en-de:people=ratings.tsv" in command
    assert "--run en-de:good=again.txt" in command
    assert "--systems-table who.tsv" in command
    assert str(tmp_path) not in words(page) + command
    testset = testsets.find(f"{rated.name}/en-de", testsets.available()).load()
    assert set(testset.systems) == {"good", "fair"}
    assert set(testset.runs) == {"good"}
    assert "Excluded: poor. who.tsv, the task's table of systems, marks them as withdrawn." in map(
        str, testset.assumed
    )


def test_the_direction_of_one_language_pairs_scores_keeps_no_other_from_opening(opened, rated):
    for path in [path for path in rated.rglob("*en-de*") if path.is_file()]:
        path.with_name(path.name.replace("en-de", "en-cs")).write_bytes(path.read_bytes())
    shutil.copytree(rated / "system-outputs" / "en-de", rated / "system-outputs" / "en-cs")
    task = TaskSource(
        str(rated),
        scores=(("en-cs", "esa", str(rated / "en-cs.esa.tsv")),),
        lower_is_better=("esa",),
    )
    for pair, has in (("en-cs", True), ("en-de", False)):
        page = opened(
            "summary",
            Source(folder=str(rated)),
            task=task,
            testset=f"{rated.name}/{pair}",
            trials="99",
        )
        assert not page.error
        command = find_command(page, "")
        assert f"--langpair {pair}" in command
        assert ("--lower-is-better esa" in command) is has
        scores = testsets.find(f"{rated.name}/{pair}", testsets.available()).load().scores
        assert {name: one.higher_is_better for name, one in scores.items()} == (
            {"esa": False} if has else {}
        )
