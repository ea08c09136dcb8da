"""The log: one line of JSON for each event, and nothing that a user has given."""

import json

import pytest

from mtsig_core.errors import Cancelled
from pages._ui import server_events
from pages._ui.jobs import Office


@pytest.fixture
def log(tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_LOG", str(tmp_path / "log"))
    return lambda: [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]


def test_what_fails_is_told_by_its_kind_alone(log):
    with pytest.raises(ValueError), server_events.timed("page", page="pair"):
        raise ValueError("the text of a user\n")
    server_events.failed(ValueError("the text of a user"))
    page, error = log()
    assert (page["event"], page["page"], page["ended"]) == ("page", "pair", "ValueError") and page["seconds"] >= 0
    assert error == {key: error[key] for key in ("time", "event", "pid")} | {"kind": "ValueError"}


def test_jobs_are_told_by_their_kind_alone(log):
    def cancelled(progress):
        raise Cancelled("a name")

    office = Office()
    office.watch(("pair", "a name"), lambda progress: 1, "me").future.result()
    with pytest.raises(Cancelled):
        office.watch(("sweep", "a name"), cancelled, "me").future.result()
    told = [(found["event"], found["kind"], found.get("ended")) for found in log()]
    assert told == [("job_start", "pair", None), ("job_end", "pair", None),
                    ("job_start", "sweep", None), ("job_end", "sweep", "Cancelled")]
    assert "a name" not in json.dumps(log())
    assert office.counts()["kept"] == 1


def test_no_log_and_a_full_disk_stop_nobody(monkeypatch, tmp_path, capfd):
    for name in ("", str(tmp_path / "absent" / "log"), "/dev/full"):
        monkeypatch.setenv("MTSIG_LOG", name)
        server_events.tell("start")
    assert capfd.readouterr() == ("", "")
    monkeypatch.setenv("MTSIG_LOG", "-")
    server_events.tell("start")
    assert json.loads(capfd.readouterr().err)["event"] == "start"
