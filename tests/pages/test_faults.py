"""Where nothing can be kept or read again: one message where that matters, and all other pages as
ever.
"""

import pytest

from mtsig_core.stats import parallel
from pages._ui import testsets, views
from pages._ui.catalogue import PAGES
from tests.builders.screens import words


@pytest.fixture(params=["no home", "no folder", "garbage", "cut"])
def broken(request, monkeypatch, tmp_path):
    """A server that has no home, or none that can be written, or finds something else in place of
    its database.
    """

    def forget():
        testsets.store.clear(), views.reviews.clear(), testsets.tables.clear()

    forget()
    monkeypatch.setenv("MTSIG_HOME", str(tmp_path))
    if request.param == "no home":
        monkeypatch.delenv("MTSIG_HOME"), monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        monkeypatch.delenv("MTSIG_CACHE")
        monkeypatch.setenv("HOME", "/proc/nobody")
    elif request.param == "no folder":
        monkeypatch.setenv("MTSIG_HOME", "/dev/null/x")
    else:
        testsets.store().database.close(), forget()
        (file,) = tmp_path.glob("*.sqlite*")
        file.write_bytes(
            b"garbage" * 999 if request.param == "garbage" else file.read_bytes()[:5000]
        )
    yield
    forget()


def test_one_message_and_no_trace_and_numbers_are_there_without_it(opened, source, broken):
    for page, asked in (
        ("upload", {}),
        ("review", {"review": "x" * 22}),
        ("summary", {"testset": "~" + "x" * 22}),
    ):
        app = opened(page, source, trials="999", **asked)
        said = words(app)
        assert said.count("mt-error") == 1
        assert "Traceback" not in said
        assert "MTSIG_HOME" in said
        assert "/dev/null" not in said
        assert "/proc/nobody" not in said
    app = opened("summary", source, trials="999")
    assert "is significantly better than the other 2 systems" in words(app)


@pytest.mark.parametrize("page", ["size"])
def test_a_cluster_that_does_not_answer_is_one_message_that_names_the_variable(
    opened, source, monkeypatch, page
):
    monkeypatch.setattr(parallel, "_PATIENCE", 0.2)
    monkeypatch.setenv("MTSIG_DASK", "tcp://127.0.0.1:1")
    app = opened(page, source, seed="7")  # which no other test asks for
    said = words(app)
    assert said.count("No Dask scheduler answers at tcp://127.0.0.1:1") == 1
    assert said.count("MTSIG_DASK") == 1
    assert "Traceback" not in said
    assert PAGES[page].title in [
        title.value for title in app.title
    ]  # the page is there, and its controls


def test_what_is_short_needs_no_cluster(opened, source, monkeypatch):
    monkeypatch.setenv("MTSIG_DASK", "tcp://127.0.0.1:1")
    app = opened("summary", source, trials="999", seed="7")
    assert "is significantly better than the other 2 systems" in words(app)
