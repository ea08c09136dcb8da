"""Bootstrap: every kind of interval of one score, and whether enough resamples were drawn."""

import streamlit as st

from mtsig_core.errors import format_count
from mtsig_core.experiments.sweeps import stability
from mtsig_core.report import experiment_tables as tables
from mtsig_core.report.sentences import name_unit
from mtsig_core.report.table import rounded, written_like
from mtsig_core.stats.comparison import bootstrap_systems
from pages._sections import comparison_sections, questions
from pages._sections.size_sections import show_settling
from pages._ui import address, controls, frame, screen
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
question = questions.ask("bootstrap")
systems = view.experiment(
    bootstrap_systems, "Drawing resamples", resamples=settings.resamples, **sampling
)
names = [system.system for system in systems]
system_place, buttons_place = st.columns([1, 2], vertical_alignment="bottom")
name = controls.choice("System", names, "system", place=system_place)
system = systems[names.index(name)]
form = written_like([system.score])


def choose_number() -> int:
    """Let the user draw resamples, first one by one; return how many are drawn."""
    most = settings.resamples
    usual = 1 if question.is_guessed else most
    n = controls.number(None, "", usual, "drawn", least=1, most=most)
    offers = {"Draw 1 more": n + 1, "10 more": n + 10, "100 more": n + 100, f"All {most:,}": most}
    if n == most:
        offers = {"Draw them one by one": 1}
    with buttons_place, st.container(horizontal=True):
        for label, number in offers.items():
            kept = ("drawn", [str(min(number, most))])
            st.button(label, key=f"bootstrap.{label}", on_click=address.keep, args=kept)
    return n


def describe_score() -> str:
    """Write the headline: the score and the middle of its resamples."""
    score = f"{name} scores {system.score:{form}} {unit}"
    interval = system.intervals["percentile"]
    if interval is None:
        return score
    low, high = interval
    question.answer((high - low) / 2)
    return f"{score}; the middle {level} of its resamples are {low:{form}} to {high:{form}}"


def show_kinds() -> None:
    """Draw the intervals of every kind, by segment and by document where there are documents."""
    by_unit = []
    if view.testset.documents is not None:
        by_unit = [bootstrap_by("segment"), bootstrap_by("document")]
    screen.show_table(tables.interval_table(system, ci, level, *by_unit))
    if by_unit and "t" in system.intervals:
        st.caption("Student's t treats segments as independent, so it is the same by document.")
    st.subheader("All systems, relative to their median")
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


n_drawn = choose_number()
if n_drawn == settings.resamples:
    screen.answer(describe_score())
else:
    last_score = f"{system.drawn[n_drawn - 1]:{form}} {unit}"
    question.say("Draw all resamples to see.")
    screen.answer(f"On resample {n_drawn:,}, {name} scores {last_score}")
comparison_sections.show_replicates(
    view, system.first(n_drawn, view.alpha), "bootstrap.replicates", system.drawn
)
st.caption(
    f"A resample draws as many {settings.unit}s as the test set has, with replacement. Blue, from "
    f"{2 / view.alpha:.0f} resamples on: the middle {level} of the bars, the percentile interval.",
    help="Percent: (end - median) / |median|.",
)
screen.cautions(
    caution
    for caution in view.comparison.warnings
    if caution.kind.concern in ("files", "scores", "units")
)
tab, places = controls.tabs([_KINDS, _ENOUGH])
with places[tab]:
    if tab == _KINDS:
        show_kinds()
    else:
        show_enough()
