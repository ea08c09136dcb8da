"""What a test looks at, drawn again from the settings of a comparison."""

import numpy as np

from mtsig_core.stats.contrast import contrast_pairs
from mtsig_core.stats.draws import draw_replicates, draw_systems
from mtsig_core.stats.engine import measure
from mtsig_core.stats.settings import Plan


def draw_again(comparison, testset, metric=None):
    """The replicates of the pairs of a comparison by one metric, shape (pairs, trials).

    NaN for a pair without a common segment.
    """
    (result,) = comparison.metrics.values()
    measured = measure(testset, metric or result.metric)
    plan = Plan.from_settings(comparison.settings)
    units = measured.units(plan.unit, plan.block_length)
    row = measured.names.index
    pairs = np.array([(row(pair.a), row(pair.b)) for pair in result.pairs])
    contrast = contrast_pairs(measured.metric, measured.stored, units, pairs)
    sides = draw_systems(contrast.data, contrast.statistics, plan, 1, None)
    return contrast.fill(draw_replicates(contrast, sides, plan, 1, None)[:])
