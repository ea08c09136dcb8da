"""What samples conclude about a pair, and how they spread, as rows of text; published counts beside ours."""

from __future__ import annotations

from collections.abc import Mapping

from mtsig_core.experiments.sampled import Sampling
from mtsig_core.experiments.spreads import Spreads
from mtsig_core.published import KOEHN_7_8

__all__ = ["spread_rows", "tally_rows"]

_TESTS = {"koehn": "paired bootstrap", "ar": "approximate randomization"}


def tally_rows(found: Mapping[str, Sampling], a: str, b: str, alpha: float,
               published: bool = False) -> tuple[list[str], list[list[str]]]:
    """Header and rows of the conclusions by kind of sample and test.

    Parameters
    ----------
    found : mapping of str to Sampling
        By the name of the kind.
    a, b : str
    alpha : float
    published : bool
        Whether to add the row of `Koehn (2004)` where there is one for the pair.
    """
    rows = []
    for kind, one in found.items():
        for test, name in _TESTS.items():
            tally = one.pair(a, b).tally(test, alpha)
            rows.append([kind, name, str(tally.right), str(tally.wrong), str(tally.none)])
    for better, worse, right, wrong in KOEHN_7_8.rows["bleu"] if published else ():
        if {better, worse} == {a, b}:
            rows.append([KOEHN_7_8.source, "paired bootstrap", str(right), str(wrong), str(100 - right - wrong)])
    return ["samples", "test, uncorrected", "right", "wrong", "no conclusion"], rows


def spread_rows(found: Spreads, system: str) -> tuple[list[str], list[list[str]]]:
    """Sizes down: spreads of one system and their ratio, then the median and the range of the ratios of all."""
    ratios, rows = found.ratios(), []
    for row in found.rows:
        if row.system == system:
            of_all = ratios.get(row.size)
            rows.append([f"{row.size:,}", str(row.samples), *(
                "-" if sd is None else f"{sd:.2f}" for sd in (row.blocks, row.broad)),
                "-" if row.ratio is None else f"{row.ratio:.2f} [{row.ratio_low:.2f}, {row.ratio_high:.2f}]",
                *(["-", "-"] if of_all is None else [f"{of_all[1]:.2f}", f"{of_all[0]:.2f} to {of_all[2]:.2f}"])])
    return (["segments", "samples", "SD of blocks", "SD of broad samples", "ratio",
             "median ratio of all systems", "lowest to highest"], rows)
