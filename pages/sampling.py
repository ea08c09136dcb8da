"""Sampling: how well a small test set predicts a large one, with blocks and with broad samples."""

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
from pages._sections import questions
from pages._sections.sampling_sections import NAMES, Samples, describe_ratio
from pages._ui import controls, frame, screen, testsets
from pages._ui.charts import study
from pages._ui.screen import end_page

_ENOUGH = 10  # samples that tell a spread
_LARGEST_DEFAULT = 300  # segments of a sample
_INTERVALS = "Intervals"
_CONCLUSIONS = "What each sample concludes"
_ALL_SIZES = "All sizes"


def choose_default(sizes: list[int], n_segments: int) -> int:
    """Return the largest size of which there are enough samples."""
    fitting = [size for size in sizes if size <= _LARGEST_DEFAULT and _ENOUGH * size <= n_segments]
    return max(fitting, default=sizes[0])


view = frame.open_page(experiment=True)
question = questions.ask("sampling")
n_segments = view.testset.n_segments
sizes = [size for size in SIZES if 2 * size <= n_segments]
if not sizes:
    sizes = [max(2, n_segments // 2)]

system_place, size_place, shuffle_place = st.columns([3, 2, 2], vertical_alignment="bottom")
name = controls.choice("System", view.result.names, "system", place=system_place)
with size_place:
    size = controls.choice(
        "Segments in a sample", sizes, "size", default=choose_default(sizes, n_segments)
    )
shuffle = controls.toggle("Shuffle the segments", False, "shuffle", place=shuffle_place)
studies = {kind: study(view, f"sample {kind}", size=size, shuffle=shuffle) for kind in SAMPLE_KINDS}
spread_study = study(view, "sample spread", shuffle=shuffle)
samples = studies["broad"].run(sample_both_kinds, "Taking samples")
n_samples = samples["broad"].n_samples
is_shuffled = samples["broad"].shuffled
by_kind = {kind: sampling.system(name) for kind, sampling in samples.items()}
before = {}  # the samples before the shuffle
if is_shuffled:
    unshuffled = study(view, "sample broad", size=size, shuffle=False)
    in_order = unshuffled.run(sample_both_kinds, "Taking samples")
    before = {kind: sampling.system(name) for kind, sampling in in_order.items()}
if not all(sampled.hit_rate.n for sampled in by_kind.values()):
    screen.error(f"No sample has a score of {name}. Choose another system.")
    end_page()
ratio = ratio_of_spreads(*(sampled.scores for sampled in by_kind.values()), view.alpha)
sections = Samples(view, samples, studies, name)
screen.answer(describe_ratio(ratio, size, is_shuffled, view.level))
numbers = []
for kind, sampled in by_kind.items():
    low, high = sampled.range
    label = f"{NAMES[kind]}, shuffled" if is_shuffled else NAMES[kind]
    spread = f"SD {rounded(sampled.sd)}"
    if is_shuffled:
        spread += f"; before the shuffle {rounded(before[kind].sd)}"
    numbers.append((label, f"{low:{sections.form}} to {high:{sections.form}}", spread))
if ratio is None:
    numbers.append(("Spread of blocks / broad samples", "-", ""))
else:
    middle, low, high = ratio
    question.answer(*ratio)
    interval = f"{view.level} CI {low:.1f} to {high:.1f}"
    numbers.append(("Spread of blocks / broad samples", f"{middle:.1f}", interval))
screen.tiles(*numbers)
rows = []
for kind, sampled in by_kind.items():
    rows += [{"kind": kind, **row} for row in sampled_system_records(sampled)]
figure = partial(
    sample_scores,
    {NAMES[kind]: sampled.scores for kind, sampled in by_kind.items()},
    by_kind["broad"].full,
    unit=sections.unit,
    ghosts={NAMES[kind]: sampled.scores for kind, sampled in before.items()},
    form=sections.form,
)
spread_study.show(
    figure,
    rows,
    f"Scores of {n_samples} samples of {size} segments, one dot each: "
    "blocks above, broad samples below.",
    name,
    key="sampling.spread",
    with_table=True,
    command=sections.print_commands(),
)
if is_shuffled:
    note = "Circles are the samples before the shuffle."
else:
    note = (
        "Neighbouring segments share topic, style and difficulty, so a block is less like the rest."
    )
help_text = f"Broad sample k takes segments k, k + {n_samples}, k + {2 * n_samples}, ..."
n_unused = samples["broad"].n_segments - n_samples * size
if n_unused:
    help_text += f" The last {n_unused} segments are in no sample."
if view.recounted:
    help_text += f" {sections.unit} takes its weights from the sample, so small samples score lower than the whole set."
st.caption(
    f"Each dot is the score of one of {n_samples} samples; its height has no meaning. {note}",
    help=help_text,
)
tab, places = controls.tabs([_INTERVALS, _CONCLUSIONS, _ALL_SIZES])
with places[tab]:
    if tab == _INTERVALS:
        sections.show_intervals()
    elif tab == _CONCLUSIONS:
        sections.show_pair()
    else:
        spreads_by_size = spread_study.run(spreads, "Taking samples of all sizes")
        sections.show_spreads(spread_study, spreads_by_size)
if n_segments < _ENOUGH * _LARGEST_DEFAULT:
    testsets.offer_demo(
        testsets.LARGE,
        "Samples of 300 segments need a larger test set, such as this simulated one:",
        view.source,
    )
