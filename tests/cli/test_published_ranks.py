"""`--official FILE` with ranks: which rank rule gives a published ranking; the rankings of WMT22
and WMT24 come out.
"""

import csv
import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind, ttest_rel

from mtsig_core import InputError, compare, compare_task
from mtsig_core.readers.official_tables import PublishedRank, parse_official_table
from mtsig_core.readers.scores import read_scores
from mtsig_core.simulation.corpus import simulated_task
from mtsig_core.stats.ranks import _rank_as_appraise as rank_as_appraise
from mtsig_core.stats.ranks import _Wins as Wins
from mtsig_core.testset import name_as_system
from tests.builders.cases import brief
from tests.builders.code import DATA
from tests.builders.results import list_codes

HUMAN = DATA / "human"
needs_published = pytest.mark.skipif(
    not HUMAN.is_dir(), reason="needs the published ratings in ../shared/data/human"
)
DEMO = "score --demo-task --metrics human"


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


def write_ranks(path, systems, called=str):
    """A ranking as it is published, of rows of a result, by the names that `called` gives them."""
    lines = [f"{called(row.system)},{row.rank_low},{row.rank_high}" for row in systems]
    path.write_text("\n".join(["system,rank_low,rank_high", *lines]))


def rank_by_people(rule):
    testset = simulated_task().testsets["qaa-en"]
    return compare(testset, "human", rank_rule=rule).metrics["human"].systems


@pytest.mark.long
@pytest.mark.parametrize("rule", brief(1, ["wmt25", "simultaneous"]))
def test_the_rule_is_found(rule, tmp_path, run_json):
    systems = rank_by_people(rule)
    write_ranks(tmp_path / "ranks.csv", systems)
    found = run_json(f"{DEMO} --official", tmp_path / "ranks.csv")
    (first, count), *others = found["ranks"]["counts"].items()
    assert (first, count) == (rule, len(systems))
    assert all(other < len(systems) for _, other in others)
    assert "mtsig reproduces the published ranking" in found["sentences"][0]
    assert found["rows"] == []


@pytest.mark.long
def test_the_systems_that_do_not_come_out_are_named(tmp_path, run):
    systems = {row.system: row for row in rank_by_people("wmt25")}
    systems["Oak-closed"] = replace(systems["Oak-closed"], rank_low=1, rank_high=2)
    absent = replace(systems["Oak-closed"], system="Absent")
    write_ranks(tmp_path / "ranks.csv", [*systems.values(), absent])
    asked = f"{DEMO} --official", tmp_path / "ranks.csv"
    text = run(*asked).out
    said = "mtsig reproduces 11 of 12 published ranks with ranks as WMT25. Different here: Oak-closed (1-2, here "
    assert said in text
    assert "Not ranked here: Absent." in text
    rows = csv.DictReader(run(*asked, "--format", "csv").out.splitlines())
    assert [row["system"] for row in rows if row["same"] == "✗"] == ["Oak-closed"]


@pytest.mark.long
def test_a_task_has_a_ranking_for_each_language_pair(tmp_path, run):
    found = compare_task(simulated_task(), ["human"], trials=999, rank_rule="wmt24")
    lines = [
        f"{pair},{row.system},{row.rank_low}-{row.rank_high}"
        for pair in ("qaa-en", "qab-en")
        for row in found.pairs[pair].metrics["human"].systems
    ]
    ranks = tmp_path / "ranks.csv"
    ranks.write_text("\n".join(["language pair,system,rank", *lines]))
    text = run("task --demo --metrics human --trials 999 --official", ranks).out
    for pair in ("qaa-en", "qab-en"):
        assert f"{pair}, human: mtsig reproduces the published ranking with ranks as WMT24" in text
    ranks.write_text("system,rank\nNobody,1")
    refused = run(f"{DEMO} --official", ranks)
    assert refused.status == 2
    assert "ranks no system that is ranked here" in refused.err


@needs_published
@pytest.mark.parametrize(
    ("file", "said"),
    [
        (
            "clusters",
            "z: mtsig reproduces the published ranking with ranks as WMT21 into English and",
        ),
        ("ad-sys-scores-cs-en", "Z.SCR: mtsig reproduces 12 of 12 published scores"),
    ],
)
def test_the_tables_of_wmt22_come_out_of_the_ratings(file, said, run):
    ratings = HUMAN / "wmt22/ad-seg-scores-cs-en.csv"
    options = ["--langpair", "cs-en", "--official", HUMAN / f"wmt22/{file}.csv"]
    assert said in run("score", f"--scores=z={ratings}", *options).out


@pytest.mark.long
@needs_published
def test_the_means_of_wmt21_come_out_of_a_folder(run):
    """The name of the table says the language pair."""
    table = HUMAN / "wmt21/ad-sys-ranking-de-en-z-names.csv"
    text = run("task", "--folder", HUMAN / "wmt21/ad-seg-scores-de-en.csv", "--official", table).out
    for column in ("RAW.SCR", "Z.SCR"):
        assert f"de-en, {column}: mtsig reproduces 20 of 20 published scores" in text


@needs_published
@pytest.mark.parametrize(("pair", "n"), brief(1, [("cs-en", 9), ("de-en", 20)]))
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


@pytest.mark.long
def test_the_options_that_read_the_files_as_the_task_did_are_named(tmp_path, run, run_json):
    """As WMT25 has it, each of two ratings of a segment is a segment of its own; their mean gives
    other ranks.
    """
    rng = np.random.default_rng(3)
    lines = ["system,line,rater,score"]
    for system, line in itertools.product(range(6), range(1, 121)):
        quality = 60 + 8 * (line * 7919 % 13 - 6) / 6 - 1.1 * system
        for rater, strictness in (("x", 0), ("y", 6)):
            score = quality + strictness + rng.normal(0, 7)
            lines.append(f"S{system},{line},{rater},{score:.1f}")
    scores, ranks = tmp_path / "esa.csv", tmp_path / "ranks.csv"
    scores.write_text("\n".join(lines))
    read = {how: read_scores({"ESA": scores}, raters=how) for how in ("mean", "segments")}
    found = compare(read["segments"], "ESA", rank_rule="wmt25").metrics["ESA"]
    write_ranks(ranks, found.systems)
    asked = "score --scores", f"ESA={scores}", "--official", ranks
    come_out = "mtsig reproduces the published ranking with ranks as WMT25"
    assert f"ESA: {come_out} with --raters segments." in run(*asked).out
    assert f"{come_out}." in run(*asked, "--raters", "segments").out
    counts = run_json(*asked)["ranks"]["counts"]
    assert counts["wmt25 --raters segments"] == 6 > counts["wmt25"]
    for raters, rule, is_told in (
        ("mean", "wmt25", True),
        ("segments", "wmt25", False),
        ("mean", "wmt22", False),
    ):
        codes = list_codes(compare(read[raters], "ESA", trials=99, rank_rule=rule))
        assert ("rank-rule-of-ratings" in codes) == is_told


@pytest.mark.parametrize("option", brief(1, ["", "--refs-as-systems"]))
def test_a_reference_that_takes_part_is_found(option, tmp_path, run):
    testset = simulated_task().testsets["qaa-en"]
    first, other = testset.references
    found = compare(testset.scored_with([first], others_as_systems=True), "bleu").metrics["bleu"]
    names = {name_as_system(other): other}
    ranks = tmp_path / "ranks.csv"
    write_ranks(ranks, found.systems, called=lambda name: names.get(name, name))
    asked = f"score --demo-task --langpair qaa-en --metrics bleu {option} --refs"
    text = run(asked, first, "--official", ranks).out
    hint = "" if option else " with --refs-as-systems"
    assert (
        f"mtsig reproduces the published ranking with ranks by simultaneous rank ranges{hint}."
        in text
    )
    assert "Not ranked here" not in text


@pytest.mark.parametrize(
    ("columns", "options", "n_segments"),
    [
        ("system,line,document,rater,score", [], 60),
        ("system,line,document,rater,score", ["--raters", "mean"], 30),
        ("system,line,rater,score", [], 30),  # both ratings would be independent units
    ],
)
def test_wmt25_takes_each_rating_as_a_segment(
    columns, options, n_segments, tmp_path, run, run_json
):
    rng = np.random.default_rng(4)
    lines = [columns]
    for system in "ABC":
        for line in range(1, 31):
            for rater in "xy":
                values = {"system": system, "line": line, "document": f"d{line // 4}"}
                values |= {"rater": rater, "score": round(rng.uniform(40, 90), 1)}
                lines.append(",".join(str(values[column]) for column in columns.split(",")))
    (tmp_path / "task").mkdir()
    file = tmp_path / "task" / "ESA.en-de.csv"
    file.write_text("\n".join(lines))
    settings = [*options, "--rank-rule", "wmt25", "--trials", "99", "--resamples", "20"]
    done = run("compare --format json", "--scores", f"ESA={file}", *settings)
    found = json.loads(done.out)
    assert found["testset"]["n_segments"] == n_segments
    is_told = "each rating is a segment of its own" in done.err
    assert is_told == (n_segments == 60)
    codes = [caution["code"] for caution in found["warnings"]]
    assert ("rank-rule-of-ratings" in codes) == (n_segments == 30)
    task = run_json("task", "--folder", file.parent, *settings)
    assert task["pairs"]["en-de"]["testset"]["n_segments"] == n_segments


def test_official_ranks_of_raw_scores_name_the_option_that_reads_them(tmp_path, run_json):
    """As WMT23 has it: a strict rater rated one system more often, which standardizing mends."""
    rng = np.random.default_rng(23)
    rows = []
    for line in range(1, 61):
        for name, level in (("A", 71), ("B", 70), ("C", 64)):
            is_strict = rng.random() < (0.8 if name == "A" else 0.2)
            rater, strictness = ("strict", 12) if is_strict else ("mild", 0)
            score = round(level - strictness + rng.normal(0, 6))
            rows.append(f"{rater},{name},{line},TGT,ces,ukr,{score},{line}.5,{line}.9")
    file, ranks = tmp_path / "appraise.csv", tmp_path / "ranks.csv"
    file.write_text("\n".join(rows))
    by_raw = compare(read_scores({"raw": file}), "raw", rank_rule="wmt23", trials=99, resamples=20)
    write_ranks(ranks, by_raw.metrics["raw"].systems)
    found = run_json(f"score --scores z={file} --official", ranks)["ranks"]
    assert found["counts"]["wmt23 --scores raw=FILE"] == 3 > found["counts"]["wmt23"]
    (tmp_path / "task").mkdir()
    (tmp_path / "task" / "DA.csv").write_text(file.read_text())
    ranks.write_text(
        "\n".join(
            f"{'language pair' if k == 0 else 'cs-uk'},{line}"
            for k, line in enumerate(ranks.read_text().splitlines())
        )
    )
    settings = "--trials 99 --resamples 20"
    task = run_json(f"task --folder {tmp_path / 'task'} {settings} --official", ranks)
    counts = task["pairs"]["cs-uk"]["ranks"]["counts"]
    (way,) = [way for way in counts if way.startswith("wmt23 --metrics")]
    assert counts[way] == 3 > counts["wmt23"]


@needs_published
def test_wins_of_wmt23_have_the_lines_that_its_script_printed():
    """The ratings are not published beside it: from the wins of each system, where the lines are."""
    text = (HUMAN / "wmt23/results.cs-uk.txt").read_text()
    printed = text[text.index("Ave Score") :].splitlines()[2:]
    wins, lines = [], []
    for line in printed:
        if line.startswith("---"):
            lines.append(len(wins))
        elif line:
            wins.append(int(line.split()[0]))
    n_systems = len(wins)
    assert lines.pop() == n_systems == 14  # the last line closes the table
    scores = np.full((n_systems, 1), np.nan)  # from the best: who beats the last ones, as many
    beats = np.zeros((n_systems, n_systems), dtype=bool)
    for place, n_beaten in enumerate(wins):
        beats[place, n_systems - n_beaten :] = True
    p = np.where(beats, 0.01, np.nan)
    order = np.arange(n_systems)
    _, ranks = rank_as_appraise(Wins(scores[:, 0], order, p, beats))
    clusters = ranks.cluster.tolist()
    assert [k for k in range(1, n_systems) if clusters[k] != clusters[k - 1]] == lines


def rank_campaign(entries):
    """Ranks of a campaign of Pearmut as the script of WMT26 has them: by scipy, in loops."""
    kept = []
    for entry in entries:
        if entry["annotation"] == "__RESET__":
            kept = [before for before in kept if before["user_id"] != entry["user_id"]]
        elif not isinstance(entry["item_i"], str):
            kept.append(entry)
    by_system = {}
    for entry in kept:
        for item, annotation in zip(entry["item"], entry["annotation"], strict=True):
            for system, given in annotation.items():
                scores = by_system.setdefault(system, {})
                scores.setdefault(item["item_id"], []).append(given["score"])
    items = sorted(set().union(*by_system.values()))
    means = {
        system: np.array([np.mean(scores.get(item, np.nan)) for item in items])
        for system, scores in by_system.items()
    }
    order = sorted(means, key=lambda system: -np.nanmean(means[system]))

    def differs(one, other):
        pair = means[one], means[other]
        p_paired = ttest_rel(*pair, nan_policy="omit").pvalue
        return min(p_paired, ttest_ind(*pair, nan_policy="omit").pvalue) < 0.05

    lines = []
    for place in range(1, len(order)):
        if all(differs(above, below) for above in order[:place] for below in order[place:]):
            lines.append(place)
    return order, lines


@pytest.mark.parametrize("assignment", brief(1, ["dynamic", "single-stream"]))
def test_wmt26_ranks_annotations_of_pearmut_as_its_script(assignment, run_json):
    file = HUMAN.parent / "pearmut" / f"{assignment}.annotations.json"
    if not file.is_file():
        pytest.skip("needs the annotations in ../shared/data/pearmut")
    campaigns = json.loads(file.read_text())
    settings = "--rank-rule wmt26 --trials 99 --resamples 20"
    found = run_json(f"task {settings} --folder", file)
    places = {}
    for (pair, here), (name, entries) in zip(
        found["pairs"].items(), campaigns.items(), strict=True
    ):
        order, lines = rank_campaign(entries)
        assert pair == name.removesuffix(" v1").replace("---", "-")
        systems = here["metrics"]["ESA"]["systems"]
        assert [row["system"] for row in systems] == order
        clusters = [row["cluster"] for row in systems]
        assert [k for k in range(1, len(order)) if clusters[k] != clusters[k - 1]] == lines
        for place, system in enumerate(order):
            places.setdefault(system, []).append(place / len(order))
    across = found["macro"]["ESA"]["systems"]
    shares = {row["system"]: row["better_share"] for row in across}
    assert shares == pytest.approx({name: np.mean(values) for name, values in places.items()})
