"""read_lines: what a line is, and what the messages say of files that are not text."""

import gzip
import random
import tempfile
import unicodedata

import pyarrow
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mtsig_core.errors import InputError
from mtsig_core.readers import lines as module
from mtsig_core.readers import read_lines
from mtsig_core.testset import show_name

# Any segment that a line can hold: the line feed ends it, a carriage return before that belongs to
# the line end, NUL is no text.
segments = st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])).filter(
    lambda text: not text.endswith("\r")
)


def error(path):
    with pytest.raises(InputError) as caught:
        read_lines(path)
    return str(caught.value)


class TestLines:
    @given(
        st.lists(segments, min_size=1), st.booleans(), st.booleans(), st.booleans(), st.booleans()
    )
    def test_round_trip(self, texts, pack, bom, crlf, ended):
        end = "\r\n" if crlf else "\n"
        content = end.join(texts) + end * (ended or not texts[-1])
        assume("\n" in content or "\r" not in content)  # which is of another kind; see below
        if bom or content.startswith(
            "\ufeff"
        ):  # a text that begins with the mark needs one more to keep it
            content = "\ufeff" + content
        data = content.encode()
        with tempfile.NamedTemporaryFile() as file:
            file.write(gzip.compress(data) if pack else data)
            file.flush()
            assert read_lines(file.name) == texts

    @pytest.mark.parametrize(
        "inside", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x85", "\r", "\ufeff"]
    )
    def test_only_line_feeds_end_a_line(self, write, inside):
        assert read_lines(write("t.txt", f"a{inside}b\nc\n")) == [f"a{inside}b", "c"]

    def test_lines_that_end_by_carriage_returns_alone(self, write):
        """Read as one line, all outputs would have one segment."""
        path = write("mac.txt", b"a b\rc d\re\r")
        assert error(path) == (
            f"{path} has no line feed and 2 carriage returns, as old Macs and some spreadsheets end "
            "lines. Expected one segment per line, each ended by a line feed. Convert it: tr '\\r' "
            f"'\\n' < {path} > {path}.utf8"
        )
        assert read_lines(write("one.txt", b"a b\r")) == ["a b"]

    def test_gzip_is_told_by_content(self, write):
        assert read_lines(write("packed.txt", ["ä"], pack=True)) == ["ä"]
        assert read_lines(write("plain.txt.gz", ["ä"], pack=False)) == ["ä"]


class TestMissing:
    def test_nearest_name(self, write, tmp_path):
        write("refs/reference.txt", "a\n")
        message = error(tmp_path / "refs" / "refrence.txt")
        assert message == (
            f"{tmp_path}/refs/refrence.txt does not exist. "
            f"Did you mean {tmp_path}/refs/reference.txt?"
        )

    def test_no_folder(self, tmp_path):
        assert f"there is no folder {tmp_path}/none" in error(tmp_path / "none" / "ref.txt")

    def test_broken_link(self, tmp_path):
        (tmp_path / "sys.txt").symlink_to("gone.txt")
        assert "sys.txt is a link to gone.txt, which does not exist" in error(tmp_path / "sys.txt")

    @pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
    def test_empty(self, write, content):
        assert "t.txt is empty. Expected one segment per line." in error(write("t.txt", content))
        assert "t.txt.gz is empty" in error(write("t.txt.gz", content))

    def test_impossible_name(self):
        assert error("a\0b") == r"a\x00b is not a file name. Check it for stray characters."
        assert "empty" in error("")

    def test_unreadable(self, write, monkeypatch):
        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(module, "open_file", refuse)
        assert error("ref.txt") == "ref.txt cannot be read: Permission denied."


class TestNotText:
    def test_place_and_remedy(self, write):
        path = write("sys.txt", "eins\nzwei für\n".encode("cp1252"))
        assert error(path) == (
            f"{path}, line 2: byte 0xFC at offset 11 is not UTF-8 text. The file looks like WINDOWS-1252; convert it: "
            f"iconv -f WINDOWS-1252 -t UTF-8 < {path} > {path}.utf8"
        )

    def test_place_in_packed_text(self, write):
        path = write("sys.txt.gz", "eins\nzwei für\n".encode("cp1252"))
        message = error(path)
        assert "line 2: byte 0xFC at offset 11 of the unpacked text" in message
        assert (
            f"gzip -dc {path} | iconv -f WINDOWS-1252 -t UTF-8 > {path.with_suffix('')}.utf8"
            in message
        )

    TEXTS = {
        "WINDOWS-1252": "Über größere Flüsse führt „keine“ Brücke.\nSchön.\n",
        "GB18030": "今天的天气很好，我们去公园散步。\n机器翻译的质量越来越高。\n",
        "BIG5": "今天的天氣很好，我們去公園散步。\n機器翻譯的品質越來越高。\n",
        "SHIFT_JIS": "今日は天気がいいので、公園へ行きます。\nカタカナもあります。\n",
        "EUC-JP": "今日は天気がいいので、公園へ行きます。\nカタカナもあります。\n",
        "EUC-KR": "오늘은 날씨가 좋아서 공원에 갑니다.\n기계 번역의 품질이 높아집니다.\n",
        "WINDOWS-1251": "Сегодня хорошая погода.\n",
        "KOI8-R": "Сегодня хорошая погода, мы идём гулять в парк.\nКачество перевода растёт.\n",
        "WINDOWS-1253": "Σήμερα ο καιρός είναι καλός.\nΗ μετάφραση είναι δύσκολη.\n",
        "WINDOWS-1255": "מזג האוויר יפה היום, ואנחנו הולכים לפארק.\nאיכות התרגום עולה.\n",
        "WINDOWS-1256": "الطقس جميل اليوم.\nالترجمة صعبة جدا.\n",
    }

    @pytest.mark.parametrize("encoding", TEXTS)
    def test_guessed_encoding(self, write, encoding):
        data = self.TEXTS[encoding].encode(encoding)
        assert f"looks like {encoding}; convert it: iconv -f {encoding} -t UTF-8" in error(
            write("t.txt", data)
        )

    def test_unguessed_encoding(self, write):
        message = error(write("t.txt", "วันนี้อากาศดี\nการแปลเป็นเรื่องยาก\n".encode("tis_620")))
        assert "line 1: byte 0xC7 at offset 0" in message
        assert "hard to tell" in message and "iconv -f ENCODING -t UTF-8" in message

    @pytest.mark.parametrize(
        "text", [TEXTS["WINDOWS-1252"] * 3, TEXTS["GB18030"] * 3, "Да, конечно.\n" * 9]
    )
    @pytest.mark.parametrize("encoding", ["UTF-16LE", "UTF-16BE"])
    def test_wide_encodings(self, write, text, encoding):
        message = error(write("t.txt", text.encode(encoding)))
        assert f"looks like {encoding}; convert it: iconv -f {encoding} " in message
        assert read_lines(write("m.txt", f"\ufeff{text}".encode(encoding))) == text.removesuffix(
            "\n"
        ).split("\n")

    def test_damaged_utf8_is_not_called_another_encoding(self, write):
        data = "größer\n".encode() * 20 + b"gr\xc3\n" + "größer\n".encode() * 20
        message = error(write("t.txt", data))
        assert "line 21: byte 0xC3" in message and "unlike the rest (places like it: 1)" in message
        assert "iconv -c -f UTF-8 -t UTF-8" in message

    def test_stray_nul(self, write):
        message = error(write("t.txt", "eins\nzw\0ei\ndrei\n"))
        assert "line 2: byte 0x00 at offset 7 is NUL" in message and r"tr -d '\000'" in message
        assert "line 1: byte 0x00 at offset 1 is NUL" in error(
            write("u.txt", b"e\0ins\nzw\xffei\n")
        )

    @pytest.mark.parametrize(
        "head, kind",
        [
            (b"PK\x03\x04\x14\0\0\0", "a zip archive"),
            (b"\x89PNG\r\n\x1a\n\0", "a PNG image"),
            (b"\xff\xd8\xff\xe0\0", "a JPEG image"),
            (b"%PDF-1.4\n%\xe2\xe3", "a PDF"),
        ],
    )
    def test_binary_formats(self, write, head, kind):
        assert (
            f"t.txt is {kind}" in (said := error(write("t.txt", head)))
            and "Expected one segment per line." in said
        )
        with pytest.raises(InputError, match=f"t.txt is {kind}.*, not text. Give it as UTF-8 text"):
            read_lines(write("t.txt", head), "a table of the systems")


class TestDamagedGzip:
    DATA = gzip.compress(random.Random(0).randbytes(4000).hex().encode(), mtime=0)

    @pytest.mark.parametrize("data", [DATA[:1000], DATA[:12]])
    def test_truncated(self, write, data):
        path = write("t.gz", data, pack=False)
        assert (
            error(path)
            == f"{path} is a damaged gzip file: it breaks off before its end. Copy or download it again."
        )

    @pytest.mark.parametrize(
        "data", [DATA[:-8] + b"checksum", DATA[:10] + b"\xff" * 99, DATA + b"junk"]
    )
    def test_damaged(self, write, data):
        assert "t.gz is a damaged gzip file" in error(write("t.gz", data, pack=False))

    def test_zstd(self, write):
        data = pyarrow.compress(b"a b c\n" * 99, codec="zstd", asbytes=True)
        for damaged in (data[:-9], data + b"junk", data[:12] + b"\xff" * 9):
            assert "t.zst is a damaged zstd file" in error(write("t.zst", damaged))
        data = pyarrow.compress("é\n".encode("latin-1") * 9, codec="zstd", asbytes=True)
        assert "zstd -dc" in error(write("u.zst", data))


def test_bomb_stops_at_the_limit(write, monkeypatch):
    path = write("bomb.gz", b"a" * 50_000_000)
    monkeypatch.setenv("MTSIG_MAX_MB", "2")
    read = []
    stream = gzip.GzipFile.read
    monkeypatch.setattr(
        gzip.GzipFile, "read", lambda self, size: read.append(size) or stream(self, size)
    )
    monkeypatch.setenv("MTSIG_MAX_LINE_LENGTH", "9000000")
    assert "bomb.gz, unpacked, has 3 MB of text. mtsig reads at most 2 MB of text" in error(path)
    assert sum(read) <= 4 << 20
    assert "plain.txt has 3 MB of text" in error(write("plain.txt", b"a" * ((2 << 20) + 1)))
    assert read_lines(write("fits.txt", b"a" * (2 << 20))) == ["a" * (2 << 20)]


class TestShowName:
    @given(st.text())
    def test_never_a_control_character(self, name):
        hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
        letters = show_name(name).replace("\u200c", "").replace("\u200d", "")  # these join letters
        assert not hidden & set(map(unicodedata.category, letters))

    def test_in_messages(self, tmp_path, write):
        write("sys\x1b[2J.txt", b"")
        assert "\x1b" not in error(tmp_path / "sys\x1b[2J.txt")
        assert (
            r"Did you mean" in (message := error(tmp_path / "sys[2J.txt")) and "\x1b" not in message
        )
