"""Bootstrap: how far one score could be off, by every kind of interval, and whether enough
resamples were drawn.
"""

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
_KINDS, _ENOUGH = "Kinds of interval", "How many resamples"

view = frame.open_page()
settings, ci = view.comparison.settings, view.result.ci
sampling = {key: view.settings[key] for key in _SAMPLING}
unit, level = name_unit(view.metric), view.level
systems = view.experiment(
    bootstrap_systems, "Drawing resamples", resamples=settings.resamples, **sampling
)
names = [system.system for system in systems]
name = controls.choice("System", names, "system", width=420)
chosen = systems[names.index(name)]
ends, form = chosen.intervals[ci], written_like([chosen.score])
screen.answer(
    f"{name} scores {chosen.score:{form}} {unit}"
    + ("" if ends is None else f" ({level} CI {ends[0]:{form}} to {ends[1]:{form}})")
)
screen.cautions(
    caution
    for caution in view.comparison.warnings
    if caution.kind.concern in ("files", "scores", "units")
)

middle, title = chosen.intervals["percentile"], SETTINGS["ci"].name_value(ci)
blue = f"the blue interval is the {title} interval" + (
    f", the middle {level} of them."
    if ci == "percentile" or middle is None
    else f", not the middle {level} of the bars ({middle[0]:{form}} to {middle[1]:{form}})."
)
comparison_sections.show_replicates(view, chosen, ci, "bootstrap.replicates")
st.caption(
    f"The histogram shows the score of this system on {len(chosen.drawn):,} resamples of the test set, by "
    f"{settings.unit}" + ("." if ends is None else f"; {blue}"),
    help="Percent: (end - median) / |median|.",
)


def show_kinds() -> None:
    others = (
        ()
        if view.testset.documents is None
        else [
            chosen
            if kind == settings.unit
            else view.experiment(
                bootstrap_systems,
                f"Drawing {kind}s",
                resamples=settings.resamples,
                only=(name,),
                **{**sampling, "unit": kind},
            )[0]
            for kind in ("segment", "document")
        ]
    )
    screen.show_table(tables.interval_table(chosen, ci, level, *others))
    if others and "t" in chosen.intervals:
        st.caption("Student's t treats segments as independent, so it is the same by document.")
    st.markdown("**All systems, relative to their median**")
    screen.show_table(tables.relative_table(systems, ci, view.metric, level))


def show_enough() -> None:
    pool = controls.choice(
        "Resamples in the pool",
        _POOLS,
        "pool",
        width=200,
        help="auto: as many as take a few "
        "seconds. If that takes more than a minute, the page asks first.",
    )
    pooling = study(
        view,
        "sweep resamples",
        pool=None if pool == "auto" else int(pool),
        system=name,
        unit=sampling["unit"],
    )
    settled = pooling.run(stability, "Drawing the pool")
    sd, last, repeats = settled.end_sd(settings.resamples), settled.growing[-1], settled.repeats
    screen.answer(
        f"With another seed, each end of the percentile interval would move by about {rounded(sd)} {unit}"
        + (f", {sd / (last.high - last.low):.1%} of the width" if last.high > last.low else "")
    )
    show_settling(view, pooling, settled)
    st.caption(
        "Four times the resamples halve how far an end moves. Only more segments or references narrow the "
        "interval itself.",
        help=f"One pool of {settled.settings.resamples:,} independent resamples is cut into "
        f"runs of B. Bars: 95% interval of the SD, from {format_count(repeats[-1].runs, 'run')}.",
    )
    screen.show_table(tables.repeated_table(settled))
    screen.show_table(tables.growing_table(settled, None, level))
    st.caption(
        "One percentile interval for each B. Each row continues the row above, so neighbours agree more than "
        "independent ones would."
    )


tab, places = controls.tabs([_KINDS, _ENOUGH])
with places[tab]:
    (show_kinds if tab == _KINDS else show_enough)()
