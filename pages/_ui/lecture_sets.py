"""Which test set a scene of the lecture is about."""

from __future__ import annotations

from collections.abc import Mapping

from mtsig_core import TestSet
from mtsig_core.report import lecture_texts as texts
from mtsig_core.report.palette import shortened
from pages._ui import address, demos, testsets

__all__ = ["beside", "testset_of"]

_LEAST = {"bootstrap": 12, "randomization": 10, "blocks": 3000}  # segments of a test set that a scene can be about
_WIDEST = 30


def testset_of(scene: str) -> TestSet:
    """The test set of the address where it suits the scene, else the large simulated one."""
    asked, offers = address.asked("testset"), testsets.available()
    offer = testsets.find(asked, offers) if asked is not None else None
    if asked is not None and offer is None:
        raise testsets.Gone(asked)
    testset = None if offer is None else offer.load()
    if testset is None or scene not in _LEAST or texts.unsuited(testset, _LEAST[scene]):
        large = testsets.find(demos.LARGE.title, offers)
        testset = (large or offers[demos.LARGE.title]).load()
    return testset


def beside(scene: str, shown: Mapping[str, object], pair: Mapping[str, object]) -> str:
    """What the address asks for and a scene does not show: its test set, and why; a value.

    Parameters
    ----------
    scene : str
    shown : dict
        What it shows, by the keys of the address.
    pair : dict
        The same, of what belongs to a test set.
    """
    testset, why = address.asked("testset"), ""
    if scene in _LEAST:
        if testset is not None:
            why = texts.unsuited(testsets.find(testset, testsets.available()).load(), _LEAST[scene])
        shown = shown if why else {**shown, **pair}
    wrong = [shortened(f"{key}={asked}", _WIDEST) for key, value in shown.items()
             if (asked := address.asked(key)) not in (None, str(value))]
    said = f"The link asks for {' and '.join(wrong)}: not to be had here." if wrong else ""
    return " ".join(filter(None, (said, why)))
