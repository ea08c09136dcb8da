"""One message, exit status 2, no traceback, nothing half-written."""

import json
import os
import sys
from pathlib import Path

import pytest

from mtsig_core.caution import Caution
from mtsig_core.cli.main import main
from mtsig_core.readers.task_contents import tables_beside
from mtsig_core.readers.texts import find_runs
from tests.builders.cases import brief


@pytest.fixture
def refused(run):
    """The message of a run that must fail."""

    def call(*args):
        result = run(*args)
        assert result.status == 2
        assert result.out == ""
        assert "Traceback" not in result.err and result.err.startswith("mtsig: ")
        return result.err

    return call


def test_process_exits_with_2_and_no_traceback(process, files):
    done = process(
        "compare", "--ref", files / "ref.txt", "--system", files / "absent.txt", text=True
    )
    assert done.returncode == 2 and done.stdout == ""
    assert "absent.txt" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("option", ["--ref", "--system", "--src", "--docs", "--run", "--scores"])
@pytest.mark.parametrize(
    "content, told",
    [
        ("".join(f"{k} ||| a b ||| -1\n" for k in range(60)), "is an n-best list"),
        (
            f'<?xml version="1.0"?>\n<tmx><body>\n{"<tu><seg>a</seg></tu>" * 9}</body></tmx>\n',
            "is TMX",
        ),
    ],
)
def test_a_structured_file_is_never_scored_as_text(refused, files, option, content, told):
    (odd := files / "odd.file").write_text(content)
    given = {
        "--ref": ["--ref", files / "ref.txt"],
        "--system": ["--system", f"A={files / 'good.txt'}"],
    }
    given[option] = [option, f"A={odd}" if option in ("--system", "--run", "--scores") else odd]
    message = refused("score", *(part for parts in given.values() for part in parts))
    assert f"odd.file {told}" in message and "Expected " in message


@pytest.mark.parametrize(
    "asked, layout",
    [
        ("task", "human-scores"),
        ("task", "metric-scores/en-de"),
        ("compare", "human-scores"),
        ("task", "automatic_scores"),
    ],
)
def test_folders_that_may_not_be_listed(refused, folder, monkeypatch, asked, layout):
    (folder / layout).mkdir(parents=True)
    listed = os.listdir

    def closed(path):
        if Path(path) == folder / layout:
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "listdir", closed)  # nothing is forbidden to root
    said = refused(
        asked, "--folder", folder, *(["--langpair", "en-de"] if asked == "compare" else [])
    )
    assert f"{folder / layout} cannot be read: Permission denied" in said


def test_a_working_folder_that_is_gone(refused, options, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert "A file, or the working folder, cannot be read" in refused(
        "compare", "--ref", "a", "--system", "b"
    )
    assert "the working folder, cannot be read" in refused("compare", *options, "--out", "new.json")


def test_a_folder_to_be_is_no_output(refused, options, tmp_path):
    assert "is a folder. Expected a file name" in refused(
        "compare", *options, "--out", f"{tmp_path}/new/"
    )


@pytest.mark.parametrize(
    "command, alpha",
    [
        ("compare", "1e-320"),
        ("pair", "1e-17"),
        ("sweep resamples", "0.9999999999999999"),
        ("validate type1", "1e-17"),
    ],
)
def test_levels_that_no_draws_could_tell(refused, options, command, alpha):
    assert (
        "alpha is" in (told := refused(*command.split(), *options, "--alpha", alpha))
        and "more than 1e-15" in told
    )


def test_an_output_that_is_the_reference_is_told(run, files):
    systems = ("--system", f"copy={files / 'ref.txt'}", "--system", files / "good.txt")
    done = run(
        "compare", "--ref", files / "ref.txt", *systems, "--trials", "99", "--resamples", "50"
    )
    caution = Caution(
        "reference-among-systems", {"reference": "ref", "has_others": False}, a="copy"
    )
    assert f"Warning: {caution.text} Options: --exclude copy." in done.out


@pytest.mark.parametrize(
    "asked, content",
    brief(
        2,
        [
            (("task", "--folder", ".", "--systems-table"), "a table of the systems"),
            (("compare", "--scores"), "a table of segment scores"),
            (("task", "--demo", "--official"), "a table of published scores"),
            (("score", "--demo", "--official"), "a table of published scores"),
            (("compare", "--xml"), "the XML of a shared task"),
        ],
    ),
)
def test_a_folder_or_nothing_in_place_of_what_an_option_expects(
    refused, folder, tmp_path, monkeypatch, asked, content
):
    monkeypatch.chdir(folder)
    (empty := tmp_path / "empty").touch()
    named = "x=" if "--scores" in asked else ""
    assert f" is a folder. Expected a file with {content}. Name a file in it." in refused(
        *asked, f"{named}{folder}"
    )
    if asked[-1] in ("--systems-table", "--official"):
        assert f"empty is empty. Expected {content}." in refused(*asked, empty)


def test_a_file_in_two_places_is_refused_once(refused, tmp_path):
    (empty := tmp_path / "empty.txt").touch()
    assert refused("score", "--ref", empty, "--system", f"A={empty}").count("is empty.") == 1


def test_folder_without_a_language_pair(refused, folder):
    assert "en-de" in refused("compare", "--folder", folder)


@pytest.mark.parametrize(
    "extra,parts",
    [
        (["--metrics", "blue"], ["blue", "Did you mean 'bleu'"]),
        *(
            ([option, text], [f"Argument {option}: '{text}' names nothing"])
            for option, text in (("--metrics", ""), ("--only", ""), ("--refs", ","))
        ),
        (["--trials", "0"], ["trials is 0", "from 1 to"]),
        (["--trials", "many"], ["--trials", "many"]),
        (["--alpha", "0"], ["alpha is 0", "between 0 and 1"]),
        (
            ["--alpha", "0.001", "--trials", "99"],
            ["alpha 0.001", "smallest p", "at least 999 trials"],
        ),
        (["--test", "arr"], ["arr", "Did you mean 'ar'"]),
        (["--jobs", "0"], ["jobs is 0"]),
        (["--jobs", "1000000"], ["jobs is 1000000"]),
        (["--baseline", "nobody"], ["nobody", "good"]),
        (["--baseline", "good", "--exclude", "good"], ["--exclude removes good", "--baseline"]),
        (["--only", "nobody"], ["nobody", "good"]),
        (["--domain", "sport"], ["sport", "news"]),
        (["--tokenize", "31a"], ["31a", "13a"]),
        (["--test", "koehn", "--correction", "holm"], ["koehn"]),
        (["--test", "percentile", "--correction", "romano-wolf"], ["percentile", "holm"]),
        (["--unit", "block", "--block-length", "0.5"], ["0.5"]),
        (["--out", "/nowhere/at/all.txt"], ["/nowhere/at"]),
        (["--out", "x" * 300], ["File name too long"]),
        (["--unknown-option"], ["--unknown-option"]),
        (["--format", "xml"], ["xml"]),
        *(
            ([f"{option}=--"], [f"rgument {option}: -- is no value of it"])
            for option in ("--out", "--ref", "--format", "--seed", "--scores")
        ),
        *(
            (
                [option, ""],
                [f"rgument {option} is empty. Remove it, or give it a value"],
            )  # as of an unset variable
            for option in ("--domain", "--ids", "--langpair", "--ref")
        ),
        *(
            (extra, ["is only for means of segment scores"])
            for extra in (["--test", "wilcoxon"], ["--test", "t"], ["--ci", "t"])
        ),
    ],
)
def test_bad_settings(refused, options, extra, parts):
    message = refused("compare", *options, *extra)
    assert all(part in message for part in parts), message
    assert message.count("\n") == 1


@pytest.mark.parametrize(
    "args,told",
    [
        (
            ["--sacrebleu", "wmt21/systms"],
            "Unknown test set of sacreBLEU 'wmt21/systms'. Did you mean 'wmt21/systems'?",
        ),
        (["--sacrebleu", "wmt21/systems"], "wmt21/systems is read for one language pair"),
        (["--sacrebleu", "wmt21/systems/en-de", "--langpair", "de-en"], "name two pairs"),
        (["--sacrebleu", "wmt21/systems/en-fi"], "Unknown language pair of wmt21/systems 'en-fi'"),
        (
            ["--sacrebleu", "wmt21/systems/en-de", "--ref", "r.txt"],
            "--sacrebleu and --ref name two sources",
        ),
        (["--xml", "f.xml", "--system", "s.txt"], "--xml and --system name two sources"),
        (["--xml", "f.xml"], "f.xml does not exist"),
    ],
)
def test_sets_of_sacrebleu_and_xml(refused, args, told):
    assert told in refused("compare", *args)


@pytest.mark.parametrize(
    "asked",
    [
        ["compare", "--demo"],
        ["task", "--demo-task"],
        ["agreement", "--demo-task", "--human", "human"],
    ],
)
@pytest.mark.parametrize(
    "option",
    [
        ("--mqm-weights", "major=10"),
        ("--raters", "z"),
        ("--lower-is-better", "ter"),
        ("--higher-is-better", "ter"),
    ],
)
def test_options_of_tables_without_a_table(refused, asked, option):
    assert f"{option[0]} needs --scores NAME=FILE" in refused(*asked, *option)


@pytest.mark.parametrize(
    "asked",
    [
        ["compare", "--demo", "--langpair", "en-de"],
        ["compare", "--demo-segments", "50", "--keep-canary"],
        ["task", "--demo-task", "--keep-canary"],
        ["findings", "--demo-task", "--keep-withdrawn"],
    ],
)
def test_options_that_say_nothing_of_simulated_sets(refused, asked):
    assert f"{next(one for one in asked[2:] if one.startswith('--'))} needs " in refused(*asked)


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("--human", "--official", "scores.tsv"),
        ("--primary", "--official", "scores.tsv"),
        ("--human", "--rank-rule", "all"),
    ],
)
def test_options_of_results_that_another_replaces(refused, name, option, value):
    assert f"{name} has no effect with {option}" in refused(
        "task", "--demo-task", option, value, name, "human"
    )


@pytest.mark.parametrize("command", ["autorank", "findings"])
def test_an_unknown_rule_of_autorank(refused, command):
    assert "Unknown rule '2023'" in refused(command, "--demo-task", "--rule", "2023")


@pytest.mark.parametrize("command", ["compare", "score", "segments"])
def test_no_system(refused, files, command):
    assert "--system" in refused(command, "--ref", files / "ref.txt")


def test_no_reference_and_no_source(refused, files):
    assert "--ref" in refused("compare", "--system", files / "good.txt")
    assert "--folder" in refused("compare")


def test_an_error_leaves_the_old_output(refused, options, tmp_path):
    target = tmp_path / "result.txt"
    target.write_text("before")
    refused("compare", *options, "--trials", "0", "--out", target)
    assert target.read_text() == "before"


def test_the_output_never_overwrites_what_is_read(refused, files, options):
    before = (files / "ref.txt").read_bytes()
    (files / "link.txt").symlink_to(files / "ref.txt")
    for target in ("ref.txt", "link.txt", "docs.txt"):
        assert "one of the files to read" in refused("score", *options, "--out", files / target)
    assert (files / "ref.txt").read_bytes() == before


def test_errors_are_asked_about(refused, tmp_path):
    table = tmp_path / "m.tsv"
    table.write_text("system\tline\tscore\nA\t1\t3\nA\t2\t20\n", encoding="utf-8")
    args = ["score", "--scores", f"MetricX-24={table}"]
    assert "--lower-is-better MetricX-24, --higher-is-better MetricX-24" in refused(*args)
    assert "both said" in refused(
        *args, "--lower-is-better", "MetricX-24", "--higher-is-better", "MetricX-24"
    )
    assert "no scores of that name" in refused(*args, "--higher-is-better", "other")
    for which in ("lower", "higher"):
        assert main([*args, f"--{which}-is-better", "MetricX-24"]) == 0
    table.write_text("system\tline\tscore\nA\t1\t-3\nA\t2\t-20\n", encoding="utf-8")
    assert main(args) == 0


def test_runs_of_no_system_of_unequal_number_and_of_what_is_no_text(
    refused, files, options, folder
):
    good = files / "good.txt"
    assert "--run" in refused("compare", *options, "--run", good) and "NAME=FILE" in refused(
        "compare", *options, "--run", good
    )
    assert "'Good', which is no system. Did you mean 'good'?" in refused(
        "compare", *options, "--run", f"Good={good}"
    )
    unequal = [f"--run={name}={good}" for name in ("good", "fair", "fair")]
    assert "unequal numbers of training runs: good 2, fair 3" in refused(
        "compare", *options, *unequal
    )
    assert "absent.txt" in refused("compare", *options, "--run", "good=absent.txt")
    assert "'a', which is no system" in refused(
        "compare", "--folder", folder, "--langpair", "en-de", "--run", f"a={good}"
    )
    assert "--run is for one language pair" in refused(
        "agreement", "--folder", folder, "--human", "esa", "--run", f"good={good}"
    )
    assert "several language pairs" in refused("task", "--folder", folder, "--run", f"good={good}")
    assert "cannot be shown inside a score yet" in refused(
        "metrics", "precisions", *options, f"--run=good={good}"
    )


def test_closed_outputs(monkeypatch, run, options):
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", None)
        status = main(["compare", *options, "--trials", "99"])
    assert status == 2
    with monkeypatch.context() as patch:
        patch.setattr("sys.stderr", None)
        assert main(["compare", *options, "--only", "nobody"]) == 2
        sys.stderr.close()
    assert run("compare", *options, "--only", "nobody").out == ""


def test_names_that_are_no_utf8_on_the_command_line(run, run_json, files):
    strange = files / os.fsdecode(b"caf\xe9.txt")
    strange.write_bytes((files / "good.txt").read_bytes())
    asked = [
        "compare",
        "--ref",
        files / "ref.txt",
        "--system",
        strange,
        "--system",
        files / "poor.txt",
        "--trials",
        "99",
    ]
    for only in (os.fsdecode(b"caf\xe9"), "caf\\udce9"):
        done = run(*asked, "--only", f"{only},poor")
        assert done.status == 0 and "caf\\udce9" in done.out
    assert run_json(*asked)["testset"]["systems"][0] == "caf\\udce9"


@pytest.mark.parametrize(
    "place",
    [
        "wmt/references/en-de.refA.txt",
        "wmt/system-outputs/en-de/a.txt",
        "wmt/sources/en-de.txt",
        "wmt/documents/en-de.docs",
        "wmt/metric-scores/en-de/x-refA.seg.score",
        "wmt/human-scores/en-de.mqm.seg.score",
        "wmt/systems.tsv",
        "xml/set.en-de.xml",
        "scores/automatic_scores/a.jsonl",
    ],
)
def test_in_a_folder_only_regular_files_are_read(refused, tmp_path, place):
    """Of pipes nobody would wait for the end; the device stands for one, as whoever reads it goes
    on.
    """
    task = (
        {"wmt/references/en-de.refA.txt", "wmt/system-outputs/en-de/b.txt"}
        if place.startswith("wmt")
        else set()
    )
    for name in {*task, place}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a\nb\n")
    (tmp_path / place).unlink()
    (tmp_path / place).symlink_to(os.devnull)
    folder = tmp_path / place.partition("/")[0]
    said = f"{tmp_path / place} is not a regular file. Replace it with one."
    assert said in refused("task", "--folder", folder)
    assert said in refused("compare", "--folder", folder, "--langpair", "en-de")


@pytest.mark.parametrize(
    ("table", "layout"), [("systems.tsv", ""), ("systems_metadata.json", "automatic_scores")]
)
def test_what_says_who_is_withdrawn_or_unconstrained_is_never_left_out_without_a_word(
    refused, folder, table, layout
):
    if layout:
        (folder / layout).mkdir()
        line = {
            "language_pair": "en-de",
            "domain": "n",
            "document_id": "d",
            "metric_scores": {"chrF": [1, 2]},
        }
        (folder / layout / "A.jsonl").write_text(json.dumps(line))
    (folder / table).symlink_to("absent")
    assert f"{table} is a link to absent, which does not exist" in refused(
        "task", "--folder", folder
    )
    (folder / table).unlink()
    (folder / table).mkdir()
    assert f"{table} is a folder. Expected a file" in refused("task", "--folder", folder)


@pytest.mark.parametrize(
    "place",
    [
        "documents/en-de.docs",
        "sources/en-de.txt",
        "system-outputs/en-de/z.txt",
        "references/en-de.refZ.txt",
    ],
)
def test_a_folder_that_is_named_as_a_file_of_the_task_is_never_left_out_without_a_word(
    refused, folder, place
):
    if os.path.lexists(folder / place):
        (folder / place).unlink()
    (folder / place).mkdir(parents=True)
    for asked in (["task"], ["compare", "--langpair", "en-de"]):
        assert f"{folder / place} is a folder. Expected a file" in refused(
            *asked, "--folder", folder
        )


def test_pipes_in_a_folder_are_not_opened(refused, folder):
    os.mkfifo(folder / "system-outputs/en-de/z.txt")
    (
        os.mkfifo(folder / "en-de.mine.tsv"),
        os.mkfifo(folder / "en-de.good.run2.txt"),
    )  # which serve offers
    assert "z.txt is not a regular file" in refused(
        "compare", "--folder", folder, "--langpair", "en-de"
    )
    assert tables_beside(folder, ["en-de"]) == [] == find_runs(folder, ["en-de"])


def test_pipes_that_are_named_are_read(run, files):
    """As the shell's <(...) names them."""
    reader, writer = os.pipe()
    with open(writer, "wb") as pipe:
        pipe.write((files / "good.txt").read_bytes())
    done = run(
        "score", "--ref", files / "ref.txt", "--system", f"good=/dev/fd/{reader}", "--format", "csv"
    )
    os.close(reader)
    assert (
        done.out
        == run(
            "score", "--ref", files / "ref.txt", "--system", files / "good.txt", "--format", "csv"
        ).out
    )
    assert done.status == 0


@pytest.mark.parametrize(
    "table, said",
    [
        ("a,b\n1,2\n", "the systems 1 and the metrics b."),
        ("system,BLEU\nX,12.0\n", "the systems X and the metrics BLEU."),
        ("system,COMET\ngood,0.8\n", "the systems good and the metrics COMET."),
    ],
)
def test_an_official_table_with_nothing_that_is_here(run, options, tmp_path, table, said):
    (tmp_path / "bad.csv").write_text(table)
    done = run("score", *options, "--official", tmp_path / "bad.csv")
    assert done.status == 2 and not done.out and "bad.csv has no score to compare with" in done.err
    assert (
        "a column system with names that are scored here (fair, good, poor), and columns named as"
        in done.err
    )
    assert said in done.err


@pytest.mark.parametrize(
    "table, said",
    [
        (
            "lp,system,human\nxx-yy,A,2\n",
            "Expected a column language pair with names that are scored here (qaa-en, ",
        ),
        ("lp,system,human\nqaa-en,A,2\n", "It has the systems A and the metrics human."),
    ],
)
def test_an_official_table_of_another_task(run, tmp_path, table, said):
    (tmp_path / "bad.csv").write_text(table)
    done = run("task", "--demo", "--official", tmp_path / "bad.csv")
    assert done.status == 2 and not done.out and said in done.err


def test_an_open_quote_swallows_no_row_of_an_official_table(refused, options, tmp_path):
    (tmp_path / "bad.csv").write_text('system,BLEU,note\ngood,1,"x\nfair,2,y\n')
    assert "bad.csv, row 3 cannot be read: unexpected end of data. Check its quotes." in refused(
        "score", *options, "--official", tmp_path / "bad.csv"
    )
