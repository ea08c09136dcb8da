"""What every page starts with: the guard, the test set, the settings, and the comparison they ask for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import streamlit as st

from mtsig_core import MtsigError, TestSet
from mtsig_core.report.palette import shortened
from mtsig_core.report.sentences import describe_settings, summarize_comparison
from mtsig_core.report.words import list_assumptions
from mtsig_core.testset import add_remedy
from pages._ui import (
    address,
    background,
    browser,
    controls,
    lecture_stage,
    screen,
    task_view,
    testset_view,
    testsets,
)
from pages._ui.screen import PageEnded, end_page
from pages._ui.testset_view import View
from pages._work import events, scheduler

ROOT = Path(__file__).resolve().parents[2]  # not the working directory, which may be any
_FRAMED = "frame.drawn_in_this_run"
SET = "frame.set"  # name and content of the test set that is open
_CHANGED = "frame.changed"  # the name of a set whose content is another than the link, or the session, saw
_LONGEST_NAME = 60  # letters of what is open, in the title of the tab
_WIDEST = 300  # letters of what a link asks for in vain


def pages() -> list:
    """The pages in the order of the navigation."""
    return [st.Page(ROOT / "pages" / f"{name}.py", title=name.capitalize(), default=name == "overview")
            for name in ("overview", "data", "task", "review", "leaderboard", "significance", "pair", "bootstrap",
                         "sampling", "sweeps", "validation", "metrics", "segments", "methods", "lecture")]


def draw() -> None:
    """The frame: links to the pages, test set and settings in the sidebar, then the page."""
    offered = pages()
    page = st.navigation(offered, position="hidden")
    with events.timed("page", page=page.url_path or "overview"), scheduler.turn():
        _draw_page(page, offered)


def _draw_page(page, offered) -> None:
    address.begin(page.url_path)
    background.begin()
    if page.url_path == "lecture":  # one screen, without a sidebar
        _name_tab(page.title, None)
        _run(page, _chosen(lecture_stage.choose_scene))
        return address.write()
    with st.sidebar:
        links = st.empty()
        linked = _draw_links(links, offered)
        browser.show_page_top(f"{page.url_path} {address.asked(task_view.LINK)}")
        choose = {"task": task_view.choose, "review": task_view.choose_review}.get(page.url_path)
        view = _chosen(choose) if choose else _chosen(_draw_view, page.url_path)
    above = st.container()
    _name_tab(page.title, None if isinstance(view, MtsigError) else view.title)
    _run(page, view)
    _finish(links, linked, offered, above)


def _name_tab(page: str, opened: str | None) -> None:
    """What the tab of the browser is called: what is open, and the page."""
    st.set_page_config(" · ".join(shortened(part, _LONGEST_NAME) for part in (opened, page, "mtsig") if part))


def _chosen(choose: Callable, *args: str):
    try:
        return choose(*args)
    except MtsigError as problem:
        return problem


def _run(page, view) -> None:
    st.session_state[_FRAMED] = view
    with suppress(PageEnded):  # it has said all it can
        page.run()


def _draw_view(page: str) -> View:
    """Let a test set and the settings be chosen; what they make."""
    offers, asked = testsets.available(), address.asked("testset")
    if asked is not None and (kept := testsets.find_track(asked, offers)) is not None:
        offers.setdefault(asked, kept)
    usual = testsets.usual(offers, page)
    name = controls.pick_testset({name: offer.label for name, offer in offers.items()}, usual)
    if address.asked("testset") is None and usual != next(iter(offers)):
        st.caption("This page opens on a larger set than others. The one you choose stays on all pages.")
    try:
        if name is None:
            raise testsets.Gone(asked)
        whole = (offer := offers[name]).load()
    except MtsigError:  # the controls stay, and what they are set to
        controls.pick_metric(None), controls.pick_settings()
        raise
    _notice(name, whole, offer.may_change)
    metric = controls.pick_metric(whole, page)
    whole = testset_view.pick_tokenizer(whole)
    settings = controls.pick_settings(page, metric in whole.scores) | controls.pick(page, metric in whole.scores)
    part = testset_view.pick_part(whole, offer.source, metric, controls.has_effect(page, "part"))
    return View(part.testset, whole, part, metric, settings, part.source)


def _notice(name: str, whole: TestSet, may_change: bool) -> None:
    """Notice another test set, and other content under the same name."""
    state, before = st.session_state, st.session_state.get(SET)
    switched = before is not None and before[0] != name and not address.by_history()
    if switched:
        address.switched_set(before[1], whole.digest,
                             lambda key, texts: testset_view.of_this_set_alone(key, texts, whole))
    elif (seen := address.asked(address.SEEN)) is not None and not whole.digest.startswith(seen):
        state[_CHANGED] = name, (
            "Other content stands under the name of this test set now than when the link was made, or the page opened: "
            "its files have changed, and numbers seen before may differ."
        ) if may_change and address.asked("testset") else (
            f"The address asks for digest={seen}, and the test set that is open here has other content: it is another "
            "than was meant, or its files have changed. Numbers seen before may differ.")
    if switched or state.get(_CHANGED, (name,))[0] != name:
        state.pop(_CHANGED, None)
    state[SET] = name, whole.digest
    address.keep(address.SEEN, [whole.digest[:12]] if may_change else None)


def _draw_links(place, offered, drawn: dict | None = None) -> dict:
    """Draw the links to all pages, if they ask for anything else than those that are `drawn`; what they ask for."""
    asks = address.elsewhere({})
    if asks != drawn:
        with place.container(gap="xxsmall"):
            for page in offered:
                address.link(page, page.title)
    return asks


def _finish(links, linked, offered, above) -> None:
    """What is known only when the page has drawn all its controls; what the links asked for before is `linked`."""
    said = [shortened(text, _WIDEST) for text in address.complaints()]
    if _CHANGED in st.session_state:
        said.append(st.session_state[_CHANGED][1])
    with above:
        screen.messages(said)
    address.write()
    _draw_links(links, offered, linked)
    with st.sidebar:
        address.keep_in_browser({address.SEEN: address.asked(address.SEEN)})


def open_testset(name: str) -> None:
    """Run the page again on another test set."""
    address.keep("testset", [name])
    st.rerun()


def open_task(name: str, pair: str) -> None:
    """Open a shared task on its page, and its language pair on the others."""
    address.keep("shared_task", None)
    address.go(ROOT / "pages" / "task.py", testset=f"{name}/{pair}", **{address.SEEN: None})


def take_view() -> View | task_view.TaskView | task_view.ReviewView | MtsigError:
    """What the frame prepared for this run of the page.

    On a fresh server the first link to a page runs its file alone; it is then sent through the frame.
    """
    view = st.session_state.pop(_FRAMED, None)
    if view is None:
        st.navigation(pages(), position="hidden")
        st.rerun()
    return view


def open_page(title: str, adjust: Callable[[View], View] = lambda view: view, experiment: bool = False) -> View:
    """Start a page: its title, what is loaded and how it is tested; ends the page with a message if that fails.

    `adjust` may draw controls of the page's own and change the view by them. An experiment tests in ways of its own,
    which stand with its figures. Of the settings those are named that have an effect on the page.
    """
    view = take_view()
    st.title(title)
    try:
        if isinstance(view, MtsigError):
            raise view
        view = adjust(view)
        told = {key: text for key, text in describe_settings(view.comparison).items() if controls.has_effect(None, key)}
        told.pop("unit" if experiment or "test" in told else "", None)
        gone = len(set(view.part.family.systems) - set(view.testset.systems))
        left_out = [f"{gone} {'system' if gone == 1 else 'systems'} left out"] if gone else []
        screen.status([*summarize_comparison(view.comparison)[0], *left_out],
                      [*told.values(), *["each figure says how it is tested"] * (experiment and "alpha" in told)],
                      map(add_remedy, list_assumptions(view.comparison.testset.assumed, [view.metric])))
        if experiment:
            screen.cautions(caution for caution in view.comparison.warnings
                            if caution.kind.concern in ("files", "scores"))
    except MtsigError as problem:
        screen.error(problem)
        if isinstance(problem, testsets.Gone):
            address.link(ROOT / "pages" / "data.py", "Upload its files", icon=":material/upload:")
        end_page()
    return view
