"""Bringing one's own files in a real browser."""

import io
import zipfile

import pytest

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser
REF = "".join(f"this is sentence {k} of the set\n" for k in range(30)).encode()
WORSE = REF.replace(b"sentence", b"phrase")


def files(**contents):
    return [{"name": name.replace("_", "."), "mimeType": "text/plain", "buffer": content}
            for name, content in contents.items()]


@pytest.fixture
def data(serve, page):
    """The Data page of a dashboard started on nothing; gives a function that uploads."""
    page.goto(f"{serve()}/data")
    settled(page)

    def upload(chosen, button="Open these files"):
        page.locator('input[type="file"]').set_input_files(chosen)
        page.get_by_role("button", name=button).click(timeout=20_000)
        page.wait_for_timeout(700)  # the script starts, and starts again on the new test set
        settled(page)
        return page.locator('[data-testid="stMain"]').inner_text()

    return upload


def test_opens_what_was_uploaded_and_compares_it(data, page):
    said = data(files(ref_txt=REF, a_txt=REF, b_txt=WORSE, docs_txt=b"d1\nd2\nd3\n" * 10))
    assert "upload: 30 segments, 2 systems" in said
    assert "The output of a is reference ref, word for word" in said
    page.get_by_role("link", name="Leaderboard").click()
    page.wait_for_selector(".mt-answer")
    settled(page)
    assert "30 segments · 3 documents · 2 systems" in page.locator(".mt-status").first.inner_text()
    assert page.hosts == {"localhost"}


@pytest.mark.parametrize("texts", [{}, dict(ref_txt=REF, a_txt=REF, b_txt=WORSE)], ids=["alone", "with texts"])
def test_segment_scores(data, page, texts):
    table = "system\tline\tscore\n" + "".join(f"{name}\t{k}\t{50 + k + 20 * (name == 'a')}\n"
                                              for name in "ab" for k in range(1, 31))
    assert "upload: 30 segments, 2 systems" in data(files(**texts, human_tsv=table.encode()))
    page.get_by_role("link", name="Leaderboard").click()
    page.wait_for_selector(".mt-answer")
    settled(page)
    if texts:
        page.get_by_role("combobox", name="Metric").fill("human")
        page.keyboard.press("Enter")
        page.wait_for_timeout(700)
        settled(page)
    said = page.locator('[data-testid="stMain"]').inner_text()
    assert "a is ahead of all others" in said and "85.50" in said
    assert ("segment scores without texts" in said) is (not texts)


@pytest.mark.parametrize("bad,parts", [
    ({"b_txt": WORSE[:WORSE[:-1].rfind(b"\n") + 1]}, ["b.txt has 29 lines", "30"]),
    ({"b_txt": b"\xff\xfe\n"}, ["b.txt"]),
    ({"b_txt": b""}, ["b.txt is empty"]), ({"b_txt": WORSE, "b_gz": WORSE}, []),
    ({"b_txt": WORSE, "docs_txt": b"d\n"}, ["docs.txt", "30"])])
def test_mistakes_are_messages_and_the_page_lives_on(data, page, bad, parts):
    said = data(files(ref_txt=REF, **bad))
    assert all(part in said for part in parts), said
    assert page.locator('input[type="file"]').count() == 1


def test_a_zipped_task(data):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("task/references/en-de.refA.txt", REF)
        archive.writestr("task/system-outputs/en-de/x.txt", WORSE)
    task = [{"name": "task.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}]
    assert "task en-de: 30 segments" in data(task, "Open this pair")
