"""The HTML report: one file, complete, and nothing in a name is a tag."""

import re
from itertools import pairwise
from xml.etree import ElementTree

from mtsig_core import Caution, TestSet, compare
from mtsig_core.report.palette import width
from mtsig_core.report.pictures import forest_svg
from mtsig_core.report.sentences import state_verdict
from tests.builders.markup import Page
from tests.builders.rendered import comparison_html
from tests.builders.results import SETTINGS, comparison
from tests.builders.toys import toy

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&amp;",
    "</style>",
    "a\nb",
    "\u202eabc",
    "系统",
    "\udc80",
]


def test_answer_comes_first_and_everything_is_there():
    code = comparison_html(comparison(warnings=[Caution("several-metrics", {"n": 3})]))
    text = Page(code).text
    parts = [
        "Comparison of systems on set",
        state_verdict(comparison(), "bleu"),
        "BLEU: systems",
        "You compare 3 metrics",
        "BLEU: pairs",
        "For a paper",
        "We compared 3 systems",
        "Settings",
        "Romano-Wolf",
        "BLEU signature",
        "tok:13a",
    ]
    places = [text.rindex(part) if part == "Settings" else text.index(part) for part in parts[:8]]
    assert places == sorted(places)
    assert all(part in text for part in parts)
    assert "imulated" not in text


def test_needs_nothing_else():
    page = Page(comparison_html(comparison()))
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    assert not {"src", "href", "style", "onclick"} & {name for name, _ in page.attributes}
    assert "url(" not in comparison_html(comparison()) and "@import" not in comparison_html(
        comparison()
    )
    assert any("default-src 'none'" in (value or "") for _, value in page.attributes)


def test_names_are_text():
    outputs = {name: [f"a b c {k}"] * 5 for k, name in enumerate(HOSTILE)}
    testset = TestSet(HOSTILE[0], outputs, {HOSTILE[1]: ["a b c d"] * 5})
    code = comparison_html(compare(testset, trials=99, resamples=50))
    page = Page(code)
    assert not page.tags & {"script", "img"}
    assert {*HOSTILE[:4], "a\\nb", "\\u202eabc", "系统", "\\udc80"} <= set(page.cells)
    assert code.encode("utf-8")


def test_figures_have_every_name_whole_and_nothing_on_top_of_another():
    names = ["n" * 300, "MANY CAPITALS " * 8, "系统" * 40, "B"]
    testset = TestSet(
        "set",
        {name: [f"a b c d {'x' * k}"] * 30 for k, name in enumerate(names)},
        {"ref": ["a b c d e"] * 30},
    )
    result = compare(testset, trials=99, resamples=50).metrics["bleu"]
    picture = ElementTree.fromstring(forest_svg(result, SETTINGS))
    labels = [text for text in picture.iter("text") if len(text)]
    said = ["".join(label.itertext()).strip() for label in labels]
    assert all(
        text.endswith(row.system.strip()) for text, row in zip(said, result.systems, strict=True)
    )
    heights = [float(line.get("y")) for label in labels for line in label]
    assert min(b - a for a, b in pairwise(heights)) >= 14 and max(heights) < float(
        picture.get("height")
    )
    for label in labels:
        assert all(0.65 * 14 * width(line.text) < float(line.get("x")) for line in label)


def test_figures_have_the_numbers():
    page = comparison_html(comparison())
    assert re.findall('<td class="mark">(.*?)</td>', page) == [
        "+10.00",
        "+9.50",
    ]  # +0.50 is not significant
    assert page.count("<svg") == 1 and page.count('class="dot first filled"') == 1
    assert page.count('class="dot"') == 1 and page.count('class="dot filled"') == 1
    shares = compare(toy(3, 5), test="koehn", trials=99, resamples=50)
    assert "share of resamples that the better system wins" in comparison_html(shares)
