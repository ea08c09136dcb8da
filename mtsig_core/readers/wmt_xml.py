"""Read the XML of the shared tasks, with source, references and outputs in one or several files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, suggest_name
from mtsig_core.languages import languages_of
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.formats import TEXTS, sniff
from mtsig_core.readers.limits import spend
from mtsig_core.readers.lines import decode_text, read_bytes
from mtsig_core.readers.markup import (
    SOURCE_KEY,
    XML_FORM,
    TextDocument,
    parse_sgml,
    parse_xml,
    read_sgml_texts,
    tabulate_documents,
)
from mtsig_core.readers.texts import check_langpair, drop_canary
from mtsig_core.testset import TestSet, show_name

_EXPECTED = "the XML of a shared task"
_KINDS = {"ref": "reference", "hyp": "output"}
_Documents = dict[str, TextDocument]


def read_wmt_xml(
    paths: Sequence[FilePath],
    langpair: str | None = None,
    *,
    name: str | None = None,
    keep_canary: bool = False,
) -> TestSet:
    """The test set of one language pair from XML files, joined by the ids of documents.

    As in sacreBLEU, runs of white space become one space. Documents of test suites, and segments
    that no reference has, are left out; `lines` count the segments of all other documents. A
    segment that a reference lacks is None. A segment that a system lacks is an empty text, because
    the words of WMT's ``NO TRANSLATION AVAILABLE`` could match by chance.
    """
    if langpair is not None:
        check_langpair(langpair)
    documents: _Documents = {}
    for path in paths:
        _read_file(path, documents)
    _check_sources(documents)
    if name is None:
        *_, file = re.split(r"[/\\]", show_name(paths[0]))
        name = re.sub(r"\.(xml|sgml?)(\.gz)?$", "", file)
    langpair = _choose_pair(documents, langpair, name)
    if langpair is not None:
        documents = _select_pair(documents, langpair)
    files = " and ".join(map(show_name, paths))
    testset = _make_testset(name, files, documents, langpair)
    return testset if keep_canary else drop_canary(testset)


def _read_file(path: FilePath, documents: _Documents) -> None:
    """Read one file, and add its texts to the documents."""
    data, packer = read_bytes(path, _EXPECTED)
    fmt = sniff(data)
    if fmt is not None and fmt.reads.get(TEXTS) is read_sgml_texts:
        parse_sgml(decode_text(data, path, packer), show_name(path), documents)
    else:
        parse_xml(data, show_name(path), documents)


def _check_sources(documents: _Documents) -> None:
    """Refuse a document without a source among others that have one: its id may be misspelt."""
    ids_with_source = [key for key, document in documents.items() if document.source]
    if not ids_with_source:
        return
    for key, document in documents.items():
        if document.source is None and document.translations:
            raise InputError(
                f"{document.translations[0].location}: the document {show_name(key)} has no <src>, here or "
                f"in another file.{suggest_name(key, ids_with_source)} Expected the id of one that has: "
                "correct it, or remove the document."
            )


def _choose_pair(documents: _Documents, langpair: str | None, name: str) -> str | None:
    """The language pair: the given one, else the only one that the documents have."""
    pairs = set()
    for document in documents.values():
        if document.source and document.source.lang:
            for text in document.translations:
                if text.lang:
                    pairs.add(f"{document.source.lang}-{text.lang}")
    if langpair is not None:
        if pairs and langpair not in pairs:
            raise explain_unknown("language pair", langpair, sorted(pairs))
        return langpair
    if len(pairs) > 1:
        listed = ", ".join(map(show_name, sorted(pairs)))
        raise SettingError(
            f"{name} has {len(pairs)} language pairs: {listed}. Choose one.", {"langpair": "XX-YY"}
        )
    return pairs.pop() if pairs else None


def _select_pair(documents: _Documents, langpair: str) -> _Documents:
    """The documents from the source language, with their texts in the target language."""
    source_lang, target_lang = languages_of(langpair)
    selected = {}
    for key, document in documents.items():
        if document.source and document.source.lang not in (source_lang, ""):
            continue
        selected[key] = TextDocument(document.domain)
        for text_key, text in document.texts.items():
            if text_key == SOURCE_KEY or text.lang in (target_lang, ""):
                selected[key].texts[text_key] = text
    return selected


def _make_testset(name: str, files: str, documents: _Documents, langpair: str | None) -> TestSet:
    """Documents of one language pair, segment by segment, without those that no reference has."""
    kinds = {key.kind for document in documents.values() for key in document.texts}
    for kind, title in _KINDS.items():
        if kind not in kinds:
            raise InputError(
                f"{files}: there is no {title}, <{kind}>. Expected {XML_FORM}; name the file that has it "
                "too."
            )
    for key, document in documents.items():
        _check_segments(key, document)
    table = tabulate_documents(documents, files)
    spend("systems", len(table.outputs), files)
    has_reference = [any(texts) for texts in zip(*table.references.values(), strict=True)]
    rows = [row for row, is_translated in enumerate(has_reference) if is_translated]
    if not rows:
        raise InputError(f"{files}: no segment has a reference. Expected {XML_FORM}.")
    assumed = []
    if not all(has_reference):
        keys: list[Any] = list(table.keys or ())
        document_id, segment_id = keys[has_reference.index(False)]
        facts = {
            "n": len(has_reference) - len(rows),
            "segment": show_name(segment_id),
            "document": show_name(document_id),
        }
        assumed.append(Assumption("no-reference", facts))
    table = table.take(rows)
    outputs = {}
    references = {}
    for system, texts in table.outputs.items():
        outputs[system] = [text or "" for text in texts]
    for reference, texts in table.references.items():
        references[reference] = [text or None for text in texts]
    return TestSet(
        name,
        outputs,
        references,
        sources=None if table.sources is None else [text or "" for text in table.sources],
        documents=table.documents,
        domains=table.domains,
        langpair=langpair,
        lines=[row + 1 for row in rows],
        assumed=tuple(assumed),
    )


def _check_segments(key: str, document: TextDocument) -> None:
    """Refuse a segment of a translation that the source of the document does not have."""
    if document.source is None:
        return
    for text in document.translations:
        for segment_id in text.segments:
            if segment_id not in document.source.segments:
                raise InputError(
                    f"{text.location}: the document {show_name(key)} has a segment "
                    f"{show_name(segment_id)!r} here, and none in its <src>. Expected the same ids in "
                    "both."
                )
