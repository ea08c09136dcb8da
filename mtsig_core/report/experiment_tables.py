"""Tables of the experiments, the published numbers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
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
from mtsig_core.metrics import metric_title
from mtsig_core.report.table import (
    Cell,
    Column,
    Table,
    format_p,
    number,
    rounded,
    signed,
    written_like,
)
from mtsig_core.stats.comparison import ScoreBootstrap
from mtsig_core.stats.few_units import unbiased, units_freedom
from mtsig_core.stats.intervals import finite_or_none
from mtsig_core.stats.power import PairPlan
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import significant

#: What is drawn or swapped, and the unit of the test.
SITUATIONS = (("segment", "segment"), ("document", "segment"), ("document", "document"))
#: How the two systems of a null were made equal.
NULLS = {"segment": "segments swapped", "document": "documents whole"}
_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}
_SYSTEM = Column("system", "system", "name")
_PAIR = ("a", "b", "delta", "whole_p")


def estimate(share: Rate | Mean | None) -> tuple[float, float | None, float | None] | None:
    """A share with its Monte Carlo interval, which repeats of one have none of; None without
    repeats.
    """
    if share is None or share.share is None:
        return None
    return (share.share, share.low, share.high) if share.n > 1 else (share.share, None, None)


def row_table(
    key: str, row: type, rows: Iterable[Any], *keys: str, form: str = "", **titles: str
) -> Table:
    """Rows of an experiment by the columns that they describe themselves (`frame.column`): all, or
    these.

    `form` is that of scores whose scale is known only here; other titles go by key.
    """
    described = shown_columns(row)
    columns = [
        Column(
            one,
            titles.get(one, described[one][0]),
            described[one][1],
            described[one][2].replace("*", form),
        )
        for one in keys or described
    ]
    return Table(
        key, tuple(columns), tuple(tuple(_cell(one, column) for column in columns) for one in rows)
    )


def _cell(row: Any, column: Column) -> Any:
    value = getattr(row, column.key)
    if isinstance(value, Rate | Mean):
        return estimate(value)
    if column.kind == "estimate" and value is not None:
        return (value, getattr(row, f"{column.key}_low"), getattr(row, f"{column.key}_high"))
    return value


def _crossed(
    key: str, first: Column, across: Mapping[Any, str], cells: Mapping[tuple[Any, Any], Any]
) -> Table:
    """Estimates by row and column; `across` are the titles of those columns of which there is
    any.
    """
    there = [column for column in across if any(column == one for _, one in cells)]
    columns = [
        Column(
            " ".join(map(str, column)) if isinstance(column, tuple) else str(column),
            across[column],
            "estimate",
            ".1%",
        )
        for column in there
    ]
    rows = dict.fromkeys(row for row, _ in cells)
    return Table(
        key,
        (first, *columns),
        tuple((row, *(cells.get((row, column)) for column in there)) for row in rows),
    )


# Samples.


def tally_table(
    samples: Mapping[str, Sampling], a: str, b: str, alpha: float, published: bool = False
) -> Table:
    """Conclusions by kind of sample and test, each count with the 95% interval of its share;
    Koehn's where asked.
    """
    rows: list[tuple[Any, ...]] = [
        (
            kind,
            name,
            *(
                Cell(
                    f"{one.count} [{100 * (one.low or 0):.0f}%, {100 * (one.high or 0):.0f}%]",
                    one.count,
                )
                for one in sampled.pair(a, b).tally(test, alpha).values()
            ),
        )
        for kind, sampled in samples.items()
        for test, name in _TESTS.items()
    ]
    paper = papers.KOEHN_7_8
    rows += [
        (paper.source, "paired bootstrap", str(right), str(wrong), str(100 - right - wrong))
        for better, worse, right, wrong in paper.rows["bleu"]
        if published and {better, worse} == {a, b}
    ]
    return Table(
        "tally",
        (
            Column("kind", "samples", "name"),
            Column("test", "test, uncorrected", "name"),
            *(
                Column(key, title, "written")
                for key, title in (
                    ("right", "as the whole set"),
                    ("wrong", "opposite"),
                    ("none", "no conclusion"),
                )
            ),
        ),
        tuple(rows),
    )


def describe_whole(p: float, alpha: float, n_units: int) -> str:
    """Whether a pair differs significantly on the whole test set of so many units, which samples
    are compared with.

    >>> describe_whole(0.001, 0.05, 300), describe_whole(0.125, 0.05, 6)
    ('significant, p = 0.0010 from 999 permutations', 'not significant, p = 0.1250 from all 64 permutations')
    """
    verdict = "significant" if significant(p, alpha) else "not significant"
    return f"{verdict}, p = {format_p(p)} from {describe_swaps(n_units)}"


def spread_table(spreads: Spreads, system: str) -> Table:
    """Sizes down: spreads of one system and their ratio, then the median and the range of the
    ratios of all.
    """
    expand = {
        size: (middle, f"{low:.2f} to {high:.2f}")
        for size, (low, middle, high) in spreads.ratios().items()
    }
    rows = [row for row in spreads.rows if row.system == system]
    return row_table("spread", Spread, rows).with_columns(
        (
            Column("median", "median ratio of all systems", "score"),
            Column("range", "lowest to highest", "written"),
        ),
        [expand.get(row.size, (None, None)) for row in rows],
    )


def sampled_system_records(system: SampledSystem) -> list[dict[str, float | None]]:
    """One row for each sample; None where it has no score of the system."""
    return _samples(score=system.scores, ci_low=system.low, ci_high=system.high)


def sampled_pair_records(pair: SampledPair) -> list[dict[str, float | None]]:
    """One row for each sample; None where it cannot compare the two."""
    return _samples(delta=pair.deltas, win=pair.win, lose=pair.lose, p_value=pair.p_value)


def _samples(**columns: np.ndarray) -> list[dict[str, float | None]]:
    return [
        {
            "sample": k,
            **{key: finite_or_none(value) for key, value in zip(columns, values, strict=True)},
        }
        for k, values in enumerate(zip(*columns.values(), strict=True), 1)
    ]


# Validation.


def type_one_table(errors: TypeOne) -> Table:
    """Tests down, nulls and units across."""
    return _crossed(
        "type1",
        Column("test", "test", "name"),
        {(null, unit): f"{NULLS[null]}, tested by {unit}" for null, unit in SITUATIONS},
        {
            (SETTINGS["test"].name_value(row.test), (row.null, row.unit)): estimate(row.rejected)
            for row in errors.rows
        },
    )


def coverage_table(coverage: Coverage) -> Table:
    """Kinds of interval down; sampling, unit and quantity across."""
    return _crossed(
        "coverage",
        Column("kind", "interval", "name"),
        {
            (sampled, unit, quantity): f"{sampled}s drawn, by {unit}: {quantity}"
            for sampled, unit in SITUATIONS
            for quantity in ("score", "difference")
        },
        {
            (SETTINGS["ci"].name_value(row.kind), (row.sampled, row.unit, row.quantity)): estimate(
                row.covered
            )
            for row in coverage.rows
        },
    )


def pair_tests_table(tests: Mapping[str, AllPairTests]) -> Table:
    """Metrics down: what the tests say of one pair under each, then the numbers of `Riezler and
    Maxwell (2005)`.
    """
    paper = papers.RIEZLER_MAXWELL_T1.rows

    def ours(one: AllPairTests) -> list[Any]:
        form = pair_form(one)
        return [
            number(one.score_a, form),
            number(one.score_b, form),
            signed(one.improvement, form),
            *(
                one.p_value(*asked)
                for asked in (("segment", "ar"), ("segment", "riezler-maxwell"), ("document", "ar"))
            ),
        ]

    def printed(reranking: float, baseline: float, *p_values: float | None) -> list[str | None]:
        return [
            f"{reranking - baseline:+.2f}",
            *(None if p is None else "< 0.0001" if p == 0.0001 else f"{p:.3f}" for p in p_values),
        ]

    titles = {
        "a": "A",
        "b": "B",
        "delta": "A over B",
        "ar": "p, ar",
        "printed": "p, bootstrap as printed",
        "document": "p, ar by document",
        "their_delta": "paper: A over B",
        "their_ar": "p, ar",
        "their_bootstrap": "p, bootstrap",
    }
    columns = (
        Column(key, title, "p" if key in ("ar", "printed", "document") else "written")
        for key, title in titles.items()
    )
    return Table(
        "pair",
        (Column("metric", "metric", "name"), *columns),
        tuple(
            (
                metric,
                *(ours(tests[metric]) if metric in tests else [None] * 6),
                *(printed(*paper[metric][0]) if metric in paper else [None] * 3),
            )
            for metric in dict.fromkeys([*paper, *tests])
        ),
    )


def pair_form(one: AllPairTests) -> str:
    """How the scores of a pair and their difference are written."""
    return written_like((one.score_a, one.score_b))


def variant_table(variants: Variants) -> Table:
    """Pairs of equal systems down: our p-values, then those of Table 2 of `Riezler and Maxwell
    (2005)`.
    """
    theirs = {
        pair: (delta, ar, bootstrap, ar / bootstrap)
        for pair, delta, ar, bootstrap in papers.RIEZLER_MAXWELL_T2.rows["nist"]
    }
    return row_table(
        "variants",
        Variant,
        variants.rows,
        "pair",
        "difference",
        "p_ar",
        "p_as_printed",
        "ratio",
        "p_bootstrap",
    ).with_columns(
        [
            Column(f"their_{key}", title, "share", form)
            for key, title, form in (
                ("difference", "theirs: difference", ""),
                ("ar", "randomization", ""),
                ("bootstrap", "bootstrap", ""),
                ("ratio", "ratio", ".1f"),
            )
        ],
        [theirs.get(row.pair, [None] * 4) for row in variants.rows],
    )


def conclusion_table(conclusions: Conclusions, with_paper: bool) -> Table:
    """Pairs down, sizes across: percent that conclude as the whole set / the opposite, in brackets
    Koehn's right and wrong where asked for and known.
    """
    pairs: dict[tuple[str, str], list[Concluded]] = {}
    for row in conclusions.rows:
        pairs.setdefault((row.a, row.b), []).append(row)

    def write(row: Concluded) -> str:
        paper = koehns_conclusions(row) if with_paper else None
        beside = "" if paper is None else f" ({paper[0]} / {paper[1]})"
        right, wrong = row.right.share, row.wrong.share
        return (
            "-" + beside
            if right is None or wrong is None
            else Cell(f"{100 * right:.0f} / {100 * wrong:.0f}{beside}", right)
        )

    sizes = [
        Column(str(size), f"{n} samples of {size:,}", "written")
        for size, n in zip(conclusions.sizes, conclusions.samples, strict=True)
    ]
    return row_table(
        "conclusions", Concluded, [rows[0] for rows in pairs.values()], *_PAIR
    ).with_columns(sizes, [list(map(write, rows)) for rows in pairs.values()])


def conclusions_at_table(conclusions: Conclusions, size: int, with_paper: bool) -> Table:
    """Pairs down, for one size: shares that conclude as the whole set and the opposite; Koehn's
    where asked for.
    """
    rows = [row for row in conclusions.rows if row.size == size]
    table = row_table("conclusions-at", Concluded, rows, *_PAIR, "right", "wrong")
    if not with_paper:
        return table
    theirs = [koehns_conclusions(row) or (None, None) for row in rows]
    return table.with_columns(
        (
            Column("their_right", "Koehn: right", "share", ".0%"),
            Column("their_wrong", "Koehn: wrong", "share", ".0%"),
        ),
        [[None if share is None else share / 100 for share in both] for both in theirs],
    )


def koehns_conclusions(row: Concluded) -> tuple[int, int] | None:
    """Percent right and wrong that `Koehn (2004)` has for the pair and size; None where he has
    none.
    """
    for better, worse, _, *cells in papers.KOEHN_T3.rows["bleu"]:
        if (better, worse) == (row.a, row.b):
            return dict(zip(map(int, papers.KOEHN_T3.columns[3:]), cells, strict=True)).get(
                row.size
            )
    return None


def calibration_table(conclusions: Conclusions, with_paper: bool) -> Table:
    """Levels down: conclusions and how many of them are as the whole set, Koehn's beside them where
    asked for.
    """
    table = row_table("calibration", Level, conclusions.levels, "level", "n", "right")
    if not with_paper:
        return table
    theirs = {low: (n, right / 100) for low, n, right in papers.KOEHN_T4.rows["bleu"]}
    return table.with_columns(
        (
            Column("their_n", "Koehn: conclusions", "count"),
            Column("their_right", "Koehn: right", "share", ".0%"),
        ),
        [theirs.get(level.low, (None, None)) for level in conclusions.levels],
    )


def family_table(families: FamilyErrors) -> Table:
    """Families down; the formula and the corrections across."""
    return row_table(
        "families", FamilyError, families.rows, "family", "comparisons", "if_independent"
    ).with_columns(
        [Column(name, name, "estimate", ".0%") for name in families.rows[0].wrong],
        [list(map(estimate, row.wrong.values())) for row in families.rows],
    )


def claim_table(claims: Claims) -> Table:
    """Corrections down: false and lost findings."""
    return row_table("claims", ClaimCounts, claims.rows)


def unit_table(changes: UnitChanges) -> Table:
    """Corrections down: how many pairs are significant by which unit, or how many trials it takes
    before any can be.
    """
    titles = ("by segment", "by document", "both", "by segment only", "by document only", "neither")

    def write(row: UnitChange) -> list[Any]:
        if row.trials_needed is not None:
            return [f"none can be: use {row.trials_needed} trials or more", *[None] * 5]
        counts = [
            Cell(str(n), n)
            for n in (
                row.both + row.segment_only,
                row.both + row.document_only,
                row.both,
                row.segment_only,
                row.document_only,
                row.neither,
            )
        ]
        if row.documents_needed is not None:
            return [counts[0], f"none can be with fewer than {row.documents_needed}", *[None] * 4]
        return counts

    return Table(
        "units",
        (
            Column("correction", "correction", "name"),
            *(Column(title.replace(" ", "_"), title, "written") for title in titles),
        ),
        tuple((row.correction, *write(row)) for row in changes.rows),
    )


def changed_table(changes: UnitChanges, correction: str) -> Table:
    """The pairs that are significant by one unit only under a correction; differences as
    improvements.
    """
    sign = 1 if changes.higher_is_better else -1
    return row_table(
        "changed-pairs",
        ChangedPair,
        [
            replace(pair, delta=sign * pair.delta)
            for pair in changes.pairs
            if pair.correction == correction
        ],
    )


# The bootstrap of scores.


def bracketed(ends: tuple[float, float] | None, form: str = ".2f") -> str:
    """An interval in points; a dash where it is undefined."""
    return "-" if ends is None else f"[{ends[0]:{form}}, {ends[1]:{form}}]"


def interval_table(
    bootstrap: ScoreBootstrap,
    chosen: str,
    level: str,
    segment: ScoreBootstrap | None = None,
    document: ScoreBootstrap | None = None,
) -> Table:
    """Every kind of interval of one score; where both units are given, also by segment and by
    document.
    """
    form = written_like([bootstrap.score])

    def width(ends: tuple[float, float] | None) -> float | None:
        return None if ends is None else ends[1] - ends[0]

    table = Table(
        "intervals",
        (
            Column("kind", f"{level} interval", "name"),
            *(Column(key, key, "score", form) for key in ("low", "high", "width")),
            Column("relative", "relative", "relative"),
        ),
        tuple(
            (
                SETTINGS["ci"].name_value(kind) + " (chosen)" * (kind == chosen),
                *(ends or (None, None)),
                width(ends),
                bootstrap.relative(kind),
            )
            for kind, ends in bootstrap.intervals.items()
        ),
    )
    if segment is None or document is None:
        return table
    rows = []
    for kind in bootstrap.intervals:
        ends, by_document = segment.intervals[kind], document.intervals[kind]
        narrow, wide = width(ends), width(by_document)
        rows.append((ends, by_document, wide / narrow if wide is not None and narrow else None))
    return table.with_columns(
        (
            Column("segment", "by segment", "interval", form),
            Column("document", "by document", "interval", form),
            Column("ratio", "ratio of widths", "score"),
        ),
        rows,
    )


def relative_table(systems: Sequence[ScoreBootstrap], kind: str, metric: str, level: str) -> Table:
    """All systems with their relative intervals."""
    form = written_like(s.score for s in systems)
    return Table(
        "relative",
        (
            _SYSTEM,
            Column("score", metric_title(metric), "score", form),
            Column("median", "median", "score", form),
            Column("relative", f"relative {level} interval", "relative"),
        ),
        tuple((s.system, s.score, s.median, s.relative(kind)) for s in systems),
    )


def published_table(metric: str) -> Table:
    """Table 1 of Zhang and Vogel (2004) for a metric of theirs."""
    return Table(
        "published",
        (
            Column("system", "their system", "name"),
            Column("median", f"median {metric_title(metric)}", "share"),
            Column("relative", "relative 95% interval", "relative"),
        ),
        tuple(
            (system, median, _printed(*ends))
            for system, median, *ends in papers.ZHANG_VOGEL_1.rows[metric]
        ),
    )


def growing_table(stability: Stability, metric: str | None, level: str) -> Table:
    """One interval for each number of resamples, beside Table 5 of Zhang and Vogel (2004) for a
    metric of theirs.
    """
    table = row_table(
        "growing",
        Growing,
        stability.growing,
        form=written_like(row.median for row in stability.growing),
        interval=f"{level} interval",
    )
    if metric is None:
        return table
    theirs = {
        size: (median, _printed(*ends)) for size, median, *ends in papers.ZHANG_VOGEL_5.rows[metric]
    }
    return table.with_columns(
        (
            Column("their_median", "their median", "share"),
            Column("their_interval", "their interval", "relative"),
        ),
        [theirs.get(row.resamples, ("", "")) for row in stability.growing],
    )


def repeated_table(stability: Stability, metric: str | None = None) -> Table:
    """The spread of repeated intervals, beside Table 6 of Zhang and Vogel (2004) for a metric of
    theirs.
    """
    table = row_table(
        "repeats",
        Repeated,
        stability.repeats,
        "resamples",
        "runs",
        "sd_low",
        "sd_high",
        "theory",
        "relative_sd",
        "relative",
        theory=f"{bound_sd(stability.settings.alpha):.2f} σ/√B",
    )
    if metric is None:
        return table
    theirs = {size: (sd, _printed(*ends)) for size, sd, *ends in papers.ZHANG_VOGEL_6.rows[metric]}
    return table.with_columns(
        (
            Column("their_sd", "their SD", "share", ".2%"),
            Column("their_relative", "their mean interval", "relative"),
        ),
        [theirs.get(row.resamples, ("", "")) for row in stability.repeats],
    )


def _printed(low: float, high: float) -> tuple[float, float]:
    """A relative interval that a paper prints in percent."""
    return low / 100, high / 100


# Sweeps.


def needed(
    units: int | None,
    segments: int | None,
    name: str,
    ends: tuple[int | None, int | None] | None = None,
) -> str:
    """A size in words, its interval, which is in the same units, and of documents the segments too.

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


def detection_table(rows: Sequence[Detection]) -> Table:
    """How often test sets of each size find a difference, beside what theory expects."""
    return row_table(
        "found",
        Detection,
        rows,
        "size",
        "segments",
        "n",
        "significant",
        "expected",
        "planned",
        "wrong",
    )


def detection_records(swept: SizeSweep, a: str, b: str, difference: float) -> list[dict[str, Any]]:
    """The same for files, of one pair."""
    rows = flatten_rows(count_detections(swept, a, b, difference))
    return [{"a": a, "b": b, "difference": difference, **row} for row in rows]


def plan_table(planned: Sequence[PairPlan], difference: float, metric: str, units: str) -> Table:
    """The size that each pair needs, with its interval, and for all pairs asked about."""
    m = planned[0].n_pairs if planned else 0
    asked = f"{units} for {difference:g} {metric}"
    sizes = [
        ("units", asked),
        *[("units_family", f"{asked}, {m} pairs")] * (m > 1),
        ("units_for_own", f"{units} for the difference seen"),
    ]

    def write_size(row: PairPlan, key: str) -> str | None:
        size, *ends = (getattr(row, f"{key}{end}") for end in ("", "_low", "_high"))
        return (
            None if size is None else Cell(number(size, ",") + _between((ends[0], ends[1])), size)
        )

    def write_smallest(row: PairPlan) -> str | None:
        return (
            None
            if row.se == 0
            else "nothing"
            if row.mdd is None
            else Cell(f"from {rounded(row.mdd)}", row.mdd)
        )

    return Table(
        "plan",
        (
            Column("pair", "pair", "name"),
            Column("delta", "difference", "amount", "+"),
            Column("mdd", "smallest difference found here", "written"),
            *(Column(key, title, "written") for key, title in sizes),
        ),
        tuple(
            (
                f"{row.a} - {row.b}",
                row.delta,
                write_smallest(row),
                *(write_size(row, key) for key, _ in sizes),
            )
            for row in planned
        ),
    )


def own_order(row: PairPlan, alpha: float) -> str:
    """Whether the whole set, by Student's t, tells the order of a pair that parts of it are held
    against.

    >>> own_order(PairPlan("A", "B", 0.9, 0.6, *[None] * 21, n_effective=100.0), 0.05)
    'its own difference, 1.5 standard errors, leaves that open'
    """
    from scipy.special import stdtrit

    errors = abs(row.delta) / unbiased(row.se, row.n_effective) if row.se else 0.0
    bound = float(stdtrit(units_freedom(row.n_effective), 1 - alpha / 2))
    verdict = "leaves that open" if errors < bound else "decides that"
    return f"its own difference, {errors:.1f} standard errors, {verdict}"


def width_table(rows: Sequence[SystemSize]) -> Table:
    """Mean scores and relative intervals of one system."""
    whole = max(row.size for row in rows)
    return row_table("widths", SystemSize, rows, form=_form(rows)).with_columns(
        (Column("part", "of the largest", "share", ".1%"),),
        [(row.size / whole,) for row in rows],
        after="size",
    )


def size_table(sweep: SizeSweep, system: str) -> Table:
    """One system beside Table 2 of Zhang and Vogel (2004), at the same shares of the test set."""
    theirs, rows = papers.ZHANG_VOGEL_2.rows, [row for row in sweep.systems if row.system == system]
    return (
        row_table(
            "sizes",
            SystemSize,
            rows,
            "size",
            "score",
            "relative",
            form=_form(sweep.systems),
            size=f"{sweep.settings.unit}s",
            relative=f"our {metric_title(sweep.metric)}",
        )
        .with_columns(
            (
                Column("part", "of the set", "share", ".0%"),
                *(Column(metric, f"their {metric_title(metric)}", "relative") for metric in theirs),
            ),
            [
                (
                    row.size / sweep.n_units,
                    *(
                        papers.interval_at(metric, row.size, sweep.n_units) or ""
                        for metric in theirs
                    ),
                )
                for row in rows
            ],
        )
        .select("part", "size", "score", "relative", *theirs)
    )


def reference_table(sweep: ReferenceSweep, system: str, with_paper: bool = True) -> Table:
    """One system on the whole set by number of references, beside Table 3 of Zhang and Vogel (2004)
    where asked for.
    """
    rows = [row for row in sweep.rows if (row.system, row.size) == (system, sweep.n_units)]
    table = row_table(
        "references",
        ReferenceSize,
        rows,
        "references",
        "score",
        "relative",
        "equivalent",
        form=_form(sweep.rows),
        relative=f"our {metric_title(sweep.metric)}",
    )
    if not with_paper or sweep.metric not in papers.ZHANG_VOGEL_3.rows:
        return table
    return table.with_columns(
        (
            Column("their_score", "their score", "share"),
            Column("their_interval", "their interval", "relative"),
        ),
        [
            (
                _their_score(sweep, row) or "",
                papers.interval_at(sweep.metric, sweep.n_units, sweep.n_units, row.references)
                or "",
            )
            for row in rows
        ],
    )


def as_good_as(row: ReferenceSize) -> str:
    """The share of the data that gives as narrow an interval as one reference, with its Monte Carlo
    interval.

    >>> as_good_as(ReferenceSize(4, 1, 90, "A", 30.1, -.05, .05, .1, 0.77, 0.71, 0.834))
    '77% [71%, 83%] of the data'
    """
    (text,) = row_table("as-good-as", ReferenceSize, [row], "equivalent").texts()[0]
    return f"{text} of the data"


def grid_table(sweep: ReferenceSweep, system: str) -> Table:
    """Relative intervals of one system by size and number of references, those of Table 4 in
    brackets.
    """
    mine = {(row.size, row.references): row for row in sweep.rows if row.system == system}
    counts = range(1, len(sweep.names) + 1)

    def write(row: ReferenceSize) -> str:
        theirs = papers.interval_at(sweep.metric, row.size, sweep.n_units, row.references)
        return _few_characters(row.relative) + (f" ({_few_characters(theirs)})" if theirs else "")

    return Table(
        "grid",
        (
            Column("part", "of the set", "share", ".0%"),
            *(Column(str(k), f"{k} reference{'s' * (k > 1)}", "written") for k in counts),
        ),
        tuple(
            (size / sweep.n_units, *(write(mine[size, k]) for k in counts))
            for size in sorted({size for size, _ in mine})
        ),
    )


def system_records(sweep: SizeSweep, people: bool = False) -> list[dict[str, Any]]:
    """`found.systems` for files, with the relative interval that Table 2 of Zhang and Vogel has at
    the same share.

    Scores of a score table, `people`, stand beside their human judgments.
    """
    metric = "human" if people else sweep.metric
    return [
        record | _paper(papers.interval_at(metric, row.size, sweep.n_units))
        for row, record in zip(sweep.systems, sweep.records("systems"), strict=True)
    ]


def reference_records(sweep: ReferenceSweep) -> list[dict[str, Any]]:
    """`found.rows` for files, with what Tables 3 and 4 of Zhang and Vogel have for the same number
    and share.
    """
    return [
        record
        | {"paper_score": _their_score(sweep, row)}
        | _paper(papers.interval_at(sweep.metric, row.size, sweep.n_units, row.references))
        for row, record in zip(sweep.rows, sweep.records(), strict=True)
    ]


def _their_score(sweep: ReferenceSweep, row: ReferenceSize) -> float | None:
    """The score that Table 3 of Zhang and Vogel has for so many references on the whole set."""
    scores = {count: score for count, score, *_ in papers.ZHANG_VOGEL_3.rows.get(sweep.metric, ())}
    return scores.get(row.references) if row.size == sweep.n_units else None


def _paper(ends: tuple[float, float] | None) -> dict[str, float | None]:
    return dict(zip(("paper_low", "paper_high"), ends or (None, None), strict=True))


def _form(rows: Iterable[SystemSize | ReferenceSize]) -> str:
    """How scores of these rows are written."""
    return written_like(row.score for row in rows if row.score is not None)


def _few_characters(ends: tuple[float, float] | None) -> str:
    """A relative interval in few characters, in percent."""
    return "-" if ends is None else f"{100 * ends[0]:+.2f} {100 * ends[1]:+.2f}"


# What is inside a score.


def precision_table(systems: Sequence[SystemPrecisions], with_paper: bool) -> Table:
    """Systems down, the parts of BLEU across; Koehn's numbers in brackets where asked for and
    known.
    """
    paper = papers.KOEHN_T1.rows["bleu"] if with_paper else ()
    theirs = {
        (name, key): value
        for name, *values in paper
        for key, value in zip(("p1", "p4", "bleu"), values, strict=True)
    }
    parts = {f"p{n}": (f"{n}-grams, %", ".1f") for n in NGRAM_ORDERS} | {
        "length_ratio": ("length ratio", ".3f"),
        "brevity_penalty": ("brevity penalty", ".3f"),
        "bleu": ("BLEU", ".2f"),
    }

    def write(row: SystemPrecisions, key: str) -> str:
        value, printed = getattr(row, key), theirs.get((row.system, key))
        text = number(value, parts[key][1])
        return text if printed is None else Cell(f"{text} ({printed:.1f})", value)

    return Table(
        "precisions",
        (_SYSTEM, *(Column(key, title, "written") for key, (title, _) in parts.items())),
        tuple((row.system, *(write(row, key) for key in parts)) for row in systems),
    )


def length_table(lengths: Lengths) -> Table:
    """Systems and lengths down, scores across."""
    rows = [(name, point) for name, points in lengths.curves for point in points]
    table = row_table("lengths", LengthPoint, [point for _, point in rows])
    if lengths.how == "word penalty":
        table = replace(
            table, columns=(Column("asked", "word penalty", "share", "g"), *table.columns[1:])
        )
    return table.with_columns((_SYSTEM,), [(name,) for name, _ in rows]).select(
        "system", "asked", "length_ratio", "brevity_penalty", "bleu", "precision", "gtm_2", "gtm"
    )


def length_records(lengths: Lengths) -> list[dict[str, Any]]:
    """One row for each system and length."""
    return [
        {"system": name, **asdict(point)} for name, points in lengths.curves for point in points
    ]


def step_table(example: WorkedExample) -> Table:
    """One row for each length of n-grams."""
    return row_table("steps", Step, example.steps, "n", "shared", "fraction", "precision", "bleu")


def step_records(example: WorkedExample) -> list[dict[str, Any]]:
    """One row for each length of n-grams; the matched ones with their clipped counts."""
    return [
        asdict(step) | {"ngrams": "; ".join(f"{one.ngram} x {one.clipped}" for one in step.ngrams)}
        for step in example.steps
    ]


def formula(example: WorkedExample) -> str:
    """BLEU-n of the example, written out, for the longest n-grams of which any matches.

    >>> from mtsig_core.experiments.inside_score import note_example
    >>> formula(note_example())
    'BLEU-2 = 0.8465 x (3/6 x 1/5)^(1/2) = 0.268'
    """
    n = max((step.n for step in example.steps if step.bleu > 0), default=1)
    product = " x ".join(f"{step.matched}/{step.total}" for step in example.steps[:n])
    root = product if n == 1 else f"({product})^(1/{n})"
    return f"BLEU-{n} = {example.brevity_penalty:.4f} x {root} = {example.steps[n - 1].bleu:.3f}"


def right_value(example: WorkedExample, claim: Claim) -> float:
    """What a claim of the note should say."""
    return (
        example.brevity_penalty
        if claim.what == "brevity penalty"
        else example.steps[int(claim.what[-1]) - 1].bleu
    )


def note_table(example: WorkedExample) -> Table:
    """The claims of the note, and what is right."""
    return Table(
        "note",
        (
            Column("what", "", "name"),
            Column("printed", "the note", "name"),
            Column("right", "right", "share", ".4f"),
            Column("about", "what went wrong"),
        ),
        tuple(
            (
                claim.what,
                claim.printed
                if "/" not in claim.printed
                else f"{claim.printed} = {claim.value:.4f}",
                right_value(example, claim),
                claim.about,
            )
            for claim in NOTE_CLAIMS
        ),
    )


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
    form, known = (
        written_like(case.corpus),
        [length for length in case.lengths if length is not None],
    )
    lines = [
        (f"line {line}", length, *scores)
        for line, length, scores in zip(case.lines, case.lengths, case.sentences, strict=True)
    ]
    return Table(
        "case",
        (
            Column("line", "", "name"),
            Column("length", "words of the reference", "count"),
            Column("a", case.pair.a, "score", form),
            Column("b", case.pair.b, "score", form),
        ),
        (
            *lines,
            (f"mean of sentence {unit}", "", *case.average),
            (f"corpus {unit}", sum(known) or "", *case.corpus),
        ),
    )


def mean_interval_table(means: StudentsT) -> Table:
    """Sizes down, both intervals across; on all segments the bootstrap by document, too."""
    form = written_like(row.mean for row in means.rows)
    document = pair_ends(means.document_low, means.document_high)
    return row_table(
        "students-t", TInterval, means.rows, "n", "mean", "t", "boot", "width_ratio", form=form
    ).with_columns(
        (Column("document", "bootstrap by document", "interval", form),),
        [(document if row is means.rows[-1] else None,) for row in means.rows],
    )


def factor_table() -> Table:
    """Koehn's Table 2, in brackets where n - 1 degrees of freedom give another number."""
    paper, rows = papers.KOEHN_T2, dict[float, list[str]]()
    for one in koehns_factors():
        printed, right = f"{one.printed:.4f}", f"{one.right:.4f}"
        rows.setdefault(one.level, [f"{one.level:g}%"]).append(
            printed + ("" if right == printed else f"  (right: {right})")
        )
    return Table(
        "factors",
        (
            Column("level", paper.source, "name"),
            *(
                Column(f"n_{n}", "n without end" if n is None else f"n = {n}", "written")
                for n in paper.columns[1:]
            ),
        ),
        tuple(map(tuple, rows.values())),
    )
