"""Sampling: what a small test set says of a large one; blocks of neighbours against segments from all over."""

import shlex

import numpy as np
import streamlit as st

from mtsig_core import MtsigError
from mtsig_core.experiments.sampling import KINDS, sampling
from mtsig_core.experiments.sampling_tables import tally_rows
from mtsig_core.figures.sampling import intervals, outcomes, spread
from mtsig_core.published import KOEHN_2_3, KOEHN_6, KOEHN_7_8
from mtsig_core.sample_command import pair_rows, system_rows
from mtsig_core.significance import TOLERANCE
from pages._ui import background, charts, controls, frame, pairs, results, words

_SIZES = (10, 20, 30, 50, 100, 200, 300, 600, 1000, 3000)
_ENOUGH = 10  # samples that tell a spread
_NAMES = {"blocks": "Blocks", "broad": "Broad samples"}

view = frame.open_page("Sampling")
testset, metric = view.testset, view.metric
alpha, seed = view.settings["alpha"], view.settings["seed"]
unit, level = metric.upper(), f"{100 * (1 - alpha):g}%"
sizes = [size for size in _SIZES if 2 * size <= testset.n_segments] or list(_SIZES[:1])
default = max((size for size in sizes if size <= 300 and _ENOUGH * size <= testset.n_segments), default=sizes[0])

left, middle, right = st.columns([3, 2, 2], vertical_alignment="bottom")
name = controls.kept(left, "System", [system.system for system in view.result.systems], "system")
with middle:
    size = controls.choice("Segments in a sample", sizes, "size", default=default)
shuffle = right.toggle("Shuffle the sentences", key="shuffle", bind="query-params", persist_state="session")


def both(progress):
    statistics = results.statistics(testset, metric, progress)
    return {kind: sampling(testset, metric, kind, size=size, shuffle=shuffle, alpha=alpha, seed=seed, progress=progress,
                           statistics=statistics, jobs=results.jobs(testset)) for kind in KINDS}


def command(*kinds):
    given = [("--metrics", metric, "bleu"), ("--alpha", alpha, 0.05), ("--seed", seed, 0), ("--sample-size", size, 0)]
    more = [part for option, value, usual in given if value != usual for part in (option, str(value))]
    more += ["--shuffle"] if shuffle else []
    return "\n".join(shlex.join(["python", "-m", "mtsig_core", "sample", kind, *view.options, *more]) for kind in kinds)


def table(rows):
    return dict(header=list(rows[0]), rows=[list(row.values()) for row in rows])


try:
    found = background.result(("sampling", testset.digest, metric, size, shuffle, alpha, seed), both, "Taking samples")
except MtsigError as problem:
    words.error(str(problem))
    st.stop()
n = found["broad"].n_samples
chosen = {kind: one.system(name) for kind, one in found.items()}
if not all(one.known for one in chosen.values()):
    words.error(f"No sample has a score of {name}. Choose another system.")
    st.stop()
koehns = testset.simulated and not shuffle and (metric, size, n) == ("bleu", 300, 100)
theirs = {kind: ends for kind, *ends in KOEHN_2_3.rows["bleu"]} if koehns and name == "Spanish" else {}
ratio = chosen["blocks"].sd / chosen["broad"].sd if chosen["broad"].sd > 0 else float("nan")
words.numbers(
    *((f"{_NAMES[kind]}{', shuffled' if shuffle else ''}", "{:.1f} to {:.1f}".format(*one.range),
       f"SD {one.sd:.2f}" + (f"; Koehn 2004: {theirs[kind][0]} to {theirs[kind][1]}" if kind in theirs else ""))
      for kind, one in chosen.items()),
    ("Ratio of spreads", f"{ratio:.1f}" if np.isfinite(ratio) else "-", "SD of blocks / SD of broad samples"))
rows = [{"kind": kind, **row} for kind, one in chosen.items() for row in system_rows(one)]
charts.show(spread({_NAMES[kind]: one.scores for kind, one in chosen.items()}, chosen["broad"].full,
                   {_NAMES[kind]: ends for kind, ends in theirs.items()}, unit=unit),
            key="sampling.spread", command=command(*KINDS), **table(rows),
            alt=f"Scores of {n} samples of {size} segments, one dot each: blocks above, broad samples below.")
left_over = found["broad"].n_segments - n * size
st.caption(f"{n} samples of {size} segments each way. A block takes consecutive segments, broad sample k takes "
           f"segments k, k + {n}, k + {2 * n}, ... (Koehn 2004, 3.2 and 3.3). Neighbours share topic, style and "
           "difficulty. " + ("Shuffled, they do not, and blocks are like broad samples. " if shuffle else "")
           + (f"The last {left_over} segments are in no sample. " if left_over else "")
           + ("NIST takes its weights from the sample, so it is counted anew on each and grows with its size: small "
              "samples lie below the whole." if metric == "nist" else ""))

st.subheader("Does the interval contain the score of the whole test set?")
kind = controls.choice("Samples", KINDS, "samples", default="broad", width=220)
one, hits = chosen[kind], {key: int(value.hits.sum()) for key, value in chosen.items()}
words.answer("; ".join(f"{_NAMES[key]}: {hits[key]} of {chosen[key].known}" for key in KINDS)
             + (f" (Koehn 2004: {KOEHN_6.rows['bleu'][0][2]})" if theirs else ""))
charts.show(intervals(one.scores, one.low, one.high, one.hits, one.full, unit=unit), key="sampling.intervals",
            command=command(kind), **table([{**row, "hit": bool(hit)} for row, hit in
                                            zip(system_rows(one), one.hits, strict=True)]),
            alt=f"{level} interval of each sample; {hits[kind]} of {one.known} contain {one.full:.2f}.")
st.caption(f"{level} percentile intervals from {found[kind].settings.resamples:,} bootstrap samples of each sample's "
           "segments, drawn one by one. The bootstrap takes a sample to be like the rest, which a block is not.")

st.subheader("What each sample concludes about a pair")
a, b, (place,) = pairs.choose(view, 3)
with place:
    test = controls.choice("Conclusions by", ("koehn", "ar"), "by", help="koehn: paired bootstrap; ar: approximate "
                           "randomization, uncorrected")
pair = found[kind].pair(a, b)
truth, by_koehn = pair.sign * pair.full, pair.verdicts("koehn", alpha)
tally = pair.tally(test, alpha)
if np.isnan(truth):
    words.error(f"{a} and {b} have no line in common with a score: they cannot be compared. Choose another pair.")
    st.stop()
order = f"{a if truth > 0 else b} is the better" if abs(truth) > TOLERANCE else f"{a} and {b} tie"
words.answer(f"{order} on the whole test set: {tally.right} of {n} samples conclude so, {tally.wrong} the opposite, "
             f"{tally.none} nothing")
worse = int((pair.improvements < 0).sum())
charts.show(outcomes(pair.improvements, pair.verdicts(test, alpha), truth, f"whole test set, {truth:+.2f}",
                     what="Improvement of A over B", unit=unit),
            key="sampling.differences", command=command(kind), **table(pair_rows(pair)),
            alt=f"Improvement of A over B on each sample; on {worse} of {n} samples A is the worse.")
charts.show(outcomes(100 * pair.win, by_koehn, 50, "A better as often as B",
                     what="Share of bootstrap samples on which A is better, in %",
                     bounds=(100 * alpha, 100 * (1 - alpha))),
            key="sampling.wins", command=command(kind), **table(pair_rows(pair)), with_table=False,
            alt=f"Paired bootstrap of each sample: the share on which A is better; {int((by_koehn == 1).sum())} "
                f"samples conclude rightly, {int((by_koehn == -1).sum())} wrongly.")
named = {_NAMES[key].lower(): value for key, value in found.items()}
words.table(*tally_rows(named, a, b, alpha, published=koehns), names=[0, 1])
st.caption(f"Level {alpha:g}; right and wrong against the order on the whole test set. The paired bootstrap concludes "
           f"at {level} of wins in either direction: between equal systems, twice as often as a two-sided test. "
           + (f"{KOEHN_7_8.source}: {KOEHN_7_8.about}. Between Spanish and Danish one broad sample of his 100 was "
              "negative, by 0.07 (Figure 4; '300 broad samples' in 3.4 is a slip)." if koehns else ""))
