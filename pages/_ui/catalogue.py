"""All pages, one row each: the navigation, links, settings in the sidebar and tests follow from this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mtsig_core.source import Source
from mtsig_core.stats.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]  # not the working directory, which may be any
#: Simulated data that a page may open on.
TASK, LARGE = Source(demo_task=True), Source(demo=0)
_TESTED = tuple(name for name, setting in SETTINGS.items() if setting.offered is not None)
_EVERY = ("metric", "tokenize", "part", *_TESTED)  # "part": references, systems and segments


@dataclass(frozen=True)
class Page:
    """A page of the dashboard."""

    section: str
    name: str  # of its file, and its path in the address
    title: str
    question: str
    icon: str  # of Google's Material Symbols
    settings: tuple[str, ...] = _EVERY  # those in the sidebar that have an effect
    #: Settings that have an effect where a control of the page is set so: its key, and {what it is set to: settings}.
    further: tuple[str, Mapping[str, tuple[str, ...]]] = field(default=("", {}), hash=False)
    demo: Source = TASK  # what it opens on where nothing was chosen
    opens: str = "testset"  # what is chosen in its sidebar: a test set, a task, a review; a lecture has no sidebar
    was: tuple[str, ...] = ()  # names that it had in the address before: old links still open it

    @property
    def file(self) -> Path:
        return ROOT / "pages" / f"{self.name}.py"


_ONE_PAIR = ("metric", "tokenize", "part")
_SAMPLES = (*_ONE_PAIR, "alpha", "seed")
#: In the order of the navigation.
PAGES = {page.name: page for page in (
    Page("", "upload", "Upload", "What is loaded, and how do you upload your own data?", "upload",
         ("tokenize",), was=("data",)),
    Page("Compare", "summary", "Summary", "Which system is best, and is that more than chance?", "leaderboard",
         (*_EVERY, "rank_rule"), was=("overview", "leaderboard")),
    Page("Compare", "pairs", "All pairs", "Which pairs of systems differ significantly?", "grid_on",
         was=("significance",)),
    Page("Compare", "pair", "One pair", "How large is one difference, and could it be chance?", "compare_arrows"),
    Page("Compare", "segments", "Segments", "Which segments make the difference?", "subject", _ONE_PAIR),
    Page("Compare", "metrics", "Metrics and domains", "Do the metrics agree, and does a domain reverse the result?",
         "balance"),
    Page("Shared task", "results", "Results", "Which systems are in the top group of each language pair?",
         "table_chart", (*_EVERY, "rank_rule"), opens="task", was=("task",)),
    Page("Shared task", "review", "Review", "Who is excluded, and who is declared the first?", "gavel",
         opens="review"),
    Page("Learn", "lecture", "Lecture", "How does resampling work, step by step?", "school",
         opens="lecture"),
    Page("Learn", "sampling", "Sampling", "What does a small test set say about a large one?", "scatter_plot", _SAMPLES,
         demo=LARGE),
    Page("Learn", "bootstrap", "Bootstrap", "How far could one score be off?", "bar_chart",
         (*_ONE_PAIR, "unit", "ci", "alpha", "seed")),
    Page("Learn", "size", "Test-set size", "How many segments or documents are enough?", "show_chart",
         (*_SAMPLES, "unit"), demo=LARGE, was=("sweeps",)),
    Page("Learn", "trust", "Can I trust the test?", "How often are tests and intervals wrong?", "verified", _SAMPLES,
         ("experiment", {"Units": ("correction", "trials")}), demo=LARGE, was=("validation",)),
    Page("Learn", "inside", "Inside a score", "What is inside a score?", "calculate", (*_ONE_PAIR, "seed"),
         ("inside", {"Student's t": ("alpha",)})),
    Page("Reference", "papers", "Reproduce the papers", "Can you reproduce the numbers of the papers?", "history_edu",
         (*_SAMPLES, "unit", "trials"), demo=LARGE),
    Page("Reference", "methods", "Methods", "How is each number computed?", "functions"),
)}
HOME = PAGES["summary"]
#: The page that an old link means; a name that is in use again means its own page.
FORMER = {name: page for page in PAGES.values() for name in page.was if name not in PAGES}
