"""Human evaluation as it is published: small files of each form, and the published numbers of the
real ones.
"""

import csv
import itertools
import json
import re
import tarfile
import zipfile

import numpy as np
import pytest

from mtsig_core import InputError, TestSet, compare, join_scores, read_scores, read_task
from mtsig_core.readers import read_text
from mtsig_core.readers.lines import read_table
from mtsig_core.readers.rating_formats import parse_weights
from mtsig_core.readers.task_contents import contents_of
from mtsig_core.readers.uploads import Upload, guess_uploads, read_uploads
from mtsig_core.stats.ranks import wmt25
from tests.builders.cases import brief
from tests.builders.code import DATA

PUBLISHED = DATA / "human"
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="needs the ratings in ../shared/data/human"
)

ESA = """\
ann,A,0,TGT,eng,ces,90,test-en-news_one,False,[],1.0,2.0
ann,A,0,TGT,eng,ces,80,test-en-news_one,False,[],3.0,4.0
ben,A,0,TGT,eng,ces,60,test-en-news_one,False,[],1.0,2.0
ann,B,0,TGT,eng,ces,50,test-en-news_one,False,[],1.0,2.0
ann,A,4,TGT,eng,ces,70,test-en-social_two,False,"[{""start_i"":1}]",1.0,2.0
ann,B,4,TGT,eng,ces,40,test-en-social_two,False,[],1.0,2.0
ann,B,4,BAD,eng,ces,1,test-en-social_two#bad,False,[],1.0,2.0
ann,B,4,TGT,eng,ces,2,test-en-social_two#dup#dup,False,[],1.0,2.0
ann,B,5,TGT,eng,ces,3,test-en-social_three#incomplete,False,[],1.0,2.0
ann,t,6,TGT,eng,ces,4,ende-tutorial1,False,[],1.0,2.0
cyd,A,0,TGT,eng,jpn,10,test-en-news_one,False,[],1.0,2.0
cyd,A,0,BAD,eng,jpn,10,test-en-news_one#bad,False,[],1.0,2.0
"""
#: The scores of the first language pair.
IN_CZECH = {"A": (70.0, 70.0), "B": (50.0, 40.0)}
MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment
A\td1\t1\t1\tr1\ts\t<v>t</v> "x\tAccuracy/Omission\tMajor\t
A\td1\t1\t1\tr1\ts\tt\tFluency/Punctuation\tMinor\t
A\td1\t1\t1\tr2\ts\tt\tNo-error\tNo-error\t
A\td1\t1\t2\tr1\ts\tt\tNon-translation!\tMajor\t
B\td1\t1\t1\tr1\ts\tt\tStyle/Awkward\tMinor\t
B\td1\t1\t2\tr1\ts\tt\tNo-error\tNo-error\t
"""


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


def test_appraise_is_averaged_over_annotators_of_each_the_last_rating(write):
    testset = read_scores({"ESA": write("esa.csv", ESA)}, langpair="en-cs")
    assert dict(testset.scores["ESA"].by_system) == IN_CZECH
    assert (testset.lines, testset.domains) == ((1, 5), ("news", "social"))
    assert testset.documents == ("test-en-news_one", "test-en-social_two")
    [counts] = [dict(one.facts) for one in testset.assumed if one.code == "ratings"]
    assert counts == {
        "metric": "ESA",
        "langpair": "",
        "n_ratings": 5,
        "n_raters": 2,
        "per_segment": 1.25,
        "agreement": 0.0,
        "left_out": {"bad": 1, "duplicate": 2, "incomplete": 1, "tutorial": 1},
    }


def test_waves_of_one_name_are_pooled(write):
    waves = "".join(ESA.splitlines(True)[:2]), "".join(ESA.splitlines(True)[2:6])
    tables = [("ESA", write(f"wave{k}.csv", wave)) for k, wave in enumerate(waves)]
    assert dict(read_scores(tables).scores["ESA"].by_system) == IN_CZECH


def test_a_wave_may_lack_a_language_pair(write):
    waves = "".join(ESA.splitlines(True)[:10]), "".join(ESA.splitlines(True)[10:])
    tables = [("ESA", write(f"wave{k}.csv", wave)) for k, wave in enumerate(waves)]
    assert dict(read_scores(tables, langpair="en-cs").scores["ESA"].by_system) == IN_CZECH
    with pytest.raises(InputError, match="has no scores of en-de. It has: en-cs"):
        read_scores(tables, langpair="en-de")


def test_a_folder_of_waves_is_a_task_of_their_language_pairs(write, tmp_path, run_json):
    rows = ESA.splitlines(True)
    rating = "cyd,{},{},TGT,eng,jpn,{},test-en-news_d{},False,[],1.0,2.0\n"
    more = [
        rating.format(name, k, 50 + k + 9 * n, k // 4)
        for (n, name), k in itertools.product(enumerate("AB"), range(12))
    ]
    write("wave1.csv", "".join(rows[:3]))
    write("wave2.csv", "".join([*rows[3:10], *more]))
    write("README.md", "waves")
    task = read_task(tmp_path)
    czech, japanese = task.testsets["en-cs"], task.testsets["en-ja"]
    assert (len(task.testsets), czech.n_segments, japanese.n_segments) == (2, 2, 12)
    assert dict(czech.scores["ESA"].by_system) == IN_CZECH
    counted = [one.facts["langpair"] for one in task.assumed if one.code == "ratings"]
    assert counted == ["en-cs", "en-ja"]
    alone = read_scores({"ESA": str(tmp_path / "wave2.csv")}, langpair="en-ja")
    assert japanese.scores["ESA"].by_system == alone.scores["ESA"].by_system
    found = run_json("task --trials 99 --lower-is-better ESA --folder", tmp_path)
    assert [*found["pairs"]] == ["en-cs", "en-ja"]
    assert found["pairs"]["en-ja"]["metrics"]["ESA"]["higher_is_better"] is False
    with zipfile.ZipFile(tmp_path / "waves.zip", "w") as archive:
        for path in tmp_path.glob("wave*.csv"):
            archive.write(path, f"humeval/{path.name}")
    assert [*read_task(tmp_path / "waves.zip").testsets] == ["en-cs", "en-ja"]
    assert contents_of(tmp_path / "waves.zip").unread == ()


def test_uploads_of_waves_are_one_test_set():
    rows = ESA.encode().splitlines(True)
    files = [("wave0.csv", b"".join(rows[:2])), ("wave1.csv", b"".join(rows[2:]))]
    guesses = guess_uploads(files)
    assert guesses == [("scores", "ESA")] * 2
    beginnings = [(name, content + b"ann,A,0,TGT,e") for name, content in files]
    assert guess_uploads(beginnings) == guesses  # a page looks at the beginning
    uploads = [Upload(*file, "scores", "ESA") for file in files]
    assert dict(read_uploads(uploads, langpair="en-cs").scores["ESA"].by_system) == IN_CZECH


def test_a_file_of_several_language_pairs_asks_for_one(write):
    path = write("esa.csv", ESA)
    with pytest.raises(InputError, match="2 language pairs .*en-cs, en-ja.*Choose it") as problem:
        read_scores({"ESA": path})
    assert problem.value.remedies[0] == {"langpair": "en-cs"}
    with pytest.raises(InputError, match="no scores of en-de. It has: en-cs, en-ja"):
        read_scores({"ESA": path}, langpair="en-de")


def write_da(write, rows):
    """DA+SQM of Appraise, nine columns: rows of rater, system, item and score."""
    return write(
        "da.csv",
        "".join(
            f"{rater},generaltest2022.en-liv.{system}.liv.txt,{item},TGT,eng,liv,{score},1.0,2\n"
            for rater, system, item, score in rows
        ),
    )


def test_scores_without_documents_are_standardized_by_annotator(write):
    rows = [
        ("ann", "hyp.A", 3, 10),
        ("ann", "hyp.B", 3, 30),
        ("ben", "hyp.A", 4, 50),
        ("ben", "hyp.B", 4, 50),
    ]
    testset = read_scores({"da": write_da(write, rows)})
    assert dict(testset.scores["da"].by_system) == {
        "A": (pytest.approx(-np.sqrt(0.5)),),
        "B": (pytest.approx(np.sqrt(0.5)),),
    }
    assert testset.lines == (3,)  # the items of such files count from 1
    [counts] = [dict(one.facts) for one in testset.assumed if one.code == "ratings"]
    assert counts["left_out"]["by raters without spread"] == 2
    assert "ratings-standardized" in {one.code for one in testset.assumed}


def test_scores_called_raw_are_not_standardized(write):
    rows = [
        ("ann", "hyp.A", 3, 10),
        ("ann", "hyp.B", 3, 30),
        ("ben", "hyp.A", 3, 50),
        ("ben", "hyp.B", 3, 90),
    ]
    testset = read_scores({"raw": write_da(write, rows)})
    assert dict(testset.scores["raw"].by_system) == {"A": (30.0,), "B": (60.0,)}
    assert "ratings-standardized" not in {one.code for one in testset.assumed}


def write_mturk(write, name, systems="AB"):
    rows = [
        f"{system}.{k} {line} 50 {0.1 * line - k} 2"
        for k, system in enumerate(systems)
        for line in range(1, 20)
    ]
    return write(name, "\n".join(["SYS SID RAW.SCR Z.SCR N ", *rows]) + "\n")


def test_ratings_whose_names_say_the_language_pair_are_a_task(write, tmp_path, run):
    """With a header in a file of its own, as WMT22 published them, and a readme."""
    (
        write_mturk(write, "ad-seg-scores-cs-en.csv"),
        write_mturk(write, "ad-seg-scores-de-en.csv", "BC"),
    )
    (
        write("header.SegLvl.csv", "username,system,itemId\n"),
        write("README.txt", "Ratings.\nOf 2021.\n"),
    )
    task = read_task(tmp_path)
    assert {pair: [*one.systems] for pair, one in task.testsets.items()} == {
        "cs-en": ["A", "B"],
        "de-en": ["B", "C"],
    }
    done = run("findings", "--folder", tmp_path, "--trials", 99, "--format", "json")
    assert done.status == 0 and "DA-z" in done.out


def test_ratings_of_one_language_pair_alone_are_a_task(write, tmp_path):
    write_mturk(write, "ad-seg-scores-cs-en.csv")
    assert [*read_task(tmp_path).testsets] == ["cs-en"]


def test_a_file_of_ratings_alone_is_a_task(write):
    assert [*read_task(write("waves.csv", ESA)).testsets] == ["en-cs", "en-ja"]
    with pytest.raises(
        InputError, match="plain.csv is a file without ratings that name their language pair"
    ):
        read_task(write("plain.csv", "a\nb\n"))


def test_a_task_has_ratings_as_they_were_given_too(write, tmp_path, run):
    """As WMT23 ranked; by default only the standardized ones are compared."""
    write_mturk(write, "ad-seg-scores-cs-en.csv")
    scores = read_task(tmp_path).testsets["cs-en"].scores
    assert [*scores] == ["DA-z", "DA-raw"]
    text = (tmp_path / "ad-seg-scores-cs-en.csv").read_text().splitlines()[1:]
    for name, column in (("DA-raw", 2), ("DA-z", 3)):
        given = [float(line.split()[column]) for line in text if line.startswith("A.")]
        assert scores[name].by_system["A"] == tuple(given)
    asked = ["task", "--folder", tmp_path, "--trials", 99, "--resamples", 99, "--format", "json"]
    by_default = json.loads(run(*asked).out)["pairs"]["cs-en"]["metrics"]
    assert [*by_default] == ["DA-z"]
    asked[0] = "compare"
    assert [*json.loads(run(*asked, "--langpair", "cs-en").out)["metrics"]] == ["DA-z"]
    asked[0] = "task"
    assert [*json.loads(run(*asked, "--metrics", "DA-raw").out)["pairs"]["cs-en"]["metrics"]] == [
        "DA-raw"
    ]


def test_appraise_of_several_language_pairs_is_a_task(write):
    """With 11 columns, as WMT23 published them: without scores of documents, and what is bad."""
    rows = []
    for pair in ("ces,ukr", "deu,eng"):
        for system, bonus in (("A", 8), ("B", 0)):
            for item in range(1, 5):
                score = 60 + bonus + item
                rows.append(f"u,{system},{item},TGT,{pair},{score},d,False,1.0,2.0\n")
            rows.append(f"u,{system},9,TGT,{pair},99,d,True,1.0,2.0\n")
        rows.append(f"u,A,1,BAD,{pair},1,d#bad0,False,1.0,2.0\n")
    task = read_task(write("wmt23.csv", "".join(rows)))
    assert [*task.testsets] == ["cs-uk", "de-en"]
    assert task.testsets["cs-uk"].scores["DA-raw"].by_system == {
        "A": (69.0, 70.0, 71.0, 72.0),
        "B": (61.0, 62.0, 63.0, 64.0),
    }


def test_errors_of_the_source_lie_next_to_ratings(write, tmp_path):
    write("mqm_ted_ende.tsv", MQM)
    source_errors = MQM.replace("Accuracy/Omission", "Source error/-")
    write("mqm_ted_ende.source-errors.tsv", source_errors)
    testset = read_task(tmp_path).testsets["en-de"]
    assert testset.scores["MQM"].by_system["A"] == (2.55, 25.0)
    assert contents_of(tmp_path).unread == (
        (
            "mqm_ted_ende.source-errors.tsv",
            "it lists errors of the source text only, which say nothing of the systems",
        ),
    )


def test_a_folder_as_published_is_a_task(write, tmp_path):
    """Averages of the same ratings, tables of tests and scripts are named and not read."""
    write("mqm_ted_ende.tsv", MQM)
    averages = "system mqm_avg_score seg_id\nA\t -2.55 1\nA\t -25 2\nB\t -1 1\nB\t 0 2\n"
    write("mqm_ted_ende.avg_seg_scores.tsv", averages)
    write("ad-DA-diff-wilcoxon-rs-deen.csv", " A.1 B.2\nA.1 - 0.08*\nB.2 -0.08 -\n")
    write("score.py", "print(1)\n")
    testset = read_task(tmp_path).testsets["en-de"]
    assert testset.scores["MQM"].by_system["A"] == (2.55, 25.0)
    unread = dict(contents_of(tmp_path).unread)
    reason = "it has averages of the ratings in mqm_ted_ende.tsv"
    assert unread.pop("mqm_ted_ende.avg_seg_scores.tsv") == reason
    assert {*unread} == {"ad-DA-diff-wilcoxon-rs-deen.csv", "score.py"}
    (tmp_path / "mqm_ted_ende.tsv").unlink()
    assert read_task(tmp_path).testsets["en-de"].scores["MQM"].by_system["A"] == (-2.55, -25.0)


def test_wmt24_does_not_count_free_renderings(write, tmp_path, run):
    free = MQM.replace("Style/Awkward", "Accuracy/Creative Reinterpretation")
    write("mqm_ted_ende.tsv", free.replace("Accuracy/Omission", "Source issue"))
    for weights, means in (
        (["--mqm-weights", "wmt24"], {"A": 12.525, "B": 0.0}),
        (["--mqm-weights", "google"], {"A": 13.775, "B": 0.5}),
        ([], {"A": 13.775, "B": 0.5}),
    ):
        done = run("score", "--folder", tmp_path, "--langpair", "en-de", *weights, "--format=json")
        assert json.loads(done.out)["metrics"]["MQM"]["scores"] == pytest.approx(means)
    assert run("task", "--folder", tmp_path, "--mqm-weights", "wmt23").status == 2


def test_texts_beside_tables_are_no_task_of_tables(write, tmp_path):
    write_mturk(write, "ad-seg-scores-cs-en.csv"), write("A.txt", "a b\nc d\n")
    with pytest.raises(InputError, match="has no references/"):
        read_task(tmp_path)


def test_files_next_to_ratings_that_hold_no_texts_are_named(write, tmp_path):
    """As an organiser has them: a matrix of differences, a script, an archive, outputs alone."""
    write_mturk(write, "ad-seg-scores-cs-en.csv")
    write("ad-DA-diff-wilcoxon-rs-csen.csv", " A.1 B.2\nA.1 - 0.1*\nB.2 -0.1* -\n")
    write("rank.R", "wilcox.test(x, y)\n"), write("truth.json", '{\n  "raters": {"u": 1.5}\n}\n')
    outputs = write("A.jsonl", '{"doc_id": "WMT26_#_news_#_ces_Latn", "hypothesis": "a"}\n')
    archive = tmp_path / "more.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(outputs, "A.jsonl")
    assert [*read_task(tmp_path).testsets] == ["cs-en"]
    unread = dict(contents_of(tmp_path).unread)
    assert set(unread) == {
        "ad-DA-diff-wilcoxon-rs-csen.csv",
        "rank.R",
        "truth.json",
        "A.jsonl",
        "more.tar.gz",
    }
    assert "the file of their sources, such as wmt26-genmt.jsonl, is not there" in unread["A.jsonl"]
    assert "unpack it" in unread["more.tar.gz"]


def test_outputs_without_sources_are_no_task(write, tmp_path):
    write("A.jsonl", '{"doc_id": "WMT26_#_news_#_ces_Latn", "hypothesis": "a"}\n')
    with pytest.raises(InputError, match=r"has outputs \(A.jsonl, ...\) and not the file"):
        read_task(tmp_path)


def test_a_rated_reference_has_the_name_of_a_reference(write):
    rows = [("ann", "ref.A", 1, 90), ("ann", "hyp.B", 1, 30)]
    assert [*read_scores({"da": write_da(write, rows)}).scores["da"].by_system] == ["refA", "B"]


#: Rater, system, item, score, document and whether the document is rated, as in files of eleven
#: columns.
DOCUMENTS_RATED = [
    ("ann", "A", 1, 80, "d1", False),
    ("ann", "A", 1, 60, "d2", False),
    ("ann", "B", 1, 40, "d1", False),
    ("ann", "B", 1, 20, "d2", False),
    ("ann", "A", 2, 100, "d1", True),
]


def write_da_by_document(write, rows=DOCUMENTS_RATED):
    return write(
        "doc.csv",
        "".join(
            f"{rater},{system},{item},TGT,ces,ukr,{score},{document},{whole},1.0,2.0\n"
            for rater, system, item, score, document, whole in rows
        ),
    )


def test_appraise_of_eleven_columns_numbers_items_by_document(write):
    path = write_da_by_document(write)
    testset = read_scores({"raw": path, "z": path})
    assert dict(testset.scores["raw"].by_system) == {"A": (80.0, 60.0), "B": (40.0, 20.0)}
    assert testset.documents == ("d1", "d2")
    scores = np.array([80, 60, 40, 20])
    z = (scores - scores.mean()) / scores.std(ddof=1)
    assert testset.scores["z"].by_system["A"] == pytest.approx(z[:2])
    [counts] = [
        dict(one.facts) for one in testset.assumed if one.code == "ratings" and one.metric == "z"
    ]
    assert counts["left_out"]["of whole documents"] == 1


def test_items_of_documents_join_texts_by_their_place_in_the_document(write):
    texts = TestSet(
        "t",
        {"A": ["a"] * 4, "B": ["b"] * 4},
        {"ref": ["r"] * 4},
        documents=["d0", "d1", "d1", "d2"],
    )
    rows = [
        *DOCUMENTS_RATED[:4],
        ("ann", "A", 2, 50, "d1", False),
        ("ann", "B", 2, 10, "d1", False),
    ]
    joined = join_scores(texts, {"raw": write_da_by_document(write, rows)})
    assert joined.scores["raw"].by_system["A"] == (None, 80.0, 50.0, 60.0)
    beyond = [*rows, ("ann", "B", 3, 10, "d1", False)]
    with pytest.raises(
        InputError, match="row 7: the document d1 has 2 segments, and this is item 3"
    ):
        join_scores(texts, {"raw": write_da_by_document(write, beyond)})


def test_texts_of_appraise_may_be_in_quotes(write):
    path = write_da_by_document(write)
    with open(path) as file:
        quoted = re.sub(r"(?<![\w.])([A-Za-z]\w*)(?![\w.])", r'"\1"', file.read())
    assert '"ann","A",1,"TGT"' in quoted
    again = read_scores({"raw": write("quoted.csv", quoted)})
    assert again.scores["raw"].by_system == read_scores({"raw": path}).scores["raw"].by_system


def test_a_header_in_the_file_of_appraise_is_no_rating(write):
    path = write_da_by_document(write)
    with open(path) as file:
        text = file.read()
    header = (
        "username,system,itemId,itemType,srcLang,trgLang,score,docId,isDocScore,timeStart,timeEnd\n"
    )
    again = read_scores({"raw": write("named.csv", header + text * 4)})
    assert again.scores["raw"].by_system == read_scores({"raw": path}).scores["raw"].by_system


@needs_published
def test_ratings_of_livonian_are_read_whole():
    """By the counts of the files, and means by the formula of the task's script, with loops of our
    own.
    """
    path = PUBLISHED / "wmt22/WMT22.Appraise.SegLvlLivSrc.20221031.filtered.csv"
    with open(path) as file:
        rows = [row for row in csv.reader(file) if row[3] == "TGT" and row[4:6] == ["eng", "liv"]]
    by_rater, by_item = {}, {}
    for row in rows:
        by_rater.setdefault(row[0], []).append(float(row[6]))
    for row in rows:
        scores = by_rater[row[0]]
        last = (float(row[6]) - np.mean(scores)) / np.std(scores, ddof=1)
        by_item.setdefault((row[1].split(".")[3], int(row[2])), {})[row[0]] = last
    expected = {}
    for (system, _), of_rater in by_item.items():
        expected.setdefault(system, []).append(np.mean([*of_rater.values()]))
    testset = read_scores({"z": path}, langpair="en-liv")
    assert max(testset.lines) <= 420
    for system, scores in testset.scores["z"].by_system.items():
        known = [score for score in scores if score is not None]
        assert np.mean(known) == pytest.approx(
            np.mean(expected["A" if system == "refA" else system])
        )


def test_mqm_is_a_sum_for_each_rater_and_lower_is_better(write):
    found = read_scores({"people": write("mqm.tsv", MQM)}).scores["people"]
    assert not found.higher_is_better
    assert {name: list(scores) for name, scores in found.by_system.items()} == {
        "A": [2.55, 25.0],
        "B": [1.0, 0.0],
    }


#: As side-by-side ratings are published: other names, a column more, and a remark in the header.
SIDE_BY_SIDE = """\
system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\t# Documentation: https://x
A\td1\t1\t1\tr1\ts\tt\tAccuracy/Omission\tMajor\t{"a": ["b", 1]}
A\td1\t1\t1\tr1\ts\tt\tMissed\tHOTW-test\t{}
A\td2\t1\t2\tr1\ts\tt\tNo-error\tNo-error\t{}
B\td1\t1\t1\tr1\ts\tt\tNon-translation!\tMajor\t{}
B\td2\t1\t2\tr1\ts\tt\tStyle/Awkward\tMinor\t{}
B\td2\t1\t2\tr1\ts\tt\tFound\tHOTW-test\t{}
"""


def test_mqm_side_by_side(write):
    testset = read_scores({"MQM": write("sxs.tsv", SIDE_BY_SIDE)})
    assert dict(testset.scores["MQM"].by_system) == {"A": (5.0, 0.0), "B": (25.0, 1.0)}
    assert testset.documents == ("d1", "d2")
    [counts] = [dict(one.facts) for one in testset.assumed if one.code == "ratings"]
    assert counts["left_out"]["planted as controls"] == 2 and counts["n_ratings"] == 4
    assert guess_uploads([("sxs.tsv", SIDE_BY_SIDE.encode())]) == [("scores", "MQM")]


@pytest.mark.long
@needs_published
def test_side_by_side_mqm_as_published():
    """Held against sums by a loop of our own, which knows only the weights."""
    path = PUBLISHED / "mqm/sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv.tar.gz"
    with tarfile.open(path) as archive:
        lines = archive.extractfile(archive.getmembers()[0]).read().decode().split("\n")[1:-1]
    sums = {}
    for system, _, _, segment, rater, _, _, category, severity, *_ in (
        line.split("\t") for line in lines
    ):
        weight = {"Major": 5, "Minor": 1}.get(severity, 0)
        if severity == "Minor" and category == "Fluency/Punctuation":
            weight = 0.1
        if category.startswith("Non-translation"):
            weight = 25
        by_rater = sums.setdefault(system, {}).setdefault(segment, {})
        by_rater[rater] = by_rater.get(rater, 0) + weight
    member = f"{path}/sxs_mqm_generalMT2023_ende.3ratingsPerSegment.tsv"
    testset = read_scores({"MQM": member})
    for system, scores in testset.scores["MQM"].by_system.items():
        assert np.mean(scores) == pytest.approx(
            np.mean([np.mean([*own.values()]) for own in sums[system].values()])
        )
    assert (len(sums), testset.n_segments) == (10, 104)
    of_wmt24 = read_scores({"MQM": member}, mqm_weights=parse_weights(["wmt24"]))
    means = {name: np.mean(scores) for name, scores in of_wmt24.scores["MQM"].by_system.items()}
    uncounted = ("Source issue", "Accuracy/Creative Reinterpretation")
    for system, segment, rater, category, severity in (
        (row[0], row[3], row[4], row[7], row[8]) for row in (line.split("\t") for line in lines)
    ):
        if category in uncounted:
            sums[system][segment][rater] -= {"Major": 5, "Minor": 1}[severity]
    for system, by_segment in sums.items():
        own = [np.mean([*by_rater.values()]) for by_rater in by_segment.values()]
        assert means[system] == pytest.approx(np.mean(own))


def test_errors_of_the_source_rank_no_systems(write):
    only = MQM.split("\n")[0] + "\n" + "A\td1\t1\t1\tr1\ts\tt\tSource error/-\tMinor\t\n" * 3
    with pytest.raises(InputError, match="lists errors of the source text only"):
        read_scores({"MQM": write("mqm.tsv", only)})
    some = MQM + "B\td1\t1\t1\tr1\ts\tt\tSource error/-\tMinor\t\n"
    assert read_scores({"MQM": write("some.tsv", some)}).scores["MQM"].by_system["B"] == (2.0, 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ESA + ESA.replace(",90,", ",?,"), "row 13 is .*Expected 9, 11 or 12 columns of Appraise"),
        (
            ESA + 'ann,A,0,TGT,eng,ces,90,"d,False,[],1.0,2.0\n',
            "cannot be read: .*Check its quotes",
        ),
        (
            json.dumps({"doc_id": "en-cs", "scores": {"A": {"human1": 1}}})
            + '\n{"doc_id": "en-cs"}\n',
            "row 2 is .*Expected an object with doc_id and scores",
        ),
    ],
)
def test_a_damaged_row_is_named(write, text, said):
    with pytest.raises(InputError, match=said):
        read_scores({"ESA": write("ratings", text)}, langpair="en-cs")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SYS SID RAW.SCR Z.SCR N \nA.0 1 56 -0.5 4 \nB.12 1 75 0.25 2 \n", (-0.5, 0.25)),
        ("system mqm_avg_score seg_id\nA\t-1.5 1\nB\t-0.0 1\n", (-1.5, -0.0)),
    ],
)
def test_tables_with_spaces(write, text, expected):
    by_system = read_scores({"z": write("seg.csv", text)}).scores["z"].by_system
    assert dict(by_system) == {"A": expected[:1], "B": expected[1:]}


@pytest.mark.parametrize(
    "ratings", [{"human1": 90, "human2": 70}, [{"human": 90, "errors": []}, {"human": 70}]]
)
def test_wmt25_has_two_raters(write, ratings):
    text = "".join(
        json.dumps({"doc_id": f"en-cs_CZ_#_news_#_d{k}", "scores": {"A": ratings, "B": ratings}})
        + "\n"
        for k in range(2)
    )
    testset = read_scores({"ESA": write("wmt25.jsonl", text)})
    assert dict(testset.scores["ESA"].by_system) == {"A": (80.0, 80.0), "B": (80.0, 80.0)}
    assert testset.domains == ("news", "news")


def wmt25_of_people(ratings):
    return "".join(
        json.dumps({"doc_id": f"en-cs_CZ_#_news_#_d{k}", "scores": {"A": own, "B": own}}) + "\n"
        for k, own in enumerate(ratings)
    )


@pytest.mark.parametrize(
    "ratings",
    [
        [
            {"human1": 90, "annotator1": "p1", "human2": 70, "annotator2": "p2"},
            {"human1": 60, "annotator1": "p2", "human2": 40, "annotator2": "p1"},
        ],
        [
            [{"human": 90, "annotator": "p1"}, {"human": 70, "annotator": "p2"}],
            [{"human": 60, "annotator": "p2"}, {"human": 40, "annotator": "p1"}],
        ],
    ],
)
def test_the_people_of_wmt25_are_its_annotators_and_its_slots_are_segments(write, ratings):
    path = write("wmt25.jsonl", wmt25_of_people(ratings))
    [rows] = [table.rows for table in [read_table(path)]]
    assert [(cells[3], cells[2]) for _, cells in rows[:2]] == [("p1", 90), ("p2", 70)]
    assert read_scores({"ESA": path}).scores["ESA"].by_system["A"] == (80.0, 50.0)
    by_slot = read_scores({"ESA": path}, raters="segments").scores["ESA"].by_system["A"]
    assert by_slot == (90.0, 70.0, 60.0, 40.0)


def test_one_person_in_both_slots_of_wmt25_counts_twice_and_is_one_rater(write):
    own = {"human1": 90, "annotator1": "p1", "human2": 70, "annotator2": "p1"}
    testset = read_scores({"ESA": write("wmt25.jsonl", wmt25_of_people([own, own]))})
    assert testset.scores["ESA"].by_system["A"] == (80.0, 80.0)
    [counts] = [dict(one.facts) for one in testset.assumed if one.code == "ratings"]
    assert (counts["n_ratings"], counts["n_raters"]) == (8, 1)


def test_an_unknown_person_of_wmt25_is_called_as_the_slot(write):
    own = {"human1": 90, "annotator1": "unknown", "human2": 70, "annotator2": "p1"}
    testset = read_scores({"ESA": write("wmt25.jsonl", wmt25_of_people([own]))})
    [counts] = [dict(one.facts) for one in testset.assumed if one.code == "ratings"]
    assert counts["n_raters"] == 2


def test_a_segment_of_wmt25_that_nobody_rated_is_no_fault(write):
    text = wmt25_of_people([{"human1": 90}, {"human1": 80}])
    bare = json.dumps({"doc_id": "en-cs_CZ_#_news_#_d9", "scores": {}}) + "\n"
    assert read_scores({"ESA": write("wmt25.jsonl", bare + text)}).n_segments == 2


@pytest.mark.parametrize("has_places", [True, False])
def test_ratings_of_wmt25_join_its_texts_by_document_and_paragraph(write, has_places):
    """Rows of other language pairs come first, so that the number of a row is that of another
    segment.
    """
    pairs, documents = ("en-de_DE", "en-cs_CZ"), ("d1", "d2")
    ids = [f"{pair}_#_news_#_{document}" for pair in pairs for document in documents]
    texts = write(
        "genmt.jsonl",
        "".join(
            json.dumps({"doc_id": item, "src_text": "a\n\nb", "refs": {"refA": {"ref": "c\n\nd"}}})
            + "\n"
            for item in ids
        ),
    )
    outputs = write(
        "A.jsonl",
        "".join(json.dumps({"doc_id": item, "hypothesis": "c\n\nd"}) + "\n" for item in ids),
    )
    ratings = write(
        "humeval.jsonl",
        "".join(
            json.dumps(
                {
                    "doc_id": f"{item}_#_{k}" if has_places else item,
                    "scores": {"A": {"human1": 10 * place + k}},
                }
            )
            + "\n"
            for place, item in enumerate(ids)
            for k in range(2)
        ),
    )
    testset = read_text([(None, texts)], [("A", outputs)], langpair="en-cs_CZ")
    assert join_scores(testset, {"ESA": ratings}).scores["ESA"].by_system["A"] == (20, 21, 30, 31)


def test_scores_of_wmt25_that_are_no_ratings_are_refused(write):
    text = wmt25_of_people([{"human1": 90}, {"bleu": 80}])
    with pytest.raises(
        InputError, match="row 2, scores, column A: this is .*bleu.*Expected ratings such as"
    ):
        read_scores({"ESA": write("wmt25.jsonl", text)})


def test_a_table_of_the_user_may_name_raters(write):
    table = write(
        "mine.csv", "system,line,annotator,score\nA,1,x,1\nA,1,y,2\nB,1,x,3\nA,2,x,1\nB,2,y,0\n"
    )
    assert dict(read_scores({"human": table}).scores["human"].by_system) == {
        "A": (1.5, 1.0),
        "B": (3.0, 0.0),
    }


def test_the_result_counts_the_ratings(write, run, run_json):
    path = write("esa.csv", ESA)
    asked = "compare --langpair en-cs --trials 9 --resamples 9 --scores", f"ESA={path}"
    found = run_json(*asked)["metrics"]["ESA"]["ratings"]
    assert (found["n_ratings"], found["n_raters"], found["left_out"]["bad"]) == (5, 2, 1)
    counted = "ESA: 5 ratings by 2 raters, 1.25 for each system and segment."
    agreement = "Agreement of raters: Krippendorff's alpha 0.00. Excluded: 1 bad"
    assert f"\n{counted} {agreement}" in run(*asked).out


@needs_published
@pytest.mark.parametrize(("pair", "waves"), brief(1, [("en-cs", "2"), ("en-zh", "23")]))
def test_the_ranking_of_wmt24_comes_out(pair, waves):
    with open(PUBLISHED / "wmt24/official/ranking.tsv") as file:
        published = {
            row["system"]: row
            for row in csv.DictReader(file, delimiter="\t")
            if row["langpair"] == pair
        }
    files = [("ESA", PUBLISHED / f"wmt24/esa_generalMT2024_wave{wave}.csv") for wave in waves]
    result = compare(
        read_scores(files, langpair=pair), ["ESA"], rank_rule="wmt24", trials=99, resamples=99
    )
    for one in result.metrics["ESA"].systems:
        row = published.pop(one.system)
        assert one.score == pytest.approx(float(row["mean_over_domains"]), abs=5e-5)
        assert [one.rank_low, one.rank_high, one.cluster] == [
            int(row[key]) for key in ("rank_low", "rank_high", "cluster")
        ]
    assert published == {}


@needs_published
def test_mqm_of_ted_has_the_published_means():
    rated, averaged = (
        read_scores({"mqm": PUBLISHED / f"mqm/mqm_ted_ende{end}.tsv"})
        for end in ("", ".avg_seg_scores")
    )
    mqm, averages = (testset.scores["mqm"].by_system for testset in (rated, averaged))
    means = {
        name: np.mean([score for score in scores if score is not None])
        for name, scores in mqm.items()
    }
    printed = {
        "ref": 0.91,
        "Facebook-AI": 1.06,
        "Online-W": 1.12,
        "VolcTrans-AT": 1.24,
        "metricsystem3": 1.44,
        "VolcTrans-GLAT": 1.49,
        "HuaweiTSC": 1.50,
        "metricsystem1": 1.63,
        "metricsystem2": 1.69,
        "metricsystem5": 1.72,
        "UEdin": 1.77,
        "metricsystem4": 1.78,
        "eTranslation": 1.97,
        "Nemo": 2.14,
    }
    assert {name: round(float(mean), 2) for name, mean in means.items()} == printed
    for name in printed.keys() - {"ref"}:
        average = dict(zip(averaged.lines, averages[name], strict=True))
        for line, score in zip(rated.lines, mqm[name], strict=True):
            assert score == pytest.approx(-average[line])


@needs_published
def test_the_clusters_of_wmt22_come_out():
    with open(PUBLISHED / "wmt22/clusters.csv") as file:
        rows = [line.split() for line in file if line.startswith("cs en")]
    published = {
        re.sub(r"\.\d+$", "", system): (int(low), int(high), int(wins))
        for _, _, wins, _, low, high, _, system in rows
    }
    testset = read_scores({"z": PUBLISHED / "wmt22/ad-seg-scores-cs-en.csv"})
    result = compare(testset, ["z"], rank_rule="wmt22", trials=99, resamples=99).metrics["z"]
    tally = result.tally()
    assert {
        one.system: (one.rank_low, one.rank_high, tally[one.system][0]) for one in result.systems
    } == published


def write_wmt25(write, n=30):
    """Two raters of two systems; B lacks some ratings of the second."""
    rng = np.random.default_rng(5)
    rated = {
        name: rng.normal(level, 3, (n, 2)).round(1)
        for name, level in (("A", 82), ("B", 80), ("C", 80.5))
    }
    lines = [
        json.dumps(
            {
                "doc_id": f"en-cs_CZ_#_news_#_d{k // 3}",
                "scores": {
                    name: {
                        "human1": scores[k, 0],
                        "human2": None if name == "B" and k < 4 else scores[k, 1],
                    }
                    for name, scores in rated.items()
                },
            }
        )
        for k in range(n)
    ]
    rated["B"][:4, 1] = np.nan
    return write("humeval.jsonl", "\n".join(lines)), rated


def test_each_rating_may_be_a_segment_as_wmt25_had_it(write):
    """Held against the rule on both ratings, one after the other."""
    path, rated = write_wmt25(write)
    testset = read_scores({"human": path}, raters="segments")
    assert testset.n_segments == 60
    assert len(set(testset.documents)) == 10
    result = compare(testset, ["human"], rank_rule="wmt25", trials=99, resamples=99)
    one_after_the_other = np.array([rated[name].T.ravel() for name in "ABC"])
    order, ranks = wmt25(one_after_the_other, 0.05)
    systems = result.metrics["human"].systems
    assert [row.system for row in systems] == ["ABC"[k] for k in order]
    for row, k in zip(systems, order, strict=True):
        assert row.score == pytest.approx(np.nanmean(one_after_the_other[k]))
        assert (row.rank_low, row.rank_high) == (ranks.low[k], ranks.high[k])
    assert read_scores({"human": path}).n_segments == 30


def test_each_rating_is_a_segment_on_the_command_line(write, run):
    asked = "compare --trials 99 --resamples 99 --scores", f"human={write_wmt25(write)[0]}"
    texts = f"--ref={write('ref.txt', 'a b')}", f"--system={write('A.txt', 'a b')}"
    done = run(*asked, "--raters", "segments")
    assert "human: each rating is treated as a segment." in done.out
    for options, said in (
        (["--raters", "most"], "Unknown raters 'most'"),
        (["--raters", "segments", *texts], "only without texts"),
    ):
        refused = run(*asked, *options)
        assert refused.status == 2
        assert said in refused.err
    assert run("compare --demo-task --raters segments").status == 2


def test_an_unknown_severity_is_read_with_a_weight_for_it(write):
    path = write("mqm.tsv", MQM.replace("Minor\t\nA", "Trivial\t\nA"))
    said = "row 3: the severity is 'Trivial'. Expected major"
    with pytest.raises(InputError, match=said) as refused:
        read_scores({"MQM": path})
    assert refused.value.remedies == ({"mqm_weights": "trivial=1"},)
    weighed = read_scores({"MQM": path}, mqm_weights={"trivial": 3})
    assert weighed.scores["MQM"].by_system["A"][0] == 4.0


def test_weights_of_mqm_can_be_changed_and_are_shown(write, run, run_json):
    path = write("mqm.tsv", MQM)
    changed = {"major": 10, "fluency/punctuation": 2, "non-translation": 1}
    scores = read_scores({"MQM": path}, mqm_weights=changed).scores["MQM"]
    assert dict(scores.by_system) == {"A": (5.05, 1.0), "B": (1.0, 0.0)}
    asked = "compare --mqm-weights major=10,minor=2 --trials 9 --resamples 9 --scores"
    assumed = run_json(asked, f"MQM={path}")["testset"]["assumptions"]
    (told,) = (one["facts"] for one in assumed if one["code"] == "mqm-weights")
    weights = dict(told["weights"])
    assert (weights["major"], weights["non-translation"]) == (10, 25)
    esa = f"ESA={write('esa.csv', ESA)}", "--langpair", "en-cs"
    for weight, scores, said in (
        ("major", [f"MQM={path}"], "MQM weights: 'major'. Expected"),
        ("major=1", esa, "no table lists errors"),
    ):
        refused = run(f"score --mqm-weights {weight} --scores", *scores)
        assert refused.status == 2
        assert said in refused.err
