"""Names in the code say what a thing is: a list of words that are no names, and one word a thing."""

import ast
import re

import pytest

from tests.builders.code import CORE, PAGES, ROOT, nodes, offenders

#: Words that point at a thing and do not say what it is: participles, pronouns, prepositions. They
#: name no variable and no parameter.
POINTERS = {
    *("one", "whole", "rest", "own", "part", "parts", "theirs", "mine", "some", "every"),
    *("seen", "found", "told", "said", "held", "shown", "given", "taken", "drawn"),
    *("asked", "chosen", "named", "called", "wanted"),
    *("at", "by", "of", "what", "who", "here", "there"),
    *("these", "those", "such"),
}

#: One thing has one word in names of functions, classes and modules: the word, and the ones that it
#: has replaced. CONTRIBUTING explains each.
ONE_WORD = {
    "caution": r"caveat|suspicio|warning",
    "p_floor": r"least_p|smallest_p|least_of_units",
    "replicates": r"drawn_scores",
}


def names_in(file):
    """Names that a module gives to variables and parameters of functions, with their lines."""
    for node in nodes(file):
        if isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                    yield inner.id, inner.lineno


def test_names_say_what_a_thing_is():
    def pointers(file):
        return sorted({(name, line) for name, line in names_in(file) if name in POINTERS})

    assert offenders([*CORE, *PAGES], pointers) == {}


@pytest.mark.parametrize("word", ONE_WORD)
def test_a_thing_has_one_word(word):
    replaced = re.compile(ONE_WORD[word])

    def other_words(file):
        named = [node for node in nodes(file) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        names = [file.stem, *(node.name for node in named)]
        return [name for name in names if replaced.search(name)]

    assert offenders([*CORE, *PAGES], other_words) == {}


def test_the_words_of_the_domain_are_explained():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert [word for word in ONE_WORD if f"`{word}`" not in text] == []
