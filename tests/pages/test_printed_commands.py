"""The command that a page prints gives the numbers that the page shows: each number of its files is
in what the command prints.
"""

import csv
import io
import json
import math
import re
from bisect import bisect_left
from dataclasses import replace

import pytest
import streamlit as st

from mtsig_core.cli.main import main
from mtsig_core.source import Source
from pages._sections.papers_sections import ITEMS
from pages._ui.catalogue import PAGES
from tests.builders.cases import brief
from tests.builders.screens import (
    arguments,
    offered,
    replace_in_most,
    sentences,
    write_ratings,
    written,
)

SYSTEMS = ("first", "second", "third")
N_SEGMENTS = 60

# The test sets.


def write_outputs(folder):
    texts = sentences(N_SEGMENTS)
    outputs = (
        replace_in_most(texts, 3, "sentence", "word"),
        replace_in_most(texts, 4, "small test", "big"),
        replace_in_most(texts, 7, "number", "of"),
    )
    documents = [f"{'news' if k < 30 else 'talk'}\td{k // 3}" for k in range(N_SEGMENTS)]
    return written(folder, texts, outputs, documents, SYSTEMS)


def write_scores_of(folder, name, step):
    ratings = {}
    for place, system in enumerate(SYSTEMS):
        level = 50 + step * place
        ratings[system] = [level + (k * 7 + 5 * place) % 23 for k in range(N_SEGMENTS)]
    return name, write_ratings(folder / f"{name}.tsv", ratings)


def add_human_scores(folder):
    return replace(write_outputs(folder), scores=(write_scores_of(folder, "esa", -2),))


def write_odd_names(folder):
    """Names with what an option has a meaning for: a comma, an equals sign, a dash at the start,
    quotation marks.
    """
    names = {"first": "-a first, second", "second": "se=co nd", "third": "\"th:ird'"}
    source = write_outputs(folder)
    return replace(source, system=tuple((names[name], path) for name, path in source.system))


def write_scores(folder):
    return Source(scores=(write_scores_of(folder, "esa", -2), write_scores_of(folder, "XCOMET", 3)))


#: What writes a test set, the metric of its page, and another metric beside it.
SETS = {
    "texts": (write_outputs, "bleu", "chrf"),
    "texts, by a metric that is better when lower": (write_outputs, "ter", "bleu"),
    "texts and human scores": (add_human_scores, "bleu", "chrf"),
    "texts and human scores, by these": (add_human_scores, "esa", "bleu"),
    "odd names": (write_odd_names, "bleu", "chrf"),
    "scores": (write_scores, "esa", "XCOMET"),
}
#: Settings that are not the default.
SETTINGS = {"seed": "3", "alpha": "0.1", "trials": "999", "correction": "holm"}

# The pages, with what opens each part of them that has numbers.

FEW = {"pairs": "50", "repeats": "30", "sizes": "50%, 100%", "pool": "10000"}
VIEWS = {
    "summary": ("summary", {}),
    "all pairs": ("pairs", {}),
    "one pair": ("pair", {"a": "third", "b": "first"}),
    "domains": ("metrics", {"inside": "by domain"}),
    "metrics": ("metrics", {}),
    "agreement": ("metrics", {"inside": "which metric to trust"}),
    "summary against a baseline": ("summary", {"baseline": "second"}),
    "summary without a system": ("summary", {"exclude": ["second", "-a first, second"]}),
    "summary of a domain": ("summary", {"domain": "news"}),
    "segments": ("segments", {}),
    "methods": ("methods", {}),
    "samples": ("sampling", {"size": "5", "shuffle": "true"}),
    "what samples conclude": ("sampling", {"tab": "What each sample concludes"}),
    "samples of all sizes": ("sampling", {"tab": "All sizes", "shuffle": "true"}),
    "bootstrap": ("bootstrap", {"unit": "segment"}),
    "resamples": ("bootstrap", {"tab": "How many resamples"}),
    "size": ("size", {}),
    "references": ("size", {"tab": "References"}),
    "scores by size": ("size", {"tab": "Scores and intervals by size"}),
    **{
        question: ("trust", {"experiment": question})
        for question in (
            "False alarms",
            "Coverage",
            "Many comparisons",
            "Units",
            "Calibration",
            "Power",
        )
    },
    **{
        f"inside {part}": ("inside", {"inside": part})
        for part in ("sentence average", "one sentence", "Student's t", "length", "signatures")
    },
    **{f"papers {item}": ("papers", {"item": item}) for item in ITEMS},
}
#: Pages with other numbers: what is uploaded, a review, simulations of a lecture. Tests of their
#: own have them.
ELSEWHERE = {"upload", "review", "lecture"}
#: The histogram of resamples: no command prints it. Its label says what the command prints instead.
DRAWN_ONLY = ("replicates", "histogram")
LABEL = re.compile(r"Command that prints (.*) \((.*)\)")

SHORT = [
    ("summary", "texts and human scores"),
    ("one pair", "texts, by a metric that is better when lower"),
    ("domains", "texts and human scores"),
    ("all pairs", "scores"),
]
CASES = [*SHORT, *((view, kind) for view in VIEWS for kind in SETS if (view, kind) not in SHORT)]


@pytest.fixture
def fewer_draws():
    """A page takes as many draws as its command says."""


@pytest.fixture
def files(monkeypatch):
    """{name: content} of all files that a page offers."""
    found = {}

    def keep(label, data, file_name, *args, **kwargs):
        found[file_name] = data() if callable(data) else data

    monkeypatch.setattr(st, "download_button", keep)
    return found


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_csv_numbers(content):
    """(column, number) of each cell that is one."""
    text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
    header, *rows = csv.reader(io.StringIO(text))
    return [
        (name, float(cell))
        for row in rows
        for name, cell in zip(header, row, strict=True)
        if is_number(cell)
    ]


def list_json_numbers(content):
    if isinstance(content, dict):
        return [number for value in content.values() for number in list_json_numbers(value)]
    if isinstance(content, list):
        return [number for value in content for number in list_json_numbers(value)]
    is_counted = isinstance(content, int | float) and not isinstance(content, bool)
    return [float(content)] if is_counted else []


def print_as(form, command, capsys):
    capsys.readouterr()
    assert main([*arguments(command), "--format", form]) == 0, command
    return capsys.readouterr().out


def list_printed_numbers(commands, capsys):
    """All numbers that these commands print, in order."""
    numbers = []
    for command in commands.splitlines():
        numbers += list_json_numbers(json.loads(print_as("json", command, capsys)))
        if command.startswith(
            ("mtsig compare", "mtsig domains")
        ):  # whose CSV sees each pair from both sides
            rows = csv.reader(io.StringIO(print_as("csv", command, capsys)))
            numbers += [float(cell) for row in rows for cell in row if is_number(cell)]
    return sorted(numbers)


def is_printed(number, printed):
    """Whether a number is among others, but for how it was rounded on the way."""
    slack = 1e-9 * max(1, abs(number))
    place = bisect_left(printed, number - slack)
    return place < len(printed) and printed[place] <= number + slack


def test_each_page_with_a_command_is_visited():
    assert {page for page, _ in VIEWS.values()} | {"results"} | ELSEWHERE == set(PAGES)


@pytest.mark.parametrize("view, kind", brief(len(SHORT), CASES))
def test_the_command_prints_the_numbers_on_screen(opened, files, tmp_path, capsys, view, kind):
    (page, asked), (make, metric, further) = VIEWS[view], SETS[kind]
    source = make(tmp_path / "toy")
    shown = opened(page, source, metric=metric, metrics=[further], **FEW, **asked, **SETTINGS)
    for label, commands in offered(shown).items():
        if not commands.startswith("mtsig "):  # sentences for a paper
            continue
        for command in commands.splitlines():
            assert "--metrics" in command, label
        named = LABEL.fullmatch(label)
        if named is None:  # of no figure or table
            continue
        prints, name = named.groups()
        own = [content for file, content in files.items() if file.endswith(f"-{name}.csv")]
        assert own, label
        printed = list_printed_numbers(commands, capsys)
        if metric == "ter":
            # On screen an improvement is positive, and what is printed is a difference of scores.
            printed = sorted([*printed, *(-number for number in printed)])
        assert (prints != "these numbers") == (name in DRAWN_ONLY)
        if prints == "these numbers":
            numbers = [row for content in own for row in read_csv_numbers(content)]
            assert numbers
            unprinted = [row for row in numbers if not is_printed(row[1], printed)]
            assert unprinted == [], commands


# A task: its files are what its commands print.

TASK_VIEWS = {
    "task": ({}, "task"),
    "task by two metrics": ({"tab": "Metrics", "against": "MetricX-24"}, "task"),
    "task by a rule": ({"rank_rule": "wmt25"}, "task"),
    "rules": ({"tab": "Other rankings"}, "rules"),
    "findings": ({"tab": "Other rankings", "ranking": "Findings table"}, "findings"),
    "autorank": ({"tab": "Other rankings", "ranking": "AutoRank"}, "autorank"),
    "integrity": ({"tab": "Integrity"}, "integrity"),
}


@pytest.mark.parametrize("view", brief(2, TASK_VIEWS))
def test_the_command_of_a_task_prints_its_file(opened, folder, files, capsys, monkeypatch, view):
    monkeypatch.chdir(folder.parent)  # from where commands name the files
    asked, name = TASK_VIEWS[view]
    shown = opened(
        "results", root=folder.parent, shared_task=folder.name, metric="XCOMET", **asked, **SETTINGS
    )
    [content] = [content for file, content in files.items() if file.endswith(f"-{name}.json")]
    commands = [command for label, command in offered(shown).items() if "prints" in label]
    assert content in [
        print_as("json", command, capsys) for command in commands if not command.endswith("html")
    ]
