"""A view is a link: in a new session it shows the same numbers, on every page."""

import pytest

from mtsig_core.source import Source
from tests.builders.apps import ROWS
from tests.builders.cases import brief
from tests.builders.screens import (
    links,
    read_address,
    replace_in_most,
    replace_in_some,
    sentences,
    words,
    write,
    written,
)

SETTINGS = {
    "test": "bootstrap",
    "correction": "holm",
    "unit": "segment",
    "ci": "basic",
    "alpha": "0.01",
    "trials": "1999",
    "seed": "11",
    "exclude": "c",
    "domain": "news",
}
OWN = {
    "summary": {"baseline": "b", "reason.c": "late"},
    "pair": {"a": "d", "b": "a", "margin": "0.4", "n": "10"},
    "bootstrap": {"system": "b", "pool": "20000"},
    "pairs": {"pairs.tests": "true"},
    "sampling": {
        "system": "b",
        "a": "d",
        "b": "a",
        "size": "30",
        "shuffle": "true",
        "samples": "blocks",
        "by": "ar",
    },
    "segments": {"a": "d", "b": "a", "text": "old", "order": "line", "page": "2", "also": "b"},
}


def task(folder):
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(120)]
    small = [text.replace("house", "small") for text in ref]
    sea = replace_in_some(ref, 3, "river and the", "sea or a")
    without_article = replace_in_most(ref, 4, "the", "a")
    other = []
    for k, text in enumerate(ref):
        other.append(text.replace("near", "by").replace("bridge", f"b{k}") if k % 5 else text)
    documents = [f"{'news' if k < 90 else 'talk'}\td{k // 2}" for k in range(120)]
    return written(folder, ref, (small, sea, without_article, other), documents, "abcd")


@pytest.mark.parametrize("path", brief(3, ROWS))
def test_the_same_numbers_in_another_session(opened, tmp_path, path):
    source = task(tmp_path)
    asked = {**SETTINGS, **OWN.get(path, {})}
    page = opened(path, source, **asked)
    assert path in ("upload", "methods") or "90 segments" in words(page)
    link = read_address(page)
    assert {key: link.get(key, usual) for key, usual in asked.items()} == asked
    again = opened(path, source, **link)
    assert words(again) == words(page)


def test_other_content_under_the_same_name_is_said(opened, tmp_path):
    """While one looks, and by a link from before."""
    ref = sentences(40)
    files = {
        "references/en-de.refA": ref,
        "system-outputs/en-de/a": [text.replace("is", "was") for text in ref],
        "system-outputs/en-de/b": [text.replace("sentence", "phrase") for text in ref],
    }
    for name, lines in files.items():
        write(tmp_path / f"changing/{name}.txt", lines)
    said = "This test set has changed since the link was made"
    page = opened("segments", root=tmp_path, testset="changing/en-de")
    assert said not in words(page)
    link = links(page)["Segments"]
    assert link.keys() == {"testset", "digest"}
    write(tmp_path / "changing/system-outputs/en-de/b.txt", ref)
    page.switch_page("pages/upload.py").run()
    assert said in words(page)
    assert said in words(opened("segments", root=tmp_path, **link))


def test_content_without_a_name_is_compared_too(opened, tmp_path):
    """The set that pages open with may be another one by now; and simulated ones have no files."""
    for source in (Source(demo=300), task(tmp_path)):
        said = words(opened("upload", source, digest="zzzz"))
        assert "This test set has changed since the link was made" in said
        assert "means another set" in said


def test_what_a_link_leaves_out_and_is_not_here_has_no_default(opened, tmp_path):
    source = task(tmp_path)
    said = words(opened("summary", source, exclude="NOPE", test="x"))
    assert "asks for exclude=NOPE, which is not available here; it is ignored." in said
    assert "asks for test=x, which is not available here; using the default." in said


def test_a_value_that_fills_the_screen_is_cut(opened, tmp_path):
    said = words(opened("summary", task(tmp_path), unit="x" * 3000))
    assert "The link asks for unit=xxx" in said
    assert "xxx, which is not available here; using the default" in said
    gone = words(opened("pair", task(tmp_path), testset="y" * 5000))
    assert "The test set &#x27;yyy" in gone
    assert "yyy&#x27; of this link is not here." in gone
    assert "x" * 400 not in said
    assert "y" * 400 not in gone
