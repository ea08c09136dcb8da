"""The frame of every page: test set, settings, and the comparison that they describe."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from itertools import groupby

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mtsig_core import MtsigError, TestSet
from mtsig_core.report.caution_words import list_assumptions
from mtsig_core.report.palette import shortened
from mtsig_core.report.sentences import describe_settings, summarize_comparison
from pages._ui import address, background, browser, controls, screen, testsets, views
from pages._ui.catalogue import HOME, PAGES, Page
from pages._ui.screen import PageEnded, end_page
from pages._ui.views import View
from pages._work import events

_FRAMED = "frame.drawn_in_this_run"
_DETAILS = "frame.details"  # the place under Change for all that is known of data and test
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
    """Draw the menus of pages, the header and the sidebar, then the page."""
    opened, page = navigate()
    with events.timed("page", page=page.name):
        screen.style()
        address.begin(page.name)
        background.begin()
        if page.opens == "lecture":  # one screen, without a frame
            _name_tab(page.title, None)
            _run(opened, page)
            address.write()
        else:
            _draw_with_frame(opened, page)


def _draw_with_frame(opened, page: Page) -> None:
    with st.container(key="menus"):
        menus = st.empty()
    query = _draw_menus(menus, opened)
    with st.container(horizontal=True, vertical_alignment="center", key="header"):
        st.title(page.title, anchor=False, width="content")
        data = st.empty()
        change = _make_change(page)
    below = st.container()
    with st.sidebar:
        browser.show_page_top(f"{page.name} {address.asked(views.LINK)}")
        view = _choose_view(page, change)
    title = None
    if not isinstance(view, MtsigError):
        title = view.title
        _describe_view(data, view, page)
    st.session_state[_DETAILS] = None
    if change is not None:
        st.session_state[_DETAILS] = change.container()
    _name_tab(page.title, title)
    _explain_simulated_task(view)
    _run(opened, view)
    browser.keep_drafts(page.name)
    _finish(menus, opened, query, below)


def _make_change(page: Page) -> DeltaGenerator | None:
    """Draw the button Change, and return the place of the settings; None if the page has none."""
    if page.opens == "review" or not controls.has_effect(page, *controls.OFFERED):
        return None
    return st.popover("Change", icon=":material/tune:", key="settings.box")


def _describe_view(place: DeltaGenerator, view, page: Page) -> None:
    """Name the data on screen, their size, and the method; simulated data with a link to Upload."""
    phrases = view.describe_data()
    method = []
    if page.opens != "review":
        testset = getattr(view, "testset", None)  # a task has many
        method = controls.describe_settings(page, view.settings, testset)
    with place.container(horizontal=True, vertical_alignment="center", key="header.data"):
        if view.is_simulated:
            st.html('<span class="mt-demo">Demo data</span>', width="content")
        screen.status(phrases, method)
        if view.is_simulated and page.name != "upload":
            address.link("upload", "Upload your data", icon=None)


def show_details(*lines: Iterable[str]) -> None:
    """Draw lines on data and test below the settings, if the page has settings."""
    place = st.session_state.pop(_DETAILS)
    if place is not None:
        with place:
            screen.status(*lines)


def _explain_simulated_task(view) -> None:
    """Say why the page of a task shows the simulated one, not the test set that is open."""
    name = getattr(view, "instead_of", "")
    if name:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            screen.caution_box(
                f"{name} is one test set, not a shared task. So this page shows the simulated task. "
                "Summary has the results of your test set."
            )
            address.link("summary", "Open Summary")


def _name_tab(page: str, opened: str | None) -> None:
    """Set the title of the browser's tab: the open data, and the page."""
    names = [shortened(name, _LONGEST_NAME) for name in (opened, page, "mtsig") if name]
    st.set_page_config(" · ".join(names))


def _choose_view(page: Page, change: DeltaGenerator | None):
    """Let the user choose the data of the page; return their view, or the reason for no view."""
    try:
        if page.opens == "task":
            return views.choose_task(change)
        if page.opens == "review":
            return views.choose_review()
        return _choose_testset(page, change)
    except MtsigError as problem:
        return problem


def _run(opened, view) -> None:
    st.session_state[_FRAMED] = view
    with suppress(PageEnded):  # it is complete before its last line
        opened.run()


def _choose_testset(page: Page, change: DeltaGenerator | None) -> View:
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
        st.caption(
            "This page uses larger demo data. Its systems are named after the language they translate "
            "from, as in Koehn (2004). Your choice then applies to all pages."
        )
    try:
        if name is None:
            raise testsets.Gone(name_in_address)
        offer = offers[name]
        full_set = offer.load()
    except MtsigError:  # the controls stay, and what they are set to
        controls.pick_metric(None, page)
        controls.pick_settings(page, change)
        raise
    _notice(name, full_set, offer.may_change)
    metric = controls.pick_metric(full_set, page)
    full_set = views.pick_tokenizer(full_set)
    settings = controls.pick_settings(page, change, metric in full_set.scores, full_set)
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


def _draw_menus(place, opened, drawn_query: dict | None = None) -> dict:
    """Draw a menu of pages for each section unless drawn with this query; return their query."""
    query = address.elsewhere({})
    if query == drawn_query:
        return query
    with place.container(horizontal=True, gap="xsmall"):
        for section, pages in groupby(PAGES.values(), lambda page: page.section):
            with _make_menu(section):
                for page in pages:
                    is_here = page.name == address.page()
                    address.link(
                        page.name,
                        page.title,
                        icon=f":material/{page.icon}:",
                        opened=opened if is_here else None,
                    )
    return query


def _make_menu(section: str):
    """Draw the button of a menu, bold where the open page is; pages of no section need none."""
    if not section:
        return nullcontext()
    if section == PAGES[address.page()].section:
        section = f"**{section}**"
    return st.popover(section, type="tertiary")


def _finish(menus, opened, query: dict, below) -> None:
    """Complete a run after the page has drawn all its controls.

    `query` is the query of the menus that were drawn before.
    """
    messages = [shortened(text, _WIDEST) for text in address.complaints()]
    if _CHANGED in st.session_state:
        messages.append(
            "This test set has changed since the link was made or the page was opened: its files changed, "
            "or the link means another set. Numbers may differ from those you saw before."
        )
    with below:
        for message in messages:
            screen.error(message)
    address.write()
    _draw_menus(menus, opened, query)
    with st.sidebar:
        address.keep_in_browser({address.SEEN: address.asked(address.SEEN)})


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
    """Draw what was assumed, and caveats of an experiment; under Change data and test in detail."""
    comparison = view.comparison
    data, *_ = summarize_comparison(comparison)
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
    show_details(data, test)
    screen.status(list_assumptions(comparison.testset.assumed, [view.metric], remedies=True))
    if experiment:
        screen.cautions(
            caution
            for caution in comparison.warnings
            if caution.kind.concern in ("files", "scores")
        )
