"""A report that is of no comparison, in every format: each chooses by role and says what it is
given.
"""

import pytest

from mtsig_core.report.document import (
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
)
from mtsig_core.report.html import report_fragment, report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.table import Column, Table
from mtsig_core.report.text import report_text
from mtsig_core.results import Caution
from tests.builders.markup import Page

TOYS = Table(
    "toys",
    (Column("name", "toy", "name"), Column("n", "pieces", "count")),
    (("<b>", 1), ("A_1", 2000)),
)
LONG = Table("toys", TOYS.columns, tuple((f"toy {k}", k) for k in range(60)))
REPORT = Report(
    "All <toys>",
    (
        Section(
            "",
            (
                Paragraph(text="Two toys", role="summary"),
                Paragraph(text="Left out: C", role="remark"),
                Warnings(cautions=(Caution("several-metrics", {"n": 3}),)),
            ),
        ),
        Section(
            "Toys",
            (
                Paragraph(text="A_1 has most", role="verdict", about="Pieces"),
                TableBlock(
                    table=TOYS,
                    title="Toys",
                    caption="Toys and their pieces.",
                    notes=("A note.",),
                    caveats=("A caveat.",),
                ),
                Figure(draw=lambda: "<svg></svg>", caption="A figure."),
            ),
        ),
        Section(
            "More",
            (
                TableBlock(table=LONG, title="More", caption="More toys.", fold="60 toys"),
                Paragraph(text="Only text has this.", role="hint"),
            ),
            place="detail",
        ),
        Section("Caveats", (Warnings(cautions=(Caution("one-system"),)),), place="caveats"),
        Section(
            "Methods",
            (
                Paragraph(text="They were counted.", role="methods", about="Pieces"),
                Facts(pairs=(("seed", "7"),), code=frozenset({"seed"})),
            ),
            place="detail",
        ),
    ),
    simulated="the toys are simulated.",
)


def in_order(text, *parts):
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_text_keeps_the_order_and_a_verdict_is_the_title_of_its_section():
    lines = report_text(REPORT).splitlines()
    in_order(
        "\n".join(lines),
        "Two toys",
        "Warning: You compare 3 metrics",
        "Pieces. A_1 has most",
        "A note.",
        "More",
        "toy 59",
        "Only text has this.",
        "Caveats",
        "is the only system",
        "Methods",
        "Pieces: They were counted.",
    )
    assert "Toys" not in lines and not {"A caveat.", "A figure."} & set(lines)


def test_a_page_has_verdicts_first_and_caveats_before_details():
    text = Page(report_html(REPORT)).text
    in_order(
        text,
        "All <toys>",
        "A_1 has most",
        "the toys are simulated",
        "Two toys",
        "You compare 3 metrics",
        "2,000",
        "A note.",
        "A figure.",
        "is the only system",
        "60 toys",
        "They were counted.",
        "seed",
    )
    assert "Only text" not in text and "A caveat." not in text
    assert "<details><summary>60 toys" in report_html(REPORT)


def test_a_notebook_folds_what_is_long_and_has_no_figures():
    code = report_fragment(REPORT)
    in_order(
        Page(code).text,
        "Two toys",
        "You compare 3 metrics",
        "A_1 has most",
        "2,000",
        "60 toys",
        "Caveats: 1",
    )
    assert code.count("<details open>") == 1 and code.count("<details>") == 1 and "svg" not in code


def test_latex_has_tables_with_caveats_and_methods_and_warnings_as_comments():
    code = report_latex(REPORT)
    in_order(
        code,
        "% Left out: C",
        "% Warning: You compare 3 metrics",
        r"\caption[Toys]{Toys and their pieces.}",
        r"\label{tab:mtsig-toys}",
        r"\mtsignote{A note. A caveat.}",
        r"\begin{longtable}",
        r"\label{tab:mtsig-more}",
        r"\paragraph{Pieces: methods.} They were counted.",
    )
    assert "Only text" not in code and "seed" not in code


@pytest.mark.parametrize("render", [report_html, report_fragment])
def test_names_are_no_markup(render):
    assert '<td class="name">&lt;b&gt;</td>' in render(REPORT)
