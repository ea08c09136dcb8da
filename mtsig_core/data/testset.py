"""TestSet: the aligned texts that everything else works on."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from mtsig_core.data.checks import as_ids, as_list, as_names, as_texts, literal
from mtsig_core.data.langpairs import languages_of
from mtsig_core.data.runs import Runs, frozen_runs
from mtsig_core.data.segment_scores import SegmentScores
from mtsig_core.data.stored_lines import CHUNK_LINES, picked, text_lengths
from mtsig_core.errors import InputError, SettingError, counted, nearest

__all__ = ["SegmentScores", "TestSet", "as_system", "is_human"]

_HUMAN = re.compile(r"ref(erence)?[-_. ]?\w?\w?|human([-_. ].*|\w?)", re.IGNORECASE)


def is_human(name: str) -> bool:
    """Whether a name is that of a human translation, as tables of ratings have beside systems.

    >>> [is_human(name) for name in ("refA", "ref-B", "HUMAN-refA", "human.0", "Reformer", "GPT-4")]
    [True, True, True, True, False, False]
    """
    return _HUMAN.fullmatch(name) is not None


def as_system(reference: str) -> str:
    """What a reference is called where it acts as a system.

    >>> as_system("refA"), as_system("HUMAN-A")
    ('HUMAN-refA', 'HUMAN-A')
    """
    return reference if reference == "HUMAN" or reference.startswith("HUMAN-") else f"HUMAN-{reference}"


@dataclass(frozen=True, eq=False, repr=False)
class TestSet:
    """Aligned segments of one translation direction; immutable.

    Parameters
    ----------
    name : str
        What the set is called on screen.
    systems : mapping of str to sequence of str
        Outputs by system name, one string per segment, which may be empty. ``None`` stands for every text of a system
        that has scores alone, as all have in a set without references.
    references : mapping of str to sequence of (str or None)
        The references used for scoring, by name. ``None`` marks a segment that this one does not have; each segment
        needs at least one. There may be none at all where there are `scores`.
    sources, documents, domains : sequence of str, optional
        Source text, document id and domain of each segment.
    langpair : str, optional
        Such as ``"en-de"``; decides the tokenizer, unless one is given.
    simulated : bool
        Whether the texts are made up; every screen that shows them says so.
    lines : sequence of int, optional
        The line of each segment in the files it was read from, counted from 1. Defaults to 1, 2, ...
    scores : mapping of str to SegmentScores
        By the name of the metric; where higher is better, a mapping from systems to numbers will do. Those of a
        reference, and of other human translations, count once these act as systems.
    parses : mapping of str to sequence of str
        By system or reference, the dependency parse of each segment, as `mtsig_core.data.readers.conllu` has it: a
        line for each word with form, lemma, head and relation between tabs; an empty line between sentences.
    tokenizer : str, optional
        What metrics of words split the texts with, unless they have a setting of their own.
    assumed : tuple of str
        What was assumed when it was read, a sentence each; see `Task`.
    runs : mapping of str to sequence of sequence of str
        By system, its outputs after further training runs: its score is the mean over the runs; see docs/runs.md.

    Raises
    ------
    InputError
        If a part is no sequence of texts, they differ in length, or a segment has no reference.

    Examples
    --------
    >>> ts = TestSet("toy", systems={"A": ["a b"], "B": ["a c"]}, references={"ref": ["a b"]})
    >>> ts.n_segments, list(ts.systems)
    (1, ['A', 'B'])
    """

    __test__ = False  # not a test case, whatever its name suggests to pytest

    name: str
    systems: Mapping[str, Sequence[str]]
    references: Mapping[str, Sequence[str | None]]
    sources: Sequence[str] | None = None
    documents: Sequence[str] | None = None
    domains: Sequence[str] | None = None
    langpair: str | None = None
    simulated: bool = False
    lines: Sequence[int] = field(default=None, repr=False)  # type: ignore[arg-type]  # see __post_init__
    scores: Mapping[str, SegmentScores] = field(default_factory=dict)
    parses: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    tokenizer: str | None = None
    assumed: tuple[str, ...] = ()
    runs: Runs = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", literal(self.name))
        for key, one in (("systems", "system"), ("references", "reference"), ("parses", "parse of")):
            named = as_names(f"{self.name}: {key}", getattr(self, key))
            object.__setattr__(self, key, MappingProxyType({k: self._texts(one, k, v) for k, v in named.items()}))
        scores = {name: by_system if isinstance(by_system, SegmentScores) else SegmentScores(by_system)
                  for name, by_system in as_names(f"{self.name}: scores", self.scores).items()}
        object.__setattr__(self, "scores", MappingProxyType(scores))
        if not self.references and not self.scores:
            raise InputError(f"{self.name}: no reference. Give at least one.")
        lines = range(1, self.n_segments + 1) if self.lines is None else self.lines
        object.__setattr__(self, "lines", as_list(f"{self.name}: lines", lines))
        object.__setattr__(self, "assumed", tuple(self.assumed))
        for key, check in (("sources", as_texts), ("documents", as_ids), ("domains", as_ids)):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, check(f"{self.name}: {key}", getattr(self, key)))
        self._check()
        object.__setattr__(self, "runs", frozen_runs(self.name, self.runs, self.systems, self.n_segments))

    def _texts(self, one: str, name: str, values: object) -> tuple[Any, ...]:
        texts = as_list(f"{self.name}: {one} {name}", values)
        rated_alone = one == "system" and self.scores and set(map(type, texts)) <= {type(None)}
        return texts if rated_alone else as_texts(f"{self.name}: {one} {name}", texts, missing=one == "reference")

    def _check(self) -> None:
        if (n := self.n_segments) == 0:
            empty = "The reference is empty." if self.references else "The scores are of no system, or of no segment."
            raise InputError(f"{self.name}: no segment. {empty}")
        parts: dict[str, Sequence[Any] | None] = {f"reference {k}": v for k, v in self.references.items()}
        parts |= {f"system {k}": v for k, v in self.systems.items()}
        parts |= {k: getattr(self, k) for k in ("sources", "documents", "domains", "lines")}
        parts |= {f"parse of {k}": v for k, v in self.parses.items()}
        parts |= {f"{metric} of {k}": v for metric, scores in self.scores.items() for k, v in scores.by_system.items()}
        for what, values in parts.items():
            if values is not None and len(values) != n:
                first = "the first reference" if self.references else "the first system"
                raise InputError(f"{self.name}: {what} has {counted(len(values), 'segment')}, {first} has {n}.")
        for metric, scores in self.scores.items():
            for name in scores.by_system:
                if name not in self.systems and name not in self.references and not is_human(name):
                    raise InputError(f"{self.name}: {metric} is of {name!r}, which is no system of the set. "
                                     f"It has: {', '.join(self.systems) or 'none'}.")
        for name in self.parses:
            if name not in self.systems and name not in self.references:
                raise InputError(f"{self.name}: there is a parse of {name!r}, which is no system and no reference. "
                                 f"They are: {', '.join((*self.systems, *self.references))}.")
            if self.systems.get(name, self.references.get(name)) != self.references.get(name, self.systems.get(name)):
                raise InputError(f"{self.name}: {name!r} names a system and a reference, and its parse may be of "
                                 "either. Rename one of them.")
        for i, refs in enumerate(zip(*self.references.values(), strict=True)):
            if all(ref is None for ref in refs):
                raise InputError(f"{self.name}: line {self.lines[i]} has no reference. Add one, or leave the line out.")

    def __repr__(self) -> str:
        return f"<TestSet {self.name!r}: {counted(len(self.systems), 'system')}, {counted(self.n_segments, 'segment')}>"

    # -- sizes and groups ------------------------------------------------------------------------------------

    @property
    def n_segments(self) -> int:
        return len(next(iter((self.references or self.systems).values()), ()))

    @property
    def has_texts(self) -> bool:
        """Whether there are texts, not segment scores alone."""
        return bool(self.references)

    @property
    def n_documents(self) -> int | None:
        """Number of distinct documents, None without document ids."""
        return None if self.documents is None else int(self.document_index.max()) + 1

    @property
    def n_runs(self) -> int:
        """Number of training runs, the most that a system has."""
        return 1 + max(map(len, self.runs.values()), default=0)

    @cached_property
    def n_references(self) -> int | None:
        """Number of references of each segment, None where it varies."""
        counts = {sum(ref is not None for ref in refs) for refs in zip(*self.references.values(), strict=True)}
        return counts.pop() if len(counts) == 1 else None

    @cached_property
    def rated_alone(self) -> tuple[str, ...]:
        """The systems without texts in a set that has texts: human translations known by their scores."""
        return tuple(k for k, texts in self.systems.items() if texts[0] is None) if self.references else ()

    @cached_property
    def waiting(self) -> tuple[str, ...]:
        """References and other human translations that have segment scores and are no systems here."""
        scored = (name for scores in self.scores.values() for name in scores.by_system)
        return tuple(dict.fromkeys(name for name in scored if name not in self.systems))

    @property
    def target_language(self) -> str | None:
        """The second language of `langpair`."""
        return languages_of(self.langpair)[1]

    @cached_property
    def document_index(self) -> np.ndarray:
        """Document number of each segment, shape (segments,), in order of first appearance.

        Documents of the same id in two domains are two documents.
        """
        if self.documents is None:
            raise SettingError(f"{self.name} has no document ids. Use segments as units, or give a documents file.")
        numbers: dict[tuple[str, str], int] = {}
        keys = zip(self.domains or self.documents, self.documents, strict=True)
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)

    @cached_property
    def digest(self) -> str:
        """Digest of the content (texts, names, documents, language pair, tokenizer, scores), not of the set's name."""
        h = hashlib.blake2b(digest_size=16)
        for group, texts in [("systems", self.systems), ("references", self.references)]:
            for name, values in texts.items():
                _feed(h, (group, name))
                _feed(h, values)
        for key in ("sources", "documents", "domains"):
            if getattr(self, key) is not None:
                _feed(h, (key,))
                _feed(h, getattr(self, key))
        _feed(h, ("langpair", self.langpair))
        if self.tokenizer is not None:
            _feed(h, ("tokenizer", self.tokenizer))
        for metric, scores in self.scores.items():
            _feed(h, ("scores", metric, "higher" if scores.higher_is_better else "lower"))
            for name, numbers in scores.by_system.items():
                _feed(h, (name,))
                _feed(h, [None if number is None else repr(number) for number in numbers])
        for name, values in self.parses.items():
            _feed(h, ("parses", name))
            _feed(h, values)
        for name, outputs in self.runs.items():
            for values in outputs:
                _feed(h, ("run", name))
                _feed(h, values)
        return h.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        # Worker processes and caches pickle a set, which the read-only views of its mappings do not allow.
        return TestSet, (self.name, dict(self.systems), dict(self.references), self.sources, self.documents,
                         self.domains, self.langpair, self.simulated, self.lines, dict(self.scores), dict(self.parses),
                         self.tokenizer, self.assumed, dict(self.runs))

    # -- other views of the same texts -----------------------------------------------------------------------

    def only(self, names: Iterable[str]) -> TestSet:
        """The same set with these systems alone, in the order of the set."""
        names = self._known(names, self.systems, "system")
        return self._of_systems([k for k in self.systems if k in names])

    def without(self, names: Iterable[str]) -> TestSet:
        """The same set without these systems."""
        names = self._known(names, self.systems, "system")
        return self._of_systems([k for k in self.systems if k not in names])

    def under(self, *metrics: str) -> TestSet:
        """The same set as these metrics can score it: without systems that have scores alone, if one needs texts."""
        return self.without(self.rated_alone) if self.rated_alone and set(metrics) - self.scores.keys() else self

    def _of_systems(self, names: Iterable[str]) -> TestSet:
        references = (name for name in self.references if name not in self.systems)
        kept = {name: name for name in (*names, *references, *self.waiting)}
        return replace(self, systems={name: self.systems[name] for name in names}, parses=self._parses_of(kept),
                       runs={name: self.runs[name] for name in names if name in self.runs},
                       scores={metric: scores.of(kept) for metric, scores in self.scores.items()})

    def scored_with(self, names: Iterable[str] | None = None, others_as_systems: bool = False) -> TestSet:
        """The same set scored with these references alone.

        Parameters
        ----------
        names : iterable of str, optional
            References to score with; all of them by default.
        others_as_systems : bool
            Whether the other references join the systems, as ``HUMAN-<name>``; they need a line for each segment. So
            do those with segment scores, without their texts: no reference is scored by itself.
        """
        names = list(self.references) if names is None else self._known(names, self.references, "reference")
        others = [name for name in self.references if name not in names]
        rated = [name for name in self.waiting if name not in others]
        systems: dict[str, Sequence[Any]] = dict(self.systems)
        kept = {name: name for name in (*self.systems, *names)}
        if others_as_systems and not others and not rated:
            raise SettingError(
                f"No reference is left to act as a system: all of {', '.join(self.references)} are used for "
                "scoring, and none has ratings. Choose the ones to score with.", {"refs": "NAME,..."})
        for name in (*others, *rated) if others_as_systems else ():
            human = as_system(name)
            if human in systems:
                raise InputError(f"{self.name}: a system is already called {human}. Rename it.")
            if name in others and None in self.references[name]:
                raise InputError(f"{self.name}: reference {name} lacks segments, it cannot act as a system.")
            systems[human] = self.references[name] if name in others else (None,) * self.n_segments
        # A system of the name of a reference keeps its scores; others' are kept for when they act as systems.
        humans = {name: as_system(name) if others_as_systems or name in others else name for name in self.waiting}
        parsed = kept | {name: as_system(name) for name in others if others_as_systems and name not in kept}
        return replace(self, systems=systems, references={k: v for k, v in self.references.items() if k in names},
                       parses=self._parses_of(parsed),
                       scores={metric: scores.of(kept | humans) for metric, scores in self.scores.items()})

    def in_domain(self, domain: str) -> TestSet:
        """The segments of one domain."""
        if self.domains is None:
            raise SettingError(f"{self.name} has no domains. A documents file with `domain<TAB>docid` gives them.")
        self._known([domain], dict.fromkeys(self.domains), "domain")
        part = self.at([i for i, d in enumerate(self.domains) if d == domain])
        return replace(part, name=f"{self.name}, domain {domain}")

    def at(self, indices: Sequence[int]) -> TestSet:
        """The segments at these positions (from 0), in this order."""
        pick = partial(picked, at=indices)
        return replace(
            self,
            systems={k: pick(v) for k, v in self.systems.items()},
            references={k: pick(v) for k, v in self.references.items()},
            parses={k: pick(v) for k, v in self.parses.items()},
            runs={k: [pick(v) for v in outputs] for k, outputs in self.runs.items()},
            scores={k: v.at(indices) for k, v in self.scores.items()},
            sources=self.sources and pick(self.sources), documents=self.documents and pick(self.documents),
            domains=self.domains and pick(self.domains), lines=pick(self.lines))

    def _parses_of(self, names: Mapping[str, str]) -> dict[str, Sequence[str]]:
        """The parses of these texts alone, {name: what it is called from now on}."""
        return {new: self.parses[k] for k, new in names.items() if k in self.parses}

    def _known(self, names: Iterable[str], among: Collection[str], what: str) -> list[str]:
        for name in (names := list(names)):
            if name not in among:
                raise SettingError(f"No {what} {name!r} in {self.name}.{nearest(name, among)} It has: "
                                   f"{', '.join(among) or 'none'}.")
        return names


def _feed(h: hashlib.blake2b, values: Sequence[str | None]) -> None:
    """Add a sequence to a hash so that different sequences never give the same bytes."""
    lengths = ["-" if n < 0 else str(n) for n in text_lengths(values).tolist()]
    h.update(f"{','.join(lengths)};".encode())
    for at in range(0, len(values), CHUNK_LINES):
        h.update(b"".join([v.encode("utf-8", "surrogatepass") for v in values[at:at + CHUNK_LINES] if v is not None]))
