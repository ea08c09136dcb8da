"""The Sampling page without a browser."""

import json
import re

import pytest

from mtsig_core.experiments.sampling import sampling, spreads
from mtsig_core.report.experiment_tables import describe_whole, spread_table, tally_table
from mtsig_core.report.table import rounded
from mtsig_core.source import Source
from tests.builders.screens import (
    NAMES,
    all_copied,
    replace_in_most,
    sentences,
    shows,
    words,
    write,
    written,
)

NAMES_OF = {"blocks": "blocks", "broad": "broad samples"}


@pytest.fixture
def source(tmp_path):
    ref = sentences(103)
    worse = replace_in_most(ref, 3, "sentence", "word")
    mixed = [text.replace("small test", "big") for text in ref[:40]] + ref[40:]
    return written(tmp_path, ref, (worse, mixed, ref), [f"d{k // 4}" for k in range(103)])


@pytest.fixture
def open_page(opened, source):
    return lambda source, **query: opened("sampling", source, **query)


def test_ranges_hits_and_conclusions_are_those_of_the_core(source, open_page):
    asked = {"system": NAMES[0], "a": NAMES[0], "b": NAMES[1], "seed": "3"}
    page = open_page(source, **asked)
    assert len(page.get("plotly_chart")) == 3
    samples = {
        kind: sampling(source.read(), "bleu", kind, size=10, seed=3) for kind in ("blocks", "broad")
    }
    blocks, broad = (found.system(NAMES[0]) for found in samples.values())
    for system in (blocks, broad):
        low, high = system.range
        assert f"{low:.2f} to {high:.2f}<" in words(page)
        assert f"SD {rounded(system.sd)}<" in words(page)
    assert f">{blocks.sd / broad.sd:.1f}<" in words(page)
    hits = f"{blocks.hits.sum()} of 10 blocks and {broad.hits.sum()} of 10 broad samples<"
    assert f"of {hits}" in words(page)
    assert any("The last 3 segments are in no sample" in caption.help for caption in page.caption)
    page = open_page(source, **asked, tab="What each sample concludes")
    assert len(page.get("plotly_chart")) == 3
    by_name = {NAMES_OF[kind]: found for kind, found in samples.items()}
    assert shows(page, tally_table(by_name, *NAMES[:2], 0.05))
    whole = samples["broad"]
    told = describe_whole(whole.pair(*NAMES[:2]).whole_p, 0.05, whole.whole_units)
    assert f"The whole test set: {told}." in words(page)


def test_shuffled_samples_are_shown_beside_those_before(source, open_page):
    page = open_page(source, system=NAMES[1], size="20", seed="2", shuffle="true")
    figure = json.loads(page.get("plotly_chart")[0].proto.spec)
    blocks, shuffled = (
        sampling(source.read(), "bleu", "blocks", size=20, seed=2, shuffle=shuffle).system(NAMES[1])
        for shuffle in (False, True)
    )
    symbols = [trace["marker"]["symbol"] for trace in figure["data"]]
    assert symbols == ["circle-open", "circle", "circle-open", "diamond"]
    told = f"SD {rounded(shuffled.sd)}; before the shuffle {rounded(blocks.sd)}<"
    assert told in words(page)
    page.toggle(key="shuffle").set_value(False).run()
    plain = json.loads(page.get("plotly_chart")[0].proto.spec)
    low, high = figure["layout"]["xaxis"]["range"]
    plain_low, plain_high = plain["layout"]["xaxis"]["range"]
    assert low <= plain_low < plain_high <= high
    assert "before the shuffle" not in words(page)


def test_the_ratios_of_all_sizes_are_those_of_the_core(open_page, source):
    page = open_page(
        source, system=NAMES[0], shuffle="true", seed="4", alpha="0.1", tab="All sizes"
    )
    found = spreads(source.read(), "bleu", shuffle=True, seed=4, alpha=0.1)
    assert shows(page, spread_table(found, NAMES[0]))
    assert "sample spread" in all_copied(page)
    assert re.search(
        r"\(median of 2 systems, [.0-9]+ to [.0-9]+\). For (none|[12]) of them the interval excludes 1<",
        words(page),
    )  # the third system says what the reference says: no spread


def test_a_positive_difference_is_an_improvement_also_for_ter(open_page, source):
    page = open_page(source, metric="ter", a=NAMES[2], b=NAMES[0], tab="What each sample concludes")
    assert ">$x$ **b** :material/home: is significantly better than " in words(page)
    drawn = json.loads(page.get("plotly_chart")[1].proto.spec)
    assert any(trace.get("name", "").startswith("whole test set, +") for trace in drawn["data"])


def test_a_system_is_not_called_better_where_the_whole_test_set_leaves_it_open(open_page, source):
    said = words(open_page(source, alpha="0.001", tab="What each sample concludes"))
    assert "on the whole test set, not significantly." in said
    assert "The whole test set: not significant, p = 0.0040 from 999 permutations." in said


def test_a_score_without_any_spread(open_page, source):
    page = open_page(source, system=NAMES[2])
    assert "100.00 to 100.00<" in words(page)
    assert ">-<" in words(page)


def test_two_without_a_common_line(open_page, tmp_path):
    lines = ["system\tline\tscore"]
    lines += [f"{'AB'[k >= 60]}\t{k + 1}\t{k % 7}" for k in range(120)]
    page = open_page(
        Source(scores=(("human", write(tmp_path / "human.tsv", lines)),)),
        a="A",
        b="B",
        tab="What each sample concludes",
    )
    assert "A and B have no scored segment in common" in words(page)


@pytest.mark.parametrize(
    "n, said, figures",
    [
        (3, "Two samples of 2 segments need 4, and there are 3. Use a larger test set", 0),
        (12, "Too few segments for 5 samples of 10, which a spread takes: 12", 1),
    ],
)
def test_too_few_segments(tmp_path, n, said, figures, open_page):
    source = written(tmp_path, ["a b c d e"] * n, [["a b c d x"] * n], names="A")
    page = open_page(source, tab="All sizes")
    assert said in words(page)
    assert len(page.get("plotly_chart")) == figures
