"""The page All pairs without a browser."""

import json

import pytest

from mtsig_core import compare
from mtsig_core.source import Source
from mtsig_core.stats.significance import CORRECTIONS
from tests.builders.screens import NAMES, copied, sentences, words, written

SYSTEMS = [*NAMES, "=1+1"]


@pytest.fixture
def source(tmp_path):
    """Four systems, the last two almost alike."""
    texts = [sentences(60)]
    texts.append(
        [text.replace("sentence", "word") if k % 2 else text for k, text in enumerate(texts[0])]
    )
    texts.append([text.replace("the small", "a") for text in texts[1]])
    texts.append(
        [text.replace("number", "of") if k % 9 == 0 else text for k, text in enumerate(texts[2])]
    )
    return written(tmp_path, texts[0], texts, names=SYSTEMS)


@pytest.fixture
def open_page(opened):
    """The page, on some systems of a source, after setting some controls."""

    def start(source, n_systems=4, **controls):
        source = Source(ref=source.ref, system=source.system[:n_systems])
        page = opened("pairs", source)
        page.selectbox(key="trials").set_value(1999)
        for key, value in controls.items():
            page.selectbox(key=key).set_value(value)
        page.run()
        assert not page.exception
        return page

    return start


def test_the_headline_is_what_compare_decides(open_page, source):
    page = open_page(source)
    pairs = compare(source.read(), trials=1999).metrics["bleu"].pairs
    n = sum(pair.significant for pair in pairs)
    assert 0 < n <= 6
    assert f"{n} of 6 pairs differ significantly (corrected by Romano-Wolf)" in words(page)
    assert n == 6 or f"{'1 pair is' if n == 5 else f'{6 - n} pairs are'} not significant" in words(
        page
    )
    assert page.get("plotly_chart")


def test_that_one_metric_was_used_is_a_caveat_only_where_no_other_is_chosen(opened, source):
    assert "Only BLEU was used" in words(opened("pairs", source, trials="99"))
    page = opened("pairs", source, trials="99", metrics="chrf")
    assert not page.exception and "Only BLEU was used" not in words(page)


def test_every_correction_is_listed_with_its_own_count(open_page, source):
    page = open_page(source, correction="holm")
    said = words(page)
    for name in ("none", "bonferroni", "holm", "bh", "by", "romano-wolf"):
        pairs = compare(source.read(), trials=1999, correction=name).metrics["bleu"].pairs
        row = next(
            row
            for row in said.split("<tr>")
            if row.split(">")[1].startswith(
                (f"{CORRECTIONS[name].title}<", f"{CORRECTIONS[name].title} (chosen)<")
            )
        )
        assert f">{sum(pair.significant for pair in pairs)} of 6<" in row
    assert "Holm (chosen)" in said


def test_as_many_triples_are_listed_as_are_announced(opened):
    page = opened("pairs", Source(demo_task=True))
    n = int(
        next(tab.label for tab in page.tabs if "triples" in tab.label).partition("(")[2].rstrip(")")
    )
    table = next(e.value for e in page.get("html") if "differs from neither</th>" in e.value)
    assert n > 5 and table.count("<tr>") == n + 1


@pytest.mark.parametrize(
    "test, said",
    [
        ("koehn", "alpha 0.05 per direction"),
        ("koehn", "nothing to correct"),
        ("percentile", "Romano-Wolf is not defined for the test"),
    ],
)
def test_what_a_test_does_not_have_is_said(open_page, source, test, said):
    page = open_page(source, test=test)
    assert said in words(page) + "".join(one.value for one in [*page.caption, *page.markdown])
    assert (
        test != "koehn"
        or "bonferroni" not in words(page)
        and "decided" not in [one.key for one in page.radio]
    )


def test_cells_go_out_correction_by_correction(open_page, source):
    page = open_page(source)
    assert page.radio(key="decided").value == "romano-wolf"
    for name in ("none", "bh", "holm", "romano-wolf"):
        page.radio(key="decided").set_value(name).run()
        assert not page.exception
        compared = compare(source.read(), trials=1999, correction=name).metrics["bleu"].pairs
        lit = sum(pair.significant for pair in compared)
        assert (
            f"With {CORRECTIONS[name].title}, {lit} of 6 pairs are significant" in words(page)
        ) == (name != "romano-wolf")
        drawn = json.loads(page.get("plotly_chart")[0].proto.spec)["data"][0]["z"]
        assert sum(value is not None for row in drawn for value in row) == lit
        assert ("--correction none" in copied(page)[0]) == (name == "none")
    assert "6 pairs differ significantly (corrected by Romano-Wolf)" in words(page)


def test_tests_are_compared_only_when_asked(open_page, source):
    page = open_page(source)
    assert "signed shift</td>" not in words(page)
    page.toggle(key="pairs.tests").set_value(True).run()
    assert not page.exception
    assert "bootstrap, signed shift</td>" in words(page)


def test_too_few_trials_are_named(open_page, source):
    page = open_page(source, trials=999, alpha=0.005, correction="bonferroni")
    assert "none possible with 999 permutations: use 1,199 or more" in words(page)
    assert "Cannot be decided: too many pairs for so few trials" in words(page)


@pytest.mark.long
@pytest.mark.parametrize("n_segments", [300, 600])
def test_it_is_said_why_romano_wolf_finds_fewer_than_holm_where_it_does(opened, n_segments):
    page = opened("pairs", Source(demo=n_segments))
    page.selectbox(key="trials").set_value(999).run()
    found = {
        name: sum(
            pair.significant
            for pair in compare(
                Source(demo=n_segments).read(), ["bleu"], trials=999, correction=name
            )
            .metrics["bleu"]
            .pairs
        )
        for name in ("holm", "romano-wolf")
    }
    said = any("Romano-Wolf usually finds" in caption.value for caption in page.caption)
    assert (found["romano-wolf"] < found["holm"]) is said is (n_segments == 300)


@pytest.mark.long
def test_a_picture_of_too_many_systems_has_the_first_and_says_so(opened, tmp_path):
    """A browser took minutes to draw the 33,670 pairs of 260 systems."""
    (tmp_path / "s.csv").write_text(
        "system,line,score\n"
        + "".join(f"S{s},{k},{(s * 7 + k * k * 5) % 50}\n" for s in range(61) for k in range(1, 5))
    )
    page = opened(
        "pairs", Source(scores=(("human", str(tmp_path / "s.csv")),)), trials="199", resamples="99"
    )
    assert not page.exception and "The picture has the first 60 of 61 systems" in words(page)
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    assert len(figure["layout"]["xaxis"]["tickvals"]) == 60
