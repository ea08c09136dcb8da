"""What decides what may be claimed, for what is quoted without the list of warnings, as captions and papers are."""

from __future__ import annotations

from collections.abc import Iterable

from mtsig_core.errors import counted
from mtsig_core.inference.across_corrections import CONTROLS
from mtsig_core.inference.cautions import BESIDE_VERDICT
from mtsig_core.inference.few_units import few_drawn_code, what_lacks
from mtsig_core.inference.file_cautions import WRONG_FILES
from mtsig_core.results import Caution, Comparison, MetricResult

__all__ = ["assumptions", "caveats", "controlled", "direction", "documents_compared", "keeps_its_level",
           "on_different_lines", "qualifying", "ranks_hold_jointly", "segments_compared", "what_is_scored",
           "wrong_files"]

_IGNORED, _AS_PUBLISHED, _ASSUMES, _FEW = "documents-ignored", "-as-published", "-assumes", "few-units"
_INDEPENDENT = "no-documents"
_PARTLY, _DIFFERENT = "partly-rated", "rated-on-different-lines"


def assumptions(assumed: Iterable[str], metrics: Iterable[str]) -> list[str]:
    """Sentences: what was assumed of these metrics when a test set or a task was read, and what was left out then."""
    named = tuple(f"{metric}:" for metric in metrics)
    return [f"Assumed: {text}" if text.startswith(named) else text for text in assumed
            if text.startswith(("Left out", *named))]


def direction(higher_is_better: bool, differences: bool = True) -> str:
    """Whether higher is better, and what a positive difference then is, where there are `differences`."""
    if higher_is_better:
        return "higher is better"
    return "lower is better" + "; a positive difference is an improvement" * differences


def keeps_its_level(comparison: Comparison) -> bool:
    """Whether no warning says that the test rejects more true nulls than alpha; if not, no correction mends that."""
    few = few_drawn_code(comparison.settings.test)
    return not any(caution.code in (_IGNORED, few) or caution.code.endswith(_AS_PUBLISHED)
                   for caution in comparison.warnings)


def controlled(comparison: Comparison, correction: str) -> str:
    """What a correction controls; nothing where the test itself rejects too many true nulls."""
    return CONTROLS[correction] if keeps_its_level(comparison) else "nothing: the test rejects too often"


def ranks_hold_jointly(comparison: Comparison) -> bool:
    """Whether rank intervals may be said to hold for all systems together."""
    return comparison.settings.rank_rule == "simultaneous" and keeps_its_level(comparison)


def on_different_lines(comparison: Comparison, result: MetricResult) -> bool:
    """Whether systems have scores on different segments, so that two scores need not differ by their difference."""
    return any(caution.code == _DIFFERENT and caution.metric == result.metric for caution in comparison.warnings)


def segments_compared(comparison: Comparison, result: MetricResult) -> tuple[str, str]:
    """What goes before and after the size of a test set that pairs were compared on part of, such as ("603 of ",
    ", those with scores"); nothing where it is all of it."""
    some = _some({pair.n for pair in result.tested}, comparison.testset.n_segments)
    both = "" if not on_different_lines(comparison, result) else \
        f" for both systems{' of a pair' if len(result.pairs) > 1 else ''}"
    return some, f", those with scores{both}" if some else ""


def documents_compared(comparison: Comparison, result: MetricResult) -> str:
    """The documents of a test set and how many of them were compared, such as " in 66 of 120 documents"; nothing where
    that is not known."""
    n = comparison.testset.n_documents
    by_document = comparison.settings.unit == "document"
    if n is None or not by_document and segments_compared(comparison, result)[0]:
        return ""
    some = _some({pair.n_units for pair in result.tested}, n) if by_document else ""
    return f" in {some}{counted(n, 'document')}"


def _some(counts: set[int | None], whole: int) -> str:
    """Such as "603 of ", or "540 to 603 of "; nothing where each is the whole, or not known."""
    n = sorted(many for many in counts if many is not None)
    return "" if not n or n[0] == whole else f"{' to '.join(f'{many:,}' for many in dict.fromkeys((n[0], n[-1])))} of "


def wrong_files(cautions: Iterable[Caution]) -> list[Caution]:
    """The warnings that put all numbers of a system in doubt, which stand beside every verdict."""
    return [caution for caution in cautions if caution.code in WRONG_FILES]


def what_is_scored(comparison: Comparison, result: MetricResult) -> list[str]:
    """Sentences: texts that are hardly the right ones; and which segments a score and a difference are of, where some
    segments have no score."""
    if not result.was_given and (doubts := wrong_files(comparison.warnings)):
        return [caution.finding for caution in doubts]
    if on_different_lines(comparison, result):
        return ["A score is the mean over all segments that its system has scores for, a difference that over the "
                "segments that both systems have scores for, so it need not be that of the two scores."]
    return [caution.finding for caution in comparison.warnings
            if caution.code == _PARTLY and caution.metric == result.metric and not result.tested]


def qualifying(comparison: Comparison, result: MetricResult) -> list[Caution]:
    """The warnings without which nothing of a result should be quoted: what is wrong with the test or the unit, that
    segments are taken as independent, few units, what a rank rule leaves out, why nobody is declared better, and that
    metrics name different top groups."""
    return [caution for caution in comparison.warnings
            if caution.code in (_IGNORED, few_drawn_code(comparison.settings.test))
            or caution.code.endswith((_AS_PUBLISHED, _ASSUMES))
            or caution.code == _INDEPENDENT and comparison.settings.unit == "segment"
            or caution.code == _FEW and caution.metric in (None, result.metric)
            or caution.code == "top-groups-differ"
            or caution.code in ("rank-rule", *BESIDE_VERDICT) and caution.metric == result.metric]


def caveats(comparison: Comparison, result: MetricResult, here: bool = True) -> list[str]:
    """Sentences: what is wrong with the test or the unit, in the words of the warnings without what to do, and without
    what holds `here` alone where that is not wanted; and what therefore need not hold."""
    said = [caution.finding if here else caution.general for caution in qualifying(comparison, result)]
    if not result.tested or keeps_its_level(comparison) or what_lacks(comparison.settings, result):
        return said
    parts = ["decisions"]
    if any(caution.code == _IGNORED for caution in comparison.warnings):
        parts.append("intervals")
    if len(result.tested) > 1 and comparison.settings.correction != "none":
        parts.append("the correction")
    if result.systems[0].rank_low is not None and result.ruled is None:
        parts.append("rank intervals")
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
    return [*said, f"So {listed} need not hold at the level said."]
