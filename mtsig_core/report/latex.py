"""Reports as LaTeX, whose tables fit their page and show every name literally."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from mtsig_core.report.caution_words import group_cautions
from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.palette import width
from mtsig_core.report.table import KINDS, MISSING, Table
from mtsig_core.report.text import printable, read_template

# -------------------------------------------------------------------------------------------------
# LaTeX tables that fit their page, and text that LaTeX shows literally, whatever is in it.


MOST_ON_A_PAGE = 40
MOST_ROWS = 1000  # of a table that is broken into pages, 20 of these
#: Characters. LaTeX sets a caption in a single line first and stops where that line is longer than
#: 5.7 metres.
LONGEST_CAPTION = 300
_LONGEST_NAME = 24  # digits; a longer one is broken into lines
_LONGEST_TEXT = 44
_FEW_COLUMNS = 10  # of a floating table that is not set small
_LONGEST_TITLE = 14  # letters
_NARROWEST = 13  # digits of a column of names: as many as stand between two places to break one
_LINE = 90  # digits of a table that is broken into pages
GREY_ROW = r"\rowcolor[gray]{.9}"  # begins a row

# \@nodocument is \relax once the document has begun: read by \input, the file brings no document of
# its own. \mtsigfit shrinks a table that is wider than the line, \mtsignote sets what belongs to a
# table below it. \mtsigtext shows characters that pdfLaTeX has no glyph for as code points there,
# and as themselves elsewhere.
PREAMBLE = read_template("preamble.tex")
END = "\\mtsigend\n"

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "●": r"$\bullet$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
}
# What pdfLaTeX with T1 fonts cannot set: all but ASCII and most letters of Latin-1 and Latin
# Extended-A.
_UNUSUAL = "([^\\x00-\\x7f\u00c0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e↑↓●†‡]+)"


def escape(text: str) -> str:
    """Text that LaTeX shows literally; line ends, control and direction characters as visible
    escapes.

    >>> print(escape("50% of A_1\\n"))
    50\\% of A\\_1\\textbackslash{}n
    """
    runs = re.split(_UNUSUAL, printable(text))
    escaped = "".join(
        _unusual(run) if k % 2 else "".join(_SPECIAL.get(ch, ch) for ch in run)
        for k, run in enumerate(runs)
    )
    escaped = re.sub(
        "(?<=-)(?=-)|(?<=,)(?=,)", r"\\kern0pt{}", escaped
    )  # no ligature; {} stops only pdfLaTeX's
    escaped = re.sub(
        r"^([\[*])", r"{\1}", escaped
    )  # after the end of a row these would be options of it
    return re.sub("^ | $|(?<= ) ", r"\\ ", escaped)


def _unusual(run: str) -> str:
    """Characters with their code points, for a compiler that cannot set them."""
    return rf"\mtsigtext{{{run}}}{{{' '.join(f'U+{ord(ch):04X}' for ch in run)}}}"


def name_cell(text: str) -> str:
    """The same for a cell: it may be broken where a long name has a mark, and in an endless word.

    >>> print(name_cell("run_2.tar"))
    run\\_\\allowbreak{}2.\\allowbreak{}tar
    """
    parts = re.findall(
        r".*?(?:[_./:+](?=[!-~])|[A-Za-z0-9]{12}(?=[A-Za-z0-9]))|.+", printable(text)
    )
    return r"\allowbreak{}".join(map(escape, parts))


def name_column(names: Iterable[str], widest: int = _LONGEST_NAME) -> str:
    """How a column of names is set: as wide as it is, or where that is too much in lines."""
    fits = all(width(_seen(name)) <= widest for name in names)
    return "l" if fits else rf">{{\raggedright\arraybackslash}}p{{{widest / 2:g}em}}"


def _seen(name: str) -> str:
    """About what pdfLaTeX shows of a name."""
    return re.sub(_UNUSUAL, lambda run: "U+0000 " * len(run[0]), printable(name))


def report_latex(report: Report) -> str:
    """A file that compiles alone, and that a document may read with ``\\input``; comments at the
    top name the packages that it needs and repeat the warnings. Its tables stand with what they
    need, how they came about stands once.
    """
    blocks, labels = (
        [block for _, own in report.sections_for("latex") for block in own],
        Counter[str](),
    )
    parts = [PREAMBLE + "".join(f"% {line}\n" for block in blocks for line in _comments(block))]
    for block in blocks:
        if isinstance(block, TableBlock):
            labels[label := re.sub("[^a-z0-9]+", "-", block.title.lower())] += 1
            parts.append(
                block_latex(block, f"{label}-{labels[label]}" if labels[label] > 1 else label)
            )
        elif isinstance(block, Paragraph) and (
            block.role == "methods" or block.role == "text" and block.about
        ):
            parts.append(
                paragraph(
                    f"{block.about}: methods" if block.role == "methods" else block.about,
                    [block.text],
                )
            )
    return "\n".join([*parts, END])


def _comments(block: Block) -> list[str]:
    if isinstance(block, Warnings):
        groups = group_cautions(block.cautions, len(block.cautions), several=block.several)
        return [f"Warning: {printable(text)}" for texts in groups for text in texts]
    if isinstance(block, Paragraph) and block.role in ("remark", "warning"):
        return [printable(block.text)]
    return []


def block_latex(block: TableBlock, label: str) -> str:
    """A table with its caption and what stands below it: floating, or where its rows do not fit a
    page broken into pages. The first rows of a very long one.
    """
    table, n_rows = block.table.for_readers(), max(block.n_rows, len(block.table.rows))
    is_long, more = n_rows > MOST_ON_A_PAGE, []
    if n_rows > MOST_ROWS:
        table = table.pick_rows(range(min(MOST_ROWS, len(table.rows))))
        more = [f"The first {MOST_ROWS:,} of {n_rows:,} rows; JSON and CSV have all."]
    texts = table.texts()
    columns = "".join(_column_specs(table, texts, is_long))
    cells = [
        [
            _cell_latex(
                column.kind,
                text,
                (number, column.key) in table.marks,
                number in table.grey and not k,
            )
            for k, (column, text) in enumerate(zip(table.columns, row, strict=True))
        ]
        for number, row in enumerate(texts)
    ]
    caption, note = _caption_and_note(
        block.title, label, [block.caption, *block.notes, *block.caveats, *more]
    )
    if is_long:
        return _set_long(columns, table.titles, cells, caption, note, table.ruled)
    size = (
        r"\footnotesize\setlength{\tabcolsep}{4pt}"
        if len(table.columns) <= _FEW_COLUMNS
        else r"\scriptsize\setlength{\tabcolsep}{2pt}"
    )
    return _set_floating(columns, table.titles, cells, caption, note, table.ruled, size)


def _column_specs(table: Table, texts: Sequence[Sequence[str]], is_long: bool) -> list[str]:
    """How columns are set: numbers on the right, names and other text in lines where they are long.

    A table that floats is shrunk to the page. One that is broken into pages is not: its texts have
    what room its numbers leave.
    """
    most = {"name": _LONGEST_NAME, "pair": _LONGEST_TEXT, "text": _LONGEST_TEXT}
    words = [column.kind in most for column in table.columns]
    if is_long:
        taken = sum(
            2 + max(map(len, [*_title_lines(column.title), *(row[k] for row in texts)]))
            for k, column in enumerate(table.columns)
            if not words[k]
        )
        room = max(_NARROWEST, (_LINE - taken) // max(1, sum(words)) - 2)
        most = {kind: min(room, widest) for kind, widest in most.items()}
    return [
        name_column([*_title_lines(column.title), *(row[k] for row in texts)], most[column.kind])
        if words[k]
        else "r"
        if KINDS[column.kind].side == ">"
        else "c"
        for k, column in enumerate(table.columns)
    ]


def _cell_latex(kind: str, text: str, marked: bool, grey: bool) -> str:
    if kind in ("name", "pair"):
        set_text = name_cell(text)
    elif kind == "rank":
        set_text = text.replace("-", "--")
    elif kind in ("text", "sign"):
        set_text = "--" if text == MISSING else name_cell(text)
    else:
        set_text = number_cell(text).replace(" ●", r"~$\bullet$") if text else ""
    return GREY_ROW * grey + (rf"\textbf{{{set_text}}}" if marked else set_text)


def _set_floating(
    columns: str,
    header: Sequence[str],
    cells: Iterable[Sequence[str]],
    caption: str,
    note: Sequence[str],
    ruled: Collection[int],
    size: str,
) -> str:
    return "\n".join(
        [
            r"\begin{table*}",
            rf"\centering{size}",
            caption + r"\par\smallskip",
            rf"\mtsigfit{{\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _row(map(_title, header)),
            r"\midrule",
            *_rows(cells, ruled),
            r"\bottomrule",
            r"\end{tabular}}",
            *note,
            r"\end{table*}",
            "",
        ]
    )


def _set_long(
    columns: str,
    header: Sequence[str],
    cells: Sequence[Sequence[str]],
    caption: str,
    note: Sequence[str],
    ruled: Collection[int],
) -> str:
    head = [r"\toprule", _row(map(_title, header)), r"\midrule"]
    return "\n".join(
        [
            r"{\scriptsize\setlength{\tabcolsep}{2.5pt}\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{columns}}}",
            caption + r"\\[4pt]",
            *head,
            r"\endfirsthead",
            *head,
            r"\endhead",
            r"\bottomrule",
            r"\endfoot",
            *_rows(cells, ruled),
            r"\end{longtable}",
            *note,
            "}",
            "",
        ]
    )


def paragraph(title: str, said: Iterable[str]) -> str:
    """Sentences that are no part of a table, under a title in bold."""
    return rf"{{\sloppy\paragraph{{{escape(title)}.}} {_breakable(' '.join(said))}\par}}" + "\n"


def _caption_and_note(title: str, label: str, said: Sequence[str]) -> tuple[str, list[str]]:
    """The first sentence as the caption and the others as the note; all in the note where the first
    is too long.
    """
    title = textwrap.shorten(title, LONGEST_CAPTION // 4, placeholder="...")
    first, *rest = said
    if len(printable(first)) > LONGEST_CAPTION:
        first, rest = f"{title}, explained below the table.", list(said)
    caption = rf"\caption[{escape(title)}]{{{escape(first or title)}}}\label{{tab:mtsig-{label}}}"
    return caption, [rf"\mtsignote{{{_breakable(' '.join(filter(None, rest)))}}}"] if any(
        rest
    ) else []


def _breakable(text: str) -> str:
    """Sentences, with signatures that may be broken into lines at each field, and endless words
    anywhere.
    """
    return " ".join(
        name_cell(word) if len(word) > _LONGEST_NAME else escape(word) for word in text.split(" ")
    ).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def _title(text: str) -> str:
    """The head of a column, in lines where it is long."""
    lines = _title_lines(text)
    return (
        escape(text) if len(lines) < 2 else r"\shortstack{" + r"\\".join(map(escape, lines)) + "}"
    )


def _title_lines(text: str) -> list[str]:
    return textwrap.wrap(text, _LONGEST_TITLE, break_long_words=False, break_on_hyphens=False)


def _rows(cells: Iterable[Sequence[str]], ruled: Collection[int]) -> list[str]:
    return [
        line for k, row in enumerate(cells) for line in [_row(row), *[r"\midrule"] * (k in ruled)]
    ]


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def number_cell(cell: str) -> str:
    """A number or interval with true minus signs; a dash where there is none."""
    if cell in ("", "-"):
        return "--"
    return re.sub(r"([-+]?)([\d.]+)(?:e([-+]\d+))?", _typeset, cell)


def _typeset(number: re.Match[str]) -> str:
    sign, digits, power = number.groups()
    if power is not None:
        return rf"${sign}{digits}\times10^{{{int(power)}}}$"
    return f"${sign}${digits}" if sign else digits
