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

#: What each scene may be sent before the guess.
BEFORE = {
    "mean": {"names", "outputs", "scores", "mean", "lengths"},
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


@pytest.mark.parametrize("scene", brief(3, SCENES))
def test_before_the_guess_nothing_is_sent_that_answers(opened, scene):
    data = sent(opened("lecture", SMALL, testset=SMALL.title, scene=scene))
    assert data["scene"] == scene
    assert set(data["body"]) == BEFORE[scene]
    assert data["rows"] is None
    assert data["end"] is None
    assert data["further"] is None
    assert data["past"] == []
    assert ("and this scene needs 3,000. Open a larger" in data["instead"]) == (
        scene == "blocks"
    )  # of 300 sentences


@pytest.mark.parametrize(
    "scene, asked, said",
    [
        ("mean", {}, ""),
        ("bootstrap", {"a": "Danish", "b": "Greek"}, ""),
        ("mean", {"a": "of another set"}, ""),
        ("99", {}, "scene=99"),
        (
            "documents",
            {"seed": "inf", "world": "77", "guess": "much", "step": "-1"},
            "seed=inf and world=77 and step=-1 and guess=much",
        ),
        ("randomization", {"a": "<b>nobody"}, "a=<b>nobody"),
        ("blocks", {"a": "nobody"}, ""),
    ],
)
def test_what_a_link_asks_in_vain_is_said_before_the_guess(opened, scene, asked, said):
    told = sent(opened("lecture", SMALL, testset=SMALL.title, scene=scene, **asked))["instead"]
    assert (
        told.startswith(f"The link asks for {said}: not available here.")
        if said
        else "The link" not in told
    )


def test_a_link_gives_the_numbers_of_the_core_again(opened):
    asked = {
        "scene": "bootstrap",
        "seed": "3",
        "step": "12",
        "guess": "5",
        "reveal": "true",
        "testset": SMALL.title,
    }
    data = sent(opened("lecture", SMALL, **asked))
    demo = load_demo(300)
    names = data["body"]["names"]
    few = excerpt(demo, "bleu", *names, 12, 3)
    found = resamples(few, 3, 0, 12)
    assert data["rows"]["observed"] == pytest.approx(
        [few.scores[0], few.scores[0] - few.scores[1]], abs=1e-4
    )
    assert data["rows"]["weights"][:12] == found.weights.tolist()
    assert data["rows"]["scores"][:12] == pytest.approx(found.scores[:, 0], abs=1e-4)
    assert data["end"]["worse"] == found.share_worse
    assert data["state"]["guess"] == [5]
    assert (
        f"is worse than {names[1]} on {data['end']['worse_said']} of the same 12 draws"
        in data["end"]["after"]
    )
    least, most = found.scores[:, 0].min(), found.scores[:, 0].max()
    moved = f"so its score moves: {least:.1f} to {most:.1f} (range of 12 draws, not yet a 95% interval)."
    assert moved in data["end"]["conclusion"]
    assert sent(opened("lecture", SMALL, **asked)) == data
    assert sent(opened("lecture", SMALL, **{**asked, "seed": "4"}))["rows"] != data["rows"]


@pytest.mark.long
def test_power_is_shown_as_the_core_has_it(opened):
    asked = {"scene": "power", "world": "1", "seed": "3", "step": "20", "reveal": "true"}
    data = sent(opened("lecture", SMALL, testset=SMALL.title, **asked))
    points, n = data["body"]["worlds"][1]
    two = better(load_demo(30000), "bleu", points)
    found = power_tests(two, n, 3, 0, 20)
    assert data["rows"]["differences"] == pytest.approx(found.differences, abs=1e-4)
    assert data["rows"]["found"] == found.significant.tolist()
    assert data["end"]["mean"] == found.mean_size
    conclusion = data["end"]["conclusion"]
    assert conclusion.startswith(f"The true difference is {points:g} points.")
    assert (
        f"of 20 test sets of {n} sentences find it significant (planning expects "
        f"{two.planned(n):.0%})"
    ) in conclusion


def test_each_place_of_the_two_sliders_of_documents_is_a_world_with_the_effect_beside_it(opened):
    asked = {"scene": "documents", "step": "300", "reveal": "true", "guess": "5"}
    body = sent(opened("lecture", SMALL, testset=SMALL.title, **asked))["body"]
    assert body["worlds"][0] == [20, 0.1]
    assert sorted(map(tuple, body["worlds"])) == sorted(
        product(body["sizes"], body["correlations"])
    )
    world = body["worlds"].index([40, 0.3])
    data = sent(opened("lecture", SMALL, testset=SMALL.title, world=str(world), **asked))
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
    (tmp_path / "ref").write_text("".join(f"a b c {k}\n" for k in range(12)))
    for k, name in enumerate(names):
        (tmp_path / name).write_text("".join(f"a b {'c' * (1 - k)} {n}\n" for n in range(12)))
    source = Source(
        ref=(("ref", str(tmp_path / "ref")),), system=tuple((n, str(tmp_path / n)) for n in names)
    )
    data = sent(
        opened("lecture", source, testset=source.title, scene="bootstrap", step="20", reveal="true")
    )
    assert [name[:3] + name[-3:] for name in data["body"]["names"]] == shown
    assert len(set(data["body"]["names"])) == 2
    assert "a" * 20 not in data["end"]["conclusion"]


def test_the_exact_p_is_that_of_all_swaps(opened):
    data = sent(
        opened(
            "lecture", SMALL, scene="randomization", step="20", reveal="true", testset=SMALL.title
        )
    )
    few = excerpt(load_demo(300), "bleu", *data["body"]["names"], 10, data["seed"])
    assert data["end"]["exact"] == all_swaps(few).p
    assert data["end"]["ways"] == 1024
    assert data["rows"]["p"][19] == pytest.approx((data["rows"]["counts"][19] + 1) / 21)


@pytest.mark.parametrize(
    ("scene", "guess"), [("mean", "2"), ("bootstrap", "3,4"), ("documents", "101")]
)
def test_a_guess_that_is_not_on_the_scale_of_its_scene_is_none(opened, scene, guess):
    data = sent(opened("lecture", SMALL, testset=SMALL.title, scene=scene, guess=guess))
    assert data["state"]["guess"] is None
    assert data["rows"] is None


def test_a_choice_is_remembered_by_its_name_and_none_is_made_beforehand(opened):
    page = opened(
        "lecture", SMALL, testset=SMALL.title, scene="mean", step="3", guess="1", reveal="true"
    )
    data = sent(page)
    assert "start" not in data["guess"]
    (kept,) = data["kept"]
    assert (kept["guess"], kept["truth"]) == (data["guess"]["options"][1], data["end"]["truth"])
    page.session_state["lecture.there"] = 3  # what the stage has is not sent with every step
    assert sent(page.run())["rows"] is None
    assert sent(page.run())["rows"]["n"] == 3


def test_the_link_on_a_handout_names_the_test_set(opened):
    page = opened(
        "lecture", SMALL, testset=SMALL.title, scene="bootstrap", step="20", reveal="true"
    )
    page.session_state["lecture.file"] = "handout", 1.0
    assert "testset=" in sent(page.run())["file"]["text"]


@pytest.mark.long
def test_what_is_chosen_stands_on_paper_and_no_escape_does(opened):
    page = opened(
        "lecture", SMALL, testset=SMALL.title, scene="documents", step="20", reveal="true"
    )
    page.session_state["lecture.file"] = "all handouts", 1.0
    text = sent(page.run())["file"]["text"]
    assert "Chosen: 1 point, 300 sentences." in text
    assert "Chosen: 20 a document, rho 0.1." in text
    assert "1 + (m - 1) rho is" in text
    assert "\\x" not in text


def test_a_test_set_that_is_gone_is_said(opened):
    page = opened("lecture", SMALL, testset="~nowhere")
    assert "is not here" in "".join(node.proto.body for node in page.get("html"))
    assert [node.proto.label for node in page.get("page_link")] == [
        "Upload",
        HOME.title,
    ]  # there is no sidebar


@pytest.mark.parametrize(
    ("scene", "votes", "said"),
    [
        ("bootstrap", "3,4,4", "3, 4, 4"),
        ("bootstrap", "1,3,4,4,5,6,2,4,12", "1, 3, 4, 4, 5, 6, 2, 4, 12"),
        ("bootstrap", ",".join("47" * 20), "40 votes from 4 to 7, median 5.5"),
        ("bootstrap", ",".join("4" * 301), ""),
        ("bootstrap", "3,13", ""),
        ("bootstrap", "x", ""),
        ("mean", "40,35,9", "{} 40, {} 35, tie 9"),
        ("blocks", "18,40,25,30", "18\u201340, 25\u201330"),
        ("blocks", "18,40,25", ""),
    ],
)
def test_votes_of_a_link_are_numbers_ranges_or_hands(opened, scene, votes, said):
    data = sent(opened("lecture", SMALL, testset=SMALL.title, scene=scene, votes=votes))
    assert data["state"]["room"] == said.format(*data["guess"].get("options", ()))
    assert [one["votes"] for one in data["kept"]] == ([votes] if said else [])
    assert data["rows"] is None


@pytest.fixture
def session(monkeypatch):
    """A session of which the rounds alone are asked."""
    monkeypatch.setattr(lecture_rounds.st, "session_state", {})


def said(guess="", votes="", truth="", scene="bootstrap", seed=4):
    return Round(scene, "made up", seed, 0, 20, guess, votes.replace(",", ", "), votes, truth)


def test_no_round_is_lost_and_none_stands_twice(session):
    for one in (
        said(votes="3,4"),
        said("2", "3,4"),
        said("2", "3,4", "4.2"),
        said("2", "3,4"),  # the last by Back
        said("5", "4,4"),
        said("5", "4,4", "4.2"),
        said("1", seed=5),
        said("=1", scene="mean", truth="A"),
    ):
        lecture_rounds.keep_round(one)
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
    assert (
        lecture_rounds.find_votes(said(seed=5).place)
        == ""
        == lecture_rounds.find_votes(said().place)
    )
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
