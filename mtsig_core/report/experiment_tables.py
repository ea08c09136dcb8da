"""Tables of the experiments, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

import numpy as np

from mtsig_core.experiments import papers
from mtsig_core.experiments.error_rates import Claims, FamilyErrors, TypeOne, UnitChanges, Variants
from mtsig_core.experiments.frame import Mean, Rate, flatten_rows
from mtsig_core.experiments.inside_score import (
    NOTE_CLAIMS,
    ORDERS,
    Averages,
    Case,
    Claim,
    Lengths,
    StudentsT,
    SystemPrecisions,
    WorkedExample,
    koehns_factors,
)
from mtsig_core.experiments.planning import PairPlan
from mtsig_core.experiments.population import describe_swaps
from mtsig_core.experiments.sampling import SampledPair, SampledSystem, Sampling, Spreads
from mtsig_core.experiments.sweeps import (
    FoundAtSize,
    ReferenceSize,
    ReferenceSweep,
    SizeSweep,
    Stability,
    SystemSize,
    bound_sd,
    found_at,
)
from mtsig_core.experiments.validation import Concluded, Conclusions, Coverage, PairTests
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, format_p, number, rounded, signed, written_like
from mtsig_core.report.table import Column, Table
from mtsig_core.stats.score import ScoreBootstrap
from mtsig_core.stats.significance import significant

#: What is drawn or swapped, and the unit of the test.
SITUATIONS = (("segment", "segment"), ("document", "segment"), ("document", "document"))
#: How the two systems of a null were made equal.
NULLS = {"segment": "segments swapped", "document": "documents whole"}
_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}
_SYSTEM = Column("system", "system", "name")
_PAIR = (Column("better", "better", "name"), Column("worse", "worse", "name"),
         Column("delta", "difference", "amount"), Column("whole_p", "p of the whole set", "p"))


def estimate(share: Rate | Mean | None) -> tuple[float, float | None, float | None] | None:
    """A share with its Monte Carlo interval, which repeats of one have none of; None without repeats."""
    if share is None or share.share is None:
        return None
    return (share.share, share.low, share.high) if share.n > 1 else (share.share, None, None)


def _crossed(key: str, first: Column, across: Mapping[Any, str], cells: Mapping[tuple[Any, Any], Any],
             form: str = ".1%") -> Table:
    """Estimates by row and column; `across` are the titles of those columns of which there is any."""
    there = [column for column in across if any(column == one for _, one in cells)]
    columns = [Column(" ".join(map(str, column)) if isinstance(column, tuple) else str(column), across[column],
                      "estimate", form) for column in there]
    rows = dict.fromkeys(row for row, _ in cells)
    return Table(key, (first, *columns), tuple((row, *(cells.get((row, column)) for column in there)) for row in rows))


def finite_or_none(value: float) -> float | None:
    """A number as JSON and CSV take it: None where it is not finite."""
    return float(value) if isfinite(value) else None


# Samples.


def tally_table(samples: Mapping[str, Sampling], a: str, b: str, alpha: float, published: bool = False) -> Table:
    """Conclusions by kind of sample and test, each count with the 95% interval of its share; Koehn's where asked."""
    def write(count: int, ends: tuple[float, float]) -> Cell:
        return Cell("{} [{:.0f}%, {:.0f}%]".format(count, *(100 * end for end in ends)), count)

    rows = []
    for kind, one in samples.items():
        pair = one.pair(a, b)
        for test, name in _TESTS.items():
            ends = pair.intervals(test, alpha)
            rows.append((kind, name, *(write(count, ends[what])
                                       for what, count in asdict(pair.tally(test, alpha)).items())))
    paper = papers.KOEHN_7_8
    rows += [(paper.source, "paired bootstrap", str(right), str(wrong), str(100 - right - wrong))
             for better, worse, right, wrong in paper.rows["bleu"] if published and {better, worse} == {a, b}]
    return Table("tally", (Column("kind", "samples", "name"), Column("test", "test, uncorrected", "name"),
                           Column("right", "as the whole set", "written"),
                           Column("wrong", "opposite", "written"),
                           Column("none", "no conclusion", "written")), tuple(rows))


def describe_whole(p: float, alpha: float, n_units: int) -> str:
    """Whether the whole test set of so many units, which conclusions are held against, decides a pair itself.

    Examples
    --------
    >>> describe_whole(0.001, 0.05, 300), describe_whole(0.125, 0.05, 6)
    ('decided, p 0.0010 from 999 swaps', 'itself undecided, p 0.1250 from all 64 swaps')
    """
    verdict = "decided" if significant(p, alpha) else "itself undecided"
    return f"{verdict}, p {format_p(p)} from {describe_swaps(n_units)}"


def spread_table(spreads: Spreads, system: str) -> Table:
    """Sizes down: spreads of one system and their ratio, then the median and the range of the ratios of all."""
    of_all = {size: (middle, f"{low:.2f} to {high:.2f}") for size, (low, middle, high) in spreads.ratios().items()}
    return Table("spread", (
        Column("size", "segments", "count"), Column("samples", "samples", "count"),
        Column("blocks", "SD of blocks", "amount"), Column("broad", "SD of broad samples", "amount"),
        Column("ratio", "ratio", "estimate", ".2f"), Column("median", "median ratio of all systems", "score"),
        Column("range", "lowest to highest", "written")), tuple(
            (row.size, row.samples, row.blocks, row.broad,
             None if row.ratio is None else (row.ratio, row.ratio_low, row.ratio_high),
             *of_all.get(row.size, (None, None))) for row in spreads.rows if row.system == system))


def sampled_system_records(system: SampledSystem) -> list[dict[str, float | None]]:
    """One row for each sample; None where it has no score of the system."""
    return _samples(score=system.scores, ci_low=system.low, ci_high=system.high)


def sampled_pair_records(pair: SampledPair) -> list[dict[str, float | None]]:
    """One row for each sample; None where it cannot compare the two."""
    return _samples(delta=pair.deltas, win=pair.win, lose=pair.lose, p_value=pair.p_value)


def _samples(**columns: np.ndarray) -> list[dict[str, float | None]]:
    return [{"sample": k, **{key: finite_or_none(value) for key, value in zip(columns, values, strict=True)}}
            for k, values in enumerate(zip(*columns.values(), strict=True), 1)]


# Validation.


def type_one_table(found: TypeOne) -> Table:
    """Tests down, nulls and units across."""
    return _crossed("type1", Column("test", "test", "name"),
                    {(null, unit): f"{NULLS[null]}, tested by {unit}" for null, unit in SITUATIONS},
                    {(row.test, (row.null, row.unit)): estimate(row.rejected) for row in found.rows})


def coverage_table(found: Coverage) -> Table:
    """Kinds of interval down; sampling, unit and quantity across."""
    return _crossed("coverage", Column("kind", "interval", "name"),
                    {(sampled, unit, quantity): f"{sampled}s drawn, by {unit}: {quantity}"
                     for sampled, unit in SITUATIONS for quantity in ("score", "difference")},
                    {(row.kind, (row.sampled, row.unit, row.quantity)): estimate(row.covered) for row in found.rows})


def pair_tests_table(found: Mapping[str, PairTests]) -> Table:
    """Metrics down: what the tests say of one pair under each, then the numbers of `Riezler and Maxwell (2005)`."""
    paper, rows = papers.RIEZLER_MAXWELL_T1.rows, []
    for metric in dict.fromkeys([*paper, *found]):
        one, theirs = found.get(metric), paper.get(metric)
        form = "" if one is None else pair_form(one)
        ours = [None] * 6 if one is None else [
            number(one.score_a, form), number(one.score_b, form), signed(one.improvement, form),
            *(one.p_value(unit, test) for unit, test in (
                ("segment", "ar"), ("segment", "riezler-maxwell"), ("document", "ar")))]
        rows.append((metric, *ours, *([None] * 3 if theirs is None else _published_pair(*theirs[0]))))
    return Table("pair", (
        Column("metric", "metric", "name"), Column("a", "A", "written"), Column("b", "B", "written"),
        Column("delta", "A over B", "written"),
        Column("ar", "p, ar", "p"), Column("printed", "p, bootstrap as printed", "p"),
        Column("document", "p, ar by document", "p"), Column("their_delta", "theirs: A over B", "written"),
        Column("their_ar", "p, ar", "written"), Column("their_bootstrap", "p, bootstrap", "written")), tuple(rows))


def pair_form(one: PairTests) -> str:
    """How the scores of a pair and their difference are written."""
    return written_like((one.score_a, one.score_b))


def _published_pair(reranking: float, baseline: float, *p_values: float | None) -> list[str | None]:
    return [f"{reranking - baseline:+.2f}",
            *(None if p is None else "< .0001" if p == 0.0001 else f"{p:.3f}" for p in p_values)]


def variant_table(found: Variants) -> Table:
    """Pairs of equal systems down: our p-values, then those of Table 2 of `Riezler and Maxwell (2005)`."""
    theirs = {pair: (delta, ar, bootstrap, ar / bootstrap)
              for pair, delta, ar, bootstrap in papers.RIEZLER_MAXWELL_T2.rows["nist"]}
    return Table("variants", (
        Column("pair", "equal systems", "name"), Column("difference", "difference", "amount"),
        *(Column(key, title, "share", form) for key, title, form in (
            ("ar", "p, randomization", ""), ("printed", "p, bootstrap as printed", ""), ("ratio", "ratio", ".1f"),
            ("bootstrap", "p, signed shift", ""), ("their_difference", "theirs: difference", ""),
            ("their_ar", "randomization", ""), ("their_bootstrap", "bootstrap", ""),
            ("their_ratio", "ratio", ".1f")))), tuple(
                (row.pair, row.difference, row.p_ar, row.p_as_printed, row.p_ar / row.p_as_printed, row.p_bootstrap,
                 *theirs.get(row.pair, [None] * 4)) for row in found.rows))


def conclusion_table(found: Conclusions, with_paper: bool) -> Table:
    """Pairs down, sizes across: percent that conclude as the whole set / the opposite, in brackets Koehn's right and
    wrong where asked for and known."""
    rows: dict[tuple[str, str], list[Any]] = {}
    for row in found.rows:
        paper = koehns_conclusions(row) if with_paper else None
        beside = "" if paper is None else f" ({paper[0]} / {paper[1]})"
        right, wrong = row.right.share, row.wrong.share
        rows.setdefault((row.a, row.b), [row.a, row.b, row.delta, row.whole_p]).append(
            "-" + beside if right is None or wrong is None else
            Cell(f"{100 * right:.0f} / {100 * wrong:.0f}{beside}", right))
    sizes = (Column(str(size), f"{n} samples of {size:,}", "written")
             for size, n in zip(found.sizes, found.samples, strict=True))
    return Table("conclusions", (*_PAIR, *sizes), tuple(map(tuple, rows.values())))


def conclusions_at_table(found: Conclusions, size: int, with_paper: bool) -> Table:
    """Pairs down, for one size: shares that conclude as the whole set and the opposite; Koehn's where asked for."""
    rows = [row for row in found.rows if row.size == size]
    table = Table("conclusions-at", (*_PAIR, Column("right", "as the whole set", "estimate", ".1%"),
                                     Column("wrong", "opposite", "estimate", ".1%")), tuple(
        (row.a, row.b, row.delta, row.whole_p, estimate(row.right), estimate(row.wrong)) for row in rows))
    if not with_paper:
        return table
    theirs = [koehns_conclusions(row) or (None, None) for row in rows]
    return table.with_columns((Column("their_right", "Koehn: right", "share", ".0%"),
                               Column("their_wrong", "Koehn: wrong", "share", ".0%")),
                              [[None if share is None else share / 100 for share in both] for both in theirs])


def koehns_conclusions(row: Concluded) -> tuple[int, int] | None:
    """Percent right and wrong that `Koehn (2004)` has for the pair and size; None where he has none."""
    for better, worse, _, *cells in papers.KOEHN_T3.rows["bleu"]:
        if (better, worse) == (row.a, row.b):
            return dict(zip(map(int, papers.KOEHN_T3.columns[3:]), cells, strict=True)).get(row.size)
    return None


def calibration_table(found: Conclusions, with_paper: bool) -> Table:
    """Levels down: conclusions and how many of them are as the whole set, Koehn's beside them where asked for."""
    table = Table("calibration", (
        Column("level", "share of wins"), Column("n", "conclusions", "count"),
        Column("right", "as the whole set", "estimate", ".1%")), tuple(
            (level_name(level.low, level.high), level.right.n, estimate(level.right)) for level in found.levels))
    if not with_paper:
        return table
    theirs = {low: (n, right / 100) for low, n, right in papers.KOEHN_T4.rows["bleu"]}
    return table.with_columns((Column("their_n", "Koehn: conclusions", "count"),
                               Column("their_right", "Koehn: right", "share", ".0%")),
                              [theirs.get(level.low, (None, None)) for level in found.levels])


def level_name(low: float, high: float) -> str:
    """A range of levels as Koehn prints it.

    Examples
    --------
    >>> level_name(95, 98), level_name(100, 100)
    ('95%-97.9%', '100%')
    """
    return "100%" if low == 100 else f"{low:g}%-{high - 0.1:.1f}%"


def family_table(found: FamilyErrors) -> Table:
    """Families down; the formula and the corrections across."""
    return Table("families", (
        Column("family", "equal systems"), Column("comparisons", "comparisons k", "count"),
        Column("if_independent", "1 - (1 - α)^k", "share", ".1%"),
        *(Column(name, name, "estimate", ".0%") for name in found.rows[0].wrong)), tuple(
            (f"{row.systems}, {row.compared}", row.comparisons, row.if_independent,
             *map(estimate, row.wrong.values())) for row in found.rows))


def claim_table(found: Claims) -> Table:
    """Corrections down: false and lost findings."""
    return Table("claims", (Column("correction", "correction", "name"), *(
        Column(key, title, "estimate", ".1%") for key, title in (
            ("any_false", "test sets with a false claim"), ("false_share", "claims that are false, mean share"),
            ("lost", "true differences lost, mean share")))), tuple(
                (row.correction, estimate(row.any_false), estimate(row.false_share), estimate(row.lost))
                for row in found.rows))


def unit_table(found: UnitChanges) -> Table:
    """Corrections down: how many pairs are significant by which unit, or how many trials it takes before any can be."""
    rows = []
    for row in found.rows:
        counts: list[Any] = [row.both + row.segment_only, row.both + row.document_only, row.both, row.segment_only,
                             row.document_only, row.neither]
        if row.trials_needed is not None:
            counts = [f"none can be: use {row.trials_needed} trials or more", *[None] * 5]
        elif row.documents_needed is not None:
            counts[1:] = [f"none can be with fewer than {row.documents_needed}", *[None] * 4]
        rows.append((row.correction, *(Cell(str(count), count) if isinstance(count, int) else count
                                       for count in counts)))
    return Table("units", (Column("correction", "correction", "name"), *(
        Column(title.replace(" ", "_"), title, "written") for title in (
            "by segment", "by document", "both", "by segment only", "by document only", "neither"))), tuple(rows))


def changed_table(found: UnitChanges, correction: str) -> Table:
    """The pairs that are significant by one unit only under a correction; differences as improvements."""
    sign = 1 if found.higher_is_better else -1
    return Table("changed-pairs", (
        _SYSTEM, Column("against", "against", "name"), Column("delta", "difference", "amount", "+"),
        Column("p_segment", "p by segment", "p"), Column("p_document", "p by document", "p"),
        Column("se_ratio", "SE ratio", "score")), tuple(
            (pair.a, pair.b, sign * pair.delta, pair.p_segment, pair.p_document, pair.se_ratio)
            for pair in found.pairs if pair.correction == correction))


# The bootstrap of scores.


def bracketed(ends: tuple[float, float] | None, form: str = ".2f") -> str:
    """An interval in points; a dash where it is undefined."""
    return "-" if ends is None else f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def interval_table(found: ScoreBootstrap, chosen: str, level: str, segment: ScoreBootstrap | None = None,
                   document: ScoreBootstrap | None = None) -> Table:
    """Every kind of interval of one score; where both units are given, also by segment and by document."""
    form = written_like([found.score])
    table = Table("intervals", (
        Column("kind", f"{level} interval", "name"), Column("low", "low", "score", form),
        Column("high", "high", "score", form), Column("width", "width", "score", form),
        Column("relative", "relative", "relative")), tuple(
            (f"{kind}{' (chosen)' if kind == chosen else ''}",
             *((None,) * 3 if ends is None else (*ends, ends[1] - ends[0])), found.relative(kind))
            for kind, ends in found.intervals.items()))
    if segment is None or document is None:
        return table
    both = [(segment.intervals[kind], document.intervals[kind]) for kind in found.intervals]
    return table.with_columns((
        Column("segment", "by segment", "interval", form), Column("document", "by document", "interval", form),
        Column("ratio", "ratio of widths", "score")), [(*ends, _ratio_of_widths(*ends)) for ends in both])


def _ratio_of_widths(segment: tuple[float, float] | None, document: tuple[float, float] | None) -> float | None:
    if segment is None or document is None or segment[1] <= segment[0]:
        return None
    return (document[1] - document[0]) / (segment[1] - segment[0])


def relative_table(systems: Sequence[ScoreBootstrap], kind: str, metric: str, level: str) -> Table:
    """All systems with their relative intervals."""
    form = written_like(s.score for s in systems)
    return Table("relative", (
        _SYSTEM, Column("score", metric_title(metric), "score", form), Column("median", "median", "score", form),
        Column("relative", f"relative {level} interval", "relative")), tuple(
            (s.system, s.score, s.median, s.relative(kind)) for s in systems))


def published_table(metric: str) -> Table:
    """Table 1 of Zhang and Vogel (2004) for a metric of theirs."""
    return Table("published", (
        Column("system", "their system", "name"), Column("median", f"median {metric_title(metric)}", "share"),
        Column("relative", "relative 95% interval", "relative")), tuple(
            (system, median, _printed(*ends)) for system, median, *ends in papers.ZHANG_VOGEL_1.rows[metric]))


def growing_table(found: Stability, metric: str, level: str) -> Table:
    """One interval for each number of samples, beside Table 5 of Zhang and Vogel (2004)."""
    theirs = {size: (median, _printed(*ends)) for size, median, *ends in papers.ZHANG_VOGEL_5.rows[metric]}
    form = written_like(row.median for row in found.growing)
    return Table("growing", (
        Column("resamples", "B", "count"), Column("median", "median", "score", form),
        Column("interval", f"{level} interval", "interval", form), Column("relative", "relative", "relative"),
        Column("their_median", "their median", "share"), Column("their_interval", "their interval", "relative")), tuple(
            (row.resamples, row.median, (row.low, row.high), row.relative, *theirs.get(row.resamples, ("", "")))
            for row in found.growing))


def repeated_table(found: Stability, metric: str) -> Table:
    """The spread of repeated intervals, beside Table 6 of Zhang and Vogel (2004)."""
    theirs = {size: (sd, _printed(*ends)) for size, sd, *ends in papers.ZHANG_VOGEL_6.rows[metric]}
    return Table("repeats", (
        Column("resamples", "B", "count"), Column("runs", "runs", "count"), Column("sd_low", "SD of low", "amount"),
        Column("sd_high", "SD of high", "amount"),
        Column("theory", f"{bound_sd(found.settings.alpha):.2f} σ/√B", "amount"),
        Column("relative_sd", "relative SD", "share", ".3%"), Column("relative", "mean interval", "relative"),
        Column("their_sd", "their SD", "share", ".2%"),
        Column("their_relative", "their mean interval", "relative")), tuple(
            (row.resamples, row.runs, row.sd_low, row.sd_high, row.theory, row.relative_sd, row.relative,
             *theirs.get(row.resamples, ("", ""))) for row in found.repeats))


def _printed(low: float, high: float) -> tuple[float, float]:
    """A relative interval that a paper prints in percent."""
    return low / 100, high / 100


# Sweeps.


def needed(units: int | None, segments: int | None, name: str,
           ends: tuple[int | None, int | None] | None = None) -> str:
    """A size in words, its interval, which is in the same units, and of documents the segments too.

    Examples
    --------
    >>> needed(120, 1800, "documents", (60, 400)), needed(120, 120, "segments", (60, None))
    ('about 120 documents [60, 400] (about 1,800 segments)', 'about 120 segments [60, no upper limit]')
    >>> needed(None, None, "segments")
    'no test set of any size'
    """
    if units is None:
        return "no test set of any size"
    of_documents = "" if name == "segments" else f" (about {segments:,} segments)"
    return f"about {units:,} {name.removesuffix('s') if units == 1 else name}{_between(ends)}{of_documents}"


def _between(ends: tuple[int | None, int | None] | None) -> str:
    """An interval of a size; none where nothing is known of it."""
    if ends is None or ends[0] is None:
        return ""
    return f" [{ends[0]:,}, {'no upper limit' if ends[1] is None else format(ends[1], ',')}]"


def found_table(rows: Sequence[FoundAtSize]) -> Table:
    """How often test sets of each size find a difference, beside what theory expects."""
    return Table("found", (
        Column("size", "size", "count"), Column("segments", "segments", "score", ",.0f"),
        Column("n", "test sets", "count"), Column("significant", "significant", "estimate", ".0%"),
        Column("expected", "expected of parts of this set", "share", ".0%"),
        Column("planned", "planned for fresh sets", "share", ".0%"),
        Column("wrong", "opposite to the whole set", "estimate", ".0%")), tuple(
            (row.size, row.segments, row.significant.n, estimate(row.significant), row.expected, row.planned,
             estimate(row.wrong)) for row in rows))


def found_records(swept: SizeSweep, a: str, b: str, difference: float) -> list[dict[str, Any]]:
    """The same for files, of one pair."""
    rows = flatten_rows(found_at(swept, a, b, difference))
    return [{"a": a, "b": b, "difference": difference, **row} for row in rows]


def plan_table(planned: Sequence[PairPlan], difference: float, metric: str, units: str) -> Table:
    """The size that each pair needs, with its interval, and for all pairs asked about."""
    m = planned[0].n_pairs if planned else 0
    sizes = [("units", f"{units} for {difference:g} {metric}"), ("units_family", f"among {m} pairs"),
             ("units_for_own", f"{units} for its own"), ("units_for_own_family", f"among {m} pairs")]
    sizes = sizes if m > 1 else sizes[::2]

    def write_size(row: PairPlan, key: str) -> str | None:
        size, *ends = (getattr(row, f"{key}{end}") for end in ("", "_low", "_high"))
        return None if size is None else Cell(number(size, ",") + _between((ends[0], ends[1])), size)

    def write_smallest(row: PairPlan) -> str | None:
        return None if row.se == 0 else "nothing" if row.mdd is None else Cell(f"from {rounded(row.mdd)}", row.mdd)

    return Table("plan", (
        Column("pair", "pair", "name"), Column("delta", "difference", "amount", "+"), Column("se", "SE", "amount"),
        Column("mdd", "found here", "written"), *(Column(key, title, "written") for key, title in sizes)), tuple(
            (f"{row.a} - {row.b}", row.delta, row.se, write_smallest(row), *(write_size(row, key) for key, _ in sizes))
            for row in planned))


def own_order(row: PairPlan, alpha: float) -> str:
    """Whether the whole set, by normal theory, tells the order of a pair that parts of it are held against.

    Examples
    --------
    >>> own_order(PairPlan("A", "B", 0.9, 0.6, *[None] * 21), 0.05)
    'its own difference, 1.5 standard errors, leaves that open'
    """
    from scipy.special import ndtri

    errors = abs(row.delta) / row.se if row.se else 0.0
    return (f"its own difference, {errors:.1f} standard errors, "
            f"{'leaves that open' if errors < -float(ndtri(alpha / 2)) else 'decides that'}")


def width_table(rows: Sequence[SystemSize]) -> Table:
    """Mean scores and relative intervals of one system."""
    whole = max(row.size for row in rows)
    return Table("widths", (
        Column("size", "size", "count"), Column("part", "of the largest", "share", ".1%"),
        Column("repeats", "test sets", "count"), Column("score", "mean score", "score", _form(rows)),
        Column("relative", "relative interval", "relative")), tuple(
            (row.size, row.size / whole, row.repeats, row.score, _ends(row)) for row in rows))


def size_table(found: SizeSweep, system: str) -> Table:
    """One system beside Table 2 of Zhang and Vogel (2004), at the same shares of the test set."""
    theirs = papers.ZHANG_VOGEL_2.rows
    return Table("sizes", (
        Column("part", "of the set", "share", ".0%"), Column("size", f"{found.settings.unit}s", "count"),
        Column("score", "mean score", "score", _form(found.systems)),
        Column("relative", f"our {metric_title(found.metric)}", "relative"),
        *(Column(metric, f"their {metric_title(metric)}", "relative") for metric in theirs)), tuple(
            (row.size / found.n_units, row.size, row.score, _ends(row),
             *(papers.by_size(metric, row.size, found.n_units) or "" for metric in theirs))
            for row in found.systems if row.system == system))


def reference_table(found: ReferenceSweep, system: str) -> Table:
    """One system on the whole set by number of references, beside Table 3 of Zhang and Vogel (2004)."""
    records = [record for record in reference_records(found)
               if (record["system"], record["size"]) == (system, found.n_units)]
    table = Table("references", (
        Column("references", "references", "count"), Column("score", "mean score", "score", _form(found.rows)),
        Column("relative", f"our {metric_title(found.metric)}", "relative"),
        Column("equivalent", "as good as one reference with", "written")), tuple(
            (record["references"], record["score"], _known_ends(record["low"], record["high"]), as_good_as(record))
            for record in records))
    if found.metric not in papers.ZHANG_VOGEL_3.rows:
        return table
    return table.with_columns(
        (Column("their_score", "their score", "share"), Column("their_interval", "their interval", "relative")),
        [("" if record["paper_score"] is None else record["paper_score"],
          papers.by_references(found.metric, record["references"], found.n_units, found.n_units) or "")
         for record in records])


def as_good_as(record: Mapping[str, Any]) -> str:
    """The share of the data that gives as narrow an interval as one reference, with its Monte Carlo interval.

    Examples
    --------
    >>> as_good_as({"references": 4, "equivalent": 0.77, "equivalent_low": 0.71, "equivalent_high": 0.834})
    '77% [71%, 83%] of the data'
    """
    if record["equivalent"] is None:
        return "-"
    cell = record["equivalent"], record["equivalent_low"], record["equivalent_high"]
    return f"{Column('equivalent', '', 'estimate', '.0%').write(cell)} of the data"


def grid_table(found: ReferenceSweep, system: str) -> Table:
    """Relative intervals of one system by size and number of references, those of Table 4 in brackets."""
    mine = {(row.size, row.references): row for row in found.rows if row.system == system}
    counts = range(1, len(found.names) + 1)

    def write(row: ReferenceSize) -> str:
        theirs = papers.by_references(found.metric, row.references, row.size, found.n_units)
        return _few_characters(_ends(row)) + (f" ({_few_characters(theirs)})" if theirs else "")

    return Table("grid", (Column("part", "of the set", "share", ".0%"),
                          *(Column(str(k), f"{k} reference{'s' * (k > 1)}", "written") for k in counts)), tuple(
        (size / found.n_units, *(write(mine[size, k]) for k in counts)) for size in sorted({size for size, _ in mine})))


def system_records(found: SizeSweep, people: bool = False) -> list[dict[str, Any]]:
    """`found.systems` for files, with the relative interval that Table 2 of Zhang and Vogel has at the same share.

    Scores of a score table, `people`, stand beside their human judgments.
    """
    metric = "human" if people else found.metric
    return [asdict(row) | _paper(papers.by_size(metric, row.size, found.n_units)) for row in found.systems]


def reference_records(found: ReferenceSweep) -> list[dict[str, Any]]:
    """`found.rows` for files, with what Tables 3 and 4 of Zhang and Vogel have for the same number and share."""
    scores = {count: score for count, score, *_ in papers.ZHANG_VOGEL_3.rows.get(found.metric, ())}
    return [asdict(row) | {"paper_score": scores.get(row.references) if row.size == found.n_units else None}
            | _paper(papers.by_references(found.metric, row.references, row.size, found.n_units)) for row in found.rows]


def _paper(ends: tuple[float, float] | None) -> dict[str, float | None]:
    return dict(zip(("paper_low", "paper_high"), ends or (None, None), strict=True))


def _form(rows: Iterable[SystemSize | ReferenceSize]) -> str:
    """How scores of these rows are written."""
    return written_like(row.score for row in rows if row.score is not None)


def _ends(row: SystemSize | ReferenceSize) -> tuple[float, float] | None:
    return _known_ends(row.low, row.high)


def _known_ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)


def _few_characters(ends: tuple[float, float] | None) -> str:
    """A relative interval in few characters, in percent."""
    return "-" if ends is None else f"{100 * ends[0]:+.2f} {100 * ends[1]:+.2f}"


# What is inside a score.


def precision_table(found: Sequence[SystemPrecisions], with_paper: bool) -> Table:
    """Systems down, the parts of BLEU across; Koehn's numbers in brackets where asked for and known."""
    paper = papers.KOEHN_T1.rows["bleu"] if with_paper else ()
    theirs = {(name, key): value for name, *values in paper
              for key, value in zip(("p1", "p4", "bleu"), values, strict=True)}
    parts = {f"p{n}": (f"{n}-grams, %", ".1f") for n in ORDERS} | {
        "length_ratio": ("length ratio", ".3f"), "brevity_penalty": ("brevity penalty", ".3f"), "bleu": ("BLEU", ".2f")}

    def write(row: SystemPrecisions, key: str) -> str:
        value, printed = getattr(row, key), theirs.get((row.system, key))
        text = number(value, parts[key][1])
        return text if printed is None else Cell(f"{text} ({printed:.1f})", value)

    return Table("precisions", (_SYSTEM, *(Column(key, title, "written") for key, (title, _) in parts.items())), tuple(
        (row.system, *(write(row, key) for key in parts)) for row in found))


def length_table(found: Lengths) -> Table:
    """Systems and lengths down, scores across."""
    by_penalty = found.how == "word penalty"
    return Table("lengths", (
        _SYSTEM, Column("asked", "word penalty" if by_penalty else "words kept", "share", "g" if by_penalty else ".0%"),
        Column("length_ratio", "length ratio", "share"), Column("brevity_penalty", "brevity penalty", "share"),
        Column("bleu", "BLEU", "score"), Column("precision", "BLEU without it", "score"),
        Column("gtm_2", "GTM-2", "score"), Column("gtm", "GTM", "score")), tuple(
            (name, point.asked, point.length_ratio, point.brevity_penalty, point.bleu, point.precision, point.gtm_2,
             point.gtm) for name, points in found.curves for point in points))


def length_records(found: Lengths) -> list[dict[str, Any]]:
    """One row for each system and length."""
    return [{"system": name, **asdict(point)} for name, points in found.curves for point in points]


def step_table(found: WorkedExample) -> Table:
    """One row for each length of n-grams."""
    return Table("steps", (
        Column("n", "n", "count"), Column("ngrams", "n-grams that a reference has too (times counted)"),
        Column("matched", "matched / all", "written"), Column("precision", "precision", "share"),
        Column("bleu", "BLEU-n", "share")), tuple(
            (step.n, " · ".join(f"{one.ngram} ({one.clipped})" for one in step.ngrams) or "none",
             f"{step.matched}/{step.total}", step.precision, step.bleu) for step in found.steps))


def step_records(found: WorkedExample) -> list[dict[str, Any]]:
    """One row for each length of n-grams; the matched ones with their clipped counts."""
    return [{"n": step.n, "matched": step.matched, "total": step.total, "precision": step.precision, "bleu": step.bleu,
             "ngrams": "; ".join(f"{one.ngram} x {one.clipped}" for one in step.ngrams)} for step in found.steps]


def formula(found: WorkedExample) -> str:
    """BLEU-n of the example, written out, for the longest n-grams of which any matches.

    Examples
    --------
    >>> from mtsig_core.experiments.inside_score import note_example
    >>> formula(note_example())
    'BLEU-2 = 0.8465 x (3/6 x 1/5)^(1/2) = 0.268'
    """
    n = max((step.n for step in found.steps if step.bleu > 0), default=1)
    product = " x ".join(f"{step.matched}/{step.total}" for step in found.steps[:n])
    root = product if n == 1 else f"({product})^(1/{n})"
    return f"BLEU-{n} = {found.brevity_penalty:.4f} x {root} = {found.steps[n - 1].bleu:.3f}"


def right_value(found: WorkedExample, claim: Claim) -> float:
    """What a claim of the note should say."""
    return found.brevity_penalty if claim.what == "brevity penalty" else found.steps[int(claim.what[-1]) - 1].bleu


def note_table(found: WorkedExample) -> Table:
    """The claims of the note, and what is right."""
    return Table("note", (Column("what", "", "name"), Column("printed", "the note", "name"),
                          Column("right", "right", "share", ".4f"), Column("about", "what went wrong")), tuple(
        (claim.what, claim.printed if "/" not in claim.printed else f"{claim.printed} = {claim.value:.4f}",
         right_value(found, claim), claim.about) for claim in NOTE_CLAIMS))


def average_table(found: Averages) -> Table:
    """Systems down, score and place by both across."""
    unit, form = metric_title(found.metric), written_like(row.corpus for row in found.systems)
    return Table("averages", (
        _SYSTEM, Column("corpus", f"corpus {unit}", "score", form), Column("corpus_place", "place", "count"),
        Column("average", f"mean of sentence {unit}", "score", form), Column("average_place", "place", "count")), tuple(
            (row.system, row.corpus, row.corpus_place, row.average, row.average_place) for row in found.systems))


def case_table(case: Case, unit: str) -> Table:
    """Segments down, sentence scores of both across; below them the mean, and the corpus score."""
    form = written_like(case.corpus)
    known = [length for length in case.lengths if length is not None]
    lines = [(f"line {line}", length, *scores)
             for line, length, scores in zip(case.lines, case.lengths, case.sentences, strict=True)]
    return Table("case", (Column("line", "", "name"), Column("length", "words of the reference", "count"),
                          Column("a", case.pair.a, "score", form), Column("b", case.pair.b, "score", form)), (
        *lines, (f"mean of sentence {unit}", "", *case.average),
        (f"corpus {unit}", sum(known) if known else "", *case.corpus)))


def mean_interval_table(found: StudentsT) -> Table:
    """Sizes down, both intervals across; on all segments the bootstrap by document, too."""
    form = written_like(row.mean for row in found.rows)
    last = found.rows[-1]
    return Table("students-t", (
        Column("n", "segments", "count"), Column("mean", "mean", "score", form),
        Column("t", "Student's t", "interval", form), Column("boot", "bootstrap by segment", "interval", form),
        Column("width_ratio", "ratio of widths", "share"),
        Column("document", "bootstrap by document", "interval", form)), tuple(
            (row.n, row.mean, _known_ends(row.t_low, row.t_high), _known_ends(row.boot_low, row.boot_high),
             row.width_ratio, _known_ends(found.document_low, found.document_high) if row is last else None)
            for row in found.rows))


def factor_table() -> Table:
    """Koehn's Table 2, in brackets where n - 1 degrees of freedom give another number."""
    paper, rows = papers.KOEHN_T2, dict[float, list[str]]()
    for one in koehns_factors():
        printed, right = f"{one.printed:.4f}", f"{one.right:.4f}"
        rows.setdefault(one.level, [f"{one.level:g}%"]).append(
            printed + ("" if right == printed else f"  (right: {right})"))
    return Table("factors", (Column("level", paper.source, "name"), *(
        Column(f"n_{n}", "n without end" if n is None else f"n = {n}", "written") for n in paper.columns[1:])),
        tuple(map(tuple, rows.values())))
