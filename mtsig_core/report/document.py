"""`Report`: sections of paragraphs, warnings, tables and figures.

Each format has one renderer that takes any report: `text.report_text`, `export.report_json`,
`export.report_csv`, `latex.report_latex`, `typst.report_typst`, `markdown.report_markdown`,
`html.report_html` and, for notebooks,
`html.report_fragment`. A report is made once for a subject
(`reports.comparison_report`, `task_reports.task_report`), and a renderer knows no subject: it
decides by the kind of a block, the role of a paragraph and the kinds of a table's columns what it
shows. A page has the matrix of all pairs in numbers, for example, and text has it in signs.

The roles of a paragraph:

    verdict     what a reader could quote, `about` a metric: a page has all of them on top
    summary     what was compared, and how
    text        what has to be read with the numbers
    caveat      what has to be read with the verdict
    hint        what only a reader of text needs, who has no figures and no caveats in sight
    note        a remark in small
    remark      a comment in LaTeX
    warning     a text that is no `Caution`
    methods     how it was tested, `about` a metric
    printed     the same, only on paper
    paper       the same with the results, for a reader to copy from a page
    signature   of a metric
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from typing import Any

from mtsig_core.caution import Assumption, Caution
from mtsig_core.languages import name_parts
from mtsig_core.report.table import Table

#: Where a page has a section: caveats before what only some readers need. Text keeps the order of
#: the sections. A section of the "page" is only there, one of the "terminal" only in text.
SECTION_PLACES = ("main", "caveats", "detail", "page", "terminal")


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """A text with one of the roles above; `about` names its subject, such as a metric."""

    text: str
    role: str = "text"
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Warnings:
    """Warnings, grouped by kind.

    Where there are `several` metrics, each has the metric that it is about.
    """

    cautions: tuple[Caution, ...]
    several: bool = False


@dataclass(frozen=True, kw_only=True)
class Assumptions:
    """Assumptions about these metrics when files were read; text has the options that help."""

    assumed: tuple[Assumption, ...]
    metrics: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TableBlock:
    """A table, with what is needed to read it. On paper it has a caption."""

    table: Table
    title: str  # a few words, for lists of tables and labels
    caption: str = ""  # what it shows and of what, in one short sentence
    notes: tuple[str, ...] = ()  # sentences below it: what its cells are
    #: What has to be known wherever it is copied to, for formats without `Warnings`.
    caveats: tuple[str, ...] = ()
    fold: str = ""  # what a format shows that folds it away, such as "45 pairs"
    is_detail: bool = False  # of which text has no room
    medium: str = ""  # "paper" if text has another table instead, "screen" if paper has
    in_short: str = ""  # the sentence that text has in its place
    print_names: Mapping[str, str] = field(default_factory=dict)  # what papers call systems


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture as SVG, which `draw` makes."""

    draw: Callable[[], str]
    caption: str = ""


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Names and texts for a page; those named in `code` are for machines."""

    pairs: tuple[tuple[str, str], ...]
    code: frozenset[str] = frozenset()


Block = Paragraph | Warnings | Assumptions | TableBlock | Figure | Facts


def is_verdict(block: Block) -> bool:
    """Whether the block is the verdict of its section."""
    return isinstance(block, Paragraph) and block.role == "verdict"


@dataclass(frozen=True)
class Section:
    """Blocks under a title.

    `place` is one of `SECTION_PLACES`, `key` what links lead to, `depth` 2 or 3.
    """

    title: str
    blocks: Sequence[Block]
    place: str = "main"
    key: str = ""
    depth: int = 2


def separate_blocks(blocks: Iterable[Block]) -> list[Section]:
    """Sections without titles, so that text separates tables and paragraphs by an empty line."""
    return [Section("", list(group)) for _, group in groupby(blocks, key=type)]


@dataclass(frozen=True)
class Report:
    """A title and sections; `simulated` is a sentence where the texts are simulated.

    Formats for programs have the numbers themselves, which are made when such a format asks for
    them: JSON the record, CSV the rows, or only its `header` where there are none.
    """

    title: str
    sections: Sequence[Section]
    simulated: str = ""
    make_record: Callable[[], Any] = dict
    make_rows: Callable[[], Sequence[Mapping[str, Any]]] = list
    header: Sequence[str] = ()
    parts: Collection[str] = ()  # the names of the language pairs or test sets of a task

    def select_blocks(
        self, places: Collection[str], is_shown: Callable[[Block], bool]
    ) -> Iterator[tuple[Section, list[Block]]]:
        """The sections of these places that have anything to show, and what they show."""
        noun = name_parts(self.parts)
        for section in self.sections:
            blocks = [use_noun(block, noun) for block in section.blocks if is_shown(block)]
            if blocks and section.place in places:
                yield section, blocks


def use_noun(value: Any, noun: str) -> Any:
    """Write this noun in place of 'language pair' in all texts of a block or table."""
    if noun == "language pair":
        return value
    if isinstance(value, str) and "anguage pair" in value:
        return value.replace("language pair", noun).replace("Language pair", noun.capitalize())
    if isinstance(value, tuple):
        return tuple(use_noun(item, noun) for item in value)
    if hasattr(value, "__dataclass_fields__"):
        texts = {entry.name: use_noun(getattr(value, entry.name), noun) for entry in fields(value)}
        return replace(value, **texts)
    if callable(value):  # which draws a figure
        return lambda: use_noun(value(), noun)
    return value
