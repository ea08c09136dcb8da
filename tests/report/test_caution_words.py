"""The words of warnings: each code with facts, which the text has to tell."""

import json

import pytest

from mtsig_core.caution import Caution
from mtsig_core.metrics import metric_title
from mtsig_core.report.caution_kinds import ASSUMPTION_KINDS, CAUTION_KINDS
from mtsig_core.report.caution_words import (
    advise_trust,
    caution_record,
    describe_rank_disagreement,
)

PART = {"first": 1, "last": 1000}
MARKS = {
    "sort": "marks",
    "n": 60,
    "n_lines": 60,
    "marks": [("start", "<s> ")],
    "example": "<s> Ein Haus.",
}
TRUST = {"unlike": (), "n_others": 2, "ratio": None, "needed": None, "unit": "segment"}
SKEWED = {
    "systems": ("A", "D"),
    "unit": "document",
    "n": 60,
    "first": "A",
    "is_worse": True,
    "n_far": 3,
    "share": 0.7134,
    "named": ("d7", "d12", "d31"),
}
PAIR = {"metric": "bleu", "a": "A", "b": "B"}

#: Each code, more than once where its words differ.
CAUTIONS = [
    Caution("is-source", a="A"),
    Caution("other-script", {"language": "zh", "expected": None}, a="A"),
    Caution("other-script", {"language": None, "expected": "zh"}, a="A"),
    Caution("other-order", {"reference": "refA", "shift": -1, "same_as": None, **PART}, a="A"),
    Caution(
        "other-order",
        {"reference": "refA", "shift": None, "same_as": "B", **PART},
        a="A",
    ),
    Caution("reference-order", {"reference": "refA", **PART}),
    Caution("marked-lines", MARKS, a="A"),
    Caution("marked-lines", {**MARKS, "sort": "spaces"}, a="A"),
    Caution("marked-reference", {"reference": "refA", **MARKS, "sort": "entities"}),
    Caution(
        "made-from-output",
        {
            "reference": "refA",
            "n": 400,
            "n_lines": 1200,
            "next_system": "B",
            "n_next": 31,
            "has_others": False,
        },
        a="A",
    ),
    Caution("canary", {"line": 1}),
    Caution("documents-in-domains", {"documents": ("d1", "d2"), "n_documents": 40}),
    Caution("all-empty", {"role": "System", "n": 1200}, a="A"),
    Caution("empty-lines", {"role": "Reference", "n": 2, "n_present": 400, "line": 7}, a="refA"),
    Caution("odd-length", {"ratio": 0.31, "reference": "refA"}, a="A"),
    Caution("one-system", a="A"),
    Caution("rank-rule-of-ratings", {"rule": "wmt25", "per_segment": 1.98}, "ESA"),
    Caution(
        "domains-of-systems",
        {"rule": "wmt24", "systems": ("A", "B"), "domains": ("news", "speech")},
        "ESA",
    ),
    Caution(
        "faulty-lines",
        {"sort": "repeated", "n": 30, "n_lines": 600, "line": 1, "example": "I cannot"},
        a="A",
    ),
    Caution(
        "faulty-lines",
        {"sort": "script", "n": 30, "n_lines": 600, "line": 1, "example": "I cannot"},
        a="A",
    ),
    Caution(
        "few-faulty-lines",
        {"sort": "copies", "n": 6, "n_lines": 600, "line": 1, "example": "I cannot"},
        a="A",
    ),
    Caution(
        "few-faulty-lines",
        {"sort": "entities", "n": 6, "n_lines": 600, "line": 1, "example": "&amp;"},
        a="A",
    ),
    Caution(
        "other-characters",
        {
            "sort": "composition",
            "systems": ("A", "B"),
            "metric": "bleu",
            "worst": "A",
            "before": 43.9,
            "after": 68.5,
            "line": 2,
            "ours": "a",
            "theirs": "b",
        },
    ),
    Caution(
        "some-characters",
        {
            "sort": "quotes",
            "systems": ("A",),
            "metric": "chrf",
            "worst": "A",
            "before": 43.9,
            "after": 44.9,
            "line": None,
            "ours": "",
            "theirs": "",
        },
        a="A",
    ),
    Caution(
        "other-characters",
        {
            "sort": "width",
            "systems": ("A",),
            "metric": "bleu",
            "worst": "A",
            "before": 43.9,
            "after": 68.5,
            "line": 2,
            "ours": "a",
            "theirs": "b",
        },
        a="A",
    ),
    Caution(
        "other-characters",
        {
            "sort": "alphabet",
            "systems": ("A",),
            "metric": "bleu",
            "worst": "A",
            "before": 0.0,
            "after": 68.5,
            "line": 2,
            "ours": "a",
            "theirs": "b",
        },
        a="A",
    ),
    Caution("other-chinese", {"ours": "simplified", "theirs": "traditional"}, a="A"),
    Caution(
        "tokenizer-missing",
        {"pair": "en-ja", "tokenizer": "ja-mecab", "package": '"sacrebleu[ja]"'},
        "bleu",
    ),
    Caution("baseline-missing", {"pair": "en-ja", "baseline": "old"}, "bleu"),
    Caution(
        "tokenizer-and-script",
        {"language": "zh", "tokenizer": "13a", "better": ("zh", "char")},
        "bleu",
    ),
    Caution(
        "tokenizer-and-script",
        {"language": "zh", "tokenizer": "tercom", "better": ("zh", "char")},
        "ter",
    ),
    Caution("no-documents", {"has_texts": True}),
    Caution("one-segment-documents", {"n": 1200}),
    Caution(
        "copied-segments",
        {
            "n": 300,
            "n_segments": 400,
            "line": 104,
            "first_line": 4,
            "unit": "segment",
            "worth": 99.7,
            "n_units": 400,
            "has_sources": True,
            "has_references": True,
        },
    ),
    Caution(
        "copied-segments",
        {
            "n": 1,
            "n_segments": 400,
            "line": 104,
            "first_line": 4,
            "unit": "block",
            "worth": 9.7,
            "n_units": 40,
            "has_sources": False,
            "has_references": True,
        },
    ),
    Caution("blocks-for-documents"),
    Caution("documents-ignored", {"n_documents": 40, "enough": True, "se_ratio": 1.314}),
    Caution("documents-ignored", {"n_documents": 4, "enough": False, "se_ratio": None}),
    Caution("few-units", {"unit": "document", "n": 14, "worth": 7.2, "has_interval": True}),
    Caution("few-units", {"unit": "segment", "n": 1, "worth": 1.0, "has_interval": False}, "human"),
    Caution("test-as-published", {"test": "koehn"}),
    Caution("test-assumes", {"test": "t"}),
    Caution("test-needs-units", {"test": "bootstrap"}),
    Caution(
        "skewed-system",
        {**SKEWED, "lost": (("A", "B"), ("A", "C")), "n_found": 5, "n_other": 3, "test": "ar"},
        "bleu",
    ),
    Caution(
        "skewed-system", {**SKEWED, "lost": (), "n_found": 5, "n_other": 5, "test": "ar"}, "bleu"
    ),
    Caution(
        "skewed-system", {**SKEWED, "lost": (), "n_found": 5, "n_other": 6, "test": "ar"}, "bleu"
    ),
    Caution(
        "skewed-system",
        {**SKEWED, "lost": (), "n_found": 0, "n_other": None, "test": "bootstrap-t"},
        "bleu",
    ),
    Caution("reference-among-systems", {"reference": "refA", "has_others": True}, a="A"),
    Caution(
        "references-disagree",
        {
            "top_group": ("A",),
            "n_segments": 400,
            "leads": (
                {"reference": "refA", "leaders": ("B",), "ahead": True, "n_segments": 300},
                {"reference": "refB", "leaders": ("A", "C"), "ahead": False, "n_segments": 400},
            ),
        },
        "bleu",
    ),
    Caution("several-metrics", {"n": 3}),
    Caution(
        "top-groups-differ",
        {
            "groups": (
                {"systems": ("A", "B"), "metrics": ("bleu",)},
                {"systems": ("C",), "metrics": ("chrf", "ter")},
            )
        },
    ),
    Caution("one-metric", {}, "bleu"),
    Caution("which-metric", {"metrics": ("XCOMET-XL", "MetricX")}, "XCOMET-XL"),
    Caution(
        "against-people",
        {"human": "esa", "accuracy": 0.31, "higher_is_better": False, "doubt": "direction"},
        "MetricX",
    ),
    Caution(
        "against-people",
        {"human": "esa", "accuracy": 0.31, "higher_is_better": True, "doubt": "metric"},
        "bleu",
    ),
    Caution("depends-on-size", {"n_segments": 1200}, "nist"),
    Caution("ratings-alone", {"names": ("refB",)}, "bleu"),
    Caution("ratings-of-references", {"name": "refA", "n": 1200}, "esa"),
    Caution("raters-favour-systems", {"p": 0.002}, "esa-adjusted"),
    Caution("few-rater-links", {"worth": 4.83, "widening": 1.42}, "esa-adjusted", "A", "B"),
    Caution("not-rated", {"names": ("A", "B"), "n_systems": 14}, "esa"),
    Caution("partly-rated", {"n": 603, "n_segments": 1200}, "esa"),
    Caution("rated-on-different-lines", {"low": 540, "high": 603, "compared": True}, "esa"),
    Caution(
        "rated-on-different-lines",
        {"low": 40, "high": 603, "compared": True, "follows_means": True, "across_raters": True},
        "esa",
    ),
    Caution(
        "one-of-several-looks", {"number": 2, "n_planned": 5, "alpha": 0.0025, "together": 0.05}
    ),
    Caution(
        "cannot-tell-apart",
        {
            "systems": ("A", "B"),
            "score": "0.00",
            "reason": "no 4-gram of the whole set matches a reference",
            "other": "chrf",
            "n_told": 1,
            "n_differ": 1,
        },
        "bleu",
    ),
    Caution(
        "cannot-tell-apart",
        {
            "systems": ("A", "B", "C"),
            "score": None,
            "reason": None,
            "other": None,
            "n_told": 0,
            "n_differ": 3,
        },
        "ter",
    ),
    Caution(
        "cannot-tell-apart",
        {
            "systems": ("A",),
            "score": "0.00",
            "reason": "no 4-gram of the whole set matches a reference",
            "other": None,
            "n_told": 0,
            "n_differ": 0,
        },
        "bleu",
    ),
    Caution(
        "too-few-units",
        {
            "unit": "document",
            "n": 5,
            "m": 10,
            "alpha": 0.05,
            "correction": "holm",
            "least": 0.0625,
            "least_adjusted": 0.625,
            "bootstrap": False,
            "needed": 9,
        },
        "bleu",
        remedies=({"correction": "romano-wolf"}, {"unit": "segment"}),
    ),
    Caution(
        "family-too-large",
        {
            "m": 300,
            "trials": 999,
            "correction": "holm",
            "least": 0.001,
            "needed": 5999,
            "romano_wolf": True,
        },
        "bleu",
    ),
    Caution(
        "not-equal", {"n": 15, "m": 66, "n_pairs": 66, "mdd": 2.02, "n_undecidable": 0}, "bleu"
    ),
    Caution("not-equal", {"n": 3, "m": 6, "n_pairs": 6, "mdd": 2.02, "n_undecidable": 2}, "bleu"),
    Caution("not-equal", {"n": 1, "m": 1, "n_pairs": 1, "mdd": None, "n_undecidable": 0}, "bleu"),
    Caution(
        "interval-and-decision",
        {"n_open": 1, "n_significant": 2, "jointly": True, "in_steps": True, "trust": TRUST},
        "bleu",
    ),
    Caution(
        "split-decision",
        {"test": "wilcoxon", "m": 1, "pairs": (("A", "B"),), "scores_equal": False},
        "esa",
    ),
    Caution(
        "split-decision",
        {"test": "wilcoxon", "m": 6, "pairs": (("A", "B"), ("C", "A")), "scores_equal": False},
        "esa",
    ),
    Caution(
        "rank-rule",
        {
            "rule": "overlap",
            "of_means": False,
            "has_clusters": True,
            "inside": 3,
            "inside_apart": 0,
            "turned": 1,
            "only_by_rule": 5,
            "changed": 4,
            "n_systems": 12,
        },
        "bleu",
    ),
    Caution(
        "ranks-and-correction",
        {"own": "romano-wolf", "correction": "bh", "for_all": False, "differ": {}},
        "bleu",
    ),
    Caution("identical-outputs", a="A", b="B"),
    Caution("identical-scores", {"n": 1200}, "esa", "A", "B"),
    Caution("no-common-line", **PAIR),
    Caution("too-few-common-units", {"unit": "document", "n": 2}, **PAIR),
    Caution("few-common-lines", {"n": 80, "n_documents": 20, "worth": 11.4}, **PAIR),
    Caution(
        "few-differences",
        {
            "unit": "segment",
            "n": 3,
            "n_all": 1200,
            "n_texts": 20,
            "least": 0.25,
            "bootstrap": False,
        },
        **PAIR,
    ),
    Caution("near-alpha", {"p": 0.0503, "correction": "holm"}, **PAIR),
    Caution(
        "near-alpha-at-the-least-p",
        {"n": 2, "trials": 9999, "correction": "holm", "p_low": 0.042, "p_high": 0.062},
        "bleu",
    ),
    Caution("training-runs", {"n": 3, "level": 0.95, "low": 0.52, "high": 6.28}),
    Caution("single-run", {"names": ("A",)}),
    Caution("identical-runs", a="A"),
    Caution("runs-not-rated", metric="esa"),
    Caution("runs-may-turn", {"errors": 2.31, "needed": 3.18}, **PAIR),
    Caution("few-units-in-parts", {"parts": {"news": 10, "speech": 12}, "unit": "document"}),
    Caution(
        "too-few-units-in-parts",
        {"parts": {"news": 3}, "unit": "document", "alpha": 0.05, "needed": 6},
    ),
    Caution("declared-not-compared", {"pair": "en-de"}, "bleu", "A"),
    Caution(
        "declared-without-ranks",
        {"pair": "en-de", "why": "cannot be decided with 4 documents"},
        "bleu",
        "A",
    ),
    Caution(
        "declared-not-first", {"pair": "en-de", "rule": "wmt25", "in_top_group": True}, "bleu", "A"
    ),
    Caution("top-group-not-declared", {"pair": "en-de", "systems": ("A", "B")}, "bleu"),
    Caution("whole-undecided"),
    Caution("weights-of-domains", metric="nist"),
    Caution("domains-without-scores", {"domains": ("news", "speech")}, "esa"),
    Caution(
        "cannot-plan", {"unit": "document", "n": 5, "needed": 6}, remedies=({"unit": "segment"},)
    ),
]
#: Facts that choose the words and are not in them.
UNTOLD = {
    ("documents-ignored", "n_documents"),
    ("cannot-tell-apart", "n_differ"),
    ("rank-rule", "changed"),
    ("rank-rule", "n_systems"),
}
each_caution = pytest.mark.parametrize(
    "caution", CAUTIONS, ids=[caution.code for caution in CAUTIONS]
)


def test_each_code_has_an_example():
    assert CAUTION_KINDS.keys() == {caution.code for caution in CAUTIONS}
    assert not CAUTION_KINDS.keys() & ASSUMPTION_KINDS.keys()


@each_caution
def test_a_text_tells_its_facts_and_is_a_sentence(caution):
    text = caution.text
    assert text == " ".join(filter(None, (caution.general, caution.here, caution.advice)))
    assert text.startswith(caution.finding) and caution.finding.startswith(caution.general)
    assert caution.general.endswith(".") and not any(
        part in text for part in ("  ", "..", "{", "}", " .", "|")
    )
    assert "None" not in text.replace("None of chrF", "")
    names = [
        caution.a,
        caution.b,
        *(
            value
            for key, value in caution.facts.items()
            if key in ("reference", "human", "name", "same_as", "next_system", "pair", "why")
        ),
    ]
    assert all(name in text for name in names if name)
    for key, value in caution.facts.items():
        if type(value) is int and value > 1 and (caution.code, key) not in UNTOLD:
            assert f"{value:,}" in text, key


@each_caution
def test_what_names_its_metric_does(caution):
    names = {caution.metric, metric_title(caution.metric)} if caution.metric else set()
    assert caution.metric is None or caution.kind.names_metric == any(
        name in caution.text for name in names
    )


def test_counts_that_say_nothing_are_left_out():
    facts = {"unit": "segment", "n": 3, "n_all": 1200, "least": 0.25, "bootstrap": False}
    assert (
        "1,200 segments (their texts in 20)."
        in Caution("few-differences", {**facts, "n_texts": 20}, **PAIR).text
    )
    assert (
        "in only 3 of 1,200 segments. With"
        in Caution("few-differences", {**facts, "n_texts": 0}, **PAIR).text
    )
    for high, words in ((603, "540 to 603 each"), (540, "540 each")):
        caution = Caution(
            "rated-on-different-lines", {"low": 540, "high": high, "compared": True}, "esa"
        )
        assert f"have esa scores on different segments ({words})" in caution.text


def test_no_ratio_of_errors_contradicts_the_warning():
    def tell(se_ratio):
        facts = {"n_documents": 40, "enough": True, "se_ratio": se_ratio}
        return Caution("documents-ignored", facts).text

    assert "1.31 times as large by document" in tell(1.314)
    assert "times as large" not in tell(0.81)  # which would say that intervals are too wide


@each_caution
def test_facts_survive_json(caution):
    record = json.loads(json.dumps(caution_record(caution)))
    back = Caution(
        record["code"],
        record["facts"],
        record["metric"],
        record["a"],
        record["b"],
        tuple(record["remedies"]),
    )
    assert back == caution and hash(back) == hash(caution) and back.text == record["text"]


def test_names_with_marks_of_a_template_stay_as_they_are():
    hostile = "{a|b} {0.__class__} #?"
    assert (
        Caution("identical-outputs", a=hostile, b="B").text
        == f"{hostile} and B have identical outputs."
    )
    facts = {"pair": hostile, "why": "a|{b}"}
    assert (
        f"{hostile}: A is declared the winner"
        in Caution("declared-without-ranks", facts, "bleu", "A").text
    )


def test_the_template_chooses_by_number_and_by_what_is_known():
    one, many = (
        {"n": n, "m": 6, "n_pairs": 6, "mdd": mdd, "n_undecidable": n - 1}
        for n, mdd in ((1, None), (3, 2.02))
    )
    assert Caution("not-equal", one).text == (
        "1 of 6 pairs shows no significant difference. This does not mean that they are equal."
    )
    assert Caution("not-equal", many).text == (
        "3 of 6 pairs show no significant difference. This does not mean that they are equal: this test set finds "
        "a true difference of 2.02 points 8 times in 10, before correction, and smaller ones less often. Of these, 2 "
        "pairs cannot be decided, however large the difference."
    )


@pytest.mark.parametrize(
    "facts, words",
    [
        ({"needed": 60, "unit": "document"}, ["60 documents", "test instead"]),
        (
            {"unlike": [("A", "D")], "n_others": 0, "ratio": 1.25},
            ["For A - D p is too small", "1.25 times"],
        ),
        (
            {"unlike": [("A", "D"), ("B", "D")], "n_others": 1, "ratio": 1.25},
            ["A - D and B - D", "other 1 pair"],
        ),
    ],
)
def test_which_to_go_by(facts, words):
    text = advise_trust(**TRUST | facts)
    assert all(word in text for word in words)


@pytest.mark.parametrize(
    "facts, text",
    [
        (
            dict(undecided=True, wary=[], bold=[], n_apart=0),
            "no system can win or lose, though there are ranks",
        ),
        (
            dict(undecided=False, wary=["C"], bold=["A", "B"], n_apart=1),
            "C has no significant loss, and is not in the top group; A and B have a significant loss, and are in the top "
            "group; 1 pair of systems with separate rank ranges is not significant",
        ),
    ],
)
def test_where_ranks_and_decisions_differ(facts, text):
    assert describe_rank_disagreement(**facts) == text


def test_a_kind_says_whom_it_concerns():
    wrong, one, pair = (
        Caution("is-source", a="A"),
        Caution("identical-runs", a="A"),
        Caution("near-alpha", **PAIR),
    )
    split = next(
        caution
        for caution in CAUTIONS
        if caution.code == "split-decision" and caution.facts["m"] == 6
    )
    design, opened = Caution("several-metrics", {"n": 2}), Caution("not-equal", metric="bleu")
    assert [caution.concerns_all for caution in (wrong, one, pair, split, design, opened)] == [
        True,
        False,
        False,
        True,
        True,
        False,
    ]
    for caution, pairs in (
        (wrong, ["AB", "CA"]),
        (one, ["AB", "CA"]),
        (pair, ["AB"]),
        (split, ["AB", "CA"]),
        (design, []),
    ):
        assert [names for names in ("AB", "CA", "BC") if caution.concerns_pair(*names)] == pairs
        assert [
            names for names in ("AB", "CA", "BC") if caution.concerns_pair(*names[::-1])
        ] == pairs
