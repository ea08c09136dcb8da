"""What a file is when it is not UTF-8 text: a plain guess, for the message that says what to do."""

from __future__ import annotations

import re

__all__ = ["damage_in_utf8", "guess_encoding", "guess_format"]

SAMPLE = 1 << 16

FORMATS = {
    b"PK\x03\x04": "a zip archive (or an office document)",
    b"\x1f\x8b": "a gzip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ\x00": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"\x89PNG\r\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"\xd0\xcf\x11\xe0": "an old office document",
    b"PAR1": "a Parquet table",
    b"SQLite format 3": "an SQLite database",
    b"\x7fELF": "a program",
    b"\x80\x04\x95": "a Python pickle",
    b"\x93NUMPY": "a NumPy array",
}

# Longest first: the mark of UTF-16 begins that of UTF-32.
BYTE_ORDER_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def guess_format(data: bytes) -> str | None:
    """Name of the binary format that these first bytes belong to, with its article."""
    return next((name for magic, name in FORMATS.items() if data.startswith(magic)), None)


def guess_encoding(data: bytes) -> str | None:
    """Likely encoding of a text that is not UTF-8, by the name iconv knows it by; None without a good guess."""
    marked = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    return marked or (_guess_by_nuls(data[:SAMPLE]) if b"\0" in data else _guess_by_letters(data))


def damage_in_utf8(data: bytes) -> int:
    """The number of places that are not UTF-8 in a text that otherwise is; 0 if it is in another encoding."""
    text = data.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - data.count("\ufffd".encode())
    sound = len(text) - len(text.encode("ascii", "ignore")) - damaged
    return damaged if sound > 2 * damaged else 0


def _guess_by_nuls(sample):
    """Latin letters, spaces and line ends leave zeros in fixed places of UTF-16 and UTF-32."""
    zeros = [sample[i::4].count(0) / (len(sample) // 4 + 1) for i in range(4)]
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if zeros[3] > 0.8 and zeros[2] > 0.8:
        return "UTF-32LE"
    if zeros[0] > 0.8 and zeros[1] > 0.8:
        return "UTF-32BE"
    for name, high, low in (("UTF-16LE", odd, even), ("UTF-16BE", even, odd)):
        if high > 0.02 and low < high / 3 and "\n" in sample.decode(name, "ignore"):
            return name
    return None


def _guess_by_letters(data):
    """An encoding passes if the text decodes and is mostly in the letters it is made for."""
    sample = b""
    for line in data.split(b"\n"):
        if not line.isascii():
            sample += line + b"\n"
        if len(sample) > SAMPLE:
            break
    for name in ("SHIFT_JIS", "EUC-JP"):
        if _share("[\u3041-\u30fa]", sample, name) > 0.2:
            return name
    if _share("[\uac00-\ud7a3]", sample, "EUC-KR") > 0.8:
        return "EUC-KR"
    # The common half of the hanzi: one-byte encodings of other alphabets would give the rare ones, here and below.
    common = re.findall(rb"[\xa4-\xc6][\x40-\x7e\xa1-\xfe]", sample)
    if _share("[\u4e00-\u9fff]", sample, "BIG5") > 0.5 and 5 * len(common) > len(sample) - sample.count(b" "):
        return "BIG5"
    # An accented letter stands between plain ones; in the scripts below, high bytes come in runs.
    runs = re.findall(rb"[\x80-\xff]+", sample)
    if sum(len(run) == 1 for run in runs) > len(runs) / 2:
        return "WINDOWS-1252"
    common = re.findall(rb"[\xb0-\xd7][\xa1-\xfe]", sample)
    if _share("[\u4e00-\u9fff]", sample, "GB18030") > 0.5 and 4 * len(common) > sum(map(len, runs)):
        return "GB18030"
    return None


def _share(letters, sample, encoding):
    """Share of these letters among those that are not ASCII, 0 if the sample is not in the encoding."""
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return len(re.findall(letters, text)) / max(foreign, 1)
