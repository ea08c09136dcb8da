"""Every page on sets where nothing differs, or with next to nothing in them: it says what it can,
and never fails.
"""

import json

import pytest

from mtsig_core.source import Source, TaskSource
from pages._sections import ranking_sections
from tests.builders.apps import ROWS
from tests.builders.cases import brief
from tests.builders.screens import sentences, words, write

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
#: By what is small or tied: outputs, the document of each segment, and the scores of each system,
#: if any.
SETS = {
    "better and worse by turns": (
        [[*TEXTS[:6], *WORSE[6:]], [*WORSE[:6], *TEXTS[6:]]],
        ["d"] * 12,
        None,
    ),
    "two segments": ([TEXTS[:2], WORSE[:2]], ["d", "e"], [50, 60]),
    "the same outputs": ([TEXTS, TEXTS], [f"d{k // 3}" for k in range(12)], None),
    "the same outputs, all wrong": (
        [["x"] * 12, ["x"] * 12],
        [f"d{k // 3}" for k in range(12)],
        None,
    ),
    "the same outputs and scores": ([WORSE, WORSE], [f"d{k // 3}" for k in range(12)], [50, 50]),
    "one segment": ([TEXTS[:1], WORSE[:1]], ["d"], None),
    "one segment without a document": ([TEXTS[:1], WORSE[:1]], None, [50, 60]),
    "one document": ([TEXTS, WORSE], ["d"] * 12, [50, 60]),
    "empty outputs": ([[""] * 12, [""] * 12], None, None),
    "one system": ([WORSE], [f"d{k // 3}" for k in range(12)], [50]),
    "one system, one segment": ([WORSE[:1]], ["d"], None),
    "three alike": ([WORSE, WORSE, WORSE], [f"d{k // 3}" for k in range(12)], [50, 50, 50]),
}


def source_of(kind, folder):
    outputs, documents, scores = SETS[kind]
    n = len(outputs[0])
    tables = ()
    if scores is not None:
        rows = [
            f"{name}\t{k}\t{score}"
            for name, score in zip("ABC", scores, strict=False)
            for k in range(1, n + 1)
        ]
        tables = (("human", write(folder / "human.tsv", ["system\tline\tscore", *rows])),)
    if documents is not None:
        documents = write(
            folder / "docs.txt",
            [
                f"news\t{one}" if k < n // 2 else f"social\t{one}s"
                for k, one in enumerate(documents)
            ],
        )
    return Source(
        ref=((None, write(folder / "ref.txt", TEXTS[:n])),),
        docs=documents,
        scores=tables,
        higher_is_better=("human",) if tables else (),
        system=tuple(
            (name, write(folder / f"{name}.txt", output))
            for name, output in zip("ABC", outputs, strict=False)
        ),
    )


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
    assert page.selectbox(key="pair.document").options == ["news · d", "social · es"]


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
        lines = [
            {
                "language_pair": pair,
                "domain": "news",
                "document_id": f"d{k}",
                "metric_scores": {"XCOMET": [score(system, k)], "esa": [100 * score(system, k)]},
            }
            for pair in ("en-de_DE", "en-ja_JP")
            for k in range(n_documents)
        ]
        write(folder / "small" / "automatic_scores" / f"{system}.jsonl", map(json.dumps, lines))
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
