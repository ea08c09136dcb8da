"""Tables of the experiments, with published numbers next to ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from operator import methodcaller
from typing import Any

import numpy as np

from mtsig_core.experiments import papers
from mtsig_core.experiments.error_rates import (
    ChangedPair,
    ClaimCounts,
    Claims,
    FamilyError,
    FamilyErrors,
    TypeOne,
    UnitChange,
    UnitChanges,
    Variant,
    Variants,
)
from mtsig_core.experiments.frame import (
    Mean,
    Rate,
    describe_swaps,
    flatten_rows,
    pair_ends,
    shown_columns,
)
from mtsig_core.experiments.inside_score import (
    NGRAM_ORDERS,
    NOTE_CLAIMS,
    Averages,
    Case,
    Claim,
    LengthPoint,
    Lengths,
    Step,
    StudentsT,
    SystemAverage,
    SystemPrecisions,
    TInterval,
    WorkedExample,
    koehns_factors,
)
from mtsig_core.experiments.sampling import (
    AllPairTests,
    Concluded,
    Conclusions,
    Coverage,
    Level,
    SampledPair,
    SampledSystem,
    Sampling,
    Spread,
    Spreads,
)
from mtsig_core.experiments.sweeps import (
    Detection,
    Growing,
    ReferenceSize,
    ReferenceSweep,
    Repeated,
    SizeSweep,
    Stability,
    SystemSize,
    bound_sd,
    count_detections,
)
from mtsig_core.grouping import group_values
from mtsig_core.metrics import metric_title
from mtsig_core.report.table import (
    EMPTY,
    BoundedValue,
    Cell,
    Column,
    Table,
    TableBuilder,
    format_p,
    number,
    rounded,
    signed,
    written_like,
)
from mtsig_core.schema import Records
from mtsig_core.stats.comparison import ScoreBootstrap
from mtsig_core.stats.few_units import unbiased, units_freedom
from mtsig_core.stats.intervals import Bounds, finite_or_none
from mtsig_core.stats.power import PairPlan, Size
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import significant

#: What is drawn or swapped, and the unit of the test.
SITUATIONS = (("segment", "segment"), ("document", "segment"), ("document", "document"))
#: How the two systems of a null were made equal.
NULLS = {"segment": "segments swapped", "document": "documents whole"}
_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}
_SYSTEM = Column("system", "system", "name")
_PAIR = ("a", "b", "delta", "whole_p")
#: The least and the largest size of a test set; None for no bound.
Sizes = tuple[int | None, int | None]
_NAMES = ("system", "a", "b", "kind")  # columns of words


def estimate(share: Rate | Mean | None) -> BoundedValue | None:
    """A share with its Monte Carlo interval, which a single repeat does not have.

    Without repeats there is no share: None.
    """
    if share is None or share.share is None:
        return None
    if share.n == 1:
        return share.share, None, None
    return share.share, share.low, share.high


def row_table(
    key: str, row_type: type, rows: Iterable[Any], *keys: str, form: str = "", **titles: str
) -> Table:
    """A table of rows that describe their columns (`frame.column`), by default with all of these.

    Parameters
    ----------
    form : str
        The form of scores, whose scale is known only here.
    **titles : str
        Titles in place of those described, by key.
    """
    described = shown_columns(row_type)
    columns = []
    for name in keys or described:
        title, kind, column_form = described[name]
        title = titles.get(name, title)
        columns.append(Column(name, title, kind, column_form.replace("*", form)))
    return Table(key, tuple(columns), tuple(_read_cells(row, columns) for row in rows))


def record_table(key: str, records: Sequence[Mapping[str, Any]]) -> Table:
    """A table of rows for files, for readers: numbers have four digits.

    >>> record_table("toy", [{"system": "A", "score": 31.254, "ci_low": None}]).texts()
    [['A', '31.25', '-']]
    """
    table = TableBuilder(key, records)
    for name in records[0]:
        types = {type(record.get(name)) for record in records}
        kind = "name"
        if float in types:
            kind = "score"
        elif int in types:
            kind = "written"
        table.add(name, name.replace("_", " "), kind, methodcaller("get", name), form=".4g")
    return table.build()


def _read_cells(row: Any, columns: Sequence[Column]) -> tuple[Any, ...]:
    return tuple(_read_cell(row, column) for column in columns)


def _read_cell(row: Any, column: Column) -> Any:
    value = getattr(row, column.key)
    if isinstance(value, Rate | Mean):
        return estimate(value)
    if column.kind == "estimate" and value is not None:
        return value, getattr(row, f"{column.key}_low"), getattr(row, f"{column.key}_high")
    return value


def _cross(
    key: str, first: Column, titles: Mapping[Any, str], cells: Mapping[tuple[Any, Any], Any]
) -> Table:
    """Arrange estimates by row and column, without columns that have no cell.

    `titles` has the title of each column, whose name is a text or a tuple of texts.
    """
    row_names = dict.fromkeys(row for row, _ in cells)
    used = {column for _, column in cells}
    names = [name for name in titles if name in used]
    columns = [first]
    for name in names:
        words = name if isinstance(name, tuple) else (str(name),)
        columns.append(Column(" ".join(words), titles[name], "estimate", ".1%"))
    rows: list[tuple[Any, ...]] = []
    for row in row_names:
        estimates = [cells.get((row, name)) for name in names]
        rows.append((row, *estimates))
    return Table(key, tuple(columns), tuple(rows))


def _add_published(
    table: Table,
    columns: Sequence[Column],
    published: Mapping[Any, Sequence[Any]],
    keys: Iterable[Any],
    missing: Any = EMPTY,
) -> Table:
    """The table with columns of a paper; `keys` say for each row what to look up in the paper."""
    nothing = [missing for _ in columns]
    return table.with_columns(columns, [published.get(key, nothing) for key in keys])


# Samples.


def tally_table(
    samples: Mapping[str, Sampling], a: str, b: str, alpha: float, published: bool = False
) -> Table:
    """Conclusions by kind of sample and test, each count with the 95% interval of its share.

    With `published`, also the conclusions of Koehn (2004) on the pair.
    """
    rows: list[tuple[Any, ...]] = []
    for kind, sampling in samples.items():
        pair = sampling.pair(a, b)
        for test, name in _TESTS.items():
            shares = [_write_share(rate) for rate in pair.tally(test, alpha).values()]
            rows.append((kind, name, *shares))
    if published:
        paper = papers.KOEHN_7_8
        for better, worse, right, wrong in paper.rows["bleu"]:
            if {better, worse} == {a, b}:
                counts = [str(right), str(wrong), str(100 - right - wrong)]
                rows.append((paper.source, "paired bootstrap", *counts))
    columns = (
        Column("kind", "samples", "name"),
        Column("test", "test, uncorrected", "name"),
        Column("right", "as the whole set", "written"),
        Column("wrong", "opposite", "written"),
        Column("none", "no conclusion", "written"),
    )
    return Table("tally", columns, tuple(rows))


def _write_share(rate: Rate) -> Cell:
    low = 100 * (rate.low or 0)
    high = 100 * (rate.high or 0)
    return Cell(f"{rate.count} [{low:.0f}%, {high:.0f}%]", rate.count)


def describe_whole(p: float, alpha: float, n_units: int) -> str:
    """Whether a pair differs significantly on the whole test set, which samples are compared with.

    >>> describe_whole(0.001, 0.05, 300), describe_whole(0.125, 0.05, 6)
    ('significant, p = 0.0010 from 999 permutations', 'not significant, p = 0.1250 from all 64 permutations')
    """
    verdict = "not significant"
    if significant(p, alpha):
        verdict = "significant"
    return f"{verdict}, p = {format_p(p)} from {describe_swaps(n_units)}"


def spread_table(spreads: Spreads, system: str) -> Table:
    """Spreads of one system and their ratio by size, with median and range of all systems' ratios."""
    ratios = {}
    for size, (low, median, high) in spreads.ratios().items():
        ratios[size] = (median, f"{low:.2f} to {high:.2f}")
    rows = [row for row in spreads.rows if row.system == system]
    columns = (
        Column("median", "median ratio of all systems", "score"),
        Column("range", "lowest to highest", "written"),
    )
    table = row_table("spread", Spread, rows)
    return _add_published(table, columns, ratios, [row.size for row in rows], missing=None)


def sampled_system_records(system: SampledSystem) -> list[dict[str, float | None]]:
    """One row for each sample; None where it has no score of the system."""
    return _record_samples(score=system.scores, ci_low=system.low, ci_high=system.high)


def sampled_pair_records(pair: SampledPair) -> list[dict[str, float | None]]:
    """One row for each sample; None where it cannot compare the two."""
    return _record_samples(delta=pair.deltas, win=pair.win, lose=pair.lose, p_value=pair.p_value)


def _record_samples(**columns: np.ndarray) -> list[dict[str, float | None]]:
    records = []
    for k, values in enumerate(zip(*columns.values(), strict=True), 1):
        record: dict[str, float | None] = {"sample": k}
        for key, value in zip(columns, values, strict=True):
            record[key] = finite_or_none(value)
        records.append(record)
    return records


# Validation.


def type_one_table(errors: TypeOne) -> Table:
    """Tests down, nulls and units across."""
    titles = {}
    for null, unit in SITUATIONS:
        titles[null, unit] = f"{NULLS[null]}, tested by {unit}"
    cells = {}
    for row in errors.rows:
        test = SETTINGS["test"].name_value(row.test)
        cells[test, (row.null, row.unit)] = estimate(row.rejected)
    return _cross("type1", Column("test", "test", "name"), titles, cells)


def coverage_table(coverage: Coverage) -> Table:
    """Kinds of interval down; sampling, unit and quantity across."""
    titles = {}
    for sampled, unit in SITUATIONS:
        for quantity in ("score", "difference"):
            titles[sampled, unit, quantity] = f"{sampled}s drawn, by {unit}: {quantity}"
    cells = {}
    for row in coverage.rows:
        kind = SETTINGS["ci"].name_value(row.kind)
        cells[kind, (row.sampled, row.unit, row.quantity)] = estimate(row.covered)
    return _cross("coverage", Column("kind", "interval", "name"), titles, cells)


def pair_tests_table(tests: Mapping[str, AllPairTests]) -> Table:
    """Tabulate tests of one pair, a row for each metric, with Riezler and Maxwell (2005)."""
    columns = (
        Column("metric", "metric", "name"),
        Column("a", "A", "written"),
        Column("b", "B", "written"),
        Column("delta", "A over B", "written"),
        Column("ar", "p, ar", "p"),
        Column("printed", "p, bootstrap as printed", "p"),
        Column("document", "p, ar by document", "p"),
        Column("their_delta", "paper: A over B", "written"),
        Column("their_ar", "p, ar", "written"),
        Column("their_bootstrap", "p, bootstrap", "written"),
    )
    paper = papers.RIEZLER_MAXWELL_T1.rows
    rows = []
    for metric in dict.fromkeys([*paper, *tests]):
        ours: Sequence[Any] = (None, None, None, None, None, None)
        published: Sequence[Any] = (None, None, None)
        if metric in tests:
            ours = _list_pair_tests(tests[metric])
        if metric in paper:
            reranking, baseline, *p_values = paper[metric][0]
            published = [f"{reranking - baseline:+.2f}", *map(_write_published_p, p_values)]
        rows.append((metric, *ours, *published))
    return Table("pair", columns, tuple(rows))


def _list_pair_tests(tests: AllPairTests) -> list[Any]:
    form = pair_form(tests)
    return [
        number(tests.score_a, form),
        number(tests.score_b, form),
        signed(tests.improvement, form),
        tests.p_value("segment", "ar"),
        tests.p_value("segment", "riezler-maxwell"),
        tests.p_value("document", "ar"),
    ]


def _write_published_p(p: float | None) -> str | None:
    if p is None:
        return None
    if p == 0.0001:
        return "< 0.0001"
    return f"{p:.3f}"


def pair_form(tests: AllPairTests) -> str:
    """Choose the format of a pair's scores and of their difference."""
    return written_like((tests.score_a, tests.score_b))


def variant_table(variants: Variants) -> Table:
    """Our p-values of pairs of equal systems, with Table 2 of Riezler and Maxwell (2005)."""
    published = {}
    for pair, delta, ar, bootstrap in papers.RIEZLER_MAXWELL_T2.rows["nist"]:
        published[pair] = (delta, ar, bootstrap, ar / bootstrap)
    columns = (
        Column("their_difference", "theirs: difference", "share"),
        Column("their_ar", "randomization", "share"),
        Column("their_bootstrap", "bootstrap", "share"),
        Column("their_ratio", "ratio", "share", ".1f"),
    )
    keys = ("pair", "difference", "p_ar", "p_as_printed", "ratio", "p_bootstrap")
    table = row_table("variants", Variant, variants.rows, *keys)
    return _add_published(table, columns, published, table.values("pair"), missing=None)


def conclusion_table(conclusions: Conclusions, with_paper: bool) -> Table:
    """Percent that conclude as the whole set, and the opposite, by pair and size.

    With the paper, Koehn's right and wrong follow in brackets where he has them.
    """
    pairs = group_values((row, (row.a, row.b)) for row in conclusions.rows)
    columns = []
    for size, n_samples in zip(conclusions.sizes, conclusions.samples, strict=True):
        columns.append(Column(str(size), f"{n_samples} samples of {size:,}", "written"))
    first_rows = []
    cells = []
    for rows in pairs.values():
        first_rows.append(rows[0])
        cells.append([_write_concluded(row, with_paper) for row in rows])
    return row_table("conclusions", Concluded, first_rows, *_PAIR).with_columns(columns, cells)


def _write_concluded(row: Concluded, with_paper: bool) -> str:
    in_brackets = ""
    paper = koehns_conclusions(row)
    if with_paper and paper is not None:
        paper_right, paper_wrong = paper
        in_brackets = f" ({paper_right} / {paper_wrong})"
    right = row.right.share
    wrong = row.wrong.share
    if right is None or wrong is None:
        return f"-{in_brackets}"
    return Cell(f"{100 * right:.0f} / {100 * wrong:.0f}{in_brackets}", right)


def conclusions_at_table(conclusions: Conclusions, size: int) -> Table:
    """For one size, the shares that conclude as the whole set and the opposite, by pair."""
    rows = [row for row in conclusions.rows if row.size == size]
    return row_table("conclusions-at", Concluded, rows, *_PAIR, "right", "wrong")


def koehns_conclusions(row: Concluded) -> tuple[int, int] | None:
    """Percent right and wrong of the pair and size in Koehn (2004); None where he has none."""
    sizes = [int(size) for size in papers.KOEHN_T3.columns[3:]]
    for better, worse, _, *cells in papers.KOEHN_T3.rows["bleu"]:
        if (better, worse) == (row.a, row.b):
            return dict(zip(sizes, cells, strict=True)).get(row.size)
    return None


def calibration_table(conclusions: Conclusions, with_paper: bool) -> Table:
    """Count the conclusions at each level, and how many agree with the whole set."""
    table = row_table("calibration", Level, conclusions.levels, "level", "n", "right")
    if not with_paper:
        return table
    columns = (
        Column("their_n", "Koehn: conclusions", "count"),
        Column("their_right", "Koehn: right", "share", ".0%"),
    )
    published = {low: (n, right / 100) for low, n, right in papers.KOEHN_T4.rows["bleu"]}
    lows = [level.low for level in conclusions.levels]
    return _add_published(table, columns, published, lows, missing=None)


def family_table(families: FamilyErrors) -> Table:
    """Families down; the formula and the corrections across."""
    keys = ("family", "comparisons", "if_independent")
    columns = [Column(name, name, "estimate", ".0%") for name in families.rows[0].wrong]
    estimates = [list(map(estimate, row.wrong.values())) for row in families.rows]
    table = row_table("families", FamilyError, families.rows, *keys)
    return table.with_columns(columns, estimates)


def claim_table(claims: Claims) -> Table:
    """Corrections down: false and lost findings."""
    return row_table("claims", ClaimCounts, claims.rows)


def unit_table(changes: UnitChanges) -> Table:
    """Tabulate how many pairs are significant by which unit, by correction.

    Where none can be significant, the row says how many trials or documents that takes.
    """
    columns = (
        Column("correction", "correction", "name"),
        Column("by_segment", "by segment", "written"),
        Column("by_document", "by document", "written"),
        Column("both", "both", "written"),
        Column("by_segment_only", "by segment only", "written"),
        Column("by_document_only", "by document only", "written"),
        Column("neither", "neither", "written"),
    )
    rows = [(row.correction, *_list_changes(row)) for row in changes.rows]
    return Table("units", columns, tuple(rows))


def _list_changes(row: UnitChange) -> list[Any]:
    if row.trials_needed is not None:
        too_few = f"none can be: use {row.trials_needed} trials or more"
        return [too_few, None, None, None, None, None]
    by_segment = row.both + row.segment_only
    if row.documents_needed is not None:
        too_few = f"none can be with fewer than {row.documents_needed}"
        return [number(by_segment, "d"), too_few, None, None, None, None]
    counts = (
        by_segment,
        row.both + row.document_only,
        row.both,
        row.segment_only,
        row.document_only,
        row.neither,
    )
    return [number(n, "d") for n in counts]


def changed_table(changes: UnitChanges, correction: str) -> Table:
    """The pairs that are significant by one unit only; differences as improvements."""
    sign = 1 if changes.higher_is_better else -1
    pairs = [pair for pair in changes.pairs if pair.correction == correction]
    rows = [replace(pair, delta=sign * pair.delta) for pair in pairs]
    return row_table("changed-pairs", ChangedPair, rows)


# The bootstrap of scores.


def bracketed(interval: Bounds | None, form: str = ".2f") -> str:
    """An interval in points; a dash where it is undefined."""
    if interval is None:
        return "-"
    low, high = interval
    return f"[{low:{form}}, {high:{form}}]"


def interval_table(
    bootstrap: ScoreBootstrap,
    chosen_kind: str,
    level: str,
    segment: ScoreBootstrap | None = None,
    document: ScoreBootstrap | None = None,
) -> Table:
    """Every kind of interval of one score; where both units are given, also by each of them."""
    form = written_like([bootstrap.score])
    rows = []
    for kind, interval in bootstrap.intervals.items():
        name = SETTINGS["ci"].name_value(kind)
        if kind == chosen_kind:
            name += " (chosen)"
        low, high = interval or (None, None)
        rows.append((name, low, high, _measure_width(interval), bootstrap.relative(kind)))
    columns = (
        Column("kind", f"{level} interval", "name"),
        Column("low", "low", "score", form),
        Column("high", "high", "score", form),
        Column("width", "width", "score", form),
        Column("relative", "relative", "relative"),
    )
    table = Table("intervals", columns, tuple(rows))
    if segment is None or document is None:
        return table
    unit_columns = (
        Column("segment", "by segment", "interval", form),
        Column("document", "by document", "interval", form),
        Column("ratio", "ratio of widths", "score"),
    )
    cells = []
    for kind in bootstrap.intervals:
        by_segment = segment.intervals[kind]
        by_document = document.intervals[kind]
        narrow = _measure_width(by_segment)
        wide = _measure_width(by_document)
        ratio = None
        if wide is not None and narrow:
            ratio = wide / narrow
        cells.append((by_segment, by_document, ratio))
    return table.with_columns(unit_columns, cells)


def _measure_width(interval: Bounds | None) -> float | None:
    if interval is None:
        return None
    low, high = interval
    return high - low


def relative_table(systems: Sequence[ScoreBootstrap], kind: str, metric: str, level: str) -> Table:
    """All systems with their relative intervals."""
    form = written_like(system.score for system in systems)
    columns = (
        _SYSTEM,
        Column("score", metric_title(metric), "score", form),
        Column("median", "median", "score", form),
        Column("relative", f"relative {level} interval", "relative"),
    )
    rows = [(row.system, row.score, row.median, row.relative(kind)) for row in systems]
    return Table("relative", columns, tuple(rows))


def published_table(metric: str) -> Table:
    """Table 1 of Zhang and Vogel (2004) for a metric of published."""
    columns = (
        Column("system", "their system", "name"),
        Column("median", f"median {metric_title(metric)}", "share"),
        Column("relative", "relative 95% interval", "relative"),
    )
    rows = []
    for system, median, low, high in papers.ZHANG_VOGEL_1.rows[metric]:
        rows.append((system, median, (low / 100, high / 100)))
    return Table("published", columns, tuple(rows))


def growing_table(stability: Stability, metric: str | None, level: str) -> Table:
    """One interval for each number of resamples.

    For a metric of published, with Table 5 of Zhang and Vogel (2004).
    """
    rows = stability.growing
    form = written_like(row.median for row in rows)
    table = row_table("growing", Growing, rows, form=form, interval=f"{level} interval")
    if metric is None:
        return table
    columns = (
        Column("their_median", "their median", "share"),
        Column("their_interval", "their interval", "relative"),
    )
    published = _read_published(papers.ZHANG_VOGEL_5.rows[metric])
    return _add_published(table, columns, published, [row.resamples for row in rows])


def repeated_table(stability: Stability, metric: str | None = None) -> Table:
    """The spread of repeated intervals.

    For a metric of published, with Table 6 of Zhang and Vogel (2004).
    """
    rows = stability.repeats
    keys = ("resamples", "runs", "sd_low", "sd_high", "theory", "relative_sd", "relative")
    theory = f"{bound_sd(stability.settings.alpha):.2f} σ/√B"
    table = row_table("repeats", Repeated, rows, *keys, theory=theory)
    if metric is None:
        return table
    columns = (
        Column("their_sd", "their SD", "share", ".2%"),
        Column("their_relative", "their mean interval", "relative"),
    )
    published = _read_published(papers.ZHANG_VOGEL_6.rows[metric])
    return _add_published(table, columns, published, [row.resamples for row in rows])


def _read_published(rows: Iterable[Sequence[Any]]) -> dict[int, tuple[float, Bounds]]:
    """A number and a relative interval, which the paper has in percent, by number of resamples."""
    return {n: (value, (low / 100, high / 100)) for n, value, low, high in rows}


# Sweeps.


def needed(
    units: int | None,
    segments: int | None,
    name: str,
    interval: Sizes | None = None,
) -> str:
    """A size in words, with its interval in the same units; of documents the segments too.

    >>> needed(120, 1800, "documents", (60, 400)), needed(120, 120, "segments", (60, None))
    ('about 120 documents [60, 400] (about 1,800 segments)', 'about 120 segments [60, no upper limit]')
    >>> needed(None, None, "segments")
    'no test set of any size'
    """
    if units is None:
        return "no test set of any size"
    noun = name
    if units == 1:
        noun = name.removesuffix("s")
    text = f"about {units:,} {noun}{_write_sizes(interval)}"
    if name == "segments":
        return text
    return f"{text} (about {segments:,} segments)"


def _write_sizes(interval: Sizes | None) -> str:
    """An interval of a size; empty where nothing is known of it."""
    if interval is None or interval[0] is None:
        return ""
    low, high = interval
    if high is None:
        return f" [{low:,}, no upper limit]"
    return f" [{low:,}, {high:,}]"


def detection_table(rows: Sequence[Detection]) -> Table:
    """Show how often test sets of each size find a difference, next to what theory expects."""
    keys = ("size", "segments", "n", "significant", "expected", "planned", "wrong")
    return row_table("found", Detection, rows, *keys)


def detection_records(swept: SizeSweep, a: str, b: str, difference: float) -> Records:
    """The same for files, of one pair."""
    rows = flatten_rows(count_detections(swept, a, b, difference))
    return [{"a": a, "b": b, "difference": difference, **row} for row in rows]


def plan_table(planned: Sequence[PairPlan], difference: float, metric: str, units: str) -> Table:
    """The size that each pair needs, with its interval, and for all pairs asked about."""
    title = f"{units} for {difference:g} {metric}"
    sizes = {"units": ("size", title)}
    if planned and planned[0].n_pairs > 1:
        sizes["units_family"] = ("size_family", f"{title}, {planned[0].n_pairs} pairs")
    sizes["units_for_own"] = ("size_for_own", f"{units} for the observed difference")
    columns = [
        Column("pair", "pair", "name"),
        Column("delta", "difference", "amount", "+"),
        Column("mdd", "smallest difference found here", "written"),
        *(Column(key, text, "written") for key, (_, text) in sizes.items()),
    ]
    rows = []
    for row in planned:
        cells = [_write_planned(getattr(row, field)) for field, _ in sizes.values()]
        rows.append((f"{row.a} - {row.b}", row.delta, _write_smallest(row), *cells))
    return Table("plan", tuple(columns), tuple(rows))


def _write_planned(size: Size) -> str | None:
    if size.units is None:
        return None
    return Cell(f"{size.units:,}{_write_sizes((size.low, size.high))}", size.units)


def _write_smallest(row: PairPlan) -> str | None:
    if row.se == 0:
        return None
    if row.mdd is None:
        return "nothing"
    return Cell(f"from {rounded(row.mdd)}", row.mdd)


def own_order(row: PairPlan, alpha: float) -> str:
    """Whether the whole set, by Student's t, tells the order of a pair.

    >>> none = Size(None, None, None, None)
    >>> row = PairPlan("A", "B", 0.9, 0.6, None, None, none, none, none, none, None, 1, True, 100.0)
    >>> own_order(row, 0.05)
    'its own difference, 1.5 standard errors, leaves that open'
    """
    from scipy.special import stdtrit

    errors = abs(row.delta) / unbiased(row.se, row.n_effective) if row.se else 0.0
    bound = float(stdtrit(units_freedom(row.n_effective), 1 - alpha / 2))
    verdict = "leaves that open" if errors < bound else "decides that"
    return f"its own difference, {errors:.1f} standard errors, {verdict}"


def width_table(rows: Sequence[SystemSize]) -> Table:
    """Mean scores and relative intervals of one system."""
    largest = max(row.size for row in rows)
    shares = [(row.size / largest,) for row in rows]
    table = row_table("widths", SystemSize, rows, form=_choose_form(rows))
    column = Column("part", "of the largest", "share", ".1%")
    return table.with_columns([column], shares, after="size")


def size_table(sweep: SizeSweep, system: str) -> Table:
    """One system with Table 2 of Zhang and Vogel (2004), at the same shares of the test set."""
    rows = [row for row in sweep.systems if row.system == system]
    metrics = list(papers.ZHANG_VOGEL_2.rows)
    table = row_table(
        "sizes",
        SystemSize,
        rows,
        "size",
        "score",
        "relative",
        form=_choose_form(sweep.systems),
        size=f"{sweep.settings.unit}s",
        relative=f"our {metric_title(sweep.metric)}",
    )
    columns = [Column(name, f"their {metric_title(name)}", "relative") for name in metrics]
    columns.insert(0, Column("part", "of the set", "share", ".0%"))
    cells: list[list[Any]] = []
    for row in rows:
        intervals = [papers.interval_at(metric, row.size, sweep.n_units) for metric in metrics]
        cells.append([row.size / sweep.n_units, *(interval or EMPTY for interval in intervals)])
    return table.with_columns(columns, cells).select("part", "size", "score", "relative", *metrics)


def reference_table(sweep: ReferenceSweep, system: str, with_paper: bool = True) -> Table:
    """One system on the whole set by number of references.

    For a metric of published, with Table 3 of Zhang and Vogel (2004) where asked for.
    """
    n_units = sweep.n_units
    metric = sweep.metric
    rows = [row for row in sweep.rows if (row.system, row.size) == (system, n_units)]
    table = row_table(
        "references",
        ReferenceSize,
        rows,
        "references",
        "score",
        "relative",
        "equivalent",
        form=_choose_form(sweep.rows),
        relative=f"our {metric_title(metric)}",
    )
    if not with_paper or metric not in papers.ZHANG_VOGEL_3.rows:
        return table
    columns = (
        Column("their_score", "their score", "share"),
        Column("their_interval", "their interval", "relative"),
    )
    cells = []
    for row in rows:
        interval = papers.interval_at(metric, n_units, n_units, row.references)
        cells.append((_find_published_score(sweep, row) or EMPTY, interval or EMPTY))
    return table.with_columns(columns, cells)


def as_good_as(row: ReferenceSize) -> str:
    """The share of the data that gives as narrow an interval as one reference.

    >>> as_good_as(ReferenceSize(4, 1, 90, "A", 30.1, -.05, .05, .1, 0.77, 0.71, 0.834))
    '77% [71%, 83%] of the data'
    """
    (text,) = row_table("as-good-as", ReferenceSize, [row], "equivalent").texts()[0]
    return f"{text} of the data"


def grid_table(sweep: ReferenceSweep, system: str) -> Table:
    """Relative intervals of one system by size and number of references.

    Intervals of Table 4 of Zhang and Vogel (2004) are in brackets.
    """
    columns = [Column("part", "of the set", "share", ".0%")]
    for k in range(1, len(sweep.names) + 1):
        noun = "reference" if k == 1 else "references"
        columns.append(Column(str(k), f"{k} {noun}", "written"))
    cells: dict[int, list[Any]] = {}
    for row in sorted(sweep.rows, key=lambda row: (row.size, row.references)):
        if row.system == system:
            cells.setdefault(row.size, [row.size / sweep.n_units]).append(_write_grid(sweep, row))
    return Table("grid", tuple(columns), tuple(map(tuple, cells.values())))


def _write_grid(sweep: ReferenceSweep, row: ReferenceSize) -> str:
    published = papers.interval_at(sweep.metric, row.size, sweep.n_units, row.references)
    if published is None:
        return _write_percent(row.relative)
    return f"{_write_percent(row.relative)} ({_write_percent(published)})"


def _write_percent(interval: Bounds | None) -> str:
    """A relative interval in few characters, in percent."""
    if interval is None:
        return "-"
    low, high = interval
    return f"{100 * low:+.2f} {100 * high:+.2f}"


def system_records(sweep: SizeSweep, people: bool = False) -> Records:
    """The systems for files, with the relative interval in Table 2 of Zhang and Vogel (2004).

    Scores of a score table, `people`, are compared with their human judgments.
    """
    metric = "human" if people else sweep.metric
    records = sweep.records("systems")
    for row, record in zip(sweep.systems, records, strict=True):
        _record_published(record, papers.interval_at(metric, row.size, sweep.n_units))
    return records


def reference_records(sweep: ReferenceSweep) -> Records:
    """The rows for files, with Tables 3 and 4 of Zhang and Vogel (2004)."""
    records = sweep.records()
    for row, record in zip(sweep.rows, records, strict=True):
        record["paper_score"] = _find_published_score(sweep, row)
        interval = papers.interval_at(sweep.metric, row.size, sweep.n_units, row.references)
        _record_published(record, interval)
    return records


def _record_published(record: dict[str, Any], interval: Bounds | None) -> None:
    record["paper_low"], record["paper_high"] = interval or (None, None)


def _find_published_score(sweep: ReferenceSweep, row: ReferenceSize) -> float | None:
    """The score that Table 3 of Zhang and Vogel has for so many references on the whole set."""
    if row.size == sweep.n_units:
        for n_references, score, *_ in papers.ZHANG_VOGEL_3.rows.get(sweep.metric, ()):
            if n_references == row.references:
                return float(score)
    return None


def _choose_form(rows: Iterable[SystemSize | ReferenceSize]) -> str:
    """Choose the format of the scores in these rows."""
    return written_like(row.score for row in rows if row.score is not None)


# What is inside a score.


def precision_table(systems: Sequence[SystemPrecisions], with_paper: bool) -> Table:
    """Systems down, the parts of BLEU across; Koehn's numbers in brackets where asked for."""
    forms = {f"p{n}": ".1f" for n in NGRAM_ORDERS}
    forms |= {"length_ratio": ".3f", "brevity_penalty": ".3f", "bleu": ".2f"}
    published = {}
    if with_paper:
        for name, p1, p4, bleu in papers.KOEHN_T1.rows["bleu"]:
            published[name] = {"p1": p1, "p4": p4, "bleu": bleu}
    rows = []
    for row in systems:
        cells: list[str] = [row.system]
        for key, form in forms.items():
            value = getattr(row, key)
            cell = number(value, form)
            printed = published.get(row.system, {}).get(key)
            if printed is not None:
                cell = Cell(f"{cell} ({printed:.1f})", value)
            cells.append(cell)
        rows.append(tuple(cells))
    columns = [
        _SYSTEM,
        *(Column(f"p{n}", f"{n}-grams, %", "written") for n in NGRAM_ORDERS),
        Column("length_ratio", "length ratio", "written"),
        Column("brevity_penalty", "brevity penalty", "written"),
        Column("bleu", "BLEU", "written"),
    ]
    return Table("precisions", tuple(columns), tuple(rows))


def length_table(lengths: Lengths) -> Table:
    """Systems and lengths down, scores across."""
    points: list[LengthPoint] = []
    names: list[tuple[str]] = []
    for name, curve in lengths.curves:
        points += curve
        names += [(name,) for _ in curve]
    table = row_table("lengths", LengthPoint, points)
    if lengths.how == "word penalty":
        first = Column("asked", "word penalty", "share", "g")
        table = replace(table, columns=(first, *table.columns[1:]))
    keys = ("asked", "length_ratio", "brevity_penalty", "bleu", "precision", "gtm_2", "gtm")
    return table.with_columns((_SYSTEM,), names).select("system", *keys)


def length_records(lengths: Lengths) -> Records:
    """One row for each system and length."""
    records = []
    for name, curve in lengths.curves:
        records += [{"system": name, **asdict(point)} for point in curve]
    return records


def step_table(example: WorkedExample) -> Table:
    """One row for each length of n-grams."""
    return row_table("steps", Step, example.steps, "n", "shared", "fraction", "precision", "bleu")


def step_records(example: WorkedExample) -> Records:
    """One row for each length of n-grams; the matched ones with their clipped counts."""
    records = []
    for step in example.steps:
        ngrams = "; ".join(f"{match.ngram} x {match.clipped}" for match in step.ngrams)
        records.append({**asdict(step), "ngrams": ngrams})
    return records


def formula(example: WorkedExample) -> str:
    """BLEU-n of the example, written out, for the longest n-grams of which any matches.

    >>> from mtsig_core.experiments.inside_score import note_example
    >>> formula(note_example())
    'BLEU-2 = 0.8465 x (3/6 x 1/5)^(1/2) = 0.268'
    """
    n = max((step.n for step in example.steps if step.bleu > 0), default=1)
    steps = example.steps[:n]
    root = " x ".join(f"{step.matched}/{step.total}" for step in steps)
    if n > 1:
        root = f"({root})^(1/{n})"
    return f"BLEU-{n} = {example.brevity_penalty:.4f} x {root} = {steps[-1].bleu:.3f}"


def right_value(example: WorkedExample, claim: Claim) -> float:
    """Return the correct value of a claim in the note."""
    if claim.what == "brevity penalty":
        return example.brevity_penalty
    n = int(claim.what[-1])
    return example.steps[n - 1].bleu


def note_table(example: WorkedExample) -> Table:
    """The claims of the note, and what is right."""
    columns = (
        Column("what", "", "name"),
        Column("printed", "the note", "name"),
        Column("right", "right", "share", ".4f"),
        Column("about", "what went wrong"),
    )
    rows = []
    for claim in NOTE_CLAIMS:
        printed = claim.printed
        if "/" in printed:
            printed = f"{printed} = {claim.value:.4f}"
        rows.append((claim.what, printed, right_value(example, claim), claim.about))
    return Table("note", columns, tuple(rows))


def average_table(ranks: Averages) -> Table:
    """Systems down, score and place by both across."""
    unit = metric_title(ranks.metric)
    return row_table(
        "averages",
        SystemAverage,
        ranks.systems,
        "system",
        "corpus",
        "corpus_place",
        "average",
        "average_place",
        form=written_like(row.corpus for row in ranks.systems),
        corpus=f"corpus {unit}",
        average=f"mean of sentence {unit}",
    )


def case_table(case: Case, unit: str) -> Table:
    """Segments down, sentence scores of both across; below them the mean, and the corpus score."""
    form = written_like(case.corpus)
    columns = (
        Column("line", "", "name"),
        Column("length", "words of the reference", "count"),
        Column("a", case.pair.a, "score", form),
        Column("b", case.pair.b, "score", form),
    )
    rows: list[tuple[Any, ...]] = []
    for line, length, scores in zip(case.lines, case.lengths, case.sentences, strict=True):
        rows.append((f"line {line}", length, *scores))
    n_words = sum(length for length in case.lengths if length is not None)
    rows.append((f"mean of sentence {unit}", EMPTY, *case.average))
    rows.append((f"corpus {unit}", n_words or EMPTY, *case.corpus))
    return Table("case", columns, tuple(rows))


def mean_interval_table(means: StudentsT) -> Table:
    """Both intervals by size; on all segments the bootstrap by document, too."""
    form = written_like(row.mean for row in means.rows)
    keys = ("n", "mean", "t", "boot", "width_ratio")
    table = row_table("students-t", TInterval, means.rows, *keys, form=form)
    column = Column("document", "bootstrap by document", "interval", form)
    by_document: list[tuple[Bounds | None]] = [(None,) for _ in means.rows]
    by_document[-1] = (pair_ends(means.document_low, means.document_high),)
    return table.with_columns([column], by_document)


def factor_table() -> Table:
    """Koehn's Table 2, in brackets where n - 1 degrees of freedom give another number."""
    paper = papers.KOEHN_T2
    columns = [Column("level", paper.source, "name")]
    for n in paper.columns[1:]:
        title = "n without end" if n is None else f"n = {n}"
        columns.append(Column(f"n_{n}", title, "written"))
    rows: dict[float, list[str]] = {}
    for factor in koehns_factors():
        printed = f"{factor.printed:.4f}"
        right = f"{factor.right:.4f}"
        if right != printed:
            printed += f"  (right: {right})"
        rows.setdefault(factor.level, [f"{factor.level:g}%"]).append(printed)
    return Table("factors", tuple(columns), tuple(map(tuple, rows.values())))
