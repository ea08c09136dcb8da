"""Folders of tasks as they come: each gives a result, or one message that names the file and what
to do.
"""

import shutil

import pytest

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.languages import languages_of
from mtsig_core.metrics.tokenizers import tokenizer_name
from mtsig_core.readers.tasks import read_pair, read_task
from mtsig_core.source import TaskSource
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from tests.builders.task_files import task_text

SYSTEMS = ("A.b-1", "نظام 2", "Sys,x")


@pytest.fixture
def write(tmp_path):
    def files(**texts):
        for name, text in texts.items():
            path = tmp_path / "odd" / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "odd"

    return files


def of_2024(pair, systems=SYSTEMS, reference=True):
    return ({f"references__{pair}.refA.txt": "a b c d\n" * 4} if reference else {}) | {
        f"system-outputs__{pair}__{name}.txt": f"a b {name} d\n" * 4 for name in systems
    }


def of_2022(pair, systems):
    target = languages_of(pair)[1]
    return {f"references__generaltest2022.{pair}.ref.A.{target}": "a b c d\n" * 4} | {
        f"system-outputs__generaltest2022.{pair}.hyp.{name}.{target}": f"a b {name} d\n" * 4
        for name in systems
    }


def of_metrics(pair, systems=SYSTEMS):
    scores = "".join(f"{name}\t{k}\n" for name in systems for k in range(4))
    return of_2024(pair, systems) | {f"human-scores__{pair}.esa.seg.score": scores}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("layout", [of_2022, of_2024, of_metrics])
def test_regions_and_scripts_as_bcp_47_has_them(write, tmp_path, layout, zipped):
    pairs = ["en-de", "en-pt-BR", "en-zh-Hant", "zh-Hans-CN-en"]
    folder = write(
        **{
            name: text
            for pair in [*pairs, "en-zh-x"]
            for name, text in layout(pair, ["A", "B-x"]).items()
        }
    )
    if zipped:
        folder = shutil.make_archive(tmp_path / "zipped", "zip", folder)
    task = read_task(folder)
    assert list(task.testsets) == pairs and {
        tuple(one.systems) for one in task.testsets.values()
    } == {("A", "B-x")}
    assert [one.target_language for one in task.testsets.values()] == [
        "de",
        "pt-BR",
        "zh-Hant",
        "en",
    ]
    assert [tokenizer_name(one) for one in task.testsets.values()] == ["13a", "13a", "zh", "13a"]
    assert (
        task.assumed[0].text
        == "Excluded: en-zh-x, which is not a language pair such as en-de or en-pt-BR."
    )
    assert (
        read_pair(folder, "en-pt-BR").langpair == "en-pt-BR"
        and read_task(folder, ["en-pt-BR"]).testsets
    )


@pytest.mark.parametrize("layout", [of_2022, of_2024])
def test_pairs_that_lack_something_are_left_out_and_named(write, layout):
    bare = {
        name: text for name, text in layout("en-cs", ["A", "B"]).items() if "references" not in name
    }
    folder = write(**layout("en-de", ["A", "B"]), **layout("cs-uk", []), **bare)
    task = read_task(folder)
    assert list(task.testsets) == ["en-de"] and tuple(map(str, task.assumed)) == (
        "Excluded: cs-uk, which has references but no output.",
        "Excluded: en-cs, which has outputs but no reference.",
    )
    found = compare_task(KeptTask(TaskSource(str(folder))), trials=99, resamples=99)
    assert "\nExcluded: en-cs, which has outputs but no reference.\n" in task_text(found)
    with pytest.raises(
        InputError, match="odd has references and no output for cs-uk. Expected files in"
    ):
        read_task(folder, ["cs-uk"])
    with pytest.raises(MtsigError, match="en-cs"):
        read_task(folder, ["en-cs"])


def test_what_is_assumed_of_tables_is_said_once_for_all_language_pairs(write):
    folder = write(
        **of_2024("en-de", ["A", "B"]),
        **of_2024("en-cs", ["A", "B"]),
        **{
            f"{pair}.tsv": "line\tsystem\tscore\n"
            + "".join(f"{k}\t{name}\t{level + k}\n" for k in (1, 2) for name in "AB")
            for pair, level in (("en-de", 10), ("en-cs", 40))
        },
    )
    tables = tuple(
        (pair, name, str(folder / f"{pair}.tsv"))
        for pair in ("en-de", "en-cs")
        for name in ("esa", "mine")
    )
    source = TaskSource(
        str(folder), scores=(*tables, ("en-cs", "wer", tables[-1][2])), lower_is_better=("wer",)
    )
    assert tuple(map(str, source.read().assumed)) == (
        "We assume that higher esa scores are better, because of the name and the values (11 to 42).",
        "We assume that higher mine scores are better.",
        "As given, lower wer scores are better.",
    )


def test_an_output_of_another_length_is_one_message(write):
    folder = write(**of_2024("en-de"), **{"system-outputs__en-de__Short.txt": "a\nb\n"})
    with pytest.raises(
        InputError, match=r"Short.txt has 2 lines, the reference .*en-de.refA.txt has 4"
    ):
        read_task(folder)


def test_an_empty_folder_is_one_message(tmp_path):
    with pytest.raises(InputError, match="has no references/; it has nothing. Expected"):
        read_task(tmp_path)
