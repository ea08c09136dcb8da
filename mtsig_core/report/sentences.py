"""Results in sentences, ready for a paper; they claim what the decisions say and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mtsig_core.errors import format_count
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import disagreement
from mtsig_core.report.cells import format_p, signed, written_like
from mtsig_core.report.table import join_ends
from mtsig_core.report.text import printable
from mtsig_core.report.words import (
    describe_compared_documents,
    describe_compared_segments,
    describe_direction,
    describe_scored_segments,
    explain_no_decision,
    format_units,
    keeps_its_level,
    list_assumptions,
    on_different_lines,
    ranks_hold_jointly,
    write_caveats,
)
from mtsig_core.results import UNLIKE, Comparison, MetricResult, PairResult, Settings, TestSetInfo, swap_ratio
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    can_reach_alone,
    count_most_units,
    differing_unit,
    find_shortage,
    rank_correction,
)
from mtsig_core.stats.pair import PairExamination
from mtsig_core.stats.power import unbiased, units_freedom
from mtsig_core.stats.ranks import RANK_RULES, find_top_group, has_clear_winner
from mtsig_core.stats.significance import TESTS, is_split

# Phrases: how results are named, and how they were tested.


#: In place of a language pair, what holds across them.
ACROSS = "across all"
#: What a sentence calls a test that has another title elsewhere.
TEST_NAMES = {
    "bootstrap": "the bootstrap with a signed shift", "percentile": "the percentile interval of the difference",
    "koehn": "paired bootstrap", "riezler-maxwell": "the shift method as printed",
    "t": "Student's t on paired segment scores", "wilcoxon": "Wilcoxon's signed ranks of segment scores"}
CORRECTION_NAMES = {
    "bonferroni": "Bonferroni", "holm": "Holm (1979)", "bh": "Benjamini and Hochberg (1995)",
    "by": "Benjamini and Yekutieli (2001)", "romano-wolf": "Romano and Wolf (2005)"}


def name_metric(result: MetricResult) -> str:
    """The name of the metric, printable."""
    return printable(metric_title(result.metric))


def describe_difference(result: MetricResult) -> str:
    """How a difference is taken that is positive where the row is better."""
    return "row minus column" if result.higher_is_better else "column minus row"


def describe_simulation(info: TestSetInfo) -> list[str]:
    """A sentence for a test set that is simulated; its name has the seed of its texts, which is not that of the
    draws."""
    by = ", from the seed in its name" if "(seed " in info.name else ""
    return [f"The test set is simulated: its texts are made up{by}."] if info.simulated else []


def describe_version(settings: Settings) -> str:
    """The version, and the seed of all that was drawn."""
    return f"Computed with mtsig {settings.version}; what is drawn at random comes from seed {settings.seed}."


def write_trials_clause(result: MetricResult, settings: Settings) -> str:
    """How often the test drew, after a comma; nothing for a test that draws nothing."""
    if settings.trials is None:
        return ""
    return f", {describe_metric_trials(result, settings).replace(', exact', ' (p is exact)')}"


def name_units(settings: Settings) -> str:
    """What is drawn or swapped, in the plural."""
    return f"{settings.unit}s" if settings.block_length is None else \
        f"stationary blocks of {settings.block_length:g} segments on average (Politis and Romano 1994)"


def name_intervals(result: MetricResult, settings: Settings) -> str:
    """The kind of interval, and what it was made from."""
    ci = result.ci
    if ci == "jackknife-t":
        return f"jackknife t intervals over {name_units(settings)}"
    if ci == "t":
        return "Student's t intervals of segment means"
    kind = {"bca": "BCa"}.get(ci, ci)
    return f"{kind} bootstrap intervals from {settings.resamples} resamples of {name_units(settings)}"


def has_p_values(settings: Settings) -> bool:
    """Whether the test gives p-values; Koehn's gives shares of wins."""
    return TESTS[settings.test].p_values is not None


def write_level(settings: Settings) -> str:
    """Of the intervals, such as 95%."""
    return f"{100 * (1 - settings.alpha):g}%"


def join_names(items: Sequence[str], conjunction: str = "and", shown: bool = True) -> str:
    """Items as an English list; with `shown` made printable first."""
    items = [printable(item) if shown else item for item in items]
    if len(items) < 3:
        return f" {conjunction} ".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


def summarize_comparison(comparison: Comparison) -> tuple[list[str], list[str]]:
    """What was compared, and how it was tested: two lists of short phrases."""
    info = comparison.testset
    told = " (simulated)" if info.simulated and "simulated" not in info.name else ""
    n = info.n_documents
    documents = [] if n is None else [format_count(n, "document") + _weigh_documents(comparison)]
    data = [info.name + told, format_count(info.n_segments, "segment"), *documents,
            format_count(len(info.systems), "system")]
    scored = f"scored with {', '.join(info.references)}" if info.references else "segment scores without texts"
    data += [] if info.references and all(result.was_given for result in comparison.metrics.values()) else [scored]
    tokenizers = {result.tokenizer for result in comparison.metrics.values() if result.tokenizer is not None}
    data += [f"tokenizer {', '.join(sorted(tokenizers))}"] if tokenizers else []
    tested = describe_settings(comparison)
    return data, [text for key, text in tested.items() if key != "unit" or "test" not in tested]


def describe_settings(comparison: Comparison) -> dict[str, str]:
    """How it was tested, in a short phrase for each setting; that of the test says the unit too. Where there is
    nothing to test, how the intervals were made."""
    settings, unit, rule = comparison.settings, comparison.settings.unit, comparison.settings.rank_rule
    if settings.block_length is not None:
        unit = f"stationary block of {settings.block_length:g} segments on average"
    family = max((len(result.tested) for result in comparison.metrics.values()), default=0)
    told = {"test": f"{TESTS[settings.test].title} ({settings.test}) by {unit}", "unit": f"by {unit}",
            **({} if settings.trials is None else {"trials": describe_trials(comparison)}),
            "seed": f"seed {settings.seed}", "alpha": f"alpha {settings.alpha:g}",
            "correction": f"correction {settings.correction} over {family} {'pair' if family == 1 else 'pairs'}",
            "ci": f"{list_interval_kinds(comparison)} intervals, {settings.resamples} resamples",
            **({"rank_rule": f"ranks {RANK_RULES[rule].title}"} if rule != "simultaneous" else {})}
    return {key: text for key, text in told.items() if family or key in ("unit", "seed", "alpha", "ci")}


def _weigh_documents(comparison: Comparison) -> str:
    """What documents of unequal size are worth with all their segments, where they are the units; unknown by a part."""
    info = comparison.testset
    worth = next((result.n_effective for result in comparison.metrics.values() if comparison.settings.unit == "document"
                  and (not result.was_given or any(pair.n == info.n_segments for pair in result.pairs))), None)
    return "" if worth is None or round(worth) == info.n_documents else f" (worth {worth:,.0f} of equal size)"


def describe_trials(comparison: Comparison) -> str:
    """How often the test drew; more than one where metrics differ, as some have few units with ratings."""
    return " or ".join(dict.fromkeys(
        describe_metric_trials(result, comparison.settings) for result in comparison.metrics.values()))


def describe_metric_trials(result: MetricResult, settings: Settings) -> str:
    """How often the test drew for one metric, or that it tried all there is."""
    trials = result.trials
    return f"all {trials + 1} swaps, exact" if trials is not None and result.exact else f"{trials} trials"


def list_interval_kinds(comparison: Comparison) -> str:
    """The kind of interval; more than one where few of the documents have ratings."""
    return " or ".join(dict.fromkeys(result.ci for result in comparison.metrics.values()))


def list_exclusions(comparison: Comparison) -> str:
    """The systems that were left out, each with its reason where there is one; empty where none was."""
    return ", ".join(f"{one.system} ({one.reason})" if one.reason else one.system for one in comparison.excluded)


def find_anchor(result: MetricResult, settings: Settings) -> str:
    """The baseline, or else the best system."""
    return settings.baseline or result.systems[0].system


def pick_significant(result: MetricResult, settings: Settings) -> tuple[str, set[str]]:
    """The baseline, or else the best system, and with it those that differ significantly from it."""
    anchor = find_anchor(result, settings)
    return anchor, {anchor} | {name for pair in result.pairs if pair.significant and anchor in (pair.a, pair.b)
                               for name in (pair.a, pair.b)}


def state_verdict(result: MetricResult, settings: Settings) -> str | None:
    """Who won, in one sentence: a winner only where no other could be first too; or how many beat the baseline."""
    if settings.baseline is not None and result.pairs:
        if (cannot := explain_no_decision(settings, result)) is not None:
            return cannot
        better, worse = (sum(pair.better == side for pair in result.pairs) for side in "ab")
        apart = len(result.pairs) - len(result.tested)
        return (f"Against {settings.baseline}: {better} significantly better, {worse} worse, "
                f"{len(result.tested) - better - worse} not separated{f', {apart} not tested' if apart else ''}")
    if not has_p_values(settings) and result.tested:
        return "No ranks: this test controls no error over all pairs"
    first = find_top_group(result)
    if first is None:
        return explain_no_decision(settings, result, rank_correction(settings))
    if result.ruled is not None:  # such a rule gives the place, and may give it to several
        return f"First, ranked {RANK_RULES[settings.rank_rule].title}: {', '.join(first)}"
    return name_leaders(first, has_clear_winner(result))


def name_leaders(first: Sequence[str], ahead: bool) -> str:
    if len(first) > 1:
        return f"May be the first: {', '.join(first)}"
    return f"{first[0]} is ahead of all others" if ahead else f"{first[0]} alone may be the first"


def describe_undecided(pair: PairResult, settings: Settings) -> str:
    """What a pair is in which no system is declared better."""
    if is_split(pair, settings.alpha):
        return "test and scores disagree"
    why = ": too many pairs for so few trials" if can_reach_alone(settings, pair) else \
        f" by a difference in only {format_count(pair.n_apart, differing_unit(settings))}" \
        if pair.n_apart is not None else \
        f" with {format_units(settings, pair.n_units)}" if pair.n_units else ""
    return "not separated" if pair.decidable else "not tested: no line in common" if pair.n == 0 else \
        f"cannot be decided{why}"


def choose_form(result: MetricResult) -> str:
    """The form of the metric's scores and differences; see `written_like`."""
    return written_like(row.score for row in result.systems)


def name_score_axis(result: MetricResult, settings: Settings) -> str:
    """What an axis of scores says after the name of the metric."""
    better = "" if result.higher_is_better else ", lower is better"
    return f"with {write_level(settings)} interval{better}"


def name_simultaneous(result: MetricResult, settings: Settings) -> str | None:
    """What the simultaneous intervals of the differences are called; None where there are none beside the single ones,
    as of one pair."""
    if len(result.tested) < 2 or all(pair.ci_joint_low is None for pair in result.pairs):
        return None
    return f"simultaneous {write_level(settings)} interval over {name_family(result, settings)}"


def name_family(result: MetricResult, settings: Settings) -> str:
    """The pairs that a correction is over."""
    return f"all {len(result.tested)} pairs{'' if settings.baseline is None else ' with the baseline'}"


# A pair, seen from one of its systems.


@dataclass(frozen=True)
class SeenPair:
    """A pair as one of its systems sees it: its improvement over the other, with what was found of it."""

    difference: float
    ci: tuple[float, float] | None
    ci_joint: tuple[float, float] | None
    p: float | None
    adjusted_p: float | None
    win: float | None
    lose: float | None
    decision: str


def see_pair(pair: PairResult, name: str, result: MetricResult, settings: Settings) -> SeenPair:
    sign, side = (result.sign, "a") if pair.a == name else (-result.sign, "b")
    wins = (pair.win, pair.lose) if side == "a" else (pair.lose, pair.win)
    decision = "better" if pair.better == side else "worse" if pair.better else describe_undecided(pair, settings)
    return SeenPair(sign * pair.delta, join_ends(pair.ci_low, pair.ci_high, sign),
                    join_ends(pair.ci_joint_low, pair.ci_joint_high, sign), pair.p_value, pair.p_adjusted, *wins,
                    decision)


# That two systems are too unlike for randomization, in words.


def explain_unlike(found: PairExamination, n: float | None) -> str:
    """That random swaps of so many equal units vary less than samples do, where they clearly do, and what that does to
    p."""
    from scipy.special import stdtr

    se = found.se.get(found.settings.unit)
    ratio = swap_ratio(found.delta, se, float(np.sqrt(np.mean(np.square(found.swapped)))), n)
    if not se or ratio is None or ratio <= UNLIKE:
        return ""
    p = 2 * float(stdtr(units_freedom(found.n_effective), -abs(found.delta) / unbiased(se, found.n_units)))
    shown = next(outcome.p_value for outcome in found.outcomes if outcome.test == "ar")
    if shown is None or p <= shown:
        return ""
    return (f" Bootstrap samples vary {ratio:.2f} times as much as swaps would of no difference: {found.a} and "
            f"{found.b} are too unlike to trade places, and this p is too small. By the standard error it would be "
            f"about {format_p(p)}.")


# Results in sentences, ready for a paper; they claim what the decisions say and no more.


_FEW = 5  # systems that are compared with a baseline in a sentence each


def paper_sentences(comparison: Comparison, metric: str) -> str:
    """What was compared, who is ahead, and how it was tested: one paragraph of plain text.

    Parameters
    ----------
    comparison : Comparison
    metric : str
        One of its metrics.

    Returns
    -------
    str
        Sentences without markup. Differences are signed so that a positive one is an improvement. Characters in
        names that a line of text cannot hold are shown as escapes.

    Raises
    ------
    SettingError
        If the comparison has no such metric.

    Examples
    --------
    >>> from mtsig_core import TestSet, compare
    >>> ts = TestSet("toy", {"A": ["a b c d e"] * 40, "B": ["a b c d"] * 40}, {"ref": ["a b c d e"] * 40})
    >>> said = paper_sentences(compare(ts, trials=999), "bleu")
    >>> said.partition(" (higher")[0]
    'We compared 2 systems on toy (40 segments; reference ref) by BLEU'
    >>> "A (100.00 BLEU) is significantly better than B (77.88 BLEU)" in said
    True
    """
    result = comparison.metrics[metric]
    return " ".join([*_describe_subject(comparison, result), *_describe_outcome(comparison, result),
                     *method_sentences(comparison, result), *exclusion_sentences(comparison)])


def runs_sentences(result: MetricResult) -> list[str]:
    """What a score is of training runs, and how much it differs between them; none where there are no runs."""
    if not result.runs:
        return []
    spread = ", ".join(f"{printable(row.system)} {row.sd:{choose_form(result)}} ({len(row.scores)} runs)"
                       for row in result.runs if row.sd is not None)
    return ["A score is the mean over the training runs of a system, and a unit is swapped or drawn for all runs at "
            f"once (stratified; after Clark et al. 2011). SD between runs: {spread}."]


def method_sentences(comparison: Comparison, result: MetricResult) -> list[str]:
    """How the pairs were tested and the intervals made: test and source, unit, trials, alpha, correction over its
    family, the warnings that decide what it is worth, and what was used for it."""
    settings, test, m = comparison.settings, TESTS[comparison.settings.test], len(result.tested)
    said = runs_sentences(result)
    if result.ruled is not None and result.ruled.means is not None:
        said.append(f"Scores and ranks {RANK_RULES[settings.rank_rule].title} are of means over domains; what is "
                    "tested are differences of means over segments.")
    if m:
        differences = "The difference was" if m == 1 else f"The {m} differences were"
        said.append(f"{differences} tested by {TEST_NAMES.get(test.name, test.title)} ({test.source}) with "
                    f"{name_units(settings)} as units{write_trials_clause(result, settings)} and alpha = "
                    f"{settings.alpha:g}; {_describe_correction(settings, m)}.")
        if test.p_values is None:
            said.append("This test gives no p: a system counts as better where it wins on at least "
                        f"{write_level(settings)} of the bootstrap samples.")
        said += write_caveats(comparison, result)
    if m < len(result.pairs):
        n = len(result.pairs) - m
        said.append(f"{format_count(n, 'pair')} {'was' if n == 1 else 'were'} not tested, for want of segments in "
                    "common.")
    said.append(f"{write_level(settings)} confidence intervals are {name_intervals(result, settings)}"
                + (", each for its own system or pair." if result.pairs else "."))
    if name_simultaneous(result, settings):
        few = any(pair.n_units < FEW_FOR_BOOTSTRAP for pair in result.tested)
        least = ", with so few at least Bonferroni's t" if few else ""
        said.append(f"Simultaneous intervals hold for all {m} differences together (max-T from {settings.resamples} "
                    f"bootstrap resamples of {name_units(settings)}{least}; Romano and Wolf 2005).")
    said.append(describe_version(settings))
    return said


def write_caption(comparison: Comparison, result: MetricResult, what: str) -> str:
    """What a table shows and of what."""
    simulated = ", a simulated test set" * comparison.testset.simulated
    return (f"{what} of {format_count(len(result.systems), 'system')} on {_describe_data(comparison, result)}"
            f"{simulated} by {name_metric(result)} ({describe_direction(result.higher_is_better)}).")


def write_methods(comparison: Comparison, result: MetricResult) -> str:
    """All that the numbers of a metric depend on, and what has to be known to read its tables: data, test, caveats,
    what was left out and assumed, signature and digest."""
    undecided = _explain_no_decision(result, comparison.settings)
    jointly = result.systems[0].rank_low is not None and ranks_hold_jointly(comparison)
    return " ".join([
        *_describe_subject(comparison, result), *filter(None, [undecided]), *method_sentences(comparison, result),
        *([] if result.tested else write_caveats(comparison, result)),
        *["Rank intervals hold jointly for all systems."] * jointly, *exclusion_sentences(comparison),
        f"Test set digest: {printable(comparison.testset.digest)}."])


def exclusion_sentences(comparison: Comparison) -> list[str]:
    """Which systems were left out, and why; no sentence where none was."""
    return [f"Left out of the comparison: {printable(list_exclusions(comparison))}."] if comparison.excluded else []


def _describe_subject(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    verb = "compared" if len(result.systems) > 1 else "scored"
    yield (f"We {verb} {format_count(len(result.systems), 'system')} on {_describe_data(comparison, result)} by "
           f"{name_metric(result)} ({describe_direction(result.higher_is_better)}; signature "
           f"{printable(result.signature)}).")
    yield from describe_simulation(comparison.testset)
    yield from map(printable, list_assumptions(comparison.testset.assumed, [result.metric]))
    yield from map(printable, describe_scored_segments(comparison, result))


def _describe_outcome(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    settings, m = comparison.settings, len(result.tested)
    if not result.pairs:
        only, form = result.systems[0], choose_form(result)
        interval = "" if only.ci_low is None else \
            f" ({write_level(settings)} confidence interval [{only.ci_low:{form}}, {only.ci_high:{form}}])"
        yield (f"{printable(only.system)} scores {only.score:{form}} {name_metric(result)}{interval}; there is no "
               "pair to test.")
        return
    if not m:
        return
    if (why := _explain_no_decision(result, settings)) is not None:
        yield why
        if (top := find_top_group(result)) is not None:  # by another correction than that of the pairs
            yield _describe_top_group(comparison, top)
        return
    yield from _describe_against_baseline(comparison, result, settings.baseline) if settings.baseline is not None else \
        _describe_one_pair(comparison, result) if len(result.pairs) == 1 else _describe_all_pairs(comparison, result)
    if (differs := disagreement(result, comparison.testset.n_segments)) is not None:
        yield printable(differs)
    if any(pair.better is None and not (is_split(pair, settings.alpha) or find_identical(comparison, result, pair))
           for pair in result.tested):
        yield "Not significantly different does not mean equal." if has_p_values(settings) else \
            "Where the test does not conclude, the systems are not shown to be equal."


def _explain_no_decision(result: MetricResult, settings: Settings) -> str | None:
    """Why no pair can be decided; None where some can. Where there are ranks, which have a correction of their own, it
    is said of the correction of the pairs."""
    m, lacks = len(result.tested), find_shortage(settings, result)
    if lacks is not None and result.systems[0].rank_low is not None:
        many = {"units": format_units(settings, count_most_units(result)),
                "differences": f"differences in so few {differing_unit(settings)}s"}.get(
                    lacks, f"{result.trials} trials")
        return (f"With {many} no difference can be significant after the correction of "
                f"{CORRECTION_NAMES[settings.correction]} over {m} pairs. Rank intervals have a correction that can "
                f"find some, {rank_correction(settings)}.")
    pairs = "the pair cannot" if m == 1 else f"none of the {m} pairs can"
    if lacks == "units":
        corrected = " after the correction" if m > 1 else ""
        p = "p of so few" if has_p_values(settings) else "the chance that all favour the same system"
        with_units = format_units(settings, count_most_units(result))
        return (f"With {with_units} {pairs} be decided: {p} cannot be as small as "
                f"{settings.alpha:g}{corrected}, however large the difference.")
    if lacks == "differences":
        return (f"By {name_metric(result)} the systems differ in so few {differing_unit(settings)}s that {pairs} be "
                "decided, however large the difference there.")
    if lacks == "trials":
        return (f"None of the pairs can be decided: {m} are too many for {result.trials} trials, with "
                "which this correction cannot find any difference significant.")
    return None


def _describe_top_group(comparison: Comparison, top: Sequence[str]) -> str:
    rule = comparison.settings.rank_rule
    if rule != "simultaneous":
        return f"Ranks {RANK_RULES[rule].title} {'let only' if len(top) == 1 else 'let'} {join_names(top)} be first."
    jointly = ", which hold jointly for all systems," if keeps_its_level(comparison) else ""
    return f"Rank intervals{jointly} {'let only' if len(top) == 1 else 'let'} {join_names(top)} be first."


def _describe_one_pair(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    pair = result.pairs[0]
    scores = _write_scores(result)
    if (what := find_identical(comparison, result, pair)) is not None:
        yield (f"The {what} of {printable(pair.a)} and {printable(pair.b)} are identical, at "
               f"{scores[pair.a]} {name_metric(result)}.")
        return
    a, b = (f"{printable(name)} ({scores[name]} {name_metric(result)})" for name in (pair.a, pair.b))
    yield f"{_judge_pair(a, b, pair, comparison.settings)} ({_write_evidence(comparison, result, pair)})."


def _describe_all_pairs(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    settings, scores = comparison.settings, _write_scores(result)
    beaten = {pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better}
    first = [row.system for row in result.systems if row.system not in beaten]
    named = [f"{printable(name)} ({scores[name]} {name_metric(result)})" for name in first]
    others = len(result.systems) - 1
    beats = sum(first[:1] == [pair.a if pair.better == "a" else pair.b] for pair in result.pairs if pair.better)
    if len(first) == 1 and beats == others:
        yield f"{named[0]} {_claim_better(settings)} each of the other {others} systems."
    elif first:
        no_system = "No system is significantly better than" if has_p_values(settings) else \
            "By this test, no system counts as better than"
        yield f"{no_system} {join_names(named, 'or', shown=False)}."
    best = {row.system for row in result.systems[:2]}
    pair = next(pair for pair in result.pairs if {pair.a, pair.b} == best)  # tested or not
    yield (f"The two best scores are those of {printable(pair.a)} ({scores[pair.a]}) and {printable(pair.b)} "
           f"({scores[pair.b]}): {_write_evidence(comparison, result, pair)}.")
    significant = sum(row.significant for row in result.pairs)
    if has_p_values(settings):
        yield f"Of {format_count(len(result.tested), 'pair')}, {significant} {'is' if significant == 1 else 'are'} " \
              "significantly different."
    top = find_top_group(result)
    if top is not None and set(top) != set(first):  # another correction than that of the ranks
        yield _describe_top_group(comparison, top)
    for what in ("outputs", "scores"):
        same = [f"{printable(row.a)} and {printable(row.b)}" for row in result.pairs
                if find_identical(comparison, result, row) == what]
        if same:
            yield f"Identical {what}: {'; '.join(same)}."


def _describe_against_baseline(comparison: Comparison, result: MetricResult, name: str) -> Iterator[str]:
    settings, scores = comparison.settings, _write_scores(result)
    baseline = f"the baseline {printable(name)} ({scores[name]} {name_metric(result)})"
    if len(result.pairs) > _FEW:
        yield from _group_by_decision(result, baseline, scores, settings)
        return
    for pair in result.pairs:
        system = f"{printable(pair.a)} ({scores[pair.a]})"
        if (what := find_identical(comparison, result, pair)) is not None:
            yield f"{system} and {baseline} have identical {what}."
        else:
            yield f"{_judge_pair(system, baseline, pair, settings)} ({_write_evidence(comparison, result, pair)})."


def _group_by_decision(result: MetricResult, baseline: str, scores: Mapping[str, str], settings: Settings
                       ) -> Iterator[str]:
    """Of many systems against a baseline: which are better, which worse, which neither."""
    has_p = has_p_values(settings)
    heads = {"a": f"Significantly better than {baseline} are" if has_p else f"Counted as better than {baseline} are",
             "b": "Significantly worse are" if has_p else "Counted as worse are",
             None: "Not significantly different from it are" if has_p else "Without a conclusion are"}
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    for side, head in heads.items():
        systems = [f"{printable(pair.a)} ({scores[pair.a]})" for pair in result.tested
                   if pair.better == side and pair not in split]
        yield f"{head} {join_names(systems, shown=False) or 'none'}."
    if split:
        systems = [f"{printable(pair.a)} ({scores[pair.a]})" for pair in split]
        yield f"Test and scores disagree on {join_names(systems, shown=False)}: neither better nor worse is claimed."


def _judge_pair(a: str, b: str, pair: PairResult, settings: Settings) -> str:
    """The decision on a pair, as a clause about a and b."""
    if pair.n == 0:
        return f"{a} and {b} have no segments in common"
    if pair.better is None and not pair.decidable:
        if can_reach_alone(settings, pair):
            return f"Between {a} and {b}, so few trials cannot decide after the correction"
        return f"Between {a} and {b}, so few units cannot decide"
    if is_split(pair, settings.alpha):
        return f"{a} and {b}: test and scores disagree, and neither is declared better"
    if pair.better is None:
        return f"{a} and {b} are not significantly different" if has_p_values(settings) else \
            f"Between {a} and {b} the test does not conclude"
    worse = "is significantly worse than" if has_p_values(settings) else "counts as worse than"
    return f"{a} {_claim_better(settings) if pair.better == 'a' else worse} {b}"


def _claim_better(settings: Settings) -> str:
    return "is significantly better than" if has_p_values(settings) else "counts as better than"


def _write_evidence(comparison: Comparison, result: MetricResult, pair: PairResult) -> str:
    """Difference, interval, and p or shares of wins of a pair, as the tables show them; and what the difference is of,
    where it is not that of the scores."""
    settings, form, seen = comparison.settings, choose_form(result), see_pair(pair, pair.a, result, comparison.settings)
    interval = "" if seen.ci is None else f", {write_level(settings)} confidence interval {_signed_ends(seen.ci, form)}"
    if seen.ci_joint is not None and name_simultaneous(result, settings):
        interval += f", simultaneous {_signed_ends(seen.ci_joint, form)}"
    if pair.p_value is None and pair.win is None:
        chances = "not tested, for want of segments in common"
    elif pair.win is not None and pair.lose is not None:  # by a test without p
        chances = f"wins on {100 * pair.win:.1f}% and loses on {100 * pair.lose:.1f}% of the bootstrap samples"
    else:
        p, adjusted = format_p(pair.p_value), format_p(pair.p_adjusted)
        chances = f"p = {p}" if p == adjusted else f"p = {p}, adjusted p = {adjusted}"
    common = " of means over segments" if result.ruled is not None and result.ruled.means is not None else ""
    if on_different_lines(comparison, result):
        common += f" on the {format_count(pair.n, 'segment')} that both have scores for" if pair.n else \
            " of means over different segments"
    return f"difference {signed(seen.difference, form)}{common}{interval}, {chances}"


def _signed_ends(ends: tuple[float, float], form: str) -> str:
    return f"[{signed(ends[0], form)}, {signed(ends[1], form)}]"


def find_identical(comparison: Comparison, result: MetricResult, pair: PairResult) -> str | None:
    """``"outputs"`` or ``"scores"``, where those of both are the same on every segment."""
    return next((caution.code.removeprefix("identical-") for caution in comparison.warnings
                 if caution.code in ("identical-outputs", "identical-scores") and
                 caution.metric == result.metric and {caution.a, caution.b} == {pair.a, pair.b}), None)


def _write_scores(result: MetricResult) -> dict[str, str]:
    form = choose_form(result)
    return {row.system: f"{row.score:{form}}" for row in result.systems}


def _describe_data(comparison: Comparison, result: MetricResult) -> str:
    """Name, size and references of a test set; and how much of it was compared, where some segments have no score."""
    info = comparison.testset
    references = "reference" if len(info.references) == 1 else "references"
    scored = f"{references} {join_names(info.references)}" if info.references else "segment scores without texts"
    some, which = describe_compared_segments(comparison, result)
    size = f"{some}{format_count(info.n_segments, 'segment')}{describe_compared_documents(comparison, result)}{which}"
    return f"{printable(info.name)} ({size}{'' if result.was_given and info.references else f'; {scored}'})"


def _describe_correction(settings: Settings, m: int) -> str:
    if m == 1:
        return "a single pair needs no correction"
    if settings.correction == "none":
        return f"there was no correction for the {m} pairs"
    return f"p was corrected over this family of {m} pairs by the method of {CORRECTION_NAMES[settings.correction]}"
