"""Files that come as bytes, from a browser: what each may be, and from all of them a TestSet."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from mtsig_core.errors import InputError
from mtsig_core.readers.lines import shown
from mtsig_core.readers.score_tables import join_scores, read_scores
from mtsig_core.readers.text import read_text
from mtsig_core.readers.wmt import language_pairs, read_wmt
from mtsig_core.testset import TestSet

__all__ = ["ROLES", "Upload", "guess_role", "guess_name", "read_uploads", "zip_language_pairs", "read_zip"]

ROLES = ("system", "reference", "documents", "source", "scores", "scores, lower is better", "segment ids", "parse",
         "leave out")
MAX_UNPACKED = 1 << 30  # bytes in all
MAX_FILES = 10_000

_SIGNS = (("parse", r"conllu?|parses?|parsed"), ("segment ids", r"ids|segids?"),
          ("documents", r"docs?|documents?|docids?"),
          ("scores", r"scores?|ratings?|comet|esa|mqm|tsv|csv|parquet|jsonl?"),
          ("source", r"src|sources?"), ("reference", r"refs?|references?|ref[a-z0-9]?|human|gold"))
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Upload:
    """One file: its own name, its content, and what it is to be.

    Attributes
    ----------
    file : str
    content : bytes
    role : str
        One of `ROLES`.
    name : str
        What the system, the reference or the scores are called.
    """

    file: str
    content: bytes
    role: str
    name: str


def guess_role(file: str, content: bytes = b"") -> str:
    """What a file of that name, and with that beginning, most likely is.

    >>> [guess_role(name) for name in ("en-de.refA.txt", "docs.txt", "news.src.en", "GPT-4.txt", "human.tsv")]
    ['reference', 'documents', 'source', 'system', 'scores']
    >>> guess_role("human.txt", b"system,line,score")
    'scores'
    """
    header = re.split(rb"[\t,;]", content[:1000].partition(b"\n")[0].lower().replace(b'"', b""))
    if {b"system", b"score"} <= {cell.strip() for cell in header}:
        return "scores"
    words = re.split(r"[^a-z0-9]+", PurePosixPath(file).name.lower())
    for role, pattern in _SIGNS:
        if any(re.fullmatch(pattern, word) for word in words):
            return role
    return "system"


def guess_name(file: str) -> str:
    """The name of a file without its endings.

    >>> guess_name("outputs/sysA.txt.gz")
    'sysA'
    """
    name = PurePosixPath(file).name
    return re.sub(r"(\.(txt|conllu|tsv|csv|jsonl?|parquet))?(\.gz)?$", "", name) or name


def read_uploads(uploads: Sequence[Upload], *, name: str = "upload", langpair: str | None = None) -> TestSet:
    """A test set from uploaded plain-text files, from tables of segment scores, or from both.

    Raises
    ------
    InputError
        As `read_text` and `join_scores`, naming the files as they were uploaded; or if there is no reference, no
        system, or more than one file of documents, sources or ids. Scores may come without texts.
    """
    groups = {role: [upload for upload in uploads if upload.role == role] for role in ROLES}
    scores = [upload for upload in uploads if upload.role.startswith("scores")]
    lower = {upload.name for upload in groups["scores, lower is better"]}
    texts = [upload for upload in uploads if upload not in scores and upload.role != "leave out"]
    if scores and not texts:
        return _in_folder(lambda folder: read_scores(
            [(upload.name, _save(folder, k, upload)) for k, upload in enumerate(scores)], lower, name=name))
    if not groups["reference"]:
        raise InputError("No reference among the files. Mark at least one of them as reference.")
    if not groups["system"]:
        raise InputError("No system among the files. Mark at least one of them as system.")
    single = ("documents", "source", "segment ids")
    for role in single:
        if len(groups[role]) > 1:
            raise InputError(f"{len(groups[role])} files are marked as {role}: "
                             f"{', '.join(shown(upload.file) for upload in groups[role])}. Expected one at most.")

    if groups["segment ids"] and not scores:
        raise InputError(f"{shown(groups['segment ids'][0].file)} holds segment ids, and there is no table of scores "
                         "that could refer to them. Add one, or leave the ids out.")

    def read(folder):
        paths = {upload: _save(folder, k, upload) for k, upload in enumerate(uploads)}
        named = {role: [(upload.name, paths[upload]) for upload in group] for role, group in groups.items()}
        path = {role: named[role][0][1] if named[role] else None for role in single}
        testset = read_text(named["reference"], named["system"], sources=path["source"],
                            documents=path["documents"], parses=named["parse"], langpair=langpair, name=name)
        tables = [(upload.name, paths[upload]) for upload in scores]
        return join_scores(testset, tables, lower, ids=path["segment ids"]) if tables else testset

    return _in_folder(read)


def zip_language_pairs(content: bytes) -> list[str]:
    """The language pairs of a zipped shared-task folder; raises InputError where it is damaged or none."""
    return _in_folder(lambda folder: language_pairs(_unpack(content, folder)))


def read_zip(content: bytes, langpair: str) -> TestSet:
    """One language pair of a zipped shared-task folder."""
    return _in_folder(lambda folder: read_wmt(_unpack(content, folder), langpair))


def _in_folder(work: Callable[[Path], _Result]) -> _Result:
    """Do some work in a folder that is gone afterwards, and keep its path out of messages."""
    with tempfile.TemporaryDirectory(prefix="mtsig-") as temporary:
        try:
            return work(Path(temporary))
        except InputError as error:
            raise InputError(re.sub(re.escape(temporary) + r"/(\d+/|zip/?)?", "", str(error))) from None


def _save(folder, number, upload):
    """A place of its own for each file: two may have the same name, and no name may lead elsewhere."""
    path = folder / str(number) / (PurePosixPath(upload.file.replace("\\", "/")).name[-200:] or "file")
    path.parent.mkdir()
    path.write_bytes(upload.content)
    return path


def _unpack(content, folder):
    """Unpack an archive below `folder`; the folder in it that holds references/."""
    root = folder / "zip"
    root.mkdir()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            size = sum(member.file_size for member in members)
            if len(members) > MAX_FILES or size > MAX_UNPACKED:
                raise InputError(f"The zip archive holds {len(members)} files of {size >> 20} MB in all; at most "
                                 f"{MAX_FILES} files and {MAX_UNPACKED >> 20} MB are read. Zip one task alone.")
            for member in members:
                archive.extract(member, root)  # which drops .. and leading slashes
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise InputError(f"The zip archive cannot be read: {error}. "
                         "Zip the folder again, without a password.") from None
    holders = [path.parent for path in root.rglob("references") if path.is_dir()]
    holders.sort(key=lambda path: len(path.parts))
    return holders[0] if holders else root
