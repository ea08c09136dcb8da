"""The page Can I trust the test? without a browser."""

from types import SimpleNamespace

import pytest

from mtsig_core.experiments import frame
from mtsig_core.experiments.error_rates import unit_changes
from mtsig_core.report import experiment_tables as tables
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.source import Source
from pages._sections import trust_sections
from tests.builders.cases import brief
from tests.builders.growing import follow_growth
from tests.builders.screens import arguments, copied, joined, sentences, shows, words, written


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
            lambda one: tables.conclusions_at_table(one, 100),
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
def test_an_experiment_is_shown_as_the_core_has_it(name, open_page):
    query, function, asked, shown, figures = SHOWN[name]
    page = open_page(Source(demo=240), **query, alpha="0.1", seed="3")
    result = getattr(trust_sections, function)(load_demo(240), "bleu", alpha=0.1, seed=3, **asked)
    for make_table in shown:
        assert shows(page, make_table(result))
    assert len(page.get("plotly_chart")) == figures
    assert {"--alpha=0.1", "--seed=3"} <= joined(command_of(page, name))


def test_the_headline_of_power_counts_the_findings_that_agree(open_page):
    said = words(open_page(Source(demo=240), experiment="Power", alpha="0.1", seed="3"))
    one = trust_sections.conclusions(load_demo(240), "bleu", alpha=0.1, seed=3)
    _, right = one.totals(trust_sections._default_size(one))
    assert right.n
    assert f"{right.count} of these {right.n} findings agree with the whole" in said


@pytest.mark.long
@pytest.mark.parametrize(
    "experiment, demo, work, told",
    [
        ("False alarms", 240, "type_one", [f"{k} of 50 simulations" for k in (8, 16, 32)]),
        ("Power", 900, "conclusions", ["8 of 12 samples of all sizes"]),
    ],
)
def test_the_first_picture_grows_and_is_no_result(
    monkeypatch, experiment, demo, work, told, open_page
):
    """The work goes on once the page has drawn what is there."""
    grown = follow_growth(monkeypatch, trust_sections, work)
    monkeypatch.setattr(frame, "_FIRST", 8)
    page = open_page(Source(demo=demo), experiment=experiment, seed="11")
    assert [alt for _, alt in grown] == [f"{text} so far." for text in told]
    assert all(figure.data for figure, _ in grown)
    assert "so far" not in words(page)
    assert len(page.get("plotly_chart")) == 1


def test_units_on_screen_are_those_of_the_core(open_page):
    page = open_page(Source(demo=240), experiment="Units", correction="holm", trials="1999")
    result = unit_changes(load_demo(240), "bleu", trials=1999)
    assert shows(page, tables.unit_table(result))
    assert shows(page, tables.changed_table(result, "holm"))
    assert command_of(page, "units")
    assert command_of(page, "changed-pairs")
    row = result.row("holm")
    lost = row.segment_only
    said = f"{lost} of " if lost else "All of "
    assert f"{said}{row.both + lost} significant pairs by segment are " in words(page)
    assert ("not significant by document" in words(page)) == bool(lost)


def test_calibration_speaks_of_wins_and_not_of_confidence(open_page):
    said = words(open_page(Source(demo=240), experiment="Calibration"))
    assert "wins at least 95% of a sample&#x27;s resamples" in said
    assert "confidence" not in said.partition("<table")[0]


@pytest.fixture
def texts(tmp_path):
    """A test set of 60 lines and two systems."""

    def make(documents=None):
        ref = sentences(60)
        a = [text.replace("small", "A") if k % 3 else text for k, text in enumerate(ref)]
        b = [text.replace("small", "B") if k % 4 else text for k, text in enumerate(ref)]
        return written(tmp_path, ref, (a, b), documents, "AB")

    return make


NO_SAMPLES = "Too few segments for two samples of 100: 60"


@pytest.mark.parametrize(
    "experiment, said",
    [
        ("False alarms", "Numbers as CSV"),
        ("Units", "has no document ids"),
        ("Calibration", NO_SAMPLES),
        ("Power", NO_SAMPLES),
    ],
)
def test_few_lines_without_documents(texts, experiment, said, open_page):
    page = open_page(texts(), experiment=experiment)
    labels = [element.proto.label for element in page.get("download_button")]
    assert said in "\n".join([words(page), *labels])


def test_documents_that_are_too_few_to_reject_anything(texts, open_page):
    documents = ["b" if k % 4 == 0 and k % 3 else f"d{k % 4}" for k in range(60)]
    page = open_page(texts(documents), experiment="False alarms")
    assert "With 5 documents, a test by document can never be significant" in words(page)


def test_few_documents_are_warned_of(texts, open_page):
    page = open_page(texts([f"d{k // 20}" for k in range(60)]), experiment="Units")
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
                "4.6% false alarms, consistent with 5%",
            ],
        ),
        (
            50,
            51,
            1000,
            [
                "5.0% false alarms, consistent with 5%",
                "5.1% false alarms, consistent with 5%",
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
    rates = [rate_of(count) for count in (950, 780, 890)]
    said = trust_sections._describe_coverage(view, rates)
    assert "78.0% of the time, not 95%, because segments of a document are alike. " in said
    assert said.endswith("By document: 89.0% of the time, not 95%")
