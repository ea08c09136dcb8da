"""Tables, terminal text, CSV, JSON and figures of results made by hand."""

import dataclasses
import io
import re
import unicodedata

import pandas as pd
import pytest

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.caution import Caution
from mtsig_core.experiments.error_rates import ChangedPair, UnitChanges
from mtsig_core.figures import forest
from mtsig_core.report import export, tables
from mtsig_core.report.caution_words import fit_remedies_to_task, group_cautions
from mtsig_core.report.experiment_tables import changed_table
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.sentences import name_top_group, state_verdict, summarize_comparison
from mtsig_core.report.tables import leaderboard_table
from mtsig_core.results import (
    Comparison,
    Exclusion,
)
from mtsig_core.stats.comparison import join_comparisons
from tests.builders.rendered import (
    comparison_csv,
    comparison_html,
    comparison_json,
    comparison_latex,
    comparison_text,
)
from tests.builders.results import SETTINGS, comparison, pair, result
from tests.builders.toys import toy


def by_title(table):
    """The rows of a table, by the titles of its columns, wherever these stand."""
    return [dict(zip(table.titles, row, strict=True)) for row in table.texts()]


class TestLeaderboardRows:
    def test_a_single_system_has_a_score_and_its_interval_alone(self):
        alone = TestSet("one", {"A": ["a b c d", "a b x d"] * 4}, {"ref": ["a b c d"] * 8})
        found = compare(alone, trials=99, resamples=50)
        table = tables.leaderboard_table(found.metrics["bleu"], found.settings).for_readers()
        header, rows = table.titles, table.texts()
        assert header == ["rank", "system", "BLEU ↑", "95% CI"]
        assert rows[0][:2] == ["-", "A"] and len(rows[0]) == 4
        assert summarize_comparison(found)[1] == [
            "by segment",
            "seed 0",
            "alpha 0.05",
            "Jackknife t intervals, 50 resamples",
        ]
        report = found.render("html").split("Caveats")[0]
        assert not re.search(
            "pairs|significantly better|trials", found.render("text").split("nrefs")[0] + report
        )

    def test_ranks_differences_and_tally(self):
        table = tables.leaderboard_table(result(), SETTINGS).for_readers()
        first, _, last = by_title(table)
        assert {
            "rank": "1-2",
            "system": "A",
            "BLEU ↑": "30.00",
            "95% CI": "[29.00, 31.00]",
            "vs best": "",
            "wins": "1",
            "ties": "1",
            "losses": "0",
        }.items() <= first.items()
        assert {
            "rank": "3",
            "system": "C",
            "BLEU ↑": "20.00",
            "vs best": "-10.00",
            "wins": "0",
            "ties": "0",
            "losses": "2",
        }.items() <= last.items()

    def test_baseline(self):
        settings = dataclasses.replace(SETTINGS, baseline="C")
        only = dataclasses.replace(
            result(), pairs=(pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, "a"))
        )
        table = tables.leaderboard_table(only, settings).for_readers()
        rows = by_title(table)
        assert rows[0].items() >= {
            ("p", "0.0010"),
            ("adjusted p", "0.0010"),
            ("decision", "better"),
        }
        assert "wins" not in rows[0] and [row["vs baseline"] for row in rows] == [
            "+10.00",
            "+9.50",
            "",
        ]


def test_the_only_one_that_may_be_the_first_is_ahead_where_it_beats_each_other():
    first, second, third = result().systems

    def said(high):
        ranks = (
            dataclasses.replace(first, rank_high=high),
            dataclasses.replace(second, rank_low=2),
            third,
        )
        return state_verdict(comparison(dataclasses.replace(result(), systems=ranks)), "bleu")

    assert (said(1), said(2)) == (
        name_top_group("A", "ABC", True),
        name_top_group("A", "ABC", False),
    )


def test_that_nothing_can_be_decided_never_stands_above_a_rank():
    assert state_verdict(comparison(), "bleu") == name_top_group("AB", "ABC", False)
    counts = toy(3, 60)
    few = dict(trials=50, resamples=99, correction="holm")  # 3 pairs, and p of at least 1/51
    by_romano_wolf = compare(counts, test="ar", **few)
    assert all(
        not pair.decidable and pair.mdd is None for pair in by_romano_wolf.metrics["bleu"].pairs
    )
    assert (
        by_romano_wolf.metrics["bleu"].systems[0].rank_low == 1
    )  # ranks do not follow the correction of the pairs
    assert "Top group: A" in state_verdict(by_romano_wolf, "bleu")
    by_holm = compare(counts, test="percentile", **few)
    assert by_holm.metrics["bleu"].systems[0].rank_low is None
    assert state_verdict(by_holm, "bleu") == "No system is ranked: too many pairs for so few trials"


class TestText:
    def test_matrix_matches_the_decisions(self):
        lines = comparison_text(comparison()).splitlines()
        at = next(k for k, line in enumerate(lines) if line.startswith("Row against column"))
        assert "2 of 3 pairs significant" in lines[at]
        assert [line.split()[2:] for line in lines[at + 2 : at + 5]] == [
            [".", ">"],
            [".", ">"],
            ["<", "<"],
        ]

    def test_columns_align_for_wide_names(self):
        text = comparison_text(comparison(result(("系统甲", "B", "e\u0301"))))
        lines = text.splitlines()
        at = next(k for k, line in enumerate(lines) if line.startswith("rank"))

        def column(line, what):
            before = line[: line.index(what)]
            return sum(
                0
                if unicodedata.combining(c)
                else 2
                if unicodedata.east_asian_width(c) in "WF"
                else 1
                for c in before
            )

        assert (
            column(lines[at + 1], "30.00")
            == column(lines[at + 2], "29.50")
            == column(lines[at + 3], "20.00")
        )

    def test_many_warnings_of_a_kind_are_counted(self):
        found = [Caution("identical-outputs", {}, "bleu", f"{k}", "X") for k in range(9)]
        text = comparison_text(comparison(warnings=found))
        assert text.count("have identical outputs.") == 3 and "... and 6 more of this kind" in text


class TestExport:
    def test_what_a_record_lacks_is_empty(self):
        records = [{"a": 1, "b": "=x"}, {"c": None, "a": 2}]
        assert export.records_csv(records) == "a,b,c\n1,'=x,\n2,,\n"
        assert export.records_csv(records, ["b", "d"]) == "b,d\n'=x,\n,\n"
        assert export.records_csv([], ["b"]) == "b\n"

    @pytest.mark.parametrize(
        "cell", ["=1+1", "+1+1", "-cmd", "--1", "-e5", "@x", "\tx", "\rx", "＝1"]
    )
    def test_formulas_are_defused_and_numbers_are_not(self, cell):
        assert export.defuse(cell) == "'" + cell
        for plain in (-1.5, "", "x=1", "-1.5", "+2", "-.5e-3", "-"):
            assert export.defuse(plain) == plain

    def test_formulas_are_defused_where_semicolons_part_the_cells(self):
        assert (
            export.defuse("x;=cmd();-y\n=2") == "x;'=cmd();'-y\n'=2"
            and export.defuse("a; b;c-d") == "a; b;c-d"
        )

    def test_csv_says_on_each_row_what_it_depends_on(self):
        frame = pd.read_csv(io.StringIO(comparison_csv(comparison())))
        assert set(frame["signature"]) == {"tok:13a"} and set(frame["digest"]) == {"d"}
        assert set(frame["testset"]) == {"set"} and not frame["simulated"].any()
        assert frame["delta"].dropna().tolist() == [0.5, 10.0, 9.5]

    def test_what_was_left_out_is_in_every_format(self):
        given = dataclasses.replace(
            comparison(), excluded=(Exclusion("=D", "sent late"), Exclusion("E"))
        )
        assert Comparison.from_json(comparison_json(given)) == given
        frame = pd.read_csv(io.StringIO(comparison_csv(given)))
        assert frame[frame["table"] == "excluded"][["system", "reason"]].fillna(
            ""
        ).values.tolist() == [["'=D", "sent late"], ["E", ""]]
        assert "Excluded: =D (sent late), E.\n" in comparison_text(given)
        code = comparison_latex(given)
        assert "% Excluded: =D (sent late), E.\n" in code
        assert code.count("Excluded: =D (sent late), E.") == 2  # a comment, and how it was tested
        assert '<td class="name">=D</td><td class="name">sent late</td>' in comparison_html(given)
        assert "Excluded: =D (sent late), E." in paper_sentences(given, "bleu")

    def test_systems_as_numbers(self):
        turned = dataclasses.replace(result(higher_is_better=False), metric="ter")
        found = [
            row for one in (result(), turned) for row in leaderboard_table(one, SETTINGS).records()
        ]
        assert [row["metric"] for row in found] == ["bleu"] * 3 + ["ter"] * 3
        for row in found[2], found[5]:  # worse than the best, whichever way it is counted
            assert (row["vs_best"], row["vs_best_ci_low"], row["vs_best_ci_high"]) == (-10, -11, -9)
            assert (
                row["vs_best_p"],
                row["vs_best_adjusted_p"],
                row["rank_low"],
                row["losses"],
            ) == (0.001, 0.001, 3, 2)
        assert found[0]["vs_best"] is None and found[2]["ci_low"] is None

    @pytest.mark.parametrize(
        "parts, name",
        [
            (["wmt24/en-de", "bleu", "comparison"], "wmt24-en-de-bleu-comparison.csv"),
            (["wmt24", "pair", "GPT-4", "Aya23", "bleu"], "wmt24-pair-GPT-4-Aya23-bleu.csv"),
            (["../../etc/passwd", "<b>", "a\nb\0"], "etc-passwd-b-a-b.csv"),
            (["系统", ""], "mtsig.csv"),
            (["Zürich.v1.", "=x"], "Zurich.v1-x.csv"),
        ],
    )
    def test_names_of_files_suit_every_system(self, parts, name):
        assert export.file_name(*parts, ending="csv") == name


class TestJoined:
    @pytest.mark.parametrize("settings", [{}, {"unit": "segment"}])
    def test_is_what_all_metrics_give_together(self, settings):
        testset = toy(3, 20, [k // 2 for k in range(20)])
        parts = [
            compare(testset, metric, trials=99, resamples=50, **settings)
            for metric in ("bleu", "ter")
        ]
        whole = compare(testset, ["bleu", "ter"], trials=99, resamples=50, **settings)
        found = join_comparisons(parts)
        assert dict(found.metrics) == dict(whole.metrics) and set(found.warnings) == set(
            whole.warnings
        )
        assert len(found.warnings) == len(whole.warnings)
        assert (found.testset, found.settings) == (whole.testset, whole.settings)

    @pytest.mark.parametrize(
        "change",
        [
            dict(settings=dataclasses.replace(SETTINGS, seed=1)),
            dict(excluded=(Exclusion("D"),)),
            {},
        ],
    )
    def test_what_does_not_belong_together_is_refused(self, change):
        other = dataclasses.replace(comparison(), **change)
        with pytest.raises(SettingError, match="joined" if change else "bleu is in two"):
            join_comparisons([comparison(), other])


class TestForest:
    def test_draws_the_numbers_it_is_given(self):
        figure = forest(result(), SETTINGS)
        scores, ranks = figure.data
        assert list(scores.x) == [30.0, 29.5, 20.0]
        assert list(scores.marker.symbol) == ["circle", "circle-open", "circle"]
        assert list(ranks.text) == ["1–2", "1–2", "3"]

    def test_names_are_literal(self):
        figure = forest(result(("<b>A</b>", "B" * 300, "C")), SETTINGS)
        ticks = figure.layout.yaxis.ticktext
        assert ticks[0] == "&lt;b&gt;A&lt;/b&gt;" and len(ticks[1]) < 40
        assert figure.layout.annotations[-1].text.replace("<br>", "") == f"[1] {'B' * 300}"
        assert list(figure.data[0].customdata[1]) == [1, "B" * 300]

    def test_all_that_have_the_best_score_are_blue(self):
        first, second, third = result().systems
        tied = dataclasses.replace(
            result(), systems=(first, dataclasses.replace(second, score=first.score), third)
        )
        colours = forest(tied, SETTINGS).data[0].marker.color
        assert colours[0] == colours[1] != colours[2]

    def test_filled_is_different_from_the_baseline(self):
        settings = dataclasses.replace(SETTINGS, baseline="B")
        only = dataclasses.replace(
            result(), pairs=(pair("A", "B", 0.5, None, 0.4), pair("C", "B", -9.5, "b"))
        )
        assert list(forest(only, settings).data[0].marker.symbol) == [
            "circle-open",
            "circle",
            "circle",
        ]


class TestRankChanges:
    def test_before_and_after(self):
        after = dataclasses.replace(
            result(),
            systems=tuple(
                dataclasses.replace(s, rank_low=1, rank_high=1) for s in result().systems[:1]
            ),
            pairs=(),
        )
        rows = tables.rank_changes_table(result(), after).texts()
        assert rows == [
            ["A", "1-2", "1", "1-1-0", "0-0-0"],
            ["B", "1-2", "excluded", "1-1-0", ""],
            ["C", "3", "excluded", "0-0-2", ""],
        ]


class TestVerdict:
    def test_a_baseline_is_counted_against(self):
        settings = dataclasses.replace(SETTINGS, baseline="C")
        only = dataclasses.replace(
            result(), pairs=(pair("A", "C", 10.0, "a"), pair("B", "C", 9.5, None))
        )
        said = state_verdict(dataclasses.replace(comparison(only), settings=settings), "bleu")
        assert said.startswith("Against C: ") and re.findall(r"\d+", said) == ["1", "0", "1"]


def test_warnings_of_several_metrics_say_which_they_are_about():
    same, ter, whole = (
        Caution("identical-outputs", metric=metric, a="A", b="B")
        for metric in ("bleu", "ter", None)
    )
    text = "A and B have identical outputs."
    assert group_cautions([same, ter, whole], several=True) == [
        [f"BLEU: {text}"],
        [f"TER: {text}"],
        [text],
    ]
    assert group_cautions([same]) == [[text]]
    named = Caution("partly-rated", {"n": 2, "n_segments": 9}, "human")
    assert group_cautions([named], several=True) == [[named.text]]


def test_in_a_task_only_that_helps_which_a_task_can_be_told():
    """Its texts are cut by language pair: `mtsig task` has no --tokenize, and the page Task no such
    control.
    """
    told = {"metrics": "chrf"}, {"exclude": "A"}, {"trials": 999}
    more = {"metrics": "bleu", "tokenize": "zh"}, {"docs": "FILE"}
    assert (
        fit_remedies_to_task([Caution("no-documents", remedies=(*more, *told))])[0].remedies == told
    )


def test_one_is_one_everywhere():
    found = compare(
        TestSet("tiny", {"A": ["a b c d"]}, {"ref": ["a b c d"]}, documents=["d"]), "bleu"
    )
    assert summarize_comparison(found)[0][:4] == ["tiny", "1 segment", "1 document", "1 system"]
    assert "1 segment; 1 document; 1 system" in comparison_text(found) and "1 segment;" in repr(
        found
    )
    two = compare(TestSet("tiny", {"A": ["a b c d"], "B": ["a"]}, {"ref": ["a b c d"]}), "bleu")
    assert "of 1 pair significant" in repr(two) and "1 pair</summary>" in comparison_html(two)


@pytest.mark.parametrize("higher, said", [(True, "+1.50"), (False, "-1.50")])
def test_pairs_that_the_unit_changes_have_their_improvement(higher, said):
    pair = ChangedPair("none", "A", "B", 1.5, 0.01, 0.2, 1.3)
    found = UnitChanges(
        metric="x",
        alpha=0.05,
        seed=0,
        n_pairs=1,
        n_segments=9,
        n_documents=3,
        se_ratio_low=1.0,
        se_ratio_median=1.0,
        se_ratio_high=1.0,
        rows=(),
        pairs=(pair,),
        higher_is_better=higher,
    )
    assert changed_table(found, "none").texts() == [["A", "B", said, "0.0100", "0.2000", "1.30"]]
