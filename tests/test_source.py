"""The source options."""

import argparse
import json
import os
from dataclasses import replace

import pytest

from mtsig_core.cli.options import add_source_options, source_from
from mtsig_core.errors import InputError, SettingError
from mtsig_core.report.commands import source_options, task_command
from mtsig_core.source import Source, TaskSource
from mtsig_core.task import TaskExclusion
from pages._server.launch import make_absolute


def parse(*args):
    parser = argparse.ArgumentParser()
    add_source_options(parser)
    return source_from(parser.parse_args(list(map(str, args))))


@pytest.mark.parametrize(
    "name,file",
    [("A", "a.txt"), ("<img src=x>", "a.txt"), ("A", "b=c.txt"), ("=SUM(1)", "b=c.txt")],
)
def test_names_and_files_may_contain_equals_signs(tmp_path, name, file):
    path = tmp_path / file
    path.touch()
    assert parse("--ref", "r", f"--system={name}={path}").system == ((name, str(path)),)
    assert parse("--ref", "r", f"--system={path}").system == ((None, str(path)),)


def test_a_missing_file_keeps_its_name():
    assert parse("--ref", "r", "--system", "A=absent.txt").system == (("A", "absent.txt"),)
    assert parse("--ref", "r", "--system", "out/x=1.txt").system == ((None, "out/x=1.txt"),)


@pytest.mark.parametrize(
    "args,title",
    [
        (["--demo"], "simulated corpus"),
        (["--demo-segments", "50"], "simulated corpus, 50 segments"),
        (
            ["--demo-segments", "50", "--demo-references", "4"],
            "simulated corpus, 50 segments, 4 references",
        ),
    ],
)
def test_the_demonstration(args, title):
    source = parse(*args)
    assert (
        source.title == title
        and source_options(source) == args
        and Source.from_json(source.to_json()) == source
    )


def test_the_demonstration_with_several_references():
    several = parse("--demo-segments", "30", "--demo-references", "3").read()
    assert list(several.references) == ["ref1", "ref2", "ref3"] and several.simulated
    two = parse("--demo-segments", "30", "--demo-references", "3", "--refs", "ref1,ref3").read()
    assert list(two.references) == ["ref1", "ref3"] and two.systems == several.systems
    one = parse("--demo-segments", "30").read()
    assert one.systems == several.systems and one.references["ref"] == several.references["ref1"]
    for wrong, message in (("0", "Expected 1 to 9"), ("10", "Expected 1 to 9")):
        with pytest.raises(SettingError, match=message):
            parse("--demo", "--demo-references", wrong).read()
    with pytest.raises(SettingError, match="needs --demo or --demo-segments"):
        parse("--ref", "r", "--system", "s", "--demo-references", "2")


def test_nothing_given_is_no_source():
    assert parse() is None


def test_a_folder_is_read_for_one_language_pair(tmp_path):
    (tmp_path / "references").mkdir()
    for pair in ("en-de", "en-zh"):
        (tmp_path / "references" / f"{pair}.refA.txt").write_text("a\n")
    with pytest.raises(SettingError, match="It has: en-de, en-zh"):
        Source(folder=str(tmp_path)).read()


def test_survives_json():
    source = parse(
        "--ref",
        "A=r",
        "--system",
        "S=s",
        "--refs",
        "A, B",
        "--docs",
        "d",
        "--refs-as-systems",
        "--parse",
        "S=p",
        "--scores",
        "human=t",
        "--ids",
        "i",
    )
    assert source.refs == ("A", "B")
    assert Source.from_json(source.to_json()) == source == parse(*source_options(source))


def test_the_commands_of_a_server_hold_in_any_folder():
    source = parse(
        "--ref", "A=r", "--system", "S=s", "--parse", "S=p", "--scores", "human=t", "--ids", "i"
    )
    served = make_absolute(source)
    assert served.ids == os.path.abspath("i") and served.parse == (("S", os.path.abspath("p")),)
    assert served.ref == (("A", os.path.abspath("r")),) and served.docs is None
    assert source_options(served) == source_options(source)  # as they were given


def test_a_server_names_files_from_where_it_was_started_and_others_by_their_name(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    away = parse(
        "--ref",
        "A=in/r",
        "--system",
        "/srv/secret/S",
        "--scores",
        "human=/srv/secret/t",
        "--docs",
        "../d",
    )
    served = make_absolute(away)
    assert source_options(served) == [
        "--ref",
        "A=in/r",
        "--system",
        "S",
        "--docs",
        "d",
        "--scores",
        "human=t",
    ]
    assert Source.from_json(served.to_json()) == served and served.system == (
        (None, "/srv/secret/S"),
    )
    with pytest.raises(InputError, match="^in/r does not exist: there is no folder in") as caught:
        served.read()
    assert "/srv" not in str(caught.value) and "S does not exist: there is no folder secret" in str(
        caught.value
    )
    assert "/srv/secret/S" in source_options(away)  # the command line shows what it was given


def test_messages_on_a_whole_task_name_no_place(tmp_path, monkeypatch):
    folder = tmp_path / "secret" / "wmt"
    for name in ("references/en-de.refA.txt", "system-outputs/en-de/x.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a\n" * (4 if "system" in name else 1))
    served = make_absolute(Source(folder=str(folder)))
    task = TaskSource(served.folder, named_from=served.named_from)
    for read in (task.read, task.select_pair("en-de").read, replace(served, langpair="en-de").read):
        with pytest.raises(InputError, match="wmt/") as caught:
            read()
        assert str(tmp_path) not in str(caught.value)
    assert task_command(task) == "mtsig task --folder wmt" and "named_from" not in task.to_record()
    assert task.to_record()["folder"] == "wmt" and task.digest() == TaskSource(str(folder)).digest()


def test_a_whole_task_survives_json_and_gives_its_parts_what_is_theirs():
    task = TaskSource(
        "wmt",
        ("en-de",),
        "constrained",
        (TaskExclusion("B", "late", "en-de"),),
        only=("A",),
        lower_is_better=("ter",),
        keep_canary=True,
        systems_table="who.tsv",
        scores=(("en-de", "esa", "t"), ("en-zh", "esa", "u")),
        run=(("en-de", "A", "a2"),),
    )
    assert TaskSource.from_json(task.to_json()) == task
    one = task.select_pair("en-de")
    assert (one.scores, one.run, one.systems_table) == ((("esa", "t"),), (("A", "a2"),), "who.tsv")
    assert source_options(one)[-1] == "--keep-canary" and "--systems-table" in source_options(one)


def test_what_is_said_of_a_table_goes_to_the_language_pairs_that_have_it():
    task = TaskSource(
        "wmt",
        lower_is_better=("mine", "of-folder"),
        higher_is_better=("esa",),
        scores=(("en-de", "mine", "t"), ("en-zh", "esa", "u"), ("en-cs", "mine", "v")),
    )
    said = {
        pair: (one.lower_is_better, one.higher_is_better)
        for pair in ("en-de", "en-zh", "en-cs", "en-ja")
        for one in (task.select_pair(pair),)
    }
    assert said == {
        "en-de": (("mine", "of-folder"), ()),
        "en-cs": (("mine", "of-folder"), ()),
        "en-zh": (("of-folder",), ("esa",)),
        "en-ja": (("of-folder",), ()),
    }


def test_contradictions_are_refused():
    with pytest.raises(SettingError, match="--systems-table needs --folder"):
        parse("--demo-task", "--systems-table", "t")
    with pytest.raises(SettingError, match="two sources"):
        parse("--folder", "f", "--langpair", "en-de", "--docs", "d")
    with pytest.raises(SettingError, match="--keep-canary"):
        parse("--scores", "human=t", "--keep-canary")


def test_the_simulated_shared_task():
    source = parse("--demo-task")
    assert (
        source == Source(demo_task=True)
        and source.simulated
        and source.title == "simulated shared task"
    )
    assert (
        source_options(source) == ["--demo-task"] and Source.from_json(source.to_json()) == source
    )
    assert parse("--demo-task", "--refs", "ref2").read().references.keys() == {"ref2"}
    for more in (
        ["--demo"],
        ["--demo-segments", "300"],
        ["--demo-segments", "0"],
        ["--demo-references", "4"],
        ["--ref", "r"],
        ["--folder", "f"],
    ):
        with pytest.raises(
            SettingError, match=r"--demo-segments is 0|--demo-task and --\S+ name two sources"
        ):
            parse("--demo-task", *more)


def test_runs_are_a_part_of_the_source():
    source = parse("--ref", "r.txt", "--system", "A=a.txt", "--run", "A=b.txt", "--run", "A=c.txt")
    assert source.run == (("A", "b.txt"), ("A", "c.txt"))
    assert Source.from_json(source.to_json()) == source == parse(*source_options(source))
    assert all(os.path.isabs(path) for _, path in make_absolute(source).run)
    stored = json.loads(source.to_json())
    del stored["run"]  # as an earlier version kept it
    assert Source.from_json(json.dumps(stored)).run == ()
