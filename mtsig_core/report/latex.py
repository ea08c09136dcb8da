"""Reports as LaTeX, whose tables fit their page and show every name literally."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import format_p, signed
from mtsig_core.report.document import Block, Paragraph, Report, TableBlock, Warnings
from mtsig_core.report.palette import width
from mtsig_core.report.sentences import basis_sentences, caption_sentences, level, row_against_column
from mtsig_core.report.table import KINDS, MISSING, Table
from mtsig_core.report.tables import (
    CLUSTERS_SAID,
    by_reference_rows,
    cluster_ends,
    leaderboard_rows,
    left_out,
    matrix_records,
    pair_rows,
    points,
    run_rows,
)
from mtsig_core.report.text import printable
from mtsig_core.report.words import group_cautions, ranks_hold_jointly
from mtsig_core.results import Comparison, MetricResult

#-----------------------------------------------------------------------------------------------------------------------
# LaTeX tables that fit their page, and text that LaTeX shows literally, whatever is in it.


MOST_ON_A_PAGE = 40
MOST_PAIRS = 8  # language pairs in one table
MOST_ROWS = 1000  # of a table that is broken into pages, 20 of these
#: Characters. LaTeX sets a caption in a single line first and stops where that line is longer than 5.7 metres.
LONGEST_CAPTION = 300
_LONGEST_NAME = 24  # digits; a longer one is broken into lines
_LONGEST_TEXT = 44
_FEW_COLUMNS = 10  # of a floating table that is not set small
_LONGEST_TITLE = 14  # letters
_NARROWEST = 13  # digits of a column of names: as many as stand between two places to break one
_LINE = 90  # digits of a table that is broken into pages
GREY = r"\rowcolor[gray]{.9}"  # begins a row

# \@nodocument is \relax once the document has begun: read by \input, the file brings no document of its own.
# \mtsigfit shrinks a table that is wider than the line.
# \mtsignote sets what belongs to a table below it, and not in the caption.
# \mtsigtext shows characters that pdfLaTeX has no glyph for as code points there, and as themselves elsewhere.
# The fonts that are the default of pdfLaTeX have no straight double quote, and LuaLaTeX curls it: still readable.
PREAMBLE = r"""% Compiles as it is, and by \input in a document, whose preamble then needs
% \usepackage[T1]{fontenc} (with pdfLaTeX) and \usepackage{array,booktabs,colortbl,graphicx,longtable}.
% A long table needs one column: \onecolumn or an appendix of its own in a two-column paper.
\let\mtsigend\relax
\expandafter\ifx\csname @nodocument\endcsname\relax\else
\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[a4paper,margin=2cm]{geometry}
\usepackage{array,booktabs,colortbl,graphicx,longtable}
\begin{document}
\def\mtsigend{\end{document}}
\fi
\ifdefined\mtsigbox\else\newsavebox\mtsigbox\fi
\DeclareRobustCommand{\mtsigfit}[1]{\sbox\mtsigbox{#1}\relax
  \ifdim\wd\mtsigbox>\linewidth\resizebox{\linewidth}{!}{\usebox\mtsigbox}\else\usebox\mtsigbox\fi}
\DeclareRobustCommand{\mtsigtext}[2]{\ifdefined\Umathchar #1\else{\ttfamily #2}\fi}
\DeclareRobustCommand{\mtsignote}[1]{\par\smallskip{\raggedright\scriptsize #1\par}}
\ProvideTextCommandDefault{\textquotedbl}{\symbol{34}}
"""
END = "\\mtsigend\n"

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$", "↓": r"$\downarrow$", "●": r"$\bullet$"}
# What pdfLaTeX with T1 fonts cannot set: all but ASCII and most letters of Latin-1 and Latin Extended-A.
_UNUSUAL = "([^\\x00-\\x7f\u00c0-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e↑↓●]+)"


def escape(text: str) -> str:
    """Text that LaTeX shows literally; line ends, control and direction characters as visible escapes.

    >>> print(escape("50% of A_1\\n"))
    50\\% of A\\_1\\textbackslash{}n
    """
    runs = re.split(_UNUSUAL, printable(text))
    escaped = "".join(_unusual(run) if k % 2 else "".join(_SPECIAL.get(ch, ch) for ch in run)
                      for k, run in enumerate(runs))
    escaped = re.sub("(?<=-)(?=-)|(?<=,)(?=,)", r"\\kern0pt{}", escaped)  # no ligature; {} stops only pdfLaTeX's
    escaped = re.sub(r"^([\[*])", r"{\1}", escaped)  # after the end of a row these would be options of it
    return re.sub("^ | $|(?<= ) ", r"\\ ", escaped)


def _unusual(run: str) -> str:
    """Characters with their code points, for a compiler that cannot set them."""
    return rf"\mtsigtext{{{run}}}{{{' '.join(f'U+{ord(ch):04X}' for ch in run)}}}"


def name_cell(text: str) -> str:
    """The same for a cell: it may be broken where a long name has a mark, and in an endless word.

    >>> print(name_cell("run_2.tar"))
    run\\_\\allowbreak{}2.\\allowbreak{}tar
    """
    parts = re.findall(r".*?(?:[_./:+](?=[!-~])|[A-Za-z0-9]{12}(?=[A-Za-z0-9]))|.+", printable(text))
    return r"\allowbreak{}".join(map(escape, parts))


def name_column(names: Iterable[str], widest: int = _LONGEST_NAME) -> str:
    """How a column of names is set: as wide as it is, or where that is too much in lines."""
    fits = all(width(_seen(name)) <= widest for name in names)
    return "l" if fits else rf">{{\raggedright\arraybackslash}}p{{{widest / 2:g}em}}"


def _seen(name: str) -> str:
    """About what pdfLaTeX shows of a name."""
    return re.sub(_UNUSUAL, lambda run: "U+0000 " * len(run[0]), printable(name))


def report_latex(report: Report) -> str:
    """A file that compiles alone, and that a document may read with ``\\input``; comments at the top name the packages
    that it needs and repeat the warnings. Its tables stand with what they need, how they came about stands once."""
    blocks, labels = report.blocks_for("latex"), Counter[str]()
    parts = [PREAMBLE + "".join(f"% {line}\n" for block in blocks for line in _comments(block))]
    for block in blocks:
        if isinstance(block, TableBlock):
            labels[label := _label(block.table.key)] += 1
            parts.append(block_latex(block, f"{label}-{labels[label]}" if labels[label] > 1 else label))
        elif isinstance(block, Paragraph) and (block.role == "methods" or block.role == "text" and block.about):
            parts.append(paragraph(f"{block.about}: methods" if block.role == "methods" else block.about, [block.text]))
    return "\n".join([*parts, END])


def _comments(block: Block) -> list[str]:
    if isinstance(block, Warnings):
        groups = group_cautions(block.cautions, len(block.cautions), several=block.several)
        return [f"Warning: {printable(text)}" for texts in groups for text in texts]
    if isinstance(block, Paragraph) and block.role in ("remark", "warning"):
        return [printable(block.text)]
    return []


def table_latex(table: Table, metric: str, said: Sequence[str], n_rows: int = 0, widest_name: int = _LONGEST_NAME
                ) -> str:
    """A table by itself, by a metric: the first sentence `said` is its caption, the others stand below it."""
    block = TableBlock(table=table, title=f"{metric_title(metric)}: {table.key}", caption=said[0],
                       notes=tuple(said[1:]), n_rows=n_rows)
    return block_latex(block, _label(f"{metric}-{table.key}"), widest_name)


def block_latex(block: TableBlock, label: str, widest_name: int = _LONGEST_NAME) -> str:
    """A table with its caption and what stands below it: floating, or where its rows do not fit a page broken into
    pages. The first rows of a very long one."""
    table, n_rows = block.table.for_readers(), max(block.n_rows, len(block.table.rows))
    is_long, more = n_rows > MOST_ON_A_PAGE, []
    if n_rows > MOST_ROWS:
        table = table.pick_rows(range(min(MOST_ROWS, len(table.rows))))
        more = [f"The first {MOST_ROWS:,} of {n_rows:,} rows; JSON and CSV have all."]
    texts = table.texts()
    columns = "".join(_column_specs(table, texts, widest_name, is_long))
    cells = [[_cell_latex(column.kind, text, (number, column.key) in table.marks, number in table.grey and not k)
              for k, (column, text) in enumerate(zip(table.columns, row, strict=True))]
             for number, row in enumerate(texts)]
    caption, note = _caption_and_note(block.title, label, [block.caption, *block.notes, *block.caveats, *more])
    if is_long:
        return _set_long(columns, table.titles, cells, caption, note, table.ruled)
    size = r"\footnotesize\setlength{\tabcolsep}{4pt}" if len(table.columns) <= _FEW_COLUMNS else \
        r"\scriptsize\setlength{\tabcolsep}{2pt}"
    return _set_floating(columns, table.titles, cells, caption, note, table.ruled, size)


def _column_specs(table: Table, texts: Sequence[Sequence[str]], widest_name: int, is_long: bool) -> list[str]:
    """How columns are set: numbers on the right, names and other text in lines where they are long.

    A table that floats is shrunk to the page. One that is broken into pages is not: its texts have what room its
    numbers leave.
    """
    most = {"name": widest_name, "pair": _LONGEST_TEXT, "text": _LONGEST_TEXT}
    words = [column.kind in most for column in table.columns]
    if is_long:
        taken = sum(2 + max(map(len, [*_title_lines(column.title), *(row[k] for row in texts)]))
                    for k, column in enumerate(table.columns) if not words[k])
        room = max(_NARROWEST, (_LINE - taken) // max(1, sum(words)) - 2)
        most = {kind: min(room, widest) for kind, widest in most.items()}
    return [name_column([*_title_lines(column.title), *(row[k] for row in texts)], most[column.kind]) if words[k] else
            "r" if KINDS[column.kind].side == ">" else "c" for k, column in enumerate(table.columns)]


def _cell_latex(kind: str, text: str, marked: bool, grey: bool) -> str:
    if kind in ("name", "pair"):
        set_text = name_cell(text)
    elif kind == "rank":
        set_text = rank_cell(text)
    elif kind in ("text", "sign"):
        set_text = "--" if text == MISSING else name_cell(text)
    else:
        set_text = number_cell(text).replace(" ●", r"~$\bullet$") if text else ""
    return GREY * grey + (rf"\textbf{{{set_text}}}" if marked else set_text)


def _set_floating(columns: str, header: Sequence[str], cells: Iterable[Sequence[str]], caption: str,
                  note: Sequence[str], ruled: Collection[int], size: str) -> str:
    return "\n".join([
        r"\begin{table*}", rf"\centering{size}",
        caption + r"\par\smallskip", rf"\mtsigfit{{\begin{{tabular}}{{{columns}}}", r"\toprule",
        _row(map(_title, header)), r"\midrule", *_rows(cells, ruled), r"\bottomrule", r"\end{tabular}}", *note,
        r"\end{table*}", ""])


def _set_long(columns: str, header: Sequence[str], cells: Sequence[Sequence[str]], caption: str, note: Sequence[str],
              ruled: Collection[int]) -> str:
    head = [r"\toprule", _row(map(_title, header)), r"\midrule"]
    return "\n".join([
        r"{\scriptsize\setlength{\tabcolsep}{2.5pt}\setlength{\LTcapwidth}{\linewidth}",
        rf"\begin{{longtable}}{{{columns}}}", caption + r"\\[4pt]", *head, r"\endfirsthead", *head,
        r"\endhead", r"\bottomrule", r"\endfoot", *_rows(cells, ruled), r"\end{longtable}", *note, "}",
        ""])


def tabular(what: str, columns: str, header: Sequence[str], cells: Iterable[Sequence[str]], metric: str,
            said: Sequence[str], size: str = r"\footnotesize\setlength{\tabcolsep}{4pt}",
            ruled: Collection[int] = ()) -> str:
    """A table that floats, with a line below the `ruled` rows: the first sentence `said` is its caption, the others
    stand below it."""
    caption, note = _caption_and_note(f"{metric_title(metric)}: {what}", _label(f"{metric}-{what}"), said)
    return _set_floating(columns, header, cells, caption, note, ruled, size)


def longtable(what: str, columns: str, header: Sequence[str], cells: Sequence[Sequence[str]], metric: str,
              said: Sequence[str], n_rows: int = 0, ruled: Collection[int] = ()) -> str:
    """A table that is broken into pages: the first rows of `n_rows`, or of all that are given."""
    n_rows = max(n_rows, len(cells))
    if n_rows > MOST_ROWS:
        said = [*said, f"The first {MOST_ROWS:,} of {n_rows:,} rows; JSON and CSV have all."]
    caption, note = _caption_and_note(f"{metric_title(metric)}: {what}", _label(f"{metric}-{what}"), said)
    return _set_long(columns, header, cells[:MOST_ROWS], caption, note, ruled)


def fitting_table(what: str, columns: str, header: Sequence[str], cells: Sequence[Sequence[str]], metric: str,
                  said: Sequence[str], ruled: Collection[int] = ()) -> str:
    """One that floats, or where its rows do not fit a page one that is broken into pages."""
    make: Callable[..., str] = tabular if len(cells) <= MOST_ON_A_PAGE else longtable
    return make(what, columns, header, cells, metric, said, ruled=ruled)


def paragraph(title: str, said: Iterable[str]) -> str:
    """Sentences that are no part of a table, under a title in bold."""
    return rf"{{\sloppy\paragraph{{{escape(title)}.}} {_breakable(' '.join(said))}\par}}" + "\n"


def _label(text: str) -> str:
    return re.sub("[^a-z0-9]+", "-", text.lower())


def _caption_and_note(title: str, label: str, said: Sequence[str]) -> tuple[str, list[str]]:
    """The first sentence as the caption and the others as the note; all in the note where the first is too long."""
    title = textwrap.shorten(title, LONGEST_CAPTION // 4, placeholder="...")
    first, *rest = said
    if len(printable(first)) > LONGEST_CAPTION:
        first, rest = f"{title}, explained below the table.", list(said)
    caption = rf"\caption[{escape(title)}]{{{escape(first or title)}}}\label{{tab:mtsig-{label}}}"
    return caption, [rf"\mtsignote{{{_breakable(' '.join(filter(None, rest)))}}}"] if any(rest) else []


def _breakable(text: str) -> str:
    """Sentences, with signatures that may be broken into lines at each field, and endless words anywhere."""
    return " ".join(name_cell(word) if len(word) > _LONGEST_NAME else escape(word) for word in text.split(" ")).replace(
        r"\textbar{}", r"\textbar\allowbreak{}")


def _title(text: str) -> str:
    """The head of a column, in lines where it is long."""
    lines = _title_lines(text)
    return escape(text) if len(lines) < 2 else r"\shortstack{" + r"\\".join(map(escape, lines)) + "}"


def _title_lines(text: str) -> list[str]:
    return textwrap.wrap(text, _LONGEST_TITLE, break_long_words=False, break_on_hyphens=False)


def _rows(cells: Iterable[Sequence[str]], ruled: Collection[int]) -> list[str]:
    return [line for k, row in enumerate(cells) for line in [_row(row), *[r"\midrule"] * (k in ruled)]]


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def rank_cell(cell: str) -> str:
    return cell.replace("-", "--")


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


#-----------------------------------------------------------------------------------------------------------------------
# Comparisons as LaTeX tables that show every name literally, whatever is in it.


_WIDEST_MATRIX = 15  # systems


def comparison_latex(comparison: Comparison) -> str:
    """Leaderboard, pairs and matrix of each metric as booktabs tables with short captions, and how it was tested.

    What has to be known beside the numbers stands below each table, how they came about in a paragraph for each metric.

    Returns
    -------
    str
        A file that compiles alone, and that a document may read with ``\\input``; comments at the top name the
        packages that it needs and repeat the warnings.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A_1": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> r"\\begin{tabular}" in comparison_latex(compare(ts, trials=999))
    True
    """
    gone = f"% Left out: {printable(left_out(comparison))}\n" if comparison.excluded else ""
    warnings = group_cautions(comparison.warnings, len(comparison.warnings), several=len(comparison.metrics) > 1)
    parts = [PREAMBLE + gone + "".join(f"% Warning: {printable(text)}\n" for texts in warnings for text in texts)]
    for result in comparison.metrics.values():
        parts.append(_leaderboard(comparison, result))
        if result.runs:
            parts.append(_runs(comparison, result))
        header, rows = by_reference_rows(result)
        if rows:
            said = [f"Leaders by {metric_title(result.metric)}, by all references together and by each alone: no other "
                    "system is significantly better than these."]
            cells = [list(map(name_cell, row)) for row in rows]
            parts.append(tabular("references", r"lp{.5\textwidth}l", header, cells, result.metric, said))
        if result.pairs:
            parts.append(_pairs(comparison, result))
            if any(pair.mdd is not None for pair in result.pairs):
                parts.append(_detectable(comparison, result))
        if 2 < len(result.systems) and comparison.settings.baseline is None:
            parts.append(_matrix(comparison, result) if len(result.systems) <= _WIDEST_MATRIX else
                         f"% A matrix of {len(result.systems)} systems is too wide for a page: the pairs above have "
                         "its numbers.\n")
        parts.append(paragraph(f"{metric_title(result.metric)}: methods", basis_sentences(comparison, result)))
    return "\n".join([*parts, END])


def _leaderboard(comparison: Comparison, result: MetricResult) -> str:
    header, rows = leaderboard_rows(result, comparison.settings)
    cells = [[rank_cell(rank), name_cell(name), *map(number_cell, rest)] for rank, name, *rest in rows]
    said = caption_sentences(comparison, result, "Scores")
    if result.systems[0].rank_low is not None and ranks_hold_jointly(comparison):
        said.insert(1, "Rank intervals hold jointly for all systems.")
    if ends := cluster_ends(result.systems):
        said.insert(1, CLUSTERS_SAID)
    column = name_column(row.system for row in result.systems)
    return fitting_table("systems", f"c{column}{'r' * (len(header) - 2)}", header, cells, result.metric, said,
                         ruled=ends)


def _pairs(comparison: Comparison, result: MetricResult) -> str:
    header, rows = pair_rows(result, comparison.settings, MOST_ROWS)
    marks = {"a": "$>$", "b": "$<$", None: "--"}
    last = header.index("better")
    cells = [[name_cell(row[0]), *map(number_cell, row[1:last]), marks[pair.better]]
             for row, pair in zip(rows, result.pairs[:MOST_ROWS], strict=True)]
    said = caption_sentences(comparison, result, "Differences")
    said.insert(1, "> means that the first system of a pair is better by the test, < that the second is, a dash that "
                   "the test does not decide, which does not make them equal.")
    short = len(rows) <= MOST_ON_A_PAGE
    table: Callable[..., str] = tabular if short else partial(longtable, n_rows=len(result.pairs))
    column = name_column((row[0] for row in rows), 44 if short else 18)
    return table("pairs", f"{column}{'r' * (last - 1)}c", [*header[:last], "decision"], cells, result.metric, said)


def _detectable(comparison: Comparison, result: MetricResult) -> str:
    """What could be seen of each pair; a table of its own, as that of the pairs is as wide as a page."""
    header, rows = pair_rows(result, comparison.settings, MOST_ROWS)
    shown = [k for k, title in enumerate(header) if title in ("SE", "min. difference", "for the family")]
    cells = [[name_cell(row[0]), *(number_cell(row[k]) for k in shown)] for row in rows]
    said = caption_sentences(comparison, result, "Minimum detectable differences")
    family = f"; for the family: at alpha/{len(result.tested)}, enough among all" if "for the family" in header else ""
    said.insert(1, f"Such a true difference is found with 80% power, uncorrected{family}. In brackets: "
                   f"{level(comparison.settings)} interval, as the standard error (SE) is an estimate.")
    short = len(rows) <= MOST_ON_A_PAGE
    table: Callable[..., str] = tabular if short else partial(longtable, n_rows=len(result.pairs))
    titles = ["pair", *(header[k] for k in shown)]
    column = name_column((row[0] for row in rows), 44 if short else 18)
    return table("detectable", column + "r" * len(shown), titles, cells, result.metric, said)


def _runs(comparison: Comparison, result: MetricResult) -> str:
    header, rows = run_rows(result, comparison.settings.alpha)
    said = [f"Scores of each training run by {metric_title(result.metric)}, with their standard deviation and its "
            "interval: what differs from one training to another, on this test set."]
    cells = [[name_cell(row[0]), *map(number_cell, row[1:4]), name_cell(row[4])] for row in rows]
    column, scores = name_column(row[0] for row in rows), name_column((row[4] for row in rows), 44)
    return tabular("runs", f"{column}rrr{scores}", header, cells, result.metric, said)


def _matrix(comparison: Comparison, result: MetricResult) -> str:
    n, form, (_, rows) = len(result.systems), points(result), matrix_records([result])
    significant = {frozenset((pair.a, pair.b)) for pair in result.pairs if pair.significant}
    names = [row.system for row in result.systems]
    shares = any(pair.win is not None for pair in result.pairs)

    def cell(i: int, j: int, value: float | None) -> str:
        if i == j:
            return ""
        if value is None:
            return "--"
        if i > j:
            return f"{value:.3f}" if shares else number_cell(format_p(value))
        text = number_cell(signed(value, form))
        return rf"\textbf{{{text}}}" if frozenset((names[i], names[j])) in significant else text

    cells = [[str(i + 1), name_cell(name), *(cell(i, j, value) for j, value in enumerate(values))]
             for i, (_, name, *values) in enumerate(rows)]
    said = caption_sentences(comparison, result, "All pairs")
    below = "the share of samples that the better one wins" if shares else "the adjusted p"
    said.insert(1, f"Above the diagonal the difference {row_against_column(result)}, positive where the row is better, "
                   f"bold where significant; below it {below}. Not significant does not mean equal.")
    return tabular("matrix", f"r{name_column(names)}{'r' * n}", ["", "", *map(str, range(1, n + 1))], cells,
                   result.metric, said, r"\scriptsize\setlength{\tabcolsep}{2pt}")
