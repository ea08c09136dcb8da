"""Tables of segment scores: every layout and format gives the same set; bad ones say what is wrong,
on exit 2.
"""

import gzip
import json

import pandas as pd
import pytest

from mtsig_core import InputError, SettingError, TestSet
from mtsig_core.readers import join_scores, read_scores
from mtsig_core.readers.uploads import Upload, describe_table, guess_uploads
from mtsig_core.report.commands import command_line
from mtsig_core.source import Source

SCORES = {"A": [80.0, None, 75.5, 90.0], "B": [70.0, 65.0, None, -1.5]}
LONG = [
    (system, line, score) for system, row in SCORES.items() for line, score in enumerate(row, 1)
]
QUICK = "--trials 99 --resamples 50"


def delimited(sign, header, rows, missing=""):
    lines = [header, *([missing if cell is None else cell for cell in row] for row in rows)]
    return "\n".join(sign.join(map(str, line)) for line in lines) + "\n"


LONG_FRAME = pd.DataFrame(LONG, columns=["system", "line", "score"])
WIDE_ROWS = [(k, a, b) for k, (a, b) in enumerate(zip(*SCORES.values(), strict=True), 1)]
COMET = {
    f"out/{name}.txt": [{"src": "s", "mt": "m", "ref": "r", "COMET": x} for x in row]
    for name, row in SCORES.items()
}
TABLES = {
    "long.tsv": delimited("\t", ["system", "line", "score"], LONG),
    "na.tsv": delimited("\t", ["system", "line", "score"], LONG, "NA"),
    "nan.csv": delimited(",", ["System", "Seg_ID", "human"], LONG, "NaN"),
    "none.csv": delimited(
        ";", ["score", "line", "rater", "system"], [(s, k, "x", n) for n, k, s in LONG], "None"
    ),
    "quotes.csv": '"system";"line";"score";"note, free"\n'
    + delimited(";", *LONG[:1], LONG[1:]).replace("\n", ";x\n"),
    "cr.csv": delimited(
        ";", ["system", "line", "score", "note"], [(*row, "a, b") for row in LONG]
    ).replace("\n", "\r"),
    "crlf.csv": delimited(",", ["system", "segment", "score"], LONG).replace("\n", "\r\n"),
    "quoted.csv": delimited(
        ",", ['"system"', '"line"', '"score"'], [(f'"{n}"', k, s) for n, k, s in LONG]
    ),
    "index.csv": delimited(",", ["index", "A", "B"], WIDE_ROWS),
    "bom.tsv": "\ufeff\ufeff" + delimited("\t", ["system", "line", "score"], LONG),
    "shuffled.tsv": delimited(
        "\t", ["system", "line", "score"], sorted(LONG, key=lambda row: (row[0], -row[1]))
    ),
    "wide.tsv": delimited("\t", ["line", "A", "B"], WIDE_ROWS),
    "plain.csv": delimited(",", ["A", "B"], [row[1:] for row in WIDE_ROWS]),
    "long.jsonl": "\n".join(
        json.dumps(dict(zip(("system", "line", "score"), row, strict=True))) for row in LONG
    ),
    "wide.jsonl": "\n".join(json.dumps(dict(zip("AB", row[1:], strict=True))) for row in WIDE_ROWS),
    "list.json": json.dumps(
        [dict(zip(("system", "line", "score"), row, strict=True)) for row in LONG], indent=1
    ),
    "comet.json": json.dumps(COMET, indent=4),
    "records.json": json.dumps(
        {
            "metric": "x",
            "scores": [dict(zip(("system", "line", "score"), row, strict=True)) for row in LONG],
        }
    ),
    "columns.json": json.dumps(SCORES),
    "pair.tsv": delimited(
        "\t", ["line", "lp", "A", "B"], [(k, "eng_Latn-zho_Hans", a, b) for k, a, b in WIDE_ROWS]
    ),
}


def write(folder, name, content=None):
    path = folder / name
    content = TABLES[name] if content is None else content
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def texts(n=4, lines=None, documents=None):
    return TestSet(
        "toy",
        {"A": ["a"] * n, "B": ["b"] * n},
        {"ref": ["a"] * n},
        lines=lines,
        documents=documents,
    )


def by_system(testset):
    return {name: list(values) for name, values in testset.scores["human"].by_system.items()}


class TestEveryLayout:
    @pytest.mark.parametrize("name", TABLES)
    @pytest.mark.parametrize("packed", [False, True])
    def test_alone_and_joined(self, tmp_path, name, packed):
        content = TABLES[name].encode()
        path = write(tmp_path, name + ".gz" * packed, gzip.compress(content) if packed else content)
        alone = read_scores([("human", path)])
        assert by_system(alone) == by_system(join_scores(texts(), [("human", path)])) == SCORES
        assert (alone.n_segments, alone.lines, alone.has_texts) == (4, (1, 2, 3, 4), False)
        assert set(alone.systems) == {"A", "B"}

    @pytest.mark.parametrize(
        "frame",
        [
            LONG_FRAME,
            pd.DataFrame(SCORES),
            LONG_FRAME.set_index(["system", "line"]),
            pd.DataFrame(SCORES, index=[7, 5, 9, 2]),
            LONG_FRAME.assign(system=LONG_FRAME["system"].map(str.encode)),
            pd.DataFrame(SCORES, index=pd.Index([1, 2, 3, 4], name="line")).loc[[3, 1, 4, 2]],
        ],
        ids=["long", "wide", "two indexes", "no name", "bytes", "shuffled"],
    )
    def test_parquet_and_data_frames(self, tmp_path, frame):
        path = write(tmp_path, "t.parquet", frame.to_parquet())
        assert by_system(read_scores([("human", path)])) == SCORES
        if not isinstance(frame.iloc[0, 0], bytes):
            assert by_system(read_scores([("human", frame)])) == SCORES


class TestColumnNames:
    @pytest.mark.parametrize(
        "header",
        [
            "model,sent_id,COMET",
            "system,line,COMET",
            "model,line,COMET",
            "system,sent_id,COMET",
            "model,sent_id,score",
            "mt_system,segment_id,bleurt",
            "system_id,seg_id,human",
            "sys,sentence_id,x",
            "Model,id,MetricX-24",
        ],
    )
    def test_the_only_further_number_is_the_score(self, tmp_path, header):
        names = header.split(",")
        path = write(tmp_path, "t.csv", delimited(",", names, LONG))
        assert by_system(read_scores([("human", path)])) == SCORES
        noted = delimited(",", [*names, "note"], [(*row, "good") for row in LONG])
        assert by_system(read_scores([("human", write(tmp_path, "u.csv", noted))])) == SCORES
        called = "t" if names[-1] == "score" else names[-1]
        assert guess_uploads([("t.csv", path.read_bytes())]) == [("scores", called)]


class TestAlone:
    def test_documents_come_from_the_table(self, tmp_path):
        rows = [(*row, f"doc{(row[1] - 1) // 2}") for row in LONG]
        path = write(tmp_path, "t.tsv", delimited("\t", ["system", "line", "score", "docid"], rows))
        assert read_scores([("human", path)]).documents == ("doc0", "doc0", "doc1", "doc1")

    @pytest.mark.parametrize(
        ("file", "render"),
        [
            ("t.tsv", lambda frame: frame.to_csv(sep="\t", index=False)),
            ("t.jsonl", lambda frame: frame.to_json(orient="records", lines=True)),
            ("t.parquet", pd.DataFrame.to_parquet),
        ],
    )
    def test_domains_come_from_the_table(self, tmp_path, file, render):
        domains = ["news", "news", "speech", "news"]
        wide = pd.DataFrame({"line": [1, 2, 3, 4], **SCORES, "domain": domains})
        for frame in (wide, LONG_FRAME.assign(Domain=domains * 2)):
            for table in (frame, write(tmp_path, file, render(frame))):
                found = read_scores([("human", table)])
                assert found.domains == tuple(domains)
                assert by_system(found) == SCORES

    def test_beside_texts_domains_count_where_the_texts_have_none_and_every_line_has_one(self):
        texts = TestSet("toy", {"A": ["a"] * 3}, {"ref": ["a"] * 3})
        table = {"A": [1.0, 2.0, 3.0], "domain": ["news", "speech", "news"]}
        assert join_scores(texts, {"human": table}).domains == ("news", "speech", "news")
        of_its_own = TestSet("toy", {"A": ["a"] * 3}, {"ref": ["a"] * 3}, domains=["x", "x", "y"])
        assert join_scores(of_its_own, {"human": table}).domains == ("x", "x", "y")
        some = {
            "system": ["A"] * 2,
            "line": [1, 2],
            "score": [1.0, 2.0],
            "domain": ["news", "speech"],
        }
        assert join_scores(texts, {"human": some}).domains is None

    def test_several_tables_join_by_system_and_line(self, tmp_path):
        a = write(tmp_path, "a.tsv", "system\tline\tscore\nA\t2\t1\nA\t9\t2\n")
        b = write(tmp_path, "b.tsv", "system\tline\tscore\nB\t5\t3\nA\t2\t4\n")
        found = read_scores([("human", a), ("ter2", b)], ["ter2"])
        assert found.lines == (2, 5, 9) and list(found.systems) == ["A", "B"]
        assert by_system(found) == {"A": [1, None, 2]}
        assert dict(found.scores["ter2"].by_system) == {"B": (None, 3, None), "A": (4, None, None)}
        assert not found.scores["ter2"].higher_is_better and found.scores["human"].higher_is_better

    def test_lines_may_have_ids(self, tmp_path):
        path = write(tmp_path, "t.csv", "system,segment,score\nA,d1#2,1\nA,d1#1,2\nB,d1#1,3\n")
        found = read_scores([("human", path)])
        assert by_system(found) == {"A": [1, 2], "B": [None, 3]} and found.lines == (1, 2)

    def test_systems_of_blocks_and_of_comet_may_be_called_anything(self, tmp_path):
        """As the columns of a table are called, or as a score."""
        names = ["index", "score", "7", "pair"]
        for table in (
            write(
                tmp_path, "x.seg.score", "".join(f"{name}\t{k}\n" for name in names for k in (1, 2))
            ),
            write(
                tmp_path,
                "x.json",
                json.dumps({f"{name}.txt": [{"COMET": 1}, {"COMET": 2}] for name in names}),
            ),
        ):
            assert by_system(read_scores([("human", table)])) == dict.fromkeys(names, [1, 2])

    def test_an_empty_row_of_a_single_column_is_a_score_that_is_missing(self, tmp_path):
        write(tmp_path, "A.csv", "A\n1\n\n3\n4\n\n\n")
        write(tmp_path, "B.csv", 'B\n1\n2\n""\n4\n')
        scores = (
            read_scores([("x", tmp_path / "A.csv"), ("x", tmp_path / "B.csv")])
            .scores["x"]
            .by_system
        )
        assert [[*own] for own in scores.values()] == [[1, None, 3, 4], [1, 2, None, 4]]

    @pytest.mark.parametrize(
        "content",
        [
            "system,line,score,Human\nA,1,9,1\nB,1,9,2\n",
            json.dumps({"A": [{"score": 9, "human": 1}], "B": [{"score": 9, "human": 2}]}),
        ],
    )
    def test_the_column_of_the_scores_own_name_goes_first(self, tmp_path, content):
        scores = (
            read_scores([("human", write(tmp_path, "t.csv", content))]).scores["human"].by_system
        )
        assert [[*own] for own in scores.values()] == [[1], [2]]


class TestJoined:
    @pytest.mark.parametrize("name", ["long.tsv", "plain.csv"])
    def test_lines_are_those_of_the_files(self, tmp_path, name):
        """The canary in line 1 is left out, and its score with it."""
        joined = join_scores(texts(3, lines=(2, 3, 4)), [("human", write(tmp_path, name))])
        assert by_system(joined) == {system: row[1:] for system, row in SCORES.items()}

    def test_lines_numbered_as_if_a_canary_were_not_there_are_told(self, tmp_path):
        path = write(tmp_path, "t.tsv", delimited("\t", ["system", "line", "score"], LONG))
        with pytest.raises(
            InputError,
            match="of the lines 1 to 4, and the text files have 5, of which line 1 is excl",
        ):
            join_scores(texts(lines=[2, 3, 4, 5]), [("human", path)])

    @pytest.mark.parametrize(
        "ids", ["d1:1\nd1:2\nd2:1\nd2:2\n", "7\n8\n9\n12\n", "doc\ndoc.0\n1.0\n2\n"]
    )
    def test_joined_by_id(self, tmp_path, ids):
        names = ids.split()
        rows = [(system, names[line - 1], score) for system, line, score in reversed(LONG)]
        table = write(tmp_path, "x.tsv", delimited("\t", ["system", "id", "score"], rows))
        joined = join_scores(texts(), [("human", table)], ids=write(tmp_path, "ids.txt", ids))
        assert by_system(joined) == SCORES
        beside = join_scores(
            texts(lines=[2, 3, 5, 6]), [("human", table)], ids=write(tmp_path, "ids.txt", ids)
        )
        assert by_system(beside) == SCORES  # ids of the lines that are kept alone
        whole = write(tmp_path, "ids.txt", f"canary\n{ids}")
        table.write_text(table.read_text() + "A\tcanary\t1\n")
        assert (
            by_system(join_scores(texts(lines=[2, 3, 4, 5]), [("human", table)], ids=whole))
            == SCORES
        )

    @pytest.mark.parametrize(
        "ids, message",
        [
            (
                "a\nb\nc\n",
                "ids.txt has 3 lines, the texts have 4 (a canary at their end does not count). Expected an id",
            ),
            ("a\nb\nb\nc\n", "ids.txt, line 3: the id 'b' is in line 2 too."),
            ("a\nb\n\nc\n", "ids.txt, line 3, the id: this is empty."),
            (
                "a1\nb1\nc1\nd1\n",
                "x.tsv, row 2: there is no line a. Did you mean 'a1'? Expected one of those in",
            ),
        ],
    )
    def test_ids_that_do_not_fit(self, tmp_path, ids, message):
        table = write(
            tmp_path,
            "x.tsv",
            delimited("\t", ["system", "id", "score"], [("A", "a", 1), ("B", "a", 2)]),
        )
        with pytest.raises(InputError) as error:
            join_scores(texts(), [("human", table)], ids=write(tmp_path, "ids.txt", ids))
        assert message in str(error.value)

    def test_systems_may_be_called_by_numbers(self, tmp_path):
        testset = TestSet("toy", {"1": ["a"] * 2, "2": ["b"] * 2}, {"ref": ["a"] * 2})
        joined = join_scores(testset, [("human", write(tmp_path, "t.csv", "1,2\n1.5,3\n2,0\n"))])
        assert by_system(joined) == {"1": [1.5, 2], "2": [3, 0]}

    def test_scores_of_a_reference_wait(self, tmp_path):
        path = write(tmp_path, "t.tsv", "system\tline\tscore\nA\t1\t1\nref\t1\t2\n")
        assert list(join_scores(texts(), [("human", path)]).scores["human"].by_system) == [
            "A",
            "ref",
        ]


BAD = {
    "no score": ("system\tline\nA\t1\n", "has no column 'score'. It has: system, line"),
    "two that may be scores": (
        "model\tsent_id\tCOMET\tMQM\nA\t1\t2\t3\n",
        "I found the columns model, sent_id, COMET, MQM. Which is the system, the line, the",
    ),
    "unknown names": (
        "engine,number,COMET\nA,1,2\nA,2,3\n",
        "I found the columns engine, number, COMET. Which is the system, the line, the score? Rename",
    ),
    "no system": ("line,score\n1,2\n", "has no column 'system'. It has: line, score"),
    "text": (
        "system\tline\tscore\nA\t1\t2\nA\t2\tgood\n",
        "row 3, column score: the score is 'good'. Expected a number such as 0.83",
    ),
    "comma": ("system\tline\tscore\nA\t1\t85,250\n", "row 2, column score: the score is '85,250'"),
    "underscore": (
        "system\tline\tscore\nA\t1\t1_000\n",
        "row 2, column score: the score is '1_000'. Expected",
    ),
    "infinite": (
        "system\tline\tscore\nA\t1\tinf\n",
        "row 2, column score: the score is infinite ('inf')",
    ),
    "twice": (
        "system\tline\tscore\nA\t1\t2\nA\t1\t2\n",
        "row 3: A has a second score for line 1; the first is in row 2",
    ),
    "unknown system": (
        "system\tline\tscore\nA\t1\t2\nAA\t1\t2\n",
        "row 3: 'AA' is not a system of toy. Did you mean 'A'? Its systems: A, B",
    ),
    "no such line": (
        "system\tline\tscore\nA\t5\t2\n",
        "row 2: there is no line 5. Expected 1 to 4",
    ),
    "no number": ("system\tline\tscore\nA\td1\t2\n", "row 2: there is no line d1. Expected 1 to 4"),
    "empty line": ("system\tline\tscore\nA\t\t2\n", "row 2, column line: this is empty"),
    "too few rows": (
        "A,B\n1,2\n1,2\n",
        "has 2 rows of scores without line numbers, the texts have 4",
    ),
    "ragged": (
        "system\tline\tscore\nA\t1\n",
        "row 2 has 2 columns, the header has 3 (system, line, score)",
    ),
    "column twice": ("A,A\n1,2\n", "has the column A twice"),
    "no header": (
        "A\t1\t0.5\nA\t2\t0.7\nB\t1\t0.5\nB\t2\t1\n",
        "begins with A, 1, 0.5, which is a row of scores. Expected the names of the columns first. Add",
    ),
    "no header, as of mt-metrics-eval": (
        "A\t0.5\nA\tNone\nB\t1\n",
        "mt-metrics-eval has no names. Give it under its",
    ),
    "two language pairs": (
        "lp\tsystem\tline\tscore\nen-de\tA\t1\t2\nen-cs\tA\t1\t3\n",
        "has scores of 2 language pairs (column lp: en-de, en-cs). Expected one language pair.",
    ),
    "two target languages": (
        "trgLang\tsystem\tline\tscore\nde\tA\t1\t2\ncs\tA\t1\t3\n",
        "The rows differ in trgLang (de and cs). Expected one for each",
    ),
    "lines of documents": (
        "docid,rater,system,line,score\nd1,r1,A,1,2\nd2,r2,A,1,3\n",
        "The rows differ in docid (d1 and d2), rater (r1 and r2). Expected one for each",
    ),
    "JSON of two lists": (
        json.dumps({"a": [{"system": "A"}], "b": [{"system": "A"}]}),
        "has 2 lists of scores: a, b",
    ),
    "a column without a name": (
        ",A,B\n0.5,1,2\n",
        "column 1 has no name. If it is the pandas index, save the table with index=False",
    ),
    "nothing": ("system\tline\tscore\nA\t1\tNA\n", "has no score at all"),
    "only a header": ("system\tline\tscore\n", "has no row of scores"),
    "empty": ("", "is empty"),
    "unlike any": (
        "x,y\n1,2\n",
        "has neither a column 'system' nor one that is named after a system. It has: x, y",
    ),
    "broken JSON": (
        '{"system": "A", "line": 1, "score": 2}\n{"system": ',
        "row 2 is '{\"system\": ', which is not JSON",
    ),
    "a key twice": (
        '{"system": "A", "line": 1, "score": 1}\n{"system": "A", "line": 2, "score": 2, "score": 3}\n',
        ", row 2 has score twice in one object, so the file is ambiguous",
    ),
    "JSON of numbers": ("[1, 2]", "row 1 is 1. Expected an object"),
    "COMET without": (
        json.dumps({"A.txt": [{"src": "x"}]}),
        "has no column 'score'. It has: src, system, line",
    ),
    "open quote": (
        'system,line,score,note\nA,1,1,"good\nA,2,2,x\n',
        "row 3 cannot be read: unexpected end",
    ),
    "two columns of scores": (
        "system,line,score,rating\nA,1,1,2\n",
        "has score and rating, and none is called human",
    ),
    "another key": (
        '{"system": "A", "line": 1, "score": 2}\n{"system": "A", "line": 2, "socre": 2}\n',
        "row 2 has no 'score'; it has system, line, socre. Expected a number, or null",
    ),
    "two columns of lines": (
        "line,seg_id,A,B\n1,7,.1,.2\n",
        "has line, seg_id, each of which may number the lines.",
    ),
    "a line that is true": (
        '{"system": "A", "line": true, "score": 2}\n',
        "row 1, column line: this is true. Expected a text or",
    ),
    "parquet": (b"PAR1\0 and nothing more", "this is not a parquet file. Write or copy it again"),
    "latin": ("système\tline\tscore\n".encode("latin-1"), "is not UTF-8 text"),
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    folder = tmp_path / "toy"
    folder.mkdir()
    for name, text in {"ref": "a b", "A": "a b", "B": "a c"}.items():
        write(folder, f"{name}.txt", f"{text}\n" * 4)
    monkeypatch.chdir(tmp_path)
    return ["--ref", "toy/ref.txt", "--system", "toy/A.txt", "--system", "toy/B.txt"]


class TestColumnsThatAreTold:
    TABLE = "name,no,quality,note,rater\nA,1,.5,x,r\nB,1,.25,y,r\nA,2,1,z,r\nB,2,0,z,r\n"

    def test_on_the_command_line(self, tmp_path, monkeypatch, run, run_json):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "t.csv", self.TABLE)
        given = "score --scores m=t.csv --higher-is-better m"
        refused = run(given)
        assert refused.status == 2
        assert "Options: --columns system=NAME,line=NAME,score=NAME." in refused.err
        found = run_json(f"{given} --columns system=name,line=no,score=quality")
        assert found["metrics"]["m"]["scores"]["A"] == 0.75

    def test_they_are_in_the_printed_command(self):
        source = Source(scores=(("m", "t.csv"),), columns=("system=name", "score=quality"))
        assert (
            command_line("score", source)
            == "mtsig score --scores m=t.csv --columns system=name,score=quality"
        )

    @pytest.mark.parametrize(
        "columns, message",
        [
            ("system=nam", "t.csv has no column 'nam'. Did you mean 'name'?"),
            ("model=name", "Unknown kind of column 'model'"),
            ("system=name,line=name", "The column 'name' is given as system and as line."),
            ("system=name, first,line=no", "t.csv has no column 'name, first'."),
            ("name", "Expected pairs such as system=model"),
        ],
    )
    def test_wrong_ones(self, tmp_path, monkeypatch, run, columns, message):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "t.csv", self.TABLE)
        refused = run("score --scores m=t.csv --columns", columns)
        assert refused.status == 2
        assert message in refused.err

    @pytest.mark.parametrize(
        "header, rows, guesses",
        [
            (
                "sysname,sid,a,b",
                ["A,d_1,1,2", "B,d_1,3,4", "A,d_2,1,2", "B,d_2,3,4"],
                ("sysname", "sid", "a"),
            ),
            ("quality,no,name", ["5,1,A", "5,2,A", "7,1,B", "7,2,B"], ("name", "no", "quality")),
            ("system,line,BLEU,COMET", ["A,1,5,6", "A,2,5,7"], ("system", "line", "BLEU")),
            (
                "no,quality,note,name",
                ["1,.5,x,A", "2,.5,y,A", "1,.5,z,B", "2,.5,w,B"],
                ("name", "no", "quality"),
            ),
        ],
    )
    def test_they_are_guessed(self, header, rows, guesses):
        found = describe_table(
            Upload("t.csv", "\n".join([header, *rows, ""]).encode(), "scores", "t")
        )
        assert tuple(found.guesses[held] for held in ("system", "line", "score")) == guesses
        assert found.is_unclear


class TestBadTables:
    @pytest.mark.parametrize("content, message", BAD.values(), ids=BAD)
    def test_one_message_and_exit_2(self, tmp_path, files, run, content, message):
        write(tmp_path, "bad.tsv", content)
        refused = run("score --scores human=bad.tsv --metrics human", *files)
        assert (refused.status, refused.out, refused.err.count("\n")) == (2, "", 1)
        assert refused.err.startswith("mtsig: bad.tsv")
        assert message in refused.err

    @pytest.mark.parametrize(
        "content, message",
        [
            (
                "80,75\n70,90\n85,60\n",
                "begins with 80, 75, which is a row of scores. Expected the names",
            ),
            (
                "0.9,-.1\n1,2\n",
                "begins with 0.9, -.1, which is a row of scores. Expected the names",
            ),
            (
                "system\tline\tscore\tdocid\nA\t1\t2\tx\nB\t1\t2\ty\n",
                "row 3: line 1 is of document y, and of x before",
            ),
            ("system\tline\tscore\tdocid\nA\t1\t2\t\n", "row 2, column docid: this is empty"),
            (
                "system\tline\tscore\tdomain\nA\t1\t2\tnews\nB\t1\t2\tspeech\n",
                "row 3: line 1 is of domain speech, and of news before. Expected one domain for each line",
            ),
            ("system\tline\tscore\tdomain\nA\t1\t2\t\n", "row 2, column domain: this is empty"),
            (
                "A,domain,domain_name\n1,x,y\n",
                "t.tsv has domain, domain_name, each of which may name domains",
            ),
            (
                "system\tline\tscore\nA\t1\t2\nA\tx\t2\n",
                "row 3: the line is 'x', while t.tsv has numbers",
            ),
            ("A,B\nx,1\n", "row 2, column A: the score is 'x'"),
        ],
    )
    def test_alone(self, tmp_path, monkeypatch, run, content, message):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "t.tsv", content)
        refused = run("score --scores human=t.tsv")
        assert refused.status == 2
        assert message in refused.err

    def test_two_without_line_numbers(self, tmp_path):
        short = write(tmp_path, "short.csv", "A\n1\n")
        with pytest.raises(InputError, match="short.csv has 1 rows, .*plain.csv has 4"):
            read_scores([("x", write(tmp_path, "plain.csv")), ("y", short)])

    @pytest.mark.parametrize("name", ["", " x", "a,b"])
    def test_names_that_cannot_be(self, tmp_path, name):
        with pytest.raises(SettingError, match="is not a name for scores"):
            read_scores([(name, write(tmp_path, "long.tsv"))])


class TestCommandLine:
    @pytest.mark.parametrize(
        "args, message",
        [
            ("--scores human", "--scores human: expected NAME=FILE"),
            ("--scores human=no.tsv", "no.tsv does not exist"),
            ("--lower-is-better x", "--lower-is-better needs"),
            (
                "--scores human=long.tsv --lower-is-better x",
                "no scores of that name. There are: human",
            ),
            ("--scores human=long.tsv --ids long.tsv", "--ids needs texts"),
            ("--ids long.tsv", "--ids needs"),
            ("--scores human=long.tsv --metrics bleu", "Metric 'bleu' needs texts"),
            ("--scores human=long.tsv --out long.tsv --format csv", "is one of the files to read"),
        ],
    )
    def test_contradictions(self, tmp_path, monkeypatch, run, args, message):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "long.tsv")
        refused = run(f"compare {QUICK} {args}")
        assert refused.status == 2
        assert message in refused.err

    def test_scores_alone_are_the_default_metrics(self, tmp_path, monkeypatch, run_json):
        monkeypatch.chdir(tmp_path)
        write(tmp_path, "wide.tsv")
        scores = "--scores human=wide.tsv --scores cost=wide.tsv --lower-is-better cost"
        found = run_json(f"compare {QUICK} {scores}")["metrics"]
        for name, higher, best in (("human", True, "A"), ("cost", False, "B")):
            assert found[name]["higher_is_better"] == higher
            assert found[name]["systems"][0]["system"] == best
        (pair,) = found["human"]["pairs"]
        assert (pair["n"], pair["delta"]) == (2, pytest.approx(((80 - 70) + (90 + 1.5)) / 2))


def test_real_ratings(wmt24):
    """Means of the table by pandas."""
    table = wmt24 / "en-zh.esa.tsv"
    found = read_scores([("human", table)]).scores["human"].by_system
    means = pd.read_csv(table, sep="\t").groupby("system").score.mean()
    assert found.keys() == set(means.index)
    for name, values in found.items():
        known = [value for value in values if value is not None]
        assert sum(known) / len(known) == pytest.approx(means[name], rel=1e-9)
