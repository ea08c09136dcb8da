"""One pair on screen: its examination, remembered, and its texts with the matched n-grams marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from mtsig_core import Caution, SettingError, TestSet
from mtsig_core.highlight import bleu_tokens, matched_pieces
from mtsig_core.metrics.tokenizers import default_tokenizer
from mtsig_core.pair import PairExamination, examine_pair
from mtsig_core.significance import TESTS
from mtsig_core.sources import option_with
from mtsig_core.tables import format_p
from pages._ui import background, results, words
from pages._ui.frame import View

__all__ = ["examine", "command", "outcome_rows", "test_cautions", "interval_rows", "document_names",
           "legend", "texts"]

_ASKED = ("unit", "trials", "alpha", "seed")
_STYLE = """<style>
.mt-pair {display: grid; grid-template-columns: 1fr 1fr; gap: .15rem 1.25rem; margin: .5rem 0 1rem; padding-top: .5rem;
          border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent)}
.mt-pair .mt-wide {grid-column: 1 / -1}
.mt-pair div {min-width: 0; overflow-wrap: anywhere}
.mt-pair small {opacity: .75; font-size: .8rem}
.mt-pair .mt-text {white-space: pre-wrap; line-height: 1.55; unicode-bidi: isolate}
.mt-quiet {opacity: .8}
.mt-n1, .mt-n2, .mt-n3, .mt-n4 {border-radius: .2rem; padding: .08em 0; color: inherit}
.mt-n1 {background: color-mix(in srgb, #56B4E9 18%, transparent)}
.mt-n2 {background: color-mix(in srgb, #56B4E9 36%, transparent)}
.mt-n3 {background: color-mix(in srgb, #56B4E9 54%, transparent)}
.mt-n4 {background: color-mix(in srgb, #56B4E9 54%, transparent);
        border-bottom: 2px solid color-mix(in srgb, #0072B2 55%, currentColor)}
@media (max-width: 640px) {.mt-pair {grid-template-columns: 1fr}}
</style>"""


def examine(view: View, a: str, b: str) -> PairExamination:
    """`mtsig_core.examine_pair` with the settings of the view."""
    settings = {key: view.settings[key] for key in _ASKED}
    testset = view.testset

    def work(progress):
        counted = results.statistics(testset, view.metric, progress)
        return examine_pair(testset, view.metric, a, b, jobs=results.jobs(testset), statistics=counted,
                            progress=progress, **settings)

    key = ("pair", testset.digest, view.metric, a, b, tuple(settings.items()))
    return background.result(key, work, "Examining the pair")


def command(view: View, a: str, b: str) -> str:
    """The command line that prints this pair. It names the two: what was left out has no say then."""
    kept, skip = [], False
    for option in view.options:
        if not skip and not option.startswith("--exclude"):
            kept.append(option)
        skip = option == "--exclude"
    return replace(view, options=kept).command(*option_with("--only", f"{a},{b}"))


def outcome_rows(found: PairExamination) -> tuple[list[str], list[list[str]]]:
    """Header and rows of all tests, side by side."""
    rows = [[TESTS[o.test].title, format_p(o.p_value) if o.win is None else f"win {o.win:.3f}, lose {o.lose:.3f}",
             {"a": f"{found.a} better", "b": f"{found.b} better", None: "not significant"}[o.better],
             TESTS[o.test].source + (" (as published)" if TESTS[o.test].caution else "")] for o in found.outcomes]
    return ["test", "p", f"at alpha {found.settings.alpha:g}, uncorrected", "definition"], rows


def test_cautions() -> list[Caution]:
    """What is wrong with some tests as published."""
    return [Caution("as-published", f"{t.title.capitalize()} ({t.source}): {t.caution}")
            for t in TESTS.values() if t.caution]


def interval_rows(found: PairExamination, chosen: str) -> tuple[list[str], list[list[str]]]:
    """Header and rows of all kinds of interval."""
    rows = []
    for kind, ends in found.intervals.items():
        low, high = sorted(found.sign * end for end in ends) if ends else (None, None)
        rows.append([f"{kind}{' (chosen)' if kind == chosen else ''}", "-" if ends is None else f"{low:+.2f}",
                     "-" if ends is None else f"{high:+.2f}", "-" if ends is None else f"{high - low:.2f}",
                     "-" if ends is None else "no" if low <= 0 <= high else "yes"])
    return [f"{100 * (1 - found.settings.alpha):g}% interval", "low", "high", "width", "excludes 0"], rows


def document_names(testset: TestSet) -> list[str]:
    """Each document's id, with its domain where it has one."""
    labels = testset.documents if testset.domains is None else [
        f"{domain} · {doc}" for domain, doc in zip(testset.domains, testset.documents, strict=True)]
    return list(dict(zip(testset.document_index.tolist(), labels, strict=True)).values())


def texts(testset: TestSet, a: str, b: str, segments: Sequence[int], added: Sequence[float], unit: str) -> None:
    """The two outputs of some segments side by side, over them the source and the references."""
    try:
        tokens = bleu_tokens(default_tokenizer(testset.target_language))
    except SettingError as problem:
        words.error(str(problem))
        tokens = None
    cards = []
    for k, value in zip(segments, added, strict=True):
        references = [texts[k] for texts in testset.references.values()]
        where = f"line {testset.lines[k]}"
        where += "" if testset.documents is None else f" · {testset.documents[k]}"
        rows = [] if testset.sources is None else [("source", testset.sources[k])]
        rows += [(name, texts[k]) for name, texts in testset.references.items() if texts[k] is not None]
        head = f"<b>{value:+.3f} {words.escape(unit)}</b> <small>{words.escape(where)}</small>"
        card = f'<div class="mt-wide">{head}</div>'
        card += "".join(_text(name, words.escape(text), "mt-wide mt-quiet") for name, text in rows)
        for name in (a, b):
            text = testset.systems[name][k]
            pieces = [(text, 0)] if tokens is None else matched_pieces(text, references, tokens)
            card += _text(name, "".join(_marked(*piece) for piece in pieces) or "(empty)", "")
        cards.append(f'<div class="mt-pair">{card}</div>')
    st.html(_STYLE + "".join(cards))


def legend() -> None:
    """What the tints mean."""
    orders = enumerate(("1 token", "2 tokens", "3 tokens", "4 or more"), 1)
    st.html(_STYLE + "Marked: part of an n-gram that a reference has too, the longest of "
            + " &nbsp; ".join(_marked(f" {name} ", n) for n, name in orders))


def _text(name, inner, extra):
    text = f'<div class="mt-text" dir="auto">{inner}</div>'
    return f'<div class="{extra}"><small>{words.escape(name)}</small>{text}</div>'


def _marked(text, order):
    return f'<span class="mt-n{order}">{words.escape(text)}</span>' if order else words.escape(text)
