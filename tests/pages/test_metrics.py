"""The Metrics page without a browser."""

import json
from html import unescape

import pytest

from mtsig_core.cli.main import main
from mtsig_core.experiments.inside_score import averages, lengths, precisions, students_t
from mtsig_core.report.cells import rounded
from mtsig_core.source import Source
from tests.pages import toys
from tests.pages.toys import NAMES, arguments, copied, write, written

VIEWS = ("n-gram precisions", "output length", "step by step", "sentence average", "Student's t", "signatures")


@pytest.fixture
def open_page(opened):
    return lambda source, view, **asked: opened("metrics", source, inside=view, **asked)


@pytest.fixture
def source(tmp_path):
    """Three systems of hostile names, of which the second is good at short sentences."""
    ref = [" ".join(f"w{(k * 7 + i) % 50}" for i in range(5 + k % 20)) for k in range(120)]
    first = [" ".join(word if i % 4 else "x" for i, word in enumerate(text.split())) for text in ref]
    second = [text if k % 20 < 6 else text.replace("w1", "y").replace("w3", "z") for k, text in enumerate(ref)]
    return written(tmp_path, ref, (first, second, ref), [f"d{k // 4}" for k in range(120)])


@pytest.fixture
def ratings(tmp_path):
    lines = ["system\tline\tscore"] + [f"{s}\t{k}\t{(k * 7 + ord(s)) % 13}" for s in "AB" for k in range(1, 151)]
    return Source(scores=(("human", write(tmp_path / "human.tsv", lines)),))


def words(page):
    return unescape(toys.words(page))


def printed(page, capsys):
    """What the first command on the page prints."""
    command = next(line for line in copied(page) if "mtsig metrics" in line)
    assert main(arguments(command)) == 0
    return next(iter(json.loads(capsys.readouterr().out)["metrics"].values()))


def test_precisions(open_page, source, capsys):
    page = open_page(source, VIEWS[0], system=NAMES[0])
    assert not page.exception and len(page.get("plotly_chart")) == 1
    row = next(row for row in precisions(source.read()) if row.system == NAMES[0])
    assert (f"BLEU {row.bleu:.2f} = brevity penalty {row.brevity_penalty:.3f} × precision "
            f"{row.bleu / row.brevity_penalty:.2f}") in words(page)
    assert all(f"<td>{part['p3']:.1f}</td>" in words(page) for part in printed(page, capsys)["systems"])
    assert "Table 1" not in "".join(element.value for element in page.caption)


def test_the_published_precisions_on_the_demonstration(open_page):
    page = open_page(Source(demo=30_000), VIEWS[0], system="Finnish")
    assert not page.exception and "8.2 (7.8)" in words(page) and "56.2 (56.1)" in words(page)
    assert any("Koehn (2004), Table 1" in element.value for element in page.caption)


@pytest.mark.parametrize("simulated", [True, False])
def test_lengths(open_page, source, capsys, simulated):
    source = Source(demo=300) if simulated else source
    page = open_page(source, VIEWS[1], system="Danish" if simulated else NAMES[1])
    assert not page.exception
    found = lengths(source.read(), system="Danish" if simulated else NAMES[1])
    points = printed(page, capsys)["points"]
    assert [point["bleu"] for point in points] == [point.bleu for point in found.points]
    assert all(f"<td>{point.gtm:.2f}</td>" in words(page) for point in found.points)
    assert any(("word penalty" if simulated else "Truncation cannot lengthen") in e.value for e in page.caption)


def test_the_note_step_by_step(open_page, source, capsys):
    page = open_page(source, VIEWS[2])
    assert not page.exception and "BLEU-2 = 0.8465 x (3/6 x 1/5)^(1/2) = 0.268" in words(page)
    for text in ("6/7 = 0.8571", "0.2677", "0.085", "Israeli officials (1)"):
        assert text in words(page)
    assert round(printed(page, capsys)["steps"][1]["bleu"], 3) == 0.268


def test_a_line_of_the_test_set_step_by_step(open_page, source, capsys):
    page = open_page(source, VIEWS[2], sentence="of this test set", line="9", system=NAMES[0])
    assert not page.exception and "What the note gets wrong" not in [element.value for element in page.subheader]
    found = printed(page, capsys)
    assert found["line"] == 9 and found["system"] == NAMES[0] and f"sentence BLEU {found['bleu']:.1f}" in words(page)
    step = found["steps"][1]
    for cell in (f"{step['matched']}/{step['total']}", f"{step['bleu']:.3f}"):
        assert f"<td>{cell}</td>" in words(page)
    last = [step["bleu"] for step in found["steps"] if step["bleu"] > 0][-1]
    assert f" = {last:.3f}<" in words(page)
    page.number_input(key="line").set_value(10).run()
    assert printed(page, capsys)["line"] == 10


def test_a_line_kept_from_a_longer_test_set_is_dropped(open_page, source):
    page = open_page(source, VIEWS[2], sentence="of this test set")
    page.session_state["line"] = 999
    page.run()
    assert not page.exception and page.number_input(key="line").value == 1


def test_sentence_averages(open_page, source, capsys):
    page = open_page(source, VIEWS[3], seed="2")
    assert not page.exception and len(page.get("plotly_chart")) == 2
    found = averages(source.read(), seed=2)
    assert f"{len(found.disagreements)} of 3 pairs change order" in words(page) and found.case is not None
    data = printed(page, capsys)
    assert tuple(data["case"]["lines"]) == found.case.lines
    assert all(f">line {line}</td>" in words(page) for line in found.case.lines)
    assert any(found.signature in element.value for element in page.caption)


@pytest.mark.parametrize("query", [{}, {"metric": "chrf", "alpha": "0.01", "seed": "3", "n": "30"}])
def test_students_t(open_page, source, capsys, query):
    page = open_page(source, VIEWS[4], system=NAMES[0], **query)
    assert not page.exception and len(page.get("plotly_chart")) == 2
    found = students_t(source.read(), query.get("metric", "bleu"), system=NAMES[0],
                       alpha=float(query.get("alpha", 0.05)), seed=int(query.get("seed", 0)))
    last = found.rows[-1]
    half = (last.t_high - last.t_low) / 2
    assert f"Mean of 120 segment scores, {last.mean:.2f}: Student's t ±{rounded(half)}" in words(page)
    assert f"by document ±{rounded((found.document_high - found.document_low) / 2)}" in words(page)
    assert printed(page, capsys)["rows"][-1]["boot_low"] == last.boot_low
    assert "1.9849  (right: 1.9842)" in words(page)
    command = copied(page)[1]
    assert main(arguments(command)) == 0
    density = next(iter(json.loads(capsys.readouterr().out)["metrics"].values()))["density"]
    drawn = json.loads(page.get("plotly_chart")[1].proto.spec)
    assert density["n"] == int(query.get("n", 5))
    assert f"±{density['factor']:.4f}" in [note["text"] for note in drawn["layout"]["annotations"]]


def test_scores_without_texts(open_page, ratings, capsys):
    for view in (*VIEWS[:3], VIEWS[5]):
        assert "segment scores without texts" in words(open_page(ratings, view))
    assert "human is a mean of segment scores" in words(open_page(ratings, VIEWS[3]))
    page = open_page(ratings, VIEWS[4], system="B")
    assert not page.exception and "Mean of 150 segment scores" in words(page)
    assert "bootstrap by document ±" not in words(page)
    assert printed(page, capsys)["system"] == "B"


def test_signatures(open_page, source, capsys):
    page = open_page(source, VIEWS[5], system=NAMES[1])
    assert not page.exception
    for row in printed(page, capsys)["scores"]:
        assert row["signature"] in words(page) and f"<td>{row['bleu']:.2f}</td>" in words(page)
