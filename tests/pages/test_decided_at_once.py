"""Another alpha, correction, interval, rank rule or baseline starts no work: no job, no progress,
no draw.
"""

import pytest

from mtsig_core import compare
from mtsig_core.source import TaskSource
from mtsig_core.stats import across, comparison, engine
from mtsig_core.stats.across import compare_task
from mtsig_core.stats.kept_tasks import KeptTask
from pages._ui import background, result_cache, views
from tests.builders.cases import brief
from tests.builders.screens import NAMES

CHOICES = (
    {"alpha": "0.1"},
    {"correction": "bh"},
    {"ci": "basic"},
    {"look": "2/5"},
    {"rank_rule": "overlap"},
)


def start_nothing(patch):
    patch.setattr(
        background._SCHEDULER,
        "watch",
        lambda key, *args, **more: pytest.fail(f"a job starts: {key}"),
    )
    for module, name in ((comparison, "draw_metric"), (across, "draw_across")):
        patch.setattr(module, name, lambda *args, **more: pytest.fail("drawn again"))


@pytest.fixture
def seen(monkeypatch):
    """The results that pages have had, in turn."""
    had, decided_from = [], result_cache.decided_from

    def kept(*args, **more):
        had.append(decided_from(*args, **more))
        return had[-1]

    monkeypatch.setattr(result_cache, "decided_from", kept)
    return had


def choose(app, choice):
    ((key, value),) = choice.items()
    box = app.selectbox(key=key)
    box.set_value(type(box.value)(value)).run()


def chosen_in_turn(app, choices, monkeypatch, seen):
    """One choice after the other, each beside those before; all that is set, and what the page had
    before and after.
    """
    settings = {}
    for choice in choices:
        before = seen[-1]
        with monkeypatch.context() as patch:
            start_nothing(patch)
            choose(app, choice)
        settings |= {
            key: float(value) if key == "alpha" else value for key, value in choice.items()
        }
        yield settings, before, seen[-1]


def test_on_the_summary(opened, source, monkeypatch, seen):
    for choices in (CHOICES, [{"baseline": NAMES[1]}]):
        app = opened("summary", source, trials="999")
        for settings, before, found in chosen_in_turn(app, choices, monkeypatch, seen):
            expected = compare(source.read(), "bleu", trials=999, **settings)
            assert found.metrics["bleu"] == expected.metrics["bleu"] != before.metrics["bleu"]


def test_on_the_page_results(folder, monkeypatch, seen, compare_folder, open_task):
    app = open_task()
    for settings, before, found in chosen_in_turn(app, CHOICES, monkeypatch, seen):
        expected = compare_folder(["XCOMET"], **settings)
        assert (found.pairs, found.macro) == (expected.pairs, expected.macro)
        assert found.pairs != before.pairs


def test_in_a_review(folder, monkeypatch, seen):
    """It has the page's function, on the task with and without those who are left out."""
    kept, asked = KeptTask(TaskSource(str(folder))), {"trials": 999, "alpha": 0.05}
    cache = {}
    compare_task(kept, ["XCOMET"], cache=cache, **asked)
    monkeypatch.setattr(background, "result", lambda key, *args: ((("alpha", 0.05),), None, cache))
    start_nothing(monkeypatch)
    found = views.compare_by(kept, ["XCOMET"], asked | {"rank_rule": "wmt25"}, "")
    assert found.pairs["en-de_DE"].settings.rank_rule == "wmt25"
    assert seen == [found]


@pytest.mark.long
def test_so_many_pairs_that_not_all_are_kept_are_drawn_in_a_job(opened, source, monkeypatch, seen):
    """For another baseline, and never in the thread of the page."""
    monkeypatch.setattr(engine, "_MOST_KEPT", 100)
    app, jobs, watch = (
        opened("summary", source, trials="999", seed="5"),
        [],
        background._SCHEDULER.watch,
    )
    monkeypatch.setattr(
        background._SCHEDULER,
        "watch",
        lambda key, *more, **most: jobs.append(key) or watch(key, *more, **most),
    )
    choose(app, {"baseline": NAMES[1]})
    assert len(jobs) == 1
    assert seen[-1].settings.baseline == NAMES[1]
    choose(app, {"alpha": "0.1"})
    assert len(jobs) == 1
    assert seen[-1].settings.alpha == 0.1


@pytest.mark.parametrize(
    "page, asked",
    brief(
        1,
        [
            ("size", {"sizes": "ten sizes", "repeats": "100"}),
            ("sampling", {}),
            ("sampling", {"tab": "What each sample concludes"}),
            *(
                ("trust", {"experiment": name})
                for name in ("False alarms", "Coverage", "Many comparisons", "Calibration", "Power")
            ),
            ("trust", {"experiment": "Many comparisons", "tab": "Some systems are truly better"}),
        ],
    ),
)
def test_pages_that_run_experiments_open_with_their_figures(opened, monkeypatch, page, asked):
    start_nothing(monkeypatch)
    shown = opened(page, **asked)
    assert shown.get("plotly_chart")
