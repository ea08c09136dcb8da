"""`Report`: sections of paragraphs, warnings, tables and figures.

Each format has one renderer that takes any report: `text.report_text`, `latex.report_latex`,
`html.report_html` and, for notebooks, `html.report_fragment`.

    Report(title, sections, simulated)
        Section(title, blocks, place, key, depth)
            Paragraph(text, role, about)         a text with a role; the format decides how that
            role looks Warnings(cautions)                   in the words of the format, with what
            helps TableBlock(table, title, caption, notes, caveats, fold) Figure(draw, caption)
            an SVG, made when it is drawn Facts(pairs)                         names with texts,
            such as settings and commands

A report is made once for a subject (`reports.comparison_report`, `task_reports.task_report`), and a
renderer knows no subject. What only some formats show names them (`only`): a page has the figure of
a matrix where text has its signs.

The roles of a paragraph:

    verdict     what a reader could quote, `about` a metric: a page has all of them on top
    summary     what was compared, and how
    text        what has to be read with the numbers
    note        a remark in small
    remark      what LaTeX has as a comment, and others as text
    warning     a text that is no `Caution`
    methods     how it was tested, `about` a metric
    signature   of a metric
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from mtsig_core.caution import Caution
from mtsig_core.report.table import Table

#: What a block may be only for.
TEXT, HTML, LATEX, PAPERS = ("text",), ("html",), ("latex",), ("html", "latex")
SCREENS, READERS, WITH_WARNINGS = (
    ("html", "notebook"),
    ("text", "html", "notebook"),
    ("text", "html"),
)
#: Where a page has a section: caveats before what only some readers need. Text keeps the order of
#: the sections.
SECTION_PLACES = ("main", "caveats", "detail")


@dataclass(frozen=True)
class Block:
    """What a section has; formats that are not named in `only`, if any are, pass it over."""

    only: tuple[str, ...] = ()

    def is_for(self, form: str) -> bool:
        return not self.only or form in self.only


@dataclass(frozen=True, kw_only=True)
class Paragraph(Block):
    """A text with a role, one of those above; `about` what it is, such as a metric."""

    text: str
    role: str = "text"
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Warnings(Block):
    """Warnings, those of a kind together; with the metric that each is about where there are
    `several`.
    """

    cautions: tuple[Caution, ...]
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class TableBlock(Block):
    """A table, with what is needed to read it."""

    table: Table
    title: str  # a few words, for lists of tables and labels
    caption: str = ""  # what it shows and of what, in one short sentence
    notes: tuple[str, ...] = ()  # sentences below it: what its cells are
    caveats: tuple[
        str, ...
    ] = ()  # what has to be known wherever it is copied to, for formats without `Warnings`
    fold: str = ""  # where it may be folded away, what then stands in its place, such as "45 pairs"
    n_rows: int = 0  # all its rows, where it was given fewer


@dataclass(frozen=True, kw_only=True)
class Figure(Block):
    """A picture as SVG, which `draw` makes."""

    draw: Callable[[], str]
    caption: str = ""
    only: tuple[str, ...] = ("html",)


@dataclass(frozen=True, kw_only=True)
class Facts(Block):
    """Names and texts; those named in `code` are for machines."""

    pairs: tuple[tuple[str, str], ...]
    code: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Section:
    """Blocks under a title; `place` is one of `SECTION_PLACES`, `key` what links lead to, `depth` 2
    or 3.
    """

    title: str
    blocks: Sequence[Block]
    place: str = "main"
    key: str = ""
    depth: int = 2


@dataclass(frozen=True)
class Report:
    """A title and sections; `simulated` is a sentence where the texts are simulated."""

    title: str
    sections: Sequence[Section]
    simulated: str = ""

    def sections_for(self, form: str) -> Iterator[tuple[Section, list[Block]]]:
        """The sections that have anything in this format, and what they have."""
        for section in self.sections:
            if blocks := [block for block in section.blocks if block.is_for(form)]:
                yield section, blocks
