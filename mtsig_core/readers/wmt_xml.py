"""XML of the WMT shared tasks, 2021 on, with source, references and outputs in one file::

    <dataset id="newstest2021"><collection id="general">
      <doc id="n1" origlang="en" domain="news">
        <src lang="en"><p><seg id="1">...</seg></p></src>
        <ref lang="de" translator="A"><p><seg id="1">...</seg></p></ref>
        <hyp lang="de" system="NAME"><p><seg id="1">...</seg></p></hyp>

A file is read as a stream, of which the texts alone are kept. One that declares a document type is refused: entities,
external references and what grows out of them can come by no other way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.sax.handler import ContentHandler

from mtsig_core.assumption import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, suggest_name
from mtsig_core.languages import LANGUAGE, languages_of
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import read_chunks
from mtsig_core.readers.texts import check_langpair, drop_canary, name_reference
from mtsig_core.testset import TestSet, show_name

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

DEPTH = 50  # of elements inside each other; WMT's XML has seven
_SOURCE = ("src", "")
_LEVELS = {"doc": 0, "src": 1, "ref": 1, "hyp": 1, "seg": 2}
_FORM = '<doc id="..." origlang="en"> with <src lang="en">, <ref lang="de" translator="A"> and <hyp lang="de" ' \
        'system="NAME">, and in each of them <seg id="1">'


@dataclass
class _Part:
    """A source, a reference or an output of one document."""

    lang: str
    where: str
    texts: dict[str, str] = field(default_factory=dict)  # by the id of the segment


@dataclass
class _Document:
    domain: str | None
    parts: dict[tuple[str, str], _Part] = field(default_factory=dict)  # by kind and name, as ("hyp", "GPT-4")

    @property
    def source(self) -> _Part | None:
        return self.parts.get(_SOURCE)

    @property
    def translations(self) -> list[_Part]:
        return [part for key, part in self.parts.items() if key != _SOURCE]


def read_wmt_xml(paths: Sequence[FilePath], langpair: str | None = None, *, name: str | None = None,
                 keep_canary: bool = False) -> TestSet:
    """The test set of one language pair from XML files of a WMT shared task, put together by the ids of documents.

    As in sacreBLEU, white space is one blank in a row, and documents of test suites and segments that no reference has
    are left out; `lines` count the segments of all other documents. What a reference lacks is None. What a system lacks
    is an empty text: the words of WMT's ``NO TRANSLATION AVAILABLE`` could match by chance.
    """
    if langpair is not None:
        check_langpair(langpair)
    found: dict[str, _Document] = {}
    for path in paths:
        _read(path, found)
    pairs = sorted({f"{document.source.lang}-{part.lang}" for document in found.values() if document.source
                    for part in document.translations if part.lang})
    _check_sources(found)
    label = name or re.sub(r"\.xml(\.gz)?$", "", re.split(r"[/\\]", show_name(paths[0]))[-1])
    if langpair is None:
        if len(pairs) > 1:
            raise SettingError(f"{label} has {len(pairs)} language pairs: {', '.join(map(show_name, pairs))}. Choose "
                               "one.", {"langpair": "XX-YY"})
        langpair = pairs[0] if pairs else None
    elif langpair not in pairs:
        raise explain_unknown("language pair", langpair, pairs)
    if langpair is not None:
        source, target = languages_of(langpair)
        found = {key: _Document(document.domain, {name: part for name, part in document.parts.items()
                                                  if name == _SOURCE or part.lang in (target, "")})
                 for key, document in found.items() if document.source and document.source.lang == source}
    testset = _make_testset(label, " and ".join(map(show_name, paths)), found, langpair)
    return testset if keep_canary else drop_canary(testset)


def _check_sources(found: dict[str, _Document]) -> None:
    """Raise InputError where a document has no source, and others have: then its id may be misspelt."""
    known = [key for key, document in found.items() if document.source]
    for key, document in found.items() if known else ():
        for part in document.translations if document.source is None else ():
            raise InputError(f"{part.where}: the document {show_name(key)} has no <src>, here or in another file."
                             f"{suggest_name(key, known)} Expected the id of one that has: mend it, or remove the "
                             "document.")


def _make_testset(name: str, files: str, documents: dict[str, _Document], langpair: str | None) -> TestSet:
    """Documents of one language pair, segment by segment."""
    refs, hyps = (sorted({name for document in documents.values() for own, name in document.parts if own == kind})
                  for kind in ("ref", "hyp"))
    for parts, what in ((refs, "reference, <ref>"), (hyps, "output, <hyp>")):
        if not parts:
            raise InputError(f"{files}: there is no {what}. Expected {_FORM}; name the file that has it too.")
    spend("systems", len(hyps), files)
    check_values(sum(len(one.source.texts) for one in documents.values() if one.source) * (len(refs) + len(hyps)),
                 files)
    rows: list[tuple[int, str, str, str, list[str | None], list[str]]] = []
    line, bare, nothing = 0, list[tuple[str, str]](), _Part("", "")
    for key, document in documents.items():
        source = (document.source or nothing).texts
        for part in document.translations:
            if odd := next((seg for seg in part.texts if seg not in source), None):
                raise InputError(f"{part.where}: the document {show_name(key)} has a segment {show_name(odd)!r} here, "
                                 "and none in its <src>. Expected the same ids in both.")
        of_refs, of_hyps = ([document.parts.get((kind, name), nothing).texts for name in names]
                            for kind, names in (("ref", refs), ("hyp", hyps)))
        for seg, text in source.items():
            line += 1
            references = [texts.get(seg) or None for texts in of_refs]
            if any(references):
                rows.append((line, key, document.domain or "", text, references,
                             [texts.get(seg, "") for texts in of_hyps]))
            else:
                bare.append((show_name(seg), show_name(key)))
    if not rows:
        raise InputError(f"{files}: no segment has a reference. Expected {_FORM}.")
    told = [Assumption("no-reference", {"n": len(bare), "segment": seg, "document": key}) for seg, key in bare[:1]]
    lines, keys, domains, sources, references_of, outputs_of = zip(*rows, strict=True)
    return TestSet(name, dict(zip(hyps, zip(*outputs_of, strict=True), strict=True)),
                   dict(zip(refs, zip(*references_of, strict=True), strict=True)), sources=sources, documents=keys,
                   domains=domains if any(domains) else None, langpair=langpair, lines=lines, assumed=tuple(told))


def _read(path: FilePath, found: dict[str, _Document]) -> None:
    """Read one file, and put what it has where it belongs."""
    from xml.sax import SAXParseException  # late, as what reads no XML needs none of it

    from defusedxml import DefusedXmlException, sax

    safe: Any = sax  # which comes without types
    parser = safe.make_parser()
    parser.forbid_dtd = True
    handler = _Handler(show_name(path), found, parser)
    parser.setContentHandler(handler)
    try:
        for chunk, _ in read_chunks(path, "the XML of a shared task"):
            parser.feed(chunk)
        parser.close()
    except DefusedXmlException:
        raise InputError(f"{handler.here()} declares a document type or an entity, through which XML can do harm. "
                         "Expected the XML of a shared task, which has none: remove the declaration.") from None
    except SAXParseException as error:
        raise InputError(f"{show_name(path)}, line {error.getLineNumber() or 1} is no sound XML: {error.getMessage()}. "
                         "Mend that line, or copy or download the file again.") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know, or bytes that it has not
        raise InputError(f"{handler.here()} cannot be read as XML: {error}. Write it as UTF-8.") from None
    if not handler.n_documents:
        raise InputError(f"{show_name(path)} has no document. Expected {_FORM}.")


class _Handler(ContentHandler):
    """What comes of the events of one file."""

    def __init__(self, path: str, read: dict[str, _Document], parser: Any):
        super().__init__()
        self.path, self.read, self.parser = path, read, parser
        self.depth = self.skipped = 0  # of all elements; of an open document of a test suite
        self.open: list[str] = []  # a document, in it a part, in it a segment
        self.key, self.own, self.seg, self.origin = "", "", "", ""  # of what is open
        self.part = _Part("", "")
        self.text: list[str] = []
        self.length = 0
        self.seen: set[str] = set()
        self.n_documents = 0

    def here(self) -> str:
        return f"{self.path}, line {self.parser.getLineNumber() or 1}"

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise InputError(f"{self.here()} has elements {DEPTH} deep inside each other. Expected {_FORM}.")
        if self.skipped or name not in _LEVELS:
            return
        spend("lines", 1, self.here())
        around = self.open[-1] if self.open else None
        if around is not None and _LEVELS[name] <= _LEVELS[around]:
            raise InputError(f"{self.here()}: <{name}> begins inside of <{around}>. Expected {_FORM}; close the "
                             f"<{around}> before it.")
        if name == "doc":
            self.n_documents += 1
            if "testsuite" in attrs:
                self.skipped = self.depth
                return
            self._open_document(attrs)
        elif around is None or _LEVELS[name] - _LEVELS[around] > 1:  # what lies elsewhere belongs to nothing
            return
        elif name == "seg":
            self.seg, self.text, self.length = attrs.get("id") or "", [], 0
            if not self.seg or self.seg in self.part.texts:
                told = f"a second segment {show_name(self.seg)!r}" if self.seg else "a segment without an id"
                raise InputError(f"{self.here()}: the document {show_name(self.key)} has {told}. Expected another id "
                                 "for each.")
        else:
            self._open_part(name, attrs)
        self.open.append(name)

    def _open_document(self, attrs: AttributesImpl) -> None:
        key = attrs.get("id") or ""
        if not key.strip() or key in self.seen:
            told = f"the document {show_name(key)} comes a second time" if key.strip() else "a document has no id"
            raise InputError(f"{self.here()}: {told}. Expected another id for each.")
        self.seen.add(key)
        self.key, self.origin = key, attrs.get("origlang") or ""
        self.read.setdefault(key, _Document(attrs.get("domain")))

    def _open_part(self, kind: str, attrs: AttributesImpl) -> None:
        self.own = name_reference(attrs.get("translator") or "") if kind == "ref" else \
            attrs.get("system") or "" if kind == "hyp" else ""
        if kind == "hyp" and not self.own.strip():
            raise InputError(f"{self.here()}: <hyp> names no system. Expected {_FORM}.")
        lang = attrs.get("lang") or attrs.get("language") or (self.origin if kind == "src" else "")
        if (lang or kind == "src") and not re.fullmatch(LANGUAGE, lang := lang.replace("-", "_")):
            raise InputError(f"{self.here()}: the language of <{kind}> is {show_name(lang)!r}. Expected a code such as "
                             "en or zh_TW.")
        self.part = _Part(lang, self.here())

    def characters(self, content: str) -> None:
        if self.open and self.open[-1] == "seg":
            self.length += len(content)
            spend("line_length", self.length, self.here())
            self.text.append(content)

    def endElement(self, name: str) -> None:
        self.depth -= 1
        if self.skipped:
            self.skipped = 0 if self.depth < self.skipped else self.skipped
        elif self.open and self.open[-1] == name:
            self.open.pop()
            if name == "seg":
                self.part.texts[self.seg] = " ".join("".join(self.text).split())
            elif name != "doc":
                self._close_part(name)

    def _close_part(self, kind: str) -> None:
        part, before = self.part, self.read[self.key].parts.setdefault((kind, self.own), self.part)
        if (before.lang, before.texts) != (part.lang, part.texts):
            raise InputError(f"{part.where}: {f'<{kind}> {show_name(self.own)}'.strip()} of the document "
                             f"{show_name(self.key)} differs from the one of {before.where}. Expected one of each.")


def xml_names(files: Iterable[str]) -> dict[str, list[str]]:
    """Names of XML files by the language pair that they say, as their content does: en-pt_BR for en-pt-BR.

    >>> xml_names(["newstest2021.en-de.all.xml", "wmttest2022.cs-en.xml.gz", "notes.xml"])
    {'en-de': ['newstest2021.en-de.all.xml'], 'cs-en': ['wmttest2022.cs-en.xml.gz']}
    """
    found: dict[str, list[str]] = {}
    for file in files:
        if said := re.fullmatch(rf"(?:.*\.)?({LANGUAGE})-({LANGUAGE})(?:\..*)?\.xml(?:\.gz)?", file):
            pair = "-".join(language.replace("-", "_") for language in said.groups())
            found.setdefault(pair, []).append(file)
    return found
