"""docs/claims.md has every constant number that a text claims, and the tests that it names are
there.
"""

import ast
import re
from functools import cache

from mtsig_core.experiments.error_rates import type_one, variants
from mtsig_core.experiments.sampling import coverage
from mtsig_core.experiments.sweeps import sweep_references
from mtsig_core.simulation.corpus import load_demo
from tests.builders.code import CORE, PAGES, ROOT, nodes, tree

PAGE = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
TESTS = sorted(set(re.findall(r"`([\w/]+\.py)::([\w:]+)`", PAGE)))
#: (file, what it says), from the tables whose second column quotes.
QUOTED = [
    (file, said)
    for file, cell in re.findall(
        r"^\| `((?:pages|mtsig_core)/[\w/]+\.py)` \| (.*?) \| ", PAGE, re.M
    )
    for said in re.findall(r'"(.*?)"', cell)
]
#: What is not a number of anything: years and places in papers, what is filled in, formulas, names.
NUMBERLESS = re.compile(
    "|".join(
        (
            r"%\{[^}]*\}",
            r"\{[^}]*\}",
            r"<[^>]+>",
            r"\$[^$]*\$",
            r"\\\w+",
            r"\b(?:18|19|20)\d\d\b(?:, \d\.\d)?",
            r"\b(?:Tables?|Figures?|Figs?\.?|[Ss]ections?|[Tt]heir) \d[\d.]*(?:(?:,| and| to) \d[\d.]*)*",
            r"(?:in |and |\), )\d\.\d(?!\d)",
            r"UTF-8",
            r"BLEU-\d",
            r"\b13a\b",
            r"byte 0x",
        )
    )
)
#: A number of two digits, with a point, or a percentage: single digits count and name things.
NUMBER = re.compile(r"(?<![\w#^_/.-])(?:\d*\.\d+|\d[\d,]*\d|\d)%{0,2}(?!\w)")
#: Texts with numbers that claim nothing: examples of what may be given, limits, styles.
NO_CLAIM = (
    "such as",
    "examples:\n",
    "maxWidth",
    "background-color",
    "Max-Age",
    "@media",
    "@container",
    "stMainBlock",
    "\\usepackage",
    "(column ",
    "codes of 2 or 3 letters",
    "a share of 1, not of 100",
)


@cache
def texts(file):
    """The texts of a module as they are shown, with {} where something is filled in; no docstrings,
    no messages that say what was expected in place of what came.
    """
    found, parts = [], set()
    for node in nodes(file):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in ast.walk(node) if isinstance(part, ast.Constant)}
            found.append(
                "".join(
                    part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
                )
            )
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ):
            found.append(node.value)
    return [text for text in found if "Expected" not in text]


def claimed(text):
    """The numbers of a text that say something."""
    words = len(re.findall("[a-z]{3,}", text)) > 2 and " " in text
    numbers = NUMBER.findall(NUMBERLESS.sub(" ", text)) if words else []
    return [number for number in numbers if len(number) > 1]


def test_every_test_it_names_exists():
    for file, name in TESTS:
        body = tree(ROOT / "tests" / file).body
        for part in name.split("::"):
            body = next((node.body for node in body if getattr(node, "name", None) == part), None)
            assert body is not None, f"{file} has no {part} of {name}"
        assert part.startswith("test_"), name


def test_what_it_quotes_is_said():
    for file, said in QUOTED:
        assert any(said in text for text in texts(ROOT / file)), f"{file} does not say: {said}"


def test_every_constant_number_is_there():
    for file in (*PAGES, *CORE):
        quotes = [said for where, said in QUOTED if ROOT / where == file]
        for text in texts(file):
            if not any(word in text for word in NO_CLAIM):
                left = text
                for said in quotes:
                    left = left.replace(said, " ")
                assert claimed(left) == [], f"{file}: {text}"


def test_a_number_would_be_seen():
    assert claimed("It rejects 12% of true nulls, at .05, in 300 sets") == ["12%", ".05", "300"]
    assert (
        claimed("Zhang and Vogel (2004), Tables 1, 5 and 6, have {:.2f} of n - 1 there, in 4.2")
        == []
    )


def test_defaults_said_in_help_are_those_of_the_experiments():
    demo = load_demo(3000)
    few = demo.only(["Spanish", "Danish"])
    nulls = type_one(few, "bleu", n_pairs=2, trials=39)
    covered = coverage(few, "bleu", repeats=2, resamples=20)
    assert (nulls.n_segments, nulls.n_documents) == (300, 110)
    assert (covered.n_segments, covered.n_documents) == (300, 30)
    assert variants(few, "bleu", trials=39).n_segments == 2000
    swept = sweep_references(
        load_demo(60, 2).only(["Spanish"]), "bleu", resamples=39, repeats=1, unit="segment"
    )
    assert sorted({row.size for row in swept.rows}) == [30, 36, 42, 48, 54, 60]
