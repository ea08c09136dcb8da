"""Find which file is wrong, and where, if a file and the first reference differ in line count."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mtsig_core.alignment import find_first_fault
from mtsig_core.errors import format_count
from mtsig_core.readers.columns import show_names
from mtsig_core.readers.lines import TextFile
from mtsig_core.testset import show_name

#: Lines of all files together in which the first fault is looked for, about 3 seconds.
SEARCHED_LINES = 100_000


def find_wrong_counts(
    main: TextFile, files: Sequence[TextFile], main_title: str = "reference"
) -> list[str]:
    """A message for each file with another number of lines than the main text.

    Parameters
    ----------
    main : TextFile
        Mostly the first reference.
    files : sequence of TextFile
        The others; of documents, the lines are ids.
    main_title : str
        What messages call the main text.
    """
    n = len(main.lines)
    wrong = [file for file in files if len(file.lines) != n]
    if not wrong:
        return []
    blank = [line for line, text in enumerate(main.lines, 1) if not (text or "").strip()]
    n_filled = n - len(blank)
    name = show_name(main.path)
    counts = {len(file.lines) for file in files}
    if len(files) > 1 and len(counts) == 1:
        names = show_names((show_name(file.path) for file in files), 4)
        [place] = _find_faults(main, files[:1], n_filled, main_title)
        messages = [
            f"The {main_title} {name} has {format_count(n, 'line')}, all other files ({names}) have "
            f"{counts.pop():,}. So the {main_title} may be wrong.{place}"
        ]
    else:
        messages = []
        places = _find_faults(main, wrong, n_filled, main_title)
        for file, place in zip(wrong, places, strict=True):
            count = format_count(len(file.lines), "line")
            messages.append(
                f"{show_name(file.path)} has {count}, the {main_title} {name} has {n:,}.{place}"
            )
    remedy = (
        f"Each line must be the same segment as that line of the {main_title}. Correct the file or "
        "write it again."
    )
    if blank and any(len(file.lines) == n_filled for file in wrong):
        remedy += _explain_blank_lines(name, n, blank, main_title)
    if len(messages) == 1:
        return [f"{messages[0]} {remedy}"]
    return [*messages, remedy]


def _find_faults(
    main: TextFile, files: Sequence[TextFile], n_filled: int, main_title: str
) -> list[str]:
    """Write for each file from which line on it no longer matches; empty where that is unknown.

    The search ends after `SEARCHED_LINES`. A file with as many lines as the main text has filled
    ones lacks the blank lines.
    """
    n_searched = 0
    sentences = []
    for file in files:
        line = None
        is_translation = main_title == "source" and file.role == "system"
        if file.role != "documents" and not is_translation:  # which share no words with the main
            n_searched += len(file.lines)
            if n_searched <= SEARCHED_LINES and len(file.lines) != n_filled:
                line = find_first_fault(main.lines, file.lines)
        if line is None:
            sentences.append("")
        else:
            sentences.append(f" From about line {line} the lines no longer match.")
    return sentences


def _explain_blank_lines(name: str, n: int, blank: Sequence[int], main_title: str) -> str:
    copy = name.removesuffix(".txt") + ".new.txt"
    return (
        f" The {main_title} has {format_count(len(blank), 'blank line')}, the first is line "
        f"{blank[0]}, and {n - len(blank)} others. If blank lines are not segments, remove them: "
        f"grep -v '^[[:space:]]*$' {shlex.quote(name)} > {shlex.quote(copy)}"
    )
