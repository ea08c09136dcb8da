"""What docs/from-*.md show: p of other tools, as they printed it, beside ours.

sacreBLEU runs here. Of each other tool there is code of our own that does what its source does, and
has to come to the printed number within Monte Carlo error.
"""

import csv
import io
import json
import re
import shlex
from collections import Counter
from math import erfc, exp, log, sqrt

import numpy as np
import pytest
import scipy.stats
from sacrebleu import BLEU, CHRF
from sacrebleu.significance import PairedTest

from mtsig_core.cli.main import main
from mtsig_core.experiments.metric_agreement import agreement
from mtsig_core.simulation.corpus import load_demo, shared_task
from mtsig_core.testset import SegmentScores, TestSet
from tests.builders.code import ROOT

PEERS = ("sacrebleu", "compare-mt", "multeval", "mt-metrics-eval", "comet")
PAGES = {peer: (ROOT / "docs" / f"from-{peer}.md").read_text(encoding="utf-8") for peer in PEERS}
DATA = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
TEXTS = "--ref ref.txt --system Spanish.txt --system Danish.txt --system Greek.txt"
TWO = "--ref ref.txt --system Spanish.txt --system Danish.txt"
SCORES = "--scores quality=scores.tsv"
SYSTEMS = ("Spanish", "Danish", "Greek")
PAIRS = {"Spanish, Danish": (0, 1), "Spanish, Greek": (0, 2), "Danish, Greek": (1, 2)}


def rows(peer, first_cell):
    """The rows of the table whose header begins so, by their first cell."""
    head = rf"^\| {re.escape(first_cell)} \|.*\n\|[ |-]+\n"
    (body,) = re.findall(head + r"((?:\|.*\n)+)", PAGES[peer], re.M)
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in body.splitlines()]
    return {first: others for first, *others in cells}


def column(peer, first_cell, number):
    return {first: others[number] for first, others in rows(peer, first_cell).items()}


def printed(cell):
    return [float(number) for number in cell.split(", ")]


@pytest.fixture(scope="module", autouse=True)
def files(tmp_path_factory):
    """Write the files as the pages do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("peers"))
        for page in (DATA, PAGES["multeval"], PAGES["comet"]):
            for code in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S):
                if "write_text" in code:
                    exec(code, {"load_demo": load_demo})
        yield


def lines(name):
    with open(f"{name}.txt", encoding="utf-8") as file:
        return file.read().splitlines()


@pytest.fixture
def ours(capsys):
    """By pair, what `mtsig compare` gives with these options, with the digits of the pages."""

    def run(options, field="p_value"):
        assert main(["compare", *shlex.split(options), "--format", "csv"]) == 0
        pairs = csv.DictReader(io.StringIO(capsys.readouterr().out))
        shown = {}
        for pair in pairs:
            if pair["table"] == "pairs":
                for names in ((pair["a"], pair["b"]), (pair["b"], pair["a"])):
                    shown[", ".join(names)] = f"{float(pair[field]):.4f}"
        return shown

    return run


def agree(cells, shown):
    assert cells and cells == {pair: shown[pair] for pair in cells}


def test_ours_beside_sacrebleu(ours):
    alone = f"{TEXTS} --baseline Spanish --correction none --unit segment"
    agree(column("sacrebleu", "pair", 1), ours(f"{alone} --test riezler-maxwell"))
    agree(column("sacrebleu", "pair", 3), ours(f"{alone} --test ar"))
    agree(column("sacrebleu", "pair", 4), ours(f"{alone} --test bootstrap"))
    agree(column("sacrebleu", "pair", 5), ours(f"{TEXTS} --docs docs.txt", "p_adjusted"))


@pytest.mark.parametrize("test, number", [("bs", 0), pytest.param("ar", 2, marks=pytest.mark.long)])
def test_sacrebleu_prints_what_is_shown(test, number, monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    systems = [(name, lines(name)) for name in SYSTEMS]
    _, scores = PairedTest(systems, {"BLEU": BLEU()}, [lines("ref")], test_type=test)()
    cells = column("sacrebleu", "pair", number)
    assert list(cells.values()) == [f"{result.p_value:.4f}" for result in scores["BLEU"][1:]]


def test_a_copy_is_significant_in_sacrebleu_alone():
    copies = [("A", lines("Danish")[:20]), ("B", lines("Danish")[:20])]
    for test, smallest in (("bs", "0.0010"), ("ar", "0.0001")):
        _, scores = PairedTest(copies, {"BLEU": BLEU()}, [lines("ref")[:20]], test_type=test)()
        assert f"{scores['BLEU'][1].p_value:.4f}" == smallest
        assert f"{smallest} with" in PAGES["sacrebleu"].replace("\n ", "")


def ngrams(words, n):
    return Counter(tuple(words[k : k + n]) for k in range(len(words) - n + 1))


def word_counts(output, reference, least=0):
    """Matches and n-grams of one to four words at spaces, and the lengths."""
    output, reference = output.split(" "), reference.split(" ")
    counts = []
    for n in range(1, 5):
        mine = ngrams(output, n)
        counts += [(mine & ngrams(reference, n)).total(), max(least, mine.total())]
    return [*counts, len(output), len(reference)]


def bleu(sums):
    """BLEU of sums of counts along the last axis."""
    *counts, n_output, n_reference = np.moveaxis(np.asarray(sums, float), -1, 0)
    precision = sum(np.log(counts[k] / counts[k + 1]) for k in (0, 2, 4, 6)) / 4
    return 100 * np.exp(precision + np.minimum(0, 1 - n_reference / n_output))


@pytest.fixture(scope="module")
def counts():
    """(systems, segments, counts), as compare-mt and MultEval count them."""
    reference = lines("ref")
    return {
        name: np.array(
            [word_counts(*pair, least=1) for pair in zip(lines(name), reference, strict=True)]
        )
        for name in (*SYSTEMS, *(f"{name}.{run}" for name in SYSTEMS[:2] for run in (2, 3)))
    }


def test_ours_beside_compare_mt(ours, counts, capsys):
    split = f"{TEXTS} --tokenize none"
    agree(column("compare-mt", "pair", 3), ours(f"{split} --test koehn --unit segment", "lose"))
    raw = f"{split} --correction none"
    agree(column("compare-mt", "pair", 4), ours(f"{raw} --unit segment"))
    agree(column("compare-mt", "pair", 5), ours(f"{raw} --docs docs.txt"))
    assert main(["score", *shlex.split(split), "--format", "json"]) == 0
    scores = json.loads(capsys.readouterr().out)["metrics"]["bleu"]["scores"]
    for pair, (theirs, mine, *_) in rows("compare-mt", "pair").items():
        names = pair.split(", ")
        assert theirs == ", ".join(f"{bleu(counts[name].sum(axis=0)):.4f}" for name in names)
        assert mine == ", ".join(f"{scores[name]:.4f}" for name in names)


def test_compare_mt_draws_half_of_the_segments_and_counts_wins(counts):
    rng = np.random.default_rng(0)
    drawn = rng.integers(300, size=(4000, 150))
    scores = {name: bleu(counts[name][drawn].sum(axis=1)) for name in SYSTEMS}
    for pair, cell in column("compare-mt", "pair", 2).items():
        first, second = (scores[name] for name in pair.split(", "))
        p = 1 - max((first > second).mean(), (first < second).mean())
        shown = np.mean(printed(cell))  # of three seeds
        assert abs(p - shown) < 4 * sqrt(p * (1 - p) * (1 / 4000 + 1 / 3000)) + 5e-4
    assert f"{1.645 * sqrt(2):.2f}" == "2.33" and round(erfc(1.645), 2) == 0.02  # two-sided level


def test_compare_mt_forgets_a_precision_of_zero():
    """Its BLEU of these files is 61.4788; sacreBLEU and mtsig smooth."""
    sums = np.sum([word_counts("a q c q e", "a b c d e", 1), word_counts("x y", "x y", 1)], axis=0)
    known = [log(match / n) for match, n in zip(sums[0:8:2], sums[1:8:2], strict=True) if match]
    forgotten = 100 * exp(sum(known) / 4)
    smoothed = BLEU(tokenize="none").corpus_score(["a q c q e", "x y"], [["a b c d e", "x y"]])
    assert (f"{forgotten:.1f}", f"{smoothed.score:.1f}") == ("61.5", "23.4")
    assert "gets BLEU 61.5 there,\n  and 23.4 in sacreBLEU" in PAGES["compare-mt"]


def test_ours_beside_multeval(ours):
    runs = [f"--run {name}={name}.{run}.txt" for name in SYSTEMS[:2] for run in (2, 3)]
    again = [f"--run {name}={name}.txt" for name in SYSTEMS[:2] for _ in range(2)]
    for number, units in ((1, "--unit segment"), (2, "--docs docs.txt")):
        shown = [
            ours(" ".join([TWO, "--tokenize none", units, *options]))["Spanish, Danish"]
            for options in ([], runs, again)
        ]
        assert list(column("multeval", "files", number).values()) == shown
    tokenized = ours(" ".join([TWO, "--docs docs.txt", *runs]))["Spanish, Danish"]
    assert f"p of these files is {tokenized} instead of {shown[1]}" in PAGES["multeval"]


def test_multeval_tosses_a_coin_for_each_segment_of_each_run(counts):
    of_runs = {
        name: np.stack([counts[name], *(counts[f"{name}.{run}"] for run in (2, 3))])
        for name in SYSTEMS[:2]
    }
    once = {name: runs[:1] for name, runs in of_runs.items()}
    again = {name: runs[[0, 0, 0]] for name, runs in of_runs.items()}
    rng = np.random.default_rng(0)
    for (_, cell), data in zip(
        column("multeval", "files", 0).items(), (once, of_runs, again), strict=True
    ):
        first, second = (data[name].reshape(-1, 10) for name in SYSTEMS[:2])
        coins = rng.integers(2, size=(4000, len(first)))
        gained = coins @ (second - first)
        swapped = np.abs(bleu(first.sum(0) + gained) - bleu(second.sum(0) - gained))
        observed = abs(bleu(first.sum(0)) - bleu(second.sum(0)))
        p = ((swapped > observed).sum() + 1) / 4001
        shown = np.mean(printed(cell))  # of two tries; the order of runs changes no sum
        assert abs(p - shown) < 4 * sqrt(shown * (1 - shown) * (1 / 4000 + 1 / 20_000))


def segment_scores():
    with open("scores.tsv", encoding="utf-8") as file:
        table = list(csv.DictReader(file, delimiter="\t"))
    return np.array(
        [[float(row["score"]) for row in table if row["system"] == name] for name in SYSTEMS]
    )


def test_ours_beside_comet_compare_and_mt_metrics_eval(ours):
    raw = f"{SCORES} --unit segment --correction none"
    agree(column("comet", "pair", 1), ours(f"{raw} --test t"))
    agree(column("comet", "pair", 3), ours(f"{SCORES} --test koehn --unit segment", "win"))
    permuted = ours(raw)
    agree(column("comet", "pair", 4), permuted)
    agree(column("mt-metrics-eval", "pair", 1), permuted)
    by_document = ours(SCORES)
    agree(column("comet", "pair", 5), by_document)
    agree(column("mt-metrics-eval", "pair", 2), by_document)
    adjusted = ours(SCORES, "p_adjusted")["Danish, Greek"]
    for peer in ("comet", "mt-metrics-eval"):
        assert f"{adjusted} for Danish and Greek" in PAGES[peer].replace("\n", " ")


def test_what_comet_compare_prints():
    scores = segment_scores().astype("float32")
    rng = np.random.default_rng(0)
    means = scores[:, rng.integers(300, size=(4000, 120))].mean(axis=2)
    for pair, (i, j) in PAIRS.items():
        t_test, _, wins, *_ = rows("comet", "pair")[pair]
        assert t_test == f"{scipy.stats.ttest_rel(scores[i], scores[j]).pvalue:.4f}"
        share = (means[i] - means[j] >= 0.001).mean()
        error = sqrt(share * (1 - share) * (1 / 4000 + 1 / 300))
        assert abs(share - float(wins)) < 4 * error + 1e-9
    assert f"{1 / sqrt(0.4):.2f}" == "1.58" and "1.58 times as much" in PAGES["comet"]


def one_sided_p(scores, n, rng):
    """p that the row is better than the column, as mt-metrics-eval counts."""
    signs = rng.integers(2, size=(n, scores.shape[1])) * 2 - 1
    swapped = signs @ scores.T
    sums = scores.sum(axis=1)
    reached = swapped[:, :, None] - swapped[:, None] >= (sums[:, None] - sums) - 1e-9
    return reached.mean(axis=0)


def test_what_mt_metrics_eval_prints():
    p = one_sided_p(segment_scores(), 4000, np.random.default_rng(0))
    for pair, cell in column("mt-metrics-eval", "pair", 0).items():
        shown = float(cell)
        error = sqrt(shown * (1 - shown) * (1 / 4000 + 1 / 100_000))
        assert abs(p[PAIRS[pair]] - shown) < 4 * error


@pytest.mark.long
def test_agreement_of_mt_metrics_eval():
    task = shared_task()
    human = np.array([task.scores["human"].by_system[name] for name in task.systems], float)
    is_rated = ~np.isnan(human).any(axis=0)
    human, reference = human[:, is_rated], task.references["ref1"]
    metric = CHRF()
    chrf = np.array(
        [
            [
                metric.sentence_score(texts[k], [reference[k]]).score
                for k in np.flatnonzero(is_rated)
            ]
            for texts in task.systems.values()
        ]
    )
    both = {"human": human, "chrf-segment": chrf}
    scores = {
        name: SegmentScores(
            {system: list(row) for system, row in zip(task.systems, values, strict=True)}
        )
        for name, values in both.items()
    }
    empty = {name: [None] * len(human[0]) for name in task.systems}
    testset = TestSet("task", empty, {}, scores=scores)
    (row,) = agreement(testset, "human", unit="segment", resamples=50).metrics
    table = rows("mt-metrics-eval", "measure")
    (theirs, mine), (soft_theirs, soft_mine) = table.values()
    assert mine == theirs == f"{row.pairwise_accuracy:.3f}"
    assert soft_mine == f"{row.soft_pairwise_accuracy:.3f}" and len(human[0]) == 269
    rng = np.random.default_rng(0)
    upper = np.triu_indices(12, 1)
    p, q = (one_sided_p(values, 1000, rng)[upper] for values in both.values())
    assert abs(1 - np.abs(p - q).mean() - np.mean(printed(soft_theirs))) < 0.006
    i, j = upper
    order = np.sign(human.mean(1)[i] - human.mean(1)[j]) == np.sign(
        chrf.mean(1)[i] - chrf.mean(1)[j]
    )
    assert f"{order.mean():.3f}" == theirs


LOCAL = [
    (peer, command)
    for peer in PEERS
    for command in re.findall(r"^mtsig ((?:compare|agreement|pair) .+)$", PAGES[peer], re.M)
    if "--folder" not in command and "--scorer" not in command  # a download, or a model
]


def test_the_commands_of_the_pages_run(capsys):
    """As they are on the pages; the table of COMET is as comet-score writes it."""
    scored = {
        f"{name}.txt": [{"COMET": score} for score in scores]
        for name, scores in zip(SYSTEMS, segment_scores().tolist(), strict=True)
    }
    with open("comet.json", "w", encoding="utf-8") as file:
        json.dump(scored, file)
    assert {peer for peer, _ in LOCAL} == set(PEERS)
    for _, command in LOCAL:
        assert main([*shlex.split(command), "--trials", "99"]) == 0, capsys.readouterr().err
        assert "Spanish" in capsys.readouterr().out or "--demo-task" in command
