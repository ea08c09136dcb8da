"""Rounds of the lecture: guesses, votes and results. The browser tab stores them too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

import streamlit as st

from mtsig_core.report.export import to_csv
from pages._sections.lecture_scenes import MOST_VOTES, Scene

_ROUNDS_KEY = "lecture.rounds"
_MOST_ROUNDS = 200


@dataclass(frozen=True)
class Round:
    """One run of a scene, from the guess to the result."""

    scene: str  # its name
    testset: str
    seed: int
    world: int
    steps: int
    guess: str  # the prediction and the votes in words; empty without them
    room: str
    votes: str  # as the address has them
    truth: str  # in words; nothing until it is revealed

    @property
    def place(self) -> tuple[object, ...]:
        """What the round is of: scene, test set, seed and world."""
        return self.scene, self.testset, self.seed, self.world


def format_numbers(numbers: object) -> str | None:
    """Write numbers of the stage for the address; None for anything else."""
    if not isinstance(numbers, list | tuple):
        return None
    texts = [f"{float(number):g}" for number in numbers if isinstance(number, int | float)]
    return ",".join(texts[:MOST_VOTES]) or None


def list_rounds() -> list[Round]:
    """Return the rounds of the session, the first one first."""
    rounds: list[Round] = st.session_state.setdefault(_ROUNDS_KEY, [])
    return rounds


def keep_round(played: Round) -> None:
    """Remember a round.

    It replaces an earlier one of the same place without a result, or with the same guess and votes.
    """
    if not (played.guess or played.votes):
        return
    rounds = list_rounds()
    replaced = [earlier for earlier in rounds if _is_replaced(earlier, played)]
    if not played.truth and any(earlier.truth for earlier in replaced):
        return
    remaining = [earlier for earlier in rounds if earlier not in replaced]
    rounds[:] = [*remaining, played][-_MOST_ROUNDS:]


def _is_replaced(earlier: Round, played: Round) -> bool:
    if earlier.place != played.place:
        return False
    has_same_guess = (earlier.guess, earlier.votes) == (played.guess, played.votes)
    return not earlier.truth or has_same_guess


def restore_rounds(records: object) -> None:
    """Restore the rounds that the tab stored in an earlier session; ignore invalid records."""
    kinds = {field.name: int if field.type == "int" else str for field in fields(Round)}
    played = list(list_rounds())
    list_rounds().clear()
    if isinstance(records, list):
        for record in records:
            if isinstance(record, dict) and _types_of(record) == kinds:
                keep_round(Round(**record))
    for earlier in played:
        keep_round(earlier)


def _types_of(record: dict) -> dict[str, type]:
    return {key: type(value) for key, value in record.items()}


def list_for_tab(scene: str, is_guessed: bool) -> list[dict] | None:
    """Return the rounds for the tab to keep.

    Before the guess, none of a scene whose result they would show.
    """
    if not is_guessed and any(played.scene == scene and played.truth for played in list_rounds()):
        return None
    return [asdict(played) for played in list_rounds()]


def recall_last_round(scene: str, order: list[str]) -> list[str]:
    """Return the last round of another scene with its result, as a list of at most one."""
    for played in reversed(list_rounds()):
        is_other = played.scene != scene and played.scene in order
        if is_other and played.guess and played.truth:
            number = order.index(played.scene) + 1
            return [f"Scene {number}: guess {played.guess}, was {played.truth}"]
    return []


def find_votes(place: tuple[object, ...]) -> str:
    """Return the votes typed in for a round without a result yet."""
    for played in reversed(list_rounds()):
        if played.place == place and not played.truth:
            return played.votes
    return ""


def tabulate_rounds(scenes: Mapping[str, Scene]) -> dict[str, list]:
    """Return all rounds as a table, the last one first."""
    rows = []
    for played in reversed(list_rounds()):
        if played.scene in scenes:
            scene = scenes[played.scene]
            setting = [scene.name_world(played.world), f"seed {played.seed}"]
            rows.append(
                [
                    scene.words.title,
                    ", ".join(filter(None, setting)),
                    played.guess,
                    played.room,
                    played.truth,
                ]
            )
    return {"head": ["Scene", "Where", "Guess", "The room", "Result"], "rows": rows}


def votes_file(scenes: Mapping[str, Scene]) -> dict[str, str]:
    """Return guesses, votes and results, one line a round, as {name, text, type}."""
    rows = []
    for played in list_rounds():
        if played.scene in scenes:
            scene = scenes[played.scene]
            rows.append(
                [
                    scene.words.title,
                    played.testset,
                    scene.name_world(played.world),
                    played.seed,
                    played.steps,
                    played.guess,
                    played.room,
                    played.truth,
                ]
            )
    head = ["scene", "test set", "world", "seed", "steps", "guess", "votes", "truth"]
    text = "\ufeff" + to_csv(head, rows)  # the mark tells Excel that it is UTF-8
    return {"name": "votes.csv", "type": "text/csv", "text": text}
