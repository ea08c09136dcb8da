"""What strangers upload is measured before it takes memory; each limit has one message that names
it.
"""

import gzip
import hashlib
import io
import json
import os
import zipfile

import pandas as pd
import pytest

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers.columns import check_unique
from mtsig_core.readers.limits import (
    LOCAL_VARIABLES,
    UploadLimits,
    local_limit,
    parse_bounded_json,
    upload_limits,
)
from mtsig_core.readers.tasks import read_pair
from mtsig_core.readers.uploads import Upload, read_uploads
from mtsig_core.report.commands import command_line, task_command
from mtsig_core.source import Source, TaskSource
from tests.builders.toys import read_zip, zip_language_pairs, zipped
from tests.builders.typed_files import xlsx

KB = 1 << 10


def texts(**contents):
    return [
        Upload(name, content, "reference" if name == "ref" else "system", name)
        for name, content in contents.items()
    ]


def scores(content, file="t.tsv"):
    return [Upload(file, content, "scores", "t")]


def parquet(columns):
    out = io.BytesIO()
    pd.DataFrame(columns).to_parquet(out)
    return out.getvalue()


def xml(body, **outputs):
    made = "".join(
        f'<hyp system="{name}" lang="de"><p><seg id="1">{text}</seg></p></hyp>'
        for name, text in outputs.items()
    )
    made = made and f'<ref lang="de"><p><seg id="1">a</seg></p></ref>{made}'
    return f'<dataset><doc id="d" origlang="en"><src lang="en"><p>{body}</p></src>{made}</doc></dataset>'.encode()


def workbook(rows):
    """A workbook with more in the XML of its sheet than a program writes."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(xlsx([{"A": 1}, {"A": 2}]))) as sound,
        zipfile.ZipFile(out, "w") as made,
    ):
        for part in sound.infolist():
            made.writestr(
                part.filename,
                sound.read(part).replace(b"</sheetData>", rows.encode() + b"</sheetData>"),
            )
    return out.getvalue()


TEN = [f"s{k}" for k in range(10)]
LONG_PARTS = "/".join(["d"] * 20)
BOMBS = [
    ("MB", "1", lambda: read_uploads(texts(ref=b"a\n", x=gzip.compress(b"x\n" * 600 * KB)))),
    (
        "MB",
        "1",
        lambda: read_uploads(texts(ref=b"a\n" * 300 * KB, x=b"a\n" * 300 * KB)),
    ),  # together
    ("LINES", "99", lambda: read_uploads(texts(ref=b"a\n" * 60, x=gzip.compress(b"a\n" * 60)))),
    ("LINE_LENGTH", "999", lambda: read_uploads(texts(ref=b"a\n", x=b"x" * KB))),
    ("VALUES", "999", lambda: read_uploads(scores(b"A,B\n" + b"1,2\n" * 600))),
    ("VALUES", "999", lambda: read_uploads(scores(b"[" + b"{}," * 600 + b"{}]", "t.json"))),
    (
        "VALUES",
        "999",
        lambda: read_uploads(scores(parquet({"A": [1.0] * 600, "B": [2.0] * 600}), "t.parquet")),
    ),
    ("MB", "1", lambda: read_uploads(scores(parquet({"A": ["x" * 2000 * KB]}), "t.parquet"))),
    (
        "COLUMNS",
        "9",
        lambda: read_uploads(scores(f"{','.join(TEN)}\n{','.join('1' * 10)}\n".encode())),
    ),
    (
        "COLUMNS",
        "9",
        lambda: read_uploads(scores(json.dumps([dict.fromkeys(TEN, 1)] * 3).encode(), "t.json")),
    ),
    (
        "COLUMNS",
        "9",
        lambda: read_uploads(scores(json.dumps(dict.fromkeys(TEN, [1, 2])).encode(), "t.json")),
    ),
    ("COLUMNS", "9", lambda: read_uploads(scores(parquet(dict.fromkeys(TEN, [1.0])), "t.parquet"))),
    ("COLUMNS", "9", lambda: read_uploads(scores(xlsx([dict.fromkeys(TEN, 1)] * 3), "t.xlsx"))),
    ("VALUES", "999", lambda: read_uploads(scores(workbook("<row/>" * 900), "t.xlsx"))),
    ("SYSTEMS", "9", lambda: read_uploads(texts(ref=b"a\n", **{name: b"a\n" for name in TEN}))),
    (
        "SYSTEMS",
        "9",
        lambda: read_uploads(scores(f"{','.join(TEN)}\n{','.join('1' * 10)}\n".encode())),
    ),
    (
        "SYSTEMS",
        "9",
        lambda: read_uploads(
            scores("".join(["system,line,score\n", *(f"{name},1,1\n" for name in TEN)]).encode())
        ),
    ),
    (
        "SYSTEMS",
        "5",
        lambda: read_uploads(
            [  # together
                *scores(b"a,b,c\n1,1,1\n2,2,2\n"),
                *scores(b"d,e,f\n1,1,1\n2,2,2\n", "u.tsv"),
            ]
        ),
    ),
    (
        "SYSTEMS",
        "1",
        lambda: read_zip(
            zipped(
                {
                    "references/en-de.refA.txt": b"a\n",
                    "system-outputs/en-de/A.txt": b"a\n",
                    "system-outputs/en-de/B.txt": b"a\n",
                }
            ),
            "en-de",
        ),
    ),
    (
        "SYSTEMS",
        "1",
        lambda: read_zip(
            zipped({"x.en-de.xml": xml('<seg id="1">a</seg>', A="a", B="a")}), "en-de"
        ),
    ),
    ("ZIP_MB", "1", lambda: zip_language_pairs(zipped({"a": b"\0" * 1100 * KB}))),
    (
        "ZIP_MB",
        "1",
        lambda: zip_language_pairs(zipped({str(k): b"\0" * 300 * KB for k in range(4)})),
    ),
    ("ZIP_FILES", "9", lambda: zip_language_pairs(zipped({str(k): b"" for k in range(10)}))),
    (
        "MB",
        "1",
        lambda: read_zip(zipped({"references/en-de.refA.txt": b"a\n" * 600 * KB}), "en-de"),
    ),
    (
        "LINES",
        "20",
        lambda: read_zip(
            zipped({"x.en-de.xml": xml("".join(map('<seg id="{}"/>'.format, range(30))))}), "en-de"
        ),
    ),
    (
        "LINE_LENGTH",
        "999",
        lambda: read_zip(zipped({"x.en-de.xml": xml(f'<seg id="1">{"x" * KB}</seg>')}), "en-de"),
    ),
]


@pytest.mark.parametrize("limit, value, work", BOMBS)
def test_each_limit_is_named_with_what_to_do(monkeypatch, limit, value, work):
    monkeypatch.setenv(f"MTSIG_UPLOAD_{limit}", value)
    with pytest.raises(
        InputError,
        match=rf"too large for this dashboard: .* {int(value):,} .*MTSIG_UPLOAD_{limit}\.",
    ):
        work()


#: What the command line reads, as files: content and what it comes as; the limit, and how much
#: there is of it.
LOCAL = [
    ("COLUMNS", 10, "--scores", f"{','.join(TEN)}\n{','.join('1' * 10)}\n"),
    (
        "SYSTEMS",
        10,
        "--scores",
        "system,line,score\n" + "".join(f"{name},1,1\n{name},2,2\n" for name in TEN),
    ),
    ("SYSTEMS", 10, "--scores", f"{','.join(TEN)}\n{','.join('1' * 10)}\n{','.join('2' * 10)}\n"),
    ("VALUES", 60, "--scores", "A,B\n" + "1,2\n" * 29),
    ("LINE_LENGTH", 12, "--system", "a b c d e fg\n"),
    ("MB", 2, "--system", f"{'a' * 250_000}\n" * 5),
]


@pytest.mark.parametrize("limit, n, option, content", LOCAL)
def test_limits_of_the_command_line(limit, n, option, content, tmp_path, monkeypatch, run):
    """Each is named, with what raises it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.txt").write_text(content)
    (tmp_path / "ref.txt").write_text("a\n" * content.count("\n"))
    beside = "--ref ref.txt" if option == "--system" else ""
    command = f"score --format csv {beside} {option} t=t.txt"
    variable = f"MTSIG_MAX_{limit}"
    monkeypatch.setenv(variable, str(n - 1))
    refused = run(command)
    assert refused.status == 2
    assert refused.err.startswith(f"mtsig: t.txt has {n:,} ")
    assert f"at most {n - 1:,} " in refused.err
    assert f"{variable} to {n} or more" in refused.err
    monkeypatch.setenv(variable, str(n))
    assert run(command).status == 0


def test_the_usual_limits_of_the_command_line():
    assert {name: local_limit(name, {}) for name in LOCAL_VARIABLES} == {
        "mb": 2048,
        "line_length": 1_000_000,
        "columns": 10_000,
        "values": 200_000_000,
        "systems": 1_000,
    }
    with pytest.raises(
        SettingError, match="MTSIG_MAX_SYSTEMS is 'many'. Expected a whole number above 0"
    ):
        local_limit("systems", {"MTSIG_MAX_SYSTEMS": "many"})


def test_names_of_columns_are_looked_at_once():
    """Each name was once counted in the whole header, so that many took minutes."""
    seen = []

    class Title(str):
        def __eq__(self, other):
            seen.append(self)
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    header = [Title(k) for k in range(500)]
    check_unique("t", header)
    assert len(seen) < 5 * len(header)


@pytest.mark.parametrize("said", ["0", "-1", "50 MB", "1e3", "9" * 20])
def test_limits_of_the_environment(said):
    assert upload_limits({}) == UploadLimits() and upload_limits({"MTSIG_UPLOAD_MB": " 7 "}).mb == 7
    with pytest.raises(SettingError, match="MTSIG_UPLOAD_MB is .* Expected a whole number above 0"):
        upload_limits({"MTSIG_UPLOAD_MB": said})


@pytest.mark.parametrize(
    "table",
    [
        "system,line,score\n"
        + "".join(f"s{k},{k},1\n" for k in range(1, 40)),  # each of a system and a line of its own
        "\n".join(json.dumps({f"s{k}": 1.0}) for k in range(40)),
    ],
)
def test_few_lines_make_no_large_table(monkeypatch, table):
    monkeypatch.setenv("MTSIG_UPLOAD_VALUES", "1000")
    with pytest.raises(InputError, match=r"table of 1,\d\d\d places"):
        read_uploads(scores(table.encode()))


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_damaged_members(tmp_path, method):
    content = b"".join(hashlib.sha256(bytes([k])).digest() for k in range(30))
    packed = zipped({"references/en-de.refA.txt": content}, method)
    for at in (70, 100, len(packed) // 2, len(packed) - 200):
        damaged = packed[:at] + bytes([packed[at] ^ 0xFF]) + packed[at + 1 :]
        (tmp_path / "t.zip").write_bytes(damaged)
        with pytest.raises(InputError):
            read_pair(tmp_path / "t.zip", "en-de")


def changed_members(packed, at_member, at_list, value):
    """A zip in which a field of each member says something else, in the member's own header and in
    the list of all.
    """
    data = bytearray(packed)
    for mark, at in ((b"PK\x03\x04", at_member), (b"PK\x01\x02", at_list)):
        place = -1
        while (place := packed.find(mark, place + 1)) >= 0:
            data[place + at] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("flag", "method", "said"),
    [
        (
            1,
            0,
            r"references/en-de.refA.txt in the zip archive is encrypted\. Zip the folder again, without a password",
        ),
        (
            0,
            99,
            r"cannot be read: That compression method is not supported\. Copy it again, or zip",
        ),
    ],
)
def test_members_that_need_a_password_or_an_unknown_method(tmp_path, flag, method, said):
    packed = zipped(
        {"references/en-de.refA.txt": b"a\n", "system-outputs/en-de/x.txt": b"a\n"},
        zipfile.ZIP_STORED,
    )
    packed = changed_members(changed_members(packed, 6, 8, flag), 8, 10, method)
    (tmp_path / "t.zip").write_bytes(packed)
    with pytest.raises(InputError, match=said):
        read_pair(tmp_path / "t.zip", "en-de")


def test_what_is_packed_by_rarer_ways_is_read_on_the_command_line_alone(tmp_path):
    task = {"references/en-de.refA.txt": b"a\n", "system-outputs/en-de/x.txt": b"a\n"}
    (tmp_path / "t.zip").write_bytes(zipped(task, zipfile.ZIP_LZMA))
    assert list(read_pair(tmp_path / "t.zip", "en-de").systems) == ["x"]
    with pytest.raises(InputError, match="Zip the folder again by the usual way, deflate"):
        read_zip(zipped(task, zipfile.ZIP_BZIP2), "en-de")


@pytest.mark.parametrize(
    "names, told",
    [
        (["x" * 300], "more than 255 letters"),
        ([LONG_PARTS], "too many folders"),
        (["x", "../x"], "is there twice"),
        ([".."], "is no name"),
    ],
)
def test_names_in_zips(names, told):
    with pytest.raises(InputError, match=told):
        zip_language_pairs(zipped(dict.fromkeys(names, b"")))


def test_a_list_of_a_million_files_is_not_read(monkeypatch):
    monkeypatch.setattr("mtsig_core.readers.files.MAX_FILES", 3)
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_: pytest.fail("the list was read"))
    with pytest.raises(InputError, match="far more than 3 files"), zipfile_of_many() as content:
        zip_language_pairs(content)


class zipfile_of_many:
    """An end of a zip that tells of a list of 10 MB."""

    def __enter__(self):
        return (
            b"PK\1\2".ljust(10 << 20, b"\0")
            + b"PK\5\6"
            + b"\0" * 8
            + (10 << 20).to_bytes(4, "little")
            + b"\0" * 6
        )

    def __exit__(self, *_):
        return False


@pytest.mark.parametrize(
    "name",
    [
        "..",
        ".",
        "a\0b",
        "é" * 200,
        "/",
        "a/..",
        "\ud800",
        "x" * 300,
        "../../etc/x",
        "..\\x",
        "/abs/x",
        "\u202ex",
    ],
)
def test_names_of_uploads(name):
    files = texts(ref=b"a\n") + [
        Upload(name, b"a\n", "system", "s"),
        Upload(name, b"b\n", "system", "t"),
    ]
    assert list(read_uploads(files).systems) == ["s", "t"]


def test_halves_of_characters_in_json_are_written_out():
    table = b'{"system": "\\ud800A", "line": 1, "score": 1}\n{"system": "\\\\ud800", "line": 1, "score": 1}'
    testset = read_uploads(scores(table, "t.jsonl"))
    assert list(testset.systems) == ["\\ud800A", "\\ud800"]
    assert parse_bounded_json(r'"\uD83D\uDE00\uDE00"', None) == "😀\\uDE00"
    testset.digest.encode()


@pytest.mark.parametrize(
    "content, told",
    [
        (b'{"system": "A", "line": 1, "score": ' + b"[" * 900 + b"]" * 900 + b"}", "score is"),
        (b"[" * 900 + b"]" * 900, "row 1 is"),
        (b"[" * 100000 + b"]" * 100000, "not JSON"),
        (b'{"system": "A", "line": 1, "score": ' + b"9" * 400 + b"}", "infinite"),
        (b'{"system": "A", "line": 1, "score": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"PAR1" + b"\0" * 50 + b"PAR1", "not a valid Parquet"),
        (parquet({"A": [1.0]})[:-20] + b"PAR1", "not a valid Parquet"),
    ],
)
def test_odd_tables(content, told):
    with pytest.raises(InputError, match=told):
        read_uploads(scores(content))


# -- below a folder -------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path):
    """A task below a folder, and a secret beside it."""
    for name, text in {
        "references/en-de.refA.txt": "a\nb\n",
        "system-outputs/en-de/x.txt": "a\nc\n",
    }.items():
        path = tmp_path / "root/task" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/y.txt").write_text("s\ns\n")
    return tmp_path / "root"


def both(root):
    """What reads of a task: the set of a pair, and the task with its digest."""
    task = TaskSource(str(root / "task"), below=str(root))
    return [
        Source(folder=str(root / "task"), langpair="en-de", below=str(root)).read,
        task.read,
        task.digest,
    ]


def test_below_a_folder_all_is_read_and_named_from_there(root):
    for work in both(root):
        work()
    source = Source(folder=str(root / "task"), langpair="en-de", below=str(root))
    assert command_line("compare", source) == "mtsig compare --folder task --langpair en-de"
    assert task_command(TaskSource(source.folder, below=source.below)) == "mtsig task --folder task"
    scores = (("en-de", "esa", str(root / "task/en-de.esa.tsv")),)
    told = TaskSource(
        source.folder, scores=scores, below=source.below
    ).to_record()  # which a manifest has
    assert told["folder"] == "task" and told["scores"] == [("en-de", "esa", "task/en-de.esa.tsv")]
    assert "below" not in told
    assert (
        TaskSource(source.folder).digest() == TaskSource(source.folder, below=source.below).digest()
    )
    (root / "task/system-outputs/en-de/x.txt").write_text("a\n")
    with pytest.raises(InputError) as caught:
        source.read()
    assert str(caught.value).startswith("task/system-outputs/en-de/x.txt has 1 line")
    assert str(root) not in str(caught.value)


def test_no_link_leads_out(root):
    outputs = root / "task/system-outputs/en-de"
    (outputs / "y.txt").symlink_to(root.parent / "secret/y.txt")
    for work in both(root):
        with pytest.raises(
            InputError, match=r"^task/system-outputs/en-de/y.txt is a link that leads out"
        ):
            work()
    assert (
        "y" in Source(folder=str(root / "task"), langpair="en-de").read().systems
    )  # on the command line
    (outputs / "y.txt").unlink()
    (outputs / "x.txt").rename(root / "x.txt")
    outputs.rmdir()
    outputs.symlink_to(root.parent / "secret")
    for work in both(root)[:2]:
        with pytest.raises(InputError, match="is a link that leads out") as caught:
            work()
        assert "y.txt" not in str(caught.value) and str(root) not in str(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_below_a_folder_only_regular_files_are_read(root, kind):
    odd = root / "task/system-outputs/en-de/y.txt"
    os.mkfifo(odd) if kind == "pipe" else odd.symlink_to("/dev/zero")
    for work in both(root)[:2]:
        with pytest.raises(InputError, match="y.txt is (not a regular file|a link that leads out)"):
            work()


def test_names_that_are_no_utf8_are_written_out(root):
    strange = os.fsdecode(b"caf\xe9")
    outputs = root / "task/system-outputs/en-de"
    (outputs / "x.txt").rename(outputs / f"{strange}.txt")
    (root / "task").rename(root / strange)
    testset = Source(folder=str(root / strange), langpair="en-de", below=str(root)).read()
    assert list(testset.systems) == ["caf\\udce9"] and testset.name == "caf\\udce9 en-de"
    task = TaskSource(str(root / strange), below=str(root))
    assert task.title == "caf\\udce9" == task.read().name
    command_line("compare", Source(folder=task.folder, langpair="en-de")).encode()
