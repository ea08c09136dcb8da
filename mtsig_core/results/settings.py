"""What a result says of its test set and of how it was made: settings, warnings, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass, field

from mtsig_core.data.testset import TestSet
from mtsig_core.errors import Remedy

__all__ = ["TestSetInfo", "SamplingSettings", "Settings", "Caution", "Exclusion"]


@dataclass(frozen=True)
class TestSetInfo:
    """What a result says of the test set it came from; `assumed` as in `TestSet`."""

    __test__ = False

    name: str
    digest: str
    n_segments: int
    n_documents: int | None
    references: tuple[str, ...]
    systems: tuple[str, ...]
    simulated: bool
    assumed: tuple[str, ...] = ()

    @classmethod
    def of(cls, testset: TestSet) -> TestSetInfo:
        return cls(testset.name, testset.digest, testset.n_segments, testset.n_documents,
                   tuple(testset.references), tuple(testset.systems), testset.simulated,
                   testset.assumed)


@dataclass(frozen=True)
class SamplingSettings:
    """What is drawn and how often, as resolved, where nothing is tested; intervals have level 1 - `alpha`."""

    unit: str
    block_length: float | None
    alpha: float
    resamples: int
    seed: int
    version: str


@dataclass(frozen=True)
class Settings:
    """Every choice that the numbers of a comparison depend on, as resolved (no ``auto`` is left).

    `ci` is the kind of interval for the whole test set; where few documents have ratings theirs may be another, see
    `MetricResult.ci`. `rank_rule` says how ranks are made of the pairs, see `inference.rank_rules`; of results of
    versions that had but one it is that.
    """

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
    rank_rule: str = "simultaneous"


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
    remedies : tuple of Remedy
        Settings that each would help, as data: whoever shows the warning says them in its own words.
    here, advice : str
        Of the text, what holds of this comparison alone, and what to do: its end, where who quotes it may stop.
    """

    code: str
    text: str
    metric: str | None = None
    a: str | None = None
    b: str | None = None
    remedies: tuple[Remedy, ...] = field(default=(), hash=False)
    here: str = ""
    advice: str = ""

    @classmethod
    def of(cls, code: str, general: str, metric: str | None = None, *, here: str = "", advice: str = "",
           remedies: tuple[Remedy, ...] = ()) -> Caution:
        """One whose text has parts: what holds of all that is done so, what of this comparison, and what to do."""
        text = " ".join(filter(None, (general, here, advice)))
        return cls(code, text, metric, remedies=remedies, here=here, advice=advice)

    @property
    def finding(self) -> str:
        """The text without what to do."""
        return self.text.removesuffix(self.advice).rstrip()

    @property
    def general(self) -> str:
        """The finding without what holds of this comparison alone."""
        return self.finding.removesuffix(self.here).rstrip()


@dataclass(frozen=True)
class Exclusion:
    """A system that was left out of the comparison, and why, where somebody said so."""

    system: str
    reason: str = ""
