"""Ratings of human translations: kept, said to wait, ranked where references take part."""

import pickle

import pytest

from mtsig_core import InputError, SettingError, TestSet, compare
from mtsig_core.metrics import make_metric
from mtsig_core.metrics.cache import cached_statistics
from mtsig_core.readers import join_scores
from mtsig_core.report.commands import source_options
from mtsig_core.source import Source, TaskSource
from tests.builders.results import select_cautions

QUICK = dict(trials=99, resamples=50)
ROWS = [("A", 50), ("B", 60), ("refA", 90)]


@pytest.fixture
def table(tmp_path):
    def write(rows=ROWS):
        lines = [f"{name}\t{line}\t{score + line}" for name, score in rows for line in (1, 2, 3, 4)]
        path = tmp_path / "esa.tsv"
        path.write_text("\n".join(["system\tline\tscore", *lines]) + "\n")
        return [("esa", path)]

    return write


def texts(*references):
    return TestSet(
        "toy",
        {"A": ["a b c d"] * 4, "B": ["a b c e"] * 4},
        {name: ["a b c d e"] * 4 for name in references},
        documents=["d", "d", "e", "e"],
    )


def ranked(testset, metric="esa"):
    return {row.system for row in compare(testset, [metric], **QUICK).metrics[metric].systems}


def warning(testset, code, metrics=("esa", "bleu")):
    return select_cautions(compare(testset, metrics, **QUICK), code)


@pytest.mark.parametrize("reference", ["refA", "en-zh"])
def test_a_reference_that_scores_others_or_is_not_here_can_be_ranked_by_its_ratings(
    table, reference
):
    joined = join_scores(texts(reference), table())
    assert ranked(joined) == {"A", "B"} and joined.rated_humans == ("refA",)
    (said,) = warning(joined, "ratings-of-references")
    assert (said.metric, said.facts) == ("esa", {"name": "refA", "n": 4})
    acting = joined.scored_with(others_as_systems=True)
    assert ranked(acting) == {"A", "B", "HUMAN-refA"} and not warning(
        acting, "ratings-of-references"
    )
    assert compare(acting, ["esa"], **QUICK).metrics["esa"].systems[0].system == "HUMAN-refA"


def test_no_reference_is_scored_by_itself(table):
    acting = join_scores(texts("refA"), table()).scored_with(others_as_systems=True)
    assert ranked(acting, "bleu") == {"A", "B"}
    (alone,) = warning(acting, "ratings-alone")
    assert (alone.metric, alone.facts) == ("bleu", {"names": ("HUMAN-refA",)})
    with pytest.raises(
        SettingError, match="HUMAN-refA has ratings and no text that bleu could score"
    ):
        cached_statistics(make_metric("bleu"), acting)


def test_another_reference_brings_its_text_and_its_ratings(table):
    joined = join_scores(texts("refA", "refB"), table([*ROWS, ("refB", 80)]))
    acting = joined.scored_with(["refA"], others_as_systems=True)
    assert ranked(acting) == {"A", "B", "HUMAN-refA", "HUMAN-refB"}
    assert ranked(acting, "bleu") == {"A", "B", "HUMAN-refB"}
    waiting = joined.scored_with(["refA"])
    assert (
        set(waiting.rated_humans) == {"refA", "HUMAN-refB"}
        and len(warning(waiting, "ratings-of-references")) == 2
    )


def test_views_keep_what_waits_and_forget_what_was_left_out(table):
    joined = join_scores(texts("refA"), table())
    for part in (
        joined.only(["A", "B"]),
        joined.take([0, 2]),
        pickle.loads(pickle.dumps(joined)),
        joined.scored_with(),
    ):
        assert part.rated_humans == ("refA",)
    acting = joined.scored_with(others_as_systems=True)
    assert (
        acting.take([1]).textless_systems
        == ("HUMAN-refA",)
        == pickle.loads(pickle.dumps(acting)).textless_systems
    )
    assert (
        acting.without(["HUMAN-refA"]).rated_humans == () and acting.keep_scorable("esa") is acting
    )


def test_other_names_are_mistakes_with_a_remedy(table):
    with pytest.raises(
        InputError, match="'Reformer' is not a system of toy. Its systems: A, B. Rename the systems"
    ):
        join_scores(texts("refA"), table([*ROWS, ("Reformer", 1)]))
    with pytest.raises(InputError, match="Other names it does not have: C. Rename the systems"):
        join_scores(texts("refA"), table([*ROWS, ("Reformer", 1), ("C", 1)]))
    with pytest.raises(
        SettingError, match="No reference is left to act as a system.*none has ratings"
    ):
        texts("refA").scored_with(others_as_systems=True)


def test_on_the_command_line(table, tmp_path, run, run_json):
    paths = {name: str(tmp_path / f"{name}.txt") for name in ("ref", "A", "B")}
    for name, text in {"ref": "a b c d e", "A": "a b c d", "B": "a b c e"}.items():
        (tmp_path / f"{name}.txt").write_text(f"{text}\n" * 4)
    systems = (("A", paths["A"]), ("B", paths["B"]))
    scores = (("esa", str(table()[0][1])),)
    source = source_options(Source(ref=(("refA", paths["ref"]),), scores=scores, system=systems))
    done = run("score --metrics esa,bleu", *source)
    assert done.err.startswith("Warning: 4 esa scores of refA are not used")
    assert "refA" not in done.out
    found = run_json("score --metrics esa,bleu --refs-as-systems", *source)["metrics"]
    assert set(found["esa"]["scores"]) == {"A", "B", "HUMAN-refA"}
    assert set(found["bleu"]["scores"]) == {"A", "B"}
    assert "HUMAN" not in run("segments --metrics bleu --refs-as-systems", *source).out


def test_references_of_a_task_are_ranked_by_ratings_that_lie_beside(tmp_path):
    texts_by_file = {
        "references/en-de.refA.txt": "a b c d e",
        "system-outputs/en-de/A.txt": "a b c d",
        "system-outputs/en-de/B.txt": "a b c e",
    }
    for file, text in texts_by_file.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n" * 4)
    for file, rows in (("en-de.early.tsv", ROWS[:2]), ("en-de.esa.tsv", ROWS)):
        lines = [f"{name}\t{line}\t{score + line}" for name, score in rows for line in (1, 2, 3, 4)]
        (tmp_path / file).write_text("\n".join(["system\tline\tscore", *lines]) + "\n")
    asked = TaskSource(str(tmp_path), pairs=("en-de",), refs_as_systems=True)
    source, sentences = asked.join_tables_beside()
    assert len(sentences) == 2 and all("is read from" in sentence for sentence in sentences)
    assert ranked(source.read().testsets["en-de"]) == {"A", "B", "HUMAN-refA"}
