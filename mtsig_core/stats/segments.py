"""Segments of two systems: found by document, domain or text, put in order, and scored together."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mtsig_core.errors import SettingError
from mtsig_core.metrics import Metric, direction
from mtsig_core.stats import engine
from mtsig_core.stats.arrays import rounding
from mtsig_core.stats.engine import common, has_gaps, paired
from mtsig_core.stats.pair import contributions
from mtsig_core.stats.resampling import make_units
from mtsig_core.testset import TestSet

#-----------------------------------------------------------------------------------------------------------------------
# Texts that match a regular expression, looked for in a process of its own.
#
# Python's `re` cannot be stopped: some patterns take years, or all memory, on a short text. The process can be ended.


#: That a search may take.
SECONDS = 2.0
_MEGABYTES = 1000
_SEARCH = f"""
import json, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({_MEGABYTES << 20}, {_MEGABYTES << 20}))
    resource.setrlimit(resource.RLIMIT_CPU, ({int(SECONDS) + 1}, {int(SECONDS) + 1}))
except (ImportError, OSError, ValueError):
    pass  # not everywhere
import re, warnings
warnings.simplefilter("ignore")
asked = json.load(sys.stdin)
try:
    search = re.compile(asked["pattern"], re.IGNORECASE).search
except (re.error, OverflowError) as error:
    print(json.dumps({{"wrong": str(error)}}))
else:
    print(json.dumps({{"found": [k for k, texts in enumerate(zip(*asked["fields"]))
                               if any(text is not None and search(text) for text in texts)]}}))
"""


def matching(fields: Sequence[Sequence[str | None]], pattern: str) -> np.ndarray:
    r"""In which segments a regular expression of Python's `re` matches one of the texts, capitals or not: bool, shape
    (segments,). SettingError for a pattern that cannot be read, or takes longer than `SECONDS` or too much memory.

    >>> matching([["12 cats", "a dog", None], ["", "", "no 7"]], r"\d+$|^a\b").tolist()
    [False, True, True]
    """
    inside = np.zeros(len(fields[0]) if fields else 0, dtype=bool)
    if not fields:
        return inside
    asked = json.dumps({"pattern": pattern, "fields": [list(texts) for texts in fields]})
    try:
        done = subprocess.run([sys.executable, "-I", "-S", "-c", _SEARCH], input=asked.encode(), capture_output=True,
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise SettingError(_too_much(pattern)) from None
    if done.returncode:
        raise SettingError(_too_much(pattern))
    answer = json.loads(done.stdout)
    if "wrong" in answer:
        raise SettingError(f"The regular expression {pattern!r} cannot be read: {answer['wrong']}. A backslash before "
                           "a sign such as ( or . looks for the sign itself.")
    inside[answer["found"]] = True
    return inside


def _too_much(pattern: str) -> str:
    return (f"The regular expression {pattern!r} takes more than {SECONDS:g} seconds, or too much memory, on these "
            "texts. Repeat no group that repeats itself, such as (a+)+, or look for a text as it is written.")


#-----------------------------------------------------------------------------------------------------------------------
# Segments of two systems: found by document, domain or text, put in order, and scored together.


#: What a list of segments may be ordered by.
ORDERS = ("most in favour of A", "most in favour of B", "largest either way", "line", "length")

#: Where a text may be looked for.
PLACES = ("anywhere", "source", "references", "output of A", "output of B")

#: How a text may be looked for.
WAYS = ("as written", "whole words", "regular expression")


def added_by_segment(testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray) -> np.ndarray:
    """What each segment adds to the improvement of a over b (see `pair.contributions`), in points, shape (segments,):
    above 0 where the segment speaks for a, also for metrics where lower is better.

    >>> from mtsig_core import make_metric
    >>> ts = TestSet("toy", {"A": ["a b c d", "e f g h"], "B": ["a b c d", "e f"]}, {"ref": ["a b c d", "e f g h"]})
    >>> bleu = make_metric("bleu")
    >>> [bool(value > 0) for value in added_by_segment(ts, bleu, "A", "B", bleu.statistics(ts))]
    [False, True]
    """
    both = _common_statistics(testset, metric, a, b, statistics)
    values = direction(metric) * contributions(engine.UnitStatistics(metric, both, make_units(testset, "segment")))
    values.flags.writeable = False
    return values


def find_segments(testset: TestSet, a: str, b: str, *, document: int | None = None, domain: str | None = None,
                  text: str = "", where: str = "anywhere", how: str = "as written", among: np.ndarray | None = None,
                  shortest: int | None = None, longest: int | None = None) -> np.ndarray:
    """Positions of the segments of a document, of a domain, of some length, or in which a text occurs.

    Parameters
    ----------
    testset : TestSet
    a, b : str
        The two systems in whose outputs to look.
    document : int, optional
        Number of a document, as in `TestSet.document_index`.
    domain : str, optional
    text : str
        Looked for, capitals or not. Empty: every segment.
    where : str
        One of `PLACES`; anywhere is in the source, a reference, or the output of a or b.
    how : str
        One of `WAYS`: as it is written, also inside of words; as whole words; as a regular expression of Python's `re`
        (see `patterns.matching`).
    shortest, longest : int, optional
        Characters of the longest reference, as in `in_order`.
    among : ndarray of int, optional
        Positions outside of which none is wanted, such as those of `deciding_segments`.

    Returns
    -------
    ndarray of int, shape (found,)
        From 0, in the order of the test set.

    Raises
    ------
    SettingError
        For a place or a way that is none, a regular expression that cannot be read or takes too long, systems that are
        not there, documents or domains where the set has none.

    Examples
    --------
    >>> ts = TestSet("toy", {"A": ["a Cat", "a dog"], "B": ["cats", "a rat"]}, {"ref": ["a cat", "a dog"]})
    >>> find_segments(ts, "A", "B", text="CAT").tolist(), find_segments(ts, "A", "B", text="cats").tolist()
    ([0], [0])
    >>> find_segments(ts, "A", "B", text="a", where="output of B").tolist()
    [0, 1]
    """
    if where not in PLACES:
        raise SettingError(f"where is {where!r}. Expected one of: {', '.join(PLACES)}.")
    _rows(testset, a, b)
    found = np.full(testset.n_segments, among is None)
    found[np.arange(0) if among is None else among] = True
    if document is not None:
        found &= testset.document_index == document
    if domain is not None:
        if testset.domains is None:
            raise SettingError(f"{testset.name} has no domains. A documents file with `domain<TAB>docid` gives them.")
        found &= np.fromiter((d == domain for d in testset.domains), bool, testset.n_segments)
    if shortest is not None or longest is not None:
        lengths = _lengths(testset)
        found &= (lengths >= (shortest or 0)) & (lengths <= (lengths.max() if longest is None else longest))
    if text:
        found &= _inside(_texts(testset, a, b, where), text, how, testset.n_segments)
    return np.flatnonzero(found)


def _inside(fields: Sequence[Sequence[str | None]], text: str, how: str, n: int) -> np.ndarray:
    """In which segments a text occurs in one of the fields."""
    if how not in WAYS:
        raise SettingError(f"how is {how!r}. Expected one of: {', '.join(WAYS)}.")
    if how == WAYS[2]:
        return matching(fields, text) if fields else np.zeros(n, dtype=bool)
    wanted, inside = text.casefold(), np.zeros(n, dtype=bool)
    word = re.compile(rf"(?<!\w){re.escape(wanted)}(?!\w)") if how == WAYS[1] else None
    for field in fields:
        inside |= np.fromiter((wanted in folded and (word is None or word.search(folded) is not None)
                               for folded in _folded(field)), bool, n)
    return inside


def _lengths(testset: TestSet) -> np.ndarray:
    """Characters of the longest reference of each segment."""
    lengths = np.zeros(testset.n_segments, dtype=np.int64)
    for texts in testset.references.values():
        lengths = np.maximum(lengths, [len(text or "") for text in texts])
    return lengths


def in_order(testset: TestSet, positions: np.ndarray, added: np.ndarray, order: str) -> np.ndarray:
    """The same positions in one of `ORDERS`, by what each segment adds or by the characters of the longest reference,
    longest first; ties in the order of the test set.

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["aaa", "b", "cc"]})
    >>> added = np.array([0.1, -0.3, 0.2])
    >>> [in_order(ts, np.arange(3), added, order).tolist() for order in ORDERS]
    [[2, 0, 1], [1, 0, 2], [1, 2, 0], [0, 1, 2], [0, 2, 1]]
    """
    if order not in ORDERS:
        raise SettingError(f"order is {order!r}. Expected one of: {', '.join(ORDERS)}.")
    if order == "line":
        return np.sort(positions)
    if order == "length":
        keys = -_lengths(testset)[positions]
    else:
        values = added[positions]
        keys = {"most in favour of A": -values, "most in favour of B": values,
                "largest either way": -np.abs(values)}[order]
    return positions[np.argsort(keys, kind="stable")]


def scores_on(testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray,
              positions: np.ndarray) -> tuple[float, float]:
    """Corpus scores of a and b on some segments alone, from their summed statistics.

    It describes these segments. They were chosen by looking, so no test of the difference would be valid.

    Raises
    ------
    SettingError
        If there is no segment to score.
    """
    if not len(positions):
        raise SettingError("No segment to score. Expected at least one position.")
    both = _common_statistics(testset, metric, a, b, statistics)[:, positions]
    if not common(metric, both, engine.all_pairs(2))[0]:
        raise SettingError(f"None of these {len(positions)} segments has a score by {metric.name} for {a} and {b}.")
    first, second = metric.score(both.sum(axis=1))
    return float(first), float(second)


def deciding_segments(testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray,
                      added: np.ndarray) -> np.ndarray:
    """The segments without which the better of two systems would not be ahead.

    Those are left out one after the other that add most in its favour, until the corpus scores of the rest are equal
    or turned round. Each is weighed by what it adds when it alone is left out, so there may be a smaller such set
    (Broderick, Giordano and Meager 2020, who look for the share of the data that carries a conclusion). It describes
    the difference; it is no test.

    Parameters
    ----------
    testset, metric, a, b, statistics
        As in `added_by_segment`.
    added : ndarray, shape (segments,)
        What that gives.

    Returns
    -------
    ndarray of int, shape (deciding,)
        Positions from 0, the first left out first; none where the scores are equal, or where the better stays ahead
        however many are left out.

    Examples
    --------
    >>> from mtsig_core import make_metric
    >>> ref = ["a b c d e", "f g h i j", "k l m n o", "p q r s t"]
    >>> ts = TestSet("toy", {"A": ref, "B": ["a b c d e", "f g h i", "k l m n o", "p q r s t"]}, {"ref": ref})
    >>> bleu = make_metric("bleu")
    >>> counts = bleu.statistics(ts)
    >>> deciding_segments(ts, bleu, "A", "B", counts, added_by_segment(ts, bleu, "A", "B", counts)).tolist()
    [1]
    """
    both = _common_statistics(testset, metric, a, b, statistics).astype(np.float64)
    whole = both.sum(axis=1)
    first, second = metric.score(whole)
    ahead = np.sign(first - second) * direction(metric)
    if abs(first - second) <= rounding(np.array([first, second])):
        return np.arange(0)
    order = np.argsort(-ahead * added, kind="stable")
    rest = whole[:, None] - np.cumsum(both[:, order], axis=1)
    first, second = np.asarray(metric.score(rest[:, :-1]))  # of no segment there is no score
    turned = ahead * direction(metric) * (first - second) <= rounding(np.stack([first, second], axis=-1))
    return order[:int(np.argmax(turned)) + 1] if turned.any() else np.arange(0)


def in_document(testset: TestSet, k: int) -> tuple[int | None, int | None]:
    """The segments before and after one in its document; None at its ends, and where documents are not known.

    >>> ts = TestSet("toy", {"A": ["", "", ""]}, {"ref": ["a", "b", "c"]}, documents=["d", "e", "d"])
    >>> in_document(ts, 0), in_document(ts, 1)
    ((None, 2), (None, None))
    """
    if testset.documents is None:
        return None, None
    inside = np.flatnonzero(testset.document_index == testset.document_index[k]).tolist()
    at = inside.index(k)
    return (inside[at - 1] if at else None), (inside[at + 1] if at + 1 < len(inside) else None)


def system_scores(testset: TestSet, metric: Metric, statistics: np.ndarray, k: int) -> list[tuple[str, float | None]]:
    """Each system with its score of one segment alone, best first; None, last, where it has none.

    That of a corpus metric is the score of a test set of this one segment: sentence BLEU has sacreBLEU's `exp`
    smoothing without effective order. Their mean is not the corpus score.
    """
    scores = np.asarray(metric.score(statistics[:, k]), dtype=np.float64)
    known = np.isfinite(scores)
    if has_gaps(metric, statistics):
        known &= statistics[:, k, -1] > 0
    names = list(testset.systems)
    order = np.argsort(np.where(known, -direction(metric) * scores, np.inf), kind="stable").tolist()
    return [(names[s], float(scores[s]) if known[s] else None) for s in order]


def system_table(testset: TestSet, k: int,
                 scores: Iterable[tuple[str, float | None]]) -> tuple[list[str], Iterable[list[Any]]]:
    """Header and rows of one segment: each system, its score and its output, as `system_scores` has them."""
    known = _there([("domain", testset.domains), ("docid", testset.documents)])
    where = [testset.lines[k], *(values[k] for values in known.values())]
    return ["line", *known, "system", "score", "output"], (
        [*where, name, score, testset.systems[name][k]] for name, score in scores)


def segment_table(testset: TestSet, a: str, b: str, positions: np.ndarray,
                  added: np.ndarray) -> tuple[list[str], Iterable[list[Any]]]:
    """Header and rows of some segments: where they stand, what each adds, and its texts."""
    known = _there([("domain", testset.domains), ("docid", testset.documents)])
    texts = _there([("source", testset.sources),
                    *((f"reference {name}", values) for name, values in testset.references.items()),
                    *((f"output {name}", testset.systems[name]) for name in (a, b))])
    rows = ([testset.lines[k], *(values[k] for values in known.values()), float(added[k]),
             *(values[k] for values in texts.values())] for k in positions.tolist())
    return ["line", *known, "contribution", *texts], rows


def _common_statistics(testset: TestSet, metric: Metric, a: str, b: str, statistics: np.ndarray) -> np.ndarray:
    """Statistics of the two, on the segments that both have."""
    both = statistics[_rows(testset, a, b)]
    return paired(both, engine.all_pairs(2))[0] if has_gaps(metric, both) else both


def _folded(texts: Sequence[str | None]) -> list[str]:
    """The texts without regard to capitals: all in one go, as one call for each takes longer."""
    folded = "\n".join(text or "" for text in texts).casefold().split("\n")
    return folded if len(folded) == len(texts) else [(text or "").casefold() for text in texts]


def _there(columns: Iterable[tuple[str, Sequence[str | None] | None]]) -> dict[str, Sequence[str | None]]:
    return {name: values for name, values in columns if values is not None}


def _rows(testset: TestSet, a: str, b: str) -> list[int]:
    """Where the two stand among the systems."""
    names = list(testset.systems)
    for name in (a, b):
        if name not in names:
            raise SettingError(f"No system {name!r} in {testset.name}. It has: {', '.join(names) or 'none'}.")
    return [names.index(name) for name in (a, b)]


def _texts(testset: TestSet, a: str, b: str, where: str) -> list[Sequence[str | None]]:
    places: dict[str, list[Sequence[str | None]]] = {
        "source": [] if testset.sources is None else [testset.sources],
        "references": list(testset.references.values()),
        "output of A": [testset.systems[a]], "output of B": [testset.systems[b]]}
    return sum(places.values(), []) if where == "anywhere" else places[where]
