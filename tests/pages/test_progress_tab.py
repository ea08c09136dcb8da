"""The tab Progress of Results: how far a running annotation is, also after its files have grown."""

import re
import shutil
from pathlib import Path

from mtsig_core.annotation_progress import measure_progress
from mtsig_core.readers.tasks import read_task
from mtsig_core.source import TaskSource
from tests.builders.screens import words

FILES = Path(__file__).parents[1] / "readers" / "pearmut" / "single-stream"
PAIR = "eng_Latn-ces_Latn"


def read_totals(page):
    """Documents, items and scores of each language pair, as the first table has them."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", words(page), re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in rows]
    return {row[1]: [int(cell) for cell in row[2:5]] for row in cells if row and row[0] == "all"}


def count_totals(folder):
    totals = {}
    for pair, testset in read_task(folder).testsets.items():
        total = measure_progress(testset)[0]
        totals[pair] = [total.documents, total.items, total.judgements]
    return totals


def test_progress_follows_the_files_of_a_running_annotation(opened, tmp_path):
    folder = tmp_path / "live"
    shutil.copytree(FILES, folder)
    file = folder / "eng_Latn---ces_Latn v1.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:6]))
    page = opened("results", task=TaskSource(str(folder)))
    assert not page.exception
    before = read_totals(page)
    assert before == count_totals(folder) and len(before) == 2
    with file.open("a") as grown:
        grown.write("".join(lines[6:]))
    page.run()
    assert not page.exception
    assert before != read_totals(page) == count_totals(folder)
    page.selectbox(key="progress").set_value(f"{PAIR}: progress of the annotation").run()
    assert not page.exception and "seconds for an item" in words(page)
    assert read_totals(page) == {"": count_totals(folder)[PAIR]}
