"""A value of any type in a file is read the one clear way, or named with file, row and column; none
ends in an error of Python.
"""

import json
import re
from datetime import date, datetime, time, timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given

from mtsig_core import InputError, MtsigError, read_scores
from mtsig_core.cli.main import main
from mtsig_core.readers.cells import (
    UnclearValueError,
    describe_value,
    to_key,
    to_name,
    to_number,
    to_text,
)
from mtsig_core.readers.formats import FORMATS, sniff
from mtsig_core.readers.official_tables import parse_official_table
from mtsig_core.readers.texts import read_frame
from mtsig_core.readers.uploads import Upload, guess_uploads, read_uploads
from tests.builders.typed_files import (
    CONTAINERS,
    KEEPS_TYPES,
    LINES,
    OUTPUTS,
    RECORDS,
    TABLES,
    UNCLEAR,
    WORDS,
    jsonl,
    kind_of,
    other_files,
    parquet,
    replaced,
    table_files,
    xlsx,
)

ROWS = TABLES["texts"]
PLAIN = ("A.txt", "\n".join(OUTPUTS["A"]).encode()), ("ref.txt", "\n".join(WORDS).encode())


def open_files(*files):
    """A test set from files as they are guessed to be; what lacks a reference or an output gets one
    beside it.
    """
    guesses = guess_uploads(list(files))
    roles = [role for role, _ in guesses]
    if not {*roles} & {"scores", "reference and outputs"}:
        beside = [PLAIN[0]] * ("system" not in roles) + [PLAIN[1]] * ("reference" not in roles)
        files = (*files, *beside)
        guesses = guess_uploads(list(files))
    return read_uploads(
        [Upload(*file, *guess) for file, guess in zip(files, guesses, strict=True)],
        langpair="en-de",
    )


def as_scores(content, file="t.json"):
    return read_uploads([Upload(file, content, "scores", "t")])


class TestOneWay:
    @pytest.mark.parametrize(
        "value, text",
        [
            (12, "12"),
            (12.0, "12"),
            (0.5, "0.5"),
            (-3, "-3"),
            (np.int64(7), "7"),
            (np.float32(0.5), "0.5"),
            (" a ", " a "),
            (None, None),
            (float("nan"), None),
            (pd.NA, None),
            (pd.NaT, None),
            ("", ""),
        ],
    )
    def test_texts(self, value, text):
        assert to_text(value) == text

    @pytest.mark.parametrize(
        "value",
        [*UNCLEAR, 1e300, 1e-9, 10**20, float("inf"), timedelta(1), np.bool_(True), b"a", 1j],
    )
    def test_no_text_and_no_name(self, value):
        for read in (to_text, to_name, to_key):
            with pytest.raises(UnclearValueError, match=r"this is .+\. Expected a text"):
                read(value)

    @pytest.mark.parametrize(
        "value, number",
        [
            ("0.5", 0.5),
            (" 1 ", 1),
            (2, 2),
            (np.float32(0.5), 0.5),
            ("n/a", None),
            (None, None),
            (pd.NA, None),
            ("-0", 0),
        ],
    )
    def test_numbers(self, value, number):
        assert to_number(value) == number

    @pytest.mark.parametrize(
        "value", [*UNCLEAR, float("inf"), 10**400, "1e400", "1_000", "x", np.bool_(True), b"1", 1j]
    )
    def test_no_number(self, value):
        with pytest.raises(UnclearValueError, match="the score is "):
            to_number(value)

    @pytest.mark.parametrize(
        "value, key", [(3, 3), (3.0, 3), ("3", 3), ("3.0", 3), ("\u0663", "\u0663"), ("d1", "d1")]
    )
    def test_lines(self, value, key):
        assert to_key(value) == key

    @pytest.mark.parametrize("value", ["", " ", None, float("nan")])
    def test_a_name_is_not_empty(self, value):
        with pytest.raises(UnclearValueError, match="this is empty"):
            to_name(value)

    @pytest.mark.parametrize(
        "value, words",
        [
            (False, "false"),
            (np.bool_(True), "true"),
            (datetime(2024, 1, 2), "a date (2024-01-02)"),
            (time(1, 2), "a time (01:02:00)"),
            ({"a": 1}, "an object ({'a': 1})"),
            ("x" * 99, f"'{'x' * 39}..."),
        ],
    )
    def test_words(self, value, words):
        assert describe_value(value) == words


class TestTexts:
    @pytest.mark.parametrize("column", ["source", "reference", "A"])
    @pytest.mark.parametrize("write, file", [(jsonl, "t.jsonl"), (xlsx, "t.xlsx")])
    def test_a_number_is_its_text(self, write, file, column):
        testset = open_files((file, write(replaced(ROWS, (2, column), 12))))
        read = {
            "source": testset.sources,
            "reference": testset.references["ref"],
            "A": testset.systems["A"],
        }
        assert read[column][2] == "12"

    @pytest.mark.parametrize("column", ["source", "reference", "A", "docid", "domain"])
    @pytest.mark.parametrize(
        "value, words", [(True, "true"), (["a"], "a list"), ({"a": 1}, "an object")]
    )
    def test_json(self, column, value, words):
        with pytest.raises(
            InputError,
            match=rf"^t.jsonl, row 3, column {column}: this is {words}.*\. Expected a text",
        ):
            open_files(("t.jsonl", jsonl(replaced(ROWS, (2, column), value))))

    @pytest.mark.parametrize(
        "column, words",
        [
            ("reference", "line 3 has no reference"),
            ("A", "A has no text for segment 3"),
            ("docid", "row 3, column docid: this is empty"),
            ("domain", "row 3, column domain: this is empty"),
        ],
    )
    def test_nothing(self, column, words):
        with pytest.raises(InputError, match=words):
            open_files(("t.jsonl", jsonl(replaced(ROWS, (2, column), None))))

    def test_no_source(self):
        assert open_files(("t.jsonl", jsonl(replaced(ROWS, (2, "source"), None)))).sources[2] == ""

    @pytest.mark.parametrize("column", ["docid", "domain"])
    def test_a_column_that_is_blank_throughout_is_none(self, column):
        testset = open_files(("t.jsonl", jsonl([{**row, column: None} for row in ROWS])))
        assert {"docid": testset.documents, "domain": testset.domains}[column] is None

    def test_scores_are_no_texts_for_one_that_is_a_text(self):
        with pytest.raises(InputError, match="t.jsonl, row 1, column A: the score is 'bad'"):
            open_files(("t.jsonl", jsonl(replaced(TABLES["wide"], (0, "A"), "bad"))))

    @pytest.mark.parametrize(
        "value, words",
        [
            (date(2024, 1, 2), "a date (2024-01-02)"),
            (time(1, 2), "a time (01:02:00)"),
            (True, "true"),
        ],
    )
    def test_a_workbook(self, value, words):
        with pytest.raises(
            InputError,
            match=re.escape(f"t.xlsx, row 4, column A: this is {words}. Expected a text"),
        ):
            open_files(("t.xlsx", xlsx(replaced(ROWS, (2, "A"), value))))

    @pytest.mark.parametrize(
        "value, words", [(date(2024, 1, 2), "a date (2024-01-02)"), (True, "true")]
    )
    def test_parquet(self, value, words):
        rows = [{**row, "source": value} for row in ROWS]
        with pytest.raises(
            InputError,
            match=re.escape(f"t.parquet, row 1, column source: this is {words}. Expected"),
        ):
            open_files(("t.parquet", parquet(rows)))

    def test_a_column_that_nobody_reads_may_hold_anything(self):
        values = [{"a": 1}, [1], None, True, 1, "x"]
        rows = [{**row, "origlang": value} for row, value in zip(ROWS, values, strict=True)]
        assert list(open_files(("t.jsonl", jsonl(rows))).systems) == ["A", "B"]

    @pytest.mark.parametrize(
        "name, path, words",
        [
            ("wmt25-texts", (1, "src_text"), "row 2, column src_text: this is true"),
            ("wmt25-texts", (1, "refs"), "row 2, column refs: this is true. Expected an object"),
            (
                "wmt25-texts",
                (1, "refs", "refA"),
                "row 2, refs, column refA: this is true. Expected an object",
            ),
            (
                "wmt25-texts",
                (1, "refs", "refA", "ref"),
                "row 2, refs.refA, column ref: this is true",
            ),
            ("wmt25-texts", (1, "tgt_text", "A"), "row 2, tgt_text, column A: this is true"),
            ("lm-eval", (1, "target"), "row 2, column target: this is true"),
            ("lm-eval", (1, "filtered_resps", 0), "row 2, column filtered_resps: this is true"),
            ("lm-eval", (1, "doc_id"), "row 2, column doc_id: this is true"),
            (
                "translations",
                (1, "translation"),
                "row 2, column translation: this is true. Expected an object",
            ),
            (
                "translations",
                (1, "translation", "de"),
                "row 2, column translation, column de: this is true",
            ),
        ],
    )
    def test_records(self, name, path, words):
        with pytest.raises(InputError, match=re.escape(f"t.jsonl, {words}")):
            open_files(("t.jsonl", jsonl(replaced(RECORDS[name](), path, True))))

    @pytest.mark.parametrize("key", ["docid", "domain"])
    def test_documents(self, key):
        rows = [{"docid": 7, "domain": "news"}] * 6
        texts = PLAIN[0], PLAIN[1]
        assert open_files(*texts, ("docs.jsonl", jsonl(rows))).documents == ("7",) * 6
        with pytest.raises(
            InputError, match=rf"docs.jsonl, line 3, column {key}: this is a list \(\['d'\]\)"
        ):
            open_files(*texts, ("docs.jsonl", jsonl(replaced(rows, (2, key), ["d"]))))

    def test_a_number_in_a_record_is_its_text(self):
        root = replaced(RECORDS["wmt25-texts"](), (1, "refs", "refA", "ref"), 12)
        assert open_files(("t.jsonl", jsonl(root))).references["refA"][1] == "12"


class TestScores:
    @pytest.mark.parametrize("column", ["system", "line", "score", "rater", "docid", "domain"])
    @pytest.mark.parametrize("value", [True, ["a"], {"a": 1}])
    def test_json(self, column, value):
        with pytest.raises(InputError, match=f"^t.jsonl, row 3, column {column}: "):
            as_scores(jsonl(replaced(TABLES["scores"], (2, column), value)), "t.jsonl")

    @pytest.mark.parametrize("number", [1, 2.5])
    def test_a_comma_as_text_beside_a_number(self, number):
        """As Excel has it where some numbers were typed in another language."""
        rows = [{"A": "0,55", "B": 0}, {"A": number, "B": 1}, {"A": "0,7", "B": 1}]
        assert as_scores(xlsx(rows), "t.xlsx").scores["t"].by_system["A"] == (0.55, number, 0.7)

    @pytest.mark.parametrize(
        "content, words",
        [
            (
                {"columns": ["A", "B"], "data": [[], [1, 2]]},
                "t.json, row 1 of 'data' is []. Expected a list",
            ),
            (
                {"columns": ["A", "B"], "index": 3, "data": [[1, 2]]},
                "t.json: 'index' is 3. Expected a list",
            ),
            (
                {"columns": [["A"], "B"], "data": [[1, 2]]},
                "t.json, name of column 1: this is a list",
            ),
            ({"columns": ["A", "A"], "data": [[1, 2]]}, "t.json has the column A twice"),
            ({"columns": ["", ""], "data": [[1, 2]]}, "this is empty"),
        ],
    )
    def test_orients_of_pandas(self, content, words):
        with pytest.raises(InputError, match=re.escape(words)):
            as_scores(json.dumps(content).encode())

    def test_a_first_line_that_is_no_object(self):
        with pytest.raises(InputError, match=r"t.jsonl, row 1 is \[1\]. Expected an object"):
            open_files(("t.jsonl", b"[1]\n" + b'{"a": 1}\n' * 20))

    def test_errors_without_a_category(self):
        rows, write = LINES["mqm"]
        content = write([cells[:4] + cells[5:] for cells in rows]).replace("category\t", "")
        with pytest.raises(
            InputError, match="t.tsv: I found the columns system, doc, seg_id, rater, severity"
        ):
            as_scores(content.encode(), "t.tsv")

    @pytest.mark.parametrize(
        "header", ["system\trank\tBLEU", "system\trank_low\trank_high", "lp\tsystem\tBLEU\trank"]
    )
    def test_a_published_table_of_a_header_alone(self, header):
        with pytest.raises(InputError, match="has no line below its header"):
            parse_official_table(f"{header}\n")

    def test_columns_without_a_name(self):
        with pytest.raises(
            InputError, match="t.csv: columns 3 and 4 have no name. Name or remove them"
        ):
            open_files(("t.csv", b"reference,A,,\na b,a b,x,y\nc d,c,u,v\n"))


def test_a_published_rank_where_a_rule_ranks_nobody(tmp_path, monkeypatch, capsys):
    """Three segments are too few for simultaneous ranges."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.tsv").write_text("A\tB\n1\t2\n2\t2\n1\t3\n")
    (tmp_path / "official.tsv").write_text(
        "system\thuman\tcluster\trank\nA\t1.33\t\t1\nB\t2.33\t\t\n"
    )
    command = [
        "score",
        "--scores",
        "human=t.tsv",
        "--metrics",
        "human",
        "--official",
        "official.tsv",
    ]
    assert main(command) == 0
    assert "Other rules give none." in capsys.readouterr().out


# -- whatever comes -------------------------------------------------------------------------------


def test_every_format_that_is_read_is_tried():
    files = [write(rows) for write in CONTAINERS.values() for rows in TABLES.values()]
    files += [jsonl(make()) for make in RECORDS.values()]
    files += [write(rows).encode() for rows, write in LINES.values()]
    tried = {fmt.name for fmt in map(sniff, files) if fmt is not None}
    assert {fmt.name for fmt in FORMATS if fmt.reads} - {"zip", "tar"} <= tried


@pytest.mark.parametrize(
    "table, container",
    [
        (table, container)
        for table in TABLES
        for container in CONTAINERS
        if table != "languages" or container not in ("tsv", "csv")
    ],
)  # which data sets are not published as
def test_sound_files_are_read(table, container):
    assert open_files((f"t.{container}", CONTAINERS[container](TABLES[table])))


def _changes_form(container, value):
    """Whether a file is no table of columns any more, which is what its message is about."""
    return container == "columns.json" and isinstance(value, list | dict)


@given(table_files())
@example(("texts", "jsonl", 0, "A", 12, replaced(ROWS, (0, "A"), 12)))
def test_one_value_in_a_table(made):
    table, container, row, column, value, rows = made
    file = f"t.{container}"
    try:
        content = CONTAINERS[container](rows)
    except (
        Exception
    ):  # what the library that writes the file refuses, as Excel a letter or a date before 1900
        return
    reads = {"text": to_text, "name": to_name, "number": to_number}
    is_clear = True
    if container in KEEPS_TYPES:
        value = json.loads(json.dumps(value, default=str))
    try:
        reads[kind_of(table, column)](value)
    except UnclearValueError:
        is_clear = False
    try:
        open_files((file, content))
    except MtsigError as error:
        message = str(error)
        message.encode()
        assert "t." in message
        if (
            not is_clear
            and container in (*KEEPS_TYPES, "xlsx")
            and not _changes_form(container, value)
        ):
            assert re.search(r"\b(row|line|segment) \d", message) and column in message, message
    else:
        assert is_clear or container in ("tsv", "csv", "xlsx", "parquet"), (made, "was read")


@given(other_files())
def test_one_value_in_a_file_of_another_form(made):
    _, file, content = made
    try:
        open_files((file, content))
    except MtsigError as error:
        str(error).encode()


@given(table_files())
def test_one_value_in_a_frame(made):
    table, _, _, _, _, rows = made
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    frames = [columns]
    try:
        frames.append(pd.DataFrame(columns))
    except Exception:  # what pandas makes nothing of
        pass
    for frame in frames:
        try:
            read_frame(frame) if table in ("texts", "languages") else read_scores({"t": frame})
        except MtsigError as error:
            str(error).encode()
