"""What may be uploaded, and how a shared task is loaded, on the page Data."""

from __future__ import annotations

import os

from mtsig_core.readers.limits import upload_limits
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source
from pages._ui import controls, screen
from pages._ui.copyable import copyable

__all__ = ["show", "tell_what_may_come"]


def show() -> None:
    """Three ways, for who asks for them; a link may ask, too."""
    if not controls.toggle("How to load a shared task", False, "task", pages_own=True):
        return
    screen.prose_table(["a folder in WMT layout", "how it gets here"], [
        [f"zipped, up to {upload_limits().zip_mb:,} MB unpacked",
         "Upload the zip below, by itself. The pages Task and Review then work on it, and each of its language pairs "
         "is in the list Test set. Tables of segment scores in it are read where their names say which language pair "
         "they are of: en-de.esa.tsv, en-de.mqm.seg.score."],
        ["on the machine of this dashboard",
         "Start the dashboard with MTSIG_DATA_ROOT set to the folder above it. The page Task then lists every task "
         "below it, folders and zips, and the list Test set has each of their language pairs"
         + (", as it does now." if os.environ.get("MTSIG_DATA_ROOT") else "; now it is not set.")],
        ["alone, or one language pair of it", "Start the dashboard on it, by one of the commands below."]])
    copyable("\n".join(command_line("serve", Source(folder="wmt24", langpair=pair)) for pair in (None, "en-de")),
             "data.serve", "Commands that start the dashboard on it")
    screen.plain("WMT layout: references/en-de.refA.txt, system-outputs/en-de/NAME.txt, and, best, "
                 "documents/en-de.docs and sources/en-de.txt; names as of 2021 to 2023 are known, too. Segment scores "
                 "alone: automatic_scores/NAME.jsonl, as WMT 2025 published them. Or XML: newstest2021.en-de.all.xml. "
                 "Choose the references that score at the side, under Systems and segments.")


def tell_what_may_come() -> None:
    """The kinds of files, and how much of them."""
    screen.plain("Plain text, one segment per line (UTF-8, .gz too): at least one reference and one system, best with "
                 "a documents file (docid, or domain, tab, docid, for each line). Or a zip of a shared-task folder in "
                 "WMT layout. Segment scores of people or of a model (TSV, CSV, JSONL, Parquet: system, line, score, "
                 "or a column for each system; COMET's JSON) come alone or with the texts, joined by line, or by id "
                 "where a file has the id of each line. A.run1.txt and A.run2.txt are outputs of two training runs of "
                 f"system A. Of text up to {upload_limits().mb:,} MB may be opened at once.")
