"""Results: frozen, in plain numbers, and the same tables whatever is undefined."""

import dataclasses
import itertools
import json
import math
import pickle

import pandas as pd
import pytest

from mtsig_core import Comparison, InputError, SettingError, TestSet, compare, read_text
from mtsig_core.figures import differences, forest, matrix, of_comparison
from mtsig_core.report.paragraph import paper_sentences
from mtsig_core.report.sentences import list_caution_texts, state_answer
from mtsig_core.results import PairResult
from tests.builders.rendered import comparison_json
from tests.builders.toys import bleu_counts, compare_given, toy

COUNTS, DOCUMENTS = bleu_counts(seed=21, qualities=[0.2, 0, 0.4], n_segments=120)

PLAIN = compare_given(COUNTS, trials=99, resamples=50)
BY_DOCUMENT = compare_given(COUNTS, documents=DOCUMENTS, trials=99, resamples=50)
KOEHN = compare_given(COUNTS, test="koehn", trials=99, resamples=50)
AGAINST_B = compare_given(COUNTS, baseline="B", trials=99, resamples=50)
ALONE = compare_given(COUNTS[:1], trials=99, resamples=50)
TEXTS = compare(toy(3, 5, same="AB"), trials=99, resamples=50)


class TestFrames:
    KINDS = {
        "str": str(pd.Series(["text"]).dtype),
        "float": "float64",
        "int": "Int64",
        "bool": "bool",
    }

    @pytest.mark.parametrize(
        "result", [PLAIN, BY_DOCUMENT, KOEHN, AGAINST_B, ALONE, TEXTS.metrics["bleu"]]
    )
    @pytest.mark.parametrize("table", ["systems", "pairs"])
    def test_columns_and_their_types_do_not_depend_on_the_content(self, result, table):
        frame = result.to_frame(table)
        assert len(frame) == len(getattr(result, table))
        fields = dataclasses.fields(PairResult if table == "pairs" else type(result.systems[0]))
        assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {
            field.name: self.KINDS[field.type.removesuffix(" | None")] for field in fields
        }

    def test_values(self):
        systems, pairs = BY_DOCUMENT.to_frame(), BY_DOCUMENT.to_frame("pairs")
        assert systems["system"].tolist() == ["C", "A", "B"]
        assert systems["score"].tolist() == [row.score for row in BY_DOCUMENT.systems]
        assert [(pair.a, pair.b) for pair in pairs.itertuples()] == [
            ("C", "A"),
            ("C", "B"),
            ("A", "B"),
        ]
        assert pairs["se_ratio"].tolist() == [pair.se_ratio for pair in BY_DOCUMENT.pairs]

    def test_what_is_undefined_is_missing(self):
        assert KOEHN.to_frame("pairs")["p_value"].isna().all()
        assert KOEHN.to_frame()["rank_low"].isna().all()
        assert AGAINST_B.to_frame()["rank_high"].isna().all()
        assert not (KOEHN.to_frame("pairs")["p_adjusted"] <= 0.05).any()

    @pytest.mark.parametrize("table", ["systems", "pairs"])
    def test_all_metrics_in_one(self, table):
        frame = TEXTS.to_frame(table)
        assert frame.columns.tolist() == ["metric", *TEXTS.metrics["bleu"].to_frame(table).columns]
        assert set(frame["metric"]) == {"bleu"}
        assert frame.index.tolist() == [0, 1, 2]

    def test_all_metrics_in_one_without_pairs(self):
        frame = compare(toy(1, 5), trials=99, resamples=50).to_frame("pairs")
        assert len(frame) == 0
        assert frame.columns[0] == "metric"


class TestPlainAndFrozen:
    @pytest.mark.parametrize(
        "thing",
        [
            TEXTS,
            TEXTS.testset,
            TEXTS.settings,
            TEXTS.warnings[0],
            PLAIN,
            PLAIN.systems[0],
            PLAIN.pairs[0],
        ],
    )
    def test_nothing_can_be_set(self, thing):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(thing, dataclasses.fields(thing)[0].name, None)

    def test_metrics_cannot_be_replaced(self):
        with pytest.raises(TypeError):
            TEXTS.metrics["bleu"] = None

    @pytest.mark.parametrize("result", [PLAIN, BY_DOCUMENT, KOEHN, AGAINST_B])
    def test_numbers_are_of_python(self, result):
        for row in (*result.systems, *result.pairs):
            assert {type(value) for value in dataclasses.astuple(row)} <= {
                str,
                float,
                int,
                bool,
                type(None),
            }

    def test_tally_counts_each_pair_for_both(self):
        counts = BY_DOCUMENT.tally()
        assert list(counts) == ["C", "A", "B"]
        for name, (wins, ties, losses) in counts.items():
            mine = [pair for pair in BY_DOCUMENT.pairs if name in (pair.a, pair.b)]
            better = [pair.a if pair.better == "a" else pair.b for pair in mine if pair.better]
            assert (wins, losses) == (better.count(name), len(better) - better.count(name))
            assert ties == len(mine) - len(better)


ODD = {
    "one segment": TestSet(
        "odd", {"A": ["a b c d e"], "B": ["a b c d x"], "C": [""]}, {"ref": ["a b c d e"]}
    ),
    "two segments": TestSet(
        "odd", {"A": ["a b c d e", "x"], "B": ["a b", "y"]}, {"ref": ["a b c d e", "x"]}
    ),
    "one document": TestSet(
        "odd",
        {"A": ["a b c d e", "x"], "B": ["a b c", "y"]},
        {"ref": ["a b c d e", "x"]},
        documents=["d", "d"],
    ),
    "two documents": TestSet(
        "odd",
        {"A": ["a b c d e", "x"], "B": ["a b c", "y"]},
        {"ref": ["a b c d e", "x"]},
        documents=["d", "e"],
    ),
    "nothing said": TestSet("odd", {"A": [""] * 4, "B": [""] * 4}, {"ref": ["a b c d e"] * 4}),
    "nothing asked": TestSet("odd", {"A": ["a"] * 4, "B": ["b c"] * 4}, {"ref": [""] * 4}),
    "identical": TestSet(
        "odd", {"A": ["a b c d"] * 4, "B": ["a b c d"] * 4}, {"ref": ["a b c d e"] * 4}
    ),
    "one system": TestSet(
        "odd", {"A": ["a b c d"] * 4}, {"ref": ["a b c d e"] * 4}, documents=list("aabb")
    ),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("testset", ODD.values(), ids=list(ODD))
@pytest.mark.parametrize("test", ["ar", "bootstrap", "percentile", "koehn", "riezler-maxwell"])
def test_odd_input_gives_none_and_never_nan(testset, test):
    """Intervals know nothing of the test, so all of them are asked of one."""
    for unit, ci in itertools.product(
        ["auto", "segment", "block"],
        ["auto", "percentile", "basic", "bca"] if test == "ar" else ["auto"],
    ):
        result = compare(testset, test=test, unit=unit, ci=ci, trials=39, resamples=9).metrics[
            "bleu"
        ]
        for row in (*result.systems, *result.pairs):
            for name, value in dataclasses.asdict(row).items():
                assert not isinstance(value, float) or math.isfinite(value), (unit, ci, name)


class TestShown:
    def test_in_a_line(self):
        assert (
            repr(TEXTS)
            == str(TEXTS)
            == "<Comparison on 'toy': 3 systems, 5 segments; 'bleu' 0 of 3 pairs significant>"
        )
        assert repr(PLAIN) == (
            f"<MetricResult 'given': 3 systems, best 'C' {PLAIN.systems[0].score:.2f}, "
            f"{sum(pair.significant for pair in PLAIN.pairs)} of 3 pairs significant>"
        )
        assert repr(AGAINST_B).endswith(
            f" {sum(pair.significant for pair in AGAINST_B.pairs)} of 2 pairs significant>"
        )

    def test_a_line_is_one_line(self):
        named = compare(
            TestSet("a\nb", {"x\ny": ["a"] * 3}, {"ref": ["a"] * 3}), trials=99, resamples=50
        )
        assert "\n" not in repr(named) + repr(named.metrics["bleu"])

    @pytest.mark.parametrize("form", ["text", "json", "csv", "latex", "html"])
    def test_every_form_reads_as_the_command_line_writes_it(self, form, run, tmp_path):
        paths = {name: tmp_path / name for name in ("ref", "A", "B")}
        for name, text in (("A", "a b c d x"), ("B", "a b c x x"), ("ref", "a b c d e")):
            paths[name].write_text(f"{text}\n" * 5)
        testset = read_text([(None, paths["ref"])], [(None, paths["A"]), (None, paths["B"])])
        files = "--ref", paths["ref"], "--system", paths["A"], "--system", paths["B"]
        done = run(f"compare --trials 99 --resamples 50 --format {form}", *files)
        assert done.out == compare(testset, trials=99, resamples=50).render(form)

    @pytest.mark.parametrize(
        "found, names",
        [
            (TEXTS, ["forest", "differences", "matrix"]),
            (compare(toy(1, 5), trials=99, resamples=50), ["forest"]),
            (compare(toy(3, 5), baseline="B", trials=99, resamples=50), ["forest", "differences"]),
        ],
    )
    def test_only_figures_that_there_are(self, found, names):
        assert list(of_comparison(found, "bleu")) == names
        verdict = {"differences": {"verdict": state_answer(found, "bleu")}}
        for name in names:
            drawn = {"forest": forest, "differences": differences, "matrix": matrix}[name](
                found.metrics["bleu"],
                found.settings,
                notes=list_caution_texts(found, "bleu"),
                **verdict.get(name, {}),
            )
            assert found.figure(name, "bleu") == drawn
        if "matrix" not in names:
            with pytest.raises(
                SettingError, match=f"has no figure 'matrix'. It has: {', '.join(names)}."
            ):
                found.figure("matrix")

    @pytest.mark.parametrize(
        "ask, said",
        [
            (
                lambda: TEXTS.to_frame("pair"),
                "Unknown table 'pair'. Did you mean 'pairs'\\? Available: systems, pairs",
            ),
            (lambda: PLAIN.to_frame("tables"), "Unknown table 'tables'"),
            (lambda: TEXTS.metrics["blue"], "Unknown metric 'blue'. Did you mean 'bleu'"),
            (lambda: paper_sentences(TEXTS, "ter"), "Unknown metric 'ter'.*Available: bleu"),
            (
                lambda: TEXTS.figure("forrest"),
                "has no figure 'forrest'. Did you mean 'forest'\\? It has: forest, diff",
            ),
            (lambda: TEXTS.figure(metric="blue"), "Unknown metric 'blue'"),
            (
                lambda: TEXTS.render("jsn"),
                "Unknown form 'jsn'. Did you mean 'json'\\? Available: text, json",
            ),
        ],
    )
    def test_names_that_are_not_there(self, ask, said):
        with pytest.raises(SettingError, match=said):
            ask()

    def test_metrics_may_be_asked_for_as_in_any_mapping(self):
        assert (
            TEXTS.metrics.get("ter") is None
            and "ter" not in TEXTS.metrics
            and list(TEXTS.metrics) == ["bleu"]
        )
        assert pickle.loads(pickle.dumps(TEXTS)) == TEXTS


class TestFromJson:
    def test_unknown_keys_are_ignored(self):
        data = json.loads(comparison_json(TEXTS))
        places = [
            data,
            data["testset"],
            data["settings"],
            data["warnings"][0],
            data["metrics"]["bleu"],
            data["metrics"]["bleu"]["systems"][0],
            data["metrics"]["bleu"]["pairs"][0],
        ]
        for place in places:
            place["added later"] = [1, {"x": None}]
        assert Comparison.from_json(json.dumps(data)) == TEXTS

    @pytest.mark.parametrize(
        "text", ["", "BLEU 31.2", "[" * 100_000, "{", '{"testset": NaN}', "[]", "null", "{}"]
    )
    def test_what_is_no_comparison_is_refused(self, text):
        with pytest.raises(InputError, match="Expected"):
            Comparison.from_json(text)

    @pytest.mark.parametrize(
        "path,value,parts",
        [
            (["testset"], None, ["testset: Expected object with keys, got null"]),
            (
                ["testset", "n_segments"],
                "5",
                ["testset.n_segments: Expected whole number, got text"],
            ),
            (
                ["testset", "systems"],
                ["A", 1],
                ["testset.systems[1]: Expected text, got whole number"],
            ),
            (["testset", "simulated"], 1, ["testset.simulated: Expected true or false, got"]),
            (["settings", "alpha"], True, ["settings.alpha: Expected number, got true or false"]),
            (["settings", "baseline"], 3, ["settings.baseline: Expected text or null"]),
            (["warnings"], {}, ["warnings: Expected list, got object"]),
            (["warnings", 0, "code"], None, ["warnings[0].code: Expected text, got null"]),
            (["metrics"], [], ["metrics: Expected object with keys, got list"]),
            (["metrics"], {}, ["no metric"]),
            (["metrics", "bleu", "systems"], [], ["each system once"]),
            (["metrics", "bleu", "systems", 1, "score"], float("inf"), ["Infinity"]),
            (
                ["metrics", "bleu", "systems", 1, "system"],
                TEXTS.metrics["bleu"].systems[0].system,
                ["each system once"],
            ),
            (
                ["metrics", "bleu", "pairs", 2, "delta"],
                None,
                ["metrics.bleu.pairs[2].delta: Expected number, got null"],
            ),
            (["metrics", "bleu", "pairs", 0, "a"], "Z", ["'Z'", "two of its systems"]),
            (["metrics", "bleu", "pairs", 0, "better"], "c", ["better is 'c'"]),
        ],
    )
    def test_the_message_says_where(self, path, value, parts):
        data = json.loads(comparison_json(TEXTS))
        place = data
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(InputError) as error:
            Comparison.from_json(json.dumps(data))
        assert all(part.lower() in str(error.value).lower() for part in parts), str(error.value)

    def test_every_field_is_needed_except_what_a_warning_is_about(self):
        have_defaults = {"rank_rule", "look", "assumed", "assumptions", "reference_digest"}
        for group in ("testset", "settings"):
            for key in json.loads(comparison_json(TEXTS))[group].keys() - have_defaults:
                data = json.loads(comparison_json(TEXTS))
                del data[group][key]
                said = f"{group}: Object missing required field {key}"
                with pytest.raises(InputError, match=said):
                    Comparison.from_json(json.dumps(data))
        data = json.loads(comparison_json(TEXTS))
        data["warnings"] = [{"code": "one-system", "text": "t", "facts": {}}]
        assert Comparison.from_json(json.dumps(data)).warnings[0].metric is None
