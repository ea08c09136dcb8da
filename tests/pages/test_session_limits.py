"""What one session may ask of the server: counted before anything is drawn, and a message that
names the limit.
"""

import inspect
from math import prod

import pytest

from mtsig_core import SettingError, TestSet, compare_task
from mtsig_core.experiments.error_rates import claims, families, type_one, variants
from mtsig_core.experiments.inside_score import precisions, students_t
from mtsig_core.experiments.metric_agreement import agreement
from mtsig_core.experiments.sampling import conclusions, coverage, pair_tests, sampling
from mtsig_core.source import Source, TaskSource
from mtsig_core.stats.kept_tasks import KeptTask
from pages._ui import background, session_limits
from tests.builders.screens import words


def test_the_message_names_the_limit(monkeypatch):
    monkeypatch.setenv("MTSIG_MAX_DRAWS", "5000")
    monkeypatch.setenv("MTSIG_MAX_SWEEP", "5000")
    toy = TestSet("toy", {"A": ["a b c"] * 10, "B": ["a b"] * 10}, {"ref": ["a b c"] * 10})
    n = len(toy.systems) * toy.n_segments
    session_limits.check_draws(toy, 5000 // n)
    with pytest.raises(
        SettingError,
        match=r"systems x segments x resamples.* 5,000 \(MTSIG_MAX_DRAWS\).*command line",
    ):
        session_limits.check_draws(toy, 5000 // n + 1)
    with pytest.raises(SettingError, match="MTSIG_MAX_SWEEP"):
        session_limits.check_sweep(toy, [10, 1_000_000], 100)


def test_pairs_are_counted_where_segments_are_few(monkeypatch):
    """20,000 systems of 20 lines took 9 GB: of pairs, of which there are 200 millions."""
    many = TestSet("toy", {f"S{k}": ["a"] for k in range(448)}, {"ref": ["a"]})
    session_limits.check_draws(many.only(list(many.systems)[:447]), 9999)  # 99,681 pairs
    for draws in (1, 9999):
        with pytest.raises(
            SettingError, match=r"10,012,800,000 pairs .* 10,000,000,000 \(MTSIG_MAX_PAIRS"
        ):
            session_limits.check_draws(many, draws)
    with pytest.raises(SettingError, match="MTSIG_MAX_PAIRS"):
        session_limits.check_experiment(many, agreement, {})
    with pytest.raises(SettingError, match="MTSIG_MAX_PAIRS"):
        session_limits.check_sweep(many, [1, 1], 100)
    with pytest.raises(SettingError, match=f"asks for {3 * 45 * 10**5:,} pairs"):
        monkeypatch.setenv("MTSIG_MAX_PAIRS", str(2 * 45 * 10**5))
        session_limits.check_task({"en-de": (10, 1)}, ["en-de"] * 3, compare_task, {})


@pytest.mark.parametrize(
    ("function", "asked", "least"),
    [
        (type_one, {"n_pairs": 500}, 2 * 300 * 499 * 500),
        (coverage, {"repeats": 7}, 2 * 300 * 1000 * 7),
        (families, {}, 15 * 300 * 2999 * 300),
        (claims, {}, 15 * 300 * 4999 * 300),
        (variants, {}, 3 * 400 * 9999),
        (pair_tests, {}, 2 * 400 * 9999),
        (conclusions, {}, 3 * 400 * 1000),
        (students_t, {"resamples": 50}, 400 * 50),
        (sampling, {}, 3 * 400 * 1000),
        (agreement, {}, 3 * 400 * 2000),
        (precisions, {}, 0),
    ],
)
def test_experiments_are_counted_with_all_their_repeats(monkeypatch, function, asked, least):
    toy = TestSet("toy", {name: ["a"] * 400 for name in "ABC"}, {"ref": ["a"] * 400})
    monkeypatch.setenv("MTSIG_MAX_DRAWS", str(max(1, least)))
    session_limits.check_experiment(toy, function, asked)
    monkeypatch.setenv("MTSIG_MAX_DRAWS", str(max(1, least - 1)))
    for times in (1, 2)[: 2 * bool(least)]:
        with pytest.raises(
            SettingError, match=rf"asks for {times * least:,} systems x segments x resamples"
        ):
            session_limits.check_experiment(toy, function, asked, times)


@pytest.mark.parametrize(
    ("function", "constant"),
    [
        (type_one, "_NULL_SEGMENTS"),
        (coverage, "_SEGMENTS"),
        (families, "_FAMILY_SEGMENTS"),
        (variants, "_PAPER_SEGMENTS"),
    ],
)
def test_small_test_sets_are_as_large_as_experiments_draw_them(function, constant):
    assert session_limits.DRAWN[function.__name__] == getattr(inspect.getmodule(function), constant)


def test_language_pairs_are_counted_together(monkeypatch):
    sizes = {"en-de": (3, 100), "en-ja": (2, 50)}
    monkeypatch.setenv("MTSIG_MAX_DRAWS", "400000")
    session_limits.check_task(sizes, sizes, compare_task, {"trials": 1000, "resamples": 1000})
    with pytest.raises(
        SettingError, match="Fewer trials, systems, language pairs or metrics need less"
    ):
        session_limits.check_task(
            sizes, [*sizes, "en-ja"], compare_task, {"trials": 1000, "resamples": 1000}
        )
    with pytest.raises(SettingError, match="asks for 3,999,600 "):
        session_limits.check_task(sizes, sizes, compare_task, {})


def test_what_is_no_number_is_named(monkeypatch):
    assert session_limits.places() >= 1
    monkeypatch.setenv("MTSIG_JOBS", "many")
    with pytest.raises(SettingError, match="MTSIG_JOBS is 'many'"):
        session_limits.places()


@pytest.mark.parametrize(
    ("page", "asked", "variable", "most", "kind"),
    [
        ("trust", {"trials": "99"}, "MTSIG_MAX_DRAWS", 2 * 100 * 199 * 200 - 1, "type_one"),
        ("size", {"trials": "99", "drawn": "segment"}, "MTSIG_MAX_SWEEP", 1, "sweep_sizes"),
        ("results", {"shared_task": "task", "metric": "XCOMET"}, "MTSIG_MAX_DRAWS", 1, "task"),
        (
            "results",
            {"shared_task": "task", "metric": "XCOMET", "against": "MetricX-24"},
            "MTSIG_MAX_DRAWS",
            None,
            None,
        ),
    ],
)
def test_pages_say_so_before_they_begin(
    opened, folder, monkeypatch, page, asked, variable, most, kind
):
    begun, result = [], background.result
    monkeypatch.setattr(
        background, "result", lambda key, *more: begun.append(key[0]) or result(key, *more)
    )
    if most is None:  # as much as one metric asks for
        most = sum(map(prod, KeptTask(TaskSource(str(folder))).sizes.values())) * 9999
    monkeypatch.setenv(variable, str(most))
    app = opened(page, Source(demo=100), folder.parent if page == "results" else None, **asked)
    said = words(app)
    assert f"this server allows {most:,} ({variable})" in said and not app.exception
    assert kind not in begun if kind else begun.count("task") == 1
