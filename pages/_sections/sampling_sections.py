"""Sections of the page Sampling: intervals of samples, what they conclude, and their spread by
size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from mtsig_core.experiments.sampling import SAMPLE_KINDS, Sampling, Spreads
from mtsig_core.figures.sample_plots import intervals, outcomes, ratios
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
from pages._ui import controls, screen, views
from pages._ui.charts import Study
from pages._ui.views import View

NAMES = {"blocks": "Blocks", "broad": "Broad samples"}
_TESTS = {"koehn": "Paired bootstrap", "ar": "Randomization test"}


def describe_ratio(
    ratio: tuple[float, float, float] | None, size: int, shuffled: bool, level: str
) -> str:
    """Write the headline: how much wider blocks spread than broad samples, or that there are too
    few to tell.
    """
    if ratio is None:
        return "The scores of the samples do not vary: there is nothing to compare"
    middle, low, high = ratio
    if shuffled:
        return (
            f"After the shuffle, blocks of {size:,} segments spread {middle:.1f} times as wide as broad samples "
            f"({level} CI {low:.1f} to {high:.1f})"
        )
    if low > 1:
        return f"Scores of blocks of {size:,} segments spread {middle:.1f} times as wide as scores of broad samples"
    if high < 1:
        return (
            f"Scores of blocks of {size:,} segments spread less than scores of broad samples ({middle:.1f} times "
            "as wide)"
        )
    return (
        f"Too few samples to tell whether blocks of {size:,} segments spread wider than broad samples "
        f"({middle:.1f} times as wide, {level} CI {low:.1f} to {high:.1f})"
    )


@dataclass(frozen=True)
class Samples:
    """Both kinds of sample of one size."""

    view: View
    by_kind: Mapping[str, Sampling]
    studies: Mapping[str, Study]  # by kind
    name: str  # the system that is looked at

    @property
    def unit(self) -> str:
        return metric_title(self.view.metric)

    @property
    def form(self) -> str:
        """Return the form of scores and differences."""
        return choose_form(self.view.result)

    def print_commands(self) -> str:
        """Return the command lines that print the samples, a line for each kind."""
        return "\n".join(self.studies[kind].print_command() for kind in SAMPLE_KINDS)

    def show_intervals(self) -> None:
        """Draw the samples' intervals, and whether they contain the score of the whole test set,
        for both kinds on one scale.
        """
        chosen = {kind: one.system(self.name) for kind, one in self.by_kind.items()}
        rates = {kind: one.hit_rate for kind, one in chosen.items()}
        screen.answer(
            "The score of the whole test set is inside the interval of "
            + " and ".join(
                f"{rate.count} of {rate.n} {NAMES[kind].lower()}" for kind, rate in rates.items()
            )
        )
        ends = np.concatenate([end for one in chosen.values() for end in (one.low, one.high)])
        frame = (float(np.nanmin(ends)), float(np.nanmax(ends)))
        for kind, place in zip(SAMPLE_KINDS, st.columns(2, gap="medium"), strict=True):
            one = chosen[kind]
            with place:
                st.markdown(f"**{NAMES[kind]}**")
                self.studies[kind].show(
                    partial(
                        intervals,
                        one.scores,
                        one.low,
                        one.high,
                        one.hits,
                        one.full,
                        unit=self.unit,
                        form=self.form,
                        frame=frame,
                    ),
                    [
                        {**row, "hit": bool(hit)}
                        for row, hit in zip(sampled_system_records(one), one.hits, strict=True)
                    ],
                    f"{self.view.level} interval of each sample ({NAMES[kind].lower()}); {rates[kind].count} of "
                    f"{rates[kind].n} contain {one.full:{self.form}}.",
                    self.name,
                    key=f"sampling.intervals-{kind}",
                    with_table=True,
                )
        shares = ", ".join(
            f"{NAMES[kind].lower()} {100 * rate.low:.0f} to {100 * rate.high:.0f}%"
            for kind, rate in rates.items()
        )
        below = (
            f" {self.unit} takes its weights from each sample, so small samples score below the whole set and "
            "their intervals cannot contain its score."
            if self.view.recounted
            else ""
        )
        st.caption(
            "The bootstrap assumes that a sample is like the rest of the test set, which a block is not. 95% CI "
            f"of these shares, allowing for similar neighbours: {shares}.",
            help=f"{self.view.level} percentile intervals from "
            f"{self.by_kind['broad'].settings.resamples:,} resamples of each sample's segments.{below}",
        )

    def show_pair(self, published: bool = False) -> None:
        """Draw what the samples of a kind conclude about a pair; where `published`, also
        Koehn's.
        """
        alpha, n = self.view.settings["alpha"], self.by_kind["broad"].n_samples
        if len(self.by_kind["broad"].systems) < 2:
            screen.error(
                "Only one system: there is no pair. Upload another output, or exclude fewer systems."
            )
            return
        a, b, (beside, place) = views.choose_pair(self.view, 4)
        kind = controls.choice(
            "Samples", SAMPLE_KINDS, "samples", default="broad", place=beside, format_func=NAMES.get
        )
        test = controls.choice("Test", tuple(_TESTS), "by", place=place, format_func=_TESTS.get)
        pair = self.by_kind[kind].pair(a, b)
        truth, by_koehn = pair.sign * pair.full, pair.verdicts("koehn", alpha)
        if np.isnan(truth):
            screen.error(
                f"{a} and {b} have no scored segment in common, so they cannot be compared. Choose another "
                "pair."
            )
            return
        self._answer(kind, a, b, pair, pair.tally(test, alpha))
        worse = int((pair.improvements < 0).sum())
        left, right = st.columns(2, gap="medium")
        figure = partial(
            outcomes,
            pair.improvements,
            pair.verdicts(test, alpha),
            truth,
            f"whole test set, {truth:+{self.form}}",
            axis_title="Improvement of A over B",
            unit=self.unit,
            form=self.form,
        )
        with left:
            self.studies[kind].show(
                figure,
                sampled_pair_records(pair),
                "Improvement of A over B on each sample; on "
                f"{worse} of {n} samples A is the worse.",
                a,
                b,
                key="sampling.differences",
                with_table=True,
            )
        figure = partial(
            outcomes,
            100 * pair.win,
            by_koehn,
            50,
            "A better as often as B",
            axis_title="% of resamples with A better",
            bounds=(100 * alpha, 100 * (1 - alpha)),
        )
        with right:
            self.studies[kind].show(
                figure,
                sampled_pair_records(pair),
                "Paired bootstrap of each sample: the share on "
                f"which A is better; {(by_koehn == 1).sum()} samples agree with the whole test "
                f"set, {(by_koehn == -1).sum()} contradict it.",
                a,
                b,
                key="sampling.wins",
            )
        named = {NAMES[key].lower(): value for key, value in self.by_kind.items()}
        screen.show_table(tally_table(named, a, b, alpha, published))
        st.caption(
            "The whole test set is itself a sample: where it shows no significant difference, a sample that "
            "contradicts it need not be wrong. Brackets: 95% CI, allowing for similar neighbours.",
            help="Its p is by randomization, uncorrected, by document where there are any. The paired bootstrap "
            f"concludes at {self.view.level} of wins in either direction, between equal systems twice as often "
            "as a two-sided test.",
        )

    def _answer(self, kind: str, a: str, b: str, pair, tally) -> None:
        """Write how many samples agree with the whole test set."""
        alpha, one = self.view.settings["alpha"], self.by_kind[kind]
        truth = pair.sign * pair.full
        tie = rounding_error(np.array([one.system(name).full for name in (a, b)]))
        better = (
            "significantly better"
            if significant(pair.whole_p, alpha)
            else "better, not significantly,"
        )
        right, wrong, none = (tally[what].count for what in ("right", "wrong", "none"))
        which = NAMES[kind].lower()
        if abs(truth) > tie:
            screen.answer(
                f"{a if truth > 0 else b} is {better} on the whole test set. {right} of {one.n_samples} "
                f"{which} agree, {wrong} contradict it, {none} show no significant difference"
            )
        else:
            screen.answer(
                f"{a} and {b} tie on the whole test set. {one.n_samples - none} of {one.n_samples} {which} "
                "call one significantly better"
            )
        screen.faint(f"The whole test set: {describe_whole(pair.whole_p, alpha, one.whole_units)}.")

    def show_spreads(self, wider: Study, spread: Spreads) -> None:
        """Draw the ratio of spreads by size, of this system among all."""
        by_size = spread.ratios()
        if not by_size:
            screen.plain(
                "No system's scores vary from broad sample to broad sample: there is no ratio."
            )
            return
        size = self.by_kind["broad"].size if self.by_kind["broad"].size in by_size else max(by_size)
        low, middle, high = by_size[size]
        rows = [row for row in spread.rows if row.size == size and row.ratio is not None]
        apart = sum(
            row.ratio_low is not None and (row.ratio_low > 1 or row.ratio_high < 1) for row in rows
        )
        expand = (
            (
                f" (median of {len(rows)} systems, {low:.1f} to {high:.1f}). For {apart or 'none'} of them the "
                "interval excludes 1"
            )
            if len(rows) > 1
            else ""
        )
        screen.answer(
            f"Blocks of {size:,} segments spread {middle:.1f} times as wide as broad samples{expand}"
        )
        by_system: dict[str, list] = {}
        for row in spread.rows:
            if row.ratio is not None:
                by_system.setdefault(row.system, []).append(
                    (row.size, row.ratio, row.ratio_low, row.ratio_high)
                )
        wider.show(
            partial(
                ratios, by_system, self.name, {k: ratio for k, (_, ratio, _) in by_size.items()}
            ),
            spread.rows,
            f"Ratio of spreads by size of the samples; at {size} segments the median is "
            f"{middle:.1f}.",
            self.name,
            key="sampling.ratios",
        )
        screen.plain(f"System {self.name}")
        screen.show_table(spread_table(spread, self.name))
        st.caption(
            "SD of the scores of blocks / of broad samples of as many segments. Bars and brackets: "
            f"{self.view.level} interval of one ratio. Systems share the segments, so their ratios go up and "
            "down together. Dotted: 1, if the order of the segments does not matter."
        )
