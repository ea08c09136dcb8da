"""How a page ends before its last line."""

from __future__ import annotations

from typing import NoReturn

__all__ = ["PageEnded", "end_page"]


class PageEnded(BaseException):
    """A page has said all it can. No `Exception`: no page is to catch it."""


def end_page() -> NoReturn:
    """End the page here; the frame still does its part: after Streamlit's own stop nothing more reaches the browser."""
    raise PageEnded
