"""The tokenizer: a control in the sidebar, in the status line, in the printed command."""

import pytest

from mtsig_core.source import Source
from tests.builders.screens import copied, offered, words, write
from tests.builders.toys import SPACELESS


@pytest.fixture
def chinese(tmp_path):
    lines = SPACELESS["zh"] * 5
    systems = {
        "A": [text[:-1] for text in lines],
        "B": [text[1:] if k % 2 else text for k, text in enumerate(lines)],
    }
    return Source(
        ref=((None, write(tmp_path / "ref.txt", lines)),),
        system=tuple(
            (name, write(tmp_path / f"{name}.txt", texts)) for name, texts in systems.items()
        ),
    )


def commands(page):
    return [line for line in copied(page) if line.startswith("mtsig ")]


def test_chosen_at_the_side(opened, chinese):
    page = opened("summary", chinese, trials="999")
    assert page.selectbox(key="tokenize").label == "Tokenizer (auto: 13a)"
    page.selectbox(key="tokenize").select("zh").run()
    said = words(page)
    assert " · tokenizer zh" in said
    assert "The references look Chinese" not in said
    assert "|tok:zh|" in offered(page)["Signature (BLEU)"]
    assert all(" --tokenize zh" in command for command in commands(page))
    assert commands(page)
