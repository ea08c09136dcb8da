"""The integrity of ratings as tables, sentences and reports, for the people who pay for ratings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from mtsig_core.errors import format_count
from mtsig_core.experiments.rating_integrity import (
    CONFIDENCE,
    FREQUENT,
    MARKED_BY_CHANCE,
    ORDER,
    SPREAD_RATIO,
    STRICT,
    DisputedOutput,
    Estimate,
    RaterIntegrity,
    RatingIntegrity,
)
from mtsig_core.report.document import Report, Section, TableBlock
from mtsig_core.report.experiment_reports import record_by_name, write_paragraphs
from mtsig_core.report.table import Cell, Table, TableBuilder, share_cell
from mtsig_core.report.text import printable

_NAMED = 3  # raters in the verdict
_QUOTED = 80  # characters of a text in a table
_RATERS_NOTES = (
    "No finding is an accusation: a rater may be right, and the others wrong. A rater stands out if the whole interval is "
    f"beyond a bound (false alarms: {MARKED_BY_CHANCE:.0%} over all raters and tests). Bounds: {STRICT:g} SD of all "
    f"ratings stricter or milder than the median rater; {SPREAD_RATIO:g} times as much or as little spread as usual; two "
    f"systems in the same order as by the others {100 * ORDER:.0f} points less often than for the median rater. Three more "
    "signs: the second half of the documents is rated differently from the first; fewer checks are passed; one score has "
    f"{FREQUENT:.0%} of the ratings, and the median rater gives it much less often.",
    "Strictness: how many points lower than the other raters (higher, if scores count errors). Compared by outputs: "
    "with the ratings that others gave to the same outputs. If two people share outputs only with each other, the data do "
    "not show who is right. By systems: with the ratings that others gave to the same systems and domains, because too few "
    "outputs are shared; their items may be harder or easier. Spread: the SD divided by the SD of all raters. Same order: "
    "how often the rater and the others put two systems of an item in the same order. Correlation: with the scores of the "
    "others. Drift: how much stricter the second half of the documents is. Seconds: the median for an item, from the "
    f"annotation tool. Intervals are {CONFIDENCE:.0%} intervals, by document.",
)


def ratings_report(ratings: RatingIntegrity) -> Report:
    """The integrity of the ratings of a test set."""
    return Report(
        f"Integrity of the ratings of {ratings.testset}",
        rating_sections(ratings),
        make_record=lambda: record_ratings(ratings),
        make_rows=lambda: [
            {"testset": ratings.testset, **record} for record in raters_table(ratings).records()
        ],
    )


def record_ratings(ratings: RatingIntegrity) -> dict[str, Any]:
    """The ratings for JSON."""
    record = asdict(ratings)
    record["raters"] = record_by_name(ratings.raters, "rater")
    return record


def rating_sections(ratings: RatingIntegrity, pair: str = "") -> list[Section]:
    """Who stands out, then disputed outputs and documents; of a task with the language pair."""
    blocks = write_paragraphs([_state_verdict(ratings)], "verdict", pair)
    blocks += write_paragraphs([" ".join(_list_facts(ratings))])
    blocks.append(make_block(raters_table(ratings), "Raters", pair, _RATERS_NOTES))
    title = "Ratings"
    if pair:
        title = f"Ratings, {pair}"
    sections = [Section(title, blocks)]
    tables = {
        "Outputs on which raters disagree most": disputed_table(ratings),
        "Documents rated by one person only": sole_table(ratings),
    }
    for title, table in tables.items():
        if table:
            sections.append(Section(title, [make_block(table, title, pair)], depth=3))
    return sections


def make_block(
    table: Table, title: str, pair: str, notes: tuple[str, ...] = (), caption: str = ""
) -> TableBlock:
    """A table of a test set, or of a language pair, which its key and caption name."""
    caption = caption or title
    if pair:
        table = replace(table, key=f"{table.key}-{pair}")
        caption = f"{caption}, {pair}"
    return TableBlock(table=table, title=title, caption=f"{caption}.", notes=notes)


# Sentences.


def _state_verdict(ratings: RatingIntegrity) -> str:
    n = len(ratings.raters)
    marked = [row for row in ratings.raters if row.marks]
    if not marked:
        return f"None of {format_count(n, 'rater')} stands out."
    names = [f"{printable(row.rater)} ({describe_marks(row)})" for row in marked[:_NAMED]]
    if len(marked) > _NAMED:
        names.append(f"and {len(marked) - _NAMED} more")
    verb = "stands" if len(marked) == 1 else "stand"
    return f"{len(marked)} of {format_count(n, 'rater')} {verb} out: {', '.join(names)}."


def describe_marks(row: RaterIntegrity) -> str:
    """Why a rater stands out, in words."""
    return "; ".join(_MARK_WORDS[mark].format(**_list_numbers(row)) for mark in row.marks)


_MARK_WORDS: Mapping[str, str] = {
    "stricter": "{strictness:.1f} points stricter",
    "milder": "{strictness:.1f} points milder",
    "wide": "{spread:.1f} times the usual spread",
    "narrow": "{spread:.2f} of the usual spread",
    "order": "puts systems in the same order as others in {order:.0%}",
    "drift": "strictness changes by {drift:+.1f} points",
    "constant": "gives {score:g} in {share:.0%} of ratings",
    "checks": "passed {n_passed} of {n_checks} checks",
}


def _list_numbers(row: RaterIntegrity) -> dict[str, float]:
    """The numbers that marks name."""
    numbers: dict[str, float] = {"score": row.frequent_score, "share": row.frequent_share}
    numbers |= {"n_passed": row.n_passed, "n_checks": row.n_checks}
    for name in ("strictness", "spread", "order", "drift"):
        estimate = getattr(row, name)
        if estimate is not None:
            numbers[name] = estimate.value
    if row.strictness is not None:
        numbers["strictness"] = abs(row.strictness.value)
    return numbers


def _list_facts(ratings: RatingIntegrity) -> list[str]:
    """How much was rated twice, the largest difference, who decided alone, and checks."""
    facts = [f"{ratings.n_ratings:,} ratings of {format_count(ratings.n_outputs, 'output')}."]
    if ratings.n_shared:
        facts.append(f"Outputs with two or more ratings: {ratings.n_shared:,}.")
    else:
        facts.append(
            "No output has two ratings, so raters are compared on other items, which may be harder or easier."
        )
    if ratings.disputed:
        first = ratings.disputed[0]
        facts.append(
            f"The largest difference is on line {first.line}, {printable(first.system)}: "
            f"{_write_scores(first)}."
        )
    if ratings.n_sole:
        facts.append(
            f"Only one person rated {ratings.n_sole:,} of {format_count(ratings.n_documents, 'document')}."
        )
    n_checks = sum(row.n_checks for row in ratings.raters)
    if n_checks:
        n_passed = sum(row.n_passed for row in ratings.raters)
        facts.append(f"Raters passed {n_passed:,} of {format_count(n_checks, 'check')}.")
    return facts


# Tables.


def raters_table(ratings: RatingIntegrity) -> Table:
    """A row for each rater, those who stand out first."""
    rows = ratings.raters
    table = TableBuilder("raters", rows)
    table.add("rater", "rater", "name")
    if any(row.marks for row in rows):
        table.add("marks", "stands out", "text", describe_marks)
    form = ".2f" if ratings.sd < 2 else ".1f"
    estimates = (
        ("strictness", "strictness", form),
        ("spread", "spread", ".2f"),
        ("order", "same order", ".2f"),
        ("drift", "drift", form),
    )
    for key, title, estimate_form in estimates:
        values = [_list_ends(getattr(row, key)) for row in rows]
        if any(value is not None for value in values):
            table.add_values(key, title, "estimate", values, form=estimate_form)
    where = "" if len({row.basis for row in rows}) > 1 else "files"
    table.add("basis", "compared by", "text", where=where)
    table.add("correlation", "correlation", "share", form=".2f")
    table.add("frequent_share", "most frequent", "written", _write_frequent)
    if any(row.n_checks for row in rows):
        checks = [share_cell(row.n_passed, row.n_checks) for row in rows]
        table.add_values("checks", "checks", "written", checks)
        table.add("n_checks", "checks", "count", where="files")
    if any(row.seconds_per_item is not None for row in rows):
        table.add("seconds_per_item", "seconds", "score", form=".0f")
    table.add("n_ratings", "ratings", "count")
    table.add("n_documents", "documents", "count", where="files")
    table.add("mean", "mean", "score", form=form, where="files")
    table.add("sd", "SD", "score", form=form, where="files")
    return table.build()


def _list_ends(estimate: Estimate | None) -> tuple[float, float, float] | None:
    if estimate is None:
        return None
    return estimate.value, estimate.low, estimate.high


def _write_frequent(row: RaterIntegrity) -> Cell:
    return Cell(f"{row.frequent_score:g} in {row.frequent_share:.0%}", row.frequent_share)


def disputed_table(ratings: RatingIntegrity) -> Table:
    """The outputs on which raters disagree, with their texts."""
    rows = ratings.disputed
    table = TableBuilder("disputed_outputs", rows)
    table.add("line", "line", "count")
    table.add("system", "system", "name")
    table.add("difference", "difference", "score", form=".1f")
    table.add("scores", "scores", "text", _write_scores)
    if any(row.output is not None for row in rows):
        table.add("source", "source", "text", lambda row: _shorten(row.source))
        table.add("output", "output", "text", lambda row: _shorten(row.output))
    return table.build()


def _write_scores(row: DisputedOutput) -> str:
    return ", ".join(f"{score:.4g} by {printable(rater)}" for rater, score in row.scores)


def _shorten(text: str | None) -> str:
    if text is None:
        return ""
    if len(text) > _QUOTED:
        return f"{printable(text[:_QUOTED])}..."
    return printable(text)


def sole_table(ratings: RatingIntegrity) -> Table:
    """The documents that one person rated, those with the most ratings first."""
    table = TableBuilder("sole_documents", ratings.sole_documents)
    table.add("document", "document", "name")
    table.add("rater", "rater", "name")
    table.add("n_ratings", "ratings", "count")
    return table.build()
