"""The page Lecture: which scene, on which sentences, how far; and the stage, which is told and asks."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.report import lecture_texts as texts
from mtsig_core.stats.measured import measure
from pages._ui import address, lecture_rounds, results, screen
from pages._ui.ending import end_page
from pages._ui.lecture_files import handout_file
from pages._ui.lecture_pitfalls import COMPARISONS, DOCUMENTS, MEAN
from pages._ui.lecture_power import POWER
from pages._ui.lecture_rounds import Round, numbers
from pages._ui.lecture_scenes import BLOCKS, BOOTSTRAP, RANDOMIZATION
from pages._ui.lecture_sets import beside, testset_of
from pages._ui.lecture_shown import Shown
from pages._ui.lecture_stage import component

__all__ = ["LectureView", "choose", "show"]

ROOT = Path(__file__).resolve().parents[2]
_KEY, _TURN, _HEARD, _TOLD = "lecture", "lecture.turn", "lecture.heard", "lecture.told"
_HAVE, _THERE = "lecture.have", "lecture.there"
_FILE, _ROUNDS = "lecture.file", "lecture.rounds_asked"
_SEED = 4  # its ten sentences leave something open
_METRIC = "bleu"
SCENES = {"mean": MEAN, "bootstrap": BOOTSTRAP, "randomization": RANDOMIZATION, "blocks": BLOCKS,
          "documents": DOCUMENTS, "comparisons": COMPARISONS, "power": POWER}
_OWN = ("scene", "step", "guess", "votes", "reveal", "extra", "world")  # what the address says of this page alone


@dataclass(frozen=True)
class LectureView:
    """What stands on the stage.

    Attributes
    ----------
    scene : str
    shown : Shown
    step : int
    guess : tuple of float or None
        What was predicted.
    votes : tuple of float
        Of the room, as the scale of the guess has them.
    reveal : bool
    have : int
        Draws that the stage has already.
    extra : bool
        Whether it shows what comes after the answer.
    """

    scene: str
    shown: Shown
    step: int
    guess: tuple[float, ...] | None
    votes: tuple[float, ...]
    reveal: bool
    have: int
    extra: bool


def choose() -> LectureView:
    """What the address asks for, after what the stage asked."""
    _hear()
    for key in _OWN:
        address.own(key)
    return _view()


def _view() -> LectureView:
    asked, state = address.asked("scene"), st.session_state
    name = asked if asked in SCENES else next(iter(SCENES))
    scene, shown = SCENES[name], _shown(name)
    return LectureView(name, shown, _whole("step", scene.steps(shown)), scene.guessed(address.asked("guess"), shown),
                       scene.voted(address.asked("votes"), shown), address.asked("reveal") == "true",
                       state.get(_HAVE, 0), address.asked("extra") == "true")


def _round(view: LectureView, truth: str = "") -> Round:
    """What is remembered of a view, and what came of it."""
    shown, scale = view.shown, SCENES[view.scene].scale(view.shown)
    options = scale.get("options", ())
    of = "made-up scores" if view.scene == "documents" else texts.about(shown.testset)
    return Round(view.scene, of, shown.seed, shown.world, view.step,
                 texts.predicted(view.guess, options) if view.guess else "",
                 texts.voted(view.votes, scale["kind"], options), numbers(view.votes) or "", truth)


def _shown(scene: str) -> Shown:
    """What a scene is about, as the address has it."""
    testset = testset_of(scene)
    names = measure(testset, _METRIC, statistics=results.statistics(testset, _METRIC)).best_first().names
    a, b = (address.asked(key) for key in "ab")
    if a == b or not {a, b} <= set(names):
        a, b = names[0], names[-1]  # a difference that can be seen on a few sentences
    world = _whole("world", max(0, len(SCENES[scene].worlds) - 1))
    return Shown(testset, _METRIC, a, b, _whole("seed", (1 << 63) - 1, _SEED), world,
                 lambda: results.statistics(testset, _METRIC))


def show(view: LectureView | MtsigError) -> None:
    """Mount the stage."""
    state = st.session_state
    there = state.pop(_THERE, 0)  # draws that the stage has: they are not sent with every step
    if address.by_history():
        state[_TURN], there = state.get(_TURN, 0) + 1, 0
    try:
        if isinstance(view, MtsigError):
            raise view
        scene, keys = SCENES[view.scene], list(SCENES)
        most = scene.steps(view.shown)
        drawn = min(most, -(-max(view.step, view.have + 1) // scene.at_once) * scene.at_once)
        played = view.guess is not None or view.step > 0
        data = {
            "turn": f"{state.get(_TURN, 0)} {view.scene} {view.shown.seed} {view.shown.world}", "scene": view.scene,
            "about": texts.about(view.shown.testset) if view.scene != "documents" else "",
            "instead": beside(view.scene, {"scene": view.scene, "seed": view.shown.seed, "world": view.shown.world,
                                           "step": view.step, "guess": numbers(view.guess)},
                              {"a": view.shown.a, "b": view.shown.b}),
            "number": keys.index(view.scene) + 1, "of": len(keys), "seed": view.shown.seed, "most": most,
            **asdict(scene.words), "guess": scene.scale(view.shown), "body": scene.body(view.shown),
            "state": {"guess": view.guess, "step": view.step, "revealed": view.reveal, "votes": view.votes,
                      "extra": view.reveal and view.extra, "room": _round(view).room},
            "past": lecture_rounds.past(view.scene, keys),
            "worlds": list(scene.worlds) or None, "world": view.shown.world,
            "rows": scene.rows(view.shown, drawn) if played and drawn > there else None,
            "further": scene.further(view.shown, view.step) if scene.further and view.extra and view.step else None,
            "end": scene.end(view.shown, view.step) if view.reveal and view.step else None}
    except MtsigError as problem:
        screen.error(problem)
        for name in ("data", "overview"):  # there is no side bar
            st.page_link(ROOT / "pages" / f"{name}.py", label=name.capitalize())
        end_page()
    lecture_rounds.note(_round(view, data["end"]["truth"] if data["end"] else ""))
    data |= {"kept": lecture_rounds.kept(view.scene, played), "told": state.get(_TOLD, False),
             "heard": state.get(_HEARD), "file": _file(view),
             "rounds": {**lecture_rounds.words(SCENES), "id": asked} if (asked := state.pop(_ROUNDS, None)) else None}
    st.html("<style>header, [data-testid=stSidebar], [data-testid=stPageLink] {display: none} "
            "[data-stale] {opacity: 1 !important}</style>")
    address.link(ROOT / "pages" / "overview.py", "Overview")  # the stage clicks it: one step of the history
    component(*SCENES)(data=data, key=_KEY, on_asks_change=lambda: None)
    if scene.prepare and not played:
        scene.prepare(view.shown)  # while the room talks
    if data["end"] and not view.extra:
        scene.go_on(view.shown, view.step)


def _file(view: LectureView) -> dict | None:
    """What the stage asked to take away."""
    asked = st.session_state.get(_FILE)  # it stays until more is asked: this run may not come to its end
    if asked is None:
        return None
    if asked[0] == "votes":
        made = lecture_rounds.votes_file(SCENES)
    else:
        scenes = SCENES if asked[0] == "all handouts" else [view.scene]
        made = handout_file({key: (SCENES[key], _shown(key), view.step if key == view.scene else 0) for key in scenes})
    return {**made, "id": asked[1]}


def _hear() -> None:
    """Take what the stage asks into the address, once."""
    state = st.session_state
    asks = (state.get(_KEY) or {}).get("asks") if address.page() == "lecture" else None
    if isinstance(asks, dict) and asks.get("at") != state.get(_HEARD):
        _take(asks)
        state[_HEARD] = asks.get("at")  # a run may be broken off before: then it is taken in by the next


def _take(asks: dict) -> None:
    """How far, what was guessed, another scene or seed."""
    state = st.session_state
    state[_FILE] = (asks["file"], asks["at"]) if asks.get("file") in ("handout", "all handouts", "votes") else None
    state[_ROUNDS] = asks["at"] if asks.get("rounds") else state.get(_ROUNDS)
    if "told" in asks:
        lecture_rounds.hear(asks["told"])
        state[_TOLD] = True
    scene = asks.get("scene") if asks.get("scene") in SCENES else next(iter(SCENES))
    state[_THERE] = int(asks.get("rows") or 0)
    state[_HAVE] = int(asks.get("have") or 0)
    _say(scene=scene, step=int(asks.get("step") or 0) or None, guess=numbers(asks.get("guess")),
         votes=numbers(asks.get("votes")), **{key: "true" if asks.get(key) else None for key in ("reveal", "extra")})
    if not any(key in asks for key in ("move", "again", "reseed", "world")):
        return
    lecture_rounds.note(_round(_view()))  # before it is left
    keys, by = list(SCENES), asks["move"] if asks.get("move") in (1, -1) else 0
    state[_TURN], state[_HAVE], state[_THERE] = state.get(_TURN, 0) + 1, 0, 0
    if by or isinstance(asks.get("world"), int):
        _say(world=asks.get("world") or None)
    if asks.get("reseed"):
        _say(seed=_whole("seed", (1 << 63) - 2, _SEED) + 1)
    _say(scene=keys[(keys.index(scene) + by) % len(keys)], step=None, reveal=None, extra=None, guess=None, votes=None)
    _say(votes=lecture_rounds.typed(_round(_view()).place) or None)


def _say(**said: object) -> None:
    for key, value in said.items():
        address.keep(key, None if value is None else [str(value)])


def _whole(key: str, most: int, usual: int = 0) -> int:
    """A whole number of the address, the usual one where it says none."""
    said = address.asked(key) or ""
    return min(int(said), most) if said.isascii() and said.isdigit() and len(said) < 20 else usual
