"""Markup of the WMT shared tasks: SGML of 2008 to 2020, and XML of 2021 on, each to documents, and those to texts::

    <refset setid="newstest2019" srclang="en" trglang="de">
      <doc sysid="ref" docid="n1" genre="news" origlang="en"><p><seg id="1">...</seg></p></doc>

XML is read as a stream, of which the texts alone are kept. One that declares a document type is refused: entities,
external references and what grows out of them can come by no other way. SGML of WMT is no sound XML: only its tags of
documents and segments are looked for.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from xml.sax.handler import ContentHandler

from mtsig_core.errors import InputError
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.text_tables import TextTable, name_reference
from mtsig_core.testset import show_name

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

DEPTH = 50  # of elements inside each other; WMT's XML has seven
SOURCE_PART = ("src", "")
_LEVELS = {"doc": 0, "src": 1, "ref": 1, "hyp": 1, "seg": 2}
XML_FORM = '<doc id="..." origlang="en"> with <src lang="en">, <ref lang="de" translator="A"> and <hyp lang="de" ' \
        'system="NAME">, and in each of them <seg id="1">'


@dataclass
class TextPart:
    """A source, a reference or an output of one document."""

    lang: str
    where: str
    texts: dict[str, str] = field(default_factory=dict)  # by the id of the segment


@dataclass
class TextDocument:
    domain: str | None
    parts: dict[tuple[str, str], TextPart] = field(default_factory=dict)  # by kind and name, as ("hyp", "GPT-4")

    @property
    def source(self) -> TextPart | None:
        return self.parts.get(SOURCE_PART)

    @property
    def translations(self) -> list[TextPart]:
        return [part for key, part in self.parts.items() if key != SOURCE_PART]


def parse_xml(chunks: Iterable[bytes | str], name: str, found: dict[str, TextDocument]) -> None:
    """Read one file of XML, and put what it has where it belongs."""
    from xml.sax import SAXParseException  # late, as what reads no XML needs none of it

    from defusedxml import DefusedXmlException, sax

    safe: Any = sax  # which comes without types
    parser = safe.make_parser()
    parser.forbid_dtd = True
    handler = _Handler(name, found, parser)
    parser.setContentHandler(handler)
    try:
        for chunk in chunks:
            parser.feed(chunk)
        parser.close()
    except DefusedXmlException:
        raise InputError(f"{handler.here()} declares a document type or an entity, through which XML can do harm. "
                         "Expected the XML of a shared task, which has none: remove the declaration.") from None
    except SAXParseException as error:
        raise InputError(f"{name}, line {error.getLineNumber() or 1} is no sound XML: {error.getMessage()}. "
                         "Mend that line, or copy or download the file again.") from None
    except (ValueError, LookupError) as error:  # an encoding that Python does not know, or bytes that it has not
        raise InputError(f"{handler.here()} cannot be read as XML: {error}. Write it as UTF-8.") from None
    if not handler.n_documents:
        raise InputError(f"{name} has no document. Expected {XML_FORM}.")


class _Handler(ContentHandler):
    """What comes of the events of one file."""

    def __init__(self, path: str, read: dict[str, TextDocument], parser: Any):
        super().__init__()
        self.path, self.read, self.parser = path, read, parser
        self.depth = self.skipped = 0  # of all elements; of an open document of a test suite
        self.open: list[str] = []  # a document, in it a part, in it a segment
        self.key, self.own, self.seg, self.origin = "", "", "", ""  # of what is open
        self.part = TextPart("", "")
        self.text: list[str] = []
        self.length = 0
        self.seen: set[str] = set()
        self.n_documents = 0

    def here(self) -> str:
        return f"{self.path}, line {self.parser.getLineNumber() or 1}"

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self.depth += 1
        if self.depth > DEPTH:
            raise InputError(f"{self.here()} has elements {DEPTH} deep inside each other. Expected {XML_FORM}.")
        if self.skipped or name not in _LEVELS:
            return
        spend("lines", 1, self.here())
        around = self.open[-1] if self.open else None
        if around is not None and _LEVELS[name] <= _LEVELS[around]:
            raise InputError(f"{self.here()}: <{name}> begins inside of <{around}>. Expected {XML_FORM}; close the "
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
        self.read.setdefault(key, TextDocument(attrs.get("domain")))

    def _open_part(self, kind: str, attrs: AttributesImpl) -> None:
        self.own = name_reference(attrs.get("translator") or "") if kind == "ref" else \
            attrs.get("system") or "" if kind == "hyp" else ""
        if kind == "hyp" and not self.own.strip():
            raise InputError(f"{self.here()}: <hyp> names no system. Expected {XML_FORM}.")
        lang = attrs.get("lang") or attrs.get("language") or (self.origin if kind == "src" else "")
        if (lang or kind == "src") and not re.fullmatch(LANGUAGE, lang := lang.replace("-", "_")):
            raise InputError(f"{self.here()}: the language of <{kind}> is {show_name(lang)!r}. Expected a code such as "
                             "en or zh_TW.")
        self.part = TextPart(lang, self.here())

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


# SGML, which has neither one root nor sound attributes, and whose entities are those of HTML.

_TAG = re.compile(r"<(?=/?(?:refset|srcset|tstset|doc|seg)\b)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_KINDS = {"refset": "ref", "srcset": "src", "tstset": "hyp"}


def parse_sgml(text: str, name: str, found: dict[str, TextDocument]) -> None:
    """Read one file of SGML, and put what it has where it belongs."""
    kind, langs, line = "", ("", ""), 1
    key, part = "", None
    for piece in _TAG.split(text):
        where = f"{name}, line {line}"
        line += piece.count("\n")
        inside, _, content = piece.partition(">")
        tag = inside.split(maxsplit=1)[0].lower() if inside.strip() else ""
        attributes = {own.lower(): html.unescape(a or b or c) for own, a, b, c in _ATTRIBUTE.findall(inside)}
        if tag in _KINDS:
            kind, langs = _KINDS[tag], (attributes.get("srclang", ""), attributes.get("trglang", ""))
        elif tag == "doc":
            spend("lines", 1, where)
            key = attributes.get("docid", "")
            own = name_reference("" if attributes.get("sysid", "").lower() == "ref" else attributes.get("sysid", "")
                                 ) if kind == "ref" else attributes.get("sysid", "") if kind == "hyp" else ""
            document = found.setdefault(key, TextDocument(attributes.get("genre")))
            if not key or not kind or (kind, own) in document.parts:
                told = f"comes a second time in {own or kind}" if key and kind else "has no docid, or is in no set"
                raise InputError(f"{where}: the document {show_name(key)!r} {told}. Expected <refset>, <srcset> or "
                                 "<tstset>, and in it <doc docid=...> with another docid for each.")
            lang = langs[kind != "src"].lower()
            part = document.parts[kind, own] = TextPart(lang if re.fullmatch(LANGUAGE, lang) and lang != "any" else "",
                                                        where)
        elif tag == "seg":
            if part is None:
                raise InputError(f"{where}: a segment is in no document. Expected <doc docid=...> before it.")
            spend("lines", 1, where)
            spend("line_length", len(content), where)
            seg = attributes.get("id") or str(len(part.texts) + 1)
            if seg in part.texts:
                raise InputError(f"{where}: the document {show_name(key)} has a second segment {show_name(seg)!r}. "
                                 "Expected another id for each.")
            part.texts[seg] = " ".join(html.unescape(content).split())
        elif tag == "/doc":
            part = None


# From documents to texts.


def read_sgml_texts(text: str, name: str) -> TextTable:
    """The texts of a file of SGML."""
    found: dict[str, TextDocument] = {}
    parse_sgml(text, name, found)
    return tabulate_documents(found, name)


def read_xml_texts(text: str, name: str) -> TextTable:
    """The texts of a file of XML."""
    found: dict[str, TextDocument] = {}
    parse_xml([text], name, found)
    return tabulate_documents(found, name)


def tabulate_documents(found: Mapping[str, TextDocument], name: str) -> TextTable:
    """A row for each segment, by document and id, in the order of the source where there is one."""
    rows = [(key, document, seg) for key, document in found.items() for seg in dict.fromkeys(
        seg for part in filter(None, (document.source, *document.translations)) for seg in part.texts)]
    parts = dict.fromkeys(which for document in found.values() for which in document.parts)
    if not rows:
        raise InputError(f"{name} has no segment. Expected {XML_FORM}; or SGML with <doc docid=...> and <seg id=...>.")
    check_values(len(rows) * len(parts), name)
    texts = {which: [document.parts[which].texts.get(seg) if which in document.parts else None
                     for _, document, seg in rows] for which in sorted(parts)}
    langs = [sorted({part.lang for document in found.values() for which, part in document.parts.items()
                     if (which == SOURCE_PART) == is_source and part.lang}) for is_source in (True, False)]
    if len(langs[1]) > 1:
        raise InputError(f"{name} has texts in {', '.join(map(show_name, langs[1]))}. Expected one target language. "
                         "Name the file as XML, and choose the language pair.", {"xml": "FILE", "langpair": "XX-YY"})
    domains = [document.domain or "" for _, document, _ in rows]
    return TextTable(name, "markup", {own: texts for (kind, own), texts in texts.items() if kind == "hyp"},
                     {own: texts for (kind, own), texts in texts.items() if kind == "ref"}, texts.get(SOURCE_PART),
                     [key for key, _, _ in rows], domains if any(domains) else None,
                     [(key, seg) for key, _, seg in rows],
                     [f"{langs[0][0]}-{langs[1][0]}"] * len(rows) if all(langs) else None)
