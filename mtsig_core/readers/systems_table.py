"""Read what a shared task publishes on its systems: a table of systems, or WMT25's metadata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from mtsig_core.errors import InputError
from mtsig_core.readers.cells import read_field, to_name, to_text
from mtsig_core.readers.files import FilePath, check_regular, exists, list_paths
from mtsig_core.readers.formats import SYSTEMS_TABLE
from mtsig_core.readers.json_tables import read_records
from mtsig_core.readers.limits import parse_bounded_json
from mtsig_core.readers.lines import read_lines
from mtsig_core.task import SYSTEM_KINDS, SYSTEM_ROLES, SystemInfo
from mtsig_core.testset import show_name

# ``systems.tsv`` in the folder of a task, or a file of another name. Its header needs only ``system``; cells may be
# empty. Lines before it may name the metric that decides, and the announced rank rule::
#
#     # metric: XCOMET-XL
#     # rank rule: wmt25
#     system<TAB>constrained<TAB>role<TAB>kind<TAB>name

SYSTEMS_FILE = "systems.tsv"
METADATA_FILE = "systems_metadata.json"
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}
#: What the cells of a column may be.
_CELLS: Mapping[str, Collection[str]] = {
    "constrained": _YES_NO,
    "role": (*SYSTEM_ROLES, ""),
    "kind": (*SYSTEM_KINDS, ""),
}
_COLUMNS = {"system", *_CELLS, "name", "unsupported"}


@dataclass(frozen=True)
class SystemsTable:
    """The information of a task's table on each system, the deciding metric and the rank rule."""

    systems: Mapping[str, SystemInfo] = field(default_factory=dict)
    primary: str | None = None
    rank_rule: str | None = None

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The systems that were withdrawn."""
        return tuple(name for name, info in self.systems.items() if info.role == "withdrawn")


def find_systems(folder: FilePath | None, table: FilePath | None = None) -> SystemsTable:
    """Return the named table of systems, else the topmost table in a task's folder or zip.

    The table is empty if the task has no table of systems.
    """
    if table is not None:
        return read_systems(table)
    if folder is not None:
        for path in list_paths(folder):
            if path.name == SYSTEMS_FILE:
                return read_systems(check_regular(path))
    return SystemsTable()


def read_systems(path: FilePath) -> SystemsTable:
    """Read a table of systems; missing information on a system is inferred from its name."""
    lines = read_lines(path, SYSTEMS_TABLE)
    notes: dict[str, str] = {}
    n_notes = 0
    while n_notes < len(lines) and lines[n_notes].startswith("#"):
        key, _, value = lines[n_notes].lstrip("# ").partition(":")
        if value.strip():
            notes.setdefault(key.strip().lower(), show_name(value.strip()))
        n_notes += 1
    header, *rows = (
        [cell.strip() for cell in line.split("\t")] for line in lines[n_notes:] or [""]
    )
    if "system" not in header or set(header) - _COLUMNS or len(set(header)) < len(header):
        raise InputError(
            f"{show_name(path)}, line {n_notes + 1} has the columns "
            f"{', '.join(map(show_name, header))[:200]}. Expected system, {', '.join(_CELLS)}, "
            "name, unsupported, with tabs between them; all but the first may be missing."
        )
    systems: dict[str, SystemInfo] = {}
    for number, cells in enumerate(rows, n_notes + 2):
        if not any(cells):
            continue
        location = f"{show_name(path)}, line {number}"
        if len(cells) > len(header):
            raise InputError(
                f"{location} has {len(cells)} columns, the header has {len(header)}. Expected the same number."
            )
        row = dict(zip(header, cells, strict=False))
        name = show_name(row.get("system", ""))
        if not name:
            raise InputError(f"{location} names no system. Expected a line for each system.")
        if name in systems:
            raise InputError(
                f"{location} names {show_name(repr(name))} a second time. Expected a line for each system."
            )
        systems[name] = _read_row(location, name, row)
    return SystemsTable(systems, notes.get("metric"), notes.get("rank rule"))


def _read_row(location: str, name: str, row: Mapping[str, str]) -> SystemInfo:
    """What a row says of its system."""
    values = {}
    for column, expected in _CELLS.items():
        values[column] = row.get(column, "").lower()
        if values[column] not in expected:
            raise InputError(
                f"{location}: {column} is {show_name(row[column])!r}. Expected one of "
                f"{', '.join(filter(None, expected))}, or nothing."
            )
    usual = SystemInfo.from_name(name)
    unsupported = [pair.strip() for pair in row.get("unsupported", "").split(",")]
    return SystemInfo(
        _YES_NO[values["constrained"]],
        values["role"] or usual.role,
        values["kind"] or usual.kind,
        row.get("name") or None,
        tuple(filter(None, unsupported)),
    )


def read_metadata(path: Path, systems: Collection[str]) -> dict[str, SystemInfo]:
    """What WMT25's metadata say of these systems, by name; empty without the file."""
    if not exists(path):
        return {}
    name = show_name(path)
    text = "\n".join(read_lines(check_regular(path), "an object of JSON"))
    try:
        table = parse_bounded_json(text, name)
    except ValueError as error:
        raise InputError(f"{name} is not JSON: {error}. Correct or remove it.") from None
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(
            f"{name} has no object for each system. Expected one such as "
            '{"NAME": {"constrained": true}}.'
        )
    infos = {}
    for system, row in table.items():
        constrained = row.get("constrained")
        if not isinstance(constrained, bool | None):
            raise InputError(
                f"{name}: 'constrained' of {show_name(system)} is {show_name(repr(constrained))}. "
                "Expected true or false."
            )
        pairs = row.get("supported_lps")
        unsupported: Sequence[str] = ()
        if isinstance(pairs, dict):
            unsupported = [pair for pair, support in pairs.items() if support == "unsupported"]
        if system in systems:
            info = SystemInfo.from_name(system, constrained)
            infos[system] = replace(info, unsupported=tuple(unsupported))
    return infos


# The answers of WMT26's participants.

_PARTICIPANTS = "participants.jsonl"  # ends the name of the file
_SYSTEM = "System name"
_TRACK = "Track"
_COVERAGE = "Language coverage ["
#: How the codes of the languages begin that participants were asked for.
_LANGUAGES = {
    "Arabic, Egyptian": "arz",
    "Belarusian": "bel",
    "Chinese, Simplified": "zho_Hans",
    "Chinese, Traditional Taiwan": "zho_Hant",
    "Czech": "ces",
    "Eastern Armenian": "hye",
    "Estonian": "ekk",
    "German": "deu",
    "Icelandic": "isl",
    "Indonesian": "ind",
    "Japanese": "jpn",
    "Kazakh": "kaz",
    "Korean": "kor",
    "Ladin, Italy": "lld",
    "Ligurian, Italy": "lij",
    "Northern Sámi": "sme",
    "Russian": "rus",
    "Thai": "tha",
    "Ukrainian": "ukr",
    "Vietnamese": "vie",
}


def is_of_participants(path: Path) -> bool:
    """Whether a file has the answers of WMT26's participants, by its name."""
    return path.name.endswith(_PARTICIPANTS)


def read_participants(
    folder: FilePath, systems: Collection[str], pairs: Collection[str]
) -> dict[str, SystemInfo]:
    """Track and unsupported language pairs of these systems, by name; empty without the file."""
    infos: dict[str, SystemInfo] = {}
    for path in filter(is_of_participants, list_paths(folder)):
        text = "\n".join(read_lines(check_regular(path), SYSTEMS_TABLE))
        for row, record in read_records(text, show_name(path), bool, "an answer of a participant"):
            answer = _read_answer(record, f"{show_name(path)}, row {row}")
            if answer.system in systems:
                info = SystemInfo.from_name(answer.system, answer.is_constrained)
                unsupported = filter(answer.is_contrastive, pairs)
                infos[answer.system] = replace(info, unsupported=tuple(unsupported))
    return infos


class _Answer(NamedTuple):
    """What a participant of WMT26 answered."""

    system: str
    is_constrained: bool | None
    #: The codes of languages that the system does not claim to support, as they end a pair.
    contrastive: list[str]

    def is_contrastive(self, pair: str) -> bool:
        return any(code in pair for code in self.contrastive)


def _read_answer(record: Mapping[str, object], location: str) -> _Answer:
    system = ""
    is_constrained = None
    contrastive = []
    for question in record:
        if question.startswith(_SYSTEM):
            system = read_field(location, record, question, to_name)
        elif question == _TRACK:
            track = read_field(location, record, question, to_name)
            is_constrained = track.startswith("Constrained")
        elif question.startswith(_COVERAGE):
            coverage = read_field(location, record, question, to_text) or ""
            if coverage.startswith("Contrastive"):
                language = question.removeprefix(_COVERAGE).removesuffix("]")
                contrastive.append(f"-{_LANGUAGES.get(language, language)}")
    return _Answer(system, is_constrained, contrastive)
