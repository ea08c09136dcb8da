"""Reports as LaTeX, whose tables fit their page and show every name literally."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from mtsig_core.report.document import Block, Paragraph, Report, TableBlock
from mtsig_core.report.palette import width
from mtsig_core.report.paper import (
    MOST_ON_A_PAGE,
    list_comments,
    make_label,
    select_for_paper,
    title_lines,
    write_cells,
)
from mtsig_core.report.table import KINDS, MISSING, Table
from mtsig_core.report.text import printable, read_template

# -------------------------------------------------------------------------------------------------
# LaTeX tables that fit their page, and text that LaTeX shows literally, whatever is in it.


_MOST_ROWS = 1000  # of a table that is broken into pages, 20 of these
#: Characters. LaTeX sets a caption in a single line first and stops where that line is longer than
#: 5.7 metres.
LONGEST_CAPTION = 300
_LONGEST_NAME = 24  # digits; a longer one is broken into lines
_LONGEST_TEXT = 44
_FEW_COLUMNS = 10  # of a floating table that is not set small
_MOST_IN_SERIES = 8  # columns of a series side by side
_MOST_IN_MATRIX = {"matrix": 15, "starred": 25}  # systems, by the kind of its columns
#: Digits of a column, by its kind; a wider one is set in lines.
_WIDEST = {"name": _LONGEST_NAME, "pair": _LONGEST_TEXT, "text": _LONGEST_TEXT}
_NARROWEST = 13  # digits of a column of names: the most between two places where a name can break
_LINE = 90  # digits of a table that is broken into pages
GREY_ROW = r"\rowcolor[gray]{.9}"  # begins a row
_DARK_CELL = r"\cellcolor[gray]{.75}"

# \@nodocument is \relax once the document has begun: read by \input, the file brings no document of
# its own. \mtsigfit shrinks a table that is wider than the line, \mtsignote sets what belongs to a
# table below it. \mtsigtext shows characters that pdfLaTeX has no glyph for as code points there,
# and as themselves elsewhere.
PREAMBLE = read_template("preamble.tex")
END = "\\mtsigend\n"
#: The same commands for a table alone, if its document does not have them.
PROVIDED = read_template("provided.tex")

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
    r"""Text that LaTeX shows literally.

    Line ends, control and direction characters are visible escapes.

    >>> print(escape("50% of A_1\n"))
    50\% of A\_1\textbackslash{}n
    """
    escaped = ""
    for run in re.split(_UNUSUAL, printable(text)):
        if re.fullmatch(_UNUSUAL, run):
            escaped += _show_code_points(run)
        else:
            escaped += "".join(_SPECIAL.get(ch, ch) for ch in run)
    # No ligature of two; {} alone stops only pdfLaTeX's.
    escaped = re.sub("(?<=-)(?=-)|(?<=,)(?=,)", r"\\kern0pt{}", escaped)
    # After the end of a row these would be options of it.
    escaped = re.sub(r"^([\[*])", r"{\1}", escaped)
    return re.sub("^ | $|(?<= ) ", r"\\ ", escaped)


def _show_code_points(run: str) -> str:
    """Characters with their code points, for a compiler that cannot set them."""
    points = " ".join(f"U+{ord(ch):04X}" for ch in run)
    return rf"\mtsigtext{{{run}}}{{{points}}}"


def name_cell(text: str) -> str:
    r"""Text for a cell, which may be broken where a long name has a mark, and in an endless word.

    >>> print(name_cell("run_2.tar"))
    run\_\allowbreak{}2.\allowbreak{}tar
    """
    pieces = re.findall(
        r".*?(?:[_./:+](?=[!-~])|[A-Za-z0-9]{12}(?=[A-Za-z0-9]))|.+", printable(text)
    )
    return r"\allowbreak{}".join(map(escape, pieces))


def name_column(names: Iterable[str], widest: int = _LONGEST_NAME) -> str:
    """Choose the setting of a column of names: at full width, or in lines if too wide."""
    fits = all(width(_approximate(name)) <= widest for name in names)
    if fits:
        return "l"
    return rf">{{\raggedright\arraybackslash}}p{{{widest / 2:g}em}}"


def _approximate(name: str) -> str:
    """About what pdfLaTeX shows of a name."""
    return re.sub(_UNUSUAL, _write_code_points, printable(name))


def _write_code_points(run: re.Match[str]) -> str:
    return "".join("U+0000 " for _ in run[0])


def report_latex(report: Report) -> str:
    r"""Write a complete LaTeX file, which a document may also read with ``\input``.

    Comments at the top name the packages that it needs and repeat the warnings. Each table has what
    is needed to read it; how it was tested is written once.
    """
    comments: list[str] = []
    output: list[str] = []
    labels: Counter[str] = Counter()
    for block in select_for_paper(report):
        comments += _list_comments(block)
        if isinstance(block, Paragraph):
            output += _paragraph_blocks(block)
        if isinstance(block, TableBlock) and block.caption and not _is_too_wide(block.table):
            for table_block in _split_series(block):
                label = make_label(table_block.title, labels)
                output.append(block_latex(table_block, label))
    head = PREAMBLE + "".join(f"% {line}\n" for line in comments)
    return "\n".join([head, *output, END])


def _list_comments(block: Block) -> list[str]:
    comments = list_comments(block)
    if isinstance(block, TableBlock) and not comments and _is_too_wide(block.table):
        title = printable(block.title)
        return [f"{title}: too many systems for a page. CSV has the numbers."]
    return comments


def _is_too_wide(table: Table) -> bool:
    kinds = Counter(column.kind for column in table.columns)
    return any(kinds[kind] > limit for kind, limit in _MOST_IN_MATRIX.items())


def _paragraph_blocks(block: Paragraph) -> list[str]:
    if block.role in ("methods", "printed"):
        return [paragraph(f"{block.about}: methods", [block.text])]
    if block.role == "text" and block.about:
        return [paragraph(block.about, [block.text])]
    return []


def _split_series(block: TableBlock) -> list[TableBlock]:
    """The block in several, each with a few of the columns of a series.

    The first has the columns before them, the last those behind, and all the names.
    """
    table = block.table
    series = [column.key for column in table.columns if column.is_series]
    if len(series) <= _MOST_IN_SERIES:
        return [block]
    name, *before = table.keys[: table.keys.index(series[0])]
    behind = table.keys[table.keys.index(series[-1]) + 1 :]
    blocks = []
    for start in range(0, len(series), _MOST_IN_SERIES):
        end = start + _MOST_IN_SERIES
        keys = [name, *series[start:end]]
        if start == 0:
            keys[1:1] = before
        if end >= len(series):
            keys += behind
        if start == 0:
            blocks.append(replace(block, table=table.select(*keys)))
            continue
        title = f"{block.title}, continued"
        caption = f"{title}. The note below its first part says how to read it."
        blocks.append(
            TableBlock(
                table=table.select(*keys),
                title=title,
                caption=caption,
                print_names=block.print_names,
            )
        )
    return blocks


# -------------------------------------------------------------------------------------------------
# Tables.


def block_latex(block: TableBlock, label: str) -> str:
    """A table with its caption and what is needed to read it.

    It floats. Where its rows do not fit a page it is broken into pages; a very long one has its
    first rows only.
    """
    table = block.table.for_readers()
    n_rows = len(table.rows)
    is_long = n_rows > MOST_ON_A_PAGE
    sentences = [block.caption, *block.notes]
    sentences += table.legend.explain(table, marked="Bold", grey="Grey", dark="Dark grey")
    sentences += block.caveats
    if n_rows > _MOST_ROWS:
        table = table.pick_rows(range(_MOST_ROWS))
        sentences.append(f"The first {_MOST_ROWS:,} of {n_rows:,} rows. JSON and CSV have all.")
    caption, note = _caption_and_note(block.title, label, sentences)
    texts = write_cells(table, block.print_names)
    specs = _column_specs(table, texts, is_long)
    columns = "".join(specs)
    rows = _row_lines(table, texts, specs)
    if is_long:
        return _set_long(columns, table.titles, rows, caption, note)
    return _set_floating(columns, table.titles, rows, caption, note)


def _column_specs(table: Table, texts: Sequence[Sequence[str]], is_long: bool) -> list[str]:
    """Choose the setting of columns: numbers on the right, long names and texts in lines.

    A table that floats is shrunk to the page. One that is broken into pages is not: its texts have
    what room its numbers leave.
    """
    cells = []
    for k, column in enumerate(table.columns):
        column_texts = [row[k] for row in texts]
        cells.append([*title_lines(column.title), *column_texts])
    limits = dict(_WIDEST)
    if is_long:
        room = _find_room_for_text(table, cells)
        limits = {kind: min(room, widest) for kind, widest in limits.items()}
    specs = []
    for column, column_cells in zip(table.columns, cells, strict=True):
        if column.kind in limits:
            specs.append(name_column(column_cells, limits[column.kind]))
        elif KINDS[column.kind].side == ">":
            specs.append("r")
        else:
            specs.append("c")
    return specs


def _find_room_for_text(table: Table, cells: Sequence[Sequence[str]]) -> int:
    """Compute how many digits the numbers of a line leave for a column of text."""
    n_texts = 0
    room = _LINE
    for column, column_cells in zip(table.columns, cells, strict=True):
        if column.kind in _WIDEST:
            n_texts += 1
        else:
            room -= 2 + max(map(len, column_cells))
    return max(_NARROWEST, room // max(1, n_texts) - 2)


def _row_lines(table: Table, texts: Sequence[Sequence[str]], specs: Sequence[str]) -> list[str]:
    lines = []
    name_key = table.name_key()
    for number, row in enumerate(texts):
        cells = []
        for column, text, spec in zip(table.columns, row, specs, strict=True):
            is_wrapped = spec.startswith(">")
            cell = _cell_latex(column.kind, text, is_wrapped)
            if (number, column.key) in table.marks:
                cell = rf"\textbf{{{cell}}}"
            if number in table.dark and column.key == name_key:
                cell = _DARK_CELL + cell
            cells.append(cell)
        if number in table.grey:
            cells[0] = GREY_ROW + cells[0]
        lines.append(_row(cells))
        if number in table.ruled:
            lines.append(r"\midrule")
    return lines


def _cell_latex(kind: str, text: str, is_wrapped: bool) -> str:
    """A cell, which can be broken into lines only where its column is set in lines."""
    if kind == "rank":
        return text.replace("-", "--")
    is_text = kind in ("text", "sign")
    if is_text and text == MISSING:
        return "--"
    if is_text or kind in ("name", "pair"):
        is_broken = is_wrapped and width(_approximate(text)) > _NARROWEST
        return name_cell(text) if is_broken else escape(text)
    if not text:
        return ""
    cell = number_cell(text).replace(" ●", r"~$\bullet$")
    return re.sub("[†‡]", _write_mark, cell)


def _write_mark(mark: re.Match[str]) -> str:
    return _SPECIAL[mark[0]]


def _set_floating(
    columns: str, header: Sequence[str], rows: Sequence[str], caption: str, note: Sequence[str]
) -> str:
    size = r"\scriptsize\setlength{\tabcolsep}{2pt}"
    if len(header) <= _FEW_COLUMNS:
        size = r"\footnotesize\setlength{\tabcolsep}{4pt}"
    lines = [
        r"\begin{table*}",
        rf"\centering{size}",
        caption + r"\par\smallskip",
        rf"\mtsigfit{{\begin{{tabular}}{{{columns}}}",
        *_head_lines(header),
        *rows,
        r"\bottomrule",
        r"\end{tabular}}",
        *note,
        r"\end{table*}",
        "",
    ]
    return "\n".join(lines)


def _set_long(
    columns: str, header: Sequence[str], rows: Sequence[str], caption: str, note: Sequence[str]
) -> str:
    head = _head_lines(header)
    lines = [
        r"{\scriptsize\setlength{\tabcolsep}{2.5pt}\setlength{\LTcapwidth}{\linewidth}",
        rf"\begin{{longtable}}{{{columns}}}",
        caption + r"\\[4pt]",
        *head,
        r"\endfirsthead",
        *head,
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *rows,
        r"\end{longtable}",
        *note,
        "}",
        "",
    ]
    return "\n".join(lines)


def _head_lines(header: Iterable[str]) -> list[str]:
    return [r"\toprule", _row(map(_title, header)), r"\midrule"]


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _title(text: str) -> str:
    """The head of a column, in lines where it is long."""
    lines = title_lines(text)
    if len(lines) < 2:
        return escape(text)
    stacked = r"\\".join(map(escape, lines))
    return rf"\shortstack{{{stacked}}}"


def _caption_and_note(title: str, label: str, sentences: Sequence[str]) -> tuple[str, list[str]]:
    """The first sentence as the caption and the others as the note.

    All are in the note where the first is too long.
    """
    title = textwrap.shorten(title, LONGEST_CAPTION // 4, placeholder="...")
    first, *further = sentences
    if len(printable(first)) > LONGEST_CAPTION:
        first = f"{title}, explained below the table."
        further = list(sentences)
    caption = rf"\caption[{escape(title)}]{{{escape(first or title)}}}\label{{tab:mtsig-{label}}}"
    further = [sentence for sentence in further if sentence]
    if not further:
        return caption, []
    return caption, [rf"\mtsignote{{{_breakable(' '.join(further))}}}"]


def paragraph(title: str, sentences: Iterable[str]) -> str:
    """Sentences that belong to no table, under a title in bold."""
    text = _breakable(" ".join(sentences))
    return rf"{{\sloppy\paragraph{{{escape(title)}.}} {text}\par}}" + "\n"


def _breakable(text: str) -> str:
    """Sentences that LaTeX can break into lines.

    Signatures may be broken at each field, and endless words anywhere.
    """
    words = []
    for word in text.split(" "):
        is_long = len(word) > _LONGEST_NAME
        write = name_cell if is_long else escape
        words.append(write(word))
    return " ".join(words).replace(r"\textbar{}", r"\textbar\allowbreak{}")


def number_cell(cell: str) -> str:
    """Format a number or interval with true minus signs; a dash for None."""
    if cell in ("", MISSING):
        return "--"
    typeset = re.sub(r"([-+]?)([\d.]+)(?:e([-+]\d+))?", _typeset, cell)
    return typeset.replace("%", r"\%").replace("<", "$<$")


def _typeset(number: re.Match[str]) -> str:
    sign, digits, power = number.groups()
    if power is not None:
        return rf"${sign}{digits}\times10^{{{int(power)}}}$"
    if not sign:
        return digits
    return f"${sign}${digits}"
