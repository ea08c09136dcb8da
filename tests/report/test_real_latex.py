"""What a real LaTeX makes of the tables; skipped where there is none."""

import re
import shutil
import subprocess
from dataclasses import replace

import pytest

from mtsig_core import SystemInfo, TestSet, compare
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.experiments.rankings import make_findings
from mtsig_core.report.experiment_reports import findings_report
from mtsig_core.report.reports import render_report
from mtsig_core.reviews import Begin, Decide, Entry, NoteOn
from mtsig_core.stats.across import compare_task
from mtsig_core.testset import SegmentScores, show_name
from tests.builders.markup import HOSTILE
from tests.builders.rated_tasks import made, rated
from tests.builders.rendered import comparison_latex
from tests.builders.task_files import task_latex

PDFLATEX = shutil.which("pdflatex")
NAMES = [show_name(name) for name in HOSTILE if name.strip()]
pytestmark = pytest.mark.skipif(PDFLATEX is None, reason="this machine has no pdflatex")


def compiled(folder, main, **files):
    """The log of one run, which fails at the first error."""
    for name, code in {"main": main, **files}.items():
        (folder / f"{name}.tex").write_text(code, encoding="utf-8", errors="backslashreplace")
    done = subprocess.run(
        [PDFLATEX, "-interaction=nonstopmode", "-halt-on-error", "main.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


def too_wide(log):
    """By how many points lines and tables stand out, where one would see it."""
    return [
        float(size) for size in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(size) > 3
    ]


def test_all_tables_of_one_paper(tmp_path):
    """Comparison and task, each by \\input and more than once, with names that would break out of a
    table or a page.
    """
    task = made(NAMES, ("en-de", "ja-zh_CN"), documents=6)
    one = comparison_latex(
        compare(task.testsets["en-de"].only(NAMES[:12]), ["X"], trials=99, resamples=100)
    )
    review = [
        Entry(k, 0.0, step)
        for k, step in enumerate(
            [
                Begin("my task", None, "d0", {}, "X", {}),
                Decide("en-de", tuple(NAMES), "50%_"),
                NoteOn("en-de", "X", NAMES[0], NAMES[1], "[1em] a & b"),
            ],
            1,
        )
    ]
    task = rated(task)
    found = replace(
        compare_task(task, ["X", "100%_Y", "<i>Z"], trials=99, resamples=100),
        agreement=task_agreement(task, "mqm", trials=99, resamples=50),
    )
    several = task_latex(found, "mtsig task --demo", review)
    assert "{[}1em" in several.split("Notes on disputed")[1]
    assert r"\begin{longtable}" in one and r"\begin{longtable}" in several and "-matrix" in one
    paper = (
        r"\documentclass{article}\usepackage[T1]{fontenc}"
        r"\usepackage{array,booktabs,colortbl,graphicx,longtable}\begin{document}"
        r"\input{one}\input{several}\end{document}"
    )
    assert too_wide(compiled(tmp_path, paper, one=one, several=several)) == []


def findings_latex(task):
    """The tables of a findings paper, with both shades and a published column."""
    lang_pair, testset = next(iter(task.testsets.items()))
    first, second, *_ = testset.systems
    infos = {first: SystemInfo(False, unsupported=(lang_pair,)), second: SystemInfo(True)}
    values = {"AutoRank": "1.5", "rank": "1-2"}
    published = {lang_pair: dict.fromkeys(testset.systems, values)}
    findings = make_findings(
        replace(task, systems={**task.systems, **infos}),
        "X",
        published=published,
        trials=99,
        resamples=100,
    )
    code = render_report(findings_report(findings), "latex")
    assert r"\rowcolor" in code and r"\cellcolor" in code and "(published)" in code
    return code


@pytest.mark.long
@pytest.mark.parametrize("n,pairs", [(2, 1), (30, 31)])
def test_alone(tmp_path, n, pairs):
    names = [*NAMES, *(f"System_{k}-long" for k in range(30))][:n]
    task = made(names, [f"en-{a}{b}_XX" for a in "abcdef" for b in "abcdef"][:pairs], documents=8)
    first = next(iter(task.testsets.values()))
    for code in (
        comparison_latex(compare(first, ["X"], trials=99, resamples=100)),
        comparison_latex(compare(first, ["X"], trials=99, resamples=100, baseline=names[0])),
        comparison_latex(compare(first, ["X"], test="koehn", trials=99, resamples=100)),
        task_latex(compare_task(task, "X", trials=99, resamples=100), "mtsig task"),
        findings_latex(task),
    ):
        assert too_wide(compiled(tmp_path, code)) == []


def test_newlines_and_control_sequences_in_names_of_systems_set_and_metric(tmp_path):
    names = [
        "\\input{/etc/passwd}\n\\end{document}",
        "\\write18{id}^^41^^M%",
        "}\\catcode`\\%=12 {",
        "a\r\n\\par\\relax",
    ]
    metric = "\\csname end\\endcsname\n}\\end{table}#1^^M"
    scores = SegmentScores(
        {name: [k + n % 7 / 3 for n in range(20)] for k, name in enumerate(names)}
    )
    testset = TestSet(
        "set\n\\endinput}", {name: [None] * 20 for name in names}, {}, scores={metric: scores}
    )
    log = compiled(
        tmp_path, comparison_latex(compare(testset, [show_name(metric)], trials=99, resamples=50))
    )
    assert too_wide(log) == [] and "(/etc/passwd" not in log
