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
    assert read_address(page).get("testset") is None
    said = words(page)
    assert f"{opens} (seed 7)" in said
    assert ("30,000 segments" if opens == LARGE else "1,000 segments") in said


@pytest.mark.parametrize("chosen", [TASK])
def test_a_chosen_set_stays_on_all_pages(opened, chosen):
    page = opened("upload")
    page.selectbox(key="testset").select(LARGE).run()
    page.selectbox(key="testset").select(
        chosen
    ).run()  # also one that this page would open on by itself
    assert read_address(page).get("testset") == chosen
    for path in ("methods", "sampling", "summary"):
        page.switch_page(f"pages/{path}.py").run()
        assert page.selectbox(key="testset").value == chosen
        assert read_address(page).get("testset") == chosen


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


@pytest.mark.parametrize(
    "path, source, key, goes_to",
    [
        ("sampling", Source(demo=300), "demo.simulated corpus", LARGE),
        (
            "papers",
            Source(demo=300),
            "demo.simulated corpus, 1592 segments, 4 references",
            "simulated corpus, 1592 segments, 4 references",
        ),
    ],
)
def test_pages_lead_to_the_set_that_they_need(opened, path, source, key, goes_to):
    page = opened(path, source, **({"item": "zhang-table1"} if path == "papers" else {}))
    page.button(key=key).click().run()
    assert page.selectbox(key="testset").value == goes_to
    assert read_address(page).get("testset") == goes_to
    assert "simulated" in words(page)
    assert not [button for button in page.button if button.key == key]  # it is here now


@pytest.mark.parametrize("source", testsets.DEMOS.values(), ids=lambda source: source.title)
def test_the_printed_command_opens_it_again(opened, source):
    page = opened("methods", testset=source.title)
    command = arguments(find_command(page, "compare"))
    parser = argparse.ArgumentParser()
    add_source_options(parser)
    asked, _ = parser.parse_known_args(command[1:])
    assert source_from(asked) == source
    assert source_options(source)


LINKS = re.findall(
    r"^    /(\w+)\?(\S+)$", (ROOT / "docs" / "papers.md").read_text(encoding="utf-8"), re.MULTILINE
)


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
        assert all(
            f">{size:,}<" in words(page) for size in (100, 500, 1_000, 2_000, 10_000, 100_000)
        )
        return
    told = (
        (ROOT / "docs" / "papers.md")
        .read_text(encoding="utf-8")
        .split("### Table 1, Figures 1 and 2")[1]
    )
    ours = re.search(
        rf"\| {metric_title(asked['metric'])} \| [^|]*\| ([\d.]+) \[(.*?), (.*?)\] \|", told
    )
    cells = re.findall(
        r"<td[^>]*>([^<]*)</td>",
        next(row for row in re.findall(r"<tr>.*?</tr>", words(page)) if ">Spanish</td>" in row),
    )
    assert cells[-1] == f"[{ours[2]}%, {ours[3]}%]"
    assert float(cells[1]) == pytest.approx(float(ours[1]), abs=0.05)


def test_there_is_a_link_to_table_1_and_one_to_tables_5_and_6():
    assert [(path, "pool" in query) for path, query in LINKS] == [
        ("papers", False),
        ("bootstrap", True),
    ]
