"""Sentences for a paper: complete, grammatical, and no claim beyond the decisions."""

import dataclasses
import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from mtsig_core import Caution, TestSet, compare
from mtsig_core.figures import differences, forest, matrix
from mtsig_core.report.sentences import _judge_pair, explain_unlike, paper_sentences
from mtsig_core.report.words import write_caveats
from tests.report.test_latex import methods
from tests.report.test_outputs import SETTINGS, comparison, pair, result
from tests.toys import texts, toy

QUICK = dict(trials=199, resamples=50)
REFERENCE, OUTPUTS = texts(3, [0.2, 0.21, 0.6], 40)


def made(names, documents=None, **more):
    return TestSet("set", dict(zip(names, OUTPUTS, strict=False)), {"ref": REFERENCE}, documents=documents, **more)


def said(names="ABC", documents=None, **settings):
    return paper_sentences(compare(made(names, documents), **QUICK | settings), "bleu")


def by_hand(pairs, names="ABC", warnings=(), higher_is_better=True, **settings):
    systems = tuple(row for row in result(higher_is_better=higher_is_better).systems if row.system in names)
    given = comparison(dataclasses.replace(result(higher_is_better=higher_is_better), systems=systems,
                                           pairs=tuple(pairs)), warnings)
    return paper_sentences(dataclasses.replace(given, settings=dataclasses.replace(SETTINGS, **settings)), "bleu")


class TestOutcome:
    def test_one_system(self):
        text = said("A")
        assert text.startswith("We scored 1 system on set (40 segments; reference ref) by BLEU (higher is better; ")
        assert re.search(r"A scores \d\d\.\d\d BLEU \(95% confidence interval \[[\d., ]+\]\); there is no pair", text)
        assert "tested by" not in text

    def test_two_systems_apart(self):
        text = by_hand([pair("A", "B", 0.5, "a")], "AB")
        assert ("A (30.00 BLEU) is significantly better than B (29.50 BLEU) (difference +0.50, 95% confidence interval "
                "[-0.50, +1.50], p = 0.0010).") in text
        assert "equal" not in text and "a single pair needs no correction" in text

    def test_two_systems_not_apart(self):
        text = by_hand([pair("A", "B", 0.5, None, 0.4)], "AB")
        assert "A (30.00 BLEU) and B (29.50 BLEU) are not significantly different" in text
        assert "p = 0.4000" in text and "does not mean equal" in text and "better than" not in text

    def test_identical_outputs(self):
        same = [Caution("identical-outputs", {}, "bleu", "A", "B")]
        text = by_hand([pair("A", "B", 0.0, None, 1.0)], "AB", same)
        assert "The outputs of A and B are identical, at 30.00 BLEU." in text and "significantly" not in text

    def test_identical_scores(self):
        same = [Caution("identical-scores", {"n": 10}, "bleu", "A", "B")]
        assert "The scores of A and B are identical, at 30.00 BLEU." in by_hand(
            [pair("A", "B", 0.0, None, 1.0)], "AB", same)

    def test_identical_outputs_among_others(self):
        text = paper_sentences(compare(toy(3, 20, same="AB"), **QUICK), "bleu")
        assert "Identical outputs: A and B." in text

    def test_a_winner(self):
        text = by_hand([pair("A", "B", 0.5, "a"), pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a")])
        assert "A (30.00 BLEU) is significantly better than each of the other 2 systems." in text
        assert "Of 3 pairs, 3 are significantly different." in text and "equal" not in text

    def test_a_tie(self):
        text = by_hand([pair("A", "B", 0.5, None, 0.4), pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a")])
        assert "No system is significantly better than A (30.00 BLEU) or B (29.50 BLEU)." in text
        assert "does not mean equal" in text and "Rank intervals" not in text

    def test_ranks_are_told_apart_from_decisions_of_another_correction(self):
        text = by_hand([pair("A", "B", 0.5, "a"), pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a")],
                       correction="none")
        assert "Rank intervals, which hold jointly for all systems, let A and B be first." in text
        assert "no correction for the 3 pairs" in text

    def test_baseline(self):
        text = by_hand([pair("A", "C", 10.0, "a"), pair("B", "C", -9.5, "b")], baseline="C")
        assert "A (30.00) is significantly better than the baseline C (20.00 BLEU) (difference +10.00" in text
        assert "B (29.50) is significantly worse than the baseline C (20.00 BLEU) (difference -9.50" in text

    def test_lower_is_better(self):
        text = by_hand([pair("A", "B", -0.5, "a")], "AB", higher_is_better=False)
        assert "lower is better; a positive difference is an improvement" in text
        assert "A (70.00 BLEU) is significantly better than B (70.50 BLEU) (difference +0.50" in text

    def test_nothing_can_be_decided(self):
        text = said(trials=50, correction="holm")
        assert "With 50 trials no difference can be significant after the correction of Holm (1979) over 3" in text
        assert "Rank intervals have a correction that can find some, romano-wolf." in text and "better than" not in text
        assert "Rank intervals, which hold jointly for all systems, let" in text
        without = said(trials=50, correction="holm", test="percentile", alpha=0.1)  # ranks by Holm: there are none
        assert "None of the pairs can be decided: 3 are too many for 50 trials" in without and "Rank" not in without

    @pytest.mark.parametrize(("n_units", "lacks"), [(40, "trials cannot decide after the correction"),
                                                    (4, "units cannot decide")])
    def test_a_pair_says_what_it_lacks(self, n_units, lacks):
        one = dataclasses.replace(pair("A", "B", 0.5, None), decidable=False, n_units=n_units, n_apart=None)
        settings = dataclasses.replace(SETTINGS, test="ar", unit="document", trials=99, correction="bonferroni")
        assert _judge_pair("A", "B", one, settings) == f"Between A and B, so few {lacks}"

    @pytest.mark.parametrize("settings", [dict(trials=50, correction="holm"), dict(trials=19, correction="bonferroni")])
    @pytest.mark.parametrize("form", ["text", "latex", "html"])
    def test_that_nothing_can_be_decided_never_stands_above_a_rank(self, form, settings):
        found = compare(made("ABC"), **QUICK | settings)
        assert found.metrics["bleu"].systems[0].rank_low is not None
        shown = found.render(form).lower()
        above, _, _ = shown.partition("row against column")  # the matrix below says it of its pairs
        assert "be decided" not in above and "romano-wolf" in shown

    @pytest.mark.parametrize("names", ["AB", "ABC", "CA"])
    def test_koehn(self, names):
        outputs = {name: OUTPUTS["ABC".index(name)] for name in names}
        text = paper_sentences(compare(TestSet("set", outputs, {"ref": REFERENCE}), test="koehn", **QUICK), "bleu")
        assert re.search(r"wins on \d+\.\d% and loses on \d+\.\d% of the bootstrap samples", text)
        assert "gives no p" in text and "p =" not in text and "significantly" not in text
        assert "wins on at least 95%" in text and "Koehn 2004" in text and "10% of true nulls" in text
        assert bool(re.search(r"A \([\d.]+ BLEU\) counts as better than C", text)) == (names == "CA")


class TestMethod:
    @pytest.mark.parametrize("settings,parts", [
        ({}, ["approximate randomization (Riezler and Maxwell 2005, Fig. 1) with segments as units", "199 trials",
              "alpha = 0.05", "this family of 3 pairs by the method of Romano and Wolf (2005)", "jackknife t intervals",
              "mtsig 0", "seed 0"]),
        ({"test": "bootstrap", "correction": "bh"}, ["the bootstrap with a signed shift (Noreen 1989)", "Hochberg"]),
        ({"test": "percentile"}, ["Zhang and Vogel 2004", "Holm (1979)"]),
        ({"test": "riezler-maxwell"}, ["as printed", "rejects about 11% of true nulls with many units of equal size"]),
        ({"unit": "block", "block_length": 4},
         ["stationary blocks of 4 segments on average (Politis and Romano 1994)"]),
        ({"ci": "bca", "alpha": 0.1}, ["90% confidence intervals are BCa bootstrap intervals from 50 resamples"])])
    def test_says_how(self, settings, parts):
        text = said(**settings)
        assert all(part in text for part in parts), text

    def test_documents(self):
        text = said(documents=[str(k // 4) for k in range(40)])
        assert "40 segments in 10 documents" in text and "with documents as units" in text

    def test_references(self):
        many = dataclasses.replace(made("A"), references={name: REFERENCE for name in ("r1", "r2", "r3")})
        assert "references r1, r2 and r3" in paper_sentences(compare(many, **QUICK), "bleu")

    def test_simulated(self):
        assert "The test set is simulated" in paper_sentences(compare(made("AB", simulated=True), **QUICK), "bleu")
        assert "simulated" not in said()

    def test_the_seed_of_the_data_is_told_from_that_of_the_draws(self):
        named = dataclasses.replace(made("AB", simulated=True), name="made up (seed 7)")
        text = paper_sentences(compare(named, **QUICK, seed=3), "bleu")
        assert "on made up (seed 7) (40 segments" in text and "made up, from the seed in its name." in text
        assert re.search(r"mtsig \S+; what is drawn at random comes from seed 3\.$", text)
        assert "made up." in paper_sentences(compare(made("AB", simulated=True), **QUICK), "bleu")


@pytest.mark.parametrize("settings", [{}, {"baseline": "B"}, {"test": "koehn"}, {"test": "percentile"},
                                      {"correction": "bonferroni"}, {"correction": "by"}])
def test_every_claim_is_a_decision(settings):
    given = compare(made("ABC"), **QUICK | settings)
    text = paper_sentences(given, "bleu")
    for name in "ABC":
        beaten = [row for row in given.metrics["bleu"].pairs if row.better and name == getattr(row, row.better)]
        for claim in re.findall(rf"{name} \([^)]*\) (?:is significantly|counts as) better than (.*?)[.(]", text):
            assert len(beaten) == 2 if claim.startswith("each") else beaten


@pytest.mark.parametrize("n_systems,settings", [
    (1, {}), (2, {}), (3, {}), (3, {"test": "koehn"}), (3, {"baseline": "A"})])
def test_plain_punctuation(n_systems, settings):
    text = said("ABC"[:n_systems], **settings)
    assert "—" not in text and "\n" not in text and "  " not in text and ".." not in text and " ," not in text
    assert text.endswith(".") and not re.search(r"p = 0\.0000|p = 0([,);]|\. )|\b1 \w+s\b|nan|None", text)


def test_names_fill_one_line():
    text = said(["a\nb", "\u202eabc", "ok"])
    assert "a\\nb" in text and "\\u202eabc" in text and text.isprintable()


def test_counts_of_the_sentences_match_the_result():
    given = compare(made("ABC"), **QUICK)
    significant = sum(row.significant for row in given.metrics["bleu"].pairs)
    assert f"Of 3 pairs, {significant} " in paper_sentences(given, "bleu")


class TestCaveats:
    """What decides stands where a result is quoted without its warnings: in the words of these, less the remedy."""

    IGNORED = "Segments are the unit although document ids are known."

    @staticmethod
    def quoted(**settings):
        """The sentences for a paper, and the paragraph to which each of the LaTeX tables refers."""
        documents = [str(k // 4) for k in range(40)] if "unit" in settings else None
        found = compare(made("ABC", documents), **QUICK | settings)
        return [paper_sentences(found, "bleu"), *methods(found.render("latex"))]

    def test_segments_where_documents_are_known(self):
        for text in self.quoted(unit="segment"):
            assert self.IGNORED in text and "(median over pairs)." in text and "Use the unit" not in text
            assert "So decisions, intervals, the correction and rank intervals need not hold at the level said." in text
            assert "jointly" not in text

    @pytest.mark.parametrize("settings,fails", [
        ({"test": "riezler-maxwell"}, "decisions, the correction and rank intervals"),
        ({"test": "riezler-maxwell", "correction": "none"}, "decisions and rank intervals"),
        ({"test": "koehn"}, "decisions"),
        ({"test": "riezler-maxwell", "baseline": "A"}, "decisions and the correction")])
    def test_tests_as_published_hold_under_no_correction(self, settings, fails):
        for text in self.quoted(**settings):
            assert f"as documents are. So {fails} need not hold at the level said." in text
            assert "jointly" not in text and "Use ar" not in text

    @pytest.mark.parametrize("test", ["bootstrap", "percentile"])
    def test_bootstrap_tests_of_few_units_claim_no_level(self, test):
        for text in self.quoted(test=test):
            assert "20 to 43" in text and "decisions, the correction and rank intervals need not hold at the" in text
            assert "jointly" not in text and "Use ar" not in text

    @pytest.mark.parametrize("settings", [{}, {"unit": "document"}, {"correction": "bh"}])
    def test_nothing_is_taken_back_from_what_holds(self, settings):
        paper, below = self.quoted(**settings)
        assert "Rank intervals hold jointly for all systems." in below
        assert not any("need not hold" in text or self.IGNORED in text for text in (paper, below))

    @pytest.mark.parametrize("unit, said", [("segment", True), ("block", False)])
    def test_that_segments_are_taken_as_independent_goes_with_the_numbers(self, unit, said):
        found = compare(made("ABC"), **QUICK, unit=unit)
        result = found.metrics["bleu"]
        taken = "Segments are treated as independent because there are no document ids"
        for text in (paper_sentences(found, "bleu"), *methods(found.render("latex")), found.render("html")):
            assert (taken in text) == said and "Give document ids" not in text.partition("<h2")[0]
        for figure in (forest, differences, matrix):
            drawn = figure(result, found.settings, notes=write_caveats(found, result))
            below = " ".join(note.text.replace("<br>", "") for note in drawn.layout.annotations)
            assert (taken in below) == said

    def test_few_units_go_with_the_numbers(self):
        for text in self.quoted(unit="document"):
            assert "There are only 10 documents to resample. Intervals and p-values are rough below 30." in \
                text.replace("\\", "")

    def test_ranks_of_another_correction_claim_no_more(self):
        text = by_hand([pair("A", "B", 0.5, "a"), pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a")],
                       correction="none", warnings=[
                           Caution("documents-ignored", {"n_documents": 9, "enough": True, "se_ratio": None})])
        assert "Rank intervals let A and B be first." in text and self.IGNORED in text
        assert "So decisions, intervals and rank intervals need" in text


def test_where_samples_vary_more_than_swaps_it_is_said_with_p_by_the_standard_error():
    def said(se, p=0.02, n=None, units=10**9):
        found = SimpleNamespace(a="A", b="B", delta=-1.2, se={"document": se, "segment": 9.0},
                                outcomes=[SimpleNamespace(test="ar", p_value=p)],
                                settings=SimpleNamespace(unit="document"), swapped=np.array([0.5, -0.5] * 50),
                                n_units=units, n_effective=float(units))
        return explain_unlike(found, n or 1e9)

    assert said(0.54) == "" == said(None) == said(0.6, p=0.05)  # nothing is too small that the other p is not above
    assert "vary 1.22 times" in said(0.54, n=26)  # of the swaps' .25 the difference itself makes 1.44 / 26
    p = 2 * stats.norm.sf(1.2 / 0.6)
    assert said(0.6) == (" Bootstrap samples vary 1.20 times as much as swaps would of no difference: A and B are too "
                         "unlike to trade places, and this p is too small. By the standard error it would be about "
                         f"{p:.4f}.")
    few = 2 * stats.t.sf(1.2 / (0.6 * np.sqrt(8 / 7)), 7)  # of eight units the error is hardly known
    assert said(0.6, units=8).endswith(f"would be about {few:.4f}.") and few > p
