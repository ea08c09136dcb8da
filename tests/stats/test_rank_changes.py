"""Ranks before and after, against the results that they come from."""

from mtsig_core.stats.across import compare_task
from mtsig_core.stats.ranks import ranks_before_after
from mtsig_core.task import TaskExclusion
from tests.report.test_task_documents import made


def test_who_moves_who_leaves_and_who_may_be_the_first():
    task = made(missing=1)
    before = compare_task(task, "X", trials=199, resamples=200)
    pair = next(iter(before.pairs))
    winner = before.pairs[pair].metrics["X"].systems[0].system
    after = compare_task(task, "X", trials=199, resamples=200, exclude=[TaskExclusion(winner, "a bug", pair)])
    found = ranks_before_after(before, after, "X")
    assert [(one.system, one.reason) for one in after.pairs[pair].excluded] == [(winner, "a bug")]
    others = [one for one in after.pairs if one != pair]
    assert all(after.pairs[other].excluded == () and after.pairs[other].metrics == before.pairs[other].metrics
               for other in others)
    assert not any(one.changed or one.left_out for one in found.ranks if one.pair in others)
    gone = next(one for one in found.ranks if (one.pair, one.system) == (pair, winner))
    assert gone.left_out and gone.changed and gone.after is None and gone.before[0] == 1
    for one in found.ranks:
        if one.pair == pair and one.system != winner:
            row = next(row for row in after.pairs[pair].metrics["X"].systems if row.system == one.system)
            assert one.after == (row.rank_low, row.rank_high) and not one.left_out
    circle = {one.pair: one for one in found.circles}
    assert list(circle) == [*before.pairs, None] and circle[pair].changed
    assert circle[pair].after == tuple(row.system for row in after.pairs[pair].metrics["X"].systems
                                       if row.rank_low == 1)
    across = next(one for one in found.ranks if (one.pair, one.system) == (None, winner))
    assert across.after is None and not across.left_out  # it still has the other language pairs


def test_a_language_pair_that_lost_all_its_systems():
    task = made(missing=0)
    pair = list(task.testsets)[0]
    names = list(task.testsets[pair].systems)
    before = compare_task(task, "X", trials=99, resamples=99)
    after = compare_task(task, "X", trials=99, resamples=99, exclude=[TaskExclusion(name, "", pair) for name in names])
    found = ranks_before_after(before, after, "X")
    assert all(one.left_out for one in found.ranks if one.pair == pair)
    assert next(one for one in found.circles if one.pair == pair).after == ()
