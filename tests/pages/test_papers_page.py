"""The page Reproduce the papers without a browser."""

import pytest

from mtsig_core.experiments.sweeps import sweep_references, sweep_sizes, with_references
from mtsig_core.report import experiment_tables as tables
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.source import Source
from pages._sections.papers_sections import ITEMS, PAPERS
from tests.builders.screens import answers, copied, shows, words


@pytest.fixture
def open_page(opened):
    return lambda source, **query: opened("papers", source, **query)


def test_the_list_has_every_table_and_figure_by_paper(open_page):
    page = open_page(Source(demo=240))
    labels = [button.label for button in page.button]
    assert [item.title for item in ITEMS.values()] == [
        label for label in labels if label in {item.title for item in ITEMS.values()}
    ]
    assert {key.partition("-")[0] for key in ITEMS} == set(PAPERS)
    page.button(key="papers.koehn-table2").click().run()
    assert page.selectbox(key="item").value == "koehn-table2"
    assert shows(page, tables.factor_table())


@pytest.mark.parametrize(
    "item",
    [pytest.param(item, marks=[pytest.mark.long] * (k % 3 > 0)) for k, item in enumerate(ITEMS)],
)
def test_each_is_shown_with_its_command(open_page, item):
    page = open_page(Source(demo=240), item=item)
    assert 'role="alert"' not in words(page)
    assert copied(page)


@pytest.mark.long
def test_the_simulated_corpus_gets_references_beside_theirs(open_page):
    four = with_references(load_demo(100)).only(["Spanish"])
    page = open_page(
        Source(demo=100), item="zhang-table3", metric="nist", unit="segment", system="Spanish"
    )
    by_references = sweep_references(four, "nist", repeats=2, unit="segment")
    assert shows(page, tables.grid_table(by_references, "Spanish"))
    assert shows(page, tables.reference_table(by_references, "Spanish"))
    page = open_page(Source(demo=100), item="zhang-table2", unit="segment", system="Spanish")
    shares = sweep_sizes(four, "bleu", sizes=[0.1, 0.2, 0.5, 0.8, 1.0], repeats=100, unit="segment")
    assert shows(page, tables.size_table(shares, "Spanish"))
    assert page.caption[-1].value.startswith("Simulated, the first 100 segments in ")
    assert "--demo-segments 100 --demo-references 4 --only" in next(
        line for line in copied(page) if "--sizes 10%" in line
    )


@pytest.mark.long
def test_the_published_ranges_on_the_demonstration(open_page):
    page = open_page(Source(demo=30_000), item="koehn-figure2", system="Spanish")
    assert "(Koehn: 21 to 37); broad: " in answers(page)[0]
    assert any("Koehn: 21 to 37" in chart.proto.spec for chart in page.get("plotly_chart"))
    page = open_page(Source(demo=30_000), item="koehn-figure4", a="Spanish", b="Danish")
    assert "<td>65</td><td>0</td><td>35</td>" in words(page)
