"""Validation as rows of text, the published numbers beside ours."""

from __future__ import annotations

from mtsig_core.experiments._population import Rate
from mtsig_core.experiments.conclusions import Conclusions
from mtsig_core.experiments.coverage import Coverage
from mtsig_core.experiments.families import FamilyErrors
from mtsig_core.experiments.type_one import TypeOne
from mtsig_core.published_validation import KOEHN_T3, KOEHN_T4, RIEZLER_MAXWELL_T2

__all__ = ["calibration_rows", "conclusion_rows", "coverage_rows", "family_rows", "percent_of", "riezler_maxwell_rows",
           "type_one_rows"]

Table = tuple[list[str], list[list[str]]]
_UNITS = (("segment", "segment"), ("document", "document"), ("document", "segment"))


def percent_of(found: Rate | None) -> str:
    """A share with its Monte Carlo interval; a dash without any.

    Examples
    --------
    >>> from mtsig_core.experiments._population import rate
    >>> percent_of(rate(100, 2000)), percent_of(rate(0, 0))
    ('5.0% [4.1, 6.0]', '-')
    """
    if found is None or found.share is None:
        return "-"
    return f"{100 * found.share:.1f}% [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def type_one_rows(found: TypeOne) -> Table:
    """Tests down, nulls and units across."""
    tests = list(dict.fromkeys(row.test for row in found.rows))
    columns = [at for at in _UNITS if any((row.null, row.unit) == at for row in found.rows)]
    cells = {(row.null, row.unit, row.test): percent_of(row.rejected) for row in found.rows}
    return (["test", *(f"{null}s swapped, tested by {unit}" for null, unit in columns)],
            [[test, *(cells.get((*at, test), "-") for at in columns)] for test in tests])


def riezler_maxwell_rows() -> Table:
    """Their p-values by both tests, and the ratio."""
    return (["their comparison", "difference in NIST", "p, randomization", "p, bootstrap as printed", "ratio"],
            [[pair, f"{delta:.3f}", f"{ar:.3f}", f"{boot:.3f}", f"{ar / boot:.1f}"]
             for pair, delta, ar, boot in RIEZLER_MAXWELL_T2.rows["nist"]])


def conclusion_rows(found: Conclusions, with_paper: bool) -> Table:
    """Pairs down, sizes across: percent right / wrong, in brackets Koehn's where asked for and known."""
    theirs = {(a, b): dict(zip((100, 300, 600, 3000), cells, strict=True))
              for a, b, _, *cells in KOEHN_T3.rows["bleu"]} if with_paper else {}
    pairs = dict.fromkeys((row.a, row.b) for row in found.rows)
    rows = []
    for a, b in pairs:
        of_pair = {row.size: row for row in found.rows if (row.a, row.b) == (a, b)}
        cells = []
        for size in found.sizes:
            paper = theirs.get((a, b), {}).get(size)
            right, wrong = of_pair[size].right, of_pair[size].wrong
            ours = f"{100 * right.share:.0f} [{100 * right.low:.0f}, {100 * right.high:.0f}] / {100 * wrong.share:.0f}"
            cells.append(ours if paper is None else f"{ours} ({paper[0]} / {paper[1]})")
        rows.append([a, b, f"{of_pair[found.sizes[0]].delta:.2f}", *cells])
    return ["better", "worse", "difference",
            *(f"{n} samples of {size:,}" for size, n in zip(found.sizes, found.samples, strict=True))], rows


def calibration_rows(found: Conclusions, with_paper: bool) -> Table:
    """Levels down: conclusions and how many of them are right, Koehn's beside them where asked for."""
    theirs = {low: [f"{n:,}", f"{right}%"] for low, n, right in KOEHN_T4.rows["bleu"]} if with_paper else {}
    rows = [[level_name(level.low, level.high), f"{level.right.n:,}", percent_of(level.right),
             *theirs.get(level.low, [])] for level in found.levels]
    return ["share of wins", "conclusions", "right", *(["Koehn: conclusions", "Koehn: right"] if theirs else [])], rows


def level_name(low: float, high: float) -> str:
    """A range of levels as Koehn prints it.

    Examples
    --------
    >>> level_name(95, 98), level_name(100, 100)
    ('95%-97.9%', '100%')
    """
    return "100%" if low == 100 else f"{low:g}%-{high - 0.1:.1f}%"


def coverage_rows(found: Coverage) -> Table:
    """Kinds of interval down; sampling, unit and quantity across."""
    kinds = list(dict.fromkeys(row.kind for row in found.rows))
    columns = [(*at, quantity) for at in _UNITS for quantity in ("score", "difference")
               if any((row.sampled, row.unit, row.quantity) == (*at, quantity) for row in found.rows)]
    cells = {(row.sampled, row.unit, row.quantity, row.kind): percent_of(row.covered) for row in found.rows}
    return (["interval", *(f"{sampled}s drawn, by {unit}: {quantity}" for sampled, unit, quantity in columns)],
            [[kind, *(cells.get((*at, kind), "-") for at in columns)] for kind in kinds])


def family_rows(found: FamilyErrors) -> Table:
    """Families down; the formula and the corrections across."""
    return (["equal systems", "comparisons k", "1 - (1 - α)^k", *found.rows[0].wrong],
            [[str(row.systems), str(row.comparisons), f"{100 * row.if_independent:.1f}%",
              *map(percent_of, row.wrong.values())] for row in found.rows])
