"""Read the markup of the WMT shared tasks as documents, and documents as texts.

WMT used SGML from 2008 to 2020, and XML from 2021 on::

    <refset setid="newstest2019" srclang="en" trglang="de">
      <doc sysid="ref" docid="n1" genre="news" origlang="en"><p><seg id="1">...</seg></p></doc>

XML that declares a document type is refused, because only a document type can bring in entities,
external references and the attacks that use them. WMT's SGML is not valid XML, so the reader looks
only for its tags of documents and segments.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from mtsig_core.errors import InputError
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.text_tables import TextTable, name_reference
from mtsig_core.testset import show_name

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

XML_FORM = (
    '<doc id="..." origlang="en"> with <src lang="en">, <ref lang="de" translator="A"> and <hyp lang="de" '
    'system="NAME">, and in each of them <seg id="1">'
)


class TextKey(NamedTuple):
    """Which text of a document it is."""

    kind: str  # {"src", "ref", "hyp"}
    name: str  # of the reference or system; empty for the source


SOURCE_KEY = TextKey("src", "")


@dataclass
class DocumentText:
    """A source, a reference or an output of one document."""

    lang: str
    location: str
    segments: dict[str, str] = field(default_factory=dict)  # by id


@dataclass
class TextDocument:
    """The texts of a document."""

    domain: str | None
    texts: dict[TextKey, DocumentText] = field(default_factory=dict)

    @property
    def source(self) -> DocumentText | None:
        """The source, if there is one."""
        return self.texts.get(SOURCE_KEY)

    @property
    def translations(self) -> list[DocumentText]:
        """The references and outputs."""
        return [text for key, text in self.texts.items() if key != SOURCE_KEY]


# XML.


def parse_xml(content: bytes | str, name: str, documents: dict[str, TextDocument]) -> None:
    """Read one file of XML, and add its texts to the documents of their ids.

    Documents of test suites are left out.
    """
    from xml.etree.ElementTree import ParseError  # late, as only XML needs it

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    ids: list[str] = []
    file = io.StringIO(content) if isinstance(content, str) else io.BytesIO(content)
    try:
        for event, element in iterparse(file, ("start", "end"), forbid_dtd=True):
            if event == "start":
                spend("lines", 1, name)  # each of them takes memory
            elif element.tag == "doc":
                ids.append(element.get("id") or "")
                if "testsuite" not in element.attrib:
                    _add_document(element, name, ids, documents)
                element.clear()
    except DefusedXmlException:
        raise InputError(
            f"{name} declares a document type or an entity, which can make XML harmful. Expected the "
            "XML of a shared task, which has none: remove the declaration."
        ) from None
    except ParseError as error:
        line, _ = error.position
        reason, _, _ = str(error).rpartition(":")
        raise InputError(
            f"{name}, line {line} is not valid XML: {reason}. Correct that line, or copy or download the "
            "file again."
        ) from None
    except (
        ValueError,
        LookupError,
    ) as error:  # an unknown encoding, or bytes that it does not have
        raise InputError(f"{name} cannot be read as XML: {error}. Write it as UTF-8.") from None
    if not ids:
        raise InputError(f"{name} has no document. Expected {XML_FORM}.")


def _add_document(
    element: Element, name: str, ids: Sequence[str], documents: dict[str, TextDocument]
) -> None:
    """Add the source, references and outputs of a document, the last of `ids`.

    Each may come again if it is the same.
    """
    *earlier_ids, document_id = ids
    location = f"{name}, document {len(ids)} ({show_name(document_id)})"
    if not document_id.strip():
        raise InputError(f"{location} has no id. Expected one for each.")
    if document_id in earlier_ids:
        raise InputError(f"{location} has the id of another. Expected one for each.")
    document = documents.setdefault(document_id, TextDocument(element.get("domain")))
    for child in element:
        if child.tag not in ("src", "ref", "hyp"):
            continue
        key, lang = _read_attributes(child, element.get("origlang") or "", location)
        text = DocumentText(lang, location, _read_segments(child, location))
        first = document.texts.setdefault(key, text)
        if (first.lang, first.segments) != (text.lang, text.segments):
            label = f"<{key.kind}> {show_name(key.name)}".strip()
            raise InputError(
                f"{location}: {label} differs from the one of {first.location}. Expected one of each."
            )


def _read_attributes(element: Element, source_lang: str, location: str) -> tuple[TextKey, str]:
    """Which text an element is, and its language."""
    kind = element.tag
    name = element.get("system") or ""
    if kind == "ref":
        name = name_reference(element.get("translator") or "")
    lang = element.get("lang") or element.get("language") or ""
    if kind == "src":
        lang = lang or source_lang
    lang = lang.replace("-", "_")
    is_known_lang = re.fullmatch(LANGUAGE, lang) is not None
    may_lack_lang = kind != "src" and not lang
    if not (is_known_lang or may_lack_lang) or (kind == "hyp" and not name.strip()):
        raise InputError(
            f"{location}: <{kind}> has the language {show_name(lang)!r} and the system "
            f"{show_name(name)!r}. Expected {XML_FORM}, with a language such as en or zh_TW."
        )
    return SOURCE_KEY if kind == "src" else TextKey(kind, name), lang


def _read_segments(element: Element, location: str) -> dict[str, str]:
    segments: dict[str, str] = {}
    for segment in element.iter("seg"):
        text = "".join(segment.itertext())
        segment_id = segment.get("id") or ""
        spend("line_length", len(text), location)
        if not segment_id or segment_id in segments:
            raise InputError(
                f"{location}: <{element.tag}> has the segment {show_name(segment_id)!r} twice, or one without "
                "an id. Expected a different id for each."
            )
        segments[segment_id] = " ".join(text.split())
    return segments


# SGML. It has several roots and malformed attributes, and uses the entities of HTML.

_TAG = re.compile(r"<(?=/?(?:refset|srcset|tstset|doc|seg)\b)", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_KINDS = {"refset": "ref", "srcset": "src", "tstset": "hyp"}


def parse_sgml(content: str, name: str, documents: dict[str, TextDocument]) -> None:
    """Read one file of SGML, and add its texts to the documents of their ids."""
    parser = _SgmlParser(documents)
    line = 1
    for piece in _TAG.split(content):
        location = f"{name}, line {line}"
        line += piece.count("\n")
        tag_content, _, text = piece.partition(">")
        attributes = {}
        for key, in_double_quotes, in_quotes, bare in _ATTRIBUTE.findall(tag_content):
            value = in_double_quotes or in_quotes or bare
            attributes[key.lower()] = html.unescape(value)
        words = tag_content.lower().split(maxsplit=1)
        tag = words[0] if words else ""
        if tag in _KINDS:
            parser.open_set(_KINDS[tag], attributes)
        elif tag == "doc":
            parser.open_document(attributes, location)
        elif tag == "seg":
            parser.add_segment(attributes, text, location)
        elif tag == "/doc":
            parser.text = None


@dataclass
class _SgmlParser:
    """The set, the document and the text that a file of SGML is in."""

    documents: dict[str, TextDocument]
    kind: str = ""
    lang: str = ""
    document_id: str = ""
    text: DocumentText | None = None

    def open_set(self, kind: str, attributes: Mapping[str, str]) -> None:
        self.kind = kind
        lang = attributes.get("srclang" if kind == "src" else "trglang", "").lower()
        is_lang = re.fullmatch(LANGUAGE, lang) is not None and lang != "any"
        self.lang = lang if is_lang else ""

    def open_document(self, attributes: Mapping[str, str], location: str) -> None:
        spend("lines", 1, location)
        self.document_id = attributes.get("docid", "")
        name = ""
        if self.kind == "hyp":
            name = attributes.get("sysid", "")
        elif self.kind == "ref":
            translator = attributes.get("sysid", "")
            name = name_reference("" if translator.lower() == "ref" else translator)
        key = TextKey(self.kind, name)
        document = self.documents.setdefault(
            self.document_id, TextDocument(attributes.get("genre"))
        )
        fault = ""
        if not self.document_id or not self.kind:
            fault = "has no docid, or is in no set"
        elif key in document.texts:
            fault = f"appears twice in {name or self.kind}"
        if fault:
            raise InputError(
                f"{location}: the document {show_name(self.document_id)!r} {fault}. Expected <refset>, "
                "<srcset> or <tstset>, and in it <doc docid=...> with a different docid for each."
            )
        self.text = DocumentText(self.lang, location)
        document.texts[key] = self.text

    def add_segment(self, attributes: Mapping[str, str], content: str, location: str) -> None:
        if self.text is None:
            raise InputError(
                f"{location}: a segment is in no document. Expected <doc docid=...> before it."
            )
        spend("lines", 1, location)
        spend("line_length", len(content), location)
        segments = self.text.segments
        segment_id = attributes.get("id") or str(len(segments) + 1)
        if segment_id in segments:
            raise InputError(
                f"{location}: the document {show_name(self.document_id)} has a second segment "
                f"{show_name(segment_id)!r}. Expected a different id for each."
            )
        segments[segment_id] = " ".join(html.unescape(content).split())


# From documents to texts.


def read_sgml_texts(text: str, name: str) -> TextTable:
    """The texts of a file of SGML."""
    documents: dict[str, TextDocument] = {}
    parse_sgml(text, name, documents)
    return tabulate_documents(documents, name)


def read_xml_texts(text: str, name: str) -> TextTable:
    """The texts of a file of XML."""
    documents: dict[str, TextDocument] = {}
    parse_xml(text, name, documents)
    return tabulate_documents(documents, name)


def tabulate_documents(documents: Mapping[str, TextDocument], name: str) -> TextTable:
    """A row for each segment, by document and id, in the order of the source where there is one."""
    keys = []
    domains = []
    text_keys: set[TextKey] = set()
    for document_id, document in documents.items():
        text_keys |= document.texts.keys()
        texts = document.translations
        if document.source is not None:
            texts = [document.source, *texts]
        segment_ids: dict[str, None] = {}
        for text in texts:
            segment_ids |= dict.fromkeys(text.segments)
        for segment_id in segment_ids:
            keys.append((document_id, segment_id))
            domains.append(document.domain or "")
    if not keys:
        raise InputError(
            f"{name} has no segment. Expected {XML_FORM}; or SGML with <doc docid=...> and <seg id=...>."
        )
    check_values(len(keys) * len(text_keys), name)
    columns: dict[TextKey, list[str | None]] = {}
    for text_key in sorted(text_keys):
        column = []
        for document_id, segment_id in keys:
            document_text = documents[document_id].texts.get(text_key)
            segment = None if document_text is None else document_text.segments.get(segment_id)
            column.append(segment)
        columns[text_key] = column
    table = TextTable(
        name,
        "markup",
        outputs={key.name: column for key, column in columns.items() if key.kind == "hyp"},
        references={key.name: column for key, column in columns.items() if key.kind == "ref"},
        sources=columns.get(SOURCE_KEY),
        documents=[document_id for document_id, _ in keys],
        keys=keys,
    )
    if any(domains):
        table = replace(table, domains=domains)
    langpair = _find_langpair(documents, name)
    if langpair is not None:
        table = replace(table, langpairs=[langpair for _ in keys])
    return table


def _find_langpair(documents: Mapping[str, TextDocument], name: str) -> str | None:
    """The language pair of the documents; None if they do not say it."""
    source_langs = set()
    target_langs = set()
    for document in documents.values():
        target_langs |= {text.lang for text in document.translations}
        if document.source is not None:
            source_langs.add(document.source.lang)
    sources = sorted(source_langs - {""})
    targets = sorted(target_langs - {""})
    if len(targets) > 1:
        raise InputError(
            f"{name} has texts in {', '.join(map(show_name, targets))}. Expected one target language. "
            "Name the file as XML, and choose the language pair.",
            {"xml": "FILE", "langpair": "XX-YY"},
        )
    return f"{sources[0]}-{targets[0]}" if sources and targets else None
