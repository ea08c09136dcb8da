"""The log: one line of JSON for each event, and nothing that a user has given."""

import json
import logging
from types import SimpleNamespace

import pytest

from mtsig_core.errors import Cancelled
from pages._work import events


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_LOG", str(tmp_path / "log"))
    return lambda: [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_what_fails_is_told_by_its_kind_alone(log):
    with pytest.raises(ValueError), events.timed("page", page="pair"):
        raise ValueError("the text of a user\n")
    events.failed(ValueError("the text of a user"))
    page, error = log()
    assert (page["event"], page["page"], page["ended"]) == ("page", "pair", "ValueError")
    assert page["seconds"] >= 0
    assert error == {key: error[key] for key in ("time", "event", "pid")} | {"kind": "ValueError"}


def test_what_is_cancelled_says_so(log):
    with pytest.raises(Cancelled), events.timed("job_end", kind="pair"):
        raise Cancelled("a name")
    with events.timed("job_end", kind="pair"):
        pass
    assert [found.get("ended") for found in log()] == ["Cancelled", None]


def test_a_traceback_is_written_once_a_minute_and_what_was_sent_in_one_line(monkeypatch):
    written, now, log = [], [0.0], logging.getLogger("streamlit.of-a-test")
    log.addHandler(handler := logging.Handler())
    monkeypatch.setattr(handler, "emit", lambda record: written.append(record.getMessage()))
    monkeypatch.setattr(events, "time", SimpleNamespace(monotonic=lambda: now[0]))
    events.be_terse()

    def fail(kind):
        try:
            raise kind
        except kind:
            log.exception(kind.__name__)

    for _ in range(3):
        fail(ValueError), fail(KeyError)
    now[0] = 61.0
    fail(KeyError)
    log.error("sent: %s", "a\nb\x1b[31m" + "c" * 1000)
    *kinds, said = written
    assert kinds == ["ValueError", "KeyError", "KeyError"]
    assert said.startswith("sent: a")
    assert "\n" not in said
    assert "\x1b" not in said
    assert len(said) <= 500


def test_no_log_and_a_full_disk_stop_nobody(monkeypatch, tmp_path, capfd):
    for name in ("", str(tmp_path / "absent" / "log"), "/dev/full"):
        monkeypatch.setenv("MTSIG_LOG", name)
        events.tell("start")
    assert capfd.readouterr() == ("", "")
    monkeypatch.setenv("MTSIG_LOG", "-")
    events.tell("start")
    assert json.loads(capfd.readouterr().err)["event"] == "start"
