"""What a page may say names no option of the command line: errors carry those apart, warnings do without."""

import ast
import re

import pytest

from mtsig_core import SettingError, TestSet, compare
from mtsig_core.report.commands import remedy_options
from tests.test_architecture import CORE, PAGES, each, name_of, tree

OPTION = re.compile(r"(^|[\\s(`'\"])--[a-z]|NAME=|=FILE")
#: Their errors are about the command line itself, or never reach a page.
COMMAND_LINE = ("mtsig_core.cli.main", "mtsig_core.data.source", "mtsig_core.cli.serve",
                "mtsig_core.report.json_reading")
MESSAGES = [file for file in CORE if name_of(file) not in COMMAND_LINE and "cli" not in file.parts]


def texts(node):
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def called(node):
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


@each(MESSAGES)
def test_messages_of_the_core(file):
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.Call) and called(node).endswith("Error"):
            said = [text for argument in node.args[:1] for text in texts(argument)]
        elif isinstance(node, ast.Call) and called(node) == "Caution":
            said = texts(node)
        else:
            continue
        assert not [text for text in said if OPTION.search(text)], f"line {node.lineno}"


@each(PAGES)
def test_what_pages_say_themselves(file):
    """An option alone, as lists of options have them, is no sentence."""
    said = [text for text in texts(tree(file)) if " " in text.strip() and "<style>" not in text]
    assert not [text for text in said if OPTION.search(text)]


def test_the_command_line_adds_the_options():
    testset = TestSet("toy", {"A": ["a b c d"] * 40, "B": ["a b c e"] * 40}, {"ref": ["a b c d"] * 40})
    with pytest.raises(SettingError) as raised:
        compare(testset, test="koehn", correction="holm")
    assert "Choose the correction none" in str(raised.value) and raised.value.remedies == ({"correction": "none"},)
    assert remedy_options(raised.value) == "--correction none"
    assert raised.value.__notes__ == ["Arguments that mend it: correction='none'."]
