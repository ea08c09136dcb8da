"""The page Lecture: its scene, test set and step; rounds of guesses, handouts, the stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from urllib.parse import urlencode

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.export import to_csv
from mtsig_core.report.lecture_texts import HandoutPart, Strip, handout
from mtsig_core.report.palette import shortened
from mtsig_core.stats.engine import measure
from pages._sections.lecture_scenes import (
    BLOCKS,
    BOOTSTRAP,
    COMPARISONS,
    DOCUMENTS,
    MEAN,
    MOST_VOTES,
    POWER,
    RANDOMIZATION,
    Scene,
    Shown,
)
from pages._server.components import lecture_component
from pages._ui import address, result_cache, screen, testsets
from pages._ui.catalogue import PAGES
from pages._ui.screen import end_page

# Which test set a scene is about.

_LEAST = {
    "bootstrap": 12,
    "randomization": 10,
    "blocks": 3000,
}  # segments of a test set that a scene can be about
_WIDEST = 30


def find_testset(scene: str) -> tuple[TestSet, str]:
    """Return the test set of the address if it suits the scene; else the large simulated one, and
    the reason.
    """
    asked, offers, why = address.asked("testset"), testsets.available(), ""
    if asked is not None:
        if (offer := testsets.find(asked, offers)) is None:
            raise testsets.Gone(asked)
        testset = offer.load()
        if scene in _LEAST and not (why := texts.explain_unsuited(testset, _LEAST[scene])):
            return testset, ""
    return offers[testsets.LARGE.title].load(), why


def explain_ignored(view: LectureView) -> str:
    """Return the values and the test set in the address that a scene does not use."""
    shown = view.shown
    values = {
        "scene": view.scene,
        "seed": shown.seed,
        "world": shown.world,
        "step": view.step,
        "guess": format_numbers(view.guess),
    }
    if view.scene in _LEAST and not shown.instead:
        values |= {"a": shown.a, "b": shown.b}
    wrong = [
        shortened(f"{key}={asked}", _WIDEST)
        for key, value in values.items()
        if (asked := address.asked(key)) not in (None, str(value))
    ]
    text = f"The link asks for {' and '.join(wrong)}: not available here." if wrong else ""
    return " ".join(filter(None, (text, shown.instead)))


# Rounds: what was guessed and voted in each, and what came. The tab of the browser keeps them, too.

_ROUNDS_KEY, _MOST = "lecture.rounds", 200


@dataclass(frozen=True)
class Round:
    """One run of a scene, from the guess to the result."""

    scene: str  # its name, and the test set
    of: str
    seed: int
    world: int
    steps: int
    guess: str  # what was predicted and voted, in words; nothing where nothing was
    room: str
    votes: str  # as the address has them
    truth: str  # in words; nothing until it is revealed

    @property
    def place(self) -> tuple[object, ...]:
        return self.scene, self.of, self.seed, self.world


def format_numbers(said: object) -> str | None:
    """Write numbers of the stage for the address."""
    found = (
        [f"{float(x):g}" for x in said if isinstance(x, int | float)]
        if isinstance(said, list | tuple)
        else []
    )
    return ",".join(found[:MOST_VOTES]) or None


def _rounds() -> list[Round]:
    rounds: list[Round] = st.session_state.setdefault(_ROUNDS_KEY, [])
    return rounds


def keep_round(now: Round) -> None:
    """Remember a round; it replaces an earlier one of the same place without a result, or with the
    same guess and votes.
    """
    if not (now.guess or now.votes):
        return
    rounds = _rounds()
    same = [
        one
        for one in rounds
        if one.place == now.place
        and (not one.truth or (one.guess, one.votes) == (now.guess, now.votes))
    ]
    if now.truth or not any(one.truth for one in same):
        rounds[:] = [*(one for one in rounds if one not in same), now][-_MOST:]


def restore_rounds(told: object) -> None:
    """Restore the rounds that the tab kept of an earlier session."""
    kinds = {field.name: int if field.type == "int" else str for field in fields(Round)}
    now = list(_rounds())
    _rounds().clear()
    for one in told if isinstance(told, list) else []:
        if isinstance(one, dict) and {key: type(value) for key, value in one.items()} == kinds:
            keep_round(Round(**one))
    for one in now:
        keep_round(one)


def list_for_tab(scene: str, guessed: bool) -> list[dict] | None:
    """Return the rounds for the tab to keep; before the guess, none of a scene whose result they
    would show.
    """
    if not guessed and any(one.scene == scene and one.truth for one in _rounds()):
        return None
    return [asdict(one) for one in _rounds()]


def recall_last_round(scene: str, order: list[str]) -> list[str]:
    """Return the last round of another scene, with its result."""
    return [
        f"Scene {order.index(one.scene) + 1}: guess {one.guess}, was {one.truth}"
        for one in _rounds()
        if one.scene != scene and one.scene in order and one.guess and one.truth
    ][-1:]


def find_votes(place: tuple[object, ...]) -> str:
    """Return the votes typed in for a round without a result yet."""
    return next(
        (one.votes for one in reversed(_rounds()) if one.place == place and not one.truth), ""
    )


def tabulate_rounds(scenes: Mapping[str, Scene]) -> dict[str, list]:
    """Return all rounds as a table, the last one first."""
    rows = [
        [scenes[one.scene].words.title, _where(one, scenes), one.guess, one.room, one.truth]
        for one in reversed(_rounds())
        if one.scene in scenes
    ]
    return {"head": ["Scene", "Where", "Guess", "The room", "Result"], "rows": rows}


def _where(one: Round, scenes: Mapping[str, Scene]) -> str:
    worlds = scenes[one.scene].worlds
    return ", ".join([*worlds[one.world : one.world + 1], f"seed {one.seed}"])


def votes_file(scenes: Mapping[str, Scene]) -> dict[str, str]:
    """Return guesses, votes and results, one line a round, as {name, text, type}."""
    rows = [
        [
            scenes[one.scene].words.title,
            one.of,
            "".join(scenes[one.scene].worlds[one.world : one.world + 1]),
            one.seed,
            one.steps,
            one.guess,
            one.room,
            one.truth,
        ]
        for one in _rounds()
        if one.scene in scenes
    ]
    head = ["scene", "test set", "world", "seed", "steps", "guess", "votes", "truth"]
    return {"name": "votes.csv", "type": "text/csv", "text": "\ufeff" + to_csv(head, rows)}  # UTF-8


# Handouts.

_USUAL = {
    "mean": 3,
    "blocks": 100,
    "comparisons": 60,
    "power": 200,
}  # steps of a scene that was not shown yet


def handout_file(scenes: Mapping[str, tuple[Scene, Shown, int]]) -> dict[str, str]:
    """Return a handout of some scenes at their current steps, as {name, text, type}."""
    title = next(iter(scenes)) if len(scenes) == 1 else "lecture"
    return {
        "name": f"handout.{title}.html",
        "type": "text/html",
        "text": handout([_part(key, *one) for key, one in scenes.items()]),
    }


def _part(key: str, scene: Scene, shown: Shown, step: int) -> HandoutPart:
    step = min(step or _USUAL.get(key, 500), scene.steps(shown))
    body, rows, end = scene.body(shown), scene.rows(shown, step), scene.end(shown, step)
    query = {
        "scene": key,
        "seed": shown.seed,
        "step": step,
        "reveal": "true",
        **({"world": shown.world} if shown.world else {}),
        **{
            name: said
            for name in ("testset", "a", "b")
            if (said := address.asked(name)) is not None
        },
    }
    chosen = f" Chosen: {scene.worlds[shown.world]}." if scene.worlds else ""
    return HandoutPart(
        scene.words.title,
        scene.words.question + chosen,
        texts.describe_handout(shown.testset, key, shown.seed, step),
        f"{end['conclusion']} {end.get('after', '')}".strip(),
        end["limitation"],
        scene.words.exercise,
        scene.words.answer,
        f"lecture?{urlencode(query)}",
        _table(key, body),
        _strips(key, body, rows, end, step),
    )


def _table(key: str, body: dict) -> list[list[str]]:
    if key == "bootstrap":
        numbered = [f"{k}. {text}" for k, text in enumerate(body["sentences"], 1)]
        return [list(two) for two in zip(numbered[::2], numbered[1::2], strict=True)]
    if key in ("randomization", "mean"):
        return [list(body["names"]), *map(list, body["outputs"])]
    return []


def _strips(key: str, body: dict, rows: dict, end: dict, step: int) -> list[Strip]:
    """Return the dots of the stage at its last step."""
    if key == "bootstrap":
        a, b = body["names"]
        return [
            Strip(
                "sentences missing from a resample", rows["missing"][:step], 0, 12, integers=True
            ),
            _strip(
                f"{body['metric']} of {a}; {end['of']}",
                rows["scores"][:step],
                rows["axes"]["scores"],
                end["interval"],
            ),
            _strip(
                f"{a} less {b}; {end['of']}",
                rows["differences"][:step],
                rows["axes"]["differences"],
                end["difference"],
            ),
        ]
    if key == "randomization":
        observed = abs(body["observed"])
        return [
            _strip(
                "difference after swaps, observed on both sides",
                rows["differences"][:step],
                rows["axis"],
                (-observed, observed),
            )
        ]
    if key == "blocks":
        return [
            _strip(f"{body['metric']} of {kind}", rows[name][:step], rows["axis"], end[name])
            for name, kind in (("blocks", "blocks"), ("broad", "broad samples"))
        ]
    if key == "documents":
        return [
            Strip(
                f"p of each test, by {unit}",
                rows[unit][:step],
                0,
                1,
                [(body["alpha"], f"{body['alpha']:g}")],
            )
            for unit in ("sentence", "document")
        ]
    if key == "power":
        marks = [(rows["true"], f"truly {rows['true']:g}")]
        found = [
            x for x, yes in zip(rows["differences"][:step], rows["found"], strict=False) if yes
        ]
        return [
            Strip(label, values, rows["axis"]["low"], rows["axis"]["high"], marks)
            for label, values in (
                ("difference on each test set", rows["differences"][:step]),
                ("those that are significant", found),
            )
        ]
    if key == "comparisons":
        return [
            Strip(
                f"false stars on each test set, {said}",
                rows["false"][name][:step],
                0,
                30,
                integers=True,
            )
            for name, said in (body["corrections"][0], body["corrections"][-1])
        ]
    return []


def _strip(label: str, values: list, axis: dict, ends: tuple[float, float]) -> Strip:
    return Strip(label, values, axis["low"], axis["high"], [(end, f"{end:.1f}") for end in ends])


# Which scene, on which sentences, how far; what the stage tells and is asked.

_KEY, _TURN, _HEARD, _TOLD = "lecture", "lecture.turn", "lecture.heard", "lecture.told"
_HAVE, _THERE = "lecture.have", "lecture.there"
_FILE, _ROUNDS = "lecture.file", "lecture.rounds_asked"
_SEED = 4  # its ten sentences leave something open
_METRIC = "bleu"
SCENES = {
    "mean": MEAN,
    "bootstrap": BOOTSTRAP,
    "randomization": RANDOMIZATION,
    "blocks": BLOCKS,
    "documents": DOCUMENTS,
    "comparisons": COMPARISONS,
    "power": POWER,
}
_OWN = (
    "scene",
    "step",
    "guess",
    "votes",
    "reveal",
    "extra",
    "world",
)  # what the address says only of this page


@dataclass(frozen=True)
class LectureView:
    """The state of the stage."""

    scene: str
    shown: Shown
    step: int
    guess: tuple[float, ...] | None  # what was predicted
    votes: tuple[float, ...]  # of the room, as the scale of the guess has them
    reveal: bool
    have: int  # draws that the stage has already
    extra: bool  # whether it shows what comes after the answer


def choose_scene() -> LectureView | MtsigError:
    """Return the state that the address describes, after the request of the stage."""
    _receive()
    for key in _OWN:
        address.own(key)
    try:
        return _view()
    except MtsigError as problem:
        return problem


def _view() -> LectureView:
    asked, state = address.asked("scene"), st.session_state
    name = asked if asked in SCENES else next(iter(SCENES))
    scene, shown = SCENES[name], _shown(name)
    return LectureView(
        name,
        shown,
        _whole("step", scene.steps(shown)),
        scene.guessed(address.asked("guess"), shown),
        scene.voted(address.asked("votes"), shown),
        address.asked("reveal") == "true",
        state.get(_HAVE, 0),
        address.asked("extra") == "true",
    )


def _round(view: LectureView, truth: str = "") -> Round:
    """Return the round of a view, with its result."""
    shown, scale = view.shown, SCENES[view.scene].scale(view.shown)
    options = scale.get("options", ())
    of = "simulated scores" if view.scene == "documents" else texts.name_source(shown.testset)
    return Round(
        view.scene,
        of,
        shown.seed,
        shown.world,
        view.step,
        texts.describe_guess(view.guess, options) if view.guess else "",
        texts.describe_votes(view.votes, scale["kind"], options),
        format_numbers(view.votes) or "",
        truth,
    )


def _shown(scene: str) -> Shown:
    """Return the subject of a scene that the address describes."""
    testset, instead = find_testset(scene)
    names = (
        measure(testset, _METRIC, statistics=result_cache.statistics(testset, _METRIC))
        .best_first()
        .names
    )
    a, b = (address.asked(key) for key in "ab")
    if a == b or not {a, b} <= set(names):
        a, b = names[0], names[-1]  # a difference that can be seen on a few sentences
    world = _whole("world", max(0, len(SCENES[scene].worlds) - 1))
    return Shown(
        testset,
        _METRIC,
        a,
        b,
        _whole("seed", (1 << 63) - 1, _SEED),
        world,
        lambda: result_cache.statistics(testset, _METRIC),
        instead,
    )


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
            "turn": f"{state.get(_TURN, 0)} {view.scene} {view.shown.seed} {view.shown.world}",
            "scene": view.scene,
            "about": texts.name_source(view.shown.testset) if view.scene != "documents" else "",
            "instead": explain_ignored(view),
            "number": keys.index(view.scene) + 1,
            "of": len(keys),
            "seed": view.shown.seed,
            "most": most,
            **asdict(scene.words),
            "guess": scene.scale(view.shown),
            "body": scene.body(view.shown),
            "state": {
                "guess": view.guess,
                "step": view.step,
                "revealed": view.reveal,
                "votes": view.votes,
                "extra": view.reveal and view.extra,
                "room": _round(view).room,
            },
            "past": recall_last_round(view.scene, keys),
            "worlds": list(scene.worlds) or None,
            "world": view.shown.world,
            "rows": scene.rows(view.shown, drawn) if played and drawn > there else None,
            "further": scene.further(view.shown, view.step)
            if scene.further and view.extra and view.step
            else None,
            "end": scene.end(view.shown, view.step) if view.reveal and view.step else None,
        }
    except MtsigError as problem:
        screen.error(problem)
        for name in ("upload", "summary"):  # there is no sidebar
            st.page_link(PAGES[name].file, label=PAGES[name].title)
        end_page()
    keep_round(_round(view, data["end"]["truth"] if data["end"] else ""))
    data |= {
        "kept": list_for_tab(view.scene, played),
        "told": state.get(_TOLD, False),
        "heard": state.get(_HEARD),
        "file": _file(view),
        "rounds": {**tabulate_rounds(SCENES), "id": asked}
        if (asked := state.pop(_ROUNDS, None))
        else None,
    }
    address.link("summary", "Summary")  # the stage clicks it: one step of the history
    lecture_component(*SCENES)(data=data, key=_KEY, on_asks_change=lambda: None)
    if scene.prepare and not played:
        scene.prepare(view.shown)  # while the room talks
    if data["end"] and not view.extra:
        scene.go_on(view.shown, view.step)


def _file(view: LectureView) -> dict | None:
    """Return the file that the stage asked for."""
    asked = st.session_state.get(
        _FILE
    )  # it stays until more is asked: this run may not come to its end
    if asked is None:
        return None
    if asked[0] == "votes":
        made = votes_file(SCENES)
    else:
        scenes = SCENES if asked[0] == "all handouts" else [view.scene]
        made = handout_file(
            {
                key: (SCENES[key], _shown(key), view.step if key == view.scene else 0)
                for key in scenes
            }
        )
    return {**made, "id": asked[1]}


def _receive() -> None:
    """Take a request of the stage into the address, once."""
    state = st.session_state
    asks = (state.get(_KEY) or {}).get("asks") if address.page() == "lecture" else None
    if isinstance(asks, dict) and asks.get("at") != state.get(_HEARD):
        _apply(asks)
        state[_HEARD] = asks.get(
            "at"
        )  # a run may be broken off before: then it is taken in by the next


def _apply(asks: dict) -> None:
    """Apply a request for a step, a guess, or another scene or seed."""
    state = st.session_state
    state[_FILE] = (
        (asks["file"], asks["at"])
        if asks.get("file") in ("handout", "all handouts", "votes")
        else None
    )
    state[_ROUNDS] = asks["at"] if asks.get("rounds") else state.get(_ROUNDS)
    if "told" in asks:
        restore_rounds(asks["told"])
        state[_TOLD] = True
    scene = asks.get("scene") if asks.get("scene") in SCENES else next(iter(SCENES))
    state[_THERE] = int(asks.get("rows") or 0)
    state[_HAVE] = int(asks.get("have") or 0)
    _keep(
        scene=scene,
        step=int(asks.get("step") or 0) or None,
        guess=format_numbers(asks.get("guess")),
        votes=format_numbers(asks.get("votes")),
        reveal="true" if asks.get("reveal") else None,
        extra="true" if asks.get("extra") else None,
    )
    if not any(key in asks for key in ("move", "again", "reseed", "world")):
        return
    keep_round(_round(_view()))  # before it is left
    keys, by = list(SCENES), asks["move"] if asks.get("move") in (1, -1) else 0
    state[_TURN], state[_HAVE], state[_THERE] = state.get(_TURN, 0) + 1, 0, 0
    if by or isinstance(asks.get("world"), int):
        _keep(world=asks.get("world") or None)
    if asks.get("reseed"):
        _keep(seed=_whole("seed", (1 << 63) - 2, _SEED) + 1)
    _keep(
        scene=keys[(keys.index(scene) + by) % len(keys)],
        step=None,
        reveal=None,
        extra=None,
        guess=None,
        votes=None,
    )
    _keep(votes=find_votes(_round(_view()).place) or None)


def _keep(**said: object) -> None:
    for key, value in said.items():
        address.keep(key, None if value is None else [str(value)])


def _whole(key: str, most: int, usual: int = 0) -> int:
    """Return a whole number of the address, or the default."""
    said = address.asked(key) or ""
    return min(int(said), most) if said.isascii() and said.isdigit() and len(said) < 20 else usual
