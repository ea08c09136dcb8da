"""A verb goes with the number of what it is about: 1 segment is too few, 2 segments are."""

import ast
import re

import pytest

from mtsig_core import TestSet, compare
from mtsig_core.errors import choose_verb
from mtsig_core.report.caution_words import find_reason_undecided
from tests.builders.code import CORE, PAGES, nodes

#: Behind a count whose noun is plain, a verb for several is wrong where the count is 1.
PLURAL = re.compile(r"^ (are|have|were|differ|lack|do|show)\b")


def counts_with_a_plain_verb(file):
    """Where an f-string has format_count(...), and a verb for several right behind it."""
    for node in nodes(file):
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                is_count = isinstance(value, ast.FormattedValue) and "format_count(" in ast.unparse(
                    value.value
                )
                if is_count and isinstance(after, ast.Constant) and PLURAL.match(str(after.value)):
                    yield f"{file.name}, line {node.lineno}: {ast.unparse(value)}{after.value}"


def templates_with_a_plain_verb(file):
    """The same of templates: {n:#segment} are."""
    for node in nodes(file):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (
                f"{file.name}, line {node.lineno}: {found[0]}"
                for found in re.finditer(
                    r"\{\w+:#(\w|[{} ])+\}+ (are|have|were|differ|lack|do|show)\b", node.value
                )
            )


#: A number as it is, before a noun in the plural and a verb: a message that says "1 segments give".
PLAIN = re.compile(r"^ (\w+ )?\w+s (are|have|were|differ|lack|do|show|give|need|contain|agree)\b")
#: Numbers that are above 1, by the expression.
ALWAYS_SEVERAL = {
    "n_unranked",  # where it is 1, the sentence is another
    "len(paths)",  # the files of one role, of which one is expected
    "len(kinds.blocks)",  # samples of the lecture
    "n_pairs",  # of several systems of the lecture
    "if_independent(ALPHA, n_pairs)",
    "n_sentences",
    "n_true",
    "n_permutations",
    "_ENOUGH",
    "counts",
}


def plain_numbers_with_a_plain_verb(file):
    """Where an f-string of the core has a count without format_count, its noun, and a verb for several."""
    for node in nodes(file) if file in CORE else ():
        if isinstance(node, ast.JoinedStr):
            for value, after in zip(node.values, node.values[1:], strict=False):
                if isinstance(value, ast.FormattedValue) and isinstance(after, ast.Constant):
                    counted = ast.unparse(value.value)
                    is_count = re.search(r"\bn\b|\bn_\w|len\(|count", counted)
                    is_formed = "format_count(" in counted or counted in ALWAYS_SEVERAL
                    if is_count and not is_formed and PLAIN.match(str(after.value)):
                        yield f"{file.name}, line {node.lineno}: {counted}{after.value}"


@pytest.mark.parametrize(
    "find",
    [counts_with_a_plain_verb, templates_with_a_plain_verb, plain_numbers_with_a_plain_verb],
)
def test_no_count_has_a_verb_for_several_only(find):
    assert [place for file in [*CORE, *PAGES] for place in find(file)] == []


@pytest.mark.parametrize("n, words", [(1, "1 segment is too few"), (3, "3 segments are too few")])
def test_too_few(n, words):
    testset = TestSet("toy", {"A": ["a b c d"] * n, "B": ["a b x d"] * n}, {"ref": ["a b c d"] * n})
    result = compare(testset, "bleu", trials=99, resamples=99)
    assert find_reason_undecided(result.settings, result.metrics["bleu"]) == words


def test_verbs():
    assert [choose_verb(n, "is", "are") for n in (0, 1, 2)] == ["are", "is", "are"]
