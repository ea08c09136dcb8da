"""Bootstrap: every kind of interval of one score, and whether enough resamples were drawn."""

import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.experiments.sweeps import stability
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.sentences import name_unit
from mtsig_core.report.table import rounded, written_like
from mtsig_core.stats.comparison import bootstrap_systems
from mtsig_core.stats.settings import SETTINGS
from pages._sections import comparison_sections
from pages._sections.size_sections import show_settling
from pages._ui import controls, frame, screen
from pages._ui.charts import study

_SAMPLING = ("unit", "alpha", "seed")
_POOLS = ("auto", "10000", "20000", "50000", "100000", "200000", "500000", "1000000")
_KINDS = "Kinds of interval"
_ENOUGH = "How many resamples"

view = frame.open_page()
settings = view.comparison.settings
ci = view.result.ci
sampling = {key: view.settings[key] for key in _SAMPLING}
unit = name_unit(view.metric)
level = view.level
systems = view.experiment(
    bootstrap_systems, "Drawing resamples", resamples=settings.resamples, **sampling
)
names = [system.system for system in systems]
name = controls.choice("System", names, "system", width=420)
system = systems[names.index(name)]
form = written_like([system.score])
interval = system.intervals[ci]


def describe_score() -> str:
    """Write the headline: the score and its interval."""
    score = f"{name} scores {system.score:{form}} {unit}"
    if interval is None:
        return score
    low, high = interval
    return f"{score} ({level} CI {low:{form}} to {high:{form}})"


def describe_histogram() -> str:
    """Write what the histogram and its blue interval show."""
    text = (
        "The histogram shows the score of this system on "
        f"{len(system.drawn):,} resamples of the test set, by {settings.unit}"
    )
    if interval is None:
        return f"{text}."
    text += f"; the blue interval is the {SETTINGS['ci'].name_value(ci)} interval"
    percentile = system.intervals["percentile"]
    if ci == "percentile" or percentile is None:
        return f"{text}, the middle {level} of them."
    low, high = percentile
    return f"{text}, not the middle {level} of the bars ({low:{form}} to {high:{form}})."


def show_kinds() -> None:
    """Draw the intervals of every kind, by segment and by document where there are documents."""
    by_unit = []
    if view.testset.documents is not None:
        by_unit = [bootstrap_by("segment"), bootstrap_by("document")]
    screen.show_table(tables.interval_table(system, ci, level, *by_unit))
    if by_unit and "t" in system.intervals:
        st.caption("Student's t treats segments as independent, so it is the same by document.")
    st.markdown("**All systems, relative to their median**")
    screen.show_table(tables.relative_table(systems, ci, view.metric, level))


def bootstrap_by(kind: str):
    """Return the bootstrap of the system by a unit."""
    if kind == settings.unit:
        return system
    (bootstrapped,) = view.experiment(
        bootstrap_systems,
        f"Drawing {kind}s",
        resamples=settings.resamples,
        only=(name,),
        **{**sampling, "unit": kind},
    )
    return bootstrapped


def show_enough() -> None:
    """Draw how far the ends of an interval move with another seed, by the number of resamples."""
    pool = controls.choice(
        "Resamples in the pool",
        _POOLS,
        "pool",
        width=200,
        help="auto: as many as take a few seconds. If that takes more than a minute, the page asks "
        "first.",
    )
    pooling = study(
        view,
        "sweep resamples",
        pool=None if pool == "auto" else int(pool),
        system=name,
        unit=sampling["unit"],
    )
    result = pooling.run(stability, "Drawing the pool")
    sd = result.end_sd(settings.resamples)
    largest = result.growing[-1]
    headline = (
        "With another seed, each end of the percentile interval would move by about "
        f"{rounded(sd)} {unit}"
    )
    if largest.high > largest.low:
        headline += f", {sd / (largest.high - largest.low):.1%} of the width"
    screen.answer(headline)
    show_settling(view, pooling, result)
    n_runs = format_count(result.repeats[-1].runs, "run")
    st.caption(
        "Four times the resamples halve how far an end moves. Only more segments or references "
        "narrow the interval itself.",
        help=f"One pool of {result.settings.resamples:,} independent resamples is cut into "
        f"runs of B. Bars: 95% interval of the SD, from {n_runs}.",
    )
    screen.show_table(tables.repeated_table(result))
    screen.show_table(tables.growing_table(result, None, level))
    st.caption(
        "One percentile interval for each B. Each row continues the row above, so neighbours agree "
        "more than independent ones would."
    )


screen.answer(describe_score())
screen.cautions(
    caution
    for caution in view.comparison.warnings
    if caution.kind.concern in ("files", "scores", "units")
)
comparison_sections.show_replicates(view, system, ci, "bootstrap.replicates")
st.caption(describe_histogram(), help="Percent: (end - median) / |median|.")
tab, places = controls.tabs([_KINDS, _ENOUGH])
with places[tab]:
    if tab == _KINDS:
        show_kinds()
    else:
        show_enough()
