"""Sections of the page Sampling: intervals of samples, what they conclude, and their spread by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from mtsig_core.experiments.papers import KOEHN_6, KOEHN_7_8
from mtsig_core.experiments.sampling import SAMPLE_KINDS, Sampling, Spreads
from mtsig_core.figures.experiment_plots import intervals, outcomes, ratios
from mtsig_core.metrics import metric_title
from mtsig_core.report.experiment_tables import (
    describe_whole,
    sampled_pair_records,
    sampled_system_records,
    spread_table,
    tally_table,
)
from mtsig_core.report.sentences import choose_form
from mtsig_core.stats.arrays import rounding_error
from mtsig_core.stats.significance import significant
from pages._ui import controls, one_pair, screen
from pages._ui.studies import Study
from pages._ui.views import View

NAMES = {"blocks": "Blocks", "broad": "Broad samples"}


@dataclass(frozen=True)
class Samples:
    """Both kinds of sample of one size."""

    view: View
    by_kind: Mapping[str, Sampling]
    studies: Mapping[str, Study]  # by kind
    name: str  # the system that is looked at
    koehns: bool  # whether the samples stand for those of `Koehn (2004)`

    @property
    def unit(self) -> str:
        return metric_title(self.view.metric)

    @property
    def form(self) -> str:
        """How scores and differences are written."""
        return choose_form(self.view.result)

    def show_intervals(self) -> str:
        """Which samples' intervals hold the score of the whole test set; returns the kind of sample chosen."""
        st.subheader("Does the interval contain the score of the whole test set?")
        kind = controls.choice("Samples", SAMPLE_KINDS, "samples", default="broad", width=220)
        rates = {key: one.system(self.name).hit_rate for key, one in self.by_kind.items()}
        one, hits = self.by_kind[kind].system(self.name), rates[kind]
        counts = "; ".join(f"{NAMES[key].lower()}: {rate.count} of {rate.n}" for key, rate in rates.items())
        screen.answer(counts.capitalize()
                      + (f" (Koehn 2004: {KOEHN_6.rows['bleu'][0][2]})" if self.koehns and self.name == "Spanish"
                         else ""))
        rows = [{**row, "hit": bool(hit)} for row, hit in zip(sampled_system_records(one), one.hits, strict=True)]
        self.studies[kind].show(
            partial(intervals, one.scores, one.low, one.high, one.hits, one.full, unit=self.unit, form=self.form), rows,
            f"{self.view.level} interval of each sample; {hits.count} of {hits.n} contain {one.full:{self.form}}.",
            self.name, key="sampling.intervals", with_table=True)
        ends = ", ".join(f"{NAMES[key].lower()} {100 * rate.low:.0f} to {100 * rate.high:.0f}%"
                         for key, rate in rates.items())
        below = (f" {self.unit} takes its weights from each sample, so small samples score below the whole set and "
                 "their intervals cannot hold its score." if self.view.recounted else "")
        st.caption(f"{self.view.level} percentile intervals from {self.by_kind[kind].settings.resamples:,} resamples "
                   "of each sample's segments. The bootstrap assumes that a sample is like the rest, which a block is "
                   f"not. 95% CI of these shares, neighbouring samples being alike: {ends}.{below}")
        return kind

    def show_pair(self, kind: str) -> None:
        """What the samples of a kind conclude about a pair."""
        alpha, n = self.view.settings["alpha"], self.by_kind[kind].n_samples
        st.subheader("What each sample concludes about a pair")
        if len(self.by_kind[kind].systems) < 2:
            screen.error("Only one system: there is no pair. Add another output, or leave fewer out.")
            return
        a, b, (place,) = one_pair.choose(self.view, 3)
        with place:
            test = controls.choice("Conclusions by", ("koehn", "ar"), "by", help="koehn: paired bootstrap; ar: "
                                   "approximate randomization, uncorrected")
        pair = self.by_kind[kind].pair(a, b)
        truth, by_koehn = pair.sign * pair.full, pair.verdicts("koehn", alpha)
        tally = pair.tally(test, alpha)
        if np.isnan(truth):
            screen.error(f"{a} and {b} have no line in common with a score: they cannot be compared. Choose another "
                         "pair.")
            return
        tie = rounding_error(np.array([self.by_kind[kind].system(name).full for name in (a, b)]))
        known = "the better" if significant(pair.whole_p, alpha) else "ahead"
        order = f"{a if truth > 0 else b} is {known}" if abs(truth) > tie else f"{a} and {b} tie"
        decided = describe_whole(pair.whole_p, alpha, self.by_kind[kind].whole_units)
        which = NAMES[kind].lower()
        right, wrong, none = (tally[what].count for what in ("right", "wrong", "none"))
        screen.answer(f"{order} on the whole test set ({decided}): " + (
            f"{right} of {n} {which} conclude so, {wrong} the opposite, {none} nothing"
            if abs(truth) > tie else f"{n - none} of {n} {which} conclude that one is better"))
        worse = int((pair.improvements < 0).sum())
        figure = partial(outcomes, pair.improvements, pair.verdicts(test, alpha), truth,
                         f"whole test set, {truth:+{self.form}}", what="Improvement of A over B", unit=self.unit,
                         form=self.form)
        self.studies[kind].show(figure, sampled_pair_records(pair), "Improvement of A over B on each sample; on "
                                f"{worse} of {n} samples A is the worse.", a, b, key="sampling.differences",
                                with_table=True)
        figure = partial(outcomes, 100 * pair.win, by_koehn, 50, "A better as often as B",
                         what="% of bootstrap samples with A better", bounds=(100 * alpha, 100 * (1 - alpha)))
        self.studies[kind].show(figure, sampled_pair_records(pair), "Paired bootstrap of each sample: the share on "
                                f"which A is better; {(by_koehn == 1).sum()} samples conclude as the whole test set, "
                                f"{(by_koehn == -1).sum()} the opposite.", a, b, key="sampling.wins")
        named = {NAMES[key].lower(): value for key, value in self.by_kind.items()}
        screen.show_table(tally_table(named, a, b, alpha, published=self.koehns))
        st.caption(f"Level {alpha:g}. The whole test set is itself a sample: where it is undecided, neither side need "
                   "be wrong. Its p is by approximate randomization, uncorrected, by document where there are any. "
                   "Brackets: 95% CI, neighbours being alike. The paired bootstrap concludes at "
                   f"{self.view.level} of wins in either direction, between equal systems twice as often as a "
                   "two-sided test. "
                   + (f"{KOEHN_7_8.source}: {KOEHN_7_8.about}. Between Spanish and Danish one broad sample of his 100 "
                      "was negative, by 0.07 (Figure 4; '300 broad samples' in 3.4 is a slip)." if self.koehns else ""))

    def show_spreads(self, wider: Study, spread: Spreads) -> None:
        """The ratio of spreads by size, of this system among all."""
        st.subheader("How much wider do blocks spread?")
        by_size = spread.ratios()
        if not by_size:
            screen.plain("No system's scores vary from broad sample to broad sample: there is no ratio.")
            return
        size = self.by_kind["broad"].size if self.by_kind["broad"].size in by_size else max(by_size)
        low, middle, high = by_size[size]
        rows = [row for row in spread.rows if row.size == size and row.ratio is not None]
        apart = sum(row.ratio_low is not None and (row.ratio_low > 1 or row.ratio_high < 1) for row in rows)
        expand = (f", the median of {len(rows)} systems (from {low:.1f} to {high:.1f}), {apart or 'none'} of which "
                  f"{'has' if apart == 1 else 'have'} an interval without 1") if len(rows) > 1 else ""
        screen.answer(f"Blocks of {size:,}: {middle:.1f} times as wide as broad samples{expand}")
        by_system: dict[str, list] = {}
        for row in spread.rows:
            if row.ratio is not None:
                by_system.setdefault(row.system, []).append((row.size, row.ratio, row.ratio_low, row.ratio_high))
        wider.show(partial(ratios, by_system, self.name, {k: ratio for k, (_, ratio, _) in by_size.items()}),
                   spread.rows, f"Ratio of spreads by size of the samples; at {size} segments the median is "
                   f"{middle:.1f}.", self.name, key="sampling.ratios")
        screen.plain(f"System {self.name}")
        screen.show_table(spread_table(spread, self.name))
        st.caption("SD of the scores of blocks / of broad samples of as many segments. Bars and brackets: "
                   f"{self.view.level} interval of one ratio. Systems share the segments, so their ratios go up and "
                   "down together. Dotted: 1, where the order of the segments does not matter.")
