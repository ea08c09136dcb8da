"""A shared task: the test sets of several language pairs, its systems, and excluded ones."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from mtsig_core.caution import Assumption
from mtsig_core.errors import InputError, SettingError, explain_unknown, format_count, suggest_name
from mtsig_core.languages import name_parts
from mtsig_core.testset import TestSet, is_human, reduce_frozen, show_name

# A shared task: the test sets of several language pairs, and who its systems are.

SYSTEM_ROLES = ("primary", "contrastive", "withdrawn")
SYSTEM_KINDS = ("submission", "online", "human")


@dataclass(frozen=True)
class SystemInfo:
    """The information of a shared task about a system.

    Attributes
    ----------
    constrained : bool or None
        Whether the system is in the constrained track; None if unknown.
    role : {"primary", "contrastive", "withdrawn"}
    kind : {"submission", "online", "human"}
    display_name : str or None
        Name to show in tables; None for the system's own name.
    unsupported : tuple of str
        Language pairs in which the system takes part without supporting them.
    """

    constrained: bool | None = None
    role: str = "primary"
    kind: str = "submission"
    display_name: str | None = None
    unsupported: tuple[str, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.role not in SYSTEM_ROLES:
            raise explain_unknown("role", self.role, SYSTEM_ROLES)
        if self.kind not in SYSTEM_KINDS:
            raise explain_unknown("kind", self.kind, SYSTEM_KINDS)

    @property
    def labels(self) -> list[str]:
        """Labels that a ranking shows next to the name: a second attempt, or a human."""
        labels = []
        if self.role == "contrastive":
            labels.append("contrastive")
        if self.kind == "human":
            labels.append("human translation")
        return labels

    @classmethod
    def from_name(cls, name: str, constrained: bool | None = None) -> SystemInfo:
        """What a name says: whether it is a human translation, or an online system.

        >>> SystemInfo.from_name("ONLINE-B").kind, SystemInfo.from_name("refA").kind, SystemInfo.from_name("Unbabel").kind
        ('online', 'human', 'submission')
        """
        kind = "submission"
        if is_human(name):
            kind = "human"
        elif name.upper().startswith("ONLINE-"):
            kind = "online"
        return cls(constrained, kind=kind)


@dataclass(frozen=True, eq=False, repr=False)
class Task:
    """Test sets by language pair or by any other name, and a table of the systems; immutable.

    Parameters
    ----------
    name : str
    testsets : mapping of str to TestSet
        By language pair, such as ``"en-de"``, or under names such as ``"news"`` and ``"flores"``, which
        reports then call test sets. Each counts the same. A system need not be in every one.
    systems : mapping of str to SystemInfo
        For a system that is missing here, the information is inferred from its name.
    assumed : tuple of Assumption
        Assumptions and omissions of the reader. Every export contains them.
    primary : str or None
        The metric that decides, if the table of systems names one.
    rank_rule : str or None
        The rank rule, if the table of systems names one.

    Examples
    --------
    >>> toy = TestSet("toy", {"A": ["a"], "ONLINE-B": ["b"]}, {"ref": ["a"]})
    >>> task = Task("toy task", {"en-de": toy, "en-cs": toy.only(["A"])}, {"A": SystemInfo(constrained=True)})
    >>> task
    <Task 'toy task': 2 language pairs, 2 systems>
    >>> task.systems["ONLINE-B"].kind, list(task.of_track("constrained").testsets["en-de"].systems)
    ('online', ['A'])
    """

    name: str
    testsets: Mapping[str, TestSet]
    systems: Mapping[str, SystemInfo] = field(default_factory=dict)
    assumed: tuple[Assumption, ...] = ()
    primary: str | None = None
    rank_rule: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", show_name(self.name))
        if not self.testsets:
            raise InputError(f"{self.name} has no language pair. Expected at least one.")
        names = dict.fromkeys(
            name for testset in self.testsets.values() for name in testset.systems
        )
        infos = {show_name(name): info for name, info in self.systems.items()}
        for name in infos:
            if name not in names:
                raise InputError(
                    f"{self.name}: the table of systems has {name!r}, which has no output and no score."
                    f"{suggest_name(name, names)} Systems: {', '.join(names)}."
                )
        systems = {name: infos.get(name, SystemInfo.from_name(name)) for name in names}
        object.__setattr__(self, "testsets", MappingProxyType(dict(self.testsets)))
        object.__setattr__(self, "systems", MappingProxyType(systems))

    def __repr__(self) -> str:
        return (
            f"<Task {self.name!r}: {format_count(len(self.testsets), name_parts(self.testsets))}, "
            f"{format_count(len(self.systems), 'system')}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_frozen(self)

    @cached_property
    def digest(self) -> str:
        """Digest of the content: of each test set, and of the table of systems."""
        entries: list[tuple[str, object]] = []
        entries += [(pair, testset.digest) for pair, testset in self.testsets.items()]
        entries += self.systems.items()
        if self.primary is not None:
            entries.append(("metric", self.primary))
        if self.rank_rule is not None:
            entries.append(("rank rule", self.rank_rule))
        h = hashlib.blake2b(digest_size=16)
        for key, value in entries:
            h.update(f"{key}\0{value}\0".encode("utf-8", "surrogatepass"))
        return h.hexdigest()

    @property
    def tracks(self) -> tuple[str, ...]:
        """``constrained`` and ``unconstrained``, as far as systems are known to be in one."""
        values = {info.constrained for info in self.systems.values()}
        return tuple(name for name, value in _TRACKS.items() if value in values)

    def map_testsets(self, change: Callable[[str, TestSet], TestSet]) -> Task:
        """The same task with each test set changed, and only the systems that are still there."""
        changed = {pair: change(pair, testset) for pair, testset in self.testsets.items()}
        return self._replace_testsets(changed)

    def of_track(self, track: str) -> Task:
        """The same task with the systems of one track: ``"constrained"`` or ``"unconstrained"``."""
        if track not in _TRACKS:
            raise explain_unknown("track", track, _TRACKS)
        names = [name for name, info in self.systems.items() if info.constrained is _TRACKS[track]]
        if not names:
            raise SettingError(
                f"{self.name} names no {track} system. Its systems say no track, or the other one; a "
                "table of systems says it.",
                {"systems_table": "FILE"},
            )
        return self.only(names)

    def only(self, names: Iterable[str]) -> Task:
        """The same task with these systems only; a pair that has none of them is left out."""
        known_names = self._check_names(names)
        return self.keep_systems(dict.fromkeys(self.testsets, known_names))

    def keep_systems(self, names: Mapping[str, Set[str]]) -> Task:
        """The same task with these systems only, by language pair.

        A pair that has none of them is left out.
        """
        testsets = {}
        for pair, testset in self.testsets.items():
            kept_systems = testset.systems.keys() & names[pair]
            if kept_systems:
                is_whole = len(kept_systems) == len(testset.systems)
                testsets[pair] = testset if is_whole else testset.only(kept_systems)
        return self._replace_testsets(testsets)

    def rename(self, name: str) -> Task:
        """The same task by another name, which its test sets have too."""
        return replace(
            self.map_testsets(lambda pair, testset: replace(testset, name=f"{name} {pair}")),
            name=name,
        )

    def scored_with(
        self, names: Iterable[str] | None = None, others_as_systems: bool = False
    ) -> Task:
        """Return the same task, scored with only these references.

        Parameters
        ----------
        names : iterable of str, optional
            References to score with. A language pair that has none of them is scored with all its
            references. All references by default.
        others_as_systems : bool
            As in `TestSet.scored_with`, for language pairs with further references or with ratings
            of references.

        Raises
        ------
        SettingError
            If no language pair has a reference of this name, or if there are references and none of
            them can act as a system. Without references, as in tables of ratings, human
            translations are systems already.
        """
        references: dict[str, None] = {}
        for testset in self.testsets.values():
            references |= dict.fromkeys(testset.references)
        scoring = list(references if names is None else names)
        for name in scoring:
            if name not in references:
                raise explain_unknown("reference", name, references)
        testsets = {}
        notes = []
        has_joined = False
        for pair, testset in self.testsets.items():
            names_of_pair = [name for name in testset.references if name in scoring]
            if testset.references and not names_of_pair:
                names_of_pair = list(testset.references)
                facts = {"pair": pair, "names": scoring, "used": names_of_pair}
                notes.append(Assumption("references-of-others", facts))
            has_others = len(names_of_pair) < len(testset.references)
            joins = others_as_systems and bool(has_others or testset.rated_humans)
            if has_others or joins:
                testset = testset.scored_with(names_of_pair, joins)
            has_joined = has_joined or joins
            testsets[pair] = testset
        if others_as_systems and references and not has_joined:
            raise SettingError(
                f"No reference of {self.name} is left to act as a system: all of {', '.join(references)} "
                "are used for scoring, and none has ratings. Choose the ones to score with.",
                {"refs": "NAME,..."},
            )
        return replace(self, testsets=testsets, assumed=(*self.assumed, *notes))

    def without(self, names: Iterable[str]) -> Task:
        """The same task without these systems."""
        return self.only(self.systems.keys() - self._check_names(names))

    def _check_names(self, names: Iterable[str]) -> set[str]:
        names = list(names)
        for name in names:
            if name not in self.systems:
                raise explain_unknown("system", name, self.systems)
        return set(names)

    def _replace_testsets(self, testsets: Mapping[str, TestSet]) -> Task:
        names = {name for testset in testsets.values() for name in testset.systems}
        return replace(
            self,
            testsets=testsets,
            systems={name: info for name, info in self.systems.items() if name in names},
        )


_TRACKS = {"constrained": True, "unconstrained": False}


# Systems that are left out of a shared task: in all language pairs or in one, each with a reason.

_SPECIAL = re.compile(r"([\\,=:]|^\s|\s$)")
_LISTED_NAME = re.compile(r"\s*((?:\\.|[^\\,])+?)\s*(?:,|$)", re.DOTALL)


@dataclass(frozen=True)
class TaskExclusion:
    """A system that is left out of a shared task.

    Attributes
    ----------
    system : str
    reason : str
        Empty where nobody said one.
    pair : str or None
        The language pair; None for all.
    """

    system: str
    reason: str = ""
    pair: str | None = None


def without(task: Task, exclude: Iterable[TaskExclusion]) -> Task:
    """The same task without these systems; a language pair of which none is left is left out."""
    remaining = {pair: set(testset.systems) for pair, testset in task.testsets.items()}
    for exclusion in exclude:
        system = exclusion.system
        pair = exclusion.pair
        if system not in task.systems:
            raise explain_unknown("system", system, task.systems)
        if pair is None:
            for systems in remaining.values():
                systems.discard(system)
            continue
        if pair not in task.testsets:
            raise explain_unknown(name_parts(task.testsets), pair, task.testsets)
        if system not in task.testsets[pair].systems:
            raise explain_unknown(f"system of {pair}", system, task.testsets[pair].systems)
        remaining[pair].discard(system)
    if not any(remaining.values()):
        raise SettingError(
            f"{task.name}: every system of every language pair is excluded. Keep one."
        )
    return task.keep_systems(remaining)


def read_exclusions(
    texts: Iterable[str], systems: Iterable[str], pairs: Iterable[str]
) -> tuple[TaskExclusion, ...]:
    r"""Exclusions from the values of an option: ``[PAIR:]NAME,...[=REASON]``.

    A comma, colon, equals sign or backslash of a name has a backslash before it. A colon after no
    language pair, and an equals sign after no system, belong to the name also without.

    Examples
    --------
    >>> for exclusion in read_exclusions(["A,B=late", "en-de:C", r"x\,y"], ["A", "B", "C", "x,y"], ["en-de"]):
    ...     print(exclusion.system, exclusion.pair, exclusion.reason or "-")
    A None late
    B None late
    C en-de -
    x,y None -
    """
    systems = set(systems)
    pairs = set(pairs)
    exclusions: dict[tuple[str | None, str], TaskExclusion] = {}
    for text in texts:
        entries = _parse_entries(text, systems, pairs)
        if not entries:
            raise SettingError(
                f"--exclude {text!r} names no system. Expected NAME, NAME=REASON or PAIR:NAME=REASON."
            )
        for entry in entries:
            if entry.system not in systems:
                raise _explain_entry(text, entry, systems, pairs)
            exclusions[entry.pair, entry.system] = entry
    return tuple(exclusions.values())


def _parse_entries(text: str, systems: Set[str], pairs: Set[str]) -> list[TaskExclusion]:
    names, _, reason = _partition(text, "=")
    listed_names = _LISTED_NAME.findall(names)
    entries = [_parse_entry(name, reason, pairs) for name in listed_names if name.strip()]
    if any(entry.system not in systems for entry in entries):
        only_entry = _parse_entry(text, "", pairs)
        if only_entry.system in systems:  # with commas or equals signs in its name
            return [only_entry]
    return entries


def _explain_entry(
    text: str, entry: TaskExclusion, systems: Set[str], pairs: Set[str]
) -> SettingError:
    """The error for an unknown system, or for a language pair that is unknown before a system."""
    pair_text, _, name_text = _partition(text, ":")
    name, _, _ = _partition(name_text, "=")
    if _unescape(name) in systems:
        return explain_unknown(name_parts(pairs), _unescape(pair_text), sorted(pairs))
    return explain_unknown("system", entry.system, sorted(systems))


def format_exclusion(exclusion: TaskExclusion) -> str:
    r"""The text that `read_exclusions` reads as this exclusion.

    >>> format_exclusion(TaskExclusion("a=b", "late, = too", "en-de"))
    'en-de:a\\=b=late, = too'
    """
    text = _SPECIAL.sub(r"\\\1", exclusion.system)
    if exclusion.pair is not None:
        pair = _SPECIAL.sub(r"\\\1", exclusion.pair)
        text = f"{pair}:{text}"
    return f"{text}={exclusion.reason}" if exclusion.reason else text


def _parse_entry(text: str, reason: str, pairs: Set[str]) -> TaskExclusion:
    pair_text, colon, name_text = _partition(text, ":")
    pair = _unescape(pair_text)
    if colon and pair in pairs:
        return TaskExclusion(_unescape(name_text), reason, pair)
    return TaskExclusion(_unescape(text), reason)


def _partition(text: str, sign: str) -> tuple[str, str, str]:
    """As `str.partition`, but not at a sign with a backslash before it."""
    match = re.match(rf"((?:\\.|[^\\{sign}])*){sign}", text, re.DOTALL)
    if match is None:
        return text, "", ""
    return match[1], sign, text[match.end() :]


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)
