"""The Summary page without a browser."""

import html
import json
import re
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
import streamlit as st

from mtsig_core import compare
from mtsig_core.cli.main import main
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.report.latex import escape as escape_in_latex
from mtsig_core.report.sentences import pick_verdict_cautions, state_answer
from mtsig_core.stats.ranks import find_top_group
from tests.builders.markup import methods
from tests.builders.screens import (
    NAMES,
    answers,
    arguments,
    captions,
    copied,
    find_command,
    frame_rows,
    labelled,
    replace_in_some,
    sentences,
    words,
    write,
    write_ratings,
    written,
)

DOCUMENTS = [f"d{k // 2}" for k in range(40)]


@pytest.fixture
def source(tmp_path):
    """Three systems, each worse than the one before it, on documents of two segments."""
    ref = sentences(40)
    worse = [text.replace("sentence", "word") for text in ref]
    worst = [text.replace("the small test", "a big") for text in worse]
    return written(tmp_path, ref, (ref, worse, worst), DOCUMENTS)


@pytest.fixture
def app(opened):
    """The page Summary, started on a source (or on nothing) with a data root (or none)."""

    def start(*arguments, **controls):
        page = opened("summary", *arguments, **controls)
        return page

    return start


@pytest.fixture
def link(app, source):
    """Open a link to the page on the three systems."""

    def start(source=source, **controls):
        return app(source, **controls)

    return start


@pytest.fixture
def two_references(source, tmp_path):
    texts = [f"this was sentence {k} of that small test set" for k in range(40)]
    file = write(tmp_path / "other.txt", texts)
    return replace(source, ref=(*source.ref, ("second <b>", file)), refs=("ref",))


def explain_few_documents(source):
    """The words of the caveat that documents are few."""
    cautions = compare(source.read(), trials=99).warnings
    return next(caution.finding for caution in cautions if caution.code == "few-units")


def list_titles(page):
    return [title.value for title in page.subheader]


def click(page, label):
    labelled(page.button, label).click().run()


def read_figure(page):
    return json.loads(page.get("plotly_chart")[0].proto.spec)


def test_names_the_leader_and_shows_every_system(app, source):
    text = words(app(source))
    assert "is significantly better than the other 2 systems" in text
    assert text.count("<tr>") >= 4
    assert "40 segments · 20 documents · 3 systems" in text
    assert explain_few_documents(source) in text


def test_a_single_system_has_no_rank_and_no_pairs(app, source):
    page = app(replace(source, only=(NAMES[0],)))
    assert "The interval is for the score of this system." in captions(page)
    assert "Blue" not in captions(page)
    for absent in ("<td>1</td>", "0 pairs", " permutations"):
        assert absent not in words(page)


def test_a_mistake_is_a_message_and_the_rest_stays_alive(app, source):
    Path(source.system[1][1]).write_text("one line\n")
    page = app(source)
    assert "has 1 line" in words(page)
    assert "40" in words(page)
    assert page.selectbox(key="test")


def test_a_changed_file_is_read_again(app, source):
    before = words(app(source))
    write(Path(source.system[2][1]), ["nothing right here" for _ in range(40)])
    assert words(app(source)) != before


def test_folders_below_the_data_root_are_offered_and_none_outside(app, tmp_path):
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    lines = ["a b c d" for _ in range(40)]
    for task in (outside, root / "deep" / "task", root / "wmt23" / "txt"):
        write(task / "references" / "en-de.refA.txt", lines)
        for name in ("x", "y"):
            write(task / "system-outputs" / "en-de" / f"{name}.txt", lines)
    (root / "link").symlink_to(outside)
    page = app(root=root)
    options = page.selectbox(key="testset").options
    assert options[:3] == ["deep/task/en-de", "wmt23/en-de", "simulated shared task"]
    assert "x and y have identical outputs" in words(page)


class TestWhoTakesPart:
    def test_a_system_left_out_comes_back(self, link):
        page = link(exclude=[NAMES[1]], **{f"reason.{NAMES[1]}": "sent <i>late</i>"})
        assert "2 systems" in words(page)
        assert " · 1 system excluded<br>" in words(page)
        assert "Excluded" in [tab.label for tab in page.tabs]
        assert "corrected for 1 pairs instead of 3" in captions(page)
        assert page.text_input(key=f"reason.{NAMES[1]}").value == "sent <i>late</i>"
        page.button(key=f"summary.back.{NAMES[1]}").click().run()
        page.switch_page("pages/summary.py").run()
        assert "3 systems" in words(page)

    def test_a_reason_is_asked_for(self, link):
        page = link(exclude=[*NAMES[:2]], **{f"reason.{NAMES[1]}": "late"})
        assert f"Excluded without a reason: {escape(NAMES[0])}. Give a reason" in words(page)
        page.text_input(key=f"reason.{NAMES[0]}").set_value("early").run()
        assert "without a reason" not in words(page)

    def test_a_reference_may_score_stand_aside_or_take_part(self, link, two_references):
        text = words(link(two_references))
        for shows in ("scored with ref", "3 systems", "not ranked", "HUMAN-second &lt;b&gt;"):
            assert shows in text
        assert "HUMAN-ref<" in text
        text = words(link(two_references, humans="true"))
        assert "4 systems" in text
        assert "not ranked" not in text
        text = words(link(two_references, refs=["ref", "second <b>"]))
        assert "scored with ref, second &lt;b&gt;" in text

    def test_a_reference_that_stands_aside_has_scores(self, link, two_references):
        page = link(two_references, metrics=["chrf", "ter"])
        head, *rows = frame_rows(page.dataframe[0])
        rows = [dict(zip(head, row, strict=True)) for row in rows]
        rank = head[0]
        human = next(row for row in rows if row[rank] == "not ranked")
        assert 0 < float(human["chrF ↑"]) < 100
        assert 0 < float(human["TER ↓"]) < 100
        assert rows[-1][rank] == "scores others"
        assert rows[-1]["TER ↓"] == "-"

    def test_the_command_says_all_of_it(self, link, two_references, print_json):
        page = link(two_references, humans="true", exclude=[NAMES[1]], baseline="HUMAN-second <b>")
        text = words(page)
        assert "Against HUMAN-second &lt;b&gt;:" in text
        assert "vs baseline" in text
        command = find_command(page, "")
        printed = print_json(command)
        assert printed["settings"]["baseline"] == "HUMAN-second <b>"
        assert printed["testset"]["systems"] == [NAMES[0], NAMES[2], "HUMAN-second <b>"]
        for row in printed["metrics"]["bleu"]["systems"]:
            assert f"{row['score']:.2f}" in text

    def test_no_reference_is_no_score(self, link, two_references):
        page = link(two_references)
        page.multiselect(key="refs").set_value([]).run()
        page.switch_page("pages/summary.py").run()
        assert "No reference to score with" in words(page)


def test_a_link_that_asks_for_what_is_not_there_says_so(opened, source):
    page = opened(None, source, metric="<b>nonsense", trials="12", exclude=["nobody"])
    text = words(page.run())
    for shows in ("metric=&lt;b&gt;nonsense", "trials=12", "exclude=nobody"):
        assert shows in text
    assert "9,999 permutations" in text
    assert "3 systems" in text


def test_further_metrics_stand_beside_and_where_they_disagree(link, opened, source, capsys):
    page = link(metrics=["chrf", "ter"])
    text = words(page)
    assert "<th>chrF ↑</th>" in text
    assert "<th>TER ↓</th>" in text
    assert "Do the metrics agree?" in list_titles(page)
    assert "BLEU, chrF and TER agree on" in text
    assert "of 3 pairs" in text
    assert "metrics=" not in text
    command = next(line for line in copied(page) if "bleu,chrf,ter" in line)
    assert main(arguments(command)) == 0
    _, _, printed = capsys.readouterr().out.partition("Row against column by BLEU, chrF, TER")
    signs = re.findall(r"(?<!\S)[<>~]{3}(?!\S)", printed)
    cells = re.findall(r"<td>((?:&lt;|&gt;|~){3})</td>", text)
    assert len(signs) == 6
    assert signs == [html.unescape(cell) for cell in cells]
    page = opened(None, source, metrics=["nonsense"])
    page.switch_page("pages/summary.py").run()
    assert "Do the metrics agree?" not in list_titles(page)


def test_human_scores_stand_beside_without_being_asked_for(link, source, tmp_path):
    levels = zip(NAMES, (90, 60, 30), strict=True)
    ratings = {name: [level + k % 3 for k in range(40)] for name, level in levels}
    page = link(replace(source, scores=(("human", write_ratings(tmp_path / "h.tsv", ratings)),)))
    assert "human scores and BLEU agree on 3 of 3 pairs" in words(page)
    assert "&gt;&gt;" in words(page)


class TestLeadersByReference:
    @pytest.fixture
    def disagreeing(self, tmp_path):
        """The first system says nearly what one reference says, the second what another does."""
        ref = sentences(40)
        second = [f"sample {k} was made for all that we try here and there" for k in range(40)]
        like_ref = [text.replace("small", "big") for text in ref]
        like_second = [text.replace("try", "do") for text in second]
        nothing = ["nothing" for _ in range(40)]
        source = written(tmp_path, ref, (like_ref, like_second, nothing), DOCUMENTS)
        file = write(tmp_path / "other.txt", second)
        return replace(source, ref=(*source.ref, ("second <b>", file)))

    def test_stand_below_the_warning_that_they_differ(self, link, disagreeing):
        text = words(link(disagreeing))
        rows = re.findall(r"<tr><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", text)
        references, leaders, comparisons = zip(*rows, strict=True)
        assert references == ("all together", "only ref", "only second &lt;b&gt;")
        assert [html.unescape(leader) for leader in leaders[1:]] == [
            f"{name} is significantly better than the other 2 systems" for name in NAMES[:2]
        ]
        assert comparisons[0] == ""
        assert "differs" in comparisons[1:]
        warning = text.index("The references do not agree on the top group by BLEU")
        assert warning < text.index("against all together")

    @pytest.mark.long
    @pytest.mark.parametrize(
        "controls",
        [{"refs": ["ref"]}, {"refs": ["ref"], "humans": "true"}, {"baseline": NAMES[2]}],
    )
    def test_one_reference_has_none(self, link, disagreeing, controls):
        text = words(link(disagreeing, **controls))
        assert "references do not agree" not in text
        assert "leaders by reference" not in text


def test_the_figure_shows_the_verdict_in_its_title_and_its_colours(app, source):
    figure = read_figure(app(source))
    traces = figure["data"]
    comparison = compare(source.read())
    result = comparison.metrics["bleu"]
    title = html.unescape(figure["layout"]["title"]["text"].replace("<br>", ""))
    assert title[:60] in state_answer(comparison, "bleu")
    assert [trace["name"] for trace in traces[:2]] == ["95% CI for all 3 pairs together", "95% CI"]
    top = next(trace for trace in traces if trace["name"] == "top group")
    systems = [result.systems[k].system for k, _ in top["customdata"]]
    assert systems == list(find_top_group(result))
    pair = result.pairs[0]
    assert traces[0]["x"][:2] == sorted([-pair.ci_joint_low, -pair.ci_joint_high])


def test_a_caveat_has_a_button_that_mends_it(app, source):
    page = app(replace(source, docs=None))
    caveat = CAUTION_KINDS["no-documents"].general
    assert caveat in words(page)
    click(page, "Use blocks")
    assert caveat not in words(page)
    click(page, "Add chrF")
    assert page.multiselect(key="metrics").value == ["chrf"]


def test_caveats_that_are_only_in_their_tab_are_counted_below_the_figure(app, tmp_path):
    ref = sentences(40)
    longer = [f"other {text}" for text in ref]
    with_gap = [*ref[:20], "", *ref[21:]]
    text = words(app(written(tmp_path, ref, (ref, longer, with_gap), None)))
    assert text.count("has 1 empty segment of 40") == 1
    assert text.count(CAUTION_KINDS["no-documents"].general) == 2
    assert text.count("mt-caution") == 3 + 8
    assert "5 more caveats under All caveats." in text


def test_the_report_is_one_page_with_verdict_caveats_and_method(app, source):
    page = app(source, view="report")
    text = words(page)
    assert 'class="mt-report"' in text
    assert not page.get("tab")
    assert explain_few_documents(source) in text
    assert "We compared 3 systems" in text
    assert "Result and method" in list_titles(page)
    assert "The two best scores: " in text
    assert "Only BLEU was used." in text
    assert "In the sidebar" not in text
    page.button(key="report.back").click().run()
    assert 'class="mt-report"' not in words(page)
    assert page.get("tab")


def test_the_report_has_all_that_the_page_shows(app, source):
    controls = {"metrics": ["chrf", "ter"], "exclude": [NAMES[2]], f"reason.{NAMES[2]}": "late"}
    page = app(source, **controls)
    report = app(source, view="report", **controls)
    assert answers(report) == answers(page)
    assert "By BLEU, chrF and TER: " in answers(page)[0]
    text = words(report)
    assert "Only BLEU was used." not in text
    assert "late" in text
    cells = {cell for frame in page.dataframe for row in frame_rows(frame) for cell in row}
    assert [cell for cell in cells if escape(cell) not in text] == []
    assert list_titles(report).count("Result and method") == 1
    assert len(report.get("plotly_chart")) == len(page.get("plotly_chart")) == 2


@pytest.mark.parametrize("controls", [{}, {"baseline": NAMES[0]}, {"baseline": NAMES[1]}])
def test_tile_figure_and_table_have_one_sign(app, source, controls):
    page = app(replace(source, only=tuple(NAMES[:2])), **controls)
    tile = re.search(r'Difference in BLEU</div><div class="mt-number">([-+][\d.]+)<', words(page))
    headline = tile.group(1)
    traces = [trace for trace in read_figure(page)["data"] if trace.get("mode") == "markers"]
    [point] = [x for trace in traces for x in trace["x"]]
    cells = set()
    for row in frame_rows(page.dataframe[-1])[1:]:
        cells |= {cell.split(" ")[0] for cell in row if re.match(r"[-+]\d", cell)}
    assert f"{point:+.2f}" == headline
    assert cells == {headline}


def test_the_headline_speaks_of_a_metric_as_soon_as_it_is_chosen(app, tmp_path):
    ref = sentences(40)
    longer = [f"{text} by far" if k % 2 else text for k, text in enumerate(ref)]
    plural = [text.replace("number", "numbers") for text in ref]
    page = app(written(tmp_path, ref, (longer, plural), DOCUMENTS, names=NAMES[:2]))
    assert "chrF" not in answers(page)[0]
    click(page, "Add chrF")
    assert "chrF" in answers(page)[0]
    assert "chrF" in read_figure(page)["layout"]["title"]["text"]
    page.multiselect(key="metrics").set_value([]).run()
    assert "chrF" not in answers(page)[0]


def test_files_have_the_caveats_that_the_page_shows(app, source, monkeypatch):
    files = {}

    def keep_file(_label, data, name, *_, **_options):
        _, _, ending = name.rpartition(".")
        files[ending] = data() if callable(data) else data

    monkeypatch.setattr(st, "download_button", keep_file)
    page = app(source)
    cautions = pick_verdict_cautions(compare(source.read()), "bleu")
    caveats = [caution.finding for caution in cautions]
    assert "Only BLEU was used. Another metric may give a different result." in caveats
    assert explain_few_documents(source) in caveats
    pictures = [" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", files["svg"]))]
    for chart in page.get("plotly_chart"):
        notes = json.loads(chart.proto.spec)["layout"]["annotations"]
        pictures.append(" ".join(note["text"].replace("<br>", " ") for note in notes))
    # Lines may break a name.
    pictures = ["".join(html.unescape(text).split()) for text in pictures]
    for caveat in caveats:
        assert escape(caveat) in words(page)
        letters = "".join(caveat.split())
        assert [text for text in pictures if letters not in text] == [], caveat
        in_latex = " ".join(map(escape_in_latex, caveat.split(" ")))
        assert all(in_latex in text for text in methods(files["tex"]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("controls", "is_joint"),
    [
        ({"unit": "document"}, True),
        ({"unit": "segment"}, False),
        ({"test": "riezler-maxwell"}, False),
    ],
)
def test_the_caption_claims_joint_decisions_only_where_the_test_keeps_its_level(
    app, source, controls, is_joint
):
    told = captions(app(source, **controls))
    assert "Use the test" in told
    assert ("Use the test, which covers all pairs together" in told) is is_joint


def test_training_runs(opened, tmp_path):
    """The spread between runs stands right of the score; a page that does not know runs says so."""
    ref = sentences(40)
    first = replace_in_some(ref, 4, "sentence", "x")
    again = replace_in_some(ref, 3, "small", "x")
    second = replace_in_some(ref, 2, "test", "x")
    source = written(tmp_path, ref, (first, second), names=NAMES[:2])
    source = replace(source, run=((NAMES[0], write(tmp_path / "again.txt", again)),))
    page = opened("summary", source)
    [sd] = [row.sd for row in compare(source.read()).metrics["bleu"].runs if row.sd is not None]
    for said in ("SD between runs", f"{sd:.2f}", "has a single training run"):
        assert said in words(page)
    assert "cannot show training runs" in words(opened("inside", source))


def test_to_leave_out_every_system_is_said(app, source):
    page = app(source, exclude=list(NAMES))
    assert "Every system is excluded. Keep one under Systems and segments" in words(page)
    assert page.multiselect(key="exclude").value == list(NAMES)


@pytest.mark.parametrize("page_name", ["summary", "pairs", "pair"])
def test_lines_in_another_order_stand_beside_each_verdict(opened, tmp_path, page_name):
    ref = [f"{text} {'and so on ' * (k * k % 7)}" for k, text in enumerate(sentences(60))]
    good = [text.replace("small", "tiny") for text in ref]
    moved = ref[20:] + ref[:20]
    page = opened(page_name, written(tmp_path, ref, (good, moved), names=("good", "odd")))
    sentence = "The lines of odd do not follow the order of reference ref"
    n_in_tabs = sum(words(tab).count(sentence) for tab in page.tabs)
    assert words(page).count(sentence) - n_in_tabs == 1
