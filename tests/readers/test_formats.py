"""What a file is, by its content: structured files are refused where a line of text is expected, and texts are not."""

import bz2
import gzip
import io
import json
import lzma
import re
import shutil
import subprocess
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core.errors import InputError
from mtsig_core.readers import join_scores, read_lines, read_scores, read_text
from mtsig_core.readers import lines as large
from mtsig_core.readers.columns import InputTable
from mtsig_core.readers.formats import (
    DOCUMENTS,
    FORMATS,
    SCORE_TABLE,
    SEGMENTS,
    Format,
    find_format,
    sniff,
    split_lines,
)
from mtsig_core.readers.tasks import read_task
from mtsig_core.readers.texts import read_documents
from mtsig_core.readers.uploads import Upload, guess_name, guess_uploads, read_uploads
from tests.builders.toys import zipped

WORDS = "Haus und Hof haben viele Tiere heute morgen wieder einmal gesehen".split()
TEXTS = [f"{' '.join(WORDS[k % 7:k % 7 + 4])}, Satz {k}." for k in range(30)]
SEGS = "".join(f'<seg id="{k}">{text}</seg>\n' for k, text in enumerate(TEXTS, 1))


def lines(*texts):
    return "".join(f"{text}\n" for text in texts)


def tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("ref.txt")
        member.size = len(content := lines(*TEXTS).encode())
        archive.addfile(member, io.BytesIO(content))
    return out.getvalue()


def numbered(form):
    return "".join(form.format(k=k, text=text) for k, text in enumerate(TEXTS))


XLSX = zipped({"docProps/app.xml": "<x/>", "xl/workbook.xml": "<x/>" * 900, "[Content_Types].xml": "<x/>"})
CONTENTS = {
    "sgml": f'<refset setid="n19" trglang="de">\n<doc sysid="ref" docid="d" genre="news">\n{SEGS}</doc>\n</refset>\n',
    "wmt-xml": f'<?xml version="1.0"?>\n<dataset id="n21"><doc id="d" origlang="en">\n<hyp system="A" lang="de"><p>\n'
               f"{SEGS}</p></hyp></doc></dataset>\n",
    "tmx": '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4"><header/><body>\n' + numbered(
        '<tu><tuv xml:lang="de"><seg>{text}</seg></tuv></tu>\n') + "</body></tmx>\n",
    "xliff": '<xliff version="1.2"><file><body>\n' + numbered(
        '<trans-unit id="{k}">\n  <target>{text}</target>\n</trans-unit>\n') + "</body></file></xliff>\n",
    "xml": '<?xml version="1.0" encoding="UTF-8"?><texts>' + numbered("\n{text}") + "\n</texts>",
    "html": "<!DOCTYPE html>\n<html lang='en'>\n<body>\n<p>Not found\n</body>\n</html>\n",
    "jsonl-texts": lines(*(json.dumps({"doc_id": "d", "hypothesis": text}) for text in TEXTS)),
    "lm-eval": lines(*(json.dumps({"doc_id": 1, "doc": {}, "target": text, "filtered_resps": [text]})
                       for text in TEXTS)),
    "json": json.dumps({"texts": TEXTS}, indent=2),
    "fairseq": "2024-01-01 | INFO | fairseq | loading\n" * 9 + numbered(
        "S-{k}\tx y\nT-{k}\t{text}\nH-{k}\t-0.4\t{text}\nD-{k}\t-0.4\t{text}\nP-{k}\t-0.1 -0.2\n"),
    "nbest": numbered("{k} ||| {text} ||| LM= -1 ||| -3.2\n" * 2),
    "conllu": "# text = Haus und\n1\tHaus\t_\t_\t_\t_\t0\troot\t_\t_\n2\tund\t_\t_\t_\t_\t1\tdep\t_\t_\n\n" * 20,
    "subtitles": numbered("{k}\n00:00:01,000 --> 00:00:02,000\n{text}\n\n"),
    "po": numbered('#: file:{k}\nmsgid "x"\nmsgstr "{text}"\n\n'),
    "comet": numbered("A.txt\tSegment {k}\tscore: 0.8{k}\n") + "A.txt\tscore: 0.8012\n",
    "scores": lines("system\tline\tscore", *(f"A\t{k}\t0.5" for k in range(1, 31))),
    "texts": lines("source,reference,A", *(f'"x","{text}","{text}"' for text in TEXTS)),
    "columns": numbered("{text}\t{text}\n"),
    "zip": zipped({"references/en-de.refA.txt": lines(*TEXTS)}), "xlsx": XLSX, "tar": tar(),
    "bzip2": bz2.compress(bz2.compress(lines(*TEXTS).encode())),
    "xz": lzma.compress(lzma.compress(lines(*TEXTS).encode()))}
CONTENTS = {name: content if isinstance(content, bytes) else content.encode() for name, content in CONTENTS.items()}
MORE = {"one object": b'{"translations": ["a", "b"]}', "objects in an array": json.dumps([{"mt": "a"}] * 9).encode(),
        "texts in an array": json.dumps(TEXTS, indent=1).encode(),
        "with windows line ends": CONTENTS["jsonl-texts"].replace(b"\n", b"\r\n"),
        "with a byte order mark": b"\xef\xbb\xbf" + CONTENTS["sgml"], "cut off": CONTENTS["tmx"][:900],
        "only hypotheses": "".join(f"H-{k}\t-0.1\t{text}\n" for k, text in enumerate(TEXTS)).encode()}

CODE = ["def f(x):", "    return {'a': x}", '{"key": 1}', "<?xml version='1.0'?>", "for (i = 0; i < n; i++) {", "}",
        "[", "a[i]\t= 1", "<html>", "// end"]
PLAIN = {
    "texts": TEXTS, "code": CODE * 3, "code from a bracket on": ["[", "]", "{", "}", *CODE * 2],
    "one line of JSON": [*TEXTS, '{"name": "A", "size": 3}'], "JSON first": ['{"name": "A"}', '["a"]', *TEXTS],
    "sentences of HTML": [f"<p>{text}</p>" for text in TEXTS], "a page as first line": ["<html>", *TEXTS],
    "a declaration first": ['<?xml version="1.0"?>', *TEXTS], "a seg first": ['<seg id="1">a</seg>', *TEXTS],
    "the name of a format": ["<tmx>", "<refset> opens a set of references.", *TEXTS],
    "tabs here and there": [f"{text}\t." if k % 2 else text for k, text in enumerate(TEXTS)],
    "one with a tab": ["a\tb"], "bars": [f"{text} ||| x" for text in TEXTS],
    "numbers": [f"{k}. {k} ||" for k in range(9)], "dialogue": [f'"{text}"' for text in TEXTS],
    "names of columns": ["source, reference", "a", "b, c, d", *TEXTS], "brackets": [f"[{text}]" for text in TEXTS],
    "braces": [f"{{{text}}}" for text in TEXTS], "one in brackets": ["[Applaus]"],
    "signs": ["H-12 is a bomb.", "S-1", "D-0", *TEXTS], "blank": ["", " ", ""],
    "first letters of a binary format": ["PAR1 oder BZh", *TEXTS], "times": ["00:01:02,000 --> x", *TEXTS]}


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
        files = [path for folder in ("references", "sources", "system-outputs")
                 for path in (wmt24 / folder).rglob("*.txt*")]
        assert len(files) > 40
        for path in files:
            data = path.read_bytes()
            assert sniff(gzip.decompress(data) if path.suffix == ".gz" else data) is None, path

    @given(st.binary(max_size=300) | st.text('[]{}",:<>\t\n|- a1', max_size=300).map(str.encode))
    def test_whatever_comes(self, data):
        try:
            assert find_format("x", data, SEGMENTS) is None
        except InputError as error:
            assert str(error).startswith(f"x is {sniff(data).what[:9]}")


class TestRefused:
    @pytest.mark.parametrize("name", [name for name in CONTENTS if not is_read(name, SEGMENTS)])
    def test_as_a_text(self, write, name):
        path = write("A.out", CONTENTS[name], pack=False)
        with pytest.raises(InputError) as caught:
            read_lines(path)
        kind = next(one for one in FORMATS if one.name == name)
        assert str(caught.value).startswith(f"{path} is {kind.what.format(n_columns=2)}")
        assert "Expected one segment per line." in str(caught.value) and caught.value.remedies == kind.remedies
        assert not {"FILE", "COPY"} & set(str(caught.value).split())

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
        with pytest.raises(InputError, match=f"is {sniff(CONTENTS[name]).what}.*Expected a table of segment scores"):
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


@pytest.mark.parametrize("name, program", [("nbest", "awk"), ("columns", "cut"), ("jsonl-texts", "jq")])
def test_the_command_in_the_message_gives_the_texts(write, tmp_path, name, program):
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")
    with pytest.raises(InputError) as caught:
        read_lines(write("A b.out", CONTENTS[name], pack=False))
    command = str(caught.value)
    command = re.split(r" \(|, with the key|\. (?=[A-Z])", command[command.index(f": {program} ") + 2:])[0]
    subprocess.run(["bash", "-c", command.replace(".KEY", ".hypothesis")], check=True, cwd=tmp_path)
    assert read_lines(tmp_path / "A b.out.texts.txt") == TEXTS


class TestRegister:
    """A new format is one entry, with a reader for each thing that it may hold; every door then reads it."""

    def read_texts(text, name):
        return [line.split("::", 1)[1] for line in split_lines(text)[1:]]

    def read_scores(text, name):
        rows = [(k, line.split("::")) for k, line in enumerate(split_lines(text)[1:], 1)]
        return InputTable(name, ["system", "line", "score"], rows)

    MINE = (Format("mine", "my format", lambda sample: sample.lines[:1] == ["@mine"], reads={SEGMENTS: read_texts},
                   endings=(".mine",)),
            Format("my scores", "scores of mine", lambda sample: sample.lines[:1] == ["@scores"],
                   reads={SCORE_TABLE: read_scores}))
    FILES = {"ref.txt": ["@mine", *(f"{k}::{text}" for k, text in enumerate(TEXTS))],
             "A.txt": ["@mine", *(f"{k}::{text} x" for k, text in enumerate(TEXTS))],
             "human.out": ["@scores", *(f"A::{k}::{k / 10}" for k in range(1, len(TEXTS) + 1))]}
    FILES = {name: lines(*content).encode() for name, content in FILES.items()}

    @pytest.fixture(autouse=True)
    def registered(self, monkeypatch):
        monkeypatch.setattr("mtsig_core.readers.formats.FORMATS", (*self.MINE, *FORMATS))

    def read_by(self, door, write, tmp_path):
        if door == "upload":
            guessed = guess_uploads(list(self.FILES.items()))
            return read_uploads([Upload(name, content, role, name.partition(".")[0]) for (name, content), (role, _) in
                                 zip(self.FILES.items(), guessed, strict=True)])
        ref, a, human = (write(name, content) for name, content in self.FILES.items())
        if door == "files":
            return join_scores(read_text([("ref", ref)], [("A", a)]), {"human": human})
        task = {"references/en-de.refA.txt": self.FILES["ref.txt"], "system-outputs/en-de/A.txt": self.FILES["A.txt"]}
        if door == "zip":
            (tmp_path / "task.zip").write_bytes(zipped(task))
        else:
            for name, content in task.items():
                write(f"task/{name}", content)
        return join_scores(read_task(tmp_path / ("task.zip" if door == "zip" else "task")).testsets["en-de"],
                           {"human": human})

    @pytest.mark.parametrize("door", ["files", "upload", "folder", "zip"])
    def test_every_door_reads_it(self, write, tmp_path, door):
        assert [sniff(content).name for content in self.FILES.values()] == ["mine", "mine", "my scores"]
        testset = self.read_by(door, write, tmp_path)
        assert testset.systems["A"][2] == f"{TEXTS[2]} x" and testset.n_segments == len(TEXTS)
        assert testset.scores["human"].by_system["A"][4] == 0.5

    @pytest.mark.parametrize("file", FILES)
    def test_a_bad_byte_is_told_with_its_line(self, write, file):
        path = write(file, self.FILES[file].replace(b"::", b"::\xff", 3))
        with pytest.raises(InputError, match=r"line 2: byte 0xFF"):
            read_scores({"human": path}) if file == "human.out" else read_lines(path)

    def test_lines_end_as_in_any_text(self, write):
        text = "eins\u2028zwei\x85drei\x0c"
        content = f"\ufeff@mine\r\n1::{text}\r\n2::{text}".encode()
        assert read_lines(write("x.mine", content)) == [text, text]

    def test_its_ending_is_no_part_of_a_name(self, write):
        files = [(None, write(f"{name}.mine.gz", self.FILES["A.txt"])) for name in ("ref", "A")]
        assert list(read_text(files[:1], files[1:]).systems) == ["A"]
        assert guess_name("out/A.mine.gz") == "A" and guess_name("A.yours") == "A.yours"

    def test_elsewhere_it_is_refused(self, write):
        with pytest.raises(InputError, match="is scores of mine.* Expected one segment per line"):
            read_lines(write("x", self.FILES["human.out"]))
