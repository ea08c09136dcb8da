"""`mtsig findings`: published scores next to what is computed, and the systems that take part."""

import csv
import io

import pytest

from tests.builders.code import DATA


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(content)
        return path

    return write


PUBLISHED = """\
langpair\tsystem\tAutoRank\tComet\trank_low\trank_high
qab_en\tcedar open\t1\t0.812345\t1\t2
qab_en\tOak-closed\t7.25\t0.5\t3\t3
qab_en\tnobody\t9\t0.4\t4\t4
"""


def _read_table(run, *options):
    """The rows of the findings of qab-en in CSV, by system."""
    done = run(
        "findings --demo-task --pairs qab-en --trials 99 --resamples 50 --format csv", *options
    )
    rows = csv.DictReader(io.StringIO(done.out))
    return {row["system"]: row for row in rows if row["table"] == "systems"}


def test_published_scores_stand_beside_what_is_computed(run, write):
    """AutoRank and ranks always, other columns where --metrics names them."""
    file = write("published.tsv", PUBLISHED)
    rows = _read_table(run, "--published", file)
    assert rows["Cedar-open"]["published_AutoRank"] == "1.0"
    assert rows["Oak-closed"]["published_AutoRank"] == "7.25"
    assert rows["Elm-closed"]["published_AutoRank"] == ""
    assert "published_Comet" not in rows["Cedar-open"] and "nobody" not in rows
    rows = _read_table(run, "--published", file, "--metrics", "human,bleu,Comet")
    assert rows["Cedar-open"]["published_Comet"] == "0.812345"
    assert float(rows["Cedar-open"]["score_bleu"]) > 0
    asked = "findings --demo-task --pairs qab-en --trials 99 --resamples 50 --published"
    text = run(asked, file).out
    heads = ["AutoRank (published)", "rank (published)", "mtsig did not compute these numbers"]
    assert all(head in text for head in heads)
    code = run(asked, file, "--format", "latex").out
    assert " & 7.2 & 3 & " in code or " & 7.3 & 3 & " in code


def test_a_table_without_autorank_and_ranks_is_shown_whole(run, write):
    file = write("comet.tsv", "lp\tsystem\tComet\tXL\nqab-en\tOak-closed\t.5\t.6\n")
    oak = _read_table(run, "--published", file)["Oak-closed"]
    assert (oak["published_Comet"], oak["published_XL"]) == ("0.5", "0.6")


def test_published_scores_of_another_task_are_refused(run, write):
    file = write("other.tsv", PUBLISHED.replace("qab_en", "de_en"))
    done = run("findings --demo-task --pairs qab-en --published", file)
    assert done.status == 2
    assert (
        "has no system of the task" in done.err and "It has de_en; the task has qab-en." in done.err
    )


def test_systems_are_chosen_as_for_a_task(run):
    """By track and by exclusions, which the report names with their reasons."""
    rows = _read_table(run, "--track", "constrained")
    assert rows and all(name.endswith("-closed") for name in rows)
    asked = "findings --demo-task --pairs qab-en --trials 99 --resamples 50 --format markdown"
    done = run(asked, "--exclude", "qab-en:Elm-closed=a bug").out
    assert "Excluded: Elm-closed in qab-en (a bug)." in done
    assert "| Oak-closed " in done and "| Elm-closed " not in done


@pytest.mark.long
@pytest.mark.parametrize(
    ("pair", "table", "ranks"),
    [("en-zh", "human/wmt24/official/ranking.tsv", 13)],
)
def test_wmt24_comes_out_beside_what_was_published(run, pair, table, ranks):
    if not DATA.is_dir():
        pytest.skip("needs the published files in ../shared/data")
    scores = f"{pair}:esa={DATA / 'wmt24' / f'{pair}.esa.tsv'}"
    done = run(
        f"findings --pairs {pair} --refs-as-systems --rank-rule wmt24 --trials 99 --resamples 50",
        *("--folder", DATA / "wmt24", "--scores", scores, "--format", "csv"),
        *("--published", DATA / table, "--published", DATA / "human/wmt24/AutoRank.xlsx"),
    )
    rows = [row for row in csv.DictReader(io.StringIO(done.out)) if row["table"] == "systems"]
    assert len(rows) == ranks
    for row in rows:
        for end in ("low", "high"):
            assert row[f"published_rank_{end}"] == row[f"rank_{end}"]
    assert {row["system"]: row["published_AutoRank"][:4] for row in rows}["GPT-4"] == "1.98"
