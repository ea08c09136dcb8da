"""How a shared task was compared, in sentences ready for a paper; they promise what the tests hold and no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mtsig_core.errors import counted
from mtsig_core.inference.few_units import cannot_decide
from mtsig_core.inference.rank_rules import RANK_RULES
from mtsig_core.inference.significance import TESTS
from mtsig_core.report.caveats import (
    assumptions,
    caveats,
    direction,
    keeps_its_level,
    segments_compared,
    what_is_scored,
)
from mtsig_core.report.phrases import (
    CORRECTION_NAMES,
    TEST_NAMES,
    computed_said,
    intervals_name,
    level,
    listed,
    metric_name,
    trials_clause,
    units_name,
)
from mtsig_core.report.sentences import runs_sentences
from mtsig_core.report.task_across import not_averaged
from mtsig_core.report.task_tables import task_left_out
from mtsig_core.report.terminal import printable
from mtsig_core.results import Comparison, MetricResult
from mtsig_core.results.task import TaskComparison

__all__ = ["across_sentences", "caveat_sentences", "common_sentences", "have_metric", "left_out_sentences",
           "level_across", "signature_sentences", "subject_sentences", "task_methods", "within_sentences"]

_SO = "So "  # begins a conclusion
_FEW = 5  # language pairs whose numbers are each said
Have = Mapping[str, tuple[Comparison, MetricResult]]


def task_methods(found: TaskComparison, metric: str) -> str:
    """What was compared, how it was tested in each language pair and across them, and what was assumed and left out:
    one paragraph of plain text, which says nothing of who won.

    Parameters
    ----------
    found : TaskComparison
    metric : str
        One that some language pair was compared by.
    """
    have = have_metric(found, metric)
    return " ".join([*subject_sentences(found, metric, "We compared", "by"), *within_sentences(have),
                     *across_sentences(found, metric), *common_sentences(found, metric)])


def have_metric(found: TaskComparison, metric: str) -> Have:
    """The language pairs that were compared by a metric, and what was found by it in each."""
    return {pair: (comparison, comparison.metrics[metric]) for pair, comparison in found.pairs.items()
            if metric in comparison.metrics}


def subject_sentences(found: TaskComparison, metric: str, begin: str, by: str, named: bool = True) -> list[str]:
    """What was compared: systems and their track, task, language pairs (with their names), metric."""
    have = have_metric(found, metric)
    names = dict.fromkeys(row.system for _, result in have.values() for row in result.systems)
    closed = [found.task.systems[name].constrained for name in names if name in found.task.systems]
    beside = [word for name in names if name in found.task.systems for word in found.task.systems[name].beside]
    second, human = beside.count("contrastive"), beside.count("human translation")
    track = "" if True not in closed else ", all in the constrained track," if all(closed) else \
        f", {closed.count(True)} of them in the constrained track,"
    track += f"{'' if track else ','} {second} of them contrastive, beside a primary one," if second else ""
    whose = "a human translation" if human == 1 else "human translations"
    track += f"{'' if track else ','} {human} of them {whose}," if human else ""
    one = next(iter(have.values()))[1]
    pairs = counted(len(have), "language pair") + f" ({listed(list(have))})" * named
    said = [f"{begin} {counted(len(names), 'system')} of {printable(found.task.name)}{track} in {pairs} {by} "
            f"{metric_name(one)} ({direction(one.higher_is_better, differences=False)})."]
    if any(comparison.testset.simulated for comparison, _ in have.values()):
        said.append("The task is simulated: its texts and ratings are made up.")
    return said


def within_sentences(have: Have) -> list[str]:
    """How pairs of systems were tested within each language pair, and what that is not worth where it lacks."""
    tested = {pair: (comparison.settings, result) for pair, (comparison, result) in have.items() if result.tested}
    said = _grouped({pair: runs_sentences(result) for pair, (_, result) in have.items()})
    if tested:
        settings = next(iter(tested.values()))[0]
        test = TESTS[settings.test]
        drawn = _by_pair({pair: f"{units_name(own)} as units{trials_clause(result, own)}"
                          for pair, (own, result) in tested.items()})
        said.append(f"In each language pair all differences between two systems were tested by "
                    f"{TEST_NAMES.get(test.name, test.title)} ({test.source}) with {drawn}, and alpha = "
                    f"{settings.alpha:g}.")
        families = _sizes({pair: len(result.tested) for pair, (_, result) in have.items()})
        if settings.correction == "none":
            said.append(f"There was no correction for the number of pairs of systems: {families}.")
        else:
            said.append(f"p was corrected by the method of {CORRECTION_NAMES[settings.correction]} over the pairs of "
                        f"systems of each language pair ({families}), and not over the language pairs together.")
        if test.p_values is None:
            said.append(f"This test gives no p: a system counts as better where it wins on at least {level(settings)} "
                        "of the bootstrap samples.")
    some = {pair: f"{before}{counted(comparison.testset.n_segments, 'segment')}{after}"
            for pair, (comparison, result) in have.items() for before, after in [segments_compared(comparison, result)]
            if before}
    said += [f"Two systems were compared on {_by_pair(some)}."] if some else []
    said += _grouped({pair: what_is_scored(comparison, result) for pair, (comparison, result) in have.items()})
    said += caveat_sentences(have)
    ranked = {pair: keeps_its_level(comparison) for pair, (comparison, result) in have.items()
              if result.systems[0].rank_low is not None}
    rule = next(iter(have.values()))[0].settings.rank_rule
    if ranked and rule != "simultaneous":
        said.append(f"Ranks within each language pair are {RANK_RULES[rule].title}.")
    elif any(ranked.values()):
        where = "each language pair" if all(ranked.get(pair) for pair in have) else \
            listed([pair for pair, keeps in ranked.items() if keeps])
        said.append(f"Rank intervals hold jointly for all systems of {where}, not for the language pairs together.")
    elif tested and TESTS[settings.test].p_values is None:
        said.append("There are no rank intervals: this test controls no error over all pairs of systems.")
    kinds = _by_pair({pair: intervals_name(result, comparison.settings) for pair, (comparison, result) in have.items()})
    one = next(iter(have.values()))[0].settings
    said.append(f"{level(one)} confidence intervals of scores are {kinds}, each for its own system.")
    return said


def caveat_sentences(have: Have) -> list[str]:
    """What the decisions of each language pair are not worth: in which none can be made, and what is wrong with the
    test or the unit."""
    return _grouped({pair: [f"{sentence}." for sentence in [cannot_decide(comparison.settings, result)] if sentence]
                     + caveats(comparison, result, here=False)
                     for pair, (comparison, result) in have.items()})


def level_across(found: TaskComparison, metric: str) -> list[str]:
    """That what is said across the language pairs need not hold at its level, where it need not."""
    have, macro = have_metric(found, metric), found.macro.get(metric)
    lacking = [pair for pair, (comparison, _) in have.items() if not keeps_its_level(comparison)]
    if not lacking or len(have) < 2 or macro is None or not any(pair.decidable for pair in macro.pairs):
        return []
    where = "these draws" if len(lacking) == len(have) else f"the draws in {listed(lacking)} too"
    return [f"What is said across them rests on {where}, so it need not hold at the level said either."]


def across_sentences(found: TaskComparison, metric: str) -> list[str]:
    """How systems were compared across the language pairs; why not, where they were not."""
    have = have_metric(found, metric)
    macro = found.macro.get(metric)
    if len(have) < 2 or macro is None:
        return []
    if not macro.pairs:
        return [not_averaged(found, metric)]
    settings = next(iter(have.values()))[0].settings
    n, missing = (sum((row.score is None) is lacks for row in macro.systems) for lacks in (False, True))
    m = len(macro.pairs)
    corrected = "A single pair of systems needs no correction" if m == 1 else \
        f"There was no correction for these {m} pairs of systems" if settings.correction == "none" else \
        f"p was corrected over these {m} pairs of systems by the method of {CORRECTION_NAMES[settings.correction]}"
    said = [f"Across the {len(have)} language pairs, which count the same, the mean difference of two systems was "
            f"tested by the draws made within each language pair and averaged, so that p of language pairs were "
            f"not combined. {corrected}."]
    if any(pair.ci_low is not None for pair in macro.pairs):
        kind = "jackknife t intervals, with degrees of freedom by Welch (1947)" if macro.ci == "jackknife-t" else \
            f"percentile bootstrap intervals from {settings.resamples} resamples"
        said.append(f"{level(settings)} intervals of mean differences are {kind}, each for its own pair of systems.")
    if missing:
        said.append(f"{counted(n, 'system')} {'has' if n == 1 else 'have'} all language pairs; "
                    f"{'the other one is' if missing == 1 else f'the other {missing} are'} not ranked across them.")
    if lacking := level_across(found, metric):
        said += lacking
    elif not macro.is_ranked:
        said.append("Nobody is ranked across them, as no pair of systems could be significant with so few trials or "
                    "units.")
    elif n > 1:
        said.append("Rank intervals across them hold jointly for all systems ranked there (Romano and Wolf 2005).")
    return said


def common_sentences(found: TaskComparison, metric: str) -> list[str]:
    """What was assumed of the metric, what was left out, and with what all was computed."""
    first = next(iter(have_metric(found, metric).values()))[0]
    said = list(map(printable, assumptions(found.task.assumed, [metric])))
    return [*said, *left_out_sentences(found), computed_said(first.settings)]


def left_out_sentences(found: TaskComparison) -> list[str]:
    """Which systems were left out, and why; no sentence where none was."""
    return [f"Left out: {printable(task_left_out(found))}."] if found.excluded else []


def signature_sentences(found: TaskComparison, metric: str) -> list[str]:
    """The signature, with the values of all language pairs in each field where they differ; and the digest."""
    signatures = {pair: result.signature for pair, (_, result) in have_metric(found, metric).items()}
    fields = [signature.split("|") for signature in signatures.values()]
    differ, text = len(set(signatures.values())) > 1, _by_pair(signatures)
    if len({tuple(field.partition(":")[0] for field in own) for own in fields}) == 1:
        text = "|".join(values[0] if len(set(values)) == 1 else
                        ",".join([values[0], *(value.partition(":")[2] for value in values[1:])])
                        for values in zip(*fields, strict=True))
    how = " (values that differ in the order of the language pairs)" if differ else ""
    return [f"Signature{how}: {printable(text)}.", f"Task digest: {printable(found.task.digest)}."]


def _by_pair(phrases: Mapping[str, str]) -> str:
    """One phrase where all language pairs have the same; else each with those that it holds for."""
    pairs: dict[str, list[str]] = {}
    for pair, phrase in phrases.items():
        pairs.setdefault(phrase, []).append(pair)
    if len(pairs) == 1:
        return next(iter(pairs))
    return "; ".join(f"{phrase} ({listed(names)})" for phrase, names in pairs.items())


def _grouped(sentences: Mapping[str, Sequence[str]]) -> list[str]:
    """Each sentence once, those that hold for all language pairs first, the others with theirs; conclusions last.

    A conclusion may stand after what is said of other language pairs: it does not begin by what it follows from then.
    """
    pairs: dict[str, list[str]] = {}
    for pair, own in sentences.items():
        for sentence in own:
            pairs.setdefault(sentence, []).append(pair)
    said: dict[bool, list[str]] = {True: [], False: []}
    for sentence, names in sorted(pairs.items(), key=lambda one: one[0].startswith(_SO)):
        everywhere = len(names) == len(sentences)
        where = "" if everywhere else f"In {listed(names)}{' ' if sentence.startswith(_SO) else ': '}"
        said[everywhere].append(where + printable(sentence if everywhere else sentence.removeprefix(_SO)))
    return said[True] + said[False]


def _sizes(families: Mapping[str, int]) -> str:
    """How many pairs of systems each language pair has, or of many language pairs the range."""
    sizes: Iterable[int] = set(families.values())
    if len(set(sizes)) == 1:
        return f"{next(iter(sizes))} in each"
    if len(families) > _FEW:
        return f"{min(sizes)} to {max(sizes)} of them"
    return listed([f"{n} in {pair}" for pair, n in families.items()])
