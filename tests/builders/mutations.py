"""Sound files of every kind that is read, and what a stranger may make of them."""

import gzip
import io
import json
import zipfile

import pandas as pd
from hypothesis import strategies as st

from tests.builders.toys import zipped

REF = [
    "the cat sat on the mat",
    "a small house",
    "it was warm",
    "dogs ran over the bridge",
    "he read it",
    "we left",
]
OUTPUTS = {
    "A": REF,
    "B": [text.replace("the", "a") for text in REF],
    "C": [text[::-1] for text in REF],
}
SCORES = {
    name: [0.5 + 0.1 * k - 0.05 * place for k in range(6)] for place, name in enumerate("ABC")
}
DEEP = 1000

#: Of these a mutation puts some in: what breaks parsers of text, of numbers, of names, of archives.
JUNK = [
    b"\0",
    b"\xff",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\\u0000",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\n\n",
    b"\t",
    b",",
    b'"',
    b"'",
    b"{",
    b"}",
    b"[",
    b"]",
    b"[" * DEEP,
    b"[" * DEEP + b"]" * DEEP,
    b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    b"<",
    b"&x;",
    b"<!DOCTYPE a>",
    b"<a>" * 60,
    b"nan",
    b"Infinity",
    b"-Infinity",
    b"1e15",
    b"1e308",
    b"-1.7976931348623157e308",
    b"1e-320",
    b"9" * 400,
    b"9" * 5000,
    b"-1",
    b"0",
    b"None",
    b"null",
    b"true",
    b"../x",
    b"/etc/passwd",
    b"x" * 300,
    b"canary",
    "\u202e\u2028\u0085".encode(),
    b"# segment = 99999999999",
    b"# newpar",
    b"PAR1",
    b"PK\x05\x06",
    b"\x1f\x8b\x08",
]
NAMES = [
    "../../x.txt",
    "/abs.txt",
    "..",
    "a\0b.txt",
    "x" * 300 + ".txt",
    "\u202ex.txt",
    "references",
    "con.",
    " ",
    "references/en-de.refA.txt",
    "references/en-de.refA.txt/x.txt",
    "system-outputs/en-de/A.txt",
    "automatic_scores/A.jsonl",
    "a.zip",
    "\u00e9\u0301" * 130,
    "__MACOSX/._x",
    "systems.tsv",
]


def lines(texts):
    return "".join(f"{text}\n" for text in texts).encode()


def _conllu(texts):
    return lines(
        "\n".join(
            f"{k}\t{word}\t_\t_\t_\t_\t{k - 1}\tdep\t_\t_" for k, word in enumerate(text.split(), 1)
        )
        + "\n"
        for text in texts
    )


def human_table(separator="\t"):
    return lines(
        [
            separator.join(("system", "line", "score", "docid")),
            *(
                separator.join((name, str(k), f"{score:g}", f"d{k // 3}"))
                for name, scores in SCORES.items()
                for k, score in enumerate(scores, 1)
            ),
        ]
    )


def _parquet():
    out = io.BytesIO()
    pd.DataFrame(SCORES).to_parquet(out)
    return out.getvalue()


#: Names of files, with what they are.
TEXTS = {
    "ref.txt": lines(REF),
    **{f"{name}.txt": lines(texts) for name, texts in OUTPUTS.items()},
    "docs.txt": lines(f"news\td{k // 2}" for k in range(6)),
    "src.txt": lines(REF),
    "A.conllu": _conllu(OUTPUTS["A"]),
}
TABLES = {
    "human.tsv": human_table("\t"),
    "human.csv": human_table(","),
    "wide.csv": lines(
        ["A,B,C", *(",".join(f"{x:g}" for x in row) for row in zip(*SCORES.values(), strict=True))]
    ),
    "human.jsonl": lines(
        json.dumps({"system": name, "line": k, "score": score})
        for name, scores in SCORES.items()
        for k, score in enumerate(scores, 1)
    ),
    "comet.json": json.dumps(
        {
            f"{name}.txt": [{"mt": "x", "COMET": score} for score in scores]
            for name, scores in SCORES.items()
        }
    ).encode(),
    "wide.parquet": _parquet(),
}
_XML = (
    (
        '<dataset id="n"><doc id="d1" origlang="en" domain="news"><src lang="en"><p>{segs}</p></src><ref lang="de" '
        'translator="A"><p>{segs}</p></ref>'
        + "".join(f'<hyp lang="de" system="{name}"><p>{{segs}}</p></hyp>' for name in OUTPUTS)
        + "</doc></dataset>"
    )
    .format(segs="".join(f'<seg id="{k}">{text}</seg>' for k, text in enumerate(REF, 1)))
    .encode()
)
TASKS = [
    {
        "t/references/en-de.refA.txt": lines(REF),
        "t/documents/en-de.docs": TEXTS["docs.txt"],
        "t/sources/en-de.txt": lines(REF),
        "t/systems.tsv": b"system\trole\nA\twithdrawn\n",
        "t/human-scores/en-de.mqm.seg.score": lines(
            f"{name}\t-{score:g}" for name, scores in SCORES.items() for score in scores
        ),
        **{f"t/system-outputs/en-de/{name}.txt": lines(texts) for name, texts in OUTPUTS.items()},
    },
    {
        **{
            f"t/automatic_scores/{name}.jsonl": lines(
                [
                    json.dumps(
                        {
                            "language_pair": "en-de_DE",
                            "domain": "news",
                            "document_id": "d1",
                            "metric_scores": {"XCOMET-XL": scores},
                        }
                    )
                ]
            )
            for name, scores in SCORES.items()
        },
        "t/systems_metadata.json": b'{"A": {"constrained": true}}',
    },
    {"newstest2021.en-de.all.xml": _XML},
]


def edited(content, edits):
    """Some bytes with some changes, each so many 256ths of the way through."""
    for place, (what, junk) in edits:
        at = place * len(content) // 256
        if what == "put in":
            content = content[:at] + junk + content[at:]
        elif what == "over":
            content = content[:at] + junk + content[at + len(junk) :]
        elif what == "instead":  # of the word there
            end = next(
                (k for k in range(at, len(content)) if content[k] in b'\t\n ,":<>}]'), len(content)
            )
            content = content[:at] + junk + content[end:]
        elif what == "flip":
            flipped = bytes(byte ^ (1 + len(junk) % 255) for byte in content[at : at + 1])
            content = content[:at] + flipped + content[at + 1 :]
        elif what == "drop":
            content = content[:at] + content[at + 1 + len(junk) % 40 :]
        elif what == "cut":
            content = content[:at]
        elif what == "twice":
            content = content[:at] + content[max(0, at - 30) :]
    return content


EDITS = st.lists(
    st.tuples(
        st.integers(0, 255),
        st.sampled_from(
            [
                (what, junk)
                for junk in JUNK
                for what in ("put in", "over", "instead", "instead", "flip", "drop", "cut", "twice")
            ]
        ),
    ),
    max_size=4,
)


@st.composite
def uploads(draw):
    """Files as they come from a browser: (name, content)."""
    kind = draw(st.sampled_from(["texts", "texts with scores", "scores", "scores"]))
    table = draw(st.sampled_from(sorted(TABLES)))
    files = {} if kind == "scores" else dict(TEXTS)
    files |= {} if kind == "texts" else {table: TABLES[table]}
    spoiled = draw(st.sampled_from(sorted(files)))
    files[spoiled] = edited(files[spoiled], draw(EDITS))
    if draw(st.integers(0, 5)) == 0:
        packed = edited(
            gzip.compress(files.pop(spoiled), 1), draw(EDITS) if draw(st.booleans()) else []
        )
        files[f"{spoiled}.gz"] = packed
    if draw(st.integers(0, 9)) == 0:
        files[draw(st.sampled_from(NAMES))] = files.pop(draw(st.sampled_from(sorted(files))))
    return list(files.items())


@st.composite
def archives(draw):
    """A zip of a task, in which something is wrong: a name, a content, a packed byte."""
    files = dict(draw(st.sampled_from(TASKS)))
    what = draw(st.sampled_from(["content", "name", "packed"]))
    victim = draw(st.sampled_from(sorted(files)))
    if what == "content":
        files[victim] = edited(files[victim], draw(EDITS))
    elif what == "name":
        top = draw(st.sampled_from(["t/", ""]))
        files[top + draw(st.sampled_from(NAMES))] = files[victim]
    packed = zipped(
        files,
        draw(
            st.sampled_from(
                [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
            )
        ),
    )
    return edited(packed, draw(EDITS)) if what == "packed" else packed
