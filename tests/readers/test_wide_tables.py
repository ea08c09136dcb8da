"""Tables with a column for each system, and further columns that are no systems."""

import json
import random
import re

import pytest

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers.scores import join_scores, read_scores
from mtsig_core.readers.texts import read_frame, read_text
from mtsig_core.readers.uploads import Upload, describe_table
from mtsig_core.report.caution_words import with_remedy
from mtsig_core.source import Source
from tests.builders.code import DATA

RANDOM = random.Random(7)
N = 40
SCORES = {name: [round(RANDOM.uniform(0.2, 0.9), 4) for _ in range(N)] for name in "AB"}
TEXTS = [" ".join("word" for _ in range(RANDOM.randint(4, 30))) for _ in range(N)]


def systems(table, **more):
    return [*read_scores({"COMET": table}, **more).systems]


def asides(table):
    [assumed] = [
        one for one in read_scores({"COMET": table}).assumed if one.code == "columns-aside"
    ]
    return list(assumed.facts["columns"])


#: Real columns beside scores, by the programs that write them.
BESIDE = {
    "src_len": [RANDOM.randint(20, 90) for _ in range(N)],
    "ref_tokens": [RANDOM.randint(5, 30) for _ in range(N)],
    "num_words": list(range(5, 5 + N)),
    "prompt_tokens": [RANDOM.randint(90, 99) for _ in range(N)],
    "Step": list(range(0, N * 10, 10)),
    "A__MIN": SCORES["A"],
    "A - comet__MAX": SCORES["A"],
    "_runtime": SCORES["B"],
    "prompt": TEXTS,
    "label": [k % 2 for k in range(N)],
    "finish_reason": ["stop"] * N,
    "custom_id": [f"request-{k}" for k in range(N)],
    "Unnamed: 0": list(range(N)),
    "Unnamed: 0.1": list(range(7, 7 + N)),
    "": list(range(N)),
    "lead_time": SCORES["A"],
    "created_at": ["2026-01-01"] * N,
    "temperature": [0.7] * N,
    "src_lang": ["en"] * N,
    "source": TEXTS,
    "lang": ["de"] * N,
    "split": ["test"] * N,
    "url": TEXTS,
    "row_id": list(range(N)),
}


@pytest.mark.parametrize("name", BESIDE)
def test_what_programs_write_beside_scores_is_no_system_by_its_name(name):
    table = {name: BESIDE[name], **SCORES}
    assert systems(table) == ["A", "B"]
    assert (name or "column 1, which has no name") in asides(table)[0]


@pytest.mark.parametrize(
    "values, why",
    [
        (list(range(3, 3 + N)), "row numbers"),
        ([9.5] * N, "one value"),
        ([len(text.split()) for text in TEXTS], "lengths"),
        ([len(text) for text in TEXTS], "lengths"),
    ],
)
def test_values_tell_too(values, why):
    assert f"mystery ({why})" in asides({"mystery": values, "source": TEXTS, **SCORES})


@pytest.mark.parametrize(
    "values",
    [
        [0.5] * N,
        [0.2 * (k % 3) for k in range(N)],
        [RANDOM.randint(0, 1) for _ in range(N)],
        [1] * N,
        [RANDOM.uniform(0, 1) for _ in range(N)],
    ],
)
def test_scores_stay_whatever_they_are(values):
    assert (
        systems({"mystery": values, "A": [0.1 * (k % 11) for k in range(N)], "B": SCORES["B"]})[0]
        == "mystery"
    )


def test_few_rows_tell_nothing_and_a_table_keeps_some_column():
    assert systems({"A": [1, 2, 3], "B": [2, 3, 4]}) == ["A", "B"]
    assert systems({"label": SCORES["A"], "Step": SCORES["B"]}) == ["label", "Step"]


def test_the_user_has_the_last_word():
    table = {"src_len": BESIDE["src_len"], "story": TEXTS, **SCORES}
    assert systems(table, columns={"systems": "A|src_len"}) == ["src_len", "A"]
    labelled = {**SCORES, "label": BESIDE["label"]}
    assert systems(labelled, columns={"systems": "all"}) == ["A", "B", "label"]
    found = read_scores({"COMET": table}, columns={"systems": "A|B", "docid": "story"})
    assert [*found.systems] == ["A", "B"]
    assert found.n_documents == len(set(TEXTS))
    with pytest.raises(InputError, match="no column 'C'"):
        systems(table, columns={"systems": "A|C"})
    with pytest.raises(SettingError, match="only one of systems and score"):
        systems(table, columns={"systems": "A|B", "score": "A"})


def test_the_user_has_the_last_word_on_the_command_line(tmp_path, run):
    path = tmp_path / "t.csv"
    path.write_text("src_len,A,B\n" + "".join(f"{k},0.{k},0.{k % 9}\n" for k in range(10, 30)))
    asked = "score --metrics COMET --scores", f"COMET={path}"
    done = run(*asked)
    assert "src_len (lengths)" in done.err
    assert "--columns 'systems=A|B', or systems=all" in done.err
    assert "src_len (lengths)" in done.out
    assert "\nsrc_len" not in done.out
    assert "\nsrc_len" in run(*asked, "--columns", "systems=all").out


@pytest.fixture
def texts(tmp_path):
    """Texts of two systems."""
    for name in ("ref", "mySys", "base"):
        (tmp_path / f"{name}.txt").write_text("\n".join(f"{text} {name}" for text in TEXTS) + "\n")
    paths = {name: str(tmp_path / f"{name}.txt") for name in ("ref", "mySys", "base")}
    return Source(((None, paths["ref"]),), ((None, paths["mySys"]), (None, paths["base"])))


def joined(source, tmp_path, table, name="XCOMET-XL"):
    path = tmp_path / "t.csv"
    rows = zip(*table.values(), strict=True)
    path.write_text(
        ",".join(table) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    )
    return Source(source.ref, source.system, scores=((name, str(path)),)).read()


@pytest.mark.parametrize(
    "names",
    [
        ["mySys_XCOMET-XL (seg)", "base_XCOMET-XL (seg)"],
        ["XCOMET-XL.mySys", "XCOMET-XL.base"],
        ["mySys-seg", "base-seg"],
    ],
)
def test_columns_that_name_system_and_score_are_matched(texts, tmp_path, names):
    testset = joined(texts, tmp_path, dict(zip(names, SCORES.values(), strict=True)))
    assert list(testset.scores["XCOMET-XL"].by_system["mySys"]) == SCORES["A"]
    assert f"{names[0]} as mySys" in " ".join(one.text for one in testset.assumed)


def test_of_several_scores_the_one_that_is_named_is_taken(texts, tmp_path):
    table = {
        "mySys_XCOMET-XL": SCORES["A"],
        "mySys_BLEU": SCORES["B"],
        "base_XCOMET-XL": SCORES["B"],
        "base_BLEU": SCORES["A"],
    }
    testset = joined(texts, tmp_path, table)
    assert list(testset.scores["XCOMET-XL"].by_system["base"]) == SCORES["B"]
    with pytest.raises(
        InputError, match="neither a column 'system' nor one that is named after a system"
    ):
        joined(texts, tmp_path, table, "human")


def test_a_text_beside_columns_of_the_systems_is_no_system(texts, tmp_path):
    table = {
        "story": [f"story {k // 5}" for k in range(N)],
        "mySys": SCORES["A"],
        "base": SCORES["B"],
    }
    testset = joined(texts, tmp_path, table)
    assert list(testset.scores["XCOMET-XL"].by_system) == ["mySys", "base"]
    assert "story (texts)" in " ".join(one.text for one in testset.assumed)


def test_a_system_that_is_called_so_stays(tmp_path):
    for name in ("ref", "label", "Step"):
        (tmp_path / f"{name}.txt").write_text("a\nb\n")
    source = Source(
        ((None, str(tmp_path / "ref.txt")),),
        tuple((None, str(tmp_path / f"{name}.txt")) for name in ("label", "Step")),
    )
    testset = joined(source, tmp_path, {"label": [0.1, 0.2], "Step": [0.3, 0.4]})
    assert list(testset.scores["XCOMET-XL"].by_system) == ["label", "Step"]
    assert read_text(source.ref, source.system).n_segments == 2


WMT25 = DATA / "wmt25" / "automatic_scores"


@pytest.mark.skipif(not WMT25.is_dir(), reason="needs the scores in ../shared/data/wmt25")
@pytest.mark.long
def test_no_system_of_wmt25_is_set_aside():
    """Of 32 to 43 systems with five metrics each, as columns."""
    tables = {}
    for file in sorted(WMT25.glob("*.jsonl")):
        for record in map(json.loads, file.read_text().splitlines()):
            for metric, values in record["metric_scores"].items():
                own = tables.setdefault((record["language_pair"], metric), {}).setdefault(
                    file.stem, []
                )
                own += values
    assert len(tables) == 15
    for (_, metric), table in tables.items():
        n = max(map(len, table.values()))
        whole = {system: values for system, values in table.items() if len(values) == n}
        testset = read_scores({metric: whole})
        assert {*testset.systems} == {*whole} and [one.code for one in testset.assumed] == [
            "direction-known"
        ]


PAIRWISE = {"model_a": ["x"] * 9, "model_b": ["y"] * 9, "winner": ["model_a", "tie", "model_b"] * 3}


@pytest.mark.parametrize(
    "table",
    [
        PAIRWISE,
        {"id": list(range(9)), **PAIRWISE},
        {"System 1": ["x"] * 9, "System 2": ["y"] * 9, "score": [1, 0, -1] * 3},
        {
            "source": TEXTS[:9],
            "translation_1": TEXTS[:9],
            "translation_2": TEXTS[:9],
            "preference": [1, 2, 1] * 3,
        },
    ],
)
def test_pairwise_judgements_are_named(table):
    with pytest.raises(InputError, match="has pairwise judgements .*does not read these"):
        read_scores({"human": table})


def test_systems_of_such_names_are_read():
    assert systems({"System A": SCORES["A"], "System B": SCORES["B"]}) == ["System A", "System B"]


def test_the_id_of_a_row_is_no_line():
    """Label Studio has one for each task; with it, no two systems would have a common line."""
    export = {
        "annotation_id": list(range(90, 98)),
        "annotator": [1, 2] * 4,
        "created_at": ["2026-01-01"] * 8,
        "id": list(range(8)),
        "lead_time": [9.5] * 8,
        "rating": [80, 70, 60, 50, 90, 75, 65, 40],
        "source": ["a b", "c d", "e f", "g h"] * 2,
        "system": ["x"] * 4 + ["y"] * 4,
    }
    with pytest.raises(InputError, match="column id has a different value in each row") as error:
        read_scores({"human": export})
    assert error.value.remedies == ({"columns": "line=source"},)
    found = read_scores({"human": export}, columns={"line": "source"})
    assert found.n_segments == 4 and found.scores["human"].by_system["y"] == (90, 75, 65, 40)
    same = {**export, "id": [1, 2, 3, 4] * 2}
    assert read_scores({"human": same}).n_segments == 4


def test_a_command_is_proposed_for_a_table_with_a_column_for_each_system():
    table = {"story": [f"s{k // 4}" for k in range(N)], "src_len": BESIDE["src_len"], **SCORES}
    with pytest.raises(InputError, match="I found the columns story, src_len, A, B") as error:
        read_scores({"COMET": table})
    assert error.value.remedies[0] == {"columns": "systems=A|B,docid=story"}
    found = read_scores({"COMET": table}, columns={"systems": "A|B", "docid": "story"})
    assert [*found.systems] == ["A", "B"] and found.n_documents == N // 4


def write_rows(path, table):
    """A file with an object for each row of a table."""
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_what_programs_write_beside_texts_is_no_output(tmp_path):
    """A prompt with the words of the reference was a system among the others."""
    table = {
        "custom_id": [f"request-{k}" for k in range(N)],
        "prompt": [f"Translate: {text}" for text in TEXTS],
        "reference": TEXTS,
        "mySys": TEXTS,
        "base": ["word"] * N,
        "label": ["word"] * N,
        "finish_reason": ["stop"] * N,
        "explanation": TEXTS,
    }
    testset = read_text([(None, write_rows(tmp_path / "t.jsonl", table))], [])
    assert [*testset.systems] == ["mySys", "base"]
    assert [*testset.references] == ["ref"]
    [assumed] = testset.assumed
    assert "custom_id (row numbers), prompt (what a model was asked or answered)" in assumed.text
    in_memory = read_frame(table, name="toy")
    assert [*in_memory.systems] == ["mySys", "base"]
    assert in_memory.assumed[0].code == "texts-aside"
    named = read_frame(table, systems=["prompt", "base"], name="toy")
    assert [*named.systems] == ["prompt", "base"]


@pytest.mark.parametrize("name", ["response", "completion", "prompt"])
def test_the_only_column_that_may_be_an_output_is_one(tmp_path, name):
    path = write_rows(tmp_path / "t.jsonl", {"reference": TEXTS, name: TEXTS})
    assert len(read_text([(None, path)], []).systems) == 1


def test_outputs_without_a_reference_lose_no_assumption(tmp_path):
    outputs = {name: [f"{text} {name}" for text in TEXTS] for name in ("mySys", "base")}
    table = {"source": TEXTS, **outputs, "finish_reason": ["stop"] * N}
    testset = read_text(
        [], [(None, write_rows(tmp_path / "t.jsonl", table))], without_reference=True
    )
    assert [*testset.systems] == ["mySys", "base"]
    assert [assumed.code for assumed in testset.assumed] == ["texts-aside"]


def test_only_ids_beside_the_answers_are_no_output(tmp_path):
    """The results of a batch have the answers deep in an object; its ids were scored in their
    place.
    """
    answer = {"status_code": 200, "body": {"choices": [{"message": {"content": "word"}}]}}
    ids = [f"request-{k}" for k in range(N)]
    table = {"custom_id": ids, "response": [answer] * N, "error": [None] * N}
    with pytest.raises(InputError, match="none is called as a reference"):
        read_text([], [(None, write_rows(tmp_path / "batch.jsonl", table))], without_reference=True)


def test_a_language_called_as_row_numbers_are_is_an_output(tmp_path):
    """Norwegian is `no`, and there may be one word in a row."""
    path = write_rows(tmp_path / "t.jsonl", {"reference": TEXTS, "no": TEXTS})
    assert [*read_text([(None, path)], []).systems] == ["no"]


def test_what_a_model_was_given_is_no_output(tmp_path):
    table = {"input": [f"in {text}" for text in TEXTS], "output": TEXTS}
    path = write_rows(tmp_path / "t.jsonl", table)
    assert [*read_text([], [("mine", path)], without_reference=True).systems] == ["mine"]


def long_table(**more):
    return {"system": ["A"] * N + ["B"] * N, "segment": [*range(1, N + 1)] * 2, **more}


@pytest.mark.parametrize("name", ["answer_id", "request_id", "src_len", "prompt_tokens"])
def test_row_numbers_and_lengths_are_no_scores(name):
    """As GEMBA writes its answers: text, and the number of the attempt."""
    with pytest.raises(InputError, match="Which is the system, the line, the score"):
        read_scores({"GEMBA": long_table(answer=["Score: 80"] * 2 * N, **{name: [0] * 2 * N})})
    found = read_scores(
        {"GEMBA": long_table(quality=SCORES["A"] + SCORES["B"], **{name: [0] * 2 * N})}
    )
    assert found.scores["GEMBA"].by_system["B"] == tuple(SCORES["B"])


def test_metrics_of_rows_of_systems_are_not_proposed_as_systems():
    table = {"system": ["A", "B", "C"], "BLEU": [34.1, 33.2, 30.1], "COMET": [0.84, 0.83, 0.8]}
    with pytest.raises(InputError, match="these are published scores") as error:
        read_scores({"q": table})
    assert error.value.remedies == ({"columns": "system=system,line=NAME,score=NAME"},)


def test_percents_are_refused_with_their_place():
    table = {"segment": [1, 2], "A": ["70.6%", "82,2 %"], "B": ["69%", "72%"]}
    with pytest.raises(
        InputError, match=r"row 1, column A: the score is '70.6%'.*Remove the percent signs"
    ):
        read_scores({"q": table})


def test_a_form_does_not_ask_what_no_answer_mends():
    """Pairwise judgements and percents: the reason is told once the file is opened."""
    percents = "segment,A,B\n1,70%,60%\n2,71%,61%\n"
    pairwise = "segment,system_a,system_b,winner\n1,A,B,a\n2,A,B,b\n"
    for content in (percents, pairwise):
        described = describe_table(Upload("t.csv", content.encode(), "scores", "q"))
        assert described is not None and not described.is_unclear


GRIDS = [
    ["{system}_{metric}", ("BLEU", "COMET")],
    ["{metric}.{system}", ("chrF++", "XCOMET")],
    ["{system} {metric} (seg)", ("BLEU", "BLEURT-20", "COMET-22")],
]


@pytest.mark.parametrize("form, metrics", GRIDS)
def test_columns_of_several_metrics_are_read_by_the_name_of_one(form, metrics):
    """Two metrics of one system were two systems on different scales."""
    rng = random.Random(5)
    largest = {"BLEU": 90, "chrF++": 90}
    table = {
        form.format(system=system, metric=metric): [
            round(rng.uniform(0.2, 0.9) * largest.get(metric, 1), 3) for _ in range(30)
        ]
        for system in ("A", "B-2", "C")
        for metric in metrics
    }
    for metric in metrics:
        testset = read_scores({metric: {"line": [*range(1, 31)], **table}})
        expected = {
            system: tuple(table[form.format(system=system, metric=metric)])
            for system in ("A", "B-2", "C")
        }
        assert dict(testset.scores[metric].by_system) == expected
        assert "columns-renamed" in [one.code for one in testset.assumed]
    said = f"has scores of {len(metrics)} metrics.*{re.escape(metrics[0])}.*of one"
    with pytest.raises(InputError, match=said) as caught:
        read_scores({"mine": table})
    assert [remedy["scores"].partition("=")[0] for remedy in caught.value.remedies] == [*metrics]


@pytest.mark.parametrize(
    "names",
    [
        ["A_COMET", "B_COMET"],
        ["A_COMET", "A_BLEU", "B_COMET"],
        ["A_x", "A_y", "B_x", "B_y"],
        ["A_COMET", "A_BLEU"],
        ["GPT-4", "GPT-4-da", "NLLB", "NLLB-da"],
    ],
)
def test_other_columns_stay_systems(names):
    rng = random.Random(6)
    table = {name: [round(rng.uniform(0.2, 0.9), 3) for _ in range(30)] for name in names}
    assert [*read_scores({"COMET": table}).scores["COMET"].by_system] == names


@pytest.mark.parametrize("systems", [["mySys", "base"], ["mySys"]])
def test_scores_beside_texts_join_them_from_the_same_file(tmp_path, systems):
    path = tmp_path / "t.csv"
    columns = ["reference", *systems, *(f"{system}_COMET" for system in systems)]
    rows = [
        ",".join([text] * (1 + len(systems)) + [f"0.{k % 7 + 2}" for _ in systems])
        for k, text in enumerate(TEXTS)
    ]
    path.write_text("\n".join([",".join(columns), *rows, ""]))
    testset = join_scores(read_text([(None, path)], []), {"COMET": path})
    assert [*testset.scores["COMET"].by_system] == systems
    assert testset.scores["COMET"].by_system["mySys"][:3] == (0.2, 0.3, 0.4)


def test_numbers_beside_texts_are_named(tmp_path):
    """An output of numbers vanished without a word, and so did scores."""
    path = tmp_path / "t.csv"
    rows = (f"{text},{text},0.8,{k}\n" for k, text in enumerate(TEXTS))
    path.write_text("reference,mySys,COMET,words\n" + "".join(rows))
    testset = read_text([(None, path)], [])
    lengths, numbers = testset.assumed
    assert [*testset.systems] == ["mySys"] and lengths.facts["columns"] == ("words (lengths)",)
    assert numbers.facts["columns"] == ("COMET (numbers)",)
    assert "and give the file by --scores too" in with_remedy(numbers)
