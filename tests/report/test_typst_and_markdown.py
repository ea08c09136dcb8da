"""Reports as Typst and as Markdown: literal names, whole tables, and a file that compiles."""

import json
import random
import re

import pytest

from mtsig_core import TestSet, compare
from mtsig_core.report.document import Paragraph, Report, Section, TableBlock
from mtsig_core.report.markdown import escape_markdown, report_markdown
from mtsig_core.report.table import Column, Legend, Table
from mtsig_core.report.typst import escape_typst, report_typst
from tests.builders.markup import HOSTILE, visible

MARKS = "\\#$*_`<>@[]~\"'/-=+.?:;!|&^{}% a1"
TOYS = Table(
    "toys",
    (
        Column("rank", "rank", "rank"),
        Column("name", "system", "name"),
        Column("delta", "difference", "difference", ".2f"),
        Column("ci", "95% CI", "interval", "+.1f"),
    ),
    (
        ((1, 2), "A_1-b", 0.5, (-0.5, 1.5)),
        ((1, 2), "#B*", -2.0, None),
        ((3, 3), "<C>", None, (-2.0, -1.0)),
    ),
    marks={(0, "rank"), (1, "delta")},
    ruled={1},
    grey={1},
    dark={2},
    legend=Legend("best", "clusters", "not in the track", "language not supported"),
)
REPORT = Report(
    "Toys & more",
    [
        Section(
            "en-de",
            [
                Paragraph(text="A_1-b wins", role="verdict", about="en-de"),
                TableBlock(table=TOYS, title="Toys", caption="Toys of $5.", notes=("A note.",)),
                Paragraph(text="Counted by @hand.", role="methods", about="X"),
            ],
        )
    ],
)
TYPST = r"""
#figure(kind: table, caption: [Toys of \$5.],
  mtsig-fit(table(columns: 4, align: (left, left, right, right,), stroke: none, inset: (x: 4pt, y: 3pt),
  table.hline(),
  table.header([rank], [system], [difference], [95% CI]),
  table.hline(stroke: .5pt),
  [*1–2*], [A\_1-b], [+0.50], [\[−0.5, +1.5\]],
  mtsig-grey[1–2], mtsig-grey[\#B\*], mtsig-grey[*−2.00*], mtsig-grey[–],
  table.hline(stroke: .5pt),
  [3], mtsig-dark[\<C\>], [–], [\[−2.0, −1.0\]],
  table.hline(),
  )),
) <tab-mtsig-toys>
#mtsig-note[A note. Bold: best. A line separates clusters. Grey: not in the track. Dark grey: language not supported.]

*X: methods.* Counted by \@hand.
"""
MARKDOWN = r"""# Toys \& more

**en-de: A\_1-b wins**

## en-de

| rank    | system | difference |         95% CI |
| :---    | :---   |       ---: |           ---: |
| **1–2** | A\_1-b |      +0.50 | \[−0.5, +1.5\] |
| 1–2     | \#B\*  |  **−2.00** |              – |
| —       | —      |          — |              — |
| 3       | \<C\>  |          – | \[−2.0, −1.0\] |

A note. Bold: best. A row of dashes separates clusters. Not in the track: \#B\*. Language not supported: \<C\>.

X: Counted by \@hand.
"""


def make_names():
    rng = random.Random(1)
    names = [name for name in HOSTILE if name.strip() and len(name) < 100]
    for _ in range(400):
        names.append("".join(rng.choices(MARKS, k=rng.randint(1, 6))))
    return names


def test_typst_has_cells_that_a_person_can_edit():
    code = report_typst(REPORT)
    _, _, tables = code.partition("\n\n")
    assert "\n" + tables == TYPST


def test_markdown_has_the_rows_and_names_what_it_cannot_shade():
    assert report_markdown(REPORT) == MARKDOWN


@pytest.mark.parametrize(("n_systems", "has_pairs"), [(9, True), (10, False)])
def test_markdown_leaves_tables_of_many_pairs_to_files(n_systems, has_pairs):
    """A comment on a pull request has room for 65,536 characters."""
    outputs = {f"S{k}": ["a b c d e"] * 9 + [f"a b {k} d e"] * (k + 1) for k in range(n_systems)}
    for name, lines in outputs.items():
        outputs[name] = (lines + ["a b c d e"] * 20)[:20]
    testset = TestSet("toy", outputs, {"ref": ["a b c d e"] * 20})
    code = compare(testset, trials=99, resamples=50).render("markdown")
    assert ("| S0 - S1 " in code) == has_pairs
    assert "|    9 | S8 " in code  # of the matrix


def test_markdown_shows_any_name():
    for name in make_names():
        code = escape_markdown(name)
        bare = re.sub(r"\\[!-/:-@\[-`{-~]|&nbsp;", "x", code)
        assert not re.search(r"[\\`*_{}\[\]<>#|~$&@]|  |\A([-+]|-+|=+|\d+[.)])(\s|\Z)", bare), name
        shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", code.replace("&nbsp;", " "))
        assert shown == visible(name)


def list_texts(content):
    """What a piece of content prints; only texts, symbols and spaces may be in it."""
    kind = content["func"]
    if kind == "sequence":
        return "".join(map(list_texts, content["children"]))
    if kind == "space":
        return " "
    assert kind in ("text", "symbol"), content
    return content["text"]


def test_typst_shows_any_name(tmp_path):
    """Held against the compiler's own reading of each name."""
    typst = pytest.importorskip("typst")
    names = make_names()
    contents = ",\n".join(f"[{escape_typst(name)}]" for name in names)
    file = tmp_path / "names.typ"
    file.write_text(f"#metadata(({contents},)) <names>", "utf-8", "backslashreplace")
    (printed,) = json.loads(typst.query(file, "<names>", field="value"))
    assert [list_texts(content) for content in printed] == list(map(visible, names))


def test_typst_compiles_alone_and_included(tmp_path):
    """With several pages of rows, and a table wider than the page."""
    typst = pytest.importorskip("typst")
    columns = tuple(Column(f"c{k}", f"#column {k}", "score") for k in range(40))
    rows = [(name, *range(40)) for name in make_names()]
    table = Table("wide", (Column("name", "system", "name"), *columns), tuple(rows))
    blocks = [
        TableBlock(table=table.pick_rows(range(9)), title="wide", caption="Wide."),
        TableBlock(table=table.select("name", "c1"), title="long", caption="Long."),
    ]
    report = Report("Both", [Section("", [*REPORT.sections[0].blocks, *blocks])])
    (tmp_path / "tables.typ").write_text(report_typst(report), "utf-8", "backslashreplace")
    paper = tmp_path / "paper.typ"
    paper.write_text('= A paper\n#include "tables.typ"\nSee @tab-mtsig-wide.')
    assert typst.compile(tmp_path / "tables.typ").startswith(b"%PDF")
    pictures = typst.compile(paper, format="svg")
    assert len(pictures) > 5
