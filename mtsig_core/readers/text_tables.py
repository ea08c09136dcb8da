"""Files that hold several texts: tables of source, reference and outputs, and what other programs
write of them.

`formats.FORMATS` says which reader a file has. `texts.read_text` takes the references of a file
that is given as a reference, the outputs of one that is given as an output, and brings segments
with ids into one order.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, format_count
from mtsig_core.languages import languages_of, two_letters
from mtsig_core.readers.cells import (
    has_number,
    is_blank,
    read_field,
    read_value,
    show_value,
    to_key,
    to_name,
    to_object,
    to_text,
)
from mtsig_core.readers.columns import (
    NAMES,
    InputTable,
    check_unique,
    find_column,
    find_columns,
    show_names,
)
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import check_values, parse_bounded_json
from mtsig_core.readers.wide_tables import ANSWERS, ROW_NUMBERS, name_aside
from mtsig_core.testset import is_human, show_name

_Texts = Sequence[str | None]
#: Further columns beside texts, in small letters, that are no texts themselves.
_BESIDE = ("origlang", "original_language", "split", "url", "collection_id", "is_bad_source")
#: Columns of WMT24++: the human translation as it was mended, which is the reference, and as it was
#: before.
_MENDED, _BEFORE = "target", "original_target"
_PARAGRAPHS = (
    "wmt25"  # the form whose rows are documents, with blank lines between their paragraphs
)
_NUMBERS = "numbers"  # what a column holds that may be scores
_ALIKE = 0.1  # of the words of a text that its translation into the same language shares


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
    by_language: Mapping[str, _Texts] = field(
        default_factory=dict
    )  # where only languages tell source and reference

    def map_rows(self, change: Callable[[Sequence[Any]], Sequence[Any]]) -> TextTable:
        """The same with other rows."""
        changed: dict[str, Any] = {
            name: None if (rows := getattr(self, name)) is None else change(rows)
            for name in ("sources", "documents", "domains", "keys", "langpairs")
        }
        changed |= {
            name: {key: change(rows) for key, rows in getattr(self, name).items()}
            for name in ("outputs", "references", "by_language")
        }
        return replace(self, **changed)

    def take(self, places: Sequence[int]) -> TextTable:
        """Some of the rows, in this order."""
        return self.map_rows(lambda rows: [rows[k] for k in places])

    def list_texts(self, role: str) -> Mapping[str, _Texts]:
        """The texts that a file has as a reference, or as an output.

        The target side of a source may be either.
        """
        if (
            role == "reference"
            and not self.references
            and self.sources is not None
            and [*self.outputs] == [""]
        ):
            return self.outputs
        return self.references if role == "reference" else self.outputs


@dataclass(frozen=True)
class TextInTable(os.PathLike[str]):
    """A text of a `TextTable`, in place of a file that has only this text; of documents, with their
    domains.
    """

    path: str
    lines: Sequence[Any]  # texts; of a reference, None where there is none
    domains: Sequence[str] | None = None

    def __fspath__(self) -> str:
        return self.path


def find_role(table: TextTable) -> str:
    """What the file of a table most likely is, among several that are uploaded."""
    if table.references and table.outputs:
        return "reference and outputs"
    return (
        "reference"
        if table.references or table.by_language
        else "system"
        if table.outputs
        else "source"
    )


def name_reference(own: str, short: str = "[A-Z]") -> str:
    """What a reference is called by its name in a file: refA where that is A, ref where there is
    none.
    """
    return f"ref{own}" if re.fullmatch(short, own) else own or "ref"


# Tables side by side: of one language pair, and with the segments in one order.


def align_tables(
    tables: Sequence[TextTable], langpair: str | None
) -> tuple[list[TextTable], str | None]:
    """Tables of one language pair, which is found where they name only one, with the rows of those
    that name them in the order of the first with references.
    """
    aligned = []
    for table in tables:
        table, langpair = _take_pair(_split_languages(table, langpair), langpair)
        aligned.append(table)
    main = next((one for one in aligned if one.references), None)
    if main is not None and main.keys is not None:
        having = [
            k
            for k in range(len(main.keys))
            if any(texts[k] is not None for texts in main.references.values())
        ]
        first = aligned[aligned.index(main)] = main.take(having)
        aligned = [
            table
            if table is first or table.form != first.form or table.keys is None
            else _put_in_order(table, first)
            for table in aligned
        ]
    return _split_paragraphs(aligned), langpair


def _split_languages(table: TextTable, langpair: str | None) -> TextTable:
    """The table with source and reference, of texts that are told apart by their languages."""
    if not table.by_language:
        return table
    first, second, *_ = [*table.by_language, "", ""]
    places = [_find_language(table.by_language, language) for language in languages_of(langpair)]
    if langpair is None or None in places:
        raise SettingError(
            f"{table.name} has texts by language: {show_names(table.by_language)}. Say which is the "
            "source and which the reference.",
            {"langpair": f"{first}-{second}"},
        )
    source, target = (table.by_language[place] for place in places if place is not None)
    return replace(table, sources=source, references={"ref": target}, by_language={})


def _find_language(names: Iterable[str], language: str | None) -> str | None:
    """The only name that stands for a language: deu_Latn for de.

    None where there is none, or more than one.
    """
    names = list(names)
    if language is None or language in names:
        return language
    codes = {name: two_letters(re.split("[-_]", name)[0].lower()) for name in names}
    alike = [name for name in names if codes[name] == two_letters(language)]
    return alike[0] if len(alike) == 1 else None


def _take_pair(table: TextTable, langpair: str | None) -> tuple[TextTable, str | None]:
    """The rows of the language pair, and that pair."""
    pairs = list(dict.fromkeys(table.langpairs or ()))
    if not pairs:
        return table, langpair
    if langpair is None:
        if len(pairs) > 1:
            raise SettingError(
                f"{table.name} has {len(pairs)} language pairs: {show_names(pairs)}. Choose one.",
                {"langpair": pairs[0]},
            )
        langpair = pairs[0]
    own = (
        [langpair]
        if langpair in pairs
        else [pair for pair in pairs if _without_regions(pair) == _without_regions(langpair)]
    )
    if len(own) != 1:
        raise explain_unknown(f"language pair of {table.name}", langpair, pairs)
    return table.take(
        [k for k, pair in enumerate(table.langpairs or ()) if pair == own[0]]
    ), langpair


def _without_regions(pair: str) -> str:
    """A language pair without the countries in it: en-de of en-de_DE."""
    return re.sub("[_-][A-Z]{2}(?=-|$)", "", pair)


def _put_in_order(table: TextTable, main: TextTable) -> TextTable:
    """The rows of a table in the order of the main one."""
    place = {key: k for k, key in enumerate(table.keys or ())}
    if (lacks := next((key for key in main.keys or () if key not in place), None)) is not None:
        raise InputError(
            f"{table.name} has no segment {_show_key(lacks)}, which {main.name} has. Expected all "
            "segments of the reference. See whether both are of the same test set."
        )
    return table.take([place[key] for key in main.keys or ()])


def _show_key(key: Hashable) -> str:
    return (
        f"{show_name(key[1])} of document {show_name(key[0])}"
        if isinstance(key, tuple)
        else show_name(str(key))
    )


def _split_paragraphs(tables: list[TextTable]) -> list[TextTable]:
    """Documents parted into their paragraphs, one that has not as many in all texts as one
    segment.
    """
    of_form = [table for table in tables if table.form == _PARAGRAPHS]
    if not of_form:
        return tables
    texts = [
        one
        for table in of_form
        for one in (*table.references.values(), *table.outputs.values(), table.sources)
        if one is not None
    ]
    counts = [
        {_count_paragraphs(text) for text in row if text is not None}
        for row in zip(*texts, strict=True)
    ]
    parts = [one.pop() if len(one) == 1 else 1 for one in counts]

    def split(rows: Sequence[Any]) -> list[Any]:
        return [piece for row, n in zip(rows, parts, strict=True) for piece in _part_row(row, n)]

    return [table.map_rows(split) if table in of_form else table for table in tables]


def _count_paragraphs(text: str) -> int:
    return len(re.split(r"\n\s*\n", text.strip()))


def _part_row(row: Any, n: int) -> list[Any]:
    """A document's paragraphs, each on one line; what is no text, or has another number of them, n
    times.
    """
    if not isinstance(row, str):
        return [row] * n
    pieces = re.split(r"\n\s*\n", row.strip()) if n > 1 else [row]
    return [join_lines(piece) for piece in pieces] if len(pieces) == n else [join_lines(row)] * n


def join_lines(text: str) -> str:
    """A text on one line."""
    if not ("\n" in text or "\r" in text):
        return text
    return " ".join(filter(None, map(str.strip, re.split("[\r\n]", text))))


# Tables with a column for each text.


def tabulate_texts(table: InputTable) -> TextTable:
    """The texts of a table with names of columns: source, reference, and a column for each
    output.
    """
    check_unique(table.name, table.header)
    columns = table.list_columns()
    by_language = _find_languages(table)
    if by_language:
        documents = _read_names(table, "docid") or _read_articles(table)
        return TextTable(
            table.name,
            "table",
            documents=documents,
            domains=_read_names(table, "domain"),
            by_language=by_language,
        )
    references, outputs, aside = sort_columns(columns)
    if len(references) + len(outputs) == 0:
        raise InputError(
            f"{table.name} has the columns {show_names(table.header)}, and none is called as a reference "
            "(reference, ref, refA) or an output (output, hypothesis). Rename them, such as to source, "
            "reference and the names of the systems."
        )
    if "system" in aside:
        raise InputError(
            f"{table.name} names systems in the column {show_name(aside['system'])!r}. Expected a column "
            "for each system, and a row for each segment."
        )
    texts_of_references = {name: _read_texts(table, name) for name in references}
    texts_of_outputs = {name: _read_texts(table, name) for name in outputs}
    for name, texts in texts_of_outputs.items():
        _check_output(table.name, name, texts, list(texts_of_references.values()))
    if len(outputs) == 1 and outputs[0].lower() in NAMES["output"]:  # which names no system
        texts_of_outputs = {"": texts_of_outputs[outputs[0]]}
    sources = _read_texts(table, aside["source"]) if "source" in aside else None
    others = [
        name for name in columns if name.strip() and name not in (*references, *aside.values())
    ]
    asides = list_no_outputs([name for name in others if _is_output(name, columns[name])])
    asides |= {
        name: name_aside(name) or _NUMBERS for name in others if _holds_numbers(name, columns[name])
    }

    def read_names(held: str) -> list[str] | None:
        if held not in aside or all(map(is_blank, columns[aside[held]])):
            return None
        return table.read(table.header.index(aside[held]), to_name)

    return TextTable(
        table.name,
        "table",
        texts_of_outputs,
        {_name_column_of_reference(name): texts for name, texts in texts_of_references.items()},
        sources,
        read_names("docid"),
        read_names("domain"),
        langpairs=read_names("langpair"),
        assumed=explain_no_outputs(table.name, asides),
    )


def _name_column_of_reference(column: str) -> str:
    return name_reference("" if column.lower() in ("reference", _MENDED) else column)


def _read_texts(table: InputTable, column: str) -> list[str | None]:
    """The texts of a column, each on one line."""
    return table.read(table.header.index(column), _read_line)


def _read_line(value: object) -> str | None:
    """A text on one line; None where there is none."""
    text = to_text(value)
    return None if text is None else join_lines(text)


def _read_names(table: InputTable, held: str) -> list[str] | None:
    """What the column that holds this says of each row; None where there is no such column."""
    place = find_column(table.header, held)
    return None if place is None else table.read(place, to_name)


def _read_articles(table: InputTable) -> list[str] | None:
    """The address of the article that each row is from, as FLORES has it in place of documents."""
    place = next((k for k, name in enumerate(table.header) if name.lower() == "url"), None)
    return None if place is None else table.read(place, to_name)


def _find_languages(table: InputTable) -> dict[str, list[str | None]]:
    """Texts by language, as data sets have them: ``{"translation": {"en": ..., "de": ...}}``, the
    columns translation.en and translation.de, or the columns sentence_eng_Latn and
    sentence_deu_Latn of FLORES.
    """
    found: dict[str, list[str | None]] = {}
    for place, name in enumerate(table.header):
        of_flores = re.fullmatch(r"sentence_([a-z]{3}_[A-Z][a-z]{3})", name)
        if of_flores:
            found[of_flores[1]] = _read_texts(table, name)
            continue
        first, _, language = name.partition(".")
        if first.lower() not in ("translation", "translations"):
            continue
        if language:
            found[language] = _read_texts(table, name)
            continue
        if table.rows and isinstance(table.rows[0][1][place], Mapping):
            found |= _split_objects(table, place)
    return found


def _split_objects(table: InputTable, place: int) -> dict[str, list[str | None]]:
    """Texts by language, of a column that has an object of them in each row."""
    objects = table.read(place, to_object)
    languages = dict.fromkeys(key for texts in objects for key in texts)
    check_values(len(objects) * len(languages), table.name)
    column = show_name(table.header[place])
    by_language: dict[str, list[str | None]] = {language: [] for language in languages}
    for language, own in by_language.items():
        for (row, _), texts in zip(table.rows, objects, strict=True):
            own.append(
                read_field(f"{table.where(row)}, column {column}", texts, language, _read_line)
            )
    return by_language


def sort_columns(
    columns: Mapping[str, Sequence[Any]],
) -> tuple[list[str], list[str], dict[str, str]]:
    """Which columns of a table are references, which outputs, and the others by what they hold."""
    header = list(columns)
    places = find_columns(
        header, ("source", "docid", "domain", "langpair", "line", "rater", "system")
    )
    aside = {held: header[place] for held, place in places.items()}
    references = [name for name in header if is_human(name) and name.lower().startswith("ref")]
    if not references and {_MENDED, _BEFORE} <= {name.lower() for name in header}:
        references = [name for name in header if name.lower() == _MENDED]
        columns = {name: values for name, values in columns.items() if name.lower() != _BEFORE}
        header = list(columns)
    others = (
        name
        for name in header
        if name.strip()
        and name not in (*references, *aside.values())
        and name.lower() not in (*_BESIDE, *NAMES["score"])
    )
    texts = [name for name in others if _is_output(name, columns[name])]
    asides = list_no_outputs(texts)
    outputs = [name for name in texts if name not in asides]
    return references, [name for name in outputs if not _holds_row_ids(name, columns[name])], aside


def list_no_outputs(names: Sequence[str]) -> dict[str, str]:
    """Those of the columns of texts that are no outputs by their names, with what they hold; none
    where no other is left.
    """
    held = {name: name_aside(name) for name in names}
    asides = {name: why for name, why in held.items() if why is not None and why != ANSWERS}
    return asides if len(asides) < len(names) else {}


def _holds_row_ids(name: str, values: Sequence[object]) -> bool:
    """Whether a column names the rows, by its name and by its values: another word in each row."""
    words = [value for value in values if isinstance(value, str)]
    are_ids = all(word.isascii() and len(word.split()) == 1 for word in words) and len(
        set(words)
    ) == len(values)
    return are_ids and name_aside(name) == ROW_NUMBERS


def explain_no_outputs(file: str, asides: Mapping[str, str]) -> tuple[Assumption, ...]:
    """That columns of a table of texts are taken as no outputs."""
    assumed = []
    texts = [f"{show_name(name)} ({why})" for name, why in asides.items() if why != _NUMBERS]
    if texts:
        assumed.append(Assumption("texts-aside", {"file": file, "columns": texts}))
    numbers = [f"{show_name(name)} ({why})" for name, why in asides.items() if why == _NUMBERS]
    if numbers:
        assumed.append(Assumption("numbers-aside", {"file": file, "columns": numbers}))
    return tuple(assumed)


def _is_output(name: str, values: Sequence[object]) -> bool:
    """Whether a column has texts: more than half, as one of scores may have a few; any, where its
    name says so.
    """
    n_texts = sum(map(_is_text, values))
    if name.lower() in NAMES["output"]:
        return n_texts > 0
    return 2 * n_texts > sum(not is_blank(value) for value in values)


def _holds_numbers(name: str, values: Sequence[object]) -> bool:
    """Whether a column is left out of the texts because it has numbers, as of scores; an empty one
    is not missed.
    """
    return not _is_output(name, values) and any(has_number(value) for value in values)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"(-?[\d.]+(e-?\d+)?)?", value.strip()) is None


def _check_output(
    table: str, name: str, texts: Sequence[Any], references: Sequence[Sequence[Any]]
) -> None:
    """Refuse a column that would be an output and shares hardly a word with the references."""
    known = name.lower() in NAMES["output"] or not references
    if not known and max(share_words(texts, one) for one in references) < _ALIKE:
        raise InputError(
            f"{table}: the column {show_name(name)!r} shares hardly a word with the references, so it may "
            "be no output. Name it by its content (source, docid, domain), or remove it."
        )


def share_words(texts: Sequence[Any], others: Sequence[Any], most: int = 500) -> float:
    """The share of the words of texts that are also in others, row by row; of letters where there
    are no blanks.
    """
    pairs = [(str(a), str(b)) for a, b in zip(texts[:most], others[:most], strict=True) if a and b]
    split = str.split if sum(" " in a or " " in b for a, b in pairs) > len(pairs) / 2 else list
    words = [({*split(a)}, {*split(b)}) for a, b in pairs]
    return sum(len(a & b) for a, b in words) / max(1, sum(len(a) for a, _ in words))


def read_parallel(text: str, name: str) -> TextTable:
    """Several references with tabs between them, as sacreBLEU takes them."""
    rows = [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")]
    if wrong := next((k for k, row in enumerate(rows, 1) if len(row) != len(rows[0])), None):
        raise InputError(
            f"{name}, line {wrong} has {len(rows[wrong - 1])} columns, line 1 has {len(rows[0])}. "
            "Expected as many references in each line, with tabs between them."
        )
    first, *others = zip(*rows, strict=True)
    if any(share_words(one, first) < _ALIKE for one in others):
        raise InputError(
            f"{name} has {len(rows[0])} columns, which share hardly a word, so they may be no references "
            "of the same text. Expected one segment per line, or several references with tabs between "
            "them. Keep the column of the reference: cut -f2 for the second."
        )
    return TextTable(
        name,
        "parallel",
        references={f"ref{k}": texts for k, texts in enumerate((first, *others), 1)},
    )


# What other programs write.


def read_fairseq(text: str, name: str) -> TextTable:
    """The log of fairseq-generate, in the order of the ids: of several outputs of a segment the
    first, detokenized (``D-``) where it is.
    """
    found: dict[str, dict[int, str]] = {kind: {} for kind in "STHD"}
    for kind, number, rest in re.findall(r"^([STHD])-(\d{1,15})\t([^\n]*)", text, re.MULTILINE):
        found[kind].setdefault(
            int(number), rest.rstrip("\r").partition("\t")[2] if kind in "HD" else rest.rstrip("\r")
        )
    kept = found["D"] or found["H"]
    ids = sorted(kept or found["T"])
    return TextTable(
        name,
        "fairseq",
        {"": [kept[k] for k in ids]} if kept else {},
        {"ref": [found["T"].get(k) for k in ids]} if found["T"] else {},
        [found["S"].get(k, "") for k in ids] if found["S"] else None,
        keys=ids,
    )


def read_samples(text: str, name: str) -> TextTable:
    """The samples of lm-evaluation-harness: references and output of each document."""
    found: dict[int | str, tuple[str, list[str]]] = {}
    for row, record in read_records(text, name):
        where = f"{name}, row {row}"
        key = read_field(where, record, "doc_id", to_key) if "doc_id" in record else row
        responses = "filtered_resps" if "filtered_resps" in record else "resps"
        output = read_field(where, record, responses, _read_first_text)
        targets = read_field(where, record, "target", _read_all_texts)
        if output is None or targets is None:
            raise InputError(
                f"{where} has {show_value(output)} as its output, {show_value(targets)} as its target. "
                "Expected texts, as of a task that generates them."
            )
        if key in found:
            raise InputError(
                f"{name}, row {row}: the document {show_name(str(key))} comes a second time. Expected the "
                "samples of one filter. Keep one row for each document."
            )
        found[key] = join_lines(output), [join_lines(one) for one in targets]
    numbers = [key for key in found if isinstance(key, int)]
    keys = sorted(numbers) if len(numbers) == len(found) else list(found)
    references = _spread_targets([found[key][1] for key in keys], name)
    return TextTable(name, "lm-eval", {"": [found[key][0] for key in keys]}, references, keys=keys)


def _spread_targets(targets: Sequence[Sequence[str]], name: str) -> dict[str, _Texts]:
    """References by name, of the targets of each sample: None where a sample has fewer."""
    return _name_references(_spread_rows(targets, name)) if targets else {"ref": []}


def _spread_rows(rows: Sequence[Sequence[Any]], name: str) -> list[list[Any]]:
    """The columns of rows, with None where a row is shorter than the longest."""
    n_columns = max(map(len, rows))
    check_values(len(rows) * n_columns, name)
    return [list(column) for column in zip_longest(*rows)]


def _name_references(references: Sequence[_Texts]) -> dict[str, _Texts]:
    """Names for references without one: ref, or ref1, ref2, ... of several."""
    if len(references) == 1:
        return {"ref": references[0]}
    return {f"ref{k}": texts for k, texts in enumerate(references, 1)}


def _read_all_texts(value: object) -> list[str] | None:
    """The texts of a list, or a text as a list of one."""
    values = value if isinstance(value, list) else [value]
    texts = [_read_first_text(one) for one in values]
    known = [text for text in texts if text is not None]
    return known if known and len(known) == len(texts) else None


def _read_first_text(value: object) -> str | None:
    """A text, or the first of a list of texts, or of a list of such lists."""
    while isinstance(value, list) and value:
        value = value[0]
    return to_text(value)


def read_predictions(text: str, name: str) -> TextTable:
    """What programs pass to a metric: ``{"predictions": [text, ...], "references": [[text, ...],
    ...]}``, with the references of each segment in a list, a text for each segment, or a list for
    each reference.
    """
    try:
        whole = parse_bounded_json(text, name)
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {error}. Write it again.") from None
    outputs, references, sources = (
        whole.get(key) for key in ("predictions", "references", "sources")
    )
    counted = references if outputs is None else outputs
    n = len(counted) if isinstance(counted, list) else 0
    streams = [] if references is None else _list_streams(references, n, name)
    texts_of_outputs = (
        {} if outputs is None else {"": _read_list(outputs, n, f"{name}: predictions")}
    )
    source_texts = None if sources is None else _read_list(sources, n, f"{name}: sources")
    return TextTable(name, "predictions", texts_of_outputs, _name_references(streams), source_texts)


def _list_streams(references: Any, n: int, name: str) -> list[list[str | None]]:
    """The references, each with a text or None for each of n segments."""
    expected = (
        f"Expected a list of {n} segments: of texts, or of lists of texts, one for each reference."
    )
    if not isinstance(references, list):
        raise InputError(f"{name}: references is {show_value(references)}. {expected}")
    n_lists = sum(isinstance(one, list) for one in references)
    if n_lists == 0:
        streams = [references]
    elif n_lists < len(references):
        raise InputError(f"{name}: references has texts and lists side by side. {expected}")
    elif len(references) == n and n > 1 and all(len(one) == n for one in references):
        raise InputError(
            f"{name} has {n} predictions and {n} lists of {n} references, so a list may be of a segment "
            "or of a reference. Give each reference as a text file."
        )
    elif len(references) == n:
        streams = _spread_rows(references, name)
    else:
        streams = references
    return [_read_list(stream, n, f"{name}: reference {k}") for k, stream in enumerate(streams, 1)]


def _read_list(texts: Any, n: int, where: str) -> list[str | None]:
    """The texts of a list, of which there must be n."""
    if not isinstance(texts, list) or len(texts) != n:
        size = format_count(len(texts), "text") if isinstance(texts, list) else show_value(texts)
        raise InputError(f"{where}: {size}. Expected a list of {n} texts, one for each segment.")
    return [
        read_value(f"{where}, segment {k}", text, _read_line) for k, text in enumerate(texts, 1)
    ]


def read_wmt25(text: str, name: str) -> TextTable:
    """WMT25's documents: sources and references of all language pairs, or the outputs of a
    system.
    """
    records = read_records(text, name)
    texts: dict[tuple[bool, str], list[str | None]] = {}
    for k, (row, record) in enumerate(records):
        where = f"{name}, row {row}"
        if not is_wmt25_text(record):
            raise InputError(
                f"{where} is {show_value(record)}. Expected an object with doc_id and hypothesis, or "
                "src_text and refs, as WMT25 published them."
            )
        own = _list_wmt25_texts(where, record)
        check_values(len(records) * len(texts.keys() | own.keys()), name)
        for which, value in own.items():
            texts.setdefault(which, [None] * len(records))[k] = value
    ids = [str(record["doc_id"]) for _, record in records]
    parts = [one.split("_#_") for one in ids]  # language pair, domain, document
    has_parts = all(len(one) > 1 for one in parts)
    outputs, references = (
        {key: rows for (is_ref, key), rows in texts.items() if is_ref == wanted}
        for wanted in (False, True)
    )
    sources = None
    if "src_text" in records[0][1]:
        sources = [
            read_field(f"{name}, row {row}", record, "src_text", to_text) for row, record in records
        ]
    return TextTable(
        name,
        _PARAGRAPHS,
        outputs,
        references,
        sources,
        ids,
        [one[1] for one in parts] if has_parts else None,
        ids,
        [one[0] for one in parts] if has_parts else None,
    )


def _list_wmt25_texts(
    where: str, record: Mapping[str, object]
) -> dict[tuple[bool, str], str | None]:
    """The texts of a document but its source, by whether they are references, and by name."""
    own: dict[tuple[bool, str], str | None] = {}
    references = read_field(where, record, "refs", to_object)
    for key in references:
        reference = read_field(f"{where}, refs", references, key, to_object)
        own[True, name_reference(key)] = read_field(
            f"{where}, refs.{show_name(key)}", reference, "ref", to_text
        )
    others = read_field(where, record, "tgt_text", to_object)
    for key in others:
        own[is_human(key), key] = read_field(f"{where}, tgt_text", others, key, to_text)
    if "hypothesis" in record:
        own[False, ""] = read_field(where, record, "hypothesis", to_text)
    return own


def is_wmt25_text(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of WMT25's texts."""
    return "_#_" in str(record.get("doc_id")) and bool({"hypothesis", "src_text"} & record.keys())
