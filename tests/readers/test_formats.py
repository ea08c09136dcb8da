"""What a file is, by its content: structured files are refused where a line of text is expected,
and texts are not.
"""

import bz2
import gzip
import io
import itertools
import json
import lzma
import re
import shutil
import subprocess
import tarfile
import zipfile
from functools import partial
from pathlib import Path

import pandas
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.errors import InputError, MtsigError
from mtsig_core.readers import lines as large
from mtsig_core.readers import read_lines, read_scores, read_text
from mtsig_core.readers.document_ids import read_documents
from mtsig_core.readers.formats import (
    DOCUMENTS,
    FORMATS,
    SCORE_TABLE,
    SEGMENTS,
    find_format,
    sniff,
)
from mtsig_core.readers.limits import UploadLimits, limit_reading
from mtsig_core.readers.tasks import read_task
from mtsig_core.readers.texts import read_frame
from mtsig_core.readers.uploads import (
    Upload,
    guess_uploads,
    holds_files,
    list_flat_files,
    read_uploads,
)
from mtsig_core.report.caution_words import with_remedy
from mtsig_core.source import Source
from tests.builders.cases import brief
from tests.builders.toys import zipped

FIXTURES = Path(__file__).parent / "pearmut"
WORDS = "Haus und Hof haben viele Tiere heute morgen wieder einmal gesehen".split()
TEXTS = [f"{' '.join(WORDS[k % 7 : k % 7 + 4])}, Satz {k}." for k in range(30)]
SEGS = "".join(f'<seg id="{k}">{text}</seg>\n' for k, text in enumerate(TEXTS, 1))


zstd = partial(pyarrow.compress, codec="zstd", asbytes=True)


def lines(*texts):
    return "".join(f"{text}\n" for text in texts)


def json_lines(rows):
    return lines(*map(json.dumps, rows))


def as_bytes(contents):
    """The same contents by name, none of them as text."""
    encoded = {}
    for name, content in contents.items():
        encoded[name] = content if isinstance(content, bytes) else content.encode()
    return encoded


def scores_of(table):
    """The human scores that a table has, by system."""
    return dict(read_scores({"human": table}).scores["human"].by_system)


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("ref.txt")
        member.size = len(content := lines(*TEXTS).encode())
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def numbered(form):
    return "".join(form.format(k=k, text=text) for k, text in enumerate(TEXTS))


XLSX = zipped(
    {"docProps/app.xml": "<x/>", "xl/workbook.xml": "<x/>" * 900, "[Content_Types].xml": "<x/>"}
)
CONTENTS = {
    "sgml": f'<refset setid="n19" trglang="de">\n<doc sysid="ref" docid="d" genre="news">\n{SEGS}</doc>\n</refset>\n',
    "wmt-xml": f'<?xml version="1.0"?>\n<dataset id="n21"><doc id="d" origlang="en">\n<hyp system="A" lang="de"><p>\n'
    f"{SEGS}</p></hyp></doc></dataset>\n",
    "tmx": '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header/><body>\n'
    + numbered('<tu><tuv xml:lang="de"><seg>{text}</seg></tuv></tu>\n')
    + "</body></tmx>\n",
    "xliff": '<xliff version="1.2"><file><body>\n'
    + numbered('<trans-unit id="{k}">\n  <target>{text}</target>\n</trans-unit>\n')
    + "</body></file></xliff>\n",
    "xml": '<?xml version="1.0" encoding="UTF-8"?><texts>' + numbered("\n{text}") + "\n</texts>",
    "html": "<!DOCTYPE html>\n<html lang='en'>\n<body>\n<p>Not found\n</body>\n</html>\n",
    "jsonl-texts": json_lines({"doc_id": "d", "hypothesis": text} for text in TEXTS),
    "lm-eval": json_lines(
        {"doc_id": 1, "doc": {}, "target": text, "filtered_resps": [text]} for text in TEXTS
    ),
    "json": json.dumps({"texts": TEXTS}, indent=2),
    "fairseq": "2024-01-01 | INFO | fairseq | loading\n" * 9
    + numbered(
        "S-{k}\tx y\nT-{k}\t{text}\nH-{k}\t-0.4\t{text}\nD-{k}\t-0.4\t{text}\nP-{k}\t-0.1 -0.2\n"
    ),
    "simuleval": json_lines(
        {"index": k, "prediction": text, "delays": [1.0], "reference": text}
        for k, text in enumerate(TEXTS)
    ),
    "opennmt": numbered(
        "\nSENT {k}: ['x', 'y']\nPRED {k}: {text}\nPRED SCORE: -0.4\nGOLD {k}: {text}\n"
    ),
    "opus": numbered("source {k}\n{text}\n{text}\n\n"),
    "predictions": json.dumps({"predictions": TEXTS, "references": [[text] for text in TEXTS]}),
    "sacrebleu": json.dumps(
        {"name": "BLEU", "score": 33.1, "signature": "nrefs:1", "nrefs": "1"}, indent=1
    ),
    "sacrebleu-table": json.dumps(
        [{"system": "A", "BLEU": {"score": 33.1, "p_value": None}}], indent=4
    ),
    "comet-compare": json.dumps(
        {
            "model": "Unbabel/wmt22-comet-da",
            "statistical_results": [{"x_name": "A.txt", "y_name": "B.txt"}],
            "source": TEXTS,
            "translations": [
                {"name": name, "mt": TEXTS, "scores": [k / 40 for k, _ in enumerate(TEXTS)]}
                for name in ("A.txt", "B.txt")
            ],
        },
        indent=4,
    ),
    "lm-eval-results": json.dumps(
        {"results": {"wmt16": {"alias": "wmt16", "bleu,none": 33.1}}, "configs": {}}, indent=2
    ),
    "metricx": json_lines(
        {"source": "x", "hypothesis": text, "reference": text, "prediction": 1.5} for text in TEXTS
    ),
    "pearmut": (FIXTURES / "dynamic.annotations.json").read_bytes(),
    "nbest": numbered("{k} ||| {text} ||| LM= -1 ||| -3.2\n" * 2),
    "conllu": "# text = Haus und\n1\tHaus\t_\t_\t_\t_\t0\troot\t_\t_\n2\tund\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    * 20,
    "subtitles": numbered("{k}\n00:00:01,000 --> 00:00:02,000\n{text}\n\n"),
    "po": numbered('#: file:{k}\nmsgid "x"\nmsgstr "{text}"\n\n'),
    "comet": numbered("A.txt\tSegment {k}\tscore: 0.8{k}\n") + "A.txt\tscore: 0.8012\n",
    "scores": lines("system\tline\tscore", *(f"A\t{k}\t0.5" for k in range(1, 31))),
    "texts": lines("source,reference,A", *(f'"x","{text}","{text}"' for text in TEXTS)),
    "columns": numbered("{text}\t{text}\n"),
    "zip": zipped({"references/en-de.refA.txt": lines(*TEXTS)}),
    "xlsx": XLSX,
    "tar": tar(),
    "bzip2": bz2.compress(bz2.compress(lines(*TEXTS).encode())),
    "xz": lzma.compress(lzma.compress(lines(*TEXTS).encode())),
    "zstd": zstd(zstd(lines(*TEXTS).encode())),
}
CONTENTS = as_bytes(CONTENTS)
MORE = {
    "one object": b'{"translations": ["a", "b"]}',
    "objects in an array": json.dumps([{"mt": "a"}] * 9).encode(),
    "texts in an array": json.dumps(TEXTS, indent=1).encode(),
    "with windows line ends": CONTENTS["jsonl-texts"].replace(b"\n", b"\r\n"),
    "with a byte order mark": b"\xef\xbb\xbf" + CONTENTS["sgml"],
    "cut off": CONTENTS["tmx"][:900],
    "only hypotheses": "".join(f"H-{k}\t-0.1\t{text}\n" for k, text in enumerate(TEXTS)).encode(),
}

CODE = [
    "def f(x):",
    "    return {'a': x}",
    '{"key": 1}',
    "<?xml version='1.0'?>",
    "for (i = 0; i < n; i++) {",
    "}",
    "[",
    "a[i]\t= 1",
    "<html>",
    "// end",
]
PLAIN = {
    "texts": TEXTS,
    "code": CODE * 3,
    "code from a bracket on": ["[", "]", "{", "}", *CODE * 2],
    "one line of JSON": [*TEXTS, '{"name": "A", "size": 3}'],
    "JSON first": ['{"name": "A"}', '["a"]', *TEXTS],
    "sentences of HTML": [f"<p>{text}</p>" for text in TEXTS],
    "a page as first line": ["<html>", *TEXTS],
    "a declaration first": ['<?xml version="1.0"?>', *TEXTS],
    "a seg first": ['<seg id="1">a</seg>', *TEXTS],
    "the name of a format": ["<tmx>", "<refset> opens a set of references.", *TEXTS],
    "tabs here and there": [f"{text}\t." if k % 2 else text for k, text in enumerate(TEXTS)],
    "one with a tab": ["a\tb"],
    "bars": [f"{text} ||| x" for text in TEXTS],
    "numbers": [f"{k}. {k} ||" for k in range(9)],
    "dialogue": [f'"{text}"' for text in TEXTS],
    "names of columns": ["source, reference", "a", "b, c, d", *TEXTS],
    "brackets": [f"[{text}]" for text in TEXTS],
    "braces": [f"{{{text}}}" for text in TEXTS],
    "one in brackets": ["[Applaus]"],
    "words and numbers": [f"Satz {k}" for k in range(9)],
    "verses in threes": [
        line
        for text in TEXTS[:9]
        for line in (f"der {text}", "ach und weh", "ein anderes Wort", "")
    ],
    "a field of prediction": ['{"prediction": "x"}', *TEXTS],
    "signs": ["H-12 is a bomb.", "S-1", "D-0", *TEXTS],
    "blank": ["", " ", ""],
    "first letters of a binary format": ["PAR1 oder BZh", *TEXTS],
    "times": ["00:01:02,000 --> x", *TEXTS],
}


def is_read(name, content):
    """Whether the format of that name is read where `content` is expected."""
    return any(content in one.reads for one in FORMATS if one.name == name)


class TestSniff:
    @pytest.mark.parametrize("name", CONTENTS)
    def test_by_content(self, name):
        assert sniff(CONTENTS[name]).name == name

    @pytest.mark.parametrize("form", MORE)
    def test_other_forms(self, form):
        assert sniff(MORE[form]) is not None

    @pytest.mark.parametrize("kind", PLAIN)
    def test_plain_texts_are_plain(self, kind):
        found = sniff(lines(*PLAIN[kind]).encode())
        assert found is None, found.name

    def test_texts_of_wmt_are_plain(self, wmt24):
        files = [
            path
            for folder in ("references", "sources", "system-outputs")
            for path in (wmt24 / folder).rglob("*.txt*")
        ]
        assert len(files) > 40
        for path in files:
            data = path.read_bytes()
            assert sniff(gzip.decompress(data) if path.suffix == ".gz" else data) is None, path

    @given(st.binary(max_size=300) | st.text('[]{}",:<>\t\n|- a1', max_size=300).map(str.encode))
    def test_whatever_comes(self, data):
        try:
            assert find_format("x", data, SEGMENTS) is None
        except InputError as error:
            assert str(error).startswith(f"x is {sniff(data).title[:9]}")


class TestRefused:
    @pytest.mark.parametrize("name", [name for name in CONTENTS if not is_read(name, SEGMENTS)])
    def test_as_a_text(self, write, name):
        path = write("A.out", CONTENTS[name], pack=False)
        with pytest.raises(InputError) as caught:
            read_lines(path)
        (kind,) = (form for form in FORMATS if form.name == name)
        said = str(caught.value)
        assert said.startswith(f"{path} is {kind.title.format(n_columns=2)}")
        assert "Expected one segment per line." in said
        assert caught.value.remedies == kind.remedies
        assert not {"FILE", "COPY"} & set(said.split())

    def test_a_large_text(self, write, monkeypatch):
        monkeypatch.setattr(large, "LARGE", 100)
        for name in ("jsonl-texts", "sgml", "columns", "tar"):
            with pytest.raises(InputError, match="Expected one segment per line"):
                large.read_texts(write("A.out", CONTENTS[name], pack=False))
        assert list(large.read_texts(write("A.txt", TEXTS))) == TEXTS

    @pytest.mark.parametrize("name", [name for name in CONTENTS if not is_read(name, DOCUMENTS)])
    def test_as_documents(self, write, name):
        with pytest.raises(InputError, match="Expected one document id per line"):
            read_documents(write("docs", CONTENTS[name], pack=False))

    @pytest.mark.parametrize("name", [name for name in CONTENTS if not is_read(name, SCORE_TABLE)])
    def test_as_scores(self, write, name):
        with pytest.raises(
            InputError,
            match=f"is {sniff(CONTENTS[name]).title}.*Expected a table of segment scores",
        ):
            read_scores({"human": write("human", CONTENTS[name], pack=False)})

    def test_in_a_folder(self, write, tmp_path):
        write("task/references/en-de.refA.txt", TEXTS)
        write("task/system-outputs/en-de/A.txt", CONTENTS["jsonl-texts"])
        with pytest.raises(InputError, match="A.txt is JSON, an object in each line"):
            read_task(tmp_path / "task")

    def test_nothing_reaches_a_terminal_raw(self, write):
        path = write("a\x1b[2J.txt", "".join(f'{{"\x1b]0;x\x07": "{text}"}}\n' for text in TEXTS))
        with pytest.raises(InputError) as caught:
            read_lines(path)
        assert "\x1b" not in str(caught.value) and "\\x1b]0;x\\x07" in str(caught.value)


@pytest.mark.parametrize(
    "name, program",
    [
        ("nbest", "awk"),
        ("columns", "cut"),
        ("jsonl-texts", "jq"),
        ("simuleval", "jq"),
        ("opennmt", "sed"),
        ("opus", "awk"),
    ],
)
def test_the_command_in_the_message_gives_the_texts(write, tmp_path, name, program):
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    with pytest.raises(InputError) as caught:
        read_lines(write("A b.out", CONTENTS[name], pack=False))
    command = str(caught.value)
    command = re.split(
        r" \(|, with the key|\. (?=[A-Z])", command[command.rindex(f": {program} ") + 2 :]
    )[0]
    if name == "simuleval":  # whose references have a command, too
        command = re.search(r": (jq .*?)\. (?=Its)", str(caught.value))[1]
    subprocess.run(["bash", "-c", command.replace(".KEY", ".hypothesis")], check=True, cwd=tmp_path)
    assert read_lines(tmp_path / "A b.out.texts.txt") == TEXTS


# What is read: a table of texts, logs, markup, by each door, whatever the order of the files.


def change(texts, k):
    """An output: every k-th text has another word."""
    return [
        text.replace("Satz", "Absatz") if place % k == 0 else text
        for place, text in enumerate(texts)
    ]


OUT = {"A": change(TEXTS, 7), "B": change(TEXTS, 3)}
DOCUMENTS_OF = [f"d{k // 5}" for k in range(30)]
ROWS = [
    {"source": f"s {k}", "reference": TEXTS[k], "A": OUT["A"][k], "B": OUT["B"][k]}
    for k in range(30)
]


def sgml(root, sysid, texts):
    documents = (
        f'<doc sysid="{sysid}" docid="d{d}" genre="news">\n<p>\n'
        + "".join(f'<seg id="{k}">{texts[d * 5 + k - 1]}</seg>\n' for k in range(1, 6))
        + "</p>\n</doc>\n"
        for d in range(6)
    )
    return f'<{root} setid="n19" srclang="any" trglang="de">\n{"".join(documents)}</{root}>\n'


def wmt_xml(kind, own, texts):
    documents = (
        f'<doc id="d{d}" origlang="en"><{kind} lang="de" {own}><p>'
        + "".join(f'<seg id="{k}">' + texts[d * 5 + k - 1] + "</seg>\n" for k in range(1, 6))
        + f"</p></{kind}></doc>\n"
        for d in range(6)
    )
    return f'<?xml version="1.0" encoding="utf-8"?>\n<dataset id="n21">{"".join(documents)}</dataset>\n'


def workbook(rows):
    from openpyxl import Workbook

    book, out = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def parquet(rows):
    import pyarrow
    from pyarrow import parquet as files

    out = io.BytesIO()
    files.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


def packed_tar(files, mode):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, content in files.items():
            member = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def delimited(sign):
    return lines(
        sign.join(ROWS[0]), *(sign.join(f'"{cell}"' for cell in row.values()) for row in ROWS)
    )


def wmt25(texts, key="hypothesis"):
    rows = []
    for d in (3, 1, 5, 0, 2, 4):
        document = "\n\n".join(texts[d * 5 : d * 5 + 5])
        rows.append({"doc_id": f"en-de_DE_#_news_#_d{d}", key: document})
    return json_lines(rows)


SHUFFLED = sorted(range(30), key=lambda k: k * 7 % 30)
LOG = "".join(
    f"S-{k}\ts {k}\nT-{k}\t{TEXTS[k]}\nH-{k}\t-0.4\tx\nD-{k}\t-0.4\t{OUT['A'][k]}\n"
    for k in SHUFFLED
)
SAMPLES = json_lines(
    {"doc_id": k, "doc": {}, "target": TEXTS[k], "filtered_resps": [f"{OUT['A'][k]}\n"]}
    for k in SHUFFLED
)
GENMT = json_lines(
    {
        "doc_id": f"{pair}_#_news_#_d{d}",
        "src_text": "s\n\n" * 4 + "s",
        "refs": {"refA": {"ref": "\n\n".join(TEXTS[d * 5 : d * 5 + 5])}},
    }
    for pair, d in itertools.product(("en-cs_CZ", "en-de_DE"), range(6))
)
DATA_SET = json_lines({"translation": {"en": "x", "de": text}} for text in TEXTS)
FLORES = json_lines(
    {
        "id": k,
        "URL": f"https://x/{k // 5}",
        "domain": "wikinews",
        "topic": "a",
        "sentence_eng_Latn": f"s {k}",
        "sentence_deu_Latn": text,
    }
    for k, text in enumerate(TEXTS)
)
MENDED = json_lines(
    {
        "lp": "en-de_DE",
        "domain": "news",
        "document_id": f"d{k // 5}",
        "segment_id": k,
        "is_bad_source": False,
        "source": f"s {k}",
        "target": text,
        "original_target": "x",
    }
    for k, text in enumerate(TEXTS)
)
PREDICTIONS = json.dumps({"predictions": OUT["A"], "references": [[text] for text in TEXTS]})
PLAIN_B = {"B.txt": lines(*OUT["B"])}
#: Files, with those that are references, and those that are outputs; texts are TEXTS, A and B by
#: each.
SETS = {
    "SGML": (
        {
            "n19-ende-ref.de.sgm": sgml("refset", "ref", TEXTS),
            "n19.A.en-de.sgm": sgml("tstset", "A", OUT["A"]),
            "n19.B.en-de.sgm": sgml("tstset", "B", OUT["B"])
            .replace('"', "'")
            .replace("<doc", "<DOC"),
        },
        ["n19-ende-ref.de.sgm"],
        ["n19.A.en-de.sgm", "n19.B.en-de.sgm"],
    ),
    "XML by role": (
        {
            "ref.xml": wmt_xml("ref", 'translator="A"', TEXTS),
            "out.xml": wmt_xml("hyp", 'system="A"', OUT["A"]),
            **PLAIN_B,
        },
        ["ref.xml"],
        ["out.xml", "B.txt"],
    ),
    "TSV": ({"t.tsv": delimited("\t").replace('"', "")}, ["t.tsv"], []),
    "CSV": ({"t.csv": delimited(",")}, ["t.csv"], []),
    "JSONL": ({"t.jsonl": lines(*map(json.dumps, ROWS))}, ["t.jsonl"], []),
    "JSON": ({"t.json": json.dumps(ROWS)}, ["t.json"], []),
    "JSON by column": (
        {"t.json": json.dumps({key: [row[key] for row in ROWS] for key in ROWS[0]})},
        ["t.json"],
        [],
    ),
    "xlsx": (
        {"t.xlsx": workbook([list(ROWS[0]), *(list(row.values()) for row in ROWS)])},
        ["t.xlsx"],
        [],
    ),
    "Parquet": ({"t.parquet": parquet(ROWS)}, ["t.parquet"], []),
    "data set in JSONL": (
        {"hf.ref.jsonl": DATA_SET, "A.txt": lines(*OUT["A"]), **PLAIN_B},
        ["hf.ref.jsonl"],
        ["A.txt", "B.txt"],
    ),
    "data set in Parquet": (
        {
            "hf.ref.parquet": parquet([{"translation": {"en": "x", "de": text}} for text in TEXTS]),
            "A.txt": lines(*OUT["A"]),
            **PLAIN_B,
        },
        ["hf.ref.parquet"],
        ["A.txt", "B.txt"],
    ),
    "several references": (
        {
            "ref.tsv": lines(*(f"{a}\t{b}" for a, b in zip(TEXTS, OUT["B"], strict=True))),
            "A.txt": lines(*OUT["A"]),
            **PLAIN_B,
        },
        ["ref.tsv"],
        ["A.txt", "B.txt"],
    ),
    "FLORES": (
        {"flores.jsonl": FLORES, "A.txt": lines(*OUT["A"]), **PLAIN_B},
        ["flores.jsonl"],
        ["A.txt", "B.txt"],
    ),
    "WMT24++": (
        {"en-de_DE.jsonl": MENDED, "A.txt": lines(*OUT["A"]), **PLAIN_B},
        ["en-de_DE.jsonl"],
        ["A.txt", "B.txt"],
    ),
    "predictions": ({"A.json": PREDICTIONS, **PLAIN_B}, ["A.json"], ["A.json", "B.txt"]),
    "fairseq": ({"A.txt": LOG, **PLAIN_B}, ["A.txt"], ["A.txt", "B.txt"]),
    "lm-eval": ({"A.jsonl": SAMPLES, **PLAIN_B}, ["A.jsonl"], ["A.jsonl", "B.txt"]),
    "WMT25": (
        {"genmt.jsonl": GENMT, "A.jsonl": wmt25(OUT["A"]), "B.jsonl": wmt25(OUT["B"])},
        ["genmt.jsonl"],
        ["A.jsonl", "B.jsonl"],
    ),
    "UTF-16": (
        {
            "ref.txt": "\ufeff" + lines(*TEXTS),
            "A.txt": ("\ufeff" + lines(*OUT["A"])).encode("utf-16-be"),
            "B.txt": lines(*OUT["B"]).encode("utf-16"),
        },
        ["ref.txt"],
        ["A.txt", "B.txt"],
    ),
    "packed": (
        {
            "ref.txt.bz2": bz2.compress(lines(*TEXTS[:9]).encode())
            + bz2.compress(lines(*TEXTS[9:]).encode()),
            "A.txt.xz": lzma.compress(lines(*OUT["A"]).encode()),
            "B.txt.zst": zstd(lines(*OUT["B"][:9]).encode()) + zstd(lines(*OUT["B"][9:]).encode()),
        },
        ["ref.txt.bz2"],
        ["A.txt.xz", "B.txt.zst"],
    ),
}
SETS = {name: (as_bytes(files), *roles) for name, (files, *roles) in SETS.items()}


@pytest.mark.parametrize(
    "name, program, remedy",
    [
        ("sacrebleu", "sacreBLEU", "the reference and the outputs"),
        ("sacrebleu-table", "sacreBLEU", "the outputs"),
        ("comet-compare", "comet-compare", "comet-score"),
        ("lm-eval-results", "lm-evaluation-harness", "--log_samples"),
    ],
)
@pytest.mark.parametrize("indent", [2, None])
def test_a_result_of_whole_systems_is_named_with_what_to_give_instead(
    tmp_path, name, program, remedy, indent
):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(json.loads(CONTENTS[name]), indent=indent))
    instead = f"is a .*{program}.*Expected .* It contains .*{remedy}"
    with pytest.raises(InputError, match=instead):
        read_scores({"mine": path})
    with pytest.raises(InputError, match=instead):
        read_text([(None, path)], [])
    with pytest.raises(InputError, match=f"is a .*{program}.*Expected one document id"):
        read_documents(path)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_the_scores_of_comet_compare_are_taken_by_the_command_of_the_message(tmp_path):
    (tmp_path / "c.json").write_bytes(CONTENTS["comet-compare"])
    with pytest.raises(InputError) as caught:
        read_scores({"COMET": tmp_path / "c.json"})
    command = re.search("jq '.*", str(caught.value))[0].rpartition(" > ")[0]
    command = command.rpartition(" ")[0]
    output = subprocess.check_output(f"{command} c.json", shell=True, cwd=tmp_path)
    (tmp_path / "scores.json").write_bytes(output)
    by_system = read_scores({"COMET": tmp_path / "scores.json"}).scores["COMET"].by_system
    assert by_system["A.txt"] == tuple(k / 40 for k, _ in enumerate(TEXTS))


def test_outputs_in_a_file_that_is_given_as_a_reference_only_are_named(tmp_path):
    """The outputs of the first model were dropped without a word."""
    paths = {name: tmp_path / f"{name}.jsonl" for name in "AB"}
    for path in paths.values():
        path.write_text(SAMPLES)
    testset = read_text([(None, paths["A"])], [(None, paths["B"])])
    [unused] = testset.assumed
    assert (
        [*testset.systems] == ["B"] and unused.code == "outputs-unused" and "A.jsonl" in unused.text
    )
    assert "by --system too" in with_remedy(unused)
    both = [(None, path) for path in paths.values()]
    assert not read_text([(None, paths["A"])], both).assumed
    assert not read_text([(None, paths["A"])], []).assumed


def check_texts(testset):
    assert list(next(iter(testset.references.values()))) == TEXTS
    assert {own: list(texts) for own, texts in testset.systems.items()} == OUT


class TestRead:
    @pytest.mark.parametrize("name", SETS)
    def test_as_files(self, name, tmp_path):
        files, references, systems = SETS[name]
        for file, content in files.items():
            (tmp_path / file).write_bytes(content)
        ref, system = (
            tuple((None, str(tmp_path / file)) for file in role)
            for role in (references, reversed(systems))
        )
        check_texts(Source(ref=ref, langpair="en-de", system=system).read())

    @pytest.mark.parametrize("turned", [False, True])
    @pytest.mark.parametrize("name", SETS)
    def test_as_uploads(self, name, turned):
        files = list(SETS[name][0].items())
        if turned:
            files.reverse()
        guesses = guess_uploads(files)
        uploads = [Upload(*file, *guess) for file, guess in zip(files, guesses, strict=True)]
        check_texts(read_uploads(uploads, langpair="en-de"))

    def test_documents_and_domains_come_too(self, write):
        testset = read_text(
            [(None, write("ref.sgm", SETS["SGML"][0]["n19-ende-ref.de.sgm"]))],
            [(None, write("A.sgm", SETS["SGML"][0]["n19.A.en-de.sgm"]))],
        )
        assert list(testset.documents) == DOCUMENTS_OF and set(testset.domains) == {"news"}

    def test_documents_in_another_order_are_put_in_order(self, write):
        documents = sgml("tstset", "A", OUT["A"]).split("<doc")
        turned = documents[0] + "".join(f"<doc{one}" for one in documents[:0:-1]).replace(
            "</tstset>", ""
        )
        files = [write("ref.sgm", sgml("refset", "ref", TEXTS)), write("A.sgm", turned)]
        assert list(read_text([(None, files[0])], [(None, files[1])]).systems["A"]) == OUT["A"]

    def test_a_document_with_other_paragraphs_is_one_segment(self, write):
        other = wmt25(OUT["A"]).replace("\\n\\n", " ", 1)  # in d3
        files = write("genmt.jsonl", GENMT), write("A.jsonl", other)
        testset = read_text([(None, files[0])], [("A", files[1])], langpair="en-de_DE")
        assert testset.n_segments == 26 and testset.systems["A"][15] == " ".join(OUT["A"][15:20])

    @pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
    def test_a_tar_archive_is_read_as_a_zip(self, tmp_path, mode):
        text = lines(*TEXTS).encode()
        task = {"t/references/en-de.refA.txt": text, "./t/system-outputs/en-de/A.txt": text}
        for pack in (bytes, zstd) if mode == "w" else (bytes,):
            (tmp_path / "task").write_bytes(pack(packed_tar(task, mode)))
            assert read_task(tmp_path / "task").testsets["en-de"].systems["A"][0] == TEXTS[0]

    @pytest.mark.parametrize("pack", [zipped, lambda files: packed_tar(files, "w:gz")])
    def test_an_archive_of_files_side_by_side(self, tmp_path, pack):
        texts = {"ref.txt": TEXTS, "A.txt": OUT["A"], "B.txt": OUT["B"]}
        content = pack({name: lines(*text).encode() for name, text in texts.items()})
        (tmp_path / "flat").write_bytes(content)
        assert holds_files(content) and not holds_files(XLSX)
        assert sorted(name for name, _ in list_flat_files(tmp_path / "flat")) == [
            "A.txt",
            "B.txt",
            "ref.txt",
        ]
        paths = [(name, tmp_path / "flat" / f"{name}.txt") for name in ("ref", "A", "B")]
        check_texts(read_text(paths[:1], paths[1:]))


WRONG = {
    "an output without a segment": (
        {
            "ref.sgm": sgml("refset", "ref", TEXTS),
            "A.sgm": sgml("tstset", "A", TEXTS).replace('<seg id="5">', '<seg id="6">', 1),
        },
        "has no segment 5 of document d0, which .*ref.sgm has",
    ),
    "a reference as an output": (
        {"ref.sgm": sgml("refset", "ref", TEXTS), "A.sgm": sgml("refset", "ref", TEXTS)},
        "A.sgm has no output. It has 1 reference: ref",
    ),
    "source and target": (
        {
            "ref.tsv": lines(*(f"word number {k}\t{text}" for k, text in enumerate(TEXTS))),
            "A.txt": lines(*TEXTS),
        },
        "which share hardly a word, so they may be no references",
    ),
    "a column of something": (
        {
            "ref.csv": lines("reference,note", *(f'"{text}","kept"' for text in TEXTS)),
            "A.txt": lines(*TEXTS),
        },
        "'note' shares hardly a word with the references",
    ),
    "a column of systems": (
        {
            "ref.csv": lines("system,output,ref", *(f'"A","{text}","{text}"' for text in TEXTS)),
            "A.txt": lines(*TEXTS),
        },
        "names systems in the column 'system'",
    ),
    "a column twice": (
        {
            "ref.csv": lines("reference,A,A", *(f'"{text}","{text}","{text}"' for text in TEXTS)),
            "A.txt": lines(*TEXTS),
        },
        "has the column A twice",
    ),
    "a document twice": (
        {"ref.sgm": sgml("refset", "ref", TEXTS).replace('"d1"', '"d0"'), "A.txt": lines(*TEXTS)},
        "line 11: the document 'd0' appears twice",
    ),
    "samples of two filters": (
        {"ref.jsonl": SAMPLES + SAMPLES, "A.txt": lines(*TEXTS)},
        "appears twice.*one filter",
    ),
    "no language pair": (
        {"ref.jsonl": DATA_SET, "A.txt": lines(*TEXTS)},
        "has texts by language: en, de. Say which is the source",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told(write, case):
    (reference, first), (output, second) = WRONG[case][0].items()
    with pytest.raises(MtsigError, match=WRONG[case][1]):
        read_text([(None, write(reference, first))], [(None, write(output, second))])


#: Given as a text these were scored as they stand.
SILENT = {
    "JSON lists": lines(*(json.dumps([text, "x"]) for text in TEXTS)),
    "cells in quotes": lines(*(f'"{text}","{text}"' for text in TEXTS)),
    "numbers": lines(*(f"0.{k}" for k in range(9))),
    "seg alone": SEGS,
    "an id and a text": lines("id,translation", *(f'{k},"{text}"' for k, text in enumerate(TEXTS))),
    "after Excel's line": lines("sep=;", "system;line;score", *(f"A;{k};0,5" for k in range(9))),
}


@pytest.mark.parametrize("kind", SILENT)
def test_what_is_no_plain_text_is_not_scored_as_one(write, kind):
    with pytest.raises(InputError, match="Expected one segment per line"):
        read_lines(write("A.txt", SILENT[kind]))


# Tables of scores.

A, B = [0.5, 0.25, 12.5], [1.0, 0.75, None]
LONG = [
    {"system": name, "line": k, "score": score}
    for name, scores in (("A", A), ("B", B))
    for k, score in enumerate(scores, 1)
]


def excel(*rows):
    return "\r\n".join(rows) + "\r\n"


def by(orient):
    return pandas.DataFrame(LONG).to_json(orient=orient)


BOTH = (("A", A), ("B", B))
LONG_EXCEL = [
    f"{row['system']};{row['line']};{'' if row['score'] is None else str(row['score']).replace('.', ',')}"
    for row in LONG
]
TABLES = {
    "Excel's CSV": excel(
        "sep=;", "system;line;score;;", *(f"{row};;" for row in LONG_EXCEL), ";;;;", ";;;;"
    ),
    "decimal commas": excel("system;line;score", *LONG_EXCEL),
    "decimal commas in a column each": excel("A;B", "0,5;1", "0,25;0,75", "12,5;"),
    "UTF-16 of Excel": (
        "\ufeff" + excel("system\tline\tscore", *LONG_EXCEL).replace(";", "\t")
    ).encode("utf-16-le"),
    "xlsx": workbook([["system", "line", "score"], *(list(row.values()) for row in LONG)]),
    "xlsx with texts as numbers": workbook(
        [["A", "B"], ["0,5", "1"], ["0,25", "0,75"], ["12,5", None], [None, None]]
    ),
    **{
        f"JSON of pandas, {orient}": by(orient)
        for orient in ("records", "split", "index", "columns", "table")
    },
    **{
        f"a column each, JSON of pandas, {orient}": pandas.DataFrame({"A": A, "B": B}).to_json(
            orient=orient
        )
        for orient in ("split", "index", "columns", "table")
    },
    "a list of rows": json.dumps({"scores": LONG}),
    "a list for each": json.dumps({"A": A, "B": B}),
    "comet-score": "".join(
        f"out/{name}.txt\tSegment {k}\tscore: {score or 0.125}\n"
        for name, scores in BOTH
        for k, score in enumerate(scores)
    )
    + "out/A.txt\tscore: 0.7\n",
    "mt-metrics-eval": "".join(f"{name}\t{score}\n" for name, scores in BOTH for score in scores),
    "from 0": lines(
        "system,line,score",
        *(f"{name},{k},{score or ''}" for name, scores in BOTH for k, score in enumerate(scores)),
    ),
}
TABLES = as_bytes(TABLES)


BY_SEGMENT = [list(both) for both in zip(TEXTS, OUT["B"], strict=True)]


class TestFormsOfOtherPrograms:
    def test_flores_has_articles_and_domains(self, write):
        path = write("flores.jsonl", FLORES)
        for pair in ("en-de", "eng_Latn-deu_Latn"):
            testset = read_text([(None, path)], [("A", write("A.txt", OUT["A"]))], langpair=pair)
            assert list(testset.references["ref"]) == TEXTS and testset.sources[2] == "s 2"
            assert (testset.n_documents, set(testset.domains)) == (6, {"wikinews"})
        with pytest.raises(MtsigError, match="eng_Latn, deu_Latn. Say which is the source"):
            read_text([(None, path)], [], langpair="en-fr")

    def test_a_language_in_two_scripts_is_asked_for(self, write):
        rows = [{"sentence_eng_Latn": "x", "sentence_zho_Hans": "a", "sentence_zho_Hant": "b"}] * 5
        path = write("flores.jsonl", lines(*map(json.dumps, rows)))
        with pytest.raises(MtsigError, match="Say which is the source"):
            read_text([(None, path)], [], langpair="en-zh")
        assert set(
            read_text([(None, path)], [], langpair="eng_Latn-zho_Hant").references["ref"]
        ) == {"b"}

    @pytest.mark.parametrize(
        "content",
        [
            {"predictions": OUT["A"], "references": BY_SEGMENT},
            {"references": [TEXTS, OUT["B"]], "predictions": OUT["A"]},
            {"predictions": OUT["A"], "references": BY_SEGMENT, "sources": ["x"] * 30},
        ],
    )
    def test_several_references_by_segment_or_by_reference(self, write, content):
        testset = read_text([(None, write("A.json", json.dumps(content)))], [])
        assert list(testset.references) == ["ref1", "ref2"]
        assert list(testset.references["ref1"]) == TEXTS
        assert list(testset.references["ref2"]) == OUT["B"]
        assert list(testset.systems["A"]) == OUT["A"]

    @pytest.mark.parametrize(
        "content, message",
        [
            (
                {"predictions": ["a", "b"], "references": [["a", "b"], ["c", "d"]]},
                "may be of a segment or of a reference",
            ),
            (
                {"predictions": ["a", "b"], "references": ["a"]},
                "reference 1: 1 text. Expected a list of 2 texts",
            ),
            (
                {"predictions": ["a", True], "references": ["a", "b"]},
                "segment 2: this is true. Expected a text",
            ),
            (
                {"predictions": ["a", "b"], "references": ["a", ["b"]]},
                "texts and lists side by side",
            ),
            (
                {"predictions": ["a", "b"], "references": ["a", {}]},
                "reference 1, segment 2: this is an object",
            ),
            (
                {"predictions": ["a", "b"], "references": {"a": 1}},
                "references is {'a': 1}. Expected a list",
            ),
        ],
    )
    def test_predictions_that_fit_nothing_are_refused(self, write, content, message):
        with pytest.raises(InputError, match=message):
            read_text([(None, write("A.json", json.dumps(content)))], [])

    def test_metricx_has_scores_of_the_system_that_its_file_names(self, write):
        content = json_lines(
            {"source": "x", "hypothesis": text, "reference": text, "prediction": k / 2}
            for k, text in enumerate(TEXTS)
        )
        for file in ("A.jsonl", "metricx_A.jsonl", "A.metricx-24.jsonl"):
            scores = read_scores({"MetricX": write(file, content)}).scores["MetricX"]
            assert dict(scores.by_system) == {"A": tuple(k / 2 for k in range(30))}
            assert not scores.higher_is_better
        assert guess_uploads([("A.jsonl", content.encode())]) == [("scores", "MetricX")]
        assert list(read_text([(None, write("A.jsonl", content))], []).systems["A"]) == TEXTS
        broken = content + '{"hypothesis": "a", "prediction": "b"}\n'
        with pytest.raises(InputError, match="row 31 is .*prediction, a number"):
            read_scores({"MetricX": write("B.jsonl", broken)})

    def test_negated_metricx_is_better_when_higher(self, write):
        rows = json_lines(
            {"source": "x", "hypothesis": "y", "prediction": -k / 2} for k in range(9)
        )
        assert read_scores({"MetricX": write("A.jsonl", rows)}).scores["MetricX"].higher_is_better

    def test_metadata_of_flores_are_documents_and_domains(self, write):
        rows = [f"https://x/{k // 5}\twikinews\ttopic\tyes\tno" for k in range(30)]
        path = write(
            "metadata_devtest.tsv", lines("URL\tdomain\ttopic\thas_image\thas_hyperlink", *rows)
        )
        documents, domains = read_documents(path)
        assert (documents[5], set(domains), len(documents)) == ("https://x/1", {"wikinews"}, 30)
        named = write("docs.tsv", lines("domain\tdocid", *["news\td1"] * 30))
        assert read_documents(named) == (["d1"] * 30, ["news"] * 30)
        plain = write("plain.tsv", lines(*["news\td1"] * 30))
        assert read_documents(plain) == (["d1"] * 30, ["news"] * 30)


class TestSheets:
    def read(self, write, rows):
        return scores_of(write("x.xlsx", workbook(rows)))

    def test_a_title_above_the_names_is_skipped(self, write):
        rows = [
            ["Ratings of May"],
            [None],
            ["system", "line", "score"],
            ["A", 1, 0.5],
            ["B", 1, 0.25],
        ]
        assert self.read(write, rows) == {"A": (0.5,), "B": (0.25,)}

    def test_a_title_above_texts_is_skipped(self, write):
        rows = [["My test set"], ["source", "reference", "A"], *(["x", t, t] for t in TEXTS)]
        path = write("x.xlsx", workbook(rows))
        assert list(read_text([(None, path)], []).systems["A"]) == TEXTS

    def test_heads_over_several_columns(self, write):
        rows = [["line", "Scores", None], [None, "A", "B"], [1, 0.5, 0.25], [2, 0.75, 1]]
        assert self.read(write, rows) == {"A": (0.5, 0.75), "B": (0.25, 1.0)}

    def test_the_same_names_below_two_heads_are_refused(self, write):
        rows = [
            ["line", "BLEU", None, "COMET", None],
            [None, "A", "B", "A", "B"],
            [1, 0.5, 0.25, 0.1, 0.2],
        ]
        with pytest.raises(InputError, match="has the column A twice"):
            self.read(write, rows)

    def test_a_head_over_several_columns_of_texts_is_named(self, write):
        heads = [["source", "Texts", None], [None, "reference", "A"]]
        path = write("x.xlsx", workbook([*heads, *(["x", text, text] for text in TEXTS)]))
        said = "row 1: column 3 has no name, and the one before it is called Texts"
        with pytest.raises(InputError, match=said):
            read_text([(None, path)], [])

    def test_a_column_without_a_title_above_it_stays(self, write):
        assert self.read(write, [["A", "B"], [0.5, 0.25], [0.75, 1]]) == {
            "A": (0.5, 0.75),
            "B": (0.25, 1.0),
        }


@pytest.mark.parametrize("value", ["#N/A", "<NA>", ""])
def test_scores_that_a_spreadsheet_lacks(write, value):
    path = write("s.csv", lines("system,segid,score", f"A,1,{value}", "A,2,0.5"))
    assert scores_of(path) == {"A": (None, 0.5)}


def test_judgements_of_true_and_false_count_one_and_zero(write):
    judged = pandas.DataFrame(
        {
            "system": ["A", "A", "B", "B"],
            "line": [1, 2, 1, 2],
            "score": [True, False, None, True],
        }
    )
    expected = {"A": (1.0, 0.0), "B": (None, 1.0)}
    assert scores_of(write("s.jsonl", judged.to_json(orient="records", lines=True))) == expected
    table = lines("system,line,score", "A,1,TRUE", "A,2,FALSE", "B,1,", "B,2,TRUE")
    assert scores_of(write("s.csv", table)) == expected
    wide = lines("line,A,B", "1,true,n/a", "2,false,true")
    assert scores_of(write("w.csv", wide)) == expected
    with pytest.raises(InputError, match="the score is 'true'"):
        scores_of(write("m.csv", lines("system,line,score", "A,1,true", "A,2,0.5")))


def test_a_frame_that_gives_itself_as_arrow_does():
    """As duckdb does."""
    import pyarrow

    testset = read_frame(pyarrow.table({"refA": ["a b", "c d"], "A": ["a b", "c"]}), name="toy")
    assert dict(testset.systems) == {"A": ("a b", "c")}
    assert testset.references["refA"] == ("a b", "c d")
    columns = {"system": ["A", "A"], "line": [1, 2], "score": [None, 1]}
    assert scores_of(pyarrow.table(columns)) == {"A": (None, 1.0)}
    twice = pyarrow.Table.from_arrays([pyarrow.array(["a"])] * 2, names=["refA", "refA"])
    with pytest.raises(InputError, match="refA twice"):
        read_frame(twice)
    with pytest.raises(InputError, match="type ChunkedArray. Expected a data frame"):
        read_frame(pyarrow.table(columns)["line"])


def test_a_frame_of_polars():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {"refA": ["a b", None], "ref": ["a", "b"], "docid": [1, 1], "A": ["c", ""]}
    )
    testset = read_frame(frame)
    assert testset.references["refA"] == ("a b", None) and testset.documents == ("1", "1")
    scores = polars.DataFrame({"system": ["A", "A"], "line": [1, 2], "score": [None, 1]})
    assert scores_of(scores) == {"A": (None, 1.0)}
    with pytest.raises(InputError, match=r"type LazyFrame\. .*a LazyFrame after collect\(\)"):
        read_frame(frame.lazy())
    with pytest.raises(InputError, match="type Series"):
        read_frame(frame["A"])


class TestTables:
    @pytest.mark.parametrize("name", TABLES)
    def test_by_each_door(self, write, name):
        expected = {"A": tuple(A), "B": (1.0, 0.75, 0.125 if name == "comet-score" else None)}
        file = "scores.out"
        testset = read_scores({"m": write(file, TABLES[name])}, higher_is_better=("m",))
        assert dict(testset.scores["m"].by_system) == expected and testset.lines == (1, 2, 3)
        [(role, own)] = guess_uploads([(file, TABLES[name])])
        assert role == "scores"
        testset = read_uploads([Upload(file, TABLES[name], "scores, higher is better", own)])
        assert dict(testset.scores[own].by_system) == expected

    @pytest.mark.parametrize(
        "content, message",
        [
            (
                excel("system;line;score", "A;1;85,250", "A;2;90,125"),
                "the score is '85,250'",
            ),  # or thousands
            (excel("system;line;score", "A;1;0,5", "A;2;0.25"), "the score is '0,5'"),
            (json.dumps({"A": {"x": 1, "y": 2}, "B": {"x": 1, "y": 2}}), "Which are the columns"),
            (
                "A.txt\tSegment 0\tscore: 1\nA.txt\tSegment 0\tscore: 1\n",
                "is segment 0 of A. Expected segment 1",
            ),
        ],
    )
    def test_what_fits_two_readings_is_refused(self, write, content, message):
        with pytest.raises(InputError, match=message):
            read_scores({"m": write("x", content)})


class TestHostile:
    """Nothing in a file is computed, followed, run, or unpacked without end."""

    def parts(self, **changed):
        with zipfile.ZipFile(io.BytesIO(TABLES["xlsx"])) as book:
            return {name: book.read(name).decode() for name in book.namelist()} | changed

    def test_entities_of_a_workbook(self, write):
        bomb = '<?xml version="1.0"?><!DOCTYPE w [<!ENTITY a "aa">]><worksheet>&a;</worksheet>'
        with pytest.raises(InputError, match="declares a document type or an entity"):
            read_scores({"m": write("x", zipped(self.parts(**{"xl/worksheets/sheet1.xml": bomb})))})

    def test_entities_of_sgml_are_text(self, write):
        texts = ["&xxe; &lt;b&gt; AT&T", *TEXTS[1:]]
        path = write(
            "ref.sgm", '<!ENTITY xxe SYSTEM "file:///etc/passwd">\n' + sgml("refset", "ref", texts)
        )
        assert read_text([(None, path)], []).references["ref"][0] == "&xxe; <b> AT&T"

    def test_formulas_are_not_computed(self, write):
        rows = [["system", "line", "score"], ["A", 1, "=1+1"], ["A", 2, 1]]
        with pytest.raises(
            InputError, match="row 2: the value of the formula =1[+]1 is not in the file"
        ):
            read_scores({"m": write("x.xlsx", workbook(rows))})
        path = write("A.csv", lines("reference,A", *(f'"{text}","=cmd|{text}"' for text in TEXTS)))
        assert read_text([(None, path)], []).systems["A"][0] == f"=cmd|{TEXTS[0]}"

    def test_a_row_far_below_takes_no_time(self, write):
        sheet = self.parts()["xl/worksheets/sheet1.xml"].replace(
            '<row r="2"', '<row r="99999999999"'
        )
        with pytest.raises(InputError, match="has more than 100,000 empty rows"):
            read_scores(
                {"m": write("x", zipped(self.parts(**{"xl/worksheets/sheet1.xml": sheet})))}
            )

    @pytest.mark.parametrize(
        "content",
        [
            "0" * 60_000 + "x\n",
            lines("reference,A", f'"{" " * 99_000}x","{" " * 99_000}x"', *['"a b","a b"'] * 9),
            json_lines([{"source": "x", "reference": f"{' ' * 99_000}x\n"}] * 9),
            f"<refset>\n<doc {'a' * 500_000}>\n",
            "H-" + "9" * 5000 + "\t-0.1\ta\n",
            lines(*["S-1\ta", "H-1\t-0.4\ta"] * 9),
            json_lines([*[{"doc_id": "a_#_b", "hypothesis": "x"}] * 20, {"a": 1}]),
            json_lines([{"doc_id": "a_#_b", "src_text": "x", "refs": ["y"], "tgt_text": 3}] * 20),
            lines(
                *["A.txt\tSegment 0\tscore: 1.2.3"] * 9,
                "A.txt\tSegment " + "9" * 5000 + "\tscore: 1",
            ),
        ],
    )
    def test_odd_content_is_told_in_no_time(self, content):
        odd, text = content.encode(), lines(*TEXTS).encode()
        for role, other in (
            ("system", "reference"),
            ("reference", "system"),
            ("scores", "system"),
        ):
            with pytest.raises(MtsigError):
                read_uploads([Upload("x", odd, role, "x"), Upload("y", text, other, "y")])
        assert guess_uploads([("x", odd)])

    @pytest.mark.parametrize("pack", brief(1, [gzip.compress, bz2.compress, lzma.compress, zstd]))
    def test_a_bomb_of_text(self, pack):
        content = pack(b"a" * (60 << 20))
        with pytest.raises(InputError, match="at most 50 MB"):
            read_uploads(
                [
                    Upload("A.txt", content, "system", "A"),
                    Upload("r.txt", content, "reference", "r"),
                ]
            )

    def test_a_bomb_of_a_workbook(self, write):
        with pytest.raises(InputError, match="at most 50 MB"), limit_reading(UploadLimits()):
            read_scores(
                {"m": write("x", zipped(self.parts(**{"xl/media/x.xml": "a" * (60 << 20)})))}
            )

    def test_a_bomb_of_a_tar_archive(self, tmp_path):
        (tmp_path / "t").write_bytes(
            packed_tar({"references/en-de.refA.txt": b"a" * (3 << 20)}, "w:gz")
        )
        with (
            pytest.raises(InputError, match="unpacks to more than 1 MB"),
            limit_reading(UploadLimits(zip_mb=1)),
        ):
            read_task(tmp_path / "t")

    def test_links_and_paths_in_a_tar_archive_lead_nowhere(self, tmp_path):
        link = tarfile.TarInfo("references/en-de.refB.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        text = lines(*TEXTS).encode()
        (tmp_path / "t").write_bytes(
            packed_tar(
                {
                    "references/en-de.refA.txt": text,
                    link: b"",
                    "../../system-outputs/en-de/A.txt": text,
                },
                "w",
            )
        )
        testset = read_task(tmp_path / "t").testsets["en-de"]
        assert [*testset.references] == ["refA"] and [*testset.systems] == ["A"]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["t"]


def test_all_targets_of_a_sample_are_references(write):
    """Also where some have fewer: BLEU with one of two references was far lower."""
    rows = []
    for k, text in enumerate(TEXTS):
        targets = [f"other {k}", text] if k % 2 == 0 else [f"other {k}"]
        rows.append({"doc_id": k, "doc": {}, "target": targets, "filtered_resps": [text]})
    testset = read_text([(None, write("s.jsonl", json_lines(rows)))], [])
    assert list(testset.references["ref1"]) == [f"other {k}" for k in range(30)]
    second = list(testset.references["ref2"])
    assert second[::2] == TEXTS[::2]
    assert second[1::2] == [None] * 15
