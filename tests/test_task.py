"""A task: its language pairs, the table of its systems, and the views of it."""

import pickle

import pytest

from mtsig_core import TestSet, compare
from mtsig_core.errors import InputError, SettingError
from mtsig_core.stats.across import compare_task
from mtsig_core.task import SystemInfo, Task
from mtsig_core.testset import SegmentScores

REF = ["a b c", "d e f"]


def testset(*names):
    return TestSet("toy", {name: REF for name in names}, {"ref": REF})


testset.__test__ = False


@pytest.fixture
def task():
    return Task(
        "toy",
        {"en-de": testset("A", "B", "ONLINE-X"), "en-cs": testset("A", "C")},
        {"A": SystemInfo(True), "B": SystemInfo(False), "C": SystemInfo(True, "contrastive")},
        ("so.",),
    )


def test_each_system_is_known_once(task):
    assert list(task.systems) == ["A", "B", "ONLINE-X", "C"]
    assert task.systems["ONLINE-X"] == SystemInfo(None, kind="online")
    assert task.tracks == ("constrained", "unconstrained")


def test_views_keep_what_they_have(task):
    closed = task.of_track("constrained")
    assert {pair: list(one.systems) for pair, one in closed.testsets.items()} == {
        "en-de": ["A"],
        "en-cs": ["A", "C"],
    }
    assert closed.assumed == task.assumed and closed.digest != task.digest
    assert list(task.without(["A", "C"]).testsets) == ["en-de"]
    assert pickle.loads(pickle.dumps(task)).digest == task.digest


def test_mistakes_are_named(task):
    with pytest.raises(SettingError, match="Unknown system 'D'"):
        task.only(["D"])
    with pytest.raises(SettingError, match="no unconstrained system"):
        task.only(["A", "C"]).of_track("unconstrained")
    with pytest.raises(InputError, match="table of systems has 'Z'"):
        Task("toy", {"en-de": testset("A")}, {"Z": SystemInfo()})
    with pytest.raises(InputError, match="no language pair"):
        Task("toy", {})
    with pytest.raises(SettingError, match="Unknown role 'main'"):
        SystemInfo(role="main")


def referred(*references, rated=(), **systems):
    """A test set with these references, and ratings of all systems and of those that are named."""
    texts = {"A": ["a b c d"] * 8, "B": ["a b x d"] * 8, **systems}
    scores = {
        "esa": SegmentScores({name: [float(k)] * 8 for k, name in enumerate([*texts, *rated])})
    }
    return TestSet(
        "toy", texts, {name: [f"a b c {name}"] * 8 for name in references}, scores=scores
    )


def test_references_act_as_systems_where_a_language_pair_has_any_to_spare():
    task = Task(
        "toy",
        {
            "en-de": referred("refA", "refB"),
            "en-cs": referred("refA", rated=["refA"]),
            "en-uk": referred("refB"),
            "en-ja": referred("refA", rated=["HUMAN-X"]),
        },
    )
    found = task.scored_with(["refA"], others_as_systems=True)
    assert {pair: [*set(one.systems) - {"A", "B"}] for pair, one in found.testsets.items()} == {
        "en-de": ["HUMAN-refB"],
        "en-cs": ["HUMAN-refA"],
        "en-uk": [],
        "en-ja": ["HUMAN-X"],
    }
    assert list(map(str, found.assumed)) == [
        "en-uk does not have the chosen references refA. It is scored with refB."
    ]
    assert list(found.testsets["en-de"].references) == ["refA"] and list(
        found.testsets["en-uk"].references
    ) == ["refB"]
    assert found.systems["HUMAN-refB"].kind == "human" and task.scored_with().digest == task.digest
    assert found.testsets["en-cs"].scores["esa"].by_system["HUMAN-refA"] == (2.0,) * 8
    with pytest.raises(SettingError, match="Unknown reference 'refC'.*Available: refA, refB"):
        task.scored_with(["refC"])
    with pytest.raises(
        SettingError, match="No reference of toy is left to act as a system"
    ) as error:
        Task("toy", {"en-uk": referred("refB")}).scored_with(others_as_systems=True)
    assert error.value.remedies == ({"refs": "NAME,..."},)


def test_a_task_of_ratings_has_its_references_among_the_systems_already():
    scores = {"esa": SegmentScores({"A": (1.0,) * 8, "refA": (2.0,) * 8}, True)}
    task = Task(
        "toy", {"en-de": TestSet("toy", {"A": [None] * 8, "refA": [None] * 8}, {}, scores=scores)}
    )
    assert [*task.scored_with(others_as_systems=True).systems] == ["A", "refA"]


def test_a_task_compared_with_references_as_systems_is_its_pairs_compared_so():
    task = Task(
        "toy",
        {
            "en-de": referred("refA", "refB", rated=["refB"]),
            "en-cs": referred("refA", rated=["refA"]),
        },
    )
    for metric, more in (("bleu", dict(refs=("refA",))), ("esa", {})):
        found = compare_task(task, metric, trials=99, resamples=99, refs_as_systems=True, **more)
        for pair, testset in task.testsets.items():
            alone = compare(
                testset.scored_with(["refA"] if more else None, others_as_systems=True),
                metric,
                trials=99,
                resamples=99,
            )
            assert found.pairs[pair].metrics[metric] == alone.metrics[metric]
    assert "HUMAN-refA" in [row.system for row in found.macro["esa"].systems]


def test_a_task_is_called_otherwise_with_its_test_sets(task):
    other = task.rename("<b>x</b>")
    assert (other.name, other.digest) == ("<b>x</b>", task.digest)
    assert [one.name for one in other.testsets.values()] == ["<b>x</b> en-de", "<b>x</b> en-cs"]
