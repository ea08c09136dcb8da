"""Who is ahead by each reference alone, where several score a test set together and may not agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mtsig_core.data.testset import TestSet
from mtsig_core.inference.cautions import repeated_references
from mtsig_core.inference.engine import Stages
from mtsig_core.inference.few_units import can_reach, rank_correction, trials_needed
from mtsig_core.inference.measured import measure
from mtsig_core.inference.pairwise import unbeaten
from mtsig_core.inference.significance import TESTS
from mtsig_core.metrics import Metric, is_segment_mean
from mtsig_core.results import ReferenceLeaders, Settings

__all__ = ["leaders_by_reference", "references_alone"]


def leaders_by_reference(parts: Mapping[str, TestSet], metric: Metric, settings: Settings, jobs: int,
                         stage: Stages) -> tuple[ReferenceLeaders, ...]:
    """The systems that no other is significantly better than, by each reference alone; all else as in `settings`.

    `parts` are those of `references_alone`, which serve all metrics.

    Nothing where there is no such circle, or nothing to learn from it: with one reference or one system, against a
    baseline, for tests and families that give no ranks, for scores that do not come from the references, and where a
    system repeats a reference word for word.

    Examples
    --------
    >>> from mtsig_core import compare
    >>> outputs = {"A": ["a b c d x"] * 40, "B": ["a b c y e"] * 40}
    >>> ts = TestSet("toy", outputs, {"r1": ["a b c d e"] * 40, "r2": ["a b c y z"] * 40})
    >>> [(row.reference, row.leaders) for row in compare(ts, "wer", trials=99).metrics["wer"].by_reference]
    [('r1', ('A', 'B')), ('r2', ('B',))]
    """
    n_systems = max((len(part.systems) for part in parts.values()), default=0)
    if is_segment_mean(metric) or trials_needed(settings, n_systems * (n_systems - 1) // 2) is not None:
        return ()
    found = []
    for k, (name, part) in enumerate(parts.items(), 1):
        counting, testing = (stage(f"{what}, reference {k} of {len(parts)} alone") for what in ("counting", "test"))
        length = settings.block_length and min(settings.block_length, float(part.n_segments))
        seen, chosen = measure(part, metric, progress=counting), replace(settings, block_length=length)
        units = seen.units(chosen.unit, chosen.block_length)
        n_pairs = len(seen.names) * (len(seen.names) - 1) // 2
        decidable = bool(can_reach(chosen, np.full(n_pairs, units.pieces), rank_correction(chosen)).any())
        leaders, ahead = tuple(seen.best_first().names), False
        if decidable:
            leaders, ahead, decidable = unbeaten(seen, chosen, jobs, testing)
        found.append(ReferenceLeaders(name, leaders, part.n_segments, decidable, ahead))
    return tuple(found)


def references_alone(testset: TestSet, test: str, baseline: str | None) -> dict[str, TestSet]:
    """For each reference that has a text, the segments that it has, scored with it alone.

    Nothing where `leaders_by_reference` has nothing to say, whatever the metric.
    """
    if (len(testset.references) < 2 or len(testset.systems) < 2 or baseline is not None
            or TESTS[test].p_values is None or repeated_references(testset)):
        return {}
    there = {name: [k for k, text in enumerate(texts) if text is not None]
             for name, texts in testset.references.items()}
    return {name: (testset if len(some) == testset.n_segments else testset.at(some)).scored_with([name])
            for name, some in there.items() if some}
