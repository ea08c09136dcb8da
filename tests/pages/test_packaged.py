"""Metrics of an installed package on a page."""

import pytest

from mtsig_core.metrics.registry import find_packaged
from tests.builders import plugin_package
from tests.builders.screens import offered, words

CODE = """
def same_start(output, reference):
    return output.split()[:1] == reference.split()[:1]
"""


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    points = "[mtsig.metrics]\nsame-start = plugin:same_start\nbroken = plugin:nothing\n"
    plugin_package.install(tmp_path, monkeypatch, code=CODE, entry_points=points)
    yield
    find_packaged.cache_clear()


def test_they_are_in_the_menu(opened, source, packaged):
    page = opened("summary", source, metric="same-start")
    menu = page.selectbox(key="metric")
    assert {"BLEU", "same-start", "broken"} <= set(menu.options)
    assert "same-start" in words(page)
    assert "plugin.same_start(output,reference)" in offered(page)["For a paper, with its caveats"]
    menu.select("broken").run()
    assert "Metric broken cannot be made from plugin:nothing" in words(page)
