"""The Validation page without a browser."""

import threading
from dataclasses import replace
from functools import wraps

import pytest

from mtsig_core import compare
from mtsig_core.experiments import frame
from mtsig_core.experiments.error_rates import unit_changes
from mtsig_core.experiments.validation import pair_tests
from mtsig_core.report import experiment_tables as tables
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.source import Source
from pages._ui import background, charts, validation_sections
from tests.pages.toys import arguments, copied, sentences, shows, words, write, written
from tests.work.thread_workers import ThreadWorker


@pytest.fixture
def open_page(opened):
    return lambda source, **query: opened("validation", source, **{"pairs": "200", **query})


def test_systems_too_unlike_for_a_null_by_document(open_page):
    page = open_page(Source(demo=1000), b="Finnish")
    assert not page.exception and "Choose systems with closer scores" in words(page)
    assert "false alarms at a level of 0.05" in words(page) and "documents whole" not in words(page)


def command_of(page, name):
    return arguments(next(line for line in copied(page) if f"validate {name}" in line))


#: Command -> the experiment on the page, its function, what the page asks of it, its tables, and how many figures.
SHOWN = {
    "type1": ("type-I error", "type_one", {"n_pairs": 200}, [tables.type_one_table], 2),
    "variants": ("type-I error", "variants", {}, [tables.variant_table], 2),
    "conclusions": ("conclusions", "conclusions", {}, [
        lambda one: tables.conclusions_at_table(one, 100, False), lambda one: tables.conclusion_table(one, False),
        lambda one: tables.calibration_table(one, False)], 2),
    "coverage": ("coverage", "coverage", {"repeats": 200}, [tables.coverage_table], 1),
    "families": ("many comparisons", "families", {}, [tables.family_table], 3),
    "claims": ("many comparisons", "claims", {}, [tables.claim_table], 3)}


@pytest.mark.parametrize("name", SHOWN)
def test_an_experiment_is_shown_as_the_core_has_it(open_page, name):
    experiment, function, asked, shown, figures = SHOWN[name]
    page = open_page(Source(demo=240), experiment=experiment, alpha="0.1", seed="3")
    one = getattr(validation_sections, function)(load_demo(240), "bleu", alpha=0.1, seed=3, **asked)
    assert not page.exception and all(shows(page, table(one)) for table in shown)
    assert len(page.get("plotly_chart")) == figures
    command = command_of(page, name)
    assert command[command.index("--alpha") + 1] == "0.1" and command[command.index("--seed") + 1] == "3"
    assert "Koehn (2004), Table 3" not in "".join(e.value for e in page.caption)  # not the corpus of the paper


@pytest.mark.parametrize("experiment, works, so_far, figures", [
    ("type-I error", [(validation_sections, "type_one")], ["8 of 50", "16 of 50", "32 of 50"], 2),
    ("coverage", [(validation_sections, "coverage")], ["8 of 50", "16 of 50", "32 of 50"], 1),
    ("conclusions", [(validation_sections, "conclusions")], ["8 of 12"], 2),
    ("many comparisons", [(validation_sections, "families"), (validation_sections, "claims")],
     ["8 of 20", "16 of 20"] * 2, 3)])
def test_the_first_picture_grows_and_is_no_result(open_page, monkeypatch, experiment, works, so_far, figures):
    """The work goes on once the page has drawn what is there."""
    grown, seen, draw = [], threading.Semaphore(0), charts.grow

    def slowly(whole):
        @wraps(whole)
        def work(*args, watch, **asked):
            def told(*parts):
                watch(*parts)
                assert seen.acquire(timeout=300)

            return whole(*args, watch=told, **asked)

        return work

    def grow(figure, key, alt):
        draw(figure, key, alt)
        grown.append((alt, len(figure().data)))
        seen.release()

    for module, name in works:
        monkeypatch.setattr(module, name, slowly(getattr(module, name)))
    monkeypatch.setattr(frame, "_FIRST", 8)
    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background._SCHEDULER, "pool", ThreadWorker)
    monkeypatch.setattr(charts, "grow", grow)
    page = open_page(Source(demo=900 if experiment == "conclusions" else 240), experiment=experiment, seed="11")
    things = {"type-I error": "null pairs", "conclusions": "samples of all sizes"}.get(experiment, "test sets")
    assert not page.exception and [alt for alt, _ in grown] == [f"{text} {things} so far." for text in so_far]
    assert all(n for _, n in grown) and "so far" not in words(page) and len(page.get("plotly_chart")) == figures


@pytest.mark.parametrize("experiment, so_far, waits", [
    ("documents or segments", "By document alone so far.", lambda key: dict(key[-1]).get("unit") == "segment"),
    ("one pair, several metrics", "1 of 2 metrics so far.", lambda key: key[2] == "nist")])
def test_what_is_found_first_is_drawn_while_the_rest_is_not_there(open_page, monkeypatch, experiment, so_far, waits):
    """What comes last is not begun before the page has drawn what is there."""
    grown, seen, draw, watch = [], threading.Event(), charts.grow, background._SCHEDULER.watch

    def waiting(key, work, *more, **asked):
        def after_drawn(progress):
            assert seen.wait(300)
            return work(progress)

        return watch(key, after_drawn if key[0] in ("compare", "pair_tests") and waits(key) else work, *more, **asked)

    def grow(figure, key, alt):
        draw(figure, key, alt)
        grown.append((alt, len(figure().data)))
        seen.set()

    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background._SCHEDULER, "pool", ThreadWorker)
    monkeypatch.setattr(background._SCHEDULER, "watch", waiting)
    monkeypatch.setattr(charts, "grow", grow)
    page = open_page(Source(demo=240), experiment=experiment, seed="12")
    assert not page.exception and [alt for alt, _ in grown] == [so_far] and all(n for _, n in grown)
    assert "so far" not in words(page) and len(page.get("plotly_chart")) == 1


def test_units_on_screen_are_those_of_the_core_and_of_compare(open_page):
    page = open_page(Source(demo=240), experiment="documents or segments", correction="holm", trials="1999")
    one = unit_changes(load_demo(240), "bleu", trials=1999)
    assert shows(page, tables.unit_table(one)) and shows(page, tables.changed_table(one, "holm"))
    row = one.row("holm")
    for unit, n in (("segment", row.both + row.segment_only), ("document", row.both + row.document_only)):
        found = compare(load_demo(240), unit=unit, correction="holm", trials=1999)
        assert sum(pair.significant for pair in found.metrics["bleu"].pairs) == n
    assert command_of(page, "units") and command_of(page, "changed-pairs")


def test_one_pair_on_screen_is_that_of_the_core(open_page):
    page = open_page(Source(demo=700), experiment="one pair, several metrics", sampled="300", b="Danish")
    found = {name: pair_tests(load_demo(700), name, "Spanish", "Danish", n_segments=300) for name in ("nist", "bleu")}
    assert shows(page, tables.pair_tests_table(found)) and len(page.get("plotly_chart")) == 1
    assert any("needs parses of all texts" in e.value for e in page.caption) and command_of(page, "pair")


@pytest.fixture
def texts(tmp_path):
    """A test set of 60 lines and some systems."""
    def make(names, documents=None):
        ref = sentences(60)
        return written(tmp_path, ref, [[text.replace("small", name) if k % (3 + j) else text
                                        for k, text in enumerate(ref)] for j, name in enumerate(names)],
                       documents, names)

    return make


EXPERIMENTS = ["type-I error", "conclusions", "coverage", "many comparisons", "documents or segments",
               "one pair, several metrics"]


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_few_lines_without_documents(open_page, texts, experiment):
    page = open_page(texts("AB"), experiment=experiment)
    assert not page.exception
    reason = {"conclusions": "60 segments give no two samples of 100", "documents or segments": "has no document ids"}
    assert reason.get(experiment, "Numbers as CSV") in words(page) + "".join(e.proto.label for e in page.get(
        "download_button"))


def test_documents_that_are_too_few_to_reject_anything(open_page, texts):
    page = open_page(texts("AB", ["b" if k % 4 == 0 and k % 3 else f"d{k % 4}" for k in range(60)]),
                     experiment="type-I error")
    assert not page.exception and "With 5 documents no test by document can reject anything; testing by" in words(page)


def test_few_documents_are_warned_of(open_page, texts):
    page = open_page(texts("AB", [f"d{k // 20}" for k in range(60)]), experiment="documents or segments")
    assert not page.exception and "3 documents are few" in words(page) and "here 0.25" in words(page)


@pytest.fixture
def partly_rated(texts, tmp_path):
    """Texts of 60 lines in 12 documents, of which the first 40 lines, in 8 documents, have scores too."""
    lines = [f"{name}\t{k + 1}\t{(k * 7 + 3 * (name == 'A')) % 13}" for name in "AB" for k in range(40)]
    table = write(tmp_path / "human.tsv", ["system\tline\tscore", *lines])
    return replace(texts("AB", [f"d{k // 5}" for k in range(60)]), scores=(("human", table),))


def test_each_metric_has_its_own_number_of_segments(open_page, partly_rated):
    page = open_page(partly_rated, experiment="one pair, several metrics", metric="human")
    assert not page.exception and "60 segments by NIST and BLEU, 40 segments by human." in words(page)


def test_units_are_counted_where_there_are_scores(open_page, partly_rated):
    page = open_page(partly_rated, experiment="documents or segments", metric="human", trials="999")
    assert not page.exception and "8 documents are few" in words(page)
    assert any("40 segments in 8 documents" in e.value for e in page.caption)
    assert "of 1 pair, " in words(page)
