"""Systems by domain: rows, a sentence, text, JSON and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import Cell, Table, number, signed, written_like
from mtsig_core.report.export import records_csv, to_json
from mtsig_core.report.terminal import table_lines
from mtsig_core.report.text import printable
from mtsig_core.report.words import assumptions, direction
from mtsig_core.results import ByDomain
from mtsig_core.stats.few_units import least_of_units
from mtsig_core.stats.significance import TESTS


def domains_json(found: Sequence[ByDomain]) -> str:
    """By metric; stable keys, undefined is null, full precision."""
    first = found[0]
    return to_json({"testset": asdict(first.testset), "settings": _settings(first), "metrics": {
        one.metric: {"signature": one.signature, "higher_is_better": one.higher_is_better,
                     "systems": list(one.systems), "domains": [asdict(row) for row in one.domains],
                     "pairs": [asdict(row) for row in one.pairs]} for one in found},
        "warnings": [asdict(caution) for one in found for caution in one.warnings]})


def domains_csv(found: Sequence[ByDomain]) -> str:
    """Rows of scores, of pairs on the whole set (domain empty) and of pairs in each domain, by the column ``table``."""
    rows: list[dict[str, object]] = []
    for one in found:
        own = {"metric": one.metric, "signature": one.signature}
        signed_as = {part.domain: part.signature or one.signature for part in one.domains}
        rows += [{"table": "scores", **own, "signature": signed_as[part.domain], "domain": part.domain,
                  "n_segments": part.n_segments, "n_documents": part.n_documents, "system": name, "score": score}
                 for part in one.domains for name, score in part.scores.items()]
        for pair in one.pairs:
            flat = {key: value for key, value in asdict(pair).items() if key not in ("domains", "opposed")}
            rows.append({"table": "pairs", **own, "domain": "", **flat, "opposed": len(pair.opposed)})
            rows += [{"table": "pairs", **own, "signature": signed_as[part.domain], "a": pair.a, "b": pair.b,
                      **asdict(part)} for part in pair.domains]
    info = {"testset": found[0].testset.name, "digest": found[0].testset.digest, **_settings(found[0])}
    return records_csv([{**row, **info} for row in rows])


def domains_text(found: Sequence[ByDomain]) -> str:
    """For each metric the scores by domain, and the significant pairs that a domain has the other way round."""
    lines = []
    for one in found:
        header, rows = domain_rows(one)
        lines += [f"{printable(metric_title(one.metric))} ({direction(one.higher_is_better)}): {domains_verdict(one)}.",
                  *map(printable, assumptions(one.testset.assumed, [one.metric])), "",
                  *table_lines(header, rows, "<" + ">" * (len(header) - 1)), ""]
        header, rows = opposed_rows(one)
        if rows:
            lines += [*table_lines(header, rows, "<<" + ">" * (len(header) - 2)), ""]
        lines += [domains_note(one), *(f"Warning: {printable(caution.text)}" for caution in one.warnings), "",
                  printable(one.signature), *(f"{printable(part.domain)}: {printable(part.signature)}"
                                              for part in one.domains if part.signature is not None), ""]
    return "\n".join(lines).rstrip() + "\n"


def domains_verdict(found: ByDomain) -> str:
    """How many significant pairs are the other way round somewhere, in a sentence without its full stop."""
    significant = [pair for pair in found.pairs if pair.better is not None]
    opposed, reverses = sum(bool(pair.opposed) for pair in significant), sum(pair.reverses for pair in found.pairs)
    n, m = len(significant), len(found.pairs)
    unit, alpha = found.sampling.unit, found.sampling.alpha
    units = sum(part.n_documents or 0 if unit == "document" else part.n_segments for part in found.domains)
    if float(least_of_units(TESTS[found.test], unit, np.array(units))) > alpha:
        return f"no pair can be significant with {counted(units, unit)}"
    whole = "no pair is significant on the whole set" if not n else \
        f"{opposed} of {counted(n, 'significant pair')} {'has' if n == 1 else 'have'} the other sign in some domain"
    if m == 1:
        return f"{whole}; the pair {'reverses' if reverses else 'does not reverse'} significantly between domains"
    return f"{whole}; {reverses or 'none'} of {m} pairs {'reverses' if reverses == 1 else 'reverse'} significantly " \
           "between domains"


def domain_rows(found: ByDomain) -> Table:
    """Systems down, best on the whole set first; domains across."""
    form = written_like(score for part in found.domains for score in part.scores.values() if score is not None)
    return ["system", *(part.domain for part in found.domains)], [
        [name, *(number(part.scores[name], form) for part in found.domains)] for name in found.systems]


def opposed_rows(found: ByDomain) -> Table:
    """The pairs that reverse significantly, then the significant ones with the other sign in some domain; positive
    where a is better."""
    sign = 1 if found.higher_is_better else -1
    kinds = [part.domain for part in found.domains]
    form = written_like(pair.delta for pair in found.pairs)
    rows = []
    shown = (pair for pair in found.pairs if pair.reverses or pair.opposed)
    for pair in sorted(shown, key=lambda row: not row.reverses):
        inside = {one.domain: one for one in pair.domains}
        rows.append([pair.a, pair.b, signed(sign * pair.delta, form) + "*" * (pair.better is not None),
                     Cell(f"{pair.p_adjusted:.4f}", pair.p_adjusted),
                     *(signed(sign * inside[kind].delta, form) + "*" * (inside[kind].better is not None)
                       if kind in inside else "-" for kind in kinds), "yes" if pair.reverses else "no"])
    return ["a", "b", "all", "p adj.", *kinds, "reverses"], rows


def domains_note(found: ByDomain) -> str:
    """How to read the numbers."""
    n = sum(len(pair.domains) for pair in found.pairs)
    sizes = ", ".join(f"{part.domain} {part.n_segments:,}"
                      + ("" if part.n_documents is None else f" ({part.n_documents:,})") for part in found.domains)
    documents = "" if found.domains[0].n_documents is None else " (and documents)"
    whole = {part.domain: part.n_segments for part in found.domains}
    if any(own.n_segments < whole[own.domain] for pair in found.pairs for own in pair.domains):
        sizes += "; a pair is compared on those of them that have scores for both"
    taken = "a - b" if found.higher_is_better else "b - a, positive where a is better, as lower is better"
    shown = any(pair.reverses or pair.opposed for pair in found.pairs)
    signs = f" Differences {taken}; * is significant at {found.sampling.alpha:g}." if shown else ""
    return (f"Segments{documents}: {sizes}.{signs} Two families, each corrected by Romano-Wolf: "
            f"{counted(len(found.pairs), 'pair')} on the whole set, and {n} of pairs and domains. Test {found.test} by "
            f"{found.sampling.unit}, drawn within domains. A domain of few {found.sampling.unit}s can hardly decide "
            "anything: another sign alone is no reversal.")


def _settings(found: ByDomain) -> dict[str, object]:
    return {**asdict(found.sampling), "test": found.test, "trials": found.trials, "correction": "romano-wolf"}


DOMAIN_FORMS = {"text": domains_text, "json": domains_json, "csv": domains_csv}
