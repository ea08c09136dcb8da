"""Bringing one's own files in a real browser; what else there is to it, in tests/pages/test_data.py."""

import pytest

from mtsig_core.report.commands import source_options
from mtsig_core.report.table import format_p
from tests.browser.conftest import follow, printed, ready, settled, watched
from tests.pages.toys import small_source

pytestmark = pytest.mark.browser
REF = "".join(f"this is sentence {k} of the set\n" for k in range(30)).encode()
WORSE = REF.replace(b"sentence", b"phrase")


def files(**contents):
    return [{"name": name.replace("_", "."), "mimeType": "text/plain", "buffer": content}
            for name, content in contents.items()]


@pytest.fixture(scope="module")
def page(at, window, tmp_path_factory):
    """The Data page of a dashboard, in one visit."""
    page = watched(window.new_page())
    page.goto(at("data", source_options(small_source(tmp_path_factory.mktemp("open")))))
    yield page
    page.close()
    window.clear_cookies()


@pytest.fixture
def data(page):
    """Gives a function that uploads."""
    settled(page)

    def upload(chosen, button="Open these files", rename=None):
        page.locator('input[type="file"]').set_input_files(chosen)
        page.get_by_role("button", name=button).wait_for()
        for old, new in (rename or {}).items():
            names = page.locator('[data-testid="stMain"] [data-testid="stTextInput"] input')
            field = names.nth(names.evaluate_all("(all, old) => all.findIndex(e => e.value == old)", old))
            field.fill(new)
            field.press("Enter")
            settled(page)
        page.get_by_role("button", name=button).click()
        page.wait_for_selector("p:has-text('To its leaderboard')")
        settled(page)
        return page.locator('[data-testid="stMain"]').inner_text()

    return upload


def test_three_outputs_give_the_p_that_the_command_line_prints(data, page, tmp_path):
    outputs = {"a": REF.replace(b"is", b"was"), "b": WORSE, "c": REF.replace(b"of the set", b"in a set")}
    content = {"ref": REF, "docs": b"d1\nd2\nd3\n" * 10, **outputs}
    for name, lines in content.items():
        (tmp_path / f"{name}.txt").write_bytes(lines)
    said = data(files(**{f"{name}_txt": lines for name, lines in content.items()}), rename={"b": "<i>mine</i>"})
    assert "a, b, c: 30 segments, 3 systems" in said
    systems = {"a": "a", "<i>mine</i>": "b", "c": "c"}
    given = (part for name, file in systems.items() for part in ("--system", f"{name}={tmp_path / file}.txt"))
    found = printed("compare", "--ref", tmp_path / "ref.txt", "--docs", tmp_path / "docs.txt", *given)
    pairs = found["metrics"]["bleu"]["pairs"]
    follow(page, "Pair")
    ready(page)
    answer = page.locator(".mt-answer").first.inner_text()
    pair = next(pair for pair in pairs if answer.startswith(f"{pair['a']} and {pair['b']}: "))
    status = page.locator(".mt-status").all_inner_texts()
    assert "30 segments · 3 documents · 3 systems" in status[0]
    assert any(f"p {format_p(pair['p_value'])} for this pair alone" in line for line in status), (pair, status)
    assert answer.startswith(f"{pair['a']} and {pair['b']}: {pair['delta']:+.2f} BLEU ")
    assert f"adjusted p {format_p(pair['p_adjusted'])}" in answer
    assert page.dialogs == [] and page.hosts == {"localhost"} and page.problems == []
