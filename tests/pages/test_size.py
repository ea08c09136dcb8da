"""The page Test-set size without a browser."""

import json
import re
from dataclasses import replace

import pytest

from mtsig_core.experiments import sweeps
from mtsig_core.experiments.sweeps import count_detections, sweep_references, sweep_sizes
from mtsig_core.report.experiment_tables import (
    detection_table,
    plan_table,
    reference_table,
    width_table,
)
from mtsig_core.source import Source
from mtsig_core.stats.power import plan
from pages._sections import size_sections
from tests.builders.growing import follow_growth
from tests.builders.screens import (
    NAMES,
    answers,
    arguments,
    copied,
    joined,
    shows,
    words,
    write,
)


@pytest.fixture
def open_page(opened):
    return lambda source, **asked: opened("size", source, **asked)


def answer(page):
    return answers(page)[0]


def command_of(page, what):
    """The options of the last command on the page that has these."""
    return joined(arguments([line for line in copied(page) if what in line][-1]))


def test_the_answer_comes_first_and_the_tables_are_those_of_the_core(source, open_page):
    asked = {"seed": "3", "difference": "5.0", "power": "0.9", "sizes": "5, 100%"}
    page = open_page(source, **asked)
    assert len(page.get("plotly_chart")) == 1
    swept = sweep_sizes(source.read(), "bleu", sizes=[5, 1.0], repeats=30, seed=3)
    planned = plan(swept, 5.0, 0.9)
    first = planned[0]
    assert f"A difference of 5 BLEU takes about {first.size.units:,} documents" in answer(page)
    assert "to be found 90% of the time<" in answer(page)
    assert shows(page, plan_table(planned, 5.0, "BLEU", "documents"))
    assert shows(page, detection_table(count_detections(swept, first.a, first.b, 5.0)))
    options = {"--difference=5", "--power=0.9", "--seed=3", "--sizes=5,100%"}
    assert options <= command_of(page, "--difference")
    page = open_page(source, **asked, tested="3")
    assert f"about {first.size_family.units:,} documents" in answer(page)
    assert "when 3 pairs are tested<" in answer(page)


def test_scores_and_intervals_by_size_have_a_tab(open_page, source):
    page = open_page(source, seed="3", sizes="5, 100%", tab="Scores and intervals by size")
    assert len(page.get("plotly_chart")) == 3
    swept = sweep_sizes(source.read(), "bleu", sizes=[5, 1.0], repeats=30, seed=3)
    mine = page.selectbox(key="a").value
    assert shows(page, width_table([row for row in swept.systems if row.system == mine]))


@pytest.mark.parametrize(
    ("shift", "said"),
    [(0, "score the same on all documents"), (3, "differ by the same 3.00 human on all documents")],
)
def test_of_two_whose_difference_never_varies_nothing_is_planned(tmp_path, shift, said, open_page):
    rows = ["system\tline\tscore\tdocid"]
    for k in range(60):
        score = 70 + k * 7 % 11
        rows += [f"A\t{k + 1}\t{score + shift}\td{k // 2}", f"B\t{k + 1}\t{score}\td{k // 2}"]
    source = Source(scores=(("human", write(tmp_path / "human.tsv", rows)),))
    page = open_page(source, sizes="10, 100%")
    assert f"A and B {said}: nothing varies, and there is nothing to plan<" in answer(page)
    for absent in ("no test set of any size", "finds 0.00", "among 1 pairs"):
        assert absent not in words(page)
    assert not page.get("plotly_chart")  # no curve


def read_curve(page):
    """The curve, its dots, and what is written beside the size that is needed."""
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    curve, dots, *_ = figure["data"]
    return curve["y"], dots["y"], figure["layout"]["annotations"][-1]["text"]


def test_headline_curve_and_dots_follow_the_difference_that_is_dragged(source, open_page):
    page = open_page(source, unit="document", sizes="ten sizes")
    curve, dots, size = read_curve(page)
    assert "A difference of 2.3 BLEU takes" in answer(page)
    page.slider(key="difference").set_value(8.0).run()
    assert "A difference of 8 BLEU takes" in answer(page)
    steeper, more, smaller = read_curve(page)
    assert all(b > a for a, b in zip(curve, steeper, strict=True))
    assert sum(more) > sum(dots)
    for text in (size, smaller):
        assert text.startswith(("<b>about", "<b>←"))
    needed = re.search(r"about [\d,]+ documents", answer(page))[0]
    assert needed in smaller
    assert needed not in size


@pytest.mark.long
def test_the_curve_grows_and_no_half_of_it_passes_for_the_whole(source, monkeypatch, open_page):
    """Each size waits until the page has drawn the one before."""
    said = []
    grown = follow_growth(monkeypatch, sweeps, "sweep_sizes")
    monkeypatch.setattr(size_sections.screen, "answer", said.append)
    page = open_page(source, sizes="5, 8, 100%", seed="11")
    told = [alt[:28] for _, alt in grown]
    assert told == [f"Test sets of {k} of 3 sizes ar" for k in range(4)]
    whole = json.loads(page.get("plotly_chart")[0].proto.spec)
    dots = [trace for trace in whole["data"] if trace["mode"] == "markers"]
    shares = [share for trace in dots[::2] for share in trace["y"]]
    for n_drawn, (figure, _) in enumerate(grown):
        planned, *more = figure.data
        dots = [trace for trace in more if trace.mode == "markers"]
        assert list(planned.y) == whole["data"][0]["y"]
        assert [share for trace in dots[::2] for share in trace.y] == shares[:n_drawn]
        assert list(figure.layout.xaxis.range) == whole["layout"]["xaxis"]["range"]
        assert ("still being<br>drawn" in str(figure.layout.annotations)) == (n_drawn < 3)
    assert len(said) == 5
    assert len(set(said)) == 1  # the headline is of the whole set from the first
    assert "so far" not in words(page)
    assert len(page.get("plotly_chart")) == 1


@pytest.fixture
def several(source):
    """The same with a second reference, equal to the mixed output."""
    return replace(source, ref=(*source.ref, ("other", source.system[1][1])))


def test_references_have_a_tab(open_page, several):
    page = open_page(several, drawn="segment", b=NAMES[0], a=NAMES[1], tab="References")
    assert len(page.get("plotly_chart")) == 2
    own = several.read().only([NAMES[1]])
    by_references = sweep_references(own, "bleu", repeats=2, unit="segment")
    assert [row.references for row in by_references.rows if row.size == 60] == [1, 2]
    assert shows(page, reference_table(by_references, NAMES[1], False))
    assert command_of(page, "sweep references")
    assert "Zhang" not in words(page)


def test_one_reference_says_so_and_the_rest_stands(open_page, source):
    page = open_page(source, tab="References")
    assert "fewer than two references" in words(page)
    assert len(page.get("plotly_chart")) == 1


def test_human_scores_stand_beside_theirs(source, tmp_path, open_page):
    rows = ["system\tline\tscore"]
    for bonus, name in zip((0, 7, 14), NAMES, strict=True):
        rows += [f"{name}\t{k + 1}\t{(60 + bonus + k % 5) / 100}" for k in range(60)]
    source = replace(source, scores=(("human", write(tmp_path / "human.tsv", rows)),))
    page = open_page(source, metric="human", unit="segment", tab="References")
    assert "no reference changes" in words(page)
    assert "A difference of 0.02 human" in answer(page)


def test_what_cannot_be_done_is_said(open_page, source):
    page = open_page(source, unit="block")
    assert "Choose segment or document" in words(page)


def test_of_many_pairs_those_of_the_system_chosen_stand_on_the_page(open_page, source):
    more = tuple(
        (f"S{k}", file) for k, (_, file) in enumerate([*source.system, *source.system[:1]])
    )
    page = open_page(replace(source, system=(*source.system, *more)), a="S0", b="S1")
    assert "All 21 pairs" in [place.label for place in page.expander]
