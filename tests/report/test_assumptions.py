"""What was assumed when a test set was read stands in every export of a comparison."""

import json
from dataclasses import replace

import pytest

from mtsig_core import Comparison, Task, compare, read_scores
from mtsig_core.caution import Assumption
from mtsig_core.errors import SettingError
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.report.caution_kinds import ASSUMPTION_KINDS
from mtsig_core.report.caution_words import list_assumptions
from mtsig_core.report.experiment_reports import agreement_report
from mtsig_core.report.reports import render_report
from mtsig_core.score_names import check_settled
from pages._store.kept_sets import pack, unpack

SCORES = {
    name: [level + k % 3 / 10 for k in range(20)]
    for name, level in (("A", 0.5), ("B", 0.6), ("C", 0.7))
}
SAID = "As given, lower mine scores are better."


@pytest.fixture(scope="module")
def found():
    tables = {"mine": SCORES, "XCOMET": SCORES, "other": SCORES}
    return compare(
        read_scores(tables, ["mine"], name="toy"), ["mine", "XCOMET"], trials=99, resamples=99
    )


def test_it_is_known_of_each_score(found):
    assert tuple(map(str, found.testset.assumed)) == (
        SAID,
        "We assume that higher XCOMET scores are better, because of the name and the values (0.5 to 0.9).",
        "We assume that higher other scores are better.",
    )
    assert Comparison.from_json(found.render("json")) == found
    assert json.loads(found.render("json"))["testset"]["assumed"] == list(
        map(str, found.testset.assumed)
    )


#: An example of each code.
EXAMPLES = [
    Assumption(code, facts)
    for code, facts in {
        "direction-open": {"scores": [("mine", 0.1, 7)]},
        "direction-told": {"metric": "mine", "higher": False},
        "direction-known": {"metric": "mine", "higher": True, "low": 1, "high": 2},
        "direction-default": {"metric": "mine"},
        "ratings": {
            "metric": "mine",
            "langpair": "en-cs",
            "n_ratings": 9,
            "n_raters": 2,
            "per_segment": 1.5,
            "agreement": 0.5,
            "left_out": {"bad": 1},
        },
        "ratings-as-segments": {"metric": "mine"},
        "ratings-standardized": {"metric": "mine"},
        "failed-judgements": {"metric": "mine", "mark": -1.0, "n_failed": 4},
        "summary-rows": {
            "metric": "mine",
            "file": "t.csv",
            "rows": ["62"],
            "what": "the sums of the rows above",
        },
        "texts-aside": {
            "file": "t.csv",
            "columns": ["prompt (what a model was asked or answered)"],
        },
        "numbers-aside": {"file": "t.csv", "columns": ["COMET (numbers)"]},
        "outputs-unused": {"file": "modelA.jsonl"},
        "columns-aside": {"metric": "mine", "file": "t.csv", "columns": ["src_len (lengths)"]},
        "columns-renamed": {"metric": "mine", "file": "t.csv", "columns": ["A_mine as A"]},
        "line-ids": {"example": "utt-1", "moved": ["A.txt"]},
        "ratings-adjusted": {"metric": "mine", "n_raters": 2, "effects_sd": 4.5},
        "rater-links": {
            "metric": "mine",
            "langpair": "en-cs",
            "a": "A",
            "b": "B",
            "worth": 5.2,
            "widening": 1.13,
            "n_documents": 40,
        },
        "rater-favour": {"metric": "mine", "langpair": "en-cs", "detectable": 1.72, "p": 0.031},
        "rater-favour-untested": {
            "metric": "mine",
            "langpair": "",
            "reason": "power",
            "detectable": 9.3,
        },
        "mqm-weights": {
            "metric": "mine",
            "weights": [("major", 5), ("minor fluency/punctuation", 0.1)],
        },
        "withdrawn": {"table": "systems.tsv", "names": ["A", "B"]},
        "no-reference": {"n": 1, "segment": "1", "document": "d"},
        "pair-without-output": {"pair": "en-de"},
        "lines-from-zero": {"file": "ratings.csv"},
        "names-of-outputs": {"place": "system-outputs", "files": ["A.doc"], "n": 2},
        "pair-without-reference": {"pair": "en-de"},
        "no-language-pair": {"name": "en-x-y"},
        "references-of-others": {"pair": "en-de", "names": ["refA"], "used": ["refB"]},
        "as-written": {"text": "Was so."},
    }.items()
]


def test_each_code_has_words_and_belongs_somewhere():
    assert ASSUMPTION_KINDS.keys() == {one.code for one in EXAMPLES}
    assert all("{" not in one.text for one in EXAMPLES)
    for wrong in (
        {"code": "gone"},
        {"code": "withdrawn"},
        {"code": "withdrawn", "facts": {"names": ["A"]}},
    ):
        with pytest.raises(ValueError, match="or its facts are unknown"):
            Assumption(**wrong)


def test_nothing_goes_by_the_wording(found, monkeypatch, tmp_path, run):
    """What is read, told, exported and read again is the same whatever the sentences say."""
    for code, kind in ASSUMPTION_KINDS.items():
        monkeypatch.setitem(ASSUMPTION_KINDS, code, replace(kind, general=f"@{code}.", advice=""))
    info = replace(found.testset, assumed=EXAMPLES)
    told = list_assumptions(info.assumed, ["mine"])
    assert told == [f"@{one.code}." for one in EXAMPLES]
    assert list_assumptions(info.assumed, ["other"]) == [
        f"@{one.code}." for one in EXAMPLES if one.kind.leaves_out
    ]
    again = Comparison.from_json(replace(found, testset=info).render("json"))
    assert again.testset.assumed == tuple(EXAMPLES)
    with pytest.raises(SettingError, match=r"'mine' \(0.1 to 7\)"):
        check_settled("mine", info.assumed)
    for part in (
        "references/en-de.refA.txt",
        "system-outputs/en-de/A.txt",
        "system-outputs/en-cs/A.txt",
    ):
        (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / part).write_text("Ein Satz.\n" * 9)
    text = run("task --trials 99 --resamples 99 --folder", tmp_path).out
    assert "@pair-without-reference." in text


def test_it_is_kept_with_an_upload():
    testset = replace(read_scores({"mine": SCORES}), assumed=EXAMPLES)
    assert unpack(pack(testset), "toy").assumed == tuple(EXAMPLES)


@pytest.mark.parametrize("form", ["text", "csv", "latex", "html"])
def test_it_stands_in_every_export_for_the_metrics_compared(found, form):
    text = found.render(form)
    assert SAID in text and "higher XCOMET scores" in text and "other scores" not in text


def test_what_agrees_over_a_task_tells_it_of_the_scores_held_against_each_other():
    pair = read_scores({"mine": SCORES, "XCOMET": SCORES, "other": SCORES}, ["mine"], name="toy")
    left_out = Assumption("pair-without-reference", {"pair": "en-cs"})
    task = Task("toy", {"en-de": pair}, assumed=(left_out, *pair.assumed))
    text = render_report(
        agreement_report(task_agreement(task, "mine", ["XCOMET"], resamples=50)), "text"
    )
    assert text.endswith(
        f"\nExcluded: en-cs, which has outputs but no reference.\n{SAID}\nWe assume that higher "
        "XCOMET scores are better, because of the name and the values (0.5 to 0.9).\n"
    )
