"""A comparison as one HTML file that needs nothing else: no script, no font, no picture, no network."""

from __future__ import annotations

from collections.abc import Iterable

from mtsig_core.report.html_figures import STYLE, forest_svg, matrix_key, matrix_svg
from mtsig_core.report.html_tables import literal, table
from mtsig_core.report.sentences import paper_sentences
from mtsig_core.report.tables import (
    by_reference_rows,
    group_cautions,
    interval_kinds,
    leaderboard_rows,
    pair_rows,
    summary,
    verdict,
)
from mtsig_core.results import Comparison, MetricResult, Settings

__all__ = ["comparison_html"]

_FEW_PAIRS = 30  # more are folded away

_STYLE = """
:root {color-scheme: light dark; --back: #FFFFFF; --soft: #F3F5F8; --text: #1B2330; --line: #C9D0DA; --mark: #0072B2;
       --grey: #7A8594; --warn: #D08700}
@media (prefers-color-scheme: dark) {
  :root {--back: #12161D; --soft: #1C222C; --text: #E8ECF2; --line: #3A4454; --mark: #56B4E9; --grey: #8F9AA9;
         --warn: #E69F00}}
body {background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem;
      margin: 0 auto; padding: 2rem 1rem; overflow-wrap: anywhere}
h1 {font-size: 1rem; font-weight: 600; margin: 0; opacity: .8}
h2 {font-size: 1.1rem; margin: 2rem 0 .5rem}
.answer {font-size: 1.6rem; line-height: 1.3; font-weight: 600; margin: .25rem 0 1rem}
.answer small {display: block; font-size: 1rem; font-weight: 400; opacity: .85}
.simulated {display: inline-block; border: 1px solid var(--warn); border-radius: .25rem; padding: 0 .4rem}
.note {font-size: .9rem; opacity: .85}
.warning {border-left: 4px solid var(--warn); background: var(--soft); padding: .5rem .75rem; margin: .35rem 0;
          border-radius: .25rem}
.scroll {overflow-x: auto}
table {border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums}
th, td {text-align: right; padding: .25rem .6rem; white-space: nowrap; border-bottom: 1px solid var(--line)}
th {border-bottom: 2px solid var(--text); vertical-align: bottom}
th.name, td.name {text-align: left; white-space: pre-wrap; min-width: 9rem; max-width: 24rem}
tbody tr:hover {background: var(--soft)}
dl {display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem}
dt {font-weight: 600} dd {margin: 0}
code {font-size: .9rem}
summary {cursor: pointer; color: var(--mark)}
:focus-visible {outline: 2px solid var(--mark); outline-offset: 2px}
@media print {body {max-width: none; padding: 0} .scroll {overflow: visible} tr {break-inside: avoid}}
@media (max-width: 40rem) {dl {grid-template-columns: 1fr} dd {margin-bottom: .5rem}}
""" + STYLE


def comparison_html(comparison: Comparison) -> str:
    """The answer first, then leaderboards with figures, what was left out, warnings, matrices and pairs, sentences
    for a paper, settings and signature.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    str
        A page in light or dark, as the reader's system prefers. Names are shown literally.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"<b>A</b>": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> "&lt;b&gt;A&lt;/b&gt; is ahead of all others" in comparison_html(compare(ts, trials=999))
    True
    """
    info = comparison.testset
    title = literal(f"Comparison of systems on {info.name}")
    body = [f"<h1>{title}</h1>"]
    body += [_answer(comparison, result) for result in comparison.metrics.values()]
    if info.simulated:
        body.append('<p><span class="simulated">Simulated: the texts of this test set are made up.</span></p>')
    body += [f'<p class="note">{literal("; ".join(part))}</p>' for part in summary(comparison)]
    for result in comparison.metrics.values():
        header, rows = leaderboard_rows(result, comparison.settings)
        body += [f"<h2>{literal(result.metric.upper())}: systems</h2>", table(header, rows, names=(1,)),
                 _figure(forest_svg(result, comparison.settings), _forest_key(comparison.settings))]
        header, rows = by_reference_rows(result)
        body += [f"<h2>{literal(result.metric.upper())}: leaders by reference</h2>",
                 table(header, rows, names=(0, 1, 2))] if rows else []
    body += _left_out(comparison)
    body += _warnings(comparison)
    for result in comparison.metrics.values():
        body += _pairs(comparison, result)
    for result in comparison.metrics.values():
        body += [f"<h2>{literal(result.metric.upper())}: for a paper</h2>",
                 f"<p>{literal(paper_sentences(comparison, result.metric))}</p>"]
    body += ["<h2>Settings</h2>", _settings(comparison)]
    return "\n".join([
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>", f"<style>{_STYLE}</style>", "</head>", "<body>", "<main>", *body, "</main>",
        "</body>", "</html>", ""])


def _answer(comparison: Comparison, result: MetricResult) -> str:
    direction = "higher is better" if result.higher_is_better else "lower is better"
    said = verdict(result, comparison.settings)
    if said is None:
        said = f"{result.systems[0].system} scores {result.systems[0].score:.2f}"
    return f'<p class="answer">{literal(said)} <small>{literal(result.metric.upper())}, {direction}</small></p>'


def _forest_key(settings: Settings) -> str:
    blue = "the best score" if settings.baseline is None else "the baseline"
    return f"Blue: {blue}. Grey and filled: significantly different from it; hollow: not, which does not mean equal."


def _figure(drawn: str, key: str) -> str:
    return f'<figure>{drawn}<figcaption>{literal(key)}</figcaption></figure>'


def _left_out(comparison: Comparison) -> Iterable[str]:
    if comparison.excluded:
        yield "<h2>Left out</h2>"
        yield table(["system", "reason"], [[one.system, one.reason] for one in comparison.excluded], names=(0, 1))


def _warnings(comparison: Comparison) -> Iterable[str]:
    groups = group_cautions(comparison.warnings, several=len(comparison.metrics) > 1)
    if groups:
        yield "<h2>Keep in mind</h2>"
    for texts in groups:
        yield f'<p class="warning">{"<br>".join(map(literal, texts))}</p>'


def _pairs(comparison: Comparison, result: MetricResult) -> Iterable[str]:
    if not result.pairs:
        return
    header, rows = pair_rows(result, comparison.settings)
    yield f"<h2>{literal(result.metric.upper())}: pairs</h2>"
    if comparison.settings.baseline is None:
        yield _figure(matrix_svg(result, comparison.settings), matrix_key(result, comparison.settings))
    yield '<p class="note">Not significant (a dash under "better") does not mean equal.</p>'
    unfolded = " open" if len(rows) <= _FEW_PAIRS else ""
    yield f"<details{unfolded}><summary>{len(rows)} pairs</summary>{table(header, rows, names=(0, 5))}</details>"


def _settings(comparison: Comparison) -> str:
    info, settings = comparison.testset, comparison.settings
    known = [("test set", info.name), ("digest", info.digest), ("test", settings.test), ("unit", settings.unit),
             ("block length", settings.block_length), ("trials", settings.trials), ("alpha", settings.alpha),
             ("correction", settings.correction), ("intervals", interval_kinds(comparison)),
             ("resamples", settings.resamples), ("seed", settings.seed), ("baseline", settings.baseline),
             ("mtsig", settings.version)]
    rows = [(name, literal(str(value))) for name, value in known if value is not None]
    rows += [(f"{literal(result.metric.upper())} signature", f"<code>{literal(result.signature)}</code>")
             for result in comparison.metrics.values()]
    return "<dl>" + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in rows) + "</dl>"
