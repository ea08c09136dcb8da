"""README and docs say nothing that the program does not do."""

import doctest
import re
import shlex
from importlib import import_module

import pytest

import mtsig_core
from mtsig_core.cli.main import _parser, main
from mtsig_core.experiments import papers
from mtsig_core.metrics import METRICS
from mtsig_core.report.commands import CALLS
from mtsig_core.stats.ranks import RANK_RULES
from pages._ui.catalogue import PAGES
from tests.builders.code import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = {
    page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))
}
CLI, PAPERS, PYTHON = DOCS["cli"], DOCS["papers"], DOCS["python"]
TEXTS = {"README": README, "CONTRIBUTING": CONTRIBUTING, **DOCS}
SHELL = "".join(
    re.findall(r"^ *```sh\n(.*?)^ *```", "\n".join((README, *DOCS.values())), re.M | re.S)
)
COMMANDS = sorted(
    {
        command.replace(" ... ", " ")
        for command in re.findall(r"^ *(?:MTSIG_\w+=\S+ )?mtsig (.+?)(?: +#.*)?$", SHELL, re.M)
    }
)
OUTPUT = dict(re.findall(r"^```console\n\$ mtsig ([^\n]+)\n(.*?)^```$", README, re.M | re.S))
WITH_EXAMPLES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted((ROOT / "mtsig_core").rglob("*.py"))
    if "\n    >>> " in file.read_text("utf-8")
]


def test_every_option_and_command_exists(capsys):
    known = set()
    parser = _parser()
    for command in (
        "compare",
        "score",
        "segments",
        "serve",
        "sample broad",
        "sweep size",
        "sweep references",
        "validate type1",
        "metrics example",
        "task",
        "agreement",
        "domains",
    ):
        try:
            parser.parse_args([*command.split(), "--help"])
        except SystemExit:
            known |= set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    used = set(
        re.findall(r"(?<![\w-])--[a-z][a-z+-]*", README + CLI + DOCS["data"] + DOCS["review"])
    )
    assert used <= known | {"--help"}


@pytest.mark.parametrize(
    "registry, takes",
    [(METRICS, r"`--metrics` takes (.+?)\. "), (RANK_RULES, r"`--rank-rule` takes (.+?), with")],
)
def test_every_metric_and_every_rank_rule_is_named(registry, takes):
    sentence = re.search(takes, CLI, re.DOTALL)[1]
    assert registry.keys() <= set(re.split(r"[\s,`]+", sentence))


def test_the_map_for_contributors_has_every_part_of_the_core():
    core = ROOT / "mtsig_core"
    parts = {
        f"{path.name}/" if path.is_dir() else path.name
        for path in core.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    commands = {
        place.partition(":")[0].rpartition(".")[2]
        for command in ("pair", "domains", "agreement")
        for place in CALLS[command]
    }
    named = set(re.findall(r"[\w./]+", CONTRIBUTING.split("```")[1]))
    assert parts - named <= {"__init__.py", "__main__.py", "errors.py", "version.py"}
    assert {f"{module}.py" for module in commands} <= named


def test_every_make_target_exists():
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make ([a-z-]+)|`make ([a-z-]+)`", README + CONTRIBUTING, re.M):
        target = "".join(target)
        assert f"\n{target}:" in makefile, target


def test_every_file_that_contributors_are_sent_to_exists():
    folders = ("metrics", "readers", "stats", "experiments", "simulation")
    places = (
        "",
        "mtsig_core",
        *(f"mtsig_core/{folder}" for folder in folders),
        "pages",
        "tests/metrics",
    )
    for name in re.findall(r"`([\w/]+\.(?:py|txt|md))`", CONTRIBUTING):
        assert any((ROOT / place / name).is_file() for place in places) or "NAME" in name, name


def anchors(text):
    """Those of its headings, as GitHub makes them."""
    return {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.M)
    }


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_and_picture_is_there(name):
    folder = ROOT / "docs" if name in DOCS else ROOT
    for link in re.findall(r"\]\(([^)\s]+)\)|(?:src|srcset)=\"([^\"]+)\"", TEXTS[name]):
        path, _, anchor = "".join(link).partition("#")
        if not path.startswith("http"):
            file = folder / path if path else folder / f"{name}.md"
            assert file.is_file(), link
            assert not anchor or anchor in anchors(file.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("command", OUTPUT)
def test_the_output_shown_is_what_the_command_prints(command, capsys):
    """Each piece between lines of three dots."""
    assert main(shlex.split(command)) == 0
    printed, at = capsys.readouterr().out, 0
    for piece in re.split(r"^\.\.\.\n", OUTPUT[command], flags=re.M):
        assert piece in printed[at:], (
            f"README shows what `mtsig {command}` no longer prints:\n{piece}"
        )
        at = printed.index(piece, at) + len(piece)


def test_every_direct_dependency_has_a_range():
    for line in (ROOT / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            assert re.fullmatch(r"[a-z0-9-]+>=[\d.]+,<[\d.]+", line), line


def test_the_examples_in_python_run_one_after_the_other():
    blocks = re.findall(r"^```python\n(.*?)^```$", PYTHON, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 10 and all(block.startswith(">>> ") for block in blocks)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "python.md", None, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module(module):
    tried = doctest.testmod(import_module(module))
    assert tried.attempted and not tried.failed


def test_python_shows_every_public_function():
    public = [name for name in mtsig_core.__all__ if name.islower() and not name.startswith("_")]
    assert [name for name in public if not re.search(rf"\b{name}\(", PYTHON)] == []
    assert "(docs/python.md)" in README


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_understood(command):
    assert callable(_parser().parse_args(shlex.split(command)).command)


def test_a_command_of_the_papers_runs(capsys):
    """One that needs no waiting, on the beginning of the corpus."""
    command = next(command for command in COMMANDS if "--test percentile" in command)
    assert main(shlex.split(command.replace("1592", "60"))) == 0
    assert "Row against column by NIST, BLEU, M-BLEU" in capsys.readouterr().out


def numbers(text):
    """Those of a list such as ``2, 4 to 6 and 8``."""
    return {
        k
        for first, last in re.findall(r"(\d+)(?: to (\d+))?", text)
        for k in range(int(first), int(last or first) + 1)
    }


def test_every_table_and_figure_of_the_papers_is_there():
    _, koehn, zhang_vogel, riezler_maxwell, note = re.split(r"^## ", PAPERS, flags=re.MULTILINE)
    for text, tables, figures in ((koehn, 4, 8), (zhang_vogel, 6, 8), (riezler_maxwell, 2, 2)):
        for kind, n in (("Table", tables), ("Figure", figures)):
            named = {
                k
                for found in re.findall(rf"{kind}s? ([\d, and to]+)", text)
                for k in numbers(found)
            }
            assert named == set(range(1, n + 1)), (text[:20], kind)
    assert "worked example" in note


def row_of_the_papers(label):
    """The other cells of the row of docs/papers.md whose first cells are these."""
    (line,) = (line for line in PAPERS.splitlines() if line.startswith(f"| {label} |"))
    return [cell.strip() for cell in line[len(f"| {label} |") :].strip(" |").split("|")]


def short(number, digits=3):
    """As the page prints it: no zero before the point."""
    return (
        f"{number:.{digits}f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.{digits}f}"
    )


def ends(low, high):
    return f"{low:.2f} +{high:.2f}"


def test_what_the_papers_print_is_what_is_shown():
    """Theirs on the page of the papers, and what the dashboard shows beside ours."""
    spanish, *_, finnish = papers.KOEHN_T1.rows["bleu"]
    for label, (_, p1, p4, bleu) in (
        ("Table 1 | precision of unigrams and four-grams, BLEU; Spanish", spanish),
        ("| Finnish", finnish),
    ):
        assert row_of_the_papers(label)[0] == f"{p1}, {p4}, {bleu}"
    of_95 = next(row[1:] for row in papers.KOEHN_T2.rows["t"] if row[0] == 95)
    assert f"| {' '.join(f'{t:.4f}' for t in of_95)} |" in PAPERS
    for (_, low, high), what in zip(
        papers.KOEHN_2_3.rows["bleu"], ("Figure 2", "Figure 3"), strict=True
    ):
        assert re.search(rf"^\| {what} \| [^|]+ \| {low} to {high} \|", PAPERS, re.M)
    _, of, hits = papers.KOEHN_6.rows["bleu"][0]
    assert re.search(rf"^\| Figure 6 \| [^|]+ \| {hits} of {of} \|", PAPERS, re.M)
    for what, (*_, right, wrong) in zip(
        ("Figure 7", "Figure 8"), papers.KOEHN_7_8.rows["bleu"], strict=True
    ):
        assert re.search(rf"^\| {what} \| [^|]+ \| {right}, {wrong} \|", PAPERS, re.M)
    for a, b, _, *cells in papers.KOEHN_T3.rows["bleu"]:
        assert row_of_the_papers(f"{a} - {b}")[0] == " ".join(
            f"{right}/{wrong}" if wrong else f"{right}" for right, wrong in cells
        )
    levels, conclusions, right = zip(*papers.KOEHN_T4.rows["bleu"], strict=True)
    for label, numbers_there in (("level", levels), ("paper: conclusions", conclusions)):
        assert row_of_the_papers(label) == [str(number) for number in numbers_there]
    assert f"| right | {' | '.join(map(str, right))} |\n| ours" in PAPERS

    for metric, digits in (("nist", 3), ("bleu", 3), ("m-bleu", 3)):
        name = metric.upper()
        _, score, low, high = papers.ZHANG_VOGEL_1.rows[metric][0]
        assert f"\n| {name} | {short(score, digits)} [{low:.2f}, +{high:.2f}] |" in PAPERS
        shares = [ends(*row[1:]) for row in papers.ZHANG_VOGEL_2.rows[metric]]
        several = [
            f"{short(score)} {ends(*two)}" for _, score, *two in papers.ZHANG_VOGEL_3.rows[metric]
        ]
        for cells in (shares, several):
            assert f"\n| {name}, paper | {' | '.join(cells)} |" in PAPERS
        spreads = " | ".join(short(100 * row[1], 2) for row in papers.ZHANG_VOGEL_6.rows[metric])
        assert re.search(rf"^\| (Table 6: )?{name}, paper \| {re.escape(spreads)} \|", PAPERS, re.M)
    human = " | ".join(ends(*row[1:]) for row in papers.ZHANG_VOGEL_2.rows["human"])
    assert f"\n| human, paper | {human} |" in PAPERS
    for percent, *cells in papers.ZHANG_VOGEL_4.rows["nist"]:
        assert [
            cell.split(" / ")[0]
            for cell in re.search(rf"^\| {percent}% \| (.+) \|$", PAPERS, re.M)[1].split(" | ")
        ] == [ends(*cell) for cell in cells]
    growing = {row[0]: row[2:] for row in papers.ZHANG_VOGEL_5.rows["bleu"]}
    assert row_of_the_papers("Table 5: interval, paper") == [
        ends(*growing[b]) for b in (1000, 2000, 10_000, 100_000)
    ]

    for metric, scale, digits in (("nist", 1, 2), ("bleu", 100, 3)):
        ((second, first, ar, bootstrap),) = papers.RIEZLER_MAXWELL_T1.rows[metric]
        p = [
            "< .0001" if value == 0.0001 else f"{value:g}".replace("0.", ".", 1)
            for value in (ar, bootstrap)
        ]
        scores = " and ".join(short(score / scale, digits) for score in (first, second))
        assert f"\n| {metric.upper()} | {scores}, {', '.join(p)} |" in PAPERS
    variants = papers.RIEZLER_MAXWELL_T2.rows["nist"]
    for k, label in (
        (1, "difference in NIST, five pairs"),
        (2, "p by randomization"),
        (3, "p by bootstrap"),
    ):
        assert [float(number) for number in row_of_the_papers(label)[0].split()] == [
            row[k] for row in variants
        ]


def test_every_page_of_the_papers_exists():
    titles = {page.title for page in PAGES.values()}
    found = re.findall(r"^Pages? ([^.:,]+)", PAPERS, re.MULTILINE)
    assert found and {title for named in found for title in named.split(" and ")} <= titles
