"""Several test sets of any name as one task: on the command line, in a folder or zip, and in Python."""

import json
import os
import shutil

import numpy as np
import pytest

from mtsig_core import Task, compare, compare_task, read_text
from mtsig_core.cli.main import main
from mtsig_core.errors import SettingError
from mtsig_core.readers.tasks import is_task, read_task
from mtsig_core.report.commands import task_command
from mtsig_core.report.tables import rank_table
from mtsig_core.source import TaskSource
from mtsig_core.stats.kept_tasks import KeptTask
from mtsig_core.task import TaskExclusion

WORDS = "the a of to in cat dog house tree river runs sees finds old new small".split()
QUICK = ("--trials", "199", "--resamples", "50")


def write_set(folder, seed, systems=("new", "old"), n=40):
    """A plain folder: ref.txt, src.txt and a text for each system, the first with the fewest errors."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    lines = [" ".join(rng.choice(WORDS, 9)) for _ in range(n)]
    texts = {"ref": lines, "src": [f"source {k}" for k in range(n)]}
    for k, name in enumerate(systems):
        texts[name] = [" ".join(rng.permutation(line.split()[: 9 - 2 * k])) for line in lines]
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")


@pytest.fixture
def release(tmp_path):
    write_set(tmp_path / "release" / "news", 1)
    write_set(tmp_path / "release" / "flores", 2)
    (tmp_path / "release" / "news" / "README.md").write_text("About news.\n")
    return tmp_path / "release"


def read_json(capsys, *arguments):
    assert main(["task", *map(str, arguments), *QUICK, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def read_error(capsys, *arguments):
    assert main(["task", *map(str, arguments), *QUICK]) == 2
    return capsys.readouterr().err


def test_each_set_is_compared_as_by_itself_and_a_folder_or_zip_has_the_same_sets(release, capsys):
    options = ["--set", f"news={release / 'news'}", "--set", f"flores={release / 'flores'}"]
    data = read_json(capsys, *options)
    assert data["task"]["pairs"] == ["news", "flores"]
    files = {name: release / "news" / f"{name}.txt" for name in ("ref", "src", "new", "old")}
    testset = read_text(
        [("ref", files["ref"])],
        [("new", files["new"]), ("old", files["old"])],
        sources=files["src"],
    )
    alone = compare(testset, trials=199, resamples=50).metrics["bleu"]
    pair = data["pairs"]["news"]["metrics"]["bleu"]["pairs"][0]
    assert (pair["delta"], pair["p_value"]) == (alone.pairs[0].delta, alone.pairs[0].p_value)
    scores = []
    for name in ("news", "flores"):
        systems = data["pairs"][name]["metrics"]["bleu"]["systems"]
        scores.append({row["system"]: row["score"] for row in systems}["new"])
    macro = {row["system"]: row["score"] for row in data["macro"]["bleu"]["systems"]}
    assert macro["new"] == pytest.approx(sum(scores) / 2)  # each set counts the same
    packed = shutil.make_archive(str(release), "zip", release)
    assert is_task(packed) and is_task(release)
    for folder in (release, packed):
        same = read_json(capsys, folder)
        assert same["pairs"]["news"]["metrics"] == data["pairs"]["news"]["metrics"]


def test_words_say_test_set(release, capsys):
    assert main(["task", str(release), *QUICK, "--baseline", "old"]) == 0
    text = capsys.readouterr().out
    assert "by the mean over 2 test sets" in text and "anguage pair" not in text
    assert main(["task", str(release), *QUICK, "--exclude", "nwes:old"]) == 2
    assert "Unknown test set 'nwes'. Did you mean 'news'?" in capsys.readouterr().err


def test_names_may_have_any_characters_and_the_printed_command_has_them(release, tmp_path, capsys):
    name = 'news: 2024, "a=b"'
    sets = ((name, str(release / "news")), ("score", str(release / "flores")))
    source = TaskSource(set=sets, exclude=(TaskExclusion("old", "late", name),))
    assert [*source.read().testsets] == [name, "score"]
    command = task_command(source)
    assert command.startswith("mtsig task --set 'news: 2024,") and "news\\: 2024" in command
    kept = KeptTask(source)
    assert kept.info.pairs == (name, "score")
    testset, complete = kept.read_testsets("score")
    assert [*testset.systems] == [*complete.systems] == ["new", "old"]
    data = read_json(
        capsys, "--set", f"x.en-zh={release / 'news'}", "--set", f"y={release / 'flores'}"
    )
    signatures = [data["pairs"][one]["metrics"]["bleu"]["signature"] for one in ("x.en-zh", "y")]
    assert "tok:zh" in signatures[0] and "tok:13a" in signatures[1]


def test_a_test_set_may_be_called_as_a_column_is(release):
    sets = (("score", str(release / "news")), ("system", str(release / "flores")))
    found = compare_task(TaskSource(set=sets).read(), "bleu", trials=199, resamples=50)
    table = rank_table(found, "bleu")
    rows = dict(zip(table.titles, zip(*table.texts(), strict=True), strict=True))
    ranks = {row.system: f"{row.rank_low}" for row in found.pairs["score"].metrics["bleu"].systems}
    assert [rank.partition("-")[0] for rank in rows["score"]] == [*ranks.values()]
    assert table.values("system") == [*ranks]


def test_clear_refusals(release, tmp_path, capsys):
    news = f"news={release / 'news'}"
    write_set(tmp_path / "other", 3, systems=("third",))
    (tmp_path / "bare").mkdir()
    shutil.copy(release / "news" / "new.txt", tmp_path / "bare")
    shutil.copytree(release / "news", tmp_path / "short")
    (tmp_path / "short" / "new.txt").write_text("a\n")
    for path, message in (
        (release / "flores", "Two test sets are called news"),
        (release / "news", "have the same content, which would count twice"),
        (tmp_path / "other", "No system is in all test sets: news, b."),
        (tmp_path / "bare", "Expected a reference such as ref.txt and a text for each system"),
        (tmp_path / "short", "short: new.txt has 1 line, the reference ref.txt has 40"),
        (tmp_path / "none", "does not exist"),
    ):
        name = "news" if "Two" in message else "b"
        assert message in read_error(capsys, "--set", news, "--set", f"{name}={path}")
    assert "Give one of them" in read_error(capsys, "--set", news, "--demo-task")
    assert "expected NAME=" in read_error(capsys, "--set", "news")


def test_in_python_a_task_renders_and_gives_tables_as_a_comparison_does(release):
    task = read_task(release)
    renamed = Task("release", {"news": task.testsets["news"], "flores": task.testsets["flores"]})
    assert repr(renamed) == "<Task 'release': 2 test sets, 2 systems>"
    found = compare_task(renamed, ["bleu", "chrf"], trials=199, resamples=50)
    pairs = found.to_frame("pairs")
    assert list(pairs.columns[:4]) == ["language_pair", "metric", "a", "b"]
    assert list(pairs["language_pair"]) == ["news"] * 2 + ["flores"] * 2
    macro = found.to_frame("macro_systems")
    assert list(macro["metric"]) == ["bleu"] * 2 + ["chrf"] * 2 and set(macro["n_pairs"]) == {2}
    with pytest.raises(SettingError, match="Unknown table 'systmes'. Did you mean 'systems'"):
        found.to_frame("systmes")
    with pytest.raises(SettingError, match="Unknown form 'josn'. Did you mean 'json'"):
        found.render("josn")
    assert json.loads(found.render("json"))["task"]["pairs"] == ["news", "flores"]
    for form in ("text", "csv", "markdown", "latex", "typst", "html"):
        assert "flores" in found.render(form)
    assert "test set" in found._repr_html_()


def test_tasks_in_a_folder_are_no_test_sets_and_names_can_be_shown(tmp_path):
    strange = os.fsdecode(b"caf\xe9")
    write_set(tmp_path / "sets" / "news", 1)
    write_set(tmp_path / "sets" / strange, 2)
    assert sorted(read_task(tmp_path / "sets").testsets) == ["caf\\udce9", "news"]
    for name in ("wmt23", "wmt24"):
        (tmp_path / "tasks" / name / "references").mkdir(parents=True)
        (tmp_path / "tasks" / name / "references" / "en-de.refA.txt").write_text("a\n")
    assert not is_task(tmp_path / "tasks")
