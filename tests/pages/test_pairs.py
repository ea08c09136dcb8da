"""The page All pairs without a browser."""

import json
import re

import pytest

from mtsig_core import compare
from mtsig_core.source import Source
from mtsig_core.stats.significance import CORRECTIONS
from tests.builders.screens import (
    NAMES,
    captions,
    copied,
    replace_in_some,
    sentences,
    words,
    write_ratings,
    written,
)

SYSTEMS = [*NAMES, "=1+1"]


@pytest.fixture
def source(tmp_path):
    """Four systems, the last two almost alike."""
    best = sentences(60)
    worse = replace_in_some(best, 2, "sentence", "word")
    third = [text.replace("the small", "a") for text in worse]
    last = replace_in_some(third, 9, "number", "of")
    return written(tmp_path, best, [best, worse, third, last], names=SYSTEMS)


@pytest.fixture
def open_page(opened, source):
    """The page, after setting some controls."""

    def start(source, **controls):
        page = opened("pairs", source)
        page.selectbox(key="trials").set_value(1999)
        for key, value in controls.items():
            page.selectbox(key=key).set_value(value)
        page.run()
        return page

    return start


def compare_pairs(source, **settings):
    return compare(source.read(), "bleu", **settings).metrics["bleu"]


def count_significant(result):
    return sum(pair.significant for pair in result.pairs)


def test_the_headline_is_what_compare_decides(open_page, source):
    page = open_page(source)
    assert count_significant(compare_pairs(source, trials=1999)) == 6
    assert "6 of 6 pairs differ significantly" in words(page)
    assert page.get("plotly_chart")


def test_that_one_metric_was_used_is_a_caveat_only_where_no_other_is_chosen(opened, source):
    assert "Only BLEU was used" in words(opened("pairs", source, trials="99"))
    page = opened("pairs", source, trials="99", metrics="chrf")
    assert "Only BLEU was used" not in words(page)


def test_every_correction_is_listed_with_its_own_count(source, open_page):
    text = words(open_page(source, correction="holm"))
    rows = re.findall(r"<tr><td[^>]*>([^<]*)</td>.*?<td[^>]*>([^<]*)</td></tr>", text)
    counts = dict(rows)
    assert f"{CORRECTIONS['holm'].title} (chosen)" in counts
    for name in ("none", "bonferroni", "by"):
        n = count_significant(compare_pairs(source, trials=1999, correction=name))
        assert counts[CORRECTIONS[name].title] == f"{n} of 6"


def test_as_many_triples_are_listed_as_are_announced(opened):
    page = opened("pairs", Source(demo_task=True))
    [label] = [tab.label for tab in page.tabs if "triples" in tab.label]
    n = int(re.search(r"\d+", label)[0])
    table = next(e.value for e in page.get("html") if "not different from either</th>" in e.value)
    assert n > 5
    assert table.count("<tr>") == n + 1


def test_koehns_test_has_nothing_to_correct(open_page, source):
    page = open_page(source, test="koehn")
    assert "Other corrections" not in [tab.label for tab in page.tabs]
    assert "bonferroni" not in words(page)
    assert "decided" not in [radio.key for radio in page.radio]


def test_the_page_says_which_test_has_no_romano_wolf(open_page, source):
    page = open_page(source, test="percentile")
    text = "Romano-Wolf is not defined for the test"
    assert text in captions(page)


def test_cells_go_out_correction_by_correction(source, open_page):
    page = open_page(source)
    assert page.radio(key="decided").value == "romano-wolf"
    for name in ("none", "holm", "romano-wolf"):
        page.radio(key="decided").set_value(name).run()
        n = count_significant(compare_pairs(source, trials=1999, correction=name))
        sentence = f"With {CORRECTIONS[name].title}, {n} of 6 pairs are significant"
        assert (sentence in words(page)) == (name != "romano-wolf")
        cells = json.loads(page.get("plotly_chart")[0].proto.spec)["data"][0]["z"]
        coloured = [value for row in cells for value in row if value is not None]
        assert len(coloured) == n
        assert ("--correction none" in copied(page)[0]) == (name == "none")
    assert "pairs differ significantly" in words(page)


def test_tests_are_compared_only_when_asked(open_page, source):
    page = open_page(source)
    assert "signed shift</td>" not in words(page)
    page.toggle(key="pairs.tests").set_value(True).run()
    assert "bootstrap, signed shift</td>" in words(page)


def test_too_few_trials_are_named(open_page, source):
    page = open_page(source, trials=999, alpha=0.005, correction="bonferroni")
    assert "none possible with 999 permutations: use 1,199 or more" in words(page)
    assert "Cannot be decided: too many pairs for so few trials" in words(page)


@pytest.mark.long
@pytest.mark.parametrize(("n_segments", "has_fewer"), [(300, True), (600, False)])
def test_the_page_explains_where_romano_wolf_finds_fewer_than_holm(opened, n_segments, has_fewer):
    source = Source(demo=n_segments)
    page = opened("pairs", source)
    page.selectbox(key="trials").set_value(999).run()
    by_holm = count_significant(compare_pairs(source, trials=999, correction="holm"))
    by_romano_wolf = count_significant(compare_pairs(source, trials=999, correction="romano-wolf"))
    explained = "Romano-Wolf usually finds" in captions(page)
    assert (by_romano_wolf < by_holm) is has_fewer
    assert explained is has_fewer


@pytest.mark.long
def test_a_picture_of_too_many_systems_has_the_first_and_says_so(opened, tmp_path):
    """A browser took minutes to draw the 33,670 pairs of 260 systems."""
    ratings = {f"S{s}": [(s * 7 + k * k * 5) % 50 for k in range(1, 5)] for s in range(61)}
    source = Source(scores=(("human", write_ratings(tmp_path / "s.tsv", ratings)),))
    page = opened("pairs", source, trials="199", resamples="99")
    assert "The picture has the first 60 of 61 systems" in words(page)
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    assert len(figure["layout"]["xaxis"]["tickvals"]) == 60
