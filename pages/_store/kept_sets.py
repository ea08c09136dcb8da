"""Test sets, shared tasks and tables of published scores in the database.

Each has a link that nobody can guess.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, StoreError
from mtsig_core.judgements import Annotation, AttentionCheck, ErrorSpan, Judgement, Judgements
from mtsig_core.source import Source, TaskSource
from mtsig_core.testset import SegmentScores, TestSet
from pages._store.database import Blob, Database

# of `pack`; one more whenever what it writes changes. 1 had sentences in place of assumptions
_FORMAT = 2
# Fields that came later: a set without them has the bytes that it had before
_ONLY_IF_ANY = ("runs", "judgements")
_SET = "test set"
_TABLE = "table"


@dataclass(frozen=True)
class Saved:
    """A test set, or a shared task, that is kept, as a list shows it."""

    link: str  # who knows it may open the set
    name: str
    digest: str
    size: int  # in bytes, packed
    n_segments: int
    n_systems: int
    source: Source  # what names the files on the command line
    created: float  # seconds since 1970
    used: float
    #: Of a shared task: the files of its zip that count, with the zip named without a folder; None
    #: of a test set.
    task: TaskSource | None = None
    pairs: tuple[str, ...] = ()  # of a shared task: its language pairs
    #: Of a shared task: the files in its zip that are not read, each with the reason.
    unread: tuple[tuple[str, str], ...] = ()


class SetStore:
    """The test sets and shared tasks of a database."""

    def __init__(self, database: Database):
        self.database = database

    def keep(self, testset: TestSet, owner: str, source: Source | None = None) -> str:
        """Keep all of a test set, or nothing; return its link.

        The same content of the same owner keeps its link, and takes the new name.

        Parameters
        ----------
        testset : TestSet
        owner : str
            A secret: who has it may list, rename and delete the set.
        source : Source, optional
            Names its files on the command line; it is not read.
        """
        about = {
            "n_segments": testset.n_segments,
            "n_systems": len(testset.systems),
            "source": (source or Source()).to_json(),
        }
        return self._keep(testset.name, owner, pack(testset), about)

    def keep_task(
        self,
        content: bytes,
        owner: str,
        source: TaskSource,
        pairs: Sequence[str],
        n_systems: int,
        unread: Sequence[tuple[str, str]] = (),
    ) -> str:
        """Keep the zip of a shared task; as `keep`, and with the arguments as `Saved` has them."""
        about = {"task": source.to_json(), "pairs": list(pairs), "unread": list(unread)}
        packed = json.dumps(about).encode() + b"\n" + content
        about |= {"n_segments": 0, "n_systems": n_systems}
        return self._keep(source.title, owner, packed, about)

    def _keep(self, name: str, owner: str, packed: bytes, about: Mapping[str, object]) -> str:
        return self.database.add(
            _SET, owner, packed, name=name, about=json.dumps(about), digest=_digest(packed)
        )

    def find(self, link: str) -> Saved | None:
        """Return the set of a link; None if it does not exist or has expired.

        The set counts as used.
        """
        blob = self.database.find(_SET, link)
        if blob is None:
            return None
        return _read_saved(blob)

    def load(self, saved: Saved) -> TestSet:
        """Return the test set itself, under the name it has now."""
        return unpack(self._read(saved), saved.name)

    def load_zip(self, saved: Saved) -> bytes:
        """Return the zip of a shared task."""
        _, _, content = self._read(saved).partition(b"\n")
        return content

    def _read(self, saved: Saved) -> bytes:
        packed = self.database.read(_SET, saved.link)
        if packed is None or _digest(packed) != saved.digest:
            kind = "test set" if saved.task is None else "shared task"
            raise StoreError(
                f"The kept {kind} {saved.name!r} is damaged in the database. Upload its files again."
            )
        return packed

    def has_content(self, digest: str) -> bool:
        """Return whether anybody still keeps something with this digest."""
        return self.database.has_content(_SET, digest)

    def list_owned(self, owner: str) -> list[Saved]:
        """Return the sets of an owner, the newest first."""
        return [_read_saved(blob) for blob in self.database.list_owned(_SET, owner)]

    def rename(self, link: str, owner: str, name: str) -> bool:
        """Rename a set of this owner; False if the owner has no such set."""
        return self.database.rename(_SET, link, owner, name)

    def delete(self, link: str, owner: str) -> bool:
        """Delete a set of this owner; False if the owner has no such set."""
        return self.database.delete(_SET, link, owner)


class TableStore:
    """The tables of published scores of a database."""

    def __init__(self, database: Database):
        self._database = database

    def keep(self, text: str, about: str, owner: str) -> str:
        """Keep a table; return its link.

        The same text about the same test set or task of the same owner keeps its link.
        """
        content = text.encode("utf-8", "backslashreplace")
        digest = _digest(about.encode("utf-8", "backslashreplace") + b"\n" + content)
        return self._database.add(_TABLE, owner, content, about=about, digest=digest)

    def find(self, link: str, about: str) -> str | None:
        """Return the text behind a link; None if no such text exists for `about`, or it expired."""
        blob = self._database.find(_TABLE, link)
        if blob is None or blob.about != about:
            return None
        content = self._database.read(_TABLE, link)
        if content is None:
            return None
        return content.decode()


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _read_saved(blob: Blob) -> Saved:
    about = json.loads(blob.about)
    source = Source()
    with suppress(InputError):  # earlier versions had no source; others need not be read
        source = Source.from_json(about.get("source", "{}"))
    task = None
    if "task" in about:
        task = TaskSource.from_json(about["task"])
    return Saved(
        blob.link,
        blob.name,
        blob.digest or "",
        blob.size,
        about["n_segments"],
        about["n_systems"],
        source,
        blob.created,
        blob.used,
        task,
        tuple(about.get("pairs", ())),
        tuple((file, reason) for file, reason in about.get("unread", ())),
    )


# -- a test set as bytes --------------------------------------------------------------------------


def pack(testset: TestSet) -> bytes:
    """Write all of a test set except its name; the same content gives the same bytes."""
    content: dict[str, Any] = {"format": _FORMAT}
    for field in fields(TestSet):
        value = getattr(testset, field.name)
        if field.name == "name" or (field.name in _ONLY_IF_ANY and not value):
            continue
        if isinstance(value, Mapping):
            value = dict(value)
        content[field.name] = value
    content["scores"] = {
        metric: [dict(scores.by_system), scores.higher_is_better]
        for metric, scores in testset.scores.items()
    }
    content["assumed"] = [
        [assumption.code, dict(assumption.facts)] for assumption in testset.assumed
    ]
    if testset.judgements is not None:
        content["judgements"] = _write_judgements(testset.judgements)
    return zlib.compress(json.dumps(content, separators=(",", ":")).encode(), 6)


def unpack(packed: bytes, name: str) -> TestSet:
    """Return the test set that `pack` wrote, under a name."""
    content = json.loads(zlib.decompress(packed))
    field_names = {field.name for field in fields(TestSet)}
    if content.pop("format") > _FORMAT or not content.keys() <= field_names:
        raise StoreError(
            f"The kept test set {name!r} was saved by a newer version of mtsig. Update this one."
        )
    try:
        content["scores"] = {
            metric: SegmentScores(*values) for metric, values in content["scores"].items()
        }
        content["assumed"] = [_read_assumption(value) for value in content.get("assumed", ())]
        if content.get("judgements"):
            content["judgements"] = _read_judgements(content["judgements"])
        return TestSet(name, **content)
    except (InputError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"The kept test set {name!r} was saved by another version of mtsig, and this one cannot read "
            "it. Upload its files again."
        ) from error


def _read_assumption(value: str | Sequence[Any]) -> Assumption:
    if isinstance(value, str):  # of the first format
        return Assumption("as-written", {"text": value})
    return Assumption(*value)


def _write_judgements(judgements: Judgements) -> dict[str, Any]:
    return {field.name: getattr(judgements, field.name) for field in fields(Judgements)}


def _read_judgements(content: dict[str, Any]) -> Judgements:
    rows = []
    for *values, spans in content["rows"]:
        rows.append(Judgement(*values, tuple(ErrorSpan(*span) for span in spans)))
    return Judgements(
        content["metric"],
        tuple(rows),
        tuple(Annotation(*values) for values in content["annotations"]),
        tuple(AttentionCheck(*values) for values in content["checks"]),
        content["is_campaign"],
    )
