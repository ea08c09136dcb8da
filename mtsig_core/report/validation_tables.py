"""Validation as rows of text, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from mtsig_core.experiments.error_rates import Claims, FamilyErrors, TypeOne, UnitChanges, Variants
from mtsig_core.experiments.frame import Mean, Rate
from mtsig_core.experiments.papers import KOEHN_T3, KOEHN_T4, RIEZLER_MAXWELL_T1, RIEZLER_MAXWELL_T2
from mtsig_core.experiments.validation import Concluded, Conclusions, Coverage, PairTests
from mtsig_core.report.cells import Cell, Table, format_p, number, rounded, signed, written_like

_UNITS = (("segment", "segment"), ("document", "segment"), ("document", "document"))


def percent_of(found: Rate | None) -> str:
    """A share with its Monte Carlo interval; a dash without any.

    Examples
    --------
    >>> from mtsig_core.experiments.frame import rate
    >>> percent_of(rate(100, 2000)), percent_of(rate(0, 0))
    ('5.0% [4.1, 6.0]', '-')
    """
    if found is None or found.share is None or found.low is None or found.high is None:
        return "-"
    return Cell(f"{100 * found.share:.1f}% [{100 * found.low:.1f}, {100 * found.high:.1f}]", found.share)


#: How the two systems of a null were made equal.
NULLS = {"segment": "segments swapped", "document": "documents whole"}


def type_one_rows(found: TypeOne) -> Table:
    """Tests down, nulls and units across."""
    tests = list(dict.fromkeys(row.test for row in found.rows))
    columns = [at for at in _UNITS if any((row.null, row.unit) == at for row in found.rows)]
    cells = {(row.null, row.unit, row.test): percent_of(row.rejected) for row in found.rows}
    return (["test", *(f"{NULLS[null]}, tested by {unit}" for null, unit in columns)],
            [[test, *(cells.get((*at, test), "-") for at in columns)] for test in tests])


def metric_rows(found: Mapping[str, PairTests]) -> Table:
    """Metrics down: what the tests say of one pair under each, then what `Riezler and Maxwell (2005)` found of theirs.
    """
    rows = []
    for metric in dict.fromkeys([*RIEZLER_MAXWELL_T1.rows, *found]):
        one, theirs = found.get(metric), RIEZLER_MAXWELL_T1.rows.get(metric)
        ours = ["-"] * 6 if one is None else [
            *(f"{score:{pair_form(one)}}" for score in (one.score_a, one.score_b)),
            signed(one.improvement, pair_form(one)),
            *(format_p(one.p_value(*at)) for at in (
                ("segment", "ar"), ("segment", "riezler-maxwell"), ("document", "ar")))]
        rows.append([metric, *ours, *(["-"] * 3 if theirs is None else _published(*theirs[0]))])
    return (["metric", "A", "B", "A over B", "p, ar", "p, bootstrap as printed", "p, ar by document",
             "theirs: A over B", "p, ar", "p, bootstrap"], rows)


def pair_form(one: PairTests) -> str:
    """How the scores of a pair and their difference are written."""
    return written_like((one.score_a, one.score_b))


def _published(reranking: float, baseline: float, *p_values: float | None) -> tuple[str, ...]:
    return f"{reranking - baseline:+.2f}", *(
        "-" if p is None else "< .0001" if p == 0.0001 else f"{p:.3f}" for p in p_values)


def variant_rows(found: Variants) -> Table:
    """Pairs of equal systems down: our p-values, then those of Table 2 of `Riezler and Maxwell (2005)`."""
    theirs = {pair: (f"{delta:.3f}", *_two(ar, boot)) for pair, delta, ar, boot in RIEZLER_MAXWELL_T2.rows["nist"]}
    return (["equal systems", "difference", "p, randomization", "p, bootstrap as printed", "ratio", "p, signed shift",
             "theirs: difference", "randomization", "bootstrap", "ratio"],
            [[row.pair, rounded(row.difference), *_two(row.p_ar, row.p_as_printed), f"{row.p_bootstrap:.3f}",
              *theirs.get(row.pair, ["-"] * 4)] for row in found.rows])


def _two(ar: float, as_printed: float) -> tuple[str, str, str]:
    return f"{ar:.3f}", f"{as_printed:.3f}", f"{ar / as_printed:.1f}"


def conclusion_rows(found: Conclusions, with_paper: bool) -> Table:
    """Pairs down, sizes across: percent that conclude as the whole set / the opposite, in brackets Koehn's right and
    wrong where asked for and known."""
    rows = []
    for a, b in dict.fromkeys((row.a, row.b) for row in found.rows):
        of_pair = [row for row in found.rows if (row.a, row.b) == (a, b)]
        rows.append([a, b, rounded(of_pair[0].delta), format_p(of_pair[0].whole_p)])
        for row in of_pair:
            paper = koehns_conclusions(row) if with_paper else None
            beside = "" if paper is None else f" ({paper[0]} / {paper[1]})"
            right, wrong = row.right.share, row.wrong.share
            rows[-1].append("-" + beside if right is None or wrong is None else
                            Cell(f"{100 * right:.0f} / {100 * wrong:.0f}{beside}", right))
    return ["better", "worse", "difference", "p of the whole set",
            *(f"{n} samples of {size:,}" for size, n in zip(found.sizes, found.samples, strict=True))], rows


def size_rows(found: Conclusions, size: int, with_paper: bool) -> Table:
    """Pairs down, for one size: shares that conclude as the whole set and the opposite, with their Monte Carlo
    intervals; Koehn's right and wrong where asked for."""
    rows = []
    for row in found.rows:
        if row.size == size:
            paper = koehns_conclusions(row) if with_paper else None
            rows.append([row.a, row.b, rounded(row.delta), format_p(row.whole_p), percent_of(row.right),
                         percent_of(row.wrong),
                         *([] if not with_paper else ["-", "-"] if paper is None else (f"{x}%" for x in paper))])
    return ["better", "worse", "difference", "p of the whole set", "as the whole set", "opposite",
            *(["Koehn: right", "Koehn: wrong"] if with_paper else [])], rows


def koehns_conclusions(row: Concluded) -> tuple[int, int] | None:
    """Percent right and wrong that `Koehn (2004)` has for the pair and size; None where he has none."""
    for better, worse, _, *cells in KOEHN_T3.rows["bleu"]:
        if (better, worse) == (row.a, row.b):
            return dict(zip(map(int, KOEHN_T3.columns[3:]), cells, strict=True)).get(row.size)
    return None


def calibration_rows(found: Conclusions, with_paper: bool) -> Table:
    """Levels down: conclusions and how many of them are as the whole set, Koehn's beside them where asked for."""
    theirs = {low: [f"{n:,}", f"{right}%"] for low, n, right in KOEHN_T4.rows["bleu"]} if with_paper else {}
    rows = [[level_name(level.low, level.high), f"{level.right.n:,}", percent_of(level.right),
             *theirs.get(level.low, [])] for level in found.levels]
    return ["share of wins", "conclusions", "as the whole set",
            *(["Koehn: conclusions", "Koehn: right"] if theirs else [])], rows


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
    """Families down; the formula and the corrections across, in percent."""
    def cell(rate: Rate) -> str:
        if rate.share is None or rate.low is None or rate.high is None:
            return "-"
        return f"{100 * rate.share:.0f} [{100 * rate.low:.0f}, {100 * rate.high:.0f}]"

    return (["equal systems", "comparisons k", "1 - (1 - α)^k", *found.rows[0].wrong],
            [[f"{row.systems}, {row.compared}", str(row.comparisons), f"{100 * row.if_independent:.1f}",
              *map(cell, row.wrong.values())] for row in found.rows])


def claim_rows(found: Claims) -> Table:
    """Corrections down: false and lost findings, in percent."""
    def cell(share: Rate | Mean) -> str:
        if share.share is None or share.low is None or share.high is None:
            return "-"
        return f"{100 * share.share:.1f} [{100 * share.low:.1f}, {100 * share.high:.1f}]"

    return (["correction", "test sets with a false claim", "claims that are false, mean share",
             "true differences lost, mean share"],
            [[row.correction, cell(row.any_false), cell(row.false_share), cell(row.lost)] for row in found.rows])


def unit_rows(found: UnitChanges) -> Table:
    """Corrections down: how many pairs are significant by which unit, or how many trials it takes before any can be."""
    return (["correction", "by segment", "by document", "both", "by segment only", "by document only", "neither"],
            [[row.correction, f"none can be: use {row.trials_needed} trials or more", *["-"] * 5]
             if row.trials_needed is not None else
             [row.correction, str(row.both + row.segment_only), f"none can be with fewer than {row.documents_needed}",
              *["-"] * 4] if row.documents_needed is not None else
             [row.correction, *map(str, (row.both + row.segment_only, row.both + row.document_only, row.both,
                                         row.segment_only, row.document_only, row.neither))]
             for row in found.rows])


def changed_rows(found: UnitChanges, correction: str) -> Table:
    """The pairs that are significant by one unit alone under a correction; differences as improvements."""
    return (["system", "against", "difference", "p by segment", "p by document", "SE ratio"],
            [[pair.a, pair.b, rounded(pair.delta if found.higher_is_better else -pair.delta, "+"),
              format_p(pair.p_segment), format_p(pair.p_document), number(pair.se_ratio)]
             for pair in found.pairs if pair.correction == correction])
