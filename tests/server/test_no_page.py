"""Which addresses have no page, also below a base path."""

import re

import pytest
from starlette.routing import Match

from pages._server import no_page
from pages._ui.catalogue import PAGES
from tests.builders.client import answer, run


@pytest.mark.parametrize("base", ["", "/lab/mt"])
@pytest.mark.parametrize(
    ("path", "is_missing"),
    [
        ("/nopage", True),
        ("/a/b/", True),
        ("/summary/b", True),
        ("/", False),
        ("/index.html", False),
        ("/static/js/index", False),
        ("/summary/_stcore/health", False),
        *((f"/{name}", False) for name in PAGES),
    ],
)
def test_a_path_of_words_that_no_page_has_is_missing(monkeypatch, base, path, is_missing):
    monkeypatch.setattr(no_page.st, "get_option", lambda _: base)
    scope = {"type": "http", "method": "GET", "path": f"{base}{path}", "headers": []}
    route = no_page.NoPage()
    match, _ = route.matches(scope)
    assert (match is Match.FULL) == is_missing
    if is_missing:
        start, body = run(answer(route.app, scope))
        assert start["status"] == 404
        text = body["body"].decode()
        assert f'<base href="{base}/">' in text
        assert set(re.findall('<a href="(.*?)"', text)) <= {*PAGES}
