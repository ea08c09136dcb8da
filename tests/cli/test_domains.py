"""`domains` on texts."""

import csv
import io
import json

import pytest


@pytest.fixture
def domains(options, files):
    """Options for texts in two domains; by the second the order of the better two is the other way
    round.
    """
    docs = [f"{'news' if k < 30 else 'social'}\tdoc{k // 2}" for k in range(60)]
    (files / "docs.txt").write_text("".join(f"{line}\n" for line in docs), encoding="utf-8")
    good, fair = ((files / f"{name}.txt").read_text().splitlines() for name in ("good", "fair"))
    poor = (files / "poor.txt").read_text().splitlines()
    (files / "fair.txt").write_text("\n".join(poor[:30] + fair[30:]) + "\n")
    (files / "good.txt").write_text("\n".join(good[:30] + poor[30:]) + "\n")
    return [*options, "--metrics", "chrf", "--trials", "499", "--resamples", "50"]


def test_json_csv_and_text_have_the_same_numbers(run, domains):
    data = json.loads(run("domains", *domains, "--format", "json").out)
    found = data["metrics"]["chrf"]
    assert [
        (part["domain"], part["n_segments"], part["n_documents"]) for part in found["domains"]
    ] == [("news", 30, 15), ("social", 30, 15)]
    pair = next(pair for pair in found["pairs"] if {pair["a"], pair["b"]} == {"good", "fair"})
    assert pair["reverses"] and {part["better"] for part in pair["domains"]} == {"a", "b"}
    rows = list(csv.DictReader(io.StringIO(run("domains", *domains, "--format", "csv").out)))
    assert len([row for row in rows if row["table"] == "pairs"]) == 3 * 3
    text = run("domains", *domains).out
    assert "; 1 significantly reversed between domains." in text
    assert "Segments (and documents): news 30 (15), " in text
    line = next(line for line in text.splitlines() if line.startswith("good  "))
    assert line.split()[1] == f"{found['domains'][0]['scores']['good']:.2f}"


def test_scores_on_different_lines_and_domains_without_any_are_told(run, domains, files):
    docs = [
        f"{'news' if k < 20 else 'social' if k < 40 else 'chat'}\tdoc{k // 2}\n" for k in range(60)
    ]
    (files / "docs.txt").write_text("".join(docs))
    rows = [
        f"{name}\t{k + 1}\t{60 + k % 7}\n"
        for name in ("fair", "good")
        for k in range(name == "good", 40)
    ]
    (files / "human.tsv").write_text("system\tline\tscore\n" + "".join(rows))
    asked = [
        "domains",
        *("human" if option == "chrf" else option for option in domains),
        "--scores",
        f"human={files / 'human.tsv'}",
    ]
    warned = json.loads(run(*asked, "--format", "json").out)["warnings"]
    assert {"rated-on-different-lines", "domains-without-scores"} <= {one["code"] for one in warned}
    assert {f"Warning: {one['text']}" for one in warned} <= set(run(*asked).out.splitlines())
    (told,) = json.loads(run("domains", *domains, "--format", "json").out)["warnings"]
    assert told["code"] == "few-units-in-parts"
    assert told["facts"] == {"unit": "document", "parts": {"news": 10, "social": 10, "chat": 10}}


def test_without_domains_it_says_how_to_give_them(run, files):
    done = run(
        "domains",
        "--ref",
        files / "ref.txt",
        "--system",
        files / "good.txt",
        "--system",
        files / "fair.txt",
    )
    assert done.status == 2 and "0 domains" in done.err and "--docs" in done.err


def test_a_positive_difference_is_an_improvement_where_lower_is_better_too(run, domains):
    asked = ["ter" if option == "chrf" else option for option in domains]
    text, data = (
        run("domains", *asked).out,
        json.loads(run("domains", *asked, "--format", "json").out),
    )
    pair = next(pair for pair in data["metrics"]["ter"]["pairs"] if pair["reverses"])
    lines = text.replace(" ●", "●").splitlines()
    cells = next(line.split() for line in lines if line.split()[:2] == [pair["a"], pair["b"]])
    for part, cell in zip(pair["domains"], cells[4:], strict=False):
        assert cell.rstrip("●") == f"{-part['delta']:+.2f}" and (part["better"] == "a") == (
            cell[0] == "+"
        )
    assert text.startswith("TER (lower is better; a positive difference is an improvement): ")
    assert "Positive where the first system is better" in text


@pytest.mark.parametrize(
    "choice, said",
    [
        (
            ["--domain", "news"],
            "has only one domain, news. Expected at least two: choose no domain",
        ),
        (
            ["--only", "good"],
            "has 1 system with a score by chrf. Expected at least two: add an output, or leave fewer",
        ),
    ],
)
def test_options_that_leave_too_little_are_named_and_not_the_documents_file(
    run, domains, choice, said
):
    done = run("domains", *domains, *choice)
    assert done.status == 2 and said in done.err and "--docs" not in done.err
