"""Sections of the page Sampling: intervals of samples, conclusions, and their spread by size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st

from mtsig_core.experiments.sampling import SAMPLE_KINDS, Sampling, Spreads
from mtsig_core.figures.sample_plots import intervals, outcomes, ratios
from mtsig_core.grouping import group_values
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
    ratio: tuple[float, float, float] | None, size: int, is_shuffled: bool, level: str
) -> str:
    """Write the headline: how much wider blocks spread than broad samples."""
    if ratio is None:
        return "All samples have the same score, so there is nothing to compare"
    middle, low, high = ratio
    blocks = f"blocks of {size:,} segments"
    if is_shuffled:
        return (
            f"After the shuffle, {blocks} vary {middle:.1f} times as much as broad samples "
            f"({level} CI {low:.1f} to {high:.1f})"
        )
    if low > 1:
        return f"{blocks.capitalize()} vary {middle:.1f} times as much as broad samples"
    if high < 1:
        return (
            f"Scores of {blocks} vary less than scores of broad samples "
            f"({middle:.1f} times as much)"
        )
    return (
        f"Too few samples to tell whether {blocks} vary more than broad samples "
        f"({middle:.1f} times as much, {level} CI {low:.1f} to {high:.1f})"
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
        """The title of the metric."""
        return metric_title(self.view.metric)

    @property
    def form(self) -> str:
        """The format of scores and differences."""
        return choose_form(self.view.result)

    def print_commands(self) -> str:
        """Return the command lines that print the samples, a line for each kind."""
        return "\n".join(self.studies[kind].print_command() for kind in SAMPLE_KINDS)

    def show_intervals(self) -> None:
        """Draw whether the samples' intervals contain the score of the whole test set.

        Both kinds of sample have one scale.
        """
        by_kind = {kind: sampling.system(self.name) for kind, sampling in self.by_kind.items()}
        counts = []
        shares = []
        for kind, sampled in by_kind.items():
            rate = sampled.hit_rate
            name = NAMES[kind].lower()
            counts.append(f"{rate.count} of {rate.n} {name}")
            shares.append(f"{name} {100 * rate.low:.0f} to {100 * rate.high:.0f}%")
        screen.answer(
            "The score of the whole test set is inside the interval of " + " and ".join(counts)
        )
        lows = np.concatenate([sampled.low for sampled in by_kind.values()])
        highs = np.concatenate([sampled.high for sampled in by_kind.values()])
        scale = (float(np.nanmin(lows)), float(np.nanmax(highs)))
        for kind, place in zip(SAMPLE_KINDS, st.columns(2, gap="medium"), strict=True):
            with place:
                self._show_intervals_of(kind, by_kind[kind], scale)
        help_text = (
            f"{self.view.level} percentile intervals from "
            f"{self.by_kind['broad'].settings.resamples:,} resamples of each sample's segments."
        )
        if self.view.recounted:
            help_text += (
                f" {self.unit} takes its weights from each sample. So small samples score lower than the whole "
                "set, and their intervals cannot contain its score."
            )
        st.caption(
            "The bootstrap assumes that a sample is like the rest of the test set. A block is not. 95% CI of "
            "these shares, allowing for similar neighbours: "
            f"{', '.join(shares)}.",
            help=help_text,
        )

    def _show_intervals_of(self, kind: str, sampled, scale: tuple[float, float]) -> None:
        """Draw the intervals of one kind of sample."""
        st.subheader(NAMES[kind])
        records = []
        for row, hit in zip(sampled_system_records(sampled), sampled.hits, strict=True):
            records.append({**row, "hit": bool(hit)})
        rate = sampled.hit_rate
        self.studies[kind].show(
            partial(
                intervals,
                sampled.scores,
                sampled.low,
                sampled.high,
                sampled.hits,
                sampled.full,
                unit=self.unit,
                form=self.form,
                frame=scale,
            ),
            records,
            f"{self.view.level} interval of each sample ({NAMES[kind].lower()}); "
            f"{rate.count} of {rate.n} contain {sampled.full:{self.form}}.",
            self.name,
            key=f"sampling.intervals-{kind}",
            with_table=True,
        )

    def show_pair(self, published: bool = False) -> None:
        """Draw what the samples of a kind conclude about a pair; if `published`, also Koehn's."""
        alpha = self.view.settings["alpha"]
        if len(self.by_kind["broad"].systems) < 2:
            screen.error(
                "There is only one system. Upload another output, or exclude fewer systems."
            )
            return
        a, b, (kind_place, test_place) = views.choose_pair(self.view, 4)
        kind = controls.choice(
            "Samples",
            SAMPLE_KINDS,
            "samples",
            default="broad",
            place=kind_place,
            format_func=NAMES.get,
        )
        test = controls.choice(
            "Test", tuple(_TESTS), "by", place=test_place, format_func=_TESTS.get
        )
        pair = self.by_kind[kind].pair(a, b)
        if np.isnan(pair.full):
            screen.error(
                f"{a} and {b} have no scored segment in common, so they cannot be compared. "
                "Choose another pair."
            )
            return
        self._answer(kind, a, b, pair, pair.tally(test, alpha))
        left, right = st.columns(2, gap="medium")
        with left:
            self._show_improvements(kind, a, b, pair, test)
        with right:
            self._show_wins(kind, a, b, pair)
        by_name = {NAMES[kind].lower(): sampling for kind, sampling in self.by_kind.items()}
        screen.show_table(tally_table(by_name, a, b, alpha, published))
        st.caption(
            "The whole test set is itself a sample. If it shows no significant difference, a sample that "
            "contradicts it is not necessarily wrong. Brackets: 95% CI, allowing for similar "
            "neighbours.",
            help=(
                "Its p is from the randomization test, uncorrected, by document if there are documents. The "
                f"paired bootstrap concludes at {self.view.level} of wins in either direction; with equal systems "
                "this happens twice as often as with a two-sided test."
            ),
        )

    def _show_improvements(self, kind: str, a: str, b: str, pair, test: str) -> None:
        """Draw the difference of a pair on each sample."""
        difference = pair.sign * pair.full
        n_worse = int((pair.improvements < 0).sum())
        figure = partial(
            outcomes,
            pair.improvements,
            pair.verdicts(test, self.view.settings["alpha"]),
            difference,
            f"whole test set, {difference:+{self.form}}",
            axis_title="Improvement of A over B",
            unit=self.unit,
            form=self.form,
        )
        self.studies[kind].show(
            figure,
            sampled_pair_records(pair),
            f"Improvement of A over B on each sample; on {n_worse} of "
            f"{self.by_kind['broad'].n_samples} samples A is the worse.",
            a,
            b,
            key="sampling.differences",
            with_table=True,
        )

    def _show_wins(self, kind: str, a: str, b: str, pair) -> None:
        """Draw the share of resamples of each sample on which A is better."""
        alpha = self.view.settings["alpha"]
        verdicts = pair.verdicts("koehn", alpha)
        figure = partial(
            outcomes,
            100 * pair.win,
            verdicts,
            50,
            "A and B win equally often",
            axis_title="% of resamples with A better",
            bounds=(100 * alpha, 100 * (1 - alpha)),
        )
        self.studies[kind].show(
            figure,
            sampled_pair_records(pair),
            "Paired bootstrap of each sample: the share on which A is better; "
            f"{(verdicts == 1).sum()} samples agree with the whole test set, "
            f"{(verdicts == -1).sum()} contradict it.",
            a,
            b,
            key="sampling.wins",
        )

    def _answer(self, kind: str, a: str, b: str, pair, tally) -> None:
        """Write how many samples agree with the whole test set."""
        alpha = self.view.settings["alpha"]
        sampling = self.by_kind[kind]
        samples = f"{sampling.n_samples} {NAMES[kind].lower()}"
        n_right = tally["right"].count
        n_wrong = tally["wrong"].count
        n_undecided = tally["none"].count
        difference = pair.sign * pair.full
        scores = np.array([sampling.system(name).full for name in (a, b)])
        if abs(difference) <= rounding_error(scores):
            screen.answer(
                f"{a} and {b} tie on the whole test set. {sampling.n_samples - n_undecided} of "
                f"{samples} call one significantly better"
            )
        else:
            best, worst = (a, b) if difference > 0 else (b, a)
            verdict = f"{best} scores higher than {worst} on the whole test set, not significantly"
            if significant(pair.whole_p, alpha):
                verdict = f"{best} is significantly better than {worst} on the whole test set"
            screen.answer(
                f"{verdict}. {n_right} of {samples} agree, {n_wrong} contradict it, {n_undecided} "
                "show no significant difference"
            )
        description = describe_whole(pair.whole_p, alpha, sampling.whole_units)
        screen.faint(f"The whole test set: {description}.")

    def show_spreads(self, experiment: Study, spread: Spreads) -> None:
        """Draw the ratio of spreads by size, of this system among all."""
        by_size = spread.ratios()
        if not by_size:
            screen.plain("All broad samples have the same scores, so there is no ratio.")
            return
        size = self.by_kind["broad"].size
        if size not in by_size:
            size = max(by_size)
        _, median, _ = by_size[size]
        screen.answer(
            f"Blocks of {size:,} segments vary {median:.1f} times as much as broad samples"
            f"{_describe_range(spread, size)}"
        )
        by_system = group_values(
            ((row.size, row.ratio, row.ratio_low, row.ratio_high), row.system)
            for row in spread.rows
            if row.ratio is not None
        )
        medians = {size: ratio for size, (_, ratio, _) in by_size.items()}
        experiment.show(
            partial(ratios, by_system, self.name, medians),
            spread.rows,
            f"Ratio of spreads by size of the samples; at {size} segments the median is "
            f"{median:.1f}.",
            self.name,
            key="sampling.ratios",
        )
        screen.plain(f"System {self.name}")
        screen.show_table(spread_table(spread, self.name))
        st.caption(
            "SD of the scores of blocks / of broad samples of as many segments. Bars and brackets: "
            f"{self.view.level} interval of one ratio. Systems share the segments, so their ratios go up and down "
            "together. Dotted line: 1 (the order of the segments does not matter)."
        )


def _describe_range(spread: Spreads, size: int) -> str:
    """Write how the ratios of several systems differ; empty for one."""
    rows = [row for row in spread.rows if row.size == size and row.ratio is not None]
    if len(rows) < 2:
        return ""
    n_excluding_1 = 0
    for row in rows:
        if row.ratio_low is not None and (row.ratio_low > 1 or row.ratio_high < 1):
            n_excluding_1 += 1
    low, _, high = spread.ratios()[size]
    return (
        f" (median of {len(rows)} systems, {low:.1f} to {high:.1f}). For "
        f"{n_excluding_1 or 'none'} of them the interval excludes 1"
    )
