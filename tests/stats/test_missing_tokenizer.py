"""A tokenizer that is not installed costs a task one metric of one language pair, which is said;
not the whole task.
"""

import pytest
from sacrebleu.tokenizers import tokenizer_ja_mecab

from mtsig_core import SettingError, TestSet, compare, compare_task
from mtsig_core.experiments.integrity import examine_integrity, examine_task
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.experiments.rankings import autorank
from mtsig_core.metrics import tokenizers
from mtsig_core.report.experiment_reports import autorank_report
from mtsig_core.report.integrity_reports import integrity_report
from mtsig_core.report.reports import render_report
from mtsig_core.task import Task
from mtsig_core.testset import SegmentScores
from tests.builders.rendered import task_document
from tests.builders.results import list_codes, select_cautions

QUICK = {"trials": 99, "resamples": 50}
INSTALL = 'pip install "sacrebleu[ja]"'


@pytest.fixture(autouse=True)
def no_mecab(monkeypatch):
    """As where the package of the Japanese tokenizer is not installed; nothing of it is kept before
    or after.
    """
    monkeypatch.setattr(tokenizer_ja_mecab, "MeCab", None)
    tokenizers.make_tokenizer.cache_clear()
    yield
    tokenizers.make_tokenizer.cache_clear()


def texts(langpair):
    reference = [f"one line of text number {k} of this set" for k in range(40)]
    systems = {
        name: [
            line.replace(" of", " by") if k % every == 0 else line
            for k, line in enumerate(reference)
        ]
        for name, every in (("A", 4), ("B", 3), ("C", 2))
    }
    human = SegmentScores(
        {name: [90.0 - 5 * n + k % 3 for k in range(40)] for n, name in enumerate(systems)}
    )
    return TestSet(
        f"set {langpair}",
        systems,
        {"ref": reference},
        langpair=langpair,
        scores={"human": human},
        documents=[f"d{k // 4}" for k in range(40)],
    )


@pytest.fixture
def task():
    return Task("toy", {pair: texts(pair) for pair in ("en-de", "en-ja")})


def test_a_task_is_compared_without_it_and_says_so(task):
    found = compare_task(task, ["bleu", "chrf"], **QUICK)
    assert [*found.pairs["en-de"].metrics] == ["bleu", "chrf"] and [
        *found.pairs["en-ja"].metrics
    ] == ["chrf"]
    assert [*found.macro] == ["chrf"]
    [caution] = select_cautions(found, "tokenizer-missing")
    assert caution.text == (
        "BLEU scores are missing for en-ja: the tokenizer ja-mecab needs a package that is not installed. "
        f"Install it with: {INSTALL}."
    )
    for form in ("text", "html", "latex", "json"):
        document = task_document(form, found, "mtsig task --demo-task")
        assert "BLEU scores are missing for en-ja" in document


def test_the_numbers_of_the_other_language_pairs_are_those_of_a_whole_task(task):
    found = compare_task(task, "bleu", **QUICK)
    alone = compare(task.testsets["en-de"], "bleu", **QUICK)
    assert found.pairs["en-de"].metrics["bleu"].pairs == alone.metrics["bleu"].pairs
    assert [*found.pairs] == ["en-de"]


def test_where_nothing_is_left_the_error_says_what_to_install(task):
    only = Task("toy", {"en-ja": task.testsets["en-ja"]})
    with pytest.raises(
        SettingError,
        match="needs the extra 'ja', which is not installed. Install it with: pip install",
    ):
        compare_task(only, "bleu", **QUICK)


def test_agreement_takes_the_metrics_that_all_language_pairs_have(task):
    found = task_agreement(task, "human", trials=99, resamples=50)
    assert {one.metric for one in found.metrics} == {"chrf", "ter"}
    [caution] = select_cautions(found.pairs["en-ja"], "tokenizer-missing")
    assert caution.metric == "bleu" and INSTALL in caution.text


def test_integrity_has_all_but_cross_bleu(task):
    found = examine_task(task, "chrf")
    assert found.pairs["en-de"].median_cross_bleu is not None and not found.pairs["en-de"].warnings
    japanese = found.pairs["en-ja"]
    assert japanese.median_cross_bleu is None and japanese.systems[0].equal_to_reference == {
        "ref": 30
    }
    assert list_codes(japanese) == ["tokenizer-missing"]
    for form in ("text", "json", "latex"):
        assert "BLEU scores are missing for set en-ja" in render_report(
            integrity_report(found), form
        )
    assert [one.metric for one in examine_integrity(task.testsets["en-ja"], "bleu").warnings] == [
        "bleu"
    ]


def test_autorank_takes_the_other_metrics(task):
    found = autorank(task, ["bleu", "chrf"], resamples=20)
    assert found.pairs["en-de"].metrics == ("bleu", "chrf") and found.pairs["en-ja"].metrics == (
        "chrf",
    )
    assert [one.metric for one in found.pairs["en-ja"].warnings] == ["bleu"]
    for form in ("text", "json", "latex"):
        assert "BLEU scores are missing for en-ja" in render_report(autorank_report(found), form)
    with pytest.raises(SettingError, match=r"Install it with: pip install"):
        autorank(task, ["bleu"], resamples=20)
