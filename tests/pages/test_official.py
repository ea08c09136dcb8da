"""An official table beside the scores of the Leaderboard."""

from mtsig_core import compare
from mtsig_core.cli.main import main
from tests.pages.toys import NAMES, arguments, words


def test_a_pasted_table_is_held_against_our_scores(opened, source, tmp_path, capsys):
    page = opened("leaderboard", source)
    scores = {row.system: row.score for row in compare(source.read(), trials=99, resamples=50).metrics["bleu"].systems}
    table = "\n".join(["system;BLEU", f"{NAMES[0]};{scores[NAMES[0]]:.2f}", f"{NAMES[1]};99.99", "<b>C;1"])
    page.text_area(key="official.text").set_value(table).run()
    assert not page.exception
    said = words(page)
    assert "1 of 2 printed numbers come out here" in said and "Only in the table: &lt;b&gt;C" in said
    assert "<b>C" not in said and ">✓<" in said and ">✗<" in said
    command = next(code.value for code in page.code if "--official" in code.value)
    (tmp_path / "FILE").write_text(table)
    assert main(arguments(command.replace("--official FILE", f"--official {tmp_path / 'FILE'}"))) == 0
    assert "1 of 2 printed numbers come out here" in capsys.readouterr().out


def test_a_broken_table_is_said(opened, source):
    page = opened("leaderboard", source)
    page.text_area(key="official.text").set_value("system,BLEU\nA,x").run()
    assert not page.exception and "line 2: BLEU is" in words(page)
