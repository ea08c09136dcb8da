"""How much of what is chosen the server holds before it is opened."""

import asyncio
from collections import defaultdict
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import Response

from pages._server import internals, login, sessions
from tests.builders.client import answer, run

MB = 1 << 20


class Runtime:
    """What is asked of Streamlit's: which sessions are there, and what it holds for them."""

    def __init__(self, **sessions):
        self.sessions = sessions  # what is known of who uses each
        self.file_storage = defaultdict(dict)
        self.uploaded_file_mgr = self._session_mgr = self

    def remove_session_files(self, session):
        self.file_storage.pop(session, None)

    def is_active_session(self, session):
        return session in self.sessions

    def get_active_session_info(self, session):
        user = self.sessions.get(session)
        return user and SimpleNamespace(session=SimpleNamespace(_user_info=user))


@pytest.fixture
def runtime(monkeypatch):
    """Two sessions that may upload, and two that may not."""
    ann, ben, eve = (
        {"is_logged_in": True, "email": f"{name}@example.org"} for name in ("ann", "ben", "eve")
    )
    found = Runtime(ann=ann, ben=ben, cyd={"email": "ann@example.org"}, eve=eve)
    monkeypatch.setenv("MTSIG_LOGIN", "a file")
    monkeypatch.setattr(
        login.st, "secrets", {"mtsig": {"allowed": ["ann@example.org", "ben@example.org"]}}
    )
    monkeypatch.setattr(internals, "get_instance", lambda: found)
    monkeypatch.setattr(internals.runtime, "exists", lambda: True)
    monkeypatch.setattr(sessions, "_refused", {})
    monkeypatch.setattr(sessions.st, "get_option", {"server.maxUploadSize": 200}.get)
    return found


@pytest.fixture
def put(runtime):
    """Put a file of some MB; the status of the answer, and how much of it was read."""

    async def take(scope, receive, send):
        _, session, file = scope["path"].rsplit("/", 2)
        size = sum([len(part) async for part in Request(scope, receive).stream()])
        runtime.file_storage[session][file] = SimpleNamespace(data=range(size))
        await Response(status_code=204)(scope, receive, send)

    def asked(session, file, mb, app=take, length=True):
        return run(send_file(sessions.Uploads(app), session, file, mb, length))

    return asked


async def send_file(middleware, session, file, mb, length=True):
    read, sent = 0, []

    async def receive():
        nonlocal read
        read += 1
        return {"type": "http.request", "body": bytes(MB), "more_body": read < mb}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "PUT",
        "path": f"/base/_stcore/upload_file/{session}/{file}",
        "headers": [(b"content-length", b"%d" % (mb * MB))] if length else [],
    }
    await middleware(scope, receive, send)
    return sent[0]["status"], read


def test_what_one_page_brings_is_as_much_as_one_file_may_have(put, runtime):
    assert [put("ann", f"f{k}", 60) for k in range(3)] == [(204, 60)] * 3
    assert put("ann", "f3", 60) == (204, 60)  # read to its end, or the browser sees a broken line
    assert set(runtime.file_storage["ann"]) == {"f0", "f1", "f2"}
    assert "200 MB" in sessions._refused["ann"]["f3"]
    assert put("ben", "f0", 60) == (204, 60)
    assert "f0" in runtime.file_storage["ben"]
    del runtime.file_storage["ann"]["f0"]
    put("ann", "f4", 60)
    assert "f4" in runtime.file_storage["ann"]


def test_all_together_have_a_limit_too(put, runtime, monkeypatch):
    monkeypatch.setenv("MTSIG_UNOPENED_MB", "100")
    put("ann", "f0", 60)
    put("ben", "f0", 60)
    assert "f0" not in runtime.file_storage["ben"]
    assert "MTSIG_UNOPENED_MB" in sessions._refused["ben"]["f0"]


def test_what_is_on_its_way_counts(runtime):
    async def wait(scope, receive, send):
        await over.wait()
        await Response(status_code=204)(scope, receive, send)

    async def several():
        global over
        over = asyncio.Event()
        middleware = sessions.Uploads(wait)
        coming = [asyncio.create_task(send_file(middleware, "ann", f"f{k}", 60)) for k in range(3)]
        await asyncio.sleep(0)
        await send_file(middleware, "ann", "f3", 60)
        over.set()
        await asyncio.gather(*coming)
        return middleware._coming

    assert run(several()) == {}
    assert set(sessions._refused["ann"]) == {"f3"}


@pytest.mark.parametrize("session", ["cyd", "eve", "nobody"])
def test_who_may_not_see_the_pages_brings_nothing(put, runtime, session):
    """Nothing of it is even read."""
    assert put(session, "f0", 1) == (403, 0)
    assert not runtime.file_storage
    assert not sessions._refused


def test_a_file_of_unknown_length_is_refused(put, runtime):
    assert put("ann", "f0", 1, length=False) == (411, 0)


def test_an_upload_that_ends_after_its_page_is_no_more(put, runtime):
    """Streamlit looks for the page only when a file begins to come: what came then stayed for
    ever.
    """

    async def leave(scope, receive, send):
        async for _ in Request(scope, receive).stream():
            pass
        runtime.file_storage["ann"]["f0"] = SimpleNamespace(data=b"all of it")
        del runtime.sessions["ann"]
        await Response(status_code=204)(scope, receive, send)

    put("ann", "f0", 3, leave)
    assert "ann" not in runtime.file_storage


def test_many_small_files_count_and_ids_are_short(put, runtime):
    runtime.file_storage["ann"] = {f"f{k}": SimpleNamespace(data=b"") for k in range(22_000)}
    put("ann", "one more", 1)
    assert "200 MB" in sessions._refused["ann"]["one more"]
    assert put("ben", "f" * 101, 1) == (403, 0)


def test_a_full_disk_is_told(put, runtime):
    async def full(scope, receive, send):
        await receive()
        raise OSError(28, "No space left on device")

    assert put("ann", "f0", 3, full) == (204, 3)
    assert "disk for temporary files" in sessions._refused["ann"]["f0"]


def test_other_requests_pass(runtime):
    async def told(scope, receive, send):
        await Response("inside")(scope, receive, send)

    scope = {
        "type": "http",
        "method": "DELETE",
        "headers": [],
        "path": "/_stcore/upload_file/cyd/f0",
    }
    assert run(answer(sessions.Uploads(told), scope))[1]["body"] == b"inside"


def test_reasons_are_bounded(runtime):
    for k in range(3000):
        sessions._refuse("ann", f"f{k}", "why")
    assert len(sessions._refused["ann"]) == 1000
    assert "f2999" in sessions._refused["ann"]


def test_without_a_login_every_open_page_brings_files(put, runtime, monkeypatch):
    """Also one that has come back to a server that was started again, and has not run there."""
    monkeypatch.delenv("MTSIG_LOGIN")
    runtime.sessions = {"new": {}}
    monkeypatch.setattr(
        Runtime,
        "get_active_session_info",
        lambda self, one: (
            SimpleNamespace(session=SimpleNamespace(_user_info={}))
            if one in self.sessions
            else None
        ),
    )
    assert (put("new", "f0", 1), put("old", "f0", 1)) == ((204, 1), (403, 0))
