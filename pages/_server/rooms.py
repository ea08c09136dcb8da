"""Rooms of a lecture: phones vote on what the stage asks. Rooms live in the memory of one process."""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

import msgspec
from starlette.responses import Response

from mtsig_core.report.lecture_texts import read_scenes
from mtsig_core.source import TICKET_VARIABLE

#: What opens a room: pages give it to those who may see them.
TICKET = os.environ.get(TICKET_VARIABLE) or secrets.token_urlsafe(16)
_MOST_VOTES = 300  # on one question
_MOST_ROOMS = 50
_LONGEST_ABSENCE = 15 * 60  # seconds without the stage, after which a room has ended
_LONGEST_MESSAGE = 2000  # bytes
_MOST_MESSAGES = 500  # in a second, so that nobody finds a code by trying
_CODES = 10**8


class _Question(msgspec.Struct):
    """What the stage shows: a scene, how far it is, and the scale of a vote."""

    scene: str
    place: str  # the scene with its data
    phase: Literal["open", "closed", "revealed"]
    low: float
    high: float
    n_values: int  # 2 for a range
    unit: str
    options: list[str]  # what can be chosen; empty where a vote is a number or a range
    note: str
    result: str  # once it is revealed


class _Message(msgspec.Struct):
    """What a stage (with its key) or a phone sends to the room with a code.

    No part can be longer than the message may be.
    """

    code: int = -1
    ticket: str = ""  # opens a room at an address for phones
    address: str = ""
    key: str = ""
    question: _Question | None = None
    phone: str = ""
    place: str = ""
    values: list[float] = []


class RefusedError(Exception):
    """Why a message is refused: the status of the answer, and a sentence."""


@dataclass
class _Room:
    """One lecture."""

    key: str = field(default_factory=secrets.token_urlsafe)
    question: _Question | None = None
    votes: dict[str, list[float]] = field(default_factory=dict)  # on the question, by phone
    watched: float = field(default_factory=time.monotonic)  # when the stage was here last

    @property
    def has_ended(self) -> bool:
        """Whether the stage has left."""
        return time.monotonic() - self.watched > _LONGEST_ABSENCE

    def ask(self, question: _Question) -> dict:
        """Show a question, and return its votes; another one, or one asked again, has none."""
        last = self.question
        is_again = question.phase == "open" and last is not None and last.phase != "open"
        if is_again or last is None or last.place != question.place:
            self.votes = {}
        self.question = question
        self.watched = time.monotonic()
        if question.phase == "open":  # nobody follows the crowd
            return {"n": len(self.votes)}
        return {"n": len(self.votes), "votes": list(self.votes.values())}

    def vote(self, phone: str, place: str, values: list[float]) -> None:
        """Take the vote of a phone, in place of its vote before."""
        question = self.question
        if question is None or (question.place, question.phase) != (place, "open"):
            raise RefusedError(409, "Voting on this question is closed.")
        if phone not in self.votes and len(self.votes) >= _MOST_VOTES:
            raise RefusedError(503, f"{_MOST_VOTES} have voted, and no more fit. Raise a hand.")
        is_complete = len(values) == question.n_values
        if not (is_complete and question.low <= min(values) <= max(values) <= question.high):
            ends = f"{question.low:g} to {question.high:g}"
            raise RefusedError(400, f"{values} is no vote. Expected numbers from {ends}.")
        self.votes[phone] = sorted(values)

    def describe(self, phone: str) -> dict:
        """Return what a phone shows."""
        question = self.question
        if question is None:
            return {"phase": "waiting"}
        words = read_scenes()[question.scene]
        vote = self.votes.get(phone)
        return {
            **msgspec.structs.asdict(question),
            "title": words.title,
            "text": words.question,
            "vote": vote,
        }


_rooms: dict[int, _Room] = {}  # by code
_times: deque[float] = deque(maxlen=_MOST_MESSAGES)


async def answer(request) -> Response:
    """Answer a message to a room."""
    try:
        status = 200
        content = _act(await _read(request))
    except RefusedError as refusal:
        status, reason = refusal.args
        content = {"error": reason}
    return Response(msgspec.json.encode(content), status, media_type="application/json")


async def _read(request) -> _Message:
    now = time.monotonic()
    if len(_times) == _MOST_MESSAGES and now - _times[0] < 1:
        raise RefusedError(429, "The server has too much to do.")
    _times.append(now)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_MESSAGE:
            raise RefusedError(413, "This is more than a vote.")
    try:
        return msgspec.json.decode(body, type=_Message)
    except msgspec.DecodeError as error:
        raise RefusedError(400, f"This is no vote: {error}.") from error


def _act(message: _Message) -> dict:
    """Do what a message asks, and return what its sender shows."""
    if message.ticket == TICKET:
        return _open_room(message.address)
    room = _rooms.get(message.code)
    if room is None or room.has_ended:
        raise RefusedError(404, "No room has this code now. Look at the stage for its code.")
    question = message.question
    if message.key == room.key and question is not None and question.scene in read_scenes():
        return room.ask(question)
    if not message.phone:
        raise RefusedError(403, "This is neither a phone nor the stage of the room.")
    if message.values:
        room.vote(message.phone, message.place, message.values)
    return room.describe(message.phone)


def _open_room(address: str) -> dict:
    """Open a room; a server with too many first removes one that has ended."""
    import segno  # late: most servers open no room

    if len(_rooms) >= _MOST_ROOMS:
        first = min(_rooms, key=lambda code: _rooms[code].watched)
        if not _rooms[first].has_ended:
            raise RefusedError(503, f"This server has {_MOST_ROOMS} rooms, and no more.")
        del _rooms[first]
    code = secrets.randbelow(_CODES)
    room = _rooms[code] = _Room()
    picture = segno.make(f"{address}#{code:08}", error="m")
    return {"code": code, "key": room.key, "picture": picture.svg_data_uri(light="#fff")}
