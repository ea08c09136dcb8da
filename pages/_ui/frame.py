"""The frame of every page: the guard, the test set, the settings, and the comparison that they
describe.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.errors import format_count
from mtsig_core.report.caution_words import list_assumptions
from mtsig_core.report.palette import shortened
from mtsig_core.report.sentences import describe_settings, summarize_comparison
from pages._ui import address, background, browser, controls, screen, testsets, views
from pages._ui.catalogue import HOME, PAGES, Page
from pages._ui.screen import PageEnded, end_page
from pages._ui.views import View
from pages._work import events

_FRAMED = "frame.drawn_in_this_run"
SET = "frame.set"  # name and content of the test set that is open
_CHANGED = (
    "frame.changed"  # the name of a set whose content is another than the link, or the session, saw
)
_LONGEST_NAME = 60  # letters of what is open, in the title of the tab
_WIDEST = 300  # letters of what a link asks for in vain


def navigate():
    """Return the page of this run, as Streamlit runs it, and its row in the catalogue.

    Streamlit's own navigation would drop what the address asks, so the links are drawn here.
    """
    home = st.Page(
        HOME.file, title=HOME.title, default=True, url_path="home"
    )  # in the address: nothing
    chosen = st.navigation(
        [
            home,
            *(st.Page(page.file, title=page.title, url_path=name) for name, page in PAGES.items()),
        ],
        position="hidden",
    )
    return chosen, PAGES[chosen.url_path or HOME.name]


def draw() -> None:
    """Draw the links to the pages, the test set and the settings in the sidebar, then the page."""
    chosen, page = navigate()
    with events.timed("page", page=page.name):
        screen.style()
        _draw_page(chosen, page)


def _draw_page(chosen, page: Page) -> None:
    address.begin(page.name)
    background.begin()
    if page.opens == "lecture":  # one screen, without a sidebar
        _name_tab(page.title, None)
        _run(chosen, page)
        return address.write()
    with st.sidebar:
        links = st.empty()
        linked = _draw_links(links, chosen)
        browser.show_page_top(f"{page.name} {address.asked(views.LINK)}")
        choose = {"task": views.choose_task, "review": views.choose_review}.get(page.opens)
        view = _choose(choose) if choose else _choose(_draw_view, page)
    _show_demo_banner(page, view)
    above = st.container()
    _name_tab(page.title, None if isinstance(view, MtsigError) else view.title)
    _run(chosen, view)
    _finish(links, chosen, linked, above)


def _show_demo_banner(page: Page, view) -> None:
    """Show that the data are simulated, with a link to Upload."""
    size = getattr(view, "simulated_size", None)
    if size is not None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="demo"):
            st.html(f"<b>Demo data</b> Simulated: {size}.", width="content")
            if page.name != "upload":
                address.link("upload", "Upload your data", icon=":material/upload:")
    opened = getattr(view, "instead_of", "")
    if opened:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            screen.caution_box(
                f"{opened} is one test set, not a shared task. So this page shows the simulated task. "
                "Summary has the results of your test set."
            )
            address.link("summary", "Open Summary")


def _name_tab(page: str, opened: str | None) -> None:
    """Set the title of the browser's tab: what is open, and the page."""
    st.set_page_config(
        " · ".join(shortened(part, _LONGEST_NAME) for part in (opened, page, "mtsig") if part)
    )


def _choose(choose: Callable, *args: str):
    try:
        return choose(*args)
    except MtsigError as problem:
        return problem


def _run(page, view) -> None:
    st.session_state[_FRAMED] = view
    with suppress(PageEnded):  # it has said all it can
        page.run()


def _draw_view(page: Page) -> View:
    """Let a test set and the settings be chosen; return the view that they make."""
    offers, asked = testsets.available(), address.asked("testset")
    if asked is not None and (kept := testsets.find_track(asked, offers)) is not None:
        offers.setdefault(asked, kept)
    usual = testsets.usual(offers, page)
    name = controls.pick_opened(
        "Test set",
        "testset",
        {name: offer.label for name, offer in offers.items()},
        usual,
        always=True,
    )
    if address.asked("testset") is None and usual != next(iter(offers)):
        st.caption(
            "This page opens on a larger set than others. The one you choose stays on all pages."
        )
    try:
        if name is None:
            raise testsets.Gone(asked)
        whole = (offer := offers[name]).load()
    except MtsigError:  # the controls stay, and what they are set to
        controls.pick_metric(None, page), controls.pick_settings(page)
        raise
    _notice(name, whole, offer.may_change)
    metric = controls.pick_metric(whole, page)
    whole = views.pick_tokenizer(whole)
    settings = controls.pick_settings(page, metric in whole.scores, whole)
    part = views.pick_part(whole, offer.source, metric, controls.has_effect(page, "part"))
    return View(part.testset, whole, part, metric, settings, part.source)


def _notice(name: str, whole: TestSet, may_change: bool) -> None:
    """Notice another test set, or other content under the same name."""
    state, before = st.session_state, st.session_state.get(SET)
    switched = before is not None and before[0] != name and not address.by_history()
    if switched:
        address.switched_set(
            before[1], whole.digest, lambda key, texts: views.of_this_set_alone(key, texts, whole)
        )
    elif (seen := address.asked(address.SEEN)) is not None and not whole.digest.startswith(seen):
        state[_CHANGED] = name
    if switched or state.get(_CHANGED, name) != name:
        state.pop(_CHANGED, None)
    state[SET] = name, whole.digest
    address.keep(address.SEEN, [whole.digest[:12]] if may_change else None)


def _draw_links(place, chosen, drawn: dict | None = None) -> dict:
    """Draw the links to all pages unless the same are `drawn` already; return the queries of the
    links.
    """
    asks, here = address.elsewhere({}), address.page()
    if asks != drawn:
        with place.container(gap="xxsmall"):
            section = ""
            for page in PAGES.values():
                if page.section != section:
                    st.html(f'<div class="mt-section">{page.section}</div>')
                    section = page.section
                address.link(
                    page.name,
                    page.title,
                    icon=f":material/{page.icon}:",
                    opened=chosen if page.name == here else None,
                )
    return asks


def _finish(links, chosen, linked, above) -> None:
    """Complete a run after the page has drawn all its controls; `linked` has the queries of the
    links drawn before.
    """
    messages = [shortened(text, _WIDEST) for text in address.complaints()]
    if _CHANGED in st.session_state:
        messages.append(
            "This test set has changed since the link was made or the page was opened: its files changed, "
            "or the link means another set. Numbers may differ from those you saw before."
        )
    with above:
        screen.messages(messages)
    address.write()
    _draw_links(links, chosen, linked)
    with st.sidebar:
        address.keep_in_browser({address.SEEN: address.asked(address.SEEN)})


def open_testset(name: str) -> None:
    """Run the page again on another test set."""
    address.keep("testset", [name])
    st.rerun()


def open_task(name: str, pair: str) -> None:
    """Open a shared task on its page, and its language pair on the others."""
    address.keep("shared_task", None)
    address.go("results", testset=f"{name}/{pair}", **{address.SEEN: None})


def take_view() -> View | views.TaskView | views.ReviewView | MtsigError:
    """Return what the frame prepared for this run of the page.

    On a fresh server the first link to a page runs its file alone; it is then sent through the
    frame.
    """
    view = st.session_state.pop(_FRAMED, None)
    if view is None:
        navigate()
        st.rerun()
    return view


def open_page(adjust: Callable[[View], View] = lambda view: view, experiment: bool = False) -> View:
    """Start a page with its title, its data and its test; end it with a message if that fails.

    `adjust` may draw controls of the page's own and change the view by them. An experiment tests in
    ways of its own, which its figures name. Named are the settings that have an effect on the page.
    """
    view = take_view()
    page = PAGES[address.page()]
    st.title(page.title)
    try:
        if isinstance(view, MtsigError):
            raise view
        view = adjust(view)
        if page.section == "Compare":
            views.show_way_back(view)
        settings = {
            key: text
            for key, text in describe_settings([view.comparison]).items()
            if controls.has_effect(page, key)
        }
        settings.pop("unit" if experiment or "test" in settings else "", None)
        n = len(set(view.part.family.systems) - set(view.testset.systems))
        screen.status(
            [
                *summarize_comparison(view.comparison)[0],
                *[f"{format_count(n, 'system')} excluded"] * (n > 0),
            ],
            [
                *settings.values(),
                *["each figure says how it is tested"] * (experiment and "alpha" in settings),
            ],
            list_assumptions(view.comparison.testset.assumed, [view.metric], remedies=True),
        )
        if experiment:
            screen.cautions(
                caution
                for caution in view.comparison.warnings
                if caution.kind.concern in ("files", "scores")
            )
    except MtsigError as problem:
        screen.error(problem)
        if isinstance(problem, testsets.Gone):
            address.link("upload", "Upload its files", icon=":material/upload:")
        end_page()
    return view
