"""Leaders by each reference: those of a comparison with this reference alone, and a warning where
they differ.
"""

import dataclasses
import json

import pytest

from mtsig_core import Comparison, InputError, SegmentScores, TestSet, compare
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.tables import by_reference_table
from mtsig_core.stats.cautions import reference_disagreement
from mtsig_core.stats.ranks import find_other_leaders, find_top_group, has_clear_winner
from tests.builders.cases import brief
from tests.builders.rendered import (
    comparison_html,
    comparison_json,
    comparison_latex,
    comparison_text,
)
from tests.builders.toys import texts

QUICK = dict(trials=199, resamples=20)
N = 60
REF_A, (LIKE_A, LESS_A) = texts(61, [0.1, 0.3], N)
REF_B, (LIKE_B,) = texts(62, [0.1], N)
SYSTEMS = {"Ann": LIKE_A, "Bob": LIKE_B, "Cyd": ["nothing right"] * N}
DOCUMENTS = [str(k // 3) for k in range(N)]
AGAINST = TestSet("set", SYSTEMS, {"refA": REF_A, "refB": REF_B}, documents=DOCUMENTS)
ALIKE = TestSet(
    "set",
    {"Ann": LIKE_A, "Bob": LESS_A, "Cyd": SYSTEMS["Cyd"]},
    {"refA": REF_A, "again": [text.upper() if k == 0 else text for k, text in enumerate(REF_A)]},
)
NEAR_A, NEAR_OUTPUTS = texts(64, [0.3, 0.42, 0.34, 0.45, 0.32], N)
NEAR = TestSet(
    "near",
    dict(zip("UVWXY", NEAR_OUTPUTS, strict=True)),
    {"refA": NEAR_A, "refB": [text if k % 2 else LIKE_B[k] for k, text in enumerate(NEAR_A)]},
    documents=DOCUMENTS,
)


def lacking(k, present, testset=AGAINST):
    """The same set, with only the first so many segments of its k-th reference."""
    references = dict(testset.references)
    name = list(references)[k]
    references[name] = [*references[name][:present], *[None] * (N - present)]
    return dataclasses.replace(testset, references=references)


def leaders(testset, metric="bleu", **settings):
    result = compare(testset, metric, **QUICK | settings)
    return {row.reference: row.leaders for row in result.metrics[metric].by_reference}


def warned(testset, **settings):
    found = compare(testset, **QUICK | settings).warnings
    return [caution for caution in found if caution.kind.concern == "references"]


class TestLeaders:
    @pytest.mark.parametrize(
        "metric, settings",
        brief(
            3,
            [
                ("bleu", dict(unit="block", block_length=2.5)),
                ("ter", dict(test="bootstrap")),
                ("nist", dict(correction="bh", ci="bca", seed=5)),
                ("bleu", {}),
                ("ter", {}),
                ("nist", dict(unit="segment")),
                ("bleu", dict(test="percentile")),
                ("bleu", dict(test="riezler-maxwell")),
            ],
        ),
        ids=str,
    )
    @pytest.mark.parametrize(
        "testset", [AGAINST, lacking(1, 25), NEAR], ids=["whole", "lacking", "near"]
    )
    def test_are_those_of_a_comparison_with_this_reference_alone(self, metric, settings, testset):
        expected = {}
        for name, texts_of in testset.references.items():
            there = [k for k, text in enumerate(texts_of) if text is not None]
            alone = testset.take(there).scored_with([name])
            found = compare(alone, metric, trials=499, resamples=20, **settings).metrics[metric]
            expected[name] = find_top_group(found), has_clear_winner(found)
        rows = (
            compare(testset, metric, **QUICK | settings | dict(trials=499))
            .metrics[metric]
            .by_reference
        )
        assert {row.reference: (row.leaders, row.ahead) for row in rows} == expected
        assert testset is NEAR or expected == {"refA": (("Ann",), True), "refB": (("Bob",), True)}

    def test_blocks_are_at_most_as_long_as_what_a_reference_has(self):
        assert len(leaders(lacking(1, 25), unit="block", block_length=40)["refB"]) == 3

    def test_of_a_reference_without_any_text_nothing_is_said(self):
        assert leaders(lacking(1, 0)) == {"refA": ("Ann",)}

    @pytest.mark.parametrize(
        "testset, settings",
        [
            (AGAINST, dict(baseline="Cyd")),
            (AGAINST, dict(test="koehn")),
            (AGAINST, dict(by_reference=False)),
            (AGAINST, dict(test="percentile", correction="bonferroni", trials=79)),
            (AGAINST.only(["Ann"]), {}),
            (AGAINST.scored_with(["refA"]), {}),
            (AGAINST.scored_with(["refA"], others_as_systems=True), {}),
        ],
    )
    def test_there_are_none_without_ranks_several_systems_and_several_references(
        self, testset, settings
    ):
        assert leaders(testset, **settings) == {} and warned(testset, **settings) == []

    def test_nor_for_scores_that_people_gave(self):
        scores = {"human": SegmentScores({name: range(N) for name in SYSTEMS})}
        assert leaders(dataclasses.replace(AGAINST, scores=scores), "human") == {}


class TestWarning:
    def test_tells_who_is_ahead_instead(self):
        assert warned(AGAINST.without(["Bob"])) == []
        (caution,) = warned(AGAINST)
        result = compare(AGAINST, **QUICK).metrics["bleu"]
        assert (caution.code, caution.facts["top_group"]) == (
            "references-disagree",
            find_top_group(result),
        )
        for row in result.by_reference:
            (other,) = {"Ann", "Bob"} - set(row.leaders)
            lead = {
                "reference": row.reference,
                "leaders": row.leaders,
                "ahead": True,
                "n_segments": N,
            }
            assert (lead in caution.facts["leads"]) == (other in find_top_group(result))

    @pytest.mark.parametrize("ahead", [True, False])
    def test_and_who_is_only_the_last_that_may_be_the_first(self, ahead):
        """As where Ann ties with Bob, who is worse than Cyd, who is worse than Ann."""
        result = compare(AGAINST, **QUICK).metrics["bleu"]
        rows = tuple(dataclasses.replace(row, ahead=ahead) for row in result.by_reference)
        result = dataclasses.replace(result, by_reference=rows)
        leads = reference_disagreement(result, N)["leads"]
        assert leads and all(lead["ahead"] == ahead for lead in leads)
        assert [lead["reference"] for lead in leads] == [
            row.reference for row in find_other_leaders(result)
        ]
        said = by_reference_table(result).values("leaders")[1:]
        assert all(
            row.leaders[0] in text and ("significantly better" in text) == ahead
            for text, row in zip(said, rows, strict=True)
        )

    def test_is_not_given_where_they_agree(self):
        assert leaders(ALIKE) == {"refA": ("Ann",), "again": ("Ann",)}
        assert warned(ALIKE) == []

    def test_fewer_segments_alone_are_no_disagreement(self):
        few = lacking(1, 3, ALIKE)
        assert len(leaders(few)["again"]) == 3 and warned(few) == []
        rows = by_reference_table(compare(few, **QUICK).metrics["bleu"]).texts()
        assert [row[0] for row in rows] == [
            "all together",
            "only refA",
            "only again (3 of 60 segments)",
        ]
        assert rows[2][1:] == ["cannot be decided", ""]  # p of three segments is at least .25
        rows = by_reference_table(compare(lacking(1, 7, ALIKE), **QUICK).metrics["bleu"]).texts()
        assert rows[2][2] in ("same", "more, on fewer segments")

    def test_a_system_that_is_a_reference_is_told_apart(self):
        human = dataclasses.replace(AGAINST, systems={**SYSTEMS, "human": REF_B})
        assert leaders(human) == {}
        copy = warned(human)[0]
        assert (copy.code, copy.a, copy.facts["reference"]) == (
            "reference-among-systems",
            "human",
            "refB",
        )
        assert (
            leaders(human.scored_with(["refA"])) == {} and warned(human.scored_with(["refA"])) == []
        )


class TestTold:
    RESULT = compare(AGAINST, **QUICK)

    @pytest.mark.parametrize("leaders", [["Zoe"], []])
    def test_leaders_are_systems(self, leaders):
        data = json.loads(comparison_json(self.RESULT))
        data["metrics"]["bleu"]["by_reference"][0]["leaders"] = leaders
        with pytest.raises(InputError, match="leaders by refA are .* Expected some of its systems"):
            Comparison.from_json(json.dumps(data))

    def test_names_are_shown_literally(self):
        hostile = dataclasses.replace(AGAINST, references={"<b>x": REF_A, "\u202ey": REF_B})
        result = compare(hostile, **QUICK)
        assert "<b>x" not in comparison_html(result) and "only &lt;b&gt;x" in comparison_html(
            result
        )
        for told in (
            comparison_text(result),
            paper_sentences(result, "bleu"),
            comparison_latex(result),
        ):
            assert "\u202e" not in told
