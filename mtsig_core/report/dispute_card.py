"""A dispute card: everything about one pair of systems, as a report and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from mtsig_core.caution import Caution
from mtsig_core.experiments.dispute import Decider, Dispute, MetricDispute, document_names
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions, info_record, list_assumptions, p_word
from mtsig_core.report.document import (
    Block,
    Facts,
    Figure,
    Paragraph,
    Report,
    Section,
    TableBlock,
    Warnings,
)
from mtsig_core.report.pictures import DifferenceRow, draw_differences
from mtsig_core.report.sentences import (
    SeenPair,
    choose_form,
    describe_tests,
    pick_file_doubts,
    see_pair,
    summarize_comparison,
    write_level,
)
from mtsig_core.report.table import ROW_FORM, Column, Table, format_p, join_ends, signed
from mtsig_core.results import DomainPair
from mtsig_core.schema import to_json
from mtsig_core.stats.pair import Outcome, PairExamination, count_permutations, smooth_resamples
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.significance import TESTS


def dispute_report(found: Dispute, command: str = "") -> Report:
    """The verdict and a figure, all tables, the segments that decide, warnings, how it was tested.

    `command` is the command line that prints its numbers, without the format.
    """
    info = found.comparison.testset
    texts = [
        Section(
            f"Line {head}, in favour of {name}",
            [Facts(pairs=tuple(pairs), only=("html",))],
            depth=3,
        )
        for name, head, pairs in _list_texts(found)
    ]
    caveats: list[Block] = [
        Warnings(cautions=tuple(_cautions(found)), several=len(found.metrics) > 1)
    ]
    caveats += [
        Paragraph(text=f"Not compared by {metric_title(name)}: {why}", role="warning")
        for name, why in found.not_compared.items()
    ]
    facts = [
        ("this page", f"{command} --format html"),
        ("all numbers", f"{command} --format json"),
        *((metric_title(one.result.metric), one.result.signature) for one in found.metrics),
        ("test set digest", info.digest),
    ]
    return Report(
        f"Dispute card: {info.name}",
        [
            Section("", list(_introduce(found))),
            *(Section(block.title, [block]) for block in card_tables(found)),
            *texts,
            *(
                [Section("Caveats", caveats, "caveats")]
                if _cautions(found) or found.not_compared
                else []
            ),
            Section(
                "How it was tested",
                [
                    Paragraph(text=text, role="methods", about=title, only=("html",))
                    for title, text in _list_methods(found)
                ],
                "detail",
            ),
            Section(
                "Made by",
                [
                    Facts(
                        pairs=tuple(facts),
                        code=frozenset(name for name, _ in facts),
                        only=("html",),
                    )
                ],
                "detail",
            ),
        ],
        "The texts of this test set are simulated." if info.simulated else "",
    )


def card_verdict(found: Dispute) -> str:
    """What the metrics decide about the pair, in one sentence without its full stop."""
    sides: dict[int, list[str]] = {}
    for one in found.metrics:
        sides.setdefault(one.decision, []).append(metric_title(one.result.metric))
    better = {1: found.a, -1: found.b}
    parts = [
        f"{better[side]} is significantly better by {', '.join(sides[side])}"
        for side in (1, -1)
        if side in sides
    ]
    if 0 in sides:
        parts.append(
            f"no significant difference by {', '.join(sides[0])}, which does not make them equal"
        )
    return ("The metrics decide in opposite ways: " if {1, -1} <= sides.keys() else "") + "; ".join(
        parts
    )


def card_tables(found: Dispute) -> list[TableBlock]:
    """All tables of the card, the ones that decide first; empty ones are left out."""
    tables = (
        _by_metric(found),
        _by_test(found),
        _by_unit(found),
        _by_reference(found),
        _by_domain(found),
        _by_size(found),
        _by_rule(found),
        _by_part(found, "document", found.documents),
        _by_part(found, "segment", found.segments),
    )
    return [block for block in tables if block.table]


def _introduce(found: Dispute) -> Iterator[Block]:
    comparison = found.comparison
    yield Paragraph(text=f"{found.a} and {found.b}: {comparison.testset.name}", role="summary")
    yield Paragraph(text=f"{card_verdict(found)}.", role="verdict")
    if doubts := _doubts(found):
        yield Warnings(cautions=tuple(doubts))
    for part in summarize_comparison(comparison):
        yield Paragraph(text="; ".join(part), role="summary")
    for text in list_assumptions(comparison.testset.assumed, comparison.metrics):
        yield Paragraph(text=text)
    yield Figure(
        draw=lambda: _draw(found),
        caption=(
            "The difference under each metric, each row on a scale of its own. Thick: CI of this pair. "
            "Thin, with ends: CI for all pairs together. Filled: significant. Hollow: not, which does not mean equal."
        ),
    )


def _cautions(found: Dispute) -> list[Caution]:
    """The warnings about this pair or the whole comparison."""
    return [
        caution
        for caution in found.comparison.warnings
        if not caution.kind.doubts_files
        and (caution.concerns_all or caution.concerns_pair(found.a, found.b))
    ]


def _doubts(found: Dispute) -> list[Caution]:
    """The warnings that put all numbers of the pair in doubt."""
    return [
        caution
        for caution in pick_file_doubts(found.comparison.warnings)
        if caution.concerns_pair(found.a, found.b)
    ]


def _list_methods(found: Dispute) -> Iterator[tuple[str, str]]:
    """How it was tested by each metric, each sentence once."""
    before: set[str] = set()
    for one in found.metrics:
        own = [
            text
            for text in describe_tests(found.comparison, one.result.metric)
            if text not in before
        ]
        before |= set(own)
        if own:
            yield metric_title(one.result.metric), " ".join(own)


def _list_texts(found: Dispute) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Of each segment that decides the system in whose favour it is, where it is, and its named
    texts.
    """
    testset = found.testset
    for name, side in zip((found.a, found.b), found.segments, strict=True):
        for one in side if testset.has_texts else ():
            k = one.position
            where = [
                values[k] for values in (testset.domains, testset.documents) if values is not None
            ]
            texts = [] if testset.sources is None else [("source", testset.sources[k])]
            texts += [
                (label, text)
                for label, values in testset.references.items()
                if (text := values[k]) is not None
            ]
            texts += [
                (system, testset.systems[system][k] or "(no text here)")
                for system in (found.a, found.b)
            ]
            yield name, " · ".join([one.name, *where, f"{one.added:+.3g}"]), texts


def _see(found: Dispute, one: MetricDispute) -> SeenPair:
    """The pair by one metric, as an improvement of a over b."""
    return see_pair(one.pair, found.a, one.result, found.comparison.settings)


def _draw(found: Dispute) -> str:
    seen = [(one, _see(found, one)) for one in found.metrics]
    rows = [
        DifferenceRow(
            metric_title(one.result.metric),
            own.difference,
            own.ci,
            own.ci_joint,
            bool(one.decision),
            signed(own.difference, choose_form(one.result)),
        )
        for one, own in seen
    ]
    return draw_differences(
        rows,
        f"Right of the line {found.a} is better, left of it {found.b}",
        "The difference under each metric with its intervals",
        own_scales=True,
    )


# -------------------------------------------------------------------------------------------------
# The tables. Rows begin with their metric and have the form of its scores.


_DIFFERENCE = Column("difference", "difference", "difference", ROW_FORM)
_EXAMINED = (
    _DIFFERENCE,
    Column("ci", "interval", "interval", f"+{ROW_FORM}"),
    Column("se", "standard error", "score", ROW_FORM),
    Column("p", "p, randomization", "p"),
)
_SEGMENTS = Column("n_segments", "segments", "count")
_Rows = Sequence[tuple[MetricDispute, tuple[Any, ...]]]


def _block(
    title: str, key: str, columns: Sequence[Column], rows: _Rows, note: str = ""
) -> TableBlock:
    table = Table(
        key,
        (Column("metric", "metric", "name"), *columns),
        tuple((_name_metric(one), *cells) for one, cells in rows),
        row_forms=tuple(choose_form(one.result) for one, _ in rows),
    )
    return TableBlock(table=table, title=title, notes=(note,) * bool(note))


def _name_metric(one: MetricDispute) -> str:
    return f"{metric_title(one.result.metric)} {'↑' if one.result.higher_is_better else '↓'}"


def _score_columns(found: Dispute) -> tuple[Column, Column]:
    return Column("score_a", found.a, "score", ROW_FORM), Column(
        "score_b", found.b, "score", ROW_FORM
    )


def _by_metric(found: Dispute) -> TableBlock:
    settings, rows = found.comparison.settings, []
    has_p = TESTS[settings.test].p_values is not None
    better = {1: found.a, -1: found.b, 0: "no significant difference"}
    for one in found.metrics:
        seen = _see(found, one)
        rows.append(
            (
                one,
                (
                    one.found.score_a,
                    one.found.score_b,
                    one.found.sign * one.found.delta,
                    seen.ci,
                    seen.ci_joint,
                    *((seen.p, seen.adjusted_p) if has_p else (seen.win, seen.lose)),
                    better[one.decision],
                    len(one.result.tested),
                    one.found.n,
                ),
            )
        )
    chances = (
        (Column("p", "p", "p"), Column("adjusted_p", p_word(settings.correction), "p"))
        if has_p
        else (Column("win", "first wins", "share"), Column("lose", "second wins", "share"))
    )
    columns = (
        *_score_columns(found),
        _DIFFERENCE,
        Column("ci", f"{write_level(settings)} CI", "interval", f"+{ROW_FORM}"),
        Column("ci_joint", f"{write_level(settings)} CI for all pairs", "interval", f"+{ROW_FORM}"),
        *chances,
        Column("better", "better", "name"),
        Column("n_pairs", "pairs", "count"),
        _SEGMENTS,
    )
    return _block(
        "By each metric",
        "metrics",
        columns,
        rows,
        "A positive difference is an improvement of the first system over the second, also where lower is "
        "better. Decisions are "
        + (
            "without a correction for many pairs."
            if settings.correction == "none"
            else "corrected for all pairs of the comparison: the column pairs has their number."
        ),
    )


def _by_test(found: Dispute) -> TableBlock:
    rows = []
    for test in dict.fromkeys(
        outcome.test for one in found.metrics for outcome in one.found.outcomes
    ):
        outcomes = [
            next((own for own in one.found.outcomes if own.test == test), None)
            for one in found.metrics
        ]
        rows.append(
            (
                TESTS[test].title,
                *(None if one is None else _describe_outcome(one) for one in outcomes),
            )
        )
    columns = (
        Column("test", "test", "name"),
        *(Column(one.result.metric, _name_metric(one)) for one in found.metrics),
    )
    return TableBlock(
        table=Table("tests", columns, tuple(rows)),
        title="By every test, uncorrected",
        notes=(
            "For this pair only: p (for Koehn's test, shares of samples), and which system is better where p is at most "
            "alpha. Only the test that was chosen beforehand counts.",
        ),
    )


def _describe_outcome(outcome: Outcome) -> str:
    """P or the share of wins, and who is better."""
    side = "" if outcome.better is None else " first" if outcome.better == "a" else " second"
    doubt = " (the scores disagree)" * (outcome.favours is not None)
    return (
        (format_p(outcome.p_value) if outcome.win is None else f"wins {outcome.win:.3f}")
        + side
        + doubt
    )


def _examined_cells(part: PairExamination, kind: str | None) -> tuple[Any, ...]:
    low, high = part.intervals.get(kind or "percentile") or (None, None)
    return (
        part.sign * part.delta,
        join_ends(low, high, part.sign),
        part.se[part.settings.unit],
        part.outcomes[0].p_value,
    )


def _by_unit(found: Dispute) -> TableBlock:
    many = any(len(one.units) > 1 for one in found.metrics)
    rows = [
        (one, (kind, *_examined_cells(part, one.result.ci)))
        for one in found.metrics
        for kind, part in one.units.items()
        if many
    ]
    return _block(
        "By unit",
        "units",
        (Column("unit", "unit", "name"), *_EXAMINED),
        rows,
        "Segments of a document are not independent: where its standard error is larger, use documents.",
    )


def _by_reference(found: Dispute) -> TableBlock:
    columns = (
        Column("reference", "reference", "name"),
        *_score_columns(found),
        *_EXAMINED,
        _SEGMENTS,
    )
    rows = [
        (one, (name, part.score_a, part.score_b, *_examined_cells(part, one.result.ci), part.n))
        for one in found.metrics
        for name, part in one.references.items()
    ]
    return _block("By each reference", "references", columns, rows)


def _by_domain(found: Dispute) -> TableBlock:
    columns = (
        Column("domain", "domain", "name"),
        _SEGMENTS,
        Column("n_documents", "documents", "count"),
        *_score_columns(found),
        _DIFFERENCE,
        Column("p", "p", "p"),
        Column("adjusted_p", "p over domains", "p"),
        Column("better", "better", "name"),
    )
    sides = {"a": found.a, "b": found.b, None: "no significant difference"}
    rows = [
        (
            one,
            (
                own.domain,
                own.n_segments,
                own.n_documents,
                own.score_a,
                own.score_b,
                one.result.sign * own.delta,
                own.p_value,
                own.p_adjusted,
                sides[own.better],
            ),
        )
        for one in found.metrics
        for own in _turn_domains(one)
    ]
    return _block(
        "By domain",
        "domains",
        columns,
        rows,
        "For this pair only, corrected over its domains (Romano-Wolf). A small domain can hardly decide.",
    )


def _turn_domains(one: MetricDispute) -> list[DomainPair]:
    """The two in each domain, a of the card first."""
    if one.domains is None or not one.domains.pairs:
        return []
    pair = one.domains.pairs[0]
    if pair.a == one.found.a:
        return list(pair.domains)
    return [
        replace(
            own,
            delta=-own.delta,
            better={"a": "b", "b": "a", None: None}[own.better],
            score_a=own.score_b,
            score_b=own.score_a,
        )
        for own in pair.domains
    ]


def _by_size(found: Dispute) -> TableBlock:
    unit = found.comparison.settings.unit
    counted = "segment" if unit == "block" else unit
    columns = (
        _DIFFERENCE,
        Column("mdd", "detectable, one pair", "score", ROW_FORM),
        Column("mdd_family", "among all pairs", "score", ROW_FORM),
        Column("n", f"{counted}s here", "count"),
        Column("units_for_own", f"{counted}s to settle it, one pair"),
        Column("units_for_own_family", "among all pairs"),
    )
    rows = [
        (
            one,
            (
                _see(found, one).difference,
                own.mdd,
                own.mdd_family,
                one.pair.n_units if unit == "document" else one.pair.n,
                _write_units(own.units_for_own, own.units_for_own_low, own.units_for_own_high),
                _write_units(
                    own.units_for_own_family,
                    own.units_for_own_family_low,
                    own.units_for_own_family_high,
                ),
            ),
        )
        for one in found.metrics
        for own in [one.plan]
        if own is not None
    ]
    return _block(
        "What the test set can see, and what would settle it",
        "sizes",
        columns,
        rows,
        "Detectable: the true difference found with 80% power. To settle: the size that finds the difference "
        "seen here with 80% power, if it is the true one, with a CI. A difference that made a pair stand out "
        "is usually larger than the true one, so plan for a difference that you name beforehand. The CI has "
        "no upper end where the true difference may be 0. Among all pairs: at alpha divided by their number.",
    )


def _write_units(n: int | None, low: int | None, high: int | None) -> str | None:
    if n is None or low is None:
        return None if n is None else f"{n:,}"
    return f"{n:,} [{low:,}, {'no limit' if high is None else f'{high:,}'}]"


def _by_rule(found: Dispute) -> TableBlock:
    columns = (
        Column("rule", "rule", "name"),
        Column("rank_a", found.a, "rank"),
        Column("rank_b", found.b, "rank"),
        Column("n_systems", "systems", "count"),
    )
    rows = [
        (one, (RANK_RULES[rule].title, *ranks, len(one.result.systems)))
        for one in found.metrics
        for rule, ranks in one.ranks.items()
    ]
    ignored = "; ".join(
        f"{rule.title}: {', '.join(rule.ignores)}"
        for rule in RANK_RULES.values()
        if rule.ignores and any(rule.name in one.ranks for one in found.metrics)
    )
    return _block(
        "Ranks by each rule",
        "ranks",
        columns,
        rows,
        f"Only simultaneous rank ranges hold for all systems together. The other rules ignore: {ignored}.",
    )


def _by_part(
    found: Dispute, kind: str, deciders: tuple[Sequence[Decider], Sequence[Decider]]
) -> TableBlock:
    """The documents or segments that move the difference most, in favour of each system."""
    columns = (
        Column("system", "for", "name"),
        Column(kind, "line" if kind == "segment" else kind, "name"),
        Column("added", "added", "difference", ".3g"),
    )
    rows = tuple(
        (name, one.name, one.added)
        for name, side in zip((found.a, found.b), deciders, strict=True)
        for one in side
    )
    title = f"{kind.capitalize()}s that move the difference most"
    return TableBlock(
        table=Table(f"{kind}s", columns, rows),
        title=title,
        notes=(
            f"By {metric_title(found.metrics[0].result.metric)}. Added: the difference, less the difference without that "
            f"{kind}; these do not sum to the whole.",
        ),
    )


# -------------------------------------------------------------------------------------------------
# JSON.


def card_json(found: Dispute) -> str:
    """All numbers: stable keys, undefined is null, full precision.

    Differences are score(a) - score(b), `added` what favours a.
    """
    metrics = {one.result.metric: _metric_record(one, found) for one in found.metrics}
    documents = [
        {"document": one.name, "added": one.added} for side in found.documents for one in side
    ]
    segments = [
        {"line": int(one.name), "added": one.added} for side in found.segments for one in side
    ]
    warnings = [caution.text for caution in _doubts(found)]
    for texts in group_cautions(_cautions(found), several=len(found.metrics) > 1):
        warnings += texts
    return to_json(
        {
            "testset": info_record(found.comparison.testset),
            "settings": found.comparison.settings,
            "a": found.a,
            "b": found.b,
            "metrics": metrics,
            "not_compared": dict(found.not_compared),
            "documents": documents,
            "segments": segments,
            "warnings": warnings,
        }
    )


def _metric_record(one: MetricDispute, card: Dispute) -> dict[str, Any]:
    """All numbers of a metric."""
    result, found = one.result, one.found
    ranks = {row.system: (row.rank_low, row.rank_high) for row in result.systems}
    record: dict[str, Any] = {
        "signature": result.signature,
        "higher_is_better": result.higher_is_better,
        "score_a": found.score_a,
        "score_b": found.score_b,
        "delta": found.delta,
        "n": found.n,
        "pair": one.pair,
        "rank_a": ranks[found.a],
        "rank_b": ranks[found.b],
        "tests": found.outcomes,
    }
    record["units"] = {kind: _examined_record(part, result.ci) for kind, part in one.units.items()}
    record["references"] = {
        name: _examined_record(part, result.ci) for name, part in one.references.items()
    }
    record["domains"] = None if one.domains is None else _turn_domains(one)
    record["plan"] = one.plan
    record["ranks"] = {
        rule: {"a": first, "b": second} for rule, (first, second) in one.ranks.items()
    }
    record["intervals"] = dict(found.intervals)
    record["standard_errors"] = dict(found.se)
    return record | _drawn_records(found, card)


def _drawn_records(found: PairExamination, card: Dispute) -> dict[str, Any]:
    """What the page One pair draws of a metric: improvements of a over b on resamples and after
    permutations, and what each document adds to them.
    """
    points, heights = smooth_resamples(found, card.comparison.settings.resamples)
    edges, counts = count_permutations(found)
    documents = None
    if found.by_document is not None:
        added = (found.sign * found.by_document).tolist()
        documents = dict(zip(document_names(card.testset), added, strict=True))
    return {
        "resampled": {"points": points.tolist(), "density": heights.tolist()},
        "permuted": {"edges": edges.tolist(), "counts": counts.tolist()},
        "by_document": documents,
    }


def _examined_record(part: PairExamination, kind: str | None) -> dict[str, Any]:
    low, high = part.intervals.get(kind or "percentile") or (None, None)
    return {
        "score_a": part.score_a,
        "score_b": part.score_b,
        "delta": part.delta,
        "n": part.n,
        "p_value": part.outcomes[0].p_value,
        "se": part.se[part.settings.unit],
        "ci_low": low,
        "ci_high": high,
    }
