"""What is published of a task: LaTeX that compiles, and a page that needs nothing."""

import csv
import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from mtsig_core.caution import Caution
from mtsig_core.experiments.metric_agreement import task_agreement
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.report.experiment_reports import agreement_verdict
from mtsig_core.report.palette import width
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.pictures import task_picture
from mtsig_core.report.sentences import (
    describe_marked_ranks,
    describe_methods,
    describe_ranks,
    explain_ranking,
    explain_ranks,
    list_caution_texts,
    list_gaps_across,
    list_task_settings,
    name_first_place,
    name_top_group,
    select_lang_pairs,
    state_agreement,
    state_task_answer,
    state_verdict,
)
from mtsig_core.report.tables import (
    dispute_counts_table,
    disputed_pairs_table,
    pairs_table,
    rank_table,
    tops_table,
)
from mtsig_core.report.text import printable
from mtsig_core.stats.across import Disputed, PairAcross, compare_task, find_disputes
from mtsig_core.stats.ranks import RANK_RULES
from mtsig_core.task import Task, TaskExclusion
from mtsig_core.testset import SegmentScores
from tests.builders.markup import Page, methods, said_of_tables, typeset, visible
from tests.builders.rated_tasks import NAMES, made, rated
from tests.builders.rendered import task_csv, task_json
from tests.builders.score_tables import rated_systems
from tests.builders.task_files import task_html, task_latex, task_text


@pytest.mark.parametrize(
    ("marked", "words", "counted"),
    [
        (dict(role="contrastive"), "contrastive", "1 contrastive"),
        (dict(kind="human"), "human translation", "1 human translation"),
        (
            dict(role="contrastive", kind="human"),
            "contrastive, human translation",
            "1 human translation",
        ),
    ],
)
def test_who_is_contrastive_or_human_is_said_everywhere(found, marked, words, counted):
    infos = {**found.task.systems, NAMES[1]: replace(found.task.systems[NAMES[1]], **marked)}
    told, called = replace(found, task=replace(found.task, systems=infos)), f"{NAMES[1]} ({words})"
    assert rank_table(told, "X").rows[1][0] == called and counted in describe_methods(told, "X")
    assert called in task_text(told) and words.split(",")[0] in task_picture(told, "X")
    assert called in Page(task_html(told, "mtsig task")).cells
    assert any(f"({words})" in row[0] for row in rows_of(task_latex(told, "mtsig task")))
    rows = [row for row in csv.DictReader(io.StringIO(task_csv(told))) if row["system"] == NAMES[1]]
    assert all(row.get(key) == value for row in rows for key, value in marked.items())


def test_why_nobody_is_ranked_is_said_where_winners_are_looked_for():
    scores = {"A": [9.0] * 8, "B": range(8)}
    testset = rated_systems(scores, list("11223344"), metric="X")
    few = Task("toy", {"en-de": testset, "en-cs": testset})
    why = "4 documents are too few"
    one = Task("one", {"en-de": few.testsets["en-de"]})
    for task, where in ((few, "any of 2 language pairs"), (one, "en-de")):
        found = compare_task(task, "X", trials=99, resamples=99)
        assert (
            state_verdict(replace(found, macro={}), "X") == f"No system is ranked in {where}: {why}"
        )
        assert tops_table(found, "X").rows[0] == ("en-de", f"no system is ranked ({why})")
    said = list_caution_texts(compare_task(few, "X", trials=99, resamples=99), "X")
    assert any(
        "2 of 2 pairs of systems within the language pairs cannot be decided" in one for one in said
    )


def test_one_system_is_ranked_against_nobody_and_says_so():
    found = compare_task(made(["A"], ["en-de"]), "X", trials=99, resamples=99)
    assert explain_ranks(found, "X") == ["A dash: no score, or no rank."]
    assert state_verdict(found, "X").endswith(" in en-de; there is no other system to compare")
    mixed = Task("toy", {**made(["A"], ["en-de"]).testsets, **made(["B", "C"], ["en-cs"]).testsets})
    assert tops_table(compare_task(mixed, "X", trials=99, resamples=99), "X").rows == (
        ("en-de", "no system is ranked (there is only one system)"),
        ("en-cs", "B"),
    )


@pytest.fixture(scope="module")
def several():
    """A comparison by three metrics that disagree, held against people."""
    task = rated(made(missing=1))
    return replace(
        compare_task(task, ["X", "100%_Y", "<i>Z"], trials=199, resamples=99),
        agreement=task_agreement(task, "mqm", trials=99, resamples=99),
    )


@pytest.mark.parametrize("rule", ["simultaneous", "overlap"])
def test_how_to_read_the_ranks_stands_in_every_format(rule):
    found = compare_task(made(), "X", rank_rule=rule, trials=199, resamples=99)
    texts = (
        task_text(found),
        Page(task_html(found, "")).text,
        " ".join(task_latex(found, "").split()),
    )
    ranks = rank_table(found, "X")
    for text, mark in zip(texts, ("*", "Blue", "Bold"), strict=True):
        for said in [*explain_ranking(found, "X"), *ranks.legend.explain(ranks, mark)]:
            assert said in text.replace(r"\%", "%")
    assert name_first_place(RANK_RULES[rule]) in describe_marked_ranks(found, "X")


def test_the_verdict_names_the_top_group_by_the_rule_of_the_ranks():
    alike = rated(made(names=["A", "B", "C"]))
    only = Task("toy", dict(list(alike.testsets.items())[:1]))

    def verdict(task, metric, rule="simultaneous", **without):
        found = compare_task(task, metric, rank_rule=rule, trials=99, resamples=99)
        return state_verdict(replace(found, **without), metric)

    assert verdict(alike, "<i>Z") == name_top_group("ABC", "ABC", False, " across 2 language pairs")
    assert verdict(only, "<i>Z") == name_top_group("ABC", "ABC", False, " in en-de")
    assert verdict(alike, "X") == name_top_group("A", "ABC", True, " across 2 language pairs")
    assert (
        RANK_RULES["overlap"].title in verdict(only, "X", "overlap")
        and verdict(only, "X", "overlap")[-3:] == ": A"
    )
    assert "significantly better" in verdict(alike, "X", macro={}) and "2 of 2" in verdict(
        alike, "X", macro={}
    )
    assert RANK_RULES["overlap"].title in verdict(alike, "X", "overlap", macro={})
    assert "1 other system is not ranked" in verdict(made(missing=1), "X")


class TestSeveralMetrics:
    @pytest.mark.parametrize("made_of", [task_text, lambda found: task_latex(found, "mtsig task")])
    def test_warnings_name_the_metric_that_they_are_about(self, several, made_of):
        cautions = (
            *(
                Caution(
                    "not-equal",
                    {"n": n, "m": 6, "n_pairs": 6, "mdd": None, "n_undecidable": 0},
                    metric,
                )
                for n, metric in ((3, "100%_Y"), (1, "X"))
            ),
            Caution("several-metrics", {"n": 2}),
        )
        first, second, whole = (caution.text for caution in cautions)
        told = replace(
            several,
            pairs={pair: replace(one, warnings=cautions) for pair, one in several.pairs.items()},
        )
        lines = made_of(told).splitlines()
        where = (
            "" if made_of is task_text else "en-de: "
        )  # text has a section for each language pair
        for said in (f"100%_Y: {first}", f"X: {second}"):
            assert any(line.endswith(f"Warning: {where}{said}") for line in lines)
        expand = [
            line for line in lines if line.endswith(whole)
        ]  # in text once for all language pairs
        assert (
            expand == [f"Warning: {whole}"]
            or len(expand) == len(told.pairs)
            and f"en-de: {whole}" in expand[0]
        )
        alone = {
            pair: replace(one, metrics={"X": one.metrics["X"]}) for pair, one in told.pairs.items()
        }
        assert f"Warning: {where}{second}" in made_of(replace(told, pairs=alone, agreement=None))

    def test_where_they_disagree_is_counted_and_listed(self, several):
        disputed = find_disputes(several)
        counts = dispute_counts_table(disputed)
        assert [row[:2] for row in counts.rows] == [
            ("en-de", 6),
            ("en-cs", 3),
            ("sum of the language pairs", 9),
            ("across all, by mean difference", 3),
        ]
        assert [counts.values(f"only_{name}")[2] for name in ("X", "100%_Y", "<i>Z")] == [0, 0, 0]
        assert (disputed[0].count("opposite"), disputed[0].count_alone("100%_Y")) == (6, 0)
        code, page = task_latex(several, "mtsig task"), Page(task_html(several, "mtsig task"))
        assert state_agreement(disputed) in page.text
        assert "i" not in page.tags
        for one in disputed:
            kinds = ("agree", "significant by some metrics only", "opposite")
            assert " & ".join(["", *(str(one.count(kind)) for kind in kinds)]) in code
        table = disputed_pairs_table(disputed)
        assert len(table.rows) == 12  # of which three are mean differences
        for x, y, z in table.select("X", "100%_Y", "<i>Z").rows:
            assert (x[1], y[1], z[1]) == (True, True, False)
            assert x[0] * y[0] < 0
        decided = [row for row in rows_of(code) if len(row) == 7 and row[3] == "opposite"]
        assert len(decided) == 12
        assert all(row[4].endswith(r"$\bullet$") for row in decided)

    def test_which_to_trust(self, several):
        held = several.agreement
        code, page = task_latex(several, "mtsig task"), Page(task_html(several, "mtsig task"))
        assert held.metrics[0].metric == "X"
        assert agreement_verdict(held) in page.text
        assert agreement_verdict(held) in task_text(several)
        for one in held.metrics:
            accuracy = f"{one.soft_pairwise_accuracy:.3f}"
            assert accuracy in page.cells
            assert f"& {accuracy}" in code
        of_x = json.loads(task_json(several))["agreement"]["metrics"]["X"]
        assert of_x["soft_pairwise_accuracy"] == held.metrics[0].soft_pairwise_accuracy
        rows = [*csv.DictReader(io.StringIO(task_csv(several)))]
        for pair, agreement in [("", held), *held.pairs.items()]:
            own = [row for row in rows if row["human"] and row["language_pair"] == pair]
            accuracies = [row for row in own if row["table"] == "agreement"]
            assert [row["metric"] for row in accuracies] == [m.metric for m in agreement.metrics]
            apart = [row for row in own if row["table"] == "agreement_comparisons"]
            assert [(row["a"], row["b"], float(row["p_adjusted"])) for row in apart] == [
                (row.a, row.b, row.p_adjusted) for row in agreement.comparisons
            ]


@pytest.fixture(scope="module")
def found():
    found = compare_task(made(missing=1), "X", trials=199, resamples=200)
    return replace(found, excluded=(TaskExclusion("<i>Gone</i>", "late"),))


def rows_of(code):
    """The cells of all rows of all tables."""
    return [
        re.split(r" & ", line.removesuffix(r" \\"))
        for line in code.splitlines()
        if line.endswith(r" \\")
    ]


class TestLatex:
    def test_the_ranking_has_names_marks_tracks_and_gaps(self, found):
        rows = rows_of(task_latex(found, "mtsig task"))
        header, *systems = rows[:5]
        assert header[0] == "system" and header[1:5] == [
            "overall rank",
            "language pairs",
            "en-de",
            "en-cs",
        ]
        grey = r"\rowcolor[gray]{.9}"
        assert [row[0].startswith(grey) for row in systems] == [False, True, False, False]
        assert [typeset(row[0].removeprefix(grey)) for row in systems] == [
            visible(name) for name in NAMES
        ]
        assert [row[3] for row in systems] == [r"\textbf{1}", "2", "3", "4"]
        assert systems[3][1:6] == ["--", "1", "4", "--", "--"] and systems[0][1:3] == [
            r"\textbf{1}",
            "2",
        ]

    def test_head_to_head_is_the_macro_result(self, found):
        rows, macro = rows_of(task_latex(found, "mtsig task"))[6:], found.macro["X"].pairs
        assert [typeset(row[0]) for row in rows] == [
            f"{visible(pair.a)} - {visible(pair.b)}" for pair in macro
        ]
        assert [typeset(row[-1]) for row in rows] == [visible(pair.a) for pair in macro]
        assert [row[1] for row in rows] == [f"$+${pair.delta:.2f}" for pair in macro]
        assert [row[4] for row in rows] == [f"{pair.p_adjusted:.4f}" for pair in macro]

    def test_captions_are_short_and_how_it_was_tested_is_said_once(self, found):
        code = task_latex(found, "mtsig task --demo\n\\evil")
        ranking, head_to_head = said_of_tables(code)
        assert all(
            len(caption) <= 300 for caption in re.findall(r"\\caption\[.*?\]{(.*)}\\label", code)
        )
        assert (
            "Grey:" in ranking
            and "higher is" in ranking
            and "Positive where the first" in head_to_head
        )
        (told,) = methods(code)
        told = typeset(
            told.split("methods.}", 1)[1]
            .removesuffix(r"\par}")
            .replace(r"\textbar\allowbreak{}", r"\textbar{}")
            .replace(r"\allowbreak{}", "")
        )
        for part in (
            "approximate randomization",
            "Romano and Wolf 2005",
            "Signature",
            "test:ar|unit:document",
            found.task.digest,
            "As given, higher X scores are better.",
            "Excluded: <i>Gone</i> (late)",
            "3 to 6 pairs of systems in each language pair",
        ):
            assert part in told, part
        assert "Y: of another" not in told and code.count("approximate randomization") == 1
        assert r"% Made by: mtsig task --demo\n" in code and "\n\\evil" not in code

    def test_many_language_pairs_are_several_tables(self):
        pairs = [f"en-{code}" for code in ("cs", "da", "de", "es", "fi", "fr", "is", "ja", "zh")]
        code = task_latex(
            compare_task(made(["A", "B"], pairs, documents=6), "X", trials=99, resamples=100),
            "mtsig",
        )
        rows = rows_of(code)
        assert rows[0][1:] == ["overall rank", "language pairs", *pairs[:8]] and rows[3][1:3] == [
            pairs[8],
            "mean score",
        ]
        assert code.count(r"\begin{table*}") == 3
        labels = re.findall(r"\\label{([^}]*)}", code)
        assert len(set(labels)) == len(labels) == 3

    def test_it_is_balanced(self, found):
        code = task_latex(found, "mtsig task")
        plain = re.sub(r"(?<!\\)%.*", "", code).replace(r"\{", "").replace(r"\}", "")
        assert plain.count("{") == plain.count("}")
        for name in ("table*", "tabular", "document"):
            assert plain.count(rf"\begin{{{name}}}") == plain.count(rf"\end{{{name}}}")
        for table in re.findall(r"\\begin{tabular}{(\w+)}(.*?)\\end{tabular}", code, re.S):
            assert {len(row) for row in rows_of(table[1])} == {len(table[0])}


class TestMethods:
    def test_what_was_done_is_said(self, found):
        said = describe_methods(found, "X")
        assert said.startswith(
            "We compared 4 systems of my task (3 in the constrained track) in 2 language pairs "
            "(en-de and en-cs) by X (higher is better)."
        )
        for part in (
            "documents as units",
            "for 3 to 6 pairs of systems in each language pair",
            "Rank ranges hold jointly",
            "p-values were corrected for 3 pairs",
            "because they do not have all: 1 system",
            "not for the language pairs together",
            "Excluded: <i>Gone</i> (late).",
        ):
            assert part in said, part

    def test_nothing_is_promised_that_does_not_hold(self):
        said = describe_methods(
            compare_task(made(), "X", unit="segment", trials=199, resamples=200), "X"
        )
        assert (
            "hold jointly" not in said
            and said.count(CAUTION_KINDS["documents-ignored"].general) == 1
        )
        assert "So decisions, intervals and rank ranges may not hold at the stated level" in said
        assert said.count("The same goes for results across the language pairs.") == 1


class TestHtml:
    def test_everything_is_there_and_names_are_text(self, found):
        page = Page(task_html(found, "mtsig task --folder 'a <b>'"))
        assert not page.tags & {"script", "img", "link", "i"}
        assert {value for name, value in page.attributes if name in ("href", "src")} == {
            "#pair-1",
            "#pair-2",
        }
        assert all(visible(name) in page.cells for name in NAMES)
        for part in (
            "X: top group",
            "As given, higher",
            "<i>Gone</i>",
            "How it was tested",
            "Across the language pairs",
            "pairs of systems",
            "Signature",
            "mtsig task --folder 'a <b>' --format json",
            paper_sentences(found, "X"),
        ):
            assert part in page.text, part

    def test_marks_and_tracks(self, found):
        code = task_html(found, "mtsig task")
        picture = code[code.index("X: top group") : code.index("A dash:")]
        assert (
            picture.count('<td class="mark">') == 3
            and len(re.findall('<tr class="grey[" ]', picture)) == 1
        )

    def test_the_picture_has_ranks_winners_and_gaps(self, found):
        drawn = ElementTree.fromstring(task_picture(found, "X"))
        of = "{http://www.w3.org/2000/svg}"
        cells = [
            (one.text, one.get("class"))
            for one in drawn.iter(f"{of}text")
            if one.get("class", "").startswith("mid")
        ]
        assert cells[:3] == [("overall rank", "mid"), ("en-de", "mid"), ("en-cs", "mid")]
        assert [text for text, kind in cells if "first" in kind] == ["1"] * 3
        assert [cells[-3], cells[-1]] == [("\u2013", "mid")] * 2
        names = [
            "".join(part.text for part in one)
            for one in drawn.iter(f"{of}text")
            if one.get("class") == "end"
        ]
        assert names == [visible(name) for name in NAMES]

    def test_the_picture_alone_says_what_it_shows(self, found):
        ranks = rank_table(found, "X")
        drawn = ElementTree.fromstring(task_picture(found, "X"))
        texts = [
            one for one in drawn.iter("{http://www.w3.org/2000/svg}text") if one.get("class") == ""
        ]
        assert "".join(one.text for one in texts) == " ".join(
            [
                "Ranks by X.",
                *explain_ranks(found, "X"),
                *ranks.legend.explain(ranks, "Blue"),
                *list_caution_texts(found, "X"),
            ]
        )
        assert max(float(one.get("y")) for one in texts) < float(drawn.get("height"))
        assert 9 * max(width(one.text) for one in texts) < float(drawn.get("width"))

    def test_a_table_of_many_language_pairs_fits_the_paper(self):
        many = compare_task(
            made(["A", "B"], [f"en-{chr(97 + k)}" for k in range(15)], documents=4),
            "X",
            trials=9,
            resamples=50,
        )
        page = Page(task_html(many, "mtsig task"))
        picture = page.text[page.text.index("X: top group") : page.text.index("A dash:")]
        assert "en-o" in picture and "mean score" in picture


def test_pairs_that_cannot_be_decided_are_no_ties_and_nothing_is_said_to_be_tested_across():
    """Of two language pairs one has a single unit, and no two systems have both."""
    task = made(["A", "B", "C"])
    one = task.testsets["en-cs"].take([0])
    texts = {name: one.systems["A"] for name in ("A", "D", "E")}
    scores = {"X": SegmentScores({"A": [80.0], "D": [50.0], "E": [20.0]}, True)}
    bare = replace(one, systems=texts, scores=scores)
    found = compare_task(
        replace(task, testsets={"en-de": task.testsets["en-de"], "en-cs": bare}, systems={}),
        "X",
        trials=499,
    )
    assert not any(pair.decidable for pair in found.pairs["en-cs"].metrics["X"].pairs)
    tallies = {row.system: (row.wins, row.ties, row.losses) for row in found.macro["X"].systems}
    assert tallies["D"] == tallies["E"] == (0, 0, 0)
    within = found.pairs["en-de"].metrics["X"].tally()
    assert {name: tallies[name] for name in within} == within
    rows = rank_table(found, "X").select("system", "wins", "ties", "losses").rows
    assert all(row[1:] == ((None,) * 3 if row[0] in "DE" else tallies[row[0]]) for row in rows)
    assert {
        row["system"]: (row["wins"], row["ties"], row["losses"])
        for row in json.loads(task_json(found))["macro"]["X"]["systems"]
    } == tallies
    assert list_task_settings(found)[-1] == "Romano-Wolf within each language pair"
    both = compare_task(made(["A", "B"]), "X", trials=499)
    assert list_task_settings(both)[-1] == "Romano-Wolf within each language pair, and across them"


def test_ranks_of_the_language_pairs_so_far_have_the_systems_of_each():
    """The last system has the first language pair alone, which is computed last."""
    found = compare_task(made(["A", "B", "C"], missing=1), "X", trials=99, resamples=99)
    so_far = replace(found, pairs={"en-cs": found.pairs["en-cs"]}, macro={})
    assert rank_table(so_far, "X").values("system") == ["A", "B"]
    reverse = replace(found, pairs=dict(reversed(found.pairs.items())), macro={})
    ranks = rank_table(reverse, "X")
    assert ranks.values("system") == ["A", "B", "C"]
    assert ranks.keys == ["system", "n_pairs", "en-cs", "en-de"]
    assert "C" in task_picture(reverse, "X")


def test_lower_is_better_has_one_sign_and_is_told():
    """Positive where a is better, within a language pair and across them, in text and HTML."""
    found = compare_task(made(NAMES[:2], higher=False), "X", trials=199, resamples=200)
    macro = found.macro["X"].pairs[0]
    (row,) = pairs_table(found.macro["X"], found.pairs["en-de"].settings).rows
    assert (
        macro.better == "a"
        and macro.delta < 0
        and row[1:3] == (-macro.delta, (-macro.ci_high, -macro.ci_low))
    )
    page = task_html(found, "mtsig task")
    assert "Positive where the first system is better" in page
    assert "\nX, lower is better. " in task_text(found)


def test_improvements_of_a_metric_have_the_same_decimals_in_all_language_pairs():
    one, other = (
        Disputed(pair, ("X", "Y"), (PairAcross("a", "b", (value, -9.0), (1, -1)),))
        for pair, value in (("en-de", 2.24), ("en-it", 1.7725))
    )
    assert [row[4] for row in disputed_pairs_table([one, other]).texts()] == ["+2.24 ●", "+1.77 ●"]


def unlike(having, documents=True):
    """Three language pairs with scores by X, of which those `having` them have the order the other
    way round by esa.
    """
    task = made(names=["A", "B", "C"], pairs=("en-cs", "en-fi", "en-uk"))
    testsets = {
        pair: replace(
            one,
            documents=one.documents if documents else None,
            scores=one.scores
            | (
                {
                    "esa": SegmentScores(
                        dict(zip("ABC", reversed(one.scores["X"].by_system.values()), strict=True)),
                        True,
                    )
                }
                if pair in having
                else {}
            ),
        )
        for pair, one in task.testsets.items()
    }
    return compare_task(
        Task("toy", testsets), ["X", "esa"] if having else "X", trials=999, resamples=99
    )


@pytest.mark.parametrize(
    ("having", "where"),
    [
        (("en-cs", "en-fi"), " (en-cs, en-fi)"),
        (("en-fi",), " (en-fi)"),
        (("en-cs", "en-fi", "en-uk"), ""),
    ],
)
def test_it_is_said_whom_others_put_on_top_across_other_language_pairs(having, where):
    found = unlike(having)
    assert (
        list_caution_texts(found, "X")[0]
        == f"Other metrics name another top group: C by human scores (esa){where}."
    )
    assert "A by X" + " (en-cs, en-fi, en-uk)" * bool(where) in list_caution_texts(found, "esa")[0]


@pytest.mark.parametrize(
    ("test", "missing", "why"),
    [
        ("koehn", 0, "this test gives no draws that could be averaged."),
        ("percentile", 0, "this test gives no draws that could be averaged."),
        ("ar", 3, "no two systems have segments in common in all of them."),
        ("ar", 2, ""),
    ],
)
def test_why_nobody_is_ranked_across_stands_beside_the_empty_columns(test, missing, why):
    found = compare_task(made(missing=missing), "X", test=test, trials=199, resamples=99)
    assert any("Overall rank:" in said for said in explain_ranking(found, "X")) == (not why)
    assert any(
        "is ranked across" in said and why in said for said in list_gaps_across(found, "X")
    ) == bool(why)
    html = task_html(found, "")
    assert all(said in html[: html.index("<figure>")] for said in list_gaps_across(found, "X"))


def test_ranks_and_decisions_across_the_language_pairs_may_differ_too(found):
    """Who is worse across them by a correction of the pairs alone, and may be the first by that of
    the ranks.
    """
    macro = found.macro["X"]
    a, b = macro.systems[0].system, macro.systems[1].system
    rows = tuple(replace(row, rank_low=1, rank_high=2) for row in macro.systems[:2])
    pair = replace(macro.pairs[0], a=a, b=b, better="a")
    bh = {
        name: replace(one, settings=replace(one.settings, correction="bh"))
        for name, one in found.pairs.items()
    }
    told = replace(found, pairs=bh, macro={"X": replace(macro, systems=rows, pairs=(pair,))})
    [said] = [note for note in list_gaps_across(told, "X") if "Ranks are" in note]
    assert said == (
        "Across the language pairs: Ranks are corrected by Romano-Wolf, decisions by Benjamini-Hochberg: "
        f"{b} has a significant loss, and is in the top group."
    )
    assert printable(said) in task_text(told)


def test_across_the_language_pairs_it_is_said_which_to_go_by_where_intervals_say_otherwise(found):
    def said(told):
        return [
            one for one in list_gaps_across(told, "X") if "interval is for one pair only" in one
        ]

    macro = found.macro["X"]
    assert said(found) == []
    first = replace(macro.pairs[0], better=None, ci_low=0.5, ci_high=2.0)
    told = replace(found, macro={"X": replace(macro, pairs=(first, *macro.pairs[1:]))})
    [note] = said(told)
    assert (
        "1 pair is not significant, but the interval excludes 0." in note
        and "Report the test." in note
    )
    assert note in task_html(told, "") and note in " ".join(task_latex(told, "").split())
    assert note in json.loads(task_json(told))["macro"]["X"]["notes"]
    other = replace(first, better="a", ci_low=-0.5)
    both = replace(found, macro={"X": replace(macro, pairs=(first, other, *macro.pairs[2:]))})
    assert "1 pair is significant, but the interval includes 0." in said(both)[0]
    shut = replace(
        found,
        macro={"X": replace(macro, pairs=(replace(first, decidable=False), *macro.pairs[1:]))},
    )
    assert said(shut) == []  # there is no decision to go by
    assert said(replace(told, pairs={})) == []  # as what is kept across them has none


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (
            {},
            [
                "Rank ranges hold jointly at about 95% for all systems in each language pair, not for the language pairs "
                "together."
            ],
        ),
        (dict(unit="segment"), []),
        (dict(rank_rule="wmt25"), ["Ranks are as WMT25 within each language pair."]),
    ],
)
def test_rank_ranges_are_said_to_hold_jointly_only_where_they_do(settings, said):
    found = compare_task(made(), "X", trials=199, resamples=99, **settings)
    assert (
        describe_ranks(select_lang_pairs(found, "X"))
        == said
        == explain_ranks(found, "X")[: len(said)]
    )


def test_the_answer_on_a_task_speaks_of_all_metrics():
    found = compare_task(rated(made()), ["X", "mqm", "100%_Y"], trials=99, resamples=99)
    same = state_verdict(found, "X")
    assert state_verdict(found, "mqm") == same != state_verdict(found, "100%_Y")
    assert (
        state_task_answer(found, "X")
        == f"The metrics disagree. X and human scores (mqm): {same}. Other verdicts: by 100%_Y"
    )
    assert state_task_answer(found, "mqm").startswith(
        "The metrics disagree. Human scores (mqm) and X: "
    )
    alone = compare_task(made(), "X", trials=99, resamples=99)
    assert state_task_answer(alone, "X") == f"X: {state_verdict(alone, 'X')}"
