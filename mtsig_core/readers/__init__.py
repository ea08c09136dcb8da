"""Readers: make a TestSet or a Task from files or from memory.

`formats` lists the formats, and the reader of each.
"""

from mtsig_core.readers.lines import read_lines
from mtsig_core.readers.scores import join_scores, read_scores
from mtsig_core.readers.texts import read_frame, read_text
from mtsig_core.readers.wmt import language_pairs, read_wmt
from mtsig_core.readers.wmt_xml import read_wmt_xml

__all__ = [
    "join_scores",
    "language_pairs",
    "read_frame",
    "read_lines",
    "read_scores",
    "read_text",
    "read_wmt",
    "read_wmt_xml",
]
