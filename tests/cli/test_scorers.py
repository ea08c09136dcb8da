"""``--scorer``: metrics of other programs, here of small ones."""

import html
import json
import os
import shlex
import sys

import pytest

from mtsig_core.cli import scorers
from mtsig_core.cli.scorers import SCORERS
from mtsig_core.source import Source

#: Writes the share of the words of each reference that the output has, and counts its runs.
SHARES = """import os, sys
output, reference, scores = sys.argv[1:4]
with open(os.path.join(os.path.dirname(__file__), "runs"), "a") as runs:
    runs.write("x")
print("loading a model", file=sys.stderr)
with open(output, encoding="utf-8") as a, open(reference, encoding="utf-8") as b, open(scores, "w") as out:
    for line, expected in zip(a, b, strict=True):
        words = set(expected.split())
        print(len(words & set(line.split())) / len(words), file=out)
"""


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("MTSIG_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def shares(tmp_path_factory):
    """A scorer, in a folder with a name that a shell would take to pieces."""
    program = tmp_path_factory.mktemp('it\'s "a" $(scorer) ;') / "shares.py"
    program.write_text(SHARES)
    return program


def command(program, *arguments, name="words"):
    return (
        f"--scorer={name}={shlex.join([sys.executable, '-S', str(program)])} {' '.join(arguments)}"
    )


def of_code(code, *arguments):
    return f"--scorer=words={shlex.join([sys.executable, '-S', '-c', code])} {' '.join(arguments)}"


def expected_mean(files, system):
    pairs = zip(
        (files / f"{system}.txt").read_text().splitlines(),
        (files / "ref.txt").read_text().splitlines(),
        strict=True,
    )
    shares = [len({*a.split()} & {*b.split()}) / len({*b.split()}) for a, b in pairs]
    return sum(shares) / len(shares)


FILES = ("{output}", "{reference}", "{scores}")


def test_scores_are_a_metric_and_only_what_has_changed_is_scored_again(
    files, options, shares, run, run_json, monkeypatch
):
    runs = shares.with_name("runs")
    scorer = command(shares, *FILES)
    first = run_json("score", *options, scorer)["metrics"]
    assert list(first) == ["bleu", "words"]
    for system, score in first["words"]["scores"].items():
        assert score == pytest.approx(expected_mean(files, system))
    assert runs.read_text() == "xxx"
    (files / "poor.txt").write_text(
        (files / "poor.txt").read_text().replace("the", "another", 1), newline="\n"
    )
    (files / "fair.txt").write_text((files / "good.txt").read_text())
    done = run("score --metrics words", *options, scorer)
    lines = [line for line in done.err.splitlines() if line.startswith("mtsig: scoring")]
    assert len(lines) == 1 and lines[0].endswith("3 of 3 (poor)")  # fair is like good now
    assert runs.read_text() == "xxxx"
    shares.write_text(SHARES + "# changed")
    run("score --metrics words --only poor", *options, scorer)
    assert runs.read_text() == "xxxxx"
    monkeypatch.setenv("MTSIG_CACHE", "")
    run("score --metrics words --only poor", *options, scorer)
    assert runs.read_text() == "xxxxxx"


#: One system, and only the metric of the scorer.
GOOD = ("--only=good", "--metrics=words")

#: What programs write, for n lines; each means scores of 0, 1/n, 2/n, ...
WRITTEN = {
    "numbers": "print(k / n)",
    "a score that is missing": "print('nan' if k == 0 else 59 / 120)",
    "a title": "k or print('COMET'); print(k / n)",
    "comet-score": r"print(f'/tmp/output\tSegment {k}\tscore: {k / n:.10f}')",
    "mt-metrics-eval": r"print(f'output\t{k / n}')",
    "MetricX": "print(json.dumps({'source': 's', 'hypothesis': 'h', 'prediction': k / n}))",
    "a judge that answers out of order": "print(json.dumps({'line': n - k, 'score': (n - k - 1) / n, 'why': 'x'}))",
    "TSV with numbers of lines": r"k or print('line\tscore'); print(f'{k}\t{k / n}')",
}


@pytest.mark.parametrize("form", WRITTEN)
def test_formats(files, options, run_json, form):
    code = f"import json, sys\nn = len(open(sys.argv[1]).readlines())\nfor k in range(n):\n    {WRITTEN[form]}"
    rows = run_json("score", *options, *GOOD, of_code(code, "{output}"))
    assert rows["metrics"]["words"]["scores"]["good"] == pytest.approx(59 / 120)


def test_json_of_comet(files, options, run_json):
    code = (
        "import json, sys; n = len(open(sys.argv[1]).readlines())\n"
        "json.dump({sys.argv[1]: [{'src': '', 'mt': '', 'COMET': k / n, 'errors': [{'text': 'x'}]} for k in range(n)]},"
        " open(sys.argv[2], 'w'), indent=4)"
    )
    rows = run_json("score", *options, *GOOD, of_code(code, "{output}", "{scores}"))
    assert rows["metrics"]["words"]["scores"]["good"] == pytest.approx(59 / 120)


def test_errors_of_metricx_are_better_where_they_are_lower(options, run_json):
    code = (
        "import json, sys\nfor k, line in enumerate(open(sys.argv[1])):"
        "\n    print(json.dumps({'source': '', 'hypothesis': line, 'prediction': 5.5}))"
    )
    comparison = run_json("compare", *options, *GOOD, of_code(code, "{output}"))
    assert comparison["metrics"]["words"]["higher_is_better"] is False


@pytest.mark.parametrize(
    ("code", "arguments", "parts"),
    [
        (
            "import sys; print('out of memory', file=sys.stderr); sys.exit(3)",
            "{output}",
            ["exit status 3", "out of memory", "system 1 of 1"],
        ),
        ("print('no such model'); raise SystemExit(1)", "{output} {scores}", ["no such model"]),
        ("pass", "{output} {scores}", ["{scores} is empty"]),
        ("print(0.5)", "{output}", ["{scores} has 1 scores. Expected one for each of 60 segments"]),
        ("print('{\"a\": ')", "{output}", ["{scores}"]),
        ("for k in range(60): print('good')", "{output}", ["good"]),
        ("for line in open(0): pass", "{output}", ["is empty"]),  # standard input ends at once
    ],
)
def test_a_command_that_fails_is_named_and_nothing_is_kept(run, options, code, arguments, parts):
    scorer = of_code(code, arguments)
    first, second = (run("score", *options, *GOOD, scorer) for _ in range(2))
    assert first.status == 2 and first.err == second.err
    message = first.err.partition("\n")[2]
    assert all(part in message for part in ["words, test_a_command", *parts]), message
    assert "Traceback" not in message and "/tmp" not in message


@pytest.mark.parametrize(
    ("scorer", "part"),
    [
        ("comte", "expected comet, cometkiwi, bleurt, or NAME='COMMAND'"),
        ("x=prog {reference}", "{output} for the file to score"),
        ("x=prog '{output}", "closed quotes"),
        ("a,b=prog {output}", "expected"),
        ("x\x1b[2J=prog {output}", "expected"),
        ("bleu=prog {output}", "there is a metric of that name"),
        ("comet", "has none or several. Options: --src FILE"),
        ("x=prog {output} {langpair}", "Options: --langpair XX-YY"),
        ("x=/no/such/prog {output}", "/no/such/prog: No such file or directory"),
    ],
)
def test_what_cannot_run_is_refused(run, options, scorer, part):
    done = run("score", *options, "--scorer", scorer)
    assert done.status == 2
    assert part in done.err


def test_several_references_are_refused_before_anything_runs(run, folder, shares):
    done = run("score --langpair en-de --folder", folder, command(shares, *FILES))
    assert done.status == 2 and not shares.with_name("runs").exists()
    assert "needs one {reference}, and" in done.err and "--refs NAME" in done.err


def test_a_segment_is_one_line_in_every_program(tmp_path, run_json):
    rows = [{"ref": "a b", "A": "a\u2028b\r\nc\x85d\ve"}, {"ref": "c", "A": ""}]
    (tmp_path / "texts.json").write_text(json.dumps(rows))
    code = (
        "import sys; text = open(sys.argv[1], encoding='utf-8', newline='').read()\n"
        "for line in text.splitlines(): print(len(line))"
    )
    found = run_json(
        "score", "--ref", tmp_path / "texts.json", of_code(code, "{output}"), "--metrics=words"
    )
    assert found["metrics"]["words"]["scores"]["A"] == len("a b c d e") / 2


def test_outputs_without_a_reference(files, run_json, run):
    source = [
        "--system",
        files / "good.txt",
        "--system",
        files / "poor.txt",
        "--src",
        files / "ref.txt",
    ]
    code = "import sys\nfor a, b in zip(*map(open, sys.argv[1:])): print(float(a == b))"
    scorer = of_code(code, "{source}", "{output}")
    scores = run_json("score", *source, scorer)["metrics"]["words"]["scores"]
    assert scores["good"] > scores["poor"]
    refused = run("score", *source, of_code(code, "{reference}", "{output}"))
    assert "needs one {reference}" in refused.err


def check_command(text, begin, end, scorer):
    """The scorer is one word of a printed command, and so is what is said of it."""
    printed = html.unescape(text)
    words = shlex.split(printed[printed.index(begin) : printed.index(end)])
    option = words[words.index("--scorer") + 1]
    assert f"--scorer={option}" == scorer
    assert words[words.index("--lower-is-better") + 1] == "words"


@pytest.mark.long
def test_a_printed_command_has_the_scorer(options, run, shares):
    scorer = command(shares, *FILES)
    done = run(
        "pair --format html --a good --b poor --trials 99 --resamples 99 --metrics words",
        *options,
        scorer,
        "--lower-is-better=words",
    )
    check_command(done.out, "mtsig pair", " --format html", scorer)


def test_a_task_is_scored_by_language_pair(folder, shares, run):
    scorer = command(shares, *FILES, "{langpair}")
    few = ("--trials=99", "--resamples=99", "--refs=refA", "--lower-is-better=words")
    done = run("task --format latex --folder", folder, scorer, *few)
    assert shares.with_name("runs").read_text() == "xxx"
    assert "words, task" in done.err and "en-de, system 1 of 3 (fair)" in done.err
    check_command(done.out, "mtsig task", " --format latex", scorer)
    assert "As given, lower words scores are better" in done.out


def test_only_the_command_line_runs_commands(run, files, options):
    assert "scorer" not in Source.__dataclass_fields__
    refused = run("serve --no-browser", *options, "--scorer", "comet")
    assert refused.status == 2 and "Unrecognized arguments: --scorer" in refused.err


def test_presets_have_known_placeholders():
    for name, text in SCORERS.items():
        assert scorers.parse_scorer(name) == (name, text)
        assert "{" not in scorers._PLACEHOLDER.sub("", text)


#: Starts a program that holds a pipe open, and interrupts mtsig.
INTERRUPTS = """import os, signal, subprocess, sys, time
sleep = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(300)"
with open(sys.argv[1], "w") as pipe:
    subprocess.Popen([sys.executable, "-S", "-c", sleep], stdout=pipe)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(300)
"""


def test_an_interrupt_ends_the_command_and_all_that_it_has_started(run, options, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    os.set_blocking(pipe, True)
    scorer = of_code(INTERRUPTS, shlex.quote(str(tmp_path / "pipe")), "{output}")
    with pytest.raises(KeyboardInterrupt):
        run("score", *options, scorer)
    assert os.read(pipe, 1) == b""  # nobody holds it open
    os.close(pipe)
    assert list((tmp_path / "cache").glob("*.stats")) == []
