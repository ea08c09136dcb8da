"""A view is a link: opened first on another server and in another browser, it shows the same numbers."""

from contextlib import nullcontext
from itertools import zip_longest
from urllib.parse import urlencode

import pytest

from tests.browser.conftest import PAGES, ready, server
from tests.browser.grids import told

pytestmark = pytest.mark.browser
SETTINGS = {"test": "bootstrap", "correction": "holm", "unit": "segment", "ci": "basic", "alpha": "0.01",
            "trials": "1999", "seed": "11", "exclude": "c", "domain": "news"}
OWN = {"leaderboard": {"baseline": "b", "reason.c": "late"}, "pair": {"a": "d", "b": "a", "margin": "0.4", "n": "10"},
       "bootstrap": {"system": "b", "pool": "20000"}, "significance": {"significance.tests": "true"},
       "sampling": {"system": "b", "a": "d", "b": "a", "size": "30", "shuffle": "true", "samples": "blocks",
                    "by": "ar"},
       "segments": {"a": "d", "b": "a", "text": "old", "order": "line", "page": "2", "also": "b"}}
FRESH = ("leaderboard", "pair", "segments")  # the first page that a new server shows; the others in a new browser
NUMBERS = ".mt-status, .mt-answer, .mt-table, .mt-pair, .stDataFrame canvas, code"


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    folder = tmp_path_factory.mktemp("task")
    ref = [f"the old house number {k} stands near the river and the bridge" for k in range(120)]
    texts = {"ref": ref, "docs": [f"{'news' if k < 90 else 'talk'}\td{k // 2}" for k in range(120)],
             "a": [t.replace("house", "small") for t in ref],
             "b": [t.replace("river and the", "sea or a") if k % 3 == 0 else t for k, t in enumerate(ref)],
             "c": [t.replace("the", "a") if k % 4 else t for k, t in enumerate(ref)],
             "d": [t.replace("near", "by").replace("bridge", f"b{k}") if k % 5 else t for k, t in enumerate(ref)]}
    for name, lines in texts.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    return ["--ref", folder / "ref.txt", "--docs", folder / "docs.txt",
            *(part for name in "abcd" for part in ("--system", folder / f"{name}.txt"))]


def numbers(page):
    ready(page)
    told(page)
    return page.locator(f'[data-testid="stMain"] :is({NUMBERS})').evaluate_all("all => all.map(e => e.textContent)")


@pytest.mark.parametrize("path", PAGES)
def test_the_same_numbers_in_another_session_on_another_server(serve, page, options, path):
    page.goto(f"{serve(*options)}/{path}?{urlencode({**SETTINGS, **OWN.get(path, {})})}")
    there = numbers(page)
    assert there
    said = " ".join(there)
    own = path in ("sampling", "sweeps", "validation", "metrics")  # experiments test in ways of their own
    assert path in ("data", "methods") or all(part in said for part in (
        "90 segments", "seed 11", "alpha 0.01", *(() if own else ("bootstrap", "by segment", "1999 trials", "holm",
                                                                   "basic"))))
    with server(*options) if path in FRESH else nullcontext(serve(*options)) as fresh:
        other = page.context.new_page()
        other.goto(page.url.replace(serve(*options), fresh))
        assert [both for both in zip_longest(there, numbers(other)) if both[0] != both[1]] == []
        assert page.locator(".mt-error").count() == other.locator(".mt-error").count() == 0
        other.close()
