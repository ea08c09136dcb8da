"""`break_down`: where two outputs differ, by frequency of the word, length of the segment, and n-gram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.experiments.frame import column, table_row
from mtsig_core.metrics import Metric, direction, make_metric, resolve_metric
from mtsig_core.metrics.overlap import NgramMatches, match_ngrams
from mtsig_core.results import SamplingSettings
from mtsig_core.stats.engine import UnitStatistics, bootstrap_scores, measure
from mtsig_core.stats.intervals import finite_ends, simultaneous
from mtsig_core.stats.resampling import Units
from mtsig_core.testset import TestSet

#: How often a word is in the reference, and how many words a reference has: where buckets begin,
#: and their names. A word that the reference lacks is in no text that counts: its bucket is empty.
FREQUENCIES = {
    0: "0",
    1: "1",
    2: "2",
    3: "3",
    4: "4",
    5: "5–9",
    10: "10–99",
    100: "100–999",
    1000: "1,000 or more",
}
LENGTHS = {
    0: "0–9",
    10: "10–19",
    20: "20–29",
    30: "30–39",
    40: "40–49",
    50: "50–59",
    60: "60 or more",
}
_LISTED = 10  # n-grams in favour of each system
_LEAST_UNITS = 5  # of equal size; with fewer an interval would tell nothing


@table_row
class Bucket:
    """Words of one frequency, or segments of one length."""

    first: int  # the frequency or length at which it begins
    range: str = column("range", "name")
    n: int = column("n", "count")  # words of the reference, or segments
    score_a: float = column("a", "score", "*")
    score_b: float = column("b", "score", "*")
    difference: float = column("difference", "difference", "*")  # the improvement of a over b
    #: The interval that holds for all buckets of its table together; None of few units.
    ci: tuple[float, float] | None = column("CI", "interval", "+*")


@table_row
class NgramLead:
    """An n-gram that one system gets right more often than the other."""

    system: str = column("more often right", "name")
    ngram: str = column("n-gram", "name")  # its words, with spaces between
    n_a: int = column("a", "count")  # matches with the reference, clipped in each segment
    n_b: int = column("b", "count")
    line: int = column("such as line", "text")  # where this system has most more


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Where two systems differ: to be explored, as nobody chose a row in advance."""

    words: tuple[Bucket, ...]  # F1 in points
    lengths: tuple[Bucket, ...]
    ngrams: tuple[NgramLead, ...]  # in favour of a, then of b, the clearest first


def break_down(
    testset: TestSet,
    metric: str | Metric,
    a: str,
    b: str,
    settings: SamplingSettings,
) -> Breakdown:
    """Compare two systems by frequency of the word, by length of the segment, and by n-gram.

    Words are those of the first reference, by the tokenizer that was chosen for the metric, or else
    that of the test set. The F1 of a bucket of words is GTM of the words in it. Intervals are max-T
    over the buckets of a table, by the bootstrap of the settings, as an examination of the pair has
    them.

    N-grams of one to four words are in the order of t, the lead in matches over the root of its
    summed squares in segments. They are not tested.

    Raises
    ------
    SettingError
        Without a reference, and for unknown systems.

    Examples
    --------
    >>> ref = [f"the old cat sees {k}" for k in range(40)]
    >>> ts = TestSet("toy", {"A": ref, "B": [text.replace("cat", "dog") for text in ref]}, {"ref": ref})
    >>> found = break_down(ts, "chrf", "A", "B", SamplingSettings("segment", None, 0.05, 99, 0, ""))
    >>> [(row.first, row.n, row.score_a, round(row.score_b, 1)) for row in found.words]
    [(1, 40, 100.0, 100.0), (10, 160, 100.0, 85.7)]
    >>> found.ngrams[0]
    NgramLead(system='A', ngram='the old cat sees', n_a=40, n_b=0, line=1)
    """
    if not testset.references:
        raise SettingError("There is no reference to compare words with.", {"ref": "FILE"})
    metric = resolve_metric(testset, metric)
    measured = measure(testset, metric).only((a, b))
    testset = measured.testset
    statistics = measured.statistics
    units = measured.units(settings.unit, settings.block_length)
    lengths, grams = match_ngrams(testset, metric)
    in_reference, by_frequency = _sum_words(grams[0], testset.n_segments)
    if measured.has_score is not None:
        lengths = np.where(measured.has_score.all(axis=0), lengths, -1)
    bucket = np.searchsorted(list(LENGTHS), lengths, side="right") - 1
    is_in_bucket = bucket == np.arange(len(LENGTHS))[:, None]
    by_length = statistics[:, None] * is_in_bucket[..., None]
    matcher = make_metric("gtm")
    return Breakdown(
        words=_estimate(FREQUENCIES, in_reference, matcher, by_frequency, units, settings),
        lengths=_estimate(LENGTHS, is_in_bucket, metric, by_length, units, settings),
        ngrams=(
            *_list_leads(grams, a, 1, testset.lines),
            *_list_leads(grams, b, -1, testset.lines),
        ),
    )


# -------------------------------------------------------------------------------------------------
# Buckets of words and of segments.


def _sum_words(words: NgramMatches, n_segments: int) -> tuple[np.ndarray, np.ndarray]:
    """Sum words by how often the whole reference has them.

    Returns the words of the reference, shape (buckets, segments), and the statistics of GTM, shape
    (2, buckets, segments, 3).
    """
    frequency = np.bincount(words.gram, words.counts[0])
    bucket = np.searchsorted(list(FREQUENCIES), frequency[words.gram], side="right") - 1
    place = bucket * n_segments + words.segment
    sums = []
    for values in (*words.counts, *words.matches):
        summed = np.bincount(place, values, len(FREQUENCIES) * n_segments)
        sums.append(summed.reshape(-1, n_segments))
    in_reference = sums[0]
    statistics = np.stack([sums[3:], sums[1:3], [in_reference, in_reference]], axis=-1)
    return in_reference, statistics


def _estimate(
    names: Mapping[int, str],
    sizes: np.ndarray,
    metric: Metric,
    statistics: np.ndarray,
    units: Units,
    settings: SamplingSettings,
) -> tuple[Bucket, ...]:
    """Score the buckets that have something, with intervals that hold for all of them together.

    Shapes: `sizes` (buckets, segments), `statistics` (2, buckets, segments, stats).
    """
    n_buckets, n_segments = sizes.shape
    rows = statistics.reshape(2 * n_buckets, n_segments, -1)
    data = UnitStatistics(metric, rows, units)
    resampled = bootstrap_scores(data, settings.resamples, settings.seed)
    of_a, of_b = resampled.reshape(2, n_buckets, -1)
    score_a, score_b = data.scores.reshape(2, n_buckets)
    difference = direction(metric) * (score_a - score_b)
    by_unit = units.sum(sizes[..., None] * 1.0)[..., 0]
    n_units = np.count_nonzero(by_unit, axis=1)
    n_effective = n_units * units.effective / units.n
    low, high = simultaneous(
        difference,
        np.nan_to_num(direction(metric) * (of_a - of_b)),
        n_units,
        n_effective,
        settings.alpha,
    )
    low = np.where(n_effective < _LEAST_UNITS, np.nan, low)
    buckets = []
    sums = sizes.sum(axis=1)
    for k, (first, name) in enumerate(names.items()):
        if sums[k]:
            bucket = Bucket(
                first=first,
                range=name,
                n=int(sums[k]),
                score_a=float(score_a[k]),
                score_b=float(score_b[k]),
                difference=float(difference[k]),
                ci=finite_ends(low[k], high[k]),
            )
            buckets.append(bucket)
    return tuple(buckets)


# -------------------------------------------------------------------------------------------------
# N-grams.


def _list_leads(
    grams: Sequence[NgramMatches], system: str, sign: int, lines: Sequence[int]
) -> tuple[NgramLead, ...]:
    """List the n-grams that one system gets right more often, of two as clear the longer first.

    `sign` is 1 for a, -1 for b.
    """
    ranked = []
    for counts in reversed(grams):
        lead = sign * (counts.matches[0] - counts.matches[1])
        squares = np.bincount(counts.gram, lead**2)
        t = np.bincount(counts.gram, lead) / np.sqrt(np.maximum(squares, 1))
        best = [k for k in np.argsort(-t, kind="stable")[:_LISTED] if t[k] > 0]
        ranked += [(-t[k], counts, np.flatnonzero(counts.gram == k)) for k in best]
    ranked.sort(key=itemgetter(0))
    leads = []
    for _, counts, cells in ranked[:_LISTED]:
        of_a, of_b = counts.matches[:, cells]
        position = np.argmax(sign * (of_a - of_b))
        lead = NgramLead(
            system=system,
            ngram=counts.spell(counts.gram[cells[0]]),
            n_a=int(of_a.sum()),
            n_b=int(of_b.sum()),
            line=lines[counts.segment[cells[position]]],
        )
        leads.append(lead)
    return tuple(leads)
