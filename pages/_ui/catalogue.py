"""A table of all pages, one row per page.

The menus, links, settings and tests use this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mtsig_core.source import Source
from mtsig_core.stats.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]  # not the working directory, which may be any
#: Simulated data that a page may open on.
TASK = Source(demo_task=True)
LARGE = Source(demo=0)
_TESTED = tuple(name for name, setting in SETTINGS.items() if setting.offered is not None)
_EVERY = ("metric", "tokenize", "part", *_TESTED)  # "part": references, systems and segments


@dataclass(frozen=True)
class Page:
    """A page of the dashboard."""

    section: str
    name: str  # of its file, and its path in the address
    title: str
    icon: str  # of Google's Material Symbols
    settings: tuple[str, ...] = _EVERY  # those that have an effect
    #: Settings that have an effect for some values of a control of the page: its key, and {value:
    #: settings}.
    further: tuple[str, Mapping[str, tuple[str, ...]]] = field(default=("", {}), hash=False)
    demo: Source = TASK  # what it opens by default
    # its subject: a test set, a task, a review; a lecture has no frame
    opens: str = "testset"

    @property
    def file(self) -> Path:
        """The script of the page."""
        return ROOT / "pages" / f"{self.name}.py"


_ONE_PAIR = ("metric", "tokenize", "part")
_SAMPLES = (*_ONE_PAIR, "alpha", "seed")
#: In the order of the navigation.
PAGES = {
    page.name: page
    for page in (
        Page("", "upload", "Upload", "upload", ("tokenize",)),
        Page("Compare", "summary", "Summary", "leaderboard", (*_EVERY, "rank_rule")),
        Page("Compare", "pairs", "All pairs", "grid_on"),
        Page("Compare", "pair", "One pair", "compare_arrows"),
        Page("Compare", "segments", "Segments", "subject", _ONE_PAIR),
        Page("Compare", "metrics", "Metrics and domains", "balance"),
        Page(
            "Shared task", "results", "Results", "table_chart", (*_EVERY, "rank_rule"), opens="task"
        ),
        Page("Shared task", "review", "Review", "gavel", opens="review"),
        Page("Learn", "lecture", "Lecture", "school", opens="lecture"),
        Page(
            "Learn",
            "inside",
            "Inside a score",
            "calculate",
            (*_ONE_PAIR, "seed"),
            ("inside", {"Student's t": ("alpha",)}),
        ),
        Page("Learn", "sampling", "Sampling", "scatter_plot", _SAMPLES, demo=LARGE),
        Page(
            "Learn",
            "bootstrap",
            "Bootstrap",
            "bar_chart",
            (*_ONE_PAIR, "unit", "ci", "alpha", "seed"),
        ),
        Page(
            "Learn",
            "trust",
            "Can I trust the test?",
            "verified",
            _SAMPLES,
            ("experiment", {"Units": ("correction", "trials")}),
            demo=LARGE,
        ),
        Page("Learn", "size", "Test-set size", "show_chart", (*_SAMPLES, "unit"), demo=LARGE),
        Page(
            "Reference",
            "papers",
            "Reproduce the papers",
            "history_edu",
            (*_SAMPLES, "unit", "trials"),
            demo=LARGE,
        ),
        Page("Reference", "methods", "Methods", "functions"),
    )
}
HOME = PAGES["summary"]
