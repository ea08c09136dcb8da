"""The page Test-set size without a browser."""

import json
import re
import threading
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
from pages._ui import background, charts
from tests.builders.screens import (
    NAMES,
    all_copied,
    answers,
    arguments,
    captions,
    copied,
    joined,
    shows,
    words,
    write,
)
from tests.builders.thread_workers import ThreadWorker


@pytest.fixture
def open_page(opened):
    return lambda source, **asked: opened("size", source, **asked)


def answer(page):
    return answers(page)[0]


def command_of(page, what):
    """The options of the last command on the page that has these."""
    return joined(arguments([line for line in copied(page) if what in line][-1]))


def test_the_answer_comes_first_and_the_tables_are_those_of_the_core(open_page, source):
    page = open_page(source, seed="3", difference="5.0", power="0.9", sizes="5, 100%")
    assert len(page.get("plotly_chart")) == 1
    swept = sweep_sizes(source.read(), "bleu", sizes=[5, 1.0], repeats=30, seed=3)
    planned = plan(swept, 5.0, 0.9)
    first = planned[0]
    assert f"A difference of 5 BLEU takes about {first.size.units:,} documents" in answer(page)
    assert "to be found 90% of the time<" in answer(page)
    rows = count_detections(swept, first.a, first.b, 5.0)
    assert shows(page, plan_table(planned, 5.0, "BLEU", "documents"))
    assert shows(page, detection_table(rows))
    assert {"--difference=5", "--power=0.9", "--seed=3", "--sizes=5,100%"} <= command_of(
        page, "--difference"
    )
    page = open_page(source, seed="3", difference="5.0", power="0.9", sizes="5, 100%", tested="3")
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
def test_of_two_whose_difference_never_varies_nothing_is_planned(open_page, tmp_path, shift, said):
    rows = [
        f"{name}\t{k + 1}\t{70 + shift * (name == 'A') + k * 7 % 11}\td{k // 2}"
        for name in "AB"
        for k in range(60)
    ]
    source = Source(
        scores=(("human", write(tmp_path / "human.tsv", ["system\tline\tscore\tdocid", *rows])),)
    )
    page = open_page(source, sizes="10, 100%")
    assert f"A and B {said}: nothing varies, and there is nothing to plan<" in answer(page)
    assert "no test set of any size" not in answer(page)
    assert "finds 0.00" not in words(page)
    assert "among 1 pairs" not in words(page)
    assert not page.get("plotly_chart")  # no curve


def test_headline_curve_and_dots_follow_the_difference_that_is_dragged(open_page, source):
    def drawn(page):
        figure = json.loads(page.get("plotly_chart")[0].proto.spec)
        return (
            figure["data"][0]["y"],
            figure["data"][1]["y"],
            figure["layout"]["annotations"][-1]["text"],
        )

    page = open_page(source, unit="document", sizes="ten sizes")
    curve, dots, size = drawn(page)
    assert "A difference of 2 BLEU takes" in answer(page)
    page.slider(key="difference").set_value(8.0).run()
    assert "A difference of 8 BLEU takes" in answer(page)
    steeper, more, smaller = drawn(page)
    assert all(b > a for a, b in zip(curve, steeper, strict=True))
    assert sum(more) > sum(dots)
    for text in (size, smaller):
        assert text.startswith(("<b>about", "<b>←"))
    needed = re.search(r"about [\d,]+ documents", answer(page))[0]
    assert needed in smaller
    assert needed not in size


@pytest.mark.long
def test_the_curve_grows_and_no_half_of_it_passes_for_the_whole(open_page, source, monkeypatch):
    """Each size waits until the page has drawn the one before."""
    grown, said, seen, whole_sweep = [], [], threading.Semaphore(0), sweeps.sweep_sizes
    draw = charts.grow

    def slowly(*args, watch, **asked):
        def told(size, one):
            watch(size, one)
            assert seen.acquire(timeout=300)

        return whole_sweep(*args, watch=told, **asked)

    def grow(figure, key, alt):
        grown.append((figure(), alt))
        draw(figure, key, alt)
        seen.release()

    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background._SCHEDULER, "pool", ThreadWorker)
    monkeypatch.setattr(charts, "grow", grow)
    monkeypatch.setattr(size_sections.screen, "answer", lambda text: said.append(text))
    monkeypatch.setattr(sweeps, "sweep_sizes", slowly)
    page = open_page(source, sizes="5, 8, 100%", seed="11")
    assert [alt[:28] for _, alt in grown] == [f"Test sets of {k} of 3 sizes ar" for k in range(4)]
    whole = json.loads(page.get("plotly_chart")[0].proto.spec)
    for drawn, (figure, _) in enumerate(grown):
        planned, *more = figure.data
        dots = [trace for trace in more if trace.mode == "markers"]
        drawn_dots = [trace for trace in whole["data"] if trace["mode"] == "markers"]
        found = [share for trace in drawn_dots[::2] for share in trace["y"]]
        assert list(planned.y) == whole["data"][0]["y"]
        assert [share for trace in dots[::2] for share in trace.y] == found[:drawn]
        assert list(figure.layout.xaxis.range) == whole["layout"]["xaxis"]["range"]
        assert ("still being<br>drawn" in str(figure.layout.annotations)) == (drawn < 3)
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


def test_human_scores_stand_beside_theirs(open_page, source, tmp_path):
    table = tmp_path / "human.tsv"
    table.write_text(
        "system\tline\tscore\n"
        + "".join(
            f"{name}\t{k + 1}\t{(60 + 7 * j + k % 5) / 100}\n"
            for j, name in enumerate(NAMES)
            for k in range(60)
        )
    )
    page = open_page(
        replace(source, scores=(("human", str(table)),)),
        metric="human",
        unit="segment",
        tab="References",
    )
    assert "no reference changes" in words(page)
    assert "A difference of 0.02 human" in answer(page)


@pytest.mark.long
def test_the_simulated_corpus_gets_references(open_page):
    page = open_page(Source(demo=100), metric="nist", unit="segment", tab="References")
    assert "A difference of 0.2 NIST" in answer(page)
    assert "do not narrow" in captions(page)
    assert "--demo-segments 100 --demo-references 4 --only" in all_copied(page)


def test_what_cannot_be_done_is_said(open_page, source):
    page = open_page(source, unit="block")
    assert "Choose segment or document" in words(page)


def test_of_many_pairs_those_of_the_system_chosen_stand_on_the_page(open_page, source):
    more = tuple(
        (f"S{k}", file) for k, (_, file) in enumerate([*source.system, *source.system[:1]])
    )
    page = open_page(replace(source, system=(*source.system, *more)), a="S0", b="S1")
    assert "All 21 pairs" in [place.label for place in page.expander]
