"""The numbers behind a verdict, as tiles."""

from dataclasses import replace

import pytest

from mtsig_core import compare_task
from mtsig_core.figures import draw_figure
from mtsig_core.report.tables import differences_table
from mtsig_core.report.tiles import list_answer_tiles, list_family_tiles, list_task_tiles
from mtsig_core.source import TaskSource
from mtsig_core.stats.ranks import find_top_group
from tests.builders.results import SETTINGS, comparison, pair, result


def compare_two(delta=0.5, better=None, p=0.4, higher_is_better=True, **settings):
    """A comparison of A and B, of which A has the better score."""
    made = result(higher_is_better=higher_is_better)
    sign = 1 if higher_is_better else -1
    pairs = (pair("A", "B", delta * sign, better, p),)
    found = comparison(replace(made, systems=made.systems[:2], pairs=pairs))
    return replace(found, settings=replace(SETTINGS, **settings))


def write_tiles(tiles):
    return [f"{label}: {number} ({note})" for label, number, note in tiles]


def test_of_two_systems_the_tiles_have_the_improvement_of_the_best():
    assert write_tiles(list_answer_tiles(compare_two(), "bleu")) == [
        "Difference in BLEU: +0.50 (A 30.00 vs. B 29.50)",
        "95% CI: -0.50 to 1.50 (of the difference)",
        "p: 0.400 (not significant at 0.05)",
        "Smallest detectable: 1.40 (found 8 times in 10, smaller ones less often)",
    ]


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize(("baseline", "sign"), [(None, 1), ("B", 1), ("A", -1)])
def test_the_sign_is_the_same_in_tiles_figure_and_table(baseline, sign, higher_is_better):
    found = compare_two(baseline=baseline, higher_is_better=higher_is_better)
    metric_result = found.metrics["bleu"]
    if baseline == "A":  # the baseline is the second system of a pair
        swapped = pair("B", "A", metric_result.pairs[0].delta * -1, None, 0.4)
        found = replace(found, metrics={"bleu": replace(metric_result, pairs=(swapped,))})
    tiles = list_answer_tiles(found, "bleu")
    table = differences_table(found.metrics["bleu"], found.settings)
    [difference] = [
        table.values(key)[0] for key in table.keys if key in ("vs_other", "vs_baseline")
    ]
    points = [trace for trace in draw_figure(found, "differences").data if trace.mode == "markers"]
    assert float(tiles[0].number) == difference == sign * 0.5
    assert [x for trace in points for x in trace.x] == [sign * 0.5]


def test_what_seems_to_contradict_is_in_one_note():
    excluded = list_answer_tiles(compare_two(1.2), "bleu")
    assert excluded[1].note == "of the difference; excludes 0, by another method: the test decides"
    contained = list_answer_tiles(compare_two(0.5, "a", 0.001), "bleu")
    assert contained[1].note == "of the difference; contains 0, by another method: the test decides"
    assert contained[3].note.endswith("smaller ones, if found, look too large")


def test_of_several_systems_the_tiles_are_of_the_first_two():
    ranks = {"A": (1, 2), "B": (2, 3), "C": (1, 3)}
    made = result()
    systems = []
    for row in made.systems:
        low, high = ranks[row.system]
        systems.append(replace(row, rank_low=low, rank_high=high))
    found = comparison(replace(made, systems=tuple(systems)))
    first = list_answer_tiles(found, "bleu")[0]
    assert (first.number, first.note) == ("-10.00", "C 20.00 vs. A 30.00")
    assert list_answer_tiles(found, "bleu")[2].note == (
        "significant at 0.05, corrected for 3 pairs"
    )


def test_the_figure_of_two_systems_has_a_row_for_each_metric_on_its_own_scale():
    found = compare_two(0.5, "a", 0.001)
    bleu = found.metrics["bleu"]
    ter = replace(bleu, metric="ter", pairs=(pair("A", "B", -2.0, None, 0.4),))
    found = replace(found, metrics={"bleu": bleu, "ter": ter})
    figure = draw_figure(found, "differences")
    assert list(figure.layout.yaxis.ticktext) == [
        "<b>BLEU</b><br>+0.50 (-0.50 to 1.50), p = 0.001",
        "<b>TER</b><br>-2.00 (-3.00 to -1.00), p = 0.400",
    ]
    intervals, *points = figure.data
    assert intervals.x == (-0.5 / 1.5, 1, None, -1, -1 / 3, None)
    drawn = {trace.name: list(zip(trace.x, trace.y, strict=True)) for trace in points if trace.x}
    assert drawn == {
        "significantly better": [(0.5 / 1.5, 0)],
        "no significant difference": [(-2 / 3, 1)],
    }
    assert not figure.layout.xaxis.showticklabels


def test_tiles_of_all_pairs_count_what_the_correction_costs():
    made = result()
    open_pair = replace(made.pairs[0], p_value=0.04)
    found = comparison(replace(made, pairs=(open_pair, *made.pairs[1:])))
    assert write_tiles(list_family_tiles(found, "bleu"))[:2] == [
        "Not significant: 1 (which does not mean equal)",
        "Significant without correction: 3 (1 more than with Romano-Wolf)",
    ]


def test_tiles_of_a_task_count_the_top_group_and_the_winners(score_folder):
    task = TaskSource(str(score_folder)).read()
    found = compare_task(task, "XCOMET", trials=999, resamples=50)
    ranks = [row.rank_low for row in found.macro["XCOMET"].systems if row.rank_low]
    n_winners = 0
    for compared in found.pairs.values():
        n_winners += len(find_top_group(compared.metrics["XCOMET"]) or "") == 1
    assert write_tiles(list_task_tiles(found, "XCOMET")) == [
        f"Top group: {ranks.count(1)} of {len(ranks)} (ranked systems)",
        f"A single winner: {n_winners} of 2 (language pairs have one)",
    ]
