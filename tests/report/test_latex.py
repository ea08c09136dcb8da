"""LaTeX tables: balanced, literal, and complete; no compiler needed."""

import dataclasses
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import Caution, TestSet, compare
from mtsig_core.report.latex import escape, name_cell, name_column
from mtsig_core.report.sentences import list_caution_texts
from tests.builders.markup import HOSTILE, methods, rows_of, said_of_tables, typeset, visible
from tests.builders.rendered import comparison_latex
from tests.builders.results import comparison, pair, result
from tests.builders.toys import toy


class TestEscape:
    @given(st.text())
    def test_prints_any_name(self, name):
        code = escape(name)
        assert typeset(code) == visible(name)
        assert not re.match(r"[\[*]", code)
        assert not re.search("--|,,|  |``|''|<<|>>", code)
        assert typeset(name_cell(name)) == visible(name)

    def test_long_names_may_break(self):
        assert name_cell("run_2.a") == r"run\_\allowbreak{}2.\allowbreak{}a"
        assert name_cell("x" * 40).split(r"\allowbreak{}") == ["x" * 12] * 3 + ["x" * 4]
        assert name_cell("系 - " + "x" * 14).endswith("x" * 12 + r"\allowbreak{}xx")
        assert name_column(["A", "GPT-4"]) == "l" and name_column(["A", "x" * 40]).endswith(
            "p{12em}"
        )
        assert name_column(["系统甲系统"]) != "l"  # as code points, where they cannot be set


class TestTables:
    def test_systems_and_pairs(self):
        systems, matrix, pairs, detectable = rows_of(comparison_latex(comparison()), "tabular")
        assert systems[0] == ["1--2", "A", "30.00", "[29.00, 31.00]", "", "", "1", "1", "0"]
        assert systems[2] == [
            "3",
            "C",
            "20.00",
            "--",
            "$-$10.00",
            "[$-$11.00, $-$9.00]",
            "0",
            "0",
            "2",
        ]
        assert pairs[0] == ["A - B", "$+$0.50", "[$-$0.50, $+$1.50]", "0.4000", "0.4000", "--"]
        assert [row[-1] for row in pairs] == ["--", "A", "B"]
        assert detectable[0] == ["A - B", "0.50", "1.20", "1.40"]
        assert matrix == [
            ["1", "A", "", "$+$0.50", r"\textbf{$+$10.00}"],
            ["2", "B", "0.4000", "", r"\textbf{$+$9.50}"],
            ["3", "C", "0.0010", "0.0010", ""],
        ]

    def test_what_could_be_seen_has_its_interval(self):
        seen = dataclasses.replace(
            pair("A", "B", 0.5, "b"), mdd_low=1.25, mdd_high=1.75, mdd_family=2.0
        )
        code = comparison_latex(comparison(dataclasses.replace(result(), pairs=(seen,))))
        assert (
            r"A - B & 0.50 & 1.20 & 1.40 [1.25, 1.75] \\" in code
            and r"80\% power, uncorrected" in code
        )

    def test_what_the_numbers_depend_on_is_said_once(self):
        code = comparison_latex(comparison())
        assert len(said_of_tables(code)) == 4 and len(methods(code)) == 1
        for part in (
            "approximate randomization",
            "documents as units",
            "999 permutations",
            "alpha = 0.05",
            "corrected for 3 pairs",
            "Romano and Wolf 2005",
            "seed 0",
            "mtsig 0",
            "tok:13a",
            "percentile bootstrap intervals",
        ):
            assert part in methods(code)[0] and code.count(part) == 1, part
        assert "simulated" not in code

    @pytest.mark.parametrize("name", ["set", *HOSTILE, "long name " * 60])
    def test_no_caption_is_long_whatever_the_names(self, name):
        """LaTeX stops at a caption of some 3,700 characters: `! Dimension too large`."""
        testset = TestSet(
            name,
            {"A": ["a b c d e"] * 40, "B": ["a b c d e", "a b c d f"] * 20},
            {"ref": ["a b c d e"] * 40},
            documents=[str(k // 2) for k in range(40)],
        )
        code = comparison_latex(compare(testset, unit="segment", trials=99, resamples=50))
        captions, notes = (
            list(map(typeset, re.findall(pattern, code)))
            for pattern in (r"\\caption\[.*?\]{(.*)}\\label", r"\n\\mtsignote{(.*)}")
        )
        assert len(captions) == len(notes) == 1 and max(map(len, captions)) <= 300
        assert all(
            visible(name).strip() in caption + note
            for caption, note in zip(captions, notes, strict=True)
        )

    def test_two_systems_have_one_table_and_one_text(self):
        outputs = {"A": ["a b c d e"] * 39 + ["a b c d x"], "B": ["a b c d e", "a b c d f"] * 20}
        testset = TestSet("set", outputs, {"ref": ["a b c d e"] * 40})
        compared = compare(testset, ["bleu", "ter"], trials=99, resamples=50)
        code = comparison_latex(compared)
        [rows] = rows_of(code, "tabular")
        assert [row[0] for row in rows] == ["A", "B", "difference", r"95\% CI", "p"]
        for k, by_metric in enumerate(compared.metrics.values(), 1):
            (only_pair,) = by_metric.pairs
            improvement = abs(only_pair.delta)
            assert (
                rows[2][k] == f"$+${improvement:.2f}" and rows[4][k] == f"{only_pair.p_value:.3f}"
            )
        assert code.count("see BLEU and TER: methods.") == len(methods(code)) == 1
        markdown = compared.render("markdown")
        assert markdown.count("| :--- ") == 1 and re.search(r"\| p +\| +0\.0", markdown)
        assert '<table border="1"' in compared.render("html")

    def test_caveats_are_said_once(self):
        """A table refers to the paragraph that has them."""
        cautions = [
            Caution("documents-ignored", {"n_documents": 9, "enough": True, "se_ratio": None})
        ]
        found = comparison(warnings=cautions)
        code = comparison_latex(found)
        for text in list_caution_texts(found, "bleu"):
            assert methods(code)[0].count(escape(text)) == 1
            assert not any(escape(text) in said for said in said_of_tables(code))
        assert code.count("see BLEU: methods.") == 4

    def test_a_table_promises_no_caveats_that_are_not_there(self):
        named = dataclasses.replace(
            result(), metric="human"
        )  # by human scores, one metric is enough
        code = comparison_latex(dataclasses.replace(comparison(named), metrics={"human": named}))
        assert "Methods: see human: methods." in code and "caveats" not in code
        assert "Methods and caveats: see BLEU: methods." in comparison_latex(
            comparison()
        )  # only one metric

    def test_one_system_has_no_pairs(self):
        code = comparison_latex(compare(toy(1, 5), trials=99, resamples=50))
        assert len(rows_of(code, "tabular")) == 1 and "longtable}{" not in code
        assert rows_of(code, "tabular")[0][0][0] == "--"
        assert not re.search("vs best|wins|Rank ranges|system or pair", code)

    def test_a_long_table_where_a_page_is_too_short(self):
        code = comparison_latex(compare(toy(10, 5), trials=99, resamples=50))
        assert len(rows_of(code, "longtable")[0]) >= 45 and len(rows_of(code, "tabular")) == 2
        assert "too wide" not in code

    def test_hostile_names_leave_the_tables_whole(self):
        texts = {
            name: [f"a b c d {k}" if row < k else f"a b c {k}" for row in range(5)]
            for k, name in enumerate(HOSTILE)
        }
        testset = TestSet("50% of\n\\wmt_24", texts, {"ref": ["a b c d"] * 5})
        code = comparison_latex(compare(testset, trials=99, resamples=50, baseline="*"))
        without_comments = "\n".join(
            line for line in code.splitlines() if not line.startswith("% ")
        )
        bare = re.sub(r"\\[\\{}$&#_%]", "", without_comments)
        assert bare.count("{") == bare.count("}")
        assert "%" not in bare and bare.count("$") % 2 == 0
        assert code.count(r"\begin{") == code.count(r"\end{") == 5
        systems, pairs = rows_of(code, "tabular")
        assert sorted(typeset(row[1]) for row in systems) == sorted(map(visible, HOSTILE))
        assert {len(row) for row in systems} == {10} and {len(row) for row in pairs} == {8}

    def test_warnings_stay_comments(self):
        code = comparison_latex(
            comparison(warnings=[Caution("single-run", {"names": ["one\n\\input{two}"]})])
        )
        (line,) = [line for line in code.splitlines() if "input{two}" in line]
        assert line.startswith(r"% Warning: one\n\input{two} has a single training run")

    def test_lower_is_better(self):
        code = comparison_latex(comparison(result(higher_is_better=False)))
        assert r"BLEU $\downarrow$" in code
        said = [*said_of_tables(code), *methods(code)]
        assert all("a positive difference is an improvement" in text for text in said)
        assert rows_of(code, "tabular")[2][1][1] == "$+$10.00"


def test_a_table_of_too_many_rows_says_what_it_leaves_out():
    """2,000 systems of one line: two millions of pairs took 4.4 GB, for a hundred thousand
    pages.
    """
    names, few = [f"S{k}" for k in range(50)], result()
    code = comparison_latex(
        comparison(
            dataclasses.replace(
                few,
                systems=tuple(dataclasses.replace(few.systems[0], system=name) for name in names),
                pairs=tuple(
                    pair(a, b, 0.1, None) for k, a in enumerate(names) for b in names[k + 1 :]
                ),
            )
        )
    )
    systems, pairs, detectable = (
        [row for row in table if row[0].startswith(("S", "1--2"))]
        for table in rows_of(code, "longtable")
    )
    assert (len(systems), len(pairs), len(detectable)) == (
        50,
        1000,
        1000,
    )  # none of them fits on one page
    assert code.count("The first 1,000 of 1,225 rows. JSON and CSV have all.") == 2
