"""Which test set a scene of the lecture is about."""

from __future__ import annotations

from mtsig_core import TestSet
from mtsig_core.report import lecture_texts as texts
from pages._ui import address, demos, testsets

__all__ = ["instead", "testset_of"]

_LEAST = {"bootstrap": 12, "randomization": 10, "blocks": 3000}  # segments of a test set that a scene can be about


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


def instead(scene: str) -> str:
    """Why the scene is not about the test set of the address."""
    asked = address.asked("testset")
    if asked is None or scene not in _LEAST:
        return ""
    return texts.unsuited(testsets.find(asked, testsets.available()).load(), _LEAST[scene])
