"""Sweeps and the bootstrap of single scores as rows of text, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from mtsig_core.experiments.frame import Rate, flatten_rows
from mtsig_core.experiments.papers import (
    ZHANG_VOGEL_1,
    ZHANG_VOGEL_2,
    ZHANG_VOGEL_3,
    ZHANG_VOGEL_5,
    ZHANG_VOGEL_6,
    by_references,
    by_size,
)
from mtsig_core.experiments.planning import PairPlan
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
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, rounded, written_like
from mtsig_core.stats.one_score import ScoreBootstrap

# The bootstrap of scores as rows of text, the published numbers beside ours.


def bracketed(ends: tuple[float, float] | None, form: str = ".2f") -> str:
    """An interval in points; a dash where it is undefined."""
    return "-" if ends is None else f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def percent(ends: tuple[float, float] | None) -> str:
    """A relative interval, given as fractions; a dash where it is undefined."""
    return "-" if ends is None else Cell(f"[{100 * ends[0]:+.2f}%, {100 * ends[1]:+.2f}%]", ends[0])


def interval_rows(found: ScoreBootstrap, chosen: str, level: str, segment: ScoreBootstrap | None = None,
                  document: ScoreBootstrap | None = None) -> Table:
    """Every kind of interval of one score; where both units are given, also by segment and by document."""
    header = [f"{level} interval", "low", "high", "width", "relative"]
    header += [] if segment is None else ["by segment", "by document", "ratio of widths"]
    rows, form = [], written_like([found.score])
    for kind, ends in found.intervals.items():
        cells = ["-"] * 3 if ends is None else [f"{value:{form}}" for value in (*ends, ends[1] - ends[0])]
        rows.append([f"{kind}{' (chosen)' if kind == chosen else ''}", *cells, percent(found.relative(kind))])
        if segment is not None and document is not None:
            both = segment.intervals[kind], document.intervals[kind]
            rows[-1] += [*(bracketed(ends, form) for ends in both), _ratio(*both)]
    return header, rows


def relative_rows(systems: Sequence[ScoreBootstrap], kind: str, metric: str, level: str) -> Table:
    """All systems with their relative intervals."""
    form = written_like(s.score for s in systems)
    return (["system", metric_title(metric), "median", f"relative {level} interval"],
            [[s.system, number(s.score, form), number(s.median, form), percent(s.relative(kind))] for s in systems])


def published_rows(metric: str) -> Table:
    """Table 1 of Zhang and Vogel (2004) for a metric of theirs."""
    return (["their system", f"median {metric_title(metric)}", "relative 95% interval"],
            [[system, f"{median:.3f}", _printed(*ends)] for system, median, *ends in ZHANG_VOGEL_1.rows[metric]])


def growing_rows(found: Stability, metric: str, level: str) -> Table:
    """One interval for each number of samples, beside Table 5 of Zhang and Vogel (2004)."""
    theirs = {size: [f"{median:.3f}", _printed(*ends)] for size, median, *ends in ZHANG_VOGEL_5.rows[metric]}
    form = written_like(row.median for row in found.growing)
    return (["B", "median", f"{level} interval", "relative", "their median", "their interval"],
            [[f"{row.resamples:,}", f"{row.median:{form}}", bracketed((row.low, row.high), form), percent(row.relative),
              *theirs.get(row.resamples, ["", ""])] for row in found.growing])


def repeated_rows(found: Stability, metric: str) -> Table:
    """The spread of repeated intervals, beside Table 6 of Zhang and Vogel (2004)."""
    theirs = {size: [f"{100 * sd:.2f}%", _printed(*ends)] for size, sd, *ends in ZHANG_VOGEL_6.rows[metric]}
    header = ["B", "runs", "SD of low", "SD of high", f"{bound_sd(found.settings.alpha):.2f} σ/√B", "relative SD",
              "mean interval", "their SD", "their mean interval"]
    return header, [
        [f"{row.resamples:,}", f"{row.runs:,}", *map(rounded, (row.sd_low, row.sd_high, row.theory)),
         "-" if row.relative_sd is None else f"{100 * row.relative_sd:.3f}%", percent(row.relative),
         *theirs.get(row.resamples, ["", ""])] for row in found.repeats]


def _ratio(segment: tuple[float, float] | None, document: tuple[float, float] | None) -> str:
    if segment is not None and document is not None and segment[1] > segment[0]:
        return f"{(document[1] - document[0]) / (segment[1] - segment[0]):.2f}"
    return "-"


def _printed(low: float, high: float) -> str:
    """A relative interval that a paper prints in percent."""
    return percent((low / 100, high / 100))


# Sweeps of the test-set size as rows of text, the published numbers beside ours.


def needed(units: int | None, segments: int | None, name: str,
           ends: tuple[int | None, int | None] | None = None) -> str:
    """A size in words, its interval, which is in the same units, and of documents the segments too.

    Examples
    --------
    >>> needed(120, 1800, "documents"), needed(1800, 1800, "segments"), needed(None, None, "segments")
    ('about 120 documents (about 1,800 segments)', 'about 1,800 segments', 'no test set of any size')
    >>> needed(120, 1800, "documents", (60, 400)), needed(120, 120, "segments", (60, None))
    ('about 120 documents [60, 400] (about 1,800 segments)', 'about 120 segments [60, no upper limit]')
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


def found_rows(rows: Sequence[FoundAtSize]) -> Table:
    """How often test sets of each size find a difference, beside what theory expects."""
    def cell(rate: Rate) -> str:
        if rate.share is None or rate.low is None or rate.high is None:
            return "-"
        return f"{rate.share:.0%}" + (f" [{rate.low:.0%}, {rate.high:.0%}]" if rate.n > 1 else "")

    return (["size", "segments", "test sets", "significant", "expected of parts of this set", "planned for fresh sets",
             "opposite to the whole set"],
            [[f"{row.size:,}", f"{row.segments:,.0f}", str(row.significant.n), cell(row.significant),
              f"{row.expected:.0%}", f"{row.planned:.0%}", cell(row.wrong)] for row in rows])


def found_records(swept: SizeSweep, a: str, b: str, difference: float) -> list[dict[str, Any]]:
    """The same as numbers, rates flattened (`flatten_rows`)."""
    rows = flatten_rows(found_at(swept, a, b, difference))
    return [{"a": a, "b": b, "difference": difference, **row} for row in rows]


def plan_rows(planned: Sequence[PairPlan], difference: float, metric: str, units: str) -> Table:
    """The size that each pair needs, with its interval, and for all pairs asked about."""
    m = planned[0].n_pairs if planned else 0
    family = [f"among {m} pairs"] * (m > 1)
    header = ["pair", "difference", "SE", "found here", f"{units} for {difference:g} {metric}", *family,
              f"{units} for its own", *family]
    rows = []
    for row in planned:
        sizes = [(row.units, row.units_low, row.units_high),
                 (row.units_family, row.units_family_low, row.units_family_high),
                 (row.units_for_own, row.units_for_own_low, row.units_for_own_high),
                 (row.units_for_own_family, row.units_for_own_family_low, row.units_for_own_family_high)]
        cells = ["-" if size is None else Cell(number(size, ",") + _between((low, high)), size)
                 for size, low, high in sizes]
        rows.append([f"{row.a} - {row.b}", rounded(row.delta, "+"), "-" if row.se is None else rounded(row.se),
                     "-" if row.se == 0 else
                     "nothing" if row.mdd is None else Cell(f"from {rounded(row.mdd)}", row.mdd),
                     *(cells if family else cells[::2])])
    return header, rows


def own_order(row: PairPlan, alpha: float) -> str:
    """Whether the whole set, by normal theory, tells the order of a pair that parts of it are held against.

    Examples
    --------
    >>> from mtsig_core.experiments.planning import PairPlan
    >>> own_order(PairPlan("A", "B", 0.9, 0.6, *[None] * 21), 0.05)
    'its own difference, 1.5 standard errors, leaves that open'
    """
    from scipy.special import ndtri

    errors = abs(row.delta) / row.se if row.se else 0.0
    return (f"its own difference, {errors:.1f} standard errors, "
            f"{'leaves that open' if errors < -float(ndtri(alpha / 2)) else 'decides that'}")


def width_rows(rows: Sequence[SystemSize]) -> Table:
    """Mean scores and relative intervals of one system."""
    whole, form = max(row.size for row in rows), _form(rows)
    return ["size", "of the largest", "test sets", "mean score", "relative interval"], [
        [f"{row.size:,}", f"{row.size / whole:.1%}", str(row.repeats), *_score_and_interval(row, form)] for row in rows]


def size_rows(found: SizeSweep, system: str) -> Table:
    """One system beside Table 2 of Zhang and Vogel (2004), at the same shares of the test set."""
    header = ["of the set", f"{found.settings.unit}s", "mean score", f"our {metric_title(found.metric)}",
              *(f"their {metric_title(metric)}" for metric in ZHANG_VOGEL_2.rows)]
    form = _form(found.systems)
    return header, [
        [f"{row.size / found.n_units:.0%}", f"{row.size:,}", *_score_and_interval(row, form),
         *(_printed_ends(by_size(metric, row.size, found.n_units)) for metric in ZHANG_VOGEL_2.rows)]
        for row in found.systems if row.system == system]


def reference_rows(found: ReferenceSweep, system: str) -> Table:
    """One system on the whole set by number of references, beside Table 3 of Zhang and Vogel (2004)."""
    header = ["references", "mean score", f"our {metric_title(found.metric)}", "as good as one reference with",
              *(f"their {what}" for what in ("score", "interval") if found.metric in ZHANG_VOGEL_3.rows)]
    rows, form = [], _form(found.rows)
    for record in reference_records(found):
        if (record["system"], record["size"]) == (system, found.n_units):
            ends = None if record["low"] is None else (record["low"], record["high"])
            row = [str(record["references"]), number(record["score"], form), percent(ends),
                   as_good_as(record)]
            if found.metric in ZHANG_VOGEL_3.rows:
                row += ["" if record["paper_score"] is None else f"{record['paper_score']:.3f}",
                        _printed_ends(by_references(found.metric, record["references"], found.n_units, found.n_units))]
            rows.append(row)
    return header, rows


def as_good_as(record: Mapping[str, Any]) -> str:
    """The share of the data that gives as narrow an interval as one reference, with its Monte Carlo interval.

    Examples
    --------
    >>> as_good_as({"references": 4, "equivalent": 0.77, "equivalent_low": 0.71, "equivalent_high": 0.834})
    '77% [71%, 83%] of the data'
    >>> as_good_as({"references": 1, "equivalent": 1.0, "equivalent_low": None, "equivalent_high": None})
    '100% of the data'
    """
    if record["equivalent"] is None:
        return "-"
    ends = [record["equivalent_low"], record["equivalent_high"]]
    brackets = "" if None in ends else " [{:.0%}, {:.0%}]".format(*ends)
    return f"{record['equivalent']:.0%}{brackets} of the data"


def grid_rows(found: ReferenceSweep, system: str) -> Table:
    """Relative intervals of one system by size and number of references, those of Table 4 in brackets."""
    mine = {(row.size, row.references): row for row in found.rows if row.system == system}

    def cell(row: ReferenceSize) -> str:
        theirs = by_references(found.metric, row.references, row.size, found.n_units)
        return _ends((row.low, row.high)) + (f" ({_ends(theirs)})" if theirs else "")

    return ["of the set", *(f"{k} reference{'s' * (k > 1)}" for k in range(1, len(found.names) + 1))], [
        [f"{size / found.n_units:.0%}", *(cell(mine[size, k]) for k in range(1, len(found.names) + 1))]
        for size in sorted({size for size, _ in mine})]


def system_records(found: SizeSweep, people: bool = False) -> list[dict[str, Any]]:
    """`found.systems` as mappings, with the relative interval that Table 2 of Zhang and Vogel has at the same share."""
    def theirs(row: SystemSize) -> dict[str, float | None]:
        return _paper(by_size("human" if people else found.metric, row.size, found.n_units))

    return [asdict(row) | theirs(row) for row in found.systems]


def reference_records(found: ReferenceSweep) -> list[dict[str, Any]]:
    """`found.rows` as mappings, with what Tables 3 and 4 of Zhang and Vogel have at the same share of the test set."""
    scores = {count: score for count, score, *_ in ZHANG_VOGEL_3.rows.get(found.metric, ())}

    def theirs(row: ReferenceSize) -> dict[str, float | None]:
        score = scores.get(row.references) if row.size == found.n_units else None
        return {"paper_score": score} | _paper(by_references(found.metric, row.references, row.size, found.n_units))

    return [asdict(row) | theirs(row) for row in found.rows]


def _paper(ends: tuple[float, float] | None) -> dict[str, float | None]:
    return dict(zip(("paper_low", "paper_high"), ends or (None, None), strict=True))


def _form(rows: Iterable[SystemSize | ReferenceSize]) -> str:
    """How scores of these rows are written."""
    return written_like(row.score for row in rows if row.score is not None)


def _score_and_interval(row: SystemSize, form: str) -> list[str]:
    return [number(row.score, form), percent(None if row.low is None or row.high is None else (row.low, row.high))]


def _printed_ends(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else percent(ends)


def _ends(ends: tuple[float | None, float | None]) -> str:
    """A relative interval in few characters, in percent."""
    low, high = ends
    return "-" if low is None or high is None else f"{100 * low:+.2f} {100 * high:+.2f}"
