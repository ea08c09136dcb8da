"""Texts, with documents and further training runs -> a TestSet: plain files, a data frame, a set of
sacreBLEU.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any

from mtsig_core.alignment import find_first_fault
from mtsig_core.caution import Assumption
from mtsig_core.errors import (
    InputError,
    Remedy,
    SettingError,
    explain_unknown,
    format_count,
    suggest_name,
)
from mtsig_core.languages import LANGUAGE, is_langpair
from mtsig_core.readers.cells import read_field, show_value, to_name
from mtsig_core.readers.columns import NAMES, NamedColumns, find_column, read_columns, show_names
from mtsig_core.readers.files import FilePath, is_file, list_folder
from mtsig_core.readers.formats import DOCUMENTS, SEGMENTS, TEXTS, strip_ending
from mtsig_core.readers.limits import parse_bounded_json, spend
from mtsig_core.readers.line_ids import TextFile, take_off_line_ids
from mtsig_core.readers.lines import read_lines, read_text_table_file, read_texts
from mtsig_core.readers.text_tables import (
    TextInTable,
    TextTable,
    align_tables,
    explain_no_outputs,
    list_no_outputs,
    name_reference,
    sort_columns,
)
from mtsig_core.testset import TestSet, as_texts, show_name

# Reading which document, and which domain, each segment belongs to.

_WORDS_OF_A_SENTENCE = 6
_ENDS = (".", "!", "?", "。", "！", "？", "।", "…", '."', ".”")
_DISTINCT = 0.8  # of the lines of a text are no repetition of others
_COLUMNS = {1: "1 column (docid)", 2: "2 columns (domain<TAB>docid)"}


def read_documents(path: FilePath, *, blanks: bool = False) -> tuple[list[str], list[str] | None]:
    """The document id of each segment, and its domain where the file has it.

    `blanks`: whether two words in each line are ``domain docid``, as in older shared tasks.
    """
    if isinstance(path, TextInTable):
        return list(path.lines), None if path.domains is None else list(path.domains)
    lines = read_lines(path, DOCUMENTS)
    named = _read_named_documents(lines)
    if named is not None:
        return named
    if os.fsdecode(path).removesuffix(".gz").endswith(".jsonl") or all(
        line.startswith("{") for line in lines
    ):
        rows = [_read_json_line(line, path, number) for number, line in enumerate(lines, 1)]
    else:
        separator = (
            None
            if blanks and all(len(line.split()) == 2 and "\t" not in line for line in lines)
            else "\t"
        )
        rows = [[field.strip() for field in line.split(separator)] for line in lines]
    for number, row in enumerate(rows, 1):
        where = f"{show_name(path)}, line {number} has"
        if len(row) > 2:
            raise InputError(
                f"{where} {len(row)} columns. Expected docid or domain<TAB>docid. Remove the other tabs."
            )
        if not all(row):
            raise InputError(
                f"{where} an empty {'line' if len(row) == 1 else 'field'}. Expected a document id for "
                "each segment. Fill it in."
            )
        if len(row) != len(rows[0]):
            raise InputError(
                f"{where} {_COLUMNS[len(row)]}, the lines before have {_COLUMNS[len(rows[0])]}. Give "
                "every line the same columns."
            )
    documents = [row[-1] for row in rows]
    example = _find_sentence(documents)
    if example is not None:
        raise InputError(
            f"{show_name(path)} holds a text, such as {example[:60]!r}, and another one in each line. "
            "Expected one document id per line, the same for all lines of a document."
        )
    return documents, [row[0] for row in rows] if len(rows[0]) == 2 else None


def _find_sentence(ids: Sequence[str]) -> str | None:
    """A line of what is given as document ids and looks like a text: hardly a line comes twice, and
    most are sentences. None of ids, some of which are titles.
    """
    sentences = [
        line for line in ids if len(line.split()) >= _WORDS_OF_A_SENTENCE or line.endswith(_ENDS)
    ]
    are_distinct = len({*ids}) >= _DISTINCT * len(ids)
    return sentences[0] if len(ids) > 1 and are_distinct and len(sentences) > len(ids) / 2 else None


#: What a column of documents may be called; data sets from the web have the address of each
#: article.
_DOCUMENT_COLUMNS = (*NAMES["docid"], "url")


def _read_named_documents(lines: Sequence[str]) -> tuple[list[str], list[str] | None] | None:
    """Documents and domains of a table whose first line has the names of its columns, such as the
    metadata of FLORES (URL, domain, topic, ...); None of a file without names.
    """
    header = [cell.strip().lower() for cell in lines[0].split("\t")] if lines else []
    places = [header.index(name) for name in _DOCUMENT_COLUMNS if name in header]
    domain = find_column(header, "domain")
    rows = [line.split("\t") for line in lines[1:]]
    is_table = (
        len(header) > 1
        and bool(places)
        and len(rows) > 0
        and all(len(row) == len(header) for row in rows)
    )
    if not is_table or (len(header) == 2 and domain is None):
        return None
    documents = [row[places[0]].strip() for row in rows]
    domains = None if domain is None else [row[domain].strip() for row in rows]
    if not all(documents) or not all(domains or ["known"]):
        return None  # what is wrong is told by line
    return documents, domains


def _read_json_line(line: str, path: FilePath, number: int) -> list[str]:
    """The domain, where there is one, and the document of a segment."""
    where = f"{show_name(path)}, line {number}"
    try:
        entry = parse_bounded_json(line, show_name(path))
    except ValueError:
        entry = None
    if not isinstance(entry, dict) or "docid" not in entry:
        raise InputError(
            f'{where} is {line[:60]!r}. Expected {{"docid": "..."}}, with "domain" or without.'
        )
    keys = ["docid"] if entry.get("domain") is None else ["domain", "docid"]
    return [read_field(where, entry, key, to_name) for key in keys]


# From files to a TestSet: what all formats of one segment per line have in common.

SEARCHED_LINES = (
    100_000  # of all files together in which the first fault is looked for, about 3 seconds
)

_Read = tuple[
    FilePath | None, Sequence[str] | None, bool
]  # path, lines, and whether they are texts


def check_langpair(langpair: str) -> None:
    """Raise SettingError unless this is a language pair such as en-de."""
    if not is_langpair(langpair):
        lower = re.sub("[^a-z]+", "-", langpair.lower())
        hint = f" Did you mean {lower}?" if re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", lower) else ""
        raise SettingError(
            f"{show_name(langpair)!r} is no language pair. Expected two codes of 2 or 3 letters, source "
            f"first, such as en-de, en-zh_TW or en-pt-BR.{hint}"
        )


def index_by_name(
    files: Iterable[tuple[str, FilePath]], kind: str, remedy: str, *remedies: Mapping[str, str]
) -> dict[str, FilePath]:
    """Files by name; refuses a name that is empty or comes twice, with `remedy` in words and as
    data.
    """
    paths: dict[str, FilePath] = {}
    for name, path in files:
        if not name.strip():
            raise InputError(f"The {kind} {show_name(path)} has an empty name. {remedy}", *remedies)
        if name in paths:
            raise InputError(
                f"Two {kind}s are called {show_name(name)}: {show_name(paths[name])} and "
                f"{show_name(path)}. {remedy}",
                *remedies,
            )
        paths[name] = path
    return paths


def assemble(
    name: str,
    references: Mapping[str, FilePath],
    systems: Mapping[str, FilePath],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    parses: Mapping[str, FilePath] | None = None,
    runs: Mapping[str, Sequence[FilePath]] | None = None,
    langpair: str | None = None,
    keep_canary: bool = False,
    blanks: bool = False,
    main: str = "reference",
) -> TestSet:
    """Read the files of a test set, by the names that they get, and check them against its first
    reference. `runs` are by system, `parses` by system or reference; `blanks` as in
    `read_documents`; `main` is what messages call the first reference, where it stands in for
    one.
    """
    spend("systems", len(systems), f"The test set {show_name(name)}")
    faults: list[str] = []
    remedies: dict[str, Remedy] = {}

    def read(path: FilePath | None, reader: Callable[..., Any] = read_texts, **options: Any) -> Any:
        try:
            return None if path is None else reader(path, **options)
        except InputError as error:
            faults.append(str(error))
            remedies.update({str(remedy): remedy for remedy in error.remedies})

    reference_texts = {key: read(path) for key, path in references.items()}
    system_texts = {key: read(path) for key, path in systems.items()}
    run_texts = {key: [(path, read(path)) for path in paths] for key, paths in (runs or {}).items()}
    source_text = read(sources)
    document_ids, domains = read(documents, read_documents, blanks=blanks) or (None, None)

    run_files = [TextFile(path, lines) for outputs in run_texts.values() for path, lines in outputs]
    files = [TextFile(references[key], lines) for key, lines in reference_texts.items()]
    files += [TextFile(systems[key], lines) for key, lines in system_texts.items()]
    files += run_files
    if sources is not None:
        files.append(TextFile(sources, source_text, is_scored=False))
    without_ids, assumed = take_off_line_ids([] if faults else files)
    reference_texts = {key: without_ids(lines) for key, lines in reference_texts.items()}
    system_texts = {key: without_ids(lines) for key, lines in system_texts.items()}
    runs_of = {
        key: [without_ids(lines) for _, lines in outputs] for key, outputs in run_texts.items()
    }
    source_text = without_ids(source_text)

    main_reference, *other_references = references
    is_comparable = main != "source"  # whether words show from where on two texts are out of step
    texts: list[_Read] = [(references[key], reference_texts[key], True) for key in other_references]
    texts += [(systems[key], system_texts[key], is_comparable) for key in systems]
    texts += [(file.path, without_ids(file.lines), True) for file in run_files]
    texts += [(sources, source_text, True), (documents, document_ids, False)]
    copied = None if document_ids is None else _find_equal(document_ids, files)
    if copied is not None:
        faults.append(
            f"{show_name(documents or '')} is the text of {show_name(copied.path)}. Expected one document "
            "id per line."
        )
    faults += find_wrong_counts(
        references[main_reference], reference_texts[main_reference], texts, main
    )
    parse_texts = {}
    if not faults:
        for key, path in (parses or {}).items():
            parse_texts[key] = read(
                path, read_conllu, texts=_find_text(key, path, system_texts, reference_texts)
            )
    if faults:
        raise InputError("\n".join(faults), *remedies.values())

    testset = TestSet(
        name,
        systems=system_texts,
        references=reference_texts,
        sources=source_text,
        documents=document_ids,
        domains=domains,
        langpair=langpair,
        parses=parse_texts,
        runs=runs_of,
        assumed=() if assumed is None else (assumed,),
    )
    return testset if keep_canary else drop_canary(testset)


def _find_equal(lines: Sequence[str], files: Iterable[TextFile]) -> TextFile | None:
    """The file that has these lines; those of a file that cannot be read are not known."""
    for file in files:
        if file.lines is None or len(file.lines) != len(lines):
            continue
        if all(line == (text or "").strip() for line, text in zip(lines, file.lines, strict=True)):
            return file
    return None


def drop_canary(testset: TestSet) -> TestSet:
    """The same set without the lines that its documents or domains call ``canary``, which nobody
    translated.
    """
    documents = testset.documents or ()
    domains = testset.domains or documents
    positions = [
        k for k, document in enumerate(documents) if "canary" not in (document, domains[k])
    ]
    return testset if len(positions) == len(documents) else testset.take(positions)


def _find_text(name: str, path: FilePath, *groups: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """The text that a parse is of."""
    texts = {name: text for group in reversed(groups) for name, text in group.items()}
    if name in texts:
        return texts[name]
    names = [name for group in groups for name in group]
    raise InputError(
        f"{show_name(path)} is given as the parse of {show_name(name)}, which is no system and no "
        f"reference; they are {', '.join(map(show_name, names))}.{suggest_name(name, names)}"
    )


def find_wrong_counts(
    reference_path: FilePath,
    reference: Sequence[str] | None,
    texts: Iterable[_Read],
    main: str = "reference",
) -> list[str]:
    """A message for each of these that has another number of lines than the reference, or what
    `main` calls it.
    """
    files = [
        (show_name(path), lines, is_text)
        for path, lines, is_text in texts
        if path is not None and lines is not None
    ]
    wrong = [] if reference is None else [one for one in files if len(one[1]) != len(reference)]
    if reference is None or not wrong:
        return []
    name, n = show_name(reference_path), len(reference)
    blank = [line for line, text in enumerate(reference, 1) if not (text or "").strip()]
    remedy = f"Each line must hold the segment of the same line of the {main}: mend the file or write it again."
    if blank and any(len(lines) == n - len(blank) for _, lines, _ in wrong):
        remedy += (
            f" The {main} has {format_count(len(blank), 'blank line')}, the first is line {blank[0]}, and "
            f"{n - len(blank)} others. If the blank ones are no segments, remove them: grep -v "
            f"'^[[:space:]]*$' {shlex.quote(name)} > {shlex.quote(name.removesuffix('.txt') + '.new.txt')}"
        )
    n_searched = 0

    def find_place(lines: Sequence[str]) -> str:
        nonlocal n_searched
        n_searched += len(lines)
        if n_searched > SEARCHED_LINES or len(lines) == n - len(blank):
            return ""
        line = find_first_fault(reference, lines)
        return "" if line is None else f" They look out of step from about line {line} on."

    if len(files) > 1 and len({len(lines) for _, lines, _ in files}) == 1:
        others = show_names([own for own, *_ in files], 4)
        faults = [
            f"The {main} {name} has {format_count(n, 'line')}, all other files ({others}) have "
            f"{len(files[0][1]):,}, so it may be the {main} that is wrong.{find_place(files[0][1])}"
        ]
    else:
        faults = []
        for own, lines, is_text in wrong:
            place = find_place(lines) if is_text else ""
            faults.append(
                f"{own} has {format_count(len(lines), 'line')}, the {main} {name} has {n:,}.{place}"
            )
    return [f"{faults[0]} {remedy}"] if len(faults) == 1 else [*faults, remedy]


# Plain text files, one segment per line.

NamedFile = tuple[str | None, FilePath]


def read_text(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    parses: Sequence[tuple[str, FilePath]] = (),
    runs: Sequence[tuple[str, FilePath]] = (),
    langpair: str | None = None,
    name: str | None = None,
    keep_canary: bool = False,
) -> TestSet:
    """A test set from text files, plain or gzipped, with one segment per line.

    Parameters
    ----------
    references, systems : sequence of (str or None, path-like)
        Name and file of each; None stands for the file's name without ``.txt``, ``.gz`` or
        ``.txt.gz``. There may be no systems.
    sources : path-like, optional
        Source text.
    documents : path-like, optional
        A line per segment: ``docid`` or ``domain<TAB>docid``.
    parses : sequence of (str, path-like)
        System or reference, and its parse in CoNLL-U; see `mtsig_core.readers.texts.read_conllu`.
    runs : sequence of (str, path-like)
        System, and its output after a further training run, in the order of the runs; see
        docs/statistics.md.
    langpair : str, optional
        Such as ``en-de``.
    name : str, optional
        Name of the set. By default that of the folder that holds the references and systems, and
        the language pair.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``; see
        `mtsig_core.readers.wmt.read_wmt`.

    Raises
    ------
    InputError
        If a file cannot be read or does not match the first reference, or a name is empty or comes
        twice.
    SettingError
        If there is no reference, or the language pair is not one.
    """
    if not references:
        raise SettingError(
            "No reference. Give at least one, a text file with one segment per line."
        )
    if langpair is not None:
        check_langpair(langpair)
    references, systems, runs, sources, documents, langpair, assumed = _spread_tables(
        references, systems, runs, sources, documents, langpair
    )
    reference_files = _index_files(_drop_repeated(references), "reference", "ref")
    system_files = _index_files(systems, "system", "system")
    run_paths: dict[str, list[FilePath]] = {}
    for system, path in runs:
        run_paths.setdefault(system, []).append(path)
    if name is None:
        name = _name_by_folder([*reference_files.values(), *system_files.values()], langpair)
    testset = assemble(
        name,
        reference_files,
        system_files,
        sources=sources,
        documents=documents,
        parses=index_by_name(parses, "parse", "Give one for each."),
        runs=run_paths,
        langpair=langpair,
        keep_canary=keep_canary,
    )
    return replace(testset, assumed=(*testset.assumed, *assumed)) if assumed else testset


def _index_files(files: Iterable[NamedFile], kind: str, argument: str) -> dict[str, FilePath]:
    """Files of a kind by their names; a file without one is named after itself."""
    named = [(_name_by_file(path) if name is None else name, path) for name, path in files]
    return index_by_name(named, kind, "Give each a name of its own.", {argument: "NAME=FILE"})


def _name_by_folder(paths: Sequence[FilePath], langpair: str | None) -> str:
    """What a test set of these files is called: their folder, and the language pair."""
    return " ".join(filter(None, [_find_common_folder(paths), langpair]))


def _spread_tables(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    runs: Sequence[tuple[str, FilePath]],
    sources: FilePath | None,
    documents: FilePath | None,
    langpair: str | None,
) -> tuple[
    list[NamedFile],
    list[NamedFile],
    list[tuple[str, FilePath]],
    FilePath | None,
    FilePath | None,
    str | None,
    tuple[Assumption, ...],
]:
    """The same with each file that holds several texts replaced by those of the role that it is
    given in: of references without a system given, its outputs too; and sources, documents and
    language pair from there if they are not given; and what was assumed of their columns.
    """
    paths = dict.fromkeys(
        os.fspath(path)
        for path in (*(path for _, path in (*references, *systems, *runs)), sources)
        if path is not None
    )
    read = {path: table for path in paths if (table := read_text_table_file(path)) is not None}
    if not read:
        return list(references), list(systems), list(runs), sources, documents, langpair, ()
    aligned, langpair = align_tables(list(read.values()), langpair)
    tables = dict(zip(read, aligned, strict=True))

    def spread(role: str, files: Sequence[tuple[Any, FilePath]]) -> list[tuple[Any, FilePath]]:
        return [
            one
            for name, path in files
            for one in (
                _take_texts(role, name, path, tables[os.fspath(path)])
                if os.fspath(path) in tables
                else [(name, path)]
            )
        ]

    if not systems:
        systems = [
            (None, path)
            for _, path in references
            if (table := tables.get(os.fspath(path))) is not None
            and table.references
            and table.outputs
        ]
    with_sources = next(
        (path for path in tables if tables[path].sources is not None and sources in (None, path)),
        None,
    )
    with_documents = next((path for path in tables if tables[path].documents is not None), None)
    if with_sources is not None:
        sources = TextInTable(
            os.fsdecode(with_sources), [text or "" for text in tables[with_sources].sources or ()]
        )
    if documents is None and with_documents is not None:
        table = tables[with_documents]
        documents = TextInTable(os.fsdecode(with_documents), table.documents or (), table.domains)
    assumed = [one for table in tables.values() for one in table.assumed]
    assumed += _find_unused_outputs(references, [*systems, *runs], tables)
    return (
        spread("reference", references),
        spread("system", systems),
        spread("training run", runs),
        sources,
        documents,
        langpair,
        tuple(assumed),
    )


def _find_unused_outputs(
    references: Sequence[NamedFile], outputs: Sequence[NamedFile], tables: Mapping[str, TextTable]
) -> list[Assumption]:
    """That files with references and outputs are given as a reference only, while others are given
    as outputs.
    """
    as_outputs = {os.fspath(path) for _, path in outputs}
    as_references = dict.fromkeys(os.fspath(path) for _, path in references)
    unused = []
    for path in as_references:
        table = tables.get(path)
        if table is not None and path not in as_outputs and table.references and table.outputs:
            unused.append(Assumption("outputs-unused", {"file": table.name}))
    return unused


def read_outputs(
    systems: Sequence[NamedFile],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    langpair: str | None = None,
    name: str | None = None,
    keep_canary: bool = False,
) -> TestSet:
    """Outputs without a reference, as a test set whose only reference is the source, or the first
    output: scores are to join it, and then take its place.
    """
    if langpair is not None:
        check_langpair(langpair)
    _, systems, _, sources, documents, langpair, assumed = _spread_tables(
        (), systems, (), sources, documents, langpair
    )
    files = _index_files(systems, "system", "system")
    first = next(iter(files.values())) if sources is None else sources
    if name is None:
        name = _name_by_folder([*files.values()], langpair)
    testset = assemble(
        name,
        {"main text": first},
        files,
        sources=sources,
        documents=documents,
        langpair=langpair,
        keep_canary=keep_canary,
        main="output" if sources is None else "source",
    )
    return replace(testset, assumed=(*testset.assumed, *assumed))


def _take_texts(
    role: str, name: str | None, path: FilePath, table: TextTable
) -> list[tuple[Any, FilePath]]:
    """The texts that a file has of a role, by their names in it; a single one by the name that is
    given, if any.
    """
    texts = table.list_texts(role)
    what = "reference" if role == "reference" else "output"
    others = table.outputs if role == "reference" else table.references
    if not texts:
        has = (
            f"It has {format_count(len(others), 'output' if role == 'reference' else 'reference')}: "
            f"{show_names(own or 'one without a name' for own in others)}. "
            if others
            else ""
        )
        fix = "Give it in its own role."
        if role == "reference" and table.outputs:
            fix = "Give it as an output, with a reference or with scores of its segments."
        raise InputError(f"{table.name} has no {what}. {has}{fix}")
    if role == "training run" and len(texts) > 1:
        raise InputError(
            f"{table.name} has {len(texts)} outputs: {show_names(texts)}. Expected the one output of a "
            "training run."
        )
    for own, lines in texts.items():
        if what == "output" and (
            gap := next((k for k, text in enumerate(lines, 1) if text is None), None)
        ):
            raise InputError(
                f"{table.name}: {show_name(own) or 'the output'} has no text for segment {gap}. Expected "
                "one for each segment of the reference, an empty text where there is nothing."
            )
    file_name = strip_ending(show_name(Path(os.fsdecode(path)).name), TEXTS)
    return [
        (
            name if name is not None and len(texts) == 1 else own or file_name,
            TextInTable(
                os.fsdecode(path), [text or "" for text in lines] if what == "output" else lines
            ),
        )
        for own, lines in texts.items()
    ]


def _name_by_file(path: FilePath) -> str:
    return strip_ending(show_name(Path(os.fsdecode(path)).name), SEGMENTS)


def _find_common_folder(paths: Sequence[FilePath]) -> str:
    """Name of the nearest folder that holds all these files; of the first file if that is the
    root.
    """
    folders = [os.path.dirname(os.path.abspath(os.fsdecode(path))) for path in paths]
    try:
        return os.path.basename(os.path.commonpath(folders)) or _name_by_file(paths[0])
    except ValueError:  # on different drives
        return _name_by_file(paths[0])


# Outputs of further training runs, beside a test set that comes from elsewhere.


def join_runs(
    testset: TestSet, runs: Sequence[tuple[str, FilePath]], keep_canary: bool = False
) -> TestSet:
    """A test set, of all lines of its files, with the outputs of training runs (system, file) in
    their order.
    """
    if not testset.has_texts:
        if not runs:
            return testset
        raise InputError(
            f"{testset.name} has scores of segments and no texts, so there is no output of which "
            f"{runs[0][1]} could be a further training run. Leave the runs out."
        )
    outputs: dict[str, list[Sequence[str]]] = {}
    run_texts = [(system, path, read_texts(path)) for system, path in runs]
    for system, _, lines in run_texts:
        outputs.setdefault(system, []).append(lines)
    if any(len(lines) != testset.n_segments for *_, lines in run_texts):
        name, reference = next(iter(testset.references.items()))
        raise InputError(
            "\n".join(
                find_wrong_counts(
                    f"{name} of {testset.name}",
                    [text or "" for text in reference],
                    [(path, lines, True) for _, path, lines in run_texts],
                )
            )
        )
    testset = replace(testset, runs=outputs)
    return testset if keep_canary else drop_canary(testset)


def find_runs(folder: FilePath, pairs: Collection[str]) -> list[tuple[str, str, str]]:
    """(language pair, system, file) of the further training runs in the folder of a task, which are
    called ``PAIR.NAME.run2.txt``, ``PAIR.NAME.run3.txt``, ...; in the order of their numbers. No
    command takes them by itself.
    """
    matches = (
        re.fullmatch(r"([^.]+)\.(.+)\.run([2-9]|[1-9][0-9]+)\.txt", name, re.DOTALL)
        for name in list_folder(folder)
    )
    runs = sorted(
        (match[1], match[2], int(match[3]), str(Path(folder, match[0])))
        for match in matches
        if match and match[1] in pairs
    )
    return [(pair, system, path) for pair, system, _, path in runs if is_file(path)]


# A data frame, or columns by name, with a row for each segment.

#: What columns of each role hold; references are called ref, refA, reference, ...
_ASIDE = {"sources": "source", "documents": "docid", "domains": "domain"}


def read_frame(
    frame: NamedColumns,
    *,
    references: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    sources: str | None = None,
    documents: str | None = None,
    domains: str | None = None,
    langpair: str | None = None,
    name: str = "data frame",
) -> TestSet:
    """A test set from a data frame with a row for each segment, and a column for each system and
    reference.

    Parameters
    ----------
    frame : pandas.DataFrame, or mapping of str to sequence
        Texts by column. A reference may miss some; a system has an empty text where it has nothing.
    references : str or sequence of str, optional
        Columns; by default those called ref, refA, reference and the like.
    systems : sequence of str, optional
        Columns; by default all that are nothing else.
    sources, documents, domains : str, optional
        Columns; by default those called source or src, docid, doc_id or document, and domain, where
        there are such.
    langpair : str, optional
        Such as ``"en-de"``.
    name : str
        What the set is called.

    Raises
    ------
    InputError
        If there is no such column, or what it holds are no texts: with the row, what was expected,
        and what came.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"docid": [1, 1], "refA": ["a b", "c d"], "GPT": ["a b", "c"], "NLLB": ["a", "d"]})
    >>> read_frame(frame, name="toy")
    <TestSet 'toy': 2 systems, 2 segments>
    >>> read_frame(frame, name="toy").n_documents
    1
    """
    if langpair is not None:
        check_langpair(langpair)
    columns = read_columns(name, frame)
    roles = _find_asides(
        name, columns, {"sources": sources, "documents": documents, "domains": domains}
    )
    if references is None:
        references, *_ = sort_columns(columns)
        if not references:
            raise InputError(
                f"{name}: no column is called like a reference (ref, refA, reference). Say which it is; "
                f"there are: {', '.join(columns)}."
            )
    references = [references] if isinstance(references, str) else references
    assumed: tuple[Assumption, ...] = ()
    if systems is None:
        systems = [column for column in columns if column not in (*references, *roles.values())]
        asides = list_no_outputs(systems)
        systems = [column for column in systems if column not in asides]
        assumed = explain_no_outputs(name, asides)
    systems = [systems] if isinstance(systems, str) else systems
    beside: dict[str, Any] = {}
    for role, column in roles.items():
        if column is not None:
            beside[role] = [None if text is None else str(text) for text in columns[column]]
    return TestSet(
        name,
        _read_columns(name, columns, systems, False),
        _read_columns(name, columns, references, True),
        langpair=langpair,
        assumed=assumed,
        **beside,
    )


def _find_asides(
    name: str, columns: Iterable[str], given: Mapping[str, str | None]
) -> dict[str, str | None]:
    """The columns of sources, documents and domains: as given, else those of usual names; None
    where there is none.
    """
    header = list(columns)
    roles: dict[str, str | None] = {}
    for role, column in given.items():
        if column is not None:
            roles[role] = _check_column(name, columns, column)
            continue
        place = find_column(header, _ASIDE[role])
        roles[role] = None if place is None else header[place]
    return roles


def _drop_repeated(references: Sequence[NamedFile]) -> list[NamedFile]:
    """The references, each once: files of several systems may all have the same one beside the
    output.
    """
    kept: list[NamedFile] = []
    lines_of: dict[str | None, list[Sequence[str]]] = {}
    for name, path in references:
        known = lines_of.setdefault(name, [])
        if isinstance(path, TextInTable):
            if path.lines in known:
                continue
            known.append(path.lines)
        kept.append((name, path))
    return kept


def _check_column(name: str, columns: Iterable[str], column: str) -> str:
    if column not in columns:
        raise InputError(
            f"{name} has no column {column!r}.{suggest_name(column, columns)} "
            f"It has: {', '.join(columns)}."
        )
    return column


def _read_columns(
    name: str, columns: Mapping[str, Sequence[Any]], names: Sequence[str], missing: bool
) -> dict[str, tuple[Any, ...]]:
    if twice := [column for column in names if list(names).count(column) > 1]:
        raise InputError(f"{name}: the column {twice[0]!r} is named twice. Name each once.")
    taken_for = "reference" if missing else "system"
    return {
        column: as_texts(
            f"{name}, column {column} (taken for a {taken_for})",
            columns[_check_column(name, columns, column)],
            missing,
        )
        for column in names
    }


# The test sets that sacreBLEU knows, by way of its own cache and download (the folder in
# ``SACREBLEU``).

_ABOUT = ("src", "docid", "origlang", "domain", "genre")


def set_and_pair(name: str, langpair: str | None = None) -> tuple[str, str | None]:
    """The set, and the language pair that may end its name: wmt21/systems and en-de of
    wmt21/systems/en-de.
    """
    if found := re.fullmatch(f"(.+)/({LANGUAGE}-{LANGUAGE})", name):
        if langpair not in (None, found[2]):
            raise SettingError(
                f"{name} and the language pair {langpair} name two pairs. Give one of them."
            )
        return found[1], found[2]
    return name, langpair


def read_sacrebleu(
    name: str,
    langpair: str | None = None,
    systems: Sequence[NamedFile] = (),
    *,
    keep_canary: bool = False,
) -> TestSet:
    """A test set that sacreBLEU knows, such as ``wmt21/systems`` or ``wmt21/systems/en-de``, with
    the references that sacreBLEU scores it with, the outputs that it has, and further ones.
    """
    from sacrebleu.dataset import DATASETS  # late, as it takes long

    name, langpair = set_and_pair(name, langpair)
    if name not in DATASETS:
        raise explain_unknown("test set of sacreBLEU", name, DATASETS)
    dataset: Any = DATASETS[name]
    if langpair is None:
        raise SettingError(
            f"{name} is read for one language pair. It has: {', '.join(sorted(dataset.langpairs))}.",
            {"langpair": "XX-YY"},
        )
    if langpair not in dataset.langpairs:
        raise explain_unknown(f"language pair of {name}", langpair, sorted(dataset.langpairs))
    files, references = _find_files(dataset, name, langpair)
    refs = {
        name_reference(field.partition(":")[2], "[A-Z0-9]"): path
        for field, path in files.items()
        if path in references
    }
    own = [
        *(
            (field, path)
            for field, path in files.items()
            if field not in _ABOUT and not re.match("ref(:|$)", field)
        ),
        *systems,
    ]
    if not own:
        raise SettingError(
            f"sacreBLEU has no outputs of systems for {name}. Give some.", {"system": "FILE"}
        )
    testset = read_text(
        list(refs.items()), own, sources=files["src"], langpair=langpair, name=f"{name} {langpair}"
    )
    gaps = {
        ref: [
            text or (None if any(others) else "")
            for text, *others in zip(texts, *testset.references.values(), strict=True)
        ]
        for ref, texts in testset.references.items()
    }
    documents, domains = (
        read_lines(files[field], DOCUMENTS) if field in files else None
        for field in ("docid", "domain")
    )
    testset = replace(testset, references=gaps, documents=documents, domains=domains)
    return testset if keep_canary else drop_canary(testset)


def _find_files(dataset: Any, name: str, langpair: str) -> tuple[dict[str, str], list[str]]:
    """SacreBLEU's plain files by what they are, and which of them are the references; downloaded
    where they are not there.
    """
    from sacrebleu.utils import SACREBLEU_DIR

    place = show_name(SACREBLEU_DIR)
    try:
        files = dataset.get_files(langpair)
        return dict(
            zip(dataset.fieldnames(langpair), files, strict=True)
        ), dataset.get_reference_files(langpair)
    except OSError as error:
        reason = str(getattr(error, "reason", None) or error.strerror or error)
        raise InputError(
            f"{name} is not in sacreBLEU's folder {place}, and cannot be downloaded: {show_name(reason)}. "
            "Go online, copy that folder from where the set is, or name another by the environment "
            "variable SACREBLEU."
        ) from None
    except (
        Exception,
        SystemExit,
    ) as error:  # whatever sacreBLEU may make of a damaged file: it ends the process, too
        raise InputError(
            f"sacreBLEU cannot read its copy of {name} {langpair} ({type(error).__name__}: "
            f"{show_name(str(error))[:200]}). Remove {name} from {place}, and try again."
        ) from None


# Dependency parses in CoNLL-U.

N_COLUMNS = 10
_SHORT = 3  # letters of words that occur in any text
_NO_WORD = re.compile(
    r"[0-9]+-[0-9]+|[0-9]+\.[0-9]+"
)  # a token of several words, a word that is not written
_WHOLE = re.compile("[0-9]{1,9}")


def read_conllu(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parse of each segment of a text, from a CoNLL-U file, plain or gzipped: a line for each
    word, with form, lemma, head and deprel between tabs, and an empty line between sentences.

    ``# segment = N`` names the line of the text that the sentences from there on belong to. Without
    any, each ``# newpar`` begins a segment if there are as many as segments, else each sentence is
    one; blank lines may have none.
    """
    parses = _read_parses(path, texts)
    words = [
        (word.partition("\t")[0].casefold(), text.casefold())
        for parse, text in zip(parses, texts, strict=True)
        for word in parse.split("\n")
        if word
    ]
    words = [(form, text) for form, text in words if len(form) > _SHORT] or words
    n_present = sum(
        form in text for form, text in words
    )  # not all: of "zum" a parse has "zu" and "dem"
    if n_present < len(words) / 2:
        raise InputError(
            f"{show_name(path)}: only {n_present:,} of {len(words):,} words are in the segment that their "
            "parse is for. Expected the parse of this text, segment by segment in its order."
        )
    return parses


def _read_parses(path: FilePath, texts: Sequence[str]) -> list[str]:
    """The parses as `read_conllu` has them."""
    name = show_name(path)
    sentences = list(_split_sentences(name, read_lines(path, "a parse in CoNLL-U"), len(texts)))
    parses = ["\n".join(sentence.words) for sentence in sentences]
    if any(sentence.segment for sentence in sentences):
        if not sentences[0].segment:
            raise InputError(
                f"{name}, line {sentences[0].line}: this sentence comes before the first '# segment = N'. "
                "Name the segment it belongs to."
            )
        numbers = list(accumulate((sentence.segment for sentence in sentences), max))
        numbered = _join(
            parses, (n - before for n, before in zip(numbers, [0, *numbers], strict=False))
        )
        return numbered + [""] * (len(texts) - len(numbered))
    paragraphs = _join(parses, (sentence.paragraphs for sentence in sentences))
    filled = [k for k, text in enumerate(texts) if text.strip()]
    for candidates in (paragraphs, parses):
        if len(candidates) in (len(texts), len(filled)):
            of_segment = dict(
                zip(
                    filled if len(candidates) < len(texts) else range(len(texts)),
                    candidates,
                    strict=True,
                )
            )
            return [of_segment.get(k, "") for k in range(len(texts))]
    raise InputError(
        f"{name} has {len(parses)} sentences{f' in {len(paragraphs)} paragraphs' if paragraphs else ''}, the text has "
        f"{len(texts)} segments{f' ({len(filled)} not blank)' if len(filled) < len(texts) else ''}. Expected one "
        "sentence for each, or '# newpar' or '# segment = N' before the first sentence of each."
    )


def _join(parses: Sequence[str], n_begin: Iterable[int]) -> list[str]:
    """The parse of each segment, of which so many begin with each sentence; none where a sentence
    has no segment.
    """
    groups: list[list[str]] = []
    for parse, n in zip(parses, n_begin, strict=True):
        groups += [[] for _ in range(n)]
        if not groups:
            return []
        groups[-1].append(parse)
    return ["\n\n".join(filter(None, group)) for group in groups]


@dataclass
class _Sentence:
    """The comments and words up to an empty line."""

    line: int  # its first
    segment: int = 0  # the number it is given, 0 for none
    paragraphs: int = 0  # how many begin with it
    words: list[str] = field(default_factory=list)
    heads: list[tuple[int, int]] = field(default_factory=list)  # (line, head)


def _split_sentences(name: str, lines: Sequence[str], n_segments: int) -> Iterator[_Sentence]:
    """The sentences of a file, checked."""
    sentence, last = None, 0
    for number, line in enumerate([*lines, ""], 1):
        where = f"{name}, line {number}"
        if not line.strip():
            if sentence is not None:
                n = len(sentence.words)
                if wrong := next((one for one in sentence.heads if one[1] > n), None):
                    raise InputError(
                        f"{name}, line {wrong[0]}: the head (column 7) is {wrong[1]}, and the sentence "
                        f"has {format_count(n, 'word')}. Expected one of them, or 0 for the root."
                    )
                yield sentence
            sentence = None
            continue
        sentence = sentence or _Sentence(number)
        if not line.startswith("#"):
            _add_word(sentence, number, line.split("\t"), where)
            continue
        if sentence.words:
            raise InputError(
                f"{where}: a comment is inside a sentence. Put an empty line after the last word before "
                "it."
            )
        sentence.paragraphs += bool(re.match(r"#\s*newpar\b", line))
        if match := re.fullmatch(r"#\s*segment\s*=\s*(.*)", line.strip()):
            if not _WHOLE.fullmatch(match[1]) or not last < int(match[1]) <= n_segments:
                raise InputError(
                    f"{where}: segment = {show_name(match[1])}, and the text has {n_segments} segments. "
                    f"Expected one of them, each once and in order{f', after {last}' if last else ''}."
                )
            sentence.segment = last = int(match[1])


def _add_word(sentence: _Sentence, number: int, columns: Sequence[str], where: str) -> None:
    if len(columns) == N_COLUMNS and _NO_WORD.fullmatch(columns[0]):
        return
    expected = len(sentence.words) + 1
    index, form, lemma, _, _, _, head, relation, _, _ = (
        columns if len(columns) == N_COLUMNS else [""] * N_COLUMNS
    )
    if index != str(expected) or not _WHOLE.fullmatch(head) or int(head) == expected:
        raise InputError(
            f"{where} is {show_value(' '.join(columns))}. Expected word {expected} of the sentence: "
            f"{N_COLUMNS} columns with tabs between them, the first the number of the word, the seventh "
            "the number of its head, another word, or 0 for the root. An empty line ends each sentence."
        )
    sentence.words.append("\t".join((form, form if lemma == "_" else lemma, head, relation)))
    sentence.heads.append((number, int(head)))
