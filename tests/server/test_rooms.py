"""The room of a lecture: who may open it, ask and vote, and what phones and the stage are told."""

import json
from types import SimpleNamespace

import pytest

from mtsig_core.report.lecture_texts import read_scenes
from pages._server import rooms
from tests.builders.client import run

PHONES = [f"{k:032x}" for k in range(400)]


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    """No rooms, and no messages yet."""
    monkeypatch.setattr(rooms, "_rooms", {})
    rooms._times.clear()


def tell(body=b"", **message):
    """The status of the answer to a message, and its content."""

    async def stream():
        yield body or json.dumps(message).encode()

    answer = run(rooms.answer(SimpleNamespace(stream=stream)))
    return answer.status_code, json.loads(answer.body)


class Stage:
    """A stage with its room."""

    def __init__(self):
        _, self.room = tell(ticket=rooms.TICKET, address="http://192.0.2.7:8501/vote")
        self.shows = {
            "scene": "bootstrap",
            "place": "bootstrap 4",
            "phase": "open",
            "low": 0,
            "high": 12,
            "n_values": 1,
            "unit": " of 12",
            "options": [],
            "note": "",
            "result": "",
        }

    def show(self, **changes):
        self.shows |= changes
        return tell(code=self.room["code"], key=self.room["key"], question=self.shows)

    def vote(self, phone, *values, place="bootstrap 4"):
        return tell(code=self.room["code"], phone=PHONES[phone], place=place, values=values)

    def look(self, phone=0):
        return tell(code=self.room["code"], phone=PHONES[phone])[1]


@pytest.fixture
def stage():
    return Stage()


def test_votes_are_counted_at_once_and_shown_when_they_are_closed(stage):
    assert stage.look() == {"phase": "waiting"}
    assert stage.show() == (200, {"n": 0})
    seen = stage.look()
    assert (seen["text"], seen["vote"]) == (read_scenes()["bootstrap"].question, None)
    for phone, value in ((0, 4), (1, 7), (0, 5)):  # one vote a phone, which may change
        assert stage.vote(phone, value)[1]["vote"] == [value]
    assert stage.show() == (200, {"n": 2})
    assert stage.show(phase="closed") == (200, {"n": 2, "votes": [[5], [7]]})
    assert stage.vote(2, 3) == (409, {"error": "Voting on this question is closed."})
    assert stage.show(phase="revealed", result="4.2")[1]["n"] == 2
    assert [stage.look()[key] for key in ("phase", "result", "vote")] == ["revealed", "4.2", [5]]
    assert stage.show(phase="open", result="") == (200, {"n": 0})  # asked again
    stage.vote(0, 6)
    assert stage.show(place="bootstrap 5") == (200, {"n": 0})
    assert stage.vote(0, 6)[0] == 409  # on the question before


@pytest.mark.parametrize("values", [[13], [-1], [3, 4], [1e300]])
def test_a_vote_off_the_scale_is_refused_with_the_values(stage, values):
    stage.show()
    status, said = stage.vote(0, *values)
    assert status == 400
    assert str(values[0])[:2] in said["error"]
    assert "Expected numbers from 0 to 12" in said["error"]
    assert stage.show()[1] == {"n": 0}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 403),
        (b"{", 400),
        (b"[]", 400),
        (b'{"code": "1"}', 400),
        (b'{"code": 1, "values": [NaN]}', 400),
        (b'{"ticket": "a guess"}', 404),
        (b" " * 3000, 413),
    ],
)
def test_hostile_messages_are_refused_with_a_word(stage, body, status):
    answered, said = tell(body, code=stage.room["code"])
    assert answered == status
    assert said["error"]


def test_only_the_stage_of_a_room_asks(stage):
    stage.show()
    forged = {"code": stage.room["code"], "key": "a guess", "question": stage.shows}
    assert tell(**forged)[0] == 403
    assert stage.show(scene="nowhere")[0] == 403
    assert stage.look()["title"] == read_scenes()["bootstrap"].title


def test_votes_rooms_and_messages_have_limits(stage, monkeypatch):
    monkeypatch.setattr(rooms, "_MOST_VOTES", 2)
    stage.show()
    assert [stage.vote(phone, 4)[0] for phone in (0, 1, 2, 1)] == [200, 200, 503, 200]
    monkeypatch.setattr(rooms, "_MOST_ROOMS", 2)
    assert Stage().show()[0] == 200
    full = tell(ticket=rooms.TICKET)
    assert full == (503, {"error": "This server has 2 rooms, and no more."})
    rooms._rooms[stage.room["code"]].watched -= 1000
    assert stage.show()[0] == 404  # its stage has left
    later = Stage()
    assert later.show()[0] == 200
    assert stage.room["code"] not in rooms._rooms
    rooms._times.extend([rooms.time.monotonic() + 60] * 500)
    assert later.show()[0] == 429
