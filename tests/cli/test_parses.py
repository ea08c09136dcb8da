"""dep-f on the command line."""

import pytest


@pytest.fixture
def parsed(options, files):
    """Source options with a parse of each text: every word depends on the one after it."""
    found = list(options)
    for name in ("ref", "fair", "good", "poor"):
        sentences = []
        for text in (files / f"{name}.txt").read_text().splitlines():
            words = text.rstrip(".").split()
            sentences.append(
                "".join(
                    f"{k}\t{word}\t{word.lower()}\t_\t_\t_\t{(k + 1) % (len(words) + 1)}\tdep\t_\t_\n"
                    for k, word in enumerate(words, 1)
                )
            )
        (files / f"{name}.conllu").write_text("\n".join(sentences))
        found += ["--parse", f"{name}={files / name}.conllu"]
    return found


def test_in_a_folder(run, folder, files, parsed):
    parses = [
        part
        for name, file in (("refA", "ref"), ("good", "good"))
        for part in ("--parse", f"{name}={files / file}.conllu")
    ]
    done = run(
        "score",
        "--folder",
        folder,
        "--langpair",
        "en-de",
        "--refs",
        "refA",
        "--only",
        "good",
        *parses,
        "--metrics",
        "dep-f",
        "--format",
        "csv",
    )
    assert done.status == 0 and done.out.count("\n") == 2


@pytest.mark.parametrize(
    "extra, message",
    [
        (["--parse", "file.conllu"], "--parse file.conllu: expected NAME=FILE"),
        (["--parse", "fair=nowhere.conllu"], "nowhere.conllu does not exist"),
        (["--parse", "fairy=nowhere.conllu"], "Did you mean 'fair'?"),
    ],
)
def test_mistakes(run, options, extra, message):
    done = run("score", *options, *extra)
    assert done.status == 2 and message in done.err and "Traceback" not in done.err


def test_a_damaged_parse_is_named_with_its_line(run, parsed, files):
    file = files / "fair.conllu"
    file.write_text(file.read_text().replace("\t2\tdep", "\t_\tdep", 1))
    assert f"{file}, line 1 is " in run("score", *parsed, "--metrics", "dep-f").err
