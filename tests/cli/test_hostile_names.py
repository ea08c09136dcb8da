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
        if name not in ("serve", "compile", "completion"):  # which write no result
            choices = next(
                one.choices for one in parser._actions if "--format" in one.option_strings
            )
            yield from ((name, form) for form in choices if form != "parquet")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Options for a set, and a task in a folder, in which each kind of name is hostile."""
    root = tmp_path_factory.mktemp("hostile")

    def write(name, lines):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")
        return path

    task, paths = f"task{ESC}[5m", {}
    for j, name in enumerate(("ref", "A", "B", "C"), 1):
        texts = []
        for k in range(N):
            age, place = "old" if k * j % 5 else "new", "sea" if k % (j + 2) else "lake"
            texts.append(f"the {age} house {k} is near the {place} {ESC}[2J and{CSI}31m")
        paths[name] = write(f"{name}{ESC}]0;x{BELL}.txt", texts)
        for pair in ("en-de", "en-cs"):
            place = f"system-outputs/{pair}/{name}{ESC}[31m{TURN}.txt"
            if name == "ref":
                place = f"references/{pair}.ref{ESC}[7m.txt"
            write(f"{task}/{place}", texts)
    documents = [f"news{ESC}]0;owned{BELL}{k // 120}\tdoc{CSI}31m{TURN}{k // 20}" for k in range(N)]
    names = {name: f"{name}{ESC}[31m{TURN}" for name in "ABC"}
    ratings, source = ["system\tline\tscore"], []
    for j, (name, called) in enumerate(names.items()):
        ratings += [f"{called}\t{k + 1}\t{50 + (7 * k + 11 * j) % 40 + 3 * j}" for k in range(N)]
        source += ["--system", f"{called}={paths[name]}"]
    for name in "AB":
        source += ["--ref", f"ref{name}{ESC}[31m={paths['ref']}"]
    source += ["--docs", str(write(f"docs{ESC}[1m", documents)), "--langpair", "en-de"]
    source += ["--scores", f"human{ESC}[31m={write(f'hum{ESC}.tsv', ratings)}"]
    official = ["system\tbleu", *(f"{called}\t10.0" for called in names.values())]
    return {
        "set": source,
        "task": ["--folder", str(root / task)],
        "official": str(write(f"official{ESC}.tsv", official)),
        "name": names["A"],
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
    brief(9, sorted(formats(), key=lambda case: case[0] != "compare" and case[1] != "text")),
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
    ("option", "kind"),
    brief(
        3,
        [
            ("baseline", "name"),
            ("only", "name"),
            ("exclude", "name"),
            ("domain", "domain"),
            ("official", "official"),
            ("lower-is-better", "human"),
        ],
    ),
)
@pytest.mark.parametrize("known", [True, False])
def test_a_hostile_name_that_is_asked_for_is_found_or_refused_legibly(
    run, hostile, option, kind, known
):
    value = hostile[kind] if known else f"x{hostile[kind]}"
    command = "score" if option == "official" else "compare --trials 99 --resamples 99"
    found = run(f"{command} --metrics bleu", *hostile["set"], f"--{option}", value)
    assert found.status == (0 if known else 2), found.err
    assert not OBEYED.search(found.out + found.err)
