"""The parts of the page Sweeps that stand beside Zhang and Vogel (2004): Table 2; Tables 3 and 4 with Figure 8."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from mtsig_core import TestSet
from mtsig_core.errors import counted
from mtsig_core.experiments.papers import ZHANG_VOGEL_2, ZHANG_VOGEL_3, ZHANG_VOGEL_4
from mtsig_core.experiments.sweeps import (
    SHARES,
    SizeSweep,
    reference_sets,
    sweep_references,
    sweep_sizes,
    with_references,
)
from mtsig_core.figures.experiment_plots import references
from mtsig_core.metrics import metric_title
from mtsig_core.report.cells import rounded
from mtsig_core.report.commands import command_line
from mtsig_core.report.experiment_tables import (
    as_good_as,
    grid_table,
    reference_records,
    reference_table,
    size_table,
    system_records,
)
from mtsig_core.source import Source
from pages._ui import background, charts, limits, one_pair, results, screen
from pages._ui.jobs import Memory
from pages._ui.view import View

__all__ = ["command", "show_references", "show_table_2"]

_SIMULATED, _REFERENCES = 1592, 4  # the first hundred documents of the simulated corpus; theirs were as many, of 8.8
_ANEW = Memory(4)  # those test sets: to simulate one takes longer than all the rest of the page
_FEWEST = 5  # units of the smallest test set
_REPEATS = 20  # for each set of references
_NOT_EQ_4 = ("Their M-BLEU scores lie below their BLEU, which an arithmetic mean of the same precisions (their eq. 4, "
             "and ours) cannot: do not expect to meet them. ")


def command(kind: str, metric: str, source: Source, asked: dict, **more: str) -> str:
    """The command line of a sweep; only what differs from its defaults is said."""
    return command_line(f"sweep {kind}", source, metrics=metric, **asked, **more)


def show_table_2(view: View, found: SizeSweep, system: str, asked: dict) -> None:
    """Relative intervals of one system at the shares that they took."""
    several, source = _with_references(view, system)
    n = several.n_documents if found.settings.unit == "document" else several.n_segments
    percents = [percent for percent, *_ in ZHANG_VOGEL_2.rows["bleu"] if round(percent / 100 * n) >= _FEWEST]
    metric = view.metric

    def work(progress):
        return sweep_sizes(several, metric, sizes=[percent / 100 for percent in percents],
                           jobs=results.jobs(several), progress=progress, **asked)

    st.subheader("Beside Zhang and Vogel: how wide is an interval?")
    limits.check_sweep(several, [round(percent / 100 * n) for percent in percents], asked["repeats"])
    swept = background.result(("sweep shares", view.testset.digest, metric, system, tuple(asked.items())), work,
                              "Drawing parts of the test set")
    screen.plain(f"System {system}: relative {100 * (1 - view.settings['alpha']):g}% interval by size")
    screen.show_table(size_table(swept, system))
    st.caption(f"{_about(several)}. Ours: means over {asked['repeats']} random parts, but of the whole set one "
               f"interval; theirs too. {ZHANG_VOGEL_2.source}: {ZHANG_VOGEL_2.about}; human: fluency and adequacy. "
               f"They draw parts by document and bootstrap by sentence, here both go by {found.settings.unit}. "
               + _NOT_EQ_4 + "Their Figure 3, each pair by each metric, is a switch on the Leaderboard.")
    _files("sweeps.table2", view.named(system), system_records(swept, metric in view.testset.scores),
           command("size", metric, source, asked, sizes=",".join(f"{percent}%" for percent in percents)))


def show_references(view: View, system: str, asked: dict) -> None:
    """What more references bring to one system."""
    metric = view.metric
    st.subheader("How many references?")
    if metric in view.testset.scores:
        screen.plain(f"{metric} is a table of scores, which no reference changes. Choose a metric of texts.")
        return
    several, source = _with_references(view, system)
    if len(several.references) < 2:
        screen.plain("This set has one reference, or none: with several, their number is looked at here.")
        return
    asked = {**asked, "repeats": _REPEATS}

    def work(progress):
        return sweep_references(several, metric, jobs=results.jobs(several), progress=progress, **asked)

    sets = reference_sets(list(several.references))
    limits.check_sweep(several, [round(share * several.n_segments) for share in SHARES for _ in sets], _REPEATS)
    swept = background.result(("sweep references", view.testset.digest, metric, system, tuple(asked.items())), work,
                              "Scoring with fewer references")
    records = reference_records(swept)
    whole = [row for row in records if row["size"] == swept.n_units and row["low"] is not None]
    if whole and whole[-1]["equivalent"] is not None:
        screen.answer(f"With {whole[-1]['references']} references, an interval as narrow beside its score as with one "
                      f"takes {as_good_as(whole[-1])}")
        first, last = ((row["score"], (row["high"] - row["low"]) * row["score"]) for row in (whole[0], whole[-1]))
        screen.plain(f"Scores grow with references, here from {rounded(first[0])} to {rounded(last[0])}: in points the "
                     f"interval is {rounded(last[1])} wide, with one {rounded(first[1])}.")
    scale = 1 if metric == "nist" else 100  # they print BLEU as a fraction
    theirs = [(count, scale * score, low / 100, high / 100)
              for count, score, low, high in ZHANG_VOGEL_3.rows.get(metric, ())]
    if not whole:
        screen.plain(f"{system} scores 0, whatever the references, and no interval is relative to that: nothing to "
                     "draw.")
    if whole or theirs:
        charts.show(
            partial(references, [(row["references"], row["score"], row["low"], row["high"]) for row in whole], theirs,
                    metric=metric_title(metric), source="Zhang and Vogel"),
            key="sweeps.references", files=view.named(system), header=list(records[0]),
            command=command("references", metric, source, asked), rows=[list(row.values()) for row in records],
            with_table=False,
            alt=f"Score of {system} with its interval, by number of references; the table below has the numbers.")
    screen.show_table(reference_table(swept, system))
    st.caption(f"{_about(several)}. Means over sets that use every reference equally often. As good as one reference "
               "with: the share of the data that gives as narrow a relative interval; in brackets its 95% Monte Carlo "
               "interval, of what the draws leave open on this test set. They find that four references "
               "make up for 30 to 40% of it (4.2). "
               + ("Here NIST and M-BLEU intervals do not narrow, a limit of the simulation: on real texts they do. "
                  if several.simulated and metric in ("nist", "m-bleu") else "")
               + (_NOT_EQ_4 if metric == "m-bleu" else ""))
    screen.show_table(grid_table(swept, system))
    st.caption("Low and high end in percent of the median, by share of the set and number of references; means over "
               f"{_REPEATS} random parts for each set of references"
               + (f"; in brackets {ZHANG_VOGEL_4.source if metric == 'nist' else ZHANG_VOGEL_3.source}."
                  if any(row["paper_low"] is not None for row in records) else "."))


def _with_references(view: View, system: str) -> tuple[TestSet, Source]:
    """The test set with this system alone, the simulated one short and with several references; and its source."""
    testset, source = view.testset, one_pair.source_for(view, system)
    if not testset.simulated:
        return testset.only([system]), source
    n = min(testset.n_segments, _SIMULATED)
    several = _ANEW.get(testset.digest)
    if several is None:
        several = with_references(testset.at(range(n)), _REFERENCES)
        _ANEW.keep(testset.digest, several)
    if source.demo is not None:
        source = replace(source, demo=n)
    anew = len(testset.references) == 1
    return several.only([system]), replace(source, demo_references=_REFERENCES, refs=()) if anew else source


def _about(several: TestSet) -> str:
    size = f"{several.n_segments:,} segments" + (
        f" in {several.n_documents} documents" if several.documents is not None else "")
    n = len(several.references)  # none of scores alone
    scored = f", {counted(n, 'reference')}" if n else ""
    return f"{'Simulated, the first ' if several.simulated else ''}{size}{scored}"


def _files(key, called, records, line):
    """The numbers of a table as a file, and the command that prints them."""
    with st.expander("Numbers as a file, command", key=f"{key}.box"):
        charts.csv_button(called, key, list(records[0]), [row.values() for row in records])
        charts.copy_command(line, key)
