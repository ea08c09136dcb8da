"""Sampling: what a small test set says of a large one; blocks of neighbours against segments from
all over.
"""

from functools import partial

import streamlit as st

from mtsig_core.experiments.sampling import (
    SAMPLE_KINDS,
    SIZES,
    ratio_of_spreads,
    sample_both_kinds,
    spreads,
)
from mtsig_core.figures.sample_plots import sample_scores
from mtsig_core.report.experiment_tables import sampled_system_records
from mtsig_core.report.table import rounded
from pages._sections.sampling_sections import NAMES, Samples, describe_ratio
from pages._ui import controls, frame, screen, testsets
from pages._ui.charts import study
from pages._ui.screen import end_page

_ENOUGH = 10  # samples that tell a spread
_TABS = ("Intervals", "What each sample concludes", "All sizes")

view = frame.open_page(experiment=True)
testset, metric = view.testset, view.metric
sizes = [size for size in SIZES if 2 * size <= testset.n_segments] or [
    max(2, testset.n_segments // 2)
]
default = max(
    (size for size in sizes if size <= 300 and _ENOUGH * size <= testset.n_segments),
    default=sizes[0],
)

left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
name = controls.choice(
    "System", [system.system for system in view.result.systems], "system", place=left
)
with middle:
    size = controls.choice("Segments in a sample", sizes, "size", default=default)
shuffle = controls.toggle("Shuffle the segments", False, "shuffle", place=right)
studies = {kind: study(view, f"sample {kind}", size=size, shuffle=shuffle) for kind in SAMPLE_KINDS}
wider = study(view, "sample spread", shuffle=shuffle)
samples = studies["broad"].run(sample_both_kinds, "Taking samples")
n, shuffled = samples["broad"].n_samples, samples["broad"].shuffled
unshuffled = study(view, "sample broad", size=size, shuffle=False)
in_order = unshuffled.run(sample_both_kinds, "Taking samples") if shuffled else {}
before = {kind: one.system(name) for kind, one in in_order.items()}
chosen = {kind: one.system(name) for kind, one in samples.items()}
if not all(one.hit_rate.n for one in chosen.values()):
    screen.error(f"No sample has a score of {name}. Choose another system.")
    end_page()
ratio = ratio_of_spreads(*(one.scores for one in chosen.values()), view.alpha)
sections = Samples(view, samples, studies, name)
screen.answer(describe_ratio(ratio, size, shuffled, view.level))
screen.plain(
    "A block takes consecutive segments of the test set; a broad sample takes as many, spread over all of it."
)
screen.numbers(
    *(
        (
            f"{NAMES[kind]}{', shuffled' if shuffled else ''}",
            " to ".join(f"{end:{sections.form}}" for end in one.range),
            f"SD {rounded(one.sd)}"
            + (f"; before the shuffle {rounded(before[kind].sd)}" if before else ""),
        )
        for kind, one in chosen.items()
    ),
    (
        "Spread of blocks / broad samples",
        "-" if ratio is None else f"{ratio[0]:.1f}",
        "" if ratio is None else f"{view.level} CI {ratio[1]:.1f} to {ratio[2]:.1f}",
    ),
)
rows = [
    {"kind": kind, **row} for kind, one in chosen.items() for row in sampled_system_records(one)
]
figure = partial(
    sample_scores,
    {NAMES[kind]: one.scores for kind, one in chosen.items()},
    chosen["broad"].full,
    unit=sections.unit,
    ghosts={NAMES[kind]: one.scores for kind, one in before.items()},
    form=sections.form,
)
wider.show(
    figure,
    rows,
    f"Scores of {n} samples of {size} segments, one dot each: blocks above, broad samples below.",
    name,
    key="sampling.spread",
    with_table=True,
    command=sections.print_commands(),
)
left_over = samples["broad"].n_segments - n * size
st.caption(
    f"Each dot is the score of one of {n} samples; its height has no meaning. "
    + (
        "Circles are the samples before the shuffle."
        if shuffled
        else "Neighbouring segments share topic, style and difficulty, so a block says less about the rest."
    ),
    help=f"Broad sample k takes segments k, k + {n}, k + {2 * n}, ..."
    + (f" The last {left_over} segments are in no sample." if left_over else "")
    + (
        f" {sections.unit} takes its weights from the sample, so it grows with the size: small samples score "
        "below the whole set."
        if view.recounted
        else ""
    ),
)
tab, places = controls.tabs(_TABS)
with places[tab]:
    if tab == _TABS[0]:
        sections.show_intervals()
    elif tab == _TABS[1]:
        sections.show_pair()
    else:
        sections.show_spreads(wider, wider.run(spreads, "Taking samples of all sizes"))
if testset.n_segments < _ENOUGH * 300:
    testsets.offer_demo(
        testsets.LARGE,
        "Samples of 300 segments need a larger test set, such as this simulated one:",
        view.source,
    )
