"""What the tests of pages share: made-up test sets with hostile names, and what a page says."""

import json
import re
import shlex
from html import escape, unescape
from pathlib import Path
from urllib.parse import parse_qsl

from mtsig_core.report.table import Column, Table
from mtsig_core.source import Source
from tests.builders.streamlit_parts import frame_parts, told_once
from tests.builders.toys import SPACELESS

APP = Path(__file__).resolve().parents[2] / "app.py"
NAMES = ["<img src=x onerror=alert(1)>", "![](http://h/x.png)", "$x$ **b** :material/home:"]


def write(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def sentences(n):
    return [f"this is the sentence number {k} of the small test set" for k in range(n)]


def written(folder, reference, systems, documents=None, names=NAMES):
    """A source of files with these lines."""
    systems = zip(names, systems, strict=True)
    return Source(
        ref=((None, write(folder / "ref.txt", reference)),),
        system=tuple(
            (name, write(folder / f"{k}.txt", lines)) for k, (name, lines) in enumerate(systems)
        ),
        docs=documents and write(folder / "docs.txt", documents),
    )


def replace_in_some(texts, step, old, new):
    """Replace in each text of so many, from the first on."""
    return [text.replace(old, new) if k % step == 0 else text for k, text in enumerate(texts)]


def replace_in_most(texts, step, old, new):
    """Replace in all others."""
    return [text.replace(old, new) if k % step else text for k, text in enumerate(texts)]


def write_ratings(file, ratings):
    """Write a table of the scores of each system, from its first line on."""
    rows = ["system\tline\tscore"]
    for system, scores in ratings.items():
        rows += [f"{system}\t{line}\t{score}" for line, score in enumerate(scores, 1)]
    return write(file, rows)


def small_source(folder):
    """15 documents of 4 segments; a bad system, a good one, and one that says nothing."""
    ref = sentences(60)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [
        text.replace("small test", "big") if k % 5 == 0 else text for k, text in enumerate(ref)
    ]
    return written(folder, ref, (worse, mixed, ["nothing"] * 60), [f"d{k // 4}" for k in range(60)])


def chinese_source(folder):
    """Two systems in Chinese, of which nothing says so."""
    lines = SPACELESS["zh"] * 5
    worse = [text[:-1] for text in lines]
    mixed = [text[1:] if k % 2 else text for k, text in enumerate(lines)]
    return written(folder, lines, (worse, mixed), names="AB")


@told_once
def words(page):
    """All that the page says through its own HTML, and its data frames as if they were HTML too."""
    frames = (
        f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)}</tr>"
        for frame in page.dataframe
        for tag, rows in zip(
            ("th", "td"), (frame_rows(frame)[:1], frame_rows(frame)[1:]), strict=True
        )
        for row in rows
    )
    bodies = [
        re.sub(r"<style>.*?</style>", "", element.proto.body, flags=re.DOTALL)
        for element in page.get("html")
    ]
    return "\n".join([*filter(None, bodies), *frames])


def caution_codes(page, cautions):
    """The codes of those cautions whose first sentence is on the page."""
    return {
        caution.code for caution in cautions if escape(caution.text.split(". ")[0]) in words(page)
    }


def offered(page):
    """What the page offers to copy, by its label, which no two have in common."""
    fields = [
        json.loads(element.proto.json)
        for element in page.get("bidi_component")
        if element.proto.component_name == "mtsig_copyable"
    ]
    texts = {field["label"]: field["text"] for field in fields}
    assert len(texts) == len(fields) and all(texts)
    return texts


def copied(page):
    """The texts that the page offers to copy."""
    return list(offered(page).values())


def all_copied(page):
    """The same as one text."""
    return "\n".join(copied(page))


def find_command(page, name):
    """The first command on the page that begins with this name, or has no other."""
    return next(line for line in copied(page) if line.startswith(f"mtsig {name}"))


def captions(page):
    """All captions of the page as one text."""
    return " ".join(caption.value for caption in page.caption)


def links(page):
    """What each link of the page asks for, by its label."""
    return {
        link.proto.label: dict(parse_qsl(link.proto.query_string)) for link in page.get("page_link")
    }


def read_address(page):
    """What the address of the page asks for."""
    params = page.query_params
    return {key: value if isinstance(value, str) else value[-1] for key, value in params.items()}


def labelled(widgets, label):
    """The first widget of this label."""
    return next(widget for widget in widgets if widget.label == label)


def frame_rows(frame):
    """Head and rows of a data frame as the browser shows them."""
    texts = frame_parts(frame)
    missing = frame.value.isna().to_numpy()
    configs = json.loads(frame.proto.columns)
    return [
        [configs[column]["label"] for column in texts.columns],
        *(
            [
                frame.proto.placeholder if gone else cell
                for cell, gone in zip(row, gaps, strict=True)
            ]
            for row, gaps in zip(texts.to_numpy().tolist(), missing, strict=True)
        ),
    ]


def shows(page, table):
    """Whether the page has a table of the core, cell by cell as the core writes it."""
    drawn = [row for frame in page.dataframe for row in frame_rows(frame)]
    drawn += [
        [
            unescape(re.sub("<.*?>", "", cell))
            for cell in re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row)
        ]
        for element in page.get("html")
        for row in re.findall("<tr.*?</tr>", element.proto.body, re.S)
    ]
    return all(row in drawn for row in table.for_readers().texts())


def answers(page):
    """Its large lines, from the top."""
    return [
        element.proto.body
        for element in page.get("html")
        if 'class="mt-answer"' in element.proto.body
    ]


def arguments(command):
    """What a command on screen gives to mtsig."""
    program, *given = shlex.split(command)
    assert program == "mtsig"
    return given


def joined(command):
    """The options of a command with their values, as ``--name=value``."""
    return {
        f"{one}={value}" if one.startswith("--") and not value.startswith("--") else one
        for one, value in zip(command, [*command[1:], "--"], strict=True)
    }


def table(titles, rows, key="rows", **more):
    """A table of names and of numbers as they are written."""
    return Table(
        key,
        tuple(Column(title, title, "written" if k else "name") for k, title in enumerate(titles)),
        tuple(map(tuple, rows)),
        **more,
    )
