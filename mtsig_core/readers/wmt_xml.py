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

from mtsig_core.errors import InputError, SettingError, explain_unknown, format_count, suggest_name
from mtsig_core.languages import LANGUAGE, languages_of
from mtsig_core.readers.files import FilePath
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.lines import read_chunks
from mtsig_core.readers.texts import check_langpair, drop_canary
from mtsig_core.testset import TestSet, show_name

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

#: How a sentence of `TestSet.assumed` begins that tells of segments without any reference.
NO_REFERENCE = "Left out, as no reference has them"
DEPTH = 50  # of elements inside each other; WMT's XML has seven
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
    src: _Part | None = None
    ref: dict[str, _Part] = field(default_factory=dict)
    hyp: dict[str, _Part] = field(default_factory=dict)


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
    pairs = sorted({f"{document.src.lang}-{part.lang}" for document in found.values() if document.src
                    for part in (*document.ref.values(), *document.hyp.values()) if part.lang})
    _check_sources(found)
    label = name or re.sub(r"\.xml(\.gz)?$", "", re.split(r"[/\\]", show_name(paths[0]))[-1])
    if langpair is None:
        if len(pairs) > 1:
            raise SettingError(f"{label} has {len(pairs)} language pairs: {', '.join(map(show_name, pairs))}. Choose "
                               "one.",
                               {"langpair": "XX-YY"})
        langpair = pairs[0] if pairs else None
    elif langpair not in pairs:
        raise explain_unknown("language pair", langpair, pairs)
    if langpair is not None:
        source, target = languages_of(langpair)
        found = {key: _in_language(document, target or "") for key, document in found.items()
                 if document.src and document.src.lang == source}
    testset = _testset(label, " and ".join(map(show_name, paths)), found, langpair)
    return testset if keep_canary else drop_canary(testset)


def _check_sources(found: dict[str, _Document]) -> None:
    """Raise InputError where a document has no source, and others have: then its id may be misspelt."""
    known = [key for key, document in found.items() if document.src]
    for key, document in found.items() if known else ():
        for part in (*document.ref.values(), *document.hyp.values()) if document.src is None else ():
            raise InputError(f"{part.where}: the document {show_name(key)} has no <src>, here or in another file."
                             f"{suggest_name(key, known)} Expected the id of one that has: mend it, or take the "
                             "document out.")


def _testset(name: str, files: str, found: dict[str, _Document], langpair: str | None) -> TestSet:
    """Documents of one language pair, segment by segment."""
    refs = sorted({key for document in found.values() for key in document.ref})
    hyps = sorted({key for document in found.values() for key in document.hyp})
    for parts, what in ((refs, "reference, <ref>"), (hyps, "output, <hyp>")):
        if not parts:
            raise InputError(f"{files}: there is no {what}. Expected {_FORM}; name the file that has it too.")
    spend("systems", len(hyps), files)
    check_values(sum(len(one.src.texts) for one in found.values() if one.src) * (len(refs) + len(hyps)), files)
    rows: list[tuple[int, str, str | None, str, list[str | None], list[str]]] = []
    line, bare = 0, []
    for key, document in found.items():
        source = document.src.texts if document.src else {}
        for part in (*document.ref.values(), *document.hyp.values()):
            if odd := next((seg for seg in part.texts if seg not in source), None):
                raise InputError(f"{part.where}: the document {show_name(key)} has a segment {show_name(odd)!r} here, "
                                 "and none in its <src>. Expected the same ids in both.")
        for seg, text in source.items():
            line += 1
            of = [document.ref[ref].texts.get(seg) or None if ref in document.ref else None for ref in refs]
            if any(of):
                rows.append((line, key, document.domain, text, of,
                             [document.hyp[hyp].texts.get(seg, "") if hyp in document.hyp else "" for hyp in hyps]))
            else:
                bare.append(f"{seg} of the document {key}")
    if not rows:
        raise InputError(f"{files}: no segment has a reference. Expected {_FORM}.")
    told = (f"{NO_REFERENCE}: {format_count(len(bare), 'segment')}, the first is segment {show_name(bare[0])}.",) \
        if bare else ()
    domains = [domain or "" for _, _, domain, *_ in rows]
    return TestSet(name, {hyp: [row[5][k] for row in rows] for k, hyp in enumerate(hyps)},
                   {ref: [row[4][k] for row in rows] for k, ref in enumerate(refs)}, sources=[row[3] for row in rows],
                   documents=[row[1] for row in rows], domains=domains if any(domains) else None, langpair=langpair,
                   lines=[row[0] for row in rows], assumed=told)


def _in_language(document: _Document, target: str) -> _Document:
    """The parts of a document that are in the target language, or that name none."""
    def kept(parts: dict[str, _Part]) -> dict[str, _Part]:
        return {key: part for key, part in parts.items() if part.lang in (target, "")}

    return _Document(document.domain, document.src, kept(document.ref), kept(document.hyp))


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
    if not handler.documents:
        raise InputError(f"{show_name(path)} has no document. Expected {_FORM}.")


class _Handler(ContentHandler):
    """What comes of the events of one file."""

    def __init__(self, path: str, found: dict[str, _Document], parser: Any):
        super().__init__()
        self.path, self.found, self.parser = path, found, parser
        self.depth, self.documents = 0, 0
        self.key: str | None = None  # of the document that is open; part and segment likewise
        self.origin = ""
        self.skipped = 0  # depth of an open document of a test suite
        self.part: tuple[str, str, _Part] | None = None
        self.seg: str | None = None
        self.text: list[str] = []
        self.length = 0
        self.seen: set[str] = set()

    def here(self) -> str:
        return f"{self.path}, line {self.parser.getLineNumber() or 1}"

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise InputError(f"{self.here()} has elements {DEPTH} deep inside each other. Expected {_FORM}.")
        if self.skipped:
            return
        if name in ("doc", "src", "ref", "hyp", "seg"):
            spend("lines", 1, self.here())
            around = "seg" if self.seg is not None else self.part[0] if self.part and name != "seg" else \
                "doc" if self.key is not None and name == "doc" else None
            if around:
                raise InputError(f"{self.here()}: <{name}> begins inside of <{around}>. Expected {_FORM}; close the "
                                 f"<{around}> before it.")
        if name == "doc":
            self._open_document(attrs)
        elif name in ("src", "ref", "hyp") and self.key is not None:
            own = {"src": "", "ref": _reference(attrs.get("translator") or ""), "hyp": attrs.get("system") or ""}[name]
            if name == "hyp" and not own.strip():
                raise InputError(f"{self.here()}: <hyp> names no system. Expected {_FORM}.")
            lang = attrs.get("lang") or attrs.get("language") or (self.origin if name == "src" else "")
            if (lang or name == "src") and not re.fullmatch(LANGUAGE, lang := lang.replace("-", "_")):
                raise InputError(f"{self.here()}: the language of <{name}> is {show_name(lang)!r}. Expected a code "
                                 "such as en or zh_TW.")
            self.part = name, own, _Part(lang, self.here())
        elif name == "seg" and self.part is not None:
            self.seg, self.text, self.length = attrs.get("id") or "", [], 0
            if not self.seg or self.seg in self.part[2].texts:
                told = f"a second segment {show_name(self.seg)!r}" if self.seg else "a segment without an id"
                raise InputError(f"{self.here()}: the document {show_name(self.key or '')} has {told}. Expected "
                                 "another id for each.")

    def _open_document(self, attrs: AttributesImpl) -> None:
        self.documents += 1
        if "testsuite" in attrs:
            self.skipped = self.depth
            return
        key = attrs.get("id") or ""
        if not key.strip() or key in self.seen:
            told = f"the document {show_name(key)} comes a second time" if key.strip() else "a document has no id"
            raise InputError(f"{self.here()}: {told}. Expected another id for each.")
        self.seen.add(key)
        self.key, self.origin = key, attrs.get("origlang") or ""
        self.found.setdefault(key, _Document(attrs.get("domain")))

    def characters(self, content: str) -> None:
        if self.seg is not None:
            self.length += len(content)
            spend("line_length", self.length, self.here())
            self.text.append(content)

    def endElement(self, name: str) -> None:
        self.depth -= 1
        if self.skipped:
            self.skipped = 0 if self.depth < self.skipped else self.skipped
        elif name == "seg" and self.seg is not None and self.part is not None:
            self.part[2].texts[self.seg] = " ".join("".join(self.text).split())
            self.seg = None
        elif self.part is not None and name == self.part[0]:
            self._close_part(*self.part)
            self.part = None
        elif name == "doc":
            self.key = None

    def _close_part(self, what: str, own: str, part: _Part) -> None:
        assert self.key is not None, "a part is open in a document alone"
        document = self.found[self.key]
        if what == "src":
            before, document.src = document.src, part
        else:
            parts = document.ref if what == "ref" else document.hyp
            before = parts.setdefault(own, part)
        if before is not None and (before.lang, before.texts) != (part.lang, part.texts):
            named = f"<{what}> {show_name(own)}".strip()
            raise InputError(f"{part.where}: {named} of the document {show_name(self.key)} differs from that of "
                             f"{before.where}. Expected one of each.")


def _reference(translator: str) -> str:
    """What a reference is called: refA where the file has A; ref where it has nothing."""
    return f"ref{translator}" if re.fullmatch("[A-Z]", translator) else translator or "ref"


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
