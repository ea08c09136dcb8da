"""Bootstrap: how far one score could be off, by every kind of interval, and whether enough samples were drawn."""


from functools import partial

import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.experiments.papers import ZHANG_VOGEL_1, ZHANG_VOGEL_5, ZHANG_VOGEL_6
from mtsig_core.experiments.sweeps import bound_sd, stability
from mtsig_core.figures.experiment_plots import replicate_histogram, settling
from mtsig_core.metrics import metric_title
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.table import rounded, written_like
from mtsig_core.stats.score import bootstrap_systems, histogram
from pages._ui import charts, controls, frame, screen, testsets
from pages._ui.studies import study

_SAMPLING = ("unit", "alpha", "seed")
_POOLS = ("auto", "10000", "20000", "50000", "100000", "200000", "500000", "1000000")

view = frame.open_page("Bootstrap")
testset, metric, settings, ci = view.testset, view.metric, view.comparison.settings, view.result.ci
sampling = {key: view.settings[key] for key in _SAMPLING}
unit, theirs = metric_title(metric), ZHANG_VOGEL_1.nearest(metric)
level = view.level


systems = view.experiment(bootstrap_systems, "Drawing bootstrap samples", resamples=settings.resamples,
                          **sampling)
names = [system.system for system in systems]
name = controls.choice("System", names, "system", width=420)
chosen = systems[names.index(name)]
ends, about, form = chosen.intervals[ci], chosen.relative(ci), written_like([chosen.score])
screen.answer(f"{name}: {chosen.score:{form}} {unit}, {level} interval {tables.bracketed(ends, form)}"
              + ("" if about is None else f" ({100 * about[0]:+.1f}% to {100 * about[1]:+.1f}%)"))
screen.cautions(caution for caution in view.comparison.warnings if caution.kind.concern in ("files", "scores", "units"))

edges, counts = histogram(chosen.drawn)
charts.show(partial(replicate_histogram, edges, counts, chosen.score, chosen.median, ends, about, unit=unit, form=form),
            key="bootstrap.replicates", files=view.named(name), command=view.command(),
            header=["from", "to", "samples"],
            rows=list(zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)),
            alt=f"Histogram of {len(chosen.drawn)} bootstrap scores with median {chosen.median:{form}}"
                + ("." if ends is None else f"; filled inside the {level} interval {tables.bracketed(ends, form)}."))
st.caption(f"{len(chosen.drawn)} resamples by {settings.unit}, the same as on the Leaderboard"
           + ("." if ends is None else f"; blue inside the {ci} interval. Percent: (end - median) / |median| "
              "(Zhang and Vogel 2004, 3.1)."))

st.subheader("Every kind of interval")
others = () if testset.documents is None else [
    chosen if kind == settings.unit else
    view.experiment(bootstrap_systems, f"Drawing {kind}s", resamples=settings.resamples, only=(name,),
                    **{**sampling, "unit": kind})[0]
    for kind in ("segment", "document")]
screen.show_table(tables.interval_table(chosen, ci, level, *others))

st.subheader("Relative intervals: all systems, and those of 2004")
left, right = st.columns([5, 4], gap="medium")
with left:
    screen.show_table(tables.relative_table(systems, ci, metric, level))
with right:
    screen.show_table(tables.published_table(theirs))
    st.caption(f"{ZHANG_VOGEL_1.source}: {ZHANG_VOGEL_1.about}. Other systems on another test set: they tell the order "
               "of size.")
testsets.offer_demo(testsets.ZHANG_VOGEL, "A test set of the size of theirs, with four references as they had:",
                    view.source)

st.subheader("Were enough samples drawn?")
pool = controls.choice("Samples in the pool", _POOLS, "pool", width=200, help="auto: as many as take a few seconds. "
                       "Where a pool would take more than a minute, the page says how long, and asks.")
asked = None if pool == "auto" else int(pool)
pooling = study(view, "sweep resamples", pool=asked, system=name, unit=sampling["unit"])
settled = pooling.run(stability, "Drawing the pool")
total = settled.settings.resamples
sd = settled.end_sd(settings.resamples)
last = settled.growing[-1]
screen.answer(f"With another seed, each end of the percentile interval would move by about {rounded(sd)} {unit}"
              + (f", {sd / (last.high - last.low):.1%} of the width" if last.high > last.low else ""))
left, right = st.columns([5, 4], gap="medium")
repeats = settled.repeats
with left:
    if any(row.relative_sd for row in repeats):
        figure = partial(settling, [row.resamples for row in repeats], [row.relative_sd for row in repeats],
                         [row.relative_sd_range for row in repeats], [row.relative_theory for row in repeats],
                         [row[:2] for row in ZHANG_VOGEL_6.rows[theirs]], unit=metric_title(theirs))
        pooling.show(figure, repeats, "Standard deviation of an end of the relative interval against the number of "
                     "resamples, on log axes: ours and those of Zhang and Vogel fall with the square root of it.", name,
                     key="bootstrap.settling", with_table=True)
    else:
        screen.plain("Nothing to draw: the score does not vary from sample to sample.")
with right:
    n = repeats[-1].runs
    st.markdown(f"Above: the standard deviation of an end over repeated bootstraps of {settings.resamples:,} "
                "resamples. In the figure, that of an end of the relative interval: four times the resamples halve "
                "it. Only more segments or references narrow the interval itself.\n\n"
                f"One pool of {total:,} independent samples is cut into runs of B. Bars: 95% interval of the SD, from "
                f"{format_count(n, 'run')}.")
screen.show_table(tables.repeated_table(settled, theirs))
st.caption(f"Percentile intervals. Theirs: {ZHANG_VOGEL_6.source}, {metric_title(theirs)}, 5,000 intervals each, with "
           "one SD for two ends. Ours is the root mean square of both relative ends, which move by "
           f"{bound_sd(settings.alpha, less_median=True):.2f} σ/√B (the line of the figure). At B = 100 their mean "
           "interval leans to the left, as the 2nd and 98th of 100 sorted scores do; ours is interpolated.")
screen.show_table(tables.growing_table(settled, theirs, level))
st.caption("One percentile interval for each B. Each row goes on from the row above, so neighbours agree more than "
           f"independent ones would. Theirs: {ZHANG_VOGEL_5.source}; its BLEU ends look rounded to 0.0001, more than "
           "the SD at B = 20,000.")
