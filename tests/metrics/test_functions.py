"""Functions that score segments: as scores of segments that a loop by hand gives."""

import numpy as np
import pytest

from mtsig_core import (
    InputError,
    SettingError,
    TestSet,
    compare,
    examine_pair,
    join_scores,
    segment_metric,
)
from mtsig_core.experiments.sweeps import sweep_references
from mtsig_core.metrics import resolve_metric
from tests.builders.toys import texts

REFERENCE, SYSTEMS = texts(seed=8, errors=[0.2, 0.4], n_segments=40)
OTHER = [None if k % 2 else text for k, text in enumerate(SYSTEMS[1])]
NEWS = TestSet(
    "news",
    {"A": SYSTEMS[0], "B": SYSTEMS[1]},
    {"ref": REFERENCE, "other": OTHER},
    sources=REFERENCE,
    documents=[f"d{k // 4}" for k in range(40)],
)
ONE_REFERENCE = NEWS.scored_with(["ref"])


def shared(output, reference):
    """The share of the words that stand where they do in the reference."""
    pairs = list(zip(output.split(), reference.split(), strict=False))
    return sum(a == b for a, b in pairs) / max(len(pairs), 1)


def errors(output, reference):
    return 1 - shared(output, reference)


def by_hand(testset, score, best=max):
    """The scores that a table of segment scores would have."""
    scores = {}
    for system, outputs in testset.systems.items():
        scores[system] = []
        for output, *references in zip(outputs, *testset.references.values(), strict=True):
            known = [score(output, reference) for reference in references if reference is not None]
            scores[system].append(best(known))
    return scores


def counted(testset, metric):
    return resolve_metric(testset, metric).statistics(testset)


@pytest.mark.parametrize("test", ["ar", "t", "wilcoxon"])
def test_a_comparison_is_that_of_its_scores(test):
    joined = join_scores(NEWS, {"table": by_hand(NEWS, shared)})
    ours, theirs = (
        compare(testset, metric, test=test, unit="segment", trials=99, resamples=50).metrics
        for testset, metric in ((NEWS, shared), (joined, "table"))
    )
    assert ours["shared"].systems == theirs["table"].systems
    assert ours["shared"].pairs == theirs["table"].pairs


def test_the_best_of_several_references_counts():
    fewest = segment_metric(errors, higher_is_better=False)
    expected = by_hand(NEWS, errors, min)
    assert counted(NEWS, fewest)[..., 0].tolist() == [expected["A"], expected["B"]]
    assert counted(NEWS, shared)[..., 0].tolist() != counted(ONE_REFERENCE, shared)[..., 0].tolist()
    result = compare(NEWS, fewest, trials=99, resamples=50).metrics["errors"]
    assert result.systems[0].system == "A" and not result.higher_is_better
    assert ".errors(output,reference)|code:unknown|nrefs:var|" in result.signature


def test_it_is_called_with_what_its_parameters_name():
    calls = []

    def look(source, output, *, references, scale=2):
        calls.append((source, output, references))
        return scale

    assert counted(NEWS, look)[0, 0].tolist() == [2, 1]
    expected = [(REFERENCE[k], SYSTEMS[0][k], [REFERENCE[k]]) for k in range(40)]
    for k in range(0, 40, 2):
        expected[k][2].append(OTHER[k])
    assert calls[:40] == expected
    with pytest.raises(SettingError, match="look needs sources, and toy has none"):
        compare(TestSet("toy", {"A": ["a"]}, {"ref": ["a"]}), look)


def test_what_is_no_number_is_a_missing_score():
    values = iter([True, np.float32(0.5), None, float("nan"), np.False_, 3])
    toy = TestSet("toy", {"A": ["a"] * 6}, {"ref": ["a"] * 6})
    stats = counted(toy, segment_metric(lambda output: next(values), name="next"))
    assert stats[0].tolist() == [[1, 1], [0.5, 1], [0, 0], [0, 0], [0, 1], [3, 1]]


def test_runs_are_averaged():
    toy = TestSet("toy", {"A": ["a"], "B": ["b"]}, {"ref": ["a"]}, runs={"A": [["b"], ["b"]]})
    metric = resolve_metric(
        toy, segment_metric(lambda output, reference: output == reference, name="x")
    )
    assert metric.score(metric.statistics(toy).sum(axis=1)).tolist() == pytest.approx([1 / 3, 0])


def fails(output, reference):
    if reference == REFERENCE[2]:
        raise KeyError("no such word")
    return 1


@pytest.mark.parametrize(
    "function, message",
    [
        (
            lambda output: "good",
            r"A by the function f: segment 1 is 'good'\. Expected a finite numb",
        ),
        (lambda output: [0.5], r"A by the function f: segment 1 is \[0\.5\]"),
        (lambda output: float("inf"), "segment 1 is inf"),
        (fails, r"A by the function f: segment 3 failed with KeyError\('no such word'\)"),
        (
            lambda hyp, ref: 1,
            "function f takes .hyp, ref.. Expected output, and reference",
        ),
        (lambda *texts: 1, r"takes \(texts\)"),
        (lambda: 1, r"takes \(\)\. Expected output"),
    ],
)
def test_what_is_wrong_is_named(function, message):
    with pytest.raises((InputError, SettingError), match=message):
        compare(ONE_REFERENCE, segment_metric(function, name="f"))


@pytest.mark.parametrize("name", [None, "bleu", "a,b", "", "a\nb"])
def test_it_needs_a_name_that_a_list_of_metrics_can_have(name):
    with pytest.raises(SettingError, match=r"needs another name to be a metric.* name='my-metric'"):
        segment_metric(lambda output: 1, name=name)


def test_without_texts_it_has_nothing_to_score():
    scores = TestSet("scores", {"A": [None]}, {}, scores={"human": {"A": [1]}})
    with pytest.raises(SettingError, match="'shared' needs texts"):
        compare(scores, shared)


def test_one_pair_by_it():
    pair = examine_pair(ONE_REFERENCE, shared, "A", "B", trials=99, resamples=50)
    assert {outcome.test for outcome in pair.outcomes} >= {"ar", "t", "wilcoxon"}


def test_other_references_give_other_scores():
    toy = TestSet("toy", dict(NEWS.systems), {"ref": REFERENCE, "other": SYSTEMS[1]})
    rows = sweep_references(toy, shared, resamples=50).rows
    scores = {row.references: row.score for row in rows if row.system == "B" and row.size == 40}
    by_first_reference = np.mean(by_hand(ONE_REFERENCE, shared)["B"])
    assert scores == {1: pytest.approx((by_first_reference + 1) / 2), 2: 1}
