"""Read texts in the formats of other programs: fairseq, lm-evaluation-harness, metrics, WMT25."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from mtsig_core.errors import InputError, format_count
from mtsig_core.readers.cells import (
    read_field,
    read_value,
    show_value,
    to_key,
    to_object,
    to_text,
)
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import check_values, parse_bounded_json
from mtsig_core.readers.text_tables import (
    LEAST_SHARED,
    PARAGRAPHS,
    TextTable,
    join_lines,
    name_reference,
    read_line,
    share_words,
)
from mtsig_core.testset import is_human, show_name

_Texts = Sequence[str | None]


def read_parallel(text: str, name: str) -> TextTable:
    """Several references with tabs between them, as sacreBLEU takes them."""
    rows = [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")]
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise InputError(
                f"{name}, line {number} has {len(row)} columns, line 1 has {width}. "
                "Expected the same number of references in each line, with tabs between them."
            )
    references = list(zip(*rows, strict=True))
    if any(share_words(texts, references[0]) < LEAST_SHARED for texts in references[1:]):
        raise InputError(
            f"{name} has {width} columns, which share hardly a word, so they may be no references "
            "of the same text. Expected one segment per line, or several references with tabs between "
            "them. Keep the column of the reference: cut -f2 for the second."
        )
    return TextTable(name, "parallel", references=_number_references(references))


def _number_references(references: Iterable[_Texts]) -> dict[str, _Texts]:
    return {f"ref{k}": texts for k, texts in enumerate(references, 1)}


def _name_references(references: Sequence[_Texts]) -> dict[str, _Texts]:
    """Names for references without one: ref, or ref1, ref2, ... of several."""
    if len(references) == 1:
        return {"ref": references[0]}
    return _number_references(references)


def read_fairseq(text: str, name: str) -> TextTable:
    """The log of fairseq-generate, in the order of the ids.

    It uses the first of several outputs of a segment, detokenized (``D-``) if available.
    """
    lines: dict[str, dict[int, str]] = {kind: {} for kind in "STHD"}
    for kind, number, line in re.findall(r"^([STHD])-(\d{1,15})\t([^\n]*)", text, re.MULTILINE):
        line = line.rstrip("\r")
        if kind in "HD":  # the score comes first
            line = line.partition("\t")[2]
        lines[kind].setdefault(int(number), line)
    outputs = lines["D"] or lines["H"]
    ids = sorted(outputs or lines["T"])
    output_texts: dict[str, _Texts] = {}
    if outputs:
        output_texts[""] = [outputs[k] for k in ids]
    references: dict[str, _Texts] = {}
    if lines["T"]:
        references["ref"] = [lines["T"].get(k) for k in ids]
    sources = None
    if lines["S"]:
        sources = [lines["S"].get(k, "") for k in ids]
    return TextTable(name, "fairseq", output_texts, references, sources, keys=ids)


def read_samples(text: str, name: str) -> TextTable:
    """The samples of lm-evaluation-harness: references and output of each document."""
    outputs: dict[int | str, str] = {}
    targets: dict[int | str, list[str]] = {}
    for row, record in read_records(text, name, bool, "an object with resps and target"):
        location = f"{name}, row {row}"
        key = row
        if "doc_id" in record:
            key = read_field(location, record, "doc_id", to_key)
        responses = "resps"
        if "filtered_resps" in record:
            responses = "filtered_resps"
        output = read_field(location, record, responses, _read_first_text)
        target = read_field(location, record, "target", _read_all_texts)
        if output is None or target is None:
            raise InputError(
                f"{location} has {show_value(output)} as its output, {show_value(target)} as its target. "
                "Expected texts, as of a task that generates them."
            )
        if key in outputs:
            raise InputError(
                f"{location}: the document {show_name(str(key))} appears twice. Expected the "
                "samples of one filter. Keep one row for each document."
            )
        outputs[key] = join_lines(output)
        targets[key] = list(map(join_lines, target))
    keys = list(outputs)
    numbers = [key for key in keys if isinstance(key, int)]
    if len(numbers) == len(keys):
        keys = [*sorted(numbers)]
    references = _spread_rows([targets[key] for key in keys], name)
    output_texts = [outputs[key] for key in keys]
    return TextTable(name, "lm-eval", {"": output_texts}, _name_references(references), keys=keys)


def _spread_rows(rows: Sequence[Sequence[Any]], name: str) -> list[list[Any]]:
    """The columns of rows, at least one, with None where a row is shorter than the longest."""
    if not rows:
        return [[]]
    n_columns = max(map(len, rows))
    check_values(len(rows) * n_columns, name)
    return [list(column) for column in zip_longest(*rows)]


def _read_all_texts(value: object) -> list[str] | None:
    """The texts of a list, or a text as a list of one."""
    values = value if isinstance(value, list) else [value]
    texts = [_read_first_text(text) for text in values]
    known = [text for text in texts if text is not None]
    return known if known and len(known) == len(texts) else None


def _read_first_text(value: object) -> str | None:
    """A text, or the first of a list of texts, or of a list of such lists."""
    while isinstance(value, list) and value:
        value = value[0]
    return to_text(value)


def read_predictions(text: str, name: str) -> TextTable:
    """Read the arguments of a metric: ``{"predictions": [...], "references": [...]}``.

    `references` has, for each segment, a text or a list of its references; or it has one list for
    each reference.
    """
    try:
        content = parse_bounded_json(text, name)
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}. Write it again.") from None
    predictions = content.get("predictions")
    references = content.get("references")
    sources = content.get("sources")
    counted = references if predictions is None else predictions
    n = len(counted) if isinstance(counted, list) else 0
    reference_texts = [] if references is None else _list_references(references, n, name)
    outputs = {}
    if predictions is not None:
        outputs[""] = _read_list(predictions, n, f"{name}: predictions")
    source_texts = None
    if sources is not None:
        source_texts = _read_list(sources, n, f"{name}: sources")
    return TextTable(name, "predictions", outputs, _name_references(reference_texts), source_texts)


def _list_references(references: Any, n: int, name: str) -> list[list[str | None]]:
    """The references, each with a text or None for each of n segments."""
    expected = (
        f"Expected a list of {n} segments: of texts, or of lists of texts, one for each reference."
    )
    if not isinstance(references, list):
        raise InputError(f"{name}: references is {show_value(references)}. {expected}")
    n_lists = sum(isinstance(item, list) for item in references)
    if 0 < n_lists < len(references):
        raise InputError(f"{name}: references has texts and lists side by side. {expected}")
    columns = references
    if n_lists == 0:
        columns = [references]
    elif len(references) == n:
        if n > 1 and all(len(item) == n for item in references):
            raise InputError(
                f"{name} has {n} predictions and {n} lists of {n} references, so a list may be of a segment "
                "or of a reference. Give each reference as a text file."
            )
        columns = _spread_rows(references, name)
    return [_read_list(column, n, f"{name}: reference {k}") for k, column in enumerate(columns, 1)]


def _read_list(texts: Any, n: int, location: str) -> list[str | None]:
    """The texts of a list, of which there must be n."""
    expected = f"Expected a list of {n} texts, one for each segment."
    if not isinstance(texts, list):
        raise InputError(f"{location}: {show_value(texts)}. {expected}")
    if len(texts) != n:
        raise InputError(f"{location}: {format_count(len(texts), 'text')}. {expected}")
    return [
        read_value(f"{location}, segment {k}", text, read_line) for k, text in enumerate(texts, 1)
    ]


# Documents of WMT25 and WMT26.

_FIELDS_2025, _FIELDS_2026 = "_#_", "_###_"  # part the fields of ids


class DocumentId(NamedTuple):
    """The id of a document, by its fields; empty where it has none of that kind."""

    langpair: str
    domain: str
    document: str  # as ratings call it


def split_document_id(document_id: str) -> DocumentId:
    """The fields of an id of WMT26, or of WMT25.

    >>> split_document_id("WMT26_###_news_###_eng_Latn_###_ces_Latn_###_a.com")
    DocumentId(langpair='eng_Latn-ces_Latn', domain='news', document='news_###_a.com')
    >>> split_document_id("en-cs_CZ_#_news_#_d1")
    DocumentId(langpair='en-cs_CZ', domain='news', document='en-cs_CZ_#_news_#_d1')
    """
    fields = document_id.split(_FIELDS_2026)
    if len(fields) > 4:
        _, domain, source, target, *names = fields
        document = _FIELDS_2026.join([domain, *names])
        return DocumentId(f"{source}-{target}", domain, document)
    langpair, *more = document_id.split(_FIELDS_2025)
    if not more:
        return DocumentId("", "", document_id)
    domain, *_ = more
    return DocumentId(langpair, domain, document_id)


def read_wmt25(text: str, name: str) -> TextTable:
    """Documents of WMT25 or WMT26: sources and references of all pairs, or the outputs of a system."""
    expected = "an object with doc_id and hypothesis, or src_text and refs, as WMT25 published them"
    records = read_records(text, name, is_wmt25_text, expected)
    texts: dict[tuple[bool, str], list[str | None]] = {}
    for k, (row, record) in enumerate(records):
        location = f"{name}, row {row}"
        document = _list_wmt25_texts(location, record)
        check_values(len(records) * len(texts.keys() | document.keys()), name)
        for key, value in document.items():
            texts.setdefault(key, [None for _ in records])[k] = value
    sources = None
    if "src_text" in records[0][1]:
        sources = [_read_source(f"{name}, row {row}", record) for row, record in records]
    outputs = {title: rows for (is_reference, title), rows in texts.items() if not is_reference}
    references = {title: rows for (is_reference, title), rows in texts.items() if is_reference}
    ids = [str(record["doc_id"]) for _, record in records]
    langpairs = domains = None
    fields = list(map(split_document_id, ids))
    if all(document.langpair for document in fields):
        langpairs = [document.langpair for document in fields]
        domains = [document.domain for document in fields]
    return TextTable(
        name,
        PARAGRAPHS,
        outputs,
        references,
        sources,
        documents=[document.document for document in fields],
        domains=domains,
        keys=ids,
        langpairs=langpairs,
    )


def _list_wmt25_texts(
    location: str, record: Mapping[str, object]
) -> dict[tuple[bool, str], str | None]:
    """The texts of a document without its source, by whether they are references, and by name."""
    texts: dict[tuple[bool, str], str | None] = {}
    references = read_field(location, record, "refs", to_object)
    for key in references:
        if isinstance(references[key], str):  # as WMT26 has it
            texts[True, name_reference(key)] = _drop_tags(str(references[key]))
            continue
        reference = read_field(f"{location}, refs", references, key, to_object)
        place = f"{location}, refs.{show_name(key)}"
        texts[True, name_reference(key)] = read_field(place, reference, "ref", to_text)
    targets = read_field(location, record, "tgt_text", to_object)
    for key in targets:
        texts[is_human(key), key] = read_field(f"{location}, tgt_text", targets, key, to_text)
    if "hypothesis" in record:
        texts[False, ""] = _drop_tags(read_field(location, record, "hypothesis", to_text))
    return texts


def _read_source(location: str, record: Mapping[str, object]) -> str | None:
    """The source of a document, of speech its transcript."""
    source = read_field(location, record, "src_text", to_text)
    if not source:
        source = read_field(location, record, "gold_transcript", to_text)
    return _drop_tags(source)


def _drop_tags(text: str | None) -> str | None:
    r"""Paragraphs with blank lines between them, of a text that marks them with tags.

    >>> _drop_tags("<p>a</p>\n<p>b</p>"), _drop_tags("a <p>")
    ('a\n\nb', 'a <p>')
    """
    if text is None or not text.lstrip().startswith("<p>"):
        return text
    joined = re.sub(r"\s*</p>\s*<p>\s*", "\n\n", text.strip())
    return joined.removeprefix("<p>").removesuffix("</p>")


def is_wmt25_text(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of WMT25's texts."""
    has_fields = split_document_id(str(record.get("doc_id"))).langpair
    return bool(has_fields) and not {"hypothesis", "src_text"}.isdisjoint(record)
