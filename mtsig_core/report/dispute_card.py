"""A dispute card: everything about one pair of systems, as tables, text, JSON and HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtsig_core.experiments.dispute import Dispute, MetricDispute
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import group_cautions, p_word
from mtsig_core.report.html import table_html, template
from mtsig_core.report.palette import shortened, width
from mtsig_core.report.sentences import (
    choose_form,
    describe_tests,
    list_assumptions,
    pick_file_doubts,
    summarize_comparison,
    write_level,
)
from mtsig_core.report.table import ROW_FORM, Column, Table, format_p, join_ends, number, signed
from mtsig_core.report.text import printable, table_text, terminal_width
from mtsig_core.results import DomainPair
from mtsig_core.schema import to_json
from mtsig_core.stats.pair import Outcome, PairExamination
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.stats.significance import TESTS

#-----------------------------------------------------------------------------------------------------------------------
# A dispute card: everything about one pair of systems as tables, and as text and JSON.


@dataclass(frozen=True)
class Part:
    """A table of the card with its title, and how to read it."""

    title: str
    table: Table
    note: str = ""


def card_verdict(found: Dispute) -> str:
    """What the metrics say of the pair together, in one sentence without its full stop."""
    sides: dict[int, list[str]] = {}
    for one in found.metrics:
        sides.setdefault(one.decision, []).append(metric_title(one.result.metric))
    better = {1: found.a, -1: found.b}
    said = [f"{better[side]} is significantly better by {', '.join(sides[side])}" for side in (1, -1) if side in sides]
    said += [f"{', '.join(sides[0])} {'does' if len(sides[0]) == 1 else 'do'} not separate them, which does not make "
             "them equal"] if 0 in sides else []
    head = "The metrics decide in opposite ways: " if {1, -1} <= sides.keys() else ""
    return head + "; ".join(said)


def card_parts(found: Dispute) -> list[Part]:
    """All tables of the card, the ones that decide first; those with nothing to say are left out."""
    return [part for part in (_by_metric(found), _by_test(found), _by_unit(found), _by_reference(found),
                              _by_domain(found), _size(found), _by_rule(found), _documents(found)) if part.table]


def card_cautions(found: Dispute) -> list[list[str]]:
    """The warnings that are about this pair or the whole comparison, by kind."""
    return group_cautions((caution for caution in found.comparison.warnings if not caution.kind.doubts_files and (
        caution.concerns_all or caution.concerns_pair(found.a, found.b))), several=len(found.metrics) > 1)


def card_doubts(found: Dispute) -> list[str]:
    """The warnings that put all numbers of the pair in doubt, which stand beside the verdict."""
    return [caution.text for caution in pick_file_doubts(found.comparison.warnings)
            if caution.concerns_pair(found.a, found.b)]


def card_methods(found: Dispute) -> list[str]:
    """How it was tested, a paragraph for each metric, each sentence once."""
    said: set[str] = set()
    paragraphs = []
    for one in found.metrics:
        own = [text for text in describe_tests(found.comparison, one.result.metric) if text not in said]
        said |= set(own)
        if own:
            paragraphs.append(f"{metric_title(one.result.metric)}: {' '.join(own)}")
    return paragraphs


def card_text(found: Dispute) -> str:
    """The card for a terminal, without texts of segments."""
    lines = [f"{printable(found.a)} and {printable(found.b)}: {printable(found.comparison.testset.name)}",
             *("; ".join(map(printable, part)) for part in summarize_comparison(found.comparison)),
             f"{printable(card_verdict(found))}.", *(f"Warning: {printable(text)}" for text in card_doubts(found)),
             *map(printable, list_assumptions(found.comparison.testset.assumed, found.comparison.metrics))]
    for part in card_parts(found):
        lines += ["", part.title, *table_text(part.table, terminal_width()), *filter(None, [part.note])]
    lines += ["", "Segments that move the difference most, lines by the first metric:"]
    lines += [f"  for {printable(name)}: " + (", ".join(f"{one.name} ({number(one.added, '+.3g')})" for one in side)
                                             or "none")
              for name, side in zip((found.a, found.b), found.segments, strict=True)]
    lines += [f"Not compared by {printable(metric_title(name))}: {printable(why)}"
              for name, why in found.not_compared.items()]
    lines += [f"Warning: {printable(text)}" for texts in card_cautions(found) for text in texts]
    return "\n".join(lines) + "\n"


def card_json(found: Dispute) -> str:
    """All numbers: stable keys, undefined is null, full precision. Differences are score(a) - score(b), `added` what
    favours a."""
    return to_json({
        "testset": found.comparison.testset, "settings": found.comparison.settings,
        "a": found.a, "b": found.b, "metrics": {one.result.metric: _record(one) for one in found.metrics},
        "not_compared": dict(found.not_compared),
        "documents": [{"document": one.name, "added": one.added} for side in found.documents for one in side],
        "segments": [{"line": int(one.name), "added": one.added} for side in found.segments for one in side],
        "warnings": [*card_doubts(found), *(text for texts in card_cautions(found) for text in texts)]})


def _record(one: MetricDispute) -> dict[str, Any]:
    result, found = one.result, one.found
    ends = {name: (row.rank_low, row.rank_high) for row in result.systems for name in [row.system]}
    return {"signature": result.signature, "higher_is_better": result.higher_is_better,
            "score_a": found.score_a, "score_b": found.score_b, "delta": found.delta, "n": found.n,
            "pair": one.pair, "rank_a": ends[found.a], "rank_b": ends[found.b], "tests": found.outcomes,
            "units": {kind: _examined(of, result.ci) for kind, of in one.units.items()},
            "references": {name: _examined(of, result.ci) for name, of in one.references.items()},
            "domains": None if one.domains is None else _in_domains(one), "plan": one.plan,
            "ranks": {rule: {"a": first, "b": second} for rule, (first, second) in one.ranks.items()}}


def _examined(found: PairExamination, kind: str | None) -> dict[str, Any]:
    ends = found.intervals.get(kind or "percentile")
    return {"score_a": found.score_a, "score_b": found.score_b, "delta": found.delta, "n": found.n,
            "p_value": found.outcomes[0].p_value, "se": found.se[found.settings.unit],
            "ci_low": None if ends is None else ends[0], "ci_high": None if ends is None else ends[1]}


def _metric(one: MetricDispute) -> str:
    return f"{metric_title(one.result.metric)} {'↑' if one.result.higher_is_better else '↓'}"


def turn(one: MetricDispute) -> int:
    """What turns a difference of the pair, as the comparison has it, into an improvement of a over b."""
    return one.result.sign * (1 if one.pair.a == one.found.a else -1)


def _named(found: Dispute, decision: int) -> str:
    return {1: found.a, -1: found.b, 0: "no significant difference"}[decision]


# Columns that several tables of the card have; each row has the form of its metric.
_METRIC = Column("metric", "metric", "name")
_DIFFERENCE = Column("difference", "difference", "difference", ROW_FORM)
_EXAMINED = (_DIFFERENCE, Column("ci", "interval", "interval", f"+{ROW_FORM}"),
             Column("se", "standard error", "score", ROW_FORM), Column("p", "p (ar)", "p"))


def _score_columns(found: Dispute) -> tuple[Column, Column]:
    return Column("score_a", found.a, "score", ROW_FORM), Column("score_b", found.b, "score", ROW_FORM)


def _table(key: str, columns: Sequence[Column], rows: Sequence[tuple[MetricDispute, tuple[Any, ...]]]) -> Table:
    """A table of which each row begins with its metric."""
    return Table(key, (_METRIC, *columns), tuple((_metric(one), *cells) for one, cells in rows),
                 row_forms=tuple(choose_form(one.result) for one, _ in rows))


def _by_metric(found: Dispute) -> Part:
    settings, rows = found.comparison.settings, []
    no_p = TESTS[settings.test].p_values is None
    for one in found.metrics:
        pair, sign = one.pair, turn(one)
        chance = (pair.win, pair.lose) if no_p else (pair.p_value, pair.p_adjusted)
        rows.append((one, (one.found.score_a, one.found.score_b, one.found.sign * one.found.delta,
                           join_ends(pair.ci_low, pair.ci_high, sign),
                           join_ends(pair.ci_joint_low, pair.ci_joint_high, sign), *chance,
                           _named(found, one.decision), len(one.result.tested), one.found.n)))
    chances = (Column("win", "first wins", "share"), Column("lose", "second wins", "share")) if no_p else \
        (Column("p", "p", "p"), Column("adjusted_p", p_word(settings.correction), "p"))
    columns = (*_score_columns(found), _DIFFERENCE,
               Column("ci", f"single {write_level(settings)} interval", "interval", f"+{ROW_FORM}"),
               Column("ci_joint", "simultaneous interval", "interval", f"+{ROW_FORM}"), *chances,
               Column("better", "better", "name"), Column("n_pairs", "pairs", "count"),
               Column("n_segments", "segments", "count"))
    how = "Decisions are without a correction for many pairs." if settings.correction == "none" else \
        "Decisions are corrected for all pairs of the comparison: the column pairs says how many."
    return Part("By each metric", _table("metrics", columns, rows),
                "A positive difference is an improvement of the first system over the second, for metrics where lower "
                f"is better too. {how}")


def _by_test(found: Dispute) -> Part:
    tests = dict.fromkeys(outcome.test for one in found.metrics for outcome in one.found.outcomes)
    rows = []
    for test in tests:
        outcomes = [next((own for own in one.found.outcomes if own.test == test), None) for one in found.metrics]
        rows.append((TESTS[test].title, *(None if one is None else _describe_outcome(one) for one in outcomes)))
    columns = (Column("test", "test", "name"), *(Column(one.result.metric, _metric(one)) for one in found.metrics))
    return Part("By every test, uncorrected", Table("tests", columns, tuple(rows)),
                "For this pair alone: p, and which system is better where p is at most alpha; Koehn's test has shares "
                "of samples in place of p. The test that happens to agree is no evidence: the one chosen beforehand "
                "counts.")


def _describe_outcome(outcome: Outcome) -> str:
    """p or the share of wins, and who is better."""
    side = "" if outcome.better is None else " first" if outcome.better == "a" else " second"
    doubt = " (the scores disagree)" * (outcome.favours is not None)
    return (format_p(outcome.p_value) if outcome.win is None else f"wins {outcome.win:.3f}") + side + doubt


def _examined_cells(found: PairExamination, kind: str | None) -> tuple[Any, ...]:
    low, high = found.intervals.get(kind or "percentile") or (None, None)
    return (found.sign * found.delta, join_ends(low, high, found.sign), found.se[found.settings.unit],
            found.outcomes[0].p_value)


def _by_unit(found: Dispute) -> Part:
    many = any(len(one.units) > 1 for one in found.metrics)
    rows = [(one, (kind, *_examined_cells(part, one.result.ci)))
            for one in found.metrics for kind, part in one.units.items() if many]
    return Part("By unit", _table("units", (Column("unit", "unit", "name"), *_EXAMINED), rows),
                "Sentences of a document are not independent: where its standard error is larger, the document counts.")


def _by_reference(found: Dispute) -> Part:
    columns = (Column("reference", "reference", "name"), *_score_columns(found), *_EXAMINED,
               Column("n_segments", "segments", "count"))
    rows = [(one, (name, part.score_a, part.score_b, *_examined_cells(part, one.result.ci), part.n))
            for one in found.metrics for name, part in one.references.items()]
    return Part("By each reference alone", _table("references", columns, rows))


def _in_domains(one: MetricDispute) -> list[DomainPair]:
    """The two in each domain, a of the card first."""
    if one.domains is None or not one.domains.pairs:
        return []
    pair = one.domains.pairs[0]
    if pair.a == one.found.a:
        return list(pair.domains)
    return [replace(own, delta=-own.delta, better={"a": "b", "b": "a", None: None}[own.better],
                    score_a=own.score_b, score_b=own.score_a) for own in pair.domains]


def _by_domain(found: Dispute) -> Part:
    columns = (Column("domain", "domain", "name"), Column("n_segments", "segments", "count"),
               Column("n_documents", "documents", "count"), *_score_columns(found), _DIFFERENCE,
               Column("p", "p", "p"), Column("adjusted_p", "p over domains", "p"), Column("better", "better", "name"))
    sides = {"a": found.a, "b": found.b, None: "no significant difference"}
    rows = [(one, (own.domain, own.n_segments, own.n_documents, own.score_a, own.score_b,
                   one.result.sign * own.delta, own.p_value, own.p_adjusted, sides[own.better]))
            for one in found.metrics for own in _in_domains(one)]
    return Part("By domain", _table("domains", columns, rows),
                "For this pair alone; corrected over its domains (Romano-Wolf). A small domain can hardly decide.")


def _size(found: Dispute) -> Part:
    unit = found.comparison.settings.unit
    counted = "segment" if unit == "block" else unit
    columns = (_DIFFERENCE, Column("mdd", "detectable alone", "score", ROW_FORM),
               Column("mdd_family", "among all pairs", "score", ROW_FORM), Column("n", f"{counted}s here", "count"),
               Column("units_for_own", f"{counted}s to settle it alone"),
               Column("units_for_own_family", "among all pairs"))
    rows = [(one, (turn(one) * one.pair.delta, own.mdd, own.mdd_family,
                   one.pair.n_units if unit == "document" else one.pair.n,
                   _units(own.units_for_own, own.units_for_own_low, own.units_for_own_high),
                   _units(own.units_for_own_family, own.units_for_own_family_low, own.units_for_own_family_high)))
            for one in found.metrics for own in [one.plan] if own is not None]
    return Part("What the test set can see, and what would settle it", _table("sizes", columns, rows),
                "Detectable: the true difference found with 80% power. To settle: the size that finds the difference "
                "seen here with 80% power, were it the true one, with its interval; no upper end where 0 cannot be "
                "excluded. Among all pairs: at alpha divided by their number.")


def _units(n: int | None, low: int | None, high: int | None) -> str | None:
    if n is None or low is None:
        return None if n is None else f"{n:,}"
    return f"{n:,} [{low:,}, {'no limit' if high is None else f'{high:,}'}]"


def _by_rule(found: Dispute) -> Part:
    columns = (Column("rule", "rule", "name"), Column("rank_a", found.a, "rank"), Column("rank_b", found.b, "rank"),
               Column("n_systems", "systems", "count"))
    rows = [(one, (RANK_RULES[rule].title, *ranks, len(one.result.systems)))
            for one in found.metrics for rule, ranks in one.ranks.items()]
    return Part("Ranks by each rule", _table("ranks", columns, rows),
                "Only simultaneous rank intervals hold for all systems together; what the others leave out: "
                + "; ".join(f"{rule.title}: {', '.join(rule.ignores)}" for rule in RANK_RULES.values()
                            if rule.ignores and any(rule.name in one.ranks for one in found.metrics)) + ".")


def _documents(found: Dispute) -> Part:
    columns = (Column("system", "for", "name"), Column("document", "document", "name"),
               Column("added", "added", "difference", ".3g"))
    rows = tuple((name, one.name, one.added) for name, side in zip((found.a, found.b), found.documents, strict=True)
                 for one in side)
    return Part("Documents that move the difference most", Table("documents", columns, rows),
                f"By {metric_title(found.metrics[0].result.metric)}. Added: the difference, less the difference "
                "without that document; these do not sum to the whole.")


def shown_texts(found: Dispute) -> Iterator[tuple[str, list[tuple[str, list[tuple[str, str]]]]]]:
    """For each system the segments most in its favour: a head, and named texts."""
    testset = found.testset
    for name, side in zip((found.a, found.b), found.segments, strict=True):
        cards = []
        for one in side:
            k = one.position
            where = [values[k] for values in (testset.domains, testset.documents) if values is not None]
            texts = [] if testset.sources is None else [("source", testset.sources[k])]
            texts += [(label, text[k] or "") for label, text in testset.references.items() if text[k] is not None]
            texts += [(system, testset.systems[system][k] or "(no text here)") for system in (found.a, found.b)]
            cards.append((" · ".join([f"line {one.name}", *where, f"{one.added:+.3g}"]), texts))
        yield name, cards


#-----------------------------------------------------------------------------------------------------------------------
# A dispute card as one HTML file to print or to send: no script, no font, no picture, no network.


_FOLDED = 600  # characters of a text from which on the rest is folded away; in print it is not
_WIDE, _ROW, _END = 1040, 40, 150  # of the figure, in pixels


def card_html(found: Dispute, command: str) -> str:
    """The answer and a figure first, then all tables, the texts that decide, warnings, how it was tested, the command.

    Parameters
    ----------
    found : Dispute
    command : str
        The command line that prints its numbers, without the format.

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers, and light on A4 in print. Names and texts are shown
        literally.
    """
    info, settings = found.comparison.testset, found.comparison.settings
    return template("dispute.html").render(
        found=found, info=info, settings=settings, verdict=card_verdict(found), parts=card_parts(found),
        figure=intervals_svg(found), summary=summarize_comparison(found.comparison), doubts=card_doubts(found),
        cautions=card_cautions(found), methods=card_methods(found), table_html=table_html,
        primary=metric_title(found.metrics[0].result.metric),
        texts=[(name, [(head, [(label, *_folded(text)) for label, text in own]) for head, own in cards])
               for name, cards in shown_texts(found)] if found.testset.has_texts else [],
        commands={"this page": f"{command} --format html", "all numbers": f"{command} --format json"})


def intervals_svg(found: Dispute) -> str:
    """The difference under each metric, each on a scale of its own: a thick bar is its single interval, a thin line
    with ends the simultaneous one; filled where it is decided."""
    shapes: Any = template("shapes.svg").module  # its macros
    left = 20 + 9 * max(width(printable(metric_title(one.result.metric))) for one in found.metrics)
    middle, half = left + (_WIDE - left - _END) / 2, (_WIDE - left - _END) / 2 - 10
    bottom = 30 + _ROW * len(found.metrics)
    names = [shortened(printable(name), 40) for name in (found.b, found.a)]
    drawn = [shapes.text(middle - 12, 18, f"← {names[0]} better", "head end"),
             shapes.text(middle + 12, 18, f"{names[1]} better →", "head"),
             shapes.line(middle, 26, middle, bottom, "zero")]
    for k, one in enumerate(found.metrics):
        y = 30 + _ROW * (k + 0.5)
        delta, single, joint = _ends(one)
        reach = max(map(abs, (delta, *single, *joint)), default=0.0) or 1.0

        def at(value: float, reach: float = reach) -> float:
            return middle + half * value / reach

        drawn.append(shapes.text(left - 10, y + 5, metric_title(one.result.metric), "end"))
        if joint:
            drawn += [shapes.line(at(joint[0]), y, at(joint[1]), y, "together"),
                      *(shapes.line(at(end), y - 7, at(end), y + 7, "together") for end in joint)]
        if single:
            drawn.append(shapes.line(at(single[0]), y, at(single[1]), y, "single"))
        drawn += [shapes.dot(at(delta), y, f" first{' filled' * bool(one.decision)}"),
                  shapes.text(_WIDE - _END + 14, y + 5, signed(delta, choose_form(one.result)))]
    figure: str = shapes.svg(_WIDE, bottom + 8, "The difference under each metric with its intervals; the table below "
                                                "has the numbers.", drawn)
    return figure


def _ends(one: MetricDispute) -> tuple[float, list[float], list[float]]:
    """Improvement of a over b, and the ends of its single and simultaneous intervals, none where there are none."""
    sign, pair = turn(one), one.pair
    single, joint = ([sign * end for end in ends if end is not None] for ends in (
        (pair.ci_low, pair.ci_high), (pair.ci_joint_low, pair.ci_joint_high)))
    return sign * pair.delta, single if len(single) == 2 else [], joint if len(joint) == 2 else []


def _folded(text: str) -> tuple[str, str]:
    """What is seen of a text, and the rest, from the last space on where there is one."""
    if len(text) <= _FOLDED:
        return text, ""
    at = max(text.rfind(" ", _FOLDED // 2, _FOLDED), 0) or _FOLDED
    return text[:at], text[at:]
