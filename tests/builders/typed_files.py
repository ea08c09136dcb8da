"""Sound files of each format that is read, as rows of values, and the same with one value of
another type in them.
"""

import io
import json
from datetime import date, datetime, time
from decimal import Decimal
from xml.sax.saxutils import escape, quoteattr

import pandas as pd
from hypothesis import strategies as st
from openpyxl import Workbook

N_ROWS = 6
WORDS = [
    "the cat sat on the mat",
    "a small house",
    "it was warm today",
    "dogs ran over the bridge",
    "he read a book",
    "we left early",
]
OUTPUTS = {
    "A": [text.replace("the", "a") for text in WORDS],
    "B": [text.replace("a", "the") for text in WORDS],
}

#: No text, no name, no number: no column of any format holds them.
UNCLEAR = [
    True,
    False,
    date(2024, 1, 2),
    datetime(2024, 1, 2, 3, 4),
    time(1, 2),
    ["a"],
    [1],
    {"a": 1},
    {"a": {"b": []}},
    [],
    {},
]
#: Of each there may be one clear way to read it, where it stands.
OTHERS = [
    12,
    0,
    -1,
    12.0,
    0.5,
    1e300,
    1e-9,
    10**20,
    10**400,
    float("nan"),
    float("inf"),
    None,
    "",
    " ",
    "0,55",
    "12",
    "true",
    "n/a",
    "2024-01-02",
    "[]",
    "{}",
    "x" * 50,
    "\u0663",
    "\u00b2",
    "1_000",
    "1e400",
    "-0",
    "=1+1",
    "'",
    '"',
    "a\nb",
    Decimal("1.5"),
]
VALUES = st.one_of(
    st.sampled_from([*UNCLEAR, *OTHERS]),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.dates(),
    st.times(),
)


# -- rows by what they are ------------------------------------------------------------------------


def _text_rows():
    return [
        {
            "docid": f"d{k // 2}",
            "domain": "news",
            "source": f"source {k}",
            "reference": WORDS[k],
            "A": OUTPUTS["A"][k],
            "B": OUTPUTS["B"][k],
        }
        for k in range(N_ROWS)
    ]


def _score_rows():
    return [
        {
            "system": system,
            "line": k + 1,
            "score": 0.5 + k / 100,
            "rater": f"r{k % 2}",
            "docid": f"d{k // 2}",
            "domain": "news",
        }
        for system in "AB"
        for k in range(N_ROWS)
    ]


def _wide_rows():
    return [{"line": k + 1, "A": 0.5 + k / 10, "B": 0.4 - k / 10} for k in range(N_ROWS)]


def _language_rows():
    return [{"translation.en": f"source {k}", "translation.de": WORDS[k]} for k in range(N_ROWS)]


#: The rows of tables, and what their columns hold.
TABLES = {
    "texts": _text_rows(),
    "scores": _score_rows(),
    "wide": _wide_rows(),
    "languages": _language_rows(),
}
KINDS = {
    "docid": "name",
    "domain": "name",
    "source": "text",
    "reference": "text",
    "system": "name",
    "line": "name",
    "score": "number",
    "rater": "name",
    "translation.en": "text",
    "translation.de": "text",
}


def kind_of(table, column):
    """What a column holds: texts, names or numbers."""
    return KINDS.get(column) or ("text" if table == "texts" else "number")


# -- rows as files --------------------------------------------------------------------------------


def dump(value):
    """JSON; of a date what json.dumps is mostly told to write."""
    return json.dumps(value, default=str)


def jsonl(rows):
    return "".join(f"{dump(row)}\n" for row in rows).encode()


def in_array(rows):
    return dump(rows).encode()


def by_column(rows):
    return dump({key: [row[key] for row in rows] for key in rows[0]}).encode()


def as_split(rows):
    return dump(
        {
            "columns": list(rows[0]),
            "index": list(range(len(rows))),
            "data": [list(row.values()) for row in rows],
        }
    ).encode()


def as_index(rows):
    return dump({str(k): row for k, row in enumerate(rows)}).encode()


def delimited(separator):
    def write(rows):
        cells = [list(rows[0]), *([_as_cell(value) for value in row.values()] for row in rows)]
        return "".join(separator.join(row) + "\n" for row in cells).encode()

    return write


def _as_cell(value):
    text = "" if value is None else str(value)
    return text.replace("\t", " ").replace("\n", " ").replace(",", ".").replace('"', "'")


def xlsx(rows):
    book, out = Workbook(), io.BytesIO()
    for row in [list(rows[0]), *(list(row.values()) for row in rows)]:
        book.active.append(
            [dump(value) if isinstance(value, list | dict) else value for value in row]
        )
    book.save(out)
    return out.getvalue()


def parquet(rows):
    """A column of Parquet has one type, so that all of it are such values."""
    out = io.BytesIO()
    usual = {type(row[key]) for row in rows for key in row}
    columns = {}
    for key in rows[0]:
        values = [row[key] for row in rows]
        odd = next(
            (
                value
                for value in values
                if type(value) not in usual - {type(None)} or isinstance(value, bool)
            ),
            None,
        )
        types = {type(value) for value in values} - {type(None)}
        if len(types) > 1:
            odd = next(
                value for value in values if [type(one) for one in values].count(type(value)) == 1
            )
        columns[key] = values if odd is None else [odd] * len(values)
    pd.DataFrame(columns).to_parquet(out)
    return out.getvalue()


#: How a table may be written; the last are those that keep the types of Python.
CONTAINERS = {
    "jsonl": jsonl,
    "json": in_array,
    "columns.json": by_column,
    "split.json": as_split,
    "index.json": as_index,
    "tsv": delimited("\t"),
    "csv": delimited(","),
    "xlsx": xlsx,
    "parquet": parquet,
}
KEEPS_TYPES = ("jsonl", "json", "columns.json", "split.json", "index.json")


# -- records and texts of a form of their own -----------------------------------------------------


def wmt25_texts():
    return [
        {
            "doc_id": f"en-de_#_news_#_{k}",
            "src_text": f"source {k}",
            "refs": {"refA": {"ref": WORDS[k]}},
            "tgt_text": {"A": OUTPUTS["A"][k]},
        }
        for k in range(N_ROWS)
    ]


def wmt25_ratings():
    return [
        {
            "doc_id": f"en-de_#_news_#_{k}",
            "src_text": f"source {k}",
            "scores": {
                "A": {"human1": 80 + k, "human2": 70},
                "B": {"human1": 60, "human2": 50 - k},
            },
        }
        for k in range(N_ROWS)
    ]


def samples():
    return [
        {"doc_id": k, "doc": {}, "target": WORDS[k], "filtered_resps": [OUTPUTS["A"][k]]}
        for k in range(N_ROWS)
    ]


def translations():
    return [{"translation": {"en": f"source {k}", "de": WORDS[k]}} for k in range(N_ROWS)]


def predictions():
    return [{"predictions": list(OUTPUTS["A"]), "references": [[text] for text in WORDS]}]


def metricx():
    return [
        {"source": "s", "hypothesis": text, "reference": reference, "prediction": 0.5}
        for text, reference in zip(OUTPUTS["A"], WORDS, strict=True)
    ]


def pearmut():
    """A document of one item in each entry."""
    return [
        {
            "annotation": [
                {
                    "A": {"score": 80 + k, "error_spans": [{"start_i": 0, "end_i": 2}]},
                    "B": {"score": None, "sliders": {"x": 50 - k}},
                }
            ],
            "actions": [{"time": 10.0 * k, "action": "load"}, {"time": 10.0 * k + 5}],
            "item": [
                {
                    "item_id": f"news_###_d{k // 2}_###_{k % 2}",
                    "src": f"source {k}",
                    "tgt": {"A": OUTPUTS["A"][k], "B": OUTPUTS["B"][k]},
                    "validation": {"A": {"score": [50, 100]}},
                }
            ],
            "user_id": f"r{k % 2}",
            "item_i": k,
        }
        for k in range(N_ROWS)
    ]


RECORDS = {
    "pearmut": pearmut,
    "predictions": predictions,
    "metricx": metricx,
    "wmt25-texts": wmt25_texts,
    "wmt25-ratings": wmt25_ratings,
    "lm-eval": samples,
    "translations": translations,
}


def comet_json():
    return {
        f"{name}.txt": [
            {"src": "s", "mt": text, "COMET": 0.5 + k / 10} for k, text in enumerate(texts)
        ]
        for name, texts in OUTPUTS.items()
    }


def metadata_json():
    return {"A": {"constrained": True}, "B": {"constrained": False}}


def _lines_of(row, rows, head=""):
    return head + "".join(row(*cells) + "\n" for cells in rows)


def _sgml(root, own, texts):
    segs = "".join(f"<seg id={quoteattr(str(k))}>{escape(str(text))}</seg>\n" for k, text in texts)
    return f'<{root} setid="n" srclang="en" trglang="de">\n<doc sysid="{own}" docid="d">\n{segs}</doc>\n</{root}>\n'


def _xml(texts):
    segs = "".join(f"<seg id={quoteattr(str(k))}>{escape(str(text))}</seg>\n" for k, text in texts)
    parts = "".join(
        f"<{tag}><p>{segs}</p></{tag.split()[0]}>"
        for tag in ('src lang="en"', 'ref lang="de" translator="A"', 'hyp lang="de" system="A"')
    )
    return f'<dataset id="n"><doc id="d" origlang="en">{parts}</doc></dataset>\n'


PER_SYSTEM = [(system, k, 0.5 + k / 100) for system in "AB" for k in range(N_ROWS)]
#: Formats of plain text: cells of each line, and how lines are written.
LINES = {
    "mqm": (
        [(system, "d", k, "r", "Fluency", "major") for system, k, _ in PER_SYSTEM],
        lambda rows: _lines_of(
            lambda *cells: "\t".join(map(str, cells)),
            rows,
            "system\tdoc\tseg_id\trater\tcategory\tseverity\n",
        ),
    ),
    "appraise-esa": (
        [
            ("ann", system, k, "TGT", "eng", "deu", 80 + k, f"doc{k}#", "False", "[]", 1.5, 2.5)
            for system, k, _ in PER_SYSTEM
        ],
        lambda rows: _lines_of(lambda *cells: ",".join(map(str, cells)), rows),
    ),
    "appraise-da": (
        [("ann", system, k, "TGT", "eng", "deu", 80 + k, 1.5, 2.5) for system, k, _ in PER_SYSTEM],
        lambda rows: _lines_of(lambda *cells: ",".join(map(str, cells)), rows),
    ),
    "seg-score": (
        [(system, score) for system, _, score in PER_SYSTEM],
        lambda rows: _lines_of(lambda *cells: "\t".join(map(str, cells)), rows),
    ),
    "comet": (
        PER_SYSTEM,
        lambda rows: _lines_of(
            lambda system, k, score: f"{system}.txt\tSegment {k}\tscore: {score}", rows
        ),
    ),
    "mturk": (
        [(system, k + 1, 80, score, 1) for system, k, score in PER_SYSTEM],
        lambda rows: _lines_of(
            lambda *cells: " ".join(map(str, cells)), rows, "SYS SID RAW.SCR Z.SCR N\n"
        ),
    ),
    "mqm-averages": (
        [(system, -score, k + 1) for system, k, score in PER_SYSTEM],
        lambda rows: _lines_of(
            lambda system, score, k: f"{system}\t{score} {k}", rows, "system mqm_avg_score seg_id\n"
        ),
    ),
    "numbers": ([(score,) for *_, score in PER_SYSTEM], lambda rows: _lines_of(str, rows)),
    "fairseq": (
        [(k, text) for k, text in enumerate(WORDS)],
        lambda rows: _lines_of(
            lambda k, text: f"S-{k}\ts {text}\nT-{k}\t{text}\nH-{k}\t-0.4\t{text}", rows
        ),
    ),
    "columns": (
        [(text, OUTPUTS["A"][k]) for k, text in enumerate(WORDS)],
        lambda rows: _lines_of(lambda *cells: "\t".join(map(str, cells)), rows),
    ),
    "quoted": (
        [(text, OUTPUTS["A"][k]) for k, text in enumerate(WORDS)],
        lambda rows: _lines_of(lambda *cells: ",".join(f'"{cell}"' for cell in cells), rows),
    ),
    "sgml": (
        [(k, text) for k, text in enumerate(WORDS)],
        lambda rows: _sgml("refset", "ref", rows),
    ),
    "wmt-xml": ([(k, text) for k, text in enumerate(WORDS)], _xml),
}


def replaced(root, path, value):
    """A copy of nested lists and objects with another value in one place."""
    if not path:
        return value
    first, *rest = path
    copy = dict(root) if isinstance(root, dict) else list(root)
    copy[first] = replaced(root[first], rest, value)
    return copy


def list_paths(root, path=()):
    """All places in nested lists and objects, outer ones before inner ones."""
    items = (
        root.items()
        if isinstance(root, dict)
        else enumerate(root)
        if isinstance(root, list)
        else ()
    )
    for key, value in items:
        yield (*path, key)
        yield from list_paths(value, (*path, key))


@st.composite
def table_files(draw):
    """A table with one value of another type: how it is written, what it is of, row, column, value,
    and the file.
    """
    table = draw(st.sampled_from(sorted(TABLES)))
    container = draw(st.sampled_from(sorted(CONTAINERS)))
    rows = TABLES[table]
    row, column = draw(st.integers(0, len(rows) - 1)), draw(st.sampled_from(sorted(rows[0])))
    value = draw(VALUES)
    return table, container, row, column, value, replaced(rows, (row, column), value)


@st.composite
def other_files(draw):
    """A file of another form with one value in it replaced: name of the format, file, content."""
    name = draw(st.sampled_from(sorted([*RECORDS, *LINES, "comet.json"])))
    value = draw(VALUES)
    if name == "comet.json":
        root = comet_json()
        return (
            name,
            "t.json",
            dump(replaced(root, draw(st.sampled_from(list(list_paths(root)))), value)).encode(),
        )
    if name in RECORDS:
        root = RECORDS[name]()
        return (
            name,
            "t.jsonl",
            jsonl(replaced(root, draw(st.sampled_from(list(list_paths(root)))), value)),
        )
    rows, write = LINES[name]
    row = draw(st.integers(0, len(rows) - 1))
    cells = list(rows[row])
    cells[draw(st.integers(0, len(cells) - 1))] = value
    return (
        name,
        "t.txt",
        write([*rows[:row], tuple(cells), *rows[row + 1 :]]).encode("utf-8", "surrogatepass"),
    )


# -- several wrong values in what is uploaded together --------------------------------------------


def documents_jsonl():
    return [{"docid": f"d{k // 2}", "domain": "news"} for k in range(N_ROWS)]


def score_lines():
    return [
        {
            "language_pair": "en-de_DE",
            "domain": "news",
            "document_id": f"d{k}",
            "metric_scores": {"XCOMET-XL": [0.5, 0.25], "MetricX": [1.5, 2]},
        }
        for k in range(3)
    ]


OFFICIAL = [
    {
        "lp": "en-de",
        "system": name,
        "BLEU": 27.5,
        "chrF": 55,
        "rank_low": 1,
        "rank_high": 2,
        "cluster": 1,
    }
    for name in "AB"
]


def spoiled(draw, root):
    """Nested lists and objects with up to three values of other types."""
    for _ in range(draw(st.integers(1, 3))):
        paths = list(list_paths(root))
        if paths:
            root = replaced(root, draw(st.sampled_from(paths)), draw(VALUES))
    return root


def _plain(texts):
    return "".join(f"{text}\n" for text in texts).encode()


@st.composite
def typed_uploads(draw):
    """Files as they come from a browser, in one of which values have other types: (name,
    content).
    """
    kind = draw(st.sampled_from(["table", "table", "table", "records", "documents", "lines"]))
    texts = [("ref.txt", _plain(WORDS)), ("A.txt", _plain(OUTPUTS["A"]))]
    if kind == "table":
        container = draw(st.sampled_from(sorted(CONTAINERS)))
        rows = [dict(row) for row in TABLES[draw(st.sampled_from(sorted(TABLES)))]]
        for _ in range(draw(st.integers(1, 3))):
            row = draw(st.sampled_from(rows))
            row[draw(st.sampled_from(sorted(row)))] = draw(VALUES)
        try:
            content = CONTAINERS[container](rows)
        except Exception:  # what the library that writes the file refuses
            content = jsonl(rows)
        return [(f"t.{container}", content), *draw(st.sampled_from([[], texts]))]
    if kind == "documents":
        return [*texts, ("docs.jsonl", jsonl_of(spoiled(draw, documents_jsonl())))]
    if kind == "records":
        name = draw(st.sampled_from(sorted(RECORDS)))
        return [
            (f"{name}.jsonl", jsonl_of(spoiled(draw, RECORDS[name]()))),
            *draw(st.sampled_from([[], texts])),
        ]
    name, file, content = draw(other_files())
    return [(file, content), *draw(st.sampled_from([[], texts]))]


def jsonl_of(root):
    """JSON in lines, of what may be no list any more."""
    return jsonl(root if isinstance(root, list) else [root])


@st.composite
def typed_tasks(draw):
    """The files of a task of scores alone, with values of other types in them."""
    spoil_scores = draw(st.booleans())
    scores = {name: score_lines() for name in "AB"}
    metadata = metadata_json() | {
        "A": {"constrained": True, "supported_lps": {"en-de_DE": "supported"}}
    }
    if spoil_scores:
        scores["A"] = spoiled(draw, scores["A"])
    else:
        metadata = spoiled(draw, metadata)
    return {
        **{f"t/automatic_scores/{name}.jsonl": jsonl_of(lines) for name, lines in scores.items()},
        "t/systems_metadata.json": dump(metadata).encode(),
    }


@st.composite
def typed_official_tables(draw):
    """A table of published scores, and ranks, with values of other types in it."""
    rows = [dict(row) for row in OFFICIAL]
    left_out = draw(
        st.sets(st.sampled_from(["lp", "BLEU", "chrF", "rank_low", "rank_high", "cluster"]))
    )
    rows = [{key: value for key, value in row.items() if key not in left_out} for row in rows]
    for _ in range(draw(st.integers(0, 3))):
        row = draw(st.sampled_from(rows))
        row[draw(st.sampled_from(sorted(row)))] = draw(VALUES)
    rows = rows[: draw(st.integers(0, 2))]
    header = [key for key in OFFICIAL[0] if key not in left_out]
    separator = draw(st.sampled_from("\t,;"))
    lines = [
        header,
        *(
            [str(row.get(key) if row.get(key) is not None else "") for key in header]
            for row in rows
        ),
    ]
    return "".join(separator.join(line) + "\n" for line in lines)
