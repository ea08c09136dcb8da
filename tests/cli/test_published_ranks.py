"""`--official FILE` with ranks: which rank rule gives a published ranking; the rankings of WMT22
and WMT24 come out.
"""

import csv
import json
import re

import numpy as np
import pytest

from mtsig_core import InputError, compare, compare_task
from mtsig_core.cli.main import main
from mtsig_core.readers.official_tables import PublishedRank, parse_official_table
from mtsig_core.readers.scores import read_scores
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.testset import name_as_system
from tests.builders.cases import brief
from tests.builders.code import ROOT

HUMAN = ROOT.parent / "shared" / "data" / "human"
needs_published = pytest.mark.skipif(
    not HUMAN.is_dir(), reason="needs the published ratings in ../shared/data/human"
)
DEMO = ["score", "--demo-task", "--metrics", "human"]


def test_ranks_are_ranges_or_single_ranks():
    read = parse_official_table(
        "system,rank_low,rank_high,cluster\nA,1,2,1\nB,3,3,2\nC,-,-,-"
    ).ranks
    assert read == {"A": PublishedRank(1, 2, 1), "B": PublishedRank(3, 3, 2)}
    read = parse_official_table("System\tRank\tBLEU\nA\t1\t30.1\nB\t2–3\t29.0")
    assert read.ranks == {"A": PublishedRank(1, 1, None), "B": PublishedRank(2, 3, None)}
    assert read.columns == {"BLEU": {"A": "30.1", "B": "29.0"}}
    assert parse_official_table("system;rank\nA;1\nB;1").ranks["B"] == PublishedRank(1, None, None)
    assert parse_official_table("system,metric,score\nA,BLEU,3").ranks == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,rank\nA,first", "line 2: the rank is 'first'. Expected a whole number"),
        ("system,rank\nA,3-1", "line 2: the rank is '3-1'"),
        ("system,rank\nA,0", "line 2: the rank is '0'"),
        ("system,rank,cluster\nA,1,x", "line 2: the cluster is 'x'"),
        ("system,rank\nA,1\nA,2", "line 3 names a system twice"),
        ("system,rank_low,rank_high\nA,1,", "line 2: the rank is '1-'"),
    ],
)
def test_a_broken_ranking_is_refused(text, message):
    with pytest.raises(InputError, match=re.escape(message)):
        parse_official_table(text)


def write_ranking(path, rule, change=None):
    result = compare(simulated_task().testsets["qaa-en"], "human", rank_rule=rule).metrics["human"]
    rows = {row.system: (row.rank_low, row.rank_high, row.cluster) for row in result.systems} | (
        change or {}
    )
    path.write_text(
        "\n".join(
            [
                "system,rank_low,rank_high,cluster",
                *(",".join(map(str, (name, *row))) for name, row in rows.items()),
            ]
        )
    )
    return rows


@pytest.mark.parametrize("rule", brief(1, ["simultaneous", "wmt22", "wmt25"]))
def test_the_rule_is_found(rule, tmp_path, capsys):
    rows = write_ranking(tmp_path / "ranks.csv", rule)
    assert main([*DEMO, "--official", str(tmp_path / "ranks.csv"), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert next(iter(found["ranks"]["counts"].items())) == (rule, len(rows))
    assert all(
        count < len(rows) for name, count in found["ranks"]["counts"].items() if name != rule
    )
    assert "The published ranking comes out" in found["sentences"][0] and found["rows"] == []


@pytest.mark.long
def test_the_systems_that_do_not_come_out_are_named(tmp_path, capsys):
    write_ranking(tmp_path / "ranks.csv", "wmt25", {"Oak-closed": (1, 2, 1), "Absent": (4, 4, 2)})
    assert main([*DEMO, "--official", str(tmp_path / "ranks.csv")]) == 0
    text = capsys.readouterr().out
    assert (
        "11 of 12 published ranks come out with ranks as WMT25. Different here: Oak-closed." in text
    )
    assert "Not ranked here: Absent." in text
    assert main([*DEMO, "--official", str(tmp_path / "ranks.csv"), "--format", "csv"]) == 0
    rows = [*csv.DictReader(capsys.readouterr().out.splitlines())]
    assert [row["system"] for row in rows if row["same"] == "✗"] == ["Oak-closed"]


@pytest.mark.long
def test_a_task_has_a_ranking_for_each_language_pair(tmp_path, capsys):
    found = compare_task(simulated_task(), ["human"], trials=999, rank_rule="wmt24")
    lines = [
        f"{pair},{row.system},{row.rank_low}-{row.rank_high}"
        for pair, one in found.pairs.items()
        for row in one.metrics["human"].systems
        if pair != "qac-en"
    ]
    (tmp_path / "ranks.csv").write_text("\n".join(["language pair,system,rank", *lines]))
    assert (
        main(
            [
                "task",
                "--demo",
                "--metrics",
                "human",
                "--trials",
                "999",
                "--official",
                str(tmp_path / "ranks.csv"),
            ]
        )
        == 0
    )
    text = capsys.readouterr().out
    assert all(
        f"{pair}, human: The published ranking comes out with ranks as WMT24" in text
        for pair in ("qaa-en", "qab-en")
    )
    (tmp_path / "ranks.csv").write_text("system,rank\nNobody,1")
    assert main([*DEMO, "--official", str(tmp_path / "ranks.csv")]) == 2
    assert "ranks no system that is ranked here" in capsys.readouterr().err


@needs_published
@pytest.mark.parametrize(("pair", "waves", "n"), [("en-cs", "2", 16), ("en-zh", "23", 13)])
def test_the_ranking_of_wmt24_comes_out_of_the_files(pair, waves, n, capsys):
    files = [f"--scores=ESA={HUMAN}/wmt24/esa_generalMT2024_wave{wave}.csv" for wave in waves]
    assert (
        main(
            [
                "score",
                *files,
                "--langpair",
                pair,
                "--official",
                f"{HUMAN}/wmt24/official/ranking.tsv",
                "--format",
                "json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)["ranks"]
    assert (
        found["counts"]["wmt24"]
        == n
        == len(found["rows"])
        > max(count for rule, count in found["counts"].items() if rule != "wmt24")
    )


@needs_published
def test_the_clusters_of_wmt22_come_out_of_the_files(capsys):
    ratings = f"--scores=z={HUMAN}/wmt22/ad-seg-scores-cs-en.csv"
    clusters = f"{HUMAN}/wmt22/clusters.csv"
    assert main(["score", ratings, "--langpair=cs-en", "--official", clusters]) == 0
    text = capsys.readouterr().out
    assert (
        "z: The published ranking comes out with ranks as WMT21 into English and as WMT22 into English."
        in text
    )


@needs_published
@pytest.mark.parametrize(
    ("file", "n"), [("wmt22/ad-sys-ranking-cs-en-z-names", 12), ("wmt22/ad-sys-scores-cs-en", 12)]
)
def test_the_scores_of_wmt22_come_out_of_the_files(file, n, capsys):
    ratings = f"--scores=z={HUMAN}/wmt22/ad-seg-scores-cs-en.csv"
    assert main(["score", ratings, "--official", f"{HUMAN}/{file}.csv"]) == 0
    assert f"Z.SCR: {n} of {n} published scores come out here" in capsys.readouterr().out


@needs_published
@pytest.mark.parametrize(("pair", "n"), [("cs-en", 9), ("de-en", 20)])
def test_the_clusters_and_wins_of_wmt21_come_out(pair, n):
    testset = read_scores({"z": HUMAN / f"wmt21/ad-seg-scores-{pair}.csv"})
    result = compare(testset, "z", trials=99, resamples=20, rank_rule="wmt21").metrics["z"]
    published = {}
    for line in (HUMAN / "wmt21/clusters.csv").read_text().splitlines():
        source, target, wins, _, start, end, _, system = line.split()
        if f"{source}-{target}" == pair:
            published[system.rpartition(".")[0]] = (int(start), int(end), int(wins))
    here = {
        row.system: (row.rank_low, row.rank_high, result.tally()[row.system][0])
        for row in result.systems
    }
    assert here == published and len(here) == n


@needs_published
def test_the_ranks_of_wmt22_out_of_english_come_out():
    """As the task's script printed them: HuaweiTSC and TartuNLP 3-4, Liv4ever 5."""
    file = HUMAN / "wmt22/WMT22.Appraise.SegLvlLivSrc.20221031.filtered.csv"
    testset = read_scores({"z": file}, langpair="en-liv")
    result = compare(testset, "z", trials=99, resamples=20, rank_rule="wmt22-appraise").metrics["z"]
    ranks = {row.system: (row.rank_low, row.rank_high) for row in result.systems}
    assert ranks == {
        "refA": (1, 1),
        "TAL-SJTU": (2, 2),
        "HuaweiTSC": (3, 4),
        "TartuNLP": (3, 4),
        "Liv4ever": (5, 5),
        "NiuTrans": (6, 6),
    }


def test_the_options_that_read_the_files_as_the_task_did_are_named(tmp_path, capsys):
    """As WMT25 has it, each of two ratings of a segment is a segment of its own; their mean gives
    other ranks.
    """
    rng = np.random.default_rng(3)
    lines = ["system,line,rater,score"]
    for system in range(6):
        for line in range(1, 121):
            quality = 60 + 8 * (line * 7919 % 13 - 6) / 6 - 1.1 * system
            for rater, strictness in (("x", 0), ("y", 6)):
                lines.append(
                    f"S{system},{line},{rater},{quality + strictness + rng.normal(0, 7):.1f}"
                )
    scores, ranks = tmp_path / "esa.csv", tmp_path / "ranks.csv"
    scores.write_text("\n".join(lines))
    found = compare(
        read_scores({"ESA": scores}, raters="segments"), "ESA", rank_rule="wmt25"
    ).metrics["ESA"]
    ranks.write_text(
        "\n".join(
            [
                "system,rank_low,rank_high",
                *(f"{row.system},{row.rank_low},{row.rank_high}" for row in found.systems),
            ]
        )
    )
    assert main(["score", "--scores", f"ESA={scores}", "--official", str(ranks)]) == 0
    text = capsys.readouterr().out
    assert (
        "ESA: The published ranking comes out with ranks as WMT25 with --raters segments." in text
    )
    assert (
        main(["score", "--scores", f"ESA={scores}", "--official", str(ranks), "--format", "json"])
        == 0
    )
    counts = json.loads(capsys.readouterr().out)["ranks"]["counts"]
    assert counts["wmt25 --raters segments"] == 6 > counts["wmt25"]
    for raters, is_told in (("mean", True), ("segments", False)):
        read = read_scores({"ESA": scores}, raters=raters)
        codes = [one.code for one in compare(read, "ESA", trials=99, rank_rule="wmt25").warnings]
        assert ("rank-rule-of-ratings" in codes) == is_told
    assert "rank-rule-of-ratings" not in [
        one.code
        for one in compare(
            read_scores({"ESA": scores}), "ESA", trials=99, rank_rule="wmt22"
        ).warnings
    ]
    assert (
        main(
            ["score", "--scores", f"ESA={scores}", "--raters", "segments", "--official", str(ranks)]
        )
        == 0
    )
    assert "comes out with ranks as WMT25." in capsys.readouterr().out


@pytest.mark.parametrize("options", brief(1, [[], ["--refs-as-systems"]]))
def test_a_reference_that_takes_part_is_found(options, tmp_path, capsys):
    testset = simulated_task().testsets["qaa-en"]
    first, other = testset.references
    found = compare(testset.scored_with([first], others_as_systems=True), "bleu").metrics["bleu"]
    ranks = tmp_path / "ranks.csv"
    names = {name_as_system(other): other}
    ranks.write_text(
        "\n".join(
            [
                "system,rank_low,rank_high",
                *(
                    f"{names.get(row.system, row.system)},{row.rank_low},{row.rank_high}"
                    for row in found.systems
                ),
            ]
        )
    )
    asked = [
        "score",
        "--demo-task",
        "--langpair",
        "qaa-en",
        "--refs",
        first,
        *options,
        "--metrics",
        "bleu",
    ]
    assert main([*asked, "--official", str(ranks)]) == 0
    text = capsys.readouterr().out
    hint = "" if options else " with --refs-as-systems"
    assert f"The published ranking comes out with ranks by simultaneous rank ranges{hint}." in text
    assert "Not ranked here" not in text
