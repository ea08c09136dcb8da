"""The table of the systems of a task."""

from dataclasses import replace

import pytest

from mtsig_core.errors import InputError
from mtsig_core.readers.systems_table import read_systems
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.report.sentences import list_caution_texts
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.task import SystemInfo

TABLE = "system\tconstrained\trole\tkind\tname\nX\tyes\t\t\tThe X\nY\tno\tcontrastive\tonline\nZ\t\twithdrawn\n"


@pytest.fixture
def task(tmp_path):
    for name in ("references/en-de.refA", *(f"system-outputs/en-de/{system}" for system in "XYZ")):
        (tmp_path / f"{name}.txt").parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(f"a b c d\n{name} d\n", encoding="utf-8")
    (tmp_path / "systems.tsv").write_text(TABLE, encoding="utf-8")
    return tmp_path


def test_what_it_says_and_what_is_withdrawn(task, tmp_path_factory, run_json):
    source = TaskSource(str(task))
    assert dict(source.read().systems) == {
        "X": SystemInfo(True, display_name="The X"),
        "Y": SystemInfo(False, "contrastive", "online"),
    }
    assert source.list_withdrawn() == ("Z",)
    excluded = run_json("task --unit segment --trials 99 --folder", task)["excluded"]
    assert excluded == [{"system": "Z", "reason": "withdrawn", "pair": None}]
    other = tmp_path_factory.mktemp("other") / "table.tsv"
    other.write_text("system\trole\nX\twithdrawn\n", encoding="utf-8")
    elsewhere = TaskSource(str(task), systems_table=str(other))
    assert list(elsewhere.read().systems) == ["Y", "Z"]
    before = elsewhere.digest()
    assert before != source.digest()
    other.write_text("system\trole\nY\twithdrawn\n", encoding="utf-8")
    assert elsewhere.digest() != before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name\tx\n", "line 1 has the columns name, x"),
        ("system\trole\nX\tgone\n", "line 2: role is 'gone'"),
        ("system\tconstrained\nX\tmaybe\n", "line 2: constrained is 'maybe'"),
        ("system\nX\ty\n", "line 2 has 2 columns"),
        ("system\nX\nX\n", "line 3 names 'X' a second time"),
        ("system\trole\n\tprimary\n", "line 2 names no system"),
    ],
)
def test_broken_tables(tmp_path, text, told):
    (tmp_path / "t.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        read_systems(tmp_path / "t.tsv")


def test_a_system_that_is_not_there(task):
    (task / "systems.tsv").write_text("system\nQ\n", encoding="utf-8")
    with pytest.raises(InputError, match="the table of systems has 'Q'"):
        TaskSource(str(task)).read()


def test_a_pair_opened_alone_heeds_it_too(task, run, run_json):
    source = Source(folder=str(task), langpair="en-de")
    said = "Excluded: Z. systems.tsv, the task's table of systems, marks them as withdrawn."
    assert list(source.read().systems) == ["X", "Y"]
    assert str(source.read().assumed[0]) == said
    assert source.read().digest == TaskSource(str(task)).read().testsets["en-de"].digest
    quick = "--unit segment --trials 99 --folder", task
    shown = run(f"compare --langpair en-de {quick[0]}", task)
    assert said in shown.out
    assert "--keep-withdrawn keeps them" in shown.err
    whole, of_task = (replace(one, keep_withdrawn=True) for one in (source, TaskSource(str(task))))
    assert list(whole.read().systems) == ["X", "Y", "Z"] == list(of_task.read().systems)
    assert "--keep-withdrawn" in command_line("compare", whole)
    assert "--keep-withdrawn" in task_command(of_task)
    assert run_json(f"task --keep-withdrawn {quick[0]}", task)["excluded"] == []


def test_a_line_before_the_header_names_the_metric_that_decides(task):
    (task / "systems.tsv").write_text(
        "# Systems of the task\n# metric: chrf \n" + TABLE, encoding="utf-8"
    )
    read = TaskSource(str(task)).read()
    assert read.primary == "chrf" and read.systems["X"].display_name == "The X"
    assert read.digest != replace(read, primary=None).digest
    (task / "systems.tsv").write_text("# metric: chrf\nsystem\trole\nX\tgone\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 3: role is 'gone'"):
        TaskSource(str(task)).read()
    (task / "systems.tsv").write_text("# metric: chrf\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2 has the columns"):
        TaskSource(str(task)).read()


def test_a_line_before_the_header_names_the_announced_rank_rule(task, capsys):
    (task / "systems.tsv").write_text(
        "# rank rule: wmt24\nsystem\tunsupported\nX\ten-de, en-cs\n", encoding="utf-8"
    )
    read = TaskSource(str(task)).read()
    assert read.rank_rule == "wmt24" and read.systems["X"].unsupported == ("en-de", "en-cs")
    assert read.digest != replace(read, rank_rule=None).digest
    announced = replace(simulated_task(["qab-en"]), rank_rule="wmt24")
    found = compare_task(announced, ["human"], trials=999)
    said = "The task announced ranks as WMT24. These are by simultaneous rank ranges"
    assert any(one.startswith(said) for one in list_caution_texts(found, "human"))
    found = compare_task(announced, ["human"], trials=999, rank_rule="wmt24")
    assert not any("announced" in one for one in list_caution_texts(found, "human"))
    found = compare_task(replace(announced, rank_rule="best"), ["human", "bleu"], trials=999)
    assert any(
        "best, which mtsig does not know" in one for one in list_caution_texts(found, "human")
    )
    assert not any("announced" in one for one in list_caution_texts(found, "bleu"))
