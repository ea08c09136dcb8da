"""Words by frequency, segments by length, n-grams: against compare-mt, and against plain loops."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from mtsig_core import SettingError, TestSet, compare, score
from mtsig_core.cli.main import main
from mtsig_core.experiments.breakdown import FREQUENCIES, LENGTHS, break_down
from mtsig_core.report.pair_summary import breakdown_tables
from mtsig_core.results import SamplingSettings
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.pair import examine_pair
from mtsig_core.testset import SegmentScores

BY_SEGMENT = SamplingSettings("segment", None, 0.05, 500, 0, "")
#: What compare-mt 0.2.10 prints of the first 300 segments: the first number of the bucket, Spanish,
#: Danish.
COMPARE_MT_WORDS = """
1 0.4609 0.3806
2 0.5252 0.4626
3 0.4232 0.4653
4 0.5111 0.4894
5 0.4577 0.4537
10 0.5378 0.5136
100 0.6965 0.6950
"""
COMPARE_MT_LENGTHS = """
0 24.9913 29.1938
10 20.9765 19.5768
20 21.5631 20.7414
30 22.9054 20.3970
40 23.8143 23.3709
50 24.8132 22.4191
60 26.5598 24.3416
"""
#: Matches of n-grams that it lists.
COMPARE_MT_NGRAMS = {"regional weather": (5, 0), "a long": (6, 1), "the weather service": (2, 8)}


def printed(rows, scale, digits):
    return [
        f"{row.first} {row.score_a / scale:.{digits}f} {row.score_b / scale:.{digits}f}"
        for row in rows
    ]


def test_as_compare_mt_prints_it():
    demo = replace(load_demo(300), tokenizer="none")
    found = break_down(demo, "bleu", "Spanish", "Danish", BY_SEGMENT)
    assert printed(found.words, 100, 4) == COMPARE_MT_WORDS.split("\n")[1:-1]
    assert printed(found.lengths, 1, 4) == COMPARE_MT_LENGTHS.split("\n")[1:-1]
    counts = {row.ngram: (row.n_a, row.n_b) for row in found.ngrams}
    assert COMPARE_MT_NGRAMS.items() <= counts.items()


def toy(n, seed):
    """Two systems, a reference without some segments, human scores with gaps, documents."""
    rng = np.random.default_rng(seed)
    words = np.array(["The", "the", "a", "cat", "dog", "sees", "old", "rare1", "rare2", "."])
    weights = np.array([8, 20, 15, 10, 9, 8, 6, 0.5, 0.5, 4])

    def draw():
        return " ".join(rng.choice(words, rng.integers(1, 26), p=weights / weights.sum()))

    texts = {name: [draw() for _ in range(n)] for name in ("ref", "A", "B")}
    for name in "AB":
        for k in rng.choice(n, n // 2, replace=False):
            texts[name][k] = texts["ref"][k].replace("cat", "dog" if name == "A" else "cat")
    reference = texts.pop("ref")
    first = [None if k % 7 == 0 else text for k, text in enumerate(reference)]
    human = {name: [None if k % 5 == 0 else float(k % 9) for k in range(n)] for name in "AB"}
    human["B"][1] = None
    scores = {"human": SegmentScores(human)}
    documents = [f"d{k // 4}" for k in range(n)]
    return TestSet("toy", texts, {"r1": first, "r2": reference}, documents=documents, scores=scores)


def ngrams(words, n):
    return Counter(" ".join(words[k : k + n]) for k in range(len(words) - n + 1))


def bucket_start(starts, value):
    return max(start for start in starts if start <= value)


@pytest.mark.parametrize("lowercase", [False, True])
def test_words_and_ngrams_by_loops(lowercase):
    from mtsig_core.metrics import make_metric

    testset = toy(60, 1)
    metric = make_metric("bleu", lowercase=lowercase)
    found = break_down(testset, metric, "A", "B", BY_SEGMENT)

    def split(text):
        return (text.lower() if lowercase else text).split()

    segments = [
        [split(reference), split(a), split(b)]
        for reference, a, b in zip(testset.references["r1"], *testset.systems.values(), strict=True)
        if reference is not None
    ]
    frequency = Counter(word for reference, *_ in segments for word in reference)
    sums = {}
    matches = {}
    for reference, *outputs in segments:
        for n in range(1, 5):
            expected = ngrams(reference, n)
            for system, output in enumerate(outputs):
                shared = ngrams(output, n) & expected
                for gram, count in shared.items():
                    matches.setdefault(gram, [0, 0])[system] += count
                for text, kind in ((shared, 0), (ngrams(output, n), 1), (expected, 2)):
                    for word, count in text.items() if n == 1 else ():
                        if word in frequency:
                            key = bucket_start(FREQUENCIES, frequency[word])
                            sums.setdefault(key, np.zeros((2, 3)))[system, kind] += count
    assert len(sums) > 2
    f1 = {key: 200 * counts[:, 0] / counts[:, 1:].sum(axis=1) for key, counts in sums.items()}
    for row in found.words:
        np.testing.assert_allclose([row.score_a, row.score_b], f1[row.first])
        assert row.n == sums[row.first][0, 2]
        assert row.difference == row.score_a - row.score_b
    assert [row.first for row in found.words] == sorted(f1)
    assert len(found.ngrams) == 20
    for row in found.ngrams:
        assert [row.n_a, row.n_b] == matches[row.ngram]
        assert (row.n_a > row.n_b) == (row.system == "A")
        k = row.line - 1
        of_a, of_b = (
            min(ngrams(split(text), row.ngram.count(" ") + 1)[row.ngram] for text in texts)
            for texts in ((testset.systems[name][k], testset.references["r1"][k]) for name in "AB")
        )
        assert (of_a > of_b) == (row.system == "A")


@pytest.mark.parametrize("metric", ["bleu", "ter", "human"])
def test_a_bucket_of_lengths_has_the_score_of_its_segments(metric):
    testset = toy(60, 2)
    found = break_down(testset, metric, "B", "A", BY_SEGMENT)
    lengths = [None if text is None else len(text.split()) for text in testset.references["r1"]]
    human = testset.scores["human"].by_system
    for row in found.lengths:
        inside = [
            k
            for k, length in enumerate(lengths)
            if length is not None and bucket_start(LENGTHS, length) == row.first
            if metric != "human" or None not in (human["A"][k], human["B"][k])
        ]
        assert row.n == len(inside)
        systems = score(testset.take(inside), metric).metrics[metric].systems
        by_system = {of_one.system: of_one.score for of_one in systems}
        np.testing.assert_allclose([row.score_a, row.score_b], [by_system["B"], by_system["A"]])
        sign = -1 if metric == "ter" else 1
        assert row.difference == pytest.approx(sign * (row.score_a - row.score_b))
        assert row.ci is None or row.ci[0] <= row.difference <= row.ci[1]


def test_a_single_bucket_has_the_interval_of_the_pair():
    """All references have as many words, and a family of one has t times the standard error."""
    demo = load_demo(60)
    reference = [" ".join(text.split()[:8]) for text in demo.references["ref"]]
    short = replace(demo.only(["Spanish", "Danish"]), references={"ref": reference})
    eight = replace(short, documents=[f"d{k // 8}" for k in range(60)])
    for testset, unit in ((short, "segment"), (eight, "document")):
        settings = replace(BY_SEGMENT, unit=unit)
        (row,) = break_down(testset, "chrf", "Spanish", "Danish", settings).lengths
        pair = examine_pair(
            testset, "chrf", "Spanish", "Danish", unit=unit, resamples=500, trials=99
        )
        assert row.difference == pytest.approx(pair.delta)
        n = pair.n_effective
        assert row.n == 60 and row.ci[1] - row.ci[0] > 3.9 * pair.se[unit] * np.sqrt(n / (n - 1))
    by_document = replace(BY_SEGMENT, unit="document")
    few = break_down(short, "chrf", "Spanish", "Danish", by_document)  # of three documents
    assert few.lengths[0].ci is None


def test_the_command_in_every_format(capsys):
    command = "pair --demo-segments 60 --a Spanish --b Danish --trials 99 --resamples 99 --format"
    shown = {}
    for form in ("text", "json", "csv", "latex", "html"):
        assert main([*command.split(), form, "--breakdown"]) == 0
        shown[form] = capsys.readouterr().out
        if form != "json":
            assert "n-gram" in shown[form] or "ngram" in shown[form]
    record = json.loads(shown["json"])["breakdown"]
    assert record["words"][0]["first"] == 1 and len(record["ngrams"]) == 20
    rows = [line for line in shown["csv"].splitlines() if line.startswith("ngrams,")]
    assert len(rows) == 20 and record["ngrams"][0]["ngram"] in rows[0]
    assert "95% CI, all rows of this table together" in shown["text"]
    for row in record["words"]:  # each is named by its range
        assert row["range"] in shown["text"] and f",{row['range']}," in shown["csv"]


def test_a_row_is_marked_where_its_interval_excludes_zero():
    testset = load_demo(300)
    comparison = compare(testset, "bleu", trials=99, resamples=99)
    found = break_down(testset, "bleu", "Spanish", "Danish", BY_SEGMENT)
    result = comparison.metrics["bleu"]
    words, lengths, _ = breakdown_tables(found, "Spanish", "Danish", result, comparison.settings)
    n_marked = 0
    for block, buckets in ((words, found.words), (lengths, found.lengths)):
        apart = {k for k, row in enumerate(buckets) if row.ci and row.ci[0] * row.ci[1] > 0}
        assert block.table.marks == {(k, "difference") for k in apart}
        n_marked += len(apart)
    assert n_marked


def test_words_need_a_reference():
    scores = {"q": SegmentScores({"A": [1.0] * 9, "B": [2.0] * 9})}
    testset = TestSet("toy", {"A": ["a"] * 9, "B": ["b"] * 9}, {}, scores=scores)
    with pytest.raises(SettingError, match="no reference"):
        break_down(testset, "q", "A", "B", BY_SEGMENT)
