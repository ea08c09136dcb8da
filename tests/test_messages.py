"""What mends something is said in the words of who shows it: options, controls of the sidebar, or
arguments.
"""

import ast
import json
import re
from html import unescape

import pytest

from mtsig_core import Comparison, InputError, SettingError, TestSet, compare
from mtsig_core.report.commands import remedy_options
from mtsig_core.report.text import warn
from pages._ui.screen import locate_remedies
from tests.builders.code import CORE, PAGES, name_of, nodes, offenders
from tests.builders.results import list_codes

OPTION = re.compile(r"(^|[\s`'\"]|(?<!var)\()--[a-z]|NAME=|=FILE")  # var(--name) is of a style
#: Their errors are about the command line itself, or never reach a page.
COMMAND_LINE = (
    "mtsig_core.cli.main",
    "mtsig_core.source",
    "mtsig_core.cli.serving",
    "mtsig_core.report.export",
    "mtsig_core.task",
    "pages._server.launch",
    "pages._server.processes",
)
MESSAGES = [file for file in CORE if name_of(file) not in COMMAND_LINE and "cli" not in file.parts]


def texts(parts):
    return [
        part.value
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def called(node):
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def test_messages_of_the_core():
    def said(node):
        if called(node) == "Caution":
            return texts(ast.walk(node))
        first = node.args[:1] if called(node).endswith("Error") else []
        return [text for argument in first for text in texts(ast.walk(argument))]

    def options(file):
        return [
            (node.lineno, text)
            for node in nodes(file)
            if isinstance(node, ast.Call)
            for text in said(node)
            if OPTION.search(text)
        ]

    assert offenders(MESSAGES, options) == {}


def test_the_core_knows_no_side_bar():
    """Its own docstrings aside, it says nothing of what a screen has where."""

    def said(file):
        docs = {
            ast.get_docstring(node, clean=False)
            for node in nodes(file)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        }
        return [text for text in texts(nodes(file)) if "sidebar" in text and text not in docs]

    assert offenders(CORE, said) == {}


def test_what_pages_say_themselves():
    """An option alone, as lists of options have them, is no sentence."""

    def options(file):
        return [
            text
            for text in texts(nodes(file))
            if " " in text.strip() and "<style>" not in text and OPTION.search(text)
        ]

    pages = [file for file in PAGES if name_of(file) not in COMMAND_LINE]
    assert offenders(pages, options) == {}


def test_the_command_line_adds_the_options():
    testset = TestSet(
        "toy", {"A": ["a b c d"] * 40, "B": ["a b c e"] * 40}, {"ref": ["a b c d"] * 40}
    )
    with pytest.raises(SettingError) as raised:
        compare(testset, test="koehn", correction="holm")
    assert "Choose the correction none" in str(raised.value) and raised.value.remedies == (
        {"correction": "none"},
    )
    assert remedy_options(raised.value.remedies) == "--correction none"
    assert raised.value.__notes__ == ["Arguments that correct it: correction='none'."]


def by_segment(**settings):
    """Of 40 segments in 20 documents; 39 swaps are too few for three pairs under Holm."""
    ref = [f"a b c d {k}" for k in range(40)]
    outputs = {
        name: ["x y z" if k % n == 0 else text for k, text in enumerate(ref)]
        for n, name in enumerate("ABC", 2)
    }
    testset = TestSet("toy", outputs, {"ref": ref}, documents=[f"d{k // 2}" for k in range(40)])
    return compare(
        testset,
        **{"unit": "segment", "trials": 39, "resamples": 20, "correction": "holm"} | settings,
    )


def test_a_warning_says_what_helps_in_the_words_of_who_shows_it(capsys):
    result = by_segment()
    printed = result.render("text")
    notebook = unescape(re.sub("<[^>]+>", "", result._repr_html_()))
    assert "Test by document. Options: --unit document.\n" in printed
    assert "Options: --trials 59, --correction romano-wolf.\n" in printed
    assert "Arguments: unit='document'." in notebook
    assert "Arguments: trials=59; or correction='romano-wolf'." in notebook
    assert (
        "sidebar" not in printed + notebook
        and "Arguments" not in printed
        and not OPTION.search(notebook)
    )
    warn(result.warnings)
    assert "Options: --unit document." in capsys.readouterr().err


def test_a_screen_names_where_it_has_what_mends():
    assert locate_remedies([{"unit": "document"}]) == "Under Change: Unit: Document."
    assert (
        locate_remedies([{"trials": 59}, {"correction": "romano-wolf"}])
        == "Under Change: Trials: 999, or Correction: Romano-Wolf."
    )
    assert (
        locate_remedies([{"metrics": "bleu", "tokenize": "zh"}])
        == "In the sidebar: Metric: BLEU with Tokenizer: zh."
    )
    assert (
        locate_remedies([{"exclude": "GPT"}, {"tokenize": "NAME"}])
        == "In the sidebar: Systems and segments > Exclude systems: GPT."
    )
    assert locate_remedies([{"docs": "FILE"}, {"trials": 10**6}]) == locate_remedies([]) == ""


def test_what_helps_does():
    kinds = {caution.code: caution for caution in by_segment().warnings}
    for code in ("documents-ignored", "family-too-large"):
        for remedy in kinds[code].remedies:
            assert code not in list_codes(by_segment(**remedy))


def test_warnings_are_hashable_and_alike_in_json():
    found = by_segment()
    assert len(set(found.warnings)) == len(found.warnings)
    again = Comparison.from_json(found.render("json"))
    assert again == found and [one.remedies for one in again.warnings] == [
        one.remedies for one in found.warnings
    ]


@pytest.mark.parametrize("wrong", ["unit", [1], [{"unit": None}]])
def test_remedies_of_another_form_are_refused(wrong):
    text = re.sub(
        r'"remedies": \[\s*\{.*?\]',
        f'"remedies": {json.dumps(wrong)}',
        by_segment().render("json"),
        count=1,
        flags=re.DOTALL,
    )
    with pytest.raises(InputError, match="remedies"):
        Comparison.from_json(text)
