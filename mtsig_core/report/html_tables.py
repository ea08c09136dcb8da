"""Tables of HTML, for the report and for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from mtsig_core.report.terminal import printable

__all__ = ["literal", "table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[int]) -> str:
    """A table of text; the columns in `names` are set left and may break. What is undefined is a dash."""
    def cells(tag: str, row: Sequence[str]) -> str:
        opened = [f'<{tag} class="name">' if k in names else f"<{tag}>" for k in range(len(row))]
        return "".join(f"{start}{literal(cell or '-')}</{tag}>" for start, cell in zip(opened, row, strict=True))

    body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    return (f'<div class="scroll" tabindex="0"><table>\n<thead><tr>{cells("th", header)}</tr></thead>\n'
            f"<tbody>\n{body}\n</tbody></table></div>")


def literal(text: str) -> str:
    """Text shown literally: no tag, and no character that turns the direction of what follows."""
    return escape(printable(text))
