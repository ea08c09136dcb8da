"""Inside a score: against sacreBLEU, scipy, and counts by hand."""

from dataclasses import replace
from itertools import combinations
from math import exp

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from scipy import stats

from mtsig_core import SettingError, TestSet
from mtsig_core.experiments.inside_score import (
    LENGTH_SHARES,
    NOTE_CLAIMS,
    PENALTIES,
    SentenceMean,
    averages,
    brevity_penalty,
    densities,
    factor,
    koehns_factors,
    lengths,
    note_example,
    precisions,
    signatures,
    students_t,
    truncated,
    worked_example,
)
from mtsig_core.metrics import make_metric
from mtsig_core.report.experiment_tables import factor_table, note_table, right_value
from mtsig_core.simulation.corpus import simulate
from tests.builders.score_tables import rated_systems
from tests.builders.toys import texts


@pytest.fixture(scope="module")
def toy():
    """Four systems of 120 segments, of which the third gets short sentences right and long ones
    wrong.
    """
    reference, systems = texts(3, (0.2, 0.25, 0.0, 0.6), 120)
    systems[2] = [
        ours if len(right.split()) < 15 else theirs
        for ours, theirs, right in zip(reference, systems[3], reference, strict=True)
    ]
    systems[1] = [" ".join(text.split()[:-1]) for text in systems[1]]
    return TestSet(
        "toy",
        dict(zip("ABCD", systems, strict=True)),
        {"ref": reference},
        documents=[f"d{k // 6}" for k in range(120)],
    )


def corpus_of(testset, name, rows=None, **settings):
    """SacreBLEU's score of a system on some segments."""
    rows = range(testset.n_segments) if rows is None else rows
    references = [[texts[k] for k in rows] for texts in testset.references.values()]
    return BLEU(**settings).corpus_score([testset.systems[name][k] for k in rows], references)


def sentences_of(testset, name):
    return [corpus_of(testset, name, [k]).score for k in range(testset.n_segments)]


# Precisions.


def test_the_parts_of_bleu_are_those_of_sacrebleu(toy):
    found = precisions(toy)
    assert [row.bleu for row in found] == sorted((row.bleu for row in found), reverse=True)
    for row in found:
        theirs = corpus_of(toy, row.system)
        assert [row.p1, row.p2, row.p3, row.p4] == pytest.approx(theirs.precisions)
        assert (row.brevity_penalty, row.length_ratio) == pytest.approx(
            (theirs.bp, theirs.sys_len / theirs.ref_len)
        )
        assert row.bleu == pytest.approx(theirs.score)
        assert row.bleu == pytest.approx(
            row.brevity_penalty * np.prod([row.p1, row.p2, row.p3, row.p4]) ** 0.25
        )
    assert min(row.brevity_penalty for row in found) < 1


def test_an_empty_output_has_no_precision():
    (row,) = precisions(TestSet("toy", {"A": [""]}, {"ref": ["a b"]}))
    assert (row.p1, row.length_ratio, row.brevity_penalty, row.bleu) == (None, 0, 0, 0)


@pytest.mark.parametrize(
    "look", [precisions, lengths, signatures, lambda ts, m: worked_example(ts, "A", 1, m)]
)
def test_other_metrics_have_no_such_parts(toy, look):
    with pytest.raises(SettingError, match="chrf has no n-gram precisions"):
        look(toy, "chrf")
    with pytest.raises(
        SettingError, match="bleu of another package"
    ):  # which does not name its counts
        look(toy, BLEU())


# Lengths.


def test_short_outputs_cost_bleu_more_than_long_ones_and_gtm_little():
    """Koehn (2004), Figure 1, whose frame begins at 23 points and ends at a length ratio of 1.2."""
    corpus = simulate(400)
    found = lengths(corpus, system="Spanish")
    assert found.how == "word penalty" and [name for name, _ in found.curves] == [
        "Spanish",
        "Portuguese",
    ]
    for name, points in found.curves:
        actual = points[PENALTIES.index(0)]
        assert [point.asked for point in points] == list(PENALTIES)
        assert actual.bleu == pytest.approx(corpus_of(corpus, name).score)
        ratios = [point.length_ratio for point in points]
        assert ratios == sorted(ratios) and ratios[0] < 0.87 and 1.17 < ratios[-1] < 1.25
        for point in points:
            assert point.brevity_penalty == pytest.approx(min(1, exp(1 - 1 / point.length_ratio)))
            assert point.bleu == pytest.approx(point.brevity_penalty * point.precision)
        slope = {
            what: [
                abs(getattr(points[k], what) - getattr(actual, what)) / abs(ratios[k] - ratios[4])
                for k in (0, -1)
            ]
            for what in ("bleu", "gtm_2")
        }
        assert (
            slope["bleu"][0] > 1.3 * slope["bleu"][1]
        )  # points per length: short costs more than long
        assert all(bleu > 2 * gtm for bleu, gtm in zip(*slope.values(), strict=True))
        assert min(point.bleu for point in points) > 0.8 * actual.bleu
    assert found.actual.bleu > found.beside_points[4].bleu


def test_two_systems_are_asked_for_by_name(toy):
    assert lengths(toy, system="B").beside == next(
        row.system for row in precisions(toy) if row.system != "B"
    )
    assert lengths(toy, beside=precisions(toy)[0].system).system == precisions(toy)[1].system
    alone = lengths(toy.only(["A"]))
    assert (alone.system, alone.beside, alone.beside_points) == ("A", None, ())
    for part, asked in ((toy, dict(system="A", beside="A")), (toy.only(["A"]), dict(beside="A"))):
        with pytest.raises(SettingError, match="Both systems are A. Expected two different ones"):
            lengths(part, **asked)


def test_a_part_of_the_simulated_corpus_is_known_by_its_lines():
    part = simulate(600).take(range(200, 600, 2))
    assert lengths(part, system="Greek").how == "word penalty"
    other = replace(part, systems={"Greek": [f"{text} ." for text in part.systems["Greek"]]})
    assert lengths(other).how == "truncation"


def test_truncation_keeps_a_share_of_the_words(toy):
    found = lengths(toy, system="A")
    assert found.how == "truncation" and [point.asked for point in found.points] == list(
        LENGTH_SHARES
    )
    words = [text.split() for text in toy.systems["A"]]
    for point in found.points:
        cut = [" ".join(text[: max(1, round(point.asked * len(text)))]) for text in words]
        theirs = BLEU().corpus_score(cut, [toy.references["ref"]])
        assert point.bleu == pytest.approx(theirs.score)
        assert point.length_ratio == pytest.approx(theirs.sys_len / theirs.ref_len)
    assert (
        found.actual is found.points[-1] and max(point.length_ratio for point in found.points) <= 1
    )


def test_what_has_no_spaces_is_cut_too():
    chinese = TestSet(
        "toy", {"A": ["你好世界你好世界"] * 2}, {"ref": ["你好世界你好世界"] * 2}, langpair="en-zh"
    )
    assert [point.length_ratio for point in lengths(chinese).points] == [
        0.75,
        0.875,
        0.875,
        1.0,
        1.0,
    ]
    assert (
        truncated("one  two", lambda text: ["another", "text"], 0.5) == "one"
        and truncated("", str.split, 0.5) == ""
    )


# Worked example.


def test_the_example_of_the_note_reckoned_by_hand():
    found = note_example()
    assert [(step.matched, step.total) for step in found.steps] == [(3, 6), (1, 5), (0, 4), (0, 3)]
    penalty = exp(1 - 7 / 6)
    assert found.brevity_penalty == pytest.approx(penalty) and round(penalty, 4) == 0.8465
    assert [step.bleu for step in found.steps] == pytest.approx(
        [penalty / 2, penalty * (0.5 * 0.2) ** 0.5, 0, 0]
    )
    assert [step.bleu for step in found.steps[:2]] == pytest.approx([0.423, 0.268], abs=5e-4)
    assert found.bleu == pytest.approx(
        100 * penalty * (3 / 6 * 1 / 5 * (1 / 2) / 4 * (1 / 4) / 3) ** 0.25
    )
    assert [[one.ngram for one in step.ngrams] for step in found.steps] == [
        ["Israeli", "officials", "airport"],
        ["Israeli officials"],
        [],
        [],
    ]


def test_where_the_note_goes_wrong():
    ratio, first, second = NOTE_CLAIMS
    assert ratio.value == 6 / 7 and second.value == pytest.approx(3 / 6 * 1 / 5 * 6 / 7, abs=1e-3)
    assert [round(right_value(note_example(), claim), 4) for claim in NOTE_CLAIMS] == [
        0.8465,
        0.4232,
        0.2677,
    ]
    assert round(3 / 6 * 6 / 7, 2) == 0.43 != first.value
    assert [row[:3] for row in note_table(note_example()).texts()] == [
        ["brevity penalty", "6/7 = 0.8571", "0.8465"],
        ["BLEU-1", "0.42", "0.4232"],
        ["BLEU-2", "0.085", "0.2677"],
    ]


def test_any_line_of_a_test_set():
    ts = TestSet(
        "toy",
        {"A": ["x", "The cat, the cat sat on the the mat."]},
        {"one": ["x", "The cat sat on the mat."], "two": ["x", "There, the cat sat, the end."]},
        lines=[4, 9],
    )
    found = worked_example(ts, "A", 9)
    theirs = corpus_of(ts, "A", [1])
    assert [step.matched for step in found.steps] == theirs.counts and found.bleu == pytest.approx(
        theirs.score
    )
    assert [sum(one.clipped for one in step.ngrams) for step in found.steps] == theirs.counts
    the = next(one for one in found.steps[0].ngrams if one.ngram == "the")
    assert (the.in_output, the.in_reference, the.clipped) == (3, 2, 2)
    lower = worked_example(ts, "A", 9, make_metric("bleu", lowercase=True))
    counts = corpus_of(ts, "A", [1], lowercase=True).counts
    assert (
        [sum(one.clipped for one in step.ngrams) for step in lower.steps] == counts != theirs.counts
    )
    with pytest.raises(SettingError, match="has no line 1. It has 2, from 4 to 9"):
        worked_example(ts, "A", 1)


# Averages.


def test_both_rankings_are_those_of_sacrebleu(toy):
    found = averages(toy)
    corpus = {name: corpus_of(toy, name).score for name in toy.systems}
    average = {name: float(np.mean(sentences_of(toy, name))) for name in toy.systems}
    for row in found.systems:
        assert (row.corpus, row.average) == pytest.approx((corpus[row.system], average[row.system]))
        assert row.corpus_place == 1 + sum(other > row.corpus + 1e-9 for other in corpus.values())
        assert row.average_place == 1 + sum(
            other > row.average + 1e-9 for other in average.values()
        )
    apart = {
        frozenset(pair)
        for pair in combinations(toy.systems, 2)
        if (corpus[pair[0]] - corpus[pair[1]]) * (average[pair[0]] - average[pair[1]]) < 0
    }
    assert {frozenset((pair.a, pair.b)) for pair in found.disagreements} == apart and apart
    for pair in found.disagreements:
        assert (
            pair.corpus_delta == pytest.approx(corpus[pair.a] - corpus[pair.b])
            and pair.corpus_delta > 0
        )
        assert (
            pair.average_delta == pytest.approx(average[pair.a] - average[pair.b])
            and pair.average_delta < 0
        )


def test_the_case_holds_by_sacrebleu(toy):
    case = averages(toy, seed=4).case
    rows, pair = [line - 1 for line in case.lines], case.pair
    assert len(rows) == 3 and case.corpus == pytest.approx(
        [corpus_of(toy, s, rows).score for s in (pair.a, pair.b)]
    )
    sentences = [[sentences_of(toy, s)[k] for s in (pair.a, pair.b)] for k in rows]
    np.testing.assert_allclose(case.sentences, sentences)
    assert case.average == pytest.approx(np.mean(sentences, axis=0))
    assert case.corpus[0] > case.corpus[1] and case.average[0] < case.average[1]
    assert case.lengths == tuple(len(toy.references["ref"][k].split()) for k in rows)
    assert (
        averages(toy, seed=4) == averages(toy, seed=4)
        and averages(toy, seed=5).case.lines != case.lines
    )


def test_a_case_does_not_rest_on_outputs_without_a_four_gram():
    """Sentence BLEU of such an output is 0, however right it is: the mean would prefer B for that
    alone.
    """
    long, short, fitting = "a b c d e f g h i j k l", "u v w", "u v w x"
    ts = TestSet(
        "toy",
        {"A": [long, short, short], "B": [long.replace("f", "z"), fitting, fitting]},
        {"ref": [long, fitting, fitting]},
    )
    found = averages(ts)
    assert found.disagreements and found.case is None


@pytest.mark.parametrize("metric", ["ter", "chrf"])
def test_a_positive_difference_is_an_improvement(toy, metric):
    found = averages(toy, metric)
    sign = -1 if metric == "ter" else 1
    assert (
        found.unsmoothed_zeros is None and found.case.corpus[0] * sign > found.case.corpus[1] * sign
    )
    assert found.case.average[0] * sign < found.case.average[1] * sign
    scores = [row.corpus * sign for row in found.systems]
    assert scores == sorted(scores, reverse=True)


def test_nothing_to_disagree_on(toy):
    same = TestSet("toy", {"A": toy.systems["A"], "B": toy.systems["A"]}, toy.references)
    assert averages(same).disagreements == () and averages(same).case is None
    with pytest.raises(SettingError, match="seed is -1"):
        averages(TestSet("t", {"A": ["a"], "B": ["a"]}, {"r": ["a"]}), seed=-1)
    with pytest.raises(SettingError, match="1 system to rank"):
        averages(toy.only("A"))


# Student's t.


def test_intervals_are_those_of_scipy():
    rng = np.random.default_rng(5)
    values = np.round(rng.normal(70, 15, 900), 3)
    given = [None if k % 3 == 2 else float(value) for k, value in enumerate(values)]  # 600 scores
    found = students_t(rated_systems({"A": given, "B": [1.0] * 900}), "human", system="A")
    known = np.array([value for value in given if value is not None])
    assert [row.n for row in found.rows] == [100, 300, 600]
    for row in found.rows:
        part = known[np.arange(row.n) * 600 // row.n]
        low, high = stats.t.interval(0.95, row.n - 1, part.mean(), stats.sem(part))
        assert (row.mean, row.t_low, row.t_high) == pytest.approx(
            (part.mean(), low, high), abs=1e-4
        )
        assert row.t_factor == pytest.approx(stats.t.ppf(0.975, row.n - 1))
        boot = stats.bootstrap(
            (part,), np.mean, method="percentile", rng=1, n_resamples=2000
        ).confidence_interval
        assert (row.boot_low, row.boot_high) == pytest.approx(boot, abs=0.12 * (high - low))
        assert row.width_ratio == pytest.approx(
            (row.t_high - row.t_low) / (row.boot_high - row.boot_low)
        )
    assert found.n_documents is None and found.document_low is None


def test_of_a_corpus_metric_it_takes_the_sentences(toy):
    found = students_t(toy, "bleu", system="B", alpha=0.1, seed=2)
    scores = np.array(sentences_of(toy, "B"))
    low, high = stats.t.interval(0.9, 119, scores.mean(), stats.sem(scores))
    assert (
        found.rows[-1].n == 120
        and found.metric == "sentence-bleu"
        and "smooth:exp" in found.signature
    )
    assert (found.rows[-1].t_low, found.rows[-1].t_high) == pytest.approx((low, high), abs=1e-4)
    assert (
        found.n_documents == 20 and found.document_low < found.rows[-1].mean < found.document_high
    )
    assert students_t(toy, "bleu", system="B", alpha=0.1, seed=2, jobs=2) == found


def test_too_few_scores():
    with pytest.raises(
        SettingError, match="A has too few segment scores by human: 1. Expected at least 2"
    ):
        students_t(rated_systems({"A": [1.0, None]}), "human")
    with pytest.raises(SettingError, match="No system 'Z'"):
        students_t(rated_systems({"A": [1.0, 2.0]}), "human", system="Z")
    with pytest.raises(SettingError, match="n is 1"):
        factor(1, 0.05)


def test_densities_are_those_of_scipy():
    for n in (2, 5, 100):
        x, t, normal = densities(n)
        np.testing.assert_allclose(t, stats.t.pdf(x, n - 1))
        np.testing.assert_allclose(normal, stats.norm.pdf(x))
    assert densities(3)[0][-1] > stats.t.ppf(0.975, 2) and densities(5, 0.001)[0][-1] > stats.t.ppf(
        0.9995, 4
    )


def test_what_is_wrong_with_table_2():
    """Df = n but for two entries, and the last digit of the normal factor at 99%."""
    printed = {(one.level, one.n): one.printed for one in koehns_factors()}

    def right(level, df):
        return (
            stats.norm.ppf(0.5 + level / 200) if df is None else stats.t.ppf(0.5 + level / 200, df)
        )

    by_n = {key: round(right(*key), 4) for key in printed}
    assert {key: by_n[key] for key in printed if printed[key] != by_n[key]} == {
        (95, 100): 1.984,
        (99, 600): 2.584,
        (99, None): 2.5758,
    }
    assert printed[99, 600] == round(stats.t.ppf(0.995, 599), 4) and printed[95, 100] == 1.9849
    for one in koehns_factors():
        assert one.right == pytest.approx(right(one.level, one.n and one.n - 1))
    assert (
        factor_table().texts()[1][1] == "1.9849  (right: 1.9842)"
        and factor_table().texts()[2][3] == "1.6474"
    )


# Signatures.


def test_every_setting_is_sacrebleus():
    ts = TestSet(
        "toy",
        {"A": ["The old Cat, it sat.", "a Dog barked at the Cat!"]},
        {"ref": ["the old cat, it sat .", "A dog barked at the cat!"]},
    )
    as_here, *others = signatures(ts)
    theirs = [
        dict(lowercase=True),
        dict(tokenize="zh"),
        dict(tokenize="none"),
        dict(tokenize="char"),
    ]
    assert as_here.bleu == pytest.approx(corpus_of(ts, "A").score) and len(others) == 4
    for row, settings in zip(others, theirs, strict=True):
        assert row.bleu == pytest.approx(corpus_of(ts, "A", **settings).score)
        assert f"tok:{settings.get('tokenize', '13a')}|" in row.signature
    assert len({row.signature for row in (as_here, *others)}) == 5


def test_sentence_scores_that_are_undefined_are_left_out():
    mean = SentenceMean(make_metric("wer"))
    scores = mean.from_counts(
        mean.of.statistics(TestSet("toy", {"A": ["", "a b"]}, {"ref": ["", "a c"]}))
    )
    assert np.isfinite(scores).all() and set(scores[..., 1].ravel()) <= {0.0, 1.0}
    assert brevity_penalty(0, 5) == 0 and brevity_penalty(5, 5) == 1
