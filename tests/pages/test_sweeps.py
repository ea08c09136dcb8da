"""The Sweeps page without a browser."""

import json
import shlex
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mtsig_core.__main__ import main
from mtsig_core.serving import SOURCE_VARIABLE
from mtsig_core.sources import Source

APP = Path(__file__).resolve().parents[2] / "app.py"
NAMES = ["<img src=x onerror=alert(1)>", "![](http://h/x.png)", "$x$ **b** :material/home:"]


def write(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def source(tmp_path):
    ref = [f"this is the sentence number {k} of the small test set" for k in range(60)]
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [text.replace("small test", "big") if k % 5 == 0 else text for k, text in enumerate(ref)]
    systems = zip(NAMES, (worse, mixed, ["nothing"] * 60), strict=True)
    return Source(ref=((None, write(tmp_path / "ref.txt", ref)),),
                  system=tuple((name, write(tmp_path / f"{k}.txt", lines)) for k, (name, lines) in enumerate(systems)),
                  docs=write(tmp_path / "docs.txt", [f"d{k // 4}" for k in range(60)]))


@pytest.fixture
def open_page(monkeypatch):
    def start(source, **query):
        monkeypatch.setenv(SOURCE_VARIABLE, source.to_json())
        monkeypatch.delenv("MTSIG_DATA_ROOT", raising=False)
        page = AppTest.from_file(str(APP), default_timeout=60)
        for key, value in {"repeats": "30", **query}.items():
            page.query_params[key] = value
        page.run()
        return page.switch_page("pages/sweeps.py").run()

    return start


def words(page):
    return "\n".join(element.proto.body for element in page.get("html"))


def answer(page):
    return next(e.proto.body for e in page.get("html") if 'class="mt-answer"' in e.proto.body)


def test_the_answer_comes_first_and_the_command_prints_it(open_page, source, capsys):
    page = open_page(source, seed="3", difference="5.0", power="0.9")
    assert not page.exception and len(page.get("plotly_chart")) == 3
    command = shlex.split(next(e.value for e in page.code if "sweep size" in e.value))
    assert main(command[3:]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]["bleu"]
    first = found["plan"][0]
    assert f"A difference of 5 BLEU is found 90% of the time with about {first['units']:,} documents" in answer(page)
    assert f"differ by {first['delta']:#.3g} here" in words(page)
    for row in found["plan"]:
        assert f"<td>{row['se']:#.3g}</td>" in words(page)
    for row in found["pairs"]:
        if (row["a"], row["b"]) == (first["a"], first["b"]):
            assert f"<td>{row['significant']:.0%}</td>" in words(page)


def test_the_better_system_comes_first_whatever_is_chosen(open_page, source):
    ends = []
    for a, b in ((NAMES[0], NAMES[1]), (NAMES[1], NAMES[0])):
        page = open_page(source, a=a, b=b, unit="segment")
        assert not page.exception
        ends.append(answer(page))
    assert ends[0] == ends[1] and "segments" in ends[0]
    assert "Segments of a document are taken as independent" in words(page)


def test_names_are_literal(open_page, source):
    page = open_page(source)
    assert "&lt;img src=x" in words(page) and "<img" not in words(page)
    assert not [e for e in [*page.markdown, *page.caption] if "onerror" in e.value or "![](" in e.value]


@pytest.mark.parametrize("metric", ["nist", "ter"])
def test_other_metrics(open_page, source, metric):
    page = open_page(source, metric=metric)
    assert not page.exception and metric.upper() in answer(page)
    assert any("Counted anew" in e.value for e in page.caption) == (metric == "nist")


@pytest.mark.parametrize("query, message", [({"unit": "block"}, "--unit segment"), ({"alpha": "0.001"}, "alpha 0.001")])
def test_what_cannot_be_done_is_said(open_page, source, query, message):
    page = open_page(source, **query)
    assert not page.exception and message in words(page)


def test_a_single_system(open_page, source):
    page = open_page(Source(ref=source.ref, system=source.system[:1]))
    assert not page.exception and "there is no pair" in words(page)
