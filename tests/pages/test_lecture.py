"""What the stage of the lecture is sent: nothing that answers before the guess, all by a link after
it.
"""

import json
from itertools import product

import pytest

from mtsig_core.experiments.lecture import (
    all_swaps,
    better,
    equal_tests,
    excerpt,
    power_tests,
    resamples,
)
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.source import Source
from pages._sections import lecture_rounds
from pages._sections.lecture_rounds import Round
from pages._sections.lecture_stage import SCENES
from pages._ui.catalogue import HOME
from tests.builders.cases import brief
from tests.builders.screens import links, words, written

#: What each scene may be sent before the guess.
BEFORE = {
    "mean": {"names", "outputs", "references", "scores", "mean", "lengths"},
    "bootstrap": {"sentences", "names", "metric", "sums", "sums_of", "extra"},
    "randomization": {"outputs", "names", "observed", "metric"},
    "blocks": {"ribbon", "metric", "size", "ribbon_label", "extra"},
    "documents": {
        "per_document",
        "documents",
        "alpha",
        "tiles_label",
        "sizes",
        "correlations",
        "worlds",
    },
    "comparisons": {"systems", "better", "true_pairs", "corrections", "extra"},
    "power": {"points", "sizes", "worlds", "metric", "alpha"},
}
SMALL = Source(demo=300)


def sent(app):
    """The data of the stage."""
    (found,) = (node.proto for node in app.main if getattr(node, "type", "") == "bidi_component")
    return json.loads(found.json)


@pytest.fixture
def stage(opened):
    """What the stage is sent for a link."""
    return lambda **asked: sent(opened("lecture", SMALL, testset=SMALL.title, **asked))


@pytest.mark.parametrize("scene", brief(3, SCENES))
def test_before_the_guess_nothing_is_sent_that_answers(scene, stage):
    data = stage(scene=scene)
    assert data["scene"] == scene
    assert set(data["body"]) == BEFORE[scene]
    assert [data[name] for name in ("rows", "end", "further", "past")] == [None, None, None, []]
    told = "This scene needs 3,000 sentences" in data["instead"]
    assert told == (scene == "blocks")  # of 300 sentences


@pytest.mark.parametrize(
    "scene, asked, said",
    brief(
        4,
        [
            (
                "documents",
                {"seed": "inf", "world": "77", "guess": "much", "step": "-1"},
                "seed=inf and world=77 and step=-1 and guess=much",
            ),
            ("99", {}, "scene=99"),
            ("bootstrap", {"a": "Danish", "b": "Greek"}, ""),
            ("randomization", {"a": "<b>nobody"}, "a=<b>nobody"),
            ("mean", {}, ""),
            ("mean", {"a": "of another set"}, ""),
            ("blocks", {"a": "nobody"}, ""),
        ],
    ),
)
def test_what_a_link_asks_in_vain_is_said_before_the_guess(scene, asked, said, stage):
    told = stage(scene=scene, **asked)["instead"]
    if said:
        assert told.startswith(f"The link asks for {said}: not available here.")
    else:
        assert "The link" not in told


def test_a_link_gives_the_numbers_of_the_core_again(stage):
    asked = {"scene": "bootstrap", "seed": "3", "step": "12", "guess": "5", "reveal": "true"}
    data = stage(**asked)
    rows, end = data["rows"], data["end"]
    names = data["body"]["names"]
    assert names == ["System A", "System B"]  # not after the languages of the simulation
    sentences = excerpt(load_demo(300), "bleu", "Spanish", "Finnish", 12, 3)
    draws = resamples(sentences, 3, 0, 12)
    first, second = sentences.scores[:2]
    scores = draws.scores[:, 0]
    assert rows["observed"] == pytest.approx([first, first - second], abs=1e-4)
    assert rows["weights"][:12] == draws.weights.tolist()
    assert rows["scores"][:12] == pytest.approx(scores, abs=1e-4)
    assert end["worse"] == draws.share_worse
    assert data["state"]["guess"] == [5]
    worse = f"is worse than {names[1]} on {end['worse_said']} of the same 12 draws"
    assert worse in end["after"]
    spread = f"{scores.min():.1f} to {scores.max():.1f} (range of 12 draws, not yet a 95% interval)"
    assert f"so its score moves: {spread}." in end["conclusion"]
    assert stage(**asked) == data
    assert stage(**asked | {"seed": "4"})["rows"] != rows


@pytest.mark.long
def test_power_is_shown_as_the_core_has_it(stage):
    data = stage(scene="power", world="1", seed="3", step="20", reveal="true")
    points, n = data["body"]["worlds"][1]
    two = better(load_demo(30000), "bleu", points)
    found = power_tests(two, n, 3, 0, 20)
    assert data["rows"]["differences"] == pytest.approx(found.differences, abs=1e-4)
    assert data["rows"]["found"] == found.significant.tolist()
    assert data["end"]["mean"] == found.mean_size
    conclusion = data["end"]["conclusion"]
    assert conclusion.startswith(f"The true difference is {points:g} points.")
    expects = f"(planning expects {two.planned(n):.0%})"
    assert f"of 20 test sets of {n} sentences find it significant {expects}" in conclusion


def test_each_place_of_the_two_sliders_of_documents_is_a_world_with_the_effect_beside_it(stage):
    asked = {"scene": "documents", "step": "300", "reveal": "true", "guess": "5"}
    body = stage(**asked)["body"]
    worlds = body["worlds"]
    assert worlds[0] == [20, 0.1]
    assert sorted(map(tuple, worlds)) == sorted(product(body["sizes"], body["correlations"]))
    data = stage(**asked, world=str(worlds.index([40, 0.3])))
    assert data["body"]["per_document"] == 40
    assert data["end"]["effect"] == pytest.approx(1 + 39 * 0.3)
    found = equal_tests(40, 0.3, data["seed"], 0, 300)
    assert data["rows"]["sentence"][:300] == pytest.approx(found.by_sentence, abs=1e-5)
    assert data["end"]["of_hundred"] == 100 * found.rejected()[0].share


@pytest.mark.parametrize(
    ("end", "shown"), [("", ["aaaaax", "aaaaay"]), ("-averaged", ["aa…ged", "aa…ged"])]
)
def test_long_names_are_cut_on_the_stage(opened, tmp_path, end, shown):
    names = [f"{'a' * 40}{k}{end}" for k in "xy"]
    reference, better, worse = ([f"a b {word} {k}" for k in range(12)] for word in ("c", "c", "d"))
    source = written(tmp_path, reference, (better, worse), names=names)
    asked = {"scene": "bootstrap", "step": "20", "reveal": "true"}
    data = sent(opened("lecture", source, testset=source.title, **asked))
    assert [name[:3] + name[-3:] for name in data["body"]["names"]] == shown
    assert len(set(data["body"]["names"])) == 2
    assert "a" * 20 not in data["end"]["conclusion"]


def test_the_exact_p_is_that_of_all_swaps(stage):
    data = stage(scene="randomization", step="20", reveal="true")
    sentences = excerpt(load_demo(300), "bleu", "Spanish", "Finnish", 10, data["seed"])
    assert data["end"]["exact"] == all_swaps(sentences).p
    assert data["end"]["ways"] == 1024
    assert data["rows"]["p"][19] == pytest.approx((data["rows"]["counts"][19] + 1) / 21)


@pytest.mark.parametrize(
    ("scene", "guess"), brief(1, [("documents", "101"), ("mean", "2"), ("bootstrap", "3,4")])
)
def test_a_guess_that_is_not_on_the_scale_of_its_scene_is_none(scene, guess, stage):
    data = stage(scene=scene, guess=guess)
    assert data["state"]["guess"] is None
    assert data["rows"] is None


def test_a_choice_is_remembered_by_its_name_and_none_is_made_beforehand(opened):
    asked = {"scene": "mean", "step": "3", "guess": "1", "reveal": "true"}
    page = opened("lecture", SMALL, testset=SMALL.title, **asked)
    data = sent(page)
    assert "start" not in data["guess"]
    [kept] = data["kept"]
    assert kept["guess"] == data["guess"]["options"][1]
    assert kept["truth"] == data["end"]["truth"]
    page.session_state["lecture.there"] = 3  # what the stage has is not sent with every step
    assert sent(page.run())["rows"] is None
    assert sent(page.run())["rows"]["n"] == 3


def test_the_link_on_a_handout_names_the_test_set(opened):
    asked = {"scene": "bootstrap", "step": "20", "reveal": "true"}
    page = opened("lecture", SMALL, testset=SMALL.title, **asked)
    page.session_state["lecture.file"] = "handout", 1.0
    assert "testset=" in sent(page.run())["file"]["text"]


@pytest.mark.long
def test_what_is_chosen_stands_on_paper_and_no_escape_does(opened):
    asked = {"scene": "documents", "step": "20", "reveal": "true"}
    page = opened("lecture", SMALL, testset=SMALL.title, **asked)
    page.session_state["lecture.file"] = "all handouts", 1.0
    text = sent(page.run())["file"]["text"]
    for said in (
        "Chosen: 1 point, 300 sentences.",
        "Chosen: 20 a document, rho 0.1.",
        "1 + (m - 1) rho is",
    ):
        assert said in text
    assert "\\x" not in text


def test_a_test_set_that_is_gone_is_said(opened):
    page = opened("lecture", SMALL, testset="~nowhere")
    assert "is not here" in words(page)
    assert list(links(page)) == ["Upload", HOME.title]  # there is no sidebar


@pytest.mark.parametrize(
    ("scene", "votes", "said"),
    [
        ("bootstrap", "3,4,4", "3, 4, 4"),
        ("bootstrap", "1,3,4,4,5,6,2,4,12", "1, 3, 4, 4, 5, 6, 2, 4, 12"),
        ("bootstrap", ",".join("47" * 20), "40 votes from 4 to 7, median 5.5"),
        ("bootstrap", ",".join("4" * 601), ""),
        ("bootstrap", "3,13", ""),
        ("bootstrap", "x", ""),
        ("mean", "40,35,9", "{} 40, {} 35, tie 9"),
        ("blocks", "18,40,25,30", "18\u201340, 25\u201330"),
        ("blocks", "18,40,25", ""),
    ],
)
def test_votes_of_a_link_are_numbers_ranges_or_hands(scene, votes, said, stage):
    data = stage(scene=scene, votes=votes)
    assert data["state"]["room"] == said.format(*data["guess"].get("options", ()))
    kept = [round_kept["votes"] for round_kept in data["kept"]]
    assert kept == ([votes] if said else [])
    assert data["rows"] is None


@pytest.fixture
def session(monkeypatch):
    """A session of which the rounds alone are asked."""
    monkeypatch.setattr(lecture_rounds.st, "session_state", {})


def said(guess="", votes="", truth="", scene="bootstrap", seed=4):
    return Round(scene, "made up", seed, 0, 20, guess, votes.replace(",", ", "), votes, truth)


@pytest.mark.usefixtures("session")
def test_no_round_is_lost_and_none_stands_twice():
    for kept in (
        said(votes="3,4"),
        said("2", "3,4"),
        said("2", "3,4", "4.2"),
        said("2", "3,4"),  # the last by Back
        said("5", "4,4"),
        said("5", "4,4", "4.2"),
        said("1", seed=5),
        said("=1", scene="mean", truth="A"),
    ):
        lecture_rounds.keep_round(kept)
    table = lecture_rounds.tabulate_rounds(SCENES)["rows"]
    assert [row[2:] for row in table] == [
        ["=1", "", "A"],
        ["1", "", ""],
        ["5", "4, 4", "4.2"],
        ["2", "3, 4", "4.2"],
    ]
    lines = lecture_rounds.votes_file(SCENES)["text"].splitlines()
    assert len(lines) == 5
    assert ',4,20,2,"3, 4",4.2' in lines[1]
    assert "'=1" in lines[4]
    for seed in (4, 5):
        assert lecture_rounds.find_votes(said(seed=seed).place) == ""
    lecture_rounds.keep_round(said(votes="7,7"))  # again, and away before the guess
    assert lecture_rounds.find_votes(said().place) == "7,7"


def test_the_tab_tells_what_an_earlier_session_had_and_keeps_no_answer_of_a_scene_before_its_guess(
    session,
):
    lecture_rounds.keep_round(said("2", "3,4", "4.2"))
    kept = lecture_rounds.list_for_tab("bootstrap", True)
    assert lecture_rounds.list_for_tab("bootstrap", False) is None
    assert lecture_rounds.list_for_tab("mean", False) == kept
    lecture_rounds.restore_rounds(
        [{**kept[0], "seed": 9}, *kept, {**kept[0], "seed": "9"}, {"scene": 1}, 7]
    )
    lecture_rounds.restore_rounds("nonsense")
    assert [one["seed"] for one in lecture_rounds.list_for_tab("mean", True)] == [9, 4]
