"""What holds for every row of the catalogue: its page opens, on one system too, shows names
literally, and has those settings that have an effect.
"""

import re
from dataclasses import replace

import pytest

from mtsig_core.source import Source
from mtsig_core.stats.settings import PRESETS, SETTINGS
from pages._ui.catalogue import HOME, PAGES
from pages._ui.screen import LABELS
from tests.builders.apps import ROWS
from tests.builders.screens import NAMES, captions, chinese_source, read_address, words, write

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
#: What is said of a setting in the header, or under Change.
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
    keys_of_settings = keys(name for row in PAGES.values() for name in row.settings)
    widgets = (*page.selectbox, *page.multiselect, *page.number_input)
    return {widget.key for widget in widgets} & keys_of_settings


def numbers(page):
    return [line for line in words(page).splitlines() if "mt-status" not in line]


def shows_names_literally(page, nothing_of_them=False):
    assert "<img" not in words(page)
    assert nothing_of_them or "&lt;img src=x onerror=alert(1)&gt;" in words(page)
    for element in (*page.markdown, *page.caption, *page.subheader):
        assert not [name for name in NAMES if name in element.value]
    for figure in page.get("plotly_chart"):
        assert "<img" not in figure.proto.spec


@pytest.mark.parametrize("name", ROWS)
def test_a_page_shows_names_literally_and_the_settings_that_have_an_effect(opened, source, name):
    """Also from another page's settings, of which it says the same: but for its line on how it is
    tested.
    """
    row, page = ROWS[name], opened(name, source, system=NAMES[0])
    shows_names_literally(page, name in ("upload", "sampling", "trust", "papers", "methods"))
    assert drawn(page) == keys(row.settings)
    if name == "upload":
        return
    status = " ".join(re.findall('<div class="mt-status">(.*?)</div>', words(page)))
    told = {key for key, text in TOLD.items() if text in status}
    assert name == "methods" or told == {*TOLD} & {*row.settings}
    hidden = {key: value for key, value in OTHER.items() if key not in row.settings}
    if hidden:
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
    asked = {control: choice} if choice else {}
    page = opened(name, replace(source, system=source.system[:1]), **asked)
    needs_two = name in NEEDS_TWO or choice == "What each sample concludes"
    assert ('role="alert"' in words(page)) == needs_two


#: Views of pages with the settings that have an effect there alone.
FURTHER = [
    (name, row.further[0], choice, more)
    for name, row in ROWS.items()
    for choice, more in row.further[1].items()
    if choice != "which metric to trust"
]


@pytest.mark.parametrize(
    "name, control, choice, more", [*FURTHER, ("trust", "experiment", "Coverage", ())]
)
def test_what_has_an_effect_on_one_view_is_shown_there(opened, source, name, control, choice, more):
    row, page = ROWS[name], opened(name, source, **{control: choice})
    assert drawn(page) == keys((*row.settings, *more))
    others = {choice, *row.further[1]}
    if name == "inside":  # its tabs, which AppTest does not click
        labels = [tab.label for tab in page.tabs]
        page.session_state[control] = next(label for label in labels if label not in others)
        page.run()
    else:
        widgets = (*page.selectbox, *page.radio)
        widget = next(widget for widget in widgets if widget.key == control)
        widget.set_value(next(option for option in widget.options if option not in others)).run()
    assert drawn(page) == keys(row.settings)  # at once, not one click later


@pytest.fixture
def scored(tmp_path):
    """Two systems in Chinese, of which nothing says so, with ratings of them and of the
    reference.
    """
    source = chinese_source(tmp_path)
    rows = ["system\tline\tscore"]
    for name, score in (("A", 50), ("B", 60), ("refA", 90)):
        lines = [k for k in range(1, 61) if (k + score) % 9]
        rows += [f"{name}\t{k}\t{score + k % 7}" for k in lines]
    ref = (("refA", source.ref[0][1]),)
    return replace(source, ref=ref, scores=(("esa", write(tmp_path / "esa.tsv", rows)),))


@pytest.mark.parametrize("name", ["summary", "pair", "sampling"])
def test_a_page_names_the_tokenizer_and_warns_of_it_once(opened, scored, name):
    page = opened(name, scored, metric="bleu", humans="true", trials="999")
    assert "has ratings and no text" not in words(page)
    assert " · tokenizer 13a" in words(page)
    n_lists = 0 if name == "sampling" else 1  # of all caveats
    assert words(page).count("The references look Chinese") == 1 + n_lists


@pytest.mark.parametrize("name", ROWS)
def test_a_page_opens_on_scores_without_texts(opened, scored, name):
    """The controls offer what fits them; a link may ask for more."""
    asked = {"card": "true"} if name == "pair" else {}
    page = opened(name, Source(scores=scored.scores), trials="999", **asked)
    assert page.session_state["metric"] == "esa"
    options = {box.key: box.options for box in page.selectbox}
    for key, offers in (
        ("metric", "esa"),
        ("test", SETTINGS["test"].name_value("wilcoxon")),
        ("ci", "Student's t"),
    ):
        assert offers in options.get(key, [offers])
    if name == "pair":
        files = [button.label for button in page.get("download_button")]
        assert "One-page summary (HTML)" in files
    if name == "segments":
        assert "no texts to read" in words(page) + captions(page)


def test_the_menus_have_a_link_to_every_page_by_section(opened, source):
    page = opened(None, source, seed="3")
    assert not page.sidebar.get("page_link")
    links = [link.proto for link in page.get("page_link")][: len(PAGES)]
    assert [link.label for link in links] == [row.title for row in PAGES.values()]
    for link in links:
        assert "seed=3" in link.query_string
    assert HOME.name == "summary"
    menus = [popover.proto.popover.label for popover in page.get("popover")][:4]
    assert menus == ["**Compare**", "Shared task", "Learn", "Reference"]
    for row in PAGES.values():
        assert row.file.is_file()


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
    for key, value in (("test", "koehn"), ("unit", "segment"), ("alpha", 0.05)):
        assert page.selectbox(key=key).value == value
    assert read_address(page)["test"] == "koehn"
    assert "alpha" not in page.query_params
    assert page.selectbox(key="settings.preset").value == "koehn2004"
    page.selectbox(key="settings.preset").set_value("recommended").run()
    assert "test" not in page.query_params
    assert PRESETS["wmt24"].title in captions(page)  # with what it needs


def test_a_warning_names_the_controls_that_help_and_no_option(opened, source):
    page = opened("summary", source, unit="segment", test="koehn")
    cautions = [line for line in words(page).splitlines() if "mt-caution" in line]
    buttons = {button.label for button in page.button}
    assert {"Use documents", f"Use {SETTINGS['test'].name_value('ar')}"} <= buttons
    for caution in cautions:
        assert "--" not in caution
        assert "Arguments" not in caution
    labels = "\n".join(widget.label for widget in (*page.selectbox, *page.multiselect))
    for argument in {*LABELS} - {"refs_as_systems"}:  # which needs a second reference
        assert LABELS[argument].rpartition("> ")[2] in labels
