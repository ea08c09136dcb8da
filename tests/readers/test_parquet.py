"""Parquet that is small on disk and large in memory: a message by its metadata, before memory is
spent.
"""

import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from mtsig_core.errors import InputError
from mtsig_core.readers.limits import limit_reading, upload_limits
from mtsig_core.readers.lines import read_table

ROWS = 400_003


def written(column, **how):
    out = io.BytesIO()
    parquet.write_table(pa.table({"A": column}), out, **how)
    return out.getvalue()


LONG = pa.DictionaryArray.from_arrays(pa.array(np.zeros(9, np.int32)), pa.array(["x" * (3 << 20)]))
SAME = ["x" * 1000 + str(k) for k in range(300)]
TRICKS = {
    "zeros in one page": lambda: written(
        pa.array(np.zeros(ROWS)), use_dictionary=False, compression="zstd"
    ),
    "a dictionary of one text of 3 MB": lambda: written(
        LONG, compression="zstd", dictionary_pagesize_limit=1 << 30
    ),
    "bytes of a fixed length, a thousand times the same": lambda: written(
        pa.array([b"x" * 4000] * 1000, pa.binary(4000))
    ),
    "a list of all in one row": lambda: written(
        pa.ListArray.from_arrays(pa.array([0, ROWS], pa.int32()), pa.array(np.zeros(ROWS)))
    ),
    "records": lambda: written(pa.array([{"x": "y", "z": [1, 2]}] * 9)),
    "texts that share their beginning": lambda: written(
        pa.array(SAME), use_dictionary=False, column_encoding={"A": "DELTA_BYTE_ARRAY"}
    ),
    "more row groups than a table has": lambda: written(pa.array([1.0] * 310), row_group_size=1),
}


def read(data, tmp_path):
    (tmp_path / "t.parquet").write_bytes(data)
    with limit_reading(upload_limits({"MTSIG_UPLOAD_MB": "2"})):
        return read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("trick", TRICKS)
def test_it_ends_in_a_message(trick, tmp_path, monkeypatch):
    monkeypatch.setattr("mtsig_core.readers.binary_tables._CHUNKS", 300)
    monkeypatch.setattr(
        parquet.ParquetFile, "read", lambda *_, **__: pytest.fail("it was unpacked")
    )
    data = TRICKS[trick]()
    assert len(data) < 99_000
    with pytest.raises(
        InputError, match="MTSIG_UPLOAD_MB|lists, records or bytes|DELTA_BYTE_ARRAY|in one"
    ):
        read(data, tmp_path)


def test_what_is_usual_is_read(tmp_path):
    """Several row groups and pages, each way to pack them, both versions of pages, numbers of every
    kind.
    """
    table = pa.table(
        {
            "system": ["A", "B"] * 3000,
            "line": [k // 2 + 1 for k in range(6000)],
            "score": pa.array([k / 7 for k in range(6000)], pa.float32()),
        }
    )
    for how in (
        {},
        {"row_group_size": 700, "data_page_size": 512},
        {"compression": "gzip", "data_page_version": "2.0"},
        {"use_dictionary": False, "compression": "none", "version": "1.0"},
        {"compression": "brotli", "use_dictionary": ["system"], "use_byte_stream_split": ["score"]},
    ):
        out = io.BytesIO()
        parquet.write_table(table, out, **how)
        found = read(out.getvalue(), tmp_path).rows
        assert [cells[:2] for _, cells in found[-2:]] == [("A", 3000), ("B", 3000)] and len(
            found
        ) == 6000
