"""What texts are split with: the choice of a metric, of a test set or by language; where it cuts no
words.
"""

from dataclasses import fields as fields_of
from dataclasses import replace
from itertools import product

import pytest
from sacrebleu.metrics import BLEU

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.languages import find_spaceless
from mtsig_core.metrics import METRICS, find_tokenizer, make_metric, resolve_metric
from mtsig_core.stats.cautions import about_metrics
from tests.builders import skeleton
from tests.builders.toys import SPACELESS

WESTERN = [
    "Der Name Beijing (北京) bedeutet nördliche Hauptstadt.",
    "Ein Satz ohne fremde Zeichen.",
    "Москва",
] * 4


def of_language(language, **more):
    texts = SPACELESS.get(language, WESTERN)
    return TestSet("toy", {"A": [text[:-3] + text[-1] for text in texts]}, {"ref": texts}, **more)


def codes(testset, metric):
    tokenizer = find_tokenizer(resolve_metric(testset, metric), testset)
    return {caution.code: caution.facts for caution in about_metrics(testset, {metric: tokenizer})}


def test_a_set_without_a_choice_has_the_digest_it_always_had():
    toy = TestSet("toy", {"A": ["a b"]}, {"ref": ["a c"]}, langpair="en-zh")
    assert toy.digest == "7c38262b9b40a7c3cdc7abc6348f609b"
    assert (
        replace(toy, tokenizer="char").digest != replace(toy, tokenizer="zh").digest != toy.digest
    )


@pytest.mark.parametrize(
    "name",
    [
        *(name for name in METRICS if name not in ("chrf", "chrf++", "ter", "dep-f")),
        skeleton.NAME,
    ],
)
def test_setting_then_set_then_language(name, monkeypatch):
    skeleton.register(monkeypatch)
    toy = of_language("zh", langpair="en-zh")
    chosen = replace(toy, tokenizer="char")
    said = [
        resolve_metric(toy, name).signature(toy),
        resolve_metric(chosen, name).signature(chosen),
        resolve_metric(chosen, name, tokenize="intl").signature(chosen),
    ]
    assert ["|tok:zh|" in said[0], "|tok:char|" in said[1], "|tok:intl|" in said[2]] == [True] * 3


def test_no_signature_has_two_scores(monkeypatch):
    """Whatever changes the score is in the signature: every metric, tokenizer without a dictionary,
    and switch.
    """
    skeleton.register(monkeypatch)
    texts = [
        "The Cat's on the mat, 1,000.5 times!",
        "He said: «no» (twice).",
        '"Why" not? a-b',
        "价格是 5 元。",
    ] * 2
    said = [
        "the cat is On the mat, 1,000.5 Times",
        "He said: no, (twice)!",
        "Why not? a b",
        "价格 5 元",
    ] * 2
    toys = [
        TestSet(
            "toy", {"A": said[:n]}, {"ref": texts[:n], "other": [*said[1:n], None]}
        ).scored_with(refs)
        for n, refs in ((8, ["ref"]), (8, ["ref", "other"]))
    ]
    found = {}
    for name in METRICS:
        metric = make_metric(name)
        if name == "dep-f":  # needs parses
            continue
        fields = {field.name for field in fields_of(metric)}
        choices = [
            fields & {"tokenize"} and (None, "intl", "char"),
            *[(False, True) for _ in sorted(fields - {"tokenize"})],
        ]
        for values in product(*[choice or (None,) for choice in choices]):
            asked = dict(zip(("tokenize", *sorted(fields - {"tokenize"})), values, strict=True))
            try:
                metric = make_metric(name, **asked)
                scores = [
                    (
                        metric.signature(toy),
                        float(metric.score(metric.statistics(toy).sum(axis=1))[0]),
                    )
                    for toy in toys
                ]
            except (
                SettingError
            ):  # switches that exclude each other, tokenizers that a metric does not take
                continue
            for signature, score in scores:
                found.setdefault((name, signature), set()).add(round(score, 9))
    assert len(found) > 80
    assert {key: scores for key, scores in found.items() if len(scores) > 1} == {}


@pytest.mark.parametrize(
    "language, tokenizer",
    [
        ("zh", "zh"),
        ("ja", "ja-mecab"),
        ("ja", "char"),
        ("ko", "ko-mecab"),
        ("th", "char"),
        ("zh", "13a"),
    ],
)
def test_bleu_is_sacrebleus_with_that_tokenizer(language, tokenizer):
    toy = of_language(language, tokenizer=tokenizer)
    theirs = (
        BLEU(tokenize=tokenizer)
        .corpus_score(list(toy.systems["A"]), [list(toy.references["ref"])])
        .score
    )
    result = compare(toy, trials=99, resamples=50).metrics["bleu"]
    assert (
        result.systems[0].score == pytest.approx(theirs, abs=1e-9) and result.tokenizer == tokenizer
    )


@pytest.mark.parametrize(
    "language, proposed",
    [
        ("zh", "zh or char"),
        ("ja", "ja-mecab or char"),
        ("ko", "ko-mecab or char"),
        *((code, "char or flores200") for code in ("th", "km", "lo", "my", "bo")),
    ],
)
def test_a_language_without_spaces_and_13a(language, proposed):
    facts = codes(of_language(language), "bleu")["tokenizer-and-script"]
    assert facts == {
        "language": language,
        "tokenizer": "13a",
        "better": tuple(proposed.split(" or ")),
    }
    assert not codes(of_language(language, tokenizer=proposed.split()[0]), "bleu")
    assert not codes(of_language(language, tokenizer="flores200"), "bleu")
    assert not codes(of_language(language), "chrf")
    assert codes(of_language(language), "ter")["tokenizer-and-script"]["tokenizer"] == "tercom"


@pytest.mark.parametrize(
    "langpair, tokenizer",
    [
        ("eng-zho", "zh"),
        ("en-cmn", "zh"),
        ("eng_Latn-zho_Hans", "zh"),
        ("eng_Latn-yue_Hant", "zh"),
        ("en-zh-Hant-TW", "zh"),
        ("eng-jpn", "ja-mecab"),
        ("eng_Latn-jpn_Jpan", "ja-mecab"),
        ("eng-kor", "ko-mecab"),
        ("eng_Latn-kor_Hang", "ko-mecab"),
        ("eng_Latn-zho_Latn", "13a"),
        ("zho_Hans-eng_Latn", "13a"),
        ("eng-deu", "13a"),
        ("en-uk", "13a"),
        ("eng-tha", "13a"),
    ],
)
def test_codes_of_three_letters_and_scripts(langpair, tokenizer):
    assert (
        find_tokenizer(resolve_metric(toy := of_language("zh", langpair=langpair), "bleu"), toy)
        == tokenizer
    )


def test_no_warning_elsewhere():
    assert find_spaceless(WESTERN) is None and not codes(of_language("de"), "bleu")
    assert not codes(of_language("zh", langpair="en-zh_TW"), "bleu")
    assert codes(of_language("ja", langpair="en-zh"), "bleu")
