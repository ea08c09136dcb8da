"""Texts that stay in their file are the texts that would be in memory."""

import gzip
import pickle
import tempfile
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mtsig_core import compare, testset
from mtsig_core.errors import InputError
from mtsig_core.readers import files, lines, read_lines, read_text
from mtsig_core.readers.limits import UploadLimits, limit_reading
from mtsig_core.readers.lines import read_texts
from mtsig_core.testset import StoredLines, TestSet

segments = st.text(st.characters(exclude_characters="\n\t\0", exclude_categories=["Cs"]))


@pytest.fixture(autouse=True, scope="module")
def everything_is_large():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LARGE", 0)
        patch.setattr(files, "CHUNK", 64)
        patch.setattr(testset, "CHUNK_LINES", 3)
        yield


@given(
    st.lists(segments, min_size=1, max_size=20),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_they_are_those_of_a_list(texts, end, pack, bom, ended, data):
    content = ("\ufeff" * bom + end.join(texts) + end * ended).encode() or b"\n"
    with tempfile.NamedTemporaryFile() as file:
        file.write(gzip.compress(content, mtime=0) if pack else content)
        file.flush()
        if content == b"\xef\xbb\xbf":  # nothing but a mark
            return
        stored, there = read_texts(file.name), tuple(read_lines(file.name))
        assert (
            isinstance(stored, StoredLines) and len(stored) == len(there) and tuple(stored) == there
        )
        assert (
            stored == there
            and there == stored
            and stored != (*there[:-1], there[-1] + "x")
            and stored != there[1:]
        )
        assert stored[-1] == there[-1] and stored[1:4] == there[1:4] and stored[::-2] == there[::-2]
        assert stored.lengths.tolist() == [len(text) for text in there]
        some = data.draw(st.lists(st.integers(0, len(there) - 1)))
        assert tuple(stored.take(some)) == tuple(there[k] for k in some)
        assert pickle.loads(pickle.dumps(stored)) == there


def test_a_comparison_is_the_same(write, monkeypatch):
    reference = [f"größer {k} ist der Satz {k * k} als 日本 {k % 3}" for k in range(20)]
    files = {
        name: write(
            f"{name}.txt{'.gz' * (name == 'B')}", [text.replace(wrong, "x") for text in reference]
        )
        for name, wrong in (("ref", "?"), ("A", "1"), ("B", "Satz"), ("C", "Satz"))
    }
    docs = write("docs.txt", ["news\tone"] * 10 + ["canary\tcanary"] + ["news\ttwo"] * 9)

    def found():
        read = read_text(
            [("ref", files["ref"])], [(name, files[name]) for name in "ABC"], documents=docs
        )
        metrics = ["bleu", "chrf", "ter", "nist"]
        return read, compare(read, metrics, unit="segment", trials=99, resamples=50)

    stored, first = found()
    monkeypatch.setattr(lines, "LARGE", 1 << 20)
    held, second = found()
    assert isinstance(stored.systems["A"], StoredLines) and isinstance(held.systems["A"], tuple)
    assert stored.n_segments == 19 and first == second
    assert stored.in_domain("news").digest == held.in_domain("news").digest == held.digest


def test_reading_takes_little_memory(write, monkeypatch):
    monkeypatch.setattr(files, "CHUNK", 1 << 16)
    monkeypatch.setattr(testset, "CHUNK_LINES", 100)
    path = write("ref.txt", ["a b c d e " * 100] * 2000)  # 2 MB
    tracemalloc.start()
    try:
        assert TestSet("toy", {"A": read_texts(path)}, {"ref": read_texts(path)}).digest
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize(
    "content",
    [
        b"a\nb\xff\n",
        b"a\n\0\n",
        b"",
        gzip.compress(b"a", mtime=0)[:-9],
        gzip.compress(b"", mtime=0),
    ],
)
def test_what_is_no_text_is_refused_in_the_same_words(write, content):
    path = write("t", content)
    said = []
    for read in (read_texts, read_lines):
        with pytest.raises(InputError) as caught:
            read(path)
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_a_file_that_changes_is_named(write):
    path = write("t.txt", ["one", "two"])
    texts, unpacked = read_texts(path), read_texts(write("u.gz", ["one", "two"]))
    path.write_text("three\nfour\n")
    write("u.gz", ["three"])
    with pytest.raises(InputError, match=r"t\.txt has changed since it was opened\. Start again"):
        texts[0]
    assert unpacked[0] == "one"


def test_what_strangers_upload_is_held_in_memory(write):
    with limit_reading(UploadLimits()):
        assert read_texts(write("t.txt", ["a"])) == ["a"]
