"""What a message may ask, before Streamlit hears of it."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages._server.connections import MOST_FILES, Forged, answered

LONG = "x" * 10_001


def answer(**fields):
    return answered(BackMsg(**fields).SerializeToString())


def run(**fields):
    return answer(rerun_script=fields)


def widgets(*names):
    return run(widget_states={"widgets": [{"id": name, "int_value": 1} for name in names]})


def files(n, name="a.txt", **more):
    return answer(file_urls_request={"request_id": "one", "file_names": [name] * n, **more})


def test_what_pages_send_is_for_streamlit():
    assert answer(stop_script=True) is answer(app_heartbeat=True) is None
    assert run(query_string="a=b" * 50_000, page_name="pair", cached_message_hashes=["0" * 32] * 500) is None
    assert widgets("$$ID-0-None", "$$STREAMLIT_INTERNAL_KEY__events") is None
    assert run(widget_states={"widgets": [{"id": "$$ID-0-emptied"}]}) is None  # of a field that was emptied
    assert files(MOST_FILES, "x" * 255) is None
    for payload in ({"deferred_file": {"file_id": "0"}}, {"dataframe_chunk": {"source_id": "0", "limit": 100}}):
        assert answer(backend_operation_request={"request_id": "one", **payload}) is None


def test_who_chooses_too_many_files_is_told_so():
    told = ForwardMsg.FromString(files(MOST_FILES + 1)).file_urls_response
    assert told.response_id == "one" and not told.file_urls
    assert "1,001 files" in told.error_msg and "at most 1,000" in told.error_msg


@pytest.mark.parametrize("kind", ["clear_cache", "set_run_on_save", "load_git_info", "debug_disconnect_websocket",
                                  "debug_shutdown_runtime"])
def test_what_is_for_developers_is_dropped(kind):
    assert answer(**{kind: True}) == b""


def test_so_is_what_writes_files_on_the_server_and_what_asks_nothing():
    for payload in ("install_skills", "dismiss_skills_nudge"):
        assert answer(backend_operation_request={"request_id": "one", payload: {}}) == b""
    assert answered(b"") == b""


@pytest.mark.parametrize("forged", [
    lambda: widgets("testset"), lambda: widgets(""), lambda: widgets(*["$$ID"] * 10_001),
    lambda: widgets("$$ID" + LONG),
    lambda: run(cached_message_hashes=["0"] * 10_001), lambda: run(cached_message_hashes=[LONG]),
    lambda: run(page_name=LONG), lambda: run(page_script_hash=LONG), lambda: run(fragment_id=LONG),
    lambda: files(1, LONG), lambda: files(1, request_id=LONG), lambda: files(1, session_id=LONG),
    lambda: answer(backend_operation_request={"request_id": LONG}),
    lambda: answer(backend_operation_request={"deferred_file": {"file_id": LONG}}),
    lambda: answered(b"rerun")])
def test_what_no_page_sends_is_told_apart(forged):
    with pytest.raises(Forged):
        forged()
