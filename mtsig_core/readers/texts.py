"""Read a TestSet from text files, with documents and further training runs, or a data frame."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, Remedy, SettingError, format_count, suggest_name
from mtsig_core.grouping import group_values
from mtsig_core.languages import is_langpair
from mtsig_core.readers.columns import (
    ColumnsByName,
    NamedColumns,
    find_column,
    read_columns,
    show_names,
)
from mtsig_core.readers.conllu import read_conllu
from mtsig_core.readers.document_ids import DocumentIds, read_documents
from mtsig_core.readers.document_tasks import STAND_IN
from mtsig_core.readers.files import FilePath, is_file, list_folder
from mtsig_core.readers.formats import SEGMENTS, TEXTS, strip_ending
from mtsig_core.readers.limits import spend
from mtsig_core.readers.line_counts import find_wrong_counts
from mtsig_core.readers.line_ids import take_off_line_ids
from mtsig_core.readers.lines import TextFile, read_text_table_file, read_texts
from mtsig_core.readers.text_tables import (
    TextInTable,
    TextTable,
    align_tables,
    explain_no_outputs,
    list_no_outputs,
    sort_columns,
)
from mtsig_core.testset import TestSet, as_texts, show_name

# From files to a TestSet: what all formats of one segment per line have in common.


def check_langpair(langpair: str) -> None:
    """Raise SettingError unless this is a language pair such as en-de."""
    if is_langpair(langpair):
        return
    lower = re.sub("[^a-z]+", "-", langpair.lower())
    hint = f" Did you mean {lower}?" if re.fullmatch("[a-z]{2,3}-[a-z]{2,3}", lower) else ""
    raise SettingError(
        f"{show_name(langpair)!r} is not a language pair. Expected two codes of 2 or 3 letters, source "
        f"first, such as en-de, en-zh_TW or en-pt-BR.{hint}"
    )


def index_by_name(
    files: Iterable[tuple[str, FilePath]], kind: str, remedy: str, *remedies: Mapping[str, str]
) -> dict[str, FilePath]:
    """Files by name; raises InputError if a name is empty or comes twice.

    The message ends with `remedy`, and `remedies` say the same as data.
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


@dataclass(frozen=True)
class TestSetFiles:
    """The files of a test set, by the names they get."""

    __test__ = False  # not a test case, whatever its name suggests to pytest

    references: Mapping[str, FilePath]
    systems: Mapping[str, FilePath]
    sources: FilePath | None = None
    documents: FilePath | None = None
    parses: Mapping[str, FilePath] = field(default_factory=dict)  # by system or reference
    runs: Mapping[str, Sequence[FilePath]] = field(default_factory=dict)  # by system


class _Faults:
    """Collects what is wrong with the files of a test set, for one message about all of it."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._remedies: dict[str, Remedy] = {}

    def read(self, reader: Callable[..., Any], path: FilePath, **options: Any) -> Any:
        """Read a file with a reader; collect the fault and return None if that fails."""
        try:
            return reader(path, **options)
        except InputError as error:
            self.messages.append(str(error))
            self._remedies.update({str(remedy): remedy for remedy in error.remedies})

    def raise_any(self) -> None:
        if self.messages:
            raise InputError("\n".join(dict.fromkeys(self.messages)), *self._remedies.values())


def assemble(
    name: str,
    paths: TestSetFiles,
    *,
    langpair: str | None = None,
    keep_canary: bool = False,
    has_blanks: bool = False,
    main_title: str = "reference",
) -> TestSet:
    """Read the files of a test set, and check them against its first reference.

    Parameters
    ----------
    name : str
    paths : TestSetFiles
    langpair : str, optional
    keep_canary : bool
        As in `read_text`.
    has_blanks : bool
        As in `read_documents`.
    main_title : str
        What messages call the first reference, if another text is in its place.

    Raises
    ------
    InputError
        If files cannot be read, or do not match.
    """
    spend("systems", len(paths.systems), f"The test set {show_name(name)}")
    faults = _Faults()
    files = _read_files(paths, faults)
    assumed: tuple[Assumption, ...] = ()
    if not faults.messages:
        files, assumed = take_off_line_ids(files)
    ids = _read_document_ids(paths.documents, files, has_blanks, faults)
    counted = list(files)
    if paths.documents is not None and ids.documents is not None:
        counted.append(TextFile("documents", "", paths.documents, ids.documents))
    main, *compared = counted
    if main.lines is not None:
        readable = [file for file in compared if file.lines is not None]
        faults.messages += find_wrong_counts(main, readable, main_title)
    faults.raise_any()

    references = _index_lines(files, "reference")
    systems = _index_lines(files, "system")
    sources = _index_lines(files, "source")
    testset = TestSet(
        name,
        systems,
        references,
        sources=sources.get(""),
        documents=ids.documents,
        domains=ids.domains,
        langpair=langpair,
        parses=_read_parses(paths.parses, systems, references),
        runs=_collect_runs(files),
        assumed=assumed,
    )
    return testset if keep_canary else drop_canary(testset)


def _index_lines(files: Iterable[TextFile], role: str) -> dict[str, Sequence[Any]]:
    return {file.name: file.lines for file in files if file.role == role}


def _collect_runs(files: Iterable[TextFile]) -> dict[str, list[Sequence[Any]]]:
    """The outputs of further training runs, by system."""
    return group_values((file.lines, file.name) for file in files if file.role == "training run")


def _read_files(paths: TestSetFiles, faults: _Faults) -> Sequence[TextFile]:
    """Read the texts of a test set; a file that cannot be read has None in place of its lines."""
    named_paths = [("reference", name, path) for name, path in paths.references.items()]
    named_paths += [("system", name, path) for name, path in paths.systems.items()]
    for name, run_paths in paths.runs.items():
        named_paths += [("training run", name, path) for path in run_paths]
    if paths.sources is not None:
        named_paths.append(("source", "", paths.sources))
    files = []
    for role, name, path in named_paths:
        files.append(TextFile(role, name, path, faults.read(read_texts, path)))
    return files


def _read_document_ids(
    path: FilePath | None, files: Iterable[TextFile], has_blanks: bool, faults: _Faults
) -> DocumentIds:
    """Read the ids of documents; it is a fault if they are a copy of one of the texts."""
    if path is None:
        return DocumentIds()
    ids: DocumentIds | None = faults.read(read_documents, path, has_blanks=has_blanks)
    if ids is None:
        return DocumentIds()
    copied = _find_file_with(ids.documents or (), files)
    if copied is not None:
        faults.messages.append(
            f"{show_name(path)} is the text of {show_name(copied.path)}. Expected one document id "
            "per line."
        )
    return ids


def _find_file_with(lines: Sequence[str], files: Iterable[TextFile]) -> TextFile | None:
    """The first file that has these lines."""
    for file in files:
        if file.lines is None or len(file.lines) != len(lines):
            continue
        if all(line == (text or "").strip() for line, text in zip(lines, file.lines, strict=True)):
            return file
    return None


def _read_parses(
    paths: Mapping[str, FilePath],
    systems: Mapping[str, Sequence[str]],
    references: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Read the parses of systems and references, by their names."""
    faults = _Faults()
    texts = {**references, **systems}
    parses = {}
    for name, path in paths.items():
        if name not in texts:
            names = [*systems, *references]
            raise InputError(
                f"{show_name(path)} is given as the parse of {show_name(name)}, which is not a system and "
                f"not a reference; they are {', '.join(map(show_name, names))}.{suggest_name(name, names)}"
            )
        parses[name] = faults.read(read_conllu, path, texts=texts[name])
    faults.raise_any()
    return parses


def drop_canary(testset: TestSet) -> TestSet:
    """The same set without the lines whose document or domain is ``canary``.

    A canary line shows whether a test set is in training data: nobody translated it.
    """
    if testset.documents is None:
        return testset
    domains = testset.domains or testset.documents
    rows = [
        row
        for row, document in enumerate(testset.documents)
        if "canary" not in (document, domains[row])
    ]
    return testset if len(rows) == len(testset.documents) else testset.take(rows)


# Plain text files, one segment per line.

NamedFile = tuple[str | None, FilePath]
NamedRun = tuple[str, FilePath]
#: Language pair, name of the scores or the system, and file.
PairFile = tuple[str, str, str]


@dataclass(frozen=True)
class _Inputs:
    """The files of a test set as a user gives them; some may hold several texts."""

    references: Sequence[NamedFile]
    systems: Sequence[NamedFile]
    runs: Sequence[NamedRun]
    sources: FilePath | None
    documents: FilePath | None
    langpair: str | None
    assumed: tuple[Assumption, ...] = ()


def read_text(  # noqa: PLR0913  a file or name each
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile],
    *,
    sources: FilePath | None = None,
    documents: FilePath | None = None,
    parses: Sequence[tuple[str, FilePath]] = (),
    runs: Sequence[NamedRun] = (),
    langpair: str | None = None,
    name: str | None = None,
    keep_canary: bool = False,
    without_reference: bool = False,
) -> TestSet:
    """Read a test set from text files, plain or gzipped, with one segment per line.

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
        System or reference, and its parse in CoNLL-U; see `mtsig_core.readers.conllu.read_conllu`.
    runs : sequence of (str, path-like)
        System, and its output after a further training run, in the order of the runs; see
        docs/statistics.md.
    langpair : str, optional
        Such as ``en-de``.
    name : str, optional
        Name of the set. By default the name of the folder that has the references and systems, and
        the language pair.
    keep_canary : bool
        Whether to keep a line that the documents file calls ``canary``; see
        `mtsig_core.readers.wmt.read_wmt`.
    without_reference : bool
        Whether there may be no reference. The source, or else the first output, is then in its
        place until scores join; see `mtsig_core.readers.document_tasks.drop_stand_in`.

    Raises
    ------
    InputError
        If a file cannot be read or does not match the first reference, or a name is empty or not
        unique.
    SettingError
        If there is no reference, or the language pair is not one.
    """
    if not references and not without_reference:
        raise SettingError(
            "No reference. Give at least one, a text file with one segment per line."
        )
    if langpair is not None:
        check_langpair(langpair)
    inputs = _split_tables(_Inputs(references, systems, runs, sources, documents, langpair))
    run_paths = group_values((path, system) for system, path in inputs.runs)
    reference_paths = _index_files(_drop_repeated(inputs.references), "reference", "ref")
    system_paths = _index_files(inputs.systems, "system", "system")
    if name is None:
        name = _name_by_folder([*reference_paths.values(), *system_paths.values()], inputs.langpair)
    main_title = "reference"
    if not references:
        main_title = "output" if inputs.sources is None else "source"
        reference_paths[STAND_IN] = inputs.sources or next(iter(system_paths.values()))
    paths = TestSetFiles(
        reference_paths,
        system_paths,
        inputs.sources,
        inputs.documents,
        index_by_name(parses, "parse", "Give one for each."),
        run_paths,
    )
    testset = assemble(
        name, paths, langpair=inputs.langpair, keep_canary=keep_canary, main_title=main_title
    )
    return replace(testset, assumed=(*testset.assumed, *inputs.assumed))


def _index_files(files: Iterable[NamedFile], kind: str, argument: str) -> dict[str, FilePath]:
    """Files of a kind by their names; a file without a given name has its file name."""
    named_files = [(_name_by_file(path) if name is None else name, path) for name, path in files]
    return index_by_name(named_files, kind, "Give each a name of its own.", {argument: "NAME=FILE"})


def _drop_repeated(references: Sequence[NamedFile]) -> list[NamedFile]:
    """Drop repeated references: the files of several systems may all have the same reference."""
    distinct: list[NamedFile] = []
    texts_by_name: dict[str | None, list[Sequence[str]]] = {}
    for name, path in references:
        if isinstance(path, TextInTable):
            texts = texts_by_name.setdefault(name, [])
            if path.lines in texts:
                continue
            texts.append(path.lines)
        distinct.append((name, path))
    return distinct


def _name_by_file(path: FilePath, content: str = SEGMENTS) -> str:
    return strip_ending(show_name(Path(os.fsdecode(path)).name), content)


def _name_by_folder(paths: Sequence[FilePath], langpair: str | None) -> str:
    """The default name of a test set: the nearest common folder of its files, and the pair.

    If that is the root of the file system, the name of the first file is used.
    """
    folders = [os.path.dirname(os.path.abspath(os.fsdecode(path))) for path in paths]
    try:
        folder = os.path.basename(os.path.commonpath(folders))
    except ValueError:  # on different drives
        folder = ""
    name = folder or _name_by_file(paths[0])
    return f"{name} {langpair}" if langpair else name


# Files that hold several texts, among the files of a test set.


def _split_tables(inputs: _Inputs) -> _Inputs:
    """Replace each file of several texts by its texts that have the role of the file.

    Without systems, the outputs of the reference files are the systems. These files also give
    sources, documents and language pair if the user gives none.
    """
    unaligned = _read_text_tables(inputs)
    if not unaligned:
        return inputs
    aligned, langpair = align_tables(list(unaligned.values()), inputs.langpair)
    tables = dict(zip(unaligned, aligned, strict=True))
    systems = inputs.systems
    if not systems:
        systems = _find_files_with_outputs(inputs.references, tables)
    assumed: list[Assumption] = []
    for table in tables.values():
        assumed += table.assumed
    assumed += _find_unused_outputs(inputs.references, [*systems, *inputs.runs], tables)
    return _Inputs(
        _split_files("reference", inputs.references, tables),
        _split_files("system", systems, tables),
        _split_files("training run", inputs.runs, tables),
        _find_sources(inputs.sources, tables),
        _find_documents(inputs.documents, tables),
        langpair,
        tuple(assumed),
    )


def _find_files_with_outputs(
    references: Sequence[NamedFile], tables: Mapping[str, TextTable]
) -> list[NamedFile]:
    """The files of references that have outputs, too."""
    files: list[NamedFile] = []
    for _, path in references:
        table = tables.get(os.fspath(path))
        if table is not None and table.references and table.outputs:
            files.append((None, path))
    return files


def _read_text_tables(inputs: _Inputs) -> dict[str, TextTable]:
    """Read the files that hold several texts, by path."""
    named_files = (*inputs.references, *inputs.systems, *inputs.runs)
    paths = [path for _, path in named_files]
    if inputs.sources is not None:
        paths.append(inputs.sources)
    tables: dict[str, TextTable] = {}
    for path in dict.fromkeys(os.fspath(path) for path in paths):
        table = read_text_table_file(path)
        if table is not None:
            tables[path] = table
    return tables


def _find_sources(sources: FilePath | None, tables: Mapping[str, TextTable]) -> FilePath | None:
    """The file of sources; if none is given, the first table that has sources."""
    for path, table in tables.items():
        is_candidate = sources is None or path == os.fspath(sources)
        if is_candidate and table.sources is not None:
            return TextInTable(path, [text or "" for text in table.sources])
    return sources


def _find_documents(documents: FilePath | None, tables: Mapping[str, TextTable]) -> FilePath | None:
    """The file of documents; if none is given, the first table that has documents."""
    if documents is not None:
        return documents
    for path, table in tables.items():
        if table.documents is not None:
            return TextInTable(path, table.documents, table.domains)
    return None


def _split_files(
    role: str, files: Sequence[tuple[Any, FilePath]], tables: Mapping[str, TextTable]
) -> list[tuple[Any, FilePath]]:
    """The files of a role, each file with several texts replaced by its texts of this role."""
    single_files: list[tuple[Any, FilePath]] = []
    for name, path in files:
        table = tables.get(os.fspath(path))
        if table is None:
            single_files.append((name, path))
        else:
            single_files += _pick_texts(role, name, path, table)
    return single_files


def _pick_texts(
    role: str, name: str | None, path: FilePath, table: TextTable
) -> list[tuple[Any, FilePath]]:
    """The texts of a table that have a role, by their names in it.

    The name that the user gives to the file is used if it has a single text of this role.
    """
    texts = table.list_texts(role)
    if not texts:
        raise _explain_missing_role(role, table)
    if role == "training run" and len(texts) > 1:
        raise InputError(
            f"{table.name} has {len(texts)} outputs: {show_names(texts)}. Expected the one output of a "
            "training run."
        )
    named_texts: list[tuple[Any, FilePath]] = []
    for text_name, text in texts.items():
        lines: Sequence[Any] = text
        if role != "reference":
            lines = _check_output(table.name, text_name, text)
        label = text_name or _name_by_file(path, TEXTS)
        if name is not None and len(texts) == 1:
            label = name
        named_texts.append((label, TextInTable(os.fsdecode(path), lines)))
    return named_texts


def _check_output(file: str, name: str, texts: Sequence[str | None]) -> Sequence[str]:
    for segment, text in enumerate(texts, 1):
        if text is None:
            raise InputError(
                f"{file}: {show_name(name) or 'the output'} has no text for segment {segment}. Expected "
                "one for each segment of the reference, an empty text where there is nothing."
            )
    return [text or "" for text in texts]


def _explain_missing_role(role: str, table: TextTable) -> InputError:
    """The error for a file that has no text of the role that the user gave it."""
    if role == "reference":
        missing = "reference"
        present = "output"
        texts = table.outputs
    else:
        missing = "output"
        present = "reference"
        texts = table.references
    sentences = [f"{table.name} has no {missing}."]
    if texts:
        names = show_names(name or "one without a name" for name in texts)
        sentences.append(f"It has {format_count(len(texts), present)}: {names}.")
    if role == "reference" and table.outputs:
        sentences.append("Give it as an output, with a reference or with scores of its segments.")
    else:
        sentences.append("Give it in its own role.")
    return InputError(" ".join(sentences))


def _find_unused_outputs(
    references: Sequence[NamedFile], outputs: Sequence[NamedFile], tables: Mapping[str, TextTable]
) -> list[Assumption]:
    """Files with references and outputs that the user gave as a reference only."""
    output_paths = {os.fspath(path) for _, path in outputs}
    files = _find_files_with_outputs(references, tables)
    distinct_paths = dict.fromkeys(os.fspath(path) for _, path in files)
    unused = [path for path in distinct_paths if path not in output_paths]
    return [Assumption("outputs-unused", {"file": tables[path].name}) for path in unused]


# Outputs of further training runs of a test set that other files hold.


def join_runs(testset: TestSet, runs: Sequence[NamedRun], keep_canary: bool = False) -> TestSet:
    """A test set with the outputs of further training runs, (system, file) each.

    The test set must still have all lines of its files. The runs of a system keep their order.
    """
    if not testset.has_texts:
        if not runs:
            return testset
        _, path = runs[0]
        raise InputError(
            f"{testset.name} has scores of segments and no texts, so there is no output of which "
            f"{path} could be a further training run. Remove the runs."
        )
    files = [TextFile("training run", system, path, read_texts(path)) for system, path in runs]
    name, reference = next(iter(testset.references.items()))
    main = TextFile("reference", name, f"{name} of {testset.name}", reference)
    messages = find_wrong_counts(main, files)
    if messages:
        raise InputError("\n".join(messages))
    testset = replace(testset, runs=_collect_runs(files))
    return testset if keep_canary else drop_canary(testset)


def find_runs(folder: FilePath, pairs: Collection[str]) -> list[PairFile]:
    """Find (language pair, system, file) of the further training runs in the folder of a task.

    They are called ``PAIR.NAME.run2.txt``, ``PAIR.NAME.run3.txt``, ..., and are returned in the
    order of their numbers. No command reads them automatically.
    """
    runs = []
    for name in list_folder(folder):
        match = re.fullmatch(r"([^.]+)\.(.+)\.run([2-9]|[1-9][0-9]+)\.txt", name, re.DOTALL)
        if match is None:
            continue
        pair, system, number = match.groups()
        path = str(Path(folder, name))
        if pair in pairs and is_file(path):
            runs.append((pair, system, int(number), path))
    runs.sort()
    return [(pair, system, path) for pair, system, _, path in runs]


# A data frame, or columns by name, with a row for each segment.

#: The content by which `find_column` finds the column of each role.
_CONTENT_OF_ROLES = {"sources": "source", "documents": "docid", "domains": "domain"}


def read_frame(  # noqa: PLR0913  a column or name each
    frame: NamedColumns,
    *,
    references: str | Sequence[str] | None = None,
    systems: str | Sequence[str] | None = None,
    sources: str | None = None,
    documents: str | None = None,
    domains: str | None = None,
    langpair: str | None = None,
    name: str = "data frame",
) -> TestSet:
    """A test set from a data frame with a column for each system and reference.

    Parameters
    ----------
    frame : pandas.DataFrame, or mapping of str to sequence
        Texts by column, a row for each segment. A reference may miss some; a system has an empty
        text where it has nothing.
    references : str or sequence of str, optional
        Columns; by default those called ref, refA, reference and the like.
    systems : str or sequence of str, optional
        Columns; by default all that have no other role.
    sources, documents, domains : str, optional
        Columns; by default those called source or src, docid, doc_id or document, and domain, if
        there are any.
    langpair : str, optional
        Such as ``"en-de"``.
    name : str
        Name of the set.

    Raises
    ------
    InputError
        If there is no such column, or it holds something other than texts. The message has the
        row, and what was expected there.

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
    given_columns = {"sources": sources, "documents": documents, "domains": domains}
    column_of = _find_role_columns(name, columns, given_columns)
    if references is None:
        references, *_ = sort_columns(columns)
        if not references:
            raise InputError(
                f"{name}: no column is called like a reference (ref, refA, reference). Say which it is; "
                f"there are: {', '.join(columns)}."
            )
    if isinstance(references, str):
        references = [references]
    assumed: tuple[Assumption, ...] = ()
    if systems is None:
        used = (*references, *column_of.values())
        unused = [column for column in columns if column not in used]
        asides = list_no_outputs(unused)
        systems = [column for column in unused if column not in asides]
        assumed = explain_no_outputs(name, asides)
    if isinstance(systems, str):
        systems = [systems]
    texts_of: dict[str, Any] = {}
    for role, column in column_of.items():
        texts_of[role] = [None if text is None else str(text) for text in columns[column]]
    return TestSet(
        name,
        _read_columns(name, columns, systems, "system"),
        _read_columns(name, columns, references, "reference"),
        langpair=langpair,
        assumed=assumed,
        **texts_of,
    )


def _find_role_columns(
    name: str, columns: ColumnsByName, given_columns: Mapping[str, str | None]
) -> dict[str, str]:
    """The column of each role: the given one, or else the one that is called like it, if any."""
    header = list(columns)
    column_of = {}
    for role, column in given_columns.items():
        if column is not None:
            _check_column(name, columns, column)
            column_of[role] = column
            continue
        index = find_column(header, _CONTENT_OF_ROLES[role])
        if index is not None:
            column_of[role] = header[index]
    return column_of


def _check_column(name: str, columns: Iterable[str], column: str) -> None:
    if column not in columns:
        raise InputError(
            f"{name} has no column {column!r}.{suggest_name(column, columns)} "
            f"It has: {', '.join(columns)}."
        )


def _read_columns(
    name: str, columns: ColumnsByName, column_names: Sequence[str], role: str
) -> dict[str, tuple[Any, ...]]:
    """The texts of the columns of a role."""
    texts: dict[str, tuple[Any, ...]] = {}
    for column in column_names:
        if column in texts:
            raise InputError(f"{name}: the column {column!r} is named twice. Name each once.")
        _check_column(name, columns, column)
        location = f"{name}, column {column} (taken for a {role})"
        texts[column] = as_texts(location, columns[column], missing=role == "reference")
    return texts
