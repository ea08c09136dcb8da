"""The page Lecture: its scene, sentences and step, and the messages to and from the stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.palette import shortened
from mtsig_core.stats.engine import measure
from pages._sections.lecture_handouts import handout_file
from pages._sections.lecture_rounds import (
    Round,
    find_votes,
    format_numbers,
    keep_round,
    list_for_tab,
    recall_last_round,
    restore_rounds,
    tabulate_rounds,
    votes_file,
)
from pages._sections.lecture_scenes import (
    BLOCKS,
    BOOTSTRAP,
    COMPARISONS,
    DOCUMENTS,
    MEAN,
    POWER,
    RANDOMIZATION,
    Scene,
    Subject,
)
from pages._server import rooms
from pages._server.components import lecture_component
from pages._ui import address, screen, testsets
from pages._ui.catalogue import PAGES
from pages._ui.screen import end_page

# Keys of the session. The stage's state; how often the scene began again; the last request that was
# taken in; whether the tab has told its rounds; how many draws the stage has computed and received;
# the file and the table of rounds that it asked for.
_KEY = "lecture"
_TURN = "lecture.turn"
_HEARD = "lecture.heard"
_TOLD = "lecture.told"
_HAVE = "lecture.have"
_THERE = "lecture.there"
_FILE = "lecture.file"
_ROUNDS = "lecture.rounds_asked"

_SEED = 4  # its ten sentences leave something open
_LARGEST_SEED = (1 << 63) - 1
_METRIC = "bleu"
_WIDEST = 30  # characters of a value in a message
SCENES = {
    "mean": MEAN,
    "bootstrap": BOOTSTRAP,
    "randomization": RANDOMIZATION,
    "blocks": BLOCKS,
    "documents": DOCUMENTS,
    "comparisons": COMPARISONS,
    "power": POWER,
}
#: Segments that a test set needs for a scene to be about it.
_LEAST = {"bootstrap": 12, "randomization": 10, "blocks": 3000}
#: What the address has only for this page.
_OWN_KEYS = ("scene", "step", "guess", "votes", "reveal", "extra", "world")
_FILES = ("handout", "all handouts", "votes")


# What the address describes.


@dataclass(frozen=True)
class LectureView:
    """The state of the stage."""

    scene: str
    subject: Subject
    step: int
    guess: tuple[float, ...] | None  # what was predicted
    votes: tuple[float, ...]  # of the room, as the scale of the guess has them
    reveal: bool
    have: int  # draws that the stage has already
    extra: bool  # whether it shows what comes after the answer


def choose_scene() -> LectureView | MtsigError:
    """Return the state that the address describes, after the request of the stage."""
    _receive()
    for key in _OWN_KEYS:
        address.own(key)
    try:
        return _view()
    except MtsigError as problem:
        return problem


def _view() -> LectureView:
    name = address.asked("scene")
    if name not in SCENES:
        name = next(iter(SCENES))
    scene = SCENES[name]
    subject = _find_subject(name)
    return LectureView(
        scene=name,
        subject=subject,
        step=_read_number("step", scene.steps(subject)),
        guess=scene.read_guess(address.asked("guess"), subject),
        votes=scene.read_votes(address.asked("votes"), subject),
        reveal=address.asked("reveal") == "true",
        have=st.session_state.get(_HAVE, 0),
        extra=address.asked("extra") == "true",
    )


def _find_subject(scene: str) -> Subject:
    """Return the subject of a scene that the address describes."""
    testset, instead = find_testset(scene)
    names = measure(testset, _METRIC).best_first().names
    a = address.asked("a")
    b = address.asked("b")
    if a == b or a not in names or b not in names:
        a, b = names[0], names[-1]  # a difference that can be seen on a few sentences
    return Subject(
        testset=testset,
        metric=_METRIC,
        a=a,
        b=b,
        seed=_read_number("seed", _LARGEST_SEED, _SEED),
        world=_read_number("world", max(0, len(SCENES[scene].worlds) - 1)),
        instead=instead,
    )


def find_testset(scene: str) -> tuple[TestSet, str]:
    """Return the test set of the address if it suits the scene, and no reason.

    Else the large simulated test set, and the reason.
    """
    name = address.asked("testset")
    offers = testsets.available()
    reason = ""
    if name is not None:
        offer = testsets.find(name, offers)
        if offer is None:
            raise testsets.Gone(name)
        testset = offer.load()
        if scene in _LEAST:
            reason = texts.explain_unsuited(testset, _LEAST[scene])
            if not reason:
                return testset, ""
    return offers[testsets.LARGE.title].load(), reason


def explain_ignored(view: LectureView) -> str:
    """Return the values and the test set in the address that a scene does not use."""
    subject = view.subject
    values = {
        "scene": view.scene,
        "seed": subject.seed,
        "world": subject.world,
        "step": view.step,
        "guess": format_numbers(view.guess),
    }
    if not view.votes:
        values["votes"] = ""
    if view.scene in _LEAST and not subject.instead:
        values |= {"a": subject.a, "b": subject.b}
    ignored = []
    for key, value in values.items():
        text = address.asked(key)
        if text is not None and text != str(value):
            ignored.append(shortened(f"{key}={text}", _WIDEST))
    reasons = []
    if ignored:
        reasons.append(f"The link asks for {' and '.join(ignored)}: not available here.")
    if subject.instead:
        reasons.append(subject.instead)
    return " ".join(reasons)


def _read_number(key: str, most: int, default: int = 0) -> int:
    """Return a whole number of the address, or the default."""
    text = address.asked(key) or ""
    if text.isascii() and text.isdigit() and len(text) < 20:
        return min(int(text), most)
    return default


def _round_of(view: LectureView, truth: str = "") -> Round:
    """Return the round of a view, with its result."""
    subject = view.subject
    scale = SCENES[view.scene].scale(subject)
    options = scale.get("options", ())
    testset = "simulated scores"
    if view.scene != "documents":
        testset = texts.name_source(subject.testset)
    return Round(
        scene=view.scene,
        testset=testset,
        seed=subject.seed,
        world=subject.world,
        steps=view.step,
        guess=texts.describe_guess(view.guess, options) if view.guess else "",
        room=texts.describe_votes(view.votes, scale["kind"], options),
        votes=format_numbers(view.votes) or "",
        truth=truth,
    )


# What the stage shows.


def show(view: LectureView | MtsigError) -> None:
    """Mount the stage."""
    if isinstance(view, MtsigError):
        _show_problem(view)
    state = st.session_state
    n_received = state.pop(_THERE, 0)  # draws that the stage has: they are not sent with every step
    if address.by_history():
        state[_TURN] = state.get(_TURN, 0) + 1
        n_received = 0
    scene = SCENES[view.scene]
    is_played = view.guess is not None or view.step > 0
    try:
        data = _describe_scene(view, scene) | _compute_draws(view, scene, n_received)
    except MtsigError as problem:
        _show_problem(problem)
    end = data["end"]
    keep_round(_round_of(view, end["truth"] if end else ""))
    data |= {
        "kept": list_for_tab(view.scene, is_played),
        "told": state.get(_TOLD, False),
        "heard": state.get(_HEARD),
        "file": _make_file(view),
        "rounds": _list_asked_rounds(),
        "ticket": rooms.TICKET,
    }
    address.link("summary", "Summary")  # the stage clicks it: one step of the history
    lecture_component(*SCENES)(data=data, key=_KEY, on_asks_change=lambda: None)
    if scene.prepare is not None and not is_played:
        scene.prepare(view.subject)  # while the room talks
    if end and not view.extra:
        scene.go_on(view.subject, view.step)


def _show_problem(problem: MtsigError) -> None:
    """Write why there is no scene, and end the page."""
    screen.error(problem)
    for name in ("upload", "summary"):  # there are no menus
        st.page_link(PAGES[name].file, label=PAGES[name].title)
    end_page()


def _describe_scene(view: LectureView, scene: Scene) -> dict:
    """Return what the stage shows without any draw."""
    subject = view.subject
    keys = list(SCENES)
    about = ""
    if view.scene != "documents":
        about = texts.name_source(subject.testset)
    turn = st.session_state.get(_TURN, 0)
    return {
        "turn": f"{turn} {view.scene} {subject.seed} {subject.world}",
        "scene": view.scene,
        "about": about,
        "instead": explain_ignored(view),
        "number": keys.index(view.scene) + 1,
        "of": len(keys),
        "seed": subject.seed,
        "most": scene.steps(subject),
        **asdict(scene.words),
        "guess": scene.scale(subject),
        "body": scene.body(subject),
        "state": {
            "guess": view.guess,
            "step": view.step,
            "revealed": view.reveal,
            "votes": view.votes,
            "extra": view.reveal and view.extra,
            "room": _round_of(view).room,
        },
        "past": recall_last_round(view.scene, keys),
        "worlds": list(scene.worlds) or None,
        "world": subject.world,
    }


def _compute_draws(view: LectureView, scene: Scene, n_received: int) -> dict:
    """Return the draws that the stage does not have yet, and the end of the scene."""
    subject = view.subject
    is_played = view.guess is not None or view.step > 0
    data: dict = {"rows": None, "further": None, "end": None}
    n_needed = max(view.step, view.have + 1)
    n_batches = -(-n_needed // scene.at_once)  # rounded up
    n_drawn = min(scene.steps(subject), n_batches * scene.at_once)
    if is_played and n_drawn > n_received:
        data["rows"] = scene.rows(subject, n_drawn)
    if scene.further is not None and view.extra and view.step:
        data["further"] = scene.further(subject, view.step)
    if view.reveal and view.step:
        data["end"] = scene.end(subject, view.step)
    return data


def _list_asked_rounds() -> dict | None:
    """Return the table of rounds that the stage asked for."""
    request = st.session_state.pop(_ROUNDS, None)
    if not request:
        return None
    return {**tabulate_rounds(SCENES), "id": request}


def _make_file(view: LectureView) -> dict | None:
    """Return the file that the stage asked for."""
    # The request stays until the next one: this run may not come to its end.
    request = st.session_state.get(_FILE)
    if request is None:
        return None
    kind, number = request
    if kind == "votes":
        return {**votes_file(SCENES), "id": number}
    keys = list(SCENES) if kind == "all handouts" else [view.scene]
    scenes = {}
    for key in keys:
        step = view.step if key == view.scene else 0
        scenes[key] = (SCENES[key], _find_subject(key), step)
    return {**handout_file(scenes), "id": number}


# What the stage asks for.


def _receive() -> None:
    """Take a request of the stage into the address, once."""
    if address.page() != "lecture":
        return
    state = st.session_state
    request = (state.get(_KEY) or {}).get("asks")
    if isinstance(request, dict) and request.get("at") != state.get(_HEARD):
        _apply(request)
        # A run may be broken off before this: then the next one takes the request in.
        state[_HEARD] = request.get("at")


def _apply(request: Mapping) -> None:
    """Apply a request for a step, a guess, or another scene or seed."""
    state = st.session_state
    state[_FILE] = None
    if request.get("file") in _FILES:
        state[_FILE] = (request["file"], request["at"])
    if request.get("rounds"):
        state[_ROUNDS] = request["at"]
    if "told" in request:
        restore_rounds(request["told"])
        state[_TOLD] = True
    scene = request.get("scene")
    if scene not in SCENES:
        scene = next(iter(SCENES))
    state[_THERE] = int(request.get("rows") or 0)
    state[_HAVE] = int(request.get("have") or 0)
    _keep_in_address(
        scene=scene,
        step=int(request.get("step") or 0) or None,
        guess=format_numbers(request.get("guess")),
        votes=format_numbers(request.get("votes")),
        reveal="true" if request.get("reveal") else None,
        extra="true" if request.get("extra") else None,
    )
    if any(key in request for key in ("move", "again", "reseed", "world")):
        _begin_scene(request, scene)


def _begin_scene(request: Mapping, scene: str) -> None:
    """Begin a scene: the next or previous one, or the same again, with another seed or world."""
    keep_round(_round_of(_view()))  # before it is left
    state = st.session_state
    state[_TURN] = state.get(_TURN, 0) + 1
    state[_HAVE] = 0
    state[_THERE] = 0
    move = request.get("move")
    if move not in (1, -1):
        move = 0
    world = request.get("world")
    if move or isinstance(world, int):
        _keep_in_address(world=world or None)
    if request.get("reseed"):
        _keep_in_address(seed=_read_number("seed", _LARGEST_SEED - 1, _SEED) + 1)
    keys = list(SCENES)
    following = keys[(keys.index(scene) + move) % len(keys)]
    _keep_in_address(scene=following, step=None, reveal=None, extra=None, guess=None, votes=None)
    _keep_in_address(votes=find_votes(_round_of(_view()).place) or None)


def _keep_in_address(**values: object) -> None:
    for key, value in values.items():
        address.keep(key, None if value is None else [str(value)])
