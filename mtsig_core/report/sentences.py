"""Results in sentences, ready for a paper; they claim what the decisions say and no more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from mtsig_core.errors import counted
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_words import disagreement
from mtsig_core.report.cells import format_p, signed
from mtsig_core.report.tables import how_often, left_out, points, see_pair, simultaneous_word
from mtsig_core.report.text import printable
from mtsig_core.report.words import (
    assumptions,
    caveats,
    direction,
    documents_compared,
    keeps_its_level,
    on_different_lines,
    segments_compared,
    what_is_scored,
)
from mtsig_core.results import UNLIKE, Comparison, MetricResult, PairResult, Settings, TestSetInfo, swap_ratio
from mtsig_core.stats.few_units import (
    FEW_FOR_BOOTSTRAP,
    alone_could,
    most_units,
    rank_correction,
    telling_unit,
    units_said,
    what_lacks,
)
from mtsig_core.stats.pair import PairExamination
from mtsig_core.stats.power import unbiased, units_freedom
from mtsig_core.stats.ranks import RANK_RULES, headline
from mtsig_core.stats.significance import TESTS, is_split

#-----------------------------------------------------------------------------------------------------------------------
# Phrases that sentences about results are made of: of a comparison, and of a whole shared task.


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


def metric_name(result: MetricResult) -> str:
    """The name of the metric, printable."""
    return printable(metric_title(result.metric))


def row_against_column(result: MetricResult) -> str:
    """How a difference is taken that is positive where the row is better."""
    return "row minus column" if result.higher_is_better else "column minus row"


def simulated_said(info: TestSetInfo) -> list[str]:
    """A sentence for a test set that is simulated; its name has the seed of its texts, which is not that of the
    draws."""
    by = ", from the seed in its name" if "(seed " in info.name else ""
    return [f"The test set is simulated: its texts are made up{by}."] if info.simulated else []


def computed_said(settings: Settings) -> str:
    """The version, and the seed of all that was drawn."""
    return f"Computed with mtsig {settings.version}; what is drawn at random comes from seed {settings.seed}."


def trials_clause(result: MetricResult, settings: Settings) -> str:
    """How often the test drew, after a comma; nothing for a test that draws nothing."""
    if settings.trials is None:
        return ""
    return f", {how_often(result, settings).replace(', exact', ' (p is exact)')}"


def units_name(settings: Settings) -> str:
    """What is drawn or swapped, in the plural."""
    return f"{settings.unit}s" if settings.block_length is None else \
        f"stationary blocks of {settings.block_length:g} segments on average (Politis and Romano 1994)"


def intervals_name(result: MetricResult, settings: Settings) -> str:
    """The kind of interval, and what it was made from."""
    ci = result.ci
    if ci == "jackknife-t":
        return f"jackknife t intervals over {units_name(settings)}"
    if ci == "t":
        return "Student's t intervals of segment means"
    kind = {"bca": "BCa"}.get(ci, ci)
    return f"{kind} bootstrap intervals from {settings.resamples} resamples of {units_name(settings)}"


def level(settings: Settings) -> str:
    """Of the intervals, such as 95%."""
    return f"{100 * (1 - settings.alpha):g}%"


def listed(items: Sequence[str], conjunction: str = "and", shown: bool = True) -> str:
    """Items as an English list; with `shown` made printable first."""
    items = [printable(item) if shown else item for item in items]
    if len(items) < 3:
        return f" {conjunction} ".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


#-----------------------------------------------------------------------------------------------------------------------
# That two systems are too unlike for randomization, in words.


def unlike_said(found: PairExamination, n: float | None) -> str:
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


#-----------------------------------------------------------------------------------------------------------------------
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
    return " ".join([*_subject(comparison, result), *_outcome(comparison, result),
                     *method_sentences(comparison, result), *exclusion_sentences(comparison)])


def runs_sentences(result: MetricResult) -> list[str]:
    """What a score is of training runs, and how much it differs between them; none where there are no runs."""
    if not result.runs:
        return []
    spread = ", ".join(f"{printable(row.system)} {row.sd:{points(result)}} ({len(row.scores)} runs)"
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
                    f"{units_name(settings)} as units{trials_clause(result, settings)} and alpha = {settings.alpha:g}; "
                    f"{_corrected(settings, m)}.")
        if test.p_values is None:
            said.append(f"This test gives no p: a system counts as better where it wins on at least {level(settings)} "
                        "of the bootstrap samples.")
        said += caveats(comparison, result)
    if m < len(result.pairs):
        n = len(result.pairs) - m
        said.append(f"{counted(n, 'pair')} {'was' if n == 1 else 'were'} not tested, for want of segments in common.")
    said.append(f"{level(settings)} confidence intervals are {intervals_name(result, settings)}"
                + (", each for its own system or pair." if result.pairs else "."))
    if simultaneous_word(result, settings):
        few = any(pair.n_units < FEW_FOR_BOOTSTRAP for pair in result.tested)
        least = ", with so few at least Bonferroni's t" if few else ""
        said.append(f"Simultaneous intervals hold for all {m} differences together (max-T from {settings.resamples} "
                    f"bootstrap resamples of {units_name(settings)}{least}; Romano and Wolf 2005).")
    said.append(computed_said(settings))
    return said


def caption_sentences(comparison: Comparison, result: MetricResult, what: str) -> list[str]:
    """What a table shows and of what, which is its caption; then what has to be known beside its numbers, wherever it
    is copied to."""
    return [f"{what} of {counted(len(result.systems), 'system')} on {_data(comparison, result)} by "
            f"{metric_name(result)} ({direction(result.higher_is_better)}).", *simulated_said(comparison.testset),
            *map(printable, what_is_scored(comparison, result)),
            *filter(None, [_undecided(result, comparison.settings)]), *caveats(comparison, result),
            *exclusion_sentences(comparison)]


def basis_sentences(comparison: Comparison, result: MetricResult) -> list[str]:
    """All that the numbers of a metric depend on: data, test, what was left out and assumed, signature and digest."""
    info = comparison.testset
    return [*_subject(comparison, result), *method_sentences(comparison, result), *exclusion_sentences(comparison),
            f"Test set digest: {printable(info.digest)}."]


def exclusion_sentences(comparison: Comparison) -> list[str]:
    """Which systems were left out, and why; no sentence where none was."""
    return [f"Left out of the comparison: {printable(left_out(comparison))}."] if comparison.excluded else []


def _subject(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    verb = "compared" if len(result.systems) > 1 else "scored"
    yield (f"We {verb} {counted(len(result.systems), 'system')} on {_data(comparison, result)} by "
           f"{metric_name(result)} ({direction(result.higher_is_better)}; signature {printable(result.signature)}).")
    yield from simulated_said(comparison.testset)
    yield from map(printable, assumptions(comparison.testset.assumed, [result.metric]))
    yield from map(printable, what_is_scored(comparison, result))


def _outcome(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    settings, m = comparison.settings, len(result.tested)
    if not result.pairs:
        only, form = result.systems[0], points(result)
        interval = "" if only.ci_low is None else \
            f" ({level(settings)} confidence interval [{only.ci_low:{form}}, {only.ci_high:{form}}])"
        yield (f"{printable(only.system)} scores {only.score:{form}} {metric_name(result)}{interval}; there is no "
               "pair to test.")
        return
    if not m:
        return
    if (why := _undecided(result, settings)) is not None:
        yield why
        if (top := headline(result)) is not None:  # by another correction than that of the pairs
            yield _may_be_first(comparison, top)
        return
    yield from _against_baseline(comparison, result, settings.baseline) if settings.baseline is not None else \
        _one_pair(comparison, result) if len(result.pairs) == 1 else _all_pairs(comparison, result)
    if (differs := disagreement(result, comparison.testset.n_segments)) is not None:
        yield printable(differs)
    if any(pair.better is None and not (is_split(pair, settings.alpha) or identical(comparison, result, pair))
           for pair in result.tested):
        yield "Not significantly different does not mean equal." if TESTS[settings.test].p_values is not None else \
            "Where the test does not conclude, the systems are not shown to be equal."


def _undecided(result: MetricResult, settings: Settings) -> str | None:
    """Why no pair can be decided; None where some can. Where there are ranks, which have a correction of their own, it
    is said of the correction of the pairs."""
    m, lacks = len(result.tested), what_lacks(settings, result)
    if lacks is not None and result.systems[0].rank_low is not None:
        many = {"units": units_said(settings, most_units(result)),
                "differences": f"differences in so few {telling_unit(settings)}s"}.get(
                    lacks, f"{result.trials} trials")
        return (f"With {many} no difference can be significant after the correction of "
                f"{CORRECTION_NAMES[settings.correction]} over {m} pairs. Rank intervals have a correction that can "
                f"find some, {rank_correction(settings)}.")
    pairs = "the pair cannot" if m == 1 else f"none of the {m} pairs can"
    if lacks == "units":
        corrected = " after the correction" if m > 1 else ""
        p = "p of so few" if TESTS[settings.test].p_values is not None else "the chance that all favour the same system"
        return (f"With {units_said(settings, most_units(result))} {pairs} be decided: {p} cannot be as small as "
                f"{settings.alpha:g}{corrected}, however large the difference.")
    if lacks == "differences":
        return (f"By {metric_name(result)} the systems differ in so few {telling_unit(settings)}s that {pairs} be "
                "decided, however large the difference there.")
    if lacks == "trials":
        return (f"None of the pairs can be decided: {m} are too many for {result.trials} trials, with "
                "which this correction cannot find any difference significant.")
    return None


def _may_be_first(comparison: Comparison, top: Sequence[str]) -> str:
    rule = comparison.settings.rank_rule
    if rule != "simultaneous":
        return f"Ranks {RANK_RULES[rule].title} {'let only' if len(top) == 1 else 'let'} {listed(top)} be first."
    jointly = ", which hold jointly for all systems," if keeps_its_level(comparison) else ""
    return f"Rank intervals{jointly} {'let only' if len(top) == 1 else 'let'} {listed(top)} be first."


def _one_pair(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    pair = result.pairs[0]
    scores = _scores(result)
    if (what := identical(comparison, result, pair)) is not None:
        yield (f"The {what} of {printable(pair.a)} and {printable(pair.b)} are identical, at "
               f"{scores[pair.a]} {metric_name(result)}.")
        return
    a, b = (f"{printable(name)} ({scores[name]} {metric_name(result)})" for name in (pair.a, pair.b))
    yield f"{_judged(a, b, pair, comparison.settings)} ({_evidence(comparison, result, pair)})."


def _all_pairs(comparison: Comparison, result: MetricResult) -> Iterator[str]:
    settings, scores = comparison.settings, _scores(result)
    beaten = {pair.b if pair.better == "a" else pair.a for pair in result.pairs if pair.better}
    first = [row.system for row in result.systems if row.system not in beaten]
    named = [f"{printable(name)} ({scores[name]} {metric_name(result)})" for name in first]
    others = len(result.systems) - 1
    beats = sum(first[:1] == [pair.a if pair.better == "a" else pair.b] for pair in result.pairs if pair.better)
    if len(first) == 1 and beats == others:
        yield f"{named[0]} {_better(settings)} each of the other {others} systems."
    elif first:
        no_system = "No system is significantly better than" if TESTS[settings.test].p_values is not None else \
            "By this test, no system counts as better than"
        yield f"{no_system} {listed(named, 'or', shown=False)}."
    best = {row.system for row in result.systems[:2]}
    pair = next(pair for pair in result.pairs if {pair.a, pair.b} == best)  # tested or not
    yield (f"The two best scores are those of {printable(pair.a)} ({scores[pair.a]}) and {printable(pair.b)} "
           f"({scores[pair.b]}): {_evidence(comparison, result, pair)}.")
    significant = sum(row.significant for row in result.pairs)
    if TESTS[settings.test].p_values is not None:
        yield f"Of {counted(len(result.tested), 'pair')}, {significant} {'is' if significant == 1 else 'are'} " \
              "significantly different."
    top = headline(result)
    if top is not None and set(top) != set(first):  # another correction than that of the ranks
        yield _may_be_first(comparison, top)
    for what in ("outputs", "scores"):
        same = [f"{printable(row.a)} and {printable(row.b)}" for row in result.pairs
                if identical(comparison, result, row) == what]
        if same:
            yield f"Identical {what}: {'; '.join(same)}."


def _against_baseline(comparison: Comparison, result: MetricResult, name: str) -> Iterator[str]:
    settings, scores = comparison.settings, _scores(result)
    baseline = f"the baseline {printable(name)} ({scores[name]} {metric_name(result)})"
    if len(result.pairs) > _FEW:
        yield from _grouped(result, baseline, scores, settings)
        return
    for pair in result.pairs:
        system = f"{printable(pair.a)} ({scores[pair.a]})"
        if (what := identical(comparison, result, pair)) is not None:
            yield f"{system} and {baseline} have identical {what}."
        else:
            yield f"{_judged(system, baseline, pair, settings)} ({_evidence(comparison, result, pair)})."


def _grouped(result: MetricResult, baseline: str, scores: Mapping[str, str], settings: Settings) -> Iterator[str]:
    """Of many systems against a baseline: which are better, which worse, which neither."""
    has_p = TESTS[settings.test].p_values is not None
    heads = {"a": f"Significantly better than {baseline} are" if has_p else f"Counted as better than {baseline} are",
             "b": "Significantly worse are" if has_p else "Counted as worse are",
             None: "Not significantly different from it are" if has_p else "Without a conclusion are"}
    split = [pair for pair in result.tested if is_split(pair, settings.alpha)]
    for side, head in heads.items():
        systems = [f"{printable(pair.a)} ({scores[pair.a]})" for pair in result.tested
                   if pair.better == side and pair not in split]
        yield f"{head} {listed(systems, shown=False) or 'none'}."
    if split:
        systems = [f"{printable(pair.a)} ({scores[pair.a]})" for pair in split]
        yield f"Test and scores disagree on {listed(systems, shown=False)}: neither better nor worse is claimed."


def _judged(a: str, b: str, pair: PairResult, settings: Settings) -> str:
    """The decision on a pair, as a clause about a and b."""
    if pair.n == 0:
        return f"{a} and {b} have no segments in common"
    if pair.better is None and not pair.decidable:
        if alone_could(settings, pair):
            return f"Between {a} and {b}, so few trials cannot decide after the correction"
        return f"Between {a} and {b}, so few units cannot decide"
    if is_split(pair, settings.alpha):
        return f"{a} and {b}: test and scores disagree, and neither is declared better"
    if pair.better is None:
        return f"{a} and {b} are not significantly different" if TESTS[settings.test].p_values is not None else \
            f"Between {a} and {b} the test does not conclude"
    worse = "is significantly worse than" if TESTS[settings.test].p_values is not None else "counts as worse than"
    return f"{a} {_better(settings) if pair.better == 'a' else worse} {b}"


def _better(settings: Settings) -> str:
    return "is significantly better than" if TESTS[settings.test].p_values is not None else "counts as better than"


def _evidence(comparison: Comparison, result: MetricResult, pair: PairResult) -> str:
    """Difference, interval, and p or shares of wins of a pair, as the tables show them; and what the difference is of,
    where it is not that of the scores."""
    settings, form, seen = comparison.settings, points(result), see_pair(pair, pair.a, result, comparison.settings)
    interval = "" if seen.ci is None else f", {level(settings)} confidence interval {_signed_ends(seen.ci, form)}"
    if seen.ci_joint is not None and simultaneous_word(result, settings):
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
        common += f" on the {counted(pair.n, 'segment')} that both have scores for" if pair.n else \
            " of means over different segments"
    return f"difference {signed(seen.difference, form)}{common}{interval}, {chances}"


def _signed_ends(ends: tuple[float, float], form: str) -> str:
    return f"[{signed(ends[0], form)}, {signed(ends[1], form)}]"


def identical(comparison: Comparison, result: MetricResult, pair: PairResult) -> str | None:
    """``"outputs"`` or ``"scores"``, where those of both are the same on every segment."""
    return next((caution.code.removeprefix("identical-") for caution in comparison.warnings
                 if caution.code in ("identical-outputs", "identical-scores") and
                 caution.metric == result.metric and {caution.a, caution.b} == {pair.a, pair.b}), None)


def _scores(result: MetricResult) -> dict[str, str]:
    form = points(result)
    return {row.system: f"{row.score:{form}}" for row in result.systems}


def _data(comparison: Comparison, result: MetricResult) -> str:
    """Name, size and references of a test set; and how much of it was compared, where some segments have no score."""
    info = comparison.testset
    references = "reference" if len(info.references) == 1 else "references"
    scored = f"{references} {listed(info.references)}" if info.references else "segment scores without texts"
    some, which = segments_compared(comparison, result)
    size = f"{some}{counted(info.n_segments, 'segment')}{documents_compared(comparison, result)}{which}"
    return f"{printable(info.name)} ({size}{'' if result.was_given and info.references else f'; {scored}'})"


def _corrected(settings: Settings, m: int) -> str:
    if m == 1:
        return "a single pair needs no correction"
    if settings.correction == "none":
        return f"there was no correction for the {m} pairs"
    return f"p was corrected over this family of {m} pairs by the method of {CORRECTION_NAMES[settings.correction]}"
