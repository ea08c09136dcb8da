"""What every page starts with: the guard, the test set, the settings, and the comparison they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from mtsig_core import Comparison, MetricResult, MtsigError, TestSet
from mtsig_core.sources import command_line
from mtsig_core.tables import summary
from pages._ui import controls, parts, results, testsets, words

__all__ = ["ROOT", "View", "draw", "open_page", "open_testset", "pages", "take_view"]

ROOT = Path(__file__).resolve().parents[2]  # not the working directory, which may be any
_FRAMED = "frame.drawn_in_this_run"
_OPEN = "frame.open"


@dataclass(frozen=True)
class View:
    """What is on screen: everything a page draws comes from here.

    Attributes
    ----------
    testset : TestSet
        Without the systems and segments that the user left out.
    whole : TestSet
        All that was read.
    part : parts.Part
        What was chosen of it.
    metric : str
    settings : dict
        Keyword arguments of `mtsig_core.compare`.
    options : list of str
        The command line's options for the test set and what was left out of it.
    """

    testset: TestSet
    whole: TestSet
    part: parts.Part
    metric: str
    settings: dict
    options: list[str]

    @property
    def comparison(self) -> Comparison:
        return results.comparison(self.testset, self.metric, **self.settings)

    @property
    def result(self) -> MetricResult:
        return self.comparison.metrics[self.metric]

    def command(self, *extra: str) -> str:
        """The command line that prints the numbers of this view."""
        usual = {key: default for key, (_, default) in results.with_defaults(self.settings).items()}
        return command_line("compare", *self.options, *extra, usual={"metrics": "bleu", **usual}, metrics=self.metric,
                            **self.settings)


def pages() -> list:
    """The pages in the order of the navigation."""
    return [st.Page(ROOT / "pages" / f"{name}.py", title=name.capitalize(), default=name == "overview")
            for name in ("overview", "data", "leaderboard", "significance", "pair", "bootstrap", "sampling", "sweeps",
                         "validation", "metrics", "segments", "methods")
            if (ROOT / "pages" / f"{name}.py").is_file()]


def draw() -> None:
    """The frame: navigation, test set and settings at the side, then the page."""
    page = st.navigation(pages())
    offers = testsets.available()
    try:
        with st.sidebar:
            if _OPEN in st.session_state:
                st.session_state["testset"] = st.session_state.pop(_OPEN)
            offer = offers[controls.pick_testset(list(offers))]
            try:
                whole = offer.load()
            except MtsigError:  # the controls stay, and what they are set to
                controls.pick_metric(None), controls.pick_settings()
                raise
            metric = controls.pick_metric(whole)
            settings = controls.pick_settings(segment_means=metric in whole.scores)
            part = parts.pick_part(whole, offer.refs, offer.humans)
            view = View(part.testset, whole, part, metric, settings, [*offer.options, *part.options])
    except MtsigError as problem:
        view = problem
    above = st.container()
    controls.remember_link()
    st.session_state[_FRAMED] = view
    try:
        page.run()
    finally:  # also where the page ends early: it may have found more that the link asks in vain
        with above:
            words.messages(controls.unusable(page.url_path))
        controls.write_address()


def open_testset(name: str) -> None:
    """Run the page again on another test set."""
    st.session_state[_OPEN] = name
    st.rerun()


def take_view() -> View | MtsigError:
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
    which stand with its figures; of the settings it has the seed and alpha.
    """
    view = take_view()
    st.title(title)
    try:
        if isinstance(view, MtsigError):
            raise view
        view = adjust(view)
        loaded, tested = summary(view.comparison)
        settings = view.comparison.settings
        words.status(loaded, [f"seed {settings.seed}", f"alpha {settings.alpha:g}", "each figure says how it is tested"]
                     if experiment else tested)
    except MtsigError as problem:
        words.error(str(problem))
        st.stop()
    return view
