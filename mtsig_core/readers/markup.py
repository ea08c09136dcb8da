"""Markup of the WMT shared tasks: SGML of 2008 to 2020, and XML of 2021 on, each to documents, and
those to texts::

    <refset setid="newstest2019" srclang="en" trglang="de">
      <doc sysid="ref" docid="n1" genre="news" origlang="en"><p><seg id="1">...</seg></p></doc>

XML that declares a document type is refused: entities, external references and what grows out of
them can come by no other way. SGML of WMT is no sound XML: only its tags of documents and segments
are looked for.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mtsig_core.errors import InputError
from mtsig_core.languages import LANGUAGE
from mtsig_core.readers.limits import check_values, spend
from mtsig_core.readers.text_tables import TextTable, name_reference
from mtsig_core.testset import show_name

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

SOURCE_PART = ("src", "")
XML_FORM = (
    '<doc id="..." origlang="en"> with <src lang="en">, <ref lang="de" translator="A"> and <hyp lang="de" '
    'system="NAME">, and in each of them <seg id="1">'
)


@dataclass
class TextPart:
    """A source, a reference or an output of one document."""

    lang: str
    where: str
    texts: dict[str, str] = field(default_factory=dict)  # by the id of the segment


@dataclass
class TextDocument:
    domain: str | None
    parts: dict[tuple[str, str], TextPart] = field(
        default_factory=dict
    )  # by kind and name, as ("hyp", "GPT-4")

    @property
    def source(self) -> TextPart | None:
        return self.parts.get(SOURCE_PART)

    @property
    def translations(self) -> list[TextPart]:
        return [part for key, part in self.parts.items() if key != SOURCE_PART]


def parse_xml(content: bytes | str, name: str, found: dict[str, TextDocument]) -> None:
    """Read one file of XML, and put what it has where it belongs.

    Documents of test suites are left out.
    """
    from xml.etree.ElementTree import ParseError  # late, as what reads no XML needs none of it

    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    seen: list[str] = []
    file = io.StringIO(content) if isinstance(content, str) else io.BytesIO(content)
    try:
        for event, element in iterparse(file, ("start", "end"), forbid_dtd=True):
            if event == "start":
                spend("lines", 1, name)  # each of them takes memory
            elif element.tag == "doc":
                seen.append(element.get("id") or "")
                if "testsuite" not in element.attrib:
                    _add_document(element, name, seen, found)
                element.clear()
    except DefusedXmlException:
        raise InputError(
            f"{name} declares a document type or an entity, through which XML can do harm. Expected the "
            "XML of a shared task, which has none: remove the declaration."
        ) from None
    except ParseError as error:
        raise InputError(
            f"{name}, line {error.position[0]} is no sound XML: {str(error).rpartition(':')[0]}. Mend "
            "that line, or copy or download the file again."
        ) from None
    except (
        ValueError,
        LookupError,
    ) as error:  # an encoding that Python does not know, or bytes that it has not
        raise InputError(f"{name} cannot be read as XML: {error}. Write it as UTF-8.") from None
    if not seen:
        raise InputError(f"{name} has no document. Expected {XML_FORM}.")


def _add_document(
    element: Element, name: str, seen: Sequence[str], found: dict[str, TextDocument]
) -> None:
    """Add the source, references and outputs of a document, each of which may come again if it is
    the same.
    """
    *before, key = seen
    where = f"{name}, document {len(seen)} ({show_name(key)})"
    if not key.strip() or key in before:
        raise InputError(
            f"{where} has {'the id of another' if key.strip() else 'no id'}. Expected one for each."
        )
    document = found.setdefault(key, TextDocument(element.get("domain")))
    for part in (part for part in element if part.tag in ("src", "ref", "hyp")):
        own = (
            name_reference(part.get("translator") or "")
            if part.tag == "ref"
            else part.get("system") or ""
        )
        lang = (
            part.get("lang")
            or part.get("language")
            or (element.get("origlang") or "" if part.tag == "src" else "")
        )
        lang = lang.replace("-", "_")
        needs_lang = lang or part.tag == "src"
        if (part.tag == "hyp" and not own.strip()) or (
            needs_lang and not re.fullmatch(LANGUAGE, lang)
        ):
            raise InputError(
                f"{where}: <{part.tag}> has the language {show_name(lang)!r} and the system "
                f"{show_name(own)!r}. Expected {XML_FORM}, with a language such as en or zh_TW."
            )
        texts: dict[str, str] = {}
        for seg in part.iter("seg"):
            text, number = "".join(seg.itertext()), seg.get("id") or ""
            spend("line_length", len(text), where)
            if not number or number in texts:
                raise InputError(
                    f"{where}: <{part.tag}> has the segment {show_name(number)!r} twice, or one without "
                    "an id. Expected another id for each."
                )
            texts[number] = " ".join(text.split())
        parsed = TextPart(lang, where, texts)
        first = document.parts.setdefault((part.tag, "" if part.tag == "src" else own), parsed)
        if (first.lang, first.texts) != (lang, texts):
            raise InputError(
                f"{where}: {f'<{part.tag}> {show_name(own)}'.strip()} differs from the one of "
                f"{first.where}. Expected one of each."
            )


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
        attributes = {
            own.lower(): html.unescape(a or b or c) for own, a, b, c in _ATTRIBUTE.findall(inside)
        }
        if tag in _KINDS:
            kind, langs = (
                _KINDS[tag],
                (attributes.get("srclang", ""), attributes.get("trglang", "")),
            )
        elif tag == "doc":
            spend("lines", 1, where)
            key = attributes.get("docid", "")
            own = (
                name_reference(
                    ""
                    if attributes.get("sysid", "").lower() == "ref"
                    else attributes.get("sysid", "")
                )
                if kind == "ref"
                else attributes.get("sysid", "")
                if kind == "hyp"
                else ""
            )
            document = found.setdefault(key, TextDocument(attributes.get("genre")))
            if not key or not kind or (kind, own) in document.parts:
                told = (
                    f"comes a second time in {own or kind}"
                    if key and kind
                    else "has no docid, or is in no set"
                )
                raise InputError(
                    f"{where}: the document {show_name(key)!r} {told}. Expected <refset>, <srcset> or "
                    "<tstset>, and in it <doc docid=...> with another docid for each."
                )
            lang = langs[kind != "src"].lower()
            part = document.parts[kind, own] = TextPart(
                lang if re.fullmatch(LANGUAGE, lang) and lang != "any" else "", where
            )
        elif tag == "seg":
            if part is None:
                raise InputError(
                    f"{where}: a segment is in no document. Expected <doc docid=...> before it."
                )
            spend("lines", 1, where)
            spend("line_length", len(content), where)
            seg = attributes.get("id") or str(len(part.texts) + 1)
            if seg in part.texts:
                raise InputError(
                    f"{where}: the document {show_name(key)} has a second segment {show_name(seg)!r}. "
                    "Expected another id for each."
                )
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
    parse_xml(text, name, found)
    return tabulate_documents(found, name)


def tabulate_documents(found: Mapping[str, TextDocument], name: str) -> TextTable:
    """A row for each segment, by document and id, in the order of the source where there is one."""
    rows = [
        (key, document, seg)
        for key, document in found.items()
        for seg in dict.fromkeys(
            seg
            for part in filter(None, (document.source, *document.translations))
            for seg in part.texts
        )
    ]
    parts = dict.fromkeys(which for document in found.values() for which in document.parts)
    if not rows:
        raise InputError(
            f"{name} has no segment. Expected {XML_FORM}; or SGML with <doc docid=...> and <seg id=...>."
        )
    check_values(len(rows) * len(parts), name)
    texts = {
        which: [
            document.parts[which].texts.get(seg) if which in document.parts else None
            for _, document, seg in rows
        ]
        for which in sorted(parts)
    }
    langs = [
        sorted(
            {
                part.lang
                for document in found.values()
                for which, part in document.parts.items()
                if (which == SOURCE_PART) == is_source and part.lang
            }
        )
        for is_source in (True, False)
    ]
    if len(langs[1]) > 1:
        raise InputError(
            f"{name} has texts in {', '.join(map(show_name, langs[1]))}. Expected one target language. "
            "Name the file as XML, and choose the language pair.",
            {"xml": "FILE", "langpair": "XX-YY"},
        )
    domains = [document.domain or "" for _, document, _ in rows]
    return TextTable(
        name,
        "markup",
        {own: texts for (kind, own), texts in texts.items() if kind == "hyp"},
        {own: texts for (kind, own), texts in texts.items() if kind == "ref"},
        texts.get(SOURCE_PART),
        [key for key, _, _ in rows],
        domains if any(domains) else None,
        [(key, seg) for key, _, seg in rows],
        [f"{langs[0][0]}-{langs[1][0]}"] * len(rows) if all(langs) else None,
    )
