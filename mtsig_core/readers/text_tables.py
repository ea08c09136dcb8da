"""Files that hold several texts: tables of source, reference and outputs.

`formats.FORMATS` has the reader of each format. `texts.read_text` uses the references of a file
that is given as a reference, and the outputs of a file that is given as an output. It sorts
segments with ids into one order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown
from mtsig_core.languages import languages_of, two_letters
from mtsig_core.readers.cells import has_number, is_blank, read_field, to_name, to_object, to_text
from mtsig_core.readers.columns import (
    NAMES,
    ColumnsByName,
    InputTable,
    check_unique,
    find_column,
    find_columns,
    show_names,
)
from mtsig_core.readers.limits import check_values
from mtsig_core.readers.wide_tables import ANSWERS, ROW_NUMBERS, name_aside
from mtsig_core.testset import is_human, show_name

_Texts = Sequence[str | None]
#: Further columns of tables of texts, in small letters, that are no texts themselves.
_TextsByLanguage = dict[str, list[str | None]]
_NO_TEXTS = ("origlang", "original_language", "split", "url", "collection_id", "is_bad_source")
#: Columns of WMT24++: the human translation as it was corrected, which is the reference, and as it was
#: before.
_MENDED = "target"
_BEFORE = "original_target"
#: The form whose rows are documents, with blank lines between their paragraphs.
PARAGRAPHS = "wmt25"
_NUMBERS = "numbers"  # what a column holds that may be scores
#: Of the words of a text, the share that its translation into the same language has at least.
LEAST_SHARED = 0.1


@dataclass(frozen=True, eq=False)
class TextTable:
    """The texts of a file that holds several, with a row for each segment."""

    name: str  # what messages call it
    form: str  # tables of one form name their rows in the same way
    #: By name, which is empty for one that is called as its file.
    outputs: Mapping[str, _Texts] = field(default_factory=dict)
    references: Mapping[str, _Texts] = field(default_factory=dict)
    sources: _Texts | None = None
    documents: Sequence[str] | None = None
    domains: Sequence[str] | None = None
    keys: Sequence[Hashable] | None = None  # the id of each row
    langpairs: Sequence[str] | None = None  # the language pair of each row
    assumed: tuple[Assumption, ...] = ()
    #: Texts of which only the languages tell source and reference.
    by_language: Mapping[str, _Texts] = field(default_factory=dict)

    def map_rows(self, change: Callable[[Sequence[Any]], Sequence[Any]]) -> TextTable:
        """The same with other rows."""
        changed: dict[str, Any] = {}
        for name in ("sources", "documents", "domains", "keys", "langpairs"):
            rows = getattr(self, name)
            if rows is not None:
                changed[name] = change(rows)
        for name in ("outputs", "references", "by_language"):
            changed[name] = {key: change(rows) for key, rows in getattr(self, name).items()}
        return replace(self, **changed)

    def take(self, places: Sequence[int]) -> TextTable:
        """Some of the rows, in this order."""
        return self.map_rows(lambda rows: [rows[k] for k in places])

    def list_texts(self, role: str) -> Mapping[str, _Texts]:
        """The texts that a file has as a reference, or as an output.

        The target side of a source may be either.
        """
        if role != "reference":
            return self.outputs
        is_target_side = self.sources is not None and list(self.outputs) == [""]
        if not self.references and is_target_side:
            return self.outputs
        return self.references


@dataclass(frozen=True)
class TextInTable(os.PathLike[str]):
    """A text of a `TextTable`, in place of a file that has only this text."""

    path: str
    lines: Sequence[Any]  # texts; in a reference, None marks a missing text
    domains: Sequence[str] | None = None  # of documents

    def __fspath__(self) -> str:
        return self.path


def find_role(table: TextTable) -> str:
    """What the file of a table most likely is, among several that are uploaded."""
    if table.references and table.outputs:
        return "reference and outputs"
    if table.references or table.by_language:
        return "reference"
    return "system" if table.outputs else "source"


def name_reference(name: str, short: str = "[A-Z]") -> str:
    """Name a reference after its name in a file: refA for A, ref without a name."""
    return f"ref{name}" if re.fullmatch(short, name) else name or "ref"


# Tables side by side: of one language pair, and with the segments in one order.


def align_tables(
    tables: Sequence[TextTable], langpair: str | None
) -> tuple[list[TextTable], str | None]:
    """Tables of one language pair, with their rows in the order of the first with references.

    Only tables that name their rows are brought into order. The language pair is found where the
    tables name only one.
    """
    aligned = []
    for table in tables:
        rows, langpair = _take_pair(_split_languages(table, langpair), langpair)
        aligned.append(rows)
    for table in aligned:
        if table.references:
            aligned = _put_in_order(aligned, table)
            break
    return _split_paragraphs(aligned), langpair


def _split_languages(table: TextTable, langpair: str | None) -> TextTable:
    """Assign the roles of source and reference to texts that differ only in language."""
    names = list(table.by_language)
    if not names:
        return table
    source, target = (_find_language(names, language) for language in languages_of(langpair))
    if source is None or target is None:
        first, second, *_ = [*names, "", ""]
        raise SettingError(
            f"{table.name} has texts by language: {show_names(names)}. Say which is the "
            "source and which the reference.",
            {"langpair": f"{first}-{second}"},
        )
    return replace(
        table,
        sources=table.by_language[source],
        references={"ref": table.by_language[target]},
        by_language={},
    )


def _find_language(names: Sequence[str], language: str | None) -> str | None:
    """Find the only name of a language, such as deu_Latn for de; None without exactly one."""
    if language is None or language in names:
        return language
    code = two_letters(language)
    alike = [name for name in names if two_letters(re.split("[-_]", name)[0].lower()) == code]
    return alike[0] if len(alike) == 1 else None


def _take_pair(table: TextTable, langpair: str | None) -> tuple[TextTable, str | None]:
    """The rows of the language pair, and that pair."""
    pairs_of_rows = table.langpairs or ()
    pairs = list(dict.fromkeys(pairs_of_rows))
    if not pairs:
        return table, langpair
    if langpair is None and len(pairs) > 1:
        raise SettingError(
            f"{table.name} has {len(pairs)} language pairs: {show_names(pairs)}. Choose one.",
            {"langpair": pairs[0]},
        )
    langpair = langpair or pairs[0]
    plain = _without_regions(langpair)
    candidates = [pair for pair in pairs if _without_regions(pair) == plain]
    if langpair in pairs:
        candidates = [langpair]
    if len(candidates) != 1:
        raise explain_unknown(f"language pair of {table.name}", langpair, pairs)
    places = [k for k, pair in enumerate(pairs_of_rows) if pair == candidates[0]]
    return table.take(places), langpair


def _without_regions(pair: str) -> str:
    """A language pair without the countries in it: en-de of en-de_DE."""
    return re.sub("[_-][A-Z]{2}(?=-|$)", "", pair)


def _put_in_order(tables: Sequence[TextTable], main: TextTable) -> list[TextTable]:
    """The tables of the form of the main one with its rows, those that have a reference."""
    if main.keys is None:
        return list(tables)
    references = zip(*main.references.values(), strict=True)
    places = [k for k, texts in enumerate(references) if any(text is not None for text in texts)]
    keys = [main.keys[k] for k in places]
    ordered = []
    for table in tables:
        if table is main:
            ordered.append(table.take(places))
        elif table.form != main.form or table.keys is None:
            ordered.append(table)
        else:
            ordered.append(_order_rows(table, keys, main.name))
    return ordered


def _order_rows(table: TextTable, keys: Sequence[Hashable], main_name: str) -> TextTable:
    """The rows of a table in the order of the keys."""
    place_of = {key: k for k, key in enumerate(table.keys or ())}
    for key in keys:
        if key not in place_of:
            segment = show_name(str(key))
            if isinstance(key, tuple):
                document, item = key
                segment = f"{show_name(item)} of document {show_name(document)}"
            raise InputError(
                f"{table.name} has no segment {segment}, which {main_name} has. Expected all "
                "segments of the reference. Check that both are of the same test set."
            )
    return table.take([place_of[key] for key in keys])


def _split_paragraphs(tables: list[TextTable]) -> list[TextTable]:
    """Documents split into their paragraphs.

    If the number of paragraphs differs between its texts, a document becomes one segment.
    """
    texts: list[_Texts] = []
    for table in tables:
        if table.form == PARAGRAPHS:
            texts += [*table.references.values(), *table.outputs.values()]
            if table.sources is not None:
                texts.append(table.sources)
    n_segments = []
    for row in zip(*texts, strict=True):
        counts = {len(_list_paragraphs(text)) for text in row if text is not None}
        n_segments.append(counts.pop() if len(counts) == 1 else 1)

    def split(rows: Sequence[Any]) -> list[Any]:
        segments = []
        for row, n in zip(rows, n_segments, strict=True):
            segments += _split_row(row, n)
        return segments

    return [table.map_rows(split) if table.form == PARAGRAPHS else table for table in tables]


def _list_paragraphs(text: str) -> list[str]:
    return re.split(r"\n\s*\n", text.strip())


def _split_row(row: Any, n: int) -> list[Any]:
    """A document's n paragraphs, each on one line; what has no n paragraphs, n times."""
    if not isinstance(row, str):
        return [row for _ in range(n)]
    paragraphs = _list_paragraphs(row)
    if n > 1 and len(paragraphs) == n:
        return list(map(join_lines, paragraphs))
    return [join_lines(row) for _ in range(n)]


def join_lines(text: str) -> str:
    """A text on one line."""
    if not ("\n" in text or "\r" in text):
        return text
    return " ".join(filter(None, map(str.strip, re.split("[\r\n]", text))))


# Tables with a column for each text.


def tabulate_texts(table: InputTable) -> TextTable:
    """The texts of a table with a column for each: source, reference, and each output."""
    check_unique(table.name, table.header)
    by_language = _find_languages(table)
    if by_language:
        return TextTable(
            table.name,
            "table",
            documents=_read_names(table, "docid") or _read_articles(table),
            domains=_read_names(table, "domain"),
            by_language=by_language,
        )
    columns = table.list_columns()
    references, outputs, by_role = sort_columns(columns)
    if not references and not outputs:
        raise InputError(
            f"{table.name} has the columns {show_names(table.header)}, and none is called as a reference "
            "(reference, ref, refA) or an output (output, hypothesis). Rename them, such as to source, "
            "reference and the names of the systems."
        )
    if "system" in by_role:
        raise InputError(
            f"{table.name} names systems in the column {show_name(by_role['system'])!r}. Expected a column "
            "for each system, and a row for each segment."
        )
    reference_texts = {}
    for title in references:
        name = name_reference(title)
        if title.lower() in ("reference", _MENDED):
            name = "ref"
        reference_texts[name] = _read_texts(table, title)
    output_texts = {}
    for title in outputs:
        texts = _read_texts(table, title)
        _check_output(table.name, title, texts, list(reference_texts.values()))
        output_texts[title] = texts
    if len(outputs) == 1 and outputs[0].lower() in NAMES["output"]:  # which names no system
        output_texts = {"": output_texts[outputs[0]]}
    sources = None
    if "source" in by_role:
        sources = _read_texts(table, by_role["source"])
    for title in (*references, *by_role.values()):
        columns.pop(title, None)
    asides = _list_asides(columns)
    return TextTable(
        table.name,
        "table",
        output_texts,
        reference_texts,
        sources,
        documents=_read_names(table, "docid"),
        domains=_read_names(table, "domain"),
        langpairs=_read_names(table, "langpair"),
        assumed=explain_no_outputs(table.name, asides),
    )


def _list_asides(columns: Mapping[str, Sequence[object]]) -> dict[str, str]:
    """List the columns that do not count as outputs, with their content, except empty columns."""
    texts = []
    numbers = {}
    for title, cells in columns.items():
        if not title.strip():
            continue
        if _is_output(title, cells):
            texts.append(title)
        elif any(map(has_number, cells)):
            numbers[title] = name_aside(title) or _NUMBERS
    return list_no_outputs(texts) | numbers


def _read_texts(table: InputTable, title: str) -> list[str | None]:
    """The texts of a column, each on one line."""
    return table.read(table.header.index(title), read_line)


def read_line(value: object) -> str | None:
    """Read a value as a text on one line; None for a missing text."""
    text = to_text(value)
    return None if text is None else join_lines(text)


def _read_names(table: InputTable, role: str) -> list[str] | None:
    """Read the names in the column of this role; None without this column, or if it is empty."""
    place = find_column(table.header, role)
    if place is None or all(map(is_blank, table.list_cells(place))):
        return None
    return table.read(place, to_name)


def _read_articles(table: InputTable) -> list[str] | None:
    """The address of the article that each row is from, as FLORES has it in place of documents."""
    for place, title in enumerate(table.header):
        if title.lower() == "url":
            return table.read(place, to_name)
    return None


def _find_languages(table: InputTable) -> _TextsByLanguage:
    """Texts by language, as data sets have them.

    These are ``{"translation": {"en": ..., "de": ...}}``, the columns translation.en and
    translation.de, or the columns sentence_eng_Latn and sentence_deu_Latn of FLORES.
    """
    texts: _TextsByLanguage = {}
    for place, title in enumerate(table.header):
        match = re.fullmatch(
            r"sentence_([a-z]{3}_[A-Z][a-z]{3})|(?i:translations?)(?:\.(.*))?", title
        )
        if match is None:
            continue
        language = match[1] or match[2]
        if language:
            texts[language] = _read_texts(table, title)
        elif table.rows and isinstance(table.list_cells(place)[0], Mapping):
            texts |= _split_objects(table, place)
    return texts


def _split_objects(table: InputTable, place: int) -> _TextsByLanguage:
    """Texts by language, of a column that has an object of them in each row."""
    objects = table.read(place, to_object)
    languages: dict[str, None] = {}
    for texts in objects:
        languages |= dict.fromkeys(texts)
    check_values(len(objects) * len(languages), table.name)
    column = show_name(table.header[place])
    by_language: _TextsByLanguage = {language: [] for language in languages}
    for (row, _), texts in zip(table.rows, objects, strict=True):
        location = f"{table.locate(row)}, column {column}"
        for language, lines in by_language.items():
            lines.append(read_field(location, texts, language, read_line))
    return by_language


def sort_columns(
    columns: ColumnsByName,
) -> tuple[list[str], list[str], dict[str, str]]:
    """Which columns of a table are references, which outputs, and the others by what they hold."""
    header = list(columns)
    places = find_columns(
        header, ("source", "docid", "domain", "langpair", "line", "rater", "system")
    )
    by_role = {role: header[place] for role, place in places.items()}
    references = [name for name in header if is_human(name) and name.lower().startswith("ref")]
    lower = [name.lower() for name in header]
    no_outputs = {*_NO_TEXTS, *NAMES["score"]}
    if not references and _MENDED in lower and _BEFORE in lower:
        references = [name for name in header if name.lower() == _MENDED]
        no_outputs.add(_BEFORE)
    assigned = {*references, *by_role.values()}
    texts = []
    for name in header:
        is_free = name.strip() and name not in assigned and name.lower() not in no_outputs
        if is_free and _is_output(name, columns[name]):
            texts.append(name)
    asides = list_no_outputs(texts)
    outputs = [
        name for name in texts if name not in asides and not _holds_row_ids(name, columns[name])
    ]
    return references, outputs, by_role


def list_no_outputs(names: Sequence[str]) -> dict[str, str]:
    """The columns of texts that are no outputs by their names, with what they hold.

    None where no other column is left.
    """
    asides = {}
    for name in names:
        content = name_aside(name)
        if content is not None and content != ANSWERS:
            asides[name] = content
    return asides if len(asides) < len(names) else {}


def _holds_row_ids(name: str, values: Sequence[object]) -> bool:
    """Whether a column names the rows, by its name and by its values: another word in each row."""
    if name_aside(name) != ROW_NUMBERS:
        return False
    words = {value for value in values if isinstance(value, str)}
    are_ids = all(word.isascii() and len(word.split()) == 1 for word in words)
    return are_ids and len(words) == len(values)


def explain_no_outputs(file: str, asides: Mapping[str, str]) -> tuple[Assumption, ...]:
    """That columns of a table of texts are taken as no outputs."""
    texts = []
    numbers = []
    for name, content in asides.items():
        column = f"{show_name(name)} ({content})"
        if content == _NUMBERS:
            numbers.append(column)
        else:
            texts.append(column)
    assumed = []
    if texts:
        assumed.append(Assumption("texts-aside", {"file": file, "columns": texts}))
    if numbers:
        assumed.append(Assumption("numbers-aside", {"file": file, "columns": numbers}))
    return tuple(assumed)


def _is_output(name: str, values: Sequence[object]) -> bool:
    """Whether more than half of the values are texts, or any value if the name suggests texts."""
    n_texts = sum(map(_is_text, values))
    if name.lower() in NAMES["output"]:
        return n_texts > 0
    return 2 * n_texts > sum(not is_blank(value) for value in values)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"(-?[\d.]+(e-?\d+)?)?", value.strip()) is None


def _check_output(
    table: str, name: str, texts: Sequence[Any], references: Sequence[Sequence[Any]]
) -> None:
    """Refuse a column that would be an output and shares hardly a word with the references."""
    if name.lower() in NAMES["output"] or not references:
        return
    if max(share_words(texts, reference) for reference in references) < LEAST_SHARED:
        raise InputError(
            f"{table}: the column {show_name(name)!r} shares hardly a word with the references, so it may "
            "be no output. Name it by its content (source, docid, domain), or remove it."
        )


def share_words(first_texts: Sequence[Any], second_texts: Sequence[Any], most: int = 500) -> float:
    """Compute the share of words of the first texts that are in the second texts, row by row.

    In texts without spaces, letters count in place of words.
    """
    pairs = []
    n_with_blanks = 0
    for first, second in zip(first_texts[:most], second_texts[:most], strict=True):
        if first and second:
            pairs.append((str(first), str(second)))
            n_with_blanks += " " in str(first) or " " in str(second)
    split: Callable[[str], list[str]] = str.split if 2 * n_with_blanks > len(pairs) else list
    n_words = n_shared = 0
    for first, second in pairs:
        words = set(split(first))
        n_words += len(words)
        n_shared += len(words.intersection(split(second)))
    return n_shared / max(1, n_words)
