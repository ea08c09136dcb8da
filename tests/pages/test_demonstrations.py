"""The simulated test sets: which are offered, which page opens on which, and that a chosen one
stays.
"""

import argparse
import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from mtsig_core.cli.options import add_source_options, source_from
from mtsig_core.experiments import sampling
from mtsig_core.metrics import metric_title
from mtsig_core.report.commands import source_options
from mtsig_core.source import Source
from pages._ui import testsets
from tests.builders.apps import with_fewer
from tests.builders.screens import arguments, find_command, read_address, words

LARGE, TASK = "simulated corpus", "simulated shared task"
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def samples_without_draws(monkeypatch):
    """What is found on the large set is tested in `test_sampling_page.py` and with the core."""
    monkeypatch.setattr(
        sampling, "sampling", with_fewer(sampling.sampling, {"resamples": 39, "trials": 39})
    )


def test_all_are_offered_by_what_they_are(opened):
    page = opened("upload")
    assert page.selectbox(key="testset").options == [
        "simulated shared task",
        "simulated, 30,000 segments",
        "simulated, 300 segments",
        "simulated, 1,592 segments, 4 references",
    ]


@pytest.mark.parametrize("path, opens", [(None, TASK), ("upload", TASK), ("sampling", LARGE)])
def test_where_none_was_chosen_each_page_opens_on_what_it_needs(opened, path, opens):
    page = opened(path)
    assert page.selectbox(key="testset").value == opens
    assert "testset" not in page.query_params
    n_segments = "30,000" if opens == LARGE else "1,000"
    for said in (f"{opens} (seed 7)", f"{n_segments} segments"):
        assert said in words(page)


def test_a_chosen_set_stays_on_all_pages(opened):
    page = opened("upload")
    page.selectbox(key="testset").select(LARGE).run()
    page.selectbox(key="testset").select(TASK).run()  # which this page would open on by itself
    assert read_address(page)["testset"] == TASK
    for path in ("methods", "sampling", "summary"):
        page.switch_page(f"pages/{path}.py").run()
        assert page.selectbox(key="testset").value == TASK
        assert read_address(page)["testset"] == TASK


def test_what_the_dashboard_was_started_on_stays_too(opened):
    for path, source in (("methods", Source(demo=0)), ("sampling", Source(demo_task=True))):
        assert opened(path, source).selectbox(key="testset").value == source.title


@pytest.mark.long
def test_until_one_is_chosen_the_set_follows_the_page_and_what_was_said_of_it_stays_with_it(opened):
    page = opened("summary", exclude="Cedar-open")
    assert "11 systems" in words(page)
    page.switch_page("pages/sampling.py").run()
    assert page.selectbox(key="testset").value == LARGE
    assert "exclude" not in page.query_params
    assert "6 systems" in words(page)
    page.switch_page("pages/summary.py").run()
    assert page.selectbox(key="testset").value == TASK
    assert "11 systems" in words(page)


FOUR_REFERENCES = "simulated corpus, 1592 segments, 4 references"


@pytest.mark.parametrize(
    "path, asked, goes_to",
    [("sampling", {}, LARGE), ("papers", {"item": "zhang-table1"}, FOUR_REFERENCES)],
)
def test_pages_lead_to_the_set_that_they_need(opened, path, asked, goes_to):
    page = opened(path, Source(demo=300), **asked)
    key = f"demo.{goes_to}"
    page.button(key=key).click().run()
    assert page.selectbox(key="testset").value == goes_to
    assert read_address(page)["testset"] == goes_to
    assert "simulated" in words(page)
    assert key not in [button.key for button in page.button]  # it is here now


@pytest.mark.parametrize("source", testsets.DEMOS.values(), ids=lambda source: source.title)
def test_the_printed_command_opens_it_again(opened, source):
    page = opened("methods", testset=source.title)
    parser = argparse.ArgumentParser()
    add_source_options(parser)
    options, _ = parser.parse_known_args(arguments(find_command(page, "compare"))[1:])
    assert source_from(options) == source
    assert source_options(source)


PAPERS = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")


LINKS = re.findall(r"^    /(\w+)\?(\S+)$", PAPERS, re.MULTILINE)


@pytest.mark.parametrize(
    "path, query",
    [pytest.param(*link, marks=pytest.mark.long) if "pool" in link[1] else link for link in LINKS],
)
def test_the_links_of_the_page_on_papers_open_what_it_says(opened, path, query):
    """Table 1 of Zhang and Vogel with the numbers that the page of the docs has, and of Tables 5
    and 6 all rows.
    """
    asked = dict(parse_qsl(query, strict_parsing=True))
    page = opened(path, **asked)
    assert "1,592 segments" in words(page)
    if "pool" in asked:
        for size in (100, 500, 1_000, 2_000, 10_000, 100_000):
            assert f">{size:,}<" in words(page)
        return
    table = PAPERS.split("### Table 1, Figures 1 and 2")[1]
    title = metric_title(asked["metric"])
    ours = re.search(rf"\| {title} \| [^|]*\| ([\d.]+) \[(.*?), (.*?)\] \|", table)
    score, low, high = ours.groups()
    rows = re.findall(r"<tr>.*?</tr>", words(page))
    [row] = [row for row in rows if ">Spanish</td>" in row][:1]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", row)
    assert cells[-1] == f"[{low}%, {high}%]"
    assert float(cells[1]) == pytest.approx(float(score), abs=0.05)


def test_there_is_a_link_to_table_1_and_one_to_tables_5_and_6():
    assert [(path, "pool" in query) for path, query in LINKS] == [
        ("papers", False),
        ("bootstrap", True),
    ]
