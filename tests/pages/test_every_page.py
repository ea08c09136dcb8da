"""What holds on every page: names of strangers are text, and a single system is enough to open it."""

import pytest

from mtsig_core.source import Source
from tests.pages.toys import NAMES, words

PAGES = ("overview", "data", "leaderboard", "significance", "pair", "bootstrap", "sampling", "sweeps", "validation",
         "metrics", "segments", "methods")
#: What a page needs two systems for says so.
NEEDS_TWO = ("pair", "sampling", "sweeps", "validation", "segments")
VIEWS = [("metrics", {"inside": view}) for view in ("output length", "step by step", "sentence average", "Student's t",
                                                   "signatures")]
EXPERIMENTS = [("validation", {"experiment": name}) for name in (
    "conclusions", "coverage", "many comparisons", "documents or segments", "one pair, several metrics")]


@pytest.mark.parametrize("page, asked", [*((page, {}) for page in PAGES), *VIEWS])
def test_names_are_shown_literally(opened, source, page, asked):
    shown = opened(page, source, system=NAMES[0], **asked)
    assert not shown.exception and "<img" not in words(shown)
    without = page in ("data", "validation", "methods") or asked.get("inside") in ("step by step", "Student's t")
    assert without or "&lt;img src=x onerror=alert(1)&gt;" in words(shown)
    texts = [element.value for kind in (shown.markdown, shown.caption, shown.subheader) for element in kind]
    assert not [text for text in texts if any(name in text for name in NAMES)]
    assert not [figure for figure in shown.get("plotly_chart") if "<img" in figure.proto.spec]


@pytest.mark.parametrize("page, asked", [*((page, {}) for page in PAGES), *VIEWS, *EXPERIMENTS])
def test_a_single_system_is_enough_to_open_it(opened, source, page, asked):
    shown = opened(page, Source(ref=source.ref, system=source.system[:1]), **asked)
    assert not shown.exception
    assert ('role="alert"' in words(shown)) == (page in NEEDS_TWO or asked == {"inside": "sentence average"})
