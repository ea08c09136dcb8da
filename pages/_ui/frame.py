"""The frame of every page: test set, settings, and the comparison that they describe."""

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
# the name of a set whose content is another than when the link was made or the page was opened
_CHANGED = "frame.changed"
_LONGEST_NAME = 60  # letters of what is open, in the title of the tab
_WIDEST = 300  # letters of what a link asks for in vain


def navigate():
    """Return the page of this run, as Streamlit runs it, and its row in the catalogue.

    Streamlit's own navigation would drop the query of the address, so the links are drawn here.
    """
    # The default page has no path in the address.
    pages = [st.Page(HOME.file, title=HOME.title, default=True, url_path="home")]
    for name, page in PAGES.items():
        pages.append(st.Page(page.file, title=page.title, url_path=name))
    opened = st.navigation(pages, position="hidden")
    return opened, PAGES[opened.url_path or HOME.name]


def draw() -> None:
    """Draw the links to the pages, the test set and the settings in the sidebar, then the page."""
    opened, page = navigate()
    with events.timed("page", page=page.name):
        screen.style()
        address.begin(page.name)
        background.begin()
        if page.opens == "lecture":  # one screen, without a sidebar
            _name_tab(page.title, None)
            _run(opened, page)
            address.write()
        else:
            _draw_with_sidebar(opened, page)


def _draw_with_sidebar(opened, page: Page) -> None:
    with st.sidebar:
        links = st.empty()
        queries = _draw_links(links, opened)
        browser.show_page_top(f"{page.name} {address.asked(views.LINK)}")
        view = _choose_view(page)
    _show_demo_banner(page, view)
    above = st.container()
    title = None
    if not isinstance(view, MtsigError):
        title = view.title
    _name_tab(page.title, title)
    _run(opened, view)
    _finish(links, opened, queries, above)


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
    """Set the title of the browser's tab: the open data, and the page."""
    names = [shortened(name, _LONGEST_NAME) for name in (opened, page, "mtsig") if name]
    st.set_page_config(" · ".join(names))


def _choose_view(page: Page):
    """Let the user choose the data of the page; return their view, or the reason for no view."""
    try:
        if page.opens == "task":
            return views.choose_task()
        if page.opens == "review":
            return views.choose_review()
        return _choose_testset(page)
    except MtsigError as problem:
        return problem


def _run(opened, view) -> None:
    st.session_state[_FRAMED] = view
    with suppress(PageEnded):  # it is complete before its last line
        opened.run()


def _choose_testset(page: Page) -> View:
    """Let the user choose a test set and the settings; return their view."""
    offers = testsets.available()
    name_in_address = address.asked("testset")
    if name_in_address is not None:
        linked = testsets.find_track(name_in_address, offers)
        if linked is not None:
            offers.setdefault(name_in_address, linked)
    usual = testsets.usual(offers, page)
    labels = {name: offer.label for name, offer in offers.items()}
    name = controls.pick_opened("Test set", "testset", labels, usual, always=True)
    if address.asked("testset") is None and usual != next(iter(offers)):
        st.caption("This page uses larger demo data. Your choice then applies to all pages.")
    try:
        if name is None:
            raise testsets.Gone(name_in_address)
        offer = offers[name]
        full_set = offer.load()
    except MtsigError:  # the controls stay, and what they are set to
        controls.pick_metric(None, page)
        controls.pick_settings(page)
        raise
    _notice(name, full_set, offer.may_change)
    metric = controls.pick_metric(full_set, page)
    full_set = views.pick_tokenizer(full_set)
    settings = controls.pick_settings(page, metric in full_set.scores, full_set)
    selection = views.pick_selection(
        full_set, offer.source, metric, controls.has_effect(page, "part")
    )
    return View(selection.testset, full_set, selection, metric, settings, selection.source)


def _notice(name: str, full_set: TestSet, may_change: bool) -> None:
    """Notice another test set, or other content under the same name."""
    state = st.session_state
    last_name, last_digest = state.get(SET, (name, full_set.digest))
    is_switched = last_name != name and not address.by_history()
    digest_in_address = address.asked(address.SEEN)
    if is_switched:

        def belongs_to_last_set(key, texts):
            return views.of_this_set_alone(key, texts, full_set)

        address.switched_set(last_digest, full_set.digest, belongs_to_last_set)
    elif digest_in_address is not None and not full_set.digest.startswith(digest_in_address):
        state[_CHANGED] = name
    if is_switched or state.get(_CHANGED, name) != name:
        state.pop(_CHANGED, None)
    state[SET] = name, full_set.digest
    address.keep(address.SEEN, [full_set.digest[:12]] if may_change else None)


def _draw_links(place, opened, drawn_query: dict | None = None) -> dict:
    """Draw the links to all pages unless they are drawn with this query; return their query."""
    query = address.elsewhere({})
    if query == drawn_query:
        return query
    with place.container(gap="xxsmall"):
        section = ""
        for page in PAGES.values():
            if page.section != section:
                st.html(f'<div class="mt-section">{page.section}</div>')
                section = page.section
            is_here = page.name == address.page()
            address.link(
                page.name,
                page.title,
                icon=f":material/{page.icon}:",
                opened=opened if is_here else None,
            )
    return query


def _finish(links, opened, query: dict, above) -> None:
    """Complete a run after the page has drawn all its controls.

    `query` is the query of the links that were drawn before.
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
    _draw_links(links, opened, query)
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

    On a fresh server the first link to a page runs only its file, without the frame. It then
    starts again with the frame.
    """
    view = st.session_state.pop(_FRAMED, None)
    if view is None:
        navigate()
        st.rerun()
    return view


def open_page(adjust: Callable[[View], View] = lambda view: view, experiment: bool = False) -> View:
    """Start a page with its title, its data and its test; end it with a message if that fails.

    `adjust` may draw the page's own controls and change the view. An experiment has tests of its
    own, which its figures name. The page names only settings that have an effect on it.
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
        _show_status(view, page, experiment)
    except MtsigError as problem:
        screen.error(problem)
        if isinstance(problem, testsets.Gone):
            address.link("upload", "Upload its files", icon=":material/upload:")
        end_page()
    return view


def _show_status(view: View, page: Page, experiment: bool) -> None:
    """Draw lines on the data, the test and what was assumed, and caveats of an experiment."""
    comparison = view.comparison
    data, *_ = summarize_comparison(comparison)
    data = list(data)
    n_excluded = len(set(view.selection.family.systems) - set(view.testset.systems))
    if n_excluded:
        data.append(f"{format_count(n_excluded, 'system')} excluded")
    settings = {
        name: text
        for name, text in describe_settings([comparison]).items()
        if controls.has_effect(page, name)
    }
    if experiment or "test" in settings:
        settings.pop("unit", None)
    test = list(settings.values())
    if experiment and "alpha" in settings:
        test.append("each figure says how it is tested")
    assumptions = list_assumptions(comparison.testset.assumed, [view.metric], remedies=True)
    screen.status(data, test, assumptions)
    if experiment:
        screen.cautions(
            caution
            for caution in comparison.warnings
            if caution.kind.concern in ("files", "scores")
        )
