"""The Sampling page without a browser."""

import json
import re

import pytest

from mtsig_core.cli.main import main
from mtsig_core.experiments.sampling import sampling
from mtsig_core.report.cells import rounded
from mtsig_core.report.experiment_tables import describe_whole
from mtsig_core.source import Source
from tests.pages.toys import NAMES, arguments, copied, sentences, words, write, written


@pytest.fixture
def source(tmp_path):
    ref = sentences(103)
    worse = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    mixed = [text.replace("small test", "big") if k < 40 else text for k, text in enumerate(ref)]
    return written(tmp_path, ref, (worse, mixed, ref), [f"d{k // 4}" for k in range(103)])


@pytest.fixture
def open_page(opened):
    return lambda source, **query: opened("sampling", source, **query)


def test_ranges_hits_and_conclusions_are_those_of_the_core(open_page, source):
    page = open_page(source, system=NAMES[0], a=NAMES[0], b=NAMES[1], seed="3")
    assert not page.exception and len(page.get("plotly_chart")) == 5
    blocks, broad = (sampling(source.read(), "bleu", kind, size=10, seed=3) for kind in ("blocks", "broad"))
    for one in (blocks.system(NAMES[0]), broad.system(NAMES[0])):
        assert "{:.2f} to {:.2f}<".format(*one.range) in words(page) and f"SD {rounded(one.sd)}<" in words(page)
    ratio = blocks.system(NAMES[0]).sd / broad.system(NAMES[0]).sd
    assert f">{ratio:.1f}<" in words(page) and f">{ratio:.2f} [" in words(page)
    assert (f"Blocks: {blocks.system(NAMES[0]).hits.sum()} of 10; broad samples: {broad.system(NAMES[0]).hits.sum()} "
            "of 10<") in words(page)
    ends = "blocks {:.0f} to {:.0f}%, ".format(*(100 * end for end in blocks.system(NAMES[0]).hit_interval))
    assert any(f"being alike: {ends}broad samples " in e.value for e in page.caption)
    tally = broad.pair(*NAMES[:2]).tally("koehn")
    decided = describe_whole(broad.pair(*NAMES[:2]).whole_p, 0.05, broad.whole_units)
    assert (f"on the whole test set ({decided}): {tally.right} of 10 broad samples conclude so, {tally.wrong} the "
            f"opposite, {tally.none} nothing<") in words(page)
    assert "as the whole set" in words(page) and ">right<" not in words(page) and ">wrong<" not in words(page)
    assert any("no more than a larger sample" in e.value for e in page.caption)
    assert "Koehn 2004:" not in words(page)
    assert any("The last 3 segments are in no sample" in e.value for e in page.caption)


def test_the_commands_print_the_numbers_on_screen(open_page, source, capsys):
    page = open_page(source, system=NAMES[1], size="20", shuffle="true", seed="2")
    command = next(line for line in copied(page) if "sample blocks" in line)
    for line, kind in zip(command.splitlines(), ("blocks", "broad"), strict=True):
        assert main(arguments(line)) == 0
        data = json.loads(capsys.readouterr().out)
        summary = data["metrics"]["bleu"]["summary"][NAMES[1]]
        assert data["settings"]["shuffled"] and data["settings"]["kind"] == kind
        assert f"{summary['lowest']:.2f} to {summary['highest']:.2f}<" in words(page)


def test_shuffled_samples_are_shown_beside_those_before(open_page, source):
    page = open_page(source, system=NAMES[1], size="20", seed="2", shuffle="true")
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    blocks, shuffled = (sampling(source.read(), "bleu", "blocks", size=20, seed=2, shuffle=shuffle).system(NAMES[1])
                        for shuffle in (False, True))
    assert [trace["marker"]["symbol"] for trace in figure["data"]] == ["circle-open", "circle"] + [
        "circle-open", "diamond"]
    assert f"SD {rounded(shuffled.sd)}; before the shuffle {rounded(blocks.sd)}<" in words(page)
    page.toggle(key="shuffle").set_value(False).run()
    plain = json.loads(page.get("plotly_chart")[0].proto.spec)
    low, high = figure["layout"]["xaxis"]["range"]
    assert low <= plain["layout"]["xaxis"]["range"][0] < plain["layout"]["xaxis"]["range"][1] <= high
    assert "before the shuffle" not in words(page)


def test_the_ratios_of_all_sizes_are_those_of_the_command(open_page, source, capsys):
    page = open_page(source, system=NAMES[0], shuffle="true", seed="4", alpha="0.1")
    assert main(arguments(next(line for line in copied(page) if "sample spread" in line))) == 0
    one = json.loads(capsys.readouterr().out)["metrics"]["bleu"]
    mine = [row for row in one["rows"] if row["system"] == NAMES[0]]
    assert [row["size"] for row in mine] == [10, 20] == [row["size"] for row in one["ratios"]]
    for row, ratios in zip(mine, one["ratios"], strict=True):
        assert (f"<td>{rounded(row['blocks'])}</td><td>{rounded(row['broad'])}</td>"
                f"<td>{row['ratio']:.2f} [{row['ratio_low']:.2f}, {row['ratio_high']:.2f}]</td>"
                f"<td>{ratios['median']:.2f}</td>") in words(page)
    assert re.search(r"the median of 2 systems \(from [.0-9]+ to [.0-9]+\), (none|[12]) of which ha(s|ve) an interval "
                     "without 1<", words(page))  # the third system says what the reference says: no spread


def test_enough_for_samples_but_not_for_their_spread(open_page, tmp_path):
    ref = sentences(30)
    out = [text.replace("sentence", "word") if k % 3 else text for k, text in enumerate(ref)]
    page = open_page(written(tmp_path, ref, (out, ref), names="AB"))
    assert not page.exception and len(page.get("plotly_chart")) == 4
    assert "30 segments give no 5 samples of 10" in words(page)


def test_a_positive_difference_is_an_improvement_also_for_ter(open_page, source):
    page = open_page(source, metric="ter", a=NAMES[2], b=NAMES[0])
    assert ">$x$ **b** :material/home: is the better on the whole test set (" in words(page)
    drawn = json.loads(page.get("plotly_chart")[2].proto.spec)
    assert any(trace.get("name", "").startswith("whole test set, +") for trace in drawn["data"])


def test_a_system_is_not_called_better_where_the_whole_test_set_leaves_it_open(open_page, source):
    said = words(open_page(source, alpha="0.001"))
    assert "is ahead on the whole test set (itself undecided, p 0.0040 from 999 swaps)" in said
    assert "is the better" not in said


def test_small_scores_are_no_tie(open_page, tmp_path):
    lines = [f"{1e-6 + k * 1e-8:.6g}\t{1e-6 + k * 1e-8 - 5e-10:.6g}" for k in range(50)]
    page = open_page(Source(scores=(("m", write(tmp_path / "m.tsv", ["a\tb", *lines])),)))
    assert "a is the better on the whole test set (decided, p 0.0010 from 999 swaps)" in words(page)


def test_a_score_without_any_spread(open_page, source):
    page = open_page(source, system=NAMES[2])
    assert not page.exception and "100.00 to 100.00<" in words(page) and ">-<" in words(page)


def test_two_without_a_common_line(open_page, tmp_path):
    lines = ["system\tline\tscore"]
    lines += [f"{'AB'[k >= 60]}\t{k + 1}\t{k % 7}" for k in range(120)]
    page = open_page(Source(scores=(("human", write(tmp_path / "human.tsv", lines)),)), a="A", b="B")
    assert not page.exception and "A and B have no line in common" in words(page)
    assert "How much wider do blocks spread?" in [e.value for e in page.subheader]


@pytest.mark.parametrize("n, said, figures", [
    (3, "Two samples of 2 segments need 4, and there are 3. Use a larger test set", 0),
    (12, "12 segments give no 5 samples of 10", 2)])
def test_too_few_segments(open_page, tmp_path, n, said, figures):
    page = open_page(written(tmp_path, ["a b c d e"] * n, [["a b c d x"] * n], names="A"))
    assert not page.exception and said in words(page) and len(page.get("plotly_chart")) == figures


@pytest.mark.slow
def test_the_published_ranges_on_the_demonstration(open_page):
    page = open_page(Source(demo=30_000), system="Spanish", a="Spanish", b="Danish")
    assert not page.exception and "Koehn 2004: 21 to 37<" in words(page) and "(Koehn 2004: 97)" in words(page)
    assert "<td>65</td><td>0</td><td>35</td>" in words(page)
    page.toggle(key="shuffle").set_value(True).run()
    assert "Koehn 2004:" not in words(page) and "shuffled" in words(page)
