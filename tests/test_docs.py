"""README and docs say nothing that the program does not do."""

import doctest
import re
import shlex
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

import hatch_build
import mtsig_core
from mtsig_core import TestSet, compare, join_scores
from mtsig_core.cli.main import COMMANDS, _parser, main
from mtsig_core.experiments import papers
from mtsig_core.metrics import METRICS
from mtsig_core.report.commands import CALLS
from mtsig_core.stats.ranks import RANK_RULES
from pages._server.server_settings import SETTINGS_OF_SERVER
from pages._ui.catalogue import PAGES
from tests.builders import skeleton
from tests.builders.code import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
DOCS = {
    page.stem: page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md"))
}
CONTAINER = (ROOT / "Containerfile").read_text()
CLI, PAPERS, PYTHON = DOCS["cli"], DOCS["papers"], DOCS["python"]
TEXTS = {"README": README, "CONTRIBUTING": CONTRIBUTING, **DOCS}
SHELL = "".join(
    re.findall(r"^ *```sh\n(.*?)^ *```", "\n".join((README, *DOCS.values())), re.M | re.S)
)
DOCUMENTED = sorted(
    {
        command.replace(" ... ", " ")
        for command in re.findall(r"^ *(?:MTSIG_\w+=\S+ )?mtsig (.+?)(?: +#.*)?$", SHELL, re.M)
    }
)
OUTPUT = dict(re.findall(r"^```console\n\$ mtsig ([^\n]+)\n(.*?)^```$", README, re.M | re.S))
#: Options of programs that `--scorer` runs, up to an underscore.
OF_SCORERS = {"--to", "--model", "--gpus", "--tokenizer", "--max", "--batch", "--input", "--output"}
WITH_EXAMPLES = [
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in sorted((ROOT / "mtsig_core").rglob("*.py"))
    if "\n    >>> " in file.read_text("utf-8")
]


def test_every_option_and_command_exists(capsys):
    known = set()
    parser = _parser()
    grouped = ["sample broad", "sweep size", "validate type1", "metrics example"]
    commands = [name for module in COMMANDS.values() for name in module]
    for command in (*commands, *grouped):
        try:
            parser.parse_args([*command.split(), "--help"])
        except SystemExit:
            known |= set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out))
    used = set(
        re.findall(r"(?<![\w-])--[a-z][a-z+-]*", README + CLI + DOCS["data"] + DOCS["review"])
    )
    assert used <= known | OF_SCORERS | {"--help"}


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
        "tests/pages",
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


EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PYTHON, re.MULTILINE | re.DOTALL)


def test_a_container_has_what_the_package_is_made_of():
    copied = re.findall(r"^COPY (.+) \S+$", CONTAINER, re.M)
    files = ("pyproject.toml", "requirements.txt", "hatch_build.py", "README.md", "mtsig_core")
    assert set(" ".join(copied).split()) == {*files, *hatch_build.DASHBOARD}
    settings = set(re.findall(r"\b(MTSIG_\w+)=", CONTAINER))
    assert settings and settings <= SETTINGS_OF_SERVER


def test_the_examples_in_python_run_one_after_the_other():
    assert len(EXAMPLES) > 10 and all(block.startswith(">>> ") for block in EXAMPLES)
    functions = re.findall(r"^>>> def .*$", "".join(EXAMPLES), re.MULTILINE)
    assert all(" -> " in function for function in functions)  # so that mypy --strict accepts them
    examples = doctest.DocTestParser().get_doctest("\n".join(EXAMPLES), {}, "python.md", None, 0)
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_the_example_with_a_model_runs(monkeypatch):
    """With a model that finds short outputs good."""

    class Model:
        def predict(self, segments, batch_size, gpus):
            assert segments[0] == {"src": "s1", "mt": "a", "ref": "r1"}
            return SimpleNamespace(scores=[1 / len(segment["mt"]) for segment in segments])

    comet = SimpleNamespace(download_model=str, load_from_checkpoint=lambda path: Model())
    monkeypatch.setitem(sys.modules, "comet", comet)
    (example,) = re.findall(r"^```py\n(.*?)^```$", PYTHON, re.MULTILINE | re.DOTALL)
    toy = TestSet("toy", {"A": ["a", "bc"]}, {"ref": ["r1", "r2"]}, sources=["s1", "s2"])
    names = {"news": toy, "reference": ["r1", "r2"], "join_scores": join_scores, "compare": compare}
    exec(example, names)
    assert names["result"].metrics["comet"].systems[0].score == 0.75


@pytest.mark.long
def test_examples_and_the_metric_for_contributors_are_typed(tmp_path, monkeypatch):
    """As files of somebody who has installed mtsig; pandas has no types."""
    from mypy import api

    (tmp_path / "script.py").write_text(doctest.script_from_examples("\n".join(EXAMPLES)))
    (tmp_path / "metric.py").write_text(skeleton.CODE)
    monkeypatch.chdir(tmp_path)
    options = ["--strict", "--config-file=", "--ignore-missing-imports"]
    printed, failed, status = api.run([*options, "script.py", "metric.py"])
    assert (printed, failed, status) == ("Success: no issues found in 2 source files\n", "", 0)


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module(module):
    tried = doctest.testmod(import_module(module))
    assert tried.attempted and not tried.failed


def test_python_shows_every_public_function():
    public = [name for name in mtsig_core.__all__ if name.islower() and not name.startswith("_")]
    assert [name for name in public if not re.search(rf"\b{name}\(", PYTHON)] == []
    assert "(docs/python.md)" in README


@pytest.mark.parametrize("command", DOCUMENTED)
def test_every_command_is_understood(command):
    assert callable(_parser().parse_args(shlex.split(command)).command)


def test_a_command_of_the_papers_runs(capsys):
    """One that needs no waiting, on the beginning of the corpus."""
    command = next(command for command in DOCUMENTED if "--test percentile" in command)
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


def short(number, digits=3):
    """As the page prints it: no zero before the point."""
    return (
        f"{number:.{digits}f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.{digits}f}"
    )


def ends(low, high):
    return f"{low:.2f} +{high:.2f}"


def check_row(label, *cells):
    """docs/papers.md has a row with this label, whose last cells but those of ours are these."""
    row = rf"^\| {label} \|( [^|]+ \|)? {re.escape(' | '.join(map(str, cells)))} \|"
    assert re.search(row, PAPERS, re.M), (label, cells)


def test_what_koehn_prints_is_what_is_shown():
    """Theirs on the page of the papers, and what the dashboard shows beside ours."""
    spanish, *_, finnish = (
        f"{p1}, {p4}, {bleu}" for _, p1, p4, bleu in papers.KOEHN_T1.rows["bleu"]
    )
    check_row("Table 1", spanish)
    check_row(r"\| Finnish", finnish)
    (of_95,) = (row[1:] for row in papers.KOEHN_T2.rows["t"] if row[0] == 95)
    assert f"| {' '.join(f'{t:.4f}' for t in of_95)} |" in PAPERS
    blocks, broad = (f"{low} to {high}" for _, low, high in papers.KOEHN_2_3.rows["bleu"])
    check_row("Figure 2", blocks)
    check_row("Figure 3", broad)
    ((_, n, hits),) = papers.KOEHN_6.rows["bleu"]
    check_row("Figure 6", f"{hits} of {n}")
    figure_7, figure_8 = (f"{right}, {wrong}" for *_, right, wrong in papers.KOEHN_7_8.rows["bleu"])
    check_row("Figure 7", figure_7)
    check_row("Figure 8", figure_8)
    for a, b, _, *pairs in papers.KOEHN_T3.rows["bleu"]:
        shares = [f"{right}/{wrong}" if wrong else f"{right}" for right, wrong in pairs]
        check_row(f"{a} - {b}", " ".join(shares))
    levels, conclusions, right = zip(*papers.KOEHN_T4.rows["bleu"], strict=True)
    check_row("level", *levels)
    check_row("paper: conclusions", *conclusions)
    assert f"| right | {' | '.join(map(str, right))} |\n| ours" in PAPERS


@pytest.mark.parametrize("metric", ["nist", "bleu", "m-bleu"])
def test_what_zhang_and_vogel_print_is_what_is_shown(metric):
    name = metric.upper()
    _, score, low, high = papers.ZHANG_VOGEL_1.rows[metric][0]
    check_row(name, f"{short(score)} [{low:.2f}, +{high:.2f}]")
    check_row(f"{name}, paper", *(ends(*row[1:]) for row in papers.ZHANG_VOGEL_2.rows[metric]))
    several = papers.ZHANG_VOGEL_3.rows[metric]
    check_row(f"{name}, paper", *(f"{short(score)} {ends(*two)}" for _, score, *two in several))
    spreads = [short(100 * row[1], 2) for row in papers.ZHANG_VOGEL_6.rows[metric]]
    check_row(f"(?:Table 6: )?{name}, paper", *spreads)


def test_what_zhang_and_vogel_print_of_people_and_references_is_what_is_shown():
    check_row("human, paper", *(ends(*row[1:]) for row in papers.ZHANG_VOGEL_2.rows["human"]))
    for percent, *cells in papers.ZHANG_VOGEL_4.rows["nist"]:
        (row,) = re.findall(rf"^\| {percent}% \| (.+) \|$", PAPERS, re.M)
        theirs = [cell.split(" / ")[0] for cell in row.split(" | ")]
        assert theirs == [ends(*cell) for cell in cells]
    growing = {row[0]: ends(*row[2:]) for row in papers.ZHANG_VOGEL_5.rows["bleu"]}
    check_row("Table 5: interval, paper", *map(growing.get, (1000, 2000, 10_000, 100_000)))


def test_what_riezler_and_maxwell_print_is_what_is_shown():
    for metric, scale, digits in (("nist", 1, 2), ("bleu", 100, 3)):
        ((second, first, *p),) = papers.RIEZLER_MAXWELL_T1.rows[metric]
        shown = ["< .0001" if value == 0.0001 else f"{value:g}".lstrip("0") for value in p]
        scores = f"{short(first / scale, digits)} and {short(second / scale, digits)}"
        check_row(metric.upper(), ", ".join([scores, *shown]))
    _, differences, by_swaps, by_bootstrap = zip(
        *papers.RIEZLER_MAXWELL_T2.rows["nist"], strict=True
    )
    for label, values in (
        ("difference in NIST, five pairs", differences),
        ("p by randomization", by_swaps),
        ("p by bootstrap", by_bootstrap),
    ):
        (theirs,) = re.findall(rf"^\| {label} \| ([\d. ]+) \|", PAPERS, re.M)
        assert tuple(map(float, theirs.split())) == values


def test_every_page_of_the_papers_exists():
    titles = {page.title for page in PAGES.values()}
    found = re.findall(r"^Pages? ([^.:,]+)", PAPERS, re.MULTILINE)
    assert found and {title for named in found for title in named.split(" and ")} <= titles
