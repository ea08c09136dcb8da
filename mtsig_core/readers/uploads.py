"""Files that a browser uploads as bytes: guess the role of each, and make a TestSet of them all."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mtsig_core.errors import InputError, SettingError
from mtsig_core.languages import find_spaceless
from mtsig_core.readers import automatic_scores
from mtsig_core.readers.automatic_scores import has_automatic_scores
from mtsig_core.readers.cells import CellError
from mtsig_core.readers.document_ids import read_documents
from mtsig_core.readers.document_tasks import drop_stand_in
from mtsig_core.readers.files import (
    DAMAGE,
    FilePath,
    find_packer,
    is_archive,
    is_file,
    list_paths,
    open_file,
    read_uploaded,
    unpack,
)
from mtsig_core.readers.formats import FOLDER, SCORE_TABLE, sniff, strip_ending
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.lines import read_lines, read_text_table_file
from mtsig_core.readers.published_values import read_published_uploads
from mtsig_core.readers.score_columns import ScoreColumns, describe_columns
from mtsig_core.readers.score_tables import cut_lines, name_scores
from mtsig_core.readers.scores import find_unsettled, join_scores, read_scores
from mtsig_core.readers.systems_table import is_of_participants
from mtsig_core.readers.task_names import explain_aside, task_name, without_pair
from mtsig_core.readers.text_tables import TextTable, find_role
from mtsig_core.readers.texts import read_text
from mtsig_core.testset import TestSet, show_name

_BOTH = "reference and outputs"
ROLES = (
    "system",
    "training run",
    "reference",
    _BOTH,
    "documents",
    "source",
    "scores",
    "scores, lower is better",
    "scores, higher is better",
    "segment ids",
    "parse",
    "exclude",
)
_TEXT_ROLES = ("system", "training run", "reference", "source")
_SINGLE_ROLES = ("source", "documents", "segment ids")
_RUN_NAME = re.compile(r"(.+)[._-]run[_-]?(\d{1,4})", re.IGNORECASE | re.DOTALL)
#: Roles by the words in names of files.
_ROLE_WORDS = {
    "parse": r"conllu?|parses?|parsed",
    "segment ids": r"ids|segids?",
    "documents": r"docs?|documents?|docids?",
    "scores": r"scores?|ratings?|comet|esa|mqm|tsv|csv|parquet|jsonl?",
    "source": r"src|sources?",
    "reference": r"refs?|references?|ref[a-z0-9]?|human|gold",
}
_MIN_COMMON = 3  # letters of a beginning that names have in common
_MAX_NAMES = 3  # systems in the name of a test set
_MAX_LETTERS = 30  # of each of these names
#: Files by their names, or by their places in an archive.
NamedContents = list[tuple[str, bytes]]


@dataclass(frozen=True)
class Upload:
    """One file: its own name, its content, and its role."""

    file: str
    content: bytes
    role: str  # one of `ROLES`
    #: Of the system, the reference or the scores; of a training run, the system that it is of.
    name: str


# Archives.


def holds_files(content: bytes) -> bool:
    """Whether a file is an archive of others, a zip or a packed tar, by its content."""
    file = io.BufferedReader(io.BytesIO(content))
    with suppress(*DAMAGE, OSError):
        unpacked = content if find_packer(file) is None else next(unpack(file, "a file"), b"")
        fmt = sniff(unpacked)
        return fmt is not None and FOLDER in fmt.reads
    return False


def list_flat_files(archive: FilePath) -> NamedContents:
    """The files of an archive, other than a shared task, that has a reference, or scores.

    Empty of another archive.
    """
    if not is_archive(archive):
        return []
    files = [(Path(place).name, content) for place, content in list_members(archive)]
    roles = {role.partition(",")[0] for role, _ in guess_uploads(files)}
    return [] if roles.isdisjoint(("reference", _BOTH, "scores", "exclude")) else files


def list_members(archive: FilePath) -> NamedContents:
    """All files of an archive, by their places in it."""
    members = []
    for path in list_paths(archive):
        if is_file(path):
            place = path.relative_to(archive).as_posix()
            members.append((place, open_file(path).read()))
    return members


def pack_files(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of files by their places, the same for the same files.

    Raises InputError where two of one place differ.
    """
    content_by_place: dict[str, bytes] = {}
    for place, content in files:
        if content_by_place.setdefault(place, content) != content:
            raise InputError(
                f"{show_name(place)} is there twice, and the two differ. Remove one of them."
            )
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for place, content in content_by_place.items():
            archive.writestr(ZipInfo(place), content, ZIP_DEFLATED)
    return packed.getvalue()


#: Where a text of a language pair lies in the folder of a task, by its role.
_PLACES = {
    "reference": "references/{pair}.{name}.txt",
    "system": "system-outputs/{pair}/{name}.txt",
    "source": "sources/{pair}.txt",
    "documents": "documents/{pair}.docs",
}


def arrange_task(files: Sequence[tuple[str, bytes]], roles: Sequence[str]) -> NamedContents:
    """Texts whose names say several language pairs, with tables of scores, as the files of a task.

    Empty of other files.

    >>> files = [("en-de.refA.txt", b""), ("A.en-de.txt", b""), ("en-cs.refA.txt", b""), ("A.en-cs.txt", b"")]
    >>> [place for place, _ in arrange_task(files, ["reference", "system"] * 2)]  # doctest: +NORMALIZE_WHITESPACE
    ['references/en-de.refA.txt', 'system-outputs/en-de/A.txt', 'references/en-cs.refA.txt',
     'system-outputs/en-cs/A.txt']
    >>> arrange_task(files[:2], ["reference", "system"])
    []
    """
    content_by_place: dict[str, bytes] = {}
    sets = set()
    for (file, content), role in zip(files, roles, strict=True):
        place = PurePosixPath(file).name
        if role != "exclude" and not role.startswith("scores"):
            set_name, pair = _find_set_and_pair(file)
            if role not in _PLACES or not pair:
                return []
            place = _PLACES[role].format(pair=pair, name=guess_name(file))
            sets.add((set_name, pair))
        if place in content_by_place:
            return []
        content_by_place[place] = content
    pairs = {pair for _, pair in sets}
    has_one_set_each = len(sets) == len(pairs)
    return list(content_by_place.items()) if len(pairs) > 1 and has_one_set_each else []


def are_documents(files: Iterable[tuple[str, bytes]], roles: Iterable[str]) -> bool:
    """Whether files are documents of WMT25, each of all language pairs, perhaps with scores."""
    formats = set()
    for (name, content), role in zip(files, roles, strict=True):
        if not role.startswith("scores") and not is_of_participants(Path(name)):
            fmt = sniff(cut_lines(content))
            formats.add("" if fmt is None else fmt.name)
    return formats == {"wmt25-texts"}


def are_ratings(contents: Iterable[bytes]) -> bool:
    """Whether all files hold human evaluation as published, which names its language pairs."""
    formats = [sniff(cut_lines(content)) for content in contents]
    return all(fmt is not None and fmt.holds_scores for fmt in formats)


def arrange_automatic_scores(files: Sequence[tuple[str, bytes]]) -> NamedContents:
    """Files of automatic scores of WMT25, with others beside them, as the files of a task.

    Empty of other files.
    """
    arranged = []
    has_scores = False
    for file, content in files:
        name = PurePosixPath(file).name
        is_table = name.endswith(automatic_scores.ENDINGS) and has_automatic_scores(content)
        has_scores |= is_table
        place = f"{automatic_scores.FOLDER_NAME}/{name}" if is_table else name
        arranged.append((place, content))
    return arranged if has_scores else []


# Guesses from names and contents.


def guess_name(file: str) -> str:
    """The name of a file without its endings, nor what the names of a shared task have around it.

    >>> guess_name("outputs/sysA.txt.gz"), guess_name("generaltest2022.uk-en.hyp.GTCOM.en"), guess_name("en-zh.esa.tsv")
    ('sysA', 'GTCOM', 'esa')
    >>> guess_name("GPT-4.en-de.txt"), guess_name("en-de.txt")
    ('GPT-4', 'en-de')
    """
    file_name = PurePosixPath(file).name
    task_file = task_name(file_name)
    if task_file is not None:
        return task_file.name or strip_ending(file_name) or file_name
    _, pair, label = without_pair(file_name)
    name = strip_ending(label)
    if pair:
        name = name.removesuffix(f".{pair}")
    return name or label


def guess_uploads(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, str]]:
    r"""Role and name of each file, from its name, the beginning of its content and the other names.

    >>> guess_uploads([("en-zh.refA.txt", b""), ("test.en", b""), ("GPT-4.zh", b"")])
    [('reference', 'refA'), ('source', 'test.en'), ('system', 'GPT-4.zh')]
    >>> guess_uploads([("A.run2.txt", b""), ("A.run1.txt", b""), ("B.run1.txt", b"")])
    [('training run', 'A'), ('system', 'A'), ('system', 'B.run1')]
    >>> guess_uploads([("scores.csv", b"model,sent_id,COMET\nmine,1,0.8\n")])
    [('scores', 'COMET')]
    >>> guess_uploads([("wave2.csv", b"a,A,1,TGT,eng,ces,90,test-en-news_1,False,[],1,2\n")])
    [('scores', 'ESA')]
    >>> guess_uploads([("out.txt", b""), ("out.txt", b"")])  # of two folders, which a browser does not tell
    [('system', 'out'), ('system', 'out (2)')]
    """
    pairs = {_find_set_and_pair(file)[1] for file, _ in files} - {""}
    source_endings = tuple(f".{pair.split('-')[0]}" for pair in pairs)
    roles = []
    names = []
    for file, content in files:
        table = None
        try:
            table = _read_table_of_texts(file, content)
            role = _guess_role(file, content, table)
        except CellError:  # the message comes when the file is read
            role = _BOTH
        if _is_aside(file, content, [name for name, _ in files]):
            role = "exclude"
        has_source_ending = file.removesuffix(".gz").endswith(source_endings)
        if role == "system" and has_source_ending and task_name(file) is None:
            role = "source"  # nothing says that it is an output, and it ends as the source would
        name = name_scores(content) if role == "scores" else _name_only_text(role, table)
        roles.append(role)
        names.append(name or guess_name(file))
    _mark_runs(roles, names)
    for role in ("system", "reference"):
        places = [k for k, file_role in enumerate(roles) if file_role == role]
        distinct = _number_repeated([names[k] for k in places])
        for k, name in zip(places, distinct, strict=True):
            names[k] = name
    return list(zip(roles, names, strict=True))


def take_as_guessed(files: Sequence[tuple[str, bytes]]) -> list[Upload]:
    """Files by their names and contents, each as what `guess_uploads` takes it for."""
    uploads = []
    for (file, content), (role, name) in zip(files, guess_uploads(files), strict=True):
        uploads.append(Upload(file, content, role, name))
    return uploads


def _guess_role(file: str, content: bytes, table: TextTable | None) -> str:
    """What a file most likely is, by its name, its beginning, and its texts if it has several."""
    fmt = sniff(cut_lines(content))
    named_role = find_role_word(file)
    task_file = task_name(PurePosixPath(file).name)
    if fmt is not None and fmt.scores:
        return "scores"  # some ratings come with their texts, but are sent for the ratings
    if table is not None and table.form == "parallel" and named_role == "documents":
        return "documents"  # domain<TAB>document id, so alike that they pass for two references
    if table is not None and (table.references or task_file is None):
        role = find_role(table)
        may_be_reference = bool(table.list_texts("reference")) and named_role == "reference"
        return "reference" if role == "system" and may_be_reference else role
    if fmt is not None and fmt.reads.get(SCORE_TABLE) is not None:
        return "scores"
    return named_role if task_file is None else task_file.role


def _is_aside(file: str, content: bytes, names: Collection[str]) -> bool:
    """Whether a file has published scores of systems, or is not read next to others."""
    return bool(explain_aside(file, names) or read_published_uploads([(file, content)]))


def find_role_word(file: str) -> str:
    """The role that a word in the name of a file says."""
    words = re.split(r"[^a-z0-9]+", PurePosixPath(file).name.lower())
    for role, pattern in _ROLE_WORDS.items():
        if any(re.fullmatch(pattern, word) for word in words):
            return role
    return "system"


def _name_only_text(role: str, table: TextTable | None) -> str | None:
    """The name in the file of its only text of this role."""
    if table is None or role not in ("system", "training run", "reference"):
        return None
    names = [*table.list_texts(role)]
    return names[0] if len(names) == 1 else None


def _mark_runs(roles: list[str], names: list[str]) -> None:
    """Give the runs of a system its name, and all but the first the role of a training run.

    Names such as A.run1 and A.run2 are runs if each has another number.
    """
    places_by_system: dict[str, dict[int, list[int]]] = {}
    for k, role in enumerate(roles):
        if role == "system":
            system, number = _split_run(names[k])
            places_by_system.setdefault(system, {}).setdefault(number, []).append(k)
    for system, places_by_number in places_by_system.items():
        places = [places for _, places in sorted(places_by_number.items())]
        if len(places) < 2 or any(len(same_number) > 1 for same_number in places):
            continue
        for position, [k] in enumerate(places):
            names[k] = system
            if position > 0:
                roles[k] = "training run"


def _split_run(name: str) -> tuple[str, int]:
    """The system, and the number of its training run: Tower and 2 of Tower.run2.

    The number is 0 where the name says none.
    """
    match = _RUN_NAME.fullmatch(name)
    return (name, 0) if match is None else (match[1], int(match[2]))


def sort_runs(runs: Iterable[Upload]) -> list[Upload]:
    """Training runs by their number, as run k of one system is swapped with run k of another."""
    return sorted(runs, key=lambda upload: _split_run(guess_name(upload.file))[1])


def _number_repeated(names: Sequence[str], *, are_files: bool = False) -> list[str]:
    """The same names, with a number for each that came before: out, out (2).

    The number of a file comes before its ending, which is cut off where a system is called by its
    file: out (2).jsonl.
    """
    used = set(names)
    distinct = list(names)
    for k, name in enumerate(names):
        if name not in names[:k]:
            continue
        stem = strip_ending(name) if are_files else name
        ending = name.removeprefix(stem)
        number = 2
        while f"{stem} ({number}){ending}" in used:
            number += 1
        distinct[k] = f"{stem} ({number}){ending}"
        used.add(distinct[k])
    return distinct


def _find_set_and_pair(file: str) -> tuple[str, str]:
    """The set and the language pair that the name of a file says; empty where it says none."""
    name = PurePosixPath(file).name
    task_file = task_name(name)
    if task_file is not None:
        return task_file.set, task_file.pair
    set_name, pair, _ = without_pair(name)
    return set_name, pair


def find_common_set(files: Iterable[str]) -> tuple[str, str]:
    """The set and the language pair that names of files agree on.

    Empty where none says one, or where the sets differ.
    """
    sets = set()
    files_by_pair: dict[str, list[str]] = {}
    for file in dict.fromkeys(files):
        set_name, pair = _find_set_and_pair(file)
        if set_name:
            sets.add(set_name)
        if pair:
            files_by_pair.setdefault(pair, []).append(show_name(file))
    if len(files_by_pair) > 1:
        examples = []
        for pair, names in files_by_pair.items():
            more = ", ..." if len(names) > 3 else ""
            examples.append(f"{pair} ({', '.join(names[:3])}{more})")
        raise InputError(
            f"The names are of {len(files_by_pair)} language pairs: {'; '.join(examples)}. Expected the "
            "files of one. Remove the others, and open them after these."
        )
    return sets.pop() if len(sets) == 1 else "", next(iter(files_by_pair), "")


def upload_name(files: Sequence[tuple[str, str, str]]) -> str:
    """Name a test set after its files, each with its role and name.

    The name is the name of the set in the file names, else their common beginning, else the names
    of the systems or scores in them.

    >>> upload_name([("wmt22.uk-en.ref.A.en", "reference", "refA"), ("mine.txt", "system", "mine")])
    'wmt22 uk-en'
    >>> upload_name([("news_ref.txt", "reference", "news_ref"), ("news_A.txt", "system", "news_A")])
    'news'
    >>> upload_name([("ref.txt", "reference", "ref"), ("A.txt", "system", "A"), ("B.de-en.txt", "system", "B")])
    'A vs. B de-en'
    >>> upload_name([("ratings.tsv", "scores", "ratings")])
    'ratings'
    """
    included = [upload for upload in files if upload[1] != "exclude"]
    set_name, pair = find_common_set(file for file, _, _ in included)
    if not set_name and len(included) > 1:
        beginning = os.path.commonprefix([PurePosixPath(file).name for file, _, _ in included])
        set_name = re.sub(r"[^\W_]*$", "", beginning, flags=re.DOTALL).strip(" ._-")
    if len(set_name) < _MIN_COMMON:
        names = [name for _, role, name in included if role == "system"]
        set_name = _join_names(names or [name for _, _, name in included])
    return f"{set_name} {pair}".strip() or "upload"


def _join_names(names: Sequence[str]) -> str:
    if len(names) == 2:
        return " vs. ".join(map(_shorten_name, names))
    joined = ", ".join(map(_shorten_name, names[:_MAX_NAMES]))
    if len(names) > _MAX_NAMES:
        joined += f" and {len(names) - _MAX_NAMES} more"
    return joined


def _shorten_name(name: str) -> str:
    return name if len(name) <= _MAX_LETTERS else f"{name[:_MAX_LETTERS]}..."


# What pages ask of single files.


def has_documents(file: str, content: bytes) -> bool:
    """Whether a file that holds several texts has their documents, too."""
    table = None
    with suppress(CellError):  # the message comes when the file is read
        table = _read_table_of_texts(file, content)
    return table is not None and table.documents is not None


def _read_table_of_texts(file: str, content: bytes) -> TextTable | None:
    """Read a file as a table of texts; None if the file is not a table or cannot be read as one.

    Raises CellError if a value among the texts is not a text.
    """
    try:
        with limit_reading(upload_limits()), read_uploaded({file: content}):
            return read_text_table_file(file)
    except CellError:
        raise
    except (InputError, SettingError):
        return None


def describe_table(upload: Upload, systems: Collection[str] = ()) -> ScoreColumns | None:
    """Describe the columns of a table of scores; None if the table cannot be read.

    The fault is reported when the table is read. `systems`: the systems of the uploaded texts.
    """
    with suppress(InputError, SettingError), _open_uploads([upload]) as (path,):
        return describe_columns(path, upload.name, systems)
    return None


def find_open_directions(
    uploads: Sequence[Upload],
    columns: Mapping[str, str] = MappingProxyType({}),
    langpair: str | None = None,
) -> dict[str, tuple[float, float]]:
    """The range of each table of scores of which the user must say whether higher is better.

    Empty where the tables cannot be read: the message comes when they are.
    """
    tables = [upload for upload in uploads if upload.role == "scores"]
    if not tables:
        return {}
    with suppress(InputError, SettingError), _open_uploads(tables) as paths:
        named_paths = [(upload.name, path) for upload, path in zip(tables, paths, strict=True)]
        return find_unsettled(named_paths, columns=columns, langpair=langpair)
    return {}


def set_directions(uploads: Iterable[Upload], directions: Mapping[str, str]) -> list[Upload]:
    """The uploads with the role that says which scores are better, higher or lower, by name."""
    changed = []
    for upload in uploads:
        if upload.role == "scores" and upload.name in directions:
            upload = replace(upload, role=f"scores, {directions[upload.name]} is better")
        changed.append(upload)
    return changed


def find_reference_language(uploads: Sequence[Upload]) -> str | None:
    """The language of the references if it is one of `SPACELESS`, by its script."""
    lines: list[str | None] = []
    with _open_uploads(uploads) as paths:
        for upload, path in zip(uploads, paths, strict=True):
            if upload.role not in ("reference", _BOTH):
                continue
            with suppress(InputError, SettingError):  # the message comes when the files are read
                table = read_text_table_file(path)
                if table is None:
                    lines += read_lines(path)
                else:
                    for texts in table.references.values():
                        lines += texts
    return find_spaceless(lines)


# From uploads to a TestSet.


def read_uploads(
    uploads: Sequence[Upload],
    *,
    name: str = "upload",
    langpair: str | None = None,
    **table_options: Any,
) -> TestSet:
    """A test set from uploaded texts, from tables of segment scores, or from both.

    `table_options`: further arguments of `read_scores` and `join_scores`.
    """
    included = [upload for upload in uploads if upload.role != "exclude"]
    with _open_uploads(included) as paths:
        files: dict[str, list[tuple[str, str]]] = {role: [] for role in ROLES}
        tables = []
        for upload, path in zip(included, paths, strict=True):
            files[upload.role].append((upload.name, path))
            if upload.role.startswith("scores"):
                tables.append((upload.name, path))
        directions = {
            "lower_is_better": {table for table, _ in files["scores, lower is better"]},
            "higher_is_better": {table for table, _ in files["scores, higher is better"]},
        }
        of_scores = {**directions, **table_options}
        both = [(None, path) for _, path in files[_BOTH]]
        references = [*files["reference"], *both]
        systems = [*files["system"], *both]
        if tables and len(tables) == len(included):
            return read_scores(tables, name=name, langpair=langpair, **of_scores)
        needs_references = not tables or bool(files["training run"] or files["parse"])
        if not systems or (needs_references and not references):
            if tables:
                with suppress(SettingError):  # a choice is asked for when all files are there
                    read_scores(tables, name=name, langpair=langpair, **of_scores)
            _refuse_missing_texts(files, systems)
        sources, documents, ids = (_find_only(files, role) for role in _SINGLE_ROLES)
        if ids is not None and not tables:
            raise InputError(
                f"{ids} contains segment ids, and there is no table of scores that could refer to them. Add "
                "one, or remove the ids."
            )
        path_by_upload = dict(zip(included, paths, strict=True))
        runs = [
            (upload.name, path_by_upload[upload])
            for upload in sort_runs(path_by_upload)
            if upload.role == "training run"
        ]
        testset = read_text(
            references,
            systems,
            sources=sources,
            documents=documents,
            parses=files["parse"],
            runs=runs,
            langpair=langpair,
            name=name,
            without_reference=True,
        )
        if not tables:
            return testset
        return drop_stand_in(join_scores(testset, tables, ids=ids, **of_scores))


def _refuse_missing_texts(
    files: Mapping[str, Sequence[tuple[str, str]]], systems: Sequence[object]
) -> None:
    """Raise InputError if no file is an output, or no file is a reference.

    Faults of single files are reported before this.
    """
    for role in _TEXT_ROLES:
        for _, path in files[role]:
            if read_text_table_file(path) is None:
                read_lines(path)
    if systems:
        raise InputError(
            "No reference among the files. Mark at least one of them as reference, or add scores of "
            "their segments."
        )
    role = "system" if files["reference"] else "reference"
    raise InputError(f"No {role} among the files. Mark at least one of them as {role}.")


def _find_only(files: Mapping[str, Sequence[tuple[str, str]]], role: str) -> str | None:
    """The file of a role of which there may be one."""
    paths = [path for _, path in files[role]]
    if len(paths) > 1:
        raise InputError(
            f"{len(paths)} files are marked as {role}: {', '.join(paths)}. Expected one at most."
        )
    return paths[0] if paths else None


def add_documents(testset: TestSet, file: str, content: bytes) -> TestSet:
    """The test set with the document ids, and perhaps the domains, of a file."""
    with _open_uploads([Upload(file, content, "documents", file)]) as (path,):
        documents, domains = read_documents(path)
    n_lines = len(documents or ())
    if n_lines != testset.n_segments:
        raise InputError(
            f"{show_name(file)} has {n_lines:,} lines, {show_name(testset.name)} has "
            f"{testset.n_segments:,} segments. Expected a document id for each segment."
        )
    return replace(testset, documents=documents, domains=domains or testset.domains)


@contextmanager
def _open_uploads(uploads: Sequence[Upload]) -> Iterator[list[str]]:
    """Names under which files can be read, within the limits of uploads.

    Files of the same name get a number.
    """
    names = []
    for upload in uploads:
        _, _, name = show_name(upload.file).replace("\\", "/").rpartition("/")
        names.append(name if name.strip(".") else "file")
    paths = _number_repeated(names, are_files=True)
    contents = {path: upload.content for path, upload in zip(paths, uploads, strict=True)}
    try:
        with limit_reading(upload_limits()), read_uploaded(contents):
            yield paths
    except SettingError as error:
        if not any("higher_is_better" in remedy for remedy in error.remedies):
            raise
        raise SettingError(
            f"{error} The roles 'scores, lower is better' and 'scores, higher is better' of its file "
            "do."
        ) from None
