"""The page Inside a score without a browser."""

import json
from html import unescape

import pytest

from mtsig_core.experiments.inside_score import (
    averages,
    factor,
    lengths,
    note_example,
    precisions,
    signatures,
    students_t,
    worked_example,
)
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from tests.builders import screens
from tests.builders.screens import NAMES, arguments, captions, copied, joined, shows, write, written


@pytest.fixture
def open_page(opened, source):
    return lambda source, view, **asked: opened("inside", source, inside=view, **asked)


@pytest.fixture
def source(tmp_path):
    """Three systems of hostile names, of which the second is good at short sentences."""
    ref = [" ".join(f"w{(k * 7 + i) % 50}" for i in range(5 + k % 20)) for k in range(120)]
    first = [
        " ".join(word if i % 4 else "x" for i, word in enumerate(text.split())) for text in ref
    ]
    second = [
        text if k % 20 < 6 else text.replace("w1", "y").replace("w3", "z")
        for k, text in enumerate(ref)
    ]
    return written(tmp_path, ref, (first, second, ref), [f"d{k // 4}" for k in range(120)])


@pytest.fixture
def ratings(tmp_path):
    lines = ["system\tline\tscore"] + [
        f"{s}\t{k}\t{(k * 7 + ord(s)) % 13}" for s in "AB" for k in range(1, 151)
    ]
    return Source(scores=(("human", write(tmp_path / "human.tsv", lines)),))


def words(page):
    return unescape(screens.words(page))


def command_of(page, view):
    """The options of the command on the page that prints a view."""
    return joined(arguments(next(line for line in copied(page) if f"mtsig metrics {view}" in line)))


def test_precisions(source, open_page):
    page = open_page(source, "sentence average", system=NAMES[0])
    assert len(page.get("plotly_chart")) >= 2
    assert command_of(page, "precisions")
    rows = precisions(source.read())
    row = next(row for row in rows if row.system == NAMES[0])
    precision = row.bleu / row.brevity_penalty
    product = f"brevity penalty {row.brevity_penalty:.3f} × precision {precision:.2f}"
    assert f"BLEU {row.bleu:.2f} = {product}" in words(page)
    assert shows(page, tables.precision_table(rows, False))


@pytest.mark.long
@pytest.mark.parametrize("simulated", [True, False])
def test_lengths(open_page, source, simulated):
    source, system = (Source(demo=300), "Danish") if simulated else (source, NAMES[1])
    page = open_page(source, "output length", system=system)
    assert f"--system-name={system}" in command_of(page, "lengths")
    assert shows(page, tables.length_table(lengths(source.read(), system=system)))
    assert ("word penalty" if simulated else "We keep only the first part") in captions(page)


def test_the_note_step_by_step(open_page, source):
    page, note = open_page(source, "step by step"), note_example()
    assert tables.formula(note) in words(page)
    assert command_of(page, "example")
    assert shows(page, tables.step_table(note))


def test_a_line_of_the_test_set_step_by_step(open_page, source):
    page = open_page(source, "step by step", sentence="of this test set", line="9", system=NAMES[0])
    one = worked_example(source.read(), NAMES[0], 9)
    assert f"sentence BLEU {one.bleu:.1f}" in words(page)
    assert tables.formula(one) in words(page)
    assert shows(page, tables.step_table(one))
    assert {"--line=9"} <= command_of(page, "example")
    page.number_input(key="line").set_value(10).run()
    assert {"--line=10"} <= command_of(page, "example")


def test_sentence_averages(open_page, source):
    page = open_page(source, "sentence average", seed="2")
    assert len(page.get("plotly_chart")) == 3
    assert "--seed=2" in command_of(page, "averages")
    found = averages(source.read(), seed=2)
    assert not found.disagreements
    assert "All 3 pairs keep their order" in words(page)
    assert shows(page, tables.average_table(found))
    assert shows(page, tables.case_table(found.case, "BLEU"))
    assert found.signature in captions(page)


def test_students_t(source, open_page):
    query = {"metric": "chrf", "alpha": "0.01", "seed": "3", "n": "30"}
    page = open_page(source, "Student's t", system=NAMES[0], **query)
    assert len(page.get("plotly_chart")) == 4
    result = students_t(source.read(), "chrf", system=NAMES[0], alpha=0.01, seed=3)
    last = result.rows[-1]
    half_width = rounded((last.t_high - last.t_low) / 2)
    assert f"120 segment scores, {last.mean:.2f}: Student's t ±{half_width}" in words(page)
    assert shows(page, tables.mean_interval_table(result))
    drawn = json.loads(page.get("plotly_chart")[3].proto.spec)
    notes = [note["text"] for note in drawn["layout"]["annotations"]]
    assert f"±{factor(30, 0.01):.4f}" in notes
    assert "--n=30" in joined(arguments(copied(page)[-1]))


def test_human_scores_beside_texts_leave_the_corpus_score_to_bleu(opened):
    page = opened("inside")
    said = words(page)
    assert "human is a mean" not in said
    assert "has the better corpus BLEU, and" in said
    assert len(page.get("plotly_chart")) == 2


def test_scores_without_texts(open_page, ratings):
    assert "human is a mean of segment scores" in words(open_page(ratings, "sentence average"))
    page = open_page(ratings, "Student's t", system="B")
    assert "Mean of 150 segment scores" in words(page)
    assert "bootstrap by document ±" not in words(page)
    assert "--system-name=B" in command_of(page, "students-t")


def test_signatures(open_page, source):
    page = open_page(source, "signatures", system=NAMES[1])
    assert command_of(page, "signatures")
    for row in signatures(source.read(), system=NAMES[1]):
        assert row.signature in words(page)
        assert f"<td>{row.bleu:.2f}</td>" in words(page)
