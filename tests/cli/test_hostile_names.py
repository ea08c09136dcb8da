"""Names that would command a terminal, in every command and format: none gets out as it came in."""

import argparse
import json
import re

import pytest

from mtsig_core.cli import main as module
from tests.builders.cases import brief

ESC, BELL, CSI, TURN = "\x1b", "\x07", "\x9b", "\u202e"
#: What a terminal obeys; CR would write over what stands before it.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
TURNS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SMALL = {
    "--trials": "99",
    "--resamples": "99",
    "--repeats": "2",
    "--pool": "100",
    "--sizes": "10,20",
    "--pairs": "2",
    "--sample-size": "12",
    "--segments": "12",
    "--documents": "4",
}
N = 240  # segments


def leaves(parser, path=()):
    """Commands as they are typed, with their parser."""
    if getattr(parser, "add_options", None):
        add, parser.add_options = parser.add_options, None
        add(parser)
    below = next(
        (one for one in parser._actions if isinstance(one, argparse._SubParsersAction)), None
    )
    if below is None:
        yield " ".join(path), parser
    else:
        for name, sub in below.choices.items():
            yield from leaves(sub, (*path, name))


LEAVES = dict(leaves(module._parser()))


def formats():
    for name, parser in LEAVES.items():
        if name != "serve":  # which writes no result
            choices = next(
                one.choices for one in parser._actions if "--format" in one.option_strings
            )
            yield from ((name, form) for form in choices if form != "parquet")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Options for a set, and a task in a folder, in which each kind of name is hostile."""
    root = tmp_path_factory.mktemp("hostile")
    texts = {
        name: [
            f"the {'old' if (k * j) % 5 else 'new'} house {k} is near the {'sea' if k % (j + 2) else 'lake'}"
            f" {ESC}[2J and{CSI}31m"
            for k in range(N)
        ]
        for j, name in enumerate(("ref", "A", "B", "C"), 1)
    }
    task = root / f"task{ESC}[5m"
    for name, lines in texts.items():
        content = "".join(f"{line}\n" for line in lines)
        (root / f"{name}{ESC}]0;x{BELL}.txt").write_text(content)
        place = (
            f"references/en-de.{name}{ESC}[7m"
            if name == "ref"
            else f"system-outputs/en-de/{name}{ESC}[31m{TURN}"
        )
        for pair in ("en-de", "en-cs"):
            path = task / f"{place}.txt".replace("en-de", pair)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    documents = "".join(
        f"news{ESC}]0;owned{BELL}{k // 120}\tdoc{CSI}31m{TURN}{k // 20}\n" for k in range(N)
    )
    (root / f"docs{ESC}[1m").write_text(documents)
    names = [f"{name}{ESC}[31m{TURN}" for name in "ABC"]
    (root / f"hum{ESC}.tsv").write_text(
        "system\tline\tscore\n"
        + "".join(
            f"{name}\t{k + 1}\t{50 + (7 * k + 11 * j) % 40 + 3 * j}\n"
            for j, name in enumerate(names)
            for k in range(N)
        )
    )
    (root / f"official{ESC}.tsv").write_text(
        "system\tbleu\n" + "".join(f"{name}\t10.0\n" for name in names)
    )
    scores = ["--scores", f"human{ESC}[31m={root / f'hum{ESC}.tsv'}"]
    systems = [
        part
        for name, called in zip("ABC", names, strict=True)
        for part in ("--system", f"{called}={root / f'{name}{ESC}]0;x{BELL}.txt'}")
    ]
    ref = [
        part
        for name in "AB"
        for part in ("--ref", f"ref{name}{ESC}[31m={root / f'ref{ESC}]0;x{BELL}.txt'}")
    ]
    return {
        "set": [
            *ref,
            *systems,
            "--docs",
            str(root / f"docs{ESC}[1m"),
            "--langpair",
            "en-de",
            *scores,
        ],
        "task": ["--folder", str(task)],
        "official": str(root / f"official{ESC}.tsv"),
        "name": names[0],
        "domain": f"news{ESC}]0;owned{BELL}1",
        "human": f"human{ESC}[31m",
    }


TASKS = ("task", "autorank", "findings")


def asked(command, form, hostile):
    options = {one for action in LEAVES[command]._actions for one in action.option_strings}
    small = [
        part
        for name, value in SMALL.items()
        if name in options and not (name == "--pairs" and command in ("agreement", *TASKS))
        for part in (name, value)
    ]
    more = ["--human", hostile["human"]] if command == "agreement" else []
    more += ["--metrics", "bleu"] if command in ("segments", "pair") else []
    source = hostile["task"] if command in TASKS else hostile["set"]
    return [*command.split(), *source, *small, *more, "--format", form]


# All formats of one command, and each command in one.
@pytest.mark.parametrize(
    ("command", "form"),
    brief(23, sorted(formats(), key=lambda case: case[0] != "compare" and case[1] != "text")),
)
def test_no_name_commands_the_terminal(run, hostile, command, form):
    found = run(*asked(command, form, hostile))
    assert found.status == 0 and found.out, found.err
    said = found.out + found.err
    assert not (obeyed := OBEYED.search(said)), said[
        max(0, obeyed.start() - 80) : obeyed.end() + 40
    ]
    if form == "text":
        assert not TURNS.search(said)
    if form == "json":
        json.loads(found.out)


@pytest.mark.parametrize(
    "option", ["baseline", "only", "exclude", "domain", "official", "lower-is-better"]
)
@pytest.mark.parametrize("known", [True, False])
def test_a_hostile_name_that_is_asked_for_is_found_or_refused_legibly(run, hostile, option, known):
    value = {
        "domain": hostile["domain"],
        "official": hostile["official"],
        "lower-is-better": hostile["human"],
    }.get(option, hostile["name"])
    value = value if known else f"x{value}"
    found = run(
        "score" if option == "official" else "compare",
        *hostile["set"],
        "--metrics",
        "bleu",
        f"--{option}",
        value,
        *(["--trials", "99", "--resamples", "99"] if option != "official" else []),
    )
    assert found.status == (0 if known else 2) and not OBEYED.search(found.out + found.err), (
        found.err
    )
