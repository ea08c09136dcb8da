"""Segment scores in lines, a block for each system: of mt-metrics-eval, and as comet-score prints them."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence

from mtsig_core.errors import InputError
from mtsig_core.readers.columns import InputTable, join_columns
from mtsig_core.testset import show_name

BLOCK_LINE = "SYSTEM<TAB>SCORE in each line"


def read_seg_scores(text: str, name: str) -> InputTable:
    """The table of scores in a file of mt-metrics-eval."""
    return _join_blocks(name, parse_blocks(text.removesuffix("\n").split("\n"), name))


def parse_blocks(lines: Sequence[str], name: str) -> dict[str, list[float | None]]:
    """The scores of each system, in the order of the segments."""
    blocks: dict[str, list[float | None]] = {}
    for number, line in enumerate(lines, 1):
        system, _, score = line.strip().replace("\t", " ").rpartition(" ")
        try:
            value = None if score == "None" else math.inf if "_" in score else float(score)
        except ValueError:
            value = math.inf
        if not system.strip() or (value is not None and math.isinf(value)):
            raise InputError(f"{name}, line {number} is {show_name(repr(line))[:60]}. Expected "
                             "SYSTEM<TAB>SCORE, with None where a score is missing.")
        blocks.setdefault(system.strip(), []).append(None if value != value else value)
    return blocks


def read_comet_log(text: str, name: str) -> InputTable:
    """The table of scores in what comet-score prints: FILE, segment from 0, score."""
    from mtsig_core.readers.formats import SEGMENTS, strip_ending  # late: it knows the readers here

    blocks: dict[str, list[float | None]] = {}
    form = re.compile(r"(.*)\tSegment (\d{1,15})\tscore: (-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)")
    for number, line in enumerate(text.split("\n"), 1):
        if (found := form.fullmatch(line.rstrip())) is None:
            continue
        system = strip_ending(os.path.basename(found[1].replace("\\", "/")), SEGMENTS)
        if int(found[2]) != len(block := blocks.setdefault(system, [])):
            raise InputError(f"{name}, line {number} is segment {found[2]} of {show_name(system)}. Expected segment "
                             f"{len(block)}: each once, counted from 0. If two outputs have the same name, give each "
                             "its own and score them again.")
        block.append(float(found[3]))
    return _join_blocks(name, blocks)


def _join_blocks(name: str, blocks: Mapping[str, Sequence[float | None]]) -> InputTable:
    """The table of scores in blocks by system, which must be of one length."""
    n_lines = len(join_columns(name, blocks, "scores").rows)
    rows = ((system, line, score) for system, scores in blocks.items() for line, score in enumerate(scores, 1))
    return InputTable(name, ["system", "line", "score"], list(enumerate(rows, 1)), n_lines)
