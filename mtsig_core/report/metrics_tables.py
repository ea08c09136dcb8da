"""What is inside a score, as rows of text, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.experiments.inside_score import (
    NOTE_CLAIMS,
    ORDERS,
    Averages,
    Case,
    Claim,
    Lengths,
    Step,
    StudentsT,
    SystemPrecisions,
    WorkedExample,
    koehns_factors,
)
from mtsig_core.experiments.papers import KOEHN_T1, KOEHN_T2
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, written_like

__all__ = ["average_rows", "case_rows", "claim_rows", "factor_rows", "flat_lengths", "flat_steps", "formula",
           "interval_rows", "length_rows", "precision_rows", "right_value", "step_rows"]


def precision_rows(found: Sequence[SystemPrecisions], with_paper: bool) -> Table:
    """Systems down, the parts of BLEU across; Koehn's numbers in brackets where asked for and known."""
    theirs = {name: dict(p1=p1, p4=p4, bleu=bleu) for name, p1, p4, bleu in KOEHN_T1.rows["bleu"]} if with_paper else {}

    def cell(row: SystemPrecisions, key: str, digits: int) -> str:
        value, paper = getattr(row, key), theirs.get(row.system, {}).get(key)
        shown = _number(value, digits)
        return shown if paper is None else Cell(f"{shown} ({paper:.1f})", value)

    return (["system", *(f"{n}-grams, %" for n in ORDERS), "length ratio", "brevity penalty", "BLEU"],
            [[row.system, *(cell(row, f"p{n}", 1) for n in ORDERS), cell(row, "length_ratio", 3),
              cell(row, "brevity_penalty", 3), cell(row, "bleu", 2)] for row in found])


def length_rows(found: Lengths) -> Table:
    """Systems and lengths down, scores across."""
    asked = "word penalty" if found.how == "word penalty" else "words kept"
    return (["system", asked, "length ratio", "brevity penalty", "BLEU", "BLEU without it", "GTM-2", "GTM"],
            [[name, f"{point.asked:g}" if asked == "word penalty" else f"{point.asked:.0%}",
              _number(point.length_ratio, 3), f"{point.brevity_penalty:.3f}", f"{point.bleu:.2f}",
              f"{point.precision:.2f}", f"{point.gtm_2:.2f}", f"{point.gtm:.2f}"]
             for name, points in found.curves for point in points])


def flat_lengths(found: Lengths) -> list[dict[str, Any]]:
    """One row for each system and length."""
    return [{"system": name, **asdict(point)} for name, points in found.curves for point in points]


def step_rows(found: WorkedExample) -> Table:
    """One row for each length of n-grams."""
    return (["n", "n-grams that a reference has too (times counted)", "matched / all", "precision", "BLEU-n"],
            [[str(step.n), " · ".join(f"{one.ngram} ({one.clipped})" for one in step.ngrams) or "none",
              f"{step.matched}/{step.total}", _number(step.precision, 3), f"{step.bleu:.3f}"] for step in found.steps])


def formula(found: WorkedExample) -> str:
    """BLEU-n of the example, written out, for the longest n-grams of which any matches.

    Examples
    --------
    >>> from mtsig_core.experiments.inside_score import note_example
    >>> formula(note_example())
    'BLEU-2 = 0.8465 x (3/6 x 1/5)^(1/2) = 0.268'
    """
    n = max((step.n for step in found.steps if step.bleu > 0), default=1)
    steps: Sequence[Step] = found.steps[:n]
    product = " x ".join(f"{step.matched}/{step.total}" for step in steps)
    root = product if n == 1 else f"({product})^(1/{n})"
    return f"BLEU-{n} = {found.brevity_penalty:.4f} x {root} = {steps[-1].bleu:.3f}"


def right_value(found: WorkedExample, claim: Claim) -> float:
    """What a claim of the note should say."""
    return found.brevity_penalty if claim.what == "brevity penalty" else found.steps[int(claim.what[-1]) - 1].bleu


def claim_rows(found: WorkedExample) -> Table:
    """The claims of the note, and what is right."""
    return (["", "the note", "right", "what went wrong"],
            [[claim.what, claim.printed if "/" not in claim.printed else f"{claim.printed} = {claim.value:.4f}",
              f"{right_value(found, claim):.4f}", claim.about] for claim in NOTE_CLAIMS])


def average_rows(found: Averages) -> Table:
    """Systems down, score and place by both across."""
    unit, form = metric_title(found.metric), written_like(row.corpus for row in found.systems)
    return (["system", f"corpus {unit}", "place", f"mean of sentence {unit}", "place"],
            [[row.system, number(row.corpus, form), number(row.corpus_place, "d"), number(row.average, form),
              number(row.average_place, "d")] for row in found.systems])


def case_rows(case: Case, unit: str) -> Table:
    """Segments down, sentence scores of both across; below them the mean, and the corpus score."""
    form = written_like(case.corpus)
    rows = [[f"line {line}", "-" if length is None else str(length), *(f"{score:{form}}" for score in scores)]
            for line, length, scores in zip(case.lines, case.lengths, case.sentences, strict=True)]
    known = [length for length in case.lengths if length is not None]
    for name, (a, b) in ((f"mean of sentence {unit}", case.average), (f"corpus {unit}", case.corpus)):
        of_all = str(sum(known)) if known and name.startswith("corpus") else ""
        rows.append([name, of_all, f"{a:{form}}", f"{b:{form}}"])
    return ["", "words of the reference", case.pair.a, case.pair.b], rows


def interval_rows(found: StudentsT) -> Table:
    """Sizes down, both intervals across."""
    def ends(low: float | None, high: float | None) -> str:
        return "-" if low is None else f"[{low:{form}}, {high:{form}}]"

    form = written_like(row.mean for row in found.rows)
    rows = [[f"{row.n:,}", f"{row.mean:{form}}", ends(row.t_low, row.t_high), ends(row.boot_low, row.boot_high),
             _number(row.width_ratio, 3), "-"] for row in found.rows]
    rows[-1][-1] = ends(found.document_low, found.document_high)
    return (["segments", "mean", "Student's t", "bootstrap by segment", "ratio of widths", "bootstrap by document"],
            rows)


def factor_rows() -> Table:
    """Koehn's Table 2, in brackets where n - 1 degrees of freedom give another number."""
    rows: dict[float, list[str]] = {}
    for one in koehns_factors():
        right = f"{one.right:.4f}"
        rows.setdefault(one.level, [f"{one.level:g}%"]).append(
            f"{one.printed:.4f}" + ("" if right == f"{one.printed:.4f}" else f"  (right: {right})"))
    return ([KOEHN_T2.source, *("n without end" if n is None else f"n = {n}" for n in KOEHN_T2.columns[1:])],
            list(rows.values()))


def _number(value: float | None, digits: int) -> str:
    return number(value, f".{digits}f")


def flat_steps(found: WorkedExample) -> list[dict[str, Any]]:
    """One row for each length of n-grams; the matched ones with their clipped counts."""
    return [{"n": step.n, "matched": step.matched, "total": step.total, "precision": step.precision, "bleu": step.bleu,
             "ngrams": "; ".join(f"{one.ngram} x {one.clipped}" for one in step.ngrams)} for step in found.steps]
