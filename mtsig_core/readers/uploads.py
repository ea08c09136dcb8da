"""Files that come as bytes, from a browser: what each may be, and from all of them a TestSet."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from mtsig_core.errors import InputError, SettingError
from mtsig_core.languages import find_spaceless
from mtsig_core.readers.cells import CellError
from mtsig_core.readers.document_ids import read_documents
from mtsig_core.readers.files import (
    DAMAGE,
    FilePath,
    find_packer,
    is_archive,
    is_file,
    list_archive,
    open_file,
    read_uploaded,
    unpack,
)
from mtsig_core.readers.formats import FOLDER, SCORE_TABLE, sniff, strip_ending
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.lines import read_lines, read_text_table_file
from mtsig_core.readers.score_columns import ScoreColumns, describe_columns
from mtsig_core.readers.score_tables import cut_lines, name_scores
from mtsig_core.readers.scores import find_unsettled, join_scores, read_rated_outputs, read_scores
from mtsig_core.readers.tasks import is_task
from mtsig_core.readers.text_tables import TextTable, find_role
from mtsig_core.readers.texts import read_text
from mtsig_core.readers.wmt import task_name, without_pair
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
_PLAIN = ("system", "training run", "reference", "source")
_SINGLE = ("source", "documents", "segment ids")
_RUN = re.compile(r"(.+)[._-]run[_-]?(\d{1,4})", re.IGNORECASE | re.DOTALL)
_SIGNS = (
    ("parse", r"conllu?|parses?|parsed"),
    ("segment ids", r"ids|segids?"),
    ("documents", r"docs?|documents?|docids?"),
    ("scores", r"scores?|ratings?|comet|esa|mqm|tsv|csv|parquet|jsonl?"),
    ("source", r"src|sources?"),
    ("reference", r"refs?|references?|ref[a-z0-9]?|human|gold"),
)
_TELLING, _NAMED, _LONG = (
    3,
    3,
    30,
)  # letters that a common beginning has; systems in a name, and letters of each


@dataclass(frozen=True)
class Upload:
    """One file: its own name, its content, and what it is to be."""

    file: str
    content: bytes
    role: str  # one of `ROLES`
    # what the system, the reference or the scores are called; of a training run, the system that it
    # is of
    name: str


def holds_files(content: bytes) -> bool:
    """Whether a file is an archive of others, a zip or a packed tar, by its content."""
    file = io.BufferedReader(io.BytesIO(content))
    with suppress(*DAMAGE, OSError):
        fmt = sniff(content if find_packer(file) is None else next(unpack(file), b""))
        return fmt is not None and FOLDER in fmt.reads
    return False


def list_flat_files(archive: FilePath) -> list[tuple[str, bytes]]:
    """The files of an archive that is no shared task and has a reference, or scores; empty of
    another.
    """
    if not is_archive(archive) or is_task(archive):
        return []
    files = [(path.name, open_file(path).read()) for path in list_archive(archive) if is_file(path)]
    told = {role.partition(",")[0] for role, _ in guess_uploads(files)}
    return files if told & {"reference", _BOTH, "scores"} else []


def list_members(archive: FilePath) -> list[tuple[str, bytes]]:
    """All files of an archive, by their places in it."""
    root = Path(archive)
    return [
        (path.relative_to(root).as_posix(), open_file(path).read())
        for path in list_archive(archive)
        if is_file(path)
    ]


def pack_files(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip of files by their places, the same for the same files.

    Raises InputError where two of one place differ.
    """
    placed: dict[str, bytes] = {}
    for place, content in files:
        if placed.setdefault(place, content) != content:
            raise InputError(
                f"{show_name(place)} is there twice, and the two differ. Remove one of them."
            )
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for place, content in placed.items():
            archive.writestr(ZipInfo(place), content, ZIP_DEFLATED)
    return out.getvalue()


#: Where a text of a language pair lies in the folder of a task, by its role.
_PLACES = {
    "reference": "references/{pair}.{name}.txt",
    "system": "system-outputs/{pair}/{name}.txt",
    "source": "sources/{pair}.txt",
    "documents": "documents/{pair}.docs",
}


def arrange_task(
    files: Sequence[tuple[str, bytes]], roles: Sequence[str]
) -> list[tuple[str, bytes]]:
    """Texts whose names say several language pairs, with tables of scores, as the files of a task;
    empty of others.

    >>> files = [("en-de.refA.txt", b""), ("A.en-de.txt", b""), ("en-cs.refA.txt", b""), ("A.en-cs.txt", b"")]
    >>> [place for place, _ in arrange_task(files, ["reference", "system"] * 2)]  # doctest: +NORMALIZE_WHITESPACE
    ['references/en-de.refA.txt', 'system-outputs/en-de/A.txt', 'references/en-cs.refA.txt',
     'system-outputs/en-cs/A.txt']
    >>> arrange_task(files[:2], ["reference", "system"])
    []
    """
    placed: dict[str, bytes] = {}
    pairs = set()
    for (file, content), role in zip(files, roles, strict=True):
        of_set, pair = _set_and_pair(file)
        place = PurePosixPath(file).name
        if not role.startswith("scores"):
            if role not in _PLACES or not pair:
                return []
            place = _PLACES[role].format(pair=pair, name=guess_name(file))
            pairs.add((of_set, pair))
        if place in placed:
            return []
        placed[place] = content
    has_one_set_each = len(pairs) == len({pair for _, pair in pairs})
    return list(placed.items()) if len(pairs) > 1 and has_one_set_each else []


def are_documents(files: Iterable[tuple[str, bytes]], roles: Iterable[str]) -> bool:
    """Whether files are documents of WMT25, each of all language pairs, perhaps with tables of
    scores.
    """
    forms = []
    for (_, content), role in zip(files, roles, strict=True):
        if not role.startswith("scores"):
            fmt = sniff(cut_lines(content))
            forms.append("" if fmt is None else fmt.name)
    return set(forms) == {"wmt25-texts"}


def _guess_role(file: str, content: bytes, table: TextTable | None) -> str:
    """What a file of that name, with that beginning, and with these texts if it holds several, most
    likely is.
    """
    fmt = sniff(cut_lines(content))
    if (
        fmt is not None and fmt.scores
    ):  # ratings come with their texts in some forms, and are what they are sent for
        return "scores"
    if table is not None and table.form == "parallel" and _find_sign(file) == "documents":
        # domain<TAB>document id, in letters so alike that they pass for two references
        return "documents"
    if table is not None and (table.references or task_name(PurePosixPath(file).name) is None):
        may_be_reference = bool(table.list_texts("reference")) and _find_sign(file) == "reference"
        return (
            "reference" if find_role(table) == "system" and may_be_reference else find_role(table)
        )
    if fmt is not None and fmt.reads.get(SCORE_TABLE) is not None:
        return "scores"
    if (found := task_name(PurePosixPath(file).name)) is not None:
        return found.role
    return _find_sign(file)


def _find_sign(file: str) -> str:
    """The role that a word in the name of a file says."""
    words = re.split(r"[^a-z0-9]+", PurePosixPath(file).name.lower())
    for role, pattern in _SIGNS:
        if any(re.fullmatch(pattern, word) for word in words):
            return role
    return "system"


def has_documents(file: str, content: bytes) -> bool:
    """Whether a file that holds several texts has their documents, too."""
    table = None
    with suppress(CellError):  # which is told once the file is to be opened
        table = _read_table_of_texts(file, content)
    return table is not None and table.documents is not None


def _read_table_of_texts(file: str, content: bytes) -> TextTable | None:
    """The texts of a file that holds several; None of another, and of one that cannot be read so.

    Raises CellError of texts among which a value is none.
    """
    try:
        with limit_reading(upload_limits()), read_uploaded({file: content}):
            return read_text_table_file(file)
    except CellError:
        raise
    except (InputError, SettingError):
        return None


def describe_table(upload: Upload, systems: Collection[str] = ()) -> ScoreColumns | None:
    """The columns of a table of scores; None of one that cannot be read, which is told once it is
    to be opened. `systems`: those of the texts beside it.
    """
    with suppress(InputError, SettingError), _open_uploads([upload]) as (path,):
        return describe_columns(path, upload.name, systems)
    return None


def find_open_directions(
    uploads: Sequence[Upload],
    columns: Mapping[str, str] = MappingProxyType({}),
    langpair: str | None = None,
) -> dict[str, tuple[float, float]]:
    """The names of scores of which it has to be asked whether higher or lower is better, with the
    range of each; empty where the tables cannot be read, which is told once they are to be
    opened.
    """
    tables = [upload for upload in uploads if upload.role == "scores"]
    if not tables:
        return {}
    with suppress(InputError, SettingError), _open_uploads(tables) as paths:
        named = [(upload.name, path) for upload, path in zip(tables, paths, strict=True)]
        return find_unsettled(named, columns=columns, langpair=langpair)
    return {}


def tell_directions(uploads: Iterable[Upload], directions: Mapping[str, str]) -> list[Upload]:
    """The uploads with the role that says which scores are better, where it is told by name: higher
    or lower.
    """
    return [
        replace(upload, role=f"scores, {directions[upload.name]} is better")
        if upload.role == "scores" and upload.name in directions
        else upload
        for upload in uploads
    ]


def guess_name(file: str) -> str:
    """The name of a file without its endings, nor what the names of a shared task have around it.

    >>> guess_name("outputs/sysA.txt.gz"), guess_name("generaltest2022.uk-en.hyp.GTCOM.en"), guess_name("en-zh.esa.tsv")
    ('sysA', 'GTCOM', 'esa')
    >>> guess_name("GPT-4.en-de.txt"), guess_name("en-de.txt")
    ('GPT-4', 'en-de')
    """
    name = PurePosixPath(file).name
    found = task_name(name)
    if found is not None and found.name:
        return found.name
    _, pair, name = ("", "", name) if found else without_pair(name)
    plain = strip_ending(name)
    return (plain.removesuffix(f".{pair}") if pair else plain) or name


def guess_uploads(files: Sequence[tuple[str, bytes]]) -> list[tuple[str, str]]:
    """Role and name of each file, from its name, the beginning of its content, and what the other
    names say.

    >>> guess_uploads([("en-zh.refA.txt", b""), ("test.en", b""), ("GPT-4.zh", b"")])
    [('reference', 'refA'), ('source', 'test.en'), ('system', 'GPT-4.zh')]
    >>> guess_uploads([("A.run2.txt", b""), ("A.run1.txt", b""), ("B.run1.txt", b"")])
    [('training run', 'A'), ('system', 'A'), ('system', 'B.run1')]
    >>> guess_uploads([("scores.csv", b"model,sent_id,COMET\\nmine,1,0.8\\n")])
    [('scores', 'COMET')]
    >>> guess_uploads([("wave2.csv", b"a,A,1,TGT,eng,ces,90,test-en-news_1,False,[],1,2\\n")])
    [('scores', 'ESA')]
    >>> guess_uploads([("out.txt", b""), ("out.txt", b"")])  # of two folders, which a browser does not tell
    [('system', 'out'), ('system', 'out (2)')]
    """
    tables = []
    roles = []
    for file, content in files:
        table = None
        try:
            table = _read_table_of_texts(file, content)
            roles.append(_guess_role(file, content, table))
        except CellError:  # which is told once the file is to be opened
            roles.append(_BOTH)
        tables.append(table)
    pairs = {_set_and_pair(file)[1] for file, _ in files} - {""}
    origins = tuple(f".{pair.split('-')[0]}" for pair in pairs)
    for k, (file, _) in enumerate(
        files
    ):  # nothing says that it is an output, and it ends as the sources would
        if (
            roles[k] == "system"
            and task_name(file) is None
            and file.removesuffix(".gz").endswith(origins)
        ):
            roles[k] = "source"
    names = [
        (name_scores(content) if role == "scores" else _name_text(role, table)) or guess_name(file)
        for (file, content), role, table in zip(files, roles, tables, strict=True)
    ]
    outputs = {k: _find_run(name) for k, name in enumerate(names) if roles[k] == "system"}
    for name in dict.fromkeys(name for name, _ in outputs.values()):
        first, *further = sorted(
            (k for k in outputs if outputs[k][0] == name), key=lambda k: outputs[k][1]
        )
        if further and len({outputs[k][1] for k in (first, *further)}) > len(
            further
        ):  # each has its own number
            for k in (first, *further):
                names[k] = name
            for k in further:
                roles[k] = "training run"
    for role in ("system", "reference"):
        alike = [k for k in range(len(files)) if roles[k] == role]
        for k, name in zip(alike, _tell_apart([names[k] for k in alike]), strict=True):
            names[k] = name
    return list(zip(roles, names, strict=True))


def _name_text(role: str, table: TextTable | None) -> str | None:
    """What a file that may hold several texts calls its only one of this role."""
    own = [] if table is None or role not in _PLAIN[:3] else [*table.list_texts(role)]
    return own[0] if len(own) == 1 else None


def _tell_apart(names: Sequence[str], *, are_files: bool = False) -> list[str]:
    """The same names, each that came before with a number: out, out (2).

    Of files it stands before the ending, which is cut off where a system is called by its file: out
    (2).jsonl.
    """
    taken, told = set(names), list(names)
    for k, name in enumerate(names):
        if name not in names[:k]:
            continue
        stem = strip_ending(name) if are_files else name
        ending = name.removeprefix(stem)
        numbered = (f"{stem} ({n}){ending}" for n in count(2))
        told[k] = next(other for other in numbered if other not in taken)
        taken.add(told[k])
    return told


def _find_run(name: str) -> tuple[str, int]:
    """The system, and the number of its training run, 0 where the name says none: Tower and 2 of
    Tower.run2.
    """
    found = _RUN.fullmatch(name)
    return (found[1], int(found[2])) if found else (name, 0)


def named_alike(files: Iterable[str]) -> tuple[str, str]:
    """The set and the language pair that names of files agree on; empty where none says one, or
    where the sets differ.
    """
    said = {file: _set_and_pair(file) for file in files}
    by_pair: dict[str, list[str]] = {}
    for file, (_, pair) in said.items():
        by_pair.setdefault(pair, []).append(show_name(file))
    by_pair.pop("", None)
    if len(by_pair) > 1:
        listed = "; ".join(
            f"{pair} ({', '.join(named[:3])}{', ...' if len(named) > 3 else ''})"
            for pair, named in by_pair.items()
        )
        raise InputError(
            f"The names are of {len(by_pair)} language pairs: {listed}. Expected the files of one. "
            "Remove the others, and open them after these."
        )
    sets = {name for name, _ in said.values()} - {""}
    return sets.pop() if len(sets) == 1 else "", next(iter(by_pair), "")


def upload_name(files: Sequence[tuple[str, str, str]]) -> str:
    """What a test set is called that comes from some files, each with its role and name: as the
    files say, else by what their names begin with alike, else by the systems, or scores, in them.

    >>> upload_name([("wmt22.uk-en.ref.A.en", "reference", "refA"), ("mine.txt", "system", "mine")])
    'wmt22 uk-en'
    >>> upload_name([("news_ref.txt", "reference", "news_ref"), ("news_A.txt", "system", "news_A")])
    'news'
    >>> upload_name([("ref.txt", "reference", "ref"), ("A.txt", "system", "A"), ("B.de-en.txt", "system", "B")])
    'A, B de-en'
    >>> upload_name([("ratings.tsv", "scores", "ratings")])
    'ratings'
    """
    files = [one for one in files if one[1] != "exclude"]
    of_set, pair = named_alike(file for file, *_ in files)
    if not of_set:
        alike = (
            os.path.commonprefix([PurePosixPath(file).name for file, *_ in files])
            if len(files) > 1
            else ""
        )
        of_set = re.sub(r"[^\W_]*$", "", alike, flags=re.DOTALL).strip(" ._-")
    if len(of_set) < _TELLING:
        names = [name for _, role, name in files if role == "system"] or [
            name for *_, name in files
        ]
        more = f" and {len(names) - _NAMED} more" * (len(names) > _NAMED)
        of_set = (
            ", ".join(
                name if len(name) <= _LONG else f"{name[:_LONG]}..." for name in names[:_NAMED]
            )
            + more
        )
    return f"{of_set} {pair}".strip() or "upload"


def reference_language(uploads: Sequence[Upload]) -> str | None:
    """The language of the references if it is one of `SPACELESS`, by its script."""
    lines = []
    with _open_uploads(uploads) as paths:
        for upload, path in zip(uploads, paths, strict=True):
            if upload.role in ("reference", _BOTH):
                with suppress(
                    InputError, SettingError
                ):  # what is wrong is said once the files are to be opened
                    table = read_text_table_file(path)
                    lines += (
                        read_lines(path)
                        if table is None
                        else [text for texts in table.references.values() for text in texts if text]
                    )
    return find_spaceless(lines)


def _set_and_pair(file: str) -> tuple[str, str]:
    name = PurePosixPath(file).name
    found = task_name(name)
    return (found.set, found.pair) if found else without_pair(name)[:2]


def read_uploads(
    uploads: Sequence[Upload],
    *,
    name: str = "upload",
    langpair: str | None = None,
    **of_tables: Any,
) -> TestSet:
    """A test set from uploaded plain-text files, from tables of segment scores, or from both.

    `of_tables`: further arguments of `read_scores` and `join_scores`.
    """
    uploads = [upload for upload in uploads if upload.role != "exclude"]
    with _open_uploads(uploads) as paths:
        path_of = list(zip(uploads, paths, strict=True))
        files = {
            role: [(upload.name, path) for upload, path in path_of if upload.role == role]
            for role in ROLES
        }
        both = [(None, path) for _, path in files[_BOTH]]
        references, systems = [*files["reference"], *both], [*files["system"], *both]
        tables = [
            (upload.name, path) for upload, path in path_of if upload.role.startswith("scores")
        ]
        lower, higher = (
            {own for own, _ in files[f"scores, {which} is better"]} for which in ("lower", "higher")
        )
        if len(tables) == len(uploads) > 0:
            return read_scores(
                tables, lower, name=name, higher_is_better=higher, langpair=langpair, **of_tables
            )
        if (
            systems
            and tables
            and not references
            and not files["training run"]
            and not files["parse"]
        ):
            sources, documents, ids = (_find_only(files, role) for role in _SINGLE)
            return read_rated_outputs(
                systems,
                tables,
                lower,
                sources=sources,
                documents=documents,
                ids=ids,
                name=name,
                higher_is_better=higher,
                langpair=langpair,
                **of_tables,
            )
        if not (references and systems):  # what is wrong with the files is told first
            with suppress(SettingError):  # what is to be chosen is asked once all files are there
                _ = tables and read_scores(
                    tables,
                    lower,
                    name=name,
                    higher_is_better=higher,
                    langpair=langpair,
                    **of_tables,
                )
            for role in _PLAIN:
                _ = [read_text_table_file(path) or read_lines(path) for _, path in files[role]]
        for role, given in (("reference", references), ("system", systems)):
            if not given:
                more = (
                    ", or add scores of their segments" if role == "reference" and systems else ""
                )
                raise InputError(
                    f"No {role} among the files. Mark at least one of them as {role}{more}."
                )
        sources, documents, ids = (_find_only(files, role) for role in _SINGLE)
        if ids is not None and not tables:
            raise InputError(
                f"{ids} holds segment ids, and there is no table of scores that could refer to them. Add "
                "one, or leave the ids out."
            )
        place = dict(path_of)
        runs = [
            (upload.name, place[upload])
            for upload in in_order(place)
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
        )
        return (
            testset
            if not tables
            else join_scores(testset, tables, lower, ids=ids, higher_is_better=higher, **of_tables)
        )


def _find_only(files: Mapping[str, Sequence[tuple[str, str]]], role: str) -> str | None:
    """The file of a role of which there may be one."""
    paths = [path for _, path in files[role]]
    if len(paths) > 1:
        raise InputError(
            f"{len(paths)} files are marked as {role}: {', '.join(paths)}. Expected one at most."
        )
    return paths[0] if paths else None


def add_documents(testset: TestSet, file: str, content: bytes) -> TestSet:
    """The test set with the document ids, and perhaps the domains, of a file with a line for each
    segment.
    """
    with _open_uploads([Upload(file, content, "documents", file)]) as (path,):
        documents, domains = read_documents(path)
    if len(documents) != testset.n_segments:
        raise InputError(
            f"{show_name(file)} has {len(documents):,} lines, {show_name(testset.name)} has "
            f"{testset.n_segments:,} segments. Expected a document id for each segment."
        )
    return replace(testset, documents=documents, domains=domains or testset.domains)


def in_order(runs: Iterable[Upload]) -> list[Upload]:
    """Training runs by their number, as run k of one system is swapped with run k of the other."""
    return sorted(runs, key=lambda upload: _find_run(guess_name(upload.file))[1])


@contextmanager
def _open_uploads(uploads: Sequence[Upload]) -> Iterator[list[str]]:
    """Names under which files can be read, within the limits of uploads: a number tells apart two
    of one name.
    """
    names = (show_name(upload.file).replace("\\", "/").rpartition("/")[2] for upload in uploads)
    paths = _tell_apart([name if name.strip(".") else "file" for name in names], are_files=True)
    try:
        with (
            limit_reading(upload_limits()),
            read_uploaded(
                {path: upload.content for path, upload in zip(paths, uploads, strict=True)}
            ),
        ):
            yield paths
    except SettingError as error:
        if not any("higher_is_better" in remedy for remedy in error.remedies):
            raise
        raise SettingError(
            f"{error} The roles 'scores, lower is better' and 'scores, higher is better' of its file "
            "do."
        ) from None
