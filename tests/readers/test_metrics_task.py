"""Tasks with texts and scores, in mt-metrics-eval's layout."""

from dataclasses import replace

import pytest

from mtsig_core.errors import InputError, SettingError
from mtsig_core.readers.tasks import read_pair, read_task
from mtsig_core.source import TaskSource

FILES = {
    "sources/en-de.txt": "q\na\nb\n",
    "documents/en-de.docs": "canary canary\nnews d1\nnews d2\n",
    "references/en-de.refA.txt": "q\nA\nB\n",
    "references/en-de.refB.txt": "q\nAA\nBB\n",
    "system-outputs/en-de/refA.txt": "q\nA\nB\n",
    "system-outputs/en-de/X.txt": "q\nA\nC\n",
    "system-outputs/en-de/Y.txt": "q\nD\nC\n",
    "human-scores/en-de.mqm.seg.score": "X\tNone\nX\t-1.5\nX\t0\nrefA\tNone\nrefA\t0\nrefA\tNone\n",
    "human-scores/en-de.mqm.sys.score": "X\t-.7\n",
    "human-scores/en-cs.mqm.seg.score": "X\t1\n",
    "metric-scores/en-de/MetricX-23-refA.seg.score": "".join(
        f"{s} {v}\n" for s in "XY" for v in (1, 2.5, 20)
    ),
    "metric-scores/en-de/odd-src.seg.score": "".join(
        f"{s}\t{v}\n" for s in "XY" for v in (0.1, 0.5, 0.9)
    ),
}


@pytest.fixture
def write(tmp_path):
    def folder(**changed):
        for name, text in {
            **FILES,
            **{key.replace("__", "/"): text for key, text in changed.items()},
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return folder


def test_scores_join_the_texts(write):
    task = read_task(write())
    german = task.testsets["en-de"]
    assert list(german.systems) == ["X", "Y"] and list(german.references) == ["refA", "refB"]
    assert german.lines == (2, 3) and german.domains == ("news", "news")
    assert dict(german.scores["mqm"].by_system) == {"X": (-1.5, 0), "refA": (0, None)}
    assert (
        german.scores["mqm"].higher_is_better
        and not german.scores["MetricX-23-refA"].higher_is_better
    )
    assert german.scores["MetricX-23-refA"].by_system["Y"] == (2.5, 20)
    assert task.assumed[0].facts == {"scores": (("odd-src", 0.1, 0.9),)}
    assert any("lower MetricX-23-refA scores are better" in str(one) for one in task.assumed)


def test_what_is_left_out_is_read_once_it_is_said(write, run):
    folder = write()
    assert "odd-src" not in read_task(folder).testsets["en-de"].scores
    for said in ({"higher_is_better": ["odd-src"]}, {"lower_is_better": ["odd-src"]}):
        pair = read_pair(folder, "en-de", **said)
        assert pair.scores["odd-src"].higher_is_better is ("higher_is_better" in said)
        assert pair.assumed[0].code != "direction-open"
    with pytest.raises(SettingError, match="no scores 'other'"):
        read_task(folder, lower_is_better=["other"])
    assert "Excluded" in run("score --langpair en-de --metrics mqm --folder", folder).err
    odd = "--metrics odd-src --higher-is-better odd-src"
    found = run(f"score --langpair en-de {odd} --folder", folder)
    assert "0.7" in found.out
    assert "Excluded" not in found.err


CZECH = {
    name.replace("en-de", "en-cs"): text
    for name, text in FILES.items()
    if not name.startswith(("human", "metric"))
}


def test_a_direction_holds_in_the_language_pairs_that_have_the_scores(write, tmp_path_factory):
    """Said of the table of one, and of scores that the folder has of the other alone."""
    folder = write(**CZECH, **{"human-scores__en-cs.mqm.seg.score": "X\t-1\nX\t-2\nX\t-3\n"})
    table = tmp_path_factory.mktemp("beside") / "t.tsv"
    table.write_text("system\tline\tscore\nX\t2\t1\nY\t2\t5\n")
    task = TaskSource(
        str(folder), scores=(("en-cs", "mine", str(table)),), lower_is_better=("mine", "odd-src")
    )
    task.check()
    whole = task.read().testsets
    for pair, own in (("en-de", "odd-src"), ("en-cs", "mine")):
        alone = task.select_pair(pair).read()
        assert alone.digest == whole[pair].digest and not alone.scores[own].higher_is_better
        assert {"odd-src", "mine"} & set(alone.scores) == {own}
    with pytest.raises(SettingError, match="no scores 'other'.*odd-src"):
        replace(task, lower_is_better=("other",)).check()


MQM = "human-scores__en-de.mqm.seg.score"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("X\t1\nX\t2\n", "mqm.seg.score: X has 2 scores, the texts have 3"),
        ("X\t1\nX\tx\n", "line 2 is 'X.tx'"),
        ("1\n", "line 1 is '1'"),
        ("X inf\n", "line 1 is 'X inf'"),
        ("X 1_0\n", "line 1 is 'X 1_0'"),
        ("", "is empty"),
        ("Z 1\nZ 2\nZ 3\n", "'Z' has scores and no output. Expected one of X, Y"),
    ],
)
def test_broken_files(write, text, told):
    with pytest.raises(InputError, match=told):
        read_task(write(**{MQM: text}))


def test_two_scores_of_one_name(write):
    with pytest.raises(InputError, match="Two scores are called mqm"):
        read_task(
            write(
                **{"metric-scores__en-de__mqm.seg.score": FILES["human-scores/en-de.mqm.seg.score"]}
            )
        )
