"""Frozen results. Numbers only: no formatted strings, undefined is None."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from types import MappingProxyType

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import InputError

__all__ = ["TestSetInfo", "Settings", "Caution", "Exclusion", "SystemResult", "PairResult", "ReferenceLeaders",
           "MetricResult", "Comparison"]

_JSON_TYPES = {"str": "a text", "float": "a number", "int": "a whole number", "bool": "true or false",
               "tuple[str, ...]": "a list of texts"}
_COLUMN_TYPES = {"str": "str", "float": "float64", "int": "Int64", "bool": "bool"}


@dataclass(frozen=True)
class TestSetInfo:
    """What a result says of the test set it came from."""

    __test__ = False

    name: str
    digest: str
    n_segments: int
    n_documents: int | None
    references: tuple[str, ...]
    systems: tuple[str, ...]
    simulated: bool

    @classmethod
    def of(cls, testset: TestSet) -> TestSetInfo:
        return cls(testset.name, testset.digest, testset.n_segments, testset.n_documents,
                   tuple(testset.references), tuple(testset.systems), testset.simulated)


@dataclass(frozen=True)
class Settings:
    """Every choice that the numbers depend on, as resolved (no ``auto`` is left)."""

    test: str
    unit: str
    block_length: float | None
    trials: int | None
    alpha: float
    correction: str
    ci: str
    resamples: int
    seed: int
    baseline: str | None
    version: str


@dataclass(frozen=True)
class Caution:
    """A warning: what to keep in mind when reading the result, and what to do.

    Attributes
    ----------
    code : str
        Stable name, such as ``"identical-outputs"``.
    text : str
        One sentence or two.
    metric, a, b : str or None
        What it is about, where it is about one metric, system or pair.
    """

    code: str
    text: str
    metric: str | None = None
    a: str | None = None
    b: str | None = None


@dataclass(frozen=True)
class Exclusion:
    """A system that was left out of the comparison, and why, where somebody said so."""

    system: str
    reason: str = ""


@dataclass(frozen=True)
class SystemResult:
    """One system under one metric. Scores in points; ranks from 1, simultaneous over all systems."""

    system: str
    score: float
    ci_low: float | None
    ci_high: float | None
    rank_low: int | None
    rank_high: int | None


@dataclass(frozen=True)
class PairResult:
    """Two systems under one metric, on the segments that have scores for both.

    Attributes
    ----------
    a, b : str
        The better-scoring system first; with a baseline, b is the baseline.
    delta : float
        score(a) - score(b) in points on these segments, with its interval `ci_low`, `ci_high`. Without a common
        segment (`n` 0) the difference of the scores on the segments that each has.
    p_value, p_adjusted : float or None
        None for a test that gives no p, and for a pair that could not be tested.
    significant : bool
    better : {"a", "b", None}
        Which system is significantly better, if any.
    win, lose : float or None
        Koehn's test: shares of bootstrap samples on which a is better, or worse, than b.
    se : float or None
        Bootstrap standard error of delta, in points, for the unit of the test.
    se_ratio : float or None
        Standard error by document / by segment; None without document ids, or where nothing varies.
    mdd : float or None
        Minimum detectable difference in points, at 80% power.
    n : int or None
        Number of segments compared; None in results of versions that did not say.
    """

    a: str
    b: str
    delta: float
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    p_adjusted: float | None
    significant: bool
    better: str | None
    win: float | None
    lose: float | None
    se: float | None
    se_ratio: float | None
    mdd: float | None
    n: int | None = None


@dataclass(frozen=True)
class ReferenceLeaders:
    """Who is ahead by one of several references alone.

    Attributes
    ----------
    reference : str
    leaders : tuple of str
        The systems that no other is significantly better than, best first.
    n_segments : int
        Segments that the reference has, which this is about.
    """

    reference: str
    leaders: tuple[str, ...]
    n_segments: int


@dataclass(frozen=True)
class MetricResult:
    """All systems, best first, and all pairs under one metric; with several references, the leaders by each."""

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[SystemResult, ...]
    pairs: tuple[PairResult, ...]
    by_reference: tuple[ReferenceLeaders, ...] = ()
    tokenizer: str | None = None  # that finds its words; None also in results of versions that did not say

    @property
    def sign(self) -> int:
        """What turns a difference of scores into an improvement."""
        return 1 if self.higher_is_better else -1

    def to_frame(self, table: str = "systems"):
        """One of the two tables as a pandas DataFrame, ``"systems"`` or ``"pairs"``."""
        import pandas as pd  # late: half a second that the command line does not need

        row = {"systems": SystemResult, "pairs": PairResult}[table]
        types = {f.name: _COLUMN_TYPES[f.type.removesuffix(" | None")] for f in fields(row)}  # also where all are None
        return pd.DataFrame([asdict(r) for r in getattr(self, table)], columns=list(types)).astype(types)

    def tally(self) -> dict[str, tuple[int, int, int]]:
        """Significant wins, ties and significant losses of each system."""
        counts = {s.system: [0, 0, 0] for s in self.systems}
        for pair in self.pairs:
            for name, side in ((pair.a, "a"), (pair.b, "b")):
                counts[name][1 if pair.better is None else 0 if pair.better == side else 2] += 1
        return {name: tuple(c) for name, c in counts.items()}


@dataclass(frozen=True)
class Comparison:
    """The answer of `mtsig_core.compare`."""

    testset: TestSetInfo
    settings: Settings
    warnings: tuple[Caution, ...]
    metrics: Mapping[str, MetricResult]
    excluded: tuple[Exclusion, ...] = ()

    def __post_init__(self):
        object.__setattr__(self, "metrics", MappingProxyType(dict(self.metrics)))

    def __reduce__(self):  # a mapping proxy cannot be pickled
        return Comparison, (self.testset, self.settings, self.warnings, dict(self.metrics), self.excluded)

    def to_frame(self, table: str = "systems"):
        """One table over all metrics, with a column ``metric`` first."""
        import pandas as pd

        frames = [result.to_frame(table) for result in self.metrics.values()]
        return pd.concat(frames, keys=list(self.metrics), names=["metric"]).reset_index(0).reset_index(drop=True)

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        """Read back what `mtsig_core.report.export.comparison_json` wrote; keys that it does not know are ignored.

        Returns
        -------
        Comparison
            Equal to the one that was written, to the last digit.

        Raises
        ------
        InputError
            If the text is not the JSON of a comparison: with the place, what was expected there, and what came.

        Examples
        --------
        >>> Comparison.from_json('{"metrics": []}')
        Traceback (most recent call last):
        mtsig_core.errors.InputError: metrics is []. Expected an object with keys.
        """
        data = _object(_parsed(text), _WHOLE)
        metrics = {name: _metric(name, value, f"metrics: {name}")
                   for name, value in _object(_at("metrics", data, _WHOLE), "metrics").items()}
        if not metrics:
            raise InputError(f"{_WHOLE} has no metric. Expected at least one under 'metrics'.")
        return cls(_record(TestSetInfo, _at("testset", data, _WHOLE), "testset"),
                   _record(Settings, _at("settings", data, _WHOLE), "settings"),
                   _records(Caution, _at("warnings", data, _WHOLE), "warnings"), metrics,
                   _records(Exclusion, data.get("excluded", []), "excluded"))


# -- reading JSON --------------------------------------------------------------------------------------------

_WHOLE = "The comparison"


def _parsed(text):
    def refused(constant):
        raise InputError(f"{_WHOLE} holds {constant}, which is not JSON. Expected null where undefined.")

    try:
        return json.loads(text, parse_constant=refused)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno}: {error.msg})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"This is not JSON{where}. Expected what compare --format json writes.") from error


def _metric(name, data, where):
    data = _object(data, where)
    signature = _typed("str", _at("signature", data, where), f"{where}: signature")
    higher_is_better = _typed("bool", _at("higher_is_better", data, where), f"{where}: higher_is_better")
    systems = _records(SystemResult, _at("systems", data, where), f"{where}: systems")
    pairs = _records(PairResult, _at("pairs", data, where), f"{where}: pairs")
    known = {row.system for row in systems}
    if not known or len(known) < len(systems):
        raise InputError(f"{where}: {len(systems)} systems with {len(known)} names. Expected each system once.")
    for row in pairs:
        if row.a == row.b or not {row.a, row.b} <= known:
            raise InputError(f"{where}: a pair of {row.a!r} and {row.b!r}. Expected two of its systems.")
        if row.better not in ("a", "b", None):
            raise InputError(f'{where}: better is {row.better!r} in the pair {row.a} - {row.b}. '
                             'Expected "a", "b" or null.')
    by_reference = _records(ReferenceLeaders, data.get("by_reference", []), f"{where}: by_reference")
    for row in by_reference:  # results of versions that did not look have none
        if not row.leaders or not known.issuperset(row.leaders):
            raise InputError(f"{where}: by {row.reference} the leaders are {_shown(row.leaders)}. Expected some of its "
                             "systems.")
    tokenizer = _typed("str | None", data.get("tokenizer"), f"{where}: tokenizer")
    return MetricResult(name, signature, higher_is_better, systems, pairs, by_reference, tokenizer)


def _records(kind, values, where):
    if not isinstance(values, list):
        raise InputError(f"{where} is {_shown(values)}. Expected a list.")
    return tuple(_record(kind, value, f"{where}, entry {k}") for k, value in enumerate(values, 1))


def _record(kind, data, where):
    data = _object(data, where)
    return kind(**{f.name: _typed(f.type, _at(f.name, data, where), f"{where}: {f.name}")
                   for f in fields(kind) if f.name in data or f.default is MISSING})


def _object(value, where):
    if not isinstance(value, dict):
        raise InputError(f"{where} is {_shown(value)}. Expected an object with keys.")
    return value


def _at(key, data, where):
    if key not in data:
        raise InputError(f"{where} has no {key!r}. Expected what compare --format json writes.")
    return data[key]


def _typed(kind, value, where):
    """The value as it is, if it is of the type that a field is annotated with."""
    plain = kind.removesuffix(" | None")
    if value is None and plain != kind:
        return None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = {"str": isinstance(value, str), "bool": isinstance(value, bool),
            "float": number and abs(value) < math.inf, "int": number and isinstance(value, int),
            "tuple[str, ...]": isinstance(value, list) and all(isinstance(item, str) for item in value)}[plain]
    if not fits:
        or_null = " or null" if plain != kind else ""
        raise InputError(f"{where} is {_shown(value)}. Expected {_JSON_TYPES[plain]}{or_null}.")
    return tuple(value) if isinstance(value, list) else value


def _shown(value, longest=40):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]}..."
