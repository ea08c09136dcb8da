"""Rounds of a lecture: what was guessed and voted in each, and what came. The tab of the browser keeps them, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

import streamlit as st

from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.export import to_csv
from pages._ui.lecture_shown import Scene

__all__ = ["Round", "hear", "kept", "note", "numbers", "past", "typed", "votes_file", "words"]

_KEY, _MOST = "lecture.rounds", 200


@dataclass(frozen=True)
class Round:
    """One run of a scene, from the guess to what came.

    Attributes
    ----------
    scene, of : str
        Its name, and the test set.
    seed, world, steps : int
    guess, room : str
        What was predicted and voted, in words; nothing where nothing was.
    votes : str
        As the address has them.
    truth : str
        In words; nothing until it is revealed.
    """

    scene: str
    of: str
    seed: int
    world: int
    steps: int
    guess: str
    room: str
    votes: str
    truth: str

    @property
    def place(self) -> tuple[object, ...]:
        return self.scene, self.of, self.seed, self.world


def numbers(said: object) -> str | None:
    """Numbers of the stage as the address has them."""
    found = [f"{float(x):g}" for x in said if isinstance(x, int | float)] if isinstance(said, list | tuple) else []
    return ",".join(found[:10]) or None


def _rounds() -> list[Round]:
    rounds: list[Round] = st.session_state.setdefault(_KEY, [])
    return rounds


def note(now: Round) -> None:
    """Remember a round; it replaces one of its place that was not revealed, or that had the same guess and votes."""
    if not (now.guess or now.votes):
        return
    rounds = _rounds()
    same = [one for one in rounds if one.place == now.place
            and (not one.truth or (one.guess, one.votes) == (now.guess, now.votes))]
    if now.truth or not any(one.truth for one in same):
        rounds[:] = [*(one for one in rounds if one not in same), now][-_MOST:]


def hear(told: object) -> None:
    """Take up what the tab kept of an earlier session of its own."""
    kinds = {field.name: int if field.type == "int" else str for field in fields(Round)}
    now = list(_rounds())
    _rounds().clear()
    for one in told if isinstance(told, list) else []:
        if isinstance(one, dict) and {key: type(value) for key, value in one.items()} == kinds:
            note(Round(**one))
    for one in now:
        note(one)


def kept(scene: str, guessed: bool) -> list[dict] | None:
    """What the tab is to keep; nothing before the guess in a scene of which a round tells what comes."""
    if not guessed and any(one.scene == scene and one.truth for one in _rounds()):
        return None
    return [asdict(one) for one in _rounds()]


def past(scene: str, order: list[str]) -> list[str]:
    """The last round of another scene, beside what came of it."""
    return [texts.guess_beside(order.index(one.scene) + 1, one.guess, one.truth) for one in _rounds()
            if one.scene != scene and one.scene in order and one.guess and one.truth][-1:]


def typed(place: tuple[object, ...]) -> str:
    """Votes that were typed in for a round that is not revealed yet."""
    return next((one.votes for one in reversed(_rounds()) if one.place == place and not one.truth), "")


def words(scenes: Mapping[str, Scene]) -> dict[str, list]:
    """All rounds as a table, the last one first."""
    rows = [[scenes[one.scene].words.title, _where(one, scenes), one.guess, one.room, one.truth]
            for one in reversed(_rounds()) if one.scene in scenes]
    return {"head": list(texts.ROUNDS), "rows": rows}


def _where(one: Round, scenes: Mapping[str, Scene]) -> str:
    worlds = scenes[one.scene].worlds
    return ", ".join([*worlds[one.world:one.world + 1], f"seed {one.seed}"])


def votes_file(scenes: Mapping[str, Scene]) -> dict[str, str]:
    """Guesses, votes and what came of them, a line a round; {name, text, type}."""
    rows = [[scenes[one.scene].words.title, one.of, "".join(scenes[one.scene].worlds[one.world:one.world + 1]),
             one.seed, one.steps, one.guess, one.room, one.truth] for one in _rounds() if one.scene in scenes]
    head = ["scene", "test set", "world", "seed", "steps", "guess", "votes", "truth"]
    return {"name": "votes.csv", "type": "text/csv", "text": "\ufeff" + to_csv(head, rows)}  # UTF-8
