"""Systems by domain: tables, sentences, text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.assumption_words import info_record, list_assumptions
from mtsig_core.report.caution_words import caution_record
from mtsig_core.report.document import Paragraph, Report, Section, TableBlock, Warnings
from mtsig_core.report.export import records_csv
from mtsig_core.report.sentences import describe_direction
from mtsig_core.report.table import Column, Table, written_like
from mtsig_core.report.text import report_text, terminal_width
from mtsig_core.results import ByDomain
from mtsig_core.schema import to_json
from mtsig_core.stats.few_units import least_of_units
from mtsig_core.stats.settings import SETTINGS
from mtsig_core.stats.significance import TESTS


def domain_table(found: ByDomain) -> Table:
    """Scores of the systems, best on the whole set first, in each domain."""
    form = written_like(score for part in found.domains for score in part.scores.values() if score is not None)
    columns = (Column("system", "system", "name"),
               *(Column(part.domain, part.domain, "score", form) for part in found.domains))
    return Table("domains", columns, tuple(
        (name, *(part.scores[name] for part in found.domains)) for name in found.systems))


def opposed_pairs_table(found: ByDomain) -> Table:
    """The pairs that reverse significantly, then the significant ones with the other sign in some domain; positive
    where a is better."""
    sign = 1 if found.higher_is_better else -1
    form = written_like(pair.delta for pair in found.pairs)
    domains = [part.domain for part in found.domains]
    columns = (Column("a", "a", "name"), Column("b", "b", "name"), Column("difference", "all", "decided", form),
               Column("p_adjusted", "p adj.", "p"),
               *(Column(domain, domain, "decided", form) for domain in domains), Column("reverses", "reverses"))
    rows, shown = [], (pair for pair in found.pairs if pair.reverses or pair.opposed)
    for pair in sorted(shown, key=lambda row: not row.reverses):
        inside = {own.domain: (sign * own.delta, own.better is not None) for own in pair.domains}
        rows.append((pair.a, pair.b, (sign * pair.delta, pair.better is not None), pair.p_adjusted,
                     *map(inside.get, domains), "yes" if pair.reverses else "no"))
    return Table("opposed-pairs", columns, tuple(rows))


def domains_verdict(found: ByDomain) -> str:
    """How many significant pairs are the other way round somewhere, in a sentence without its full stop."""
    unit, m = found.sampling.unit, len(found.pairs)
    units = sum(part.n_documents or 0 if unit == "document" else part.n_segments for part in found.domains)
    if float(least_of_units(TESTS[found.test], unit, np.array(units))) > found.sampling.alpha:
        return f"no pair can be significant with {format_count(units, unit)}"
    n = sum(pair.better is not None for pair in found.pairs)
    opposed, reverses = (sum(map(bool, values)) for values in zip(
        *((pair.opposed, pair.reverses) for pair in found.pairs), strict=True))
    return (f"{n} of {format_count(m, 'pair')} significant on the whole set, {opposed} of these with the other sign in "
            f"some domain; {reverses or 'none'} significantly reversed between domains")


def domains_note(found: ByDomain) -> str:
    """How to read the numbers."""
    n, m, unit = sum(len(pair.domains) for pair in found.pairs), len(found.pairs), found.sampling.unit
    sizes = ", ".join(f"{part.domain} {part.n_segments:,}"
                      + ("" if part.n_documents is None else f" ({part.n_documents:,})") for part in found.domains)
    documents = "" if found.domains[0].n_documents is None else " (and documents)"
    whole = {part.domain: part.n_segments for part in found.domains}
    if any(own.n_segments < whole[own.domain] for pair in found.pairs for own in pair.domains):
        sizes += "; a pair is compared on the segments that have scores for both systems"
    return (f"Segments{documents}: {sizes}. Positive where the first system is better; ● is significant at "
            f"{found.sampling.alpha:g}. Corrected by Romano-Wolf for {format_count(m, 'pair')} on the whole set, and "
            f"separately for {n} in the domains. {SETTINGS['test'].name_value(found.test)} by {unit}, within domains. "
            f"A domain with few {unit}s can hardly decide anything, so another sign is not yet a reversal.")


def _metric_sections(found: ByDomain) -> Iterator[Section]:
    title, direction = metric_title(found.metric), describe_direction(found.higher_is_better)
    yield Section("", [
        Paragraph(text=f"{title} ({direction}): {domains_verdict(found)}.", role="verdict"),
        *(Paragraph(text=text) for text in list_assumptions(found.testset.assumed, [found.metric]))])
    for name, table in (("scores by domain", domain_table(found)), ("reversed pairs", opposed_pairs_table(found))):
        if table:
            yield Section("", [TableBlock(table=table, title=f"{title}: {name}")])
    signatures = [found.signature, *(f"{part.domain}: {part.signature}" for part in found.domains
                                     if part.signature is not None)]
    yield Section("", [Paragraph(text=domains_note(found), role="note"), Warnings(cautions=found.warnings)])
    yield Section("", [Paragraph(text=text, role="signature") for text in signatures])


def domains_text(found: Sequence[ByDomain]) -> str:
    """For each metric the scores by domain, and the significant pairs that a domain has the other way round."""
    sections = [section for one in found for section in _metric_sections(one)]
    return report_text(Report(f"Systems by domain on {found[0].testset.name}", sections), terminal_width())


def domains_json(found: Sequence[ByDomain]) -> str:
    """By metric; stable keys, undefined is null, full precision."""
    first = found[0]
    return to_json({"testset": info_record(first.testset), "settings": _settings(first), "metrics": {
        one.metric: {"signature": one.signature, "higher_is_better": one.higher_is_better,
                     "systems": list(one.systems), "domains": [asdict(row) for row in one.domains],
                     "pairs": [asdict(row) for row in one.pairs]} for one in found},
        "warnings": [caution_record(caution) for one in found for caution in one.warnings]})


def domains_csv(found: Sequence[ByDomain]) -> str:
    """Rows of scores, of pairs on the whole set (domain empty) and of pairs in each domain, by the column ``table``."""
    rows: list[dict[str, object]] = []
    for one in found:
        own = {"metric": one.metric, "signature": one.signature}
        signatures = {part.domain: part.signature or one.signature for part in one.domains}
        rows += [{"table": "scores", **own, "signature": signatures[part.domain], "domain": part.domain,
                  "n_segments": part.n_segments, "n_documents": part.n_documents, "system": name, "score": score}
                 for part in one.domains for name, score in part.scores.items()]
        for pair in one.pairs:
            flat = {key: value for key, value in asdict(pair).items() if key not in ("domains", "opposed")}
            rows.append({"table": "pairs", **own, "domain": "", **flat, "opposed": len(pair.opposed)})
            rows += [{"table": "pairs", **own, "signature": signatures[part.domain], "a": pair.a, "b": pair.b,
                      **asdict(part)} for part in pair.domains]
    info = {"testset": found[0].testset.name, "digest": found[0].testset.digest, **_settings(found[0])}
    return records_csv([{**row, **info} for row in rows])


def _settings(found: ByDomain) -> dict[str, object]:
    return {**asdict(found.sampling), "test": found.test, "trials": found.trials, "correction": "romano-wolf"}


DOMAIN_FORMS = {"text": domains_text, "json": domains_json, "csv": domains_csv}
