"""The tokenizer: a control in the sidebar, in the status line, in the printed command."""

from tests.builders.screens import chinese_source, copied, offered, words


def test_chosen_at_the_side(opened, tmp_path):
    page = opened("summary", chinese_source(tmp_path), trials="999")
    assert page.selectbox(key="tokenize").label == "Tokenizer (auto: 13a)"
    page.selectbox(key="tokenize").select("zh").run()
    assert " · tokenizer zh" in words(page)
    assert "The references look Chinese" not in words(page)
    assert "|tok:zh|" in offered(page)["For a paper, with its caveats"]
    commands = [line for line in copied(page) if line.startswith("mtsig ")]
    assert commands
    for command in commands:
        assert " --tokenize zh" in command
