"""`score`: what `compare` and the command line say, without a test."""

import dataclasses
import json
import pickle

import pytest
from sacrebleu.metrics.bleu import BLEU

from mtsig_core import InputError, SegmentScores, SettingError, TestSet, compare, make_metric, read_scores
from mtsig_core.cli.main import main
from mtsig_core.errors import Cancelled
from mtsig_core.report.export import scores_csv, scores_json, scores_text
from mtsig_core.stats.score import score
from tests.report.test_html_report import Page
from tests.toys import texts

REFERENCE, (GOOD, BAD) = texts(seed=4, errors=[0.2, 0.4], n_segments=30)
TOY = TestSet("toy", {"bad": BAD, "good": GOOD}, {"ref": REFERENCE})


def test_scores_are_those_of_compare_and_of_sacrebleu():
    found = score(TOY, ["bleu", "ter"])
    tested = compare(TOY, ["bleu", "ter"], trials=99, resamples=50)
    for name, result in tested.metrics.items():
        assert {row.system: row.score for row in found.metrics[name].systems} == {
            row.system: row.score for row in result.systems}
        assert result.signature.startswith(found.metrics[name].signature + "|test:")
        assert found.metrics[name].higher_is_better == result.higher_is_better
    assert [row.system for row in found.metrics["bleu"].systems] == ["bad", "good"]  # as they came
    assert found.metrics["bleu"].systems[1].score == pytest.approx(BLEU().corpus_score(GOOD, [REFERENCE]).score)
    assert (found.testset, found.warnings) == (tested.testset, ())


def test_one_metric_needs_no_list():
    assert list(score(TOY, "chrf").metrics) == list(score(TOY, make_metric("chrf")).metrics) == ["chrf"]


@pytest.mark.parametrize("form, render", [
    ("text", scores_text), ("json", scores_json), ("csv", scores_csv)])
def test_the_command_line_writes_it_and_no_more(form, render, tmp_path, capsys):
    for name, lines in (("good", GOOD), ("bad", BAD), ("ref", REFERENCE)):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    assert main(["score", "--ref", str(tmp_path / "ref"), "--system", str(tmp_path / "bad"), "--system",
                 str(tmp_path / "good"), "--metrics", "bleu,chrf", "--format", form]) == 0
    assert capsys.readouterr() == (render(score(TOY, ["bleu", "chrf"])), "")


def test_json_keeps_every_digit():
    row = score(TOY).metrics["bleu"].systems[0]
    assert json.loads(scores_json(score(TOY)))["metrics"]["bleu"]["scores"]["bad"] == row.score


def test_warnings_of_metrics_come_before_those_of_texts():
    chinese = TestSet("toy", {"A": ["", *["今天的天气非常好"] * 5]}, {"ref": ["今天的天气非常好，我们去公园"] * 6})
    assert [caution.code for caution in score(chinese).warnings] == ["tokenizer-and-script", "empty-lines"]


def test_systems_with_ratings_alone_have_no_score_by_texts():
    ratings = {"A": [1.0, 2.0], "HUMAN-refB": [3.0, None]}
    rated = TestSet("toy", {"A": ["a b c d", "e"], "HUMAN-refB": [None, None]}, {"ref": ["a b c d", "e"]},
                    scores={"human": SegmentScores(ratings)})
    found = score(rated, ["bleu", "human"])
    assert [(name, row.system, row.score) for name, one in found.metrics.items() for row in one.systems] == [
        ("bleu", "A", 100.0), ("human", "A", 1.5), ("human", "HUMAN-refB", 3.0)]
    assert Page(found._repr_html_()).cells == ["A", "100.00", "1.50", "HUMAN-refB", "-", "3.00"]


def test_shown_in_a_notebook_in_a_line_and_as_a_frame():
    found = score(TestSet("toy", {"<b>": ["a b c d"]}, {"ref": ["a b c d"]}), ["bleu", "ter"])
    page = Page(found._repr_html_())
    assert page.cells == ["<b>", "100.00", "0.00"] and "tok:13a" in page.text and "tok:tercom" in page.text
    assert repr(found) == "<Scores on 'toy': 1 systems by bleu, ter>"
    frame = found.to_frame()
    assert frame.columns.tolist() == ["metric", "system", "score", "signature"]
    assert frame["score"].tolist() == [100.0, 0.0] and frame["metric"].tolist() == ["bleu", "ter"]


def test_frozen_and_picklable():
    found = score(TOY)
    assert pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.testset = None
    with pytest.raises(TypeError):
        found.metrics["bleu"] = None


@pytest.mark.parametrize("ask, said", [
    (lambda: score(TOY, ["blue"]), "Did you mean 'bleu'"), (lambda: score(TOY, []), "metrics are none"),
    (lambda: score(TOY, ["bleu", "bleu"]), "each only once"), (lambda: score(TOY).metrics["ter"], "Unknown metric"),
    (lambda: score(TestSet("toy", {}, {"ref": ["a"]})), "No system in toy. Give at least one output to score")])
def test_mistakes(ask, said):
    with pytest.raises((SettingError, InputError), match=said):
        ask()


def test_progress_names_the_metric_and_can_stop_the_work():
    stages = []

    def progress(stage, share):
        stages.append((stage, share))
        if stage.startswith("ter"):
            raise Cancelled

    new = TestSet("new", {"A": ["one two three"]}, {"ref": ["one two four"]})  # which nobody has counted before
    with pytest.raises(Cancelled):
        score(new, ["bleu", "ter"], progress=progress)
    assert stages == [("bleu: counting", 1.0), ("ter: counting", 1.0)]


def test_text_says_where_lower_is_better_and_what_was_assumed():
    assert "lower is better" not in scores_text(score(TOY)).lower()
    assert "\n\nLower is better.\nnrefs:1|" in scores_text(score(TOY, "ter"))
    rated = read_scores({"errors": {"A": [1.0, 2.0], "B": [2.0, 3.0]}})
    assert "\nAssumed: errors: higher is better, as nothing else was said.\n" in \
        scores_text(score(rated, "errors"))
