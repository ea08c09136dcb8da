"""The warnings about texts that are compared: empty ones, and words that a tokenizer does not find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from mtsig_core.data.readers.scripts import SPACELESS, written_in
from mtsig_core.data.testset import TestSet
from mtsig_core.errors import Remedy
from mtsig_core.inference.file_cautions import about_files
from mtsig_core.metrics import metric_title, poorly_cut
from mtsig_core.results import Caution

__all__ = ["about_texts", "about_words", "named", "plural"]


def about_texts(testset: TestSet) -> Iterator[Caution]:
    """Warnings about texts that are empty, wholly or in part, or not meant to be translated."""
    canary = [line for line, document, domain in zip(
        testset.lines, testset.documents or (), testset.domains or testset.documents or (), strict=False)
        if "canary" in (document, domain)]
    if canary:
        yield Caution("canary", f"Line {canary[0]} is called canary by the documents file: it is there to be found, "
                                "not translated, and it was kept and is scored like any other. Leave it out.")
    domains_of: dict[str, set[str]] = {}
    for document, domain in zip(testset.documents or (), testset.domains or (), strict=False):
        domains_of.setdefault(document, set()).add(domain)
    torn = [document for document, domains in domains_of.items() if len(domains) > 1]
    if torn:
        yield Caution("documents-in-domains", f"{len(torn)} of {len(domains_of)} documents ({named(torn)}) "
                      f"{'has' if len(torn) == 1 else 'have'} segments in more than one domain. What has one id is one "
                      "document: use an id once, and check that the domain stands first (domain<TAB>docid).")
    if not testset.has_texts:
        return
    for role, group in (("System", testset.systems), ("Reference", testset.references)):
        texts_in = {name: len(texts) - texts.count(None) for name, texts in group.items()}
        empty_in = {name: len([text for text in texts if text is not None and not text.strip()])
                    for name, texts in group.items()}
        for name in sorted(group, key=lambda name: -empty_in[name]):  # the worst first
            segments, present, empty = group[name], texts_in[name], empty_in[name]
            if present and empty == present:
                yield Caution("all-empty", f"{role} {name} has no text at all: all {empty} segments are empty. "
                                           "Check the file.", a=name)
            elif empty:
                line = next(line for line, text in zip(testset.lines, segments, strict=True)
                            if text is not None and not text.strip())
                yield Caution("empty-lines", f"{role} {name} has {empty} empty {plural(empty, 'segment')} of "
                                             f"{present}, the first at line {line}; scored as empty. "
                                             "Check that nothing was lost.", a=name)
    yield from about_files(testset)


def about_words(testset: TestSet, tokenizers: Mapping[str, str | None]) -> Iterator[Caution]:
    """Warnings about metrics whose tokenizer (by the name of the metric) does not cut the references into words."""
    language = written_in(chain(*testset.references.values())) if any(tokenizers.values()) else None
    if language is None:
        return
    for metric, tokenizer in tokenizers.items():
        if better := poorly_cut(tokenizer, language):
            name, score = SPACELESS[language], metric_title(metric)
            remedies: tuple[Remedy, ...] = tuple({"tokenize": other} for other in better)
            if tokenizer == "tercom":
                remedies = {"metrics": "chrf"}, {"metrics": "bleu", "tokenize": better[0]}
            said = (f"{score} takes what stands between spaces for a word, here whole clauses: it says little, and the "
                    f"order of the systems may be another. Go by chrF, or by BLEU with the tokenizer {better[0]}."
                    if tokenizer == "tercom" else
                    f"the tokenizer {tokenizer} does not cut {name} into words: {score} is not what others report, "
                    f"and the order of the systems may be another. Choose the tokenizer {' or '.join(better)}.")
            yield Caution("tokenizer-and-script", f"The references look {name}, and {said}", metric, remedies=remedies)


def plural(n: int, word: str) -> str:
    """Such as pair or pairs."""
    return word if n == 1 else f"{word}s"


def named(names: Sequence[str], shown: int = 4) -> str:
    """The first of some names as an English list, and the number of the others."""
    more = len(names) - shown
    listed = [*names[:shown], f"{more} others"] if more > 1 else [*names]
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} and {listed[-1]}"
