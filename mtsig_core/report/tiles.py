"""The numbers behind a verdict as tiles: each a label, a number and a short note."""

from __future__ import annotations

from typing import NamedTuple

from mtsig_core.errors import format_count, round_p
from mtsig_core.report.caution_words import explain_no_decision, is_corrected, p_word
from mtsig_core.report.noticed_words import tile_people
from mtsig_core.report.sentences import (
    PairView,
    choose_form,
    contradicts_decision,
    find_anchor,
    find_answer_pair,
    find_decisive_interval,
    has_p_values,
    name_common_segments,
    name_family,
    name_unit,
    select_lang_pairs,
    view_pair,
    write_level,
)
from mtsig_core.report.table import signed
from mtsig_core.results import (
    Comparison,
    MacroResult,
    MetricResult,
    PairResult,
    Settings,
    TaskComparison,
)
from mtsig_core.stats.ranks import has_clear_winner
from mtsig_core.stats.significance import CORRECTIONS, significant

_DETECTABLE = "Smallest detectable"
_POWER = "8 times in 10"


class Tile(NamedTuple):
    """A number with its label above and a note below."""

    label: str
    number: str
    note: str = ""


# -------------------------------------------------------------------------------------------------
# A pair of systems.


def list_answer_tiles(comparison: Comparison, metric: str) -> list[Tile]:
    """Return the numbers of the pair that a verdict on a test set rests on; none without a pair.

    The sign is as in figure and table.
    """
    result = comparison.metrics[metric]
    settings = comparison.settings
    if explain_no_decision(settings, result) is not None:
        return []
    pair = find_answer_pair(result, settings)
    if pair is None:
        return []
    name = pair.a
    if pair.a == find_anchor(result, settings):
        name = pair.b
    return list_pair_tiles(comparison, metric, pair, name)


def list_pair_tiles(comparison: Comparison, metric: str, pair: PairResult, name: str) -> list[Tile]:
    """Return difference, interval, p and smallest detectable difference of a pair.

    The difference is the improvement of the system of this name. The last tile says whether people
    would notice it.
    """
    result = comparison.metrics[metric]
    settings = comparison.settings
    view = view_pair(pair, name, result, settings)
    tiles = [
        _make_difference_tile(comparison, result, pair, view, name),
        _make_interval_tile(result, settings, pair, view),
        _make_test_tile(result, settings, view, name),
        _make_detectable_tile(result, settings, pair),
    ]
    about_people = tile_people(pair)
    if about_people is not None:
        tiles.append(Tile(*about_people))
    return [tile for tile in tiles if tile is not None]


def _make_difference_tile(
    comparison: Comparison, result: MetricResult, pair: PairResult, view: PairView, name: str
) -> Tile:
    """Return the difference, with the score of each system below it.

    If systems have scores on different segments, the difference is not that of their scores.
    """
    form = choose_form(result)
    partner = pair.b if name == pair.a else pair.a
    scores = {row.system: row.score for row in result.systems}
    note = f"{name} {scores[name]:{form}} vs. {partner} {scores[partner]:{form}}"
    common_segments = name_common_segments(comparison, result, pair)
    if common_segments:
        note = common_segments.strip()
    return Tile(f"Difference in {name_unit(result.metric)}", signed(view.difference, form), note)


def _make_interval_tile(
    result: MetricResult, settings: Settings, pair: PairResult, view: PairView
) -> Tile | None:
    """Return the interval that goes with the p that decides; None where there is none.

    An interval that contradicts the test says so.
    """
    n_pairs = len(result.tested)
    interval = find_decisive_interval(view, n_pairs, settings)
    if interval is None:
        return None
    form = choose_form(result)
    low, high = interval
    is_joint = n_pairs > 1 and interval == view.ci_joint
    note = "of the difference"
    if is_joint:
        note += f", for {name_family(result, settings)} together"
    elif n_pairs > 1:
        note += ", for this pair only"
    if (is_joint or n_pairs == 1) and contradicts_decision(pair, interval, settings):
        note += f"; {_explain_contradiction(pair)}"
    return Tile(
        f"{write_level(settings)} CI", f"{signed(low, form, '')} to {signed(high, form, '')}", note
    )


def _explain_contradiction(pair: PairResult) -> str:
    """Write how to read an interval that contradicts the decision on a pair."""
    if pair.better is None:
        return "excludes 0, by another method: the test decides"
    if pair.unlike:
        return "contains 0: p is too small, trust the interval"
    return "contains 0, by another method: the test decides"


def _make_test_tile(result: MetricResult, settings: Settings, view: PairView, name: str) -> Tile:
    """Return the p that decides, or the wins of the system where the test gives none."""
    if view.win is not None and view.lose is not None:
        return Tile(
            f"Wins of {name}", f"{view.win:.1%}", f"of the resamples; loses {view.lose:.1%}"
        )
    n_pairs = len(result.tested)
    label = p_word(settings.correction, n_pairs)
    if view.adjusted_p is None:
        return Tile(label, "none", view.decision)
    note = f"not significant at {settings.alpha:g}"
    if significant(view.adjusted_p, settings.alpha):
        note = f"significant at {settings.alpha:g}"
    if is_corrected(settings.correction, n_pairs):
        note += f", corrected for {format_count(n_pairs, 'pair')}"
    number = round_p(view.adjusted_p)
    return Tile(label, number, note)


def _make_detectable_tile(
    result: MetricResult, settings: Settings, pair: PairResult
) -> Tile | None:
    """Return the smallest detectable difference, and what it says about this difference."""
    n_pairs = len(result.tested)
    detectable = pair.mdd
    if is_corrected(settings.correction, n_pairs):
        detectable = pair.mdd_family
    if not detectable or not pair.decidable:
        return None
    note = f"found {_POWER}, smaller ones less often"
    if pair.significant and abs(pair.delta) < detectable:
        note = f"found {_POWER}; smaller ones, if found, look too large"
    return Tile(_DETECTABLE, f"{detectable:{choose_form(result)}}", note)


# -------------------------------------------------------------------------------------------------
# All pairs of systems, and shared tasks.


def list_family_tiles(comparison: Comparison, metric: str) -> list[Tile]:
    """Return how many pairs are not significant, what the correction costs, and what is found."""
    result = comparison.metrics[metric]
    settings = comparison.settings
    if len(result.pairs) == 1 or explain_no_decision(settings, result) is not None:
        return list_answer_tiles(comparison, metric)
    n_tested = len(result.tested)
    n_significant = result.n_significant
    n_open = n_tested - n_significant
    tiles = [Tile("Not significant", f"{n_open:,}", "which does not mean equal" if n_open else "")]
    if is_corrected(settings.correction, n_tested) and has_p_values(settings):
        n_raw = sum(significant(pair.p_value or 0, settings.alpha) for pair in result.tested)
        difference = "as many as"
        if n_raw > n_significant:
            difference = f"{n_raw - n_significant:,} more than"
        note = f"{difference} with {CORRECTIONS[settings.correction].title}"
        tiles.append(Tile("Significant without correction", f"{n_raw:,}", note))
    detectable = [pair.mdd_family for pair in result.tested if pair.mdd_family]
    if detectable:
        number = f"up to {max(detectable):{choose_form(result)}}"
        tiles.append(Tile(_DETECTABLE, number, f"found {_POWER}, smaller ones less often"))
    return tiles


def list_task_tiles(comparison: TaskComparison, metric: str) -> list[Tile]:
    """Return the size of the top group, and how many language pairs have a winner."""
    results = [result for _, result in select_lang_pairs(comparison, metric).values()]
    tiles = []
    ranked: MacroResult | MetricResult | None = comparison.macro.get(metric)
    if len(results) == 1:
        [ranked] = results
    if ranked is not None:
        ranks = [row.rank_low for row in ranked.systems if row.rank_low is not None]
        if ranks:
            tiles.append(
                Tile("Top group", f"{ranks.count(1):,} of {len(ranks):,}", "ranked systems")
            )
    if len(results) > 1:
        number = f"{sum(map(has_clear_winner, results)):,} of {len(results):,}"
        tiles.append(Tile("A single winner", number, "language pairs have one"))
    return tiles
