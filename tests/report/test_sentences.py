"""Sentences for a paper: complete, grammatical, and no claim beyond the decisions."""

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from mtsig_core import Caution, TestSet, compare
from mtsig_core.figures import differences, forest, matrix
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.sentences import explain_unlike, list_caution_texts, state_answer
from tests.builders.markup import methods
from tests.builders.results import SETTINGS, comparison, pair, result
from tests.builders.toys import texts

QUICK = dict(trials=199, resamples=50)
REFERENCE, OUTPUTS = texts(3, [0.2, 0.21, 0.6], 40)


def made(names, documents=None, **more):
    return TestSet(
        "set",
        dict(zip(names, OUTPUTS, strict=False)),
        {"ref": REFERENCE},
        documents=documents,
        **more,
    )


def said(names="ABC", documents=None, **settings):
    return paper_sentences(compare(made(names, documents), **QUICK | settings), "bleu")


def by_hand(pairs, names="ABC", warnings=(), higher_is_better=True, **settings):
    systems = tuple(
        row for row in result(higher_is_better=higher_is_better).systems if row.system in names
    )
    given = comparison(
        dataclasses.replace(
            result(higher_is_better=higher_is_better), systems=systems, pairs=tuple(pairs)
        ),
        warnings,
    )
    return paper_sentences(
        dataclasses.replace(given, settings=dataclasses.replace(SETTINGS, **settings)), "bleu"
    )


class TestOutcome:
    def test_one_system(self):
        text = said("A")
        assert (
            "We scored 1 system on set (40 segments; reference ref) by BLEU (higher is better)."
            in text
        )
        assert re.match(r"A scores \d\d\.\d\d; there is no other system to compare", text)
        assert "tested by" not in text

    @pytest.mark.parametrize(
        ("higher", "delta", "p", "better", "claim"),
        [
            (
                True,
                0.5,
                0.001,
                "a",
                "A is significantly better than B: A 30.00, B 29.50, difference +0.50 BLEU, p = 0.001, "
                "but the 95% CI, by another method, contains 0: -0.50 to 1.50.",
            ),
            (
                True,
                0.5,
                0.4,
                None,
                "No significant difference between A and B: A 30.00, B 29.50, difference +0.50",
            ),
            (
                False,
                -0.5,
                0.001,
                "a",
                "A is significantly better than B: A 70.00, B 70.50, difference +0.50",
            ),
        ],
    )
    def test_two_systems(self, higher, delta, p, better, claim):
        text = by_hand([pair("A", "B", delta, better, p)], "AB", higher_is_better=higher)
        assert claim in text and "two-sided" in text and "correct" not in text
        assert ("does not mean equal" in text) == (better is None)
        assert ("a positive difference is an improvement" in text) == (not higher)

    @pytest.mark.parametrize("what", ["outputs", "scores"])
    def test_identical(self, what):
        same = [Caution(f"identical-{what}", {"n": 10}, "bleu", "A", "B")]
        text = by_hand([pair("A", "B", 0.0, None, 1.0)], "AB", same)
        assert (
            f"The {what} of A and B are identical: A 30.00" in text and "significantly" not in text
        )

    def test_several_systems(self):
        pairs = pair("A", "B", 0.5, None, 0.4), pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a")
        text = by_hand(pairs)
        assert (
            "No clear winner. Top group: A, B. The two best scores: A 30.00, B 29.50, difference +0.50"
            in text
        )
        assert (
            "2 of 3 pairs are significantly different. No significant difference does not mean equal."
            in text
        )

    def test_the_answer_speaks_of_all_metrics(self):
        ranks = {"A": (1, 1), "B": (2, 2)}
        rows = tuple(
            dataclasses.replace(row, rank_low=ranks[row.system][0], rank_high=ranks[row.system][1])
            for row in result().systems[:2]
        )
        tied = tuple(dataclasses.replace(row, rank_low=1, rank_high=2) for row in rows)
        bleu = dataclasses.replace(result(), systems=rows, pairs=(pair("A", "B", 0.5, "a", 0.001),))
        chrf = dataclasses.replace(bleu, metric="chrf")
        ter = dataclasses.replace(
            bleu, metric="ter", systems=tied, pairs=(pair("A", "B", 0.5, None, 0.4),)
        )
        agreed = dataclasses.replace(comparison(bleu), metrics={"bleu": bleu, "chrf": chrf})
        assert state_answer(agreed, "bleu") == (
            "By BLEU and chrF: A is significantly better than B"
        )
        split = dataclasses.replace(agreed, metrics={"bleu": bleu, "ter": ter})
        assert state_answer(split, "ter") == (
            "A is significantly better than B by BLEU; no significant difference by TER"
        )
        undecided = dataclasses.replace(agreed, metrics={"ter": ter})
        assert state_answer(undecided, "ter") == (
            "By TER: No significant difference between A and B"
        )

    def test_of_more_than_two_verdicts_the_answer_has_the_first(self):
        first, second, third = (
            dataclasses.replace(result(names), metric=metric)
            for names, metric in (("ABC", "bleu"), ("BCA", "chrf"), ("CAB", "ter"))
        )
        three = dataclasses.replace(
            comparison(), metrics={"bleu": first, "chrf": second, "ter": third}
        )
        alone = state_answer(comparison(first), "bleu")
        assert (
            state_answer(three, "bleu")
            == f"The metrics disagree. {alone}. Other verdicts: by chrF and TER"
        )

    def test_the_answer_counts_metrics_that_it_has_no_room_to_name(self):
        many = {name: dataclasses.replace(result(), metric=name) for name in "abcdefgh"}
        assert state_answer(dataclasses.replace(comparison(), metrics=many), "c").startswith(
            "By c and 7 other metrics: "
        )

    def test_baseline(self):
        text = by_hand([pair("A", "C", 10.0, "a"), pair("B", "C", -9.5, "b")], baseline="C")
        assert "A is significantly better than C: A 30.00, C 20.00, difference +10.00" in text
        assert "C is significantly better than B: B 29.50, C 20.00, difference -9.50" in text

    def test_nothing_can_be_decided(self):
        text = said(trials=50, correction="holm")
        assert (
            "is significantly better than" in text or "Top group" in text
        )  # ranks have a correction of their own
        assert (
            "Rank ranges and the top group are always corrected for all pairs, here by Romano-Wolf."
            in text
        )
        assert "Here no system can win or lose, though there are ranks." in text
        without = said(
            trials=50, correction="holm", test="percentile", alpha=0.1
        )  # ranks by Holm: there are none
        assert "No system is ranked: too many pairs for so few trials." in without

    @pytest.mark.parametrize("names", ["AB", "ABC", "CA"])
    def test_koehn(self, names):
        outputs = {name: OUTPUTS["ABC".index(name)] for name in names}
        text = paper_sentences(
            compare(TestSet("set", outputs, {"ref": REFERENCE}), test="koehn", **QUICK), "bleu"
        )
        assert re.search(r"[ABC] wins \d+\.\d% of the resamples, [ABC] \d+\.\d%", text)
        assert "gives no p" in text and "p =" not in text and "significantly" not in text
        assert (
            "wins on at least 95%" in text and "Koehn 2004" in text and "10% false alarms" in text
        )
        assert ("A counts as better than C" in text) == (names == "CA")


def test_one_paragraph_is_of_all_metrics_and_says_each_thing_once():
    text = paper_sentences(compare(made("AB"), ["bleu", "chrf", "ter"], **QUICK))
    assert text.startswith("No significant difference between B and A by BLEU, chrF, TER. ")
    for metric in ("BLEU", "chrF", "TER"):
        assert re.search(rf"{metric}: B \d+\.\d+, A \d+\.\d+, difference \S+ {metric}, ", text)
    assert "by BLEU and chrF (higher is better) and TER (lower is better; " in text
    for sentence in ("tested, two-sided, by", "We compared", "confidence intervals", "mtsig"):
        assert text.count(sentence) == 1
    for unused in ("ank range", "orrected for 1", "romano-wolf", "adjusted"):
        assert unused not in text
    caveat, software = text.index("not corrected for the number"), text.index("Computed with")
    assert caveat < software < text.index("Signatures: BLEU|nrefs:1|")


class TestMethod:
    @pytest.mark.parametrize(
        "settings,parts",
        [
            (
                {},
                [
                    "approximate randomization (Riezler and Maxwell 2005, Fig. 1) with segments as units",
                    "199 permutations",
                    "alpha = 0.05",
                    "corrected for 3 pairs (Romano and Wolf 2005)",
                    "jackknife t intervals",
                    "mtsig 0",
                    "seed 0",
                ],
            ),
            (
                {"test": "bootstrap", "correction": "bh"},
                ["bootstrap, signed shift (Noreen 1989)", "Hochberg"],
            ),
            ({"test": "percentile"}, ["Zhang and Vogel 2004", "Holm 1979"]),
            (
                {"test": "riezler-maxwell"},
                ["as printed", "gives about 11% false alarms with many units of equal size"],
            ),
            (
                {"unit": "block", "block_length": 4},
                [
                    "stationary blocks of 4 segments on average as units",
                    "jackknife t intervals over fixed blocks of about 4",
                ],
            ),
            (
                {"unit": "block", "block_length": 4, "test": "bootstrap", "ci": "percentile"},
                [
                    "blocks of 4 segments on average (Politis and Romano 1994) as units",
                    "resamples of stationary blocks of 4 segments on average (Politis and Romano 1994)",
                ],
            ),
            (
                {"ci": "bca", "alpha": 0.1},
                ["90% confidence intervals are BCa bootstrap intervals from 50 resamples"],
            ),
        ],
    )
    def test_says_how(self, settings, parts):
        text = said(**settings)
        assert all(part in text for part in parts), text

    def test_the_seed_of_the_data_is_told_from_that_of_the_draws(self):
        named = dataclasses.replace(made("AB", simulated=True), name="made up (seed 7)")
        text = paper_sentences(compare(named, **QUICK, seed=3), "bleu")
        assert "on made up (seed 7) (40 segments" in text
        assert re.search(r"mtsig \S+, seed 3\. ", text)
        assert "simulated." in paper_sentences(compare(made("AB", simulated=True), **QUICK), "bleu")


@pytest.mark.parametrize(
    "n_systems,settings",
    [(1, {}), (2, {}), (3, {}), (3, {"test": "koehn"}), (3, {"baseline": "A"})],
)
def test_plain_punctuation(n_systems, settings):
    text = said("ABC"[:n_systems], **settings)
    assert (
        "—" not in text
        and "\n" not in text
        and "  " not in text
        and ".." not in text
        and " ," not in text
    )
    assert text.endswith(".") and not re.search(
        r"p = 0\.0000|p = 0([,);]|\. )|\b1 \w+s\b|nan|None", text
    )


def test_names_fill_one_line():
    text = said(["a\nb", "\u202eabc", "ok"])
    assert "a\\nb" in text and "\\u202eabc" in text and text.isprintable()


class TestCaveats:
    """What decides stands where a result is quoted without its warnings: in the words of these,
    less the remedy.
    """

    IGNORED = CAUTION_KINDS["documents-ignored"].general

    @staticmethod
    def quoted(**settings):
        """The sentences for a paper, and the paragraph to which each of the LaTeX tables refers."""
        documents = [str(k // 4) for k in range(40)] if "unit" in settings else None
        found = compare(made("ABC", documents), **QUICK | settings)
        return [paper_sentences(found, "bleu"), *methods(found.render("latex"))]

    @pytest.mark.parametrize(
        ("settings", "caveat", "fails"),
        [
            ({"unit": "segment"}, IGNORED, "decisions, intervals and rank ranges"),
            ({"unit": "segment", "baseline": "A"}, IGNORED, "decisions and intervals"),
            ({"test": "riezler-maxwell"}, "few or unequal ones", "decisions and rank ranges"),
            ({"test": "koehn"}, "as documents are", "decisions"),
            ({"test": "riezler-maxwell", "baseline": "A"}, "few or unequal ones", "decisions"),
            ({"test": "bootstrap"}, "20 to 43", "decisions and rank ranges"),
            ({"test": "percentile"}, "20 to 43", "decisions and rank ranges"),
        ],
    )
    def test_a_test_that_rejects_too_often_claims_no_level(self, settings, caveat, fails):
        for text in self.quoted(**settings):
            assert caveat in text and f"So {fails} may not hold at the stated level" in text
            assert "jointly" not in text and "Use" not in text

    @pytest.mark.parametrize("settings", [{}, {"unit": "document"}, {"correction": "bh"}])
    def test_nothing_is_taken_back_from_what_holds(self, settings):
        for text in self.quoted(**settings):
            assert "Rank ranges hold jointly at about 95% for all systems." in text.replace(
                r"\%", "%"
            )
            assert "may not hold" not in text and self.IGNORED not in text

    @pytest.mark.parametrize("unit, said", [("segment", True), ("block", False)])
    def test_that_segments_are_taken_as_independent_goes_with_the_numbers(self, unit, said):
        found = compare(made("ABC"), **QUICK, unit=unit)
        result = found.metrics["bleu"]
        taken = CAUTION_KINDS["no-documents"].general
        for text in (
            paper_sentences(found, "bleu"),
            *methods(found.render("latex")),
            found.render("html"),
        ):
            assert (taken in text) == said and "Add document ids" not in text.partition("<h2")[0]
        for figure in (forest, differences, matrix):
            drawn = figure(result, found.settings, notes=list_caution_texts(found, "bleu"))
            below = " ".join(note.text.replace("<br>", "") for note in drawn.layout.annotations)
            assert (taken in below) == said


def test_where_samples_vary_more_than_swaps_it_is_said_with_p_by_the_standard_error():
    def said(se, p=0.02, n=None, units=10**9):
        found = SimpleNamespace(
            a="A",
            b="B",
            delta=-1.2,
            se={"document": se, "segment": 9.0},
            outcomes=[SimpleNamespace(test="ar", p_value=p)],
            settings=SimpleNamespace(unit="document"),
            swapped=np.array([0.5, -0.5] * 50),
            n_units=units,
            n_effective=float(units),
        )
        return explain_unlike(found, n or 1e9)

    assert (
        said(0.54) == "" == said(None) == said(0.6, p=0.05)
    )  # nothing is too small that the other p is not above
    assert "vary 1.22 times" in said(
        0.54, n=26
    )  # of the swaps' .25 the difference itself makes 1.44 / 26
    p = 2 * stats.norm.sf(1.2 / 0.6)
    assert "the outputs of A and B are very different" in said(0.6) and said(0.6).endswith(
        f"p = {p:.3f}."
    )
    few = 2 * stats.t.sf(
        1.2 / (0.6 * np.sqrt(8 / 7)), 7
    )  # of eight units the error is hardly known
    assert said(0.6, units=8).endswith(f"p = {few:.3f}.") and few > p
