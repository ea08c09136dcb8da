"""Texts for users keep the terms of the project, and on screen their sentences are short."""

import argparse
import ast
import html
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtsig_core.cli.main import _parser
from mtsig_core.simulation.corpus import load_demo
from mtsig_core.stats.comparison import compare
from tests.builders.code import ROOT, nodes

#: What to write in place of a term that must not come back.
TERMS = {
    "top group": r"may be (the )?first|winners' circle",
    "significantly better, no significant difference": r"\bahead\b|\b(not|un)[ -]?separated|\b(is|are) lit\b|went out",
    "rank range": r"rank intervals?",
    "resamples, permutations": r"bootstrap samples?|(random|all) swaps|swaps of",
    "adjusted p, corrected for N pairs": r"(over|by) the family",
    "95% CI, 95% CI for all pairs together": r"\b(single|joint|simultaneous) (\d+% )?(interval|CI)s?\b",
    "published scores": r"printed scores?",
    "human scores": r"scores (of|by) people",
    "false-alarm rate": r"true nulls\b|keeps? (its|their) level",
    "smallest detectable difference": r"\bgo(es)? unseen|finds that often|minimum detectable",
    "exclude": r"\b(leaves?|leaving|left) out\b",
    "sidebar": r"at the side\b|side bar",
    "upload, export": r"bring your own|take (it|them) away",
    "default, available": r"unless said otherwise|\bbe had\b",
    "documents are alike": r"\bhangs? together",
    "caveats": r"keep in mind",
    "again, except, because there is no": r"\banew\b|\bbut for\b|\bfor want of\b",
    "compute, use, ignored": r"\breckon|\bheed|\bof no account\b",
    "mtsig warns, the page shows": r"\b(says|said|say) so\b|\b(is|are|was|were) said\b",
    "as is, on its own": r"\bas (it|they) stands?\b|\bby itself\b",
    "simulated": r"\bmade[- ]up\b",
    "overall rank, the winner": r"\brank across\b|\bdeclared first\b",
    "a different result, the opposite sign": r"\bdecide otherwise\b|\bthe other sign\b",
    "worth about N equal ones": r"\bcount as about\b",
    "are swapped": r"\btrades? places\b",
    "anyone who": r"\bwhoever\b",
    "the lines no longer match, not valid": r"\bout of step\b|\bno sound\b",
}
ANY_TERM = re.compile("|".join(TERMS.values()), re.I)
LONGEST = 28  # words of a sentence on screen
NO_PROSE = re.compile(
    r"[$\\<]|  mtsig |^([a-z]{2,3} ){9}"
)  # formulas, markup, commands, codes of languages


def texts_of_module(file: Path) -> Iterator[tuple[str, str]]:
    """Place and text of what has words: no docstrings; an X where something is filled in."""
    parts = set()
    for node in nodes(file):  # a text comes before its parts
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            parts.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in ast.walk(node) if isinstance(part, ast.Constant)}
            text = "".join(
                part.value if isinstance(part, ast.Constant) else "X" for part in node.values
            )
            yield f"{file.relative_to(ROOT)}:{node.lineno}", text
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts
        ):
            yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value


def values(table: object) -> Iterator[str]:
    """All texts in a table of TOML."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, dict | list):
        for value in table.values() if isinstance(table, dict) else table:
            yield from values(value)


def texts_on_screen(folder: str) -> Iterator[tuple[str, str]]:
    for file in sorted((ROOT / folder).rglob("*.py")):
        yield from texts_of_module(file)
    for file in sorted((ROOT / folder).rglob("*.toml")):
        yield from (
            (file.name, text) for text in values(tomllib.loads(file.read_text(encoding="utf-8")))
        )


def texts_of_docs() -> Iterator[tuple[str, str]]:
    """Lines, without code and quotes."""
    for file in (*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")):
        prose = re.sub(
            r'^```.*?^```|`[^`\n]*`|"[^"\n]*"',
            lambda code: "\n" * code[0].count("\n"),
            file.read_text(encoding="utf-8"),
            flags=re.M | re.S,
        )
        yield from ((f"{file.name}:{n}", line) for n, line in enumerate(prose.splitlines(), 1))


def texts_of_help(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    yield parser.prog, " ".join(parser.format_help().split())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                if command.add_options is not None:  # which waits until the command is called
                    command.add_options(command)
                yield from texts_of_help(command)


def texts_of_reports() -> Iterator[tuple[str, str]]:
    result = compare(load_demo(300), ["bleu"], trials=199, resamples=199)
    yield "text", result.render("text")
    page = re.sub(r"<(style|script).*?</\1>", "", result.render("html"), flags=re.S)
    yield "html", " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def find_terms(texts):
    return [
        f"{place}: write '{better}' in place of '{found[0]}': {text[max(0, found.start() - 40) : found.end() + 30]}"
        for place, text in texts
        if " " in text and ANY_TERM.search(text)
        for better, term in TERMS.items()
        for found in re.finditer(term, text, re.I)
    ]


def find_long(texts):
    while_filled = re.compile(r"\{[^{}]*\}")  # the choices of a template
    for place, text in texts:
        while while_filled.search(text):
            text = while_filled.sub("X", text)
        for sentence in re.split(r"(?<=[.!?:;])\s+|\n", "" if NO_PROSE.search(text) else text):
            if (n := len(re.findall(r"[A-Za-z]{2,}", sentence))) > LONGEST and sentence.count(
                ","
            ) < n / 3:
                yield f"{place}: {n} words: {sentence}"


@pytest.mark.parametrize("folder", ["pages", "mtsig_core"])
def test_texts_on_screen(folder):
    texts = list(texts_on_screen(folder))
    assert find_terms(texts) == []
    assert list(find_long(texts)) == []


@pytest.mark.parametrize(
    "texts",
    [texts_of_docs, lambda: texts_of_help(_parser()), texts_of_reports],
    ids=["docs", "help", "reports"],
)
def test_other_texts(texts):
    assert find_terms(texts()) == []


def test_a_term_and_a_long_sentence_would_be_seen():
    assert len(find_terms([("here", "A is Ahead of B, by the family")])) == 2
    assert len(list(find_long([("here", "word " * (LONGEST + 1) + "{end}.")]))) == 1
