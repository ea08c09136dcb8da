"""The Summary page without a browser."""

import dataclasses
import html
import json
import re
from functools import partial
from html import escape
from pathlib import Path

import pytest
import streamlit as st

from mtsig_core import compare
from mtsig_core.cli.main import main
from mtsig_core.report.caution_kinds import CAUTION_KINDS
from mtsig_core.report.latex import escape as escape_in_latex
from mtsig_core.report.sentences import pick_verdict_caveats, state_answer
from mtsig_core.source import Source
from mtsig_core.stats.ranks import find_top_group
from tests.builders.markup import methods
from tests.builders.screens import (
    NAMES,
    answers,
    arguments,
    copied,
    frame_rows,
    sentences,
    words,
    write,
    written,
)


@pytest.fixture
def source(tmp_path):
    ref = sentences(40)
    worse = [text.replace("sentence", "word") for text in ref]
    worst = [text.replace("the small test", "a big") for text in worse]
    return written(tmp_path, ref, (ref, worse, worst), [f"d{k // 2}" for k in range(40)])


@pytest.fixture
def app(opened):
    """The Leaderboard, started on a source (or on nothing) with a data root (or none)."""
    return partial(opened, "summary")


def few_units(source):
    """The words of its caveat that documents are few."""
    return next(
        one.finding for one in compare(source.read(), trials=99).warnings if one.code == "few-units"
    )


def test_names_the_leader_and_shows_every_system(app, source):
    page = app(source)
    assert not page.exception
    said = words(page)
    assert "is significantly better than the other 2 systems" in said or "Top group: " in said
    assert said.count("<tr>") >= 4
    assert "40 segments · 20 documents · 3 systems" in said
    assert few_units(source) in said


def test_a_single_system_has_no_rank_and_no_pairs(app, source):
    page = app(dataclasses.replace(source, only=(NAMES[0],)))
    said, captions = words(page), " ".join(caption.value for caption in page.caption)
    assert "The interval is for the score of this system." in captions and "Blue" not in captions
    assert (
        not page.exception
        and "<td>1</td>" not in said
        and "0 pairs" not in said
        and " permutations" not in said
    )


def test_a_mistake_is_a_message_and_the_rest_stays_alive(app, source):
    Path(source.system[1][1]).write_text("one line\n")
    page = app(source)
    assert not page.exception
    assert "has 1 line" in words(page) and "40" in words(page)
    assert page.selectbox(key="test")


def test_a_changed_file_is_read_again(app, source):
    before = words(app(source))
    write(Path(source.system[2][1]), ["nothing right here"] * 40)
    assert words(app(source)) != before


def test_folders_below_the_data_root_are_offered_and_none_outside(app, source, tmp_path):
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    for task in (outside, root / "deep" / "task", root / "wmt23" / "txt"):
        write(task / "references" / "en-de.refA.txt", ["a b c d"] * 40)
        for name in ("x", "y"):
            write(task / "system-outputs" / "en-de" / f"{name}.txt", ["a b c d"] * 40)
    (root / "link").symlink_to(outside)
    page = app(root=root)
    assert not page.exception
    assert page.selectbox(key="testset").options[:3] == [
        "deep/task/en-de",
        "wmt23/en-de",
        "simulated shared task",
    ]
    assert "x and y have identical outputs" in words(page)


@pytest.fixture
def two_references(source, tmp_path):
    other = write(
        tmp_path / "other.txt", [f"this was sentence {k} of that small test set" for k in range(40)]
    )
    return dataclasses.replace(source, ref=(*source.ref, ("second <b>", other)), refs=("ref",))


@pytest.fixture
def link(opened, source):
    """Open a link to the leaderboard, or to what comes first."""

    def start(source=source, page="summary", **asked):
        return opened(page, source, **asked)

    return start


class TestWhoTakesPart:
    def test_a_system_left_out_comes_back(self, link):
        page = link(exclude=[NAMES[1]], **{f"reason.{NAMES[1]}": "sent <i>late</i>"})
        said = words(page)
        assert "2 systems" in said and "Excluded" in [tab.label for tab in page.tabs]
        assert " · 1 system excluded<br>" in said
        assert any(
            "corrected for 1 pairs instead of 3" in caption.value for caption in page.caption
        )
        assert page.text_input(key=f"reason.{NAMES[1]}").value == "sent <i>late</i>"
        page.button(key=f"summary.back.{NAMES[1]}").click().run()
        page.switch_page("pages/summary.py").run()
        assert "3 systems" in words(page) and not page.exception

    def test_a_reason_is_asked_for(self, link):
        page = link(exclude=[*NAMES[:2]], **{f"reason.{NAMES[1]}": "late"})
        assert f"Excluded without a reason: {escape(NAMES[0])}. Give one" in words(page)
        page.text_input(key=f"reason.{NAMES[0]}").set_value("early").run()
        assert not page.exception and "without a reason" not in words(page)

    def test_a_reference_may_score_stand_aside_or_take_part(self, link, two_references):
        page = link(two_references)
        said = words(page)
        assert "scored with ref" in said and "3 systems" in said
        assert "not ranked" in said and "HUMAN-second &lt;b&gt;" in said and "HUMAN-ref<" in said
        page = link(two_references, metrics=["chrf", "ter"])
        head, *rows = frame_rows(page.dataframe[0])
        human = dict(zip(head, next(row for row in rows if row[0] == "not ranked"), strict=True))
        assert 0 < float(human["chrF ↑"]) < 100 and 0 < float(human["TER ↓"]) < 100
        assert rows[-1][0] == "scores others" and rows[-1][head.index("TER ↓")] == "-"
        page = link(two_references, humans="true")
        assert "4 systems" in words(page) and "not ranked" not in words(page)
        page = link(two_references, refs=["ref", "second <b>"])
        assert "scored with ref, second &lt;b&gt;" in words(page)

    def test_the_command_says_all_of_it(self, link, two_references, capsys):
        page = link(two_references, humans="true", exclude=[NAMES[1]], baseline="HUMAN-second <b>")
        said = words(page)
        assert "Against HUMAN-second &lt;b&gt;:" in said and "vs baseline" in said
        command = next(arguments(line) for line in copied(page) if line.startswith("mtsig"))
        assert main([*command, "--format", "json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["settings"]["baseline"] == "HUMAN-second <b>"
        assert printed["testset"]["systems"] == [NAMES[0], NAMES[2], "HUMAN-second <b>"]
        for row in printed["metrics"]["bleu"]["systems"]:
            assert f"{row['score']:.2f}" in said

    def test_no_reference_is_no_score(self, link, two_references):
        page = link(two_references)
        page.multiselect(key="refs").set_value([]).run()
        page.switch_page("pages/summary.py").run()
        assert "No reference to score with" in words(page)


def test_a_link_that_asks_for_what_is_not_there_says_so(link):
    page = link(page=None, metric="<b>nonsense", trials="12", exclude=["nobody"])
    said = words(page.run())
    assert "metric=&lt;b&gt;nonsense" in said and "trials=12" in said and "exclude=nobody" in said
    assert "9,999 permutations" in said and "3 systems" in said


def titles(page):
    return [title.value for title in page.subheader]


def test_further_metrics_stand_beside_and_where_they_disagree(link, capsys):
    page = link(metrics=["chrf", "ter"])
    said = words(page)
    assert not page.exception
    assert (
        "<th>chrF ↑</th>" in said
        and "<th>TER ↓</th>" in said
        and "Do the metrics agree?" in titles(page)
    )
    assert "BLEU, chrF and TER agree on" in said and "of 3 pairs" in said
    assert "metrics=" not in said
    command = next(arguments(line) for line in copied(page) if "bleu,chrf,ter" in line)
    assert main(command) == 0
    printed = capsys.readouterr().out
    signs = re.findall(
        r"(?<!\S)[<>~]{3}(?!\S)", printed[printed.index("Row against column by BLEU, chrF, TER") :]
    )
    shown = re.findall(r"<td>((?:&lt;|&gt;|~){3})</td>", said)
    assert len(signs) == 6 and signs == [html.unescape(cell) for cell in shown]
    page = link(page=None, metrics=["nonsense"])
    page.switch_page("pages/summary.py").run()
    assert "Do the metrics agree?" not in titles(page)


def test_human_scores_stand_beside_without_being_asked_for(link, source, tmp_path):
    table = tmp_path / "human.tsv"
    table.write_text(
        "system\tline\tscore\n"
        + "".join(
            f"{name}\t{k + 1}\t{90 - 30 * j + k % 3}\n"
            for j, name in enumerate(NAMES)
            for k in range(40)
        )
    )
    page = link(dataclasses.replace(source, scores=(("human", str(table)),)))
    assert not page.exception and "human scores and BLEU agree on 3 of 3 pairs" in words(page)
    assert "&gt;&gt;" in words(page)


class TestLeadersByReference:
    @pytest.fixture
    def disagreeing(self, tmp_path):
        """The first system says nearly what one reference says, the second what another does."""
        ref, other = (
            sentences(40),
            [f"sample {k} was made for all that we try here and there" for k in range(40)],
        )
        outputs = (
            [text.replace("small", "big") for text in ref],
            [text.replace("try", "do") for text in other],
        )
        source = written(
            tmp_path, ref, (*outputs, ["nothing"] * 40), [f"d{k // 2}" for k in range(40)]
        )
        return dataclasses.replace(
            source, ref=(*source.ref, ("second <b>", write(tmp_path / "other.txt", other)))
        )

    def test_stand_below_the_warning_that_they_differ(self, link, disagreeing):
        said = words(link(disagreeing))
        rows = re.findall(r"<tr><td>([^<]*)</td><td>([^<]*)</td><td>([^<]*)</td></tr>", said)
        assert [what for what, *_ in rows] == ["all together", "only ref", "only second &lt;b&gt;"]
        assert [html.unescape(ahead) for _, ahead, _ in rows[1:]] == [
            f"{name} is significantly better than the other 2 systems" for name in NAMES[:2]
        ]
        assert rows[0][2] == "" and "differs" in [same for *_, same in rows[1:]]
        assert said.index("The references do not agree on the top group by BLEU") < said.index(
            "against all together"
        )

    @pytest.mark.long
    def test_one_reference_has_none(self, link, disagreeing):
        for asked in (
            dict(refs=["ref"]),
            dict(refs=["ref"], humans="true"),
            dict(baseline=NAMES[2]),
        ):
            page = link(disagreeing, **asked)
            assert not page.exception and "references do not agree" not in words(page)
            assert "leaders by reference" not in words(page)


def test_the_figure_shows_the_verdict_in_its_title_and_its_colours(app, source):
    spec = json.loads(app(source).get("plotly_chart")[0].proto.spec)
    drawn, result = spec["data"], compare(source.read()).metrics["bleu"]
    title = html.unescape(spec["layout"]["title"]["text"].replace("<br>", ""))
    assert title[:60] in state_answer(compare(source.read()), "bleu")
    assert [trace["name"] for trace in drawn[:2]] == ["95% CI for all 3 pairs together", "95% CI"]
    top = next(trace for trace in drawn if trace["name"] == "top group")
    assert [result.systems[k].system for k, _ in top["customdata"]] == list(find_top_group(result))
    pair = result.pairs[0]
    assert drawn[0]["x"][:2] == sorted([-pair.ci_joint_low, -pair.ci_joint_high])


def test_a_caveat_has_a_button_that_mends_it(app, source):
    page = app(dataclasses.replace(source, docs=None))
    assert CAUTION_KINDS["no-documents"].general in words(page)
    next(button for button in page.button if button.label == "Use blocks").click().run()
    assert not page.exception and CAUTION_KINDS["no-documents"].general not in words(page)
    next(button for button in page.button if button.label == "Add chrF").click().run()
    assert page.multiselect(key="metrics").value == ["chrf"]


def test_caveats_that_are_only_in_their_tab_are_counted_below_the_figure(app, tmp_path):
    ref = sentences(40)
    systems = ref, [f"other {text}" for text in ref], [*ref[:20], "", *ref[21:]]
    said = words(app(written(tmp_path, ref, systems, None)))
    assert (
        said.count("has 1 empty segment of 40") == 1
        and said.count(CAUTION_KINDS["no-documents"].general) == 2
    )
    assert said.count("mt-caution") == 3 + 8 and "5 more caveats under All caveats." in said


def test_the_report_is_one_page_with_verdict_caveats_and_method(app, source):
    page = app(source, view="report")
    said = words(page)
    assert not page.exception and 'class="mt-report"' in said and not page.get("tab")
    assert few_units(source) in said and "We compared 3 systems" in said
    assert "Result" in [part.value for part in page.subheader] and "The two best scores: " in said
    assert "Only BLEU was used." in said and "In the sidebar" not in said
    page.button(key="report.back").click().run()
    assert 'class="mt-report"' not in words(page) and page.get("tab")


def test_the_report_has_all_that_the_page_shows(app, source):
    asked = dict(metrics=["chrf", "ter"], exclude=[NAMES[2]], **{f"reason.{NAMES[2]}": "sent late"})
    page = app(source, **asked)
    report = app(source, view="report", **asked)
    assert not page.exception and not report.exception
    assert answers(report) == answers(page) and "By BLEU, chrF and TER: " in answers(page)[0]
    said = words(report)
    assert "Only BLEU was used." not in said and "sent late" in said
    cells = {cell for frame in page.dataframe for row in frame_rows(frame) for cell in row}
    assert {cell for cell in cells if escape(cell) not in said} == set()
    assert [part.value for part in report.subheader if part.value.startswith("Result")] == [
        "Result by BLEU",
        "Result by chrF",
        "Result by TER",
    ]
    assert len(report.get("plotly_chart")) == len(page.get("plotly_chart")) == 2


def one_difference(page):
    """The difference of two systems, as the headline, the figure and the table of the page have
    it.
    """
    (headline,) = re.findall(r": ([-+][\d.]+) BLEU", answers(page)[0])
    drawn = json.loads(page.get("plotly_chart")[0].proto.spec)["data"]
    (figure,) = {x for trace in drawn if trace.get("mode") == "markers" for x in trace["x"] if x}
    (table,) = {
        cell.split(" ")[0]
        for row in frame_rows(page.dataframe[-1])[1:]
        for cell in row
        if re.match(r"[-+]\d", cell)
    }
    return headline, f"{figure:+.2f}", table


@pytest.mark.parametrize("asked", [{}, {"baseline": 0}, {"baseline": 1}])
def test_headline_figure_and_table_have_one_sign(app, source, asked):
    two = dataclasses.replace(source, only=tuple(NAMES[:2]))
    page = app(two, **{key: NAMES[place] for key, place in asked.items()})
    assert not page.exception and len(set(one_difference(page))) == 1


def test_the_headline_speaks_of_a_metric_as_soon_as_it_is_chosen(app, tmp_path):
    ref = sentences(40)
    longer = [f"{text} by far" if k % 2 else text for k, text in enumerate(ref)]
    other = [text.replace("number", "numbers") for text in ref]
    page = app(
        written(tmp_path, ref, (longer, other), [f"d{k // 2}" for k in range(40)], names=NAMES[:2])
    )
    assert "chrF" not in answers(page)[0]
    next(button for button in page.button if button.label == "Add chrF").click().run()
    assert not page.exception and answers(page)[0].count("chrF") >= 2
    title = json.loads(page.get("plotly_chart")[0].proto.spec)["layout"]["title"]["text"]
    assert "chrF" in title
    page.multiselect(key="metrics").set_value([]).run()
    assert "chrF" not in answers(page)[0]


def test_files_have_the_caveats_that_the_page_shows(app, source, monkeypatch):
    files = {}
    monkeypatch.setattr(
        st,
        "download_button",
        lambda label, data, name, *args, **more: files.update(
            {name.rpartition(".")[2]: data() if callable(data) else data}
        ),
    )
    page = app(source)
    assert not page.exception
    shown = compare(source.read())
    caveats = [caution.finding for caution in pick_verdict_caveats(shown, "bleu")]
    assert (
        "Only BLEU was used. Another metric may decide otherwise." in caveats
        and few_units(source) in caveats
    )
    assert all(escape(caveat) in words(page) for caveat in caveats)
    figures = [
        json.loads(chart.proto.spec)["layout"]["annotations"] for chart in page.get("plotly_chart")
    ]
    texts = [" ".join(note["text"].replace("<br>", " ") for note in notes) for notes in figures]
    texts.append(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", files["svg"])))
    texts = ["".join(html.unescape(text).split()) for text in texts]  # lines may break a name
    for caveat in caveats:
        letters = "".join(caveat.split())
        assert [text for text in texts if letters not in text] == [], caveat
        words_in_latex = " ".join(map(escape_in_latex, caveat.split(" ")))
        assert all(words_in_latex in text for text in methods(files["tex"]))


@pytest.mark.long
def test_the_caption_claims_no_joint_decisions_where_the_test_does_not_keep_its_level(app, source):
    for asked, holds in (
        (dict(unit="document"), True),
        (dict(unit="segment"), False),
        (dict(test="riezler-maxwell"), False),
    ):
        captions = " ".join(element.value for element in app(source, **asked).caption)
        assert "the test of the differences decides" in captions
        assert ("decides, for all pairs together" in captions) == holds


def test_training_runs(opened, tmp_path):
    """The spread between runs stands right of the score; a page that does not know runs says so."""
    ref = sentences(40)
    outputs = [
        [text.replace(word, "x") if k % n == 0 else text for k, text in enumerate(ref)]
        for word, n in (("sentence", 4), ("small", 3), ("test", 2))
    ]
    source = written(tmp_path, ref, outputs[::2], names=NAMES[:2])
    source = dataclasses.replace(
        source, run=((NAMES[0], write(tmp_path / "again.txt", outputs[1])),)
    )
    page = opened("summary", source)
    assert not page.exception
    said = words(page)
    (runs,) = (row for row in compare(source.read()).metrics["bleu"].runs if row.sd is not None)
    assert (
        "SD between runs" in said
        and f"{runs.sd:.2f}" in said
        and "has a single training run" in said
    )
    inside = opened("inside", source)
    assert not inside.exception and "cannot show training runs yet" in words(inside)


def test_to_leave_out_every_system_is_said(opened, source):
    page = opened("summary", source, exclude=list(NAMES))
    assert (
        not page.exception
        and "Every system is excluded. Keep one under Systems and segments" in words(page)
    )
    assert page.multiselect(key="exclude").value == list(NAMES)


@pytest.mark.parametrize("page", ["summary", "pairs", "pair"])
def test_lines_in_another_order_stand_beside_each_verdict(opened, tmp_path, page):
    ref = [f"{text} {'and so on ' * (k * k % 7)}" for k, text in enumerate(sentences(60))]
    outputs = {"good": [text.replace("small", "tiny") for text in ref], "odd": ref[20:] + ref[:20]}
    source = Source(
        ((None, write(tmp_path / "ref.txt", ref)),),
        tuple((name, write(tmp_path / f"{name}.txt", lines)) for name, lines in outputs.items()),
    )
    shown = opened(page, source)
    assert not shown.exception
    said = "The lines of odd do not follow the order of reference ref"
    assert (
        words(shown).count(said) - sum(words(tab).count(said) for tab in shown.tabs) == 1
    )  # not only in a tab
