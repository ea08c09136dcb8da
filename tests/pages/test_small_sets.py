"""Every page on sets where nothing differs, or with next to nothing in them: it says what it can,
and never fails.
"""

import json
from dataclasses import replace

import pytest

from mtsig_core.source import TaskSource
from pages._sections import ranking_sections
from tests.builders.apps import ROWS
from tests.builders.cases import brief
from tests.builders.screens import sentences, words, write, write_ratings, written

#: Views of a page beside its first: what its link asks.
VIEWS = [
    ("pair", {"card": "true"}),
    ("metrics", {"inside": "by domain"}),
    ("metrics", {"inside": "which metric to trust"}),
    ("sampling", {"tab": "What each sample concludes"}),
    ("inside", {"inside": "sentence average"}),
    ("inside", {"inside": "Student's t"}),
    ("trust", {"experiment": "Coverage"}),
    ("trust", {"experiment": "Units"}),
    ("summary", {"metric": "human"}),
    ("pair", {"metric": "human", "card": "true"}),
    ("bootstrap", {"ci": "bca"}),
]
TEXTS = sentences(12)
WORSE = [text.replace("sentence", "word") for text in TEXTS]


DOCUMENTS = [f"d{k // 3}" for k in range(12)]


#: By what is small or tied: outputs, the document of each segment, and the scores of each system,
#: if any.
SETS = {
    "better and worse by turns": (
        [[*TEXTS[:6], *WORSE[6:]], [*WORSE[:6], *TEXTS[6:]]],
        ["d"] * 12,
        None,
    ),
    "two segments": ([TEXTS[:2], WORSE[:2]], ["d", "e"], [50, 60]),
    "the same outputs": ([TEXTS, TEXTS], DOCUMENTS, None),
    "the same outputs, all wrong": ([["x"] * 12, ["x"] * 12], DOCUMENTS, None),
    "the same outputs and scores": ([WORSE, WORSE], DOCUMENTS, [50, 50]),
    "one segment": ([TEXTS[:1], WORSE[:1]], ["d"], None),
    "one segment without a document": ([TEXTS[:1], WORSE[:1]], None, [50, 60]),
    "one document": ([TEXTS, WORSE], ["d"] * 12, [50, 60]),
    "empty outputs": ([[""] * 12, [""] * 12], None, None),
    "one system": ([WORSE], DOCUMENTS, [50]),
    "one system, one segment": ([WORSE[:1]], ["d"], None),
    "three alike": ([WORSE, WORSE, WORSE], DOCUMENTS, [50, 50, 50]),
}


def source_of(kind, folder):
    outputs, documents, scores = SETS[kind]
    n = len(outputs[0])
    names = "ABC"[: len(outputs)]
    if documents is not None:
        news = [f"news\t{name}" for name in documents[: n // 2]]
        documents = news + [f"social\t{name}s" for name in documents[n // 2 :]]
    source = written(folder, TEXTS[:n], outputs, documents, names)
    if scores is None:
        return source
    ratings = {name: [score] * n for name, score in zip(names, scores, strict=True)}
    table = ("human", write_ratings(folder / "human.tsv", ratings))
    return replace(source, scores=(table,), higher_is_better=("human",))


@pytest.mark.parametrize("kind", brief(1, SETS))
@pytest.mark.parametrize("name, asked", brief(len(ROWS), [*((name, {}) for name in ROWS), *VIEWS]))
def test_a_page_does_not_fail(opened, tmp_path, kind, name, asked):
    metric = {} if asked.get("metric") == "human" and SETS[kind][2] is None else asked
    page = opened(name, source_of(kind, tmp_path), **{"trials": "999", "metric": "bleu"} | metric)
    assert ">nan<" not in words(page).lower()


def test_where_no_document_favours_anybody_the_page_says_so(opened, tmp_path):
    page = opened("pair", source_of("two segments", tmp_path), trials="999", metric="bleu")
    said = [caption.value for caption in page.caption]
    assert "No document favours either system: in each of them the difference is 0." in said
    assert page.selectbox(key="read").options == ["news · d", "social · es"]


#: By what is small or tied in a task: the systems, the documents, and the score of each system in
#: each.
TASKS = {
    "ties": ("ABC", 20, lambda system, k: 0.5),
    "one document": ("ABC", 1, lambda system, k: ord(system) / 100),
    "two systems": ("AB", 20, lambda system, k: (ord(system) + k % 7) / 100),
    "two systems that tie": ("AB", 2, lambda system, k: 0.5),
    "one system": ("A", 20, lambda system, k: k / 20),
    "one system, one document": ("A", 1, lambda system, k: 0.5),
}


def task_of(kind, folder):
    systems, n_documents, score = TASKS[kind]
    for system in systems:
        lines = []
        for pair in ("en-de_DE", "en-ja_JP"):
            for k in range(n_documents):
                place = {"language_pair": pair, "domain": "news", "document_id": f"d{k}"}
                scores = {"XCOMET": [score(system, k)], "esa": [100 * score(system, k)]}
                lines.append(json.dumps({**place, "metric_scores": scores}))
        write(folder / "small" / "automatic_scores" / f"{system}.jsonl", lines)
    return TaskSource(str(folder / "small"))


@pytest.mark.parametrize("kind", brief(1, TASKS))
@pytest.mark.parametrize("tab", ["Language pairs", *ranking_sections.TABS])
def test_results_do_not_fail(opened, tmp_path, kind, tab):
    page = opened(
        "results",
        task=task_of(kind, tmp_path),
        trials="999",
        metric="XCOMET",
        tab=tab,
        trust="true",
    )
    assert ">nan<" not in words(page).lower()
