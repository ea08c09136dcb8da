"""Tables of HTML, for the report and for notebooks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from mtsig_core.report.terminal import printable

__all__ = ["literal", "table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[int],
          marks: Collection[tuple[int, int]] = (), grey: Collection[int] = (), ruled: Collection[int] = ()) -> str:
    """A table of text; the columns in `names` are set left and may break. What is undefined is a dash.

    `marks` are cells (row, column) that stand out, `grey` are rows on grey, `ruled` rows with a line below them.
    """
    def cells(tag: str, row: Sequence[str], n: int | None = None) -> str:
        opened = [f'<{tag} class="name">' if k in names else f'<{tag} class="mark">' if (n, k) in marks else f"<{tag}>"
                  for k in range(len(row))]
        return "".join(f"{start}{literal(cell or '-')}</{tag}>" for start, cell in zip(opened, row, strict=True))

    kinds = [" ".join(["grey"] * (n in grey) + ["ruled"] * (n in ruled)) for n in range(len(rows))]
    opened = [f'<tr class="{kind}">' if kind else "<tr>" for kind in kinds]
    body = "\n".join(f"{start}{cells('td', row, n)}</tr>" for n, (start, row) in enumerate(zip(opened, rows,
                                                                                             strict=True)))
    return (f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{cells("th", header)}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>")


def literal(text: str) -> str:
    """Text shown literally: no tag, and no character that turns the direction of what follows."""
    return escape(printable(text))
