"""The Validation page without a browser."""

import json
import shlex

import pytest
from streamlit.testing.v1 import AppTest

from mtsig_core.__main__ import main
from mtsig_core.experiments.type_one import type_one
from mtsig_core.serving import SOURCE_VARIABLE
from mtsig_core.sources import Source
from mtsig_core.validation_tables import percent_of
from tests.pages.toys import APP


@pytest.fixture
def open_page(monkeypatch):
    def start(source, **query):
        monkeypatch.setenv(SOURCE_VARIABLE, source.to_json())
        monkeypatch.delenv("MTSIG_DATA_ROOT", raising=False)
        monkeypatch.setattr("pages._ui.background.PATIENCE", 60)
        page = AppTest.from_file(str(APP), default_timeout=60)
        for key, value in {"pairs": "200", **query}.items():
            page.query_params[key] = value
        page.run()
        return page.switch_page("pages/validation.py").run()

    return start


def words(page):
    return "\n".join(element.proto.body for element in page.get("html"))


def test_type_one_errors_are_those_of_the_core_and_of_the_command(open_page, capsys):
    source = Source(demo=240)
    page = open_page(source)
    assert not page.exception
    found = type_one(source.read(), "bleu", n_pairs=200)
    assert f"approximate randomization rejects {percent_of(found.rows[0].rejected)}" in words(page)
    for row in found.rows:
        assert f">{percent_of(row.rejected)}</td>" in words(page)
    command = shlex.split(next(e.value for e in page.code if "validate type1" in e.value))
    assert main(command[3:]) == 0
    printed = json.loads(capsys.readouterr().out)["metrics"]["bleu"]["rows"]
    assert [row["rejected"]["count"] for row in printed] == [row.rejected.count for row in found.rows]


@pytest.mark.parametrize("experiment, text", [
    ("conclusions", "comparisons on samples, "), ("coverage", "hold the true one in"),
    ("many comparisons", "15 equal systems, 105 comparisons")])
def test_the_other_experiments(open_page, experiment, text):
    page = open_page(Source(demo=240), experiment=experiment)
    assert not page.exception and text in words(page)
    assert len(page.get("plotly_chart")) == 1 and any("mtsig_core validate" in e.value for e in page.code)
    assert "Koehn (2004), Table 3" not in "".join(e.value for e in page.caption)  # not the corpus of the paper


def test_too_short_a_test_set_says_so(open_page):
    page = open_page(Source(demo=120), experiment="conclusions")
    assert not page.exception and "120 segments give no two samples of 100" in words(page)
