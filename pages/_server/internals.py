"""All private parts of Streamlit, Uvicorn and Plotly that the dashboard uses.

Another version of these packages may have them elsewhere.
"""

from __future__ import annotations

import inspect
import re
import signal
import socket
from pathlib import Path

import plotly.graph_objects as go
import streamlit as st
from google.protobuf.message import DecodeError
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.secrets import secrets_singleton
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile
from streamlit.web.server.starlette import starlette_static_routes

__all__ = ["DeletedFile", "UploadedFile"]  # for others to take from here

# -- sessions -------------------------------------------------------------------------------------


def session_id() -> str:
    """Return the session of this run of a page."""
    return get_script_run_ctx().session_id


def by_history() -> bool:
    """Return whether this run answers a press of Back or Forward."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def let_run_end() -> None:
    """Let Streamlit end a run that a click made obsolete: it does so when the state is read."""
    st.session_state.get("internals")


def is_open(session: str) -> bool:
    """Return whether the tab of a session is open; without a server it is.

    The session stays for a while after its tab was closed.
    """
    return not runtime.exists() or get_instance().is_active_session(session)


def count_sessions() -> int:
    """Return the number of sessions of this process."""
    family = "active_sessions"
    [sessions] = get_instance().stats_mgr.get_stats(family_names=[family])[family]
    return sessions.value


def end_closed_sessions() -> bool:
    """End the sessions that closed two minutes ago; return whether there were any.

    Streamlit does so only when another session opens or closes. Until then the server would keep
    all their uploaded files.
    """
    closed = get_instance()._session_mgr._session_storage._cache.expire()
    for _, info in closed:
        info.session.shutdown()
    return bool(closed)


def find_user(session: str) -> dict | None:
    """Return who has logged in for an open session; None without such a session."""
    info = get_instance()._session_mgr.get_active_session_info(session)
    if info is None:
        return None
    return info.session._user_info


def has_secrets() -> bool:
    """Return whether there is a file of secrets."""
    return secrets_singleton.load_if_toml_exists()


def ignore_pages_folder() -> None:
    """Keep Streamlit from running the first page without its frame, and then once more.

    It would do so before it has seen `st.navigation`.
    """
    PagesManager.uses_pages_directory = False


# -- files that a page has chosen to upload -------------------------------------------------------

#: The path of an upload, with the session and the file.
UPLOAD_PATH = re.compile(r"/_stcore/upload_file/([^/]*)/([^/]*)$")


def measure_files() -> dict[str, list[int]]:
    """Return the bytes of each file that Streamlit holds, by session."""
    storage = get_instance().uploaded_file_mgr.file_storage
    sizes = {}
    for session, files in list(storage.items()):  # a copy: other threads change it
        sizes[session] = [len(file.data) for file in list(files.values())]
    return sizes


def remove_files(session: str) -> None:
    """Forget the files of a session."""
    get_instance().uploaded_file_mgr.remove_session_files(session)


# -- what a browser sends and gets ----------------------------------------------------------------

#: Paths that Streamlit offers to programs without authentication.
CLOSED_PATHS = ("/_stcore/metrics", "/_stcore/agent")
#: The messages that pages of this dashboard send. Others are for developers: `clear_cache` empties
#: the caches of all sessions.
_MESSAGES = {
    "rerun_script",
    "stop_script",
    "app_heartbeat",
    "file_urls_request",
    "backend_operation_request",
}
_OPERATIONS = {"deferred_file", "dataframe_chunk"}  # others write files
_STATIC = Path(st.__file__).parent / "static"
#: Streamlit's page, which a browser gets at every address of a page.
PAGE = _STATIC / "index.html"
#: The address of the script that draws figures, 5 MB.
FIGURE_SCRIPT = f"./static/js/{next(_STATIC.rglob('PlotlyChart.*.js')).name}"
#: The class that answers requests for Streamlit's page and files.
StreamlitFiles = type(starlette_static_routes.create_streamlit_static_handler(_STATIC, None))


def serve_files_by(handler) -> None:
    """Let another class answer requests for Streamlit's page and files."""
    starlette_static_routes.create_streamlit_static_handler = handler


def is_from_page(data: bytes | None) -> bool:
    """Return whether a page of the dashboard sends such a message."""
    try:
        message = BackMsg.FromString(data or b"")
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return kind in _MESSAGES


def list_files() -> list[Path]:
    """Return Streamlit's scripts and styles."""
    return list(_STATIC.rglob("*.[jc]s*"))


# -- Uvicorn --------------------------------------------------------------------------------------


def find_server():
    """Return Uvicorn's server, which handles the signals; None without a server."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if hasattr(server, "should_exit"):
        return server
    return None


def send_at_once(server) -> None:
    """Have a server send each part of an answer at once, over HTTP.

    The kernel delays later parts until the browser confirms the first part, up to 40 ms. asyncio
    turns this off for sockets that it opens, but Streamlit opens its own sockets.
    """

    class Protocol(server.config.http_protocol_class):
        def connection_made(self, transport):
            connection = transport.get_extra_info("socket")
            if connection.family in (socket.AF_INET, socket.AF_INET6):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            super().connection_made(transport)

    server.config.http_protocol_class = Protocol


def limit_messages(server, size: int) -> None:
    """Limit the number of bytes that a page can send at once."""
    server.config.ws_max_size = min(server.config.ws_max_size, size)


def load_lazy_parts() -> None:
    """Load what Streamlit and Plotly would load when a page first needs it."""
    go.Figure(go.Bar()).to_json()
    inspect.stack()  # Streamlit asks for it before its first element; it looks through all modules


# -- the elements of a figure, for styles ---------------------------------------------------------

FIGURE = ".js-plotly-plot"
FIGURE_TITLE = ".gtitle"
FIGURE_BAR = ".modebar-container"
FIGURE_TEXTS = ".textpoint"
FIGURE_NOTE = '.annotation[data-index="{}"]'


def select_element(key: str) -> str:
    """Return the selector of an element on the page by its key."""
    return f".st-key-{key.replace('.', '-')}"
