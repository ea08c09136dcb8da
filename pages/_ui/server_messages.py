"""What a message of an open page may ask, before Streamlit hears of it: it works many off before anybody is served."""

from __future__ import annotations

from google.protobuf.message import DecodeError
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.state.common import GENERATED_ELEMENT_ID_PREFIX
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX

__all__ = ["MOST_FILES", "Forged", "answered"]

MOST_FILES = 1000  # that are chosen at once: Streamlit makes an address for each
_MOST = 10_000  # widgets of a page, and elements that its browser still has
_ID, _NAME = 1000, 10_000  # letters of an id, and of a name: of a file, of a page as its address has it
#: What this dashboard's pages send. Of the rest some is for developers (`clear_cache` takes from all sessions what is
#: kept for them), and some writes files.
_ASKED = {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
_OPERATIONS = {"deferred_file", "dataframe_chunk"}
#: How the id of a widget begins. A value under another would be a key of the session's state that no page has set, and
#: break whatever page is drawn.
_WIDGETS = (GENERATED_ELEMENT_ID_PREFIX, STREAMLIT_INTERNAL_KEY_PREFIX)


class Forged(Exception):
    """No page of this dashboard sends such a message."""


def answered(data: bytes) -> bytes | None:
    """What to answer in Streamlit's place, nothing (``b""``) to what is for developers; None where it is to answer."""
    try:
        asked = BackMsg.FromString(data)
    except DecodeError:
        raise Forged from None
    kind = asked.WhichOneof("type")
    if kind not in _ASKED:
        return b""
    if kind == "rerun_script":
        _see_run(asked.rerun_script)
    elif kind == "file_urls_request":
        return _too_many_files(asked.file_urls_request)
    elif kind == "backend_operation_request":
        return _operation(asked.backend_operation_request)
    return None


def _see_run(run) -> None:
    widgets, kept = run.widget_states.widgets, run.cached_message_hashes
    _see(len(widgets) <= _MOST and len(kept) <= _MOST and _short(_NAME, run.page_name)
         and _short(_ID, run.page_script_hash, run.fragment_id, *kept)
         and all(widget.id.startswith(_WIDGETS) and len(widget.id) <= _NAME for widget in widgets))


def _too_many_files(request) -> bytes | None:
    _see(_short(_ID, request.request_id, request.session_id))
    if len(request.file_names) > MOST_FILES:
        answer = ForwardMsg()
        answer.file_urls_response.response_id = request.request_id
        answer.file_urls_response.error_msg = (f"{len(request.file_names):,} files were chosen at once. Expected at "
                                               f"most {MOST_FILES:,}: choose fewer at a time, or a zip of them.")
        return answer.SerializeToString()
    _see(_short(_NAME, *request.file_names))
    return None


def _operation(request) -> bytes | None:
    _see(_short(_ID, request.request_id, request.session_id, request.deferred_file.file_id,
                request.dataframe_chunk.source_id) and _short(_NAME, request.dataframe_chunk.sort.column))
    return None if request.WhichOneof("payload") in _OPERATIONS else b""


def _short(most: int, *texts: str) -> bool:
    return all(len(text) <= most for text in texts)


def _see(well: bool) -> None:
    if not well:
        raise Forged
