"""--tokenize belongs to the test set; every command warns where the tokenizer cuts no words."""

import pytest

from tests.builders.toys import SPACELESS


@pytest.fixture
def chinese(tmp_path):
    for name, lines in {
        "ref": SPACELESS["zh"],
        "A": [text[:-1] for text in SPACELESS["zh"]],
    }.items():
        (tmp_path / f"{name}.txt").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )
    return ["--ref", tmp_path / "ref.txt", "--system", tmp_path / "A.txt"]


@pytest.mark.parametrize("command", ["score", "segments", "sweep resamples"])
def test_a_command_warns(run, chinese, command):
    assert run(*command.split(), *chinese).err.startswith("Warning: The references look Chinese")
    assert not run(*command.split(), *chinese, "--tokenize", "zh").err


def test_what_questions_all_numbers_stands_before_them(run, tmp_path):
    for name in "rab":
        lines = [f"这是一个测试句子{k}号，{name}在这里写中文。\n" for k in range(40)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    done = run(
        "compare",
        "--ref",
        tmp_path / "r",
        "--system",
        tmp_path / "a",
        "--system",
        tmp_path / "b",
        "--trials",
        "99",
        "--resamples",
        "50",
        "--metrics",
        "bleu",
    )
    assert done.status == 0
    assert done.out.index("Warning: The references look Chinese") < done.out.index("BLEU, higher")
    assert done.out.count("look Chinese") == 1
    assert done.out.index("Warning: Segments are treated") > done.out.index("BLEU, higher")
