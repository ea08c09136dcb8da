"""Printed scores beside ours: the oracle is sacreBLEU, which prints them."""

from dataclasses import replace

import numpy as np
import pytest
import sacrebleu

from mtsig_core import InputError, TestSet
from mtsig_core.readers.official_tables import (
    OfficialTable,
    parse_official_table,
    parse_official_tables,
)
from mtsig_core.report.experiment_reports import (
    replication_report,
    replication_sentences,
    replication_table,
)
from mtsig_core.report.reports import render_report
from mtsig_core.stats.published_scores import replicate, replicate_task
from mtsig_core.testset import SegmentScores
from tests.builders.score_tables import rated_systems
from tests.builders.text_files import sentences, spoiled

REF, OTHER = sentences(20, 1), spoiled(sentences(20, 1), 0.4, 9)
TEXTS = {
    "Good_1": spoiled(REF, 0.2, 2),
    "بد & <b>": [text.lower() for text in spoiled(REF, 0.4, 3)],
    "new\\nline": spoiled(REF, 0.6, 4),
}
WHOLE = TestSet(
    "set",
    TEXTS,
    {"refA": REF, "refB": OTHER},
    langpair="de-en",
    documents=["canary", *(f"d{k // 3}" for k in range(19))],
)
SET = WHOLE.take(range(1, 20)).scored_with(["refA"])


def printed(scorer, references=(REF,), lines=slice(1, None), form=".2f"):
    return {
        name: f"{scorer.corpus_score(texts[lines], [ref[lines] for ref in references]).score:{form}}"
        for name, texts in TEXTS.items()
    }


def beside(metric="BLEU", **columns):
    return replicate(SET, OfficialTable(columns or {}, tuple(TEXTS)), WHOLE)


@pytest.mark.parametrize(
    "metric,scorer",
    [
        ("bleu", sacrebleu.BLEU()),
        ("chrF2", sacrebleu.CHRF()),
        ("TER", sacrebleu.TER()),
        ("chrF++", sacrebleu.CHRF(word_order=2)),
    ],
)
def test_what_sacrebleu_prints_comes_out(metric, scorer):
    found = beside(**{metric: printed(scorer)})
    assert [row.agrees for row in found.rows] == [True] * 3 and found.tried == 0
    assert [row.printed for row in found.rows] == list(printed(scorer).values())


@pytest.mark.parametrize(
    "column,numbers,setting",
    [
        ("BLEU", printed(sacrebleu.BLEU(tokenize="char")), "tokenizer char in place of 13a"),
        ("BLEU", printed(sacrebleu.BLEU(), [REF, OTHER]), "all 2 references jointly"),
        ("BLEU", printed(sacrebleu.BLEU(), [OTHER]), "only reference refB"),
        ("BLEU", printed(sacrebleu.BLEU(lowercase=True)), "lowercased"),
        ("BLEU", printed(sacrebleu.BLEU(), lines=slice(0, None)), "the canary line kept"),
        ("chrF", printed(sacrebleu.CHRF(word_order=2)), "chrf++ in place of chrf"),
        ("TER", printed(sacrebleu.TER(case_sensitive=True)), "case kept"),
        (
            "BLEU",
            {
                name: f"{float(text) / 100:.4f}"
                for name, text in printed(sacrebleu.BLEU(), form=".3f").items()
            },
            "printed as a share of 1, not of 100",
        ),
    ],
)
def test_the_setting_that_gives_it_is_found(column, numbers, setting):
    rows = beside(**{column: numbers}).rows
    told = {row.setting for row in rows if not row.agrees}
    assert told == {setting} and all(row.signature for row in rows if not row.agrees)


def test_a_setting_that_explains_all_columns_comes_before_one_that_hits_a_cell():
    """BLEU of an output in small letters comes out lowercased, and by a reference in small letters:
    chrF says which.
    """
    small = [text.lower() for text in REF]
    systems = {"small": [text.lower() for text in TEXTS["Good_1"]], "mixed": TEXTS["Good_1"]}
    whole = TestSet("set", systems, {"refA": REF, "refB": small})
    bleu = f"{sacrebleu.BLEU().corpus_score(systems['small'], [small]).score:.2f}"
    chrf = f"{sacrebleu.CHRF().corpus_score(systems['mixed'], [small]).score:.2f}"
    table = OfficialTable({"BLEU": {"small": bleu}, "chrF": {"mixed": chrf}}, ("small", "mixed"))
    testset = whole.scored_with(["refA"])
    alone = OfficialTable({"BLEU": {"small": bleu}}, ("small",))
    assert replicate(testset, alone, whole).rows[0].setting == "lowercased"
    found = replicate(testset, table, whole)
    assert [(row.setting, row.gives) for row in found.rows] == [("only reference refB", 2)] * 2
    assert found.n_numbers == 2


def test_a_change_without_effect_on_a_column_keeps_what_comes_out_there():
    """Another tokenizer gives BLEU; chrF has none, and its ticks count for it."""
    found = beside(chrF=printed(sacrebleu.CHRF()), BLEU=printed(sacrebleu.BLEU(tokenize="char")))
    assert {(row.setting, row.gives) for row in found.rows if not row.agrees} == {
        ("tokenizer char in place of 13a", 6)
    }
    assert (
        replication_table(found).values("gives")[-1]
        == "tokenizer char in place of 13a, which gives 6 of 6"
    )


def test_a_task_is_explained_as_a_whole():
    """In en-zh one number is left, which several settings give; the other pair says which."""
    parts = {
        "en-de": (SET, WHOLE),
        "en_zh": (SET.only(["Good_1"]), WHOLE.only(["Good_1"])),
        "en-xx": (SET, WHOLE),
    }
    joint = printed(sacrebleu.BLEU(), [REF, OTHER])
    lines = [
        "System,LP,BLEU",
        *(f'"{name}",en-de,{text}' for name, text in joint.items()),
        f"Good_1,en-zh,{float(joint['Good_1']):.1f}",
        "X,en-cs,1",
    ]
    read = []
    found = replicate_task(
        lambda pair: read.append(pair) or parts[pair],
        parts,
        parse_official_tables("\n".join(lines)),
    )
    assert (
        read == ["en-de", "en_zh"]
        and found.only_there == ("en-cs",)
        and found.only_here == ("en-xx",)
    )
    rows = [row for pair in found.pairs.values() for row in pair.rows]
    assert {(row.setting, row.gives) for row in rows} == {("all 2 references jointly", 4)}
    said = " ".join(replication_sentences(found))
    assert "en-zh as en_zh" in said and "only in the table: en-cs" in said
    assert replication_table(found).values("language_pair")[0] == "en-de"
    assert render_report(replication_report(found), "csv").startswith(
        "language_pair,system,called,metric"
    )


def test_a_number_that_nothing_gives_has_no_setting():
    found = beside(BLEU=printed(sacrebleu.BLEU()) | {"Good_1": "99.87"})
    assert [(row.agrees, row.setting) for row in found.rows] == [
        (False, None),
        (True, None),
        (True, None),
    ]
    assert any(
        "may be for other outputs or references" in said for said in replication_sentences(found)
    )


def test_precision_is_that_of_the_table():
    exact = sacrebleu.BLEU().corpus_score(TEXTS["Good_1"][1:], [REF[1:]]).score
    for decimals in (0, 1, 3):
        unit = 10.0**-decimals
        right, wrong = f"{exact:.{decimals}f}", f"{exact + unit:.{decimals}f}"
        told = [
            replicate(SET, OfficialTable({"BLEU": {"Good_1": text}}, ("Good_1",))).rows[0].agrees
            for text in (right, wrong)
        ]
        assert told == [True, False]


def test_names_are_matched_exactly_or_by_the_rule_that_is_said():
    testset = TestSet("set", {"GPT-4": REF, "Aya23": REF, "A_b": REF, "A-b": REF}, {"ref": REF})
    table = "system\tBLEU\tMine\nGPT4\t100\t1\nAya23\t100\t1\nab\t100\t1\nC\t9\t1"
    found = replicate(testset, parse_official_table(table))
    assert [(row.called, row.system, row.agrees) for row in found.rows] == [
        ("GPT4", "GPT-4", True),
        ("Aya23", "Aya23", True),
    ]  # "ab" may be either of two
    assert (
        found.only_here == ("A_b", "A-b")
        and found.only_there == ("ab", "C")
        and found.not_compared == ("Mine",)
    )
    assert any("GPT4 as GPT-4" in said for said in replication_sentences(found))


def test_scores_of_segments_with_the_other_sign():
    testset = rated_systems({"A": [-2.0, -4.0], "B": [-5.0, -6.0]}, metric="MetricX")
    table = parse_official_table("system,metric,score\nA,metricx,3.0\nB,metricx,5.50")
    rows = replicate(testset, table).rows
    assert [row.setting for row in rows] == ["published with the opposite sign"] * 2


@pytest.mark.parametrize("metric", ["human", "BLEU"])
def test_the_mean_over_domains_is_tried(metric):
    """As WMT24 printed human scores; of a metric of texts the mean of its scores in each domain."""
    domains = ["news"] * 4 + ["speech"] * 15
    rated = {
        name: [50.0 + 7 * k % 31 + 3 * (k < 4) for k in range(start, 19 + start)]
        for start, name in enumerate(TEXTS)
    }
    testset = replace(SET, langpair="de-en", scores={"human": rated}, domains=domains)
    cells = {}
    for name, texts in TEXTS.items():
        if metric == "human":
            news, speech = np.mean(rated[name][:4]), np.mean(rated[name][4:])
        else:
            news, speech = (
                sacrebleu.corpus_bleu(texts[1:][part], [REF[1:][part]]).score
                for part in (slice(4), slice(4, None))
            )
        cells[name] = f"{(news + speech) / 2:.4f}"
    rows = replicate(testset, OfficialTable({metric: cells}, tuple(TEXTS))).rows
    assert [(row.agrees, row.setting) for row in rows] == [(False, "the mean over domains")] * 3
    assert rows[0].signature.endswith("|mean:domains")
    without_domains = OfficialTable({"BLEU": {"Good_1": "99.9"}}, ("Good_1",))
    assert replicate(SET, without_domains).rows[0].setting is None


@pytest.mark.parametrize(
    "column,scorer,references",
    [
        ("bleu-all", sacrebleu.BLEU(), (REF, OTHER)),
        ("bleu-refB", sacrebleu.BLEU(), (OTHER,)),
        ("chrf-all", sacrebleu.CHRF(), (REF, OTHER)),
        ("chrF2-B", sacrebleu.CHRF(), (OTHER,)),
        ("BLEU-A", sacrebleu.BLEU(), (REF,)),
    ],
)
def test_the_end_of_a_name_says_which_references_score(column, scorer, references):
    found = beside(**{column: printed(scorer, references)})
    metric = "bleu" if "bleu" in column.lower() else "chrf"
    assert [(row.metric, row.column, row.agrees) for row in found.rows] == [
        (metric, column, True)
    ] * 3
    names = " and ".join({id(REF): "refA", id(OTHER): "refB"}[id(one)] for one in references)
    assert (
        found.by_suffix == {column: f"{metric} with {names}"}
        and not found.not_compared
        and found.tried == 0
    )
    assert any(
        f"{column} is {metric} with {names}" in said for said in replication_sentences(found)
    )


def test_such_a_name_is_of_a_reference_and_a_metric_that_are_here():
    found = beside(
        **{"bleu-all": printed(sacrebleu.BLEU(), [REF, OTHER])},
        **{name: {"Good_1": "1.0"} for name in ("bleu-C", "xyz-all", "COMET-A")},
    )
    assert found.not_compared == ("bleu-C", "xyz-all", "COMET-A")
    scores = {
        "COMET": SegmentScores({"A": [0.5, 0.7]}),
        "COMET-B": SegmentScores({"A": [0.1, 0.3]}),
    }
    testset = TestSet("set", {"A": [None] * 2}, {}, scores=scores)
    rows = replicate(testset, parse_official_table("system,COMET-A,COMET-B\nA,0.600,0.200")).rows
    assert [(row.metric, row.agrees) for row in rows] == [("COMET", True), ("COMET-B", True)]


def test_the_table_that_wmt_publishes_is_read_for_a_task_and_for_one_language_pair():
    """A line for each language pair, system and metric, beside what says nothing here."""
    joint, single = printed(sacrebleu.BLEU(), [REF, OTHER]), printed(sacrebleu.CHRF())
    lines = ["pair\tsystem\tid\tis_constrained\tmetric\tscore"]
    lines += [
        f"{pair}\tGood_1\t7\tTRUE\t{metric}\t{score}"
        for pair, factor in (("de-en", 1), ("en-de", 2))
        for metric, score in (
            ("bleu-all", float(joint["Good_1"]) * factor),
            ("COMET-A", 0.5 * factor),
            ("chrf-A", float(single["Good_1"]) * factor),
        )
    ]
    found = replicate(SET, parse_official_table("\n".join(lines), langpair=SET.langpair), WHOLE)
    assert [(row.column, row.agrees) for row in found.rows] == [
        ("bleu-all", True),
        ("chrf-A", True),
    ]
    assert found.not_compared == ("COMET-A",)
    whole = replicate_task(
        lambda pair: (SET, WHOLE), ["de-en"], parse_official_tables("\n".join(lines))
    )
    assert whole.pairs["de-en"].rows == found.rows and whole.only_there == ("en-de",)
    for langpair, said in (
        (None, "the test set does not say which it is of"),
        ("cs-en", "none is cs-en"),
    ):
        with pytest.raises(InputError, match=f"has the language pairs de-en, en-de, and {said}"):
            parse_official_table("\n".join(lines), langpair=langpair)


class TestTable:
    def test_long_and_wide_are_the_same(self):
        wide = parse_official_table("system;BLEU;chrF\nA;**1.5**;-\nB;\u22122;.5\n")
        long = parse_official_table(
            "metric\tscore\tsystem\nBLEU\t1.5\tA\nchrF\t-\tA\nBLEU\t-2\tB\nchrF\t.5\tB"
        )
        assert (
            wide
            == long
            == OfficialTable({"BLEU": {"A": "1.5", "B": "-2"}, "chrF": {"B": ".5"}}, ("A", "B"))
        )

    def test_of_a_task_the_language_pair_is_a_column_anywhere(self):
        wide = parse_official_tables("Language pair,system,BLEU\nen-de,A,1\nen-zh,A,2\nen-de,B,3")
        assert wide == parse_official_tables(
            "system\tmetric\tlp\tscore\nA\tBLEU\ten-de\t1\nA\tBLEU\ten-zh\t2\nB\tBLEU\ten-de\t3"
        )
        assert list(wide) == ["en-de", "en-zh"] and wide["en-de"] == parse_official_table(
            "system,BLEU\nA,1\nB,3"
        )

    @pytest.mark.parametrize(
        "text,message",
        [
            ("system,BLEU\nA,1", "called 'language pair'"),
            ("lp,system,BLEU\n,A,1", "line 2 names no language pair"),
            ("lp,system,BLEU\nen-de,A", "row 2 has 2 columns"),
            ("lp,system,BLEU", "no line below"),
            ("lp,system,BLEU\nen-de,A,1\n\nen-de,A,2", "line 4 has a second score"),
        ],
    )
    def test_broken_tables_of_a_task_name_the_line(self, text, message):
        with pytest.raises(InputError, match=message):
            parse_official_tables(text)

    @pytest.mark.parametrize(
        "text,message",
        [
            ("", "no columns"),
            ("system", "no columns"),
            ("system,BLEU", "no line below"),
            (",", "no columns"),
            ("system,BLEU\nA,1,2", "row 2 has 3 columns"),
            ("system,BLEU\nA,x", "line 2: BLEU is 'x'"),
            ("system,BLEU\nA,1\nA,2", "line 3 has a second score of 'A'"),
            ("system,BLEU,BLEU\nA,1,2", "none twice"),
            ("system,BLEU\n,1", "names no system"),
        ],
    )
    def test_broken_tables_name_the_line(self, text, message):
        with pytest.raises(InputError, match=message):
            parse_official_table(text)
