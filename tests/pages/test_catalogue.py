"""What holds for every row of the catalogue: its page opens, on one system too, shows names
literally, and has those settings in the sidebar that have an effect.
"""

import re

import pytest

from mtsig_core.source import Source
from mtsig_core.stats.settings import PRESETS, SETTINGS
from pages._ui.catalogue import HOME, PAGES
from pages._ui.screen import LABELS
from tests.builders.apps import ROWS
from tests.builders.screens import NAMES, captions, words, write
from tests.builders.toys import SPACELESS

#: Views of a page that a control of it chooses: (page, control, choice).
VIEWS = [
    ("sampling", "tab", "What each sample concludes"),
    ("inside", "inside", "sentence average"),
]
#: What a page needs two systems for says so.
NEEDS_TWO = ("pair", "size", "trust", "segments", "inside")
OTHER = {
    "metric": "chrf",
    "test": "bootstrap",
    "correction": "holm",
    "unit": "segment",
    "ci": "basic",
    "alpha": "0.01",
    "trials": "1999",
    "seed": "3",
}
#: What the line on top says of a setting.
TOLD = {
    "test": "Randomization test",
    "trials": "9,999 permutations",
    "correction": "Romano-Wolf",
    "seed": "seed 0",
    "alpha": "alpha 0.05",
    "ci": "2,000 resamples",
}


def keys(settings):
    return {"exclude" if name == "part" else name for name in settings}


def drawn(page):
    every = keys(name for row in PAGES.values() for name in row.settings)
    return {
        widget.key
        for kind in (page.selectbox, page.multiselect, page.number_input)
        for widget in kind
    } & every


def numbers(page):
    return [line for line in words(page).splitlines() if "mt-status" not in line]


def shows_names_literally(page, nothing_of_them=False):
    assert "<img" not in words(page)
    assert nothing_of_them or "&lt;img src=x onerror=alert(1)&gt;" in words(page)
    texts = [
        element.value for kind in (page.markdown, page.caption, page.subheader) for element in kind
    ]
    assert not [text for text in texts if any(name in text for name in NAMES)]
    assert not [figure for figure in page.get("plotly_chart") if "<img" in figure.proto.spec]


@pytest.mark.parametrize("name", ROWS)
def test_a_page_shows_names_literally_and_the_settings_that_have_an_effect(opened, source, name):
    """Also from another page's settings, of which it says the same: but for its line on how it is
    tested.
    """
    row, page = ROWS[name], opened(name, source, system=NAMES[0])
    shows_names_literally(page, name in ("upload", "sampling", "trust", "papers", "methods"))
    assert drawn(page) == keys(row.settings)
    if (
        status := re.search('<div class="mt-status">(.*?)</div>', words(page))
    ) and name != "upload":
        assert {key for key, text in TOLD.items() if text in status[1]} == {*TOLD} & {*row.settings}
    hidden = {key: value for key, value in OTHER.items() if key not in row.settings}
    if hidden and name != "upload":
        other = opened(name, source, system=NAMES[0], **hidden)
        assert drawn(other) == keys(row.settings)
        assert numbers(other) == numbers(page)


@pytest.mark.parametrize("name, control, choice", VIEWS)
def test_a_view_shows_names_literally(opened, source, name, control, choice):
    page = opened(name, source, system=NAMES[0], **{control: choice})
    assert name != "sampling" or page.selectbox(key="b").value in NAMES
    shows_names_literally(page, name == "sampling")


@pytest.mark.parametrize("name, control, choice", [*((name, "", "") for name in ROWS), VIEWS[0]])
def test_a_single_system_is_enough_to_open_a_page(opened, source, name, control, choice):
    page = opened(
        name,
        Source(ref=source.ref, system=source.system[:1]),
        **({control: choice} if choice else {}),
    )
    assert ('role="alert"' in words(page)) == (
        name in NEEDS_TWO or choice == "What each sample concludes"
    )


@pytest.mark.parametrize(
    "name, control, choice, more",
    [
        (name, row.further[0], choice, more)
        for name, row in ROWS.items()
        for choice, more in row.further[1].items()
        if choice != "which metric to trust"
    ]
    + [("trust", "experiment", "Coverage", ())],
)
def test_what_has_an_effect_on_one_view_is_shown_there(opened, source, name, control, choice, more):
    row, page = ROWS[name], opened(name, source, **{control: choice})
    assert drawn(page) == keys((*row.settings, *more))
    if name == "inside":  # its tabs, which AppTest does not click
        page.session_state[control] = next(
            tab.label for tab in page.tabs if tab.label not in {choice, *row.further[1]}
        )
        page.run()
    else:
        widget = next(
            one for kind in (page.selectbox, page.radio) for one in kind if one.key == control
        )
        widget.set_value(
            next(option for option in widget.options if option not in {choice, *row.further[1]})
        ).run()
    assert drawn(page) == keys(row.settings)  # at once, not one click later


@pytest.fixture
def scored(tmp_path):
    """Two systems in Chinese, of which nothing says so, with ratings of them and of the
    reference.
    """
    lines = SPACELESS["zh"] * 5
    systems = {
        "A": [text[:-1] for text in lines],
        "B": [text[1:] if k % 2 else text for k, text in enumerate(lines)],
    }
    rows = [
        f"{name}\t{k}\t{score + k % 7}"
        for name, score in (("A", 50), ("B", 60), ("refA", 90))
        for k in range(1, len(lines) + 1)
        if (k + score) % 9
    ]
    return Source(
        ref=(("refA", write(tmp_path / "ref.txt", lines)),),
        system=tuple(
            (name, write(tmp_path / f"{name}.txt", texts)) for name, texts in systems.items()
        ),
        scores=(("esa", write(tmp_path / "esa.tsv", ["system\tline\tscore", *rows])),),
    )


@pytest.mark.parametrize("name", ["summary", "pair", "sampling"])
def test_a_page_names_the_tokenizer_and_warns_of_it_once(opened, scored, name):
    page = opened(name, scored, metric="bleu", humans="true", trials="999")
    assert "has ratings and no text" not in words(page)
    assert " · tokenizer 13a" in words(page)
    assert words(page).count("The references look Chinese") == 1 + (
        name != "sampling"
    )  # in the list of all, too


@pytest.mark.parametrize("name", ROWS)
def test_a_page_opens_on_scores_without_texts(opened, scored, name):
    """The controls offer what fits them; a link may ask for more."""
    page = opened(
        name,
        Source(scores=scored.scores),
        trials="999",
        **({"card": "true"} if name == "pair" else {}),
    )
    assert page.session_state["metric"] == "esa"
    options = {box.key: box.options for box in page.selectbox}
    assert options.get("metric", ["esa"]) == ["esa"]
    assert SETTINGS["test"].name_value("wilcoxon") in options.get(
        "test", [SETTINGS["test"].name_value("wilcoxon")]
    )
    assert "Student's t" in options.get("ci", ["Student's t"])
    assert name != "pair" or "One-page summary (HTML)" in [
        button.label for button in page.get("download_button")
    ]
    if name in ("segments", "pair"):
        assert "without texts" in words(page) + captions(page)


def test_the_sidebar_has_a_link_to_every_page_by_section(opened, source):
    page = opened(None, source, seed="3")
    links = [link.proto for link in page.sidebar.get("page_link")]
    assert [link.label for link in links] == [row.title for row in PAGES.values()]
    assert all("seed=3" in link.query_string for link in links)
    assert HOME.name == "summary"
    assert re.findall('<div class="mt-section">(.*?)</div>', words(page)) == [
        "Compare",
        "Shared task",
        "Learn",
        "Reference",
    ]
    assert all(row.file.is_file() for row in PAGES.values())


def test_what_is_set_stays_for_the_pages_that_show_it(opened, source):
    page = opened("summary", source, **OTHER, exclude="$x$ **b** :material/home:")
    before = words(page)
    for path in ("upload", "segments", "sampling", "summary"):
        page.switch_page(f"pages/{path}.py").run()
    assert words(page) == before
    page.selectbox(key="trials").set_value(999).run()
    assert "999 resamples" in words(page)
    assert "1,999 resamples" not in words(page)


def test_a_preset_sets_all_settings_and_stays_in_the_link(opened, source):
    page = opened("pairs", source, alpha="0.01")
    assert page.selectbox(key="settings.preset").value == "custom"
    page.selectbox(key="settings.preset").set_value("koehn2004").run()
    assert {key: page.selectbox(key=key).value for key in ("test", "unit", "alpha")} == {
        "test": "koehn",
        "unit": "segment",
        "alpha": 0.05,
    }
    assert page.query_params["test"] in ("koehn", ["koehn"])
    assert "alpha" not in page.query_params
    assert page.selectbox(key="settings.preset").value == "koehn2004"
    page.selectbox(key="settings.preset").set_value("recommended").run()
    assert "test" not in page.query_params
    assert PRESETS["wmt24"].title in captions(page)  # with what it needs


def test_a_warning_names_the_controls_that_help_and_no_option(opened, source):
    page = opened("summary", source, unit="segment", test="koehn")
    said = [line for line in words(page).splitlines() if "mt-caution" in line]
    assert {"Use documents", f"Use {SETTINGS['test'].name_value('ar')}"} <= {
        button.label for button in page.button
    }
    assert not any("--" in line or "Arguments" in line for line in said)
    labels = [widget.label for kind in (page.selectbox, page.multiselect) for widget in kind]
    for argument in {*LABELS} - {"refs_as_systems"}:  # which needs a second reference
        assert any(label.startswith(LABELS[argument].rpartition("> ")[2]) for label in labels)
