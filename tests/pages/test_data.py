"""The Data page without a browser."""

import pytest

from tests.pages.toys import words

REF = "".join(f"this is sentence {k} of the set\n" for k in range(30)).encode()


@pytest.fixture
def page(opened):
    """The Data page of a dashboard started on nothing, so on the simulated corpus."""
    return opened("data")


def upload(page, *files):
    page.file_uploader(key="data.files").set_value([(name, content, "text/plain") for name, content in files]).run()
    assert not page.exception
    return page


def test_roles_are_guessed(page):
    upload(page, ("ref.txt", REF), ("a.txt", REF), ("b.txt", REF), ("docs.txt", b"d1\n" * 30))
    roles = [box.value for box in page.selectbox if box.label == "Role"]
    assert roles == ["reference", "system", "system", "documents"]


def test_file_names_are_shown_literally(page):
    upload(page, ("<b>ref</b>.txt", REF), ("![x](http://h/x.png).txt", REF))
    assert "&lt;b&gt;ref&lt;/b&gt;.txt" in words(page)
    assert not [element for element in page.markdown if "![x]" in element.value]


def test_a_damaged_zip_is_a_message(page):
    upload(page, ("task.zip", b"PK nothing"))
    assert "The zip archive cannot be read" in words(page)


def test_a_link_to_an_upload_that_is_gone_says_so(opened):
    assert "which is not here" in words(opened(None, testset="upload 0123"))
