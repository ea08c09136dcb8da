"""Sampling: what a small test set says of a large one; blocks of neighbours against segments from all over."""

from functools import partial

import streamlit as st

from mtsig_core.experiments.papers import KOEHN_2_3
from mtsig_core.experiments.sampling import SAMPLE_KINDS, SIZES, ratio_of_spreads, sampling, spreads
from mtsig_core.figures.experiment_plots import sample_scores
from mtsig_core.report.experiment_tables import sampled_system_records
from mtsig_core.report.table import rounded
from pages._ui import controls, frame, screen, session_limits, testsets
from pages._ui.sampling_sections import NAMES, Samples
from pages._ui.screen import end_page
from pages._ui.studies import study

_ENOUGH = 10  # samples that tell a spread

view = frame.open_page("Sampling", experiment=True)
testset, metric = view.testset, view.metric
sizes = [size for size in SIZES if 2 * size <= testset.n_segments] or [max(2, testset.n_segments // 2)]
default = max((size for size in sizes if size <= 300 and _ENOUGH * size <= testset.n_segments), default=sizes[0])

left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
name = controls.choice("System", [system.system for system in view.result.systems], "system", place=left)
with middle:
    size = controls.choice("Segments in a sample", sizes, "size", default=default)
shuffle = controls.toggle("Shuffle the sentences", False, "shuffle", place=right)
studies = {kind: study(view, f"sample {kind}", size=size, shuffle=shuffle) for kind in SAMPLE_KINDS}
wider = study(view, "sample spread", shuffle=shuffle)


def sample_both_kinds(testset, metric, *, progress, jobs, statistics, **more):
    def report(k):
        return lambda stage, share: progress("samples", (k + share) / len(SAMPLE_KINDS))

    return {kind: sampling(testset, metric, kind, progress=report(k), jobs=jobs, statistics=statistics, **more)
            for k, kind in enumerate(SAMPLE_KINDS)}


limit = partial(session_limits.check_experiment, testset, sampling, wider.asked)
samples = studies["broad"].run(sample_both_kinds, "Taking samples", limit=limit)
n, shuffled = samples["broad"].n_samples, samples["broad"].shuffled
unshuffled = study(view, "sample broad", size=size, shuffle=False)
in_order = unshuffled.run(sample_both_kinds, "Taking samples", limit=limit) if shuffled else {}
before = {kind: one.system(name) for kind, one in in_order.items()}
chosen = {kind: one.system(name) for kind, one in samples.items()}
if not all(one.hit_rate.n for one in chosen.values()):
    screen.error(f"No sample has a score of {name}. Choose another system.")
    end_page()
his_size = testset.simulated and (metric, size, n) == ("bleu", 300, 100)
his = {kind: ends for kind, *ends in KOEHN_2_3.rows["bleu"]} if his_size and name == "Spanish" else {}
koehns, theirs = his_size and not shuffled, {} if shuffled else his
ratio = ratio_of_spreads(*(one.scores for one in chosen.values()), view.alpha)
sections = Samples(view, samples, studies, name, koehns)
spread_wider = ratio is not None and ratio[1] > 1
screen.numbers(
    *((f"{NAMES[kind]}{', shuffled' if shuffled else ''}", " to ".join(f"{end:{sections.form}}" for end in one.range),
       f"SD {rounded(one.sd)}" + (f"; before the shuffle {rounded(before[kind].sd)}" if before else "")
       + (f"; Koehn 2004: {theirs[kind][0]} to {theirs[kind][1]}" if kind in theirs else ""))
      for kind, one in chosen.items()),
    ("Spread of blocks / broad samples", "-", "no spread, no ratio") if ratio is None else
    ("Spread of blocks / broad samples", f"{ratio[0]:.1f}",
     "{} interval {:.1f} to {:.1f}".format(view.level, *ratio[1:])
     + (": wider" if spread_wider else ": narrower" if ratio[2] < 1 else f": {n} samples do not tell")))
rows = [{"kind": kind, **row} for kind, one in chosen.items() for row in sampled_system_records(one)]
figure = partial(sample_scores, {NAMES[kind]: one.scores for kind, one in chosen.items()}, chosen["broad"].full,
                 {NAMES[kind]: ends for kind, ends in theirs.items()}, unit=sections.unit,
                 ghosts={NAMES[kind]: one.scores for kind, one in before.items()},
                 frame=[end for ends in his.values() for end in ends], form=sections.form)
wider.show(figure, rows, f"Scores of {n} samples of {size} segments, one dot each: blocks above, broad samples below.",
           name, key="sampling.spread", with_table=True,
           command="\n".join(studies[kind].print_command() for kind in SAMPLE_KINDS))
left_over = samples["broad"].n_segments - n * size
st.caption(f"Each dot is one of {n} samples of {size} segments; its height has no meaning. A block takes consecutive "
           f"segments, broad sample k takes segments k, k + {n}, k + {2 * n}, ... (Koehn 2004, 3.2 and 3.3). "
           + ("After the shuffle blocks are like broad samples; circles are the samples before it. " if shuffled else
              "Blocks spread wider, as neighbours share topic, style and difficulty. " if spread_wider else "")
           + (f"The last {left_over} segments are in no sample. " if left_over else "")
           + (f"{sections.unit} takes its weights from the sample, so it grows with the size: small samples score "
              "below the whole set." if view.recounted else ""))

if testset.n_segments < _ENOUGH * 300:
    testsets.offer_demo(testsets.LARGE,
                        "Samples of 300 need a large set to be drawn from, such as Koehn's 30,000 sentences.",
                        view.source)
else:
    testsets.offer_demo(testsets.KOEHN, "One such small test set by itself, as one has it in practice:", view.source)
kind = sections.show_intervals()
sections.show_pair(kind)
sections.show_spreads(wider, wider.run(spreads, "Taking samples of all sizes", limit=limit))
