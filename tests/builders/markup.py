"""What a report says, in HTML and in LaTeX."""

import re
import unicodedata
from html.parser import HTMLParser


class Page(HTMLParser):
    """Tags, attributes, and the text by tag, of a page whose tags are nested properly."""

    def __init__(self, code):
        super().__init__()
        self.open, self.tags, self.attributes, self.cells, self.text = [], set(), [], [], ""
        self.feed(code)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["td"]:
            self.cells[-1] += data
        if self.open[-1:] != ["style"]:
            self.text += data


# What each command that `escape` writes prints, written down apart from it.
PRINTED = {
    r"\textbackslash{}": "\\",
    r"\textasciicircum{}": "^",
    r"\textasciitilde{}": "~",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    r"\textquotedbl{}": '"',
    r"\textquotesingle{}": "'",
    r"\textasciigrave{}": "`",
    r"$\uparrow$": "↑",
    r"$\downarrow$": "↓",
    r"$\dagger$": "†",
    r"$\ddagger$": "‡",
    r"\{": "{",
    r"\}": "}",
    r"\$": "$",
    r"\&": "&",
    r"\#": "#",
    r"\_": "_",
    r"\%": "%",
    r"\ ": " ",
    r"\kern0pt{}": "",
    r"\allowbreak{}": "",
    "{[}": "[",
    "{*}": "*",
}


TOKEN = re.compile(
    "|".join(map(re.escape, PRINTED)) + r"|\\mtsigtext\{([^{}]*)\}\{((?: ?U\+[0-9A-F]{4,6})+)\}|."
)


HOSTILE = [
    "\\end{tabular}",
    "$x$ & #1 _^~%",
    "<<a>> -- --- ,,b",
    "\"q\" 'r' ``s'' ?`",
    "[1em] x",
    "*",
    "two  spaces ",
    " lead",
    "a\nb\r\tc",
    "系统甲",
    "é ß Ş đ",
    "نظام",
    "\u202eabc",
    "e\u0301😀",
    "\x1b[2J",
    "\udc80",
    "x" * 300,
    "%",
]


def typeset(code):
    """What LaTeX prints for escaped text; fails where a character would not print as itself."""

    def shown(match):
        token, unusual, points = match[0], match[1], match[2]
        if unusual is not None:
            assert [f"U+{ord(ch):04X}" for ch in unusual] == points.split()
            return unusual
        if token in PRINTED:
            return PRINTED[token]
        assert token not in "\\{}$&#^_~%<>|\"'`\n", token
        return token

    return TOKEN.sub(shown, code)


def visible(name):
    """A name as a line can hold it: what has no width or would turn the line becomes an escape."""
    unseen = {ch for ch in name if unicodedata.category(ch) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {
        "\u200c",
        "\u200d",
    }
    return "".join(ch.encode("unicode_escape").decode() if ch in unseen else ch for ch in name)


def rows_of(code, table):
    """Cells of the rows of each table of a kind, without its header."""
    bodies = re.findall(rf"\\begin{{{table}}}.*?\\end{{{table}}}", code, re.DOTALL)
    return [
        [
            re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))
            for line in body.splitlines()
            if line.endswith(r" \\")
        ][1:]
        for body in bodies
    ]


def said_of_tables(code):
    """The caption of each table with the note below it."""
    tables = re.findall(
        r"\\begin{(?:table\*|longtable)}.*?(?=\\end{table\*}|\n}\n)", code, re.DOTALL
    )
    return [" ".join(re.findall(r"\\caption\[.*|\\mtsignote{.*", table)) for table in tables]


def methods(code):
    """The paragraph of each metric on how it was tested."""
    return re.findall(r"\\paragraph{[^}]*: methods\.}.*", code)
