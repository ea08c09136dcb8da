"""All that this dashboard uses of Streamlit without a promise: another version of it may have this
elsewhere.
"""

from __future__ import annotations

from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import get_instance
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.secrets import secrets_singleton
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

__all__ = ["BackMsg", "DeletedFile", "UploadedFile"]  # for others to take from here


def session_id() -> str:
    """The session of this run of a page."""
    return get_script_run_ctx().session_id


def by_history() -> bool:
    """Whether this run answers a press of Back or Forward."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def is_open(session: str) -> bool:
    """Whether the tab of a session is open; the session is there for a while after it.

    Without a server it is.
    """
    return not runtime.exists() or get_instance().is_active_session(session)


def count_sessions() -> int:
    """The sessions of this process."""
    [sessions] = get_instance().stats_mgr.get_stats(family_names=["active_sessions"])[
        "active_sessions"
    ]
    return sessions.value


def end_closed_sessions() -> bool:
    """End the sessions that closed two minutes ago, as Streamlit does only when another opens or
    closes; else all that they chose to upload would stay. Whether there were any.
    """
    closed = get_instance()._session_mgr._session_storage._cache.expire()
    for _, info in closed:
        info.session.shutdown()
    return bool(closed)


def find_user(session: str) -> dict | None:
    """Who has logged in for an open session; None without such a session."""
    info = get_instance()._session_mgr.get_active_session_info(session)
    return None if info is None else info.session._user_info


def measure_files() -> dict[str, list[int]]:
    """The bytes of each file that Streamlit holds, by session."""
    return {
        session: [len(file.data) for file in list(files.values())]
        for session, files in list(get_instance().uploaded_file_mgr.file_storage.items())
    }


def remove_files(session: str) -> None:
    """Forget the files of a session."""
    get_instance().uploaded_file_mgr.remove_session_files(session)


def has_secrets() -> bool:
    """Whether there is a file of secrets."""
    return secrets_singleton.load_if_toml_exists()


def ignore_pages_folder() -> None:
    """Before it has seen `st.navigation`, Streamlit runs the first page without its frame, and then
    once more.
    """
    PagesManager.uses_pages_directory = False
