"""An exercise for each scene of the lecture, with its answer, reckoned by the functions that the scenes use."""

from __future__ import annotations

from mtsig_core.experiments.family_wise_error import if_independent
from mtsig_core.experiments.lecture_bootstrap import expected_missing
from mtsig_core.experiments.lecture_documents import design_effect, expected_by_sentence
from mtsig_core.inference.power import exaggeration_at, minimum_detectable_difference, power_at, units_needed

__all__ = ["exercises"]


def exercises() -> dict[str, tuple[str, str]]:
    """By scene: what is asked, and the answer.

    Examples
    --------
    >>> exercises()["randomization"][1].split(":")[0]
    '2/2^5 = 0.0625'
    """
    high, low, long, short = 80, 20, 45, 5  # scores, words
    n, few, enough, size, times = 300, 5, 6, 300, 4
    documents, rho, sentences, systems, alpha = 10, 0.2, 1000, 20, 0.05
    difference, error, at_hand, power = 1.0, 0.8, 400, 0.8
    effect, tests = design_effect(documents, rho), systems * (systems - 1) // 2
    return {
        "mean": (
            f"A system scores {high} on a sentence of {short} words and {low} on a sentence of {long}. What is the "
            "mean of the two scores, and what is it when each sentence counts for its words? Which of the two is "
            "nearer to what a corpus score says, and why is even that not BLEU?",
            f"{(high + low) / 2:.0f}, and {(high * short + low * long) / (short + long):.0f}. The second: BLEU sums "
            "matches and lengths over all sentences before it divides. It is not a weighted mean either, as it takes "
            "the geometric mean of four precisions and a brevity penalty of the whole."),
        "bootstrap": (
            f"How many of {n} sentences does a bootstrap sample lack on average? Does the share grow or fall with the "
            "test set? What would happen to the interval if sentences were drawn without being put back?",
            f"{n} (1 - 1/{n})^{n} = {expected_missing(n):.1f}, {expected_missing(n) / n:.1%}. It grows slowly towards "
            "one over e. Without putting back, every sample would be the whole test set in another order, and the "
            "interval a point."),
        "randomization": (
            f"What is the smallest two-sided p that {few} sentences can give? How many sentences must there be before "
            f"any difference can be significant at {alpha}?",
            f"{_least(few)}: of all ways to swap, the one observed and its mirror image are at least as large as it. "
            f"{enough} sentences: {_least(enough)}."),
        "blocks": (
            f"Blocks spread {times} times as wide as broad samples of the same size. To how many independent sentences "
            f"does a block of {size} then come? What does that say about a test set that is one newspaper of one day?",
            f"The spread falls with the square root of the size, so {size} / {times}^2 = {size / times**2:.0f}. Such a "
            "test set tells of that newspaper on that day; resampling its sentences hides how little it tells of "
            "others."),
        "documents": (
            f"Documents have {documents} sentences and an intra-class correlation of {rho:g}. What is the design "
            f"effect, what are {sentences:,} sentences worth, and how often does a test by sentence at {alpha} call "
            "equal systems different?",
            f"1 + ({documents} - 1) x {rho:g} = {effect:.1f}; {sentences:,} / {effect:.1f} = "
            f"{sentences / effect:.0f} sentences; in about {expected_by_sentence(documents, rho):.0%} of test sets."),
        "comparisons": (
            f"{systems} equal systems, every pair tested at {alpha}. How many pairs are that, how many false stars are "
            "expected, how likely would at least one be if the tests were independent, and at which level would "
            "Bonferroni test each?",
            f"{tests} pairs, {tests * alpha:.1f} false stars, {if_independent(alpha, tests):.3%}, and {alpha} / "
            f"{tests} = {alpha / tests:.5f}."),
        "power": (
            f"On {at_hand} sentences the difference of two systems has a standard error of {error:g} points. One is "
            f"truly better by {difference:g}. How often does a test at {alpha} find that, how large does the "
            f"difference look then, and how many sentences would find it in {power:.0%} of test sets?",
            f"{difference:g} / {error:g} = {difference / error:.2f} standard errors: in "
            f"{power_at(difference, error, alpha):.0%} of test sets, and there it is on average "
            f"{exaggeration_at(difference, error, alpha):.1f} times as large as in truth, as less than "
            f"{minimum_detectable_difference(error, alpha, 0.5):.2f} points is not found at all. With "
            f"{power:.0%} power {minimum_detectable_difference(error, alpha, power):.2f} points are found, and the "
            "standard error falls with the square root of the size: "
            f"{at_hand} x {minimum_detectable_difference(error, alpha, power) / difference:.2f}^2, about "
            f"{round(units_needed(difference, error, at_hand, alpha, power), -2):,} sentences.")}


def _least(n: int) -> str:
    """The smallest p of n sentences."""
    return f"2/2^{n} = {2 / 2**n:.4f}"
