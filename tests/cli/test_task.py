"""`task` on a folder of scores."""

import json

import pytest

from mtsig_core.cli.main import main
from tests.builders.toys import task_files, zipped


@pytest.fixture
def folder(score_folder):
    return score_folder


def test_json(run_json, folder):
    data = run_json("task", "--folder", folder, "--trials", 499)
    assert (
        data["task"]["pairs"] == ["en-de_DE", "en-ja_JP"]
        and data["task"]["systems"]["Alpha"]["constrained"]
    )
    assert any("higher XCOMET scores are better" in said for said in data["task"]["assumed"])
    assert (
        data["pairs"]["en-de_DE"]["metrics"].keys()
        == {"XCOMET", "MetricX-24"}
        == data["macro"].keys()
    )
    macro = {row["system"]: row for row in data["macro"]["XCOMET"]["systems"]}
    assert (macro["Gamma"]["n_pairs"], macro["Gamma"]["rank_low"], macro["Alpha"]["n_pairs"]) == (
        1,
        None,
        2,
    )
    assert len(data["macro"]["XCOMET"]["pairs"]) == 1


def test_the_same_seed_gives_the_same_bytes(run, folder):
    first, second = (
        run("task", "--folder", folder, "--format", "json", "--trials", 499, "--jobs", jobs).out
        for jobs in (1, 2)
    )
    assert first == second


def test_what_is_compared_is_chosen(run_json, folder):
    data = run_json(
        "task",
        "--folder",
        folder,
        "--track",
        "constrained",
        "--pairs",
        "en-ja_JP",
        "--primary",
        "MetricX-24",
        "--trials",
        499,
    )
    assert list(data["task"]["systems"]) == ["Alpha", "Beta"] and data["macro"] == {}
    assert list(data["pairs"]["en-ja_JP"]["metrics"]) == ["MetricX-24", "XCOMET"]


def test_systems_are_left_out_for_reasons_in_all_pairs_or_in_one(run, run_json, folder):
    options = [
        "--folder",
        folder,
        "--metrics",
        "XCOMET",
        "--trials",
        199,
        "--exclude",
        "Gamma=withdrawn, by mail",
        "--exclude",
        "en-ja_JP:Beta",
    ]
    data = run_json("task", *options)
    assert data["excluded"] == [
        {"system": "Gamma", "reason": "withdrawn, by mail", "pair": None},
        {"system": "Beta", "reason": "", "pair": "en-ja_JP"},
    ]
    assert {
        pair: [row["system"] for row in one["metrics"]["XCOMET"]["systems"]]
        for pair, one in data["pairs"].items()
    } == {"en-de_DE": ["Alpha", "Beta"], "en-ja_JP": ["Alpha"]}
    assert "Excluded: Gamma (withdrawn, by mail), Beta in en-ja_JP" in run("task", *options).out
    for form in ("latex", "html", "csv"):
        assert "withdrawn, by mail" in run("task", *options, "--format", form).out


def test_scores_of_open_direction_stop_nothing_else_and_are_asked_about_when_wanted(run, folder):
    for path in (folder / "automatic_scores").glob("*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        for k, line in enumerate(lines):
            line["metric_scores"]["mine"] = [k % 5, 7]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    one = ("compare", "--folder", folder, "--langpair", "en-de_DE", "--trials", 499)
    assert (
        "XCOMET" in run("task", "--folder", folder, "--trials", 499).out
        and "XCOMET" in run(*one).out
    )
    for asked in (("task", "--folder", folder), one):
        answer = run(*asked, "--metrics", "mine")
        assert answer.status == 2 and not answer.out and "--lower-is-better mine" in answer.err
        assert "mine" in run(*asked, "--metrics", "mine", "--lower-is-better", "mine").out


def test_mistakes_are_one_message(run, folder):
    for options, told in [
        (["--pairs", "en-fr"], "Unknown language pair 'en-fr'"),
        (["--metrics", "bleu"], "No language pair of task has 'bleu'"),
        (["--exclude", "X"], "Unknown system 'X'"),
        (["--exclude", "en-ja_JP:Gamma=late"], "Unknown system of en-ja_JP 'Gamma'"),
        (["--primary", "Z"], "No language pair of task has 'Z'"),
        (["--lower-is-better", "Z"], "no scores 'Z'"),
    ]:
        failed = run("task", "--folder", folder, *options)
        assert failed.status == 2 and told in failed.err and "Traceback" not in failed.err


def test_references_act_as_systems_as_in_compare(run, tmp_path):
    (path := tmp_path / "t.zip").write_bytes(zipped(task_files()))
    scores = ["--scores", f"en-cs:esa={path}/mytask/en-cs.esa.tsv"]
    draws = ["--trials", 99, "--resamples", 99, "--format", "json"]
    for options, metric, pair in (
        (["--refs", "refA", "--refs-as-systems"], "bleu", "en-de"),
        (["--refs-as-systems"], "esa", "en-cs"),
    ):
        done = run("task", "--folder", path, *scores, *options, "--metrics", metric, *draws)
        of_pair = ["--scores", f"esa={path}/mytask/en-cs.esa.tsv"] * (metric == "esa")
        alone = run(
            "compare",
            "--folder",
            path,
            "--langpair",
            pair,
            *of_pair,
            *options,
            "--metrics",
            metric,
            *draws,
        )
        assert json.loads(done.out)["pairs"][pair]["metrics"] == json.loads(alone.out)["metrics"]
        assert "HUMAN-ref" in done.out
    unrated = {name: text for name, text in task_files().items() if "esa" not in name}
    (bare := tmp_path / "bare.zip").write_bytes(zipped(unrated))
    failed = run("task", "--folder", bare, "--refs-as-systems")
    assert failed.status == 2 and "Options: --refs NAME,...." in failed.err
    agreed = run(
        "agreement",
        "--folder",
        path,
        *scores,
        "--human",
        "esa",
        "--refs-as-systems",
        *draws[:2],
        *draws[4:],
    )
    assert agreed.status == 0


def test_tables_in_a_zip_are_read_and_what_is_not_is_told(run, tmp_path):
    (path := tmp_path / "my t.zip").write_bytes(zipped(task_files()))
    done = run("task", "--folder", path, "--trials", 99, "--resamples", 99, "--format", "json")
    assert "Not read: " in done.err and "mytask/README.md" in done.err
    assert f"esa of en-cs is read from {path}/mytask/en-cs.esa.tsv, next to the texts." in done.err
    pairs = json.loads(done.out)["pairs"]
    assert {pair: "esa" in pairs[pair]["metrics"] for pair in pairs} == {
        "en-cs": True,
        "en-de": True,
        "en-uk": False,
    }
    told = run(
        "task",
        "--folder",
        path,
        "--trials",
        99,
        "--scores",
        f"en-cs:esa={path}/mytask/en-cs.esa.tsv",
    ).err
    assert "next to the texts" not in told


def test_ratings_that_do_not_fit_the_texts_are_told_and_left_out(run, tmp_path):
    """As ratings of another test set are, known by their content alone."""
    rating = "ann,{},{},TGT,eng,ces,{},test-en-news_one,False,[],1.0,2.0\n"
    fitting = "".join(
        rating.format(name, k, 60 + k + 9 * n)
        for n, name in enumerate(("Alpha", "Beta"))
        for k in range(20)
    )
    files = {name: text for name, text in task_files().items() if "esa" not in name}
    files |= {
        "mytask/humeval/wave1.csv": fitting,
        "mytask/humeval/other.csv": fitting.replace("Beta", "Delta"),
    }
    (path := tmp_path / "t.zip").write_bytes(zipped(files))
    done = run("task", "--folder", path, "--trials", 99, "--resamples", 99, "--format", "json")
    assert (
        "other.csv has scores (ESA) and is not used: " in done.err
        and "'Delta' is not a system" in done.err
    )
    assert "ESA of en-cs is read from" in done.err
    found = json.loads(done.out)["pairs"]["en-cs"]["metrics"]["ESA"]["systems"]
    assert {row["system"]: row["score"] for row in found} == {"Alpha": 69.5, "Beta": 78.5}


@pytest.mark.parametrize(
    "command",
    [
        "task --trials 99 --resamples 99 --metrics bleu --pairs qaa-en",
        "agreement --all-pairs --human human --trials 99 --metrics bleu",
    ],
)
def test_the_simulated_task_has_one_name_everywhere(run, command):
    done = run(command, "--demo-task")
    assert done.status == 0, done.err
    if command.startswith("task"):
        assert run(command, "--demo").out == done.out
        named = done.out.replace("simulated task:", "Mine:")
        assert run(command, "--demo", "--name", "Mine").out == named


def test_one_language_pair_of_the_simulated_task(run, run_json):
    quick = "--metrics human --trials 99 --resamples 99"
    whole = run_json(f"task --demo-task --pairs qab-en {quick}")["pairs"]["qab-en"]
    alone = run_json(f"compare --demo-task --langpair qab-en {quick}")
    assert alone["testset"] == whole["testset"]
    wrong = run("compare --demo-task --langpair xx-yy")
    assert wrong.status == 2
    assert "Unknown language pair 'xx-yy'" in wrong.err


def test_a_task_is_called_by_more_than_the_folder_of_a_release(run_json, tmp_path):
    for place, called in (("wmt23/txt", "wmt23"), ("mine/data", "mine data")):
        for name, text in task_files().items():
            path = tmp_path / place / name.removeprefix("mytask/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        data = run_json("task", "--folder", tmp_path / place, "--trials", 99)
        assert (
            data["task"]["name"] == called
            and data["pairs"]["en-cs"]["testset"]["name"] == f"{called} en-cs"
        )


class TestWhichMetricDecides:
    """Human scores, then what the table names; else the user is asked."""

    def args(self, folder, *more):
        return "task", "--folder", folder, "--trials", 199, "--resamples", 100, *more

    def scored(self, folder, **levels):
        """The folder with further scores by system, and XCOMET turned round: it names another
        first.
        """
        for path in sorted((folder / "automatic_scores").iterdir()):
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for k, line in enumerate(lines):
                for name, level in levels.items():
                    line["metric_scores"][name] = [
                        level[path.stem] + k % 3,
                        level[path.stem] + k % 2,
                    ]
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return folder

    def test_it_asks_where_nothing_says_it(self, run, folder):
        out = run(*self.args(folder)).out
        assert "does not name its main metric" in out and out.count("--primary NAME") == 1
        data = json.loads(run(*self.args(folder, "--format", "json")).out)
        (asked,) = [one for one in data["warnings"] if one["code"] == "which-metric"]
        assert (asked["metric"], asked["pair"], asked["remedies"]) == (
            "XCOMET",
            "",
            [{"primary": "NAME"}],
        )
        for form in ("latex", "html"):
            said = run(*self.args(folder, "--format", form)).out
            assert "does not name its main metric" in " ".join(said.split())

    @pytest.mark.parametrize(
        "chosen", [("--primary", "MetricX-24"), ("--metrics", "MetricX-24,XCOMET")]
    )
    def test_what_the_user_says_comes_first_without_a_question(self, run, folder, chosen):
        data = json.loads(run(*self.args(folder, *chosen, "--format", "json")).out)
        assert list(data["macro"]) == ["MetricX-24", "XCOMET"]
        assert not [one for one in data["warnings"] if one["code"] == "which-metric"]

    def test_human_scores_come_first(self, run, folder):
        self.scored(folder, esa={"Alpha": 70, "Beta": 80, "Gamma": 60})
        data = json.loads(
            run(*self.args(folder, "--higher-is-better", "esa", "--format", "json")).out
        )
        assert list(data["macro"])[0] == "esa" and not [
            o for o in data["warnings"] if o["code"] == "which-metric"
        ]

    def test_then_the_metric_that_the_table_names(self, run, folder):
        (folder / "systems.tsv").write_text(
            "# metric: MetricX-24\nsystem\tconstrained\nAlpha\tyes\n"
        )
        data = json.loads(run(*self.args(folder, "--format", "json")).out)
        assert (
            list(data["macro"]) == ["MetricX-24", "XCOMET"]
            and data["task"]["primary"] == "MetricX-24"
        )
        assert not [one for one in data["warnings"] if one["code"] == "which-metric"]

    def test_it_says_where_other_metrics_put_others_on_top(self, run, folder):
        self.scored(folder, esa={"Alpha": 70, "Beta": 80, "Gamma": 60})
        lines = run(*self.args(folder, "--higher-is-better", "esa")).out.splitlines()
        verdict = next(k for k, line in enumerate(lines) if "Beta is significantly better" in line)
        assert any(
            line.startswith("Other metrics name another top group: Alpha by XCOMET")
            for line in lines[verdict : verdict + 5]
        )


@pytest.mark.parametrize("command", ["task", "autorank", "findings", "agreement"])
@pytest.mark.parametrize("read", ["en-de.human.tsv", "systems.tsv"])
def test_nothing_is_written_over_what_is_read(tmp_path, monkeypatch, capsys, command, read):
    monkeypatch.chdir(tmp_path)
    for part, text in (
        ("references/en-de.refA.txt", "a b\n"),
        ("system-outputs/en-de/A.txt", "a c\n"),
        ("en-de.human.tsv", "system\tline\tscore\nA\t1\t5\n"),
        ("systems.tsv", "system\nA\n"),
    ):
        (tmp_path / "task" / part).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "task" / part).write_text(text)
    (tmp_path / "task" / read).rename(tmp_path / read)
    before = (tmp_path / read).read_text()
    given = ["--scores", f"en-de:human={read}"] if "human" in read else ["--systems-table", read]
    human = ["--human", "human"] if command == "agreement" else []
    assert (
        main([command, "--folder", "task", *given, *human, "--format", "json", "--out", read]) == 2
    )
    assert (
        "is one of the files to read" in capsys.readouterr().err
        and (tmp_path / read).read_text() == before
    )
