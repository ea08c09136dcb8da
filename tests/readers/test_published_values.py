"""Tables of published scores of systems, next to ratings or alone."""

import json

import pytest

from mtsig_core.readers.published_values import (
    join_published,
    list_published_files,
    read_published_uploads,
)
from mtsig_core.source import TaskSource
from mtsig_core.stats.published_scores import match_published
from tests.builders.code import DATA

needs_published = pytest.mark.skipif(
    not DATA.is_dir(), reason="needs the published tables in ../shared/data"
)

TABLE = "lp\tsystem\tprinted_name\tAutoRank\nen-de\ta\tA (ours)\t1.0\nen-de\tB\tB\t2.5\n"
CLUSTERS = """\
SRC TRG WINS TOTAL CLUSTER_START CLUSTER_END END_OF_CLUSTER SYSTEM
en de 1 2 1 2 False A.1
en de 0 2 1 2 True B.2
"""
RATINGS = "langpair\tsystem\tline\tscore\n" + "".join(
    f"en-de\t{name}\t{line}\t{50 + 10 * k + line}\n"
    for k, name in enumerate("AB")
    for line in range(1, 9)
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("scores.tsv", RATINGS),
        ("systems.tsv", TABLE),
        ("texts.csv", "system,source,output\nA,a b,c d\n"),
        ("scores.en-de.csv", "system,docid,BLEU\nA,d1,3\n"),
        ("no_pair.csv", "system,BLEU\nA,3\nB,4\n"),
        ("words.en-de.csv", "system,name\nA,x\nB,y\n"),
        ("notes.en-de.txt", "system,BLEU\nA,3\n"),
    ],
)
def test_other_tables_are_not_taken_for_published_scores(name, content, write, tmp_path):
    write(name, content)
    assert list_published_files(tmp_path) == []


def test_the_name_of_a_file_may_say_the_language_pair(write, tmp_path):
    write("sub/ad-sys-ranking-cs-en-z-names.csv", "74 0.1 13 17 A.2 A\n75 -0.2 13 18 B.6 B\n")
    assert join_published(list_published_files(tmp_path)) == {
        "cs-en": {
            "A": {"RAW.SCR": "74", "Z.SCR": "0.1"},
            "B": {"RAW.SCR": "75", "Z.SCR": "-0.2"},
        }
    }


def test_values_that_differ_in_two_files_are_told_apart(write, tmp_path):
    write("1.tsv", TABLE)
    write("2.tsv", TABLE.replace("2.5", "2.6"))
    values = join_published(list_published_files(tmp_path))
    assert values["en-de"]["B"] == {"AutoRank": "2.5", "AutoRank (2.tsv)": "2.6"}


def test_a_large_table_is_not_looked_at(write, tmp_path):
    rows = "".join(f"en-de\tS{k}\tlong name {k}\t{k}\n" for k in range(50_000))
    path = write("1.tsv", TABLE + rows)
    assert list_published_files(tmp_path) == []
    assert read_published_uploads([("1.tsv", path.read_bytes())]) == []


def test_a_table_that_changed_is_read_again(write, tmp_path):
    for text in ("2.5", "2.75"):
        write("1.tsv", TABLE.replace("2.5", text))
        values = join_published(list_published_files(tmp_path))
        assert values["en-de"]["B"]["AutoRank"] == text


def test_a_task_shows_them_next_to_what_is_computed(write, tmp_path, run):
    """By their own names; the systems and the language pair are those of the task."""
    write("esa.tsv", RATINGS)
    write("autorank.tsv", TABLE)
    write("clusters.csv", CLUSTERS)
    source = TaskSource(folder=str(tmp_path))
    assert match_published(source.read_published(), {"en-de": ["A", "B"]}) == {
        "en-de": {
            "A": {"AutoRank": "1.0", "rank": "1-2"},
            "B": {"AutoRank": "2.5", "rank": "1-2"},
        }
    }
    asked = ["task", "--folder", tmp_path, "--trials", 99, "--resamples", 99]
    done = run(*asked, "--format", "json")
    assert json.loads(done.out)["published"]["en-de"]["B"]["AutoRank"] == "2.5"
    text = run(*asked).out
    assert "AutoRank (published)" in text and "mtsig did not compute these numbers" in text
    assert "published,en-de,rank,A,1-2" in _list_published_rows(run(*asked, "--format", "csv").out)


def _list_published_rows(text):
    header, *lines = text.splitlines()
    places = [header.split(",").index(title) for title in ("table", "language_pair", "metric")]
    places += [header.split(",").index(title) for title in ("system", "published")]
    return [",".join(line.split(",")[k] for k in places) for line in lines if "published" in line]


def test_alone_they_are_shown_and_nothing_is_tested(write, tmp_path, run):
    write("autorank.tsv", TABLE)
    for place in (tmp_path, tmp_path / "autorank.tsv"):
        done = run("task", "--folder", place)
        assert done.status == 0 and "1 language pair, 2 systems; published scores" in done.out
        assert "mtsig cannot test the differences" in done.out


def test_other_commands_name_the_one_that_shows_them(write, tmp_path, run):
    write("autorank.tsv", TABLE)
    done = run("findings", "--folder", tmp_path)
    assert done.status == 2 and "The command task shows them." in done.err


@needs_published
def test_published_tables_of_five_years_are_found():
    sizes = {}
    for folder in ("human/wmt21", "human/wmt22", "human/wmt24", "wmt25"):
        for file in list_published_files(DATA / folder):
            sizes[file.path.name, folder] = {
                pair: len(table.systems) for pair, table in file.tables.items()
            }
    assert sizes["clusters.csv", "human/wmt22"] == {
        "de-en": 10,
        "ru-en": 10,
        "uk-en": 9,
        "lv-en": 5,
        "cs-en": 12,
        "zh-en": 13,
        "ja-en": 14,
    }
    assert len(sizes["AutoRank.xlsx", "human/wmt24"]) == 11
    assert sizes["autorank.tsv", "wmt25"] == {"en-ja_JP": 43, "cs-uk_UA": 42, "en-de_DE": 32}
    assert sizes["ad-sys-ranking-de-en-z-names.csv", "human/wmt21"] == {"de-en": 20}
    assert sizes["ranking.tsv", "human/wmt24"] == {"en-cs": 16, "en-zh": 13}
