"""Single and simultaneous intervals side by side, wherever pairs are shown: each called by its
name.
"""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from mtsig_core import TestSet, compare, paper_sentences
from mtsig_core.figures import differences
from mtsig_core.figures.pair_plots import half_eye
from mtsig_core.report.pictures import differences_picture, differences_svg
from mtsig_core.report.sentences import list_caution_texts, name_simultaneous, state_answer
from mtsig_core.report.tables import leaderboard_table, pairs_table
from tests.builders.rendered import comparison_text
from tests.builders.results import find_pair
from tests.builders.toys import Given, bleu, bleu_counts, toy

COUNTS, _ = bleu_counts(seed=71, qualities=[0.4, 0.0, 0.15, -0.4], n_segments=200)


def compared(n_systems=4, higher_is_better=True, **settings):
    testset = toy(n_systems, 200)
    metric = Given(dict(zip(testset.systems, COUNTS, strict=False)), bleu, higher_is_better)
    return compare(testset, [metric], trials=199, resamples=199, **settings)


EVERY, DOWN, AGAINST_B, TWO = (
    compared(),
    compared(higher_is_better=False),
    compared(baseline="B"),
    compared(2),
)


def anchor_of(comparison):
    """Against whom systems are held, and how the columns begin that have it."""
    if comparison.settings.baseline:
        return comparison.settings.baseline, "vs_baseline"
    return comparison.metrics["given"].systems[0].system, "vs_best"


def seen(pair, sign=1):
    return sorted((sign * pair.ci_joint_low, sign * pair.ci_joint_high))


@pytest.mark.parametrize(
    "comparison, called",
    [
        (EVERY, "95% CI for all 6 pairs together"),
        (TWO, None),
        (AGAINST_B, "95% CI for all 3 pairs with the baseline together"),
        (compared(alpha=0.1), "90% CI for all 6 pairs together"),
    ],
)
def test_what_they_are_called(comparison, called):
    assert name_simultaneous(comparison.metrics["given"], comparison.settings) == called


@pytest.mark.parametrize("comparison", [EVERY, DOWN, AGAINST_B], ids=["up", "down", "baseline"])
class TestNumbers:
    def test_of_the_table_of_pairs(self, comparison):
        result = comparison.metrics["given"]
        table = pairs_table(result, comparison.settings).for_readers()
        assert table.titles[:4] == ["pair", "difference", "95% CI", "95% CI for all pairs"]
        assert [list(ends) for ends in table.values("ci_joint")] == [
            seen(pair, result.sign) for pair in result.pairs
        ]

    def test_of_the_leaderboard_and_the_figure_of_differences(self, comparison):
        result = comparison.metrics["given"]
        anchor, against = anchor_of(comparison)
        joint, single, *groups = differences(result, comparison.settings).data
        assert single.name == "95% CI"
        assert joint.name == name_simultaneous(result, comparison.settings)
        points = {}
        for group in groups:
            symbols = zip(group.customdata, group.x, group.marker.symbol, strict=True)
            for (place, _), x, symbol in symbols:
                points[result.systems[place].system] = (x, symbol)
        assert set(points) == {row.system for row in result.systems}
        rows = {
            row["system"]: row for row in leaderboard_table(result, comparison.settings).records()
        }
        assert rows.pop(anchor)[f"{against}_ci_joint_low"] is None
        for k, (name, row) in enumerate(rows.items()):
            pair = find_pair(result, anchor, name)
            sign = result.sign if pair.a == name else -result.sign
            drawn = slice(3 * k, 3 * k + 2)
            ends = [row[f"{against}_ci_joint_low"], row[f"{against}_ci_joint_high"]]
            assert ends == list(joint.x[drawn]) == seen(pair, sign)
            assert list(single.x[drawn]) == sorted((sign * pair.ci_low, sign * pair.ci_high))
            symbol = "circle" if pair.significant else "circle-open"
            assert points[name] == (sign * pair.delta, symbol)

    def test_of_the_differences_in_the_report(self, comparison):
        """Ends, dots and zero are to one scale: that of the records."""
        result = comparison.metrics["given"]
        anchor, against = anchor_of(comparison)
        svg = differences_svg(result, comparison.settings)
        assert svg in comparison.render("html")
        picture = ElementTree.fromstring(svg)
        lines = {"single": [], "together": [], "zero": []}
        for line in picture.iter("line"):
            kind = line.get("class")
            if kind == "zero" or (kind in lines and line.get("y1") == line.get("y2")):
                lines[kind].append((float(line.get("x1")), float(line.get("x2"))))
        dots = [dot for dot in picture.iter("circle") if dot.get("class").startswith("dot first")]
        records = leaderboard_table(result, comparison.settings).records()
        rows = [row for row in records if row["system"] != anchor]
        ((zero, _),) = lines["zero"]
        values, places = [0.0], [zero]
        for row, dot, single, together in zip(
            rows, dots, lines["single"], lines["together"], strict=True
        ):
            values.append(row[against])
            for kind in ("ci", "ci_joint"):
                values += [row[f"{against}_{kind}_low"], row[f"{against}_{kind}_high"]]
            places += [float(dot.get("cx")), *single, *together]
            is_filled = dot.get("class") == "dot first filled"
            assert is_filled == find_pair(result, anchor, row["system"]).significant
        slope, start = np.polyfit(values, places, 1)
        assert slope > 0
        np.testing.assert_allclose(places, start + slope * np.array(values), atol=0.11)

    def test_in_words(self, comparison):
        for text in (paper_sentences(comparison, "given"), comparison.render("latex")):
            assert (
                "for all pairs hold together at about" in text
                and "(max-T from 199 bootstrap resamples" in text
            )
        assert name_simultaneous(
            comparison.metrics["given"], comparison.settings
        ) in comparison.render("html")


def test_of_one_pair_only_the_single_one_is_shown():
    table = pairs_table(TWO.metrics["given"], TWO.settings).for_readers()
    assert not table.has("ci_joint") and table.titles[2] == "95% CI"
    for form in ("text", "latex", "html"):
        assert "simultaneous" not in TWO.render(form).lower()
    assert [trace.name for trace in TWO.figure("differences").data if trace.mode == "lines"] == [
        "95% CI"
    ]


def test_the_figure_of_a_pair_names_both():
    figure = half_eye(
        [],
        [],
        1.0,
        (0.2, 1.8),
        a="A",
        b="B",
        unit="BLEU",
        joint=(-0.1, 2.1),
        interval_names=("single 95% interval", "simultaneous 95% interval over all 6 pairs"),
    )
    single, joint = (
        next(t for t in figure.data if t.name and t.name.startswith(word))
        for word in ("single", "simultaneous")
    )
    assert list(single.x)[:2] == [0.2, 1.8] and list(joint.x)[:2] == [-0.1, 2.1]
    low, high = figure.layout.xaxis.range
    assert low < -0.1 and high > 2.1
    legend = (
        figure.layout.legend
    )  # whole in a saved picture with a wider font, too; a vertical one knows no width
    assert legend.entrywidth > 6.5 * len(joint.name) and legend.orientation == "h"
    assert max(joint.y[:2]) < min(single.y[:2])
    alone = half_eye([], [], 1.0, (0.2, 1.8), a="A", b="B", unit="BLEU")
    assert not any(trace.name for trace in alone.data) and not alone.layout.showlegend


def test_the_picture_of_the_summary_is_a_file_with_verdict_key_and_caveats():
    names = {"<b>A": ["a b c d e"] * 40, "B & C": ["a b c d"] * 40}
    found = compare(TestSet("toy", names, {"ref": ["a b c d e"] * 40}), trials=99, resamples=99)
    root = ElementTree.fromstring(differences_picture(found, "bleu"))
    said = " ".join(" ".join(root.itertext()).split())  # a caveat may go on in the next line
    assert state_answer(found, "bleu")[:60] in said and "does not mean equal" in said
    assert all(caveat[:40] in said for caveat in list_caution_texts(found, "bleu"))
    assert len(root.findall(".//{*}circle")) == 1


REFERENCE = [f"the cat number {k} sat on a mat" for k in range(12)]
WORSE = [f"no match {k} at all" for k in range(12)]


def compare_uncorrected(**systems):
    testset = TestSet("toy", systems, {"ref": REFERENCE})
    return compare(testset, "chrf", trials=99, resamples=50, correction="none")


def test_without_a_correction_p_is_one_column():
    found = compare_uncorrected(A=REFERENCE, B=WORSE, C=WORSE[::-1])
    (header,) = [line for line in comparison_text(found).splitlines() if line.startswith("pair  ")][
        :1
    ]
    assert re.search(r"  p  better", header) and not re.search("uncorrected|adjusted", header)


@pytest.mark.parametrize("first, is_significant", [(REFERENCE, True), (WORSE, False)])
def test_a_dash_is_explained_where_there_is_one(first, is_significant):
    found = compare_uncorrected(A=first, B=WORSE)
    (pair,) = found.metrics["chrf"].pairs
    assert pair.significant == is_significant
    assert ("a dash under" in comparison_text(found)) != is_significant
