"""Scores and their bootstrap: intervals as `compare` gives them, relative ends by hand, stability
against theory.
"""

import math
import statistics

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU

from mtsig_core import InputError, SegmentScores, SettingError, TestSet, compare
from mtsig_core.experiments import papers
from mtsig_core.experiments.sweeps import GROWING, bound_sd, default_pool, stability
from mtsig_core.report.experiment_tables import (
    interval_table,
    repeated_table,
)
from mtsig_core.stats.comparison import bootstrap_systems, histogram, relative_ends, score
from mtsig_core.stats.decisions import spread_interval
from mtsig_core.stats.intervals import fitting_intervals
from mtsig_core.stats.resampling import UNITS
from tests.builders.cases import brief
from tests.builders.markup import Page
from tests.builders.results import list_codes
from tests.builders.score_tables import rated_systems
from tests.builders.toys import Given, bleu, bleu_counts, compare_given, texts, toy

STATISTICS, DOCUMENTS = bleu_counts(5, [0.0, 0.05, 0.02], 120)
NORMAL = statistics.NormalDist()


def given_to(
    function,
    *args,
    counts=STATISTICS,
    rule=bleu,
    documents=DOCUMENTS,
    higher_is_better=True,
    **settings,
):
    testset = toy(*counts.shape[:2], documents)
    metric = Given(dict(zip(testset.systems, counts, strict=True)), rule, higher_is_better)
    return function(testset, metric, *args, **settings)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("kind", brief(2, fitting_intervals(False)))
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_intervals_and_order_are_those_of_compare(unit, kind, higher_is_better):
    found = given_to(
        bootstrap_systems, unit=unit, resamples=200, seed=3, higher_is_better=higher_is_better
    )
    result = compare_given(
        STATISTICS,
        documents=DOCUMENTS,
        unit=unit,
        ci=kind,
        trials=99,
        resamples=200,
        seed=3,
        higher_is_better=higher_is_better,
    )
    assert [(s.system, s.score, *s.intervals[kind]) for s in found] == [
        (s.system, s.score, s.ci_low, s.ci_high) for s in result.systems
    ]


def test_one_system_alone_has_the_same_draws():
    every = {found.system: found for found in given_to(bootstrap_systems, resamples=300)}
    (alone,) = given_to(bootstrap_systems, resamples=300, only=["B"])
    assert np.array_equal(alone.drawn, every["B"].drawn) and alone.intervals == every["B"].intervals
    with pytest.raises(ValueError):
        alone.drawn[0] = 1


def test_ends_and_median_are_of_the_replicates():
    (found,) = given_to(bootstrap_systems, only=["C"], unit="segment", resamples=20)
    drawn = found.drawn.tolist()
    assert found.median == pytest.approx(statistics.median(drawn))
    low, *_, high = statistics.quantiles(drawn, n=40, method="inclusive")
    assert found.intervals["percentile"] == pytest.approx((low, high))
    relative = low / found.median - 1, high / found.median - 1
    assert found.relative("percentile") == pytest.approx(relative)


def test_relative_ends_by_hand():
    assert relative_ends(18, 20, 23) == (-0.1, 0.15) and relative_ends(-23, -20, -18) == (
        -0.15,
        0.1,
    )
    assert relative_ends(-1, 0, 1) is None and relative_ends(-1, 5e-324, 1e300) is None


def test_a_score_of_nothing_has_no_relative_interval():
    counts = STATISTICS.copy()
    counts[1, :, 2:6] = 0  # nothing matches
    found = {s.system: s for s in given_to(bootstrap_systems, counts=counts, resamples=100)}["B"]
    assert found.intervals["percentile"] == (0, 0) and found.relative("percentile") is None
    settled = given_to(stability, "B", counts=counts, pool=500)
    assert settled.sigma == 0 and {
        row.relative for row in (*settled.growing, *settled.repeats)
    } == {None}
    assert all(row.relative_sd is None and row.relative_theory is None for row in settled.repeats)
    assert repeated_table(settled, "bleu").texts()[0][5:7] == ["-", "-"]
    assert interval_table(found, "percentile", "95%").texts()[0] == [
        "Percentile (chosen)",
        "0.00",
        "0.00",
        "0.00",
        "-",
    ]


def test_runs_are_disjoint_parts_of_the_pool():
    drawn = given_to(bootstrap_systems, only=["A"], resamples=1050)[0].drawn
    settled = given_to(stability, "A", pool=1050)
    runs = [(row.resamples, row.runs) for row in settled.repeats]
    assert runs == [(100, 10), (500, 2), (1000, 1)]
    first, *_, last = settled.repeats
    parts = drawn[:1000].reshape(10, 100)
    ends = np.quantile(parts, [0.025, 0.975], axis=1)
    assert (first.sd_low, first.sd_high) == pytest.approx(ends.std(axis=1, ddof=1))
    shares = ends / np.median(parts, axis=1) - 1
    assert first.relative == pytest.approx(shares.mean(axis=1))
    relative_sd = math.sqrt(shares.var(axis=1, ddof=1).mean())
    assert first.relative_sd == pytest.approx(relative_sd)
    of_two_ends = spread_interval(first.relative_sd, 1 + 2 * 9)
    assert first.relative_sd_range == pytest.approx(of_two_ends)
    assert settled.sigma == pytest.approx(drawn.std(ddof=1))
    assert settled.median == np.median(drawn)
    assert (last.sd_low, last.relative_sd) == (None, None)


def test_a_row_has_the_interval_of_compare():
    settled = given_to(stability, "B", pool=2500, unit="segment", seed=4)
    result = compare_given(
        STATISTICS, documents=DOCUMENTS, unit="segment", ci="percentile", trials=99, seed=4
    )
    row = {row.resamples: row for row in settled.growing}[2000]
    system = next(s for s in result.systems if s.system == "B")
    assert (row.low, row.high, settled.score) == (system.ci_low, system.ci_high, system.score)
    assert [r.resamples for r in settled.growing] == [size for size in GROWING if size <= 2500]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (dict(pool=99), "pool is 99. Expected at least 100"),
        (dict(alpha=2), "alpha is 2"),
        (dict(seed=-1), "seed is -1"),
        (dict(unit="page"), "Unknown unit 'page'"),
    ],
)
def test_settings_out_of_range(arguments, said):
    with pytest.raises(SettingError, match=said):
        given_to(stability, "A", **arguments)


@pytest.mark.parametrize("alpha, factor", [(0.05, 2.67), (0.1, 2.11)])
def test_the_spread_of_a_bound_against_drawn_normals(alpha, factor):
    drawn = np.random.default_rng(1).standard_normal((3000, 1000))
    low, middle = np.quantile(drawn, [alpha / 2, 0.5], axis=1)
    assert bound_sd(alpha) == pytest.approx(factor, abs=0.01)
    assert low.std() * math.sqrt(1000) == pytest.approx(bound_sd(alpha), rel=0.05)
    assert (low - middle).std() * math.sqrt(1000) == pytest.approx(
        bound_sd(alpha, less_median=True), rel=0.05
    )


@pytest.mark.statistics
def test_the_spread_of_repeated_intervals_is_that_of_theory():
    settled = given_to(stability, "A", unit="segment", pool=100_000)
    for row in settled.repeats[:4]:  # of 10,000 there are too few runs to tell
        for sd in (row.sd_low, row.sd_high):
            assert 0.8 < sd / row.theory < 1.2
        assert 0.8 < row.relative_sd / row.relative_theory < 1.2
    assert settled.repeats[-1].runs == 10


def test_the_pool_fits_the_number_of_units():
    pools = [default_pool(n) for n in (10, 3000, 3001, 6000, 30_000, 10**7)]
    assert pools == [200_000, 200_000, 100_000, 100_000, 20_000, 10_000]


@pytest.mark.parametrize("metric", ["nist", "bleu", "m-bleu"])
def test_what_the_page_says_of_the_published_tables(metric):
    last = papers.ZHANG_VOGEL_6.rows[metric][-1]
    sigma = (last[3] - last[2]) / 2 / 1.96  # in percent
    for size, sd, *_ in papers.ZHANG_VOGEL_6.rows[metric]:
        assert 100 * sd == pytest.approx(
            bound_sd(less_median=True) * sigma / math.sqrt(size), abs=0.013
        )
    _, _, low, high = papers.ZHANG_VOGEL_6.rows[metric][
        0
    ]  # the 2nd and 98th of 100, leaning to the left
    assert (low, high) == pytest.approx(
        [sigma * NORMAL.inv_cdf(rank / 101) for rank in (2, 98)], abs=0.05
    )
    step = 0.01 / papers.ZHANG_VOGEL_5.rows[metric][-1][1]
    for *_, low, high in papers.ZHANG_VOGEL_5.rows[metric]:
        if metric != "nist":  # multiples of .0001, seen from a rounded median
            assert all(abs(end / step - round(end / step)) < 0.15 for end in (low, high))
    first, fifth = (
        next(row for row in table.rows[metric] if row[0] in ("A", 2000))
        for table in (papers.ZHANG_VOGEL_1, papers.ZHANG_VOGEL_5)
    )
    spread = 100 * next(row[1] for row in papers.ZHANG_VOGEL_6.rows[metric] if row[0] == 2000)
    assert first[2:] != fifth[2:]
    assert all(abs(a - b) < 2.5 * spread for a, b in zip(first[2:], fifth[2:], strict=True))


def test_how_far_an_end_moves_is_as_seen_and_else_by_theory():
    """Of scores that take few values an end moves otherwise than that of a normal one."""
    testset = rated_systems({"A": [100.0] * 4 + [0.0] * 96, "B": [50.0] * 100})
    found = stability(testset, "human", "A", pool=20_000)
    seen = [row for row in found.repeats if row.runs >= 20]
    assert [row.resamples for row in seen] == [100, 500, 1000]
    for row in seen:
        both_ends = math.sqrt((row.sd_low**2 + row.sd_high**2) / 2)
        assert found.end_sd(row.resamples) == both_ends
    by_theory = found.sigma * bound_sd()
    assert abs(both_ends / (by_theory / math.sqrt(1000)) - 1) > 0.2
    assert found.end_sd(2000) == by_theory / math.sqrt(2000)  # ten runs tell little
    still = stability(testset, "human", "B", pool=2000)
    assert {(row.sd_low, row.sd_high) for row in still.repeats if row.runs > 1} == {(0.0, 0.0)}


@pytest.mark.parametrize(
    "values",
    [
        [1e16] * 5,
        [1e16, 1e16 + 2],
        [9e99, np.nextafter(9e99, 0)],
        [-1e15, -1e15 + 0.125],
        [0.0, 5e-324],
        [3.0, 3.0],
        [1.0, 2.0],
    ],
)
def test_a_histogram_of_numbers_as_close_as_can_be(values):
    edges, counts = histogram(np.array(values))
    assert counts.sum() == len(values) and len(counts) == 60 and (np.diff(edges) > 0).all()
    assert edges[0] <= min(values) and max(values) <= edges[-1]


# `score`: what `compare` and the command line say, without a test.


REFERENCE, (GOOD, BAD) = texts(seed=4, errors=[0.2, 0.4], n_segments=30)
TOY = TestSet("toy", {"bad": BAD, "good": GOOD}, {"ref": REFERENCE})


def test_scores_are_those_of_compare_and_of_sacrebleu():
    found = score(TOY, ["bleu", "ter"])
    tested = compare(TOY, ["bleu", "ter"], trials=99, resamples=50)
    for name, result in tested.metrics.items():
        assert {row.system: row.score for row in found.metrics[name].systems} == {
            row.system: row.score for row in result.systems
        }
        assert result.signature.startswith(found.metrics[name].signature + "|test:")
        assert found.metrics[name].higher_is_better == result.higher_is_better
    assert [row.system for row in found.metrics["bleu"].systems] == ["bad", "good"]  # as they came
    assert found.metrics["bleu"].systems[1].score == pytest.approx(
        BLEU().corpus_score(GOOD, [REFERENCE]).score
    )
    assert (found.testset, found.warnings) == (tested.testset, ())


def test_warnings_of_metrics_come_before_those_of_texts():
    chinese = TestSet(
        "toy", {"A": ["", *["今天的天气非常好"] * 5]}, {"ref": ["今天的天气非常好，我们去公园"] * 6}
    )
    assert list_codes(score(chinese)) == [
        "tokenizer-and-script",
        "empty-lines",
    ]


def test_systems_with_ratings_alone_have_no_score_by_texts():
    ratings = {"A": [1.0, 2.0], "HUMAN-refB": [3.0, None]}
    rated = TestSet(
        "toy",
        {"A": ["a b c d", "e"], "HUMAN-refB": [None, None]},
        {"ref": ["a b c d", "e"]},
        scores={"human": SegmentScores(ratings)},
    )
    found = score(rated, ["bleu", "human"])
    assert [
        (name, row.system, row.score) for name, one in found.metrics.items() for row in one.systems
    ] == [("bleu", "A", 100.0), ("human", "A", 1.5), ("human", "HUMAN-refB", 3.0)]
    assert Page(found._repr_html_()).cells == ["A", "100.00", "1.50", "HUMAN-refB", "–", "3.00"]


def test_shown_in_a_notebook_in_a_line_and_as_a_frame():
    found = score(TestSet("toy", {"<b>": ["a b c d"]}, {"ref": ["a b c d"]}), ["bleu", "ter"])
    page = Page(found._repr_html_())
    assert (
        page.cells == ["<b>", "100.00", "0.00"]
        and "tok:13a" in page.text
        and "tok:tercom" in page.text
    )
    assert repr(found) == "<Scores on 'toy': 1 system by bleu, ter>"
    frame = found.to_frame()
    assert frame.columns.tolist() == ["metric", "system", "score", "signature"]
    assert frame["score"].tolist() == [100.0, 0.0] and frame["metric"].tolist() == ["bleu", "ter"]


@pytest.mark.parametrize(
    "ask, said",
    [
        (lambda: score(TOY, ["blue"]), "Did you mean 'bleu'"),
        (lambda: score(TOY, []), "metrics are none"),
        (lambda: score(TOY, ["bleu", "bleu"]), "each only once"),
        (lambda: score(TOY).metrics["ter"], "Unknown metric"),
        (
            lambda: score(TestSet("toy", {}, {"ref": ["a"]})),
            "No system in toy. Give at least one output to score",
        ),
    ],
)
def test_mistakes(ask, said):
    with pytest.raises((SettingError, InputError), match=said):
        ask()
