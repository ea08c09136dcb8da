"""Bringing one's own files in a real browser; what else there is to it, in tests/pages/test_data.py."""

import pytest

from mtsig_core.report.cells import format_p
from mtsig_core.report.commands import source_options
from tests.browser.conftest import follow, printed, ready, settled, watched
from tests.browser.grids import cells
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


@pytest.mark.slow  # tests/pages/test_segment_scores.py has it without a browser
@pytest.mark.parametrize("texts", [
    pytest.param({}, id="alone"), pytest.param(dict(ref_txt=REF, a_txt=REF, b_txt=WORSE), id="with texts")])
def test_segment_scores(data, page, texts):
    again(page)
    table = "system\tline\tscore\n" + "".join(f"{name}\t{k}\t{50 + k + 20 * (name == 'a')}\n"
                                              for name in "ab" for k in range(1, 31))
    name = "a, b" if texts else "human"
    assert f"{name}: 30 segments, 2 systems" in data(files(**texts, human_tsv=table.encode()))
    page.get_by_role("link", name="Leaderboard", exact=True).click()
    page.wait_for_selector(".mt-answer")
    ready(page)
    if texts:
        page.locator(".st-key-metric input").fill("human")
        page.keyboard.press("Enter")
        ready(page)
    said = page.locator('[data-testid="stMain"]').inner_text()
    assert "a is ahead of all others" in said
    assert "85.5" in {cell for row in cells(page, "leaderboard-table") for cell in row}  # as a screen reader has it
    assert ("segment scores without texts" in said) is (not texts)


def again(page):
    """Leave the page and come back: no file is there any more."""
    for name in ("Segments", "Data"):
        follow(page, name)
        settled(page)
