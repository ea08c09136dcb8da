"""The page Can I trust the test? without a browser."""

import threading
from functools import wraps
from types import SimpleNamespace

import pytest

from mtsig_core import compare
from mtsig_core.experiments import frame
from mtsig_core.experiments.error_rates import unit_changes
from mtsig_core.report import experiment_tables as tables
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.source import Source
from pages._sections import trust_sections
from pages._ui import background, charts
from tests.builders.cases import brief
from tests.builders.screens import arguments, copied, sentences, shows, words, written
from tests.builders.thread_workers import ThreadWorker


@pytest.fixture
def open_page(opened):
    return lambda source, **query: opened("trust", source, **{"pairs": "200", **query})


def test_systems_too_unlike_for_a_null_by_document(open_page):
    page = open_page(Source(demo=1000), b="Finnish")
    assert "Choose systems with closer scores" in words(page)
    assert "Too few simulations to tell: by segment" in words(page)


def command_of(page, name):
    return arguments(next(line for line in copied(page) if f"validate {name}" in line))


#: Command -> the experiment on the page, its function, what the page asks of it, its tables, and
#: how many figures.
SHOWN = {
    "type1": (
        {"experiment": "False alarms"},
        "type_one",
        {"n_pairs": 200},
        [tables.type_one_table],
        1,
    ),
    "conclusions": (
        {"experiment": "Power"},
        "conclusions",
        {},
        [
            lambda one: tables.conclusions_at_table(one, 100, False),
            lambda one: tables.conclusion_table(one, False),
        ],
        1,
    ),
    "calibration": (
        {"experiment": "Calibration"},
        "conclusions",
        {},
        [lambda one: tables.calibration_table(one, False)],
        1,
    ),
    "coverage": (
        {"experiment": "Coverage"},
        "coverage",
        {"repeats": 200},
        [tables.coverage_table],
        1,
    ),
    "families": ({"experiment": "Many comparisons"}, "families", {}, [tables.family_table], 1),
    "claims": (
        {"experiment": "Many comparisons", "tab": "Some systems are truly better"},
        "claims",
        {},
        [tables.claim_table],
        2,
    ),
}


@pytest.mark.parametrize("name", brief(2, SHOWN))
def test_an_experiment_is_shown_as_the_core_has_it(open_page, name):
    query, function, asked, shown, figures = SHOWN[name]
    page = open_page(Source(demo=240), **query, alpha="0.1", seed="3")
    one = getattr(trust_sections, function)(load_demo(240), "bleu", alpha=0.1, seed=3, **asked)
    assert all(shows(page, table(one)) for table in shown)
    assert len(page.get("plotly_chart")) == figures
    command = command_of(page, name)
    assert command[command.index("--alpha") + 1] == "0.1"
    assert command[command.index("--seed") + 1] == "3"


def test_the_headline_of_power_counts_the_findings_that_agree(open_page):
    said = words(open_page(Source(demo=240), experiment="Power", alpha="0.1", seed="3"))
    one = trust_sections.conclusions(load_demo(240), "bleu", alpha=0.1, seed=3)
    _, right = one.totals(trust_sections._default_size(one))
    assert right.n
    assert f"{right.count} of these {right.n} findings agree with the whole" in said


@pytest.mark.long
@pytest.mark.parametrize(
    "experiment, works, so_far, figures",
    [
        ("False alarms", [(trust_sections, "type_one")], ["8 of 50", "16 of 50", "32 of 50"], 1),
        ("Power", [(trust_sections, "conclusions")], ["8 of 12"], 1),
    ],
)
def test_the_first_picture_grows_and_is_no_result(
    open_page, monkeypatch, experiment, works, so_far, figures
):
    """The work goes on once the page has drawn what is there."""
    grown, seen, draw = [], threading.Semaphore(0), charts.grow

    def slowly(whole):
        @wraps(whole)
        def work(*args, watch, **asked):
            def told(*parts):
                watch(*parts)
                assert seen.acquire(timeout=300)

            return whole(*args, watch=told, **asked)

        return work

    def grow(figure, key, alt):
        draw(figure, key, alt)
        grown.append((alt, len(figure().data)))
        seen.release()

    for module, name in works:
        monkeypatch.setattr(module, name, slowly(getattr(module, name)))
    monkeypatch.setattr(frame, "_FIRST", 8)
    monkeypatch.setattr(background, "PATIENCE", 0)
    monkeypatch.setattr(background._SCHEDULER, "pool", ThreadWorker)
    monkeypatch.setattr(charts, "grow", grow)
    page = open_page(
        Source(demo=900 if experiment == "Power" else 240), experiment=experiment, seed="11"
    )
    things = {"Power": "samples of all sizes"}.get(experiment, "simulations")
    assert [alt for alt, _ in grown] == [f"{text} {things} so far." for text in so_far]
    assert all(n for _, n in grown)
    assert "so far" not in words(page)
    assert len(page.get("plotly_chart")) == figures


def test_units_on_screen_are_those_of_the_core_and_of_compare(open_page):
    page = open_page(Source(demo=240), experiment="Units", correction="holm", trials="1999")
    one = unit_changes(load_demo(240), "bleu", trials=1999)
    assert shows(page, tables.unit_table(one))
    assert shows(page, tables.changed_table(one, "holm"))
    row = one.row("holm")
    for unit, n in (
        ("segment", row.both + row.segment_only),
        ("document", row.both + row.document_only),
    ):
        found = compare(load_demo(240), unit=unit, correction="holm", trials=1999)
        assert sum(pair.significant for pair in found.metrics["bleu"].pairs) == n
    assert command_of(page, "units")
    assert command_of(page, "changed-pairs")
    lost = row.segment_only
    said = f"{lost} of " if lost else "All of "
    assert f"{said}{row.both + lost} significant pairs by segment are " in words(page)
    assert ("not significant by document" in words(page)) == bool(lost)


def test_coverage_says_why_intervals_by_document_fall_short(open_page):
    page = open_page(Source(demo=120), experiment="Coverage", seed="3")
    one = trust_sections.coverage(load_demo(120), "bleu", seed=3, repeats=200)
    covered = [
        row.covered
        for row in one.rows
        if (row.sampled, row.unit, row.kind, row.quantity)
        == ("document", "document", "percentile", "score")
    ]
    assert covered
    assert covered[0].high < 0.95  # else this shows nothing
    assert (
        f"Percentile intervals of {one.n_documents} documents are too short, because few documents"
        in words(page)
    )


def test_calibration_speaks_of_wins_and_not_of_confidence(open_page):
    said = words(open_page(Source(demo=240), experiment="Calibration"))
    assert "wins at least 95% of a sample&#x27;s resamples" in said
    assert "confidence" not in said.partition("<table")[0]


@pytest.fixture
def texts(tmp_path):
    """A test set of 60 lines and some systems."""

    def make(names, documents=None):
        ref = sentences(60)
        return written(
            tmp_path,
            ref,
            [
                [text.replace("small", name) if k % (3 + j) else text for k, text in enumerate(ref)]
                for j, name in enumerate(names)
            ],
            documents,
            names,
        )

    return make


@pytest.mark.parametrize("experiment", ["False alarms", "Units", "Calibration", "Power"])
def test_few_lines_without_documents(open_page, texts, experiment):
    page = open_page(texts("AB"), experiment=experiment)
    none = "60 segments give no two samples of 100"
    reason = {"Power": none, "Calibration": none, "Units": "has no document ids"}
    assert reason.get(experiment, "Numbers as CSV") in words(page) + "".join(
        e.proto.label for e in page.get("download_button")
    )


def test_documents_that_are_too_few_to_reject_anything(open_page, texts):
    page = open_page(
        texts("AB", ["b" if k % 4 == 0 and k % 3 else f"d{k % 4}" for k in range(60)]),
        experiment="False alarms",
    )
    assert "With 5 documents, a test by document can never be significant" in words(page)


def test_few_documents_are_warned_of(open_page, texts):
    page = open_page(texts("AB", [f"d{k // 20}" for k in range(60)]), experiment="Units")
    assert "3 documents are few" in words(page)
    assert "here 0.25" in words(page)


def rate_of(count, n=1000):
    return frame.rate(count, n)


@pytest.mark.parametrize(
    "segment, document, n, said",
    [
        (
            120,
            46,
            1000,
            [
                "by segment gives 12.0% false alarms, more than promised (5%)",
                "4.6% false alarms, within chance of the promised 5%",
            ],
        ),
        (
            50,
            51,
            1000,
            [
                "5.0% false alarms, within chance of the promised 5%",
                "5.1% false alarms, within chance of the promised 5%",
            ],
        ),
        (
            2,
            3,
            50,
            [
                "Too few simulations to tell",
                "4.0% of 50 are false alarms (95% CI 1.1% to 13.5%)",
                "6.0% of 50",
            ],
        ),
        (120, 90, 1000, ["by document gives 9.0% false alarms, more than promised (5%)"]),
    ],
)
def test_the_headline_says_what_the_simulations_can_tell(segment, document, n, said):
    rows = {
        ("segment", "segment"): rate_of(50),
        ("document", "segment"): rate_of(segment, n),
        ("document", "document"): rate_of(document, n),
    }
    one = SimpleNamespace(
        n_documents=110, row=lambda what, unit, test: SimpleNamespace(rejected=rows[what, unit])
    )
    headline = trust_sections._describe_false_alarms(one, 0.05)
    assert all(text in headline for text in said)
    assert ("too few" in headline.lower()) == (n == 50)


def test_coverage_that_is_less_than_promised_is_said():
    view = SimpleNamespace(alpha=0.05, level="95%")
    rows = [SimpleNamespace(covered=rate_of(count)) for count in (950, 780, 890)]
    said = trust_sections._describe_coverage(view, rows)
    assert "78% of the time, not 95%. " in said
    assert said.endswith("By document: 89%, not 95%")


@pytest.mark.parametrize(
    "counts, rises",
    [((500, 700, 990, 985), True), ((500, 700, 600, 990), False), ((500, 510), False)],
)
def test_a_dip_within_chance_does_not_hide_that_more_wins_agree_more_often(counts, rises):
    levels = [SimpleNamespace(low=k, right=rate_of(count)) for k, count in enumerate(counts)]
    assert trust_sections._rises(levels) == rises
