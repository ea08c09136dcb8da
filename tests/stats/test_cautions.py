"""Warnings: each appears when it should, and only then."""

import random
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu

from mtsig_core import TestSet, compare
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.results import SystemResult
from mtsig_core.stats.cautions import about_texts, find_cautions, find_file_cautions
from mtsig_core.stats.comparison import decide, draw
from mtsig_core.stats.pair import examine_pair
from mtsig_core.stats.power import plan
from mtsig_core.stats.ranks import find_top_group
from mtsig_core.stats.settings import resolve
from mtsig_core.stats.significance import CORRECTIONS, TESTS, fitting_tests
from tests.builders.rendered import comparison_html, comparison_latex, comparison_text
from tests.builders.results import list_codes, select_cautions
from tests.builders.score_tables import rated_systems
from tests.builders.toys import (
    Given,
    bleu,
    bleu_counts,
    mean,
    metric_result,
    pair_result,
    segment_scores,
    toy,
)

QUICK = dict(trials=199, resamples=50)
COUNTS, DOCUMENTS = bleu_counts(seed=51, qualities=[0.6, 0.1, 0], n_segments=240)


def compared(n_systems=3, n_segments=240, documents=None, same=(), metrics=None, **settings):
    testset = toy(n_systems, n_segments, documents, same)
    rows = dict(zip(testset.systems, COUNTS[:n_systems, :n_segments], strict=True))
    return compare(testset, metrics or [Given(rows, bleu)], **{**QUICK, **settings})


def warning(result, code):
    """The one warning of that kind; None without."""
    found = select_cautions(result, code)
    assert len(found) <= 1
    return found[0] if found else None


class TestDesign:
    @pytest.mark.parametrize("unit", ["segment", "document", "block", "auto"])
    def test_documents_ignored(self, unit):
        assert bool(warning(compared(documents=DOCUMENTS, unit=unit), "documents-ignored")) == (
            unit == "segment"
        )

    def test_documents_ignored_says_what_it_costs(self):
        result = compared(documents=DOCUMENTS, unit="segment")
        ratio = np.median([pair.se_ratio for pair in result.metrics["given"].pairs])
        assert warning(result, "documents-ignored").facts["se_ratio"] == pytest.approx(ratio)

    @pytest.mark.parametrize(
        "unit, code",
        [("auto", "no-documents"), ("segment", "no-documents"), ("block", "blocks-for-documents")],
    )
    def test_no_documents(self, unit, code):
        codes = {"no-documents", "blocks-for-documents", "documents-ignored"}
        assert codes.intersection(caution.code for caution in compared(unit=unit).warnings) == {
            code
        }
        assert not warning(compared(documents=DOCUMENTS, unit=unit), code)

    def test_a_document_for_each_segment_tells_nothing(self):
        ids = [f"d{k}" for k in range(240)]
        assert warning(compared(documents=ids), "one-segment-documents").facts == {"n": 240}
        for more in (
            dict(documents=ids, unit="block"),
            dict(documents=["d1", *ids[1:-1], "d1"]),
            {},
            dict(n_segments=9, documents=ids[:9]),
        ):
            assert not warning(compared(**more), "one-segment-documents")

    @pytest.mark.parametrize(
        "few, enough, unit, n, has_interval",
        [
            (dict(n_segments=29), dict(n_segments=30), "segment", 29, True),
            (dict(n_segments=1), dict(n_segments=31), "segment", 1, False),
            (dict(n_segments=2), dict(n_segments=31), "segment", 2, False),
            (
                dict(documents=np.arange(240) * 29 // 240),
                dict(documents=np.arange(240) * 30 // 240),
                "document",
                29,
                True,
            ),
            (
                dict(unit="block", block_length=10),
                dict(unit="block", block_length=8),
                "block",
                24,
                True,
            ),
        ],
    )
    def test_few_units(self, few, enough, unit, n, has_interval):
        facts = warning(compared(**few), "few-units").facts
        assert (facts["unit"], facts["n"], facts["has_interval"]) == (unit, n, has_interval)
        assert not warning(compared(**enough), "few-units")

    @pytest.mark.parametrize("test", fitting_tests(False))
    def test_tests_as_published(self, test):
        found = warning(compared(test=test), "test-as-published")
        assert (found and found.facts) == (
            {"test": test} if test in ("koehn", "riezler-maxwell") else None
        )

    def test_several_metrics(self):
        scores = dict(zip("ABC", segment_scores(1, [60, 50, 40], 240), strict=True))
        two = [
            Given(dict(zip("ABC", COUNTS, strict=True)), bleu),
            Given(scores, mean, name="other"),
        ]
        assert warning(compared(metrics=two), "several-metrics").facts == {"n": 2}
        assert not warning(compared(), "several-metrics")

    def test_a_metric_that_depends_on_the_size_of_the_set(self):
        class OfSize(Given):
            depends_on_testset = True

        scores = dict(zip("ABC", segment_scores(1, [60, 50, 40], 240), strict=True))
        given = warning(compared(metrics=[OfSize(scores, mean, name="nist")]), "depends-on-size")
        assert given.metric == "nist" and given.facts == {"n_segments": 240}
        assert not warning(compared(), "depends-on-size")

    def test_one_system(self):
        assert warning(compared(1), "one-system").a == "A"
        assert not warning(compared(2), "one-system")


def usual(**asked):
    """Settings and units of a comparison of 200 segments."""
    return resolve(
        toy(2, 200),
        **{
            **dict(
                test="ar",
                unit="auto",
                block_length=None,
                trials=999,
                alpha=0.05,
                correction="none",
                ci="auto",
                resamples=99,
                seed=0,
                baseline=None,
            ),
            **asked,
        },
    )


def family(m, p=0.5, *, delta=1.0, significant=False, mdd=2.0, se=0.7, same=False, **asked):
    """Warnings about m pairs of the same numbers."""
    testset = toy(2, 200, same="AB" if same else "")
    settings, units = usual(**asked)
    raw, adjusted = p if isinstance(p, tuple) else (p, p)
    pair = pair_result(
        "A",
        "B",
        delta,
        "a" if significant else None,
        ci_low=0.0,
        ci_high=1.0,
        p_value=raw,
        p_adjusted=adjusted,
        se=se,
        mdd=mdd,
    )
    result = metric_result((), (pair,) * m, trials=settings.trials)
    return {
        caution.code: caution
        for caution in find_cautions(testset, settings, units, [], {"bleu": result})
    }


class TestFamily:
    @pytest.mark.parametrize(
        "correction, m, alpha, test",
        [
            ("bonferroni", 2, 0.05, "ar"),
            ("bonferroni", 200, 0.03, "percentile"),
            ("holm", 7, 0.001, "bootstrap"),
            ("holm", 45, 0.1, "ar"),
        ],
    )
    def test_the_trials_it_asks_for_are_the_fewest_that_will_do(self, correction, m, alpha, test):
        asked = dict(test=test, correction=correction, alpha=alpha)
        enough_for_one = TESTS[test].trials_for(alpha)
        assert "family-too-large" not in family(1, trials=enough_for_one, **asked)
        needed = family(m, trials=enough_for_one, **asked)["family-too-large"].facts["needed"]
        assert "family-too-large" not in family(m, trials=needed, **asked)
        assert "family-too-large" in family(m, trials=needed - 1, **asked)

    def test_300_pairs_at_999_trials(self):
        found = family(300, correction="holm")["family-too-large"]
        assert found.facts == {
            "m": 300,
            "trials": 999,
            "correction": "holm",
            "least": 0.001,
            "needed": 5999,
            "romano_wolf": True,
        }

    def test_not_equal(self):
        assert family(3, mdd=1.23)["not-equal"].facts == {
            "n": 3,
            "m": 3,
            "n_pairs": 3,
            "mdd": 1.23,
            "n_undecidable": 0,
        }
        assert "not-equal" not in family(3, significant=True)
        assert "not-equal" not in family(1, mdd=None, se=0.0)  # identical outputs are equal


def drawn_texts(shares, length, same=()):
    """60 segments of German words, and outputs with shares of them changed."""
    rng = random.Random(7)
    words = (
        "das ein Haus Baum geht läuft rot blau heute morgen schnell langsam er sie wir"
    ).split()
    reference = [rng.choices(words, k=rng.randint(*length)) for _ in range(60)]
    outputs = {
        name: [
            " ".join(word if rng.random() > share else rng.choice(words) for word in line)
            for line in reference
        ]
        for name, share in zip("AB", shares, strict=False)
    }
    return TestSet("toy", outputs, {"ref": list(map(" ".join, reference))})


class TestEndsOfAMetric:
    def test_at_its_floor_bleu_promises_no_difference_and_names_a_metric_that_tells(self):
        testset = drawn_texts((0.2, 0.3), (1, 3))  # no line has four words
        result = compare(testset, ["bleu", "chrf"], **QUICK)
        pair = result.metrics["bleu"].pairs[0]
        assert sacrebleu.corpus_bleu(testset.systems["A"], [testset.references["ref"]]).score == 0
        assert (pair.delta, pair.p_value, pair.se, pair.mdd, pair.mdd_low, pair.mdd_family) == (
            0,
            1,
            0,
            *[None] * 3,
        )
        caution = warning(result, "cannot-tell-apart")
        assert caution.facts == {
            "systems": ("A", "B"),
            "score": "0.00",
            "reason": "no 4-gram of the whole set matches a reference",
            "other": "chrf",
            "n_told": 1,
            "n_differ": 1,
        }
        assert caution.metric == "bleu" and result.metrics["chrf"].pairs[0].mdd > 0
        for said in (
            comparison_text(result),
            comparison_latex(result),
            comparison_html(result),
            paper_sentences(result, "bleu"),
        ):
            assert "no 4-gram of the whole set matches a reference" in " ".join(said.split())
        assert examine_pair(testset, "bleu", "A", "B", **QUICK).mdd is None
        assert {one.metric for one in result.warnings if one.code == "not-equal"} <= {"chrf"}
        (row,) = plan(result, 1.0, metric="bleu")
        assert row.mdd is None and row.decidable

    @pytest.mark.parametrize(
        "metric, change, score",
        [
            ("chrf", lambda text: text, "100.00"),
            ("ter", str.upper, "0.00"),
            ("gtm", lambda text: " ".join(text.split()[::-1]), "100.00"),
            ("per", lambda text: " ".join(text.split()[::-1]), "0.00"),
        ],
    )
    def test_at_its_best(self, metric, change, score):
        whole = drawn_texts((), (5, 9)).references["ref"]
        testset = TestSet("toy", {"A": whole, "B": list(map(change, whole))}, {"ref": whole})
        caution = warning(compare(testset, metric, **QUICK), "cannot-tell-apart")
        assert (caution.facts["systems"], caution.facts["score"]) == (("A", "B"), score)
        assert caution.facts["other"] == (None if metric == "chrf" else "chrf")
        assert caution.facts["n_differ"] == (metric != "chrf")  # outputs are identical, or not

    def test_outputs_that_differ_only_in_what_is_not_counted(self):
        texts = drawn_texts((0.2, 0.2), (5, 9)).systems["A"]
        testset = TestSet(
            "toy",
            {"A": texts, "B": [text.title() for text in texts]},
            {"ref": drawn_texts((), (5, 9)).references["ref"]},
        )
        caution = warning(compare(testset, "ter", **QUICK), "cannot-tell-apart")
        assert (caution.facts["systems"], caution.facts["score"]) == (
            ("A", "B"),
            None,
        ) and caution.facts["other"]
        assert not warning(compare(testset, "bleu", **QUICK), "cannot-tell-apart")

    def test_nothing_is_said_where_a_metric_can_tell(self):
        assert not warning(compare(drawn_texts((0.2, 0.3), (5, 9)), **QUICK), "cannot-tell-apart")

    def test_few_differences_are_those_that_the_metric_counts(self):
        reference = drawn_texts((), (6, 9)).references["ref"]
        first = [text.title() if k % 2 else text for k, text in enumerate(reference)]
        second = [text + " und mehr" if k < 5 else text for k, text in enumerate(reference)]
        result = compare(
            TestSet("toy", {"A": first, "B": second}, {"ref": reference}), "ter", **QUICK
        )
        n = sum(a != b for a, b in zip(first, second, strict=True))
        facts = warning(result, "few-differences").facts
        assert (facts["n"], facts["n_all"], facts["n_texts"]) == (5, 60, n) and n > 30


@pytest.mark.parametrize(
    "correction, n_open, n_significant, jointly, in_steps",
    [
        ("romano-wolf", 0, 2, True, True),
        ("bonferroni", 0, 2, True, False),
        ("bh", 1, 0, False, False),
    ],
)
def test_decisions_are_held_against_the_intervals_that_hold_as_they_do(
    correction, n_open, n_significant, jointly, in_steps
):
    def pair(significant, single, joint):
        return pair_result(
            "A",
            "B",
            1.0,
            "a" if significant else None,
            0.02,
            ci_low=single[0],
            ci_high=single[1],
            ci_joint_low=joint[0],
            ci_joint_high=joint[1],
            se=0.7,
            mdd=2.0,
        )

    pairs = [
        pair(False, (0.1, 2.0), (-1.0, 3.0)),
        *[pair(True, (0.1, 2.0), (-0.1, 3.0))] * 2,
        pair(True, (0.1, 2.0), (0.01, 3.0)),
        pair(False, (-0.1, 2.0), (-0.3, 3.0)),
    ]
    settings, units = usual(correction=correction)
    found = find_cautions(toy(2, 200), settings, units, [], {"bleu": metric_result((), pairs)})
    (facts,) = [caution.facts for caution in found if caution.code == "interval-and-decision"]
    assert (facts["n_open"], facts["n_significant"]) == (n_open, n_significant)
    assert (facts["jointly"], facts["in_steps"]) == (jointly, in_steps)
    assert not facts["trust"]["unlike"] and facts["trust"]["needed"] is None


def test_where_samples_vary_more_than_swaps_nobody_is_sent_to_the_decision():
    def pair(name, swap_se):
        return pair_result(
            name,
            "D",
            1.0,
            "a",
            0.02,
            ci_low=0.1,
            ci_high=2.0,
            ci_joint_low=-0.1,
            ci_joint_high=3.0,
            se=0.6,
            mdd=2.0,
            n=10_000,
            n_units=10_000,
            n_effective=10_000.0,
            swap_se=swap_se,
        )

    def trust(*pairs):
        settings, units = usual(correction="bonferroni")
        result = metric_result((), pairs)
        found = find_cautions(toy(4, 200), settings, units, [], {"bleu": result})
        facts = next(caution.facts for caution in found if caution.code == "interval-and-decision")[
            "trust"
        ]
        return facts["unlike"], facts["n_others"], facts["ratio"]

    other, both = pair("C", 0.6), (("A", "D"), ("B", "D"))
    assert trust(pair("A", 0.6), pair("B", 0.56), other) == ((), 3, None)
    assert trust(pair("A", 0.5), pair("B", 0.48)) == (both, 0, pytest.approx(1.25, abs=0.001))
    assert trust(pair("A", 0.5), pair("B", 0.48), other) == (
        both,
        1,
        pytest.approx(1.25, abs=0.001),
    )


def test_ranks_that_follow_another_correction_say_so():
    design = toy(3, 60)
    for correction, warned in (
        ("none", True),
        ("bh", True),
        ("holm", False),
        ("romano-wolf", False),
    ):
        found = compare(design, trials=999, resamples=99, correction=correction).warnings
        assert ("ranks-and-correction" in {caution.code for caution in found}) == warned


def test_no_system_of_the_top_group_has_a_loss_by_romano_wolf_and_by_others_it_is_named():
    """Three equal systems and three better ones.

    By the default the top group means what the README says.
    """
    rng, with_losses = np.random.default_rng(11), dict.fromkeys(CORRECTIONS, 0)
    for _ in range(25):
        values = np.array([[0.7]] * 3 + [[0]] * 3) + rng.normal(0, 1, (6, 30))
        testset = rated_systems(dict(zip("ABCDEF", values, strict=True)))
        draws = draw(testset, "human", trials=499, resamples=50)
        for correction in CORRECTIONS:
            found = decide(draws, correction=correction)
            result = found.metrics["human"]
            lost = {name for name, (_, _, losses) in result.tally().items() if losses}
            members = set(find_top_group(result)) & lost
            with_losses[correction] += bool(members)
            caution = warning(found, "ranks-and-correction")
            named = set() if caution is None else set(caution.facts["differ"].get("bold", ()))
            assert named == members
    assert with_losses["romano-wolf"] == 0 < with_losses["bh"] <= with_losses["none"]


def test_who_leads_by_ranks_and_not_by_decisions_is_named():
    """Also where both corrections hold over all pairs, and one finds more."""

    def ranked(**rows):
        return tuple(SystemResult(name, 0.0, None, None, *ranks) for name, ranks in rows.items())

    def differ(correction, *pairs, **rows):
        result = metric_result(ranked(**rows), pairs)
        settings, units = usual(correction=correction)
        found = find_cautions(toy(4, 200), settings, units, [], {"bleu": result})
        return [
            caution.facts["differ"] for caution in found if caution.code == "ranks-and-correction"
        ]

    def pair(a, b, better):
        return pair_result(a, b, 1.0, better, 0.01, se=0.1, mdd=0.3)

    found = [pair("A", "B", "a"), pair("A", "C", None), pair("B", "C", None)]
    assert differ("holm", *found, A=(1, 1), B=(2, 3), C=(2, 3)) == [
        {"undecided": False, "wary": ("C",), "bold": (), "n_apart": 1}
    ]
    none = {name: (None, None) for name in "ABC"}
    assert (
        differ("holm", *found, A=(1, 2), B=(2, 3), C=(1, 3)) == differ("holm", *found, **none) == []
    )
    assert differ("romano-wolf", *found, A=(1, 1), B=(2, 3), C=(2, 3)) == []
    assert differ("bh", *found, A=(1, 3), B=(1, 3), C=(1, 3)) == [
        {"undecided": False, "wary": (), "bold": ("B",), "n_apart": 0}
    ]
    assert differ("bh", *found, A=(1, 2), B=(2, 3), C=(1, 3)) == [{}]


def test_a_canary_that_is_scored_is_named():
    documents = ["canary", *("d" for _ in range(9))]
    found = {caution.code: caution for caution in about_texts(toy(2, 10, documents))}
    assert found["canary"].facts == {"line": 1}
    assert "canary" not in {caution.code for caution in about_texts(toy(2, 10))}


def test_a_document_in_several_domains_is_told():
    documents, domains = (
        ["a", "a", "b", "b", "c", "c"],
        ["news", "news", "news", "news", "speech", "speech"],
    )

    def told(testset):
        return {caution.code: caution.facts for caution in about_texts(testset)}.get(
            "documents-in-domains"
        )

    whole = toy(2, 6, documents)
    assert told(whole) is None and told(replace(whole, domains=domains)) is None
    assert told(replace(whole, documents=domains, domains=documents)) == {
        "documents": ("news",),
        "n_documents": 2,
    }


class TestPairs:
    # two Monte Carlo standard errors: 2 sqrt(p (1 - p) / trials), times what the correction
    # multiplies p by
    @pytest.mark.parametrize(
        "p, asked, warned",
        [
            (0.050, {}, True),
            (0.065, {}, True),
            (0.068, {}, False),
            (0.039, {}, True),
            (0.037, {}, False),
            (0.052, dict(trials=9999), True),
            (0.056, dict(trials=9999), False),
            ((0.01, 0.065), dict(correction="romano-wolf"), True),
            ((0.01, 0.068), dict(correction="romano-wolf"), False),
            ((0.010, 0.10), dict(correction="holm"), True),
            ((0.014, 0.14), dict(correction="holm"), False),
            (0.070, dict(test="percentile"), True),
            (0.079, dict(test="percentile"), False),
            ((0.007, 0.07), dict(test="percentile", correction="holm"), True),
            (1.0, {}, False),
            (0.001, {}, False),
            (0.12, dict(alpha=0.1), True),
            (0.12, dict(alpha=0.15), False),
        ],
    )
    def test_near_alpha(self, p, asked, warned):
        assert ("near-alpha" in family(1, p, **asked)) == warned

    def test_pairs_whose_p_could_not_be_smaller_are_told_together(self):
        """After Holm over 40 pairs .001 is .04: none of them is unlike another."""
        found = family(40, (0.001, 0.04), significant=True, correction="holm")
        assert "near-alpha" not in found and "near-alpha-at-the-least-p" not in family(
            1, (0.001, 0.001)
        )
        caution = found["near-alpha-at-the-least-p"]
        assert caution.facts == {
            "n": 40,
            "trials": 999,
            "correction": "holm",
            "p_low": 0.04,
            "p_high": 0.04,
        }
        assert caution.remedies == ({"trials": 4999},)

    @pytest.mark.statistics
    @pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile"])
    def test_two_standard_errors_are_those_of_p_over_seeds(self, test):
        rows = dict(zip("AB", segment_scores(7, [61.4, 60], 60), strict=True))
        p = [
            compare(toy(2, 60), [Given(rows, mean)], test=test, trials=399, resamples=2, seed=seed)
            .metrics["given"]
            .pairs[0]
            .p_value
            for seed in range(300)
        ]
        assert 0.03 < np.mean(p) < 0.1
        away = 1 + np.arange(0, 1, 0.01)
        nearest_far = next(
            k
            for k in away
            if "near-alpha"
            not in family(1, np.mean(p), test=test, trials=399, alpha=k * np.mean(p))
        )
        assert (nearest_far - 1) * np.mean(p) == pytest.approx(2 * np.std(p), rel=0.2)

    def test_identical_outputs(self):
        result = compared(same="AC")
        caution = warning(result, "identical-outputs")
        assert {caution.a, caution.b} == {"A", "C"}
        assert not warning(compared(), "identical-outputs")

    def test_identical_scores(self):
        scores = {"A": [5.0, 5.0, 4.0, None], "B": [5.0, 5.0, 4.0, 3.0], "C": [5.0, 5.0, 3.0, 3.0]}
        caution = warning(compare(rated_systems(scores), ["human"], **QUICK), "identical-scores")
        assert (caution.a, caution.b, caution.facts) == ("A", "B", {"n": 3})


def texts_warned_of(code, systems, references, **more):
    result = compare(TestSet("toy", systems, references, **more), trials=19, resamples=5)
    return {caution.a: caution.facts for caution in result.warnings if caution.code == code}


class TestTexts:
    def test_empty_lines_are_counted_and_the_first_is_named(self):
        systems = {"A": ["a", "", " \t", "d"], "B": ["a", "b", "c", "d"]}
        found = texts_warned_of("empty-lines", systems, {"ref": ["r"] * 4})
        assert found == {"A": {"role": "System", "n": 2, "n_present": 4, "line": 2}}

    def test_references_are_looked_at_too_where_they_exist(self):
        found = texts_warned_of(
            "empty-lines",
            {"A": ["a"] * 4},
            {"first": [None, "r", "", "r"], "second": ["r", None, "r", "r"]},
        )
        assert found == {"first": {"role": "Reference", "n": 1, "n_present": 3, "line": 3}}

    def test_all_empty(self):
        systems, references = {"A": ["", " "], "B": ["a", "b"]}, {"ref": ["", ""]}
        assert list(texts_warned_of("all-empty", systems, references)) == ["A", "ref"]
        assert not texts_warned_of("empty-lines", systems, references)
        assert texts_warned_of("all-empty", systems, references)["A"] == {"role": "System", "n": 2}


def test_a_sound_comparison_has_no_warning():
    rows = dict(zip("AB", COUNTS[[0, 2]], strict=True))
    result = compare(toy(2, 240, DOCUMENTS), [Given(rows, bleu)], trials=999, resamples=50)
    assert result.warnings == ()


def test_design_comes_first_and_single_pairs_last():
    result = compared(n_segments=20, same="AB", test="koehn")
    codes = list_codes(result)
    assert codes[:3] == ["no-documents", "few-units", "test-as-published"]
    assert codes[-1] == "identical-outputs"


def test_an_upload_is_asked_about_ids_of_segments_and_about_copies():
    """Before anything is compared, as far as the files show it."""
    rng = random.Random(4)
    words = [f"word{k}" for k in range(50)]
    reference = [" ".join(rng.choices(words, k=12)) for _ in range(40)]
    output = [line.replace(" ", " so ", 3) for line in reference]
    other = [line.replace(" ", " as ", 2) for line in reference]
    systems = {"A": output, "B": other}
    of_segments = TestSet(
        "toy", systems, {"ref": reference}, documents=[f"id{k}" for k in range(40)]
    )
    assert [one.code for one in find_file_cautions(of_segments)] == ["one-segment-documents"]
    twice = TestSet(
        "toy", {name: lines * 2 for name, lines in systems.items()}, {"ref": reference * 2}
    )
    assert [one.code for one in find_file_cautions(twice)] == ["copied-segments"]
    usual = TestSet("toy", systems, {"ref": reference}, documents=[f"d{k // 4}" for k in range(40)])
    assert find_file_cautions(usual) == []
