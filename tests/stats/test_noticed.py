"""Whether people notice a difference, against what the tool of the curves prints."""

import json
import math
from dataclasses import replace

import pytest

from mtsig_core import TestSet, compare
from mtsig_core.report.noticed_words import tile_people
from mtsig_core.stats.noticed import find_curve, read_curves
from mtsig_core.stats.power import choose_difference

#: What mt-thresholds 1.0.4 prints: by curve a difference, its accuracy in percent, and the
#: difference of accuracy 0.8.
PRINTED = {
    "bleu": (0.5, 54.634, 2.340),
    "chrf": (0.5, 59.128, 1.631),
    "spBLEU101": (1, 65.930, 2.265),
    "spBLEU200": (1, 62.941, 2.456),
    "bleurt-default": (2, 69.010, 3.429),
    "bleurt-20": (0.5, 65.407, 1.073),
    "bertscore": (0.3, 65.643, 0.624),
    "comet20": (1, 65.611, 2.105),
    "comet22": (0.3, 67.427, 0.563),
    "comet21qe": (0.02, 66.060, 0.041),
    "cometkiwi22": (0.3, 68.559, 0.531),
    "cometkiwi23-xl-src": (0.5, 69.401, 0.839),
    "cometkiwi-xxl": (0.7, 68.374, 1.244),
    "xcomet-XL": (0.7, 70.927, 1.083),
    "xcomet-XXL": (0.7, 68.559, 1.239),
    "metricx-23-large": (0.03, 64.353, 0.067),
    "metricx-23-qe-large": (0.05, 67.135, 0.096),
}


def test_curves_are_those_of_the_tool():
    curves = read_curves()
    assert curves.keys() == PRINTED.keys()
    for name, (difference, percent, noticed) in PRINTED.items():
        curve = curves[name]
        assert 100 * curve.share_who_notice(difference) == pytest.approx(percent, abs=0.02), name
        assert curve.find_difference() == pytest.approx(noticed, abs=0.002), name


@pytest.mark.parametrize(
    ("metric", "signature", "scores", "curve"),
    [
        ("bleu", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp", [30.0], ("bleu", 1)),
        ("bleu", "nrefs:1|case:mixed|tok:flores200|smooth:exp", [30.0], ("spBLEU200", 1)),
        ("bleu", "nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp", [30.0], None),
        ("bleu", "nrefs:1|case:lc|eff:no|tok:13a|smooth:exp", [30.0], None),
        ("bleu", "nrefs:1|case:mixed|tok:zh|smooth:exp", [30.0], None),
        ("chrf++", "nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no", [50.0], None),
        ("COMET-22", "scores:", [0.85, 0.1], ("comet22", 100)),
        ("Unbabel/wmt22-comet-da", "scores:", [85.0, 10.0], ("comet22", 1)),
        ("comet22", "scores:", [3.0], None),  # of 1, or of 100?
        ("comet", "scores:", [0.85], None),  # of which year?
        ("XCOMET-XL-refA", "scores:", [0.9], ("xcomet-XL", 100)),
        ("CometKiwi-XL[noref]", "scores:", [0.7], ("cometkiwi23-xl-src", 100)),
        ("google/metricx-23-large-v2p0", "scores:", [3.0], ("metricx-23-large", 1)),
        ("MetricX-23-QE-Large", "scores:", [-3.0], ("metricx-23-qe-large", 1)),
        ("metricx-23-large", "scores:", [80.0], None),
        ("MetricX-24-Hybrid-XL", "scores:", [3.0], None),
        ("esa", "scores:", [80.0], None),
    ],
)
def test_name_and_scale_decide_which_curve_it_is(metric, signature, scores, curve):
    found = find_curve(metric, signature, scores)
    if curve is None:
        assert found is None
        return
    name, scale = curve
    assert found == replace(read_curves()[name], scale=scale)


SET = TestSet(
    "set",
    {
        "A": ["a b c d e f"] * 39 + ["a b c d e x"],
        "B": ["a b c d e f"] * 30 + ["a b c d x y"] * 10,
        "C": ["a b c d e f"] * 30 + ["a b c d x y"] * 10,
    },
    {"ref": ["a b c d e f"] * 40},
)


def test_a_comparison_has_the_share_of_each_pair():
    comparison = compare(SET, ["bleu", "chrf++"], trials=99, resamples=99)
    result, uncurved = comparison.metrics.values()
    shares = {(pair.a, pair.b): pair.people_agree for pair in result.pairs}
    assert shares.pop(("B", "C")) is None  # they score the same
    for pair in result.pairs[:2]:
        expected = 0.8833 / (1 + math.exp(-0.9664 * pair.delta))
        assert shares[pair.a, pair.b] == pytest.approx(expected)
    assert all(pair.people_agree is None for pair in uncurved.pairs)
    assert not any(map(tile_people, uncurved.pairs))
    assert tile_people(result.pairs[0])[1] == "88%"
    pairs = json.loads(comparison.render("json"))["metrics"]["bleu"]["pairs"]
    assert [pair["people_agree"] for pair in pairs] == [pair.people_agree for pair in result.pairs]
    for form in ("text", "latex", "markdown", "html"):
        assert comparison.render(form).count("88\\%" if form == "latex" else "88%") == 2


def test_a_plan_begins_with_what_people_notice():
    comparison = compare(SET, ["bleu", "chrf++"], trials=99, resamples=99)
    assert choose_difference(comparison.metrics["bleu"]) == 2.3
    assert choose_difference(comparison.metrics["chrf++"]) == 5.0  # as without a curve
