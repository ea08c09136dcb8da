"""XML of the WMT shared tasks, 2021 on, with source, references and outputs in one file::

    <dataset id="newstest2021"><collection id="general">
      <doc id="n1" origlang="en" domain="news">
        <src lang="en"><p><seg id="1">...</seg></p></src>
        <ref lang="de" translator="A"><p><seg id="1">...</seg></p></ref>
        <hyp lang="de" system="NAME"><p><seg id="1">...</seg></p></hyp>
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, suggest_name
from mtsig_core.languages import LANGUAGE, languages_of
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.formats import TEXTS
from mtsig_core.readers.limits import spend
from mtsig_core.readers.lines import decode_text, read_bytes, read_chunks, sniff_file
from mtsig_core.readers.markup import (
    SOURCE_PART,
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


def read_wmt_xml(paths: Sequence[FilePath], langpair: str | None = None, *, name: str | None = None,
                 keep_canary: bool = False) -> TestSet:
    """The test set of one language pair from XML files of a WMT shared task, put together by the ids of documents.

    As in sacreBLEU, white space is one blank in a row, and documents of test suites and segments that no reference has
    are left out; `lines` count the segments of all other documents. What a reference lacks is None. What a system lacks
    is an empty text: the words of WMT's ``NO TRANSLATION AVAILABLE`` could match by chance.
    """
    if langpair is not None:
        check_langpair(langpair)
    found: dict[str, TextDocument] = {}
    for path in paths:
        _read(path, found)
    pairs = sorted({f"{document.source.lang}-{part.lang}" for document in found.values() if document.source
                    for part in document.translations if document.source.lang and part.lang})
    _check_sources(found)
    label = name or re.sub(r"\.(xml|sgml?)(\.gz)?$", "", re.split(r"[/\\]", show_name(paths[0]))[-1])
    if langpair is None:
        if len(pairs) > 1:
            raise SettingError(f"{label} has {len(pairs)} language pairs: {', '.join(map(show_name, pairs))}. Choose "
                               "one.", {"langpair": "XX-YY"})
        langpair = pairs[0] if pairs else None
    elif pairs and langpair not in pairs:
        raise explain_unknown("language pair", langpair, pairs)
    if langpair is not None:
        source, target = languages_of(langpair)
        found = {key: TextDocument(document.domain, {name: part for name, part in document.parts.items()
                                                  if name == SOURCE_PART or part.lang in (target, "")})
                 for key, document in found.items() if not document.source or document.source.lang in (source, "")}
    testset = _make_testset(label, " and ".join(map(show_name, paths)), found, langpair)
    return testset if keep_canary else drop_canary(testset)


def _check_sources(found: dict[str, TextDocument]) -> None:
    """Raise InputError where a document has no source, and others have: then its id may be misspelt."""
    known = [key for key, document in found.items() if document.source]
    for key, document in found.items() if known else ():
        for part in document.translations if document.source is None else ():
            raise InputError(f"{part.where}: the document {show_name(key)} has no <src>, here or in another file."
                             f"{suggest_name(key, known)} Expected the id of one that has: mend it, or remove the "
                             "document.")


def _make_testset(name: str, files: str, documents: dict[str, TextDocument], langpair: str | None) -> TestSet:
    """Documents of one language pair, segment by segment, without those that no reference has."""
    kinds = {kind for document in documents.values() for kind, _ in document.parts}
    for kind, what in (("ref", "reference"), ("hyp", "output")):
        if kind not in kinds:
            raise InputError(f"{files}: there is no {what}, <{kind}>. Expected {XML_FORM}; name the file that has it "
                             "too.")
    for key, document in documents.items():
        for part in document.translations if document.source else ():
            if odd := next((seg for seg in part.texts if document.source and seg not in document.source.texts), None):
                raise InputError(f"{part.where}: the document {show_name(key)} has a segment {show_name(odd)!r} here, "
                                 "and none in its <src>. Expected the same ids in both.")
    table = tabulate_documents(documents, files)
    spend("systems", len(table.outputs), files)
    keys: list[Any] = list(table.keys or ())
    having = [k for k in range(len(keys)) if any(texts[k] for texts in table.references.values())]
    if not having:
        raise InputError(f"{files}: no segment has a reference. Expected {XML_FORM}.")
    bare = sorted({*range(len(keys))} - {*having})
    told = [Assumption("no-reference", {"n": len(bare), "segment": show_name(keys[k][1]), "document": show_name(
        keys[k][0])}) for k in bare[:1]]
    table = table.take(having)
    return TestSet(name, {own: [text or "" for text in texts] for own, texts in table.outputs.items()},
                   {own: [text or None for text in texts] for own, texts in table.references.items()},
                   sources=None if table.sources is None else [text or "" for text in table.sources],
                   documents=table.documents, domains=table.domains, langpair=langpair,
                   lines=[k + 1 for k in having], assumed=tuple(told))


def _read(path: FilePath, found: dict[str, TextDocument]) -> None:
    """Read one file, and put what it has where it belongs."""
    fmt = sniff_file(path)
    if fmt is not None and fmt.reads.get(TEXTS) is read_sgml_texts:
        data, unpacked = read_bytes(path, _EXPECTED)
        parse_sgml(decode_text(data, path, unpacked), show_name(path), found)
    else:
        parse_xml((chunk for chunk, _ in read_chunks(path, _EXPECTED)), show_name(path), found)


def xml_names(files: Iterable[str]) -> dict[str, list[str]]:
    """Names of XML and SGML files by the language pair that they say, as their content does: en-pt_BR for en-pt-BR.

    >>> xml_names(["newstest2021.en-de.all.xml", "wmttest2022.cs-en.xml.gz", "notes.xml"])
    {'en-de': ['newstest2021.en-de.all.xml'], 'cs-en': ['wmttest2022.cs-en.xml.gz']}
    >>> xml_names(["newstest2019-ende-ref.de.sgm", "newstest2019.A.1.en-de.sgm"])
    {'en-de': ['newstest2019-ende-ref.de.sgm', 'newstest2019.A.1.en-de.sgm']}
    """
    found: dict[str, list[str]] = {}
    for file in files:
        if said := re.fullmatch(rf"(?:.*\.)?({LANGUAGE})-({LANGUAGE})(?:\..*)?\.(?:xml|sgml?)(?:\.gz)?", file) or \
                re.fullmatch(r".+-([a-z]{2})([a-z]{2})-(?:ref|src)\.[a-z]{2}\.sgml?(?:\.gz)?", file):
            pair = "-".join(language.replace("-", "_") for language in said.groups())
            found.setdefault(pair, []).append(file)
    return found
