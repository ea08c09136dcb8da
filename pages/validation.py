"""Validation: do tests and intervals keep what they promise, on test sets drawn from this one?"""

import shlex

import streamlit as st

from mtsig_core import MtsigError
from mtsig_core import validation_tables as tables
from mtsig_core.experiments.conclusions import conclusions
from mtsig_core.experiments.coverage import coverage
from mtsig_core.experiments.families import families
from mtsig_core.experiments.type_one import type_one
from mtsig_core.figures.validation import rates
from mtsig_core.published_validation import KOEHN_T3, KOEHN_T4, RIEZLER_MAXWELL_T2
from mtsig_core.sources import option_with
from mtsig_core.validate_command import flat_rows
from pages._ui import background, charts, controls, frame, pairs, results, words

_EXPERIMENTS = ("type-I error", "conclusions", "coverage", "many comparisons")
view = frame.open_page("Validation")
testset, metric, alpha = view.testset, view.metric, view.settings["alpha"]
sampling = {"alpha": alpha, "seed": view.settings["seed"]}
level = f"{100 * (1 - alpha):g}%"


def found(function, what, **asked):
    """What an experiment finds on this view's test set, remembered, in the background where it takes long."""
    def work(progress):
        return function(testset, metric, jobs=results.jobs(testset), progress=progress,
                        statistics=results.statistics(testset, metric, progress), **sampling, **asked)

    key = ("validation", function.__name__, testset.digest, metric, *sorted({**sampling, **asked}.items()))
    try:
        return background.result(key, work, what)
    except MtsigError as problem:
        words.error(str(problem))
        st.stop()


def command(name, **asked):
    given = [("--metrics", metric, "bleu"), ("--alpha", alpha, 0.05), ("--seed", sampling["seed"], 0)]
    more = [part for option, value, default in given if value != default for part in (option, str(value))]
    more += [part for key, value in asked.items() for part in option_with(f"--{key}", str(value))]
    return shlex.join(["python", "-m", "mtsig_core", "validate", name, *view.options, *more])


def shown(rows, level, key, command, alt, shares, **more):
    flat = flat_rows(rows)
    charts.show(rates(shares, level, **more), key=f"validation.{key}", command=command, header=list(flat[0]),
                rows=[list(row.values()) for row in flat], alt=alt, with_table=False)


def line(text, rate, theirs=None):
    return text, rate.share, rate.low, rate.high, theirs


def drawn_each(one):
    return f"{one.n_segments} segments" + (f", or {one.n_documents} documents," if one.n_documents else "")


def show_type_one(a, b, place):
    with place:
        n = controls.choice("Null pairs", (200, 500, 2000), "pairs", default=500)
    one = found(type_one, "Testing true nulls", a=a, b=b, n_pairs=n)
    ar = one.row("segment", "segment", "ar").rejected
    by_segment = one.row("document", "segment", "ar")
    words.answer(f"Of {n:,} true nulls at α = {alpha:g}, approximate randomization rejects {tables.percent_of(ar)}"
                 + ("" if by_segment is None else f"; where documents are alike, by segment "
                    f"{tables.percent_of(by_segment.rejected)}, by document "
                    f"{tables.percent_of(one.row('document', 'document', 'ar').rejected)}"))
    shown(one.rows, alpha, "type1", command("type1", a=a, b=b, pairs=n), f"Rejections of {n} true nulls by each test, "
          f"with their Monte Carlo intervals; the level is {alpha:g}.",
          [line(f"{row.test}, {row.null[:3]}./{row.unit[:3]}.", row.rejected) for row in one.rows])
    words.table(*tables.type_one_rows(one))
    st.caption(f"Each null: {drawn_each(one)} drawn with replacement; outputs of A and B trade places by coin, so "
               f"neither is better. {one.trials} trials. Figure: what trades places / what the test takes as its unit. "
               "Brackets: 95% Monte Carlo interval; vermillion lies off the level. "
               f"koehn concludes at {100 * alpha:g}% per direction, about twice that in all.")
    words.table(*tables.riezler_maxwell_rows())
    st.caption(f"{RIEZLER_MAXWELL_T2.source}: {RIEZLER_MAXWELL_T2.about}, so these are five p-values under a null. "
               "They find randomization the more conservative; that comes of the shift as they print it "
               "(riezler-maxwell above). With the signed shift both agree. Their 4.3 defines type-I errors backwards.")


def show_conclusions():
    one = found(conclusions, "Taking samples")
    koehns = testset.simulated and metric == "bleu" and one.n_segments == 30_000 and alpha == 0.05
    some, right = one.totals()
    words.answer(f"Of {some.n:,} comparisons on samples, {100 * some.share:.0f}% let conclude at {level}, of these "
                 + (f"{tables.percent_of(right)} rightly" if right.n else "none"))
    words.table(*tables.conclusion_rows(one, koehns), names=(0, 1))
    st.caption("Percent of broad samples that conclude rightly [95% Monte Carlo interval] / wrongly, by the "
               f"order on all {one.n_segments:,} segments; {one.resamples:,} bootstrap samples by segment."
               + (f" In round brackets: {KOEHN_T3.source}, on other texts." if koehns else "")
               + (" NIST keeps the weights of the whole test set." if metric == "nist" else ""))
    st.subheader("Is a level as good as its word?")
    theirs = {low: share / 100 for low, _, share in KOEHN_T4.rows["bleu"]} if koehns else {}
    shown(one.levels, None, "calibration", command("calibration"), "Share of right conclusions at each level.",
          [line(tables.level_name(row.low, row.high), row.right, theirs.get(row.low)) for row in one.levels],
          other=KOEHN_T4.source)
    words.table(*tables.calibration_rows(one, koehns))
    st.caption("Over pairs that do differ, all sizes together: a calibration, not a type-I error, so 'one wrong in "
               "twenty' is not what it shows. Conclusions share samples: their intervals are too narrow.")
    st.code(command("conclusions"), language=None, wrap_lines=True)


def show_coverage(a, b, place):
    with place:
        n = controls.choice("Test sets", (200, 1000), "repeats", default=200)
    one = found(coverage, "Covering", a=a, b=b, repeats=n)
    by = {unit: one.row("document", unit, "percentile", "score") for unit in ("document", "segment")}
    words.answer(f"{level} percentile intervals of A's score hold the true one in "
                 + tables.percent_of(one.row("segment", "segment", "percentile", "score").covered)
                 + ("" if by["document"] is None else "; of documents drawn, by document "
                    f"{tables.percent_of(by['document'].covered)}, by segment "
                    f"{tables.percent_of(by['segment'].covered)}"))
    shown(one.rows, 1 - alpha, "coverage", command("coverage", a=a, b=b, repeats=n), "Coverage of every interval.",
          [line(f"{r.kind}, {r.sampled[:3]}./{r.unit[:3]}.", r.covered) for r in one.rows
           if r.quantity == "difference"])
    words.table(*tables.coverage_rows(one))
    st.caption("Figure: of the difference A - B, by what is drawn / what the interval takes as its unit. "
               f"{n:,} test sets of {drawn_each(one)} drawn with replacement; "
               f"{one.resamples:,} bootstrap samples each; true is the score of the whole test set. Brackets: 95% "
               "Monte Carlo interval. Koehn (2004), Figure 6: 97 of 100 intervals at 95% on broad samples.")


def show_families():
    one = found(families, "Comparing equal systems")
    last = one.of_all_pairs[-1]
    words.answer(f"{last.systems} equal systems, {last.comparisons} comparisons: something is 'significant' in "
                 f"{tables.percent_of(last.wrong['none'])} of test sets, with Romano-Wolf in "
                 f"{tables.percent_of(last.wrong['romano-wolf'])}")
    shown(one.rows, alpha, "families", command("families"), "Test sets with a wrong conclusion, by number of systems.",
          [line(f"{row.comparisons} pairs, {name}", row.wrong[name], row.if_independent if name == "none" else None)
           for row in one.of_all_pairs for name in ("none", "romano-wolf")], other="1 - (1 - α)^k, if independent")
    words.table(*tables.family_rows(one))
    st.caption(f"{one.repeats} test sets of {one.n_segments} segments; approximate randomization by segment, "
               f"{one.trials:,} trials. Each system says what one of the real ones says, drawn anew for every "
               "segment. The formula takes comparisons for independent; all pairs of the same systems are not.")


left, right = st.columns([1, 3])
with left:
    experiment = controls.choice("Experiment", _EXPERIMENTS, "experiment")
if experiment in ("type-I error", "coverage"):
    with right:
        first, second, (beside,) = pairs.choose(view, 3)
    {"type-I error": show_type_one, "coverage": show_coverage}[experiment](first, second, beside)
else:
    {"conclusions": show_conclusions, "many comparisons": show_families}[experiment]()
