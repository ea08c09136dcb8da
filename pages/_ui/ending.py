"""How a page ends before its last line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from mtsig_core import MtsigError
from pages._ui import screen

__all__ = ["PageEnded", "end_page", "or_end_page", "or_without"]


class PageEnded(BaseException):
    """A page has said all it can. No `Exception`: no page is to catch it but by `or_without`."""


def end_page() -> NoReturn:
    """End the page here; the frame still does its part: after Streamlit's own stop nothing more reaches the browser."""
    raise PageEnded


@contextmanager
def or_end_page() -> Iterator[None]:
    """Say why something cannot be had, and end the page."""
    try:
        yield
    except MtsigError as problem:
        screen.error(problem)
        end_page()


def or_without() -> suppress:
    """What comes after stays where this part was cancelled or asks whether to run: it can do without."""
    return suppress(PageEnded)
