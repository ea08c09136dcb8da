"""The one-page summary of a pair: its numbers are those of the core by other ways, and nothing in a name or a text
is a tag.
"""

import json
import re
import shlex

import numpy as np
import pytest

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.experiments.dispute import examine_dispute
from mtsig_core.report.html import report_html
from mtsig_core.report.pair_summary import summary_report, summary_verdict
from mtsig_core.report.text import report_text
from mtsig_core.stats.pair import examine_pair
from mtsig_core.testset import SegmentScores, show_name
from tests.builders.markup import Page
from tests.builders.rendered import summary_json
from tests.builders.results import find_pair

HOSTILE, ARABIC, OTHER = "<script>alert(1)</script>", show_name("نظام \u202eabc"), "C & D"
ASKED = dict(trials=199, resamples=50)
N = 24


@pytest.fixture(scope="module")
def testset():
    """Three systems with hostile names, two references, two domains, 12 documents; people have not
    rated the third.
    """
    rng = np.random.default_rng(5)
    ref = [f"this is sentence {k} of a small <b>test</b> set" for k in range(N)]
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    worst = [text.replace("small", "large").replace("this is", "here") for text in ref]
    human = {ARABIC: rng.normal(80, 5, N).tolist(), HOSTILE: rng.normal(76, 5, N).tolist()}
    human[HOSTILE][3] = None
    good = [text.replace("set", "suite") if k % 5 == 0 else text for k, text in enumerate(ref)]
    other = [text.replace("this is", "that was") for text in ref]
    return TestSet(
        "toy",
        {HOSTILE: worse, ARABIC: good, OTHER: worst},
        {"r1": ref, "r2": other},
        scores={"human": SegmentScores(human)},
        domains=["news"] * 12 + ["speech"] * 12,
        documents=[f"d{k // 2}" for k in range(N)],
    )


@pytest.fixture(scope="module")
def found(testset):
    return examine_dispute(testset, ["bleu", "human"], a=HOSTILE, b=ARABIC, **ASKED)


def test_each_number_is_the_one_that_is_found_alone(testset, found):
    data = json.loads(summary_json(found))["metrics"]
    for name, rules in (("bleu", ["overlap"]), ("human", ["wmt24", "wmt25", "overlap"])):
        own = data[name]
        pair = find_pair(compare(testset, name, **ASKED).metrics[name], HOSTILE, ARABIC)
        for field in ("p_adjusted", "ci_joint_low"):
            assert own["pair"][field] == getattr(pair, field)
        assert own["delta"] == pytest.approx(pair.delta if pair.a == HOSTILE else -pair.delta)
        assert own["tests"][0]["p_value"] == pair.p_value
        for rule in rules:
            systems = compare(testset, name, rank_rule=rule, **ASKED).metrics[name].systems
            ruled = {row.system: [row.rank_low, row.rank_high] for row in systems}
            assert own["ranks"][rule] == {"a": ruled[HOSTILE], "b": ruled[ARABIC]}
    both = testset.only([HOSTILE, ARABIC])
    for name in ("r1", "r2"):
        (alone,) = compare(both.scored_with([name]), **ASKED).metrics["bleu"].pairs
        by_reference = data["bleu"]["references"][name]
        assert abs(by_reference["delta"]) == pytest.approx(abs(alone.delta))
        assert by_reference["p_value"] == alone.p_value
    for kind in ("segment", "document"):
        (alone,) = compare(both, unit=kind, **ASKED).metrics["bleu"].pairs
        by_unit = data["bleu"]["units"][kind]
        assert (by_unit["p_value"], by_unit["se"]) == (alone.p_value, pytest.approx(alone.se))


def test_domains_and_deciders_by_hand(testset, found):
    human = testset.scores["human"].by_system
    d = np.subtract(*(np.array(human[name], dtype=float) for name in (HOSTILE, ARABIC)))
    (own,) = (metric for metric in found.metrics if metric.result.metric == "human")
    pair = own.domains.pairs[0]
    sign = 1 if pair.a == HOSTILE else -1
    means = [np.nanmean(d[:12]), np.nanmean(d[12:])]
    assert [sign * part.delta for part in pair.domains] == pytest.approx(means)
    rows = json.loads(summary_json(found))["metrics"]["human"]["domains"]
    for row, mean in zip(rows, means, strict=True):
        assert row["delta"] == pytest.approx(mean)
        assert row["delta"] == pytest.approx(row["score_a"] - row["score_b"])
    sizes = [(row["n_segments"], row["n_documents"]) for row in rows]
    assert sizes == [(11, 6), (12, 6)]
    assert own.examination.n == 23

    def added(*lines):
        return np.nanmean(d) - np.nanmean(np.delete(d, lines))

    people = examine_dispute(testset, ["human"], a=HOSTILE, b=ARABIC, **ASKED)
    influence = np.array([0 if np.isnan(d[k]) else added(k) for k in range(N)])
    first, last = people.segments
    assert [segment.position for segment in first] == np.argsort(-influence)[:2].tolist()
    assert [segment.added for segment in last] == pytest.approx(np.sort(influence)[:2])
    by_document = [added(2 * k, 2 * k + 1) for k in range(12)]
    decider, largest = people.documents[0][0], np.argmax(by_document)
    assert decider.added == pytest.approx(by_document[largest])
    assert decider.name == f"{'news' if largest < 6 else 'speech'} · d{largest}"


def test_the_page_is_one_file_and_shows_names_and_texts_literally(found):
    code = report_html(summary_report(found, f"mtsig pair --a {shlex.quote(HOSTILE)}"))
    page = Page(code)
    assert not page.tags & {"script", "img", "link", "iframe", "a"} and "default-src 'none'" in code
    assert not re.search(r"(src|href)=", code) and "http" not in page.text
    assert found.testset.references["r1"][found.segments[0][0].position] in page.text
    assert HOSTILE in page.text and "<b>test</b>" in page.text and "\u202e" not in code
    for title in (
        "By each metric",
        "What this test set can detect",
        "Documents that move",
        "Segments that move",
        "How it was tested",
        "mtsig pair --a",
    ):
        assert title in page.text
    assert "<svg" in code and f"{summary_verdict(found)}." in page.text


def test_positive_is_better_for_the_first_whichever_way_a_metric_points(testset):
    one = examine_dispute(testset, ["ter", "bleu"], a=ARABIC, b=OTHER, **ASKED)
    assert [own.decision for own in one.metrics] == [1, 1]
    lines = [
        line
        for line in report_text(summary_report(one)).splitlines()
        if line.startswith(("TER ↓", "BLEU ↑"))
    ]
    assert all(line.split("  ")[0] and " +" in line for line in lines[:2])
    assert "by TER, BLEU" in summary_verdict(one)


def test_what_is_added_speaks_for_the_first_where_lower_is_better_too(testset):
    found = examine_dispute(testset, "ter", a=ARABIC, b=OTHER, **ASKED)

    def gain(segments):
        part = testset.take(segments)
        return -examine_pair(part, "ter", ARABIC, OTHER, trials=99, resamples=10).delta

    whole = gain(range(N))
    for units, index in ((found.documents, testset.document_index), (found.segments, range(N))):
        for side, sign in zip(units, (1, -1), strict=True):
            for unit in side:
                left = [k for k in range(N) if index[k] != unit.position]
                assert unit.added == pytest.approx(whole - gain(left))
                assert sign * unit.added > 0
    (first, *_), (_, *_) = found.documents
    assert json.loads(summary_json(found))["documents"][0]["added"] == first.added
    report = summary_report(found, "mtsig pair")
    assert f"{first.added:+.3g}" in report_text(report)
    assert f"{found.segments[0][0].added:+.3g}" in report_html(report)


def test_a_metric_that_cannot_compare_them_is_named_and_mistakes_are_messages(testset):
    one = examine_dispute(testset, ["bleu", "human"], a=ARABIC, b=OTHER, **ASKED)
    assert (
        list(one.not_compared) == ["human"] and f"No system '{OTHER}'" in one.not_compared["human"]
    )
    with pytest.raises(SettingError, match="No metric can compare"):
        examine_dispute(
            testset,
            ["human"],
            a=ARABIC,
            b=OTHER,
            comparison=compare(testset, ["bleu", "human"], **ASKED),
            **ASKED,
        )
    for a, b, told in (("X", None, "No system 'X'"), (OTHER, OTHER, "is given twice")):
        with pytest.raises(SettingError, match=told):
            examine_dispute(testset, "bleu", a=a, b=b, **ASKED)
    best = compare(testset, "bleu", **ASKED).metrics["bleu"].systems
    chosen = examine_dispute(testset, "bleu", **ASKED)
    assert (chosen.a, chosen.b) == (best[0].system, best[1].system)
