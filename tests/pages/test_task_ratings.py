"""Ratings of people that lie in the folder of a task with texts, as ``PAIR.NAME.tsv``."""

import json

import pytest

from mtsig_core.cli.main import main
from mtsig_core.data.review import Begin
from mtsig_core.data.task_source import TaskSource
from mtsig_core.report.kept_tasks import KeptTask
from mtsig_core.report.runs_tables import task_pair_run_rows, task_run_rows
from pages._ui import review_view, testsets
from tests.cli.conftest import files, folder, run  # noqa: F401 - fixtures
from tests.pages.toys import arguments, words


@pytest.fixture
def rated(folder):  # noqa: F811
    """The folder with ratings of 40 of 60 lines."""
    lines = [f"{k}\t{name}\t{level + k % 7}" for k in range(1, 41) for name, level in (("good", 90), ("fair", 80),
                                                                                        ("poor", 30))]
    (folder / "en-de.esa.tsv").write_text("\n".join(["line\tsystem\tscore", *lines]))
    return folder


def test_they_are_a_metric_of_the_page_task_and_of_its_pairs(opened, rated, capsys, monkeypatch):
    monkeypatch.chdir(rated.parent)  # from where commands name the files
    page = opened("task", root=rated.parent, shared_task=rated.name, metric="esa", trials="999", trust="true")
    assert not page.exception and "agrees most with esa" in words(page)
    assert not any(str(rated.parent) in code.value for code in page.code)
    command = next(code.value for code in page.code if code.value.startswith("mtsig task") and "esa" in code.value)
    assert main([*arguments(command), "--format", "json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    source = TaskSource(str(rated), scores=(("en-de", "esa", str(rated / "en-de.esa.tsv")),))
    found = KeptTask(source).compare("esa", trials=999)
    assert [row["system"] for row in printed["pairs"]["en-de"]["metrics"]["esa"]["systems"]] == ["good", "fair", "poor"]
    assert printed["pairs"]["en-de"]["testset"]["digest"] == found.pairs["en-de"].testset.digest
    command = next(code.value for code in page.code if code.value.startswith("mtsig agreement"))
    assert main([*arguments(command), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["human"] == "esa"
    page = opened("leaderboard", root=rated.parent, testset=f"{rated.name}/en-de", metric="esa", trials="999")
    assert not page.exception and "good is ahead of all others" in words(page)
    assert f"--scores esa={rated.name}/en-de.esa.tsv" in next(code.value for code in page.code)


def test_training_runs_lie_there_too(opened, rated, monkeypatch, tmp_path):
    """As ``PAIR.NAME.run2.txt``: on the pages Task, Review and Leaderboard."""
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path / "home"))
    testsets.store.clear(), review_view.reviews.clear()
    first = next(rated.glob("system-outputs/**/*good*")).read_text().splitlines()
    (rated / "en-de.good.run2.txt").write_text("\n".join([*first[1:], first[0]]) + "\n")
    source = TaskSource(str(rated), run=(("en-de", "good", str(rated / "en-de.good.run2.txt")),))
    found = KeptTask(source).compare("bleu", trials=999)
    page = opened("task", root=rated.parent, shared_task=rated.name, metric="bleu", trials="999")
    assert not page.exception
    digests = {pair: one.testset.digest for pair, one in found.pairs.items()}
    begin = Begin(rated.name, None, found.task.digest, digests, "bleu", {"trials": 999})
    kept = review_view.reviews().begin(begin, "x")
    review = opened("review", root=rated.parent, review=kept.edit_link)
    header, rows = task_run_rows(found, "bleu")
    assert ["en-de", "good", "2"] in [row[:3] for row in rows]
    for shown in (page, review):
        cells = [cell for table in (rows, task_pair_run_rows(found, "bleu")[1]) for row in table for cell in row]
        assert not shown.exception and all(cell in words(shown) for cell in cells)
        assert any(f"--run en-de:good={rated.name}/en-de.good.run2.txt" in code.value for code in shown.code)
    page = opened("leaderboard", root=rated.parent, testset=f"{rated.name}/en-de", metric="bleu", trials="999")
    assert "SD between runs" in words(page)
    testsets.store.clear(), review_view.reviews.clear()


def test_on_the_command_line_they_are_named(run, rated):  # noqa: F811
    asked = ["task", "--folder", rated, "--trials", 99, "--format", "json"]
    table = rated / "en-de.esa.tsv"
    assert list(json.loads(run(*asked).out)["pairs"]["en-de"]["metrics"]) == ["bleu"]
    turned = json.loads(run(*asked, "--scores", f"en-de:esa={table}", "--lower-is-better", "esa").out)
    assert [row["system"] for row in turned["pairs"]["en-de"]["metrics"]["esa"]["systems"]] == ["poor", "fair", "good"]
    for wrong, told in (("esa=x", "expected PAIR:NAME=FILE"), (f"en-xx:esa={table}", "Unknown language pair 'en-xx'"),
                        ("en-de:esa=nowhere.tsv", "nowhere.tsv")):
        failed = run(*asked, "--scores", wrong)
        assert failed.status == 2 and told in failed.err
