"""The questions of Learn: a guess is in the link, and is compared with the number on the page."""

import pytest

from mtsig_core.experiments.sampling import ratio_of_spreads, sample_both_kinds
from mtsig_core.source import Source
from pages._sections import questions
from pages._ui.catalogue import PAGES
from tests.builders.screens import labelled, links, read_address, words

SOURCE = Source(demo=240)
COURSE = [page for page in PAGES.values() if page.section == "Learn"]


def is_open(page):
    return "Show me" in [button.label for button in page.button]


def test_a_guess_is_kept_in_the_link_and_compared(opened):
    page = opened("sampling", SOURCE, size="100")
    assert is_open(page)
    assert "You said" not in words(page)
    labelled(page.button, "As much, or less").click()
    page.run()
    assert not is_open(page)
    assert read_address(page)["guess_sampling"] == "As much, or less"
    samples = sample_both_kinds(SOURCE.read(), "bleu", size=100)
    scores = [samples[kind].systems[0].scores for kind in ("blocks", "broad")]
    ratio, low, high = ratio_of_spreads(*scores)
    answer = f"It is: {ratio:.1f} times, and its interval includes other choices."
    assert low < 1.2 < high  # so no guess is called right
    assert f"You said: As much, or less. {answer}" in words(page)
    page.switch_page("pages/inside.py").run()  # a question of its own
    assert is_open(page)
    page.switch_page("pages/sampling.py").run()  # the visitor returns
    assert "You said: As much, or less." in words(page)


@pytest.mark.parametrize(
    "asked, said",
    [
        ({}, ""),
        ({"guess_units": "Show me"}, "</b> It is: "),
        ({"questions": "off"}, "</b> It is: "),
        ({"guess_units": "25 to 50"}, "You said: 25 to 50. Right. It is: "),
    ],
)
def test_a_link_shows_the_answer_at_once(opened, asked, said):
    page = opened("trust", SOURCE, experiment="Units", **asked)
    assert is_open(page) == (not said)
    assert said in words(page)


@pytest.mark.parametrize("name", questions.QUESTIONS)
def test_each_choice_is_right_for_some_number(name):
    row = questions.QUESTIONS[name]
    assert len(row["choices"]) == len(row["limits"]) + 1
    assert row["limits"] == sorted(row["limits"])


def test_each_page_leads_to_the_next_and_keeps_the_query(opened):
    for page, following in zip(COURSE[1:], [*COURSE[2:], PAGES["papers"]], strict=True):
        asked = links(opened(page.name, SOURCE, seed="3"))
        assert asked[f"Next: {following.title}"]["seed"] == "3"
