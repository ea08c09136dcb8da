"""Files that a browser lists as chosen and the server does not have: said, and taken from the list."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from mtsig_core.errors import counted
from pages._ui import screen, server_uploads

__all__ = ["choose_files", "why_missing"]

_FIELD, _SAID = "uploaded.field", "uploaded.said"


def choose_files(key: str) -> Sequence[UploadedFile]:
    """A field for several files; those that the server has. Where it has none of them, the list begins anew."""
    state = st.session_state
    field = f"{key}{state.get(_FIELD, '')}"
    files = st.file_uploader("Files", accept_multiple_files=True, key=field, label_visibility="collapsed")
    said = why_missing(state[field])
    if said and not files:
        state[_FIELD], state[_SAID] = state.get(_FIELD, 0) + 1, said
        st.rerun()
    if files:
        state.pop(_SAID, None)
    for text in said or state.get(_SAID, ()):
        screen.error(text)
    return files


def why_missing(files: Sequence[UploadedFile | DeletedFile | None]) -> list[str]:
    """Why some of these files are not here, each reason once; nothing where all are."""
    reasons = [server_uploads.reason(file.file_id) for file in files if isinstance(file, DeletedFile)]
    said = list(dict.fromkeys(reason for reason in reasons if reason))
    if lost := reasons.count(None):
        said.append(f"{counted(lost, 'chosen file')} {'is' if lost == 1 else 'are'} not here any more: the server "
                    "was started again, or this page was away for long. Choose again. What was opened is kept, under "
                    "Yours." + (" A file that is here has a role below." if len(reasons) < len(files) else ""))
    return said
