"""Outputs without a reference, with scores of their segments."""

import pytest

from mtsig_core import InputError, compare
from mtsig_core.readers.scores import read_scores
from mtsig_core.readers.uploads import Upload, guess_uploads, read_uploads
from mtsig_core.source import Source

N = 12
SOURCES = [f"the house number {k}" for k in range(N)]
OUTPUTS = {
    "A": [f"das Haus Nummer {k}" for k in range(N)],
    "B": [f"Haus Nummer {k}" for k in range(N)],
}
SCORES = {"A": [0.5 + k % 4 / 10 for k in range(N)], "B": [0.25 + k % 3 / 10 for k in range(N)]}
TABLE = "system,line,score\n" + "".join(
    f"{system},{k},{score}\n" for system, own in SCORES.items() for k, score in enumerate(own, 1)
)
TEXTS = "source\tA\tB\n" + "".join(
    f"{SOURCES[k]}\t{OUTPUTS['A'][k]}\t{OUTPUTS['B'][k]}\n" for k in range(N)
)


def check(testset):
    assert {system: list(texts) for system, texts in testset.systems.items()} == OUTPUTS
    assert list(testset.sources) == SOURCES and not testset.references
    assert {
        system: list(scores) for system, scores in testset.scores["kiwi"].by_system.items()
    } == SCORES


@pytest.fixture
def files(write):
    return {
        "src": write("src.txt", SOURCES),
        "kiwi": write("kiwi.csv", TABLE),
        **{system: write(f"{system}.txt", texts) for system, texts in OUTPUTS.items()},
    }


def read_rated(files, outputs, **more):
    return Source(system=outputs, scores=(("kiwi", str(files["kiwi"])),), **more).read()


def test_files(files):
    outputs = tuple((name, str(files[name])) for name in "AB")
    testset = read_rated(files, outputs, src=str(files["src"]))
    check(testset)
    alone = compare(
        read_scores({"kiwi": files["kiwi"]}), ["kiwi"], trials=99, resamples=99
    ).metrics["kiwi"]
    assert compare(testset, ["kiwi"], trials=99, resamples=99).metrics["kiwi"].pairs == alone.pairs


def test_a_table_of_source_and_outputs(files, write):
    check(read_rated(files, ((None, str(write("texts.tsv", TEXTS))),)))


def test_the_command_line(files, run, run_json):
    source = [f"--system={files['A']}", f"--system={files['B']}", f"--src={files['src']}"]
    scores = f"--scores=kiwi={files['kiwi']}"
    found = run_json("score", *source, scores)["metrics"]["kiwi"]["scores"]
    assert found == pytest.approx({system: sum(own) / N for system, own in SCORES.items()})
    said = "--system needs a reference, or scores of its segments"
    for options, part in (([], said), ([scores, "--metrics", "bleu"], "bleu")):
        refused = run("score", *source, *options)
        assert refused.status == 2
        assert part in refused.err


@pytest.mark.parametrize(
    "texts",
    [
        [
            ("src.txt", "".join(f"{line}\n" for line in SOURCES)),
            *(
                (f"{system}.txt", "".join(f"{line}\n" for line in own))
                for system, own in OUTPUTS.items()
            ),
        ],
        [("texts.tsv", TEXTS)],
    ],
)
def test_uploads(texts):
    given = [(name, text.encode()) for name, text in (*texts, ("kiwi.csv", TABLE))]
    guesses = guess_uploads(given)
    check(read_uploads([Upload(*file, *guess) for file, guess in zip(given, guesses, strict=True)]))


def test_an_output_of_another_length_is_named_by_what_it_is_held_against(files, write):
    short = write("short.txt", OUTPUTS["A"][:-1])
    with pytest.raises(
        InputError, match=r"short.txt has 11 lines, the source .*src.txt has 12\. Each line"
    ):
        read_rated(files, (("A", str(short)),), src=str(files["src"]))
    with pytest.raises(InputError, match="B.txt has 12 lines, the output .*short.txt has 11"):
        read_rated(files, (("A", str(short)), ("B", str(files["B"]))))


def test_outputs_alone_are_refused_with_both_ways_to_compare_them():
    given = [("A.txt", b"a b\n"), ("B.txt", b"a c\n")]
    with pytest.raises(
        InputError, match="No reference among the files.*or add scores of their segments"
    ):
        read_uploads([Upload(*file, "system", file[0]) for file in given])
