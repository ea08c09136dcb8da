"""The HTML report: one file, complete, and nothing in a name is a tag."""

import dataclasses
from html.parser import HTMLParser

import pytest

from mtsig_core import Caution, TestSet, compare
from mtsig_core.html_report import comparison_html
from tests.test_outputs import comparison, result
from tests.toys import toy

HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "&amp;", "</style>", "a\nb", "\u202eabc",
           "系统", "\udc80"]


class Page(HTMLParser):
    """Tags, attributes, and the text by tag, of a page whose tags are nested properly."""

    def __init__(self, code):
        super().__init__()
        self.open, self.tags, self.attributes, self.cells, self.text = [], set(), [], [], ""
        self.feed(code)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["td"]:
            self.cells[-1] += data
        if self.open[-1:] != ["style"]:
            self.text += data


def test_answer_comes_first_and_everything_is_there():
    code = comparison_html(comparison(warnings=[Caution("x", "Mind the gap.")]))
    text = Page(code).text
    parts = ["Comparison of systems on set", "Tied for first: A, B", "BLEU: systems", "Mind the gap.", "BLEU: pairs",
             "for a paper", "We compared 3 systems", "Settings", "romano-wolf", "BLEU signature", "tok:13a"]
    places = [text.rindex(part) if part == "Settings" else text.index(part) for part in parts[:8]]
    assert places == sorted(places)
    assert all(part in text for part in parts)
    assert "imulated" not in text


def test_tables_hold_the_numbers():
    cells = Page(comparison_html(comparison())).cells
    assert cells[:9] == ["1-2", "A", "30.00", "[29.00, 31.00]", "-", "-", "1", "1", "0"]
    assert cells[27:33] == ["A - B", "+0.50", "[-0.50, +1.50]", "0.4000", "0.4000", "-"]


def test_needs_nothing_else():
    page = Page(comparison_html(comparison()))
    assert not page.tags & {"script", "link", "img", "iframe", "object", "form", "a", "base"}
    assert not {"src", "href", "style", "onclick"} & {name for name, _ in page.attributes}
    assert "url(" not in comparison_html(comparison()) and "@import" not in comparison_html(comparison())
    assert any("default-src 'none'" in (value or "") for _, value in page.attributes)


def test_light_and_dark():
    assert "prefers-color-scheme: dark" in comparison_html(comparison())


def test_names_are_text():
    testset = TestSet(HOSTILE[0], {name: [f"a b c {k}"] * 5 for k, name in enumerate(HOSTILE)},
                      {HOSTILE[1]: ["a b c d"] * 5})
    code = comparison_html(compare(testset, trials=99, resamples=50))
    page = Page(code)
    assert page.tags <= {"html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "p", "small", "br",
                         "div", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "dl", "dt", "dd",
                         "code"}
    assert {"<script>alert(1)</script>", "&amp;", "a\\nb", "\\u202eabc", "系统", "\\udc80"} <= set(page.cells)
    assert code.encode("utf-8")


def test_simulated_is_said():
    given = comparison()
    simulated = dataclasses.replace(given, testset=dataclasses.replace(given.testset, simulated=True))
    assert "Simulated" in Page(comparison_html(simulated)).text


@pytest.mark.parametrize("n_systems,settings,expected", [
    (1, {}, "A scores"), (3, {"test": "koehn"}, "The test decides 0 of 3 pairs"),
    (3, {"baseline": "B"}, "vs baseline")])
def test_other_designs(n_systems, settings, expected):
    page = Page(comparison_html(compare(toy(n_systems, 5), trials=99, resamples=50, **settings)))
    assert expected in page.text
    assert ("details" in page.tags) == (n_systems > 1)


def test_many_pairs_are_folded_away():
    few, many = (comparison_html(compare(toy(n, 5), trials=99, resamples=50)) for n in (3, 9))
    assert "<details open>" in few and "<details>" in many and "36 pairs" in many


def test_lower_is_better_is_said():
    assert "lower is better" in Page(comparison_html(comparison(result(higher_is_better=False)))).text
