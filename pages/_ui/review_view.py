"""What the page Review has on screen: a kept review, and the shared task that it is about, with and without those whom
it leaves out."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mtsig_core import InputError
from mtsig_core.store.reviews import KeptReview, Review, ReviewStore
from pages._ui import address, tasks, testsets
from pages._ui.task_view import TaskView

__all__ = ["LINK", "ReviewView", "choose", "reviews"]

LINK = "review"  # the key of the link in the address
_LAST = "review.last"  # that of the review opened last


@dataclass(frozen=True)
class ReviewView:
    """What is opened by the link in the address.

    Attributes
    ----------
    kept : KeptReview or None
        None where the address has no link.
    before, now : TaskView or None
        The task as the review compares it, with all systems, and without those left out.
    """

    kept: KeptReview | None
    before: TaskView | None = None
    now: TaskView | None = None

    @property
    def title(self) -> str | None:
        """What is open."""
        return None if self.before is None else self.before.title  # of all systems: some may be gone by now

    @property
    def review(self) -> Review:
        return self.kept.review

    @property
    def may_edit(self) -> bool:
        return self.kept.edit_link is not None

    def address_of(self, link: str) -> str:
        """The whole address under which a link opens the review."""
        return f"{(st.context.url or '/review').partition('?')[0]}?{LINK}={link}"


def choose() -> ReviewView:
    """Open the review of the address, else the one opened last; what it has on screen."""
    if address.asked(LINK) is None and _LAST in st.session_state:  # also after Back: leaving the page took it away
        address.keep(LINK, [st.session_state[_LAST]])
    link = address.settle(LINK, "", lambda texts: texts[-1], lambda value: [value], pages_own=True)
    if not link:
        return ReviewView(None)
    kept = reviews().find(link)
    if kept is None:
        st.session_state.pop(_LAST, None)
        raise InputError("The review of this link is not here: it was deleted, it has expired, or it was kept on "
                         "another server. Ask whoever sent the link for another.")
    st.session_state[_LAST] = link
    st.caption("Task, metric and settings are those of the review.")
    st.button("Close this review", on_click=_close)
    review, offers = kept.review, tasks.available()
    if (offer := tasks.find(review.task, offers)) is None:
        raise InputError("The shared task of this review was uploaded, and is not here: it was deleted, it has "
                         "expired, or it was kept on another server." if review.task.startswith(testsets.KEPT) else
                         f"The shared task {review.task!r} of this review is not offered here. Whoever runs this "
                         "server names its folder with MTSIG_DATA_ROOT.")
    whole = tasks.kept(offer, review.track, review.refs, review.refs_as_systems)
    before = TaskView(review.task, offer, whole, review.metric, review.tested)
    return ReviewView(kept, before, TaskView(review.task, offer, whole.leaving_out(review.exclusions), review.metric,
                                             review.tested))


@st.cache_resource
def reviews() -> ReviewStore:
    return ReviewStore(testsets.store())


def _close():
    st.session_state.pop(_LAST, None)
    address.keep(LINK, None)
    st.session_state[LINK] = ""
