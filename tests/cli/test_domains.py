"""`domains` on texts."""

import csv
import io

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


def test_json_csv_and_text_have_the_same_numbers(run, run_json, domains):
    found = run_json("domains", *domains)["metrics"]["chrf"]
    for name, part in zip(("news", "social"), found["domains"], strict=True):
        assert (part["domain"], part["n_segments"], part["n_documents"]) == (name, 30, 15)
    (pair,) = (pair for pair in found["pairs"] if {pair["a"], pair["b"]} == {"good", "fair"})
    assert pair["reverses"]
    assert {part["better"] for part in pair["domains"]} == {"a", "b"}
    rows = csv.DictReader(io.StringIO(run("domains", *domains, "--format", "csv").out))
    assert [row["table"] for row in rows].count("pairs") == 3 * 3
    text = run("domains", *domains).out
    assert "; 1 significantly reversed between domains." in text
    assert "Segments (and documents): news 30 (15), " in text
    line = next(line for line in text.splitlines() if line.startswith("good  "))
    assert line.split()[1] == f"{found['domains'][0]['scores']['good']:.2f}"


def test_scores_on_different_lines_and_domains_without_any_are_told(run, run_json, domains, files):
    docs = [f"{('news', 'social', 'chat')[k // 20]}\tdoc{k // 2}" for k in range(60)]
    (files / "docs.txt").write_text("\n".join(docs) + "\n")
    (told,) = run_json("domains", *domains)["warnings"]
    assert told["code"] == "few-units-in-parts"
    assert told["facts"] == {"unit": "document", "parts": {"news": 10, "social": 10, "chat": 10}}
    rows = ["system\tline\tscore", *(f"fair\t{k + 1}\t{60 + k % 7}" for k in range(40))]
    rows += [f"good\t{k + 1}\t{60 + k % 7}" for k in range(1, 40)]
    (files / "human.tsv").write_text("\n".join(rows))
    by_people = ["human" if option == "chrf" else option for option in domains]
    asked = ["domains", *by_people, "--scores", f"human={files / 'human.tsv'}"]
    warned = run_json(*asked)["warnings"]
    codes = {caution["code"] for caution in warned}
    assert {"rated-on-different-lines", "domains-without-scores"} <= codes
    printed = run(*asked).out.splitlines()
    assert {f"Warning: {caution['text']}" for caution in warned} <= set(printed)


def test_without_domains_it_says_how_to_give_them(run, files):
    good, fair = files / "good.txt", files / "fair.txt"
    done = run("domains --ref", files / "ref.txt", "--system", good, "--system", fair)
    assert done.status == 2
    assert "0 domains" in done.err
    assert "--docs" in done.err


def test_a_positive_difference_is_an_improvement_where_lower_is_better_too(run, run_json, domains):
    asked = ["domains", *("ter" if option == "chrf" else option for option in domains)]
    pairs = run_json(*asked)["metrics"]["ter"]["pairs"]
    text = run(*asked).out
    (pair,) = (pair for pair in pairs if pair["reverses"])
    rows = [line.split() for line in text.replace(" ●", "●").splitlines()]
    (cells,) = (row[4:] for row in rows if row[:2] == [pair["a"], pair["b"]])
    for part, cell in zip(pair["domains"], cells, strict=False):
        assert cell.rstrip("●") == f"{-part['delta']:+.2f}"
        assert (part["better"] == "a") == (cell[0] == "+")
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
            "has 1 system with a score by chrf. Expected at least two: add an output, or exclude fewer",
        ),
    ],
)
def test_options_that_leave_too_little_are_named_and_not_the_documents_file(
    run, domains, choice, said
):
    done = run("domains", *domains, *choice)
    assert done.status == 2 and said in done.err and "--docs" not in done.err
